"""Derivatives of large arrays: what a row of an array gives does not depend on how many there are.

The code takes other ways from certain sizes on. All primitives and random programs have to give, in
first, second and mixed derivatives, the same bits there as on the few rows that other tests compare
with the scalar engine and with 60 digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk.ops import TABLE

from ...helpers.amount import examples
from ...helpers.arguments import arguments

SOURCE = Path(gw.__file__).parent
SWITCHES = {
    ("native/_vectors.c", "BLOCK"): 512,
    ("native/buffers/masks.h", "BLOCK"): 512,
    ("native/tensor/operator.h", "FEW"): 64,
    ("native/tensor/reverse.h", "MANY"): 2**20,
    ("ops/array/convolution.py", "BLOCK"): 2**21,  # tests/ops/array/test_convolution.py
    ("ops/array/indexing.py", "BLOCK"): 2**13,
    ("ops/array/losses.py", "SHORT"): 128,
    ("ops/array/masking.py", "FEW"): 512,
    ("ops/array/reduction.py", "SHORT"): 32,
    ("tensor/graph/backward.py", "MANY"): 2**20,
    ("tensor/graph/node.py", "FEW"): 64,
}
"""The sizes of arrays at which the code takes another way."""
QUICK = (33, 65, 129, 513, 2**13 + 1)
MILLION = 2**20 + 1
PLACES = ("ops/array/*.py", "tensor/**/*.py", "levels/*.py", "transforms/tensor_graphs.py",
          "native/_*.c", "native/tensor/*.h", "native/buffers/*.h")  # fmt: skip
CONSTANT = re.compile(r"\b([A-Z][A-Z_]+) = (2 ?\*\* ?\d+|1 << \d+|\d{2,})\b")
SMALLEST = 32  # smaller ones are bounds of ranks, bits and the like
NO_SIZES = {
    ("native/tensor/operator.h", "ANY_AXES"),  # as many as NumPy has
    ("tensor/graph/heap.py", "LARGEST"),  # of memory that stays with the process
}


def constants() -> Iterator[tuple[tuple[str, str], int]]:
    """Numbers with names in what evaluates and differentiates arrays."""
    for file in sorted(file for pattern in PLACES for file in SOURCE.glob(pattern)):
        for name, number in CONSTANT.findall(file.read_text(encoding="utf-8")):
            yield (file.relative_to(SOURCE).as_posix(), name), eval(number)


def test_every_size_at_which_the_code_switches_is_tested() -> None:
    found = {key: n for key, n in constants() if n >= SMALLEST and key not in NO_SIZES}
    assert found == SWITCHES, "test just above the new size, and add it to the table"
    sizes = {size for size in SWITCHES.values() if size <= MILLION}
    assert {size + 1 for size in sizes} <= {*QUICK, MILLION}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


# --- one test for everything ----------------------------------------------------------------------


def derivatives(f: Callable[..., Any], xs: list[Any], vs: list[Any]) -> dict[str, list[Any]]:
    """First, second and mixed derivatives of the sum of ``f``, in several ways."""

    def loss(xs: list[Any]) -> Any:
        return f(*xs).sum()

    gradient = gw.grad(loss)

    def along(xs: list[Any]) -> Any:
        return sum((g * v).sum() for g, v in zip(gradient(xs), vs, strict=True))

    value, tangent = gw.jvp(lambda xs: f(*xs), (xs,), (vs,))
    return {
        "value": [value],
        "jvp": [tangent],
        "grad": gradient(xs),
        "grad of grad": gw.grad(along)(xs),
        "hvp": gw.hvp(loss)(xs, vs),
        "jvp of grad": gw.jvp(gradient, (xs,), (vs,))[1],
    }


def check_rows(
    f: Callable[..., Any], xs: list[Any], vs: list[Any], rows: int, rtol: float = 0.0
) -> None:
    """Compare derivatives of few rows, repeated, with those of the repeated rows."""
    several = [np.resize(x, (rows, *x.shape[1:])) for x in (*xs, *vs)]
    few = derivatives(f, xs, vs)
    many = derivatives(f, several[: len(xs)], several[len(xs) :])
    for way, expected in few.items():
        for i, (a, b) in enumerate(zip(many[way], expected, strict=True)):
            a = np.asarray(a)
            b, largest = np.resize(b, a.shape), np.max(np.abs(b), initial=0.0)
            atol = rtol * largest if largest < np.inf else 0.0
            np.testing.assert_allclose(a, b, rtol, atol, err_msg=f"{way}, argument {i}")


# --- primitives -----------------------------------------------------------------------------------

NAMES = [name for name, primitive in TABLE.items() if primitive.differentiable]
BITS = {"where": 1}


def check_primitive(name: str, rows: int) -> None:
    columns = [np.array(c) for c in zip(*arguments(name, 23), strict=True)]
    conditions = columns[: BITS.get(name, 0)]
    xs = columns[len(conditions) :]
    vs = [np.linspace(0.5, 2.0, x.size) for x in xs]

    def f(*xs: Any) -> Any:
        return TABLE[name](*[np.resize(c > 0.0, xs[0].shape) for c in conditions], *xs)

    check_rows(f, xs, vs, rows)


@pytest.mark.parametrize("rows", QUICK)
@pytest.mark.parametrize("name", NAMES)
def test_primitives_on_many_rows(name: str, rows: int) -> None:
    check_primitive(name, rows)


@pytest.mark.prove
@pytest.mark.parametrize("name", NAMES)
def test_primitives_on_a_million_rows(name: str) -> None:
    check_primitive(name, MILLION)


# --- programs -------------------------------------------------------------------------------------

STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "cube": lambda a, b: a**3,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a / (1.5 + b * b),
    "power": lambda a, b: (a * a + 0.5) ** b,
    "root": lambda a, b: gw.sqrt(gw.maximum(a, 0.0)) + b,
    "safe": lambda a, b: gw.where(b > 0.0, gw.log(gw.absolute(a) + 0.5), b),
    "guarded": lambda a, b: gw.where(a > 0.0, gw.log(a) / a, 0.0) * b,
    "maximum": lambda a, b: gw.maximum(a, b) - gw.minimum(a, 0.5 * b),
    "clip": lambda a, b: gw.clip(a * b, -1.0, 1.0),
    "clip between": lambda a, b: gw.clip(a, b - 0.5, b + 0.5),
    "relu": lambda a, b: gw.relu(a) * b,
    "never": lambda a, b: gw.relu(a * a + 1.0) - b,  # of which nothing is masked
    "always": lambda a, b: gw.relu(-a * a - 1.0) + gw.sin(b),
    "gelu": lambda a, b: gw.gelu(a) + gw.tanh(b),
    "hypot": lambda a, b: gw.hypot(a, b + 3.0),
    "softmax": lambda a, b: gw.softmax(a, axis=-1) * b,
    "logsumexp": lambda a, b: gw.logsumexp(a * b, axis=-1, keepdims=True) - a,
    "largest": lambda a, b: a.max(axis=-1, keepdims=True) * b,
    "sum": lambda a, b: (a * b).sum(axis=-1, keepdims=True) + a,
    "parts": lambda a, b: gw.concatenate([a[..., 1:] * b[..., :1], b[..., :1]], axis=-1),
    "roll": lambda a, b: gw.roll(a, 1, axis=-1) * b,
    "sorted": lambda a, b: gw.sort(a, axis=-1) * b,
    "absolute": lambda a, b: gw.absolute(a) * gw.absolute(b - 0.5),
}


def run(names: list[str], *xs: Any) -> Any:
    known = list(xs)
    for name in names:
        known.append(STEPS[name](known[-1], known[-2]))
    return known[-1]


XS = [np.linspace(-1.3, 1.7, 21).reshape(7, 3), np.cos(np.arange(21.0)).reshape(7, 3)]
XS[0][2] = [0.0, 1.0, -1.0]
ROUNDING = 1e-9  # sums along rows are formed in another order in large arrays
VS = [np.sin(np.arange(21.0)).reshape(7, 3), np.linspace(1.0, -2.0, 21).reshape(7, 3)]


@examples(40)
@given(st.lists(st.sampled_from([*STEPS]), min_size=1, max_size=6), st.sampled_from(QUICK))
def test_programs_on_many_rows(names: list[str], rows: int) -> None:
    check_rows(lambda *xs: run(names, *xs), XS, VS, rows, ROUNDING)


@pytest.mark.parametrize("name", STEPS)
def test_each_step_on_many_rows(name: str) -> None:
    for rows in QUICK:
        check_rows(lambda *xs: run([name, "cube"], *xs), XS, VS, rows, ROUNDING)


def test_a_program_on_a_million_rows() -> None:
    check_rows(
        lambda *xs: run(["never", "product", "clip"], *xs), XS, VS, MILLION // 3 + 1, ROUNDING
    )
