// @vitest-environment jsdom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, test, vi } from "vitest";

vi.mock("../../src/shell/rooms/lessons", () => {
  throw new TypeError("Failed to fetch dynamically imported module");
});

const { Lazy } = await import("../../src/shell/Lazy");

afterEach(() => vi.unstubAllGlobals());

async function said(answer: () => Promise<Response>): Promise<string> {
  vi.stubGlobal("fetch", vi.fn(answer));
  const host = document.createElement("div");
  act(() => render(<Lazy room="lessons" rest="" openWalk={() => {}} />, host));
  await vi.waitFor(() => expect(host.querySelector("[role=alert]")).not.toBeNull());
  return host.querySelector("[role=alert]")!.textContent!;
}

describe("a page that cannot be loaded", () => {
  test("names the new address after a restart", async () => {
    const words = await said(() => Promise.resolve(new Response("", { status: 403 })));
    expect(words).toContain("The studio was restarted. Open the new address");
    expect(words).not.toContain("dynamically");
  });

  test("names the terminal if the studio does not answer", async () => {
    const words = await said(() => Promise.reject(new TypeError("no")));
    expect(words).toContain("The studio does not answer. Check in its terminal");
  });

  test("shows its error and offers to reload otherwise", async () => {
    expect(await said(() => Promise.resolve(new Response("")))).toContain("Reload the page.");
  });
});
