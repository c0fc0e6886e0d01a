/** Edges as they are drawn: where they cross, and which boxes they cut. */

import type { Plan, Point } from "../../src/picture/shared/plan";

/** Odd, so that edges which cross half way do not cross in a sampled point. */
const SAMPLES = 25;

/** Points along the curves through some points, which leave and arrive level. */
function sampled(path: readonly Point[]): Point[] {
  return path.flatMap((to, k) => {
    const from = path[k - 1];
    return from ? Array.from({ length: SAMPLES }, (_, s) => along(from, to, (s + 1) / SAMPLES)) : [to];
  });
}

function along(from: Point, to: Point, t: number): Point {
  const [half, part] = [(from.x + to.x) / 2, t * t * (3 - 2 * t)];
  return {
    x: (1 - t) ** 3 * from.x + 3 * t * (1 - t) * half + t ** 3 * to.x,
    y: (1 - part) * from.y + part * to.y,
  };
}

/** How often two edges cross; edges that run along the same line do not. */
export function crossings({ paths }: Plan): number {
  const lines = paths.map(sampled);
  return lines.reduce((sum, a, i) => sum + lines.slice(i + 1).reduce((more, b) => more + crossed(a, b), 0), 0);
}

function crossed(a: readonly Point[], b: readonly Point[]): number {
  let count = 0;
  for (let p = 1; p < a.length; p++) {
    for (let q = 1; q < b.length; q++) {
      if (a[p]!.x < b[q - 1]!.x || b[q]!.x < a[p - 1]!.x) continue;
      if (apart(a[p - 1]!, a[p]!, b[q - 1]!, b[q]!) && apart(b[q - 1]!, b[q]!, a[p - 1]!, a[p]!)) count++;
    }
  }
  return count;
}

/** Whether c and d are on different sides of the line from a to b. */
function apart(a: Point, b: Point, c: Point, d: Point): boolean {
  const side = (at: Point) => (b.x - a.x) * (at.y - a.y) - (b.y - a.y) * (at.x - a.x);
  const [left, right] = [side(c), side(d)];
  return Math.min(left, right) < -1e-6 && Math.max(left, right) > 1e-6;
}

/** Pairs of an edge and a box that it runs through; its own two do not count. */
export function cuts({ rects, paths }: Plan, arcs: readonly { source: number; target: number }[]): number {
  return paths.reduce((sum, path, k) => {
    const line = sampled(path);
    const others = rects.filter((_, box) => box !== arcs[k]!.source && box !== arcs[k]!.target);
    const cut = others.filter(({ x, y, width, height }) =>
      line.some((at) => at.x > x + 1 && at.x < x + width - 1 && at.y > y + 1 && at.y < y + height - 1),
    );
    return sum + cut.length;
  }, 0);
}
