"""The numbers of a sparse matrix of derivatives, from its pattern and a few passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from ...core.expect import describe
from ...engine.observing import notify_backward, observers
from ...engine.traced import call_traced
from ...engine.value import Value, enable_grad, engine
from ...errors import OptionError
from ...levels.level import Level, Tracer, running
from ...ops.array.structural_zero import StructuralZero
from ...tensor import Tensor
from ..arguments import is_plain, outputs_of
from ..runs import Call, Record, call_at, jvp_run
from .array_sets import indices_of
from .colouring import Coloring, color
from .patterns import Patterns
from .sources import NOWHERE, Sources

__all__ = ["Coloring", "Program", "color", "csr_array", "detect", "fill", "program"]

# --- what depends on what -------------------------------------------------------------------------


def detect(call: Call, primals: Sequence[Any], where: str) -> csr_array:
    """Return which element of the result depends on which input: a boolean matrix."""
    starts = np.cumsum([0, *map(_size, primals)]).tolist()
    level = Patterns(where)
    pairs = zip(primals, starts[:-1], strict=True)
    ys, _ = outputs_of(call_at(level, call, [level.leaf(x, start) for x, start in pairs]), where)
    found = [_flat(level.sources(y), _size(y)) for y in ys]
    _expect_own(level.primals(ys), where)
    members = [_members(s) for sets in found for s in sets]
    ends = np.cumsum([0, *map(len, members)])
    # CSR arrays as they are: rows in order, each with sorted members and none twice
    inside = np.fromiter((i for row in members for i in row), np.int64, int(ends[-1]))
    shape = (len(members), starts[-1])
    return csr_array((np.ones(len(inside), bool), inside, ends), shape=shape)


def _size(x: object) -> int:
    return int(getattr(x, "size", 1))


def _flat(sources: Any, size: int) -> list[Sources]:
    if sources is None:
        return [NOWHERE] * size
    return sources.reshape(-1).tolist() if type(sources) is np.ndarray else [sources]


def _members(sources: Sources) -> list[int]:
    return indices_of(sources.of)


def _expect_own(ys: Sequence[Any], where: str) -> None:
    """Raise `OptionError` for results that an outer transform would have to differentiate.

    Without one, graphs that lead elsewhere (to the weights of a model) are constants.
    """
    for y in ys:
        if isinstance(y, Tracer) or (running.depth and not is_plain(y)):
            raise OptionError(
                where=where,
                expected="a function of plain numbers",
                got=f"one whose result another transform follows: {describe(y)}",
                fix="Use gradwalk.jacobian, jvp or vjp inside other transforms, because sparse "
                "matrices are plain numbers, or x.detach() for constants.",
            )


# --- the function, recorded once, on flat vectors -------------------------------------------------


class Program:
    """A function at one point: ``vjp`` is ȳ ↦ ȳ J, ``jvp`` is ẋ ↦ J ẋ, on flat vectors."""

    call: Call
    primals: Sequence[Any]
    where: str
    ys: list[Any]

    def __init__(self, call: Call, primals: Sequence[Any], where: str) -> None:
        self.call, self.primals, self.where = call, primals, where
        self.record: Record = Record(call, primals, where)
        self.ys, _ = outputs_of(self.record.result, where)
        _expect_own(self.record.level.primals(self.ys), where)

    @property
    def shape(self) -> tuple[int, int]:
        """How many results and inputs there are."""
        return sum(map(_size, self.ys)), sum(map(_size, self.primals))

    @cached_property
    def dtype(self) -> Any:
        """The precision of the derivatives."""
        return np.result_type(*[getattr(x, "dtype", np.float64) for x in (*self.primals, *self.ys)])

    def vjp(self, cotangent: object) -> np.ndarray[Any, Any]:
        """Run one reverse pass."""
        gradients = self.record.vjp(self.ys, list(_split_vector(cotangent, self.ys)))
        return _join(gradients, self.primals, self.dtype)

    def jvp(self, tangent: object) -> np.ndarray[Any, Any]:
        """Run one forward pass."""
        tangents = self.record.jvp(self.ys, list(_split_vector(tangent, self.primals)))
        return _join(tangents, self.ys, self.dtype)


class ScalarProgram(Program):
    """A program of floats, recorded and differentiated by the engine of Values."""

    call: Call
    primals: Sequence[Any]
    where: str
    ys: list[Any]

    def __init__(self, call: Call, primals: Sequence[Any], where: str) -> None:
        self.call, self.primals, self.where = call, primals, where
        self.leaves: list[Value] = [Value(x) for x in primals]
        result = call_traced(self.leaves, call_at, Level(), call, self.leaves)
        self.ys, _ = outputs_of(result, where)
        _expect_own(self.ys, where)

    def vjp(self, cotangent: Any) -> np.ndarray[Any, Any]:
        """Run one reverse pass."""
        pairs = zip(cotangent.tolist(), self.ys, strict=True)
        # without zero weights, which would make NaN of an infinite derivative
        chosen = [(t, y) for t, y in pairs if t and isinstance(y, Value)]
        with enable_grad():
            # one root for all results of a colour, so that each pass is one pass of the engine
            root = engine.weighted_sum([t for t, _ in chosen], [y for _, y in chosen], Value(0.0))
        if observers:
            notify_backward("values_backward", root)
        found = engine.gradients(root, 1.0, self.leaves)
        return np.array([0.0 if g is None else g for g in found])

    def jvp(self, tangent: Any) -> np.ndarray[Any, Any]:
        """Run the function again in forward mode."""
        level, result = jvp_run(self.call, self.primals, tangent.tolist(), self.where)
        ys, _ = outputs_of(result, self.where)
        return np.array([level.tangent(y) or 0.0 for y in ys])


def program(call: Call, primals: Sequence[Any], where: str) -> Program:
    """Return the function at ``primals``, recorded."""
    if not running.depth and all(type(x) is float for x in primals):
        found = ScalarProgram(call, primals, where)
        if not any(hasattr(y, "dtype") for y in found.ys):  # floats in, but arrays out
            return found
    return Program(call, primals, where)


def _split_vector(flat: Any, likes: Sequence[Any]) -> Iterator[Any]:
    """Yield the numbers and arrays in a flat vector, shaped like those given."""
    start = 0
    for like in likes:
        part = flat[start : start + _size(like)]
        start += _size(like)
        if hasattr(like, "dtype"):
            yield Tensor._of(part.reshape(like.shape).astype(like.dtype))
        else:
            yield float(part[0])


def _join(found: Sequence[Any], likes: Sequence[Any], dtype: Any) -> np.ndarray[Any, Any]:
    """Return numbers and arrays as one flat vector, with zeros for ``None``."""
    flat = np.zeros(sum(map(_size, likes)), dtype)
    start = 0
    for x, like in zip(found, likes, strict=True):
        if x is not None:
            x = x.data if type(x) is StructuralZero else x
            flat[start : start + _size(like)] = np.reshape(getattr(x, "_data", x), -1)
        start += _size(like)
    return flat


# --- the matrix -----------------------------------------------------------------------------------


def fill(run: Program, coloring: Coloring) -> csr_array:
    """Return the matrix of derivatives, from as many passes as there are colours."""
    pattern, columns, rows, mode = coloring
    symmetric = mode == "symmetric"
    down = _passes(run.vjp if symmetric else run.jvp, columns, run)
    across = down if symmetric else _passes(run.vjp, rows, run)
    i = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    j = pattern.indices
    by_row = columns[j] < 0 if mode == "reverse" else rows[i] >= 0
    values = np.empty(len(j), run.dtype)
    # no other element of this row or column has the colour, so the pass shows this one alone
    values[by_row] = across[rows[i[by_row]], j[by_row]]
    values[~by_row] = down[columns[j[~by_row]], i[~by_row]]
    # copies, because a pattern serves many matrices, and users write into them
    return csr_array((values, j.copy(), pattern.indptr.copy()), shape=pattern.shape)


def _passes(run_pass: Callable[[Any], Any], colors: Any, run: Program) -> Any:
    """Return the results of one pass for each colour, one below the other."""
    count = int(colors.max(initial=-1)) + 1
    if not count:
        return np.zeros((0, 0))
    return np.array([run_pass((colors == k).astype(run.dtype)) for k in range(count)])
