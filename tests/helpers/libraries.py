"""The libraries whose arrays the tests put into Tensors, and what they are compared with."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor

PEER = pytest.mark.peer
MARKS: dict[str, Any] = {"array_api_strict": (), "torch": PEER, "jax": PEER}
NAMES = [pytest.param(name, marks=marks) for name, marks in MARKS.items()]


def with_cases(cases: Callable[[str], Iterable[str]]) -> list[Any]:
    """Return each library with each of its cases, to parametrize ``library`` and one name."""
    return [
        pytest.param(name, case, marks=marks, id=f"{name}-{case}")
        for name, marks in MARKS.items()
        for case in cases(name)
    ]


class Library:
    """A library of arrays: how one is made of NumPy's."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.xp: Any = pytest.importorskip(name, reason=f"{name} is not installed: NOT TESTED")
        pytest.importorskip("array_api_compat", reason="array-api-compat is missing: NOT TESTED")
        if name == "jax":
            self.xp.config.update("jax_enable_x64", True)
            self.xp = importlib.import_module("jax.numpy")

    def array(self, x: Any) -> Any:
        """Return the numbers as an array of this library."""
        return self.xp.asarray(np.array(x))

    def tensor(self, x: Any, requires_grad: bool = False) -> Tensor:
        """Return a Tensor of an array of this library."""
        flag = requires_grad and np.asarray(x).dtype.kind == "f"
        return Tensor(self.array(x), requires_grad=flag)

    def holds(self, t: Tensor) -> bool:
        """Return whether the numbers of a Tensor are in this library."""
        return type(t.data) is type(self.array(1.0))


def run(f: Any, args: list[Any], make: Any, weights: bool = True) -> tuple[Any, list[Any], Any]:
    """Return value and gradients of Σ w f, as arrays of NumPy, and the Tensor of the value."""
    given = [make(a) if isinstance(a, np.ndarray) else a for a in args]
    y = f(*given)
    found: list[Any] = []
    if y.requires_grad:
        w = np.linspace(0.5, 1.5, y.size).reshape(y.shape).astype(y.dtype)
        y.backward(w if type(y.data) is np.ndarray or not weights else w.tolist())
        found = [numbers(t.grad) for t in given if isinstance(t, Tensor) and t.requires_grad]
    return y.numpy(), found, y


def numbers(gradient: Any) -> Any:
    """Return a gradient of any library as an array of NumPy."""
    return None if gradient is None else Tensor(gradient).numpy()


def compare(library: Library, f: Any, *args: Any, rtol: float = 1e-12, atol: float = 1e-13) -> None:
    """Assert that values and gradients are those of NumPy, and lie in the library."""

    def leaf(x: Any) -> Tensor:
        return Tensor(x, requires_grad=x.dtype.kind == "f")

    with np.errstate(all="ignore"):
        expected, slopes, _ = run(f, list(args), leaf)
        value, found, y = run(f, list(args), lambda x: library.tensor(x, True))
    assert library.holds(y)
    assert value.dtype == expected.dtype
    np.testing.assert_allclose(value, expected, rtol=rtol, atol=atol, strict=True)
    for g, expected_g in zip(found, slopes, strict=True):
        np.testing.assert_allclose(g, expected_g, rtol=rtol, atol=atol, strict=True)


def libraries() -> Iterator[Any]:
    """Return the libraries, as parameters of tests."""
    yield from NAMES
