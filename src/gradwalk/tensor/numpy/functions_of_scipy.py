"""The special functions of SciPy, which are ufuncs: their names in gradwalk, or a few lines."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops import TABLE
from ...ops.families import FAMILIES
from ..functions import special

__all__ = ["SPECIAL", "is_scipys"]

Function = Callable[..., Any]


def is_scipys(ufunc: np.ufunc) -> bool:
    """Return whether ``ufunc`` is one of `scipy.special`, without loading it."""
    return getattr(sys.modules.get("scipy.special"), ufunc.__name__, None) is ufunc


SPECIAL: dict[str, str | Function] = {
    **{name: name for name in ("cbrt", "erf", "erfc", "exp2", "expm1", "log1p", "round")},
    **FAMILIES,
    "psi": "digamma",
    "gammaln": "lgamma",
    "expit": "sigmoid",
    "log_expit": "log_sigmoid",
    "logit": special.logit,
    "xlogy": special.xlogy,
    "xlog1py": special.xlog1py,
    "exp10": lambda x: TABLE["pow"](10.0, x),
}
"""``name in SciPy: name of a primitive, or a function``; all others have no derivative here."""
