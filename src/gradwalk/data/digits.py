"""The 1,797 handwritten digits that come with scikit-learn (the extra ``gradwalk[digits]``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.expect import as_float, describe
from ..core.files import PathLike, write_figure
from ..core.seeds import Seed, generator
from ..errors import MissingExtraError, OptionError
from .dataset import permutation

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["draw_answers", "load_digits"]

Pair = tuple[Any, Any]


def load_digits(test: float = 0.2, seed: Seed = 0) -> tuple[Pair, Pair]:
    """Return images and labels to train on, and a fraction ``test`` of them to test.

    Images are float32 arrays (n, 1, 8, 8) of shades from 0 (paper) to 1 (ink), labels are
    integers (n,) between 0 and 9. ``seed`` determines the images to test. Raise `OptionError`
    unless 0 < test < 1, and `MissingExtraError` without scikit-learn.
    """
    if not 0.0 < as_float(test, "load_digits(test)") < 1.0:
        raise OptionError(
            where="load_digits(test)",
            expected="0 < test < 1",
            got=describe(test),
            fix="Pass 0.2 to test with a fifth of the images.",
        )
    shades, labels = _bundled()
    images = (shades / 16.0).astype(np.float32).reshape(-1, 1, 8, 8)
    order = np.array(permutation(len(labels), generator(seed)))
    count = min(max(round(test * len(order)), 1), len(order) - 1)
    train, held_out = order[count:], order[:count]
    return (images[train], labels[train]), (images[held_out], labels[held_out])


def draw_answers(
    images: NDArray[Any], labels: NDArray[Any], answers: Sequence[int], path: PathLike
) -> None:
    """Draw up to forty images with the answers; wrong ones come first, in red, with the label.

    Raise `MissingExtraError` without matplotlib.
    """
    figure = _figure()
    order = sorted(range(len(answers)), key=lambda i: bool(answers[i] == labels[i]))[:40]
    grid = figure.subplots(5, 8).ravel()
    for axes in grid:
        axes.set_axis_off()
    for axes, i in zip(grid, order, strict=False):
        right = answers[i] == labels[i]
        text = f"{answers[i]}" if right else f"{answers[i]}, is {labels[i]}"
        axes.imshow(images[i, 0], cmap="gray_r")
        axes.set_title(text, color="black" if right else "#dc2626", fontsize=9)
    write_figure(figure, path, 120)


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
