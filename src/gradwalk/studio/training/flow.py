"""A verdict on the gradient flow through each layer, in plain words with numbers.

On gradients that shrink or grow from layer to layer in the backward pass: Bengio, Simard and
Frasconi, Learning long-term dependencies with gradient descent is difficult (1994), and Glorot and
Bengio, Understanding the difficulty of training deep feedforward neural networks (2010). On dead
units of relu: Lu, Shin, Su and Karniadakis, Dying ReLU and initialization (2020). These papers
define no thresholds, so the thresholds are ours. The verdict is the first condition that holds:

1. Not yet: no update has been made.
2. Exploding, regardless of other layers: the run has diverged, or the norm is too large (more than
   `HUGE` in the median of the last updates, or more than `ABSURD` in one of them), or it has grown
   (to `EXPLODING` times the earlier norm, and more than `LARGE`).
3. All gradients were 0: dead units if the layer has some, else disconnected. Both name the layer of
   dead units that blocks the gradient.
4. Vanishing or exploding: less than `VANISHING` or more than `EXPLODING` times the norm of the last
   layer. With a hundredth of the gradient, a layer needs a hundred times as many updates of plain
   SGD. The norm of a last layer that explodes counts as `HUGE` at most.
5. Dead units: some units of the layer are dead.
6. Otherwise healthy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from .run import Sample

__all__ = ["ABSURD", "EXPLODING", "HUGE", "LARGE", "RECENT", "VANISHING", "Flow", "flows"]

RECENT = 20
"""The number of last updates whose medians decide, because one batch is not representative."""

VANISHING = 1e-2
"""A norm below this fraction of the last layer's norm is vanishing."""

EXPLODING = 1e2
"""A norm above this multiple of the last layer's norm, or of its own earlier norm, is exploding."""

LARGE = 10.0
"""Growth up to this norm is normal: the training leaves a plateau."""

HUGE = 1e3
"""A norm above this is exploding in any layer."""

ABSURD = 1e6
"""A single update with a norm above this is exploding, because it destroys what was learned."""


NO_UPDATE = "No update yet, so no gradient has been computed."
DONE = "The loss of the last examples is 0: nothing is left to learn, and all gradients are 0."
DIVERGED = "The training has diverged"


@dataclass(frozen=True, slots=True)
class Flow:
    """A verdict (healthy, vanishing, exploding, dead units, disconnected or not yet) and why."""

    verdict: str
    words: str


@dataclass(frozen=True, slots=True)
class _Seen:
    """The norms of a layer in the last updates.

    ``before``  the median of much earlier norms, if known
    ``some``    whether updates with loss 0 were left out
    """

    norms: tuple[float, ...]
    before: float | None = None
    some: bool = False

    @property
    def median(self) -> float:
        return median(self.norms)


def flows(
    samples: Iterable[Sample],
    dead: Sequence[Sequence[int]],
    widths: Sequence[int],
    diverged: bool = False,
) -> list[Flow]:
    """Return the flow through each layer, from samples of the last updates.

    ``dead`` lists the dead neurons of each layer, and ``widths`` has the number of all neurons.
    ``diverged`` tells whether the run has stopped because its numbers grew beyond all bounds.

    >>> flows([(0.5, (0.0001, 0.1))], [[], []], [4, 1])[0].words
    'Its gradient has the norm 0.0001, which is 0.001 times the norm of the last layer: below 0.01.'
    """
    seen = list(samples)
    telling = _telling(seen[-RECENT:])
    if not telling and not diverged:
        quiet = Flow("healthy", DONE) if seen else Flow("not yet", NO_UPDATE)
        return [_dead(d, n) or quiet for d, n in zip(dead, widths, strict=True)]
    layers = _layers(seen, len(widths))
    if diverged:
        return _diverged(layers, dead, widths)
    return [_flow(i, layers, dead, widths) for i in range(len(widths))]


def _telling(seen: Sequence[Sample]) -> list[tuple[float, ...]]:
    """Return the norms of updates with a loss, because a loss of 0 has no gradient."""
    return [norms for loss, norms in seen if loss]


def _layers(seen: Sequence[Sample], count: int) -> list[_Seen]:
    recent = seen[-RECENT:]
    telling, some = _telling(recent), not all(loss for loss, _ in recent)
    first = _telling(seen[:RECENT]) if len(seen) >= 2 * RECENT else []
    before = [median(norms) for norms in zip(*first, strict=True)] or [None] * count
    norms = list(zip(*telling, strict=True)) or [()] * count
    return [_Seen(*both, some) for both in zip(norms, before, strict=True)]


def _flow(
    index: int, layers: Sequence[_Seen], dead: Sequence[Sequence[int]], widths: Sequence[int]
) -> Flow:
    seen, last = layers[index], layers[-1].median
    others = last if index < len(layers) - 1 else 0.0  # the last layer is not compared with itself
    return (
        _exploding(seen)
        or _silent(index, seen, dead, widths)
        or _scale(seen, others)
        or _dead(dead[index], widths[index])
        or Flow("healthy", f"{_words(seen, others)}.")
    )


