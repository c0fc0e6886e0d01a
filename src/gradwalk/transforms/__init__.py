"""Derivatives of functions, in any mode, nested freely.

>>> from gradwalk.transforms import grad
>>> grad(grad(lambda x: x**3))(2.0)
12.0
"""

from __future__ import annotations

from .directions import jvp, linearize
from .gradients import grad, value_and_grad, vjp
from .hessians import gradient_and_hessian_diagonal, hessian, hvp, laplacian, vhp
from .jacobians import divergence, jacobian

__all__ = [
    "divergence",
    "grad",
    "gradient_and_hessian_diagonal",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "laplacian",
    "linearize",
    "value_and_grad",
    "vhp",
    "vjp",
]
