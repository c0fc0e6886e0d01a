"""Initialisers: draw new numbers into the weights of a layer, in place, from a seed.

``weights`` is a list of rows, one row of Values per neuron (``layer.weights``), or the weights of a
single neuron. The fan-in is the length of a row and the fan-out the number of rows. ``seed`` is
an int, a `random.Random` to draw from, or ``None`` for fresh entropy; the global generator of
`random` is neither used nor changed.

``weights`` may also be a Tensor, (out, in) or (out, in, *kernel): it gets a new array and stays the
same leaf. Then ``seed`` may be a numpy Generator too. Every initialiser returns its ``weights``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, cast

from ..core.calls import explain_room
from ..core.carrier import is_tensor
from ..core.expect import as_float, describe, one_of
from ..core.seeds import Seed, generator
from ..engine.value import Value
from ..errors import NotANumberError, OptionError, SizeError

if TYPE_CHECKING:
    from ..tensor import Tensor
    from .initial import ArraySeed
    from .tensor_init import TensorWeights

__all__ = ["INITIALISERS", "Initialiser", "calculate_gain", "constant_", "he_normal_"]
__all__ += ["he_uniform_", "initialise_", "kaiming_normal_", "kaiming_uniform_", "normal_"]
__all__ += ["uniform_", "eye_", "ones_", "orthogonal_", "trunc_normal_"]
__all__ += ["xavier_normal_", "xavier_uniform_", "zeros_"]


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor of the initial weights before an activation, as in PyTorch's table.

        1 (linear, sigmoid), 5/3 (tanh), √2 (relu), √(2 / (1 + s²)) (leaky_relu), 3/4 (selu)

    Parameters
    ----------
    nonlinearity
        "linear", "sigmoid", "tanh", "relu", "leaky_relu" or "selu": the activation after the
        weights.
    param
        The slope s of "leaky_relu" left of 0; ``None`` is 0.01. The other activations ignore
        it.

    Raises
    ------
    OptionError
        If ``nonlinearity`` has another name.
    NotANumberError
        If ``param`` is no number.

    See Also
    --------
    he_uniform_, xavier_uniform_

    Examples
    --------
    >>> calculate_gain("relu") ** 2
    2.0000000000000004
    """
    slope = 0.01 if param is None else as_float(param, "calculate_gain(param)")
    gains = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3.0, "relu": math.sqrt(2.0)}
    gains |= {"leaky_relu": math.sqrt(2.0 / (1.0 + slope * slope)), "selu": 0.75}
    return gains[one_of("calculate_gain(nonlinearity=...)", nonlinearity, gains)]


Rows: TypeAlias = Sequence[Value] | Sequence[Sequence[Value]]
W = TypeVar("W", bound="Rows | Tensor")

Initialiser = Callable[..., object]
"""A function ``(weights, seed=...)`` that writes new numbers into the weights."""


class _Target(Protocol):
    """Weights of Values, or a Tensor."""

    def fans(self) -> tuple[int, int]:
        """How many numbers each output is computed from, and each input goes to."""

    def uniform(self, low: float, high: float, seed: ArraySeed) -> None:
        """Draw every weight from the uniform distribution."""

    def normal(self, mean: float, std: float, seed: ArraySeed) -> None:
        """Draw every weight from the normal distribution."""

    def fill(self, number: float) -> None:
        """Set every weight to ``number``."""


class _ValueWeights:
    """Rows of Values, which `random.Random` draws one by one: programs of Values need no NumPy."""

    def __init__(self, weights: Rows) -> None:
        rows: Any = [weights] if weights and isinstance(weights[0], Value) else list(weights)
        rows = rows if all(isinstance(row, (list, tuple)) for row in rows) else []
        if not rows or any(len(row) != len(rows[0]) or not len(row) for row in rows):
            raise SizeError(
                where="nn.init",
                expected="rows of weights that are all of one length",
                got=f"rows of lengths {[len(row) for row in rows]}" if rows else describe(weights),
                fix="Pass layer.weights or neuron.weights.",
            )
        self._rows: Sequence[Sequence[Value]] = rows

    def fans(self) -> tuple[int, int]:
        return len(self._rows[0]), len(self._rows)

    def uniform(self, low: float, high: float, seed: Seed) -> None:
        random = generator(seed).random
        self._set(lambda: low + (high - low) * random())

    def normal(self, mean: float, std: float, seed: Seed) -> None:
        gauss = generator(seed).gauss
        self._set(lambda: gauss(mean, std))

    def fill(self, number: float) -> None:
        self._set(lambda: number)

    def _set(self, draw: Callable[[], float]) -> None:
        for row in self._rows:
            for weight in row:
                weight.data = draw()


