"""All first derivatives of a function of many numbers: `jacobian`, and `divergence`, its trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from math import prod
from typing import Any, Concatenate, Literal, NamedTuple, Unpack, overload

from ..core.calls import expect_function
from ..core.expect import describe
from ..core.functions import Lambda, Transformed, UnaryOfTable, Untyped
from ..core.pytree import PyTree, flatten
from ..engine.reverse import consumer_counts
from ..errors import OptionError, SizeError
from ..workers import Executor, executor_of
from .arguments import ArgNums, Inputs, expect_argnums, inputs_of, is_plain, outputs_of
from .divided import divided, of_arrays
from .gradients import split_aux
from .results import instantiate_zeros, to_caller
from .runs import Record
from .signatures import Carrier, Number, P, R, Ts, X

__all__ = ["divergence", "jacobian"]


Mode = Literal["forward", "fwd", "reverse", "rev"] | None


@overload
def jacobian(f: UnaryOfTable) -> Callable[[Number], Number]: ...  # type: ignore[overload-overlap]
# a lambda, whose parameters have no types
@overload
def jacobian(
    f: Lambda,
    argnums: ArgNums = 0,
    mode: Mode = None,
    has_aux: bool = False,
    workers: int | Executor | None = None,
) -> Untyped: ...
# number by number and array by array, one block: it is like the argument
@overload
def jacobian(
    f: Callable[Concatenate[Number, P], Number],
    argnums: Literal[0] = 0,
    mode: Mode = None,
    has_aux: Literal[False] = False,
    workers: int | Executor | None = None,
) -> Transformed[Concatenate[Number, P], Number]: ...
# by one float: the derivatives are in the containers of the result
@overload
def jacobian(
    f: Callable[Concatenate[float, P], R],
    argnums: Literal[0] = 0,
    mode: Mode = None,
    has_aux: Literal[False] = False,
    workers: int | Executor | None = None,
) -> Transformed[Concatenate[float, P], R]: ...
# of one float: they are in the containers of the argument
@overload
def jacobian(
    f: Callable[Concatenate[X, P], float],
    argnums: Literal[0] = 0,
    mode: Mode = None,
    has_aux: Literal[False] = False,
    workers: int | Executor | None = None,
) -> Transformed[Concatenate[X, P], X]: ...
# blocks within blocks: no type can tell
@overload
def jacobian(
    f: Callable[P, object],
    argnums: ArgNums = 0,
    mode: Mode = None,
    has_aux: bool = False,
    workers: int | Executor | None = None,
) -> Transformed[P, Any]: ...
def jacobian(
    f: Callable[..., Any],
    argnums: ArgNums = 0,
    mode: Mode = None,
    has_aux: bool = False,
    workers: int | Executor | None = None,
) -> Callable[..., Any]:
    """Return the function that computes all derivatives of all results of ``f``.

        x ↦ J,   J[i, j] = ∂f(x)[i] / ∂x[j]

    ``f`` runs once, and passes follow.

    Parameters
    ----------
    f
        A function that returns floating-point numbers and arrays, in any containers.
    argnums
        The position of the argument to differentiate by, or a tuple of positions.
    mode
        "forward" or "fwd" takes a pass per number that goes in, "reverse" or "rev" one per number
        that comes out; whichever is fewer if ``None``.
    has_aux
        Whether ``f`` returns ``(result, aux)``; then the new function returns ``(J, aux)``.
    workers
        A number of processes, or an `Executor`, that divides the passes of arrays into sixteen
        parts, whatever the number. ``None`` computes all here, and so do calls within other
        transforms.

    Returns
    -------
    a function of the arguments of f
        J has the structure of the result, where in place of each number or array is the structure
        of the argument (of a tuple of arguments for a tuple of positions). The block of a result of
        shape s and an argument of shape t has shape s + t; for two floats it is a float.

    Raises
    ------
    OptionError
        If ``mode`` is another word, ``workers`` are none, ``argnums`` names no argument, or one
        without numbers, or ``f`` is no function.
    NotANumberError
        If an argument or a result is not floating-point.

    See Also
    --------
    grad, sparse_jacobian

    Examples
    --------
    >>> from gradwalk import jacobian
    >>> jacobian(lambda x, y: [x * y, x + y], argnums=(0, 1))(2.0, 3.0)
    [(3.0, 2.0), (1.0, 1.0)]
    >>> import numpy as np
    >>> jacobian(lambda x: x[1:] * x[0])(np.array([2.0, 3.0, 5.0]))
    array([[3., 2., 0.],
           [5., 0., 2.]])
    """
    _expect_mode(mode)
    executor = None if workers is None else executor_of(workers, "jacobian")
    return jacobian_of(f, argnums, mode, has_aux, "jacobian", executor)


def jacobian_of(
    f: Callable[..., Any],
    argnums: ArgNums,
    mode: Mode,
    has_aux: bool,
    where: str,
    executor: Executor | None = None,
) -> Callable[..., Any]:
    """Return `jacobian` of ``f``, under the name of any transform for its messages."""
    expect_function(f, where)
    expect_argnums(argnums, where)
    if executor is None and hasattr(f, "compiled_through"):
        options = (argnums, mode, has_aux, where)
        return f.compiled_through(options, lambda g: jacobian_of(g, *options))  # type: ignore[no-any-return]

    @wraps(f)
    def whole(*args: Any, **options: Any) -> Any:
        at = derivative_of(f, args, options, argnums, where, has_aux)
        # a pass per element that goes in, or per element that comes out: by default the fewer
        forward = mode in ("forward", "fwd") or (not mode and at.is_tall)
        if executor is not None and at.is_alone:
            again = partial(derivative_of, f, args, options, argnums, where, has_aux)
            grid = divided(executor, at, again, forward)
        else:
            grid = _by_columns(at) if forward else _by_rows(at)
        rows = [at.inputs.structure.unflatten(to_caller(row, at.inputs.leaves)) for row in grid]
        matrix = at.structure.unflatten(rows)
        return (matrix, at.aux()) if has_aux else matrix

    return whole


def _expect_mode(mode: object) -> None:
    if mode not in (None, "forward", "fwd", "reverse", "rev"):
        raise OptionError(
            where="jacobian(mode=...)",
            expected='"forward" or "fwd", "reverse" or "rev", or None',
            got=describe(mode),
            fix="Write 'forward' for few arguments, 'reverse' for few results, or None to choose.",
        )


@overload
def divergence(f: Lambda, /, *, argnums: ArgNums = 0) -> Untyped: ...
@overload
def divergence(f: Lambda, /, *at: Any, argnums: ArgNums = 0) -> Any: ...
@overload
def divergence(  # type: ignore[overload-overlap]
    f: Callable[Concatenate[Carrier, P], object], /, *, argnums: Literal[0] = 0
) -> Transformed[Concatenate[Carrier, P], Carrier]: ...
@overload
def divergence(f: Callable[P, object], /, *, argnums: ArgNums = 0) -> Transformed[P, float]: ...  # type: ignore[overload-overlap]
@overload
def divergence(  # type: ignore[overload-overlap]
    f: Callable[[Carrier], object], x: Carrier, /, *, argnums: Literal[0] = 0
) -> Carrier: ...
@overload
def divergence(f: Callable[[Unpack[Ts]], object], /, *at: *Ts, argnums: ArgNums = 0) -> float: ...
def divergence(f: Callable[..., Any], *at: Any, argnums: ArgNums = 0) -> Any:  # type: ignore[misc]
    """Return the divergence of a vector field: the trace of the Jacobian of ``f``.

        Σᵢ ∂f(x)[i] / ∂x[i]

    Only the diagonal is kept: the memory of one row, not of the matrix.

    Parameters
    ----------
    f
        A function whose result has the structure and the shapes of its argument.
    *at
        The arguments of ``f``: ``divergence(f, x)`` is the number. Without any the function of them
        is returned.
    argnums
        The position of the argument to differentiate by, or a tuple of positions, for a function
        that returns a tuple of as many.

    Returns
    -------
    ()
        The sum of the diagonal, or the function that computes it.

    Raises
    ------
    SizeError
        If the result has another structure or shape than the argument.
    NotANumberError
        If an argument or a result is not floating-point.
    OptionError
        If ``argnums`` names no argument, or one without numbers, or ``f`` is no function.

    See Also
    --------
    laplacian, jacobian

    Examples
    --------
    >>> from gradwalk import divergence
    >>> divergence(lambda p: (p[0] ** 2, p[0] * p[1]), (3.0, 5.0))
    9.0
    """
    expect_function(f, "divergence")

    @wraps(f)
    def trace(*args: Any, **options: Any) -> Any:
        here = derivative_of(f, args, options, argnums, "divergence")
        _expect_field(here)
        return to_caller([here.trace()], here.inputs.leaves)[0]

    return trace(*at) if at else trace


def _expect_field(at: Derivative) -> None:
    """Raise `SizeError` for a function whose results are not like its arguments."""
    structure = at.inputs.structure
    expected = [getattr(x, "shape", ()) for x in at.inputs.primals]
    actual = [getattr(y, "shape", ()) for y in at.ys]
    if str(structure) != str(at.structure) or expected != actual:
        raise SizeError(
            where="divergence: the result",
            expected=f"the structure of the argument, {structure}, of shapes {expected}",
            got=f"{at.structure}, of shapes {actual}",
            fix="Return as many components as there are coordinates, or use gradwalk.jacobian "
            "for other functions.",
        )


# --- the derivative at a point --------------------------------------------------------------------


class Derivative(NamedTuple):
    """The derivative of a function at a point: a linear map, to be applied in either direction."""

    inputs: Inputs
    record: Record
    ys: list[Any]
    structure: PyTree
    extras: Any

    def aux(self) -> Any:
        """Return what the function returned beside its result."""
        leaves, structure = flatten(self.extras)
        return structure.unflatten(to_caller(self.record.level.primals(leaves), self.inputs.leaves))

    def jvp(self, i: int, t: Any) -> list[Any]:
        """Return the tangents of all results for the tangent ``t`` of one leaf."""
        return self.record.level.tangents(self.ys, [{self.record.steps[i]: t}])[0]

    def vjp(self, o: int, t: Any) -> list[Any]:
        """Return the gradients of ``t`` · one of the results for all leaves of the arguments."""
        return self.record.vjp([self.ys[o]], [t])

    @property
    def is_alone(self) -> bool:
        """Whether no other transform and no graph depends on it, so that it can be sent away."""
        return all(map(is_plain, [*self.inputs.primals, *self.record.level.primals(self.ys)]))

    @property
    def is_tall(self) -> bool:
        """Whether more numbers come out than go in."""
        return sum(map(_size, self.inputs.primals)) < sum(map(_size, self.ys))

    @property
    def widest(self) -> int:
        """The most elements that a pass holds at one step."""
        steps = [self.record.level.step_of(y) for y in self.ys]
        # a pass visits these nodes, and holds an array like theirs for every seed
        below = [consumer_counts(step) for step in steps if step is not None]
        return max((prod(step.shape or ()) for found in below for step in found), default=1)

    def blocks(
        self,
        run_pass: Callable[[Any], list[Any]],
        of: object,
        others: Sequence[Any],
        last: bool = False,
    ) -> list[Any]:
        """Return the blocks that passes from all elements of ``of`` give, with its axes first or
        last.

        The passes of an array run together, by `vmap`.
        """
        if hasattr(of, "dtype"):
            return of_arrays().blocks(run_pass, of, others, self.widest, last)  # type: ignore[no-any-return]
        return instantiate_zeros(run_pass(1.0), others)

    def diagonal(self) -> list[Any]:
        """Return ∂y[i]/∂x[i] for all elements of each leaf, where results are like arguments."""
        return [self._own_diagonal(i, x) for i, x in enumerate(self.inputs.primals)]

    def _own_diagonal(self, i: int, x: object) -> Any:
        if hasattr(x, "dtype"):
            return of_arrays().diagonal(lambda t: self.jvp(i, t)[i], x, self.widest)
        return instantiate_zeros([self.jvp(i, 1.0)[i]], [x])[0]

    def trace(self) -> int:
        """Return the sum of the diagonal."""
        return sum(x.sum() if hasattr(x, "dtype") else x for x in self.diagonal())


def derivative_of(
    f: Callable[..., Any],
    args: Sequence[Any],
    options: dict[str, Any],
    argnums: ArgNums,
    where: str,
    has_aux: bool = False,
) -> Derivative:
    """Return the derivative of ``f`` at ``args``, from one run."""
    inputs = inputs_of(f, args, options, argnums, where)
    record = Record(inputs.call, inputs.primals, where)
    y, aux = split_aux(record.result, where) if has_aux else (record.result, None)
    record.result = None  # so that the tape keeps only what leads to the results
    ys, structure = outputs_of(y, where)
    return Derivative(inputs, record, ys, structure, aux)


def _size(x: Any) -> int:
    return int(x.size) if hasattr(x, "dtype") else 1


def _by_rows(at: Derivative) -> list[list[Any]]:
    """Return the blocks of each result, by one reverse pass for each of its elements."""
    xs = at.inputs.primals
    return [at.blocks(partial(at.vjp, o), y, xs) for o, y in enumerate(at.ys)]


def _by_columns(at: Derivative) -> list[list[Any]]:
    """Return the blocks of each result, by one forward pass for each element of the arguments."""
    xs, record = at.inputs.primals, at.record
    if at.inputs.floats:  # the tangents of all of them pass together
        found = record.level.tangents(at.ys, [{step: 1.0} for step in record.steps])
        columns = [instantiate_zeros(column, at.ys) for column in found]
    else:
        columns = [at.blocks(partial(at.jvp, i), x, at.ys, last=True) for i, x in enumerate(xs)]
    return [list(row) for row in zip(*columns, strict=True)]
