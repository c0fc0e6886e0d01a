/** A formula of the user instead of the example. */

import { useRef, useState } from "preact/hooks";
import type { WalkDocument } from "../document";
import { FormulaEditor } from "../walk/source/FormulaEditor";
import { showRuns } from "./show";
import type { Story } from "./stories";
import { Button } from "../ui/Button";

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
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          Try a formula of your own
        </Button>
        {own && (
          <Button look="quiet" onClick={back}>
            Back to the example
          </Button>
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
