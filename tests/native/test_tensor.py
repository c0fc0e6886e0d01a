"""The compiled hot path of Tensors: it neither crashes nor leaks, whatever Python code does."""

from __future__ import annotations

import copy
import gc
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk
from gradwalk import Tensor, native, pointwise, where
from gradwalk.core.array_primitive import linear
from gradwalk.errors import FreedGraphError, NotANumberError, OptionError
from gradwalk.ops import TABLE
from gradwalk.tensor.graph.backward import _totals, leaf_gradients, leaf_gradients_in_python
from gradwalk.tensor.graph.node import CONSTANT_NODE, Node, constant_of

compiled = native.load("_tensor")
pytestmark = pytest.mark.skipif(compiled is None, reason="there is no compiled hot path")

during: list[Callable[[], Any]] = []  # what the rule of `curious` does first


def _rule(t: Any, y: Any, x: Any) -> Any:
    for action in during:
        action()
    return t * 2.0


curious = pointwise("curious", _rule, forward=lambda x: x * 2.0)


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    during.clear()


def leaf(*numbers: float) -> Tensor:
    return Tensor(list(numbers), requires_grad=True)


# --- what was never initialized, or is no Tensor ----------------------------------------------


def test_a_tensor_without_init_is_an_error():
    for bare in (Tensor.__new__(Tensor), Tensor(1.0), Tensor(1.0)):
        with suppress(AttributeError):
            del bare._data
        for operation in (lambda t: t + 1.0, lambda t: leaf(1.0) * t, Tensor.exp, gradwalk.exp):
            with pytest.raises(AttributeError):
                operation(bare)


@pytest.mark.parametrize("of", ["a class", "its function in Python"])
def test_a_method_takes_what_becomes_a_tensor(of: str):
    exp, add = [f if of == "a class" else f.__wrapped__ for f in (Tensor.exp, Tensor.__add__)]
    assert type(exp(1.0)) is type(add(1, 2)) is Tensor
    assert exp(1.0).item() == gradwalk.exp(Tensor(1.0)).item()
    assert add(1, 2).item() == 3
    with pytest.raises(NotANumberError):
        exp("1")
    assert add(1, "2") is NotImplemented


@pytest.mark.parametrize("slot", ["_inputs", "_primitive", "saved", "shape", "dtype"])
@pytest.mark.parametrize("which", ["root", "inner", "leaf"])
def test_a_node_with_an_empty_slot_is_an_error(slot: str, which: str):
    x = leaf(1.0, 2.0)
    h = x.exp()
    y = h * h
    node = {"root": y, "inner": h, "leaf": x}[which]._node
    delattr(node, slot)
    with pytest.raises(AttributeError):
        compiled.sweep(y._node, np.ones(2), True)


def test_a_graph_holds_nodes_only():
    x = leaf(1.0)
    x._node = 5  # type: ignore[assignment]
    with pytest.raises(TypeError):
        (x * 2.0).backward()
    with pytest.raises(TypeError):
        compiled.sweep(5, np.ones(1), True)


@pytest.mark.parametrize("saved", [None, (), [1.0], (None,) * 20])
def test_a_node_that_has_saved_nonsense_is_an_error(saved: Any):
    y = leaf(1.0, 2.0) * leaf(3.0, 4.0)
    y._node.saved = saved  # type: ignore[union-attr]
    with pytest.raises(FreedGraphError if saved is None else TypeError):
        y.backward(np.ones(2))


def test_options_that_are_no_dict_are_an_error():
    y = leaf(1.0, 2.0) * leaf(3.0, 4.0)
    y._node.options = [1]  # type: ignore[union-attr,assignment]
    with pytest.raises(TypeError):
        y.backward(np.ones(2))


def test_connect_takes_classes_and_changes_nothing_otherwise():
    with pytest.raises(TypeError):
        compiled.connect(*[object()] * 11, "home")
    x = leaf(1.0, 2.0)
    (x * x).relu().sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize("keeps", [(), ((True,),) * 2, (1, 2), ((True, True),) * 3])
def test_an_operator_needs_patterns_that_fit(keeps: Any):
    with pytest.raises(ValueError, match="operator"):
        compiled.operator(abs, abs, curious, keeps, True)


@pytest.mark.parametrize("error", [ValueError, AttributeError, OverflowError, TypeError])
def test_what_numpy_refuses_is_our_error_in_every_way_to_record(error: type[Exception]):
    def forward(x: Any) -> Any:
        raise error("no")

    refusing = linear("refusing", lambda t, y, x: t, forward=forward)
    x = leaf(1.0, 2.0)
    for apply in (refusing, lambda x: Tensor._record(refusing, (x,), {})):
        with pytest.raises(NotANumberError if error is TypeError else OptionError):
            apply(x)