# --- too much -------------------------------------------------------------------------------------


def _exploding(seen: _Seen) -> Flow | None:
    """Return the verdict if the norm is too large or has grown. ``not <=`` catches NaN as well."""
    middle, most = seen.median, max(seen.norms)
    if not middle <= HUGE:
        return Flow("exploding", f"{_words(seen, 0.0)}: above {HUGE:g}.")
    if not most <= ABSURD:
        words = f"The norm of its gradient has been {most:.3g} in one of {_span(seen)}"
        return Flow("exploding", f"{words}: above {ABSURD:g}.")
    if seen.before and middle > max(LARGE, EXPLODING * seen.before):
        words = f"{_words(seen, 0.0)}, {middle / seen.before:.2g} times what it was"
        return Flow("exploding", f"{words}: above {EXPLODING:g}.")
    return None


def _diverged(
    layers: Sequence[_Seen], dead: Sequence[Sequence[int]], widths: Sequence[int]
) -> list[Flow]:
    """Judge a diverged run: layers have exploded, unless little or no gradient reached them."""
    peaks = [_Seen((max(seen.norms, default=math.inf),)) for seen in layers]
    last = peaks[-1].median
    found = [
        _silent(i, seen, dead, widths) or _faint(peak, last)
        for i, (seen, peak) in enumerate(zip(layers[:-1], peaks[:-1], strict=True))
    ]
    return [
        flow or Flow("exploding", _outgrown(seen))
        for flow, seen in zip([*found, None], layers, strict=True)
    ]


def _faint(peak: _Seen, last: float) -> Flow | None:
    found = _scale(peak, last)
    return found if found and found.verdict == "vanishing" else None


def _outgrown(seen: _Seen) -> str:
    most = max(seen.norms, default=0.0)
    norm = f": the largest norm of its gradient in {_span(seen)} was {most:.3g}" if most else ""
    return f"{DIVERGED}{norm}."


# --- nothing at all -------------------------------------------------------------------------------


def _silent(
    index: int, seen: _Seen, dead: Sequence[Sequence[int]], widths: Sequence[int]
) -> Flow | None:
    """Return the verdict if all gradients were 0, with the dead layer that may be the reason."""
    if any(seen.norms) or not seen.norms:
        return None
    own, cut = _dead(dead[index], widths[index]), _cut_off(index, dead, widths)
    if own:
        return Flow(own.verdict, f"{own.words} {cut}".rstrip())
    span = f"No gradient has reached its weights in {_span(seen)}."
    return Flow("disconnected", cut or span)


def _cut_off(index: int, dead: Sequence[Sequence[int]], widths: Sequence[int]) -> str:
    """Describe the dead layer between this layer and the loss, or the one before this layer."""
    gone = [i for i, (d, n) in enumerate(zip(dead, widths, strict=True)) if len(d) == n]
    after = next((i for i in gone if i > index), None)
    if after is not None:
        return f"No gradient reaches it: {_all(after, widths[after])}."
    if index - 1 in gone:
        return f"Its inputs are 0, and so is its gradient: {_all(index - 1, widths[index - 1])}."
    return ""


def _all(layer: int, width: int) -> str:
    who = f"all {width} neurons" if width > 1 else "the one neuron"
    return f"{who} of layers.{layer} {'give' if width > 1 else 'gives'} 0 for every point"


def _dead(dead: Sequence[int], width: int) -> Flow | None:
    if not dead:
        return None
    give = "gives" if len(dead) == 1 else "give"
    words = f"{len(dead)} of {_count(width, 'neuron')} {give} 0 for every point"
    return Flow("dead units", f"{words}: no gradient reaches their weights, so they do not change.")


# --- beside the last layer ------------------------------------------------------------------------


def _scale(seen: _Seen, last: float) -> Flow | None:
    """Return the verdict if a norm is far from the last layer's norm, unless the latter is 0."""
    if last and seen.median < VANISHING * min(last, HUGE):
        return Flow("vanishing", f"{_words(seen, last)}: below {VANISHING:g}.")
    if last and seen.median > EXPLODING * last:
        return Flow("exploding", f"{_words(seen, last)}: above {EXPLODING:g}.")
    return None


def _words(seen: _Seen, last: float) -> str:
    count = len(seen.norms)
    said = f"Its gradient has the norm {seen.median:.3g}"
    said += f" (median of {_span(seen)})" if count > 1 else ""
    if not last:
        return said
    joined = "," if count > 1 else ", which is"
    return f"{said}{joined} {seen.median / last:.2g} times the norm of the last layer"


def _span(seen: _Seen) -> str:
    count = len(seen.norms)
    updates = f"the last {count} updates" if count > 1 else "the last update"
    return f"{updates} with a loss" if seen.some else updates


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
