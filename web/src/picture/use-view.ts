/** The view of a picture and the frame that it stands in. */

import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import type { Graph } from "../engine/graph";
import type { Arrangement } from "./arrange";
import { AUTOMATIC } from "./fold";
import type { Rect, Size } from "./plan";
import { type View, centred, clampScale, fit, inside, opening, overlaps, shown } from "./view";

export interface Viewing {
  view: View;
  frame: Size;
  /** The part of the picture to draw; null: all of it. */
  region: Rect | null;
  setView(change: (view: View) => View): void;
  fitAll(): void;
  /** Moves a box into the frame if it is not there; `least` is a scale at which it can be read. */
  reveal(rect: Rect, least?: number): void;
  /** Shows a part of the picture, as large as is comfortable. */
  show(rect: Rect): void;
}

const START: Size = { width: 800, height: 480 };

/** What has to be in the frame once its mark changes: the node of a step, or one that was chosen. */
export interface Followed {
  mark: number;
  node: number;
  /** What else would be good to see, in a frame of this size; `by` is how much the mark has changed. */
  around?(by: number, frame: Size): Rect;
}

export function useView(
  stage: RefObject<HTMLElement | null>,
  graph: Graph,
  arrangement: Arrangement,
  followed: readonly Followed[],
): Viewing {
  const { plan, boxes, boxOf } = arrangement;
  const [frame, setFrame] = useState(START);
  // Not in a state: who follows a step moves it while it is being drawn, and it is drawn once.
  const at = useRef<View | null>(null);
  at.current ??= opening(plan, START, boxes.length, AUTOMATIC);
  const [, redraw] = useReducer<number, null>((count) => count + 1, 0);
  const touched = useRef(false);
  const drawn = useRef<Drawn>({ region: null, around: WIDE });
  const size = useRef(frame);
  size.current = frame;
  useFrame(stage, setFrame);

  const move = (view: View, around: number) => {
    [at.current, drawn.current.around] = [view, around];
  };
  const reveal = (rect: Rect, least = 0, around = WIDE): boolean => {
    const [view, seen] = [at.current!, shown(at.current!, size.current)];
    const near = shown(view, size.current, -0.1);
    const hidden = !inside(rect, seen) && (least > 0 || !overlaps(rect, near));
    if (!hidden && view.scale >= least) return false;
    touched.current = true;
    move(centred(rect, size.current, view, least), around);
    return true;
  };
  const marks = followed.map(({ mark }) => mark);
  const last = useRef({ graph, marks });
  followed.forEach(({ mark, node, around }, k) => {
    const by = last.current.graph === graph ? mark - last.current.marks[k]! : 0;
    if (!by || node < 0 || !reveal(plan.rects[boxOf[node]!]!, 0, TIGHT)) return;
    const { scale } = at.current!;
    const room = { width: frame.width / scale, height: frame.height / scale };
    if (around) move(centred(around(by, room), frame, at.current!), TIGHT);
  });
  last.current = { graph, marks };

  useLayoutEffect(() => {
    // another graph, or folded in another way: from the beginning
    touched.current = false;
  }, [graph, arrangement.mode]);
  useLayoutEffect(() => {
    // as long as nobody has moved it, the picture fills its frame
    if (touched.current) return;
    const whole = opening(plan, frame, boxes.length, AUTOMATIC);
    move(whole, WIDE);
    redraw(null);
  }, [plan, frame]);

  const show = (view: View) => {
    touched.current = true;
    move(view, WIDE);
    redraw(null);
  };
  const view = at.current;
  return {
    view,
    frame,
    region: regionOf(drawn.current, view, frame, arrangement),
    setView: (change) => show(change(at.current!)),
    fitAll: () => show(fit(plan, size.current)),
    reveal: (rect, least) => {
      if (reveal(rect, least)) redraw(null);
    },
    show: (rect) => {
      const whole = fit(rect, size.current);
      const scale = clampScale(Math.max(whole.scale, 0.5));
      show(centred(rect, size.current, { ...whole, scale }));
    },
  };
}

interface Drawn {
  region: Rect | null;
  /** How much around the frame is drawn, in frames. */
  around: number;
}

/** A hand that pans comes to what is beside the frame; */
const WIDE = 0.4;
/** a step that jumps goes anywhere, and must be quick. */
const TIGHT = 0.02;

/** Who has zoomed in sees numbers again: they are not drawn for much more than the frame. */
const WIDEST = 2.2;

/** The same region until the frame leaves it, so that panning draws nothing anew. */
function regionOf(drawn: Drawn, view: View, frame: Size, { plan }: Arrangement): Rect | null {
  const seen = shown(view, frame);
  const whole = { x: 0, y: 0, width: plan.width, height: plan.height };
  const last = drawn.region;
  const fits = last && inside(clipped(seen, whole), last) && last.width < WIDEST * seen.width;
  if (!fits) drawn.region = shown(view, frame, drawn.around);
  return inside(whole, drawn.region!) ? null : drawn.region;
}

function clipped(a: Rect, b: Rect): Rect {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  return {
    x,
    y,
    width: Math.min(a.x + a.width, b.x + b.width) - x,
    height: Math.min(a.y + a.height, b.y + b.height) - y,
  };
}

function useFrame(stage: RefObject<HTMLElement | null>, setFrame: (frame: Size) => void): void {
  useLayoutEffect(() => {
    const { clientWidth: width, clientHeight: height } = stage.current!;
    if (width && height) setFrame({ width, height });
  }, []);
  useEffect(() => {
    if (typeof ResizeObserver === "undefined") return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      if (width && height) setFrame({ width, height });
    });
    observer.observe(stage.current!);
    return () => observer.disconnect();
  }, []);
}
