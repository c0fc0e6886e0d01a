"""Places: the library and the device that an array belongs to."""

from __future__ import annotations

import re
import sys
from functools import cache, cached_property
from importlib import import_module
from typing import Any

import numpy as np

from ..core.expect import describe
from ..errors import MissingExtraError, NotANumberError, OptionError

__all__ = ["Place", "is_foreign", "namespace_of", "numpy_dtype", "place_named", "place_of"]
__all__ += ["refuse_foreign"]

WITHOUT_NAMESPACE = ("torch", "cupy")
"""Libraries whose arrays do not say themselves what their namespace is."""
TABLES = ("numpy", "gradwalk", "dask", "xarray", "pandas", "polars")
"""Libraries whose arrays become arrays of NumPy."""


def is_foreign(x: object) -> bool:
    """Return whether ``x`` is an array of another library of the array API, such as PyTorch."""
    kind = type(x)
    root = kind.__module__.partition(".")[0]
    if root in WITHOUT_NAMESPACE:
        library: Any = sys.modules[root]
        return isinstance(x, library.Tensor if root == "torch" else library.ndarray)
    return hasattr(kind, "__array_namespace__") and root not in TABLES


def refuse_foreign(x: object, where: str) -> None:
    """Raise `NotANumberError` for an array of another library that is in no Tensor."""
    if is_foreign(x):
        raise NotANumberError(
            where=where,
            expected="an array of another library in a Tensor",
            got=describe(x),
            fix="Write gradwalk.Tensor(x): its derivatives lie where x does, as t.data.",
        )


def namespace_of(x: object) -> Any:
    """Return the functions of the array API for ``x``. Raise `MissingExtraError` without them."""
    return _compat().array_namespace(x)


@cache
def _compat(where: str = "Tensor(array of another library)") -> Any:
    try:
        return import_module("array_api_compat")
    except ImportError as error:
        raise MissingExtraError(
            where=where,
            expected="the package array-api-compat",
            got="an installation without it",
            fix='Install it: pip install "gradwalk[arrays]". Arrays of NumPy need nothing else.',
        ) from error


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """Return NumPy's dtype for one of another library.

    >>> numpy_dtype("torch.float32")
    dtype('float32')
    """
    key = (type(dtype), dtype)  # dtypes of two libraries are not compared
    known = _dtypes.get(key)
    if known is not None:
        return known
    try:
        found = _dtypes[key] = np.dtype(str(dtype).rpartition(".")[2])
    except TypeError:
        found = np.dtype(object)
    if found.kind in "biuf":
        return found
    raise NotANumberError(
        where="Tensor(data)",
        expected="real numbers of a dtype that NumPy has, integers or bools",
        got=f"dtype {dtype}",
        fix="Convert it first, to float32 for one.",
    )


_dtypes: dict[Any, np.dtype[Any]] = {}


