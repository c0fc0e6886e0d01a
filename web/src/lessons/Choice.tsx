/** A question with a list of answers, one of which is correct. */

import { useId, useLayoutEffect, useState } from "preact/hooks";
import { QuestionCard, useCheck } from "./Checked";
import type { ChoiceBlock } from "./content";
import { Spans } from "./Spans";
import { Button } from "../ui/Button";

interface Props {
  lesson: string;
  question: ChoiceBlock;
}

export function Choice({ lesson, question: { name, spans, options } }: Props) {
  const checking = useCheck(lesson, name);
  const said = checking.answered?.answer ?? "";
  const [answer, setAnswer] = useState(said);
  const id = useId();
  // the stored answer is loaded or cleared; a later effect could undo what was typed meanwhile
  useLayoutEffect(() => setAnswer(said), [said]);
  return (
    <QuestionCard
      of={checking}
      id={`${id}-trouble`}
      onCheck={() => void checking.check(answer, "Choose an answer first.")}
      solution={(expected) => (
        <>
          “<Spans spans={options[expected - 1] ?? []} />”
        </>
      )}
    >
      <fieldset class="choice" aria-describedby={`${id}-trouble`}>
        <legend class="question-ask">
          <Spans spans={spans} />
        </legend>
        {options.map((option, at) => {
          const number = String(at + 1);
          return (
            <label key={number} class="choice-option">
              <input
                type="radio"
                name={`${id}-option`}
                value={number}
                checked={answer === number}
                onChange={() => setAnswer(number)}
              />
              <span>
                <Spans spans={option} />
              </span>
            </label>
          );
        })}
      </fieldset>
      <Button type="submit" look="primary" aria-disabled={checking.waiting}>
        Check
      </Button>
    </QuestionCard>
  );
}
