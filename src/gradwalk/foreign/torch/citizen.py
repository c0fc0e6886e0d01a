"""`to_torch`: a function of gradwalk whose gradient PyTorch asks for, by `torch.autograd.Function`.

Its backward pass is a pullback of gradwalk. If PyTorch records it, with ``create_graph=True``, it
is one more such function, so derivatives of every order are by the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any

import numpy as np

from ...core.carrier import is_tensor
from ...core.expect import describe
from ...core.pytree import flatten
from ...engine.scalar import Scalar
from ...errors import NotANumberError, OptionError
from ...libraries import LibraryArray
from ...libraries.held import Raw
from ...libraries.places import Place, place_of
from ...tensor.graph.placed import PlacedTensor
from ...tensor.graph.tensor import Tensor
from ...transforms.gradients import vjp
from ..library import framework

__all__ = ["citizen"]

Flat = Callable[[Sequence[Any]], Sequence[Any]]
"""A function of a list of Tensors, which gives a list."""


def citizen(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` as a function of PyTorch: see `to_torch`."""
    torch = framework("torch", "to_torch(f)")

    @wraps(f)
    def call(*args: Raw, **options: Any) -> Any:
        leaves, structure = flatten((args, options))
        moving = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor)]
        shapes: list[Any] = []

        def flat(xs: Sequence[Any]) -> list[Any]:
            given = list(leaves)
            for i, x in zip(moving, xs, strict=True):
                given[i] = x
            own, named = structure.unflatten(given)
            results, shape = flatten(f(*own, **named))
            shapes[:] = [shape]
            return list(results)

        try:
            results = _function().apply(flat, *[leaves[i] for i in moving])
        except RuntimeError as error:
            if "functorch transforms" not in str(error):
                raise
            raise _inside() from error
        return shapes[0].unflatten(list(results))

    return call


def _inside() -> OptionError:
    return OptionError(
        where="to_torch(f)",
        expected="tensors that no transform of torch.func has",
        got="one that such a transform has",
        fix="Write gradwalk.to_torch(gradwalk.vmap(gradwalk.grad(f))): transform first.",
    )


@cache
def _function() -> Any:
    torch = framework("torch", "to_torch(f)")

    class Gradwalk(torch.autograd.Function):  # type: ignore[misc, name-defined]
        """A function of gradwalk among the operations of PyTorch."""

        @staticmethod
        def forward(ctx: Raw, function: Flat, *xs: Raw) -> Any:
            wrt = [i for i, x in enumerate(xs) if x.is_floating_point() and x.requires_grad]
            tensors, ctx.function, ctx.wrt = [_tensor(x) for x in xs], function, wrt
            ctx.save_for_backward(*xs)
            place = place_of(xs[0]) if xs else None
            results, ctx.pull, ctx.out = _pulled(function, tensors, wrt)
            ys = tuple([_array(y, place, xs) for y in results])
            ctx.mark_non_differentiable(*[y for k, y in enumerate(ys) if k not in ctx.out])
            return ys

        @staticmethod
        def backward(ctx: Raw, *cotangents: Raw) -> Any:
            xs = ctx.saved_tensors  # raises if one has been written into since
            ts = [cotangents[k] for k in ctx.out]
            found: list[Any] = [None] * len(xs)
            if ctx.wrt and torch.is_grad_enabled():
                back = _pullback(ctx.function, len(xs), ctx.wrt)
                slopes = Gradwalk.apply(back, *xs, *ts)
            elif ctx.wrt:
                given = [_tensor(t) for t in ts]
                slopes = [_array(g, place_of(xs[0]), ()) for g in ctx.pull(given)]
            else:
                slopes = []
            for i, slope in zip(ctx.wrt, slopes, strict=True):
                found[i] = slope
            return (None, *found)

    return Gradwalk


def _pulled(function: Flat, xs: Sequence[Any], wrt: Sequence[int]) -> tuple[Any, Any, list[int]]:
    """Return the results, the pullback by some arguments, and which results have gradients."""
    out: list[int] = []
    rest: list[Any] = []

    def results(*moved: Raw) -> list[Any]:
        own = dict(zip(wrt, moved, strict=True))
        ys = function([own.get(i, x) for i, x in enumerate(xs)])
        out[:] = [k for k, y in enumerate(ys) if _flows(y)]
        rest[:] = [None if k in out else y for k, y in enumerate(ys)]
        return [ys[k] for k in out]

    if not wrt:
        return list(function(xs)), None, []
    ys, pull = vjp(results, *[xs[i] for i in wrt])
    found, floats = list(rest), iter(ys)
    for k in out:
        found[k] = next(floats)
    return found, lambda ts: pull(list(ts)), out


def _flows(y: Raw) -> bool:
    """Return whether a result is a number that may have a gradient."""
    return isinstance(y, Scalar) or (is_tensor(y) and y.dtype.kind == "f")


def _pullback(function: Flat, n: int, wrt: Sequence[int]) -> Flat:
    """Return the pullback as a function of the n arguments and the gradients of the results."""

    def back(given: Sequence[Any]) -> list[Any]:
        return list(_pulled(function, given[:n], wrt)[1](given[n:]))

    return back


def _tensor(x: Raw) -> Tensor:
    """Return a Tensor in the memory of one of PyTorch, which PyTorch guards against writes."""
    x = x.detach()
    return Tensor._of(LibraryArray(x, place_of(x)))


def _array(y: Raw, place: Place | None, xs: Sequence[Any]) -> Any:
    """Return a result as a tensor of PyTorch: no argument itself, which would be changed."""
    torch = framework("torch", "to_torch(f)")
    if type(y) is PlacedTensor and y._data.place.library == "torch":
        raw = y.data
        return raw.clone() if any(raw.data_ptr() == x.data_ptr() for x in xs) else raw
    device = None if place is None else place.device
    if is_tensor(y):
        return torch.as_tensor(y.numpy(), device=device)
    if isinstance(y, Scalar):
        return torch.as_tensor(y.data, dtype=torch.float64, device=device)
    if type(y) is float:  # in single precision by PyTorch's default
        return torch.as_tensor(y, dtype=torch.float64, device=device)
    if isinstance(y, (bool, int, float, np.ndarray, np.generic)):
        return torch.as_tensor(y, device=device)
    if isinstance(y, torch.Tensor):
        return y.detach()
    raise NotANumberError(
        where="to_torch(f): the result of f",
        expected="Tensors and numbers, in lists, tuples and dicts",
        got=describe(y),
        fix="Return the numbers that PyTorch is to compute with, and nothing else.",
    )
