"""The 1,797 handwritten digits that come with scikit-learn (the extra ``gradwalk[digits]``)."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from ..core.expect import as_float, describe
from ..core.seeds import Seed, generator
from ..errors import MissingExtraError, OptionError
from .dataset import permutation

__all__ = ["draw_answers", "load_digits"]

Pair = tuple[Any, Any]


def load_digits(test: float = 0.2, seed: Seed = 0) -> tuple[Pair, Pair]:
    """Images and labels to train on, and those of the share ``test`` that is kept apart.

    Images are float32 arrays (n, 1, 8, 8) of shades from 0 (paper) to 1 (ink), labels whole
    numbers (n,) from 0 to 9. ``seed`` decides which images are kept apart. Without scikit-learn it
    is a `MissingExtraError`, with a share that keeps nothing apart, or everything, an
    `OptionError`.
    """
    if not 0.0 < as_float(test, "load_digits(test)") < 1.0:
        raise OptionError(
            where="load_digits(test)",
            expected="0 < test < 1",
            got=describe(test),
            fix="0.2 keeps a fifth apart.",
        )
    shades, labels = _bundled()
    images = (shades / 16.0).astype(np.float32).reshape(-1, 1, 8, 8)
    order = np.array(permutation(len(labels), generator(seed)))
    kept = min(max(round(test * len(order)), 1), len(order) - 1)
    train, held_out = order[kept:], order[:kept]
    return (images[train], labels[train]), (images[held_out], labels[held_out])


def draw_answers(images: Any, labels: Any, said: Any, path: str | PathLike[str]) -> None:
    """Draw up to forty images with the answers; wrong ones come first, in red, with the truth.

    Without matplotlib it is a `MissingExtraError`.
    """
    figure = _figure()
    order = sorted(range(len(said)), key=lambda i: bool(said[i] == labels[i]))[:40]
    grid = figure.subplots(5, 8).ravel()
    for axes in grid:
        axes.set_axis_off()
    for axes, i in zip(grid, order, strict=False):
        right = said[i] == labels[i]
        text = f"{said[i]}" if right else f"{said[i]}, is {labels[i]}"
        axes.imshow(images[i, 0], cmap="gray_r")
        axes.set_title(text, color="black" if right else "#dc2626", fontsize=9)
    figure.savefig(path, dpi=120)


def _figure() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise _missing("draw_answers", "matplotlib, which draws", "plot", error) from error
    return Figure(figsize=(8.0, 5.0), layout="constrained")


def _bundled() -> Pair:
    try:
        from sklearn import datasets
    except ImportError as error:
        raise _missing(
            "load_digits", "scikit-learn, which has the images", "digits", error
        ) from error
    bundle: Pair = datasets.load_digits(return_X_y=True)
    return bundle


def _missing(where: str, expected: str, extra: str, error: ImportError) -> MissingExtraError:
    return MissingExtraError(
        where=where,
        expected=expected,
        got=f"an installation without it ({error})",
        fix=f'Install the extra: pip install "gradwalk[{extra}]".',
    )
