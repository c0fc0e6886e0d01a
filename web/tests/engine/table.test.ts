import { describe, expect, test } from "vitest";
import { TABLE } from "../../src/engine/table";

const primitives = Object.entries(TABLE);

describe.each(primitives)("%s", (name, primitive) => {
  test("states its facts", () => {
    expect(primitive.name).toBe(name);
    expect(primitive.rules).toHaveLength(primitive.params.length);
    expect(primitive.slopes).toHaveLength(primitive.params.length);
    expect(primitive.defaults.length).toBeLessThan(primitive.params.length);
    expect(primitive.mathml).toMatch(/^<math>.*<\/math>$/);
    primitive.slopes.forEach((slope, i) => slope && expect(primitive.rules[i], "a formula has a rule").not.toBeNull());
  });

  test("its rules are linear in the seed", () => {
    const args = [0.75, 0.25, 0.5].slice(0, primitive.params.length);
    const y = primitive.forward(...args);
    for (const rule of primitive.rules) {
      const once = rule?.(1, y, ...args) ?? null;
      const thrice = rule?.(-3, y, ...args) ?? null;
      if (once === null) expect(thrice).toBeNull();
      else if (Number.isFinite(once)) expect(thrice).toBeCloseTo(-3 * once, 10);
    }
  });
});

test("a shut gate gives null, a slope of 0 gives 0", () => {
  expect(TABLE.relu!.rules[0]!(1, 0, -2)).toBeNull();
  expect(TABLE.square!.rules[0]!(1, 0, 0)).toBe(0);
  expect(TABLE.maximum!.rules.map((rule) => rule!(1, 3, 3, 3))).toEqual([0.5, 0.5]);
});

test("conditions are 0 or 1", () => {
  expect(TABLE.less!.forward(1, 2)).toBe(1);
  expect(TABLE.logical_and!.forward(NaN, 0)).toBe(0);
  expect(TABLE.logical_or!.forward(NaN, 0)).toBe(1);
});
