"""The outputs of the modules of a network for one batch, without a change of the network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from ..engine.value import no_grad
from .magnitudes import largest, numbers_of
from .snapshot import undone

__all__ = ["Activations", "Output", "activations", "watched"]

LIMITS = {"Sigmoid": (0.0, 1.0), "Tanh": (-1.0, 1.0), "Hardsigmoid": (0.0, 1.0)}
"""Between which numbers the outputs of these modules lie."""
NEAR = 1e-6  # to such a limit: the derivative there is that small
MOSTLY = 0.9  # of the outputs
SELDOM, REACH = 0.2, 3.0  # of the rows, and deviations from the mean to a rare one


@dataclass
class Output:
    """The call of one module: its name and class, the sizes of its inputs, and its output."""

    name: str
    kind: str
    inputs: float
    output: Any
    source: Any
    result: Any

    @property
    def is_silent(self) -> bool:
        """Whether all outputs are exactly 0."""
        return bool((self.output == 0.0).all())

    @property
    def flat(self) -> float:
        """The part of the outputs that lie at a limit of sigmoid or tanh."""
        low, high = LIMITS.get(self.kind, (None, None))
        if low is None or high is None:
            return 0.0
        return float(((self.output - low < NEAR) | (high - self.output < NEAR)).mean())


class Activations:
    """The calls of the modules of a network for one batch, in order."""

    calls: list[Output]

    def __init__(self, calls: Sequence[Output]) -> None:
        self.calls = list(calls)

    def inputs_of(self, layer: str) -> float:
        """Return the largest input of a layer; 0.0 if it was not called."""
        return max((x.inputs for x in self.calls if _is_in(x.name, layer)), default=0.0)

    def _after(self, layer: str) -> Iterator[Output]:
        made = [x.result for x in self.calls if _is_in(x.name, layer)]
        yield from (x for x in self.calls if any(x.source is y for y in made))

    def flat_after(self, layer: str) -> str:
        """Return that sigmoid or tanh lie flat after a layer, in words; ``""`` if none does."""
        for x in self._after(layer):
            if x.flat > MOSTLY:
                return f"{x.flat:.0%} of the outputs of {x.name} ({x.kind}) lie at its limits"
        return ""

    def silent_after(self, layer: str) -> str:
        """Return that relu gives only zeros after a layer, in words; ``""`` if none does."""
        for x in self._after(layer):
            if x.kind.startswith("ReLU") and x.is_silent:
                return f"all outputs of {x.name} ({x.kind}) are 0"
        return ""

    def asleep_after(self, layer: str) -> int:
        """Return how many units of a layer seldom give relu a positive number, but can do so."""
        made = [x.output for x in self.calls if _is_in(x.name, layer)]
        relus = [numbers_of(x.source) for x in self._after(layer) if x.kind.startswith("ReLU")]
        z = (relus or made[-1:] or [None])[0]
        if z is None or z.ndim < 2:
            return 0
        rows = (z.swapaxes(1, -1) if z.ndim > 3 else z).reshape(
            -1, z.shape[1 if z.ndim > 3 else -1]
        )
        seldom = (rows > 0.0).mean(0) < SELDOM
        return int((seldom & (rows.mean(0) + REACH * rows.std(0) > 0.0)).sum())


def _is_in(name: str, layer: str) -> bool:
    return name == layer or name.startswith(f"{layer}.")


def activations(model: Any, inputs: Any) -> Activations:
    """Call ``model`` with a batch of inputs, and return what its modules give. Nothing changes."""
    batch = inputs if isinstance(inputs, tuple) else (inputs,)
    with undone(model), watched(model) as calls, _without_graphs(model):
        model(*batch)
    return Activations(calls)


def _without_graphs(model: Any) -> Any:
    """Return a context in which no graph is recorded, here or in PyTorch."""
    import sys

    torch = sys.modules.get("torch")
    if torch is not None and isinstance(model, torch.nn.Module):
        return torch.no_grad()
    return no_grad()


@contextmanager
def watched(model: Any) -> Iterator[list[Output]]:
    """Yield a list that gets the calls of the modules inside of ``model``."""
    calls: list[Output] = []
    with ExitStack() as stack:
        for name, module in getattr(model, "named_modules", list)():
            if name and hasattr(module, "forward"):
                own = vars(module)
                stack.callback(_restored, own, own.get("forward"))
                own["forward"] = _watching(name, module, module.forward, calls)
        yield calls


def _restored(own: dict[str, Any], forward: Any) -> None:
    if forward is None:
        own.pop("forward", None)
    else:
        own["forward"] = forward


def _watching(
    name: str, module: Any, forward: Callable[..., Any], calls: list[Output]
) -> Callable[..., Any]:
    def watching(*args: Any, **named: Any) -> Any:
        result = forward(*args, **named)
        given = [numbers_of(x) for x in args if hasattr(x, "dtype")]
        output = numbers_of(result) if hasattr(result, "dtype") else None
        if output is not None:
            source = args[0] if args else None
            kind = type(module).__name__
            calls.append(Output(name, kind, largest(_floats(given)), output, source, result))
        return result

    return watching


def _floats(arrays: Sequence[Any]) -> list[Any]:
    """Return the arrays of floats: indices have no size."""
    return [x for x in arrays if x is not None and x.dtype.kind == "f"]
