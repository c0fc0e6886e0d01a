"""Modules of `gradwalk.nn` with arguments and inputs, and functions of `functional` with inputs.

`MODULES` has a case for every class; tests require that. It serves tests of gradients and of state
dicts, and the comparison with PyTorch, whose modules take the same arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradwalk.nn import functional as F  # noqa: N812

__all__ = ["FUNCTIONS", "MODULES", "Layer"]

Draw = Callable[[Any], Any]


class Layer(NamedTuple):
    """Arguments and options of a module, and what its inputs are drawn from."""

    args: tuple[Any, ...]
    options: dict[str, Any]
    inputs: list[Draw]


def real(*shape: int) -> Draw:
    return lambda rng: rng.normal(size=shape)


def positive(*shape: int) -> Draw:
    return lambda rng: rng.uniform(0.5, 1.5, shape)


def sides(*shape: int) -> Draw:
    return lambda rng: rng.choice([-1.0, 1.0], shape)


def whole(high: int, *shape: int) -> Draw:
    return lambda rng: rng.integers(0, high, shape)


def fixed(x: Any) -> Draw:
    return lambda rng: np.array(x)


def log_probs(*shape: int) -> Draw:
    def draw(rng: Any) -> Any:
        x = rng.normal(size=shape)
        return x - np.log(np.exp(x).sum(-1, keepdims=True))

    return draw


def _of(*inputs: Draw) -> Any:
    return lambda *args, **options: Layer(args, options, [*inputs])


ROWS, SIGNAL, IMAGE = real(3, 4), real(2, 4, 6), real(1, 4, 4, 5)
VOLUME, SEQUENCE, PAIR = real(2, 2, 2, 3, 2), real(5, 2, 4), (real(3, 4), real(3, 4))
small = {"dim_feedforward": 6, "dropout": 0.0}
of_rows, of_signal, of_image, of_volume = map(_of, (ROWS, SIGNAL, IMAGE, VOLUME))

MODULES: dict[str, list[Layer]] = {
    **{name: [of_rows()] for name in ("ReLU6", "Hardswish", "Hardsigmoid", "Mish", "Softsign")},
    "GLU": [of_rows(), of_signal(1)],
    "PReLU": [of_rows(), of_image(4, 0.1)],
    "Conv3d": [of_volume(2, 3, 2), of_volume(2, 4, (2, 1, 2), 2, 1, groups=2, bias=False)],
    "ConvTranspose1d": [of_signal(4, 3, 2), of_signal(4, 6, 3, 2, 1, 1, groups=2)],
    "ConvTranspose2d": [of_image(4, 3, 2), of_image(4, 2, (3, 2), (2, 3), 1, (1, 0), dilation=2)],
    "Upsample": [
        of_signal(scale_factor=2), of_signal(9, mode="linear"),
        of_image(scale_factor=1.5, mode="bilinear"), of_image((3, 7), mode="bicubic"),
        of_image((9, 4), mode="bilinear", align_corners=True), of_image(7),
        of_image((8, 3), mode="bicubic", align_corners=True),
        of_volume(4, mode="trilinear"), of_image(3, mode="nearest-exact")],
    "Unfold": [of_image(2), of_image((2, 3), 1, 1, 2), of_image(2, dilation=2)],
    "Fold": [_of(real(2, 12, 20))((5, 6), 2), _of(real(2, 8, 9))(4, 2, 1, 1, 2)],
    "PixelShuffle": [of_image(2)],
    "PixelUnshuffle": [_of(real(2, 3, 4, 6))(2)],
    "AdaptiveMaxPool1d": [of_signal(4), of_signal(1)],
    "AdaptiveMaxPool2d": [of_image((2, 3)), of_image(4), of_image((None, 2))],
    "GroupNorm": [of_image(2, 4), of_signal(4, 4, affine=False)],
    "InstanceNorm1d": [of_signal(4)],
    "InstanceNorm2d": [of_image(4, affine=True), of_image(4, track_running_stats=True)],
    "InstanceNorm3d": [of_volume(2, eps=0.1)],
    "BatchNorm3d": [of_volume(2)],
    "EmbeddingBag": [
        _of(whole(5, 3, 4))(5, 2), _of(whole(5, 3, 4))(5, 2, mode="max"),
        _of(whole(5, 7), fixed([0, 3, 3]))(5, 2, mode="sum"),
        _of(fixed([[0, 1, 2], [2, 2, 3]]))(5, 2, padding_idx=2)],
    "RNN": [_of(SEQUENCE)(4, 3), _of(SEQUENCE)(4, 3, 2, "relu", bidirectional=True),
            _of(SEQUENCE)(4, 3, batch_first=True, bias=False)],
    "TransformerDecoderLayer": [
        _of(SEQUENCE, real(3, 2, 4))(4, 2, **small),
        _of(SEQUENCE, real(3, 2, 4))(4, 2, **small, norm_first=True, activation="gelu")],
    "Transformer": [_of(SEQUENCE, real(3, 2, 4))(4, 2, 2, 1, **small)],
    "CosineSimilarity": [_of(*PAIR)(), _of(*PAIR)(0)],
    "PairwiseDistance": [_of(*PAIR)(), _of(*PAIR)(1.0, keepdim=True)],
    "CosineEmbeddingLoss": [_of(*PAIR, sides(3))(0.1)],
    "MarginRankingLoss": [_of(real(5), real(5), sides(5))(0.2)],
    "TripletMarginLoss": [_of(*PAIR, ROWS)(), _of(*PAIR, ROWS)(2.0, swap=True, reduction="none")],
    "HingeEmbeddingLoss": [_of(real(6), sides(6))()],
    "SoftMarginLoss": [_of(real(6), sides(6))(reduction="sum")],
    "MultiMarginLoss": [_of(ROWS, whole(4, 3))(), _of(ROWS, whole(4, 3))(2, 0.5)],
    "PoissonNLLLoss": [_of(real(6), fixed([0.0, 1.0, 2.0, 3.0, 0.0, 5.0]))(full=True),
                       _of(positive(6), whole(4, 6))(log_input=False)],
    "GaussianNLLLoss": [_of(*PAIR, positive(3, 4))(), _of(*PAIR, positive(3, 1))(full=True)],
    "CTCLoss": [
        _of(log_probs(7, 3, 4), fixed([[1, 2, 2], [3, 1, 0], [1, 1, 0]]), fixed([7, 5, 6]),
            fixed([3, 2, 2]))(),
        _of(log_probs(5, 2, 3), fixed([1, 2, 1]), fixed([5, 4]), fixed([2, 1]))(
            2 - 2, reduction="none"),
        _of(log_probs(3, 1, 4), fixed([[1, 1, 1]]), fixed([3]), fixed([3]))(zero_infinity=True)],
}  # fmt: skip
"""By the name of the class; the arguments are PyTorch's, too."""

