"""How sure the parameters of a least-squares fit are."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["covariance"]


def covariance(jacobian: Any) -> tuple[Any, Any]:
    """(JᵀJ)⁻¹, and which parameters are not determined: their rows and columns are infinite.

    By the singular values of J with columns of length 1, so that no unit of measurement makes a
    parameter look undetermined.
    """
    lengths = np.linalg.norm(jacobian, axis=0)
    lengths = np.where(lengths > 0.0, lengths, 1.0)
    _, s, axes = np.linalg.svd(jacobian / lengths, full_matrices=False)
    known = s > np.finfo(float).eps * max(jacobian.shape) * s[:1]
    scaled = axes[known] / s[known, None]
    found = scaled.T @ scaled / np.outer(lengths, lengths)
    lost = np.linalg.norm(axes[~known], axis=0) > np.sqrt(np.finfo(float).eps)
    found[lost], found[:, lost] = np.inf, np.inf
    return found, lost
