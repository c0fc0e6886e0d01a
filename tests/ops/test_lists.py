"""logsumexp, softmax and log_softmax of short, long and extreme lists, against mpmath."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from math import inf, nan
from typing import Any

import mpmath as mp
import pytest

from gradwalk import Value, gradients
from gradwalk.ops.composite import log_softmax, log_softmax_at, logsumexp, softmax

from ..helpers.arguments import DIGITS, exactly, partial, ulps

LISTS: dict[str, Callable[[Any], Any]] = {
    "logsumexp": logsumexp,
    "softmax": lambda xs: softmax(xs)[0],
    "log_softmax": lambda xs: log_softmax(xs)[0],
    "log_softmax_at": lambda xs: log_softmax_at(xs, 0),
}
"""One number each: of a list of results the first, for the order of the others is free."""

# A slope of softmax is -pᵢ pⱼ, computed node by node from two weights and twice their sum, each
# right to about one rounding: 6 ulp in the worst of 3,000 lists (5.7), 4 for up to 3 members.
SLOPE_BOUND = {"softmax": 6.0}


def list_reference(name: str, xs: list[Any]) -> tuple[Any, list[Any], Any]:
    """Value, derivatives, and the larger term where a zero of the value cancels."""
    peak = max(xs)
    weights = [mp.exp(x - peak) for x in xs]
    total = mp.fsum(weights)
    contributions = [w / total for w in weights]
    rest = mp.fsum(contributions[1:])
    if name == "logsumexp":
        return peak + mp.log(total), contributions, peak
    if name == "softmax":
        return (
            contributions[0],
            [contributions[0] * rest, *(-contributions[0] * s for s in contributions[1:])],
            0,
        )
    return -mp.log1p(mp.fsum(weights[1:]) / weights[0]), [rest, *(-s for s in contributions[1:])], 0


def lists(count: int) -> Iterator[list[float]]:
    rng = random.Random("lists")
    yield from ([0.0], [1000.0, 1000.0], [-1000.0, 3.0], [5.0, 5.0, -5.0], [1e308, -1e308, 0.0])
    yield [rng.gauss(0.0, 3.0) for _ in range(1000)]
    for _ in range(count):
        spread = 10.0 ** rng.uniform(-3.0, 2.5)
        yield [rng.gauss(0.0, spread) for _ in range(rng.randint(1, 12))]


@pytest.mark.parametrize("name", LISTS)
def test_lists(name: str):
    for xs in lists(200):
        values = [Value(x) for x in xs]
        with mp.workdps(DIGITS):
            y, derivatives, larger = list_reference(name, [mp.mpf(x) for x in xs])
        got = LISTS[name](values)
        assert LISTS[name](xs) == got.data
        assert ulps(got.data, y, larger) <= 4.0, xs
        for slope, expected in zip(gradients(got, values), derivatives, strict=True):
            bound = SLOPE_BOUND.get(name, 4.0) if len(xs) > 3 else 4.0
            assert ulps(slope, expected) <= bound, (xs, slope)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("xs", [[0.3, -1.2, 0.3], [2.0, 2.0], [-4.0, 3.0, 1.0, 0.5]])
def test_second_order_of_lists(name: str, xs: list[float]):
    values = [Value(x) for x in xs]
    first = gradients(LISTS[name](values), values, create_graph=True)
    for i, gradient in enumerate(first):
        for j, got in enumerate(gradients(gradient, values)):
            expected = exactly(
                lambda *points, i=i, j=j: partial(
                    lambda *at: list_reference(name, list(at))[1][i], points, j
                ),
                tuple(xs),
            )
            assert got == pytest.approx(float(expected), rel=1e-10, abs=1e-15)


@pytest.mark.parametrize("n", range(1, 18))
def test_every_member_is_the_first_of_some_order(n: int):
    xs = [math.sin(3.0 * i) for i in range(n)]
    for i, (contribution, log_share) in enumerate(zip(softmax(xs), log_softmax(xs), strict=True)):
        turned = [xs[i], *xs[:i], *xs[i + 1 :]]
        assert contribution == pytest.approx(softmax(turned)[0], rel=1e-15)
        assert log_share == pytest.approx(log_softmax(turned)[0], rel=1e-15)
        assert log_share == pytest.approx(log_softmax_at(xs, i), rel=1e-15)
    assert sum(softmax(xs)) == pytest.approx(1.0, rel=1e-15)


def test_a_softmax_takes_a_number_of_nodes_in_proportion_to_its_members():
    from gradwalk.engine.node import ancestors

    for n in (10, 100, 1000):
        xs = [Value(float(i)) for i in range(n)]
        assert len(ancestors(sum(softmax(xs)))) < 8 * n


def test_lists_with_infinities_and_nan():
    assert logsumexp([inf, 1.0]) == logsumexp([inf, inf]) == inf
    assert logsumexp([-inf, -inf]) == -inf
    assert logsumexp([-inf, 2.0]) == 2.0
    assert softmax([-inf, 2.0]) == [0.0, 1.0]
    assert log_softmax([-inf, 2.0])[0] == -inf
    assert log_softmax([-800.0, 0.0])[0] == -800.0
    assert all(math.isnan(f([1.0, nan, 2.0])) for f in LISTS.values())
    values = [Value(-inf), Value(2.0)]
    assert gradients(logsumexp(values), values) == (0.0, 1.0)
