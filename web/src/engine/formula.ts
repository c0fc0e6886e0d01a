/** A graph written as a formula, in which every part has a link to its node. */

import type { CheckedGraph, GraphNode } from "./node";

/** A piece of the formula. `node`: the node that it writes, with everything inside. */
export interface Token {
  text: string;
  node?: number;
  inside?: Token[];
}

const MOST_NODES = 60;
const SIGNS: Record<string, string> = { add: "+", sub: "-", mul: "*", div: "/", pow: "**", matmul: "@" };
const RANK: Record<string, number> = { add: 1, sub: 1, mul: 2, div: 2, matmul: 2, neg: 3, pow: 4 };
const ATOM = 9;

/** One line for each named node and for each one that is used more than once, the result last; none for a
 * graph that is too large to be read as a formula. */
export function written(graph: CheckedGraph): Token[][] {
  if (graph.size > MOST_NODES || graph.nodes.some((node) => node.array)) return [];
  return graph.nodes.filter((node) => ownLine(graph, node)).map((node) => line(graph, node));
}

function ownLine(graph: CheckedGraph, { index, inputs, label, consumers }: GraphNode): boolean {
  return inputs.length > 0 && (index === graph.root || label !== "" || consumers.length > 1);
}

function line(graph: CheckedGraph, node: GraphNode): Token[] {
  const name: Token = { text: node.name, node: node.index };
  return [name, { text: " = " }, { text: "", node: node.index, inside: operation(graph, node) }];
}

/** A node where it is used. */
function part(graph: CheckedGraph, index: number, least: number): Token {
  const node = graph.nodes[index]!;
  const negative = node.constant && node.name.startsWith("-");
  if (!node.inputs.length || ownLine(graph, node)) {
    return { text: negative && least > 1 ? `(${node.name})` : node.name, node: index };
  }
  const inside = operation(graph, node);
  const bare = (RANK[node.op] ?? ATOM) >= least;
  return { text: "", node: index, inside: bare ? inside : [{ text: "(" }, ...inside, { text: ")" }] };
}

function operation(graph: CheckedGraph, { op, inputs }: GraphNode): Token[] {
  const [a, b] = inputs as [number, number];
  const rank = RANK[op] ?? ATOM;
  if (op === "neg") return [{ text: "-" }, part(graph, a, rank)];
  const sign = inputs.length === 2 ? SIGNS[op] : undefined;
  if (sign) {
    const [left, right] = op === "pow" ? [rank + 1, rank] : [rank, rank + 1];
    return [part(graph, a, left), { text: ` ${sign} ` }, part(graph, b, right)];
  }
  const list = inputs.flatMap((input, k) => [...(k ? [{ text: ", " }] : []), part(graph, input, 0)]);
  return [{ text: `${op}(` }, ...list, { text: ")" }];
}
