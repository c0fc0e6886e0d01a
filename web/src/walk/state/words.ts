/** The present step in words. */

import { formatted, nudged, sentences, type Moment, type Run } from "../../engine";
import type { Walk } from "./state";

/** Returns the sentence of the present step for screen readers. */
export function spoken(walk: Walk): string {
  const words = sentences(walk.timeline.value, walk.time.value).map(({ text }) => text);
  return `Step ${walk.time.value} of ${walk.timeline.value.length}: ${words.join("; ")}`;
}

/** Returns the phase of the present step, and what the step is about in one plain sentence. */
export function phaseOf(walk: Walk): { phase: "forward" | "backward"; words: string } {
  const { nodes, root } = walk.graph.value;
  const moment = walk.timeline.value.at(walk.time.value);
  const result = nodes[root]!.name;
  const name = moment.kind === "start" ? "" : nodes[moment.node]!.name;
  switch (moment.kind) {
    case "start":
      return { phase: "forward", words: "Press Step to compute the first value." };
    case "forward":
      return { phase: "forward", words: moment.node === root ? `Compute the result, ${name}.` : `Compute ${name}.` };
    case "seed":
      return { phase: "backward", words: `How much does ${name} change if ${name} itself changes a little? Just as much.` };
    case "backward": {
      const names = receivers(walk, moment);
      if (!names.length) return { phase: "backward", words: `${name} propagates no gradient.` };
      const either = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" or ");
      return { phase: "backward", words: `How much does ${result} change if ${either} changes a little?` };
    }
  }
}

/** The names of the operands that get a contribution, each once. */
function receivers(walk: Walk, moment: Moment): string[] {
  if (moment.kind !== "backward") return [];
  const { nodes } = walk.graph.value;
  const given = moment.pass.contributions.filter(({ amount }) => amount !== null);
  return [...new Set(given.map(({ operand }) => nodes[operand]!.name))];
}

const BY = 0.001;

/** What the gradients mean, once the walk is done: for the selected node or the input with the largest
 * gradient; "" before. */
export function moral(walk: Walk): string {
  const run = walk.run.value;
  if (walk.time.value < walk.timeline.value.length) return "";
  const node = chosen(run, walk.selection.value?.node ?? -1);
  const nudge = node < 0 ? null : nudged(run, node, BY);
  if (!nudge || !Number.isFinite(nudge.happened)) return "";
  const { nodes, root } = run.graph;
  const [name, result] = [nodes[node]!.name, nodes[root]!.name];
  const [gradient, predicted] = [formatted(run.gradients[node]!), formatted(Math.abs(nudge.predicted))];
  const rises = nudge.predicted < 0 ? `falls by about ${predicted}` : `rises by about ${predicted}`;
  const what = nudge.predicted === 0 ? "hardly changes" : rises;
  return `Done. Raise ${name} by ${BY} and ${result} ${what}: ${BY} times its gradient ${gradient}.`;
}

function chosen({ graph, gradients }: Run, selected: number): number {
  if (typeof gradients[selected] === "number" && selected !== graph.root) return selected;
  const size = (node: number) => Math.abs(gradients[node] ?? NaN);
  const leaves = graph.nodes.filter(({ leaf, array, index }) => leaf && !array && Number.isFinite(size(index)));
  return leaves.reduce((best, { index }) => (best < 0 || size(index) > size(best) ? index : best), -1);
}
