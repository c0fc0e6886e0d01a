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
from gradwalk.tensor.graph.stale import Stale
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


# --- every function of NumPy ---------------------------------------------------------------------

ARGUMENTS: dict[str, list[tuple[Any, ...]]] = {
    "reshape": [((4, 3),), (-1,)], "broadcast_to": [((2, 3, 4),)], "expand_dims": [(0,), (-1,)],
    "moveaxis": [(0, 1), (0, 0)], "swapaxes": [(0, 1), (0, 0)], "split": [(1,), ([1],)],
    "array_split": [(2,)], "hsplit": [(2,)], "vsplit": [(1,)], "roll": [(0,)],
    "repeat": [(1,), (1, 0)], "tile": [(1,)], "take": [(0, 0), ([0, 1], 0)], "pad": [(0,)],
    "clip": [(None, None)], "astype": [(float,)], "rot90": [(1,), (2,), (4,)], "append": [([],)],
    "linalg.matrix_power": [(1,)], "quantile": [(0.5,)], "full_like": [(1.0,)],
}  # fmt: skip
BASES = [X, X[:, :3], X[:1], X[0], X[None], np.ones((1, 1))]
LAYOUTS: list[Callable[[Any], Any]] = [
    lambda x: x, lambda x: x.T, lambda x: x[..., ::2], lambda x: x[::-1]
]  # fmt: skip
OTHERS = {"empty_like", "imag"}  # any numbers; zeros that NumPy makes read-only
CALLS: dict[str, Callable[[Any], Any]] = {
    f"{name}{args}": lambda x, name=name, args=args: function_of(name)(x, *args)
    for name in sorted({*RENAMED, *COMPOSED} - OTHERS)
    for args in ARGUMENTS.get(name, [()])
}
CALLS |= {name: lambda x, view=view: view(x) for name, view in VIEWS.items()}
METHODS = {"ravel": (), "flatten": (), "squeeze": (), "diagonal": (), "copy": (), "cumsum": ()}
METHODS |= {"reshape": (-1,), "swapaxes": (0, 1), "repeat": (1, 0), "take": ([0], 0)}
CALLS |= {f".{n}": lambda x, n=n, args=args: getattr(x, n)(*args) for n, args in METHODS.items()}
CALLS |= {
    "T": lambda x: x.T, "mT": lambda x: x.mT, "+": lambda x: +x, "key": lambda x: x[np.int64(0):],
    "einsum": lambda x: np.einsum("ij->ji", x), "diagonals": lambda x: np.einsum("ii->i", x),
    "unstack": lambda x: np.unstack(x, axis=-1), "None": lambda x: x[None], "0": lambda x: x[0],
    "mixed": lambda x: x[:, [0, 1]], "0-d": lambda x: x[0, 0, ...], "bool": lambda x: x[True],
    "astype": lambda x: np.astype(x, float, copy=False), "trim": lambda x: np.trim_zeros(x[0]),
    "rollaxis": lambda x: np.rollaxis(x, 1), "out": lambda x: np.add(x, 1.0, out=x),
    "out view": lambda x: np.add(x[:1], 1.0, out=x[-1:]), "flat": lambda x: x.flat[:],
    "sum out": lambda x: np.sum(x, axis=0, out=x[0]), "sort": lambda x: np.sort(x),
}  # fmt: skip


def function_of(name: str) -> Callable[..., Any]:
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part)
    return found


def written(call: Callable[[Any], Any], x: Any) -> Iterator[tuple[Any, bool]]:
    """The arrays that a call returns, after each was written into; whether that was allowed."""
    y = call(x)
    for part in y if isinstance(y, (tuple, list)) else [y]:
        if getattr(part, "ndim", 0) and part.dtype.kind == "f":
            try:
                part[...] = part * 3.0 + 1.0
            except (ValueError, InPlaceError):  # NumPy's, and ours
                yield part, False
            else:
                yield part, True


def meaningful(name: str) -> Iterator[tuple[Any, Any, Any, list[Any]]]:
    """Yield arrays and layouts for which NumPy answers: before and after writing, and the parts."""
    for base in BASES:
        for layout in LAYOUTS:
            x = base.copy()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = list(written(CALLS[name], layout(x)))
                except Exception:  # a call that means nothing for this shape
                    continue
            yield base, layout, x, expected


ANSWERED = [name for name in CALLS if any(meaningful(name))]


@pytest.mark.parametrize("name", ANSWERED)
def test_results_are_views_or_copies_as_with_numpy(name: str) -> None:
    """What NumPy calls a view is one, or writing into it is refused. Copies are independent."""
    refused = compared = 0
    for base, layout, x, expected in meaningful(name):
        for t in (Tensor(base), Tensor(base, requires_grad=True) * 1.0):
            try:
                found = list(written(CALLS[name], layout(t)))
            except GradwalkError:
                refused += 1
                continue
            compared += 1
            if all(allowed for _, allowed in found):
                assert all(allowed for _, allowed in expected)
                assert t.tolist() == x.tolist()
            elif not any(allowed for _, allowed in found):
                assert t.tolist() == base.tolist()
    assert compared or refused


