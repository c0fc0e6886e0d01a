/** Following a step that leaves the frame, so that the next steps need not move the picture again. */

import type { Timeline } from "../../engine/timeline";
import type { Arrangement } from "../layout/arrange";
import type { Rect, Size } from "../shared/plan";
import { union } from "../shared/rects";
import type { Followed } from "./viewport";

const AHEAD = 24;
/** The part of the frame that may be filled; the rest is margin. */
const ROOM = 0.86;

/** What the picture follows: the present step, or at the start the first one. */
export function followed(arrangement: Arrangement, timeline: Timeline, time: number): Followed {
  const moment = timeline.at(Math.max(1, time));
  const node = moment.kind === "start" ? -1 : moment.node;
  const next = (by: number) => ({ timeline, time, direction: Math.sign(by) });
  return {
    mark: time,
    node,
    step: (room) => stepOf(arrangement, node, room),
    around: (by, room) => companyOf(arrangement, next(by), node, room),
  };
}

/** The box of a node with its operands, as many as fit into a frame: what a step is about. */
export function stepOf({ plan, boxOf, graph }: Arrangement, node: number, frame: Size): Rect {
  const rectOf = (other: number) => plan.rects[boxOf[other]!]!;
  return graph.nodes[node]!.inputs.map(rectOf).reduce((around, rect) => {
    const wider = union(around, rect);
    return fits(wider, roomIn(frame)) ? wider : around;
  }, rectOf(node));
}

/** The part of a picture that shows a step and as many of the following steps as fit into the frame. */
export function companyOf(
  arrangement: Arrangement,
  { timeline, time, direction }: { timeline: Timeline; time: number; direction: number },
  node: number,
  frame: Size,
): Rect {
  let around = stepOf(arrangement, node, frame);
  for (let k = 1; k <= AHEAD; k++) {
    const moment = timeline.at(time + k * direction);
    if (moment.kind === "start") break;
    const wider = union(around, stepOf(arrangement, moment.node, frame));
    if (!fits(wider, roomIn(frame))) break;
    around = wider;
  }
  return around;
}

function roomIn({ width, height }: Size): Size {
  return { width: ROOM * width, height: ROOM * height };
}

function fits(inner: Size, outer: Size): boolean {
  return inner.width <= outer.width && inner.height <= outer.height;
}
