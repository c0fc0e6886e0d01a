"""State dicts in files, in the safetensors format, which PyTorch users read and write too.

A file holds arrays by name and a few lines of text, but no code: loading untrusted files is safe.
This needs the package safetensors, the extra ``gradwalk[safetensors]``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..engine.value import Value
from ..errors import DataError, MissingExtraError, StateDictError

__all__ = ["load", "load_file", "load_metadata", "save", "save_file", "write_atomically"]

PathLike = str | os.PathLike[str]

_READABLE = ("F64", "F32", "F16", "BOOL", *(f"{sign}{bits}" for sign in "IU" for bits in (8, 16)))
_READABLE += tuple(f"{sign}{bits}" for sign in "IU" for bits in (32, 64))


def save(source: object, path: PathLike, metadata: Mapping[str, str] | None = None) -> None:
    """Write a module or a state dict to a file in the safetensors format.

    ``source`` is a Module, or a mapping of names to Tensors, arrays, Values and numbers;
    ``metadata`` is a mapping of text to text. The file is never incomplete: it is written under
    another name, synced to the disk and then replaces an older one. Raise `NotANumberError` for
    entries that are not numbers, and `StateDictError` for names that are not text.

    >>> from gradwalk import Tensor
    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "weights.safetensors")
    >>> save({"w": Tensor([1.0, 2.0])}, path)
    >>> load(path)
    {'w': array([1., 2.])}
    """
    entries = source.state_dict() if hasattr(source, "state_dict") else source
    if not isinstance(entries, Mapping) or not all(map(_is_name, entries)):
        raise StateDictError(
            where="save(source)",
            expected="a Module, or a mapping of names to arrays",
            got=describe(source),
            fix="Pass the model, or model.state_dict().",
        )
    _check_metadata(metadata)
    arrays = {name: _array(name, entry) for name, entry in entries.items()}
    write_atomically(path, _safetensors("numpy").save(arrays, dict(metadata or {}) or None))


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name != "__metadata__"  # reserved by the format


def load(path: PathLike) -> dict[str, Any]:
    """Return the arrays of a file in the safetensors format, by name.

    Single numbers are NumPy scalars. ``model.load_state_dict(load(path))`` restores a model. Raise
    `DataError` for a file that is truncated or of another kind, and for arrays of types that NumPy
    does not have. Loading runs no code from the file.
    """
    return _read(path)[0]


def load_metadata(path: PathLike) -> dict[str, str]:
    """Return the ``metadata`` that `save` wrote."""
    return _read(path, numbers=False)[1]


save_file: Final = save
load_file: Final = load
"""`save` and `load`, under the names in the package safetensors."""


def write_atomically(path: PathLike, data: bytes) -> None:
    """Write ``data`` to ``path`` atomically: readers see either the old file or the new one."""
    target = Path(os.path.realpath(path))  # a link keeps pointing to the file
    temporary = target.with_name(f".{target.name}.{token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make a new name survive a power cut, if the system supports syncing folders."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# --- the format ---------------------------------------------------------------------------------


def _read(path: PathLike, numbers: bool = True) -> tuple[dict[str, Any], dict[str, str]]:
    library = _safetensors()
    Path(path).open("rb").close()  # raises Python's own errors for a missing file or a folder
    try:
        with library.safe_open(path, framework="numpy") as file:
            names = list(file.keys()) if numbers else []
            arrays = {name: _entry(path, file, name) for name in names}
            return arrays, dict(file.metadata() or {})
    except library.SafetensorError as error:
        raise DataError(
            where=os.fspath(path),
            expected="a complete file in the safetensors format",
            got=f"something else ({error})",
            fix="Save it again, by gradwalk.save or safetensors.torch.save_file.",
        ) from error


def _entry(path: PathLike, file: Any, name: str) -> Any:
    import numpy as np

    dtype = file.get_slice(name).get_dtype()
    if dtype not in _READABLE:
        raise DataError(
            where=f"{os.fspath(path)}, {name}",
            expected="floating numbers of 16, 32 or 64 bits, integers or bools",
            got=f"the type {dtype}, which NumPy does not have",
            fix="Convert it before saving: in PyTorch, tensor.float().",
        )
    array = np.array(file.get_tensor(name))
    return array if array.ndim else array[()]


def _array(name: str, entry: Any) -> Any:
    """Return the numbers of an entry as a contiguous array, in the order of the file."""
    import numpy as np

    from ..tensor.graph.convert import to_array

    if is_tensor(entry):
        entry = entry._data
    array = to_array(entry.data if isinstance(entry, Value) else entry, where=f"save: {name}")
    if array.dtype.itemsize > 8:
        raise StateDictError(
            where=f"save: {name}",
            expected="numbers of at most 64 bits",
            got=f"dtype {array.dtype}",
            fix="Convert it to float64.",
        )
    return np.require(array, requirements="C")


def _check_metadata(metadata: Any) -> None:
    texts = isinstance(metadata, Mapping) and all(
        isinstance(x, str) for pair in metadata.items() for x in pair
    )
    if metadata is not None and not texts:
        raise StateDictError(
            where="save(metadata=...)",
            expected="a mapping of text to text",
            got=describe(metadata),
            fix="Convert values to text, for example with json.dumps.",
        )


def _safetensors(part: str = "") -> Any:
    try:
        return import_module(f"safetensors.{part}" if part else "safetensors")
    except ImportError as error:
        raise MissingExtraError(
            where="gradwalk.save and gradwalk.load",
            expected="safetensors, which reads and writes the file format",
            got=f"an installation without it ({error})",
            fix='Install the extra: pip install "gradwalk[safetensors]".',
        ) from error
