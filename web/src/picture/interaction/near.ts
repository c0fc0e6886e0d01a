/** Finding the edge at a point: hundreds of edges are one element, in which the mouse finds no edge. */

import type { Arrangement } from "../layout/arrange";
import { distance, sampled } from "../layout/curves";
import type { Point } from "../shared/plan";
import { grown, holds } from "../shared/rects";
import { reaches } from "./visible";

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
    const far = distance(sampled(arrangement.plan.paths[k]!, arrangement.plan.down), at);
    if (far <= least) [best, least] = [k, far];
  }
  return best;
}
