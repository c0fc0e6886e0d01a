"""What a recorded function writes: gradients, parameters, and the state of optimizers.

Each is an output of the program, and is put where it belongs after each run. `backward` is a
reverse pass over the equations that are written down so far.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...core.carrier import is_tensor
from ...errors import InPlaceError, OptionError
from ...levels.level import Tracer
from ...levels.vjp import VJPLevel
from ..builder import READ
from ..program import apply_plainly, needed
from .conditions import Traced

__all__ = ["Held", "Update", "Updates"]


class Held:
    """A place of an array or a number that is no Tensor: an attribute, or a part of one."""

    __slots__ = ("at", "name", "owner")
    owner: Any
    name: str
    at: int | None

    def __init__(self, owner: object, name: str, at: int | None = None) -> None:
        self.owner, self.name, self.at = owner, name, at

    @property
    def key(self) -> tuple[int, str, int | None]:
        """What is the same for the same place."""
        return id(self.owner), self.name, self.at

    @property
    def data(self) -> Any:
        """What is there now."""
        found = getattr(self.owner, self.name) if self.name else self.owner
        return found if self.at is None else found[self.at]


class Drawn:
    """What a generator draws in each run, as it does without a program."""

    def __init__(self, generator: Any, draw: Callable[[Any], Any]) -> None:
        self.generator: Any = generator
        self.draw: Callable[[Any], Any] = draw

    @property
    def data(self) -> Any:
        """The next numbers."""
        return self.draw(self.generator)


class Update(NamedTuple):
    """One array that is written after each run; ``None`` as atom empties the place."""

    place: Held
    atom: int | None


class Updates:
    """What has been written in this run, and what has to be undone at its end."""

    def __init__(self, recorder: Any) -> None:
        self.recorder: Any = recorder
        self.expected: list[Callable[[], bool]] = []  # in each later call
        self.afterwards: list[Callable[[], None]] = []  # of each run
        self.owned: list[Any] = []  # of which another one is no stand-in
        self.held: dict[Any, tuple[Any, Traced]] = {}  # sources of the program
        self._new: dict[Any, tuple[Held, Traced]] = {}
        self._steps: dict[int, tuple[Any, int]] = {}  # of parts of an optimizer, in a run
        self._kept: list[tuple[Any, Any]] = []
        self._data: dict[int, tuple[Any, Traced]] = {}
        self._leaves: dict[int, Any] = {}  # atoms, of the Tensors that they are the numbers of
        self._assigned: dict[int, Traced] = {}  # such atoms that the function has computed
        self.undo: list[Callable[[], None]] = []  # if the function fails
        self._grads: dict[int, tuple[Any, Any, Any]] = {}  # with nodes, and gradients before
        self._cleared = set[int]()

    # --- state ------------------------------------------------------------------------------------

    @staticmethod
    def place(owner: Any, *where: Any) -> Held:
        """Return the place of a member of a list, or of an attribute and a member of that."""
        return Held(owner, *where) if type(where[0]) is str else Held(owner, "", *where)

    def array(self, place: Held) -> Traced:
        """Return the tracer of an array that each run finds at a place."""
        new = self._new.get(place.key)
        return self.number(place) if new is None else new[1]

    def number(self, place: Held) -> Traced:
        """Return the tracer of a number that each run finds at a place."""
        if place.key not in self.held:
            self.held[place.key] = place, self.recorder.input(place.data)
        return self.held[place.key][1]

    def drawn(self, generator: Any, draw: Callable[[Any], Any]) -> Traced:
        """Return the tracer of what each run draws; while it is recorded, nothing is drawn."""
        source = Drawn(generator, draw)
        tracer = self.recorder.input(draw(deepcopy(generator)))
        self.held[id(source)] = source, tracer
        return tracer

    def write(self, place: Held, x: Traced) -> None:
        """Note that each run puts an array at a place."""
        self._new[place.key] = place, x

    def numbers_of(self, tensor: Any) -> Traced:
        """Return the tracer of the numbers that a Tensor has now."""
        return self.recorder.tracer_of(tensor)

    def count(self, part: Any) -> int:
        """Return which step of a part of an optimizer it is in this run, and note it."""
        _, taken = self._steps.get(id(part), (part, 0))
        self._steps[id(part)] = part, taken + 1
        return taken + 1

    def expect(self, holds: Callable[[], bool]) -> None:
        """Note what has to be true in each later call."""
        self.expected.append(holds)

    def keep(self, groups: list[dict[str, Any]]) -> None:
        """Note options that the function must not change: a program would not do it again."""
        if all(known is not groups for known, _ in self._kept):
            self._kept.append((groups, _options(groups)))
            self.undo.append(partial(_reset, groups, _options(groups)))

    def assign(self, tensor: Any, x: Traced) -> None:
        """Note that each run gives a Tensor other numbers."""
        self.recorder.tracer_of(tensor)
        self._data[id(tensor)] = tensor, x
        if tensor._node is not None:
            self._leaves[x._payload] = tensor
            self._assigned[x._payload] = x

    def tracer_of(self, tensor: Any) -> Traced | None:
        """Return what was assigned to a Tensor, ``None`` if nothing was."""
        return self._data.get(id(tensor), (None, None))[1]

    # --- gradients --------------------------------------------------------------------------------

    def note_gradient(self, tensor: Any, clears: bool = False) -> None:
        """Note what the gradient of a Tensor was before the run, and whether it counts."""
        if tensor._node is None:
            return
        self._grads.setdefault(id(tensor), (tensor, tensor._node, tensor._node.grad))
        if clears:
            self._cleared.add(id(tensor))

    def gradient_of(self, tensor: Any) -> Any:
        """Return the gradient that a Tensor has now: of an earlier call it is an input."""
        node = tensor._node
        if node is None or isinstance(node.grad, Tracer) or id(tensor) in self._cleared:
            return None if node is None else node.grad
        if node.grad is None:
            self.expected.append(lambda: node.grad is None)
            return None
        self.expected.append(lambda: node.grad is not None)
        return self.number(Held(node, "grad"))

    def backward(self, y: Any, gradient: Any) -> None:
        """Add the gradients of a result to those of the Tensors that it is computed from."""
        recorder = self.recorder
        for tensor, atom in recorder.arrays.sources():
            if is_tensor(tensor) and tensor._node is not None:
                self._leaves.setdefault(atom, tensor)
        if gradient is None and y.size != 1:
            raise OptionError(
                where="backward()",
                expected="one number, or a gradient to start from",
                got=f"a Tensor of shape {y.shape}",
                fix="Reduce it first, y.sum().backward(), or pass the gradient: y.backward(g).",
            )
        with VJPLevel("backward") as tape:
            leaves, result = self._again(tape, y)
            if not tape.owns(result):
                raise OptionError(
                    where="backward() inside compile",
                    expected="a result that depends on a Tensor with requires_grad=True",
                    got=f"one of shape {y.shape}, which depends on none",
                    fix="Compute it from the parameters, not inside no_grad().",
                )
            seed = _filled(1.0, y) if gradient is None else gradient
            found = tape.gradients([result], [seed], release=True)
        totals: dict[int, tuple[Any, Any]] = {}
        for atom, leaf in leaves.items():
            tensor, g = self._leaves[atom], found.get(leaf._payload)
            g = _filled(0.0, leaf) if g is None else g
            before = totals.get(id(tensor))
            totals[id(tensor)] = tensor, g if before is None else before[1] + g
        for tensor, g in totals.values():
            self._accumulate(tensor, g)

    def _again(self, tape: VJPLevel, y: Any) -> tuple[dict[int, Any], Any]:
        """Compute a result again, on a tape from the leaves on: its equations are there already."""
        recorder = self.recorder
        program = recorder.builder.program([y._payload])
        kept, wanted = needed(program, [y._payload], [*self._leaves])
        leaves = {a: tape.leaf(self._known(a)) for a in self._leaves if wanted[a]}
        env: dict[int, Any] = {**leaves}
        for k in kept:
            equation = program[k]
            if equation.primitive is READ:
                continue
            missing = [a for a in equation.operands if a >= 0 and a not in env]
            env |= {a: self._known(a) for a in missing}
            args = [env[a] if a >= 0 else program.consts[~a] for a in equation.operands]
            found = apply_plainly(equation.primitive, args, equation.params)
            parts = found if type(found) is tuple else (found,)
            env |= zip(equation.results, parts, strict=True)
        return leaves, env.get(y._payload)

    def _known(self, atom: int) -> Traced:
        """Return the tracer of an input, or of what was assigned to a Tensor."""
        assigned = self._assigned.get(atom)
        return self.recorder.known(atom) if assigned is None else assigned

    def _accumulate(self, tensor: Any, g: Any) -> None:
        self.note_gradient(tensor)
        node, at = tensor._node, id(tensor)
        if not isinstance(g, Tracer):  # the same in each run, which makes an array of its own
            g = self.drawn(g, np.copy)
        before = node.grad
        if isinstance(before, Tracer):
            g = before + g
        elif before is not None:
            g = self.array(Held(node, "grad")) + g
            self.expected.append(lambda: node.grad is not None)
        elif at not in self._cleared:
            self.expected.append(lambda: node.grad is None)
        node.grad = g

    # --- the end ----------------------------------------------------------------------------------

    def restore(self) -> None:
        """Give the Tensors back the gradients that they had."""
        for _, node, before in self._grads.values():
            node.grad = before

    def fail(self) -> None:
        """Give optimizers and Tensors back what they had, after an error in the function."""
        for undo in reversed(self.undo):
            undo()
        for tensor, node, _ in self._grads.values():
            tensor._node = node
        self.recorder.arrays.fail()

    def found(self) -> list[Update]:
        """Return what is written after each run; call it before `restore`."""
        updates = [Update(Held(t, "_data"), self._atom(x)) for t, x in self._data.values()]
        updates += [Update(place, self._atom(x)) for place, x in self._new.values()]
        self.afterwards += [partial(_advance, part, n) for part, n in self._steps.values()]
        if any(_options(groups) != before for groups, before in self._kept):
            raise _schedule()
        for tensor, node, before in self._grads.values():
            now = node.grad
            if isinstance(now, Tracer):
                updates.append(Update(Held(node, "grad"), self._atom(now)))
            elif now is None and id(tensor) in self._cleared:
                updates.append(Update(Held(node, "grad"), None))
            elif now is not before:
                raise changed(tensor)
        self.owned += [found[0] for found in (*self._data.values(), *self._grads.values())]
        return updates

    def _atom(self, x: Any) -> int:
        return self.recorder.arrays.output(x)  # type: ignore[no-any-return]


def _advance(part: Any, steps: int) -> None:
    part.steps += steps


def _options(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: x for k, x in group.items() if k != "params"} for group in groups]


def _reset(groups: list[dict[str, Any]], before: list[dict[str, Any]]) -> None:
    for group, options in zip(groups, before, strict=True):
        for name in [name for name in group if name != "params" and name not in options]:
            del group[name]
        group.update(options)


def _schedule() -> InPlaceError:
    return InPlaceError(
        where="compile",
        expected="a function that leaves the options of the optimizer as they are",
        got="one that changes them, as a scheduler does: its program would not do it again",
        fix="Call scheduler.step() after the compiled function.",
    )


def _filled(number: float, like: Any) -> Any:
    return np.full(like.shape, number, like.dtype)


def changed(tensor: Any) -> InPlaceError:
    """Return the error for a gradient that something else than a pass has set."""
    return InPlaceError(
        where="compile",
        expected="gradients that backward() computes and zero_grad() clears",
        got=f"an array that f writes into the grad of a Tensor of shape {tensor.shape}",
        fix="Compute the new gradient from Tensors, or write it after the call of f.",
    )
