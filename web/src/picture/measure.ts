/** The sizes of boxes. They never depend on values: an edit must not move the picture. */

import type { Graph } from "../engine/graph";
import type { Part } from "./fold";
import { columns, shorten, sign, tally } from "./names";
import type { Size } from "./plan";

export const GLYPH = 8.1;
export const SMALL_GLYPH = 6.7;
export const PAD = 10;
export const HEIGHT = 58;
export const PILL = 30;
export const CELL = 66;
export const RADIUS = 16;
export const SHAFT = 14;
export const GROUP_HEIGHT = 84;
/** How far the sheets behind a group stick out. */
export const STACK = 8;
const GROUP_WIDTH = 186;

/** Width of the circle of an operation; words make it a pill. */
export function signWidth(op: string): number {
  const text = sign(op);
  return text.length === 1 ? 2 * RADIUS : text.length * GLYPH + 18;
}

/** The width left of the box of a node, for its operation and the arrow from it. */
export function lead(graph: Graph, index: number): number {
  const { op, inputs } = graph.nodes[index]!;
  return op && inputs.length ? signWidth(op) + SHAFT : 0;
}

export function sizeOf(graph: Graph, part: Part): Size {
  return part.members.length === 1 ? nodeSize(graph, part.members[0]!) : groupSize(graph, part);
}

function nodeSize(graph: Graph, index: number): Size {
  const node = graph.nodes[index]!;
  if (node.constant && !node.array) {
    return { width: Math.max(44, columns(shorten(node.name)) * GLYPH + 2 * PAD), height: PILL };
  }
  const shape = node.array ? graph.document.nodes[index]!.array!.shape.join("×").length * SMALL_GLYPH : 0;
  const name = columns(shorten(node.name)) * GLYPH + 2 * PAD + 16 + shape;
  return { width: lead(graph, index) + Math.max(2 * CELL, name), height: HEIGHT };
}

function groupSize(graph: Graph, part: Part): Size {
  const name = columns(shorten(part.title)) * (GLYPH + 0.6) + 44; // bold, and a plus beside it
  const held = tally(graph, part.members).length * 6.7 + 2 * PAD;
  return { width: Math.min(290, Math.max(GROUP_WIDTH, name, held)) + STACK, height: GROUP_HEIGHT };
}
