"""Programs of Values whose numbers or gradients are not finite, each with its mended twin."""

from __future__ import annotations

from typing import Any

from gradwalk import (
    Value,
    exp,
    gradients,
    log,
    log_sigmoid,
    logsumexp,
    no_grad,
    replay,
    sigmoid,
    where,
)
from gradwalk.inspect import lines, why


def log_of_a_product_that_is_zero(mended: bool) -> Any:
    a, b = Value(0.5 if mended else 0.0), Value(2.0)
    with lines():
        p = a * b
        loss = log(p) * 3.0
    return why(loss)


def sqrt_of_a_distance_of_zero(mended: bool) -> Any:
    x, y = Value(1.5), Value(1.5)
    squares = (x - y) ** 2
    distance = (squares + (1e-12 if mended else 0.0)) ** 0.5
    distance.backward()
    return why(x)


def softmax_by_hand(mended: bool) -> Any:
    scores = [Value(900.0), Value(1.0)]
    largest = 900.0 if mended else 0.0
    powers = [exp(s - largest) for s in scores]
    loss = powers[1] / (powers[0] + powers[1])
    loss.backward()
    return why(loss)


def cross_entropy_of_a_saturated_sigmoid(mended: bool) -> Any:
    logit = Value(40.0)
    loss = -log_sigmoid(-logit) if mended else -log(1.0 - sigmoid(logit))
    return why(loss)


def recurrence_that_explodes(mended: bool) -> Any:
    h, w = Value(1.0), Value(0.9 if mended else 30.0)
    for _ in range(300):
        h = w * h
    return why(h)


def mean_of_nothing(mended: bool) -> Any:
    numbers = [Value(1.0)] if mended else []
    mean = sum(numbers, Value(0.0)) / Value(float(len(numbers)))
    return why(mean)


def masked_by_multiplication(mended: bool) -> Any:
    x, mask = Value(0.0), 0.0
    loss = where(x > 0, log(x), 0.0) if mended else mask * log(x)
    return why(loss)


def power_of_a_negative_base(mended: bool) -> Any:
    x = Value(-2.0)
    y = (abs(x) if mended else x) ** 0.5
    return why(y)


def nan_in_the_data(mended: bool) -> Any:
    rows, w = [1.0, 2.0 if mended else float("nan")], Value(0.5)
    loss = sum((w * x - 1.0) ** 2 for x in rows)
    return why(loss)


def replayed_until_it_overflows(mended: bool) -> Any:
    w = Value(1.0)
    step = replay(exp(w * w))
    w.data = 2.0 if mended else 40.0
    step()
    return why(step)


def second_derivative_at_zero(mended: bool) -> Any:
    x = Value(1.0 if mended else 0.0)
    slope = gradients(x**1.5, x, create_graph=True)
    slope.backward()
    return why(x)


def log_sum_of_exponentials(mended: bool) -> Any:
    xs = [Value(-800.0), Value(-900.0)]
    y = logsumexp(xs) if mended else log(exp(xs[0]) + exp(xs[1]))
    return why(y)


def update_without_a_graph(mended: bool) -> Any:
    w = Value(0.0)
    with no_grad():
        w.data = w.data + (0.1 if mended else float("inf"))
    return why(w * 2.0)


BROKEN: dict[Any, tuple[str, ...]] = {
    log_of_a_product_that_is_zero: ("log(0) = -inf", "0 * 2", "p = a * b", "which is a", "1e-12"),
    sqrt_of_a_distance_of_zero: ("backward pass of", "pow(0, 0.5)", "x.grad", "where("),
    softmax_by_hand: ("exp(900) = inf", "overflow", "softmax"),
    cross_entropy_of_a_saturated_sigmoid: ("log(0) = -inf", "1 - 1", "binary_cross_entropy"),
    recurrence_that_explodes: ("30 * ", "overflow", "mul (92 times)", "clip"),
    mean_of_nothing: ("0 / 0 = nan", "0/0", "exclude"),
    masked_by_multiplication: ("log(0) = -inf", "mul"),
    power_of_a_negative_base: ("pow(-2, 0.5) = nan", "a > 0", "softplus(x)"),
    nan_in_the_data: ("constant nan", "0.5 * nan", "missing entry"),
    replayed_until_it_overflows: ("exp(1600) = inf", "overflow"),
    second_derivative_at_zero: ("backward pass", "0", "derivative there is inf"),
    log_sum_of_exponentials: ("log(0) = -inf", "0 + 0", "logsumexp"),
    update_without_a_graph: ("w is inf itself", "trap"),
}
"""By program, what the explanation of the broken one says."""
