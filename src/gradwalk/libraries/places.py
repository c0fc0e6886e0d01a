"""Places: the library and the device that an array belongs to."""

from __future__ import annotations

import re
import sys
from functools import cache, cached_property
from importlib import import_module
from typing import Any

import numpy as np

from ..core.expect import describe
from ..core.places import here
from ..errors import MissingExtraError, NotANumberError, OptionError

__all__ = [
    "Place",
    "is_foreign",
    "is_traced",
    "is_tracer",
    "namespace_of",
    "numpy_dtype",
    "place_named",
    "place_of",
]
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


NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32"}
"""What JAX has instead of 64 bits."""


class Place:
    """One library and one device of it. Of two that are equal only one is made."""

    def __init__(self, xp: Any, device: Any) -> None:
        self.xp: Any = xp
        self.device: Any = device
        name = xp.__name__.removeprefix("array_api_compat.")
        self.library: str = name.partition(".")[0]
        self.is_wide: bool = self.library != "jax"  # whether it has all of NumPy's dtypes

    def __reduce__(self) -> Any:
        return (_opened, (self.text, self.device is None))

    @cached_property
    def abstract(self) -> Place:
        """This place while a compiler of the library traces: JAX's tracers lie on no device."""
        return _place(self.xp, None) if self.library == "jax" else self

    @property
    def text(self) -> str:
        """The name that users see, such as ``"torch:cuda:0"``; ``"jax"`` of its tracers."""
        if self.device is None:
            return self.library
        name = str(self.device.id if self.library == "cupy" else self.device)
        name = re.sub(r".*\('(.*)'\)", r"\1", name)  # array_api_strict.Device('CPU')
        return f"{self.library}:{name.lower()}"

    @property
    def narrow(self) -> dict[str, str]:
        """The dtypes that stand for others here: JAX has none of 64 bits unless it is asked to."""
        if self.is_wide or sys.modules["jax"].config.jax_enable_x64:
            return {}
        return NARROW

    @cached_property
    def _kinds(self) -> dict[Any, Any]:
        return {}

    def dtype(self, kind: Any) -> Any:
        """Return the dtype of this library for one of NumPy."""
        known = self._kinds.get(kind) if self.library == "torch" else None
        if known is not None:
            return known
        name = np.dtype(kind).name
        found = getattr(self.xp, self.narrow.get(name, name), None)
        if found is None:
            raise OptionError(
                where=f"dtype {name}",
                expected=f"a dtype that {self.library} has",
                got=name,
                fix='Write t.astype("float32") before, for one.',
            )
        self._kinds[kind] = found
        return found

    def put(self, x: Any, dtype: Any = None) -> Any:
        """Return an array of the library here, with the numbers of an array of NumPy."""
        x = np.array(x, dtype)  # a copy: the memory may be shared, or not be writable
        kind = self.dtype(x.dtype)
        try:
            return self.xp.asarray(x, dtype=kind, device=self.device)
        except (RuntimeError, MemoryError) as error:
            expect_memory("an array", self, error)
            raise

    def full(self, shape: tuple[int, ...], number: Any, dtype: Any) -> Any:
        """Return an array of one number."""
        kind = self.dtype(dtype)
        try:
            return self.xp.full(shape, number, dtype=kind, device=self.device)
        except (RuntimeError, MemoryError) as error:
            expect_memory("an array", self, error)
            raise

    def numbers(self, raw: Any) -> np.ndarray[Any, Any]:
        """Return a copy of an array of this library as one of NumPy.

        Raise `OptionError` while a compiler traces the program: it has no numbers.
        """
        raw = self.told(raw)
        if self.library == "torch":
            raw = raw.detach().cpu().numpy()
        elif self.library == "cupy":
            raw = raw.get()
        elif self.library == "array_api_strict":
            raw = self.xp.asarray(raw, device=self.xp.Device("CPU_DEVICE"))._array
        return np.array(raw)

    def told(self, raw: Any) -> Any:
        """Return an array whose numbers may be read, or raise `OptionError`."""
        if is_traced(raw):
            raise OptionError(
                where=f"inside a trace of {self.library}",
                expected="a program that asks for no numbers, because a trace has none",
                got=f"a question for those of an array: {here()}",
                fix="Write gradwalk.where(condition, a, b) for a choice, or ask outside the trace.",
            )
        constant = getattr(raw, "constant", None)  # of PyTorch's trace: what the program has made
        return raw if constant is None else constant

    def __repr__(self) -> str:
        return self.text


MEMORY = ("RESOURCE_EXHAUSTED", "out of memory", "can't allocate memory")
"""How libraries say that a device has no memory left."""


def expect_memory(where: str, place: Place, error: Exception) -> None:
    """Raise `OptionError` if an error of a library says that there is no memory left."""
    text = str(error)
    named = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
    if named or any(words in text for words in MEMORY):
        raise OptionError(
            where=where,
            expected=f"memory for the result on {place}",
            got=f"none left ({text.partition(chr(10))[0]})",
            fix="Pass smaller batches, or free arrays that are not needed.",
        ) from error


_places: dict[tuple[str, str], Place] = {}


def place_of(raw: Any) -> Place:
    """Return the place of an array of another library.

    That of JAX's arrays without one device is its library: of tracers, and of arrays on several.
    """
    xp = namespace_of(raw)
    return _place(xp, None if is_tracer(raw) or is_sharded(raw) else _compat().device(raw))


def is_sharded(raw: Any) -> bool:
    """Return whether an array of JAX lies on several devices, in whatever parts."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(raw, jax.Array) and len(raw.sharding.device_set) > 1


def is_tracer(raw: Any) -> bool:
    """Return whether ``raw`` stands for the numbers of later calls, in a trace of JAX."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(raw, jax.core.Tracer)


def is_traced(raw: Any) -> bool:
    """Return whether an array has no numbers, because a compiler traces, or it lies nowhere."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(raw, torch.Tensor):
        return isinstance(raw, tuple) or is_tracer(raw)  # an outline, or a tracer of JAX
    if type(raw) not in (torch.Tensor, torch.nn.Parameter) or raw.device.type == "meta":
        return getattr(raw, "constant", None) is None
    tracing = sys.modules.get("torch.fx.experimental.proxy_tensor")
    mode = None if tracing is None else tracing.get_proxy_mode()
    slot = None if mode is None else tracing.get_proxy_slot(raw, mode.tracer, None)  # type: ignore
    return slot is not None and slot.constant is None


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

    A device alone belongs to the library of ``here``; of NumPy, "cpu" is the only one. A place is
    itself.
    """
    if isinstance(text, Place):
        return text
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


def _opened(text: str, of_several: bool) -> Place:
    """Return the place that was pickled under a name."""
    place = place_named(text, None, "pickle")
    assert place is not None
    return _place(place.xp, None) if of_several else place


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
        chosen = jax.local_devices(backend=kind or None)[int(number or 0)]
        return jax.device_put(jax.numpy.zeros(()), chosen)
    xp: Any = import_module(library)
    if library == "torch":
        return xp.zeros((), device=device or None)
    if library == "cupy":
        with xp.cuda.Device(int(device.rpartition(":")[2] or 0)):
            return xp.zeros(())
    return xp.zeros((), device=xp.Device(device.upper()) if device else None)
