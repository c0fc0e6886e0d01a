"""The rows over a list: logsumexp, softmax and log_softmax, of short, long and extreme lists."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from math import inf, nan
from typing import Any

import mpmath as mp
import pytest

from gradwalk import Value, gradients
from gradwalk.ops import TABLE
from gradwalk.primitive import Primitive

from .rows_arguments import DIGITS, exactly, mutant, partial, slopes, ulps

LISTS = ("logsumexp", "softmax", "log_softmax")


def list_reference(name: str, xs: list[Any]) -> tuple[Any, list[Any], Any]:
    """Value, derivatives, and the larger term where a zero of the value cancels."""
    peak = max(xs)
    weights = [mp.exp(x - peak) for x in xs]
    total = mp.fsum(weights)
    shares = [w / total for w in weights]
    rest = mp.fsum(shares[1:])
    if name == "logsumexp":
        return peak + mp.log(total), shares, peak
    if name == "softmax":
        return shares[0], [shares[0] * rest, *(-shares[0] * s for s in shares[1:])], 0
    return -mp.log1p(mp.fsum(weights[1:]) / weights[0]), [rest, *(-s for s in shares[1:])], 0


def lists(count: int) -> Iterator[list[float]]:
    rng = random.Random("lists")
    yield from ([0.0], [1000.0, 1000.0], [-1000.0, 3.0], [5.0, 5.0, -5.0], [1e308, -1e308, 0.0])
    yield [rng.gauss(0.0, 3.0) for _ in range(1000)]
    for _ in range(count):
        spread = 10.0 ** rng.uniform(-3.0, 2.5)
        yield [rng.gauss(0.0, spread) for _ in range(rng.randint(1, 12))]


@pytest.mark.parametrize("name", LISTS)
def test_lists(name: str):
    assert list(list_faults(name, TABLE[name], 60)) == []
    assert list(list_faults(name, mutant(TABLE[name], 0), 5)) != []


def list_faults(name: str, row: Primitive, count: int) -> Iterator[Any]:
    for xs in lists(count):
        with mp.workdps(DIGITS):
            y, derivatives, larger = list_reference(name, [mp.mpf(x) for x in xs])
        if ulps(row(*xs), y, larger) > 4.0:
            yield xs
        for got, expected in zip(slopes(row, tuple(xs)), derivatives, strict=True):
            if ulps(got, expected) > 4.0:
                yield xs, got


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("xs", [[0.3, -1.2, 0.3], [2.0, 2.0], [-4.0, 3.0, 1.0, 0.5]])
def test_second_order_of_lists(name: str, xs: list[float]):
    values = [Value(x) for x in xs]
    first = gradients(TABLE[name](*values), values, create_graph=True)
    for i, gradient in enumerate(first):
        for j, got in enumerate(gradients(gradient, values)):
            expected = exactly(
                lambda *points, i=i, j=j: partial(
                    lambda *at: list_reference(name, list(at))[1][i], points, j
                ),
                tuple(xs),
            )
            assert got == pytest.approx(float(expected), rel=1e-10, abs=1e-15)


def test_lists_with_infinities_and_nan():
    logsumexp, softmax, log_softmax = (TABLE[name] for name in LISTS)
    assert logsumexp(inf, 1.0) == logsumexp(inf, inf) == inf
    assert logsumexp(-inf, -inf) == -inf
    assert logsumexp(-inf, 2.0) == 2.0
    assert softmax(-inf, 2.0) == 0.0
    assert softmax(2.0, -inf) == 1.0
    assert log_softmax(-inf, 2.0) == -inf
    assert log_softmax(-800.0, 0.0) == -800.0
    assert all(math.isnan(TABLE[name](1.0, nan, 2.0)) for name in LISTS)
    assert slopes(logsumexp, (-inf, 2.0)) == [0.0, 1.0]
