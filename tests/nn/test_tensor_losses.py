"""Losses of Tensors: PyTorch's numbers, extreme logits, second order, errors."""

from __future__ import annotations

import json
import math
from pathlib import Path

import mpmath
import numpy as np
import pytest

from gradwalk import Tensor, Value, nn
from gradwalk.errors import DataError, NotANumberError, OptionError, SizeError
from gradwalk.nn import functional as F  # noqa: N812
from gradwalk.tensor.graph.backward import gradients

EXPECTED = json.loads((Path(__file__).parents[1] / "expected/nn_tensors.json").read_text("utf-8"))
LOSSES = EXPECTED["losses"]
CLOSE = {"rtol": 1e-10, "atol": 1e-12}
MODULES = {
    "mse_loss": nn.MSELoss,
    "l1_loss": nn.L1Loss,
    "huber_loss": nn.HuberLoss,
    "smooth_l1_loss": nn.SmoothL1Loss,
    "binary_cross_entropy": nn.BCELoss,
    "binary_cross_entropy_with_logits": nn.BCEWithLogitsLoss,
    "cross_entropy": nn.CrossEntropyLoss,
    "nll_loss": nn.NLLLoss,
    "kl_div": nn.KLDivLoss,
}
OURS = {"mse_loss": "mse", "l1_loss": "mae", "huber_loss": "huber", "nll_loss": "nll"}
OURS |= {"smooth_l1_loss": "smooth_l1"}


def name_of(case):
    return "-".join([case["name"], *(f"{k}={v}" for k, v in case["options"].items())])


def given(case):
    return Tensor(case["predictions"], requires_grad=True), np.array(case["targets"])


@pytest.mark.parametrize("case", LOSSES, ids=name_of)
def test_losses_have_the_numbers_of_pytorch(case):
    x, targets = given(case)
    loss = getattr(F, case["name"])(x, Tensor(targets), **case["options"])
    np.testing.assert_allclose(loss.data, case["loss"], **CLOSE)
    (gradient,) = gradients(loss, [x], case["seed"], create_graph=True)
    np.testing.assert_allclose(gradient.data, case["gradient"], **CLOSE)
    if gradient.requires_grad:
        along = (gradient * Tensor(case["direction"])).sum()
        (second,) = gradients(along, [x], None, create_graph=False)
        np.testing.assert_allclose(second, case["second"], rtol=1e-8, atol=1e-12)
    else:
        assert not np.any(case["second"])


@pytest.mark.parametrize("case", LOSSES, ids=name_of)
def test_modules_and_short_names_are_the_same_functions(case):
    x, targets = given(case)
    loss = getattr(F, case["name"])(x, targets, **case["options"]).data
    np.testing.assert_array_equal(MODULES[case["name"]](**case["options"])(x, targets).data, loss)
    short = getattr(nn, OURS.get(case["name"], case["name"]))
    np.testing.assert_array_equal(short(x, targets, **case["options"]).data, loss)


@pytest.mark.parametrize(
    "case", [c for c in LOSSES if c["options"]["reduction"] == "mean"], ids=name_of
)
def test_losses_stay_in_float32(case):
    x = Tensor(case["predictions"], dtype="float32", requires_grad=True)
    targets = np.array(case["targets"])
    targets = targets.astype(np.float32) if targets.dtype.kind == "f" else targets
    options = {
        k: np.array(v, np.float32) if isinstance(v, list) else v for k, v in case["options"].items()
    }
    loss = getattr(F, case["name"])(x, targets, **options)
    loss.backward()
    assert loss.dtype == x.grad.dtype == np.float32
    np.testing.assert_allclose(loss.data, case["loss"], rtol=1e-5, atol=1e-6)


# --- where others lose digits -------------------------------------------------------------------


