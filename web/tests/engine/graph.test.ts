import { describe, expect, test } from "vitest";
import type { CustomOperation } from "../../src/document";
import { DocumentError, Graph, localSlopes, paths } from "../../src/engine";
import { LECTURE, chain, document, doublings } from "./documents";
import type { Short } from "./documents";

const gradientsOf = (short: Short[], edits?: [number, number][]) =>
  new Graph(document(short)).evaluate(edits && new Map(edits)).gradients;

describe("a graph", () => {
  test("knows its nodes, what they are called and who uses them", () => {
    const short: Short[] = [[2, "a"], ["c", 3], ["mul", [0, 1]], ["add", [2, 2], "y"]];
    const { nodes, root, size } = new Graph(document(short));
    expect(nodes.map((node) => node.name)).toEqual(["a", "3.0", "v2", "y"]);
    expect(nodes.map((node) => node.editable)).toEqual([true, false, false, false]);
    expect(nodes[2]!.consumers).toEqual([{ node: 3, position: 0 }, { node: 3, position: 1 }]);
    expect([root, size]).toEqual([3, 4]);
  });

  test("constant arrays are called by their shape: others may have the same sum", () => {
    const array = (shape: number[]) => ({ shape, dtype: "float64", values: [], complete: true, summary: { min: 0, max: 0, mean: 0, norm: 0 }, grad: null }) as never;
    const constant = { op: "", inputs: [], label: "", constant: true, data: 0.5 };
    const nodes = [{ ...constant, array: array([2]) }, { ...constant, array: array([2, 3]) },
      { ...constant, array: array([]) }, { ...constant, label: "x", array: array([2]) }];
    const { nodes: found } = new Graph({ ...document([]), nodes });
    expect(found.map((node) => node.name)).toEqual(["constant (2,)", "constant (2, 3)", "constant ()", "x"]);
  });

  test("labels that are blank or turn the direction of text do no harm", () => {
    const { nodes } = new Graph(document([[2, "  "], [2, "a\u202eb"], ["add", [0, 1], "\u2067"]]));
    expect(nodes.map((node) => node.name)).toEqual(["v0", "ab", "v2"]);
  });

  test.each([
    ["no nodes", document([]), /at least one node, got none/],
    ["a later operand", document([["neg", [1]], [1]]), /node 0 \(neg\): expected operands that precede it/],
    ["itself", document([[1], ["neg", [1]]]), /operands that precede it, got operand 1/],
    ["half an array", document([[1]], { nodes: [{ op: "", inputs: [], label: "", data: 1, array: {} as never }] }), /its shape/],
    ["half a node", document([[1], ["neg", [0.5]]]), /operand 0.5/],
    ["an unknown operation", document([[1], ["nope", [0]]]), /node 1 \(nope\): expected a known operation/],
    ["a name of every object", document([[1], ["constructor", [0]]]), /expected a known operation/],
    ["one operand too few", document([[1], ["mul", [0]]]), /expected 2 operands, got 1/],
    ["another format", document([[1]], { version: 2 as 1 }), /version 1, got gradwalk-walk 2/],
  ])("with %s is refused", (_, wrong, words) => {
    expect(() => new Graph(wrong)).toThrow(DocumentError);
    expect(() => new Graph(wrong)).toThrow(words);
  });

  test("is computed from its leaves, whatever numbers the document has for the rest", () => {
    const run = new Graph(LECTURE).evaluate();
    expect(run.data).toEqual([2, -3, -6, 10, 4, -2, -8]);
    expect(run.gradients).toEqual([6, -4, -2, -2, -2, 4, 1]);
    expect(run.forward).toEqual([2, 4, 6]);
    expect(run.backward.map((pass) => pass.node)).toEqual([6, 5, 4, 3, 2, 1, 0]);
  });

  test("can have other numbers in its leaves, and in nothing else", () => {
    const graph = new Graph(document([[2, "a"], ["c", 3], ["mul", [0, 1]]]));
    expect(graph.evaluate(new Map([[0, 5]])).data).toEqual([5, 3, 15]);
    expect(graph.evaluate().data).toEqual([2, 3, 6]);
    expect(() => graph.evaluate(new Map([[1, 5]]))).toThrow(/a leaf that holds one number, got 3.0/);
    expect(() => graph.evaluate(new Map([[2, 5]]))).toThrow(DocumentError);
    expect(() => graph.evaluate(new Map([[9, 5]]))).toThrow(/node 9/);
  });

  test("a node that is used twice gets both contributions, by position", () => {
    const run = new Graph(document([[3, "a"], ["mul", [0, 0]]])).evaluate();
    const [first, second] = run.backward[0]!.contributions;
    expect(first).toMatchObject({ operand: 0, position: 0, slope: 3, amount: 3, before: null, after: 3 });
    expect(second).toMatchObject({ operand: 0, position: 1, slope: 3, amount: 3, before: 3, after: 6 });
    expect(run.gradients).toEqual([6, 1]);
  });

  test("numbers of the program get no gradient", () => {
    expect(gradientsOf([[2], ["c", 3], ["mul", [0, 1]]])).toEqual([3, null, 1]);
  });

  test("a shut gate is no gradient at all, which is not 0", () => {
    expect(gradientsOf([[-2], ["relu", [0]]])).toEqual([null, 1]);
    expect(gradientsOf([[2.5], ["floor", [0]], ["exp", [1]]])).toEqual([null, Math.exp(2), 1]);
    // 0 would become NaN on its way through the infinite slope of the root.
    const short: Short[] = [[0, "x"], ["sqrt", [0]], ["c", 0], ["where", [2, 1, 0]]];
    expect(gradientsOf(short)).toEqual([1, null, null, 1]);
  });

  test("infinities and NaN are numbers like others", () => {
    const run = new Graph(document([[0, "x"], ["log", [0]], ["mul", [1, 0]]])).evaluate();
    expect(run.data).toEqual([0, -Infinity, NaN]);
    expect(run.gradients).toEqual([NaN, 0, 1]);
    const record = { op: "", inputs: [], label: "x", data: "-inf" as const };
    expect(new Graph(document([], { nodes: [record] })).evaluate().data).toEqual([-Infinity]);
  });

  test("nodes that the root does not depend on have numbers and take no step", () => {
    const run = new Graph(document([[2], ["exp", [0]], ["neg", [0]]])).evaluate();
    expect(run.gradients).toEqual([-1, null, 1]);
    expect(run.backward.map((pass) => pass.node)).toEqual([2, 0]);
  });

  test.each([5_000, 100_000])("a chain of %i nodes is as good as one of 5", (n) => {
    const run = new Graph(chain(n)).evaluate();
    let [x, slope] = [0.5, 1];
    for (let i = 0; i < n; i++) [x, slope] = [Math.sin(x), slope * Math.cos(x)];
    expect(run.data[n]).toBe(x);
    expect(run.gradients[0]).toBeCloseTo(slope, 12);
    expect(run.backward.length).toBe(n + 1);
  }, 30_000);

  test("2 ** 1000 paths are 1000 steps", () => {
    expect(new Graph(doublings(1000)).evaluate().gradients[0]).toBe(2 ** 1000);
  });
});

