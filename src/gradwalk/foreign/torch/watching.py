"""A script of PyTorch that runs as it is, up to the first pass that is not finite."""

from __future__ import annotations

import gc
import sys
from collections import deque
from itertools import pairwise
from math import isfinite, nan
from os import sep
from pathlib import Path
from types import FrameType, TracebackType

import numpy as np

from ...core.places import user_frames
from . import library as torch
from .adopting import TorchAdoption
from .recording import Pass, Recorder
from .slots import Numbers, Slot

__all__ = ["Watch"]


SHOWN = 6
"""How many of the last losses are kept."""
TIMES = 3.0
"""A loss that grows by this factor in each pass is called growing."""


class _Found(BaseException):
    """Ends the script: an ``except Exception`` in it does not stop this."""


class Watch:
    """A context that examines each backward pass of a program, and ends it at the first bad one.

    ``passes``  how many backward passes there were
    ``found``   the adoption of the step that is not finite; ``None`` if all are finite
    ``titles``  which numbers of it are not finite
    ``ended``   whether a backward pass has shown them, not an error of the script
    ``losses``  the last losses
    ``scaled``  how many passes a GradScaler has skipped
    """

    passes: int

    def __init__(self) -> None:
        self.recorder: Recorder = Recorder(self._ended)
        self.passes = 0
        self.found: TorchAdoption | None = None
        self.titles: list[str] = []
        self.ended: bool = False
        self.scaled: int = 0
        self.losses: deque[float] = deque(maxlen=SHOWN)
        self.before: set[int] = set()

    def __enter__(self) -> Watch:
        self.recorder.__enter__()
        return self

    def __exit__(self, kind: type | None, error: object, trace: TracebackType | None) -> bool:
        self.recorder.__exit__(kind, error, trace)
        if self.found is None and (self.passes == 0 or kind is not None):
            self._look_at_the_rest(trace)
        return kind is _Found

    def _ended(self, done: Pass) -> None:
        if self.found is not None:  # an `except:` of the program has caught the end
            raise _Found
        self.passes += 1
        self.losses += [_number(slot.numbers) for slot in done.roots[:1]]
        names = self.recorder.names
        titles = [
            f"the loss is {_first(slot.numbers)}" for slot in done.roots if _is_bad(slot.numbers)
        ] or [
            f"the gradient of {names.get(leaf.tensor) or 'a leaf'} has {_first(after)}"
            for leaf, before, after in done.gradients
            if after is not None and _is_bad(after) and not (before and _is_bad(before))
        ]
        if titles and titles[0].startswith("the gradient") and _is_scaled():
            self.scaled += 1  # a GradScaler skips steps whose gradients overflow
        elif titles:
            self.ended = True
            self._adopt(titles, sys._getframe(1))
            raise _Found
        self.before = {id(leaf.tensor) for leaf, _, _ in done.gradients}
        self.recorder.clear()

    def _adopt(self, titles: list[str], frame: FrameType | None) -> TorchAdoption:
        self.recorder.names.look(frame)
        self.titles = titles
        self.found = TorchAdoption(self.recorder)
        library = f"{Path(torch.nn.__file__).parents[1]}{sep}"
        outside = (f for f in user_frames(frame) if not f.f_code.co_filename.startswith(library))
        self.found.frame = next(outside, None)
        self.found.evaluate()
        return self.found

    def step(self) -> str:
        """Return which step has written a parameter that is not finite, ``""`` if none has."""
        found = self.found
        if found is None:
            return ""
        for slot, leaf in found.evaluated().leaves.values():
            data = slot.numbers.get()
            if data.dtype.kind == "f" and not np.isfinite(data).all():
                name = leaf.label or "a leaf"
                if id(slot.tensor) not in self.before:
                    return f"{name} was not finite before the first pass that uses it"
                last = self.passes - self.ended
                return f"{name} was written by the step after backward pass {last:,}"
        return ""

    def growth(self) -> str:
        """Return the last losses if each is many times the one before, ``""`` otherwise."""
        finite = [x for x in self.losses if isfinite(x)]
        pairs = [*pairwise(finite)]
        if len(pairs) < 2 or not all(abs(b) > TIMES * abs(a) for a, b in pairs):
            return ""
        return f"{' → '.join(f'{x:.3g}' for x in self.losses)}: the learning rate is too large"

    def _look_at_the_rest(self, trace: TracebackType | None) -> None:
        """Look for a number that is not finite in what ran after the last backward pass."""
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        frame = None if trace is None else trace.tb_frame
        bad: Slot | None = None
        self.recorder.restore()
        for entry in reversed(self.recorder.tape):
            results = [s for s in entry.results if s is not None and _is_bad(s.numbers)]
            if results:
                bad = results[0]
                break
        if bad is not None:
            found = self._adopt([f"a result is {_first(bad.numbers)}"], frame)
            y = found.evaluated().exact.get(id(bad))
            found.result = found.result if y is None else y
        elif self.recorder.begun:  # anomaly mode has ended the backward pass
            root = self.recorder.begun[-1]
            found = self._adopt(["a gradient is not finite"], frame)
            found.result = found.evaluated().root(root)


def _is_bad(numbers: Numbers) -> bool:
    """Return whether a tensor has an element that is not finite, without copying it."""
    t = numbers.source
    if t is None or not (t.dtype.is_floating_point or t.dtype.is_complex):
        return False
    t = t.detach()
    values = t.coalesce().values() if t.is_sparse else t
    return not bool(torch.isfinite(values).all())


def _first(numbers: Numbers | None) -> str:
    if numbers is None or numbers.source is None:
        return "not finite"
    t = numbers.source.detach()
    if t.numel() == 1:
        return f"{t.item():g}"
    count = int((~torch.isfinite(t)).sum())
    return f"{count:,} numbers that are not finite, of {t.numel():,}"


def _number(numbers: Numbers) -> float:
    t = numbers.source
    return nan if t is None or t.numel() != 1 or t.is_complex() else float(t.detach().item())


def _is_scaled() -> bool:
    """Return whether the program scales its loss, as for float16."""
    kind = torch.amp.GradScaler
    return any(isinstance(x, kind) and x.is_enabled() for x in gc.get_objects())
