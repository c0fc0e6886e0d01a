"""Optimisation for people: the methods of SciPy with exact derivatives, over any container.

>>> from gradwalk import minimize
>>> lowest = minimize(lambda p: (p["x"] - 1.0) ** 2 + (p["y"] + 2.0) ** 2, {"x": 0.0, "y": 0.0})
>>> lowest.converged, {name: round(number, 6) for name, number in lowest.x.items()}
(True, {'x': 1.0, 'y': -2.0})
"""

from __future__ import annotations

from ..core.rooms import as_room
from .curve import CurveFit
from .fitting import curve_fit
from .minimizing import minimize
from .minimum import Evaluations, Minimum, Step

__all__ = ["CurveFit", "Evaluations", "Minimum", "Step", "curve_fit", "minimize"]

as_room(__name__)