def _target(weights: Rows | Tensor) -> _Target:
    if not is_tensor(weights) and not isinstance(weights, (list, tuple)):
        raise NotANumberError(
            where="nn.init",
            expected="a Tensor, or lists of Values",
            got=describe(weights),
            fix="Pass layer.weight of a Linear, or neuron.weights of a Neuron.",
        )
    return _tensor("", weights) if is_tensor(weights) else _ValueWeights(weights)  # type: ignore


def _tensor(name: str, weights: Rows | Tensor) -> TensorWeights:
    if not is_tensor(weights):
        raise NotANumberError(
            where=f"nn.init.{name}",
            expected="a Tensor",
            got=describe(weights),
            fix="Pass the weight of a Linear or a convolution.",
        )
    from .tensor_init import TensorWeights

    return TensorWeights(cast("Tensor", weights))


# --- independent of the size of the layer ---------------------------------------------------------


def uniform_(weights: W, a: float = 0.0, b: float = 1.0, seed: ArraySeed = None) -> W:
    """Draw every weight evenly from a to b, and return the weights.

    Parameters
    ----------
    weights : (out_features, in_features, ...) or any shape
        A Tensor, which gets a new array and stays the same leaf; or a list of Values, or of
        rows of Values.
    a, b
        The ends of the range.
    seed
        An int gives equal draws each time, a generator is drawn from, and ``None`` takes fresh
        entropy. Generators of NumPy are for Tensors only; the global generator of `random` is
        not used.

    Raises
    ------
    NotANumberError
        If ``weights`` are neither a Tensor nor lists of Values, or an option is no number.
    SizeError
        If rows of Values are empty or of different lengths.
    OptionError
        If ``seed`` is no seed.

    See Also
    --------
    normal_, xavier_uniform_

    Examples
    --------
    >>> w = [Value(0.0), Value(0.0)]
    >>> _ = uniform_(w, -1.0, 1.0, seed=0)
    >>> all(-1.0 <= v.data <= 1.0 for v in w)
    True
    """
    _target(weights).uniform(as_float(a, "uniform_(a)"), as_float(b, "uniform_(b)"), seed)
    return weights


def normal_(weights: W, mean: float = 0.0, std: float = 1.0, seed: ArraySeed = None) -> W:
    """Draw every weight from the normal distribution N(mean, std²), and return the weights.

    Parameters
    ----------
    weights : (out_features, in_features, ...) or any shape
        A Tensor, which gets a new array and stays the same leaf; or a list of Values, or of
        rows of Values.
    mean, std
        The mean and the standard deviation, >= 0.
    seed
        An int gives equal draws each time, a generator is drawn from, and ``None`` takes fresh
        entropy. Generators of NumPy are for Tensors only; the global generator of `random` is
        not used.

    Raises
    ------
    OptionError
        If ``std`` is negative, or ``seed`` is no seed.
    NotANumberError
        If ``weights`` are neither a Tensor nor lists of Values, or an option is no number.
    SizeError
        If rows of Values are empty or of different lengths.

    See Also
    --------
    uniform_, trunc_normal_, he_normal_

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> normal_(Tensor([1.0, 2.0]), mean=3.0, std=0.0).tolist()
    [3.0, 3.0]
    """
    mean, std = as_float(mean, "normal_(mean)"), as_float(std, "normal_(std)")
    if not std >= 0.0:
        raise OptionError(
            where="normal_(std)",
            expected="a number >= 0",
            got=describe(std),
            fix="Pass std=1.0, the default.",
        )
    _target(weights).normal(mean, std, seed)
    return weights


def constant_(weights: W, val: float) -> W:
    """Set every weight to a number, and return the weights.

    Parameters
    ----------
    weights : (out_features, in_features, ...) or any shape
        A Tensor, which gets a new array and stays the same leaf; or a list of Values, or of
        rows of Values.
    val
        The number.

    Raises
    ------
    NotANumberError
        If ``weights`` are neither a Tensor nor lists of Values, or an option is no number.
    SizeError
        If rows of Values are empty or of different lengths.

    See Also
    --------
    zeros_, ones_

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> constant_(Tensor([1.0, 2.0]), 0.5).tolist()
    [0.5, 0.5]
    """
    _target(weights).fill(as_float(val, "constant_(val)"))
    return weights


