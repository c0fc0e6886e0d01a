"""The covariance of the parameters of a least-squares fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["covariance"]


def covariance(
    jacobian: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return (JᵀJ)⁻¹, and a mask of undetermined parameters, whose rows and columns are infinite.

    The columns of J are scaled to length 1 before the singular value decomposition, so that the
    choice of units makes no parameter look undetermined.
    """
    lengths = np.linalg.norm(jacobian, axis=0)
    lengths = np.where(lengths > 0.0, lengths, 1.0)
    _, s, axes = np.linalg.svd(jacobian / lengths, full_matrices=False)
    known = s > np.finfo(float).eps * max(jacobian.shape) * s[:1]
    scaled = axes[known] / s[known, None]
    matrix = scaled.T @ scaled / np.outer(lengths, lengths)
    undetermined = np.linalg.norm(axes[~known], axis=0) > np.sqrt(np.finfo(float).eps)
    matrix[undetermined], matrix[:, undetermined] = np.inf, np.inf
    return matrix, undetermined
