import { fromJson } from "../document";
import type { NodeRecord, WalkDocument } from "../document";
import { DocumentError } from "./errors";
import { exact } from "./numbers";
import { Primitives } from "./primitives";
import type { Table } from "./primitives";
import type { CheckedGraph, Consumer, GraphNode, Run } from "./node";
import type { Primitive } from "./primitive";
import { evaluate } from "./run";
import { TABLE } from "./table";
import { Titles } from "./titles";

export class Graph implements CheckedGraph {
  readonly nodes: GraphNode[];
  readonly size: number;
  readonly root: number;

  constructor(
    readonly document: WalkDocument,
    table: Table = TABLE,
  ) {
    checkFormat(document);
    const primitives = new Primitives(document, table);
    const titles = new Titles(this);
    this.nodes = document.nodes.map((record, index) => nodeOf(record, index, primitives, titles));
    this.size = this.nodes.length;
    this.root = this.size - 1;
    for (const { index, inputs } of this.nodes) {
      inputs.forEach((input, position) => this.nodes[input]!.consumers.push({ node: index, position }));
    }
  }

  evaluate(edits: ReadonlyMap<number, number> = new Map()): Run {
    for (const index of edits.keys()) checkEdit(this.nodes[index], index);
    return evaluate(this, edits);
  }
}

function checkEdit(node: GraphNode | undefined, index: number): void {
  if (node?.editable) return;
  const got = node ? `${node.name}${node.array ? ", an array" : ""}` : `node ${index}`;
  throw new DocumentError("edit", "a leaf that holds one number", got, "Edit a leaf.");
}

function checkFormat(document: WalkDocument): void {
  const fix = "Save it again with this version of gradwalk.";
  if (document?.format !== "gradwalk-walk" || document.version !== 1) {
    const got = `${String(document?.format)} ${String(document?.version)}`;
    throw new DocumentError("document", "format gradwalk-walk, version 1", got, fix);
  }
  if (!Array.isArray(document.nodes) || document.nodes.length === 0) {
    throw new DocumentError("document", "at least one node", "none", fix);
  }
}

function nodeOf(record: NodeRecord, index: number, primitives: Primitives, titles: Titles): GraphNode {
  const primitive = record.op ? primitives.find(record.op) : null;
  check(record, index, primitive);
  return new Node(record, index, primitive, titles);
}

/** A node whose name is written when it is first read: most of a large graph are never shown. */
class Node implements GraphNode {
  readonly op: string;
  readonly inputs: number[];
  readonly label: string;
  readonly constant: boolean;
  readonly leaf: boolean;
  readonly array: boolean;
  readonly recorded: boolean;
  readonly group: string;
  readonly consumers: Consumer[] = [];
  readonly editable: boolean;
  private written: string | null = null;

  constructor(
    private readonly record: NodeRecord,
    readonly index: number,
    readonly primitive: Primitive | null,
    private readonly titles: Titles,
  ) {
    this.op = record.op;
    this.inputs = record.inputs;
    this.label = record.label;
    this.constant = record.constant ?? false;
    this.array = record.array !== undefined;
    this.recorded = record.recorded !== undefined;
    this.leaf = this.inputs.length === 0 && !this.constant;
    this.group = record.group ?? "";
    this.editable = this.leaf && !this.array && !this.recorded;
  }

  get name(): string {
    return (this.written ??= readable(this.label) || this.unlabelled());
  }

  private unlabelled(): string {
    const { array, data } = this.record;
    if (!this.constant) {
      return this.titles.of(this.index) || `v${this.index}`;
    }
    // its sum does not identify it: other arrays may have the same sum
    return array ? `constant (${array.shape.join(", ")}${array.shape.length === 1 ? "," : ""})` : exact(fromJson(data));
  }
}

/** A label without the characters that reverse the direction of the text after them. */
function readable(label: string): string {
  return label.trim() && label.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
}

/** Throws an error for a node that cannot be computed, or would be computed wrongly. */
function check(record: NodeRecord, index: number, primitive: Primitive | null): void {
  const { op, inputs, recorded } = record;
  const where = `node ${index}${op && ` (${op})`}`;
  const fix = "Save the document again.";
  const wrong = inputs.find((input) => !Number.isInteger(input) || input < 0 || input >= index);
  if (wrong !== undefined) {
    throw new DocumentError(where, "operands that precede it", `operand ${wrong}`, fix);
  }
  if (record.array && ![record.array.shape, record.array.values].every(Array.isArray)) {
    throw new DocumentError(where, "an array with its shape and values", "one without", fix);
  }
  if (recorded && recorded.shares.length !== inputs.length) {
    const got = `${recorded.shares.length} for ${inputs.length} operands`;
    throw new DocumentError(where, "one recorded contribution per operand", got, fix);
  }
  if (recorded || inputs.length === 0) return;
  if (!primitive || record.array) {
    throw new DocumentError(where, "a known operation, or recorded contributions", "neither", fix);
  }
  if (primitive.params.length !== inputs.length) {
    throw new DocumentError(where, `${primitive.params.length} operands`, `${inputs.length}`, fix);
  }
}
