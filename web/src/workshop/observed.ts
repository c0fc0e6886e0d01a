/** Two walks that were observed: numbers from outside, in the format in which the picture shows a run. */

import { fromJson, type WalkDocument } from "../document";
import { formatted, Graph, long, Timeline, type Moment, type Run } from "../engine";
import type { Observed, ObservedWalk, WalkStep } from "./report";

export type Which = "yours" | "right";

/** One tick of both walks: a step whose node is known. */
export interface Tick extends WalkStep {
  /** The place of the node. */
  index: number;
}

/** Both walks through one graph. At tick 0 only the leaves have values. */
export interface Pair {
  graph: Graph;
  ticks: Tick[];
  yours: ObservedTimeline;
  right: ObservedTimeline;
  /** The tick after which the first difference is visible; Infinity if there is none. */
  first: number;
}

/** Returns both walks, or null if the nodes do not form a graph. */
export function pairOf(walk: ObservedWalk): Pair | null {
  const graph = graphOf(walk);
  if (!graph) return null;
  const placed = walk.steps.map((step) => ({ ...step, index: walk.nodes.findIndex(({ name }) => name === step.node) }));
  const shown = placed.map(({ index, kind }) => index >= 0 && !(kind === "forward" && !walk.nodes[index]!.inputs.length));
  const ticks = placed.filter((_, at) => shown[at]);
  const before = (step: number) => shown.slice(0, step).filter(Boolean).length;
  const first = walk.step >= 0 && walk.step < placed.length ? before(walk.step) + Number(shown[walk.step]) : Infinity;
  const side = (which: Which) =>
    new ObservedTimeline(runOf(graph, which, walk, ticks), ticks, which);
  return { graph, ticks, yours: side("yours"), right: side("right"), first };
}

function graphOf(walk: ObservedWalk): Graph | null {
  const document: WalkDocument = {
    format: "gradwalk-walk",
    version: 1,
    title: "",
    nodes: walk.nodes.map(({ name, op, inputs, right }) => ({
      op: inputs.length ? op || "?" : "",
      inputs,
      label: name,
      data: right ?? "nan",
      // an observed number is shown, whatever the operation of this name computes
      ...(inputs.length && { recorded: { grad: null, shares: inputs.map(() => null) } }),
    })),
  };
  try {
    return new Graph(document);
  } catch {
    return null;
  }
}

function runOf(graph: Graph, which: Which, walk: ObservedWalk, ticks: Tick[]): Run {
  const gradients = new Array<number | null>(graph.size).fill(null);
  for (const tick of ticks) if (tick.kind === "backward") gradients[tick.index] = numberOf(tick[which]);
  return {
    graph,
    edits: new Map(),
    data: walk.nodes.map((node) => numberOf(node[which]) ?? NaN),
    gradients,
    forward: ticks.filter(({ kind }) => kind === "forward").map(({ index }) => index),
    backward: [],
    stale: new Array<boolean>(graph.size).fill(false),
    staleGradients: new Array<boolean>(graph.size).fill(false),
  };
}

/** A timeline whose ticks are those that were observed, in any order: a wrong engine may visit a node twice or never. */
export class ObservedTimeline extends Timeline {
  override readonly length: number;
  override readonly seed: number;

  constructor(
    run: Run,
    private readonly ticks: readonly Tick[],
    private readonly which: Which,
  ) {
    super(run);
    this.length = ticks.length;
    const first = ticks.findIndex(({ kind }) => kind === "backward");
    this.seed = first < 0 ? ticks.length + 1 : first + 1;
  }

  override at(time: number): Moment {
    const tick = this.ticks[this.clamped(time) - 1];
    if (!tick) return { kind: "start" };
    if (tick.kind === "forward") return { kind: "forward", node: tick.index };
    const pass = { node: tick.index, gradient: numberOf(tick[this.which]), contributions: [] };
    return { kind: "backward", node: tick.index, pass };
  }

  override known(node: number, time: number): boolean {
    return time >= this.timeOfForward(node);
  }

  override gradient(node: number, time: number): number | null | undefined {
    const seen = this.ticks.slice(0, time).findLast(({ index, kind }) => index === node && kind === "backward");
    return seen ? numberOf(seen[this.which]) : undefined;
  }

  override timeOfForward(node: number): number {
    return 1 + this.ticks.findIndex(({ index, kind }) => index === node && kind === "forward");
  }

  override timeOfBackward(node: number): number {
    const at = this.ticks.findLastIndex(({ index, kind }) => index === node && kind === "backward");
    return at < 0 ? Infinity : at + 1;
  }
}

export function numberOf(x: Observed): number | null {
  return x === null ? null : fromJson(x);
}

/** An observed number in a table; "none" if there was no number. */
export function shown(x: Observed): string {
  return x === null ? "none" : long(fromJson(x));
}

/** An observed number where room is scarce. */
export function short(x: Observed): string {
  return x === null ? "none" : formatted(fromJson(x));
}

/** Whether two observed numbers are equal, except for rounding. */
export function alike(a: Observed, b: Observed): boolean {
  if (a === null || b === null) return a === b;
  const [x, y] = [fromJson(a), fromJson(b)];
  if (Object.is(x, y) || x === y) return true;
  return Math.abs(x - y) <= 1e-9 * Math.max(Math.abs(x), Math.abs(y));
}
