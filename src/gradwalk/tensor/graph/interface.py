"""What `gradwalk.tensor` attaches its methods to; type checkers read `interface.pyi` in its place.

Methods call the functions of the array API, which need `Tensor`, so they can only be attached after
the class exists. Type checkers do not see that happen. `gradwalk.tensor.printed` prints for them
what is attached.
"""

from __future__ import annotations

from ...engine.operators import Operators

__all__ = ["TensorMethods"]


class TensorMethods(Operators):
    """The operators and methods of a `Tensor`."""

    __slots__ = ()
