"""Objects whose arrays other processes read in shared memory, without a copy for each of them."""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple
from weakref import finalize

try:
    from multiprocessing.shared_memory import SharedMemory
except ModuleNotFoundError:  # WebAssembly has no other processes that could share memory
    SharedMemory = object  # type: ignore[assignment,misc]

__all__ = ["Block", "Part", "load", "store"]

ALIGNED = 64  # bytes: a cache line, and enough for every vector instruction
SMALL = 1 << 16  # bytes of arrays up to which a pipe is quicker than memory to attach
MEMORY = Path(
    "/dev/shm"
)  # where Linux has shared memory; writing more than is free kills a process


class Part(NamedTuple):
    """What is sent to a worker: the pickled object, and where its arrays are.

    ``buffers`` holds the bytes themselves, or for the shared memory ``name`` pairs (start, end).
    """

    key: bytes
    pickled: bytes
    name: str | None
    buffers: Sequence[Any]


class Block:
    """A stored object. Its memory is given back when the last reference to the block goes."""

    part: Part

    def __init__(self, part: Part, memory: SharedMemory | None = None) -> None:
        self.part = part
        if memory is not None:
            finalize(self, _free, memory, os.getpid())


def store(thing: object) -> Block:
    """Write ``thing`` where other processes can read it."""
    from cloudpickle import dumps

    found: list[pickle.PickleBuffer] = []
    pickled = dumps(thing, protocol=5, buffer_callback=found.append)
    contents = [buffer.raw() for buffer in found]
    starts, size = [], 0
    for content in contents:
        starts.append(size)
        size += -(-content.nbytes // ALIGNED) * ALIGNED
    key = os.urandom(16)
    if size <= SMALL or not _is_free(size):
        if not contents:  # equal functions have equal keys: a worker loads them once
            key = blake2b(pickled, digest_size=16).digest()
        return Block(Part(key, pickled, None, [bytes(content) for content in contents]))
    memory = SharedMemory(create=True, size=size)
    ends = [start + content.nbytes for start, content in zip(starts, contents, strict=True)]
    block = Block(Part(key, pickled, memory.name, list(zip(starts, ends, strict=True))), memory)
    for start, end, content in zip(starts, ends, contents, strict=True):
        _view(memory)[start:end] = content
    return block


def _view(memory: SharedMemory) -> memoryview:
    """Return the bytes of memory that is open."""
    assert memory.buf is not None
    return memory.buf


def _is_free(size: int) -> bool:
    """Return whether shared memory of ``size`` bytes can be written."""
    if not MEMORY.exists():  # other systems refuse to make it instead
        return True
    room = os.statvfs(MEMORY)
    return size < room.f_bavail * room.f_frsize


def _free(memory: SharedMemory, owner: int) -> None:
    if os.getpid() == owner:  # a fork has the object too, but not the memory
        with suppress(BufferError):  # an array still reads it: it goes with the process
            memory.close()
        with suppress(FileNotFoundError):
            memory.unlink()


# --- in a worker ----------------------------------------------------------------------------------


def load(part: Part) -> Any:
    """Return the object of a part. Its arrays cannot be written to: other workers read them too."""
    return _kept(_Key(part))


class _Key:
    """A part in a cache, which compares keys and not megabytes."""

    __slots__ = ("part",)

    def __init__(self, part: Part) -> None:
        self.part = part

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.part.key == other.part.key

    def __hash__(self) -> int:
        return hash(self.part.key)


@lru_cache(maxsize=32)
def _kept(key: _Key) -> Any:
    part = key.part
    if part.name is None:
        return pickle.loads(part.pickled, buffers=part.buffers)
    memory = _Attached(part.name)
    whole = _view(memory).toreadonly()
    return pickle.loads(part.pickled, buffers=[whole[start:end] for start, end in part.buffers])


class _Attached(SharedMemory):
    """Shared memory of another process. Arrays that read it hold its mapping open."""

    def __del__(self) -> None:
        with suppress(BufferError):
            super().__del__()
