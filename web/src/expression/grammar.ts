import { ASSIGNMENTS, BINARY, CLOSING, MAX_BRACKETS, NUMERAL, PREFIX } from "./language";
import { ExpressionError, errorAt } from "./messages";
import { NOTHING, ends } from "./tokens";
import type { Token } from "./tokens";

/** A part of a formula, from `start` to `end` of the text. */
export interface Node {
  kind: "number" | "name" | "constant" | "operator" | "named" | "call" | "index" | "attribute" | "," | "(" | "[" | "{";
  /** The number, name or operator. */
  text: string;
  start: number;
  end: number;
  /** The offset of the operator or bracket. */
  at: number;
  /** Operands; of a call the function and the arguments. */
  parts: readonly Node[];
}

/** An operator that waits for its right operand, or a bracket that is not closed yet. */
interface Pending {
  kind: Node["kind"];
  token: Token;
  right: number;
  operands: number;
}

export const COMPLETE = new RegExp(`^(?:${NUMERAL})$`);
const CONSTANTS = ["True", "False", "None"];
const CLOSED = new Map([...CLOSING].map(([opening, closing]) => [closing, opening]));
/** How tightly `min=` binds the value of an argument. */
const NAMED = 6;

/** The node without round brackets around it. */
export function bare(node: Node): Node {
  while (node.kind === "(" && node.text === "(" && node.parts.length) node = node.parts[0]!;
  return node;
}

/** The sign of an operator between two operands, or "". */
export function operatorOf(node: Node): string {
  return node.kind === "operator" && node.parts.length === 2 ? node.text : "";
}

/** Reads the tree of the statement that begins with a token, by operator precedence.
 *
 * Operands and pending operators are kept on two lists, so that deep formulas need no deep stack.
 * Parts of Python's grammar that a formula does not have (`a and b`, `x[0]`) are accepted here. The
 * reader refuses these nodes, and its error can show all of them. */
export function parseStatement(text: string, tokens: readonly Token[], first: number): Node {
  return new Parser(text, tokens, first).statement();
}

class Parser {
  private readonly nodes: Node[] = [];
  private readonly pending: Pending[] = [{ kind: "(", token: NOTHING, right: -1, operands: 0 }];
  /** An operand comes next, not an operator. */
  private due = true;
  private brackets = 0;

  constructor(
    private readonly text: string,
    private readonly tokens: readonly Token[],
    private at: number,
  ) {}

  statement(): Node {
    let token = this.tokens[this.at]!;
    for (; !ends(token); token = this.tokens[this.at]!) {
      this.at += 1;
      if (CLOSED.has(token.text)) this.close(token);
      else if (this.due) this.operand(token);
      else this.operator(token);
    }
    this.complete(token);
    if (this.due || this.pending.length > 1) throw this.unexpected(token);
    return this.nodes.pop()!;
  }

  private operand(token: Token): void {
    const { text, kind } = token;
    const prefix = PREFIX.get(text) ?? -2;
    if (this.isNamed(token)) {
      this.wait("named", token, NAMED, 1);
      if (kind === "name") this.at += 1;
    } else if (kind === "name") this.push(leaf("name", token, text.normalize("NFKC")));
    else if (CONSTANTS.includes(text)) this.push(leaf("constant", token));
    else if (COMPLETE.test(text)) this.push(leaf("number", token));
    else if (prefix >= this.pending.at(-1)!.right) this.wait("operator", token, prefix, 1);
    else if (text === "(" || text === "[") this.open(text, token);
    else if (text === "{") this.push(this.skipped("{", token));
    else throw this.unexpected(token);
  }

  private operator(token: Token): void {
    const { text } = token;
    const following = this.tokens[this.at]!;
    if (BINARY.has(text) && (token.inside < 0 || !ASSIGNMENTS.includes(text))) this.binary(token);
    else if (text === "(") this.open("call", token);
    else if (text === "[") this.push(this.skipped("index", token, this.nodes.pop()));
    else if (text === "." && following.kind === "name") {
      this.at += 1;
      const { start } = this.nodes.pop()!;
      this.push({ ...leaf("attribute", token), start, end: following.end });
    } else throw this.unexpected(text === "." ? following : token);
  }

  private binary(token: Token): void {
    const [left, right] = BINARY.get(token.text)!;
    this.reduce(left);
    if (token.text === "else" && operatorOf(this.nodes.at(-1)!) !== "if") throw this.unexpected(token);
    this.wait(token.text === "," ? "," : "operator", token, right, 2);
  }

