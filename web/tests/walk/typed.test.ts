import { describe, expect, it } from "vitest";
import { typed, wrongIn } from "../../src/walk/source/typed";

describe("what is typed for a number", () => {
  it.each([["1/3", 1 / 3], ["pi/2", Math.PI / 2], ["−4", -4], ["nan", NaN]])("%s is one", (text, x) => {
    expect(typed(text)).toEqual({ x, mistake: null });
    expect(wrongIn(text)).toBeNull();
  });

  it.each(["", "  "])("is asked for where there is nothing", (text) => {
    expect(wrongIn(text)).toEqual({ words: "Type a number.", excerpt: "" });
  });

  it("is pointed at where it is wrong", () => {
    const { words, excerpt } = wrongIn("1/x")!;
    expect(words).toBe("“1/x” is not a number: x has no value. Write 2, -0.5, 1e-3, 1/3, pi/2, inf or nan.");
    const [line, caret] = excerpt.split("\n");
    expect(line![caret!.indexOf("^")]).toBe("x");
  });

  it("needs no caret where all of it is wrong", () => {
    expect(wrongIn("two")).toEqual({
      words: "“two” is not a number. Write 2, -0.5, 1e-3, 1/3, pi/2, inf or nan.",
      excerpt: "",
    });
  });

  it("gets the advice of formulas", () => {
    expect(wrongIn("2pi")!.words).toBe("“2pi” is not a number: got pi directly after 2. Write 2 * pi.");
    expect(wrongIn("1,5")!.words).toContain("Write decimals with a point, 1.5");
  });
});
