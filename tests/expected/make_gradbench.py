"""Write gradbench.json: inputs of GradBench's evals, and their outputs by `gradbench` to 50 digits.

``python tests/expected/make_gradbench.py`` needs mpmath, and takes a minute.
"""

# ruff: noqa: I001  # which of two folders named gradbench is ours, ruff cannot see
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]

from benchmarks.gradbench import inputs  # noqa: E402
from gradbench import arrays, bodies, steps  # noqa: E402
from gradbench.digits import Given  # noqa: E402

EVALS = {
    **{name: getattr(arrays, name) for name in ("det", "gmm", "kmeans", "llsq", "lse")},
    **{name: getattr(steps, name) for name in ("hello", "lstm", "ode", "particle", "saddle")},
    **{name: getattr(bodies, name) for name in ("ba", "ht")},
}

CASES: dict[str, list[Given]] = {
    "det": [{"ell": 1}, {"ell": 2}, {"ell": 5}],
    "gmm": [{"d": 2, "k": 3, "n": 4}, {"d": 1, "k": 1, "n": 2},
            {"d": 3, "k": 2, "n": 3, "m": 2, "gamma": 0.7}],
    "ba": [{"n": 2, "m": 3, "p": 4}, {"n": 3, "m": 2, "p": 1}],
    "ht": [{"points": 3, "vertices": 4}, {"points": 2, "vertices": 3, "triangles": False}],
    "kmeans": [{"k": 3, "n": 9, "d": 2}, {"k": 1, "n": 3, "d": 1}, {"k": 4, "n": 4, "d": 2}],
    "llsq": [{"n": 7, "m": 4}, {"n": 2, "m": 1}, {"n": 5, "m": 8}],
    "lse": [{"n": 5}, {"n": 1}],
    "lstm": [{"layers": 2, "characters": 5, "bits": 3}, {"layers": 1, "characters": 2, "bits": 1},
             {"layers": 3, "characters": 3, "bits": 2}],
    "ode": [{"n": 4, "s": 3}, {"n": 1, "s": 1}, {"n": 3, "s": 10}],
    "particle": [{}],
    "saddle": [{}],
}  # fmt: skip
"""The sizes of the drawn inputs of each eval."""


def special() -> list[tuple[str, Any]]:
    """Return inputs at the edges of the definitions."""
    resting = rounded(inputs.drawn("ba", n=1, m=1, p=2))
    resting["cam"][:3] = [0.0, 0.0, 0.0]
    still = rounded(inputs.drawn("ht", points=2, vertices=3))
    still["theta"][:3] = [1e-5, -2e-5, 3e-5]
    mirrored = rounded(inputs.drawn("ht", points=1, vertices=3, triangles=False))
    mirrored["data"]["model"]["is_mirrored"] = True
    return [
        *(("hello", x) for x in (3.0, -0.5, 0.0)),
        ("lse", {"x": [1000.0, -1000.0, 999.5]}),
        ("lse", {"x": [2.0, 2.0, 2.0]}),
        ("ba", resting),
        ("ht", still),
        ("ht", mirrored),
        ("saddle", {"start": [0.5, -2.0]}),
        ("particle", {"w": 0.1}),
    ]


def rounded(nested: Any) -> Any:
    """Return nested numbers with four decimals: the file is shorter, and the inputs are exact."""
    if isinstance(nested, dict):
        return {name: rounded(part) for name, part in nested.items()}
    if isinstance(nested, list):
        return [rounded(part) for part in nested]
    return round(nested, 4) if isinstance(nested, float) else nested


def plain(nested: Any) -> Any:
    """Return nested numbers as floats."""
    if isinstance(nested, dict):
        return {name: plain(part) for name, part in nested.items()}
    if isinstance(nested, list | tuple):
        return [plain(part) for part in nested]
    return nested if isinstance(nested, int) else float(nested)


def main() -> None:
    """Write the file."""
    drawn = [
        (name, rounded(inputs.drawn(name, **sizes))) for name, all in CASES.items() for sizes in all
    ]
    cases = [{"module": name, "input": given, "outputs": plain(EVALS[name](given))}
             for name, given in [*drawn, *special()]]  # fmt: skip
    text = ",\n".join(json.dumps(case) for case in cases)
    Path(__file__).with_name("gradbench.json").write_text(f"[\n{text}\n]\n", "utf-8")


if __name__ == "__main__":
    main()
