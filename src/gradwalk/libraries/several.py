"""Many arrays of PyTorch as one operand of an update rule: one kernel for all of them.

A product with a number waits for what it meets, as PyTorch adds a multiple in one kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final, Self

from ..core.carrier import Carrier
from .array import LibraryArray
from .held import Raw

__all__ = ["WHOLE", "Several", "takes_several"]


def takes_several(x: LibraryArray) -> bool:
    """Return whether the library of an array updates many arrays at once."""
    return bool(x.place.library == "torch" and x.dtype.kind == "f")


def _all(name: str) -> Callable[..., Any]:
    return getattr(import_module("torch"), f"_foreach_{name}")  # type: ignore[no-any-return]


class Several(Carrier):
    """``factor`` times ``raws``, or times their products or quotients with ``others``."""

    __slots__ = ("_divides", "_factor", "_others", "_raws")
    _rank = -1
    _records = False

    def __init__(
        self, raws: Sequence[Raw], factor: float = 1.0, others: Any = None, divides: bool = False
    ) -> None:
        self._raws, self._factor = list(raws), factor
        self._others, self._divides = others, divides

    @classmethod
    def _apply(cls, primitive: Any, args: tuple[Any, ...], options: Any = {}) -> Any:  # noqa: B006
        parts = [x.raws for x in args if type(x) is Several]
        if len(parts) < len(args) or primitive.name not in ("sqrt", "maximum"):
            raise NotImplementedError(primitive.name)
        return cls(_all(primitive.name)(*parts))

    @property
    def raws(self) -> list[Raw]:
        """The arrays themselves."""
        if self._others is not None:
            raws = _all("div" if self._divides else "mul")(self._raws, self._others)
            self._raws, self._others = raws, None
        if self._factor != 1.0:
            self._raws, self._factor = _all("mul")(self._raws, self._factor), 1.0
        return self._raws

    def _scaled(self, factor: float) -> Self:
        return type(self)(self._raws, self._factor * factor, self._others, self._divides)

    def __mul__(self, other: Self | float) -> Self:
        if isinstance(other, float):
            return self._scaled(other)
        if self._others is not None or other._factor != 1.0:
            return type(self)(self.raws, 1.0, other.raws)
        return type(self)(self._raws, self._factor, other.raws)

    __rmul__ = __mul__

    def __truediv__(self, other: Self | float) -> Self:
        if isinstance(other, float):
            return type(self)(_all("div")(self.raws, other))
        if self._others is not None:
            return type(self)(self.raws, 1.0, other.raws, True)
        return type(self)(self._raws, self._factor, other.raws, True)

    def __add__(self, other: Self | float) -> Self:
        if isinstance(other, float):
            return type(self)(_all("add")(self.raws, other))
        return self._plus(other, other._factor)

    def __sub__(self, other: Self) -> Self:
        return self._plus(other, -other._factor)

    def _plus(self, other: Self, factor: float) -> Self:
        if other._others is None:
            return type(self)(_all("add")(self.raws, other._raws, alpha=factor))
        name = "addcdiv" if other._divides else "addcmul"
        return type(self)(_all(name)(self.raws, other._raws, other._others, value=factor))


def _adam(
    steps: int, p: Any, g: Any, m: Any, v: Any,
    lr: float, beta1: float, beta2: float, eps: float, decay: float, shrink: float, sign: float,
    *corrections: float,
) -> tuple[Several, ...] | None:  # fmt: skip
    """Return a step of Adam by PyTorch's fused kernel, which writes into m and v.

    It takes 33 µs for 6 small arrays, and a step of `Several` 150 µs: a tenth of the operations.
    """
    p, g, m, v = ([x.contiguous() for x in arrays.raws] for arrays in (p, g, m, v))
    decoupled = shrink != 1.0
    known = p[0].device.type in ("cpu", "cuda") and p[0].element_size() >= 4
    if not known or (decoupled and (decay != 0.0 or lr == 0.0)):
        return None
    count = p[0].new_full((), steps, dtype=import_module("torch").float32)
    new, run = _all("clone")(p), getattr(import_module("torch"), _FUSED[decoupled])
    run(new, g, m, v, [], [count] * len(p), lr=lr, beta1=beta1, beta2=beta2, eps=eps,
        weight_decay=(1.0 - shrink) / lr if decoupled else decay, amsgrad=False,
        maximize=sign < 0.0)  # fmt: skip
    return Several(new), Several(m), Several(v)


_FUSED = ("_fused_adam_", "_fused_adamw_")

WHOLE: Final[dict[str, Callable[..., tuple[Several, ...] | None]]] = {"adam": _adam}
"""Update rules that PyTorch has as a whole, by name; the state is written into.

They take how many steps there were before the arguments. ``None`` leaves a step to the rule.
"""