# --- what is refused -----------------------------------------------------------------------------

READ_ONLY: dict[str, Callable[[Any], Any]] = {
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 3, 4)),
    "diagonal": np.diagonal,
    "einsum": lambda x: np.einsum("ij->ji", x),
}


@pytest.mark.parametrize("name", READ_ONLY)
def test_read_only_views_show_what_is_written_and_refuse_to_be_written(name: str) -> None:
    for t in (Tensor(X), Tensor(X, requires_grad=True) * 1.0):
        x, view = X.copy(), READ_ONLY[name](t)
        with pytest.raises(InPlaceError) as info:
            view[0] = 5.0
        assert str(info.value) == (
            "t[key] = v: expected an array, or a view that can be written into, got view, a view "
            f"made by {name}, which is read-only. Write into t, or work on a copy: view.clone()."
        )
        with pytest.raises(InPlaceError, match="read-only"):
            view[1:] *= 2.0
        t[0] = x[0] = 7.0
        assert view.tolist() == READ_ONLY[name](x).tolist()


def test_views_of_leaves_are_refused_as_leaves_are() -> None:
    w = Tensor(X, requires_grad=True)
    for write in (lambda: w[1:].__setitem__(0, 1.0), lambda: w.T.__imul__(2.0)):
        with pytest.raises(InPlaceError, match="got w, a leaf that requires gradients"):
            write()
    with no_grad():
        w[1:] -= 1.0
        w.T[0] = 9.0
    x = X.copy()
    x[1:] -= 1.0
    x.T[0] = 9.0
    assert (w.tolist(), w.requires_grad, w.op) == (x.tolist(), True, "")
    row = w[0]
    with no_grad():
        w *= 2.0
    (row * row).sum().backward()
    assert w.grad.tolist() == [(4.0 * x[0]).tolist(), [0.0] * 4, [0.0] * 4]


def test_views_of_parameters_show_the_steps_of_an_optimizer() -> None:
    w, bias = Tensor(X, requires_grad=True), Tensor(X[0], requires_grad=True)
    row, optimizer = w[0], g.optim.SGD([w, bias], lr=0.1)
    for _ in range(3):
        (w * w).sum().backward()
        bias.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        assert row.tolist() == w.tolist()[0]
    np.testing.assert_allclose(row.data, 0.8**3 * X[0])


def test_views_made_inside_no_grad_have_no_gradient() -> None:
    y = Tensor(X, requires_grad=True) * 1.0
    with no_grad():
        view = y[1:]
    y[1] = y[0]
    assert (view.tolist(), view.requires_grad) == ([X[0].tolist(), X[2].tolist()], False)
    with pytest.raises(InPlaceError, match="got view, a view made inside no_grad"):
        view[0] = y[0]
    with no_grad():
        view[0] = 5.0
    assert (y.tolist()[1], y.requires_grad) == ([5.0] * 4, False)


def test_views_that_leak_are_errors() -> None:
    for transform in (g.grad, lambda f: lambda x: g.jvp(f, (x,), (x,)), g.vmap):
        kept = []

        def f(x: Any, kept: list[Any] = kept) -> Any:
            y = x * 1.0
            kept.append(y[1:])
            y[1] = 2.0
            return y.sum()

        transform(f)(X[0] if transform is g.grad else X)
        for _ in range(2):
            with pytest.raises(LeakedTraceError):
                kept[0] + 1.0


# --- what was recorded before, and memory --------------------------------------------------------


def test_what_was_recorded_keeps_its_numbers() -> None:
    """Also in a transform inside of another one, whose tape refers to arrays of the outer one."""

    def f(x: Any, write: Callable[[Any, Any], Any]) -> Any:
        y = x * 1.0
        view = y[1:]

        def inner(z: Any) -> Any:
            before = (view * view * z[1:]).sum() + (y * z).sum() * z.sum()
            write(y, view)
            return before + (view * z[1:]).sum()

        return (g.grad(inner)(V[0]) * V[1]).sum()

    def expected(x: Any, write: Callable[[Any, Any], Any]) -> Any:
        y = x * 1.0
        before = y + 0.0
        view = before[1:]
        write(y, y[1:])
        z, c = V[0], V[1]
        product = (before * c).sum() * z.sum() + (before * z).sum() * c.sum()
        return (view * view * c[1:]).sum() + product + (y[1:] * c[1:]).sum()

    writes: list[Callable[[Any, Any], Any]] = [
        lambda y, view: y.__setitem__(1, 100.0),
        lambda y, view: view.__setitem__(0, 100.0),
        lambda y, view: y.__imul__(5.0),
        lambda y, view: view.__iadd__(view),
    ]
    for write in writes:
        for transform in (
            g.value_and_grad,
            g.jacobian,
            lambda f: lambda x: g.jvp(f, (x,), (V[0],)),
        ):
            found = transform(lambda x, write=write: f(x, write))(X[0])
            wanted = transform(lambda x, write=write: expected(x, write))(X[0])
            np.testing.assert_allclose(found[0], wanted[0])
            np.testing.assert_allclose(found[1], wanted[1])


