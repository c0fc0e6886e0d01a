/** Wrong backward passes in the format of the correct one, so that both can be stepped side by side. */
import { add, edges, long, processNode, seedOf } from "../engine";
import type { Graph, Combine, Pass, Run } from "../engine";

export type Mistake = "assign" | "recursion" | "order" | "reset" | "twice";

/** A wrong run, and the correct one for the same graph. */
export interface Pair {
  kind: Mistake;
  wrong: Run;
  right: Run;
  /** Contributions that arrived after their node was processed. They are not propagated. */
  lost: Lost[];
  /** Whether the wrong pass was ended early: naive recursion visits nodes exponentially often. */
  cut: boolean;
}

export interface Lost {
  /** The index in `wrong.backward` of the pass that contributes it. */
  step: number;
  /** The node that contributes it, and the node that cannot propagate it. */
  from: number;
  node: number;
  amount: number;
  words: string;
}

/** The limit for the visits of naive recursion. */
export const MAX_VISITS = 10_000;

// --- the five -------------------------------------------------------------------------------------

/** Returns the run with `=` instead of `+=`: each contribution overwrites the ones before. */
export function assigned(right: Run): Pair {
  const wrong = { ...empty(right), assigns: true };
  const put: Combine = (_, amount) => amount;
  for (const { node } of right.backward) wrong.backward.push(processNode(wrong, node, put));
  return pair("assign", wrong, right);
}

/** Returns the run in which every visit of a node propagates its whole gradient so far, and visits its
 * operands at once. */
export function recursive(right: Run, most = MAX_VISITS): Pair {
  const wrong = empty(right);
  const { nodes, root } = right.graph;
  const stack = [root];
  while (stack.length && wrong.backward.length < most) {
    const node = stack.pop()!;
    wrong.backward.push(processNode(wrong, node));
    // the last one pushed is visited first: operands in order, each with everything below it
    for (const input of [...nodes[node]!.inputs].reverse()) if (!nodes[input]!.constant) stack.push(input);
  }
  return { ...pair("recursion", wrong, right), cut: stack.length > 0 };
}

/** Returns the run in an order of the user. Contributions to a processed node are lost. `order` contains
 * every node with operands once. Leaves may be in it and have no effect. */
export function inOrder(right: Run, order: readonly number[]): Pair {
  checkOrder(right.graph, order);
  const wrong = empty(right);
  const lost: Lost[] = [];
  const done = new Set<number>();
  for (const node of order.filter((index) => !right.graph.nodes[index]!.leaf)) {
    const pass = processNode(wrong, node);
    const step = wrong.backward.push(pass) - 1;
    done.add(node);
    for (const { operand, amount } of pass.contributions) {
      const inner = right.graph.nodes[operand]!.inputs.length > 0;
      if (amount === null || !inner || !done.has(operand)) continue;
      const words = lostWords(right.graph, node, operand, amount);
      lost.push({ step, from: node, node: operand, amount, words });
    }
  }
  return { ...pair("order", wrong, right), lost };
}

/** Returns the nodes that the user puts in order: those with operands that the backward pass reaches. They
 * are returned in a correct order. */
export function nodesToOrder(graph: Graph): number[] {
  const waiting = edges(graph);
  const inner = (node: number) => graph.nodes[node]!.inputs.length > 0;
  const ready = [graph.root];
  const order: number[] = [];
  while (ready.length) {
    const node = ready.pop()!;
    if (inner(node)) order.push(node);
    for (const operand of graph.nodes[node]!.inputs) {
      if (graph.nodes[operand]!.constant) continue;
      waiting[operand]! -= 1;
      if (waiting[operand] === 0) ready.push(operand);
    }
  }
  return order;
}

/** Returns the run of a second training step without a reset: leaves start with the gradients of the first
 * step. Between the steps, every leaf in `learned` changes by -rate × gradient. */
