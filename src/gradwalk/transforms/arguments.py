"""What a transform takes and returns: positions, leaves, and the caller's kinds of number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from ..core.backend import arrays
from ..core.carrier import is_tensor
from ..core.expect import describe, index_of, is_array
from ..core.pytree import PyTree, flatten, flatten_with_paths
from ..engine.scalar import Scalar
from ..errors import NotANumberError, OptionError, SizeError
from ..levels.level import Tracer

__all__ = ["ArgNums", "Inputs", "expect_argnums", "expect_float", "expect_scalar", "inputs_of"]
__all__ += ["is_plain", "kind_of", "like", "outputs_of", "positions", "primal_of", "zeros_like"]

ArgNums = int | tuple[int, ...] | list[int]
"""Which arguments a function is differentiated by: one position, or several."""


class Inputs(NamedTuple):
    """The leaves with respect to which a function is differentiated.

    ``primals``    the leaves as the transform computes with them: floats, Tensors and carriers
    ``structure``  of the argument that has them; of the tuple of arguments if there are several
    ``floats``     whether all leaves are plain floats
    """

    f: Callable[..., Any]
    args: Sequence[Any]
    options: dict[str, Any]
    positions: list[int]
    single: bool
    leaves: list[Any]
    primals: list[Any]
    structure: PyTree
    floats: bool

    def call(self, leaves: Sequence[Any]) -> Any:
        """Return the result of the function with other leaves."""
        arguments = list(self.args)
        inner = self.structure.unflatten(leaves)
        if self.single:
            arguments[self.positions[0]] = inner
        else:
            for position, argument in zip(self.positions, inner, strict=True):
                arguments[position] = argument
        return self.f(*arguments, **self.options)

    def build(self, derivatives: Sequence[Any]) -> Any:
        """Return a derivative for each leaf in containers like the arguments.

        Each has the kind of number of its leaf. ``None`` becomes zeros.
        """
        if self.floats and set(map(type, derivatives)) == FLOATS:  # a None needs zeros
            return self.structure.unflatten(derivatives)
        dense = [
            zeros_like(x) if t is None else t
            for t, x in zip(derivatives, self.primals, strict=True)
        ]
        return self.structure.unflatten(map(like, dense, self.leaves))


EXACT = 2**53
"""Up to here every int is a float."""
FLOATS = {float}
"""The types of the leaves in most programs of numbers: comparing sets saves a call for each."""


def inputs_of(
    f: Callable[..., Any],
    args: Sequence[Any],
    options: dict[str, Any],
    argnums: ArgNums,
    where: str,
) -> Inputs:
    """Return the leaves of those arguments that ``argnums`` names."""
    chosen = positions(argnums, len(args), where)
    single = not isinstance(argnums, (tuple, list))
    # one list of leaves for all arguments, which `Inputs.call` unflattens
    leaves, structure = flatten(args[chosen[0]] if single else tuple([args[i] for i in chosen]))
    if not (floats := set(map(type, leaves)) == FLOATS):
        leaves = list(map(float_of, leaves))
        floats = set(map(type, leaves)) == FLOATS
    # paths of leaves cost more than most functions: they are built only if a message may follow
    usual = floats or (leaves and all(map(is_float, leaves)))
    if not (usual and (single or set(map(type, [args[i] for i in chosen])) == FLOATS)):
        for position in chosen:
            _expect_floats(args[position], f"{where}: argument {position}")
    primals = leaves if floats else list(map(primal_of, leaves))  # floats are their own primals
    return Inputs(f, args, options, chosen, single, leaves, primals, structure, floats)


def _expect_floats(x: object, where: str) -> None:
    """Raise the error for an argument without leaves, or with one that has no derivative."""
    leaves, _ = flatten_with_paths(x)
    if not leaves:
        raise _nothing(where, x)
    for leaf in leaves:
        expect_float(float_of(leaf.value), where + leaf.path)


def float_of(x: Any) -> Any:
    """Return an int as a float, if it is the same number; anything else as it is."""
    return float(x) if type(x) is int and abs(x) <= EXACT else x


def expect_argnums(argnums: object, where: str) -> list[int]:
    """Return the positions in ``argnums``. Raise `OptionError` for anything but integers."""
    given: list[Any] = list(argnums) if isinstance(argnums, (tuple, list)) else [argnums]
    # True is an int, but no position
    found = [None if isinstance(n, bool) else index_of(n) for n in given]
    if None not in found:
        return cast("list[int]", found)
    raise OptionError(
        where=f"{where}(argnums=...)",
        expected="the position of an argument, or a tuple of positions",
        got=describe(argnums),
        fix=f"Write {where}(f)(x): the arguments of f come in a second call.",
    )


def positions(argnums: ArgNums, count: int, where: str) -> list[int]:
    """Return the positions that ``argnums`` names, counted from the front."""
    if type(argnums) is int and 0 <= argnums < count:  # by far the most usual
        return [argnums]
    found = expect_argnums(argnums, where)
    if found and all(-count <= n < count for n in found):
        found = [n % count for n in found]
        if len(set(found)) == len(found):
            return found
    raise OptionError(
        where=f"{where}(argnums=...)",
        expected=f"a position from 0 to {count - 1}, or a tuple of different ones"
        if count
        else "a call with positional arguments",
        got=describe(argnums) if count else "none",
        fix="Write argnums=0 for the first positional argument; keyword arguments are constants.",
    )


def is_float(x: object) -> bool:
    """Return whether ``x`` has derivatives: a float, or an array or carrier of floats."""
    if isinstance(x, (float, Scalar)):
        return True
    kind = getattr(getattr(x, "dtype", None), "kind", "")
    return kind == "f" and (is_array(x) or is_tensor(x) or not arrays().is_foreign(x))


def expect_float(x: object, where: str) -> None:
    """Raise `NotANumberError` for what has no derivative: integers, bools, text."""
    if is_float(x):
        return
    if hasattr(x, "dtype"):
        arrays().refuse_foreign(x, where)
    if _is_integer(x):
        raise NotANumberError(
            where=where,
            expected="floating-point numbers",
            got=describe_number(x),
            fix="Write x.astype(float) for an array, float(x) for a number, or exclude this "
            "argument with argnums.",
        )
    raise NotANumberError(
        where=where,
        expected="a float, an array, a Value, a Tensor, or a container of these",
        got=describe(x),
        fix="Pass argnums= to choose the arguments to differentiate by; others may be anything.",
    )


def _is_integer(x: object) -> bool:
    dtype = getattr(x, "dtype", None)
    return isinstance(x, int) if dtype is None else dtype.kind in "biu"


def describe_number(x: object) -> str:
    """Return how a message shows a number: the dtype of an array, or the value."""
    dtype = getattr(x, "dtype", None)
    return describe(x) if dtype is None else f"dtype {dtype}"


def _nothing(where: str, x: object) -> OptionError:
    return OptionError(
        where=where,
        expected="a number, an array, or a container with some",
        got=describe(x),
        fix="Pass argnums= to choose the arguments to differentiate by; others may be anything.",
    )


def kind_of(x: object) -> str:
    """Return the kind of the caller's number: "float", "array" or "carrier".

    Carriers belong to a graph or to a transform, or may come to.
    """
    if isinstance(x, (Tracer, Scalar)) or is_tensor(x):
        return "carrier"
    return "float" if isinstance(x, float) and not is_array(x) else "array"


def primal_of(x: Any) -> Any:
    """Return what a transform computes with: arrays as new Tensors, numbers as floats.

    A number of NumPy becomes an array without axes, which has its attributes: ``x.dtype``.
    """
    if is_tensor(x):
        return arrays().snapshot(x)
    if isinstance(x, (Tracer, Scalar)):
        return x
    return arrays().Tensor(x) if hasattr(x, "dtype") else float(x)


def is_plain(x: Any) -> bool:
    """Return whether no graph and no transform depends on ``x``."""
    if type(x) is float:
        return True
    if isinstance(x, (Tracer, Scalar)):
        return False
    return x._node is None if is_tensor(x) else True  # arrays have no graph


def zeros_like(x: object) -> Any:
    """Return zeros in the shape and precision of a primal."""
    return arrays().filled_like(x, 0.0) if hasattr(x, "dtype") else 0.0


def like(x: Any, leaf: object) -> Any:
    """Return a result as the kind of number that ``leaf`` is, unless something depends on it."""
    if isinstance(x, (Tracer, Scalar)):
        # a program keeps a number what the caller passed as one
        known = isinstance(leaf, Tracer) and leaf._level.records_program
        number = known and isinstance(leaf, Scalar)
        return cast("Any", x).astype(float) if number and is_tensor(x) else x
    kind = kind_of(leaf)
    if kind == "carrier":
        # constants of a Tensor become one again; other carriers keep what was computed
        return arrays().Tensor._of(x) if is_plain(leaf) and not is_tensor(x) else x
    raw = x if not is_tensor(x) else x._data if x._node is None else None
    if raw is None:  # a graph depends on it
        return x
    if kind == "float":
        return float(raw) if getattr(raw, "size", 1) == 1 else raw
    import numpy as np  # here, because programs of floats never load it

    return np.asarray(raw)[()] if isinstance(leaf, np.generic) else np.asarray(raw)


# --- results --------------------------------------------------------------------------------------


def outputs_of(y: object, where: str) -> tuple[list[Any], PyTree]:
    """Return the leaves of a result and its structure. Raise unless all leaves are floats."""
    leaves, structure = flatten(y)
    if not leaves:
        raise _no_result(f"{where}: the result", y)
    if set(map(type, leaves)) != FLOATS and not all(map(is_float, leaves)):
        for path, leaf in zip(structure.paths(), leaves, strict=True):  # paths are for the message
            if not is_float(leaf):
                raise _no_result(f"{where}: the result{path}", leaf)
    return leaves, structure


def _no_result(where: str, y: object) -> NotANumberError:
    return NotANumberError(
        where=where,
        expected="floating-point numbers, in any container",
        got=describe(y),
        fix="Return what was computed from the arguments, without int(), bool() or "
        "comparisons; return anything else beside it with has_aux=True.",
    )


def expect_scalar(y: object, where: str) -> None:
    """Raise `SizeError` or `NotANumberError` unless ``y`` is one floating-point number."""
    if isinstance(y, (float, Scalar)):
        return
    leaves, structure = flatten(y)
    if structure.rebuild is not None and leaves:
        raise SizeError(
            where=f"{where}: the result",
            expected="one number",
            got=f"a container of {len(leaves)}: {structure}",
            fix="Return (loss, everything else) with has_aux=True, or use gradwalk.jacobian or "
            "gradwalk.vjp for functions of several results.",
        )
    if not leaves or not is_float(y):
        raise _no_result(f"{where}: the result", y)
    shape = getattr(y, "shape", ())
    if shape != ():
        raise SizeError(
            where=f"{where}: the result",
            expected="one number, of shape ()",
            got=f"shape {tuple(shape)}",
            fix="Reduce it, y.sum() or y.mean(), or use gradwalk.jacobian for all derivatives "
            "and gradwalk.vjp for a weighted sum of them.",
        )
