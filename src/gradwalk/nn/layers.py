"""`Neuron`, `Layer` and `MLP`: the multi-layer perceptron, one Value per weight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from ..core.expect import at_least, describe
from ..core.seeds import Seed, generator
from ..engine.value import Value, weighted_sum
from ..errors import NotANumberError, OptionError, SizeError
from .activations.names import Activation, activation_function
from .init import Initialiser, initialise_
from .modules.module import Module

__all__ = ["MLP", "Layer", "Neuron"]

Number = float | Value


class _OfValues(Module):
    """A module whose parameters are all Values."""

    if TYPE_CHECKING:

        def parameters(self) -> list[Value]:  # type: ignore[override]
            """Return all parameters, in the order of definition."""


class Neuron(_OfValues):
    """A weighted sum of the inputs, and an activation on top.

        y = f(b + w₀x₀ + w₁x₁ + …)

    The call takes a list of ``n_in`` numbers or Values and returns a Value. b starts at 0.

    Parameters
    ----------
    n_in
        How many inputs there are, >= 1.
    activation
        The f of the formula: a name from `ACTIVATIONS`, a function of one Value, or ``None``
        for none.
    init
        Draws the weights: "auto" for He (uniform) with rectifiers and Xavier (uniform)
        otherwise, a name from ``init.INITIALISERS``, or a function ``(weights, seed=...)``.
    seed
        Of the weights: an int gives equal ones each time, a ``random.Random`` is drawn from,
        and ``None`` takes fresh entropy.
    label
        The beginning of the labels of the Values: ``label + "w0"``, ..., ``label + "b"``.

    Raises
    ------
    OptionError
        If ``n_in`` is no positive integer, ``seed`` no seed, or a name is unknown.
    SizeError
        If the list has another length than ``n_in`` (in the call).
    NotANumberError
        If the input is no list of numbers (in the call).

    See Also
    --------
    Layer, MLP, Linear

    Examples
    --------
    >>> neuron = Neuron(2, "tanh")
    >>> neuron.load_state_dict({"weights.0": -3.0, "weights.1": 1.0, "bias": 6.881373587019543})
    StateDictReport(missing_keys=[], unexpected_keys=[])
    >>> y = neuron([2.0, 0.0])
    >>> y.backward()
    >>> f"{y:.4f} {neuron.weights[0].grad:.1f} {neuron.weights[1].grad:.1f}"
    '0.7071 1.0 0.0'
    """

    def __init__(
        self,
        n_in: int,
        activation: Activation = "tanh",
        *,
        init: str | Initialiser = "auto",
        seed: Seed = None,
        label: str = "",
    ) -> None:
        count = _size(n_in, "Neuron(n_in)")
        self.weights: list[Value] = [Value(0.0, f"{label}w{i}") for i in range(count)]
        self.bias: Value = Value(0.0, f"{label}b")
        self.activation = activation
        self._f = activation_function(activation, "Neuron")
        initialise_(self.weights, init, activation, seed)

    def forward(self, x: Sequence[Number]) -> Value:
        """Return the output for a list of as many numbers or Values as there are weights."""
        return self._fire(_vector(x, len(self.weights), repr(self)))

    def _fire(self, x: list[Number]) -> Value:
        y: Value = weighted_sum(self.weights, x, self.bias)
        if self._f is not None:
            y = self._f(y)
        return y

    def __repr__(self) -> str:
        return f"Neuron({len(self.weights)}, {_name(self.activation)})"


class Layer(_OfValues):
    """Several neurons with the same inputs.

    The call takes a list of ``n_in`` numbers or Values and returns the list of the outputs.

    Parameters
    ----------
    n_in, n_out
        The numbers of inputs and of neurons, >= 1.
    activation
        A name from `ACTIVATIONS`, a function of one Value, or ``None`` for none.
    init
        Draws the weights: "auto" for He (uniform) with rectifiers and Xavier (uniform)
        otherwise, a name from ``init.INITIALISERS``, or a function ``(weights, seed=...)``.
    seed
        Of the weights: an int gives equal ones each time, a ``random.Random`` is drawn from,
        and ``None`` takes fresh entropy.
    name
        The name of the layer in error messages.
    label
        The beginning of the labels of the Values, as in ``label + "n0.w1"``.

    Raises
    ------
    OptionError
        If a number is no positive integer, ``seed`` no seed, or a name is unknown.
    SizeError
        If the list has another length than ``n_in`` (in the call).
    NotANumberError
        If the input is no list of numbers (in the call).

    See Also
    --------
    Neuron, MLP, Linear

    Examples
    --------
    >>> layer = Layer(2, 3, "relu", seed=0)
    >>> len(layer([1.0, -1.0])), len(layer.parameters())
    (3, 9)
    """

    name: str
    n_in: int

    def __init__(
        self,
        n_in: int,
        n_out: int,
        activation: Activation = "tanh",
        *,
        init: str | Initialiser = "auto",
        seed: Seed = None,
        name: str = "",
        label: str = "",
    ) -> None:
        self.n_in, self.name = _size(n_in, "Layer(n_in)"), name
        self.neurons: list[Neuron] = [
            Neuron(self.n_in, activation, init="zeros", label=f"{label}n{i}.")
            for i in range(_size(n_out, "Layer(n_out)"))
        ]
        # Initialise the whole layer at once: Xavier's range depends on the number of neurons.
        initialise_(self.weights, init, activation, seed)

    @property
    def weights(self) -> list[list[Value]]:
        """Rows of weights, one per neuron."""
        return [neuron.weights for neuron in self.neurons]

    def forward(self, x: Sequence[Number]) -> list[Value]:
        """Return the list of the neurons' outputs."""
        if type(x) is not list or len(x) != self.n_in:  # a list of the right length needs no copy
            x = _vector(x, self.n_in, f"{self.name} {self!r}".lstrip())
        return [neuron._fire(x) for neuron in self.neurons]

    def __repr__(self) -> str:
        return f"Layer({self.n_in}, {len(self.neurons)}, {_name(self.neurons[0].activation)})"


