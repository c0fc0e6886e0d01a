"""The graph of Tensors: sweeps, seeds, what is recorded, depth, memory, threads, and Values."""

from __future__ import annotations

import copy
import gc
import operator
import pickle
import re
import threading
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import gradwalk
from gradwalk import Tensor, Value, gradients, no_grad, pointwise
from gradwalk.core.array_primitive import (
    OutputGradients,
    general,
    linear,
    multilinear,
    names_read,
    residual_flags,
)
from gradwalk.engine import forward
from gradwalk.engine.node import ancestors
from gradwalk.engine.operators import METHODS
from gradwalk.errors import FreedGraphError, GradwalkError, NotANumberError, OptionError, SizeError
from gradwalk.ops import TABLE
from gradwalk.ops.array.structure import reshape
from gradwalk.tensor.graph import backward as sweeps

from ...helpers.amount import amount
from ...helpers.array_checks import adjoint, check, differences


def leaf(*numbers: float, **facts: Any) -> Tensor:
    return Tensor(list(numbers), requires_grad=True, **facts)


# --- one row, however it is called ------------------------------------------------------------


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}


def outcome(f: Callable[..., Any], *args: Any) -> list[Any]:
    """The result of ``f``, and the gradient of every Tensor among its arguments."""
    fresh = [
        Tensor(a.data, a.dtype, requires_grad=a.requires_grad) if isinstance(a, Tensor) else a
        for a in args
    ]
    y = f(*fresh)
    leaves = [a for a in fresh if isinstance(a, Tensor) and a.requires_grad]
    if y.requires_grad:
        y.backward(np.arange(1.0, 1.0 + y.size).reshape(y.shape))
    return [y.data, *(a.grad for a in leaves if a.grad is not None)]


def agree(f: Callable[..., Any], row: Callable[..., Any], *args: Any, digits: float = 0.0) -> None:
    """Assert that a function does what a row does."""
    for got, expected in zip(outcome(f, *args), outcome(row, *args), strict=True):
        assert got.dtype == expected.dtype
        np.testing.assert_allclose(got, expected, rtol=digits, strict=True)


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_is_its_row(name: str):
    digits = 1e-15 if name == "pow" else 0.0  # 2.0 ** x and x ** 2.0 have rows of their own
    x, z, n = leaf(0.5, 2.0, 1.0), leaf(1.5, 2.0, 0.25), Tensor([1, 2, 3])
    w, c = Tensor([0.5, 1.0, 2.0], dtype="float32", requires_grad=True), Tensor(2.0)
    others = [z, n, w, c, 2.0, 3, True, np.float64(1.5), np.array([1.0, 2.0, 4.0]), [1.0, 2.0, 3.0]]
    for other in others:
        for pair in ((x, other), (w, other), (n, other)):
            agree(OPERATORS[name], TABLE[name], *pair, digits=digits)
        if not name.startswith(("less", "greater", "equal", "not")) and type(other) is not list:
            agree(OPERATORS[name], TABLE[name], other, x, digits=digits)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_its_row(name: str):
    row = TABLE[name]
    numbers = [1.25, 1.5, 3.0] if name == "acosh" else [0.25, 0.5, 0.75]
    args = [
        Tensor(numbers, requires_grad=True),
        *(0.1, 0.9)[: row.required - 1],
    ]
    full = (*args, *row.defaults[len(args) - row.required :])
    for method in (lambda x, *rest: getattr(x, name)(*rest), getattr(gradwalk, name)):
        for got, expected in zip(outcome(method, *args), outcome(row, *full), strict=True):
            np.testing.assert_array_equal(got, expected, strict=True)


def test_the_other_unary_operators():
    x = leaf(-1.5, 2.0)
    agree(operator.neg, TABLE["neg"], x)
    agree(abs, TABLE["abs"], x)


@pytest.mark.parametrize("other", ["text", None, object(), {}, 1j, Tensor])
def test_what_is_no_number_is_refused(other: Any):
    for name in ("add", "mul", "less"):
        with pytest.raises(TypeError):
            OPERATORS[name](leaf(1.0), other)
    with pytest.raises(NotANumberError, match=r"add: expected a Tensor, an array, a Value"):
        TABLE["add"](leaf(1.0), {})


# --- sweeps and what they store ---------------------------------------------------------------


