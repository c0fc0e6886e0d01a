"""What a value becomes that a side effect has taken out of a transform: an error at every use.

A transform computes with ordinary Values and Tensors, so that nothing has to be checked on the way.
If one of them outlives it, `gradwalk.transforms.leaks` changes its class to one with `Leaked` in
front.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import maxsize
from typing import Any, NoReturn

from ..errors import LeakedTraceError

__all__ = ["Leaked", "refuse"]


_ASKED = {"_rank", "_level", "_apply", "_is_tensor"}
_INTERNAL = {"_gradients": "gradients"}


class _Ended:
    """The level of what has no transform any more."""

    is_open, mode = False, "its transform"


class Leaked:
    """Comes first of the bases of a class whose instances are still there, but of no use."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__") or name in _ASKED:  # of the object, not of the number
            return object.__getattribute__(self, name)
        return refuse(self, _INTERNAL.get(name, "an operation") if name[0] == "_" else f".{name}")

    # What rows ask of their arguments. So it is a row that finds the leak, and says its own name.

    _level = _Ended()

    @property
    def _rank(self) -> int:
        return maxsize  # above all others: it decides what the row does

    def _apply(self, primitive: Any, args: Any, options: Any = None) -> NoReturn:
        refuse(self, primitive.name)

    def __setattr__(self, name: str, value: Any) -> None:
        refuse(self, f".{name} =")

    def __delattr__(self, name: str) -> None:
        refuse(self, f"del .{name}")

    def __repr__(self) -> str:
        return f"<leaked {_kind(self)}>"

    __hash__ = object.__hash__

    def __array_ufunc__(self, ufunc: Any, *args: Any, **options: Any) -> NoReturn:
        refuse(self, f"numpy.{ufunc.__name__}")

    def __array_function__(self, function: Any, *args: Any, **options: Any) -> NoReturn:
        refuse(self, f"numpy.{function.__name__}")


def _kind(x: Leaked) -> str:
    return type(x).__name__.removeprefix("Leaked")


def refuse(x: Leaked, where: str) -> NoReturn:
    """Raise the error for a use of ``x``."""
    raise LeakedTraceError(
        where=where,
        expected="values of a transform that is still running",
        got=f"a {_kind(x)} that a side effect took out of its transform, which has ended",
        fix="Return it from the function (has_aux=True), or keep the number: x.data, x.detach().",
    )


def _operator(name: str, shown: str) -> Callable[..., NoReturn]:
    def operate(self: Leaked, *args: Any, **options: Any) -> NoReturn:
        refuse(self, shown)

    operate.__name__ = operate.__qualname__ = f"__{name}__"
    return operate


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
_OTHERS = """divmod rdivmod neg pos abs invert round trunc floor ceil bool int float complex index
lt le gt ge len iter reversed contains getitem setitem delitem copy deepcopy reduce reduce_ex
array array_namespace dlpack dlpack_device"""
_names = {f"{way}{name}": name for name in _BINARY.split() for way in ("", "r", "i")}
_names |= {name: name for name in _OTHERS.split()}

# Python and NumPy look these up on the class, past __getattribute__.
for _name, _shown in _names.items():
    setattr(Leaked, f"__{_name}__", _operator(_name, _shown))
