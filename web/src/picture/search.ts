/** Finding nodes by name, operation or index. */

import { predicateOf } from "../debug/predicate";
import type { Graph } from "../engine/graph";
import type { Run } from "../engine/node";
import { sign } from "./names";

/** The nodes that match a search, in order; exact names and indices come first. A condition such as
 * `grad > 1` finds the nodes of the run that hold it. */
export function find(graph: Graph, words: string, run?: Run): number[] {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return [];
  const parsed = run && predicateOf(words);
  if (parsed && "holds" in parsed) return graph.nodes.map((n) => n.index).filter((i) => parsed.holds(run, i));
  const [exact, others]: [number[], number[]] = [[], []];
  for (const node of graph.nodes) {
    const texts = [
      node.name,
      `v${node.index}`,
      String(node.index),
      node.op,
      node.op ? sign(node.op) : "",
      node.group,
    ];
    if (texts.slice(0, 3).some((text) => text.toLowerCase() === wanted)) exact.push(node.index);
    else if (texts.some((text) => text.toLowerCase().includes(wanted))) others.push(node.index);
  }
  return [...exact, ...others];
}
