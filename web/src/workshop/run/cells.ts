/** Runs cells of the manual: Python in a worker that all cells of a page share. */

import { signal } from "@preact/signals";
import { Stopped } from "./runner";
import { startWorker } from "./start";
import type { CellError, CellJob, Word } from "./words";

/** How long a cell may run, in milliseconds. */
export const PATIENCE = 10_000;

export class CellRunner {
  /** Whether a cell runs; then no other one can. */
  readonly busy = signal(false);
  /** Whether Python is loaded. */
  readonly loaded = signal(false);
  private worker: Worker | null = null;
  private cancel: (() => void) | null = null;

  /** `megabytes` is the size of Python, and `start` makes a worker. */
  constructor(
    readonly megabytes: string,
    private readonly start: () => Worker = startCells,
  ) {}

  /** Runs a cell. `tell` gets what happens, and `print` what the cell prints. Rejects with `Stopped` after `stop`. */
  async run(job: CellJob, tell: (words: string) => void, print: (text: string) => void): Promise<CellError | null> {
    this.busy.value = true;
    try {
      return await this.attempt(job, tell, print);
    } finally {
      this.busy.value = false;
    }
  }

  /** Ends a run at once: a worker that is busy hears nothing else. */
  stop(): void {
    this.cancel?.();
  }

  private attempt(job: CellJob, tell: (words: string) => void, print: (text: string) => void): Promise<CellError | null> {
    return new Promise((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const worker = (this.worker ??= this.start());
      const finish = (settle: () => void, alive: boolean) => {
        clearTimeout(timer);
        this.cancel = worker.onmessage = worker.onerror = null;
        if (!alive) this.end();
        settle();
      };
      const failed = (message: string) => finish(() => resolve({ line: null, message }), false);
      const begin = () => {
        this.loaded.value = true;
        tell("Running …");
        timer = setTimeout(() => failed(TOO_LONG), PATIENCE);
        worker.postMessage(job);
      };
      worker.onmessage = ({ data }: MessageEvent<Word>) => {
        if (data.kind === "ready") begin();
        else if (data.kind === "printed") print(data.text);
        else if (data.kind === "done") finish(() => resolve(data.error), true);
        else if (data.kind === "failed") failed(data.message);
        else if (data.kind === "died") failed(DIED);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        // once Python is loaded, the worker reports errors by words; this may be a module that the policy has refused
        if (!this.loaded.value) failed("Python could not be loaded. Reload the page.");
      };
      this.cancel = () => finish(() => reject(new Stopped()), false);
      if (this.loaded.value) begin();
      else tell(`Loading Python (${this.megabytes} MB) …`);
    });
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = null;
    this.loaded.value = false;
  }
}

const TOO_LONG = `Stopped after ${PATIENCE / 1000} seconds. Look for a loop that never ends.`;
const DIED = "The cell has ended Python. Look for endless recursion.";

function startCells(): Worker {
  const here = import.meta.url;
  return startWorker("cells", here);
}
