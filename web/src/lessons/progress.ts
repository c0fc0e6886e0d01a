/** The answers of the user, stored in the browser where it allows that. */

import { signal, type ReadonlySignal } from "@preact/signals";
import { questionsOf, type Judgement, type Lesson } from "./content";

/** An answer as typed, and its result. */
export interface Answered extends Judgement {
  answer: string;
  /** How many different answers to this question were wrong without being a known mistake. */
  misses?: number;
}

/** By lesson and question: "3/total". */
export type Answers = Readonly<Record<string, Answered>>;

const KEY = "gradwalk-lessons";
const NONE: Answers = {};

const kept = signal<Answers>(NONE);

/** All answers so far. */
export const answers: ReadonlySignal<Answers> = kept;

/** Reads the stored answers. The page calls it when it opens. */
export function readProgress(): void {
  kept.value = stored();
}

function stored(): Answers {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return sound(read) ? read : NONE;
  } catch {
    return kept.peek(); // storage is blocked or damaged: keep the answers of this visit
  }
}

function sound(read: unknown): read is Answers {
  if (typeof read !== "object" || read === null || Array.isArray(read)) return false;
  return Object.values(read).every(
    (one) => typeof one?.answer === "string" && typeof one.right === "boolean",
  );
}

export function answerOf(lesson: string, question: string): Answered | undefined {
  return kept.value[`${lesson}/${question}`];
}

/** Stores an answer. */
export function keep(lesson: string, question: string, answered: Answered): void {
  const before = answerOf(lesson, question);
  const missed = answered.hint && answered.answer !== before?.answer ? 1 : 0;
  const misses = (before?.misses ?? 0) + missed;
  replace({ ...kept.value, [`${lesson}/${question}`]: misses ? { ...answered, misses } : answered });
}

/** Returns the feedback to an answer: first the hint, then the explanation. */
export function wordsFor({ words, hint, misses }: Answered): string {
  return hint && misses === 1 ? hint : words;
}

/** Clears the answers of one lesson, or of all. */
export function startOver(lesson?: string): void {
  const others = Object.entries(kept.value).filter(
    ([key]) => lesson !== undefined && !key.startsWith(`${lesson}/`),
  );
  replace(Object.fromEntries(others));
}

/** Replaces all answers, for example to undo a clear. */
export function replace(answers: Answers): void {
  kept.value = answers;
  try {
    localStorage.setItem(KEY, JSON.stringify(answers));
  } catch {
    // the answers last for this visit only
  }
}

/** Returns how many questions of a lesson are answered correctly, and how many there are. */
export function score(lesson: Lesson): { right: number; all: number } {
  const questions = questionsOf(lesson);
  const right = questions.filter(({ name }) => answerOf(lesson.id, name)?.right);
  return { right: right.length, all: questions.length };
}
