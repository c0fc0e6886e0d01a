"""The special functions of SciPy, which are ufuncs: their names in gradwalk, or a few lines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import inf, sqrt
from typing import Any

import numpy as np

from ...ops import TABLE

__all__ = ["SPECIAL", "is_scipys"]

Function = Callable[..., Any]

_where, _equal = TABLE["where"], TABLE["equal"]


def is_scipys(ufunc: np.ufunc) -> bool:
    """Return whether ``ufunc`` is one of `scipy.special`, without loading it."""
    return getattr(sys.modules.get("scipy.special"), ufunc.__name__, None) is ufunc


def _logit(p: Any) -> Any:
    """Return ln(p / (1 - p)), exact near 1/2, where the logarithms cancel."""
    central = TABLE["less"](TABLE["abs"](p - 0.5), 0.25)
    return _where(
        central, 2.0 * TABLE["atanh"](2.0 * p - 1.0), TABLE["log"](p) - TABLE["log1p"](-p)
    )


def _times(f: Function) -> Function:
    """Return x f(y), which is 0 where x = 0 and f has a pole or no value; no gradient there."""

    def call(x: Any, y: Any) -> Any:
        x, y = (np.asarray(a) if isinstance(a, (list, tuple)) else a for a in (x, y))
        with np.errstate(all="ignore"):  # SciPy does not warn of poles either
            finite = TABLE["less"](TABLE["abs"](f(y)), inf)
        lost = TABLE["less"](finite, TABLE["logical_and"](_equal(x, 0.0), _equal(y, y)))
        return _where(lost, 0.0, x * f(_where(lost, 1.0, y)))

    return call


SPECIAL: dict[str, str | Function] = {
    **{name: name for name in ("cbrt", "erf", "erfc", "exp2", "expm1", "log1p", "round")},
    "psi": "digamma",
    "gammaln": "lgamma",
    "expit": "sigmoid",
    "log_expit": "log_sigmoid",
    "logit": _logit,
    "ndtr": lambda x: 0.5 * TABLE["erfc"](x * -sqrt(0.5)),
    "xlogy": _times(TABLE["log"]),
    "xlog1py": _times(TABLE["log1p"]),
    "exp10": lambda x: TABLE["pow"](10.0, x),
}
"""``name in SciPy: name of a primitive, or a composition``; all others have no derivative here."""
