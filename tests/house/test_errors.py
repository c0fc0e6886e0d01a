"""Errors: one base, four parts, a manual page each, and every example in them does as it says."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import pytest

import gradwalk
from gradwalk import Value, errors
from gradwalk.errors import GradwalkError, NotANumberError

CLASSES = [getattr(errors, name) for name in errors.__all__]
KINDS = [cls for cls in CLASSES if cls is not GradwalkError]
PARTS = {"where": "f(x)", "expected": "a number", "got": "None", "fix": "Pass 1.0."}


def test_all_lists_every_class() -> None:
    defined = {name for name, thing in vars(errors).items() if isinstance(thing, type)}
    assert set(errors.__all__) == defined - {"Any"}
    assert gradwalk.GradwalkError is GradwalkError


@pytest.mark.parametrize("cls", CLASSES)
def test_a_message_has_four_parts(cls: Any) -> None:
    error = cls(**PARTS)
    assert str(error) == "f(x): expected a number, got None. Pass 1.0."
    assert vars(error) == PARTS
    for left_out in PARTS:
        with pytest.raises(TypeError, match=left_out):
            cls(**{part: text for part, text in PARTS.items() if part != left_out})


BUILTINS = (TypeError, ValueError, KeyError, RuntimeError, ArithmeticError)
BUILTINS += (ImportError, AssertionError, IndexError, OverflowError, OSError, UserWarning)


@pytest.mark.parametrize("cls", KINDS)
def test_each_is_also_the_builtin_that_a_programmer_would_catch(cls: Any) -> None:
    builtin = [b for b in cls.__mro__ if b.__module__ == "builtins" and b is not Exception]
    assert issubclass(cls, GradwalkError)
    assert builtin[0] in BUILTINS
    with pytest.raises(builtin[0]):
        raise cls(**PARTS)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_errors_travel_between_processes(cls: Any, protocol: int) -> None:
    error = cls(**PARTS)
    error.add_note("in part 1")
    for twin in (pickle.loads(pickle.dumps(error, protocol)), copy.deepcopy(error)):
        seen = PARTS | {"__notes__": ["in part 1"]}
        assert (type(twin), str(twin), vars(twin)) == (cls, str(error), seen)


@pytest.mark.parametrize("cls", KINDS)
def test_the_docstring_is_a_manual_page(cls: Any) -> None:
    assert re.fullmatch(r".+\.\n\n.*\bCause: .+\n.*\bRight: .+\n\s*", cls.__doc__, re.DOTALL)


def snippets(cls: Any, heading: str) -> list[str]:
    """The Python code on one line of the manual page of an error."""
    (line,) = re.findall(rf"{heading}: (.+?)(?=\n\s*Right:|\n\s*$)", cls.__doc__, re.DOTALL)
    return [
        code for code in re.findall(r"``(.+?)``", line, re.DOTALL) if "gradwalk show" not in code
    ]


EXECUTABLE = ["NotANumberError", "SilentDetachError", "FreedGraphError", "SizeError", "OptionError"]
EXECUTABLE += ["FloatRangeError", "UsageError"]


@pytest.mark.parametrize("name", EXECUTABLE)
def test_the_code_on_a_manual_page_does_what_the_page_says(name: str) -> None:
    cls = getattr(errors, name)

    def names() -> dict[str, Any]:
        import math

        x = Value(0.5)
        known: dict[str, Any] = {
            "math": math,
            "gradwalk": gradwalk,
            "nn": gradwalk.nn,
            "Value": Value,
        }
        known |= {"v": Value(2.0), "xs": [1.0, 2.0], "y": x * x}
        return known | {name: getattr(gradwalk.nn, name) for name in ("MLP", "Neuron")}

    causes = snippets(cls, "Cause")
    assert causes
    for code in causes:
        with pytest.raises(cls):
            exec(code, names())
    for code in snippets(cls, "Right"):
        exec(code, names())


MESSAGES: list[tuple[Any, str]] = [
    (
        lambda: Value("2"),
        "Value(data): expected a real number (int, float, bool, Fraction or NumPy real scalar), "
        "got str '2'. Pass one number, such as 2.0; for several numbers call it once for each.",
    ),
    (
        lambda: gradwalk.exp([1.0]),
        "exp(x): expected a number, an array, a Value or a Tensor, got list [1.0]. "
        "Write gradwalk.stack(xs) for a list xs of numbers or Values.",
    ),
    (
        lambda: gradwalk.hypot(Value(1.0), None),
        "hypot(b): expected a real number (int, float, bool, Fraction or NumPy real scalar), "
        "got NoneType None. Pass one number, such as 2.0; for several numbers call it once for each.",  # noqa: E501
    ),
    (
        lambda: float(Value(3.0)),
        "float(v), or a function of math on a Value: expected a plain number, "
        "got Value(3.0, grad=0.0), whose gradient would be lost silently. "
        "Write v.data for the number, gradwalk.exp(v) to differentiate.",
    ),
    (
        lambda: round(Value(3.0), 2),
        "round(v, 2): expected a plain number, got Value(3.0, grad=0.0), whose gradient would be "
        "lost silently. Write round(v.data, 2) for the number, v without rounding to "
        "differentiate.",
    ),
    (
        lambda: gradwalk.softmax([]),
        "softmax(xs): expected at least one number, got an empty list. "
        "Skip empty lists: they have no sum of exponentials.",
    ),
    (
        lambda: gradwalk.gelu(1.0, approximate="quick"),
        'gelu(approximate=...): expected "none" or "tanh", got str \'quick\'. '
        'Leave it out for the exact form, or write approximate="tanh".',
    ),
    (
        lambda: gradwalk.gradients(1.0, Value(1.0)),
        "gradients(y=...): expected a Value, got float 1.0. "
        "Wrap the input in Value(...) before the computation starts.",
    ),
    (
        lambda: gradwalk.pointwise("half", lambda t, y, a: t, forward=lambda a, b: a, params="a b"),
        "pointwise('half'): expected one rule for each argument (a b), got 1. "
        "Pass one rule per name in params=, and None for an argument without a derivative.",
    ),
    (
        lambda: gradwalk.pointwise("nameless", lambda t, y, x: t),
        "pointwise('nameless'): expected the operation itself, got no forward, and no C function "
        "called 'nameless'. Pass forward=lambda x: ..., written in functions of gradwalk and "
        "operators.",
    ),
]


@pytest.mark.parametrize(("provoke", "message"), MESSAGES)
def test_messages_word_for_word(provoke: Any, message: str) -> None:
    with pytest.raises(GradwalkError) as caught:
        provoke()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("provoke", "words"),
    [
        (
            lambda: gradwalk.exp(),
            r"exp\(x\): expected these arguments, got none\. Write gradwalk\.exp\(x\)",
        ),
        (lambda: gradwalk.exp(1.0, 2.0), r"exp\(x\).*got 2 by position"),
        (lambda: gradwalk.exp(y=1.0), r"exp\(x\).*got y=\.\.\."),
        (lambda: gradwalk.exp(1.0, x=1.0), r"exp\(x\).*got 1 by position, x=\.\.\."),
        (lambda: gradwalk.clip(min=0.0), r"clip\(x, min=-inf, max=inf\).*got min="),
        (lambda: gradwalk.leaky_relu(Value(1.0), slope=1), r"negative_slope=0\.01\).*slope=\.\.\."),
        (lambda: Value(1.0).clip(lower=0), r"clip\(x, min=-inf, max=inf\).*lower="),
        (lambda: Value(1.0).label.foo, "foo"),
    ],
)
def test_a_wrong_call_names_the_function_and_its_arguments(provoke: Any, words: str) -> None:
    with pytest.raises((NotANumberError, AttributeError), match=words):
        provoke()


def test_long_things_are_cut_in_messages() -> None:
    with pytest.raises(GradwalkError) as caught:
        Value(list(range(1000)))
    assert len(str(caught.value)) < 250
    assert "list [0, 1, 2" in str(caught.value)


def test_a_refused_operand_leaves_the_operators_own_type_error() -> None:
    with pytest.raises(
        TypeError, match=r"unsupported operand type\(s\) for \+: '(gradwalk\.)?Value' and 'str'"
    ):
        Value(1.0) + "a"