class MLP(_OfValues):
    """A multi-layer perceptron: each layer's outputs are the next layer's inputs.

    The call takes a list of ``n_in`` numbers or Values. It returns a list of Values, or the Value
    itself if the last layer is a single neuron. Biases start at 0.

    Parameters
    ----------
    n_in
        How many inputs there are, >= 1.
    sizes
        The numbers of neurons of the layers, >= 1; one number at least.
    activation
        The activation of the hidden layers: a name from `ACTIVATIONS`, a function of one Value,
        or ``None`` for none.
    output_activation
        The activation of the last layer, by default none, so that losses get logits.
    seed
        Of the weights: an int gives equal ones each time, a ``random.Random`` is drawn from,
        and ``None`` takes fresh entropy.
    init
        Draws the weights: "auto" for He (uniform) with rectifiers and Xavier (uniform)
        otherwise, a name from ``init.INITIALISERS``, or a function ``(weights, seed=...)``.

    Raises
    ------
    OptionError
        If ``sizes`` is no list of positive integers, ``seed`` no seed, or a name is unknown.
    SizeError
        If the list has another length than ``n_in`` (in the call).
    NotANumberError
        If the input is no list of numbers (in the call).

    See Also
    --------
    Layer, Sequential, Linear

    Examples
    --------
    >>> model = MLP(2, [4, 4, 1], seed=1)
    >>> len(model.parameters())
    37
    >>> model
    MLP(2, [4, 4, 1], activation='tanh', output_activation=None)
    >>> model([1.0, 2.0, 3.0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    gradwalk.errors.SizeError: calling MLP(x), in layers.0 Layer(2, 4, 'tanh'): expected 2 num...
    """

    activation: Activation
    output_activation: Activation

    def __init__(
        self,
        n_in: int,
        sizes: Sequence[int],
        activation: Activation = "tanh",
        output_activation: Activation = None,
        seed: Seed = None,
        *,
        init: str | Initialiser = "auto",
    ) -> None:
        layers = sizes if isinstance(sizes, Iterable) else ()
        widths = [_size(n, "MLP(n_in, sizes)") for n in (n_in, *layers)]
        if len(widths) < 2:
            raise OptionError(
                where="MLP(n_in, sizes)",
                expected="the size of at least one layer",
                got=describe(sizes),
                fix="Write MLP(2, [16, 16, 1]) for two hidden layers and one output.",
            )
        for given in (activation, output_activation):
            activation_function(given, "MLP")  # without hidden layers, none of them checks it
        self.activation, self.output_activation = activation, output_activation
        random, last = generator(seed), len(widths) - 2
        self.layers: list[Layer] = [
            Layer(
                widths[i],
                widths[i + 1],
                output_activation if i == last else activation,
                init=init,
                seed=random,
                name=f"layers.{i}",
                label=f"l{i}.",
            )
            for i in range(last + 1)
        ]

    # the type of a list does not tell its last number, so types do not demand a case distinction
    def forward(self, x: Sequence[Number]) -> Value | Any:
        """Return a Value if the last layer is one neuron, else a list."""
        for layer in self.layers[:-1]:
            x = layer.forward(x)
        y = self.layers[-1].forward(x)
        return y[0] if len(y) == 1 else y

    def __repr__(self) -> str:
        sizes = [len(layer.neurons) for layer in self.layers]
        options = f"activation={_name(self.activation)}"
        options += f", output_activation={_name(self.output_activation)}"
        return f"MLP({self.layers[0].n_in}, {sizes}, {options})"


def _name(activation: Activation) -> str:
    name = activation if isinstance(activation, str) else getattr(activation, "__name__", None)
    return repr(name if name is not None else activation)


def _size(n: SupportsIndex, where: str) -> int:
    return at_least(where, n, 1, "Pass numbers of inputs and neurons, as in MLP(2, [16, 16, 1]).")


def _vector(x: Sequence[Number], n: int, where: str) -> list[Number]:
    """Return ``x`` as a list. Raise `SizeError` unless its length is ``n``."""
    try:
        numbers = list(x)
    except TypeError:
        raise NotANumberError(
            where=where,
            expected=f"a list of {n} numbers or Values",
            got=describe(x),
            fix="Wrap a single input in a list, as in model([x]).",
        ) from None
    if len(numbers) != n:
        raise SizeError(
            where=where,
            expected=f"{n} numbers",
            got=f"{len(numbers)}",
            fix="Pass one number or Value per input.",
        )
    return numbers
