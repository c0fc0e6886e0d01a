"""What a transform takes and gives back: positions, leaves, and the caller's kinds of number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..core.backend import arrays
from ..core.carrier import is_tensor
from ..core.expect import describe, is_array
from ..core.pytree import Tree, matching, take_apart
from ..engine.scalar import Scalar
from ..errors import NotANumberError, OptionError, SizeError
from ..levels.level import Tracer

__all__ = ["Inputs", "expect_float", "expect_scalar", "inputs_of", "kind_of", "like", "outputs_of"]
__all__ += ["plain", "positions", "primal_of", "seeds_like"]


class Inputs(NamedTuple):
    """The leaves by which a function is differentiated.

    ``tree`` is the tuple of the arguments that have them, of which a caller with one position
    (``single``) sees the only member. ``call(leaves)`` is the function with other leaves in their
    place; ``build(leaves)`` puts results into containers like those of the arguments.
    """

    leaves: list[Any]
    primals: list[Any]
    tree: Tree
    call: Callable[[Sequence[Any]], Any]
    single: bool

    def build(self, leaves: Sequence[Any]) -> Any:
        """``leaves`` in the structure of the arguments, of the caller's kinds of number."""
        rest = iter([like(x, leaf) for x, leaf in zip(leaves, self.leaves, strict=True)])
        built = self.tree.build(rest)
        return built[0] if self.single else built


def inputs_of(
    f: Callable[..., Any],
    args: Sequence[Any],
    options: dict[str, Any],
    argnums: Any,
    where: str,
) -> Inputs:
    """The leaves of those arguments that ``argnums`` names."""
    places = positions(argnums, len(args), where)
    leaves: list[Any] = []
    trees: list[tuple[str, Tree]] = []
    for place in places:
        name = f"{where}: argument {place}"
        found, tree = take_apart(args[place])
        if not found:
            raise _nothing(name, args[place])
        if not all(map(is_float, found)):
            for path, leaf in zip(tree.paths(), found, strict=True):
                expect_float(leaf, f"{name}{path}")
        leaves += found
        trees.append((f"[{len(trees)}]", tree))
    tuple_of = Tree("tuple", tuple, tuple(trees))

    def call(inputs: Sequence[Any]) -> Any:
        arguments = list(args)
        for place, argument in zip(places, tuple_of.build(inputs), strict=True):
            arguments[place] = argument
        return f(*arguments, **options)

    single = not isinstance(argnums, (tuple, list))
    return Inputs(leaves, [*map(primal_of, leaves)], tuple_of, call, single)


def positions(argnums: Any, count: int, where: str) -> list[int]:
    """Which arguments ``argnums`` names, counted from the front."""
    several = isinstance(argnums, (tuple, list))
    places = list(argnums) if several else [argnums]
    wrong = [n for n in places if isinstance(n, bool) or not hasattr(n, "__index__")]
    if not wrong and places and all(-count <= n < count for n in places):
        found = [int(n) % count for n in places]
        if len(set(found)) == len(found):
            return found
    raise OptionError(
        where=f"{where}(argnums=...)",
        expected=f"a position from 0 to {count - 1}, or a tuple of different ones"
        if count
        else "a call with positional arguments",
        got=describe(argnums) if count else "none",
        fix="argnums counts positional arguments from 0; keyword arguments are held constant.",
    )


# --- leaves ---------------------------------------------------------------------------------------


def is_float(x: Any) -> bool:
    """Whether ``x`` has derivatives: a float, or an array or carrier of floats."""
    if type(x) is float or isinstance(x, (float, Scalar)):
        return True
    dtype = getattr(x, "dtype", None)
    return dtype is not None and dtype.kind == "f"


def expect_float(x: Any, where: str) -> None:
    """Refuse what has no derivative: integers, bools, text."""
    if is_float(x):
        return
    if _is_whole(x):
        raise NotANumberError(
            where=where,
            expected="floating numbers, for small steps are taken from them",
            got=_no_float(x),
            fix="Write 2.0 instead of 2, x.astype(float) for an array; argnums leaves it out.",
        )
    raise NotANumberError(
        where=where,
        expected="a float, an array, a Value, a Tensor, or a container of these",
        got=describe(x),
        fix="argnums= says which arguments to differentiate by; the others may be anything.",
    )


def _is_whole(x: Any) -> bool:
    dtype = getattr(x, "dtype", None)
    return isinstance(x, int) if dtype is None else dtype.kind in "biu"


def _no_float(x: Any) -> str:
    dtype = getattr(x, "dtype", None)
    shown = describe(x) if dtype is None else f"dtype {dtype}"
    return f"{shown}, whole numbers" if _is_whole(x) else shown


def _nothing(where: str, x: Any) -> OptionError:
    return OptionError(
        where=where,
        expected="a number, an array, or a container with some",
        got=describe(x),
        fix="argnums= says which arguments to differentiate by; the others may be anything.",
    )


