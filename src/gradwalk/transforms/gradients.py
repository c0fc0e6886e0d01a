"""Reverse mode: `grad`, `value_and_grad`, `vjp`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from ..core.expect import describe
from ..engine.value import enable_grad
from ..errors import OptionError
from ..levels.vjp import VJPLevel
from .arguments import expect_scalar, inputs_of, outputs_of, seeds_like
from .graphs import at_bottom, gradients_at_bottom
from .results import dense, lowered, ones_like, outside

__all__ = ["grad", "value_and_grad", "vjp"]


def grad(f: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that gives the gradient of ``f``, by reverse mode.

        x ↦ ∂f/∂x (x)

    ``f`` returns one number, of shape (). The gradient has the structure and the kinds of number
    of the argument that ``argnums`` names (a tuple of positions gives a tuple): float for float,
    array for array, a dictionary for a dictionary. A scalar of NumPy gives one of its precision;
    np.float64, a float of Python, gives a float. Keyword arguments are held constant. With
    ``has_aux`` ``f`` returns ``(result, aux)``, and so does its gradient. Another result than one
    number is a `SizeError` or `NotANumberError`, an integer argument a `NotANumberError`.

    >>> from gradwalk import grad, sin
    >>> grad(lambda x: x**3)(2.0)
    12.0
    >>> grad(grad(sin))(0.0)
    -0.0
    >>> grad(lambda p, x: p["w"] * x + p["b"])({"w": 2.0, "b": 1.0}, 3.0)
    {'w': 3.0, 'b': 1.0}
    """
    both = value_and_grad(f, argnums, has_aux, name="grad")

    @wraps(f)
    def gradient(*args: Any, **options: Any) -> Any:
        value, found = both(*args, **options)
        return (found, value[1]) if has_aux else found

    return gradient


def value_and_grad(
    f: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *, name: str = "value_and_grad"
) -> Callable[..., Any]:
    """The function that gives the result of ``f`` and its gradient, of one run of it.

        x ↦ (f(x), ∂f/∂x (x))

    As `grad`; with ``has_aux`` the first of the two is ``(result, aux)``.

    >>> from gradwalk import value_and_grad
    >>> value_and_grad(lambda x, y: x * y, argnums=(0, 1))(2.0, 3.0)
    (6.0, (3.0, 2.0))
    """
    expect_function(f, name)

    @wraps(f)
    def both(*args: Any, **options: Any) -> Any:
        inputs = inputs_of(f, args, options, argnums, name)

        def checked(result: Any) -> tuple[Any, Any]:
            y, aux = parted(result, name) if has_aux else (result, None)
            expect_scalar(y, name)
            return y, aux

        run = gradients_at_bottom if at_bottom(inputs.primals) else _taped
        y, aux, found = run(inputs.call, inputs.primals, checked)
        value, aux = outside((y, aux), inputs.leaves)
        gradients = inputs.build(dense(found, inputs.primals))
        return ((value, aux) if has_aux else value), gradients

    return both


def _taped(
    call: Callable[[Sequence[Any]], Any], primals: Sequence[Any], checked: Any
) -> tuple[Any, Any, list[Any]]:
    """As `gradients_at_bottom`, with tracers."""
    with VJPLevel("grad") as tape, enable_grad():
        leaves = [tape.leaf(x) for x in primals]
        steps = [leaf._payload for leaf in leaves]
        y, aux = checked(call(leaves))
    found = tape.gradients([y], [ones_like(y)], release=True)
    value, aux = lowered((y, aux), tape)
    return value, aux, [found.get(step) for step in steps]


def parted(result: Any, where: str) -> tuple[Any, Any]:
    """The two halves of what a function with ``has_aux`` returns."""
    if isinstance(result, (tuple, list)) and len(result) == 2:
        return result[0], result[1]
    raise OptionError(
        where=f"{where}(has_aux=True): the result",
        expected="a pair (result, aux)",
        got=describe(result),
        fix="Return two things, or leave has_aux out.",
    )


def expect_function(f: Any, where: str) -> None:
    """Refuse what cannot be called, such as the result of a call."""
    if not callable(f):
        raise OptionError(
            where=f"{where}(f)",
            expected="a function",
            got=describe(f),
            fix=f"Write {where}(f)(x), not {where}(f(x)).",
        )


def vjp(
    f: Callable[..., Any],
    *args: Any,
    argnums: Any = None,
    has_aux: bool = False,
    **options: Any,
) -> tuple[Any, ...]:
    """The result of ``f`` at ``args``, and the function that pulls a cotangent back.

        y = f(x),   ȳ ↦ ȳ · ∂f/∂x

    The pullback takes a cotangent in the structure of the result and gives a tuple of cotangents,
    one per argument; with an int as ``argnums`` it gives that one alone. It may be called often.
    ``has_aux``: ``f`` returns ``(result, aux)``, and aux comes third.

    >>> from gradwalk import vjp
    >>> y, pullback = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> y, pullback(1.0)
    (6.0, (3.0, 2.0))
    """
    expect_function(f, "vjp")
    wanted = tuple(range(len(args))) if argnums is None else argnums
    inputs = inputs_of(f, args, options, wanted, "vjp")
    with VJPLevel("vjp") as tape, enable_grad():
        leaves = [tape.leaf(x) for x in inputs.primals]
        steps = [leaf._payload for leaf in leaves]
        result = inputs.call(leaves)
    y, aux = parted(result, "vjp") if has_aux else (result, None)
    ys, tree = outputs_of(y, "vjp")
    del leaves, result

    def pullback(cotangent: Any) -> Any:
        seeds = seeds_like(cotangent, ys, tree, "vjp: pullback(cotangent)")
        found = tape.gradients(ys, seeds)
        return inputs.build(dense([found.get(step) for step in steps], inputs.primals))

    value, aux = outside(lowered((y, aux), tape), inputs.leaves)
    return (value, pullback, aux) if has_aux else (value, pullback)
