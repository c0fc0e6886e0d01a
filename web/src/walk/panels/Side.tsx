/** The panels beside the picture, one at a time. */

import { useSignalEffect } from "@preact/signals";
import { useId, useState } from "preact/hooks";
import { BreakpointPanel } from "./BreakpointPanel";
import { EdgeInspector } from "./EdgeInspector";
import { NodeInspector } from "./NodeInspector";
import { NodeTable } from "./NodeTable";
import type { Panel } from "../state/options";
import type { Walk } from "../state/state";
import { Values } from "./Values";

const TITLES: Record<Panel, string> = {
  inspect: "Inspect", nodes: "Nodes", values: "Values", breakpoints: "Breakpoints",
};

interface Props {
  walk: Walk;
  panels: Panel[];
  edit: boolean;
  /** Whether there are lessons at #/lessons. */
  lessons: boolean;
}

export function Side({ walk, panels, edit, lessons }: Props) {
  const [shown, setShown] = useState<Panel>(panels[0] ?? "inspect");
  const id = useId();
  useSignalEffect(() => {
    const stays = shown === "nodes"; // rows are looked at one after the other
    if (walk.selection.value && panels.includes("inspect") && !stays) setShown("inspect");
  });
  return (
    <aside class="walk-side" aria-label="Side panels">
      {panels.length > 1 && <Tabs id={id} panels={panels} shown={shown} onShow={setShown} />}
      <div
        id={`${id}-panel`}
        class="walk-panel"
        role={panels.length > 1 ? "tabpanel" : undefined}
        aria-labelledby={panels.length > 1 ? `${id}-${shown}` : undefined}
        tabIndex={0}
      >
        {shown === "inspect" && <Inspect walk={walk} edit={edit} lessons={lessons} />}
        {shown === "nodes" && <NodeTable walk={walk} />}
        {shown === "values" && <Values walk={walk} />}
        {shown === "breakpoints" && <BreakpointPanel walk={walk} />}
      </div>
    </aside>
  );
}

interface TabsProps {
  id: string;
  panels: Panel[];
  shown: Panel;
  onShow: (panel: Panel) => void;
}

function Tabs({ id, panels, shown, onShow }: TabsProps) {
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    event.preventDefault();
    const at = (panels.indexOf(shown) + by + panels.length) % panels.length;
    onShow(panels[at]!);
    (event.currentTarget.children[at] as HTMLElement).focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Panels" onKeyDown={move}>
      {panels.map((panel) => (
        <button
          key={panel}
          type="button"
          role="tab"
          id={`${id}-${panel}`}
          class="tab"
          aria-selected={panel === shown}
          aria-controls={`${id}-panel`}
          tabIndex={panel === shown ? 0 : -1}
          onClick={() => onShow(panel)}
        >
          {TITLES[panel]}
        </button>
      ))}
    </div>
  );
}

function Inspect({ walk, edit, lessons }: { walk: Walk; edit: boolean; lessons: boolean }) {
  const selection = walk.selection.value;
  const node = selection ? walk.graph.value.nodes[selection.node] : undefined;
  if (!selection || !node) {
    return <Hint walk={walk} lessons={lessons} />;
  }
  if (selection.kind === "edge") {
    return <EdgeInspector walk={walk} node={node} position={selection.position} />;
  }
  return <NodeInspector key={node.index} walk={walk} node={node} edit={edit} />;
}

/** What to do next, and how to read the picture. */
function Hint({ walk, lessons }: { walk: Walk; lessons: boolean }) {
  const isRecorded = walk.graph.value.nodes.some((node) => node.recorded);
  return (
    <div class="hint">
      {lessons && (
        <p class="to-lessons">
          New to backpropagation? <a href="#/lessons/1">Start with lesson 1</a>
        </p>
      )}
      <p>
        Select a node to see where its value and its gradient come from, or an edge to see its local
        derivative.
      </p>
      <details open>
      <summary>How to read the picture</summary>
      <dl class="legend">
        <dt class="mark value-mark" aria-hidden="true">
          2.0
        </dt>
        <dd>a value, computed forward</dd>
        <dt class="mark gradient-mark" aria-hidden="true">
          2.0
        </dt>
        <dd>gradient: how fast the result changes</dd>
        <dt class="swatch leaf-swatch" />
        <dd>a leaf: you can change its value</dd>
        <dt class="swatch" />
        <dd>a value computed by an operation</dd>
        <dt class="swatch number-swatch" />
        <dd>a constant: it gets no gradient</dd>
        <dt class="swatch forward-swatch" />
        <dd>forward: computed in this step</dd>
        <dt class="swatch backward-swatch" />
        <dd>backward: propagates its gradient</dd>
        <dt class="mark partial-mark" aria-hidden="true">
          2.0…
        </dt>
        <dd>a partial gradient, still incomplete</dd>
        <dt class="mark dotted-mark" />
        <dd>an edge along which no gradient flows</dd>
        <dt class="mark breakpoint-mark" />
        <dd>a breakpoint: playing pauses here</dd>
        {isRecorded && (
          <>
            <dt class="mark stale-mark" aria-hidden="true">
              2.0
            </dt>
            <dd>a number with “?”: may be out of date, because it depends on recorded values</dd>
          </>
        )}
      </dl>
      </details>
      <p class="note keys">
        <kbd>→</kbd> and <kbd>←</kbd> step, <kbd>Space</kbd> plays, <kbd>?</kbd> lists all keys.
      </p>
    </div>
  );
}
