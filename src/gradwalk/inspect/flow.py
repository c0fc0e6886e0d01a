"""`flow`: a look at a network after a backward pass, layer by layer, with verdicts and remedies."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, log10, sqrt
from typing import Any, ClassVar, Protocol

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..core.places import user_frames
from ..errors import UsageError
from .charts import Bar, bars
from .draw import Drawing
from .report import Report
from .unreached import told_cut

__all__ = ["Flow", "LayerFlow", "flow", "verdicts"]

TINY, HUGE = 1e-6, 1e6  # of the gradients of one layer, relative to the largest of all layers
FAR = 0.5  # an update that changes a layer by more than this part of its norm
STILL = 1e-9  # an update that changes a layer by less than this part
FLAT = 1e-9  # gradients of a whole network that lies flat
SATURATED = 1e-5  # of a unit's gradient, relative to the largest unit of the network
EXPLODED = 1e8  # a norm of gradients that no sensible loss has
DOT, WEIGHTS = ".", ".weights."  # between the parts of a name


class HasParameters(Protocol):
    """A module."""

    def named_parameters(self) -> Iterable[tuple[str, Any]]:
        """Yield each parameter with its name."""


@dataclass
class LayerFlow:
    """One layer: norms of its values and gradients, the size of the next update, its units.

    ``ratio`` is the norm of lr · gradient relative to that of the values; NaN without an
    optimizer. ``dead`` counts units whose gradients are exactly 0, ``saturated`` those whose
    gradients are tiny. ``missing`` counts parameters that no gradient has reached.
    """

    name: str
    values: float = 0.0
    gradients: float = 0.0
    ratio: float = float("nan")
    units: int = 0
    dead: int = 0
    saturated: int = 0
    missing: list[str] = field(default_factory=list)
    held: bool = True
    verdict: str = "healthy"
    remedy: str = ""

    @property
    def row(self) -> tuple[str, ...]:
        """The texts of one line of the table."""
        ratio = "" if self.ratio != self.ratio else f"{self.ratio:.2g}"
        units = f"{self.dead + self.saturated} of {self.units}" if self.units else ""
        return (
            self.name, f"{self.values:.3g}", f"{self.gradients:.3g}", ratio, units, self.verdict
        )  # fmt: skip


class Flow(Report):
    """The layers of a network with their verdicts. It is true if all is well."""

    layers: list[LayerFlow]
    head: ClassVar[tuple[str, ...]] = (
        *("layer", "values", "gradients", "update / values", "dead units", "verdict"),
    )

    def __init__(self, layers: Sequence[LayerFlow], rows: Sequence[tuple[str, str]]) -> None:
        self.layers = list(layers)
        wrong = [layer for layer in layers if layer.verdict != "healthy"]
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
                f"{x.gradients:.3g}", x.verdict, "good" if x.verdict == "healthy" else "bad")
            for x in self.layers
        ])  # fmt: skip


def flow(model: HasParameters, optimizer: Any = None) -> Flow:
    """Return how numbers and gradients flow through ``model``, after a backward pass.

    For each layer: the norms of its values and gradients, the size of the next update relative to
    the values (with an ``optimizer``), dead and saturated units, and a verdict. A verdict other
    than "healthy" comes with its reason and a remedy: vanishing or exploding gradients, dead units
    (all gradients of a unit are exactly 0), saturated units, parameters that no gradient reaches or
    that the optimizer does not have, and a learning rate that is far too large. Nothing changes.

    Raise `UsageError` for something that has no parameters.

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
    _mark_saturated(found, layers)
    rows = verdicts(found, optimizer)
    if any(x.verdict in ("disconnected", "without gradient") for x in found):
        rows += told_cut(next(user_frames(sys._getframe(1)), None))
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
    layer = LayerFlow(name, _norm(values), _norm(gradients))
    layer.missing = [n for n, p in parameters if is_tensor(p) and p.grad is None]
    if optimizer is not None:
        known = {id(p): g["lr"] for g in optimizer.param_groups for p in g["params"]}
        rates = [known[id(p)] for _, p in parameters if id(p) in known]
        layer.held = len(rates) == len(parameters)
        adaptive = type(optimizer).__name__ not in ("SGD",)
        size = sqrt(len(gradients)) if adaptive else layer.gradients
        if rates and layer.gradients:
            layer.ratio = max(rates) * size / layer.values if layer.values else inf
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


