"""`check_grads`: it passes what is right, over many functions, and finds every kind of mistake."""

from __future__ import annotations

import math
import re
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import (
    GradwalkError,
    Tensor,
    Value,
    check_grads,
    checkpoint,
    custom_rule,
    fixed_point,
    grad,
    hessian,
    jvp,
    nn,
    no_grad,
    pointwise,
    vmap,
)
from gradwalk.errors import GradientCheckError, NotANumberError, OptionError
from gradwalk.ops import TABLE

from ..helpers.amount import examples

R = np.random.default_rng(5)
A, B = R.normal(size=(3, 4)), R.normal(size=(4, 3))
X, P = R.normal(size=4), R.uniform(0.3, 2.0, size=(2, 3))
S = A @ A.T + 3.0 * np.eye(3)

silent = pytest.mark.silent("check_grads raises nothing where derivatives are right")


# --- what is right passes -------------------------------------------------------------------------

INSIDE = {"acosh": 1.7, "polygamma": 1.0}
ORDERS = {"polygamma"}  # its first argument is a whole number, and has no derivative
FLAT = {name for name, primitive in TABLE.items() if not primitive.differentiable}


def inside(primitive: Any) -> tuple[float, ...]:
    """Arguments in the open domain, away from kinks, all of them different."""
    found = []
    for i, (low, high) in enumerate(primitive.domain):
        low, high = max(low, -1.3), min(high, 2.1)
        found.append(low + (high - low) * (0.83, 0.47, 0.61)[i])
    return tuple(found)


PRIMITIVES = [
    primitive
    for primitive in TABLE.values()
    if primitive.differentiable and primitive.name not in ORDERS
]


@pytest.mark.parametrize("primitive", PRIMITIVES, ids=lambda primitive: primitive.name)
@silent
def test_every_row_passes(primitive: Any) -> None:
    args = inside(primitive)
    check_grads(primitive, args, order=2)
    arrays = tuple(np.array([x, x * (1.0 + 1e-3)]) for x in args)
    check_grads(primitive, arrays, order=2)


ON_NUMBERS: dict[str, tuple[Callable[..., Any], tuple[float, ...]]] = {
    "product": (lambda x, y: x * y, (2.0, -3.0)),
    "power": (lambda x, y: x**y, (1.7, 2.3)),
    "unused": (lambda x, y: gw.sin(x), (0.5, 2.0)),
    "constant": (lambda x: 3.0, (0.5,)),
    "zero slope": (lambda x: x - x, (0.5,)),
    "large": (lambda x: 1e6 + x * x, (1.5,)),
    "larger": (lambda x: 1e10 + x * x, (1.5,)),
    "small": (lambda x: x**3, (1e-3,)),
    "huge": (lambda x: gw.exp(x), (60.0,)),
    "tiny": (lambda x: gw.exp(x), (-9.0,)),
    "at zero": (lambda x: gw.sin(x) + x**3, (0.0,)),
    "steep": (lambda x: gw.tanh(50.0 * x), (0.03,)),
    "waves": (lambda x: gw.sin(100.0 * x), (0.7,)),
    "near a pole": (lambda x: 1.0 / (x - 1.0), (1.01,)),
    "near a kink": (lambda x: gw.abs(x - 1.0) * x, (1.0001,)),
    "branch": (lambda x: x**2 if x > 0.0 else -x, (0.2,)),
    "loop": (lambda x: gw.sin(gw.sin(gw.sin(x) * x) * x), (1.1,)),
    "several": (lambda x, y: (x * y, {"d": x / y, "s": [y]}), (1.5, 2.5)),
    "several sizes": (lambda x: [1e9 * x, 1e-3 * x], (1.5,)),
    "a gradient": (grad(lambda x: gw.exp(x) * x), (0.4,)),
    "a tangent": (lambda x: jvp(gw.tanh, (x,), (x,))[1], (0.4,)),
    "checkpoint": (checkpoint(lambda x: gw.sin(x) * x), (0.4,)),
    "fixed point": (lambda a: fixed_point(lambda x, a: gw.cos(a * x), 0.5, a), (0.9,)),
    "root": (lambda a: gw.sqrt(a), (4.0,)),
    "a rule": (custom_rule(lambda x: x**3, vjp=lambda t, y, x: t * 3.0 * x**2), (1.3,)),
}


