/** Keys of the whole room; the help lists this very table. */

import type { TrainingRoom } from "./room";

export interface Shortcut {
  key: string;
  shown: string;
  words: string;
  act: (room: TrainingRoom) => void;
}

export const SHORTCUTS: Shortcut[] = [
  { key: " ", shown: "Space", words: "Start or pause", act: (room) => room.toggle() },
  { key: "ArrowRight", shown: "→", words: "Step one update", act: (room) => room.step() },
  {
    key: "r",
    shown: "r",
    words: "Rewind to the first weights of the same seed",
    act: (room) => room.rewind(),
  },
  {
    key: "g",
    shown: "g",
    words: "Gradients in the network, or not",
    act: (room) => room.watchGradients(!room.gradients.value),
  },
];

const WRITES = "input:not([type=checkbox]):not([type=file]), textarea, select, [contenteditable], dialog";
const PRESSED = "button, a, summary, input, [role=button], [role=slider], [role=application]";

/** The shortcut that an event means; null if whatever has the focus needs the key itself. */
export function shortcutOf(event: KeyboardEvent): Shortcut | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest(WRITES)) return null;
  if (event.key === " " && target?.closest(PRESSED)) return null;
  return SHORTCUTS.find(({ key }) => key === event.key) ?? null;
}
