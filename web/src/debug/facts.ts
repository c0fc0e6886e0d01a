/** Facts about nodes and groups, for tables. */

import type { Run } from "../engine";
import { isWrong, isWrongGradient } from "./wrong";

/** The numbers of several nodes: norms of finite ones, and how many are 0, or not finite. */
export interface GroupFacts {
  count: number;
  /** √Σx² over the finite values. */
  values: number;
  /** √Σg² over the finite gradients. */
  gradients: number;
  largest: number;
  /** Nodes that have a gradient. */
  reached: number;
  zeros: number;
  wrong: number;
}

export function factsOf(run: Run, members: readonly number[]): GroupFacts {
  const [values, gradients] = [new Norm(), new Norm()];
  let [zeros, wrong, reached] = [0, 0, 0];
  for (const index of members) {
    const node = run.graph.nodes[index]!;
    values.add(run.data[index]!);
    if (isWrong(run, index) || isWrongGradient(run, index)) wrong++;
    const gradient = run.gradients[index];
    if (node.constant || typeof gradient !== "number") continue;
    reached++;
    if (gradient === 0) zeros++;
    gradients.add(gradient);
  }
  const sizes = { values: values.size, gradients: gradients.size, largest: gradients.largest };
  return { count: members.length, ...sizes, reached, zeros, wrong };
}

/** A norm that neither overflows nor underflows: the sum of squares relative to the largest number. */
class Norm {
  largest = 0;
  private sum = 0;

  add(x: number): void {
    const size = Math.abs(x);
    if (!Number.isFinite(size) || size === 0) return;
    if (size > this.largest) {
      this.sum = 1 + this.sum * (this.largest / size) ** 2;
      this.largest = size;
    } else {
      this.sum += (size / this.largest) ** 2;
    }
  }

  get size(): number {
    return this.largest * Math.sqrt(this.sum);
  }
}
