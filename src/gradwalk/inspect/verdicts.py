"""The verdicts of `flow` on each layer, with reasons and remedies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, sqrt

from .activations import Activations

__all__ = ["FINE", "LayerFlow", "Scene", "verdicts"]

TINY = 1e-6  # of the gradients of one layer, relative to the largest of all layers
FAR = 2.0  # an update is larger than a layer's values by this factor
STEP = 0.5  # ... and changes its numbers by more than this, which no small start explains
FINE = ("healthy", "frozen", "at rest")
FLAT = 1e-9  # gradients of a whole network that lies flat, or has converged
STEEP = 1e-6  # the least gradients of a network in which others can vanish
EXPLODED = 1e8  # a norm of gradients that no sensible loss has
STILL, MOVING = 1e-9, 1e-4  # an update, and a gradient, relative to the values of a layer
WIDE, SMALL = 30.0, 1e-3  # values of a layer, of which those of usual initial weights are far away
LARGE = 100.0  # inputs of a layer, which should be about 1
SATURATING = 15.0  # 1 - sigmoid(15) = 3e-7
FAR_AWAY, HIGH = 1e4, 1e4  # updates that lower the loss to 0, and a loss of unscaled targets
CONVERGED = 1e-6  # a loss relative to the first one
GROWN, APART = 100.0, 10.0  # the last loss relative to the first, and all late to all early ones
NEARLY = 0.9  # of the units before relu, if their activations are unknown
Reason = tuple[str, str, str]


@dataclass
class LayerFlow:
    """One layer: norms of its values and gradients, the size of the next update, its units.

    ``ratio`` is the norm of lr · gradient relative to that of the values; NaN without an
    optimizer, ``pace`` is the same for lr = 1. It is ``paused`` if a schedule is at its begin or
    its end. ``step`` is the mean change of a number, ``size`` how many there are. ``descent`` is
    how far updates of equal size lower the loss. ``dead`` counts units whose gradients are exactly
    0, ``saturated`` those whose gradients are tiny. ``missing`` names parameters that no gradient
    has reached. ``top`` is the largest value, ``reach`` the norm of the gradients of the weights
    relative to that of the biases. It ``wakes`` if weights of exactly 0, as those of some last
    layers are at first, have gradients. Arrays of gradients are ``measured``, also where they are
    0; a Value has 0.0 before ``backward()`` too. ``alike`` counts units that have equal weights
    and equal gradients, ``starved`` names weights without a gradient beside a bias that has one,
    ``empty`` weights that are all 0.
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
    top: float = 0.0
    reach: float = 0.0
    wakes: bool = False
    measured: bool = False
    pace: float = 0.0
    paused: bool = False
    descent: float = 0.0
    alike: int = 0
    starved: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)

    @property
    def row(self) -> tuple[str, ...]:
        """The texts of one line of the table."""
        ratio = "" if self.ratio != self.ratio else f"{self.ratio:.2g}"
        units = f"{self.dead + self.saturated} of {self.units}" if self.units else ""
        return (
            self.name, f"{self.values:.3g}", f"{self.gradients:.3g}", ratio, units, self.verdict
        )  # fmt: skip

    @property
    def mean(self) -> float:
        """The root of the mean square of the values."""
        return self.values / sqrt(self.size) if self.size else 0.0


