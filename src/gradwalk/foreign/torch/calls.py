"""One recorded operation with the values of its operands: by the table, or by PyTorch itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

import numpy as np

from ...core.places import Line, located
from ...ops.array.structure import astype as as_type
from ...tensor.functions import broadcast_to
from ..agreement import Agreement, gap
from ..moves import gathered as moved
from ..opaque import opaque
from ..places import Place, at
from ..values import is_live, numbers, put_numbers
from . import library as torch
from .moving import arguments, is_moving, named_move
from .recording import Entry
from .slots import HALVES, Array, Slot, array_of, tensor_of
from .table import FUNCTIONS, GIVEN, MOVES, NO_GRADIENT, SAME
from .words import words

__all__ = ["ROUNDING", "Call", "Told", "place_of"]

ROUNDING = {
    "torch.float64": 1e-9, "torch.float32": 2e-3, "torch.bfloat16": 0.1, "torch.float16": 0.05,
}  # fmt: skip
"""Relative differences that are called rounding: by more a node becomes opaque."""

FREE = ("_linalg_eigh", "_linalg_svd", "linalg_qr")
"""Operations with results of which each library may choose a sign."""
PLACES = ("dtype", "layout", "device", "pin_memory", "memory_format", "non_blocking")
"""Options that say where and how results are stored."""
WIDE = words(
    """add sub mul div add_ sub_ mul_ div_ pow where maximum minimum rsub addcmul addcdiv lerp
    xlogy remainder fmod atan2 hypot mm bmm mv dot matmul mse_loss smooth_l1_loss huber_loss
    ldexp"""
)
"""Operations that turn integers among their operands into numbers of the result's precision."""


def _listed(found: object) -> Any:
    if found is NotImplemented:
        return found
    found = found if isinstance(found, list) else [found]
    return NotImplemented if any(y is NotImplemented for y in found) else found


def _rounded(x: Array, dtype: torch.dtype) -> Array:
    """Return numbers in the precision of the program, which may overflow."""
    return array_of(tensor_of(x, dtype)) if str(dtype) in HALVES else x


def _is_used(slot: Slot) -> bool:
    """Return whether a result may take part in gradients later."""
    t = slot.tensor
    return slot.read if t is None else bool(t.requires_grad)


class Told:
    """What an adoption tells: opaque operations, notes, and the comparison with PyTorch."""

    def __init__(self, agreement: Agreement) -> None:
        self.agreement = agreement
        self.opaque: Counter[str] = Counter()
        self.used: set[int] = set()  # results that an operation has read, by the ids of slots
        self.notes: list[str] = []
        self.kept: list[Any] = []  # nodes have weak references to constants that no rule reads

    def note(self, text: str) -> None:
        """Note what could not be adopted as it was, once."""
        if text not in self.notes:
            self.notes.append(text)


