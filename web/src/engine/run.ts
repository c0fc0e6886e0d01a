import { fromJson } from "../document";
import type { CheckedGraph, Contribution, GraphNode, Pass, Run } from "./node";

/** Compute every value, and then every gradient. */
export function evaluate(graph: CheckedGraph, edits: ReadonlyMap<number, number>): Run {
  const { data, stale } = computed(graph, edits);
  const forward = graph.nodes.filter((node) => node.inputs.length > 0).map((node) => node.index);
  const run: Run = {
    graph, edits, data, forward, stale,
    gradients: [],
    backward: [],
    staleGradients: new Array<boolean>(graph.size).fill(false),
  };
  runBackward(run);
  return run;
}

function computed(graph: CheckedGraph, edits: ReadonlyMap<number, number>): { data: number[]; stale: boolean[] } {
  const data: number[] = [];
  const stale: boolean[] = [];
  const touched: boolean[] = []; // depends on an edit
  for (const node of graph.nodes) {
    const edited = edits.get(node.index);
    touched.push(edited !== undefined || node.inputs.some((input) => touched[input]));
    const lost = node.recorded && node.inputs.some((input) => touched[input]);
    stale.push(lost || node.inputs.some((input) => stale[input]));
    data.push(edited ?? dataOf(node, graph, data));
  }
  return { data, stale };
}

function dataOf(node: GraphNode, graph: CheckedGraph, data: number[]): number {
  const record = graph.document.nodes[node.index]!;
  if (node.recorded || !node.inputs.length || !node.primitive) return fromJson(record.data);
  const [a, b] = node.inputs;
  if (b === undefined) return Number(node.primitive.forward(data[a!]!));
  if (node.inputs.length === 2) return Number(node.primitive.forward(data[a!]!, data[b]!));
  return Number(node.primitive.forward(...argumentsOf(node, data)));
}

/** The result of the graph if one node had another value: everything else is computed from it again. */
export function rerun({ graph, data }: Run, index: number, value: number): number {
  const other = [...data];
  const touched = new Uint8Array(graph.size);
  other[index] = value;
  touched[index] = 1;
  for (const node of graph.nodes.slice(index + 1)) {
    if (!node.inputs.some((input) => touched[input])) continue;
    touched[node.index] = 1;
    other[node.index] = dataOf(node, graph, other);
  }
  return other[graph.root]!;
}

function argumentsOf(node: GraphNode, data: number[]): number[] {
  return node.inputs.map((input) => data[input]!);
}

/** How many edges of the graph lead to each node; 0: the root, or not reached at all. */
export function edges(graph: CheckedGraph): Int32Array {
  const count = new Int32Array(graph.size);
  const seen = new Uint8Array(graph.size);
  const stack = [graph.root];
  seen[graph.root] = 1;
  while (stack.length) {
    for (const operand of graph.nodes[stack.pop()!]!.inputs) {
      if (graph.nodes[operand]!.constant) continue;
      count[operand]! += 1;
      if (seen[operand]) continue;
      seen[operand] = 1;
      stack.push(operand);
    }
  }
  return count;
}

/** The seed of the backward pass: 1, or the recorded one for a root that is an array. */
export function seedOf(graph: CheckedGraph): number {
  return fromJson(graph.document.nodes[graph.root]!.recorded?.grad ?? 1);
}

/** The backward pass: a node is processed when all of its consumers have been processed. */
export function runBackward(run: Run): void {
  const { graph } = run;
  const waiting = edges(graph);
  run.gradients = run.initial ? [...run.initial] : new Array<number | null>(graph.size).fill(null);
  run.gradients[graph.root] = seedOf(graph);
  const ready = [graph.root];
  while (ready.length) {
    const pass = processNode(run, ready.pop()!);
    run.backward.push(pass);
    for (const { operand } of pass.contributions) {
      if (graph.nodes[operand]!.constant) continue;
      waiting[operand]! -= 1;
      if (waiting[operand] === 0) ready.push(operand);
    }
  }
}

/** Combines a contribution with the gradient that an operand already has. */
export type Combine = (before: number | null, amount: number) => number;

/** The correct way; misconceptions show others. */
export const add: Combine = (before, amount) => (before === null ? amount : before + amount);

/** Process one node: its contributions update the gradients of its operands in `run`. */
export function processNode(run: Run, index: number, combine: Combine = add): Pass {
  const node = run.graph.nodes[index]!;
  const gradient = run.gradients[index]!;
  const given = gradient === null ? NOTHING : contributions(run, node, gradient);
  const all = node.inputs.map((operand, position) => {
    const none = run.graph.nodes[operand]!.constant;
    const amount = none ? null : given[position] ?? null;
    const before = none ? null : run.gradients[operand]!;
    const after = amount === null ? before : gradientOfArray(run, operand) ?? combine(before, amount);
    run.gradients[operand] = after;
    return new Given(run, node, position, amount, before, after);
  });
  if (gradient !== null) markStale(run, node, gradient);
  return { node: index, gradient, contributions: all };
}

const NOTHING: (number | null)[] = [];

