"""Files that are replaced as a whole: an interrupted write leaves the older file as it was."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EDQUOT, EEXIST, EFBIG, EISDIR, ENOENT, ENOSPC, ENOTDIR
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import IO, Any

from ..errors import FileError, OptionError, UsageError
from .expect import describe

try:
    import fcntl
except ImportError:  # Windows, which refuses to remove a file that is open
    fcntl = None  # type: ignore[assignment]

__all__ = ["PathLike", "check_writable", "path_of", "refusal", "write_figure", "write_file"]

PathLike = str | os.PathLike[str]

PREFIX = ".gradwalk-"
"""The first characters of the names of unfinished files."""

STREAMS = ("/dev/std", "/dev/fd/", "/proc/")
"""The first characters of other names of open files, which must stay the same files."""

FIXES = {
    ENOENT: "Create the folder first: mkdir -p {folder}.",
    EEXIST: "Choose a name that no file has.",
    ENOTDIR: "Choose a path whose parents are folders.",
    EISDIR: "Choose a name that is not the name of a folder.",
    ENOSPC: "Free some space, or choose a folder on another disk.",
    EDQUOT: "Free some space, or choose a folder on another disk.",
    EFBIG: "Raise the limit on the size of files, with ulimit -f unlimited.",
}


def path_of(path: object, where: str) -> str:
    """Return the name of a file as text. Raise `UsageError` for anything else."""
    if isinstance(path, (str, os.PathLike)):
        return os.fspath(path)
    raise UsageError(
        where=where,
        expected="a text, or a pathlib.Path",
        got=describe(path),
        fix='Write the name in quotation marks, such as "weights.safetensors".',
    )


def write_file(path: PathLike, *parts: bytes | memoryview) -> None:
    """Write ``parts`` to ``path`` atomically: readers see either the old file or the new one.

    The new file is written in the same folder, synced to the disk and renamed. Unfinished files of
    writers that were killed are removed from the folder. Pipes and devices are written directly.
    Raise `FileError` if the system refuses; the older file is then unchanged.
    """
    with _naming(path):
        if _is_replaced(path):
            target = Path(os.path.realpath(path))  # a link keeps pointing to the file
            _remove_unfinished(target.parent)
            with _unfinished(target.parent) as file:
                file.writelines(parts)
                _finish(file, target)
        else:
            with Path(path).open("wb") as stream:
                stream.writelines(parts)


def check_writable(path: PathLike) -> None:
    """Raise `FileError` if ``path`` cannot be written, before hours of work depend on it."""
    with _naming(path):
        if _is_replaced(path):
            with _unfinished(Path(os.path.realpath(path)).parent):
                pass


def write_figure(figure: Any, path: PathLike, dpi: int) -> None:
    """Write a figure of matplotlib in the format that ``path`` ends in, or as ``path.png``."""
    file, formats = Path(path), figure.canvas.get_supported_filetypes()
    file = file if file.suffix else file.with_name(f"{file.name}.png")
    if file.suffix[1:].lower() not in formats:
        raise OptionError(
            where=os.fspath(path),
            expected=f"a file name that ends in one of {', '.join(sorted(formats))}",
            got=repr(file.name),
            fix=f"Write {file.with_suffix('.png').name}.",
        )
    picture = BytesIO()
    figure.savefig(picture, format=file.suffix[1:].lower(), dpi=dpi)
    write_file(file, picture.getbuffer())


def refusal(path: PathLike, error: OSError, expected: str = "a writable file") -> FileError:
    """Return the error that names the file and what to do."""
    fix = FIXES.get(error.errno or 0, "Choose a folder that you may write to.")
    refused = FileError(
        where=os.fspath(path),
        expected=expected,
        got=f"the error {error.strerror or str(error)!r}",
        fix=fix.format(folder=Path(path).parent),
    )
    refused.errno, refused.filename = error.errno, os.fspath(path)
    return refused


@contextmanager
def _naming(path: PathLike) -> Iterator[None]:
    if not isinstance(path, (str, os.PathLike)):
        raise OptionError(
            where="a file to write",
            expected="a text, or a pathlib.Path",
            got=describe(path),
            fix='Write "model.safetensors", for example.',
        )
    try:
        yield
    except OSError as error:
        raise refusal(path, error) from error


def _is_replaced(path: PathLike) -> bool:
    """Return whether ``path`` is a file or free. Raise ``OSError`` if it must not be written."""
    file = Path(path)
    if file.is_dir():
        raise OSError(EISDIR, os.strerror(EISDIR))
    if file.exists() and not os.access(file, os.W_OK):  # a rename would not check this
        raise OSError(EACCES, os.strerror(EACCES))
    streams = os.path.abspath(file).startswith(STREAMS)
    return not streams and (file.is_file() or not file.exists())


@contextmanager
def _unfinished(folder: Path) -> Iterator[IO[bytes]]:
    """Create a file that is removed at the end, unless it has been renamed."""
    file = _created(folder)
    try:
        yield file
    finally:
        with suppress(OSError):  # what a full disk did not take is written once more, and refused
            file.close()
        with suppress(OSError):
            os.unlink(file.name)


def _created(folder: Path) -> IO[bytes]:
    """Create a locked file. Its lock, which ends with the process, tells others that it is used."""
    while True:
        file = (folder / f"{PREFIX}{token_hex(8)}").open("xb")
        if _lock(file, wait=True) and not os.path.exists(file.name):
            file.close()  # another writer took it for abandoned before it was locked
        else:
            return file


def _finish(file: IO[bytes], target: Path) -> None:
    """Sync the file to the disk, and rename it."""
    file.flush()
    os.fsync(file.fileno())
    with suppress(OSError):  # a new file has the permissions that the system gives
        shutil.copymode(target, file.name)
    if fcntl is None:
        file.close()
    os.replace(file.name, target)
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make a new name survive a power cut, if the system supports syncing folders."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _remove_unfinished(folder: Path) -> None:
    """Remove the files of writers that were killed, but no file that is being written."""
    for path in folder.glob(f"{PREFIX}*"):
        with suppress(OSError), path.open("rb") as file:
            if fcntl is None:
                file.close()
            if fcntl is None or _lock(file, wait=False):
                path.unlink()


def _lock(file: IO[bytes], wait: bool) -> bool:
    """Return whether the file is now locked by this process."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # in use, or on a file system without locks
        return False
    return True
