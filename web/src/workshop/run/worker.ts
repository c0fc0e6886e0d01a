/** Python in a worker: it loads the interpreter and the judge from the site's own folder, and runs one file at a time. */

import type { Job, Word } from "./words";

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

/** The judge writes JSON, because a dictionary that crosses to JavaScript would have to be converted. */
const JUDGE = `
import json, sys
sys.path.insert(0, "/gradwalk")
from gradwalk.workshop.inside import check_here

def judge(source, name, skip, started, judging):
    report = check_here(source, name, started=started, judging=judging, skip=tuple(skip))
    return json.dumps(report.as_json())
`;

async function load(): Promise<(job: Job) => unknown> {
  const { loadPyodide } = (await import(/* @vite-ignore */ new URL("pyodide.mjs", folder).href)) as {
    loadPyodide(options: object): Promise<Python>;
  };
  const [python, archive] = await Promise.all([loadPyodide({ indexURL: folder.href }), ofFolder("gradwalk.zip")]);
  python.setStdout({ batched: () => {} }); // the judge keeps what the file prints
  python.setStderr({ batched: () => {} });
  python.unpackArchive(archive, "zip", { extractDir: "/gradwalk" });
  python.runPython(JUDGE);
  const judge = python.globals.get("judge");
  const started = (id: string) => say({ kind: "program", id });
  const judging = () => say({ kind: "program", id: null });
  return ({ source, name, skip }) => JSON.parse(judge(source, name, python.toPy(skip), started, judging));
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
  (judge) => {
    onmessage = ({ data }: MessageEvent<Job>) => {
      try {
        say({ kind: "report", report: judge(data) });
      } catch (error) {
        say({ kind: "died", message: messageOf(error) });
      }
    };
    say({ kind: "ready" });
  },
  (error: unknown) => say({ kind: "failed", message: `Python could not be loaded: ${messageOf(error)}. Reload the page.` }),
);
