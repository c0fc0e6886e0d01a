/** Opening what a link or a file carries. */

import type { Signal } from "@preact/signals";
import { fromJson } from "../document";
import { graphOf } from "./formula";
import { LinkError, type Shared } from "./share";
import { Walk } from "./state";

/** Puts what is shared into the walk of `place`, which may be empty as yet. */
export function opened(place: Signal<Walk | null>, shared: Shared): void {
  const { document, origin } = contents(shared);
  const walk = place.value ?? new Walk(document);
  walk.open(document, shared.state, origin);
  place.value = walk;
}

function contents({ source, values = {}, document }: Shared) {
  if (typeof source === "string") {
    const numbers = Object.fromEntries(Object.entries(values).map(([name, x]) => [name, fromJson(x)]));
    return { document: graphOf(source, numbers), origin: { source, values: numbers } };
  }
  if (!document) throw new LinkError("This link carries no graph.");
  return { document, origin: null };
}
