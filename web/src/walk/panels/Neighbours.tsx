/** The operands and the consumers of a node. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Consumer, GraphNode } from "../../engine";
import { Figure, NodeLink } from "./parts";
import { slopeOf } from "../state/slopes";
import type { Walk } from "../state/state";

/** How many are listed at first, and how many more on request. */
const FIRST = 10;
const NEXT = 100;

interface Props {
  walk: Walk;
  node: GraphNode;
}

export function Neighbours({ walk, node }: Props) {
  return (
    <>
      <List
        title="Computed from"
        rows={node.inputs}
        row={(_, position) => <Operand key={position} walk={walk} node={node} position={position} />}
      />
      <List
        title="Used by"
        rows={node.consumers}
        row={(use) => <Use key={`${use.node}.${use.position}`} walk={walk} node={node} use={use} />}
      />
    </>
  );
}

interface ListProps<T> {
  title: string;
  rows: readonly T[];
  row: (one: T, index: number) => ComponentChildren;
}

/** The first rows, and the others by the hundred, so that what follows stays within reach. */
function List<T>({ title, rows, row }: ListProps<T>) {
  const [most, setMost] = useState(FIRST);
  if (rows.length === 0) return null;
  const hidden = rows.length - most;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="neighbours">{rows.slice(0, most).map(row)}</ul>
      {hidden > 0 && (
        <button type="button" class="link more" onClick={() => setMost(most + NEXT)}>
          and {hidden.toLocaleString("en-US")} more
        </button>
      )}
    </section>
  );
}

function Use({ walk, node, use }: Props & { use: Consumer }) {
  const consumer = walk.graph.value.nodes[use.node]!;
  const often = consumer.inputs.filter((input) => input === node.index).length > 1;
  return (
    <li>
      <NodeLink walk={walk} node={use.node} />
      <span class="note">
        {" "}
        {consumer.op}
        {often && `, operand ${use.position + 1}`}
      </span>
    </li>
  );
}

function Operand({ walk, node, position }: Props & { position: number }) {
  const operand = node.inputs[position]!;
  const constant = walk.graph.value.nodes[operand]?.constant;
  const slope = slopeOf(walk.run.value, node.index, position);
  const isKnown = (one: number) => walk.timeline.value.known(one, walk.time.value);
  return (
    <li>
      <NodeLink walk={walk} node={operand} />{" "}
      {isKnown(operand) && (
        <>
          <span class="sign">=</span> <Figure x={walk.run.value.data[operand]} />
        </>
      )}
      {!constant && isKnown(node.index) && (
        <button
          type="button"
          class="link slope"
          onClick={() => {
            walk.selection.value = { kind: "edge", node: node.index, position };
          }}
        >
          {slope === null ? (
            "no gradient flows"
          ) : (
            <>
              local derivative <Figure x={slope} kind="gradient" />
            </>
          )}
        </button>
      )}
    </li>
  );
}
