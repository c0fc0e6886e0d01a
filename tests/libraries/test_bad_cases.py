"""Arrays that are unusual, devices that are full or not there: results, or errors that say why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor
from gradwalk.errors import NotANumberError, OptionError
from gradwalk.libraries import array as arrays
from gradwalk.libraries import places
from gradwalk.ops import TABLE

from ..helpers.libraries import Library

FULL = {
    "jax": RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 4000000000000 bytes."),
    "torch": RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB."),
    "cpu": RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried 40000 bytes"),
    "numpy": MemoryError("Unable to allocate 728. TiB"),
}


def raising(error: Exception) -> Callable[..., Any]:
    def fail(*args: Any, **options: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize("name", FULL)
def test_a_full_device_is_an_error_with_the_text_of_the_library(
    library: Library, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, full = library.tensor([1.0, 2.0]), raising(FULL[name])
    text = str(FULL[name]).partition("\n")[0].replace("(", r"\(")
    with monkeypatch.context() as patch:
        patch.setattr(arrays, "function_for", lambda place, name: full)
        with pytest.raises(OptionError, match=rf"memory .* on {library.name}:.*{text}.*batches"):
            gw.sinh(x)
        patch.setitem(arrays.OWN, (library.name, TABLE["exp"]), full)
        with pytest.raises(OptionError, match=rf"memory .* on {library.name}:.*{text}.*batches"):
            gw.exp(x)
    with monkeypatch.context() as patch:
        place = x._data.place
        patch.setitem(vars(place), "_kinds", {})  # what is found in the fake is forgotten after it
        patch.setattr(place, "xp", type("Full", (), {"asarray": full, "full": full, "float64": 0}))
        with pytest.raises(OptionError, match=rf"memory .*{text}"):
            place.put(np.ones(2))
        with pytest.raises(OptionError, match=rf"memory .*{text}"):
            place.full((2,), 1.0, np.float64)


def test_other_errors_of_a_library_are_no_lack_of_memory() -> None:
    places.expect_memory("f", places.Place(np, None), RuntimeError("shapes do not fit"))


@pytest.mark.peer
@pytest.mark.parametrize("kind", ["transposed", "expanded", "strided"])
def test_tensors_in_any_order_of_memory(kind: str) -> None:
    torch = Library("torch").xp
    x = torch.arange(6.0).reshape(2, 3)
    given = {"transposed": x.t(), "expanded": x[:, :1].expand(2, 4), "strided": x[:, ::2]}[kind]
    t = Tensor(given, requires_grad=True)
    y = (t[::-1] ** 2).sum()
    y.backward()
    np.testing.assert_array_equal(t.numpy(), given.numpy())
    np.testing.assert_array_equal(t.grad, 2.0 * given)
    with gw.no_grad():
        t[0] = 5.0
    np.testing.assert_array_equal(x, torch.arange(6.0).reshape(2, 3))  # it was copied


@pytest.mark.parametrize("kind", ["bool", "int8", "int32", "int64", "float32"])
def test_dtypes_are_those_of_numpy(library: Library, kind: str) -> None:
    numbers = np.array([1, 0, 3]).astype(kind)
    for f in (lambda x: x * 2, lambda x: x.sum(), lambda x: x / 2, lambda x: x + 1.5):
        expected, found = f(Tensor(numbers)), f(library.tensor(numbers))
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


@pytest.mark.peer
@pytest.mark.parametrize("name", ["torch", "jax"])
@pytest.mark.parametrize("kind", ["bfloat16", "complex64"])
def test_a_dtype_that_numpy_has_not_is_refused(name: str, kind: str) -> None:
    xp = Library(name).xp
    with pytest.raises(NotANumberError, match=rf"{kind}.*float32"):
        Tensor(xp.ones(3, dtype=getattr(xp, kind)))


@pytest.mark.peer
def test_a_sparse_tensor_is_refused() -> None:
    torch = Library("torch").xp
    with pytest.raises(NotANumberError, match=r"sparse.*to_dense"):
        Tensor(torch.eye(3).to_sparse())


@pytest.mark.parametrize("shape", [(0,), (0, 3), ()])
def test_arrays_without_elements_and_without_axes(library: Library, shape: Any) -> None:
    x = np.full(shape, 0.5)
    for f in (gw.tanh, lambda x: x.sum(), lambda x: x.prod(), lambda x: x.reshape(-1)):
        slope = gw.grad(lambda x, f=f: (f(x) * 2.0).sum())
        np.testing.assert_allclose(
            slope(library.tensor(x)).numpy(), slope(Tensor(x)).numpy(), strict=True
        )


@pytest.mark.peer
@pytest.mark.parametrize(("source", "target"), [("torch", "jax"), ("jax", "torch")])
def test_moves_between_libraries_do_not_pass_through_numpy(
    source: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = Library(source), Library(target)
    x = here.tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    with monkeypatch.context() as patch:
        patch.setattr(places.Place, "numbers", raising(AssertionError("through NumPy")))
        y = x.T.to(target)
        (y * y).sum().backward()
    assert there.holds(y)
    np.testing.assert_array_equal(y.numpy(), x.numpy().T)
    np.testing.assert_array_equal(Tensor(x.grad).numpy(), 2.0 * x.numpy())
    if source == "torch":  # which may be written into
        x.data.add_(1.0)
        np.testing.assert_array_equal(y.numpy(), np.arange(6.0).reshape(2, 3).T)
