/** The first step in which a number became NaN or infinite, above the picture. */

import { useState } from "preact/hooks";
import { callOf, timeOf } from "../../debug/wrong";
import { Button } from "../../ui/Button";
import { show } from "../state/groups";
import { lineOf } from "../state/lines";
import type { Walk } from "../state/state";

export function Trouble({ walk }: { walk: Walk }) {
  const [hidden, hide] = useState<object | null>(null);
  const run = walk.run.value;
  const wrong = walk.wrong.value;
  if (!wrong || hidden === run) return null;
  const { name } = run.graph.nodes[wrong.node]!;
  const line = lineOf(run.graph.document, wrong.node);
  const time = timeOf(walk.timeline.value, wrong);
  const goThere = () => {
    walk.step(time - walk.time.value);
    show(walk, wrong.node);
  };
  return (
    <div class="trouble" role="status">
      <p>
        <b>{wrong.kind === "leaf" ? "A leaf is not finite" : `The first wrong number, step ${time}`}:</b>{" "}
        {wrong.kind === "leaf" ? "" : `${name}, `}
        {callOf(run, wrong)}
        {line && <span class="note"> {line[0]}</span>}
      </p>
      <Button look="small" onClick={goThere}>
        Show it
      </Button>
      <Button look="quiet small" name="Hide this message" onClick={() => hide(run)}>
        ×
      </Button>
    </div>
  );
}

