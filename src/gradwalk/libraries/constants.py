"""Constants of NumPy on a device, and numbers that may be looked at without waiting for one."""

from __future__ import annotations

from typing import Any

import numpy as np

from .held import Held
from .places import Place
from .places import is_traced as is_traced

__all__ = ["constant", "extent", "is_traced", "seen"]

LARGEST = 1 << 16
"""The bytes up to which a constant is kept on its device: keys and masks of small shapes."""

MANY = 256
_kept: dict[Any, Any] = {}


def constant(array: Any, place: Place, beside: Any) -> Any:
    """Return an array of NumPy as one of the library, from the last time if it is small, or fixed.

    ``beside`` is an array that it meets: in a trace nothing may stay that belongs to it.
    """
    fixed = not array.flags.writeable and array.base is None
    if is_traced(beside) or (array.nbytes > LARGEST and not fixed):
        return place.put(array)
    key = (place, id(array)) if fixed else (place, array.dtype, array.shape, array.tobytes())
    found = _kept.get(key)
    if found is None:
        found = (place.put(array), array if fixed else None)  # an id belongs to what is alive
        if not is_traced(found[0]):
            if len(_kept) >= MANY:
                _kept.clear()
            _kept[key] = found
    return found[0]


def extent(x: Held) -> tuple[int, int] | None:
    """Return the least and the largest integer, where `seen` has numbers and there are any.

    PyTorch itself is asked: NumPy's functions between its own take 10 µs more than alone.
    """
    if x.place.library != "torch" or x.dtype.kind != "i" or not x.size:  # it has none of unsigned
        numbers = seen(x)
        return (int(numbers.min()), int(numbers.max())) if numbers is not None and x.size else None
    if x.raw.device.type != "cpu" or is_traced(x.raw):
        return None
    low, high = x.raw.aminmax()
    return low.item(), high.item()


def seen(x: Held) -> np.ndarray[Any, Any] | None:
    """Return the numbers as NumPy sees them in the same memory.

    ``None`` if they are on a device, which would have to be waited for, or unknown in a trace.
    """
    raw, library = x.raw, x.place.library
    if library == "cupy" or is_traced(raw):
        return None
    if library == "torch":
        return raw.detach().numpy() if raw.device.type == "cpu" else None
    if library == "jax" and any(device.platform != "cpu" for device in raw.devices()):
        return None
    return x.numpy()
