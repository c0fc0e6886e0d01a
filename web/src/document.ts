/** What a graph looks like when it leaves Python: the one format that all ways into the page share.
 * `gradwalk.studio.document` writes it; `expression/` makes one of a typed formula. */

/** JSON has no NaN and no infinities. */
export type JsonNumber = number | "nan" | "inf" | "-inf";

export interface WalkDocument {
  format: "gradwalk-walk";
  version: 1;
  /** What the page calls it; may be empty. */
  title: string;
  /** The formula, if the graph came from one. */
  source?: string;
  /** Operands before what uses them; the root is the last one. */
  nodes: NodeRecord[];
  /** Rows that are not in the table of gradwalk, by name: those of the user. */
  rows?: Record<string, UserRow>;
}

export interface NodeRecord {
  /** Name of the row that computed it; "" for a leaf and for a number of the program. */
  op: string;
  /** Operands in order; `a * a` names one node twice. */
  inputs: number[];
  /** The user's label, or the name of the variable that holds it; "" if there is neither. */
  label: string;
  /** A plain number of the program: it gets no gradient. */
  constant?: boolean;
  /** Its number. Of an array: the sum of what is in `array`. */
  data: JsonNumber;
  /** Where it stands in a model, "layers.0.neurons.3"; for folding. */
  group?: string;
  /** The node of a Tensor: arrays are shown as they were recorded, and cannot be edited. */
  array?: ArrayRecord;
  /** Recorded share of the gradient for each operand, for nodes whose row is not in JavaScript. */
  recorded?: { grad: JsonNumber | null; shares: (JsonNumber | null)[] };
}

export interface ArrayRecord {
  shape: number[];
  dtype: string;
  /** All numbers in order, or the first and last ones of a large array. */
  values: JsonNumber[];
  complete: boolean;
  summary: { min: JsonNumber; max: JsonNumber; mean: JsonNumber; norm: JsonNumber };
  grad: { values: JsonNumber[]; complete: boolean; norm: JsonNumber } | null;
}

/** A program for a row of the user: `[row, ...atoms]`, where an atom "3" is the result of
 * instruction 3 and a number is itself; the first instructions are the parameters `[name]`. */
export interface UserRow {
  params: string[];
  tex: string;
  forward: UserProgram;
  rules: (UserProgram | null)[];
}

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
