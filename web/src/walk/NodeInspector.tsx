/** Everything about one node. */

import { useEffect } from "preact/hooks";
import type { GraphNode } from "../engine";
import { ArrayFacts } from "./ArrayFacts";
import { LeafEditor } from "./LeafEditor";
import { Neighbours } from "./Neighbours";
import { PathList } from "./PathList";
import { Figure, Mathematics } from "./parts";
import { lineOf } from "./lines";
import { Questions } from "./Questions";
import type { Walk } from "./state";
import { Button } from "../ui/Button";

export function NodeInspector({ walk, node, edit }: { walk: Walk; node: GraphNode; edit: boolean }) {
  useEffect(() => () => void (walk.path.value = null), [walk, node.index]);
  const stops = walk.breakpoints.value.nodes.has(node.index);
  return (
    <article class="inspector" aria-label={`Node ${node.name}`}>
      <header class="inspector-head">
        <h2 class="name">{node.name}</h2>
        <span class="badge">{kindOf(node)}</span>
        <Button look="small" aria-pressed={stops} onClick={() => walk.toggleBreakpoint(node.index)}>
          {stops ? "Stops here" : "Stop here"}
        </Button>
      </header>
      {node.row && <Operation node={node} />}
      <Numbers walk={walk} node={node} />
      {edit && node.editable && <LeafEditor walk={walk} node={node} />}
      <Questions walk={walk} node={node} />
      <ArrayFacts record={walk.document.value.nodes[node.index]?.array} />
      <Neighbours walk={walk} node={node} />
      <PathList walk={walk} node={node} />
    </article>
  );
}

/** The kind of a node, in a word or two. */
export function kindOf(node: GraphNode): string {
  if (node.constant) return "constant";
  if (node.op) return node.op;
  return node.leaf ? "leaf" : "node";
}

function Operation({ node }: { node: GraphNode }) {
  const { row } = node;
  if (!row) return null;
  return (
    <div class="operation">
      <p class="formula">
        <Mathematics formula={{ text: row.tex, mathml: row.mathml }} />
      </p>
      {row.summary && <p class="note">{row.summary}.</p>}
      {row.kinks && <p class="note">At a kink: {row.kinks}</p>}
    </div>
  );
}

function Numbers({ walk, node }: { walk: Walk; node: GraphNode }) {
  const { data, gradients, stale, staleGradients } = walk.run.value;
  const now = walk.timeline.value.gradient(node.index, walk.time.value);
  const final = gradients[node.index] ?? null;
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
        {known ? <Figure x={data[node.index]} /> : <span class="note">not computed yet</span>}
        {doubt}
      </dd>
      <dt>{node.array ? "Sum of the gradient" : "Gradient now"}</dt>
      <dd>
        <GradientNow node={node} now={now} />
        {typeof now === "number" && doubtGradient}
      </dd>
      {!node.constant && final !== null && (!Object.is(now, final) || old) && (
        <>
          <dt>At the end</dt>
          <dd>
            {old && <Old x={old.gradients[node.index]} now={final} kind="gradient" />}
            <Figure x={final} kind="gradient" />
            {doubtGradient}
          </dd>
        </>
      )}
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
  return <Figure x={now} kind="gradient" />;
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
