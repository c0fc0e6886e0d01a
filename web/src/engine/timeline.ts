import type { CheckedGraph, Pass, Run } from "./node";

/** What happens in one tick. */
export type Moment =
  | { kind: "start" }
  | { kind: "forward"; node: number }
  | { kind: "seed"; node: number }
  | { kind: "backward"; node: number; pass: Pass };

/** A run in ticks. At 0 only leaves have values. Then each tick computes one operation, one tick seeds
 * the backward pass, and each further tick propagates the gradient of one node; leaves take no tick. */
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
    this.passes = run.backward.filter((pass) => pass.contributions.length > 0);
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
      // a misconception may process a node again: the first time counts
      if (this.backwardTimes[pass.node] === Infinity) this.backwardTimes[pass.node] = time;
      for (const { operand, after } of pass.contributions) {
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

  /** The moment of a tick; a tick out of range is moved to the nearest end. */
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

  /** Whether the node has its value at this time. */
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

  /** The tick that computes the node; 0 for leaves. */
  timeOfForward(node: number): number {
    return this.forwardTimes[node]!;
  }

  /** The tick that propagates the node's gradient (for a leaf: that completes it); Infinity if the
   * backward pass does not reach the node. */
  timeOfBackward(node: number): number {
    return this.backwardTimes[node]!;
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
