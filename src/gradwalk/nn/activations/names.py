"""Activation functions by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...core.expect import describe
from ...engine.functions import (
    elu,
    gelu,
    hardtanh,
    leaky_relu,
    relu,
    selu,
    sigmoid,
    silu,
    sin,
    softplus,
    tanh,
)
from ...errors import OptionError

__all__ = ["ACTIVATIONS", "Activation", "activation_function"]

Activation = str | Callable[[Any], Any] | None  # the kind of number is the caller's
"""A name from `ACTIVATIONS`, any function of one number, or ``None`` for none."""

ACTIVATIONS: dict[str, Callable[[Any], Any] | None] = {
    "linear": None,
    "tanh": tanh,
    "relu": relu,
    "sigmoid": sigmoid,
    "gelu": gelu,
    "gelu_tanh": partial(gelu, approximate="tanh"),
    "silu": silu,
    "leaky_relu": leaky_relu,
    "elu": elu,
    "selu": selu,
    "softplus": softplus,
    "hardtanh": hardtanh,
    "sin": sin,
}
"""The activations that have a name."""


def activation_function(activation: Activation, where: str) -> Callable[[Any], Any] | None:
    """Return the function that ``activation`` names; ``None`` is the identity.

    >>> activation_function("tanh", "here")(0.0)
    0.0
    """
    if activation is None or callable(activation):
        return activation
    if isinstance(activation, str) and activation in ACTIVATIONS:
        return ACTIVATIONS[activation]
    raise OptionError(
        where=f"{where}(activation=...)",
        expected=f"one of {', '.join(ACTIVATIONS)}, None or a function",
        got=describe(activation),
        fix="Check the spelling, or pass a function of one Value.",
    )
