/** A wrong run and the correct one, stepped together. */

import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { Timeline } from "../engine";
import { firstDifference, type Difference, type Pair } from "./runs";

/** Milliseconds between two steps while playing. */
export const PACE = 900;

/** The state of both runs. Steps count from the seed, because the forward passes are equal. */
export class Stepper {
  readonly pair: Signal<Pair>;
  readonly step = signal(0);
  readonly playing = signal(false);
  /** The node that was clicked, in both pictures. */
  readonly chosen: Signal<number | null> = signal(null);

  readonly wrong: ReadonlySignal<Timeline> = computed(() => new Timeline(this.pair.value.wrong));
  readonly right: ReadonlySignal<Timeline> = computed(() => new Timeline(this.pair.value.right));
  readonly difference: ReadonlySignal<Difference | null> = computed(() => firstDifference(this.pair.value));
  readonly length: ReadonlySignal<number> = computed(
    () => Math.max(this.wrong.value.length, this.right.value.length) - this.wrong.value.seed,
  );
  /** The step after which the runs differ; Infinity if they do not. */
  readonly stop: ReadonlySignal<number> = computed(() => {
    const found = this.difference.value;
    return found ? Math.max(0, found.time - this.wrong.value.seed) : Infinity;
  });
  /** Whether the first difference is visible. */
  readonly parted: ReadonlySignal<boolean> = computed(() => this.step.value >= this.stop.value);
  /** The node that both pictures highlight. */
  readonly marked: ReadonlySignal<number | null> = computed(
    () => this.chosen.value ?? (this.parted.value ? this.difference.value!.node : null),
  );

  constructor(pair: Pair) {
    this.pair = signal(pair);
  }

  /** Opens another pair of runs at its beginning. */
  open(pair: Pair): void {
    batch(() => {
      this.pair.value = pair;
      this.go(0);
    });
  }

  /** Goes to a step, and stops playing. */
  go(step: number): void {
    batch(() => {
      this.playing.value = false;
      this.step.value = Math.min(Math.max(step, 0), this.length.value);
      this.chosen.value = null;
    });
  }

  /** Goes to the first difference, or to the end. */
  toDifference(): void {
    this.go(this.stop.value);
  }

  /** Plays or pauses. At the end, plays from the beginning. */
  toggle(): void {
    batch(() => {
      if (!this.playing.value && this.step.value >= this.length.value) this.go(0);
      this.playing.value = !this.playing.value;
    });
  }

  /** Plays from the beginning. */
  run(): void {
    this.go(0);
    this.playing.value = true;
  }

  /** One step of playing; it pauses where the runs part, and at the end. */
  tick(): void {
    batch(() => {
      this.go(this.step.value + 1);
      this.playing.value = this.step.value !== this.stop.value && this.step.value < this.length.value;
    });
  }
}
