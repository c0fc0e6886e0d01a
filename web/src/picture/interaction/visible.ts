/** The boxes and links that get an element of their own. */

import type { Arrangement } from "../layout/arrange";
import type { Point, Rect } from "../shared/plan";
import { kept } from "../shared/kept";
import { contains } from "../look/look";
import { overlaps, union } from "../shared/rects";

/** More boxes than this are drawn together, without text. */
export const MOST_BOXES = 260;
const MOST_LINKS = 1200;
/** More edges than this are drawn together, except those of the present step. */
export const MOST_EDGES = 80;
/** More passing edges than this are left out: they show nothing, and take long to paint. */
const MOST_PASSING = 300;

export interface Visible {
  boxes: number[];
  links: number[];
  /** Links that only pass through the frame: they are drawn as one, behind everything. */
  through: number[];
  far: boolean;
}

/** What to draw of a part of the picture. `always`: nodes that are drawn in any case. */
export function visible(arrangement: Arrangement, region: Rect | null, always: readonly number[]): Visible {
  const boxes = boxesIn(arrangement, region);
  const far = boxes.length > MOST_BOXES;
  const own = far ? [] : boxes;
  const kept = new Set(own);
  for (const node of always) if (node >= 0) kept.add(arrangement.boxOf[node]!);
  const sorted = [...kept].sort((a, b) => a - b);
  const near = far ? linksAt(arrangement, always) : linksOf(arrangement, sorted);
  return { boxes: sorted, links: near, through: far ? [] : passing(arrangement, region, near), far };
}

function boxesIn({ plan }: Arrangement, region: Rect | null): number[] {
  const found: number[] = [];
  plan.rects.forEach((rect, k) => {
    if (!region || overlaps(rect, region)) found.push(k);
  });
  return found;
}

/** From afar: only the links to the nodes that are always drawn. */
function linksAt(arrangement: Arrangement, always: readonly number[]): number[] {
  const boxes = new Set(always.filter((node) => node >= 0).map((node) => arrangement.boxOf[node]!));
  return [...new Set([...boxes].flatMap((box) => arrangement.arriving[box]!))].sort((a, b) => a - b);
}

/** The links of these boxes; the first ones, if there are too many. */
function linksOf({ arriving, leaving }: Arrangement, boxes: readonly number[]): number[] {
  const found = new Set(boxes.flatMap((box) => [...arriving[box]!, ...leaving[box]!]));
  return [...found].sort((a, b) => a - b).slice(0, MOST_LINKS);
}

function passing(arrangement: Arrangement, region: Rect | null, near: readonly number[]): number[] {
  if (!region) return [];
  const found: number[] = [];
  reaches(arrangement).forEach((reach, k) => {
    if (overlaps(reach, region) && !contains(near, k)) found.push(k);
  });
  return found.length > MOST_PASSING ? [] : found;
}

/** The rectangle that each link stays in. */
export const reaches = kept(({ plan }: Arrangement): Rect[] => plan.paths.map(around));

function around(points: readonly Point[]): Rect {
  return points.map((point) => ({ ...point, width: 1, height: 1 })).reduce(union);
}
