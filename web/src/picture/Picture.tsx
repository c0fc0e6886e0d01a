import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { Graph } from "../engine/graph";
import { arrange } from "./arrange";
import { remember } from "./exports";
import type { Folding } from "./fold";
import { useGestures } from "./gestures";
import { described, pressed } from "./keyboard";
import type { Showing } from "./look";
import { Minimap } from "./Minimap";
import type { PictureProps } from "./props";
import { Scene } from "./Scene";
import { find } from "./search";
import { SearchField } from "./SearchField";
import { Toolbar } from "./Toolbar";
import { useActions } from "./use-actions";
import { useView } from "./use-view";
import { ValueInput } from "./ValueInput";
import { inside, shown, zoomed } from "./view";
import { MOST_BOXES, visible } from "./visible";

const AUTO: Folding = { mode: "auto", open: [] };

/** The graph as a picture that can be walked, folded, searched and edited. */
export function Picture(props: PictureProps) {
  const { graph, run, timeline, time, compare, selected, highlighted, breakpoints } = props;
  const [ownFolding, setOwnFolding] = useState(AUTO);
  const folding = props.folding ?? ownFolding;
  const arrangement = useMemo(() => arrange(graph, folding), [graph, folding.mode, folding.open]);
  const stage = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const viewing = useView(stage, graph, arrangement);
  const { view, frame } = viewing;
  const showing: Showing = useMemo(
    () => ({ graph, run, timeline, time, compare }),
    [graph, run, timeline, time, compare],
  );
  const current = currentNode(showing);

  const [words, setWords] = useState("");
  const found = useMemo(() => find(graph, words), [graph, words]);
  const foundSet = useMemo(() => new Set(found), [found]);
  const [hovered, setHovered] = useState("");

  const setFolding = (next: Folding) => {
    setOwnFolding(next);
    props.onFolding?.(next);
  };
  const act = useActions({ props, arrangement, viewing, folding, setFolding, svg, found });
  useGestures(svg, {
    grab: act.grab,
    tap: act.tap,
    setView: viewing.setView,
    wheel: props.controls !== false,
  });
  const reveal = (box: number) => viewing.reveal(arrangement.plan.rects[box]!);
  const chosen = selected?.node ?? -1; // perhaps outside of the picture, in a list of nodes
  useFollowing(graph, time, current, arrangement.boxOf, reveal);
  useFollowing(graph, chosen, chosen, arrangement.boxOf, reveal);

  const always = [current, arrangement.boxes[act.cursor]?.members[0] ?? -1, chosen];
  const { region } = viewing;
  const drawn = useMemo(() => visible(arrangement, region, always), [arrangement, region, ...always]);
  const visits = useMemo(
    () => (props.draggable ? act.visits() : undefined),
    [arrangement, act.shifts, props.draggable],
  );
  const marked = useMemo(
    () => ({ selected, cursor: act.cursor, highlighted, breakpoints, found: foundSet, visits, hovered }),
    [selected, act.cursor, highlighted, breakpoints, foundSet, visits, hovered],
  );
  const scene = {
    showing,
    arrangement,
    marked,
    boxes: drawn.boxes,
    links: drawn.links,
    through: drawn.through,
    far: drawn.far,
    editable: !!props.onEdit,
    shifts: act.shifts,
  };
  useEffect(() => {
    if (svg.current) remember(svg.current, scene);
  });

  const zoom = (factor: number) =>
    viewing.setView((old) => zoomed(old, factor, { x: frame.width / 2, y: frame.height / 2 }));
  const onKeyDown = (event: KeyboardEvent) => {
    if (pressed(event, { ...act.keys, zoom, fitAll: viewing.fitAll })) event.preventDefault();
  };
  const hover = (event: PointerEvent) => {
    const link = (event.target as Element).closest("[data-link]")?.getAttribute("data-link") ?? "";
    if (link !== hovered && event.pointerType !== "touch") setHovered(link);
  };
  const helpId = useId();
  const partly = !inside({ x: 0, y: 0, ...arrangement.plan }, shown(view, frame, 0.01));

  return (
    <div class={`picture-frame ${props.controls === false ? "plain" : ""}`}>
      <div class="picture-stage" ref={stage}>
        <svg
          ref={svg}
          class={`picture ${drawn.far ? "from-afar" : ""} ${props.draggable ? "draggable" : ""}`}
          role="group"
          aria-label={props.label}
          aria-describedby={helpId}
          tabindex={-1}
          onKeyDown={onKeyDown}
          onPointerOver={hover}
          onPointerLeave={() => setHovered("")}
          onClick={(event) => {
            if (event.detail === 0) act.tap(event.target as Element, { x: -1, y: -1 });
          }}
          onDblClick={(event) => act.edit(event.target as Element)}
          onFocusIn={(event) => act.focused(event.target as Element)}
        >
          <g
            transform={`translate(${view.x.toFixed(2)} ${view.y.toFixed(2)}) scale(${view.scale.toFixed(5)})`}
          >
            <Scene {...scene} />
          </g>
        </svg>
        <p id={helpId} class="visually-hidden">
          {described(arrangement, graph.size)}
        </p>
        {act.editing >= 0 && (
          <ValueInput
            key={act.editing}
            name={graph.nodes[act.editing]!.name}
            value={run.data[act.editing]!}
            view={view}
            rect={arrangement.plan.rects[arrangement.boxOf[act.editing]!]!}
            onDone={act.written}
          />
        )}
        {props.minimap !== false &&
          partly &&
          (arrangement.boxes.length > 8 || drawn.boxes.length > MOST_BOXES) && (
            <Minimap
              plan={arrangement.plan}
              view={view}
              frame={frame}
              current={current < 0 ? -1 : arrangement.boxOf[current]!}
              onMove={(to) =>
                viewing.setView((old) => ({
                  ...old,
                  x: frame.width / 2 - to.x * old.scale,
                  y: frame.height / 2 - to.y * old.scale,
                }))
              }
            />
          )}
      </div>
      {(props.controls !== false || props.search !== false) && (
        <div class="picture-tools">
          {props.controls !== false && (
            <Toolbar
              graph={graph}
              arrangement={arrangement}
              folding={folding}
              far={drawn.far}
              onFolding={setFolding}
              onZoom={zoom}
              onFit={viewing.fitAll}
            />
          )}
          {props.search !== false && (
            <SearchField
              words={words}
              count={found.length}
              at={act.foundAt}
              onWords={(next) => {
                setWords(next);
                act.resetSearch();
              }}
              onJump={act.jump}
            />
          )}
        </div>
      )}
    </div>
  );
}

/** The node of the present step; -1 at the start. */
function currentNode({ timeline, time }: Showing): number {
  const moment = timeline.at(time);
  return moment.kind === "start" ? -1 : moment.node;
}

/** When `time` changes, the box of the node that then counts is in the frame. */
function useFollowing(
  graph: Graph,
  time: number,
  current: number,
  boxOf: Int32Array,
  reveal: (box: number) => void,
): void {
  const last = useRef({ graph, time });
  useEffect(() => {
    const stepped = last.current.graph === graph && last.current.time !== time;
    if (stepped && current >= 0) reveal(boxOf[current]!);
    last.current = { graph, time };
  }, [graph, time, current]);
}
