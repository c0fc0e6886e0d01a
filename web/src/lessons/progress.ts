/** What a reader has answered; kept in the browser where that is allowed. */

import { signal, type ReadonlySignal } from "@preact/signals";
import { questionsOf, type Judgement, type Lesson } from "./content";

/** An answer as it was typed, and what came of it. */
export interface Answered extends Judgement {
  answer: string;
  /** How many different answers to this question were wrong in a way that nobody foresaw. */
  misses?: number;
}

/** By lesson and question: "3/total". */
export type Answers = Readonly<Record<string, Answered>>;

const KEY = "gradwalk-lessons";
const NONE: Answers = {};

const kept = signal<Answers>(NONE);

/** All answers so far. */
export const answers: ReadonlySignal<Answers> = kept;

/** Read what was kept; the pages do so when somebody enters. */
export function readProgress(): void {
  kept.value = stored();
}

function stored(): Answers {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return sound(read) ? read : NONE;
  } catch {
    return kept.peek(); // storage is shut, or holds no JSON: what this visit knows
  }
}

function sound(read: unknown): read is Answers {
  if (typeof read !== "object" || read === null || Array.isArray(read)) return false;
  return Object.values(read).every(
    (one) => typeof one?.answer === "string" && typeof one.right === "boolean",
  );
}

export function answerOf(lesson: number, question: string): Answered | undefined {
  return kept.value[`${lesson}/${question}`];
}

/** Keep an answer. */
export function keep(lesson: number, question: string, answered: Answered): void {
  const before = answerOf(lesson, question);
  const missed = answered.hint && answered.answer !== before?.answer ? 1 : 0;
  const misses = (before?.misses ?? 0) + missed;
  replace({ ...kept.value, [`${lesson}/${question}`]: misses ? { ...answered, misses } : answered });
}

/** What to say to an answer: a hint comes before the explanation. */
export function wordsFor({ words, hint, misses }: Answered): string {
  return hint && misses === 1 ? hint : words;
}

/** Forget the answers of one lesson, or of all. */
export function startOver(lesson?: number): void {
  const others = Object.entries(kept.value).filter(
    ([key]) => lesson !== undefined && !key.startsWith(`${lesson}/`),
  );
  replace(Object.fromEntries(others));
}

/** All answers as they are to be from now on: to take back a new beginning. */
export function replace(answers: Answers): void {
  kept.value = answers;
  try {
    localStorage.setItem(KEY, JSON.stringify(answers));
  } catch {
    // they hold for this visit only
  }
}

/** How many questions of a lesson are answered right, and how many there are. */
export function score(lesson: Lesson): { right: number; all: number } {
  const questions = questionsOf(lesson);
  const right = questions.filter(({ name }) => answerOf(lesson.number, name)?.right);
  return { right: right.length, all: questions.length };
}
