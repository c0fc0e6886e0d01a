"""Each derivative replaced by other formulas: the judge finds the operation and blames no other."""

from __future__ import annotations

import math
import random
import re

import pytest
from tests.workshop.engines import ENGINES

from gradwalk.ops import TABLE
from gradwalk.workshop import Report, check_text
from gradwalk.workshop.graph import local

TAPE = ENGINES["tape"].text
# operation and operand: what stands in the engine, its mutant, and the names of a, b and y there
A, B = "self.data", "other.data"
PLACES = {
    ("add", 0): ("(self, other), (1.0, 1.0)", "(self, other), ({}, 1.0)", A, B, f"({A} + {B})"),
    ("add", 1): ("(self, other), (1.0, 1.0)", "(self, other), (1.0, {})", A, B, f"({A} + {B})"),
    ("sub", 0): ("(1.0, -1.0)", "({}, -1.0)", A, B, f"({A} - {B})"),
    ("sub", 1): ("(1.0, -1.0)", "(1.0, {})", A, B, f"({A} - {B})"),
    ("mul", 0): ("(other.data, self.data)", "({}, self.data)", A, B, f"({A} * {B})"),
    ("mul", 1): ("(other.data, self.data)", "(other.data, {})", A, B, f"({A} * {B})"),
    ("div", 0): ("(1 / b, -a / b ** 2)", "({}, -a / b ** 2)", "a", "b", "(a / b)"),
    ("div", 1): ("(1 / b, -a / b ** 2)", "(1 / b, {})", "a", "b", "(a / b)"),
    ("neg", 0): ("(-1.0,)", "({},)", A, "", f"(-{A})"),
    ("pow", 0): ("(n * self.data ** (n - 1),)", "({},)", A, "n", "(self.data ** n)"),
    ("exp", 0): ("(self,), (e,)", "(self,), ({},)", A, "", "e"),
    ("log", 0): ("(1 / self.data,)", "({},)", A, "", f"math.log({A})"),
    ("tanh", 0): ("(1 - t * t,)", "({},)", A, "", "t"),
    ("sigmoid", 0): ("(s * (1 - s),)", "({},)", "x", "", "s"),
    ("relu", 0): ("(1.0 if x > 0 else 0.0,)", "({},)", "x", "", "max(x, 0.0)"),
}
BELOW = {"{} + {}": 1, "{} - {}": 1, "{} * {}": 2, "{} / {}": 2}
AROUND = ("({}) ** 2", "-({})", "1 - ({})", "1 + ({})", "1 / ({})", "abs({})", "math.tanh({})",
          "math.exp({})", "2 * ({})", "0.5 * ({})", "(({}) > 0)", "max({}, 0.0)")  # fmt: skip
WIDE = {"add", "sub", "mul"}
"""Operations that other formulas use with equal operands or 0, where a mutant must not raise."""
HERE = {"math": math, "abs": abs, "max": max, "float": float}


def formula(chosen: random.Random, names: str) -> str:
    """Return a formula of one to three names or numbers."""
    atoms = [*names, *names, "1", "2", "0.5", "3"]
    text = chosen.choice(atoms)
    for _ in range(chosen.choice((0, 1, 1, 2))):
        pattern = chosen.choice(list(BELOW))
        pair = [f"({text})" if len(text) > 1 else text, chosen.choice(atoms)]
        chosen.shuffle(pair)
        text = pattern.format(*pair)
    return chosen.choice(AROUND).format(text) if chosen.random() < 0.5 else text


def value(text: str, key: tuple[str, int], point: tuple[float, float]) -> tuple[float, float]:
    """Return a formula's number and the right derivative at a point."""
    op, k = key
    args = point[: TABLE[op].arity]
    y = float(TABLE[op](*args))
    names = {"a": point[0], "b": point[1], "n": point[1], "y": y}
    return float(eval(text, HERE, names)), local(op, k, y, args)


def points(op: str) -> list[tuple[float, float]]:
    """Some arguments of an operation at which it is defined."""
    if op == "pow":
        return [(3, 2), (2, 3), (-1.5, 2), (4, -1), (2.25, 0.5), (-0.7, 3), (1.3, 4), (5, 1)]
    low = 0.3 if op == "log" else -2.1
    last = (5 if low > 0 else -1.5, 2)
    rows = [(low, 1.9), (0.4, 3), (1.6, -4), (2, 0.5), (low / 3, -0.7), last]
    more = [(0, 0), (1, 1), (1, -1), (2, 2), (0, 1), (1, 2), (2, 1)]
    return [*rows, *more] if op in WIDE else rows


def mutants(key: tuple[str, int], count: int, seed: int = 0) -> list[tuple[str, bool, str]]:
    """Formulas that are defined wherever the operation is, whether right, with their engines."""
    op, k = key
    old, new, a, b, y = PLACES[key]
    chosen = random.Random(f"{op} {k} {seed}")
    names = "any" if op == "pow" else "aby" if b else "ay"
    rows: dict[str, tuple[str, bool, str]] = {}
    while len(rows) < count:
        text = formula(chosen, names)
        try:
            got = [value(text, key, p) for p in points(op)]
        except (ArithmeticError, ValueError):
            continue
        if any(isinstance(x, complex) or not math.isfinite(x) for x, _ in got):
            continue
        right = all(math.isclose(x, want, abs_tol=1e-12) for x, want in got)
        there = {"a": a, "b": b, "n": b, "y": y}
        rule = re.sub(r"\b[abny]\b", lambda m, there=there: there[m.group()], text)
        assert TAPE.count(old) == 1
        rows[text] = text, right, TAPE.replace(old, new.format(f"float({rule})"))
    return list(rows.values())


def verdict(report: Report, op: str, right: bool) -> str:
    """Return what is not as it must be in the report on a mutant, or nothing."""
    wrong = [m for m in report.mistakes if m.level == "wrong"]
    if right:
        return "a false alarm" if wrong or report.unexplained else ""
    if not wrong:
        return "nothing is named"
    if any(m.op != op for m in wrong):
        return "another operation is blamed"
    located = any(m.certainty == "place" for m in wrong)
    return "unexplained numbers remain" if report.unexplained and not located else ""


@pytest.mark.parametrize("key", PLACES, ids=lambda key: f"{key[0]}-{key[1]}")
def test_a_wrong_derivative_is_found_at_its_operation(key: tuple[str, int]) -> None:
    for text, right, engine in mutants(key, 1, seed=1):
        assert verdict(check_text(engine), key[0], right) == "", text


@pytest.mark.long
@pytest.mark.parametrize("key", PLACES, ids=lambda key: f"{key[0]}-{key[1]}")
def test_each_of_two_hundred_formulas_is_found(key: tuple[str, int]) -> None:
    """A few whose formula is not found may bring a second, wrong name with them."""
    found = [(t, verdict(check_text(e), key[0], right)) for t, right, e in mutants(key, 200)]
    bad = [row for row in found if row[1]]
    assert all(kind == "another operation is blamed" for _, kind in bad)
    assert len(bad) <= 6, bad
