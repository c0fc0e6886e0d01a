/** Local derivatives of edges. */

import { localSlopes, type Run } from "../../engine";

/** Returns the derivative of a node with respect to its operand at `position`; null if no gradient flows. */
export function slopeOf(run: Run, node: number, position: number): number | null {
  return localSlopes(run, node)[position] ?? null;
}