def verdicts(layers: Sequence[LayerFlow], optimizer: Any = None) -> list[tuple[str, str]]:
    """Give each layer its verdict, and return the reasons with remedies."""
    rows: list[tuple[str, str]] = []
    top = max((x.gradients for x in layers if isfinite(x.gradients)), default=0.0)
    for layer in layers:
        layer.verdict, reason, layer.remedy = _verdict(layer, top, layers, optimizer)
        if reason:
            rows.append((f"{layer.name} is {layer.verdict}", f"{reason}. {layer.remedy}"))
    if any(x.verdict == "overshooting" for x in layers):
        rates = ", ".join(f"{g['lr']:g}" for g in optimizer.param_groups)
        worst = max(x.ratio for x in layers if x.ratio == x.ratio)
        smaller = optimizer.param_groups[0]["lr"] * 0.01 / worst if isfinite(worst) else 1e-3
        cause = (
            f"lr={rates} is far too large: one update is up to {worst:.2g} times as large as the "
            f"parameters. Try lr={smaller:.1g}."
        )
        rows.insert(0, ("cause: the learning rate", cause))
    return rows


def _verdict(
    layer: LayerFlow, top: float, layers: Sequence[LayerFlow], optimizer: Any
) -> tuple[str, str, str]:
    if not isfinite(layer.gradients) or not isfinite(layer.values):
        return (
            "not finite", "a NaN or an infinity is among its numbers",
            "Write gradwalk.inspect.why(model) for the operation that made it.",
        )  # fmt: skip
    if layer.missing and not layer.gradients:
        return (
            "disconnected", f"no gradient has reached {', '.join(layer.missing)}",
            "Call backward() first. If you have, use the layer in forward(), and let no data, "
            "detach, argmax or no_grad stand between it and the loss.",
        )  # fmt: skip
    if optimizer is not None and not layer.held:
        return (
            "not updated", "the optimizer does not have its parameters",
            "Make the optimizer after the last layer, or call optimizer.add_param_group(...).",
        )  # fmt: skip
    if top and layer.ratio > FAR and layer.ratio == layer.ratio:
        return (
            "overshooting", f"one update is {layer.ratio:.2g} times as large as its values",
            "Use a smaller learning rate.",
        )  # fmt: skip
    if top and layer.units and layer.dead == layer.units:
        return _dead(layer)
    if not layer.gradients:
        return (
            "without gradient", "all its gradients are 0",
            "Call backward() first. If you have, look for dead units after it, or a loss that "
            "does not depend on it.",
        )  # fmt: skip
    if layer.gradients > EXPLODED:
        return (
            "exploding", f"the norm of its gradients is {layer.gradients:.2g}",
            "Clip the gradients (clip_grad_norm), scale the data, or use smaller weights.",
        )  # fmt: skip
    return _weak(layer, top)


def _weak(layer: LayerFlow, top: float) -> tuple[str, str, str]:
    if 0.0 < top < FLAT:
        return (
            "saturated", f"the gradients of all layers are below {FLAT:g}",
            "Scale the data and the weights down, so that sigmoid and tanh do not lie flat; for a "
            "sigmoid before a cross entropy use the loss that takes logits.",
        )  # fmt: skip
    if top and layer.gradients < TINY * top:
        return (
            "vanishing", f"its gradients are {layer.gradients / top:.1g} of the largest layer's",
            "Use relu instead of sigmoid or tanh, better initial weights (nn.init), a residual "
            "connection, or normalization.",
        )  # fmt: skip
    if layer.units >= 4 and layer.dead > layer.units // 2:
        return _dead(layer)
    if layer.units >= 2 and layer.saturated > layer.units // 2:
        return (
            "saturated", f"{layer.saturated} of {layer.units} units have almost no gradient",
            "Scale the data and the weights down.",
        )  # fmt: skip
    return "healthy", "", ""


def _dead(layer: LayerFlow) -> tuple[str, str, str]:
    return (
        "dead",
        f"{layer.dead} of {layer.units} units have gradients of exactly 0 on this batch",
        "Use leaky_relu, a smaller learning rate, or start again from other weights: the inputs of "
        "these relu units are negative for all rows.",
    )
