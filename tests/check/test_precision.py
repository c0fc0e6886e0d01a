"""`precision` counts the correct digits, against closed forms in 50 digits."""

from __future__ import annotations

import sys

import mpmath as mp
import pytest

import gradwalk as gw
from gradwalk import Value
from gradwalk.check import precision
from gradwalk.check.precise import Precise
from gradwalk.errors import MissingExtraError, NotANumberError
from gradwalk.ops import TABLE

from ..helpers.reference import REFERENCE

ONE = [n for n, p in TABLE.items() if p.arity == 1 and n in REFERENCE]


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("x", [0.3, 0.83])
def test_operations_and_rules_have_more_digits_than_a_double(name, x):
    x = x + 1.0 if name == "acosh" else x
    f, slope = REFERENCE[name]
    with mp.workdps(50):
        y = TABLE[name](Precise(x))
        assert mp.almosteq(y.x, f(mp.mpf(x)), 6e-17)
        if slope is not None:
            (c,) = TABLE[name].contributions(Precise(1.0), y, [Precise(x)])
            got = mp.mpf(0) if c is None else Precise(c).x
            assert mp.almosteq(got, slope(mp.mpf(x)), 3e-16)


def test_cancellation_is_named():
    x = Value(1e-6)
    found = precision(1.0 - gw.cos(x), x)
    assert found.value.digits == pytest.approx(4.05, abs=0.1)
    assert found.value.lost_by.startswith("sub: 1 - 1")
    assert found.gradients[0].digits > 15.0
    assert found.gradients[0].lost_by == ""


def test_the_mended_formula_keeps_its_digits():
    x = Value(1e-6)
    found = precision(2.0 * gw.sin(x * 0.5) ** 2, x)
    assert found.digits > 15.0
    assert not found.value.lost_by


def test_the_root_of_a_quadratic():
    a, b, c = Value(1.0), Value(1e8), Value(1.0)
    found = precision((-b + (b * b - 4.0 * a * c) ** 0.5) / (2.0 * a), [a, b, c])
    assert found.value.digits < 1.0
    assert [g.name for g in found.gradients] == ["∂/∂a", "∂/∂b", "∂/∂c"]
    assert "add" in found.value.lost_by
    assert found.digits == min(g.digits for g in found.gradients)


def test_nothing_changes():
    x = Value(2.0)
    y = x * x
    y.backward()
    precision(y, x)
    assert (x.grad, y.data) == (4.0, 4.0)


def test_what_is_passed_is_checked(monkeypatch):
    with pytest.raises(NotANumberError, match="expected Values"):
        precision(gw.Tensor([1.0], requires_grad=True), Value(1.0))
    monkeypatch.setitem(sys.modules, "mpmath", None)
    with pytest.raises(MissingExtraError, match="pip install mpmath"):
        precision(Value(1.0), Value(1.0))


def test_a_table_and_a_picture():
    x = Value(1e-6)
    found = precision(1.0 - gw.cos(x), x)
    assert "lost by" in str(found)
    assert "<td" in found._repr_html_()
    assert found.draw().svg.startswith("<svg")
