/** Where boxes and edges are, left to right or, in a narrow frame, top to bottom.
 *
 * The method is that of Sugiyama, Tagawa and Toda (Methods for Visual Understanding of Hierarchical
 * System Structures, 1981): layers by the longest path (`net.ts`), orders by barycentres and swaps of
 * neighbours (`order.ts`), heights by least squares (`places.ts`). */

import { netOf } from "./net";
import { ordered } from "./order";
import { placed } from "./places";
import type { Arc, Effort, Plan, Point, Rect, Size } from "../shared/plan";

export function layout(
  sizes: readonly Size[],
  arcs: readonly Arc[],
  effort: Effort = { steps: 0 },
  down = false,
): Plan {
  return down ? turned(rightward(sizes.map(lying), arcs, effort)) : rightward(sizes, arcs, effort);
}

function lying({ width, height }: Size): Size {
  return { width: height, height: width };
}

/** A plan from left to right, mirrored at its diagonal. */
function turned({ rects, paths, width, height }: Plan): Plan {
  return {
    rects: rects.map((rect) => ({ x: rect.y, y: rect.x, ...lying(rect) })),
    paths: paths.map((points) => points.map(({ x, y }) => ({ x: y, y: x }))),
    ...lying({ width, height }),
    down: true,
  };
}

function rightward(sizes: readonly Size[], arcs: readonly Arc[], effort: Effort): Plan {
  const net = netOf(sizes, arcs);
  const spots = placed(net, ordered(net, effort), effort);
  const paths = arcs.map(({ source, target }, k) => {
    const bends = (net.chains[k] ?? []).map((bend) => spots[bend]!);
    const level = bends.flatMap((bend) => [left(bend), right(bend)]);
    return [right(spots[source]!), ...level, left(spots[target]!)];
  });
  spreadEnds(spots, paths, arcs);
  arcs.forEach(({ target }, k) => enterLevel(paths[k]!, spots[target]!.start));
  return {
    rects: spots.slice(0, sizes.length).map(({ x, y, width, height }) => ({ x, y, width, height })),
    paths,
    down: false,
    width: spots.reduce((most, { x, width }) => Math.max(most, x + width), 0),
    height: spots.reduce((most, { y, height }) => Math.max(most, y + height), 0),
  };
}

function left({ x, y, height }: Rect): Point {
  return { x, y: y + height / 2 };
}

function right({ x, y, width, height }: Rect): Point {
  return { x: x + width, y: y + height / 2 };
}

/** Each edge ends at a height of its own, so that the two edges of a · a can be distinguished. */
function spreadEnds(rects: readonly Rect[], paths: readonly Point[][], arcs: readonly Arc[]): void {
  const arriving = new Map<number, number[]>();
  arcs.forEach(({ target }, k) => {
    if (!arriving.get(target)?.push(k)) arriving.set(target, [k]);
  });
  for (const [target, ends] of arriving) {
    const height = Math.min(rects[target]!.height, 44) - 22;
    ends.sort((a, b) => paths[a]!.at(-2)!.y - paths[b]!.at(-2)!.y || a - b);
    ends.forEach((k, rank) => {
      if (ends.length > 1) paths[k]!.at(-1)!.y += height * (rank / (ends.length - 1) - 0.5);
    });
  }
}

/** The way to a narrow box leads past wider ones in its column, which a curve would cut. */
function enterLevel(path: Point[], start: number): void {
  const { x, y } = path.at(-1)!;
  if (start < x - 1) path.splice(-1, 0, { x: start, y });
}
