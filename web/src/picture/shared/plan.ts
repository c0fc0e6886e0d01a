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
  /** One per edge: from the far side of the operand to the near side of the user. */
  paths: Point[][];
  /** Whether it runs from top to bottom, and not from left to right. */
  down: boolean;
}

/** Counts what an algorithm looks at, so that a test can bound it without a clock. */
export interface Effort {
  steps: number;
}
