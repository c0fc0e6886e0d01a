/** The format in which a graph comes to the page. `gradwalk.studio.document` writes it in Python, and
 * `expression/` makes it from a typed formula. */

/** JSON has no NaN and no infinities. */
export type JsonNumber = number | "nan" | "inf" | "-inf";

export interface WalkDocument {
  format: "gradwalk-walk";
  version: 1;
  /** The name of the graph on the page; may be empty. */
  title: string;
  /** The formula, if the graph came from one. */
  source?: string;
  /** Operands come before their consumers; the root is last. */
  nodes: NodeRecord[];
  /** Custom operations by name: primitives that are not in the table of gradwalk. */
  rows?: Record<string, CustomOperation>;
  /** The lines of the program that recorded the nodes: "train.py:12", and its text. */
  lines?: [place: string, text: string][];
  /** The graph of an earlier run, to compare with. */
  before?: WalkDocument;
}

export interface NodeRecord {
  /** Name of the primitive that computed it; "" for a leaf and for a constant. */
  op: string;
  /** Operands in order; `a * a` names one node twice. */
  inputs: number[];
  /** The user's label, or the name of the variable that holds it; "" if there is neither. */
  label: string;
  /** A plain number in the program; constants get no gradient. */
  constant?: boolean;
  /** The value; for an array, the sum of its elements. */
  data: JsonNumber;
  /** The place in a model, "layers.0.neurons.3"; for folding. */
  group?: string;
  /** The index of its line in `lines` of the document. */
  line?: number;
  /** The array of a Tensor: it is shown as recorded, and cannot be edited. */
  array?: ArrayRecord;
  /** Recorded contribution to each operand, for nodes whose primitive is not in JavaScript. */
  recorded?: { grad: JsonNumber | null; shares: (JsonNumber | null)[] };
}

export interface ArrayRecord {
  shape: number[];
  dtype: string;
  /** All elements in order, or the first and last ones of a large array. */
  values: JsonNumber[];
  complete: boolean;
  summary: { min: JsonNumber; max: JsonNumber; mean: JsonNumber; norm: JsonNumber };
  grad: { values: JsonNumber[]; complete: boolean; norm: JsonNumber; spread?: SpreadRecord } | null;
  spread?: SpreadRecord;
  /** All elements of an array that has more than `values`, with six digits, if it is not too large. */
  whole?: JsonNumber[];
}

/** The histogram of the finite elements from `low` to `high`, and how many are 0, NaN and infinite. */
export interface SpreadRecord {
  size: number;
  zeros: number;
  nan: number;
  inf: number;
  low: number;
  high: number;
  bins: number[];
}

/** A custom operation and its rules. */
export interface CustomOperation {
  params: string[];
  tex: string;
  forward: UserProgram;
  rules: (UserProgram | null)[];
}

/** An instruction is `[primitive, ...atoms]`. The atom `{ at: 3 }` is the result of instruction 3, and a
 * number is itself. The first instructions are the parameters, `[name]`. */
export interface UserProgram {
  parameters: string[];
  instructions: [string, ...(JsonNumber | { at: number })[]][];
  result: JsonNumber | { at: number } | null;
}

export function fromJson(x: JsonNumber): number {
  return typeof x === "number" ? x : x === "nan" ? NaN : x === "inf" ? Infinity : -Infinity;
}

export function toJson(x: number): JsonNumber {
  return Number.isFinite(x) ? x : Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
}
