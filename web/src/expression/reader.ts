import { attribute, call } from "./calls";
import type { Part } from "./calls";
import { bare, operatorOf, parseStatement } from "./grammar";
import type { Node } from "./grammar";
import { hint } from "./hints";
import { ASSIGNMENTS, COMPARISONS, FOREIGN, MAX_DEPTH, MAX_LENGTH, PRIMITIVES } from "./language";
import { ExpressionError, errorAt } from "./messages";
import type { Step } from "./program";
import { ends, tokenize } from "./tokens";
import type { Token } from "./tokens";

const NO_TEXT = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** The steps of a formula; an `ExpressionError` at its first mistake. */
export function read(text: string): Step[] {
  const length = Array.from(text).length;
  if (length > MAX_LENGTH) throw errorAt(text, 0, "length", { count: length.toLocaleString("en-US") });
  if (NO_TEXT.test(text)) throw errorAt(text, 0, "text");
  const tokens = tokenize(text);
  const firsts = [...tokens.keys()].filter((k) => begins(tokens, k));
  if (!firsts.length) throw errorAt(text, 0, "empty");
  const trees = firsts.map((first) => hinted(text, tokens, first, () => parseStatement(text, tokens, first)));
  return trees.flatMap((tree, k) => {
    const last = k === trees.length - 1;
    return hinted(text, tokens, firsts[k]!, () => new Statement(text).steps(tree, last));
  });
}

/** Whether a statement begins with a token. */
function begins(tokens: readonly Token[], k: number): boolean {
  return tokens[k]!.kind !== "line" && (k === 0 || ends(tokens[k - 1]!));
}

/** Replaces an error about a statement by the hint about another notation in it. */
function hinted<T>(text: string, tokens: readonly Token[], first: number, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw (error instanceof ExpressionError && hint(text, tokens, first)) || error;
  }
}

/** The steps of one statement, from its tree. */
class Statement {
  constructor(private readonly text: string) {}

  steps(node: Node, last: boolean): Step[] {
    const sign = operatorOf(node);
    if (ASSIGNMENTS.includes(sign)) return this.assignment(node);
    if (last) return this.formula(node);
    throw sign === "==" ? errorAt(this.text, node.at, "equation") : errorAt(this.text, node, "unnamed");
  }

  private assignment(node: Node): Step[] {
    const [name, value] = node.parts as [Node, Node];
    if (node.text !== "=" || bare(name).kind !== "name" || ASSIGNMENTS.includes(operatorOf(value))) {
      throw errorAt(this.text, node, node.text === "=" || node.text === ":" ? "statement" : "augmented");
    }
    return [...this.formula(value), { kind: "store", name: bare(name).text }];
  }

  /** The steps of a formula, every operand before its operator, left to right. */
  private formula(root: Node): Step[] {
    const steps: Step[] = [];
    const todo: { depth: number; part: Part }[] = [{ depth: 1, part: root }];
    while (todo.length) {
      const { depth, part } = todo.pop()!;
      if (typeof part === "number") steps.push({ kind: "push", number: part });
      else if (!("parts" in part)) steps.push(part);
      else if (depth > MAX_DEPTH) throw errorAt(this.text, 0, "depth");
      else for (const one of this.parts(bare(part)).reverse()) todo.push({ depth: depth + 1, part: one });
    }
    return steps;
  }

  /** The operands of a node, and after them its step. */
  private parts(node: Node): Part[] {
    const { kind, text, parts } = node;
    const apply = (primitive: string, count: number): Step => ({ kind: "apply", primitive, count });
    if (kind === "number" && !/[jJ]$/.test(text)) return [this.number(node)];
    if (kind === "name") return [{ kind: "load", name: text, start: node.start }];
    if (kind === "call") return call(this.text, node);
    const primitive = PRIMITIVES.get(operatorOf(node));
    if (primitive) return [...parts, apply(primitive, 2)];
    if (kind === "operator" && parts.length === 1 && (text === "+" || text === "-")) {
      return text === "+" ? [...parts] : [...parts, apply("neg", 1)];
    }
    throw this.foreign(node);
  }

  private number(node: Node): number {
    const number = Number(node.text.replaceAll("_", ""));
    if (number === Infinity && !/^[^xX]*[.eE]/.test(node.text)) throw errorAt(this.text, node, "finite");
    return number;
  }

  // --- errors, each at its character ----------------------------------------------------------------

  /** The error about a part of Python's grammar that a formula does not have. */
  private foreign(node: Node): ExpressionError {
    const sign = operatorOf(node);
    if (node.kind === "attribute") return attribute(this.text, node);
    if (COMPARISONS.has(sign)) {
      return errorAt(this.text, node.at, sign === "==" ? "equality" : "comparison", { sign });
    }
    if (sign && !FOREIGN.has(sign)) return errorAt(this.text, node.at, "operator", { sign });
    return errorAt(this.text, node, "foreign", { fix: FOREIGN.get(node.text) ?? "" });
  }
}