export function unreset(first: Run, learned: readonly number[], rate: number): Pair {
  const edits = new Map(first.edits);
  for (const leaf of learned) edits.set(leaf, first.data[leaf]! - rate * (first.gradients[leaf] ?? 0));
  const right = first.graph.evaluate(edits);
  // each step builds a new graph, so only learned leaves keep a gradient
  const kept = new Set(learned);
  const initial = first.gradients.map((gradient, node) => (kept.has(node) ? gradient : null));
  return pair("reset", again(right, initial), right);
}

/** Returns the run of backward() twice where inner nodes accumulate too, and propagate the gradient of the
 * first pass again. In the correct run only leaves accumulate: 2 × the gradient. */
export function twice(first: Run): Pair {
  const { nodes, root } = first.graph;
  const leaves = first.gradients.map((gradient, node) => (nodes[node]!.inputs.length ? null : gradient));
  const inner = first.gradients.map((gradient, node) => (node === root ? null : gradient));
  return pair("twice", again(first, inner), again(first, leaves));
}

/** Returns another backward pass of `run` that starts with initial gradients. */
function again(run: Run, initial: (number | null)[]): Run {
  const next = { ...empty(run), initial, gradients: [...initial] };
  next.gradients[run.graph.root] = seedOf(run.graph);
  for (const { node } of run.backward) next.backward.push(processNode(next, node, add));
  return next;
}

/** Returns a run with the same values, and no gradient except the seed. */
function empty(run: Run): Run {
  const gradients = new Array<number | null>(run.graph.size).fill(null);
  gradients[run.graph.root] = seedOf(run.graph);
  const staleGradients = new Array<boolean>(run.graph.size).fill(false);
  return { ...run, gradients, staleGradients, backward: [] };
}

function pair(kind: Mistake, wrong: Run, right: Run): Pair {
  return { kind, wrong, right, lost: [], cut: false };
}

function checkOrder(graph: Graph, order: readonly number[]): void {
  const inner = order.filter((node) => !graph.nodes[node]?.leaf);
  const wanted = new Set(nodesToOrder(graph));
  const once = new Set(inner).size === inner.length && inner.length === wanted.size;
  if (once && inner.every((index) => wanted.has(index))) return;
  throw new RangeError("An order contains every node with operands once.");
}

function lostWords(graph: Graph, from: number, node: number, amount: number): string {
  const [a, b] = [graph.nodes[from]!.name, graph.nodes[node]!.name];
  const late = `${b} has already been processed when ${a} adds ${long(amount)} to its gradient`;
  return `${late}. This contribution is not propagated.`;
}

// --- where they differ ----------------------------------------------------------------------------

export interface Difference {
  /** The index of the pass in `wrong.backward`. */
  step: number;
  /** The step of the timeline after which it is visible. */
  time: number;
  /** The node whose gradient differs. */
  node: number;
  wrong: number | null;
  right: number | null;
  /** The mistake, with its numbers. */
  words: string;
}

/** Returns the first difference; null if the mistake makes no difference in this graph. */
export function firstDifference({ kind, wrong, right }: Pair): Difference | null {
  const visited = new Set<number>();
  for (const [step, pass] of wrong.backward.entries()) {
    const beside = right.backward[step];
    const found = ofNode(kind, wrong, right, pass, visited) ?? ofContributions(kind, wrong, pass, beside);
    if (found) return placed(wrong, step, found);
    if (pass.contributions.length) visited.add(pass.node);
  }
  return atTheEnd(wrong, right);
}

type Found = Omit<Difference, "step" | "time">;

/** Adds the place of a difference. Leaves have no operands and take no step. */
function placed(wrong: Run, step: number, found: Found): Difference {
  const ticks = wrong.backward.slice(0, step + 1).filter((pass) => pass.contributions.length > 0).length;
  return { step, time: wrong.forward.length + 1 + ticks, ...found };
}

const PARTIAL = {
  order: "Later contributions are not propagated.",
  recursion: "It propagates this part now, and again later as a part of the whole.",
};

