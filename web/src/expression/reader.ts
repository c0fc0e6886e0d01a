import { TABLE, exact } from "../engine";
import { FIXES, LEAVE_OUT, ONE_NAME, ofFunction, prefix } from "./advice";
import { LINE, NESTED, OPERATOR, SAMPLE, habit } from "./habits";
import { ExpressionError, pointAt, shortened } from "./pointing";
import { FUNCTIONS } from "./program";
import type { Step } from "./program";
import { statements } from "./syntax";
import { Mistake, TooDeep } from "./tree";
import type { Statement, Tree } from "./tree";

/** Most characters that a formula may have. */
export const MAX_LENGTH = 10_000;
/** Most levels of operations that a formula may have; a sum of n terms has n of them. */
export const MAX_DEPTH = 1_000;

const BINARY: Record<string, string> = {
  "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "**": "pow",
};
const COMPARISONS = new Map([
  ["<", "less"], ["<=", "less_equal"], [">", "greater"], [">=", "greater_equal"],
  ["==", "equal"], ["!=", "not_equal"],
]);
const GRAMMAR = "numbers, names, + - * / // ** %, brackets and functions of gradwalk";
/** As many signs in a row are refused before anything is read; so does Python's reader. */
const SIGNS = new RegExp(`(?:[-+~]\\s*){${MAX_DEPTH}}`);
/** What Python takes off both ends of a line. */
const EDGE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*";
const LEADING = new RegExp(`^${EDGE}`);
const TRAILING = new RegExp(`${EDGE}$`);

type Todo = { depth: number; tree: Tree; condition?: boolean } | { depth: number; step: Step };

/** Reads one formula into steps, and knows where in the text everything stands. */
export class Reader {
  readonly text: string;
  private readonly lines: string[];
  private readonly source: string;

  constructor(text: string) {
    this.text = text.replace(/\r\n?/g, "\n");
    this.lines = this.text.split("\n");
    // An indent means nothing.
    this.source = this.lines.map((line) => line.replace(LEADING, "").replace(TRAILING, "")).join("\n");
  }

  read(): Step[] {
    const parts = this.parsed();
    if (!parts.length) throw this.error(1, 1, SAMPLE, "nothing", "Type one.");
    const steps: Step[] = [];
    parts.forEach((part, i) => this.statement(part, i === parts.length - 1, steps));
    return steps;
  }

  private parsed(): Statement[] {
    const length = Array.from(this.text).length;
    if (length > MAX_LENGTH) {
      const many = (x: number) => x.toLocaleString("en-US");
      throw this.error(1, 1, `at most ${many(MAX_LENGTH)} characters`, many(length), "Split the formula.");
    }
    if (/\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(this.text)) {
      throw this.error(1, 1, SAMPLE, "a character that is no text", "Remove the invisible character.");
    }
    if (SIGNS.test(this.source)) throw this.tooDeep();
    const found = habit(this.source);
    if (found) throw this.error(...this.place(found.offset), found.expected, found.got, found.fix);
    try {
      return statements(this.source);
    } catch (mistake) {
      if (mistake instanceof TooDeep) throw this.tooDeep();
      if (!(mistake instanceof Mistake)) throw mistake;
      throw this.error(...this.place(mistake.offset), SAMPLE, mistake.got, mistake.fix);
    }
  }

  private statement(part: Statement, last: boolean, steps: Step[]): void {
    if (part.kind === "other") {
      throw this.refused(part, LINE, part.augmented ? "Write it out: a = a + b." : ONE_NAME);
    }
    if (part.kind === "formula" && !last) {
      const { value } = part;
      if (value.kind === "compare" && value.ops[0] === "==") {
        throw this.behind(value.left, "==", FIXES.get("==")!, LINE);
      }
      throw this.refused(part.value, LINE, "Give the line a name, d = a * b, or leave it out.");
    }
    this.postfix(part.value, steps);
    if (part.kind === "assign") steps.push({ kind: "store", name: part.name });
  }

