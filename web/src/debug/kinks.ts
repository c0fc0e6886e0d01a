/** Kinks: operands at which a derivative jumps. */

import type { GraphNode, Run } from "../engine";
import { reached } from "./wrong";

export interface Kink {
  node: number;
  position: number;
  operand: number;
  left: number;
  right: number;
  /** The convention of the operation for the kink itself. */
  convention: string;
}

/** How far from a kink an operand still counts, relative to its size. */
const WITHIN = 1e-6;
const MOST = 100;

/** The kinks of the operations that lead to a node, in the order of the program. */
export function kinksOf(run: Run, index: number): Kink[] {
  const found: Kink[] = [];
  for (const node of [...reached(run, index, "inputs")].sort((a, b) => a - b)) {
    if (found.length < MOST) found.push(...kinksAt(run, run.graph.nodes[node]!));
  }
  return found;
}

function kinksAt(run: Run, node: GraphNode): Kink[] {
  const { primitive, inputs, recorded } = node;
  if (!primitive?.kinks || recorded || node.array) return [];
  const x = inputs.map((input) => run.data[input]!);
  return inputs.flatMap((input, position) => {
    const rule = primitive.rules[position];
    if (!rule || run.graph.nodes[input]!.constant) return [];
    const h = WITHIN * Math.max(1, Math.abs(x[position]!));
    const slope = (by: number) => {
      const moved = x.map((number, k) => (k === position ? number + by : number));
      return rule(1, Number(primitive.forward(...moved)), ...moved) ?? 0;
    };
    const [left, right] = [slope(-h), slope(h)];
    const jumps = Math.abs(left - right) > 1e-3 * (Math.abs(left) + Math.abs(right));
    return jumps ? [{ node: node.index, position, operand: x[position]!, left, right, convention: primitive.kinks }] : [];
  });
}
