"""Programs of Tensors and modules whose numbers or gradients are not finite, and mended twins."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradwalk import Tensor, nn, optim, where
from gradwalk.inspect import why
from gradwalk.nn import functional as F  # noqa: N812  (as everyone imports it)


def log_of_a_dead_unit(mended: bool) -> Any:
    w = Tensor([0.5, -1.0], requires_grad=True)
    h = w.softplus() if mended else w.relu()
    loss = (h.log() * 2.0).sum()
    loss.backward()
    return why(loss)


def log_in_a_masked_branch(mended: bool) -> Any:
    x = Tensor([1.0, 0.0], requires_grad=True)
    mask = x > 0
    loss = where(mask, x.log(), 0.0).sum() if mended else (x.log() * Tensor([1.0, 0.0])).sum()
    loss.backward()
    return why(x)


def sqrt_at_zero(mended: bool) -> Any:
    points = Tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
    squares = (points**2).sum(axis=1)
    loss = ((squares + 1e-12).sqrt() if mended else squares.sqrt()).sum()
    loss.backward()
    return why(points)


def normalised_by_a_sum_of_zero(mended: bool) -> Any:
    counts = Tensor([[1.0, 3.0], [0.0, 0.0]], requires_grad=True)
    total = counts.sum(axis=1, keepdims=True)
    shares = counts / (total + 1e-12 if mended else total)
    loss = (shares**2).sum()
    loss.backward()
    return why(counts)


def standardised_by_a_constant_column(mended: bool) -> Any:
    x = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    spread = x.std(axis=0) + (1e-8 if mended else 0.0)
    with np.errstate(all="ignore"):
        features = Tensor((x - x.mean(axis=0)) / spread)
    w = Tensor([0.1, 0.2], requires_grad=True)
    loss = (features @ w).sum()
    loss.backward()
    return why(loss)


def exploding_recurrence(mended: bool) -> Any:
    w = Tensor([[0.5, 0.1], [0.0, 0.4]] if mended else [[5.0, 1.0], [0.0, 9.0]], requires_grad=True)
    h = Tensor([1.0, 1.0])
    for _ in range(500):
        h = h @ w
    loss = h.sum()
    loss.backward()
    return why(loss)


def softmax_that_overflows(mended: bool) -> Any:
    scores = Tensor([[1000.0, 0.0]], requires_grad=True)
    p = F.softmax(scores) if mended else scores.exp() / scores.exp().sum()
    loss = (p * p).sum()
    loss.backward()
    return why(scores)


def entropy_of_a_certain_prediction(mended: bool) -> Any:
    logits = Tensor([[800.0, 0.0]], requires_grad=True)
    p, log_p = F.softmax(logits), F.log_softmax(logits)
    loss = -(p * (log_p if mended else p.log())).sum()
    loss.backward()
    return why(logits)


def angle_between_equal_vectors(mended: bool) -> Any:
    a = Tensor([1.0, 0.0], requires_grad=True)
    cosine = (a * Tensor([1.0, 0.0])).sum()
    loss = (cosine.clip(-1.0 + 1e-7, 1.0 - 1e-7) if mended else cosine).acos()
    loss.backward()
    return why(a)


def singular_matrix(mended: bool) -> Any:
    x = Tensor([[1.0, 2.0], [3.0, 4.0 if mended else 6.0]], requires_grad=True)
    det = x[0, 0] * x[1, 1] - x[0, 1] * x[1, 0]
    loss = (x / det).sum()
    loss.backward()
    return why(loss)


def overflow_of_float32(mended: bool) -> Any:
    x = Tensor(np.array([10.0 if mended else 100.0], dtype=np.float32), requires_grad=True)
    y = x.exp().sum()
    return why(y)


def intermediate_after_the_pass(mended: bool) -> Any:
    w = Tensor([0.5, 1.0 if mended else 0.0], requires_grad=True)
    h = w.log()
    loss = (h * h).sum()
    loss.backward()
    return why(h)


def parameters_after_an_update(mended: bool) -> Any:
    """The NaN has spread to all parameters before the user looks."""
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Tanh(), nn.Linear(3, 1, seed=1))
    optimizer, x = optim.SGD(model.parameters(), lr=0.1), Tensor([[0.0, 1.0], [1.0, 0.0]])
    for _ in range(3):
        optimizer.zero_grad()
        distance = (model(x) - model(x)) ** 2 if not mended else model(x) ** 2
        loss = distance.mean().sqrt()
        loss.backward()
        optimizer.step()
    return why(model)


def loss_after_an_update(mended: bool) -> Any:
    w = Tensor([1.0, 2.0], requires_grad=True)
    optimizer = optim.Adam([w], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((w - w) ** 2 + (1e-12 if mended else 0.0)).sum().sqrt() + (w * w).sum()
        loss.backward()
        optimizer.step()
    return why(loss)


def nan_in_the_data(mended: bool) -> Any:
    x = Tensor([[1.0, 2.0], [3.0, 0.0 if mended else np.nan]])
    model = nn.Linear(2, 1, seed=0)
    loss = (model(x) ** 2).mean()
    loss.backward()
    return why(model)


def gradient_as_an_array(mended: bool) -> Any:
    x = Tensor([4.0, 1.0 if mended else 0.0], requires_grad=True)
    x.sqrt().sum().backward()
    return why(x.grad)


BROKEN: dict[Any, tuple[str, ...]] = {
    log_of_a_dead_unit: ("log(0) = -inf at element [1]", "relu(-1) in h = ", "w.softplus()"),
    log_in_a_masked_branch: (
        "log(0) = -inf at element [1]",
        "0 is x[1]",
        "with the incoming gradient 0",
    ),
    sqrt_at_zero: ("sqrt(0) = 0 at element [1]", "derivative there is inf", "1e-12", "square"),
    normalised_by_a_sum_of_zero: ("0 / 0 = nan at element [1, 0]", "shares = counts", "divisor"),
    standardised_by_a_constant_column: (
        "the constant nan (element [0, 1] of an operand of matmul)",
        "(spread + 1e-5)",
    ),
    exploding_recurrence: ("matmul", "overflow", "numbers grow in each of"),
    softmax_that_overflows: ("exp(1000) = inf at element [0, 0]", "scores[0, 0]", "softmax"),
    entropy_of_a_certain_prediction: ("log(0) = -inf at element [0, 1]", "log_softmax"),
    angle_between_equal_vectors: ("acos(1) = 0", "derivative there is -inf", "clip"),
    singular_matrix: ("1 / 0 = inf at element [0, 0]", "loss = (x / det).sum()"),
    overflow_of_float32: ("exp(100) = inf at element [0]", "overflow"),
    intermediate_after_the_pass: ("log(0) = -inf at element [1]", "h = w.log()"),
    parameters_after_an_update: ("sqrt(0) = 0", "loss = distance.mean().sqrt()"),
    loss_after_an_update: ("backward pass of sqrt(0) = 0", "sub", "→ w"),
    nan_in_the_data: ("the constant nan (element [1, 1] of an operand of affine)", "missing entry"),
    gradient_as_an_array: ("x.grad has 1 inf", "sqrt(0) = 0 at element [1]"),
}
"""By program, what the explanation of the broken one says."""
