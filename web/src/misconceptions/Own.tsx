/** A formula of one's own instead of the one that the story is told with. */

import { useRef, useState } from "preact/hooks";
import type { WalkDocument } from "../document";
import { FormulaEditor } from "../walk/FormulaEditor";
import { showRuns } from "./show";
import type { Story } from "./stories";

interface Props {
  story: Story;
  onGraph: (document: WalkDocument | null) => void;
}

export function Own({ story, onGraph }: Props) {
  const [open, setOpen] = useState(false);
  const [own, setOwn] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const back = () => {
    setOwn(false);
    onGraph(null);
  };
  return (
    <div class="own" ref={place}>
      <div class="own-row">
        <button type="button" class="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          Try a formula of your own
        </button>
        {own && (
          <button type="button" class="button quiet" onClick={back}>
            Back to the example
          </button>
        )}
      </div>
      {open && (
        <FormulaEditor
          origin={{ source: story.source, values: story.values }}
          onGraph={(document) => {
            setOwn(true);
            onGraph(document);
            showRuns(place.current!);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
