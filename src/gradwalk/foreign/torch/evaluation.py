"""A recorded program of PyTorch as a graph of Tensors, with the numbers of its own run.

Each operation is looked up in the table. What is not there, and what does not give the numbers that
PyTorch has computed, becomes an opaque node: PyTorch's numbers, and its own VJP.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ...core.places import Line
from ...tensor import Tensor
from ...tensor.functions import reshape, take
from ..agreement import Agreement
from ..moves import gathered as moved
from ..opaque import opaque
from ..places import at
from ..values import is_live
from . import library as torch
from .calls import Call, Told, place_of
from .naming import Names
from .recording import Entry, Recorder
from .slots import Array, Key, Slot, array_of, tensor_of

__all__ = ["Evaluation"]

Node: TypeAlias = Any
"""A node of PyTorch's graph."""


class Evaluation:
    """The graph of a recorded program.

    ``values``   the Tensor of each value that is known now, by its key
    ``leaves``   the Tensor of each leaf, by its slot
    ``told``     opaque operations, notes, and the comparison with PyTorch
    """

    recorder: Recorder
    names: Names
    told: Told
    done: int

    def __init__(self, recorder: Recorder, agreement: Agreement) -> None:
        self.recorder, self.names, self.told = recorder, recorder.names, Told(agreement)
        self.values: dict[Key, Any] = {}
        self.exact: dict[int, Any] = {}  # by the slot, where two values have one key
        self.leaves: dict[int, tuple[Slot, Any]] = {}
        self.flats: dict[int, Any] = {}
        self.sizes: dict[int, int] = {}
        self.functions: dict[Any, Any] = {}  # results of the user's own functions, by node
        self.nodes: dict[Any, Slot] | None = None
        self.doubted: set[int] = set()  # equations whose rule differs from PyTorch's
        self.calls_hooks: bool = False
        self.calls: dict[int, Call] = {}  # operations that the table has
        self.done = 0

    def run(self) -> None:
        """Evaluate what the recorder has recorded since the last call."""
        tape = self.recorder.tape
        operands = (torch.utils._pytree.tree_flatten((e.args, e.options))[0] for e in tape)
        self.told.used = {id(x) for flat in operands for x in flat if isinstance(x, Slot)}
        self.recorder.restore()
        with np.errstate(all="ignore"):
            for k in range(self.done, len(tape)):
                self._entry(k, tape[k])
        self.done = len(tape)

    # --- operands ---------------------------------------------------------------------------------

    def value(self, slot: Slot, line: Line | None = None) -> Any:
        """Return the Tensor of an operand, or its array if no gradient flows through it."""
        found = self.exact.get(id(slot))
        if found is not None and is_live(found):
            return found
        if not slot.live:
            return slot.numbers.get()
        if slot.leaf:
            return self._leaf(slot)
        node = slot.node
        if isinstance(node, torch.autograd.function.BackwardCFunction):
            return self._checked(slot, self._function(slot, node, line), line)
        y = self.values.get(slot.key)
        if y is None and slot.key[0] in self.flats:
            y = self.values[slot.key] = self._view(slot.key)
        if y is None or not is_live(y):
            y = self.values[slot.key] = self._unseen(slot)
        return self._checked(slot, y, line)

    def _leaf(self, slot: Slot) -> Any:
        known = self.leaves.get(id(slot))
        if known is None:
            data = slot.numbers.get()
            name = self.names.get(slot.tensor)
            leaf = Tensor(data, requires_grad=True, label=name)
            known = self.leaves[id(slot)] = (slot, leaf)
            hooked = self._hooked(slot, leaf, None)
            if hooked is not leaf:
                self.exact[id(slot)] = hooked
                return hooked
        return known[1]

    def _hooked(self, slot: Slot, y: Any, line: Line | None) -> Any:
        """Return a value whose gradient is what the hooks of its tensor make of it."""
        hooks = _hooks_of(slot)
        if not hooks or not self.calls_hooks:
            return y
        self.told.opaque["hook"] += 1
        data, rule = y._data, partial(_hook_rule, hooks, slot.dtype)
        (found,) = at(place_of(line), opaque, "hook", lambda x: data, rule, [y])
        return found

    def has_hooks(self) -> bool:
        """Return whether a recorded tensor has a hook, which may change its gradient."""
        return any(map(_hooks_of, self._slots()))

    def _slots(self) -> Iterator[Slot]:
        for entry in self.recorder.tape:
            for slot in torch.utils._pytree.tree_flatten(
                (entry.args, entry.options, entry.results)
            )[0]:
                if isinstance(slot, Slot):
                    yield slot

    def _unseen(self, slot: Slot) -> Any:
        """Return a leaf for a value that was computed before, or by what was not seen."""
        data = slot.numbers.get()
        node = slot.node
        name = self.names.get(slot.tensor) or (node.name() if node is not None else "")
        y = Tensor(data, requires_grad=True, label=name)
        self.leaves[id(slot)] = (slot, y)
        self.told.note(
            f"{name or 'a value'} was computed before the recording, or unseen: it is a leaf"
        )
        return y

    def _checked(self, slot: Slot, y: Any, line: Line | None) -> Any:
        """Return a value with the numbers that the program has used, however they came there."""
        data = slot.numbers.get()
        if y.shape != data.shape or np.array_equal(y._data, data, equal_nan=True):
            return y
        if y._data.dtype != data.dtype:
            return y
        self.told.note("numbers were written without a gradient (.data, or under no_grad)")
        self.told.opaque["data_write"] += 1
        (found,) = at(
            place_of(line), opaque, "data_write", lambda x: data, lambda t, y, x: (t,), [y]
        )
        self.values[slot.key] = found
        return found

    def _view(self, key: Key) -> Any:
        places = torch.arange(self.sizes[key[0]]).as_strided(key[2], key[3], key[1]).numpy()
        return take(self.flats[key[0]], places)

    # --- one operation ----------------------------------------------------------------------------

    def _entry(self, k: int, entry: Entry) -> None:
        flat, form = torch.utils._pytree.tree_flatten((entry.args, entry.options))
        operands = [self.value(x, entry.line) if isinstance(x, Slot) else x for x in flat]
        given = [None if y is None else y.numbers.get() for y in entry.results]
        place = place_of(entry.line)
        call = Call(self.told, entry, flat, operands, form, given, place)
        found = call.results(k in self.doubted)
        if call.is_table:
            self.calls[k] = call
        for slot, y, data in zip(entry.results, found, given, strict=True):
            if slot is None:
                continue
            if not is_live(y):
                y = data
            if slot.key[0] in entry.written:
                self._write(slot, y)
            elif is_live(y):
                y = self._hooked(slot, y, entry.line)
                self.values[slot.key] = self.exact[id(slot)] = y
            else:
                self.values.pop(slot.key, None)
            if is_live(y) and not y.label and (name := self.names.get(slot.tensor)):
                y.label = name

    def _write(self, slot: Slot, y: Any) -> None:
        """Store what an operation has written: other views of the storage are taken again."""
        storage, size = slot.key[0], slot.tensor.untyped_storage().nbytes()
        count = size // slot.tensor.element_size()
        for key in [key for key in self.values if key[0] == storage and key != slot.key]:
            if storage not in self.flats:
                self._flatten(slot, count)
            del self.values[key]
        whole = slot.tensor.numel() == count and slot.tensor.is_contiguous()
        if slot.tensor.is_complex():
            if not whole:
                self.told.note(
                    "a part of a complex tensor was written in place: the rest is a leaf"
                )
            self.flats.pop(storage, None)
        elif is_live(y) or storage in self.flats:
            if whole:
                self.flats[storage] = reshape(y if is_live(y) else Tensor(y), (-1,))
            else:
                if storage not in self.flats:
                    self._flatten(slot, count)
                self.flats[storage] = self._put(self.flats[storage], slot.key, y)
            self.sizes[storage] = count
        self.values[slot.key] = self.exact[id(slot)] = y

    def _flatten(self, slot: Slot, count: int) -> None:
        """Make the flat array of a storage of what was in it before."""
        storage = slot.key[0]
        before = self.recorder.stores.get(storage)
        data = None if before is None else before.get()
        if data is None:
            data = np.zeros(count, np.float32 if slot.dtype is not torch.float64 else np.float64)
        flat: Any = Tensor(np.resize(data, count))
        for key, y in [*self.values.items()]:
            if key[0] == storage and is_live(y) and key != slot.key:
                flat = self._put(flat, key, y)
        self.flats[storage], self.sizes[storage] = flat, count

    def _put(self, flat: Any, key: Key, y: Any) -> Any:
        def run(a: Array, b: Array) -> Array:
            whole = torch.from_numpy(a.copy())
            whole.as_strided(key[2], key[3], key[1]).copy_(torch.from_numpy(b.copy()))
            found: Array = whole.numpy()
            return found

        return moved(run, [flat, y])

    # --- functions with a backward pass of the user -----------------------------------------------

    def _function(self, slot: Slot, node: Node, line: Line | None) -> Any:
        """Return the result of a `torch.autograd.Function`: its own backward pass is the rule."""
        name = (node, slot.tensor.output_nr)
        known = self.functions.get(name)
        if known is not None:
            return known
        data = slot.numbers.get()
        operands = [self._of_node(*edge) for edge in node.next_functions if edge[0] is not None]
        live = [i for i, x in enumerate(operands) if is_live(x)]
        kind = node.name().removesuffix("Backward")
        if not live:
            y = self._unseen(slot)
        else:
            rule = partial(_function_rule, node, slot.tensor.output_nr, slot.dtype, live)
            self.told.opaque[kind] += 1
            (y,) = at(
                place_of(line), opaque, kind, lambda *xs: data, rule, [operands[i] for i in live]
            )
        self.functions[name] = y
        return y

    def _of_node(self, node: Node, number: int) -> Any:
        """Return the value that a node of PyTorch's graph has computed, if it is known."""
        if node is None:
            return None
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            known = self.recorder.reached.get(id(leaf))
            return self.value(self.recorder.slot(leaf) if known is None else known)
        if self.nodes is None:
            self.nodes = {}
            for slot in self._slots():
                node_of, t = slot.node, slot.tensor
                if node_of is not None:
                    self.nodes[node_of, slot.output if t is None else t.output_nr] = slot
        found = self.nodes.get((node, number))
        return None if found is None else self.value(found)

    # --- comparison -------------------------------------------------------------------------------

    def root(self, slot: Slot) -> Any:
        """Return the Tensor of a result, or ``None`` if no gradient flows through it."""
        y = self.value(slot) if slot.live else None
        return y if is_live(y) else None


