"""What `benchmarks/places.py` measures in processes of their own: each row is a line of JSON."""

from __future__ import annotations

import gc
import importlib
import json
import math
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from types import SimpleNamespace
from typing import Any

from .sizes import SIZES, SMALL

TURN, ROUNDS = 0.25, 7
"""How many seconds a turn lasts at least, if a step is not longer, and how many turns each has."""
EXAMPLES = {"cuda": 10_000_000, "cpu": 1_000_000}
STEPS = 60
SAME = 5e-3
"""How far the losses and slopes of two programs in single precision may lie apart, relatively."""

Step = Callable[[], Any]
Row = tuple[str, Callable[[], dict[str, Any]]]


def say(name: str, measure: Callable[[], dict[str, Any]]) -> None:
    """Print the row as JSON; an error, or what was warned of, is a part of it."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        try:
            found = measure()
        except Exception as error:  # the row says it, and the others are measured
            found = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:400]}"}
    own = [str(w.message) for w in told if "gradwalk" in type(w.message).__module__]
    print(json.dumps({"row": name, "warned": own[:1], **found}), flush=True)


def turn(step: Step, count: int) -> float:
    """Return the seconds of one of ``count`` steps. A step waits for its result."""
    start = time.perf_counter()
    for _ in range(count):
        step()
    return (time.perf_counter() - start) / count


def first(step: Step) -> tuple[float, Any]:
    """Return the seconds of the first call, and its result."""
    start = time.perf_counter()
    result = step()
    return time.perf_counter() - start, result


def in_turn(ours: Step, theirs: Step) -> dict[str, Any]:
    """Return the ratios of the times of two steps, in turn: each begins every second round."""
    counts = [max(1, min(200, int(TURN / turn(step, 2)))) for step in (ours, theirs)]
    rounds, times = [], ([], [])
    for i in range(ROUNDS):
        both = {k: turn((ours, theirs)[k], counts[k]) for k in ((0, 1) if i % 2 else (1, 0))}
        rounds.append(both[0] / both[1])
        for k in both:
            times[k].append(both[k])
    return {"rounds": rounds, "ours_ms": 1e3 * median(times[0]), "peer_ms": 1e3 * median(times[1])}


def trained_alike(ours: Step, theirs: Step) -> dict[str, Any]:
    """Return the ratios of two training steps, which must have the same losses."""
    seconds, losses = [], []
    for step in (ours, theirs):
        took, loss = first(step)
        seconds.append(took)
        losses.append([float(loss.item()), *(float(step().item()) for _ in range(2))])
    if not all(map(partial(math.isclose, rel_tol=SAME), *losses)):
        raise ArithmeticError(f"the losses are {losses[0]}, and {losses[1]} of the peer")
    found = in_turn(ours, theirs)
    return found | {"ours_first_s": seconds[0], "peer_first_s": seconds[1], "losses": losses[0]}


# --- gradwalk's own steps ---------------------------------------------------------------------


def own_step(device: str, place: str, compiled: bool) -> Step:
    """Return a training step at a place, which waits for its result."""
    import gradwalk

    from . import own

    sizes = SIZES[device]
    model, optimizer = own.made(sizes, place)
    x, y = (gradwalk.Tensor(ids.astype("int32" if "jax" in place else "int64")).to_device(place)
            for ids in sizes.ids()[0])  # fmt: skip
    step = gradwalk.compile(own.train_step) if compiled else own.train_step
    wait = waiting(place)

    def run() -> Any:
        loss = step(model, optimizer, x, y)
        wait([loss.data, *(p.data for p in model.parameters())])
        return loss

    return run


def waiting(place: str) -> Callable[[list[Any]], Any]:
    """Return what waits for arrays at a place."""
    if "jax" in place:
        return importlib.import_module("jax").block_until_ready
    if "cuda" in place:
        cuda = importlib.import_module("torch").cuda
        return lambda arrays: cuda.synchronize()
    return lambda arrays: None


def jax_step(device: str) -> Step:
    """Return the training step that is written in JAX."""
    from . import in_jax, own

    sizes = SIZES[device]
    return in_jax.Training(sizes, own.initial(sizes), *sizes.ids()[0])


def torch_step(device: str, compiled: bool) -> Any:
    """Return the training step that is written in PyTorch."""
    from . import in_torch, own

    sizes = SIZES[device]
    return in_torch.Training(sizes, own.initial(sizes), *sizes.ids()[0], device, compiled)


# --- the rows ---------------------------------------------------------------------------------


def jax_rows(device: str) -> Iterator[Row]:
    """Yield the step that is compiled on JAX's arrays, over JAX's."""

    def measure() -> dict[str, Any]:
        import jax

        found = trained_alike(own_step(device, f"jax:{device}", True), jax_step(device))
        precision = jax.config.jax_default_matmul_precision or "the default of JAX"
        return found | {"precision": f"jax_default_matmul_precision: {precision}"}

    yield "jax", measure


def torch_rows(device: str) -> Iterator[Row]:
    """Yield the step that is compiled on PyTorch's arrays, over that of `torch.compile`."""

    def measure() -> dict[str, Any]:
        import torch

        ours, theirs = own_step(device, f"torch:{device}", True), torch_step(device, True)
        found = trained_alike(ours, theirs)
        return found | {"precision": f"float32_matmul_precision: {precision(torch)}"}

    yield "torch", measure


