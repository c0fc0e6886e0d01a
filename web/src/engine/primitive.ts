/** A primitive, as `python -m gradwalk.studio.printed` writes it into table.ts. */

export interface Primitive {
  name: string;
  params: string[];
  /** Default values of the last params. */
  defaults: number[];
  infix: string;
  summary: string;
  kinks: string;
  tex: string;
  mathml: string;
  /** The value. Conditions return 0 or 1. */
  forward: (...x: number[]) => number;
  /** One per argument: its contribution for an incoming gradient t. `null`: declared to have no
   * derivative. A call returns `null` where the gradient is blocked, which differs from a gradient of 0. */
  rules: (((t: number, y: number, ...x: number[]) => number | null) | null)[];
  /** One per argument: the local derivative as a formula; "" if it is too long to read. */
  slopes: (Formula | null)[];
}

export interface Formula {
  text: string;
  mathml: string;
}
