"""One table of formulas: on elements every primitive is what it is on arrays, slopes included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from gradwalk import Tensor, Value, gradients
from gradwalk.check.precise import Precise
from gradwalk.errors import OptionError
from gradwalk.ops import TABLE
from gradwalk.ops.array.lowering import CHOICES, FORMULAS, MOVES, holds_places, lowered
from gradwalk.ops.array.multi_output import PART

from ...helpers.array_cases import ARRAYS, CASES, EVERY, REFUSED, SMOOTH, Case, results, weights

WHERE = "f(x)"


def boxed(x: Any, make: Callable[[float], Any]) -> Any:
    y = np.empty(x.shape, object)
    for place, n in np.ndenumerate(x):
        y[place] = make(float(n))
    return y


def elements_of(name: str, case: Case, make: Callable[[float], Any]) -> list[Any]:
    return [a if holds_places(ARRAYS[name], i) else boxed(np.asarray(a), make)
            for i, a in enumerate(case.args)]  # fmt: skip


def number(x: Any) -> float:
    return float(x.x if isinstance(x, Precise) else getattr(x, "data", x))


def numbers(y: Any) -> list[Any]:
    return [np.vectorize(number, otypes=[float])(part) for part in results(y)]


def on_arrays(name: str, case: Case) -> Any:
    with np.errstate(all="ignore"):
        return results(ARRAYS[name].forward(*case.args, **case.options))


def test_every_primitive_has_a_case_or_is_refused() -> None:
    assert {*CASES, *REFUSED, PART.name} == {*ARRAYS}
    assert {*CASES} == {*FORMULAS}
    assert {*MOVES} <= {*CASES}


@pytest.mark.parametrize(("name", "k"), EVERY)
def test_values(name: str, k: int) -> None:
    case = CASES[name][k]
    y = lowered(ARRAYS[name], elements_of(name, case, Value), case.options, where=WHERE)
    for got, expected in zip(numbers(y), on_arrays(name, case), strict=True):
        assert got.shape == np.shape(expected)
        if name in MOVES or name == "update":
            assert got.tobytes() == np.ascontiguousarray(expected).tobytes()
        np.testing.assert_allclose(got, expected, 1e-13, 1e-14 * (1.0 + _largest(expected)))


def _largest(x: Any) -> float:
    sizes = np.abs(np.asarray(x, float))
    return float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))


@pytest.mark.parametrize(("name", "k"), EVERY)
def test_fifty_digits(name: str, k: int) -> None:
    case = CASES[name][k]
    with mp.workdps(50):
        y = lowered(ARRAYS[name], elements_of(name, case, Precise), case.options, where=WHERE)
        found = numbers(y)
    for got, expected in zip(found, on_arrays(name, case), strict=True):
        np.testing.assert_allclose(got, expected, 1e-13, 1e-14 * (1.0 + _largest(expected)))


@pytest.mark.parametrize(("name", "k"), SMOOTH)
def test_gradients(name: str, k: int) -> None:
    """In a direction that tells all elements apart."""
    case, primitive = CASES[name][k], ARRAYS[name]
    elements = elements_of(name, case, Value)
    wanted = [i for i in range(len(case.args)) if not holds_places(primitive, i)]
    leaves = [Tensor(a, requires_grad=True) if i in wanted else a for i, a in enumerate(case.args)]
    with np.errstate(all="ignore"):
        y = results(primitive(*leaves, **case.options))
        loss = _weighed(y[:1] if name == "max_pool" else y)
        expected = gradients(loss, [leaves[i] for i in wanted])
    total = _weighed_elements(results(lowered(primitive, elements, case.options, where=WHERE)))
    flat = [v for i in wanted for v in elements[i].flat]
    found = [*gradients(total, flat)] if isinstance(total, Value) else [0.0] * len(flat)
    for i, slopes in zip(wanted, expected, strict=True):
        got = [found.pop(0) for _ in elements[i].flat]
        np.testing.assert_allclose(got, slopes.reshape(-1), 1e-12, 1e-12 * (1.0 + _largest(slopes)))


def _weighed(parts: list[Any]) -> Any:
    return sum((part * weights(part.shape, k)).sum() for k, part in enumerate(parts))


def _weighed_elements(parts: list[Any]) -> Any:
    total: Any = 0.0
    for k, part in enumerate(parts):
        for n, w in zip(part.flat, weights(part.shape, k).flat, strict=True):
            total = total + n * float(w)
    return total


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_finite_formula_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match=rf"^f\(x\).*single numbers, got {name} \("):
        lowered(ARRAYS[name], [boxed(np.eye(2), Value)], {}, where=WHERE)


def test_pointwise_primitives_are_applied_to_broadcast_elements() -> None:
    x = np.array([[0.1, 0.7], [-2.0, 0.0]])
    y = lowered(TABLE["sub"], [boxed(x, Value), 1.0], {}, where=WHERE)
    assert numbers(y)[0].tolist() == (x - 1.0).tolist()


CHOSEN = [(name, k) for name in (f.__name__[1:] for f in CHOICES)
          for k in range(len(CASES[name]))]  # fmt: skip


@pytest.mark.parametrize(("name", "k"), CHOSEN)
def test_places_may_be_results_themselves(name: str, k: int) -> None:
    case, primitive = CASES[name][k], ARRAYS[name]
    x, places = (boxed(np.asarray(a), Value) for a in case.args)
    leaf = Tensor(case.args[0], requires_grad=True)
    (expected,) = gradients(_weighed([primitive(leaf, case.args[1], **case.options)]), [leaf])
    y = lowered(primitive, [x, places], case.options, where=WHERE)
    np.testing.assert_array_equal(numbers(y), on_arrays(name, case))
    found = gradients(_weighed_elements([y]), [*x.flat])
    np.testing.assert_allclose(found, np.ravel(expected), 1e-15)


def test_places_that_are_results_themselves_are_chosen() -> None:
    x, places = np.array([[3.0, 5.0, 7.0]]), np.array([[2.0, 0.0], [1.0, 1.0]])
    y = lowered(ARRAYS["pick"], [boxed(x, Value), boxed(places, Value)], {}, where=WHERE)
    assert numbers(y)[0].tolist() == [[7.0, 3.0], [5.0, 5.0]]
    args = [boxed(places, Value), boxed(places, Value)]
    y = lowered(ARRAYS["drop"], args, {"size": 3}, where=WHERE)
    assert numbers(y)[0].tolist() == [[0.0, 0.0, 2.0], [0.0, 2.0, 0.0]]
    classes = boxed(np.array([1.0]), Value)
    for name, places, options in (("class_surprise", classes, {"ignore": -9}), ("pick", None, {})):
        with pytest.raises(OptionError, match=f"{name} .*places that are results themselves"):
            lowered(ARRAYS[name], [boxed(x, Value), places], options, where=WHERE)
