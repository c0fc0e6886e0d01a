import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fromJson } from "../../src/document";
import type { JsonNumber } from "../../src/document";
import { Graph } from "../../src/engine";
import { ExpressionError, FUNCTIONS, documentOf, parse } from "../../src/expression";

/** The table that tests/studio/test_expressions.py checks against the reader in Python. */
interface Cases {
  functions: string[];
  formulas: {
    text: string;
    values: Record<string, number>;
    names: string[];
    constants: string[];
    nodes: [string, number[], string, boolean, JsonNumber][];
    sweep: [number, JsonNumber | null][];
  }[];
  mistakes: [string, number, number][];
  /** Line, column, what was found, and how the fix begins. */
  hints: [string, number, number, string, string][];
}
const CASES = JSON.parse(readFileSync(new URL("./cases.json", import.meta.url), "utf8")) as Cases;

function near(x: number | null, expected: JsonNumber | null): boolean {
  if (x === null || expected === null) return x === expected;
  const wanted = fromJson(expected);
  return Object.is(x, wanted) || x === wanted || Math.abs(x - wanted) <= 1e-12 * Math.abs(wanted);
}

describe("a formula gives the graph and the backward pass that Python gives", () => {
  test.each(CASES.formulas.map((one) => [one.text, one] as const))("%s", (text, one) => {
    const expression = parse(text);
    expect([expression.names, expression.constants]).toEqual([one.names, one.constants]);
    const document = documentOf(expression, one.values);
    const made = document.nodes.map((node) => [node.op, node.inputs, node.label, node.constant ?? false]);
    expect(made).toEqual(one.nodes.map((node) => node.slice(0, 4)));
    document.nodes.forEach(({ data }, i) => {
      const expected = one.nodes[i]![4];
      expect(near(fromJson(data), expected), `node ${i}: ${data}, not ${expected}`).toBe(true);
    });
    const run = new Graph(document).evaluate();
    expect(run.data.map((x, i) => near(x, one.nodes[i]![4]))).not.toContain(false);
    expect(run.backward.map((pass) => pass.node)).toEqual(one.sweep.map(([node]) => node));
    run.backward.forEach(({ gradient, node }, i) => {
      const expected = one.sweep[i]![1];
      expect(near(gradient, expected), `node ${node}: ${gradient}, not ${expected}`).toBe(true);
    });
  });
});

describe("a mistake is pointed at where Python points", () => {
  const named = CASES.mistakes.map((one) => [one[0].slice(0, 40), ...one] as const);
  test.each(named)("%j", (_, text, line, column) => {
    const error = mistake(() => parse(text));
    expect([error.line, error.column]).toEqual([line, column]);
    const parts = /^formula, line \d+, column \d+: expected [^]+, got [^]+\. [^]+\n\n[^]+\^$/;
    expect(error.message).toMatch(parts);
  });
});

describe("what other notations write gets the hint that Python gives", () => {
  test.each(CASES.hints)("%j", (text, line, column, got, fix) => {
    const error = mistake(() => parse(text));
    expect([error.line, error.column, error.got]).toEqual([line, column, got]);
    expect(error.fix.slice(0, fix.length)).toBe(fix);
  });
});

test("the page knows the functions that Python knows", () => {
  expect([...FUNCTIONS]).toEqual(CASES.functions);
});

function mistake(action: () => unknown): ExpressionError {
  try {
    action();
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}
