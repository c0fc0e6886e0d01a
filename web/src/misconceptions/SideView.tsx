/** One of the two runs: its picture at the present step, and the step in words. */

import { sentences } from "../engine";
import { Picture } from "../picture";
import type { Stepper } from "./stepper";
import type { Side } from "./stories";

/** Larger graphs have zoom and folding. */
const SMALL = 12;

interface Props {
  stepper: Stepper;
  which: "wrong" | "right";
  side: Side;
}

export function SideView({ stepper, which, side }: Props) {
  const timeline = stepper[which].value;
  const { graph, run } = timeline;
  const time = Math.min(timeline.seed + stepper.step.value, timeline.length);
  const marked = stepper.marked.value;
  const over = timeline.seed + stepper.step.value > timeline.length;
  return (
    <>
      <div class={`side-stage ${graph.size > SMALL ? "large" : ""}`}>
        <Picture
          graph={graph}
          run={run}
          timeline={timeline}
          time={time}
          selected={marked === null ? null : { kind: "node", node: marked }}
          onSelect={(selection) => {
            stepper.chosen.value = selection?.kind === "node" ? selection.node : null;
          }}
          controls={graph.size > SMALL}
          search={false}
          minimap={false}
          label={`${which === "wrong" ? "Wrong" : "Correct"}: ${side.called}`}
        />
      </div>
      <ul class="side-sentence" aria-label={`This step ${side.called}`}>
        {over ? (
          <li>The backward pass has ended.</li>
        ) : (
          sentences(timeline, time).map(({ text }) => <li key={text}>{text}</li>)
        )}
      </ul>
    </>
  );
}