# --- operators as objects ---------------------------------------------------------------------


def test_operators_are_copied_as_functions_are():
    assert copy.deepcopy(Tensor.exp) is Tensor.exp
    assert copy.copy(Tensor.__add__) is Tensor.__add__
    assert "exp" in repr(Tensor.exp)


@pytest.mark.parametrize("size", [2, 64, 65, 100])
def test_a_constant_that_no_rule_reads_is_kept_alike_in_every_way_to_record(size: int):
    x, c = leaf(*[1.0] * size), Tensor([1.0] * size)
    recorded = (
        x + c,
        c + x,
        Tensor.__add__.__wrapped__(x, c),
        Tensor._record(TABLE["add"], (x, c), {}),
    )  # type: ignore[attr-defined]
    for y in recorded:
        position = y._node._inputs.index(CONSTANT_NODE)
        assert y._node.saved[2 - position] is x._node
        assert constant_of(y._node, position) is c._data
        assert isinstance(y._node.saved[1 + position], list if size <= 64 else weakref.ref)


def test_numbers_of_the_program_are_kept_in_every_way_to_record():
    x = leaf(1.0, 2.0)
    for y in (x + 1.5, Tensor.__add__.__wrapped__(x, 1.5), 1.5 + x, x - 1.5):  # type: ignore[attr-defined]
        assert any(saved == 1.5 for saved in y._node.saved[1:])
    assert where([True, False], x, 1.5)._node.saved[3] == 1.5


