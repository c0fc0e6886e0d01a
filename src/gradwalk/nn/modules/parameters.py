"""Parameters by PyTorch's names: `Parameter`, and lists and dicts of parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

from ...core.expect import describe, index_of
from ...errors import OptionError, SizeError
from ...tensor.functions.creation import plain
from ...tensor.graph.tensor import Tensor
from .module import Module
from .parts import is_trained

if TYPE_CHECKING:
    from ...tensor.functions.types import ArrayLike

__all__ = ["Parameter", "ParameterDict", "ParameterList"]


class _OfTensors(type):
    """The class of `Parameter`: its instances are Tensors that are trained."""

    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, Tensor) and is_trained(thing)


class Parameter(metaclass=_OfTensors):
    """``Parameter(data)`` is a Tensor of these numbers that requires a gradient.

    A Module trains every such Tensor among its attributes, so the name is for readers, and for
    programs written for PyTorch: ``isinstance(t, Parameter)`` says whether t is trained.

    Parameters
    ----------
    data : any shape
        The numbers of the Tensor, which are copied from arrays and lists.
    requires_grad
        Whether the Tensor gets gradients; if not, the result is a Tensor like any other.

    Raises
    ------
    OptionError
        If a gradient is required of integers.
    NotANumberError
        If ``data`` holds something other than numbers.

    See Also
    --------
    Module, ParameterList, gradwalk.Tensor

    Examples
    --------
    >>> weight = Parameter([1.0, 2.0])
    >>> weight.requires_grad, isinstance(weight, Parameter), isinstance(weight * 2.0, Parameter)
    (True, True, False)
    """

    def __new__(cls, data: Tensor | ArrayLike, requires_grad: bool = True) -> Tensor:  # type: ignore[misc]
        """Return the Tensor."""
        numbers = data.detach() if isinstance(data, Tensor) else plain(data, "Parameter(data)")
        return Tensor(numbers, requires_grad=bool(requires_grad))


def _trained(given: Any, where: str) -> Tensor:
    """Return a parameter: a Tensor as it is, numbers as a new one."""
    if isinstance(given, Tensor):
        if not given.requires_grad:
            given.requires_grad = True
        return given
    try:
        return Parameter(given)
    except TypeError as error:
        raise OptionError(
            where=where,
            expected="Tensors, or arrays of floats",
            got=describe(given),
            fix="Write Parameter(numbers) for each.",
        ) from error


class ParameterList(Module):
    """Parameters in a list, which a Module trains.

    Their names are 0, 1, 2 and so on.

    Parameters
    ----------
    values : any shape each
        Tensors, which become parameters themselves, and arrays of floats, which are copied into
        new ones; ``None`` for none.

    Raises
    ------
    OptionError
        If ``values`` is no list, or a member holds no floats.

    See Also
    --------
    ParameterDict, ModuleList

    Examples
    --------
    >>> weights = ParameterList([[1.0], [2.0, 3.0]])
    >>> len(weights), [name for name, _ in weights.named_parameters()]
    (2, ['0', '1'])
    """

    def __init__(self, values: Iterable[Tensor | ArrayLike] | None = None) -> None:
        self.extend([] if values is None else values)

    def _members(self) -> list[Tensor]:
        return [part for name, part in vars(self).items() if name.isdigit()]

    def append(self, value: Tensor | ArrayLike) -> Self:
        """Append a parameter, and return the list.

        Parameters
        ----------
        value : any shape
            A Tensor, which becomes a parameter itself, or an array of floats.

        Raises
        ------
        OptionError
            If ``value`` holds no floats.
        """
        setattr(self, str(len(self)), _trained(value, "ParameterList"))
        return self

    def extend(self, values: Iterable[Tensor | ArrayLike]) -> Self:
        """Append several parameters, and return the list.

        Parameters
        ----------
        values : any shape each
            Tensors, which become parameters themselves, or arrays of floats.

        Raises
        ------
        OptionError
            If ``values`` is no list, or a member holds no floats.
        """
        if not isinstance(values, Iterable) or isinstance(values, (str, bytes)):
            raise OptionError(
                where="ParameterList(values)",
                expected="a list of Tensors or arrays",
                got=describe(values),
                fix="Write ParameterList([a, b]).",
            )
        for value in values:
            self.append(value)
        return self

    def __len__(self) -> int:
        return len(self._members())

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self._members())

    def __getitem__(self, index: SupportsIndex) -> Tensor:
        return self._members()[self._place(index)]

    def __setitem__(self, index: SupportsIndex, value: Tensor | ArrayLike) -> None:
        setattr(self, str(self._place(index)), _trained(value, "ParameterList"))

    def _place(self, index: Any) -> int:
        count = len(self)
        if index_of(index) is None or not -count <= index < count:
            raise _NoSuchParameterError(
                where="ParameterList[index]",
                expected=f"an integer between {-count} and {count - 1}",
                got=describe(index),
                fix="Count parameters from 0.",
            )
        return int(index) % count

    def extra_repr(self) -> str:
        """Return the shapes."""
        return ", ".join(str(p.shape) for p in self)


class _NoSuchParameterError(SizeError, IndexError):
    """An index beyond the end. It is an IndexError too, so that loops over indices end."""


class ParameterDict(Module):
    """Parameters under names, which a Module trains.

    Parameters
    ----------
    parameters : any shape each
        By name: Tensors, which become parameters themselves, and arrays of floats, which are
        copied into new ones; ``None`` for none.

    Raises
    ------
    OptionError
        If ``parameters`` is no dict, a member holds no floats, or a name has a dot or is an
        attribute of the class.

    See Also
    --------
    ParameterList, ModuleDict

    Examples
    --------
    >>> weights = ParameterDict({"left": [1.0], "right": [2.0]})
    >>> list(weights), weights["left"].tolist()
    (['left', 'right'], [1.0])
    """

    def __init__(self, parameters: Mapping[str, Tensor | ArrayLike] | None = None) -> None:
        self.update({} if parameters is None else parameters)

    def update(self, parameters: Mapping[str, Tensor | ArrayLike]) -> None:
        """Add several parameters under their names.

        Parameters
        ----------
        parameters : any shape each
            By name: Tensors, which become parameters themselves, or arrays of floats.

        Raises
        ------
        OptionError
            If ``parameters`` is no dict, a member holds no floats, or a name is not allowed.
        """
        if not isinstance(parameters, Mapping):
            raise OptionError(
                where="ParameterDict(parameters)",
                expected="a dict of Tensors or arrays",
                got=describe(parameters),
                fix='Write ParameterDict({"a": a}).',
            )
        for name, value in parameters.items():
            self[name] = value

    def _members(self) -> dict[str, Tensor]:
        return {name: part for name, part in vars(self).items() if name in self._parameter_names}

    def __setitem__(self, name: str, value: Tensor | ArrayLike) -> None:
        if not isinstance(name, str) or not name or "." in name or hasattr(type(self), name):
            raise OptionError(
                where="ParameterDict[name]",
                expected="a str without dots that is not an attribute",
                got=describe(name),
                fix="Choose another name.",
            )
        setattr(self, name, _trained(value, "ParameterDict"))

    def __getitem__(self, name: str) -> Tensor:
        return self._members()[name]

    def __contains__(self, name: object) -> bool:
        return name in self._members()

    def __len__(self) -> int:
        return len(self._members())

    def __iter__(self) -> Iterator[str]:
        return iter(self._members())

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._members().keys()

    def values(self) -> Iterable[Tensor]:
        """Return the parameters."""
        return self._members().values()

    def items(self) -> Iterable[tuple[str, Tensor]]:
        """Return pairs of a name and a parameter."""
        return self._members().items()
