/** The names of the fold modes, and which of them do nothing for a graph. */

import type { Graph } from "../../engine/graph";
import { AUTOMATIC, type FoldMode, type Folding, fold } from "../fold/fold";
import { hasLayers } from "../fold/keys";
import type { Arrangement } from "../layout/arrange";

export const MODES: readonly [FoldMode, string][] = [
  ["none", "nothing"],
  ["layer", "by layer"],
  ["name", "by name"],
  ["shared", "by shared subexpression"],
  ["work", "by same work"],
  ["depth", "by depth"],
];

/** The name of the automatic mode, with the mode that it selects for this graph. */
export function automatic(graph: Graph, { mode }: Arrangement, folding: Folding): string {
  if (graph.size <= AUTOMATIC) return "automatically (small: unfolded)";
  const words = MODES.find(([name]) => name === mode)?.[1];
  return folding.mode === "auto" && words ? `automatically (${words})` : "automatically";
}

/** Why a mode folds nothing in this graph; "" if it folds something. */
export function idle(graph: Graph, mode: FoldMode): string {
  if (mode === "none" || mode === "auto") return "";
  const why = missing(graph, mode);
  return why || (fold(graph, { mode, open: [] }).length === graph.size ? NOTHING[mode] : "");
}

const NOTHING: Record<Exclude<FoldMode, "none" | "auto">, string> = {
  layer: "no layers",
  name: "every name once",
  shared: "nothing is used twice",
  work: "no work is done twice",
  depth: "nothing to fold",
};

function missing(graph: Graph, mode: FoldMode): string {
  const { nodes } = graph;
  if (mode === "layer" && !hasLayers(graph)) return NOTHING.layer;
  if (mode === "name" && !nodes.some((node) => node.label)) return "no names";
  if (mode !== "shared") return "";
  const users = nodes.map(({ inputs, consumers }) => (inputs.length ? new Set(consumers.map((use) => use.node)).size : 0));
  return users.some((count) => count > 1) ? "" : NOTHING.shared;
}
