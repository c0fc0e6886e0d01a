import { COMPLETE } from "./grammar";
import {
  CLOSING, EXPECTED, FORMULA, MALFORMED, NOTATION, PRIMES, QUOTES, RESERVED, STATEMENTS, SUBSCRIPTS, SUPERSCRIPTS,
} from "./language";
import { errorAt, firstComplete, pointAt, shortened } from "./messages";
import type { ExpressionError, Fields, Key } from "./messages";
import { Position, SHORT, unbracketed } from "./position";
import { ends } from "./tokens";
import type { Token } from "./tokens";

type Hint = ExpressionError | null;

const FIXES = new Map(
  NOTATION.flatMap(([signs, ...fixes]) => signs!.split(" ").map((sign) => [sign, fixes] as const)),
);

/** The first hint about another notation in a statement: 2a, x², |x|, √x, a loop. Only a text that is
 * not a formula is searched for them. */
export function hint(text: string, tokens: readonly Token[], first: number): Hint {
  for (let at = first; at < tokens.length; at++) {
    const found = new Hints(text, tokens, at).hint();
    if (found || ends(tokens[at]!)) return found;
  }
  return null;
}

/** The hints about one token. */
class Hints extends Position {
  hint(): Hint {
    const { kind, text } = this.token;
    if (kind === "quotation") return this.prime() ?? this.found("quotation");
    if (kind === "keyword") return this.keyword();
    if (kind === "sign" && !CLOSING.has(text)) return this.sign();
    return (kind === "number" ? this.number() : null) ?? this.adjacent();
  }

  /** The error with a message at the token. */
  private found(key: Key, fields: Fields = {}): ExpressionError {
    return errorAt(this.text, this.token, key, fields);
  }

  // --- words and numbers ----------------------------------------------------------------------------

  private keyword(): Hint {
    const { text: word } = this.token;
    const [before, after] = [this.near(-1), this.near(1)];
    const named = ["=", "+", "*", "/", "//", "**", "%", ")"].includes(after.text);
    const isFunction = word === "lambda" && (after.kind === "name" || after.text === ":");
    const fix = (!named && STATEMENTS.get(isFunction ? "def" : word)) || "";
    if (fix && (isFunction || before.kind === "line" || before.text === ";")) {
      return this.found("statement", { code: `'${word}'`, fix });
    }
    return RESERVED.includes(word) ? this.found("reserved", { fix }) : null;
  }

  private number(): Hint {
    const { text, start } = this.token;
    if (COMPLETE.test(text)) return null;
    for (const [key, pattern] of MALFORMED as [Key, string][]) {
      const found = new RegExp(`^(?:${pattern})`).exec(text);
      if (found) return errorAt(this.text, start + found[0].length, key);
    }
    return null;
  }

  // --- two operands with nothing between them -------------------------------------------------------

  private adjacent(): Hint {
    const [before, { kind, text, start }] = [this.near(-1), this.token];
    const begins = kind === "number" || kind === "name" || text === "{" || (text === "(" && before.kind === "number");
    const a = this.before();
    if (!begins || !a || this.newLine()) return null;
    if (before.kind === "number" && kind === "number" && before.end === start) return null; // 1.5.2
    const exponent = before.kind === "number" && (text === "e" || text === "E");
    const fields = { before: before.text, function: this.function(), a, b: this.operand(0) };
    const marks = { mantissa: exponent ? a : "", factor: this.called() ? a : "" };
    return this.found("adjacent", { ...fields, ...marks });
  }

  /** Whether a new line begins here inside a bracket that is never closed. */
  private newLine(): boolean {
    const broken = this.text.slice(this.near(-1).end, this.token.start).includes("\n");
    const bracket = this.tokens[this.token.inside];
    return broken && bracket !== undefined && bracket.partner < 0;
  }

  // --- signs ----------------------------------------------------------------------------------------

  private sign(): Hint {
    const { text } = this.token;
    if (text === "=") return this.equals();
    if (QUOTES.includes(text)) return this.prime() ?? this.found("quotation");
    if (FIXES.has(text)) return this.notation();
    return (PRIMES.includes(text) ? this.prime() : null) ?? this.unknown();
  }

  /** The error about a sign of the table. */
  private notation(): ExpressionError {
    const { text: got, start } = this.token;
    const fix = firstComplete(FIXES.get(got)!, this.fields());
    return pointAt(this.text, start, { expected: EXPECTED.get(got) ?? FORMULA, got, fix });
  }

  /** The texts that a fix may contain. */
  private fields(): Fields {
    const line = this.text.slice(this.token.end).split("\n")[0]!;
    const inside = line.includes("|") ? shortened(line.split("|")[0]!) : "";
    const [b, { kind, text }] = [this.operand(1), this.near(1)];
    return {
      a: this.before(),
      b,
      function: this.function(),
      argument: unbracketed(b),
      digits: this.digits(),
      inside: Array.from(inside).length <= SHORT ? inside : "",
      command: kind === "name" || kind === "keyword" ? text : "",
      plain: this.plain(),
    };
  }

  /** A prime directly after a name. */
  private prime(): Hint {
    const [code, before] = [this.token.text[0]!, this.near(-1)];
    if (!PRIMES.includes(code) || before.kind !== "name" || before.end !== this.token.start) return null;
    return this.found("prime", { code, name: before.text });
  }

  /** A sign of equality in brackets, unless it is that of a named argument. */
  private equals(): Hint {
    if (this.tokens[this.token.inside]?.text !== "(") return null;
    const called = this.called();
    if (called && this.near(-1).kind === "name" && ["(", ","].includes(this.near(-2).text)) return null;
    return this.found("equals", { example: called ? "clip(x, min=0)" : "" });
  }

  /** All raised or lowered digits from here on, as a number. */
  private digits(): string {
    const digits = SUPERSCRIPTS.includes(this.token.text) ? SUPERSCRIPTS : SUBSCRIPTS;
    const rest = [...this.text.slice(this.token.start, this.token.start + 8)];
    const end = rest.findIndex((character) => !digits.includes(character));
    return rest.slice(0, end < 0 ? rest.length : end).join("").normalize("NFKC").replaceAll("−", "-");
  }

  /** How a keyboard types the sign; or "". */
  private plain(): string {
    const plain = this.token.text.normalize("NFKC").replaceAll("⁄", "/");
    return /^[ -~]+$/.test(plain) && !/^\.+$/.test(plain) ? plain : "";
  }

  /** A character that no formula has. */
  private unknown(): Hint {
    const { text } = this.token;
    if (/^[ -~]+$/.test(text)) return null;
    const code = `U+${text.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
    if (/^\p{Zs}/u.test(text)) return this.found("blank", { code });
    if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(text)) return this.found("invisible", { code });
    return this.found("unknown", { plain: this.plain() });
  }
}
