/** The choice of a graph: an example, or a formula of your own. */

import { useRef } from "preact/hooks";
import type { WalkDocument } from "../../document";
import { FormulaEditor } from "./FormulaEditor";
import { graphOf } from "./formula";
import { PRESETS } from "./presets";
import type { Walk } from "../state/state";
import { Floating } from "../../ui/Floating";

const OWN = "own";
const TYPED = "typed";

export function Source({ walk, own }: { walk: Walk; own: WalkDocument | null }) {
  const writing = useRef<HTMLDivElement>(null);
  const origin = walk.origin.value;
  const preset = PRESETS.find(({ source }) => source === origin?.source);
  const isOwn = !origin && own === walk.document.value;
  const choose = (id: string) => {
    const chosen = PRESETS.find((one) => one.id === id);
    if (chosen) walk.open(graphOf(chosen.source, chosen.values), {}, chosen);
    else if (id === OWN && own) walk.open(own);
    else writing.current?.showPopover();
  };
  return (
    <div class="source">
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
        <Floating words="Type a formula" box={writing} look="formula-floating">
          <FormulaEditor
            origin={origin}
            onClose={() => writing.current?.hidePopover()}
            onGraph={(document, from) => {
              walk.open(document, {}, from);
              writing.current?.hidePopover();
            }}
          />
        </Floating>
        {preset && <p class="note source-note">{preset.note}</p>}
      </div>
    </div>
  );
}
