"""The update rules: pure straight-line functions of numbers.

A rule takes a parameter p, its gradient g, the state that the optimizer keeps for this parameter,
and the hyperparameters of the step; it returns the new p and the new state. It contains only
arithmetic and primitives, so that it runs on floats here and can be printed as C for the
native engine. Variants that would need an ``if`` are separate rules.

Every rule takes ``sign`` (-1.0 maximises) and ``weight_decay`` (adds the gradient of
½ weight_decay p²). The order of the operations is PyTorch's.
"""

from __future__ import annotations

import inspect
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..core.expect import one_of
from ..core.primitive import IEEEFloat
from ..engine.value import Value, engine
from ..ops.arithmetic import maximum
from ..ops.exponential import sqrt

__all__ = ["UPDATES", "Update", "apply_update", "clear_gradients", "update"]

Num: TypeAlias = Any
"""A float, an array, or a variable of a program that is printed as C."""


# --- gradient descent -----------------------------------------------------------------------


def sgd(p: Num, g: Num, lr: Num, weight_decay: Num, sign: Num) -> tuple[Num, ...]:
    """Return a step against the gradient."""
    g = sign * g + weight_decay * p
    return (p - lr * g,)


def sgd_momentum(
    p: Num, g: Num, b: Num, lr: Num, momentum: Num, intake: Num, weight_decay: Num, sign: Num
) -> tuple[Num, ...]:
    """Return a step by b, a running sum of gradients (Polyak 1964)."""
    g = sign * g + weight_decay * p
    b = momentum * b + intake * g
    return p - lr * b, b


def sgd_nesterov(
    p: Num, g: Num, b: Num, lr: Num, momentum: Num, intake: Num, weight_decay: Num, sign: Num
) -> tuple[Num, ...]:
    """Return a step of momentum that looks ahead (Nesterov 1983; Sutskever et al. 2013)."""
    g = sign * g + weight_decay * p
    b = momentum * b + intake * g
    return p - lr * (g + momentum * b), b


# --- steps scaled by the size of recent gradients -------------------------------------------


def adam(
    p: Num, g: Num, m: Num, v: Num,
    lr: Num, beta1: Num, beta2: Num, eps: Num, weight_decay: Num, shrink: Num, sign: Num,
    correction1: Num, correction2: Num,
) -> tuple[Num, ...]:  # fmt: skip
    """Return a step by running means m of g and v of g², bias-corrected (Kingma and Ba 2015).

    ``correction1`` is 1 - beta1ᵗ and ``correction2`` √(1 - beta2ᵗ) in step t; ``shrink`` is AdamW's
    decay, 1 - lr weight_decay, which is separate from the gradient (Loshchilov and Hutter 2019).
    """
    p = p * shrink
    g = sign * g + weight_decay * p
    m = m + (1.0 - beta1) * (g - m)
    v = beta2 * v + (1.0 - beta2) * g * g
    return p - lr / correction1 * m / (sqrt(v) / correction2 + eps), m, v


def amsgrad(
    p: Num, g: Num, m: Num, v: Num, peak: Num,
    lr: Num, beta1: Num, beta2: Num, eps: Num, weight_decay: Num, shrink: Num, sign: Num,
    correction1: Num, correction2: Num,
) -> tuple[Num, ...]:  # fmt: skip
    """Return a step of `adam` with the largest v so far instead of v (Reddi et al. 2018)."""
    p = p * shrink
    g = sign * g + weight_decay * p
    m = m + (1.0 - beta1) * (g - m)
    v = beta2 * v + (1.0 - beta2) * g * g
    peak = maximum(peak, v)
    return p - lr / correction1 * m / (sqrt(peak) / correction2 + eps), m, v, peak


def rmsprop(
    p: Num, g: Num, v: Num, b: Num,
    lr: Num, alpha: Num, eps: Num, weight_decay: Num, momentum: Num, sign: Num,
) -> tuple[Num, ...]:  # fmt: skip
    """Return a step by g over the root of the running mean of g² (Tieleman and Hinton 2012)."""
    g = sign * g + weight_decay * p
    v = alpha * v + (1.0 - alpha) * g * g
    b = momentum * b + g / (sqrt(v) + eps)
    return p - lr * b, v, b


