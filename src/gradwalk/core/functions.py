"""Types of the functions that users pass, above all of lambdas, whose parameters have no types.

A type checker takes the types of the parameters of a lambda from the declaration of the function
that it is passed to. From a type variable it learns nothing, and reports an unknown type. The
unions here name a type for each number of parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

from .carrier import Carrier

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Anything", "Function", "Lambda", "LikeFirst", "OfAny", "ResultAndLikeFirst"]
__all__ += ["Transformed", "UnaryOfTable", "Untyped"]

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
X = TypeVar("X")

OfAny: TypeAlias = (
    Callable[[Any], Any]
    | Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any], Any]
    | Callable[Concatenate[Any, Any, Any, Any, Any, Any, ...], Any]
)
"""A function of the user's own code, such as a rule: its parameters are Any."""


class Anything(Carrier):
    """The type of a parameter of a lambda: a number, an array, a module or a container.

    A function with annotations accepts no argument of this type, unless they are Any. So the
    overload that takes a `Lambda` leaves it to the next ones.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Anything: ...
        def __getitem__(self, key: Any) -> Anything: ...
        def __call__(self, *args: Any, **named: Any) -> Anything: ...  # noqa: D102
        def __iter__(self) -> Iterator[Anything]: ...
        def __len__(self) -> int: ...
        def __bool__(self) -> bool: ...
        def __int__(self) -> int: ...
        def __index__(self) -> int: ...
        def __round__(self, ndigits: int = 0) -> Anything: ...
        def __float__(self) -> float: ...
        def __array__(self) -> np.ndarray[Any, np.dtype[np.object_]]: ...
        def __neg__(self) -> Anything: ...
        def __pos__(self) -> Anything: ...
        def __abs__(self) -> Anything: ...
        def __add__(self, other: Any) -> Anything: ...
        def __radd__(self, other: Any) -> Anything: ...
        def __sub__(self, other: Any) -> Anything: ...
        def __rsub__(self, other: Any) -> Anything: ...
        def __mul__(self, other: Any) -> Anything: ...
        def __rmul__(self, other: Any) -> Anything: ...
        def __truediv__(self, other: Any) -> Anything: ...
        def __rtruediv__(self, other: Any) -> Anything: ...
        def __floordiv__(self, other: Any) -> Anything: ...
        def __rfloordiv__(self, other: Any) -> Anything: ...
        def __mod__(self, other: Any) -> Anything: ...
        def __rmod__(self, other: Any) -> Anything: ...
        def __pow__(self, other: Any) -> Anything: ...
        def __rpow__(self, other: Any) -> Anything: ...
        def __matmul__(self, other: Any) -> Anything: ...
        def __rmatmul__(self, other: Any) -> Anything: ...
        def __eq__(self, other: object) -> Any: ...
        def __ne__(self, other: object) -> Any: ...
        def __hash__(self) -> int: ...
        def __lt__(self, other: Any) -> Anything: ...
        def __le__(self, other: Any) -> Anything: ...
        def __gt__(self, other: Any) -> Anything: ...
        def __ge__(self, other: Any) -> Anything: ...


Lambda: TypeAlias = (
    Callable[[Anything], object]
    | Callable[[Anything, Anything], object]
    | Callable[[Anything, Anything, Anything], object]
    | Callable[[Anything, Anything, Anything, Anything], object]
    | Callable[[Anything, Anything, Anything, Anything, Anything], object]
)
"""A lambda, or a function whose parameters are annotated with Any."""

Function: TypeAlias = Lambda | OfAny
"""A function that is differentiated, where the types of the result do not depend on it."""


class UnaryOfTable(Protocol):
    """A function of the table of one number, such as `sin`: the result is like the argument."""

    @property
    def primitive(self) -> Any:
        """Its primitive, which tells it from a lambda."""

    def __call__(self, x: float) -> float:
        """Apply the primitive."""
        raise NotImplementedError


class LikeFirst(Protocol):
    """A transform of a `Lambda`: its result is like the first argument."""

    def __call__(self, x: X, /, *others: Any, **options: Any) -> X:
        """Return the derivative at ``x``."""


class ResultAndLikeFirst(Protocol):
    """A transform of a `Lambda` that gives the result as well."""

    def __call__(self, x: X, /, *others: Any, **options: Any) -> tuple[Any, X]:
        """Return the result at ``x``, and the derivative there."""


class Transformed(Protocol[P, R]):
    """A transform that keeps the parameters of a function.

    Where several overloads fit, mypy takes a Callable for a function without types.
    """

    def __call__(self, *args: P.args, **options: P.kwargs) -> R:
        """Return the result for these arguments."""
        raise NotImplementedError


Untyped: TypeAlias = Transformed[..., Any]
"""A transform of a `Lambda`, of whose result types say nothing."""
