/** Boxes and edges of a folded graph, and their places. */

import type { Graph } from "../../engine/graph";
import { type Folding, type FoldMode, type Part, fold, resolve } from "../fold/fold";
import { kept } from "../shared/kept";
import { layout } from "./layout";
import { sizeOf } from "./measure";
import type { Effort, Plan } from "../shared/plan";

/** One operand of one node. */
export interface Use {
  operand: number;
  node: number;
  position: number;
}

/** A connection of two boxes: one edge of the graph, or all edges between two groups. */
export interface Link {
  id: string;
  source: number;
  target: number;
  uses: Use[];
  /** Whether it is exactly one edge between two nodes. */
  alone: boolean;
}

export interface Arrangement {
  graph: Graph;
  mode: FoldMode;
  boxes: Part[];
  links: Link[];
  /** The box of every node. */
  boxOf: Int32Array;
  plan: Plan;
  /** Links at each box. */
  arriving: number[][];
  leaving: number[][];
}

const KEPT = 12;
const arrangements = kept((_: Graph) => new Map<string, Arrangement>());

/** The arrangement of a graph; computed once per folding and direction. */
export function arrange(graph: Graph, folding: Folding, down = false): Arrangement {
  const known = arrangements(graph);
  const key = JSON.stringify([folding.mode, [...folding.open].sort(), down]);
  const found = known.get(key) ?? arranged(graph, folding, undefined, down);
  known.delete(key); // moved to the end: the first ones are dropped
  known.set(key, found);
  if (known.size > KEPT) known.delete(known.keys().next().value!);
  return found;
}

/** Compute an arrangement, whether or not it is cached. */
export function arranged(
  graph: Graph,
  folding: Folding,
  effort: Effort = { steps: 0 },
  down = false,
): Arrangement {
  const boxes = fold(graph, folding, effort);
  const boxOf = new Int32Array(graph.size);
  boxes.forEach((box, k) => {
    for (const i of box.members) boxOf[i] = k;
  });
  const links = linksOf(graph, boxes, boxOf);
  const plan = layout(
    boxes.map((box) => sizeOf(graph, box)),
    links,
    effort,
    down,
  );
  const arriving: number[][] = boxes.map(() => []);
  const leaving: number[][] = boxes.map(() => []);
  links.forEach((link, k) => {
    arriving[link.target]!.push(k);
    leaving[link.source]!.push(k);
  });
  return { graph, mode: resolve(graph, folding.mode), boxes, links, boxOf, plan, arriving, leaving };
}

/** Every edge of the graph that is not inside a group, in exactly one link. */
export function linksOf(graph: Graph, boxes: readonly Part[], boxOf: ArrayLike<number>): Link[] {
  const links = new Map<string, Link>();
  const alone = (k: number) => boxes[k]!.members.length === 1;
  for (const node of graph.nodes) {
    node.inputs.forEach((operand, position) => {
      const source = boxOf[operand]!;
      const target = boxOf[node.index]!;
      if (source === target) return;
      const single = alone(source) && alone(target);
      const id = single ? `${node.index}.${position}` : `${boxes[source]!.id} > ${boxes[target]!.id}`;
      const link = links.get(id) ?? { id, source, target, uses: [], alone: single };
      link.uses.push({ operand, node: node.index, position });
      links.set(id, link);
    });
  }
  return [...links.values()];
}
