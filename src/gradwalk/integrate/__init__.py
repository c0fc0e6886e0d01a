"""Initial value problems of ordinary differential equations: SciPy's forms, with gradients.

>>> from gradwalk import grad, odeint
>>> def end(rate):  # y' = -rate y, so y(2) = exp(-2 rate)
...     return odeint(lambda y, t, k: -k * y, 1.0, [0.0, 2.0], args=(rate,))[-1, 0]
>>> end(0.5).round(8), round(grad(end)(0.5), 7)  # -2 exp(-2 rate)
(np.float64(0.36787944), -0.7357589)
"""

from __future__ import annotations

from ..core.rooms import as_room
from .initial_values import OdeResult as OdeResult
from .initial_values import odeint as odeint
from .initial_values import solve_ivp as solve_ivp

__all__ = ["OdeResult", "odeint", "solve_ivp"]

as_room(__name__)
