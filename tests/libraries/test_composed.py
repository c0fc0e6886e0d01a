"""Functions that are made of primitives and of constants: these go where the arguments are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, nn
from gradwalk.errors import OptionError
from gradwalk.nn import functional as F  # noqa: N812

from ..helpers.libraries import PEER, Library, compare

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
U = rng.uniform(0.1, 0.9, (3, 4))
HOLES = np.where(X > 1.0, np.nan, X)
IMAGES = rng.normal(size=(1, 4, 5, 6))
IDS, CLASSES = np.array([2, 0, 1, 0]), np.array([1, 0, 3])

CASES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "median": (lambda x: gw.median(x, axis=1), [X]),
    "quantiles": (lambda x: gw.quantile(x, np.array([0.3, 0.6]), axis=1), [X]),
    "nanmedian": (lambda x: gw.nanmedian(x, axis=1), [HOLES]),
    "nanpercentile": (lambda x: gw.nanpercentile(x, 30), [HOLES]),
    "insert": (lambda x: gw.insert(x, 1, 0.0, axis=0), [X]),
    "insert a row": (lambda x: gw.insert(x, 1, x[0], axis=0), [X]),
    "diff": (lambda x: gw.diff(x, axis=1, prepend=0.0), [X]),
    "gradient": (lambda x: gw.gradient(x, 0.5, axis=1), [X]),
    "interp": (lambda x, y: gw.interp(x, gw.arange(4, device=x.device), y), [U[0], X[0]]),
    "put_along_axis": (lambda x: gw.put_along_axis(x, x.argmax(axis=1)[:, None], 0.0, 1), [X]),
    "zeros_like": (lambda x: gw.zeros_like(x) + x, [X]),
    "ones_like": (lambda x: gw.ones_like(x) * x, [X]),
    "full_like": (lambda x: gw.full_like(x, 3.0, dtype="float32") * x, [X]),
    "one_hot": (lambda i, x: gw.one_hot(i, 3) @ x, [IDS, X]),
    "segment_mean": (lambda x, i: gw.segment_mean(x, i, 3), [X[0], IDS]),
    "segment_max": (lambda x: gw.segment_max(x, IDS, 3), [X[0]]),
    "segment_prod": (lambda x: gw.segment_prod(x, IDS, 3), [X[0]]),
    "convolve": (gw.convolve, [X[0], X[1, :3]]),
    "correlate": (lambda a, v: gw.correlate(a, v, mode="same"), [X[0], X[1, :3]]),
    "cumulative_sum": (lambda x: gw.cumulative_sum(x, axis=1, include_initial=True), [X]),
    "topk": (lambda x: gw.topk(x, 2)[0], [X]),
    "isclose": (lambda x, y: gw.isclose(x, y, equal_nan=True), [HOLES, HOLES * 1.00001]),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, 3), [IMAGES]),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2, padding=1, count_include_pad=False), [IMAGES]),
    "interpolate": (lambda x: F.interpolate(x, size=(3, 7), mode="bilinear"), [IMAGES]),
    "embedding_bag": (lambda w: F.embedding_bag(np.array([[0, 1], [2, 0]]), w), [X]),
    "multi_margin_loss": (F.multi_margin_loss, [X, CLASSES]),
    "binary_cross_entropy": (F.binary_cross_entropy, [U, U[::-1].copy()]),
    "weighted cross_entropy": (
        lambda x, y: F.cross_entropy(x, y, weight=x.detach()[0] ** 2),
        [X, CLASSES],
    ),
    "logsumexp": (lambda x: gw.special.logsumexp(x), [X]),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_those_of_numpy(library: Library, name: str) -> None:
    f, args = CASES[name]
    compare(library, f, *args, rtol=1e-10, atol=1e-12)


@PEER
@pytest.mark.parametrize("name", ["median", "put_along_axis", "one_hot", "segment_mean", "convolve",
                                  "weighted cross_entropy", "binary_cross_entropy"])  # fmt: skip
def test_a_program_of_them_is_compiled(name: str) -> None:
    library = Library("jax")
    f, args = CASES[name]
    given = [library.tensor(x) for x in args]
    np.testing.assert_allclose(
        gw.compile(f)(*given).numpy(), f(*map(Tensor, args)).numpy(), rtol=1e-10, atol=1e-12
    )


@PEER
def test_attention_to_other_arrays_is_compiled() -> None:
    library, x = Library("jax"), rng.normal(size=(3, 2, 4))
    layer = nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0, seed=0)
    expected = layer(Tensor(x), Tensor(x * 2.0)).numpy()
    f = gw.compile(lambda layer, x, y: layer(x, y))
    found = f(layer.to("jax"), library.tensor(x), library.tensor(x * 2.0))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: gw.add(x, y),
        lambda x, y: x * y,
        lambda x, y: gw.concat([x, y]),
        lambda x, y: gw.convolve(x[0], y[0]),
        lambda x, y: gw.linalg.solve(x[:, :3], y),
        lambda x, y: F.mse_loss(x, target=y),
        lambda x, y: gw.where(x > 0.0, x, y),
    ],
)
@pytest.mark.parametrize("kind", [np.array, Tensor], ids=["array", "Tensor"])
def test_an_array_of_the_program_is_not_moved(library: Library, f: Any, kind: Any) -> None:
    with pytest.raises(OptionError, match="one library on one device"):
        f(library.tensor(X), kind(Y))


OF_INTEGERS: dict[str, Callable[[Any], Any]] = {
    "reciprocal": gw.reciprocal,
    "argmax": lambda x: gw.argmax(x, axis=1),
    "argmin": gw.argmin,
    "abs": gw.absolute,
    "floor": gw.floor,
    "trunc": gw.trunc,
    "matmul": lambda x: x @ x.T,
    "dot": lambda x: gw.dot(x[0], x[1]),
    "max": lambda x: gw.max(x, axis=0),
    "sort": lambda x: gw.sort(x, axis=1),
    "mean": gw.mean,
    "quotient": lambda x: x / 2,
}


@PEER
@pytest.mark.parametrize("place", ["torch", "jax"])
@pytest.mark.parametrize("kind", ["bool", "int8", "uint8", "int32", "int64"])
@pytest.mark.parametrize("name", OF_INTEGERS)
def test_integers_and_bools_are_computed_as_by_numpy(place: str, kind: str, name: str) -> None:
    x = np.array([[1, 2, 1], [3, 1, 5]] if kind != "bool" else [[1, 0, 1], [0, 1, 1]], kind)
    if name == "reciprocal" and kind == "bool":
        x = x | True  # 1 / 0 is no bool
    found, expected = OF_INTEGERS[name](Library(place).tensor(x)), OF_INTEGERS[name](Tensor(x))
    assert found.dtype == expected.dtype
    assert np.array_equal(found.numpy(), expected.numpy())
