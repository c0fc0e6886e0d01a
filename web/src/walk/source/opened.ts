/** Opening the walk of a link or a file. */

import type { Signal } from "@preact/signals";
import { fromJson } from "../../document";
import { graphOf } from "./formula";
import { LinkError, type Shared } from "../state/share";
import { Walk } from "../state/state";

/** Opens what is shared in the walk of `place`, which may still be empty. */
export function opened(place: Signal<Walk | null>, shared: Shared): void {
  const { document, origin } = contents(shared);
  place.value = sound(() => {
    const walk = place.value ?? new Walk(document);
    walk.open(document, shared.state ?? {}, origin);
    return walk;
  });
}

/** Replaces the internal errors of a malformed graph by one message. */
function sound<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new LinkError("The graph in this link was not written by gradwalk, or is damaged.", { cause });
  }
}

function contents({ source, values, document }: Shared) {
  if (typeof source === "string") {
    const numbers = Object.fromEntries(Object.entries(values ?? {}).map(([name, x]) => [name, fromJson(x)]));
    return { document: graphOf(source, numbers), origin: { source, values: numbers } };
  }
  if (!document) throw new LinkError("This link contains no graph.");
  return { document, origin: null };
}
