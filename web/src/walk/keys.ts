/** What each key does; the help dialog lists this very table. */

import type { Walk } from "./state";

/** What keys can ask of the page around the walk. */
export interface KeyTargets {
  search: () => void;
  help: () => void;
}

export interface Shortcut {
  /** As `event.key` says it, with "Shift+" before it where that is meant. */
  keys: string[];
  /** As the help dialog shows them. */
  shown: string[];
  words: string;
  act: (walk: Walk, targets: KeyTargets) => void;
}

export const SHORTCUTS: Shortcut[] = [
  { keys: ["ArrowRight"], shown: ["→"], words: "One step on", act: (w) => w.step(1) },
  { keys: ["ArrowLeft"], shown: ["←"], words: "One step back", act: (w) => w.step(-1) },
  { keys: ["Shift+ArrowRight"], shown: ["Shift", "→"], words: "Ten steps on", act: (w) => w.step(10) },
  { keys: ["Shift+ArrowLeft"], shown: ["Shift", "←"], words: "Ten steps back", act: (w) => w.step(-10) },
  { keys: ["Home"], shown: ["Home"], words: "To the beginning", act: (w) => w.step(-Infinity) },
  { keys: ["End"], shown: ["End"], words: "To the end", act: (w) => w.step(Infinity) },
  { keys: [" "], shown: ["Space"], words: "Play or pause", act: (w) => w.togglePlaying() },
  { keys: ["["], shown: ["["], words: "Slower", act: (w) => w.changeSpeed(-1) },
  { keys: ["]"], shown: ["]"], words: "Faster", act: (w) => w.changeSpeed(1) },
  { keys: ["."], shown: ["."], words: "On to the next breakpoint", act: (w) => void w.toNextStop(1) },
  { keys: [","], shown: [","], words: "Back to the breakpoint before", act: (w) => void w.toNextStop(-1) },
  { keys: ["b"], shown: ["b"], words: "Stop at the selected node, or no longer", act: toggleBreakpoint },
  { keys: ["Escape"], shown: ["Esc"], words: "Select nothing", act: (w) => void (w.selection.value = null) },
  { keys: ["/"], shown: ["/"], words: "Search a node", act: (_, targets) => targets.search() },
  { keys: ["?"], shown: ["?"], words: "This help", act: (_, targets) => targets.help() },
];

function toggleBreakpoint(walk: Walk): void {
  const selection = walk.selection.value;
  if (selection) walk.toggleBreakpoint(selection.node);
}

/** The shortcut that an event means; null if the event is for whatever has the focus. */
export function shortcutOf(event: KeyboardEvent): Shortcut | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (isFor(event.target, event.key)) return null;
  const arrow = event.key.startsWith("Arrow");
  const key = event.shiftKey && arrow ? `Shift+${event.key}` : event.key;
  return SHORTCUTS.find(({ keys }) => keys.includes(key)) ?? null;
}

const PRESSED = "button, a, summary, select, [role=button], [role=tab], [role=option], input[type=checkbox]";

/** Does the element itself need this key? Text fields need all, buttons the space bar. */
function isFor(target: EventTarget | null, key: string): boolean {
  const element = target instanceof Element ? target : null;
  if (!element) return false;
  if (element.closest("[data-walk-keys]")) return false; // the scrubber: its keys are the walk's
  if (element.closest("textarea, select, [contenteditable], dialog")) return true;
  if (element.closest("input:not([type=checkbox]):not([type=radio])")) return true;
  if (key === " ") return element.closest(PRESSED) !== null;
  return key.startsWith("Arrow") && element.closest("[role=tab], [role=radio], input") !== null;
}
