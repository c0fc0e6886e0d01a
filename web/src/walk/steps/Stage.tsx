/** The picture of the graph at the present step. */

import { Picture } from "../../picture";
import { FormulaStrip } from "./FormulaStrip";
import type { Walk } from "../state/state";

interface Props {
  walk: Walk;
  compact: boolean;
  edit: boolean;
}

export function Stage({ walk, compact, edit }: Props) {
  const large = walk.graph.value.size > 12;
  const searchable = walk.graph.value.size > 20;
  return (
    <div
      class="walk-stage"
      onKeyDownCapture={(event) => stepTens(walk, event)}
    >
      <FormulaStrip walk={walk} />
      <p class="picture-key">
        <span class="number data">value</span> <span class="number gradient">gradient</span>
      </p>
      <Picture
        graph={walk.graph.value}
        run={walk.run.value}
        timeline={walk.timeline.value}
        time={walk.time.value}
        selected={walk.selection.value}
        onSelect={(selection) => {
          walk.selection.value = selection;
        }}
        compare={walk.comparing.value ? walk.before.value : null}
        reveal={walk.reveal.value}
        breakpoints={walk.breakpoints.value.nodes}
        {...(walk.path.value && { highlighted: walk.path.value })}
        {...(edit && { onEdit: (node: number, value: number) => walk.edit(node, value) })}
        {...(walk.folding.value && { folding: walk.folding.value })}
        onFolding={(folding) => {
          walk.folding.value = folding;
        }}
        controls={!compact || large}
        search={!compact && searchable}
        minimap={!compact && large}
        label={`Graph of ${walk.document.value.title || "the walk"}`}
      />
    </div>
  );
}

/** Shift and an arrow step by ten on the background. On a node, the picture uses them to move. */
function stepTens(walk: Walk, event: KeyboardEvent): void {
  const by = event.key === "ArrowRight" ? 10 : event.key === "ArrowLeft" ? -10 : 0;
  const background = event.target instanceof Element && event.target.matches("svg");
  if (!by || !event.shiftKey || !background) return;
  event.preventDefault();
  event.stopPropagation();
  walk.step(by);
}
