/** A layered layout for hundreds and thousands of boxes.
 *
 * The method is that of Sugiyama, Tagawa and Toda (Methods for Visual Understanding of
 * Hierarchical System Structures, 1981) with less care: layers by the longest path, orders by a few
 * sweeps of barycentres, heights by pooling adjacent violators. Where edges pass too many layers,
 * they have no bends. A layer of hundreds of boxes is broken into several columns, so that the
 * picture is not a mile high. */

import type { Effort } from "./fold";
import { bend, left, right, unbend } from "./bends";
import type { Arc, Plan, Rect } from "./layout";
import { COLUMN_GAP, ROW_GAP, moved } from "./layout";
import type { Size } from "./measure";

const ORDER_SWEEPS = 6;
const HEIGHT_SWEEPS = 6;
/** Width over height of a picture whose layers are broken. */
const ASPECT = 1.6;

interface Net {
  before: number[][];
  after: number[][];
  order: number[];
}

/** Bends that are still quickly put in order. */
const MOST_BENDS = 3000;
const BEND_GAP = 9;

export function layered(sizes: readonly Size[], arcs: readonly Arc[], effort: Effort): Plan {
  const layerOf = layersAt(sizes.length, arcs);
  if (crossed(arcs, layerOf) - arcs.length > MOST_BENDS) return moved(placed(sizes, arcs, effort));
  const bent = bend(sizes, arcs, layerOf);
  return moved(unbend(placed(bent.sizes, bent.arcs, effort), arcs, bent.chains, sizes.length));
}

function placed(sizes: readonly Size[], arcs: readonly Arc[], effort: Effort): Plan {
  const net = netOf(sizes.length, arcs);
  const layers = layersOf(net, effort);
  const columns = ordered(net, layers, effort).flatMap(broken(sizes, layers));
  const rects = sizes.map((size): Rect => ({ x: 0, y: 0, ...size }));
  setColumns(rects, columns);
  setHeights(rects, columns, net, effort);
  const paths = arcs.map(({ source, target }) => [right(rects[source]!), left(rects[target]!)]);
  return { rects, paths, width: 0, height: 0 };
}

/** Neighbours, and an order with operands first. */
function netOf(count: number, arcs: readonly Arc[]): Net {
  const before: number[][] = Array.from({ length: count }, () => []);
  const after: number[][] = Array.from({ length: count }, () => []);
  for (const { source, target } of arcs) {
    before[target]!.push(source);
    after[source]!.push(target);
  }
  const waiting = before.map((list) => list.length);
  const order = waiting.flatMap((n, k) => (n ? [] : [k]));
  for (const k of order) {
    for (const user of after[k]!) if (--waiting[user]! === 0) order.push(user); // grows while it is walked
  }
  return { before, after, order };
}

/** The layer of every box. */
export function layersAt(count: number, arcs: readonly Arc[]): Int32Array {
  const layerOf = new Int32Array(count);
  layersOf(netOf(count, arcs), { steps: 0 }).forEach((layer, k) => {
    for (const box of layer) layerOf[box] = k;
  });
  return layerOf;
}

/** How many layers the arcs cross, all together. */
export function crossed(arcs: readonly Arc[], layerOf: ArrayLike<number>): number {
  return arcs.reduce((sum, { source, target }) => sum + layerOf[target]! - layerOf[source]!, 0);
}

// --- layers and orders --------------------------------------------------------------------------

/** Every box as close to its users as they allow, so that leaves sit where they are used. */
function layersOf(net: Net, effort: Effort): number[][] {
  const steps = new Array<number>(net.order.length).fill(0);
  let deepest = 0;
  for (let k = net.order.length - 1; k >= 0; k--) {
    const box = net.order[k]!;
    effort.steps += 1 + net.after[box]!.length;
    for (const user of net.after[box]!) steps[box] = Math.max(steps[box]!, steps[user]! + 1);
    deepest = Math.max(deepest, steps[box]!);
  }
  const layers: number[][] = Array.from({ length: deepest + 1 }, () => []);
  for (const box of firstMet(net)) layers[deepest - steps[box]!]!.push(box);
  return layers;
}

/** As a walk from the roots meets the boxes, operands in order: a tree has no crossing at all. */
function firstMet(net: Net): number[] {
  const seen = new Set<number>();
  const stack = net.order.filter((k) => !net.after[k]!.length).reverse();
  while (stack.length) {
    const k = stack.pop()!;
    if (seen.has(k)) continue;
    seen.add(k);
    for (let j = net.before[k]!.length - 1; j >= 0; j--) stack.push(net.before[k]![j]!);
  }
  return [...seen];
}