describe("custom operations", () => {
  const cube: CustomOperation = {
    params: ["x"],
    tex: "x^3",
    forward: {
      parameters: ["x"],
      instructions: [["x"], ["mul", { at: 0 }, { at: 0 }], ["mul", { at: 1 }, { at: 0 }]],
      result: { at: 2 },
    },
    rules: [
      {
        parameters: ["t", "y", "x"],
        instructions: [
          ["t"], ["y"], ["x"],
          ["mul", { at: 0 }, 3], ["mul", { at: 3 }, { at: 2 }], ["mul", { at: 4 }, { at: 2 }],
        ],
        result: { at: 5 },
      },
    ],
  };
  const masked: CustomOperation = {
    ...cube,
    rules: [
      {
        parameters: ["t", "y", "x"],
        instructions: [
          ["t"], ["y"], ["x"],
          ["greater", { at: 2 }, 0], ["pass_if", { at: 3 }, { at: 0 }], ["mul", { at: 4 }, 2],
        ],
        result: { at: 5 },
      },
    ],
  };
  const with_ = (operation: CustomOperation, x: number) =>
    new Graph(document([[x], ["mine", [0]]], { rows: { mine: operation } })).evaluate();

  test("are run as the lists of instructions that they are", () => {
    expect(with_(cube, 2)).toMatchObject({ data: [2, 8], gradients: [12, 1] });
  });

  test("may block a gradient, which stays blocked in what follows", () => {
    expect(with_(masked, 2).gradients).toEqual([2, 1]);
    expect(with_(masked, -2).gradients).toEqual([null, 1]);
  });

  test("may use each other, but not themselves", () => {
    const call = (op: string): CustomOperation => ({
      params: ["x"], tex: "", rules: [null],
      forward: { parameters: ["x"], instructions: [["x"], [op, { at: 0 }]], result: { at: 1 } },
    });
    const rows = { mine: call("cube"), cube, ring: call("loop"), loop: call("ring") };
    expect(new Graph(document([[2], ["mine", [0]]], { rows })).evaluate().data).toEqual([2, 8]);
    expect(() => new Graph(document([[2], ["ring", [0]]], { rows }))).toThrow(/one that uses itself/);
    expect(() => with_(call("nope"), 1)).toThrow(/a program of known operations, got one with nope/);
  });

  test("may not look ahead", () => {
    const forward: CustomOperation["forward"] = {
      parameters: ["x"], instructions: [["x"], ["neg", { at: 1 }]], result: { at: 1 },
    };
    expect(() => with_({ ...cube, forward }, 1)).toThrow(/operands before their consumers/);
  });
});