  /** The steps of one formula, every operand before what uses it, left to right. */
  private postfix(root: Tree, steps: Step[]): void {
    const todo: Todo[] = [{ depth: 1, tree: root }];
    while (todo.length) {
      const item = todo.pop()!;
      if ("step" in item && item.step.kind === "apply") steps.push(item.step);
      else if (item.depth > MAX_DEPTH) throw this.tooDeep();
      else if ("step" in item) steps.push(item.step);
      else todo.push(...this.operands(item.tree, item.depth + 1, item.condition ?? false).reverse());
    }
  }

  /** The operands of a tree, and after them the step that it stands for. */
  private operands(tree: Tree, depth: number, condition: boolean): Todo[] {
    const trees = (...list: Tree[]): Todo[] => list.map((operand) => ({ depth, tree: operand }));
    const apply = (row: string, count: number): Todo => ({ depth, step: { kind: "apply", row, count } });
    // A number or a name is one level, like the tree that it comes from.
    if (tree.kind === "number") return [{ depth: 0, step: { kind: "push", number: tree.value } }];
    if (tree.kind === "name") return [{ depth: 0, step: this.load(tree) }];
    if (tree.kind === "unary") {
      return tree.op === "+" ? trees(tree.operand) : [...trees(tree.operand), apply("neg", 1)];
    }
    if (tree.kind === "binary" && Object.hasOwn(BINARY, tree.op)) {
      return [...trees(tree.left, tree.right), apply(BINARY[tree.op]!, 2)];
    }
    if (tree.kind === "compare" && condition && tree.ops.length === 1) {
      const row = COMPARISONS.get(tree.ops[0]!);
      if (row) return [...trees(tree.left, tree.rights[0]!), apply(row, 2)];
    }
    if (tree.kind === "call" && tree.callee.kind === "name") return this.call(tree, tree.callee.name, depth);
    throw this.foreign(tree, condition);
  }

  private load(tree: Tree & { kind: "name" }): Step {
    const [line, column] = this.place(tree.start);
    return { kind: "load", name: tree.name, line, column };
  }

  private call(tree: Tree & { kind: "call" }, name: string, depth: number): Todo[] {
    if (name === "logsumexp") return this.callOfList(tree, depth);
    if (!FUNCTIONS.includes(name)) {
      const known = [...FUNCTIONS, "logsumexp"].sort();
      const fix = ofFunction(name, known);
      throw this.error(...this.place(tree.start), "a function of gradwalk", `'${name}'`, fix);
    }
    const row = TABLE[name]!;
    const args = bound(tree, row.params, row.defaults);
    if (!args) throw this.refused(tree, `${name}(${signature(name)})`, "Give every argument once.");
    const operands = args.map((arg, i): Todo =>
      typeof arg === "number"
        ? { depth, step: { kind: "push", number: arg } }
        : { depth, tree: arg, condition: name === "where" && i === 0 && arg.kind === "compare" },
    );
    return [...operands, { depth, step: { kind: "apply", row: name, count: args.length } }];
  }

  private callOfList(tree: Tree & { kind: "call" }, depth: number): Todo[] {
    const [list] = tree.args;
    if (tree.args.length !== 1 || list?.kind !== "list" || !list.members.length || tree.named.length) {
      throw this.refused(tree, "logsumexp([a, b, ...])", "Give it one list.");
    }
    const step: Step = { kind: "apply", row: "logsumexp", count: list.members.length };
    return [...list.members.map((member) => ({ depth, tree: member })), { depth, step }];
  }

  // --- errors, each at its character --------------------------------------------------------------

