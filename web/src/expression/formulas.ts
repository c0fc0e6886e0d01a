import { Cursor } from "./cursor";
import { CHOICE } from "./habits";
import { Mistake, TooDeep } from "./tree";
import type { Tree } from "./tree";

/** How tightly operators bind, as in Python; what a formula does not know is read too, so that an
 * error can name it. */
const LEVELS: Record<string, number> = {
  or: 1, and: 2,
  "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9,
  "*": 10, "/": 10, "//": 10, "%": 10, "@": 10,
};
const NOT = 3;
const COMPARE = 4;
const UNARY = 11;
const COMPARISONS = new Set(["<", "<=", ">", ">=", "==", "!=", "in", "is", "not"]);
const COMMA = "A sign or a comma stands between them.";
const MAX_RECURSION = 1_500;

/** Reads formulas: all that Python's grammar has between operators and brackets. */
export class Formulas extends Cursor {
  private brackets = 0;
  private depth = 0;

  /** Formulas with commas between them are a tuple, which no formula is. */
  protected several(yields: boolean): Tree {
    const start = this.peek.start;
    if (yields && this.is("yield")) return this.rest(start);
    let value = this.starred();
    while (this.accept(",")) {
      if (this.begins() || this.is("*")) this.starred();
      value = this.foreign(start, "commas");
    }
    return value;
  }

  private rest(start: number): Tree {
    while (this.peek.kind !== "newline" && !this.is(";") && !this.is(")")) this.at += 1;
    return this.foreign(start, "other");
  }

  private starred(): Tree {
    const start = this.peek.start;
    if (!this.accept("*")) return this.expression();
    this.binary(5);
    return this.foreign(start, "other");
  }

  // --- operators ----------------------------------------------------------------------------------

  private expression(): Tree {
    const start = this.peek.start;
    if (this.is("lambda")) return this.lambda(start);
    let value = this.binary(1);
    if (this.accept("if")) {
      this.binary(1);
      if (!this.accept("else")) throw new Mistake(start, "an 'if' without its 'else'", CHOICE);
      this.expression();
      value = this.foreign(start, "choice");
    }
    // Inside brackets two formulas side by side lack something between them.
    if (this.brackets && this.begins() && !this.is("[") && !this.is("(")) throw this.lacking(start);
    return value;
  }

  private lacking(start: number): Mistake {
    const { text } = this.peek;
    if (this.peek.kind === "keyword") return this.unexpected();
    return this.openAtTheEnd() ?? new Mistake(start, `two formulas side by side, the second at '${text}'`, COMMA);
  }

  private lambda(start: number): Tree {
    this.at += 1;
    while (!this.is(":") && this.peek.kind !== "newline") this.at += 1;
    this.expect(":");
    this.expression();
    return this.foreign(start, "other");
  }

  /** Operators that bind at least as tightly as `level`. */
  private binary(level: number): Tree {
    this.depth += 1;
    if (this.depth > MAX_RECURSION) throw new TooDeep();
    const start = this.peek.start;
    let left = this.prefix(level);
    for (;;) {
      const op = this.peek.text;
      const own = this.operatorLevel();
      if (own < level) break;
      if (own === COMPARE) left = this.comparison(left, start);
      else {
        this.at += 1;
        const right = this.binary(own + 1);
        const place = { start, end: this.end };
        if (own < NOT) left = { kind: "foreign", what: "logic", ...place };
        else left = { kind: "binary", op, left, right, ...place };
      }
    }
    this.depth -= 1;
    return left;
  }

  private operatorLevel(): number {
    const { kind, text } = this.peek;
    if (kind !== "operator" && kind !== "keyword") return 0;
    if (text === "not") return this.tokens[this.at + 1]?.text === "in" ? COMPARE : 0;
    return COMPARISONS.has(text) ? COMPARE : Object.hasOwn(LEVELS, text) ? LEVELS[text]! : 0;
  }

  private comparison(left: Tree, start: number): Tree {
    const ops: string[] = [];
    const rights: Tree[] = [];
    while (this.operatorLevel() === COMPARE) {
      const op = this.take().text;
      if (op === "not") this.at += 1;
      if (op === "is") this.accept("not");
      ops.push(op);
      rights.push(this.binary(COMPARE + 1));
    }
    return { kind: "compare", left, ops, rights, start, end: this.end };
  }

  private prefix(level: number): Tree {
    const { start, text, kind } = this.peek;
    if (kind === "keyword" && text === "not" && level <= NOT) {
      this.at += 1;
      this.binary(NOT);
      return this.foreign(start, "other");
    }
    if (kind !== "operator" || !["+", "-", "~"].includes(text)) return this.power();
    this.at += 1;
    const operand = this.binary(UNARY);
    if (text === "~") return this.foreign(start, "other");
    return { kind: "unary", op: text as "+" | "-", operand, start, end: this.end };
  }

