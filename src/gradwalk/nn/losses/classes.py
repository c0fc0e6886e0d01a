"""Losses of Tensors over several classes, with all of PyTorch's options."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.expect import describe
from ...engine.functions import exp, expm1, log1p, where
from ...errors import DataError, NotANumberError, OptionError, SizeError
from ...levels.vmap import batch_of, varies
from ...libraries import LibraryArray
from ...libraries.constants import extent, seen
from ...ops.array import losses as primitives
from ...ops.array.facts import plain
from ...ops.array.structure import permute_dims, reshape
from ...tensor import log_softmax, max, sum
from ...tensor.functions.arguments import operand
from ...tensor.functions.varying import take as take_varying
from ...tensor.graph.placed import place_of
from ...tensor.graph.tensor import Tensor
from .arrays import numbers, pair, reduce

__all__ = ["cross_entropy", "nll"]


def cross_entropy(
    logits: Any,
    targets: Any,
    reduction: str,
    weight: Any,
    ignore_index: int,
    label_smoothing: float,
) -> Tensor:
    """Return -ln softmax(x)ₜ of rows of logits or, with further axes, of logits along axis 1.

    ``targets`` are indices of classes, with the shape of the logits without the class axis, or
    probabilities of all classes, with the shape of the logits.
    """
    x = operand(logits, "cross_entropy")
    _shaped("cross_entropy", x)
    if not (isinstance(label_smoothing, (int, float)) and 0.0 <= label_smoothing <= 1.0):
        raise OptionError(
            where="cross_entropy(label_smoothing=...)",
            expected="a number from 0 to 1",
            got=describe(label_smoothing),
            fix="Pass 0.1 to spread a tenth of each target over all classes.",
        )
    t = operand(targets, "cross_entropy(targets)")
    w = _class_weights("cross_entropy", weight, x)
    if t.dtype.kind == "f":
        return _soft("cross_entropy", x, targets, reduction, w, label_smoothing)
    shape, target, ignored = _classes("cross_entropy", x, t, ignore_index)
    flat = _by_class(x)
    if _is_of_program(x, t) or type(target) is LibraryArray:
        there = type(target) is LibraryArray
        given = target if there else reshape(t, shape=(t.size,))
        skipped = None if there and ignored is None else ignore_index
        terms = primitives.class_surprise(flat, given, ignore=skipped, memo=[])
    else:
        terms = _surprise(flat, target, ignored)
    if w is not None:
        terms = terms * _weights_of(w, _known(target, ignored))
    if label_smoothing:
        spread = _everywhere(flat, w, ignored) * (label_smoothing / flat.shape[1])
        terms = (1.0 - label_smoothing) * terms + spread
    return _class_mean("cross_entropy", terms, shape, target, ignored, w, reduction)


def nll(
    log_probabilities: Any, targets: Any, reduction: str, weight: Any, ignore_index: int
) -> Tensor:
    """Return -ℓₜ of logarithms along the last axis of rows or, with further axes, along axis 1."""
    x = operand(log_probabilities, "nll")
    _shaped("nll", x)
    t = operand(targets, "nll(targets)")
    shape, target, ignored = _classes("nll", x, t, ignore_index)
    w = _class_weights("nll", weight, x)
    flat = _by_class(x)
    terms = -_of_class(flat, _known(target, ignored))
    if w is not None:
        terms = terms * _weights_of(w, _known(target, ignored))
    if ignored is not None:
        terms = where(ignored, 0.0, terms)
    return _class_mean("nll", terms, shape, target, ignored, w, reduction)


def _is_of_program(x: Any, targets: Any) -> bool:
    """Return whether the classes belong to a program, and are the same for all examples."""
    return (
        varies(targets) and targets.dtype.kind in "iu" and batch_of(targets) is batch_of(x) is None
    )


def _surprise(x: Any, target: Any, ignored: object) -> Any:
    """Return the cross-entropy of each row of logits.

    Under vmap the classes vary, which the fused operation does not support: its formula is composed
    here. It subtracts the peak, which needs no derivative, and no difference cancels.
    """
    if not varies(target):
        return primitives.surprise(x, target=target, ignored=ignored, memo=[])
    x = x - plain(max(x, axis=1, keepdims=True), dtype=x.dtype)
    own = _of_class(x, target)
    others = where(target[:, None] == np.arange(x.shape[1]), 0.0, exp(x))
    return where(ignored, 0.0, log1p(sum(others, axis=1) + expm1(own)) - own)


def _of_class(x: Tensor, target: Any) -> Any:
    """Return the number of the class in each row."""
    on_device = type(target) is LibraryArray
    rows = target.counted(len(target)) if on_device else np.arange(len(target))
    key = (rows, target)
    return take_varying(x, key) if varies(target) else x[key]


def _known(target: Any, ignored: Any) -> Any:
    """Return classes without what is ignored; those on a device still have it."""
    there = type(target) is LibraryArray and ignored is not None
    return np.where(ignored, 0, target) if there else target


def _weights_of(w: Any, target: object) -> Any:
    return take_varying(w, (target,)) if varies(target) else w[target]


def _shaped(where_: str, x: Any) -> None:
    if x.ndim == 0:
        raise SizeError(
            where=where_,
            expected="an axis of classes",
            got="a single number",
            fix="Pass one row of classes per example.",
        )


def _by_class(x: Any) -> Any:
    """Return x with two axes, the last of which counts the classes."""
    if x.ndim == 2:
        return x
    if x.ndim > 2:
        x = permute_dims(x, axes=(0, *range(2, x.ndim), 1))
    return reshape(x, shape=(math.prod(x.shape[:-1]), x.shape[-1]))


def _classes(where_: str, x: Any, targets: Any, ignore_index: int) -> tuple[Any, Any, Any]:
    """Return the shape of the targets, their classes in one row, and a mask of ignored ones."""
    shape = x.shape[:1] + x.shape[2:] if x.ndim > 1 else ()
    if targets.shape != shape:
        raise SizeError(
            where=f"{where_}(targets)",
            expected=f"one class for each of {shape} rows",
            got=f"shape {targets.shape}",
            fix="Pass targets with the shape of the logits without axis 1, the axis of classes.",
        )
    if varies(targets):
        return (shape, *_classes_of_each(targets, x.shape[1 if x.ndim > 1 else 0], ignore_index))
    # Copy an array: its owner may change it before the backward pass uses it.
    raw: Any = targets._data if isinstance(targets, Tensor) else np.array(targets)
    classes, there = x.shape[1 if x.ndim > 1 else 0], place_of(x)
    if type(raw) is LibraryArray and there is not None:
        row = raw if raw.ndim == 1 else raw.reshape(-1)
        return shape, *_classes_there(where_, row, classes, ignore_index)
    t = (raw.numpy() if type(raw) is LibraryArray else raw).reshape(-1)
    if t.dtype.kind not in "iu":
        raise _no_class(where_, classes, t)
    if there is not None:
        _, ignored = _classes_there(where_, t, classes, ignore_index)
        sent: Any = LibraryArray(there.put(t, np.int64), there)
        return shape, sent, None if ignored is None else sent == ignore_index
    # as unsigned integers negative ones are large, so that one comparison finds both errors
    usual = not t.size or int(t.astype(np.int64, copy=False).view(np.uint64).max()) < classes
    if usual and not 0 <= ignore_index < classes:
        return shape, t, None
    ignored = t == ignore_index
    outside = t[((t < 0) | (t >= classes)) & ~ignored]
    if outside.size:
        raise _no_class(where_, classes, outside[0])
    return shape, np.where(ignored, 0, t), ignored


def _classes_there(
    where_: str, t: Any, classes: int, ignore_index: int
) -> tuple[LibraryArray, Any]:
    """Return classes on a device as they are, and a mask; they are checked if that can be seen.

    Without a mask the loss has 5 operations less, and takes two thirds of the time for 32 rows.
    """
    if t.dtype.kind not in "iu":
        raise _no_class(where_, classes, t)
    span = extent(t) if type(t) is LibraryArray else (t.min(initial=0), t.max(initial=0))
    if span is not None and not 0 <= ignore_index < classes and 0 <= span[0] <= span[1] < classes:
        return t, None
    numbers = seen(t) if type(t) is LibraryArray else t
    if numbers is not None:
        outside = numbers[((numbers < 0) | (numbers >= classes)) & (numbers != ignore_index)]
        if outside.size:
            raise _no_class(where_, classes, outside[0])
    return t, t == ignore_index


def _classes_of_each(targets: Any, classes: int, ignore_index: int) -> tuple[Any, Any]:
    """Return classes and mask of targets that vary under vmap; negative classes are invalid."""
    t = reshape(targets, shape=(targets.size,))
    ignored = t == ignore_index
    return where(ignored, 0, where(t < 0, classes, t)), ignored


def _no_class(where_: str, classes: int, got: object) -> DataError:
    return DataError(
        where=f"{where_}(targets)",
        expected=f"numbers of classes, 0 to {classes - 1}",
        got=describe(got),
        fix="Count classes from 0, as integers, and write ignore_index to skip an entry.",
    )


def _class_weights(where_: str, weight: Any, x: Any) -> Any:
    if weight is None:
        return None
    given = operand(weight, f"{where_}(weight)")
    place = place_of(x)
    if varies(given):
        w: Any = plain(given, dtype=x.dtype)
    else:
        w = numbers(given).astype(x.dtype, copy=False)
        if place is not None and type(w) is not LibraryArray:
            w = LibraryArray(place.put(w), place)
    classes = x.shape[1 if x.ndim > 1 else 0]
    if w.shape != (classes,):
        raise SizeError(
            where=f"{where_}(weight)",
            expected=f"one weight for each of {classes} classes",
            got=f"shape {w.shape}",
            fix="Pass a list of one number per class, larger for rare classes.",
        )
    return w


def _everywhere(flat: Any, w: Any, ignored: Any) -> Any:
    """Return the sum of the cross-entropies of all classes, for smoothed labels."""
    surprises = -log_softmax(flat, axis=1)
    if w is not None:
        surprises = surprises * w
    if ignored is not None:
        surprises = where(ignored[:, None], 0.0, surprises)
    return sum(surprises, axis=1)


def _soft(where_: str, x: Any, targets: Any, reduction: str, w: Any, smoothing: float) -> Tensor:
    """Return the cross-entropy for probabilities of all classes."""
    targets = targets if hasattr(targets, "dtype") else np.asarray(targets)
    if targets.ndim == x.ndim - 1:
        raise NotANumberError(
            where=f"{where_}(targets)",
            expected=f"integers for classes, or probabilities of shape {x.shape}",
            got=f"dtype {targets.dtype} of shape {targets.shape}",
            fix="Write targets.astype(int) for classes.",
        )
    p, t = pair(where_, x, targets)
    axis = 1 if p.ndim > 1 else 0
    if smoothing:
        t = t * (1.0 - smoothing) + smoothing / p.shape[axis]
    terms = t * log_softmax(p, axis=axis)
    if w is not None:
        terms = terms * w.reshape((-1, *[1] * (p.ndim - axis - 1)))
    return reduce(where_, -sum(terms, axis=axis), reduction)


def _class_mean(
    where_: str, terms: Any, shape: Any, target: Any, ignored: Any, w: Any, reduction: str
) -> Tensor:
    """Return the mean over all targets that are not ignored, weighted by their classes."""
    if reduction != "mean" or (w is None and ignored is None):
        terms = terms if len(shape) == 1 else reshape(terms, shape=shape)
        return reduce(where_, terms, reduction)
    if type(target) is LibraryArray:
        counts: Any = np.logical_not(ignored)
        if w is not None:
            counts = _weights_of(w, _known(target, ignored))
            if ignored is not None:
                traced = varies(counts)  # by a program that takes the weights from outside
                skipped: Any = Tensor._of(ignored) if traced else ignored
                counts = (where if traced else np.where)(skipped, 0.0, counts)
        there: Tensor = sum(terms) / counts.sum(dtype=terms.dtype)
        return there
    counts = np.ones(target.shape) if w is None else _weights_of(w, target)
    if varies(target):
        count = sum(where(ignored, 0.0, counts))
    else:
        count = float(counts.sum() if ignored is None else counts[~ignored].sum())
    average: Tensor = sum(terms) / count
    return average
