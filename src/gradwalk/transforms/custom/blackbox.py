"""A black box as one node of every graph: what it computes is not traced.

It is called with plain numbers. A `BlackBox` computes the derivatives of all results together:
`cotangents` is the VJP, `tangents` the JVP. Two kinds of primitives record it in graphs: one for
each result if everything is numbers, which needs no NumPy, and one for all results if there are
arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...core.carrier import carrier_among
from ...core.expect import describe
from ...core.pytree import Leaf, PyTree, flatten, flatten_with_paths
from ...engine.node import recording
from ...errors import OptionError
from ...levels.level import unwrap
from ..arguments import is_plain
from .blackbox_primitives import (
    JointPrimitive,
    NumberPrimitive,
    acts_as_number,
    is_floating,
    is_number,
    numbers_of,
)

__all__ = ["BlackBox", "Call", "capture_error"]


class BlackBox:
    """A function that is called with plain numbers, and its derivative; subclasses tell that.

    ``has_body``  whether the function may be run on tracers as well, where a file is written
    """

    has_body = False

    f: Callable[..., Any]
    name: str
    primitive: JointPrimitive

    def __init__(self, f: Callable[..., Any], name: str) -> None:
        self.f, self.name, self.primitive = f, name, JointPrimitive(name)
        self.checked_forms: set[Any] = set()  # forms of arguments at which it has been doubted

    def cotangents(self, call: Call, ts: list[Any], ys: list[Any], xs: list[Any]) -> list[Any]:
        """Return the cotangent of each of ``xs``. ``None`` means no contribution."""
        raise NotImplementedError

    def tangents(self, call: Call, ts: list[Any], ys: list[Any], xs: list[Any]) -> list[Any]:
        """Return the tangent of each of ``ys``. ``None`` means a zero tangent."""
        raise NotImplementedError

    def examine(self, call: Call, xs: list[Any], ys: list[Any]) -> None:
        """Check the plain arguments and results of a call. Called for every call."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Return the result of ``f``, recorded with the given derivative."""
        leaves, _ = flatten_with_paths(args)
        xs = [leaf.value for leaf in leaves if is_floating(leaf.value)]
        call = Call(self, args, leaves, options)
        result = call.run(xs)
        if carrier_among(xs) is None or not call.floats:  # nothing to differentiate
            return result
        return call.result(call.record(xs))


