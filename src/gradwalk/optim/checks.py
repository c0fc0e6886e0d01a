"""Checks of the parameters and options of optimizers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import Any
from weakref import WeakKeyDictionary, ref

from ..causes.cuts import cut_of_backward
from ..causes.source import erased_since_backward
from ..core.carrier import Carrier, is_tensor
from ..core.expect import as_float, describe
from ..core.places import caller, warn_user
from ..engine.value import Value
from ..errors import CutGraphWarning, InPlaceError, NotANumberError, OptionError
from ..levels.programs import recorder

__all__ = ["note_owner", "warn_of_missing", "warn_without_gradients"]
__all__ += ["as_list", "check_leaf", "check_range", "expect_no_program", "floats"]
__all__ += ["loss_number", "numbers"]


def expect_no_program(
    where: str,
    expected: str = "a function that leaves the options of the optimizer as they are",
    got: str = "one that changes them: its program would not do it again",
    fix: str = "Do it after the call of the compiled function, which reads the options each time.",
) -> None:
    """Raise `InPlaceError` inside of `compile`, whose program would not do it again."""
    if (program := recorder()) is not None:
        raise InPlaceError(
            where=f"{where} inside compile, {program.line()}", expected=expected, got=got, fix=fix
        )


def as_list(params: object, where: str) -> list[Any]:
    """Return the parameters as a list. Raise `NotANumberError` for anything else."""
    if isinstance(params, Iterable) and not isinstance(params, (str, Mapping, Carrier)):
        return list(params)
    raise NotANumberError(
        where=f"{where}(params)",
        expected="a list of Values and Tensors, or of groups",
        got=describe(params),
        fix="Pass model.parameters(), or [x, y] for single ones.",
    )


def loss_number(loss: Any, where: str) -> float:
    """Return a loss (a number, a Value or a Tensor of one number) as a float."""
    if is_tensor(loss) and loss.size == 1:
        return float(loss.detach().item())
    return as_float(loss.data if isinstance(loss, Value) else loss, where)


def check_leaf(where: str, parameter: Any) -> None:
    """Raise an error for what a step cannot change."""
    tensor = is_tensor(parameter)
    if not tensor and not isinstance(parameter, Value):
        raise NotANumberError(
            where=where,
            expected="a Value or a Tensor",
            got=describe(parameter),
            fix="Pass model.parameters(), or Values and Tensors of your own.",
        )
    primitive = (parameter._node and parameter._node._primitive) if tensor else parameter._primitive
    if primitive is not None:
        raise OptionError(
            where=where,
            expected="a leaf, which a step can change",
            got=f"{describe(parameter)}, the result of {parameter.op or 'a constant'}",
            fix="Pass what it was computed from, or parameter.detach().",
        )
    if tensor and parameter.dtype.kind != "f":
        raise OptionError(
            where=where,
            expected="a Tensor of a floating dtype",
            got=f"dtype {parameter.dtype}",
            fix="Write Tensor(data, dtype=float, requires_grad=True).",
        )


def floats(options: Iterable[Any]) -> tuple[float, ...]:
    """Return options as floats. Raise `NotANumberError` if a group was given something else."""
    try:
        return tuple(map(float, options))  # in each step: `as_float` would be slower
    except (TypeError, ValueError):
        return tuple([as_float(option, "an option in param_groups") for option in options])


def numbers(option: object, where: str) -> list[float]:
    """Return the numbers in an option: one, or a tuple of them."""
    members = option if isinstance(option, (tuple, list)) else [option]
    return [as_float(member, where) for member in members]


def _default(cls: type, option: str) -> object:
    from inspect import signature

    return signature(cls).parameters[option].default


def check_range(optimizer: object, name: str, number: float, low: float, high: float) -> None:
    """Raise `OptionError` for a number outside of its range."""
    if low <= number < high:  # False for a NaN, and for an infinity even if high is infinite
        return
    span = f"a finite number >= {low:g}" if high == inf else f"{low:g} <= {name} < {high:g}"
    raise OptionError(
        where=f"{type(optimizer).__name__}({name}=...)",
        expected=span,
        got=describe(number),
        fix=f"Leave it out for {name}={_default(type(optimizer), name)!r}.",
    )


def warn_without_gradients(name: str, groups: Iterable[Mapping[str, Any]]) -> None:
    """Warn in the first step if no parameter has a gradient other than 0, or any at all.

    Gradients that are arrays of zeros are no reason: a pass has reached them.
    """
    parameters = [p for group in groups for p in group["params"]]
    decays = any(group.get("weight_decay") for group in groups)  # it changes Values without one
    if any(p.grad is not None if is_tensor(p) else p.grad or decays for p in parameters):
        return
    erased = erased_since_backward(caller())
    if erased:
        warn_user(
            CutGraphWarning(
                where=f"{name}.step",
                expected="the gradients of the last backward()",
                got=f"none in the first step: {erased} has erased them",
                fix="Call it before backward(), or after the step.",
            )
        )
        return
    cut = cut_of_backward(caller())
    told = f"; the graph was probably cut by {cut.told}" if cut is not None else ""
    warn_user(
        CutGraphWarning(
            where=f"{name}.step",
            expected="gradients",
            got=f"none in the first step, in {len(parameters)} parameters{told}",
            fix=f"{cut.fix}."
            if cut is not None
            else "Call loss.backward() before the step, with "
            "a loss that is computed from these parameters.",
        )
    )


_OWNERS: WeakKeyDictionary[Any, list[ref[Any]]] = WeakKeyDictionary()
"""Every optimizer, with the modules whose ``parameters()`` it was given."""


def note_owner(optimizer: Any, params: object) -> None:
    """Store the module whose ``parameters()`` an optimizer is given, for `warn_of_missing`."""
    owner = getattr(params, "owner", None)
    owners = _OWNERS.setdefault(optimizer, [])
    owners += [] if owner is None else [ref(owner)]


def warn_of_missing(optimizer: Any) -> None:
    """Warn once if a module has gradients for parameters that no optimizer updates.

    Such parameters were added to the module after ``optimizer`` was made.
    """
    models = [model for owner in _OWNERS.get(optimizer, ()) if (model := owner()) is not None]
    missing = dict(_missing(models, [optimizer]))
    if missing:  # rare: only now are the parameters of all optimizers needed
        missing = dict(_missing(models, [*_OWNERS]))
    if not missing:
        return
    _OWNERS[optimizer] = []
    names = ", ".join([*missing][:3]) + (", ..." if len(missing) > 3 else "")
    warn_user(
        CutGraphWarning(
            where=f"{type(optimizer).__name__}.step",
            expected="every parameter of the model in an optimizer",
            got=f"{len(missing)} with a gradient in none: {names}, added after the optimizer "
            "was made, and never updated",
            fix="Make the optimizer after the last layer, or call optimizer.add_param_group("
            '{"params": layer.parameters()}).',
        )
    )


def _missing(models: list[Any], optimizers: list[Any]) -> Iterable[tuple[str, Any]]:
    updated = {id(p) for o in optimizers for group in o.param_groups for p in group["params"]}
    for model in models:
        for name, p in model.named_parameters():
            reached = p.grad is not None if is_tensor(p) else p.grad
            if reached and id(p) not in updated and getattr(p, "requires_grad", True):
                yield name, p
