/** The keys of the two runs. */

import type { Shortcut } from "../ui/keys";
/** Two runs that are stepped together. */
export interface Stepping {
  readonly step: { readonly value: number };
  go(step: number): void;
  toggle(): void;
  toDifference(): void;
}

const on = (key: string, words: string, act: (stepper: Stepping) => void): Shortcut<[Stepping]> => ({
  keys: [key],
  shown: [key],
  words,
  act,
});

export const SHORTCUTS = [
  on("ArrowRight", "Step forward", (stepper) => stepper.go(stepper.step.value + 1)),
  on("ArrowLeft", "Step back", (stepper) => stepper.go(stepper.step.value - 1)),
  on("Home", "Go to the beginning", (stepper) => stepper.go(0)),
  on("End", "Go to the end", (stepper) => stepper.go(Infinity)),
  on(" ", "Play or pause", (stepper) => stepper.toggle()),
  on("d", "Go to the first difference", (stepper) => stepper.toDifference()),
];
