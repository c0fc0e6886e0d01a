"""Assignment can be differentiated, and only views see it."""

from __future__ import annotations

import copy
import operator
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as g
from gradwalk import Tensor, Value, no_grad
from gradwalk.errors import (
    GradwalkError,
    InPlaceError,
    KeyRangeError,
    NotANumberError,
    SizeError,
)
from gradwalk.tensor.graph.write_guard import Guarded

from ...helpers.array_checks import check

X = np.random.default_rng(11).standard_normal((3, 4))
V = np.random.default_rng(12).standard_normal((3, 4))
MASK = X > 0.0

# --- t[key] = v ----------------------------------------------------------------------------------

KEYS: list[Any] = [
    0, (1, -1), slice(None), (slice(None), 2), (..., slice(1, 3)), (), None, MASK, MASK[:, 0],
    [0, 2], ([0, 2], [1, 1]), ([[0], [1]], [0, 3]), (None, 0), np.bool_(False), (1, MASK[0]),
]  # fmt: skip


def put(x: Any, key: Any, v: Any) -> Any:
    """x with v in the place of x[key], as a program says it."""
    y = +x if isinstance(x, Tensor) else x.copy()
    y[key] = v
    return y


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_assignment_has_all_derivatives(key: Any) -> None:
    part = V[key]
    check(lambda x, v: put(x * x, key, v * v), X, part)
    check(lambda x, v: put(x * x, key, v * v), X, np.array(1.5))
    np.testing.assert_array_equal(put(Tensor(X), key, Tensor(part)).data, put(X, key, part))


def test_values_are_broadcast_as_numpy_does_it() -> None:
    for v in (V[0], V[:1], V[:, :1], V[None, None], V[0, 0]):
        check(lambda x, v: put(x * x, ..., v * v), X, v)
        np.testing.assert_array_equal(put(Tensor(X), ..., v).data, put(X, ..., v))


def test_of_several_numbers_for_one_place_the_last_stays() -> None:
    key = [1, 0, 1, 1]
    x, v = Tensor([5.0, 6.0], requires_grad=True), Tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    y = put(x, key, v)
    assert y.tolist() == [2.0, 4.0]
    (y * np.array([10.0, 100.0])).sum().backward()
    assert v.grad.tolist() == [0.0, 10.0, 0.0, 100.0]
    assert x.grad.tolist() == [0.0, 0.0]
    check(lambda x, v: put(x, key, v * v), X[:2, 0], V[0])


def test_what_is_overwritten_contributes_nothing() -> None:
    """The slope of sqrt at 0 is infinite, and 0 times that would be NaN."""
    x = Tensor([0.0, 4.0], requires_grad=True)
    for key in (0, [0], [0, 0], np.array([True, False])):
        x.grad = None
        put(x.sqrt(), key, 7.0).sum().backward()
        assert x.grad.tolist() == [0.0, 0.25]


def test_what_was_computed_before_keeps_its_gradient() -> None:
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    t = x * 2.0
    before = t * t
    t[1] = 10.0
    t[2:] += x[:1]
    after = t * t
    assert (before.tolist(), after.tolist()) == ([4.0, 16.0, 36.0], [4.0, 100.0, 49.0])
    before.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [8.0, 16.0, 24.0]
    x.grad = None
    after.sum().backward()
    assert x.grad.tolist() == [8.0 + 14.0, 0.0, 28.0]


def test_a_constant_becomes_part_of_the_graph() -> None:
    x, t = Tensor([1.0, 2.0], requires_grad=True), Tensor(np.zeros((2, 2)))
    t.label = "t"
    for i in range(2):
        t[i] = x * (i + 1.0)
    assert (t.requires_grad, t.label, t.op) == (True, "t", "update")
    t.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_values_of_the_scalar_engine_are_assigned() -> None:
    v, t = Value(3.0), Tensor(np.zeros(2))
    t[0] = v
    t[1] = v * 2.0
    (t * t).sum().backward()
    assert v.grad == 6.0 + 2.0 * 6.0 * 2.0