describe("what was recorded", () => {
  const summary = { min: 1, max: 2, mean: 1.5, norm: 2 };
  const array = { shape: [2], dtype: "float64", values: [1, 2], complete: true, summary, grad: null };
  const nodes = [
    { op: "", inputs: [], label: "x", data: 2 },
    { op: "", inputs: [], label: "w", data: 3, array, recorded: { grad: 8, shares: [] } },
    { op: "matmul", inputs: [1, 0], label: "h", data: 6, recorded: { grad: 4, shares: [8, 12] } },
    { op: "square", inputs: [2], label: "y", data: 0 },
    { op: "exp", inputs: [0], label: "", data: 0 },
    { op: "add", inputs: [3, 4], label: "", data: 0 },
  ];
  const graph = new Graph(document([], { nodes }));

  test("is taken as it is", () => {
    const run = graph.evaluate();
    expect(run.data[2]).toBe(6);
    expect(run.data[3]).toBe(36);
    expect(run.gradients[1]).toBe(8);
    expect(run.gradients[0]).toBe(12 + Math.exp(2));
    expect(run.stale).not.toContain(true);
    expect(run.staleGradients).not.toContain(true);
  });

  test("has a slope where numbers are single ones", () => {
    expect(localSlopes(graph.evaluate(), 2)).toEqual([null, 3]);
  });

  test("does not know of edits, and the run says so", () => {
    const run = graph.evaluate(new Map([[0, 5]]));
    expect(run.stale).toEqual([false, false, true, true, false, true]);
    expect(run.staleGradients).toEqual([true, true, true, false, false, false]);
    expect(graph.nodes.map((node) => node.editable)).toEqual([true, false, false, false, false, false]);
  });

  // y = cube(a * b) * a + b at a = 0.5, b = 1: the rule of cube is Python's
  const cubed = new Graph(
    document([], {
      nodes: [
        { op: "", inputs: [], label: "a", data: 0.5 },
        { op: "", inputs: [], label: "b", data: 1 },
        { op: "mul", inputs: [0, 1], label: "m", data: 0.5 },
        { op: "cube", inputs: [2], label: "h", data: 0.125, recorded: { grad: 0.5, shares: [0.375] } },
        { op: "mul", inputs: [3, 0], label: "n", data: 0.0625 },
        { op: "add", inputs: [4, 1], label: "y", data: 1.0625 },
      ],
    }),
  );

  test("contributions follow a gradient that an edit has changed, so that paths add up", () => {
    const run = cubed.evaluate(new Map([[0, 3]]));
    expect(run.backward.find(({ node }) => node === 3)?.contributions[0]).toMatchObject({ slope: 0.75, amount: 2.25 });
    for (const node of [0, 1, 2]) {
      const { shown, total } = paths(run, node);
      expect(shown).toBeCloseTo(total!, 12);
    }
  });

  test("a gradient is old where its local derivatives speak of an old number", () => {
    const run = cubed.evaluate(new Map([[0, 3]]));
    expect(run.stale).toEqual([false, false, false, true, true, true]);
    // of a sum they are 1, and h.grad = n.grad × a: they know of the edit
    expect(run.staleGradients).toEqual([true, true, true, false, false, false]);
  });

  test("a contribution to an array cannot follow, and is marked as old", () => {
    const behind = { ...nodes[1]!, recorded: { grad: null, shares: [] }, data: 3 };
    const scaled = new Graph(
      document([], {
        nodes: [
          behind,
          { op: "", inputs: [], label: "s", data: 2 },
          { op: "sum", inputs: [0], label: "h", data: 6, recorded: { grad: 2, shares: [2.8] } },
          { op: "mul", inputs: [2, 1], label: "y", data: 12 },
        ],
      }),
    );
    expect(scaled.evaluate().staleGradients).not.toContain(true);
    const run = scaled.evaluate(new Map([[1, 5]]));
    expect([run.stale, run.staleGradients]).toEqual([
      [false, false, false, false],
      [true, false, false, false],
    ]);
  });

  test("has to be complete", () => {
    const short = [{ op: "", inputs: [], label: "", data: 1 }, { ...nodes[2]!, inputs: [0] }];
    expect(() => new Graph(document([], { nodes: short }))).toThrow(/one recorded contribution per .*, got 2 for 1/);
    const bare = [nodes[1]!, { op: "neg", inputs: [0], label: "", data: 1, array }];
    expect(() => new Graph(document([], { nodes: bare }))).toThrow(/recorded contributions, got neither/);
  });
});
