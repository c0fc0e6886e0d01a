/** Formulas that users type: parsed, never evaluated as code, by the grammar of Python's reader. */
import { TABLE } from "../engine";
import type { Table } from "../engine";
import { toJson } from "../document";
import type { NodeRecord, WalkDocument } from "../document";
import { FUNCTIONS, MAX_DEPTH, MAX_LENGTH, SPELLED } from "./language";
import { ExpressionError, errorAt, message } from "./messages";
import { CONSTANTS, ancestors, recorded } from "./program";
import type { Item, Step } from "./program";
import { read } from "./reader";
import { nearest } from "./spelling";

export { readValue } from "./value";
export { CONSTANTS, ExpressionError, FUNCTIONS, SPELLED, MAX_DEPTH, MAX_LENGTH };
export type { Step };

/** A formula that was read. */
export interface Expression {
  text: string;
  /** Variables that need a value, in the order in which they appear. */
  names: string[];
  /** pi, e and inf, if it uses them; a value for one of them replaces the constant. */
  constants: string[];
  steps: readonly Step[];
}

/** Reads a formula; several lines, or parts between `;`, name intermediate results. */
export function parse(typed: string): Expression {
  const text = typed.replace(/\r\n?/g, "\n");
  const steps = read(text);
  const free = freeNames(steps);
  const isConstant = (name: string) => Object.hasOwn(CONSTANTS, name);
  return {
    text,
    names: free.filter((name) => !isConstant(name)),
    constants: free.filter(isConstant),
    steps,
  };
}

/** Names that are used before the formula itself gives them a value. */
function freeNames(steps: readonly Step[]): string[] {
  const defined = new Set<string>();
  const free = new Set<string>();
  for (const step of steps) {
    if (step.kind === "store") defined.add(step.name);
    else if (step.kind === "load" && !defined.has(step.name)) free.add(step.name);
  }
  return [...free];
}

/** The graph of a formula for these values, node for node the graph that Python records.
 *
 * A comparison is not a node: it is a number that was recorded, like the largest member of a
 * logsumexp. To edit a leaf of such a graph, make the graph again. A variable is in `values`. A leaf
 * to which the formula gives a number is in `leaves`, by its label. */
export function documentOf(
  formula: string | Expression,
  values: Readonly<Record<string, number>>,
  { table = TABLE, leaves = {} }: { table?: Table; leaves?: Readonly<Record<string, number>> } = {},
): WalkDocument {
  const expression = typeof formula === "string" ? parse(formula) : formula;
  const given = new Map(Object.entries(values).map(([name, x]) => [name.normalize("NFKC"), x]));
  check(expression, given);
  const root = recorded(expression.steps, given, table, new Map(Object.entries(leaves)));
  return { format: "gradwalk-walk", version: 1, title: "", source: expression.text, nodes: records(root) };
}

function records(root: Item): NodeRecord[] {
  const nodes: NodeRecord[] = [];
  const index = new Map<Item, number>();
  for (const item of ancestors(root)) {
    const inputs = item.inputs.map((operand) => {
      if (typeof operand !== "number") return index.get(operand)!;
      return nodes.push({ op: "", inputs: [], label: "", constant: true, data: toJson(operand) }) - 1;
    });
    index.set(item, nodes.push({ op: item.op, inputs, label: item.label, data: toJson(item.data) }) - 1);
  }
  return nodes;
}

function check({ text, names, constants, steps }: Expression, given: ReadonlyMap<string, number>): void {
  const list = names.join(", ");
  for (const name of given.keys()) {
    if (names.includes(name) || constants.includes(name)) continue;
    const fields = { names: list || "none", name, nearest: nearest(name, names) };
    const { expected, got, fix } = message("unused", fields);
    throw new ExpressionError(0, 0, expected, got, fix, "");
  }
  for (const step of steps) {
    if (step.kind !== "load" || !names.includes(step.name) || given.has(step.name)) continue;
    const [name, constant] = [step.name, SPELLED.get(step.name) ?? ""];
    const callable = FUNCTIONS.includes(name) ? name : "";
    throw errorAt(text, step.start, "missing", { names: list, name, constant, function: callable });
  }
}
