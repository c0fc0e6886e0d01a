/** A question about a number. The engine checks the answer. */

import { useId, useLayoutEffect, useState } from "preact/hooks";
import { formatted } from "../engine";
import { PlainInput } from "../ui/fields";
import { QuestionCard, useCheck } from "./Checked";
import { UnreadableError, type QuestionBlock } from "./content";
import { Spans } from "./Spans";
import { Button } from "../ui/Button";

interface Props {
  lesson: string;
  question: QuestionBlock;
}

export function Question({ lesson, question }: Props) {
  const checking = useCheck(lesson, question.name);
  const said = checking.answered?.answer ?? "";
  const [answer, setAnswer] = useState(said);
  const id = useId();
  // the stored answer is loaded or cleared; a later effect could undo what was typed meanwhile
  useLayoutEffect(() => setAnswer(said), [said]);
  return (
    <QuestionCard
      of={checking}
      id={`${id}-trouble`}
      onCheck={() => void checking.check(answer, "Type a number first.")}
      solution={(expected) => (
        <strong class="number" title={String(expected)}>
          {formatted(expected)}
        </strong>
      )}
    >
      <label class="question-ask" for={`${id}-answer`}>
        <Spans spans={question.spans} />
      </label>
      <div class="question-row">
        <PlainInput
          id={`${id}-answer`}
          aria-describedby={`${id}-tolerance ${id}-trouble`}
          aria-invalid={checking.trouble instanceof UnreadableError}
          value={answer}
          onInput={(event) => setAnswer(event.currentTarget.value)}
        />
        <Button type="submit" look="primary" aria-disabled={checking.waiting}>
          Check
        </Button>
        <p class="note" id={`${id}-tolerance`}>
          Type a number or a formula such as 2/3. Tolerance: {within(question.tolerance)}.
        </p>
      </div>
    </QuestionCard>
  );
}

/** "0.1 %" */
function within(tolerance: number): string {
  return `${Number((100 * tolerance).toPrecision(6))} %`;
}
