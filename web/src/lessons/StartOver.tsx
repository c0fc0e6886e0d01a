/** A button that clears the answers, with undo. */

import { useState } from "preact/hooks";
import { answers, replace, startOver, type Answers } from "./progress";
import { Button } from "../ui/Button";

interface Props {
  /** The lesson whose answers are cleared; all lessons if left out. */
  lesson?: string;
  /** Whether there are answers. */
  begun: boolean;
}

export function StartOver({ lesson, begun }: Props) {
  const [before, setBefore] = useState<Answers | null>(null);
  const begin = () => {
    setBefore(answers.value);
    startOver(lesson);
  };
  const undo = () => {
    if (before) replace(before);
    setBefore(null);
  };
  return (
    <div class="start-over">
      {begun && (
        <Button look="quiet" onClick={begin}>
          Start over
        </Button>
      )}
      <p role="status" class="note">
        {before && !begun && "Answers cleared. "}
        {before && !begun && (
          <button type="button" class="link" onClick={undo}>
            Undo
          </button>
        )}
      </p>
    </div>
  );
}
