"""Measures of how good answers are, besides the loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..engine.value import Value
from ..errors import OptionError

__all__ = ["METRICS", "accuracy", "named_metrics"]

Metric = Callable[[Any, Any], Any]


def accuracy(output: Any, target: Any) -> float:
    """The share of rows whose largest output is that of the right class.

    ``output`` has one row of scores for each target, or one logit, which is positive for the class
    1. Targets are class numbers, or rows of which the largest member counts; of single logits also
    -1 and +1.

    >>> accuracy([[0.1, 0.9], [0.8, 0.2]], [1, 1])
    0.5
    """
    scores, wanted = _plain(output), _plain(target)
    if scores.ndim < 2 or scores.shape[-1] == 1:
        return float(np.mean((scores.ravel() > 0.0) == (wanted.ravel() > 0.5)))
    if wanted.shape == scores.shape:
        wanted = wanted.argmax(axis=-1)
    return float(np.mean(scores.argmax(axis=-1) == wanted))


METRICS: dict[str, Metric] = {"accuracy": accuracy}
"""The measures that have a name."""


def named_metrics(metrics: Any) -> dict[str, Metric]:
    """Functions by name, from a mapping, or a list of functions and of names from `METRICS`."""
    if isinstance(metrics, (str, Mapping)) or callable(metrics):
        metrics = metrics if isinstance(metrics, Mapping) else [metrics]
    if isinstance(metrics, Mapping):
        found = dict(metrics)
    else:
        members = metrics if isinstance(metrics, Iterable) else [metrics]
        found = {getattr(m, "__name__", str(m)): METRICS.get(str(m), m) for m in members}
    for name, metric in found.items():
        if not callable(metric):
            raise OptionError(
                where="fit(metrics=...)",
                expected=f"functions of (output, target), or names among {', '.join(METRICS)}",
                got=describe(metric),
                fix=f"Write metrics={{{name!r}: my_function}}.",
            )
    return found


def _plain(x: Any) -> Any:
    """The numbers of Tensors, arrays and lists of Values."""
    if is_tensor(x):
        return x._data
    if isinstance(x, Value):
        return np.asarray(x.data)
    if isinstance(x, (list, tuple)):
        return np.array([_plain(member) for member in x])
    return np.asarray(x)
