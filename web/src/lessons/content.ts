/** The lessons as the server sends them, and how an answer is judged there. */

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
  /** How far off an answer may be, as a part of the right one. */
  tolerance: number;
}

export interface WalkBlock {
  kind: "walk";
  formula: string;
  values: Record<string, number>;
  caption: string;
}

export interface TableBlock {
  kind: "table";
  head: Span[][];
  rows: Span[][][];
}

export type Block =
  | { kind: "text"; spans: Span[] }
  | { kind: "heading"; text: string }
  | { kind: "code"; text: string }
  | WalkBlock
  | QuestionBlock
  | TableBlock
  | { kind: "room"; room: string; words: string };

export interface Lesson {
  number: number;
  title: string;
  summary: string;
  blocks: Block[];
}

/** What came of an answer. */
export interface Judgement {
  right: boolean;
  /** The engine's number. */
  expected: number;
  words: string;
  /** For an answer that is no known mistake: what to say first, before those words; or "". */
  hint?: string;
}

/** The server did not do as it was asked; the words are for the reader. */
export class StudioError extends Error {}

/** The answer is no number and no formula: what is wrong with it, and where, if that is known. */
export class UnreadableError extends Error {
  constructor(
    words: string,
    /** The line of it with a caret below, or "". */
    readonly excerpt = "",
  ) {
    super(words);
  }
}

const SILENT = "The studio does not answer.";

/** All lessons, in order. */
export async function fetchLessons(): Promise<Lesson[]> {
  const answer = await asked("api/lessons");
  return (await answer.json()) as Lesson[];
}

/** The engine's judgement; an `UnreadableError` if the answer cannot be read. */
export async function judged(lesson: number, question: string, answer: string): Promise<Judgement> {
  const body = JSON.stringify({ lesson, question, answer });
  const headers = { "content-type": "application/json" };
  const response = await asked("api/lessons/answer", { method: "POST", headers, body });
  if (response.status !== 422) return (await response.json()) as Judgement;
  const { expected, got, fix } = (await response.json()) as Record<"expected" | "got" | "fix", string>;
  const [advice = "", ...excerpt] = fix.split("\n\n");
  throw new UnreadableError(`Expected ${expected}, got ${got}. ${advice}`.trim(), excerpt.join("\n"));
}

/** An answer that is well, or 422, which says what is wrong with what was typed. */
async function asked(address: string, options?: RequestInit): Promise<Response> {
  const response = await fetch(address, options).catch(() => {
    throw new StudioError(SILENT);
  });
  if (response.ok || response.status === 422) return response;
  throw new StudioError(`The studio refused: ${response.status} ${response.statusText}`.trim() + ".");
}

/** The questions of a lesson. */
export function questionsOf(lesson: Lesson): QuestionBlock[] {
  return lesson.blocks.filter((block) => block.kind === "question");
}
