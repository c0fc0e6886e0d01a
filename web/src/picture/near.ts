/** Finding the edge at a point: hundreds of edges are one element, in which the mouse finds no edge. */

import type { Arrangement } from "./arrange";
import type { Point } from "./plan";
import { grown, holds } from "./rects";
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
    if (!holds(grown(all[k]!, tolerance), at)) continue;
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

/** A point of the curve that leaves and arrives level, with its handles half way. */
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
