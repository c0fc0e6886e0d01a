"""Small measurements: one recorded operation, one large product, the memory of a step."""

from __future__ import annotations

import gc
import os
from time import process_time
from typing import Any

import numpy as np

Facts = dict[str, Any]


def overhead(steps: int) -> Facts:
    """Measure the microseconds that recording adds to an elementwise operation on ten numbers."""
    from gradwalk import Tensor

    array = np.ones(10)
    leaf = Tensor(array, requires_grad=True)

    def seconds(x: Any) -> float:
        start = process_time()
        for _ in range(steps):
            x * x
        return process_time() - start

    pairs = [(seconds(leaf), seconds(array)) for _ in range(9)]
    own = min(plain for _, plain in pairs)
    return {"total": (min(full for full, _ in pairs) - own) / steps, "numpy": own / steps}


def floor(steps: int) -> Facts:
    """Measure the microseconds that recording adds to NumPy's time for operations on 14 numbers."""
    from gradwalk import Tensor, concat, stack, where

    a, b = np.linspace(-1.0, 1.0, 14), np.linspace(2.0, 3.0, 14)
    t, u, two = Tensor(a, requires_grad=True), Tensor(b, requires_grad=True), np.float64(2.0)
    above = a > 0.0
    works: dict[str, tuple[Any, Any]] = {
        "array": (lambda: t * b, lambda: a * b),
        "sum": (lambda: t + b, lambda: a + b),
        "number": (lambda: t * two, lambda: a * two),
        "slice": (lambda: t[1:5], lambda: a[1:5]),
        "item": (lambda: t[3], lambda: a[3]),
        "reshape": (lambda: t.reshape(2, 7), lambda: a.reshape(2, 7)),
        "concat": (lambda: concat([t, u]), lambda: np.concatenate([a, b])),
        "stack": (lambda: stack([t, u]), lambda: np.stack([a, b])),
        "where": (lambda: where(above, t, u), lambda: np.where(above, a, b)),
        "max": (lambda: t.max(), lambda: a.max()),
        "sigmoid": (lambda: t.sigmoid(), lambda: 1.0 / (1.0 + np.exp(-a))),
    }
    facts = {name: _seconds(f, steps) - _seconds(g, steps) for name, (f, g) in works.items()}
    return {"total": max(facts.values()), **facts}


def _seconds(f: Any, steps: int) -> float:
    """Return the seconds of a call, in the fastest of nine stretches."""
    times = []
    for _ in range(9):
        start = process_time()
        for _ in range(steps):
            f()
        times.append((process_time() - start) / steps)
    return min(times)


def matmul(library: str, steps: int) -> Facts:
    """Measure seconds of a 1000x1000 product with its gradients, or of three in NumPy."""
    rng = np.random.default_rng(0)
    a, b, g = (rng.normal(size=(1000, 1000)) for _ in range(3))
    if library == "numpy":

        def step() -> Any:
            return a @ b, g @ b.T, a.T @ g

    else:
        from gradwalk import Tensor

        x, y = Tensor(a, requires_grad=True), Tensor(b, requires_grad=True)

        def step() -> Any:
            x.grad = y.grad = None
            product = x @ y
            product.backward(g)
            return product

    times = []
    for _ in range(steps + 1):
        start = process_time()
        step()
        times.append(process_time() - start)
    return {"total": min(times[1:])}


LAYERS, WIDTH, BATCH = 16, 512, 4096


def memory(library: str) -> Facts:
    """Measure the peak bytes that a training step of a deep MLP adds to the memory before it."""
    from .networks import Library

    lib = Library(library)
    nn = lib.nn
    parts: list[Any] = []
    for _ in range(LAYERS):
        parts += [nn.Linear(WIDTH, WIDTH), nn.ReLU()]
    model = lib.ready(nn.Sequential(*parts))
    rng = np.random.default_rng(0)
    x = lib.tensor(rng.normal(size=(BATCH, WIDTH)).astype(np.float32))
    target = lib.tensor(rng.normal(size=(BATCH, WIDTH)).astype(np.float32))
    optimizer = lib.optim.SGD(model.parameters(), lr=1e-3)

    def step() -> float:
        loss = lib.functional.mse_loss(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return float(loss.item())

    losses = [step()]
    optimizer.zero_grad()  # the memory before the step has parameters, but no gradients
    gc.collect()
    before = reset_peak()
    losses.append(step())
    return {"peak": status("VmHWM") - before, "losses": losses, "float64": False}


def reset_peak() -> int:
    """Return the bytes in memory, and reset the peak that the system records."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return status("VmRSS")


def status(name: str) -> int:
    with open(f"/proc/{os.getpid()}/status") as file:
        line = next(line for line in file if line.startswith(name))
    return int(line.split()[1]) * 1024
