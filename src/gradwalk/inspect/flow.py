"""`flow`: a look at a network after a backward pass, layer by layer, with verdicts and remedies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, isfinite, log10, sqrt
from typing import Any, ClassVar, Protocol

from ..core.calls import caller
from ..core.carrier import is_tensor
from ..core.expect import describe
from ..core.places import user_frames
from ..errors import UsageError
from .charts import Bar, bars
from .draw import Drawing
from .report import Report
from .unreached import probable_cut
from .verdicts import FINE, LayerFlow, verdicts

__all__ = ["Flow", "LayerFlow", "flow"]

SATURATED = 1e-5  # of a unit's gradient, relative to the largest unit of the network
DOT, WEIGHTS = ".", ".weights."  # between the parts of a name


class HasParameters(Protocol):
    """A module."""

    def named_parameters(self) -> Iterable[tuple[str, Any]]:
        """Yield each parameter with its name."""


class Flow(Report):
    """The layers of a network with their verdicts. It is true if all is well."""

    layers: list[LayerFlow]
    head: ClassVar[tuple[str, ...]] = (
        *("layer", "values", "gradients", "update / values", "dead units", "verdict"),
    )

    def __init__(self, layers: Sequence[LayerFlow], rows: Sequence[tuple[str, str]]) -> None:
        self.layers = list(layers)
        wrong = [layer for layer in layers if layer.verdict not in FINE]
        title = f"{len(wrong)} of {len(layers)} layers need attention" if wrong or rows else ""
        super().__init__(title or f"all {len(layers)} layers are healthy", rows)

    def __bool__(self) -> bool:
        return not self.rows

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdict on each layer."""
        return tuple(layer.verdict for layer in self.layers)

    def table(self) -> list[tuple[str, ...]]:
        """Return a line for each layer."""
        return [layer.row for layer in self.layers]

    def draw(self) -> Drawing:
        """Draw the norms of the gradients as bars, on a logarithmic scale."""
        sizes = [x.gradients for x in self.layers if x.gradients > 0.0 and isfinite(x.gradients)]
        low = log10(min(sizes, default=1.0)) - 1.0
        return bars(f"{self.title}: norms of gradients (logarithmic)", [
            Bar(x.name, (log10(x.gradients) - low) if x.gradients in sizes else 0.0,
                f"{x.gradients:.3g}", x.verdict, "good" if x.verdict in FINE else "bad")
            for x in self.layers
        ])  # fmt: skip


def flow(model: HasParameters, optimizer: Any = None) -> Flow:
    """Return how numbers and gradients flow through ``model``, after a backward pass.

    For each layer: the norms of its values and gradients, the size of the next update relative to
    the values, dead and saturated units, and a verdict. A verdict other than "healthy" comes with
    its reason and a remedy: vanishing or exploding gradients, dead units (all gradients of a unit
    are exactly 0), saturated units, parameters that no gradient reaches or that the optimizer does
    not have, and a learning rate that is far too large. Nothing changes.

    Parameters
    ----------
    model
        A module, or anything with ``named_parameters()``.
    optimizer
        The optimizer that trains it; without it updates are not examined.

    Returns
    -------
    a Flow
        The layers with their verdicts; true if all is well.

    Raises
    ------
    UsageError
        If ``model`` has no parameters.

    Examples
    --------
    >>> from gradwalk import Tensor, nn
    >>> model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Tanh(), nn.Linear(3, 1, seed=1))
    >>> model(Tensor([[1.0, -1.0]])).sum().backward()
    >>> found = flow(model)
    >>> bool(found), [layer.name for layer in found.layers]
    (True, ['0', '2'])
    """
    if not hasattr(model, "named_parameters"):
        raise UsageError(
            where="flow(model)",
            expected="a Module, which has named parameters",
            got=describe(model),
            fix="Pass the model itself: flow(model).",
        )
    layers: dict[str, list[tuple[str, Any]]] = {}
    for name, p in model.named_parameters():
        layers.setdefault(_layer_of(name), []).append((name, p))
    found = [_measured(name, parameters, optimizer) for name, parameters in layers.items()]
    modules = dict(getattr(model, "named_modules", dict)())
    for layer in found:  # a row that this batch does not look up is not dead
        if hasattr(modules.get(layer.name, model), "num_embeddings"):
            layer.units = layer.dead = 0
    _mark_saturated(found, layers)
    rows = verdicts(found, optimizer)
    if any(x.verdict in ("disconnected", "without gradient") for x in found):
        rows += probable_cut(next(user_frames(caller()), None))
    return Flow(found, rows)


def _layer_of(name: str) -> str:
    """Return the layer of a parameter: ``layers.0`` for ``layers.0.weight`` and for neurons."""
    parts = name.split(DOT)
    first = next((i for i, part in enumerate(parts) if part.isdigit()), None)
    return ".".join(parts[: first + 1]) if first is not None else ".".join(parts[:-1]) or name


def _numbers(x: Any) -> list[float]:
    if x is None:
        return []
    if hasattr(x, "ravel"):
        return [float(n) for n in x.ravel()]
    return [float(x)]


def _norm(numbers: Iterable[float]) -> float:
    found = list(numbers)
    largest = max(map(abs, found), default=0.0)
    if not largest or not isfinite(largest):
        return largest
    return largest * sqrt(sum((x / largest) ** 2 for x in found))


def _measured(name: str, parameters: list[tuple[str, Any]], optimizer: Any) -> LayerFlow:
    values = [x for _, p in parameters for x in _numbers(p.data)]
    gradients = [x for _, p in parameters for x in _numbers(p.grad)]
    layer = LayerFlow(name, _norm(values), _norm(gradients), size=len(values))
    trained = [(n, p) for n, p in parameters if getattr(p, "requires_grad", True)]
    layer.frozen = not trained
    layer.missing = [n for n, p in trained if is_tensor(p) and p.grad is None]
    if optimizer is not None:
        known = {id(p): g["lr"] for g in optimizer.param_groups for p in g["params"]}
        rates = [known[id(p)] for _, p in trained if id(p) in known]
        layer.held = len(rates) == len(trained)
        adaptive = type(optimizer).__name__ not in ("SGD",)
        size = sqrt(len(gradients)) if adaptive else layer.gradients
        if rates and layer.gradients:
            layer.ratio = max(rates) * size / layer.values if layer.values else inf
            layer.step = max(rates) * size / sqrt(len(gradients))
    units = _units(parameters)
    layer.units = len(units)
    layer.dead = sum(not any(unit) for unit in units)
    return layer


def _units(parameters: list[tuple[str, Any]]) -> list[list[float]]:
    """Return the gradients of each unit: rows of a weight, or the weights of a neuron."""
    units: dict[str, list[float]] = {}
    for name, p in parameters:
        if is_tensor(p) and p.grad is not None and name.endswith(("weight", "bias")):
            for i, row in enumerate(p.grad):
                units.setdefault(str(i), []).extend(_numbers(row))
        elif not is_tensor(p) and WEIGHTS in f".{name}":
            units.setdefault(name.rpartition(WEIGHTS)[0], []).append(p.grad)
    return list(units.values())


def _mark_saturated(found: list[LayerFlow], layers: dict[str, list[tuple[str, Any]]]) -> None:
    """Count units whose gradients are tiny, but not 0, beside those of the whole network."""
    largest = max((layer.gradients for layer in found if isfinite(layer.gradients)), default=0.0)
    for layer in found:
        units = _units(layers[layer.name])
        sizes = [_norm(unit) for unit in units]
        limit = max(SATURATED * largest, 1e-12)
        layer.saturated = sum(0.0 < size < limit for size in sizes)
