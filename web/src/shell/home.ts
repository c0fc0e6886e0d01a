/** The walk of the studio: it stays as it is while other rooms are visited. */

import { signal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { WalkDocument } from "../document";
import { fromFragment, PRESETS, WalkStore } from "../walk";
import { opened } from "../walk/opened";
import type { Route } from "./route";

export interface Home {
  walk: Signal<WalkStore | null>;
  /** The graph that the page was started on, if it was. */
  own: Signal<WalkDocument | null>;
  /** What went wrong with a link, in words. */
  trouble: Signal<string>;
  /** The link that was opened last. */
  last: string;
  /** Show another graph in the room of the walk. */
  open: (document: WalkDocument) => void;
}

export function useHome(route: Route): Home {
  const home = useMemo(newHome, []);
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
  return { walk, own, trouble: signal(""), last: "", open };
}

/** A link's walk; else, at the first visit, the graph of the server, else the first example. */
async function follow(home: Home, fragment: string): Promise<void> {
  home.trouble.value = "";
  if (fragment && fragment !== home.last) {
    home.last = fragment; // who comes back to a link finds the walk as it was left
    try {
      const shared = await fromFragment(fragment);
      if (shared) return opened(home.walk, shared);
    } catch (error) {
      home.trouble.value = error instanceof Error ? error.message : String(error);
    }
  }
  if (!home.walk.value) await begin(home);
}

async function begin(home: Home): Promise<void> {
  const own = await ofServer(home);
  if (home.walk.value) return; // something was opened while the server was asked
  home.own.value = own;
  if (own) home.walk.value = new WalkStore(own);
  else opened(home.walk, { source: PRESETS[0]!.source, values: PRESETS[0]!.values });
}

async function ofServer(home: Home): Promise<WalkDocument | null> {
  try {
    const answer = await fetch("api/document");
    if (!answer.ok || answer.status === 204) return null;
    return (await answer.json()) as WalkDocument | null;
  } catch (error) {
    home.trouble.value = `The studio did not answer: ${error instanceof Error ? error.message : error}`;
    return null;
  }
}

