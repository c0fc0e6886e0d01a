/** Dragging nodes into an order in which they are processed. */

import type { Graph } from "../../engine/graph";
import type { Point, Rect } from "../shared/plan";

/** Nodes that propagate a gradient, from right to left as placed, upper ones first. */
export function visitOrder(graph: Graph, rectOf: (node: number) => Rect): number[] {
  const visited = graph.nodes.filter((node) => node.inputs.length).map((node) => node.index);
  const right = (node: number) => rectOf(node).x + rectOf(node).width;
  return visited.sort((a, b) => right(b) - right(a) || rectOf(a).y - rectOf(b).y || b - a);
}

/** How far boxes were dragged. */
export type Shifts = ReadonlyMap<number, Point>;

/** The shifts after a box was dragged further. */
export function further(shifts: Shifts, box: number, x: number, y: number): Shifts {
  const before = shifts.get(box);
  return new Map(shifts).set(box, { x: (before?.x ?? 0) + x, y: (before?.y ?? 0) + y });
}

/** A box where it was dragged to. */
export function shifted(rect: Rect, shift: Point | undefined): Rect {
  return shift ? { ...rect, x: rect.x + shift.x, y: rect.y + shift.y } : rect;
}

/** The points of an edge whose boxes were dragged. */
export function bentWith(
  points: readonly Point[],
  source: Point | undefined,
  target: Point | undefined,
): Point[] {
  if (!source && !target) return points as Point[];
  const [start, end] = [points[0]!, points.at(-1)!];
  const move = (point: Point, by: Point | undefined) =>
    by ? { x: point.x + by.x, y: point.y + by.y } : point;
  return [move(start, source), move(end, target)];
}

/** The shifts that exchange a node with its neighbour in the order; null at the ends. `step` 1: one
 * place later, which is further left. */
export function moveInOrder(
  order: readonly number[],
  node: number,
  step: number,
  rectOf: (node: number) => Rect,
): [number, number][] | null {
  const at = order.indexOf(node);
  const other = order[at + step];
  if (at < 0 || other === undefined) return null;
  const right = (index: number) => rectOf(index).x + rectOf(index).width;
  const between = right(other) - right(node);
  const apart = Math.abs(between) < 1 ? step : 0; // in the same column: one pixel apart
  return [
    [node, between - apart],
    [other, -between],
  ];
}
