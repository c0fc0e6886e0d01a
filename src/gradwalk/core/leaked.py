"""The class of leaked values: every use of a value that outlived its transform is an error.

An outermost transform computes with ordinary Values and Tensors, so no operation has to check
anything. If one of them outlives the transform, `gradwalk.transforms.leaks` changes its class to a
subclass of `Leaked`.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import maxsize
from typing import Any, NoReturn

from ..errors import LeakedTraceError
from .places import here, name_in_program, place, text_tree

__all__ = ["Leaked", "leak_tree", "refuse"]


_ALLOWED = {"_rank", "_level", "_apply", "_is_tensor"}
_INTERNAL = {"_gradients": "gradients"}


class _Ended:
    """The level of leaked values: a transform that has ended."""

    is_open, mode = False, "its transform"


class Leaked:
    """The first base of the classes of leaked values, which raises at every use."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__") or name in _ALLOWED:  # about the object, not about its number
            return object.__getattribute__(self, name)
        return refuse(self, _INTERNAL.get(name, "an operation") if name[0] == "_" else f".{name}")

    # A primitive reads these of its arguments. So the error names the primitive that was applied.

    _level = _Ended()

    @property
    def _rank(self) -> int:
        return maxsize  # the highest rank decides which carrier a primitive is applied by

    def _apply(self, primitive: Any, args: Any, options: Any = None) -> NoReturn:
        refuse(self, primitive.name)

    def __setattr__(self, name: str, value: object) -> None:
        refuse(self, f".{name} =")

    def __delattr__(self, name: str) -> None:
        refuse(self, f"del .{name}")

    def __repr__(self) -> str:
        return f"<leaked {_kind(self)}>"

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __array_ufunc__(self, ufunc: Any, *args: Any, **options: Any) -> NoReturn:
        refuse(self, f"numpy.{ufunc.__name__}")

    def __array_function__(self, function: Any, *args: Any, **options: Any) -> NoReturn:
        refuse(self, f"numpy.{function.__name__}")


def _kind(x: Leaked) -> str:
    return type(x).__name__.removeprefix("Leaked")


def refuse(x: Leaked, where: str) -> NoReturn:
    """Raise `LeakedTraceError` for a use of ``x``."""
    name = name_in_program(lambda thing: thing is x) or "it"
    try:
        made = place(object.__getattribute__(object.__getattribute__(x, "_node"), "line"))
    except AttributeError:  # Values record no lines
        made = ""
    raise LeakedTraceError(
        where=where,
        expected="values of an active transform",
        got=f"a {_kind(x)} that leaked from its transform, which has ended:"
        + leak_tree(f"{name}, a {_kind(x)} of the transform", made),
        fix="Return it from the function (has_aux=True), or keep its number: x.data, x.detach().",
    )


def leak_tree(what: str, made: str = "") -> str:
    """Return the two places of a leaked value: where it was computed, and where it is used."""
    inside, after = f"{made or 'computed'}: inside it", f"{here()}: after it had ended"
    return f"\n{text_tree(what, [[inside], [after]])}\n"


def _operator(name: str, shown: str) -> Callable[..., NoReturn]:
    def operate(self: Leaked, *args: Any, **options: Any) -> NoReturn:
        refuse(self, shown)

    operate.__name__ = operate.__qualname__ = f"__{name}__"
    return operate


_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
_OTHERS = """divmod rdivmod neg pos abs invert round trunc floor ceil bool int float complex index
lt le gt ge eq ne len iter reversed contains getitem setitem delitem copy deepcopy reduce reduce_ex
array array_namespace dlpack dlpack_device"""
_names = {f"{way}{name}": name for name in _BINARY.split() for way in ("", "r", "i")}
_names |= {name: name for name in _OTHERS.split()}

# Python and NumPy look these up on the class, so __getattribute__ does not see them.
for _name, _shown in _names.items():
    setattr(Leaked, f"__{_name}__", _operator(_name, _shown))
