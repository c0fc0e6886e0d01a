/** The lines of the user's program that recorded the nodes. */

import type { WalkDocument } from "../../document";

/** The line of a node, as its place and its text; null if it was not recorded. */
export function lineOf({ lines, nodes }: WalkDocument, index: number): [place: string, text: string] | null {
  return lines?.[nodes[index]?.line ?? -1] ?? null;
}
