import { CLOSING, KEYWORDS, NO_LETTERS, PATTERNS } from "./language";

/** A token of a formula. */
export interface Token {
  kind: "number" | "name" | "keyword" | "quotation" | "sign" | "line";
  text: string;
  start: number;
  end: number;
  /** The index of the bracket around it, or -1. */
  inside: number;
  /** Of a bracket: the index of the other one of its pair, or -1. */
  partner: number;
}

const letter = (kind: string) => `(?![${NO_LETTERS}])${kind}`;
const NAME = `${letter("[\\p{XID_Start}_]")}(?:${letter("\\p{XID_Continue}")})*`;
const { line, blank, quotation, number, sign } = PATTERNS;
const MATCHERS = Object.entries({ line, blank, quotation, number, name: NAME, sign }).map(
  ([kind, pattern]) => [kind as Token["kind"] | "blank", new RegExp(pattern, "uy")] as const,
);
const CLOSED = new Set(CLOSING.values());

export const NOTHING: Token = { kind: "line", text: "", start: 0, end: 0, inside: -1, partner: -1 };

/** Whether a statement ends at a token. */
export function ends({ inside, kind, text }: Token): boolean {
  return inside < 0 && (kind === "line" || text === ";");
}

/** All tokens; the last one is the end of the last line. Blanks, comments, and ends of lines inside
 * brackets are not tokens. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const brackets: number[] = [];
  for (const token of scan(`${text}\n`)) {
    if (token.kind === "line" && brackets.length && token.end <= text.length) continue;
    if (CLOSED.has(token.text) && brackets.length) {
      token.partner = brackets.pop()!;
      tokens[token.partner]!.partner = tokens.length;
    }
    if (token.kind !== "line") token.inside = brackets.at(-1) ?? -1;
    if (CLOSING.has(token.text)) brackets.push(tokens.length);
    tokens.push(token);
  }
  return tokens;
}

function* scan(source: string): Generator<Token> {
  for (let start = 0; start < source.length; ) {
    const [matched, text] = match(source, start);
    const end = start + text.length;
    const kind = matched === "name" && KEYWORDS.includes(text) ? "keyword" : matched;
    if (kind !== "blank") yield { kind, text, start, end, inside: -1, partner: -1 };
    start = end;
  }
}

/** The kind and the text of what begins at an offset. */
function match(source: string, at: number): [Token["kind"] | "blank", string] {
  for (const [kind, pattern] of MATCHERS) {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) return [kind, found[0]];
  }
  return ["sign", source[at]!];
}
