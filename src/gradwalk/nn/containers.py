"""Modules that hold modules: one after the other, in a list, in a dict."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from ..core.expect import describe
from ..errors import OptionError, SizeError
from .module import Module

__all__ = ["ModuleDict", "ModuleList", "Sequential"]


class _Holder(Module):
    """Modules under names, in order; each is an attribute, so that a name is a path."""

    def _held(self) -> dict[str, Module]:
        return {name: part for name, part in vars(self).items() if isinstance(part, Module)}

    def add_module(self, name: str, module: Any) -> None:
        """Put ``module`` at the end, under ``name``, or in the place of one of that name."""
        where = type(self).__name__
        if not isinstance(module, Module):
            raise OptionError(
                where=f"{where}({name!r})",
                expected="a Module",
                got=describe(module),
                fix="A function becomes one in a subclass with forward(self, x); relu is ReLU().",
            )
        if not isinstance(name, str) or not name or "." in name or hasattr(type(self), name):
            raise OptionError(
                where=f"{where}.add_module(name)",
                expected="a str without dots that no attribute has",
                got=describe(name),
                fix="Choose another name.",
            )
        setattr(self, name, module)

    def __len__(self) -> int:
        return len(self._held())


class _Row(_Holder):
    """Modules that are counted: 0, 1, 2, …"""

    def __iter__(self) -> Iterator[Module]:
        return iter(self._held().values())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            picked = list(self._held().items())[index]
            return self._like(picked)
        return getattr(self, self._name(index))

    def __setitem__(self, index: Any, module: Module) -> None:
        self.add_module(self._name(index), module)

    def __delitem__(self, index: Any) -> None:
        names = list(self._held())
        gone = set(names[index] if isinstance(index, slice) else [self._name(index)])
        kept = [part for name, part in self._held().items() if name not in gone]
        counted = all(name.isdigit() for name in names)
        for name in names if counted else gone:
            delattr(self, name)
        if counted:
            self.extend(kept)

    def append(self, module: Module) -> Self:
        """Put ``module`` at the end; returns the container."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Put several modules at the end; returns the container."""
        for module in modules:
            self.append(module)
        return self

    def _like(self, items: list[tuple[str, Module]]) -> Any:
        raise NotImplementedError

    def _name(self, index: Any) -> str:
        """The name of the module at ``index``, counted from either end."""
        names = list(self._held())
        try:
            return names[operator.index(index)]
        except (TypeError, IndexError):
            raise _NoSuchModuleError(
                where=f"{type(self).__name__}[index]",
                expected=f"a whole number from {-len(names)} to {len(names) - 1}, or a slice",
                got=describe(index),
                fix="Modules are counted from 0.",
            ) from None


class _NoSuchModuleError(SizeError, IndexError):
    """An index beyond the end; an IndexError too, so that loops over indices end."""


class Sequential(_Row):
    """Modules one after the other: each gets the answer of the one before.

    The modules are counted from 0, or named by a dict: ``Sequential({"first": Linear(2, 3)})``.

    >>> from gradwalk.nn import Linear, ReLU
    >>> model = Sequential(Linear(2, 8, seed=0), ReLU(), Linear(8, 1, seed=1))
    >>> len(model), [name for name, _ in model.named_parameters()]
    (3, ['0.weight', '0.bias', '2.weight', '2.bias'])
    """

    def __init__(self, *modules: Any) -> None:
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            items: Iterable[tuple[str, Any]] = modules[0].items()
        else:
            items = ((str(i), module) for i, module in enumerate(modules))
        for name, module in items:
            self.add_module(name, module)

    def _like(self, items: list[tuple[str, Module]]) -> Sequential:
        return Sequential(dict(items))

    def forward(self, x: Any) -> Any:
        """The answer of the last module."""
        for part in list(vars(self).values()):
            if isinstance(part, Module):
                x = part(x)
        return x


class ModuleList(_Row):
    """A list of modules whose parameters are known to the module that holds it.

    >>> from gradwalk.nn import Linear
    >>> layers = ModuleList(Linear(2, 2, seed=i) for i in range(3))
    >>> len(layers), len(layers[1:]), len(layers.parameters())
    (3, 2, 6)
    """

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        self.extend(modules)

    def _like(self, items: list[tuple[str, Module]]) -> ModuleList:
        return ModuleList(module for _, module in items)

    def insert(self, index: int, module: Module) -> None:
        """Put ``module`` before the one at ``index``."""
        modules = list(self)
        modules.insert(index, module)
        for i, part in enumerate(modules):
            self.add_module(str(i), part)


class ModuleDict(_Holder):
    """Modules under names of your own.

    >>> from gradwalk.nn import Linear, ReLU
    >>> parts = ModuleDict({"project": Linear(2, 3, seed=0)})
    >>> parts["act"] = ReLU()
    >>> list(parts), "act" in parts
    (['project', 'act'], True)
    """

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        self.update(modules or {})

    def update(self, modules: Mapping[str, Module]) -> None:
        """Put several modules in, under their names."""
        for name, module in modules.items():
            self.add_module(name, module)

    def __iter__(self) -> Iterator[str]:
        return iter(self._held())

    def __contains__(self, name: object) -> bool:
        return name in self._held()

    def __getitem__(self, name: str) -> Module:
        return self._held()[name]

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)

    def __delitem__(self, name: str) -> None:
        del self._held()[name]  # a KeyError for what is not there
        delattr(self, name)

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._held().keys()

    def values(self) -> Iterable[Module]:
        """The modules."""
        return self._held().values()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Names and modules."""
        return self._held().items()
