/** Opening what a link or a file carries. */

import type { Signal } from "@preact/signals";
import { fromJson } from "../document";
import { graphOf } from "./formula";
import { LinkError, type Shared } from "./share";
import { Walk } from "./state";

/** Puts what is shared into the walk of `place`, which may be empty as yet. */
export function opened(place: Signal<Walk | null>, shared: Shared): void {
  const { document, origin } = contents(shared);
  place.value = sound(() => {
    const walk = place.value ?? new Walk(document);
    walk.open(document, shared.state ?? {}, origin);
    return walk;
  });
}

/** A graph that was not written by gradwalk may lack anything; that is told without its inner words. */
function sound<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new LinkError("This link carries a graph that gradwalk has not written.", { cause });
  }
}

function contents({ source, values, document }: Shared) {
  if (typeof source === "string") {
    const numbers = Object.fromEntries(Object.entries(values ?? {}).map(([name, x]) => [name, fromJson(x)]));
    return { document: graphOf(source, numbers), origin: { source, values: numbers } };
  }
  if (!document) throw new LinkError("This link carries no graph.");
  return { document, origin: null };
}
