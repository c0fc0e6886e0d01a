"""Parts of arrays of other libraries, by every key: those of NumPy, and none goes to the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, nn
from gradwalk.errors import DataError, KeyRangeError
from gradwalk.nn import functional as F  # noqa: N812

from ..helpers.libraries import MARKS, Library

rng = np.random.default_rng(0)
X = rng.normal(size=(4, 5, 3))
I, J = np.array([1, -1, 1]), np.array([[0], [2]])
MASK = rng.random((4, 5)) > 0.5

KEYS: dict[str, Any] = {
    "int": 0,
    "ints": (0, 1),
    "backwards": slice(None, None, -2),
    "slices": (slice(3, 0, -1), None, 1),
    "ellipsis": (..., slice(None, None, -1)),
    "array": I,
    "second": (slice(None), I),
    "int-slice-array": (0, slice(None), I),
    "slice-int-array": (slice(None), 1, I),
    "array-slice-array": (I, slice(None), I),
    "array-none-array": (I, None, I),
    "backwards-arrays": (slice(None, None, -1), I, I),
    "grid": (J, I),
    "grid-slice": (J, slice(1, 3), I),
    "mask": MASK,
    "mask-int": (MASK, 0),
    "mask-backwards": (MASK, slice(None, None, -1)),
    "mask-second": (slice(None), MASK[0]),
    "ellipsis-array": (..., I),
    "none-array-int": (None, I, 0),
    "small-integers": (I.astype(np.int16),),
    "unsigned": (np.array([1, 3, 1], np.uint8),),
    "single-bool": (True,),
    "list": [[1, 2], [0, 0]],
    "int-mask": (1, MASK[0], slice(None)),
    "nothing": (slice(None), slice(None), []),
}


def on_device(library: Library, key: Any) -> Any:
    """Return a key whose arrays are Tensors of a library."""
    parts = key if type(key) is tuple else (key,)
    found = tuple(library.tensor(p) if isinstance(p, np.ndarray) else p for p in parts)
    return found if type(key) is tuple else found[0]


def weights(shape: tuple[int, ...]) -> Any:
    return np.linspace(0.5, 1.5, int(np.prod(shape))).reshape(shape)


def derivatives(key: Any, make: Callable[[Any], Tensor]) -> list[Any]:
    """Return a part, x with the part replaced, and the gradients of both."""
    leaves = [make(X), make(weights(X[0:0].shape)), make(X)]
    for leaf in leaves:
        leaf.requires_grad_()
    part = leaves[0][key]
    w = make(weights(part.shape)).requires_grad_()
    (part * part * w).sum().backward()
    z = leaves[2] * 2.0
    z[key] = w
    (z * z).sum().backward()
    plain = make(X)
    plain[key] = 3.0
    gradients = [Tensor(t.grad) for t in (leaves[0], leaves[2], w)]
    return [t.numpy() for t in (part, z, plain, *gradients)]


@pytest.mark.parametrize("name", KEYS)
def test_parts_are_those_of_numpy(library: Library, name: str) -> None:
    expected = derivatives(KEYS[name], Tensor)
    for key in (KEYS[name], on_device(library, KEYS[name])):
        found = derivatives(key, library.tensor)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13)


BAD: dict[str, Any] = {
    "int": 7,
    "second": (0, 9),
    "array": np.array([9]),
    "negative": (slice(None), np.array([0, -6])),
    "too-many": (0, 0, 0, 0),
    "mask": np.ones(3, bool),
    "shapes": (I, np.array([0, 1])),
}


@pytest.mark.parametrize("name", BAD)
def test_a_key_that_does_not_fit_is_an_error(library: Library, name: str) -> None:
    x = library.tensor(X)
    for key in (BAD[name], on_device(library, BAD[name])):
        with pytest.raises(KeyRangeError, match=r"t\[key\]"):
            x[key]
        with pytest.raises(KeyRangeError, match=r"t\[key\]"):
            x[key] = 1.0


@pytest.mark.parametrize("padding", [None, 1])
def test_an_embedding_takes_indices_on_the_device(library: Library, padding: int | None) -> None:
    ids = np.array([[1, 2], [2, 0]])

    def gradient(place: str, given: Any) -> Any:
        table = nn.Embedding(3, 4, padding, seed=0).to(place)
        (table(given) ** 2).sum().backward()
        return Tensor(table.weight.grad).numpy()

    found = gradient(library.tensor(1.0).device, library.tensor(ids))
    np.testing.assert_allclose(found, gradient("numpy", ids), rtol=1e-14)
    with pytest.raises(DataError, match="embedding"):
        nn.Embedding(3, 4).to(library.tensor(1.0).device)(library.tensor(ids - 1))


LOGITS, CLASSES = rng.normal(size=(6, 5)) * 3, np.array([0, 4, 2, -100, 1, 3])
WEIGHT = rng.random(5)
OPTIONS: dict[str, dict[str, Any]] = {
    "mean": {},
    "none": {"reduction": "none"},
    "weight": {"weight": WEIGHT},
    "smoothed": {"weight": WEIGHT, "label_smoothing": 0.1},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_losses_take_classes_on_the_device(library: Library, name: str) -> None:
    for loss in (F.cross_entropy, F.nll_loss) if name != "smoothed" else (F.cross_entropy,):
        x = Tensor(LOGITS, requires_grad=True)
        loss(x, CLASSES, **OPTIONS[name]).sum().backward()
        for make in (library.tensor, np.asarray):
            z = library.tensor(LOGITS, True)
            how = {k: make(v) if k == "weight" else v for k, v in OPTIONS[name].items()}
            loss(z, make(CLASSES), **how).sum().backward()
            np.testing.assert_allclose(Tensor(z.grad).numpy(), x.grad, rtol=1e-12, atol=1e-15)


def test_a_class_that_there_is_not_is_an_error(library: Library) -> None:
    with pytest.raises(DataError, match="cross_entropy"):
        F.cross_entropy(library.tensor(LOGITS), library.tensor(CLASSES + 2))


def test_losses_of_classes_have_the_second_derivatives_of_numpy(library: Library) -> None:
    expected = gw.hessian(lambda x: F.cross_entropy(x, CLASSES))(Tensor(LOGITS)).numpy()
    classes = library.tensor(CLASSES)
    found = gw.hessian(lambda x: F.cross_entropy(x, classes))(library.tensor(LOGITS)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


# --- indices that a compiled function makes -------------------------------------------------------

CHOSEN = np.array([0, 1, 2, 1])
OUTSIDE: dict[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "array": lambda x, make: x[make(I)],
    "grid": lambda x, make: x[make(J), make(I)],
    "mask": lambda x, make: x[make(MASK[:, 0])],
    "take": lambda x, make: gw.take(x, make(I), axis=0),
    "take_along_axis": lambda x, make: gw.take_along_axis(x, make(CHOSEN[:, None]), axis=1),
    "embedding": lambda x, make: F.embedding(make(CHOSEN), x),
    "cross_entropy": lambda x, make: F.cross_entropy(x, make(CHOSEN), weight=x[0]),
    "nll_loss": lambda x, make: F.nll_loss(x, make(CHOSEN), weight=x[0]),
}


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("place", [pytest.param(n, marks=MARKS[n]) for n in ("jax", "torch")])
def test_indices_that_a_compiled_function_makes(place: str, name: str) -> None:
    """Inductor takes no arrays that are not operands; a gradient may be of NumPy beside them."""
    library, f = Library(place), OUTSIDE[name]
    x = library.tensor(X[:, :3, 0])
    for make in (library.array, library.tensor, np.asarray):
        for g in (lambda x: f(x, make), gw.grad(lambda x: f(x, make).sum())):  # noqa: B023
            y = gw.compile(g)(x)
            assert library.holds(y)
            np.testing.assert_allclose(y.numpy(), g(x).numpy(), rtol=1e-12, atol=1e-15)
