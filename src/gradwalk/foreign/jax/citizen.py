"""`to_jax`: a function of gradwalk as a primitive of JAX, whose rules are transforms of gradwalk.

The parameter of the primitive is the function, on a flat list of arrays. Its JVP, its transpose and
its batched form are functions of gradwalk again, so derivatives of every order are by the table,
with its structural zeros, which a transposed JVP would multiply by infinite slopes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any, NamedTuple

import numpy as np

from ...core.carrier import is_tensor
from ...core.expect import describe
from ...engine.scalar import Scalar
from ...errors import NotANumberError
from ...libraries.constants import is_traced
from ...libraries.held import Raw
from ...libraries.places import is_foreign
from ...program.compiling import compile
from ...tensor.graph.placed import PlacedTensor
from ...tensor.graph.tensor import Tensor
from ...transforms.directions import jvp
from ...transforms.gradients import vjp
from ...transforms.mapping import vmap
from ..library import framework

__all__ = ["citizen"]

Flat = Callable[[Sequence[Any]], Sequence[Any]]
"""A function of a list of Tensors, which gives a list."""


class Linear(NamedTuple):
    """What is known of a function that is linear in its arguments from number ``first`` on."""

    first: int
    transpose: Flat


def _jax() -> Any:
    return framework("jax", "to_jax(f)")


def citizen(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` as a function of JAX: see `to_jax`."""
    tree: Any = _jax().tree_util

    @wraps(f)
    def call(*args: Raw, **options: Any) -> Any:
        leaves, structure = tree.tree_flatten((args, options))
        moving = [i for i, x in enumerate(leaves) if is_foreign(x) or isinstance(x, np.ndarray)]
        arrays = [_jax().numpy.asarray(leaves[i]) for i in moving]
        rest = [None if i in moving else x for i, x in enumerate(leaves)]
        shapes: list[Any] = []

        def flat(xs: Sequence[Any]) -> list[Any]:
            given = list(rest)
            for i, x in zip(moving, xs, strict=True):
                given[i] = x
            own, named = tree.tree_unflatten(structure, given)
            results: list[Any]
            results, shape = tree.tree_flatten(f(*own, **named))
            shapes[:] = [shape]
            return results

        results = _primitive().bind(*arrays, function=flat, linear=None)
        return tree.tree_unflatten(shapes[0], results)

    return call


def _run(function: Flat, arrays: Sequence[Any]) -> list[Any]:
    """Return the arrays that a function gives for arrays.

    What JAX traces is recorded before, so that a loop stays a loop: the gradient of a scan of 300
    steps took 4.4 s to compile, and takes 0.2.
    """
    if any(map(is_traced, arrays)):
        function = compile(function)
    return [_array(y) for y in function([Tensor(x) for x in arrays])]


def _array(y: Raw) -> Any:
    """Return a result as an array of JAX; one of NumPy is a constant."""
    if type(y) is PlacedTensor:
        return y.data
    if is_tensor(y):
        return _jax().numpy.asarray(y.numpy())
    if isinstance(y, Scalar):
        return _jax().numpy.asarray(y.data)
    if isinstance(y, (bool, int, float, np.ndarray, np.generic)) or is_foreign(y):
        return _jax().numpy.asarray(y)
    raise NotANumberError(
        where="to_jax(f): the result of f",
        expected="Tensors, arrays and numbers, in containers that JAX knows",
        got=describe(y),
        fix="Return the numbers that JAX is to compute with, and nothing else.",
    )


# --- the primitive --------------------------------------------------------------------------------


@cache
def _primitive() -> Any:
    from jax.extend.core import Primitive
    from jax.interpreters import ad, batching, mlir

    primitive = Primitive("gradwalk")
    primitive.multiple_results = True

    def run(*arrays: Raw, function: Flat, linear: Linear | None) -> list[Any]:
        return _run(function, arrays)

    def shapes(*given: Raw, function: Flat, linear: Linear | None) -> Any:
        plain = [_jax().ShapeDtypeStruct(x.shape, x.dtype) for x in given]
        found = _jax().eval_shape(lambda *arrays: _run(function, arrays), *plain)
        return [_jax().core.ShapedArray(x.shape, x.dtype) for x in found]

    primitive.def_impl(run)
    primitive.def_abstract_eval(shapes)
    mlir.register_lowering(primitive, mlir.lower_fun(run, multiple_results=True))
    ad.primitive_jvps[primitive] = _tangents
    ad.primitive_transposes[primitive] = _transposed
    batching.primitive_batchers[primitive] = _batched
    return primitive