def test_leaves_accumulate_and_inner_nodes_are_fresh():
    x = leaf(1.0, 2.0)
    inner = x * x
    y = (inner * 3.0).sum()
    for times in (1, 2, 3):
        y.backward(retain_graph=True)
        np.testing.assert_array_equal(x.grad, times * 6.0 * x.data)
        np.testing.assert_array_equal(inner.grad, [3.0, 3.0])
    x.grad = None
    (x * 2.0).sum().backward()
    np.testing.assert_array_equal(x.grad, [2.0, 2.0])


def test_a_gradient_belongs_to_its_leaf_alone():
    """`add` passes one array on to both of its arguments."""
    x, z, seed = leaf(1.0, 2.0), leaf(3.0, 4.0), np.array([1.0, 1.0])
    y = x + z
    y.backward(seed)
    assert not np.shares_memory(x.grad, z.grad)
    x.grad += 1.0
    seed += 5.0
    np.testing.assert_array_equal(z.grad, [1.0, 1.0])
    for g in sweeps.gradients(x + z, [x, z], np.ones(2), create_graph=False):
        g += 1.0


def test_one_leaf_in_many_places():
    x = leaf(2.0, 3.0)
    y = x * x * x + x - x / x
    y.sum().backward()
    np.testing.assert_allclose(x.grad, 3.0 * x.data**2 + 1.0)


def test_leaves_between_and_results_that_are_leaves():
    x = leaf(1.0, 2.0)
    x.backward([3.0, 4.0])
    np.testing.assert_array_equal(x.grad, [3.0, 4.0])
    y = x * 2.0
    assert sweeps.gradients(y, [y], [1.0, 5.0], create_graph=False)[0].tolist() == [1.0, 5.0]
    other = leaf(7.0)
    for g in sweeps.gradients(y, [other], np.ones(2), create_graph=True):
        assert (g.tolist(), g.requires_grad) == ([0.0], False)
    assert sweeps.gradients(y, [other], np.ones(2), create_graph=False)[0].tolist() == [0.0]


def test_gradients_store_nothing():
    x = leaf(1.0, 2.0)
    y = x * x
    sweeps.gradients(y, [x], np.ones(2), create_graph=False)
    sweeps.gradients(y, [x], np.ones(2), create_graph=True)
    sweeps.tangent(y, {x: np.ones(2)}, create_graph=True)
    assert x.grad is y.grad is None
    y.backward(np.ones(2))  # and release nothing


def test_higher_orders():
    x = leaf(0.5, -2.0)
    y: Any = gradwalk.exp(2.0 * x)
    for order in range(1, 6):
        (y,) = sweeps.gradients(y.sum(), [x], None, create_graph=True)
        np.testing.assert_allclose(y.data, 2.0**order * np.exp(2.0 * x.data), rtol=1e-14)
    z: Any = gradwalk.exp(2.0 * x)
    for order in range(1, 6):
        z = sweeps.tangent(z, {x: np.ones(2)}, create_graph=True)
        np.testing.assert_allclose(z.data, 2.0**order * np.exp(2.0 * x.data), rtol=1e-14)


# --- seeds ------------------------------------------------------------------------------------


def test_seeds():
    x = leaf(1.0, 2.0, dtype="float32")
    for seed in ([1.0, 2.0], (1, 2), np.array([1, 2]), Tensor([1.0, 2.0])):
        x.grad = None
        (x * 3.0).backward(seed)
        assert (x.grad.dtype, x.grad.tolist()) == (np.float32, [3.0, 6.0])
    for shape in ((), (1,), (1, 1)):
        one = Tensor(np.full(shape, 2.0), requires_grad=True)
        (one * one).backward()
        assert (one.grad.shape, one.grad.item()) == (shape, 4.0)
    (x * 1.0).backward(gradient=np.zeros(2), retain_graph=True)


def test_wrong_seeds():
    x = leaf(1.0, 2.0)
    with pytest.raises(SizeError, match=r"a gradient to start from.*shape \(2,\).*y\.sum\(\)"):
        (x * x).backward()
    with pytest.raises(SizeError, match=r"\(2,\), as the result has, got one of shape \(3,\)"):
        (x * x).backward(np.ones(3))
    with pytest.raises(SizeError, match=r"\(2,\), as the result has, got one of shape \(\)"):
        (x * x).backward(1.0)
    with pytest.raises(OptionError, match="Pass the gradient first"):
        x.sum().backward(None, 1)  # type: ignore[arg-type]
    with pytest.raises(NotANumberError, match="complex"):
        (x * x).backward([1j, 2.0])
    with pytest.raises(OptionError, match="requires_grad=True"):
        Tensor([1.0]).backward()
    assert x.grad is None