def surprise(row, target):
    with mpmath.workdps(400):
        row = [mpmath.mpf(x) for x in row]
        exact = mpmath.log(sum(mpmath.exp(x - row[target]) for x in row))
        shares = [1 / sum(mpmath.exp(y - x) for y in row) for x in row]
        rest = -sum(s for i, s in enumerate(shares) if i != target)
        slopes = [rest if i == target else s for i, s in enumerate(shares)]
        return float(exact), [float(s) for s in slopes]


@pytest.mark.parametrize(
    "row",
    [
        [0.0, -40.0, -45.0],  # a surprise of 4e-18, which ln Σ - x rounds to 0
        [700.0, 0.0, -300.0],
        [-40.0, 0.0, -45.0],
        [1.0, 1.0 + 1e-12, -3.0],
        [1e4, 1e4 - 1.0, 0.0],
    ],
)
def test_surprises_are_accurate_however_small(row):
    x = Tensor([row], requires_grad=True)
    loss = nn.cross_entropy(x, [0])
    loss.backward()
    exact, slopes = surprise(row, 0)
    assert loss.item() == pytest.approx(exact, rel=1e-14, abs=1e-320)
    np.testing.assert_allclose(x.grad[0], slopes, rtol=1e-13, atol=1e-320)


@pytest.mark.parametrize("x", [-800.0, -40.0, -30.0, 0.0, 1e-9, 25.0, 900.0])
@pytest.mark.parametrize("label", [0.0, 1.0])
def test_logits_of_labels_are_accurate(x, label):
    leaf = Tensor([x], requires_grad=True)
    loss = nn.binary_cross_entropy_with_logits(leaf, [label])
    loss.backward()
    with mpmath.workdps(400):
        e = mpmath.exp(-x if label else x)
        exact, slope = mpmath.log(1 + e), e / (1 + e) * (-1 if label else 1)
    assert loss.item() == pytest.approx(float(exact), rel=1e-15, abs=0.0)
    assert leaf.grad[0] == pytest.approx(float(slope), rel=1e-14, abs=0.0)


def test_ignored_rows_have_no_gradient_whatever_is_in_them():
    x = Tensor([[0.0, 1.0], [math.nan, math.inf]], requires_grad=True)
    with np.errstate(all="ignore"):
        loss = nn.cross_entropy(x, [1, -100])
        (gradient,) = gradients(loss, [x], None, create_graph=True)
    assert math.isfinite(loss.item())
    assert gradient.data[1].tolist() == [0.0, 0.0]
    assert np.isfinite(gradient.data[0]).all()
    logs = Tensor([[-0.5, -1.0], [-math.inf, math.nan]], requires_grad=True)
    loss = nn.nll(logs, [1, -100])
    loss.backward()
    assert loss.item() == 1.0
    assert logs.grad.tolist() == [[0.0, -1.0], [0.0, 0.0]]


def test_probabilities_of_0_and_1_have_a_floor():
    p = Tensor([0.0, 1.0, 0.0, 1.0], requires_grad=True)
    loss = nn.binary_cross_entropy(p, [0.0, 1.0, 1.0, 0.0], reduction="none")
    assert loss.tolist() == [0.0, 0.0, 100.0, 100.0]
    (gradient,) = gradients(loss.sum(), [p], None, create_graph=True)
    assert gradient.tolist() == [1.0, -1.0, -1e12, 1e12]  # PyTorch's: what is wrong still learns
    assert np.isfinite(gradients(gradient.sum(), [p], None, create_graph=False)[0]).all()


