/** Steps over, into and out of a folded group, as a debugger steps over a call. */

import { arrange, type Folding } from "../../picture";
import { batch } from "@preact/signals";
import type { Walk } from "./state";

const AUTO: Folding = { mode: "auto", open: [] };

function foldingOf(walk: Walk): Folding {
  return walk.folding.value ?? AUTO;
}

/** The node that the next step processes; -1 at the end. */
function next(walk: Walk): number {
  const time = walk.time.value + 1;
  if (time > walk.timeline.value.length) return -1;
  const moment = walk.timeline.value.at(time);
  return moment.kind === "start" ? -1 : moment.node;
}

/** The step that completes some nodes in the present phase. */
function completion(walk: Walk, members: readonly number[]): number {
  const timeline = walk.timeline.value;
  const forward = walk.time.value + 1 < timeline.seed;
  let last = 0;
  for (const index of members) {
    const time = forward ? timeline.timeOfForward(index) : timeline.timeOfBackward(index);
    if (time > last && time < Infinity) last = time;
  }
  return last;
}

/** Runs until the group of the next step is complete; a node outside all groups is one step. */
export function stepOver(walk: Walk): void {
  const node = next(walk);
  if (node < 0) return;
  const { boxes, boxOf } = arrange(walk.graph.value, foldingOf(walk));
  const { members } = boxes[boxOf[node]!]!;
  const seed = walk.time.value + 1 === walk.timeline.value.seed;
  const to = seed || members.length === 1 ? 0 : completion(walk, members);
  walk.step(Math.max(1, to - walk.time.value));
}

/** Opens the group of the next step, and takes that step. */
export function stepInto(walk: Walk): void {
  const node = next(walk);
  if (node < 0) return;
  batch(() => {
    const folding = foldingOf(walk);
    const { boxes, boxOf } = arrange(walk.graph.value, folding);
    const box = boxes[boxOf[node]!]!;
    if (box.members.length > 1) walk.folding.value = { ...folding, open: [...folding.open, box.id] };
    walk.step(1);
  });
}

/** The innermost open group around the node of the present step. */
export function groupAround(walk: Walk): { id: string; title: string } | null {
  if (!walk.folding.value?.open.length) return null;
  const moment = walk.timeline.value.at(walk.time.value);
  if (moment.kind === "start") return null;
  const { boxes, boxOf } = arrange(walk.graph.value, foldingOf(walk));
  return boxes[boxOf[moment.node]!]!.around.at(-1) ?? null;
}

/** Folds the group around the present step, and runs until it is complete. */
export function stepOut(walk: Walk): void {
  const group = groupAround(walk);
  if (!group) return;
  const folding = foldingOf(walk);
  const { boxes } = arrange(walk.graph.value, folding);
  const members = boxes.filter((box) => box.around.some(({ id }) => id === group.id)).flatMap((box) => box.members);
  batch(() => {
    const open = folding.open.filter((id) => id !== group.id && !id.startsWith(`${group.id}/`));
    walk.folding.value = { ...folding, open };
    walk.step(Math.max(0, completionNow(walk, members) - walk.time.value));
  });
}

/** As `completion`, in the phase of the present step. */
function completionNow(walk: Walk, members: readonly number[]): number {
  const { timeline, time } = walk;
  const backward = time.value > timeline.value.seed;
  return members.reduce((last, index) => {
    const at = backward ? timeline.value.timeOfBackward(index) : timeline.value.timeOfForward(index);
    return at < Infinity ? Math.max(last, at) : last;
  }, 0);
}

/** Selects a node, and shows it: the groups around it are opened. */
export function show(walk: Walk, node: number): void {
  batch(() => {
    walk.selection.value = { kind: "node", node };
    walk.reveal.value = { node };
  });
}
