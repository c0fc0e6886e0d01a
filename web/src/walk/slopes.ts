/** Local derivatives of edges. */

import { localSlopes, type Run } from "../engine";

/** The local derivative of a node with respect to its operand at `position`; null: none flows. */
export function slopeOf(run: Run, node: number, position: number): number | null {
  return localSlopes(run, node)[position] ?? null;
}
