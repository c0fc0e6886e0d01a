import { describe, expect, test } from "vitest";
import { erf, erfc, exp2, floordiv, fma, mod, pow, round } from "../../src/engine/ieee";

/** `Object.is`: -0 is not 0, and NaN is NaN. */
function all(f: (...x: number[]) => number, cases: number[][]): void {
  for (const [expected, ...args] of cases) expect(f(...args), `${f.name}(${args.join(", ")})`).toBe(expected);
}

const INF = Infinity;

describe("division with remainder, as Python has it", () => {
  test("the remainder has the sign of the divisor", () => {
    all(mod, [
      [1, 7, 2], [1, -7, 2], [-1, 7, -2], [-1, -7, -2], [0, 6, 3], [-0, 6, -3], [0, -6, 3],
      [NaN, 1, 0], [NaN, INF, 2], [INF, -1, INF], [1, 1, INF], [NaN, NaN, 1],
    ]);
  });

  test("the quotient is rounded down", () => {
    all(floordiv, [
      [3, 7, 2], [-4, -7, 2], [-4, 7, -2], [2, 6, 3], [-0, -0, 3], [0, 1, INF], [-1, -1, INF],
      [INF, 1, 0], [-INF, -1, 0], [NaN, 0, 0], [NaN, INF, 2], [9, 1, 0.1],
    ]);
  });
});

test("rounding takes ties to the even integer and keeps the sign of zero", () => {
  all(round, [
    [0, 0.5], [2, 1.5], [2, 2.5], [-2, -2.5], [-0, -0.5], [-0, -0], [1, 0.5000000000000001], [0, 0.49999999999999994],
    [2 ** 52 + 1, 2 ** 52 + 1], [INF, INF], [-INF, -INF], [NaN, NaN],
  ]);
});

test("a power is 1 where C says so", () => {
  all(pow, [
    [1, 1, NaN], [1, 1, INF], [1, -1, INF], [1, -1, -INF], [1, NaN, 0], [-8, -2, 3], [NaN, -2, 0.5],
    [INF, 0, -2], [-INF, -0, -3], [1e308, 10, 308],
  ]);
  all(exp2, [[8, 3], [5e-324, -1074], [INF, 1024], [0, -INF], [NaN, NaN]]);
});

describe("a product and sum rounded once", () => {
  test("what two roundings would lose is there", () => {
    all(fma, [
      [-(2 ** -60), 1 + 2 ** -30, 1 - 2 ** -30, -1],
      [-INF, 1e308, 10, -INF],
      [Number.MAX_VALUE, Number.MAX_VALUE, 2, -Number.MAX_VALUE], // the product alone overflows
      [5e-324, 2 ** -537, 2 ** -537, 0],
      [0, 2 ** -538, 2 ** -537, 0], // a tie between 0 and the smallest denormal
      [5e-324, 2 ** -538, 2 ** -537 * 1.5, 0],
      [-0, -(2 ** -600), 2 ** -600, -0],
      [10, 2, 3, 4], [0, 1, 1, -1], [-0, -0, 1, -0], [NaN, INF, 0, 1], [NaN, INF, 1, -INF], [INF, INF, 1, 1], [NaN, 1, 1, NaN],
    ]);
  });

  test("it is the sum of product and error wherever that is exact", () => {
    for (let i = 1; i < 200; i++) {
      const x = Math.sin(i) * 2 ** (i % 40);
      const y = Math.cos(3 * i);
      const error = fma(x, y, -(x * y));
      expect(fma(x, y, -error)).toBe(x * y);
      expect(Math.abs(error)).toBeLessThanOrEqual(Math.abs(x * y) * 2 ** -53);
    }
  });
});

describe("error functions", () => {
  // Abramowitz and Stegun, table 7.1 and 7.3, and the asymptotic series in 40 digits for the tail.
  const VALUES: [number, number, number][] = [
    [0.1, 0.1124629160182848922, 0.8875370839817151078],
    [0.5, 0.5204998778130465377, 0.4795001221869534623],
    [1, 0.8427007929497148693, 0.1572992070502851307],
    [2, 0.9953222650189527342, 0.004677734981047265838],
    [3, 0.9999779095030014146, 2.209049699858544137e-5],
    [5, 0.9999999999984625402, 1.537459794428034851e-12],
    [10, 1, 2.088487583762544757e-45],
    [20, 1, 5.395865611607900928e-176],
    [26, 1, 5.663192408856142847e-296],
  ];

  test("they have all their digits, in the tail too", () => {
    for (const [x, small, rest] of VALUES) {
      for (const [got, expected] of [
        [erf(x), small], [erf(-x), -small], [erfc(x), rest], [erfc(-x), 2 - rest],
      ] as const) {
        expect(Math.abs(got - expected)).toBeLessThanOrEqual(1e-15 * Math.abs(expected));
      }
    }
  });

  test("at the ends", () => {
    all(erf, [[0, 0], [-0, -0], [1, INF], [-1, -INF], [NaN, NaN], [1, 1e300]]);
    all(erfc, [[1, 0], [0, INF], [2, -INF], [NaN, NaN], [0, 28], [0, 1e300]]);
    expect(erf(1e-300) / 1e-300).toBeCloseTo(2 / Math.sqrt(Math.PI), 14);
    expect(erfc(27)).toBeGreaterThan(0);
  });
});