def test_the_dtype_stays() -> None:
    t = Tensor(np.zeros(3, np.float32))
    t[0] = Tensor(1.0, requires_grad=True)
    t[1] = 2
    t += np.ones(3)
    assert (t.dtype, t.tolist()) == (np.float32, [2.0, 3.0, 1.0])
    i = Tensor([1, 2])
    i[0] = 5
    i *= 2
    i[1] = True
    i |= 1
    assert (i.dtype, i.tolist()) == (np.int64, [11, 1])


def test_elements_are_put_one_by_one_without_copies() -> None:
    t = Tensor(np.zeros(3))
    address = t.data.ctypes.data
    for i in range(3):
        t[i] = i
    assert t.data.ctypes.data == address
    assert t.tolist() == [0.0, 1.0, 2.0]


# --- t += v --------------------------------------------------------------------------------------

UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda t, v: t + v, "-": lambda t, v: t - v, "*": lambda t, v: t * v,
    "/": lambda t, v: t / v, "**": lambda t, v: t**v, "%": lambda t, v: t % v,
    "//": lambda t, v: t // v,
}  # fmt: skip


def update(symbol: str, t: Any, v: Any) -> Any:
    variables = {"t": t, "v": v}
    exec(f"t {symbol}= v", variables)
    assert variables["t"] is t or not isinstance(t, Tensor)
    return variables["t"]


@pytest.mark.parametrize("symbol", UPDATES)
def test_updates_are_the_operators(symbol: str) -> None:
    x, v = abs(X) + 0.6, abs(V) + 0.7
    for other in (v, v[0], np.array(1.3)):
        if symbol in ("//", "%"):  # the slopes of % are tested with its row
            expected = UPDATES[symbol](x, other)
            assert update(symbol, Tensor(x), other).tolist() == expected.tolist()
        else:
            check(lambda x, v: update(symbol, x * x, v * v), x, other)
    f = UPDATES[symbol]
    np.testing.assert_array_equal(update(symbol, Tensor(x), Tensor(v)).data, f(x, v))
    np.testing.assert_array_equal(update(symbol, Tensor(x), 2.0).data, f(x, 2.0))


def test_matrix_products_in_place() -> None:
    check(lambda x, v: update("@", x * x, v), X[:, :3], V[:, :3])
    i = Tensor([6, 3])
    i &= 2
    i ^= 1
    i <<= 2
    i >>= 1
    assert i.tolist() == [6, 6]


def test_an_update_does_not_reach_other_names() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    t = x * 1.0
    same, positive, view, clone = t, +t, t.reshape(2, 1), t.clone()
    t += 10.0
    assert same is t
    assert positive.tolist() == clone.tolist() == [1.0, 2.0]
    assert view.tolist() == [[11.0], [12.0]]
    (t * positive).sum().backward()
    assert x.grad.tolist() == [12.0, 14.0]


def test_an_update_of_a_part() -> None:
    check(lambda x, v: _added(x * x, MASK, v * v), X, V[MASK])
    check(lambda x, v: _added(x * x, (slice(None), [0, 2]), v * v), X, V[:, :2])


def _added(x: Any, key: Any, v: Any) -> Any:
    y = +x if isinstance(x, Tensor) else x.copy()
    y[key] += v
    return y


# --- leaves --------------------------------------------------------------------------------------


def test_leaves_are_updated_under_no_grad_and_stay_the_same_leaf() -> None:
    w = Tensor([1.0, 2.0], requires_grad=True, label="w")
    node = w._node
    loss = (w * w).sum()
    loss.backward()
    with no_grad():
        w -= 0.5 * w.grad
        w[1] = 7.0
        w *= Tensor([1.0, 2.0], requires_grad=True)
    assert w._node is node
    assert (w.tolist(), w.label, w.requires_grad) == ([0.0, 14.0], "w", True)
    w.grad = None
    (w * w).sum().backward()
    assert w.grad.tolist() == [0.0, 28.0]


def test_an_update_under_no_grad_does_not_touch_a_graph_of_before() -> None:
    w = Tensor([1.0, 2.0], requires_grad=True)
    y = (w * w).sum()
    with no_grad():
        w[0] = 100.0
        w += 1.0
    y.backward()
    assert w.grad.tolist() == [2.0, 4.0]