class Call:
    """One operation with the values of its operands."""

    told: Told
    entry: Entry
    flat: list[Any]
    operands: list[Any]
    form: Any
    given: list[Any]
    place: Place | None

    def __init__(
        self,
        told: Told,
        entry: Entry,
        flat: list[Any],
        operands: list[Any],
        form: Any,
        given: list[Any],
        place: Place | None,
    ) -> None:
        self.told, self.entry, self.flat = told, entry, flat
        self.operands, self.form, self.given, self.place = operands, form, given, place
        name = entry.func._opname
        self.name: str = name[:-1] if name.endswith("_") and name[0] != "_" else name
        overload = entry.func._overloadname
        self.full: str = f"{self.name}.{overload}"
        self.is_table: bool = False
        self.quiet: bool = False

    def with_operands(self, operands: list[Any]) -> Call:
        """Return the same operation with other operands, of which nothing is told."""
        alone = copy(self)
        alone.operands, alone.quiet = operands, True
        return alone

    @property
    def is_complex(self) -> bool:
        """Whether an operand or a result is complex."""
        slots = [x for x in [*self.flat, *self.entry.results] if isinstance(x, Slot)]
        return any(slot.dtype.is_complex for slot in slots)

    @property
    def is_constant(self) -> bool:
        """Whether no gradient flows through the operation."""
        used = any(slot is not None and _is_used(slot) for slot in self.entry.results)
        return self.name in NO_GRADIENT and not used

    def results(self, doubted: bool) -> list[Any]:
        """Return the results, by the table if it has the operation."""
        live = any(map(is_live, self.operands))
        floating = any(y is not None and y.dtype.kind == "f" for y in self.given)
        if not live or not floating or self.is_constant:
            return self.given
        if self.is_complex or doubted:
            return self.foreign()
        try:
            found = self.by_table()
        except Exception:  # whatever a rule of the table cannot do, PyTorch has done
            found = NotImplemented
        if found is not NotImplemented:
            found = self.agreeing(found)
        self.is_table = found is not NotImplemented
        return found if self.is_table else self.foreign()

    # --- by the table -----------------------------------------------------------------------------

    def by_table(self) -> Any:
        """Return the results by the table, or `NotImplemented`."""
        name, first = self.name, self.operands[0] if self.operands else None
        if name in SAME and is_live(first):
            return [first]
        if name == "copy":
            return self.copied()
        chosen = GIVEN.get(self.full) or (GIVEN.get(name) if name not in FUNCTIONS else None)
        if chosen is not None:
            args, options = self.arguments()
            return _listed(at(self.place, partial(chosen, self.given, *args, **options)))
        if name in MOVES and (found := self.by_positions()) is not NotImplemented:
            return found
        run = FUNCTIONS.get(self.full) or FUNCTIONS.get(name)
        if run is None:
            return NotImplemented
        args, options = self.arguments(cast=True)
        return _listed(at(self.place, partial(run, *args, **options)))

    def arguments(self, cast: bool = False) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the operands as ATen's schema has them, in the precision of the result."""
        operands = [*self.operands]
        wanted = next((y.dtype for y in self.given if y is not None and y.dtype.kind == "f"), None)
        whole = self.entry.func._opname in WIDE
        if cast and wanted is not None:
            for i, x in enumerate(operands):
                kind = getattr(getattr(x, "dtype", None), "kind", "")
                if kind == "f" and x.dtype != wanted:
                    if is_live(x):
                        operands[i] = at(self.place, lambda x=x: as_type(x, dtype=wanted))
                    else:
                        operands[i] = x.astype(wanted)
                elif kind in ("i", "u", "b") and whole and not is_live(x):
                    operands[i] = x.astype(wanted)
        self.told.kept += operands
        args, options = torch.utils._pytree.tree_unflatten(operands, self.form)
        options = {k: v for k, v in options.items() if k not in PLACES}
        return tuple(args), options

    def copied(self) -> Any:
        """Return what ``a.copy_(b)`` makes of a: b in its shape and precision."""
        y = self.operands[1]
        shape = self.given[0].shape
        if not is_live(y):
            return [self.given[0]]
        return [y if y.shape == shape else at(self.place, broadcast_to, y, shape)]

    def by_positions(self) -> Any:
        """Return the results of an operation that moves elements."""
        known = named_move(self.name, self.operands, self.given)
        if known is not None:
            run: Callable[[], Any] = known
            return [at(self.place, run)]
        if not is_moving(self.name, self.entry, self.flat):
            return NotImplemented
        data, run, fill = arguments(self.name, self.entry, self.flat, self.operands, self.form)
        if len(self.given) == 1 and not self.entry.several:
            return [at(self.place, moved, lambda *p: run(*p)[0], data, fill)]
        return [
            at(self.place, moved, lambda *p, i=i: run(*p)[i], data, fill)
            for i in range(len(self.given))
        ]

    def agreeing(self, found: list[Any]) -> Any:
        """Return results with PyTorch's numbers, or `NotImplemented` if they differ from them."""
        if len(found) != len(self.given):
            found = [*found, *[None] * len(self.given)][: len(self.given)]
        pairs = zip(found, self.given, self.entry.results, strict=True)
        results = [self._settled(y, data, slot) for y, data, slot in pairs]
        return NotImplemented if any(y is NotImplemented for y in results) else results

    def _settled(self, y: Any, data: Any, slot: Slot | None) -> Any:
        """Return one result with PyTorch's numbers, or `NotImplemented` if it differs from them."""
        if data is None or slot is None or data.dtype.kind != "f":
            return data
        if not is_live(y):
            return NotImplemented if y is None and _is_used(slot) else data
        if self.name in FREE and id(slot) not in self.told.used:
            return data
        if y.shape != data.shape:
            return NotImplemented
        if y.dtype != data.dtype:
            y = at(self.place, partial(as_type, y, dtype=data.dtype))
        if not self._agrees(_rounded(numbers(y), slot.dtype), data, slot):
            return NotImplemented
        if any(is_live(x) and x._node is y._node for x in self.operands):
            if np.array_equal(numbers(y), data, equal_nan=True):
                return y
            y = at(self.place, partial(as_type, y, dtype=y.dtype))  # rounded
        put_numbers(y, data)
        return y

    def _agrees(self, ours: Array, data: Array, slot: Slot) -> bool:
        """Compare a result with PyTorch's, and return whether it differs by rounding alone."""
        difference = gap(ours, data)
        if difference > ROUNDING.get(str(slot.dtype), 2e-3):
            if self.name not in FREE:
                text = f"{self.name} gave other numbers than PyTorch ({difference:.2g}): opaque"
                self.told.note(text)
            return False
        if not self.quiet:
            eps = torch.finfo(slot.dtype).eps
            self.told.agreement.value(self.name, ours, data, self.place, eps)
        return True

    @property
    def kept(self) -> list[int]:
        """Which results are numbers with a derivative."""
        pairs = enumerate(zip(self.given, self.entry.results, strict=True))
        return [
            i
            for i, (y, slot) in pairs
            if y is not None
            and slot is not None
            and (slot.dtype.is_floating_point or slot.dtype.is_complex)
        ]

    # --- by PyTorch -------------------------------------------------------------------------------

    def foreign(self) -> list[Any]:
        """Return an opaque node: the numbers of this run, and PyTorch's own derivative."""
        live = [i for i, x in enumerate(self.operands) if is_live(x)]
        kept = self.kept
        self.told.opaque[self.name] += 1
        given = tuple(self.given[i] for i in kept)
        several = len(kept) > 1

        def run(*xs: Any) -> Any:
            return given if several else given[0]

        rule = partial(self.rule, live, kept)
        operands = [self.operands[i] for i in live]
        found = at(self.place, opaque, self.name, run, rule, operands)
        results = [*self.given]
        for i, y in zip(kept, found, strict=True):
            results[i] = y
        return results

    def rule(
        self, live: list[int], kept: list[int], t: Any, y: Any, *xs: Array
    ) -> list[Array | None]:
        """Return PyTorch's contributions to the operands ``live`` of the results ``kept``."""
        try:
            return self._contributions(live, kept, t, *xs)
        except (RuntimeError, NotImplementedError) as error:  # it cannot run alone
            self.told.note(f"{self.name} has no derivative here: {str(error).splitlines()[0]}")
            return [None] * len(live)

    def _contributions(
        self, live: list[int], kept: list[int], t: Any, *xs: Array
    ) -> list[Array | None]:
        cotangents = t if isinstance(t, (tuple, list)) else (t,)
        func, results = self.entry.func, self.entry.results
        with torch.enable_grad():
            inputs = [
                self._strided(tensor_of(x, self.flat[i].dtype), self.flat[i]).requires_grad_()
                for i, x in zip(live, xs, strict=True)
            ]
            operands = [self._tensor(x, v) for x, v in zip(self.flat, self.operands, strict=True)]
            for i, x in zip(live, inputs, strict=True):
                operands[i] = self._strided(x.clone(), self.flat[i])
            args, options = torch.utils._pytree.tree_unflatten(operands, self.form)
            found = func(*args, **options)
            found = [*found] if self.entry.several else [found]
            pairs = [
                (found[i], tensor_of(c, results[i].dtype))  # type: ignore[union-attr]
                for i, c in zip(kept, cotangents, strict=True)
                if found[i].requires_grad and c is not None
            ]
            if not pairs:
                return [None] * len(live)
            grads = torch.autograd.grad(
                [y for y, _ in pairs], inputs, [c for _, c in pairs], allow_unused=True
            )
        return [None if g is None else array_of(g) for g in grads]

    def _tensor(self, x: object, value: object) -> Any:
        if not isinstance(x, Slot):
            return x
        return self._strided(tensor_of(numbers(value), x.dtype), x)

    def _strided(self, t: torch.Tensor, slot: Slot) -> torch.Tensor:
        """Return a tensor with the strides of the program, which ``as_strided`` reads."""
        if not self.name.startswith("as_strided") or not t.numel():
            return t
        _, offset, size, stride, *_ = slot.key
        length = offset + 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
        whole = torch.zeros(length, dtype=t.dtype)
        return whole.as_strided(size, stride, offset).copy_(t)


def place_of(line: Line | None) -> Place | None:
    """Return a line of the program as a place."""
    if line is None:
        return None
    file, number = located(line)
    return (file, number, line[0].co_name) if file else None
