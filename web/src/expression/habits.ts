/** What other notations write and formulas do not: 2a, x², |x|, √x, loops. Each has its advice.
 *
 * Python's reader has the same list (gradwalk/expression/habits.py), and one table of cases holds
 * for both. */
import { CLOSING, OPENING, cut } from "./pieces";
import { Place } from "./place";
import { OTHER_NAMES, shortened } from "./pointing";
import { FUNCTIONS } from "./program";

export const SAMPLE = "a formula such as (a + b) * c";
export const LINE = "name = formula, and a formula at the end";
export const OPERATOR = "one of + - * / // ** %";

export const NESTED = "Nest it: where(a < b, where(b < c, x, y), y).";
export const CHOICE = "Write where(condition, a, b).";
export const OWN_LINE = "A name is given on a line of its own: d = a * b.";
const UNQUOTED = "Names stand without quotation marks.";
const LOOP = "There are no loops: give every step a line of its own.";
const BUILT_IN = "Leave the line out: the functions are there without it.";
const WRITTEN_OUT = "There are no functions of your own: write the formula itself.";
const STATEMENTS = new Map([
  ["if", CHOICE], ["elif", CHOICE], ["else", CHOICE], ["for", LOOP], ["while", LOOP],
  ["import", BUILT_IN], ["from", BUILT_IN], ["def", WRITTEN_OUT], ["class", WRITTEN_OUT],
  ["return", "Leave 'return' out: the last line is the result."],
]);
/** Words of Python's grammar that mean nothing inside of a formula. */
const NO_NAMES = new Set([
  ..."as assert async break class continue def del elif except finally from global import".split(" "),
  ..."nonlocal pass raise return try while with lambda yield await".split(" "),
]);

const all = (signs: string, sign: string) => [...signs].map((one) => [one, sign] as const);
const SIGNS = new Map([
  ...all("×⋅∙∗•✕⨯", "*"), ...all("÷∕⁄", "/"), ...all("−–—‐‑", "-"),
  ["≤", "<="], ["≥", ">="], ["≠", "!="], ["∞", "inf"], ["←", "="], ["≔", "="], ["<>", "!="],
]);
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻";
const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";
const ROOTS = new Map([["√", "sqrt"], ["∛", "cbrt"]]);
const QUOTES = [..."\"'“”‘’„‚«»‹›"];
const PRIMES = [..."'’′″"];
const DOTS = "·\u0387"; // these and the next may stand in a name of Python
const RAISED = "ⁿⁱ";

/** What came, and how to write what was meant. */
export interface Habit {
  offset: number;
  got: string;
  fix: string;
  expected: string;
}

/** The first one of a text; null if it has none, which does not make it a formula. */
export function habit(source: string): Habit | null {
  const pieces = cut(source);
  for (let at = 0; at < pieces.length; at++) {
    const found = new Look(source, pieces, at).habit();
    if (found) return found;
  }
  return null;
}

/** A piece that may be a habit. */
class Look extends Place {
  habit(): Habit | null {
    const { kind, text } = this.piece;
    if (kind === "quotation") return this.prime() ?? this.found(shortened(text), UNQUOTED);
    if (kind === "keyword") return this.keyword();
    if (kind === "sign" && !OPENING.includes(text)) return this.sign();
    return (kind === "name" ? this.name() : null) ?? this.sideBySide();
  }

  private found(got: string, fix: string, expected = SAMPLE, offset = this.piece.start): Habit {
    return { offset, got, fix, expected };
  }

  // --- words --------------------------------------------------------------------------------------

  private keyword(): Habit | null {
    const { text: word } = this.piece;
    const before = this.near(-1);
    const begins = before.text === ";" || before.kind === "line";
    const named = ["=", "+", "*", "/", "//", "**", "%", ")"].includes(this.near(1).text);
    const advice = STATEMENTS.get(word);
    if (begins && advice && !named) return this.found(`'${word}'`, advice, LINE);
    if (word === "lambda" && this.colonFollows()) return this.found(`'${word}'`, WRITTEN_OUT);
    const fix = "No formula has it; name a variable otherwise.";
    return NO_NAMES.has(word) ? this.found(`'${word}', a word of Python`, fix) : null;
  }

