"""A step of PyTorch, alone and recorded as ``gradwalk why`` records it."""

from __future__ import annotations

from time import process_time
from typing import Any

WIDTH, LAYERS, CLASSES = 256, 4, 10
LENGTH, BATCH = 64, 16
CHAIN = 300  # operations on single numbers


def step(library: str) -> Any:
    """Return a training step of a transformer with Adam, of PyTorch alone or with a recorder."""
    import torch

    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, batch_first=True)
    body = torch.nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
    head = torch.nn.Linear(WIDTH, CLASSES)
    optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], 1e-3)
    x, y = torch.randn(BATCH, LENGTH, WIDTH), torch.randint(0, CLASSES, (BATCH,))

    def run() -> float:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(head(body(x).mean(1)), y)
        loss.backward()
        optimizer.step()
        return float(loss.item())

    if library == "gradwalk":
        _recorder().__enter__()  # for as long as the process lives
    return run


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
