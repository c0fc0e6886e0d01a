"""Plain NumPy on Tensors: the same numbers as on arrays, with gradients, or a clear refusal."""

from __future__ import annotations

import contextlib
import inspect
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk
from gradwalk import Tensor, Value
from gradwalk.errors import GradwalkError, NotANumberError, OptionError, SilentDetachError
from gradwalk.tensor.numpy import functions_of_numpy, protocol

from ...helpers.array_checks import check

A = np.array([[2.0, 1.0, 0.5], [0.25, 3.0, -1.0], [0.75, -0.5, 4.0]])
S = np.array([[4.0, 1.0, 0.5], [1.0, 5.0, -1.0], [0.5, -1.0, 6.0]])
V, W = np.array([0.5, -1.25, 2.0]), np.array([[1.5, 0.35, 3.0]])
P = np.array([0.25, 0.5, 0.75])

ONE_ARGUMENT = """sin cos tan arcsin arctan sinh cosh tanh arcsinh arctanh exp exp2 expm1 log log1p
log2 log10 sqrt cbrt square reciprocal negative positive absolute fabs abs deg2rad rad2deg degrees
radians conjugate"""
TWO_ARGUMENTS = """add subtract multiply divide true_divide power arctan2 hypot maximum minimum fmax
fmin logaddexp copysign remainder"""

