import { useMemo, useState } from "preact/hooks";
import type { Graph } from "../engine/graph";
import type { Arrangement } from "./layout/arrange";
import type { Folding, FoldMode } from "./fold/fold";
import { COLOURINGS, type Colouring } from "./look/heat";
import { MODES, automatic, idle } from "./interaction/modes";
import { kept } from "./shared/kept";
import { counted } from "./shared/names";
import type { PictureState } from "./state";

/** Smaller graphs are seen whole: folding would only distract. */
const FOLDABLE = 21;

/** Zoom, fit, the fold mode, and the open groups. */
export function Toolbar({ state, far }: { state: PictureState; far: boolean }) {
  const { arrangement } = state;
  const { graph } = arrangement;
  const folds = graph.size >= FOLDABLE || folded(state);
  const count = countText(graph, arrangement, far);
  return (
    <div class="picture-bar" role="group" aria-label="View of the picture">
      <div class="picture-zoom">
        <IconButton label="Zoom out" path="M4 10h12" onPress={() => state.zoom(1 / 1.4)} />
        <IconButton label="Zoom in" path="M4 10h12M10 4v12" onPress={() => state.zoom(1.4)} />
        <IconButton
          label="Fit the whole graph"
          path="M3 8V3h5M12 3h5v5M17 12v5h-5M8 17H3v-5"
          onPress={() => state.fitAll()}
        />
      </div>
      {folds && (
        <ModeChoice
          arrangement={arrangement}
          folding={state.folding}
          onFolding={(folding) => state.setFolding(folding)}
        />
      )}
      {arrangement.boxes.length < graph.size && (
        <label class="picture-fold picture-colour">
          <span>Colour</span>
          <select
            aria-label="Colour of groups, at the end of the backward pass"
            class="field"
            value={state.colouring}
            onChange={(event) => state.set({ colouring: event.currentTarget.value as Colouring })}
          >
            {COLOURINGS.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      )}
      <Open state={state} />
      {folds && (
        <p class="picture-count" title={count}>
          {count}
        </p>
      )}
    </div>
  );
}

/** Whether something is folded, or was: also a small graph can be folded by its names. */
function folded({ arrangement: { boxes, graph }, folding }: PictureState): boolean {
  return boxes.length < graph.size || folding.mode !== "auto" || folding.open.length > 0;
}

function countText(graph: Graph, { boxes }: Arrangement, far: boolean): string {
  const hint = far ? "; zoom in to read" : "";
  if (boxes.length === graph.size) return `${counted(graph.size)} nodes${hint}`;
  return `${counted(graph.size)} nodes in ${counted(boxes.length)} boxes${hint}`;
}

function IconButton({ label, path, onPress }: { label: string; path: string; onPress(): void }) {
  return (
    <button type="button" class="button quiet" aria-label={label} title={label} onClick={onPress}>
      <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
        <path
          d={path}
          fill="none"
          stroke="currentColor"
          stroke-width="1.8"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      </svg>
    </button>
  );
}

interface ChoiceProps {
  arrangement: Arrangement;
  folding: Folding;
  onFolding(folding: Folding): void;
}

/** The ways to fold. Finding the ways that do nothing takes long: it waits until they are about to be
 * shown. The props are the values themselves. With signals as props, a component that has hooks is
 * not drawn again as long as the props are the same objects. */
function ModeChoice({ arrangement, folding, onFolding }: ChoiceProps) {
  const { graph } = arrangement;
  const [looked, look] = useState<Graph | null>(null);
  const asked = looked === graph;
  const reasons = useMemo(() => MODES.map(([mode]) => (asked ? idle(graph, mode) : "")), [graph, asked]);
  const ask = () => look(graph);
  return (
    <label class="picture-fold" onPointerEnter={ask}>
      <span>Fold</span>
      <select
        aria-label="Fold"
        class="field"
        value={folding.mode}
        onFocus={ask}
        onChange={(event) => onFolding({ mode: event.currentTarget.value as FoldMode, open: [] })}
      >
        <option value="auto">{automatic(graph, arrangement, folding)}</option>
        {MODES.map(([mode, words], k) => (
          <option key={mode} value={mode} disabled={reasons[k] !== "" && mode !== folding.mode}>
            {reasons[k] ? `${words} (${reasons[k]})` : words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The titles of the open groups by their ids; found once, for each step draws the toolbar. */
const openGroups = kept(({ boxes }: Arrangement) => {
  const titles = new Map<string, string>();
  for (const { around } of boxes) for (const { id, title } of around) titles.set(id, title);
  return titles;
});

/** The open groups, each with a button that folds it. */
function Open({ state }: { state: PictureState }) {
  const groups = openGroups(state.arrangement);
  if (!groups.size) return null;
  return (
    <ul class="picture-open" aria-label="Open groups">
      {[...groups].map(([id, title]) => (
        <li key={id}>
          <button
            type="button"
            class="button"
            aria-label={`Fold ${title}`}
            onClick={() => state.fold(id)}
          >
            {title}
            <span aria-hidden="true"> ×</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
