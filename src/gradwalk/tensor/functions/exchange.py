"""Exchange with other libraries: conversion to Tensors, devices and DLPack."""

from __future__ import annotations

from typing import Any, Protocol, cast

import numpy as np

from ...core.expect import describe
from ...engine.scalar import Scalar
from ...engine.value import Value
from ...errors import NotANumberError, OptionError
from ...levels.programs import recorder
from ...libraries.places import LIBRARIES
from ...ops.array.structure import astype
from ..graph.convert import dtype_of
from ..graph.placed import at_place, place_of
from ..graph.tensor import Tensor
from ..graph.types import Array, DType, DTypeLike, Nested, Number, SupportsArray
from .arguments import operand
from .creation import leaf

__all__ = ["asarray", "device_and_dtype", "from_dlpack", "from_numpy"]
METHODS = ("to_device",)


class SupportsDLPack(Protocol):
    """An array of another library that can be exchanged by DLPack."""

    def __dlpack__(self, *, stream: None = None) -> Any:
        """Return a capsule with a view of the memory."""


def asarray(
    data: Tensor | Value | SupportsArray | Number | Nested,
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = None,
    requires_grad: bool = False,
    label: str = "",
    device: str | None = None,
) -> Tensor:
    """Return ``data`` as a Tensor, without a copy if it is one already.

    A Tensor, a Value and a traced number keep their gradient. Anything else is copied.

    Parameters
    ----------
    data : any shape
        A number, an array, nested lists, or an array of another library.
    dtype
        The dtype of the result; ``None`` keeps that of ``data``.
    copy
        Whether a Tensor is copied, too; ``False`` forbids a copy.
    requires_grad
        Whether the Tensor is a leaf that collects gradients.
    label
        The name of the Tensor in pictures of graphs and in messages.
    device
        Where the array lies, such as "cpu" or "torch:cuda" (see `to_device`); ``None`` is NumPy's
        memory.

    Returns
    -------
    the shape of data
        A Tensor: ``data`` itself if it is one and nothing changes.

    Raises
    ------
    OptionError
        If a copy is needed and ``copy`` is ``False``, ``dtype`` is not the name of a dtype that
        Tensors have, or ``device`` is not known.
    NotANumberError
        If ``data`` holds something that is not a number.

    See Also
    --------
    array, from_numpy, from_dlpack

    Examples
    --------
    >>> x = Tensor([1.0, 2.0])
    >>> asarray(x) is x, asarray([1, 2])
    (True, Tensor([1, 2]))
    """
    if device is not None:
        moved = at_place(asarray(data, dtype, copy=copy), device, "asarray(device)")
        return leaf(moved._data, True, label) if requires_grad else moved
    kind = None if dtype is None else dtype_of(dtype, "asarray(dtype)")
    tensor = operand(data, "asarray") if isinstance(data, (Tensor, Scalar)) else None
    if tensor is not None and requires_grad and not tensor.requires_grad:
        tensor = None  # a leaf is needed, and ``data`` must not become one
    if tensor is not None and kind in (None, tensor.dtype) and not copy:
        return tensor
    if copy is False:
        raise OptionError(
            where="asarray(copy=False)",
            expected="a Tensor of that dtype",
            got=describe(data),
            fix="Leave copy out: a Tensor has its own memory.",
        )
    if tensor is not None and (kind or tensor.dtype).kind == "f":
        return astype(tensor, dtype=kind or tensor.dtype)
    return Tensor(cast(Array, data), kind, requires_grad, label)


def from_numpy(array: Array) -> Tensor:
    """Return a Tensor of a copy of a NumPy array.

    Parameters
    ----------
    array : any shape
        An array of numbers.

    Returns
    -------
    the shape of array
        A new Tensor that shares no memory with ``array``.

    Raises
    ------
    NotANumberError
        If the elements are not real numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from_numpy(np.ones(2))
    Tensor([1., 1.])
    """
    return Tensor(array)