class Call:
    """One call of a black box: the containers of its arguments and results, and what is constant.

    ``names``     of the arguments that are floating, as messages call them
    ``numbers``   which of them come as floats, not arrays; ``floats`` the same of the results
    ``scalar``    whether everything is a number
    """

    names: list[str]
    result_flags: list[bool]
    result_constants: list[Any]
    floats: list[bool]
    tree: PyTree
    scalar: bool

    def __init__(
        self, box: BlackBox, args: tuple[Any, ...], leaves: list[Leaf], options: dict[str, Any]
    ) -> None:
        self.box = box
        self.arity: int = len(args)
        # one per argument, because the user's rule returns one cotangent per argument
        self.trees: list[PyTree] = [flatten(arg)[1] for arg in args]
        self.argument_flags: list[bool] = [is_floating(leaf.value) for leaf in leaves]
        # plain, because a constant has no derivative, whatever carries it
        self.constants: list[Any] = [None if is_floating(x) else unwrap(x) for _, x in leaves]
        self.names = [f"argument {leaf.path[1:].replace(']', '', 1)}" for leaf in self._of(leaves)]
        values = [leaf.value for leaf in self._of(leaves)]
        self.numbers: list[bool] = [*map(acts_as_number, values)]
        self.scalar = all(map(is_number, values))
        self.options: dict[str, Any] = _constants(options, box.name)
        self.known: tuple[list[Any], list[Any]] | None = None
        self._contributions: tuple[Any, dict[int, Any]] | None = None

    def _of(self, leaves: Sequence[Any]) -> list[Any]:
        return [leaf for leaf, flag in zip(leaves, self.argument_flags, strict=True) if flag]

    # --- containers -------------------------------------------------------------------------------

    def arguments(self, xs: Sequence[Any], constants: bool = True) -> list[Any]:
        """Return the positional arguments with ``xs`` in them.

        Constants may be replaced by ``None``.
        """
        given = self.constants if constants else [None] * len(self.constants)
        rest = _merge(xs, self.argument_flags, given)
        return [tree.unflatten(rest) for tree in self.trees]

    def result(self, ys: Sequence[Any], constants: bool = True) -> Any:
        """Return the result with ``ys`` in it. Constants may be replaced by ``None``."""
        given = self.result_constants if constants else [None] * len(self.result_constants)
        return self.tree.unflatten(_merge(ys, self.result_flags, given))

    # --- numbers ----------------------------------------------------------------------------------

    def run(self, xs: Sequence[Any]) -> Any:
        """Return the result for the numbers in ``xs``, and store what `record` needs of it."""
        known = [numbers_of(x, n) for x, n in zip(xs, self.numbers, strict=True)]
        self.known = None  # a call that fails leaves no results of another point
        result = self.call_f(known)
        leaves, self.tree = flatten_with_paths(result)
        values = [_plain_result(leaf, self.box.name) for leaf in leaves]
        self.result_flags = [is_floating(y) for y in values]
        self.result_constants = [None if is_floating(y) else y for y in values]
        ys = [y for y in values if is_floating(y)]
        self.floats = [is_number(y) for y in ys]
        self.scalar = self.scalar and all(self.floats)
        self.known = (known, ys)
        self.box.examine(self, known, ys)
        return result

    def inside(self, xs: Sequence[Any]) -> list[Any] | None:
        """Return the floating results of the function on tracers; ``None`` if it takes none."""
        if not self.box.has_body:
            return None
        try:
            result = self.box.f(*self.arguments(xs), **self.options)
        except (TypeError, ValueError):  # it wants plain numbers
            return None
        return [y for y in flatten(result)[0] if is_floating(y)]

    def call_f(self, known: list[Any]) -> Any:
        """Call the black box with copies of the arrays, because it may overwrite them."""
        copies = self.arguments([x if is_number(x) else x.copy() for x in known])
        return self.box.f(*copies, **self.options)

    def values(self, xs: Sequence[Any]) -> list[Any]:
        """Return the floating results for ``xs``, from the last run if it had the same numbers."""
        # recording evaluates the primitive at the numbers of the last run: f is not called again
        if self.known is None or not all(map(_equal, self.known[0], xs)):
            self.run(xs)
        ys = self.known[1]  # type: ignore[index]
        if not self.scalar:  # arrays are not kept for longer than they are needed
            self.known = None
        return list(map(_copy, ys))  # the caller may write into its arrays

    # --- graphs -----------------------------------------------------------------------------------

    def record(self, xs: Sequence[Any]) -> list[Any]:
        """Return the floating results as nodes of the graphs that ``xs`` belong to."""
        if self.scalar:
            # a node per result, because joint nodes are those of Tensors, which need NumPy
            return [NumberPrimitive(self, i)(*xs) for i in range(len(self.floats))]
        # the call is an option: every graph records it with the node, and the rule finds it there
        y = self.box.primitive(*xs, call=self)
        return list(y) if type(y) is tuple else [y]

    def others(self, index: int, y: object, xs: Sequence[Any]) -> list[Any]:
        """Return all results, of which one is known already."""
        if all(map(is_plain, xs)):  # known from the last run
            found: list[Any] = self.values(xs)
        else:
            count = len(self.floats)
            found = [None if i == index else NumberPrimitive(self, i)(*xs) for i in range(count)]
        found[index] = y
        return found

    def contribution(self, t: Any, y: Any, args: tuple[Any, ...], index: int) -> Any:
        """Return one contribution. All are computed together and requested one after the other."""
        # compared by identity: an equal t may belong to another pass, and comparing costs a pass
        key = (t, *args)
        last = self._contributions
        if last is None or not _same(last[0], key) or index not in last[1]:
            several = type(y) is tuple
            ts, ys = (list(t), list(y)) if several else ([t], [y])
            contributions = self.box.cotangents(self, ts, ys, list(args))
            last = self._contributions = (key, dict(enumerate(contributions)))
        contribution = last[1].pop(index)
        if not last[1]:
            self._contributions = None  # the key would keep the arrays of a finished pass alive
        return contribution


def _merge(xs: Sequence[Any], flags: Sequence[bool], constants: Sequence[Any]) -> Iterator[Any]:
    rest = iter(xs)
    return iter([next(rest) if m else c for m, c in zip(flags, constants, strict=True)])


def _copy(y: object) -> Any:
    if is_number(y):
        return y
    import numpy as np

    return np.array(y)


def _equal(a: Any, b: Any) -> bool:
    if is_number(a):
        return bool(a == b)  # a NaN is never equal: f runs again
    import numpy as np

    return bool(np.array_equal(a, b))


def _same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return all(x is y for x, y in zip(a, b, strict=True))


def _constants(options: dict[str, Any], name: str) -> dict[str, Any]:
    """Return keyword arguments as plain numbers. Raise `OptionError` if one is traced."""
    leaves, tree = flatten_with_paths(options)
    for leaf in leaves:
        if not is_plain(leaf.value) and not recording.paused:
            raise OptionError(
                where=f"{name}({leaf.path[2:].replace(chr(39) + ']', '', 1)}=...)",
                expected="a constant, because keyword arguments have no derivative",
                got=describe(leaf.value),
                fix="Pass it by position, or x.data, x.detach() if it is held constant.",
            )
    built: dict[str, Any] = tree.unflatten([unwrap(leaf.value) for leaf in leaves])
    return built


def _plain_result(leaf: Leaf, name: str) -> Any:
    """Return a result as a plain number or array. Raise `OptionError` if it is traced."""
    if not is_plain(leaf.value) and not recording.paused:
        raise capture_error(f"{name}: the result{leaf.path}", leaf.value)
    y = unwrap(leaf.value)
    return float(y) if isinstance(y, float) else y


def capture_error(where: str, x: object) -> OptionError:
    """Return the error for a function that uses a traced number which is not an argument."""
    return OptionError(
        where=where,
        expected="plain numbers, for the arguments were plain",
        got=f"{describe(x)}: the function uses something around it that is being differentiated",
        fix="Pass that as an argument too; its derivative would be lost silently.",
    )
