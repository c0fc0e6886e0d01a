"""Distributions with SciPy's names and arguments, differentiable in x and in every parameter.

>>> from gradwalk import grad, stats
>>> round(stats.norm.logpdf(1.0, loc=0.0, scale=2.0), 6)
-1.737086
>>> round(grad(lambda a: stats.gamma.cdf(2.0, a))(1.5), 6)
-0.277434
>>> stats.gamma.sample(2.0, size=3, seed=0).shape
(3,)
"""

from __future__ import annotations

from ..core.rooms import as_room
from .distribution import Distribution, Frozen
from .families import (
    bernoulli,
    beta,
    binom,
    chi2,
    expon,
    gamma,
    laplace,
    logistic,
    lognorm,
    norm,
    poisson,
    t,
    uniform,
)
from .several import categorical, dirichlet, mixture, multivariate_normal

__all__ = ["Distribution", "Frozen", "bernoulli", "beta", "binom", "categorical", "chi2"]
__all__ += ["dirichlet", "expon", "gamma", "laplace", "logistic", "lognorm", "mixture"]
__all__ += ["multivariate_normal", "norm", "poisson", "t", "uniform"]

as_room(__name__)
