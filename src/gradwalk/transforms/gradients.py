"""Reverse mode: `grad`, `value_and_grad`, `vjp`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Literal, Unpack, overload

from ..core.calls import expect_function
from ..core.expect import describe
from ..core.functions import (
    Lambda,
    LikeFirst,
    ResultAndLikeFirst,
    Transformed,
    UnaryOfTable,
    Untyped,
)
from ..core.pytree import LEAF, PyTree, flatten
from ..engine.scalar import Scalar
from ..errors import OptionError
from ..levels.level import Level, running
from .arguments import (
    ArgNums,
    Inputs,
    expect_argnums,
    expect_scalar,
    inputs_of,
    is_plain,
    outputs_of,
)
from .cotangents import cotangents_like
from .graphs import gradients_at_bottom
from .results import ones_like, to_caller
from .runs import Record
from .signatures import Aux, P, R, Ts, X, Y

__all__ = ["grad", "value_and_grad", "vjp"]


# a lambda, whose parameters have no types
@overload
def grad(f: Lambda, argnums: Literal[0] = 0, has_aux: Literal[False] = False) -> LikeFirst: ...
@overload
def grad(f: Lambda, argnums: ArgNums = 0, has_aux: bool = False) -> Untyped: ...
# the usual call: f keeps its parameters, and the gradient is typed as the first of them
@overload
def grad(
    f: Callable[Concatenate[X, P], object], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Transformed[Concatenate[X, P], X]: ...
@overload
def grad(
    f: Callable[Concatenate[X, P], tuple[object, Aux]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
) -> Transformed[Concatenate[X, P], tuple[X, Aux]]: ...
# the other usual positions: a Literal tells types which argument is meant
@overload
def grad(
    f: Callable[Concatenate[X, Y, P], object], argnums: Literal[1], has_aux: Literal[False] = False
) -> Transformed[Concatenate[X, Y, P], Y]: ...
@overload
def grad(
    f: Callable[Concatenate[X, Y, P], object],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
) -> Transformed[Concatenate[X, Y, P], tuple[X, Y]]: ...
# any other positions: types cannot follow them
@overload
def grad(
    f: Callable[P, object], argnums: ArgNums = 0, has_aux: bool = False
) -> Transformed[P, Any]: ...
def grad(f: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the function that computes the gradient of ``f``, by reverse mode.

        x ↦ ∂f/∂x (x)

    Calls of the new function take the arguments of ``f``. Keyword arguments are constants.

    Parameters
    ----------
    f
        A function of numbers, arrays and containers of them that returns one number, of shape ().
    argnums
        The position of the argument to differentiate by, or a tuple of positions, which gives a
        tuple of gradients. Negative positions count from the end; other arguments may be anything.
    has_aux
        Whether ``f`` returns ``(result, aux)``; then the new function returns ``(gradient, aux)``.
        Derivatives ignore aux, which may be anything.

    Returns
    -------
    a function of the arguments of f
        Its result has the structure, the shapes and the kinds of number of the argument that
        ``argnums`` names: a float for a float, an array for an array, a dictionary for a
        dictionary. An int gives a float. A scalar of NumPy gives one of its precision, except that
        np.float64, a float of Python, gives a float.

    Raises
    ------
    SizeError
        If the result is an array with axes or a container: use `jacobian` or `vjp`.
    NotANumberError
        If the result is no floating-point number, or an argument is an array of integers.
    OptionError
        If ``argnums`` names no argument, or one without numbers, or ``f`` is no function.

    See Also
    --------
    value_and_grad, vjp, jacobian

    Examples
    --------
    >>> from gradwalk import grad, sin
    >>> grad(lambda x: x**3)(2.0)
    12.0
    >>> grad(grad(sin))(0.0)
    -0.0
    >>> grad(lambda p, x: p["w"] * x + p["b"])({"w": 2.0, "b": 1.0}, 3.0)
    {'w': 3.0, 'b': 1.0}
    """
    return gradient_of(f, argnums, has_aux, "grad")


def gradient_of(
    f: Callable[..., Any], argnums: ArgNums, has_aux: bool, where: str
) -> Callable[..., Any]:
    """Return the gradient of ``f``, under the name of any transform for its messages."""
    expect_function(f, where)
    if type(argnums) is not int:  # by far the most usual
        expect_argnums(argnums, where)
    if hasattr(f, "compiled_through"):
        key = (where, argnums, has_aux)
        return f.compiled_through(key, lambda g: gradient_of(g, argnums, has_aux, where))  # type: ignore[no-any-return]

    @wraps(f)
    def gradient(*args: Any, **options: Any) -> Any:
        inputs = inputs_of(f, args, options, argnums, where)
        values, structure, gradients, level = _differentiate(inputs, has_aux, where)
        result = inputs.build(gradients)
        if not has_aux:
            return result
        return result, structure.unflatten(_outside(values[1:], level, inputs))

    return gradient