def test_the_users_line_is_the_same_in_c():
    x = leaf(1.0, 2.0)
    places = []
    for multiply in (Tensor.__mul__, Tensor.__mul__.__wrapped__):  # type: ignore[attr-defined]
        code, offset = multiply(x, 2.0)._node.line
        places.append((code, list(code.co_positions())[offset // 2]))
    assert places[0] == places[1]
    assert places[0][0].co_filename == __file__


# --- rules that do more than they should ------------------------------------------------------


def test_a_rule_that_releases_the_graph_is_an_error():
    x = leaf(1.0, 2.0)
    z = (curious(x * 3.0) * x).sum()
    during.append(lambda: during.clear() or z.backward())
    with pytest.raises(FreedGraphError):
        z.backward(retain_graph=True)


def test_a_rule_may_walk_backward_if_it_retains_the_graph():
    x = leaf(1.0, 2.0)
    z = (curious(x * 3.0) * x).sum()
    during.append(lambda: during.clear() or z.backward(retain_graph=True))
    z.backward(retain_graph=True)
    assert x.grad.tolist() == [24.0, 48.0]


@pytest.mark.parametrize("keep", [False, True])
def test_a_rule_that_changes_the_graph_is_an_error(keep: bool):
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    h = x.exp()
    z = curious(h)
    others = [w._node]

    def change() -> None:
        h._node._inputs = (others[0] if keep else Node(None, (), (2,), x.dtype),)  # type: ignore

    during.append(change)
    with pytest.raises(RuntimeError, match="changed"):
        z.backward(np.ones(2))


def test_an_operand_that_comes_back_after_its_turn_is_an_error():
    x = leaf(1.0, 2.0)
    h = x.exp()
    z = curious(h) * leaf(1.0, 2.0)
    inner = z._node._inputs[0]  # type: ignore[union-attr]
    during.append(lambda: setattr(h._node, "_inputs", (inner,)))
    with pytest.raises(RuntimeError, match="changed"):
        z.backward(np.ones(2))


def test_a_gradient_survives_an_error_in_a_rule():
    class RefusedError(Exception):
        pass

    def refuse() -> None:
        raise RefusedError

    x = leaf(1.0, 2.0)
    z = (curious(x.exp()) * x).sum()
    during.append(refuse)
    for _ in range(3):
        with pytest.raises(RefusedError):
            z.backward(retain_graph=True)
    during.clear()
    assert x.grad is None
    z.backward()
    np.testing.assert_allclose(x.grad, 2.0 * np.exp([1.0, 2.0]) * [2.0, 3.0])


def test_an_operand_may_change_its_array_while_it_is_used():
    x = leaf(1.0, 2.0)

    class Meddler:
        def __call__(self, a: Any) -> Any:
            x._data = np.zeros(2)
            x._node = None
            gc.collect()
            return a * 2.0

    twice = compiled.operator(abs, Meddler(), curious, ((False, True), (True, True)), True)
    y = twice(x)
    assert y.data.tolist() == [2.0, 4.0]
    assert y._node.saved[1].tolist() == [1.0, 2.0]


# --- nothing is kept too long, nothing is given up twice --------------------------------------


def _programs() -> Iterator[Callable[[], Any]]:
    x, w = leaf(1.0, 2.0), leaf(0.5, -1.0)
    yield lambda: (x + 1.0, 2 * x, x @ w, -x, x < w, x + np.full(2, 1.0))
    yield lambda: ((x * w).relu() + x.exp()).sum().backward()
    yield lambda: (x.reshape((2, 1)) * w).relu().sum().backward()
    yield lambda: x.sum().exp().backward(retain_graph=True)
    yield lambda: curious(x * w).sum().backward()

    def failing() -> None:
        y = curious(x.exp()).sum()
        during.append(lambda: 1 / 0)
        with suppress(ZeroDivisionError):
            y.backward()
        during.clear()
        with suppress(FreedGraphError):
            y.backward()
        with suppress(ValueError):
            x * leaf(1.0, 2.0, 3.0)

    yield failing


@pytest.mark.parametrize("program", list(_programs()))
def test_counts_of_references_stay_what_they_are(program: Callable[[], Any]):
    cells = [cell.cell_contents for cell in program.__closure__ or ()]
    # No dtype: NumPy 2.4 itself adds one to its count for each array that lends its memory once,
    # `memoryview(np.empty(2))`, as the kernels of native/buffers/masks.h have to.
    kept = [CONSTANT_NODE, Node, Tensor, None, Tensor.exp, curious, _rule, True]
    kept += [part for t in cells if isinstance(t, Tensor) for part in (t, t._data, t._node)]
    kept += [t._node.shape for t in cells if isinstance(t, Tensor)]

    def counts() -> list[int]:
        gc.collect()
        return [sys.getrefcount(thing) for thing in kept]

    for _ in range(3):
        program()
    before = counts()
    for _ in range(200):
        program()
    changes = [after - b for after, b in zip(counts(), before, strict=True)]
    assert max(map(abs, changes)) < 100, changes


def test_a_graph_dies_with_its_last_tensor():
    x = leaf(1.0, 2.0)
    y = (x.exp() * x).relu()
    nodes = [weakref.ref(y._node), weakref.ref(y._node._inputs[0])]  # type: ignore[union-attr]
    y.backward(np.ones(2), retain_graph=True)
    del y
    assert [node() for node in nodes] == [None, None]


def test_addresses_that_are_used_again_are_no_nodes_of_the_sweep():
    made: list[Any] = []

    def allocate() -> None:
        made.extend(Tensor([1.0, 2.0], requires_grad=True).exp() for _ in range(50))

    during.append(allocate)
    x = leaf(0.1, 0.2)
    y = x
    for _ in range(60):
        y = curious(y * 0.5) + x
    z, w = y * 1.0, weakref.ref(y._node)
    del y
    z.backward(np.ones(2))
    assert w() is None
    np.testing.assert_allclose(x.grad, [61.0, 61.0])


def test_threads_that_record_and_sweep_at_once():
    x, failures = leaf(*np.linspace(0.0, 1.0, 500)), []

    def work() -> None:
        try:
            for _ in range(40):
                t = Tensor(x.numpy(), requires_grad=True)
                ((curious(t) * t + t.exp()).relu().sum() * 2.0).backward()
                np.testing.assert_allclose(t.grad, 2.0 * (4.0 * t.numpy() + np.exp(t.numpy())))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# --- the compiled sweep is the one in Python --------------------------------------------------


def _graphs() -> Iterator[Callable[[Tensor, Tensor], Tensor]]:
    yield lambda x, w: (x * w + x).relu() * x.exp()
    yield lambda x, w: (x.relu() + w.relu()).reshape((2, 1)).relu() * w
    yield lambda x, w: x.sum() * x.sum() + (x * w).sum().relu()
    yield lambda x, w: (x + x) * (x - w) / (x * x + 1.0)
    yield lambda x, w: ((h := x.mean() * 3.0) * h + h).exp()
    yield lambda x, w: (x.abs().sqrt() @ w) * Tensor(2.0, dtype="float32")


@pytest.mark.parametrize("graph", list(_graphs()))
def test_both_sweeps_do_the_same(graph: Callable[[Tensor, Tensor], Tensor]):
    results = []
    for walk in (leaf_gradients, leaf_gradients_in_python):
        x, w = leaf(-1.0, 2.0), leaf(0.5, 0.0)
        y = graph(x, w)
        inner = gradwalk.engine.node.ancestors(y._node)
        with np.errstate(all="ignore"):
            found = walk(y._node, np.ones(y.shape), True, _totals)
        names = {id(x._node): "x", id(w._node): "w"}
        leaves = [(names[id(node)], repr(g)) for node, g in found]
        results.append((leaves, [(n.op, repr(n.grad), n._inputs) for n in inner if n._primitive]))
    assert results[0] == results[1]


def _large() -> Iterator[Callable[[Any, Any], Any]]:
    yield lambda x, w: x * w * x * 2.0 - w * x
    yield lambda x, w: (x + w) / (x * x + 1.0) / w + x.exp() * x.sqrt()
    yield lambda x, w: gradwalk.where(x > 0.0, x, w * x) * x + gradwalk.clip(x, -1.0, 1.0)
    yield lambda x, w: gradwalk.maximum(x, w) + (x.relu() * w + x.relu() / w).relu() + w.abs()
    yield lambda x, w: (x * x + x * 0.5 + x / 3.0).relu() * Tensor(2.0) + w.astype("float32") * w
    yield lambda x, w: (x.reshape((256, 128)).T * x.reshape((128, 256))).sum() + x * w + w * 2.0
    yield lambda x, w: x[1:] * w[:-1] + (x * -0.0)[1:] - w[1:] * x[:-1]
    yield lambda x, w: (x[::2] * w[1::2] - x[5]) * x[None, : 2**14] * w[::-2] / (x[3:4] + w[:1])
    yield lambda x, w: x.relu()[2:] * w.clone()[:-2] * x.relu()[:-2] + w.clone()[1:-1].relu()


@pytest.mark.parametrize("graph", list(_large()))
@np.errstate(all="ignore")
def test_sums_in_one_pass_have_the_bits_of_the_sweep_in_python(graph: Callable[[Any, Any], Any]):
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(2, 2**15))
    numbers[:, :60] = rng.choice([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan], (2, 60))
    results = []
    for walk in (leaf_gradients, leaf_gradients_in_python):
        x, w = (Tensor(primitive, requires_grad=True) for primitive in numbers)
        y = graph(x, w)
        found = dict(walk(y._node, np.ones(y.shape), True))
        results.append([found[x._node], found[w._node]])
    for a, b in zip(*results, strict=True):
        assert np.array_equal(a, b, equal_nan=True)
        assert np.array_equal(np.signbit(a) | np.isnan(a), np.signbit(b) | np.isnan(b))


PLACES = [slice(1, None), slice(None, -1), slice(None, None, -2), 3, ..., None, slice(0, 0)]
PLACES += [np.array([0, 0, 2]), np.array([True, False, True, True, False])]
TERMS: list[Callable[[Any, Any], Any]] = [
    lambda x, key: x[key] * -0.0,
    lambda x, key: x[key] * x[key],
    lambda x, key: x[key].relu(),
    lambda x, key: x * -0.0,
    lambda x, key: x.relu(),
    lambda x, key: x / (x - x),
]


@given(
    st.sampled_from([lambda x: x, Tensor.clone, Tensor.relu, Tensor.exp, lambda x: x * -0.0]),
    st.lists(st.tuples(st.sampled_from(TERMS), st.sampled_from(PLACES)), min_size=1, max_size=5),
    st.sampled_from(["float32", "float64"]),
)
@np.errstate(all="ignore")
def test_parts_that_come_together_have_the_bits_of_the_sweep_in_python(
    start: Any, terms: Any, dtype: str
):
    x = Tensor([-0.0, 1.5, -2.0, 0.0, 3.0], dtype=dtype, requires_grad=True)
    z = start(x)
    y = sum((term(z, key).sum() for term, key in terms), start=Tensor(0.0, dtype=dtype))
    results = []
    for walk in (leaf_gradients, leaf_gradients_in_python):
        found = dict(walk(y._node, np.ones((), y.dtype), False))[x._node]
        results.append(found is not None and (found.dtype, np.where(found != found, 7, found)))
    assert repr(results[0]) == repr(results[1])


def test_gradients_that_somebody_holds_are_not_written_into():
    x = Tensor(np.full(2**15, 2.0), requires_grad=True)
    seed = np.ones(2**15)
    h = x * 3.0
    (h + h * h).backward(seed)
    assert h.grad is not None
    assert set(h.grad.tolist()) == {13.0}
    assert set(x.grad.tolist()) == {39.0}
    assert set(seed.tolist()) == {1.0}


def test_an_inner_node_without_axes_keeps_its_gradient():
    x = Tensor(2.0, requires_grad=True)
    h = x * 3.0
    for expected in (39.0, 78.0):
        y = h * h + h
        y.backward(retain_graph=True)
        assert isinstance(h.grad, np.ndarray)
        assert h.grad == 13.0
        assert isinstance(x.grad, np.ndarray)
        assert x.grad == expected
