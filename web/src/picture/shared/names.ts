/** Texts of the picture: names, their patterns, signs, and how wide they are. */

import type { Graph } from "../../engine/graph";
import type { GraphNode } from "../../engine/node";

/** Signs of operations that have one; others are written by name. */
export const SIGNS: Readonly<Record<string, string>> = {
  add: "+",
  sub: "−",
  mul: "×",
  div: "÷",
  neg: "−",
  pow: "^",
  matmul: "@",
};

const LONGEST = 22;
const PLURALS: Readonly<Record<string, string>> = { leaf: "leaves", constant: "constants" };
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]/gu;

export function sign(op: string): string {
  return SIGNS[op] ?? op;
}

/** A name on one line, cut if it is too long for a box; of a path the end is kept, which differs most. */
export function shorten(name: string, longest = LONGEST): string {
  const line = [...name.replace(/\s+/g, " ").trim()];
  if (line.length <= longest) return line.join("");
  const path = /^[\w.[\]*]+$/.test(name) && name.includes(".");
  return path ? `…${line.slice(1 - longest).join("")}` : `${line.slice(0, longest - 1).join("")}…`;
}

/** The width of a text in columns of a monospace font. */
export function columns(text: string): number {
  return [...text].length + (text.match(WIDE)?.length ?? 0);
}

/** A name without the numbers that count equal parts: all except a first one with parts after it.
 * `l0.n3.w7` -> `l0.n*.w*`, `w[3][1]` -> `w[*][*]`. */
export function pattern(name: string): string {
  const kept = /^\D*\d+\.(?=.)/.exec(name)?.[0].length ?? 0;
  return name.slice(0, kept) + name.slice(kept).replace(/\d+/g, "*");
}

/** What a node is counted as: "leaf", "constant" or the name of its operation. */
export function kindOf(node: GraphNode): string {
  return node.constant ? "constant" : node.op || "leaf";
}

export function plural(kind: string, count: number): string {
  return count === 1 ? kind : (PLURALS[kind] ?? kind);
}

const GROUPED = new Intl.NumberFormat("en"); // toLocaleString would create one per call, 2 ms of every step

export function counted(count: number): string {
  return GROUPED.format(count);
}

/** The number of nodes of each kind, the frequent ones first: "3,200 mul, 100 leaves". */
export function tally(graph: Graph, members: readonly number[], most = 3): string {
  const kinds = new Map<string, number>();
  for (const index of members) {
    const kind = kindOf(graph.nodes[index]!);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const sorted = [...kinds].sort((a, b) => b[1] - a[1]);
  const parts = sorted.slice(0, most).map(([kind, n]) => `${counted(n)} ${plural(kind, n)}`);
  const rest = sorted.slice(most).reduce((sum, [, n]) => sum + n, 0);
  return [...parts, ...(rest ? [`${counted(rest)} other`] : [])].join(", ");
}
