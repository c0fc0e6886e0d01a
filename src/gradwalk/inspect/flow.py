"""`flow`: a look at a network after a backward pass, layer by layer, with verdicts and remedies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, log10, sqrt
from typing import Any, ClassVar, Protocol

from ..core.calls import caller
from ..core.expect import describe
from ..core.places import user_frames
from ..errors import UsageError
from .activations import activations
from .alike import units_alike
from .charts import Bar, bars
from .draw import Drawing
from .magnitudes import largest, norm, norms_of_rows, numbers_of
from .rates import is_given_up
from .report import Report
from .unreached import probable_cut
from .verdicts import FINE, STILL, LayerFlow, Scene, verdicts

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
        title = f"all {len(layers)} layers are healthy"
        if wrong:
            title = f"{len(wrong)} of {len(layers)} layers need attention"
        elif rows:
            title = f"{rows[0][0]}, though {title}"
        super().__init__(title, rows)

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


def flow(
    model: HasParameters,
    optimizer: Any = None,
    *,
    inputs: Any = None,
    loss: float | Sequence[float] = (),
) -> Flow:
    """Return how numbers and gradients flow through ``model``, after a backward pass.

    For each layer: the norms of its values and gradients, the size of the next update relative to
    the values, dead and saturated units, and a verdict. A verdict other than "healthy", "frozen"
    and "at rest" comes with its reason and a remedy: vanishing or exploding gradients, dead units
    (all gradients of a unit are exactly 0), saturated units, parameters that no gradient reaches or
    that the optimizer does not have, units that are alike, inputs that are all zeros, targets that
    are far away, and a learning rate, as it is now, that is far too large or too small.
    "at rest" means that all gradients are tiny, as they are at a minimum and where a network lies
    flat: ``inputs`` and ``loss`` tell which. Losses that grow are named too. Nothing changes.

    Parameters
    ----------
    model
        A module, here or of PyTorch, or anything with ``named_parameters()``.
    optimizer
        The optimizer that trains it; without it updates are not examined.
    inputs : (batch, ...), optional
        A batch, or a tuple of arguments, with which the model is called once more to see its
        activations. Its state and its generators are given back.
    loss
        The losses of the steps so far, the last one of this step; or this one alone.

    Returns
    -------
    a Flow
        The layers with their verdicts; true if all is well.

    Raises
    ------
    UsageError
        If ``model`` has no parameters.

    See Also
    --------
    gradwalk.check.training

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
    layers: dict[str, list[_Parameter]] = {}
    for name, p in model.named_parameters():
        layers.setdefault(_layer_of(name), []).append(_Parameter.of(name, p))
    found = [_measured(name, parameters, optimizer) for name, parameters in layers.items()]
    if optimizer is not None and is_given_up(optimizer):
        for layer in found:
            layer.paused = False
    modules: dict[str, Any] = dict(getattr(model, "named_modules", dict)())
    for layer in found:  # a row that this batch does not look up is not dead
        if hasattr(modules.get(layer.name, model), "num_embeddings"):
            layer.units = layer.dead = 0
    _mark_saturated(found, layers)
    scene = Scene(
        found,
        None if inputs is None else activations(model, inputs),
        frozenset(type(module).__name__ for module in modules.values()),
        [float(x) for x in (loss if isinstance(loss, Sequence) else (numbers_of(loss),))],
        [float(g["lr"]) for g in optimizer.param_groups] if optimizer is not None else (),
    )
    rows = verdicts(scene)
    if any(x.verdict in ("disconnected", "without gradient") for x in found):
        rows += probable_cut(next(user_frames(caller()), None))
    return Flow(found, rows)


def _layer_of(name: str) -> str:
    """Return the layer of a parameter: ``layers.0`` for ``layers.0.weight`` and for neurons."""
    parts = name.split(DOT)
    first = next((i for i, part in enumerate(parts) if part.isdigit()), None)
    return ".".join(parts[: first + 1]) if first is not None else ".".join(parts[:-1]) or name


@dataclass
class _Parameter:
    """A parameter with its name, and its numbers and gradient as a float or an array."""

    name: str
    parameter: Any
    values: Any
    gradient: Any

    @classmethod
    def of(cls, name: str, p: Any) -> _Parameter:
        return cls(name, p, numbers_of(p), numbers_of(p.grad))

    @property
    def is_trained(self) -> bool:
        return bool(getattr(self.parameter, "requires_grad", True))

    @property
    def is_array(self) -> bool:
        return hasattr(self.values, "dtype")

    @property
    def size(self) -> int:
        return int(self.values.size) if self.is_array else 1


UPDATES: dict[str, Callable[[LayerFlow], float]] = {
    "SGD": lambda layer: layer.gradients,
    **dict.fromkeys(
        ("Adam", "AdamW", "Adagrad", "RMSprop", "NAdam", "RAdam", "Adamax", "Lion"),
        lambda layer: sqrt(layer.size),  # about lr for each number
    ),
}
"""By the name of an optimizer: the norm of its update of a layer, divided by the learning rate."""