LINEAR_ALGEBRA: dict[str, Callable[..., Any]] = {
    "matmul": lambda x: x @ V,
    "ndarray @": lambda x: A @ x,
    "dot": lambda x: np.dot(x, V),
    "dot of numbers": lambda x: np.dot(x, 2.0),
    "dot of vectors": lambda x: np.dot(x[0], V),
    "dot of stacks": lambda x: np.dot(x, np.stack([A, S])),
    "inner": lambda x: np.inner(x, A),
    "inner of numbers": lambda x: np.inner(x, 3.0),
    "vdot": lambda x: np.vdot(x, A),
    "outer": lambda x: np.outer(x[0], V),
    "multiply.outer": lambda x: np.multiply.outer(x[0], V),
    "tensordot": lambda x: np.tensordot(x, A, axes=1),
    "einsum": lambda x: np.einsum("ij,jk->ik", x, A),
    "vecdot": lambda x: np.vecdot(x, V),
    "solve": lambda x: np.linalg.solve(x, V),
    "inv": lambda x: np.linalg.inv(x),
    "det": lambda x: np.linalg.det(x),
    "slogdet": lambda x: np.linalg.slogdet(x)[1],
    "cholesky": lambda x: np.linalg.cholesky(x @ x.T + np.eye(3)),
    "svdvals": lambda x: np.linalg.svd(x)[1],
    "eigh": lambda x: np.linalg.eigh(x + x.T)[0],
    "matrix_power": lambda x: np.linalg.matrix_power(x, 3),
    "pinv": lambda x: np.linalg.pinv(x),
    "inner of a vector": lambda x: np.inner(x, V),
    "kron": lambda x: np.kron(x, V),
    "cross": lambda x: np.cross(x, V),
    "norm": lambda x: np.linalg.norm(x),
    "norm of rows": lambda x: np.linalg.norm(x, axis=1),
    "trace": lambda x: np.trace(x),
    "sinc": lambda x: np.sinc(x),
    "median": lambda x: np.median(x, axis=0),
    "quantile": lambda x: np.quantile(x, 0.3, axis=1),
}
REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": lambda x: np.sum(x, axis=0),
    "mean": lambda x: np.mean(x, 1, keepdims=True),
    "prod": lambda x: np.prod(x, axis=1),
    "var": lambda x: np.var(x, axis=0, ddof=1),
    "std": lambda x: np.std(x),
    "max": lambda x: np.max(x, axis=1),
    "min": lambda x: np.min(x),
    "ptp": lambda x: np.ptp(x, axis=0),
    "cumsum": lambda x: np.cumsum(x),
    "cumsum of columns": lambda x: np.cumsum(x, axis=0),
    "cumprod": lambda x: np.cumprod(x, axis=1),
    "cumulative_sum": lambda x: np.cumulative_sum(x, axis=1, include_initial=True),
    "diff": lambda x: np.diff(x, axis=0),
    "diff of diffs": lambda x: np.diff(x, n=2),
    "diff with ends": lambda x: np.diff(x, axis=0, prepend=W, append=W),
    "add.reduce": lambda x: np.add.reduce(x),
    "multiply.reduce": lambda x: np.multiply.reduce(x, axis=1, keepdims=True),
    "maximum.reduce": lambda x: np.maximum.reduce(x, axis=None),
    "minimum.reduce": lambda x: np.minimum.reduce(x),
    "add.accumulate": lambda x: np.add.accumulate(x),
    "sort": lambda x: np.sort(x, axis=0),
}
REARRANGED: dict[str, Callable[..., Any]] = {
    "concatenate": lambda x: np.concatenate([x, A], axis=1),
    "stack": lambda x: np.stack([x, A], axis=-1),
    "vstack": lambda x: np.vstack([x, V]),
    "hstack": lambda x: np.hstack([x, A]),
    "hstack of vectors": lambda x: np.hstack([x[0], V]),
    "dstack": lambda x: np.dstack([x, A]),
    "column_stack": lambda x: np.column_stack([x, V, x[0]]),
    "pad with numbers": lambda x: np.pad(x, ((1, 0), (0, 2)), constant_values=3.0),
    "pad by reflection": lambda x: np.pad(x, 1, mode="reflect"),
    "diag": lambda x: np.diag(x),
    "atleast_1d": lambda x: np.atleast_1d(x[0, 0]),
    "atleast_2d": lambda x: np.atleast_2d(x[0]),
    "atleast_3d": lambda x: np.atleast_3d(x[0]),
    "atleast_3d of a matrix": lambda x: np.atleast_3d(x, A)[0],
    "reshape": lambda x: np.reshape(x, (1, 9)),
    "ravel": lambda x: np.ravel(x),
    "transpose": lambda x: np.transpose(x),
    "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "moveaxis": lambda x: np.moveaxis(x, 0, 1),
    "expand_dims": lambda x: np.expand_dims(x, 1),
    "squeeze": lambda x: np.squeeze(np.expand_dims(x, 1)),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 3, 3)),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x[0], A)[0],
    "meshgrid": lambda x: np.meshgrid(x[0], V)[0],
    "split": lambda x: np.split(x, 3)[1],
    "flip": lambda x: np.flip(x, 0),
    "roll": lambda x: np.roll(x, 1, axis=0),
    "repeat": lambda x: np.repeat(x, 2, axis=1),
    "tile": lambda x: np.tile(x, (2, 1)),
    "pad": lambda x: np.pad(x, 1),
    "tril": lambda x: np.tril(x),
    "triu": lambda x: np.triu(x, k=1),
    "diagonal": lambda x: np.diagonal(x),
    "take": lambda x: np.take(x, [0, 2], axis=1),
    "take_along_axis": lambda x: np.take_along_axis(x, np.array([[0], [1], [2]]), axis=1),
    "where": lambda x: np.where(A > 0.6, x, 0.0),
    "clip": lambda x: np.clip(x, -0.75, 2.5),
    "clip above": lambda x: np.clip(x, None, 2.5),
    "clip by name": lambda x: np.clip(x, max=2.5),
    "nan_to_num": lambda x: np.nan_to_num(x),
    "astype": lambda x: np.astype(x, np.float64),
    "copy": lambda x: np.copy(x),
}


@pytest.mark.parametrize("name", [*LINEAR_ALGEBRA, *REDUCTIONS, *REARRANGED])
def test_functions_of_numpy_have_gradients(name: str) -> None:
    """`check` calls the same function on arrays, too, which NumPy then does alone."""
    f = (LINEAR_ALGEBRA | REDUCTIONS | REARRANGED)[name]
    if name in LINEAR_ALGEBRA:  # sums in another order
        np.testing.assert_allclose(f(Tensor(A)).data, f(A), rtol=1e-13, atol=1e-13)
    else:
        np.testing.assert_array_equal(f(Tensor(A)).data, f(A))
    x = Tensor(A, requires_grad=True)
    y = f(x)
    assert isinstance(y, Tensor)
    direction = np.cos(np.arange(float(y.size))).reshape(y.shape)
    y.backward(direction)
    h = 1e-6
    moved = (np.vdot(direction, f(A + h * S)) - np.vdot(direction, f(A - h * S))) / (2.0 * h)
    np.testing.assert_allclose(np.vdot(x.grad, S), moved, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ONE_ARGUMENT.split())
