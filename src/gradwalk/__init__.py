"""gradwalk: walk the gradient. An autograd library whose calculus is one table of rules.

>>> from gradwalk import Value
>>> x, y, z = Value(2.0), Value(-3.0), Value(10.0)
>>> f = x * y + z
>>> f.backward()
>>> f.data, x.grad, y.grad, z.grad
(4.0, -3.0, 2.0, 1.0)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import functions
from ._version import __version__
from .errors import GradwalkError
from .functions import *  # noqa: F403
from .primitive import pointwise
from .value import ENGINE, Value, gradients, no_grad

if TYPE_CHECKING:
    from . import check as check
    from . import data as data
    from . import inspect as inspect
    from . import nn as nn
    from . import optim as optim
    from . import transforms as transforms
    from .optimize import curve_fit, minimize  # noqa: F401
    from .serialization import load, save  # noqa: F401
    from .tensor import *  # noqa: F403
    from .transforms import *  # noqa: F403

_BUILTINS = ("abs", "pow", "round")  # gradwalk.abs is there, but `import *` must not hide Python's

__all__ = ["ENGINE", "GradwalkError", "Value", "__version__", "gradients", "no_grad", "pointwise"]
__all__ += [name for name in functions.__all__ if name not in _BUILTINS]

_ROOMS = ("check", "data", "inspect", "nn", "optim", "transforms")
_ELSEWHERE = {"fit": "training", **dict.fromkeys(("save", "load"), "serialization")}
_ELSEWHERE |= dict.fromkeys(("curve_fit", "minimize"), "optimize")


def __getattr__(name: str) -> Any:
    """Load a room of the house when somebody first enters it: importing gradwalk stays quick."""
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name in _ELSEWHERE:
        return getattr(import_module(f".{_ELSEWHERE[name]}", __name__), name)
    if not name.startswith("_"):
        transforms = import_module(".transforms", __name__)
        if name in transforms.__all__:
            return getattr(transforms, name)
        # the names of arrays, which need NumPy
        tensor = import_module(".tensor", __name__)
        if name in tensor.__all__:
            return getattr(tensor, name)
    raise AttributeError(f"module 'gradwalk' has no attribute {name!r}")


def __dir__() -> list[str]:
    rooms = [import_module(f".{room}", __name__) for room in ("tensor", "transforms")]
    return sorted({*globals(), *_ROOMS, *_ELSEWHERE, *(name for r in rooms for name in r.__all__)})
