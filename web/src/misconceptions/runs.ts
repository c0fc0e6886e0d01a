/** Wrong sweeps, each in the shape of the right one, so that both can be stepped side by side. */
import { add, edges, long, seedOf, turn } from "../engine";
import type { Graph, Meet, Pass, Run } from "../engine";

export type Mistake = "assign" | "recursion" | "order" | "reset" | "twice";

/** A wrong run, and the right one for the same graph. */
export interface Pair {
  kind: Mistake;
  wrong: Run;
  right: Run;
  /** Contributions that came after a node had had its turn: they go no further. */
  lost: Lost[];
  /** Whether the wrong sweep was ended early: naive recursion may visit nodes without end. */
  cut: boolean;
}

export interface Lost {
  /** The pass, counted from 0 in `wrong.backward`, that brings it. */
  step: number;
  /** Who brings it, and who cannot pass it on. */
  from: number;
  node: number;
  share: number;
  words: string;
}

/** Most visits of a naive recursion. */
export const MAX_VISITS = 10_000;

// --- the five -------------------------------------------------------------------------------------

/** `=` in place of `+=`: what arrives last is all that stays. */
export function assigned(right: Run): Pair {
  const wrong = { ...empty(right), assigns: true };
  const put: Meet = (_, share) => share;
  for (const { node } of right.backward) wrong.backward.push(turn(wrong, node, put));
  return pair("assign", wrong, right);
}

/** Every visit of a node passes on all that it holds so far, and visits its operands at once. */
export function recursive(right: Run, most = MAX_VISITS): Pair {
  const wrong = empty(right);
  const { nodes, root } = right.graph;
  const stack = [root];
  while (stack.length && wrong.backward.length < most) {
    const node = stack.pop()!;
    wrong.backward.push(turn(wrong, node));
    // The last one pushed is visited first: operands in their order, each with all behind it.
    for (const input of [...nodes[node]!.inputs].reverse()) if (!nodes[input]!.constant) stack.push(input);
  }
  return { ...pair("recursion", wrong, right), cut: stack.length > 0 };
}

/** Nodes have their turns in an order of the user's; what comes after a turn is lost. `order` has
 * every node with operands once; leaves may be in it, and have nothing to pass on. */
export function inOrder(right: Run, order: readonly number[]): Pair {
  checkOrder(right.graph, order);
  const wrong = empty(right);
  const lost: Lost[] = [];
  const done = new Set<number>();
  for (const node of order.filter((index) => !right.graph.nodes[index]!.leaf)) {
    const pass = turn(wrong, node);
    const step = wrong.backward.push(pass) - 1;
    done.add(node);
    for (const { operand, share } of pass.shares) {
      const inner = right.graph.nodes[operand]!.inputs.length > 0;
      if (share === null || !inner || !done.has(operand)) continue;
      const words = lostWords(right.graph, node, operand, share);
      lost.push({ step, from: node, node: operand, share, words });
    }
  }
  return { ...pair("order", wrong, right), lost };
}

/** The nodes that have turns to be put in order: those with operands that the sweep reaches. The
 * order that comes back is a right one. */
export function turns(graph: Graph): number[] {
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

/** A second training step without a reset: leaves still hold the gradients of the first one.
 * Between the two, every leaf in `learned` moves by -rate × gradient. */
export function unreset(first: Run, learned: readonly number[], rate: number): Pair {
  const edits = new Map(first.edits);
  for (const leaf of learned) edits.set(leaf, first.data[leaf]! - rate * (first.gradients[leaf] ?? 0));
  const right = first.graph.evaluate(edits);
  // Every step builds its graph anew, so only what is learned carries something over.
  const kept = new Set(learned);
  const initial = first.gradients.map((gradient, node) => (kept.has(node) ? gradient : null));
  return pair("reset", again(right, initial), right);
}

/** backward() twice where inner nodes accumulate too: they pass the first sweep on once more. Right
 * is that only leaves add up: 2 × the gradient. */
export function twice(first: Run): Pair {
  const { nodes, root } = first.graph;
  const leaves = first.gradients.map((gradient, node) => (nodes[node]!.inputs.length ? null : gradient));
  const inner = first.gradients.map((gradient, node) => (node === root ? null : gradient));
  return pair("twice", again(first, inner), again(first, leaves));
}

/** The sweep of `run` once more, with gradients that are there before it begins. */
function again(run: Run, initial: (number | null)[]): Run {
  const next = { ...empty(run), initial, gradients: [...initial] };
  next.gradients[run.graph.root] = seedOf(run.graph);
  for (const { node } of run.backward) next.backward.push(turn(next, node, add));
  return next;
}

/** The numbers of a run, and no gradient yet but the seed. */
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
  const wanted = new Set(turns(graph));
  const once = new Set(inner).size === inner.length && inner.length === wanted.size;
  if (once && inner.every((index) => wanted.has(index))) return;
  throw new RangeError("An order has every node with operands once.");
}

function lostWords(graph: Graph, from: number, node: number, share: number): string {
  const [a, b] = [graph.nodes[from]!.name, graph.nodes[node]!.name];
  const late = `${b} has already had its turn when ${a} gives it ${long(share)}`;
  return `${late}: that stays in ${b} and goes no further.`;
}

// --- where they part ------------------------------------------------------------------------------

