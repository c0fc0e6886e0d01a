/** Who runs the learner's file: the studio's server, or Python in this page. */

import type { Report } from "../report";

export interface Source {
  text: string;
  name: string;
}

export interface Runner {
  /** Checks a file. `tell` gets what happens meanwhile, in words. Rejects with `Stopped` after `stop`. */
  run(file: Source, tell: (words: string) => void): Promise<Report>;
  stop(): void;
}

/** The user has stopped the run. */
export class Stopped extends Error {
  constructor() {
    super("Stopped.");
  }
}

/** A report of the page itself: the file cannot be judged. */
export function unusable(message: string): Report {
  return {
    verdict: "unusable", engine: "", phases: [], findings: [], missing: [], printed: "", seconds: 0, stopped: "",
    error: { line: null, message },
  };
}
