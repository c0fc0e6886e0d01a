/** A new beginning, which can be taken back. */

import { useState } from "preact/hooks";
import { answers, replace, startOver, type Answers } from "./progress";

interface Props {
  /** Of one lesson, or, if left out, of all. */
  lesson?: number;
  /** Whether there is anything to forget. */
  begun: boolean;
}

export function StartOver({ lesson, begun }: Props) {
  const [before, setBefore] = useState<Answers | null>(null);
  const begin = () => {
    setBefore(answers.value);
    startOver(lesson);
  };
  const takeBack = () => {
    if (before) replace(before);
    setBefore(null);
  };
  return (
    <div class="start-over">
      {begun && (
        <button type="button" class="button quiet" onClick={begin}>
          Start over
        </button>
      )}
      <p role="status" class="note">
        {before && !begun && "Your answers are gone. "}
        {before && !begun && (
          <button type="button" class="link" onClick={takeBack}>
            Take that back
          </button>
        )}
      </p>
    </div>
  );
}
