/** Orders of visits as the picture has them. */

import type { Graph } from "../engine";
import { arrange } from "../picture/arrange";
import { visitOrder } from "../picture/visits";

/** The order in which the nodes of a fresh picture stand. */
export function firstOrder(graph: Graph): number[] {
  const { plan, boxOf } = arrange(graph, { mode: "auto", open: [] });
  return visitOrder(graph, (node) => plan.rects[boxOf[node]!]!);
}

/** Moves a node one place in the order of the picture inside `stage`, as its keys do (Alt and an
 * arrow): so the list and the picture never disagree. `step` 1: later, which is further left. */
export function nudge(stage: HTMLElement, node: number, step: 1 | -1): void {
  const box = stage.querySelector(`[data-node="${node}"]`);
  if (!box) return;
  box.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  // The picture has to know where its cursor is before a key comes.
  setTimeout(() => {
    const key = step > 0 ? "ArrowLeft" : "ArrowRight";
    box.dispatchEvent(new KeyboardEvent("keydown", { key, altKey: true, bubbles: true, cancelable: true }));
  });
}