  /** A power binds its base more tightly than a sign, and its exponent less: -a ** -b. */
  private power(): Tree {
    const start = this.peek.start;
    let left = this.accept("await") ? (this.primary(), this.foreign(start, "other")) : this.primary();
    if (this.accept("**")) {
      const right = this.binary(UNARY);
      left = { kind: "binary", op: "**", left, right, start, end: this.end };
    }
    return left;
  }

  private primary(): Tree {
    const start = this.peek.start;
    let value = this.atom();
    for (;;) {
      if (this.is("(")) value = this.call(value, start);
      else if (this.is("[")) {
        this.skipBracket();
        value = this.foreign(start, "subscript");
      } else if (this.accept(".")) {
        if (this.peek.kind !== "name") throw this.unexpected();
        this.at += 1;
        value = this.foreign(start, "attribute");
      } else return value;
    }
  }

  private atom(): Tree {
    const token = this.take();
    const { kind, text, start, end } = token;
    if (kind === "number") return numberOf(text, start, end);
    if (kind === "name") return { kind: "name", name: text.normalize("NFKC"), start, end };
    if (text === "...") return this.foreign(start, "other");
    if (kind === "keyword" && ["True", "False", "None"].includes(text)) return this.foreign(start, "other");
    this.at -= 1;
    if (text === "(") return this.group();
    if (text === "[") return this.list();
    if (text === "{") {
      this.skipBracket();
      return this.foreign(start, "braces");
    }
    throw this.unexpected();
  }

  // --- brackets -----------------------------------------------------------------------------------

  private group(): Tree {
    const { start } = this.take();
    if (this.accept(")")) return this.foreign(start, "other");
    this.brackets += 1;
    const value = this.several(true);
    if (this.is("for")) {
      this.skipTo(")");
      return this.foreign(start, "other");
    }
    this.brackets -= 1;
    this.expect(")");
    return value.kind === "foreign" && value.what === "commas" ? this.foreign(start, "commas") : value;
  }

  private list(): Tree {
    const { start } = this.take();
    this.brackets += 1;
    const members: Tree[] = [];
    while (!this.is("]")) {
      members.push(this.starred());
      if (this.is("for")) {
        this.skipTo("]");
        return this.foreign(start, "other");
      }
      if (!this.accept(",") && !this.is("]")) throw this.unexpected();
    }
    this.brackets -= 1;
    this.at += 1;
    return { kind: "list", members, start, end: this.end };
  }

  private call(callee: Tree, start: number): Tree {
    const opening = this.take().start;
    this.brackets += 1;
    const args: Tree[] = [];
    const named: { name: string; value: Tree }[] = [];
    while (!this.is(")")) {
      this.argument(args, named, opening);
      if (!this.accept(",") && !this.is(")")) throw this.unexpected();
    }
    this.brackets -= 1;
    this.at += 1;
    return { kind: "call", callee, args, named, start, end: this.end };
  }

  private argument(args: Tree[], named: { name: string; value: Tree }[], opening: number): void {
    const { kind, text } = this.peek;
    if (kind === "name" && this.tokens[this.at + 1]?.text === "=") {
      this.at += 2;
      named.push({ name: text.normalize("NFKC"), value: this.expression() });
    } else if (this.accept("**")) {
      named.push({ name: "", value: this.expression() });
    } else {
      const value = this.starred();
      if (this.is("for")) {
        this.skipTo(")");
        this.at -= 1;
        this.brackets += 1;
        args.push({ kind: "foreign", what: "other", start: opening, end: this.peek.end });
        return;
      }
      if (named.length) throw this.positional();
      args.push(value);
    }
  }

  private positional(): Mistake {
    const { start } = this.is(")") ? this.peek : this.tokens[this.at - 1]!;
    return new Mistake(start, "an argument without a name behind one with a name", "Put it first.");
  }

  private skipBracket(): void {
    let level = 0;
    do {
      if (this.peek.kind === "newline") throw this.unexpected();
      const { text, kind } = this.take();
      if (kind === "operator" && "([{".includes(text)) level += 1;
      if (kind === "operator" && ")]}".includes(text)) level -= 1;
    } while (level);
  }

  /** Past the bracket that closes the one we are in. */
  private skipTo(closing: string): void {
    this.brackets -= 1;
    while (!this.is(closing)) {
      if (this.peek.kind === "newline") throw this.unexpected();
      if ("([{".includes(this.peek.text) && this.peek.kind === "operator") this.skipBracket();
      else this.at += 1;
    }
    this.at += 1;
  }
}

function numberOf(text: string, start: number, end: number): Tree {
  if (/[jJ]$/.test(text)) return { kind: "foreign", what: "other", start, end };
  const digits = text.replaceAll("_", "");
  const value = /^0[xXoObB]/.test(digits) ? Number(BigInt(digits.toLowerCase())) : Number(digits);
  // A whole number beyond the range is a mistake, 1e999 is infinity: so it is in Python.
  const whole = /^(?:\d+|0[xXoObB].+)$/.test(digits);
  if (whole && value === Infinity) return { kind: "foreign", what: "whole number", start, end };
  return { kind: "number", value, start, end };
}
