"""A checksum inside a file of text or of the safetensors format: a flipped bit is an error.

The checksum is an entry among others, so older readers and other programs ignore it. It covers the
whole file with zeros in its place. CRC-32 finds every burst of up to 32 bits, and computes 4 GB/s.
"""

from __future__ import annotations

import os
import re
from zlib import crc32

from ..errors import DataError
from .files import PathLike

__all__ = ["BLANK", "KEY", "check", "sealed"]

KEY, BLANK = "gradwalk_crc32", "0" * 8
"""The entry of the checksum, and its value before the checksum is known."""

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


def check(path: PathLike, data: bytes, end: int | None = None) -> None:
    """Raise `DataError` if ``data`` has a checksum, before ``end``, that is not its own."""
    found = _ENTRY.search(data, 0, min(end or len(data), len(data)))
    if found is None:  # an older file, or one of another program
        return
    view = memoryview(data)
    total = crc32(view[found.end(1) :], crc32(BLANK.encode(), crc32(view[: found.start(1)])))
    if found[1] != b"%08x" % total:
        raise DataError(
            where=os.fspath(path),
            expected=f"contents with the checksum {found[1].decode('ascii', 'replace')}",
            got=f"contents with the checksum {total:08x}: the file was damaged or edited",
            fix="Save it again, or restore a copy of the file.",
        )
