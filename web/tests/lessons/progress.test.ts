// @vitest-environment jsdom
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Lesson } from "../../src/lessons/content";
import { answerOf, answers, keep, readProgress, replace, score, startOver } from "../../src/lessons/progress";

const RIGHT = { answer: "2", right: true, expected: 2, words: "Yes." };
const WRONG = { answer: "3", right: false, expected: 2, words: "No." };

beforeEach(() => {
  localStorage.clear();
  replace({});
});

const lesson = (id: string, ...names: string[]): Lesson => ({
  id,
  number: 1,
  title: "",
  summary: "",
  blocks: names.map((name) => ({
    kind: "question",
    name,
    spans: [],
    formula: "",
    values: {},
    tolerance: 1e-3,
  })),
});

describe("progress", () => {
  test("counts what was answered right, lesson by lesson", () => {
    keep("1", "one", RIGHT);
    keep("1", "two", WRONG);
    keep("2", "one", RIGHT);
    expect(score(lesson("1", "one", "two", "three"))).toEqual({ right: 1, all: 3 });
    expect(score(lesson("2", "one"))).toEqual({ right: 1, all: 1 });
  });

  test("survives a reload", () => {
    keep("1", "one", RIGHT);
    const stored = localStorage.getItem("gradwalk-lessons")!;
    replace({});
    localStorage.setItem("gradwalk-lessons", stored);
    readProgress();
    expect(answerOf("1", "one")).toEqual(RIGHT);
  });

  test("knows how many answers were not understood, and forgets it with them", () => {
    const unknown = { ...WRONG, hint: "Look." };
    keep("1", "one", { ...unknown, answer: "7" });
    expect(answerOf("1", "one")).toMatchObject({ misses: 1 });
    keep("1", "one", { ...unknown, answer: "7" });
    expect(answerOf("1", "one")).toMatchObject({ misses: 1 });
    keep("1", "one", WRONG);
    keep("1", "one", { ...unknown, answer: "8" });
    expect(answerOf("1", "one")).toMatchObject({ misses: 2 });
    startOver("1");
    keep("1", "one", { ...unknown, answer: "8" });
    expect(answerOf("1", "one")).toMatchObject({ misses: 1 });
  });

  test("of one lesson is forgotten alone; lesson 1 is not lesson 11", () => {
    for (const id of ["1", "2", "11", "build-1"]) keep(id, "one", RIGHT);
    startOver("1");
    expect(Object.keys(answers.value)).toEqual(["2/one", "11/one", "build-1/one"]);
    startOver();
    expect(answers.value).toEqual({});
  });

  test.each([
    "no json",
    "[]",
    "null",
    '"text"',
    '{"1/one": 7}',
    '{"1/one": null}',
    '{"1/one": {"answer": "2"}}',
  ])("is empty where the store holds %s", (text) => {
    localStorage.setItem("gradwalk-lessons", text);
    readProgress();
    expect(answers.value).toEqual({});
  });

  test("holds for this visit where the browser keeps nothing", () => {
    vi.stubGlobal("localStorage", undefined);
    keep("1", "one", RIGHT);
    readProgress();
    expect(answerOf("1", "one")).toEqual(RIGHT);
    vi.unstubAllGlobals();
  });
});
