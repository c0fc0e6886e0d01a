"""Write nn.json: PyTorch's losses and a small network with all gradients, in double precision.

Run it where PyTorch is installed: ``python tests/expected/make_nn.py``.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

LOGITS = [-800.0, -30.0, -1.5, 0.0, 0.25, 2.0, 40.0, 900.0]
LABELS = [1, 0, 1, 0, 1, 0, 1, 0]
SOFT = [0.9, 0.25, 0.5, 0.1, 1.0, 0.0, 0.75, 0.3]
PROBABILITIES = [1e-300, 0.001, 0.3, 0.5, 0.75, 0.9, 0.999, 0.25]
NUMBERS = [-3.0, -1.0, -0.5, 0.0, 0.125, 1.5, 2.5, 10.0]
GOALS = [1.0, -1.0, 0.5, 0.25, -0.125, 1.0, 1.5, -10.0]
PRIMITIVES = [[0.5, -1.0, 2.0], [1000.0, 0.0, -1000.0], [-0.25, -0.25, -0.25], [1.0, 50.0, 3.0]]
CLASSES = [2, 1, 0, 1]
SHARES = [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.1, 0.8, 0.1]]

CASES: list[tuple[str, str, dict[str, Any], list[Any], list[Any]]] = [
    ("mse", "mse_loss", {}, NUMBERS, GOALS),
    ("mse", "mse_loss", {}, PRIMITIVES, SHARES),
    ("mae", "l1_loss", {}, NUMBERS, GOALS),
    ("huber", "huber_loss", {}, NUMBERS, GOALS),
    ("huber", "huber_loss", {"delta": 2.5}, NUMBERS, GOALS),
    ("binary_cross_entropy", "binary_cross_entropy", {}, PROBABILITIES, LABELS),
    ("binary_cross_entropy", "binary_cross_entropy", {}, PROBABILITIES, SOFT),
    ("binary_cross_entropy_with_logits", "binary_cross_entropy_with_logits", {}, LOGITS, LABELS),
    ("binary_cross_entropy_with_logits", "binary_cross_entropy_with_logits", {}, LOGITS, SOFT),
    ("cross_entropy", "cross_entropy", {}, PRIMITIVES, CLASSES),
    ("cross_entropy", "cross_entropy", {}, PRIMITIVES, SHARES),
    ("cross_entropy", "cross_entropy", {}, PRIMITIVES[0], CLASSES[0]),
    ("nll", "nll_loss", {}, PRIMITIVES, CLASSES),
]
"""Our name, PyTorch's name, options, predictions, targets."""


def loss(theirs: str, options: dict[str, Any], predictions: Any, targets: Any, how: str) -> Any:
    """The loss and its gradient by every prediction; for "none" the gradient of the sum."""
    import torch

    x = torch.tensor(predictions, dtype=torch.float64, requires_grad=True)
    classes = theirs == "nll_loss" or targets in (CLASSES, CLASSES[0])
    t = torch.tensor(targets, dtype=torch.int64 if classes else torch.float64)
    found = getattr(torch.nn.functional, theirs)(x, t, reduction=how, **options)
    found.sum().backward()
    return found.tolist(), x.grad.tolist()


def network() -> dict[str, Any]:
    """A 3-4-2 network with random weights: its answer, loss and gradients."""
    import torch

    draw = random.Random(7)
    numbers = [draw.uniform(-1.0, 1.0) for _ in range(4 * 4 + 2 * 5)]
    x, goal = [0.5, -1.5, 2.0], [0.25, -0.75]
    p = torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
    first, second = p[:16].reshape(4, 4), p[16:].reshape(2, 5)  # rows of weights and a bias
    hidden = torch.tanh(first[:, :3] @ torch.tensor(x, dtype=torch.float64) + first[:, 3])
    y = second[:, :4] @ hidden + second[:, 4]
    error = torch.nn.functional.mse_loss(y, torch.tensor(goal, dtype=torch.float64))
    error.backward()
    return {
        "parameters": numbers,
        "x": x,
        "goal": goal,
        "y": y.tolist(),
        "loss": error.item(),
        "gradients": p.grad.tolist(),
    }


def main() -> None:
    """Write the file next to this one."""
    import torch

    losses = []
    for ours, theirs, options, predictions, targets in CASES:
        for how in ("mean", "sum", "none"):
            value, gradients = loss(theirs, options, predictions, targets, how)
            losses.append({
                "name": ours, "options": {**options, "reduction": how},
                "predictions": predictions, "targets": targets,
                "loss": value, "gradients": gradients,
            })  # fmt: skip
    expected = {
        "made_by": f"make_nn.py, PyTorch {torch.__version__}",
        "losses": losses,
        "network": network(),
    }
    target = Path(__file__).with_name("nn.json")
    target.write_text(json.dumps(expected, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
