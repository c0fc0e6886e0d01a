/** The losses of a run, assembled from the frames, and thinned out for the screen. */

import type { Frame } from "./protocol";

const MOST_TESTS = 2_000;

export class Curve {
  every = 1;
  losses: number[] = [];
  /** The loss on the test points, as it was after some of the updates. */
  tests: { step: number; loss: number }[] = [];

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

  /** Adds a loss on the test points. A run that begins again drops the losses of later updates. */
  note(step: number, loss: number | null): void {
    while (this.tests.length && this.tests.at(-1)!.step >= step) this.tests.pop();
    if (loss !== null) this.tests.push({ step, loss });
    if (this.tests.length > MOST_TESTS) this.tests = this.tests.filter((_, k) => k % 2 === 0);
  }

  /** The losses as moving averages over about a fiftieth of all updates. */
  smoothed(): number[] {
    const rate = 2 / (Math.max(1, this.losses.length / 25) + 1);
    let [mean, weight] = [0, 0];
    return this.losses.map((loss) => {
      mean += rate * (loss - mean);
      weight += rate * (1 - weight); // corrects the beginning, where the average starts from 0
      return mean / weight;
    });
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
