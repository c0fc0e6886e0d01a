/** The choice of a graph: an example, or a formula of your own. */

import { useRef, useState } from "preact/hooks";
import type { WalkDocument } from "../../document";
import { FormulaEditor } from "./FormulaEditor";
import { graphOf } from "./formula";
import { PRESETS } from "./presets";
import type { Walk } from "../state/state";
import { Button } from "../../ui/Button";

const OWN = "own";
const TYPED = "typed";

export function Source({ walk, own }: { walk: Walk; own: WalkDocument | null }) {
  const [writing, setWriting] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const origin = walk.origin.value;
  const preset = PRESETS.find(({ source }) => source === origin?.source);
  const isOwn = !origin && own === walk.document.value;
  const choose = (id: string) => {
    const chosen = PRESETS.find((one) => one.id === id);
    if (chosen) walk.open(graphOf(chosen.source, chosen.values), {}, chosen);
    else if (id === OWN && own) walk.open(own);
    else setWriting(true);
  };
  return (
    <div ref={place} class="source">
      <div class="source-row">
        <label class="source-choice">
          <span>Graph</span>
          <select
            class="field"
            value={isOwn ? OWN : (preset?.id ?? TYPED)}
            onChange={(event) => choose(event.currentTarget.value)}
          >
            {own && <option value={OWN}>{own.title || own.source || "Your graph"}</option>}
            {PRESETS.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
            <option value={TYPED}>{walk.document.value.title || "Your formula"}</option>
          </select>
        </label>
        <Button aria-expanded={writing} onClick={() => setWriting(!writing)}>
          Type a formula
        </Button>
        {preset && !writing && <p class="note source-note">{preset.note}</p>}
      </div>
      {writing && (
        <FormulaEditor
          origin={origin}
          onClose={() => {
            setWriting(false);
            place.current?.querySelector<HTMLElement>("button[aria-expanded]")?.focus();
          }}
          onGraph={(document, from) => {
            walk.open(document, {}, from);
            setWriting(false);
          }}
        />
      )}
    </div>
  );
}
