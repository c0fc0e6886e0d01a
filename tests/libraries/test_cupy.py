"""CuPy: with the library where there is a GPU, else with a stand-in that refuses what it does."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, nn
from gradwalk.errors import OptionError
from gradwalk.nn import functional as F  # noqa: N812
from gradwalk.optim import AdamW

from ..helpers.libraries import Library, compare
from .cupy_stand_in import install

rng = np.random.default_rng(0)
X, SQUARE = rng.normal(size=(4, 3)), rng.normal(size=(3, 3)) + 3.0 * np.eye(3)
TWICE, MASK = np.array([2, 0, 2, -1]), X > 0.0
IMAGE, KERNEL = rng.normal(size=(2, 2, 5, 4)), rng.normal(size=(3, 2, 3, 2))


def has_gpu() -> bool:
    """Return whether CuPy is here, and a device that it runs on."""
    try:
        return bool(importlib.import_module("cupy").cuda.runtime.getDeviceCount())
    except Exception:
        return False


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    """Return CuPy, or what stands for it."""
    pytest.importorskip("array_api_compat", reason="array-api-compat is missing: NOT TESTED")
    with pytest.MonkeyPatch.context() as patch:
        if not has_gpu():
            install(patch)
        yield Library("cupy")
        for name in [n for n in sys.modules if n.startswith("array_api_compat.cupy")]:
            patch.delitem(sys.modules, name)
        patch.undo()


def written(x: Any) -> Any:
    y = x * 1.0
    y[1:, 0] = 2.0
    y[TWICE] = x[:1] * 3.0
    return y


Case = tuple[Callable[..., Any], list[Any]]
CASES: dict[str, Case] = {
    "arithmetic": (lambda x: (x * 2.0 - 1.0) / (x * x + 1.0), [X]),
    "erf": (lambda x: gw.erf(x) + gw.erfc(x * 0.5), [X]),
    "powers": (lambda x: gw.exp(x) ** 1.5 + gw.tanh(x) + gw.maximum(x, 0.1), [X]),
    "sums": (lambda x: x.sum(axis=0) * x.mean() + x.max(axis=1)[:3], [X]),
    "products": (lambda x, y: x @ y @ y.mT, [X, SQUARE]),
    "solve": (lambda x, y: gw.linalg.solve(y, x.mT) + gw.linalg.det(y), [X, SQUARE]),
    "sorted": (lambda x: gw.sort(x, axis=0) * gw.cumulative_sum(x, axis=0), [X]),
    "part": (lambda x: x[1:, ::-1] ** 2, [X]),
    "rows": (lambda x: x[TWICE] ** 2, [X]),
    "rows-and-columns": (lambda x: x[TWICE, 1] ** 2, [X]),
    "mask": (lambda x: x[MASK] ** 2, [X]),
    "where": (lambda x: gw.where(x > 0.0, x, x * x), [X]),
    "written": (written, [X]),
    "joined": (lambda x, y: gw.concat([x, y], axis=0).reshape(-1, 7), [X, SQUARE]),
    "softmax": (lambda x: F.softmax(x, dim=-1) + F.log_softmax(x, dim=0), [X]),
    "layer-norm": (lambda x, w: F.layer_norm(x, (3,), w[0], w[1]), [X, SQUARE]),
    "cross-entropy": (lambda x: F.cross_entropy(x, np.array([0, 2, -100, 1])), [X]),
    "embedding": (lambda x: F.embedding(np.array([[0, 3], [3, 1]]), x) ** 2, [X]),
    "convolution": (lambda x, w: F.max_pool2d(F.conv2d(x, w), 2), [IMAGE, KERNEL]),
    "attention": (
        lambda x: F.scaled_dot_product_attention(x, x, x, attn_mask=np.eye(4, dtype=bool)), [X]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_those_of_numpy(library: Library, name: str) -> None:
    f, args = CASES[name]
    compare(library, f, *args, rtol=1e-11, atol=1e-12)


def losses(place: str) -> list[float]:
    """Return the losses of a training of a small network."""
    model = nn.Sequential(nn.Linear(3, 8, seed=0), nn.GELU(), nn.Linear(8, 4, seed=1)).to(place)
    optimizer = AdamW(model.parameters(), lr=0.05)
    x, y, found = Tensor(X).to_device(place), np.array([3, 0, 1, 1]), []
    for _ in range(5):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(float(loss.item()))
    return found


def test_a_training_has_the_losses_of_numpy(library: Library) -> None:
    np.testing.assert_allclose(losses("cupy"), losses("numpy"), rtol=1e-11)


def test_tensors_move_by_the_names_of_places(library: Library) -> None:
    there = library.tensor(X, requires_grad=True)
    assert there.device == "cupy:0"
    assert Tensor(X).to_device(there.device).device == there.device
    (there.to_device("numpy") * 2.0).sum().backward()
    assert library.holds(there)
    np.testing.assert_array_equal(Tensor(there.grad).numpy(), np.full(X.shape, 2.0))
    with pytest.raises(OptionError, match="on cupy"):
        np.asarray(there)
    with pytest.raises(OptionError, match="a device that cupy has here"):
        Tensor(X).to_device("cupy:99")
