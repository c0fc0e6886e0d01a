import { describe, expect, test } from "vitest";
import { Graph, localSlopes, paths } from "../../src/engine";
import type { Run } from "../../src/engine";
import { LECTURE, chain, document, doublings, tangle } from "./documents";
import type { Short } from "./documents";

const run = (short: Short[]) => new Graph(document(short)).evaluate();

/** Every path by plain recursion, for graphs that are small enough. */
function every(of: Run, node: number): { nodes: number[]; contribution: number }[] {
  if (node === of.graph.root) return [{ nodes: [node], contribution: 1 }];
  return of.graph.nodes[node]!.consumers.flatMap(({ node: from, position }) => {
    const slope = localSlopes(of, from)[position]!;
    if (slope === null) return [];
    const longer = (path: { nodes: number[]; contribution: number }) => ({
      nodes: [...path.nodes, node], contribution: path.contribution * slope,
    });
    return every(of, from).map(longer);
  });
}

describe("where a gradient came from", () => {
  test("one path is one product", () => {
    const found = paths(new Graph(LECTURE).evaluate(), 0);
    expect(found.paths).toEqual([{ nodes: [6, 4, 2, 0], slopes: [-2, 1, -3], contribution: 6 }]);
    expect(found).toMatchObject({ shown: 6, total: 6, rest: 0, count: 1n, unlisted: 0n });
    expect(found.words).toBe("1 path: 6.0 → 6.0");
  });

  test("paths add up, the largest first", () => {
    const diamond: Short[] = [
      [2, "a"], ["c", 1], ["add", [0, 1]], ["c", 3], ["mul", [0, 3]], ["mul", [2, 4]],
    ];
    const found = paths(run(diamond), 0);
    const list = found.paths.map((path) => [path.nodes, path.contribution]);
    expect(list).toEqual([[[5, 4, 0], 9], [[5, 2, 0], 6]]);
    expect(found.words).toBe("2 paths: 9.0 + 6.0 → 15.0");
  });

  test("an operand that is used twice is two paths", () => {
    expect(paths(run([[3], ["mul", [0, 0]]]), 0).paths.map((path) => path.contribution)).toEqual([3, 3]);
  });

  test("the root is a path of itself", () => {
    expect(paths(run([[3], ["neg", [0]]]), 1).paths).toEqual([{ nodes: [1], slopes: [], contribution: 1 }]);
  });

  test.each([1, 2, 3, 4, 5, 6])("all of them are found, and the best of them first: graph %i", (seed) => {
    const of = new Graph(tangle(seed, 14)).evaluate();
    const all = every(of, 0);
    const found = paths(of, 0, 1e6);
    const key = (path: { nodes: number[] }) => path.nodes.join();
    expect(found.count).toBe(BigInt(all.length));
    expect(found.paths.map(key).sort()).toEqual(all.map(key).sort());
    const sizes = all.map((path) => Math.abs(path.contribution)).sort((a, b) => b - a);
    found.paths.forEach((path, i) => expect(Math.abs(path.contribution)).toBeCloseTo(sizes[i]!, 12));
    expect(found.shown).toBeCloseTo(found.total!, 12);
    const some = paths(of, 0, 5);
    expect(some.paths).toEqual(found.paths.slice(0, 5));
    expect(some.shown + some.rest).toBeCloseTo(some.total!, 12);
    expect(some.unlisted).toBe(some.count - 5n);
  });

  test("too many to list are counted, and the rest is one number", () => {
    const found = paths(new Graph(doublings(60)).evaluate(), 0, 10);
    expect([found.count, found.paths.length, found.rest]).toEqual([2n ** 60n, 10, 2 ** 60 - 10]);
    expect(found.words).toContain("1,152,921,504,606,846,976 paths: 1.0 + 1.0 + 1.0 + 1.0 + ");
  });

  test.each([5_000, 100_000])("a path may be %i nodes long", (n) => {
    const found = paths(new Graph(chain(n)).evaluate(), 0);
    expect([found.count, found.paths[0]!.nodes.length]).toEqual([1n, n + 1]);
    expect(found.shown).toBeCloseTo(found.total!, 15);
  }, 30_000);

  test("2 ** 3000 paths through 3000 nodes are no trouble", () => {
    const found = paths(new Graph(doublings(3000)).evaluate(), 0);
    expect(found.count).toBe(2n ** 3000n);
    expect(found.words).toContain("their sum is beyond the largest number, so the gradient is inf");
  });

  test("a shut gate is no path", () => {
    const found = paths(run([[-3], ["relu", [0]], ["neg", [0]], ["add", [1, 2]]]), 0);
    expect(found).toMatchObject({ count: 1n, total: -1, words: "1 path: -1.0 → -1.0" });
    const nothing = paths(run([[-3], ["relu", [0]]]), 0);
    expect(nothing).toMatchObject({ count: 0n, total: null, paths: [] });
    expect(nothing.words).toContain("No gradient");
  });

  test("paths that are no number come first, and are spoken of", () => {
    const found = paths(run([[0], ["log", [0]], ["mul", [1, 0]]]), 0);
    expect(found.paths.map((path) => path.contribution)).toEqual([NaN, -Infinity]);
    expect(found.words).toMatch(/^2 paths; 2 of those listed .* no finite number, so the gradient is NaN\.$/);
  });

  test("arrays have no single slopes", () => {
    const summary = { min: 1, max: 2, mean: 1.5, norm: 2 };
    const array = { shape: [2], dtype: "float64", values: [1, 2], complete: true, summary, grad: null };
    const nodes = [
      { op: "", inputs: [], label: "x", data: 2, array },
      { op: "sum", inputs: [0], label: "h", data: 6, recorded: { grad: 1, shares: [5] } },
    ];
    const found = paths(new Graph(document([], { nodes })).evaluate(), 0);
    expect(found).toMatchObject({ paths: [], total: 5, words: expect.stringContaining("arrays") });
  });
});
