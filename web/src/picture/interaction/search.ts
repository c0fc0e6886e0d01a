/** Finding nodes by name, operation or index. */

import { predicateOf } from "../../debug/predicate";
import type { Graph } from "../../engine/graph";
import type { Run } from "../../engine/node";
import { sign } from "../shared/names";

/** The nodes that match a search, in order; exact names and indices come first. A condition such as
 * `grad > 1` finds the nodes of the run that satisfy it. */
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

/** A search, and which of the nodes found is shown. */
export class Finder {
  words = "";
  found: ReadonlySet<number> = new Set();
  /** From 0; -1: none yet. */
  at = -1;

  look(graph: Graph, run: Run, words = this.words): void {
    [this.words, this.at] = [words, -1];
    this.found = new Set(find(graph, words, run));
  }

  /** The next node found, or with -1 the one before; -1 if there is none. */
  next(step: number): number {
    const found = [...this.found];
    if (!found.length) return -1;
    this.at = (Math.max(this.at, step < 0 ? 0 : -1) + step + found.length) % found.length;
    return found[this.at]!;
  }
}