def test_ufuncs_of_one_argument(name: str) -> None:
    check(getattr(np, name), P, dtypes=("float64",))
    assert getattr(np, name)(Tensor(P, "float32")).dtype == np.float32


@pytest.mark.parametrize("name", TWO_ARGUMENTS.split())
def test_ufuncs_of_two_arguments(name: str) -> None:
    f = getattr(np, name)
    check(f, P, W, wrt=[0])
    check(lambda a: f(a, 0.4), P)
    np.testing.assert_array_equal(f(W, Tensor(P)).data, f(W, P))


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite", "signbit", "logical_not", "rint"])
def test_ufuncs_without_a_derivative_give_constants(name: str) -> None:
    x = np.array([1.5, np.nan, np.inf, -0.0])
    y = getattr(np, name)(Tensor(x, requires_grad=True))
    assert isinstance(y, Tensor)
    assert not y.requires_grad
    np.testing.assert_array_equal(y.data, getattr(np, name)(x))


FACTS: dict[str, Callable[..., Any]] = {
    "shape": lambda x: np.shape(x),
    "ndim": lambda x: np.ndim(x),
    "size": lambda x: np.size(x),
    "array_equal": lambda x: np.array_equal(x, A),
    "allclose": lambda x: np.allclose(x, A + 1e-12),
    "isclose": lambda x: np.isclose(x, V).tolist(),
    "result_type": lambda x: np.result_type(x, np.float32),
    "argmax": lambda x: np.argmax(x, axis=1).tolist(),
    "argmin": lambda x: np.argmin(x).tolist(),
    "argsort": lambda x: np.argsort(x, axis=0).tolist(),
    "nonzero": lambda x: [i.tolist() for i in np.nonzero(x > 1.0)],
    "where": lambda x: [i.tolist() for i in np.where(x > 1.0)],
    "count_nonzero": lambda x: int(np.count_nonzero(x > 1.0)),
    "all": lambda x: np.all(x > -2.0).tolist(),
    "any": lambda x: np.any(x > 2.0, axis=0).tolist(),
    "logical_and.reduce": lambda x: np.logical_and.reduce(x > 0.0).tolist(),
    "logical_or.reduce": lambda x: np.logical_or.reduce(x > 0.0, axis=1).tolist(),
    "searchsorted": lambda x: np.searchsorted(np.sort(V), x).tolist(),
    "round": lambda x: np.round(x, 1).tolist(),
    "zeros_like": lambda x: np.zeros_like(x).tolist(),
    "ones_like": lambda x: np.ones_like(x, dtype=int).tolist(),
    "full_like": lambda x: np.full_like(x, 7.0).tolist(),
    "empty_like": lambda x: np.empty_like(x).shape,
    "divmod": lambda x: [part.tolist() for part in np.divmod(x, 0.75)],
    "unique": lambda x: np.unique(x).tolist(),
    "array_repr": lambda x: np.array_repr(x),
}


@pytest.mark.parametrize("name", FACTS)
def test_facts_are_numpys(name: str) -> None:
    assert FACTS[name](Tensor(A)) == FACTS[name](A)


@pytest.mark.parametrize("name", functions_of_numpy.RENAMED)
def test_every_line_of_the_table_names_what_exists(name: str) -> None:
    """Both sides: NumPy has such parameters, and gradwalk such a function."""
    target, *words = functions_of_numpy.RENAMED[name].split()
    function: Any = np
    for part in name.split("."):
        function = getattr(function, part)
    known = protocol.inspect.signature(function).parameters
    assert {word.partition("=")[0] for word in words} <= known.keys()
    assert callable(protocol._target(target))


