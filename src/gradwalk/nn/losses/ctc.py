"""The loss of sequences whose labels are not aligned with their steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.expect import describe
from ...engine.functions import logaddexp, maximum, where
from ...errors import DataError, SizeError
from ...tensor import concat, take_along_axis
from ...tensor.functions.arguments import operand
from ...tensor.functions.creation import plain
from ..initial import size
from .arrays import reduce

if TYPE_CHECKING:
    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["ctc_loss"]

IMPOSSIBLE = -1e30
"""The logarithm of a probability 0; an infinity would make NaN of its own gradient."""


def ctc_loss(
    log_probs: Tensor | ArrayLike,
    targets: Tensor | ArrayLike,
    input_lengths: Tensor | ArrayLike,
    target_lengths: Tensor | ArrayLike,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Return -ln P(target | input), summed over all alignments of labels and steps.

    The loss of labels that cannot be aligned is infinite, and has no gradient.

    Parameters
    ----------
    log_probs : (steps, batch, classes), or (steps, classes) without batch
        Logarithms of the probabilities of all classes at each step, as `log_softmax` returns
        them.
    targets : (batch, labels), or all labels behind each other, integers
        The labels of each sequence.
    input_lengths : (batch,) or (), integers
        How many steps of each sequence count, >= 1.
    target_lengths : (batch,) or (), integers
        How many labels each sequence has, >= 0.
    blank
        The class that stands for no label, >= 0.
    reduction
        "sum" of the losses, "mean" of the losses after each is divided by its number of labels,
        or "none" for all.
    zero_infinity
        Whether infinite losses become 0.

    Returns
    -------
    ()
        The mean or the sum, or all losses (batch,).

    Raises
    ------
    SizeError
        If ``log_probs`` has other axes, or the lengths do not fit the arrays.
    DataError
        If a label, or ``blank``, is no class.
    OptionError
        If ``blank`` is no integer >= 0, or ``reduction`` has another name.

    See Also
    --------
    cross_entropy, gradwalk.nn.CTCLoss

    References
    ----------
    Graves, Fernández, Gomez and Schmidhuber, Connectionist temporal classification (2006).

    Examples
    --------
    >>> import numpy as np
    >>> round(ctc_loss(np.log(np.full((2, 1, 2), 0.5)), [[1]], [2], [1]).item(), 6)
    0.287682
    """
    x: Any = operand(log_probs, "ctc_loss")
    single = x.ndim == 2
    if x.ndim not in (2, 3):
        raise SizeError(
            where="ctc_loss(log_probs)",
            expected="(T, N, C), or (T, C) without a batch",
            got=f"shape {x.shape}",
            fix="Put the steps on axis 0 and the classes on the last one.",
        )
    x = x[:, None] if single else x
    steps, lengths = (
        np.atleast_1d(plain(n, f"ctc_loss({name})"))
        for name, n in (("input_lengths", input_lengths), ("target_lengths", target_lengths))
    )
    labels = _padded(plain(targets, "ctc_loss(targets)"), lengths, x.shape[1:2])
    blank = size(blank, "ctc_loss(blank)", 0)
    _expect_lengths(x.shape, steps, lengths, labels, blank)
    losses = _alignments(x, labels, steps, lengths, blank)
    impossible = losses > -0.1 * IMPOSSIBLE
    losses = where(impossible, 0.0 if zero_infinity else float("inf"), losses)
    if reduction == "mean":
        losses = losses / np.maximum(lengths, 1)
    return reduce("ctc_loss", losses[0] if single and reduction == "none" else losses, reduction)


def _padded(targets: Any, lengths: Any, batch: tuple[int, ...]) -> Any:
    """Return the labels of each example in a row."""
    if targets.ndim == 2:
        return targets
    if targets.ndim != 1 or targets.size < lengths.sum():
        raise SizeError(
            where="ctc_loss(targets)",
            expected="(N, S), or as many labels as target_lengths requires",
            got=f"shape {targets.shape}",
            fix="Pass a row of labels for each example.",
        )
    rows = np.zeros((*batch, max(1, int(lengths.max(initial=0)))), np.int64)
    for row, part in zip(rows, np.split(targets, np.cumsum(lengths))[:-1], strict=True):
        row[: len(part)] = part
    return rows


def _expect_lengths(shape: Any, steps: Any, lengths: Any, labels: Any, blank: int) -> None:
    batch = (shape[1],)
    fits = steps.shape == lengths.shape == batch and len(labels) == shape[1]
    fits = fits and steps.min() > 0 and steps.max() <= shape[0]
    if fits and lengths.min() >= 0 and lengths.max() <= labels.shape[1]:
        if labels.size and labels.min() >= 0 and labels.max() < shape[2] and 0 <= blank < shape[2]:
            return
        raise DataError(
            where="ctc_loss(targets)",
            expected=f"labels and a blank from 0 to {shape[2] - 1}",
            got=describe(labels),
            fix="Pass log_probs with a column for each label, and one for the blank.",
        )
    raise SizeError(
        where="ctc_loss(lengths)",
        expected=f"{shape[1]} lengths of at most {shape[0]} steps and {labels.shape[-1]} labels",
        got=f"input_lengths {steps.tolist()}, target_lengths {lengths.tolist()}",
        fix="Pass the lengths of each example before it was padded.",
    )


def _alignments(x: Any, labels: Any, steps: Any, lengths: Any, blank: int) -> Any:
    """Return -ln of the sum over alignments, by Graves' forward variables."""
    n, width = labels.shape
    extended = np.full((n, 2 * width + 1), blank)
    extended[:, 1::2] = labels
    # a label may follow another one without a blank between them, unless they are equal
    skips = np.zeros(extended.shape, bool)
    skips[:, 3::2] = labels[:, 1:] != labels[:, :-1]
    emitted = take_along_axis(x, np.broadcast_to(extended, (len(x), *extended.shape)), -1)
    alpha: Any = where(np.arange(2 * width + 1) < 2, emitted[0], IMPOSSIBLE)
    for t in range(1, len(x)):
        one, two = (_shifted(alpha, by) for by in (1, 2))
        total = logaddexp(logaddexp(alpha, one), where(skips, two, IMPOSSIBLE))
        alpha = where((t < steps)[:, None], maximum(total + emitted[t], IMPOSSIBLE), alpha)
    ends = np.stack([2 * lengths, np.maximum(2 * lengths - 1, 0)], axis=1)
    last: Any = take_along_axis(alpha, ends, -1)
    return -logaddexp(last[:, 0], where(lengths > 0, last[:, 1], IMPOSSIBLE))


def _shifted(alpha: Any, by: int) -> Any:
    by = min(by, alpha.shape[1])
    front = np.full((alpha.shape[0], by), IMPOSSIBLE)
    return concat([front, alpha[:, : alpha.shape[1] - by]], axis=1)
