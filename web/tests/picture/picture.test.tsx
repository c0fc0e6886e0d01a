// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import "@preact/signals"; // the page loads it, and it changes which components are drawn again
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Graph } from "../../src/engine/graph";
import { Timeline } from "../../src/engine/timeline";
import { type Folding, Picture, type PictureProps, drawSvg, exportSvg } from "../../src/picture";
import { styles } from "../../src/picture/exports";
import * as graphs from "./graphs";

vi.setConfig({ testTimeout: 60_000 }); // a bound for hung tests, not for slow machines

// Vitest hands style sheets on empty; the export needs them as they are.
vi.mock("../../src/picture/drawing/scene.css?raw", () => ({
  default: readFileSync("src/picture/drawing/scene.css", "utf8"),
}));
vi.mock("../../src/styles/tokens.css?raw", () => ({
  default: readFileSync("src/styles/tokens.css", "utf8"),
}));

let host: HTMLElement;

beforeEach(() => {
  host = document.body.appendChild(document.createElement("div"));
  vi.stubGlobal("CSS", { escape: (text: string) => text.replace(/["\\]/g, "\\$&") });
});
afterEach(() => {
  act(() => render(null, host));
  host.remove();
});

function show(graph: Graph, more: Partial<PictureProps> = {}): PictureProps {
  const run = more.run ?? graph.evaluate();
  const timeline = new Timeline(run);
  const props = {
    graph,
    run,
    timeline,
    time: timeline.length,
    selected: null,
    onSelect: vi.fn(),
    label: "Graph of f",
    ...more,
  };
  act(() => render(<Picture {...props} />, host));
  return props;
}

const named = (name: string) =>
  [...host.querySelectorAll<SVGElement>("[role=button]")].find((element) =>
    element.getAttribute("aria-label")?.startsWith(name),
  )!;

function press(element: Element, key: string, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  act(() => void element.dispatchEvent(event));
  return event;
}

function click(element: Element): void {
  // as a screen reader does it
  act(() => void element.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 0 })));
}

describe("what is there", () => {
  test("every node and edge has a name that can be read out", () => {
    show(graphs.small());
    const labels = [...host.querySelectorAll("svg.picture [role=button]")].map((element) =>
      element.getAttribute("aria-label"),
    );
    expect(labels).toHaveLength(9);
    expect(labels).toContain("f, mul, the result, data -10.0, grad 1.0");
    expect(labels).toContain("edge from e to f, local derivative ∂f/∂e = 10.0");
    expect(host.querySelector("svg.picture")!.getAttribute("aria-label")).toBe("Graph of f");
    const described = host.querySelector("svg.picture")!.getAttribute("aria-describedby")!;
    expect(document.getElementById(described)!.textContent).toContain("A graph of 5 nodes");
  });

  test("compared with another run, a box shows the old number before the new one", () => {
    const graph = graphs.small();
    show(graph, { run: graph.evaluate(new Map([[2, 20]])), compare: graph.evaluate() });
    const cells = [...host.querySelectorAll("[data-node='2'] .cell")];
    const texts = cells.map((cell) => [...cell.querySelectorAll("text")].map((text) => text.textContent));
    expect(texts).toEqual([
      ["10.0 → 20.0"],
      ["-1.0"],
    ]);
  });

  test("every field has a name of its own, whatever a small screen hides", () => {
    show(graphs.mlp());
    expect(host.querySelector("select")!.getAttribute("aria-label")).toBe("Fold");
  });

  test("labels are text, whatever they contain", () => {
    show(graphs.strange());
    expect(host.querySelector("script")).toBeNull();
    expect(host.textContent).toContain("<script>alert(1)");
  });

  test("a large graph is folded, and few elements are drawn even when it is not", () => {
    show(graphs.mlp());
    expect(host.querySelectorAll(".node.group")).toHaveLength(4);
    show(graphs.mlp([10, 30, 30, 16, 1]), { folding: { mode: "none", open: [] } });
    expect(host.querySelectorAll("svg.picture *").length).toBeLessThan(300);
  });
});

describe("a step", () => {
  test("touches only what changed", async () => {
    const graph = graphs.mlp([2, 3, 3, 1]);
    const props = show(graph, { time: 20, folding: { mode: "none", open: [] } });
    const observer = new MutationObserver(() => {});
    observer.observe(host.querySelector(".scene")!, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    act(() => render(<Picture {...props} time={21} />, host));
    const touched = new Set(
      observer
        .takeRecords()
        .map((record) => (record.target as Element).closest?.(".node, .edge") ?? record.target.parentElement),
    );
    observer.disconnect();
    expect(touched.size).toBeGreaterThan(1);
    expect(touched.size).toBeLessThan(16); // of more than a hundred: two nodes, and the edges of both
  });

  test("draws arrows backward where the gradient flows", () => {
    show(graphs.small(), { time: 4 });
    expect(host.querySelectorAll(".edge.glow-backward")).toHaveLength(2);
    expect([...host.querySelectorAll(".slope text")].map((text) => text.textContent)).toEqual([
      "× 10.0",
      "× -1.0",
    ]);
  });
});

describe("selecting", () => {
  test("a node, an edge, nothing", () => {
    const { onSelect } = show(graphs.small());
    click(named("e, add"));
    expect(onSelect).toHaveBeenLastCalledWith({ kind: "node", node: 3 });
    click(named("edge from c to f"));
    expect(onSelect).toHaveBeenLastCalledWith({ kind: "edge", node: 4, position: 1 });
    click(host.querySelector("svg.picture")!);
    expect(onSelect).toHaveBeenLastCalledWith(null);
  });

  test("a selected edge tells its local derivative", () => {
    show(graphs.small(), { selected: { kind: "edge", node: 4, position: 0 }, time: 3 });
    expect(host.querySelector(".slope text")!.textContent).toBe("∂f/∂e = 10.0");
  });

  test("breakpoints and paths are marked, the rest of the graph steps back", () => {
    show(graphs.diamond(), { breakpoints: new Set([5]), highlighted: [5, 4, 0] });
    expect(host.querySelectorAll(".breakpoint")).toHaveLength(1);
    expect([...host.querySelectorAll(".badge text")].map((text) => text.textContent).sort()).toEqual([
      "1",
      "2",
      "3",
    ]);
    expect(host.querySelectorAll(".edge.highlighted")).toHaveLength(2);
    expect(host.querySelectorAll(".node.dimmed")).toHaveLength(3);
  });
});

describe("keys", () => {
  test("shift and arrows walk along the edges; Enter selects", () => {
    const { onSelect } = show(graphs.small());
    press(named("f, mul"), "ArrowLeft", { shiftKey: true });
    expect(document.activeElement).toBe(named("e, add"));
    expect(press(named("e, add"), "ArrowRight", { shiftKey: true }).defaultPrevented).toBe(true);
    expect(document.activeElement).toBe(named("f, mul"));
    press(named("f, mul"), "Enter");
    expect(onSelect).toHaveBeenLastCalledWith({ kind: "node", node: 4 });
    press(named("f, mul"), "2");
    expect(onSelect).toHaveBeenLastCalledWith({ kind: "edge", node: 4, position: 1 });
  });

  test("plain arrows and space are left to the walk", () => {
    show(graphs.small());
    for (const key of ["ArrowLeft", "ArrowRight", " "])
      expect(press(named("f, mul"), key).defaultPrevented).toBe(false);
  });

  test("one node at a time is in the order of the tab key", () => {
    show(graphs.small());
    expect(host.querySelectorAll("svg.picture [tabindex='0']")).toHaveLength(1);
    press(named("f, mul"), "ArrowLeft", { shiftKey: true });
    expect(host.querySelector("svg.picture [tabindex='0']")).toBe(named("e, add"));
  });
});

describe("editing", () => {
  function edit(text: string, key: string) {
    const props = show(graphs.small(), { onEdit: vi.fn() });
    press(named("a, leaf"), "Enter"); // wherever the cursor is, focus moves it first
    act(() => named("a, leaf").focus());
    press(named("a, leaf"), "Enter");
    const field = host.querySelector<HTMLInputElement>("input[aria-label='Value of a']")!;
    field.value = text;
    act(() => void field.dispatchEvent(new Event("input", { bubbles: true })));
    press(field, key);
    return { props, field: () => host.querySelector<HTMLInputElement>("input[aria-label='Value of a']") };
  }

  test("Enter writes a number, once", () => {
    const { props, field } = edit("-0.25", "Enter");
    expect(props.onEdit).toHaveBeenCalledExactlyOnceWith(0, -0.25);
    expect(field()).toBeNull();
  });

  test("what is no number is refused, and stays", () => {
    const { props, field } = edit("two", "Enter");
    expect(props.onEdit).not.toHaveBeenCalled();
    expect(field()!.getAttribute("aria-invalid")).toBe("true");
  });

  test("Escape changes nothing", () => {
    const { props, field } = edit("7", "Escape");
    expect(props.onEdit).not.toHaveBeenCalled();
    expect(field()).toBeNull();
  });

  test("only leaves, and only where the page allows it", () => {
    show(graphs.small());
    expect(host.querySelector(".editable")).toBeNull();
    show(graphs.small(), { onEdit: vi.fn() });
    expect(host.querySelectorAll(".node:has(.editable)")).toHaveLength(3);
  });
});

describe("folding", () => {
  test("what was chosen stays through an edit, and is nothing to another graph", () => {
    const graph = graphs.mlp([2, 3, 3, 1]);
    show(graph);
    const fold = () => host.querySelector<HTMLSelectElement>("select")!;
    fold().value = "none";
    act(() => void fold().dispatchEvent(new Event("change", { bubbles: true })));
    show(graph, { run: graph.evaluate(new Map([[0, 2]])) });
    expect(fold().value).toBe("none");
    show(graphs.mlp([2, 4, 3, 1]));
    expect(fold().value).toBe("auto");
  });

  test("a click opens a group, a button folds it, Backspace too", () => {
    const onFolding = vi.fn();
    show(graphs.mlp(), { onFolding });
    click(named("layers.1"));
    expect(onFolding).toHaveBeenLastCalledWith({ mode: "auto", open: ["layer:layers.1"] } satisfies Folding);
    expect(named("layers.1.neurons.0")).toBeTruthy();
    const close = [...host.querySelectorAll("button")].find(
      (one) => one.getAttribute("aria-label") === "Fold layers.1",
    )!;
    act(() => close.click());
    expect(named("layers.1, 208 nodes")).toBeTruthy();
    click(named("layers.1"));
    act(() => named("layers.1.neurons.0").focus());
    press(named("layers.1.neurons.0"), "Backspace");
    expect(onFolding).toHaveBeenLastCalledWith({ mode: "auto", open: [] });
  });

  test("the mode can be chosen", () => {
    show(graphs.mlp());
    const select = host.querySelector("select")!;
    select.value = "work";
    act(() => void select.dispatchEvent(new Event("change", { bubbles: true })));
    expect(host.querySelector(".picture-count")!.textContent).toBe("303 nodes in 19 boxes");
  });

  test("search opens what it finds, and Enter goes on to the next", () => {
    const { onSelect } = show(graphs.mlp());
    const field = host.querySelector<HTMLInputElement>("input[type=search]")!;
    field.value = "neurons.3.weights.1";
    act(() => void field.dispatchEvent(new Event("input", { bubbles: true })));
    expect(host.querySelector("output")!.textContent).toBe("2 found");
    press(field, "Enter");
    expect(host.querySelector("output")!.textContent).toBe("1 of 2");
    const { node } = vi.mocked(onSelect).mock.lastCall![0] as { node: number };
    expect(graphs.mlp().nodes[node]!.label).toBe("layers.0.neurons.3.weights.1");
    expect(named("layers.0.neurons")).toBeTruthy();
    press(field, "Enter");
    press(field, "Enter");
    expect(host.querySelector("output")!.textContent).toBe("1 of 2");
  });
});

describe("export", () => {
  const parsed = (text: string) => new DOMParser().parseFromString(text, "image/svg+xml");

  test("is SVG that stands alone: no variables, no scripts, no handlers, nothing from elsewhere", () => {
    show(graphs.strange());
    const text = exportSvg(host.querySelector<SVGSVGElement>("svg.picture")!, "light");
    const file = parsed(text);
    expect(file.querySelector("parsererror, script, image, use, foreignObject")).toBeNull();
    expect(text).not.toMatch(/var\(|light-dark\(|\son\w+=|href|url\(/);
    expect(file.querySelectorAll(".node")).toHaveLength(graphs.strange().size);
    expect([...file.querySelectorAll(".name")].map((name) => name.textContent)).toContain(
      "<script>alert(1)</scr…",
    );
  });

  test("contains all of the graph, also what is outside of the frame", () => {
    const graph = graphs.mlp();
    show(graph, { folding: { mode: "none", open: [] } });
    const file = parsed(exportSvg(host.querySelector<SVGSVGElement>("svg.picture")!, "dark"));
    expect(file.querySelectorAll(".node")).toHaveLength(graph.size);
    expect(file.querySelectorAll(".edge")).toHaveLength(
      graph.nodes.reduce((sum, node) => sum + node.inputs.length, 0),
    );
  });

  test("the themes differ in colours alone", () => {
    expect(styles("light")).not.toBe(styles("dark"));
    expect(styles("light").replace(/#\w+/g, "#")).toBe(styles("dark").replace(/#\w+/g, "#"));
  });

  test("needs no page", () => {
    const graph = graphs.diamond();
    const run = graph.evaluate();
    const timeline = new Timeline(run);
    const file = parsed(
      drawSvg({ graph, run, timeline, time: 3 }, { mode: "none", open: [] }, "light", "A & B"),
    );
    expect(file.querySelectorAll(".node")).toHaveLength(6);
    expect(file.querySelector("title")!.textContent).toBe("A & B");
  });

  test("characters that XML cannot hold are replaced", () => {
    const w = new graphs.Writer();
    w.op("exp", [w.leaf(1, "bell \u0007 \ud800")], "out");
    show(w.graph());
    const file = parsed(exportSvg(host.querySelector<SVGSVGElement>("svg.picture")!, "light"));
    expect(file.querySelector("parsererror")).toBeNull();
    expect(file.querySelector(".name")!.textContent).toBe("bell \ufffd \ufffd");
  });

  test("refuses what is no picture", () => {
    expect(() => exportSvg(document.createElementNS("http://www.w3.org/2000/svg", "svg"))).toThrow(
      /<Picture>/,
    );
  });
});
