"""Functions that rearrange: NumPy's results, and adjoints exact to rounding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as g
from gradwalk import Tensor, Value
from gradwalk.errors import GradwalkError, OptionError, SizeError

from ...helpers.array_checks import adjoint, check

X = np.random.default_rng(7).standard_normal((2, 3, 4))
SQUARE = X[:, :, :3]
ROW = X[0, 0]

Case = tuple[str, Callable[[Any], Any], Callable[[Any], Any], Any]

CASES: list[Case] = [
    ("reshape", lambda x: g.reshape(x, (4, -1)), lambda x: x.reshape(4, -1), X),
    ("reshape members", lambda x: g.reshape(x, 3, 8), lambda x: x.reshape(3, 8), X),
    ("flatten", g.flatten, np.ravel, X),
    ("ravel of a view", g.ravel, np.ravel, X.T),
    ("permute_dims", lambda x: g.permute_dims(x, (2, 0, -2)), lambda x: x.transpose(2, 0, 1), X),
    ("transpose", g.transpose, np.transpose, X),
    ("transpose axes", lambda x: g.transpose(x, 1, 0, 2), lambda x: x.transpose(1, 0, 2), X),
    ("transpose tuple", lambda x: g.transpose(x, (1, 0, 2)), lambda x: x.transpose(1, 0, 2), X),
    ("matrix_transpose", g.matrix_transpose, lambda x: x.swapaxes(-1, -2), X),
    ("swapaxes", lambda x: g.swapaxes(x, 0, -1), lambda x: x.swapaxes(0, -1), X),
    ("moveaxis", lambda x: g.moveaxis(x, 0, -1), lambda x: np.moveaxis(x, 0, -1), X),
    ("moveaxis two", lambda x: g.moveaxis(x, (0, 1), (2, 0)),
     lambda x: np.moveaxis(x, (0, 1), (2, 0)), X),
    ("squeeze", g.squeeze, np.squeeze, X[:1, :, :1]),
    ("squeeze one", lambda x: g.squeeze(x, -1), lambda x: np.squeeze(x, -1), X[:1, :, :1]),
    ("expand_dims", lambda x: g.expand_dims(x, (0, -1)), lambda x: np.expand_dims(x, (0, -1)), X),
    ("expand_dims one", lambda x: g.expand_dims(x, 1), lambda x: np.expand_dims(x, 1), X),
    ("broadcast_to", lambda x: g.broadcast_to(x, (2, 3, 4)),
     lambda x: np.broadcast_to(x, (2, 3, 4)), X[:, :1]),
    ("broadcast_arrays", lambda x: g.broadcast_arrays(x, ROW[:, None])[0],
     lambda x: np.broadcast_arrays(x, ROW[:, None])[0], ROW),
    ("atleast_1d", g.atleast_1d, np.atleast_1d, np.array(2.0)),
    ("atleast_2d", g.atleast_2d, np.atleast_2d, ROW),
    ("atleast_2d of more", g.atleast_2d, np.atleast_2d, X),
    ("flip", g.flip, np.flip, X),
    ("flip some", lambda x: g.flip(x, (0, -1)), lambda x: np.flip(x, (0, -1)), X),
    ("roll flat", lambda x: g.roll(x, 5), lambda x: np.roll(x, 5), X),
    ("roll", lambda x: g.roll(x, (1, -2), (0, 2)), lambda x: np.roll(x, (1, -2), (0, 2)), X),
    ("roll one twice", lambda x: g.roll(x, 1, (2, 2)), lambda x: np.roll(x, 1, (2, 2)), X),
    ("repeat flat", lambda x: g.repeat(x, 2), lambda x: np.repeat(x, 2), X),
    ("repeat", lambda x: g.repeat(x, 3, axis=1), lambda x: np.repeat(x, 3, axis=1), X),
    ("repeat each", lambda x: g.repeat(x, [0, 2, 1], 1), lambda x: np.repeat(x, [0, 2, 1], 1), X),
    ("repeat [2]", lambda x: g.repeat(x, [2], 1), lambda x: np.repeat(x, [2], 1), X),
    ("tile", lambda x: g.tile(x, (2, 1, 3)), lambda x: np.tile(x, (2, 1, 3)), X),
    ("tile more axes", lambda x: g.tile(x, (2, 2)), lambda x: np.tile(x, (2, 2)), ROW),
    ("tile fewer axes", lambda x: g.tile(x, 2), lambda x: np.tile(x, 2), X),
    ("tril", g.tril, np.tril, SQUARE),
    ("tril k", lambda x: g.tril(x, -1), lambda x: np.tril(x, -1), X),
    ("triu", g.triu, np.triu, X),
    ("triu k", lambda x: g.triu(x, 2), lambda x: np.triu(x, 2), X),
    ("diagonal", g.diagonal, np.diagonal, X),
    ("diagonal offset", lambda x: g.diagonal(x, 1, 1, 2), lambda x: np.diagonal(x, 1, 1, 2), X),
    ("diagonal below", lambda x: g.diagonal(x, -2, 2, 1), lambda x: np.diagonal(x, -2, 2, 1), X),
    ("diagonal far off", lambda x: g.diagonal(x, 9), lambda x: np.diagonal(x, 9), X[0]),
    ("diag", g.diag, np.diag, ROW),
    ("diag k", lambda x: g.diag(x, -2), lambda x: np.diag(x, -2), ROW),
    ("diag above", lambda x: g.diag(x, 1), lambda x: np.diag(x, 1), ROW),
    ("diag of a matrix", lambda x: g.diag(x, 1), lambda x: np.diag(x, 1), X[0]),
    ("concat", lambda x: g.concat([x, 2.0 * x, x[:, :1]], 1),
     lambda x: np.concatenate([x, 2.0 * x, x[:, :1]], 1), X),
    ("concat flat", lambda x: g.concatenate([x, x[0]], None),
     lambda x: np.concatenate([x, x[0]], None), X),
    ("stack", lambda x: g.stack([x, 3.0 * x], -1), lambda x: np.stack([x, 3.0 * x], -1), X),
    ("unstack", lambda x: g.unstack(x, 1)[2], lambda x: x[:, 2], X),
    ("split", lambda x: g.split(x, 2, -1)[1], lambda x: np.split(x, 2, -1)[1], X),
    ("split at", lambda x: g.concat(g.split(x, [1, 2, 9], 1)[::-1], 1),
     lambda x: np.concatenate(np.split(x, [1, 2, 9], 1)[::-1], 1), X),
    ("split back", lambda x: g.concat(g.split(x, [3, 1, -1], 2), 2),
     lambda x: np.concatenate(np.split(x, [3, 1, -1], 2), 2), X),
    ("pad", lambda x: g.pad(x, 1), lambda x: np.pad(x, 1), X),
    ("pad before", lambda x: g.pad(x, (2, 0)), lambda x: np.pad(x, (2, 0)), ROW),
    ("pad reflect", lambda x: g.pad(x, ((0, 0), (1, 2), (3, 3)), "reflect"),
     lambda x: np.pad(x, ((0, 0), (1, 2), (3, 3)), "reflect"), X),
    ("pad symmetric", lambda x: g.pad(x, 2, "symmetric"), lambda x: np.pad(x, 2, "symmetric"), X),
    ("pad edge", lambda x: g.pad(x, 2, "edge"), lambda x: np.pad(x, 2, "edge"), X),
    ("pad replicate", lambda x: g.pad(x, 2, "replicate"), lambda x: np.pad(x, 2, "edge"), X),
    ("pad wrap", lambda x: g.pad(x, 2, "wrap"), lambda x: np.pad(x, 2, "wrap"), X),
    ("pad circular", lambda x: g.pad(x, (1, 0), "circular"), lambda x: np.pad(x, (1, 0), "wrap"),
     ROW),
    ("pad by nothing", lambda x: g.pad(x, 0, "edge"), np.copy, X),
]  # fmt: skip

NAMES = [name for name, *_ in CASES]


@pytest.mark.parametrize(("_name", "f", "expected", "x"), CASES, ids=NAMES)
def test_values_adjoints_and_all_derivatives(_name: str, f: Any, expected: Any, x: Any) -> None:
    assert f(Tensor(x)).dtype == np.float64
    np.testing.assert_array_equal(f(Tensor(x)).data, expected(x))
    np.testing.assert_array_equal(f(x), expected(x))
    adjoint(f, x)
    check(lambda x: f(x * x), x[..., :2] if x.size > 24 else x)


@pytest.mark.parametrize(("_name", "f", "expected", "x"), CASES, ids=NAMES)
def test_other_dtypes_are_kept(_name: str, f: Any, expected: Any, x: Any) -> None:
    products = ("concat", "stack")  # with 2.0, which makes floats of ints
    for dtype in (np.float32,) if _name in products else (np.float32, np.int64, np.bool_):
        y = f(Tensor(x.astype(dtype)))
        assert (y.dtype, y.shape) == (dtype, expected(x).shape)
        np.testing.assert_array_equal(y.data, expected(x.astype(dtype)))


EMPTY = np.zeros((0, 3))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: g.reshape(x, (3, 0)), g.flatten, g.transpose, g.flip, g.tril, g.diagonal,
        lambda x: g.concat([x, x]), lambda x: g.stack([x, x]), lambda x: g.split(x, 3)[0],
        lambda x: g.split(x, 3, 1)[2], lambda x: g.repeat(x, 2, 0), lambda x: g.tile(x, 2),
        lambda x: g.pad(x, 1), lambda x: g.roll(x, 1, 1), lambda x: g.broadcast_to(x, (2, 0, 3)),
    ],
)  # fmt: skip
def test_empty_arrays(f: Callable[[Any], Any]) -> None:
    x = Tensor(EMPTY, requires_grad=True)
    y = f(x)
    y.sum().backward()
    assert x.grad.shape == (0, 3)
    assert y.shape == np.shape(f(EMPTY))


def test_unstacked_parts_share_one_step_of_the_sweep() -> None:
    x = Tensor(X, requires_grad=True)
    parts = list(x)
    assert len({part._node._inputs[0] for part in parts}) == 1
    (parts[0] * parts[1]).sum().backward()
    np.testing.assert_array_equal(x.grad, X[::-1])


def test_a_part_that_is_not_used_contributes_nothing() -> None:
    """Not 0 times the infinite slope of sqrt at 0, which would be NaN."""
    x = Tensor([0.0, 4.0, 9.0], requires_grad=True)
    for parts in (tuple(x.sqrt()), g.unstack(x.sqrt()), g.split(x.sqrt(), 3)):
        x.grad = None
        (parts[1].sum() + parts[2].sum()).backward()
        np.testing.assert_array_equal(x.grad, [0.0, 0.25, 1 / 6])
    x.grad = None
    a, b, _ = x.sqrt()
    g.where(a > 0.0, a, b).backward()  # the gate of a part
    np.testing.assert_array_equal(x.grad, [0.0, 0.25, 0.0])


def test_arrays_and_tensors_side_by_side() -> None:
    x = Tensor(ROW, requires_grad=True)
    for join, expected in ((g.stack, np.stack), (g.concat, np.concatenate)):
        y = join([x, X[1, 0], list(ROW)])
        np.testing.assert_array_equal(y.data, expected([ROW, X[1, 0], ROW]))
        x.grad = None
        y.sum().backward()
        np.testing.assert_array_equal(x.grad, np.ones(4))


def test_results_do_not_share_what_they_are_made_of() -> None:
    x = Tensor(X, requires_grad=True)
    y = g.reshape(x * 1.0, (6, 4))
    before = y.tolist()
    for z in (g.repeat(y, 1, 0), g.roll(y, 0), g.flatten(y), g.tile(y, 1), g.pad(y, 0), +y):
        z += 1.0
        assert y.tolist() == before


@pytest.mark.parametrize("method", ["flatten", "ravel", "squeeze", "transpose", "diagonal"])
def test_methods(method: str) -> None:
    expected = getattr(X, method)()
    np.testing.assert_array_equal(getattr(Tensor(X), method)().data, expected)


def test_methods_with_arguments() -> None:
    x = Tensor(X)
    assert x.reshape(4, -1).shape == x.reshape((4, -1)).shape == (4, 6)
    assert x.swapaxes(0, 1).shape == (3, 2, 4)
    assert x.repeat(2, axis=0).shape == (4, 3, 4)


# --- Values --------------------------------------------------------------------------------------


def test_values_become_a_tensor_and_get_its_gradient() -> None:
    a, b = Value(2.0), Value(3.0)
    y = g.stack([[a, b], [1.0, a]])
    assert y.tolist() == [[2.0, 3.0], [1.0, 2.0]]
    (y * np.array([[1.0, 10.0], [100.0, 1000.0]])).sum().backward()
    assert (a.grad, b.grad) == (1001.0, 10.0)


def test_values_come_from_computations_of_their_own() -> None:
    a, b = Value(2.0), Value(3.0)
    (g.stack([a * b, a]) ** 2).sum().backward()
    assert (a.grad, b.grad) == (2 * 6.0 * 3.0 + 2 * 2.0, 2 * 6.0 * 2.0)


def test_values_numbers_and_tensors_side_by_side() -> None:
    a, t = Value(2.0), Tensor([5.0, 6.0], requires_grad=True)
    y = g.stack([t, [a, 1.0], [a, t[0]]])
    assert y.tolist() == [[5.0, 6.0], [2.0, 1.0], [2.0, 5.0]]
    y.sum().backward()
    assert a.grad == 2.0
    assert t.grad.tolist() == [2.0, 1.0]
    b = Value(1.0)
    g.stack([b, t[1], 4.0]).sum().backward()
    assert b.grad == 1.0


def test_stacked_values_on_another_axis() -> None:
    a, b = Value(2.0), Value(3.0)
    y = g.stack([[a, b], [1.0, 4.0]], axis=1)
    assert y.tolist() == [[2.0, 1.0], [3.0, 4.0]]
    (y[1] * 2.0).sum().backward()
    assert (a.grad, b.grad) == (0.0, 2.0)


def test_nothing_is_recorded_under_no_grad() -> None:
    with g.no_grad():
        y = g.stack([Value(1.0), 2.0])
    assert not y.requires_grad
    assert y.tolist() == [1.0, 2.0]


# --- errors --------------------------------------------------------------------------------------

ERRORS: list[tuple[Any, type[GradwalkError], str]] = [
    (lambda x: g.reshape(x, (5, -1)), SizeError, "24 elements"),
    (lambda x: g.reshape(x, (-1, -1)), SizeError, "at most one -1"),
    (lambda x: g.reshape(x, (2, 3)), SizeError, "(2, 3) for an array of shape (2, 3, 4)"),
    (lambda x: g.reshape(x, (2, -3)), OptionError, "a non-negative integer"),
    (lambda x: g.squeeze(x, 1), SizeError, "length 3"),
    (lambda x: g.broadcast_to(x, (3, 4)), SizeError, "broadcasts to"),
    (lambda x: g.broadcast_to(x, (2, 3, 5)), SizeError, "(2, 3, 5)"),
    (lambda x: g.broadcast_arrays(x, x[:, :2]), SizeError, "agree from the right"),
    (lambda x: g.permute_dims(x, (0, 1)), SizeError, "all 3 axes"),
    (lambda x: g.permute_dims(x, (0, 1, 1)), SizeError, "each axis once"),
    (lambda x: g.matrix_transpose(x[0, 0]), SizeError, "a matrix"),
    (lambda x: g.moveaxis(x, (0, 1), 0), SizeError, "as many destinations"),
    (lambda x: g.concat([]), OptionError, "one or more arrays"),
    (lambda x: g.concat(3.0), OptionError, "one or more arrays"),
    (lambda x: g.concat([x, x[0]]), SizeError, "the same shape except"),
    (lambda x: g.concat([x, x[:1]], 1), SizeError, "except for axis 1"),
    (lambda x: g.concat([x, x], 3), SizeError, "from -3 to 2"),
    (lambda x: g.stack([x, x[0]]), SizeError, "one shape"),
    (lambda x: g.split(x, 3), SizeError, "a divisor of the length 2"),
    (lambda x: g.split(x, 0), SizeError, "a divisor of"),
    (lambda x: g.split(x, [0.5]), OptionError, "expected integers"),
    (lambda x: g.roll(x, (1, 2), 0), SizeError, "one shift"),
    (lambda x: g.repeat(x, [1, 2], 1), OptionError, "or 3 of them"),
    (lambda x: g.repeat(x, -1), OptionError, "a non-negative integer"),
    (lambda x: g.pad(x, -1), SizeError, "3 pairs"),
    (lambda x: g.pad(x, ((1, 1), (1, 1))), SizeError, "3 pairs"),
    (lambda x: g.pad(x, 1, "mirror"), OptionError, "reflect"),
    (lambda x: g.pad(x[:0], 1, "reflect"), SizeError, "length 0"),
    (lambda x: g.tril(x[0, 0]), SizeError, "a matrix"),
    (lambda x: g.triu(x, 0.5), OptionError, "diagonal"),
]


@pytest.mark.parametrize(("f", "kind", "words"), ERRORS)
def test_errors_say_what_is_wrong(f: Any, kind: type[GradwalkError], words: str) -> None:
    for x in (X, Tensor(X, requires_grad=True)):
        with pytest.raises(kind) as info:
            f(x)
        assert words in str(info.value)


def test_padding_with_a_number() -> None:
    check(lambda x: g.pad(x * x, 1, value=7.0), ROW)
    expected = np.pad(X, 2, constant_values=7.0)
    np.testing.assert_array_equal(g.pad(Tensor(X), 2, value=7.0).data, expected)


def test_one_number_goes_before_or_after_every_line():
    x = Tensor([[1.0, 4.0], [9.0, 16.0]], requires_grad=True)
    end = Tensor(0.0, requires_grad=True)
    y = g.diff(x, axis=0, prepend=end, append=20)
    assert y.tolist() == np.diff(x.detach(), axis=0, prepend=0.0, append=20).tolist()
    y[0].sum().backward()
    assert end.grad == -2.0


def test_what_stands_around_an_array_is_one_number():
    with pytest.raises(OptionError, match="one number, for all sides"):
        np.pad(Tensor([1.0, 2.0]), 1, constant_values=(3.0, 4.0))
