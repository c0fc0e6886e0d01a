/** The walk of this tab, kept over a reload. */

import { effect } from "@preact/signals";
import type { Shared } from "../state/share";
import type { Walk } from "../state/state";

/** Files that are opened one after the other in a tab share its storage. */
const KEY = `gradwalk-walk ${typeof location === "undefined" ? "" : location.pathname}`;
const OFTEN = 300;
/** Browsers keep about five million characters in all. */
const MOST = 2_000_000;

/** What is kept; `own`: the graph is the one that the page was opened with, and only its state is
 * kept. `fragment`: the link that it came from. */
type Kept = Shared & { own?: boolean; fragment?: string };

/** Returns what a reload interrupted; null if nothing was. A private window may forbid to store it. */
export function remembered(): Kept | null {
  try {
    const text = sessionStorage.getItem(KEY);
    return text ? (JSON.parse(text) as Kept) : null;
  } catch {
    return null;
  }
}

/** Keeps a walk after every change, until the returned function is called. `isOwn`: whether its graph comes
 * with the page. */
export function remember(walk: Walk, isOwn: () => boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    timer = undefined;
    const fragment = location.hash.startsWith("#walk=") ? location.hash : "";
    const kept: Kept = { fragment, ...(isOwn() ? { own: true, state: walk.state() } : walk.shared()) };
    try {
      const text = JSON.stringify(kept);
      if (text.length <= MOST) sessionStorage.setItem(KEY, text);
      else sessionStorage.removeItem(KEY);
    } catch {
      // storage is blocked or full: a reload begins again
    }
  };
  const stop = effect(() => {
    walk.document.value;
    walk.state(); // subscribes to every signal of the state
    timer ??= setTimeout(write, OFTEN);
  });
  const leave = () => timer !== undefined && write();
  addEventListener("pagehide", leave);
  return () => {
    stop();
    clearTimeout(timer);
    removeEventListener("pagehide", leave);
  };
}
