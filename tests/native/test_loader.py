"""The loader of the compiled modules: silent without one, and loud about a broken one."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from gradwalk import native


@pytest.fixture(autouse=True)
def compiled_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADWALK_PURE", "0")


def put_on_path(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str | bytes) -> str:
    """Make a module that `load` finds in ``folder``, and return its name."""
    suffix = ".py" if isinstance(text, str) else ".abi3.so"
    data = text.encode() if isinstance(text, str) else text
    (folder / f"_broken{suffix}").write_bytes(data)
    monkeypatch.setattr(native, "__path__", [*native.__path__, str(folder)])
    monkeypatch.delitem(sys.modules, "gradwalk.native._broken", raising=False)
    return "_broken"


def test_a_missing_module_is_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert native.load("_missing") is None


@pytest.mark.skipif(sys.platform == "win32", reason="compiled modules have another suffix")
def test_a_file_that_is_no_library_is_a_warning(monkeypatch: Any, tmp_path: Path) -> None:
    name = put_on_path(monkeypatch, tmp_path, b"not a library")
    with pytest.warns(RuntimeWarning, match=r"(?s)got _broken: .*Run pip install"):
        assert native.load(name) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import gradwalk_lacks_this", "No module named 'gradwalk_lacks_this'"),
        ("raise ImportError('undefined symbol: f_exp')", "undefined symbol: f_exp"),
    ],
)
def test_a_module_that_cannot_be_imported_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, reason: str
) -> None:
    name = put_on_path(monkeypatch, tmp_path, text)
    with pytest.warns(RuntimeWarning, match=f"got _broken: {reason}"):
        assert native.load(name) is None
    monkeypatch.setenv("GRADWALK_PURE", "1")
    assert native.load(name) is None, "the Python engine was selected: no warning"


def test_the_warning_names_a_remedy_for_each_kind_of_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = put_on_path(monkeypatch, tmp_path, "raise ImportError('x')")
    with pytest.warns(RuntimeWarning) as caught:
        native.load(name)
    text = str(caught[0].message)
    assert "GRADWALK_PURE=1" in text
    assert "build it again" in text


PROGRAM = """
import os
import subprocess
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("gradwalk.native._"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
sys.platform = sys.argv[1]
import gradwalk
from gradwalk import Tensor, Value, grad
print(gradwalk.ENGINE, grad(lambda x: x * x)(3.0), (Tensor([1.0]) + 1.0).item())
"""


@pytest.mark.parametrize(
    ("selected", "platform", "said"),
    [("0", "linux", 1), ("1", "linux", 0), ("0", "emscripten", 0)],
)
def test_a_missing_engine_is_announced_once(selected: str, platform: str, said: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, platform],
        env=os.environ | {"GRADWALK_PURE": selected},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "python 6.0 2.0\n"
    assert done.stderr.count("Warning: ") == said
    assert (
        "SlowEngineWarning: import gradwalk: expected its compiled engine" in done.stderr
    ) == said
