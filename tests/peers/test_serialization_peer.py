"""Files of PyTorch in the safetensors format load here, and those of gradwalk load there."""

from __future__ import annotations

import numpy as np
import pytest

import gradwalk
from gradwalk import nn
from gradwalk.errors import DataError
from gradwalk.nn import serialization

torch = pytest.importorskip("torch")
peer = pytest.importorskip("safetensors.torch")
pytestmark = pytest.mark.peer


def models(seed):
    """The same network in both libraries, with weights of their own."""
    torch.manual_seed(seed)
    theirs = torch.nn.Sequential(
        torch.nn.Linear(5, 7), torch.nn.ReLU(), torch.nn.Linear(7, 4), torch.nn.Tanh(),
        torch.nn.Linear(4, 2),
    )  # fmt: skip
    ours = nn.Sequential(
        nn.Linear(5, 7, seed=seed), nn.ReLU(), nn.Linear(7, 4, seed=seed + 1), nn.Tanh(),
        nn.Linear(4, 2, seed=seed + 2),
    )  # fmt: skip
    return theirs, ours


def predictions(theirs, ours):
    x = np.random.default_rng(0).normal(size=(6, 5)).astype(np.float32)
    with torch.no_grad():
        expected = theirs(torch.from_numpy(x)).numpy()
    return expected, ours(gradwalk.Tensor(x)).data


@pytest.mark.parametrize("seed", range(3))
def test_a_model_saved_from_pytorch_predicts_the_same_here(tmp_path, seed):
    theirs, ours = models(seed)
    ours = ours.to("float32")
    peer.save_file(theirs.state_dict(), tmp_path / "torch")
    assert not np.allclose(*predictions(theirs, ours), atol=1e-3)
    ours.load_state_dict(serialization.load(tmp_path / "torch"))
    np.testing.assert_allclose(*predictions(theirs, ours), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_a_model_saved_here_predicts_the_same_in_pytorch(tmp_path, seed):
    theirs, ours = models(seed)
    ours = ours.to("float32")
    serialization.save(ours, tmp_path / "ours", {"format": "pt"})
    theirs.load_state_dict(peer.load_file(tmp_path / "ours"))
    np.testing.assert_allclose(*predictions(theirs, ours), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool"]
)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3)])
def test_arrays_of_every_common_type_go_both_ways(tmp_path, dtype, shape):
    tensor = torch.randint(0, 2, shape).to(getattr(torch, dtype))
    peer.save_file({"x": tensor}, tmp_path / "torch")
    found = serialization.load(tmp_path / "torch")["x"]
    assert (found.dtype.name, found.shape) == (dtype, shape)
    np.testing.assert_array_equal(found, tensor.numpy())
    serialization.save({"x": found}, tmp_path / "ours")
    assert torch.equal(peer.load_file(tmp_path / "ours")["x"], tensor)


def test_bfloat16_is_refused_with_the_way_out(tmp_path):
    tensor = torch.ones(3, dtype=torch.bfloat16)
    peer.save_file({"x": tensor}, tmp_path / "half")
    with pytest.raises(DataError, match=r"x: .*got the type BF16.*tensor\.float\(\)"):
        serialization.load(tmp_path / "half")
    peer.save_file({"x": tensor.float()}, tmp_path / "single")
    assert serialization.load(tmp_path / "single")["x"].tolist() == [1.0, 1.0, 1.0]