def _tangents(
    primals: Sequence[Any], tangents: Sequence[Any], function: Flat, linear: Linear | None
) -> tuple[Any, Any]:
    """Return results and tangents: by one more use of the primitive, linear in the tangents."""
    from jax.interpreters import ad

    primitive, n = _primitive(), len(primals)
    ys = primitive.bind(*primals, function=function, linear=linear)
    wrt = [i for i, t in enumerate(tangents) if type(t) is not ad.Zero and _floats(primals[i])]
    out = [k for k, y in enumerate(ys) if _floats(y)]
    found: list[Any] = [ad.Zero(_jax().typeof(y).to_tangent_aval()) for y in ys]
    if wrt and out:
        slope, back = _derivative(function, n, wrt, out)
        given = [*primals, *[tangents[i] for i in wrt]]
        ts = primitive.bind(*given, function=slope, linear=Linear(n, back))
        for k, t in zip(out, ts, strict=True):
            found[k] = t
    return ys, found


def _floats(x: Raw) -> bool:
    return bool(_jax().numpy.issubdtype(x.dtype, np.floating))


def _derivative(
    function: Flat, n: int, wrt: Sequence[int], out: Sequence[int]
) -> tuple[Flat, Flat]:
    """Return the JVP of some results by some of n arguments, and its transpose."""

    def of(xs: Sequence[Any]) -> Callable[..., Any]:
        def results(*moved: Raw) -> list[Any]:
            own = dict(zip(wrt, moved, strict=True))
            ys = function([own.get(i, x) for i, x in enumerate(xs)])
            return [_tensor(ys[k], xs[0]) for k in out]

        return results

    def forward(given: Sequence[Any]) -> Any:
        xs, ts = given[:n], given[n:]
        return jvp(of(xs), tuple(xs[i] for i in wrt), tuple(ts))[1]

    def back(given: Sequence[Any]) -> Any:
        xs, ts = given[:n], given[n:]
        return vjp(of(xs), *[xs[i] for i in wrt])[1](list(ts))

    return forward, back


def _tensor(y: Raw, beside: Raw) -> Any:
    """Return a result that may be a number as a Tensor where the arguments are."""
    return y if is_tensor(y) or isinstance(y, Scalar) else Tensor(_array(y))


def _transposed(
    cotangents: Sequence[Any], *args: Raw, function: Flat, linear: Linear | None
) -> list[Any]:
    from jax.interpreters import ad

    if linear is None:  # JAX linearizes before: the primitive itself is never transposed
        raise NotImplementedError("gradwalk: the transpose of a function that is not linear")
    known = args[: linear.first]
    ts = [ad.instantiate_zeros(t) for t in cotangents]
    how = Linear(linear.first, function)
    found = _primitive().bind(*known, *ts, function=linear.transpose, linear=how)
    return [*[None] * linear.first, *found]


def _batched(
    args: Sequence[Any], dims: Sequence[Any], function: Flat, linear: Linear | None
) -> tuple[Any, Any]:
    """Return the results for all examples, by `vmap` of gradwalk."""
    axes = [d if type(d) is int else None for d in dims]
    size = next(x.shape[d] for x, d in zip(args, axes, strict=True) if d is not None)
    first = len(args) if linear is None else linear.first
    moved = zip(args[first:], axes[first:], strict=True)
    given = [*args[:first], *[_in_front(x, d, size) for x, d in moved]]
    how = None if linear is None else Linear(first, _mapped(linear.transpose, axes[:first]))
    ys = _primitive().bind(*given, function=_mapped(function, axes[:first]), linear=how)
    return ys, [0] * len(ys)


def _in_front(x: Raw, axis: int | None, size: int) -> Any:
    """Return examples along the first axis; one that is the same for all is repeated."""
    numpy = _jax().numpy
    if axis is None:
        return numpy.broadcast_to(x, (size, *x.shape))
    return numpy.moveaxis(x, axis, 0)


def _mapped(function: Flat, axes: Sequence[int | None]) -> Flat:
    """Return the function of all examples; arguments beyond ``axes`` have them in front."""

    def run(xs: Sequence[Any]) -> Any:
        where = (*axes, *[0] * (len(xs) - len(axes)))
        return vmap(lambda *each: list(function(each)), in_axes=where)(*xs)

    return run