  private colonFollows(): boolean {
    const line = this.pieces.findIndex(({ kind }, k) => k > this.at && kind === "line");
    return this.pieces.slice(this.at, line < 0 ? undefined : line).some(({ text }) => text === ":");
  }

  /** Dots and raised letters, which Python takes for a part of the name. */
  private name(): Habit | null {
    const { text, start } = this.piece;
    for (let k = 0; k < text.length; k++) {
      const [letter, a, b] = [text[k]!, text.slice(0, k), text.slice(k + 1)];
      const power = text.slice(k).normalize("NFKC");
      if (DOTS.includes(letter)) {
        return this.found(letter, b ? `Write ${a} * ${b}.` : "Write * instead.", SAMPLE, start + k);
      }
      if (RAISED.includes(letter)) {
        return this.found(letter, `A power is written **: ${a} ** ${power}.`, SAMPLE, start + k);
      }
    }
    return null;
  }

  // --- two operands with nothing between them -----------------------------------------------------

  private sideBySide(): Habit | null {
    const [before, { kind, text, start }] = [this.near(-1), this.piece];
    const operand = (what: string) => what === "number" || what === "name";
    if (!operand(before.kind) && !CLOSING.includes(before.text)) return null;
    if (!operand(kind) && text !== "{" && !(text === "(" && before.kind === "number")) return null;
    if (this.openAtALine()) return null;
    if (before.kind === "number" && before.end === start && this.oneNumber()) return null;
    return this.found(`${text} right behind ${before.text}`, this.between());
  }

  /** Whether a new line begins here inside a bracket that is never closed. */
  private openAtALine(): boolean {
    const { opening, start } = this.piece;
    const broken = this.source.slice(this.near(-1).end, start).includes("\n");
    return broken && opening >= 0 && this.closing(opening) === opening;
  }

  /** Whether this looks like more digits of what stands before: 1.5.2, 1_, 0xg. */
  private oneNumber(): boolean {
    const { kind, text } = this.piece;
    if (kind === "number" || text.startsWith("_")) return true;
    return this.near(-1).text === "0" && "xXoObB".includes(text[0]!) && Array.from(text).length < 3;
  }

  /** What to write between two operands: brackets behind a function, a * otherwise. */
  private between(): string {
    const [before, { text, opening }] = [this.near(-1), this.piece];
    const name = OTHER_NAMES.get(before.text) ?? before.text;
    if (before.kind === "name" && (FUNCTIONS.includes(name) || name === "logsumexp")) {
      return `Write ${name}(${this.operand(0)}).`;
    }
    const product = `${this.before()} * ${this.operand(0)}`;
    if (before.kind === "number" && (text === "e" || text === "E")) {
      return `Write ${product}. An exponent has digits: 1e5.`;
    }
    const called = opening > 0 && this.pieces[opening - 1]!.kind === "name";
    return `Write ${product}${called ? ", or a comma between them" : ""}.`;
  }

  // --- signs --------------------------------------------------------------------------------------

  private sign(): Habit | null {
    const { text } = this.piece;
    if (text === "=") return this.equals();
    if (QUOTES.includes(text)) return this.prime() ?? this.found(text, UNQUOTED);
    if (PRIMES.includes(text)) return this.prime() ?? this.unknown();
    if (text === ":=") return this.found(text, OWN_LINE, LINE);
    if (text === "^") return this.found(text, this.power(this.operand(1)), OPERATOR);
    const advice = this.advice(text);
    return advice ? this.found(text, advice) : this.unknown();
  }

