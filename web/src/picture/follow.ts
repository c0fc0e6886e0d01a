/** Following a step that leaves the frame, so that the next steps need not move the picture again. */

import type { Timeline } from "../engine/timeline";
import type { Arrangement } from "./arrange";
import type { Rect, Size } from "./plan";
import { union } from "./rects";

const AHEAD = 24;
/** The part of the frame that may be filled; the rest is margin. */
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