def test_tangents_have_the_shape_of_what_moves():
    x = leaf(1.0, 2.0)
    for v in (1.0, np.ones(3), [[1.0, 2.0]], Tensor(1.0)):
        with pytest.raises(SizeError, match=r"v of shape \(2,\)"):
            sweeps.tangent(x * x, {x: v})
    assert sweeps.tangent(x * x, {x: [1, 0]}).tolist() == [2.0, 0.0]
    assert sweeps.tangent(x * x, {}).tolist() == [0.0, 0.0]
    assert sweeps.tangent(Tensor([1.0]), {x: x}, create_graph=True).tolist() == [0.0]


# --- a graph that is gone ---------------------------------------------------------------------


def test_a_second_sweep_names_the_node_and_the_fix():
    x = leaf(1.0, 2.0)
    shared = x * x
    shared.label = "energy"
    first, second = shared.sum(), (shared * 2.0).sum()
    first.backward()
    before = x.grad.copy()
    for walk in (
        lambda: first.backward(),
        lambda: second.backward(),
        lambda: sweeps.gradients(second, [x], None, create_graph=False),
        lambda: sweeps.gradients(second, [x], None, create_graph=True),
        lambda: sweeps.tangent(second, {x: np.ones(2)}),
    ):
        with pytest.raises(
            FreedGraphError, match=r"retain_graph=True.*compute the result"
        ) as caught:
            walk()
    assert "'energy' (mul of shape (2,))" in str(caught.value)
    np.testing.assert_array_equal(x.grad, before)  # a sweep that fails has changed nothing
    (x * x).sum().backward()
    np.testing.assert_array_equal(x.grad, 2.0 * before)


def test_a_retained_graph_can_be_swept_in_every_way():
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    sweeps.gradients(y, [x], None, create_graph=True)
    y.backward()
    np.testing.assert_array_equal(x.grad, 6.0 * x.data)


# --- what is recorded -------------------------------------------------------------------------


def test_no_grad_records_nothing_in_this_thread():
    x = leaf(1.0, 2.0)
    with no_grad():
        inside = [x * 2.0, x.exp(), gradwalk.maximum(x, 1.0), x.sum(), x[0], x @ x]
        elsewhere: list[Tensor] = []
        thread = threading.Thread(target=lambda: elsewhere.append(x * 2.0))
        thread.start()
        thread.join()
    assert not any(y.requires_grad for y in inside)
    assert elsewhere[0].requires_grad
    assert (x * 2.0).requires_grad

    @no_grad()
    def decorated() -> Any:
        return x * 2.0

    assert not decorated().requires_grad


def test_no_grad_and_sweeps():
    """Sweeps need no recording, not even one that pushes tangents through a transposed rule."""
    x = leaf(0.5, 2.0)
    y = double(x) * x
    with no_grad():
        assert sweeps.gradients(y, [x], np.ones(2), create_graph=False)[0].tolist() == [2.0, 8.0]
        assert sweeps.tangent(y, {x: np.ones(2)}).tolist() == [2.0, 8.0]
        y.backward(np.ones(2))
    assert x.grad.tolist() == [2.0, 8.0]
    assert (x * 2.0).requires_grad


def test_detach_and_clone():
    x = leaf(1.0, 2.0)
    loose, copied = x.detach(), x.clone()
    assert (loose.requires_grad, loose.tolist()) == (False, [1.0, 2.0])
    assert not np.shares_memory(loose._data, x._data)
    (x * loose).sum().backward()
    np.testing.assert_array_equal(x.grad, [1.0, 2.0])
    x.grad = None
    (copied * 3.0).sum().backward()
    np.testing.assert_array_equal(x.grad, [3.0, 3.0])