def _function_rule(
    node: Node, number: int, dtype: torch.dtype, live: Sequence[int], t: Array, *others: Any
) -> list[Array | None]:
    """Call the backward pass of a function of the user; other results have no gradient."""
    seed = tensor_of(t, dtype)
    try:
        shapes = [(m.shape, m.dtype, m.device) for m in node._input_metadata]
    except (AttributeError, RuntimeError):
        shapes = []
    seeds = [torch.zeros(s, dtype=d, device=p) for s, d, p in shapes] or [seed]
    if number < len(seeds):
        seeds[number] = seed.to(seeds[number].device)
    with _gradients_kept(node):
        found = node.apply(*seeds)
    found = found if isinstance(found, tuple) else (found,)
    # for an argument that is no tensor it returns None, and PyTorch's graph has no edge
    given = [t for t, needed in zip(found, node.needs_input_grad, strict=True) if needed]
    return [None if given[i] is None else array_of(given[i]) for i in live]


@contextmanager
def _gradients_kept(node: Node) -> Iterator[None]:
    """Leave ``grad`` of parameters as it is: a reentrant checkpoint adds to it."""
    known = gc.get_objects() if "Checkpoint" in node.name() else []
    tensors = [x for x in known if issubclass(type(x), torch.Tensor)]
    kept = [(x, x.grad) for x in tensors if x.is_leaf and x.requires_grad]
    for x, _ in kept:
        x.grad = None
    try:
        yield
    finally:
        for x, grad in kept:
            x.grad = grad


def _hooks_of(slot: Slot) -> list[Any]:
    hooks = getattr(slot.tensor, "_backward_hooks", None)
    return [*hooks.values()] if hooks else []


def _hook_rule(
    hooks: Sequence[Any], dtype: torch.dtype, t: Array, *others: Any
) -> tuple[Array, ...]:
    """Return what hooks of the user make of a gradient."""
    found = tensor_of(t, dtype)
    for hook in hooks:
        changed = hook(found)
        found = found if changed is None else changed
    return (array_of(found),)
