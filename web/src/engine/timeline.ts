import type { CheckedGraph, Pass, Run } from "./node";

/** What happens in one tick. */
export type Moment =
  | { kind: "start" }
  | { kind: "forward"; node: number }
  | { kind: "seed"; node: number }
  | { kind: "backward"; node: number; pass: Pass };

/** What an edge is doing: numbers flow forward through it, or a gradient backward, or a gate is shut. */
export type EdgeState = "idle" | "forward" | "known" | "backward" | "passed" | "blocked";

/** A run in time. 0: only leaves have numbers; then one operation a tick, then the seed, then one
 * node a tick passes its gradient on. Leaves have nothing to pass on and take no tick. */
export class Timeline {
  readonly graph: CheckedGraph;
  readonly length: number;
  /** The tick of the seed, root.grad = 1. */
  readonly seed: number;
  private readonly passes: Pass[];
  private readonly forwardTimes: Float64Array;
  private readonly backwardTimes: Float64Array;
  private readonly histories: (History | undefined)[];

  constructor(readonly run: Run) {
    this.graph = run.graph;
    this.passes = run.backward.filter((pass) => pass.shares.length > 0);
    this.seed = run.forward.length + 1;
    this.length = this.seed + this.passes.length;
    this.forwardTimes = new Float64Array(run.graph.size);
    run.forward.forEach((node, i) => (this.forwardTimes[node] = i + 1));
    this.backwardTimes = new Float64Array(run.graph.size).fill(Infinity);
    this.histories = new Array<History | undefined>(run.graph.size);
    this.remember();
  }

  private remember(): void {
    const root = this.graph.root;
    const first = this.run.backward.find((pass) => pass.node === root);
    this.write(root, this.seed, first ? first.gradient : null);
    this.passes.forEach((pass, i) => {
      const time = this.seed + 1 + i;
      // A wrong sweep may visit a node again; its turn is the first one.
      if (this.backwardTimes[pass.node] === Infinity) this.backwardTimes[pass.node] = time;
      for (const { operand, after } of pass.shares) {
        this.write(operand, time, after);
        if (this.graph.nodes[operand]!.leaf) this.backwardTimes[operand] = time;
      }
    });
    if (this.backwardTimes[root] === Infinity) this.backwardTimes[root] = this.seed;
  }

  private write(node: number, time: number, gradient: number | null): void {
    const history = (this.histories[node] ??= { times: [], gradients: [] });
    if (history.times.at(-1) === time) history.gradients.pop(), history.times.pop();
    history.times.push(time);
    history.gradients.push(gradient);
  }

  /** The moment of a tick; ticks outside are moved to the ends. */
  at(time: number): Moment {
    const tick = this.clamped(time);
    if (tick === 0) return { kind: "start" };
    if (tick < this.seed) return { kind: "forward", node: this.run.forward[tick - 1]! };
    if (tick === this.seed) return { kind: "seed", node: this.graph.root };
    const pass = this.passes[tick - this.seed - 1]!;
    return { kind: "backward", node: pass.node, pass };
  }

  /** The tick nearest to a time. */
  clamped(time: number): number {
    return Math.min(Math.max(Math.round(time) || 0, 0), this.length);
  }

  /** Whether the node has its number at this time. */
  known(node: number, time: number): boolean {
    return time >= this.forwardTimes[node]!;
  }

  /** The gradient so far; undefined: nothing has arrived yet; null: none will. */
  gradient(node: number, time: number): number | null | undefined {
    if (this.graph.nodes[node]!.constant) return null;
    const found = lastBefore(this.histories[node], time);
    if (found !== undefined && found !== null) return found;
    const initial = this.run.initial?.[node];
    if (initial !== undefined && initial !== null) return initial;
    return time >= this.backwardTimes[node]! || time >= this.length ? null : undefined;
  }

  /** Whether the gradient is complete: everybody who uses the node has passed on. */
  complete(node: number, time: number): boolean {
    const done = this.backwardTimes[node]!;
    return this.graph.nodes[node]!.inputs.length ? time >= done - 1 && time >= this.seed : time >= done;
  }

  /** The tick that computes the node; 0 for leaves. */
  timeOfForward(node: number): number {
    return this.forwardTimes[node]!;
  }

  /** The tick in which the node passes its gradient on (a leaf: in which its gradient is complete);
   * Infinity for what the sweep does not reach. */
  timeOfBackward(node: number): number {
    return this.backwardTimes[node]!;
  }

  /** The edge from the operand at `position` to `consumer`. */
  edgeState(consumer: number, position: number, time: number): EdgeState {
    const turn = this.backwardTimes[consumer]!;
    if (time < turn || time <= this.seed) {
      const done = this.forwardTimes[consumer]!;
      return time < done ? "idle" : time === done ? "forward" : "known";
    }
    const current = this.passes[this.clamped(time) - this.seed - 1];
    const now = current?.node === consumer;
    const share = (now ? current : this.passes[turn - this.seed - 1])?.shares[position];
    if (!share || this.graph.nodes[share.operand]!.constant) return "known";
    return share.share === null ? "blocked" : now ? "backward" : "passed";
  }
}

interface History {
  times: number[];
  gradients: (number | null)[];
}

function lastBefore(history: History | undefined, time: number): number | null | undefined {
  if (!history) return undefined;
  let low = 0;
  let high = history.times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (history.times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low ? history.gradients[low - 1] : undefined;
}
