/** The rows of the node table: filtered and sorted. */

import type { Run } from "../engine";
import { factsOf, type GroupFacts } from "./facts";
import { predicateOf, type Predicate } from "./predicate";
import { isWrong, isWrongGradient } from "./wrong";

export type Column = "program" | "name" | "op" | "data" | "grad" | "change";

export interface Order {
  column: Column;
  descending: boolean;
}

/** The nodes found, or why a condition could not be read. */
export interface Found {
  rows: readonly number[];
  mistake: string;
}

/** The nodes that satisfy a condition or whose name contains a text. Constants are listed only on request. */
export function nodesFor(run: Run, words: string, within: readonly number[] | null = null): Found {
  const parsed = predicateOf(words);
  if (parsed && "mistake" in parsed) return { rows: [], mistake: parsed.mistake };
  const holds = parsed ? parsed.holds : named(words);
  const all = within ?? run.graph.nodes.map((node) => node.index);
  return { rows: all.filter((index) => holds(run, index)), mistake: "" };
}

function named(words: string): Predicate {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return (run, i) => !run.graph.nodes[i]!.constant;
  return (run, i) => {
    const { name, op, group, index } = run.graph.nodes[i]!;
    return name.toLowerCase().includes(wanted) || op === wanted || group === wanted || `v${index}` === wanted;
  };
}

/** Rows in another order. Numbers are sorted by their size, and those that are not finite come first. */
export function sorted(run: Run, rows: readonly number[], order: Order, before: Run | null = null): number[] {
  const { column, descending } = order;
  const { nodes } = run.graph;
  const made = [...rows];
  const sign = descending ? -1 : 1;
  if (column === "program") return descending ? made.reverse() : made;
  if (column === "name" || column === "op") {
    const texts = new Map(made.map((i) => [i, nodes[i]![column]]));
    return made.sort((a, b) => sign * compared(texts.get(a)!, texts.get(b)!) || a - b);
  }
  const keys = new Float64Array(nodes.length);
  for (const i of made) keys[i] = sizeOf(run, i, column, before);
  return made.sort((a, b) => sign * (keys[a] === keys[b] ? 0 : keys[a]! - keys[b]!) || a - b);
}

const COLLATOR = new Intl.Collator("en", { numeric: true });

function compared(a: string, b: string): number {
  return a === b ? 0 : COLLATOR.compare(a, b);
}

function sizeOf(run: Run, index: number, column: Column, before: Run | null): number {
  if (column === "change") return before ? changeOf(before, run, index) : 0;
  const x = column === "data" ? run.data[index]! : (run.gradients[index] ?? null);
  if (x === null) return -1;
  const wrong = column === "data" ? isWrong(run, index) : isWrongGradient(run, index);
  return Number.isNaN(x) || wrong ? Infinity : Math.abs(x);
}

/** How much a node differs between two runs, relative to its size: the larger of value and gradient. */
export function changeOf(before: Run, now: Run, index: number): number {
  const data = difference(before.data[index]!, now.data[index]!);
  return Math.max(data, difference(before.gradients[index] ?? null, now.gradients[index] ?? null));
}

function difference(a: number | null, b: number | null): number {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return 0;
  if (a === null || b === null || !Number.isFinite(a) || !Number.isFinite(b)) return Infinity;
  return Math.abs(b - a) / Math.max(Math.abs(a), Math.abs(b));
}

export interface GroupRow extends GroupFacts {
  id: string;
  title: string;
  members: readonly number[];
}

/** The rows of several groups, those with NaN first, then the largest gradient. */
export function groupRows(
  run: Run,
  groups: readonly { id: string; title: string; members: readonly number[] }[],
): GroupRow[] {
  const rows = groups.map(({ id, title, members }) => ({ id, title, members, ...factsOf(run, members) }));
  return rows.sort((a, b) => b.wrong - a.wrong || b.gradients - a.gradients);
}
