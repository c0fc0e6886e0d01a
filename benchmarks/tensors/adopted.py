"""A step of PyTorch, alone and recorded as ``gradwalk why`` records it."""

from __future__ import annotations

from contextlib import nullcontext
from importlib import import_module
from time import process_time
from typing import Any

from . import micro

WIDTH, LAYERS, CLASSES = 256, 4, 10
LENGTH, BATCH = 64, 16
CHAIN = 300  # operations on single numbers


def step(library: str) -> Any:
    """Return a training step of a transformer with Adam, of PyTorch alone or with a recorder."""
    loss_of, parameters = _transformer()
    optimizer = _torch().optim.Adam(parameters, 1e-3)

    def run() -> float:
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        return float(loss.item())

    if library == "gradwalk":
        _recorder().__enter__()  # for as long as the process lives
    return run


def _torch() -> Any:
    import torch

    return torch


def _transformer() -> tuple[Any, list[Any]]:
    """Return what computes the loss of a transformer, and its parameters."""
    torch = _torch()
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, batch_first=True)
    body = torch.nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
    head = torch.nn.Linear(WIDTH, CLASSES)
    x, y = torch.randn(BATCH, LENGTH, WIDTH), torch.randint(0, CLASSES, (BATCH,))
    parameters = [*body.parameters(), *head.parameters()]
    return lambda: torch.nn.functional.cross_entropy(head(body(x).mean(1)), y), parameters


def memory(library: str) -> dict[str, Any]:
    """Measure the peak bytes that both passes add, of PyTorch alone or inside `adopt`.

    Inside, because afterwards the graph of gradwalk has copies of all numbers; ``graph`` is the
    peak with it.
    """
    loss_of, parameters = _transformer()
    adopt: Any = import_module("gradwalk").adopt if library == "gradwalk" else nullcontext
    with adopt():  # imports
        _torch().ones(2, requires_grad=True).sum().backward()
    losses = [_passes(loss_of)]
    for p in parameters:
        p.grad = None
    before = micro.reset_peak()
    with adopt():
        losses.append(_passes(loss_of))
        peak = micro.status("VmHWM") - before
    return {"peak": peak, "graph": micro.status("VmHWM") - before, "losses": losses,
            "float64": False}  # fmt: skip


def _passes(loss_of: Any) -> float:
    loss = loss_of()
    loss.backward()
    return float(loss.item())


def _recorder() -> Any:
    from gradwalk.foreign.torch.recording import Recorder

    recorder = Recorder(lambda done: recorder.clear())
    return recorder


def recording(steps: int) -> dict[str, Any]:
    """Measure seconds that a recorder adds to one operation on a number, with its gradient."""
    import torch

    x = torch.ones((), requires_grad=True)

    def run() -> None:
        y = x
        for _ in range(CHAIN):
            y = torch.sin(y)
        y.backward()

    alone = _fastest(run, steps)
    with _recorder():
        recorded = _fastest(run, steps)
    return {"total": (recorded - alone) / CHAIN}


def _fastest(run: Any, steps: int) -> float:
    run()
    seconds = []
    for _ in range(max(3, steps)):
        start = process_time()
        run()
        seconds.append(process_time() - start)
    return min(seconds)
