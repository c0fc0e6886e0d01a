"""The engine: sweeps, accumulation, gradients as a pure function, higher orders, recording."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import inf
from typing import Any

import pytest

import gradwalk
from gradwalk import Tensor, Value, gradients, no_grad
from gradwalk.core.primitive import Primitive
from gradwalk.engine.node import ancestors
from gradwalk.errors import FreedGraphError, NotANumberError, OptionError

# --- known numbers ------------------------------------------------------------------------------

KNOWN: list[tuple[Callable[..., Any], tuple[float, ...], float, tuple[float, ...]]] = [
    (lambda x, y, z: x * y + z, (2, -3, 10), 4, (-3, 2, 1)),
    (lambda a, b, c, d: ((a * b) + c) * (a + d), (2, 3, 4, 5), 70, (31, 14, 7, 10)),
    (lambda a: (a + 1) * (a * 3), (2,), 18, (15,)),
    (lambda a: a * a + a, (3,), 12, (7,)),
    (lambda x: x * x * x, (3,), 27, (27,)),
    (lambda a: a + a, (5,), 10, (2,)),
    (lambda a, b: a - b - a, (5, 2), -2, (0, -1)),
    (lambda x: sum([x] * 10), (0.5,), 5, (10,)),
]


@pytest.mark.parametrize(("f", "inputs", "value", "expected"), KNOWN)
def test_known_numbers(f: Any, inputs: Any, value: float, expected: tuple[float, ...]) -> None:
    leaves = [Value(x) for x in inputs]
    y = f(*leaves)
    assert y.data == value
    assert gradients(y, leaves) == expected
    assert all(leaf.grad == 0.0 for leaf in leaves), "the pure form touches no grad"
    y.backward()
    assert tuple(leaf.grad for leaf in leaves) == expected
    assert y.grad == 1.0
    second = gradients(f(*leaves), leaves, create_graph=True)
    assert tuple(gradient.data for gradient in second) == expected


def test_the_sanity_check_of_micrograd() -> None:
    """A sweep without a topological order gives 128 here."""
    x = Value(-4.0)
    z = 2 * x + 2 + x
    q = z.relu() + z * x
    h = (z * z).relu()
    y = h + q + q * x
    y.backward()
    assert (y.data, x.grad) == (-20.0, 46.0)


def test_the_neuron_of_the_lecture() -> None:
    x1, x2, w1, w2 = Value(2.0), Value(0.0), Value(-3.0), Value(1.0)
    out = (x1 * w1 + x2 * w2 + 6.8813735870195432).tanh()
    out.backward()
    assert out.data == pytest.approx(0.7071, abs=5e-5)
    assert [v.grad for v in (w1, w2, x1, x2)] == pytest.approx([1.0, 0.0, -1.5, 0.5], rel=1e-12)


def test_the_networks_of_the_lecture_have_41_and_37_parameters() -> None:
    assert len(gradwalk.nn.MLP(3, [4, 4, 1]).parameters()) == 41
    assert len(gradwalk.nn.MLP(2, [4, 4, 1]).parameters()) == 37


# --- backward -----------------------------------------------------------------------------------


def test_backward_twice_is_right_and_leaves_accumulate() -> None:
    x = Value(3.0)
    inner = x * x
    y = inner * x
    for _ in range(2):
        x.grad = 0.0
        y.backward()
        assert (x.grad, inner.grad, y.grad) == (27.0, 3.0, 1.0)
    y.backward()
    assert (x.grad, inner.grad, y.grad) == (54.0, 3.0, 1.0), "leaves add up, inner nodes do not"


def test_leaves_shared_by_two_graphs_accumulate() -> None:
    w = Value(2.0)
    (w * 3).backward()
    (w * w).backward()
    assert w.grad == 7.0
    w.grad = 0.0
    (5 * w).backward()
    assert w.grad == 5.0


def test_a_root_inside_a_larger_graph_sweeps_only_its_own_part() -> None:
    a, b = Value(2.0), Value(3.0)
    inner = a * a
    outer = inner * b
    outer.backward()
    inner.backward()
    assert (a.grad, b.grad, inner.grad, outer.grad) == (12.0 + 4.0, 4.0, 1.0, 1.0)


def test_backward_on_a_leaf_adds_one_to_its_own_grad() -> None:
    x = Value(3.0)
    x.backward()
    x.backward()
    assert x.grad == 2.0
    x.backward(retain_graph=False)
    assert (x.grad, gradients(x, x), gradients(x, Value(1.0))) == (3.0, 1.0, 0.0)
    assert [g.data for g in gradients(x, [x, Value(1.0)], create_graph=True)] == [1.0, 0.0]


def test_backward_on_a_leaf_that_stands_for_a_constant() -> None:
    constant = (Value(3.0) * 2).operands[1]
    constant.backward()
    assert gradients(constant, constant) == 1.0


def test_constants_get_no_gradient() -> None:
    x = Value(3.0)
    y = x * 2
    constant = y.operands[1]
    y.backward()
    assert (x.grad, constant.grad) == (2.0, 0.0)
    y.backward()
    assert (x.grad, constant.grad) == (4.0, 0.0), "also once its leaf has been looked at"
    assert gradients(y, constant) == 0.0


def test_a_written_input_counts_at_the_next_sweep() -> None:
    x, w = Value(3.0), Value(2.0)
    y = x * w
    w.data = 5.0
    y.backward()
    assert (x.grad, y.data) == (5.0, 6.0)


def test_a_sweep_without_retaining_frees_the_graph_and_says_so() -> None:
    x = Value(3.0)
    inner = x * x
    inner.label = "square"
    y = inner + 1
    y.backward(retain_graph=False)
    assert (x.grad, y.data, inner.data) == (6.0, 10.0, 9.0)
    assert (y.op, inner.op) == ("add", "mul")
    for walk in (
        lambda: inner.backward(),
        lambda: (inner * 2).backward(),
        lambda: gradients(inner, x),
        lambda: gradients(inner, x, create_graph=True),
        lambda: inner.operands,
        lambda: inner.local_gradients,
        lambda: ancestors(inner),
    ):
        with pytest.raises(FreedGraphError, match=r"square.*mul.* = 9"):
            walk()
    with pytest.raises(FreedGraphError, match=r"y = add\(…\) = 10: freed"):
        y.backward()
    assert x.grad == 6.0, "a refused sweep leaves no trace"
    (x * 2).backward()
    assert x.grad == 8.0, "leaves live on"


def test_retaining_is_the_default() -> None:
    x = Value(3.0)
    y = x * x
    y.backward()
    y.backward(True)
    y.backward(retain_graph=False)
    assert x.grad == 18.0


# --- gradients ----------------------------------------------------------------------------------


def test_gradients_takes_one_value_or_a_sequence() -> None:
    a, b, stranger = Value(2.0), Value(3.0), Value(1.0)
    y = a * b
    assert gradients(y, a) == 3.0
    assert gradients(y, [a, b]) == gradients(y, (a, b)) == (3.0, 2.0)
    assert gradients(y, iter([b, a, b])) == (2.0, 3.0, 2.0)  # type: ignore[call-overload]
    assert gradients(y, []) == ()
    assert gradients(y, [stranger, y]) == (0.0, 1.0)
    assert all(type(g) is float for g in gradients(y, [a, stranger]))


def test_gradients_refuses_a_gradient_to_start_from_for_a_value() -> None:
    x = Value(2.0)
    with pytest.raises(OptionError, match=r"gradients\(gradient=...\): expected None"):
        gradients(x * x, x, gradient=3.0)  # type: ignore[call-overload]
    assert gradients(3.0 * (x * x), x) == 12.0


@pytest.mark.parametrize("make", [Value, Tensor], ids=["Value", "Tensor"])
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_a_method_of_a_composite_function_has_its_options(make: Any, approximate: str) -> None:
    x = make(1.5)
    wanted = gradwalk.gelu(1.5, approximate)
    assert x.gelu(approximate) == wanted
    assert x.gelu(approximate=approximate) == wanted
    with pytest.raises(OptionError, match="approximate"):
        x.gelu("other")


def test_gradients_of_inner_nodes_and_of_nothing_else() -> None:
    a = Value(2.0)
    inner = a * a
    y = inner * inner
    a.grad = inner.grad = y.grad = 9.0
    assert gradients(y, [inner, a]) == (8.0, 32.0)
    for gradient in gradients(y, [inner, a], create_graph=True):
        gradients(gradient, a)
    assert [a.grad, inner.grad, y.grad] == [9.0, 9.0, 9.0]


def test_create_graph_gives_values_for_everything() -> None:
    a, stranger = Value(2.0), Value(1.0)
    results = gradients(3 * a, [a, stranger], create_graph=True)
    assert [type(g) for g in results] == [Value, Value]
    assert [g.data for g in results] == [3.0, 0.0]
    assert gradients(results[1], a) == 0.0


@pytest.mark.parametrize(
    ("f", "derivatives"),
    [
        (lambda x: x**4, (4 * 0.7**3, 12 * 0.7**2, 24 * 0.7, 24.0, 0.0)),
        (lambda x: x.exp(), (math.exp(0.7),) * 4),
        (lambda x: x.sin(), (math.cos(0.7), -math.sin(0.7), -math.cos(0.7), math.sin(0.7))),
        (lambda x: x.log(), (1 / 0.7, -1 / 0.7**2, 2 / 0.7**3, -6 / 0.7**4)),
        (lambda x: 1 / x, (-1 / 0.7**2, 2 / 0.7**3, -6 / 0.7**4)),
        (lambda x: x * x.exp(), tuple((k + 0.7) * math.exp(0.7) for k in (1, 2, 3, 4))),
        (lambda x: 2**x, tuple(2**0.7 * math.log(2) ** k for k in (1, 2, 3))),
        (lambda x: abs(-x) * x, (1.4, 2.0, 0.0)),
    ],
)
def test_derivatives_of_every_order(f: Any, derivatives: tuple[float, ...]) -> None:
    x = Value(0.7)
    y = f(x)
    for expected in derivatives:
        y = gradients(y, x, create_graph=True)
        assert y.data == pytest.approx(expected, rel=1e-13, abs=1e-14)


def test_mixed_second_derivatives_commute() -> None:
    a, b = Value(0.7), Value(1.3)
    y = (a * b).sin() * (a - b).exp() + gradwalk.hypot(a, b) ** b
    by_a, by_b = gradients(y, [a, b], create_graph=True)
    assert gradients(by_a, b) == pytest.approx(gradients(by_b, a), rel=1e-13)
    assert gradients(by_a, b) != 0.0


def test_backward_through_a_gradient_reaches_the_leaves() -> None:
    x, w = Value(2.0), Value(3.0)
    penalty = gradients(w * x * x, x, create_graph=True) ** 2
    penalty.backward()
    assert (penalty.data, x.grad, w.grad) == (144.0, 144.0, 96.0)


def test_a_gradient_graph_records_even_though_its_seed_is_a_constant() -> None:
    x = Value(2.0)
    first = gradients(x * x, x, create_graph=True)
    assert x in set(ancestors(first))


@pytest.mark.parametrize("thing", [1.0, None, "x", [Value(1.0)]], ids=repr)
def test_gradients_names_what_is_no_value(thing: Any) -> None:
    x = Value(1.0)
    with pytest.raises(NotANumberError, match=rf"gradients\(y=.*{type(thing).__name__}"):
        gradients(thing, x)
    with pytest.raises(NotANumberError, match=rf"gradients\(wrt=.*{type(thing).__name__}"):
        gradients(x, [x, thing])


@pytest.mark.parametrize("thing", [1.0, None], ids=repr)
def test_gradients_names_a_wrt_that_is_neither_a_value_nor_a_sequence(thing: Any) -> None:
    with pytest.raises(NotANumberError, match=rf"gradients\(wrt=.*{type(thing).__name__}"):
        gradients(Value(1.0), thing)


# --- recording ----------------------------------------------------------------------------------


def test_no_grad_records_nothing_and_nests() -> None:
    x = Value(2.0)
    with no_grad():
        with no_grad():
            y = x * 3 + gradwalk.exp(x) + x.relu() + gradwalk.logsumexp([x, 1.0])
        z = x * 3
        assert (z.data, z.op, z.operands, z.label) == (6.0, "", (), "")
    assert (y.op, y.operands) == ("", ())
    assert (x * 3).operands[0] is x


def test_no_grad_ends_with_an_exception() -> None:
    x = Value(2.0)
    with pytest.raises(KeyError), no_grad():
        raise KeyError
    assert (x * 3).op == "mul"


def test_no_grad_is_a_decorator() -> None:
    @no_grad()
    def predict(x: Any) -> Any:
        """Its docstring survives."""
        return x * 3

    x = Value(2.0)
    assert predict.__doc__ == "Its docstring survives."
    assert [predict(x).op, predict(x).data, (x * 3).op] == ["", 6.0, "mul"]


def test_sweeps_work_inside_no_grad_on_what_was_recorded_before() -> None:
    x = Value(2.0)
    y = x * x
    with no_grad():
        y.backward()
        assert gradients(y, x) == 4.0
    assert x.grad == 4.0


def test_detach_is_a_new_leaf_that_passes_no_gradient() -> None:
    x = Value(2.0, label="x")
    y = x * x
    cut = y.detach()
    assert (type(cut), cut.data, cut.op, cut.operands, cut.grad) == (Value, 4.0, "", (), 0.0)
    (cut * x).backward()
    assert (x.grad, cut.grad, y.grad) == (4.0, 2.0, 0.0)


# --- structural zeros ---------------------------------------------------------------------------

INFINITE_SLOPE = [lambda x: x.log(), lambda x: x.sqrt(), lambda x: 1 / x, lambda x: x**-0.5]
UNTAKEN: list[Callable[[Any], Any]] = [
    *(lambda v: gradwalk.where(False, v, 1.0), lambda v: gradwalk.where(True, 1.0, v)),
    *(lambda v: gradwalk.maximum(7.0, -abs(v)), lambda v: gradwalk.minimum(-7.0, abs(v))),
    *(lambda v: (-abs(v)).maximum(7.0), lambda v: abs(v).minimum(-7.0)),
    *(lambda v: (-abs(v)).clip(5.0, 6.0), lambda v: abs(v).clip(-6.0, -5.0)),
    *(lambda v: (-abs(v)).relu(), lambda v: gradwalk.hardtanh(-2.0 - abs(v))),
    *(lambda v: v**0, lambda v: v.floor(), lambda v: v.sign(), lambda v: v // 2),
]


@pytest.mark.parametrize("slope", INFINITE_SLOPE)
@pytest.mark.parametrize("choose", UNTAKEN)
def test_a_branch_not_taken_never_makes_nan(slope: Any, choose: Any) -> None:
    x = Value(0.0)
    y = choose(slope(x)) + x * 3.0 + x * x
    y.backward()
    assert x.grad == 3.0
    first = gradients(y, x, create_graph=True)
    second = gradients(first, x, create_graph=True)
    assert (first.data, second.data, gradients(second, x)) == (3.0, 2.0, 0.0)


def test_a_taken_branch_does_pass_the_infinite_slope() -> None:
    x = Value(0.0)
    assert gradients(gradwalk.where(True, x.sqrt(), 1.0), x) == inf


def test_an_edge_without_gradient_stops_everything_above_it() -> None:
    x = Value(-1.0)
    y = x.relu().sqrt()
    assert (y.data, gradients(y, x)) == (0.0, 0.0)
    assert gradients(gradients(y, x, create_graph=True), x) == 0.0


def test_both_uses_of_a_node_count_when_only_one_is_cut() -> None:
    x = Value(2.0)
    inner = x * x
    y = gradwalk.where(False, inner, 1.0) + inner
    assert gradients(y, [inner, x]) == (1.0, 4.0)


@pytest.mark.parametrize("seed", [2.0, None, "yes", Value(1.0)])
def test_backward_takes_no_seed(seed: Any) -> None:
    x = Value(3.0)
    with pytest.raises(OptionError, match=r"\(2\.0 \* y\)\.backward"):
        (x * x).backward(seed)
    assert x.grad == 0.0


# --- masks -------------------------------------------------------------------------------------


def masked_cube(name: str) -> Primitive:
    """A primitive whose rule is masked by a number: by its argument itself."""
    return gradwalk.pointwise(
        name,
        lambda t, y, x: gradwalk.pass_if(x, t * (3.0 * x * x)),
        forward=lambda x: x * x * x,
    )


@pytest.mark.parametrize(("x", "second"), [(2.0, 12.0), (0.0, 0.0)])
def test_a_number_of_any_kind_can_be_the_condition_of_a_mask(x: float, second: float) -> None:
    cube = masked_cube(f"masked_cube_{x}")
    v = Value(x)
    first = gradients(cube(v), v, create_graph=True)
    assert (first.data, gradients(first, v)) == (3.0 * x * x, second)
    assert gradwalk.grad(cube)(x) == 3.0 * x * x
    assert gradwalk.grad(gradwalk.grad(cube))(x) == second
    assert gradwalk.jvp(gradwalk.grad(cube), (x,), (1.0,)) == (3.0 * x * x, second)


def test_a_mask_is_decided_where_a_rule_is_run_again_by_ieee_754() -> None:
    inverse = gradwalk.pointwise(
        "masked_inverse",
        lambda t, y, x: gradwalk.mask_if(x, t / x),
        forward=lambda x: 0.0,
    )
    v = Value(0.0)
    inverse(v).backward()
    assert v.grad == inf