@pytest.mark.parametrize("name", [*functions_of_numpy.UFUNCS, *functions_of_numpy.COMPOSED])
def test_every_other_name_exists_too(name: str) -> None:
    is_new = name in ("matvec", "vecmat")  # which NumPy has from 2.2 on
    assert is_new or callable(operator.attrgetter(name)(np))
    if name in functions_of_numpy.UFUNCS:
        assert callable(protocol._target(functions_of_numpy.UFUNCS[name]))


def test_operators_between_arrays_and_tensors() -> None:
    t = Tensor(V, requires_grad=True)
    for got, expected in [
        (V + t, V + V),
        (V - t, V - V),
        (V * t, V * V),
        (V / t, V / V),
        (W**t, W**V),
        (V @ t, V @ V),
        (np.float64(2.0) * t, 2.0 * V),
        (np.float64(2.0) ** t, 2.0**V),
    ]:
        assert isinstance(got, Tensor)
        assert got.requires_grad
        np.testing.assert_allclose(got.data, expected, rtol=1e-15)
    for got, expected in [
        (np.less(V, t), V < V),
        (t >= V, V >= V),
        (np.equal(V, t), V == V),
    ]:
        assert isinstance(got, Tensor)
        np.testing.assert_array_equal(got.data, expected)
    assert (np.array([1, 2]) & Tensor([3, 2])).tolist() == [1, 2]


def test_arrays_of_values_stay_arrays() -> None:
    values = np.array([Value(1.0), Value(2.0)]) * Value(3.0)
    assert values.dtype == object
    assert [v.data for v in values] == [3.0, 6.0]


def test_a_tensor_never_becomes_an_array_of_objects() -> None:
    t = Tensor(V, requires_grad=True)
    for convert in (np.asarray, np.array, lambda t: np.array([t, t]), np.asanyarray):
        with pytest.raises(SilentDetachError, match="would be lost"):
            convert(t)
    assert np.asarray(Tensor(V)).dtype == np.float64
    np.testing.assert_allclose(Tensor(V), V)


# --- what is refused ------------------------------------------------------------------------------

X = Tensor(V, requires_grad=True)


def add_to_array() -> None:
    array = V.copy()
    array += X


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: np.square(X, out=V.copy()),
            r"numpy\.square\(out=\.\.\.\).*Write y = f\(x\) instead of",
        ),
        (lambda: np.sum(X, out=np.zeros(())), r"numpy\.sum\(out=\.\.\.\)"),
        (lambda: np.add(V, V, out=X), r"numpy\.add\(out=\.\.\.\)"),
        (add_to_array, r"numpy\.add\(out=.*a = a \+ t instead of a \+= t"),
        (lambda: np.add(X, 1.0, where=[True, False, True]), r"where=.*gradwalk\.where"),
        (lambda: np.sum(X, where=np.array([True, False, True])), r"where=.*gradwalk\.where"),
        (lambda: np.add(X, 1.0, dtype="float32"), r"dtype=.*gradwalk\.astype"),
        (lambda: np.exp(X, casting="unsafe"), r"numpy\.exp\(casting=\.\.\.\)"),
        (lambda: np.sum(X, initial=1.0), r"numpy\.sum\(initial=\.\.\.\)"),
        (lambda: np.reshape(X, (3, 1), order="F"), r"numpy\.reshape\(order=\.\.\.\)"),
        (lambda: np.add.reduce(X, initial=1.0), r"numpy\.add\.reduce\(initial=\.\.\.\)"),
        (lambda: np.add.outer(X, V, dtype="float32"), r"numpy\.add\.outer\(dtype=\.\.\.\)"),
    ],
)
def test_options_that_mean_nothing_here(call: Any, text: str) -> None:
    with pytest.raises(OptionError, match=text):
        call()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: np.fft.fft(X), "numpy.fft.fft"),
        (lambda: np.unwrap(X), "numpy.unwrap"),
        (lambda: np.frexp(X), "numpy.frexp"),
        (lambda: np.subtract.at(X, 0, 1.0), "numpy.subtract.at"),
        (lambda: np.add.reduceat(X, [0]), "numpy.add.reduceat"),
        (lambda: np.subtract.reduce(X), "numpy.subtract.reduce"),
        (lambda: np.frompyfunc(abs, 1, 1)(X), "abs (vectorized)"),
    ],
)
def test_unknown_functions_are_named_with_a_way_to_add_them(call: Any, name: str) -> None:
    with pytest.raises(NotANumberError) as caught:
        call()
    assert caught.value.where == name
    assert f"gradwalk.tensor.numpy.protocol.implements({name})" in str(caught.value)
    assert "t.numpy()" in str(caught.value)


