"""Taylor coefficients of any order, of one run."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any, overload

from ..core.calls import expect_function
from ..core.expect import at_least, describe
from ..core.functions import Anything
from ..core.pytree import LEAF, PyTree, register_pytree
from ..errors import SizeError
from ..levels.taylor import TaylorLevel
from .arguments import inputs_of, outputs_of
from .results import instantiate_zeros, ones_like, tree_to_caller
from .runs import call_at
from .signatures import Number, X

__all__ = ["Taylor", "taylor"]


class Taylor(tuple[X, ...]):
    """Taylor coefficients, a tuple that can be called: the polynomial that they are of.

        t(h) = c₀ + c₁ h + c₂ h² + …

    >>> from gradwalk.transforms.expansion import Taylor
    >>> t = Taylor([1.0, 2.0, 3.0])
    >>> t[2], t(0.1), t.derivatives
    (3.0, 1.23, (1.0, 2.0, 6.0))
    """

    def __call__(self, h: object) -> Any:
        """Evaluate the polynomial at a step ``h``: a number, or an array for an array of steps."""
        total: Any = self[-1]
        for c in self[-2::-1]:
            total = total * h + c
        return total

    @property
    def derivatives(self) -> tuple[X, ...]:
        """The value and the derivatives: k! times the k-th coefficient."""
        coefficients: tuple[Any, ...] = self
        return tuple([c * float(factorial(k)) for k, c in enumerate(coefficients)])

    def __repr__(self) -> str:
        return f"Taylor({', '.join(map(repr, self))})"


# it could be called, so that it would count as a function otherwise
register_pytree(Taylor, lambda t: (t, None), lambda _, coefficients: Taylor(coefficients))


@overload
def taylor(f: Callable[[Anything], object], x: Number, order: int) -> Taylor[Number]: ...
@overload
def taylor(f: Callable[[X], Number], x: X, order: int) -> Taylor[Number]: ...
@overload
def taylor(f: Callable[[X], object], x: X, order: int) -> Any: ...
def taylor(f: Callable[[Any], Any], x: object, order: int) -> Any:
    """Return the Taylor coefficients of a function of one number, up to any order, from one run.

        cₖ = f⁽ᵏ⁾(x) / k!,   k = 0 … order

    The work grows with the square of the order for sums and products, and with its square or cube
    for functions, where nested `grad` takes twice as long with every order.

    Parameters
    ----------
    f
        A function of one number that returns a number, an array or a container of them.
    x : ()
        Where the derivatives are taken: a float, a Value or a Tensor.
    order
        The order of the last coefficient, >= 0; 0 gives the value alone.

    Returns
    -------
    a Taylor for each number or array of the result
        A tuple of order + 1 coefficients, each like the result. It can be called with a step h to
        evaluate the polynomial at x + h, and it knows its ``derivatives``.

    Raises
    ------
    SizeError
        If ``x`` is a container or an array with axes.
    NotANumberError
        If ``x`` or a result is not floating-point.
    OptionError
        If ``order`` is not an integer >= 0, or ``f`` is no function.

    References
    ----------
    Griewank and Walther, Evaluating Derivatives (2008), chapter 13.

    Examples
    --------
    >>> from gradwalk import exp, taylor
    >>> taylor(exp, 0.0, 3)
    Taylor(1.0, 1.0, 0.5, 0.16666666666666666)
    >>> taylor(lambda x: 1.0 / x, 2.0, 3).derivatives
    (0.5, -0.25, 0.25, -0.375)
    """
    expect_function(f, "taylor")
    fix = "Write order=3 for four coefficients: f, f', f'' / 2 and f''' / 6."
    order = at_least("taylor(order)", order, 0, fix)
    inputs = inputs_of(f, (x,), {}, 0, "taylor")
    _expect_number(x, inputs.structure)
    (primal,) = inputs.primals
    level = TaylorLevel(int(order))
    # the argument is the series x + h, whose coefficient of h is 1
    result = call_at(level, inputs.call, [level.variable(primal, ones_like(primal))])
    ys, structure = outputs_of(result, "taylor")
    coefficients = [level.coefficients(y) for y in ys]
    series = [Taylor(instantiate_zeros(c, [c[0]] * len(c))) for c in coefficients]
    return tree_to_caller(structure, series, inputs.leaves)


def _expect_number(x: object, structure: PyTree) -> None:
    shape = getattr(x, "shape", ())
    if structure is LEAF and shape == ():
        return
    raise SizeError(
        where="taylor: argument 0",
        expected="one number, of shape ()",
        got=f"shape {tuple(shape)}" if shape else describe(x),
        fix="Write taylor(lambda h: f(x + h * v), 0.0, order) for a line through arrays.",
    )
