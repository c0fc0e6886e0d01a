/** The keys of the training page. The help dialog lists this table. */

import type { Shortcut } from "../ui/keys";
import type { TrainingRoom } from "./run/room";

export const SHORTCUTS: Shortcut<[TrainingRoom]>[] = [
  { keys: [" "], shown: ["Space"], words: "Start or pause", act: (room) => room.toggle() },
  { keys: ["ArrowRight"], shown: ["→"], words: "Step one update", act: (room) => room.step() },
  { keys: ["r"], shown: ["r"], words: "Rewind to the initial weights", act: (room) => room.rewind() },
  {
    keys: ["g"],
    shown: ["g"],
    words: "Show or hide the gradients in the network",
    act: (room) => room.watchGradients(!room.gradients.value),
  },
];