def test_options_with_their_defaults_are_harmless() -> None:
    assert np.sum(X, None, None, None).item() == V.sum()
    assert np.exp(X, out=None, where=True, casting="same_kind", order="K").requires_grad
    assert np.reshape(X, (3, 1), order="C").shape == (3, 1)


def test_users_can_say_what_a_function_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "_known", {})

    @protocol.implements(np.average)
    def average(x: Any, axis: Any = None) -> Any:
        return gradwalk.mean(x, axis=axis)

    @protocol.implements(np.frexp)
    def frexp(x: Any) -> Any:
        return x, 0

    assert np.average(X).requires_grad
    assert np.frexp(X) == (X, 0)
    assert average(X).item() == V.mean()


# --- functions that are compositions of others ----------------------------------------------------

MATRIX = np.random.default_rng(5).normal(size=(3, 4))
SQUARE = np.eye(3) + 0.1
BOX = np.arange(24.0).reshape(2, 3, 4)
COMPOSITIONS = {
    "append": (lambda x: np.append(x, [1.0]), MATRIX),
    "append along": (lambda x: np.append(x, x, axis=0), MATRIX),
    "argsort": (lambda x: np.argsort(x, axis=None, kind="mergesort"), MATRIX),
    "argwhere": (lambda x: np.argwhere(x > 0), MATRIX),
    "array_split": (lambda x: np.array_split(x, 3), np.arange(7.0)),
    "array_split at": (lambda x: np.array_split(x, [2, 5]), np.arange(7.0)),
    "average": (np.average, MATRIX),
    "average by rows": (lambda x: np.average(x, axis=0, weights=[1.0, 2.0, 3.0]), MATRIX),
    "average inside": (lambda x: np.average(x, axis=1, weights=[1.0, 2.0, 3.0]), BOX),
    "average by all": (lambda x: np.average(x, weights=np.abs(MATRIX)), MATRIX),
    "dsplit": (lambda x: np.dsplit(x, 2), BOX),
    "fix": (np.fix, MATRIX),
    "flatnonzero": (lambda x: np.flatnonzero(x > 0), MATRIX),
    "fliplr": (np.fliplr, MATRIX),
    "flipud": (np.flipud, MATRIX),
    "hsplit": (lambda x: np.hsplit(x, 2), MATRIX),
    "hsplit of a vector": (lambda x: np.hsplit(x, 7), np.arange(7.0)),
    "lstsq": (lambda x: np.linalg.lstsq(x, np.ones(3))[0], SQUARE),
    "multi_dot": (lambda x: np.linalg.multi_dot([x, x, x]), SQUARE),
    "percentile": (lambda x: np.percentile(x, [10, 50], axis=0), MATRIX),
    "qr": (lambda x: np.linalg.qr(x, mode="r"), MATRIX),
    "reduced qr": (lambda x: np.linalg.qr(x)[1], MATRIX),
    "rot90": (np.rot90, MATRIX),
    "rot90 back": (lambda x: np.rot90(x, -1, axes=(1, 2)), BOX),
    "select": (lambda x: np.select([x > 1.0, x > 0.0], [x, 2.0 * x], 9.0), MATRIX),
    "sort": (lambda x: np.sort(x, axis=None, kind="stable"), MATRIX),
    "svd": (lambda x: np.linalg.svd(x, full_matrices=False)[1], MATRIX),
    "svdvals": (lambda x: np.linalg.svd(x, compute_uv=False), MATRIX),
    "trace": (lambda x: np.trace(x, 1, 1, 2, dtype=np.float32), BOX),
    "trapezoid": (lambda x: np.trapezoid(x, dx=2.0), MATRIX),
    "trapezoid at": (lambda x: np.trapezoid(x, [0.0, 1.0, 4.0], axis=0), MATRIX),
    "vsplit": (lambda x: np.vsplit(x, 3), MATRIX),
}


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("name", COMPOSITIONS)
def test_functions_composed_of_others_give_what_numpy_gives(name, requires_grad):
    function, x = COMPOSITIONS[name]
    expected, found = function(x), function(Tensor(x, requires_grad=requires_grad))
    if not isinstance(expected, (list, tuple)):
        expected, found = [expected], [found]
    for there, here in zip(expected, found, strict=True):
        assert type(here) is Tensor
        assert (here.shape, here.dtype) == (there.shape, there.dtype)
        np.testing.assert_allclose(here.detach().numpy(), there, rtol=1e-12, atol=1e-12)


