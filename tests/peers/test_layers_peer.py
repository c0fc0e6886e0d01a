"""Modules beside PyTorch's: the same arguments and defaults, weights, outputs and gradients."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, nn

from ..helpers.layer_cases import MODULES, Layer

torch = pytest.importorskip("torch")
NOT_OURS = {"device", "dtype", "args", "kwargs", "padding_mode", "recompute_scale_factor", "reduce"}
NOT_OURS |= {
    "return_indices",
    "size_average",
    "custom_encoder",
    "custom_decoder",
    "max_norm",
    "sparse",
}
NOT_OURS |= {"norm_type", "scale_grad_by_freq", "_weight", "include_last_offset"}
CASES = [
    pytest.param(name, case, id=f"{name}-{i}")
    for name, cases in MODULES.items()
    for i, case in enumerate(cases)
]


@pytest.mark.parametrize("name", MODULES)
def test_arguments_and_defaults(name: str) -> None:
    ours, theirs = (inspect.signature(getattr(m, name)).parameters for m in (nn, torch.nn))
    assert set(theirs) - NOT_OURS <= set(ours)
    for key in set(ours) & set(theirs) - {"dtype", "activation"}:
        assert ours[key].default == theirs[key].default, key


@pytest.mark.parametrize(("name", "case"), CASES)
def test_numbers(name: str, case: Layer) -> None:
    rng = np.random.default_rng(3)
    ours = getattr(nn, name)(*case.args, **case.options)
    theirs = getattr(torch.nn, name)(*case.args, **case.options).double()
    theirs.load_state_dict({k: torch.as_tensor(v) for k, v in ours.state_dict().items()})
    inputs = [np.asarray(draw(rng)) for draw in case.inputs]
    trained = [x.dtype.kind == "f" for x in inputs]
    if name.endswith("Loss") and name not in ("TripletMarginLoss", "GaussianNLLLoss", "CTCLoss"):
        trained[-1] = False
    xs = [Tensor(x, requires_grad=g) for x, g in zip(inputs, trained, strict=True)]
    ys = [torch.tensor(x, requires_grad=g) for x, g in zip(inputs, trained, strict=True)]
    if name == "CTCLoss":  # PyTorch's gradient is that of what log_softmax is applied to
        ours_in, theirs_in = (
            [nn.functional.log_softmax(xs[0]), *xs[1:]],
            [ys[0].log_softmax(-1), *ys[1:]],
        )
    else:
        ours_in, theirs_in = xs, ys
    got, expected = ours(*ours_in), theirs(*theirs_in)
    got, expected = (y[0] if isinstance(y, tuple) else y for y in (got, expected))
    near: dict[str, Any] = {"rtol": 1e-7, "atol": 1e-8}
    np.testing.assert_allclose(got.data, expected.detach().numpy(), **near)
    if got.requires_grad:
        got.sum().backward()
        expected.sum().backward()
    for x, y in zip(xs, ys, strict=True):
        if y.grad is not None:
            np.testing.assert_allclose(x.grad, y.grad.numpy(), **near)
    for key, p in theirs.named_parameters():
        if p.grad is not None:
            mine = dict(ours.named_parameters())[key]
            np.testing.assert_allclose(mine.grad, p.grad.numpy(), **near)
    for key, state in theirs.state_dict().items():  # running statistics
        np.testing.assert_allclose(np.asarray(ours.state_dict()[key]), state.numpy(), **near)
