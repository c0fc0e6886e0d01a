"""`Module`: anything that owns parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Self

from ..errors import NotANumberError, StateDictError
from ..expect import describe
from ..value import Value, number

__all__ = ["Module", "StateDictReport"]

_LISTED = 20  # names of one kind in an error message


class StateDictReport(NamedTuple):
    """What `Module.load_state_dict` skipped with ``strict=False``."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class Module:
    """Base of everything with parameters; write ``forward`` and assign Values and Modules.

    A parameter is a Value without operands that is an attribute, or a member of an attribute that
    is a list, tuple or dict, or belongs so to another Module among them. Its name is the path to
    it, such as ``layers.0.neurons.1.weights.2``. Order is the order of definition; what can be
    reached on two paths counts once, under the first.

    >>> class Line(Module):
    ...     def __init__(self):
    ...         self.slope, self.offset = Value(2.0), Value(1.0)
    ...     def forward(self, x):
    ...         return self.slope * x + self.offset
    >>> line = Line()
    >>> line(3.0).data, line.state_dict()
    (7.0, {'slope': 2.0, 'offset': 1.0})
    """

    training: bool = True
    """Whether the module trains (`train`) or is only used (`eval`)."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Compute ``forward``."""
        return self.forward(*args, **named)

    def forward(self, *args: Any, **named: Any) -> Any:
        """What the module computes; every subclass writes its own."""
        raise NotImplementedError(f"{type(self).__name__} has no method forward(self, ...).")

    def named_modules(self) -> list[tuple[str, Module]]:
        """This module (under the name ``""``) and all modules inside, with their names."""
        return [(name, part) for name, part in _walk(self) if isinstance(part, Module)]

    def named_parameters(self) -> list[tuple[str, Value]]:
        """All parameters with their names, in the order of definition.

        >>> from gradwalk.nn import Neuron
        >>> [name for name, _ in Neuron(2).named_parameters()]
        ['weights.0', 'weights.1', 'bias']
        """
        return [(name, part) for name, part in _walk(self) if isinstance(part, Value)]

    def modules(self) -> list[Module]:
        """This module and all modules inside."""
        return [module for _, module in self.named_modules()]

    def parameters(self) -> list[Value]:
        """All parameters, in the order of definition."""
        return [part for _, part in _walk(self) if isinstance(part, Value)]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradient of every parameter to zero.

        ``set_to_none`` is there for programs written for PyTorch: a gradient here is always a
        number, so either value means 0.0.
        """
        for parameter in self.parameters():
            parameter.grad = 0.0

    def train(self, mode: bool = True) -> Self:
        """Set ``training`` here and in every module inside; returns the module."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """The same as ``train(False)``."""
        return self.train(False)

    def state_dict(self) -> dict[str, float]:
        """Name and number of every parameter: plain floats, ready for JSON."""
        return {name: parameter.data for name, parameter in self.named_parameters()}

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True
    ) -> StateDictReport:
        """Set every parameter to the number saved under its name.

        All entries are looked at before the first is loaded: after a `StateDictError` the module
        is as it was, and the message lists everything that is missing, unexpected or no single
        number. ``strict=False`` skips names that only one side has, and returns them. Of a Value,
        as in ``dict(other.named_parameters())``, the number is loaded.

        >>> from gradwalk.nn import Neuron
        >>> first, second = Neuron(2, seed=1), Neuron(2, seed=2)
        >>> second.load_state_dict(first.state_dict())
        StateDictReport(missing_keys=[], unexpected_keys=[])
        >>> second.state_dict() == first.state_dict()
        True
        """
        if not isinstance(state_dict, Mapping):
            raise _refusal(self, describe(state_dict))
        parameters = dict(self.named_parameters())
        numbers, misshaped = _numbers(state_dict, parameters)
        report = StateDictReport(
            [name for name in parameters if name not in state_dict],
            [name for name in state_dict if name not in parameters],
        )
        if misshaped or (strict and any(report)):
            raise _mismatch(self, report, misshaped)
        for name, saved in numbers.items():
            parameters[name].data = saved
        return report

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.parameters())} parameters)"


def _walk(root: Module) -> Iterator[tuple[str, Any]]:
    """The modules and parameters in ``root``, each once, parents first, without recursion."""
    yield "", root
    seen = {id(root)}
    path = [("", _members(root))]
    while path:
        prefix, members = path[-1]
        for key, part in members:
            if not isinstance(part, _PARTS) or id(part) in seen:
                continue
            seen.add(id(part))
            name = f"{prefix}{key}"
            if isinstance(part, Value):
                if part._row is None:  # a result is no parameter
                    yield name, part
                continue
            if isinstance(part, Module):
                yield name, part
            path.append((f"{name}.", _members(part)))
            break
        else:
            path.pop()


_PARTS = (Value, Module, list, tuple, dict)


def _members(part: Any) -> Iterator[tuple[Any, Any]]:
    """What a module or a container holds, with the names."""
    if isinstance(part, Module):
        part = vars(part)
    return iter(part.items()) if isinstance(part, dict) else enumerate(part)


def _numbers(
    state_dict: Mapping[str, Any], parameters: Mapping[str, Value]
) -> tuple[dict[str, float], list[str]]:
    """The entries that have a parameter, and descriptions of those that are no single number."""
    numbers, misshaped = {}, []
    for name, entry in state_dict.items():
        if name in parameters:
            try:
                numbers[name] = number(entry, name)
            except NotANumberError:
                misshaped.append(f"{name} ({describe(entry)})")
    return numbers, misshaped


def _mismatch(module: Module, report: StateDictReport, misshaped: list[str]) -> StateDictError:
    kinds = {
        "missing": report.missing_keys,
        "unexpected": report.unexpected_keys,
        "not a single number": misshaped,
    }
    problems = [f"{kind}: {_listed(names)}" for kind, names in kinds.items() if names]
    return _refusal(module, f"a state dict with {'; '.join(problems)}")


def _refusal(module: Module, got: str) -> StateDictError:
    return StateDictError(
        where=f"{type(module).__name__}.load_state_dict",
        expected=f"one number for each of {len(module.parameters())} parameters",
        got=got,
        fix="Build the module with the sizes that were saved; strict=False skips names that only "
        "one side has.",
    )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
