"""Modules that are called by mistake, and names that gradwalk calls otherwise."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import NoReturn

from ..errors import UsageError
from .calls import explain_room

__all__ = ["DTYPES", "OURS", "Room", "as_room", "no_attribute"]


class Room(ModuleType):
    """A module of gradwalk. A call of the module itself is an error that says what to call."""

    def __call__(self, *args: object, **options: object) -> NoReturn:
        """Raise `UsageError`."""
        public = getattr(self, "__all__", None) or [n for n in vars(self) if n[0] != "_"]
        functions = [n for n in public if callable(vars(self).get(n)) and n[0].islower()]
        raise UsageError(
            where=f"{self.__name__}(...)",
            expected="a function of this module",
            got="a call of the module itself",
            fix=f"Call one of its functions, such as {self.__name__}.{(functions or public)[0]}.",
        )


def as_room(name: str) -> None:
    """Make a module that has been imported a `Room`, whose functions explain wrong calls."""
    sys.modules[name].__class__ = Room
    explain_room(vars(sys.modules[name]))


OURS = {
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **dict.fromkeys(("mm", "bmm", "mv"), "matmul"),
    **dict.fromkeys(("jacfwd", "jacrev", "jacobian_forward"), "jacobian"),
    **dict.fromkeys(("amax",), "max"),
    **dict.fromkeys(("amin",), "min"),
    **dict.fromkeys(("randn", "standard_normal"), "random.normal"),
    **dict.fromkeys(("rand", "random_sample"), "random.uniform"),
    **dict.fromkeys(("manual_seed", "seed", "PRNGKey"), "random.normal(..., seed=...)"),
    **dict.fromkeys(("hstack", "vstack", "column_stack", "row_stack", "cat"), "concat"),
    "arctan2": "atan2",
    **dict.fromkeys(("inference_mode", "set_grad_enabled"), "no_grad"),
    **dict.fromkeys(("multinomial",), "random.choice"),
    "as_tensor": "asarray",
    "autograd": "grad",
    "clamp": "clip",
    "fabs": "abs",
    "ger": "outer",
    "index_select": "take",
    "jit": "compile",
    "masked_fill": "where",
    "mod": "remainder",
    "permute": "permute_dims",
    "power": "pow",
    "randint": "random.integers",
    "randperm": "random.permutation",
    "stop_grad": "stop_gradient",
    "true_divide": "divide",
    "unsqueeze": "expand_dims",
    "Parameter": "Tensor(..., requires_grad=True)",
    "Variable": "Tensor(..., requires_grad=True)",
}
"""Names of NumPy, PyTorch and JAX, and what has this meaning in gradwalk."""

DTYPES = {"long": "int64", "int": "int32", "short": "int16"}
DTYPES |= {"double": "float64", "float": "float32", "half": "float16"}
"""PyTorch's names of dtypes, which are these. ``import *`` leaves them out."""


def no_attribute(module: str, name: str) -> AttributeError:
    """Return the error for a name that a module has not, with the name that is meant."""
    use = f": use gradwalk.{OURS[name]}" if module == "gradwalk" and name in OURS else ""
    return AttributeError(f"module {module!r} has no attribute {name!r}{use}", name=name)