def test_a_result_that_is_changed_under_no_grad_is_a_constant() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    for change in (lambda t: t.__setitem__(0, 5.0), lambda t: t.__iadd__(1.0)):
        t = x * 2.0
        with no_grad():
            change(t)
        assert not t.requires_grad


WRITES: list[Callable[[Any], Any]] = [
    lambda w: w.__setitem__(0, 1.0),
    lambda w: w.__iadd__(1.0),
    lambda w: w.__imatmul__(np.eye(2)),
    lambda w: w.__setitem__(w > 0.0, w[w > 0.0] + 1.0),
]


@pytest.mark.parametrize("write", WRITES)
def test_leaves_are_not_overwritten_while_operations_are_recorded(
    write: Callable[[Any], Any],
) -> None:
    weight = Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(InPlaceError) as info:
        write(weight)
    assert re.search(r"got (w|weight), a leaf that requires gradients", str(info.value))
    assert weight.tolist() == [1.0, 2.0]


def test_the_error_names_the_line_that_used_the_leaf() -> None:
    weight = Tensor([1.0, 2.0], requires_grad=True)
    y = weight * weight  # here
    with pytest.raises(InPlaceError) as info:
        weight += 1.0  # writes
    file = __file__.rpartition("/")[2]
    assert str(info.value) == (
        "t += v: expected a Tensor that is not a leaf, or requires_grad=False, got weight, a leaf "
        "that requires gradients, which a graph has used:\nweight\n├─ y = weight * weight  # here  "
        f" ({file}, line {_line('# here')}): uses it\n└─ weight += 1.0  # writes   ({file}, line "
        f"{_line('# writes')}): overwrites it\nWrite it inside `with gradwalk.no_grad():`, or work "
        "on a copy: weight.clone()."
    )
    assert y.requires_grad


def _line(words: str) -> int:
    with open(__file__, encoding="utf-8") as file:
        return next(n for n, line in enumerate(file, 1) if line.rstrip().endswith(words))


class Layer:
    def __init__(self) -> None:
        self.weight = Tensor([1.0], requires_grad=True)


def test_the_error_finds_attributes_and_prefers_labels() -> None:
    layer = Layer()
    with pytest.raises(InPlaceError, match=r"got layer\.weight, a leaf"):
        layer.weight += 1.0
    layer.weight.label = "w0"
    with pytest.raises(InPlaceError, match="got w0, a leaf"):
        layer.weight += 1.0
    with pytest.raises(InPlaceError, match="got the Tensor, a leaf"):
        [Tensor([1.0], requires_grad=True)][0][0] = 2.0


# --- t.data --------------------------------------------------------------------------------------


def test_an_array_that_nobody_else_needs_is_handed_out_as_it_is() -> None:
    w = Tensor([1.0, 2.0], requires_grad=True)
    assert type(w.data) is np.ndarray
    for _ in range(3):
        (w * w).sum().backward()
        w.data -= 0.25 * w.grad
        w.data[0] += 1.0
        w.grad = None
    assert w.tolist() == [1.875, 0.25]
    assert w._node is not None
    (w * w).sum()  # a graph that nobody holds
    assert type(w.data) is np.ndarray


DATA_WRITES: dict[str, Callable[[Any], Any]] = {
    "item": lambda d: d.__setitem__(0, 9.0),
    "slice": lambda d: d[:1].__setitem__(0, 9.0),
    "view": lambda d: d.reshape(2, 1).__setitem__((0, 0), 9.0),
    "in place": lambda d: d.__isub__(1.0),
    "out": lambda d: np.add(d, 1.0, out=d),
    "at": lambda d: np.add.at(d, [0], 1.0),
    "sum out": lambda d: np.sum(np.ones((2, 2)), axis=0, out=d),
    "copyto": lambda d: np.copyto(d, 9.0),
    "put": lambda d: np.put(d, [0], 9.0),
    "fill": lambda d: d.fill(9.0),
    "sort": lambda d: d.sort(),
}


