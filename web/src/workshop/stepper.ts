/** Your walk and the right one, stepped together. */

import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Pair, Tick } from "./observed";

/** Milliseconds between two steps while playing. */
export const PACE = 900;

export class WalkStepper {
  readonly step: Signal<number>;
  readonly playing = signal(false);
  /** The node that was clicked, in both pictures. */
  readonly chosen: Signal<number | null> = signal(null);
  readonly length: number;
  /** The step after which the walks differ; Infinity if they do not. */
  readonly stop: number;

  /** The step that was taken last. */
  readonly tick: ReadonlySignal<Tick | null> = computed(() => this.pair.ticks[this.step.value - 1] ?? null);
  /** Whether the first difference is visible. */
  readonly parted: ReadonlySignal<boolean> = computed(() => this.step.value >= this.stop);
  /** The node that both pictures highlight. */
  readonly marked: ReadonlySignal<number | null> = computed(() => this.chosen.value ?? this.tick.value?.index ?? null);

  /** Both walks begin at the first step that differs. */
  constructor(readonly pair: Pair) {
    this.length = pair.ticks.length;
    this.stop = pair.first;
    this.step = signal(Math.min(this.stop, this.length));
  }

  /** Goes to a step, and stops playing. */
  go(step: number): void {
    batch(() => {
      this.playing.value = false;
      this.step.value = Math.min(Math.max(step, 0), this.length);
      this.chosen.value = null;
    });
  }

  toDifference(): void {
    this.go(this.stop);
  }

  /** Plays or pauses. At the end, plays from the beginning. */
  toggle(): void {
    batch(() => {
      if (!this.playing.value && this.step.value >= this.length) this.go(0);
      this.playing.value = !this.playing.value;
    });
  }

  /** One step of playing; it pauses where the walks part, and at the end. */
  advance(): void {
    batch(() => {
      this.go(this.step.value + 1);
      this.playing.value = this.step.value !== this.stop && this.step.value < this.length;
    });
  }
}
