import { describe, expect, it } from "vitest";
import { paths } from "../../src/engine";
import { lines } from "../../src/walk/panels/listed";
import { graphOf } from "../../src/walk/source/formula";
import { Walk } from "../../src/walk/state/state";

const linesOf = (source: string, values: Record<string, number>, name: string) => {
  const walk = new Walk(graphOf(source, values));
  const { nodes } = walk.graph.value;
  const found = paths(walk.run.value, nodes.find((node) => node.name === name)!.index);
  return { found, list: lines(walk.run.value, found) };
};
const words = (source: string, values: Record<string, number>, name: string) =>
  linesOf(source, values, name).list.map(({ words }) => words);

describe("the lines of a list of paths", () => {
  it("say nothing of operands where there is one way", () => {
    expect(words("c = a + b\nd = c * b", { a: 1, b: 2 }, "a")).toEqual(["d → c → a"]);
  });

  it("tell the operands of a * a apart", () => {
    const { list } = linesOf("a * a", { a: 3 }, "a");
    expect(list.map(({ words }) => words)).toEqual(["v1 → a (operand 1)", "v1 → a (operand 2)"]);
    expect(list.map(({ count }) => count)).toEqual([1, 1]);
  });

  it("name the operand whose local derivative it is", () => {
    const { list } = linesOf("a - a ** a", { a: 3 }, "a");
    const power = list.filter(({ path }) => path.nodes.length > 2);
    const [first, second] = [3 * 3 ** 2, 27 * Math.log(3)];
    for (const { words, path } of power) {
      const slope = path.slopes.at(-1)!;
      expect(words).toMatch(Math.abs(slope - first) < 1e-9 ? /a \(operand 1\)$/ : /a \(operand 2\)$/);
      expect([first, second].some((x) => Math.abs(slope - x) < 1e-9)).toBe(true);
    }
    expect(power).toHaveLength(2);
  });

  it("do not name an operand to which nothing flows", () => {
    expect(words("where(a > 0, a, a)", { a: 3 }, "a")).toEqual(["v2 → a"]);
  });

  it("are all of them different, for two squares on one path", () => {
    const all = words("b = a * a\nb * b", { a: 3 }, "a");
    expect(new Set(all).size).toBe(4);
    expect(all).toContain("v2 → b (operand 2) → a (operand 1)");
  });

  it("are one line where they read the same and bring the same", () => {
    const chain = Array.from({ length: 40 }, (_, k) => `x${k + 1} = x${k} + x${k}`).join("\n");
    const { found, list } = linesOf(`${chain}\nx40`, { x0: 1 }, "x0");
    expect(found.paths.length).toBeGreaterThan(100);
    expect(list).toHaveLength(1);
    expect(list.reduce((sum, { count }) => sum + count, 0)).toBe(found.paths.length);
    expect(new Set(list.map(({ words }) => words)).size).toBe(list.length);
  });
});
