import type { Primitive, Table } from "../engine";
import { COMPARISONS } from "./language";

/** One step for a stack. A formula has no other steps. */
export type Step =
  | { kind: "push"; number: number }
  | { kind: "load"; name: string; start: number }
  | { kind: "apply"; primitive: string; count: number }
  | { kind: "store"; name: string };

/** Names that have a value, unless the formula or its user gives them another one. */
export const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E, inf: Infinity };

/** Comparisons give True or False in Python, which are not nodes of a graph. */
const CONDITIONS = new Set(COMPARISONS.values());

/** A node while a graph is made: its primitive, its number, what it was computed from. */
export class Item {
  label = "";
  constructor(
    readonly op: string,
    readonly data: number,
    readonly inputs: readonly Operand[],
  ) {}
}

/** A plain number takes part, but is a leaf of its own at every use. */
export type Operand = Item | number;

/** The result of the steps for these values, as Python's engine records it. `leaves`: other numbers
 * for leaves that the formula itself names, `w = 3`. */
export function recorded(
  steps: readonly Step[],
  given: ReadonlyMap<string, number>,
  table: Table,
  leaves: ReadonlyMap<string, number>,
): Item {
  const scope = new Map<string, Operand>(Object.entries(CONSTANTS));
  for (const [name, value] of given) scope.set(name, labelled(value, name));
  const stack: Operand[] = [];
  for (const step of steps) {
    if (step.kind === "push") stack.push(step.number);
    else if (step.kind === "load") stack.push(scope.get(step.name)!);
    else if (step.kind === "apply") {
      stack.push(applied(step.primitive, stack.splice(stack.length - step.count), table));
    } else {
      const value = stack.pop()!;
      stack.push(labelled(typeof value === "number" ? leaves.get(step.name) ?? value : value, step.name));
      scope.set(step.name, stack.at(-1)!);
    }
  }
  const result = stack.pop()!;
  return result instanceof Item ? result : new Item("", result, []);
}

function labelled(value: Operand, name: string): Item {
  const item = value instanceof Item ? value : new Item("", value, []);
  item.label ||= name;
  return item;
}

function applied(name: string, args: Operand[], table: Table): Operand {
  return name === "logsumexp" ? logsumexp(args, table) : apply(table[name]!, args);
}

/** A node, or a number if nothing but numbers went into it. */
function apply(primitive: Primitive, args: readonly Operand[]): Operand {
  const data = Number(primitive.forward(...args.map(numberIn)));
  const plain = CONDITIONS.has(primitive.name) || args.every((arg) => typeof arg === "number");
  return plain ? data : new Item(primitive.name, data, args);
}

function numberIn(operand: Operand): number {
  return typeof operand === "number" ? operand : operand.data;
}

/** The largest member, its number as a shift, and the sum of what the others are beside it. */
function logsumexp(members: Operand[], table: Table): Operand {
  const numbers = members.map(numberIn);
  let largest = 0;
  numbers.forEach((x, i) => {
    if (x > numbers[largest]!) largest = i;
  });
  const peak = numbers[largest]!;
  const others = members.filter((_, i) => i !== largest);
  let terms = others.map((member) => apply(table.exp_difference!, [member, peak]));
  while (terms.length > 1) terms = halved(terms, table.add!);
  return apply(table.logsumexp!, [members[largest]!, peak, terms[0] ?? 0]);
}

function halved(terms: Operand[], add: Primitive): Operand[] {
  const sums: Operand[] = [];
  for (let i = 0; i + 1 < terms.length; i += 2) sums.push(apply(add, [terms[i]!, terms[i + 1]!]));
  return terms.length % 2 ? [...sums, terms.at(-1)!] : sums;
}

/** The node and everything it was computed from, operands first: depth first, left to right. */
export function ancestors(root: Item): Item[] {
  const order: Item[] = [];
  const seen = new Set([root]);
  const path = [{ item: root, next: 0 }];
  while (path.length) {
    const top = path.at(-1)!;
    const operand = top.item.inputs[top.next];
    top.next += 1;
    if (operand === undefined) {
      order.push(top.item);
      path.pop();
    } else if (operand instanceof Item && !seen.has(operand)) {
      seen.add(operand);
      path.push({ item: operand, next: 0 });
    }
  }
  return order;
}
