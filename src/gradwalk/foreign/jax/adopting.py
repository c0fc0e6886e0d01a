"""`adopt` for functions of JAX."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...tensor import Tensor
from ..adoption import Adoption
from ..agreement import TINY
from ..dialects import densify
from ..values import Operand, array_of, is_live
from . import library as jax
from .calling import Jaxpr, eps_of, floating, from_jax, is_complex, is_key
from .checking import differing
from .complexes import Complex, leaf_of
from .reading import Evaluated, Reader

__all__ = ["adopted"]

ROUNDS = 3  # of evaluation, each without the equations that have differed before


class _Leaf:
    """One array among the arguments: its name, itself, and what stands for it."""

    def __init__(self, name: str, given: Operand) -> None:
        self.name, self.given = name, given
        self.array = given if is_key(given) else jax.numpy.asarray(given)
        kind = jax.dtypes.issubdtype
        self.complex = not is_key(given) and bool(kind(self.array.dtype, np.complexfloating))
        self.live = not is_key(given) and bool(kind(self.array.dtype, np.inexact))
        self.tensors: list[Any] = []

    def fresh(self) -> Any:
        """Return what the evaluation gets, with new Tensors in it."""
        if not self.live:
            return self.array
        array = array_of(self.array)
        if not self.complex:
            self.tensors = [_leaf_tensor(array, self.name)]
            return self.tensors[0]
        parts = (array.real, f"{self.name}.real"), (array.imag, f"{self.name}.imag")
        self.tensors = [_leaf_tensor(np.array(x), name) for x, name in parts]
        return leaf_of(self.array, *self.tensors)


def _leaf_tensor(array: Any, name: str) -> Any:
    return Tensor(array, requires_grad=True, label=name)


def adopted(f: Callable[..., Any], args: tuple[Any, ...]) -> Adoption:
    """Return a function of JAX as a graph of gradwalk, evaluated at ``args``."""
    with jax.debug_nans(False), jax.debug_infs(False), np.errstate(all="ignore"):
        return _adopted(f, args)


def _adopted(f: Callable[..., Any], args: tuple[Any, ...]) -> Adoption:
    paths, tree = jax.tree_util.tree_flatten_with_path(args)
    values = [x for _, x in paths]
    names = _names(f, [path for path, _ in paths])
    where = [i for i, x in enumerate(values) if _is_traced(x)]
    leaves = [_Leaf(names[i], values[i]) for i in where]

    def g(*xs: Any) -> Any:
        given = list(values)
        for i, x in zip(where, xs, strict=True):
            given[i] = x
        return f(*jax.tree_util.tree_unflatten(tree, given))

    arrays = [leaf.array for leaf in leaves]
    try:
        closed, shapes = jax.make_jaxpr(g, return_shape=True)(*arrays)
    except _untraced() as error:
        return _as_one(f, g, leaves, type(error).__name__)
    which, notes = _loss(shapes)
    return _evaluated(closed, g, leaves, which, notes)


def _evaluated(
    closed: Jaxpr, g: Callable[..., Any], leaves: Sequence[_Leaf], which: int, notes: list[str]
) -> Adoption:
    """Evaluate a jaxpr until the gradients agree: equations that differ are left to JAX."""
    hidden: frozenset[int] = frozenset()
    for _ in range(ROUNDS):
        adoption = Adoption("jax")
        adoption.notes += notes
        reader = Reader(adoption, hidden)
        out = reader.evaluate(closed, [leaf.fresh() for leaf in leaves])
        theirs = _finish(adoption, g, leaves, out, which)
        if adoption.agreement or theirs is None:
            break
        more = _more_hidden(adoption, reader.tape, leaves) - hidden
        if not more:
            break
        hidden |= more
    return adoption


def _untraced() -> tuple[type[Exception], ...]:
    """Return the errors of JAX for programs that depend on the numbers of their arrays."""
    names = (
        "ConcretizationTypeError",
        "NonConcreteBooleanIndexError",
        "TracerArrayConversionError",
    )
    more = ("TracerBoolConversionError", "TracerIntegerConversionError")
    return tuple([getattr(jax.errors, name) for name in (*names, *more)])


def _as_one(
    f: Callable[..., Any], g: Callable[..., Any], leaves: Sequence[_Leaf], why: str
) -> Adoption:
    """Return a function that JAX cannot trace without its numbers, as one opaque operation."""
    adoption = Adoption("jax")
    adoption.tell(f"JAX cannot trace the function ({why}), so it is one operation")
    out = jax.tree_util.tree_leaves(g(*[leaf.array for leaf in leaves]))
    which, notes = _loss(out)
    adoption.notes += notes
    live = [i for i, leaf in enumerate(leaves) if leaf.live and not leaf.complex]
    given = [leaf.fresh() for leaf in leaves]
    floats = [i for i, y in enumerate(out) if floating(y)]

    def run(*some: Any) -> tuple[Any, ...]:
        arrays = [leaf.array for leaf in leaves]
        for i, s in zip(live, some, strict=True):
            arrays[i] = s
        found = jax.tree_util.tree_leaves(g(*arrays))
        return tuple([found[i] for i in floats])

    code = getattr(f, "__code__", None)
    place = (code.co_filename, code.co_firstlineno, code.co_name) if code is not None else None
    kinds, inputs = [leaves[i].array for i in live], [given[i] for i in live]
    refs = [*map(from_jax, out)]
    name = getattr(f, "__name__", "the function")
    if live:
        refs = Reader(adoption, frozenset()).hidden_results(
            name, run, kinds, inputs, refs, floats, place
        )
    _finish(adoption, g, leaves, refs, which)
    return adoption


def _more_hidden(
    adoption: Adoption, tape: Sequence[Evaluated], leaves: Sequence[_Leaf]
) -> frozenset[int]:
    """Return the equations that have to be left to JAX, so that the gradients agree.

    If there is none, gradients that differ by little beside the largest one do so by rounding.
    """
    result, agreement = adoption.result, adoption.agreement
    seed = np.ones(result.shape, result.dtype)
    found, largest = differing(result._node, seed, tape, agreement)
    for leaf in () if found else [x for x in leaves if x.live]:
        for x in leaf.tensors:
            size = float(np.abs(x._node.grad).max(initial=0.0))
            difference = agreement.gradients.get(x.label, 0.0) * max(size, TINY["d"])
            if largest and not agreement.is_more(difference / largest, eps_of(leaf.array)):
                agreement.forgive(x.label)
    return found


def _finish(
    adoption: Adoption, g: Callable[..., Any], leaves: Sequence[_Leaf], out: list[Any], which: int
) -> Any:
    """Give an adoption its result and its gradients, and compare them with JAX."""
    adoption.results = [None if isinstance(y, Complex) else y for y in out]
    for leaf in leaves:
        for x in leaf.tensors:
            adoption.leaves[x.label] = x
        if len(leaf.tensors) == 1:
            adoption.know(leaf.given, leaf.tensors[0])
    if which < 0 or isinstance(out[which], Complex):
        return None
    result = out[which]
    adoption.result = result if is_live(result) else Tensor(array_of(result), label="loss")
    if not is_live(result):
        adoption.notes.append("no gradient flows from an argument to the result")
        return None
    densify(result._node, "jax")
    for i, y in enumerate(out):  # else they are named after the attributes of the adoption
        if is_live(y) and y._node._inputs and not y._node.label:
            y._node.label = "loss" if i == which else f"result {i + 1}"
    result.backward(np.ones(result.shape, result.dtype), retain_graph=True)
    theirs = _gradients(adoption, g, leaves, which)
    for leaf, ts in zip([x for x in leaves if x.live], theirs or (), strict=False):
        eps = eps_of(leaf.array)
        for x, t in zip(leaf.tensors, ts, strict=True):
            ours = np.zeros(x.shape, x.dtype) if x._node.grad is None else x._node.grad
            adoption.agreement.gradient(x.label, ours, t, eps)
            x._node.grad = t.astype(x.dtype)
    return theirs


def _gradients(
    adoption: Adoption, g: Callable[..., Any], leaves: Sequence[_Leaf], which: int
) -> list[list[Any]] | None:
    """Return the gradients that JAX computes, for each leaf those of its Tensors."""
    live = [i for i, leaf in enumerate(leaves) if leaf.live]
    arrays = [leaf.array for leaf in leaves]

    def loss(*some: Any) -> Any:
        given = list(arrays)
        for i, s in zip(live, some, strict=True):
            given[i] = s
        return jax.tree_util.tree_leaves(g(*given))[which]

    try:
        y, pull = jax.vjp(loss, *[arrays[i] for i in live])
        found = pull(jax.numpy.ones(y.shape, y.dtype))
    except Exception as error:  # whatever a rule of the program raises
        first = str(error).partition("\n")[0].partition(". ")[0]
        adoption.notes.append(f"JAX computes no gradient: {first}")
        return None
    adoption.agreement.value("the result", adoption.result._data, array_of(y), eps=eps_of(y))
    parts = []
    for i, t in zip(live, found, strict=True):
        t = array_of(t)
        parts.append([t.real, -t.imag] if is_complex(arrays[i]) else [t])
    return parts


def _is_traced(x: Operand) -> bool:
    """Return whether an argument is an array or a float; others are constants."""
    if is_key(x) or isinstance(x, (float, complex)):
        return True
    dtype = getattr(x, "dtype", None)
    return dtype is not None and getattr(dtype, "kind", "O") in "fiubcV" and hasattr(x, "shape")


def _loss(shapes: Any) -> tuple[int, list[str]]:
    """Return which result is the loss, and what there is to say about that; -1 for none."""
    found = jax.tree_util.tree_leaves(shapes)
    floats = [i for i, s in enumerate(found) if jax.dtypes.issubdtype(s.dtype, np.floating)]
    if not floats:
        return -1, ["no result has floating numbers, so there is no loss"]
    scalars = [i for i in floats if _size(found[i]) == 1]
    which = scalars[0] if scalars else floats[0]
    notes = []
    if len(found) > 1:
        notes.append(f"of {len(found)} results the {_ordinal(which)} is taken for the loss")
    if not scalars:
        shape = tuple(found[which].shape)
        notes.append(f"the result has the shape {shape}: gradients are those of its sum")
    return which, notes


def _size(s: Any) -> int:
    """Return the number of elements of a shape."""
    return int(np.prod(s.shape))


def _ordinal(i: int) -> str:
    words = ("first", "second", "third", "fourth")
    return words[i] if i < len(words) else f"{i + 1}th"


def _names(f: Callable[..., Any], paths: Sequence[Any]) -> list[str]:
    """Return a name for each array among the arguments: ``params['w']``."""
    try:
        names = list(inspect.signature(f).parameters)
    except (TypeError, ValueError):
        names = []
    found = []
    for path in paths:
        i = path[0].idx
        first = names[i] if i < len(names) else f"args[{i}]"
        found.append(first + jax.tree_util.keystr(path[1:]))
    return found