@pytest.mark.parametrize("name", ON_NUMBERS)
def test_functions_of_numbers_pass(name: str) -> None:
    f, args = ON_NUMBERS[name]
    assert check_grads(f, args, order=2) is None


ON_ARRAYS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "sum": (lambda x: x.sum(), (A,)),
    "mean and variance": (lambda x: (x.mean(axis=0), x.var(axis=1)), (A,)),
    "matmul": (lambda a, b: a @ b, (A, B)),
    "softmax": (lambda x: gw.softmax(x), (A,)),
    "logsumexp": (lambda x: gw.logsumexp(x), (A,)),
    "solve": (lambda s, x: gw.linalg.solve(s, x), (S, X[:3])),
    "determinant": (lambda s: gw.linalg.det(s), (S,)),
    "inverse": (lambda s: gw.linalg.inv(s), (S,)),
    "indexing": (lambda x: x[1:, ::2] * x[0, 1], (A,)),
    "gather": (lambda x: x[np.array([0, 2, 2])], (X,)),
    "broadcast": (lambda a, x: a * x + 1.0, (A, X)),
    "transpose": (lambda a: a.T @ a, (A,)),
    "concat": (lambda a, x: gw.concat([a, x[None, :]]), (A, X)),
    "stack": (lambda x: gw.stack([x, x * x], axis=1), (X,)),
    "where": (lambda x: gw.where(x > 0.0, x**2, gw.exp(x)), (A,)),
    "maximum": (lambda x: x.max(axis=1), (A,)),
    "sort": (lambda x: gw.sort(x), (X,)),
    "cumulative": (lambda x: gw.cumulative_sum(x) * gw.cumulative_prod(x), (X,)),
    "product": (lambda x: x.prod(), (X,)),
    "norm": (lambda x: gw.linalg.vector_norm(x), (X,)),
    "one by one": (lambda x: [x[0] * x[1], x[2].sin()], (X,)),
    "an array and a number": (lambda x, c: gw.sin(x * c), (X, 0.3)),
    "no dimension": (lambda x: x * x, (np.array(3.0),)),
    "with zeros": (lambda x: gw.sin(x) * x, (np.array([0.0, 1.0, -2.0]),)),
    "empty": (lambda x: x * 2.0, (np.zeros((0, 3)),)),
    "vmap": (vmap(lambda x: x @ x), (A,)),
    "vmap of grad": (vmap(grad(lambda x: gw.tanh(x).sum())), (A,)),
    "hessian": (hessian(lambda x: (x**3).sum() * x[0]), (X,)),
    "large ones beside small ones": (lambda x: (1e8 * x, x * x), (X,)),
}


@pytest.mark.parametrize("name", ON_ARRAYS)
def test_functions_of_arrays_pass(name: str) -> None:
    f, args = ON_ARRAYS[name]
    assert check_grads(f, args, order=2) is None


@pytest.mark.parametrize("name", ["sum", "matmul", "softmax", "solve", "where", "indexing", "norm"])
@silent
def test_half_the_precision(name: str) -> None:
    f, args = ON_ARRAYS[name]
    check_grads(f, tuple(np.asarray(a, np.float32) for a in args), order=2)


@silent
def test_float16() -> None:
    check_grads(lambda x: x * x, (np.array([1.0, 2.0], np.float16),))


@silent
def test_third_order() -> None:
    check_grads(lambda x, y: gw.exp(x * y) * x, (0.3, 0.7), order=3)
    check_grads(lambda x: (gw.tanh(x) * x).sum(), (X,), order=3)


Point = namedtuple("Point", "x y")


@dataclass
class Line:
    slope: Any
    offset: Any


CONTAINERS = [
    ([1.5, 2.5], lambda p: p[0] * p[1]),
    ((1.5, X), lambda p: p[0] * p[1]),
    ({"a": 1.5, "b": [A, 2.0]}, lambda p: gw.abs((p["b"][0] * p["a"]).sum()) ** p["b"][1]),
    (Point(1.5, 2.5), lambda p: Point(p.y * p.x, p.x)),
    (Line(1.5, X), lambda p: p.slope * p.offset),
    ([1.1, 1.2, 1.3, 1.4, 1.5, 1.6], lambda p: gw.logsumexp(p) * p[3]),
    (Value(1.5), lambda v: v.exp() * v),
    (Tensor(X), lambda x: (x * x).sum()),
    (Tensor(X, requires_grad=True), lambda x: (x * x).sum()),
    (Value(2.0) * 3.0, lambda v: v.sin()),
    (np.float64(2.0), lambda x: x * x),
]


