/** Two runs side by side: nodes of one graph beside those of another, of an earlier or a changed program. */

import type { CheckedGraph, Run } from "../engine";

/** For each node of `now` its counterpart in `before`, or -1: nodes are matched by their place if both graphs
 * have the same operations, otherwise by their names. */
export function matched(before: CheckedGraph, now: CheckedGraph): Int32Array {
  const same =
    before.size === now.size &&
    now.nodes.every(({ op, inputs, constant }, i) => {
      const other = before.nodes[i]!;
      return op === other.op && constant === other.constant && inputs.every((input, k) => input === other.inputs[k]);
    });
  if (same) return Int32Array.from(now.nodes, ({ index }) => index);
  const known = new Map<string, number>();
  for (const { name, index, constant } of before.nodes) if (!constant) known.set(name, index);
  return Int32Array.from(now.nodes, ({ name, constant, index }) => {
    if (!constant && index === now.root) return before.root;
    return constant ? -1 : (known.get(name) ?? -1);
  });
}

/** An earlier run as if it were one of the graph of `now`; nodes without a counterpart have no numbers. */
export function beside(before: Run, now: CheckedGraph): Run {
  const place = matched(before.graph, now);
  const data = Array.from(place, (i, index) => {
    const record = now.nodes[index]!;
    if (i >= 0) return before.data[i]!;
    return record.constant ? Number(now.document.nodes[index]!.data) : NaN;
  });
  const gradients = Array.from(place, (i) => (i >= 0 ? (before.gradients[i] ?? null) : null));
  return { ...before, graph: now, data, gradients };
}

/** How many nodes of `now` have no counterpart. */
export function unmatched(before: CheckedGraph, now: CheckedGraph): number {
  return matched(before, now).reduce((count, i, index) => count + Number(i < 0 && !now.nodes[index]!.constant), 0);
}