def test_only_floating_numbers_have_gradients():
    x, n, b = leaf(1.0, 2.0), Tensor([1, 2]), Tensor([True, False])
    for exact in (n, b):
        with pytest.raises(OptionError, match="floating dtype"):
            exact.requires_grad = True
        assert not exact.requires_grad
    results = [x > 1.0, x == x, n + n, n * 2, x.floor(), x.sign(), gradwalk.round(x), x // 2.0]
    assert not any(r.requires_grad for r in results)
    mixed = (x * n + b).sum()
    mixed.backward()
    assert (mixed.dtype, x.grad.tolist(), n.grad) == (np.float64, [1.0, 2.0], None)
    with pytest.raises(OptionError, match="a leaf"):
        (x * 2.0).requires_grad = False
    with pytest.raises(OptionError, match="requires_grad first"):
        n.grad = [1.0, 2.0]


def test_a_node_keeps_what_rules_look_at_and_nothing_else():
    x, z = leaf(1.0, 2.0), leaf(3.0, 4.0)
    arrays = {
        "add": (x + z, 0),
        "mul": (x * z, 2),
        "mul by a constant": (x * Tensor([5.0, 6.0]), 1),
        "exp": (x.exp(), 1),
        "sum": (x.sum(), 0),
        "reshape": (reshape(x, shape=(2, 1)), 0),
        "matmul": (x @ z, 2),
    }
    for what, (y, count) in arrays.items():
        held = [s for s in y._node.saved if isinstance(s, np.ndarray)]
        assert len(held) == count, what


# --- rows of one's own ------------------------------------------------------------------------


def _double_share(t: Any, y: Any, x: Any) -> Any:
    return t + t


double = general("double", _double_share, forward=lambda x: 2.0 * x)


class CubeRule:
    """A rule that is no function, and so does not show what it looks at."""

    def __call__(self, t: Any, y: Any, x: Any) -> Any:
        return t * 3.0 * x * x


def test_rows_whose_rules_are_any_callable():
    cube = pointwise("cube_of_a_test", CubeRule(), forward=lambda x: x * x * x)
    check(cube, np.array([0.5, -2.0]))
    packed = pointwise(
        "product_of_a_test",
        lambda t, y, *args: t * args[1],
        lambda t, y, *args: t * args[0],
        forward=lambda a, b: a * b,
    )
    check(packed, np.array([[0.5], [-2.0]]), np.array([3.0, 4.0]))
    late = pointwise(
        "square_of_a_test", lambda t, y, x: (lambda: t * 2.0 * x)(), forward=lambda x: x * x
    )
    check(late, np.array([0.5, -2.0]))


def test_what_a_rule_needs_is_read_off_its_code():
    def through_a_variable(t: Any, y: Any, a: Any, b: Any) -> Any:
        scale = a
        scale = scale * b.shape[0]
        return t * scale

    assert names_read(through_a_variable) == ("t", "a")
    row = linear("shapes_of_a_test", lambda t, y, x: reshape(t, shape=x.shape), forward=np.ravel)
    assert residual_flags(row, (True,)) == (False, False)
    many = linear("many_of_a_test", lambda t, y, *args, index: t, forward=sum, variadic=True)
    assert residual_flags(many, (True, False, True)) == (False,) * 4
    reads = general(
        "reads_of_a_test", lambda t, y, *args, index: args[index], forward=sum, variadic=True
    )
    assert residual_flags(reads, (True, True)) == (False, True, True)


# --- forward mode of every kind of row --------------------------------------------------------


weighted = linear(
    "weighted_of_a_test",
    lambda t, y, a, b: t * 2.0,
    lambda t, y, a, b: t * -3.0,
    forward=lambda a, b: 2.0 * a - 3.0 * b,
)
outer_ = multilinear(
    "outer_of_a_test",
    lambda t, y, a, b: t @ b,
    lambda t, y, a, b: t.T @ a,
    forward=np.multiply.outer,
)
polar = general(  # two results: x cos y and x sin y
    "polar_of_a_test",
    lambda t, y, r, phi: t[0] * gradwalk.cos(phi) + t[1] * gradwalk.sin(phi),
    lambda t, y, r, phi: t[1] * y[0] - t[0] * y[1],
    forward=lambda r, phi: (r * np.cos(phi), r * np.sin(phi)),
    outputs=2,
)


def test_linear_rows_move_tangents_as_they_move_numbers():
    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    adjoint(weighted, a, b)
    check(weighted, a, b)
    for dtype in ("float64", "float32"):  # the shape of the constant was not kept
        constant = b.astype(dtype)
        check(lambda x: weighted(x, constant), a, dtypes=[dtype])  # noqa: B023
        check(lambda x: weighted(constant, x) * x, a, dtypes=[dtype])  # noqa: B023
    check(lambda x: weighted(x, x), a)


def test_products_move_one_factor_at_a_time():
    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])
    check(outer_, a, b)
    check(lambda x: outer_(x, b), a, dtypes=[])
    check(lambda x: outer_(a, x), b, dtypes=[])
    check(lambda x: outer_(x, x), a)
    check(
        lambda x, z: gradwalk.tanh(x @ z),
        np.array([[1.0, 0.5]]),
        np.array([[0.1, 0.2], [0.3, 0.4]]),
    )


