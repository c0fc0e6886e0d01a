/** Breakpoints: at values that are not finite, at large values, at chosen nodes. */

import { formatted, type Moment, type Timeline } from "../../engine";

export interface Breakpoints {
  /** Stop where a value or a gradient becomes NaN or infinite. */
  notFinite: boolean;
  /** Stop where the magnitude of a value or a gradient exceeds this. */
  bound: number | null;
  /** Stop where one of these nodes is processed. */
  nodes: ReadonlySet<number>;
}

export const NO_BREAKPOINTS: Breakpoints = { notFinite: false, bound: null, nodes: new Set() };

/** Where and why a walk stopped. */
export interface Stop {
  time: number;
  words: string;
}

interface Fresh {
  node: number;
  what: "value" | "gradient";
  number: number;
}

/** Returns the numbers that a moment has just written. */
export function fresh(timeline: Timeline, moment: Moment): Fresh[] {
  const { run } = timeline;
  if (moment.kind === "forward") {
    return [{ node: moment.node, what: "value", number: run.data[moment.node] ?? NaN }];
  }
  if (moment.kind === "seed") return [{ node: moment.node, what: "gradient", number: 1 }];
  if (moment.kind === "start") return [];
  return moment.pass.contributions.flatMap(({ operand, after }) =>
    after === null ? [] : [{ node: operand, what: "gradient" as const, number: after }],
  );
}

/** Returns why the walk would stop at `time`, or null. */
export function stopAt(timeline: Timeline, time: number, breakpoints: Breakpoints): Stop | null {
  const moment = timeline.at(time);
  const name = (node: number) => timeline.run.graph.nodes[node]?.name ?? `node ${node}`;
  if (moment.kind !== "start" && breakpoints.nodes.has(moment.node)) {
    const turn = moment.kind === "forward" ? "its value is computed" : "it propagates its gradient";
    return { time, words: `Stopped at ${name(moment.node)}: ${moment.kind === "seed" ? "the seed" : turn}.` };
  }
  for (const { node, what, number } of fresh(timeline, moment)) {
    if (breakpoints.notFinite && !Number.isFinite(number)) {
      return { time, words: `Stopped: the ${what} of ${name(node)} is ${formatted(number)}.` };
    }
    if (breakpoints.bound !== null && Math.abs(number) > breakpoints.bound) {
      const bound = formatted(breakpoints.bound);
      const words = `Stopped: the ${what} of ${name(node)} is ${formatted(number)}, beyond ±${bound}.`;
      return { time, words };
    }
  }
  return null;
}

/** Returns the next stop after (or, with -1, before) `time`; null if there is none. */
export function nextStop(
  timeline: Timeline,
  time: number,
  direction: 1 | -1,
  breakpoints: Breakpoints,
): Stop | null {
  for (let t = time + direction; t >= 0 && t <= timeline.length; t += direction) {
    const stop = stopAt(timeline, t, breakpoints);
    if (stop) return stop;
  }
  return null;
}

/** Returns whether any breakpoint is set. */
export function isSet({ notFinite, bound, nodes }: Breakpoints): boolean {
  return notFinite || bound !== null || nodes.size > 0;
}
