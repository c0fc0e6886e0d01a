/** The sentence of the present step with its numbers, and the general formula beside it. */

import { sentences, type Formula, type Moment, type Part, type Sentence } from "../engine";
import { Mathematics, NodeLink } from "./parts";
import type { Walk } from "./state";
import { phaseOf } from "./words";

export function SentenceOfStep({ walk }: { walk: Walk }) {
  const moment = walk.timeline.value.at(walk.time.value);
  const all = sentences(walk.timeline.value, walk.time.value);
  const positions = positionsOf(walk, moment);
  const { phase, words } = phaseOf(walk);
  const stopped = walk.stopped.value;
  return (
    <section class={`sentence ${phase}`} aria-label="This step">
      <p class="sentence-phase">{words}</p>
      <div class="sentence-lines" aria-live={walk.playing.value ? "off" : "polite"}>
        {all.map((sentence, index) => (
          <Line key={index} walk={walk} sentence={sentence} moment={moment} position={positions[index]} />
        ))}
      </div>
      {stopped && (
        <p class="sentence-stop" role="status">
          {stopped.words}
        </p>
      )}
    </section>
  );
}

/** The operands that get a gradient: backward, each of them has a sentence. */
function positionsOf(walk: Walk, moment: Moment): number[] {
  if (moment.kind !== "backward" || moment.pass.gradient === null) return [];
  const { nodes } = walk.graph.value;
  const wanted = moment.pass.shares.filter(({ operand }) => !nodes[operand]?.constant);
  return wanted.map(({ position }) => position);
}

interface LineProps {
  walk: Walk;
  sentence: Sentence;
  moment: Moment;
  position: number | undefined;
}

function Line({ walk, sentence, moment, position }: LineProps) {
  const node = moment.kind === "start" ? undefined : moment.node;
  return (
    <div class="sentence-line">
      <p class="sentence-text">
        {sentence.parts.map((part, index) => (
          <Piece key={index} walk={walk} part={part} edge={{ node, position }} />
        ))}
      </p>
      <General walk={walk} formula={sentence.formula} node={node} position={position} />
    </div>
  );
}

interface PieceProps {
  walk: Walk;
  part: Part;
  edge: { node: number | undefined; position: number | undefined };
}

/** A name selects what it names: a node, or, as ∂y/∂x, an edge. */
function Piece({ walk, part, edge: { node, position } }: PieceProps) {
  const { text, title } = brief(part.text);
  if (part.kind !== "name" || part.node === undefined) return <span class={part.kind}>{part.text}</span>;
  if (!part.text.startsWith("∂") || node === undefined || position === undefined) {
    return (
      <NodeLink walk={walk} node={part.node} title={title}>
        {text}
      </NodeLink>
    );
  }
  const select = () => {
    walk.selection.value = { kind: "edge", node, position };
  };
  return (
    <button type="button" class="link name" title={title} onClick={select}>
      {text}
    </button>
  );
}

/** Shortens a long name to its beginning and its end, with the whole name on hover, so that the sentence
 * around it stays visible. */
function brief(text: string): { text: string; title: string | undefined } {
  const all = Array.from(text);
  if (all.length <= 44) return { text, title: undefined };
  return { text: `${all.slice(0, 24).join("")}…${all.slice(-16).join("")}`, title: text };
}

interface GeneralProps {
  walk: Walk;
  formula: Formula | null;
  node: number | undefined;
  position: number | undefined;
}

/** The formula in the letters of the table of operations: the operation, or its derivative. */
function General({ walk, formula, node, position }: GeneralProps) {
  const row = node === undefined ? null : walk.graph.value.nodes[node]?.row;
  if (!formula || !row) return null;
  return (
    <p class="sentence-formula" aria-label="General formula">
      {position === undefined ? (
        <span class="partial">
          {row.name}({row.params.join(", ")})
        </span>
      ) : (
        <>
          <span class="partial">
            ∂/∂<i>{row.params[position]}</i>
          </span>{" "}
          (<Mathematics formula={{ text: row.tex, mathml: row.mathml }} />)
        </>
      )}
      {" = "}
      <Mathematics formula={formula} />
    </p>
  );
}
