import { describe, expect, it } from "vitest";
import type { NodeRecord, WalkDocument } from "../../src/document";
import { factsOf } from "../../src/debug/facts";
import { kinksOf } from "../../src/debug/kinks";
import { beside } from "../../src/debug/match";
import { predicateOf } from "../../src/debug/predicate";
import { groupRows, nodesFor, sorted } from "../../src/debug/rows";
import { sliceOf } from "../../src/debug/slices";
import { callOf, causeOf, firstWrong, timeOf } from "../../src/debug/wrong";
import { Graph, Timeline } from "../../src/engine";

const documentOf = (nodes: Partial<NodeRecord>[], rest: Partial<WalkDocument> = {}): WalkDocument => ({
  format: "gradwalk-walk", version: 1, title: "",
  nodes: nodes.map((node) => ({ op: "", inputs: [], label: "", data: 0, ...node })),
  ...rest,
});
const leaf = (label: string, data: number, group = ""): Partial<NodeRecord> => ({ label, data, ...(group && { group }) });
const op = (name: string, inputs: number[], group = "", label = ""): Partial<NodeRecord> => ({
  op: name, inputs, label, ...(group && { group }),
});

/** Two examples through one neuron: w0 x0 + w1 x1 + b, relu, and the sum of both. */
function neuron(x: number[][] = [[1, 2], [3, -40]]): WalkDocument {
  const nodes: Partial<NodeRecord>[] = [leaf("l0.n0.w0", 0.5, "l0.n0"), leaf("l0.n0.w1", 2, "l0.n0"), leaf("l0.n0.b", 1, "l0.n0")];
  const outputs: number[] = [];
  for (const row of x) {
    const at = nodes.length;
    nodes.push({ constant: true, data: row[0]! }, op("mul", [0, at], "l0.n0"));
    nodes.push({ constant: true, data: row[1]! }, op("mul", [1, at + 2], "l0.n0"));
    nodes.push(op("add", [at + 1, at + 3], "l0.n0"), op("add", [at + 4, 2], "l0.n0"), op("relu", [at + 5], "l0.n0"));
    outputs.push(at + 6);
  }
  nodes.push(op("add", outputs, "", "loss"));
  return documentOf(nodes);
}

describe("names", () => {
  it("say layer, operation, number and example", () => {
    const names = new Graph(neuron()).nodes.map(({ name }) => name);
    expect(names).toContain("l0.n0: product 2 of example 1");
    expect(names).toContain("l0.n0: sum 1 of example 2");
    expect(names).toContain("l0.n0: relu of example 2");
    expect(names.at(-1)).toBe("loss");
    expect(new Set(names.filter((name) => name.includes(":"))).size).toBe(10);
  });

  it("are v7 in graphs without a model, and are not computed again for each node", () => {
    const nodes = [leaf("a", 1), ...Array.from({ length: 20_000 }, (_, k) => op("neg", [k]))];
    const graph = new Graph(documentOf(nodes));
    expect(graph.nodes.map(({ name }) => name).at(-1)).toBe("v20000");
  });
});

describe("conditions", () => {
  const run = new Graph(neuron()).evaluate();
  const names = (words: string) => nodesFor(run, words).rows.map((i) => run.graph.nodes[i]!.name);

  it.each([
    ["op = relu", ["l0.n0: relu of example 1", "l0.n0: relu of example 2"]],
    ["op = relu and data = 0", ["l0.n0: relu of example 2"]],
    ["op = relu and not data = 0", ["l0.n0: relu of example 1"]],
    ["name ~ .w", ["l0.n0.w0", "l0.n0.w1"]],
    ["leaf, |grad| >= 2", ["l0.n0.w1"]],
    ["leaf and grad < 2", ["l0.n0.w0", "l0.n0.b"]],
    ["op = relu or name = loss", ["l0.n0: relu of example 1", "l0.n0: relu of example 2", "loss"]],
    ["layer = l0 and leaf", ["l0.n0.w0", "l0.n0.w1", "l0.n0.b"]],
    ["nan", []],
    ["loss", ["loss"]],
  ])("%s", (words, expected) => expect(names(words)).toEqual(expected));

  it("no gradient is not a gradient of 0", () => {
    expect(names("blocked")).toContain("l0.n0: sum 1 of example 2");
    expect(names("zero")).toEqual([]);
  });

  it.each([["grad >", "compared"], ["grad > x", "number"], ["weight > 1", "no weight"], ["op > 1", "=, !="], ["nan and foo", "each side"]])(
    "%s is refused in words",
    (words, said) => {
      const parsed = predicateOf(words);
      expect(parsed && "mistake" in parsed && parsed.mistake).toContain(said);
    },
  );

  it("a name is no condition", () => expect(predicateOf("l0.n0: sum 1 of example 2")).toBeNull());
});

