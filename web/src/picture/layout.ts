/** Where boxes stand, left to right: by dagre, or by a cheaper method where boxes are many. */

import { Graph as LayoutGraph, layout as layoutByDagre } from "@dagrejs/dagre";
import type { Effort } from "./fold";
import { crossed, layered, layersAt } from "./layered";
import type { Size } from "./measure";

export interface Point {
  x: number;
  y: number;
}
export interface Rect extends Point, Size {}

export interface Plan {
  /** One per box: its upper left corner and its size. */
  rects: Rect[];
  /** One per edge: from the right side of the operand to the left side of the user. */
  paths: Point[][];
  width: number;
  height: number;
}

export interface Arc {
  source: number;
  target: number;
}

export const COLUMN_GAP = 46;
const WIDE_GAP = 76;
export const ROW_GAP = 20;
/** From so many layers on that arcs cross, all together, dagre takes too long. */
export const MANY = 220;

export function layout(sizes: readonly Size[], arcs: readonly Arc[], effort: Effort = { steps: 0 }): Plan {
  const cheap =
    sizes.length > MANY || arcs.length > MANY || crossed(arcs, layersAt(sizes.length, arcs)) > MANY;
  const plan = cheap ? layered(sizes, arcs, effort) : dagre(sizes, arcs);
  if (upsideDown(plan, arcs)) mirror(plan);
  exchangeLeaves(plan, arcs);
  spreadEnds(plan, arcs);
  return plan;
}

/** Where there is room, edges are long enough to carry their derivative. */
function columnGap(boxes: number): number {
  return boxes <= 24 ? WIDE_GAP : COLUMN_GAP;
}

function dagre(sizes: readonly Size[], arcs: readonly Arc[]): Plan {
  const graph = new LayoutGraph({ multigraph: true });
  graph.setGraph({
    rankdir: "LR",
    nodesep: ROW_GAP,
    edgesep: 12,
    ranksep: columnGap(sizes.length),
    marginx: 0,
    marginy: 0,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  sizes.forEach((size, k) => graph.setNode(String(k), { ...size }));
  arcs.forEach((arc, k) => graph.setEdge(String(arc.source), String(arc.target), {}, String(k)));
  layoutByDagre(graph);
  const rects = sizes.map((size, k) => {
    const { x, y } = graph.node(String(k)) as Point;
    return { x: x - size.width / 2, y: y - size.height / 2, ...size };
  });
  const paths = arcs.map((arc, k) => {
    const edge = graph.edge({ v: String(arc.source), w: String(arc.target), name: String(k) });
    return bent(rects[arc.source]!, rects[arc.target]!, ((edge.points ?? []) as Point[]).slice(1, -1));
  });
  return moved({ rects, paths, width: 0, height: 0 });
}

/** From the right side of one box over the bends between them to the left side of the other. */
function bent(from: Rect, to: Rect, bends: readonly Point[]): Point[] {
  const start = { x: from.x + from.width, y: from.y + from.height / 2 };
  const end = { x: to.x, y: to.y + to.height / 2 };
  const between = bends.filter((bend) => bend.x > start.x + 12 && bend.x < end.x - 12);
  return [start, ...between.map(({ x, y }) => ({ x, y })), end];
}

/** Upper left at 0, 0. */
export function moved(plan: Plan): Plan {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const see = (x: number, y: number) => {
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
  };
  for (const rect of plan.rects) {
    see(rect.x, rect.y);
    see(rect.x + rect.width, rect.y + rect.height);
  }
  for (const path of plan.paths) for (const point of path) see(point.x, point.y);
  for (const rect of plan.rects) [rect.x, rect.y] = [rect.x - left, rect.y - top];
  for (const path of plan.paths)
    for (const point of path) [point.x, point.y] = [point.x - left, point.y - top];
  return { ...plan, width: right - left, height: bottom - top };
}

/** Whether more operands stand in the wrong order than in the right one: a + b has a on top. */
function upsideDown(plan: Plan, arcs: readonly Arc[]): boolean {
  const last = new Map<number, Arc>();
  let balance = 0;
  for (const arc of arcs) {
    const before = last.get(arc.target);
    if (before) balance += Math.sign(plan.rects[arc.source]!.y - plan.rects[before.source]!.y);
    last.set(arc.target, arc);
  }
  return balance < 0;
}

function mirror(plan: Plan): void {
  for (const rect of plan.rects) rect.y = plan.height - rect.y - rect.height;
  for (const path of plan.paths) for (const point of path) point.y = plan.height - point.y;
}

/** Leaves that nothing else uses, side by side before the same box, stand in the order of its operands. */
function exchangeLeaves(plan: Plan, arcs: readonly Arc[]): void {
  const leaving = plan.rects.map(() => 0);
  const arriving = plan.rects.map(() => 0);
  for (const { source, target } of arcs) {
    leaving[source]! += 1;
    arriving[target]! += 1;
  }
  const before = new Map<string, number[]>();
  arcs.forEach(({ source, target }, k) => {
    if (leaving[source] !== 1 || arriving[source] !== 0) return;
    const { x, width, height } = plan.rects[source]!;
    const place = [target, x, width, height].join(" ");
    before.set(place, [...(before.get(place) ?? []), k]);
  });
  for (const alike of before.values()) {
    const places = alike.map((k) => ({ y: plan.rects[arcs[k]!.source]!.y, path: plan.paths[k]! }));
    places.sort((a, b) => a.y - b.y);
    alike.forEach((k, rank) => {
      plan.rects[arcs[k]!.source]!.y = places[rank]!.y;
      plan.paths[k] = places[rank]!.path; // it leads from there to the same box
    });
  }
}

/** Each edge ends at a height of its own, so that the two of a · a can be told apart. */
function spreadEnds(plan: Plan, arcs: readonly Arc[]): void {
  const arriving = new Map<number, number[]>();
  arcs.forEach((arc, k) => {
    const known = arriving.get(arc.target);
    if (known) known.push(k);
    else arriving.set(arc.target, [k]);
  });
  for (const [target, ends] of arriving) {
    const height = Math.min(plan.rects[target]!.height, 44) - 22;
    ends.sort((a, b) => plan.paths[a]!.at(-2)!.y - plan.paths[b]!.at(-2)!.y || a - b);
    ends.forEach((k, rank) => {
      if (ends.length > 1) plan.paths[k]!.at(-1)!.y += height * (rank / (ends.length - 1) - 0.5);
    });
  }
}
