/** The picture alone on a page, for tests in a browser: `#mlp`, `#small&time=3`, … */

import { render } from "preact";
import { useMemo, useState } from "preact/hooks";
import "../../../src/styles/tokens.css";
import "../../../src/styles/ui.css";
import "../../../src/styles/picture.css";
import "./page.css";
import type { Graph } from "../../../src/engine/graph";
import { Timeline } from "../../../src/engine/timeline";
import { type Folding, Picture, type Selection, exportPng, exportSvg } from "../../../src/picture";
import * as graphs from "../graphs";

const wanted = new URLSearchParams(location.hash.slice(1));
const GRAPHS: Record<string, () => Graph> = {
  small: graphs.small,
  diamond: graphs.diamond,
  mlp: () => graphs.mlp(),
  thousand: () => graphs.mlp([4, 14, 14, 1]),
  large: () => graphs.mlp([10, 30, 30, 16, 1]),
  recurrence: () => graphs.recurrence(40),
  strange: graphs.strange,
  chain: graphs.chain,
};

function Page() {
  const graph = useMemo(GRAPHS[wanted.get("graph") ?? "small"]!, []);
  const [edits, setEdits] = useState<ReadonlyMap<number, number>>(new Map());
  const first = useMemo(() => graph.evaluate(), []);
  const run = useMemo(() => graph.evaluate(edits), [edits]);
  const timeline = useMemo(() => new Timeline(run), [run]);
  const [time, setTime] = useState(Number(wanted.get("time") ?? timeline.length));
  const [selected, setSelected] = useState<Selection | null>(null);
  const [order, setOrder] = useState<number[]>([]);
  const mode = wanted.get("fold");
  const [folding, setFolding] = useState<Folding>({ mode: (mode ?? "auto") as Folding["mode"], open: [] });
  Object.assign(window, { setTime, timeline, run, graph, svg, png });
  const path = wanted.get("path");
  return (
    <div class="gradwalk page" data-theme={wanted.get("theme") ?? undefined}>
      <Picture
        graph={graph}
        run={run}
        timeline={timeline}
        time={time}
        selected={selected}
        onSelect={setSelected}
        compare={edits.size ? first : null}
        onEdit={(node, data) => setEdits(new Map(edits).set(node, data))}
        folding={folding}
        onFolding={setFolding}
        draggable={wanted.has("drag")}
        onOrder={setOrder}
        label="Graph under test"
        {...(path ? { highlighted: path.split(",").map(Number) } : {})}
        breakpoints={new Set(wanted.has("stop") ? [graph.root] : [])}
      />
      <output>{JSON.stringify({ selected, order, time, edits: [...edits], folding })}</output>
    </div>
  );
}

const drawing = () => document.querySelector<SVGSVGElement>("svg.picture")!;
const svg = () => exportSvg(drawing());
const png = async () => (await exportPng(drawing())).size;

const begun = performance.now();
render(<Page />, document.getElementById("page")!);
document.body.getBoundingClientRect(); // style and layout are part of what is measured
requestAnimationFrame(() =>
  setTimeout(() => Object.assign(window, { firstPaint: performance.now() - begun })),
);
