"""Measures of how good outputs are, besides the loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..engine.value import Value
from ..errors import NotANumberError, OptionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..tensor import Tensor

__all__ = ["METRICS", "Metric", "Metrics", "accuracy", "named_metrics"]

Metric = Callable[[Any, Any], Any]  # of (output, target), of the kinds that the model has
Metrics: TypeAlias = Mapping[str, Metric] | Iterable[str | Metric] | str | Metric
Outputs: TypeAlias = "Tensor | ArrayLike | Value | Sequence[Value | Sequence[Value]]"


def accuracy(output: Outputs, target: Outputs) -> float:
    """Return the fraction of rows whose largest output is at the right class.

    Parameters
    ----------
    output : (rows, classes) or (rows,)
        One row of scores for each target, or one logit, which is positive for class 1.
    target : (rows,) or (rows, classes)
        Indices of classes, or rows whose largest member is at the class; for single logits also -1
        and +1.

    Returns
    -------
    ()
        A float from 0 to 1.

    Raises
    ------
    NotANumberError
        If one of the two has no numbers.

    Examples
    --------
    >>> accuracy([[0.1, 0.9], [0.8, 0.2]], [1, 1])
    0.5
    """
    scores, wanted = _plain(output), _plain(target)
    for name, numbers in (("output", scores), ("target", wanted)):
        if numbers.dtype.kind not in "biuf" or not numbers.size:
            raise NotANumberError(
                where=f"accuracy({name})",
                expected="numbers",
                got=describe(output if name == "output" else target),
                fix="Write accuracy(model(inputs), targets).",
            )
    if scores.ndim < 2 or scores.shape[-1] == 1:
        return float(np.mean((scores.ravel() > 0.0) == (wanted.ravel() > 0.5)))
    if wanted.shape == scores.shape:
        wanted = wanted.argmax(axis=-1)
    return float(np.mean(scores.argmax(axis=-1) == wanted))


METRICS: dict[str, Metric] = {"accuracy": accuracy}
"""The metrics that have a name."""


def named_metrics(metrics: Metrics) -> dict[str, Metric]:
    """Return functions by name, from a mapping, or from functions and names in `METRICS`."""
    if isinstance(metrics, (str, Mapping)) or callable(metrics):
        metrics = metrics if isinstance(metrics, Mapping) else [metrics]
    if isinstance(metrics, Mapping):
        named: dict[str, Any] = dict(metrics)
    else:
        members: Iterable[Any] = metrics if isinstance(metrics, Iterable) else [metrics]
        named = {getattr(m, "__name__", str(m)): METRICS.get(str(m), m) for m in members}
    for name, metric in named.items():
        if not callable(metric):
            raise OptionError(
                where="fit(metrics=...)",
                expected=f"functions of (output, target), or names among {', '.join(METRICS)}",
                got=describe(metric),
                fix=f"Write metrics={{{name!r}: my_function}}.",
            )
    return named


def _plain(x: Any) -> NDArray[Any]:
    """Return the numbers of Tensors, arrays and lists of Values as an array."""
    if is_tensor(x):
        array: NDArray[Any] = x._data
        return array
    if isinstance(x, Value):
        return np.asarray(x.data)
    if isinstance(x, (list, tuple)):
        members = [_plain(member) for member in x]
        return np.array(members) if len({m.shape for m in members}) < 2 else np.array(None)
    return np.asarray(x)
