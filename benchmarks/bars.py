"""The bars: the required figure, the aim, and the measurement."""

from __future__ import annotations

from dataclasses import dataclass

from .run import (
    ArrayJob,
    ExportJob,
    Job,
    Measured,
    Measurement,
    PageJob,
    chain,
    faster,
    growth,
    import_time,
    known_types,
    number,
    ratio,
)


@dataclass(frozen=True)
class Bar:
    """One line of the table. ``must`` is ``None`` if the figure is only shown for comparison."""

    name: str
    title: str
    unit: str
    must: float | None
    aim: float | None
    measure: Measurement
    more_is_better: bool = False
    needs: tuple[str, ...] = ()

    def verdict(self, measured: Measured) -> str:
        """Return ``aim``, ``must`` or ``missed``: the highest bar that the median clears."""
        for name, bar in (("aim", self.aim), ("must", self.must)):
            if bar is not None and self.clears(measured.median, bar):
                return name
        return "" if self.must is None else "missed"

    def clears(self, number: float, bar: float) -> bool:
        """Return whether a number is on the right side of a bar."""
        return number >= bar if self.more_is_better else number <= bar


PACKAGES: tuple[str, ...] = ("micrograd", "gradwalk.nn")


def faster_bar(
    name: str, title: str, must: float | None, aim: float | None, slow: Job, fast: Job
) -> Bar:
    """Return a bar for how many times faster gradwalk's job is than the job of another library."""
    needs = [name for name in PACKAGES if name in (slow.engine, fast.engine)]
    needs += ["gradwalk.optim"] * (fast.adam == "gradwalk")
    return Bar(name, title, "x faster", must, aim, faster(slow, fast), True, tuple(needs))


def array_bar(
    name: str, title: str, must: float, aim: float, ours: ArrayJob, peer: ArrayJob
) -> Bar:
    """Return a bar for the time of gradwalk's job over the time of another library's job."""
    measure = ratio((ours, "total"), (peer, "total"))
    needs = {"mlp": ("torch", "sklearn"), "cnn": ("torch", "sklearn")}
    return Bar(name, title, "x its time", must, aim, measure,
               needs=needs.get(ours.work, (peer.library,)))  # fmt: skip


MICROGRAD = Job("moons", "micrograd", steps=6)
MICROGRAD_NO_GC = Job("moons", "micrograd", steps=10, gc="off")
MOONS = Job("moons", steps=50)
MOONS_REPLAY = Job("moons", "gradwalk.replay", steps=2000)
MICROGPT = Job("microgpt", "microgpt", steps=6)
MICROGPT_REPLAY = Job("microgpt", "gradwalk.replay", steps=500)
MOONS_NO_GC = Job("moons", steps=50, gc="off")
MOONS_NN = Job("moons", "gradwalk.nn", steps=50)
MOONS_NN_NO_GC = Job("moons", "gradwalk.nn", steps=50, gc="off")
MOONS_PURE = Job("moons", steps=10, pure=True)
MOONS_FLOAT = Job("moons", "float", steps=100)
TENSOR_MOONS = ArrayJob("moons", steps=1000)
TENSOR_MLP = ArrayJob("mlp", steps=300)
TENSOR_CNN = ArrayJob("cnn", steps=100)
TENSOR_GPT = ArrayJob("gpt", steps=50)
TRANSFORMS = ArrayJob("transforms", steps=100)
COMPILED = ArrayJob("compiled", steps=20)
FLOOR = ArrayJob("floor", steps=5_000)
EAGER = ArrayJob("eager", steps=20)
SPARSE = ArrayJob("sparse", steps=10)
GPT = Job("gpt", steps=20)
GPT_OPTIM = Job("gpt", steps=20, adam="gradwalk")
GPT_BASELINE = Job("gpt", "baseline", steps=20)
GPT_NO_GC = Job("gpt", steps=20, gc="off", adam="gradwalk")
GPT_BASELINE_NO_GC = Job("gpt", "baseline", steps=20, gc="off")

WHY = {
    "end": "a NaN at the end",
    "start": "a NaN at the start",
    "wide": "wide, infinite derivatives",
    "zero": "gradient 0, with its pass",
    "matrices": "of 4x4 matrices",
    "values": "of Values",
    "values-gradient": "of Values, the gradient",
}
"""The shapes of graphs of 100,000 operations in which `why` is asked."""

