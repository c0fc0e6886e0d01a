/** The sizes of boxes. They never depend on values: an edit must not move the picture. */

import type { Graph } from "../../engine/graph";
import type { Part } from "../fold/fold";
import { columns, shorten, sign, tally } from "../shared/names";
import type { Size } from "../shared/plan";

export const GLYPH = 8.1;
export const SMALL_GLYPH = 7.3;
export const PAD = 10;
export const HEIGHT = 66;
/** The height of the head of a box, with its name and its operation. */
export const HEAD = 25;
export const PILL = 30;
/** Room for a number of eight characters. */
export const CELL = 82;
export const GROUP_HEIGHT = 84;
/** How far the sheets behind a group stick out. */
export const STACK = 8;
const GROUP_WIDTH = 186;

/** Width of the mark of an operation, in the head of its box. */
export function signWidth(op: string): number {
  const text = sign(op);
  return text.length === 1 ? 26 : text.length * SIGN_GLYPH + 14;
}

export const SIGN_GLYPH = 7.3;

/** The width that the operation of a node takes in the head of its box. */
export function lead(graph: Graph, index: number): number {
  const { op, inputs } = graph.nodes[index]!;
  return op && inputs.length ? signWidth(op) : 0;
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
  const name = columns(shorten(node.name)) * GLYPH + PAD + 12 + shape;
  return { width: Math.max(CELL, name + lead(graph, index)), height: HEIGHT };
}

function groupSize(graph: Graph, part: Part): Size {
  const name = columns(shorten(part.title)) * (GLYPH + 0.6) + 44; // bold, and a plus beside it
  const held = tally(graph, part.members).length * SMALL_GLYPH + 2 * PAD;
  return { width: Math.min(290, Math.max(GROUP_WIDTH, name, held)) + STACK, height: GROUP_HEIGHT };
}
