/** Graphs and their runs as types, apart from the code that makes them. */

import type { WalkDocument } from "../document";
import type { Primitive } from "./primitive";

/** One node of a graph, with the facts that views show. */
export interface GraphNode {
  index: number;
  /** Name of its primitive; "" for leaves and constants. */
  op: string;
  primitive: Primitive | null;
  inputs: number[];
  label: string;
  /** Its label. Without one: the value of a constant, a description in a model, or v7. */
  name: string;
  constant: boolean;
  leaf: boolean;
  array: boolean;
  /** Whether its value was recorded and is not computed on the page. */
  recorded: boolean;
  group: string;
  /** Its consumers, and which operand of theirs it is; in the order of the document. */
  consumers: Consumer[];
  editable: boolean;
}

export interface Consumer {
  node: number;
  position: number;
}

/** A checked document: operands come first, and every primitive is known or recorded. */
export interface CheckedGraph {
  readonly document: WalkDocument;
  readonly nodes: GraphNode[];
  readonly size: number;
  readonly root: number;
  /** All values and the whole backward pass, with other values in some leaves. */
  evaluate(edits?: ReadonlyMap<number, number>): Run;
}

/** All values of a graph, and its backward pass in the order of `reverse.walk` in Python. */
export interface Run {
  graph: CheckedGraph;
  edits: ReadonlyMap<number, number>;
  data: number[];
  /** The gradient of each node after the backward pass; null where none has arrived. For an array its
   * norm, which is complete from the first contribution on. */
  gradients: (number | null)[];
  /** The nodes with operands, in the order in which they are computed. */
  forward: number[];
  backward: Pass[];
  /** The gradients before the backward pass; absent: none. */
  initial?: (number | null)[];
  /** Contributions are assigned instead of added: one of the misconceptions. */
  assigns?: boolean;
  /** Whether a value depends on an edit through a recorded node, which the page cannot recompute. */
  stale: boolean[];
  /** Whether a gradient depends on such an edit. */
  staleGradients: boolean[];
}

/** The step that processes one node: its gradient, and its contribution to each operand. */
export interface Pass {
  node: number;
  /** null: no gradient has arrived, so it propagates none. */
  gradient: number | null;
  /** One per operand, constants included. */
  contributions: Contribution[];
}

export interface Contribution {
  operand: number;
  position: number;
  /** The local derivative; null: no gradient flows, or the node is an array and has no single one. */
  slope: number | null;
  /** The contribution that is added to the operand's gradient; null: none. */
  amount: number | null;
  before: number | null;
  after: number | null;
}
