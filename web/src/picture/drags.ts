/** Dragging a value: how far it changes, and how often. */

import type { Drag } from "./gestures";

/** The change per pixel: a hundredth of the value's power of ten. */
export function stepOf(x: number): number {
  const power = Number.isFinite(x) && x !== 0 ? Math.floor(Math.log10(Math.abs(x))) : 0;
  return Number(`1e${Math.max(power, -12) - 2}`); // 10 ** -5 is not 0.00001
}

/** Rounded to tenths of a step, so that a drag does not leave sixteen digits behind. */
export function dragged(start: number, by: number, step: number): number {
  if (!Number.isFinite(start)) return start;
  return Number((Math.round((start + by) / (step / 10)) * (step / 10)).toPrecision(12));
}

/** Call `act` at most once per frame, and always with the last value. */
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

/** Change a value by dragging: up and to the right is more, because people try both. */
export function valueDrag(start: number, edit: (value: number) => void): Drag {
  const step = stepOf(start);
  const send = throttled(edit);
  return {
    move: (by, event) => send(dragged(start, (by.x - by.y) * step * (event.shiftKey ? 0.1 : 1), step)),
    end: () => send.now(),
  };
}
