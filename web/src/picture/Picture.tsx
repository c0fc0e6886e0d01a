import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { arrange } from "./arrange";
import { remember } from "./exports";
import type { Folding } from "./fold";
import { companyOf } from "./follow";
import { placeIn, useGestures } from "./gestures";
import { described, pressed } from "./keyboard";
import type { Showing } from "./look";
import type { Point } from "./plan";
import { Minimap } from "./Minimap";
import { linkNear } from "./near";
import type { PictureProps } from "./props";
import { Scene } from "./Scene";
import { find } from "./search";
import { SearchField } from "./SearchField";
import { NO_PLACES, inSlots, placesAfter } from "./slots";
import { Toolbar } from "./Toolbar";
import { useActions } from "./use-actions";
import { useView } from "./use-view";
import { ValueInput } from "./ValueInput";
import { inside, shown, zoomed } from "./view";
import { MOST_BOXES, MOST_EDGES, visible } from "./visible";

/** So many pixels beside an edge still mean the edge. */
const NEAR = 8;
const AUTO: Folding = { mode: "auto", open: [] };

/** The graph as a picture that can be walked, folded, searched and edited. */
export function Picture(props: PictureProps) {
  const { graph, run, timeline, time, compare, selected, highlighted, breakpoints } = props;
  const [own, setOwn] = useState({ graph, folding: AUTO }); // what was chosen for one graph is nothing to the next
  const folding = props.folding ?? (own.graph === graph ? own.folding : AUTO);
  const arrangement = useMemo(() => arrange(graph, folding), [graph, folding.mode, folding.open]);
  const stage = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const showing: Showing = useMemo(
    () => ({ graph, run, timeline, time, compare }),
    [graph, run, timeline, time, compare],
  );
  const current = currentNode(showing);
  const chosen = selected?.node ?? -1; // perhaps outside of the picture, in a list of nodes
  const viewing = useView(stage, graph, arrangement, [
    {
      mark: time,
      node: current,
      around: (by, room) =>
        companyOf(arrangement, { timeline, time, direction: Math.sign(by) }, current, room),
    },
    { mark: chosen, node: chosen },
  ]);
  const { view, frame } = viewing;

  const [words, setWords] = useState("");
  const found = useMemo(() => find(graph, words), [graph, words]);
  const foundSet = useMemo(() => new Set(found), [found]);
  const [hovered, setHovered] = useState("");

  const setFolding = (next: Folding) => {
    setOwn({ graph, folding: next });
    props.onFolding?.(next);
  };
  const bundle = useRef<readonly number[]>([]); // links that are no elements of their own
  const linkAt = (at: Point) => {
    const place = { x: (at.x - view.x) / view.scale, y: (at.y - view.y) / view.scale };
    return arrangement.links[linkNear(arrangement, bundle.current, place, NEAR / view.scale)]?.id;
  };
  const act = useActions({ props, arrangement, viewing, folding, setFolding, svg, found, linkAt });
  useGestures(svg, {
    grab: act.grab,
    tap: act.tap,
    setView: viewing.setView,
    wheel: props.controls !== false,
  });

  const always = [current, arrangement.boxes[act.cursor]?.members[0] ?? -1, chosen];
  const { region } = viewing;
  const drawn = useMemo(() => visible(arrangement, region, always), [arrangement, region, ...always]);
  const places = useRef(NO_PLACES);
  const elements = useMemo(() => {
    places.current = placesAfter(places.current, arrangement, drawn);
    const { boxes, links } = places.current;
    return { boxes: inSlots(boxes), links: inSlots(links), places: places.current };
  }, [arrangement, drawn]);
  const together = drawn.links.length > MOST_EDGES;
  bundle.current = together ? drawn.links : [];
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
    ...elements,
    together,
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
    const target = event.target as Element;
    const own = target.closest("[data-link]")?.getAttribute("data-link");
    const link = own ?? ((target === svg.current && linkAt(placeIn(target, event))) || "");
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
          onPointerMove={together ? hover : undefined}
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
