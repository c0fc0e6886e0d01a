"""An experiment on layers that compute the output, and that a model does not know as its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...inspect.magnitudes import norm
from ...inspect.snapshot import reached
from .of_targets import is_aside, sees_others
from .trial import Finding, Trial

__all__ = ["hidden_layers"]


def hidden_layers(trial: Trial) -> Iterator[Finding]:
    """Find layers of the output that are only in a closure or a global variable.

    A network that a step should leave alone is no layer: its name says so, or trained layers also
    work on what does not come from it.
    """
    layers = trial.hidden
    parameters = [p for layer in layers for p in layer.parameters()]
    where = _home(trial, layers)
    if not layers or is_aside(where) or sees_others(trial, parameters):
        return
    size = norm(
        [np.asarray(g) for g in trial.gradients(trial.batches[0], parameters) if g is not None]
    )
    if not size:
        return
    count = Counter(type(layer).__name__ for layer in layers)
    kinds = " and ".join(f"{n} {kind}" for kind, n in count.items())
    model, optimizer = trial.model_name, trial.optimizer_name
    verb = "layer computes" if len(layers) == 1 else "layers compute"
    yield Finding(
        f"{len(layers)} {verb} the output and {'is' if len(layers) == 1 else 'are'} not in "
        f"{model}.parameters()",
        f"{kinds} {'is' if len(layers) == 1 else 'are'} only in {where}: {len(parameters)} "
        f"parameters get gradients of norm {size:.3g}, and {optimizer} has none of them",
        f"Assign them to self, as a layer or an nn.ModuleList, and make {optimizer} after that.",
    )


def _home(trial: Trial, layers: list[Any]) -> str:
    """Return what holds layers, in words: a function with its line, or a variable."""
    for path, module in trial.model.named_modules():
        parts = [(name, x) for name, x in vars(module).items() if not hasattr(x, "parameters")]
        parts += [("forward", module.forward)]
        for name, x in parts:
            if any(layer is y for layer in layers for y in reached((x,))):
                home = ".".join(part for part in (trial.model_name, path, name) if part)
                code = getattr(getattr(x, "func", x), "__code__", None)
                return f"{home}, a function of line {code.co_firstlineno}" if code else home
    return " and ".join(dict.fromkeys(trial.name(layer, "a variable") for layer in layers[:3]))
