"""Experiments on initial weights: units that are one, and zeros that stay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine.value import Value
from ...inspect.alike import units_alike
from .of_rates import stepped
from .of_weights import zero_products
from .trial import Finding, Trial, array_of

__all__ = ["equal_units", "zero_weights"]

RATE = 0.01  # of the steps after which zeros are still 0
START = "Start from random numbers: nn.init.xavier_uniform_(weight)."


def _weights(trial: Trial) -> Iterator[tuple[str, Any, Any]]:
    """Yield the names of weights, their numbers and gradients; those of Values for each layer."""
    gradients = trial.gradients(trial.batches[0])
    neurons: dict[str, dict[str, list[Any]]] = {}
    for (name, p), g in zip(trial.parameters, gradients, strict=True):
        layer, _, rest = name.partition(".neurons.")
        if isinstance(p, Value):
            pair = (p.data, 0.0 if g is None else float(g))
            neurons.setdefault(layer if rest else "", {}).setdefault(rest.split(".")[0], []).append(
                pair
            )
        elif g is not None:
            yield name, array_of(p), np.asarray(g)
    for layer, found in neurons.items():
        if layer:
            both = np.array([*found.values()])
            yield layer, both[..., 0], both[..., 1]


def equal_units(trial: Trial) -> Iterator[Finding]:
    """Find layers whose units have equal weights and equal gradients: they act as one."""
    found = [(name, w, n) for name, w, g in _weights(trial) if (n := units_alike(w, g))]
    if not found:
        return
    name, w, count = found[0]
    each = f"{w.flat[0]:.3g}" if (w == w.flat[0]).all() else "the same numbers"
    more = f"; so it is in {', '.join(n for n, _, _ in found[1:4])}" if found[1:] else ""
    yield Finding(
        f"all {count} units of {name} are alike: they act as one",
        f"each unit of {name}, of shape {w.shape}, has {each} for its weights, and their gradients "
        f"are equal, so no update tells them apart{more}",
        START,
    )


def zero_weights(trial: Trial) -> Iterator[Finding]:
    """Find weights of 0 whose gradients are 0, and stay so after some steps.

    Two factors that keep each other at 0 are found by `zero_products`.
    """
    zeros = {n for n, w, g in _weights(trial) if w.ndim > 1 and not w.any() and not g.any()}
    if not zeros or any(zero_products(trial)):
        return
    with trial.undone(), np.errstate(all="ignore"):
        stepped(trial, RATE)
        stay = [
            (n, w.size) for n, w, g in _weights(trial) if n in zeros and not (w.any() or g.any())
        ]
    if stay:
        count = len(stay)
        names = ", ".join(n for n, _ in stay[:4]) + (f" and {count - 4} more" if count > 4 else "")
        yield Finding(
            f"{names} {'is' if count == 1 else 'are'} 0 and stay{'s' * (count == 1)} so",
            f"all {sum(size for _, size in stay)} numbers are 0, and so are their gradients, now "
            "and after 5 steps: all factors beside them are 0",
            START,
        )