@pytest.mark.parametrize(("point", "f"), CONTAINERS, ids=lambda x: type(x).__name__)
@silent
def test_containers_and_carriers(point: Any, f: Any) -> None:
    check_grads(f, (point,), order=2)


@silent
def test_one_argument_needs_no_tuple() -> None:
    check_grads(lambda x: x * x, 3.0)
    check_grads(lambda p: p["w"] ** 2, {"w": 3.0})


def test_a_model() -> None:
    model = nn.MLP(3, [4, 1], seed=0)
    check_grads(lambda m: m([0.1, -0.2, 0.3]), (model,))
    before = [p.data for p in model.parameters()]
    check_grads(lambda m: m([0.1, -0.2, 0.3]) ** 2, (model,), order=2)
    assert before == [p.data for p in model.parameters()], "nothing is moved"
    assert all(p.grad == 0.0 for p in model.parameters())


@silent
def test_argnums_leaves_arguments_out() -> None:
    check_grads(lambda x, n: x[n] * x, (X, 2), argnums=0)
    check_grads(lambda x, n, y: x[n] * y, (X, 2, 3.0), argnums=(0, 2))
    check_grads(lambda x, y: x * y.data, (2.0, Value(3.0)), argnums=0)  # y is held constant


def test_inside_of_no_grad_and_of_other_transforms() -> None:
    with no_grad():
        check_grads(gw.sin, (0.5,), order=2)

    def checked(x: Any) -> Any:
        check_grads(lambda y: y * gw.sin(x.data * y), (x,), order=2)
        return x * x

    assert grad(checked)(3.0) == 6.0
    assert jvp(checked, (3.0,), (1.0,)) == (9.0, 6.0)


def test_the_same_points_in_every_run() -> None:
    seen: list[list[float]] = []

    def f(x: Any) -> Any:
        seen[-1].append(x.data)
        return x * x

    for _ in range(2):
        seen.append([])
        check_grads(f, (1.5,), order=2)
    assert seen[0] == seen[1]
    assert len(set(seen[0])) > 5


def test_numbers_alone_do_not_load_numpy(run_python: Any) -> None:
    program = """
import sys, gradwalk
gradwalk.check_grads(lambda x, p: gradwalk.sin(x) * p["a"], (2.0, {"a": 3.0}), order=2)
print("numpy" in sys.modules)
"""
    assert run_python(program).strip() == "False"


# --- what is wrong does not -----------------------------------------------------------------------


def failure(f: Any, args: Any, *rest: Any, **options: Any) -> GradientCheckError:
    with pytest.raises(GradientCheckError) as caught:
        check_grads(f, args, *rest, **options)
    return caught.value


def row_of(name: str, *rules: Any, **facts: Any) -> Any:
    return pointwise(f"check_grads_{name}", *rules, **facts)


CUBE = row_of("cube", lambda t, y, x: t * 3.003 * x * x, forward=lambda x: x * x * x)
AREA = row_of(
    "area", lambda t, y, a, b: t * b, lambda t, y, a, b: t * a * 0.999, forward=lambda a, b: a * b
)
SIGN = row_of("sign", lambda t, y, x: -t * gw.cos(x), forward=gw.sin)
CUT = row_of("cut", None, forward=lambda x: x * x)
POINTS = {"one": 2.0, "small": 1e-2, "large": 300.0, "negative": -0.7}


@pytest.mark.parametrize("mode", ["fwd", "rev"])
@pytest.mark.parametrize("x", POINTS.values(), ids=POINTS)
def test_a_rule_that_is_wrong_by_a_thousandth(x: float, mode: str) -> None:
    for f in (CUBE, lambda x: AREA(2.0, x), lambda x: gw.sin(CUBE(x) / x**3 + x)):
        error = failure(f, (x,), modes=mode)
        assert error.where.startswith(f"check_grads: {mode}, of argument 0")
        assert "A rule is wrong" in error.fix
        assert "gradwalk.check.check_gradients" in error.fix
    failure(lambda x: CUBE(x).sum(), (np.array([x, 2.0 * x, 0.3]),), modes=mode)
    failure(lambda x: [CUBE(x), x], (np.full((4, 5), x),), modes=mode)


