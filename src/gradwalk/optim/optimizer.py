"""`Optimizer`, the base of optimizers: parameter groups, state, and state dicts."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar, overload

from ..core.calls import checked_init, expect_function
from ..core.carrier import TensorLike, is_tensor
from ..core.expect import describe
from ..engine.value import Value
from ..errors import OptionError, SizeError, StateDictError
from ..levels.programs import assigns, recorder
from .checks import (
    as_list,
    check_leaf,
    check_range,
    expect_no_program,
    floats,
    note_owner,
    numbers,
    warn_of_missing,
    warn_without_gradients,
)
from .groups import Group
from .state import State, count, known
from .updates import UPDATES, clear_gradients, update

if TYPE_CHECKING:
    from .packs import Pack, Packs

__all__ = ["Optimizer", "Parameters", "State"]

Parameters: TypeAlias = Iterable[Value | TensorLike] | Iterable[Mapping[str, Any]]
"""Parameters, or groups: dicts with ``"params"`` and options of any types."""

T = TypeVar("T")


class Optimizer:
    """The base of optimizers: ``zero_grad()``, ``step()``, ``param_groups`` and state dicts.

    ``param_groups`` is the list of groups, dicts with ``"params"`` and all options, which may be
    changed between steps, as schedulers do with ``"lr"``. A step changes neither a Tensor without a
    gradient (``None``) nor its state. Subclasses define the ranges of their options in ``_ranges``,
    and choose the rule of `UPDATES` for a step in ``_plan``.

    Parameters
    ----------
    params
        Values and Tensors that are leaves, or dicts with ``"params"`` and options that differ
        from the defaults, a group of parameters each.
    defaults
        The options by name, for groups without their own.

    Raises
    ------
    OptionError
        If ``defaults`` is no dict, an option is unknown or outside of its range, or a parameter
        is no leaf, of integers, given twice, or there is none.
    NotANumberError
        If ``params`` is no list of Values and Tensors.

    See Also
    --------
    SGD, Adam, LBFGS
    """

    _ranges: ClassVar[Mapping[str, tuple[float, float]]] = {}

    def __init_subclass__(cls) -> None:
        if cls.__module__.startswith("gradwalk.") and "__init__" in vars(cls):
            setattr(cls, "__init__", checked_init(cls.__init__))  # noqa: B010  (mypy)

    def __init__(self, params: Parameters, defaults: dict[str, Any]) -> None:
        if not isinstance(defaults, Mapping):
            raise OptionError(
                where=f"{type(self).__name__}(defaults)",
                expected="a dict of options",
                got=describe(defaults),
                fix="Use one of the optimizers, such as gradwalk.optim.Adam(model.parameters()).",
            )
        expect_no_program(
            f"{type(self).__name__}(params)",
            expected="an optimizer that was created before: its state lasts from call to call",
            got="a new one",
            fix="Create it outside the compiled function, and pass it as an argument.",
        )
        self.defaults = defaults
        self._taken = 0
        self.param_groups: list[dict[str, Any]] = []
        self._states: list[State] = []
        self._packs: list[Packs | None] = []  # of the groups that have Tensors
        groups = as_list(params, type(self).__name__)
        if not groups or not isinstance(groups[0], dict):
            groups = [{"params": params if getattr(params, "owner", None) else groups}]
        for group in groups:
            self.add_param_group(group)

    def __setattr__(self, name: str, value: object) -> None:
        if name in vars(self).get("defaults", ()):
            raise OptionError(
                where=f"{type(self).__name__}.{name}",
                expected="options in the groups, because an attribute would change nothing",
                got=f"{name} = {describe(value)}",
                fix=f'Write optimizer.param_groups[0]["{name}"] = value.',
            )
        if name == "param_groups":
            expect_no_program(f"{type(self).__name__}.param_groups = ...")
        assigns(self, name)
        object.__setattr__(self, name, value)

    def add_param_group(self, group: Mapping[str, Any]) -> None:
        """Add a group of parameters.

        Parameters
        ----------
        group
            A dict with ``"params"``, and options that differ from the defaults.

        Raises
        ------
        OptionError
            If ``group`` is no dict with ``"params"`` and known options in their ranges, or a
            parameter is no leaf or has a group already.
        NotANumberError
            If the parameters are no list of Values and Tensors.
        """
        where = type(self).__name__
        expect_no_program(f"{where}.add_param_group(group)")
        if not isinstance(group, Mapping):
            raise OptionError(
                where=f"{where}.add_param_group(group)",
                expected="a dict with params",
                got=describe(group),
                fix='Write optimizer.add_param_group({"params": model.parameters()}).',
            )
        unknown = [name for name in group if name != "params" and name not in self.defaults]
        if unknown or "params" not in group:
            raise OptionError(
                where=f"{where}(params)",
                expected=f"groups with params and options among {', '.join(self.defaults)}",
                got=f"a group with {', '.join(map(str, group)) or 'nothing'}",
                fix="Check the spelling of the options.",
            )
        complete = Group({**self.defaults, **group})
        complete["params"] = self._expect_params(as_list(group["params"], where))
        self._check_options(complete)
        note_owner(self, group["params"])
        self.param_groups.append(complete)
        self._states.append(State())
        self._packs.append(_packs(complete["params"]))

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset all gradients: to 0.0 for Values, to ``None`` for Tensors.

        Parameters
        ----------
        set_to_none
            Whether the gradients of Tensors become ``None``, instead of zeros.
        """
        for group, packs in zip(self.param_groups, self._packs, strict=True):
            if packs is not None:
                packs.clear(set_to_none)
            clear_gradients(group["params"] if packs is None else packs.values)

    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], T]) -> T: ...
    def step(self, closure: Callable[[], T] | None = None) -> T | None:
        """Update every parameter once, by its gradient.

        Parameters
        ----------
        closure
            Called first, if given: it computes the loss again, calls ``backward()`` and returns
            the loss, which ``step`` returns.

        Raises
        ------
        OptionError
            If ``closure`` is no function.
        SizeError
            If a group has got other parameters than in the step before.
        """
        if closure is not None:
            expect_function(closure, f"{type(self).__name__}.step(closure)")
        loss = closure() if closure is not None else None
        if (program := recorder()) is not None:
            self._record(program)
            return loss
        for group, state, packs in zip(self.param_groups, self._states, self._packs, strict=True):
            values = group["params"]
            if packs is not None:
                self._check_count(packs.count, len(values))
                packs.step(partial(self._plan, group), self._start(group))
                values = packs.values
            if values or packs is None:
                self._step_values(group, values, state)
        self._finish_step()
        return loss

    def _record(self, program: Any) -> None:
        """Write a step down in the program of `compile`."""
        if any(packs is None or packs.values for packs in self._packs):
            raise OptionError(
                where=f"{type(self).__name__}.step inside compile",
                expected="parameters that are Tensors",
                got="Values",
                fix="Take the step after the compiled function.",
            )
        updates = program.updates
        program.expect_groups()
        for group, packs in zip(self.param_groups, self._packs, strict=True):
            assert packs is not None
            packs.record(updates, partial(self._plan, group), self._start(group))
        known = [*self._packs]
        updates.expect(lambda: known == self._packs)
        updates.afterwards.append(self._finish_step)

    def _finish_step(self) -> None:
        self._taken += 1
        if not self._taken & (self._taken - 1):  # steps 1, 2, 4, 8: most steps cost nothing
            warn_of_missing(self)
        if self._taken == 1:
            warn_without_gradients(type(self).__name__, self.param_groups)

    def _step_values(self, group: dict[str, Any], values: list[Value], state: State) -> None:
        state.steps += 1
        name, hyper = self._plan(group, state)
        slots = self._slots(group, state, values, len(UPDATES[name].state))
        update(name, values, slots, floats(hyper))

    def _plan(self, group: dict[str, Any], state: State) -> tuple[str, tuple[float, ...]]:
        """Return the name of the rule for this step, and its hyperparameters in order."""
        raise NotImplementedError

    def _start(self, group: dict[str, Any]) -> float:
        """Return the initial value of all state."""
        return 0.0

    def _slots(
        self, group: dict[str, Any], state: State, values: list[Value], count: int
    ) -> list[array[float]]:
        """Return the first ``count`` arrays of state. Create them when they are first needed."""
        if not state.fits(len(values)):
            self._check_count(len(state.slots[0]), len(values))
        while len(state.slots) < count:
            state.slots.append(array("d", [self._start(group)]) * len(values))
        return state.slots[:count]

    def _check_count(self, before: int, now: int) -> None:
        if now != before:
            raise SizeError(
                where=f"{type(self).__name__}.step",
                expected=f"the {before} parameters of the step before",
                got=f"{now}",
                fix="Add parameters by add_param_group.",
            )

    # --- saving and loading --------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return options and state as plain numbers and lists, ready for JSON, without parameters.

        Groups with Tensors also have ``"tensors"``: steps and state of each Tensor, as arrays.

        Examples
        --------
        >>> from gradwalk.optim import SGD
        >>> SGD([Value(1.0)], lr=0.5).state_dict()["state"]
        [{'steps': 0, 'slots': []}]
        """
        expect_no_program(
            f"{type(self).__name__}.state_dict()",
            expected="a function that asks for no numbers of the optimizer's state",
            got="one that does: they are known after each run",
            fix="Call optimizer.state_dict() after the compiled function.",
        )
        state: list[dict[str, Any]] = [
            {"steps": s.steps, "slots": [list(x) for x in s.slots]} for s in self._states
        ]
        for saved, packs in zip(state, self._packs, strict=True):
            if packs is not None:
                saved["tensors"] = packs.saved()
        groups = [{**group, "params": len(group["params"])} for group in self.param_groups]
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restore what `state_dict` saved, but not the parameters.

        Parameters
        ----------
        state_dict
            The options and the state of an optimizer of the same class over equally many
            parameters.

        Raises
        ------
        StateDictError
            If it is of other groups or parameters; then nothing has changed.
        """
        expect_no_program(f"{type(self).__name__}.load_state_dict(state_dict)")
        sizes = [len(group["params"]) for group in self.param_groups]
        try:
            groups = [dict(group) for group in state_dict["param_groups"]]
            saved = [group.pop("params") for group in groups]
            groups = [*map(known, groups, self.param_groups)]
            for group, options in zip(self.param_groups, groups, strict=True):
                self._check_options({**group, **options})
            states = [
                State(count(s["steps"]), [array("d", slot) for slot in s["slots"]])
                for s in state_dict["state"]
            ]
            tensors = self._restored(state_dict["state"]) if saved == sizes else []
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            got = error.got if isinstance(error, OptionError) else describe(state_dict)
            raise self._wrong_state(sizes, got) from error
        fits = saved == sizes and len(states) == len(sizes)
        if not fits or not all(map(State.fits, states, self._value_counts())):
            raise self._wrong_state(sizes, f"groups of {saved} parameters")
        for group, options in zip(self.param_groups, groups, strict=True):
            group.update(options)
        self._states = states
        for packs, restored in tensors:
            packs.packs = restored

    def _restored(self, saved: list[Mapping[str, Any]]) -> list[tuple[Packs, list[Pack]]]:
        """Return the groups with Tensors, and the packs that will replace theirs."""
        pairs = zip(self._packs, saved, strict=True)
        return [(packs, packs.restored(s["tensors"])) for packs, s in pairs if packs is not None]

    def _value_counts(self) -> list[int]:
        pairs = zip(self.param_groups, self._packs, strict=True)
        return [len(g["params"]) if packs is None else len(packs.values) for g, packs in pairs]

    def _wrong_state(self, sizes: list[int], got: str) -> StateDictError:
        return StateDictError(
            where=f"{type(self).__name__}.load_state_dict",
            expected=f"the state of groups of {sizes} parameters with options of this class",
            got=got,
            fix="Load what state_dict() of an optimizer over equally many parameters returned.",
        )

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={self.param_groups[0][name]!r}" for name in self.defaults)
        count = sum(len(group["params"]) for group in self.param_groups)
        return f"{type(self).__name__}({count} parameters, {options})"

    # --- checks --------------------------------------------------------------------------------

    def _expect_params(self, params: list[Any]) -> list[Any]:
        where = f"{type(self).__name__}(params)"
        if not params:
            raise OptionError(
                where=where,
                expected="at least one parameter",
                got="an empty list",
                fix="Pass model.parameters().",
            )
        seen = {id(p) for group in self.param_groups for p in group["params"]}
        for index, parameter in enumerate(params):
            check_leaf(f"{where}[{index}]", parameter)
            if id(parameter) in seen:
                raise OptionError(
                    where=f"{where}[{index}]",
                    expected="each parameter once",
                    got=f"{describe(parameter)} a second time",
                    fix="Remove the repetition: it would be updated twice in each step.",
                )
            seen.add(id(parameter))
        return params

    def _check_options(self, options: dict[str, Any]) -> None:
        for name, (low, high) in self._ranges.items():
            for number in numbers(options[name], f"{type(self).__name__}({name}=...)"):
                check_range(self, name, number, low, high)


def _packs(params: list[Any]) -> Packs | None:
    """Return the Tensors among the parameters, packed. ``None``: there are none."""
    if not any(map(is_tensor, params)):
        return None  # and NumPy is not loaded
    from .packs import Packs

    return Packs(params, [p for p in params if not is_tensor(p)])