def test_other_rows_move_tangents_through_the_transposed_rule():
    check(lambda x: double(x) * x, np.array([1.0, 2.0]))
    check(lambda x: double(double(x) * x), np.array([1.0, 2.0]))


def test_what_rests_and_what_is_shut_does_not_move():
    x, z = leaf(1.0, 2.0), leaf(3.0, 4.0)
    for f, slope in (
        (weighted, [2.0, 2.0]),
        (TABLE["mul"], [3.0, 4.0]),
        (TABLE["add"], [1.0, 1.0]),
    ):
        assert sweeps.tangent(f(x, z), {x: np.ones(2)}).tolist() == slope
    assert sweeps.tangent(outer_(x, z), {z: np.ones(2)}).tolist() == [[1.0, 1.0], [2.0, 2.0]]
    shut = leaf(0.0, 0.0)
    y = gradwalk.sqrt(double(gradwalk.relu(shut)))
    assert sweeps.tangent(y, {shut: np.ones(2)}).tolist() == [0.0, 0.0]
    assert sweeps.gradients(y, [shut], np.ones(2), create_graph=False)[0].tolist() == [0.0, 0.0]


def test_rows_with_several_results():
    r, phi = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    check(lambda r, phi: polar(r, phi)[0] * polar(r, phi)[1], r, phi)
    check(lambda r, phi: polar(r, phi)[1], r, phi)
    check(lambda r: polar(r, phi)[0], r, dtypes=[])
    check(lambda r, phi: gradwalk.hypot(*polar(r, phi)), r, phi)
    assert OutputGradients({0: 1.0, 1: 2.0}) + OutputGradients({1: 3.0}) == {0: 1.0, 1: 5.0}


def test_inner_nodes_can_move_too():
    x = leaf(1.0, 2.0)
    inner = x * x
    y = inner * 3.0
    u, v, w = np.array([1.0, -1.0]), np.array([0.5, 0.25]), np.array([2.0, 1.0])
    pulled = sweeps.gradients(y, [x, inner], u, create_graph=False)
    pushed = sweeps.tangent(y, {x: v, inner: w})
    assert np.vdot(u, pushed) == np.vdot(pulled[0], v) + np.vdot(pulled[1], w)


def test_forward_mode_of_values():
    a, b = Value(0.5), Value(2.0)
    y = gradwalk.maximum(a * b, a) * gradwalk.exp(a) + 3.0
    wrt = gradients(y, [a, b], create_graph=True)
    pushed = forward.forward_pass(y, {a: 1.0, b: -2.0}, forward.jvp_on_numbers)
    assert pushed == pytest.approx(wrt[0].data - 2.0 * wrt[1].data, rel=1e-15)
    node = forward.forward_pass(y, {a: Value(1.0)}, forward.jvp_on_nodes)
    assert gradients(node, b) == pytest.approx(gradients(wrt[0], b), rel=1e-14)
    assert forward.forward_pass(y, {Value(1.0): 1.0}, forward.jvp_on_numbers) is None
    x = Value(0.0)  # a power too large for Python's floats, as in the reverse sweep
    assert forward.forward_pass(x**-1.0, {x: 1.0}, forward.jvp_on_numbers) == -np.inf


def test_perturbations_of_two_levels_do_not_mix():
    """d/dx [x · d/dy (x + y)] at y = 1 is 1; with confused tangents it would be 2."""
    x, y = leaf(1.0), leaf(1.0)
    inner = sweeps.tangent(x + y, {y: np.ones(1)}, create_graph=True)
    assert sweeps.tangent(x * inner, {x: np.ones(1)}).tolist() == [1.0]


# --- depth ------------------------------------------------------------------------------------

