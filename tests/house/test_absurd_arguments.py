"""Every public function refuses absurd arguments by errors of gradwalk, none by a raw one.

All public callables are found by introspection. Errors of functions that the user passes are fine.
Wrong calls that are almost right are made by `helpers.wrong_calls`: their answers name the function
and the argument, and say what to write.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import math
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pytest

import gradwalk
from gradwalk.errors import GradwalkError, UsageError

from ..helpers.amount import THOROUGH
from ..helpers.wrong_calls import Right, Wrong, complaint, right_calls, wrong_calls

ROOMS = ("nn", "nn.functional", "nn.init", "optim", "optim.lr_scheduler", "data", "tensor")
ROOMS += ("tensor.functions.linalg", "optimize", "check", "inspect", "training", "expression")

LEFT_OUT = {"show", "serve", "launch", "studio"}  # they open a browser
LEFT_OUT |= {"GradientReport", "Kinks", "Precision"}  # results, which users read and do not make
LEFT_OUT |= {"while_loop"}  # its condition may hold for ever
LEFT_OUT |= {"plot_boundary", "plot_loss"}  # a picture for each call takes half a minute
CALLS_BACK = {
    "initialise_",
    "scan",
    "check_gradients",
    "check_grads",
}  # with arguments of their own


class Nothing:
    def __repr__(self) -> str:
        return "Nothing()"


def _public() -> Iterator[tuple[str, Callable[..., Any]]]:
    seen = set()
    for room in ("", *ROOMS):
        module = importlib.import_module(f"gradwalk.{room}".rstrip("."))
        for name in module.__all__:
            thing = getattr(module, name)
            error = isinstance(thing, type) and issubclass(thing, BaseException)
            if callable(thing) and not error and id(thing) not in seen and name not in LEFT_OUT:
                seen.add(id(thing))
                yield f"{room}.{name}".lstrip("."), thing


PUBLIC = dict(_public())

ABSURD: dict[str, Any] = {
    "3": 3, "-1": -1, "nan": math.nan, "inf": math.inf, "1j": 1j, "True": True, "None": None,
    "text": "abc", "bytes": b"x", "object": Nothing(), "[]": [], "[None]": [None], "{}": {},
    "dict": {"a": "b"}, "set": {1}, "ragged": [[1.0], [1.0, 2.0]], "texts": np.array(["a"]),
}  # fmt: skip

OTHERS: tuple[Any, ...] = (np.ones((2, 2)), 1.0, lambda x: x)
"""What the arguments beside the absurd one are."""


SMALL: dict[str, dict[str, Any]] = {"nn.Transformer": {"d_model": 8, "nhead": 2}}
"""Arguments beside the absurd one where the defaults make a model of 44 million weights: it was
built 90 times, in 88 s of 464."""


def _calls(
    function: Callable[..., Any], absurd: Any, small: dict[str, Any]
) -> Iterator[tuple[Any, ...]]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        parameters = {"x": inspect.Parameter("x", inspect.Parameter.POSITIONAL_ONLY)}.values()
    named = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = sum(p.default is p.empty for p in named)
    yield (absurd,) * max(1, required)
    for other in OTHERS:
        for i in range(max(1, required)):
            yield (*[other] * i, absurd, *[other] * (required - i - 1))
        for i in range(required, len(named)):
            before = [small.get(p.name, p.default) for p in named[required:i]]
            yield (*[other] * required, *before, absurd)


def _is_ours(traceback: TracebackType | None) -> bool:
    """Return whether an error was raised inside of gradwalk, not by what the user passed."""
    last, depth = None, 0
    while traceback is not None:
        last, depth, traceback = traceback.tb_frame, depth + 1, traceback.tb_next
    return depth > 1 and last is not None and last.f_code.co_filename != __file__


@pytest.mark.parametrize("name", PUBLIC)
def test_absurd_arguments_are_refused_by_our_errors(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    raw = []
    for shown, absurd in ABSURD.items():
        for args in _calls(PUBLIC[name], absurd, SMALL.get(name, {})):
            try:
                with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                    warnings.simplefilter("ignore")
                    PUBLIC[name](*args)
            except (GradwalkError, FileNotFoundError):
                continue
            except Exception as error:
                if _is_ours(error.__traceback__) and name.rpartition(".")[2] not in CALLS_BACK:
                    raw.append(f"{shown} in {args!r:.80}: {type(error).__name__}: {error!s:.80}")
    assert not raw, "\n".join(raw)


def test_the_check_notices_a_raw_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(PUBLIC, "raw", json.loads)
    with pytest.raises(AssertionError, match="must be str, bytes or bytearray"):
        test_absurd_arguments_are_refused_by_our_errors("raw", tmp_path, monkeypatch)


# --- calls that are almost right ------------------------------------------------------------------

ANSWERED = 0.95
"""The share of wrong calls with a good answer, for each class of mistakes; it only rises."""

WITHOUT_RIGHT_CALL = 57
"""Public callables of which no right call is known. Most take no arguments, or need JAX."""

SLOW = ("parallel.",)
"""Calls that start workers: a third of the time of all others together."""

MISTAKES = ("dtype", "missing", "misspelt", "other name", "shape", "swapped", "type")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Wrong, str]]]:
    """The answers to wrong calls by the class of the mistake, without calls that succeed."""
    found: dict[str, list[tuple[Wrong, str]]] = {mistake: [] for mistake in MISTAKES}
    with contextlib.chdir(tmp_path_factory.mktemp("calls")):
        calls, missing = right_calls()
        assert len(missing) <= WITHOUT_RIGHT_CALL, missing
        for call in calls:
            if THOROUGH or not call.name.startswith(SLOW):
                for wrong in wrong_calls(call):
                    answer = complaint(wrong)
                    if answer is not None:
                        found[wrong.mistake].append((wrong, answer))
    return found


@pytest.mark.parametrize("mistake", MISTAKES)
def test_answers_name_the_argument_and_a_remedy_that_works(
    mistake: str, answers: dict[str, list[tuple[Wrong, str]]]
) -> None:
    given = answers[mistake]
    bad = [f"{wrong}: {answer}" for wrong, answer in given if answer]
    assert len(given) > 100, "there are that many wrong calls of this class"
    assert 1.0 - len(bad) / len(given) >= ANSWERED, "\n".join(bad)


def _raises(text: str) -> Callable[[float], None]:
    def scale(factor: float) -> None:
        where, expected, fix = text.split("|")
        raise UsageError(where=where, expected=expected, got="a text", fix=fix)

    return scale


@pytest.mark.parametrize(
    ("text", "complaint_about"),
    [
        ("scale(factor)|a number|Pass 2.0.", ""),
        ("other|a number|Pass 2.0.", "function not named"),
        ("scale|a number|Pass 2.0.", "argument not named"),
        ("scale(factor)|a number|The number 2.0.", "no verb"),
    ],
)
def test_the_judge_notices_what_an_answer_lacks(text: str, complaint_about: str) -> None:
    right = Right("scale", _raises(text), {"factor": 2.0})
    answer = complaint(Wrong(right, "type", "factor", ("abc",), {}))
    assert answer is not None
    assert bool(answer) == bool(complaint_about)
    assert complaint_about in answer


@pytest.mark.parametrize(
    ("fix", "works"), [("Write scale(factor).", True), ("Write other(2).", False)]
)
def test_the_judge_tries_the_remedy(fix: str, works: bool) -> None:
    def scale(factor: float) -> None:
        if not isinstance(factor, float):
            raise UsageError(where="scale(factor)", expected="a float", got="none", fix=fix)

    right = Right("scale", scale, {"factor": 2.0})
    answer = complaint(Wrong(right, "missing", "factor", (None,), {}))
    assert answer is not None
    assert ("remedy fails" in answer) != works


def test_the_judge_notices_raw_errors_but_not_those_of_the_users_functions() -> None:
    right = Right("len", len, {"obj": "a"})
    assert "raw TypeError" in (complaint(Wrong(right, "type", "obj", (3,), {})) or "")
    call = eval("lambda f: f(3)")  # an example of a docstring is compiled like this
    assert complaint(Wrong(Right("call", call, {}), "type", "f", (call,), {})) is None


def test_gradwalk_is_what_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    calls, _ = right_calls()
    assert {"exp", "nn.Linear", "nn.Linear()", "Tensor.sum"} <= {call.name for call in calls}
    assert gradwalk.exp in [call.function for call in calls]
