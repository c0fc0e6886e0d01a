/** Mouse, pen and touch on the plane: read, choose, drag, add, erase. */

import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type { Plane } from "./plane-state";
import { toData } from "../drawing/scale";
import type { Label } from "../run/points";

/** Pixels within which a press hits a point, and within which it is not a drag. */
const REACH = { mouse: 9, touch: 20 };
const STILL = 4;

interface Press {
  id: number;
  hit: number | null;
  other: boolean;
  at: [number, number];
  dragging: boolean;
}

export function usePointer(target: RefObject<HTMLElement | null>, plane: Plane): void {
  useEffect(() => {
    const element = target.current;
    return element ? listen(element, new Gestures(plane, element)) : undefined;
  }, [plane]);
}

function listen(element: HTMLElement, gestures: Gestures): () => void {
  const on = <K extends keyof HTMLElementEventMap>(name: K, act: (event: HTMLElementEventMap[K]) => void) => {
    element.addEventListener(name, act, { passive: false });
    return () => element.removeEventListener(name, act);
  };
  const offs = [
    on("pointerdown", (event) => gestures.down(event)),
    on("pointermove", (event) => gestures.move(event)),
    on("pointerup", (event) => gestures.up(event)),
    on("pointercancel", () => gestures.cancel()),
    on("pointerleave", () => gestures.leave()),
    on("dblclick", () => gestures.double()),
    on("contextmenu", (event) => gestures.adds && event.preventDefault()),
    // A touch on a point drags it. Anywhere else it scrolls the page.
    on("touchstart", (event) => gestures.touches(event) && event.preventDefault()),
  ];
  return () => offs.forEach((off) => off());
}

class Gestures {
  private press: Press | null = null;
  private lastHits: (number | null)[] = [];

  constructor(
    private readonly plane: Plane,
    private readonly element: HTMLElement,
  ) {}

  get adds(): boolean {
    const tool = this.plane.room.tool.value;
    return tool === "zero" || tool === "one";
  }

  touches(event: TouchEvent): boolean {
    const touch = event.touches[0];
    return event.touches.length === 1 && touch !== undefined && this.hit(touch, REACH.touch) !== null;
  }

  down(event: PointerEvent): void {
    if (!event.isPrimary || (event.button !== 0 && !(this.adds && event.button === 2))) return;
    const hit = this.hit(event, event.pointerType === "mouse" ? REACH.mouse : REACH.touch);
    const other = event.button === 2 || event.shiftKey;
    this.press = { id: event.pointerId, hit, other, at: [event.clientX, event.clientY], dragging: false };
    this.lastHits = [...this.lastHits.slice(-1), hit];
    this.plane.carrying.value = false;
    if (this.plane.room.tool.value !== "erase" && hit !== null) this.plane.room.chosen.value = hit;
  }

  move(event: PointerEvent): void {
    const place = this.place(event);
    this.plane.hover.value = place;
    const { press } = this;
    if (!press || press.hit === null || event.pointerId !== press.id) return;
    if (!press.dragging && this.isStill(event, press)) return;
    if (this.plane.room.tool.value === "erase") return;
    if (!press.dragging) this.take(press);
    this.plane.move(press.hit, ...place, false);
  }

  private take(press: Press): void {
    press.dragging = true;
    this.element.setPointerCapture(press.id);
    this.plane.held.value = this.plane.extent.value;
    this.plane.room.keep();
  }

  up(event: PointerEvent): void {
    const { press } = this;
    if (!press || event.pointerId !== press.id) return;
    this.press = null;
    if (press.dragging) {
      this.plane.move(press.hit!, ...this.place(event), true);
      this.plane.held.value = null;
    } else if (this.isStill(event, press)) this.clicked(press, event);
  }

  private clicked({ hit, other }: Press, event: PointerEvent): void {
    const { tool, chosen } = this.plane.room;
    if (this.isInside(event)) this.plane.cursor.value = this.place(event); // after a tap, shown in the readout
    if (tool.value === "erase") {
      if (hit !== null) this.plane.remove(hit);
    } else if (hit === null && this.adds && this.isInside(event)) {
      const label: Label = tool.value === "one" ? 1 : 0;
      this.plane.add(...this.place(event), other ? (label === 0 ? 1 : 0) : label);
    } else if (hit === null) chosen.value = null;
  }

  /** Deletes a point on a double click. A double click on the free plane adds a point, which must stay. */
  double(): void {
    const [first, second] = this.lastHits;
    const isSame = first !== null && first !== undefined && first === second;
    if (isSame && this.plane.room.tool.value !== "erase") this.plane.remove(first);
    this.lastHits = [];
  }

  cancel(): void {
    if (this.press?.dragging) this.plane.held.value = null;
    this.press = null;
  }

  leave(): void {
    this.plane.hover.value = null;
  }

  private isStill(event: PointerEvent, press: Press): boolean {
    return Math.hypot(event.clientX - press.at[0], event.clientY - press.at[1]) <= STILL;
  }

  private isInside(event: PointerEvent): boolean {
    const [x, y] = this.place(event);
    const [x0, x1, y0, y1] = this.plane.extent.value;
    return x >= x0 && x <= x1 && y >= y0 && y <= y1;
  }

  private hit(at: { clientX: number; clientY: number }, reach: number): number | null {
    const { left, top } = this.element.getBoundingClientRect();
    return this.plane.hit(at.clientX - left, at.clientY - top, reach);
  }

  private place(at: { clientX: number; clientY: number }): [number, number] {
    const { left, top } = this.element.getBoundingClientRect();
    return toData(this.plane.view(), at.clientX - left, at.clientY - top);
  }
}
