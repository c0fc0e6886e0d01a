/** Where columns, and the boxes and bends in them, are. */

import { type Net, mean } from "./net";
import type { Effort, Rect, Size } from "../shared/plan";

/** A box or a bend, and where its column begins. */
export interface Spot extends Rect {
  start: number;
}

const COLUMN_GAP = 46;
/** Between the columns of up to `FEW` boxes: edges are long enough to carry their derivative. */
const WIDE_GAP = 60;
const FEW = 32;
const ROW_GAP = 18;
const BEND_GAP = 9;
/** Width over height of a picture whose layers are divided. */
const ASPECT = 1.6;
const ROUNDS = 9;

/** The place of every box and every bend; the upper left corner of all is 0, 0. */
export function placed(net: Net, layers: readonly number[][], effort: Effort): Spot[] {
  const columns = layers.flatMap(divided(net, layers));
  const middle = middles(net, columns, effort);
  const top = net.sizes.reduce((least, { height }, k) => Math.min(least, middle[k]! - height / 2), Infinity);
  const spots = net.sizes.map((size, k): Spot => {
    return { ...size, x: 0, y: middle[k]! - size.height / 2 - top, start: 0 };
  });
  setColumns(spots, columns, net.boxes <= FEW ? WIDE_GAP : COLUMN_GAP);
  return spots;
}

// --- columns ------------------------------------------------------------------------------------

/** Several columns for a layer of hundreds of boxes, so that the picture is not a hundred times as
 * high as wide. Neighbours in the order stay neighbours in height. */
function divided(net: Net, layers: readonly number[][]): (layer: number[]) => number[][] {
  const rows = rowsPerColumn(net, layers);
  return (layer) => {
    const count = Math.ceil(layer.length / rows);
    return Array.from({ length: count }, (_, c) => layer.filter((_, k) => k % count === c));
  };
}

function rowsPerColumn({ sizes, boxes }: Net, layers: readonly number[][]): number {
  const wide = sizes.reduce((sum, size) => sum + size.width, 0) / boxes + COLUMN_GAP;
  const high = sizes.reduce((sum, size) => sum + size.height + gap(size), 0) / sizes.length;
  const columns = (rows: number) => layers.reduce((sum, layer) => sum + Math.ceil(layer.length / rows), 0);
  let rows = 40;
  while (columns(rows) * wide > ASPECT * rows * high && columns(rows) > layers.length)
    rows = Math.ceil(rows * 1.2);
  return rows;
}

/** Boxes are at the right of their column, next to their users. */
function setColumns(spots: readonly Spot[], columns: readonly number[][], between: number): void {
  let start = 0;
  for (const column of columns) {
    const width = column.reduce((most, k) => Math.max(most, spots[k]!.width), 0);
    for (const k of column) {
      const spot = spots[k]!;
      spot.width ||= width; // a bend passes the whole column
      spot.start = start;
      spot.x = start + width - spot.width;
    }
    start += width + between;
  }
}

// --- heights ------------------------------------------------------------------------------------

/** The height of every middle: level with the operands, then with the users, and so on. The last
 * round places boxes between their operands, where these are. */
function middles(net: Net, columns: readonly number[][], effort: Effort): Float64Array {
  const middle = new Float64Array(net.sizes.length);
  for (let round = 1; round <= ROUNDS; round++) {
    const rightward = round % 2 === 1;
    const last = round === ROUNDS;
    const [beside, other] = rightward ? [net.before, net.after] : [net.after, net.before];
    for (const column of rightward ? columns : [...columns].reverse()) {
      const lists = column.map((k) => (beside[k]!.length || last ? beside[k]! : other[k]!));
      settle(net, column, lists.map((list, at) => mean(list, middle, middle[column[at]!]!, effort)), middle);
    }
  }
  return middle;
}

/** Bends are low, and need less room. */
function gap({ height }: Size): number {
  return height < 10 ? BEND_GAP : ROW_GAP;
}

/** How far apart the middles of two neighbours in a column are at least. */
function apart({ sizes }: Net, above: number, below: number): number {
  const [a, b] = [sizes[above]!, sizes[below]!];
  return (a.height + b.height + gap(a) + gap(b)) / 2;
}

/** Least squares under "in this order, so far apart", by pooling adjacent violators. */
function settle(net: Net, column: readonly number[], wishes: readonly number[], middle: Float64Array): void {
  let offset = 0;
  const offsets = column.map((k, at) => (offset += at && apart(net, column[at - 1]!, k)));
  const pools: { mean: number; count: number }[] = [];
  wishes.forEach((wish, at) => {
    let pool = { mean: wish - offsets[at]!, count: 1 };
    for (let last = pools.at(-1); last && last.mean >= pool.mean; last = pools.at(-1)) {
      pools.pop();
      const count = last.count + pool.count;
      pool = { mean: (last.mean * last.count + pool.mean * pool.count) / count, count };
    }
    pools.push(pool);
  });
  const levels = pools.flatMap((pool) => new Array<number>(pool.count).fill(pool.mean));
  column.forEach((k, at) => (middle[k] = levels[at]! + offsets[at]!));
}
