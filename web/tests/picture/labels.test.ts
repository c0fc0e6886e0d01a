import { describe, expect, test } from "vitest";
import { arranged } from "../../src/picture/arrange";
import { type Wanted, TALL, placesOf } from "../../src/picture/labels";
import { Writer } from "./graphs";

/** The labels of all edges into the last node. */
function labels(op: string, operands: number, text = "× 3.0"): Wanted[] {
  const w = new Writer();
  const a = w.leaf(3, "a");
  w.op(op, Array.from({ length: operands }, () => a));
  const { plan } = arranged(w.graph(), { mode: "none", open: [] });
  return plan.paths.map((points) => ({ points, text }));
}

function overlaps(wanted: Wanted[]): number {
  const places = placesOf(wanted);
  return places.filter((a, i) =>
    places.some((b, j) => {
      const beside = a.x + a.width <= b.x || b.x + b.width <= a.x;
      return i < j && !beside && Math.abs(a.y - b.y) < TALL;
    }),
  ).length;
}

describe("labels of edges", () => {
  test.each([
    ["mul", 2, "× 3.0"],
    ["mul", 2, "× -1.234e-10"],
    ["mul", 2, "∂averylongname/∂anotherlongname = 3.0"],
    ["where", 3, "× 3.0"],
    ["where", 3, "∂averylongname/∂anotherlongname = 3.0"],
  ])("of parallel edges do not cover each other: %s of %d, %s", (op, operands, text) => {
    expect(overlaps(labels(op, operands, text))).toBe(0);
  });

  test("many at one place find one each", () => {
    const [one] = labels("mul", 2);
    for (const text of ["× 3.0", "∂averylongname/∂anotherlongname = 3.0"])
      expect(overlaps(Array.from({ length: 30 }, () => ({ ...one!, text })))).toBe(0);
  });

  test("one alone stands in the middle of its edge", () => {
    const points = [
      { x: 0, y: 100 },
      { x: 200, y: 200 },
    ];
    const [{ x, y, width }] = placesOf([{ points, text: "× 3.0" }]) as [ReturnType<typeof placesOf>[0]];
    expect([x + width / 2, y + TALL / 2]).toEqual([100, 150]);
  });

  test("two on their edges give way alike", () => {
    const [a, b] = labels("mul", 2);
    const [upper, lower] = placesOf([a!, b!].sort((p, q) => p.points.at(-1)!.y - q.points.at(-1)!.y));
    const [from, to] = [a!.points, b!.points];
    const axis = (from[0]!.y + from.at(-1)!.y + to[0]!.y + to.at(-1)!.y) / 4;
    expect((upper!.y + lower!.y + TALL) / 2).toBeCloseTo(axis, 6);
  });
});