@pytest.mark.parametrize("name", DATA_WRITES)
def test_an_array_that_a_graph_needs_cannot_be_written(name: str) -> None:
    w = Tensor([2.0, 1.0], requires_grad=True)
    y = w * w  # needs it
    with pytest.raises(InPlaceError) as info:
        DATA_WRITES[name](w.data)
    told, tree = str(info.value), f"y = w * w  # needs it   ({__file__.rpartition('/')[2]}, line "
    assert told.startswith(
        "writing into w.data: expected an array that nothing depends on any more, got w, whose "
        f"numbers a gradient needs:\nw\n├─ {tree}{_line('# needs it')}): keeps them for its "
        "gradient\n└─ "
    )
    assert told.endswith(
        "): overwrites them\nWrite after backward(), or give it a new array: w.data = array."
    )
    assert w.tolist() == [2.0, 1.0]
    y.sum().backward()
    assert w.grad.tolist() == [4.0, 2.0]
    DATA_WRITES[name](w.data)
    assert w.tolist() != [2.0, 1.0]


@pytest.mark.parametrize("name", DATA_WRITES)
def test_a_window_is_written_through_when_nobody_needs_the_numbers(name: str) -> None:
    w = Tensor([2.0, 1.0], requires_grad=True)
    y = w * w
    window = w.data
    assert type(window) is Guarded
    y.sum().backward()
    expected = np.array([2.0, 1.0])
    DATA_WRITES[name](expected)
    DATA_WRITES[name](window)
    np.testing.assert_array_equal(w.data, expected)


def test_a_new_array_can_be_given_at_any_time() -> None:
    w = Tensor([2.0, 1.0], requires_grad=True)
    y = w * w
    w.data = w.data * 10.0
    y.sum().backward()
    assert (w.tolist(), w.grad.tolist()) == ([20.0, 10.0], [4.0, 2.0])


def test_memory_that_another_tensor_shows_cannot_be_written() -> None:
    x = Tensor(X)
    view, other = x[1:], x.clone()
    with pytest.raises(InPlaceError, match="got x, whose memory a view shows:\\nx\\n├─ other\\n"):
        x.data[1, 0] = 9.0
    assert x.tolist() == other.tolist() == X.tolist()
    assert view.tolist() == X[1:].tolist()


def test_views_show_what_is_written_into_the_array() -> None:
    x = Tensor(X)
    view = x[1:]
    x.data[1, 0] = 9.0
    assert (view.tolist()[0][0], x.tolist()[1][0]) == (9.0, 9.0)
    x.data = V
    assert view.tolist() == V[1:].tolist()


def test_the_array_of_a_view_is_only_read() -> None:
    x = Tensor(X)
    view = x[1:]
    for write in (
        lambda: view.data.__setitem__((0, 0), 5.0),
        lambda: setattr(view, "data", X[1:]),
    ):
        with pytest.raises(InPlaceError) as info:
            write()
        assert str(info.value) == (
            "writing into view.data: expected a Tensor that is not a view, got view, a view of x. "
            "Write view[...] = array, which reaches x."
        )
    assert (x.tolist(), view.data.tolist()) == (X.tolist(), X[1:].tolist())


def test_the_parts_of_a_bundle_are_held_too() -> None:
    x = Tensor(X, requires_grad=True)
    t = x * 1.0
    parts = g.unstack(t)
    with pytest.raises(InPlaceError, match=r"writing into t\.data"):
        t.data[0] = 0.0
    (parts[0] * parts[1]).sum().backward()
    np.testing.assert_array_equal(x.grad, [X[1], X[0], 0 * X[0]])


def test_what_is_computed_from_a_window_is_plain() -> None:
    w = Tensor([3.0, 1.0], requires_grad=True)
    y = w * w
    d = w.data
    for result in (
        d + 1.0, 1.0 + d, -d, d > 1.0, np.exp(d), d.copy(), d.astype(int), d.flatten(), d[[0]],
        d[d > 1.0], np.sort(d), np.concatenate([d, d]), np.where(d > 1.0, d, 0.0), np.asarray(d),
        np.array(d), d.repeat(2), d.take([0]), copy.copy(d), copy.deepcopy(d), d @ np.eye(2),
        pickle.loads(pickle.dumps(d)), np.add(d, d, out=np.zeros(2)), d.cumsum() + 0,
    ):  # fmt: skip
        assert type(result) is np.ndarray
    assert isinstance(d, np.ndarray)
    assert (repr(d), str(d)) == ("array([3., 1.])", "[3. 1.]")
    assert (float(d[0]), d.sum(), d.max()) == (3.0, 4.0, 3.0)
    own = np.ones_like(d)
    own[0] = 5.0
    assert y.requires_grad


