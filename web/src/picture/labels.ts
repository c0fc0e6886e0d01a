/** The places of local derivatives: on their edges, and never on each other. */

import type { Point } from "./plan";
import { HEIGHT, SMALL_GLYPH } from "./measure";

/** The upper left corner of a label, and its width. */
export interface Place {
  x: number;
  y: number;
  width: number;
}

export interface Wanted {
  points: readonly Point[];
  text: string;
}

interface Placing extends Place {
  /** The place below the boxes, for a label that is too wide for the gap between them. */
  below: number | null;
}

export const TALL = 22;
/** Between two labels. */
const GAP = 3;

/** A place for each label. Parallel edges have theirs above and below each other. */
export function placesOf(labels: readonly Wanted[]): Place[] {
  const places = labels.map(placing);
  if (places.length > 1) {
    const order = [...places].sort((a, b) => a.y - b.y);
    order.forEach((place, k) => k > 0 && share(order[k - 1]!, place));
    order.forEach((place, k) => settle(place, order.slice(0, k)));
  }
  return places;
}

function placing({ points, text }: Wanted): Placing {
  const { x, y } = middle(points);
  const width = text.length * SMALL_GLYPH + 14;
  const wide = width > Math.abs(points.at(-1)!.x - points[0]!.x);
  const top = wide ? y - HEIGHT / 2 - 26 : y - TALL / 2;
  return { x: x - width / 2, y: top, width, below: wide ? y + HEIGHT / 2 + 4 : null };
}

function middle(points: readonly Point[]): Point {
  const [a, b] = [points[(points.length - 1) >> 1]!, points[points.length >> 1]!];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

/** Two labels on their edges move apart by the same distance. */
function share(upper: Placing, lower: Placing): void {
  if (upper.below !== null || lower.below !== null || !overlap(upper, lower)) return;
  const half = (upper.y + TALL + GAP - lower.y) / 2;
  upper.y -= half;
  lower.y += half;
}

/** The nearest free place: below the boxes, or further down and up. */
function settle(place: Placing, taken: readonly Placing[]): void {
  const { y, below } = place;
  const free = () => taken.every((other) => !overlap(place, other));
  if (free()) return;
  const first = below ?? y;
  for (let k = 0; !free(); k += 1) {
    const down = ((k + 1) >> 1) * (TALL + GAP);
    place.y = k % 2 ? first + down : y - down;
    if (k === 0) place.y = first;
  }
}

function overlap(a: Place, b: Place): boolean {
  const beside = a.x + a.width <= b.x || b.x + b.width <= a.x;
  return !beside && Math.abs(a.y - b.y) < TALL;
}
