/** Python in colours: which letters of a text are comments, strings, numbers and keywords. */

export type TokenKind = "plain" | "comment" | "string" | "number" | "keyword" | "defined" | "self";

export interface Token {
  kind: TokenKind;
  text: string;
}

const KEYWORDS = new Set(
  (
    "False,None,True,and,as,assert,async,await,break,class,continue,def,del,elif,else,except,finally,for,from,global," +
    "if,import,in,is,lambda,nonlocal,not,or,pass,raise,return,try,while,with,yield"
  ).split(","),
);

/** Strings first, then comments, numbers and words; a string that is not closed ends with its line, or with the text. */
const TOKEN = new RegExp(
  [
    String.raw`(?<string>[rRbBfFuU]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))`,
    String.raw`(?<comment>#[^\n]*)`,
    String.raw`(?<number>\b\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?|\B\.\d+(?:[eE][+-]?\d+)?)`,
    String.raw`(?<word>[\p{L}_][\p{L}\p{Nd}_]*)`,
  ].join("|"),
  "gu",
);

/** The lines of a text, each one as its tokens. */
export function colouredLines(source: string): Token[][] {
  const rows: Token[][] = [[]];
  for (const { kind, text } of tokens(source)) {
    text.split("\n").forEach((piece, at) => {
      if (at) rows.push([]);
      if (piece) rows.at(-1)!.push({ kind, text: piece });
    });
  }
  return rows;
}

function* tokens(source: string): Iterable<Token> {
  let at = 0;
  let before = "";
  for (const match of source.matchAll(TOKEN)) {
    if (match.index > at) yield { kind: "plain", text: source.slice(at, match.index) };
    const text = match[0];
    yield { kind: kindOf(match.groups!, before), text };
    at = match.index + text.length;
    before = match.groups!.word ?? "";
  }
  if (at < source.length) yield { kind: "plain", text: source.slice(at) };
}

function kindOf(groups: Record<string, string | undefined>, before: string): TokenKind {
  const { word } = groups;
  if (word === undefined) return groups.comment !== undefined ? "comment" : groups.string !== undefined ? "string" : "number";
  if (KEYWORDS.has(word)) return "keyword";
  if (before === "def" || before === "class") return "defined";
  return word === "self" ? "self" : "plain";
}
