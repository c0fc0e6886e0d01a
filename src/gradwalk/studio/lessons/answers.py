"""The check of an answer against the engine's, and the feedback."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose

from ...engine.node import ancestors
from ...engine.value import Value
from ...errors import GradwalkError
from ...expression import parse, read_value
from .reading import Choice, Question

__all__ = ["Judgement", "Key", "judge", "key", "solution"]


@dataclass(frozen=True)
class Judgement:
    """The result of a check: whether the answer is correct, the engine's number, and feedback.

    ``hint``  feedback to show first, if the answer is not a known mistake
    """

    right: bool
    expected: float
    words: str
    hint: str = ""


@dataclass(frozen=True)
class Key:
    """What an answer is compared with; ``mistakes`` are numbers with feedback on each."""

    expected: float
    tolerance: float
    explain: str
    hint: str
    mistakes: tuple[tuple[float, str], ...]


def key(question: Question | Choice) -> Key:
    """Compute what answers to a question are compared with.

    The answer to a `Choice` is the number of an option, so every wrong option is a known mistake.
    """
    if isinstance(question, Choice):
        words = {float(number): says for number, (_, says) in enumerate(question.options, 1)}
        explain = words.pop(float(question.right))
        return Key(float(question.right), 0.0, explain, "", tuple(words.items()))
    mistakes = tuple((_number(text, question.values), words) for text, words in question.mistakes)
    expected = solution(question)
    return Key(expected, question.tolerance, question.explain, question.hint, mistakes)


def judge(question: Question | Choice, answer: str) -> Judgement:
    """Compare an answer, a number or a formula such as ``2/3``, with what the engine computes.

    An answer is right if it is off by no more than the question's tolerance, relative to the
    engine's number, or absolute if that is 0. A minus may be any that is pasted. What cannot be
    read is an `ExpressionError`.

    >>> from gradwalk.studio.lessons import lessons
    >>> question = lessons()[0].questions["forward"]
    >>> judge(question, "-10").right, judge(question, "-5*2").right, judge(question, "7").right
    (True, True, False)
    """
    given, found = read_value(answer), key(question)
    if _near(given, found.expected, found.tolerance):
        return Judgement(True, found.expected, found.explain)
    for mistake, words in found.mistakes:
        if _near(given, mistake, found.tolerance):
            return Judgement(False, found.expected, words)
    return Judgement(False, found.expected, found.explain, found.hint)


def solution(question: Question) -> float:
    """Compute the answer: a value or gradient in the graph, or a formula of the variables."""
    name, _, what = question.answer.partition(".")
    if what not in ("grad", "data"):
        return _number(question.answer, question.values)
    result = parse(question.formula).evaluate(question.values)
    result.backward()
    node = _named(result, name)
    return node.grad if what == "grad" else node.data


def _named(result: Value, name: str) -> Value:
    for node in ancestors(result):
        if node.label == name:
            return node
    raise GradwalkError(
        where="a question", expected="a name of its formula", got=name, fix="Fix the lesson."
    )


def _number(formula: str, values: Mapping[str, float]) -> float:
    read = parse(formula)
    return read.evaluate({name: values[name] for name in read.names}).data


def _near(a: float, b: float, tolerance: float) -> bool:
    return isclose(a, b, rel_tol=tolerance, abs_tol=0.0 if b else tolerance)
