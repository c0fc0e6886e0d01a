"""gradwalk: walk the gradient. An autograd library whose calculus is one table of rules.

>>> from gradwalk import Value
>>> x, y, z = Value(2.0), Value(-3.0), Value(10.0)
>>> f = x * y + z
>>> f.backward()
>>> f.data, x.grad, y.grad, z.grad
(4.0, -3.0, 2.0, 1.0)
"""

from __future__ import annotations

import builtins
from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import errors as errors
from ._version import __version__ as __version__
from .core.backend import ArrayBackend, provide
from .core.calls import public
from .core.primitive import mask_if as mask_if
from .core.primitive import pass_if as pass_if
from .core.primitive import pointwise as pointwise
from .core.rooms import DTYPES, as_room, no_attribute
from .engine import functions
from .engine.functions import *  # noqa: F403
from .engine.value import ENGINE as ENGINE
from .engine.value import Value as Value
from .engine.value import gradients as gradients
from .engine.value import no_grad as no_grad
from .errors import GradwalkError as GradwalkError

if TYPE_CHECKING:
    from . import check as check
    from . import data as data
    from . import distributed as distributed
    from . import inspect as inspect
    from . import integrate as integrate
    from . import nn as nn
    from . import optim as optim
    from . import optimize as optimize
    from . import parallel as parallel
    from . import sklearn as sklearn
    from . import special as special
    from . import stats as stats
    from . import training as training
    from . import transforms as transforms
    from .foreign.adopting import adopt as adopt
    from .foreign.citizens import to_jax as to_jax
    from .foreign.citizens import to_torch as to_torch
    from .integrate import odeint as odeint
    from .integrate import solve_ivp as solve_ivp
    from .nn.serialization import load as load
    from .nn.serialization import save as save
    from .optimize import curve_fit as curve_fit
    from .optimize import minimize as minimize
    from .program.compiling import compile as compile
    from .program.replay import replay as replay
    from .program.run import program_of as program_of
    from .studio.explore import explore as explore
    from .tensor import *  # type: ignore[has-type]  # noqa: F403
    from .tensor import Tensor as Tensor
    from .training import fit as fit
    from .transforms import *  # noqa: F403
    from .transforms.exporting import export as export

    tensor: type[Tensor] = Tensor  # the room, which can be called

    # The tensor package has functions of the same names, which do not accept lists.
    from .engine.functions import log_softmax as log_softmax  # isort: skip
    from .engine.functions import logsumexp as logsumexp  # isort: skip
    from .engine.functions import softmax as softmax  # isort: skip


def _arrays() -> ArrayBackend:
    """Load the array half: the only import that points upwards, made with the first array."""
    from . import wiring

    return wiring


provide(_arrays)
if not TYPE_CHECKING:
    gradients, mask_if, pass_if = map(public, (gradients, mask_if, pass_if))

_HERE = (
    *("ENGINE", "GradwalkError", "Value", "__version__", "errors", "gradients", "mask_if"),
    *("no_grad", "pass_if", "pointwise"),
)
_ROOMS = (
    *("check", "data", "distributed", "inspect", "integrate", "nn", "optim", "optimize"),
    *("parallel", "sklearn", "special", "stats", "training"),
    "transforms",
)
_ELSEWHERE = {"fit": "training", **dict.fromkeys(("save", "load"), "nn.serialization")}
_ELSEWHERE |= dict.fromkeys(("curve_fit", "minimize"), "optimize") | {"explore": "studio.explore"}
_ELSEWHERE |= {"compile": "program.compiling", "replay": "program.replay"}
_ELSEWHERE |= {"program_of": "program.run"}
_ELSEWHERE |= dict.fromkeys(("odeint", "solve_ivp"), "integrate")
_ELSEWHERE |= {"export": "transforms.exporting", "adopt": "foreign.adopting"}
_ELSEWHERE |= dict.fromkeys(("to_jax", "to_torch"), "foreign.citizens")


as_room(errors.__name__)


def __getattr__(name: str) -> Any:
    """Import public names on first use, so that ``import gradwalk`` stays fast."""
    if name == "__all__":  # for `import *`; a list from the start would need NumPy for its names
        return _names()
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name in _ELSEWHERE:
        return public(getattr(import_module(f".{_ELSEWHERE[name]}", __name__), name))
    name = DTYPES.get(name, name)
    if not name.startswith("_"):
        room = import_module(".transforms", __name__)
        if name not in room.__all__:  # the names of arrays, which need NumPy
            room = import_module(".tensor", __name__)
        if name in room.__all__:
            found = globals()[name] = getattr(room, name)  # from now on without this function
            return found
        if name == "tensor":  # PyTorch's function: the room makes a Tensor when it is called
            return room
    raise no_attribute(__name__, name)


def _names(builtin: builtins.bool = False) -> list[str]:
    """All public names: without those of Python's own functions, which `import *` must not hide."""
    rooms = [functions, *(import_module(f".{room}", __name__) for room in ("tensor", "transforms"))]
    names = {*_HERE, *_ROOMS, *_ELSEWHERE, *(name for room in rooms for name in room.__all__)}
    return sorted(name for name in names if builtin or not hasattr(builtins, name))


def __dir__() -> list[str]:
    return _names(builtin=True)
