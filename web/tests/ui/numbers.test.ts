import { describe, expect, it } from "vitest";
import { onGrid, reach, written } from "../../src/ui/numbers";
import { typed } from "../../src/walk/source/typed";

describe("a typed number", () => {
  it.each([
    ["2", 2],
    [" -0.5 ", -0.5],
    ["1e-3", 1e-3],
    [".5", 0.5],
    ["+3.", 3],
    ["−4", -4],
    ["inf", Infinity],
    ["-Inf", -Infinity],
    ["NaN", NaN],
    ["-0", -0],
  ])("%s is read", (text, x) => expect(typed(text).x).toBe(x));

  it.each(["", "a", "1,5", "1e", "2 3", "1__000"])("%s is none", (text) => {
    expect(typed(text).x).toBeNull();
  });

  it.each([0, -0, 1.5, 1e300, 5e-324, NaN, Infinity, -Infinity, 0.1 + 0.2])(
    "%s is written so that it is read",
    (x) => {
      expect(typed(written(x)).x).toBe(x);
    },
  );
});

describe("a slider", () => {
  it.each([0, 0.3, 1, -3, 7, 123.4, 1e9, NaN, -Infinity])("holds %s and twice that", (x) => {
    const most = reach(x, x);
    expect(Number.isFinite(most)).toBe(true);
    if (Number.isFinite(x)) expect(most).toBeGreaterThanOrEqual(2 * Math.abs(x));
  });

  it("grows with what was typed, and stays while it is moved within", () => {
    expect(reach(1, 30)).toBe(50);
    expect(reach(1, 1.9)).toBe(reach(1, 0));
  });

  it("moves on round numbers", () => {
    expect(onGrid(0.30000000000000004, 0.01)).toBe(0.3);
    expect(onGrid(1.2345, 0.005)).toBe(1.235);
    expect(onGrid(-7, 0.5)).toBe(-7);
  });
});