IN_A_SHALLOW_THREAD = """
import gc, sys, threading
import numpy as np
import gradwalk
from gradwalk import Tensor
from gradwalk.tensor.graph import backward as sweeps

def work():
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = x
    for _ in range({length} // 2):
        y = y * 0.5 + x
    total = y.sum()
    total.backward(retain_graph=True)
    assert x.grad.tolist() == [2.0, 2.0], x.grad
    assert sweeps.gradients(total, [x], None, create_graph=True)[0].tolist() == [2.0, 2.0]
    assert sweeps.tangent(y, {{x: np.ones(2)}}).tolist() == [2.0, 2.0]
    total.backward()
    assert x.grad.tolist() == [4.0, 4.0]
    del y, total
    z = x
    for _ in range({length}):
        z = -z
    del z
    print("done", sys.getrecursionlimit())

np.array([np.float64(1.0)]).sum(), np.linalg, repr(np.ones(1))
with np.errstate(all="ignore"):
    work_once = (Tensor([1.0], requires_grad=True) * 2.0).sum().backward()
gc.disable()
threading.stack_size(2 * 1024 * 1024)  # CPython 3.13.0 itself needs more than 512 KiB for it
sys.setrecursionlimit(120)
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


def test_a_deep_chain_is_built_swept_and_freed_without_recursion(run_python: Callable[..., str]):
    assert run_python(IN_A_SHALLOW_THREAD.format(length=amount(200_000, 20_000))) == "done 120\n"


def test_a_wide_graph():
    x = leaf(1.0)
    y = sum([x * float(k) for k in range(2000)])
    assert len(ancestors(y._node)) == 1 + 2 * 2000  # the leaf, the products, and the sums from 0 on
    y.backward()
    assert x.grad.item() == sum(range(2000))


# --- memory -----------------------------------------------------------------------------------


@pytest.fixture
def no_gc() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def layers(x: Any, count: int, watched: list[Any] | None = None) -> Any:
    for _ in range(count):
        inside = x * 1.5
        x = gradwalk.tanh(inside)
        if watched is not None:
            watched.append(weakref.ref(inside._data))  # what the rule of tanh looks at
    return x


def alive(watched: list[Any]) -> int:
    return sum(ref() is not None for ref in watched)


@pytest.mark.usefixtures("no_gc")
@pytest.mark.parametrize(
    "swept", ["never", "backward", "retained", "recorded", "forward", "failed"]
)
def test_graphs_die_by_reference_counting(swept: str):
    x, watched = leaf(0.5, 1.0), []
    y = layers(x, 4, watched).sum()
    nodes = [weakref.ref(node) for node in ancestors(y._node)[1:]]
    assert alive(watched) == 4
    if swept == "backward":
        y.backward()
    elif swept == "retained":
        y.backward(retain_graph=True)
    elif swept == "recorded":
        first = sweeps.gradients(y, [x], None, create_graph=True)[0]
        sweeps.gradients(first.sum(), [x], None, create_graph=True)
        del first
    elif swept == "forward":
        sweeps.tangent(y, {x: np.ones(2)}, create_graph=True)
        sweeps.tangent(double(y), {x: np.ones(2)}, create_graph=True)
    elif swept == "failed":
        with pytest.raises(SizeError):
            y.backward(np.ones(5))
    del y
    assert alive(watched) == alive(nodes) == 0


@pytest.mark.usefixtures("no_gc")
@pytest.mark.parametrize("retain", [False, True])
@pytest.mark.parametrize("size", [2, sweeps.MANY])
def test_huge_saved_arrays_are_freed_as_the_sweep_goes(size: int, retain: bool):
    """A rule in the middle of the chain sees what is still there of the arrays behind it.

    Small ones wait for the end: until then, the pass may fail and have to be repeated.
    """
    seen: list[int] = []

    def look(t: Any, y: Any, x: Any) -> Any:
        seen.append(alive(watched))
        return t

    spy = pointwise("spy_of_a_test", look, forward=lambda x: x * 1.0)
    x, watched = Tensor(np.full(size, 0.5), requires_grad=True), []
    y = layers(spy(layers(x, 3)), 5, watched).sum()
    y.backward(retain_graph=retain)
    assert seen == [5 if retain or size == 2 else 0]
    assert alive(watched) == (5 if retain else 0)


@pytest.mark.usefixtures("no_gc")
def test_the_peak_of_a_sweep_is_that_of_the_forward_pass():
    x = Tensor(np.linspace(0.0, 1.0, 50_000), requires_grad=True)
    size = x._data.nbytes
    tracemalloc.start()
    try:
        y = layers(x, 20).sum()
        held = tracemalloc.get_traced_memory()[0]
        assert held < 21.5 * size  # one array for each tanh, and none for the products
        tracemalloc.reset_peak()
        y.backward()
        peak = tracemalloc.get_traced_memory()[1]
        assert peak < held + 5 * size
        del y
        assert tracemalloc.get_traced_memory()[0] < 1.5 * size  # the gradient
    finally:
        tracemalloc.stop()


@pytest.mark.usefixtures("no_gc")
def test_a_tangent_frees_what_it_has_passed():
    x = Tensor(np.linspace(0.0, 1.0, 50_000), requires_grad=True)
    y, v, size = layers(x, 20), np.ones(50_000), x._data.nbytes
    tracemalloc.start()
    try:
        sweeps.tangent(y, {x: v})
        assert tracemalloc.get_traced_memory()[1] < 8 * size
    finally:
        tracemalloc.stop()


# --- threads and determinism ------------------------------------------------------------------


def together(*tasks: Callable[[], None]) -> None:
    errors: list[BaseException] = []
    barrier = threading.Barrier(len(tasks))

    def run(task: Callable[[], None]) -> None:
        try:
            barrier.wait()
            task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_threads_with_graphs_of_their_own_and_shared_leaves():
    shared = leaf(1.0, 2.0)

    def task() -> None:
        for _ in range(50):
            mine = leaf(3.0, 4.0)
            y = (mine * mine + shared * 2.0).sum()
            y.backward(retain_graph=True)
            assert mine.grad.tolist() == [6.0, 8.0]
            assert sweeps.tangent(y, {mine: np.ones(2)}) == 14.0
            with no_grad():
                assert not (mine * 2.0).requires_grad
            y.backward()

    together(task, task, task)
    assert shared.grad.tolist() == [600.0, 600.0]


PROGRAM = """
import hashlib
import numpy as np
import gradwalk
from gradwalk import Tensor
from gradwalk.tensor.graph import backward as sweeps

