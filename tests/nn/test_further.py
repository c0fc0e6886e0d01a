"""Every module has a case: shapes, gradients of inputs and parameters, state dicts, options."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, nn, optim
from gradwalk.errors import GradwalkError
from gradwalk.nn import functional as F  # noqa: N812

from ..helpers.array_checks import check
from ..helpers.layer_cases import MODULES, Layer

STORED = Path(__file__).parents[1] / "expected"
TESTED = {
    case["name"] for case in json.loads((STORED / "nn_tensors.json").read_text("utf-8"))["modules"]
}
TESTED |= {
    text.partition("(")[0]
    for text in json.loads((STORED / "conv.json").read_text("utf-8"))["reprs"]
}
"""Modules whose numbers are stored with those of PyTorch."""
LOSSES = {"BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "HuberLoss", "KLDivLoss", "L1Loss"}
LOSSES |= {"MSELoss", "NLLLoss", "SmoothL1Loss"}  # in tests/nn/test_tensor_losses.py
CONTAINERS = {"Module", "ModuleDict", "ModuleList", "Sequential", "ParameterList", "ParameterDict"}
CONTAINERS |= {"TransformerEncoder", "TransformerDecoder"}  # parts of a Transformer
OF_VALUES = {"MLP", "Layer", "Neuron"}
CASES = [
    pytest.param(name, case, id=f"{name}-{i}")
    for name, cases in MODULES.items()
    for i, case in enumerate(cases)
]


def test_every_module_has_a_case() -> None:
    classes = {n for n in nn.__all__ if isinstance(thing := getattr(nn, n), type)
               and issubclass(thing, nn.Module)}  # fmt: skip
    assert (
        classes - TESTED - LOSSES - CONTAINERS - OF_VALUES - {"TransformerBlock"} <= MODULES.keys()
    )


def made(name: str, case: Layer) -> tuple[Any, list[Any]]:
    rng = np.random.default_rng(5)
    kind = getattr(nn, name)
    module = kind(*case.args, **case.options)
    for i, p in enumerate(module.parameters()):  # the draws are other ones in every run
        p.data = np.random.default_rng(i).normal(size=p.shape)
    return module, [np.asarray(draw(rng)) for draw in case.inputs]


def first(y: Any) -> Any:
    return y[0] if isinstance(y, tuple) else y


OF_INTEGERS = {"EmbeddingBag"}


@pytest.mark.parametrize(("name", "case"), [c for c in CASES if c.values[0] not in OF_INTEGERS])
def test_gradients_of_inputs(name: str, case: Layer) -> None:
    module, inputs = made(name, case)
    floats = [i for i, x in enumerate(inputs) if x.dtype.kind == "f"]
    if name.endswith("Loss") and name not in ("TripletMarginLoss", "GaussianNLLLoss", "CTCLoss"):
        floats = [i for i in floats if i < len(inputs) - 1]  # labels are constants
    assert floats
    for p in module.parameters():
        p.requires_grad = False
    y = first(module(*[Tensor(x, requires_grad=i in floats) for i, x in enumerate(inputs)]))
    assert y.requires_grad
    assert np.isfinite(y.data).all()
    big = name.startswith("Transformer")
    check(lambda *a: first(module(*a)), *inputs, wrt=floats, order=1 if big else 2,
          dtypes=("float64",), rtol=1e-4 if big else 1e-5)  # fmt: skip


WITH_PARAMETERS = [c for c in CASES if made(*c.values)[0].parameters()]


@pytest.mark.parametrize(("name", "case"), WITH_PARAMETERS)
def test_gradients_of_parameters(name: str, case: Layer) -> None:
    module, inputs = made(name, case)
    given = [Tensor(x) for x in inputs]
    for key, p in module.named_parameters():
        first(module(*given)).sum().backward()
        got, numbers = p.grad.copy(), p.data.copy()
        module.zero_grad()
        direction = np.random.default_rng(1).normal(size=p.shape)

        def total(step: float, p: Any = p, numbers: Any = numbers, d: Any = direction) -> float:
            p.data = numbers + step * d
            return float(first(module(*given)).sum().item())

        slope = (total(1e-6) - total(-1e-6)) / 2e-6
        p.data = numbers
        assert np.vdot(got, direction) == pytest.approx(slope, rel=1e-5, abs=1e-6), key


@pytest.mark.parametrize(("name", "case"), CASES)
def test_state_dicts_round_trip_and_copies_are_equal(name: str, case: Layer) -> None:
    module, inputs = made(name, case)
    given = [Tensor(x) for x in inputs]
    module.eval()
    expected = first(module(*given)).data
    other = getattr(nn, name)(*case.args, **case.options).eval()
    other.load_state_dict(module.state_dict())
    for twin in (other, copy.deepcopy(module)):
        np.testing.assert_array_equal(first(twin(*given)).data, expected)
    assert repr(module).startswith(name)


@pytest.mark.parametrize(
    "name", ["RNN", "Conv3d", "ConvTranspose2d", "EmbeddingBag", "Transformer"]
)
def test_equal_seeds_give_equal_modules(name: str) -> None:
    case = MODULES[name][0]
    both = [getattr(nn, name)(*case.args, **case.options, seed=4).state_dict() for _ in range(2)]
    assert all(np.array_equal(both[0][key], both[1][key]) for key in both[0])


# --- what is particular ---------------------------------------------------------------------------


def test_parameters_by_pytorchs_names() -> None:
    class Line(nn.Module):
        def __init__(self) -> None:
            self.slope = nn.Parameter(np.array([2.0]))
            self.others = nn.ParameterList([nn.Parameter([1.0]), np.ones(2)])
            self.named = nn.ParameterDict({"a": [1.0]})

        def forward(self, x: Any) -> Any:
            return x * self.slope + sum(p.sum() for p in self.others) + self.named["a"]

    line = Line()
    names = [name for name, _ in line.named_parameters()]
    assert names == ["slope", "others.0", "others.1", "named.a"]
    assert all(isinstance(p, nn.Parameter) for p in line.parameters())
    assert not isinstance(line(3.0), nn.Parameter)
    assert not isinstance(nn.Parameter([1.0], requires_grad=False), nn.Parameter)
    optim.SGD(line.parameters(), lr=0.1)
    line.others[-1] = [5.0]
    assert line.others[1].tolist() == [5.0]
    assert line.state_dict().keys() == set(names)
    with pytest.raises(IndexError):
        line.others[2]
    for wrong in (3, [None], "ab"):
        with pytest.raises(GradwalkError):
            nn.ParameterList(wrong)


def test_ctc_counts_all_alignments() -> None:
    """Against the sum over every path, collapsed: labels without repetitions and blanks."""
    from itertools import groupby, product

    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 3))
    x -= np.log(np.exp(x).sum(-1, keepdims=True))
    for target in ([1], [1, 2], [2, 2], [], [1, 2, 1]):
        paths = [p for p in product(range(3), repeat=4)
                 if [k for k, _ in groupby(p) if k] == target]  # fmt: skip
        total = sum(np.exp(sum(x[t, k] for t, k in enumerate(p))) for p in paths)
        got = F.ctc_loss(x, [target or [0]], [4], [len(target)], reduction="sum").item()
        assert got == pytest.approx(-np.log(total), rel=1e-12)
    assert F.ctc_loss(x[:2], [[1, 1]], [2], [2]).item() == np.inf
    assert F.ctc_loss(x[:2], [[1, 1]], [2], [2], zero_infinity=True).item() == 0.0


@pytest.mark.parametrize("call", [
    lambda: nn.Upsample()(Tensor(np.ones((1, 1, 2)))), lambda: nn.Upsample(2, mode="cubic")(IMAGE),
    lambda: nn.PixelShuffle(3)(IMAGE), lambda: nn.Fold(4, 3)(IMAGE[0]),
        lambda: nn.GLU(2)(IMAGE[0, 0]),
    lambda: nn.GroupNorm(3, 4), lambda: nn.InstanceNorm2d(5)(IMAGE), lambda: nn.RNN(2, 3, 1, "sin"),
    lambda: nn.EmbeddingBag(4, 2, "median"), lambda: nn.EmbeddingBag(4, 2)([0, 1]),
    lambda: nn.ConvTranspose2d(4, 2, 2)(IMAGE[:, :3]), lambda: nn.PReLU(3)(IMAGE),
    lambda: nn.ConvTranspose2d(4, 2, 2, output_padding=1)(IMAGE), lambda: F.conv3d(IMAGE, IMAGE),
    lambda: nn.CTCLoss()(np.ones((2, 1, 3)), [[5]], [2], [1]), lambda: nn.TransformerEncoder(3, 2),
    lambda: nn.CTCLoss()(np.ones((2, 1, 3)), [[1]], [3], [1]),
    lambda: nn.TripletMarginLoss(reduction="all"),
    lambda: nn.CTCLoss()(np.ones((2, 1, 3)), [[1]], [2], [-1]),
    *(lambda t=t, w=w: nn.MultiMarginLoss(weight=w)(np.ones((2, 3)), t)
      for t, w in (([0], None), ([[0], [1]], None), ([0, 3], None), ([0, -1], None),
                   ([0.0, 1.0], None), ([0, 1], [1.0, 2.0]))),
])  # fmt: skip
def test_what_does_not_fit_is_explained(call: Any) -> None:
    with pytest.raises(GradwalkError):
        call()


IMAGE = Tensor(np.ones((1, 4, 3, 3)))