def test_numpy_is_a_copy() -> None:
    t = Tensor([1.0, 2.0])
    t.numpy()[0] = 5.0
    assert t.tolist() == [1.0, 2.0]


# --- any sequence of views and writes ------------------------------------------------------------

N = 4
VIEWS: list[Callable[[Any], Any]] = [
    lambda t: t[::-1], lambda t: t.reshape(2, 2).T.reshape(N), lambda t: t * 2.0, lambda t: +t,
    lambda t: t[np.array([1, 1, 0, 3])],
]  # fmt: skip


def _set(t: Any, key: Any, v: Any) -> None:
    t[key] = v


def _increase(t: Any, key: Any, v: Any) -> None:
    t[key] += v


def _data(t: Any, key: Any, v: Any) -> None:
    array = t.data if isinstance(t, Tensor) else t
    array[key] = v


place = st.integers(0, N - 1)
keys = st.one_of(place, st.slices(N), st.lists(st.booleans(), min_size=N, max_size=N))
views = st.tuples(st.just("view"), place, st.sampled_from(VIEWS))
numbers = st.one_of(st.integers(-3, 3).map(float), place.map(lambda i: ("the first of", i)))
writes = st.tuples(st.sampled_from([_set, _increase]), place, keys, numbers)
raw_writes = st.tuples(st.just(_data), place, keys, st.just(0.5))


@given(st.lists(st.one_of(views, writes), max_size=8))
def test_any_program_of_views_and_writes_is_numpys(program: list[Any]) -> None:
    """Numbers, and gradients by differences: the program is linear in x."""
    x = np.array([1.0, -2.0, 3.0, 0.5])
    leaf = Tensor(x, requires_grad=True)
    tensors, arrays = _run(program, leaf * 1.0), _run(program, x.copy())
    for t, a in zip(tensors, arrays, strict=True):
        np.testing.assert_allclose(t.data, a)
    seeds = np.arange(1.0, N + 1.0)
    sum((t * seeds).sum() for t in tensors).backward()
    columns = [_run(program, x + e) for e in np.eye(N)]
    base = sum(a @ seeds for a in arrays)
    expected = [sum(a @ seeds for a in column) - base for column in columns]
    np.testing.assert_allclose(leaf.grad, expected, atol=1e-9)


@given(st.lists(st.one_of(views, writes, raw_writes), max_size=10))
def test_raw_writes_are_refused_or_reach_nothing_else(program: list[Any]) -> None:
    tensors, arrays = _run(program, Tensor(np.arange(N) + 1.0)), None
    arrays = _run(program, np.arange(N) + 1.0)
    for t, a in zip(tensors, arrays, strict=True):
        np.testing.assert_allclose(t.data, a)


def _run(program: list[Any], first: Any) -> list[Any]:
    """All variables at the end."""
    variables = [first]
    for what, i, *rest in program:
        target = variables[i % len(variables)]
        if what == "view":
            variables.append(rest[0](target))
            continue
        key, v = rest
        if isinstance(key, list):
            key = np.array(key)
        if isinstance(v, tuple):
            v = variables[v[1] % len(variables)][0]
        try:
            what(target, key, v)
        except InPlaceError:
            target[...] = put(target.numpy(), key, v)
    return variables


# --- errors --------------------------------------------------------------------------------------

ERRORS: list[tuple[Any, type[GradwalkError], str]] = [
    (lambda t: t.__setitem__(3, 0.0), KeyRangeError, "from -3 to 2 along axis 0"),
    (lambda t: t.__setitem__("a", 0.0), KeyRangeError, "got str 'a'"),
    (lambda t: t.__setitem__(0, [1.0, 2.0]), SizeError, "broadcasts to (4,), got shape (2,)"),
    (lambda t: t.__setitem__((0, 0), [[1.0, 2.0]]), SizeError, "broadcasts to ()"),
    (lambda t: t.__setitem__(0, "a"), NotANumberError, "t[key] = v: expected a Tensor"),
    (lambda t: t.__iadd__(np.ones((2, 3, 4))), SizeError, "t's shape (3, 4), got shape (2, 3, 4)"),
    (lambda t: t[:1].__imul__(np.ones((3, 4))), SizeError, "Write t = t * v, which makes a Tensor"),
]


