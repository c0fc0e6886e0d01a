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
    "Adadelta": [
        {},
        {"lr": 20.0},
        {"lr": 2.0, "rho": 0.7, "eps": 1e-4, "weight_decay": 0.1},
        {"lr": 0.5, "eps": 1e-3, "maximize": True},
    ],
    "LBFGS": [
        {"lr": 0.1},
        {"lr": 0.05, "max_iter": 1},
        {"lr": 0.3, "max_iter": 3, "history_size": 2},
        {"lr": 0.2, "max_iter": 2, "max_eval": 1, "tolerance_change": 1e-3},
        {"lr": 0.1, "max_iter": 4, "tolerance_grad": 0.1},
        {"lr": 1.0, "max_iter": 1, "line_search_fn": "strong_wolfe"},
        {"lr": 0.1, "max_iter": 2, "line_search_fn": "strong_wolfe", "history_size": 2},
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
    ("OneCycleLR", {"max_lr": 0.7, "total_steps": 50}),
    (
        "OneCycleLR",
        {
            "max_lr": 0.7,
            "epochs": 10,
            "steps_per_epoch": 5,
            "three_phase": True,
            "pct_start": 0.35,
            "div_factor": 7.0,
        },
    ),
    (
        "OneCycleLR",
        {
            "max_lr": 0.2,
            "total_steps": 60,
            "anneal_strategy": "linear",
            "base_momentum": 0.5,
            "max_momentum": 0.8,
            "final_div_factor": 10.0,
        },
    ),
    (
        "OneCycleLR",
        {
            "max_lr": 0.2,
            "total_steps": 55,
            "cycle_momentum": False,
            "pct_start": 0.5,
            "three_phase": True,
            "anneal_strategy": "linear",
        },
    ),
    ("ReduceLROnPlateau", {}),
    ("ReduceLROnPlateau", {"patience": 2, "factor": 0.5, "threshold": 0.05}),
    ("ReduceLROnPlateau", {"patience": 1, "mode": "max", "cooldown": 3, "min_lr": 0.02}),
    ("ReduceLROnPlateau", {"patience": 0, "threshold_mode": "abs", "threshold": 0.3, "eps": 0.01}),
    ("ReduceLROnPlateau", {"patience": 3, "mode": "max", "threshold_mode": "abs", "factor": 0.3}),
]
WARM_UP = {"start_factor": 0.1, "total_iters": 10}
COSINE = {"T_max": 40, "eta_min": 0.001}
MILESTONE = 10
LOSSES = [2.0 / (1.0 + 0.1 * k) + 0.4 * ((7 * k) % 5) - 0.01 * k for k in range(STEPS)]
"""What ReduceLROnPlateau watches: it falls, but not in every epoch."""


def trajectory(name: str, options: dict[str, Any]) -> list[list[float]]:
    """The parameters after each step of one of PyTorch's optimizers."""
    import torch

    p = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    curvature = torch.tensor(CURVATURE, dtype=torch.float64)
    goal = torch.tensor(GOAL, dtype=torch.float64)
    optimizer = getattr(torch.optim, name)([p], **options)
    points = []
    for _ in range(STEPS):

        def closure() -> Any:
            optimizer.zero_grad()
            loss = ((p - goal) ** 2 * curvature / 2).sum()
            loss.backward()
            return loss

        optimizer.step(closure)
        points.append(p.tolist())
    return points


def rates(name: str, options: dict[str, Any]) -> dict[str, list[list[float]]]:
    """The learning rates and momenta of two groups in each epoch of one of PyTorch's schedulers."""
    import torch

    optimizer = _two_groups(0.9 if name == "OneCycleLR" else 0.0)
    momenta: list[list[float]] = []
    scheduler = getattr(torch.optim.lr_scheduler, name)(optimizer, **options)
    losses = LOSSES if name == "ReduceLROnPlateau" else None
    found = _run(scheduler, optimizer, losses, momenta)
    return {"rates": found, **({"momenta": momenta} if name == "OneCycleLR" else {})}


def warm_up_and_cosine() -> list[list[float]]:
    """The same for a linear warm-up followed by a cosine."""
    from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR

    optimizer = _two_groups()
    parts = [LinearLR(optimizer, **WARM_UP), CosineAnnealingLR(optimizer, **COSINE)]
    return _run(SequentialLR(optimizer, parts, [MILESTONE]), optimizer)


def _two_groups(momentum: float = 0.0) -> Any:
    import torch

    first, second = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    groups = [{"params": [first], "lr": 0.5}, {"params": [second]}]
    return torch.optim.SGD(groups, lr=0.1, momentum=momentum)


def _run(
    scheduler: Any,
    optimizer: Any,
    losses: list[float] | None = None,
    momenta: list[list[float]] | None = None,
) -> list[list[float]]:
    found = []
    for k in range(STEPS):
        if k:
            optimizer.step()
            scheduler.step(*([losses[k]] if losses else []))
        found.append([group["lr"] for group in optimizer.param_groups])
        if momenta is not None:
            momenta.append([group["momentum"] for group in optimizer.param_groups])
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
        {"name": name, "options": options, **rates(name, options)} for name, options in SCHEDULERS
    ]
    expected = {
        "made_by": f"make_optim.py, PyTorch {torch.__version__}",
        "problem": {"start": START, "curvature": CURVATURE, "goal": GOAL},
        "runs": runs,
        "schedules": schedules,
        "losses": LOSSES,
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
