"""Initialisers: they draw new numbers into the weights of a layer, in place, from a seed.

``weights`` is a list of rows, one row of Values per neuron (``layer.weights``), or the weights of a
single neuron. Its fan-in is the length of a row and its fan-out the number of rows. ``seed`` is
an int, a `random.Random` to draw on from, or ``None`` for fresh entropy; the global generator of
`random` is neither used nor changed.

``weights`` may as well be a Tensor, (out, in) or (out, in, *kernel): it gets a new array, stays the
same leaf, and is given back, as PyTorch's functions do. Then ``seed`` may be a numpy Generator too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..core.expect import describe
from ..core.seeds import Seed, generator
from ..engine.value import Value
from ..errors import NotANumberError, SizeError
from .dispatch import of_tensors_too
from .gains import calculate_gain, known

__all__ = ["INITIALISERS", "calculate_gain", "constant_", "he_normal_", "he_uniform_"]
__all__ += ["initialise_", "kaiming_normal_", "kaiming_uniform_", "normal_", "uniform_"]
__all__ += ["eye_", "ones_", "orthogonal_", "trunc_normal_"]
__all__ += ["xavier_normal_", "xavier_uniform_", "zeros_"]

_of_tensors_too = of_tensors_too(".tensor_init")

Weights = Sequence[Value] | Sequence[Sequence[Value]]


def _rows(weights: Any) -> list[Sequence[Value]]:
    rows = [weights] if weights and isinstance(weights[0], Value) else list(weights)
    if not rows or any(len(row) != len(rows[0]) or not len(row) for row in rows):
        raise SizeError(
            where="nn.init",
            expected="rows of weights that are all of one length",
            got=f"rows of lengths {[len(row) for row in rows]}",
            fix="Pass layer.weights or neuron.weights.",
        )
    return rows


def _each(weights: Weights) -> Iterator[Value]:
    return (weight for row in _rows(weights) for weight in row)


def _fans(weights: Weights) -> tuple[int, int]:
    rows = _rows(weights)
    return len(rows[0]), len(rows)


# --- without regard to the size of the layer ------------------------------------------------


@_of_tensors_too
def uniform_(weights: Weights, a: float = 0.0, b: float = 1.0, seed: Seed = None) -> None:
    """Draw every weight evenly from a to b.

    >>> w = [Value(0.0), Value(0.0)]
    >>> uniform_(w, -1.0, 1.0, seed=0)
    >>> all(-1.0 <= v.data <= 1.0 for v in w)
    True
    """
    random = generator(seed).random
    for weight in _each(weights):
        weight.data = a + (b - a) * random()


@_of_tensors_too
def normal_(weights: Weights, mean: float = 0.0, std: float = 1.0, seed: Seed = None) -> None:
    """Draw every weight from the normal distribution N(mean, std²)."""
    gauss = generator(seed).gauss
    for weight in _each(weights):
        weight.data = gauss(mean, std)


@_of_tensors_too
def constant_(weights: Weights, val: float) -> None:
    """Set every weight to ``val``."""
    for weight in _each(weights):
        weight.data = val


@_of_tensors_too
def zeros_(weights: Weights, seed: Seed = None) -> None:
    """Set every weight to zero (``seed`` is there because every initialiser has one)."""
    constant_(weights, 0.0)


@_of_tensors_too
def ones_(weights: Weights, seed: Seed = None) -> None:
    """Set every weight to one."""
    constant_(weights, 1.0)


@_of_tensors_too
def eye_(tensor: Any) -> Any:
    """Set a matrix to ones on the diagonal and zeros elsewhere."""
    raise _no_tensor("eye_", tensor)


@_of_tensors_too
def orthogonal_(tensor: Any, gain: float = 1.0, seed: Any = None) -> Any:
    """Draw a matrix with orthonormal rows or columns, times gain; all axes but the first as one.

    Saxe, McClelland and Ganguli, Exact solutions to the nonlinear dynamics of learning (2013).
    """
    raise _no_tensor("orthogonal_", tensor)


@_of_tensors_too
def trunc_normal_(
    tensor: Any,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    seed: Any = None,
) -> Any:
    """Draw from N(mean, std²) what lies from a to b."""
    raise _no_tensor("trunc_normal_", tensor)


def _no_tensor(name: str, got: Any) -> NotANumberError:
    return NotANumberError(
        where=f"nn.init.{name}",
        expected="a Tensor",
        got=describe(got),
        fix="Pass the weight of a Linear or a convolution.",
    )


# --- by the fans of the layer ---------------------------------------------------------------


@_of_tensors_too
def xavier_uniform_(weights: Weights, gain: float = 1.0, seed: Seed = None) -> None:
    """Draw evenly so that signals keep their variance both ways through a linear layer.

        w ~ U(-r, r),  r = gain √(6 / (fan_in + fan_out))

    Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks
    (2010), equation 16.
    """
    bound = gain * math.sqrt(6.0 / sum(_fans(weights)))
    uniform_(weights, -bound, bound, seed)


@_of_tensors_too
def xavier_normal_(weights: Weights, gain: float = 1.0, seed: Seed = None) -> None:
    """The same variance from a normal distribution: std = gain √(2 / (fan_in + fan_out))."""
    normal_(weights, 0.0, gain * math.sqrt(2.0 / sum(_fans(weights))), seed)


def _he_std(weights: Weights, a: float, mode: str, nonlinearity: str) -> float:
    fan_in, fan_out = _fans(weights)
    modes = {"fan_in": fan_in, "fan_out": fan_out}
    fan = modes[known("nn.init(mode=...)", mode, modes)]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


@_of_tensors_too
def he_uniform_(
    weights: Weights,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    seed: Seed = None,
) -> None:
    """Draw evenly so that signals keep their variance through rectified units.

        w ~ U(-r, r),  r = gain √(3 / fan)

    ``a`` is the slope left of zero (0 for relu), ``mode`` the fan to keep: "fan_in" or "fan_out".
    He, Zhang, Ren and Sun, Delving deep into rectifiers (2015), equation 10.
    """
    bound = math.sqrt(3.0) * _he_std(weights, a, mode, nonlinearity)
    uniform_(weights, -bound, bound, seed)


@_of_tensors_too
def he_normal_(
    weights: Weights,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    seed: Seed = None,
) -> None:
    """The same variance from a normal distribution: std = gain / √fan."""
    normal_(weights, 0.0, _he_std(weights, a, mode, nonlinearity), seed)


kaiming_uniform_, kaiming_normal_ = he_uniform_, he_normal_
"""PyTorch's names for `he_uniform_` and `he_normal_`."""

INITIALISERS: dict[str, Callable[..., None]] = {
    "xavier_uniform": xavier_uniform_,
    "xavier_normal": xavier_normal_,
    "he_uniform": he_uniform_,
    "he_normal": he_normal_,
    "zeros": zeros_,
}
"""The initialisers that a layer can be asked for by name."""

_RECTIFIERS = ("relu", "leaky_relu", "elu", "gelu", "gelu_tanh", "silu", "softplus")


def initialise_(weights: Weights, init: Any, activation: Any, seed: Seed) -> None:
    """Apply the initialiser that the ``init`` option of a layer names.

    ``"auto"``: He (uniform) in front of the rectifiers relu, leaky_relu, elu, gelu, silu and
    softplus, Xavier (uniform) in front of all else. A function ``(weights, seed=...)`` does too.
    """
    if init == "auto":
        init = "he_uniform" if activation in _RECTIFIERS else "xavier_uniform"
    if not callable(init):
        init = INITIALISERS[known("init", init, INITIALISERS)]
    init(weights, seed=seed)
