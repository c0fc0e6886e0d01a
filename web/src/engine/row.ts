/** A row of the table, as `python -m gradwalk.studio.printed` writes it into table.ts. */

export interface Row {
  name: string;
  params: string[];
  /** Values of the last params where a call leaves them out. */
  defaults: number[];
  infix: string;
  summary: string;
  kinks: string;
  tex: string;
  mathml: string;
  /** The operation. Conditions give 0 or 1. */
  forward: (...x: number[]) => number;
  /** One per argument: what a seed t gives to it. `null`: declared to have no derivative. A call
   * gives `null` where a gate is shut: no gradient flows at all, which differs from 0. */
  rules: (((t: number, y: number, ...x: number[]) => number | null) | null)[];
  /** One per argument: the local derivative as a formula; "" where it is too long to be read. */
  slopes: (Formula | null)[];
}

export interface Formula {
  text: string;
  mathml: string;
}
