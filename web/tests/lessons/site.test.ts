import { describe, expect, test } from "vitest";
import { judgedHere, UnreadableError, type Key } from "../../src/lessons/content";

const KEY: Key = {
  expected: -10,
  tolerance: 1e-3,
  explain: "It is -10.",
  hint: "Mind the sign.",
  mistakes: [[10, "The sign is wrong."]],
};

describe("answers on a site without a server", () => {
  test.each([
    ["-10", true, "It is -10.", ""],
    ["−5*2", true, "It is -10.", ""],
    ["-10.009", true, "It is -10.", ""],
    ["-10.02", false, "It is -10.", "Mind the sign."],
    ["10", false, "The sign is wrong.", ""],
    ["nan", false, "It is -10.", "Mind the sign."],
    ["inf", false, "It is -10.", "Mind the sign."],
  ])("%s", (answer, right, words, hint) => {
    expect(judgedHere(KEY, answer)).toEqual({ right, words, hint, expected: -10 });
  });

  test("0 is compared absolutely", () => {
    const zero = { ...KEY, expected: 0 };
    expect(judgedHere(zero, "0.0009").right).toBe(true);
    expect(judgedHere(zero, "0.0011").right).toBe(false);
  });

  test("what cannot be read is pointed at", () => {
    expect(() => judgedHere(KEY, "2 +")).toThrow(UnreadableError);
    try {
      judgedHere(KEY, "2 +");
    } catch (error) {
      expect((error as UnreadableError).excerpt).toContain("^");
    }
  });
});
