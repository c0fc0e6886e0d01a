"""Printed by `python -m gradwalk.tensor.printed`; do not edit."""

# mypy: disable-error-code="override"
# a comparison gives a Tensor, and not a bool

import builtins
from collections.abc import Callable, Iterator, Sequence
from types import EllipsisType, ModuleType
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from ...core.carrier import Carrier
from ...engine.operators import Operators
from ...engine.value import Value
from .types import Array, Axes, Axis, DTypeLike, Nested, Number, Seed, Shape, TopK

__all__ = ["ArrayLike", "Key", "TensorMethods"]

ArrayLike: TypeAlias = Carrier | Array | Number | Nested
Index: TypeAlias = TensorMethods | Array | Number | slice | EllipsisType | Sequence[Any] | None
Key: TypeAlias = Index | tuple[Index, ...]

class TensorMethods(Operators):
    def __neg__(self) -> Self: ...
    def __abs__(self) -> Self: ...
    def __floor__(self) -> Self: ...
    def __ceil__(self) -> Self: ...
    def __add__(self, other: ArrayLike) -> Self: ...
    def __radd__(self, other: ArrayLike) -> Self: ...
    def __sub__(self, other: ArrayLike) -> Self: ...
    def __rsub__(self, other: ArrayLike) -> Self: ...
    def __mul__(self, other: ArrayLike) -> Self: ...
    def __rmul__(self, other: ArrayLike) -> Self: ...
    def __truediv__(self, other: ArrayLike) -> Self: ...
    def __rtruediv__(self, other: ArrayLike) -> Self: ...
    def __floordiv__(self, other: ArrayLike, /) -> Self: ...
    def __rfloordiv__(self, other: ArrayLike, /) -> Self: ...
    def __mod__(self, other: ArrayLike, /) -> Self: ...
    def __rmod__(self, other: ArrayLike, /) -> Self: ...
    def __pow__(self, exponent: ArrayLike) -> Self: ...
    def __rpow__(self, base: ArrayLike) -> Self: ...
    def neg(self) -> Self:
        """Negative of x.

            y = -x
        """
    def abs(self) -> Self:
        """Absolute value of x.

            y = |x|

        Where the derivative jumps: slope 0 at 0.
        """
    def pow(self, b: ArrayLike) -> Self:
        """Raise a to the power b.

            y = aᵇ
        """
    def square(self) -> Self:
        """Square of x.

            y = x²
        """
    def reciprocal(self) -> Self:
        """One divided by x.

            y = 1/x
        """
    def sqrt(self) -> Self:
        """Square root of x.

            y = √x
        """
    def cbrt(self) -> Self:
        """Cube root of x.

            y = ∛x
        """
    def hypot(self, b: ArrayLike) -> Self:
        """Length of the vector (a, b).

            y = √(a² + b²)

        Where the derivative jumps: slope 0 at the origin.
        """
    def exp(self) -> Self:
        """e to the power x.

            y = eˣ
        """
    def expm1(self) -> Self:
        """e to the power x minus 1, exact near 0.

            y = eˣ - 1
        """
    def exp2(self) -> Self:
        """2 to the power x.

            y = 2ˣ
        """
    def log(self) -> Self:
        """Natural logarithm of x.

            y = ln x
        """
    def log1p(self) -> Self:
        """Natural logarithm of 1 + x, exact near 0.

            y = ln(1 + x)
        """
    def log2(self) -> Self:
        """Logarithm of x to base 2.

            y = log₂ x
        """
    def log10(self) -> Self:
        """Logarithm of x to base 10.

            y = log₁₀ x
        """
    def logaddexp(self, b: ArrayLike) -> Self:
        """Logarithm of e^a + e^b.

            y = ln(eᵃ + eᵇ)
        """
    def sin(self) -> Self:
        """Sine of x (radians).

            y = sin x
        """
    def cos(self) -> Self:
        """Cosine of x (radians).

            y = cos x
        """
    def tan(self) -> Self:
        """Tangent of x (radians).

            y = tan x
        """
    def asin(self) -> Self:
        """Inverse sine of x, in radians.

            y = arcsin x
        """
    def acos(self) -> Self:
        """Inverse cosine of x, in radians.

            y = arccos x
        """
    def atan(self) -> Self:
        """Inverse tangent of x, in radians.

            y = arctan x
        """
    def atan2(self, x: ArrayLike) -> Self:
        """Angle of the point (x, y), in radians, from -pi to pi.

            y = atan2(y, x)

        Where the derivative jumps: slope 0 at the origin.
        """
    def sinc(self) -> Self:
        """Sine of pi x over pi x, 1 at 0.

            y = (sin π x)/(π x)
        """
    def sinh(self) -> Self:
        """Hyperbolic sine of x.

            y = sinh x
        """
    def cosh(self) -> Self:
        """Hyperbolic cosine of x.

            y = cosh x
        """
    def tanh(self) -> Self:
        """Hyperbolic tangent of x.

            y = tanh x
        """
    def asinh(self) -> Self:
        """Inverse hyperbolic sine of x.

            y = arsinh x
        """
    def acosh(self) -> Self:
        """Inverse hyperbolic cosine of x.

            y = arcosh x
        """
    def atanh(self) -> Self:
        """Inverse hyperbolic tangent of x.

            y = artanh x
        """
    def sigmoid(self) -> Self:
        """Logistic function of x.

            y = σ(x) = 1/(1 + e⁻ˣ)
        """
    def log_sigmoid(self) -> Self:
        """Logarithm of the logistic function of x.

            y = ln σ(x)
        """
    def softplus(self) -> Self:
        """A smooth maximum of x and 0.

            y = ln(1 + eˣ)
        """
    def silu(self) -> Self:
        """x times its logistic function (swish).

            y = x σ(x)
        """
    def relu(self) -> Self:
        """x if it is positive, else 0.

            y = max(x, 0)

        Where the derivative jumps: slope 0 at 0.
        """
    def leaky_relu(self, negative_slope: builtins.float = 0.01) -> Self:
        """x if it is positive, else a small multiple of x.

            y = max(x, 0) + s min(x, 0)

        Where the derivative jumps: the negative slope at 0.
        """
    def elu(self, alpha: builtins.float = 1.0) -> Self:
        """x if it is positive, else alpha (e^x - 1).

            y = x if x > 0; α (eˣ - 1) if x ≤ 0

        Where the derivative jumps: the slope from the left, alpha, at 0.
        """
    def selu(self) -> Self:
        """The self-normalising elu.

            y = λ elu(x, α)

        Where the derivative jumps: the slope from the left at 0.
        """
    def hardtanh(self, min_val: builtins.float = -1.0, max_val: builtins.float = 1.0) -> Self:
        """x, held between two bounds.

            y = min(max(x, l), h)

        Where the derivative jumps: slope 0 on both bounds.
        """
    def erf(self) -> Self:
        """Error function of x.

            y = erf x
        """
    def erfc(self) -> Self:
        """1 - erf(x), exact for large x.

            y = erfc x
        """
    def lgamma(self) -> Self:
        """Logarithm of the absolute value of the gamma function.

            y = ln |Γ(x)|
        """
    def digamma(self) -> Self:
        """Slope of lgamma; NaN at its poles below 0.

            y = ψ(x)
        """
    def maximum(self, b: ArrayLike) -> Self:
        """The larger of a and b; NaN if either is NaN.

            y = max(a, b)

        Where the derivative jumps: a tie gives half to each.
        """
    def minimum(self, b: ArrayLike) -> Self:
        """The smaller of a and b; NaN if either is NaN.

            y = min(a, b)

        Where the derivative jumps: a tie gives half to each.
        """
    def clip(self, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Self:
        """Limit x to the range from ``min`` to ``max``; ``None`` is no limit.

            y = min(max(x, lo), hi);  slope 1 on both bounds
        """
    def sign(self) -> Self:
        """-1, 0 or 1.

            y = sign x

        Declared to have no derivative: no gradient passes through it.
        """
    def floor(self) -> Self:
        """Largest integer not above x.

            y = ⌊x⌋

        Declared to have no derivative: no gradient passes through it.
        """
    def ceil(self) -> Self:
        """Smallest integer not below x.

            y = ⌈x⌉

        Declared to have no derivative: no gradient passes through it.
        """
    def round(self, decimals: builtins.int = 0) -> Self:
        """Round to so many decimals, ties to the even number; without a derivative."""
    def gelu(self, approximate: str = 'none') -> Self:
        """Return x Φ(x), or its tanh approximation. See `gradwalk.gelu`.

        Parameters
        ----------
        approximate
            "none" for the exact form, "tanh" for the approximation.

        Returns
        -------
        the shape of x
            The products.

        Raises
        ------
        OptionError
            If ``approximate`` is another word.
        """
    def __pos__(self) -> Self: ...
    def __divmod__(self, other: ArrayLike) -> tuple[Self, Self]: ...
    def __rdivmod__(self, other: ArrayLike) -> tuple[Self, Self]: ...
    def __lt__(self, other: ArrayLike) -> Self: ...
    def __le__(self, other: ArrayLike) -> Self: ...
    def __gt__(self, other: ArrayLike) -> Self: ...
    def __ge__(self, other: ArrayLike) -> Self: ...
    def __eq__(self, other: ArrayLike) -> Self: ...
    def __ne__(self, other: ArrayLike) -> Self: ...
    def __matmul__(self, other: ArrayLike) -> Self: ...
    def __rmatmul__(self, other: ArrayLike) -> Self: ...
    def trunc(self) -> Self:
        """Nearest whole number towards 0.

            y = trunc x

        Declared to have no derivative: no gradient passes through it.
        """
    def astype(self, dtype: DTypeLike, *, copy: builtins.bool = True, device: str | None = None) -> Self:
        """Return x in another dtype; gradients flow from one floating dtype to another."""
    def to_device(self, device: str | None, /, *, stream: None = None) -> Self:
        """Return ``x`` on another device, or in another library; gradients flow back.

        A device alone, such as "cuda", is one of the library that ``x`` is in; NumPy has "cpu" only,
        and "cuda" means PyTorch's. "torch:cuda", "jax" and "numpy" name the library too.
        """
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Self:
        """Return a copy with the axes from ``start_dim`` to ``end_dim`` in one, row by row."""
    def ravel(self) -> Self:
        """Return all elements in one axis, row by row; a view where NumPy makes one."""
    def reshape(self, *shape: Shape) -> Self:
        """Return the elements in the same order in another ``shape``; one length may be -1: the rest.

            y[i'] = x[i], i and i' being the same place counted row by row

        The shape is a tuple or its members; NumPy's rule for -1. A shape of another size is a
        `SizeError`.
        """
    def squeeze(self, axis: Axes = None, *, dim: Axes = None) -> Self:
        """Remove the axes of length 1 that ``axis`` names, by default all of them."""
    def swapaxes(self, axis1: builtins.int, axis2: builtins.int) -> Self:
        """Exchange two axes."""
    def transpose(self, *axes: Shape) -> Self:
        """Return the axes in the given order, as a tuple or one by one; by default reversed.

            yⱼᵢ = xᵢⱼ

        Two numbers exchange these axes, as in PyTorch, if there are more than two.
        """
    def repeat(self, repeats: builtins.int | ArrayLike, axis: Axis = None, *, dim: Axis = None) -> Self:
        """Repeat each element (or part along ``axis``) so many times; flat without ``axis``."""
    def diagonal(self, offset: builtins.int = 0, axis1: builtins.int = 0, axis2: builtins.int = 1) -> Self:
        """Return the diagonal of the matrices that two axes span, as the last axis of the result.

            y[…, i] = x[…, i, i + offset]
        """
    def gather(self, axis: builtins.int, indices: ArrayLike, *, dim: Axis = None) -> Self:
        """Return an element of x for each of ``indices``, which may be shorter than x, as PyTorch does.

        y[i, k] = x[i, indices[i, k]]  (axis 1)
        """
    def nonzero(self) -> tuple[Self, ...]:
        """Return where x is not zero: an array of indices for each axis. No derivative."""
    def scatter(self, axis: builtins.int, indices: ArrayLike, values: ArrayLike, *, dim: Axis = None) -> Self:
        """Return a new array: x with ``values`` at the indices where `gather` would read.

            y[i, indices[i, k]] = values[i, k], elsewhere y = x  (axis 1)

        ``values`` is a number or as large as ``indices`` at least. Of several values for one place
        the last one stays, and only that one gets a gradient.
        """
    def scatter_add(self, axis: builtins.int, indices: ArrayLike, values: ArrayLike, *, dim: Axis = None) -> Self:
        """Return a new array: x plus ``values`` at the indices where `gather` would read.

        y[i, indices[i, k]] += values[i, k], starting from x  (axis 1)
        """
    def take(self, indices: ArrayLike, axis: Axis = None, *, dim: Axis = None) -> Self:
        """Return the parts of x at some indices along an axis; of the flat x without ``axis``."""
    def all(self, axis: Axes = None, *, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return whether no element along the axes is 0; of nothing, True. It has no derivative."""
    def any(self, axis: Axes = None, *, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return whether an element along the axes is not 0; of nothing, False. It has no derivative."""
    def cumprod(self, axis: Axis = None, *, dtype: DTypeLike | None = None, dim: Axis = None) -> Self:
        """Return `cumulative_prod` by NumPy's rule: without an axis, of the flat array."""
    def cumsum(self, axis: Axis = None, *, dtype: DTypeLike | None = None, dim: Axis = None) -> Self:
        """Return `cumulative_sum` by NumPy's rule: without an axis, of the flat array."""
    def log_softmax(self, axis: Axes = -1, *, dim: Axes = None) -> Self:
        """Return logarithms of `softmax` along an axis, precise where the weights are near 0 or 1.

            yᵢ = xᵢ - ln Σⱼ exp(xⱼ),   x̄ = ȳ - exp(y) Σⱼ ȳⱼ
        """
    def logsumexp(self, axis: Axes = None, *, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the logarithm of the sum of exponentials, without overflow; of nothing, -inf.

            y = ln Σᵢ exp(xᵢ),   x̄ = ȳ softmax(x)
        """
    def max(self, axis: Axes = None, *, keepdims: builtins.bool = False) -> Self:
        """Return the largest element over one axis, several, or all; NaN if there is one.

            y = maxᵢ xᵢ,   x̄ᵢ = ȳ / m  at each of the m places with xᵢ = y

        Raise `SizeError` if there are no elements.
        """
    def mean(self, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the arithmetic mean over one axis, several, or all.

            y = Σᵢ xᵢ / n,   x̄ᵢ = ȳ / n

        Integers give float64, or the integer ``dtype`` that is asked for, as in NumPy. The mean of no
        elements is NaN.
        """
    def min(self, axis: Axes = None, *, keepdims: builtins.bool = False) -> Self:
        """Return the smallest element over one axis, several, or all; NaN if there is one.

            y = minᵢ xᵢ,   x̄ᵢ = ȳ / m  at each of the m places with xᵢ = y
        """
    def norm(self, ord: builtins.float = 2, axis: Axes = None, *, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the length of vectors along the given axes; by default all elements are one vector.

            y = (Σᵢ |xᵢ|ᵖ)^(1/p),   x̄ᵢ = ȳ sign(xᵢ) (|xᵢ| / y)^(p - 1)

        ``ord`` is p: 2, 1, any other number but 0, or ±inf for the largest or smallest |xᵢ|; 0 counts
        the elements that are not 0. The derivative at 0 is 0. For matrices see `gradwalk.linalg`.
        """
    def prod(self, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Multiply over one axis, several, or all.

            y = Πᵢ xᵢ,   x̄ᵢ = ȳ Πⱼ≠ᵢ xⱼ

        The product of no elements is 1. Derivatives are correct with any number of zeros, because no
        rule divides.
        """
    def softmax(self, axis: Axes = -1, *, dim: Axes = None) -> Self:
        """Return weights proportional to the exponentials along an axis; they add up to 1.

            yᵢ = exp(xᵢ) / Σⱼ exp(xⱼ),   x̄ = y (ȳ - Σⱼ ȳⱼ yⱼ)

        Parameters
        ----------
        x : any shape
            The scores; integers become floats. A score of -inf has the weight 0 and the derivative 0;
            if all are -inf, all weights are NaN.
        axis
            The axis, or the axes, along which the weights add up to 1; all if ``None``.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x
            The weights.

        Raises
        ------
        SizeError
            If ``x`` has no such axis.
        """
    def std(self, axis: Axes = None, *, correction: builtins.float | None = None, ddof: builtins.float | None = None, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the standard deviation, the root of `var`; derivative 0 where all elements are equal.

            y = √(Σᵢ (xᵢ - x̄)² / (n - c))
        """
    def sum(self, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Sum over one axis, several, or all.

            y = Σᵢ xᵢ,   x̄ᵢ = ȳ

        The sum of no elements is 0. Integers and bools are added as int64. ``dtype`` converts the terms
        and the result, as in NumPy: int8 wraps around at 128. ``keepdims`` keeps the axes, of length 1.
        """
    def var(self, axis: Axes = None, *, correction: builtins.float | None = None, ddof: builtins.float | None = None, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the mean squared deviation from the mean.

            y = Σᵢ (xᵢ - x̄)² / (n - c)

        c is ``correction``, 0 by default (1 for the estimate from a sample); NumPy calls it ``ddof``.
        With n <= c the result is infinite or NaN.
        """
    def argmax(self, axis: Axis = None, *, keepdims: builtins.bool = False, dim: Axis = None, keepdim: builtins.bool = False) -> Self:
        """Return the index of the first largest element along an axis, or of the flat array.

        A NaN counts as the largest. Raise `SizeError` for no elements. It has no derivative.
        """
    def argmin(self, axis: Axis = None, *, keepdims: builtins.bool = False, dim: Axis = None, keepdim: builtins.bool = False) -> Self:
        """Return the index of the first smallest element along an axis, or of the flat array."""
    def argsort(self, axis: builtins.int = -1, *, descending: builtins.bool = False, stable: builtins.bool = True, dim: Axis = None) -> Self:
        """Return the indices that sort x along an axis; it has no derivative.

        Equal elements keep their order for any ``stable``; NaN counts as the largest.
        """
    def searchsorted(self, x2: ArrayLike, *, side: Literal['left', 'right'] = 'left', sorter: ArrayLike | None = None) -> Self:
        """Return where to insert x2 into the sorted x1 so that it stays sorted; it has no derivative.

            yₖ = number of xᵢ < vₖ  (side="left"),  or of xᵢ <= vₖ  (side="right")

        ``sorter`` has the indices that sort x1, if x1 is not sorted.
        """
    def topk(self, k: builtins.int, axis: builtins.int = -1, *, largest: builtins.bool = True, dim: Axis = None) -> TopK[Self]:
        """Return the k largest (or smallest) elements along an axis, in order, and their indices.

        Of equal elements the first comes first; NaN counts as the largest. Gradients propagate to the
        elements in the result.
        """
    def dot(self, b: ArrayLike) -> Self:
        """Sum over the last axis of a and the one before the last of b (of a vector its only axis).

            y = Σᵢ aᵢ bᵢ for two vectors, a @ b for matrices, a * b if either is a single number
        """
    def matmul(self, b: ArrayLike) -> Self:
        """Multiply matrices; leading axes are broadcast, and a vector counts as a row or a column.

            yᵢⱼ = Σₖ aᵢₖ bₖⱼ

        Shapes (..., n, k) and (..., k, m) give (..., n, m); `SizeError` if they do not fit.
        """
    def trace(self, offset: builtins.int = 0, axis1: builtins.int = 0, axis2: builtins.int = 1, dtype: DTypeLike | None = None) -> Self:
        """Sum the diagonal of two axes, in ``dtype``; ``offset`` > 0 is above the main diagonal.

            y = Σᵢ xᵢᵢ
        """
    def __and__(self, other: ArrayLike) -> Self: ...
    def __rand__(self, other: ArrayLike) -> Self: ...
    def __or__(self, other: ArrayLike) -> Self: ...
    def __ror__(self, other: ArrayLike) -> Self: ...
    def __xor__(self, other: ArrayLike) -> Self: ...
    def __rxor__(self, other: ArrayLike) -> Self: ...
    def __lshift__(self, other: ArrayLike) -> Self: ...
    def __rlshift__(self, other: ArrayLike) -> Self: ...
    def __rshift__(self, other: ArrayLike) -> Self: ...
    def __rrshift__(self, other: ArrayLike) -> Self: ...
    def __invert__(self) -> Self: ...
    def __round__(self, decimals: builtins.int | None = None) -> Self: ...
    def __trunc__(self) -> Self: ...
    def copy(self) -> Self:
        """Return a copy of x.

            y = x
        """
    def __getitem__(self, key: Key) -> Self: ...
    def __iter__(self) -> Iterator[Self]: ...
    @property
    def T(self) -> Self:
        """All axes in reverse order."""
    @property
    def mT(self) -> Self:
        """The last two axes exchanged."""
    @property
    def flat(self) -> Any:
        """The elements of x row by row, as ``x.flat``: reading copies them, writing reaches x."""
    @flat.setter
    def flat(self, value: ArrayLike) -> None: ...
    def _expire_views(self) -> None: ...
    def __setitem__(self, key: Key, value: ArrayLike) -> None: ...
    def __iadd__(self, other: ArrayLike) -> Self: ...
    def __isub__(self, other: ArrayLike) -> Self: ...
    def __imul__(self, other: ArrayLike) -> Self: ...
    def __itruediv__(self, other: ArrayLike) -> Self: ...
    def __ifloordiv__(self, other: ArrayLike) -> Self: ...
    def __imod__(self, other: ArrayLike) -> Self: ...
    def __ipow__(self, other: ArrayLike) -> Self: ...
    def __imatmul__(self, other: ArrayLike) -> Self: ...
    def __iand__(self, other: ArrayLike) -> Self: ...
    def __ior__(self, other: ArrayLike) -> Self: ...
    def __ixor__(self, other: ArrayLike) -> Self: ...
    def __ilshift__(self, other: ArrayLike) -> Self: ...
    def __irshift__(self, other: ArrayLike) -> Self: ...
    @property
    def device(self) -> str:
        """Return where the array lies: "cpu" for NumPy's, else a library and its device."""
    def __dlpack__(self, *, stream: None = None, max_version: tuple[builtins.int, builtins.int] | None = None, dl_device: tuple[builtins.int, builtins.int] | None = None, copy: builtins.bool | None = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]: ...
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any: ...
    def __array_function__(self, function: Callable[..., Any], types: Any, args: Sequence[Any], options: dict[str, Any]) -> Any: ...
    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType: ...
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Self, ...]:
        """Split along an axis into at most ``chunks`` parts of one length; the last may be shorter."""
    def contiguous(self) -> Self:
        """Return the Tensor itself: `view` and `reshape` take any order in memory."""
    def dim(self) -> builtins.int:
        """Return the number of axes, ``ndim``."""
    def expand(self, *shape: Shape) -> Self:
        """Repeat axes of length 1 to a shape, in which -1 keeps a length."""
    def expand_as(self, other: ArrayLike) -> Self:
        """Repeat axes of length 1 to the shape of another array."""
    def flip(self, *dims: Shape) -> Self:
        """Reverse the order of the elements along some axes."""
    def is_contiguous(self) -> builtins.bool:
        """Return whether the elements lie row by row in memory."""
    def narrow(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Self:
        """Return ``length`` elements along an axis, from ``start`` on."""
    def numel(self) -> builtins.int:
        """Return the number of elements."""
    def permute(self, *dims: Shape) -> Self:
        """Return the axes in the order ``dims``, as a tuple or one by one."""
    def select(self, dim: builtins.int, index: builtins.int) -> Self:
        """Return the part at one index of an axis."""
    def split(self, split_size_or_sections: builtins.int | Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Self, ...]:
        """Split along an axis into parts of one length (the last may be shorter), or of the lengths in
        a list. The function `gradwalk.split` takes the number of parts, as NumPy's does.
        """
    def t(self) -> Self:
        """Return the transpose of a matrix; a vector as it is."""
    def tile(self, *dims: Shape) -> Self:
        """Repeat the whole array so many times along each axis."""
    def unbind(self, dim: builtins.int = 0) -> tuple[Self, ...]:
        """Return the parts along an axis, which they no longer have."""
    def unsqueeze(self, dim: builtins.int) -> Self:
        """Add an axis of length 1 at the position ``dim`` of the result."""
    def view(self, *shape: Shape) -> Self:
        """Return the elements in another shape, as `reshape` does; one length may be -1."""
    def view_as(self, other: ArrayLike) -> Self:
        """Return the elements in the shape of another array."""
    def masked_fill(self, mask: ArrayLike, value: ArrayLike) -> Self:
        """Return a copy with ``value`` where ``mask`` is true."""
    def masked_select(self, mask: ArrayLike) -> Self:
        """Return the elements where ``mask`` is true, in one axis."""
    def clamp(self, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Self:
        """Return the elements inside of bounds, as `clip` does."""
    def add(self, other: ArrayLike, *, alpha: ArrayLike = 1) -> Self:
        """Return the sum with ``alpha`` times ``other``."""
    def sub(self, other: ArrayLike, *, alpha: ArrayLike = 1) -> Self:
        """Return the difference with ``alpha`` times ``other``."""
    def index_select(self, dim: builtins.int, index: ArrayLike) -> Self:
        """Return the parts at some indices along an axis, as `take` does."""
    def to(self, *args: Any, **named: Any) -> Self:
        """Return the Tensor in another dtype, on another device (see `to_device`), or both."""
    def requires_grad_(self, requires_grad: builtins.bool = True) -> Self:
        """Set ``requires_grad``. Return the Tensor."""
    def retain_grad(self) -> None:
        """Do nothing: results store the gradient of the last pass while something refers to them."""
    def isfinite(self) -> Self:
        """Whether x is neither infinite nor NaN.

            y = |x| < ∞

        Declared to have no derivative: no gradient passes through it.
        """
    def isinf(self) -> Self:
        """Whether x is infinite.

            y = |x| = ∞

        Declared to have no derivative: no gradient passes through it.
        """
    def isnan(self) -> Self:
        """Whether x is not a number.

            y = x ≠ x

        Declared to have no derivative: no gradient passes through it.
        """
    def logical_not(self) -> Self:
        """Whether x is 0.

            y = ¬ x

        Declared to have no derivative: no gradient passes through it.
        """
    def tril(self, k: builtins.int = 0) -> Self:
        """Return the lower triangle of matrices: zero above diagonal ``k``."""
    def triu(self, k: builtins.int = 0) -> Self:
        """Return the upper triangle of matrices: zero below diagonal ``k``."""
    def outer(self, b: ArrayLike) -> Self:
        """Multiply every element of a by every element of b.

            yᵢⱼ = aᵢ bⱼ
        """
    def roll(self, shift: builtins.int | Sequence[builtins.int], axis: Axes = None, *, dim: Axes = None) -> Self:
        """Shift elements by ``shift`` along some axes; those that leave at the end enter at the front.

            yᵢ = xᵢ₋ₛ, indices modulo the length

        Without ``axis`` x is rolled as if it were flat.
        """
    def mul(self, other: ArrayLike) -> Self:
        """Return what the operator ``__mul__`` returns."""
    def div(self, other: ArrayLike) -> Self:
        """Return what the operator ``__truediv__`` returns."""
    def eq(self, other: ArrayLike) -> Self:
        """Return what the operator ``__eq__`` returns."""
    def ne(self, other: ArrayLike) -> Self:
        """Return what the operator ``__ne__`` returns."""
    def lt(self, other: ArrayLike) -> Self:
        """Return what the operator ``__lt__`` returns."""
    def le(self, other: ArrayLike) -> Self:
        """Return what the operator ``__le__`` returns."""
    def gt(self, other: ArrayLike) -> Self:
        """Return what the operator ``__gt__`` returns."""
    def ge(self, other: ArrayLike) -> Self:
        """Return what the operator ``__ge__`` returns."""
    def mm(self, other: ArrayLike) -> Self:
        """Return what the operator ``__matmul__`` returns."""
    def bmm(self, other: ArrayLike) -> Self:
        """Return what the operator ``__matmul__`` returns."""
    def mv(self, other: ArrayLike) -> Self:
        """Return what the operator ``__matmul__`` returns."""
    def float(self) -> Self:
        """Return the elements as float32."""
    def double(self) -> Self:
        """Return the elements as float64."""
    def half(self) -> Self:
        """Return the elements as float16."""
    def long(self) -> Self:
        """Return the elements as int64."""
    def int(self) -> Self:
        """Return the elements as int32."""
    def bool(self) -> Self:
        """Return the elements as bool."""
    def new_zeros(self, *size: Shape, dtype: DTypeLike | None = None, requires_grad: builtins.bool = False) -> Self:
        """Return `zeros` of a shape, in this Tensor's dtype."""
    def new_ones(self, *size: Shape, dtype: DTypeLike | None = None, requires_grad: builtins.bool = False) -> Self:
        """Return `ones` of a shape, in this Tensor's dtype."""
    def repeat_interleave(self, repeats: builtins.int | ArrayLike, axis: Axis = None, *, dim: Axis = None) -> Self:
        """Repeat each element (or part along ``axis``) so many times; flat without ``axis``."""
    def swapdims(self, axis1: builtins.int, axis2: builtins.int) -> Self:
        """Exchange two axes."""
    def amax(self, axis: Axes = None, *, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the largest element over one axis, several, or all; NaN if there is one.

            y = maxᵢ xᵢ,   x̄ᵢ = ȳ / m  at each of the m places with xᵢ = y

        Raise `SizeError` if there are no elements.
        """
    def amin(self, axis: Axes = None, *, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the smallest element over one axis, several, or all; NaN if there is one.

            y = minᵢ xᵢ,   x̄ᵢ = ȳ / m  at each of the m places with xᵢ = y
        """
    def movedim(self, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]) -> Self:
        """Move the axes ``source`` to the positions ``destination``; the others keep their order."""
    def ndimension(self) -> builtins.int:
        """Return the number of axes, ``ndim``."""
    def nelement(self) -> builtins.int:
        """Return the number of elements."""
    def reshape_as(self, other: ArrayLike) -> Self:
        """Return the elements in the shape of another array."""
    def clamp_(self, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Self:
        """Write the result of ``clamp`` into the Tensor. Return it."""
    def add_(self, other: ArrayLike, *, alpha: ArrayLike = 1) -> Self:
        """Write the result of ``add`` into the Tensor. Return it."""
    def sub_(self, other: ArrayLike, *, alpha: ArrayLike = 1) -> Self:
        """Write the result of ``sub`` into the Tensor. Return it."""
    def fill_(self, value: ArrayLike) -> Self:
        """Write the result of ``fill`` into the Tensor. Return it."""
    def copy_(self, value: ArrayLike) -> Self:
        """Write the result of ``copy`` into the Tensor. Return it."""
    def zero_(self) -> Self:
        """Write the result of ``zero`` into the Tensor. Return it."""
    def cpu(self) -> Self:
        """Return the Tensor itself: `view` and `reshape` take any order in memory."""
    def masked_fill_(self, mask: ArrayLike, value: ArrayLike) -> Self:
        """Write the result of ``masked_fill`` into the Tensor. Return it."""
    def scatter_(self, axis: builtins.int, indices: ArrayLike, values: ArrayLike) -> Self:
        """Write the result of ``scatter`` into the Tensor. Return it."""
    def scatter_add_(self, axis: builtins.int, indices: ArrayLike, values: ArrayLike) -> Self:
        """Write the result of ``scatter_add`` into the Tensor. Return it."""
    def mul_(self, other: ArrayLike) -> Self:
        """Write the result of ``mul`` into the Tensor. Return it."""
    def div_(self, other: ArrayLike) -> Self:
        """Write the result of ``div`` into the Tensor. Return it."""
    def abs_(self) -> Self:
        """Write the result of ``abs`` into the Tensor. Return it."""
    def ceil_(self) -> Self:
        """Write the result of ``ceil`` into the Tensor. Return it."""
    def cos_(self) -> Self:
        """Write the result of ``cos`` into the Tensor. Return it."""
    def erf_(self) -> Self:
        """Write the result of ``erf`` into the Tensor. Return it."""
    def exp_(self) -> Self:
        """Write the result of ``exp`` into the Tensor. Return it."""
    def floor_(self) -> Self:
        """Write the result of ``floor`` into the Tensor. Return it."""
    def log_(self) -> Self:
        """Write the result of ``log`` into the Tensor. Return it."""
    def neg_(self) -> Self:
        """Write the result of ``neg`` into the Tensor. Return it."""
    def pow_(self, other: ArrayLike) -> Self:
        """Write the result of ``pow`` into the Tensor. Return it."""
    def reciprocal_(self) -> Self:
        """Write the result of ``reciprocal`` into the Tensor. Return it."""
    def relu_(self) -> Self:
        """Write the result of ``relu`` into the Tensor. Return it."""
    def round_(self) -> Self:
        """Write the result of ``round`` into the Tensor. Return it."""
    def sigmoid_(self) -> Self:
        """Write the result of ``sigmoid`` into the Tensor. Return it."""
    def sin_(self) -> Self:
        """Write the result of ``sin`` into the Tensor. Return it."""
    def sqrt_(self) -> Self:
        """Write the result of ``sqrt`` into the Tensor. Return it."""
    def square_(self) -> Self:
        """Write the result of ``square`` into the Tensor. Return it."""
    def tanh_(self) -> Self:
        """Write the result of ``tanh`` into the Tensor. Return it."""
    def trunc_(self) -> Self:
        """Write the result of ``trunc`` into the Tensor. Return it."""
    def normal_(self, mean: builtins.float = 0.0, std: builtins.float = 1.0, *, seed: Seed = None) -> Self:
        """Draw every element by `gradwalk.random.normal`. Return the Tensor."""
    def uniform_(self, low: builtins.float = 0.0, high: builtins.float = 1.0, *, seed: Seed = None) -> Self:
        """Draw every element by `gradwalk.random.uniform`. Return the Tensor."""
    @property
    def is_leaf(self) -> builtins.bool:
        """Whether the Tensor is not the result of a recorded operation."""