@pytest.mark.parametrize("offset", [1.0, 1e6, 1e9, -1e10])
def test_a_large_offset_hides_nothing(offset: float) -> None:
    failure(lambda x: offset + CUBE(x), (1.5,))
    failure(lambda x: [offset + CUBE(x), offset * x], (1.5,))
    check_grads(lambda x: [offset + x**3, offset * x], (1.5,))


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_one_wrong_argument_among_right_ones(mode: str) -> None:
    error = failure(lambda a, b, c: AREA(a, b) * c, (3.0, 5.0, 7.0), modes=mode)
    assert error.where == f"check_grads: {mode}, of argument 1"
    parameters = {"w": [2.0, 3.0], "b": 4.0}
    error = failure(lambda p: AREA(p["w"][0], p["w"][1]) + p["b"], (parameters,), modes=mode)
    assert error.where == f"check_grads: {mode}, of argument 0['w'][1]"


DETACHED: dict[str, tuple[Callable[..., Any], Any]] = {
    "data": (lambda x: x * x.data, 2.0),
    "detach": (lambda x: x * x.detach() + x, 2.0),
    "data of an array": (lambda x: (x * x._data).sum(), X),
    "one part of many": (lambda x: (gw.sin(x) + 1e-3 * gw.sin(x._data)).sum(), A),
    "no rule": (lambda x: x * CUT(x), 2.0),
    "the sign": (lambda x: SIGN(x), 1.0),
    "stop": (lambda x: x * gw.stop_gradient(x), 2.0),
    "inside of no_grad": (lambda x: x * _constant(x), 2.0),
}


def _constant(x: Any) -> Any:
    with no_grad():
        return x * 1.0


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("name", DETACHED)
def test_a_part_that_is_cut_off(name: str, mode: str) -> None:
    f, x = DETACHED[name]
    failure(f, (x,), modes=mode)
    failure(f, (x,), 2, (mode,))


def test_custom_rules() -> None:
    scaled = custom_rule(lambda x: x**3, vjp=lambda t, y, x: t * 3.003 * x**2)
    failure(scaled, (2.0,))
    transposed = custom_rule(lambda x: A @ x, vjp=lambda t, y, x: t @ A, jvp=lambda t, y, x: A @ t)
    check_grads(transposed, (X,))
    other = custom_rule(lambda x: S @ x, vjp=lambda t, y, x: t @ S, jvp=lambda t, y, x: 1.001 * t)
    check_grads(other, (X[:3],), modes="rev")
    failure(other, (X[:3],), modes="fwd")


# --- the message ----------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", ["fwd", "rev"])
@pytest.mark.parametrize("outer", ["fwd", "rev"])
def test_a_second_derivative_that_is_wrong(outer: str, inner: str) -> None:
    """x³, with the right slope, of which a part is held constant."""
    held = row_of("held", None, forward=lambda x: x)
    f = row_of("held_cube", lambda t, y, x: t * 3.0 * x * held(x), forward=lambda x: x * x * x)
    check_grads(f, (1.3,), modes=(outer, inner))
    error = failure(f, (1.3,), order=2, modes=(outer, inner))
    path = re.fullmatch(r"check_grads: (\w+) over (\w+), of argument 0", error.where)
    assert path is not None
    assert {path[1], path[2]} <= {outer, inner}


def test_the_message() -> None:
    error = failure(CUBE, (2.0,), modes="rev")
    assert isinstance(error, (GradwalkError, AssertionError))
    expected = re.match(r"(-?[\d.]+), the slope by differences \(± (.*)\)", error.expected)
    got = re.match(r"(-?[\d.]+), of which (.*) digits agree", error.got)
    assert expected is not None
    assert got is not None
    assert float(got[1]) / float(expected[1]) == pytest.approx(1.001, rel=1e-8)
    assert float(expected[2]) < 1e-9
    assert got[2] == "3.0"


def test_hints() -> None:
    kink = failure(lambda x: gw.relu(x - 2.0), (2.0,))
    assert "There is a kink (slopes " in kink.fix
    assert "digits agree" in kink.got
    near = failure(lambda x: gw.relu(x - 2.0), (2.0 + 1e-8,))
    assert "kink" in near.fix
    jump = failure(lambda x: gw.where(x > 2.0, x, x + 1.0), (2.0 + 1e-8,))
    assert "kink" in jump.fix
    coarse = failure(lambda x: x * x._data, (np.float32(2.0) * np.ones(2, np.float32),))
    assert "float64" in coarse.fix
    unsettled = failure(lambda x: 1e15 + gw.sin(x), (0.12,))
    assert "do not settle" in unsettled.fix


