"""Modules that hold modules: one after the other, in a list, in a dict."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, overload

from ...core.expect import describe
from ...errors import OptionError, SizeError
from .module import Module

if TYPE_CHECKING:
    from ...tensor import Tensor
    from ...tensor.functions.types import ArrayLike

__all__ = ["ModuleDict", "ModuleList", "Sequential"]


class _Holder(Module):
    """Modules under names, in order; each is an attribute, so that a name is a path."""

    def _members(self) -> dict[str, Module]:
        return {name: part for name, part in vars(self).items() if isinstance(part, Module)}

    def add_module(self, name: str, module: Module) -> None:
        """Append a module under a name, or replace the module of that name.

        Parameters
        ----------
        name
            The name, without dots, and no attribute of the class.
        module
            The module.

        Raises
        ------
        OptionError
            If ``module`` is no module, or the name is not allowed.
        """
        where = type(self).__name__
        if not isinstance(module, Module):
            raise OptionError(
                where=f"{where}({name!r})",
                expected="a Module",
                got=describe(module),
                fix="Write ReLU() for relu, or a subclass of Module with forward(self, x).",
            )
        if not isinstance(name, str) or not name or "." in name or hasattr(type(self), name):
            raise OptionError(
                where=f"{where}.add_module(name)",
                expected="a str without dots that is not an attribute",
                got=describe(name),
                fix="Choose another name.",
            )
        setattr(self, name, module)

    def __len__(self) -> int:
        return len(self._members())


class _Numbered(_Holder):
    """Modules with the names 0, 1, 2, …"""

    def __iter__(self) -> Iterator[Module]:
        return iter(self._members().values())

    @overload
    def __getitem__(self, index: slice) -> Self: ...
    @overload
    def __getitem__(self, index: SupportsIndex) -> Module: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Self | Module:
        if isinstance(index, slice):
            part: Self = self._like(list(self._members().items())[index])
            return part
        return self._members()[self._name(index)]

    def __setitem__(self, index: SupportsIndex, module: Module) -> None:
        self.add_module(self._name(index), module)

    def __delitem__(self, index: SupportsIndex | slice) -> None:
        names = list(self._members())
        deleted = set(names[index] if isinstance(index, slice) else [self._name(index)])
        others = [part for name, part in self._members().items() if name not in deleted]
        numbered = all(name.isdigit() for name in names)
        for name in names if numbered else deleted:
            delattr(self, name)
        if numbered:  # the modules behind the deleted ones get smaller numbers
            self.extend(others)

    def append(self, module: Module) -> Self:
        """Append a module, and return the container.

        Parameters
        ----------
        module
            The module; its name is the number of modules before it.

        Raises
        ------
        OptionError
            If ``module`` is no module.
        """
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Append several modules, and return the container.

        Parameters
        ----------
        modules
            The modules, in their order.

        Raises
        ------
        OptionError
            If a member is no module.
        """
        for module in modules:
            self.append(module)
        return self

    def _like(self, items: list[tuple[str, Module]]) -> Any:
        raise NotImplementedError

    def _name(self, index: SupportsIndex) -> str:
        """Return the name of the module at ``index``, counted from either end."""
        names = list(self._members())
        try:
            return names[operator.index(index)]
        except (TypeError, IndexError):
            raise _NoSuchModuleError(
                where=f"{type(self).__name__}[index]",
                expected=f"an integer between {-len(names)} and {len(names) - 1}, or a slice",
                got=describe(index),
                fix="Count modules from 0.",
            ) from None


class _NoSuchModuleError(SizeError, IndexError):
    """An index beyond the end. It is an IndexError too, so that loops over indices end."""


