"""Objects whose arrays other processes read in shared memory, without a copy for each of them."""

from __future__ import annotations

import io
import os
import pickle
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple
from weakref import finalize

from ..core.expect import describe
from ..errors import UsageError, WorkerError

try:
    from multiprocessing.resource_tracker import register
    from multiprocessing.shared_memory import SharedMemory
except ModuleNotFoundError:  # WebAssembly has no other processes that could share memory
    register = SharedMemory = object  # type: ignore[assignment,misc]

__all__ = ["Block", "Failure", "Part", "apply", "fresh", "store", "taken_apart"]

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

    def copy(self) -> Any:
        """Return the object with new containers, in this process."""
        return _loaded(self.part, None)


def store(thing: object, shared: bool = True) -> Block:
    """Write ``thing`` where other processes can read it: those of this machine, if ``shared``."""
    pickled, contents = taken_apart(thing)
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


def taken_apart(thing: object) -> tuple[bytes, list[memoryview]]:
    """Return a pickled object, and the bytes of its arrays, which are not copied if they can be."""
    found: list[pickle.PickleBuffer] = []
    text = io.BytesIO()
    try:
        _pickler()(text, buffer_callback=found.append).dump(thing)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise UsageError(
            where="a part of data, or what is computed with it",
            expected="objects that can be pickled, because every call gets a copy of its own",
            got=f"{describe(thing)} ({error})",
            fix="Pass the data: arrays, numbers, containers. Open files and locks inside f.",
        ) from error
    return text.getvalue(), [buffer.raw() for buffer in found]


@cache
def _pickler() -> Any:
    """Return the pickler of cloudpickle, if it is installed, which takes arrays of any strides."""
    try:
        from cloudpickle import Pickler
    except ImportError:
        from pickle import Pickler

    class Contiguous(Pickler):  # type: ignore[misc]
        def __init__(self, file: Any, buffer_callback: Any) -> None:
            super().__init__(file, protocol=5, buffer_callback=buffer_callback)

        def reducer_override(self, thing: Any) -> Any:
            if type(thing).__name__ == "ndarray" and type(thing).__module__ == "numpy":
                flags = thing.flags
                if not (flags.c_contiguous or flags.f_contiguous) and not thing.dtype.hasobject:
                    # NumPy writes x[::8] into the pickle itself: sent each time, and writable
                    return thing.copy().__reduce_ex__(5)
            above = getattr(super(), "reducer_override", None)
            return NotImplemented if above is None else above(thing)

    return Contiguous


def fresh(thing: object) -> Any:
    """Return a copy whose arrays read the memory of the originals, and cannot be written to."""
    pickled, contents = taken_apart(thing)
    return pickle.loads(pickled, buffers=[content.toreadonly() for content in contents])


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


class Failure(Exception):  # noqa: N818  (it carries an error)
    """An error of the user's function on its way from a worker: pickled, if that is possible."""

    part: str = "in a worker"
    """Which part it was of, if the worker knows."""

    def __init__(self, pickled: bytes | None, summary: str, story: str) -> None:
        super().__init__(pickled, summary, story)

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Return what carries an error, of any class."""
        pickled = None
        with suppress(Exception):  # of the class of the error, which may do anything
            pickled = taken_apart(error)[0]
            if type(pickle.loads(pickled)) is not type(error):
                pickled = None
        summary = "".join(traceback.format_exception_only(error)).strip()
        return cls(pickled, summary, "".join(traceback.format_exception(error)))

    def __str__(self) -> str:
        return f"\n{self.args[2]}"

    def original(self, where: str) -> Exception:
        """Return the error, or a `WorkerError` with its words. ``where`` says which part it was."""
        pickled, summary, _ = self.args
        try:
            error = pickle.loads(pickled)
        except Exception:  # also for None: it could not be pickled
            error = WorkerError(
                where="gradwalk.workers",
                expected="an error that can be sent from a worker",
                got=summary,
                fix="Give the class of the error a __reduce__, or raise one of Python's own.",
            )
        error.add_note(where)
        error.__cause__ = self
        return error  # type: ignore[no-any-return]


def apply(call: Part, part: Part, common: Part) -> Any:
    """Return ``function(part, *common)``. Arrays cannot be written to, containers are new."""
    function = _kept(_Key(call))
    arguments = _loaded(part, _memory(_Key(part))), *_loaded(common, _last_memory(common))
    try:
        return function(*arguments)
    except Exception as error:
        raise Failure.of(error) from None


_LAST = threading.local()


def _last_memory(common: Part) -> SharedMemory | None:
    """Return the memory of common arguments, which is given back with those of the next work."""
    if getattr(_LAST, "key", None) != common.key:
        _LAST.key, _LAST.memory = common.key, _attached(common)
    return _LAST.memory  # type: ignore[no-any-return]


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
    """Return a function, whose compiled programs are kept as well."""
    return _loaded(key.part, _attached(key.part))


@lru_cache(maxsize=32)
def _memory(key: _Key) -> SharedMemory | None:
    """Return the memory of a part. What the function is given is made of it for every call."""
    return _attached(key.part)


def _attached(part: Part) -> SharedMemory | None:
    return None if part.name is None else _Attached(part.name)


def _loaded(part: Part, memory: SharedMemory | None) -> Any:
    if memory is None:
        return pickle.loads(part.pickled, buffers=part.buffers)
    whole = _view(memory).toreadonly()
    return pickle.loads(part.pickled, buffers=[whole[i:j] for i, j in part.buffers])


class _Attached(SharedMemory):
    """Shared memory of another process. Arrays that read it hold its mapping open."""

    def __del__(self) -> None:
        with suppress(BufferError):
            super().__del__()
