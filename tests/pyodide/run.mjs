// Run the tests of Values in Pyodide, where there is neither NumPy nor a compiled engine.
// Usage: node run.mjs SITE [pytest arguments], where SITE is a folder with pytest and hypothesis.
import { writeSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

const here = dirname(fileURLToPath(import.meta.url));
const [site, ...args] = process.argv.slice(2);
const python = await loadPyodide();
python.setStdout({ write: (bytes) => writeSync(1, bytes) });
python.setStderr({ write: (bytes) => writeSync(2, bytes) });
for (const [point, folder] of Object.entries({ "/gradwalk": `${here}/../..`, "/site": site })) {
  python.FS.mkdirTree(point);
  python.mountNodeFS(point, folder);
}
python.globals.set("ARGUMENTS", python.toPy(args));
process.exitCode = python.runPython(`
import os, sys

os.chdir("/gradwalk")
sys.path[:0] = ["/gradwalk/src", "/gradwalk", "/site"]
sys.dont_write_bytecode = True
from tests.pyodide.without_numpy import main

main(ARGUMENTS)
`);
