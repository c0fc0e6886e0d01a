/** What if a number were a little larger? The predicted change of the result beside the true one, as numbers
 * and as a curve with its tangent. */

import { useMemo, useState } from "preact/hooks";
import { formatted, nudged, response, type GraphNode, type Nudge, type Response } from "../../engine";
import { reach } from "../../ui/numbers";
import { Figure } from "./parts";
import type { Walk } from "../state/state";

/** Larger graphs are not computed forty times: they have the numbers without the curve. */
const MOST_NODES = 5000;
const STEPS = 50;

export function NudgePanel({ walk, node }: { walk: Walk; node: GraphNode }) {
  const run = walk.run.value;
  const range = reach(0, (run.data[node.index] ?? 0) / 2);
  const [part, setPart] = useState(0.2);
  const curve = useMemo(
    () => (run.graph.size <= MOST_NODES ? response(run, node.index, range) : null),
    [run, node.index, range],
  );
  const nudge = useMemo(() => nudged(run, node.index, range * part), [run, node.index, range, part]);
  if (!nudge || node.index === run.graph.root) return null;
  const result = run.graph.nodes[run.graph.root]!.name;
  return (
    <section class="nudge">
      <h3>What if {node.name} changes?</h3>
      <label class="nudge-by">
        <span>
          {node.name} changes by <Figure x={nudge.by} />
        </span>
        <input
          type="range"
          aria-label={`Change of ${node.name}`}
          min={-1}
          max={1}
          step={1 / STEPS}
          value={part}
          aria-valuetext={formatted(nudge.by)}
          onInput={(event) => setPart(Math.round(Number(event.currentTarget.value) * STEPS) / STEPS)}
        />
      </label>
      <dl class="facts">
        <dt>{result} changes, predicted</dt>
        <dd>
          <Figure x={run.gradients[node.index]} kind="gradient" /> × <Figure x={nudge.by} kind="plain" /> ={" "}
          <Figure x={nudge.predicted} kind="gradient" />
        </dd>
        <dt>{result} changes, in truth</dt>
        <dd>
          <Figure x={cleaned(nudge)} />
        </dd>
      </dl>
      {curve && <Curve curve={curve} nudge={nudge} name={node.name} result={result} />}
    </section>
  );
}

/** A difference of two results, without the digits that only their rounding made. */
function cleaned({ happened }: Nudge): number {
  return Number.isFinite(happened) ? Number(happened.toPrecision(9)) : happened;
}

const [WIDE, HIGH, EDGE] = [320, 150, 8];

interface CurveProps {
  curve: Response;
  nudge: Nudge;
  name: string;
  result: string;
}

/** The result against one number, and the straight line that the gradient predicts. */
function Curve({ curve: { xs, ys, x, y, slope }, nudge, name, result }: CurveProps) {
  const far = xs.at(-1)! - x;
  const seen = [...ys, y - slope * far, y + slope * far].filter(Number.isFinite);
  const [low, high] = [Math.min(...seen), Math.max(...seen)];
  const across = (at: number) => EDGE + ((at - xs[0]!) / (2 * far)) * (WIDE - 2 * EDGE);
  const up = (at: number) => HIGH - EDGE - ((at - low) / (high - low || 1)) * (HIGH - 2 * EDGE);
  const line = xs.map((at, k) => (Number.isFinite(ys[k]!) ? `${across(at).toFixed(1)} ${up(ys[k]!).toFixed(1)}` : ""));
  const parts = line.join(",").split(",,").map((part) => part.split(",").filter(Boolean));
  const there = across(x + nudge.by);
  const [predicted, happened] = [up(y + nudge.predicted), up(y + nudge.happened)];
  const words = `${result} against ${name}: a curve, and its tangent with slope ${formatted(slope)}`;
  return (
    <figure class="nudge-curve">
      <svg viewBox={`0 0 ${WIDE} ${HIGH}`} role="img" aria-label={words}>
        {parts.map((part, k) => part.length > 0 && <path key={k} class="curve" d={`M${part.join("L")}`} />)}
        <path class="tangent" d={`M${across(xs[0]!)} ${up(y - slope * far)}L${across(xs.at(-1)!)} ${up(y + slope * far)}`} />
        {Number.isFinite(happened) && <path class="gap" d={`M${there} ${predicted}V${happened}`} />}
        <circle class="here" cx={across(x)} cy={up(y)} r="4.5" />
        <circle class="predicted" cx={there} cy={predicted} r="4" />
        {Number.isFinite(happened) && <circle class="happened" cx={there} cy={happened} r="4" />}
      </svg>
      <figcaption class="note">
        {result} against {name}: the <span class="happened-mark">true curve</span>, and the{" "}
        <span class="gradient">tangent</span> that the gradient predicts
      </figcaption>
    </figure>
  );
}
