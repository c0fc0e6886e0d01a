"""CuPy's names over NumPy, for machines without a GPU: what its arrays refuse, they refuse.

An array is no array of NumPy and becomes none by itself, as those of a device. Its functions take
arrays of NumPy only where CuPy copies them to the device, and results without axes are arrays.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Self

import numpy as np
import pytest

__all__ = ["install"]

NUMBERS = (bool, int, float, complex, np.generic)


class Device:
    """A GPU, by its number."""

    def __init__(self, device: Any = None) -> None:
        self.id: int = device.id if isinstance(device, Device) else int(device or 0)
        if self.id:
            raise RuntimeError("cudaErrorInvalidDevice: invalid device ordinal")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"


class ndarray:  # noqa: N801
    """An array of a device, which has its own memory."""

    __array_ufunc__ = None
    _here: Any

    def __init__(self, here: Any) -> None:
        self._here = np.asarray(here)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. "
            "Please use `.get()` to construct a NumPy array explicitly."
        )

    def get(self) -> Any:
        """Return a copy on the host."""
        return self._here.copy()

    @property
    def device(self) -> Device:
        """Where it lies."""
        return Device(0)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return dict(self._here.__array_interface__)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._here, name)
        return _moved(found) if callable(found) else _there(found)

    def __getitem__(self, key: Any) -> Any:
        return _there(self._here[_key(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._here[_key(key)] = _here(value)

    def __len__(self) -> int:
        return len(self._here)

    def __bool__(self) -> bool:
        return bool(self._here)

    def __float__(self) -> float:
        return float(self._here)

    def __int__(self) -> int:
        return int(self._here)

    __hash__ = None  # type: ignore[assignment]


ndarray.__module__ = "cupy"  # by which it is recognised


def _key(key: Any) -> Any:
    """Return a key of NumPy; its own arrays are the only ones that CuPy does not take there."""
    return tuple(map(_here, key)) if isinstance(key, tuple) else _here(key)


def _operator(name: str) -> Callable[..., Any]:
    def operate(self: ndarray, *other: Any) -> Any:
        if any(not isinstance(x, (ndarray, *NUMBERS)) for x in other):
            return NotImplemented
        found = getattr(self._here, name)(*map(_here, other))
        return self if name.startswith("__i") and name != "__invert__" else _there(found)

    return operate


_TWO = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
_NAMES = [f"__{p}{n}__" for n in _TWO.split() for p in ("", "r", "i")]
_NAMES += [f"__{n}__" for n in ["eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert"]]
for _name in _NAMES:
    setattr(ndarray, _name, _operator(_name))


def _here(x: Any) -> Any:
    """Return an argument as NumPy takes it. Raise `TypeError` for arrays that are on the host."""
    if isinstance(x, ndarray):
        return x._here
    if isinstance(x, np.ndarray):
        raise TypeError(f"Unsupported type {type(x)}")
    if type(x) in (tuple, list):
        return type(x)(map(_here, x))
    return x


def _there(x: Any) -> Any:
    """Return results as arrays of the device."""
    if isinstance(x, (np.ndarray, np.generic)):
        return ndarray(x)
    if isinstance(x, (tuple, list)) and any(isinstance(y, (np.ndarray, np.generic)) for y in x):
        parts = [*map(_there, x)]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    return x


def _moved(f: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        return _there(f(*map(_here, args), **{k: _here(v) for k, v in options.items()}))

    return call


class _Ufunc:
    """A function of each number; ``at`` writes into an array."""

    def __init__(self, ufunc: Any) -> None:
        self.__name__ = ufunc.__name__
        self._call, self.at = _moved(ufunc), _moved(ufunc.at)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._call(*args, **options)


def _array(x: Any, *args: Any, **options: Any) -> ndarray:
    """Return an array of the device, which takes those of the host, too."""
    return ndarray(np.array(x._here if isinstance(x, ndarray) else x, *args, **options))


def _asarray(x: Any, dtype: Any = None, **options: Any) -> ndarray:
    if isinstance(x, ndarray) and dtype in (None, x.dtype):
        return x
    return _array(x, dtype, **options)


def _copied(name: str, source: Any) -> ModuleType:
    """Return a module with the names of one of NumPy."""
    module = ModuleType(name)
    for each in dir(source):
        found = getattr(source, each)
        if each.startswith("_") or isinstance(found, ModuleType):
            continue
        is_type = isinstance(found, type)
        made = _Ufunc(found) if isinstance(found, np.ufunc) else _moved(found)
        setattr(module, each, found if is_type or not callable(found) else made)
    return module


def install(patch: pytest.MonkeyPatch) -> None:
    """Put the modules where imports find them, until a test has ended."""
    cupy, cuda, device = (
        _copied("cupy", np),
        ModuleType("cupy.cuda"),
        ModuleType("cupy.cuda.device"),
    )
    own: dict[str, Any] = {"ndarray": ndarray, "array": _array, "asarray": _asarray, "cuda": cuda,
        "linalg": _copied("cupy.linalg", np.linalg), "fft": _copied("cupy.fft", np.fft),
        "asnumpy": lambda x: x.get()}  # fmt: skip
    vars(cupy).update(own)
    cuda.Device = device.Device = Device  # type: ignore[attr-defined]
    cuda.device = device  # type: ignore[attr-defined]
    cupyx, scipy = ModuleType("cupyx"), ModuleType("cupyx.scipy")
    special = ModuleType("cupyx.scipy.special")
    for name in ("erf", "erfc"):
        each = np.vectorize(getattr(math, name), otypes=[np.float64])
        setattr(special, name, _moved(lambda x, f=each: f(x).astype(x.dtype)))
    cupyx.scatter_add = cupy.add.at  # type: ignore[attr-defined]
    modules = [cupy, cuda, device, cupy.linalg, cupy.fft, cupyx, scipy, special]
    for module in modules:
        module.__path__ = []
        patch.setitem(sys.modules, module.__name__, module)
    for name in [n for n in sys.modules if n.startswith("array_api_compat.cupy")]:
        patch.delitem(sys.modules, name)
