"""State dicts: the saved form of a module, and the checks before it is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...core.expect import describe
from ...engine.value import Value, number
from ...errors import NotANumberError, StateDictError
from ...levels.programs import writes

__all__ = ["StateDictReport", "entries", "load", "recast", "saved_form", "untied"]

_LISTED = 20  # names of one kind in an error message


class StateDictReport(NamedTuple):
    """The names that `Module.load_state_dict` skipped with ``strict=False``."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class Found(NamedTuple):
    """The entries that fit, and the names that do not."""

    entries: dict[str, Any]
    report: StateDictReport


def saved_form(part: Any) -> Any:
    """Return a float for a Value, and a new array for a Tensor."""
    return part.data if isinstance(part, Value) else part.numpy()


def load(state: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Write the entries into the parameters, which stay the same objects."""
    for name, entry in found.items():
        held: Any = getattr(state[name], "_data", None)  # an array of another library has a place
        state[name].data = held.beside(entry) if hasattr(held, "beside") else entry


def untied(module: Any, members: Any, state: Mapping[str, Any], state_dict: Any) -> Any:
    """Return ``state_dict`` without second names of shared parameters, which PyTorch saves too.

    ``members(part)`` yields the names in a part of the module, with their objects.
    """
    if not isinstance(state_dict, Mapping) or all(key in state for key in state_dict):
        return state_dict
    names, entries = {id(part): name for name, part in state.items()}, dict(state_dict)
    for key in state_dict:
        part = None if key in state else _at(module, members, str(key).split("."))
        if (name := names.get(id(part))) is not None:
            entries.setdefault(name, entries.pop(key))
    return entries


def _at(part: Any, members: Any, path: list[str]) -> Any:
    """Return the object at a path, or ``None`` if there is none."""
    for step in path:
        inside = hasattr(part, "named_modules") or isinstance(part, (list, tuple, dict))
        part = {str(key): m for key, m in members(part)}.get(step) if inside else None
    return part


def recast(tensors: Iterable[Any], args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Move Tensors in place, convert those of floats, and their gradients with them."""
    from ...tensor.functions.exchange import device_and_dtype
    from ...tensor.graph.placed import move
    from ..initial import float_dtype  # imports NumPy, which a Tensor has loaded already

    device, found = device_and_dtype("Module.to", args, named)
    tensors = list(tensors)
    if device is not None:
        for tensor in tensors:
            move(tensor, device, "Module.to(device)")
    if found is None:
        return
    kind = float_dtype(found, "Module.to(dtype)")
    for tensor in tensors:
        if tensor.dtype.kind == "f":
            writes(tensor)
            gradient = tensor.grad
            tensor._data = tensor._data.astype(kind)
            tensor._expire_views()
            if tensor._node is not None:
                tensor._node.dtype = kind
                tensor.grad = gradient


def entries(module: str, state: Mapping[str, Any], state_dict: Any, strict: bool) -> Found:
    """Return the entries for ``state``. Raise `StateDictError` with a list of all mismatches."""
    if not isinstance(state_dict, Mapping):
        raise _refusal(module, state, describe(state_dict))
    fitting, misshaped, odd = _sorted_out(state, state_dict)
    report = StateDictReport(
        [name for name in state if name not in state_dict],
        [name for name in state_dict if name not in state],
    )
    if misshaped or odd or (strict and any(report)):
        kinds = {
            "missing": report.missing_keys,
            "unexpected": report.unexpected_keys,
            "not a single number": odd,
            "of another shape or dtype": misshaped,
        }
        problems = [f"{kind}: {_listed(names)}" for kind, names in kinds.items() if names]
        raise _refusal(module, state, f"a state dict with {'; '.join(problems)}")
    return Found(fitting, report)


def _sorted_out(
    state: Mapping[str, Any], state_dict: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str], list[str]]:
    """Return entries that fit, and descriptions of arrays and of numbers that do not."""
    fitting: dict[str, Any] = {}
    misshaped: list[str] = []
    odd: list[str] = []
    for name, entry in state_dict.items():
        if name not in state:
            continue
        try:
            if isinstance(state[name], Value):
                fitting[name] = number(entry, name)
            elif problem := _fit(state[name], entry, fitting, name):
                misshaped.append(problem)
        except NotANumberError:
            odd.append(f"{name} ({describe(entry)})")
    return fitting, misshaped, odd


def _fit(part: Any, entry: object, fitting: dict[str, Any], name: str) -> str:
    """Add the entry of a Tensor to ``fitting``. Return a description of a misfit, or ``""``."""
    from ...tensor.graph.convert import to_array

    if hasattr(entry, "detach"):  # a Tensor, of this library or another
        entry = entry.detach().numpy()
    array = to_array(entry, where=name)
    if array.shape != part.shape:
        return f"{name} ({array.shape}, here {part.shape})"
    fitting[name] = fitted = _converted(array, part.dtype)
    return "" if fitted is not None else f"{name} (numbers that are not of dtype {part.dtype})"


def _converted(array: Any, dtype: Any) -> Any:
    """Return the array in another dtype, ``None`` if integers or infinities would be invented."""
    import numpy as np

    if array.dtype == dtype:
        return array
    with np.errstate(invalid="ignore", over="ignore"):
        fitted = array.astype(dtype)
    same = np.isfinite(array) == np.isfinite(fitted) if dtype.kind == "f" else array == fitted
    return fitted if same.all() else None


def _refusal(module: str, state: Mapping[str, Any], got: str) -> StateDictError:
    scalar = all(isinstance(part, Value) for part in state.values())
    kind, of = ("number", "parameters") if scalar else ("entry", "parameters and buffers")
    return StateDictError(
        where=f"{module}.load_state_dict",
        expected=f"one {kind} for each of {len(state)} {of}",
        got=got,
        fix="Build the module with the sizes that were saved, or pass strict=False to skip names "
        "that only one side has.",
    )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(map(str, names[:_LISTED])) + more
