"""`curve_fit`: a model through data by least squares, with uncertainties of its parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ..core.calls import expect_function
from ..core.expect import describe
from ..core.functions import Function
from ..core.pytree import LEAF
from ..errors import OptionError, SizeError
from ..transforms.arguments import outputs_of
from .covariance import covariance
from .curve import CurveFit, Measured
from .display import showing
from .flat import Flat
from .measurements import Data, tensors
from .methods import LEAST_SQUARES, scipy_optimize
from .minimizing import Callback, fixed_point, limits_of
from .residuals import Residuals
from .searching import Ended, Walk, by_least_squares, expect_limit
from .space import Space

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..tensor import Tensor

__all__ = ["curve_fit"]

P = TypeVar("P")

SPREAD = ("list", "tuple")
"""Containers of parameters that become several arguments of the model."""


def curve_fit(
    model: Function,
    xs: object,
    ys: Tensor | ArrayLike,
    p0: P | None = None,
    sigma: Tensor | ArrayLike | None = None,
    absolute_sigma: bool = False,
    *,
    bounds: object = None,
    tolerance: float = 1e-12,
    max_steps: int | None = None,
    progress: bool | None = False,
    callback: Callback | None = None,
    options: Mapping[str, Any] | None = None,
) -> CurveFit[P]:
    """Return the parameters p with which ``model`` fits the data best, and their uncertainties.

        min Σ ((ys − model(xs, p)) / sigma)²,   covariance = s² (JᵀJ)⁻¹

    with J the exact Jacobian of model / sigma at the minimum, and s² = chi² / (data − parameters).
    The uncertainties are the roots of the diagonal. Parameters that the data do not determine have
    infinite uncertainties, and ``message`` names them. With as many parameters as data this holds
    for all of them, unless sigma is absolute.

    Parameters
    ----------
    model
        A function that returns a result of the shape of ``ys``, or a list of as many numbers. For a
        list or tuple ``p0`` the call is ``model(xs, *p)``, for any other container, a number or an
        array ``model(xs, p)``; for an array, too, it is ``model(xs, *p)`` if the model names as
        many parameters as the array has numbers, and for a dictionary with the names of the model's
        parameters ``model(xs, **p)``.
    xs
        Where the data were measured: the first argument of ``model``. Arrays and lists in it become
        Tensors.
    ys : any shape
        The data.
    p0
        Where the search begins: a number, an array or a container. Without it all parameters that
        ``model`` names start at 1, in an array.
    sigma : () or the shape of ys, optional
        The standard deviation of the data, above 0: one for all or one for each; 1 if ``None``.
    absolute_sigma
        Whether ``sigma`` is known, so that s² = 1, and not only a weight.
    bounds
        As in `minimize`; equal bounds fix a parameter, with uncertainty 0.
    tolerance
        The limit of the relative change of chi², of the parameters, and of the gradient, at which
        the search ends.
    max_steps
        The most evaluations, >= 1; SciPy's limit if ``None``.
    progress, callback, options
        As in `minimize`.

    Returns
    -------
    a CurveFit
        It unpacks into the parameters and their covariance.

    Raises
    ------
    SizeError
        If there are fewer data than parameters, ``p0`` has more or fewer numbers than the model has
        parameters, or the model or ``sigma`` has another shape than ``ys``.
    OptionError
        If ``sigma`` is not positive, the start is outside of the bounds, there is neither ``p0``
        nor a model that names its parameters, or an option is out of range.
    NonFiniteError
        If a number in ``ys``, or of the model, is not finite.
    MissingExtraError
        If SciPy is not installed.

    See Also
    --------
    minimize

    References
    ----------
    Bates and Watts, Nonlinear Regression Analysis and Its Applications (1988).

    Examples
    --------
    >>> from gradwalk import curve_fit
    >>> xs, ys = [0.0, 1.0, 2.0, 3.0], [1.0, 2.9, 5.1, 7.0]
    >>> line = curve_fit(lambda x, w, b: w * x + b, xs, ys, p0=[1.0, 0.0])
    >>> for row in line.table:
    ...     print(row)
    w = 2.020 ± 0.042
    b = 0.970 ± 0.079
    """
    expect_function(model, "curve_fit")
    expect_limit(max_steps, "curve_fit(max_steps=...)")
    scipy = scipy_optimize("gradwalk.curve_fit")
    words = _parameter_names(model)
    start = np.ones(_count(words)) if p0 is None else p0
    space = Space(Flat(start, "curve_fit: p0"), bounds, "curve_fit")
    data = Data(ys, sigma, len(space.start))
    spread = p0 is None or _is_spread(space.flat, words)
    if spread and words and isinstance(p0, (list, tuple)):
        _expect_fit(model, xs, p0, words)
    weighted = _weighted(model, tensors(xs), data, space.flat, spread, words)
    of = Residuals(weighted, space, "curve_fit")
    given = {**limits_of(LEAST_SQUARES, max_steps, len(space.start)), **(options or {})}
    with showing(progress) as show:
        walk = Walk(of, show, callback, max_steps)
        if space.free.any():
            ended = by_least_squares(scipy, of, walk, tolerance, given)
        else:
            ended = fixed_point(of, walk)
    return _result(of, ended, data, absolute_sigma, _names(space.flat, words, spread))


def _count(words: list[str]) -> int:
    """Return the number of parameters of a model without a start."""
    if words:
        return len(words)
    raise OptionError(
        where="curve_fit(p0=None)",
        expected="a model whose signature names its parameters",
        got="one that does not",
        fix="Pass a start for each parameter: p0=[1.0, 1.0].",
    )


def _expect_fit(model: Callable[..., Any], xs: Any, p0: Sequence[Any], words: list[str]) -> None:
    """Raise `SizeError` unless the model takes as many parameters as ``p0`` has."""
    try:
        inspect.signature(model).bind(xs, *p0)
    except TypeError:
        raise SizeError(
            where="curve_fit(p0)",
            expected=f"a start for each of {', '.join(words)}",
            got=f"{len(p0)}: {describe(p0)}",
            fix=f"Write p0=[{', '.join(['1.0'] * len(words))}], with a guess for each.",
        ) from None


def _is_spread(flat: Flat, words: list[str]) -> bool:
    """Return whether each parameter is an argument of the model."""
    if flat.tree.kind in SPREAD:
        return True
    return flat.tree is LEAF and len(flat.shapes[0]) == 1 and len(words) == len(flat.start) > 1


def _weighted(
    model: Callable[..., Any], xs: Any, data: Data, flat: Flat, spread: bool, words: list[str]
) -> Callable[..., Any]:
    def differences(leaves: Sequence[Any]) -> Any:
        p = flat.tree.unflatten(leaves)
        if isinstance(p, dict) and set(p) == set(words):
            found = model(xs, **p)
        else:
            found = model(xs, *p) if spread else model(xs, p)
        return data.differences(outputs_of(found, "curve_fit: model")[0])

    return differences


def _result(
    of: Residuals, ended: Ended, data: Data, absolute: bool, names: list[str]
) -> CurveFit[Any]:
    """Return the result, from the residuals and the Jacobian at the end of the search."""
    space, flat, differences = of.space, of.space.flat, of.value(ended.x)
    chi2 = float(differences @ differences)
    reduced = chi2 / data.free if data.free else np.nan
    matrix, undetermined = _covariance(of, ended.x, 1.0 if absolute else reduced)
    whole, deviations = space.whole(ended.x), np.sqrt(np.diagonal(matrix))
    triples = zip(names, whole.tolist(), deviations.tolist(), strict=True)
    return CurveFit(
        parameters=flat.build(whole, trained=True),
        uncertainties=flat.build(deviations),
        covariance=matrix,
        residuals=(-differences).reshape(data.ys.shape) * data.sigma,
        chi2=chi2,
        reduced_chi2=reduced,
        degrees_of_freedom=data.free,
        steps=of.steps,
        evaluations=of.evaluations,
        converged=ended.converged,
        message=_message(ended.message, list(compress(names, undetermined))),
        table=tuple(Measured(*triple) for triple in triples),
    )


def _covariance(
    of: Residuals, x: NDArray[np.float64], scale: float
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the covariance matrix of all parameters (0 for fixed ones), and a mask.

    The mask is true for parameters that the data do not determine.
    """
    free = of.space.free
    matrix, undetermined = np.zeros((len(free), len(free))), np.zeros(len(free), bool)
    if free.any():
        inverse, singular = covariance(of.derivative(x))
        unknown = np.isnan(scale)  # as many parameters as data: no data left to estimate s² from
        matrix[np.ix_(free, free)] = np.inf if unknown else inverse * scale
        undetermined[free] = singular | unknown
    return matrix, undetermined


def _message(message: str, undetermined: list[str]) -> str:
    if not undetermined:
        return message
    more = ["..."] if len(undetermined) > 5 else []
    shown = ", ".join([*undetermined[:5], *more])
    return f"{message} WARNING: the data do not determine the uncertainty of {shown}."


# --- names ----------------------------------------------------------------------------------------


def _parameter_names(model: Callable[..., Any]) -> list[str]:
    """Return the names of the model's parameters after the first, as far as it has a signature."""
    try:
        parameters = list(inspect.signature(model).parameters.values())[1:]
    except (TypeError, ValueError):  # a function in C has none
        return []
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.kind not in several]


def _names(flat: Flat, words: Sequence[str], spread: bool) -> list[str]:
    """Return the names of the numbers, with the model's names for its parameters."""
    if not spread:
        return flat.names(words[0] if words else "p")

    def word(place: re.Match[str]) -> str:
        i = int(place[1])
        return words[i] if i < len(words) else f"p{place[0]}"

    return [re.sub(r"^\[(\d+)\]", word, name) for name in flat.names("")]
