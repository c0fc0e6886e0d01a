/** Arithmetic of hands: what is below a point. */

import type { Arrangement } from "./arrange";
import type { Rect } from "./layout";

/** Whether a point is inside. */
export function holds(rect: Rect, x: number, y: number): boolean {
  return x >= rect.x && x <= rect.x + rect.width && y >= rect.y && y <= rect.y + rect.height;
}

/** The smallest rectangle around the boxes of some nodes. */
export function hull({ plan, boxOf }: Arrangement, nodes: readonly number[]): Rect {
  const rects = nodes.map((node) => plan.rects[boxOf[node]!]!);
  const least = (list: number[]) => list.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (list: number[]) => list.reduce((a, b) => Math.max(a, b), -Infinity);
  const [x, y] = [least(rects.map((r) => r.x)), least(rects.map((r) => r.y))];
  return {
    x,
    y,
    width: most(rects.map((r) => r.x + r.width)) - x,
    height: most(rects.map((r) => r.y + r.height)) - y,
  };
}
