"""State dicts in files, in the safetensors format, which PyTorch users read and write too.

A file holds arrays by name and a few lines of text, but no code: loading untrusted files is safe.
Reading needs the package safetensors, the extra ``gradwalk[safetensors]``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from ..core.carrier import is_tensor
from ..core.checksum import BLANK, KEY, check, check_names, sealed
from ..core.expect import describe
from ..core.files import PathLike, path_of, write_file
from ..engine.value import Value
from ..errors import DataError, MissingExtraError, OptionError, StateDictError

__all__ = ["expect_name", "load", "load_file", "load_metadata", "read_state", "save", "save_file"]

DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BOOL": "|b1"}
DTYPES |= {f"{sign}{8 * n}": f"<{sign.lower()}{n}" for sign in "IU" for n in (1, 2, 4, 8)}
"""The types of the format that NumPy has, with their names in NumPy."""


FOREIGN = (
    *(".pt", ".pth", ".ckpt", ".bin", ".npz", ".npy", ".h5", ".hdf5", ".pkl", ".pickle"),
    *(".onnx", ".msgpack", ".joblib", ".json"),
)
"""Names that promise formats which `save` does not write."""


def save(source: object, path: PathLike, metadata: Mapping[str, str] | None = None) -> None:
    """Write a module or a state dict to a file in the safetensors format.

    The file is never incomplete: it is written under another name, synced to the disk and then
    replaces an older one. It has a checksum, which `load` compares.

    Parameters
    ----------
    source
        A Module, or a mapping of names to Tensors, arrays, Values and numbers.
    path
        The name of the file, which ends in .safetensors; other endings are allowed unless they
        promise another format, as .pt does.
    metadata
        A mapping of text to text that is saved beside; ``None`` for none.

    Raises
    ------
    StateDictError
        If ``source`` is no module and no mapping, a name or an entry of ``metadata`` is no
        text, or numbers have more than 64 bits.
    NotANumberError
        If an entry does not hold numbers.
    OptionError
        If the name promises another format.
    FileError
        If the file cannot be written.

    See Also
    --------
    load

    Examples
    --------
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
    expect_name(path)
    _check_metadata(metadata)
    arrays = {name: _array(name, entry) for name, entry in entries.items()}
    parts = [memoryview(array.reshape(-1).view("u1")) for array in _in_order(arrays).values()]
    head = _header(_in_order(arrays), {KEY: BLANK, **(metadata or {})})
    write_file(path, sealed(head, *parts), *parts)


def expect_name(path: PathLike) -> None:
    """Raise `OptionError` for a name that promises another format."""
    if (suffix := Path(path_of(path, "save(path)")).suffix.lower()) in FOREIGN:
        raise OptionError(
            where="save(path)",
            expected="a name that ends in .safetensors, the format that is written",
            got=repr(suffix),
            fix=f'Write save(model, "{Path(path).stem}.safetensors"), which PyTorch reads, too.',
        )


def _is_name(name: object) -> bool:
    return _is_text(name) and name != "__metadata__"  # reserved by the format


def _is_text(text: object) -> bool:
    """Return whether ``text`` is a string that UTF-8 can encode."""
    return isinstance(text, str) and not any("\ud800" <= c <= "\udfff" for c in text)


def load(path: PathLike) -> dict[str, Any]:
    """Return the arrays of a file in the safetensors format, by name.

    ``model.load_state_dict(load(path))`` restores a model. Loading runs no code from the file.

    Parameters
    ----------
    path
        The name of the file.

    Returns
    -------
    a dict of arrays of any shape
        Arrays of NumPy; single numbers are NumPy scalars.

    Raises
    ------
    DataError
        If the file is truncated, damaged or of another kind, or has arrays of types that NumPy
        does not have.
    MissingExtraError
        If the package safetensors is not installed.
    FileNotFoundError
        If there is no such file.

    See Also
    --------
    save
    """
    return read_state(path)[0]


def load_metadata(path: PathLike) -> dict[str, str]:
    """Return the ``metadata`` that `save` wrote.

    Parameters
    ----------
    path
        The name of the file.

    Raises
    ------
    DataError
        If the file is truncated, damaged or of another kind.
    MissingExtraError
        If the package safetensors is not installed.
    """
    return read_state(path)[1]


save_file: Final = save
load_file: Final = load
"""`save` and `load`, under the names in the package safetensors."""


# --- the format ---------------------------------------------------------------------------------


def _in_order(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arrays in the order of the format: wide types first, so that all are aligned."""
    return dict(sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])))


def _header(arrays: Mapping[str, Any], metadata: Mapping[str, str]) -> bytes:
    """Return the length of the header, and the header: JSON, padded with blanks."""
    names = {dtype: name for name, dtype in DTYPES.items()}
    header: dict[str, Any] = {"__metadata__": metadata}
    start = 0
    for name, array in arrays.items():
        offsets = [start, start := start + array.nbytes]
        dtype = names[array.dtype.str.replace("|u", "<u").replace("|i", "<i")]
        header[name] = {"dtype": dtype, "shape": array.shape, "data_offsets": offsets}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def read_state(path: PathLike, sealed: str = "") -> tuple[dict[str, Any], dict[str, str]]:
    """Return the arrays and the metadata of a file, after all checks.

    A file with the text ``sealed`` in its header must have a checksum.
    """
    path = path_of(path, "load(path)")
    library, data = _safetensors(), Path(path).read_bytes()  # or Python's own errors
    end = 8 + int.from_bytes(data[:8], "little")
    check(path, data, end, required=bool(sealed) and sealed.encode() in data[:end])
    try:
        entries = dict(library.deserialize(data))
    except library.SafetensorError as error:
        raise DataError(
            where=os.fspath(path),
            expected="a complete file in the safetensors format",
            got=f"something else ({error})",
            fix="Save it again, by gradwalk.save or safetensors.torch.save_file.",
        ) from error
    header = json.loads(data[8:end])
    metadata = header.pop("__metadata__", None) or {}
    if metadata.pop(KEY, None) is None:
        check_names(path, metadata)
    return {name: _entry(path, name, **entries[name]) for name in header}, metadata


def _entry(path: PathLike, name: str, dtype: str, shape: list[int], data: bytearray) -> Any:
    import numpy as np

    if dtype not in DTYPES:
        raise DataError(
            where=f"{os.fspath(path)}, {name}",
            expected="floating numbers of 16, 32 or 64 bits, integers or bools",
            got=f"the type {dtype}, which NumPy does not have",
            fix="Convert it before saving: in PyTorch, tensor.float().",
        )
    array = np.frombuffer(data, DTYPES[dtype]).reshape(shape)
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
    return np.require(array, array.dtype.newbyteorder("<"), "C")


def _check_metadata(metadata: Any) -> None:
    texts = isinstance(metadata, Mapping) and all(
        _is_text(x) and x != KEY for pair in metadata.items() for x in pair
    )
    if metadata is not None and not texts:
        raise StateDictError(
            where="save(metadata=...)",
            expected="a mapping of text to text",
            got=describe(metadata),
            fix="Convert values to text, for example with json.dumps.",
        )


def _safetensors() -> Any:
    try:
        return import_module("safetensors")
    except ImportError as error:
        raise MissingExtraError(
            where="gradwalk.load",
            expected="safetensors, which checks and reads the file format",
            got=f"an installation without it ({error})",
            fix='Install the extra: pip install "gradwalk[safetensors]".',
        ) from error