def test_an_update_of_a_part_is_recorded_once() -> None:
    y = Tensor(X, requires_grad=True) * 1.0
    y[1:] += 1.0
    assert y._node.op == "update"
    assert y._node._inputs[0].op == "mul"
    y[0][1:] *= 2.0
    x = X.copy()
    x[1:] += 1.0
    x[0][1:] *= 2.0
    assert y.tolist() == x.tolist()


def test_views_of_constants_are_written_without_copies() -> None:
    t, x = Tensor(X), X.copy()
    address = t._data.ctypes.data
    for a in (t, x):
        rows, columns = list(a), a.T
        for row in rows:
            row += 1.0
        columns[1] = 5.0
        a.reshape(-1)[::2] *= 2.0
        a += 1.0
    assert (t.tolist(), t._data.ctypes.data) == (x.tolist(), address)
    t[0], x[0] = t[1], x[1]  # the memory of the value is in use
    assert t.tolist() == x.tolist()
    assert all(np.shares_memory(t._data, view._data) for view in (t[1:], t.T))


def test_a_graph_that_needs_the_memory_of_a_view_keeps_it() -> None:
    t, w = Tensor(X), Tensor(X, requires_grad=True)
    rows = list(t)
    y = (rows[1] * w[1]).sum()
    for row in rows:
        row *= 3.0
    y.backward()
    assert w.grad[1].tolist() == X[1].tolist()
    assert t.tolist() == (X * 3.0).tolist()


def test_views_die_like_other_arrays() -> None:
    t = Tensor(X)
    for _ in range(1000):
        assert t[1:].T.shape == (4, 2)
    assert len(t._alias) < 40
    view = t[1:]
    root, kept = weakref.ref(t), weakref.ref(view)
    del t
    assert root() is not None  # as with NumPy
    del view
    assert (root(), kept()) == (None, None)
    many = list(Tensor(np.ones((500, 2))))
    many[0][0] = 2.0
    assert [row.tolist()[0] for row in many] == [2.0] + [1.0] * 499


def test_stale_views_hold_no_array() -> None:
    y = Tensor(X, requires_grad=True) * 1.0
    view = y[1:]
    view.label = "view"
    node, array = weakref.ref(view._node), weakref.ref(view._data)
    y[0] = 1.0
    gc.collect()
    assert (type(view), node(), array()) == (Stale, None, None)
    assert isinstance(view, Tensor)
    assert (view.label, view.shape, type(view), view.requires_grad) == (
        "view",
        (2, 4),
        Tensor,
        True,
    )


def test_a_view_that_becomes_a_leaf_is_its_own_array() -> None:
    t = Tensor(X)
    view = t[1:]
    view.requires_grad = True
    t[1] = 5.0
    (view * view).sum().backward()
    assert view.tolist() == X[1:].tolist()
    assert view.grad.tolist() == (2.0 * X[1:]).tolist()


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda v, w: v + w, "reflected": lambda v, w: w + v, "number": lambda v, w: 2.0 - v,
    "numpy": lambda v, w: np.exp(v) * np.ones(3), "array": lambda v, w: np.ones(3) * v,
    "method": lambda v, w: v.exp(), "unbound": lambda v, w: g.exp(v),
    "where": lambda v, w: g.where(w > 0, v, w), "norm": lambda v, w: np.linalg.norm(v),
    "matmul": lambda v, w: w @ v, "sum": lambda v, w: v.sum(axis=0), "key": lambda v, w: v[1:],
    "stack": lambda v, w: g.stack([w, v]), "einsum": lambda v, w: g.einsum("i,i", w, v),
    "compare": lambda v, w: v < w, "len": lambda v, w: len(v), "repr": lambda v, w: repr(v),
    "iter": lambda v, w: list(v), "bool": lambda v, w: bool(v[:1] > 0.0), "neg": lambda v, w: -v,
    "list": lambda v, w: v.tolist(), "pow": lambda v, w: v**w,
    "softmax": lambda v, w: g.softmax(v), "maximum": lambda v, w: g.maximum(w, v),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("traced", [False, True])
def test_every_use_refreshes_a_stale_view(name: str, traced: bool) -> None:
    seen = []

    def f(x: Any) -> Any:
        a, w = x * 1.0, x[:3] * 2.0
        view = a[1:]
        a[1] = 0.5
        seen.append(str(OPERATIONS[name](view, w)))
        b = x * 1.0
        b[1] = 0.5
        seen.append(str(OPERATIONS[name](b[1:], w)))
        return x.sum()

    if traced:
        g.jvp(lambda x: g.grad(f)(x), (X[0],), (V[0],))
    f(Tensor(X[0]))
    f(Tensor(X[0], requires_grad=True))
    assert seen[::2] == seen[1::2]