class Sequential(_Numbered):
    """Modules one after the other: each gets the output of the module before.

    Parameters
    ----------
    *modules
        The modules in their order, named 0, 1, 2, …; or one dict of names and modules, as in
        ``Sequential({"first": Linear(2, 3)})``.

    Raises
    ------
    OptionError
        If a member is no module, or a name has a dot or is an attribute of the class.

    Shape
    -----
    x : the shape that the first module takes
    y : the shape that the last module returns

    See Also
    --------
    ModuleList, MLP

    Examples
    --------
    >>> from gradwalk.nn import Linear, ReLU
    >>> model = Sequential(Linear(2, 8, seed=0), ReLU(), Linear(8, 1, seed=1))
    >>> len(model), [name for name, _ in model.named_parameters()]
    (3, ['0.weight', '0.bias', '2.weight', '2.bias'])
    """

    @overload
    def __init__(self, modules: Mapping[str, Module], /) -> None: ...
    @overload
    def __init__(self, *modules: Module) -> None: ...
    def __init__(self, *modules: Module | Mapping[str, Module]) -> None:
        first = modules[0] if len(modules) == 1 else None
        numbered = {str(i): module for i, module in enumerate(modules)}
        items: Any = first if isinstance(first, Mapping) else numbered
        for name, module in items.items():
            self.add_module(name, module)

    def _like(self, items: list[tuple[str, Module]]) -> Sequential:
        return Sequential(dict(items))

    def forward(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the output of the last module."""
        y: Any = x
        for part in list(vars(self).values()):
            if isinstance(part, Module):
                y = part(y)
        output: Tensor = y
        return output


def _no_modules(form: str, expected: str, given: object) -> OptionError:
    where = f"{form.partition('(')[0]}(modules)"
    return OptionError(where=where, expected=expected, got=describe(given), fix=f"Write {form}.")


class ModuleList(_Numbered):
    """A list of modules, whose parameters are parameters of the module that holds the list.

    Its members are named 0, 1, 2, …; it has the methods of lists, and no ``forward``.

    Parameters
    ----------
    modules
        The members, in their order.

    Raises
    ------
    OptionError
        If ``modules`` is not iterable, or a member is no module.

    See Also
    --------
    ModuleDict, Sequential, ParameterList

    Examples
    --------
    >>> from gradwalk.nn import Linear
    >>> layers = ModuleList(Linear(2, 2, seed=i) for i in range(3))
    >>> len(layers), len(layers[1:]), len(layers.parameters())
    (3, 2, 6)
    """

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        if not isinstance(modules, Iterable):
            raise _no_modules("ModuleList([a, b])", "a list of Modules", modules)
        self.extend(modules)

    def _like(self, items: list[tuple[str, Module]]) -> ModuleList:
        return ModuleList(module for _, module in items)

    def insert(self, index: int, module: Module) -> None:
        """Insert a module before another one.

        Parameters
        ----------
        index
            The number of the other one, as in ``list.insert``; later modules get larger
            numbers.
        module
            The module.

        Raises
        ------
        OptionError
            If ``module`` is no module.
        """
        modules = list(self)
        modules.insert(index, module)
        for i, part in enumerate(modules):
            self.add_module(str(i), part)


class ModuleDict(_Holder):
    """Modules by name, whose parameters are parameters of the module that holds the dict.

    It has the methods of dicts, and no ``forward``.

    Parameters
    ----------
    modules
        The members by name; ``None`` for none.

    Raises
    ------
    OptionError
        If ``modules`` is no dict, a member no module, or a name has a dot or is an attribute of
        the class.

    See Also
    --------
    ModuleList, ParameterDict

    Examples
    --------
    >>> from gradwalk.nn import Linear, ReLU
    >>> parts = ModuleDict({"project": Linear(2, 3, seed=0)})
    >>> parts["act"] = ReLU()
    >>> list(parts), "act" in parts
    (['project', 'act'], True)
    """

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        self.update(modules or {})

    def update(self, modules: Mapping[str, Module]) -> None:
        """Add several modules under their names.

        Parameters
        ----------
        modules
            The modules by name, which replace those of equal names.

        Raises
        ------
        OptionError
            If ``modules`` is no dict, a member no module, or a name is not allowed.
        """
        if not isinstance(modules, Mapping):
            raise _no_modules('ModuleDict({"a": a})', "a dict of Modules", modules)
        for name, module in modules.items():
            self.add_module(name, module)

    def __iter__(self) -> Iterator[str]:
        return iter(self._members())

    def __contains__(self, name: object) -> bool:
        return name in self._members()

    def __getitem__(self, name: str) -> Module:
        return self._members()[name]

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)

    def __delitem__(self, name: str) -> None:
        del self._members()[name]  # raises KeyError for an unknown name
        delattr(self, name)

    def keys(self) -> Iterable[str]:
        """Return the names."""
        return self._members().keys()

    def values(self) -> Iterable[Module]:
        """Return the modules."""
        return self._members().values()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Return pairs of a name and a module."""
        return self._members().items()
