/** The view of a picture and the frame that it stands in. */

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import type { Graph } from "../engine/graph";
import type { Arrangement } from "./arrange";
import { AUTOMATIC } from "./fold";
import type { Rect } from "./layout";
import type { Size } from "./measure";
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

export function useView(
  stage: RefObject<HTMLElement | null>,
  graph: Graph,
  arrangement: Arrangement,
): Viewing {
  const { plan, boxes } = arrangement;
  const [frame, setFrame] = useState(START);
  const [view, setView] = useState<View>(() => opening(plan, START, boxes.length, AUTOMATIC));
  const touched = useRef(false);
  const drawn = useRef<Rect | null>(null);
  useFrame(stage, setFrame);
  const now = useRef({ view, frame });
  now.current = { view, frame };

  useLayoutEffect(() => {
    // another graph, or folded in another way: from the beginning
    touched.current = false;
  }, [graph, arrangement.mode]);
  useLayoutEffect(() => {
    // as long as nobody has moved it, the picture fills its frame
    if (touched.current) return;
    const whole = opening(plan, frame, boxes.length, AUTOMATIC);
    now.current.view = whole; // who reveals a box in this very moment starts from here
    setView(whole);
  }, [plan, frame]);

  const change = useCallback((next: (view: View) => View) => {
    touched.current = true;
    setView(next);
  }, []);
  const fitAll = useCallback(() => {
    setView(fit(plan, now.current.frame));
    touched.current = true;
  }, [plan]);
  const reveal = useCallback((rect: Rect, least = 0) => {
    const { view: at, frame: size } = now.current;
    const hidden = !inside(rect, shown(at, size)) && (least > 0 || !overlaps(rect, shown(at, size, -0.1)));
    if (!hidden && at.scale >= least) return;
    touched.current = true;
    setView(centred(rect, size, at, least));
  }, []);
  const show = useCallback((rect: Rect) => {
    const size = now.current.frame;
    const whole = fit(rect, size);
    const scale = clampScale(Math.max(whole.scale, 0.5));
    touched.current = true;
    setView(centred(rect, size, { ...whole, scale }));
  }, []);

  return {
    view,
    frame,
    region: regionOf(drawn, view, frame, arrangement),
    setView: change,
    fitAll,
    reveal,
    show,
  };
}

/** The same region until the frame leaves it, so that panning draws nothing anew. */
function regionOf(
  drawn: { current: Rect | null },
  view: View,
  frame: Size,
  { plan }: Arrangement,
): Rect | null {
  const seen = shown(view, frame);
  const whole = { x: 0, y: 0, width: plan.width, height: plan.height };
  const last = drawn.current;
  const fits = last && inside(clipped(seen, whole), last) && last.width < 5 * seen.width;
  if (!fits) drawn.current = shown(view, frame, 0.4);
  return inside(whole, drawn.current!) ? null : drawn.current;
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
