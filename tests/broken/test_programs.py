"""`why` names the cause of each program, and its remedy, carried out, makes the program healthy."""

from __future__ import annotations

import runpy
import warnings

import pytest

from .programs import HEAD, PROGRAMS

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::gradwalk.errors.CutGraphWarning"),
]
ROUNDS = 3  # a program may have the same mistake in several lines


def found_in(source, asked, path):
    """Run a program as a file of its own, and return what `why` says."""
    path.write_text(f"{source}\nfrom gradwalk.inspect import why\nfound = why({asked})\n", "utf-8")
    with warnings.catch_warnings(record=True):  # NumPy's, as a program has them
        warnings.simplefilter("default", RuntimeWarning)
        return runpy.run_path(str(path))["found"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name.replace(" ", "_"))
def test_the_cause_is_named_and_its_remedy_works(program, tmp_path):
    source, path = program.source, tmp_path / "program0.py"
    found = found_in(source, program.asked, path)
    told = str(found)
    assert found
    assert not [words for words in program.words if words not in told], told
    assert found.edit is not None or program.mended is not None, told
    if program.mended is not None:
        old, new = program.mended
        assert old in source
        source, found = source.replace(old, new), None
    for k in range(1, ROUNDS + 1):
        if found is not None:
            assert found.edit is not None, found
            whole = found.edit.apply(path.read_text("utf-8"))
            source = whole.partition("\nfrom gradwalk.inspect import why\nfound")[0]
        path = tmp_path / f"program{k}.py"  # another file: lines of files are cached
        found = found_in(source, program.asked, path)
        if not found:
            break
    assert not found, f"{source}\n{found}"


def test_without_a_warning_only_a_division_alone_is_changed(tmp_path):
    source = (
        HEAD
        + """
x = np.array([0.0, 2.0])
with np.errstate(all="ignore"):
    y = np.log(x / 2.0)
w = Tensor(np.ones(2), requires_grad=True)
loss = (w * y).sum()
"""
    )
    found = found_in(source, "loss", tmp_path / "program.py")
    assert "y = np.log(x / 2.0)   (" in found.line
    assert found.edit is None


def test_names_are_different():
    assert len({p.name for p in PROGRAMS}) == len(PROGRAMS)


MEANT = {
    "a difference that cancels": "b = Tensor(0.0, requires_grad=True)\n"
    "loss = abs(Tensor([-1.0, 1.0]) - b).sum()",
    "a ratio that is clipped": "b = Tensor([1.5, 0.5], requires_grad=True)\n"
    "a = np.array([1.0, -1.0])\n"
    "loss = -gw.minimum(b * a, b.clip(0.8, 1.2) * a).mean()",
    "the smallest value of a square": "b = Tensor([0.0, 0.0], requires_grad=True)\n"
    "loss = (b ** 2).sum()",
}


@pytest.mark.parametrize("name", MEANT)
def test_a_gradient_of_0_that_is_meant_raises_no_alarm(name, tmp_path):
    found = found_in(f"{HEAD}{MEANT[name]}\nloss.backward()\n", "b", tmp_path / "program.py")
    assert not found, found
    assert "b.grad = 0" in str(found)
