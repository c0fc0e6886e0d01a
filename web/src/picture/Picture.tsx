import { useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { remember } from "./exports";
import { AUTOMATIC } from "./fold/fold";
import { listen, nodeAt, placeIn } from "./interaction/gestures";
import { described, pressed } from "./interaction/keyboard";
import { Minimap } from "./drawing/Minimap";
import type { PictureProps } from "./props";
import { inside } from "./shared/rects";
import { Scene, type SceneProps } from "./drawing/Scene";
import { SearchField } from "./SearchField";
import { NO_PLACES, inSlots, placesAfter } from "./interaction/slots";
import { OUTSIDE, PictureState } from "./state";
import { Toolbar } from "./Toolbar";
import { ValueInput } from "./ValueInput";
import { type View, shown } from "./shared/view";
import { MOST_BOXES, MOST_EDGES, visible } from "./interaction/visible";

/** The graph as a picture that can be traversed, folded, searched and edited. */
export function Picture(props: PictureProps) {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const [state] = useState(() => new PictureState(props, () => redraw()));
  state.update(props);
  const scene = useScene(state);
  const stage = useStage(state);
  useLayoutEffect(() => state.rearranged(), [state.arrangement]);
  useLayoutEffect(() => void (props.reveal && state.unfoldTo(props.reveal.node)), [props.reveal]);
  useEffect(() => {
    state.drawn();
    if (state.svg.current) remember(state.svg.current, scene);
  });
  return (
    <div class={`picture-frame ${props.controls === false ? "plain" : ""}`}>
      <div class="picture-stage" ref={stage}>
        <Drawing state={state} scene={scene} />
        <Editor state={state} />
        {props.minimap !== false && <Overview state={state} boxes={scene.boxes.length} />}
      </div>
      {(props.controls !== false || props.search !== false) && (
        <div class="picture-tools">
          {props.controls !== false && <Toolbar state={state} far={scene.far} />}
          {props.search !== false && <SearchField state={state} />}
        </div>
      )}
    </div>
  );
}

/** Pictures of more boxes jump: they could not be drawn often enough for a movement. */
const FEW = 80;

function transformOf({ x, y, scale }: View): string {
  return `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px) scale(${scale.toFixed(5)})`;
}

/** What to draw; elements of the last drawing are used again. */
function useScene(state: PictureState): SceneProps {
  const { props, arrangement, shifts, finder, hovered, cursor, current, colouring } = state;
  const { graph, run, timeline, time, compare, selected, highlighted, breakpoints, draggable } = props;
  const region = state.region();
  const always = [current, arrangement.boxes[cursor]!.members[0]!, selected?.node ?? -1];
  const drawn = useMemo(() => visible(arrangement, region, always), [arrangement, region, ...always]);
  const last = useRef(NO_PLACES);
  const elements = useMemo(() => {
    last.current = placesAfter(last.current, arrangement, drawn);
    const { boxes, links } = last.current;
    return { boxes: inSlots(boxes), links: inSlots(links), places: last.current };
  }, [arrangement, drawn]);
  const visits = useMemo(() => (draggable ? state.visits() : undefined), [arrangement, shifts, draggable]);
  const together = drawn.links.length > MOST_EDGES;
  state.bundle = together ? drawn.links : [];
  return {
    showing: { graph, run, timeline, time, compare },
    arrangement,
    marked: { selected, cursor, highlighted, breakpoints, found: finder.found, visits, hovered, colouring },
    ...elements,
    together,
    through: drawn.through,
    far: drawn.far,
    editable: !!props.onEdit,
    shifts,
  };
}

/** Measures the frame, and listens for gestures. */
function useStage(state: PictureState) {
  const stage = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { clientWidth: width, clientHeight: height } = stage.current!;
    state.resize({ width, height });
    return listen(state.svg.current!, state);
  }, []);
  useEffect(() => {
    if (typeof ResizeObserver === "undefined") return undefined;
    const observer = new ResizeObserver(([entry]) => state.resize(entry!.contentRect));
    observer.observe(stage.current!);
    return () => observer.disconnect();
  }, []);
  return stage;
}

function Drawing({ state, scene }: { state: PictureState; scene: SceneProps }) {
  const { props, view, arrangement } = state;
  const helpId = useId();
  const glides = state.gliding && scene.boxes.length <= FEW;
  const hover = (event: PointerEvent) => {
    const target = event.target as Element;
    if (event.pointerType !== "touch") state.hover(target, placeIn(target, event));
  };
  return (
    <>
      <svg
        ref={state.svg}
        class={`picture ${scene.far ? "from-afar" : ""} ${props.draggable ? "draggable" : ""}`}
        role="group"
        aria-label={props.label}
        aria-describedby={helpId}
        tabindex={-1}
        onKeyDown={(event) => pressed(event, state) && event.preventDefault()}
        onPointerOver={hover}
        onPointerMove={scene.together ? hover : undefined}
        onPointerLeave={() => state.set({ hovered: "" })}
        onClick={(event) => event.detail === 0 && state.tap(event.target as Element, OUTSIDE)}
        onDblClick={(event) => state.edit(nodeAt(event.target as Element))}
        onFocusIn={(event) => state.focused(event.target as Element)}
      >
        <g class={glides ? "view gliding" : "view"} style={{ transform: transformOf(view) }}>
          <Scene {...scene} />
        </g>
      </svg>
      <p id={helpId} class="visually-hidden">
        {described(arrangement, props.graph.size)}
      </p>
    </>
  );
}

/** The field in which the value of a leaf is written. */
function Editor({ state: { editing, props, view, arrangement, written } }: { state: PictureState }) {
  if (editing < 0) return null;
  return (
    <ValueInput
      key={editing}
      name={props.graph.nodes[editing]!.name}
      value={props.run.data[editing]!}
      view={view}
      rect={arrangement.plan.rects[arrangement.boxOf[editing]!]!}
      onDone={written}
    />
  );
}

/** A small map where the frame shows only a part of a larger picture. */
function Overview({ state, boxes }: { state: PictureState; boxes: number }) {
  const { arrangement, view, frame, current } = state;
  const { plan, boxOf } = arrangement;
  if (inside({ ...plan, x: 0, y: 0 }, shown(view, frame, 0.01))) return null;
  if (arrangement.boxes.length <= AUTOMATIC && boxes <= MOST_BOXES) return null;
  return (
    <Minimap
      plan={plan}
      view={view}
      frame={frame}
      current={current < 0 ? -1 : boxOf[current]!}
      onMove={(to) => state.centre(to)}
    />
  );
}
