"""The bars: what has to be reached, what is aimed at, and how it is measured."""

from __future__ import annotations

from dataclasses import dataclass

from .run import Job, Measured, Measurement, chain, faster, growth, import_time, ratio


@dataclass(frozen=True)
class Bar:
    """One line of the table. ``must`` is ``None`` where a number is shown for comparison only."""

    name: str
    title: str
    unit: str
    must: float | None
    aim: float | None
    measure: Measurement
    more_is_better: bool = False
    needs: tuple[str, ...] = ()

    def verdict(self, measured: Measured) -> str:
        """``aim``, ``must`` or ``missed``: the highest bar that the median clears."""
        for name, bar in (("aim", self.aim), ("must", self.must)):
            if bar is not None and self.clears(measured.median, bar):
                return name
        return "" if self.must is None else "missed"

    def clears(self, number: float, bar: float) -> bool:
        """Whether a number is on the right side of a bar."""
        return number >= bar if self.more_is_better else number <= bar


PACKAGES: tuple[str, ...] = ("micrograd", "gradwalk.nn")


def faster_bar(
    name: str, title: str, must: float | None, aim: float | None, slow: Job, fast: Job
) -> Bar:
    """A bar for how many times faster a job of gradwalk is than a job of somebody else."""
    needs = [name for name in PACKAGES if name in (slow.engine, fast.engine)]
    needs += ["gradwalk.optim"] * (fast.adam == "gradwalk")
    return Bar(name, title, "x faster", must, aim, faster(slow, fast), True, tuple(needs))


MICROGRAD = Job("moons", "micrograd", steps=6)
MICROGRAD_NO_GC = Job("moons", "micrograd", steps=10, gc="off")
MOONS = Job("moons", steps=50)
MOONS_NO_GC = Job("moons", steps=50, gc="off")
MOONS_NN = Job("moons", "gradwalk.nn", steps=50)
MOONS_NN_NO_GC = Job("moons", "gradwalk.nn", steps=50, gc="off")
MOONS_PURE = Job("moons", steps=10, pure=True)
MOONS_FLOAT = Job("moons", "float", steps=100)
GPT = Job("gpt", steps=20)
GPT_OPTIM = Job("gpt", steps=20, adam="gradwalk")
GPT_BASELINE = Job("gpt", "baseline", steps=20)
GPT_NO_GC = Job("gpt", steps=20, gc="off", adam="gradwalk")
GPT_BASELINE_NO_GC = Job("gpt", "baseline", steps=20, gc="off")

# fmt: off
BARS = (
    faster_bar("moons", "moons MLP, against micrograd", 100, 200, MICROGRAD, MOONS),
    faster_bar("moons-nn", "the same from gradwalk.nn", 100, 200, MICROGRAD, MOONS_NN),
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
)
# fmt: on
