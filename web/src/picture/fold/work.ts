/** Nodes that do the same work: the same operation on operands that do the same work, starting from
 * leaves with equal names or, without a name, with equal consumers. A sum of many terms, in any order
 * of adding, counts as one operation on the kinds of its terms. */

import type { Graph } from "../../engine/graph";
import { pattern } from "../shared/names";

/** A nested sum is one sum; a - b is the sum of a and -b. */
const CHAINS: Readonly<Record<string, string>> = {
  add: "sum",
  sub: "sum",
  mul: "product",
  maximum: "max",
  minimum: "min",
};

type Kinds = number[];

/** A key per node, equal for equal work. */
export function sameWork(graph: Graph): string[] {
  const patterns = patternsOf(graph);
  const heads = chainHeads(graph);
  const leaves = new Map<number, string>();
  for (const node of graph.nodes) {
    if (!node.inputs.length) leaves.set(node.index, `leaf ${patterns[node.index]}`);
  }
  const kinds = kindsOfWork(graph, leaves, patterns, heads);
  nameByUse(graph, leaves, kinds);
  return kindsOfWork(graph, leaves, patterns, heads).map(String);
}

function patternsOf(graph: Graph): string[] {
  const known = new Map<string, string>();
  return graph.nodes.map((node) => {
    if (!known.has(node.label)) known.set(node.label, pattern(node.label));
    return known.get(node.label)!;
  });
}

/** For every link of a chain of sums, the node that holds the whole sum. */
function chainHeads(graph: Graph): number[] {
  const heads = graph.nodes.map((node) => node.index);
  for (let i = graph.size - 1; i >= 0; i--) {
    const family = familyOf(graph, i);
    if (!family) continue;
    for (const j of graph.nodes[i]!.inputs) {
      const only = graph.nodes[j]!.consumers.length === 1;
      if (only && familyOf(graph, j) === family) heads[j] = heads[i]!;
    }
  }
  return heads;
}

/** The chain that a node can be a link of; nodes with names are none, so that they stay visible. */
function familyOf(graph: Graph, index: number): string {
  const node = graph.nodes[index]!;
  return node.label || !node.inputs.length ? "" : (CHAINS[node.op] ?? "");
}

/** Unnamed leaves are equal if their consumers do the same work. */
function nameByUse(graph: Graph, leaves: Map<number, string>, kinds: Kinds): void {
  for (const index of leaves.keys()) {
    const node = graph.nodes[index]!;
    if (node.label) continue;
    const users = new Set(node.consumers.map((use) => kinds[use.node]!));
    leaves.set(index, `${node.constant} ${[...users].sort((a, b) => a - b).join()}`);
  }
}

/** A number per node, equal for equal work. Every edge is looked at once. */
function kindsOfWork(graph: Graph, leaves: Map<number, string>, patterns: string[], heads: number[]): Kinds {
  const numbers = new Map<string, number>();
  const terms = new Map<number, Set<number>>();
  const kinds: Kinds = [];
  for (const node of graph.nodes) {
    const family = familyOf(graph, node.index);
    const own = node.inputs.map((j) => kinds[j]!);
    const key =
      leaves.get(node.index) ??
      (family
        ? chainKey(node.index, node.inputs, kinds, heads, terms, family)
        : `${node.op} ${patterns[node.index]} ${own}`);
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    kinds.push(numbers.get(key)!);
  }
  return heads.map((head) => kinds[head]!);
}

/** Links add their terms to those of the head; only the head's key counts. */
function chainKey(
  index: number,
  inputs: readonly number[],
  kinds: Kinds,
  heads: number[],
  terms: Map<number, Set<number>>,
  family: string,
): string {
  const head = heads[index]!;
  const known = terms.get(head) ?? new Set<number>();
  terms.set(head, known);
  for (const j of inputs) if (heads[j] !== head) known.add(kinds[j]!);
  return head === index ? `${family} ${[...known].sort((a, b) => a - b).join()}` : "link";
}