@overload
def value_and_grad(f: UnaryOfTable) -> Callable[[X], tuple[X, X]]: ...  # type: ignore[overload-overlap]
@overload
def value_and_grad(
    f: Lambda, argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> ResultAndLikeFirst: ...
@overload
def value_and_grad(f: Lambda, argnums: ArgNums = 0, has_aux: bool = False) -> Untyped: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[X, P], R], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Transformed[Concatenate[X, P], tuple[R, X]]: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[X, P], tuple[R, Aux]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
) -> Transformed[Concatenate[X, P], tuple[tuple[R, Aux], X]]: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[X, Y, P], R], argnums: Literal[1], has_aux: Literal[False] = False
) -> Transformed[Concatenate[X, Y, P], tuple[R, Y]]: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[X, Y, P], R],
    argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False,
) -> Transformed[Concatenate[X, Y, P], tuple[R, tuple[X, Y]]]: ...
@overload
def value_and_grad(
    f: Callable[P, R], argnums: ArgNums = 0, has_aux: bool = False
) -> Transformed[P, tuple[R, Any]]: ...
def value_and_grad(
    f: Callable[..., Any], argnums: ArgNums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Return the function that computes the result of ``f`` and its gradient, in one run.

        x ↦ (f(x), ∂f/∂x (x))

    Parameters
    ----------
    f
        A function that returns one number, of shape ().
    argnums
        The position of the argument to differentiate by, or a tuple of positions, which gives a
        tuple of gradients.
    has_aux
        Whether ``f`` returns ``(result, aux)``; then the first of the two is ``(result, aux)``.

    Returns
    -------
    a function of the arguments of f
        It returns the result, and the gradient in the structure and shapes of the argument.

    Raises
    ------
    SizeError
        If the result is an array with axes or a container.
    NotANumberError
        If the result is no floating-point number, or an argument is an array of integers.
    OptionError
        If ``argnums`` names no argument, or one without numbers, or ``f`` is no function.

    See Also
    --------
    grad

    Examples
    --------
    >>> from gradwalk import value_and_grad
    >>> value_and_grad(lambda x, y: x * y, argnums=(0, 1))(2.0, 3.0)
    (6.0, (3.0, 2.0))
    """
    return value_and_gradient_of(f, argnums, has_aux, "value_and_grad")


def value_and_gradient_of(
    f: Callable[..., Any], argnums: ArgNums, has_aux: bool, where: str
) -> Callable[..., Any]:
    """Return `value_and_grad` of ``f``, under the name of any transform for its messages."""
    expect_function(f, where)
    if type(argnums) is not int:  # by far the most usual
        expect_argnums(argnums, where)
    if hasattr(f, "compiled_through"):
        key = (where, argnums, has_aux)
        return f.compiled_through(key, lambda g: value_and_gradient_of(g, argnums, has_aux, where))  # type: ignore[no-any-return]

    @wraps(f)
    def both(*args: Any, **options: Any) -> Any:
        inputs = inputs_of(f, args, options, argnums, where)
        values, structure, gradients, level = _differentiate(inputs, has_aux, where)
        value, *aux = _outside(values, level, inputs)
        result = inputs.build(gradients)
        return ((value, structure.unflatten(aux)) if has_aux else value), result

    return both


def _outside(values: list[Any], level: Level | None, inputs: Inputs) -> list[Any]:
    """Return results of a run as the caller sees them."""
    return to_caller(values if level is None else level.primals(values), inputs.leaves)


def _differentiate(
    inputs: Inputs, has_aux: bool, where: str
) -> tuple[list[Any], PyTree, list[Any], Level | None]:
    """Return a value and the leaves of aux, the structure of aux, the gradients, and the level.

    The values are tracers of the level, if there is one: `grad` has no use for them.
    """

    def split(result: object) -> tuple[list[Any], PyTree]:
        y, aux = split_aux(result, where) if has_aux else (result, None)
        if not isinstance(y, (float, Scalar)):  # the usual result is not flattened
            expect_scalar(y, where)
        leaves, structure = flatten(aux) if has_aux else ([], LEAF)
        return [y, *leaves], structure

    # without other transforms the compiled engines of Values and Tensors record faster than a tape
    if not running.depth and (inputs.floats or all(map(is_plain, inputs.primals))):
        return *gradients_at_bottom(inputs, split), None
    record = Record(inputs.call, inputs.primals, "grad")  # used once, so that it can be released
    values, structure = split(record.result)
    gradients = record.vjp(values[:1], [ones_like(values[0])], release=True)
    return values, structure, gradients, record.level


def split_aux(result: object, where: str) -> tuple[Any, Any]:
    """Return the two halves of what a function with ``has_aux`` returned."""
    if isinstance(result, (tuple, list)) and len(result) == 2:
        return result[0], result[1]
    raise OptionError(
        where=f"{where}(has_aux=True): the result",
        expected="a pair (result, aux)",
        got=describe(result),
        fix="Return two things, or leave has_aux out.",
    )


@overload
def vjp(f: UnaryOfTable, x: X, /) -> tuple[X, Callable[[X], tuple[X]]]: ...
@overload
def vjp(f: Lambda, *args: *Ts) -> tuple[Any, Callable[[Any], tuple[*Ts]]]: ...
@overload
def vjp(
    f: Lambda, *args: Any, argnums: ArgNums | None = None, has_aux: bool = False, **options: Any
) -> tuple[Any, ...]: ...
# plain positional arguments: the pullback gives a tuple typed as they are
@overload
def vjp(f: Callable[[Unpack[Ts]], R], *args: *Ts) -> tuple[R, Callable[[R], tuple[*Ts]]]: ...
@overload
def vjp(
    f: Callable[[Unpack[Ts]], tuple[R, Aux]], *args: *Ts, has_aux: Literal[True]
) -> tuple[R, Callable[[R], tuple[*Ts]], Aux]: ...
# keywords or argnums: what the pullback gives depends on their values
@overload
def vjp(
    f: Callable[..., R],
    *args: Any,
    argnums: ArgNums | None = None,
    has_aux: Literal[False] = False,
    **options: Any,
) -> tuple[R, Callable[[R], Any]]: ...
@overload
def vjp(
    f: Callable[..., tuple[R, Aux]],
    *args: Any,
    argnums: ArgNums | None = None,
    has_aux: Literal[True],
    **options: Any,
) -> tuple[R, Callable[[R], Any], Aux]: ...
def vjp(  # type: ignore[misc]
    f: Callable[..., Any],
    *args: Any,
    argnums: ArgNums | None = None,
    has_aux: bool = False,
    **options: Any,
) -> tuple[Any, ...]:
    """Return the result of ``f`` at ``args``, and the function that maps cotangents back.

        y = f(x),   ȳ ↦ ȳ · ∂f/∂x

    Parameters
    ----------
    f
        A function that returns floating-point numbers and arrays, in any containers.
    *args
        The arguments at which ``f`` is called: numbers, arrays and containers of them.
    argnums
        The positions of the arguments to differentiate by; all if ``None``. For an int the pullback
        returns the cotangent of that argument alone, without a tuple around it.
    has_aux
        Whether ``f`` returns ``(result, aux)``; then aux comes third.
    **options
        Keyword arguments of ``f``, which are constants.

    Returns
    -------
    (result, pullback) or (result, pullback, aux)
        ``pullback(cotangent)`` takes a cotangent in the structure and shapes of the result and
        returns a tuple of cotangents, one per argument, each like its argument. It may be called
        several times.

    Raises
    ------
    NotANumberError
        If an argument or a result is not floating-point.
    OptionError
        If ``argnums`` names no argument, or one without numbers, or ``f`` is no function.
    SizeError
        By the pullback, for a cotangent of another structure or shape.

    See Also
    --------
    jvp, grad

    Examples
    --------
    >>> from gradwalk import vjp
    >>> y, pullback = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> y, pullback(1.0)
    (6.0, (3.0, 2.0))
    """
    expect_function(f, "vjp")
    wanted = tuple(range(len(args))) if argnums is None else argnums
    inputs = inputs_of(f, args, options, wanted, "vjp")
    record = Record(inputs.call, inputs.primals, "vjp")
    y, aux = split_aux(record.result, "vjp") if has_aux else (record.result, None)
    record.result = None  # so that the tape keeps only what the pullback needs
    ys, structure = outputs_of(y, "vjp")
    extras, structure_of_aux = flatten(aux)

    def pullback(cotangent: object) -> Any:
        cotangents = cotangents_like(cotangent, ys, structure, "vjp: pullback(cotangent)")
        gradients = record.vjp(ys, cotangents)
        return inputs.build(gradients)

    # primals, because a tracer outside its transform counts as leaked
    value = structure.unflatten(to_caller(record.level.primals(ys), inputs.leaves))
    if not has_aux:
        return value, pullback
    outer = to_caller(record.level.primals(extras), inputs.leaves)
    return value, pullback, structure_of_aux.unflatten(outer)
