/** What a small change of one number does to the result: as its gradient predicts, and in truth. */

import type { Run } from "./node";
import { rerun } from "./run";

export interface Nudge {
  /** The change of the number. */
  by: number;
  /** The gradient times the change. */
  predicted: number;
  /** The change of the result. */
  happened: number;
}

/** The result as a function of one number, everything else as it is. */
export interface Response {
  xs: number[];
  ys: number[];
  /** The present point, and the derivative there. */
  x: number;
  y: number;
  slope: number;
}

/** How the result changes if the value of a node changes by `by`; null if the page cannot tell, because the
 * node is an array, or has no gradient, or something between was only recorded. */
export function nudged(run: Run, node: number, by: number): Nudge | null {
  const slope = slopeAt(run, node);
  if (slope === null) return null;
  const { root } = run.graph;
  const happened = rerun(run, node, run.data[node]! + by) - run.data[root]!;
  return { by, predicted: slope * by, happened };
}

/** The result for values of a node from `x - reach` to `x + reach`. */
export function response(run: Run, node: number, reach: number, points = 41): Response | null {
  const slope = slopeAt(run, node);
  if (slope === null) return null;
  const x = run.data[node]!;
  const middle = (points - 1) / 2;
  const xs = Array.from({ length: points }, (_, k) => x + (reach * (k - middle)) / middle);
  return { xs, ys: xs.map((at) => rerun(run, node, at)), x, y: run.data[run.graph.root]!, slope };
}

function slopeAt(run: Run, index: number): number | null {
  const node = run.graph.nodes[index]!;
  const slope = run.gradients[index] ?? null;
  const computed = run.graph.nodes.slice(index + 1).every((one) => !one.recorded);
  if (node.array || slope === null || !computed) return null;
  return Number.isFinite(slope) && Number.isFinite(run.data[index]!) ? slope : null;
}
