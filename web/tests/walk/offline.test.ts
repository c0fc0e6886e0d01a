// @vitest-environment jsdom
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { graphOf } from "../../src/walk/source/formula";
import { offlineFile } from "../../src/walk/source/offline";

const BUNDLE = { script: 'const text = "</script><b>";', style: '.a::after { content: "</style>"; }' };

function parsed(html: string): Document {
  return new DOMParser().parseFromString(html, "text/html");
}

describe("the offline file", () => {
  const graph = graphOf("a * a", { a: 3 }, 'a <script>alert("x")</script> </title>');

  it("carries the graph and the state as they are", async () => {
    const page = parsed(await offlineFile(BUNDLE, graph, { time: 2 }));
    expect(JSON.parse(page.getElementById("gradwalk-document")!.textContent!)).toEqual(graph);
    expect(JSON.parse(page.getElementById("gradwalk-state")!.textContent!)).toEqual({ time: 2 });
  });

  it("lets no text out of the element that it stands in", async () => {
    const page = parsed(await offlineFile(BUNDLE, graph, {}));
    expect(page.querySelectorAll("script")).toHaveLength(3);
    expect(page.querySelectorAll("style")).toHaveLength(1);
    expect(page.querySelector("b")).toBeNull();
    expect(page.title).toContain("<script>");
    expect(page.querySelectorAll("script")[2]!.textContent).toBe('const text = "<\\/script><b>";');
  });

  it("is allowed to run what it carries, and nothing else", async () => {
    const page = parsed(await offlineFile({ script: "1", style: "a{}" }, graph, {}));
    const policy = page.querySelector("meta[http-equiv]")!.getAttribute("content");
    const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    expect(policy).toContain(`default-src 'none'; script-src ${hash("1")}; style-src ${hash("a{}")};`);
  });

  it("asks no other place for anything", async () => {
    const page = parsed(await offlineFile(BUNDLE, graph, {}));
    expect(page.querySelectorAll("[src], link:not([href='data:,'])")).toHaveLength(0);
  });
});
