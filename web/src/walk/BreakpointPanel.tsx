/** Where the walk should stop by itself. */

import { useState } from "preact/hooks";
import { written } from "./numbers";
import { Icon, NodeLink } from "./parts";
import type { Walk } from "./state";
import { typed } from "./typed";

export function BreakpointPanel({ walk }: { walk: Walk }) {
  const { notFinite } = walk.breakpoints.value;
  return (
    <div class="breakpoints">
      <p class="note">
        Playing pauses at these. As soon as there is one, two buttons beside the steps run to the next one,
        and back.
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={notFinite}
          onChange={(event) => {
            walk.breakpoints.value = { ...walk.breakpoints.value, notFinite: event.currentTarget.checked };
          }}
        />
        A value or gradient is NaN or infinite
      </label>
      <Bound walk={walk} />
      <Named walk={walk} />
    </div>
  );
}

function Bound({ walk }: { walk: Walk }) {
  const { bound } = walk.breakpoints.value;
  const [wrong, setWrong] = useState<string | null>(null);
  const take = (text: string) => {
    const x = text.trim() === "" ? null : typed(text).x;
    const sound = text.trim() === "" || (x !== null && x >= 0);
    setWrong(sound ? null : text);
    if (sound) walk.breakpoints.value = { ...walk.breakpoints.value, bound: x };
  };
  return (
    <>
      <label class="bound">
        <span>Its size exceeds</span>
        <input
          class="field number"
          placeholder="none"
          aria-invalid={wrong !== null}
          value={wrong ?? (bound === null ? "" : written(bound))}
          onChange={(event) => take(event.currentTarget.value)}
        />
      </label>
      {wrong !== null && (
        <p role="alert" class="leaf-wrong">
          Write a number that is not negative, such as 100, or nothing.
        </p>
      )}
    </>
  );
}

function Named({ walk }: { walk: Walk }) {
  const [name, setName] = useState("");
  const [unknown, setUnknown] = useState<string | null>(null);
  const { nodes } = walk.breakpoints.value;
  const add = (event: Event) => {
    event.preventDefault();
    const node = walk.graph.value.nodes.find((n) => n.name === name.trim());
    setUnknown(node ? null : name.trim());
    if (!node) return;
    if (!nodes.has(node.index)) walk.toggleBreakpoint(node.index);
    setName("");
  };
  return (
    <div class="named">
      <form class="named-add" onSubmit={add}>
        <label>
          <span>At the node</span>
          <input
            class="field"
            value={name}
            autocomplete="off"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          Add
        </button>
      </form>
      {unknown !== null && (
        <p role="alert" class="leaf-wrong">
          {unknown ? `No node is called “${unknown}”.` : "Type the name of a node."} Or select one in the
          picture and press b.
        </p>
      )}
      {[...nodes].map((node) => (
        <p key={node} class="named-row">
          <NodeLink walk={walk} node={node} />
          <button
            type="button"
            class="button quiet small"
            aria-label={`Remove the breakpoint at ${walk.graph.value.nodes[node]?.name ?? node}`}
            onClick={() => walk.toggleBreakpoint(node)}
          >
            <Icon name="close" />
          </button>
        </p>
      ))}
    </div>
  );
}
