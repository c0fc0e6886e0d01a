/** The walk of the studio, which keeps its state while other pages are open. */

import { signal, useSignalEffect, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { WalkDocument } from "../document";
import { messageOf } from "../ui/messages";
import { ofSite } from "../ui/studio";
import { fromFragment, PRESETS, WalkStore, type Shared } from "../walk";
import { opened } from "../walk/source/opened";
import { remember, remembered } from "../walk/source/remembered";
import type { Route } from "./route";

export interface Home {
  walk: Signal<WalkStore | null>;
  /** The graph with which the studio was started, if any. */
  own: Signal<WalkDocument | null>;
  /** The error of a link, or "". */
  trouble: Signal<string>;
  /** What is being read, while it takes long; or "". */
  reading: Signal<string>;
  /** The last link that was opened. */
  last: string;
  /** Shows another graph on the page Walk. */
  open: (document: WalkDocument) => void;
}

export function useHome(route: Route): Home {
  const home = useMemo(newHome, []);
  useSignalEffect(() => {
    const walk = home.walk.value;
    return walk ? remember(walk, () => walk.document.value === home.own.value) : undefined;
  });
  useEffect(() => {
    void follow(home, route.fragment);
  }, [home, route.fragment]);
  return home;
}

function newHome(): Home {
  const walk: Signal<WalkStore | null> = signal(null);
  const own: Signal<WalkDocument | null> = signal(null);
  const open = (document: WalkDocument) => {
    if (walk.value) walk.value.open(document);
    else walk.value = new WalkStore(document);
    own.value = document;
    location.hash = "#/walk";
  };
  return { walk, own, trouble: signal(""), reading: signal(""), last: "", open };
}

/** Opens the walk of a link; at the first visit without one, the graph of the server or the first example. */
async function follow(home: Home, fragment: string): Promise<void> {
  home.trouble.value = "";
  const interrupted = !home.walk.value && remembered()?.fragment === fragment;
  if (interrupted) home.last = fragment; // a reload continues where the link's walk was left
  if (fragment && fragment !== home.last) {
    home.last = fragment; // a link that is opened again keeps the state of its walk
    try {
      const shared = await fromFragment(fragment);
      if (shared) return opened(home.walk, shared);
    } catch (error) {
      home.trouble.value = messageOf(error);
    }
  }
  if (!home.walk.value) await begin(home);
}

async function begin(home: Home): Promise<void> {
  const own = await ofServer(home);
  if (home.walk.value) return; // another graph was opened during the request
  home.own.value = own;
  if (own) await say(home, own);
  const kept = remembered();
  if (own && (!kept || kept.own)) home.walk.value = new WalkStore(own, kept?.state);
  else if (kept && !kept.own && reopened(home, kept)) return;
  else opened(home.walk, { source: PRESETS[0]!.source, values: PRESETS[0]!.values });
}

/** Opens what a reload interrupted. Returns whether it could be opened. */
function reopened(home: Home, kept: Shared): boolean {
  try {
    opened(home.walk, kept);
    return true;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return false; // kept by another version: begin again
  }
}

const LARGE = 5000;

/** Says what is being read, and lets the browser show it, before a large graph occupies the page. */
async function say(home: Home, { nodes }: WalkDocument): Promise<void> {
  if (nodes.length < LARGE) return;
  home.reading.value = `Computing ${nodes.length.toLocaleString("en-US")} nodes …`;
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
}

async function ofServer(home: Home): Promise<WalkDocument | null> {
  if (ofSite()) return null;
  try {
    const answer = await fetch("api/document");
    if (!answer.ok || answer.status === 204) return null;
    return (await answer.json()) as WalkDocument | null;
  } catch (error) {
    home.trouble.value = `The studio did not answer: ${messageOf(error)}`;
    return null;
  }
}