@pytest.mark.skipif(not hasattr(np, "matvec"), reason="NumPy 2.2 brings them")
def test_vectors_times_matrices():
    x = Tensor(MATRIX, requires_grad=True)
    np.matvec(x, np.ones(4)).sum().backward()
    np.vecmat(np.ones(3), x).sum().backward()
    assert x.grad.tolist() == np.full((3, 4), 2.0).tolist()


def test_the_average_is_differentiated_by_weights_too():
    x, w = Tensor([1.0, 3.0], requires_grad=True), Tensor([1.0, 1.0], requires_grad=True)
    np.average(x, weights=w).backward()
    assert x.grad.tolist() == [0.5, 0.5]
    assert w.grad.tolist() == [-0.5, 0.5]


def test_options_that_a_composition_has_not_are_refused_by_name():
    x = Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(OptionError, match=r"numpy\.meshgrid\(sparse=\.\.\.\)"):
        np.meshgrid(x, x, sparse=True)
    with pytest.raises(OptionError, match=r"numpy\.pad\(reflect_type=\.\.\.\)"):
        np.pad(x, 1, mode="reflect", reflect_type="odd")
    assert np.vstack([x, x], dtype=None).shape == (2, 2)


def test_no_array_shares_the_memory_of_a_tensor():
    with pytest.raises(OptionError, match="copy=False"):
        np.asarray(Tensor([1.0]), copy=False)


# --- options --------------------------------------------------------------------------------------

N = np.where(np.eye(3, dtype=bool), np.nan, A)
OPTIONS: dict[str, list[Any]] = {
    "axis": [0, 1, -1, None], "keepdims": [True], "where": [A > 0.6], "initial": [10.0, -10.0],
    "ddof": [1], "correction": [1], "equal_nan": [False, True], "order": ["F"], "mean": [V],
    "casting": ["unsafe"], "method": ["lower"], "overwrite_input": [True], "weights": [P],
    "kind": ["stable"], "stable": [True], "side": ["right"], "sorter": [np.array([2, 1, 0])],
    "mode": ["clip", "wrap", "r", "complete", "full"], "copy": [False], "rtol": [0.1],
    "atol": [10.0], "nan": [5.0], "posinf": [1.0], "neginf": [1.0], "k": [1, -1], "offset": [1],
    "axis1": [1], "axis2": [0], "n": [2], "prepend": [1.0], "append": [1.0], "decimals": [1],
    "include_initial": [True], "return_index": [True], "return_inverse": [True], "left": [1.0],
    "return_counts": [True], "sorted": [False], "axes": [(1, 0)], "full_matrices": [False],
    "compute_uv": [False], "hermitian": [True], "UPLO": ["U"], "upper": [True], "tol": [0.5],
    "ord": [1, np.inf], "optimize": [True], "sparse": [True], "indexing": ["ij"], "axisa": [0],
    "stat_length": [1], "constant_values": [7.0], "end_values": [3.0], "x": [P], "dx": [2.0],
    "reflect_type": ["odd"], "returned": [True], "min": [0.0], "max": [1.0], "a_max": [1.0],
    "dtype": [np.float32], "default": [3.0], "bias": [True], "subok": [False], "device": ["cpu"],
}  # fmt: skip
"""Values other than the default for the options of NumPy's functions."""