def precision(torch: Any) -> str:
    """Return how PyTorch multiplies matrices of single precision."""
    return str(torch.get_float32_matmul_precision())


def eager_rows(device: str) -> Iterator[Row]:
    """Yield time, kernels and memory of the step on PyTorch's arrays, over PyTorch's."""
    makers = (lambda: own_step(device, f"torch:{device}", False), lambda: torch_step(device, False))
    yield "eager", lambda: trained_alike(*(make() for make in makers))
    yield "kernels", lambda: counted(*(make() for make in makers), on_gpu=device == "cuda")
    if device == "cuda":
        yield "memory", lambda: peaks(*makers)


def counted(ours: Step, theirs: Step, on_gpu: bool) -> dict[str, Any]:
    """Return the kernels of a step over those of the peer; on a CPU the operations of ATen."""
    found = []
    for step in (ours, theirs):
        step()
        (kernels if on_gpu else operations)(step)  # the first profile starts the profiler
        found.append((kernels if on_gpu else operations)(step))
    a, b = map(len, found)
    most = [sorted({n: names.count(n) for n in names}.items(), key=lambda x: -x[1])[:8]
            for names in found]  # fmt: skip
    return {"rounds": [a / b], "ours": a, "peer": b, "ours_most": most[0], "peer_most": most[1]}


def kernels(step: Step) -> list[str]:
    """Return the names of the kernels of a step on a GPU."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        step()
        torch.cuda.synchronize()
    cuda = torch.autograd.DeviceType.CUDA
    events = [e for e in seen.events() if e.device_type == cuda]
    events = [e for e in events if not getattr(e, "is_user_annotation", False)]
    return [e.name[:60] for e in events if not e.name.startswith(("Memcpy", "Memset"))]


def operations(step: Step) -> list[str]:
    """Return the names of the operations of a step that are no views."""
    from torch.utils._python_dispatch import TorchDispatchMode

    names: list[str] = []

    class Seeing(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            if not _is_view(func):
                names.append(str(func))
            return func(*args, **(kwargs or {}))

    with Seeing():
        step()
    return names


def _is_view(func: Any) -> bool:
    infos = [one.alias_info for one in func._schema.returns]
    aliased = any(info is not None and not info.is_write for info in infos)
    return aliased or str(func).startswith(("aten._unsafe_view", "aten.detach", "aten.lift"))


def peaks(ours: Callable[[], Step], theirs: Callable[[], Step]) -> dict[str, Any]:
    """Return the peak memory of a step over that of the peer: each is alone on the device."""
    peak(theirs)  # allocates what the libraries of products keep
    a, b = peak(ours), peak(theirs)
    return {"rounds": [a / b], "ours_mb": a / 1e6, "peer_mb": b / 1e6}


def peak(make: Callable[[], Step]) -> int:
    """Return how many bytes more than before are in use at most, during the third step."""
    import torch

    gc.collect()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    step = make()
    step(), step()
    gc.collect()
    torch.cuda.reset_peak_memory_stats()
    step()
    return int(torch.cuda.max_memory_allocated() - before)


def scalar_rows(device: str) -> Iterator[Row]:
    """Yield programs of single numbers, mapped over millions, over JAX's."""
    from .scalars import PROGRAMS

    for name in PROGRAMS:
        yield f"scalars-{name}", partial(mapped, device, name)


