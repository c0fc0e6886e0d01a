"""The recorder: a mode of PyTorch that sees each operation with its operands, as it runs.

Only operations through which a gradient flows are recorded. PyTorch tells which these are: the
operands still show whether they require a gradient, so `detach`, `no_grad` and frozen parameters
need no rule. The recorder adds what evaluation needs later: the numbers, and the line.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType
from typing import Any, NamedTuple, TypeAlias

from ...core.places import Line
from . import library as torch
from .naming import Names, is_of_user
from .slots import Numbers, Slot, key_of, tensor_of
from .words import words

Operation: TypeAlias = Any
"""An operation of ATen."""

__all__ = ["Entry", "Pass", "Recorder"]

LIMIT = 4 << 30  # bytes of results that are held between two backward passes
NOT_LIVE = words(
    """detach empty_like zeros_like ones_like full_like rand_like randn_like randint_like new_zeros
    new_empty new_full new_ones new_empty_strided _local_scalar_dense is_same_size
    _nested_tensor_size bernoulli"""
)
"""Operations whose results never require a gradient."""
UNTOLD = {"native_batch_norm": (3, 4), "_batch_norm_with_update": (3, 4)}
"""Operands that are written into although the schema does not tell."""

_user: dict[CodeType, bool] = {}  # whether code is the user's, which is asked for each operation


UNSTABLE = words(
    """index_put put scatter_add scatter_reduce index_add index_reduce embedding_bag histc bincount
    mkldnn_rnn_layer"""
)
"""Operations that may add in another order when they run again, or return less then."""


class Entry(NamedTuple):
    """One recorded operation; tensors among its operands are `Slot` objects."""

    func: Operation
    args: tuple[Any, ...]
    options: dict[str, Any]
    results: tuple[Slot | None, ...]
    several: bool
    line: Line | None
    written: tuple[int, ...]  # the storages that it has written into


class Pass(NamedTuple):
    """One backward pass: its results, their cotangents, and the gradients of leaves.

    ``gradients`` has a slot of each leaf, its gradient before the pass, and the one after it.
    """

    roots: list[Slot]
    seeds: list[Numbers | None]
    gradients: list[tuple[Slot, Numbers | None, Numbers | None]]


class Facts(NamedTuple):
    """What the schema of an operation tells."""

    name: str
    live: bool
    written: tuple[int, ...]
    written_options: tuple[str, ...]
    again: bool  # whether it makes the same bits when it runs again


def _facts(func: Operation) -> Facts:
    schema, name = func._schema, func._opname
    marked = [a.alias_info is not None and a.alias_info.is_write for a in schema.arguments]
    written = [i for i, is_marked in enumerate(marked) if is_marked]
    options = [schema.arguments[i].name for i in written]
    places = (*written, *UNTOLD.get(name, ()))
    again = not places and name not in UNSTABLE and func.namespace == "aten"
    again = again and torch.Tag.nondeterministic_seeded not in func.tags
    return Facts(name, name not in NOT_LIVE, places, tuple(options), again)


def _line(frame: FrameType | None) -> Line | None:
    """Return the line of the innermost frame that is not PyTorch's or the package's."""
    while frame is not None:
        code = frame.f_code
        is_user = _user.get(code)
        if is_user is None:
            is_user = _user[code] = is_of_user(code.co_filename)
        if is_user:
            return code, frame.f_lasti
        frame = frame.f_back
    return None


def _tensors(x: object) -> Iterator[torch.Tensor]:
    if isinstance(x, torch.Tensor):
        yield x
    elif isinstance(x, (list, tuple)):
        for y in x:
            yield from _tensors(y)


def _is_plain(t: torch.Tensor) -> bool:
    """Return whether a result is made again by its operation with the same bits."""
    return type(t) is torch.Tensor and t.device.type == "cpu" and t.layout is torch.strided


def _weak_storage(storage: Any) -> Any:
    return torch.multiprocessing.reductions.StorageWeakRef(storage)


def _tensor_again(x: Any) -> Any:
    """Return the tensor of a slot with its numbers, laid out as it was."""
    if not isinstance(x, Slot):
        return x
    source = x.numbers.source
    if source is not None:
        return source.detach()
    _, _, shape, stride, dtype, _ = x.key
    t = torch.empty_strided(shape, stride, dtype=dtype)
    return (
        t.copy_(tensor_of(x.numbers.get(), dtype))
        if 0 not in stride
        else tensor_of(x.numbers.get(), dtype)
    )


@cache
def _mode() -> Any:
    """Return the class of the mode, which exists once PyTorch is imported."""

    class Mode(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        """Calls the recorder for each operation."""

        def __init__(self, recorder: Recorder) -> None:
            super().__init__()
            self.recorder = recorder

        def __torch_dispatch__(
            self, func: Operation, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
        ) -> Any:
            return self.recorder.operation(func, args, kwargs or {})

    return Mode


class Recorder:
    """A context that records the operations of this thread, and its backward passes.

    ``tape``    the operations in the order in which they ran
    ``passes``  the backward passes
    ``stores``  what storages had before the first write that a gradient flows through
    ``ended``   is called after each backward pass
    """

    def __init__(self, ended: Callable[[Pass], None] | None = None) -> None:
        self.ended = ended
        self.mode: Any = _mode()(self)
        self.frame: FrameType | None = None
        self.names: Names = Names()
        self.active: bool = False
        self.idle: bool = False
        self.is_inside: bool = False  # a backward pass
        self.thread: int = 0
        self.cut: bool = False
        self.facts: dict[Any, Facts] = {}
        self.clear()

    def clear(self) -> None:
        """Drop what has been recorded."""
        self.tape: list[Entry] = []
        self.passes: list[Pass] = []
        self.slots: dict[int, Slot] = {}
        self.leaves: dict[tuple[Any, ...], Slot] = {}
        self.held: dict[int, list[Numbers]] = {}
        self.turns: dict[int, int] = {}
        self.stores: dict[int, Numbers] = {}
        self.storages: dict[int, Any] = {}  # weak references, so that no address is used twice
        self.resolved: set[int] = set()
        self.size: int = 0
        self.begun: list[Slot] = []
        self.reached: dict[int, Slot] = {}
        self.nameless: set[int] = set()
        self.names.prune()
        self.has_functions: bool = False

    # --- the context ------------------------------------------------------------------------------

    def __enter__(self) -> Recorder:
        self.original_backward: Any = torch.autograd.backward
        self.original_grad: Any = torch.autograd.grad
        self.original_hook: Any = torch.Tensor.register_hook
        torch.autograd.backward = self._backward
        torch.autograd.grad = self._gradients
        torch.Tensor.register_hook = self._hooking()
        self.mode.__enter__()
        self.active, self.thread = True, threading.get_ident()
        return self

    def __exit__(self, *error: object) -> None:
        self.mode.__exit__(*error)
        self.active = False
        torch.autograd.backward = self.original_backward
        torch.autograd.grad = self.original_grad
        torch.Tensor.register_hook = self.original_hook
        for leaf in self.leaves.values():  # an optimizer will write into them
            leaf.numbers.keep()

    def _hooking(self) -> Any:
        """Return `Tensor.register_hook`, which keeps the tensor: its gradient depends on it."""
        original = self.original_hook

        def register_hook(t: torch.Tensor, hook: Any) -> Any:
            slot = self.slots.get(id(t))
            if slot is not None and slot.tensor is t:
                slot.hold(t)
            return original(t, hook)

        return register_hook

    def _backward(self, tensors: Any, *args: Any, **options: Any) -> None:
        """Run a backward pass of the program, and remember its results and gradients."""
        if self.is_inside or threading.get_ident() != self.thread:
            self.original_backward(tensors, *args, **options)
            return
        options |= dict(zip(("grad_tensors", "retain_graph", "create_graph"), args, strict=False))
        roots, seeds = [*_tensors(tensors)], options.get("grad_tensors")
        given = [seeds] if isinstance(seeds, torch.Tensor) else [*(seeds or [None] * len(roots))]
        with self._paused():
            self.begun = [self.slot(t) for t in roots]
            for slot, t in zip(self.begun, roots, strict=True):
                slot.hold(t)
            found = [self._gradient(t) for t in given]
            leaves = self._leaves(roots)
            before = {i: self._gradient(leaf.tensor.grad, True) for i, leaf in leaves.items()}
        if self.has_functions and not options.get("retain_graph"):
            options["retain_graph"] = True  # their own backward pass is called again
        self.is_inside = True
        try:
            if options.get("create_graph"):
                self.original_backward(tensors, *args[3:], **options)
            else:
                with self._paused():
                    self.original_backward(tensors, *args[3:], **options)
        finally:
            self.is_inside = False
        slots, self.begun = self.begun, []
        with self._paused():
            gradients = [
                (leaf, before[i], self._gradient(leaf.tensor.grad)) for i, leaf in leaves.items()
            ]
            done = Pass(slots, found, gradients)
            self.passes.append(done)
            if self.ended is not None:
                self.ended(done)

    def _leaves(self, roots: list[torch.Tensor]) -> dict[int, Slot]:
        """Return the leaves of the program, by the ids of their tensors."""
        if self.has_functions:  # leaves that only they read have not been seen
            for t in roots:
                self._reach(t.grad_fn)
        return {id(leaf.tensor): leaf for leaf in self.leaves.values()}

    def _reach(self, root: Any) -> None:
        """See the leaves of a graph of PyTorch."""
        seen, stack = set(), [root]
        while stack:
            node = stack.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            leaf = getattr(node, "variable", None)
            if leaf is not None:
                self.reached[id(leaf)] = self.slot(leaf)
            stack += [below for below, _ in node.next_functions]

    def _gradients(self, *args: Any, **options: Any) -> Any:
        """Run `torch.autograd.grad`; its operations are part of the program if they are live."""
        if self.is_inside or threading.get_ident() != self.thread:
            return self.original_grad(*args, **options)
        create = options.get("create_graph", args[4] if len(args) > 4 else False)
        if self.has_functions and len(args) < 4 and options.get("retain_graph") is None:
            options["retain_graph"] = True
        if create:
            return self.original_grad(*args, **options)
        with self._paused():
            return self.original_grad(*args, **options)

    def _gradient(self, t: torch.Tensor | None, copied: bool = False) -> Numbers | None:
        if t is None:
            return None
        numbers = self._hold(t)
        if copied:  # the backward pass adds to it
            for known in self.held.pop(key_of(t)[0]):
                known.keep()
        return numbers

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Run without recording, inside the context or not."""
        if self.active:
            with self._paused():
                yield
        else:
            yield

    @contextmanager
    def _paused(self) -> Iterator[None]:
        """Run without this mode: what happens there is no part of the program."""
        stack = torch.utils._python_dispatch._get_current_dispatch_mode_stack()
        if not stack or stack[-1] is not self.mode:  # a mode of the program is above this one
            before, self.idle = self.idle, True
            try:
                yield
            finally:
                self.idle = before
            return
        self.mode.__exit__(None, None, None)
        try:
            yield
        finally:
            self.mode.__enter__()

    # --- operations -------------------------------------------------------------------------------

    def operation(self, func: Operation, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Run an operation, and record it if a gradient flows through it."""
        if self.idle:
            return func(*args, **options)
        facts = self.facts.get(func) or self._facts_of(func)
        live = facts.live and torch.is_grad_enabled() and self._is_live(args, options)
        written = facts.written or facts.written_options
        if not live and not written:
            return func(*args, **options)
        operands, named = args, options
        if live:
            operands = tuple([self._operand(x) for x in args])
            named = {k: self._operand(x) for k, x in options.items()} if options else options
        storages: tuple[int, ...] = ()
        if written:
            storages = self._before_write(facts, args, options, live)
        result = func(*args, **options)
        if live:
            several = isinstance(result, (tuple, list))
            found = tuple(result) if several else (result,)
            results = tuple(
                [self._result(y, facts) if isinstance(y, torch.Tensor) else None for y in found]
            )
            if facts.name == "clone" and (args[0].is_conj() or args[0].is_neg()):
                self.resolved.add(id(result))  # below autograd, which marks the consumer alone
                results[0].hold(result)  # type: ignore[union-attr]
            line = _line(sys._getframe(2))
            if self.size > LIMIT:  # steps without a backward pass, perhaps: memory is bounded
                self.clear()
                self.cut = True
            self.tape.append(Entry(func, operands, named, results, several, line, storages))
        return result

    def _facts_of(self, func: Operation) -> Facts:
        found = self.facts[func] = _facts(func)
        return found

    def _is_live(self, args: tuple[Any, ...], options: dict[str, Any]) -> bool:
        """Return whether a gradient flows through an operand."""
        for x in args:
            if isinstance(x, torch.Tensor):
                if x.requires_grad:
                    return True
            elif isinstance(x, (list, tuple)) and any(y.requires_grad for y in _tensors(x)):
                return True
        if options and any(y.requires_grad for y in _tensors([*options.values()])):
            return True
        return bool(self.resolved) and any(id(x) in self.resolved for x in args)

    def _operand(self, x: Any) -> Any:
        if isinstance(x, torch.Tensor):
            return self.slot(x)
        if isinstance(x, (list, tuple)) and x and isinstance(x[0], (torch.Tensor, type(None))):
            return [self._operand(y) for y in x]
        return x

    def slot(self, t: torch.Tensor) -> Slot:
        """Return the slot of a tensor as it is now."""
        known = self.slots.get(id(t))
        if known is not None and id(t) in self.resolved and known.tensor is t:
            return known
        if known is not None and known.tensor is t and known.live is t.requires_grad:
            storage = key_of(t)[0] if t.is_sparse else t.untyped_storage()._cdata
            if known.key[0] == storage and known.turn == self.turns.get(storage, 0):
                known.note_reading(t)
                return known
        slot = self._slot(t)
        if slot.live:
            grad_fn = t.grad_fn
            slot.leaf = grad_fn is None
            if slot.leaf:
                self._leaf(slot)
            elif isinstance(grad_fn, torch.autograd.function.BackwardCFunction):
                self.has_functions = True
        return slot

    def _slot(self, t: torch.Tensor, again: bool = False) -> Slot:
        slot = Slot(t, again)
        slot.key = key = key_of(t)
        slot.live, slot.leaf, slot.dtype = t.requires_grad, False, t.dtype
        slot.turn = self.turns.get(key[0], 0)
        slot.numbers = self._hold(t, key[0], again)
        self.slots[id(t)] = slot
        return slot

    def _result(self, t: torch.Tensor, facts: Facts) -> Slot:
        again = facts.again and _is_plain(t)
        slot = self._slot(t, again)
        if again and slot.key[0] not in self.storages:
            self.storages[slot.key[0]] = _weak_storage(t.untyped_storage())
        slot.live = True  # PyTorch marks it after this returns
        self.size += t.numel() * t.element_size()
        return slot

    def _leaf(self, slot: Slot) -> None:
        name = id(slot.tensor)
        if name not in self.nameless and not self.names.get(slot.tensor):
            self.names.look(sys._getframe(1))
            self.nameless.add(name)
        self.leaves[id(slot.tensor), slot.key, slot.turn] = slot

    def _hold(self, t: torch.Tensor, storage: int | None = None, again: bool = False) -> Numbers:
        numbers = Numbers(t, again)
        self.held.setdefault(storage or key_of(t)[0], []).append(numbers)
        return numbers

    def restore(self) -> None:
        """Run operations again whose results the program has not kept: all of them, in their order.

        Operands have the numbers that they had, and each operation is one that makes the same bits.
        """
        with self.quiet(), torch.no_grad():
            for entry in self.tape:
                missing = [s is not None and s.numbers.is_gone for s in entry.results]
                if not any(missing):
                    continue
                args, options = torch.utils._pytree.tree_map(
                    _tensor_again, (entry.args, entry.options)
                )
                made = entry.func(*args, **options)
                made = made if entry.several else (made,)
                for slot, y, is_missing in zip(entry.results, made, missing, strict=True):
                    if slot is not None and is_missing:
                        slot.numbers.hold(y)

    def _before_write(self, facts: Facts, args: Any, options: Any, live: bool) -> tuple[int, ...]:
        """Copy what is known of the storages that an operation is about to write into."""
        written = [args[i] for i in facts.written if i < len(args)]
        written += [options[k] for k in facts.written_options if k in options]
        names = []
        for t in _tensors(written):
            try:
                storage = t.untyped_storage()
            except (NotImplementedError, RuntimeError):  # a sparse tensor
                continue
            name = storage._cdata
            names.append(name)
            if live and name not in self.stores and t.numel() * t.element_size() < storage.nbytes():
                whole = torch.empty(0, dtype=t.dtype, device=t.device).set_(storage)
                self.stores[name] = numbers = Numbers(whole)
                numbers.keep()
            held = self.held.pop(name, None)
            if held is None:
                continue
            self.turns[name] = self.turns.get(name, 0) + 1
            for numbers in held:
                numbers.keep()
        return tuple(names)
