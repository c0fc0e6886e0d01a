"""Tensors beside PyTorch: value, gradient and second order of every function that both have.

Each case is one function, written for a namespace and a library: ``f(g, t)`` is called with
gradwalk and Tensors, and with PyTorch and its tensors, on inputs that are drawn anew for each seed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk
from gradwalk import Tensor
from gradwalk.tensor.graph import backward as sweeps

from ..helpers.pytorch_forms import FORMS

pytestmark = pytest.mark.peer

Shape = tuple[int, ...]
CLOSE = {"rtol": 1e-9, "atol": 1e-10}


@pytest.fixture(scope="session")
def torch() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("torch")
    module.set_num_threads(1)
    return module


# --- three derivatives on both sides ----------------------------------------------------------


def on_gradwalk(f: Callable[..., Any], args: list[Any], wrt: list[int]) -> list[Any]:
    """The value, the gradient of a projection of it, and the gradient of a projection of that."""
    leaves = [Tensor(a, requires_grad=i in wrt) for i, a in enumerate(args)]
    y = f(*leaves)
    wanted = [leaves[i] for i in wrt]
    first = sweeps.gradients(y, wanted, weights(y.shape), create_graph=True)
    total: Any = sum((g * weights(g.shape, 1)).sum() for g in first)
    second = [np.zeros(leaf.shape) for leaf in wanted]
    if total.requires_grad:
        second = sweeps.gradients(total, wanted, None, create_graph=False)
    return [y.data, *(g.data for g in first), *second]


def on_torch(torch: Any, f: Callable[..., Any], args: list[Any], wrt: list[int]) -> list[Any]:
    leaves = [torch.tensor(a, requires_grad=i in wrt) for i, a in enumerate(args)]
    y = f(*leaves)
    wanted = [leaves[i] for i in wrt]
    seed = torch.tensor(weights(tuple(y.shape)))
    first = torch.autograd.grad(y, wanted, seed, create_graph=True)
    total = sum((g * torch.tensor(weights(tuple(g.shape), 1))).sum() for g in first)
    second: Any = [None] * len(wanted)
    if total.requires_grad:
        second = torch.autograd.grad(total, wanted, allow_unused=True)
    dense = [
        np.zeros(tuple(leaf.shape)) if g is None else g.numpy(force=True)
        for g, leaf in zip(second, wanted, strict=True)
    ]
    return [y.detach().numpy(), *(g.numpy(force=True) for g in first), *dense]


def weights(shape: Shape, which: int = 0) -> Any:
    """Numbers to project on, the same for both."""
    count = np.arange(1.0, 1.0 + int(np.prod(shape)))
    return np.asarray((np.sin(count + which) + 1.5).reshape(shape))


def compare(torch: Any, ours: Any, theirs: Any, args: list[Any], **close: float) -> None:
    wrt = [i for i, a in enumerate(args) if a.dtype.kind == "f"]
    got, expected = on_gradwalk(ours, args, wrt), on_torch(torch, theirs, args, wrt)
    for mine, other in zip(got, expected, strict=True):
        assert mine.shape == other.shape
        np.testing.assert_allclose(mine, other, **{**CLOSE, **close})


# --- drawing ----------------------------------------------------------------------------------


def draw(seed: int, low: float, high: float, shape: Shape) -> Any:
    """Numbers that keep away from each other and from whole and half numbers: no ties, no kinks."""
    rng = np.random.default_rng((seed, *shape))
    size = int(np.prod(shape))
    spaced = (np.arange(size) + rng.uniform(0.1, 0.9, size)) / max(size, 1)
    numbers = low + (high - low) * rng.permutation(spaced)
    near = np.abs(numbers * 2.0 - np.round(numbers * 2.0)) < 1e-3
    return np.asarray((numbers + 0.003 * near).reshape(shape))


SEEDS = (0, 1)
ANY, POSITIVE, UNIT = (-2.7, 2.9), (0.15, 3.0), (-0.9, 0.9)

# --- number by number -------------------------------------------------------------------------

# name, range, and the name in PyTorch if it is another one
UNARY: list[tuple[str, tuple[float, float], str]] = [
    *((name, ANY, name) for name in ("exp", "expm1", "exp2", "square", "sin", "cos", "atan")),
    *((name, ANY, name) for name in ("sinh", "cosh", "tanh", "asinh", "sigmoid", "erf", "erfc")),
    *((name, ANY, name) for name in ("sinc", "abs", "neg", "relu")),
    *((name, POSITIVE, name) for name in ("log", "log1p", "log2", "log10", "sqrt", "reciprocal")),
    *((name, UNIT, name) for name in ("tan", "asin", "acos", "atanh")),
    *((name, ANY, f"nn.functional.{name}") for name in ("softplus", "elu", "selu", "silu")),
    *((name, ANY, f"nn.functional.{name}") for name in ("gelu", "leaky_relu", "hardtanh")),
    ("log_sigmoid", ANY, "nn.functional.logsigmoid"),
    ("acosh", (1.2, 9.0), "acosh"),
]
# name, range of the first and of the second argument
BINARY: list[tuple[str, tuple[float, float], tuple[float, float]]] = [
    ("add", ANY, ANY),
    ("subtract", ANY, ANY),
    ("multiply", ANY, ANY),
    ("divide", ANY, POSITIVE),
    ("pow", POSITIVE, ANY),
    ("atan2", ANY, ANY),
    ("hypot", ANY, ANY),
    ("logaddexp", ANY, ANY),
    ("maximum", ANY, (-2.6, 2.8)),
    ("minimum", ANY, (-2.6, 2.8)),
    ("remainder", (3.0, 9.0), (0.6, 0.95)),
    ("copysign", ANY, ANY),
]
PAIRS: list[tuple[Shape, Shape]] = [((3, 4), (3, 4)), ((3, 1), (4,)), ((), (2, 3)), ((0, 1), (3,))]


def member(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name)
    return module


@pytest.mark.parametrize("shape", [(2, 3), (), (0,), (1, 4, 1)], ids=str)
@pytest.mark.parametrize(("name", "ends", "theirs"), UNARY)
def test_functions_of_one_number(
    torch: Any, name: str, ends: tuple[float, float], theirs: str, shape: Shape
) -> None:
    for seed in SEEDS:
        f, g = getattr(gradwalk, name), member(torch, theirs)
        compare(torch, f, g, [draw(seed, *ends, shape)])


@pytest.mark.parametrize("shapes", PAIRS, ids=str)
@pytest.mark.parametrize(("name", "first", "second"), BINARY)
def test_functions_of_two_numbers(
    torch: Any,
    name: str,
    first: tuple[float, float],
    second: tuple[float, float],
    shapes: tuple[Shape, Shape],
) -> None:
    for seed in SEEDS:
        args = [draw(seed, *first, shapes[0]), draw(seed + 7, *second, shapes[1])]
        compare(torch, getattr(gradwalk, name), getattr(torch, name), args)


# --- whole arrays -----------------------------------------------------------------------------

Case = tuple[Callable[..., Any], Callable[..., Any], list[Shape]]
IDS = np.array([[0, 2], [1, 1], [2, 0]])
TARGETS = np.array([1, 0, 3])


def both(f: Callable[[Any], Callable[..., Any]], *shapes: Shape) -> tuple[Any, list[Shape]]:
    """One expression for both libraries: ``f(namespace)`` gives the function."""
    return f, list(shapes)


def spd(x: Any) -> Any:
    """A positive definite matrix, the same expression for both."""
    return x @ x.mT + 2.0 * eye_like(x)


def eye_like(x: Any) -> Any:
    eye = np.eye(x.shape[-1])
    return eye if isinstance(x, Tensor) else x.new_tensor(eye)


def symmetric(x: Any) -> Any:
    return 0.5 * (x + x.mT) + 3.0 * eye_like(x) * spaced(x)


def spaced(x: Any) -> Any:
    """Eigenvalues apart from each other."""
    row = np.arange(1.0, 1.0 + x.shape[-1])
    return row if isinstance(x, Tensor) else x.new_tensor(row)


def ids(x: Any, numbers: Any = IDS) -> Any:
    """Whole numbers as the library of ``x`` takes them."""
    return numbers if isinstance(x, Tensor) else x.new_tensor(numbers).long()


M, V, S = (3, 4), (4,), (3, 3)
SAME: dict[str, tuple[Any, list[Shape]]] = {
    # reductions; PyTorch says dim for axis, and takes both
    "sum": both(lambda g: g.sum, M),
    "sum of an axis": both(lambda g: lambda x: g.sum(x, axis=1, keepdims=True), M),
    "sum of two axes": both(lambda g: lambda x: g.sum(x, axis=(0, -1)), (2, 3, 2)),
    "mean": both(lambda g: lambda x: g.mean(x, axis=0), M),
    "prod of an axis": both(lambda g: lambda x: g.prod(x, axis=1), M),
    "prod": both(lambda g: g.prod, V),
    "logsumexp": both(lambda g: lambda x: g.logsumexp(x, 1), M),
    "softmax": both(lambda g: lambda x: g.softmax(x, 1), M),
    "log_softmax": both(lambda g: lambda x: g.log_softmax(x, 0), M),
    "max": both(lambda g: g.max, M),
    "min": both(lambda g: g.min, M),
    "cumsum": both(lambda g: lambda x: g.cumsum(x, 1), M),
    "cumprod": both(lambda g: lambda x: g.cumprod(x, 1), M),
    # products
    "matmul": both(lambda g: g.matmul, M, (4, 2)),
    "matmul of vectors": both(lambda g: g.matmul, V, V),
    "matmul matrix, vector": both(lambda g: g.matmul, M, V),
    "matmul vector, matrix": both(lambda g: g.matmul, (3,), M),
    "matmul of stacks": both(lambda g: g.matmul, (2, 1, 2, 3), (3, 3, 2)),
    "matmul stack, vector": both(lambda g: g.matmul, (2, 2, 3), (3,)),
    "matmul of nothing": both(lambda g: g.matmul, (2, 0), (0, 3)),
    "@": both(lambda g: lambda a, b: (a @ b) @ a, S, S),
    "dot": both(lambda g: g.dot, V, V),
    "outer": both(lambda g: g.outer, (3,), V),
    "inner": both(lambda g: g.inner, M, (2, 4)),
    "kron": both(lambda g: g.kron, (2, 2), (2, 3)),
    "cross": both(lambda g: lambda a, b: g.linalg.cross(a, b), (2, 3), (2, 3)),
    "vecdot": both(lambda g: lambda a, b: g.linalg.vecdot(a, b), M, M),
    "tensordot": both(lambda g: lambda a, b: g.tensordot(a, b, 1), (2, 3), (3, 2)),
    "einsum": both(lambda g: lambda a, b: g.einsum("ij,kj->ki", a, b), M, (2, 4)),
    "einsum of three": both(
        lambda g: lambda a, b, c: g.einsum("bij,jk,k->bi", a, b, c), (2, 2, 3), (3, 2), (2,)
    ),
    "einsum diagonal": both(lambda g: lambda a: g.einsum("ii->i", a), S),
    "einsum ellipsis": both(lambda g: lambda a, b: g.einsum("...ij,jk", a, b), (2, 2, 3), (3, 2)),
    # shapes
    "reshape": both(lambda g: lambda x: g.reshape(x, (4, 3)) * 2.0, M),
    "transpose": both(lambda g: lambda x: x.T @ x, M),
    "permute": both(lambda g: lambda x: x.mT * x.mT, (2, 3, 2)),
    "squeeze": both(lambda g: lambda x: g.squeeze(x, 1) ** 2.0, (3, 1, 2)),
    "broadcast_to": both(lambda g: lambda x: g.broadcast_to(x, (2, 3, 4)) ** 2.0, (3, 1)),
    "concat": both(lambda g: lambda a, b: g.concat([a, b, a], 1), (2, 3), (2, 1)),
    "stack": both(lambda g: lambda a, b: g.stack([a, b * a], 1), (2, 3), (2, 3)),
    "flip": both(lambda g: lambda x: g.flip(x, (0,)) * x, M),
    "roll": both(lambda g: lambda x: g.roll(x, 2, 1) * x, M),
    "tile": both(lambda g: lambda x: g.tile(x, (2, 2)) ** 2.0, (2, 3)),
    "tril": both(lambda g: lambda x: g.tril(x) @ x, S),
    "triu": both(lambda g: lambda x: g.triu(x, 1) @ x, S),
    "diagonal": both(lambda g: lambda x: g.diagonal(x) ** 2.0, S),
    "diag": both(lambda g: lambda x: g.diag(x) @ g.diag(x), (3,)),
    "trace": both(lambda g: lambda x: (g.linalg if g is gradwalk else g).trace(x @ x), S),
    "moveaxis": both(lambda g: lambda x: g.moveaxis(x, 0, 2) ** 2.0, (2, 3, 2)),
    "swapaxes": both(lambda g: lambda x: g.swapaxes(x, 0, 1) ** 2.0, M),
    "meshgrid": both(lambda g: lambda a, b: mixed(g, a, b), (3,), (2,)),
    # parts
    "index": both(lambda g: lambda x: x[1:, ::2] ** 2.0, M),
    "index with numbers": both(lambda g: lambda x: x[..., -1] * x[0, 0], M),
    "index with None": both(lambda g: lambda x: x[None, :, None, 1] ** 2.0, M),
    "index with arrays": both(lambda g: lambda x: x[ids(x)] ** 2.0, M),
    "index with two arrays": both(lambda g: lambda x: x[ids(x), ids(x, IDS[:, :1])] ** 2.0, S),
    "index with a mask": both(lambda g: lambda x: x[x > 0.0] ** 3.0, M),
    "index mixed": both(lambda g: lambda x: x[1:, ids(x, np.array([0, 3, 3]))] ** 2.0, M),
    "take": both(lambda g: lambda x: g.take(x, ids(x)) ** 2.0, (3,)),
    "where": both(lambda g: lambda x, y: g.where(x > y, x * y, y**2.0), M, V),
    "sort": both(lambda g: lambda x: first(g.sort(x, 1)) ** 2.0, M),
    "topk": both(lambda g: lambda x: first(g.topk(x, 2, 1)) ** 2.0, M),
    "quantile": both(lambda g: lambda x: g.quantile(x, 0.3) * 2.0, V),
    "a chain": both(
        lambda g: lambda x, w: g.tanh(g.softmax(x @ w, 1) @ w.T).sum() ** 2.0, M, (4, 2)
    ),
    # linear algebra
    "solve": both(lambda g: lambda a, b: g.linalg.solve(spd(a), b), S, (3, 2)),
    "solve of stacks": both(lambda g: lambda a, b: g.linalg.solve(spd(a), b), (2, 3, 3), (2, 3, 2)),
    "inv": both(lambda g: lambda a: g.linalg.inv(spd(a)), (2, 3, 3)),
    "det": both(lambda g: lambda a: g.linalg.det(a), (2, 3, 3)),
    "slogdet": both(lambda g: lambda a: g.linalg.slogdet(a)[1], (2, 3, 3)),
    "cholesky": both(lambda g: lambda a: g.linalg.cholesky(spd(a)), (2, 3, 3)),
    "qr": both(lambda g: lambda a: signless(g.linalg.qr(a)), (4, 3)),
    "svdvals": both(lambda g: lambda a: g.linalg.svdvals(a), (2, 3, 4)),
    "eigvalsh": both(lambda g: lambda a: g.linalg.eigvalsh(symmetric(a)), S),
    "eigh": both(lambda g: lambda a: squares(g.linalg.eigh(symmetric(a))), S),
    "svd": both(lambda g: lambda a: rebuilt(g.linalg.svd(a, full_matrices=False)), (3, 2)),
    "pinv": both(lambda g: lambda a: g.linalg.pinv(a), (4, 2)),
    "matrix_power": both(lambda g: lambda a: g.linalg.matrix_power(a, 3), S),
    "matrix_power of the inverse": both(lambda g: lambda a: g.linalg.matrix_power(spd(a), -2), S),
    "vector_norm": both(lambda g: lambda a: g.linalg.vector_norm(a), M),
    "matrix_norm": both(lambda g: lambda a: g.linalg.matrix_norm(a), M),
}


def first(results: Any) -> Any:
    """The sorted numbers, whether or not their places come along."""
    return results[0] if isinstance(results, tuple) else results


def mixed(g: Any, a: Any, b: Any) -> Any:
    x, y = g.meshgrid(a, b, indexing="ij")
    return x * y + x


def signless(qr: Any) -> Any:
    """What does not depend on the signs that a library chooses."""
    q, r = qr
    return (q @ q.mT) * (r.mT @ r)[0, 1]


def squares(pair: Any) -> Any:
    values, vectors = pair
    return (vectors * vectors) @ values


def rebuilt(usv: Any) -> Any:
    u, s, vh = usv
    return (u * (s * s)) @ vh


@pytest.mark.parametrize("what", SAME)
def test_functions_of_arrays(torch: Any, what: str) -> None:
    f, shapes = SAME[what]
    for seed in SEEDS:
        args = [draw(seed + 13 * i, -1.4, 1.6, shape) for i, shape in enumerate(shapes)]
        compare(torch, f(gradwalk), f(torch), args, rtol=1e-7, atol=1e-8)


# --- functions with names or options of their own ---------------------------------------------

OTHER: dict[str, Callable[[Any], Case]] = {
    "var": lambda t: (
        lambda x: gradwalk.var(x, axis=1),
        lambda x: t.var(x, dim=1, correction=0),
        [M],
    ),
    "std": lambda t: (
        lambda x: gradwalk.std(x, axis=1, correction=1),
        lambda x: t.std(x, dim=1, correction=1),
        [M],
    ),
    "max of an axis": lambda t: (
        lambda x: gradwalk.max(x, axis=1),
        lambda x: t.amax(x, 1),
        [M],
    ),
    "permute_dims": lambda t: (
        lambda x: gradwalk.permute_dims(x, (2, 0, 1)) ** 2.0,
        lambda x: t.permute(x, (2, 0, 1)) ** 2.0,
        [(2, 3, 2)],
    ),
    "expand_dims": lambda t: (
        lambda x: gradwalk.expand_dims(x, axis=1) * x,
        lambda x: t.unsqueeze(x, 1) * x,
        [S],
    ),
    "split": lambda t: (
        lambda x: gradwalk.split(x, 2, axis=1)[1] * gradwalk.split(x, 2, axis=1)[0],
        lambda x: t.chunk(x, 2, 1)[1] * t.chunk(x, 2, 1)[0],
        [M],
    ),
    "repeat": lambda t: (
        lambda x: gradwalk.repeat(x, 2, axis=1) ** 2.0,
        lambda x: t.repeat_interleave(x, 2, 1) ** 2.0,
        [M],
    ),
    "pad": lambda t: (
        lambda x: gradwalk.pad(x, ((0, 1), (2, 0))) ** 2.0,
        lambda x: t.nn.functional.pad(x, (2, 0, 0, 1)) ** 2.0,
        [M],
    ),
    "take_along_axis": lambda t: (
        lambda x: gradwalk.take_along_axis(x, IDS, axis=1) ** 2.0,
        lambda x: t.take_along_dim(x, t.tensor(IDS), 1) ** 2.0,
        [S],
    ),
    "gather": lambda t: (
        lambda x: gradwalk.gather(x, 1, IDS) ** 2.0,
        lambda x: t.gather(x, 1, t.tensor(IDS)) ** 2.0,
        [S],
    ),
    "scatter_add": lambda t: (
        lambda x, v: gradwalk.scatter_add(x, 1, IDS, v) ** 2.0,
        lambda x, v: t.scatter_add(x, 1, t.tensor(IDS), v) ** 2.0,
        [S, (3, 2)],
    ),
    "embedding": lambda t: (
        lambda w: gradwalk.embedding(w, IDS) ** 2.0,
        lambda w: t.nn.functional.embedding(t.tensor(IDS), w) ** 2.0,
        [M],
    ),
    "clip": lambda t: (
        lambda x: gradwalk.clip(x, -0.5, 1.0) ** 2.0,
        lambda x: t.clip(x, -0.5, 1.0) ** 2.0,
        [M],
    ),
    "layer_norm": lambda t: (
        lambda x, w, b: gradwalk.layer_norm(x, (4,), w, b),
        lambda x, w, b: t.nn.functional.layer_norm(x, (4,), w, b),
        [M, V, V],
    ),
    "rms_norm": lambda t: (
        lambda x, w: gradwalk.rms_norm(x, (4,), w, 1e-5),
        lambda x, w: t.nn.functional.rms_norm(x, (4,), w, 1e-5),
        [M, V],
    ),
    "conv1d": lambda t: (
        lambda x, w, b: gradwalk.conv1d(x, w, b, stride=2, padding=1),
        lambda x, w, b: t.nn.functional.conv1d(x, w, b, stride=2, padding=1),
        [(2, 2, 7), (3, 2, 3), (3,)],
    ),
    "conv2d": lambda t: (
        lambda x, w, b: gradwalk.conv2d(x, w, b, padding=1),
        lambda x, w, b: t.nn.functional.conv2d(x, w, b, padding=1),
        [(2, 2, 4, 5), (3, 2, 3, 3), (3,)],
    ),
    "conv2d with all options": lambda t: (
        lambda x, w: gradwalk.conv2d(x, w, stride=(2, 1), padding=(1, 2), dilation=2, groups=2),
        lambda x, w: t.nn.functional.conv2d(
            x, w, stride=(2, 1), padding=(1, 2), dilation=2, groups=2
        ),
        [(1, 4, 7, 6), (4, 2, 2, 3)],
    ),
    "max_pool2d": lambda t: (
        lambda x: gradwalk.max_pool2d(x, 2) ** 2.0,
        lambda x: t.nn.functional.max_pool2d(x, 2) ** 2.0,
        [(2, 2, 4, 6)],
    ),
    "max_pool2d overlapping": lambda t: (
        lambda x: gradwalk.max_pool2d(x, 3, stride=2, padding=1) ** 2.0,
        lambda x: t.nn.functional.max_pool2d(x, 3, stride=2, padding=1) ** 2.0,
        [(1, 2, 5, 6)],
    ),
    "avg_pool2d": lambda t: (
        lambda x: gradwalk.avg_pool2d(x, 2, stride=1, padding=1) ** 2.0,
        lambda x: t.nn.functional.avg_pool2d(x, 2, stride=1, padding=1) ** 2.0,
        [(1, 2, 4, 5)],
    ),
    "avg_pool1d": lambda t: (
        lambda x: gradwalk.avg_pool1d(x, 3) ** 2.0,
        lambda x: t.nn.functional.avg_pool1d(x, 3) ** 2.0,
        [(2, 2, 9)],
    ),
    "adaptive_avg_pool2d": lambda t: (
        lambda x: gradwalk.adaptive_avg_pool2d(x, (2, 3)) ** 2.0,
        lambda x: t.nn.functional.adaptive_avg_pool2d(x, (2, 3)) ** 2.0,
        [(1, 2, 5, 7)],
    ),
}


@pytest.mark.parametrize("what", OTHER)
def test_functions_with_names_of_their_own(torch: Any, what: str) -> None:
    f, g, shapes = OTHER[what](torch)
    for seed in SEEDS:
        args = [draw(seed + 13 * i, -1.4, 1.6, shape) for i, shape in enumerate(shapes)]
        compare(torch, f, g, args, rtol=1e-7, atol=1e-8)


# --- conventions at ties, and what is not smooth ----------------------------------------------


def test_ties_and_kinks_are_shared_out_as_pytorch_does(torch: Any) -> None:
    ties = np.array([[1.0, 3.0, 3.0, 0.0], [2.0, 2.0, 2.0, 2.0], [0.0, -1.0, 0.0, -2.0]])
    for ours, theirs in (
        (gradwalk.max, torch.amax),
        (gradwalk.min, torch.amin),
        (gradwalk.relu, torch.relu),
        (gradwalk.abs, torch.abs),
        (lambda x: gradwalk.maximum(x, 2.0), lambda x: torch.maximum(x, x.new_tensor(2.0))),
        (lambda x: gradwalk.clip(x, 0.0, 2.0), lambda x: torch.clip(x, 0.0, 2.0)),
        (lambda x: gradwalk.sort(x, axis=1), lambda x: torch.sort(x, dim=1, stable=True)[0]),
    ):
        x, z = Tensor(ties, requires_grad=True), torch.tensor(ties, requires_grad=True)
        y, w = ours(x), theirs(z)
        y.backward(weights(y.shape))
        w.backward(torch.tensor(weights(tuple(w.shape))))
        np.testing.assert_allclose(x.grad, z.grad.numpy(), rtol=1e-15)


def test_float32_stays_float32(torch: Any) -> None:
    rng = np.random.default_rng(5)
    x, w = (rng.normal(size=s).astype(np.float32) for s in ((8, 16), (16, 4)))
    ours = [Tensor(a, requires_grad=True) for a in (x, w)]
    theirs = [torch.tensor(a, requires_grad=True) for a in (x, w)]
    y = (gradwalk.softmax(ours[0] @ ours[1], axis=1) ** 2.0).mean()
    z = (torch.softmax(theirs[0] @ theirs[1], 1) ** 2.0).mean()
    y.backward()
    z.backward()
    assert y.dtype == ours[0].grad.dtype == np.float32
    np.testing.assert_allclose(y.item(), z.item(), rtol=1e-6)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a.grad, b.grad.numpy(), rtol=1e-4, atol=1e-8)


# --- methods and forms of PyTorch -----------------------------------------------------------------


@pytest.mark.parametrize("name", FORMS)
def test_a_form_of_pytorch(torch: Any, name: str) -> None:
    form, x = FORMS[name][0], np.random.default_rng(1).normal(size=(2, 3, 4))
    for ours, theirs in zip(
        on_gradwalk(form, [x], [0]), on_torch(torch, form, [x], [0]), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, **CLOSE)
