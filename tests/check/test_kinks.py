"""`kinks` finds every kink, tie and jump of the table, and nothing on smooth ground."""

from __future__ import annotations

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, nn
from gradwalk.check import kinks
from gradwalk.errors import NotANumberError, OptionError
from gradwalk.ops import TABLE

AT = {
    "relu": (lambda x: gw.relu(x), 0.0, "slope 0 at 0", (0.0, 1.0)),
    "abs": (abs, 0.0, "slope 0 at 0", (-1.0, 1.0)),
    "leaky_relu": (lambda x: gw.leaky_relu(x, 0.1), 0.0, "negative slope", (0.1, 1.0)),
    "maximum": (lambda x: gw.maximum(x, 2.0), 2.0, "half to each", (0.0, 1.0)),
    "minimum": (lambda x: gw.minimum(2.0, x), 2.0, "half to each", (1.0, 0.0)),
    "clip": (lambda x: gw.clip(x, -1.0, 1.0), 1.0, "both bounds", (1.0, 0.0)),
    "hardtanh": (lambda x: gw.hardtanh(x), -1.0, "slope 0 on both", (0.0, 1.0)),
    "floor": (gw.floor, 3.0, "no derivative", (0.0, 0.0)),
    "sign": (gw.sign, 0.0, "no derivative", (0.0, 0.0)),
    "mod": (lambda x: x % 2.0, 4.0, "right of a jump", (1.0, 1.0)),
}


@pytest.mark.parametrize("name", AT)
@pytest.mark.parametrize("off", [0.0, 3e-10, -3e-10])
def test_a_kink_is_found_with_its_distance_and_slopes(name, off):
    f, x, convention, slopes = AT[name]
    (kink,) = kinks(lambda t: f(t) * 1.0, x + off)
    assert kink.op == name
    assert kink.distance == pytest.approx(abs(off), abs=1e-14)
    assert convention in kink.convention
    assert (kink.left, kink.right) == pytest.approx(slopes, abs=1e-6)


def facts(found):
    return [(k.op, k.operand, k.distance, k.left, k.right, k.args) for k in found]


@pytest.mark.parametrize("name", AT)
@pytest.mark.parametrize("off", [0.0, 3e-10, 0.3])
def test_a_checkpoint_hides_none_and_adds_none(name, off):
    f, x, *_ = AT[name]
    assert facts(kinks(gw.checkpoint(f), x + off)) == facts(kinks(f, x + off))
    assert facts(kinks(lambda t: gw.checkpoint_chain([f], t), x + off)) == facts(kinks(f, x + off))


@pytest.mark.parametrize("name", AT)
def test_a_transform_hides_none(name):
    f, x, *_ = AT[name]
    for at in (x, np.array([x, x + 0.3])):
        for g in (gw.grad(lambda t: gw.sum(f(t) * t)), lambda t, f=f: gw.jvp(f, (t,), (t,))[1]):
            found = kinks(g, at)
            assert name in [k.op for k in found]
            assert {k.element for k in found} <= {(), (0,)}


@pytest.mark.parametrize("kind", [float, np.float64, np.array, lambda c: np.array([c]), Tensor])
def test_constants_may_be_of_any_kind(kind):
    for x in (2.0, np.array([2.0, 2.3])):
        (kink,) = kinks(lambda t: gw.maximum(t, kind(2.0)), x)
        assert (kink.op, kink.distance) == ("maximum", 0.0)
    (kink,) = kinks(lambda t: t if t > kind(2.0) else 2.0 * t, 2.0)
    assert kink.distance == 0.0


@pytest.mark.parametrize("name", AT)
def test_nothing_is_found_away_from_it(name):
    f, x, *_ = AT[name]
    assert not len(kinks(f, x + 0.3))
    assert len(kinks(f, x + 1e-4, within=1e-3)) == 1


SMOOTH = [n for n, p in TABLE.items() if p.arity == 1 and p.differentiable and hasattr(gw, n)]


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("x", [0.3, 0.7123])
def test_smooth_ground_raises_no_alarm(name, x):
    x = x + 1.0 if name == "acosh" else x
    assert not len(found := kinks(getattr(gw, name), x)), found


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", SMOOTH)
def test_arrays_say_the_same_as_numbers(name):
    f, xs = getattr(gw, name), np.array([0.0, 0.25, 1.0, 1.5])
    alone = [(i, k.op, k.distance) for i, x in enumerate(xs) for k in kinks(f, float(x))]
    assert [(k.element[0], k.op, k.distance) for k in kinks(f, xs)] == alone