def mapped(device: str, name: str) -> dict[str, Any]:
    """Return the times of `compile(vmap(grad(f)))` over those of JAX's."""
    import jax
    import jax.numpy as jnp

    import gradwalk

    from .scalars import PROGRAMS

    make, least, most = PROGRAMS[name]
    raw = jnp.linspace(least, most, EXAMPLES[device], dtype=jnp.float32)
    x = gradwalk.Tensor(raw)
    slopes = gradwalk.compile(gradwalk.vmap(gradwalk.grad(make(gradwalk))))
    names = {"erf": jax.scipy.special.erf, "softplus": jax.nn.softplus}
    names |= {k: getattr(jnp, k) for k in ("exp", "log", "sin", "cos", "tanh")}
    theirs = jax.jit(jax.vmap(jax.grad(make(SimpleNamespace(**names)))))
    steps = [lambda: jax.block_until_ready(slopes(x).data),
             lambda: jax.block_until_ready(theirs(raw))]  # fmt: skip
    (a, ours), (b, peers) = map(first, steps)
    apart = float(abs(ours - peers).max() / abs(peers).max())
    if not apart < SAME:
        raise ArithmeticError(f"the derivatives are {apart:.3g} apart")
    return in_turn(*steps) | {"ours_first_s": a, "peer_first_s": b, "apart": apart}


def first_rows(device: str) -> Iterator[Row]:
    """Yield the first call of the step on JAX's arrays, over JAX's: a process for each."""

    def measure() -> dict[str, Any]:
        ours, peer = (alone(device, work) for work in ("first-own", "first-jax"))
        return {"rounds": [ours / peer], "ours_s": ours, "peer_s": peer}

    yield "first", measure


def alone(device: str, work: str) -> float:
    """Return the seconds that a process of its own measures."""
    command = [sys.executable, sys.argv[0], device, "--work", work]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-400:])
    return float(done.stdout.split()[-1])


def first_call(device: str, work: str) -> None:
    """Print the seconds of the first call, on a device that is awake."""
    import jax

    awake = jax.numpy.ones((8, 8))
    jax.block_until_ready(awake @ awake)
    ours = work == "first-own"
    step = own_step(device, f"jax:{device}", True) if ours else jax_step(device)
    print(first(step)[0], flush=True)


def losses_rows(library: str, device: str) -> Iterator[Row]:
    """Yield how far losses in double precision lie from NumPy's, eager and compiled."""
    for name, compiled in ((f"losses-{library}-eager", False), (f"losses-{library}", True)):
        yield name, partial(losses_apart, f"{library}:{device}", compiled)


def losses_apart(place: str, compiled: bool) -> dict[str, Any]:
    """Return the largest relative difference of losses from those of NumPy."""
    if "jax" in place:
        importlib.import_module("jax").config.update("jax_enable_x64", True)
    expected, found = losses("numpy", False), losses(place, compiled)
    apart = max(abs(a - b) / abs(b) for a, b in zip(found, expected, strict=True))
    if not expected[-1] < expected[3]:  # of the same batch
        raise ArithmeticError(f"nothing is learned: {expected}")
    return {"rounds": [apart], "steps": STEPS, "last": [found[-1], expected[-1]]}


def losses(place: str, compiled: bool) -> list[float]:
    """Return the losses of a training in double precision, of four batches in turn."""
    import gradwalk

    from . import own

    model, optimizer = own.made(SMALL, place, "float64", lr=3e-3)
    batches = [[gradwalk.Tensor(ids).to_device(place) for ids in batch] for batch in SMALL.ids(4)]
    step = gradwalk.compile(own.train_step) if compiled else own.train_step
    return [float(step(model, optimizer, *batches[i % 4]).item()) for i in range(STEPS)]


WORKS: dict[str, Callable[[str], Iterator[Row]]] = {
    "jax": jax_rows,
    "torch": torch_rows,
    "eager": eager_rows,
    "scalars": scalar_rows,
    "first": first_rows,
    "losses-jax": partial(losses_rows, "jax"),
    "losses-torch": partial(losses_rows, "torch"),
}
"""The rows that one process measures, by name."""


def work(device: str, name: str, wanted: list[str]) -> None:
    """Measure the rows of one work that are wanted."""
    if name.startswith("first-"):
        first_call(device, name)
        return
    for row, measure in WORKS[name](device):
        if row in wanted:
            say(row, measure)
