/** Which edge is at a point: of hundreds, edges are no elements that the mouse could find. */

import type { Arrangement } from "./arrange";
import type { Point } from "./plan";
import { holds } from "./drags";
import { reaches } from "./visible";

const SAMPLES = 16;

/** The nearest of some links, if it is near enough; -1: none. */
export function linkNear(
  arrangement: Arrangement,
  links: readonly number[],
  at: Point,
  tolerance: number,
): number {
  const all = reaches(arrangement);
  let [best, least] = [-1, tolerance];
  for (const k of links) {
    const { x, y, width, height } = all[k]!;
    const around = { x: x - tolerance, y: y - tolerance, width: width + 2 * tolerance, height: height + 2 * tolerance };
    if (!holds(around, at.x, at.y)) continue;
    const far = distance(arrangement.plan.paths[k]!, at);
    if (far <= least) [best, least] = [k, far];
  }
  return best;
}

/** From a point to the curve through some points, as it is drawn. */
function distance(points: readonly Point[], at: Point): number {
  let least = Infinity;
  let [from] = points as [Point];
  for (const to of points.slice(1)) {
    let last = from;
    for (let k = 1; k <= SAMPLES; k++) {
      const next = along(from, to, k / SAMPLES);
      least = Math.min(least, toSegment(last, next, at));
      last = next;
    }
    from = to;
  }
  return least;
}

/** A place on the curve that leaves and arrives level, with its handles half way. */
function along(from: Point, to: Point, t: number): Point {
  const [near, far] = [(1 - t) ** 2 * (1 + 2 * t), t * t * (3 - 2 * t)];
  const half = (from.x + to.x) / 2;
  return {
    x: (1 - t) ** 3 * from.x + 3 * t * (1 - t) * half + t ** 3 * to.x,
    y: near * from.y + far * to.y,
  };
}

function toSegment(a: Point, b: Point, at: Point): number {
  const [wide, high] = [b.x - a.x, b.y - a.y];
  const square = wide * wide + high * high;
  const t = square ? Math.max(0, Math.min(1, ((at.x - a.x) * wide + (at.y - a.y) * high) / square)) : 0;
  return Math.hypot(at.x - a.x - t * wide, at.y - a.y - t * high);
}
