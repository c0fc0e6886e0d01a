"""A checksum inside a file of text or of the safetensors format: a flipped bit is an error.

The checksum is an entry among others, so older readers and other programs ignore it. It covers the
whole file with zeros in its place. CRC-32 finds every burst of up to 32 bits, and computes 4 GB/s.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from operator import ne
from zlib import crc32

from ..errors import DataError
from .files import PathLike

__all__ = ["BLANK", "KEY", "UNCHECKED", "check", "check_names", "sealed"]

KEY, BLANK = "gradwalk_crc32", "0" * 8
"""The entry of the checksum, and its value before the checksum is known."""

UNCHECKED = "unchecked"
"""What stands for the checksum in a file that a user has edited."""

_ENTRY = re.compile(rb'"gradwalk_crc32": ?"([^"]*)"')


def sealed(head: bytes, *rest: bytes | memoryview) -> bytes:
    """Return ``head``, which has the entry with the blank, with the checksum of all parts.

    >>> sealed(b'{"gradwalk_crc32": "00000000"}')
    b'{"gradwalk_crc32": "9e8c26da"}'
    """
    found = _ENTRY.search(head)
    assert found is not None, "the blank is written by the caller"
    total = crc32(head)
    for part in rest:
        total = crc32(part, total)
    return b"%s%08x%s" % (head[: found.start(1)], total, head[found.end(1) :])


def check(path: PathLike, data: bytes, end: int | None = None, required: bool = False) -> None:
    """Raise `DataError` if ``data`` has a checksum, before ``end``, that is not its own.

    ``required`` is true for files that only gradwalk writes: without a checksum, or `UNCHECKED` in
    its place, they are damaged. Other files may have none, but no entry of almost that name, which
    is what a flipped bit leaves of it.
    """
    found = _ENTRY.search(data, 0, min(end or len(data), len(data)))
    if found is None:
        if required:
            raise _damaged(path, f"an entry {KEY!r} with the checksum", "a file without it")
        return
    if found[1] == UNCHECKED.encode():
        return
    view = memoryview(data)
    total = crc32(view[found.end(1) :], crc32(BLANK.encode(), crc32(view[: found.start(1)])))
    if found[1] != b"%08x" % total:
        expected = f"contents with the checksum {found[1].decode('ascii', 'replace')}"
        raise _damaged(path, expected, f"contents with the checksum {total:08x}")


def check_names(path: PathLike, names: Iterable[str]) -> None:
    """Raise `DataError` if a name of an entry differs from that of the checksum in one letter."""
    for name in names:
        if len(name) == len(KEY) and sum(map(ne, name, KEY)) == 1:
            raise _damaged(path, f"the entry {KEY!r}", f"{name!r}")


def _damaged(path: PathLike, expected: str, got: str) -> DataError:
    return DataError(
        where=os.fspath(path),
        expected=expected,
        got=f"{got}: the file was damaged or edited",
        fix=f"Save it again, or restore a copy of the file. If you have edited it, write "
        f"{UNCHECKED!r} for the checksum.",
    )