rng = np.random.default_rng(3)
x, w = (Tensor(rng.normal(size=s), requires_grad=True) for s in ((7, 5), (5, 5)))
h = x
for _ in range(4):
    h = gradwalk.tanh(h @ w) + x * h + h[0]
y = (h * h).sum()
y.backward(retain_graph=True)
first = sweeps.gradients(y, [x, w], None, create_graph=True)
second = sweeps.gradients((first[0] * first[0]).sum(), [w], None, create_graph=False)
pushed = sweeps.tangent(h, {x: np.ones((7, 5)), w: np.ones((5, 5))})
numbers = [y.item(), x.grad, w.grad, second[0], pushed]
print(hashlib.sha256(b"".join(np.asarray(n).tobytes() for n in numbers)).hexdigest())
"""


def test_every_run_gives_the_same_bits(run_python: Callable[..., str]):
    runs = {run_python(PROGRAM, PYTHONHASHSEED=seed) for seed in ("0", "1", "77")}
    assert len(runs) == 1


# --- Values and Tensors in one graph ----------------------------------------------------------


def test_gradients_reach_values():
    a, x = Value(3.0), leaf(1.0, 2.0)
    w = a * a
    y = (w * x + a).sum()
    y.backward(retain_graph=True)
    assert (a.grad, x.grad.tolist()) == (2.0 * 3.0 * 3.0 + 2.0, [9.0, 9.0])
    y.backward()
    assert (a.grad, x.grad.tolist()) == (40.0, [18.0, 18.0])
    (Tensor([1.0, 2.0]) * a).sum().backward()
    assert a.grad == 43.0


WITH_A_VALUE: dict[str, Callable[[Any, Any], Any]] = {
    "t + a": lambda t, a: t + a,
    "a + t": lambda t, a: a + t,
    "a - t": lambda t, a: a - t,
    "t / a": lambda t, a: t / a,
    "a ** t": lambda t, a: a**t,
    "maximum": lambda t, a: gradwalk.maximum(t, a),
    "where": lambda t, a: gradwalk.where(t > 0.4, a * a, t),
    "clip": lambda t, a: gradwalk.clip(t, a, 2.0),
    "a twice": lambda t, a: (t * a + a) * a,
}


@pytest.mark.parametrize("what", WITH_A_VALUE)
def test_a_program_with_both_is_one_with_values_alone(what: str):
    f, numbers = WITH_A_VALUE[what], [0.25, 1.0]
    x, a = leaf(*numbers), Value(0.5)
    y = f(x, a)
    assert isinstance(y, Tensor)
    y.sum().backward()
    values, b = [Value(number) for number in numbers], Value(0.5)
    for v in values:
        f(v, b).backward()
    assert x.grad.tolist() == pytest.approx([v.grad for v in values], rel=1e-15)
    assert a.grad == pytest.approx(b.grad, rel=1e-15)


# --- copies -----------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_leaves_are_copied_whole(how: Callable[[Any], Any]):
    x = leaf(1.0, 2.0, label="weights", dtype="float32")
    (x * x).sum().backward()
    y = how(x)
    assert (y.label, y.dtype, y.requires_grad, y.tolist()) == ("weights", x.dtype, True, [1.0, 2.0])
    (y * 3.0).sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([2.0, 4.0], [5.0, 7.0])
    assert not np.shares_memory(x._data, y._data)
    assert how(Tensor([1, 2])).tolist() == [1, 2]


def test_checks_notice_what_is_wrong():
    """A check that cannot fail would prove nothing."""
    wrong = pointwise("wrong_of_a_test", lambda t, y, x: t * 2.002 * x, forward=lambda x: x * x)
    with pytest.raises(AssertionError, match="gradient of argument 0"):
        check(wrong, np.array([1.0, 2.0]))
    bent = general("bent_of_a_test", lambda t, y, x: t * 2.0, forward=lambda x: 2.0 * x * x - x)
    with pytest.raises(AssertionError):
        check(bent, np.array([0.5, 0.75]))
    late = pointwise(
        "late_of_a_test",
        lambda t, y, x: t * 2.0 * x if isinstance(x, np.ndarray) else t * 2.002 * x,
        forward=lambda x: x * x,
    )
    with pytest.raises(AssertionError, match="second order"):
        check(late, np.array([1.0, 2.0]))
    lossy = linear("lossy_of_a_test", lambda t, y, x: t * (1.0 + 1e-9), forward=lambda x: x * 1.0)
    with pytest.raises(AssertionError):
        adjoint(lossy, np.array([1.0, 2.0]))
    wide = linear("wide_of_a_test", lambda t, y, x: t, forward=lambda x: x * np.float64(1.0))
    with pytest.raises(AssertionError):
        check(wide, np.array([1.0, 2.0]))
    slope = differences(lambda xs: float((xs[0] ** 3).sum()), [np.array([0.5, 1e3])], [0])[0]
    np.testing.assert_allclose(slope, [0.75, 3e6], rtol=1e-9)


# --- leaving for Python ---------------------------------------------------------------------------


def test_tensors_are_formatted_as_their_number():
    loss = Tensor(2.5, requires_grad=True)
    assert f"{loss:.2f} {Tensor([2.5]):g}" == "2.50 2.5"
    assert f"{loss}" == "Tensor(2.5, requires_grad=True)"
    with pytest.raises(SizeError):
        f"{Tensor([1.0, 2.0]):.2f}"


@pytest.mark.parametrize(
    ("ask", "expected", "error"),
    [
        (lambda: len(Tensor(1.0)), "a Tensor with axes", TypeError),
        (lambda: bool(Tensor([1.0, 2.0])), "t.any", ValueError),
        (lambda: bool(Tensor([])), "t.any", ValueError),
        (lambda: int(Tensor([1, 2])), "a Tensor of one number", TypeError),
        (lambda: np.asarray(Tensor([1.0], requires_grad=True)), "t.numpy()", TypeError),
    ],
)
def test_what_is_no_number_of_python_says_so(ask, expected, error):
    with pytest.raises(error, match=re.escape(expected)) as caught:
        ask()
    assert isinstance(caught.value, GradwalkError)


def test_one_number_is_one_of_python_whatever_its_axes():
    assert (float(Tensor([2.5])), int(Tensor([[7]])), len(Tensor([[7]]))) == (2.5, 7, 1)


def test_a_copy_is_another_tensor_through_which_gradients_flow():
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = x.copy()
    y[0] = 7.0
    y.sum().backward()
    assert x.tolist() == [1.0, 2.0]
    assert x.grad.tolist() == [0.0, 1.0]


def test_nothing_shows_its_shape():
    assert repr(gradwalk.zeros((0, 3))) == "Tensor([], shape=(0, 3))"
    assert repr(Tensor([])) == "Tensor([])"


@pytest.mark.parametrize("operations", range(140))
def test_graphs_of_every_size_are_swept(operations: int):
    """A table of nodes that is full grows; the sizes at which it does must make no difference."""
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = x
    for _ in range(operations):
        y = y + x
    y.sum().backward()
    assert x.grad.tolist() == [operations + 1.0] * 2
