"""Derivatives of functions, in any mode, nested freely.

>>> from gradwalk.transforms import grad
>>> grad(grad(lambda x: x**3))(2.0)
12.0
"""

from __future__ import annotations

from ..core.pytree import register_pytree
from ..core.rooms import as_room
from .checking import check_grads
from .custom.implicit import fixed_point, implicit_function
from .custom.rules import custom_rule, debug
from .directions import jvp, linearize
from .expansion import taylor
from .gradients import grad, value_and_grad, vjp
from .hessians import gradient_and_hessian_diagonal, hessian, hvp, laplacian, vhp
from .jacobians import divergence, jacobian
from .mapping import vmap
from .memory.checkpoints import checkpoint, checkpoint_chain
from .memory.loops import scan, while_loop
from .sparse.derivatives import coloring, sparse_hessian, sparse_jacobian, sparsity
from .stopping import stop_gradient

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
    "register_pytree",
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

as_room(__name__)
