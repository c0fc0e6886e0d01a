/** Selections in links and in the picture. */

import type { Graph } from "../../engine";
import type { Selection } from "../../picture";
import type { WalkState } from "./options";

type Kept = WalkState["selection"];

/** Returns a selection that exists in the graph, or null. */
export function asSelection(graph: Graph, kept: Kept): Selection | null {
  const node = kept && graph.nodes[kept.node];
  if (!node) return null;
  const { position } = kept;
  if (position === undefined) return { kind: "node", node: node.index };
  return node.inputs[position] === undefined ? null : { kind: "edge", node: node.index, position };
}

export function fromSelection(selection: Selection | null): Kept {
  if (!selection) return null;
  const { node } = selection;
  return selection.kind === "edge" ? { node, position: selection.position } : { node };
}
