"""`paths`: contributions add up to the gradient, for random graphs and for folded ones."""

from __future__ import annotations

import operator
from math import fsum
from random import Random

import numpy as np
import pytest

from gradwalk import Tensor, Value, gradients, nn
from gradwalk.errors import NotANumberError, OptionError
from gradwalk.inspect import paths


def drawn(seed):
    random = Random(seed)
    operations = (operator.mul, operator.add, lambda a, _: a.sin(), lambda _, b: -b)
    leaves = [Value(random.uniform(0.5, 1.5)) for _ in range(2)]
    nodes = list(leaves)
    for _ in range(random.randint(3, 9)):
        a, b = random.choice(nodes), random.choice(nodes)
        nodes.append(random.choice(operations)(a, b))
    return nodes[-1] * nodes[-2] + nodes[-1], leaves[0]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("top", [1, 3, 10_000])
def test_the_rows_add_up_to_the_gradient(seed, top):
    loss, leaf = drawn(seed)
    found = paths(loss, leaf, top=top)
    assert found.gradient == gradients(loss, leaf)
    total = fsum(p.contribution for p in found.shown) + found.remainder
    assert total == pytest.approx(found.gradient, rel=1e-9, abs=1e-12)
    if top == 10_000:
        assert found.remainder == 0.0


def test_the_largest_come_first_and_the_rest_is_said():
    a = Value(2.0)
    b = Value(3.0)
    h = a
    for _ in range(30):
        h = h * b + h
    found = paths(h, a, top=2)
    sizes = [abs(p.contribution) for p in found.shown]
    assert sizes == sorted(sizes, reverse=True)
    assert f"remainder: {2**30 - sum(p.times for p in found.shown):,} more paths" in str(found)


def test_names_and_slopes():
    a = Value(3.0)
    t1, t3 = a * 7.0, a * 5.0
    loss = t1 * 3.0 + t3 * 2.0
    first, second = paths(loss, a).shown
    assert (first.contribution, first.names, first.slopes) == (
        21.0, ("a", "t1", "mul", "loss"), (7.0, 3.0, 1.0),
    )  # fmt: skip
    assert second.contribution == 10.0


def test_alike_paths_of_a_network_share_a_row():
    model = nn.MLP(2, [8, 8, 1], seed=0)
    x = Value(0.5)
    y = model([x, 1.0])
    found = paths(y, x, top=5)
    total = fsum(p.contribution for p in found.shown) + found.remainder
    assert total == pytest.approx(found.gradient, rel=1e-9)
    assert max(p.times for p in found.shown) > 1


def test_no_path_at_all():
    a, b = Value(1.0), Value(2.0)
    found = paths(b * 2.0, a)
    assert (len(found), found.gradient) == (0, 0.0)


def test_tensors():
    w = Tensor(np.ones((3, 2)), requires_grad=True)
    y = Tensor([1.0, 2.0, 3.0]) @ w
    loss = (y * y).sum() + y.sum() + (w**2).sum()
    found = paths(loss, w)
    assert np.allclose(sum(p.contribution for p in found.shown), found.gradient)
    assert not found.remainder.any()
    assert [p.names[0] for p in found.shown] == ["w"] * 4
    small = paths(loss, w, top=1)
    rest = small.gradient - small.shown[0].contribution
    assert np.allclose(small.remainder, rest)
    assert "remainder" in str(small)
    assert "<td" in small._repr_html_()


def test_what_is_passed_is_checked():
    with pytest.raises(OptionError, match="top=10"):
        paths(Value(1.0), Value(1.0), top=0)
    with pytest.raises(NotANumberError, match="two Values or two Tensors"):
        paths(Value(1.0), 1.0)
    with pytest.raises(OptionError, match="takes part in gradients"):
        paths(Tensor([1.0]), Tensor([1.0]))
