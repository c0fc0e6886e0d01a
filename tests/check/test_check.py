"""The gradient checker: calm on right rules, loud on wrong ones, and right about the reason."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import Value, pointwise
from gradwalk.check import check_gradients
from gradwalk.errors import GradientCheckError, NotANumberError, OptionError
from gradwalk.ops import TABLE

UNARY = [primitive for primitive in TABLE.values() if primitive.arity == 1]

bad_cube = pointwise(
    "bad_cube", lambda t, y, x: t * 3.003 * x * x, forward=lambda x: x * x * x, tex="x^3"
)


def bad_abs(kinks=""):
    """A row with a kink at 0 and a rule that is wrong on the left."""
    return pointwise(
        "bad_abs", lambda t, y, x: t * 1.0, forward=lambda x: x if x > 0.0 else -x, kinks=kinks
    )


def verdicts(report):
    return [entry.verdict for entry in report.inputs]


def random_points(primitive, count=6):
    """Points inside the domain, at sizes where the row has a slope that a difference can see."""
    low, high = (
        max(bound, -4.0) if bound < 0 else min(bound, 4.0) for bound in primitive.domain[0]
    )
    if primitive.domain[0][0] > low:
        low = primitive.domain[0][0]
    generator = random.Random(primitive.name)
    return [low + (high - low) * generator.uniform(0.01, 0.99) for _ in range(count)]


# --- calm on right rules ------------------------------------------------------------------------


@pytest.mark.parametrize("primitive", UNARY, ids=lambda primitive: primitive.name)
def test_every_unary_row_passes_at_random_points(primitive):
    for x in random_points(primitive):
        report = check_gradients(lambda v: primitive(v), [x])
        assert report, f"{primitive.name} at {x}\n{report}"
        assert (
            report.inputs[0].verdict == "agrees" or primitive.kinks or not primitive.differentiable
        )


@pytest.mark.parametrize("name", ["abs", "relu", "selu"])
def test_a_point_on_a_kink_is_reported_as_a_kink_with_both_slopes(name):
    entry = check_gradients(TABLE[name], [0.0]).inputs[0]
    assert entry.verdict == "kink"
    assert entry.kink == name
    low, high = sorted([entry.left, entry.right])
    assert low < high
    assert low <= entry.analytic <= high
    assert "slope" in entry.note


@pytest.mark.parametrize("name", ["abs", "relu", "selu", "floor", "round"])
@pytest.mark.parametrize("distance", [1e-2, 1e-5, 1e-7])
def test_a_kink_near_the_point_is_named_and_avoided(name, distance):
    at = 0.5 if name == "round" else 0.0
    entry = check_gradients(TABLE[name], [at + distance]).inputs[0]
    assert entry.verdict == "agrees"
    assert entry.kink == name
    assert entry.reach > distance / 10
    assert f"{name} within" in entry.note


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.1, 3))
def test_compositions_agree(a, b, c):
    def f(a, b, c):
        return gw.tanh(a * b) * gw.log(c) + gw.exp(a - c) / (1.0 + b * b) + a * a * a

    assert check_gradients(f, [a, b, c])


@pytest.mark.parametrize("size", [1e-120, 1e-12, 1e-3, 1.0, 1e6, 1e200])
def test_steps_follow_the_size_of_the_input(size):
    assert check_gradients(gw.log, [size])
    assert check_gradients(lambda x: 3.0 * x + 1.0 / x, [size])
    assert check_gradients(lambda x: x + 1.0, [size])
    assert check_gradients(lambda x, y: x * y, [size, -1.0 / size])


def test_an_input_that_f_ignores_has_gradient_zero():
    report = check_gradients(lambda x, unused: x * x + 1e8, [3.0, 2.0])
    assert report
    assert report.inputs[1].analytic == 0.0


def test_rounding_of_a_large_result_is_not_an_error_of_the_gradient():
    entry = check_gradients(lambda x, y: 1e-3 * x + 1e9 * y, [1.0, 1.0]).inputs[0]
    assert entry.verdict == "agrees"
    assert entry.digits < 6.0
    assert entry.error > 1e-8


# --- loud on wrong ones -------------------------------------------------------------------------


def test_a_wrong_rule_fails_and_is_named_with_its_node():
    def f(a, b):
        cube = bad_cube(a)
        cube.label = "the cube"
        return gw.exp(cube * 0.1) * b + bad_cube(b)

    report = check_gradients(f, [1.2, 0.7])
    assert not report
    assert verdicts(report) == ["WRONG", "WRONG"]
    assert report.inputs[0].digits == pytest.approx(3.0, abs=0.1)
    (suspect,) = report.suspects
    assert (suspect.primitive, suspect.argument, suspect.nodes) == ("bad_cube", "x", 2)
    assert suspect.inputs == (1.2,)
    assert suspect.rule == pytest.approx(3.003 * 1.44)
    assert suspect.numeric == pytest.approx(3 * 1.44, rel=1e-9)
    assert "'the cube'" in str(report)
    assert "2 nodes" in str(report)


def test_the_wrong_argument_is_named():
    bad_mul = pointwise(
        "bad_mul", lambda t, y, a, b: t * b, lambda t, y, a, b: t * b, forward=lambda a, b: a * b
    )
    report = check_gradients(lambda x, y: bad_mul(x, y) + 2.0 * x, {"x": 2.0, "y": 5.0})
    assert verdicts(report) == ["agrees", "WRONG"]
    assert [(s.primitive, s.argument) for s in report.suspects] == [("bad_mul", "b")]


def test_a_missing_contribution_is_found():
    silent = pointwise("silent", lambda t, y, x: None, forward=lambda x: x + 1.0)
    (suspect,) = check_gradients(silent, [2.0]).suspects
    assert (suspect.primitive, suspect.rule, suspect.numeric) == ("silent", 0.0, pytest.approx(1.0))


@pytest.mark.parametrize("kinks", ["", "slope 1 at 0"])
def test_a_wrong_rule_beside_its_own_kink_is_still_wrong(kinks):
    assert verdicts(check_gradients(bad_abs(kinks), [-0.5])) == ["WRONG"]
    assert verdicts(check_gradients(bad_abs(kinks), [0.5])) == ["agrees"]


def test_a_slope_outside_the_two_sides_of_a_kink_is_wrong():
    steep = pointwise(
        "steep", lambda t, y, x: t * 2.0, forward=lambda x: x if x > 0.0 else -x, kinks="slope 2"
    )
    assert verdicts(check_gradients(steep, [0.0])) == ["WRONG"]


def test_every_rule_of_the_table_made_wrong_by_a_thousandth_is_found():
    for primitive in UNARY:
        if primitive.differentiable:
            off = pointwise(
                primitive.name,
                lambda t, y, x, rule=primitive.rules[0]: rule(1.001 * t, y, x),
                forward=primitive.forward if callable(primitive.forward) else primitive.libm,
                kinks=primitive.kinks,
            )
            entries = [check_gradients(off, [x]).inputs[0] for x in random_points(primitive)]
            assert all(e.verdict == "WRONG" or e.analytic == 0.0 for e in entries), primitive.name
            assert any(e.verdict == "WRONG" for e in entries), primitive.name


def test_many_nodes_of_a_wrong_row_are_looked_at_up_to_a_limit():
    report = check_gradients(lambda x: sum(bad_cube(x * k) for k in range(1, 300)), [0.5])
    (suspect,) = report.suspects
    assert suspect.nodes == 200


# --- what else can be wrong ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "cut",
    [
        lambda x: x.detach() * x,
        lambda x: Value(x.data) * x,
        lambda x: x.data * x,
        lambda x: gw.no_grad()(gw.exp)(x) * x,
    ],
)
def test_a_cut_graph_is_told_from_a_wrong_row(cut):
    report = check_gradients(cut, [3.0])
    assert verdicts(report) == ["WRONG"]
    assert report.suspects == ()
    assert "graph is cut" in str(report)


def test_a_branch_of_the_program_is_a_kink():
    other_graph = check_gradients(lambda x: x * 2.0 if x.data > 0 else -x, [0.0])
    assert verdicts(other_graph) == ["kink"]
    assert other_graph.inputs[0].kink == "a branch of f"
    same_graph = check_gradients(lambda x: x * 2.0 if x.data > 0 else x * 3.0, [0.0])
    assert verdicts(same_graph) == ["kink"]
    assert verdicts(check_gradients(max, [1.0, 1.0])) == ["kink", "kink"]


def test_a_jump_is_a_kink_without_slopes():
    entry = check_gradients(gw.floor, [1.0]).inputs[0]
    assert entry.verdict == "kink"
    assert math.isnan(entry.left)
    assert entry.right == 0.0


def test_a_kink_says_which_labelled_node():
    def f(x):
        hidden = gw.relu(x)
        hidden.label = "h"
        return hidden * 2.0

    assert check_gradients(f, [0.0]).inputs[0].kink == "relu (h)"


@pytest.mark.parametrize(
    ("f", "x", "origin"),
    [
        (lambda x: gw.log(x) * 2.0, -1.0, "log(-1) = nan"),
        (lambda x: gw.exp(1e3 * x) + 1.0, 1.0, "exp(1000) = inf"),
        (lambda x: 3.0 * gw.sqrt(x), 0.0, "sqrt(0) has inf"),
        (lambda x: gw.sqrt(gw.clip(x, -1.0)), 0.0, "sqrt(0) has inf"),
        (lambda x: x + 1.0, math.nan, "an input = nan"),
    ],
)
def test_what_is_not_finite_is_traced_to_its_origin(f, x, origin):
    report = check_gradients(f, [x])
    assert verdicts(report) == ["not finite"]
    assert not report
    assert origin in str(report)


def test_the_end_of_a_domain_is_not_finite_without_an_origin_in_the_graph():
    edge = pointwise("edge", lambda t, y, x: t, forward=lambda x: x if x == 1.0 else math.nan)
    report = check_gradients(edge, [1.0])
    assert verdicts(report) == ["not finite"]
    assert report.remarks == ()


def test_where_differences_see_nothing_the_verdict_is_unclear():
    report = check_gradients(gw.sin, [1e300])
    assert verdicts(report) == ["unclear"]
    assert not report


# --- names, options, errors ---------------------------------------------------------------------


def test_inputs_are_named_after_the_parameters():
    def f(weight, bias, *rest):
        return weight * bias + sum(rest)

    assert [i.name for i in check_gradients(f, (1.0, 2.0, 3.0)).inputs] == [
        "weight", "bias", "rest[0]",
    ]  # fmt: skip
    assert [i.name for i in check_gradients(f, {"bias": 1, "weight": 2}).inputs] == [
        "bias", "weight",
    ]  # fmt: skip
    assert [i.name for i in check_gradients(max, [1.0, 2.0]).inputs] == ["inputs[0]", "inputs[1]"]
    assert [i.name for i in check_gradients(lambda x: x * x, 3.0).inputs] == ["x"]
    assert check_gradients(lambda x: x * x, Value(3.0)).inputs[0].value == 3.0


@pytest.mark.parametrize(
    ("f", "inputs", "names"),
    [
        (lambda x, y: x * y, np.array([1.0, 2.0]), ["x", "y"]),
        (lambda x: x * x, np.array(2.0), ["x"]),
        (lambda xs: xs[0] * xs[1], [[1.0, 2.0]], ["xs[0]", "xs[1]"]),
        (lambda w, b: w[0] * w[1] + b, [np.array([1, 2]), 3.0], ["w[0]", "w[1]", "b"]),
        (lambda a, b: a[0] * b[0], np.array([[1.0], [2.0]]), ["a[0]", "b[0]"]),
        (lambda w, b: w[0] * b, {"b": 1.0, "w": (2.0,)}, ["b", "w[0]"]),
        (lambda w, b: sum(w, b), {"w": [], "b": Value(2.0)}, ["b"]),
    ],
)
def test_inputs_may_be_arrays_and_lists_in_lists(f, inputs, names):
    report = check_gradients(f, inputs)
    assert report
    assert [i.name for i in report.inputs] == names


def test_a_wrong_member_of_a_list_is_found():
    report = check_gradients(lambda xs: xs[0] * xs[1] + bad_cube(xs[1]), [[1.0, 2.0]])
    assert verdicts(report) == ["agrees", "WRONG"]
    assert report.inputs[1].value == 2.0


def test_the_report_is_a_table():
    text = str(check_gradients(lambda first, second: first * second, [2.0, -3.0]))
    title, head, one, two = text.splitlines()
    assert title == "2 of 2 gradients agree"
    assert head.split() == [
        "input", "value", "analytic", "numeric", "±", "error", "digits", "verdict",
    ]  # fmt: skip
    assert one.split()[:4] == ["0", "first", "2", "-3"]
    assert two.split()[-1] == "agrees"
    assert repr(check_gradients(gw.exp, [1.0])) == str(check_gradients(gw.exp, [1.0]))


def test_digits_set_how_strict_the_check_is():
    slightly = pointwise("slightly", lambda t, y, x: t * 1.0001, forward=lambda x: x * 1.0)
    assert check_gradients(slightly, [1.0], digits=3)
    assert not check_gradients(slightly, [1.0], digits=5)


def test_raise_on_failure():
    assert check_gradients(gw.exp, [1.0], raise_on_failure=True)
    with pytest.raises(GradientCheckError, match="bad_cube"):
        check_gradients(bad_cube, [1.0], raise_on_failure=True)


@pytest.mark.parametrize("digits", [0, -1, 16, math.nan])
def test_digits_out_of_range(digits):
    with pytest.raises(OptionError, match="digits"):
        check_gradients(gw.exp, [1.0], digits=digits)


@pytest.mark.parametrize("result", [3.0, None, "x", [Value(1.0)]])
def test_a_result_that_is_no_value(result):
    with pytest.raises(NotANumberError, match="returns a Value"):
        check_gradients(lambda x: result, [1.0])


def test_an_input_that_is_no_number():
    with pytest.raises(NotANumberError, match="number 1"):
        check_gradients(lambda x, y: x * y, [1.0, "2"])
    with pytest.raises(NotANumberError, match=r"number 1\[0\]: .*got list \[2\.0\]"):
        check_gradients(lambda x, y: x * y, [1.0, [[2.0]]])
    with pytest.raises(NotANumberError, match="'y'"):
        check_gradients(lambda x, y: x * y, {"x": 1.0, "y": None})


def test_a_function_that_draws_random_numbers():
    generator = random.Random(0)
    with pytest.raises(OptionError, match="same result"):
        check_gradients(lambda x: x * generator.random(), [1.0])


def test_the_graph_and_the_gradients_of_the_caller_stay_as_they_are():
    w = Value(2.0)
    w.grad = 7.0
    check_gradients(lambda x: w * x, [3.0])
    assert (w.data, w.grad) == (2.0, 7.0)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: (x - 1.0) ** 2, 0.5),
        (lambda x: (x - 0.9) ** 2, 0.901),
        (lambda x: x**3, -2.0),
        (lambda x: 2.0**x, 0.3),
        (lambda x: x**x, 1.5),
        (lambda x: gw.elu(x, 0.5), -0.3),
    ],
)
def test_a_curve_is_not_reported_as_a_kink(f: Any, x: float) -> None:
    (entry,) = check_gradients(f, [x]).inputs
    assert (entry.verdict, entry.kink) == ("agrees", "")


@pytest.mark.parametrize(
    ("f", "x", "name"),
    [
        (lambda x: abs(x) ** 2 + abs(x), 1e-4, "abs"),
        (lambda x: gw.elu(x, 0.5), 1e-4, "elu"),
        (lambda x: (x * x) % 2.0, 2.0**0.5 + 1e-4, "mod"),
        (lambda x: gw.maximum(x * x, x), 1.0 + 1e-4, "maximum"),
    ],
)
def test_a_kink_nearby_is_reported_among_curves(f: Any, x: float, name: str) -> None:
    (entry,) = check_gradients(f, [x]).inputs
    assert entry.verdict == "agrees"
    assert entry.kink == name
