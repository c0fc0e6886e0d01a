"""Files: whatever interrupts a writer, the file is afterwards as before or as completed."""

from __future__ import annotations

import errno
import os
import stat
import threading

import pytest

from gradwalk.core import files
from gradwalk.core.files import PREFIX, check_writable, write_file
from gradwalk.errors import FileError, GradwalkError

WRITERS = """
import os, signal, sys
from gradwalk import Value, explore
from gradwalk.core import files
from gradwalk.data import digits, xor
from gradwalk.inspect import draw, plot_loss
from gradwalk.nn import MLP
from gradwalk.nn.serialization import save
from gradwalk.studio import explore as page, printed
from gradwalk.training import Problem, resume, save as save_network
from rich.console import Console
from gradwalk.cli import results
import numpy as np

page.page_of = lambda document: "<!doctype html>" + repr(document)
problem = Problem.of(xor(4, seed=0))
folder = os.path.dirname(sys.argv[1])

def table(path, i):
    written = object.__new__(results.Folder)  # without the tests of all other names
    written.folder, written.out = results.Path(folder), Console(quiet=True)
    written.table(os.path.basename(path), [[i]], "a number")

writers = {
    "weights": lambda path, i: save({"a": float(i)}, path),
    "network": lambda path, i: save_network(path, MLP(2, [1], seed=i), problem),
    "checkpoint": lambda path, i: resume.write_checkpoint(path, {"a": np.full(3, i)}),
    "picture.svg": lambda path, i: draw(Value(i) + 1).save(path),
    "walk.html": lambda path, i: explore(Value(i) + 1).save(path),
    "loss.png": lambda path, i: plot_loss([i, 2.0], path),
    "digits.png": lambda path, i: digits.draw_answers(
        np.full((1, 1, 8, 8), i), np.array([1]), [i], path),
    "loss.csv": table,
}
writer = writers[os.path.basename(sys.argv[1])]
"""

KILLED = (
    WRITERS
    + """
def killed_after(lines, path):
    '''Fork a writer that is killed before the given line of gradwalk.core.files.'''
    def trace(frame, event, argument):
        nonlocal lines
        if frame.f_code.co_filename != files.__file__:
            return None
        lines -= event == "line"
        if lines < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace
    child = os.fork()
    if child == 0:
        sys.settrace(trace)
        writer(path, 1)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0

path = sys.argv[1]
writer(path, 1)
new = open(path, "rb").read()
writer(path, 0)
old = open(path, "rb").read()
assert new != old
lines, orphans, found = 0, 0, set()
while killed_after(lines, path):
    names = set(os.listdir(folder)) - {os.path.basename(path)}
    assert all(name.startswith(files.PREFIX) for name in names), names
    assert len(names) <= 1, "the orphan of the writer before is removed"
    orphans += len(names)
    found.add(open(path, "rb").read() == new)
    assert open(path, "rb").read() in (old, new)
    writer(path, 0)
    lines += 1
assert found == {True, False}
writer(path, 0)
print(lines, orphans, os.listdir(folder) == [os.path.basename(path)])
"""
)
NAMES = ["weights", "network", "checkpoint", "picture.svg", "walk.html", "loss.csv"]
PICTURES = ["loss.png", "digits.png"]
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are of POSIX systems")


@forks
@pytest.mark.parametrize("name", NAMES)
def test_a_writer_may_be_killed_at_every_line(tmp_path, run_python, name):
    lines, orphans, clean = run_python(KILLED, os.fspath(tmp_path / name)).split()
    assert int(lines) > 30
    assert int(orphans) > 5
    assert clean == "True"


LIMITED = (
    WRITERS
    + """
import resource
writer(sys.argv[1], 0)
old = open(sys.argv[1], "rb").read()
resource.setrlimit(resource.RLIMIT_FSIZE, (10, resource.RLIM_INFINITY))
try:
    writer(sys.argv[1], 1)
except files.FileError as error:
    assert open(sys.argv[1], "rb").read() == old
    assert os.listdir(folder) == [os.path.basename(sys.argv[1])]
    print(error)
"""
)