  /** A prime right behind a name. */
  private prime(): Habit | null {
    const [sign, before] = [this.piece.text[0]!, this.near(-1)];
    if (!PRIMES.includes(sign) || before.kind !== "name" || before.end !== this.piece.start) return null;
    return this.found(sign, `A name has letters, digits and _: ${before.text}_1.`);
  }

  /** How to write what a sign of mathematics or of another language means; "" if it has no meaning. */
  private advice(text: string): string {
    const before = this.before();
    const sign = SIGNS.get(text);
    const root = ROOTS.get(text);
    if (SUPERSCRIPTS.includes(text)) return this.power(this.row(SUPERSCRIPTS));
    if (SUBSCRIPTS.includes(text) && before) return `Write ${before}${this.row(SUBSCRIPTS)}.`;
    if (sign) return this.instead(sign);
    if (root) return `Write ${root}(${inner(this.operand(1)) || "x"}).`;
    if (text === "&&" || text === "||") return NESTED;
    if (text === "!" && before) return `A factorial is exp(lgamma(${before} + 1)).`;
    if (text === "\\" && ["name", "keyword"].includes(this.near(1).kind)) {
      return "A formula is no TeX: write a / b, sqrt(x), x ** 2.";
    }
    return text === "|" ? this.absolute() : "\\!$?`".includes(text) ? "Remove it." : "";
  }

  /** A sign of equality in brackets, where it is not the name of an argument. */
  private equals(): Habit | null {
    const { opening } = this.piece;
    if (opening < 0 || this.pieces[opening]!.text !== "(") return null;
    const called = opening > 0 && this.pieces[opening - 1]!.kind === "name";
    if (called && this.near(-1).kind === "name" && ["(", ","].includes(this.near(-2).text)) return null;
    return this.found("=", called ? "Name an argument, as in clip(x, min=0)." : OWN_LINE);
  }

  private power(exponent: string): string {
    const base = this.before();
    if (FUNCTIONS.includes(base) && exponent) {
      return `A power stands behind the brackets: ${base}(x) ** ${exponent}.`;
    }
    if (base && exponent) return `A power is written **: ${base} ** ${exponent}.`;
    return "A power is written **, as in a ** 2.";
  }

  /** All raised or lowered digits from here on, as a number. */
  private row(digits: string): string {
    const rest = Array.from(this.source.slice(this.piece.start, this.piece.start + 8));
    const end = rest.findIndex((character) => !digits.includes(character));
    const row = rest.slice(0, end < 0 ? rest.length : end).join("");
    return row.normalize("NFKC").replaceAll("−", "-");
  }

  private absolute(): string {
    const line = this.source.slice(this.piece.end).split("\n")[0]!;
    const inside = shortened(line.split("|")[0]!);
    const closed = line.includes("|") && inside !== "" && Array.from(inside).length <= 24;
    return `An absolute value is written abs(${closed ? inside : "x"}).`;
  }

  private instead(sign: string): string {
    const [a, b] = [this.before(), this.operand(1)];
    if ("*/-".includes(sign) && a && b) return `Write ${a} ${sign} ${b}.`;
    return sign === "-" && b ? `Write -${b}.` : `Write ${sign} instead.`;
  }

  /** A character that no formula has. */
  private unknown(): Habit | null {
    const { text } = this.piece;
    if (/^[ -~]+$/.test(text)) return null;
    const code = `U+${text.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
    if (/^\p{Zs}/u.test(text)) return this.found(`a blank of another kind, ${code}`, "Type a plain one.");
    if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(text)) {
      return this.found(`an invisible character, ${code}`, "Remove it.");
    }
    const plain = text.normalize("NFKC").replaceAll("⁄", "/");
    const typed = /^[ -~]+$/.test(plain) && !/^\.+$/.test(plain);
    return this.found(text, typed ? `Write ${plain} instead.` : "Remove it.");
  }
}

/** What stands in the brackets, if it is all in one pair of them. */
function inner(code: string): string {
  return code.startsWith("(") && !code.slice(0, -1).includes(")") ? code.slice(1, -1) : code;
}
