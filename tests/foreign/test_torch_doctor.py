"""``gradwalk why --doctor SCRIPT``: what is wrong with a training whose numbers are finite."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

torch = pytest.importorskip("torch")

from typer.testing import CliRunner  # noqa: E402

from gradwalk.cli.app import app  # noqa: E402

pytestmark = pytest.mark.peer


class Silent(NamedTuple):
    """A script, what is said of it, and its repair: the old text and the new one."""

    source: str
    words: tuple[str, ...]
    old: str
    new: str


HEAD = """
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(64, 4)
"""
LOOP = """
for epoch in range(20):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
"""
CLASSES = "y = torch.randint(0, 3, (64,))\n"
SILENT = {
    "softmax twice": Silent(
        f"{CLASSES}model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3), "
        f"nn.Softmax(1))\noptimizer = torch.optim.Adam(model.parameters(), lr=0.01)\n"
        f"criterion = nn.CrossEntropyLoss()\n{LOOP}",
        ("softmax is applied twice",), ", nn.Softmax(1)", "",
    ),
    "outputs against targets": Silent(
        """
y = x.sum(1)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(20):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
""",
        ("every output with every target", "(64, 1) and (64,)", "squeeze(1)"),
        "model(x) - y", "model(x).squeeze(1) - y",
    ),
    "no zero_grad": Silent(
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 16), nn.Linear(16, 1)

    def forward(self, x):
        return self.b(torch.relu(self.a(x))).squeeze(1)

def main():
    net, y = Net(), x.sum(1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for epoch in range(20):
        loss = F.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()

main()
""",
        ("gradients are added to those of the steps before", "7 of 8", "zero_grad()"),
        "        loss.backward()", "        optimizer.zero_grad()\n        loss.backward()",
    ),
    "a layer without the optimizer": Silent(
        f"{CLASSES}model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))\n"
        f"optimizer = torch.optim.SGD(model[2].parameters(), lr=0.1)\n"
        f"criterion = nn.CrossEntropyLoss()\n{LOOP}",
        ("optimizer",), "model[2].parameters()", "model.parameters()",
    ),
    "a learning rate without effect": Silent(
        f"{CLASSES}model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))\n"
        f"optimizer = torch.optim.Adam(model.parameters(), lr=1e-9)\n"
        f"criterion = nn.CrossEntropyLoss()\n{LOOP}",
        ("the learning rate of 1e-09 is far too small",), "lr=1e-9", "lr=0.01",
    ),
    "negative logarithm without the logarithm": Silent(
        f"{CLASSES}model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3), "
        f"nn.Softmax(1))\noptimizer = torch.optim.Adam(model.parameters(), lr=0.01)\n"
        f"criterion = nn.NLLLoss()\n{LOOP}",
        ("logarithm",), "nn.Softmax(1)", "nn.LogSoftmax(1)",
    ),
}  # fmt: skip


def examined(folder: Path, source: str) -> tuple[str, int]:
    script = folder / "train.py"
    script.write_text(HEAD + source, encoding="utf-8")
    found = CliRunner().invoke(app, ["why", "--doctor", str(script)])
    return found.output, found.exit_code


@pytest.mark.parametrize("name", SILENT)
def test_what_is_wrong_is_named_and_the_repaired_script_is_well(tmp_path: Path, name: str) -> None:
    known = SILENT[name]
    told, code = examined(tmp_path, known.source)
    assert code == 1, told
    assert not [words for words in known.words if words not in " ".join(told.split())], told
    assert known.old in known.source
    told, code = examined(tmp_path, known.source.replace(known.old, known.new))
    assert code == 0, told
    assert "train.py, 8 steps: nothing wrong was found" in told


def test_what_lies_between_output_and_loss_is_not_overlooked(tmp_path: Path) -> None:
    source = SILENT["softmax twice"].source.replace(", nn.Softmax(1)", "")
    old = "criterion = nn.CrossEntropyLoss()"
    assert old in source
    right = source.replace(old, "criterion = lambda o, y: F.nll_loss(F.log_softmax(o, 1), y)")
    told, code = examined(tmp_path, right)
    assert code == 0, told


def test_a_script_without_steps_is_refused(tmp_path: Path) -> None:
    told, code = examined(tmp_path, "print('no training')\n")
    assert code == 2
    assert "no step of an optimizer" in " ".join(told.split())


def test_the_script_gets_its_functions_back(tmp_path: Path) -> None:
    before = torch.autograd.backward
    examined(tmp_path, SILENT["softmax twice"].source)
    assert torch.autograd.backward is before
    assert not torch.nn.modules.module._global_forward_hooks
