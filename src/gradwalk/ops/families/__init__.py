"""THE TABLE, families: special functions whose values need a loop, and all their derivatives.

Each function is a member of a family that has its derivatives too, so the rules never cancel. They
are evaluated by Python and NumPy, not printed as C. ``FAMILIES`` maps names to primitives.
"""

from __future__ import annotations

from ...core.primitive import Primitive
from . import bessel, densities, error, incomplete, student

__all__ = ["FAMILIES"]

FAMILIES: dict[str, Primitive] = {
    primitive.name: primitive
    for part in (error, bessel, densities, incomplete, student)
    for name, primitive in vars(part).items()
    if isinstance(primitive, Primitive) and name in part.__all__
}