CALLS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "searchsorted": lambda x: (V[[1, 0, 2]], x), "pad": lambda x: (x, 1),
    "where": lambda x: (x > 1.0, x, 0.0), "quantile": lambda x: (x, 0.3),
    "percentile": lambda x: (x, 30), "reshape": lambda x: (x, (9,)), "roll": lambda x: (x, 1),
    "broadcast_to": lambda x: (x, (2, 3, 3)), "split": lambda x: (x, 3),
    "array_split": lambda x: (x, 2), "expand_dims": lambda x: (x, 0), "repeat": lambda x: (x, 2),
    "moveaxis": lambda x: (x, 0, 1), "swapaxes": lambda x: (x, 0, 1), "tile": lambda x: (x, 2),
    "take": lambda x: (x, [0, 2]), "astype": lambda x: (x, np.float32),
    "take_along_axis": lambda x: (x, np.array([[0], [1], [2]])), "full_like": lambda x: (x, 3.0),
    "einsum": lambda x: ("ij->i", x), "select": lambda x: ([x > 1.0], [x]),
    "hsplit": lambda x: (x, 3), "vsplit": lambda x: (x, 3), "clip": lambda x: (x, 0.0, 1.0),
    "nanquantile": lambda x: (x, 0.3), "nanpercentile": lambda x: (x, 30),
    "partition": lambda x: (x, 1), "argpartition": lambda x: (x, 1),
    "insert": lambda x: (x, 1, 2.0), "delete": lambda x: (x, 1),
    "convolve": lambda x: (x[0], V), "correlate": lambda x: (x[0], V),
    "interp": lambda x: (x, np.sort(V), V),
    "linalg.matrix_power": lambda x: (x, 2), "linalg.cholesky": lambda x: (x @ x.T,),
    **dict.fromkeys(("concatenate", "stack", "vstack", "hstack", "dstack"), lambda x: ([x, x],)),
    **dict.fromkeys(("column_stack", "linalg.multi_dot"), lambda x: ([x, x],)),
}  # fmt: skip
"""Arguments of functions that take something else than arrays alone."""


def parameters_of(name: str) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(operator.attrgetter(name)(np)).parameters.values())
    except ValueError:  # functions in C without a signature
        return []


def called(name: str, x: Any) -> tuple[Any, ...]:
    count = sum(p.default is p.empty and p.kind < 2 for p in parameters_of(name))
    return CALLS.get(name, lambda x: (x,) * max(1, count))(x)


def accepted(name: str, x: Any) -> list[tuple[dict[str, Any], Any]]:
    """The options that NumPy's function takes with these numbers, each with the result."""
    f, found = operator.attrgetter(name)(np), []
    named = [p.name for p in parameters_of(name) if p.default is not p.empty]
    for option, value in [(o, value) for o in named for value in OPTIONS.get(o, [])]:
        with warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            found.append(({option: value}, f(*called(name, x.copy()), **{option: value})))
    return found


OPTIONED = [
    pytest.param(name, x, id=f"{kind}-{name}")
    for name in [*functions_of_numpy.RENAMED, *functions_of_numpy.COMPOSED]
    for kind, x in {"numbers": A, "NaN": N}.items()
    if name not in ("linalg.lstsq", "empty_like")  # residuals of full rank, no numbers
    if hasattr(np, name.partition(".")[0]) and accepted(name, x)
]


@pytest.mark.parametrize(("name", "x"), OPTIONED)
@pytest.mark.filterwarnings("ignore")
def test_no_option_is_dropped_silently(name: str, x: Any) -> None:
    """Each option of NumPy's function has its effect, or is refused."""
    f, compared, refused = operator.attrgetter(name)(np), 0, 0
    for option, expected in accepted(name, x):
        try:
            found = f(*called(name, Tensor(x)), **option)
        except GradwalkError:
            refused += 1
            continue
        pairs = zip(
            *(y if isinstance(y, tuple | list) else [y] for y in (expected, found)), strict=True
        )
        for e, y in pairs:
            np.testing.assert_allclose(np.asarray(getattr(y, "data", y)), e, rtol=1e-9)
            compared += 1
    assert compared or refused


def test_most_functions_with_options_are_called() -> None:
    assert len(OPTIONED) > 200