@pytest.mark.parametrize(("f", "kind", "words"), ERRORS)
def test_errors_say_what_is_wrong(f: Any, kind: type[GradwalkError], words: str) -> None:
    for t in (Tensor(X), Tensor(X, requires_grad=True) * 1.0):
        with pytest.raises(kind) as info:
            f(t)
        assert words in str(info.value)
        assert t.tolist() == X.tolist()


def test_floats_do_not_go_into_ints_silently() -> None:
    t = Tensor([1, 2])
    for write in (
        lambda: t.__setitem__(0, 0.5),
        lambda: t.__iadd__(0.5),
        lambda: t.__itruediv__(2),
    ):
        with pytest.raises(
            NotANumberError, match="the dtype of t, int64, which stays, got dtype f"
        ):
            write()
    assert t.tolist() == [1, 2]
    mask = Tensor([True])
    with pytest.raises(NotANumberError, match="the dtype of t, bool"):
        mask[0] = 2


def test_what_is_no_number_is_left_to_the_other_operand() -> None:
    t = Tensor([1.0])
    with pytest.raises(TypeError):
        t += object()


@pytest.mark.parametrize("dtype", ["float16", "float32", "uint64", "int8"])
@pytest.mark.parametrize("symbol", ["+=", "-=", "*=", "//=", "**="])
def test_python_numbers_are_weak_in_place_too(dtype, symbol):
    number = 3 if "int" in dtype else 0.1
    names = {"t": Tensor([1, 7], dtype=dtype), "v": number}
    expected = eval(f"t {symbol[:-1]} v", {}, names)
    exec(f"t {symbol} v", {}, names)
    assert names["t"].dtype == expected.dtype == dtype
    assert names["t"].tolist() == expected.tolist()


# --- integers that do not fit ---------------------------------------------------------------------

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "t[0] = v": lambda t, v: t.__setitem__(0, v),
    "t[:] = v": lambda t, v: t.__setitem__(slice(None), v),
    "t[mask] = v": lambda t, v: t.__setitem__(np.array([True, False]), v),
    "t += v": operator.iadd,
}


CARRIERS: list[tuple[str, Any]] = [
    (way, carrier)
    for way in WRITES
    for carrier in (int, list, np.array, Tensor)
    if (way, carrier) != ("t += v", int)  # a Python int takes the dtype of t, as in NumPy
]


@pytest.mark.parametrize(("way", "carrier"), CARRIERS)
@given(data=st.data(), dtype=st.sampled_from(INTEGERS), other=st.sampled_from(INTEGERS))
def test_integers_are_written_as_they_are_or_refused(
    way: str, carrier: Any, data: Any, dtype: str, other: str
) -> None:
    """Nothing wraps around: an integer arrives, whatever its own dtype, or it is an error."""
    info = np.iinfo(other if carrier in (np.array, Tensor) else "int64")
    v = data.draw(st.integers(int(info.min), int(info.max)) | st.integers(0, 100))
    t = Tensor([0, 0], dtype=dtype)
    given_ = {int: lambda: v, list: lambda: [v]}.get(carrier, lambda: carrier([v], dtype=other))()
    target = np.iinfo(dtype)
    mixed = way == "t += v" and (t + given_).dtype.kind == "f"  # int64 + uint64, as in NumPy
    if target.min <= v <= target.max and not mixed:
        WRITES[way](t, given_)
        assert (t.dtype, t.tolist()[0]) == (dtype, v)
    else:
        with pytest.raises(GradwalkError):
            WRITES[way](t, given_)
        assert t.tolist() == [0, 0]


def test_the_fix_for_an_integer_that_does_not_fit_works() -> None:
    names: dict[str, Any] = {"t": Tensor([1, 2], dtype=np.uint8)}
    with pytest.raises(NotANumberError, match=r"integers from 0 to 255.*got -1") as refusal:
        names["t"][0] = -1
    exec(refusal.value.fix.removeprefix("Write ").removesuffix(" before."), names)
    names["t"][0] = -1
    assert names["t"].tolist() == [-1, 2]
