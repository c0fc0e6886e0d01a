"""`Neuron`, `Layer` and `MLP`: the multi-layer perceptron, one Value per weight."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from ..core.expect import describe
from ..core.seeds import Seed, generator
from ..engine.value import Value, weighted_sum
from ..errors import NotANumberError, OptionError, SizeError
from .activations import Activation, activation_function
from .init import initialise_
from .module import Module

__all__ = ["MLP", "Layer", "Neuron"]


class Neuron(Module):
    """A weighted sum of the inputs, and an activation on top.

        y = f(b + w₀x₀ + w₁x₁ + …)

    ``activation`` is a name from `ACTIVATIONS`, a function of one Value, or ``None``. ``init`` is
    ``"auto"``, a name from `init.INITIALISERS` or a function; ``bias`` starts at 0. A list of the
    wrong length is a `SizeError`, an unknown name an `OptionError`.

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
        init: Any = "auto",
        seed: Seed = None,
        label: str = "",
    ) -> None:
        count = _size(n_in, "Neuron(n_in)")
        self.weights = [Value(0.0, f"{label}w{i}") for i in range(count)]
        self.bias = Value(0.0, f"{label}b")
        self.activation = activation
        self._f = activation_function(activation, "Neuron")
        initialise_(self.weights, init, activation, seed)

    def forward(self, x: Sequence[Any]) -> Any:
        """The neuron's answer to a list of as many numbers or Values as it has weights."""
        return self._fire(_vector(x, len(self.weights), repr(self)))

    def _fire(self, x: list[Any]) -> Any:
        total = weighted_sum(self.weights, x, self.bias)
        return total if self._f is None else self._f(total)

    def __repr__(self) -> str:
        return f"Neuron({len(self.weights)}, {_name(self.activation)})"


class Layer(Module):
    """``n_out`` neurons that look at the same inputs; its answer is the list of theirs.

    >>> layer = Layer(2, 3, "relu", seed=0)
    >>> len(layer([1.0, -1.0])), len(layer.parameters())
    (3, 9)
    """

    def __init__(
        self,
        n_in: int,
        n_out: int,
        activation: Activation = "tanh",
        *,
        init: Any = "auto",
        seed: Seed = None,
        name: str = "",
        label: str = "",
    ) -> None:
        self.n_in, self.name = _size(n_in, "Layer(n_in)"), name
        self.neurons = [
            Neuron(self.n_in, activation, init="zeros", label=f"{label}n{i}.")
            for i in range(_size(n_out, "Layer(n_out)"))
        ]
        # The whole layer at once: Xavier's width depends on the number of neurons.
        initialise_(self.weights, init, activation, seed)

    @property
    def weights(self) -> list[list[Value]]:
        """The weights as rows, one per neuron."""
        return [neuron.weights for neuron in self.neurons]

    def forward(self, x: Sequence[Any]) -> list[Any]:
        """The list of the neurons' answers."""
        if type(x) is not list or len(x) != self.n_in:  # the usual list needs no copy
            x = _vector(x, self.n_in, f"{self.name} {self!r}".lstrip())
        return [neuron._fire(x) for neuron in self.neurons]

    def __repr__(self) -> str:
        return f"Layer({self.n_in}, {len(self.neurons)}, {_name(self.neurons[0].activation)})"


class MLP(Module):
    """A multi-layer perceptron: each layer's answers are the next layer's inputs.

    ``sizes`` counts the neurons of each layer. The hidden layers use ``activation``, the last one
    ``output_activation`` (default: none, so that losses get logits). Weights start as ``init``
    says: by default He uniform in front of rectifiers and Xavier uniform elsewhere; biases start
    at 0. Equal seeds give equal networks; ``seed=None`` gives a new one each time.

    Called with a list of ``n_in`` numbers or Values, it returns a list of Values, or the Value
    itself if the last layer is a single neuron.

    >>> model = MLP(2, [4, 4, 1], seed=1)
    >>> len(model.parameters())
    37
    >>> model
    MLP(2, [4, 4, 1], activation='tanh', output_activation=None)
    >>> model([1.0, 2.0, 3.0])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    gradwalk.errors.SizeError: layers.0 Layer(2, 4, 'tanh'): expected 2 numbers, got 3. Pass ...
    """

    def __init__(
        self,
        n_in: int,
        sizes: Sequence[int],
        activation: Activation = "tanh",
        output_activation: Activation = None,
        seed: Seed = None,
        *,
        init: Any = "auto",
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
        self.activation, self.output_activation = activation, output_activation
        random, last = generator(seed), len(widths) - 2
        self.layers = [
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

    def forward(self, x: Sequence[Any]) -> Any:
        """The network's answer: a Value if the last layer is one neuron, else a list."""
        for layer in self.layers:
            x = layer.forward(x)
        return x[0] if len(x) == 1 else x

    def __repr__(self) -> str:
        sizes = [len(layer.neurons) for layer in self.layers]
        options = f"activation={_name(self.activation)}"
        options += f", output_activation={_name(self.output_activation)}"
        return f"MLP({self.layers[0].n_in}, {sizes}, {options})"


def _name(activation: Activation) -> str:
    name = activation if isinstance(activation, str) else getattr(activation, "__name__", None)
    return repr(name if name is not None else activation)


def _size(n: Any, where: str) -> int:
    try:
        count = operator.index(n)
    except TypeError:
        count = 0
    if count > 0:
        return count
    raise OptionError(
        where=where,
        expected="whole numbers from 1 on",
        got=describe(n),
        fix="Sizes count inputs and neurons, as in MLP(2, [16, 16, 1]).",
    )


def _vector(x: Any, n: int, where: str) -> list[Any]:
    """``x`` as a list, after a look at its length."""
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
