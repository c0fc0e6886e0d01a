/** Gestures of fingers, mouse and wheel. */

import type { Point } from "../shared/plan";
import { type View, zoomed } from "../shared/view";

const STILL = 5;

/** Something that is dragged instead of the picture. */
export interface Drag {
  /** How far it was moved since it began, in pixels of the frame. */
  move(by: Point, event: PointerEvent): void;
  end(moved: boolean): void;
}

export interface Hands {
  /** The drag that begins at an element; null: the picture itself is panned. */
  grab(target: Element, at: Point): Drag | null;
  tap(target: Element, at: Point): void;
  setView(change: (view: View) => View): void;
  /** Whether the wheel zooms without a key held. */
  wheel: boolean;
}

interface Held {
  pointers: Map<number, Point>;
  start: Point;
  target: Element;
  moved: boolean;
  drag: Drag | null;
}

/** The id of the box, link, open group or node that an element belongs to. */
export function idAt(target: Element, what: "box" | "link" | "fold" | "node"): string | undefined {
  return target.closest(`[data-${what}]`)?.getAttribute(`data-${what}`) ?? undefined;
}

export function nodeAt(target: Element): number {
  return Number(idAt(target, "node") ?? -1);
}

/** The place of an event in an element, in pixels. */
export function placeIn(element: Element, event: MouseEvent): Point {
  const frame = element.getBoundingClientRect();
  return { x: event.clientX - frame.left, y: event.clientY - frame.top };
}

/** Listen to gestures on a picture until the returned function is called. */
export function listen(element: SVGSVGElement, hands: Hands): () => void {
  let held: Held | null = null;
  const at = (event: MouseEvent): Point => placeIn(element, event);
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const target = event.target as Element;
    const start = at(event);
    held ??= { pointers: new Map(), start, target, moved: false, drag: hands.grab(target, start) };
    held.pointers.set(event.pointerId, start);
    if (held.pointers.size === 2) held.moved = true; // two fingers never tap
  };
  const move = (event: PointerEvent) => {
    const before = held?.pointers.get(event.pointerId);
    if (!held || !before) return;
    const now = at(event);
    if (!held.moved && Math.hypot(now.x - held.start.x, now.y - held.start.y) < STILL) return;
    if (!held.moved) element.setPointerCapture(event.pointerId);
    held.moved = true;
    const others = [...held.pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    held.pointers.set(event.pointerId, now);
    const from = held.start;
    if (held.drag && !others.length) held.drag.move({ x: now.x - from.x, y: now.y - from.y }, event);
    else hands.setView(others.length ? pinched(before, now, others[0]!) : panned(before, now, held));
  };
  const up = (event: PointerEvent) => {
    if (!held?.pointers.delete(event.pointerId) || held.pointers.size) return;
    const { drag, moved, target } = held;
    held = null;
    drag?.end(moved && event.type === "pointerup");
    if (!moved && event.type === "pointerup") hands.tap(target, at(event));
  };
  const wheel = (event: WheelEvent) => {
    if (!hands.wheel && !event.ctrlKey) return;
    event.preventDefault();
    const point = at(event);
    hands.setView((view) => zoomed(view, zoomOf(event), point));
  };
  const listening = new AbortController();
  const { signal } = listening;
  element.addEventListener("pointerdown", down, { signal });
  element.addEventListener("pointermove", move, { signal });
  element.addEventListener("pointerup", up, { signal });
  element.addEventListener("pointercancel", up, { signal });
  element.addEventListener("wheel", wheel, { passive: false, signal });
  return () => listening.abort();
}

/** Some browsers measure the wheel in lines, and a trackpad's pinch comes as a wheel with Ctrl. */
function zoomOf({ deltaY, deltaMode, ctrlKey }: WheelEvent): number {
  const pixels = deltaMode === 1 ? 16 * deltaY : deltaY;
  return Math.exp(-Math.max(-120, Math.min(120, pixels)) * (ctrlKey ? 0.008 : 0.002));
}

/** The first movement starts where the finger came down. */
function panned(before: Point, now: Point, held: Held): (view: View) => View {
  held.start = now;
  return (view) => ({ ...view, x: view.x + now.x - before.x, y: view.y + now.y - before.y });
}

/** The points below two fingers stay below them. */
function pinched(before: Point, now: Point, other: Point): (view: View) => View {
  const distance = (a: Point) => Math.max(8, Math.hypot(a.x - other.x, a.y - other.y));
  return (view) => zoomed(view, distance(now) / distance(before), other);
}
