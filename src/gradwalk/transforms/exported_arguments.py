"""The arguments and results of an exported function as lists of numbers and arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..core.carrier import Carrier, is_tensor
from ..core.expect import describe, is_array
from ..core.pytree import PyTree, flatten
from ..errors import NotANumberError, OptionError
from .arguments import ArgNums

__all__ = ["Argument", "Inputs"]


class Argument(NamedTuple):
    """An argument of the function: its name, its structure, and its leaves."""

    name: str
    structure: PyTree
    leaves: list[Any]
    moves: bool

    @property
    def numbers(self) -> list[Any]:
        """The leaves that are numbers or arrays."""
        return [*filter(_is_number, self.leaves)]

    @property
    def size(self) -> int:
        """How many numbers there are in them."""
        return sum(map(_size, self.leaves))

    @property
    def places(self) -> str:
        """Where its numbers come from: ``0..5: w[0] to w[5], 6: b``."""
        return ", ".join(map(_run, _runs(self)))

    def build(self, numbers: Iterator[Any]) -> Any:
        """Return the argument with other numbers and arrays."""
        leaves = [next(numbers) if _is_number(leaf) else leaf for leaf in self.leaves]
        return self.structure.unflatten(leaves)


class Inputs:
    """The arguments of an exported function as one list of numbers and arrays.

    ``moving``  the places of those that it is differentiated by
    """

    arguments: list[Argument]
    moving: list[int]

    def __init__(self, arguments: list[Argument]) -> None:
        self.arguments = arguments
        flags = [a.moves for a in arguments for _ in a.numbers]
        self.moving = [i for i, moves in enumerate(flags) if moves]

    @classmethod
    def of(cls, f: Callable[..., Any], examples: Sequence[Any], argnums: ArgNums) -> Inputs:
        """Return the flattened examples."""
        chosen = _chosen(argnums, len(examples))
        names = _argument_names(f, len(examples))
        arguments = []
        for i, x in enumerate(examples):
            leaves, structure = flatten(x)
            for leaf in leaves:
                _expect_leaf(leaf, names[i], i in chosen)
            arguments.append(Argument(names[i], structure, leaves, i in chosen))
        found = cls(arguments)
        if found.moving:
            return found
        raise NotANumberError(
            where="export(f, *examples)",
            expected="a number to differentiate with respect to",
            got=", ".join(describe(examples[i]) for i in chosen),
            fix="Pass floats, arrays, or containers of these, and name them with argnums.",
        )

    @property
    def numbers(self) -> list[Any]:
        """The numbers and arrays of all examples."""
        return [n for a in self.arguments for n in a.numbers]

    @property
    def moving_numbers(self) -> list[int]:
        """The places of those numbers that the function is differentiated by."""
        flags = [a.moves for a in self.arguments for _ in range(a.size)]
        return [i for i, moves in enumerate(flags) if moves]

    @property
    def moving_sizes(self) -> list[int]:
        """How many numbers each of those has that the function is differentiated by."""
        return [_size(n) for a in self.arguments if a.moves for n in a.numbers]

    def call(self, f: Callable[..., Any], numbers: Sequence[Any]) -> list[Any]:
        """Return the numbers and arrays that ``f`` returns."""
        rest = iter(numbers)
        result = f(*[a.build(rest) for a in self.arguments])
        return [_result(leaf) for leaf in flatten(result)[0] or [result]]

    def merged(self, numbers: Sequence[Any], moving: Sequence[Any]) -> list[Any]:
        """Return the numbers with others in the place of those that move."""
        merged = list(numbers)
        for i, x in zip(self.moving, moving, strict=True):
            merged[i] = x
        return merged


def _chosen(argnums: Any, count: int) -> tuple[int, ...]:
    chosen = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if all(isinstance(i, int) and -count <= i < count for i in chosen) and chosen:
        return tuple([i % count for i in chosen])
    raise OptionError(
        where="export(argnums=...)",
        expected=f"positions of the {count} examples",
        got=describe(argnums),
        fix="Write argnums=0 for the first argument, and pass an example of every argument.",
    )


def _argument_names(f: Callable[..., Any], count: int) -> list[str]:
    try:
        known = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        known = []
    names = [p.name for p in known if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [*names, *[f"x{i}" for i in range(len(names), count)]][:count]


def _expect_leaf(leaf: Any, name: str, moves: bool) -> None:
    if isinstance(leaf, Carrier):
        raise NotANumberError(
            where=f"export, argument {name}",
            expected="plain numbers, arrays, or containers of these",
            got=describe(leaf),
            fix="Pass x.data instead of a Value or Tensor x.",
        )
    kind = leaf.dtype.kind if is_array(leaf) else "i" if _is_integer(leaf) else "f"
    if (is_array(leaf) and kind not in "fiu") or (moves and kind in "iu"):
        raise NotANumberError(
            where=f"export, argument {name}",
            expected="floating-point numbers",
            got=describe(leaf),
            fix="Write 2.0, or x.astype(float), or exclude this argument with argnums.",
        )


def _is_integer(x: object) -> bool:
    return isinstance(x, int) and not isinstance(x, bool)


def _is_number(leaf: object) -> bool:
    """Return whether a leaf is a number or an array, and no constant such as a text."""
    return is_array(leaf) or isinstance(leaf, float) or _is_integer(leaf)


def _size(leaf: Any) -> int:
    return int(leaf.size) if is_array(leaf) else int(_is_number(leaf))


def _result(leaf: Any) -> Any:
    if is_tensor(leaf) or isinstance(leaf, Carrier) or _is_number(leaf):
        return leaf
    raise NotANumberError(
        where="export, result of f",
        expected="numbers",
        got=describe(leaf),
        fix="Return numbers, arrays, or containers of these.",
    )


def _runs(argument: Argument) -> list[list[str]]:
    """Return the first and the last index of leaves side by side, and their names."""
    here = 0
    runs: list[list[str]] = []
    for path, leaf in zip(argument.structure.paths(), argument.leaves, strict=True):
        count = _size(leaf)
        shape = f" of shape {leaf.shape}" if is_array(leaf) else ""
        name = f"{argument.name}{path}{shape}"
        if runs and not shape and _stem(runs[-1][-1]) == _stem(name) and count:
            runs[-1][1:] = [str(here), *runs[-1][2:3], name]
        elif count:
            runs.append([str(here), str(here + count - 1), name])
        here += count
    return runs


def _stem(path: str) -> str:
    """Return a path without its last step, if that is a number in brackets."""
    return path.rpartition("[")[0] if path[-2:-1].isdigit() else path


def _run(run: list[str]) -> str:
    first, last, *names = run
    place = first if first == last else f"{first}..{last}"
    return f"{place}: {' to '.join(names)}"
