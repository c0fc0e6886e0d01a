"""`curve_fit`: a model through data by least squares, with uncertainties of its parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..transforms.arguments import outputs_of
from ..transforms.gradients import expect_function
from .covariance import covariance
from .curve import CurveFit, Measured
from .display import showing
from .flat import Flat
from .measurements import Data, tensors
from .methods import LEAST_SQUARES, scipy_optimize
from .minimizing import Callback, held, limits_of
from .residuals import Residuals
from .searching import Ended, Walk, by_least_squares, expect_limit
from .space import Space

__all__ = ["curve_fit"]

SPREAD = ("list", "tuple")
"""Containers of parameters that a model takes as several arguments."""


def curve_fit(
    model: Callable[..., Any],
    xs: Any,
    ys: Any,
    p0: Any,
    *,
    sigma: Any = None,
    absolute_sigma: bool = False,
    bounds: Any = None,
    tolerance: float = 1e-12,
    max_steps: int | None = None,
    progress: bool | None = False,
    callback: Callback | None = None,
    options: Mapping[str, Any] | None = None,
) -> CurveFit:
    """The parameters p with which ``model`` goes through data best, and how sure they are.

        min Σ ((ys − model(xs, p)) / sigma)²,   covariance = s² (JᵀJ)⁻¹

    with J the exact Jacobian of model / sigma at the minimum, and s² = chi² / (data − parameters)
    (Bates & Watts, 1988); with ``absolute_sigma``, when sigma is known and not only a weight,
    s² = 1. The uncertainties are the roots of the diagonal.

    A list or tuple ``p0`` is spread, ``model(xs, *p)``; any other container, a number or an array
    is handed on whole, ``model(xs, p)``. Arrays and lists in ``xs`` become Tensors; the result of
    the model is of the shape of ``ys``, or a list of as many numbers. ``sigma`` is the standard
    deviation of the data, one for all or one for each; by default 1. The other arguments are those
    of `minimize`; equal bounds hold a parameter, whose uncertainty is then 0.

    Fewer data than parameters are a `SizeError`. Parameters that the data do not determine have
    infinite uncertainties, and ``message`` names them; so has every one where there are as many
    parameters as data, unless sigma is absolute.

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
    space = Space(Flat(p0, "curve_fit: p0"), bounds, "curve_fit")
    data = Data(ys, sigma, len(space.start))
    of = Residuals(_weighted(model, tensors(xs), data, space.flat), space, "curve_fit")
    given = {**limits_of(LEAST_SQUARES, max_steps, len(space.start)), **(options or {})}
    with showing(progress) as show:
        walk = Walk(of, show, callback, max_steps)
        if space.moves.any():
            ended = by_least_squares(scipy, of, walk, tolerance, given)
        else:
            ended = held(of, walk)
    return _fit(of, ended, data, absolute_sigma, _words(model))


def _weighted(model: Callable[..., Any], xs: Any, data: Data, flat: Flat) -> Callable[..., Any]:
    spread = flat.tree.kind in SPREAD

    def differences(leaves: Sequence[Any]) -> Any:
        p = flat.tree.unflatten(leaves)
        found = model(xs, *p) if spread else model(xs, p)
        return data.differences(outputs_of(found, "curve_fit: model")[0])

    return differences


def _fit(of: Residuals, ended: Ended, data: Data, absolute: bool, words: list[str]) -> CurveFit:
    """The result, from the residuals and the Jacobian at the end of the search."""
    space, flat, differences = of.space, of.space.flat, of.value(ended.x)
    chi2 = float(differences @ differences)
    reduced = chi2 / data.free if data.free else np.nan
    found, lost = _covariance(of, ended.x, 1.0 if absolute else reduced)
    whole, deviations = space.whole(ended.x), np.sqrt(np.diagonal(found))
    names = _names(flat, words)
    triples = zip(names, whole.tolist(), deviations.tolist(), strict=True)
    return CurveFit(
        parameters=flat.build(whole, trained=True),
        uncertainties=flat.build(deviations),
        covariance=found,
        residuals=(-differences).reshape(data.ys.shape) * data.sigma,
        chi2=chi2,
        reduced_chi2=reduced,
        degrees_of_freedom=data.free,
        steps=of.steps,
        evaluations=of.evaluations,
        converged=ended.converged,
        message=_message(ended.message, [n for n, gone in zip(names, lost, strict=True) if gone]),
        table=tuple(Measured(*triple) for triple in triples),
    )


def _covariance(of: Residuals, x: Any, scale: float) -> tuple[Any, Any]:
    """That of all parameters, 0 for those that are held; and which ones are not determined."""
    moves = of.space.moves
    found, lost = np.zeros((len(moves), len(moves))), np.zeros(len(moves), bool)
    if moves.any():
        inverse, gone = covariance(of.slope(x))
        unknown = np.isnan(scale)  # nothing is left over to estimate the scatter of the data from
        found[np.ix_(moves, moves)] = np.inf if unknown else inverse * scale
        lost[moves] = gone | unknown
    return found, lost


def _message(message: str, lost: list[str]) -> str:
    if not lost:
        return message
    shown = ", ".join([*lost[:5], *(["..."] if len(lost) > 5 else [])])
    return f"{message} WARNING: the data do not determine the uncertainty of {shown}."


# --- names ----------------------------------------------------------------------------------------


def _words(model: Callable[..., Any]) -> list[str]:
    """What the model calls its parameters, as far as it says so."""
    try:
        parameters = list(inspect.signature(model).parameters.values())[1:]
    except (TypeError, ValueError):  # of a function in C
        return []
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.kind not in several]


def _names(flat: Flat, words: Sequence[str]) -> list[str]:
    """The names of the numbers, in the words of the model where it has some."""
    if flat.tree.kind not in SPREAD:
        return flat.names(words[0] if words else "p")

    def word(place: re.Match[str]) -> str:
        i = int(place[1])
        return words[i] if i < len(words) else f"p{place[0]}"

    return [re.sub(r"^\[(\d+)\]", word, name) for name in flat.names("")]
