/** Edges over several layers get a place of their own in each, so that they do not lead through boxes. */

import type { Arc, Plan, Point, Rect } from "./layout";
import type { Size } from "./measure";

export interface Bent {
  /** The boxes, and after them the bends. */
  sizes: Size[];
  arcs: Arc[];
  /** For each arc, the bends that it passes. */
  chains: number[][];
}

/** Bends are boxes without width. */
const BEND: Size = { width: 0, height: 6 };

/** Edges from one box share their bends until they part. */
export function bend(sizes: readonly Size[], arcs: readonly Arc[], layerOf: ArrayLike<number>): Bent {
  const bent: Bent = { sizes: [...sizes], arcs: [], chains: [] };
  const known = new Map<string, number>();
  for (const { source, target } of arcs) {
    const chain: number[] = [];
    for (let layer = layerOf[source]! + 1; layer < layerOf[target]!; layer++) {
      const key = `${source} ${layer}`;
      if (!known.has(key)) {
        known.set(key, bent.sizes.push(BEND) - 1);
        bent.arcs.push({ source: chain.at(-1) ?? source, target: known.get(key)! });
      }
      chain.push(known.get(key)!);
    }
    bent.arcs.push({ source: chain.at(-1) ?? source, target });
    bent.chains.push(chain);
  }
  return bent;
}

/** The arcs as they were, level through every column that they pass. */
export function unbend(plan: Plan, arcs: readonly Arc[], chains: readonly number[][], boxes: number): Plan {
  const rects = plan.rects.slice(0, boxes);
  const paths = arcs.map((arc, k) => {
    const [from, to] = [rects[arc.source]!, rects[arc.target]!];
    const between = chains[k]!.flatMap((j) => level(plan.rects[j]!));
    return [right(from), ...between, left(to)];
  });
  return { ...plan, rects, paths };
}

function level(bend: Rect): Point[] {
  return [left(bend), right(bend)];
}

export function left({ x, y, height }: Rect): Point {
  return { x, y: y + height / 2 };
}

export function right({ x, y, width, height }: Rect): Point {
  return { x: x + width, y: y + height / 2 };
}
