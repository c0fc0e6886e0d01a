/** The colour of a group: the size of its gradients, zeros among them, and what is not finite. */

import { factsOf, type GroupFacts } from "../../debug/facts";
import { formatted } from "../../engine/numbers";
import type { Timeline } from "../../engine/timeline";
import { isWrong } from "../../debug/wrong";
import type { Arrangement } from "../layout/arrange";
import { kept } from "../shared/kept";

export type Colouring = "norm" | "zeros" | "none";

export interface Heat {
  /** 0 to 8; -1: no gradient; 9: a number is not finite. */
  level: number;
  words: string;
  /** The tick at which it becomes known. */
  from: number;
}

export const COLOURINGS: readonly [Colouring, string][] = [
  ["norm", "size of gradients"],
  ["zeros", "fraction of zeros"],
  ["none", "none"],
];

const STEPS = 8;
const known = kept((_: Timeline) => new WeakMap<Arrangement, Map<Colouring, Heat[]>>());

/** The colour of each box, when its backward pass is done; computed once per run and arrangement. */
export function heatOf(timeline: Timeline, arrangement: Arrangement, by: Colouring): Heat[] | null {
  if (by === "none" || arrangement.boxes.length === arrangement.graph.size) return null;
  const runs = known(timeline);
  const found = runs.get(arrangement) ?? new Map<Colouring, Heat[]>();
  runs.set(arrangement, found);
  if (!found.has(by)) found.set(by, heats(timeline, arrangement, by));
  return found.get(by)!;
}

function heats(timeline: Timeline, { boxes }: Arrangement, by: "norm" | "zeros"): Heat[] {
  const facts = boxes.map(({ members }) => factsOf(timeline.run, members));
  const most = facts.reduce((best, { gradients }) => Math.max(best, gradients), 0);
  return facts.map((one, k) => ({
    level: levelOf(one, most, by),
    words: wordsOf(one),
    from: knownFrom(timeline, boxes[k]!.members, one),
  }));
}

/** When the last gradient of a group is complete, or its first wrong value is computed. */
function knownFrom(timeline: Timeline, members: readonly number[], { reached }: GroupFacts): number {
  let [last, wrong] = [reached ? 0 : timeline.length, Infinity];
  for (const i of members) {
    const done = timeline.timeOfBackward(i);
    if (done > last && done !== Infinity) last = done;
    if (isWrong(timeline.run, i)) wrong = Math.min(wrong, timeline.timeOfForward(i));
  }
  return Math.min(last, wrong);
}

function levelOf(facts: GroupFacts, most: number, by: "norm" | "zeros"): number {
  if (facts.wrong) return STEPS + 1;
  if (!facts.reached) return -1;
  if (by === "zeros") return Math.round((STEPS * facts.zeros) / facts.reached);
  if (!facts.gradients) return 0;
  // a level is a factor of 10
  return Math.max(1, Math.min(STEPS, STEPS + Math.floor(Math.log10(facts.gradients / most) + 1e-9)));
}

function wordsOf({ gradients, zeros, wrong, reached }: GroupFacts): string {
  if (wrong) return `${wrong.toLocaleString("en-US")} NaN or infinite`;
  if (!reached) return "no gradient";
  const norm = `‖grad‖ ${formatted(Number(gradients.toPrecision(3)))}`;
  if (!zeros) return norm;
  return zeros === reached ? "all gradients are 0" : `${norm}, ${Math.ceil((100 * zeros) / reached)} % are 0`;
}
