/** The keys of the walk. The help dialog lists this table. */

import { shortcutIn, type Shortcut } from "../ui/keys";
import { stepInto, stepOut, stepOver } from "./state/groups";
import type { Walk } from "./state/state";

/** What keys do outside the walk's own state. */
export interface KeyTargets {
  search: () => void;
  help: () => void;
}

type Act = (walk: Walk, targets: KeyTargets) => void;

const on = (key: string, words: string, act: Act, ...shown: string[]): Shortcut<[Walk, KeyTargets]> => ({
  keys: [key],
  shown: shown.length ? shown : [key],
  words,
  act,
});

export const SHORTCUTS = [
  on("ArrowRight", "Step forward", (walk) => walk.step(1), "→"),
  on("ArrowLeft", "Step back", (walk) => walk.step(-1), "←"),
  on("Shift+ArrowRight", "Ten steps forward", (walk) => walk.step(10), "Shift", "→"),
  on("Shift+ArrowLeft", "Ten steps back", (walk) => walk.step(-10), "Shift", "←"),
  on("Home", "Go to the beginning", (walk) => walk.step(-Infinity)),
  on("End", "Go to the end", (walk) => walk.step(Infinity)),
  on(" ", "Play or pause", (walk) => walk.togglePlaying(), "Space"),
  on("[", "Slower", (walk) => walk.changeSpeed(-1)),
  on("]", "Faster", (walk) => walk.changeSpeed(1)),
  on(".", "Run to the next breakpoint", (walk) => void walk.toNextStop(1)),
  on(",", "Go back to the previous breakpoint", (walk) => void walk.toNextStop(-1)),
  on("n", "Step over: run until the next group is complete", stepOver),
  on("s", "Step into: open the next group, and step in it", stepInto),
  on("u", "Step out: fold the group, and run until it is complete", stepOut),
  on("b", "Set or clear a breakpoint at the selected node", toggleBreakpoint),
  on("Escape", "Clear the selection", (walk) => void (walk.selection.value = null), "Esc"),
  on("/", "Search for a node", (_, targets) => targets.search()),
  on("?", "Show this help", (_, targets) => targets.help()),
];

function toggleBreakpoint(walk: Walk): void {
  const selection = walk.selection.value;
  if (selection) walk.toggleBreakpoint(selection.node);
}

/** Keys that step in a menu too, where up and down choose: the user may step a graph that was just chosen. */
const STEPS = new Set(["ArrowRight", "ArrowLeft"]);

/** The shortcut for an event; null if the focused element or the browser needs the key. */
export function shortcutOf(event: KeyboardEvent) {
  if (event.target instanceof HTMLSelectElement && STEPS.has(event.key) && !event.defaultPrevented) {
    return SHORTCUTS.find(({ keys }) => keys.includes(event.key)) ?? null;
  }
  return shortcutIn(SHORTCUTS, event);
}
