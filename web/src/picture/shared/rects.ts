/** Rectangles: what is inside, what overlaps, what surrounds. */

import type { Point, Rect } from "./plan";

export function holds({ x, y, width, height }: Rect, at: Point): boolean {
  return at.x >= x && at.x <= x + width && at.y >= y && at.y <= y + height;
}

export function overlaps(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

export function inside(inner: Rect, outer: Rect): boolean {
  const end = { x: inner.x + inner.width, y: inner.y + inner.height };
  return holds(outer, inner) && holds(outer, end);
}

/** The smallest rectangle around two. */
export function union(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return between(x, y, Math.max(a.x + a.width, b.x + b.width), Math.max(a.y + a.height, b.y + b.height));
}

/** The intersection of two rectangles. */
export function intersection(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
  return between(x, y, Math.min(a.x + a.width, b.x + b.width), Math.min(a.y + a.height, b.y + b.height));
}

function between(x: number, y: number, right: number, bottom: number): Rect {
  return { x, y, width: right - x, height: bottom - y };
}

export function grown({ x, y, width, height }: Rect, by: number): Rect {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

/** Its outline as the data of a path. */
export function outline({ x, y, width, height }: Rect): string {
  const [left, top, wide, high] = [x, y, width, height].map((length) => Math.round(10 * length) / 10);
  return `M${left} ${top}h${wide}v${high}h-${wide}z`;
}
