import { describe, expect, test } from "vitest";
import type { Graph } from "../../src/engine/graph";
import { Timeline } from "../../src/engine/timeline";
import { arranged } from "../../src/picture/layout/arrange";
import { type Showing, boxLook, contains, linkLook } from "../../src/picture/look/look";
import { heatOf } from "../../src/picture/look/heat";
import { find } from "../../src/picture/interaction/search";
import { dragged, stepOf } from "../../src/ui/dragging";
import { readNumber } from "../../src/picture/ValueInput";
import { moveInOrder, visitOrder } from "../../src/picture/interaction/visits";
import { GLYPH, PAD, SMALL_GLYPH, sizeOf } from "../../src/picture/layout/measure";
import * as graphs from "./graphs";

function at(graph: Graph, time: number, edits?: ReadonlyMap<number, number>): Showing {
  const run = graph.evaluate(edits);
  return { graph, run, timeline: new Timeline(run), time, compare: edits ? graph.evaluate() : null };
}

function looks(showing: Showing, mode: "none" | "layer" = "none") {
  const arrangement = arranged(showing.graph, { mode, open: [] });
  const moment = showing.timeline.at(showing.time);
  return {
    box: (k: number) => boxLook(showing, arrangement.boxes[k]!, moment),
    titled: (title: string) =>
      boxLook(
        showing,
        arrangement.boxes.find((box) => box.title === title)!,
        moment,
      ),
    link: (id: string) =>
      linkLook(
        showing,
        arrangement.links.find((link) => link.id === id)!,
        moment,
      ),
  };
}

// (a + b) * c: nodes a b c e f; 0 start, 1 e, 2 f, 3 seed, 4 f passes on, 5 e passes on
describe("(a + b) * c in time", () => {
  const graph = graphs.small();

  test("at the start only leaves have numbers", () => {
    const { box } = looks(at(graph, 0));
    expect([0, 1, 2, 3, 4].map((k) => box(k).data)).toEqual(["2.0", "-3.0", "10.0", "", ""]);
    expect([0, 1, 2, 3, 4].map((k) => box(k).grad)).toEqual(["", "", "", "", ""]);
  });

  test("forward: the node glows, and the edges that it reads", () => {
    const { box, link } = looks(at(graph, 1));
    expect(box(3)).toMatchObject({ data: "-1.0", glow: "forward" });
    expect(box(4)).toMatchObject({ data: "", glow: "" });
    expect([link("3.0").glow, link("3.1").glow, link("4.0").glow]).toEqual(["forward", "forward", ""]);
  });

  test("backward: gradients arrive, with the factor at the edges", () => {
    const { box, link } = looks(at(graph, 4));
    expect(box(4)).toMatchObject({ grad: "1.0", glow: "backward" });
    expect([box(3), box(2)]).toMatchObject([
      { grad: "10.0", glow: "receiver" },
      { grad: "-1.0", glow: "receiver" },
    ]);
    expect(box(0).grad).toBe("");
    expect(link("4.0")).toMatchObject({ glow: "backward", factor: "× 10.0", slope: "∂f/∂e = 10.0" });
    expect(link("3.0")).toMatchObject({ glow: "", factor: "" });
  });

  test("a local derivative is told as soon as its numbers are there", () => {
    expect(looks(at(graph, 1)).link("4.0").slope).toBe("");
    expect(looks(at(graph, 2)).link("4.0").slope).toBe("∂f/∂e = 10.0");
  });

  test("spoken", () => {
    expect(looks(at(graph, 4)).box(4).spoken).toBe(
      "f, mul, the result, data -10.0, grad 1.0, propagating its gradient",
    );
    expect(looks(at(graph, 0)).box(0).spoken).toBe("a, leaf, data 2.0, grad not yet");
  });

  test("numbers that an edit changed are marked, others are not", () => {
    const { box } = looks(at(graph, 5, new Map([[2, 20]])));
    expect(box(2)).toMatchObject({ data: "20.0", oldData: "10.0", oldGrad: "" });
    expect(box(0)).toMatchObject({ oldData: "", grad: "20.0", oldGrad: "10.0" });
    expect(box(2).spoken).toBe("c, leaf, data 20.0 (was 10.0), grad -1.0");
    expect(box(0).spoken).toBe("a, leaf, data 2.0, grad 20.0 (was 10.0)");
  });
});

test("partial sums are visible until the last contribution has arrived", () => {
  const graph = graphs.diamond();
  const { timeline } = at(graph, 0);
  const seen = Array.from({ length: timeline.length + 1 }, (_, time) => looks(at(graph, time)).box(0));
  const grads = [...new Set(seen.map((look) => `${look.grad}${look.partial ? "…" : ""}`))];
  expect(grads).toEqual(["", expect.stringMatching(/^(6|9)\.0…$/), "15.0"]);
});

