/** Graphs and their runs as types, apart from the code that makes them. */

import type { WalkDocument } from "../document";
import type { Row } from "./row";

/** One node of a graph, with what a view wants to know about it. */
export interface GraphNode {
  index: number;
  /** Name of its row; "" for leaves and numbers of the program. */
  op: string;
  row: Row | null;
  inputs: number[];
  label: string;
  /** What to call it: its label, the number itself if it is one of the program, or v7. */
  name: string;
  constant: boolean;
  leaf: boolean;
  array: boolean;
  /** Whether its number was recorded and is not computed here. */
  recorded: boolean;
  group: string;
  /** Who uses it, and as which operand; in the order of the document. */
  consumers: Consumer[];
  editable: boolean;
}

export interface Consumer {
  node: number;
  position: number;
}

/** A document that was checked: operands first, every row known or recorded. */
export interface CheckedGraph {
  readonly document: WalkDocument;
  readonly nodes: GraphNode[];
  readonly size: number;
  readonly root: number;
  /** All values and the whole backward pass, with other values in some leaves. */
  evaluate(edits?: ReadonlyMap<number, number>): Run;
}

/** All numbers of a graph: forward, and the reverse sweep in the order of `reverse.walk`. */
export interface Run {
  graph: CheckedGraph;
  edits: ReadonlyMap<number, number>;
  data: number[];
  /** The gradient of each node after the sweep; null where none has arrived. Of an array the norm,
   * complete from the first share on. */
  gradients: (number | null)[];
  /** The nodes with operands, in the order in which they are computed. */
  forward: number[];
  backward: Pass[];
  /** What lay in each gradient before the sweep; absent: nothing. */
  initial?: (number | null)[];
  /** Shares are assigned, not added: one of the misconceptions. */
  assigns?: boolean;
  /** Whether a number depends on an edit through a recorded node, which is not computed anew. */
  stale: boolean[];
  /** The same of the gradients. */
  staleGradients: boolean[];
}

/** The turn of one node: what it has, and what it gives to each operand. */
export interface Pass {
  node: number;
  /** null: no gradient has arrived, so it passes none on. */
  gradient: number | null;
  /** One per operand, those of the program's numbers included. */
  shares: Share[];
}

export interface Share {
  operand: number;
  position: number;
  /** The local derivative; null: no gradient flows, or it is not one number (an array). */
  slope: number | null;
  /** What is added to the operand's gradient; null: nothing. */
  share: number | null;
  before: number | null;
  after: number | null;
}