def zeros_(weights: W, seed: ArraySeed = None) -> W:
    """Set every weight to zero, and return the weights.

    Parameters
    ----------
    weights : (out_features, in_features, ...) or any shape
        A Tensor, which gets a new array and stays the same leaf; or a list of Values, or of
        rows of Values.
    seed
        Unused: layers call all initialisers with a seed.

    Raises
    ------
    NotANumberError
        If ``weights`` are neither a Tensor nor lists of Values, or an option is no number.
    SizeError
        If rows of Values are empty or of different lengths.

    See Also
    --------
    ones_, constant_

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> zeros_(Tensor([1.0, 2.0])).tolist()
    [0.0, 0.0]
    """
    return constant_(weights, 0.0)


def ones_(weights: W, seed: ArraySeed = None) -> W:
    """Set every weight to one, and return the weights.

    Parameters
    ----------
    weights : (out_features, in_features, ...) or any shape
        A Tensor, which gets a new array and stays the same leaf; or a list of Values, or of
        rows of Values.
    seed
        Unused: layers call all initialisers with a seed.

    Raises
    ------
    NotANumberError
        If ``weights`` are neither a Tensor nor lists of Values, or an option is no number.
    SizeError
        If rows of Values are empty or of different lengths.

    See Also
    --------
    zeros_, constant_

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> ones_(Tensor([0.5, 2.0])).tolist()
    [1.0, 1.0]
    """
    return constant_(weights, 1.0)


