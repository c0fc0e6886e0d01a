/** The shapes of the frames around open groups. */

import type { Arrangement } from "./arrange";
import { kept } from "../shared/kept";
import type { Point, Rect } from "../shared/plan";
import { outline, overlaps, union } from "../shared/rects";

export interface Frame {
  id: string;
  title: string;
  /** The distance to the boxes inside, larger if there are frames inside. */
  off: number;
  /** The depth of frames inside this one. */
  inside: number;
  /** The shapes that it surrounds, as a path: everything in one rectangle, or box by box. */
  shapes: string;
  /** Lines that connect shapes apart from each other. */
  joints: string;
  /** The place of its name: the upper left corner. */
  x: number;
  y: number;
}

const OFF = 9;
const MORE = 7;
const MOST = 24;
const NAME = 16;

/** The frames of all open groups, outer ones first. */
export const framesOf = kept((arrangement: Arrangement): Frame[] =>
  groupsOf(arrangement).map((group) => frameOf(arrangement, group)),
);

/** The smallest rectangle around the boxes of some nodes. */
export function hull({ plan, boxOf }: Arrangement, nodes: readonly number[]): Rect {
  return nodes.map((node) => plan.rects[boxOf[node]!]!).reduce(union);
}

/** A rectangle with room for a frame around it, and the name above. */
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

/** One rectangle, if no other box is in it; otherwise the boxes and the edges between them. */
function frameOf(arrangement: Arrangement, { id, title, boxes, inside }: Group): Frame {
  const { plan, links } = arrangement;
  const members = new Set(boxes);
  const rects = boxes.map((k) => plan.rects[k]!);
  const whole = rects.reduce(union);
  const alone = !plan.rects.some((rect, k) => !members.has(k) && overlaps(rect, whole));
  const between = links.flatMap(({ source, target }, k) =>
    members.has(source) && members.has(target) ? [plan.paths[k]!] : [],
  );
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

/** Straight lines from point to point: some renderers draw wide curves wrong where they are straight. */
function straight(points: readonly Point[]): string {
  return `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;
}