def test_a_comparison_that_decides_a_branch_counts():
    def f(x):
        return x * x if x > 1.0 else x

    (kink,) = kinks(f, 1.0)
    assert "branch" in kink.convention
    assert "test_kinks.py" in kink.line
    assert not len(kinks(f, 1.1))


@pytest.mark.parametrize(
    ("f", "op"),
    [
        (lambda x: x.max(), "max"),
        (lambda x: -(-x).min(), "min"),
        (lambda x: gw.norm(x - x), "norm"),
        (lambda x: (x * 0.0).std(), "std"),
    ],
)
def test_ties_of_whole_arrays(f, op):
    assert op in [k.op for k in kinks(f, np.array([1.0, 2.0, 2.0]))]


def test_distinct_numbers_are_no_tie():
    assert not len(kinks(lambda x: x.max() + gw.norm(x) + x.std(), np.array([1.0, 2.0, 3.0])))


def test_a_kink_under_the_optimum_of_a_network():
    model = nn.Sequential(nn.Linear(2, 2, seed=0), nn.ReLU())
    for p in model.parameters():
        p.data = np.zeros(p.shape)
    found = kinks(lambda x: model(x).sum(), np.array([[1.0, 2.0]]))
    assert [k.element for k in found.found] == [(0, 0), (0, 1)]


def test_what_is_passed_is_checked():
    with pytest.raises(OptionError, match="positive number"):
        kinks(gw.relu, 0.0, within=0.0)
    with pytest.raises(NotANumberError, match="lambda"):
        kinks(gw.relu, "0")


def test_a_table_and_a_picture():
    found = kinks(gw.relu, Tensor([0.0, 1.0], requires_grad=True))
    assert "slope 0 at 0" in str(found)
    assert "<td" in found._repr_html_()
    assert found.draw().svg.startswith("<svg")


TIES = {
    "max of a row": (lambda x: x.max(axis=1).sum(), [[1.0, 1.0, 0.0], [2.0, 0.0, -1.0]], "max"),
    "min of a column": (lambda x: x.min(axis=0).sum(), [[1.0, 5.0], [1.0, 2.0], [3.0, 4.0]], "min"),
    "max_pool": (lambda x: gw.max_pool2d(x, 2).sum(), np.ones((1, 1, 4, 4)), "max_pool"),
    "topk": (lambda x: gw.topk(x, 2)[0].sum(), [3.0, 1.0, 1.0, 0.0], "choose"),
    "sort": (lambda x: (gw.sort(x) * np.arange(3.0)).sum(), [1.0, 1.0, 0.0], "choose"),
    "norm of a row": (
        lambda x: gw.norm(x, axis=1).sum(), [[3.0, 4.0], [0.0, 0.0]], "norm"
    ),
    "std of a row": (lambda x: x.std(axis=1).sum(), [[3.0, 4.0], [2.0, 2.0]], "std"),
    "argmax of a row": (lambda x: gw.argmax(x, axis=1).sum(), [[1.0, 1.0], [2.0, 0.0]], "argmax"),
}  # fmt: skip
APART = {
    "max of a row": [[1.0, 2.0, 0.0], [2.0, 0.0, 0.0]],  # a tie of the smaller ones is none
    "min of a column": [[1.0, 2.0], [2.0, 1.0]],  # equal numbers of two columns
    "max_pool": np.arange(16.0).reshape(1, 1, 4, 4),
    "topk": [3.0, 2.0, 1.0, 1.0],
    "sort": [1.0, 2.0, 0.0],
    "norm of a row": [[3.0, 4.0], [0.0, 1.0]],
    "std of a row": [[3.0, 4.0], [2.0, 1.0]],
    "argmax of a row": [[1.0, 2.0], [2.0, 0.0]],
}


@pytest.mark.parametrize("name", TIES)
def test_ties_are_those_of_one_row(name):
    f, x, op = TIES[name]
    assert [k.op for k in kinks(f, np.array(x))] == [op]
    assert not len(found := kinks(f, np.array(APART[name]))), found