def from_dlpack(
    x: SupportsDLPack, *, device: str | None = None, copy: bool | None = None
) -> Tensor:
    """Return a Tensor of a copy of an array of PyTorch, JAX or CuPy on the CPU, by DLPack.

    Parameters
    ----------
    x
        An array with a method ``__dlpack__``.
    device
        Where the array lies afterwards, as in `to_device`; ``None`` is NumPy's memory.
    copy
        ``None`` or ``True``: a Tensor shares its memory with no other array.

    Returns
    -------
    the shape of x
        A new Tensor.

    Raises
    ------
    OptionError
        If ``copy`` is ``False``, or ``device`` is not known.
    NotANumberError
        If ``x`` has no ``__dlpack__``, or its elements are not real numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from_dlpack(np.ones(2))
    Tensor([1., 1.])
    """
    if copy is False:
        raise _no_sharing("from_dlpack")
    if not hasattr(x, "__dlpack__"):
        raise NotANumberError(
            where="from_dlpack",
            expected="an array with __dlpack__",
            got=describe(x),
            fix="Write Tensor(x) for lists and numbers.",
        )
    try:
        array = np.from_dlpack(x)
    except BufferError as error:
        raise NotANumberError(
            where="from_dlpack",
            expected="an array of real numbers",
            got=describe(x),
            fix="Convert it to floats in its own library before.",
        ) from error
    made = Tensor(array)  # a copy: the memory belongs to another library
    return made if device is None else at_place(made, device, "from_dlpack(device)")


def _no_sharing(where: str) -> OptionError:
    return OptionError(
        where=f"{where}(copy=False)",
        expected="copy=None or True",
        got="False",
        fix="Leave copy out: a Tensor shares its memory with no other array.",
    )


# --- devices and DLPack ---------------------------------------------------------------------------


def to_device(x: Tensor, device: str | None, /, *, stream: None = None) -> Tensor:
    """Return the Tensor on another device, or in another library.

    Gradients flow back to where the Tensor was.

    Parameters
    ----------
    x : any shape
        The Tensor.
    device
        A device alone, such as "cuda", is one of the library that ``x`` is in; NumPy has "cpu"
        only, and "cuda" means PyTorch's. "torch:cuda", "jax" and "numpy" name the library, too.
        ``None`` leaves ``x`` where it is.
    stream
        Accepted for the array API, and not used.

    Returns
    -------
    the shape of x
        The Tensor at its new place; ``x`` itself if it is there already.

    Raises
    ------
    OptionError
        If there is no such device or library.
    MissingExtraError
        If the library is not installed.

    Examples
    --------
    >>> to_device(Tensor([1.0]), "cpu")
    Tensor([1.])
    """
    return x if device is None else at_place(x, device, "t.to_device(device)")


def device_and_dtype(
    where: str, args: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, DType | None]:
    """Return the device and the dtype among the arguments of PyTorch's ``to``.

    An array among them stands for its dtype.
    """
    device, found = None, None
    for name, arg in [*[("dtype", a) for a in args], *named.items()]:
        if name not in ("device", "dtype", "other", "copy", "non_blocking"):
            raise TypeError(f"{where}() got an unexpected keyword argument {name!r}")
        if name in ("copy", "non_blocking") or arg is None or isinstance(arg, bool):
            continue
        text = str(arg) if type(arg).__module__ == "torch" and hasattr(arg, "type") else arg
        if name == "device" or (isinstance(text, str) and text.partition(":")[0] in DEVICES):
            device = text
        else:
            kind = arg.dtype if isinstance(arg, (Tensor, np.ndarray)) else arg
            found = dtype_of(kind, f"{where}(dtype)")
    return device, found


DEVICES = ("cpu", "cuda", "mps", "gpu", "xpu", "meta", *LIBRARIES, "numpy")
"""The names of PyTorch's devices, and of the libraries that an array can be in."""


def _device(self: Tensor) -> str:
    """Return where the array lies: "cpu" for NumPy's, else a library and its device."""
    place = place_of(self)  # which asks for no numbers of what is traced
    program = recorder() if place is not None and place.device is None else None
    place = place if program is None or program.place is None else program.place
    return "cpu" if place is None else place.text


def _dlpack(
    self: Tensor,
    *,
    stream: None = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> object:
    if copy is False:
        raise _no_sharing("t.__dlpack__")
    numbers = self._detached("from_dlpack(t)", "from_dlpack(t.detach()) for the numbers")
    array = numbers.copy()  # a consumer must not write into the memory of the Tensor
    array = getattr(array, "raw", array)
    return array.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device)


def _dlpack_device(self: Tensor) -> tuple[int, int]:
    return getattr(self._data, "raw", self._data).__dlpack_device__()


HOOKS: dict[str, Any] = {
    "device": property(_device),
    "__dlpack__": _dlpack,
    "__dlpack_device__": _dlpack_device,
}
