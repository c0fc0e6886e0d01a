/** Names for the nodes of a model that have none: "l1.n6: sum 3 of example 2". */

import type { CheckedGraph, GraphNode } from "./node";

const WORDS: Readonly<Record<string, string>> = {
  add: "sum", sub: "difference", mul: "product", div: "quotient", pow: "power", neg: "negative",
};

interface Titled {
  /** From 1; 0: the node is not computed once for each example. */
  example: Int32Array;
  /** Which of the same operation in the same group for the same example, from 1; 0: the only one. */
  number: Int32Array;
  /** The group of nodes outside all groups. */
  outside: string;
}

/** The names of one graph. Nothing is computed before the first name is read. */
export class Titles {
  private titled: Titled | null | undefined;

  constructor(private readonly graph: Pick<CheckedGraph, "nodes" | "size" | "root">) {}

  /** The name of a computed node; "" in graphs without the groups of a model. */
  of(index: number): string {
    if (this.titled === undefined) this.titled = titledIn(this.graph);
    const node = this.graph.nodes[index]!;
    if (!this.titled || !node.op) return "";
    const { example, number, outside } = this.titled;
    const count = number[index] ? ` ${number[index]}` : "";
    const which = example[index] ? ` of example ${example[index]}` : "";
    return `${node.group || outside}: ${WORDS[node.op] ?? node.op}${count}${which}`;
  }
}

function titledIn(graph: Titles["graph"]): Titled | null {
  if (!graph.nodes.some((node) => node.group)) return null;
  // arrays hold all examples of a batch at once
  const example = graph.nodes.some((node) => node.array) ? new Int32Array(graph.size) : examplesOf(graph);
  return { example, number: numbersOf(graph, example), outside: graph.nodes[graph.root]!.label || "result" };
}

/** The example that each node is computed for. Nodes that apply the same operations to the same parameters
 * are copies of each other. The usual number of copies is the number of examples. */
function examplesOf({ nodes, size }: Titles["graph"]): Int32Array {
  const kinds = kindsOf(nodes);
  const copies = new Int32Array(size);
  const rank = new Int32Array(size);
  for (const { index, op } of nodes) if (op) rank[index] = copies[kinds[index]!]!++;
  const often = new Map<number, number>();
  for (const { index, op, group } of nodes) {
    const count = copies[kinds[index]!]!;
    if (op && group && count > 1) often.set(count, (often.get(count) ?? 0) + 1);
  }
  const [examples = 0] = [...often].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0]);
  const example = new Int32Array(size);
  if (examples < 2) return example;
  for (const { index, op } of nodes) {
    const count = copies[kinds[index]!]!;
    if (op && count % examples === 0) example[index] = 1 + Math.floor(rank[index]! / (count / examples));
  }
  return inherited(nodes, example);
}

/** What is computed from nodes of one example belongs to it too; a sum over examples does not. */
function inherited(nodes: readonly GraphNode[], own: Int32Array): Int32Array {
  const found = Int32Array.from(own); // -1: of several examples
  for (const { index, op, inputs } of nodes) {
    if (!op || own[index]) continue;
    for (const input of inputs) {
      const theirs = found[input]!;
      if (theirs) found[index] = found[index] && found[index] !== theirs ? -1 : theirs;
    }
  }
  return found.map((example) => Math.max(0, example));
}

/** A number per node, equal for the same operation on the same parameters; all data are alike. */
function kindsOf(nodes: readonly GraphNode[]): Int32Array {
  const kinds = new Int32Array(nodes.length);
  const known = new Map<string, number>();
  for (const { index, op, inputs, label, group } of nodes) {
    const own = group || (label && !/\d/.test(label)) ? `leaf ${index}` : "data";
    const key = op ? `${op} ${inputs.map((input) => kinds[input]!).join(" ")}` : own;
    let kind = known.get(key);
    if (kind === undefined) known.set(key, (kind = known.size));
    kinds[index] = kind;
  }
  return kinds;
}

function numbersOf({ nodes, size }: Titles["graph"], example: Int32Array): Int32Array {
  const number = new Int32Array(size);
  const first = new Map<string, number>();
  const count = new Map<string, number>();
  for (const { index, op, group } of nodes) {
    if (!op) continue;
    const key = `${group} ${op} ${example[index]}`;
    const at = (count.get(key) ?? 0) + 1;
    count.set(key, at);
    if (at === 1) first.set(key, index);
    else number[index] = at;
    if (at === 2) number[first.get(key)!] = 1;
  }
  return number;
}
