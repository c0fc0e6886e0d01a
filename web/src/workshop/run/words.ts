/** What the page and the worker say to each other. */

/** To the worker: check a file, without the programs in `skip`. */
export interface Job {
  source: string;
  name: string;
  skip: string[];
}

/** To the worker: run a cell of the manual. The earlier cells of its page run first, silently. */
export interface CellJob {
  code: string;
  before: string[];
}

/** What ended a cell before its end. */
export interface CellError {
  line: number | null;
  message: string;
}

export type Word =
  /** Python is loaded. */
  | { kind: "ready" }
  /** Python could not be loaded. */
  | { kind: "failed"; message: string }
  /** This program begins; "": the file is loaded; null: the learner's code has ended, and the judge compares. */
  | { kind: "program"; id: string | null }
  /** The end of a run. */
  | { kind: "report"; report: unknown }
  /** What a cell prints. */
  | { kind: "printed"; text: string }
  /** The end of a cell. */
  | { kind: "done"; error: CellError | null }
  /** Python has died, or the judge has failed. */
  | { kind: "died"; message: string };