CTC = (fixed([[1, 2], [3, 3]]), fixed([5, 4]), fixed([2, 2]))
FUNCTIONS: dict[str, list[tuple[Callable[..., Any], list[Draw]]]] = {
    **{name: [(getattr(F, name), [ROWS])]
       for name in ("relu6", "hardswish", "hardsigmoid", "mish", "softsign", "glu")},
    "prelu": [(F.prelu, [ROWS, real(1)]), (F.prelu, [IMAGE, real(4)])],
    "adaptive_max_pool1d": [(lambda x: F.adaptive_max_pool1d(x, 2), [SIGNAL])],
    "adaptive_max_pool2d": [(lambda x: F.adaptive_max_pool2d(x, 2), [IMAGE])],
    "interpolate": [(lambda x: F.interpolate(x, 7, mode="bicubic"), [IMAGE])],
    "unfold": [(lambda x: F.unfold(x, 2, padding=1), [IMAGE])],
    "fold": [(lambda x: F.fold(x, (5, 6), 2), [real(2, 12, 20)])],
    "pixel_shuffle": [(lambda x: F.pixel_shuffle(x, 2), [IMAGE])],
    "pixel_unshuffle": [(lambda x: F.pixel_unshuffle(x, 2), [real(2, 4, 6)])],
    "group_norm": [(lambda x, w, b: F.group_norm(x, 2, w, b), [IMAGE, real(4), real(4)])],
    "instance_norm": [(F.instance_norm, [IMAGE])],
    "embedding_bag": [(lambda w: F.embedding_bag([[0, 1], [2, 2]], w), [real(4, 3)])],
    "cosine_similarity": [(F.cosine_similarity, [*PAIR])],
    "pairwise_distance": [(F.pairwise_distance, [*PAIR])],
    "cosine_embedding_loss": [(F.cosine_embedding_loss, [*PAIR, sides(3)])],
    "margin_ranking_loss": [(F.margin_ranking_loss, [real(5), real(5), sides(5)])],
    "triplet_margin_loss": [(F.triplet_margin_loss, [*PAIR, ROWS])],
    "hinge_embedding_loss": [(F.hinge_embedding_loss, [real(6), sides(6)])],
    "soft_margin_loss": [(F.soft_margin_loss, [real(6), sides(6)])],
    "multi_margin_loss": [(F.multi_margin_loss, [ROWS, whole(4, 3)])],
    "poisson_nll_loss": [(F.poisson_nll_loss, [real(6), positive(6)])],
    "gaussian_nll_loss": [(F.gaussian_nll_loss, [*PAIR, positive(3, 4)])],
    "ctc_loss": [(lambda x: F.ctc_loss(x, *[d(None) for d in CTC]), [log_probs(5, 2, 4)])],
}  # fmt: skip
"""Functions of `functional`, for `vmap`."""
