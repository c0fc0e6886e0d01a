"""Exported files, compiled or loaded, as functions of Python."""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
NODE = shutil.which("node")
FLAGS = ["-std=c99", "-ffp-contract=off", "-fno-builtin", "-Wall", "-Wextra", "-Werror"]

Call = Callable[..., tuple[int, list[list[float]]]]


def heads(path: Path) -> dict[str, list[tuple[str, int | None]]]:
    """Return the parameters of each function in a C file: name and size, None for a number."""
    found = re.findall(r"^int (\w+)\((.*)\)\n\{", path.read_text(), re.MULTILINE)
    parameters = {}
    for name, text in found:
        pairs = re.findall(r"double (\w+)(?:\[(\d+)\])?", text)
        parameters[name] = [(p, int(size) if size else None) for p, size in pairs]
    return parameters


def load_c(path: Path, compiler: str = "gcc", level: str = "-O2") -> dict[str, Call]:
    """Compile a file and return its functions."""
    library = path.with_suffix(f".{compiler}{level}.so")
    subprocess.run(
        [compiler, *FLAGS, level, "-shared", "-fPIC", "-o", str(library), str(path), "-lm"],
        check=True,
    )
    loaded = ctypes.CDLL(str(library))
    return {name: _caller(loaded, name, given) for name, given in heads(path).items()}


def _caller(library: Any, name: str, parameters: Sequence[tuple[str, int | None]]) -> Call:
    function = library[name]

    def call(*args: Any) -> tuple[int, list[list[float]]]:
        passed: list[Any] = []
        results = []
        for i, (_, size) in enumerate(parameters):
            if size is None:
                passed.append(ctypes.c_double(args[i]))
                continue
            array = (ctypes.c_double * size)(*(args[i] if i < len(args) else ()))
            passed.append(array)
            if i >= len(args):
                results.append(array)
        status = function(*passed)
        return status, [list(r) for r in results]

    return call


SCRIPT = """
const exported = require(process.argv[1]);
const [name, sizes, calls] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const number = (x) => (typeof x === "string" ? Number(x) : x);
const read = (x) => (Array.isArray(x) ? Float64Array.from(x, number) : number(x));
const bits = (x) => Buffer.from(Float64Array.of(x).buffer).toString("hex");
const out = calls.map((args) => {
  const results = sizes.map((size) => new Float64Array(size));
  const status = exported[name](...args.map(read), ...results);
  return [status, results.map((r) => Array.from(r, bits))];
});
console.log(JSON.stringify(out));
"""


def run_js(
    path: Path, name: str, sizes: Sequence[int], calls: Sequence[Sequence[Any]]
) -> list[tuple[int, list[list[float]]]]:
    """Call a function of a JavaScript file in Node; results have these sizes."""
    text = json.dumps([name, list(sizes), [[_text(x) for x in args] for args in calls]])
    done = subprocess.run(
        [str(NODE), "-e", SCRIPT, str(path)], input=text, capture_output=True, text=True, check=True
    )
    return [
        (status, [[_double(x) for x in r] for r in results])
        for status, results in json.loads(done.stdout)
    ]


def _text(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return [_text(y) for y in x]
    return repr(x).replace("inf", "Infinity").replace("nan", "NaN")


def _double(bits: str) -> float:
    return float(ctypes.c_double.from_buffer_copy(bytes.fromhex(bits)).value)
