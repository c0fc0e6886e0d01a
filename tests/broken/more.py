"""Programs of other kinds that people post, with Values, Tensors and modules, and mended twins."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradwalk import Tensor, Value, compile, exp, log, no_grad, optim, relu, replay, sqrt, where
from gradwalk import maximum as larger
from gradwalk.check import kinks, precision
from gradwalk.inspect import why
from gradwalk.nn import functional as F  # noqa: N812


def accuracy_as_a_loss(mended: bool) -> Any:
    w = Tensor([[0.5, -1.0], [1.0, 2.0]], requires_grad=True)
    scores = w @ Tensor([[1.0, 2.0], [3.0, 4.0]])
    target = np.array([0, 1])
    if mended:
        loss = F.cross_entropy(scores, target)
    else:
        hits = scores.argmax(axis=1) == target
        loss = hits.mean() + (w * 1e-3).sum()
    loss.backward()
    return why(w) if mended else _cut(lambda: hits.mean().backward())


def _cut(program: Any) -> str:
    try:
        program()
    except Exception as error:
        return str(error)
    return ""


def dead_relu_of_values(mended: bool) -> Any:
    w, b = Value(1.0), Value(2.0 if mended else -5.0)
    y = relu(w * 2.0 + b)
    loss = (y - 1.0) ** 2
    loss.backward()
    return why(w)


def clipped_probability(mended: bool) -> Any:
    p = Value(0.3 if mended else 1.5)
    loss = where(p < 1.0, p, 1.0) * 2.0
    loss.backward()
    return why(p)


def rounded_prediction(mended: bool) -> Any:
    w = Value(1.3)
    predicted = w * 2.0
    error = (predicted if mended else round(predicted)) - 1.0
    loss = error * error
    loss.backward()
    return why(w)


def value_rewrapped(mended: bool) -> Any:
    w = Value(1.3)
    h = w * 2.0
    carried = h if mended else Value(h.data)
    loss = carried**2
    loss.backward()
    return why(w)


def norm_of_a_zero_row(mended: bool) -> Any:
    rows = Tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
    squares = (rows * rows).sum(axis=1, keepdims=True)
    unit = rows / ((squares + 1e-12).sqrt() if mended else squares.sqrt())
    loss = unit.sum()
    loss.backward()
    return why(loss)


def variance_of_one_number(mended: bool) -> Any:
    x = Tensor([2.0, 3.0] if mended else [2.0], requires_grad=True)
    loss = ((x - x.mean()) ** 2).sum() / Tensor(float(x.size - 1))
    return why(loss)


def divergence_of_equal_shares(mended: bool) -> Any:
    p = Tensor([0.0, 1.0], requires_grad=True)
    q = Tensor([0.5, 0.5])
    safe = where(p > 0.0, p, 1.0) if mended else p
    loss = (p * (safe / q).log()).sum()
    return why(loss)


def infinite_mask_in_a_whole_row(mended: bool) -> Any:
    scores = Tensor([[1.0, 2.0]], requires_grad=True)
    low = -1e9 if mended else -np.inf
    masked = scores + Tensor([[low, low]])
    powers = (masked - masked.max()).exp()
    return why(powers / powers.sum())


def learning_rate_that_diverges(mended: bool) -> Any:
    w = Value(1.0)
    optimizer = optim.SGD([w], lr=0.1 if mended else 1e200)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (w * w) ** 2
        loss.backward()
        optimizer.step()
    return why(w * 1.0)


def angle_from_a_cosine(mended: bool) -> Any:
    x = Tensor([1.0], requires_grad=True)
    cosine = x / (x * x).sqrt()
    angle = (cosine * (1.0 - 1e-9) if mended else cosine).acos()
    angle.sum().backward()
    return why(x)


def variance_by_the_difference_of_squares(mended: bool) -> Any:
    xs = [Value(1e8 + k) for k in range(3)]
    shift = 1e8 if mended else 0.0
    moved = [x - shift for x in xs]
    mean = sum(moved) / 3.0
    variance = sum(x * x for x in moved) / 3.0 - mean * mean
    found = precision(variance, xs)
    return "" if found.value.digits > 12.0 else found


def logarithm_of_nearly_one(mended: bool) -> Any:
    x = Tensor([1e-13], requires_grad=True)
    y = (x.log1p() if mended else (x + 1.0).log()).sum()
    found = precision(y, x)
    return "" if found.value.digits > 12.0 else found


def optimum_on_a_kink(mended: bool) -> Any:
    found = kinks(lambda x: (x * x if mended else abs(x)) + 1.0, 0.0)
    return found if len(found) else ""


def tie_of_two_scores(mended: bool) -> Any:
    found = kinks(lambda a, b: larger(a, b), 1.0, 1.5 if mended else 1.0)
    return found if len(found) else ""


def compiled_step_that_overflows(mended: bool) -> Any:
    w = Tensor([1.0, 2.0], requires_grad=True)
    step = replay(w.exp().sum())
    w.data = np.array([1.0, 2.0 if mended else 1000.0])
    step()
    return why(step)


def compiled_branch(mended: bool) -> Any:
    f = compile(lambda x: sqrt(x) if mended else relu(x - 1.0))
    f(2.0)
    found = kinks(f, 1.0)
    return found if len(found) else ""


def loss_inside_of_no_grad(mended: bool) -> Any:
    w = Value(2.0)
    if mended:
        loss = exp(w)
    else:
        with no_grad():
            h = exp(w)
        loss = h * 1.0
    loss.backward()
    return why(w)


def log_of_a_mean_that_vanishes(mended: bool) -> Any:
    xs = [Value(1e-200), Value(1e-200)]
    product = xs[0] * xs[1]
    loss = log(xs[0]) + log(xs[1]) if mended else log(product)
    return why(loss)


BROKEN: dict[Any, tuple[str, ...]] = {
    accuracy_as_a_loss: ("cut by a comparison", "hits = scores.argmax(axis=1) == target"),
    dead_relu_of_values: ("relu(-3)", "no gradient passes there", "leaky_relu"),
    clipped_probability: ("where(0, 1.5, 1)", "no gradient passes there"),
    rounded_prediction: ("cut by round", "round(predicted)", "stop_gradient"),
    value_rewrapped: ("cut by .data", "Value(h.data)", "without .data"),
    norm_of_a_zero_row: ("0 / 0 = nan at element [1, 0]", "divisor"),
    variance_of_one_number: ("0 / 0 = nan", "0/0"),
    divergence_of_equal_shares: ("log(0) = -inf at element [0]", "log_softmax"),
    infinite_mask_in_a_whole_row: ("-inf - -inf = nan", "1 + -inf", ".clip(-1e9)"),
    learning_rate_that_diverges: ("w is nan itself", "trap"),
    angle_from_a_cosine: ("acos(1) = 0", "derivative there is -inf", ".clip(-1 + 1e-7"),
    variance_by_the_difference_of_squares: ("sub: 1e+16 - 1e+16", "variance"),
    logarithm_of_nearly_one: ("log(1)", "digits are correct"),
    optimum_on_a_kink: ("abs", "-1", "slope 0 at 0"),
    tie_of_two_scores: ("maximum", "1 kink"),
    compiled_step_that_overflows: ("exp(1000) = inf at element [1]", "overflow"),
    compiled_branch: ("relu", "slope 0 at 0"),
    loss_inside_of_no_grad: ("cut by no_grad", "with no_grad():"),
    log_of_a_mean_that_vanishes: ("log(0) = -inf", "1e-200 * 1e-200"),
}
"""By program, what the tool says of the broken one."""
