import { describe, expect, test, vi } from "vitest";
import type { Graph } from "../../src/engine/graph";
import { arranged, linksOf } from "../../src/picture/layout/arrange";
import { AUTOMATIC, type Folding, type FoldMode, type Part, fold, resolve } from "../../src/picture/fold/fold";
import { places, steps } from "../../src/picture/fold/keys";
import { pattern, shorten, tally } from "../../src/picture/shared/names";
import * as graphs from "./graphs";

vi.setConfig({ testTimeout: 60_000 }); // a bound for hung tests, not for slow machines

const MODES: FoldMode[] = ["auto", "none", "layer", "name", "shared", "work", "depth"];
const GRAPHS: Record<string, Graph> = {
  small: graphs.small(),
  diamond: graphs.diamond(),
  strange: graphs.strange(),
  mlp: graphs.mlp(),
  "mlp without groups": graphs.mlp([3, 5, 5, 1], false),
  recurrence: graphs.recurrence(30),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((seed) => [`random ${seed}`, graphs.random(40 * seed, seed)])),
};
const CASES = Object.entries(GRAPHS).flatMap(([name, graph]) => MODES.map((mode) => ({ name, graph, mode })));

/** Boxes with some groups open: the first, what is then the first inside, and so on. */
function opened(graph: Graph, mode: FoldMode, times: number): { parts: Part[]; folding: Folding } {
  let folding: Folding = { mode, open: [] };
  let parts = fold(graph, folding);
  for (let k = 0; k < times; k++) {
    const groups = parts.filter((part) => part.members.length > 1);
    if (!groups.length) break;
    folding = { mode, open: [...folding.open, groups[k % groups.length]!.id] };
    parts = fold(graph, folding);
  }
  return { parts, folding };
}

function boxOf(graph: Graph, parts: readonly Part[]): number[] {
  const found = new Array<number>(graph.size).fill(-1);
  parts.forEach((part, k) =>
    part.members.forEach((i) => {
      found[i] = k;
    }),
  );
  return found;
}

/** Boxes that come after all that they use, taken away one by one; what is left lies on a cycle. */
function onCycles(count: number, links: readonly { source: number; target: number }[]): number {
  const waiting = new Array<number>(count).fill(0);
  const after: number[][] = waiting.map(() => []);
  for (const { source, target } of links) {
    waiting[target]!++;
    after[source]!.push(target);
  }
  const ready = waiting.flatMap((n, k) => (n ? [] : [k]));
  for (const k of ready) for (const user of after[k]!) if (--waiting[user]! === 0) ready.push(user);
  return count - ready.length;
}

describe.each(CASES)("$name folded by $mode", ({ graph, mode }) => {
  test.each([0, 1, 4])("with %i groups opened: each node in one box, each edge once, no cycle", (times) => {
    const { parts } = opened(graph, mode, times);
    const members = parts.flatMap((part) => part.members).sort((a, b) => a - b);
    expect(members).toEqual(graph.nodes.map((node) => node.index));
    expect(new Set(parts.map((part) => part.id)).size).toBe(parts.length);

    const boxes = boxOf(graph, parts);
    const links = linksOf(graph, parts, boxes);
    const inside = graph.nodes.flatMap((node) => node.inputs.filter((j) => boxes[j] === boxes[node.index]));
    const edges = graph.nodes.reduce((sum, node) => sum + node.inputs.length, 0);
    expect(links.reduce((sum, link) => sum + link.uses.length, 0) + inside.length).toBe(edges);
    expect(new Set(links.flatMap((link) => link.uses.map((use) => `${use.node}.${use.position}`))).size).toBe(
      edges - inside.length,
    );
    expect(links.every((link) => link.source !== link.target)).toBe(true);
    expect(onCycles(parts.length, links)).toBe(0);
  });

  test("the same every time", () => {
    const { parts, folding } = opened(graph, mode, 3);
    expect(fold(graph, folding)).toEqual(parts);
    const copy = new (graph.constructor as new (document: Graph["document"]) => Graph)(graph.document);
    expect(fold(copy, folding)).toEqual(parts);
  });

  test("opening reaches every node", () => {
    let folding: Folding = { mode, open: [] };
    for (
      let parts = fold(graph, folding), k = 0;
      parts.length < graph.size;
      parts = fold(graph, folding), k++
    ) {
      expect(k).toBeLessThan(12);
      folding = {
        mode,
        open: [...folding.open, ...parts.filter((p) => p.members.length > 1).map((p) => p.id)],
      };
    }
    expect(fold(graph, folding)).toHaveLength(graph.size);
  });

  test("the result stands alone", () => {
    expect(
      fold(graph, { mode, open: [] }).some(
        (part) => part.members.length === 1 && part.members[0] === graph.root,
      ),
    ).toBe(true);
  });
});