describe("edges without a gradient", () => {
  const w = new graphs.Writer();
  const a = w.leaf(-1, "a");
  w.op("mul", [w.op("maximum", [a, w.leaf(2, "b")], "m"), w.number(3)], "out");
  const { link, box } = looks(at(w.graph(), 99));

  test("a constant", () => {
    expect(link("4.1")).toMatchObject({ faint: true, dotted: false, slope: "" });
    expect(box(3)).toMatchObject({ data: "3.0", grad: "" });
    expect(box(3).spoken).toBe("3.0, a constant");
  });

  test("a gate that is shut is dotted, and said", () => {
    expect(link("2.0")).toMatchObject({ dotted: true, slope: "" });
    expect(link("2.0").spoken).toContain("no gradient flows");
    expect(link("2.1").dotted).toBe(false);
    expect(box(0).grad).toBe("none");
  });
});

describe("groups", () => {
  const graph = graphs.mlp();

  test("show the spans of what is known, and glow with their members", () => {
    const showing = at(graph, 0);
    expect(looks(showing, "layer").titled("layers.0").data).toMatch(/^-\S+ … \S+$/);
    expect(looks(showing, "layer").titled("layers.0").grad).toBe("");
    const first = looks(at(graph, 1), "layer");
    expect([first.titled("layers.0").glow, first.titled("layers.1").glow]).toEqual(["forward", ""]);
    expect(looks(at(graph, 9999), "layer").titled("layers.1").grad).not.toBe("");
  });

  test("show one number where both ends are written alike", () => {
    const w = new graphs.Writer();
    const [a, b] = [w.leaf(1, "g.a", "g"), w.leaf(1 + 1e-12, "g.b", "g")];
    w.op("add", [w.op("neg", [a], "", "g"), b], "out");
    const members = [a, b];
    const box = { id: "g", title: "g", members, around: [] };
    const showing = at(w.graph(), 0);
    expect(boxLook(showing, box, showing.timeline.at(0)).data).toBe("1.0");
  });

  test("name a NaN, which has no place between numbers", () => {
    const [index] = graph.nodes
      .filter((node) => node.label === "layers.0.neurons.0.bias")
      .map((node) => node.index);
    expect(looks(at(graph, 9999, new Map([[index!, NaN]])), "layer").titled("layers.0").data).toMatch(
      /, NaN$/,
    );
  });
});

test("binary search finds members and nothing else", () => {
  const members = [1, 4, 5, 9, 200];
  expect(Array.from({ length: 202 }, (_, k) => k).filter((k) => contains(members, k))).toEqual(members);
  expect(contains([], 3)).toBe(false);
});

test("search: by name, sign, operation and index; exact names first", () => {
  const graph = graphs.small();
  expect(find(graph, "c")).toEqual([2]);
  expect(find(graph, "×")).toEqual([4]);
  expect(find(graph, "ADD")).toEqual([3]);
  expect(find(graph, "v1")).toEqual([1]);
  expect(find(graph, " ")).toEqual([]);
  expect(find(graph, "nothing")).toEqual([]);
  expect(find(graphs.mlp(), "loss")[0]).toBe(graphs.mlp().root);
});

test.each([
  ["2", 2],
  [" -0.5 ", -0.5],
  ["−3", -3],
  [".5", 0.5],
  ["1e-3", 0.001],
  ["NaN", NaN],
  ["-inf", -Infinity],
  ["inf", Infinity],
  ["", null],
  ["1/3", 1 / 3],
  ["0x10", 16],
  ["1/x", null],
  ["alert(1)", null],
  ["1e", null],
])("a number written as %s", (text, wanted) => expect(readNumber(text)).toBe(wanted));

test("a drag counts in hundredths of the number's power of ten, without trailing digits", () => {
  expect([stepOf(2), stepOf(-35), stepOf(0), stepOf(0.004), stepOf(NaN)]).toEqual([
    0.01, 0.1, 0.01, 0.00001, 0.01,
  ]);
  expect(dragged(2, 0.07, stepOf(2))).toBe(2.07);
  expect(dragged(0.1, 0.2, 0.01)).toBe(0.3);
  expect(dragged(Infinity, 1, 1)).toBe(Infinity);
});