@dataclass
class Scene:
    """What is known of a network beside its layers.

    ``activations`` are those of a batch, if one was given; ``kinds`` the names of the classes of
    its modules; ``losses`` those of the training, the last one of the last step; ``rates`` the
    learning rates of the optimizer.
    """

    layers: Sequence[LayerFlow]
    activations: Activations | None = None
    kinds: frozenset[str] = frozenset()
    losses: Sequence[float] = ()
    rates: Sequence[float] = ()

    @property
    def top(self) -> float:
        """The largest norm of the gradients of a layer."""
        return max((x.gradients for x in self.layers if isfinite(x.gradients)), default=0.0)

    @property
    def has_converged(self) -> bool:
        """Whether the loss is 0, or a small part of the first one."""
        known = [x for x in self.losses if isfinite(x)]
        return bool(known) and (abs(known[-1]) < FLAT or abs(known[-1]) < CONVERGED * abs(known[0]))

    @property
    def stays(self) -> bool:
        """Whether the loss is known to have stayed where it was at first."""
        known = [x for x in self.losses if isfinite(x)]
        return len(known) > 2 and min(known) >= known[0] - 0.01 * abs(known[0])

    @property
    def growth(self) -> str:
        """How the loss has grown, in words; ``""`` if it has not."""
        known = [x for x in self.losses if isfinite(x)]
        few = max(1, len(known) // 3)
        if len(known) < 2 or known[-1] < max(GROWN * known[0], CONVERGED) or known[0] <= 0.0:
            return ""
        if min(known[-few:]) < APART * max(known[:few]):
            return ""
        return (
            f"it was {known[0]:.3g} and is {known[-1]:.3g} after {len(known)} steps, "
            f"{known[-1] / known[0]:.0f} times as large"
        )

    def flat(self, layer: LayerFlow) -> str:
        """Return what shows that sigmoid or tanh lie flat after a layer; ``""`` if nothing does."""
        if self.activations is not None:
            return self.activations.flat_after(layer.name)
        flattening = self.kinds & {"Sigmoid", "Tanh", "LogSigmoid", "Hardsigmoid", "Hardtanh"}
        if flattening and layer.top > SATURATING:
            kind = sorted(flattening)[-1]
            return f"{layer.name} has values up to {layer.top:.3g}, for which {kind} is flat"
        return ""


def verdicts(scene: Scene) -> list[tuple[str, str]]:
    """Give each layer its verdict, and return the reasons with remedies."""
    rows: list[tuple[str, str]] = []
    for layer in scene.layers:
        layer.verdict, reason, layer.remedy = _verdict(layer, scene)
        if reason and layer.verdict not in FINE:
            rows.append((f"{layer.name} is {layer.verdict}", f"{reason}. {layer.remedy}"))
    found = {x.verdict for x in scene.layers}
    rates = ", ".join(f"{lr:g}" for lr in scene.rates)
    known = [x.ratio for x in scene.layers if isfinite(x.ratio)]
    pace = max((x.pace for x in scene.layers if isfinite(x.pace)), default=0.0)
    if "overshooting" in found:
        worst = max(known)
        cause = (
            f"lr={rates} is far too large: one update is up to {worst:.2g} times as large as the "
            f"parameters. Try lr={0.01 / pace:.1g}."
        )
        rows.insert(0, ("cause: the learning rate", cause))
    if "standing still" in found:
        most = max(known)
        cause = (
            f"lr={rates} is far too small: one update is at most {most:.2g} of the parameters. "
            f"Try lr={1e-3 / pace:.1g}."
        )
        rows.insert(0, ("cause: the learning rate", cause))
    if growth := scene.growth:
        lr = f" than {rates}" if rates else ""
        cure = f"Use a smaller learning rate{lr}, or clip the gradients (clip_grad_norm)."
        rows.insert(0, ("the loss grows", f"{growth}. {cure}"))
    return rows


def _verdict(layer: LayerFlow, scene: Scene) -> Reason:
    return next((found for rule in RULES if (found := rule(layer, scene))), ("healthy", "", ""))


def _not_finite(layer: LayerFlow, scene: Scene) -> Reason | None:
    if isfinite(layer.gradients) and isfinite(layer.values):
        return None
    return (
        "not finite", "a NaN or an infinity is among its numbers",
        "Write gradwalk.inspect.why(model) for the operation that made it.",
    )  # fmt: skip


def _frozen(layer: LayerFlow, scene: Scene) -> Reason | None:
    return ("frozen", "", "") if layer.frozen else None


def _disconnected(layer: LayerFlow, scene: Scene) -> Reason | None:
    if not layer.missing or layer.gradients:
        return None
    return (
        "disconnected", f"no gradient has reached {', '.join(layer.missing)}",
        "Call backward() first. If you have, use the layer in forward(), and let no data, "
        "detach, argmax or no_grad stand between it and the loss.",
    )  # fmt: skip


def _not_updated(layer: LayerFlow, scene: Scene) -> Reason | None:
    if layer.held:
        return None
    return (
        "not updated", "the optimizer does not have its parameters",
        "Make the optimizer after the last layer, or call optimizer.add_param_group(...). To keep "
        "it as it is, freeze it: requires_grad_(False).",
    )  # fmt: skip


def _overshooting(layer: LayerFlow, scene: Scene) -> Reason | None:
    if not (scene.top and FAR < layer.ratio < inf and layer.step > STEP):
        return None
    return (
        "overshooting", f"one update is {layer.ratio:.2g} times as large as its values",
        "Use a smaller learning rate.",
    )  # fmt: skip


def _standing_still(layer: LayerFlow, scene: Scene) -> Reason | None:
    moves = layer.gradients > MOVING * layer.values > 0.0
    if not (moves and 0.0 <= layer.ratio < STILL) or layer.paused or scene.has_converged:
        return None
    return (
        "standing still", f"one update is {layer.ratio:.2g} of its values",
        "Use a larger learning rate.",
    )  # fmt: skip


def _all_zero(layer: LayerFlow, scene: Scene) -> Reason | None:
    """Name weights of 0 whose gradients are 0 too: they stay as they are."""
    if not scene.top or layer.units < 2 or layer.values or layer.dead < layer.units:
        return None
    return (
        "without gradient", "all its values and all their gradients are 0",
        "Start from random weights: nn.init.xavier_uniform_(weight).",
    )  # fmt: skip


def _waiting(layer: LayerFlow, scene: Scene) -> Reason | None:
    """Pass a layer before one that starts from 0: it gets gradients after the first update."""
    waits = not layer.gradients and any(x.wakes for x in scene.layers if x is not layer)
    return ("healthy", "", "") if waits else None


def _all_dead(layer: LayerFlow, scene: Scene) -> Reason | None:
    return _dead(layer, scene) if scene.top and 0 < layer.units == layer.dead else None


def _without_gradient(layer: LayerFlow, scene: Scene) -> Reason | None:
    if layer.gradients or not (layer.size > 1 or not scene.top):
        return None
    if scene.has_converged:
        return "at rest", "", ""
    return (
        "without gradient", "all its gradients are 0",
        "Call backward() first. If you have, look for dead units after it, or a loss that "
        "does not depend on it.",
    )  # fmt: skip


def _exploding(layer: LayerFlow, scene: Scene) -> Reason | None:
    if layer.gradients <= EXPLODED:
        return None
    return (
        "exploding", f"the norm of its gradients is {layer.gradients:.2g}",
        "Clip the gradients (clip_grad_norm), scale the data, or use smaller weights.",
    )  # fmt: skip


def _at_rest(layer: LayerFlow, scene: Scene) -> Reason | None:
    """Judge tiny gradients of all layers: at a minimum, or where the network lies flat."""
    if not scene.top < FLAT or not layer.measured or (scene.has_converged and not scene.top):
        return None
    if not scene.top:
        return None if scene.losses else ("at rest", "all gradients are 0", "")
    if scene.has_converged:
        return "healthy", "", ""
    told = f"the gradients of all layers are below {FLAT:g}"
    if flat := scene.flat(layer):
        return (
            "saturated", f"{told}, and {flat}",
            "Scale the data and the weights down, so that sigmoid and tanh do not lie flat; for a "
            "sigmoid before a cross entropy use the loss that takes logits.",
        )  # fmt: skip
    if any(scene.flat(x) for x in scene.layers):
        return "healthy", "", ""  # the row of that layer is enough
    if not scene.stays:
        return "at rest", told, ""
    told += f", and the loss stays at {scene.losses[-1]:.3g}"
    if 0.0 < layer.mean < SMALL and layer.size > 1:
        return (
            "vanishing", f"{told}, and its values are about {layer.mean:.1g}",
            "Start from larger weights: nn.init.xavier_uniform_(weight).",
        )  # fmt: skip
    return "flat", told, "Start from other weights (nn.init), and scale the data to about 1."


def _vanishing(layer: LayerFlow, scene: Scene) -> Reason | None:
    top = scene.top
    if top < STEEP or layer.size < 2 or layer.gradients >= TINY * top or scene.has_converged:
        return None
    told = f"its gradients are {layer.gradients / top:.1g} of the largest layer's"
    if found := _large_inputs(layer, scene, told):
        return found
    if found := _odd_values(layer, scene, told):
        return found
    if any("Norm" in kind for kind in scene.kinds):
        return None  # a sum over normalized outputs does not depend on what is before: no depth
    squashing = scene.kinds & {"Sigmoid", "Tanh"}
    change = f"Use relu instead of {' and '.join(sorted(squashing))}, b" if squashing else "Use b"
    return (
        "vanishing", told,
        f"{change}etter initial weights (nn.init), a residual connection, or normalization.",
    )  # fmt: skip


def _large_inputs(layer: LayerFlow, scene: Scene, told: str) -> Reason | None:
    """Return large inputs of a layer as the reason: seen, or by what its gradients suggest."""
    seen = scene.activations.inputs_of(layer.name) if scene.activations is not None else 0.0
    reach = seen or layer.reach
    if reach <= LARGE:
        return None
    how = "its inputs are up to" if seen else "those of its weights suggest inputs of about"
    return (
        "vanishing", f"{told}, and {how} {reach:.2g}",
        "Scale its inputs to about 1: (x - x.mean(0)) / x.std(0).",
    )  # fmt: skip


def _odd_values(layer: LayerFlow, scene: Scene, told: str) -> Reason | None:
    """Return values of a layer as the reason, if they are far from usual ones."""
    wide = max(scene.layers, key=lambda x: x.mean)
    small = min((x for x in scene.layers if x.values), key=lambda x: x.mean, default=layer)
    if wide.mean > WIDE:
        return (
            "vanishing", f"{told}, and the values of {wide.name} are about {wide.mean:.2g}",
            "Start again from usual weights (nn.init), with a smaller learning rate.",
        )  # fmt: skip
    if 0.0 < small.mean < SMALL:
        return (
            "vanishing", f"{told}, and the values of {small.name} are about {small.mean:.1g}",
            "Start from larger weights: nn.init.xavier_uniform_(weight).",
        )  # fmt: skip
    return None


def _asleep(layer: LayerFlow, scene: Scene) -> Reason | None:
    """Pass units that are 0 in this batch, as those of a sparse layer are in a small one."""
    if scene.activations is None or not scene.top or layer.dead <= layer.units // 2:
        return None
    asleep = scene.activations.asleep_after(layer.name)
    return ("healthy", "", "") if layer.dead - asleep <= layer.units // 2 else None


def _many_dead(layer: LayerFlow, scene: Scene) -> Reason | None:
    unseen = scene.activations is None and any(kind.startswith("ReLU") for kind in scene.kinds)
    most = NEARLY * layer.units if unseen else layer.units // 2
    return None if layer.units < 4 or layer.dead <= most else _dead(layer, scene)


def _saturated(layer: LayerFlow, scene: Scene) -> Reason | None:
    if layer.units < 2 or layer.saturated <= layer.units // 2 or scene.has_converged:
        return None
    if 0.0 < layer.mean < SMALL:
        return None
    flat = scene.flat(layer)
    if not flat:
        return None
    return (
        "saturated",
        f"{layer.saturated} of {layer.units} units have almost no gradient, and {flat}",
        "Scale the data and the weights down.",
    )


def _dead(layer: LayerFlow, scene: Scene) -> Reason:
    told = f"{layer.dead} of {layer.units} units have gradients of exactly 0 on this batch"
    seen = scene.activations
    silent = seen.silent_after(layer.name) if seen is not None else ""
    if seen is not None and not silent and (found := _large_inputs(layer, scene, told)):
        return found
    relu = silent or any(kind.startswith("ReLU") for kind in scene.kinds)
    if silent or (relu and seen is None):
        return (
            "dead", f"{told}{silent and f', and {silent}'}",
            "If relu follows, its inputs are negative for all rows: use leaky_relu, a smaller "
            "learning rate, or start again from other weights.",
        )  # fmt: skip
    wide = max(scene.layers, key=lambda x: x.mean)
    if wide.mean > WIDE:
        return (
            "dead", f"{told}, and the values of {wide.name} are about {wide.mean:.2g}",
            "Start again from usual weights (nn.init), with a smaller learning rate.",
        )  # fmt: skip
    return (
        "dead", told,
        "Look for what multiplies its outputs by 0: weights of a later layer, a mask, or an "
        "activation that is flat there, for which leaky_relu is a remedy if it is relu.",
    )  # fmt: skip


def _far_away(layer: LayerFlow, scene: Scene) -> Reason | None:
    """Judge a loss that stays high beside what updates can do, though gradients are steep."""
    descent = sum(x.descent for x in scene.layers)
    known = [x for x in scene.losses if isfinite(x)]
    if layer is not scene.layers[-1] or not descent or layer.paused or len(known) < 3:
        return None
    loss = min(known)
    if loss < max(HIGH, FAR_AWAY * descent, 0.5 * known[0]) or scene.top < LARGE:
        return None
    return (
        "far away",
        f"the loss stays at {loss:.3g}, and an update lowers it by {descent:.2g} at most: that is "
        f"{loss / descent:.1g} updates",
        "Standardise the targets: y = (y - y.mean(0)) / y.std(0).",
    )  # fmt: skip


def _symmetric(layer: LayerFlow, scene: Scene) -> Reason | None:
    if not layer.alike or scene.has_converged:
        return None
    return (
        "symmetric",
        f"its {layer.alike} units have equal weights and equal gradients: they act as one",
        "Start from random numbers: nn.init.xavier_uniform_(weight).",
    )  # fmt: skip


def _starved(layer: LayerFlow, scene: Scene) -> Reason | None:
    """Name weights whose inputs are 0, unless a factor of 0 before them has a gradient."""
    if not layer.starved or any(x.wakes for x in scene.layers) or not layer.gradients:
        return None
    names = ", ".join(layer.starved)
    if layer.starved == layer.empty:
        return (
            "without gradient", f"all numbers of {names} and all their gradients are 0",
            "Start from random weights: nn.init.xavier_uniform_(weight).",
        )  # fmt: skip
    return (
        "starved",
        f"the gradient of {names} is exactly 0 everywhere, that of its bias is not: its input is "
        "all zeros",
        "Look for what makes its input 0: a state that is set again in each step of a loop, relu, "
        "a mask, or weights of 0 before it.",
    )  # fmt: skip


RULES: tuple[Callable[[LayerFlow, Scene], Reason | None], ...] = (
    *(_not_finite, _frozen, _disconnected, _not_updated, _overshooting, _standing_still),
    *(_waiting, _all_zero, _symmetric, _starved, _at_rest, _asleep, _all_dead, _without_gradient),
    *(_exploding, _vanishing, _many_dead, _saturated, _far_away),
)
"""The rules in order; the first one that speaks gives the verdict."""
