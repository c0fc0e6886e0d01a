/** What a layout is given, and what it returns. */

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Rect extends Point, Size {}

/** An edge from box `source` to box `target`. */
export interface Arc {
  source: number;
  target: number;
}

export interface Plan extends Size {
  /** One per box: its upper left corner and its size. */
  rects: Rect[];
  /** One per edge: from the right side of the operand to the left side of the user. */
  paths: Point[][];
}

/** Counts what an algorithm looks at, so that a test can bound it without a clock. */
export interface Effort {
  steps: number;
}
