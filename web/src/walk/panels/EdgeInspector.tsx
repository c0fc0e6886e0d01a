/** One edge: its local derivative, as a formula and as a number, and its contribution. */

import { formatted, ownSlope, reason, type Contribution, type GraphNode } from "../../engine";
import { Figure, NodeLink } from "./parts";
import { RuleOnRequest } from "./Rule";
import { slopeOf } from "../state/slopes";
import type { Walk } from "../state/state";

export function EdgeInspector({ walk, node, position }: { walk: Walk; node: GraphNode; position: number }) {
  const operand = walk.graph.value.nodes[node.inputs[position] ?? -1];
  if (!operand) return null;
  const own = ownSlope(walk.graph.value, node, position);
  const slope = slopeOf(walk.run.value, node.index, position);
  const known = walk.timeline.value.known(node.index, walk.time.value);
  return (
    <article class="inspector" aria-label={`Edge from ${operand.name} to ${node.name}`}>
      <header class="inspector-head">
        <h2>
          <NodeLink walk={walk} node={operand.index} /> <span aria-hidden="true">→</span>
          <span class="visually-hidden">to</span> <NodeLink walk={walk} node={node.index} />
        </h2>
        <span class="badge">edge</span>
      </header>
      <h3>Local derivative</h3>
      <p class="derivative">
        <span class="quotient">
          ∂{node.name} / ∂{operand.name}
        </span>
        {own && (
          <>
            <span class="sign">=</span> <span class="quotient">{own}</span>
          </>
        )}
        {known && <span class="sign">=</span>}
        {known && slope === null && <span class="note">no gradient flows</span>}
        {known && slope !== null && <Figure x={slope} kind="gradient" />}
      </p>
      <RuleOnRequest walk={walk} node={node} position={position} />
      {known && slope !== null && (
        <p class="note">
          If {operand.name} rises by 0.001, {node.name} {slope < 0 ? "falls" : "rises"} by about{" "}
          {formatted(Math.abs(slope) * 0.001)}.
        </p>
      )}
      <Contribution walk={walk} node={node} position={position} />
    </article>
  );
}

function Contribution({ walk, node, position }: { walk: Walk; node: GraphNode; position: number }) {
  const contribution = contributionOf(walk, node.index, position);
  const done = walk.time.value >= walk.timeline.value.timeOfBackward(node.index);
  const gradient = walk.run.value.gradients[node.index] ?? null;
  if (!done) return <p class="note">The backward pass has not come here yet.</p>;
  if (!contribution || contribution.amount === null) return <p class="note">{absence(walk, node, position)}</p>;
  return (
    <>
      <h3>Contribution</h3>
      <p class="derivative">
        <Figure x={gradient} kind="gradient" /> <span class="sign">×</span>{" "}
        <Figure x={contribution.slope} kind="gradient" /> <span class="sign">=</span>{" "}
        <Figure x={contribution.amount} kind="gradient" />
      </p>
      <p class="note">The gradient of {node.name}, times the local derivative.</p>
    </>
  );
}

function absence(walk: Walk, node: GraphNode, position: number): string {
  const operand = walk.graph.value.nodes[node.inputs[position] ?? -1];
  if (operand?.constant) return "A constant: it gets no gradient.";
  const run = walk.run.value;
  if (run.gradients[node.index] == null)
    return `No gradient reaches ${node.name}, so there is no contribution.`;
  return `No gradient flows: ${reason(run, node, position)}. That differs from a gradient of 0.`;
}

function contributionOf(walk: Walk, node: number, position: number): Contribution | undefined {
  return walk.run.value.backward.find((pass) => pass.node === node)?.contributions[position];
}
