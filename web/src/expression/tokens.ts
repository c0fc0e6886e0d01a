import { Mistake } from "./tree";

export interface Token {
  kind: "number" | "name" | "keyword" | "operator" | "newline" | "end";
  text: string;
  start: number;
  end: number;
}

/** Most brackets inside each other, as in Python. */
const MAX_NESTED = 200;
/** Most digits of an integer, as in Python. */
const MAX_DIGITS = 4300;

/** Advice for what is open or closed too often. */
export const BRACKETS = "Brackets come in pairs.";
const NESTED = "Name parts of the formula: d = a * b.";

/** Words of Python's grammar, which no name can be. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  ..."False None True and as assert async await break class continue def del elif else except".split(" "),
  ..."finally for from global if import in is lambda nonlocal not or pass raise return try while".split(" "),
  ..."with yield".split(" "),
]);

const BLANK = /(?:[ \t\f]|\\\n)+/y;
const COMMENT = /#[^\n]*/y;
const NAME = /[\p{XID_Start}_]\p{XID_Continue}*/uy;
const OPERATOR = /\*\*=?|\/\/=?|<<=?|>>=?|<>|\.\.\.|->|:=|[-+*/%@&|^<>=!]=|[-+*/%@&|^~<>=()[\]{},:.;!?$`]/y;
const CLOSING: Record<string, string> = { ")": "(", "]": "[", "}": "{" };

const BASED = /0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)/y;
const DECIMAL = /(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][-+]?\d(?:_?\d)*)?[jJ]?/y;

/** The text in pieces, and the last bracket that is never closed. Line ends inside brackets mean
 * nothing. */
export function tokens(source: string): { tokens: Token[]; unclosed: Token | undefined } {
  return new Scanner(source).scan();
}

class Scanner {
  private readonly found: Token[] = [];
  private readonly open: Token[] = [];
  private at = 0;
  private comment = -1;

  constructor(private readonly source: string) {}

  scan(): { tokens: Token[]; unclosed: Token | undefined } {
    while (this.at < this.source.length) this.next();
    this.push("newline", 0);
    this.push("end", 0);
    return { tokens: this.found, unclosed: this.open.at(-1) };
  }

  private next(): void {
    const blank = this.match(BLANK);
    const comment = this.match(COMMENT);
    if (comment) this.comment = this.at;
    if (blank || comment) this.at += blank || comment;
    else if (this.source[this.at] === "\n") this.line();
    else if (/[\d]|\.\d/y.test(this.source.slice(this.at, this.at + 2))) this.number();
    else this.word();
  }

  private line(): void {
    if (this.open.length) this.at += 1;
    else this.push("newline", 1);
  }

  private word(): void {
    const name = this.match(NAME);
    if (name) return this.push(KEYWORDS.has(this.piece(name)) ? "keyword" : "name", name);
    const operator = this.match(OPERATOR);
    if (operator) return this.operator(operator);
    throw new Mistake(this.at, "a character of no formula", "Remove it.");
  }

  private operator(length: number): void {
    const text = this.piece(length);
    this.push("operator", length);
    const token = this.found.at(-1)!;
    if ("([{".includes(text)) this.open.push(token);
    if (this.open.length > MAX_NESTED) {
      throw new Mistake(token.start, "too many brackets inside each other", NESTED);
    }
    if (!(text in CLOSING)) return;
    const opening = this.open.pop();
    if (!opening) throw new Mistake(token.start, `a '${text}' that closes nothing`, BRACKETS);
    if (opening.text === CLOSING[text]) return;
    throw new Mistake(token.start, `a '${text}' where '${opening.text}' is to be closed`, BRACKETS);
  }

  /** A number, and right behind it neither a digit nor a letter. */
  private number(): void {
    const length = this.match(BASED) || this.match(DECIMAL);
    const text = this.piece(length);
    const after = this.source.slice(this.at + length);
    const follows = /^[\p{XID_Continue}]+/u.exec(after)?.[0] ?? "";
    if (follows && !KEYWORDS.has(follows)) throw this.half(text, after, follows);
    if (/^0[\d_]*[1-9]/.test(text) && /^[\d_]+$/.test(text)) {
      throw new Mistake(this.at, "a number that begins with 0", "Leave the 0 out.");
    }
    if (/^\d[\d_]*$/.test(text) && text.replaceAll("_", "").length > MAX_DIGITS) {
      throw new Mistake(this.at, "a number of too many digits", "Write inf for infinity.");
    }
    this.push("number", length);
  }

  /** A number that breaks off: the caret stands below the last character that belongs to it. */
  private half(text: string, after: string, follows: string): Mistake {
    const end = this.at + text.length;
    const wrongDigit = /^0[oObB]/.test(text + follows) ? /^[oObB]?_?\d/.exec(after) : null;
    if (wrongDigit) {
      const place = end + wrongDigit[0].length - 1;
      return new Mistake(place, "a digit too large", "Its digits go to 7 or to 1.");
    }
    const more = /^(?:_|[eE][-+])/.exec(after) ?? (text === "0" ? /^[xXoObB]/.exec(after) : null);
    return new Mistake(end + (more?.[0].length ?? 0) - 1, "a number that breaks off", "Write all its digits.");
  }

  private match(pattern: RegExp): number {
    pattern.lastIndex = this.at;
    return pattern.exec(this.source)?.[0].length ?? 0;
  }

  private piece(length: number): string {
    return this.source.slice(this.at, this.at + length);
  }

  private push(kind: Token["kind"], length: number): void {
    // A line ends where its comment begins: there something is missing, if it is.
    const start = kind === "newline" && this.comment >= 0 ? this.comment : this.at;
    this.found.push({ kind, text: this.piece(length), start, end: this.at + length });
    this.comment = -1;
    this.at += length;
  }
}
