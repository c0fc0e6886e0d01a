"""Primitives as functions and methods of Tensors, compiled for the usual operands.

`Tensor._record` applies any primitive to any operands. The functions here are made once per
primitive, so that facts about it are looked up once: native/tensor/operator.h takes 0.4 µs above
NumPy's own time, with options of whole-array primitives and arrays of NumPy as operands too. It
calls the function in Python for everything unusual, and for what is intercepted.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from ... import native
from ...core.array_primitive import per_primitive, residual_flags
from ...core.expect import is_number
from ...core.primitive import MASK_IF, PASS_IF, Primitive
from ...engine.operators import manual
from ...errors import NotANumberError
from ...ops.array.evaluation import function_of

__all__ = ["compiled", "method", "quick"]

compiled: Any = native.load("_tensor")
"""The compiled operators and backward pass, or ``None``."""


def _compiled(
    operate: Callable[..., Any], primitive: Primitive, reflected: bool = False
) -> Callable[..., Any]:
    """Return ``operate``, compiled if possible.

    With ``reflected`` the second argument of a call is the first operand.
    """
    operate.__name__ = operate.__qualname__ = primitive.name
    variadic = getattr(primitive, "variadic", False)
    several = getattr(primitive, "outputs", 1) > 1
    if compiled is None or several or primitive is PASS_IF or primitive is MASK_IF:
        return operate  # these give several results or structural zeros, not a Tensor
    if not (variadic or 1 <= primitive.arity <= 3):
        return operate
    # for each set of operands with gradients, the first operand is bit 0; a variadic primitive has
    # one rule, which reads all operands or none
    sets = [(True,)] if variadic else [s[::-1] for s in product(*[(False, True)] * primitive.arity)]
    keeps = tuple([residual_flags(primitive, s) for s in sets])
    f, differentiable = function_of(primitive), primitive.differentiable
    return compiled.operator(operate, f, primitive, keeps, differentiable, reflected)  # type: ignore[no-any-return]


@per_primitive
def quick(primitive: Primitive, cls: Any) -> Callable[..., Any]:
    """Return a primitive as a function of Tensors, of what becomes one, and of its options."""
    record = cls._record

    def operate(*args: Any, **options: Any) -> Any:
        return record(primitive, args, options)

    return _compiled(operate, primitive)


def method(primitive: Primitive, cls: Any, reflected: bool = False) -> Callable[..., Any]:
    """Return a primitive of one or two arguments as a method, or an operator, of ``cls``.

    Python asks the other operand where an operator returns ``NotImplemented``.
    """
    record, equality = cls._record, primitive.name in ("equal", "not_equal")

    def unary(self: Any) -> Any:
        return record(primitive, (self,), {})

    def binary(self: Any, other: Any) -> Any:
        if not reflected and getattr(other, "__array_ufunc__", True) is None:  # as NumPy does
            return NotImplemented
        try:
            return record(primitive, (other, self) if reflected else (self, other), {})
        except NotANumberError:
            # Python has no other operand to ask, or would answer that numbers differ
            if isinstance(other, cls) or (equality and is_number(other)):
                raise
            return NotImplemented

    operate: Any = unary if primitive.arity == 1 else binary
    pointwise = primitive.kind == "pointwise"
    operate.__doc__ = manual(primitive) if pointwise else f"{primitive.summary}."
    return _compiled(operate, primitive, reflected)
