"""Derivatives of functions, in any mode, nested freely.

>>> from gradwalk.transforms import grad
>>> grad(grad(lambda x: x**3))(2.0)
12.0
"""

from __future__ import annotations

from .check_grads import check_grads
from .checkpoint import checkpoint
from .custom import custom_rule, debug
from .directions import jvp, linearize
from .gradients import grad, value_and_grad, vjp
from .hessians import gradient_and_hessian_diagonal, hessian, hvp, laplacian, vhp
from .implicit import fixed_point, implicit_function
from .jacobians import divergence, jacobian
from .loops import checkpoint_chain, scan, while_loop
from .sparse import coloring, sparse_hessian, sparse_jacobian, sparsity
from .stopping import stop_gradient
from .taylor import taylor
from .vmap import vmap

__all__ = [
    "check_grads",
    "checkpoint",
    "checkpoint_chain",
    "coloring",
    "custom_rule",
    "debug",
    "divergence",
    "fixed_point",
    "grad",
    "gradient_and_hessian_diagonal",
    "hessian",
    "hvp",
    "implicit_function",
    "jacobian",
    "jvp",
    "laplacian",
    "linearize",
    "scan",
    "sparse_hessian",
    "sparse_jacobian",
    "sparsity",
    "stop_gradient",
    "taylor",
    "value_and_grad",
    "vhp",
    "vjp",
    "vmap",
    "while_loop",
]
