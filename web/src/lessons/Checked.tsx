/** What all questions share: the check of an answer, and its result. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { judged, StudioError, UnreadableError } from "./content";
import { answerOf, keep, wordsFor, type Answered } from "./progress";
import { Button } from "../ui/Button";

export interface Check {
  answered: Answered | undefined;
  trouble: Error | null;
  waiting: boolean;
  /** Checks an answer. `unanswered` is said if it is empty. */
  check: (answer: string, unanswered: string) => Promise<void>;
}

/** The state of a question, and how to check an answer to it. */
export function useCheck(lesson: string, question: string): Check {
  const [trouble, setTrouble] = useState<Error | null>(null);
  const [waiting, setWaiting] = useState(false);
  const check = async (answer: string, unanswered: string) => {
    if (waiting) return;
    setWaiting(true);
    setTrouble(answer.trim() ? await judgedAndKept(lesson, question, answer) : new UnreadableError(unanswered));
    setWaiting(false);
  };
  return { answered: answerOf(lesson, question), trouble, waiting, check };
}

/** Checks an answer and stores the result. Returns an error if the answer could not be checked. */
async function judgedAndKept(lesson: string, question: string, answer: string): Promise<Error | null> {
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

interface CardProps {
  of: Check;
  /** The id of the element with the error message. */
  id: string;
  onCheck: () => void;
  /** The correct answer, shown on request. */
  solution: (expected: number) => ComponentChildren;
  children: ComponentChildren;
}

/** A question with its fields, and the result of the answer below them. */
export function QuestionCard({ of: { answered, trouble }, id, onCheck, solution, children }: CardProps) {
  const outcome = trouble ? undefined : answered;
  return (
    <section class={`question ${outcome ? (outcome.right ? "right" : "wrong") : ""}`} aria-label="Question">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onCheck();
        }}
      >
        {children}
        <div id={id} role="alert">
          {trouble && <Trouble trouble={trouble} />}
        </div>
      </form>
      <div role="status">
        {outcome && <Outcome key={outcome.answer} outcome={outcome} solution={solution} />}
      </div>
    </section>
  );
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

function Outcome({ outcome, solution }: { outcome: Answered; solution: CardProps["solution"] }) {
  const { right, expected } = outcome;
  const [shown, setShown] = useState(false);
  return (
    <div class="outcome">
      <p>
        <strong>{right ? "Correct." : "Not yet."}</strong> {wordsFor(outcome)}
      </p>
      {!right && !shown && <Button onClick={() => setShown(true)}>Show the answer</Button>}
      {!right && shown && <p>The answer is {solution(expected)}.</p>}
    </div>
  );
}
