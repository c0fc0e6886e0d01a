/** Layers of boxes, and bends: an edge over several layers has a place of its own in each of them, so
 * that it does not run through boxes. */

import type { Arc, Effort, Size } from "../shared/plan";

export interface Net {
  /** The boxes, and after them the bends. */
  sizes: Size[];
  /** How many of them are boxes. */
  boxes: number;
  /** Neighbours on the left, operands in order, and on the right. */
  before: number[][];
  after: number[][];
  /** From left to right; each in the order in which a traversal from the result reaches its members. */
  layers: number[][];
  /** For each arc, the bends that it passes; empty if there are too many. */
  chains: number[][];
}

/** Edges get no bends at all if there would be more: ordering them would take too long. */
const MOST_BENDS = 3000;
const BEND: Size = { width: 0, height: 6 };

export function netOf(sizes: readonly Size[], arcs: readonly Arc[]): Net {
  const net: Net = { sizes: [...sizes], boxes: sizes.length, before: [], after: [], layers: [], chains: [] };
  join(net, arcs);
  const layerOf = layersOf(net);
  const passed = arcs.reduce((sum, { source, target }) => sum + layerOf[target]! - layerOf[source]! - 1, 0);
  if (passed <= MOST_BENDS) bend(net, arcs, layerOf);
  for (const k of fromResult(net)) (net.layers[layerOf[k]!] ??= []).push(k);
  return net;
}

function join(net: Net, arcs: readonly Arc[]): void {
  net.before = net.sizes.map(() => []);
  net.after = net.sizes.map(() => []);
  for (const { source, target } of arcs) {
    net.before[target]!.push(source);
    net.after[source]!.push(target);
  }
}

/** The layer of every box: next to its users, so that leaves are where they are used, except where
 * that lengthens more edges than it shortens. */
function layersOf({ before, after, boxes }: Net): number[] {
  const order = operandsFirst(before, after);
  const layerOf = new Array<number>(boxes).fill(0);
  const afterOperands = (k: number) => before[k]!.reduce((most, j) => Math.max(most, layerOf[j]! + 1), 0);
  for (const k of order) layerOf[k] = afterOperands(k);
  const deepest = layerOf.reduce((most, layer) => Math.max(most, layer), 0);
  layerOf[boxes - 1] = deepest; // the result is rightmost even if a path to another end is longer
  for (const k of [...order].reverse()) {
    const users = after[k]!.map((user) => layerOf[user]!);
    if (users.length) layerOf[k] = users.reduce((least, layer) => Math.min(least, layer)) - 1;
  }
  for (const k of order) {
    if (after[k]!.length && before[k]!.length > after[k]!.length) layerOf[k] = afterOperands(k);
  }
  return layerOf;
}

function operandsFirst(before: readonly number[][], after: readonly number[][]): number[] {
  const waiting = before.map((list) => list.length);
  const order = waiting.flatMap((n, k) => (n ? [] : [k]));
  for (const k of order) {
    for (const user of after[k]!) if (--waiting[user]! === 0) order.push(user); // the loop reaches these too
  }
  return order;
}

/** Edges from one box have common bends until they diverge. */
function bend(net: Net, arcs: readonly Arc[], layerOf: number[]): void {
  const known = new Map<string, number>();
  const parts: Arc[] = [];
  for (const { source, target } of arcs) {
    const chain: number[] = [];
    for (let layer = layerOf[source]! + 1; layer < layerOf[target]!; layer++) {
      const key = `${source} ${layer}`;
      if (!known.has(key)) {
        known.set(key, net.sizes.push(BEND) - 1);
        layerOf.push(layer);
        parts.push({ source: chain.at(-1) ?? source, target: known.get(key)! });
      }
      chain.push(known.get(key)!);
    }
    parts.push({ source: chain.at(-1) ?? source, target });
    net.chains.push(chain);
  }
  join(net, parts);
}

/** Depth first, operands in order: a tree begins without crossings. */
function fromResult({ before, after }: Net): Set<number> {
  const seen = new Set<number>();
  const stack = after.flatMap((users, k) => (users.length ? [] : [k]));
  for (let k = stack.pop(); k !== undefined; k = stack.pop()) {
    if (seen.has(k)) continue;
    seen.add(k);
    for (let at = before[k]!.length - 1; at >= 0; at--) stack.push(before[k]![at]!);
  }
  return seen;
}

/** The mean value of some neighbours; without neighbours, `own`. */
export function mean(list: readonly number[], value: ArrayLike<number>, own: number, effort: Effort): number {
  effort.steps += 1 + list.length;
  let sum = 0;
  for (const k of list) sum += value[k]!;
  return list.length ? sum / list.length : own;
}
