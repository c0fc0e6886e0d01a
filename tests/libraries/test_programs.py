"""Whole programs in every place and by every compiler: NumPy's values and gradients.

Inductor takes seconds for a program: a few of them are compiled by it wherever peers are tested,
and all by `make test-places INDUCTOR=all`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache, wraps
from typing import Any, NamedTuple

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, nn
from gradwalk.core.pytree import flatten
from gradwalk.errors import OptionError

from ..helpers.libraries import MARKS, Library
from ..helpers.placed_programs import ARRAYS, FEW, NUMBERS

ALL = os.environ.get("GRADWALK_INDUCTOR", "few") == "all"
CLOSE = {"rtol": 1e-10, "atol": 1e-11}


class Way(NamedTuple):
    """Where the arguments lie, whether the program is compiled, and by what."""

    place: str
    compiled: bool = False
    backend: str | None = None

    @property
    def library(self) -> str:
        """The library that it needs."""
        return {"xla": "jax", "inductor": "torch"}.get(self.backend or "", self.place)

    @property
    def slow(self) -> bool:
        """Whether a program takes seconds."""
        return self.compiled and self.library == "torch"


WAYS = {
    "array_api_strict": Way("array_api_strict"),
    "torch": Way("torch"),
    "jax": Way("jax"),
    "numpy-compiled": Way("numpy", True),
    "numpy-by-numpy": Way("numpy", True, "numpy"),
    "torch-compiled": Way("torch", True),
    "jax-compiled": Way("jax", True),
    "numpy-by-xla": Way("numpy", True, "xla"),
    "numpy-by-inductor": Way("numpy", True, "inductor"),
}

BLACK_BOXES = {"fixed_point", "custom_rule"}
"""Programs that call a function of NumPy's arrays: it runs in each call, and nowhere else."""
BY_LIBRARIES = {name for name, way in WAYS.items() if way.compiled and way.library != "numpy"}
LACKS = {name: BLACK_BOXES for name, way in WAYS.items() if way.library != "numpy"}
LACKS["array_api_strict"] = {*BLACK_BOXES, "cnn", "black_scholes_arrays"}
LACKS |= {name: {*BLACK_BOXES, "while_loop"} for name in BY_LIBRARIES}  # in reverse mode
"""Programs of arrays with an operation that a library has not, and which is an error there."""
LACKS_NUMBERS = {
    "array_api_strict": {"black_scholes", "small_numbers"},
}


def cells(table: dict[str, Any]) -> list[Any]:
    """Return each way with each program."""
    return [
        pytest.param(way, name, marks=MARKS.get(WAYS[way].library, ()), id=f"{way}-{name}")
        for way in WAYS
        for name in table
        if ALL or name in FEW or not WAYS[way].slow
    ]


