"""Fill in the generated tables of README and of the manual: ``python -m docs.tables``.

No figure is written by hand: the ratios are read from ``benchmarks/results.json``, which
``make bench`` writes, from ``benchmarks/places.json``, which ``python benchmarks/places.py``
writes, and from ``benchmarks/gradbench/results.json``, which
``python -m benchmarks.gradbench.measure`` writes, and the conventions from the table of operations.
A block is enclosed by
``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from gradwalk.ops import TABLE
from gradwalk.ops.array import TABLE as ARRAY_TABLE

__all__ = [
    "FILLED",
    "filled",
    "filled_accuracy",
    "filled_benchmarks",
    "filled_gradbench",
    "filled_manual",
    "gradbench",
    "kinks",
    "places",
    "programs",
]
__all__ += ["ratios", "speed", "table"]

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results.json"
PLACES = ROOT / "benchmarks" / "places.json"
GRADBENCH = ROOT / "benchmarks" / "gradbench" / "results.json"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown. A head that ends with a colon marks a column of numbers.

    >>> print(table(["row", "ulp:"], [["exp", "0.5"]]))
    | row | ulp |
    |---|--:|
    | exp | 0.5 |
    """
    rules = ["--:" if name.endswith(":") else "---" for name in head]
    lines = [[name.removesuffix(":") for name in head], *rows]
    written = [f"| {' | '.join(line)} |" for line in lines]
    written.insert(1, f"|{'|'.join(rules)}|")
    return "\n".join(written)


def kinks() -> str:
    """Return the conventions at kinks, ties and jumps, one line per operation that has one."""
    return table(["function", "convention"], [(f"`{r.name}`", r.kinks) for r in _with_kinks()])


def _with_kinks() -> list[Any]:
    rows = [*TABLE.values(), *ARRAY_TABLE.values()]
    return [primitive for primitive in rows if primitive.kinks]


def ratios(results: dict[str, Any] | None) -> str:
    """Return the table of measured ratios, or a sentence if there are no results yet."""
    if results is None:
        return "Not measured yet: `make bench` writes the figures."
    head = ["what", "median:", "lowest to highest", "must", "aim", "peak memory"]
    lines = [_ratio(bar) for bar in results["bars"]]
    return f"{table(head, lines)}\n\n{_source(results['machine'])}"


