"""Views are NumPy's: what is written into one reaches the array, with its derivatives.

Random programs run on NumPy arrays, and on every carrier under every transform. The derivatives
are those of NumPy itself, on arrays of objects that are dual numbers.
"""

from __future__ import annotations

import gc
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as g
from gradwalk import Tensor, no_grad
from gradwalk.errors import GradwalkError, InPlaceError, LeakedTraceError
from gradwalk.tensor.graph.views import Stale
from gradwalk.tensor.numpy.functions_of_numpy import COMPOSED, RENAMED

from ...helpers.amount import examples

X = np.array([[0.3, -0.2, 0.7, 1.5], [1.1, 0.4, -0.6, 0.8], [0.9, -1.2, 0.5, -0.1]])
V = np.cos(7.0 * X)


class Dual:
    """a + b ε, with ε² = 0. The parts may be dual numbers, too."""

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def __add__(self, other: Any) -> Dual:
        o = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.a + o.a, self.b + o.b)

    def __mul__(self, other: Any) -> Dual:
        o = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.a * o.a, self.a * o.b + self.b * o.a)

    __radd__, __rmul__ = __add__, __mul__


def duals(a: Any, b: Any) -> Any:
    return np.frompyfunc(Dual, 2, 1)(a, b)


def slope(x: Any) -> Any:
    return getattr(x, "b", 0.0)


def slopes(d: Any) -> Any:
    return np.asarray(np.frompyfunc(slope, 1, 1)(d), float)


# --- programs ------------------------------------------------------------------------------------

VIEWS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda a: a[1:],
    "columns": lambda a: a[..., ::2],
    "reverse": lambda a: a[::-1],
    "first": lambda a: a[0],
    "last": lambda a: a[..., -1],
    "axis": lambda a: a[None],
    "element": lambda a: a[(0,) * a.ndim + (...,)],
    "T": lambda a: a.T,
    "flat": lambda a: a.reshape(-1),
    "column": lambda a: np.reshape(a, (-1, 1)),
    "ravel": lambda a: np.ravel(a),
    "swapaxes": lambda a: np.swapaxes(a, 0, -1),
    "moveaxis": lambda a: np.moveaxis(a, 0, -1),
    "transpose": lambda a: np.transpose(a),
    "flip": lambda a: np.flip(a),
    "squeeze": lambda a: np.squeeze(a),
    "expand": lambda a: np.expand_dims(a, -1),
    "atleast": lambda a: np.atleast_2d(a),
    "split": lambda a: np.array_split(a, 2)[0],
    "rot90": lambda a: np.rot90(np.atleast_2d(a)),
    "loop": lambda a: list(a)[-1],
    "real": lambda a: a[...],
    "fancy": lambda a: a[[0, 0]],
    "array": lambda a: a[np.array(0)],
    "mask": lambda a: a[np.arange(len(a)) % 2 == 0],
    "copy": lambda a: a.copy(),
    "flatten": lambda a: a.flatten(),
    "product": lambda a: a * 0.5,
    "layout": lambda a: a.T * 0.5,
}
ELEMENTS = {"first", "last", "loop", "array"}  # of a vector: no views in NumPy
KEYS = [0, -1, slice(1, None), slice(None, None, -2), ..., (..., 0), (None, 0), [0], slice(0, 0)]


def first(a: Any) -> Any:
    return a[(0,) * a.ndim]


def assign(a: Any, key: Any, b: Any) -> None:
    a[key] = b


def add_to_part(a: Any, key: Any, b: Any) -> None:
    a[key] += b


def scale_part(a: Any, key: Any, b: Any) -> None:
    part = a[key]
    part *= b


def scale(a: Any, key: Any, b: Any) -> None:
    a *= b


def scale_rows(a: Any, key: Any, b: Any) -> None:
    for row in a:
        row *= b


def turn(a: Any, key: Any, b: Any) -> None:
    a[...] = a[::-1]


def exchange(a: Any, key: Any, b: Any) -> None:
    a[0], a[-1] = a[-1], a[0]


