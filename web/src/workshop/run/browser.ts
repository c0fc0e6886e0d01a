/** The file runs in this page: Python in a worker, which is loaded at the first run and ended when it does not answer. */

import { asReport, type Report } from "../report";
import { Stopped, unusable, type Runner, type Source } from "./runner";
import { startWorker } from "./start";
import type { Job, Word } from "./words";

/** How long a program may run without a word, in milliseconds. */
export const PATIENCE = 3000;
/** How many programs may hang, before the rest is not tried. */
const MOST_HANGING = 3;

/** How an attempt ended: with a report, or in a program that hangs or kills Python. */
type End = { report: unknown } | { lost: string; died: boolean };

export class BrowserRunner implements Runner {
  private worker: Worker | null = null;
  private ready = false;
  private cancel: (() => void) | null = null;

  /** `megabytes` is the size of Python, and `start` makes a worker. */
  constructor(
    private readonly megabytes: string,
    private readonly start: () => Worker = () => startWorker("workshop", document.baseURI),
  ) {}

  async run(file: Source, tell: (words: string) => void): Promise<Report> {
    const skip: string[] = [];
    for (;;) {
      const end = await this.attempt({ source: file.text, name: file.name, skip }, tell);
      if ("report" in end) return asReport(end.report);
      if (end.lost === "") return unusable(end.died ? DIED_AT_ONCE : HANGS_AT_ONCE);
      skip.push(end.lost);
      if (skip.length >= MOST_HANGING) return unusable(hanging(skip));
      tell(`${end.lost} ${end.died ? "ended Python" : "does not end"}. Going on without it …`);
    }
  }

  /** Ends a run at once: a worker that is busy hears nothing else. */
  stop(): void {
    this.cancel?.();
  }

  private attempt(job: Job, tell: (words: string) => void): Promise<End> {
    return new Promise<End>((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let program = "";
      const worker = (this.worker ??= this.start());
      const finish = (settle: () => void, alive: boolean) => {
        clearTimeout(timer);
        this.cancel = worker.onmessage = worker.onerror = null;
        if (!alive) this.end();
        settle();
      };
      const lost = (died: boolean) => finish(() => resolve({ lost: program, died }), false);
      const watch = () => {
        clearTimeout(timer);
        timer = setTimeout(() => lost(false), PATIENCE);
      };
      const begin = () => {
        this.ready = true;
        tell("Running in this page …");
        watch();
        worker.postMessage(job);
      };
      worker.onmessage = ({ data }: MessageEvent<Word>) => {
        if (data.kind === "ready") begin();
        else if (data.kind === "failed") finish(() => reject(new Error(data.message)), false);
        else if (data.kind === "report") finish(() => resolve({ report: data.report }), true);
        else if (data.kind === "died") lost(true);
        else if (data.kind !== "program") return; // of a cell
        else if (data.id === null) clearTimeout(timer);
        else {
          program = data.id;
          watch();
        }
      };
      worker.onerror = (event) => {
        event.preventDefault();
        // once it is ready, the worker reports errors by words; this may be a module that the policy has refused
        if (!this.ready) finish(() => reject(new Error("Python could not be loaded. Reload the page.")), false);
      };
      this.cancel = () => finish(() => reject(new Stopped()), false);
      if (this.ready) begin();
      else tell(`Loading Python (${this.megabytes} MB) …`);
    });
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
  }
}

const HANGS_AT_ONCE =
  "The file runs for more than 3 seconds when it is loaded. Look for a loop outside functions that never ends.";
const DIED_AT_ONCE = "The file ends Python when it is loaded. Look for endless recursion outside functions.";

function hanging(programs: readonly string[]): string {
  const list = programs.map((program) => `“${program}”`).join(", ");
  return `${list}: these programs did not end, so the others were not tried. Look for a loop or a recursion that never ends.`;
}