describe("rows", () => {
  const run = new Graph(neuron()).evaluate();
  it("are sorted by size, and back", () => {
    const rows = nodesFor(run, "").rows;
    const sizes = sorted(run, rows, { column: "grad", descending: true }).map((i) => Math.abs(run.gradients[i] ?? -1));
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    const up = sorted(run, rows, { column: "data", descending: false }).map((i) => Math.abs(run.data[i]!));
    expect(up).toEqual([...up].sort((a, b) => a - b));
  });

  it("of groups add up, and norms neither overflow nor underflow", () => {
    const all = run.graph.nodes.map(({ index }) => index);
    const [one] = groupRows(run, [{ id: "x", title: "x", members: all }]);
    const found = all.filter((i) => !run.graph.nodes[i]!.constant).flatMap((i) => run.gradients[i] ?? []);
    expect(one!.gradients).toBeCloseTo(Math.hypot(...found), 10);
    const wild = new Graph(documentOf([leaf("a", 3e200), leaf("b", 4e200), op("add", [0, 1])])).evaluate();
    expect(factsOf(wild, [0, 1]).values / 5e200).toBeCloseTo(1, 12);
    const tiny = new Graph(documentOf([leaf("a", 3e-200), leaf("b", 4e-200), op("add", [0, 1])])).evaluate();
    expect(factsOf(tiny, [0, 1]).values / 5e-200).toBeCloseTo(1, 12);
  });
});

describe("the first wrong number", () => {
  const wrong = (nodes: Partial<NodeRecord>[]) => {
    const run = new Graph(documentOf(nodes)).evaluate();
    return { run, found: firstWrong(run) };
  };

  it("is the first operation that made it of finite ones", () => {
    const { run, found } = wrong([leaf("a", 0), op("log", [0]), op("mul", [1, 0]), op("add", [2, 1])]);
    expect(found).toMatchObject({ node: 1, kind: "forward", number: -Infinity });
    expect(callOf(run, found!)).toBe("log(0.0) → -inf");
    expect(timeOf(new Timeline(run), found!)).toBe(1);
    expect(causeOf(run, 3)).toMatchObject({ node: 1 });
    expect(causeOf(run, 0)).not.toBeNull();
  });

  it("may be made by the backward pass", () => {
    const { run, found } = wrong([leaf("a", 0), op("sqrt", [0]), leaf("b", 1), op("add", [1, 2])]);
    expect(found).toMatchObject({ node: 1, kind: "backward", operand: 0 });
    expect(callOf(run, found!)).toContain("contributes inf to a");
    expect(causeOf(run, 2)).toBeNull();
  });

  it("may be a leaf, or none", () => {
    expect(wrong([leaf("a", 1), { label: "b", data: "nan" }, op("add", [0, 1])]).found).toMatchObject({ node: 1, kind: "leaf" });
    expect(wrong([leaf("a", 1), op("neg", [0])]).found).toBeNull();
  });
});

describe("kinks", () => {
  it("are operands at which the derivative jumps", () => {
    const run = new Graph(documentOf([leaf("a", 0), op("relu", [0]), op("abs", [1]), op("exp", [2])])).evaluate();
    const found = kinksOf(run, 3);
    expect(found.map(({ node }) => node)).toEqual([1, 2]);
    expect([found[0]!.left, found[0]!.right]).toEqual([0, 1]);
    expect(kinksOf(new Graph(documentOf([leaf("a", 0.5), op("relu", [0])])).evaluate(), 1)).toEqual([]);
  });
});

describe("two runs", () => {
  it("of one graph are matched by place", () => {
    const [before, now] = [neuron(), neuron([[1, 2], [3, 5]])].map((one) => new Graph(one));
    const old = beside(before!.evaluate(), now!);
    expect(old.data.at(-1)).toBe(before!.evaluate().data.at(-1));
    expect(old.data.at(-1)).not.toBe(now!.evaluate().data.at(-1));
  });

  it("of a changed program are matched by names", () => {
    const now = neuron();
    const old = neuron();
    old.nodes = old.nodes.map((node) => (node.op === "relu" ? { ...node, op: "tanh" } : node));
    const run = beside(new Graph(old).evaluate(), new Graph(now));
    expect(run.data[0]).toBe(0.5);
    expect(run.data.at(-1)).toBeLessThan(3);
    const relu = now.nodes.findIndex(({ op: name }) => name === "relu");
    expect(run.data[relu]).toBeNaN();
  });
});

describe("slices", () => {
  const values = Array.from({ length: 24 }, (_, k) => k);
  it.each([
    ["", values, [2, 3, 4]],
    ["1", values.slice(12), [3, 4]],
    ["-1, 0", [12, 13, 14, 15], [4]],
    [":, :, 1:3", values.filter((k) => k % 4 === 1 || k % 4 === 2), [2, 3, 2]],
    ["[0, ::2, -2:]", [2, 3, 10, 11], [2, 2]],
    ["1, 2, 3", [23], []],
    ["0, 5:", [], [0, 4]],
  ])("%s", (text, expected, shape) => expect(sliceOf(values, [2, 3, 4], text)).toEqual({ values: expected, shape }));
  it.each(["2", "a", "0,0,0,0", "::0", "-3"])("%s is refused", (text) => {
    expect("mistake" in sliceOf(values, [2, 3, 4], text)).toBe(true);
  });
});