def eye_(tensor: Tensor) -> Tensor:
    """Set a matrix to ones on the diagonal and zeros elsewhere, and return it.

    Parameters
    ----------
    tensor : (out_features, in_features)
        The Tensor, which gets a new array and stays the same leaf.

    Returns
    -------
    (out_features, in_features)
        ``tensor`` itself.

    Raises
    ------
    NotANumberError
        If ``tensor`` is no Tensor.
    SizeError
        If it is no matrix.

    See Also
    --------
    orthogonal_

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> eye_(Tensor([[3.0, 4.0], [5.0, 6.0]])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    _tensor("eye_", tensor).eye()
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1.0, seed: ArraySeed = None) -> Tensor:
    """Draw a matrix with orthonormal rows or columns, whichever are fewer, and return it.

    Parameters
    ----------
    tensor : (out_features, ...)
        The Tensor, which gets a new array and stays the same leaf. All axes but the first count
        as one.
    gain
        A factor for all numbers.
    seed
        An int gives equal draws each time, a generator is drawn from, and ``None`` takes fresh
        entropy. Generators of NumPy are for Tensors only; the global generator of `random` is
        not used.

    Returns
    -------
    (out_features, ...)
        ``tensor`` itself.

    Raises
    ------
    NotANumberError
        If ``tensor`` is no Tensor, or ``gain`` no number.
    SizeError
        If it has fewer than two axes.
    OptionError
        If ``seed`` is no seed.

    See Also
    --------
    eye_, calculate_gain

    References
    ----------
    Saxe, McClelland and Ganguli, Exact solutions to the nonlinear dynamics of learning in deep
    linear neural networks (2013).

    Examples
    --------
    >>> import gradwalk
    >>> w = orthogonal_(gradwalk.zeros((2, 3)), seed=0)
    >>> gradwalk.allclose(w @ w.T, gradwalk.eye(2))
    True
    """
    _tensor("orthogonal_", tensor).orthogonal(as_float(gain, "orthogonal_(gain)"), seed)
    return tensor


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    seed: ArraySeed = None,
) -> Tensor:
    """Draw every number from the part of N(mean, std²) between a and b, and return the Tensor.

    Parameters
    ----------
    tensor : any shape
        The Tensor, which gets a new array and stays the same leaf.
    mean, std
        The mean and the standard deviation, > 0, of the distribution before it is cut.
    a, b
        The ends of the part: bounds of the numbers, not multiples of ``std``.
    seed
        An int gives equal draws each time, a generator is drawn from, and ``None`` takes fresh
        entropy. Generators of NumPy are for Tensors only; the global generator of `random` is
        not used.

    Returns
    -------
    the shape of tensor
        ``tensor`` itself.

    Raises
    ------
    NotANumberError
        If ``tensor`` is no Tensor, or an option no number.
    OptionError
        If ``a`` is not below ``b``, ``std`` is not positive, or ``seed`` is no seed.

    See Also
    --------
    normal_

    Examples
    --------
    >>> import gradwalk
    >>> bool((abs(trunc_normal_(gradwalk.zeros(100), std=2.0, seed=0)) <= 2.0).all())
    True
    """
    mean, std = as_float(mean, "trunc_normal_(mean)"), as_float(std, "trunc_normal_(std)")
    a, b = as_float(a, "trunc_normal_(a)"), as_float(b, "trunc_normal_(b)")
    _tensor("trunc_normal_", tensor).truncated_normal(mean, std, a, b, seed)
    return tensor


# --- by the fans of the layer ---------------------------------------------------------------------


def xavier_uniform_(weights: W, gain: float = 1.0, seed: ArraySeed = None) -> W:
    """Draw evenly so that signals keep their variance both ways through a linear layer.

        w ~ U(-r, r),  r = gain √(6 / (fan_in + fan_out))

    The fan-in counts the numbers that each output is computed from. The fan-out counts the outputs
    that each input goes to.

    Parameters
    ----------
    weights : (out_features, in_features, ...)
        A Tensor of a linear layer or a convolution, which gets a new array and stays the same
        leaf; or rows of Values, one for each neuron, or the weights of one neuron.
    gain
        A factor for the activation after the layer; see `calculate_gain`.
    seed
        An int gives equal draws each time, a generator is drawn from, and ``None`` takes fresh
        entropy. Generators of NumPy are for Tensors only; the global generator of `random` is
        not used.

    Raises
    ------
    NotANumberError
        If ``weights`` are neither a Tensor nor lists of Values, or an option is no number.
    SizeError
        If a Tensor has no two axes, or rows of Values are empty or of different lengths.
    OptionError
        If ``seed`` is no seed.

    See Also
    --------
    xavier_normal_, he_uniform_

    References
    ----------
    Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks
    (2010), equation 16.

    Examples
    --------
    >>> import gradwalk
    >>> bool((abs(xavier_uniform_(gradwalk.zeros((2, 4)), seed=0)) <= 1.0).all())
    True
    """
    bound = as_float(gain, "xavier_uniform_(gain)") * math.sqrt(6.0 / sum(_target(weights).fans()))
    return uniform_(weights, -bound, bound, seed)


def xavier_normal_(weights: W, gain: float = 1.0, seed: ArraySeed = None) -> W:
    """Draw normally so that signals keep their variance both ways through a linear layer.

        w ~ N(0, s²),  s = gain √(2 / (fan_in + fan_out))

    Parameters
    ----------
    weights : (out_features, in_features, ...)
        A Tensor of a linear layer or a convolution, which gets a new array and stays the same
        leaf; or rows of Values, one for each neuron, or the weights of one neuron.
    gain
        A factor for the activation after the layer, >= 0; see `calculate_gain`.
    seed
        An int gives equal draws each time, a generator is drawn from, and ``None`` takes fresh
        entropy. Generators of NumPy are for Tensors only; the global generator of `random` is
        not used.

    Raises
    ------
    NotANumberError
        If ``weights`` are neither a Tensor nor lists of Values, or an option is no number.
    SizeError
        If a Tensor has no two axes, or rows of Values are empty or of different lengths.
    OptionError
        If ``gain`` is negative, or ``seed`` is no seed.

    See Also
    --------
    xavier_uniform_, he_normal_

    References
    ----------
    Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks
    (2010).

    Examples
    --------
    >>> import gradwalk
    >>> w = xavier_normal_(gradwalk.zeros((200, 200)), seed=0)
    >>> round(float(w.std()), 2), (2 / 400) ** 0.5
    (0.07, 0.07071067811865475)
    """
    gain = as_float(gain, "xavier_normal_(gain)")
    return normal_(weights, 0.0, gain * math.sqrt(2.0 / sum(_target(weights).fans())), seed)


def he_uniform_(
    weights: W,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    seed: ArraySeed = None,
) -> W:
    """Draw evenly so that signals keep their variance through rectified units.

        w ~ U(-r, r),  r = gain √(3 / fan)

    `kaiming_uniform_` is PyTorch's name.

    Parameters
    ----------
    weights : (out_features, in_features, ...)
        A Tensor of a linear layer or a convolution, which gets a new array and stays the same
        leaf; or rows of Values, one for each neuron, or the weights of one neuron.
    a
        The slope of "leaky_relu" left of 0; 0 is relu.
    mode
        The fan of the formula: "fan_in" keeps the variance of signals, "fan_out" the variance
        of gradients.
    nonlinearity
        The activation after the layer, whose gain is in the formula; a name that
        `calculate_gain` takes.
    seed
        An int gives equal draws each time, a generator is drawn from, and ``None`` takes fresh
        entropy. Generators of NumPy are for Tensors only; the global generator of `random` is
        not used.

    Raises
    ------
    NotANumberError
        If ``weights`` are neither a Tensor nor lists of Values, or an option is no number.
    SizeError
        If a Tensor has no two axes, or rows of Values are empty or of different lengths.
    OptionError
        If ``mode`` or ``nonlinearity`` has another name, or ``seed`` is no seed.

    See Also
    --------
    he_normal_, xavier_uniform_, calculate_gain

    References
    ----------
    He, Zhang, Ren and Sun, Delving deep into rectifiers (2015), equation 10.

    Examples
    --------
    >>> import gradwalk
    >>> bool((abs(he_uniform_(gradwalk.zeros((2, 6)), seed=0)) <= 1.0).all())
    True
    """
    bound = math.sqrt(3.0) * _he_std(weights, a, mode, nonlinearity)
    return uniform_(weights, -bound, bound, seed)


def he_normal_(
    weights: W,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    seed: ArraySeed = None,
) -> W:
    """Draw normally so that signals keep their variance through rectified units.

        w ~ N(0, s²),  s = gain / √fan

    `kaiming_normal_` is PyTorch's name.

    Parameters
    ----------
    weights : (out_features, in_features, ...)
        A Tensor of a linear layer or a convolution, which gets a new array and stays the same
        leaf; or rows of Values, one for each neuron, or the weights of one neuron.
    a
        The slope of "leaky_relu" left of 0; 0 is relu.
    mode
        The fan of the formula: "fan_in" keeps the variance of signals, "fan_out" the variance
        of gradients.
    nonlinearity
        The activation after the layer, whose gain is in the formula; a name that
        `calculate_gain` takes.
    seed
        An int gives equal draws each time, a generator is drawn from, and ``None`` takes fresh
        entropy. Generators of NumPy are for Tensors only; the global generator of `random` is
        not used.

    Raises
    ------
    NotANumberError
        If ``weights`` are neither a Tensor nor lists of Values, or an option is no number.
    SizeError
        If a Tensor has no two axes, or rows of Values are empty or of different lengths.
    OptionError
        If ``mode`` or ``nonlinearity`` has another name, or ``seed`` is no seed.

    See Also
    --------
    he_uniform_, xavier_normal_, calculate_gain

    References
    ----------
    He, Zhang, Ren and Sun, Delving deep into rectifiers (2015), equation 10.

    Examples
    --------
    >>> import gradwalk
    >>> w = he_normal_(gradwalk.zeros((200, 200)), seed=0)
    >>> round(float(w.std()), 2), (2 / 200) ** 0.5
    (0.1, 0.1)
    """
    return normal_(weights, 0.0, _he_std(weights, a, mode, nonlinearity), seed)


def _he_std(weights: Rows | Tensor, a: float, mode: str, nonlinearity: str) -> float:
    fan_in, fan_out = _target(weights).fans()
    modes = {"fan_in": fan_in, "fan_out": fan_out}
    fan = modes[one_of("nn.init(mode=...)", mode, modes)]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


kaiming_uniform_: Final = he_uniform_
kaiming_normal_: Final = he_normal_
"""PyTorch's names for `he_uniform_` and `he_normal_`."""

