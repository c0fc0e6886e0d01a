import { KEYWORDS } from "./tokens";

/** A piece of a text; a bracket that closes has the index of the one that it closes as `opening`,
 * every other piece that of the bracket it stands in, or -1. */
export interface Piece {
  kind: "number" | "name" | "keyword" | "quotation" | "sign" | "line";
  text: string;
  start: number;
  end: number;
  opening: number;
}

export const OPENING: readonly string[] = ["(", "[", "{"];
export const CLOSING: readonly string[] = [")", "]", "}"];

const BLANK = /(?:[ \t\f]|\\\n|#[^\n]*)+/y;
const QUOTATION =
  /[rRbBuUfF]{0,2}(?:'''[^]*?'''|"""[^]*?"""|'(?:\\[^]|[^'\\\n])*'|"(?:\\[^]|[^"\\\n])*")/y;
const NUMBER = new RegExp(
  "0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+" +
    "|(?:[0-9][0-9_]*\\.?(?:[0-9][0-9_]*)?|\\.[0-9][0-9_]*)(?:[eE][-+]?[0-9][0-9_]*)?[jJ]?",
  "y",
);
const NAME = /[\p{XID_Start}_]\p{XID_Continue}*/uy;
const SIGN = /\*\*=?|\/\/=?|<<=?|>>=?|<>|\.\.\.|->|:=|&&|\|\||[-+*/%@&|^<>=!]=|[^]/uy;

/** All pieces of a text; blanks, comments and the ends of lines in brackets are none. */
export function cut(source: string): Piece[] {
  const pieces: Piece[] = [];
  const brackets: number[] = [];
  let at = 0;
  while (at < source.length) {
    const blank = matched(BLANK, source, at);
    at += blank.length;
    if (blank) continue;
    const [kind, text] = piece(source, at);
    const start = at;
    at += text.length;
    if (kind === "line" && brackets.length) continue;
    pieces.push({ kind, text, start, end: at, opening: brackets.at(-1) ?? -1 });
    if (kind === "sign" && OPENING.includes(text)) brackets.push(pieces.length - 1);
    else if (kind === "sign" && CLOSING.includes(text)) brackets.pop();
  }
  return pieces;
}

function piece(source: string, at: number): [Piece["kind"], string] {
  if (source[at] === "\n") return ["line", "\n"];
  const quotation = matched(QUOTATION, source, at);
  if (quotation) return ["quotation", quotation];
  const number = matched(NUMBER, source, at);
  if (number) return ["number", number];
  const word = matched(NAME, source, at);
  if (word) return [KEYWORDS.has(word) ? "keyword" : "name", word];
  return ["sign", matched(SIGN, source, at)];
}

function matched(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? "";
}
