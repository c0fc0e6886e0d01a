"""The verdicts of `flow` on each layer, with reasons and remedies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any

__all__ = ["FINE", "LayerFlow", "verdicts"]

TINY = 1e-6  # of the gradients of one layer, relative to the largest of all layers
FAR = 2.0  # an update is larger than a layer's values by this factor
STEP = 0.5  # ... and changes its numbers by more than this, which no small start explains
FINE = ("healthy", "frozen")
FLAT = 1e-9  # gradients of a whole network that lies flat
EXPLODED = 1e8  # a norm of gradients that no sensible loss has


@dataclass
class LayerFlow:
    """One layer: norms of its values and gradients, the size of the next update, its units.

    ``ratio`` is the norm of lr · gradient relative to that of the values; NaN without an
    optimizer. ``step`` is the mean change of a number, ``size`` how many there are. ``dead``
    counts units whose gradients are exactly 0, ``saturated`` those whose gradients are tiny.
    ``missing`` names parameters that no gradient has reached.
    """

    name: str
    values: float = 0.0
    gradients: float = 0.0
    ratio: float = float("nan")
    step: float = 0.0
    size: int = 0
    units: int = 0
    dead: int = 0
    saturated: int = 0
    missing: list[str] = field(default_factory=list)
    held: bool = True
    frozen: bool = False
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
    if layer.frozen:
        return "frozen", "", ""
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
    if top and FAR < layer.ratio < inf and layer.step > STEP:
        return (
            "overshooting", f"one update is {layer.ratio:.2g} times as large as its values",
            "Use a smaller learning rate.",
        )  # fmt: skip
    if top and layer.units and layer.dead == layer.units:
        return _dead(layer)
    if not layer.gradients and (layer.size > 1 or not top):
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
    if top and layer.size > 1 and layer.gradients < TINY * top:
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