  /** Whether `name=` or `**` begins an argument of a call. */
  private isNamed({ kind, text }: Token): boolean {
    const last = this.pending.at(-1)!;
    const bracket = last.token.text === "," ? this.pending.at(-2)! : last;
    const named = kind === "name" && this.tokens[this.at]!.text === "=";
    return bracket.kind === "call" && (named || text === "**");
  }

  // --- the two lists --------------------------------------------------------------------------------

  private push(node: Node): void {
    this.nodes.push(node);
    this.due = false;
  }

  private wait(kind: Node["kind"], token: Token, right: number, operands: number): void {
    this.pending.push({ kind, token, right, operands });
    this.due = true;
  }

  /** Applies the pending operators that bind more tightly than one that binds so tightly. */
  private reduce(left: number): void {
    while (this.pending.at(-1)!.right >= left) {
      const operator = this.pending.pop()!;
      this.apply(operator, operator.operands);
    }
  }

  private apply({ kind, token }: Pending, operands: number): void {
    let parts: readonly Node[] = this.nodes.splice(-operands);
    const start = Math.min(token.start, parts[0]!.start);
    const end = Math.max(token.end, parts.at(-1)!.end);
    // One node for a list of any length.
    if (kind === "," && parts[0]!.kind === ",") parts = [...parts[0]!.parts, ...parts.slice(1)];
    this.push({ ...leaf(kind, token), start, end, parts });
  }

  // --- brackets -------------------------------------------------------------------------------------

  private open(kind: Node["kind"], token: Token): void {
    this.brackets += 1;
    if (this.brackets > MAX_BRACKETS) throw errorAt(this.text, token, "nested");
    this.wait(kind, token, -1, 0);
  }

  private close(token: Token): void {
    this.checkPair(token);
    this.complete(token);
    this.brackets -= 1;
    const { kind, token: opening } = this.pending.pop()!;
    const inside = this.due ? [] : [this.nodes.pop()!];
    const callee = kind === "call" ? [this.nodes.pop()!] : [];
    const many = inside[0]?.kind === "," ? inside[0].parts : [];
    const text = kind === "(" && many.length ? "," : opening.text;
    const parts = kind === "(" ? inside : [...callee, ...(many.length ? many : inside)];
    const start = callee[0]?.start ?? opening.start;
    this.push({ kind, text, start, end: token.end, at: opening.start, parts });
  }

  /** A node for brackets whose contents are not read. */
  private skipped(kind: Node["kind"], token: Token, operand?: Node): Node {
    if (token.partner < 0) throw errorAt(this.text, token, "unclosed", { partner: CLOSING.get(token.text)! });
    const closing = this.tokens[token.partner]!;
    this.checkPair(closing);
    this.at = token.partner + 1;
    const text = operand ? "[]" : token.text;
    return { ...leaf(kind, token, text), start: (operand ?? token).start, end: closing.end };
  }

  /** Applies all operators since the last open bracket; a comma may stand at the end. */
  private complete(token: Token): void {
    const last = this.pending.at(-1)!;
    if (this.due && last.kind === ",") this.apply(this.pending.pop()!, 1);
    else if (this.due && last.right >= 0) throw this.unexpected(token);
    this.reduce(0);
  }

  // --- errors ---------------------------------------------------------------------------------------

  /** Throws an error if a closing bracket has no partner of its kind. */
  private checkPair(token: Token): void {
    const opening = this.tokens[token.partner]?.text;
    if (opening === undefined) throw errorAt(this.text, token, "unopened", { partner: CLOSED.get(token.text)! });
    if (opening === CLOSED.get(token.text)) return;
    throw errorAt(this.text, token, "mismatch", { opening, partner: CLOSING.get(opening)! });
  }

  private unexpected(token: Token): ExpressionError {
    const ended = token.kind === "line";
    const unclosed = this.pending.slice(1).filter((one) => one.right < 0 && one.token.partner < 0);
    const opening = unclosed.at(-1)?.token;
    if (opening && (ended || !this.due)) {
      return errorAt(this.text, opening, "unclosed", { partner: CLOSING.get(opening.text)! });
    }
    return errorAt(this.text, token, ended ? "end" : "token");
  }
}

function leaf(kind: Node["kind"], { text, start, end }: Token, own = text): Node {
  return { kind, text: own, start, end, at: start, parts: [] };
}
