import { describe, expect, test } from "vitest";
import { Graph, Timeline, exact, formatted, long, sentences } from "../../src/engine";
import { LECTURE, document } from "./documents";
import type { Short } from "./documents";

function told(short: Short[], edits?: [number, number][]): string[] {
  const timeline = new Timeline(new Graph(document(short)).evaluate(edits && new Map(edits)));
  const times = Array.from({ length: timeline.length + 1 }, (_, time) => time);
  return times.flatMap((time) => sentences(timeline, time).map((one) => one.text));
}

describe("a step in words", () => {
  test("has the numbers in it", () => {
    const timeline = new Timeline(new Graph(LECTURE).evaluate());
    const texts = Array.from({ length: 8 }, (_, time) => sentences(timeline, time).map((one) => one.text));
    expect(texts).toEqual([
      ["Only the leaves have values."],
      ["e = a × b = 2.0 × -3.0 → -6.0"],
      ["d = e + c = -6.0 + 10.0 → 4.0"],
      ["L = d × f = 4.0 × -2.0 → -8.0"],
      ["L.grad = 1.0: the backward pass starts here, because the derivative of a number with respect to itself is 1."],
      ["d.grad += L.grad × ∂L/∂d = 1.0 × -2.0 → -2.0", "f.grad += L.grad × ∂L/∂f = 1.0 × 4.0 → 4.0"],
      ["e.grad += d.grad × ∂d/∂e = -2.0 × 1.0 → -2.0", "c.grad += d.grad × ∂d/∂c = -2.0 × 1.0 → -2.0"],
      ["a.grad += e.grad × ∂e/∂a = -2.0 × -3.0 → 6.0", "b.grad += e.grad × ∂e/∂b = -2.0 × 2.0 → -4.0"],
    ]);
  });

  test("shows old and new where gradients add up", () => {
    expect(told([[3, "a"], ["mul", [0, 0], "y"]]).slice(-2)).toEqual([
      "a.grad += y.grad × ∂y/∂a (operand 1) = 1.0 × 3.0 → 3.0",
      "a.grad += y.grad × ∂y/∂a (operand 2) = 1.0 × 3.0 → 3.0; a.grad: 3.0 + 3.0 → 6.0",
    ]);
  });

  test("is made of parts that know their nodes", () => {
    const [one] = sentences(new Timeline(new Graph(LECTURE).evaluate()), 1);
    expect(one!.parts.map((part) => part.text).join("")).toBe(one!.text);
    expect(one!.parts.filter((part) => part.kind === "name")).toEqual([
      { text: "e", kind: "name", node: 2 },
      { text: "a", kind: "name", node: 0 },
      { text: "b", kind: "name", node: 1 },
    ]);
    expect(one!.rule!.operation.mathml).toContain("<math>");
  });

  test.each<[Short[], string]>([
    [[[0.5, "x"], ["tanh", [0], "y"]], "y = tanh(x) = tanh(0.5) ≈ 0.462117"],
    [[[-2, "x"], ["neg", [0], "y"]], "y = -x = -(-2.0) → 2.0"],
    [[[-2, "x"], ["c", 2], ["pow", [0, 1], "y"]], "y = x ** 2.0 = (-2.0) ** 2.0 → 4.0"],
    [[[1, "a"], [-2, "b"], ["add", [0, 1], "y"]], "y = a + b = 1.0 + (-2.0) → -1.0"],
    [[[1, "a"], [-2, "b"], ["div", [0, 1], "y"]], "y = a / b = 1.0 / -2.0 → -0.5"],
    [[["c", 1], ["c", 2], ["add", [0, 1], "y"]], "y = 1.0 + 2.0 → 3.0"],
    [[["c", 1], [2, "a"], [3], ["where", [0, 1, 2]]], "v3 = where(1.0, a, v2) = where(1.0, 2.0, 3.0) → 2.0"],
  ])("computes %j", (short, text) => {
    expect(told(short)[1]).toBe(text);
  });

  test.each<[Short[], string]>([
    [
      [[-2, "x"], ["relu", [0], "y"]],
      "No gradient flows to x: relu is flat at -2.0 (convention at the kink: slope 0 at 0).",
    ],
    [[[2.5, "x"], ["floor", [0], "y"]], "No gradient flows to x: floor is declared to have no derivative."],
    [[[1, "x"], [2, "z"], ["maximum", [0, 1]]], "No gradient flows to x: 1.0 is not the larger one."],
    [
      [["c", 0], [2, "x"], [3, "z"], ["where", [0, 1, 2]]],
      "No gradient flows to x: the condition is 0.0, so the other branch was taken.",
    ],
    [
      [[-2, "x"], ["relu", [0], "y"], ["exp", [1], "z"], ["floor", [2]]],
      "No gradient has reached z, so it propagates none.",
    ],
    [[["c", 2], ["exp", [0], "y"]], "y depends only on constants, which get no gradient."],
  ])("says why nothing flows: %j", (short, text) => {
    expect(told(short)).toContain(text);
  });

  test("speaks of arrays and of what was recorded", () => {
    const summary = { min: 1, max: 2, mean: 1.5, norm: 2 };
    const array = { shape: [3, 4], dtype: "float64", values: [1], complete: false, summary, grad: null };
    const nodes = [
      { op: "", inputs: [], label: "x", data: 2 },
      { op: "matmul", inputs: [0], label: "h", data: 6, array, recorded: { grad: 1, shares: [5] } },
    ];
    const graph = new Graph(document([], { nodes }));
    const timeline = new Timeline(graph.evaluate(new Map([[0, 3]])));
    const stale =
      "May be out of date: it depends on recorded values that this page cannot recompute.";
    expect([1, 3].map((time) => sentences(timeline, time).map((one) => one.text))).toEqual([
      ["h = matmul(x): 3 × 4 elements, as recorded; their sum is 6.0", stale],
      ["x.grad += the recorded contribution of h.grad → 5.0", stale],
    ]);
  });

  test("gives norms of arrays, which do not add up", () => {
    const summary = { min: 1, max: 2, mean: 1.5, norm: 2 };
    const array = (values: number[], norm: number) => ({
      shape: [2], dtype: "float64", values: [1, 2], complete: true, summary,
      grad: { values, complete: true, norm },
    });
    const nodes = [
      { op: "", inputs: [], label: "W", data: 3, array: array([3, 4], 5) },
      {
        op: "mul", inputs: [0, 0], label: "h", data: 6,
        array: array([1, 1], 1.5), recorded: { grad: 1.5, shares: [4, 4.5] },
      },
      {
        op: "sum", inputs: [1], label: "y", data: 6,
        array: { ...array([1], 1), shape: [] }, recorded: { grad: 1, shares: [1.5] },
      },
    ];
    const timeline = new Timeline(new Graph(document([], { nodes })).evaluate());
    const texts = [1, 2, 4, 5].flatMap((time) => sentences(timeline, time).map((one) => one.text));
    expect(texts).toEqual([
      "h = W × W: 2 elements, as recorded; their sum is 6.0",
      "y = sum(h) → 6.0 (recorded)",
      "h.grad += the recorded contribution of y.grad, of norm 1.5",
      "W.grad += the recorded contribution (operand 1) of h.grad, of norm 4.0; complete, its norm is 5.0",
      "W.grad += the recorded contribution (operand 2) of h.grad, of norm 4.5; complete, its norm is 5.0",
    ]);
    expect(timeline.run.gradients).toEqual([5, 1.5, 1]);
  });

  test("text of a user stays text", () => {
    expect(told([[2, "<script>"], ["neg", [0]]])[1]).toBe("v1 = -<script> = -2.0 → -2.0");
  });
});

test.each([
  [0, "0.0", "0.0"], [-0, "-0.0", "-0.0"], [10, "10.0", "10.0"], [-6, "-6.0", "-6.0"],
  [1 / 3, "0.3333", "0.333333"],
  [6.88137, "6.881", "6.88137"], [12345, "12345.0", "12345.0"], [12345.678, "12346.0", "12345.7"],
  [123456.7, "123457.0", "123457.0"], [1e6, "1e6", "1e6"], [1234567, "1.235e6", "1.23457e6"],
  [1e-4, "0.0001", "0.0001"], [1.5e-7, "1.5e-7", "1.5e-7"], [-1e300, "-1e300", "-1e300"],
  [0.99999999, "1.0", "1.0"], [999999.9, "1e6", "1e6"],
  [NaN, "NaN", "NaN"], [Infinity, "inf", "inf"], [-Infinity, "-inf", "-inf"],
])("%d is written %s in a box and %s in a sentence", (x, short, sentence) => {
  expect([formatted(x), long(x)]).toEqual([short, sentence]);
});

test.each([0.1, -0, 1e21, 5e-324, 1 / 3, 123456789])("%d is written so that it can be read back", (x) => {
  expect(Object.is(Number(exact(x)), x)).toBe(true);
});
