/** The lessons as the server sends them, and the requests to the server. */

import { ExpressionError, readValue } from "../expression";
import { adviceOn, ofSite } from "../ui/studio";

/** A piece of text of one style. */
export interface Span {
  style: "plain" | "strong" | "code";
  text: string;
}

export interface QuestionBlock {
  kind: "question";
  /** Its name within the lesson. */
  name: string;
  spans: Span[];
  formula: string;
  values: Record<string, number>;
  /** The accepted relative error of an answer. */
  tolerance: number;
}

/** A question with a list of answers. The page sends the number of the chosen one, from 1. */
export interface ChoiceBlock {
  kind: "choice";
  name: string;
  spans: Span[];
  options: Span[][];
}

export interface WalkBlock {
  kind: "walk";
  formula: string;
  values: Record<string, number>;
  caption: string;
  /** Paragraphs beside the walk; below each other on a phone. */
  beside: Span[][];
}

/** The user's own engine, which grows from chapter to chapter. */
export interface CellBlock {
  kind: "cell";
  /** What to write. */
  spans: Span[];
  /** The phase that the chapter is about. */
  phase: number;
}

export interface TableBlock {
  kind: "table";
  /** Its accessible name. */
  label: string;
  head: Span[][];
  rows: Span[][][];
}

export type Block =
  | { kind: "text"; spans: Span[] }
  | { kind: "heading"; text: string }
  | { kind: "code"; text: string }
  | WalkBlock
  | QuestionBlock
  | ChoiceBlock
  | CellBlock
  | TableBlock
  | { kind: "solution"; text: string }
  | { kind: "room"; room: string; words: string };

export interface Lesson {
  /** The part of its address after "#/lessons/". */
  id: string;
  /** Its place in its course, from 1. */
  number: number;
  title: string;
  summary: string;
  blocks: Block[];
}

export interface Course {
  name: string;
  title: string;
  /** The word for one of its lessons. */
  called: string;
  lead: string;
  lessons: Lesson[];
}

/** The result of an answer. */
export interface Judgement {
  right: boolean;
  /** The number that the engine computes. */
  expected: number;
  words: string;
  /** For an answer that is not a known mistake: a hint to show before `words`; or "". */
  hint?: string;
}

/** The server failed. The message is for the user. */
export class StudioError extends Error {}

/** The answer is neither a number nor a formula. */
export class UnreadableError extends Error {
  constructor(
    words: string,
    /** The line of the mistake with a caret below, or "". */
    readonly excerpt = "",
  ) {
    super(words);
  }
}

/** Returns all courses in order. */
export async function fetchCourses(): Promise<Course[]> {
  if (ofSite()) return (await lessonsOfSite()).courses;
  const answer = await asked("api/lessons");
  return (await answer.json()) as Course[];
}

/** Returns the result of an answer. Throws `UnreadableError` if the answer cannot be read. */
export async function judged(lesson: string, question: string, answer: string): Promise<Judgement> {
  if (ofSite()) return judgedHere((await lessonsOfSite()).keys[lesson]![question]!, answer);
  const body = JSON.stringify({ lesson, question, answer });
  const headers = { "content-type": "application/json" };
  const response = await asked("api/lessons/answer", { method: "POST", headers, body });
  if (response.status !== 422) return (await response.json()) as Judgement;
  throw unreadable((await response.json()) as Parts);
}

type Parts = Record<"expected" | "got" | "fix", string>;

function unreadable({ expected, got, fix }: Parts): UnreadableError {
  const [advice = "", ...excerpt] = fix.split("\n\n");
  return new UnreadableError(`Expected ${expected}, got ${got}. ${advice}`.trim(), excerpt.join("\n"));
}

// --- on a site without a server -----------------------------------------------------------------

/** What an answer is compared with, as Python computed it when the site was built. */
export interface Key {
  expected: number;
  tolerance: number;
  explain: string;
  hint: string;
  /** Known wrong answers, with feedback on each. */
  mistakes: [number, string][];
}

interface SiteLessons {
  courses: Course[];
  keys: Record<string, Record<string, Key>>;
}

async function lessonsOfSite(): Promise<SiteLessons> {
  return (await asked("lessons.json")).json() as Promise<SiteLessons>;
}

/** Judges an answer as `studio/lessons/answers.py` does. */
export function judgedHere({ expected, tolerance, explain, hint, mistakes }: Key, answer: string): Judgement {
  const given = read(answer);
  if (near(given, expected, tolerance)) return { right: true, expected, words: explain, hint: "" };
  const known = mistakes.find(([number]) => near(given, number, tolerance));
  if (known) return { right: false, expected, words: known[1], hint: "" };
  return { right: false, expected, words: explain, hint };
}

function read(answer: string): number {
  try {
    return readValue(answer);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { expected, got, fix, excerpt } = error;
    throw unreadable({ expected, got, fix: excerpt ? `${fix}\n\n${excerpt}` : fix });
  }
}

function near(a: number, b: number, tolerance: number): boolean {
  if (a === b) return true;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
  return Math.abs(a - b) <= Math.max(tolerance * Math.max(Math.abs(a), Math.abs(b)), b ? 0 : tolerance);
}

/** Returns a successful response, or one with status 422, which describes a mistake in the answer. */
async function asked(address: string, options?: RequestInit): Promise<Response> {
  const response = await fetch(address, options).catch(() => {
    throw new StudioError(adviceOn(null));
  });
  if (response.ok || response.status === 422) return response;
  throw new StudioError(adviceOn(response.status));
}

/** Returns the questions of a lesson. */
export function questionsOf(lesson: Lesson): (QuestionBlock | ChoiceBlock)[] {
  return lesson.blocks.filter((block) => block.kind === "question" || block.kind === "choice");
}
