"""Programs of numbers that are written for files: what is known is not written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value
from gradwalk.ops import TABLE
from gradwalk.ops.masks import MASKS, OR_ZERO, PLUS
from gradwalk.program.program import GUARD
from gradwalk.program.source.elements import record
from gradwalk.program.source.writer import Element, Writer

T: dict[str, Any] = {
    **TABLE,
    "pass_if": MASKS[0],
    "mask_if": MASKS[1],
    "plus": PLUS,
    "or_zero": OR_ZERO,
}
INF, NAN = float("inf"), float("nan")

SIMPLE: list[tuple[str, tuple[Any, ...], Any]] = [
    ("add", (2.0, 3.0), 5.0),
    ("div", (1.0, 0.0), INF),
    ("less", (1.0, 2.0), 1.0),
    ("mul", ("x", 1.0), "x"),
    ("mul", (1.0, "x"), "x"),
    ("div", ("x", 1.0), "x"),
    ("sub", ("x", 0.0), "x"),
    ("pow", ("x", 1.0), "x"),
    ("where", (1.0, "x", "y"), "x"),
    ("where", (0.0, "x", 3.0), 3.0),
    ("where", (NAN, "x", "y"), "x"),
    ("logical_or", ("x", 2.0), 1.0),
    ("logical_and", (0.0, "x"), 0.0),
    ("pass_if", (1.0, "x"), "x"),
    ("mask_if", (0.0, "x"), "x"),
    ("or_zero", ("x",), "x"),
    # these are written: another zero, a term that may be NaN, a condition that is known to block
    ("sub", ("x", -0.0), None),
    ("add", ("x", 0.0), None),
    ("mul", ("x", 0.0), None),
    ("sub", (0.0, "x"), None),
    ("logical_or", ("x", 0.0), None),
    ("where", ("x", 1.0, 1.0), None),
    ("pass_if", (0.0, "x"), None),
    ("plus", ("x", "y"), None),
]


@pytest.mark.parametrize(("name", "args", "result"), SIMPLE, ids=str)
def test_what_is_known_is_not_written(name: str, args: tuple[Any, ...], result: Any) -> None:
    writer = Writer()
    atoms = {"x": writer.input(), "y": writer.input()}
    operands = [atoms[a] if isinstance(a, str) else writer.constant(a) for a in args]
    found = writer.apply(T[name], tuple(operands))
    if isinstance(result, str):
        assert found == atoms[result]
    elif result is None:
        assert found == 2
    else:
        assert found < 0
        assert writer.consts[~found] == result
    assert len(writer) == (result is None)
    assert writer.apply(T[name], tuple(operands)) == found  # once, however often it comes


ABSENT: list[tuple[str, tuple[str, ...], bool]] = [
    ("mul", ("m", "x"), True),
    ("mul", ("y", "x"), False),
    ("plus", ("m", "x"), False),
    ("plus", ("m", "m"), True),
    ("pass_if", ("x", "y"), True),
    ("or_zero", ("m",), False),
]


@pytest.mark.parametrize(("name", "args", "masked"), ABSENT, ids=str)
def test_contributions_that_a_mask_may_hold_back(
    name: str, args: tuple[str, ...], masked: bool
) -> None:
    writer = Writer()
    atoms = {"x": writer.input(), "y": writer.input()}
    atoms["m"] = writer.apply(MASKS[0], (atoms["x"], atoms["y"]))
    found = writer.apply(T[name], tuple([atoms[a] for a in args]))
    program = writer.program([found], range(2)).check()
    assert bool(program.absent and program.absent[program.outputs[0]]) is masked


def test_what_no_result_needs_goes_and_questions_stay() -> None:
    writer = Writer()
    x = Element(writer, writer.input())
    unused: Any = x * 2.0
    asked: Any = TABLE["less"](x, 5.0)
    writer.guard(asked.atom, True, "line 1")
    writer.guard(writer.constant(1.0), True, "line 2")
    y: Any = x * x + 1.0
    assert unused.atom == 1
    program = writer.program([y.atom], range(1)).check()
    assert [e.primitive.name for e in program] == ["less", "guard", "mul", "add"]
    assert program.guards() == [{"answer": True, "line": "line 1"}]


def of_tensor(x: Any) -> Any:
    return [(x @ Tensor([[1.0, 2.0], [3.0, 4.0]])).sum() * Value(2.0), gw.sin(x)]


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "numbers": (lambda x: [gw.sin(x) * x], 0.5),
    "what is outside": (lambda x: [x * Value(3.0) * Value(2.0)], 0.5),
    "arrays": (of_tensor, np.array([0.5, -1.0])),
    "a slope": (lambda x: [gw.grad(lambda y: gw.relu(y).sum())(x)], np.array([0.5, -1.0])),
    "a constant": (lambda x: [np.array([1.0, 2.0]), 3.0, x], 0.5),
    "nothing": (lambda x: [x[:0], x], np.array([0.5])),
    "a question": (lambda x: [x * 2.0 if (x > 0.0).all() else x], np.array([0.5, 1.0])),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_programs_are_whole_and_compute_what_the_function_does(name: str) -> None:
    f, x = FUNCTIONS[name]
    program, shapes = record(lambda xs: f(xs[0]), [x], "export")
    program.check()
    assert program.avals is None
    assert not program.sources
    assert {type(c) for c in program.consts} <= {float}
    assert all(p.kind == "pointwise" or p is GUARD for p in program.table)
    expected = [getattr(y, "data", y) for y in f(x)]
    assert shapes == [np.shape(y) for y in expected]
    numbers = program(*np.ravel(x).tolist())
    assert np.ravel(numbers) == pytest.approx(np.concatenate([*map(np.ravel, expected)]), rel=1e-15)
