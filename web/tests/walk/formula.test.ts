import { describe, expect, it } from "vitest";
import { asMistake, graphOf, mistakeIn, variablesOf } from "../../src/walk/source/formula";

describe("a typed formula", () => {
  it("names its variables", () => {
    expect(variablesOf("d = a * b\ntanh(d + c)")).toEqual(["a", "b", "c"]);
    expect(mistakeIn("d = a * b\ntanh(d + c)")).toBeNull();
  });

  it("with a mistake is pointed at, at the very character", () => {
    const mistake = mistakeIn("d = a * b\nd + ^ c")!;
    expect(mistake.words).toMatch(/^Line 2, column 5: /);
    const [line, caret] = mistake.excerpt.split("\n");
    expect(line?.[caret!.indexOf("^")]).toBe("^");
  });

  it("leaves values alone that it has no use for", () => {
    expect(graphOf("a * a", { a: 3, b: 4 }, "square")).toMatchObject({ title: "square", nodes: [{ label: "a" }, { op: "mul" }] });
  });

  it("does not hide errors that are not its reader's", () => {
    expect(() => asMistake(new TypeError("else"))).toThrow("else");
  });
});