def test_targets_may_be_learned_too():
    p, t = Tensor([0.2, 0.7], requires_grad=True), Tensor([0.5, 1.0], requires_grad=True)
    nn.binary_cross_entropy(p, t, reduction="sum").backward()
    np.testing.assert_allclose(t.grad, [math.log(4.0), math.log(0.3 / 0.7)])
    x, s = Tensor([[1.0, 2.0]], requires_grad=True), Tensor([[0.25, 0.75]], requires_grad=True)
    nn.cross_entropy(x, s).backward()
    z = math.log(math.exp(1.0) + math.exp(2.0))
    np.testing.assert_allclose(s.grad, [[z - 1.0, z - 2.0]])
    logits = Tensor([0.5], requires_grad=True)
    label, weight = Tensor([0.3], requires_grad=True), Tensor([2.0], requires_grad=True)
    nn.binary_cross_entropy_with_logits(logits, label, pos_weight=weight).backward()
    up, down = math.log1p(math.exp(0.5)), math.log1p(math.exp(-0.5))
    np.testing.assert_allclose(label.grad, [2.0 * down - up])
    np.testing.assert_allclose(weight.grad, [0.3 * down])


def test_targets_are_copied():
    x, classes = Tensor([[0.0, 1.0], [1.0, 0.0]], requires_grad=True), np.array([0, 1])
    loss = nn.cross_entropy(x, classes)
    classes[:] = [1, 0]  # the caller's buffer is used again
    loss.backward()
    assert (np.diag(x.grad) < 0).all()


@pytest.mark.parametrize("classes", [3, 200])
def test_sweeps_may_be_repeated_on_rows_of_any_length(classes):
    draw = np.random.default_rng(0)
    x = Tensor(draw.normal(size=(4, classes)), requires_grad=True)
    loss = nn.cross_entropy(x, [0, 2, 1, 2])
    loss.backward(retain_graph=True)
    first = x.grad.copy()
    loss.backward()
    np.testing.assert_array_equal(x.grad, 2.0 * first)
    with mpmath.workdps(30):
        shares = [[mpmath.exp(v) for v in row] for row in x.tolist()]
    p = np.array([[float(v / sum(row)) for v in row] for row in shares])
    p[range(4), [0, 2, 1, 2]] -= 1.0
    np.testing.assert_allclose(first, p / 4, rtol=1e-12)
    half = Tensor(np.full((2, 300), 9.0), dtype="float16", requires_grad=True)
    loss = nn.cross_entropy(half, [0, 1])
    loss.backward()
    assert loss.dtype == half.grad.dtype == np.float16
    assert loss.item() == pytest.approx(math.log(300), rel=1e-3)


def test_empty_batches_have_no_terms():
    x = Tensor(np.zeros((0, 3)), requires_grad=True)
    loss = nn.cross_entropy(x, np.zeros(0, int), reduction="sum")
    loss.backward()
    assert loss.item() == 0.0
    assert x.grad.shape == (0, 3)


def test_hinge_is_that_of_values():
    scores, labels = [2.0, 0.5, -1.0], [1, -1, 1]
    x = Tensor(scores, requires_grad=True)
    loss = nn.hinge(x, labels, margin=1.5)
    assert loss.item() == pytest.approx(nn.hinge(scores, labels, margin=1.5))
    loss.backward()
    np.testing.assert_allclose(x.grad, [0.0, 1 / 3, -1 / 3])


def test_batchmean_divides_by_the_length_of_the_first_axis():
    logs, goal = Tensor(np.log([[0.25, 0.75], [0.5, 0.5]])), np.array([[0.5, 0.5], [0.0, 1.0]])
    total = F.kl_div(logs, goal, reduction="sum").item()
    assert nn.KLDivLoss("batchmean")(logs, goal).item() == pytest.approx(total / 2)
    assert F.kl_div(Tensor(-1.0), Tensor(0.5), reduction="batchmean").item() == pytest.approx(
        0.5 * (math.log(0.5) + 1.0)
    )


# --- Values -------------------------------------------------------------------------------------


