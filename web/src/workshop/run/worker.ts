/** Python in a worker: it loads the interpreter and a part of gradwalk from the site's own folder, and runs one file, or
 * one cell, at a time. */

import type { CellJob, Job, Word } from "./words";

/** What the page uses of Pyodide. */
interface Python {
  unpackArchive(content: ArrayBuffer, format: "zip", options: { extractDir: string }): void;
  runPython(code: string): unknown;
  setStdout(options: { batched: () => void }): void;
  setStderr(options: { batched: () => void }): void;
  globals: { get(name: string): (...given: unknown[]) => string };
  toPy(value: unknown): unknown;
}

const here = import.meta.url;
const folder = new URL("pyodide/", here);
const say = (word: Word) => postMessage(word);

/** What this worker runs: files of the workshop, or, by its name, cells of the manual. */
const [archive, beginning] =
  self.name === "cells"
    ? ["values.zip", "import gradwalk, json\nfrom cell import run_cell"]
    : ["gradwalk.zip", "import json\nfrom gradwalk.workshop.inside import check_here"];

/** Python writes JSON, because a dictionary that crosses to JavaScript would have to be converted. */
const FUNCTIONS = `
import sys
sys.path.insert(0, "/gradwalk")
${beginning}

def judge(source, name, skip, started, judging):
    report = check_here(source, name, started=started, judging=judging, skip=tuple(skip))
    return json.dumps(report.as_json())

def run(code, before, write):
    return json.dumps(run_cell(code, tuple(before), write))
`;

async function load(): Promise<(job: Job | CellJob) => Word> {
  const { loadPyodide } = (await import(/* @vite-ignore */ new URL("pyodide.mjs", folder).href)) as {
    loadPyodide(options: object): Promise<Python>;
  };
  const [python, files] = await Promise.all([loadPyodide({ indexURL: folder.href }), ofFolder(archive!)]);
  python.setStdout({ batched: () => {} }); // what the code prints is kept in Python
  python.setStderr({ batched: () => {} });
  python.unpackArchive(files, "zip", { extractDir: "/gradwalk" });
  python.runPython(FUNCTIONS);
  const [judge, run] = [python.globals.get("judge"), python.globals.get("run")];
  const started = (id: string) => say({ kind: "program", id });
  const judging = () => say({ kind: "program", id: null });
  const write = (text: string) => say({ kind: "printed", text });
  return (job) =>
    "code" in job
      ? { kind: "done", error: JSON.parse(run(job.code, python.toPy(job.before), write)) }
      : { kind: "report", report: JSON.parse(judge(job.source, job.name, python.toPy(job.skip), started, judging)) };
}

async function ofFolder(name: string): Promise<ArrayBuffer> {
  const answer = await fetch(new URL(name, folder));
  if (!answer.ok) throw new Error(`The site has no ${name}`);
  return answer.arrayBuffer();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

load().then(
  (work) => {
    onmessage = ({ data }: MessageEvent<Job | CellJob>) => {
      try {
        say(work(data));
      } catch (error) {
        say({ kind: "died", message: messageOf(error) });
      }
    };
    say({ kind: "ready" });
  },
  (error: unknown) => say({ kind: "failed", message: `Python could not be loaded: ${messageOf(error)}. Reload the page.` }),
);
