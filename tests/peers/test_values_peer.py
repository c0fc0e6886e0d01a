"""Values beside PyTorch, JAX and micrograd: the same numbers, up to the last few bits."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import gradwalk
from gradwalk import Value, gradients

pytestmark = pytest.mark.peer
CLOSE = {"rel": 1e-12, "abs": 1e-13}
ANY = (-2.3, -0.8, -1e-3, 0.4, 1.7, 3.1)
POSITIVE = (1e-3, 0.4, 1.0, 1.7, 30.0)
UNIT = (-0.9, -0.2, 1e-3, 0.6, 0.95)

# name, where to compare, name in torch (a dot: in torch.nn.functional), name in jax (a dot: jax.nn)
UNARY = [
    ("exp", ANY, "exp", "numpy.exp"),
    ("expm1", ANY, "expm1", "numpy.expm1"),
    ("exp2", ANY, "exp2", "numpy.exp2"),
    ("log", POSITIVE, "log", "numpy.log"),
    ("log1p", POSITIVE, "log1p", "numpy.log1p"),
    ("log2", POSITIVE, "log2", "numpy.log2"),
    ("log10", POSITIVE, "log10", "numpy.log10"),
    ("sqrt", POSITIVE, "sqrt", "numpy.sqrt"),
    ("cbrt", POSITIVE, None, "numpy.cbrt"),
    ("square", ANY, "square", "numpy.square"),
    ("reciprocal", ANY, "reciprocal", "numpy.reciprocal"),
    ("sin", ANY, "sin", "numpy.sin"),
    ("cos", ANY, "cos", "numpy.cos"),
    ("tan", UNIT, "tan", "numpy.tan"),
    ("asin", UNIT, "asin", "numpy.arcsin"),
    ("acos", UNIT, "acos", "numpy.arccos"),
    ("atan", ANY, "atan", "numpy.arctan"),
    ("sinh", ANY, "sinh", "numpy.sinh"),
    ("cosh", ANY, "cosh", "numpy.cosh"),
    ("tanh", ANY, "tanh", "numpy.tanh"),
    ("asinh", ANY, "asinh", "numpy.arcsinh"),
    ("acosh", (1.2, 2.5, 40.0), "acosh", "numpy.arccosh"),
    ("atanh", UNIT, "atanh", "numpy.arctanh"),
    ("sigmoid", ANY, "sigmoid", "nn.sigmoid"),
    ("log_sigmoid", ANY, "nn.functional.logsigmoid", "nn.log_sigmoid"),
    ("softplus", ANY, "nn.functional.softplus", "nn.softplus"),
    ("relu", ANY, "relu", "nn.relu"),
    ("leaky_relu", ANY, "nn.functional.leaky_relu", "nn.leaky_relu"),
    ("elu", ANY, "nn.functional.elu", "nn.elu"),
    ("selu", ANY, "nn.functional.selu", "nn.selu"),
    ("silu", ANY, "nn.functional.silu", "nn.silu"),
    ("gelu", ANY, "nn.functional.gelu", None),
    ("hardtanh", ANY, "nn.functional.hardtanh", "nn.hard_tanh"),
    ("abs", ANY, "abs", "numpy.abs"),
    ("sign", ANY, "sign", "numpy.sign"),
    ("erf", ANY, "erf", "scipy.special.erf"),
    ("erfc", ANY, "erfc", "scipy.special.erfc"),
    ("lgamma", POSITIVE, "lgamma", "scipy.special.gammaln"),
    ("digamma", POSITIVE, "digamma", "scipy.special.digamma"),
    ("sinc", (-2.3, -0.8, 0.4, 1.7), "sinc", "numpy.sinc"),
]
BINARY = [
    ("pow", (1.7, -0.6), "pow", "numpy.power"),
    ("atan2", (-1.2, 0.7), "atan2", "numpy.arctan2"),
    ("hypot", (3.0, -4.5), "hypot", "numpy.hypot"),
    ("maximum", (1.5, 1.5), "maximum", "numpy.maximum"),
    ("minimum", (1.5, -2.0), "minimum", "numpy.minimum"),
    ("logaddexp", (0.3, 2.0), "logaddexp", "numpy.logaddexp"),
]
# At a tie and at a kink the second order is a matter of convention; the rows state ours.
FIRST_ORDER_ONLY = {"maximum", "minimum"}
# PyTorch's trigamma is right to nine digits only (JAX has all of them): leave it out.
COMPARED_WITH_TORCH = {"lgamma": 2, "digamma": 1}


def member(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name)
    return module


@pytest.fixture(scope="session")
def torch() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("torch")


@pytest.fixture(scope="session")
def jax() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("jax")
    module.config.update("jax_enable_x64", True)
    return module


def derivatives(f: Callable[..., Any], *args: float) -> list[float]:
    """Value, gradient, and the gradient of the sum of the gradient."""
    leaves = [Value(a) for a in args]
    y = f(*leaves)
    first = gradients(y, leaves, create_graph=True)
    return [y.data, *(g.data for g in first), *gradients(sum(first), leaves)]


def torch_derivatives(torch: Any, f: Callable[..., Any], *args: float) -> list[float]:
    leaves = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in args]
    y = f(*leaves)
    first = torch.autograd.grad(y, leaves, create_graph=True)
    total = sum(first)
    second: Any = [None] * len(leaves)
    if total.requires_grad:
        second = torch.autograd.grad(total, leaves, allow_unused=True)
    return [y.item(), *(g.item() for g in first), *(0.0 if g is None else g.item() for g in second)]


def jax_derivatives(jax: Any, f: Callable[..., Any], *args: float) -> list[float]:
    every = tuple(range(len(args)))
    gradient = jax.grad(f, every)
    second = jax.grad(lambda *xs: sum(gradient(*xs)), every)
    return [float(f(*args)), *map(float, gradient(*args)), *map(float, second(*args))]


@pytest.mark.parametrize(("name", "points", "path"), [(n, p, t) for n, p, t, _ in UNARY if t])
def test_functions_beside_pytorch(torch: Any, name: str, points: Any, path: str) -> None:
    for x in points:
        end = COMPARED_WITH_TORCH.get(name)
        ours = derivatives(getattr(gradwalk, name), x)[:end]
        theirs = torch_derivatives(torch, member(torch, path), x)[:end]
        assert ours == pytest.approx(theirs, **CLOSE)


@pytest.mark.parametrize(("name", "points", "path"), [(n, p, j) for n, p, _, j in UNARY if j])
def test_functions_beside_jax(jax: Any, name: str, points: Any, path: str) -> None:
    for x in points:
        ours = derivatives(getattr(gradwalk, name), x)
        assert ours == pytest.approx(jax_derivatives(jax, member(jax, path), x), **CLOSE)


@pytest.mark.parametrize(("name", "args", "torch_path", "jax_path"), BINARY)
def test_functions_of_two_numbers_beside_both(
    torch: Any, jax: Any, name: str, args: Any, torch_path: str, jax_path: str
) -> None:
    ours = derivatives(getattr(gradwalk, name), *args)
    for theirs in (
        torch_derivatives(torch, member(torch, torch_path), *args),
        jax_derivatives(jax, member(jax, jax_path), *args),
    ):
        end = 3 if name in FIRST_ORDER_ONLY else None
        assert ours[:end] == pytest.approx(theirs[:end], **CLOSE)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_both_forms_of_gelu_beside_pytorch(torch: Any, approximate: str) -> None:
    for x in ANY:
        theirs = torch_derivatives(
            torch, lambda t: torch.nn.functional.gelu(t, approximate=approximate), x
        )
        ours = derivatives(lambda v: gradwalk.gelu(v, approximate=approximate), x)
        assert ours == pytest.approx(theirs, **CLOSE)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_a_list_beside_pytorch(torch: Any, name: str) -> None:
    numbers, weights = (0.3, -1.2, 2.5, 0.0), (1.0, -2.0, 0.5, 3.0)

    def ours(*xs: Any) -> Any:
        return sum([w * p for w, p in zip(weights, getattr(gradwalk, name)(xs), strict=True)])

    def theirs(*xs: Any) -> Any:
        return (torch.tensor(weights) * getattr(torch, name)(torch.stack(xs), 0)).sum()

    expected = torch_derivatives(torch, theirs, *numbers)
    assert derivatives(ours, *numbers) == pytest.approx(expected, **CLOSE)
    expected = torch_derivatives(torch, lambda *xs: torch.logsumexp(torch.stack(xs), 0), *numbers)
    assert derivatives(lambda *xs: gradwalk.logsumexp(xs), *numbers) == pytest.approx(
        expected, **CLOSE
    )


def random_expression(seed: int, length: int = 25) -> Callable[..., Any]:
    """A program in the operators that all four libraries share."""

    def program(*inputs: Any) -> Any:
        rng, known = random.Random(seed), list(inputs)
        for _ in range(length):
            a, b = rng.choice(known), rng.choice(known)
            c = rng.uniform(-1.0, 1.0)
            known.append(rng.choice([a + b, a * b, a - c * b, c * a, -b, 0.5 * a**2, a / 3.0 + b]))
        return sum(known[-5:], 0.0) * inputs[0] + inputs[1]

    return program


def moderate(seed: int) -> bool:
    return abs(random_expression(seed)(0.7, -0.4)) < 1e3


SEEDS = [seed for seed in range(60) if moderate(seed)]


def test_random_expressions_beside_pytorch_and_jax(torch: Any, jax: Any) -> None:
    assert len(SEEDS) > 30
    for seed in SEEDS:
        f = random_expression(seed)
        ours = derivatives(f, 0.7, -0.4)
        close = {"rel": 1e-11, "abs": 1e-11}
        assert ours == pytest.approx(torch_derivatives(torch, f, 0.7, -0.4), **close)
        if seed < 6:  # JAX compiles each operation anew
            assert ours == pytest.approx(jax_derivatives(jax, f, 0.7, -0.4), **close)


def test_random_expressions_beside_micrograd() -> None:
    micrograd = pytest.importorskip("micrograd.engine")
    for seed in SEEDS:
        ours, theirs = [Value(0.7), Value(-0.4)], [micrograd.Value(0.7), micrograd.Value(-0.4)]
        f = random_expression(seed)
        y, reference = f(*ours), f(*theirs)
        y.backward()
        reference.backward()
        assert y.data == pytest.approx(reference.data, rel=1e-13)
        assert [v.grad for v in ours] == pytest.approx([v.grad for v in theirs], rel=1e-11)


def test_a_program_for_micrograd_runs_unchanged() -> None:
    """The example of micrograd's README, on both."""
    micrograd = pytest.importorskip("micrograd.engine")
    results = []
    for cls in (Value, micrograd.Value):
        a, b = cls(-4.0), cls(2.0)
        c = a + b
        d = a * b + b**3
        c += c + 1
        c += 1 + c + (-a)
        d += d * 2 + (b + a).relu()
        d += 3 * d + (b - a).relu()
        e = c - d
        f = e**2
        g = f / 2.0
        g += 10.0 / f
        g.backward()
        assert {type(child) for child in g._prev} == {cls}
        results.append((g.data, a.grad, b.grad))
    assert results[0] == pytest.approx(results[1], rel=1e-14)
    assert f"{results[0][0]:.4f} {results[0][1]:.4f} {results[0][2]:.4f}" == (
        "24.7041 138.8338 645.5773"
    )