def test_new_losses_of_values():
    p = [Value(0.5), Value(3.0)]
    loss = nn.smooth_l1(p, [0.0, 0.0], beta=2.0)
    loss.backward()
    assert loss.data == pytest.approx((0.0625 + 2.0) / 2)
    assert [v.grad for v in p] == [0.125, 0.5]
    assert nn.smooth_l1(p, [0.0, 0.0], beta=0, reduction="sum").data == 3.5
    logs = [Value(-1.0), Value(-2.0)]
    assert nn.kl_div(logs, [1.0, 0.0], reduction="sum").data == 1.0
    logged = nn.kl_div(logs, [math.log(0.5)] * 2, reduction="none", log_target=True)
    assert [v.data for v in logged] == pytest.approx(
        [0.5 * (1 - math.log(2)), 1 - 0.5 * math.log(2)]
    )
    share = Value(0.5)
    nn.kl_div([-1.0], [share]).backward()
    assert share.grad == pytest.approx(math.log(0.5) + 2.0)


# --- errors -------------------------------------------------------------------------------------

X = Tensor([[0.0, 1.0], [2.0, 3.0]])
ERRORS = {
    "mse(targets): expected the shape of the predictions, (2, 2), got shape (2,)": (
        SizeError,
        lambda: nn.mse(X, [1.0, 2.0]),
    ),
    'mse(reduction=...): expected "mean", "sum" or "none", got str': (
        OptionError,
        lambda: nn.mse(X, X, reduction="average"),
    ),
    "huber(delta=...): expected a positive number": (OptionError, lambda: nn.huber(X, X, delta=0)),
    "smooth_l1(beta=...): expected a positive number": (
        OptionError,
        lambda: nn.smooth_l1(X, X, beta=-1),
    ),
    "hinge(targets): expected labels -1 and +1": (DataError, lambda: nn.hinge(X[0], [0, 1])),
    "binary_cross_entropy(predictions): expected numbers from 0 to 1, got float 2.0": (
        DataError,
        lambda: nn.binary_cross_entropy(X, X),
    ),
    "binary_cross_entropy(targets): expected numbers from 0 to 1": (
        DataError,
        lambda: nn.binary_cross_entropy(X[0], [-1.0, 1.0]),
    ),
    "cross_entropy(targets): expected numbers of classes, 0 to 1, got": (
        DataError,
        lambda: nn.cross_entropy(X, [0, 2]),
    ),
    "cross_entropy(targets): expected numbers of classes": (
        DataError,
        lambda: nn.cross_entropy(X, [0, -1]),
    ),
    "cross_entropy(targets): expected numbers of classes, 0 to 1": (
        DataError,
        lambda: nn.cross_entropy(X, np.array([True, False])),
    ),
    "cross_entropy(targets): expected one class for each of (2,) rows, got shape (2, 1)": (
        SizeError,
        lambda: nn.cross_entropy(X, [[0], [1]]),
    ),
    "cross_entropy: expected an axis of classes": (
        SizeError,
        lambda: nn.cross_entropy(Tensor(1.0), 0),
    ),
    "cross_entropy(weight): expected one weight for each of 2 classes, got shape (3,)": (
        SizeError,
        lambda: nn.cross_entropy(X, [0, 1], weight=[1.0, 1.0, 1.0]),
    ),
    "cross_entropy(label_smoothing=...): expected a number from 0 to 1": (
        OptionError,
        lambda: nn.cross_entropy(X, [0, 1], label_smoothing=1.5),
    ),
    "nll(targets): expected numbers of classes": (DataError, lambda: nn.nll(X, [0.0, 1.0])),
    "mse(predictions): expected": (NotANumberError, lambda: nn.mse([Value(1.0)], Tensor([1.0]))),
    "MSELoss(reduction=...): expected one of mean, sum, none": (
        OptionError,
        lambda: nn.MSELoss("batchmean"),
    ),
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    kind, act = ERRORS[text]
    with pytest.raises(kind) as caught:
        act()
    assert text in str(caught.value)


def test_weights_of_loss_modules_are_state():
    module = nn.BCEWithLogitsLoss(pos_weight=[2.0, 3.0])
    assert {k: v.tolist() for k, v in module.state_dict().items()} == {"pos_weight": [2.0, 3.0]}
    assert module.parameters() == []
