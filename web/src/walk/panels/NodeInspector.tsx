/** Everything about one node. */

import { useEffect } from "preact/hooks";
import { applied, type GraphNode } from "../../engine";
import { ArrayFacts } from "./ArrayFacts";
import { LeafEditor } from "./LeafEditor";
import { Neighbours } from "./Neighbours";
import { PathList } from "./PathList";
import { lineOf } from "../state/lines";
import { NudgePanel } from "./NudgePanel";
import { Figure } from "./parts";
import { Questions } from "./Questions";
import { RuleOnRequest } from "./Rule";
import type { Walk } from "../state/state";
import { Button } from "../../ui/Button";

export function NodeInspector({ walk, node, edit }: { walk: Walk; node: GraphNode; edit: boolean }) {
  useEffect(() => () => void (walk.path.value = null), [walk, node.index]);
  const stops = walk.breakpoints.value.nodes.has(node.index);
  const complete = isComplete(walk, node.index);
  return (
    <article class="inspector" aria-label={`Node ${node.name}`}>
      <header class="inspector-head">
        <h2 class="name">{node.name}</h2>
        <span class="badge">{kindOf(node)}</span>
        <Button look="small" aria-pressed={stops} onClick={() => walk.toggleBreakpoint(node.index)}>
          {stops ? "Stops here" : "Stop here"}
        </Button>
      </header>
      {node.primitive && node.inputs.length > 0 && <Operation walk={walk} node={node} />}
      <Numbers walk={walk} node={node} />
      {edit && node.editable && <LeafEditor walk={walk} node={node} />}
      <Questions walk={walk} node={node} />
      <ArrayFacts record={walk.document.value.nodes[node.index]?.array} />
      {complete && <NudgePanel key={node.index} walk={walk} node={node} />}
      <Neighbours walk={walk} node={node} />
      {complete && <PathList walk={walk} node={node} />}
    </article>
  );
}

/** Whether all contributions to the gradient of a node have arrived. */
function isComplete(walk: Walk, node: number): boolean {
  const timeline = walk.timeline.value;
  const { root } = walk.graph.value;
  return walk.time.value >= (node === root ? timeline.seed : Math.min(timeline.timeOfBackward(node), timeline.length));
}

/** The kind of a node, in a word or two. */
export function kindOf(node: GraphNode): string {
  if (node.constant) return "constant";
  if (node.op) return node.op;
  return node.leaf ? "leaf" : "node";
}

/** The operation on the node's own operands; its general rule on request. */
function Operation({ walk, node }: { walk: Walk; node: GraphNode }) {
  const graph = walk.graph.value;
  const names = node.inputs.map((input) => ({ text: graph.nodes[input]!.name, kind: "name" as const }));
  return (
    <div class="operation">
      <p class="formula name">
        {node.name} = {applied(node, names).map(({ text }) => text).join("")}
      </p>
      <RuleOnRequest walk={walk} node={node} position={undefined} />
    </div>
  );
}

function Numbers({ walk, node }: { walk: Walk; node: GraphNode }) {
  const { data, gradients, stale, staleGradients } = walk.run.value;
  const now = walk.timeline.value.gradient(node.index, walk.time.value);
  const final = gradients[node.index] ?? null;
  const complete = isComplete(walk, node.index);
  const known = walk.timeline.value.known(node.index, walk.time.value);
  const old = walk.comparing.value ? walk.before.value : null;
  const line = lineOf(walk.document.value, node.index);
  const doubt = known && stale[node.index] ? <Doubt /> : null;
  const doubtGradient = final !== null && staleGradients[node.index] ? <Doubt /> : null;
  return (
    <dl class="facts">
      <dt>{node.array ? "Sum" : "Value"}</dt>
      <dd>
        {old && <Old x={old.data[node.index]} now={data[node.index]} kind="data" />}
        {known ? <Figure x={data[node.index]} exactly /> : <span class="note">not computed yet</span>}
        {doubt}
      </dd>
      <dt>{node.array ? "Norm of the gradient" : "Gradient"}</dt>
      <dd>
        {old && complete && <Old x={old.gradients[node.index]} now={final} kind="gradient" />}
        <GradientNow node={node} now={now} />
        {typeof now === "number" && !complete && <span class="note"> so far</span>}
        {typeof now === "number" && doubtGradient}
      </dd>
      {node.group && (
        <>
          <dt>Group</dt>
          <dd>{node.group}</dd>
        </>
      )}
      {line && (
        <>
          <dt>Line</dt>
          <dd class="source-line">
            {line[0]} <code>{line[1]}</code>
          </dd>
        </>
      )}
    </dl>
  );
}

/** A warning beside a number that does not follow an edit. */
function Doubt() {
  const why = "It depends on recorded values that this page cannot recompute.";
  return (
    <span class="note doubt" title={why}>
      {" "}
      may be out of date
    </span>
  );
}

function GradientNow({ node, now }: { node: GraphNode; now: number | null | undefined }) {
  if (node.constant) return <span class="note">constants get no gradient</span>;
  if (now === undefined) return <span class="note">no contribution yet</span>;
  if (now === null) return <span class="note">no gradient flows here</span>;
  return <Figure x={now} kind="gradient" exactly />;
}

type Maybe = number | null | undefined;

/** The number of the earlier run where it differs: "2.0 →". */
function Old({ x, now, kind }: { x: Maybe; now: Maybe; kind: "data" | "gradient" }) {
  if (Object.is(x, now)) return null;
  return (
    <span class="old">
      <Figure x={x} kind={kind} /> <span class="sign">→</span>{" "}
    </span>
  );
}
