"""What modules of gradwalk answer to a call, and to names of other libraries."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gradwalk as gw
from gradwalk.core.rooms import DTYPES, OURS
from gradwalk.errors import UsageError

MODULES = (
    "check",
    "data",
    "distributed",
    "errors",
    "inspect",
    "integrate",
    "linalg",
    "nn",
    "optim",
    "optimize",
    "parallel",
    "random",
    "sklearn",
)
MODULES += ("special", "stats", "training", "transforms")


@pytest.mark.parametrize("name", MODULES)
def test_a_call_of_a_module_names_a_function(name: str) -> None:
    with pytest.raises(
        UsageError, match=r"a call of the module itself\. Call one of its functions"
    ):
        getattr(gw, name)(3.0)


def test_every_public_module_is_tested() -> None:
    assert {n for n in dir(gw) if type(getattr(gw, n)).__name__ in ("module", "Room")} == {*MODULES}


def test_the_room_of_tensors_makes_one() -> None:
    made = gw.tensor([1.0, 2.0], requires_grad=True)
    assert isinstance(made, gw.Tensor)
    assert made.requires_grad


def test_the_room_of_tensors_in_a_fresh_process() -> None:
    code = "import gradwalk; print(gradwalk.tensor([1.0]).shape)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "(1,)"


@pytest.mark.parametrize("name", OURS)
def test_a_name_of_another_library_answers_with_ours(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"{name}': use gradwalk\.") as caught:
        getattr(gw, name)
    path = str(caught.value).rpartition("use gradwalk.")[2].partition("(")[0]
    found: object = gw
    for part in path.split("."):
        found = getattr(found, part)
    assert callable(found)


@pytest.mark.parametrize("name", DTYPES)
def test_the_names_of_dtypes_are_understood(name: str) -> None:
    assert getattr(gw, name) is getattr(gw, DTYPES[name])
    assert name not in gw.__all__


def test_other_names_are_plainly_missing() -> None:
    with pytest.raises(AttributeError, match=r"^module 'gradwalk' has no attribute 'blabla'$"):
        gw.blabla  # noqa: B018
    assert not hasattr(gw, "cat")