/** Returns the difference if a node propagates an incomplete gradient, or propagates it again. */
function ofNode(kind: Mistake, wrong: Run, right: Run, pass: Pass, visited: Set<number>): Found | null {
  if (!pass.contributions.length || (kind !== "recursion" && kind !== "order")) return null;
  const { node, gradient } = pass;
  const name = wrong.graph.nodes[node]!.name;
  const complete = right.gradients[node]!;
  const place = { node, wrong: gradient, right: complete };
  if (visited.has(node) && gradient !== null) {
    const words = `${name} is visited again and propagates its whole gradient of ${long(gradient)} once more.`;
    return { ...place, words };
  }
  if (same(gradient, complete)) return null;
  if (gradient === null) {
    const early = `${name} is processed before any contribution has reached it`;
    const words = `${early}: its gradient of ${shown(complete)} is not propagated.`;
    return { ...place, words };
  }
  const states = `${name} is processed with ${long(gradient)}. Its complete gradient is ${shown(complete)}.`;
  return { ...place, words: `${states} ${PARTIAL[kind]}` };
}

/** Returns the difference if both passes give the same contributions, but an operand ends up with another
 * gradient. All contributions of the step to an operand count together, because only their sum is visible. */
function ofContributions(kind: Mistake, wrong: Run, pass: Pass, beside: Pass | undefined): Found | null {
  if (beside?.node !== pass.node) return null;
  for (const node of new Set(pass.contributions.map(({ operand }) => operand))) {
    const [mine, theirs] = [pass, beside].map((one) => one.contributions.filter(({ operand }) => operand === node));
    const [bad, good] = [mine!.at(-1)!.after, theirs!.at(-1)!.after];
    if (same(bad, good)) continue;
    const sum = [mine![0]!.before, ...mine!.map(({ amount }) => amount)].filter((x) => x !== null).map(long);
    const [before, ...added] = sum;
    const { name } = wrong.graph.nodes[node]!;
    const words = SENTENCES[kind]({ name, before: before!, added, after: shown(bad), right: shown(good) });
    return { node, wrong: bad, right: good, words };
  }
  return null;
}

interface Facts {
  name: string;
  /** Its gradient before the step, and the contributions of the step. */
  before: string;
  added: string[];
  after: string;
  right: string;
}

const SENTENCES: Record<Mistake, (facts: Facts) => string> = {
  assign: (x) =>
    `${x.name}.grad was ${x.before}. With =, ${x.added.join(", then ")} overwrites it. ` +
    `With +=, the sum is ${x.right}.`,
  reset: (x) =>
    `${x.name}.grad still has ${x.before} from the previous step: ${sumOf(x)}. ` +
    `The gradient of this step is ${x.right}.`,
  twice: (x) =>
    `${x.name}.grad still has ${x.before} from the first backward pass: ${sumOf(x)}. ` +
    `${x.name} is an inner node, so it propagates all of it. The gradient of this pass is ${x.right}.`,
  recursion: (x) => `${x.name}.grad becomes ${x.after}. It should be ${x.right} here.`,
  order: (x) => `${x.name}.grad becomes ${x.after}. It should be ${x.right} here.`,
};

/** 2.0 + 1.0 + 1.0 → 4.0 */
function sumOf({ before, added, after }: Facts): string {
  return `${[before, ...added].join(" + ")} → ${after}`;
}

/** Returns the difference of the results if every step was correct and a gradient is still wrong. */
function atTheEnd(wrong: Run, right: Run): Difference | null {
  const node = wrong.gradients.findIndex((gradient, i) => !same(gradient, right.gradients[i]!));
  if (node < 0) return null;
  const [bad, good] = [wrong.gradients[node]!, right.gradients[node]!];
  const { name } = wrong.graph.nodes[node]!;
  const words = `At the end, ${name}.grad is ${shown(bad)}. It should be ${shown(good)}.`;
  return placed(wrong, wrong.backward.length - 1, { node, wrong: bad, right: good, words });
}

function shown(x: number | null): string {
  return x === null ? "none" : long(x);
}

/** Returns whether two numbers are equal except for rounding, which depends on the order of a sum. */
function same(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  if (Object.is(a, b) || a === b) return true;
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}
