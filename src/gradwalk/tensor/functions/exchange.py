"""Tensors from the arrays of others, and what others ask of Tensors: device and DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.expect import describe
from ...errors import NotANumberError, OptionError
from ...ops.array.structure import astype
from ..graph.convert import dtype_of
from ..graph.tensor import Tensor
from .creation import on_cpu

__all__ = ["asarray", "from_dlpack", "from_numpy"]
METHODS = ("to_device",)


def asarray(
    data: Any,
    dtype: Any = None,
    *,
    copy: bool | None = None,
    requires_grad: bool = False,
    label: str = "",
    device: Any = None,
) -> Any:
    """``data`` as a Tensor: itself if it is one already, with its gradient.

    Anything else is copied, which ``copy=False`` forbids.

    >>> x = Tensor([1.0, 2.0])
    >>> asarray(x) is x, asarray([1, 2])
    (True, Tensor([1, 2]))
    """
    on_cpu(device)
    kind = None if dtype is None else dtype_of(dtype, "asarray(dtype)")
    found = isinstance(data, Tensor) and (not requires_grad or data.requires_grad)
    same = found and kind in (None, data.dtype)
    if same and not copy:
        return data
    if copy is False:
        raise OptionError(
            where="asarray(copy=False)",
            expected="a Tensor of that dtype",
            got=describe(data),
            fix="Leave copy out: a Tensor has its own memory.",
        )
    if found and (kind or data.dtype).kind == "f":
        return astype(data, dtype=kind or data.dtype)
    return Tensor(data, kind, requires_grad, label)


def from_numpy(array: Any) -> Tensor:
    """A Tensor of a copy of a NumPy array.

    >>> import numpy as np
    >>> from_numpy(np.ones(2))
    Tensor([1., 1.])
    """
    return Tensor(array)


def from_dlpack(x: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A Tensor of a copy of any array that speaks DLPack: of PyTorch, JAX, CuPy on the CPU.

    >>> import numpy as np
    >>> from_dlpack(np.ones(2))
    Tensor([1., 1.])
    """
    on_cpu(device)
    if copy is False or not hasattr(x, "__dlpack__"):
        raise NotANumberError(
            where="from_dlpack",
            expected="an array with __dlpack__, which may be copied",
            got=f"{describe(x)}, copy={copy}",
            fix="Write Tensor(x) for lists and numbers; leave copy out.",
        )
    return Tensor(np.from_dlpack(x))


# --- what others ask of a Tensor ------------------------------------------------------------------


def to_device(x: Any, device: Any, /, *, stream: None = None) -> Any:
    """``x`` itself: the only device is "cpu".

    >>> to_device(Tensor([1.0]), "cpu")
    Tensor([1.])
    """
    on_cpu(device)
    return x


def _device(self: Tensor) -> str:
    """Where the numbers lie: in main memory."""
    return "cpu"


def _dlpack(
    self: Tensor,
    *,
    stream: None = None,
    max_version: Any = None,
    dl_device: Any = None,
    copy: bool | None = None,
) -> Any:
    array = self._detached("t.__dlpack__()").copy()  # nobody else may write into our memory
    return array.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)


def _dlpack_device(self: Tensor) -> Any:
    return self._data.__dlpack_device__()


HOOKS = {
    "device": property(_device),
    "__dlpack__": _dlpack,
    "__dlpack_device__": _dlpack_device,
}
