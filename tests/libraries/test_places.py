"""Places: where arrays lie, how they move, and what happens to operands in two places."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, nn
from gradwalk.errors import MissingExtraError, OptionError, SilentDetachError
from gradwalk.libraries import places

from ..helpers.libraries import Library


def test_a_tensor_names_its_place_and_moves(library: Library) -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    there = x.to_device(library.name)
    assert there.device.startswith(f"{library.name}:")
    assert library.holds(there)
    assert there.to(there.device) is there
    back = (there * there).to("numpy")
    assert back.device == "cpu"
    back.sum().backward()  # through both moves
    np.testing.assert_array_equal(x.grad, [2.0, 4.0])


def test_operands_in_two_places_are_an_error_with_both(library: Library) -> None:
    x, numpy = library.tensor([1.0, 2.0]), Tensor([1.0, 2.0])
    for mix in (
        lambda: x + numpy,
        lambda: numpy + x,
        lambda: x * np.ones(2),
        lambda: np.ones(2) * x,
        lambda: numpy * library.array([1.0, 2.0]),
        lambda: x @ numpy,
    ):
        with pytest.raises(OptionError, match=rf"{library.name}:.*numpy.*to_device"):
            mix()


def test_numbers_belong_to_every_place(library: Library) -> None:
    x = library.tensor(np.float32([1.0, 2.0]))
    assert (x * 2.0).dtype == np.float32
    assert (x * np.float64(2.0)).dtype == np.float64  # NumPy's rule: its numbers are not weak
    assert (x + library.array([1.0, 2.0])).tolist() == [2.0, 4.0]  # an array of the library


def test_nothing_becomes_an_array_of_numpy_silently(library: Library) -> None:
    x = library.tensor([1.0, 2.0])
    with pytest.raises(OptionError, match=r"t\.numpy\(\)"):
        np.asarray(x)
    with pytest.raises(OptionError, match=rf"{library.name}:"):
        Tensor([1.0, 2.0]).data = x.data


def test_a_moved_module_computes_there(library: Library) -> None:
    model = nn.Linear(2, 1, seed=0).to(library.name)
    y = model(library.tensor([[1.0, 2.0]]))
    assert library.holds(y)
    y.backward()
    assert type(model.weight.grad) is type(model.weight.data)


@pytest.mark.peer
def test_a_gradient_of_pytorch_is_not_lost_silently() -> None:
    torch: Any = pytest.importorskip("torch", reason="torch is not installed: NOT TESTED")
    with pytest.raises(SilentDetachError, match=r"x\.detach\(\)"):
        Tensor(torch.ones(2, requires_grad=True))


MAKERS: tuple[Callable[..., Tensor], ...] = (
    lambda **at: gw.zeros(2, **at),
    lambda **at: gw.full(2, Value(1.0), **at),
    lambda **at: gw.asarray([1.0, 2.0], **at),
    lambda **at: gw.asarray(Tensor([1.0]), requires_grad=True, **at),
    lambda **at: gw.astype(Tensor([1.0]), "float32", **at),
    lambda **at: gw.from_dlpack(np.ones(2), **at),
    lambda **at: gw.arange(3.0, **at),
)


def test_what_makes_arrays_takes_a_device(library: Library) -> None:
    for make in MAKERS:
        here, there = make(), make(device=library.name)
        assert library.holds(there)
        assert there.requires_grad == here.requires_grad
        np.testing.assert_allclose(there.to_device("numpy").numpy(), here.numpy())


def test_without_the_package_the_call_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    places._compat.cache_clear()
    for move in (Tensor([1.0]).to, Tensor([1.0]).to_device):
        with pytest.raises(MissingExtraError, match=r"^t\.to.*pip install") as caught:
            move("torch:cpu")
        assert "NumPy need nothing" in str(caught.value)
    places._compat.cache_clear()


def test_unknown_places_are_refused() -> None:
    for device in ("gpu", "mars:0"):
        with pytest.raises(OptionError, match="expected"):
            Tensor([1.0]).to_device(device)
    with pytest.raises((MissingExtraError, OptionError)):
        Tensor([1.0]).to_device("cupy:7")


@pytest.mark.peer
def test_cuda() -> None:
    torch: Any = pytest.importorskip("torch", reason="torch is not installed: NOT TESTED")
    if not torch.cuda.is_available():
        with pytest.raises(OptionError, match="a device that torch has here"):
            Tensor([1.0]).to("cuda")
        pytest.skip("no GPU on this machine: CUDA IS NOT TESTED")
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = (x.to("cuda") * 2.0).sin().sum()
    assert y.device.startswith("torch:cuda")
    y.backward()
    np.testing.assert_allclose(x.grad, 2.0 * np.cos([2.0, 4.0]))
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Tanh()).to("cuda")
    assert model(x.to("cuda")).device.startswith("torch:cuda")
    with pytest.raises(OptionError, match=r"cuda.*numpy"):
        x.to("cuda") + x
