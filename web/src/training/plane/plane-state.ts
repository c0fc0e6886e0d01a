/** The state of the plane: what it shows, the cursor, and announcements for screen readers. */

import { computed, signal } from "@preact/signals";
import { exact, formatted } from "../../engine";
import { valueAt } from "./boundary";
import type { Size } from "../drawing/canvas";
import { added, flipped, moved, nearest, removed, type Label } from "../run/points";
import type { TrainingRoom } from "../run/room";
import { clamp, toScreen, type Range, type View } from "../drawing/scale";

const MARGIN = { left: 38, top: 6, right: 8, bottom: 24 };
/** How many steps of the cursor lead from one side to the other. */
const STEPS = 40;

type Extent = [number, number, number, number];

export class Plane {
  readonly size = signal<Size>({ width: 0, height: 0 });
  readonly hover = signal<[number, number] | null>(null);
  readonly cursor = signal<[number, number] | null>(null);
  /** Whether the points that are not learned from are drawn too. */
  readonly testShown = signal(false);
  /** Whether the cursor carries the chosen point. */
  readonly carrying = signal(false);
  /** What has just happened, for screen readers. */
  readonly announced = signal("");
  /** The extent of the plane while a point is dragged, which keeps the picture still. */
  readonly held = signal<Extent | null>(null);
  readonly extent = computed<Extent>(
    () => this.held.value ?? this.room.frame.value?.boundary?.extent ?? [-1, 1, -1, 1],
  );

  constructor(readonly room: TrainingRoom) {}

  view(): View {
    const { width, height } = this.size.value;
    const [x0, x1, y0, y1] = this.extent.value;
    const size = Math.max(
      1,
      Math.min(width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom),
    );
    return { x: [x0, x1], y: [y0, y1], left: MARGIN.left, top: MARGIN.top, size };
  }

  /** Returns the point within `reach` pixels of a place on the canvas. */
  hit(left: number, top: number, reach: number): number | null {
    const view = this.view();
    return nearest(this.room.points.value, reach, ([x, y]) => {
      const [a, b] = toScreen(view, x, y);
      return Math.hypot(a - left, b - top);
    });
  }

  /** Returns the prediction at a place; null before the first frame. */
  answer(x: number, y: number): number | null {
    const boundary = this.room.frame.value?.boundary;
    return boundary ? valueAt(boundary, x, y) : null;
  }

  // --- changes ----------------------------------------------------------------------------------

  add(x: number, y: number, label: Label): void {
    const { room } = this;
    room.keep();
    room.setPoints(added(room.points.value, x, y, label));
    room.chosen.value = room.points.value.length - 1;
    this.announce(`Point ${room.points.value.length - 1} added: ${place(x, y)}, label ${label}.`);
  }

  remove(index: number): void {
    const { room } = this;
    room.keep();
    room.chosen.value = null;
    this.carrying.value = false;
    room.setPoints(removed(room.points.value, index));
    this.announce(`Point ${index} deleted. ${room.points.value.length} left.`);
  }

  flip(index: number): void {
    const { room } = this;
    room.keep();
    room.setPoints(flipped(room.points.value, index));
    this.announce(`Point ${index} now has label ${room.points.value[index]![2]}.`);
  }

  /** Moves a point, within the plane that is shown. */
  move(index: number, x: number, y: number, done: boolean): void {
    const [x0, x1, y0, y1] = this.extent.value;
    const next = moved(this.room.points.value, index, clamp(x, [x0, x1]), clamp(y, [y0, y1]));
    this.room.setPoints(next, done);
  }

  // --- the cursor of the keyboard -----------------------------------------------------------------

  /** Moves the cursor by a fortieth of the plane; with `fine`, by a tenth of that. */
  go(dx: number, dy: number, fine: boolean): void {
    const [x0, x1, y0, y1] = this.extent.value;
    const [x, y] = this.cursor.value ?? [(x0 + x1) / 2, (y0 + y1) / 2];
    const part = STEPS * (fine ? 10 : 1);
    const along = (at: number, d: number, [low, high]: Range) =>
      clamp(at + (d * (high - low)) / part, [low, high]);
    const to: [number, number] = [along(x, dx, [x0, x1]), along(y, dy, [y0, y1])];
    this.cursor.value = to;
    const chosen = this.room.chosen.value;
    if (this.carrying.value && chosen !== null) this.move(chosen, ...to, true);
    this.announce(this.words(...to));
  }

  /** Chooses the next point in the order of the table. */
  choose(step: number): void {
    const count = this.room.points.value.length;
    if (count === 0) return this.announce("There are no points. Press Enter to add one.");
    const before = this.room.chosen.value ?? (step > 0 ? -1 : count);
    const chosen = (before + step + count) % count;
    const [x, y, label] = this.room.points.value[chosen]!;
    this.carrying.value = false;
    this.room.chosen.value = chosen;
    this.cursor.value = [x, y];
    this.announce(`Point ${chosen} of ${count}, label ${label}: ${this.words(x, y)}`);
  }

  /** Picks up the chosen point with the cursor, or puts it down. */
  carry(): void {
    const chosen = this.room.chosen.value;
    if (chosen === null) return this.announce("Choose a point first, with n or p.");
    if (!this.carrying.value) this.room.keep();
    this.carrying.value = !this.carrying.value;
    this.held.value = this.carrying.value ? this.extent.value : null;
    this.announce(
      this.carrying.value ? `Point ${chosen} moves with the arrow keys.` : `Point ${chosen} put down.`,
    );
  }

  words(x: number, y: number): string {
    const answer = this.answer(x, y);
    return `${place(x, y)}${answer === null ? "" : `, P(1) ${formatted(answer)}`}`;
  }

  announce(words: string): void {
    this.announced.value = words;
  }
}

export function place(x: number, y: number): string {
  return `x ${exact(Number(x.toFixed(3)))}, y ${exact(Number(y.toFixed(3)))}`;
}
