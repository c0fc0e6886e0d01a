/** The decision boundary: the prediction anywhere, and the line on which both labels are equally likely. */

import type { Frame } from "../run/protocol";

export type Boundary = NonNullable<Frame["boundary"]>;

/** Returns the prediction at a place: bilinear between the centres of cells, constant beyond the outermost. */
export function valueAt({ resolution, extent, values }: Boundary, x: number, y: number): number {
  const last = resolution - 1;
  const across = Math.min(last, Math.max(0, ((x - extent[0]) / (extent[1] - extent[0])) * resolution - 0.5));
  const up = Math.min(last, Math.max(0, ((y - extent[2]) / (extent[3] - extent[2])) * resolution - 0.5));
  const column = Math.min(last - 1, Math.floor(across));
  const row = Math.min(last - 1, Math.floor(up));
  const [s, t] = [across - column, up - row];
  const at = (i: number, j: number) => values[j * resolution + i]!;
  const low = at(column, row) * (1 - s) + at(column + 1, row) * s;
  const high = at(column, row + 1) * (1 - s) + at(column + 1, row + 1) * s;
  return low * (1 - t) + high * t;
}

/** Ends of a segment of the boundary, in cells from the centre of the bottom left one. */
export type Stretch = [x0: number, y0: number, x1: number, y1: number];

/** Returns where the prediction is 0.5, by linear interpolation along the sides of each square (marching
 * squares). */
export function border({ resolution, values }: Boundary): Stretch[] {
  const found: Stretch[] = [];
  for (let j = 0; j + 1 < resolution; j++) {
    for (let i = 0; i + 1 < resolution; i++) square(found, values, resolution, i, j);
  }
  return found;
}

function square(found: Stretch[], values: readonly number[], n: number, i: number, j: number): void {
  const a = values[j * n + i]! - 0.5;
  const b = values[j * n + i + 1]! - 0.5;
  const c = values[(j + 1) * n + i + 1]! - 0.5;
  const d = values[(j + 1) * n + i]! - 0.5;
  const ends: number[] = [];
  if (a > 0 !== b > 0) ends.push(i + a / (a - b), j);
  if (b > 0 !== c > 0) ends.push(i + 1, j + b / (b - c));
  if (c > 0 !== d > 0) ends.push(i + d / (d - c), j + 1);
  if (d > 0 !== a > 0) ends.push(i, j + a / (a - d));
  for (let k = 0; k + 3 < ends.length; k += 4) {
    found.push([ends[k]!, ends[k + 1]!, ends[k + 2]!, ends[k + 3]!]);
  }
}
