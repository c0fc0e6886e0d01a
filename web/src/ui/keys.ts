/** Keyboard shortcuts, and when a key belongs to the element that has the focus. */

import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

const KEPT = "gradwalk-letters";

/** Whether keys of a single character act. Speech input may trigger them by accident (WCAG 2.1.4). */
export const letters = signal(kept());

export function allowLetters(on: boolean): void {
  letters.value = on;
  try {
    localStorage.setItem(KEPT, on ? "on" : "off");
  } catch {
    // without storage the choice lasts as long as the page
  }
}

function kept(): boolean {
  try {
    return localStorage.getItem(KEPT) !== "off";
  } catch {
    return true;
  }
}

/** One line of the key table of a page. `Context` is what an action acts on. */
export interface Shortcut<Context extends unknown[]> {
  /** Values of `event.key`, with "Shift+" in front of an arrow that needs Shift. */
  keys: string[];
  /** The keys as the help dialog shows them. */
  shown: string[];
  words: string;
  act: (...context: Context) => void;
}

/** Returns the shortcut for an event; null if the focused element or the browser needs the key. */
export function shortcutIn<T extends unknown[]>(
  table: readonly Shortcut<T>[],
  event: KeyboardEvent,
): Shortcut<T> | null {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (isTaken(event.target, event.key) || (!letters.value && isCharacter(event.key))) return null;
  const key = event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key;
  return table.find(({ keys }) => keys.includes(key)) ?? null;
}

/** Listens on the whole page, or only within `place`. A key that is held down repeats only if it is an arrow. */
export function useShortcuts<T>(
  table: readonly Shortcut<[T]>[],
  room: T,
  place?: { readonly current: HTMLElement | null },
): void {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const shortcut = shortcutIn(table, event);
      if (!shortcut) return;
      event.preventDefault();
      if (!event.repeat || event.key.startsWith("Arrow")) shortcut.act(room);
    };
    const target = place?.current ?? document;
    target.addEventListener("keydown", onKey as EventListener);
    return () => target.removeEventListener("keydown", onKey as EventListener);
  }, [room]);
}

/** A letter, a digit or a sign. "?" stays, because it leads to the switch. */
function isCharacter(key: string): boolean {
  return key.length === 1 && key !== " " && key !== "?";
}

const WRITES =
  "textarea, select, [contenteditable], dialog, input:not([type=checkbox], [type=radio], [type=file])";
const PRESSED =
  "button, a, summary, input, [role=button], [role=tab], [role=option], [role=slider], [role=application]";
const TURNED = "[role=tab], [role=radio], input[type=radio]";

/** Text fields need every key, buttons the space bar, tabs the arrows; `data-steps` leaves all keys to
 * the page. */
function isTaken(target: EventTarget | null, key: string): boolean {
  const within = (selector: string) => target instanceof Element && target.closest(selector) !== null;
  if (within("[data-steps]")) return false;
  return within(WRITES) || (key === " " && within(PRESSED)) || (key.startsWith("Arrow") && within(TURNED));
}
