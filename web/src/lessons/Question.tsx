/** A question. The engine checks the answer. */

import { useEffect, useId, useState } from "preact/hooks";
import { formatted } from "../engine";
import { PlainInput } from "../ui/fields";
import { judged, StudioError, UnreadableError, type QuestionBlock } from "./content";
import { answerOf, keep, wordsFor, type Answered } from "./progress";
import { Spans } from "./Spans";
import { Button } from "../ui/Button";

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
  useEffect(() => setAnswer(said), [said]); // loaded from the browser's storage, or cleared
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
          <PlainInput
            id={`${id}-answer`}
            aria-describedby={`${id}-tolerance ${id}-trouble`}
            aria-invalid={trouble instanceof UnreadableError}
            value={answer}
            onInput={(event) => setAnswer(event.currentTarget.value)}
          />
          <Button type="submit" look="primary" aria-disabled={waiting}>
            Check
          </Button>
          <p class="note" id={`${id}-tolerance`}>
            Type a number or a formula such as 2/3. Tolerance: {within(question.tolerance)}.
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

/** Checks an answer and stores the result. Returns an error if the answer could not be checked. */
async function judgedAndKept(lesson: number, question: string, answer: string): Promise<Error | null> {
  if (!answer.trim()) return new UnreadableError("Type a number first.");
  try {
    keep(lesson, question, { answer, ...(await judged(lesson, question, answer)) });
    return null;
  } catch (error) {
    if (error instanceof UnreadableError) return error;
    if (!(error instanceof StudioError)) throw error;
    return new StudioError(
      `${error.message} Your answer was not checked. Check it again when the studio runs.`,
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

/** "0.1 %" */
function within(tolerance: number): string {
  return `${Number((100 * tolerance).toPrecision(6))} %`;
}

function Outcome({ outcome }: { outcome: Answered }) {
  const { right, expected } = outcome;
  const [shown, setShown] = useState(false);
  return (
    <div class="outcome">
      <p>
        <strong>{right ? "Correct." : "Not yet."}</strong> {wordsFor(outcome)}
      </p>
      {!right && !shown && <Button onClick={() => setShown(true)}>Show the answer</Button>}
      {!right && shown && (
        <p>
          The answer is{" "}
          <strong class="number" title={String(expected)}>
            {formatted(expected)}
          </strong>
          .
        </p>
      )}
    </div>
  );
}
