import { describe, expect, test } from "vitest";
import { Graph } from "../../src/engine";
import { ExpressionError, MAX_DEPTH, MAX_LENGTH, documentOf, parse } from "../../src/expression";
import { random } from "../engine/documents";

const valueOf = (text: string, values: Record<string, number> = {}) =>
  new Graph(documentOf(text, values)).evaluate().data.at(-1);

function mistake(text: string, values?: Record<string, number>): ExpressionError {
  try {
    const expression = parse(text);
    if (values) documentOf(expression, values);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("an error", () => {
  test("has the line, a caret below the character, and a way out", () => {
    const error = mistake("a = b\r\n\r\n   é + a^b");
    expect(error).toMatchObject({ line: 3, column: 9, expected: "one of + - * / // ** %", got: "^" });
    expect(error.message).toBe(
      "formula, line 3, column 9: expected one of + - * / // ** %, got ^. " +
        "Write a ** b.\n\n       é + a^b\n            ^",
    );
  });

  test("cuts a long line around the caret", () => {
    const lines = mistake(`${"a + ".repeat(200)}$${" + a".repeat(200)}`).excerpt.split("\n");
    expect(lines[0]!.trim()).toMatch(/^\.\.\..*\$.*\.\.\.$/);
    expect(lines[0]!.trim().length).toBeLessThanOrEqual(78);
    expect(lines[0]![lines[1]!.length - 1]).toBe("$");
  });

  test("counts characters as people do", () => {
    const { column, excerpt } = mistake("𝑥 + 𝑦 $ 2");
    expect(column).toBe(7);
    expect(excerpt).toContain("𝑥 + 𝑦 $ 2");
  });

  test("shows no control characters", () => {
    expect(mistake("\ta + '\u001b[31m' ^ b").message).not.toMatch(/[\t\u001b]/);
  });

  test("points at a missing operand before a comment, and at a bracket only if that is what is wrong", () => {
    expect(mistake("d = # none\nd")).toMatchObject({ line: 1, column: 5, got: "the end of the line" });
    expect(mistake("(a + # none")).toMatchObject({ line: 1, column: 1, got: "a '(' that is never closed" });
    expect(mistake("exp(= a")).toMatchObject({ line: 1, column: 5, got: "=" });
    expect(mistake("a +\n(b")).toMatchObject({ line: 1, column: 4 });
  });

  test("points between brackets over several lines at the operator itself", () => {
    expect(mistake("(a\n & b)")).toMatchObject({ line: 2, column: 2 });
  });

  test.each([
    ["arctan(x)", "Did you mean 'atan'?"],
    ["ln(x)", "Did you mean 'log'?"],
    ["max(x, y)", "Did you mean 'maximum'?"],
    ["qqqqqq(x)", "Available functions: abs, acos"],
    ["a.exp()", "Write exp(a)."],
    ["2 x", "Write 2 * x."],
    ["a if b else c", "Write where(condition, a, b)."],
    ["a < b", "Use comparisons only as the first argument of where: where(a < b, x, y)."],
    ["where(a < b < c, 1, 2)", "Nest the conditions: where(a < b, where(b < c, x, y), y)."],
    ["a += 1", "Write a = a + b instead."],
    ["a\nb", "Name the result, d = a * b, or remove the line."],
    ["[a]", "Only logsumexp takes a list"],
    ["1e", "or an exponent with digits: 1e5."],
    ["012", "Remove the leading 0."],
    ["(a+b)(c)", "Write (a+b) * (c)."],
    ["exp(x=1, x=2)", "Give every argument once."],
    ["constructor(x)", "Available functions: abs"],
  ])("knows a way out of %s", (text, fix) => {
    expect(mistake(text).fix).toContain(fix);
  });

  test("asks for a value where a name has none", () => {
    expect(mistake("a + b * b", { a: 1 })).toMatchObject({ line: 1, column: 5, got: "none for 'b'" });
    expect(mistake("2 * π", {}).fix).toBe("Give it one, π=1.0, or write pi.");
    expect(mistake("sin * 2", {}).fix).toBe("Give it one, sin=1.0, or call the function: sin(x).");
  });

  test("names a value that nothing asks for", () => {
    expect(mistake("rate * t", { rat: 1, t: 1 }).message).toBe(
      "formula: expected values for its variables (rate, t), got one for 'rat'. Did you mean 'rate'?",
    );
    expect(mistake("1 + 2", { x: 1 }).message).toContain("variables (none), got one for 'x'. Remove it.");
  });
});

describe("the limits", () => {
  test("hold exactly", () => {
    expect(valueOf(Array(MAX_DEPTH).fill("1").join("+"))).toBe(MAX_DEPTH);
    const sum = Array(MAX_DEPTH + 1).fill("1").join("+");
    expect(mistake(sum).expected).toBe("at most 1,000 levels of operations");
    expect(valueOf("1".padEnd(MAX_LENGTH))).toBe(1);
    expect(mistake("1".padEnd(MAX_LENGTH + 1)).got).toBe("10,001");
    expect(valueOf(`x = 0\n${"x = x + 1\n".repeat(900)}x`)).toBe(900);
    expect(valueOf(`${"(".repeat(200)}7${")".repeat(200)}`)).toBe(7);
    expect(valueOf(`${"-".repeat(999)}7`)).toBe(-7);
    expect(valueOf(`${"1 ** ".repeat(999)}7`)).toBe(1);
  });

  test.each([
    "-".repeat(9000) + "a", Array(4900).fill("a").join("+"), "(".repeat(5000) + "a" + ")".repeat(4999),
    "a**".repeat(3000) + "a", "exp(".repeat(2000), "where(a<".repeat(1000), "[".repeat(9000),
    "a if ".repeat(1000) + "a", "a if b else ".repeat(800) + "a", "lambda:".repeat(1400) + "a",
    "not ".repeat(2400) + "a", "a = ".repeat(2400) + "a", "a;".repeat(4000), "'".repeat(9999),
    "await ".repeat(1600) + "a", "*".repeat(9000) + "a",
    "a[".repeat(4000), "{".repeat(150) + "a" + "}".repeat(150),
  ].map((text) => [text.slice(0, 12), text]))("hostile text is an error and no crash: %s...", (_, text) => {
    mistake(text);
  });
});

const FRAGMENTS = [
  "a", "b", "1", ".5", "e9", "(", ")", "[", "]", "{", "}", "+", "-", "*", "**", "//", "%", "<", "==",
  "=", ",", ":", ";", "\n", " ", "\t", "'", '"', "\\", "#", "lambda ", "if ", "else ", "for ", " in ",
  "not ", "exp(", "where(", "logsumexp([", "min=", "@", "^", "~", "!", "é", "\0", "\ud800", "import ",
  "yield ", ":=", "->", "...", "True", "__class__", "0x", "1_", "is ", "await ", "and ", "%=", "$",
  "async ", "def ", "f'", "'''",
];

test("whatever is typed is a formula or an error with a caret", () => {
  const next = random(1);
  let read = 0;
  for (let i = 0; i < 4000; i++) {
    const length = Math.floor(next() * 14);
    const text = Array.from({ length }, () => FRAGMENTS[Math.floor(next() * FRAGMENTS.length)]).join("");
    try {
      const expression = parse(text);
      new Graph(documentOf(expression, Object.fromEntries(expression.names.map((name) => [name, 1.5]))));
      read += 1;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw new Error(`${JSON.stringify(text)}: ${String(error)}`);
      expect(error.excerpt).toMatch(/\^$/);
    }
  }
  expect(read).toBeGreaterThan(20);
});

describe("a graph made anew for other values", () => {
  test("takes the other branch", () => {
    const at = (x: number) => new Graph(documentOf("where(x > 0, x * x, -x)", { x })).evaluate();
    expect([at(3).data.at(-1), at(-3).data.at(-1)]).toEqual([9, 3]);
    expect([at(3).gradients[0], at(-3).gradients[0]]).toEqual([6, -1]);
  });

  test("may change leaves that the formula names itself", () => {
    const made = documentOf("w = 3; b = w * x; b + w", { x: 2 }, { leaves: { w: 5, b: 7 } });
    expect(new Graph(made).evaluate().data.at(-1)).toBe(15);
  });

  test("may be made with another table, and keeps its text", () => {
    const add = { ...new Graph(documentOf("a + b", { a: 1, b: 2 })).nodes[2]!.primitive!, forward: () => 42 };
    expect(documentOf("a + b", { a: 1, b: 2 }, { table: { add } })).toMatchObject({
      format: "gradwalk-walk", version: 1, source: "a + b", nodes: [{ data: 1 }, { data: 2 }, { data: 42 }],
    });
  });

  test("keeps what JSON has no word for", () => {
    expect(documentOf("a / b", { a: -1, b: 0 }).nodes.at(-1)!.data).toBe("-inf");
  });
});

test("names that every object has are names like others", () => {
  const { names } = parse("constructor + toString * __proto__");
  expect(names).toEqual(["constructor", "toString", "__proto__"]);
  const values = { constructor: 2, hasOwnProperty: 3 } as unknown as Record<string, number>;
  expect(valueOf("constructor * hasOwnProperty", values)).toBe(6);
});
