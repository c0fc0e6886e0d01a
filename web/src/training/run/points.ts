/** Changes to the points of a run. */

import type { Point } from "./protocol";

export type Label = 0 | 1;

export function added(points: readonly Point[], x: number, y: number, label: Label): Point[] {
  return [...points, [tidy(x), tidy(y), label]];
}

export function moved(points: readonly Point[], index: number, x: number, y: number): Point[] {
  return points.map((point, i) => (i === index ? [tidy(x), tidy(y), point[2]] : point));
}

export function removed(points: readonly Point[], index: number): Point[] {
  return points.filter((_, i) => i !== index);
}

export function flipped(points: readonly Point[], index: number): Point[] {
  return points.map((point, i) => (i === index ? [point[0], point[1], point[2] === 0 ? 1 : 0] : point));
}

/** Rounds to four decimals, which are finer than any screen and readable in a file. */
function tidy(x: number): number {
  return Number(x.toFixed(4));
}

export function same(a: readonly Point[], b: readonly Point[]): boolean {
  return a.length === b.length && a.every((p, i) => p.every((part, k) => part === b[i]![k]));
}

/** Returns the index of the nearest point by `distance`, within `most`. Of equals, the later one is on top. */
export function nearest(
  points: readonly Point[],
  most: number,
  distance: (p: Point) => number,
): number | null {
  let best: number | null = null;
  let least = most;
  points.forEach((point, i) => {
    const far = distance(point);
    if (far <= least) [best, least] = [i, far];
  });
  return best;
}

/** Returns the points as CSV, which the page can read again. */
export function toCsv(points: readonly Point[]): string {
  return ["x,y,label", ...points.map((point) => point.join(","))].join("\n") + "\n";
}
