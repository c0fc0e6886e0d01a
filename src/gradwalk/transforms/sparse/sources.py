"""Sets of inputs that do arithmetic as the numbers do that depend on them."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

__all__ = ["NOWHERE", "Sources"]

FEW = 48  # members up to which a set is a frozenset; beyond, bits take less memory


class Sources:
    """A set of inputs, which does arithmetic as the numbers do that depend on them.

    Whatever is computed of two numbers depends on what either of them depends on; but a number
    times a constant zero depends on nothing. ``of`` is a frozenset of places, or if there are many
    an int whose bits they are. Comparing sets raises `TypeError`: they have no size.
    """

    __slots__ = ("of",)

    def __init__(self, of: object) -> None:
        self.of: object = of

    def __add__(self, other: object) -> Sources:
        # numbers are constants, and a set is often added to itself: neither needs a new object
        if type(other) is not Sources or other is self or not other.of:
            return self
        a, b = self.of, other.of
        if type(a) is frozenset and type(b) is frozenset:
            if b <= a:  # sums add nothing new most of the time
                return self
            both = a | b
            return Sources(both if len(both) <= FEW else _bits(both))
        return Sources(_bits(a) | _bits(b)) if a else other

    def __neg__(self) -> Sources:
        return self

    def __mul__(self, other: object) -> Sources:
        if type(other) is Sources:
            return self + other
        return self if other != 0.0 else NOWHERE

    def conjugate(self) -> Sources:
        """Return ``self``: products of vectors conjugate even real numbers."""
        return self

    def _refuse(self, other: object = None) -> NoReturn:
        raise TypeError("a set of inputs has no size to compare by")

    __hash__: ClassVar[None] = None  # type: ignore[assignment]


_SHARED = {
    Sources.__add__: "radd sub rsub truediv rtruediv pow rpow",
    Sources.__mul__: "rmul",
    Sources.__neg__: "pos abs",
    Sources._refuse: "lt le gt ge eq ne bool",
}
for _method, _names in _SHARED.items():
    for _name in _names.split():
        setattr(Sources, f"__{_name}__", _method)


def _bits(of: Any) -> int:
    if type(of) is int:
        return of
    # in place: an int is copied for each bit that is set in it
    bits = bytearray(max(of, default=0) // 8 + 1)
    for place in of:
        bits[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(bits, "little")


NOWHERE = Sources(frozenset())
"""The sources of a constant."""
