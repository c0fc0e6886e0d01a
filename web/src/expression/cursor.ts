import type { Token } from "./tokens";
import { BRACKETS, tokens } from "./tokens";
import { Mistake } from "./tree";
import type { Foreign, Tree } from "./tree";

const BETWEEN = "A sign stands between two operands: a + b.";
const MISSING = "Something is missing at the end of the line.";

/** A place among the pieces of a text, and questions about what comes next. */
export class Cursor {
  protected readonly tokens: Token[];
  protected at = 0;
  private readonly unclosed: Token | undefined;

  constructor(source: string) {
    const { tokens: found, unclosed } = tokens(source);
    this.tokens = found;
    this.unclosed = unclosed;
  }

  protected get peek(): Token {
    return this.tokens[this.at]!;
  }

  protected get end(): number {
    return this.tokens[this.at - 1]!.end;
  }

  protected is(text: string): boolean {
    const { kind } = this.peek;
    return this.peek.text === text && (kind === "operator" || kind === "keyword");
  }

  protected accept(text: string): boolean {
    const found = this.is(text);
    if (found) this.at += 1;
    return found;
  }

  protected take(): Token {
    const token = this.peek;
    if (token.kind !== "end") this.at += 1;
    return token;
  }

  protected expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected();
  }

  /** Whether the next token can begin a formula. */
  protected begins(): boolean {
    const { kind, text } = this.peek;
    if (kind === "operator") return ["(", "[", "{", "+", "-", "~", "..."].includes(text);
    if (kind === "keyword") return ["not", "lambda", "await", "True", "False", "None"].includes(text);
    return kind === "name" || kind === "number";
  }

  protected unexpected(): Mistake {
    const { kind, text, start } = this.peek;
    const end = kind === "newline" || kind === "end";
    const last = this.at >= this.tokens.length - 2;
    const here = end ? new Mistake(start, "the end of the line", MISSING) : new Mistake(start, `'${text}'`, BETWEEN);
    return (last && this.openAtTheEnd()) || here;
  }

  /** The bracket that is still open at the end, if that is what is wrong. */
  protected openAtTheEnd(): Mistake | undefined {
    const { start, text } = this.unclosed ?? {};
    if (start === undefined) return undefined;
    return new Mistake(start, `a '${text}' that is never closed`, BRACKETS);
  }

  protected foreign(start: number, what: Foreign): Tree {
    return { kind: "foreign", what, start, end: this.end };
  }
}
