"""The whole table at every place: values, slopes, tangents and second derivatives of NumPy.

A place is a library, or a compiler of it that traces: then arrays have no numbers. A primitive that
a place lacks is a row of `limits.LACKING`, and an error that names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatch
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor
from gradwalk.errors import OptionError
from gradwalk.ops import TABLE
from gradwalk.ops.array import TABLE as ARRAYS

from ..helpers.amount import THOROUGH
from ..helpers.array_cases import CASES, LOW, SPREAD, STACK, weights
from ..helpers.libraries import PEER, Library
from ..matrix.limits import LACKING
from .test_table import ROWS, drawn

INTEGERS = np.array([[6, 3, 12], [5, 1, 0]])
SIGNS = np.array([0.0, -0.0, 1.5, -2.5])


def parts_of_svd(x: Any) -> Any:
    """Return what does not depend on the signs of the vectors."""
    u, s, vh = ARRAYS["svd"](x)
    return s, u * u, (u * s[..., None, :]) @ vh


def parts_of_eigh(x: Any) -> Any:
    w, v = ARRAYS["eigh"]((x + x.mT) / 2.0)
    return w, v * v


def parts_of_qr(x: Any) -> Any:
    q, r = ARRAYS["qr"](x)
    return q * q, r * r


MORE: dict[str, list[tuple[Callable[..., Any], list[Any]]]] = {
    **{f"bitwise_{name}": [(ARRAYS[f"bitwise_{name}"], [INTEGERS, INTEGERS % 3])]
       for name in ("and", "or", "xor", "left_shift", "right_shift")},
    "bitwise_invert": [(ARRAYS["bitwise_invert"], [INTEGERS])],
    **{name: [(ARRAYS[name], [SIGNS])] for name in ("signbit", "unit")},
    "nextafter": [(ARRAYS["nextafter"], [SIGNS, SIGNS[::-1].copy()])],
    "svd": [(parts_of_svd, [SPREAD])],
    "svdvals": [(ARRAYS["svdvals"], [SPREAD])],
    "eigh": [(parts_of_eigh, [LOW])],
    "eigvalsh": [(lambda x: ARRAYS["eigvalsh"]((x + x.mT) / 2.0), [LOW])],
    "qr": [(parts_of_qr, [SPREAD.swapaxes(-1, -2).copy()])],
    "pinv": [(partial(ARRAYS["pinv"], rtol=1e-15), [SPREAD])],
    "expm": [(ARRAYS["expm"], [STACK])],
}  # fmt: skip
"""Primitives that `array_cases` has no case of, and what of them is the same in every library."""


class Job(NamedTuple):
    """A function of arrays, and the positions of those that it is differentiated by."""

    name: str
    function: Callable[..., Any]
    args: list[Any]
    wrt: list[int]


def jobs(name: str) -> list[Job]:
    """Return the cases of a primitive."""
    if name in ROWS:
        row = TABLE[name]
        return [Job(name, row, drawn(row, [(2, 3)] * row.arity), list(range(row.arity)))]
    primitive: Any = ARRAYS[name]
    cases = [(partial(primitive, **c.options), list(c.args)) for c in CASES.get(name, ())]
    return [
        Job(name, function, args, [i for i, a in enumerate(args) if _moves(primitive, i, a)])
        for function, args in [*cases, *MORE.get(name, ())]
    ]


def _moves(primitive: Any, i: int, a: Any) -> bool:
    rules = primitive.rules
    return np.asarray(a).dtype.kind == "f" and (primitive.variadic or rules[i] is not None)


def everything(job: Job, args: Any, make: Callable[[Any], Tensor]) -> list[Any]:
    """Return the results of a job, and its slopes, tangents and second derivatives, as arrays."""
    given = [make(a) for a in args]
    xs = tuple([given[i] for i in job.wrt])

    def results(*moved: Any) -> list[Any]:
        own = dict(zip(job.wrt, moved, strict=True))
        y = job.function(*[own.get(i, a) for i, a in enumerate(given)])
        return [part for part in (y if type(y) is tuple else (y,)) if part is not None]

    def floats(*moved: Any) -> list[Any]:
        return [y for y in results(*moved) if y.dtype.kind == "f"]

    found = results(*xs)
    seeds = [make(weights(y.shape, k)) for k, y in enumerate(floats(*xs))]
    if xs and seeds:
        along = tuple([make(weights(x.shape, 1)) for x in xs])

        def slopes(*moved: Any) -> Any:
            return gw.vjp(floats, *moved)[1](seeds)

        found += [*slopes(*xs), *gw.jvp(floats, xs, along)[1], *gw.vjp(slopes, *xs)[1](along)]
    return [y.data for y in found]


# --- places ---------------------------------------------------------------------------------------

Run = Callable[[Job, Library], list[Any]]


def of_numpy(job: Job) -> list[Any]:
    return everything(job, job.args, lambda a: Tensor(np.array(a)))


def eager(job: Job, library: Library) -> list[Any]:
    def make(a: Any) -> Tensor:
        return library.tensor(a)

    return everything(job, job.args, make)


def jitted(job: Job, library: Library) -> list[Any]:
    """Run it under `jax.jit`: every array is a tracer."""
    import jax

    def f(*arrays: Any) -> list[Any]:
        return everything(job, arrays, lambda a: Tensor(library.xp.asarray(a)))

    arrays = [library.array(a) for a in job.args]
    quick = {"xla_backend_optimization_level": 0}
    found: list[Any] = jax.jit(f).lower(*arrays).compile(quick)(*arrays)
    return found


def graphed(job: Job, library: Library) -> list[Any]:
    """Trace it with other numbers than it is run with."""
    from torch.fx.experimental.proxy_tensor import make_fx

    def f(*arrays: Any) -> list[Any]:
        return everything(job, arrays, lambda a: Tensor(library.xp.asarray(a)))

    arrays = [library.array(a) for a in job.args]
    others = map(library.xp.ones_like, arrays)
    found: list[Any] = make_fx(f, tracing_mode="fake")(*others)(*arrays)
    return found


PLACES: dict[str, tuple[str, Run]] = {
    "array_api_strict": ("array_api_strict", eager),
    "torch": ("torch", eager),
    "jax": ("jax", eager),
    "jax.jit": ("jax", jitted),
    "make_fx": ("torch", graphed),
}


def tried(place: str, cases: range) -> list[int]:
    """Return which cases of a primitive are tried: elsewhere each of them is compiled."""
    if THOROUGH or place in ("array_api_strict", "torch"):
        return [*cases]
    return [0] if place == "jax" else sorted({cases[0], cases[-1]})


INSIDE = {"part", "to_place"}
"""Primitives that belong to results of others, or move arrays: other tests have them."""
NAMES = sorted(ROWS | ARRAYS.keys() - INSIDE)


def lacks(place: str, name: str) -> bool:
    """Return whether a stated refusal is about a primitive at a place."""
    return any(name in row.primitives.split("|") and fnmatch(place, row.place) for row in LACKING)


def at_each_place(wanted: bool) -> Any:
    cells = [
        pytest.param(place, name, marks=() if place == "array_api_strict" else PEER)
        for place in PLACES
        for name in NAMES
        if lacks(place, name) is wanted
    ]
    return pytest.mark.parametrize(("place", "name"), cells)


@cache
def expected_of(name: str, k: int) -> list[Any]:
    with np.errstate(all="ignore"):
        return of_numpy(jobs(name)[k])


NEAR = {"rtol": 1e-9, "atol": 1e-10}
LOOSE = {"cofactor": {"rtol": 1e-6, "atol": 1e-7}, "det": {"rtol": 1e-7, "atol": 1e-8}}
"""Third derivatives of a determinant are products of inverses, which cancel."""


@at_each_place(False)
def test_values_and_derivatives_are_those_of_numpy(place: str, name: str) -> None:
    library, run = Library(PLACES[place][0]), PLACES[place][1]
    for k in tried(place, range(len(jobs(name)))):
        with np.errstate(all="ignore"):
            found = run(jobs(name)[k], library)
        for part, expected in zip(found, expected_of(name, k), strict=True):
            assert type(part) is type(library.array(0.0))
            numbers = Tensor(part).numpy()
            np.testing.assert_allclose(
                numbers, expected, strict=True, err_msg=f"case {k}", **LOOSE.get(name, NEAR)
            )


@at_each_place(True)
def test_what_a_place_lacks_is_an_error_that_names_it(place: str, name: str) -> None:
    library, run = Library(PLACES[place][0]), PLACES[place][1]
    with pytest.raises(OptionError) as caught:
        run(jobs(name)[0], library)
    assert re.search(rf"{library.name}.*(to_device|gradwalk\.where)", str(caught.value), re.DOTALL)


def test_every_primitive_has_a_case() -> None:
    assert [name for name in NAMES if not jobs(name)] == []