/** The layers, each from top to bottom: boxes near the mean of their neighbours. */
function ordered(net: Net, layers: number[][], effort: Effort): number[][] {
  const rank = new Float64Array(net.order.length);
  const settle = (layer: number[]) =>
    layer.forEach((k, r) => {
      rank[k] = (r + 0.5) / layer.length;
    });
  layers.forEach(settle);
  for (let sweep = 0; sweep < ORDER_SWEEPS; sweep++) {
    const right = sweep % 2 === 1;
    const beside = right ? net.before : net.after;
    for (let k = 0; k < layers.length; k++) {
      const layer = layers[right ? k : layers.length - 1 - k]!;
      const wish = new Map(layer.map((box) => [box, mean(beside[box]!, rank, rank[box]!, effort)]));
      layer.sort((a, b) => wish.get(a)! - wish.get(b)! || rank[a]! - rank[b]!);
      settle(layer);
    }
  }
  return layers;
}

function mean(list: readonly number[], value: ArrayLike<number>, own: number, effort: Effort): number {
  effort.steps += 1 + list.length;
  let sum = 0;
  for (const k of list) sum += value[k]!;
  return list.length ? sum / list.length : own;
}

// --- columns ------------------------------------------------------------------------------------

/** A layer as columns of bounded height: neighbours in the order stay neighbours in height. */
function broken(sizes: readonly Size[], layers: readonly number[][]): (layer: number[]) => number[][] {
  const rows = rowsPerColumn(sizes, layers);
  return (layer) => {
    const count = Math.ceil(layer.length / rows);
    return Array.from({ length: count }, (_, c) => layer.filter((_, k) => k % count === c));
  };
}

function rowsPerColumn(sizes: readonly Size[], layers: readonly number[][]): number {
  const boxes = sizes.filter((size) => size.width);
  const wide = boxes.reduce((sum, s) => sum + s.width, 0) / boxes.length + COLUMN_GAP;
  const high = sizes.reduce((sum, s) => sum + s.height + gap(s), 0) / sizes.length;
  const columns = (rows: number) => layers.reduce((sum, layer) => sum + Math.ceil(layer.length / rows), 0);
  let rows = 24;
  while (columns(rows) * wide > ASPECT * rows * high && columns(rows) > layers.length)
    rows = Math.ceil(rows * 1.2);
  return rows;
}

/** Boxes stand at the right of their column, next to their users. */
function setColumns(rects: Rect[], columns: readonly number[][]): void {
  let start = 0;
  for (const column of columns) {
    const width = column.reduce((most, k) => Math.max(most, rects[k]!.width), 0);
    for (const k of column) {
      if (!rects[k]!.width) rects[k]!.width = width; // a bend passes the whole column
      rects[k]!.x = start + width - rects[k]!.width;
    }
    start += width + COLUMN_GAP;
  }
}

// --- heights ------------------------------------------------------------------------------------

function setHeights(rects: Rect[], columns: readonly number[][], net: Net, effort: Effort): void {
  const middle = new Float64Array(rects.length);
  for (const column of columns)
    settle(
      rects,
      column,
      column.map(() => 0),
      middle,
    );
  for (let sweep = 0; sweep < HEIGHT_SWEEPS; sweep++) {
    const right = sweep % 2 === 1;
    for (let k = 0; k < columns.length; k++) {
      const column = columns[right ? k : columns.length - 1 - k]!;
      const wishes = column.map((box) => wish(net, box, middle, right, effort));
      settle(rects, column, wishes, middle);
    }
  }
  rects.forEach((rect, k) => {
    rect.y = middle[k]! - rect.height / 2;
  });
}

/** Level with the users, or with the operands where there are no users. */
function wish(net: Net, box: number, middle: ArrayLike<number>, right: boolean, effort: Effort): number {
  const beside = right ? net.before[box]! : net.after[box]!;
  return mean(beside.length ? beside : net.before[box]!, middle, middle[box]!, effort);
}

/** Least squares under "in this order, without overlap", by pooling adjacent violators. */
function settle(
  rects: readonly Rect[],
  column: readonly number[],
  wishes: readonly number[],
  middle: Float64Array,
): void {
  const offsets = offsetsOf(rects, column);
  const pools: { mean: number; count: number }[] = [];
  wishes.forEach((wish, k) => {
    let pool = { mean: wish - offsets[k]!, count: 1 };
    for (let last = pools.at(-1); last && last.mean >= pool.mean; last = pools.at(-1)) {
      pools.pop();
      const count = last.count + pool.count;
      pool = { mean: (last.mean * last.count + pool.mean * pool.count) / count, count };
    }
    pools.push(pool);
  });
  const levels = pools.flatMap((pool) => new Array<number>(pool.count).fill(pool.mean));
  column.forEach((k, at) => {
    middle[k] = levels[at]! + offsets[at]!;
  });
}

/** How far each box of a column stands below the first, where they touch. */
function offsetsOf(rects: readonly Rect[], column: readonly number[]): number[] {
  let offset = 0;
  return column.map((k, at) => {
    const [above, here] = [rects[column[at - 1]!], rects[k]!];
    if (above) offset += (above.height + here.height) / 2 + (gap(above) + gap(here)) / 2;
    return offset;
  });
}

/** Bends are low, and need less room. */
function gap({ height }: Size): number {
  return height < 10 ? BEND_GAP : ROW_GAP;
}
