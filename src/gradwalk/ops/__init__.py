"""THE TABLE: every operation, and the only place where a derivative is written.

``TABLE`` maps the name of a primitive to the primitive. The modules define the primitives, one per
entry; the functions that users call (``gradwalk.exp``) are made from them in `engine.functions`.
"""

from __future__ import annotations

from ..core.primitive import Primitive
from . import activation, arithmetic, exponential, gamma, gelu, softmax, special, trigonometric

__all__ = ["TABLE"]

_PARTS = (arithmetic, exponential, trigonometric, special, gamma, activation, gelu, softmax)

TABLE: dict[str, Primitive] = {
    primitive.name: primitive
    for part in _PARTS
    for primitive in vars(part).values()
    if isinstance(primitive, Primitive)
}
