/** What the box of a group shows at one time. */

import { formatted } from "../../engine/numbers";
import type { Run } from "../../engine/node";
import type { Moment, Timeline } from "../../engine/timeline";
import type { Part } from "../fold/fold";
import { type BoxLook, type Showing, contains, doubt, glowOf } from "./glow";
import { kept } from "../shared/kept";
import { counted, tally } from "../shared/names";

interface KeptLook {
  time: number;
  compare: Run | null | undefined;
  look: BoxLook;
}

const groupLooks = kept((_: Timeline) => new WeakMap<Part, KeptLook>());

/** The look of a group. Most steps touch one or two groups, and the others look as they did before. */
export function groupLook(showing: Showing, box: Part, moment: Moment): BoxLook {
  const { timeline, time, compare } = showing;
  const looks = groupLooks(timeline);
  const last = looks.get(box);
  const same = last && last.compare === compare && !isTouched(timeline, box.members, last.time, time);
  let look = same ? last.look : newGroupLook(showing, box, moment);
  const glow = glowOf(box.members, moment);
  if (glow !== look.glow) look = { ...look, glow };
  looks.set(box, { time, compare, look });
  return look;
}

const NEAR = 32;

/** Whether a step between two times writes a number of one of these nodes. */
function isTouched(timeline: Timeline, members: readonly number[], from: number, to: number): boolean {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  if (high - low > NEAR) return true;
  for (let time = low + 1; time <= high; time++) {
    const moment = timeline.at(time);
    if (moment.kind === "start") continue;
    if (contains(members, moment.node)) return true;
    if (moment.kind === "backward" && moment.pass.contributions.some(({ operand }) => contains(members, operand)))
      return true;
  }
  return false;
}

function newGroupLook(showing: Showing, box: Part, moment: Moment): BoxLook {
  const { graph, run, timeline, time, compare } = showing;
  const [data, grad] = [new Span(), new Span()];
  let [changed, staleData, staleGrad] = [false, false, false];
  for (const i of box.members) {
    if (timeline.known(i, time)) {
      data.add(run.data[i]!);
      staleData ||= run.stale[i]!;
    }
    const gradient = timeline.gradient(i, time);
    if (typeof gradient === "number") {
      grad.add(gradient);
      staleGrad ||= run.staleGradients[i]!;
    }
    changed ||= !!compare && !Object.is(compare.data[i], run.data[i]);
  }
  const stale = { staleData, staleGrad };
  const look = { data: data.text(), grad: grad.text(), partial: false, glow: glowOf(box.members, moment) };
  const held = `${counted(box.members.length)} nodes: ${tally(graph, box.members)}`;
  const [x, t] = [look.data || "not yet", look.grad || "not yet"];
  const spoken = `${box.title}, ${held}, data ${x}${doubt(staleData)}, grad ${t}${doubt(staleGrad)}`;
  return { ...look, ...stale, oldData: changed ? "changed" : "", oldGrad: "", spoken };
}

/** From the smallest to the largest value; NaN is named, because comparisons ignore it. */
class Span {
  private low = Infinity;
  private high = -Infinity;
  private nan = false;

  add(x: number): void {
    if (Number.isNaN(x)) this.nan = true;
    if (x < this.low) this.low = x;
    if (x > this.high) this.high = x;
  }

  text(): string {
    const none = this.low > this.high;
    const [low, high] = [formatted(this.low), formatted(this.high)];
    const span = low === high ? low : `${low} … ${high}`;
    return none ? (this.nan ? "NaN" : "") : span + (this.nan ? ", NaN" : "");
  }
}

