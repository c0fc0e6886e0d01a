/** A wrong run and the right one, stepped in lock step. */

import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { Timeline } from "../engine";
import { firstDifference, type Difference, type Pair } from "./runs";

/** Milliseconds between two steps while it plays. */
export const PACE = 900;

/** Steps are counted from the seed: forward, both runs are the same. */
export class Stepper {
  readonly pair: Signal<Pair>;
  readonly step = signal(0);
  readonly playing = signal(false);
  /** A node that was clicked, in both pictures. */
  readonly chosen: Signal<number | null> = signal(null);

  readonly wrong: ReadonlySignal<Timeline> = computed(() => new Timeline(this.pair.value.wrong));
  readonly right: ReadonlySignal<Timeline> = computed(() => new Timeline(this.pair.value.right));
  readonly difference: ReadonlySignal<Difference | null> = computed(() => firstDifference(this.pair.value));
  readonly length: ReadonlySignal<number> = computed(
    () => Math.max(this.wrong.value.length, this.right.value.length) - this.wrong.value.seed,
  );
  /** The step after which something differs; Infinity: none. */
  readonly stop: ReadonlySignal<number> = computed(() => {
    const found = this.difference.value;
    return found ? Math.max(0, found.time - this.wrong.value.seed) : Infinity;
  });
  /** Whether the first difference is to be seen. */
  readonly parted: ReadonlySignal<boolean> = computed(() => this.step.value >= this.stop.value);
  /** The node that both pictures mark. */
  readonly marked: ReadonlySignal<number | null> = computed(
    () => this.chosen.value ?? (this.parted.value ? this.difference.value!.node : null),
  );

  constructor(pair: Pair) {
    this.pair = signal(pair);
  }

  /** Another pair of runs, from its beginning. */
  open(pair: Pair): void {
    batch(() => {
      this.pair.value = pair;
      this.go(0);
    });
  }

  /** To a step; playing ends. */
  go(step: number): void {
    batch(() => {
      this.playing.value = false;
      this.step.value = Math.min(Math.max(step, 0), this.length.value);
      this.chosen.value = null;
    });
  }

  /** To the first node that differs, else to the end. */
  toDifference(): void {
    this.go(this.stop.value);
  }

  /** Play or pause; at the end, play from the beginning. */
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
