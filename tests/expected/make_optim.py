"""Write optim.json: fifty steps of PyTorch's optimizers and schedulers, in double precision.

Run it where PyTorch is installed: ``python tests/expected/make_optim.py``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

STEPS = 50
START, CURVATURE, GOAL = [1.0, -2.0, 0.5, 3.0], [1.0, 0.3, 2.0, 0.7], [0.25, 0.5, -1.0, 2.5]
"""The loss is Σ curvature (p - goal)² / 2, which every step looks at anew."""

ADAM: list[dict[str, Any]] = [
    {},
    {"lr": 0.1},
    {"lr": 0.05, "betas": [0.8, 0.95], "eps": 1e-3},
    {"lr": 0.05, "weight_decay": 0.1},
    {"lr": 0.05, "amsgrad": True},
    {"lr": 0.05, "amsgrad": True, "weight_decay": 0.2, "maximize": True},
    {"lr": 0.02, "betas": [0.0, 0.0]},
]
CONFIGURATIONS: dict[str, list[dict[str, Any]]] = {
    "SGD": [
        {},
        {"lr": 0.1},
        {"lr": 0.1, "weight_decay": 0.05},
        {"lr": 0.1, "momentum": 0.9},
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.3},
        {"lr": 0.1, "momentum": 0.9, "nesterov": True},
        {"lr": 0.1, "momentum": 0.5, "nesterov": True, "weight_decay": 0.05},
        {"lr": 0.01, "momentum": 0.5, "weight_decay": 0.05, "maximize": True},
        {"lr": 0.01, "maximize": True, "weight_decay": 0.1},
    ],
    "Adam": ADAM,
    "AdamW": ADAM,
    "RMSprop": [
        {},
        {"lr": 0.02, "alpha": 0.9},
        {"lr": 0.02, "weight_decay": 0.1},
        {"lr": 0.02, "momentum": 0.9},
        {"lr": 0.02, "centered": True, "eps": 1e-2},
        {"lr": 0.01, "centered": True, "momentum": 0.5, "weight_decay": 0.1, "eps": 1e-2},
        {"lr": 0.01, "maximize": True, "eps": 1e-4},
    ],
    "Adagrad": [
        {},
        {"lr": 0.5},
        {"lr": 0.5, "lr_decay": 0.1},
        {"lr": 0.5, "weight_decay": 0.1, "eps": 1e-3},
        {"lr": 0.5, "initial_accumulator_value": 0.5},
        {"lr": 0.1, "maximize": True, "initial_accumulator_value": 0.1},
    ],
}
SCHEDULERS: list[tuple[str, dict[str, Any]]] = [
    ("StepLR", {"step_size": 7}),
    ("StepLR", {"step_size": 10, "gamma": 0.5}),
    ("ExponentialLR", {"gamma": 0.9}),
    ("CosineAnnealingLR", {"T_max": 50}),
    ("CosineAnnealingLR", {"T_max": 20, "eta_min": 0.01}),
    ("LinearLR", {}),
    ("LinearLR", {"start_factor": 0.1, "end_factor": 0.8, "total_iters": 12}),
]
WARM_UP = {"start_factor": 0.1, "total_iters": 10}
COSINE = {"T_max": 40, "eta_min": 0.001}
MILESTONE = 10


def trajectory(name: str, options: dict[str, Any]) -> list[list[float]]:
    """The parameters after each step of one of PyTorch's optimizers."""
    import torch

    p = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    curvature = torch.tensor(CURVATURE, dtype=torch.float64)
    goal = torch.tensor(GOAL, dtype=torch.float64)
    optimizer = getattr(torch.optim, name)([p], **options)
    points = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        ((p - goal) ** 2 * curvature / 2).sum().backward()
        optimizer.step()
        points.append(p.tolist())
    return points


def rates(name: str, options: dict[str, Any]) -> list[list[float]]:
    """The learning rates of two groups in each epoch of one of PyTorch's schedulers."""
    import torch

    optimizer = _two_groups()
    return _run(getattr(torch.optim.lr_scheduler, name)(optimizer, **options), optimizer)


def warm_up_and_cosine() -> list[list[float]]:
    """The same for a linear warm-up followed by a cosine."""
    from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR

    optimizer = _two_groups()
    parts = [LinearLR(optimizer, **WARM_UP), CosineAnnealingLR(optimizer, **COSINE)]
    return _run(SequentialLR(optimizer, parts, [MILESTONE]), optimizer)


def _two_groups() -> Any:
    import torch

    first, second = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    return torch.optim.SGD([{"params": [first], "lr": 0.5}, {"params": [second]}], lr=0.1)


def _run(scheduler: Any, optimizer: Any) -> list[list[float]]:
    found = [scheduler.get_last_lr()]
    for _ in range(STEPS - 1):
        optimizer.step()
        scheduler.step()
        found.append(scheduler.get_last_lr())
    return found


def main() -> None:
    """Write the file next to this one."""
    import torch

    runs = [
        {"name": name, "options": options, "points": trajectory(name, options)}
        for name, configurations in CONFIGURATIONS.items()
        for options in configurations
    ]
    schedules = [
        {"name": name, "options": options, "rates": rates(name, options)}
        for name, options in SCHEDULERS
    ]
    expected = {
        "made_by": f"make_optim.py, PyTorch {torch.__version__}",
        "problem": {"start": START, "curvature": CURVATURE, "goal": GOAL},
        "runs": runs,
        "schedules": schedules,
        "sequence": {
            "warm_up": WARM_UP,
            "cosine": COSINE,
            "milestone": MILESTONE,
            "rates": warm_up_and_cosine(),
        },
    }
    target = Path(__file__).with_name("optim.json")
    target.write_text(json.dumps(expected, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