@forks
@pytest.mark.parametrize("name", [*NAMES[:-1], *PICTURES])
def test_a_limit_on_the_size_of_files_leaves_the_old_file(tmp_path, run_python, name):
    said = run_python(LIMITED, os.fspath(tmp_path / name))
    assert said.startswith(f"{tmp_path / name}: expected a writable file, got the error 'File too")
    assert said.endswith("ulimit -f unlimited.\n")


@pytest.fixture
def path(tmp_path):
    write_file(tmp_path / "file", b"old")
    return tmp_path / "file"


STEPS = ["fsync", "replace"]
REFUSALS = {
    errno.ENOSPC: "Free some space, or choose a folder on another disk.",
    errno.EDQUOT: "Free some space, or choose a folder on another disk.",
    errno.EIO: "Choose a folder that you may write to.",
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("code", REFUSALS)
def test_a_full_disk_leaves_the_old_file_and_is_named(path, monkeypatch, step, code):
    def full(*arguments):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(files.os, step, full)
    with pytest.raises(FileError) as caught:
        write_file(path, b"new")
    error = caught.value
    assert (error.where, error.fix) == (str(path), REFUSALS[code])
    assert (error.errno, error.filename, isinstance(error, OSError)) == (code, str(path), True)
    assert os.strerror(code) in str(error)
    monkeypatch.undo()
    assert (path.read_bytes(), os.listdir(path.parent)) == (b"old", ["file"])


@pytest.mark.parametrize("step", STEPS)
def test_an_interrupt_leaves_the_old_file_and_no_other(path, monkeypatch, step):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, step, interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_file(path, b"new")
    monkeypatch.undo()
    assert (path.read_bytes(), os.listdir(path.parent)) == (b"old", ["file"])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_device_is_written_directly_and_named():
    with pytest.raises(FileError, match=r"/dev/full: .*No space left on device.* Free some space"):
        write_file("/dev/full", b"x" * 100_000)
    write_file(os.devnull, b"x")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_threads_that_write_one_file_do_not_remove_what_others_write(path):
    contents = [bytes([65 + i]) * 50_000 for i in range(4)]

    def write(content):
        for _ in range(40):
            write_file(path, content)

    threads = [threading.Thread(target=write, args=[content]) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents
    assert os.listdir(path.parent) == ["file"]


def test_a_link_goes_on_pointing_to_its_file(path):
    link = path.with_name("link")
    link.symlink_to(path)
    write_file(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


def test_permissions_stay_and_new_files_get_those_of_the_system(path):
    plain = path.with_name("plain")
    plain.write_bytes(b"")
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o600)
    write_file(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_name_may_be_as_long_as_the_system_allows(path):
    write_file(path.with_name("x" * 255), b"new")
    assert path.with_name("x" * 255).read_bytes() == b"new"


def test_only_unfinished_files_are_removed(path):
    for name in (PREFIX + "0", ".gradwalkrc", "gradwalk-moons"):
        path.with_name(name).write_bytes(b"x")
    write_file(path, b"new")
    assert sorted(os.listdir(path.parent)) == [".gradwalkrc", "file", "gradwalk-moons"]


REFUSED = {
    "no/file": "Create the folder first: mkdir -p {0}/no.",
    "file/file": "Choose a path whose parents are folders.",
    ".": "Choose a name that is not the name of a folder.",
    "x" * 256: "Choose a folder that you may write to.",
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("use", [check_writable, lambda path: write_file(path, b"x")])
def test_what_cannot_be_written_is_an_error_of_ours_that_says_what_to_do(path, name, use):
    target = f"{path.parent}/{name}"
    with pytest.raises(GradwalkError, match="expected a writable file, got the error") as caught:
        use(target)
    assert caught.value.where == target
    assert caught.value.fix == REFUSED[name].format(path.parent)


def test_a_check_changes_nothing(path):
    check_writable(path)
    check_writable(path.with_name("other"))
    assert (path.read_bytes(), os.listdir(path.parent)) == (b"old", ["file"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_read_only_file_or_folder_is_refused(path):
    path.chmod(0o400)
    for use in (check_writable, lambda path: write_file(path, b"x")):
        with pytest.raises(FileError, match="Permission denied"):
            use(path)
