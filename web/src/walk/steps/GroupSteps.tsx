/** The steps of a debugger, for graphs that are folded into groups. */

import { arrange } from "../../picture";
import { Button } from "../../ui/Button";
import { groupAround, stepInto, stepOut, stepOver } from "../state/groups";
import type { Walk } from "../state/state";

export function GroupSteps({ walk }: { walk: Walk }) {
  const graph = walk.graph.value;
  const { boxes } = arrange(graph, walk.folding.value ?? { mode: "auto", open: [] });
  if (boxes.length === graph.size && !walk.folding.value?.open.length) return null;
  const atEnd = walk.time.value >= walk.timeline.value.length;
  const group = groupAround(walk);
  return (
    <div class="group group-steps" role="group" aria-label="Steps by group">
      <Button disabled={atEnd} title="Run until the next group is complete (n)" onClick={() => stepOver(walk)}>
        Over
      </Button>
      <Button disabled={atEnd} title="Open the next group and step in it (s)" onClick={() => stepInto(walk)}>
        Into
      </Button>
      <Button
        disabled={!group}
        title={group ? `Fold ${group.title} and run until it is complete (u)` : "The step is not in an open group (u)"}
        onClick={() => stepOut(walk)}
      >
        Out
      </Button>
    </div>
  );
}
