/** Orders of the nodes in the picture. */

import type { Graph } from "../engine";
import { arrange } from "../picture/layout/arrange";
import { visitOrder } from "../picture/interaction/visits";

/** Returns the order of the nodes in a new picture. */
export function firstOrder(graph: Graph): number[] {
  const { plan, boxOf } = arrange(graph, { mode: "auto", open: [] });
  return visitOrder(graph, (node) => plan.rects[boxOf[node]!]!);
}

/** Moves a node by one place in the order of the picture inside `stage`. It sends the keys of the picture
 * (Alt and an arrow), so that the list and the picture agree. `step` 1 is later, which is further left. */
export function nudge(stage: HTMLElement, node: number, step: 1 | -1): void {
  const box = stage.querySelector(`[data-node="${node}"]`);
  if (!box) return;
  box.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  // the picture must update its cursor before the key arrives
  setTimeout(() => {
    const key = step > 0 ? "ArrowLeft" : "ArrowRight";
    box.dispatchEvent(new KeyboardEvent("keydown", { key, altKey: true, bubbles: true, cancelable: true }));
  });
}
