import { describe, expect, it } from "vitest";
import { ExpressionError, readValue } from "../../src/expression";

const refused = (text: string): ExpressionError => {
  try {
    readValue(text);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error(`${text} was read`);
};

describe("a typed value", () => {
  it.each([
    ["2", 2], [" -0.5 ", -0.5], ["1e-3", 1e-3], [".5", 0.5], ["+3.", 3], ["-0", -0],
    ["inf", Infinity], ["-Inf", -Infinity], ["+infinity", Infinity], ["NaN", NaN], ["-nan", NaN],
    ["1_000", 1000], ["007", 7],
  ])("%s is a number as it stands", (text, x) => expect(readValue(text)).toBe(x));

  it.each([
    ["1/3", 1 / 3], ["pi/2", Math.PI / 2], ["-e", -Math.E], ["2**-1", 0.5], ["sqrt(2)", Math.SQRT2],
    ["(1 + 2) * 3", 9], ["1/inf", 0], ["--1", 1], ["0x10", 16],
  ])("%s is computed", (text, x) => expect(readValue(text)).toBe(x));

  it.each(["−10", "–10", "‐10", "‑10"])("%s is negative, whichever minus it has", (text) => {
    expect(readValue(text)).toBe(-10);
  });

  it("has minus signs of any kind within it", () => expect(readValue("3 − 1e−3")).toBe(3 - 1e-3));

  it.each([
    ["two", "two", 1], ["1/x", "x", 3], ["pi/ 2 + nan", "nan", 9],
  ])("%s has a name in it, which is pointed at", (text, name, column) => {
    const { got, column: found, excerpt } = refused(text);
    expect(got).toBe(`the name '${name}'`);
    expect(found).toBe(column);
    const [line, caret] = excerpt.split("\n");
    expect(line!.slice(caret!.indexOf("^"))).toBe(text.slice(column - 1));
  });

  it.each([
    ["", "nothing"], ["   ", "nothing"], ["1/", "the end of the line"], ["1,5", "1,5"], ["2 3", "3 directly after 2"],
    ["x = 3", "the name 'x'"], ["3; 4", "3"],
  ])("%s is none", (text, got) => expect(refused(text).got).toBe(got));

  it("is not one of too many digits of a literal", () => {
    expect(readValue("1e999")).toBe(Infinity);
    expect(readValue(`1${"0".repeat(400)}`)).toBe(Infinity);
  });
});
