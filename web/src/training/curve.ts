/** The losses of a run, assembled from the frames, and thinned out for the screen. */

import type { Frame } from "./protocol";

export class Curve {
  every = 1;
  losses: number[] = [];

  /** Adds the losses of a frame. Returns false if losses before them are missing. */
  take({ from, every, losses }: Frame["curve"]): boolean {
    const first = from / every;
    if (from === 0 || every !== this.every) this.losses = [];
    this.every = every;
    if (first > this.losses.length) return false;
    this.losses.length = first;
    for (const loss of losses) this.losses.push(loss);
    return true;
  }

  /** Returns the last update that entry `index` covers. */
  update(index: number): number {
    return (index + 1) * this.every;
  }
}

/** Consecutive losses that share one column of pixels. */
export interface Column {
  /** The index of the first loss, and the index after the last. */
  start: number;
  end: number;
  low: number;
  high: number;
}

/** Returns at most `most` columns. Each keeps its lowest and its highest loss, so that no spike is lost. */
export function columns(losses: readonly number[], most: number): Column[] {
  const count = Math.min(losses.length, Math.max(1, Math.floor(most)));
  return Array.from({ length: count }, (_, i) =>
    column(losses, Math.floor((i * losses.length) / count), Math.floor(((i + 1) * losses.length) / count)),
  );
}

function column(losses: readonly number[], start: number, end: number): Column {
  let low = Infinity;
  let high = -Infinity;
  for (let i = start; i < end; i++) {
    const loss = losses[i]!;
    if (loss < low) low = loss;
    if (loss > high) high = loss;
  }
  return { start, end, low, high };
}
