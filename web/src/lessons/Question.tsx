/** A question, whose answer the engine judges. */

import { useEffect, useId, useState } from "preact/hooks";
import { formatted } from "../engine";
import { judged, StudioError, UnreadableError, type QuestionBlock } from "./content";
import { answerOf, keep, wordsFor, type Answered } from "./progress";
import { Spans } from "./Spans";

interface Props {
  lesson: number;
  question: QuestionBlock;
}

export function Question({ lesson, question }: Props) {
  const answered = answerOf(lesson, question.name);
  const [answer, setAnswer] = useState(answered?.answer ?? "");
  const [trouble, setTrouble] = useState<Error | null>(null);
  const [waiting, setWaiting] = useState(false);
  const id = useId();
  const said = answered?.answer ?? "";
  useEffect(() => setAnswer(said), [said]); // read from the browser's store, or forgotten
  const check = async () => {
    if (waiting) return;
    setWaiting(true);
    setTrouble(await judgedAndKept(lesson, question.name, answer));
    setWaiting(false);
  };
  const outcome = trouble ? undefined : answered;
  return (
    <section class={`question ${outcome ? (outcome.right ? "right" : "wrong") : ""}`} aria-label="Question">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void check();
        }}
      >
        <label class="question-ask" for={`${id}-answer`}>
          <Spans spans={question.spans} />
        </label>
        <div class="question-row">
          <input
            id={`${id}-answer`}
            class="field"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-describedby={`${id}-tolerance ${id}-trouble`}
            aria-invalid={trouble instanceof UnreadableError}
            value={answer}
            onInput={(event) => setAnswer(event.currentTarget.value)}
          />
          <button type="submit" class="button primary" aria-disabled={waiting}>
            Check
          </button>
          <p class="note" id={`${id}-tolerance`}>
            A number, or a formula such as 2/3; right {within(question.tolerance)}.
          </p>
        </div>
        <div id={`${id}-trouble`} role="alert">
          {trouble && <Trouble trouble={trouble} />}
        </div>
      </form>
      <div role="status">{outcome && <Outcome key={outcome.answer} outcome={outcome} />}</div>
    </section>
  );
}

/** Keeps what came of an answer; else says why nothing came of it. */
async function judgedAndKept(lesson: number, question: string, answer: string): Promise<Error | null> {
  if (!answer.trim()) return new UnreadableError("There is no answer yet: type a number.");
  try {
    keep(lesson, question, { answer, ...(await judged(lesson, question, answer)) });
    return null;
  } catch (error) {
    if (error instanceof UnreadableError) return error;
    if (!(error instanceof StudioError)) throw error;
    return new StudioError(
      `${error.message} Your answer has not been checked; check it again when the studio runs.`,
    );
  }
}

function Trouble({ trouble }: { trouble: Error }) {
  const excerpt = trouble instanceof UnreadableError ? trouble.excerpt : "";
  return (
    <div class="alert">
      <p>{trouble.message}</p>
      {excerpt && <pre class="excerpt">{excerpt}</pre>}
    </div>
  );
}

/** "within 0.1 %" */
function within(tolerance: number): string {
  return `within ${Number((100 * tolerance).toPrecision(6))} %`;
}

function Outcome({ outcome }: { outcome: Answered }) {
  const { right, expected } = outcome;
  const [shown, setShown] = useState(false);
  return (
    <div class="outcome">
      <p>
        <strong>{right ? "Right." : "Not yet."}</strong> {wordsFor(outcome)}
      </p>
      {!right && !shown && (
        <button type="button" class="button" onClick={() => setShown(true)}>
          Show the answer
        </button>
      )}
      {!right && shown && (
        <p>
          The engine computes{" "}
          <strong class="number" title={String(expected)}>
            {formatted(expected)}
          </strong>
          .
        </p>
      )}
    </div>
  );
}
