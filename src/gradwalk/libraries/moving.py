"""Moves between places that do not pass through main memory: by the library, or by DLPack."""

from __future__ import annotations

import sys
from typing import Any

from .held import Held, Raw
from .places import Place

__all__ = ["taken"]

EXCHANGE = ("torch", "jax")
"""Libraries that take each other's arrays on one device."""


def taken(x: Held, place: Place) -> Raw | None:
    """Return a copy of an array at another place; ``None`` if it has to pass through NumPy."""
    if x.place.library == place.library:
        return _within(x, place)
    both = x.place.library in EXCHANGE and place.library in EXCHANGE
    if not both or not x.known or None in (x.place.device, place.device):
        return None
    if _kind(x.place) != _kind(place) or x.dtype.kind == "b" or x.dtype.name in place.narrow:
        return None
    if place.library == "torch":  # a copy: the memory of JAX is read-only
        return place.xp.from_dlpack(x.raw).clone().to(place.device)
    jax: Any = sys.modules["jax"]
    shared = place.xp.from_dlpack(x.raw.detach().contiguous())
    return jax.device_put(place.xp.array(shared, copy=True), place.device)


def _within(x: Held, place: Place) -> Raw | None:
    """Return an array on another device of its library."""
    if place.library == "torch" and (x.known or place.device.type != "cpu"):
        return x.raw.to(place.device, copy=True)
    if place.library == "jax":
        jax: Any = sys.modules["jax"]
        return x.raw if place.device is None else jax.device_put(x.raw, place.device)
    return None


def _kind(place: Place) -> str:
    """Return which memory a device has: "cpu", "cuda"."""
    kind = getattr(place.device, "platform", None) or place.device.type
    return "cuda" if kind in ("gpu", "cuda") else str(kind)