INITIALISERS: dict[str, Initialiser] = {
    "xavier_uniform": xavier_uniform_,
    "xavier_normal": xavier_normal_,
    "he_uniform": he_uniform_,
    "he_normal": he_normal_,
    "zeros": zeros_,
}
"""The initialisers that the ``init`` option of a layer can name."""

_RECTIFIERS = ("relu", "leaky_relu", "elu", "gelu", "gelu_tanh", "silu", "softplus")


def initialise_(weights: Rows, init: str | Initialiser, activation: object, seed: Seed) -> None:
    """Apply the initialiser that the ``init`` option of a layer names.

    Parameters
    ----------
    weights
        Rows of Values, or a Tensor with two axes.
    init
        "auto", a name from `INITIALISERS`, or a function ``(weights, seed=...)``. "auto" is He
        (uniform) for the rectifiers relu, leaky_relu, elu, gelu, silu and softplus, and Xavier
        (uniform) for other activations.
    activation
        The activation of the layer, which "auto" looks at.
    seed
        Passed to the initialiser.

    Raises
    ------
    OptionError
        If ``init`` has another name, or ``seed`` is no seed.

    See Also
    --------
    he_uniform_, xavier_uniform_

    Examples
    --------
    >>> w = [Value(0.0), Value(0.0)]
    >>> initialise_(w, "auto", "tanh", seed=0)
    >>> all(abs(v.data) <= 2.0**0.5 for v in w)  # Xavier: √(6 / (2 + 1))
    True
    """
    if isinstance(init, str) and init == "auto":
        init = "he_uniform" if activation in _RECTIFIERS else "xavier_uniform"
    if not callable(init):
        init = INITIALISERS[one_of("init", init, INITIALISERS)]
    init(weights, seed=seed)


explain_room(globals())
