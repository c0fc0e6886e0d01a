import type { Run } from "./node";
import { long } from "./numbers";
import { localSlopes } from "./run";

/** One path from the root to a node, and its contribution to the gradient. */
export interface Path {
  /** Root first. */
  nodes: number[];
  /** The local derivatives along it. */
  slopes: number[];
  /** The product of the local derivatives and the seed. */
  contribution: number;
}

/** The paths along which a gradient came. */
export interface Paths {
  paths: Path[];
  /** The sum of the listed contributions. */
  shown: number;
  /** The gradient itself; null: none has arrived. */
  total: number | null;
  /** The contribution of all paths that are not listed. */
  rest: number;
  /** The number of paths on which gradient flows. */
  count: bigint;
  /** The number of paths that are not listed. */
  unlisted: bigint;
  /** The sum in a sentence. */
  words: string;
}

/** A candidate at one node: the consumer that it came from, and its rank there. */
interface Candidate {
  from: number;
  rank: number;
  slope: number;
  value: number;
  /** Logarithm of the absolute value: products of many derivatives overflow. */
  size: number;
}

/** Most candidates in all: a large graph has fewer of its paths listed. */
const BUDGET = 100_000;

interface Listed {
  best: Map<number, Candidate[]>;
  counts: Map<number, bigint>;
}

/** The paths from the root to `node`, those that contribute most first. */
export function paths(run: Run, node: number, most = 200): Paths {
  const total = run.gradients[node] ?? null;
  const between = nodesBetween(run, node);
  const arrays = between.some((i) => run.graph.nodes[i]!.array);
  if (total === null || between.at(-1) !== run.graph.root || arrays) return none(total, arrays);
  const { best, counts } = listed(run, between, Math.max(1, Math.min(most, BUDGET / between.length)));
  const found = best.get(node)!.map((candidate) => traced(best, node, candidate));
  const shown = found.reduce((sum, path) => sum + path.contribution, 0);
  const count = counts.get(node)!;
  const unlisted = count - BigInt(found.length);
  const rest = unlisted > 0n ? total - shown : 0;
  const sum = { paths: found, shown, total, rest, count, unlisted };
  return { ...sum, words: inWords(sum) };
}

/** The nodes on the paths from the root to `node`, in the order of the document: `node` first. */
function nodesBetween(run: Run, node: number): number[] {
  const { nodes } = run.graph;
  const seen = new Uint8Array(nodes.length);
  seen[node] = 1;
  const stack = [node];
  while (stack.length) {
    for (const { node: next } of nodes[stack.pop()!]!.consumers) {
      if (seen[next] || run.gradients[next] === null) continue;
      seen[next] = 1;
      stack.push(next);
    }
  }
  return nodes.flatMap(({ index }) => (seen[index] ? [index] : []));
}

/** The `most` largest products at every node, from the root down, and how many there are. */
function listed(run: Run, between: number[], most: number): Listed {
  const { root, nodes } = run.graph;
  const seed = run.backward.find((pass) => pass.node === root)?.gradient ?? 1;
  const best = new Map([[root, [{ from: -1, rank: 0, slope: NaN, value: seed, size: sizeOf(seed) }]]]);
  const counts = new Map([[root, 1n]]);
  const slopes: (number | null)[][] = [];
  for (const index of between.slice(0, -1).reverse()) {
    const candidates: Candidate[] = [];
    let count = 0n;
    for (const { node: from, position } of nodes[index]!.consumers) {
      const slope = counts.has(from) ? (slopes[from] ??= localSlopes(run, from))[position]! : null;
      if (slope === null) continue;
      count += counts.get(from)!;
      best.get(from)!.forEach((above, rank) => candidates.push(longer(above, from, rank, slope)));
    }
    counts.set(index, count);
    best.set(index, nodes[index]!.consumers.length > 1 ? largest(candidates, most) : candidates);
  }
  return { best, counts };
}

function largest(candidates: Candidate[], most: number): Candidate[] {
  return candidates.sort((a, b) => (a.size === b.size ? 0 : b.size - a.size)).slice(0, most);
}

function longer(above: Candidate, from: number, rank: number, slope: number): Candidate {
  const value = above.value * slope;
  // NaN comes first, because it decides the sum
  const size = Number.isNaN(value) ? Infinity : above.size + sizeOf(slope);
  return { from, rank, slope, value, size: Number.isNaN(size) ? Infinity : size };
}

function sizeOf(x: number): number {
  return Math.log(Math.abs(x));
}

function traced(best: Map<number, Candidate[]>, node: number, last: Candidate): Path {
  const nodes = [node];
  const slopes: number[] = [];
  for (let at = last; at.from >= 0; at = best.get(at.from)![at.rank]!) {
    nodes.push(at.from);
    slopes.push(at.slope);
  }
  return { nodes: nodes.reverse(), slopes: slopes.reverse(), contribution: last.value };
}

function none(total: number | null, arrays: boolean): Paths {
  const words = total === null
    ? "No gradient has arrived: no path on which it could flow leads here."
    : arrays
      ? "The paths lead through arrays, where a local derivative is not one number."
      : "The result does not depend on this node.";
  return { paths: [], shown: 0, total, rest: total ?? 0, count: 0n, unlisted: 0n, words };
}

/** `2 paths: 3.0 + 2.0 → 5.0`, or why there is no such sum. */
function inWords({ paths: found, total, rest, count, unlisted }: Omit<Paths, "words">): string {
  const many = `${count.toLocaleString("en-US")} ${count === 1n ? "path" : "paths"}`;
  const wild = found.filter((path) => !Number.isFinite(path.contribution)).length;
  if (wild || !Number.isFinite(total)) {
    const beyond = "their sum is beyond the largest number";
    const which = wild ? `${wild} of those listed contribute no finite number` : beyond;
    return `${many}; ${which}, so the gradient is ${long(total!)}.`;
  }
  const terms = found.slice(0, 4).map((path) => path.contribution);
  const more = found.length - terms.length;
  const others = found.slice(4).reduce((sum, path) => sum + path.contribution, 0) + rest;
  const hidden = unlisted + BigInt(more);
  const parts = terms.map((x, i) => (i && x < 0 ? `(${long(x)})` : long(x)));
  if (hidden > 0n) parts.push(`${long(others)} from ${hidden.toLocaleString("en-US")} others`);
  return `${many}: ${parts.join(" + ")} → ${long(total!)}`;
}
