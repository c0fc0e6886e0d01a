"""One test for the whole table: every row, every argument, against 60 digits of mpmath."""

from __future__ import annotations

import math

import mpmath as mp
import pytest

from gradwalk import Value, gradients
from gradwalk.core.primitive import Primitive
from gradwalk.ops import TABLE

from ..helpers.arguments import (
    CANCELS,
    LOOSER,
    Args,
    arguments,
    error,
    exactly,
    moderate,
    mutant,
    partial,
    same,
    slopes,
)
from ..helpers.reference import REFERENCE

COUNT = 500
SMOOTH = [name for name in REFERENCE if TABLE[name].differentiable]


# --- the table itself -----------------------------------------------------------------------


def test_every_row_has_a_reference():
    assert set(REFERENCE) == set(TABLE)
    assert all(len(REFERENCE[name]) == 1 + TABLE[name].arity for name in REFERENCE)
    assert all((name, i) in CANCELS or name in REFERENCE for name, i in LOOSER)


@pytest.mark.parametrize("name", TABLE)
def test_every_row_has_its_facts(name: str):
    primitive = TABLE[name]
    assert primitive.summary
    assert primitive.tex
    assert primitive.points
    assert all(len(point) == primitive.arity for point in primitive.points)
    assert len(primitive.domain) == primitive.arity
    assert all(low < high for low, high in primitive.domain)
    assert len(primitive.rules) == primitive.arity
    no_rule = [rule is None for rule in primitive.rules]
    assert no_rule == [slope is None for slope in REFERENCE[name][1:]]


@pytest.mark.parametrize("name", SMOOTH)
def test_reference_derivatives_are_derivatives(name: str):
    f, *derivatives = REFERENCE[name]
    for args in moderate(name, 4):
        for index, derivative in enumerate(derivatives):
            if derivative is not None:
                expected = exactly(derivative, args)
                got = exactly(lambda *xs, i=index: partial(f, xs, i), args)
                assert abs(got - expected) <= 1e-20 * (1 + abs(expected)), (args, index)


# --- values and first derivatives -----------------------------------------------------------


@pytest.mark.parametrize("name", REFERENCE)
def test_value(name: str):
    for args in arguments(name, COUNT):
        assert error(name, None, float(TABLE[name](*args)), args) <= 1.0, args


def first_order_faults(name: str, primitive: Primitive, count: int) -> list[tuple[Args, int]]:
    """Where a derivative of ``row`` is not that of the row ``name``, within the stated bound."""
    return [
        (args, index)
        for args in arguments(name, count)
        for index, contribution in enumerate(slopes(primitive, args))
        if primitive.rules[index] is not None and error(name, index, contribution, args) > 1.0
    ]


@pytest.mark.parametrize("name", SMOOTH)
def test_derivative(name: str):
    assert first_order_faults(name, TABLE[name], COUNT) == []


@pytest.mark.parametrize("name", TABLE)
def test_the_engine_computes_what_the_row_says(name: str):
    primitive = TABLE[name]
    for args in arguments(name, 20):
        values = [Value(x) for x in args]
        y = primitive(*values)
        assert same(float(getattr(y, "data", y)), float(primitive(*args))), args
        if isinstance(y, Value):
            contributions = slopes(primitive, args)
            for got, contribution in zip(gradients(y, values), contributions, strict=True):
                assert same(got, contribution or 0.0), args


@pytest.mark.parametrize("name", SMOOTH)
def test_rules_are_linear_in_the_seed(name: str):
    primitive = TABLE[name]
    for args in moderate(name, 10):
        one = slopes(primitive, args)
        for t in (-2.0, 0.5, 0.3):
            for contribution, scaled in zip(one, slopes(primitive, args, t), strict=True):
                assert (contribution is None) == (scaled is None)
                if contribution is not None:
                    exact = math.log2(abs(t)).is_integer()
                    assert scaled == pytest.approx(t * contribution, rel=0.0 if exact else 1e-15)


# --- second order ---------------------------------------------------------------------------


def second_order_faults(name: str, primitive: Primitive, count: int) -> list[tuple[Args, int, int]]:
    """Where differentiating a derivative of ``row``, as a graph, is wrong by more than 1e-10."""
    faults = []
    for args in moderate(name, count):
        ruled = [index for index, rule in enumerate(primitive.rules) if rule is not None]
        values = [Value(x) if i in ruled else x for i, x in enumerate(args)]
        wrt = [values[i] for i in ruled]
        first = gradients(primitive(*values), wrt, create_graph=True)
        for i, gradient in zip(ruled, first, strict=True):
            for j, got in zip(ruled, gradients(gradient, wrt), strict=True):
                derivative = REFERENCE[name][1 + i]
                expected = exactly(lambda *xs, f=derivative, j=j: partial(f, xs, j), args)
                tolerance = 1e-10 * abs(expected) + 1e-13 * abs(gradient.data) + 1e-300
                if not abs(mp.mpf(got) - expected) <= tolerance:
                    faults.append((args, i, j))
    return faults


@pytest.mark.parametrize("name", SMOOTH)
def test_second_order(name: str):
    assert second_order_faults(name, TABLE[name], 12) == []


# --- the tests are watched ------------------------------------------------------------------


RULES = [
    (name, index)
    for name, primitive in TABLE.items()
    for index, rule in enumerate(primitive.rules)
    if rule is not None
]
CURVED = [
    (name, index)
    for name, index in RULES
    if any(
        exactly(lambda *xs: partial(REFERENCE[name][1 + index], xs, j), args)  # noqa: B023
        for args in moderate(name, 6)
        for j, rule in enumerate(TABLE[name].rules)
        if rule is not None
    )
]


@pytest.mark.parametrize(("name", "index"), RULES)
def test_a_rule_that_is_wrong_is_noticed(name: str, index: int):
    found = first_order_faults(name, mutant(TABLE[name], index), 30)
    assert {i for _, i in found} == {index}


@pytest.mark.parametrize(("name", "index"), CURVED)
def test_a_rule_that_is_wrong_is_noticed_in_second_order(name: str, index: int):
    found = second_order_faults(name, mutant(TABLE[name], index), 6)
    assert index in {i for _, i, _ in found}


def test_which_rules_have_a_second_derivative():
    assert ("exp", 0) in CURVED
    assert ("add", 0) not in CURVED
    assert len(CURVED) > 45
