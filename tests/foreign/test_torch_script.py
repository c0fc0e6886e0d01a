"""``gradwalk why SCRIPT``: what it prints and returns for each way in which a script can end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("typer")

from typer.testing import CliRunner  # noqa: E402

from gradwalk.cli.app import app  # noqa: E402

pytestmark = pytest.mark.peer

LOOP = """
import sys
import torch
torch.manual_seed(0)
w = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = {loss}
    loss.backward()
    optimizer.step()
print("arguments", sys.argv[1:])
"""
CASES: dict[str, tuple[str, int, tuple[str, ...]]] = {
    "healthy": (
        LOOP.format(loss="(w * w).sum()"),
        0,
        ("arguments ['--epochs', '3']", "5 backward passes: all losses and gradients are finite."),
    ),
    "a loss": (
        LOOP.format(loss="torch.sqrt(w - 0.95).sum()"),
        1,
        (
            "train.py: backward pass 2 is not finite: the loss is nan.",
            "sqrt is defined for x > 0",
            "(train.py, line 9)",
        ),
    ),
    "a gradient": (
        LOOP.format(loss="torch.sqrt((w - 1) ** 2).sum()"),
        1,
        ("backward pass 1 is not finite: the gradient of w has 3 numbers", "sqrt(0)"),
    ),
    "anomaly mode": (
        "import torch\ntorch.autograd.set_detect_anomaly(True)\n"
        "x = torch.zeros(3, requires_grad=True)\ny = (x * x).sum().sqrt()\n(y * 2).backward()\n",
        1,
        ("train.py ended with RuntimeError", "sqrt(0)", "(train.py, line 4)"),
    ),
    "an own check": (
        "import torch\nx = torch.zeros(3, requires_grad=True)\ny = torch.log(x)\n"
        "assert not torch.isinf(y).any(), 'infinite'\n",
        1,
        ("train.py ended with AssertionError: infinite", "log(0) = -inf", "(train.py, line 3)"),
    ),
    "an error": (
        "raise ValueError('no data')\n",
        1,
        ("train.py ended with this error. There was no backward pass",),
    ),
    "sys.exit": (LOOP.format(loss="w.sum()") + "sys.exit(3)\n", 3, ("5 backward passes",)),
    "no backward pass": (
        "print('nothing')\n",
        2,
        ("ran to its end without one. Pass the script that calls loss.backward().",),
    ),
    "a step that writes a NaN": (
        LOOP.format(loss="(w * w).sum()").replace(
            "    optimizer.step()\n", "    optimizer.step()\n    w.data[1] = float('nan')\n"
        ),
        1,
        ("w was written by the step after backward pass 1",),
    ),
    "a bare except": (
        "import torch\nw = torch.zeros(1, requires_grad=True)\nfor step in range(3):\n"
        "    try:\n        torch.log(w).sum().backward()\n    except:\n        pass\n",
        1,
        ("backward pass 1 is not finite", "log(0)"),
    ),
}


@pytest.fixture(autouse=True)
def usual_mode() -> Iterator[None]:
    yield
    torch.autograd.set_detect_anomaly(False)  # a script has switched it on


def result(folder: Path, source: str, *words: str) -> tuple[int, str]:
    script = folder / "train.py"
    script.write_text(source, encoding="utf-8")
    found = CliRunner().invoke(app, ["why", str(script), *words])
    return found.exit_code, found.output


@pytest.mark.parametrize("name", CASES)
def test_a_script_ends_in_words_and_a_code(tmp_path: Path, name: str) -> None:
    source, expected, texts = CASES[name]
    code, output = result(tmp_path, source, "--epochs", "3")
    assert code == expected, output
    for text in texts:
        assert text in " ".join(output.split()), output


def test_a_growing_loss_is_told_with_its_numbers(tmp_path: Path) -> None:
    source = LOOP.format(loss="((w * 1e3) ** 2).sum()").replace("range(5)", "range(100)")
    code, output = result(tmp_path, source)
    assert code == 1
    assert re.search(r"losses +.* → .*e\+", output), output
    assert "learning rate" in output


def test_the_passes_of_a_scaled_loss_that_overflow_are_skipped(tmp_path: Path) -> None:
    source = """
import torch
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**40)
for step in range(40):
    optimizer.zero_grad()
    loss = (w.half() * 2).float().sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
"""
    code, output = result(tmp_path, source)
    assert code == 0, output
    assert "skipped by the GradScaler" in output
