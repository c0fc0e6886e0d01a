"""A number under a transform meets NumPy: what an array without axes gives, or our own error."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import gradwalk
from gradwalk import Tensor, Value, grad, hessian, jvp, taylor, value_and_grad, vmap
from gradwalk.errors import GradwalkError, NotANumberError, SilentDetachError
from gradwalk.levels.level import Tracer
from gradwalk.ops import TABLE
from gradwalk.ops.array.evaluation import UFUNCS as EVALUATED
from gradwalk.tensor.numpy import functions_of_numpy as tables

special = pytest.importorskip("scipy.special")


def a() -> Any:
    """Return an array of its own: a second argument may be what NumPy writes into."""
    return np.array([1.5, 0.25, 2.0])


TEMPLATES: dict[str, Callable[[Callable[..., Any], Any], Any]] = {
    "x": lambda f, x: f(x),
    "x + 2": lambda f, x: f(x + 2.0),
    "x, 2.5": lambda f, x: f(x, 2.5),
    "2.5, x": lambda f, x: f(2.5, x),
    "x, x": lambda f, x: f(x, x),
    "x, int": lambda f, x: f(x, 1),
    "x, array": lambda f, x: f(x, a()),
    "array, x": lambda f, x: f(a(), x),
    "x, number of NumPy": lambda f, x: f(x, np.float64(0.5)),
    "x, array without axes": lambda f, x: f(x, np.array(0.5)),
    "x, list": lambda f, x: f(x, [0.5, 1.5]),
    "three": lambda f, x: f(x, 0.5, 4.0),
    "three, last": lambda f, x: f(0.5, 0.25, x),
    "condition": lambda f, x: f(x > 0.5, x, 2.0),
    "array condition": lambda f, x: f(a() > 1.0, x, a()),
    "choices": lambda f, x: f([x > 0.5], [x], 2.0),
    "points": lambda f, x: f(x, [0.0, 0.5, 2.0], a()),
    "list": lambda f, x: f([x, 0.5]),
    "lists": lambda f, x: f([x, 0.5], [1.0, x]),
    "matrix": lambda f, x: f([[x, 0.5], [0.25, x]]),
    "matrix, vector": lambda f, x: f([[x, 0.5], [0.25, x]], [1.0, 2.0]),
    "subscripts": lambda f, x: f(",i->i", x, a()),
    "shape": lambda f, x: f(x, (2, 2)),
    "axis": lambda f, x: f(x, 0),
    "axes": lambda f, x: f(x, a(), axes=0),
    "matrix, int": lambda f, x: f([[x, 0.5], [0.25, x]], 2),
    "matrix, axes": lambda f, x: f([[x, 0.5], [0.25, x]], 0, 1),
    "vectors": lambda f, x: f([x, 0.5, 1.0], [1.0, x, 0.0]),
    "places": lambda f, x: f([x, 0.5], np.array([1]), 0),
}
"""Ways to call a function with a number; those that NumPy refuses of a float are left out."""

PRIMITIVES = {f.__name__ for name, f in EVALUATED.items() if name in TABLE and hasattr(f, "nin")}
NAMES = sorted({*tables.RENAMED, *tables.COMPOSED, *tables.PLAIN, *tables.UFUNCS} | PRIMITIVES)
NAMES = [
    n
    for n in NAMES
    if n not in ("empty_like", "matvec", "vecmat", "may_share_memory", "shares_memory")
]
METHODS = [f"{ufunc}.{method}" for ufunc, method in tables.REDUCTIONS]
NEVER_OF_NUMBERS = {"astype", "bitwise_and", "bitwise_or", "bitwise_xor", "can_cast", "common_type"}
NEVER_OF_NUMBERS |= {"dsplit", "hsplit", "invert", "left_shift", "right_shift", "take_along_axis"}
NEVER_OF_NUMBERS |= {"apply_along_axis", "unstack", "vsplit"}
DECLARED_TO_HAVE_NONE = {np.nextafter, np.unique, np.unique_all, np.unique_counts}
DECLARED_TO_HAVE_NONE |= {np.unique_inverse, np.unique_values}
X = 0.6875


def function(name: str) -> Callable[..., Any]:
    return operator.attrgetter(name)(np)  # type: ignore[no-any-return]


def leaves(y: Any) -> Iterator[Any]:
    """Yield the arrays and numbers of a result."""
    for part in y if isinstance(y, (tuple, list)) else [y]:
        if part is not y:
            yield from leaves(part)
        else:
            yield part


def split(y: Any) -> tuple[Any, Any]:
    """Return a weighted sum of all floating results, and the others as plain lists."""
    total, facts = 0.0, []
    for weight, leaf in enumerate(leaves(y), start=1):
        number = isinstance(leaf, float | Value | np.ndarray | Tensor | Tracer)
        if number and np.result_type(leaf).kind == "f":
            several = getattr(leaf, "ndim", 0)
            weights = np.cos(np.arange(leaf.size)).reshape(leaf.shape) if several else 1.0
            total = total + weight * ((leaf * weights).sum() if several else leaf)
        else:
            facts.append(np.asarray(leaf).tolist() if number else leaf)
    return total, facts


TRANSFORMS: dict[str, Callable[[Callable[[Any], Any], Any], Any]] = {
    "value_and_grad": lambda g, x: value_and_grad(g)(x),
    "jvp": lambda g, x: jvp(g, (x,), (np.ones_like(x) if isinstance(x, np.ndarray) else 1.0,)),
    "hessian": lambda g, x: hessian(g)(x),
    "taylor": lambda g, x: tuple(taylor(g, x, 2)),
    "vmap": lambda g, x: vmap(g)(np.array([x, x])),
    "grad in vmap": lambda g, x: vmap(grad(g))(np.array([x, x])),
}


def outcome(run: Callable[[], Any]) -> Any:
    """Return what ``run`` returns as one flat array, or the error of gradwalk that it raises."""
    try:
        return np.concatenate([np.ravel(y) for y in leaves(run())] or [np.zeros(0)])
    except GradwalkError as error:
        return error


def expect(f: Callable[..., Any], template: str, transform: str) -> bool:
    """Compare a float with an array without axes under a transform; ``False``: NumPy refuses it."""
    facts: list[Any] = []

    def g(x: Any) -> Any:
        total, others = split(TEMPLATES[template](f, x))
        facts.append(others)
        return total

    try:
        plain = g(X)
        moved = (g(X + 1e-6) - g(X - 1e-6)) / 2e-6
    except Exception:
        return False
    if not np.isfinite([plain, moved]).all():
        return False
    found = outcome(lambda: TRANSFORMS[transform](g, X))
    like = outcome(lambda: TRANSFORMS[transform](g, np.array(X)))
    if isinstance(found, GradwalkError):
        assert isinstance(like, GradwalkError), f"only a float is refused: {found}"
        return True
    assert facts[-1] == facts[0]
    if transform not in ("hessian", "grad in vmap"):
        np.testing.assert_allclose(found[0], plain, rtol=1e-12)
    if transform not in ("hessian", "vmap") and f not in DECLARED_TO_HAVE_NONE:
        np.testing.assert_allclose(
            found[int(transform != "grad in vmap")], moved, rtol=1e-4, atol=1e-6
        )
    if not isinstance(like, GradwalkError):
        np.testing.assert_allclose(found, like, rtol=1e-12, atol=1e-12)
    return True


@pytest.mark.parametrize("name", [*NAMES, *METHODS])
@pytest.mark.filterwarnings("ignore")
def test_a_number_does_what_an_array_without_axes_does(name: str) -> None:
    f, accepted = function(name), 0
    for template in TEMPLATES:
        accepted += sum([expect(f, template, transform) for transform in TRANSFORMS])
    assert bool(accepted) != (name in NEVER_OF_NUMBERS)


# --- lists of numbers -----------------------------------------------------------------------------

LISTS: dict[str, Callable[[Any], Any]] = {
    "array": lambda x: np.array([x, 2.0]).sum(),
    "asarray": lambda x: np.asarray(x),
    "exp of an array": lambda x: np.exp(np.array([x, 2.0])).sum(),
    "exp": lambda x: np.exp([x, 2.0]).sum(),
    "det": lambda x: np.linalg.det([[x, 1.0], [1.0, x]]),
    "sum": lambda x: np.sum([x, 2.0 * x]),
    "max, of which one is NaN": lambda x: np.max([np.nan, x]),
    "dot": lambda x: np.dot([x, 2.0], [1.0, 3.0]),
    "diag": lambda x: np.diag([x, 1.0]).sum(),
    "expit": lambda x: special.expit([x, 1.0]).sum(),
}
INSTEAD: dict[str, Callable[[Any], Any]] = {
    "array": lambda x: gradwalk.stack([x, 2.0]).sum(),
    "asarray": lambda x: gradwalk.asarray(x),
    "exp of an array": lambda x: np.exp(gradwalk.stack([x, 2.0])).sum(),
    "exp": lambda x: np.exp(gradwalk.stack([x, 2.0])).sum(),
    "det": lambda x: np.linalg.det(gradwalk.stack([[x, 1.0], [1.0, x]])),
    "sum": lambda x: np.sum(gradwalk.stack([x, 2.0 * x])),
    "max, of which one is NaN": lambda x: np.max(gradwalk.stack([np.nan, x])),
    "dot": lambda x: np.dot(gradwalk.stack([x, 2.0]), [1.0, 3.0]),
    "diag": lambda x: np.diag(gradwalk.stack([x, 1.0])).sum(),
    "expit": lambda x: special.expit(gradwalk.stack([x, 1.0])).sum(),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("number", [X, np.array(X)], ids=["float", "array"])
def test_lists_name_stack_which_keeps_the_gradient(name: str, transform: str, number: Any) -> None:
    run = TRANSFORMS[transform]
    with pytest.raises(
        (SilentDetachError, NotANumberError), match=r"Write gradwalk\.stack\(\[a, b"
    ):
        run(LISTS[name], number)
    found = outcome(lambda: run(INSTEAD[name], number))
    if transform == "value_and_grad" and "NaN" not in name:
        moved = [LISTS[name](X + h) for h in (1e-6, -1e-6)]
        np.testing.assert_allclose(found[0], LISTS[name](X), rtol=1e-12)
        np.testing.assert_allclose(found[1], (moved[0] - moved[1]) / 2e-6, rtol=1e-6)
    assert not isinstance(found, GradwalkError)


def test_arrays_of_objects_are_for_those_who_ask() -> None:
    """Outside of transforms Values are objects of the user; inside, ``x`` stands for a float."""
    v = Value(2.0)
    assert (np.array([v, v]) * v).sum().data == 8.0
    assert grad(lambda x: np.array([x, x], dtype=object).sum())(2.0) == 2.0
    with pytest.raises(SilentDetachError, match=r"logsumexp of SciPy.*gradwalk\.logsumexp\(x\)"):
        special.logsumexp([v, 1.0])


# --- arrays that are written into -----------------------------------------------------------------


def first(z: Any, x: Any) -> None:
    z[0] = x[0]


def add_to_first(z: Any, x: Any) -> None:
    z[0] += x[0]


def first_two(z: Any, x: Any) -> None:
    z[0:2] = [x[0], x[1]]


def masked(z: Any, x: Any) -> None:
    z[np.array([True, False, True])] = x[1]


@pytest.mark.parametrize("write", [first, add_to_first, first_two, masked])
@pytest.mark.parametrize(
    "run",
    [
        lambda g: grad(g)(a()),
        lambda g: grad(g)([1.5, 0.25, 2.0]),
        lambda g: jvp(g, (a(),), (a(),)),
        lambda g: jvp(g, ([1.5, 0.25],), ([1.0, 1.0],)),
        lambda g: vmap(g)(np.ones((2, 3))),
        lambda g: hessian(g)(a()),
        lambda g: taylor(lambda t: g(t * a()), 1.0, 2),
    ],
)
def test_arrays_of_numpy_show_the_helpful_error(write: Any, run: Any) -> None:
    def program(zeros: Callable[[int], Any]) -> Callable[[Any], Any]:
        def f(x: Any) -> Any:
            z = zeros(3)
            write(z, x)
            return z.sum()

        return f

    with pytest.raises(
        SilentDetachError, match=r"^a\[key\] = x: .*gradwalk\.zeros for numpy\.zeros"
    ):
        run(program(np.zeros))
    if write is not first_two:
        run(program(gradwalk.zeros))


def test_errors_of_the_user_keep_their_cause() -> None:
    def f(x: Any) -> Any:
        raise ValueError("mine") from KeyError("why")

    for run in (lambda: grad(f)(1.0), lambda: vmap(f)(a())):
        with pytest.raises(ValueError, match="mine") as caught:
            run()
        assert isinstance(caught.value.__cause__, KeyError)


# --- numbers of NumPy -----------------------------------------------------------------------------

USES: dict[str, Callable[[Any], Any]] = {
    "dtype": lambda x: x * (x.dtype == np.float64),
    "shape": lambda x: x * (1.0 if x.shape == () else 2.0),
    "ndim, size": lambda x: x * (x.ndim + x.size),
    "sum": lambda x: x.sum() * x,
    "brackets": lambda x: x[()] * x[...] * x[None].sum(),
    "reshape": lambda x: (x.reshape(1, 1) * x).sum(),
    "astype": lambda x: x.astype(np.float64) ** 2,
    "mean, std": lambda x: x.mean() * x + x.std(),
    "clip": lambda x: x.clip(0.0, 1.0) * x,
    "T, copy": lambda x: x.T * x.copy(),
    "branch": lambda x: x * x if x > 0.5 and not np.isnan(x) else -x,
    "format": lambda x: x * len(f"{x:.3f}"),
    "real": lambda x: x.real * x.conj() + x.imag,
}


KINDS = [(name, np.float64) for name in USES]
KINDS += [(name, np.float32) for name in USES if name != "dtype"]  # which asks for float64


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_numbers_of_numpy_are_arrays_without_axes(name: str, kind: Any) -> None:
    x, f = kind(X), USES[name]
    value, slope = value_and_grad(f)(x)
    assert value == pytest.approx(f(x), rel=1e-6)
    moved = (f(np.float64(X + 1e-6)) - f(np.float64(X - 1e-6))) / 2e-6
    for found in (slope, jvp(f, (x,), (kind(1.0),))[1], grad(lambda p: f(p[0]))([x])[0]):
        assert found == pytest.approx(moved, rel=1e-6)


# --- special functions ----------------------------------------------------------------------------

SPECIAL: dict[str, tuple[tuple[float, ...], ...]] = {
    "erf": ((0.5,), (-2.0,)),
    "erfc": ((0.5,), (6.0,)),
    "gammaln": ((0.5,), (30.0,)),
    "psi": ((0.5,), (30.0,)),
    "expit": ((0.5,), (-40.0,)),
    "log_expit": ((0.5,), (-40.0,)),
    "logit": ((0.5,), (0.5000001,), (1e-12,), (0.9,)),
    "ndtr": ((0.5,), (-20.0,), (9.0,)),
    "xlogy": ((0.5, 2.0), (0.0, 2.0), (2.0, 0.25), (-1.0, 3.0)),
    "xlog1py": ((0.5, 2.0), (0.0, 2.0), (2.0, -0.25)),
    "exp10": ((0.5,), (-2.0,)),
    "exp2": ((0.5,),),
    "expm1": ((1e-9,),),
    "log1p": ((1e-9,),),
    "cbrt": ((0.5,),),
}


def carriers(x: float) -> Iterator[tuple[Any, Callable[[], Any]]]:
    """Yield Values and Tensors of one number, and how their gradients are read."""
    v, t = Value(x), Tensor([x], requires_grad=True)
    yield v, lambda: v.grad
    yield t, lambda: t.grad[0]


@pytest.mark.parametrize(
    ("name", "point", "place"),
    [(n, p, i) for n, points in SPECIAL.items() for p in points for i in range(len(p))],
)
def test_special_functions_of_scipy(name: str, point: tuple[float, ...], place: int) -> None:
    f = getattr(special, name)

    def at(x: Any) -> Any:
        return f(*point[:place], x, *point[place + 1 :])

    x = point[place]
    h = 1e-4 * max(abs(x), 1e-3 if x == 0.0 else abs(x))
    moved = (-at(x + 2 * h) + 8 * at(x + h) - 8 * at(x - h) + at(x - 2 * h)) / (12 * h)
    for carrier, gradient in carriers(x):
        y = at(carrier)
        np.testing.assert_allclose(getattr(y, "_data", None) or y.data, at(x), rtol=2e-13, atol=0)
        y.sum().backward() if isinstance(y, Tensor) else y.backward()
        np.testing.assert_allclose(gradient(), moved, rtol=1e-7, atol=1e-12)
    for transform in TRANSFORMS.values():
        np.testing.assert_allclose(
            outcome(lambda run=transform: run(at, x)),
            outcome(lambda run=transform: run(at, np.array(x))),
            rtol=1e-12,
        )


def test_what_xlogy_has_no_logarithm_for_is_0_without_a_gradient() -> None:
    assert grad(lambda x: special.xlogy(x, x))(0.0) == 0.0
    assert grad(lambda x: special.xlogy(x, x).sum())(np.zeros(2)).tolist() == [0.0, 0.0]
    assert np.isnan(special.xlogy(Value(0.0), Value(np.nan)).data)


@pytest.mark.parametrize("name", ["jv", "gamma", "struve", "kv", "boxcox"])
@pytest.mark.parametrize("x", [Value(2.0), Tensor([2.0], requires_grad=True)], ids=["v", "t"])
def test_special_functions_without_a_rule_name_custom_rule(name: str, x: Any) -> None:
    f = getattr(special, name)
    with pytest.raises(NotANumberError, match=rf"scipy\.special\.{name}: .*gradwalk\.custom_rule"):
        f(*[2.0] * (f.nin - 1), x)


@pytest.mark.parametrize("name", ["logsumexp", "softmax", "log_softmax"])
def test_functions_of_scipy_that_convert_name_those_of_gradwalk(name: str) -> None:
    f = getattr(special, name)
    for g in (lambda x: f(x), lambda x: f([x, 1.0])):
        for transform in TRANSFORMS.values():
            with pytest.raises(
                (SilentDetachError, NotANumberError),
                match=rf"{name} of SciPy.*gradwalk\.{name}\(x\)",
            ):
                transform(g, X)
