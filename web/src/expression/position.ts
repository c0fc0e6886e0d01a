import { CALLABLE, CLOSING, OTHER_NAMES } from "./language";
import { shortened } from "./messages";
import { NOTHING } from "./tokens";
import type { Token } from "./tokens";

/** Most characters of an operand that a hint repeats. */
export const SHORT = 24;

const CLOSED = new Set(CLOSING.values());
const SIGNS = ["+", "-", "−"];

/** The token `tokens[at]` of a text, and the operands beside it. */
export class Position {
  protected readonly token: Token;

  constructor(
    protected readonly text: string,
    protected readonly tokens: readonly Token[],
    private readonly at: number,
  ) {
    this.token = this.near(0);
  }

  /** The token so many steps on; beyond the ends there is an empty line. */
  protected near(steps: number): Token {
    return this.tokens[this.at + steps] ?? NOTHING;
  }

  /** The operand that ends here: a name, a number, brackets, a call; or "". */
  protected before(): string {
    const last = this.near(-1);
    let first = last;
    if (CLOSED.has(last.text) && last.partner >= 0) {
      const caller = this.tokens[last.partner - 1];
      first = caller?.kind === "name" ? caller : this.tokens[last.partner]!;
    } else if (last.kind !== "number" && last.kind !== "name") return "";
    return brief(this.text.slice(first.start, last.end));
  }

  /** The operand that begins so many tokens on, with its sign; or "". */
  protected operand(steps: number): string {
    const first = this.near(steps);
    while (SIGNS.includes(this.near(steps).text)) steps += 1;
    const [start, following] = [this.near(steps), this.near(steps + 1)];
    const opening = start.kind === "name" && following.text === "(" ? following : start;
    if (!CLOSING.has(opening.text) && start.kind !== "number" && start.kind !== "name") return "";
    const last = this.tokens[opening.partner] ?? opening;
    const text = this.text.slice(first.start, last.end).replaceAll("−", "-");
    return brief("[{".includes(text[0]!) ? `(${text.slice(1, -1)})` : text);
  }

  /** The function whose name ends here, as a formula spells it; or "". */
  protected function(): string {
    const { kind, text } = this.near(-1);
    const name = OTHER_NAMES.get(text) ?? text;
    return kind === "name" && CALLABLE.includes(name) ? name : "";
  }

  /** Whether the bracket around the token is that of a call. */
  protected called(): boolean {
    return this.tokens[this.token.inside - 1]?.kind === "name";
  }
}

/** What is inside the brackets, if all of it is inside one pair. */
export function unbracketed(code: string): string {
  return code.startsWith("(") && !code.slice(0, -1).includes(")") ? code.slice(1, -1) : code;
}

function brief(code: string): string {
  const text = shortened(code);
  return Array.from(text).length <= SHORT ? text : "(...)";
}
