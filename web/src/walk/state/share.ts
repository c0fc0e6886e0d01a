/** A walk as text in a link: compressed JSON. */

import type { JsonNumber, WalkDocument } from "../../document";
import { damaged, LinkError, packed, unpacked } from "../../ui/packed";
import type { WalkState } from "./options";

export { LinkError };

/** The content of a link: a graph, or the formula that makes it. */
export interface Shared {
  document?: WalkDocument;
  source?: string;
  values?: Record<string, JsonNumber>;
  state?: WalkState;
}

const PREFIX = "#walk=";
const LIMIT = { bytes: 8_000_000, words: "This link unpacks to more than 8 MB, more than a walk needs." };

/** Returns the fragment of a link, "#walk=…", that reproduces `shared`. */
export async function toFragment(shared: Shared): Promise<string> {
  return PREFIX + (await packed(JSON.stringify(shared)));
}

/** Returns the content of a link's fragment; null if it contains no walk. Throws `LinkError` if it is damaged. */
export async function fromFragment(fragment: string): Promise<Shared | null> {
  if (!fragment.startsWith(PREFIX)) return null;
  const text = await unpacked(fragment.slice(PREFIX.length), LIMIT);
  try {
    return JSON.parse(text) as Shared;
  } catch (cause) {
    throw damaged(cause);
  }
}
