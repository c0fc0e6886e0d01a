"""Copies and comparisons: a traced number is the number, and a copy of it is that number.

Programs of both kinds give under every transform what they give on plain numbers. A program is a
list of steps, ``x = x * factor(x)`` with a power of two, or ``x = copied(x)``, so that its
derivative is the product of the factors, exactly.
"""

from __future__ import annotations

import copy
import math
import operator
import pickle
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, astuple, dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import GradwalkError, Tensor, Value, nn
from gradwalk.core.carrier import Carrier
from gradwalk.errors import LeakedTraceError, OptionError

from ..helpers.amount import examples

Program = Callable[[Any], Any]

# --- what is copied -------------------------------------------------------------------------------


@dataclass
class Point:
    x: Any
    y: Any = 1.0


@dataclass(slots=True, frozen=True)
class Frozen:
    x: Any


class Pair(NamedTuple):
    x: Any
    y: Any = 1.0


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x: Any) -> None:
        self.x = x


def with_method(x: Any) -> Any:
    held = Slotted(x)
    held.x = [held, x]  # a cycle
    return copy.deepcopy(held).x[1]


def in_a_thread(x: Any) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(copy.deepcopy, x).result()


def without_recording(x: Any) -> Any:
    with gw.no_grad():
        return copy.copy(x)


def in_objects(x: Any) -> Any:
    box = np.empty(1, object)
    box[0] = x
    return copy.deepcopy(box)[0]


COPIES: dict[str, Program] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "twice": lambda x: copy.copy(copy.deepcopy(x)),
    "list": lambda x: copy.deepcopy([x])[0],
    "shallow list": lambda x: copy.copy([x])[0],
    "nested": lambda x: copy.deepcopy({"a": (x, [x])})["a"][1][0],
    "key": lambda x: next(iter(copy.deepcopy({x: 1}))),
    "set": lambda x: next(iter(copy.deepcopy({x}))),
    "deque": lambda x: copy.deepcopy(deque([x]))[0],
    "asdict": lambda x: asdict(Point(x))["x"],
    "astuple": lambda x: astuple(Point([x]))[0][0],
    "replace": lambda x: replace(Point(1.0, x), x=2.0).y,
    "dataclass": lambda x: copy.deepcopy(Point(1.0, x)).y,
    "frozen": lambda x: copy.copy(Frozen(x)).x,
    "named tuple": lambda x: copy.deepcopy(Pair(x))._replace(y=2.0).x,
    "namespace": lambda x: copy.deepcopy(SimpleNamespace(x=x)).x,
    "cycle": with_method,
    "partial": lambda x: copy.deepcopy(partial(abs, x)).args[0],
    "objects": in_objects,
    "thread": in_a_thread,
    "no_grad": without_recording,
}
if hasattr(copy, "replace"):  # from Python 3.13 on
    COPIES["copy.replace"] = lambda x: copy.replace(Point(1.0, x), x=2.0).y

# --- how is compared ------------------------------------------------------------------------------


def found(x: Any, c: Any) -> bool:
    try:
        return [5.5, c].index(x) == 1
    except ValueError:
        return False


def removed(x: Any, c: Any) -> bool:
    left = [c, "kept"]
    try:
        left.remove(x)
    except ValueError:
        return False
    return left == ["kept"]


def matched(x: Any, c: Any) -> bool:
    match x:
        case 3.0:
            return True
        case 0:
            return False
    return bool(c == x)


def looped(x: Any, c: Any) -> bool:
    steps = 0
    while x != c and steps < 3:
        x, steps = x - 1.0, steps + 1
    return steps % 2 == 1


def visited(x: Any, c: Any) -> bool:
    seen: set[Any] = set()
    numbers = {x: "x"}
    for each in (x, x, x):
        seen.add(each)
    return len(seen) == 1 and numbers[x] == "x" and x in seen and "nothing" not in numbers


QUESTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda x, c: x == c,
    "!=": lambda x, c: x != c,
    "reflected ==": lambda x, c: c == x,
    "reflected !=": lambda x, c: c != x,
    "in list": lambda x, c: x in [c, 5.5],
    "in tuple": lambda x, c: c in (5.5, x),
    "not in": lambda x, c: x not in [5.5, c],
    "index": found,
    "remove": removed,
    "count": lambda x, c: [c, 5.5, c].count(x) == 2,
    "tuples": lambda x, c: (x, 1.0) == (c, 1.0),
    "lists": lambda x, c: [1.0, x] != [1.0, c],
    "dicts": lambda x, c: {"k": x} == {"k": c},
    "named tuples": lambda x, c: Pair(x) == Pair(c),
    "dataclasses": lambda x, c: Point(x) == Point(c),
    "match": matched,
    "while": looped,
    "any": lambda x, c: any(x == k for k in (1, c)),
    "itself": lambda x, c: x == x * 1.0,  # not for NaN
    "computed": lambda x, c: x - 3.0 == x * 0.0,
    "sets": visited,
}
OTHERS: list[Callable[[float], Any]] = [
    *(float, int, bool, Fraction, Decimal, complex, np.float64, np.float32, np.int8, np.bool_),
    *(Value, str, lambda c: None, lambda c: 10**400, lambda c: Fraction(1, 3), lambda c: "a"),
    *(lambda c: [c], lambda c: -math.inf, lambda c: np.float64(math.nan), lambda c: object()),
]
FACTORS = (2.0, 0.5, -1.0, 4.0)


class Factor(NamedTuple):
    """A step: multiply by one power of two or another, as the answer to a question tells."""

    question: str
    other: Any
    yes: float
    no: float

    def __call__(self, x: Any) -> Any:
        return x * (self.yes if QUESTIONS[self.question](x, self.other) else self.no)


class Copy(NamedTuple):
    """A step: copy."""

    how: str

    def __call__(self, x: Any) -> Any:
        return COPIES[self.how](x)


def program(steps: list[Any]) -> Program:
    return lambda x: reduce(lambda x, step: step(x), steps, x * 1.0)


def expected(steps: list[Any], x: Any) -> tuple[float, float]:
    """Return the result on plain numbers, and its derivative: the product of the factors."""
    slope = 1.0
    for step in steps:
        if isinstance(step, Factor):
            slope *= step(1.0 * x) / x if x and math.isfinite(x) else _factor(step, x)
        x = step(x)
    return float(x), slope


def _factor(step: Factor, x: Any) -> float:
    return step.yes if QUESTIONS[step.question](x, step.other) else step.no


# --- every transform ------------------------------------------------------------------------------


def with_taylor(f: Program, x: Any) -> Any:
    y = gw.taylor(f, x, 2)
    return y[0], y[1]


RUNS: dict[str, Callable[[Program, Any], Any]] = {
    "grad": lambda f, x: gw.value_and_grad(f)(x),
    "vjp": lambda f, x: (gw.vjp(f, x)[0], gw.vjp(f, x)[1](np.ones_like(x)[()])[0]),
    "jvp": lambda f, x: gw.jvp(f, (x,), (np.ones_like(x)[()],)),
    "linearize": lambda f, x: (gw.linearize(f, x)[0], gw.linearize(f, x)[1](1.0)),
    "jacobian": lambda f, x: (f(x), gw.jacobian(f)(x)),
    "checkpoint": lambda f, x: gw.value_and_grad(gw.checkpoint(f))(x),
    "taylor": with_taylor,
    "inner": lambda f, x: (f(x), gw.grad(lambda a: gw.grad(lambda b: f(b) * a)(x))(1.0)),
    "outer": lambda f, x: (f(x), gw.grad(lambda a: gw.grad(lambda b: b * f(a))(1.0))(x)),
    "jvp of grad": lambda f, x: (
        f(x),
        gw.jvp(lambda a: gw.grad(lambda b: b * f(a))(1.0), (x,), (np.ones_like(x)[()],))[1],
    ),
    "hessian": lambda f, x: (f(x), gw.hessian(lambda a: f(a) * a)(x) / 2.0),
}
SCALAR = [name for name in RUNS if name != "linearize"]
STARTS = [3.0, 0.0, -0.0, 1.0, -2.0, 0.5, 2.0]


def same(a: Any, b: float) -> bool:
    a = a.item() if isinstance(a, Tensor) else float(a)  # a Tensor if it depends on a Value outside
    return a == b or (math.isnan(a) and math.isnan(b))


@pytest.mark.parametrize("run", SCALAR)
@pytest.mark.parametrize("how", COPIES)
def test_a_copy_of_a_traced_number_is_that_number(how: str, run: str) -> None:
    f = program([Copy(how)])
    y, slope = RUNS[run](lambda x: f(x) * x + COPIES[how](x), 3.0)
    assert (y, slope) == ((12.0, 7.0) if run != "hessian" else (12.0, 10.0))


SHALLOW = {"shallow list", "frozen", "replace", "copy.replace"}
"""Copies of what holds x, and not of x."""

