"""How well the gradient flows through each layer: a verdict in plain words, with its numbers.

Gradients that shrink or grow from layer to layer on the way back: Bengio, Simard and Frasconi,
Learning long-term dependencies with gradient descent is difficult (1994), and Glorot and Bengio,
Understanding the difficulty of training deep feedforward neural networks (2010). Units that a relu
has cut off: Lu, Shin, Su and Karniadakis, Dying ReLU and initialization (2020). None of them draws
a line; the thresholds below are ours: with a hundredth of the gradient a layer needs a hundred
times as many updates of plain SGD to come as far as the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from .run import Sample

__all__ = ["EXPLODING", "HUGE", "RECENT", "VANISHING", "Flow", "flows"]

RECENT = 20
"""The verdict looks at the medians of so many of the last updates: one batch says little."""

VANISHING = 1e-2
"""A norm below this share of the last layer's vanishes on its way back."""

EXPLODING = 1e2
"""A norm above this multiple of the last layer's explodes on its way back."""

HUGE = 1e3
"""A norm above it is called exploding wherever it stands."""


NO_UPDATE = "No update yet: no gradient has come by."
DONE = "The loss of the last examples is 0: nothing is left to learn, and no gradient comes."


@dataclass(frozen=True, slots=True)
class Flow:
    """``verdict``, one of healthy, vanishing, exploding, dead units and disconnected; ``words``."""

    verdict: str
    words: str


def flows(
    samples: Iterable[Sample], dead: Sequence[Sequence[int]], widths: Sequence[int]
) -> list[Flow]:
    """The flow through each layer, from what the last updates have seen.

    ``dead`` lists the dead neurons of each layer, and ``widths`` counts all of them.

    >>> flows([(0.5, (0.0001, 0.1))], [[], []], [4, 1])[0].words
    'Its gradient has the norm 0.0001, which is 0.001 times that of the last layer: below 0.01.'
    """
    seen = list(samples)[-RECENT:]
    telling = [norms for loss, norms in seen if loss]  # a loss of 0 has no gradient to lose
    if not telling:
        quiet = Flow("healthy", DONE if seen else NO_UPDATE)
        return [_dead(d, n) or quiet for d, n in zip(dead, widths, strict=True)]
    layers = list(zip(*telling, strict=True))
    last = median(layers[-1])
    return [
        _disconnected(norms) or _scale(median(norms), last) or _dead(d, n) or _well(norms, last)
        for norms, d, n in zip(layers, dead, widths, strict=True)
    ]


def _disconnected(norms: Sequence[float]) -> Flow | None:
    if any(norms):
        return None
    words = f"No gradient has reached its weights in the last {_count(len(norms), 'update')}."
    return Flow("disconnected", words)


def _scale(norm: float, last: float) -> Flow | None:
    """Whether a norm is far from that of the last layer; if that is 0, there is no telling."""
    if last and norm < VANISHING * last:
        return Flow("vanishing", f"{_words(norm, last)}: below {VANISHING:g}.")
    if last and norm > EXPLODING * last:
        return Flow("exploding", f"{_words(norm, last)}: above {EXPLODING:g}.")
    if norm > HUGE:
        return Flow("exploding", f"Its gradient has the norm {norm:.3g}: above {HUGE:g}.")
    return None


def _dead(dead: Sequence[int], width: int) -> Flow | None:
    if not dead:
        return None
    give = "gives" if len(dead) == 1 else "give"
    words = f"{len(dead)} of {_count(width, 'neuron')} {give} 0 for every point"
    return Flow("dead units", f"{words}: no gradient passes, so they stay as they are.")


def _well(norms: Sequence[float], last: float) -> Flow:
    return Flow("healthy", f"{_words(median(norms), last)}.")


def _words(norm: float, last: float) -> str:
    said = f"Its gradient has the norm {norm:.3g}"
    if not last:
        return said
    return f"{said}, which is {norm / last:.2g} times that of the last layer"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