describe("automatic folding", () => {
  test("leaves small graphs alone and folds large ones into few boxes", () => {
    expect(resolve(graphs.small(), "auto")).toBe("none");
    for (const graph of [graphs.mlp(), graphs.recurrence(300), graphs.random(3000, 1)]) {
      const parts = fold(graph, { mode: "auto", open: [] });
      expect(parts.length).toBeLessThanOrEqual(AUTOMATIC);
      expect(parts.length).toBeGreaterThan(2);
    }
  });

  test("takes the layers of a model, and then its neurons", () => {
    const graph = graphs.mlp();
    const titles = fold(graph, { mode: "auto", open: [] })
      .map((part) => part.title)
      .filter(Boolean);
    expect(titles).toEqual(["x*", "layers.0", "layers.1", "layers.2"]);
    const id = fold(graph, { mode: "auto", open: [] }).find((part) => part.title === "layers.1")!.id;
    const inside = fold(graph, { mode: "auto", open: [id] }).filter((part) => part.around.length);
    expect(inside.map((part) => part.title)).toEqual(
      Array.from({ length: 8 }, (_, k) => `layers.1.neurons.${k}`),
    );
  });

  test("finds the layers by the names of the parameters alone", () => {
    const shape = (graph: Graph) =>
      fold(graph, { mode: "layer", open: [] })
        .map((part) => part.title)
        .filter(Boolean);
    expect(shape(graphs.mlp([2, 4, 4, 1], false))).toEqual(shape(graphs.mlp([2, 4, 4, 1])));
  });
});

test("a group that comes back after it was left is cut, not drawn as a loop", () => {
  const parts = fold(graphs.recurrence(3), { mode: "layer", open: [] });
  expect(parts.map((part) => part.title).filter((title) => title.startsWith("cell"))).toEqual([
    "cell",
    "cell (2)",
    "cell (3)",
  ]);
});

test("shared subexpressions: what is used twice is a box with the work that serves only it", () => {
  const w = new graphs.Writer();
  const shared = w.op("tanh", [w.op("mul", [w.leaf(1, "a"), w.leaf(2, "b")])], "shared");
  w.op("add", [w.op("exp", [shared]), w.op("sin", [shared])], "out");
  const parts = fold(w.graph(), { mode: "shared", open: [] });
  expect(parts.find((part) => part.title === "shared")?.members).toEqual([0, 1, 2, 3]);
});

test("the same work over many examples is one box per kind of work", () => {
  const w = new graphs.Writer();
  const weight = w.leaf(0.5, "w");
  const terms = Array.from({ length: 100 }, (_, k) =>
    w.op("tanh", [w.op("mul", [weight, w.leaf(k, `x${k}`)])]),
  );
  w.op("exp", [terms.reduce((a, b) => w.op("add", [a, b]))], "loss");
  const parts = fold(w.graph(), { mode: "work", open: [] });
  expect(parts.map((part) => part.members.length).sort((a, b) => a - b)).toEqual([1, 1, 99, 100, 100, 100]);
});

test("effort grows with the graph, not with its square", () => {
  const effort = (size: number, mode: FoldMode) => {
    const count = { steps: 0 };
    arranged(graphs.random(size, 7), { mode, open: [] }, count);
    return count.steps;
  };
  for (const mode of ["none", "shared", "work"] as const) {
    expect(effort(5000, mode)).toBeGreaterThan(0);
    expect(effort(5000, mode)).toBeLessThan(60 * 5000);
  }
});

test("the largest document that there is has its pictures too", () => {
  const w = new graphs.Writer();
  const x = w.leaf(1, "x");
  for (let k = 1; k < 200_000; k++) w.op("sin", [x]);
  const graph = w.graph();
  for (const mode of ["auto", "layer"] as const)
    expect(fold(graph, { mode, open: [] }).length).toBeGreaterThan(0);
});

test("depth is no danger: a chain of 20,000 operations", () => {
  const w = new graphs.Writer();
  let x = w.leaf(1, "x");
  for (let k = 0; k < 20000; k++) x = w.op("sin", [x]);
  const graph = w.graph();
  for (const mode of MODES.filter((one) => one !== "none"))
    expect(fold(graph, { mode, open: [] }).length).toBeGreaterThan(0);
});

describe("names", () => {
  test.each([
    ["l0.n3.w7", "l0.n*.w*"],
    ["layers.0.weights.7", "layers.0.weights.*"],
    ["w[3][1]", "w[*][*]"],
    ["x12", "x*"],
    ["", ""],
  ])("pattern of %s", (name, wanted) => expect(pattern(name)).toBe(wanted));

  test("a path is cut at its beginning, other names at their end", () => {
    expect(shorten("layers.10.neurons.12.weights.3")).toBe(
      "…0.neurons.12.weights.3".slice(-22).replace(/^./, "…"),
    );
    expect(shorten("a very long name of a variable")).toBe("a very long name of a…");
    expect(shorten("two\nlines")).toBe("two lines");
  });

  test("a number belongs to what it counts", () => {
    expect(steps("layers.0.neurons.3")).toEqual(["layers.0", "layers.0.neurons.3"]);
    expect(steps("0.encoder.12")).toEqual(["0", "0.encoder.12"]);
  });

  test("work on parameters stands in their layer", () => {
    const graph = graphs.mlp([2, 2, 1], false);
    const found = places(graph);
    const activations = graph.nodes.filter((node) => node.op === "tanh").map((node) => found[node.index]);
    expect(activations).toEqual(["layers.0.neurons.0", "layers.0.neurons.1", "layers.1.neurons.0"]);
  });

  test("tally", () => expect(tally(graphs.small(), [0, 1, 2, 3, 4])).toBe("3 leaves, 1 add, 1 mul"));
});
