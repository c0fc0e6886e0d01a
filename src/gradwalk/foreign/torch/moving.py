"""Operations of PyTorch that only move elements: they are run on the positions of the elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from typing import Any

import numpy as np

from ...tensor.functions import broadcast_to, permute_dims, reshape, swapaxes
from ..values import is_live
from . import library as torch
from .recording import Entry
from .slots import Slot
from .words import words

__all__ = ["arguments", "is_moving", "named_move"]

RESHAPES = words(
    """view reshape _unsafe_view _reshape_alias view_copy unsqueeze unsqueeze_copy squeeze
    squeeze_copy alias alias_copy"""
)
ZEROED = words(
    """tril triu constant_pad_nd diag_embed block_diag max_unpool2d max_unpool3d
    _unsafe_masked_index"""
)
"""Moves that fill the other elements with zeros, which are no position."""


def named_move(name: str, operands: list[Any], given: list[Any]) -> Callable[[], Any] | None:
    """Return the operation as a function with a name of its own; ``None`` if it has none."""
    x, y = operands[0], given[0]
    if not is_live(x) or len(given) != 1:
        return None
    if name in RESHAPES:
        return lambda: reshape(x, y.shape)
    if name in ("t", "t_copy", "matrix_H", "numpy_T"):
        return lambda: swapaxes(x, 0, 1) if x.ndim == 2 else reshape(x, y.shape)
    if name in ("transpose", "transpose_copy") and x.ndim:
        return lambda: swapaxes(x, operands[1], operands[2])
    if name in ("permute", "permute_copy"):
        axes = [d % x.ndim for d in operands[1 : 1 + x.ndim]]
        return lambda: permute_dims(x, tuple(axes))
    if name in ("expand", "expand_copy"):
        return lambda: broadcast_to(x, y.shape)
    return None


def is_moving(name: str, entry: Entry, flat: list[Any]) -> bool:
    """Return whether an operation moves elements with these options, and adds none."""
    args = entry.args
    if name.startswith("index_put") or name == "put":
        return not (len(args) > 3 and args[3]) and not entry.options.get("accumulate")
    if name == "scatter":
        return "reduce" not in entry.options and len(args) < 5
    return True


def arguments(
    name: str, entry: Entry, flat: list[Any], operands: list[Any], form: Any
) -> tuple[list[Any], Callable[..., list[Any]], float]:
    """Return the operands with elements, what moves their positions, and the number elsewhere."""
    shift = 1 if name in ZEROED else 0  # the zeros that PyTorch fills in become -1
    fill, args = nan if not shift else 0.0, entry.args
    values = [*operands]
    moves = [_has_elements(x, slot) for x, slot in zip(operands, flat, strict=True)]
    if name == "constant_pad_nd":
        fill = float(args[2]) if len(args) > 2 else 0.0
    scalar = _scalar(name, args)
    if scalar is not None:
        fill = float(values[scalar])
    data = [x for x, is_moved in zip(values, moves, strict=True) if is_moved]

    def run(*positions: object) -> list[Any]:
        rest = iter(positions)
        filled = [
            torch.from_numpy(np.array(next(rest))) + shift if is_moved else _as_given(x, flat[i])
            for i, (x, is_moved) in enumerate(zip(values, moves, strict=True))
        ]
        if scalar is not None:
            filled[scalar] = -1
        if name == "constant_pad_nd":
            filled = _without_fill(filled, len(flat), args)
        if name == "_unsafe_masked_index":
            filled[-1] = 0
        found_args, options = torch.utils._pytree.tree_unflatten(filled, form)
        found = _run(entry.func, found_args, options)
        return [np.asarray(y.numpy()) - shift for y in found]

    return data, run, fill


def _kind_of(x: object) -> str:
    """Return the kind of numbers in an array: "f" for floating ones."""
    return str(getattr(getattr(x, "dtype", None), "kind", ""))


def _has_elements(x: object, slot: object) -> bool:
    """Return whether an operand has elements that are moved, and is no index and no mask."""
    return isinstance(slot, Slot) and (is_live(x) or _kind_of(x) == "f")


def _scalar(name: str, args: tuple[Any, ...]) -> int | None:
    """Return where the number is that `fill`, `index_fill` or `scatter` writes."""
    places = {"index_fill": 3, "scatter": 3, "masked_fill": 2, "fill": 1}
    i = places.get(name)
    if i is None or i >= len(args) or isinstance(args[i], Slot):
        return None
    return i


def _without_fill(filled: list[Any], count: int, args: tuple[Any, ...]) -> list[Any]:
    if len(args) > 2:
        filled[-1] = 0
    return filled


def _run(
    func: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]
) -> list[torch.Tensor]:
    """Run an operation on integers; in floats, which hold positions as exactly, if it must."""
    with torch.no_grad():
        try:
            found = func(*args, **options)
        except (NotImplementedError, RuntimeError):
            args = [
                x.double() if isinstance(x, torch.Tensor) and i == 0 else x
                for i, x in enumerate(args)
            ]
            found = func(*args, **options)
    found = [*found] if isinstance(found, (tuple, list)) else [found]
    return [y.long() if isinstance(y, torch.Tensor) else y for y in found]


def _as_given(x: object, slot: object) -> Any:
    """Return an operand that is no number: an index or a mask."""
    return torch.from_numpy(np.array(x)) if isinstance(slot, Slot) and x is not None else x
