/** The panel in which breakpoints are set. */

import { useId, useState } from "preact/hooks";
import { Button, Icon } from "../../ui/Button";
import { Check, NumberInput, PlainInput } from "../../ui/fields";
import { NodeLink } from "./parts";
import type { Walk } from "../state/state";
import { typed } from "../source/typed";

export function BreakpointPanel({ walk }: { walk: Walk }) {
  const { notFinite } = walk.breakpoints.value;
  return (
    <div class="breakpoints">
      <p class="note">
        Playing pauses at breakpoints. Once one is set, two buttons beside the steps run to the next and the
        previous one.
      </p>
      <Check
        on={notFinite}
        onChange={(on) => (walk.breakpoints.value = { ...walk.breakpoints.value, notFinite: on })}
      >
        A value or gradient is NaN or infinite
      </Check>
      <Bound walk={walk} />
      <Named walk={walk} />
    </div>
  );
}

function Bound({ walk }: { walk: Walk }) {
  const [refused, setRefused] = useState<string | null>(null);
  const id = useId();
  return (
    <>
      <label class="bound">
        <span>Its magnitude exceeds</span>
        <NumberInput
          placeholder="none"
          value={walk.breakpoints.value.bound}
          read={boundIn}
          onNumber={(bound) => (walk.breakpoints.value = { ...walk.breakpoints.value, bound })}
          refused={refused}
          aria-describedby={refused === null ? undefined : id}
          onRefused={setRefused}
        />
      </label>
      {refused !== null && (
        <p id={id} role="alert" class="leaf-wrong">
          Type a number {">"}= 0, such as 100, or clear the field.
        </p>
      )}
    </>
  );
}

function boundIn(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const { x } = typed(text);
  return x !== null && x >= 0 ? x : undefined;
}

function Named({ walk }: { walk: Walk }) {
  const [name, setName] = useState("");
  const id = useId();
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
          <PlainInput
            value={name}
            aria-invalid={unknown !== null}
            aria-describedby={unknown === null ? undefined : id}
            onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <Button type="submit">Add</Button>
      </form>
      {unknown !== null && (
        <p id={id} role="alert" class="leaf-wrong">
          {unknown ? `There is no node “${unknown}”.` : "Type the name of a node."} Or select a node in the
          picture and press b.
        </p>
      )}
      {[...nodes].map((node) => (
        <p key={node} class="named-row">
          <NodeLink walk={walk} node={node} />
          <Button
            look="quiet small"
            aria-label={`Remove the breakpoint at ${walk.graph.value.nodes[node]?.name ?? node}`}
            onClick={() => walk.toggleBreakpoint(node)}
          >
            <Icon name="close" />
          </Button>
        </p>
      ))}
    </div>
  );
}