describe("the order of visits", () => {
  const graph = graphs.diamond();
  const { plan, boxOf } = arranged(graph, { mode: "none", open: [] });
  const rects = new Map(graph.nodes.map((node) => [node.index, { ...plan.rects[boxOf[node.index]!]! }]));

  test("is from right to left", () => {
    const order = visitOrder(graph, (node) => rects.get(node)!);
    expect(order[0]).toBe(graph.root);
    expect([...order].sort()).toEqual(
      graph.nodes.filter((node) => node.inputs.length).map((node) => node.index),
    );
  });

  test("a key moves a node one place, to the end and no further", () => {
    let order = visitOrder(graph, (node) => rects.get(node)!);
    const node = order[0]!;
    for (const place of [1, 2]) {
      for (const [moved, by] of moveInOrder(order, node, 1, (index) => rects.get(index)!)!)
        rects.get(moved)!.x += by;
      order = visitOrder(graph, (index) => rects.get(index)!);
      expect(order.indexOf(node)).toBe(place);
    }
    expect(moveInOrder(order, node, 1, (index) => rects.get(index)!)).toBeNull();
  });
});

describe("numbers that may be out of date", () => {
  const w = new graphs.Writer();
  const a = w.leaf(0.5, "a");
  w.nodes.push({ op: "cube", inputs: [a], label: "h", data: 0.125, recorded: { grad: 0.5, shares: [0.375] } });
  w.op("mul", [1, a], "y");
  const graph = w.graph();
  const edited = at(graph, 99, new Map([[a, 3]]));

  test("are marked, those of an unedited graph are not", () => {
    const { box } = looks(edited);
    expect([box(0), box(1), box(2)]).toMatchObject([
      { staleData: false, staleGrad: true },
      { staleData: true, staleGrad: false },
      { staleData: true, staleGrad: false },
    ]);
    const { box: plain } = looks(at(graph, 99));
    expect([0, 1, 2].flatMap((k) => [plain(k).staleData, plain(k).staleGrad])).not.toContain(true);
  });

  test("only where they are shown", () => {
    const { box } = looks({ ...edited, time: 0 });
    expect([0, 1, 2].flatMap((k) => [box(k).staleData, box(k).staleGrad])).not.toContain(true);
  });

  test("and spoken of", () => {
    expect(looks(edited).box(2).spoken).toBe(
      "y, mul, the result, data 0.375 (may be out of date) (was 0.0625), grad 1.0",
    );
    expect(looks(edited).box(0).spoken).toContain("(may be out of date)");
    const all = { id: "all", title: "all", members: [0, 1, 2], around: [] };
    const look = boxLook(edited, all, edited.timeline.at(99));
    expect(look).toMatchObject({ staleData: true, staleGrad: true });
    expect(look.spoken.match(/may be out of date/g)).toHaveLength(2);
  });
});

describe("arrays", () => {
  const array = {
    shape: [784, 128],
    dtype: "float64",
    values: [1],
    complete: false,
    summary: { min: 1, max: 1, mean: 1, norm: 1 },
    grad: null,
  };
  const w = new graphs.Writer();
  w.nodes.push({ op: "", inputs: [], label: "layers.0.weight", data: 7, array });
  w.nodes.push({ op: "", inputs: [], label: "x", data: -9, constant: true, array });
  w.nodes.push({ op: "mul", inputs: [0, 1], label: "y", data: 3, array, recorded: { grad: 1, shares: [2, null] } });
  const graph = w.graph();

  test("the name and the shape stand side by side", () => {
    const { width } = sizeOf(graph, { id: "node 0", title: "", members: [0], around: [] });
    expect(width).toBeGreaterThan("layers.0.weight".length * GLYPH + "784×128".length * SMALL_GLYPH + PAD);
  });

  test("one without a gradient is called by its name", () => {
    expect(looks(at(graph, 9)).box(1).spoken).toBe("x, an array without a gradient, sum -9.0");
  });
});

test("a group is coloured when its backward pass is done, or when its first NaN is computed", () => {
  const healthy = at(graphs.mlp(), 0);
  const arrangement = arranged(healthy.graph, { mode: "layer", open: [] });
  const groups = arrangement.boxes.map(({ members }, k) => ({ members, k })).filter(({ members }) => members.length > 1);
  expect(groups.length).toBeGreaterThan(1);
  const heat = heatOf(healthy.timeline, arrangement, "norm")!;
  for (const { members, k } of groups) {
    const done = members.map((i) => healthy.timeline.timeOfBackward(i)).filter(Number.isFinite);
    expect(heat[k]!.from).toBe(Math.max(...done));
    expect(heat[k]!.from).toBeGreaterThan(healthy.timeline.seed);
  }
  const leaf = healthy.graph.nodes.find((node) => node.editable)!.index;
  const broken = at(healthy.graph, 0, new Map([[leaf, NaN]]));
  const wrong = heatOf(broken.timeline, arrangement, "norm")!.filter(({ level }) => level === 9);
  expect(wrong.length).toBeGreaterThan(0);
  expect(Math.min(...wrong.map(({ from }) => from))).toBeLessThan(broken.timeline.seed);
});
