/** The leaves and their values; and this run against an earlier one. */

import { useState } from "preact/hooks";
import { Changes } from "./Changes";
import { LeafEditor } from "./LeafEditor";
import type { Baseline, Walk } from "./state";

const MOST = 60;

export function Values({ walk }: { walk: Walk }) {
  const [wanted, setWanted] = useState("");
  const leaves = walk.graph.value.nodes.filter((node) => node.editable);
  const matching = leaves.filter((node) => node.name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <div class="values">
      <Comparison walk={walk} />
      {leaves.length === 0 && <p class="note">No leaf of this graph holds one number to be changed.</p>}
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
        <p class="note">{matching.length - MOST} more: find them by name, or select them in the picture.</p>
      )}
    </div>
  );
}

function Comparison({ walk }: { walk: Walk }) {
  const edits = walk.edits.value.size;
  return (
    <div class="comparison">
      <div class="comparison-row">
        <label class="check">
          <input
            type="checkbox"
            checked={walk.comparing.value}
            onChange={(event) => {
              walk.comparing.value = event.currentTarget.checked;
            }}
          />
          Compare runs
        </label>
        <button
          type="button"
          class="button small"
          disabled={edits === 0}
          title={edits === 0 ? "No value has been changed" : undefined}
          onClick={() => walk.reset()}
        >
          Reset all
        </button>
      </div>
      {walk.comparing.value && (
        <>
          <label class="against">
            <span>Against</span>
            <select
              class="field"
              value={walk.baseline.value}
              onChange={(event) => {
                walk.baseline.value = event.currentTarget.value as Baseline;
              }}
            >
              <option value="previous">the previous run</option>
              <option value="original">the values it came with</option>
            </select>
          </label>
          <Changes walk={walk} />
        </>
      )}
    </div>
  );
}
