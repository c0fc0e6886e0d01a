/** What a box shows, and whether it takes part in a moment. */

import type { Graph } from "../../engine/graph";
import type { Run } from "../../engine/node";
import type { Moment, Timeline } from "../../engine/timeline";

export interface Showing {
  graph: Graph;
  run: Run;
  timeline: Timeline;
  time: number;
  compare?: Run | null;
}

export type Glow = "" | "forward" | "backward" | "operand" | "receiver";

/** One box. Texts are empty if there is nothing to show yet. */
export interface BoxLook {
  data: string;
  grad: string;
  /** More is to be added to the gradient. */
  partial: boolean;
  glow: Glow;
  /** Whether the values may be out of date, because they depend on an edit through recorded ones. */
  staleData: boolean;
  staleGrad: boolean;
  /** The values in the run that is compared with; "" if they are the same. */
  oldData: string;
  oldGrad: string;
  spoken: string;
}

/** Whether a box takes part in this moment. */
export function glowOf(members: readonly number[], moment: Moment): Glow {
  if (moment.kind === "start") return "";
  const inside = members.length === 1 ? (i: number) => i === members[0] : (i: number) => contains(members, i);
  if (inside(moment.node)) return moment.kind === "forward" ? "forward" : "backward";
  if (moment.kind !== "backward") return "";
  return moment.pass.contributions.some(({ operand, amount }) => amount !== null && inside(operand)) ? "receiver" : "";
}

/** Binary search: members are in order. */
export function contains(members: readonly number[], index: number): boolean {
  let [low, high] = [0, members.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (members[middle]! < index) low = middle + 1;
    else high = middle;
  }
  return members[low] === index;
}

/** A remark on a value that depends on a recorded one. */
export function doubt(stale: boolean): string {
  return stale ? " (may be out of date)" : "";
}

