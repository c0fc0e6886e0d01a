/** The present step in words. */

import { sentences } from "../engine";
import type { Walk } from "./state";

/** Returns the sentence of the present step for screen readers. */
export function spoken(walk: Walk): string {
  const words = sentences(walk.timeline.value, walk.time.value).map(({ text }) => text);
  return `Step ${walk.time.value} of ${walk.timeline.value.length}: ${words.join("; ")}`;
}

/** Returns the phase of the present step and its title. */
export function phaseOf(walk: Walk): { phase: "forward" | "backward"; words: string } {
  const moment = walk.timeline.value.at(walk.time.value);
  const name = moment.kind === "start" ? "" : (walk.graph.value.nodes[moment.node]?.name ?? "");
  switch (moment.kind) {
    case "start":
      return { phase: "forward", words: "Start: the leaves have their values" };
    case "forward":
      return { phase: "forward", words: `Forward: compute ${name}` };
    case "seed":
      return { phase: "backward", words: `Seed: the gradient of ${name} is 1` };
    case "backward":
      return { phase: "backward", words: `Backward: ${name} propagates its gradient` };
  }
}
