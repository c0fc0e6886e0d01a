"""The native levels and those of Python: the same numbers, bit for bit, and the same graphs.

The levels of Python are put in place of the native ones within this process.
"""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import ENGINE, Value, grad, hessian, hvp, jacobian, jvp, linearize, vhp, vjp
from gradwalk.core.pytree import flatten
from gradwalk.engine.node import ancestors
from gradwalk.levels import vjp as reverse
from gradwalk.levels.jvp import JVPLevel
from gradwalk.levels.level import PythonTracer, ScalarTracer, unwrap
from gradwalk.levels.vjp import VJPLevel
from gradwalk.ops import TABLE
from gradwalk.program.printing.kernel_header import kernels

from ..helpers.amount import amount, examples
from ..helpers.ordinary import CONSTANTS, PLAIN, compiled, scalar_program

pytestmark = pytest.mark.skipif(ENGINE != "native", reason="there is no second engine")

Function = Callable[..., Any]


@contextmanager
def levels_of_python() -> Iterator[None]:
    """Let the levels of reverse and forward mode compute in Python."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(reverse, "native", SimpleNamespace(engine=None)))
        rooms = [m for name, m in sys.modules.items() if name.startswith("gradwalk.")]
        for module in [m for m in rooms if "ScalarTracer" in vars(m)]:
            stack.enter_context(patch.object(module, "ScalarTracer", PythonTracer))
        yield


def bits(x: Any) -> Any:
    """The numbers of a result as text that shows every bit."""
    leaves, structure = flatten(x)
    return [float(unwrap(leaf)).hex() for leaf in leaves], str(structure)


def answer(run: Function, *args: Any) -> Any:
    """What a run gives: its numbers, or the error."""
    try:
        return bits(run(*args))
    except Exception as error:
        return type(error).__name__, str(error)


def expect_the_same(run: Function, *args: Any) -> None:
    native = answer(run, *args)
    with levels_of_python():
        python = answer(run, *args)
    assert native == python


def of_all(f: Function, x: list[float]) -> tuple[Function, tuple[float, ...]]:
    """``f`` of all its arguments in one list, and a direction."""
    return (lambda xs: f(*xs)), tuple([0.3 - 0.7 * i for i in range(len(x))])


TRANSFORMS: dict[str, Callable[[Function, list[float], list[float]], Any]] = {
    "jvp": lambda f, x, v: jvp(f, (x,), (v,)),
    "vjp": lambda f, x, v: [pull(1.5) for y, pull in [vjp(f, x)] for _ in range(2)],
    "linearize": lambda f, x, v: [push(v) for y, push in [linearize(f, x)] for _ in range(2)],
    "rows": lambda f, x, v: jacobian(lambda p: [f(p), f(p) * p[0]], mode="reverse")(x),
    "columns": lambda f, x, v: jacobian(lambda p: [f(p), p[-1]], mode="forward")(x),
    "hessian": lambda f, x, v: hessian(f)(x),
    "hvp": lambda f, x, v: hvp(f, x, v),
    "vhp": lambda f, x, v: vhp(f, x, v),
    "forward over forward": lambda f, x, v: jvp(lambda p: jvp(f, (p,), (v,)), (x,), (v,)),
    "reverse over forward": lambda f, x, v: grad(lambda p: jvp(f, (p,), (v,))[1])(x),
    "reverse over reverse": lambda f, x, v: grad(lambda p: grad(f)(p)[0] * 1.5)(x),
    "three of them": lambda f, x, v: hessian(lambda p: jvp(f, (p,), (v,))[1])(x),
    "reverse in forward in reverse": lambda f, x, v: grad(
        lambda p: jvp(lambda q: grad(f)(q)[0], (p,), (v,))[1]
    )(x),
    "pulled twice": lambda f, x, v: grad(lambda p: vjp(f, p)[1](p[0])[0][-1])(x),
    "taylor of a gradient": lambda f, x, v: gw.taylor(
        lambda t: grad(f)([t + p for p in x])[0], 0.25, order=2
    ),
    "gradient of taylor": lambda f, x, v: grad(
        lambda t: gw.taylor(lambda s: f([s * p for p in x]), t, order=2)[1]
    )(1.25),
    "compiled Hessian": lambda f, x, v: gw.compile(hessian(f))(x),
}


# --- every primitive, every rule ------------------------------------------------------------------

EDGES = (0.0, -0.0, 1.0, -2.5, float("inf"), float("nan"), 1e-310)


DEEP = ("jvp", "vjp", "linearize", "hessian", "three of them", "reverse in forward in reverse")
DEEP += ("taylor of a gradient", "gradient of taylor", "compiled Hessian")


@pytest.mark.parametrize("primitive", [p.name for p in kernels()])
def test_primitives(primitive: str) -> None:
    f = TABLE[primitive]
    edges = [tuple([edge] * f.arity) for edge in EDGES]
    for point in [*f.points, *edges, (0.75, -0.5, 1.25)[: f.arity]]:
        whole, v = of_all(f, list(point))
        for name in DEEP:
            expect_the_same(TRANSFORMS[name], whole, list(point), list(v))


# --- drawn programs -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TRANSFORMS)
@examples(300, 12)
@given(st.randoms(use_true_random=False))
def test_programs(name: str, draws: random.Random) -> None:
    program = compiled(scalar_program(draws), PLAIN)
    x = [draws.choice(CONSTANTS), draws.choice(CONSTANTS)]
    whole, v = of_all(program, x)
    expect_the_same(TRANSFORMS[name], whole, x, list(v))


def kinked(p: Any) -> Any:
    """A function that is at a kink, behind a mask, and constant in one argument."""
    y = gw.where(p[0] > 1.0, gw.sqrt(p[1]), gw.maximum(p[0], p[0]))
    return y * gw.relu(p[1] - 2.0) + gw.abs(p[1]) + gw.sqrt(gw.clip(p[1], 0.0, 1.0)) + p[1] ** 2


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("point", [[0.5, 0.0], [1.5, 0.0], [1.5, 3.0], [0.5, -1.0], [0.5, 2.0]])
def test_masks(point: list[float], name: str) -> None:
    expect_the_same(TRANSFORMS[name], kinked, point, [1.0, -0.25])


def test_a_mask_is_no_zero() -> None:
    assert hessian(lambda p: gw.where(p > 0.0, gw.sqrt(p), p * p))(0.0) == 2.0
    assert jvp(lambda p: gw.relu(gw.sqrt(p) - 1.0), (0.0,), (1.0,)) == (0.0, 0.0)


# --- graphs, numbers from outside -----------------------------------------------------------------


def graph(x: Value) -> list[Any]:
    """The operations of a graph in their order, with their operands."""
    nodes = ancestors(x, constants=True)
    place = {id(node): i for i, node in enumerate(nodes)}
    return [(n.op, n.data.hex(), [place[id(i)] for i in n.operands]) for n in nodes]


@pytest.mark.parametrize("name", [name for name in TRANSFORMS if name != "compiled Hessian"])
def test_graphs_of_values_from_outside(name: str) -> None:
    def run() -> Any:
        w = Value(1.5)
        p = [Value(0.75), Value(0.5)]
        found = TRANSFORMS[name](
            lambda q: gw.tanh(q[0] * w) * q[1] ** w + gw.exp(q[1] / q[0]), p, [1.0, -0.25]
        )
        return [graph(leaf) for leaf in flatten(found)[0] if isinstance(leaf, Value)]

    native = run()
    with levels_of_python():
        assert run() == native
    assert native


@pytest.mark.parametrize("constant", [2, True, 10**400, 1.5 + 0j, "2", None, [1.0]])
def test_other_operands(constant: Any) -> None:
    for f in (lambda x: x * constant, lambda x: constant / x, lambda x: gw.maximum(x, constant)):
        expect_the_same(jvp, f, (1.5,), (1.0,))
        expect_the_same(grad(grad(f)), 1.5)


def test_comparisons() -> None:
    def f(x: Any) -> Any:
        many = [x < 2, x <= 1.5, x == 1.5, x != x, x > 10**400, x <= 1.0, x == "x", x < Value(2.0)]
        return sum([k * x for k, truth in enumerate(many) if truth])

    expect_the_same(jvp, f, (1.5,), (1.0,))
    expect_the_same(grad(grad(f)), 1.5)


# --- what only one engine has ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", [JVPLevel, VJPLevel])
def test_no_level_is_left_behind(kind: type[Any]) -> None:
    with kind("ended") as one:
        x = one.leaf(1.0) if kind is VJPLevel else one.box(1.0, 1.0)
        y = x * 2.0
    for use in (lambda: y + 1.0, lambda: 1.0 / y, lambda: gw.sin(y), lambda: -y, lambda: y < 1.0):
        with pytest.raises(gw.errors.LeakedTraceError):
            use()


def test_a_deep_tape_needs_no_stack() -> None:
    length = amount(300_000, 50_000)

    def f(x: Any) -> Any:
        for _ in range(length):
            x = x * 1.0 + 0.0
        return x

    assert jvp(grad(f), (1.5,), (1.0,)) == (1.0, 0.0)
    _, pull = vjp(f, 1.5)
    assert pull(2.0) == (2.0,)
    assert linearize(f, 1.5)[1](2.0) == 2.0


def test_steps_die_with_their_tape() -> None:
    before = sum(type(thing) is ScalarTracer for thing in gc.get_objects())

    def f(x: Any) -> Any:
        def rule(t: Any, y: Any, a: Any) -> Any:
            return t if x is None else 2.0 * t  # a cycle: through its closure

        return gw.pointwise("double", rule, forward=lambda a: 2.0 * a)(x) * x

    for _ in range(20):
        grad(grad(f))(1.5)
        linearize(f, 1.5)[1](1.0)
    gc.collect()
    assert sum(type(thing) is ScalarTracer for thing in gc.get_objects()) <= before


def test_a_pass_in_the_middle_of_another() -> None:
    inner: list[Any] = []

    class Restless:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            inner.append((hessian(lambda p: p**3)(2.0), linearize(gw.sin, 0.0)[1](1.0)))

    def f(p: Any) -> Any:
        for _ in range(50):
            p = gw.sin(p) * p
            Restless()
        return p

    expected = grad(hessian(lambda p: f(p)))(0.9)
    old = gc.get_threshold()
    gc.set_threshold(1)
    try:  # several times: a collection in the middle of a change of the context ended the process
        assert [grad(hessian(f))(0.9) for _ in range(8)] == [expected] * 8
    finally:
        gc.set_threshold(*old)
    assert set(inner) == {(12.0, 1.0)}
