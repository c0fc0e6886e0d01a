/** Starts the worker with Python.
 *
 * It starts from a text. Such a worker has the page's Content-Security-Policy; one from a file would have that of its own
 * response, and servers of files send none. So the learner's code cannot reach another server. */

/** `name` says what the worker runs, and `base` is the address of a file beside the script of the worker. */
export function startWorker(name: "workshop" | "cells", base: string): Worker {
  const script = new URL("workshop-worker.js", base).href;
  const text = URL.createObjectURL(new Blob([`import ${JSON.stringify(script)};`], { type: "text/javascript" }));
  return new Worker(text, { type: "module", name });
}
