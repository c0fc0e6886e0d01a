/** The places of local derivatives: on their edges, nearer to them than to any other edge. */

import { distance } from "./curves";
import { SMALL_GLYPH } from "./measure";
import type { Point, Rect } from "../shared/plan";
import { overlaps } from "../shared/rects";

/** The upper left corner of a label, and its width. */
export interface Place {
  x: number;
  y: number;
  width: number;
}

export interface Wanted {
  text: string;
  /** Points along its edge, from the operand to the user. */
  line: readonly Point[];
}

export const TALL = 22;
/** Between two labels. */
const GAP = 3;
/** Where on its edge a label may be, in the order of preference: where edges cross, it moves on. */
const SPOTS = [0.3, 0.2, 0.4, 0.5, 0.12, 0.6, 0.7, 0.8];
/** A label so far from all other edges is clearly at its own. */
const CLEAR = 14;

/** A place for each label. `lines`: all edges around, the labels' own included. `boxes`: what they should
 * not cover. */
export function placesOf(
  labels: readonly Wanted[],
  lines: readonly (readonly Point[])[],
  boxes: readonly Rect[] = [],
): Place[] {
  const taken: Rect[] = [];
  for (const { text, line } of labels) {
    const width = text.length * SMALL_GLYPH + 14;
    const others = lines.filter((other) => other !== line);
    let [best, most] = [around(line[0]!, width), -Infinity];
    for (const spot of SPOTS) {
      const at = line[Math.round(spot * (line.length - 1))]!;
      const place = around(at, width);
      const score = clearance(at, others) - hidden(place, taken, boxes);
      if (score > most) [best, most] = [place, score];
      if (most >= CLEAR) break;
    }
    settle(best, taken);
    taken.push(best);
  }
  return taken.map(({ x, y, width }) => ({ x, y, width }));
}

/** Two labels at one place, as of parallel edges, give way alike; otherwise the later one moves down or up
 * until it covers no other. */
function settle(place: Rect, taken: readonly Rect[]): void {
  const [other, ...more] = taken.filter((one) => overlaps(place, one));
  if (other && !more.length) {
    const apart = (TALL + GAP - Math.abs(place.y - other.y)) / 2;
    const sign = place.y < other.y ? -1 : 1;
    const moved = { ...other, y: other.y - sign * apart };
    if (!taken.some((one) => one !== other && overlaps(moved, one))) {
      other.y = moved.y;
      place.y += sign * apart;
    }
  }
  const { y } = place;
  const free = () => !taken.some((other) => overlaps(place, { ...other, height: TALL + GAP - 0.5 }));
  for (let k = 1; !free(); k++) place.y = y + (k % 2 ? 1 : -1) * ((k + 1) >> 1) * ((TALL + GAP) / 2);
}

function around({ x, y }: Point, width: number): Rect {
  return { x: x - width / 2, y: y - TALL / 2, width, height: TALL };
}

/** How far a place on one edge is from all others, at most `CLEAR`. */
function clearance(at: Point, others: readonly (readonly Point[])[]): number {
  return others.reduce((least, other) => Math.min(least, distance(other, at)), CLEAR);
}

/** What it costs to cover another label, or a box. */
function hidden(place: Rect, taken: readonly Rect[], boxes: readonly Rect[]): number {
  const wide = { ...place, y: place.y - GAP, height: place.height + 2 * GAP };
  const labels = taken.filter((other) => overlaps(wide, other)).length;
  const covered = boxes.filter((box) => overlaps(place, box)).length;
  return 4 * CLEAR * labels + CLEAR * covered;
}