export interface Difference {
  /** The pass in `wrong.backward`, counted from 0. */
  step: number;
  /** The tick of a timeline after which it is seen. */
  time: number;
  /** The node whose gradient differs. */
  node: number;
  wrong: number | null;
  right: number | null;
  /** What went wrong, with the numbers in it. */
  words: string;
}

/** The first step after which something differs; null: here the mistake makes no difference. */
export function firstDifference({ kind, wrong, right }: Pair): Difference | null {
  const visited = new Set<number>();
  for (const [step, pass] of wrong.backward.entries()) {
    const beside = right.backward[step];
    const found = ofNode(kind, wrong, right, pass, visited) ?? ofShares(kind, wrong, pass, beside);
    if (found) return placed(wrong, step, found);
    if (pass.shares.length) visited.add(pass.node);
  }
  return atTheEnd(wrong, right);
}

type Found = Omit<Difference, "step" | "time">;

/** Leaves have nothing to pass on, and take no tick. */
function placed(wrong: Run, step: number, found: Found): Difference {
  const ticks = wrong.backward.slice(0, step + 1).filter((pass) => pass.shares.length > 0).length;
  return { step, time: wrong.forward.length + 1 + ticks, ...found };
}

const PARTIAL = {
  order: "What comes later goes no further.",
  recursion: "It passes that on now, and all of it again later.",
};

/** The gradient that a node passes on is not its complete one, or it passes it on again. */
function ofNode(kind: Mistake, wrong: Run, right: Run, pass: Pass, visited: Set<number>): Found | null {
  if (!pass.shares.length || (kind !== "recursion" && kind !== "order")) return null;
  const { node, gradient } = pass;
  const name = wrong.graph.nodes[node]!.name;
  const complete = right.gradients[node]!;
  const place = { node, wrong: gradient, right: complete };
  if (visited.has(node) && gradient !== null) {
    const words = `${name} is visited again, and passes on the whole of its ${long(gradient)} once more.`;
    return { ...place, words };
  }
  if (same(gradient, complete)) return null;
  if (gradient === null) {
    const early = `${name} has its turn before any gradient has reached it`;
    const words = `${early}: its ${told(complete)} goes no further.`;
    return { ...place, words };
  }
  const states = `${name} has its turn with ${long(gradient)}; complete, its gradient is ${told(complete)}.`;
  return { ...place, words: `${states} ${PARTIAL[kind]}` };
}

/** The two sweeps give the same shares, and they meet something else. An operand that is used twice is
 * told with all that it gets in this turn: only that can be seen. */
function ofShares(kind: Mistake, wrong: Run, pass: Pass, beside: Pass | undefined): Found | null {
  if (beside?.node !== pass.node) return null;
  for (const node of new Set(pass.shares.map(({ operand }) => operand))) {
    const [mine, theirs] = [pass, beside].map((one) => one.shares.filter(({ operand }) => operand === node));
    const [bad, good] = [mine!.at(-1)!.after, theirs!.at(-1)!.after];
    if (same(bad, good)) continue;
    const sum = [mine![0]!.before, ...mine!.map(({ share }) => share)].filter((x) => x !== null).map(long);
    const [before, ...shares] = sum;
    const { name } = wrong.graph.nodes[node]!;
    const words = SENTENCES[kind]({ name, before: before!, shares, after: told(bad), right: told(good) });
    return { node, wrong: bad, right: good, words };
  }
  return null;
}

interface Told {
  name: string;
  /** What it had, and what it gets in this turn. */
  before: string;
  shares: string[];
  after: string;
  right: string;
}

const SENTENCES: Record<Mistake, (told: Told) => string> = {
  assign: (x) =>
    `${x.name}.grad was ${x.before}. With = the ${x.shares.join(", then the ")} takes its place; ` +
    `with += they make ${x.right}.`,
  reset: (x) =>
    `${x.name}.grad still holds ${x.before} from the step before: ${sumOf(x)}. ` +
    `The gradient of this step is ${x.right}.`,
  twice: (x) =>
    `${x.name}.grad still holds ${x.before} from the first sweep: ${sumOf(x)}. ` +
    `It is an inner node, so all of that is passed on; of this sweep it is ${x.right}.`,
  recursion: (x) => `${x.name}.grad becomes ${x.after}; it should be ${x.right} here.`,
  order: (x) => `${x.name}.grad becomes ${x.after}; it should be ${x.right} here.`,
};

/** 2.0 + 1.0 + 1.0 → 4.0 */
function sumOf({ before, shares, after }: Told): string {
  return `${[before, ...shares].join(" + ")} → ${after}`;
}

/** Everybody passed on the right number, and yet a gradient is wrong. */
function atTheEnd(wrong: Run, right: Run): Difference | null {
  const node = wrong.gradients.findIndex((gradient, i) => !same(gradient, right.gradients[i]!));
  if (node < 0) return null;
  const [bad, good] = [wrong.gradients[node]!, right.gradients[node]!];
  const { name } = wrong.graph.nodes[node]!;
  const words = `At the end ${name}.grad is ${told(bad)}, and should be ${told(good)}.`;
  return placed(wrong, wrong.backward.length - 1, { node, wrong: bad, right: good, words });
}

function told(x: number | null): string {
  return x === null ? "none" : long(x);
}

/** Equal but for roundings: another order adds the same numbers, and is not wrong for that. */
function same(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  if (Object.is(a, b) || a === b) return true;
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}
