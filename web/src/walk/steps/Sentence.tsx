/** The present step: what it is about in one plain sentence, its numbers, and on request the general rule. */

import { useState } from "preact/hooks";
import { sentences, type Moment, type Part, type Sentence } from "../../engine";
import { Button } from "../../ui/Button";
import { NodeLink } from "../panels/parts";
import { General } from "../panels/Rule";
import type { Walk } from "../state/state";
import { moral, phaseOf } from "../state/words";

export function SentenceOfStep({ walk }: { walk: Walk }) {
  const [ruled, setRuled] = useState(false);
  const moment = walk.timeline.value.at(walk.time.value);
  const all = sentences(walk.timeline.value, walk.time.value);
  const positions = positionsOf(walk, moment);
  const { phase, words } = phaseOf(walk);
  const stopped = walk.stopped.value;
  const done = moral(walk);
  return (
    <section class={`sentence ${phase}`} aria-label="This step">
      {done && <p class="sentence-done">{done}</p>}
      <div class="sentence-head">
        <p class="sentence-phase">{words}</p>
        {all.some(({ rule }) => rule) && (
          <Button look="small quiet" aria-pressed={ruled} onClick={() => setRuled(!ruled)}>
            General rule
          </Button>
        )}
      </div>
      <div class="sentence-lines" aria-live={walk.playing.value ? "off" : "polite"}>
        {all.map((sentence, index) => (
          <Line
            key={index}
            walk={walk}
            sentence={sentence}
            moment={moment}
            position={positions[index]}
            ruled={ruled}
          />
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
  const wanted = moment.pass.contributions.filter(({ operand }) => !nodes[operand]?.constant);
  return wanted.map(({ position }) => position);
}

interface LineProps {
  walk: Walk;
  sentence: Sentence;
  moment: Moment;
  position: number | undefined;
  ruled: boolean;
}

function Line({ walk, sentence, moment, position, ruled }: LineProps) {
  const node = moment.kind === "start" ? undefined : moment.node;
  const piece = (part: Part, index: number) => (
    <Piece key={index} walk={walk} part={part} edge={{ node, position }} />
  );
  return (
    <div class="sentence-line">
      <p class="sentence-text">{sentence.parts.map(piece)}</p>
      {sentence.derivative.length > 0 && (
        <p class="sentence-derivative" aria-label="Local derivative">
          {sentence.derivative.map(piece)}
        </p>
      )}
      {ruled && sentence.rule && <General rule={sentence.rule} position={position} />}
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