  /** The error for what Python knows and a formula does not. */
  private foreign(tree: Tree, condition: boolean): ExpressionError {
    if (condition) return this.refused(tree, "one comparison: < <= > >= == !=", NESTED);
    if (tree.kind === "compare") {
      const sign = tree.ops[0]!;
      return this.behind(tree.left, sign, FIXES.get(sign) ?? FIXES.get("compare")!);
    }
    if (tree.kind === "binary" && !Object.hasOwn(BINARY, tree.op)) {
      return this.behind(tree.left, tree.op, LEAVE_OUT);
    }
    if (tree.kind === "call") {
      const { callee } = tree;
      const attribute = callee.kind === "foreign" && callee.what === "attribute";
      return attribute ? this.foreign(callee, false) : this.behind(callee, "(", this.product(tree));
    }
    return this.other(tree);
  }

  private other(tree: Tree): ExpressionError {
    const code = this.source.slice(tree.start, tree.end);
    const kind = tree.kind === "foreign" ? tree.what : tree.kind;
    if (kind === "attribute") return this.refused(tree, GRAMMAR, prefix(code));
    if (kind === "whole number") return this.refused(tree, "a number below 1.8e308", "Write inf for infinity.");
    return this.refused(tree, GRAMMAR, FIXES.get(kind) ?? FIXES.get(code) ?? LEAVE_OUT);
  }

  /** The error for what stands behind an operand; blanks and brackets may be between them. */
  private behind(left: Tree, sign: string, fix: string, expected = OPERATOR): ExpressionError {
    const behind = this.source.slice(left.end);
    const gap = behind.length - behind.replace(/^[ \t\f)\\\n]+/, "").length;
    return this.error(...this.place(left.end + gap), expected, sign, fix);
  }

  /** Advice for `(a + b)(c)`. */
  private product({ callee, args }: Tree & { kind: "call" }): string {
    const code = ({ start, end }: Tree) => this.source.slice(start, end);
    const factors = [code(callee), args.map(code).join(", ")];
    const [a, b] = factors.map((one) => (Array.from(one).length <= 24 ? `(${shortened(one)})` : "(...)"));
    return `A product needs its *: ${a} * ${b}.`;
  }

  private refused(tree: { start: number; end: number }, expected: string, fix: string): ExpressionError {
    const code = shortened(this.source.slice(tree.start, tree.end));
    return this.error(...this.place(tree.start), expected, code, fix);
  }

  private tooDeep(): ExpressionError {
    const expected = `at most ${MAX_DEPTH.toLocaleString("en-US")} levels of operations`;
    return this.error(1, 1, expected, "more", "Name parts of the formula: d = a * b.");
  }

  /** Line and column, from 1, in the text as it was typed. */
  private place(offset: number): [number, number] {
    const before = this.source.slice(0, offset).split("\n");
    const line = before.length;
    const indent = LEADING.exec(this.lines[line - 1]!)![0];
    return [line, Array.from(indent + before.at(-1)!).length + 1];
  }

  private error(line: number, column: number, expected: string, got: string, fix: string): ExpressionError {
    return pointAt(this.text, line, column, { expected, got, fix });
  }
}

type Call = Tree & { kind: "call" };

/** All arguments in order, defaults filled in; null if one is missing, given twice or unknown. */
function bound(tree: Call, params: string[], defaults: number[]): (Tree | number)[] | null {
  const required = params.length - defaults.length;
  const given: (Tree | number | undefined)[] = params.map((_, i) => defaults[i - required]);
  if (tree.args.length > params.length) return null;
  tree.args.forEach((arg, i) => (given[i] = arg));
  const seen = new Set<number>();
  for (const { name, value } of tree.named) {
    const index = params.indexOf(name);
    if (index < tree.args.length || seen.has(index)) return null;
    seen.add(index);
    given[index] = value;
  }
  return given.some((arg) => arg === undefined) ? null : (given as (Tree | number)[]);
}

/** The arguments as a call is written: x, negative_slope=0.01. */
function signature(name: string): string {
  const { params, defaults } = TABLE[name]!;
  const required = params.length - defaults.length;
  const value = (i: number) => (i < required ? "" : `=${exact(defaults[i - required]!)}`);
  return params.map((param, i) => param + value(i)).join(", ");
}