/** The recorded norm of an array's complete gradient: norms of contributions do not add up. */
function gradientOfArray({ graph }: Run, index: number): number | null {
  const grad = graph.document.nodes[index]!.array?.grad;
  if (!grad) return null;
  return fromJson(grad.values.length === 1 && grad.complete ? grad.values[0]! : grad.norm);
}

/** A contribution whose local derivative is computed on demand: most are never shown. */
class Given implements Contribution {
  readonly operand: number;
  readonly #run: Run;
  readonly #node: GraphNode;

  constructor(
    run: Run,
    node: GraphNode,
    readonly position: number,
    readonly amount: number | null,
    readonly before: number | null,
    readonly after: number | null,
  ) {
    this.#run = run;
    this.#node = node;
    this.operand = node.inputs[position]!;
  }

  get slope(): number | null {
    return this.amount === null ? null : localSlopes(this.#run, this.#node.index)[this.position]!;
  }
}

function markStale(run: Run, node: GraphNode, t: number): void {
  const stale = run.stale[node.index]!;
  const all = run.staleGradients[node.index]! || (stale && node.recorded) || leftBehind(run, node, t);
  if (!all && !stale) return;
  node.inputs.forEach((input, position) => {
    const old = !run.graph.nodes[input]!.constant && (all || isSlopeOld(run, node, position));
    if (old) run.staleGradients[input] = true;
  });
}

/** Whether the formula of a local derivative contains a value that may be out of date. */
function isSlopeOld({ stale }: Run, { primitive, index, inputs }: GraphNode, position: number): boolean {
  const formula = primitive?.slopes[position]?.text;
  if (!primitive || !formula) return stale[index]!;
  return (formula.match(/\p{L}\w*/gu) ?? []).some((word) => {
    const operand = primitive.params.indexOf(word);
    return operand < 0 ? word === "y" && stale[index]! : stale[inputs[operand]!]!;
  });
}

/** The contribution to each operand for a gradient t of the node; null: no gradient flows. */
function contributions(run: Run, node: GraphNode, t: number): (number | null)[] {
  if (!node.inputs.length) return NOTHING;
  if (node.recorded) return recordedContributions(run, node, t);
  const y = run.data[node.index]!;
  const [a, b] = node.inputs;
  const x = run.data;
  // one and two operands are by far the most frequent: a list of arguments would slow them down
  if (b === undefined) return [node.primitive!.rules[0]?.(t, y, x[a!]!) ?? null];
  const rules = node.primitive!.rules;
  if (node.inputs.length === 2) {
    return [rules[0]?.(t, y, x[a!]!, x[b]!) ?? null, rules[1]?.(t, y, x[a!]!, x[b]!) ?? null];
  }
  const args = argumentsOf(node, x);
  return rules.map((rule) => rule?.(t, y, ...args) ?? null);
}

/** The recorded contributions. They are linear in t, so those of single numbers follow an edit. */
function recordedContributions(run: Run, node: GraphNode, t: number): (number | null)[] {
  const { shares: recorded } = run.graph.document.nodes[node.index]!.recorded!;
  const slopes = asRecorded(run, node, t) ? NOTHING : recordedSlopes(run, node);
  return recorded.map((amount, position) => {
    const slope = slopes[position] ?? null;
    return amount === null ? null : slope === null ? fromJson(amount) : t * slope;
  });
}

/** Whether the gradient of a node is still the one with which its contributions were recorded. */
function asRecorded({ graph, edits }: Run, node: GraphNode, t: number): boolean {
  const { grad } = graph.document.nodes[node.index]!.recorded!;
  const before = grad === null ? NaN : fromJson(grad);
  return !edits.size || Math.abs(t - before) <= ROUNDING * Math.abs(before);
}

/** Whether the gradient has changed, and recorded contributions cannot follow. */
function leftBehind(run: Run, node: GraphNode, t: number): boolean {
  if (!node.recorded || asRecorded(run, node, t)) return false;
  const { shares: recorded } = run.graph.document.nodes[node.index]!.recorded!;
  const slopes = recordedSlopes(run, node);
  return recorded.some((amount, position) => amount !== null && slopes[position] === null);
}

/** Python and the page may differ in the last digits; no edit is that small. */
const ROUNDING = 1e-12;

/** The local derivative for each operand; null where no gradient flows, and for constants. */
export function localSlopes(run: Run, index: number): (number | null)[] {
  const node = run.graph.nodes[index]!;
  const slopes = node.recorded ? recordedSlopes(run, node) : contributions(run, node, 1);
  return slopes.map((slope, position) => (run.graph.nodes[node.inputs[position]!]!.constant ? null : slope));
}

/** Contribution / gradient for single numbers, if that is defined; arrays have no single derivative. */
function recordedSlopes(run: Run, node: GraphNode): (number | null)[] {
  const { grad, shares: recorded } = run.graph.document.nodes[node.index]!.recorded!;
  const t = grad === null ? NaN : fromJson(grad);
  return recorded.map((amount, position) => {
    const array = node.array || run.graph.nodes[node.inputs[position]!]!.array;
    return amount === null || array || !Number.isFinite(t) || t === 0 ? null : fromJson(amount) / t;
  });
}
