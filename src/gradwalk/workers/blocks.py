"""Objects whose arrays other processes read in shared memory, without a copy for each of them."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple
from weakref import finalize

try:
    from multiprocessing.resource_tracker import register
    from multiprocessing.shared_memory import SharedMemory
except ModuleNotFoundError:  # WebAssembly has no other processes that could share memory
    register = SharedMemory = object  # type: ignore[assignment,misc]

__all__ = ["Block", "Part", "apply", "store"]

ALIGNED = 64  # bytes: a cache line, and enough for every vector instruction
SMALL = 1 << 16  # bytes of arrays up to which a pipe is quicker than memory to attach
MEMORY = Path("/dev/shm")  # on Linux; writing more than is free there kills a process


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


def store(thing: object, shared: bool = True) -> Block:
    """Write ``thing`` where other processes can read it: those of this machine, if ``shared``."""
    from cloudpickle import dumps

    found: list[pickle.PickleBuffer] = []
    pickled = dumps(thing, protocol=5, buffer_callback=found.append)
    contents = [buffer.raw() for buffer in found]
    starts, size = [], 0
    for content in contents:
        starts.append(size)
        size += -(-content.nbytes // ALIGNED) * ALIGNED
    key = os.urandom(16)
    if not shared or size <= SMALL or not _is_free(size):
        if not contents:  # equal functions have equal keys: a worker loads them once
            key = blake2b(pickled, digest_size=16).digest()
        return Block(Part(key, pickled, None, [bytes(content) for content in contents]))
    name = f"gradwalk_{os.getpid()}_{key.hex()[:8]}"  # macOS takes 30 letters
    places = [
        (start, start + content.nbytes) for start, content in zip(starts, contents, strict=True)
    ]
    with _removed_after_errors(name):
        memory = SharedMemory(name, create=True, size=size)
        block = Block(Part(key, pickled, name, places), memory)
        for (start, end), content in zip(places, contents, strict=True):
            _view(memory)[start:end] = content
        return block


@contextmanager
def _removed_after_errors(name: str) -> Iterator[None]:
    """Remove memory whose creation is interrupted, or killed, before anything holds it."""
    if os.name == "posix":  # earlier than `SharedMemory` does: a process of its own watches this
        register(f"/{name}", "shared_memory")
    try:
        yield
    except BaseException:
        (MEMORY / name).unlink(missing_ok=True)
        raise


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


def apply(call: Part, part: Part, common: Part) -> Any:
    """Return ``function(part, *common)``. The arrays of a part cannot be written to."""
    return _kept(_Key(call))(_kept(_Key(part)), *_last_common(common))


_LAST = threading.local()


def _last_common(common: Part) -> Any:
    """Return common arguments, which the next work replaces. Threads may change their own copy."""
    if getattr(_LAST, "key", None) != common.key:
        _LAST.key, _LAST.value = common.key, _read(common)
    return _LAST.value


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
    return _read(key.part)


def _read(part: Part) -> Any:
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
