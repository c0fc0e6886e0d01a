/** The keys of the two runs. */

import type { Shortcut } from "../ui/keys";
import type { Stepper } from "./stepper";

const on = (key: string, words: string, act: (stepper: Stepper) => void): Shortcut<[Stepper]> => ({
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