NEEDED_AXES: dict[Any, int] = {scale_rows: 1, turn: 0, exchange: 0}

place = st.integers(0, 5)
views = st.tuples(st.just("view"), place, st.sampled_from(sorted(VIEWS)))
writes = st.tuples(
    st.sampled_from([assign, add_to_part, scale_part, scale, scale_rows, turn, exchange]),
    place,
    st.sampled_from(KEYS),
    st.one_of(st.sampled_from([0.0, -1.5, 2.0]), place),
)
programs = st.lists(st.one_of(views, writes), min_size=1, max_size=8)


def fits(a: Any, key: Any = 0) -> bool:
    """Whether a key of KEYS, or a view of VIEWS, makes sense for the shape of ``a``."""
    return (a.ndim > 0 and a.shape[0] > 1) or key is ...


def run(program: list[Any], x: Any) -> list[Any]:
    """All variables at the end of a program, which is the same for every kind of array."""
    variables = [x * 1.0]
    for what, i, name, *rest in program:
        a = variables[i % len(variables)]
        if what == "view":
            if fits(a) and (name not in ELEMENTS or a.ndim > 1):
                variables.append(VIEWS[name](a))
            continue
        (v,) = rest
        if type(v) is int:
            v = first(variables[v % len(variables)])
        if fits(a, name) and a.ndim > NEEDED_AXES.get(what, -1):
            what(a, name, v)
    return variables


def total(program: list[Any]) -> Callable[[Any], Any]:
    def f(x: Any) -> Any:
        return sum(np.sum(v * weights(v.shape)) for v in run(program, x))

    return f


def weights(shape: tuple[int, ...]) -> Any:
    return np.sin(np.arange(1.0, 1.0 + np.prod(shape))).reshape(shape)


def close(found: Any, expected: Any) -> None:
    scale = 1.0 + np.max(np.abs(expected))
    np.testing.assert_allclose(found / scale, expected / scale, atol=1e-12, rtol=1e-9)


@examples(300)
@given(programs)
def test_tensors_are_numpys_arrays(program: list[Any]) -> None:
    expected = run(program, X)
    leaf = Tensor(X, requires_grad=True)
    for x in (Tensor(X), leaf):
        found = run(program, x)
        assert [v.tolist() for v in found] == [v.tolist() for v in expected]
    total(program)(leaf).backward()
    f = total(program)
    columns = [slope(f(duals(X, e.reshape(X.shape)))) for e in np.eye(X.size)]
    close(leaf.grad.reshape(-1), np.array(columns, float))


@examples(100)
@given(programs)
def test_transforms_are_numpys_arrays(program: list[Any]) -> None:
    f, expected = total(program), run(program, X)
    once = slope(f(duals(X, V)))
    twice = slope(slope(f(duals(duals(X, V), duals(V, 0.0 * V)))))
    values, tangents = g.jvp(lambda x: tuple(run(program, x)), (X,), (V,))
    assert [v.tolist() for v in values] == [v.tolist() for v in expected]
    dual = run(program, duals(X, V))
    for t, d in zip(tangents, dual, strict=True):
        close(t, slopes(d))
    batch = np.stack([X, V])
    mapped = g.vmap(lambda x: tuple(run(program, x)))(batch)
    for y, a, b in zip(mapped, expected, run(program, V), strict=True):
        assert y.tolist() == np.stack([a, b]).tolist()
    close((g.grad(f)(X) * V).sum(), once)
    close((g.vjp(f, X)[1](1.0)[0] * V).sum(), once)
    close((g.vmap(g.grad(f))(batch)[0] * V).sum(), once)
    close((g.grad(lambda x: g.vmap(f)(g.stack([x, x])).sum())(X) * V).sum(), 2.0 * once)
    close(g.grad(lambda s: g.jvp(f, (X + s * V,), (V,))[1])(0.0), twice)
    close((g.jvp(g.grad(f), (X,), (V,))[1] * V).sum(), twice)
