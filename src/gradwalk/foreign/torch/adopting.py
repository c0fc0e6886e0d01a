"""`TorchAdoption`: a part of a PyTorch program that is recorded as it runs, and adopted."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from ...tensor.graph.backward import leaf_gradients
from ..adoption import Adoption
from ..dialects import densify
from ..values import is_live
from . import library as torch
from .calls import ROUNDING
from .doubting import doubted
from .evaluation import Evaluation
from .recording import Pass, Recorder
from .slots import Numbers, key_of

__all__ = ["TorchAdoption", "run"]

NOISE, CANCELLED = 64.0, 4096.0
"""Roundings by which gradients differ that are small beside others, or the rest of a difference."""
MOST = 5000
"""Operations of a recording that are examined one by one where a gradient differs."""


class TorchAdoption(Adoption):
    """A context that records operations and backward passes of PyTorch, and adopts them."""

    def __init__(self, recorder: Recorder | None = None) -> None:
        super().__init__("torch")
        self.recorder: Recorder = Recorder() if recorder is None else recorder
        self.evaluation: Evaluation | None = None
        self._roots: list[tuple[Pass, Any, Any]] = []

    def __enter__(self) -> TorchAdoption:
        self.recorder.frame = sys._getframe(1)
        self.recorder.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.recorder.__exit__(*error)
        self.recorder.names.look(self.recorder.frame)
        self.recorder.frame = None
        if error[0] is None:
            self.evaluate()
        else:
            with suppress(Exception):  # the error of the program comes first
                self.evaluate()

    def evaluated(self) -> Evaluation:
        """Return what was read of the recording, which is read now if it was not before."""
        if self.evaluation is None:
            self.evaluate()
        assert self.evaluation is not None
        return self.evaluation

    def evaluate(self) -> None:
        """Read what was recorded as a graph, and compare it with PyTorch."""
        with self.recorder.quiet():
            self._evaluate(set(), False)
            if self._differs() and len(self.recorder.tape) < MOST:
                hooked, wrong = self.evaluated().has_hooks(), doubted(self.evaluated())
                if hooked or wrong:
                    self._evaluate(wrong, hooked)
                else:  # each rule is PyTorch's, so that rounding is left, of numbers that cancel
                    self.agreement.gradients.clear()
                    self.agreement.differences.clear()
                    self._compare(CANCELLED)

    def _differs(self) -> bool:
        """Return whether a gradient differs by more than rounding."""
        return any(x > self._rounding() for x in self.agreement.gradients.values())

    def _rounding(self) -> float:
        kinds = {slot.dtype for e in self.recorder.tape for slot in e.results if slot is not None}
        return max([ROUNDING.get(str(kind), 0.0) for kind in kinds], default=0.0)

    # --- evaluation -------------------------------------------------------------------------------

    def _evaluate(self, wrong: set[int], hooked: bool) -> None:
        name = self.agreement.framework
        self.agreement = type(self.agreement)(name)
        self.evaluation = found = Evaluation(self.recorder, self.agreement)
        found.doubted, found.calls_hooks = wrong, hooked
        found.run()
        self.opaque, self.notes = found.told.opaque, found.told.notes
        self._roots = []
        for done in self.recorder.passes:
            for slot, seed in zip(done.roots, done.seeds, strict=True):
                y = found.root(slot)
                if y is not None:
                    given = None if seed is None else seed.get()
                    self._roots.append((done, y, given))
        self.result = self._roots[-1][1] if self._roots else self._last(found)
        for y in {id(y): y for y in [*self._tensors()]}.values():
            densify(y._node, "torch")
        self.leaves = {}
        for i, (slot, leaf) in enumerate(found.leaves.values()):
            if not leaf.label and (known := self.recorder.names.get(slot.tensor)):
                leaf.label = known
            name = leaf.label or f"leaf {i}"
            while name in self.leaves and self.leaves[name] is not leaf:
                name += "'"
            self.leaves[name] = leaf
        self.names = self.recorder.names.plain()
        self._kept = [*found.values.values(), *found.exact.values(), *found.told.kept]
        self._compare()

    def _tensors(self) -> list[Any]:
        values = [*self.evaluated().values.values(), *(y for _, y, _ in self._roots)]
        return [y for y in values if is_live(y)]

    def _last(self, found: Evaluation) -> Any:
        for entry in reversed(self.recorder.tape):
            for slot in entry.results:
                y = None if slot is None else found.exact.get(id(slot))
                if is_live(y):
                    return y
        return None

    def _compare(self, noise: float = NOISE) -> None:
        """Compare the gradients of leaves with those that PyTorch has stored, pass by pass."""
        found: list[tuple[Any, Any]] = []
        leaves: dict[int, list[Any]] = {}
        for slot, leaf in self.evaluated().leaves.values():
            leaves.setdefault(id(slot.tensor), []).append(leaf)
        for done in self.recorder.passes:
            totals = self._totals(done)
            theirs = {
                id(slot.tensor): added
                for slot, before, after in done.gradients
                if (added := _added(before, after)) is not None
            }
            finite = [np.abs(x[np.isfinite(x)]).max(initial=0.0) for x in theirs.values()]
            largest = max(map(float, finite), default=0.0)
            largest = max(largest, 1.0) if noise == CANCELLED else largest
            for i, expected in theirs.items():
                nodes = {id(leaf._node) for leaf in leaves.get(i, ())}
                ours = [t for node, t in totals.items() if node in nodes]
                if not nodes or not (ours or expected.any()):
                    continue
                total = sum(ours[1:], ours[0]) if ours else np.zeros_like(expected)
                last, eps = leaves[i][-1], self._precision()
                if _is_noise(total, expected, noise * eps * largest):
                    total = expected
                self.agreement.gradient(last.label or "a leaf", np.asarray(total), expected, eps)
                found.append((last._node, expected.astype(last.dtype)))
        if any(not np.isfinite(x).all() for _, x in found):
            self._remember()
        for node, x in found:
            node.grad = x

    def _remember(self) -> None:
        """Store with each leaf what made its gradient non-finite, as a backward pass does."""
        for _, y, seed in self._roots:
            given = np.ones(y.shape, y.dtype) if seed is None else seed.astype(y.dtype)
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                y.backward(given, retain_graph=True)

    def _totals(self, done: Pass) -> dict[int, Any]:
        """Return the gradients of leaves in one backward pass, by the ``id`` of their nodes."""
        totals: dict[int, Any] = {}
        for at, y, seed in self._roots:
            if at is not done:
                continue
            given = np.ones(y.shape, y.dtype) if seed is None else seed.astype(y.dtype)
            with np.errstate(all="ignore"):
                pairs = leaf_gradients(y._node, given, False)
            for node, t in pairs:
                if t is not None:
                    name = id(node)
                    totals[name] = totals[name] + t if name in totals else t
        return totals

    def _precision(self) -> float:
        kinds = {slot.dtype for e in self.recorder.tape for slot in e.results if slot is not None}
        found = [torch.finfo(kind).eps for kind in kinds if kind.is_floating_point]
        return max(found, default=2.0**-52)

    # --- foreign values ---------------------------------------------------------------------------

    def twin(self, x: Any) -> Any:
        """Return the Tensor that stands for a tensor of PyTorch; ``None`` if it is not known."""
        if not isinstance(x, torch.Tensor):
            return x if hasattr(x, "_node") else None
        if self.evaluation is None or self.evaluation.done < len(self.recorder.tape):
            self.recorder.names.look(sys._getframe(1))
            self.evaluate()
        for slot, leaf in reversed([*self.evaluated().leaves.values()]):
            if slot.tensor is x:
                return leaf
        slot = self.recorder.slots.get(id(x))
        same = slot is not None and slot.tensor is x
        found = self.evaluated().exact.get(id(slot)) if same else None
        if found is None:
            found = self.evaluated().values.get(key_of(x))
        return found if is_live(found) else None


def _added(before: Numbers | None, after: Numbers | None) -> Any:
    """Return what a backward pass has added to a gradient; ``None`` if there is none."""
    if after is None:
        return None
    found = after.get()
    start = None if before is None else before.get()
    return found if start is None or start.shape != found.shape else found - start


def _is_noise(ours: Any, theirs: Any, size: float) -> bool:
    """Return whether two gradients differ by the rounding of larger numbers that cancel."""
    if np.shape(ours) != theirs.shape or not np.isfinite(theirs).all():
        return False
    return bool(np.isfinite(ours).all() and np.abs(ours - theirs).max(initial=0.0) <= size)


def run(f: Callable[..., Any], *args: Any) -> TorchAdoption:
    """Return the adoption of ``f(*args)``."""
    with TorchAdoption() as found:
        result = f(*args)
    y = found.twin(result)
    if y is not None:
        found.result = y
    return found
