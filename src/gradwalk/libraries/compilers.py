"""The compilers of libraries: JAX's XLA and PyTorch's inductor, and shapes without numbers.

A program on arrays of a library is a function of its arrays. `compiled` hands it to the library's
own compiler. While a program is recorded, nothing is computed there: `outline` stands for an array
whose numbers later calls have, and `outlined` asks the library which shapes and dtypes come out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from .array import LibraryArray
from .places import Place, numpy_dtype, place_named, place_of

__all__ = [
    "compiled",
    "has_compiler",
    "is_outline",
    "outline",
    "outlined",
    "outside_of_traces",
    "wide",
]

Run = Callable[..., list[Any]]
"""A function of arrays of a library that returns a list of such arrays."""


def has_compiler(place: Place) -> bool:
    """Return whether programs on arrays of a place are compiled by its library."""
    return place.library in ("jax", "torch")


def outside_of_traces(place: Place) -> AbstractContextManager[Any]:
    """Return the context in which operations of JAX on known numbers give numbers, in a trace."""
    if place.library != "jax":
        return nullcontext()
    return import_module("jax").ensure_compile_time_eval()  # type: ignore[no-any-return]


@cache
def wide(library: str) -> Place:
    """Return the place where arrays of NumPy are computed with in their own dtypes."""
    place = place_named(library, None, "compile(backend)")
    assert place is not None
    if library != "jax":
        return place
    found = Place(place.xp, None)
    found.is_wide = True  # also where JAX has not been asked for 64 bits
    return found


# --- shapes without numbers -----------------------------------------------------------------------


class Outline(NamedTuple):
    """What is known of an array before there are numbers."""

    shape: tuple[int, ...]
    dtype: Any  # of NumPy


def outline(place: Place, shape: tuple[int, ...], dtype: Any) -> LibraryArray:
    """Return what stands for an array of a place whose numbers are not known."""
    name = np.dtype(dtype).name
    kind = np.dtype(place.narrow.get(name, name))
    return LibraryArray(Outline(tuple(shape), kind), place.abstract)


def is_outline(x: Any) -> bool:
    """Return whether ``x`` stands for an array whose numbers are not known."""
    return type(x) is LibraryArray and type(x.raw) is Outline


def outlined(f: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Return the outlines of the results of ``f``, for outlines and constants among ``args``."""
    place = next(x.place for x in args if type(x) is LibraryArray)
    there, shapes_of = (place, _by_eval_shape) if place.library == "jax" else (_meta(), _by_meta)
    several = False

    def run(raws: list[Any]) -> list[Any]:
        nonlocal several
        rest = iter(raws)
        ys = f(*[_put(there, next(rest) if is_outline(x) else x) for x in args])
        several = type(ys) is tuple
        return [_put(there, y).raw for y in (ys if several else (ys,))]

    raws = shapes_of(run, [x.raw for x in args if is_outline(x)])
    found = [LibraryArray(Outline(tuple(y.shape), numpy_dtype(y.dtype)), place) for y in raws]
    return tuple(found) if several else found[0]


def _by_eval_shape(run: Callable[..., Any], given: list[Any]) -> Any:
    jax = import_module("jax")
    return jax.eval_shape(run, [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in given])


def _by_meta(run: Callable[..., Any], given: list[Any]) -> Any:
    there = _meta()
    kinds = [there.dtype(x.dtype) for x in given]
    pairs = zip(given, kinds, strict=True)
    return run([there.xp.empty(x.shape, dtype=kind, device=there.device) for x, kind in pairs])


@cache
def _meta() -> Place:
    """Return the place of PyTorch whose arrays have no numbers."""
    return place_of(import_module("torch").empty((), device="meta"))


def _put(place: Place, x: Any) -> Any:
    """Return a constant array of NumPy at a place, and anything else unchanged."""
    if isinstance(x, (bool, int, float)) and not isinstance(x, np.generic):
        return x
    if type(x) is LibraryArray:
        return x if x.place is place else LibraryArray(place.put(x.numpy()), place)
    return LibraryArray(place.put(x) if isinstance(x, (np.ndarray, np.generic)) else x, place)


# --- compilers ------------------------------------------------------------------------------------


def compiled(place: Place, run: Run, examples: Sequence[Any], donated: Sequence[int] = ()) -> Run:
    """Return ``run``, compiled by the library of a place for arrays like the ``examples``.

    ``donated`` are arguments whose memory the results may take.
    """
    return (_by_xla if place.library == "jax" else _by_inductor)(place, run, examples, donated)


def _by_xla(place: Place, run: Run, examples: Sequence[Any], donated: Sequence[int]) -> Run:
    step = import_module("jax").jit(run, donate_argnums=tuple(donated))

    def call(*raws: Any) -> list[Any]:
        with _precision_of(place):
            found: list[Any] = step(*raws)
            return found

    return call if place.device is None else step


def _precision_of(place: Place) -> AbstractContextManager[Any]:
    """Return the context in which arrays of a place have the dtypes of NumPy."""
    return nullcontext() if place.narrow else import_module("jax").enable_x64(True)


def _by_inductor(place: Place, run: Run, examples: Sequence[Any], donated: Sequence[int]) -> Run:
    make_fx = import_module("torch.fx.experimental.proxy_tensor").make_fx
    torch, inductor = import_module("torch"), import_module("torch._inductor")
    with torch.no_grad(), catch_warnings():
        simplefilter("ignore")  # of its own modules, which an error would end as an error of ours
        graph = make_fx(run, tracing_mode="fake")(*examples)
        step = inductor.compile(graph, list(examples))

    def call(*raws: Any) -> list[Any]:
        with torch.no_grad():
            return list(step(*raws))

    return call
