"""What a transform of a small program costs besides the program: calls of functions in Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import gradwalk
from gradwalk import ENGINE, grad, value_and_grad

PACKAGE = str(Path(gradwalk.__file__).parent)

native = pytest.mark.skipif(ENGINE != "native", reason="the Python engine is made of such calls")


def calls_of(function: Callable[..., Any], *args: Any) -> int:
    """The number of calls of functions of gradwalk that one call of ``function`` makes."""
    function(*args)  # so that nothing is imported or cached while we count
    count = 0

    def see(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code.co_filename.startswith(PACKAGE)

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        function(*args)
    finally:
        sys.setprofile(before)
    return count


def test_calls_are_counted() -> None:
    assert calls_of(lambda: None) == 0
    assert calls_of(lambda: gradwalk.core.pytree.flatten(1.0)) == 1


@native
@pytest.mark.parametrize(
    ("function", "argument", "most"),
    [
        pytest.param(grad(grad(lambda x: x * x * x)), 3.0, 120, id="second order"),
        pytest.param(grad(lambda x: x * x * x), 3.0, 24, id="first order"),
        pytest.param(grad(lambda v: v[0] * v[1] + v[0]), [1.0, 2.0], 30, id="a list"),
        pytest.param(value_and_grad(lambda x: x * x), 3.0, 28, id="with the value"),
    ],
)
def test_a_gradient_takes_few_calls(function: Callable[..., Any], argument: Any, most: int) -> None:
    """Second order took 241 and a list 109 when each result was flattened several times."""
    assert calls_of(function, argument) <= most
