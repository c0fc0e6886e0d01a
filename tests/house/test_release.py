"""What a release contains: the files of both distributions, and what its pages say of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

import gradwalk

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
README = (ROOT / "README.md").read_text("utf-8")
MADE = ("__pycache__", "node_modules", "*.so", "*.pyd", "*.egg-info", ".*_cache", ".hypothesis")
MADE += (".venv*", ".git", "build", "dist", "site", "demo", ".coverage*")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source, with its source distribution in dist/ and its package in build/lib/."""
    copy = tmp_path_factory.mktemp("release") / "source"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*MADE))
    (copy / "src/gradwalk/native/kernels.h").write_text("// left by a build\n", "utf-8")
    (copy / "src/gradwalk/__pycache__").mkdir()
    (copy / "src/gradwalk/__pycache__/left.pyc").touch()
    command = [sys.executable, "setup.py", "-q", "sdist", "build_py", "--build-lib", "build/lib"]
    subprocess.run(command, cwd=copy, check=True, capture_output=True)
    return copy


def test_the_source_distribution_is_complete(built: Path) -> None:
    (archive,) = (built / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    packed = {name for name in names if (ROOT / name).is_file() and ".egg-info/" not in name}
    made = {"src/gradwalk/native/kernels.h", "src/gradwalk/native/vector_kernels.h"}
    assert not packed & made
    assert not [name for name in names if "__pycache__" in name or name.endswith((".so", ".pyc"))]
    source = {path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file()}
    source = {name for name in source if not re.match(r"(build|dist|src/\w+\.egg-info)/", name)}
    source -= made | {"PKG-INFO", "setup.cfg", "src/gradwalk/__pycache__/left.pyc"}
    assert packed - {"PKG-INFO", "setup.cfg"} == source


def test_the_wheel_has_what_users_need_and_nothing_of_the_build(built: Path) -> None:
    package = built / "build/lib/gradwalk"
    source = ROOT / "src/gradwalk"
    files = {path.relative_to(package) for path in package.rglob("*") if path.is_file()}
    wanted = {
        path.relative_to(source)
        for pattern in ("*.py", "*.pyi", "py.typed", "studio/static/*", "studio/lessons/*/*.toml")
        for path in source.rglob(pattern)
    }
    assert files == wanted
    assert {path.name for path in (built / "build/lib").iterdir()} == {"gradwalk"}


def test_the_description_needs_no_files_beside_it(built: Path) -> None:
    (info,) = (built / "src").glob("*.egg-info/PKG-INFO")
    text = info.read_text("utf-8")
    assert "\nDescription-Content-Type: text/markdown\n" in text
    assert "# gradwalk\n" in text
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert not [link for link in links if not re.match(r"https?://|#", link)]


def test_pictures_and_links_lead_to_the_files_of_a_release() -> None:
    source = (ROOT / "setup.py").read_text("utf-8").partition("\n\nsetup(")[0]
    names: dict[str, object] = {"__file__": str(ROOT / "setup.py"), "__name__": "description"}
    exec(source, names)
    description = names["description"]
    assert callable(description)
    text = description(README, "https://example.org/v1")
    assert "](https://example.org/v1/docs/pictures/studio-walk.png)" in text
    assert "[LICENSE](https://example.org/v1/LICENSE)" in text
    assert "![" not in description(README, None)
    assert "see LICENSE." in description(README, None)


def test_a_free_threaded_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (ROOT / "setup.py").read_text("utf-8").partition("\n\nsetup(")[0]
    names: dict[str, object] = {"__file__": str(ROOT / "setup.py"), "__name__": "description"}
    exec(source, names)  # a usual Python is not refused
    monkeypatch.setattr("sysconfig.get_config_var", lambda name: name == "Py_GIL_DISABLED")
    with pytest.raises(SystemExit, match="got a free-threaded one"):
        exec(source, names)


def test_all_pages_name_the_same_release() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    version, date = re.findall(r'^(?:version|date-released): "(.+)"$', citation, re.MULTILINE)
    assert version == gradwalk.__version__
    assert f"## [{version}] - {date}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_extra_all_has_every_feature() -> None:
    extras = PROJECT["optional-dependencies"]
    ((_, names),) = (item.rstrip("]").split("[") for item in extras["all"])
    assert {*names.split(",")} == {*extras} - {"all", "dev", "docs", "notebooks", "peers"}