X, U = np.array([3.0, -0.5]), np.array([2.0, 0.25])
ARRAYS: dict[str, Callable[[Program], Any]] = {
    "grad": lambda f: gw.value_and_grad(lambda x: (f(x) * U).sum())(X),
    "vjp": lambda f: (gw.vjp(f, X)[0], *gw.vjp(f, X)[1](U)),
    "jvp": lambda f: gw.jvp(f, (X,), (U,)),
    "linearize": lambda f: (gw.linearize(f, X)[0], gw.linearize(f, X)[1](U)),
    "jacobian": lambda f: gw.jacobian(f)(X),
    "forward": lambda f: gw.jacobian(f, mode="forward")(X),
    "hessian": lambda f: gw.hessian(lambda x: (f(x) * U).sum())(X),
    "taylor": lambda f: [*gw.taylor(lambda h: (f(X + h * U) * U).sum(), 0.0, 2)],
    "vmap": lambda f: gw.vmap(f)(np.stack([X, U])),
    "vmap of grad": lambda f: gw.vmap(gw.grad(lambda x: (f(x) * U).sum()))(np.stack([X, U])),
    "jvp of vmap": lambda f: gw.jvp(gw.vmap(f), (np.stack([X, U]),), (np.stack([U, X]),)),
    "grad of jvp": lambda f: gw.grad(lambda x: (gw.jvp(f, (x,), (U,))[1] * U).sum())(X),
    "checkpoint": lambda f: gw.value_and_grad(lambda x: (gw.checkpoint(f)(x) * U).sum())(X),
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("run", ARRAYS)
def test_a_copy_of_a_traced_array_has_its_derivative_and_memory_of_its_own(
    how: str, run: str
) -> None:
    def copied(x: Any) -> Any:
        twin = COPIES[how](x)
        twin[0] = 5.0 * x[1]
        return twin * x

    def written(x: Any) -> Any:
        twin = gw.stack([5.0 * x[1], x[1]])
        return twin * (twin if how in SHALLOW else x)

    for got, wanted in zip(ARRAYS[run](copied), ARRAYS[run](written), strict=True):
        assert np.array_equal(got, wanted)


@pytest.mark.parametrize("run", SCALAR)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_has_the_answer_of_plain_numbers(question: str, run: str) -> None:
    for x, other in product((3.0, -0.0, 1.0), (3, 0.0, 1.0, None, "3.0")):
        steps = [Factor(question, other, 2.0, 0.5)]
        y, slope = RUNS[run](program(steps), x)
        value, factor = expected(steps, x)
        assert same(y, value), (x, other)
        assert same(slope, factor), (x, other)


def steps_of(length: int) -> Any:
    other = st.builds(
        lambda make, c: make(c), st.sampled_from(OTHERS), st.sampled_from([3.0, 0.0, 1.0, -2.0])
    )
    factor = st.builds(
        Factor,
        st.sampled_from(sorted(QUESTIONS)),
        other,
        st.sampled_from(FACTORS),
        st.sampled_from(FACTORS),
    )
    step = st.one_of(factor, st.builds(Copy, st.sampled_from(sorted(set(COPIES) - {"thread"}))))
    return st.lists(step, min_size=1, max_size=length)


@given(steps_of(8), st.sampled_from([*STARTS, math.nan, math.inf]))
@examples(500)
def test_any_program_of_copies_and_questions_agrees_with_plain_numbers(
    steps: list[Any], x: float
) -> None:
    value, slope = expected(steps, x)
    for name in SCALAR:
        if name == "hessian" and not math.isfinite(x):
            continue  # x f'(x) + f(x) is not the derivative that is compared
        y, found = RUNS[name](program(steps), x)
        assert same(y, value), name
        assert same(found, slope), name


@given(steps_of(5), st.sampled_from(STARTS))
@examples(200)
def test_arrays_without_axes_agree_or_say_why_not(steps: list[Any], x: float) -> None:
    value, slope = expected(steps, x)
    for name in ("grad", "vjp", "jvp", "taylor", "checkpoint"):  # no plain call in these
        try:
            y, found = RUNS[name](program(steps), np.array(x))
        except GradwalkError:
            continue
        assert same(y, value), name
        assert same(found, slope), name


# --- comparisons in a table -----------------------------------------------------------------------

NUMBERS: list[Any] = [
    *(3.0, 2, True, 10**400, -(10**400), math.nan, math.inf, -0.0, 2**53 + 1),
    *(np.float64(3.0), np.float32(0.1), np.int64(3), np.bool_(True), np.float64(math.nan)),
    *(Fraction(3), Fraction(1, 3), Decimal("3"), Decimal("0.1")),
]
COMPARE = [getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")]


def tracers(check: Callable[[Any], Any], x: float) -> None:
    """Call ``check`` with every carrier of the number x."""
    check(Value(x))

    def f(t: Any) -> Any:
        if isinstance(t, Carrier):  # some runs call it with plain numbers, too
            check(t)
        return t * 1.0

    for run in ("grad", "vjp", "jvp", "taylor", "checkpoint", "outer"):
        RUNS[run](f, x)
    pytest.importorskip("scipy")
    gw.sparse_jacobian(lambda ts: [f(t) for t in ts], [x, x])


@pytest.mark.parametrize("compare", COMPARE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [3.0, 0.1, 2.0**53, math.nan])
def test_a_comparison_is_that_of_floats_and_a_plain_bool(compare: Any, x: float) -> None:
    def check(t: Any) -> None:
        for other in NUMBERS:
            if x != x and isinstance(other, Decimal):
                continue  # an error of Python, as with floats
            assert compare(t, other) is bool(compare(x, other)), other
            assert compare(other, t) is bool(compare(other, x)), other
            if type(other) is float:
                assert compare(t, Value(other)) is compare(x, other)
                assert compare(Value(other), t) is compare(other, x)

    tracers(check, x)


def test_what_is_no_number_is_not_equal_to_one() -> None:
    for thing in ("a", "3.0", b"3", None, (), [3.0], {3.0}, {}, object(), int, ..., math):
        tracers(partial(_expect_unequal, thing), 3.0)


def _expect_unequal(thing: Any, t: Any) -> None:
    if isinstance(t, Tensor) and isinstance(thing, (list, tuple)):
        return  # Tensors compare elements with those of a list, as arrays do
    assert (t == thing, thing == t, t != thing, thing != t) == (False, False, True, True)
    assert t not in [thing]


class Answers:
    """A class that knows how to compare itself with anything."""

    def __eq__(self, other: object) -> Any:
        return f"{type(other).__name__} asked"

    __hash__ = None  # type: ignore[assignment]


def test_other_classes_may_answer() -> None:
    assert (Value(1.0) == Answers()) == "Value asked"


def test_the_hash_is_that_of_the_object() -> None:
    seen = []

    def check(t: Any) -> None:
        twin = t + 0.0
        assert len({t, twin, t}) == 2
        assert {t: 1, twin: 2} == {twin: 2, t: 1}
        assert hash(t) == object.__hash__(t)
        seen.append(type(t).__name__)

    tracers(check, 3.0)
    assert {"Value", "ScalarTracer"} <= set(seen)


# --- pickles, leaks, and what no transform traces -------------------------------------------------


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("x", [3.0, np.array(3.0)], ids=["number", "array"])
def test_a_live_tracer_cannot_be_pickled(run: str, x: Any) -> None:
    def f(t: Any) -> Any:
        for thing in (t, [t * 2.0], Point(t)) if isinstance(t, Carrier) else ():
            with pytest.raises(OptionError, match=r"pickling: .* x\.detach\(\)"):
                pickle.dumps(thing)
        return t * 2.0

    RUNS[run](f, x)


@pytest.mark.parametrize("x", [3.0, np.array(3.0)], ids=["number", "array"])
def test_a_copy_that_leaks_is_an_error(x: Any) -> None:
    for run in ("grad", "vjp", "jvp", "taylor"):
        kept: list[Any] = []
        RUNS[run](lambda t, kept=kept: kept.append(copy.deepcopy(t)) or t * 2.0, x)
        for use in (lambda t: t == 3.0, lambda t: t != 3.0, copy.copy, copy.deepcopy):
            with pytest.raises(LeakedTraceError):
                use(kept[0])


def test_what_the_transform_does_not_trace_is_copied_as_outside() -> None:
    w, t = Value(2.0, label="w"), Tensor([2.0], requires_grad=True)
    outside = w * 3.0
    kept = []

    def f(x: Any) -> Any:
        kept.extend(copy.deepcopy([w, t, outside, Value(4.0)]))
        kept.append(copy.copy(w))
        return x * x

    assert gw.grad(f)(3.0) == 6.0
    twin, tensor, product, four, leaf = kept
    assert (twin is not w, twin == w, twin.label, leaf is not w) == (True, True, "w", True)
    assert (tensor is not t, tensor.requires_grad, tensor.tolist()) == (True, True, [2.0])
    assert (product is not outside, product.op, product.operands[0] is twin) == (True, "mul", True)
    assert (four.data, pickle.loads(pickle.dumps(w)).data) == (4.0, 2.0)
    twin.data = 5.0
    assert w.data == 2.0


def test_a_graph_of_the_user_that_a_transform_goes_on_with() -> None:
    w = Value(2.0)
    slope = gw.grad(lambda x: copy.deepcopy(x * w) * x)(3.0)
    slope.backward()
    assert (slope.data, w.grad) == (12.0, 6.0)


def test_models_are_copied_with_their_traced_parameters() -> None:
    for model, x in ((nn.MLP(2, [3, 1]), [0.5, -1.0]), (nn.Linear(2, 1), np.array([[0.5, -1.0]]))):

        def loss(model: Any, how: Any, x: Any = x) -> Any:
            y = how(model)(x)
            return y.sum() if hasattr(y, "sum") else y * y

        plain = gw.grad(lambda m: loss(m, lambda m: m))(model)
        copied = gw.grad(lambda m: loss(m, copy.deepcopy))(model)
        pairs = zip(plain.parameters(), copied.parameters(), strict=True)
        assert all(np.all(np.asarray(_plain(a)) == np.asarray(_plain(b))) for a, b in pairs)
        assert any(np.any(np.asarray(_plain(a)) != 0.0) for a in copied.parameters())


def _plain(x: Any) -> Any:
    return x.data if isinstance(x, (Value, Tensor)) else x


def test_mixed_graphs_of_values_and_tensors_are_traced() -> None:
    def f(x: Any) -> Any:
        return (copy.deepcopy(gw.stack([x, x * 2.0])) ** 2).sum()

    assert gw.grad(f)(3.0) == 30.0


def test_check_gradients_and_sparse_jacobians_trace_copies() -> None:
    def f(x: Any, y: Any) -> Any:
        return copy.deepcopy(x * y) * copy.copy(x)

    assert gw.check.check_gradients(f, [0.5, -2.0])
    pytest.importorskip("scipy")
    found = gw.sparse_jacobian(lambda xs: [copy.copy(x) ** 2 for x in xs], [1.0, 2.0, 3.0])
    assert found.toarray().tolist() == [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]


def test_a_thousand_copies_along_a_chain() -> None:
    def f(x: Any) -> Any:
        y = x
        for _ in range(1000):
            y = copy.copy(y) + copy.deepcopy(x)
        return y

    assert gw.grad(f)(1.0) == 1001.0
    assert gw.jvp(f, (1.0,), (1.0,)) == (1001.0, 1001.0)


# --- equality is not identity, within gradwalk ----------------------------------------------------


def test_an_option_that_is_traced_keeps_its_derivative_where_it_has_its_usual_number() -> None:
    x = np.array([0.3, -0.7])

    def difference(f: Any, at: float, h: float = 1e-6) -> float:
        return float((f(at + h) - f(at - h)) / (2.0 * h))

    for f in (
        lambda b: nn.functional.softplus(x, beta=b).sum(),
        lambda b: (gw.pow(np.abs(x), b)).sum(),
    ):
        for at in (1.0, 2.0, 3.0):
            slope = gw.grad(f)(np.array(at))
            assert slope == pytest.approx(difference(f, at), rel=1e-5)
    refused: list[Any] = [
        lambda b: nn.functional.smooth_l1_loss(Tensor(x), Tensor(x * 2.0), beta=b - 1.0),
        lambda b: gw.tensor.pad(Tensor(x), 1, value=b - 1.0).sum(),
        lambda b: gw.linalg.matrix_norm(x[None] * x[:, None], ord=b),
        lambda b: gw.linalg.matrix_norm(x[None] * x[:, None], ord=b * 2.0),
    ]
    for f in refused:
        for at in (1.0, np.array(1.0)):
            with pytest.raises((GradwalkError, TypeError)):
                gw.grad(f)(at)


def test_a_constant_that_looks_like_a_node_is_a_constant() -> None:
    x = Value(0.0)
    number = float(hash(x))
    x.data = number  # equal to the constant below, with its hash
    assert hash(number) == hash(x)
    y = x * number + number
    y.backward()
    assert x.grad == number
    assert gw.gradients(y, x) == number
    assert gw.gradients(y, x, create_graph=True).data == number
