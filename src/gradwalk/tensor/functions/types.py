"""Names for the types of arguments, and the types of functions that take Tensors or NumPy arrays.

A function of the array API gives a NumPy array if all its array arguments are NumPy arrays, and a
Tensor otherwise. An annotation of one function cannot say that, so the decorators of this module
do. They return the function unchanged: only type checkers see a difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, cast, overload

from ...core.carrier import Carrier
from ...core.functions import Anything
from ...engine.value import Value
from ..graph.tensor import Tensor
from ..graph.types import Array, Axes, Nested, Number

__all__ = ["ArrayLike", "BinaryFunction", "ElementwiseFunction", "Operand", "UnaryFunction"]
__all__ += ["UnaryElementwise", "binary_function", "unary_function"]

ArrayLike: TypeAlias = Carrier | Array | Number | Nested
"""What functions take as an array."""

Converted: TypeAlias = Carrier | Number | Nested
"""What gives a Tensor: `ArrayLike` without arrays of NumPy."""

Graph: TypeAlias = Carrier | Nested
"""`Converted` without numbers, which adapt to the other operand."""

Operand: TypeAlias = Tensor | Array
"""What primitives are applied to."""

P = ParamSpec("P")


class UnaryFunction(Protocol[P]):
    """A function of one array, and of options."""

    @overload
    def __call__(self, x: Array, /, *args: P.args, **options: P.kwargs) -> Array: ...
    @overload
    def __call__(self, x: Converted, /, *args: P.args, **options: P.kwargs) -> Tensor: ...
    # with PyTorch's name of an axis
    @overload
    def __call__(self, x: Array, /, *args: Any, dim: Axes, **options: Any) -> Array: ...
    @overload
    def __call__(self, x: Converted, /, *args: Any, dim: Axes, **options: Any) -> Tensor: ...


class BinaryFunction(Protocol[P]):
    """A function of two arrays, and of options."""

    # arrays alone give an array, a number beside them is weak
    @overload
    def __call__(
        self, a: Array, b: Array | Number, /, *args: P.args, **options: P.kwargs
    ) -> Array: ...
    @overload
    def __call__(self, a: Number, b: Array, /, *args: P.args, **options: P.kwargs) -> Array: ...
    # a Tensor, a Value or a list on either side makes it a Tensor
    @overload
    def __call__(self, a: Graph, b: ArrayLike, /, *args: P.args, **options: P.kwargs) -> Tensor: ...
    @overload
    def __call__(
        self, a: Array | Number, b: Graph, /, *args: P.args, **options: P.kwargs
    ) -> Tensor: ...
    # numbers alone say nothing of arrays: the functions of the array API give Tensors
    @overload
    def __call__(self, a: Number, b: Number, /, *args: P.args, **options: P.kwargs) -> Tensor: ...


class ElementwiseFunction(Protocol):
    """A primitive of two numbers on arrays: of two numbers it gives a number."""

    @overload
    def __call__(self, a: Array, b: Array | Number, /) -> Array: ...
    @overload
    def __call__(self, a: Number, b: Array, /) -> Array: ...
    @overload
    def __call__(self, a: Tensor | Anything | Nested, b: ArrayLike, /) -> Tensor: ...
    @overload
    def __call__(self, a: Array | Number | Value, b: Tensor | Anything | Nested, /) -> Tensor: ...
    # a Value among arrays is one more operand of a Tensor's graph
    @overload
    def __call__(self, a: Value, b: Array, /) -> Tensor: ...
    @overload
    def __call__(self, a: Array, b: Value, /) -> Tensor: ...
    # Values and numbers alone stay in the scalar engine
    @overload
    def __call__(self, a: Value, b: Value | Number, /) -> Value: ...
    @overload
    def __call__(self, a: Number, b: Value, /) -> Value: ...
    @overload
    def __call__(self, a: Number, b: Number, /) -> float: ...


class UnaryElementwise(Protocol):
    """A primitive of one number on arrays: of a number it gives a number."""

    @overload
    def __call__(self, x: Array, /) -> Array: ...
    @overload
    def __call__(self, x: Tensor | Anything | Nested, /) -> Tensor: ...
    @overload
    def __call__(self, x: Value, /) -> Value: ...
    @overload
    def __call__(self, x: Number, /) -> float: ...


def unary_function(function: Callable[Concatenate[ArrayLike, P], Tensor]) -> UnaryFunction[P]:
    """Declare that ``function`` of one array gives an array for an array, else a Tensor."""
    return cast(Any, function)


def binary_function(
    function: Callable[Concatenate[ArrayLike, ArrayLike, P], Tensor],
) -> BinaryFunction[P]:
    """Declare that ``function`` of two arrays gives an array for arrays, else a Tensor."""
    return cast(Any, function)
