"""Tensors in an optimizer: the update rules on many parameters at once.

Small parameters that have taken equally many steps are packed: their arrays are views of one flat
array, and a rule runs over all of them at once. It overwrites the old numbers unless a graph or
the user has a reference to them. In that case the old array is left alone, and the Tensors get
views of a new one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from operator import is_
from typing import Any

import numpy as np

from ..engine.value import engine
from ..errors import OptionError, SizeError
from ..levels.level import Tracer
from ..levels.programs import clears, recorder
from ..libraries.array import LibraryArray
from ..libraries.several import WHOLE, Several, takes_several
from ..ops.array.indexing import index
from ..ops.array.structure import concat, reshape
from .checks import floats
from .state import Plan, State, count
from .updates import UPDATES

__all__ = ["BLOCK", "Pack", "Packs", "apply_to_arrays", "update_arrays"]

BLOCK = 1 << 13
"""The number of numbers in one update: intermediate results stay in the cache."""

_CAPACITY = 1 << 16  # of a pack of several: copying larger gradients gains nothing

_holders = getattr(sys, "getrefcount", lambda thing: object())  # without: never equal


class Pack(State):
    """Tensors of one dtype that are updated together, with their state in flat arrays.

    When a Tensor gets another array (by ``t.data = ...``, and also by reading ``t.data``, which
    never returns a view of a larger array), the next step gathers the parameters again.
    """

    steps: int
    slots: list[Any]
    tensors: list[Any]
    shapes: list[Any]

    def __init__(self, tensors: Sequence[Any], steps: int = 0, slots: Iterable[Any] = ()) -> None:
        super().__init__(steps, list(slots))
        self.tensors, self.shapes = list(tensors), [t.shape for t in tensors]
        ends = [*accumulate(t.size for t in tensors)]
        self.parts: list[slice[Any | int, Any, Any]] = [*map(slice, [0, *ends[:-1]], ends)]
        self._release()

    def __getstate__(self) -> dict[str, Any]:
        copy = Pack(self.tensors, self.steps, self.slots)
        return vars(copy)  # its arrays will be gathered again: copied views would not share memory

    def _release(self) -> None:
        self._flat: Any = None
        self._views: list[Any] = []
        self._holders: list[int] = []

    def step(self, gradients: list[Any], plan: Plan, start: float) -> None:
        """Apply the next rule of ``plan``. New state is initialised with ``start``."""
        self._check_shapes(gradients)
        self.steps += 1
        name, numbers = plan(self)
        count = len(UPDATES[name].state)
        self._gather()
        if self._count() != self._holders:
            self._move()
        while len(self.slots) < count:
            self.slots.append(np.full_like(self._flat, start))
        update_arrays(name, self._flat, gradients, self.slots[:count], floats(numbers))

    def record(self, program: Any, gradients: list[Any], hyper: Any, start: float) -> None:
        """Write the next rule down in a program that reads and writes the state in each run."""
        self._check_shapes(gradients)
        update = UPDATES[hyper.name]
        self._gather()
        program.undo.append(partial(_shorten, self.slots, len(self.slots)))
        while len(self.slots) < len(update.state):
            self.slots.append(np.full_like(self._flat, start))
        places = [program.place(self.slots, k) for k in range(len(update.state))]
        p = _joined([program.numbers_of(t) for t in self.tensors])
        old = [program.array(place) for place in places]
        new, *state = update.rule(p, _joined(gradients), *old, *hyper.numbers(program))
        for place, slot in zip(places, state, strict=True):
            program.write(place, slot)
        for tensor, part, shape in zip(self.tensors, self.parts, self.shapes, strict=True):
            whole = len(self.tensors) == 1
            program.assign(tensor, reshape(new if whole else index(new, part), shape=shape))

    def _gather(self) -> None:
        """Gather the parameters in one flat array, again if one of them has been replaced."""
        arrays = [t._data for t in self.tensors]
        if len(self._views) < len(arrays) or not all(map(is_, arrays, self._views)):
            self._release()
            self._flat = _flat(arrays)
            self._check_dtype({a.dtype.name for a in arrays})

    def _check_dtype(self, dtypes: set[str]) -> None:
        """Convert the state if all parameters have been converted to another precision."""
        if len(dtypes) > 1:
            raise OptionError(
                where="Optimizer.step",
                expected="parameters of the dtypes that they had before",
                got=f"{' and '.join(sorted(dtypes))} where all were equal",
                fix="Create the optimizer after the conversion.",
            )
        self.slots[:] = [slot.astype(self._flat.dtype, copy=False) for slot in self.slots]

    def _move(self) -> None:
        """Give the Tensors views of a new array; other references keep the old one."""
        self._flat = self._flat.copy()
        self._hand_out()
        self._holders = self._count()

    def _hand_out(self) -> None:
        parts = zip(self.parts, self.shapes, strict=True)
        self._views = [self._flat[part].reshape(shape) for part, shape in parts]
        for tensor, view in zip(self.tensors, self._views, strict=True):
            tensor._data = view
            tensor._expire_views()

    def _count(self) -> list[int]:
        """Return the reference counts of the array and its views.

        They are equal to the counts after a move if only the Tensors refer to them.
        """
        return [_holders(self._flat), *map(_holders, self._views)]

    def _check_shapes(self, gradients: list[Any]) -> None:
        shapes = [g.shape for g in gradients]
        if shapes != self.shapes:
            wrong = [a != b for a, b in zip(shapes, self.shapes, strict=True)].index(True)
            raise SizeError(
                where="Optimizer.step",
                expected=f"a gradient of shape {self.shapes[wrong]}",
                got=f"one of shape {shapes[wrong]}",
                fix="Assign gradients of the shape of the parameter, or call backward().",
            )

    def saved(self) -> Iterator[dict[str, Any]]:
        """Yield steps and state of each Tensor, in new arrays."""
        for part, shape in zip(self.parts, self.shapes, strict=True):
            yield {
                "steps": self.steps,
                "slots": [slot[part].reshape(shape).copy() for slot in self.slots],
            }


class PlacedPack(Pack):
    """One Tensor of another library: its array is replaced, and never written into."""

    def record(self, program: Any, gradients: list[Any], hyper: Any, start: float) -> None:
        """Write the next rule down in a program that reads and writes the state in each run."""
        self._check_shapes(gradients)
        update, tensor = UPDATES[hyper.name], self.tensors[0]
        p = tensor._data
        program.undo.append(partial(_shorten, self.slots, len(self.slots)))
        while len(self.slots) < len(update.state):
            self.slots.append(np.full_like(p, start))
        self.slots[:] = [x.reshape(p.shape).astype(p.dtype, copy=False) for x in self.slots]
        places = [program.place(self.slots, k) for k in range(len(update.state))]
        old = [program.array(place) for place in places]
        p = program.numbers_of(tensor)
        new, *state = update.rule(p, gradients[0], *old, *hyper.numbers(program))
        program.assign(tensor, new)
        for place, slot in zip(places, state, strict=True):
            program.write(place, slot)

    def step(self, gradients: list[Any], plan: Plan, start: float) -> None:
        """Apply the next rule of ``plan`` to the whole array."""
        self._check_shapes(gradients)
        self.steps += 1
        name, numbers = plan(self)
        update, tensor = UPDATES[name], self.tensors[0]
        old = self._slots(len(update.state), start)
        new, *state = update.rule(tensor._data, gradients[0], *old, *floats(numbers))
        tensor._data, self.slots[: len(state)] = new, state
        tensor._expire_views()

    @staticmethod
    def step_together(members: list[tuple[PlacedPack, Any]], plan: Plan, start: float) -> None:
        """Apply the next rule of ``plan`` to several packs of equal steps, with their gradients."""
        for pack, gradient in members:
            pack._check_shapes([gradient])
        for pack, _ in members:
            pack.steps += 1
        packs = [pack for pack, _ in members]
        name, numbers = plan(packs[0])
        update = UPDATES[name]
        slots = [pack._slots(len(update.state), start) for pack in packs]
        parameters = [pack.tensors[0]._data for pack in packs]
        lists = [parameters, [g for _, g in members], *zip(*slots, strict=True)]
        operands = [Several([x.raw for x in xs]) for xs in lists]
        whole = WHOLE.get(name)
        found = whole(packs[0].steps, *operands, *floats(numbers)) if whole else None
        found = found or update.rule(*operands, *floats(numbers))
        of = parameters[0]
        new, *state = [[of._with(raw) for raw in xs.raws] for xs in found]
        for k, pack in enumerate(packs):
            pack.tensors[0]._data = new[k]
            pack.tensors[0]._expire_views()
            pack.slots[: len(state)] = [xs[k] for xs in state]

    def _slots(self, count: int, start: float) -> list[Any]:
        """Return the state of the Tensor, in its shape and dtype."""
        p = self.tensors[0]._data
        while len(self.slots) < count:
            self.slots.append(np.full_like(p, start))
        return [
            slot if slot.shape == p.shape and slot.dtype is p.dtype
            else slot.reshape(p.shape).astype(p.dtype, copy=False)
            for slot in self.slots[:count]
        ]  # fmt: skip

    def group(self, gradient: Any) -> object:
        """Return what packs have in common that are updated together, or ``None``."""
        p = self.tensors[0]._data
        if not takes_several(p) or type(gradient) is not LibraryArray or gradient.dtype != p.dtype:
            return None
        return self.steps, p.dtype, p.place, len(self.slots)

    def saved(self) -> Iterator[dict[str, Any]]:
        """Yield steps and state as arrays of NumPy, which files can hold."""
        yield {"steps": self.steps, "slots": [slot.numpy() for slot in self.slots]}


class Hyper:
    """The hyperparameters of a step that a program takes: numbers that each run finds anew.

    ``name``    the rule of the step
    ``values``  the numbers of the next step, since `holds` was asked
    """

    def __init__(self, pack: Pack, plan: Plan, ahead: int) -> None:
        self.pack: Pack = pack
        self.plan: Plan = plan
        self.ahead: int = ahead
        name, found = self._next()
        self.name: str = name
        self.values: tuple[float, ...] = found

    def _next(self) -> tuple[str, tuple[float, ...]]:
        name, numbers = self.plan(State(self.pack.steps + self.ahead))
        return name, floats(numbers)

    def holds(self) -> bool:
        """Return whether the next step has the same rule; its numbers are those that a run reads.

        They are computed here, once: ten times, for each of them, was a tenth of a call.
        """
        name, self.values = self._next()
        return name == self.name

    def numbers(self, program: Any) -> list[Any]:
        """Return the tracers of the numbers."""
        return [program.number(program.place(self, "values", k)) for k in range(len(self.values))]


def _joined(parts: list[Any]) -> Any:
    """Return the tracers of some arrays as one row; a single one as it is packed."""
    rows = [reshape(x, shape=(-1,)) for x in parts]
    bounds = (0, *accumulate(x.shape[0] for x in rows))
    return rows[0] if len(rows) == 1 else concat(*rows, axis=0, bounds=bounds)


def _is_placed(tensor: Any) -> bool:
    return not isinstance(tensor._data, np.ndarray)


def _flat(arrays: list[Any]) -> Any:
    return np.concatenate(arrays, axis=None) if len(arrays) > 1 else arrays[0].reshape(-1)


def apply_to_arrays(
    name: str, p: Any, gradients: list[Any], slots: list[Any], hyper: tuple[float, ...]
) -> None:
    """Apply the rule ``name`` to the flat array p in place, and to its state.

    ``gradients`` are the gradients of the views of p, in order. This is the reference of the native
    ``update_arrays``.
    """
    rule, g = UPDATES[name].rule, _flat(gradients)
    for start in range(0, p.size, BLOCK):
        block = slice(start, start + BLOCK)
        with np.errstate(all="ignore"):
            results = rule(p[block], g[block], *[slot[block] for slot in slots], *hyper)
        for target, result in zip((p, *slots), results, strict=True):
            target[block] = result


_native = getattr(engine, "update_arrays", None)
_NATIVE = (
    np.dtype(np.float32).str,
    np.dtype(np.float64).str,
)  # in the order of bytes of the machine


def update_arrays(
    name: str, p: object, gradients: list[Any], slots: list[Any], hyper: tuple[float, ...]
) -> None:
    """Run `apply_to_arrays` on the active engine, if it supports the arrays."""
    if _native is None or not all(a.dtype.str in _NATIVE for a in (p, *gradients)):
        return apply_to_arrays(name, p, gradients, slots, hyper)
    try:
        _native(name, p, tuple(gradients), tuple(slots), hyper)
    except BufferError:  # a gradient is not contiguous
        _native(name, p, (_flat(gradients),), tuple(slots), hyper)


class Packs:
    """The parameters of one group: the Values among them, and packs of the Tensors."""

    count: int
    values: list[Any]

    def __init__(self, params: Sequence[Any], values: list[Any]) -> None:
        known = set(map(id, values))
        self.values, self.count = values, len(params)
        self.tensors: list[Any] = [p for p in params if id(p) not in known]
        self.packs: list[Pack] = [*_packed(_Saved(t, 0, []) for t in self.tensors)]

    def step(self, plan: Plan, start: float) -> None:
        """Update every Tensor that has a gradient, as PyTorch does."""
        if any(_is_placed(p.tensors[0]) is not (type(p) is PlacedPack) for p in self.packs):
            self.packs = self.restored(self.saved())  # the parameters have been moved
        together: dict[object, list[tuple[PlacedPack, Any]]] = {}
        for pack in list(self.packs):
            gradients = _gradients(pack)
            missing = [g is None for g in gradients]
            if all(missing):
                continue
            if any(missing):
                pack, gradients = self._split(pack, missing)
            group = pack.group(gradients[0]) if isinstance(pack, PlacedPack) else None
            if isinstance(pack, PlacedPack) and group is not None:
                together.setdefault(group, []).append((pack, gradients[0]))
            else:
                pack.step(gradients, plan, start)
        for members in together.values():
            PlacedPack.step_together(members, plan, start)

    def record(self, program: Any, plan: Plan, start: float) -> None:
        """Write down in a program what `step` does."""
        if any(_is_placed(p.tensors[0]) is not (type(p) is PlacedPack) for p in self.packs):
            self.packs = self.restored(self.saved())
        steps: dict[int, Hyper] = {}
        for pack in list(self.packs):
            gradients = [*map(program.gradient_of, pack.tensors)]
            missing = [g is None for g in gradients]
            if all(missing):
                continue
            if any(missing):
                pack, _ = self._split(pack, missing)
                gradients = [g for g in gradients if g is not None]
            ahead = program.count(pack)
            hyper = steps.get(pack.steps + ahead)
            if hyper is None:
                hyper = steps[pack.steps + ahead] = Hyper(pack, plan, ahead)
                program.expect(hyper.holds)
            pack.record(program, gradients, hyper, start)
        packs, layout = self.packs, [(pack, pack.slots) for pack in self.packs]
        program.expect(lambda: self.packs is packs and _has_layout(packs, layout))

    def _split(self, pack: Pack, missing: list[bool]) -> tuple[Pack, list[Any]]:
        """Split off the Tensors without a gradient: from now on they count their own steps."""
        members = [_Saved(t, **s) for t, s in zip(pack.tensors, pack.saved(), strict=True)]
        without = [m for m, out in zip(members, missing, strict=True) if out]
        updated = [m for m, out in zip(members, missing, strict=True) if not out]
        left, right = _join(updated), _join(without)
        where = self.packs.index(pack)
        self.packs[where : where + 1] = [left, right]
        return left, _gradients(left)

    def clear(self, set_to_none: bool) -> None:
        """Reset the gradients to ``None``, or to zeros."""
        for tensor in self.tensors:
            node = tensor._node
            if set_to_none:
                clears(tensor)
                if node is not None:
                    node.grad = None
            elif node is not None and (gradient := _gradient(tensor)) is not None:
                clears(tensor)
                traced = isinstance(gradient, Tracer)
                zeros = np.zeros(gradient.shape, gradient.dtype) if traced else None
                node.grad = np.zeros_like(gradient) if zeros is None else zeros

    def saved(self) -> list[dict[str, Any]]:
        """Return steps and state of each Tensor, in the order of the group."""
        found = {
            id(t): s for pack in self.packs for t, s in zip(pack.tensors, pack.saved(), strict=True)
        }
        return [found[id(t)] for t in self.tensors]

    def restored(self, saved: Sequence[Mapping[str, Any]]) -> list[Pack]:
        """Return packs with the saved state. Raise ``ValueError`` for state of other shapes."""
        return [*_packed(_Saved.read(t, s) for t, s in zip(self.tensors, saved, strict=True))]


@dataclass
class _Saved:
    """A Tensor with its steps and its state, before it is packed."""

    tensor: Any
    steps: int
    slots: list[Any]

    @classmethod
    def read(cls, tensor: Any, saved: Mapping[str, Any]) -> _Saved:
        slots = [np.array(slot, tensor.dtype) for slot in saved["slots"]]
        for slot in slots:
            if slot.shape != tensor.shape:
                raise ValueError(f"state of shape {slot.shape} for a Tensor of {tensor.shape}")
        return cls(tensor, count(saved["steps"]), slots)


def _has_layout(packs: list[Pack], layout: list[tuple[Pack, list[Any]]]) -> bool:
    """Return whether these are the packs and the lists of their state that a program knows."""
    return len(packs) == len(layout) and all(
        pack is known and pack.slots is slots
        for pack, (known, slots) in zip(packs, layout, strict=True)
    )


def _shorten(slots: list[Any], size: int) -> None:
    del slots[size:]


def _gradients(pack: Pack) -> list[Any]:
    found = [None if t._node is None else t._node.grad for t in pack.tensors]
    # what the user has looked at has PyTorch's methods, which arithmetic would carry along
    return [g.view(np.ndarray) if isinstance(g, np.ndarray) else g for g in found]


def _gradient(tensor: Any) -> Any:
    """Return a gradient as its node holds it; in a program it is an input or was computed."""
    program = recorder()
    return tensor._node.grad if program is None else program.updates.gradient_of(tensor)


def _packed(members: Iterable[_Saved]) -> Iterator[Pack]:
    """Yield packs of Tensors of one dtype, number of steps and state, up to `_CAPACITY`."""
    pending: dict[Any, list[_Saved]] = {}
    for member in members:
        if _is_placed(member.tensor):
            slots = [member.tensor._data.beside(slot) for slot in member.slots]
            yield PlacedPack([member.tensor], member.steps, slots)
            continue
        kind = member.tensor.dtype, member.steps, len(member.slots)
        together = pending.setdefault(kind, [])
        if together and sum(m.tensor.size for m in together) + member.tensor.size > _CAPACITY:
            yield _join(together)
            together.clear()
        together.append(member)
    yield from map(_join, pending.values())


def _join(members: Sequence[_Saved]) -> Pack:
    slots = [_flat([*parts]) for parts in zip(*(m.slots for m in members), strict=True)]
    return Pack([m.tensor for m in members], members[0].steps, slots)
