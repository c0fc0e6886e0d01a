"""The update rules: pure straight-line functions of numbers.

A rule takes a parameter p, its gradient g, the state that the optimizer keeps for this parameter,
and the hyperparameters of the step; it returns the new p and the new state. It contains only
arithmetic and rows of the table, so that it runs on floats here and can be printed as C for the
native engine. Variants that would need an ``if`` are rules of their own.

Every rule knows ``sign`` (-1.0 climbs instead of descending) and ``weight_decay`` (the gradient
of ½ weight_decay p² joins in). The order of the operations is PyTorch's.
"""

from __future__ import annotations

import inspect
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.primitive import IEEEFloat
from ..engine.value import Value, engine
from ..ops.arithmetic import maximum
from ..ops.exponential import sqrt

__all__ = ["UPDATES", "Update", "apply_update", "update"]


# --- gradient descent -----------------------------------------------------------------------


def sgd(p: Any, g: Any, lr: Any, weight_decay: Any, sign: Any) -> tuple[Any, ...]:
    """One step downhill."""
    g = sign * g + weight_decay * p
    return (p - lr * g,)


def sgd_momentum(
    p: Any, g: Any, b: Any, lr: Any, momentum: Any, intake: Any, weight_decay: Any, sign: Any
) -> tuple[Any, ...]:
    """Steps that remember: b is a running sum of gradients (Polyak 1964)."""
    g = sign * g + weight_decay * p
    b = momentum * b + intake * g
    return p - lr * b, b


def sgd_nesterov(
    p: Any, g: Any, b: Any, lr: Any, momentum: Any, intake: Any, weight_decay: Any, sign: Any
) -> tuple[Any, ...]:
    """Momentum that looks one step ahead (Nesterov 1983, as Sutskever et al. 2013 write it)."""
    g = sign * g + weight_decay * p
    b = momentum * b + intake * g
    return p - lr * (g + momentum * b), b


# --- steps scaled by the size of recent gradients -------------------------------------------


def adam(
    p: Any, g: Any, m: Any, v: Any,
    lr: Any, beta1: Any, beta2: Any, eps: Any, weight_decay: Any, shrink: Any, sign: Any,
    correction1: Any, correction2: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """Running means m of g and v of g², freed of their bias towards 0 (Kingma and Ba 2015).

    ``correction1`` is 1 - beta1ᵗ and ``correction2`` √(1 - beta2ᵗ) in step t; ``shrink`` is AdamW's
    decay, 1 - lr weight_decay, apart from the gradient (Loshchilov and Hutter 2019).
    """
    p = p * shrink
    g = sign * g + weight_decay * p
    m = m + (1.0 - beta1) * (g - m)
    v = beta2 * v + (1.0 - beta2) * g * g
    return p - lr / correction1 * m / (sqrt(v) / correction2 + eps), m, v


def amsgrad(
    p: Any, g: Any, m: Any, v: Any, peak: Any,
    lr: Any, beta1: Any, beta2: Any, eps: Any, weight_decay: Any, shrink: Any, sign: Any,
    correction1: Any, correction2: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """`adam` with the largest v so far in the place of v (Reddi, Kale and Kumar 2018)."""
    p = p * shrink
    g = sign * g + weight_decay * p
    m = m + (1.0 - beta1) * (g - m)
    v = beta2 * v + (1.0 - beta2) * g * g
    peak = maximum(peak, v)
    return p - lr / correction1 * m / (sqrt(peak) / correction2 + eps), m, v, peak


def rmsprop(
    p: Any, g: Any, v: Any, b: Any,
    lr: Any, alpha: Any, eps: Any, weight_decay: Any, momentum: Any, sign: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """Gradients over the root of the running mean v of g² (Tieleman and Hinton 2012)."""
    g = sign * g + weight_decay * p
    v = alpha * v + (1.0 - alpha) * g * g
    b = momentum * b + g / (sqrt(v) + eps)
    return p - lr * b, v, b


def rmsprop_centered(
    p: Any, g: Any, v: Any, b: Any, m: Any,
    lr: Any, alpha: Any, eps: Any, weight_decay: Any, momentum: Any, sign: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """`rmsprop` by the variance, v - m², with the running mean m of g (Graves 2013)."""
    g = sign * g + weight_decay * p
    v = alpha * v + (1.0 - alpha) * g * g
    m = m + (1.0 - alpha) * (g - m)
    b = momentum * b + g / (sqrt(v - m * m) + eps)
    return p - lr * b, v, b, m


def adagrad(
    p: Any, g: Any, s: Any, lr: Any, eps: Any, weight_decay: Any, sign: Any
) -> tuple[Any, ...]:
    """Gradients over the root of the sum s of all g² so far (Duchi, Hazan and Singer 2011)."""
    g = sign * g + weight_decay * p
    s = s + g * g
    return p - lr * g / (sqrt(s) + eps), s


# --- the rules as data ----------------------------------------------------------------------


@dataclass(frozen=True)
class Update:
    """An update rule: its function, its state numbers per parameter, its hyperparameters."""

    name: str
    rule: Callable[..., tuple[Any, ...]]
    state: tuple[str, ...]
    hyper: tuple[str, ...]


def _described(rule: Callable[..., tuple[Any, ...]], state: str = "") -> Update:
    slots = tuple(state.split())
    names = tuple(inspect.signature(rule).parameters)
    assert names[: 2 + len(slots)] == ("p", "g", *slots), rule
    return Update(rule.__name__, rule, slots, names[2 + len(slots) :])


UPDATES: dict[str, Update] = {
    described.name: described
    for described in (
        _described(sgd),
        _described(sgd_momentum, "b"),
        _described(sgd_nesterov, "b"),
        _described(adam, "m v"),
        _described(amsgrad, "m v peak"),
        _described(rmsprop, "v b"),
        _described(rmsprop_centered, "v b m"),
        _described(adagrad, "s"),
    )
}
"""Name of an update rule -> its record."""


def apply_update(
    name: str,
    params: Sequence[Value],
    state: Sequence[array[float]],
    hyper: tuple[float, ...],
) -> None:
    """Apply the rule ``name`` to every parameter in place: what the native ``update`` is to do.

    ``state`` holds one array per state number, with one member per parameter.

    >>> p, b = Value(1.0), array("d", [0.0])
    >>> p.grad = 2.0
    >>> apply_update("sgd_momentum", [p], [b], (0.25, 0.9, 1.0, 0.0, 1.0))
    >>> p.data, b[0]
    (0.5, 2.0)
    """
    rule = UPDATES[name].rule
    for index, p in enumerate(params):
        old = (p.data, p.grad, *[slot[index] for slot in state], *hyper)
        try:
            p.data, *new = rule(*old)
        except ZeroDivisionError:  # plain floats; IEEE 754 has an answer
            p.data, *new = map(float, rule(*map(IEEEFloat, old)))
        for slot, number in zip(state, new, strict=True):
            slot[index] = number


update: Callable[..., None] = getattr(engine, "update", apply_update)
"""``update(name, params, state, hyper)`` of the engine that runs."""
