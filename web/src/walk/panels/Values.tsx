/** The values of the leaves, and a comparison with an earlier run. */

import { useState } from "preact/hooks";
import { Changes } from "./Changes";
import { Check } from "../../ui/fields";
import { LeafEditor } from "./LeafEditor";
import type { Walk } from "../state/state";
import { Button } from "../../ui/Button";

const MOST = 60;

export function Values({ walk }: { walk: Walk }) {
  const [wanted, setWanted] = useState("");
  const leaves = walk.graph.value.nodes.filter((node) => node.editable);
  const matching = leaves.filter((node) => node.name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <div class="values">
      <Comparison walk={walk} />
      {leaves.length === 0 && <p class="note">This graph has no leaves that can be edited.</p>}
      {leaves.length > 12 && (
        <label class="values-find">
          <span>Find a leaf</span>
          <input
            class="field"
            type="search"
            value={wanted}
            onInput={(event) => setWanted(event.currentTarget.value)}
          />
        </label>
      )}
      {matching.slice(0, MOST).map((node) => (
        <LeafEditor key={node.index} walk={walk} node={node} />
      ))}
      {matching.length > MOST && (
        <p class="note">{matching.length - MOST} more. Find them by name, or select them in the picture.</p>
      )}
    </div>
  );
}

function Comparison({ walk }: { walk: Walk }) {
  const edits = walk.edits.value.size;
  return (
    <div class="comparison">
      <div class="comparison-row">
        <Check on={walk.comparing.value} onChange={(on) => (walk.comparing.value = on)}>
          Compare runs
        </Check>
        <Button
          look="small"
          disabled={edits === 0}
          title={edits === 0 ? "No value has been changed" : undefined}
          onClick={() => walk.reset()}
        >
          Reset all
        </Button>
      </div>
      {walk.comparing.value && (
        <>
          <p class="against">
            <span class="note">With {baseline(walk)}</span>
            <Button look="small" onClick={() => walk.keep(walk.run.value)}>
              Keep this run
            </Button>
            {walk.kept.value && (
              <Button look="small" onClick={() => walk.keep(null)}>
                {walk.earlier.value ? "Earlier run" : "Original values"}
              </Button>
            )}
          </p>
          <Changes walk={walk} />
        </>
      )}
    </div>
  );
}

function baseline(walk: Walk): string {
  if (walk.kept.value) return "the run that you kept";
  return walk.earlier.value ? "the earlier run" : "the original values";
}