def kind_of(x: Any) -> str:
    """What a caller's number is: "float", "array", or "carrier" of a graph or a transform."""
    if isinstance(x, (Tracer, Scalar)) or is_tensor(x):
        return "carrier"
    return "float" if isinstance(x, float) and not is_array(x) else "array"


def primal_of(x: Any) -> Any:
    """What a transform computes with: arrays as Tensors of their own, numbers as floats."""
    kind = kind_of(x)
    if kind == "carrier":
        return x
    return float(x) if kind == "float" else arrays().Tensor(x)


def plain(x: Any) -> bool:
    """Whether no graph and no transform depends on ``x``."""
    if isinstance(x, (Tracer, Scalar)):
        return False
    return x._node is None if is_tensor(x) else True


def like(x: Any, leaf: Any) -> Any:
    """A result of the kind of number that ``leaf`` is, unless something depends on it."""
    kind = kind_of(leaf)
    if isinstance(x, (Tracer, Scalar)) or (kind == "carrier" and not plain(leaf)):
        return x
    if kind == "carrier":  # a Tensor of constants
        return x if is_tensor(x) else arrays().Tensor._of(x)
    raw = x if not is_tensor(x) else x._data if x._node is None else None
    if raw is None:
        return x
    if kind == "float":
        return float(raw) if getattr(raw, "size", 1) == 1 else raw
    import numpy as np

    return np.asarray(raw)[()] if isinstance(leaf, np.generic) else np.asarray(raw)


# --- results --------------------------------------------------------------------------------------


def outputs_of(y: Any, where: str) -> tuple[list[Any], Tree]:
    """The leaves of what a function has returned, which have to be numbers."""
    leaves, tree = take_apart(y)
    if not leaves:
        raise _no_result(f"{where}: the result", y)
    if not all(map(is_float, leaves)):
        for path, leaf in zip(tree.paths(), leaves, strict=True):
            expect_result(leaf, f"{where}: the result{path}")
    return leaves, tree


def expect_result(y: Any, where: str) -> None:
    """Refuse what is no floating number."""
    if not is_float(y):
        raise _no_result(where, y)


def _no_result(where: str, y: Any) -> NotANumberError:
    return NotANumberError(
        where=where,
        expected="floating numbers, in any container",
        got=describe(y),
        fix="Return what was computed from the arguments, without int(), bool() or "
        "comparisons; what else is of interest is returned beside it with has_aux=True.",
    )


def expect_scalar(y: Any, where: str) -> None:
    """Refuse a root that is not one number."""
    expect_single(y, where)
    expect_result(y, f"{where}: the result")
    shape = getattr(y, "shape", ())
    if shape != ():
        raise SizeError(
            where=f"{where}: the result",
            expected="one number, of shape ()",
            got=f"shape {tuple(shape)}",
            fix="Reduce it, y.sum() or y.mean(), or use gradwalk.jacobian for all derivatives "
            "and gradwalk.vjp for a weighted sum of them.",
        )


def expect_single(y: Any, where: str) -> None:
    """Refuse a container, be it of one number."""
    leaves, tree = take_apart(y)
    if tree.rebuild is not None and leaves:
        raise SizeError(
            where=f"{where}: the result",
            expected="one number",
            got=f"a container of {len(leaves)}: {tree}",
            fix="has_aux=True takes (loss, everything else); gradwalk.jacobian and gradwalk.vjp "
            "take functions of several results.",
        )
    if tree.rebuild is not None:
        raise _no_result(f"{where}: the result", y)


def seeds_like(x: Any, likes: Sequence[Any], tree: Tree, where: str) -> list[Any]:
    """The leaves of a cotangent or a tangent, checked against what they belong to."""
    seeds = matching(x, tree, where, "what it belongs to")
    for seed, y in zip(seeds, likes, strict=True):
        expect_seed(seed, getattr(y, "shape", ()), where)
    return [_seed(seed, y) for seed, y in zip(seeds, likes, strict=True)]


def _seed(seed: Any, y: Any) -> Any:
    """A seed as what it belongs to is: a number, or an array of its precision."""
    if hasattr(y, "dtype"):
        return arrays().seed_like(seed, y)
    return seed if kind_of(seed) == "carrier" else float(seed)


def expect_seed(seed: Any, shape: tuple[int, ...], where: str) -> None:
    """Refuse a seed of another shape, or of other than floating numbers."""
    if not is_float(seed):
        raise NotANumberError(
            where=where,
            expected="floating numbers, as those that it belongs to",
            got=_no_float(seed),
            fix="Write 1.0 instead of 1, x.astype(float) for an array.",
        )
    if getattr(seed, "shape", ()) != shape:
        raise SizeError(
            where=where,
            expected=f"shape {tuple(shape)}, as that of what it belongs to",
            got=f"shape {tuple(getattr(seed, 'shape', ()))}",
            fix="A tangent has the shape of its primal, a cotangent that of its result.",
        )