def _measured(name: str, parameters: list[_Parameter], optimizer: Any) -> LayerFlow:
    given = [x.gradient for x in parameters if x.gradient is not None]
    layer = LayerFlow(name, norm([x.values for x in parameters]), norm(given))
    layer.size = sum(x.size for x in parameters)
    layer.top = largest(x.values for x in parameters)
    trained = [x for x in parameters if x.is_trained]
    layer.frozen = not trained
    layer.missing = [x.name for x in trained if x.is_array and x.gradient is None]
    if optimizer is not None:
        _add_update(layer, trained, optimizer)
    units = _units(parameters)
    layer.units = len(units)
    layer.dead = sum(not unit for unit in units)
    layer.reach = _reach(parameters)
    layer.alike = max((units_alike(x.values, x.gradient) for x in trained if x.is_array), default=0)
    layer.starved = _starved(parameters)
    layer.empty = [
        x.name for x in parameters if x.is_array and x.values.ndim > 1 and not x.values.any()
    ]
    layer.measured = any(x.is_array and x.gradient is not None for x in parameters)
    layer.wakes = any(
        not x.name.endswith("bias") and x.gradient is not None
        and not largest([x.values]) and largest([x.gradient]) > 0.0
        for x in parameters
    )  # fmt: skip
    return layer


def _add_update(layer: LayerFlow, trained: list[_Parameter], optimizer: Any) -> None:
    """Add the size of the next update to a layer."""
    known = {
        id(p): (float(g["lr"]), float(g.get("initial_lr", g["lr"])))
        for g in optimizer.param_groups
        for p in g["params"]
    }
    rates = [known[id(x.parameter)] for x in trained if id(x.parameter) in known]
    layer.held = len(rates) == len(trained)
    size = UPDATES.get(type(optimizer).__name__)
    arrays = [x for x in trained if x.is_array and x.gradient is not None]
    if rates and layer.gradients and size is not None:
        now, first = max(lr for lr, _ in rates), max(lr for _, lr in rates)
        layer.pace = size(layer) / layer.values if layer.values else inf
        layer.ratio = layer.pace * now if now else 0.0
        layer.step = now * size(layer) / sqrt(layer.size)
        if UPDATES["SGD"] is not size:
            layer.descent = now * sum(float(abs(x.gradient).sum()) for x in arrays)
        # a schedule that begins or ends near 0 is no mistake, and no rate 0 of some layers
        layer.paused = (
            layer.pace * first >= STILL if now < first
            else not now and any(lr for lr, _ in known.values())
        )  # fmt: skip


def _units(parameters: list[_Parameter]) -> list[float]:
    """Return the norm of the gradients of each unit: rows of a weight, or a neuron's weights."""
    rows: dict[int, list[Any]] = {}
    neurons: dict[str, list[Any]] = {}
    for x in parameters:
        if x.is_array and x.gradient is not None and x.name.endswith(("weight", "bias")):
            if x.gradient.ndim:
                rows.setdefault(len(x.gradient), []).append(x.gradient)
        elif not x.is_array and WEIGHTS in f".{x.name}":
            neurons.setdefault(x.name.rpartition(WEIGHTS)[0], []).append(x.gradient)
    found = [size for parts in rows.values() if len(parts[0]) for size in norms_of_rows(parts)]
    return found + [norm(parts) for parts in neurons.values()]


def _reach(parameters: list[_Parameter]) -> float:
    """Return the norm of the gradients of a weight relative to that of its bias, 0.0 without."""
    sizes = {
        x.name.rpartition(DOT)[2]: norm([x.gradient])
        for x in parameters
        if x.is_array and x.gradient is not None
    }
    weight, bias = sizes.get("weight", 0.0), sizes.get("bias", 0.0)
    return weight / bias if bias and len(sizes) == 2 else 0.0


def _starved(parameters: list[_Parameter]) -> list[str]:
    """Return weights whose gradients are all exactly 0 while the bias of the layer has one."""
    known = [x for x in parameters if x.is_array and x.gradient is not None]
    moved = {x.name.rpartition(DOT)[0] for x in known if x.gradient.ndim == 1 and x.gradient.any()}
    return [
        x.name for x in known
        if x.gradient.ndim > 1 and not x.gradient.any() and x.name.rpartition(DOT)[0] in moved
    ]  # fmt: skip


def _mark_saturated(found: list[LayerFlow], layers: dict[str, list[_Parameter]]) -> None:
    """Count units whose gradients are tiny, but not 0, beside those of the whole network."""
    top = max((layer.gradients for layer in found if isfinite(layer.gradients)), default=0.0)
    limit = max(SATURATED * top, 1e-12)
    for layer in found:
        layer.saturated = sum(0.0 < size < limit for size in _units(layers[layer.name]))
