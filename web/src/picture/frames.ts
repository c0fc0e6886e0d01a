/** Where the frames of open groups run. */

import type { Arrangement } from "./arrange";
import { hull } from "./drags";
import type { Point, Rect } from "./plan";
import { overlaps } from "./view";

export interface Frame {
  id: string;
  title: string;
  /** How far the frame stands off what is inside: more, the more frames are inside. */
  off: number;
  /** How many frames are inside, one in the other. */
  inside: number;
  /** The shapes that it surrounds, as a path: everything in one rectangle, or box by box. */
  shapes: string;
  /** Lines that hold shapes together which stand apart. */
  joints: string;
  /** Where its name stands: the upper left corner. */
  x: number;
  y: number;
}

const OFF = 9;
const MORE = 7;
const MOST = 24;
const NAME = 16;

const known = new WeakMap<Arrangement, Frame[]>();

/** The frames of all groups that stand open, outer ones first. */
export function framesOf(arrangement: Arrangement): Frame[] {
  const found = known.get(arrangement) ?? groupsOf(arrangement).map((group) => frameOf(arrangement, group));
  known.set(arrangement, found);
  return found;
}

/** With room for the frame around, and its name above. */
export function framed({ x, y, width, height }: Rect): Rect {
  return { x: x - MOST, y: y - MOST - NAME, width: width + 2 * MOST, height: height + 2 * MOST + NAME };
}

interface Group {
  id: string;
  title: string;
  boxes: number[];
  inside: number;
}

function groupsOf({ boxes }: Arrangement): Group[] {
  const groups = new Map<string, Group>();
  boxes.forEach(({ around }, k) => {
    around.forEach(({ id, title }, depth) => {
      const group = groups.get(id) ?? { id, title, boxes: [], inside: 0 };
      groups.set(id, group);
      group.boxes.push(k);
      group.inside = Math.max(group.inside, around.length - 1 - depth);
    });
  });
  return [...groups.values()].sort((a, b) => b.inside - a.inside);
}

/** One rectangle, if nothing else stands in it; otherwise the boxes and the edges between them. */
function frameOf(arrangement: Arrangement, { id, title, boxes, inside }: Group): Frame {
  const { plan, links } = arrangement;
  const members = new Set(boxes);
  const whole = hull(
    arrangement,
    boxes.map((k) => arrangement.boxes[k]!.members[0]!),
  );
  const alone = !plan.rects.some((rect, k) => !members.has(k) && overlaps(rect, whole));
  const between = links.flatMap(({ source, target }, k) =>
    members.has(source) && members.has(target) ? [plan.paths[k]!] : [],
  );
  const rects = boxes.map((k) => plan.rects[k]!);
  const corner = alone ? whole : rects.reduce((best, rect) => (rect.y < best.y ? rect : best));
  return {
    id,
    title,
    inside,
    off: Math.min(OFF + MORE * inside, MOST),
    shapes: alone ? outline(whole) : rects.map(outline).join(""),
    joints: alone ? "" : between.map(straight).join(""),
    x: corner.x,
    y: corner.y,
  };
}

/** From point to point; a wide curve along a straight line is not drawn everywhere. */
function straight(points: readonly Point[]): string {
  return `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;
}

function outline({ x, y, width, height }: Rect): string {
  return `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${-width.toFixed(1)}z`;
}
