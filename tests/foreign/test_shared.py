"""The pieces that both frameworks share: lines, moves, black boxes, rules and the comparison."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, gradients, log, sqrt, where
from gradwalk.check import kinks, precision
from gradwalk.core.places import located
from gradwalk.errors import OptionError
from gradwalk.foreign.adoption import Adoption
from gradwalk.foreign.agreement import Agreement, gap
from gradwalk.foreign.dialects import densify
from gradwalk.foreign.moves import gathered
from gradwalk.foreign.opaque import opaque
from gradwalk.foreign.places import at
from gradwalk.foreign.twins import twin, twins
from gradwalk.foreign.values import put_numbers
from gradwalk.inspect import why
from gradwalk.ops import TABLE
from gradwalk.ops.array.conventions import CONVENTIONS, dense, original
from gradwalk.ops.array.structural_zero import elements_of


def test_an_operation_has_the_line_it_is_given(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("def f(w):\n    x = 1\n    return w.log()\n", "utf-8")
    w = Tensor([1.0, 0.0], requires_grad=True, label="w")
    for line in (1, 3):  # the first line has no line above it
        with np.errstate(all="ignore"):
            y = at((str(file), line, "f"), log, w)
        assert located(y._node.line) == (str(file), line)
    assert why(y).line == "return w.log()   (train.py, line 3)"
    linecache.clearcache()


def test_without_a_place_the_line_is_that_of_the_caller() -> None:
    w = Tensor([1.0], requires_grad=True)
    y = at(None, sqrt, w)
    assert located(y._node.line)[0] == __file__


@pytest.mark.parametrize(
    ("run", "wanted"),
    [
        (lambda p: p.T[::-1], lambda x: x.T[::-1]),
        (lambda p: np.pad(p, 1, constant_values=-1), lambda x: np.pad(x, 1, constant_values=7.0)),
        (lambda p: p[[0, 0, 1]], lambda x: x[[0, 0, 1]]),
    ],
)
def test_moves_are_run_on_positions(run: Any, wanted: Any) -> None:
    x = Tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    y = gathered(run, [x], 7.0)
    assert np.array_equal(y.numpy(), wanted(x.numpy()))
    (t,) = gradients((y * y).sum(), [x])
    ids = run(np.arange(6).reshape(2, 3))
    counts = np.bincount(ids[ids >= 0], minlength=6).reshape(2, 3)
    assert np.array_equal(t, 2.0 * x.numpy() * counts)


def test_moves_of_several_operands_keep_the_precision_of_the_live_one() -> None:
    x = Tensor(np.ones(2, np.float32), requires_grad=True)
    y = gathered(lambda p, q: np.concatenate([q, p]), [x, np.array([5.0, 6.0])])
    assert y.dtype == np.float32
    assert y.tolist() == [5.0, 6.0, 1.0, 1.0]


def test_an_opaque_operation_has_the_given_rule() -> None:
    a, b = Tensor([2.0, 3.0], requires_grad=True), Tensor([5.0, 7.0], requires_grad=True)
    product, total = opaque(
        "both",
        lambda x, y: (x * y, x + y),
        lambda t, y, x, z: (t[0] * z + t[1], t[0] * x + t[1]),
        [a, b],
    )
    (product + total).sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([6.0, 8.0], [3.0, 4.0])
    (single,) = opaque("half", lambda x: x / 2, lambda t, y, x: [t * 0.5], [a])
    assert single.tolist() == [1.0, 1.5]


@pytest.mark.parametrize("framework", CONVENTIONS)
def test_zeros_are_plain_zeros(framework: str) -> None:
    w = Tensor([1.0, 0.0], requires_grad=True, label="w")
    with np.errstate(all="ignore"):
        y = where(w.numpy() > 0.0, log(w), 0.0).sum()
    assert not why(y)  # a structural zero stays 0
    densify(y._node, framework)
    assert why(y).op == "log"
    y.backward()
    assert np.isnan(w.grad).tolist() == [False, True]


@pytest.mark.parametrize("framework", CONVENTIONS)
def test_rules_at_usual_points_are_those_of_the_table(framework: str) -> None:
    x, z = np.array([1.3, 2.5]), np.array([0.7, 1.9])
    for name in CONVENTIONS[framework]:
        primitive: Any = TABLE[name]
        args = [x, z][: primitive.arity]
        y, own = primitive(*args), dense(primitive, framework)
        for rule, other in zip(primitive.rules, own.rules, strict=True):
            assert np.allclose(
                elements_of(rule(1.0, y, *args)), other(1.0, y, *args), rtol=1e-12
            ), name
        assert original(own) is primitive
        assert dense(own, framework) is own


@pytest.mark.parametrize(("framework", "slope"), [("torch", 0.0), ("jax", 1.0)])
def test_kinks_have_the_convention_of_the_framework(framework: str, slope: float) -> None:
    w = Tensor([0.0], requires_grad=True)
    y = abs(w).sum()
    densify(y._node, framework)
    y.backward()
    assert w.grad.tolist() == [slope]
    assert TABLE["abs"].rules[0](1.0, 0.0, 0.0) is None  # the table is unchanged


def test_the_numbers_of_a_run_are_what_rules_read() -> None:
    w = Tensor([4.0], requires_grad=True)
    y = sqrt(w)
    put_numbers(y, np.array([0.5]))
    y.sum().backward()
    assert w.grad.tolist() == [1.0]  # 1 / (2 y)


# --- agreement ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs", "wanted"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([1.0, 2.2], [1.0, 2.0], 0.1),
        ([np.nan], [np.nan], 0.0),
        ([np.inf], [-np.inf], np.inf),
        ([1.0], [np.nan], np.inf),
        ([1.0], [[1.0]], np.inf),
        ([0.0], [0.0], 0.0),
        ([], [], 0.0),
    ],
)
def test_gaps(ours: Any, theirs: Any, wanted: float) -> None:
    assert gap(ours, theirs) == pytest.approx(wanted)


def test_a_difference_is_told_with_its_place() -> None:
    found = Agreement("PyTorch")
    assert found
    found.value("exp", np.array([1.0]), np.array([1.0 + 1e-15]))
    assert found
    assert "those of PyTorch, up to 1e-15" in found.title
    found.value("log", np.array([1.0]), np.array([1.5]), ("/a/train.py", 7, "f"))
    assert not found
    assert found.differences == ["log (train.py, line 7): its result differs by 0.33"]
    assert str(found).splitlines()[0] == "1 results differ from PyTorch"


# --- adoptions ------------------------------------------------------------------------------------


@pytest.fixture
def adoption(monkeypatch: pytest.MonkeyPatch) -> Adoption:
    """Return an adoption of a framework that need not be installed."""
    monkeypatch.setitem(sys.modules, "jax", object())
    found, w = Adoption("jax"), Tensor([4.0, 0.0], requires_grad=True, label="w")
    found.result = sqrt(w).sum()
    found.leaves["w"] = w
    return found


def test_doors_take_an_adoption_and_what_it_knows(adoption: Adoption) -> None:
    known = np.ones(2)
    adoption.know(known, adoption.leaves["w"])
    assert twin(adoption) is adoption.result
    assert twin(known) is adoption.leaves["w"]
    assert twin({"a": [known]}) == {"a": [adoption.leaves["w"]]}
    assert twins({"a": known}) == [adoption.leaves["w"]]
    for other in (1.0, np.ones(2), [1.0], adoption.result):
        assert twin(other) is other
    assert why(adoption).op == "sqrt"
    assert [k.op for k in kinks(adoption)] == ["sqrt"]


def test_the_last_adoption_knows_a_value_first(adoption: Adoption) -> None:
    known, later = np.ones(2), Adoption("jax")
    adoption.know(known, adoption.leaves["w"])
    later.know(known, adoption.result)
    assert twin(known) is adoption.result


def test_an_adoption_without_a_result_says_so(adoption: Adoption) -> None:
    adoption.result = None
    adoption.tell("nothing was computed")
    adoption.tell("nothing was computed")
    with pytest.raises(OptionError, match="got nothing was computed"):
        why(adoption)


def test_what_is_not_seen_into_is_counted(adoption: Adoption) -> None:
    adoption.opaque.update(["lu", "lu", "fft"])
    assert "3 operations not seen into: lu (2), fft" in repr(adoption)


def test_dense_rules_are_no_obstacle_for_precision() -> None:
    x = Tensor([1e-6], requires_grad=True, label="x")
    y = (1.0 - x.cos()).sum()
    densify(y._node, "jax")
    assert precision(y, x).value.digits < 5.0
