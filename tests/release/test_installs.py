"""A wheel in a fresh environment, with each extra alone: what the extra is for works.

``make test-install`` runs these tests. They need the package index, and take some minutes.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.install

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

MODEL = "from gradwalk.nn import Linear; model = Linear(2, 1, seed=0);"
USES = {
    "": "import gradwalk as g; x = g.Value(2.0); (x * x).backward(); print(x.grad)",
    "cli": "import sys; from gradwalk.__main__ import main;"
    "sys.argv = ['gradwalk', 'show', 'a * b', 'a=2', 'b=3']; main()",
    "plot": "from gradwalk.inspect import plot_loss; print(plot_loss([1.0, 0.5]))",
    "studio": "import gradwalk.studio.server as s; print(s)",
    "widget": "import gradwalk as g; print(g.explore(g.Value(2.0) * 3.0)._repr_mimebundle_())",
    "safetensors": MODEL + "import gradwalk as g; g.save(model, 'm.safetensors');"
    "print(g.load('m.safetensors'))",
    "digits": "from gradwalk.data.digits import load_digits; print(len(load_digits()[0][0]))",
    "scipy": "import gradwalk as g; print(g.minimize(lambda x: (x - 1.0) ** 2, 0.0).x)",
    "arrays": "import gradwalk.libraries as a; print(a)",
    "parallel": "from gradwalk import parallel; print(parallel.map_grad)",
    "dask": "from gradwalk import distributed; print(distributed.value_and_grad)",
    "sklearn": "from gradwalk.sklearn import MLPClassifier as C;"
    "print(C((4,), max_iter=9, tol=9.0).fit([[0.0], [1.0]], [0, 1]).predict([[1.0]]))",
    "all": "import gradwalk.__main__, gradwalk.sklearn, gradwalk.distributed; print(1)",
}
"""For each extra a program that needs it, and prints something."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "-w",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(command, check=True)
    (built,) = folder.glob("*.whl")
    return built


def test_every_extra_is_tried() -> None:
    ours = {*PROJECT["optional-dependencies"]} - {"dev", "docs", "notebooks", "peers"}
    assert ours == {*USES} - {""}


@pytest.mark.parametrize("extra", USES)
def test_an_extra_alone_is_enough(extra: str, wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    named = f"{wheel}[{extra}]" if extra else str(wheel)
    subprocess.run([str(python), "-m", "pip", "install", "-q", named], check=True, cwd=tmp_path)
    done = subprocess.run(
        [str(python), "-W", "error", "-c", USES[extra]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    engine = "import gradwalk; print(gradwalk.ENGINE)"
    found = subprocess.run(
        [str(python), "-c", engine], cwd=tmp_path, capture_output=True, text=True
    )
    assert found.stdout == "native\n"
