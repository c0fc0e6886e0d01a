// Run cells in Pyodide as a page of the manual does. The job is JSON: the archive of Values, and examples with their
// code and the earlier ones that they need. The answer is what each has printed, and its error.
// Usage: node cells.mjs < JOB
import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const { archive, examples } = JSON.parse(readFileSync(0, "utf-8"));
const python = await loadPyodide();
const bytes = readFileSync(archive);
const content = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
python.unpackArchive(content, "zip", { extractDir: "/gradwalk" });
python.runPython("import sys; sys.path.insert(0, '/gradwalk'); import json; from cell import run_cell");
python.runPython("def run(code, before, write): return json.dumps(run_cell(code, tuple(before), write))");
const run = python.globals.get("run");
const answers = examples.map(({ code, before }) => {
  let printed = "";
  const error = JSON.parse(run(code, python.toPy(before), (text) => void (printed += text)));
  return { printed, error };
});
console.log(JSON.stringify(answers));
