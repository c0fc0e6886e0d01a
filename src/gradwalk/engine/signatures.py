"""The types of which `functions.pyi` is made: what the public functions take, and what they give.

Each function accepts numbers, NumPy arrays and carriers (`Value`, `Tensor`), and returns a result
of the kind that was passed. One type variable describes all carriers, because this package must not
import Tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..core.carrier import Carrier

if TYPE_CHECKING:  # importing gradwalk does not load NumPy
    import numpy as np
    from numpy.typing import NDArray

    Number = float | np.floating | np.integer | np.bool_
    Array = NDArray[np.floating] | NDArray[np.integer] | NDArray[np.bool_]
    Constant = Number | Array
    Floats = NDArray[np.floating]

__all__ = ["C", "F"]

C = TypeVar("C", bound=Carrier)
F = TypeVar("F", bound="NDArray[np.floating]")
