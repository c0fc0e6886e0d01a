/** Where the picture goes when a step leaves the frame: so that the next steps need not move it again. */

import type { Timeline } from "../engine/timeline";
import type { Arrangement } from "./arrange";
import type { Rect, Size } from "./plan";

const AHEAD = 24;
/** Nothing is brought closer to the border than this part of the frame. */
const ROOM = 0.86;

/** The part of a picture around the box of a node that fits into a frame together with the nodes of the
 * steps that follow, as many as there is room for, and then with its operands. */
export function companyOf(
  { plan, boxOf }: Arrangement,
  { timeline, time, direction }: { timeline: Timeline; time: number; direction: number },
  node: number,
  frame: Size,
): Rect {
  const rectOf = (other: number) => plan.rects[boxOf[other]!]!;
  const room = { width: ROOM * frame.width, height: ROOM * frame.height };
  let around = rectOf(node);
  for (let k = 1; k <= AHEAD; k++) {
    const moment = timeline.at(time + k * direction);
    if (moment.kind === "start") break;
    const wider = union(around, rectOf(moment.node));
    if (!fits(wider, room)) break;
    around = wider;
  }
  for (const operand of timeline.graph.nodes[node]!.inputs) {
    const wider = union(around, rectOf(operand));
    if (fits(wider, room)) around = wider;
  }
  return around;
}

function fits(inner: Size, outer: Size): boolean {
  return inner.width <= outer.width && inner.height <= outer.height;
}

/** The smallest rectangle around two. */
export function union(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}
