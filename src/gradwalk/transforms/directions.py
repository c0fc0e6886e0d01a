"""Forward mode: `jvp` and `linearize`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Unpack, overload

from ..core.calls import expect_function
from ..core.functions import Lambda, UnaryOfTable, Untyped
from ..core.pytree import flatten
from .arguments import ArgNums, Inputs, inputs_of, outputs_of
from .cotangents import cotangents_like
from .gradients import split_aux
from .results import instantiate_zeros, to_caller
from .runs import Record, jvp_run
from .signatures import Aux, R, Ts, X

__all__ = ["jvp", "linearize"]


@overload
def jvp(f: UnaryOfTable, primals: tuple[X], tangents: tuple[X]) -> tuple[X, X]: ...
@overload
def jvp(
    f: Lambda, primals: object, tangents: object, *, argnums: ArgNums | None = None
) -> tuple[Any, Any]: ...
# tangents typed as the arguments, in a tuple of the same length
@overload
def jvp(f: Callable[[Unpack[Ts]], R], primals: tuple[*Ts], tangents: tuple[*Ts]) -> tuple[R, R]: ...
@overload
def jvp(
    f: Callable[[Unpack[Ts]], tuple[R, Aux]],
    primals: tuple[*Ts],
    tangents: tuple[*Ts],
    *,
    has_aux: Literal[True],
) -> tuple[R, R, Aux]: ...
# lists, single arguments and argnums
@overload
def jvp(
    f: Callable[..., R],
    primals: object,
    tangents: object,
    *,
    argnums: ArgNums | None = None,
    has_aux: Literal[False] = False,
) -> tuple[R, R]: ...
@overload
def jvp(
    f: Callable[..., tuple[R, Aux]],
    primals: object,
    tangents: object,
    *,
    argnums: ArgNums | None = None,
    has_aux: Literal[True],
) -> tuple[R, R, Aux]: ...
def jvp(
    f: Callable[..., Any],
    primals: Any,
    tangents: Any,
    *,
    argnums: ArgNums | None = None,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """Return the result of ``f`` and its tangent for given tangents of the arguments: forward mode.

        (x, ẋ) ↦ (f(x), ∂f/∂x · ẋ)

    Nothing is recorded: memory does not grow with the length of the program.

    Parameters
    ----------
    f
        A function that returns floating-point numbers and arrays, in any containers.
    primals
        The tuple, or list, of all arguments; a function of one argument may have it without a
        tuple.
    tangents
        One tangent for each argument, or for each that ``argnums`` names, in the same structure and
        shapes; for an int as ``argnums`` the tangent itself.
    argnums
        The positions of the arguments that have tangents; all if ``None``.
    has_aux
        Whether ``f`` returns ``(result, aux)``; then aux comes third.

    Returns
    -------
    (result, tangent) or (result, tangent, aux)
        The tangent has the structure and shapes of the result.

    Raises
    ------
    SizeError
        If the tangents have another structure or shape than their arguments.
    NotANumberError
        If an argument or a result is not floating-point.
    OptionError
        If ``argnums`` names no argument, or one without numbers, or ``f`` is no function.

    See Also
    --------
    linearize, vjp

    Examples
    --------
    >>> from gradwalk import jvp
    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 10.0))
    (6.0, 23.0)
    """
    expect_function(f, "jvp")
    args = tuple(primals) if isinstance(primals, (tuple, list)) else (primals,)
    inputs = inputs_of(f, args, {}, _all_of(args, argnums), "jvp")
    # a function of one argument may be called without tuples
    if not isinstance(tangents, (tuple, list)) and not inputs.single:
        tangents = (tangents,)
    ts = _tangents_like(tangents, inputs, "jvp(tangents)")
    level, result = jvp_run(inputs.call, inputs.primals, ts, "jvp")
    y, aux = split_aux(result, "jvp") if has_aux else (result, None)
    ys, structure = outputs_of(y, "jvp")
    extras, structure_of_aux = flatten(aux)
    out = instantiate_zeros([level.tangent(y) for y in ys], ys)
    value = structure.unflatten(to_caller(level.primals(ys), inputs.leaves))
    tangent = structure.unflatten(to_caller(out, inputs.leaves))
    if not has_aux:
        return value, tangent
    outer = to_caller(level.primals(extras), inputs.leaves)
    return value, tangent, structure_of_aux.unflatten(outer)


@overload
def linearize(
    f: Lambda, *primals: Any, argnums: ArgNums | None = None, **options: Any
) -> tuple[Any, Untyped]: ...
@overload
def linearize(
    f: Callable[[Unpack[Ts]], R], *primals: *Ts
) -> tuple[R, Callable[[Unpack[Ts]], R]]: ...
@overload
def linearize(
    f: Callable[..., R], *primals: Any, argnums: ArgNums | None = None, **options: Any
) -> tuple[R, Callable[..., R]]: ...
def linearize(  # type: ignore[misc]
    f: Callable[..., Any], *primals: Any, argnums: ArgNums | None = None, **options: Any
) -> tuple[Any, Callable[..., Any]]:
    """Return the result of ``f``, and its derivative there as a linear function of tangents.

        y = f(x),   ẋ ↦ ∂f/∂x · ẋ

    ``f`` runs once. Every call of the linear function is a forward pass, which is cheaper
    than `jvp` once there are several.

    Parameters
    ----------
    f
        A function that returns floating-point numbers and arrays, in any containers.
    *primals
        The arguments at which ``f`` is called.
    argnums
        The positions of the arguments that have tangents; all if ``None``.
    **options
        Keyword arguments of ``f``, which are constants.

    Returns
    -------
    (result, forward)
        ``forward`` takes one tangent per argument (per argument that ``argnums`` names), in its
        structure and shapes, and returns the tangent of the result, like the result.

    Raises
    ------
    NotANumberError
        If an argument or a result is not floating-point.
    OptionError
        If ``argnums`` names no argument, or one without numbers, or ``f`` is no function.
    SizeError
        By the linear function, for tangents of another structure or shape.

    See Also
    --------
    jvp

    Examples
    --------
    >>> from gradwalk import linearize
    >>> y, forward = linearize(lambda x: x**3, 2.0)
    >>> y, forward(1.0), forward(10.0)
    (8.0, 12.0, 120.0)
    """
    expect_function(f, "linearize")
    if argnums is None and len(primals) == 1:
        argnums = 0  # nothing to put into a tuple, and to take out of it in every pass
    inputs = inputs_of(f, primals, options, _all_of(primals, argnums), "linearize")
    record = Record(inputs.call, inputs.primals, "linearize")
    ys, structure = outputs_of(record.result, "linearize")
    record.result = None  # so that the tape keeps only what leads to the results

    def forward(*tangents: Any) -> Any:
        args = tangents[0] if inputs.single and len(tangents) == 1 else tangents
        ts = _tangents_like(args, inputs, "linearize: forward(tangents)")
        out = instantiate_zeros(record.jvp(ys, ts), ys)
        return structure.unflatten(to_caller(out, inputs.leaves))

    value = structure.unflatten(to_caller(record.level.primals(ys), inputs.leaves))
    return value, forward


def _all_of(args: Sequence[Any], argnums: ArgNums | None) -> ArgNums:
    """Return the positions to differentiate by, which are all of them by default."""
    return tuple(range(len(args))) if argnums is None else argnums


def _tangents_like(tangents: object, inputs: Inputs, where: str) -> list[Any]:
    """Return the leaves of tangents that are given in a tuple, or in a list."""
    if isinstance(tangents, list) and not inputs.single:
        tangents = tuple(tangents)  # for several arguments a list is as good as a tuple
    return cotangents_like(tangents, inputs.primals, inputs.structure, where)