# fmt: off
BARS = (
    faster_bar("moons", "moons MLP, against micrograd", 100, 200, MICROGRAD, MOONS),
    faster_bar("moons-nn", "the same from gradwalk.nn", 100, 200, MICROGRAD, MOONS_NN),
    faster_bar("replay", "moons by replay, against micrograd", 4000, 10000, MICROGRAD,
               MOONS_REPLAY),
    faster_bar("microgpt", "microgpt by replay, its own Value", 500, 2000, MICROGPT,
               MICROGPT_REPLAY),
    faster_bar("no-gc", "moons MLP, no collector", 15, 25, MICROGRAD_NO_GC, MOONS_NO_GC),
    faster_bar("no-gc-nn", "the same from gradwalk.nn", 15, 25, MICROGRAD_NO_GC, MOONS_NN_NO_GC),
    faster_bar("pure", "moons MLP, Python engine", 4, 6, MICROGRAD, MOONS_PURE),
    faster_bar("gpt", "character GPT, against baseline", 25, 40, GPT_BASELINE, GPT_OPTIM),
    faster_bar("gpt-adam", "the same, Adam in Python", None, None, GPT_BASELINE, GPT),
    faster_bar("gpt-no-gc", "character GPT, no collector", None, None,
               GPT_BASELINE_NO_GC, GPT_NO_GC),
    Bar("forward", "forward, against plain floats", "x its time", 2.0, 1.5,
        ratio((MOONS, "forward"), (MOONS_FLOAT, "forward"))),
    Bar("backward", "backward, against forward", "x its time", 0.6, 0.3,
        ratio((MOONS, "backward"), (MOONS, "forward"))),
    Bar("chain", "a chain of 20 million nodes", "bytes a node", 120, None,
        chain(Job("chain", steps=10_000_000))),
    Bar("flat", "memory over 10,000 steps", "% growth", 1.0, None,
        growth(Job("flat", steps=10_000))),
    Bar("import", "import gradwalk", "ms", 60, None, import_time),
    Bar("types", "public symbols of known type", "%", 95, 99, known_types, True, ("pyright",)),
    array_bar("tensor-torch", "Tensor moons, against PyTorch", 0.6, 0.3,
              TENSOR_MOONS, ArrayJob("moons", "torch", 1000)),
    array_bar("tensor-autograd", "the same, against HIPS/autograd", 0.3, 0.15,
              TENSOR_MOONS, ArrayJob("moons", "autograd", 500)),
    array_bar("tensor-mygrad", "the same, against MyGrad", 0.6, 0.3,
              TENSOR_MOONS, ArrayJob("moons", "mygrad", 500)),
    array_bar("tensor-numpy", "the same, against NumPy by hand", 5.0, 2.5,
              TENSOR_MOONS, ArrayJob("moons", "numpy", 2000)),
    array_bar("digits-mlp", "digits MLP, against PyTorch", 1.0, 0.6,
              TENSOR_MLP, ArrayJob("mlp", "torch", 300)),
    array_bar("digits-cnn", "digits CNN, against PyTorch", 2.0, 1.0,
              TENSOR_CNN, ArrayJob("cnn", "torch", 100)),
    array_bar("tensor-gpt", "Tensor GPT, against PyTorch", 1.5, 0.9,
              TENSOR_GPT, ArrayJob("gpt", "torch", 50)),
    Bar("overhead", "one recorded operation", "us above NumPy", 1.5, 0.5,
        number(ArrayJob("overhead", steps=20_000), "total", 1e6)),
    Bar("floor-array", "recorded t * array, 14 numbers", "us above NumPy", 1.0, 0.7,
        number(FLOOR, "array", 1e6)),
    Bar("floor-number", "recorded t * numpy.float64", "us above NumPy", 1.0, 0.5,
        number(FLOOR, "number", 1e6)),
    Bar("floor", "slowest of slice, join, where, max", "us above NumPy", 3.0, 2.0,
        number(FLOOR, "total", 1e6)),
    array_bar("matmul", "1000x1000 product with gradients", 1.1, 1.02,
              ArrayJob("matmul", steps=10), ArrayJob("matmul", "numpy", 10)),
    Bar("memory", "peak of a 16-layer MLP, PyTorch", "x its peak", 1.1, None,
        ratio((ArrayJob("memory"), "peak"), (ArrayJob("memory", "torch"), "peak")),
        needs=("torch",)),
    Bar("recording", "an operation of PyTorch, recorded", "us above PyTorch", 40, 20,
        number(ArrayJob("recording", steps=20), "total", 1e6), needs=("torch",)),
    Bar("adopted", "transformer step of PyTorch, recorded", "x its time", 1.2, 1.05,
        ratio((ArrayJob("adopted", steps=10), "total"),
              (ArrayJob("adopted", "torch", steps=10), "total")), needs=("torch",)),
    Bar("adopted-memory", "peak of its passes, inside adopt()", "x its peak", 1.1, None,
        ratio((ArrayJob("adopted-memory"), "peak"), (ArrayJob("adopted-memory", "torch"), "peak")),
        needs=("torch",)),
    *[Bar(f"why-{shape}", f"why in 100,000: {title}", "s", 1.0, 0.3,
          number(ArrayJob("why", shape, steps=3), "total", 1.0)) for shape, title in WHY.items()],
    Bar("grad-small", "grad of two operations, a list", "x Value and gradients", 5.0, 3.0,
        number(ArrayJob("small", steps=30), "total", 1.0)),
    Bar("compiled-hessian", "compiled Hessian, 500 Euler steps", "x plain floats", 15.0, 5.0,
        number(COMPILED, "hessian", 1.0)),
    Bar("compiled-grad", "compiled value and gradient of them", "x compiled f", 4.0, 3.0,
        number(COMPILED, "gradient", 1.0)),
    Bar("compiled-call", "call of a compiled function", "us", 5.0, 2.0,
        number(COMPILED, "total", 1.0)),
    Bar("eager-hessian", "Hessian of them, not compiled", "x plain floats", 400.0, 100.0,
        number(EAGER, "total", 1.0)),
    Bar("eager-jvp", "jvp of them, not compiled", "x grad", 2.0, 1.2,
        number(EAGER, "jvp", 1.0)),
    Bar("eager-vjp", "vjp of them, not compiled", "x grad", 2.0, 1.2,
        number(EAGER, "vjp", 1.0)),
    Bar("grad-cost", "value and gradient, arrays of 100,000", "x the function", 4.0, None,
        number(TRANSFORMS, "gradient", 1.0)),
    Bar("hvp-cost", "Hessian times a vector, the same", "x the gradient", 3.0, None,
        number(TRANSFORMS, "hvp", 1.0)),
    Bar("sparse", "tri-diagonal Jacobian, 10,000 variables", "s", 1.0, 0.1,
        number(SPARSE, "total", 1.0), needs=("scipy",)),
    Bar("sparse-sweeps", "sweeps that it takes", "sweeps", 5, 3,
        number(SPARSE, "sweeps", 1.0), needs=("scipy",)),
    Bar("export", "exported sparse derivatives, CasADi", "x its time", 1.0, 0.33,
        ratio((ExportJob(), "total"), (ExportJob("casadi"), "total")), needs=("casadi",)),
    Bar("export-ready", "export and compile them, 400 variables", "s", 1.0, None,
        number(ExportJob(), "ready", 1.0)),
    Bar("export-large", "the same, 10,000 variables", "s", 10.0, None,
        number(ExportJob(variables=10_000, steps=50), "ready", 1.0)),
    Bar("page-paint", "first paint of 1,000 nodes", "s", 1.0, 0.5,
        number(PageJob("paint"), "total", 1.0), needs=("playwright",)),
    Bar("page-step", "a step in them, main thread", "ms", 16, 8,
        number(PageJob("step"), "total", 1.0), needs=("playwright",)),
    Bar("page-frames", "training room, XOR", "frames a second", 30, None,
        number(PageJob("frames"), "total", 1.0), True, needs=("playwright", "starlette")),
    Bar("page-offline", "offline file of 50 nodes", "kB", 400, 200,
        number(PageJob("offline"), "total", 1.0)),
)
# fmt: on
