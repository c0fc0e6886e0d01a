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

from ...core.backend import arrays
from ...core.carrier import is_tensor
from ...errors import OptionError
from ...levels.level import Tracer
from ...levels.vjp import VJPLevel
from ...ops.array.facts import plain
from ..builder import READ
from ..outside.steps import same_atom
from ..program import apply_plainly, needed
from .conditions import Reading, Traced

__all__ = ["Held", "Update", "Updates"]


class Held:
    """A place of an array or a number that is no Tensor: an attribute, or a part of one."""

    __slots__ = ("at", "name", "owner")
    owner: Any
    name: str
    at: Any

    def __init__(self, owner: object, name: str, at: Any = None) -> None:
        self.owner, self.name, self.at = owner, name, at

    @property
    def key(self) -> tuple[int, str, Any]:
        """What is the same for the same place."""
        return id(self.owner), self.name, self.at

    @property
    def data(self) -> Any:
        """What is there now."""
        found = getattr(self.owner, self.name) if self.name else self.owner
        return found if self.at is None else found[self.at]


class GradientOf:
    """The place of the gradient of a Tensor, whose node may be another one in each call."""

    __slots__ = ("tensor",)
    tensor: Any

    def __init__(self, tensor: object) -> None:
        self.tensor = tensor

    @property
    def grad(self) -> Any:
        """The gradient that is there now."""
        node = self.tensor._node
        return None if node is None else node.grad

    @grad.setter
    def grad(self, gradient: Any) -> None:
        self.tensor._node.grad = gradient

    def is_there(self) -> bool:
        """Return whether there is a gradient."""
        return self.grad is not None

    def is_empty(self) -> bool:
        """Return whether there is none."""
        return self.grad is None


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
        self._data: dict[int, tuple[Any, Traced]] = {}
        self._leaves: dict[int, Any] = {}  # atoms, of the Tensors that they are the numbers of
        self._assigned: dict[int, Traced] = {}  # such atoms that the function has computed
        self.undo: list[Callable[[], None]] = []  # if the function fails
        self._grads: dict[int, tuple[Any, Any, Any]] = {}  # with nodes, and gradients before
        self._cleared = set[int]()
        self._places: dict[int, GradientOf] = {}
        self._flags: dict[int, tuple[Any, Any]] = {}  # Tensors that were frozen, and their nodes
        self.flags: list[tuple[Any, bool]] = []  # what each run leaves behind of that

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

    def constant(self, array: Any) -> Traced:
        """Return the tracer of an array that is the same in each run, which makes a new one."""
        source = Drawn(array, _copied)
        tracer = self.recorder.input(array.copy())
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

    def option(self, group: Any, name: str, x: Any) -> Any:
        """Return an option of an optimizer that the function reads."""
        if type(x) is float:
            return Reading.of(self.number(Held(group, "", name)))
        self.expect(lambda: same_atom(group.get(name), x))
        return x

    def note_label(self, tensor: object, text: str) -> None:
        """Note that each run gives a Tensor a label."""
        self.afterwards.append(partial(_label, tensor, text))

    def assign(self, tensor: Any, x: Traced) -> None:
        """Note that each run gives a Tensor other numbers."""
        self.recorder.tracer_of(tensor)
        self.recorder.arrays.starts_at(x)
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

    def note_flag(self, tensor: Any) -> None:
        """Note that a Tensor is frozen or trained from now on, which resets its gradient."""
        self._flags.setdefault(id(tensor), (tensor, tensor._node))
        self.note_gradient(tensor)
        self._cleared.add(id(tensor))

    def is_frozen(self, tensor: Any) -> bool:
        """Return whether the function has frozen a Tensor, through which no gradient flows now."""
        return id(tensor) in self._flags and tensor._node is None

    def gradient_of(self, tensor: Any) -> Any:
        """Return the gradient that a Tensor has now: of an earlier call it is an input."""
        node, place = tensor._node, self._gradient(tensor)
        now = None if node is None else node.grad
        if isinstance(now, Tracer):
            node.grad = _as_array(now)
        elif node is not None and id(tensor) not in self._cleared:
            self.expected.append(place.is_empty if now is None else place.is_there)
            if now is not None:
                self.note_gradient(tensor)
                node.grad = _as_array(self.number(Held(place, "grad")))
        return None if node is None else node.grad

    def _gradient(self, tensor: object) -> GradientOf:
        return self._places.setdefault(id(tensor), GradientOf(tensor))

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
        trained = [a for a, tensor in self._leaves.items() if tensor._node is not None]
        kept, wanted = needed(program, [y._payload], trained)
        reached = _reached(program, kept, y._payload)
        leaves = {a: tape.leaf(self._known(a)) for a in trained if wanted[a] and a in reached}
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
        node, place = tensor._node, self._gradient(tensor)
        g = g if isinstance(g, Tracer) else self.constant(g)
        before = node.grad
        if isinstance(before, Tracer) or (before is not None and id(tensor) in self._cleared):
            g = before + g
        elif before is not None:
            g = self.number(Held(place, "grad")) + g
            self.expected.append(place.is_there)
        elif id(tensor) not in self._cleared:
            self.expected.append(place.is_empty)
        node.grad = g

    # --- the end ----------------------------------------------------------------------------------

    def restore(self) -> None:
        """Give the Tensors back the nodes and the gradients that they had."""
        for _, node, before in self._grads.values():
            node.grad = before
        for tensor, node in self._flags.values():
            tensor._node = node

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
        for tensor, before in self._flags.values():
            if (tensor._node is None) != (before is None):
                self.flags.append((tensor, tensor._node is not None))
        for tensor, _, before in self._grads.values():
            if tensor._node is not None:
                updates += self._gradient_update(tensor, before)
        changed = (*self._data.values(), *self._grads.values(), *self._flags.values())
        self.owned += [tensor for tensor, *_ in changed]
        return updates

    def _gradient_update(self, tensor: Any, before: Any) -> list[Update]:
        """Return how each run changes the gradient of a Tensor."""
        place, now = Held(self._gradient(tensor), "grad"), tensor._node.grad
        if now is None:
            return [Update(place, None)] if id(tensor) in self._cleared else []
        if now is before:
            return []
        x = now if isinstance(now, Tracer) else self.constant(now)
        given = self.held.get(place.key)
        same = given is not None and given[1]._payload == x._payload
        return [] if same else [Update(place, self._atom(x))]

    def _atom(self, x: Any) -> int:
        return self.recorder.arrays.output(x)  # type: ignore[no-any-return]


def _label(tensor: object, text: str) -> None:
    if not isinstance(tensor, Tracer):  # what the function has made is its own
        setattr(tensor, "label", text)  # noqa: B010  (mypy)


def _advance(part: Any, steps: int) -> None:
    part.steps += steps


def _reached(program: Any, kept: list[int], result: int) -> set[int]:
    """Return the atoms to which gradients of a result flow."""
    found = {result}
    for k in reversed(kept):
        equation = program[k]
        if equation.primitive is not plain and not found.isdisjoint(equation.results):
            found.update(equation.operands)
    return found


def _copied(array: Any) -> Any:
    return array.copy()


def _as_array(tracer: Any) -> Any:
    """Return a tracer as that of an array, which a gradient is in a plain call."""
    kind = arrays().PlainArray
    as_it_is = type(tracer) is kind or tracer._level.records_program is False
    return tracer if as_it_is else kind(tracer._level, tracer._primal, tracer._payload)


def _filled(number: float, like: Any) -> Any:
    return np.full(like.shape, number, like.dtype)