def rmsprop_centered(
    p: Num, g: Num, v: Num, b: Num, m: Num,
    lr: Num, alpha: Num, eps: Num, weight_decay: Num, momentum: Num, sign: Num,
) -> tuple[Num, ...]:  # fmt: skip
    """Return a step of `rmsprop` by the variance v - m², m being the mean of g (Graves 2013)."""
    g = sign * g + weight_decay * p
    v = alpha * v + (1.0 - alpha) * g * g
    m = m + (1.0 - alpha) * (g - m)
    b = momentum * b + g / (sqrt(v - m * m) + eps)
    return p - lr * b, v, b, m


def adagrad(
    p: Num, g: Num, s: Num, lr: Num, eps: Num, weight_decay: Num, sign: Num
) -> tuple[Num, ...]:
    """Return a step by g over the root of the sum s of all g² so far (Duchi et al. 2011)."""
    g = sign * g + weight_decay * p
    s = s + g * g
    return p - lr * g / (sqrt(s) + eps), s


def adadelta(
    p: Num, g: Num, v: Num, u: Num, lr: Num, rho: Num, eps: Num, weight_decay: Num, sign: Num
) -> tuple[Num, ...]:
    """Return a step as long as recent ones: running means v of g², u of d² (Zeiler 2012)."""
    g = sign * g + weight_decay * p
    v = rho * v + (1.0 - rho) * g * g
    d = sqrt(u + eps) / sqrt(v + eps) * g
    u = rho * u + (1.0 - rho) * d * d
    return p - lr * d, v, u


# --- the rules as data ----------------------------------------------------------------------


@dataclass(frozen=True)
class Update:
    """An update rule, as data: a pure function of numbers, and the names of its arguments.

    Parameters
    ----------
    name
        The name of the rule, its key in `UPDATES`.
    rule
        A function of a parameter p, its gradient g, the state and the hyperparameters; it
        returns the new p and the new state.
    state
        The names of the numbers that are kept for each parameter, in order.
    hyper
        The names of the hyperparameters of a step, in order.

    See Also
    --------
    apply_update

    Examples
    --------
    >>> UPDATES["sgd_momentum"].state, UPDATES["sgd"].hyper
    (('b',), ('lr', 'weight_decay', 'sign'))
    """

    name: str
    rule: Callable[..., tuple[Num, ...]]
    state: tuple[str, ...]
    hyper: tuple[str, ...]


def _described(rule: Callable[..., tuple[Num, ...]], state: str = "") -> Update:
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
        _described(adadelta, "v u"),
    )
}
"""The update rules by name."""


def apply_update(
    name: str,
    params: Sequence[Value],
    state: Sequence[array[float]],
    hyper: tuple[float, ...],
) -> None:
    """Apply an update rule to every parameter in place: the reference of the native ``update``.

    Parameters
    ----------
    name
        The name of a rule, a key of `UPDATES`.
    params
        The Values that are changed, by their gradients.
    state
        One array for each name in ``UPDATES[name].state``, with a number for each parameter;
        they are changed, too.
    hyper
        The hyperparameters in the order of ``UPDATES[name].hyper``.

    Raises
    ------
    OptionError
        If there is no rule ``name``.
    TypeError
        If ``hyper`` has not a number for each hyperparameter.

    See Also
    --------
    Update, Optimizer

    Examples
    --------
    >>> p, b = Value(1.0), array("d", [0.0])
    >>> p.grad = 2.0
    >>> apply_update("sgd_momentum", [p], [b], (0.25, 0.9, 1.0, 0.0, 1.0))
    >>> p.data, b[0]
    (0.5, 2.0)
    """
    rule = UPDATES[one_of("apply_update(name)", name, UPDATES)].rule
    for index, p in enumerate(params):
        old = (p.data, p.grad, *[slot[index] for slot in state], *hyper)
        try:
            p.data, *new = rule(*old)
        except ZeroDivisionError:  # of plain floats; IEEE 754 defines the quotient
            p.data, *new = map(float, rule(*map(IEEEFloat, old)))
        for slot, number in zip(state, new, strict=True):
            slot[index] = number


def _clear_gradients(params: list[Any]) -> None:
    """Set the gradients of Values to 0.0."""
    for parameter in params:
        parameter.grad = 0.0


update: Callable[..., None] = getattr(engine, "update", apply_update)
"""``update(name, params, state, hyper)`` of the active engine."""

clear_gradients: Callable[[list[Any]], None] = getattr(engine, "clear_gradients", _clear_gradients)
"""``clear_gradients(params)`` of the active engine."""
