"""`Optimizer`: parameter groups, state and its saving; what all optimizers share."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar

from ..errors import NotANumberError, OptionError, SizeError, StateDictError
from ..expect import as_float, describe
from ..value import Value
from .updates import UPDATES, update

__all__ = ["Optimizer", "State"]


@dataclass
class State:
    """What an optimizer remembers about one group: steps taken, and arrays of numbers."""

    steps: int = 0
    slots: list[array[float]] = field(default_factory=list)

    def fits(self, size: int) -> bool:
        """Whether every array has one number for each of ``size`` parameters."""
        return all(len(slot) == size for slot in self.slots)


class Optimizer:
    """Base of all optimizers: ``zero_grad()``, ``step()``, ``param_groups`` and state dicts.

    ``params`` is a list of Values (leaves), or a list of dicts with ``"params"`` and options that
    differ from the defaults. ``param_groups`` is the list of such dicts, completed; options may
    be changed between steps, as schedulers do with ``"lr"``.

    A subclass says in ``_ranges`` which numbers its options may be and in ``_plan`` which rule of
    `UPDATES` a step applies.
    """

    _ranges: ClassVar[Mapping[str, tuple[float, float]]] = {}

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self.param_groups: list[dict[str, Any]] = []
        self._states: list[State] = []
        groups = _as_list(params, type(self).__name__)
        if not groups or not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, group: Mapping[str, Any]) -> None:
        """Optimize more parameters, with options of their own where ``group`` has some."""
        where = type(self).__name__
        unknown = [name for name in group if name != "params" and name not in self.defaults]
        if unknown or "params" not in group:
            raise OptionError(
                where=f"{where}(params)",
                expected=f"groups with params and options among {', '.join(self.defaults)}",
                got=f"a group with {', '.join(map(str, group)) or 'nothing'}",
                fix="Check the spelling of the options.",
            )
        complete = {**self.defaults, **group}
        complete["params"] = self._checked_params(_as_list(group["params"], where))
        self._check_options(complete)
        self.param_groups.append(complete)
        self._states.append(State())

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradient of every parameter to 0.0, whatever PyTorch's ``set_to_none`` says."""
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.grad = 0.0

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter by its gradient, once.

        ``closure``, if there is one, is called before: it computes the loss anew, walks it
        backward and returns it, and so does ``step``.
        """
        loss = closure() if closure is not None else None
        for group, state in zip(self.param_groups, self._states, strict=True):
            state.steps += 1
            name, hyper = self._plan(group, state)
            slots = self._slots(group, state, len(UPDATES[name].state))
            update(name, group["params"], slots, tuple(map(float, hyper)))
        return loss

    def _plan(self, group: dict[str, Any], state: State) -> tuple[str, tuple[float, ...]]:
        """The name of the rule for this step, and its hyperparameters in order."""
        raise NotImplementedError

    def _start(self, group: dict[str, Any]) -> float:
        """What every state number is before the first step."""
        return 0.0

    def _slots(self, group: dict[str, Any], state: State, count: int) -> list[array[float]]:
        """The first ``count`` arrays of state, made when they are first needed."""
        size = len(group["params"])
        if not state.fits(size):
            raise SizeError(
                where=f"{type(self).__name__}.step",
                expected=f"the {len(state.slots[0])} parameters of the step before",
                got=f"{size}",
                fix="Add parameters by add_param_group.",
            )
        while len(state.slots) < count:
            state.slots.append(array("d", [self._start(group)]) * size)
        return state.slots[:count]

    # --- saving and loading --------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Options and state as plain numbers and lists, ready for JSON; no parameters.

        >>> from gradwalk.optim import SGD
        >>> SGD([Value(1.0)], lr=0.5).state_dict()["state"]
        [{'steps': 0, 'slots': []}]
        """
        state = [{"steps": s.steps, "slots": [list(x) for x in s.slots]} for s in self._states]
        groups = [{**group, "params": len(group["params"])} for group in self.param_groups]
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Continue from what `state_dict` saved; the parameters themselves stay as they are.

        A state dict of other groups or parameters is a `StateDictError`, and changes nothing.
        """
        sizes = [len(group["params"]) for group in self.param_groups]
        try:
            groups = [dict(group) for group in state_dict["param_groups"]]
            saved = [group.pop("params") for group in groups]
            states = [
                State(int(s["steps"]), [array("d", slot) for slot in s["slots"]])
                for s in state_dict["state"]
            ]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._wrong_state(sizes, f"something else ({error!r})") from error
        fits = saved == sizes and len(states) == len(sizes)
        if not fits or not all(map(State.fits, states, sizes)):
            raise self._wrong_state(sizes, f"groups of {saved} parameters")
        for group, options in zip(self.param_groups, groups, strict=True):
            group.update(options)
        self._states = states

    def _wrong_state(self, sizes: list[int], got: str) -> StateDictError:
        return StateDictError(
            where=f"{type(self).__name__}.load_state_dict",
            expected=f"the state of groups of {sizes} parameters",
            got=got,
            fix="Load what state_dict() of an optimizer over equally many parameters returned.",
        )

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={self.param_groups[0][name]!r}" for name in self.defaults)
        count = sum(len(group["params"]) for group in self.param_groups)
        return f"{type(self).__name__}({count} parameters, {options})"

    # --- checks --------------------------------------------------------------------------------

    def _checked_params(self, params: list[Any]) -> list[Value]:
        where = f"{type(self).__name__}(params)"
        if not params:
            raise OptionError(
                where=where,
                expected="at least one parameter",
                got="an empty list",
                fix="Pass model.parameters().",
            )
        known = {id(p) for group in self.param_groups for p in group["params"]}
        for index, parameter in enumerate(params):
            _check_leaf(f"{where}[{index}]", parameter)
            if id(parameter) in known:
                raise OptionError(
                    where=f"{where}[{index}]",
                    expected="each parameter once",
                    got=f"{describe(parameter)} a second time",
                    fix="Leave the repetition out; it would be updated twice in each step.",
                )
            known.add(id(parameter))
        return params

    def _check_options(self, options: dict[str, Any]) -> None:
        for name, (low, high) in self._ranges.items():
            for number in _numbers(options[name], f"{type(self).__name__}({name}=...)"):
                _check_range(type(self).__name__, name, number, low, high)


def _as_list(params: Any, where: str) -> list[Any]:
    if isinstance(params, Iterable) and not isinstance(params, (str, Mapping)):
        return list(params)
    raise NotANumberError(
        where=f"{where}(params)",
        expected="a list of Values or of groups",
        got=describe(params),
        fix="Pass model.parameters(), or [x, y] for single Values.",
    )


def _check_leaf(where: str, parameter: Any) -> None:
    if not isinstance(parameter, Value):
        raise NotANumberError(
            where=where,
            expected="a Value",
            got=describe(parameter),
            fix="Pass model.parameters(), or Values of your own.",
        )
    if parameter._row is not None:
        raise OptionError(
            where=where,
            expected="a leaf, which a step can change",
            got=f"{describe(parameter)}, the result of {parameter.op or 'a constant'}",
            fix="Pass the Values that it was computed from, or parameter.detach().",
        )


def _numbers(option: Any, where: str) -> list[float]:
    members = option if isinstance(option, (tuple, list)) else [option]
    return [as_float(member, where) for member in members]


def _check_range(where: str, name: str, number: float, low: float, high: float) -> None:
    if low <= number < high:  # a NaN lies in no range, and an infinity in none that we have
        return
    span = f"a finite number from {low:g} on" if high == inf else f"{low:g} <= {name} < {high:g}"
    raise OptionError(
        where=f"{where}({name}=...)",
        expected=span,
        got=describe(number),
        fix="See the manual page of the optimizer for the usual value.",
    )
