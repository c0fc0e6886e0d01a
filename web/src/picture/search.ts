/** Finding nodes by name, operation or index. */

import type { Graph } from "../engine/graph";
import { sign } from "./names";

/** The nodes that match a search, in order; exact names and indices come first. */
export function find(graph: Graph, words: string): number[] {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return [];
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
