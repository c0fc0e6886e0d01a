"""Functions of one example on many at once: `vmap`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, overload

from ..core.backend import arrays
from ..core.calls import expect_function
from ..core.expect import describe, index_of, is_array
from ..core.functions import Lambda, Transformed, Untyped
from ..core.pytree import Leaf, PyTree, flatten, flatten_with_paths
from ..errors import NotANumberError, OptionError, SizeError
from ..levels.vmap import VmapLevel
from .results import to_caller
from .runs import raise_ours
from .signatures import Element, P, R

__all__ = ["vmap"]

Axes = int | None | Sequence[Any] | Mapping[Any, Any]
"""An axis, ``None``, or a container of these."""


@overload
def vmap(f: Lambda, in_axes: Axes = 0, out_axes: Axes = 0) -> Untyped: ...
@overload
def vmap(
    f: Callable[P, Element], in_axes: Axes = 0, out_axes: Axes = 0
) -> Transformed[P, Element]: ...
# a function of numbers takes arrays of them
@overload
def vmap(f: Callable[..., float], in_axes: Axes = 0, out_axes: Axes = 0) -> Untyped: ...
@overload
def vmap(f: Callable[P, R], in_axes: Axes = 0, out_axes: Axes = 0) -> Transformed[P, R]: ...
def vmap(f: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0) -> Callable[..., Any]:
    """Return the function that maps ``f`` over an axis of its arguments.

        vmap(f)(x)[i] = f(x[i])

    ``f`` is called once, with tracers that look like one example; each operation runs on all of
    them at once. Random numbers are drawn once for all examples.

    Parameters
    ----------
    f
        A function of one example. What depends on its numbers, such as ``if x > 0``, cannot be
        mapped: write ``where(x > 0, a, b)``.
    in_axes
        The axis of the examples in every array of every positional argument, or a tuple with an
        entry for each argument: an axis, ``None`` for an argument that is the same for all, or a
        container like the argument. Negative axes count from the end. Keyword arguments are mapped
        over axis 0.
    out_axes
        The axis of the examples in the results, or a container like the result; ``None`` for
        results that are the same for all.

    Returns
    -------
    a function of the arguments of f, with an axis more
        Its results are those of all examples: for a result of shape s and n examples shape (n,) +
        s, with the n at ``out_axes``.

    Raises
    ------
    NotANumberError
        If the numbers of one example decide what ``f`` does, a mapped argument is no array, or the
        result has no numbers.
    SizeError
        If mapped axes have different lengths, or an array has no such axis.
    OptionError
        If ``f`` is no function, axes are no integers, nothing is mapped, or a result with
        ``out_axes=None`` depends on the examples.

    Examples
    --------
    >>> from gradwalk import grad, vmap
    >>> import numpy as np
    >>> vmap(lambda x: x @ x)(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([ 5., 25.])
    >>> vmap(grad(lambda w, x: (w * x) ** 2), in_axes=(None, 0))(3.0, np.array([1.0, 2.0]))
    array([ 6., 24.])
    """
    expect_function(f, "vmap")
    expect_axes(in_axes, "vmap(in_axes=...)")
    expect_axes(out_axes, "vmap(out_axes=...)")

    @wraps(f)
    def mapped(*args: Any, **options: Any) -> Any:
        leaves, structure = flatten_with_paths((args, options))
        axes = _axes_of_arguments(in_axes, structure)
        # paths as the user would write them, for messages
        named = [leaf._replace(path=_name(leaf.path)) for leaf in leaves]
        values = [leaf.value for leaf in leaves]
        with VmapLevel(_size(named, axes)) as batch:
            pairs = zip(values, axes, strict=True)
            inputs, named_inputs = structure.unflatten([_trace(batch, *pair) for pair in pairs])
            whole = _not_mapped(structure.children[0], values, axes)
            inputs = [a if keep else x for a, x, keep in zip(args, inputs, whole, strict=True)]
            try:
                y = f(*inputs, **named_inputs)
            except ValueError as error:
                raise_ours(error)
                raise
            results, structure = flatten_with_paths(y)
            if not results and not _has_no_text(structure):
                raise NotANumberError(
                    where="vmap: the result",
                    expected="numbers and arrays, in any container",
                    got=describe(y),
                    fix="Return what was computed from the arguments.",
                )
            out = _spread(out_axes, structure, "vmap(out_axes=...)", "the result")
            pairs = zip(results, out, strict=True)
            ys = [_with_axis(batch, result, axis) for result, axis in pairs]
        # a result may be a view of an argument, which its owner may overwrite later
        ys = [_batching().unshare(y, values) for y in ys]
        return structure.unflatten(to_caller(ys, values))

    return mapped


# --- which axes -----------------------------------------------------------------------------------


def expect_axes(axes: object, where: str) -> None:
    """Raise `OptionError` for axes that are not integers, in any container."""
    leaves, structure = flatten(axes)
    wrong = [x for x in leaves if isinstance(x, bool) or index_of(x) is None]
    # strings and functions are part of a structure, so that no leaf shows them
    if wrong or not _has_no_text(structure):
        raise _no_axis(axes, where)


def _has_no_text(tree: PyTree) -> bool:
    """Return whether there is no string and no function in a structure."""
    if tree.rebuild is None or tree.kind == "NoneType":
        return True
    if tree.children:
        return all(map(_has_no_text, tree.children))
    return isinstance(tree.unflatten([]), (tuple, list, dict))


def _no_axis(axes: object, where: str) -> OptionError:
    return OptionError(
        where=where,
        expected="an axis, None, or a container of these",
        got=describe(axes),
        fix="Write vmap(f, in_axes=(0, None)) to map the first of two arguments.",
    )


def _axes_of_arguments(in_axes: object, tree: PyTree) -> list[Any]:
    """Return the axis for each leaf of the arguments. ``None`` means not mapped."""
    args, options = tree.children
    where = "vmap(in_axes=...)"
    if isinstance(in_axes, (tuple, list)):
        if len(in_axes) != len(args.children):
            raise SizeError(
                where=where,
                expected=f"an entry for each of the {len(args.children)} positional arguments",
                got=f"{len(in_axes)}: {in_axes!r}",
                fix="Write None for an argument that is not mapped.",
            )
        pairs = enumerate(zip(in_axes, args.children, strict=True))
        found = [a for i, (s, child) in pairs for a in _spread(s, child, where, f"argument {i}")]
    else:
        found = _spread(in_axes, args, where, "the arguments")
    return found + [0] * options.size  # keyword arguments are mapped over axis 0, as in JAX


def _not_mapped(tree: PyTree, values: Sequence[Any], axes: Sequence[Any]) -> list[bool]:
    """Return for each argument whether the function takes it as it is, with its own parameters.

    A module that is not mapped so keeps its gradients: one that is rebuilt has new parameters.
    """
    found, start = [], 0
    for child in tree.children:
        part = slice(start, start := start + child.size)
        fixed = all(axis is None for axis in axes[part])
        found.append(fixed and not any(map(is_array, values[part])))
    return found


def _spread(spec: object, tree: PyTree, where: str, like: str) -> list[Any]:
    """Return an axis for each leaf of ``tree``, from one for all of them or from a container."""
    leaves, form = flatten(spec)
    try:
        return _spread_form(form, iter(leaves), tree)
    except LookupError:
        raise SizeError(
            where=where,
            expected=f"an axis, None, or a container like {like}, {tree}",
            got=repr(spec),
            fix="Write one axis, or None, for everything inside a container.",
        ) from None


def _spread_form(form: PyTree, leaves: Iterator[Any], tree: PyTree) -> list[Any]:
    if form.kind == "NoneType":
        return [None] * tree.size
    if form.rebuild is None:
        return [next(leaves).__index__()] * tree.size  # one axis for all leaves of a container
    if tree.rebuild is None or form.names != tree.names:
        raise LookupError
    pairs = zip(form.children, tree.children, strict=True)
    return [axis for part, inner in pairs for axis in _spread_form(part, leaves, inner)]


def _name(path: str) -> str:
    """Return ``[0][1]['w']``, a path in (args, options), as ``argument 1['w']``."""
    rest = path.partition("]")[2]
    first, _, inner = rest[1:].partition("]")
    return f"argument {first}{inner}"


# --- sizes ----------------------------------------------------------------------------------------


def _size(leaves: Sequence[Leaf], axes: Sequence[Any]) -> int:
    """Return the number of examples."""
    mapped = [(leaf, axis) for leaf, axis in zip(leaves, axes, strict=True) if axis is not None]
    sizes = {leaf.path: _length(leaf, axis) for leaf, axis in mapped}
    if len(set(sizes.values())) == 1:
        return next(iter(sizes.values()))
    if not sizes:
        raise OptionError(
            where="vmap",
            expected="an array to map over, in an argument whose entry in in_axes is an axis",
            got="none",
            fix="Call the function itself, or give an argument an axis: in_axes=0.",
        )
    raise SizeError(
        where="vmap",
        expected="one length of all axes that are mapped",
        got=", ".join(f"{n} in {path}" for path, n in sizes.items()),
        fix="Pass in_axes= with the axis of the examples; None leaves an argument as it is.",
    )


def _length(leaf: Leaf, axis: int) -> int:
    where = f"vmap: {leaf.path}"
    shape = getattr(leaf.value, "shape", None)
    if shape is None:
        raise NotANumberError(
            where=where,
            expected="an array or a Tensor, whose axis can be mapped",
            got=describe(leaf.value),
            fix="Pass numpy.array([...]) for a list of examples; in_axes=None does not map.",
        )
    if not -len(shape) <= axis < len(shape):
        raise SizeError(
            where=where,
            expected=f"an array with an axis {axis} to map over",
            got=f"shape {tuple(shape)}",
            fix="Write in_axes=None not to map it, or an axis from 0, or from -1 at the end.",
        )
    return int(shape[axis])


# --- in and out -----------------------------------------------------------------------------------


def _trace(batch: VmapLevel, x: object, axis: object) -> Any:
    """Return the tracer of an array, with its examples along the first axis.

    Arrays are copied, for a graph may look at them after their owner has changed them.
    """
    if is_array(x):
        x = arrays().Tensor(x)
    return x if axis is None else batch.box(_batching().move_axis(x, axis, 0), None)


def _with_axis(batch: VmapLevel, result: Leaf, axis: Any) -> Any:
    """Return a result of all examples, which are along ``axis``."""
    y = result.value
    if axis is None and batch.owns(y):
        raise OptionError(
            where=f"vmap(out_axes=None): the result{result.path}",
            expected="a result that is the same for all examples",
            got=f"one that depends on them, of shape {y.shape} each",
            fix="Pass out_axes= with the axis of the examples.",
        )
    if axis is None:
        return y
    ndim = 1 + getattr(y, "ndim", 0)
    if not -ndim <= axis < ndim:
        raise SizeError(
            where=f"vmap(out_axes=...): the result{result.path}",
            expected=f"an axis from {-ndim} to {ndim - 1}",
            got=str(axis),
            fix=f"Write an axis of the result with its examples, which has {ndim} axes.",
        )
    return _batching().move_axis(batch.lowered(y), 0, axis)


def _batching() -> Any:
    """Return the array half of `levels.vmap`, which needs NumPy."""
    from ..tensor.tracing import batching

    return batching
