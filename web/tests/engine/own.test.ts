import { describe, expect, test } from "vitest";
import { Graph, TABLE, Timeline, generalRule, localSlopes, nudged, ownSlope, response, sentences, written } from "../../src/engine";
import type { Token } from "../../src/engine";
import { PRESETS, graphOf } from "../../src/walk";
import { documentOf, parse } from "../../src/expression";

const WORD = /[\p{L}_][\p{L}\p{Nd}_]*/gu;
const graphs = PRESETS.map(({ id, source, values }): [string, Graph] => [id, new Graph(graphOf(source, values))]);
const made = (source: string, values: Record<string, number>) => new Graph(graphOf(source, values));

describe("a local derivative in the graph's own names", () => {
  test("has the other factor of a product, whatever the table calls it", () => {
    const graph = made("(a + b) * c", { a: 2, b: -3, c: 10 });
    const told = sentences(new Timeline(graph.evaluate()), 4).map(({ derivative }) => derivative.map(({ text }) => text).join(""));
    expect(told).toEqual(["∂v4/∂v2 = c = 10.0", "∂v4/∂c = v2 = -1.0"]);
  });

  test("is the number alone where the formula is one", () => {
    const graph = made("y = x + 3 * b", { x: 1, b: 2 });
    expect(graph.nodes.flatMap((node) => node.inputs.map((_, k) => ownSlope(graph, node, k))).filter(Boolean)).toEqual(["b"]);
  });

  test("is the table's formula with the names of this node, for operands named like its letters", () => {
    // y, x, a and b are letters of the table: here they are all taken by other nodes
    const names = ["y", "x", "b", "a", "c", "p", "t", "n"];
    let tried = 0;
    for (const [op, primitive] of Object.entries(TABLE)) {
      const used = names.slice(0, primitive.params.length);
      const nodes = used.map((label) => ({ op: "", inputs: [] as number[], label, data: 0.5 }));
      const inputs = used.map((_, k) => k);
      const graph = new Graph({ format: "gradwalk-walk", version: 1, title: "", nodes: [...nodes, { op, inputs, label: "result", data: 0.5 }] });
      const node = graph.nodes.at(-1)!;
      primitive.slopes.forEach((formula, position) => {
        if (!formula?.text) return;
        const own = ownSlope(graph, node, position);
        const back = new Map([...used.map((name, k): [string, string] => [name, primitive.params[k]!]), ["result", primitive.params.includes("y") ? "z" : "y"]]);
        if (own) expect(own.replace(WORD, (word) => back.get(word) ?? word), op).toBe(formula.text);
        tried += 1;
      });
    }
    expect(tried).toBeGreaterThan(80);
  });
});

describe("the general rule", () => {
  test.each(graphs)("of every node of %s has no letter that is a name of the graph", (_, graph) => {
    const names = new Set(graph.nodes.map(({ name }) => name));
    for (const node of graph.nodes) {
      for (const position of [null, ...node.inputs.keys()]) {
        const rule = generalRule(graph, node, position);
        if (!rule) continue;
        for (const letter of [rule.result, ...rule.letters]) expect(names.has(letter), letter).toBe(false);
        const shown = [rule.operation.mathml, rule.slope?.mathml ?? ""].join("");
        for (const [, letter] of shown.matchAll(/<mi>(\p{L})<\/mi>/gu)) expect([...names].includes(letter!) && letter).toBe(false);
      }
    }
  });

  test("says what it is in words only in its own letters", () => {
    const [free, taken] = [made("u * v", { u: 1, v: 2 }), made("a * b", { a: 1, b: 2 })];
    expect(generalRule(free, free.nodes.at(-1)!, null)!.summary).toBe("Product of a and b");
    expect(generalRule(taken, taken.nodes.at(-1)!, null)!.summary).toBe("");
  });
});

describe("a nudge", () => {
  test.each(graphs)("of any node of %s is predicted the better the smaller it is", (_, graph) => {
    const run = graph.evaluate();
    for (const { index, constant } of graph.nodes) {
      if (constant) continue;
      const miss = (by: number) => {
        const nudge = nudged(run, index, by)!;
        return Math.abs(nudge.happened - nudge.predicted) / by;
      };
      expect(miss(1e-5), graph.nodes[index]!.name).toBeLessThan(1e-3);
      expect(miss(1e-5)).toBeLessThanOrEqual(miss(0.1) + 1e-9);
    }
  });

  test("of an inner node changes what is computed from it, and nothing else", () => {
    const run = made("d = a + b\nd * c", { a: 2, b: -3, c: 10 }).evaluate();
    expect(nudged(run, 2, 0.5)).toEqual({ by: 0.5, predicted: 5, happened: 5 });
    expect(run.data[2]).toBe(-1);
  });

  test("has a curve through the present point, which its tangent touches", () => {
    const run = made("tanh(x) * x", { x: 0.5 }).evaluate();
    const curve = response(run, 0, 1)!;
    const middle = (curve.xs.length - 1) / 2;
    expect([curve.xs[middle], curve.ys[middle]]).toEqual([curve.x, curve.y]);
    const [left, right] = [middle - 1, middle + 1];
    const secant = (curve.ys[right]! - curve.ys[left]!) / (curve.xs[right]! - curve.xs[left]!);
    expect(secant).toBeCloseTo(curve.slope, 2);
  });

  test("is none where the page cannot tell", () => {
    const run = made("floor(x) + y", { x: 0.5, y: 1 }).evaluate();
    expect(nudged(run, 0, 0.1)).toBeNull();
    expect(nudged(made("1 / x", { x: 0 }).evaluate(), 0, 0.1)).toBeNull();
  });
});

describe("a graph as a formula", () => {
  const text = (tokens: Token[]): string => tokens.map(({ text: own, inside }) => own + text(inside ?? [])).join("");

  test.each([...PRESETS.map(({ source, values }) => ({ source, values })),
    { source: "a - (b - c)", values: { a: 1, b: 2, c: 3 } },
    { source: "-(a + b) ** 2 / (c * -3)", values: { a: 1, b: 2, c: 3 } },
    { source: "(a ** b) ** c + a ** b ** c", values: { a: 2, b: 2, c: 0.5 } },
    { source: "maximum(a, -2.5) * relu(-a)", values: { a: 2 } },
  ])("reads back as the same graph: $source", ({ source, values }) => {
    const graph = made(source, values);
    const again = written(graph).map(text).join("\n");
    const other = new Graph(documentOf(parse(again), values));
    expect(other.evaluate().data.at(-1)).toBe(graph.evaluate().data.at(-1));
    expect(other.nodes.map(({ op }) => op)).toEqual(graph.nodes.map(({ op }) => op));
  });

  test("knows the node of each part", () => {
    const graph = made("d = a + b\nd * c", { a: 2, b: -3, c: 10 });
    const nodes = new Set<number>();
    const visit = (tokens: Token[]) => tokens.forEach(({ node, inside }) => {
      if (node !== undefined) nodes.add(node);
      visit(inside ?? []);
    });
    written(graph).forEach(visit);
    expect([...nodes].sort()).toEqual([0, 1, 2, 3, 4]);
  });
});

test("a slope of the table is the number that its own formula gives", () => {
  const run = made("h = tanh(w * x)\nh * w", { w: 0.5, x: 2 }).evaluate();
  const h = run.graph.nodes.find(({ label }) => label === "h")!;
  expect(ownSlope(run.graph, h, 0)).toBe("1 - h²");
  expect(localSlopes(run, h.index)[0]).toBeCloseTo(1 - run.data[h.index]! ** 2, 12);
});
