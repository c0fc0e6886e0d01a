/** Predict the next number, then reveal it. */

import { useState } from "preact/hooks";
import { exact, sentences, type Moment } from "../../engine";
import { Button } from "../../ui/Button";
import { PlainInput } from "../../ui/fields";
import type { Walk } from "../state/state";
import { typed } from "../source/typed";

/** The accepted relative error of a prediction. */
const NEAR = 0.01;

interface Asked {
  words: string;
  answer: number;
  /** How the number is computed. */
  why: string;
}

export function Prediction({ walk }: { walk: Walk }) {
  const [text, setText] = useState("");
  const [reply, setReply] = useState<{ time: number; words: string } | null>(null);
  const time = walk.time.value;
  const asked = time < walk.timeline.value.length ? questionOf(walk, walk.timeline.value.at(time + 1)) : null;
  const reveal = (words: string) => {
    setText("");
    walk.step(1);
    setReply({ time: walk.time.value, words });
  };
  const check = () => {
    if (!asked) return;
    const given = typed(text);
    if (given.mistake) return setReply({ time, words: given.mistake.words });
    const right = Math.abs(given.x - asked.answer) <= NEAR * Math.abs(asked.answer) || given.x === asked.answer;
    reveal(`${right ? "Correct" : `Not ${exact(given.x)}`}: ${asked.why}`);
  };
  const shown = reply?.time === time ? reply.words : "";
  if (!asked && !shown) return null;
  return (
    <form
      class="prediction"
      aria-label="Predict the next step"
      onSubmit={(event) => {
        event.preventDefault();
        check();
      }}
    >
      <p role="status">{shown}</p>
      {asked && (
        <div class="prediction-row">
          <label>
            <span>
              <strong>Predict:</strong> {asked.words}
            </span>
            <PlainInput
              class="field number"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
          <Button type="submit">Check</Button>
          <Button look="quiet" onClick={() => reveal(asked.why)}>
            Reveal
          </Button>
        </div>
      )}
    </form>
  );
}

/** What can be predicted about a step: the value that it computes, or the first contribution. */
function questionOf(walk: Walk, moment: Moment): Asked | null {
  const run = walk.run.value;
  const { nodes, root } = walk.graph.value;
  const name = (node: number) => nodes[node]!.name;
  const shown = sentences(walk.timeline.value, walk.time.value + 1);
  const why = (at: number) => shown[at]?.text ?? "";
  if (moment.kind === "forward") {
    const { node } = moment;
    return { words: `the value of ${name(node)}`, answer: run.data[node]!, why: why(0) };
  }
  if (moment.kind === "seed") return { words: `the gradient of the result ${name(root)}`, answer: 1, why: why(0) };
  if (moment.kind !== "backward") return null;
  const wanted = moment.pass.contributions.filter(({ operand }) => !nodes[operand]!.constant);
  const at = wanted.findIndex(({ amount, slope }) => amount !== null && slope !== null);
  if (at < 0) return null;
  const { operand, amount } = wanted[at]!;
  const words = `what ${name(moment.node)} adds to the gradient of ${name(operand)}`;
  return { words, answer: amount!, why: why(at) };
}
