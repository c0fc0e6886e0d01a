/** The differences between two runs. */

import type { Run } from "../../engine";

export interface Change {
  node: number;
  what: "value" | "gradient";
  old: number | null;
  now: number | null;
  /** How large the change is, for the order of the list. */
  size: number;
}

/** `Object.is`, but 0 and -0 are the same number to a reader. */
function same(a: number | null, b: number | null): boolean {
  return a === b || (a !== null && b !== null && Number.isNaN(a) && Number.isNaN(b));
}

function size(old: number | null, now: number | null): number {
  if (old === null || now === null) return Math.abs(now ?? old ?? 0);
  const difference = Math.abs(now - old);
  return Number.isNaN(difference) ? Infinity : difference;
}

/** Returns all values and gradients that differ between two runs of one graph, the largest change first. */
export function changes(old: Run, now: Run): Change[] {
  const found: Change[] = [];
  const note = (node: number, what: Change["what"], a: number | null, b: number | null) => {
    if (!same(a, b)) found.push({ node, what, old: a, now: b, size: size(a, b) });
  };
  now.data.forEach((x, node) => note(node, "value", old.data[node] ?? null, x));
  now.gradients.forEach((x, node) => note(node, "gradient", old.gradients[node] ?? null, x));
  return found.sort((a, b) => b.size - a.size || a.node - b.node);
}
