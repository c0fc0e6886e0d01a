/** Points on the curves that edges are drawn as. */

import type { Point } from "../shared/plan";

const SAMPLES = 16;

/** Points along an edge, as it is drawn, from the operand to the user. */
export function sampled(points: readonly Point[], down: boolean): Point[] {
  let [from] = points as [Point];
  const found = [from];
  for (const to of points.slice(1)) {
    for (let k = 1; k <= SAMPLES; k++) found.push(along(from, to, k / SAMPLES, down));
    from = to;
  }
  return found;
}

/** The distance from a point to the line through some points. */
export function distance(line: readonly Point[], at: Point): number {
  let least = Infinity;
  for (let k = 1; k < line.length; k++) least = Math.min(least, toSegment(line[k - 1]!, line[k]!, at));
  return least;
}

/** A point of the curve that leaves and arrives level, with its handles half way. */
function along(from: Point, to: Point, t: number, down: boolean): Point {
  const [near, far] = [(1 - t) ** 2 * (1 + 2 * t), t * t * (3 - 2 * t)];
  const across = (a: number, b: number) => near * a + far * b;
  const onward = (a: number, b: number) =>
    (1 - t) ** 3 * a + 3 * t * (1 - t) * ((a + b) / 2) + t ** 3 * b;
  const [x, y] = down ? [across, onward] : [onward, across];
  return { x: x(from.x, to.x), y: y(from.y, to.y) };
}

function toSegment(a: Point, b: Point, at: Point): number {
  const [wide, high] = [b.x - a.x, b.y - a.y];
  const square = wide * wide + high * high;
  const t = square ? Math.max(0, Math.min(1, ((at.x - a.x) * wide + (at.y - a.y) * high) / square)) : 0;
  return Math.hypot(at.x - a.x - t * wide, at.y - a.y - t * high);
}