class Place:
    """One library and one device of it. Of two that are equal only one is made."""

    def __init__(self, xp: Any, device: Any) -> None:
        self.xp: Any = xp
        self.device: Any = device
        name = xp.__name__.removeprefix("array_api_compat.")
        self.library: str = name.partition(".")[0]

    @property
    def text(self) -> str:
        """The name that users see, such as ``"torch:cuda:0"``."""
        name = re.sub(r".*\('(.*)'\)", r"\1", str(self.device))  # array_api_strict.Device('CPU')
        return f"{self.library}:{name.lower()}"

    @cached_property
    def narrow(self) -> dict[str, str]:
        """The dtypes that stand for others here: JAX has none of 64 bits unless it is asked to."""
        if self.library != "jax" or import_module("jax").config.jax_enable_x64:
            return {}
        return {"float64": "float32", "int64": "int32", "uint64": "uint32"}

    def dtype(self, kind: Any) -> Any:
        """Return the dtype of this library for one of NumPy."""
        name = np.dtype(kind).name
        found = getattr(self.xp, self.narrow.get(name, name), None)
        if found is None:
            raise OptionError(
                where=f"dtype {name}",
                expected=f"a dtype that {self.library} has",
                got=name,
                fix='Write t.astype("float32") before, for one.',
            )
        return found

    def put(self, x: Any, dtype: Any = None) -> Any:
        """Return an array of the library here, with the numbers of an array of NumPy."""
        x = np.array(x, dtype)  # a copy: the memory may be shared, or not be writable
        return self.xp.asarray(x, dtype=self.dtype(x.dtype), device=self.device)

    def full(self, shape: tuple[int, ...], number: Any, dtype: Any) -> Any:
        """Return an array of one number."""
        return self.xp.full(shape, number, dtype=self.dtype(dtype), device=self.device)

    def numbers(self, raw: Any) -> np.ndarray[Any, Any]:
        """Return a copy of an array of this library as one of NumPy."""
        if self.library == "torch":
            raw = raw.detach().cpu().numpy()
        elif self.library == "cupy":
            raw = raw.get()
        elif self.library == "array_api_strict":
            raw = self.xp.asarray(raw, device=self.xp.Device("CPU_DEVICE"))._array
        return np.array(raw)

    def __repr__(self) -> str:
        return self.text


_places: dict[tuple[str, str], Place] = {}


def place_of(raw: Any) -> Place:
    """Return the place of an array of another library."""
    xp = namespace_of(raw)
    return _place(xp, _compat().device(raw))


def _place(xp: Any, device: Any) -> Place:
    key = (xp.__name__, str(device))
    found = _places.get(key)
    if found is None:
        found = _places[key] = Place(xp, device)
    return found


LIBRARIES = ("torch", "jax", "cupy", "array_api_strict")
"""Libraries that a place can be named by."""

DEVICES = ("cuda", "mps", "xpu", "meta")
"""Devices that NumPy has not: a name without a library means PyTorch's."""


def place_named(text: Any, here: Place | None, where: str) -> Place | None:
    """Return the place with a name such as "torch:cuda", or ``None`` for NumPy.

    A device alone belongs to the library of ``here``; of NumPy, "cpu" is the only one.
    """
    name = text if isinstance(text, str) else str(text)
    library, _, device = name.partition(":")
    if library == "numpy":
        return None
    if library in LIBRARIES:
        return _open(library, device, where)
    if here is not None:
        return _open(here.library, name, where)
    if library == "cpu":
        return None
    if library in DEVICES:
        return _open("torch", name, where)
    raise OptionError(
        where=where,
        expected='"cpu", "numpy", "cuda", or a library and its device: "torch:cpu", "jax"',
        got=describe(text),
        fix="Check the spelling.",
    )


def _open(library: str, device: str, where: str) -> Place:
    _compat(where)
    try:
        example = _example(library, device)
    except ImportError as error:
        raise MissingExtraError(
            where=where,
            expected=f"the library {library}",
            got="an installation without it",
            fix=f"Install {library} first.",
        ) from error
    except (RuntimeError, AssertionError, ValueError, IndexError) as error:
        reason = str(error).partition("\n")[0]
        raise OptionError(
            where=where,
            expected=f"a device that {library} has here",
            got=f"{device!r} ({reason})",
            fix=f'Write "{library}" for its usual device.',
        ) from error
    return place_of(example)


def _example(library: str, device: str) -> Any:
    if library == "jax":
        jax = import_module("jax")
        kind, _, number = device.partition(":")
        chosen = jax.devices(kind or None)[int(number or 0)]
        return jax.device_put(jax.numpy.zeros(()), chosen)
    xp: Any = import_module(library)
    if library == "torch":
        return xp.zeros((), device=device or None)
    if library == "cupy":
        with xp.cuda.Device(int(device.rpartition(":")[2] or 0)):
            return xp.zeros(())
    return xp.zeros((), device=xp.Device(device.upper()) if device else None)