def test_what_is_not_finite() -> None:
    for f, x in ((gw.log, 0.0), (gw.sqrt, -1.0), (lambda x: x / 0.0, 1.0)):
        error = failure(f, (x,))
        assert "0.0 digits" in error.got


# --- options --------------------------------------------------------------------------------------


def test_tolerances() -> None:
    check_grads(CUBE, (2.0,), rtol=2e-3)
    check_grads(CUBE, (2.0,), atol=1.0)
    slight = row_of("slight", lambda t, y, x: t * (3.0 + 1e-7) * x * x, forward=lambda x: x * x * x)
    check_grads(slight, (2.0,))
    failure(slight, (2.0,), rtol=1e-9, atol=0.0)
    check_grads(lambda x: x * x, (2.0,), rtol=1e-9, atol=0.0)


def test_one_step() -> None:
    """Away by 1e-2 from a kink, a step of 0.1 sees it and one of 1e-4 does not."""
    f = lambda x: gw.abs(x - 1.0) * x  # noqa: E731
    failure(f, (1.01,), eps=0.5)
    check_grads(f, (1.01,), eps=1e-4)


@pytest.mark.parametrize("mode", ["fwd", "rev", "forward", "reverse"])
def test_names_of_modes(mode: str) -> None:
    for modes in (mode, (mode,), [mode], (mode, mode)):
        check_grads(gw.sin, (1.0,), modes=modes)
        where = failure(SIGN, (1.0,), modes=modes).where
        assert where.startswith(f"check_grads: {'fwd' if mode[0] == 'f' else 'rev'}, of")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"modes": "backward"}, "modes"),
    ({"modes": ()}, "modes"),
    ({"modes": None}, "modes"),
    ({"modes": ("fwd", 1)}, "modes"),
    ({"order": 0}, "order"),
    ({"order": 1.0}, "order"),
    ({"order": True}, "order"),
    ({"atol": -1.0}, "atol"),
    ({"rtol": "1e-3"}, "rtol"),
    ({"eps": math.inf}, "eps"),
    ({"eps": math.nan}, "eps"),
    ({"argnums": 1}, "argnums"),
]


@pytest.mark.parametrize(("options", "word"), WRONG)
def test_wrong_options(options: dict[str, Any], word: str) -> None:
    with pytest.raises(OptionError, match=rf"check_grads\({word}"):
        check_grads(gw.sin, (1.0,), **options)


def test_what_cannot_be_checked() -> None:
    with pytest.raises(OptionError, match="a function"):
        check_grads(2.0, (1.0,))  # type: ignore[arg-type]
    with pytest.raises(NotANumberError, match="argument 0: expected floating"):
        check_grads(gw.sin, (True,))
    with pytest.raises(NotANumberError, match="argument 0: expected floating"):
        check_grads(gw.sin, (np.arange(3),))
    with pytest.raises(NotANumberError, match="the result"):
        check_grads(lambda x: x > 1.0, (1.0,))
    with pytest.raises(OptionError, match="a number, an array"):
        check_grads(lambda x: 1.0, ([],))


def test_a_function_that_is_no_function() -> None:
    draws = iter(range(1000))
    with pytest.raises(OptionError, match="the same result"):
        check_grads(lambda x: x * float(next(draws)), (1.0,))
    with pytest.raises(OptionError, match="the same result"):
        check_grads(lambda x: x * float(next(draws)), (X,))


# --- properties -----------------------------------------------------------------------------------

NUMBERS = st.floats(-2.0, 2.0).filter(lambda x: abs(x) > 1e-3)


@examples(30)
@given(x=NUMBERS, y=NUMBERS, error=st.floats(1e-4, 1.0), place=st.integers(0, 1))
def test_any_error_is_found(x: float, y: float, error: float, place: int) -> None:
    factors = [1.0 + error * (i == place) for i in range(2)]
    product = custom_rule(
        lambda a, b: a * b, vjp=lambda t, z, a, b: (t * b * factors[0], t * a * factors[1])
    )
    for mode in ("fwd", "rev"):
        assert failure(product, (x, y), modes=mode).where.endswith(f"argument {place}")
    right = custom_rule(lambda a, b: a * b, vjp=lambda t, z, a, b: (t * b, t * a))
    check_grads(right, (x, y), order=2)
