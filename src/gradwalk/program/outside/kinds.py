"""Kinds of objects that functions reach: constants, buffers, code of the user and of others."""

from __future__ import annotations

import enum
import re
import sys
from datetime import date, time, timedelta, tzinfo
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import PurePath
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final

from ...core.carrier import Carrier
from ...core.primitive import Primitive
from ...ops import TABLE

__all__ = ["STANDARD", "belongs_to", "has_parts", "holds_buffer", "is_atom", "is_generator"]
__all__ += ["is_iterator", "is_of_python", "top_of"]

STANDARD: Final = sys.stdlib_module_names | {"numpy", "scipy", "torch", "jax", "pandas", "gradwalk"}
"""Packages whose own variables are theirs to know. A user changes what is in their objects."""

CONSTANTS: Final = (
    *(type(None), bool, int, float, complex, str, bytes, range, slice, type(...), CodeType),
    *(date, time, timedelta, tzinfo, Decimal, Fraction, PurePath, re.Pattern, object),
    type(NotImplemented),
)
_CONSTANTS: Final = frozenset(CONSTANTS)
_SUBCLASSED: Final = CONSTANTS[:-2]

PLAIN: Final = (int, float, complex, str, bytes)
"""Classes of constants that a user may derive one from."""

FIXED: Final = (
    *(BuiltinFunctionType, GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType),
    WrapperDescriptorType,
)
"""What is itself all that there is to know."""


def is_atom(x: object) -> bool:
    """Return whether an object never changes, so that an equal one may stand for it."""
    kind = type(x)
    if kind in _CONSTANTS or isinstance(x, enum.Enum):
        return True
    if isinstance(x, Primitive):
        return kind is not Primitive or TABLE.get(x.name) is x
    if isinstance(x, FIXED):
        return getattr(x, "__self__", None) is None or type(x.__self__) is type(sys)  # type: ignore[union-attr]
    module: Any = kind.__module__
    if type(module) is not str or module == "gradwalk.native":  # functions of the compiled engine
        return not isinstance(x, Carrier)
    if module == "numpy":
        return (
            kind.__name__ == "ufunc"
            or (
                hasattr(x, "dtype")
                and hasattr(kind, "tobytes")
                and not hasattr(kind, "__setitem__")
            )
            or isinstance(x, _dtype())
        )
    return module in sys.stdlib_module_names and isinstance(x, _SUBCLASSED)


def _dtype() -> Any:
    return sys.modules["numpy"].dtype


def top_of(x: Any) -> str:
    """Return the package at the top of which a function, a class or a module is."""
    name: Any
    if isinstance(x, ModuleType):
        name = x.__name__
    else:
        name = x.__globals__.get("__name__") if isinstance(x, FunctionType) else _module_of(x)
    return str(name).partition(".")[0]


def _module_of(x: Any) -> Any:
    return getattr(x, "__module__", None) or type(x).__module__


def belongs_to(x: object) -> str:
    """Return whose a function, a class or a module is: ``gradwalk``, ``foreign`` or ``user``.

    Foreign are packages that were installed. (The one of the compiled function is its user's.)
    """
    top = top_of(x)
    if top == "gradwalk":
        return top
    return "foreign" if top in STANDARD or _is_installed(top) else "user"


_installed: dict[str, bool] = {}


def _is_installed(top: str) -> bool:
    if top not in _installed:
        path = str(getattr(sys.modules.get(top), "__file__", None) or "")
        _installed[top] = "site-packages" in path or "dist-packages" in path
    return _installed[top]


def holds_buffer(x: object) -> bool:
    """Return whether an object holds numbers or bytes that may change: an array, a buffer."""
    kind = type(x)
    if hasattr(kind, "__dlpack__") or hasattr(kind, "to_numpy") or isinstance(x, PLAIN):
        return True
    try:
        memoryview(x)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def is_generator(x: object) -> bool:
    """Return whether an object draws random numbers."""
    import random

    numpy = sys.modules.get("numpy.random")
    kinds = (random.Random, numpy.Generator, numpy.RandomState) if numpy else (random.Random,)
    return isinstance(x, kinds)


def is_iterator(x: object) -> bool:
    """Return whether reading an object changes what it gives next: an iterator, a file."""
    kind = type(x)
    return hasattr(kind, "__next__") and not is_of_python(kind)


def is_of_python(cls: type) -> bool:
    """Return whether a class, or one below it, was written in Python."""
    return any({"__slots__", "__dict__", "__weakref__"} & vars(b).keys() for b in cls.__mro__[:-1])


HOLDERS: Final = (
    *(FunctionType, MethodType, BuiltinFunctionType, partial),
    *(staticmethod, classmethod, property),
)


def has_parts(x: object) -> bool:
    """Return whether an object has attributes to look at, or functions in it."""
    return isinstance(x, HOLDERS) or is_of_python(type(x)) or hasattr(x, "__dict__")