class Counted:
    """A function that counts how often Python runs it."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.runs: list[None] = []

        @wraps(f)
        def run(*args: Any) -> Any:
            self.runs.append(None)
            return f(*args)

        self.f = run


def arguments(name: str, seed: int, place: str) -> list[Any]:
    """Return the arguments of a program of arrays, at a place."""
    found = ARRAYS[name].args(np.random.default_rng(seed))
    return [moved(x, seed, place) for x in found]


def moved(x: Any, seed: int, place: str) -> Any:
    if not isinstance(x, nn.Module):
        return Tensor(x).to_device(place)
    x = x.astype(np.float64)
    for p in x.parameters():
        p.data = p.data * (1.0 + 0.1 * seed)
    return x.to(place)


def derivatives(f: Any, args: list[Any]) -> Any:
    """Return the value and the gradients by all arguments that have one."""
    smooth = [i for i, x in enumerate(args) if isinstance(x, nn.Module) or x.dtype.kind == "f"]
    return gw.value_and_grad(f, argnums=tuple(smooth))


def as_numpy(results: Any) -> list[Any]:
    return [None if x is None else Tensor(x).numpy() for x in leaves(results)]


def leaves(results: Any) -> Iterator[Any]:
    yield from flatten(results)[0]


@cache
def expected_of_arrays(name: str, seed: int) -> list[Any]:
    args = arguments(name, seed, "numpy")
    return as_numpy(derivatives(ARRAYS[name].f, args)(*args))


def compiled(f: Any, way: Way) -> Any:
    """Return the function as this way runs it."""
    if not way.compiled:
        return f
    return gw.compile(f) if way.backend is None else gw.compile(f, backend=way.backend)


def opened(way: Way) -> None:
    """Prepare the library of a way, or skip the test where it is missing."""
    if way.library != "numpy":
        Library(way.library)


@pytest.mark.parametrize(("way_name", "name"), cells(ARRAYS))
def test_a_program_of_arrays_is_that_of_numpy(way_name: str, name: str) -> None:
    way = WAYS[way_name]
    opened(way)
    counted = Counted(ARRAYS[name].f)
    step = compiled(derivatives(counted.f, arguments(name, 0, way.place)), way)
    if name in LACKS.get(way_name, ()):
        with pytest.raises(OptionError):
            step(*arguments(name, 0, way.place))
        return
    for seed in (0, 1):
        before = len(counted.runs)
        found = step(*arguments(name, seed, way.place))
        same(found, expected_of_arrays(name, seed), way)
    if way.compiled and name not in BLACK_BOXES:
        assert len(counted.runs) == before, "Python ran again"


def same(found: Any, expected: list[Any], way: Way) -> None:
    """Assert that results are those of NumPy, and lie where the arguments are."""
    places = {Tensor(x).device.partition(":")[0] for x in leaves(found) if x is not None}
    assert places <= {"cpu" if way.place == "numpy" else way.place}
    for a, b in zip(as_numpy(found), expected, strict=True):
        if b is None:
            assert a is None
        else:
            np.testing.assert_allclose(a, b, **CLOSE, strict=True)


def examples(name: str, seed: int) -> list[Any]:
    """Return a column of examples for each argument of a program of numbers."""
    rng = np.random.default_rng(seed)
    return [rng.uniform(*bounds, 7) for bounds in NUMBERS[name].bounds]


def of_numbers(name: str, f: Any) -> Any:
    return gw.value_and_grad(f, argnums=tuple(range(len(NUMBERS[name].bounds))))


@cache
def expected_of_numbers(name: str, seed: int) -> list[Any]:
    """Return values and gradients of floats, one example after the other, as columns."""
    f = of_numbers(name, NUMBERS[name].f)
    rows = [f(*map(float, row)) for row in zip(*examples(name, seed), strict=True)]
    values = np.array([value for value, _ in rows])
    return [values, *np.array([slopes for _, slopes in rows]).T]


@pytest.mark.parametrize(("way_name", "name"), cells(NUMBERS))
def test_a_program_of_numbers_is_that_of_floats(way_name: str, name: str) -> None:
    way = WAYS[way_name]
    opened(way)
    counted = Counted(NUMBERS[name].f)
    step = compiled(gw.vmap(of_numbers(name, counted.f)), way)
    given = [[Tensor(x).to_device(way.place) for x in examples(name, seed)] for seed in (0, 1)]
    if name in LACKS_NUMBERS.get(way_name, ()):
        with pytest.raises(OptionError):
            step(*given[0])
        return
    for seed in (0, 1):
        before = len(counted.runs)
        same(step(*given[seed]), expected_of_numbers(name, seed), way)
    if way.compiled:
        assert len(counted.runs) == before, "Python ran again"


@pytest.mark.parametrize("backend", [pytest.param("xla", marks=pytest.mark.peer),
                                     pytest.param("inductor", marks=pytest.mark.peer)])  # fmt: skip
@pytest.mark.parametrize("name", FEW[-1:])
def test_floats_by_a_compiler_of_arrays_are_floats(backend: str, name: str) -> None:
    opened(Way("numpy", True, backend))
    args = [float(x[0]) for x in examples(name, 0)]
    value, slopes = gw.compile(of_numbers(name, NUMBERS[name].f), backend=backend)(*args)
    expected = [x[0] for x in expected_of_numbers(name, 0)]
    np.testing.assert_allclose([float(value), *map(float, slopes)], expected, **CLOSE)
