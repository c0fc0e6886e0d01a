"""Every key that NumPy takes gives the same numbers here, and a gradient that goes back there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, basic_indices, integer_array_indices

import gradwalk as g
from gradwalk import Tensor, Value
from gradwalk.errors import GradwalkError, KeyRangeError, NotANumberError, OptionError, SizeError
from gradwalk.ops.array.indexing import BLOCK
from gradwalk.ops.array.structural_zero import StructuralZero
from gradwalk.tensor.graph import backward as sweeps
from gradwalk.tensor.graph.node import contributions

from ...helpers.array_checks import adjoint, check

X = np.random.default_rng(3).standard_normal((3, 4, 2))
MASK = X > 0.3
IDS = np.array([[2, 0], [-1, 2]])

KEYS: list[Any] = [
    1, -3, slice(None), slice(1, None, 2), slice(None, None, -1), slice(5, 9), ..., None, (),
    (1, 2, -1), (slice(1), 3), (..., 1), (1, ..., 0), (None, 1, ..., None), (0, slice(None), None),
    MASK, MASK[0, :, 0][None].repeat(3, 0), (slice(None), MASK[0]), (1, MASK[0]),
    MASK[:, 0, 0], (MASK[:, 0, 0], ..., 1), [True, False, True], np.bool_(True), False,
    (np.array(True), 1), IDS, [2, 0, 2], [], (IDS, IDS), ([0, 1], slice(None), [1, 1]),
    (slice(None), [0, 1, 1], 1), ([[0], [2]], [0, 3]), (None, [1, 1, 0]), (..., [1, 0, 0]),
    (IDS, ..., None, IDS % 2), (np.int64(1), np.uint8(2)), np.array(2), (np.array(1), [0, 0]),
    np.ix_([0, 2, 2], [1, 3], [0]), (MASK[:, 0, 0], [1]), slice(np.int64(1), np.int64(3)),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_keys_of_every_kind(key: Any) -> None:
    np.testing.assert_array_equal(Tensor(X)[key].data, X[key])
    assert Tensor(X)[key].shape == X[key].shape
    _check_gradient(X, key)
    adjoint(lambda x: g.reshape(x, X.shape)[key], X)


def _check_gradient(array: Any, key: Any) -> None:
    """Each place of x gets a share for each time that it was taken, in the same order as added."""
    x = Tensor(array, requires_grad=True)
    y = x[key]
    assert isinstance(y, Tensor)
    np.testing.assert_array_equal(y.data, array[key])
    seed = np.random.default_rng(1).standard_normal(y.shape)
    expected = np.zeros(array.shape)
    np.add.at(expected, key, seed)
    y.backward(seed)
    np.testing.assert_array_equal(x.grad, expected)


FIRST, LAST = (slice(None, 2), ...), (..., slice(1, None))


def _part(key: Any) -> StructuralZero:
    return StructuralZero.at(key, X[key], X.shape)


def _zeros_at(*keys: Any) -> Any:
    found = np.zeros(X.shape)
    for key in keys:
        found[key] += X[key]
    return found


def test_a_part_adds_nothing_elsewhere() -> None:
    rest = np.full(X.shape, -0.0)
    for total in (rest + _part(LAST), _part(LAST) + rest):
        np.testing.assert_array_equal(total[LAST], X[LAST])
        assert np.signbit(total[..., 0]).all(), "-0.0 + 0.0 would be 0.0"
    assert np.signbit(rest).all(), "a sum has an array of its own"
    np.testing.assert_array_equal(_part(LAST).data, _zeros_at(LAST))
    np.testing.assert_array_equal(_part(LAST) + 1.0, _zeros_at(LAST) + 1.0)
    np.testing.assert_array_equal(
        np.float64(1.0) + StructuralZero.at((), X[0, 0, 0], ()), 1.0 + X[0, 0, 0]
    )


def test_parts_and_gates_are_shut_where_all_of_them_are() -> None:
    shut = X > 0.0
    gated = StructuralZero.of(shut, X)
    both = _part(FIRST) + _part(LAST)
    np.testing.assert_array_equal(both.data, _zeros_at(FIRST, LAST))
    closed = np.zeros(X.shape, np.bool_)
    closed[2:, :, 0] = True
    for total in (both, both + _part(FIRST), _part(FIRST) + both):
        np.testing.assert_array_equal(total.mask, closed)
    for total in (both + gated, gated + both, gated + _part(FIRST) + _part(LAST)):
        np.testing.assert_allclose(total.data, gated.data + both.data)
        np.testing.assert_array_equal(total.mask, shut & closed)
    np.testing.assert_array_equal(gated.data, np.where(shut, 0.0, X))


def test_a_sum_that_nobody_else_knows_grows_in_its_place() -> None:
    for first in (_part(FIRST), StructuralZero.of(X > 0.0, X)):
        total = first + _part(LAST)
        array, same = total.data, total
        total += _part(FIRST)
        assert total is same
        assert total.data is array
        expected = first + _part(LAST) + _part(FIRST)
        np.testing.assert_array_equal(array, expected.data)
        np.testing.assert_array_equal(total.mask, expected.mask)
    total += StructuralZero.of(X > 0.0, X)
    assert total is not same
    assert total.data is not array


def test_a_part_is_scattered_once_it_is_looked_at() -> None:
    """A loop over the numbers of an array takes time in proportion to their number, not its square.

    The share of one number is that number: no zeros are made for it.
    """
    x = Tensor(np.arange(5.0), requires_grad=True)
    contribution = contributions(x[3]._node, np.array(2.0), x[3]._node.saved)[0]
    assert (contribution.part.shape, contribution.shape, contribution._data) == ((), (5,), None)
    np.testing.assert_array_equal(contribution.data, [0.0, 0.0, 0.0, 2.0, 0.0])
    repeated = x[[0, 0]]._node
    assert contributions(repeated, np.ones(2), repeated.saved)[0].tolist() == [
        2.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ]


@st.composite
def arrays_and_keys(draw: Any) -> tuple[Any, Any]:
    shape = draw(array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    kinds = [basic_indices(shape, allow_ellipsis=True, allow_newaxis=True), masks(shape)]
    if all(shape):
        kinds += [integer_array_indices(shape), mixed(shape)]
    key = draw(st.one_of(kinds))
    return np.arange(float(np.prod(shape))).reshape(shape) + 0.5, key


def masks(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    size = int(np.prod(shape))
    bools = st.lists(st.booleans(), min_size=size, max_size=size)
    return bools.map(lambda bits: np.array(bits, dtype=bool).reshape(shape))


def mixed(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    """Ints, slices, lists of three indices and new axes beside one another."""

    def part(n: int) -> st.SearchStrategy[Any]:
        place = st.integers(-n, n - 1)
        return st.one_of(place, st.slices(n), st.lists(place, min_size=3, max_size=3), st.none())

    parts = st.tuples(*map(part, shape))
    return parts.map(lambda key: (*key, ...) if len(key) > 1 else key)


@given(arrays_and_keys())
def test_any_key_is_numpys(case: tuple[Any, Any]) -> None:
    array, key = case
    _check_gradient(array, key)


@pytest.mark.parametrize(
    "key", [1, (..., 1), MASK, IDS, ([0, 1, 0], slice(None), [1, 1, 1])], ids=repr
)
def test_all_derivatives(key: Any) -> None:
    check(lambda x: (x * x)[key], X)


def test_tensors_in_keys() -> None:
    x = Tensor(X)
    i, mask = Tensor([2, 0]), Tensor(MASK)
    np.testing.assert_array_equal(x[i].data, X[[2, 0]])
    np.testing.assert_array_equal(x[mask].data, X[MASK])
    np.testing.assert_array_equal(x[x > 0.3].data, X[MASK])
    np.testing.assert_array_equal(x[:, i, Tensor(1)].data, X[:, [2, 0], 1])
    np.testing.assert_array_equal(x[[Tensor(2), 0]].data, X[[2, 0]])
    np.testing.assert_array_equal(x[Tensor(1) : Tensor(3)].data, X[1:3])


def test_a_key_that_changes_later_changes_nothing() -> None:
    for make in (np.array, list, Tensor):
        ids = make([0, 2, 2])
        x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = x[ids]
        ids[0] = 1
        y.sum().backward()
        assert x.grad.tolist() == [1.0, 0.0, 2.0]
    mask = np.array([True, False, True])
    x.grad = None
    y = x[mask]
    mask[:] = True
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 1.0]


def test_what_is_not_taken_contributes_nothing() -> None:
    """The slope of sqrt at 0 is infinite, and 0 times that would be NaN."""
    for key in (slice(1, None), [1, 2, 2], np.array([False, True, True]), (None, 2)):
        x = Tensor([0.0, 4.0, 9.0], requires_grad=True)
        x.sqrt()[key].sum().backward()
        assert x.grad[0] == 0.0
        assert np.isfinite(x.grad).all()
        first = sweeps.gradients(x.sqrt()[key].sum(), [x], None, create_graph=True)
        assert first[0].data[0] == 0.0


def test_elements_meet_values() -> None:
    t, v = Tensor([2.0, 5.0], requires_grad=True), Value(3.0)
    for element in (t[0], next(iter(t))):
        for f, at_v, at_t in (
            (lambda e: v * e, 2.0, 3.0),
            (lambda e: e * v, 2.0, 3.0),
            (lambda e: v - e, 1.0, -1.0),
            (lambda e: e / v, -2.0 / 9.0, 1.0 / 3.0),
            (lambda e: g.maximum(v, e), 1.0, 0.0),
            (lambda e: g.minimum(e, v), 0.0, 1.0),
            (lambda e: g.where(e > v, e, v), 1.0, 0.0),
        ):
            t.grad, v.grad = None, 0.0
            y = f(element)
            assert isinstance(y, Tensor)
            y.backward(retain_graph=True)
            assert v.grad == pytest.approx(at_v)
            reached = np.zeros(2) if t.grad is None else t.grad  # no contribution at all
            assert reached.tolist() == pytest.approx([at_t, 0.0])


# --- many rows of a table ------------------------------------------------------------------------


def test_rows_of_a_table() -> None:
    rng = np.random.default_rng(5)
    table, ids = rng.standard_normal((7, 3)), rng.integers(-7, 7, (50, 4))
    _check_gradient(table, ids)
    y = g.embedding(Tensor(table), Tensor(ids))
    np.testing.assert_array_equal(y.data, table[ids])
    adjoint(lambda w: g.embedding(w, ids), table)


def test_shares_of_one_place_are_added_in_one_order() -> None:
    rng = np.random.default_rng(6)
    ids, seed = rng.integers(0, 3, 1000), rng.standard_normal((1000, 2)).astype(np.float32)

    def gradient() -> Any:
        w = Tensor(np.zeros((3, 2), np.float32), requires_grad=True)
        g.embedding(w, ids).backward(seed)
        return w.grad

    expected = np.zeros((3, 2), np.float32)
    for i, contribution in zip(ids, seed, strict=True):
        expected[i] += contribution
    for _ in range(3):
        np.testing.assert_array_equal(gradient(), expected)


# --- along an axis -------------------------------------------------------------------------------

ORDER = np.argsort(X, axis=1)


def test_take() -> None:
    for axis in (None, 0, -1):
        expected = np.take(X, [1, 0, -1], axis)
        np.testing.assert_array_equal(g.take(Tensor(X), [1, 0, -1], axis).data, expected)
        check(lambda x, axis=axis: g.take(x * x, IDS % 2, axis), X[:2])
    assert Tensor(X).take(1, axis=1).shape == (3, 2)


def test_take_along_axis() -> None:
    for axis, ids in ((1, ORDER), (0, ORDER[:1] % 3), (-1, ORDER[..., :1] % 2)):
        expected = np.take_along_axis(X, ids, axis)
        np.testing.assert_array_equal(g.take_along_axis(Tensor(X), ids, axis).data, expected)
        check(lambda x, axis=axis, ids=ids: g.take_along_axis(x * x, ids, axis), X)


def test_put_along_axis() -> None:
    for values in (X * 2.0, 5.0, X[:, :1]):
        expected = X.copy()
        np.put_along_axis(expected, ORDER, values, 1)
        np.testing.assert_array_equal(g.put_along_axis(Tensor(X), ORDER, values, 1).data, expected)
    ids = np.array([[0], [2]])
    check(lambda x, v: g.put_along_axis(x * x, ids, v * v), X[:2, :3, 0], X[:2, :1, 1])


def test_gather_and_scatter() -> None:
    ids = np.array([[0, 3, 3], [1, 0, 2]])
    x, v = X[:, :, 0], X[:2, :3, 1]
    expected = np.array([[x[i, ids[i, k]] for k in range(3)] for i in range(2)])
    np.testing.assert_array_equal(g.gather(Tensor(x), 1, ids).data, expected)
    assert Tensor(x).gather(1, ids).shape == (2, 3)
    check(lambda x: g.gather(x * x, 1, ids), x)
    put, added = x.copy(), x.copy()
    for i, k in np.ndindex(2, 3):
        put[i, ids[i, k]] = v[i, k]
        added[i, ids[i, k]] += v[i, k]
    larger = np.pad(v, (0, 2))
    for values in (v, larger):
        np.testing.assert_array_equal(g.scatter(Tensor(x), 1, ids, values).data, put)
        np.testing.assert_allclose(g.scatter_add(Tensor(x), 1, ids, values).data, added)
    assert g.scatter(x, 1, ids, 0.0)[0, 3] == 0.0
    assert g.scatter_add(x, 1, ids, 1.0)[0, 3] == x[0, 3] + 2.0
    for f in (g.scatter, g.scatter_add):
        check(lambda x, v, f=f: f(x * x, 1, ids, v * v), x, v)
        check(lambda x, v, f=f: f(x * x, 1, ids, v[0, 0] * v[1, 1]), x, v)


def test_of_several_numbers_for_one_place_the_last_gets_the_gradient() -> None:
    x, v = Tensor(np.zeros(3)), Tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = g.scatter(x, 0, [1, 1, 0], v)
    assert y.tolist() == [3.0, 2.0, 0.0]
    y.sum().backward()
    assert v.grad.tolist() == [0.0, 1.0, 1.0]


# --- without a derivative ------------------------------------------------------------------------


def test_nonzero() -> None:
    for places, expected in zip(g.nonzero(Tensor(MASK)), np.nonzero(MASK), strict=True):
        np.testing.assert_array_equal(places.data, expected)
    assert [p.tolist() for p in Tensor([0.0, 2.0], requires_grad=True).nonzero()] == [[1]]


def test_one_hot() -> None:
    ids = [[1, 0], [2, 2]]
    np.testing.assert_array_equal(g.one_hot(ids), np.eye(3)[ids])
    y = g.one_hot(Tensor(ids), 4, dtype=np.float32)
    assert (type(y), y.dtype, y.shape) == (Tensor, np.float32, (2, 2, 4))
    assert g.one_hot([]).shape == (0, 0)


# --- errors --------------------------------------------------------------------------------------

ERRORS: list[tuple[Any, type[GradwalkError], str]] = [
    (lambda x: x[3], KeyRangeError, "from -3 to 2 along axis 0, of length 3, got 3"),
    (lambda x: x[0, -5], KeyRangeError, "from -4 to 3 along axis 1, of length 4, got -5"),
    (lambda x: x[..., 2], KeyRangeError, "along axis 2, of length 2, got 2"),
    (lambda x: x[None, :, [0, 7, 1]], KeyRangeError, "along axis 1, of length 4, got 7"),
    (lambda x: x[:0][0], KeyRangeError, "no index along axis 0, which has length 0"),
    (lambda x: x[1, 1, 1, 1], KeyRangeError, "at most 3 indices for shape (3, 4, 2), got 4"),
    (lambda x: x[MASK[:2]], KeyRangeError, "a mask of shape (3, 4, 2)"),
    (lambda x: x[0, MASK[:, 0]], KeyRangeError, "a mask of shape (4, 2) for the axes from 1 on"),
    (lambda x: x[[0, 1], [0, 1, 2]], KeyRangeError, "broadcast together, got (2,), (3,)"),
    (lambda x: x[0.5], KeyRangeError, "got float 0.5"),
    (lambda x: x[Tensor([0.5])], KeyRangeError, "integers, slices"),
    (lambda x: x["a"], KeyRangeError, "got str 'a'"),
    (lambda x: x[[[1], [1, 2]]], KeyRangeError, "got list [[1], [1, 2]]"),
    (lambda x: x[1.5:], KeyRangeError, "got float 1.5"),
    (lambda x: g.take(x, 4, 1), KeyRangeError, "take(indices): expected an index from -4 to 3"),
    (lambda x: g.take(x, [True], 1), KeyRangeError, "nonzero(mask)"),
    (lambda x: g.embedding(x, [3]), KeyRangeError, "axis 0, of length 3, got 3"),
    (lambda x: g.take_along_axis(x, [0], 1), SizeError, "expected 3 axes, as x has"),
    (lambda x: g.take_along_axis(x, ORDER + 1, 1), KeyRangeError, "axis 1, of length 4, got 4"),
    (lambda x: g.put_along_axis(x, ORDER + 1, 0.0, 1), KeyRangeError, "put_along_axis(indices)"),
    (lambda x: g.gather(x, 1, np.zeros((4, 1, 1), int)), SizeError, "except along axis 1"),
    (lambda x: g.scatter(x, 1, ORDER, X[:1]), SizeError, "as large as the indices"),
    (lambda x: g.scatter(x, 0, ORDER, 1.0), KeyRangeError, "axis 0, of length 3, got 3"),
    (lambda x: g.nonzero(x[0, 0, 0]), SizeError, "got shape ()"),
    (lambda x: g.one_hot([3], 3), OptionError, "< num_classes, which is int 3"),
    (lambda x: g.one_hot([0], 1.5), OptionError, "an integer larger than every id"),
    (lambda x: g.embedding("w", [0]), NotANumberError, "expected a Tensor"),
]


@pytest.mark.parametrize(("f", "kind", "words"), ERRORS)
def test_errors_name_the_axis_and_its_length(
    f: Callable[[Any], Any], kind: type[GradwalkError], words: str
) -> None:
    with pytest.raises(kind) as info:
        f(Tensor(X, requires_grad=True))
    assert words in str(info.value)


def test_index_errors_are_index_errors() -> None:
    with pytest.raises(IndexError):
        Tensor([1.0])[1]
    with pytest.raises(TypeError, match="without axes"):
        iter(Tensor(1.0))


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (slice(None, None, 0), "a step other than 0"),
        ((..., ...), "at most one ..., got 2"),
    ],
)
def test_keys_that_no_array_takes(key, message):
    t = Tensor(np.ones((2, 3)))
    with pytest.raises(KeyRangeError, match=message):
        t[key]
    with pytest.raises(KeyRangeError, match=message):
        t[key] = 0.0


@pytest.mark.parametrize("width", [1, 3, BLOCK + 1])
@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_rows_that_repeat_are_added_block_by_block(width: int, beyond: int) -> None:
    """The sums, and their order, are those of numpy.add.at, also where blocks begin and end."""
    rng = np.random.default_rng(0)
    count = 2 * max(1, BLOCK // width) + beyond
    ids, t = rng.integers(-4, 4, count), rng.normal(size=(count, width))
    expected = np.zeros((4, width))
    np.add.at(expected, ids, t)
    x = Tensor(np.zeros((4, width)), requires_grad=True)
    x[ids].backward(t)
    np.testing.assert_array_equal(x.grad, expected)
