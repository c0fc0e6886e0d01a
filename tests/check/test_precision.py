"""`precision` counts the correct digits, against closed forms in 50 digits."""

from __future__ import annotations

import math
import sys

import mpmath as mp
import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, special
from gradwalk.check import precision
from gradwalk.check.precise import Precise
from gradwalk.errors import MissingExtraError, NotANumberError
from gradwalk.ops import TABLE
from gradwalk.ops.array.lowering import holds_places

from ..helpers.array_cases import ARRAYS, CASES, REFUSED, SMOOTH, results, weights
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


# --- operations with several results, and families of functions -----------------------------------

WHOLE = {
    "layer_norm": lambda x: gw.layer_norm(x, (4,)),
    "rms_norm": lambda x: gw.rms_norm(x, (4,)),
    "batch_norm": lambda x: gw.batch_norm(x, None, None, training=True),
    "unstack": lambda x: gw.unstack(x)[1] * x,
    "topk": lambda x: gw.topk(x, 4)[0],
    "betainc": lambda x: special.betainc(2.0, 3.0, x),
}


@pytest.mark.parametrize("name", WHOLE)
def test_operations_with_several_results(name):
    x = Tensor(np.linspace(0.1, 0.9, 12).reshape(3, 4) ** 2.0, requires_grad=True)
    found = precision((WHOLE[name](x) * (x + 0.5)).sum(), x)
    assert found.digits > 12.0


def weighed(name, leaves, options):
    y = results(ARRAYS[name](*leaves, **options))
    parts = y[:1] if name == "max_pool" else y
    return sum((part * weights(part.shape, k)).sum() for k, part in enumerate(parts))


# LAPACK rounds slopes that are 0, and a number added to all scores changes nothing
SINGULAR = {("det", 4), ("cofactor", 2), ("attention", 0), ("attention", 1), ("attention_back", 0)}


@pytest.mark.parametrize(("name", "k"), [row for row in SMOOTH if row not in SINGULAR])
def test_every_operation_on_arrays(name, k):
    case = CASES[name][k]
    wanted = [i for i in range(len(case.args)) if not holds_places(ARRAYS[name], i)]
    args = [Tensor(a, requires_grad=True) if i in wanted else a for i, a in enumerate(case.args)]
    with np.errstate(all="ignore"):
        loss = weighed(name, args, case.options)
    found = precision(loss, [args[i] for i in wanted])
    assert found.digits > 11.0


@pytest.mark.parametrize("name", [n for n in REFUSED if any(ARRAYS[n].rules)])
def test_an_operation_without_a_finite_formula_is_listed(name):
    x = Tensor(np.array([[2.0, 0.5], [0.5, 1.0]]), requires_grad=True)
    options = {"rtol": 1e-15} if name == "pinv" else {}
    loss = weighed(name, [x], options)
    found = precision(loss, x)
    assert [row for row in found.rows if row[0] == "not seen into" and row[1].startswith(name)]
    (gradient,) = found.gradients
    assert np.isnan(gradient.digits)
    assert gradient.lost_by == f"unknown: it is behind {name}"
    assert "not seen into" in found.title


def test_a_gradient_beside_an_operation_that_is_listed_has_its_digits():
    x = Tensor([[2.0, 0.5], [0.5, 1.0]], requires_grad=True)
    w = Tensor(3.0, requires_grad=True)
    found = precision(gw.linalg.svd(x)[1].sum() * w * w, [x, w])
    assert np.isnan(found.gradients[0].digits)
    assert found.gradients[1].digits > 12.0
    assert found.digits > 12.0


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_narrow_numbers_are_those_of_the_run(dtype):
    large = {"float32": 1e6, "float16": 1e3}[dtype]
    a = Tensor(np.array([0.3], dtype), requires_grad=True)
    shift, half = np.array([large], dtype), np.array([0.5], dtype)
    found = precision((((a + shift) - shift - half) ** 2).sum(), a)
    assert found.digits < 2.0
    assert found.value.lost_by.startswith("sub: ")
    assert f" - {large:.6g} " in found.value.lost_by
    b = Tensor(np.linspace(0.1, 0.9, 5).astype(dtype), requires_grad=True)
    healthy = precision((b.sin() * b).sum(), b)
    assert healthy.value.digits > {"float32": 5.0, "float16": 1.9}[dtype]
    assert healthy.value.lost_by == ""


FAMILIES = {
    "beta": (2.5, 0.75),
    "betaln": (2.5, 0.75),
    "betainc": (2.5, 0.75, 0.375),
    "betaincc": (2.5, 0.75, 0.375),
    "betaincinv": (2.5, 0.75, 0.375),
    "gammainc": (2.5, 0.75),
    "gammaincc": (2.5, 0.75),
    "gammaincinv": (2.5, 0.75),
    "i0": (1.5,),
    "i0e": (1.5,),
    "i1": (1.5,),
    "i1e": (-1.5,),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_families_of_functions(name):
    args = [Value(x) for x in FAMILIES[name]]
    found = precision(getattr(special, name)(*args), args)
    assert found.digits > 13.0
    assert len(found.gradients) == len(args)


def test_an_operation_without_a_formula_is_named():
    whole = gw.pointwise("whole", lambda t, y, x: t, forward=lambda x: float(x) * 2.0)
    x = Value(0.5)
    with pytest.raises(NotANumberError, match="whole"):
        precision(whole(x), x)


BLACK_BOXES = {
    "own_exp": gw.custom_rule(math.exp, vjp=lambda t, y, x: t * y, name="own_exp"),
    "own_root": gw.implicit_function(math.sqrt, lambda z, x: z * z - x, name="own_root"),
    "fixed_point": lambda x: gw.fixed_point(lambda z, x: 0.5 * (z + x / z), 1.0, x),
}


@pytest.mark.parametrize("name", BLACK_BOXES)
def test_a_black_box_is_named(name):
    """Its double is no number of 50 digits, also where it takes any number."""
    x = Value(0.5)
    with pytest.raises(NotANumberError, match=f"got {name} .*black box"):
        precision(BLACK_BOXES[name](x), x)
