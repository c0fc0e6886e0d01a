/** Dragging a number: how far a drag changes it. */

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

export interface ValueDrag {
  /** `by` is the distance from where the drag began. */
  move(by: { x: number; y: number }, event: { shiftKey: boolean }): void;
  end(): void;
}

/** A drag that changes a number. Right and up increase it, because people try both; Shift is finer. */
export function valueDrag(start: number, onValue: (value: number) => void): ValueDrag {
  const step = stepOf(start);
  const send = throttled(onValue);
  return {
    move: (by, { shiftKey }) => send(dragged(start, (by.x - by.y) * step * (shiftKey ? 0.1 : 1), step)),
    end: () => send.now(),
  };
}
