"""Write optim_tensors.json: twenty steps of PyTorch's optimizers on arrays, in both precisions.

Run it where PyTorch is installed: ``python tests/expected/make_optim_tensors.py``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STEPS = 20
PARAMETERS = [[[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]], [0.5, -0.75, 2.0], 1.5]
CURVATURE, GOAL = [1.0, 0.3, 2.0], [0.25, 0.5, -1.0]
"""The loss is Σ curvature (p - goal)² / 2 over all parameters, broadcast to their shapes."""

LATE = [2, 5]
"""The last parameter has no gradient in these steps (counted from 0), nor in those before 2."""

ADAM: list[dict[str, Any]] = [
    {},
    {"lr": 0.05, "betas": [0.8, 0.95], "eps": 1e-3},
    {"lr": 0.05, "weight_decay": 0.1},
    {"lr": 0.05, "amsgrad": True, "weight_decay": 0.2, "maximize": True},
]
CONFIGURATIONS: dict[str, list[dict[str, Any]]] = {
    "SGD": [
        {"lr": 0.1},
        {"lr": 0.1, "weight_decay": 0.05},
        {"lr": 0.1, "momentum": 0.9},
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.3},
        {"lr": 0.1, "momentum": 0.5, "nesterov": True, "weight_decay": 0.05},
        {"lr": 0.01, "momentum": 0.5, "weight_decay": 0.05, "maximize": True},
    ],
    "Adam": ADAM,
    "AdamW": ADAM,
    "RMSprop": [
        {},
        {"lr": 0.02, "alpha": 0.9, "weight_decay": 0.1},
        {"lr": 0.02, "momentum": 0.9},
        {"lr": 0.01, "centered": True, "momentum": 0.5, "weight_decay": 0.1, "eps": 1e-2},
    ],
    "Adagrad": [
        {},
        {"lr": 0.5, "lr_decay": 0.1, "weight_decay": 0.1},
        {"lr": 0.5, "initial_accumulator_value": 0.5},
    ],
}


def trajectory(name: str, options: dict[str, Any], dtype: str) -> list[list[Any]]:
    """The parameters after each step of one of PyTorch's optimizers."""
    import torch

    kind = getattr(torch, dtype)
    parameters = [torch.tensor(p, dtype=kind, requires_grad=True) for p in PARAMETERS]
    curvature, goal = torch.tensor(CURVATURE, dtype=kind), torch.tensor(GOAL, dtype=kind)
    optimizer = getattr(torch.optim, name)(parameters, **options)
    points = []
    for step in range(STEPS):
        optimizer.zero_grad()
        used = parameters[:-1] if step < LATE[0] or step in LATE else parameters
        sum(((p - goal) ** 2 * curvature / 2).sum() for p in used).backward()
        optimizer.step()
        points.append([p.tolist() for p in parameters])
    return points


def main() -> None:
    """Write the file next to this one."""
    import torch

    runs = [
        {"name": n, "options": o, "dtype": dtype, "points": trajectory(n, o, dtype)}
        for n, configurations in CONFIGURATIONS.items()
        for o in configurations
        for dtype in ("float64", "float32")
    ]
    expected = {
        "made_by": f"make_optim_tensors.py, PyTorch {torch.__version__}",
        "problem": {
            "start": PARAMETERS,
            "curvature": CURVATURE,
            "goal": GOAL,
            "late": LATE,
        },
        "runs": runs,
    }
    target = Path(__file__).with_name("optim_tensors.json")
    target.write_text(json.dumps(expected, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
