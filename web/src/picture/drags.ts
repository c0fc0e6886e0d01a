/** Arithmetic of hands: what is below a point, and how far a drag turns a number. */

import type { Arrangement } from "./arrange";
import type { Drag } from "./gestures";
import type { Rect } from "./plan";

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

/** What one pixel of a drag adds: a hundredth of the number's power of ten. */
export function stepOf(x: number): number {
  const power = Number.isFinite(x) && x !== 0 ? Math.floor(Math.log10(Math.abs(x))) : 0;
  return Number(`1e${Math.max(power, -12) - 2}`); // 10 ** -5 is not 0.00001
}

/** Rounded to tenths of a step, so that a drag does not leave sixteen digits behind. */
export function dragged(start: number, by: number, step: number): number {
  if (!Number.isFinite(start)) return start;
  return Number((Math.round((start + by) / (step / 10)) * (step / 10)).toPrecision(12));
}

/** At most once per frame; the last one always. */
export function throttled(act: (value: number) => void): ((value: number) => void) & { now(): void } {
  let waiting: number | null = null;
  const now = () => {
    const value = waiting;
    waiting = null;
    if (value !== null) act(value);
  };
  const send = (value: number) => {
    if (waiting === null) requestAnimationFrame(now);
    waiting = value;
  };
  return Object.assign(send, { now });
}

/** Turns a number by dragging: up and to the right is more, because people try both. */
export function valueDrag(start: number, edit: (value: number) => void): Drag {
  const step = stepOf(start);
  const send = throttled(edit);
  return {
    move: (by, event) => send(dragged(start, (by.x - by.y) * step * (event.shiftKey ? 0.1 : 1), step)),
    end: () => send.now(),
  };
}
