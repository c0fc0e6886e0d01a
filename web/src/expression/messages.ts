import { MESSAGES } from "./language";

/** A mistake in a formula: what was expected and found, how to fix it, and where. */
export class ExpressionError extends Error {
  constructor(
    /** Counted from 1, in characters as people count them; 0: the mistake is not in the text. */
    readonly line: number,
    readonly column: number,
    readonly expected: string,
    readonly got: string,
    readonly fix: string,
    /** The line with a caret below it. */
    readonly excerpt: string,
  ) {
    const where = line ? `formula, line ${line}, column ${column}` : "formula";
    super(`${where}: expected ${expected}, got ${got}. ${fix}${excerpt && `\n\n${excerpt}`}`);
    this.name = "ExpressionError";
  }
}

export type Key = keyof typeof MESSAGES;
export type Fields = Readonly<Record<string, string>>;
/** A token or a node of the tree. */
interface Part {
  start: number;
  end: number;
}
interface Message {
  expected: string;
  got: string;
  fix: string;
}

const BEFORE = 36;
const WIDTH = 72;

/** Returns the parts of a message of the language. */
export function message(key: Key, fields: Fields = {}): Message {
  const [expected, got, ...fixes] = MESSAGES[key];
  return { expected: filled(expected, fields), got: filled(got, fields), fix: firstComplete(fixes, fields) };
}

/** Fills the first template whose fields all have a text; "" if there is none. */
export function firstComplete(templates: readonly string[], fields: Fields): string {
  const found = templates.find((one) => [...one.matchAll(/\{(\w+)\}/g)].every(([, name]) => fields[name!]));
  return found === undefined ? "" : filled(found, fields);
}

function filled(template: string, fields: Fields): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => fields[name]!);
}

/** The error with a message of the language at an offset or a part of `text`. */
export function errorAt(text: string, place: number | Part, key: Key, fields: Fields = {}): ExpressionError {
  if (typeof place === "number") return pointAt(text, place, message(key, fields));
  const code = shortened(text.slice(place.start, place.end));
  return pointAt(text, place.start, message(key, { code, ...fields }));
}

/** The error at a place of `text`, with the line and a caret below it. */
export function pointAt(text: string, offset: number, { expected, got, fix }: Message): ExpressionError {
  const above = text.slice(0, offset).split("\n");
  const column = Array.from(above.at(-1)!).length + 1;
  const shown = excerpt(text.split("\n")[above.length - 1]!, column);
  return new ExpressionError(above.length, column, expected, got, fix, shown);
}

function excerpt(line: string, column: number): string {
  const characters = Array.from(line);
  const start = Math.max(0, column - 1 - BEFORE);
  const before = start ? "..." : "";
  const after = characters.length > start + WIDTH ? "..." : "";
  const part = visible(characters.slice(start, start + WIDTH).join(""));
  return `    ${before}${part}${after}\n    ${" ".repeat(before.length + column - 1 - start)}^`;
}

/** Replaces tabs and control characters, which would shift the caret. */
function visible(text: string): string {
  return text.replace(/[^\P{C}\p{Cf}]|[\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, " ");
}

/** A part of a formula on one line, cut if it is long, for use inside a sentence. */
export function shortened(code: string): string {
  const line = Array.from(visible(code.split(/\s+/).filter(Boolean).join(" ")));
  return line.length <= 64 ? line.join("") : `${line.slice(0, 61).join("")}...`;
}