def _source(machine: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    when = (
        f"Measured on {machine['date']} at commit {machine['commit']}: "
        if "date" in machine
        else ""
    )
    return (
        f"{when}{machine['processor']}, {machine['cores']} cores, {machine['system']};"
        f" {machine['python']} ({machine['compiler']}); {versions}."
    )


def _ratio(bar: dict[str, Any]) -> list[str]:
    sign = "≥" if bar["more_is_better"] else "≤"
    bounds = ["" if bar[name] is None else f"{sign} {bar[name]:g}" for name in ("must", "aim")]
    span = f"{_short(bar['min'])} to {_short(bar['max'])}"
    return [bar["title"], f"{_short(bar['median'])} {bar['unit']}", span, *bounds, _memory(bar)]


def _memory(bar: dict[str, Any]) -> str:
    """Return the peak megabytes of both processes, gradwalk's first, if they are compared."""
    facts = bar.get("facts", {})
    if "over_peak_mb" not in facts:
        return ""
    return f"{_short(facts['over_peak_mb'])} / {_short(facts['under_peak_mb'])} MB"


def _short(number: float) -> str:
    return f"{number:.0f}" if abs(number) >= 100 else f"{number:.3g}"


def gradbench(results: dict[str, Any]) -> str:
    """Return the table of the times of GradBench's evals."""
    head = ["eval", "function:", "derivative:", "ratio:", "first call:", "JAX:", "PyTorch:"]
    lines = [line for eval in results["evals"] for line in _eval_lines(eval)]
    return f"{table(head, lines)}\n\n{_source(results['machine'])}"


def _eval_lines(eval: dict[str, Any]) -> list[list[str]]:
    """Return one line, or one for each nesting of `particle` and `saddle`."""
    sizes = " ".join(f"{name} {size}" for name, size in eval["sizes"].items())
    own = eval["ms"]["gradwalk"]
    if "over_function" not in eval:
        return [
            [f"{eval['name']} {n}", "", _short(t["call"]), "", _short(t["first"]), "", ""]
            for n, t in own.items()
        ]
    function, derivative = own.values()
    others = [[*eval["ms"].get(peer, {}).values()] for peer in ("jax", "torch")]
    return [[
        f"{eval['name']} {sizes}",
        *(_short(times["call"]) for times in (function, derivative)),
        _short(eval["over_function"]),
        _short(derivative["first"]),
        *(_short(other[1]["call"]) if other else "" for other in others),
    ]]  # fmt: skip


def places(results: dict[str, Any] | None) -> str:
    """Return the table of arrays of other libraries, or a sentence if there are no results yet."""
    if results is None:
        return "Not measured yet: `python benchmarks/places.py cuda` measures them."
    head = ["what", "found:", "must", "aim", "gradwalk and peer"]
    machine = results["machine"]
    rows = map(_place, results["bars"])
    on = ON[machine["on"]].removeprefix("on ")
    return f"{table(head, rows)}\n\nOn {machine['device']}: {on}. {_source(machine)}"


def _place(bar: dict[str, Any]) -> list[str]:
    """Return a row; one that has no figure says so."""
    bounds = ["" if bar[name] is None else f"≤ {bar[name]:g}" for name in ("must", "aim")]
    found = f"{_short(median(bar['rounds']))} {bar['unit']}" if "rounds" in bar else "not measured"
    pairs = [
        f"{_short(bar[f'ours{end}'])} / {_short(bar[f'peer{end}'])} {unit}"
        for end, unit in (("_ms", "ms"), ("_s", "s"), ("_mb", "MB"), ("", ""))
        if f"ours{end}" in bar
    ]
    return [bar["title"], found.strip(), *bounds, ", ".join(pairs).strip()]


SPEED = {
    "moons": "Training a small network, one number at a time: {} times as fast as micrograd.",
    "replay": "The same training, recorded once and then run without Python: {} times as fast.",
    "tensor-torch": "Training a network on arrays: {} of the time that PyTorch takes on the CPU.",
    "grad-cost": "A function of arrays with its gradient: {} times the time of the function alone.",
    "import": "`import gradwalk`: {} ms.",
}
"""The bars of README, by name, and a sentence for the median of each."""


SPEED_ELSEWHERE = {
    "jax": "A training step of a GPT on arrays of JAX: {} of the time that JAX takes",
    "torch": "The same on arrays of PyTorch: {} of the time that `torch.compile` takes",
    "scalars-black-scholes": "Derivatives of millions of options: {} of the time of JAX",
}
"""The bars of places that README shows."""


ON = {"cuda": "on a GPU", "cpu": "on the CPU; GPUs are not measured yet"}
"""What is said of a device."""


def speed(results: dict[str, Any], elsewhere: dict[str, Any] | None = None) -> str:
    """Return the list of the ratios that README shows."""
    medians = {bar["name"]: _short(bar["median"]) for bar in results["bars"]}
    lines = [f"* {text.format(f'**{medians[name]}**')}" for name, text in SPEED.items()]
    source = _source(results["machine"])
    if elsewhere is not None:
        found = {bar["name"]: bar["rounds"] for bar in elsewhere["bars"] if "rounds" in bar}
        machine = elsewhere["machine"]
        lines += [
            f"* {text.format(f'**{_short(median(found[name]))}**')} ({ON[machine['on']]})."
            for name, text in SPEED_ELSEWHERE.items()
            if name in found
        ]
        source += f" Arrays of JAX and PyTorch: {machine['device']}, {machine['date']}."
    return "\n".join([*lines, "", source])


def filled(text: str) -> str:
    """Return the text of README with its block up to date."""
    results = json.loads(RESULTS.read_text("utf-8"))
    return _with_block(text, "speed", speed(results, _places()))


def _places() -> dict[str, Any] | None:
    return json.loads(PLACES.read_text("utf-8")) if PLACES.exists() else None


def filled_benchmarks(text: str) -> str:
    """Return the text of the manual's page of all ratios with its table up to date."""
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else None
    return _with_block(_with_block(text, "bench", ratios(results)), "places", places(_places()))


def filled_accuracy(text: str) -> str:
    """Return the text of the manual's page of conventions with its table up to date."""
    return _with_block(text, "kinks", kinks())


def filled_gradbench(text: str) -> str:
    """Return the text of the manual's page of GradBench with its table up to date."""
    return _with_block(text, "gradbench", gradbench(json.loads(GRADBENCH.read_text("utf-8"))))


def _with_block(text: str, name: str, block: str) -> str:
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    if not 0 <= text.find(begin) < text.find(end):
        raise SystemExit(f"docs.tables: the marks of the block {name} are missing.")
    before, _, rest = text.partition(begin)
    return f"{before}{begin}{block}\n{end}{rest.partition(end)[2]}"


PROGRAMS = ("replay", "microgpt", "compiled-hessian", "compiled-grad", "compiled-call")
"""The bars of the manual's page about programs."""


def programs(results: dict[str, Any]) -> str:
    """Return the table of measured ratios of programs."""
    lines = [_ratio(bar)[:-1] for bar in results["bars"] if bar["name"] in PROGRAMS]
    return table(["what", "median:", "lowest to highest", "must", "aim"], lines)


def filled_manual(text: str) -> str:
    """Return the text of the manual's page about programs with its table up to date."""
    return _with_block(text, "programs", programs(json.loads(RESULTS.read_text("utf-8"))))


FILLED = {
    ROOT / "README.md": filled,
    ROOT / "docs" / "manual" / "accuracy.md": filled_accuracy,
    ROOT / "docs" / "manual" / "benchmarks.md": filled_benchmarks,
    ROOT / "docs" / "manual" / "compile.md": filled_manual,
    ROOT / "docs" / "manual" / "gradbench.md": filled_gradbench,
}
"""The pages with generated tables, and the function that fills each."""


def main() -> None:
    """Rewrite the pages with their tables up to date."""
    for page, fill in FILLED.items():
        page.write_text(fill(page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
