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

        Parameters
        ----------
        a : any shape
            The base.
        b : any shape
            The exponent.

        Returns
        -------
        the shape that the arguments broadcast to
            The powers.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
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
        """Derivative of lgamma; NaN at its poles below 0.

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
        """Limit the elements to a range.

            y = min(max(x, lo), hi);  slope 1 on both bounds

        Parameters
        ----------
        x : any shape
            The elements.
        min, max : any shape
            The bounds; ``None`` is no bound. Gradients flow to a bound where it is the result.

        Returns
        -------
        the shape that x and the bounds broadcast to
            The limited elements; where the bounds cross, ``max``.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
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
        """Round to a number of decimals, ties to the even digit.

        It has no derivative.

        Parameters
        ----------
        x : any shape
            The elements.
        decimals
            The number of digits after the point; negative ones round before it.

        Returns
        -------
        the shape of x
            The rounded elements.

        Raises
        ------
        NotANumberError
            If ``decimals`` is not an integer.
        """
    def gelu(self, approximate: str = 'none') -> Self:
        """Return x Φ(x), where Φ is the normal distribution.

            y = x Φ(x)

        Parameters
        ----------
        approximate
            "none" for the exact function, "tanh" for its approximation.

        Returns
        -------
        the shape of x
            The values.

        Raises
        ------
        OptionError
            If ``approximate`` is neither of the two.

        See Also
        --------
        gradwalk.gelu
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
        """Nearest integer towards 0.

            y = trunc x

        Declared to have no derivative: no gradient passes through it.
        """
    def astype(self, dtype: DTypeLike, *, copy: builtins.bool = True, device: str | None = None) -> Self:
        """Return x in another dtype.

        Gradients flow from one floating dtype to another, and not through integers and bools.

        Parameters
        ----------
        x : any shape
            The elements.
        dtype
            The dtype of the result.
        copy
            Whether the result is a copy even if ``x`` has this dtype already.
        device
            Where the array lies afterwards, as in `to_device`; ``None`` leaves it where it is.

        Returns
        -------
        the shape of x
            The elements in this dtype.

        Raises
        ------
        OptionError
            If ``dtype`` is not the name of a dtype that Tensors have, or ``device`` is not known.
        """
    def to_device(self, device: str | None, /, *, stream: None = None) -> Self:
        """Return the Tensor on another device, or in another library.

        Gradients flow back to where the Tensor was.

        Parameters
        ----------
        x : any shape
            The Tensor.
        device
            A device alone, such as "cuda", is one of the library that ``x`` is in; NumPy has "cpu"
            only, and "cuda" means PyTorch's. "torch:cuda", "jax" and "numpy" name the library, too.
            ``None`` leaves ``x`` where it is.
        stream
            Accepted for the array API, and not used.

        Returns
        -------
        the shape of x
            The Tensor at its new place; ``x`` itself if it is there already.

        Raises
        ------
        OptionError
            If there is no such device or library.
        MissingExtraError
            If the library is not installed.
        """
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Self:
        """Return a copy with several consecutive axes joined into one, row by row.

        Parameters
        ----------
        x : any shape
            The elements.
        start_dim, end_dim
            The first and the last axis to join; by default all axes.

        Returns
        -------
        the shape of x, with one axis for those from start_dim to end_dim
            The elements.

        Raises
        ------
        SizeError
            If ``x`` has no such axes, or ``start_dim`` comes after ``end_dim``.

        See Also
        --------
        ravel, reshape
        """
    def ravel(self) -> Self:
        """Return all elements in one axis, row by row.

        Parameters
        ----------
        x : any shape
            The elements.

        Returns
        -------
        (size of x,)
            The elements; a view of ``x`` if these lie row by row in memory.

        See Also
        --------
        flatten
        """
    def reshape(self, *shape: Shape) -> Self:
        """Return the elements in the same order in another shape.

            y[i'] = x[i], i and i' being the same place counted row by row

        Parameters
        ----------
        x : any shape
            The elements, read row by row.
        *shape
            The lengths of the axes, one by one or as a tuple. One of them may be -1: it takes the
            length that the others leave.

        Returns
        -------
        the given shape
            The elements; a view of ``x`` where NumPy makes one.

        Raises
        ------
        SizeError
            If the shape has another number of elements, or more than one -1.
        OptionError
            If a length is not an integer, or negative and not -1.
        """
    def squeeze(self, axis: Axes = None, *, dim: Axes = None) -> Self:
        """Remove axes of length 1.

        Parameters
        ----------
        x : any shape
            The elements.
        axis
            The axis, or the axes, to remove; all axes of length 1 if ``None``.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x without these axes
            A view of ``x``.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or one of them is not of length 1.
        """
    def swapaxes(self, axis1: builtins.int, axis2: builtins.int) -> Self:
        """Exchange two axes.

        Parameters
        ----------
        x : any shape
            The elements.
        axis1, axis2
            The axes to exchange.

        Returns
        -------
        the shape of x with both axes exchanged
            A view of ``x``.

        Raises
        ------
        SizeError
            If ``x`` has no such axes.
        """
    def transpose(self, *axes: Shape) -> Self:
        """Return the axes in another order, reversed by default.

            yⱼᵢ = xᵢⱼ

        Parameters
        ----------
        x : any shape
            The elements.
        *axes
            All axes in their new order, one by one or as a tuple; none reverses them. Two numbers
            exchange these axes, as in PyTorch, if ``x`` has more than two.

        Returns
        -------
        the shape of x in the new order
            A view of ``x``.

        Raises
        ------
        SizeError
            If the axes are not named once each.
        """
    def repeat(self, repeats: builtins.int | ArrayLike, axis: Axis = None, *, dim: Axis = None) -> Self:
        """Repeat each element, or each part along an axis.

        Parameters
        ----------
        x : any shape
            The elements.
        repeats : () or (n,)
            How often: a non-negative integer for all elements, or one for each of the n elements along
            the axis.
        axis
            The axis along which the parts are repeated; ``None`` flattens ``x``.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x, longer along axis, or (m,) without an axis
            The repeated elements.

        Raises
        ------
        SizeError
            If ``x`` has no such axis.
        OptionError
            If ``repeats`` is not a non-negative integer, or not one for each element.

        See Also
        --------
        tile, broadcast_to
        """
    def diagonal(self, offset: builtins.int = 0, axis1: builtins.int = 0, axis2: builtins.int = 1) -> Self:
        """Return a diagonal of the matrices that two axes span.

            y[…, i] = x[…, i, i + offset]

        Parameters
        ----------
        x : (..., n, m)
            The matrices.
        offset
            The index of the diagonal: 0 is the main one, positive ones lie above it.
        axis1, axis2
            The axes of the rows and of the columns.

        Returns
        -------
        the shape of x without both axes, with the diagonal as the last axis
            A view of ``x``.

        Raises
        ------
        SizeError
            If ``x`` has fewer than two axes, or lacks one of these.
        OptionError
            If ``offset`` is not an integer.

        See Also
        --------
        gradwalk.linalg.diagonal
        """
    def gather(self, axis: builtins.int, indices: ArrayLike, *, dim: Axis = None) -> Self:
        """Return an element of x for each index, as PyTorch does.

            y[i, k] = x[i, indices[i, k]]  (axis 1)

        Parameters
        ----------
        x : any shape
            The elements.
        axis
            The axis along which the indices count.
        indices : (...), with as many axes as x, none longer except axis
            Integers; negative ones count from the back. Lines of ``x`` beyond the last of ``indices``
            are not read.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of indices
            The elements.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or ``indices`` has another number of axes than ``x``, or is
            longer along another axis.
        KeyRangeError
            If an index is out of bounds, or is not an integer.

        See Also
        --------
        take_along_axis, scatter
        """
    def nonzero(self) -> tuple[Self, ...]:
        """Return where x is not zero.

        It has no derivative.

        Parameters
        ----------
        x : any shape except ()
            The elements.

        Returns
        -------
        (count,)
            The indices of the elements that are not 0, row by row: an array for each axis, in a tuple.

        Raises
        ------
        SizeError
            If ``x`` has no axis.
        """
    def scatter(self, axis: builtins.int, indices: ArrayLike, values: ArrayLike, *, dim: Axis = None) -> Self:
        """Return a copy of x with ``values`` at the indices where `gather` would read.

            y[i, indices[i, k]] = values[i, k], elsewhere y = x  (axis 1)

        Of several values for one place the last one stays, and only that one gets a gradient.

        Parameters
        ----------
        x : any shape
            The elements.
        axis
            The axis along which the indices count.
        indices : (...), with as many axes as x, none longer except axis
            Integers; negative ones count from the back.
        values : (), or at least as long as indices along every axis
            The elements to put there. Values beyond the last index are not used.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x
            The new array.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or ``indices`` or ``values`` has another number of axes or does
            not fit.
        KeyRangeError
            If an index is out of bounds, or is not an integer.

        See Also
        --------
        scatter_add, put_along_axis
        """
    def scatter_add(self, axis: builtins.int, indices: ArrayLike, values: ArrayLike, *, dim: Axis = None) -> Self:
        """Return a copy of x with ``values`` added at the indices where `gather` would read.

            y[i, indices[i, k]] += values[i, k], starting from x  (axis 1)

        Parameters
        ----------
        x : any shape
            The elements.
        axis
            The axis along which the indices count.
        indices : (...), with as many axes as x, none longer except axis
            Integers; negative ones count from the back. All values of a repeated index are added.
        values : (), or at least as long as indices along every axis
            The numbers to add. Values beyond the last index are not used.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x
            The new array.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or ``indices`` or ``values`` has another number of axes or does
            not fit.
        KeyRangeError
            If an index is out of bounds, or is not an integer.

        See Also
        --------
        add_at, segment_sum
        """
    def take(self, indices: ArrayLike, axis: Axis = None, *, dim: Axis = None) -> Self:
        """Return the parts of x at some indices along an axis.

        Parameters
        ----------
        x : any shape
            The elements.
        indices : any shape
            Integers; negative ones count from the back.
        axis
            The axis along which the indices count; ``None`` takes the flat array.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x, with that of indices instead of axis
            The parts.

        Raises
        ------
        SizeError
            If ``x`` has no such axis.
        KeyRangeError
            If an index is out of bounds, or is not an integer.

        See Also
        --------
        take_along_axis, gather
        """
    def all(self, axis: Axes = None, *, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return whether no element along the axes is 0.

        It has no derivative.

        Parameters
        ----------
        x : any shape
            The conditions; a number counts as true unless it is 0.
        axis
            The axis, or the axes, along which the conditions are combined; all axes if ``None``.
        keepdims
            Whether the reduced axes stay, with length 1.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without the reduced axes
            Bools; True where there are no elements.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or an axis is named twice.
        """
    def any(self, axis: Axes = None, *, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return whether an element along the axes is not 0.

        It has no derivative.

        Parameters
        ----------
        x : any shape
            The conditions; a number counts as true unless it is 0.
        axis
            The axis, or the axes, along which the conditions are combined; all axes if ``None``.
        keepdims
            Whether the reduced axes stay, with length 1.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without the reduced axes
            Bools; False where there are no elements.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or an axis is named twice.
        """
    def cumprod(self, axis: Axis = None, *, dtype: DTypeLike | None = None, dim: Axis = None) -> Self:
        """Return running products along an axis, by NumPy's rule for the axis.

            yᵢ = Πⱼ≤ᵢ xⱼ

        Derivatives are correct at zeros, too.

        Parameters
        ----------
        x : any shape
            The factors.
        axis
            The axis along which products run; ``None`` takes the flat array.
        dtype
            The dtype of the factors and of the result; by default that of ``x``, and 64-bit integers
            for integers and bools.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x, or (n,) without an axis
            The running products.

        Raises
        ------
        SizeError
            If ``x`` has no such axis.
        OptionError
            If ``dtype`` is not the name of a dtype that Tensors have.

        See Also
        --------
        cumulative_prod
        """
    def cumsum(self, axis: Axis = None, *, dtype: DTypeLike | None = None, dim: Axis = None) -> Self:
        """Return running sums along an axis, by NumPy's rule for the axis.

            yᵢ = Σⱼ≤ᵢ xⱼ

        Parameters
        ----------
        x : any shape
            The terms.
        axis
            The axis along which sums run; ``None`` takes the flat array.
        dtype
            The dtype of the terms and of the result; by default that of ``x``, and 64-bit integers for
            integers and bools.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x, or (n,) without an axis
            The running sums.

        Raises
        ------
        SizeError
            If ``x`` has no such axis.
        OptionError
            If ``dtype`` is not the name of a dtype that Tensors have.

        See Also
        --------
        cumulative_sum
        """
    def log_softmax(self, axis: Axes = -1, *, dim: Axes = None) -> Self:
        """Return logarithms of `softmax` along an axis, precise where the weights are near 0 or 1.

            yᵢ = xᵢ - ln Σⱼ exp(xⱼ),   x̄ = ȳ - exp(y) Σⱼ ȳⱼ

        Parameters
        ----------
        x : any shape
            The scores; integers become floats. A score of -inf stays -inf; if all are -inf, the result
            is NaN.
        axis
            The axis, or the axes, along which the exponentials of the result add up to 1; all if
            ``None``.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x
            The logarithms of the weights.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or an axis is named twice.
        """
    def logsumexp(self, axis: Axes = None, *, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the logarithm of the sum of exponentials, without overflow.

            y = ln Σᵢ exp(xᵢ),   x̄ = ȳ softmax(x)

        Parameters
        ----------
        x : any shape
            The exponents; integers become floats.
        axis
            The axis, or the axes, along which the exponentials are added; all axes if ``None``.
        keepdims
            Whether the reduced axes stay, with length 1.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without the reduced axes
            The logarithms; -inf where there are no elements.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or an axis is named twice.
        """
    def max(self, axis: Axes = None, *, keepdims: builtins.bool = False) -> Self:
        """Return the largest element over one axis, several, or all.

            y = maxᵢ xᵢ,   x̄ᵢ = ȳ / m  at each of the m places with xᵢ = y

        Parameters
        ----------
        x : any shape
            The numbers to choose from.
        axis
            The axis, or the axes, along which the largest element is chosen; all axes if ``None``.
        keepdims
            Whether the reduced axes stay, with length 1.

        Returns
        -------
        the shape of x without the reduced axes
            The largest elements; NaN where there is a NaN.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, an axis is named twice, or there are no elements along them.

        See Also
        --------
        argmax, maximum
        """
    def mean(self, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the arithmetic mean over one axis, several, or all.

            y = Σᵢ xᵢ / n,   x̄ᵢ = ȳ / n

        Parameters
        ----------
        x : any shape
            The numbers to average.
        axis
            The axis, or the axes, along which the elements are averaged; all axes if ``None``.
        dtype
            The dtype of the terms and of the result. By default floats keep their dtype and integers
            give float64; with an integer dtype the mean is cut off after the decimal point, as in
            NumPy.
        keepdims
            Whether the reduced axes stay, with length 1.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without the reduced axes
            The means; NaN where there are no elements.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or an axis is named twice.
        OptionError
            If ``dtype`` is not the name of a dtype that Tensors have.
        """
    def min(self, axis: Axes = None, *, keepdims: builtins.bool = False) -> Self:
        """Return the smallest element over one axis, several, or all.

            y = minᵢ xᵢ,   x̄ᵢ = ȳ / m  at each of the m places with xᵢ = y

        Parameters
        ----------
        x : any shape
            The numbers to choose from.
        axis
            The axis, or the axes, along which the smallest element is chosen; all axes if ``None``.
        keepdims
            Whether the reduced axes stay, with length 1.

        Returns
        -------
        the shape of x without the reduced axes
            The smallest elements; NaN where there is a NaN.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, an axis is named twice, or there are no elements along them.

        See Also
        --------
        argmin, minimum
        """
    def norm(self, ord: builtins.float = 2, axis: Axes = None, *, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the length of vectors along the given axes; by default all elements are one vector.

            y = (Σᵢ |xᵢ|ᵖ)^(1/p),   x̄ᵢ = ȳ sign(xᵢ) (|xᵢ| / y)^(p - 1)

        The derivative at 0 is 0.

        Parameters
        ----------
        x : any shape
            The vectors; integers become floats.
        ord
            The exponent p: 2, 1, or any other number; inf and -inf are the largest and the smallest
            |xᵢ|, and 0 counts the elements that are not 0.
        axis
            The axis, or the axes, along which one vector runs; all axes if ``None``.
        keepdims
            Whether the reduced axes stay, with length 1.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without the reduced axes
            The lengths.

        Raises
        ------
        OptionError
            If ``ord`` is not a number.
        SizeError
            If ``x`` has no such axis, or an axis is named twice.

        See Also
        --------
        gradwalk.linalg.norm, gradwalk.linalg.matrix_norm
        """
    def prod(self, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Multiply over one axis, several, or all.

            y = Πᵢ xᵢ,   x̄ᵢ = ȳ Πⱼ≠ᵢ xⱼ

        Derivatives are correct with any number of zeros, because no rule divides.

        Parameters
        ----------
        x : any shape
            The factors.
        axis
            The axis, or the axes, along which the elements are multiplied; all axes if ``None``.
        dtype
            The dtype of the factors and of the result. By default floats keep their dtype, and integers
            and bools are multiplied as 64-bit integers.
        keepdims
            Whether the reduced axes stay, with length 1.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without the reduced axes
            The products; 1 where there are no elements.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or an axis is named twice.
        OptionError
            If ``dtype`` is not the name of a dtype that Tensors have.
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
        """Return the standard deviation, the square root of `var`.

            y = √(Σᵢ (xᵢ - x̄)² / (n - c))

        The derivative is 0 where all elements are equal.

        Parameters
        ----------
        x : any shape
            The numbers; integers become floats.
        axis
            The axis, or the axes, along which the deviations are taken; all axes if ``None``.
        correction
            The number c that is subtracted from the count n of elements: 0 if ``None``, 1 for the
            estimate from a sample. With n <= c the result is infinite or NaN.
        ddof
            NumPy's name of ``correction``.
        keepdims
            Whether the reduced axes stay, with length 1.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without the reduced axes
            The standard deviations.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or an axis is named twice.
        OptionError
            If both ``correction`` and ``ddof`` are given, or either is not a number.
        """
    def sum(self, axis: Axes = None, *, dtype: DTypeLike | None = None, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Sum over one axis, several, or all.

            y = Σᵢ xᵢ,   x̄ᵢ = ȳ

        Parameters
        ----------
        x : any shape
            The terms.
        axis
            The axis, or the axes, along which the elements are added; all axes if ``None``.
        dtype
            The dtype of the terms and of the result, as in NumPy: int8 wraps around at 128. By default
            floats keep their dtype, and integers and bools are added as 64-bit integers.
        keepdims
            Whether the reduced axes stay, with length 1.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without the reduced axes
            The sums; 0 where there are no elements.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or an axis is named twice.
        OptionError
            If ``dtype`` is not the name of a dtype that Tensors have.
        """
    def var(self, axis: Axes = None, *, correction: builtins.float | None = None, ddof: builtins.float | None = None, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the mean squared deviation from the mean.

            y = Σᵢ (xᵢ - x̄)² / (n - c)

        Parameters
        ----------
        x : any shape
            The numbers; integers become floats.
        axis
            The axis, or the axes, along which the deviations are taken; all axes if ``None``.
        correction
            The number c that is subtracted from the count n of elements: 0 if ``None``, 1 for the
            estimate from a sample. With n <= c the result is infinite or NaN.
        ddof
            NumPy's name of ``correction``.
        keepdims
            Whether the reduced axes stay, with length 1.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without the reduced axes
            The variances.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or an axis is named twice.
        OptionError
            If both ``correction`` and ``ddof`` are given, or either is not a number.
        """
    def argmax(self, axis: Axis = None, *, keepdims: builtins.bool = False, dim: Axis = None, keepdim: builtins.bool = False) -> Self:
        """Return the index of the first largest element.

        It has no derivative.

        Parameters
        ----------
        x : any shape
            The numbers to choose from. A NaN counts as the largest.
        axis
            The axis along which the element is searched; ``None`` searches the flat array.
        keepdims
            Whether the axis stays, with length 1; all axes if ``axis`` is ``None``.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without axis, or ()
            The indices, as integers.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or no elements along it.

        See Also
        --------
        max, argsort
        """
    def argmin(self, axis: Axis = None, *, keepdims: builtins.bool = False, dim: Axis = None, keepdim: builtins.bool = False) -> Self:
        """Return the index of the first smallest element.

        It has no derivative.

        Parameters
        ----------
        x : any shape
            The numbers to choose from. A NaN counts as the smallest.
        axis
            The axis along which the element is searched; ``None`` searches the flat array.
        keepdims
            Whether the axis stays, with length 1; all axes if ``axis`` is ``None``.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without axis, or ()
            The indices, as integers.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or no elements along it.

        See Also
        --------
        min, argsort
        """
    def argsort(self, axis: builtins.int = -1, *, descending: builtins.bool = False, stable: builtins.bool = True, dim: Axis = None) -> Self:
        """Return the indices that sort x along an axis.

        It has no derivative.

        Parameters
        ----------
        x : any shape
            The elements to sort. A NaN counts as the largest.
        axis
            The axis along which the elements are sorted.
        descending
            Whether the largest element comes first.
        stable
            Accepted for NumPy's sake: equal elements always keep their order.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x
            The indices, for `take_along_axis`.

        Raises
        ------
        SizeError
            If ``x`` has no such axis.

        See Also
        --------
        sort, topk
        """
    def searchsorted(self, x2: ArrayLike, *, side: Literal['left', 'right'] = 'left', sorter: ArrayLike | None = None) -> Self:
        """Return where to insert numbers into a sorted row so that it stays sorted.

            yₖ = number of xᵢ < vₖ  (side="left"),  or of xᵢ <= vₖ  (side="right")

        It has no derivative.

        Parameters
        ----------
        x1 : (n,)
            The row x, in ascending order.
        x2 : any shape
            The numbers v to insert.
        side
            Whether the index is that before equal elements ("left") or after them ("right").
        sorter : (n,)
            The indices that sort ``x1``; ``None`` if it is sorted.

        Returns
        -------
        the shape of x2
            The indices, from 0 to n.

        Raises
        ------
        SizeError
            If ``x1`` does not have one axis.
        OptionError
            If ``side`` is neither "left" nor "right".
        """
    def topk(self, k: builtins.int, axis: builtins.int = -1, *, largest: builtins.bool = True, dim: Axis = None) -> TopK[Self]:
        """Return the k largest (or smallest) elements along an axis, and their indices.

        Gradients propagate to the elements in the result.

        Parameters
        ----------
        x : any shape
            The elements. A NaN counts as the largest.
        k
            How many elements to return, between 0 and the length of the axis.
        axis
            The axis along which the elements are compared.
        largest
            Whether the largest elements are returned, else the smallest.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x, with length k along axis
            The pair (values, indices), in order. Of equal elements the first comes first.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or ``k`` is not an integer in its range.
        """
    def dot(self, b: ArrayLike) -> Self:
        """Sum over the last axis of a and the one before the last of b (of a vector its only axis).

            y = Σᵢ aᵢ bᵢ for two vectors, a @ b for matrices, a * b if either is a single number

        Parameters
        ----------
        a : (..., k), or ()
            The left factor.
        b : (..., k, m), (k,) or ()
            The right factor.

        Returns
        -------
        the other axes of a, then those of b: (..., m)
            The products; unlike `matmul`, every pair of other axes has one.

        Raises
        ------
        SizeError
            If the lengths of the axes that are summed over differ.

        See Also
        --------
        matmul, inner, vecdot
        """
    def matmul(self, b: ArrayLike) -> Self:
        """Multiply matrices; further axes in front are broadcast.

            yᵢⱼ = Σₖ aᵢₖ bₖⱼ

        Parameters
        ----------
        a : (..., n, k) or (k,)
            The left factor; a vector counts as a row.
        b : (..., k, m) or (k,)
            The right factor; a vector counts as a column.

        Returns
        -------
        (..., n, m)
            The products, without the axis n or m of a factor that is a vector.

        Raises
        ------
        SizeError
            If the shapes do not fit, or a factor is a single number.
        """
    def trace(self, offset: builtins.int = 0, axis1: builtins.int = 0, axis2: builtins.int = 1, dtype: DTypeLike | None = None) -> Self:
        """Sum the diagonal of the matrices that two axes span.

            y = Σᵢ xᵢᵢ

        Parameters
        ----------
        x : (..., n, m)
            The matrices.
        offset
            The index of the diagonal: 0 is the main one, positive ones lie above it.
        axis1, axis2
            The axes of the rows and of the columns.
        dtype
            The dtype of the terms and of the result, as in `sum`.

        Returns
        -------
        the shape of x without both axes
            The sums.

        Raises
        ------
        SizeError
            If ``x`` has fewer than two axes, or lacks one of these.
        OptionError
            If ``offset`` is not an integer.
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

        Parameters
        ----------
        x : any shape
            The elements.

        Returns
        -------
        the shape of x
            The copy, through which gradients flow.
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
        """Split the Tensor into at most a given number of parts of one length.

        Parameters
        ----------
        chunks
            The largest number of parts; the last part may be shorter.
        dim
            The axis to cut.

        Returns
        -------
        the shape of the Tensor, shorter along dim
            A tuple of views, one for each part.

        Raises
        ------
        SizeError
            If there is no such axis.
        OptionError
            If ``chunks`` is not a positive integer.
        """
    def contiguous(self) -> Self:
        """Return the Tensor itself: `view` and `reshape` take any order in memory.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.
        """
    def dim(self) -> builtins.int:
        """Return the number of axes, ``ndim``.

        Returns
        -------
        int
            The number of axes.
        """
    def expand(self, *shape: Shape) -> Self:
        """Repeat the Tensor along new axes in front and along axes of length 1.

        Parameters
        ----------
        *shape
            The lengths of the result, one by one or as a tuple; -1 keeps a length.

        Returns
        -------
        the given shape
            The repeated elements.

        Raises
        ------
        SizeError
            If the Tensor does not broadcast to the shape.
        OptionError
            If a length is not an integer, or less than -1.
        """
    def expand_as(self, other: ArrayLike) -> Self:
        """Repeat the Tensor to the shape of another array.

        Parameters
        ----------
        other : any shape that the Tensor broadcasts to
            The array whose shape is taken.

        Returns
        -------
        the shape of other
            The repeated elements.

        Raises
        ------
        SizeError
            If the Tensor does not broadcast to the shape.
        """
    def flip(self, *dims: Shape) -> Self:
        """Reverse the order of the elements along some axes.

        Parameters
        ----------
        *dims
            The axes, one by one or as a tuple; none leaves the order as it is.

        Returns
        -------
        the shape of the Tensor
            A view of the Tensor.

        Raises
        ------
        SizeError
            If there is no such axis, or an axis is named twice.
        """
    def is_contiguous(self) -> builtins.bool:
        """Return whether the elements lie row by row in memory.

        Returns
        -------
        bool
            Whether they do.
        """
    def narrow(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Self:
        """Return consecutive elements along an axis.

        Parameters
        ----------
        dim
            The axis.
        start
            The first index; negative ones count from the back.
        length
            How many elements to return.

        Returns
        -------
        the shape of the Tensor, with this length along dim
            A view of the Tensor.

        Raises
        ------
        SizeError
            If there is no such axis.
        KeyRangeError
            If the elements are not all within the axis.
        """
    def numel(self) -> builtins.int:
        """Return the number of elements.

        Returns
        -------
        int
            The product of the lengths of all axes.
        """
    def permute(self, *dims: Shape) -> Self:
        """Return the axes in another order.

        Parameters
        ----------
        *dims
            All axes in their new order, one by one or as a tuple.

        Returns
        -------
        the shape of the Tensor in the new order
            A view of the Tensor.

        Raises
        ------
        SizeError
            If the axes are not named once each.
        """
    def select(self, dim: builtins.int, index: builtins.int) -> Self:
        """Return the part at one index of an axis.

        Parameters
        ----------
        dim
            The axis.
        index
            The index; negative ones count from the back.

        Returns
        -------
        the shape of the Tensor without dim
            A view of the Tensor.

        Raises
        ------
        SizeError
            If there is no such axis.
        KeyRangeError
            If the index is out of bounds.
        """
    def split(self, split_size_or_sections: builtins.int | Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Self, ...]:
        """Split the Tensor into consecutive parts of a given length, or of the lengths in a list.

        The function `gradwalk.split` takes the number of parts, as NumPy's does.

        Parameters
        ----------
        split_size_or_sections
            The length of every part but the last, which may be shorter; or a list with the length of
            each part.
        dim
            The axis to cut.

        Returns
        -------
        the shape of the Tensor, shorter along dim
            A tuple of views, one for each part.

        Raises
        ------
        SizeError
            If there is no such axis, the length is not positive, or the lengths do not add up to that
            of the axis.
        OptionError
            If a length in the list is not a non-negative integer.
        """
    def t(self) -> Self:
        """Return the transpose of a matrix, or a vector as it is.

        Returns
        -------
        (m, n) for a matrix of shape (n, m)
            A view of the Tensor.

        Raises
        ------
        SizeError
            If the Tensor has more than two axes.
        """
    def tile(self, *dims: Shape) -> Self:
        """Repeat the whole Tensor along each axis.

        Parameters
        ----------
        *dims
            How often, for each axis, one by one or as a tuple; new axes are added in front if there are
            more numbers than axes.

        Returns
        -------
        the shape whose lengths are those of the Tensor times dims
            The repeated elements.

        Raises
        ------
        OptionError
            If a number of repetitions is not a non-negative integer.
        """
    def unbind(self, dim: builtins.int = 0) -> tuple[Self, ...]:
        """Return the parts of the Tensor along an axis.

        Parameters
        ----------
        dim
            The axis to take apart.

        Returns
        -------
        the shape of the Tensor without dim
            A tuple with a view for each index of the axis.

        Raises
        ------
        SizeError
            If there is no such axis.
        """
    def unsqueeze(self, dim: builtins.int) -> Self:
        """Add an axis of length 1.

        Parameters
        ----------
        dim
            The position of the new axis in the result.

        Returns
        -------
        the shape of the Tensor with the new axis
            A view of the Tensor.

        Raises
        ------
        SizeError
            If the result has no such axis.
        """
    def view(self, *shape: Shape) -> Self:
        """Return the elements in the same order in another shape, as `reshape` does.

        Parameters
        ----------
        *shape
            The lengths of the axes, one by one or as a tuple. One of them may be -1: it takes the
            length that the others leave.

        Returns
        -------
        the given shape
            The elements; a view where NumPy makes one.

        Raises
        ------
        SizeError
            If the shape has another number of elements, or more than one -1.
        OptionError
            If a length is not an integer, or negative and not -1.
        """
    def view_as(self, other: ArrayLike) -> Self:
        """Return the elements in the same order in the shape of another array.

        Parameters
        ----------
        other : any shape with as many elements
            The array whose shape is taken.

        Returns
        -------
        the shape of other
            The elements; a view where NumPy makes one.

        Raises
        ------
        SizeError
            If ``other`` has another number of elements.
        """
    def masked_fill(self, mask: ArrayLike, value: ArrayLike) -> Self:
        """Return a copy with one value where a mask is true.

        Parameters
        ----------
        mask : any shape that broadcasts with the Tensor
            Bools.
        value : any shape that broadcasts to the result
            The number, or numbers, to put there. Gradients flow to it.

        Returns
        -------
        the shape that the Tensor and the mask broadcast to
            The new Tensor.

        Raises
        ------
        OptionError
            If ``mask`` is not made of bools.
        SizeError
            If the shapes do not broadcast together.

        See Also
        --------
        gradwalk.where
        """
    def masked_select(self, mask: ArrayLike) -> Self:
        """Return the elements where a mask is true.

        Parameters
        ----------
        mask : any shape that broadcasts with the Tensor
            Bools.

        Returns
        -------
        (count,)
            The elements, row by row.

        Raises
        ------
        OptionError
            If ``mask`` is not made of bools.
        SizeError
            If the shapes do not broadcast together.
        """
    def clamp(self, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Self:
        """Limit the elements to a range, as `clip` does.

        Parameters
        ----------
        min, max : any shape
            The bounds; ``None`` is no bound.

        Returns
        -------
        the shape that the Tensor and the bounds broadcast to
            The limited elements.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        """
    def add(self, other: ArrayLike, *, alpha: ArrayLike = 1) -> Self:
        """Return the sum with a multiple of another array.

            y = t + alpha · other

        Parameters
        ----------
        other : any shape that broadcasts with the Tensor
            The other term.
        alpha
            The factor of ``other``.

        Returns
        -------
        the shape that both broadcast to
            The sum.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        """
    def sub(self, other: ArrayLike, *, alpha: ArrayLike = 1) -> Self:
        """Return the difference with a multiple of another array.

            y = t - alpha · other

        Parameters
        ----------
        other : any shape that broadcasts with the Tensor
            The term to subtract.
        alpha
            The factor of ``other``.

        Returns
        -------
        the shape that both broadcast to
            The difference.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        """
    def index_select(self, dim: builtins.int, index: ArrayLike) -> Self:
        """Return the parts at some indices along an axis, as `take` does.

        Parameters
        ----------
        dim
            The axis along which the indices count.
        index : (k,)
            Integers; negative ones count from the back.

        Returns
        -------
        the shape of the Tensor, with length k along dim
            The parts.

        Raises
        ------
        SizeError
            If there is no such axis.
        KeyRangeError
            If an index is out of bounds, or is not an integer.
        """
    def to(self, *args: Any, **named: Any) -> Self:
        """Return the Tensor in another dtype, on another device, or both.

        Parameters
        ----------
        *args
            A device (see `to_device`), a dtype, or an array that stands for its dtype, in any order.
        **named
            ``device``, ``dtype`` or ``other`` (an array). PyTorch's ``copy`` and ``non_blocking`` are
            accepted, and not used.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself if nothing changes, else another one through which gradients flow back.

        Raises
        ------
        OptionError
            If there is no such dtype, device or library.
        MissingExtraError
            If the library is not installed.
        """
    def requires_grad_(self, requires_grad: builtins.bool = True) -> Self:
        """Set whether the Tensor is a leaf that collects gradients.

        Parameters
        ----------
        requires_grad
            The new value of the attribute.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        OptionError
            If ``requires_grad`` is not a bool, or is true and the dtype is not a floating one.
        """
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
        """Return the lower triangle of matrices, with zeros above it.

        Parameters
        ----------
        x : (..., n, m)
            The matrices.
        k
            The last diagonal that is kept: 0 is the main one, positive ones lie above it.

        Returns
        -------
        (..., n, m)
            The lower triangles.

        Raises
        ------
        SizeError
            If ``x`` has fewer than two axes.
        OptionError
            If ``k`` is not an integer.
        """
    def triu(self, k: builtins.int = 0) -> Self:
        """Return the upper triangle of matrices, with zeros below it.

        Parameters
        ----------
        x : (..., n, m)
            The matrices.
        k
            The first diagonal that is kept: 0 is the main one, positive ones lie above it.

        Returns
        -------
        (..., n, m)
            The upper triangles.

        Raises
        ------
        SizeError
            If ``x`` has fewer than two axes.
        OptionError
            If ``k`` is not an integer.
        """
    def outer(self, b: ArrayLike) -> Self:
        """Multiply every element of a by every element of b.

            yᵢⱼ = aᵢ bⱼ

        Parameters
        ----------
        a, b : any shape
            The factors, which are flattened.

        Returns
        -------
        (size of a, size of b)
            The products.

        See Also
        --------
        gradwalk.linalg.outer
        """
    def roll(self, shift: builtins.int | Sequence[builtins.int], axis: Axes = None, *, dim: Axes = None) -> Self:
        """Shift elements along some axes; those that leave at the end enter at the front.

            yᵢ = xᵢ₋ₛ, indices modulo the length

        Parameters
        ----------
        x : any shape
            The elements.
        shift
            By how many places s the elements move; one number for all axes, or one for each. Negative
            ones move towards the front.
        axis
            The axis, or the axes, along which the elements move; ``None`` rolls ``x`` as if it were
            flat.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x
            The shifted elements.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or there is another number of shifts than of axes.
        OptionError
            If a shift is not an integer.
        """
    def mul(self, other: ArrayLike) -> Self:
        """Return what the operator ``__mul__`` returns.

        Parameters
        ----------
        other : any shape that broadcasts with the Tensor
            The right operand.

        Returns
        -------
        the shape that both broadcast to
            The result.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        """
    def div(self, other: ArrayLike) -> Self:
        """Return what the operator ``__truediv__`` returns.

        Parameters
        ----------
        other : any shape that broadcasts with the Tensor
            The right operand.

        Returns
        -------
        the shape that both broadcast to
            The result.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        """
    def eq(self, other: ArrayLike) -> Self:
        """Return what the operator ``__eq__`` returns.

        Parameters
        ----------
        other : any shape that broadcasts with the Tensor
            The right operand.

        Returns
        -------
        the shape that both broadcast to
            The result.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        """
    def ne(self, other: ArrayLike) -> Self:
        """Return what the operator ``__ne__`` returns.

        Parameters
        ----------
        other : any shape that broadcasts with the Tensor
            The right operand.

        Returns
        -------
        the shape that both broadcast to
            The result.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        """
    def lt(self, other: ArrayLike) -> Self:
        """Return what the operator ``__lt__`` returns.

        Parameters
        ----------
        other : any shape that broadcasts with the Tensor
            The right operand.

        Returns
        -------
        the shape that both broadcast to
            The result.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        """
    def le(self, other: ArrayLike) -> Self:
        """Return what the operator ``__le__`` returns.

        Parameters
        ----------
        other : any shape that broadcasts with the Tensor
            The right operand.

        Returns
        -------
        the shape that both broadcast to
            The result.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        """
    def gt(self, other: ArrayLike) -> Self:
        """Return what the operator ``__gt__`` returns.

        Parameters
        ----------
        other : any shape that broadcasts with the Tensor
            The right operand.

        Returns
        -------
        the shape that both broadcast to
            The result.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        """
    def ge(self, other: ArrayLike) -> Self:
        """Return what the operator ``__ge__`` returns.

        Parameters
        ----------
        other : any shape that broadcasts with the Tensor
            The right operand.

        Returns
        -------
        the shape that both broadcast to
            The result.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        """
    def mm(self, other: ArrayLike) -> Self:
        """Return what the operator ``__matmul__`` returns.

        Parameters
        ----------
        other : (..., k, m) or (k,)
            The right operand.

        Returns
        -------
        (..., n, m) or (...)
            The product, as of `matmul`.

        Raises
        ------
        SizeError
            If the shapes do not fit.
        """
    def bmm(self, other: ArrayLike) -> Self:
        """Return what the operator ``__matmul__`` returns.

        Parameters
        ----------
        other : (..., k, m) or (k,)
            The right operand.

        Returns
        -------
        (..., n, m) or (...)
            The product, as of `matmul`.

        Raises
        ------
        SizeError
            If the shapes do not fit.
        """
    def mv(self, other: ArrayLike) -> Self:
        """Return what the operator ``__matmul__`` returns.

        Parameters
        ----------
        other : (..., k, m) or (k,)
            The right operand.

        Returns
        -------
        (..., n, m) or (...)
            The product, as of `matmul`.

        Raises
        ------
        SizeError
            If the shapes do not fit.
        """
    def float(self) -> Self:
        """Return the elements as float32.

        Gradients flow through the conversion.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself if it has this dtype already.
        """
    def double(self) -> Self:
        """Return the elements as float64.

        Gradients flow through the conversion.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself if it has this dtype already.
        """
    def half(self) -> Self:
        """Return the elements as float16.

        Gradients flow through the conversion.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself if it has this dtype already.
        """
    def long(self) -> Self:
        """Return the elements as int64.

        No gradient flows through the conversion.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself if it has this dtype already.
        """
    def int(self) -> Self:
        """Return the elements as int32.

        No gradient flows through the conversion.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself if it has this dtype already.
        """
    def bool(self) -> Self:
        """Return the elements as bool.

        No gradient flows through the conversion.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself if it has this dtype already.
        """
    def new_zeros(self, *size: Shape, dtype: DTypeLike | None = None, requires_grad: builtins.bool = False) -> Self:
        """Return `zeros` of a shape, in this Tensor's dtype.

        Parameters
        ----------
        *size
            The lengths of the axes, one by one or as a tuple.
        dtype
            The dtype of the result; ``None`` is that of this Tensor.
        requires_grad
            Whether the result is a leaf that collects gradients.

        Returns
        -------
        the given shape
            A new Tensor.

        Raises
        ------
        OptionError
            If a length is not a non-negative integer, or ``dtype`` is not a dtype of Tensors.
        """
    def new_ones(self, *size: Shape, dtype: DTypeLike | None = None, requires_grad: builtins.bool = False) -> Self:
        """Return `ones` of a shape, in this Tensor's dtype.

        Parameters
        ----------
        *size
            The lengths of the axes, one by one or as a tuple.
        dtype
            The dtype of the result; ``None`` is that of this Tensor.
        requires_grad
            Whether the result is a leaf that collects gradients.

        Returns
        -------
        the given shape
            A new Tensor.

        Raises
        ------
        OptionError
            If a length is not a non-negative integer, or ``dtype`` is not a dtype of Tensors.
        """
    def repeat_interleave(self, repeats: builtins.int | ArrayLike, axis: Axis = None, *, dim: Axis = None) -> Self:
        """Repeat each element, or each part along an axis.

        Parameters
        ----------
        x : any shape
            The elements.
        repeats : () or (n,)
            How often: a non-negative integer for all elements, or one for each of the n elements along
            the axis.
        axis
            The axis along which the parts are repeated; ``None`` flattens ``x``.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of x, longer along axis, or (m,) without an axis
            The repeated elements.

        Raises
        ------
        SizeError
            If ``x`` has no such axis.
        OptionError
            If ``repeats`` is not a non-negative integer, or not one for each element.

        See Also
        --------
        tile, broadcast_to
        """
    def swapdims(self, axis1: builtins.int, axis2: builtins.int) -> Self:
        """Exchange two axes.

        Parameters
        ----------
        x : any shape
            The elements.
        axis1, axis2
            The axes to exchange.

        Returns
        -------
        the shape of x with both axes exchanged
            A view of ``x``.

        Raises
        ------
        SizeError
            If ``x`` has no such axes.
        """
    def amax(self, axis: Axes = None, *, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the largest element over one axis, several, or all.

            y = maxᵢ xᵢ,   x̄ᵢ = ȳ / m  at each of the m places with xᵢ = y

        Parameters
        ----------
        x : any shape
            The numbers to choose from.
        axis
            The axis, or the axes, along which the largest element is chosen; all axes if ``None``.
        keepdims
            Whether the reduced axes stay, with length 1.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without the reduced axes
            The largest elements; NaN where there is a NaN.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, an axis is named twice, or there are no elements along them.

        See Also
        --------
        argmax, maximum
        """
    def amin(self, axis: Axes = None, *, keepdims: builtins.bool = False, dim: Axes = None, keepdim: builtins.bool = False) -> Self:
        """Return the smallest element over one axis, several, or all.

            y = minᵢ xᵢ,   x̄ᵢ = ȳ / m  at each of the m places with xᵢ = y

        Parameters
        ----------
        x : any shape
            The numbers to choose from.
        axis
            The axis, or the axes, along which the smallest element is chosen; all axes if ``None``.
        keepdims
            Whether the reduced axes stay, with length 1.
        dim, keepdim
            PyTorch's names of ``axis`` and ``keepdims``.

        Returns
        -------
        the shape of x without the reduced axes
            The smallest elements; NaN where there is a NaN.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, an axis is named twice, or there are no elements along them.

        See Also
        --------
        argmin, minimum
        """
    def movedim(self, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]) -> Self:
        """Move axes to other positions; the others keep their order.

        Parameters
        ----------
        x : any shape
            The elements.
        source
            The axis, or the axes, to move.
        destination
            Their positions in the result, one for each of ``source``.

        Returns
        -------
        the shape of x in the new order
            A view of ``x``.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or there are more sources than destinations or fewer.
        """
    def ndimension(self) -> builtins.int:
        """Return the number of axes, ``ndim``.

        Returns
        -------
        int
            The number of axes.
        """
    def nelement(self) -> builtins.int:
        """Return the number of elements.

        Returns
        -------
        int
            The product of the lengths of all axes.
        """
    def reshape_as(self, other: ArrayLike) -> Self:
        """Return the elements in the same order in the shape of another array.

        Parameters
        ----------
        other : any shape with as many elements
            The array whose shape is taken.

        Returns
        -------
        the shape of other
            The elements; a view where NumPy makes one.

        Raises
        ------
        SizeError
            If ``other`` has another number of elements.
        """
    def clamp_(self, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Self:
        """Write the result of ``clamp`` into the Tensor.

        Parameters
        ----------
        min, max : any shape
            The bounds; ``None`` is no bound.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def add_(self, other: ArrayLike, *, alpha: ArrayLike = 1) -> Self:
        """Write the result of ``add`` into the Tensor.

        Parameters
        ----------
        other : any shape that broadcasts with the Tensor
            The other term.
        alpha
            The factor of ``other``.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def sub_(self, other: ArrayLike, *, alpha: ArrayLike = 1) -> Self:
        """Write the result of ``sub`` into the Tensor.

        Parameters
        ----------
        other : any shape that broadcasts with the Tensor
            The term to subtract.
        alpha
            The factor of ``other``.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def fill_(self, value: ArrayLike) -> Self:
        """Write a number into every element.

        Parameters
        ----------
        value : any shape that broadcasts to the Tensor
            The number, or numbers.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        SizeError
            If ``value`` does not broadcast to the Tensor.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def copy_(self, value: ArrayLike) -> Self:
        """Write the elements of another array into the Tensor.

        Parameters
        ----------
        value : any shape that broadcasts to the Tensor
            The number, or numbers.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        SizeError
            If ``value`` does not broadcast to the Tensor.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def zero_(self) -> Self:
        """Write 0 into every element.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def cpu(self) -> Self:
        """Return the Tensor itself: `view` and `reshape` take any order in memory.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.
        """
    def masked_fill_(self, mask: ArrayLike, value: ArrayLike) -> Self:
        """Write the result of ``masked_fill`` into the Tensor.

        Parameters
        ----------
        mask : any shape that broadcasts with the Tensor
            Bools.
        value : any shape that broadcasts to the result
            The number, or numbers, to put there. Gradients flow to it.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        OptionError
            If ``mask`` is not made of bools.
        SizeError
            If the shapes do not broadcast together.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def scatter_(self, axis: builtins.int, indices: ArrayLike, values: ArrayLike, *, dim: Axis = None) -> Self:
        """Write the result of ``scatter`` into the Tensor.

        Parameters
        ----------
        x : any shape
            The elements.
        axis
            The axis along which the indices count.
        indices : (...), with as many axes as x, none longer except axis
            Integers; negative ones count from the back.
        values : (), or at least as long as indices along every axis
            The elements to put there. Values beyond the last index are not used.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or ``indices`` or ``values`` has another number of axes or does
            not fit.
        KeyRangeError
            If an index is out of bounds, or is not an integer.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def scatter_add_(self, axis: builtins.int, indices: ArrayLike, values: ArrayLike, *, dim: Axis = None) -> Self:
        """Write the result of ``scatter_add`` into the Tensor.

        Parameters
        ----------
        x : any shape
            The elements.
        axis
            The axis along which the indices count.
        indices : (...), with as many axes as x, none longer except axis
            Integers; negative ones count from the back. All values of a repeated index are added.
        values : (), or at least as long as indices along every axis
            The numbers to add. Values beyond the last index are not used.
        dim
            PyTorch's name of ``axis``.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        SizeError
            If ``x`` has no such axis, or ``indices`` or ``values`` has another number of axes or does
            not fit.
        KeyRangeError
            If an index is out of bounds, or is not an integer.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def mul_(self, other: ArrayLike) -> Self:
        """Write the result of ``mul`` into the Tensor.

        Parameters
        ----------
        other : any shape that broadcasts to the Tensor
            The other operand.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def div_(self, other: ArrayLike) -> Self:
        """Write the result of ``div`` into the Tensor.

        Parameters
        ----------
        other : any shape that broadcasts to the Tensor
            The other operand.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def abs_(self) -> Self:
        """Write the result of ``abs`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def ceil_(self) -> Self:
        """Write the result of ``ceil`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def cos_(self) -> Self:
        """Write the result of ``cos`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def erf_(self) -> Self:
        """Write the result of ``erf`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def exp_(self) -> Self:
        """Write the result of ``exp`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def floor_(self) -> Self:
        """Write the result of ``floor`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def log_(self) -> Self:
        """Write the result of ``log`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def neg_(self) -> Self:
        """Write the result of ``neg`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def pow_(self, other: ArrayLike) -> Self:
        """Write the result of ``pow`` into the Tensor.

        Parameters
        ----------
        other : any shape that broadcasts to the Tensor
            The other operand.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        SizeError
            If the shapes do not broadcast together.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def reciprocal_(self) -> Self:
        """Write the result of ``reciprocal`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def relu_(self) -> Self:
        """Write the result of ``relu`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def round_(self) -> Self:
        """Write the result of ``round`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def sigmoid_(self) -> Self:
        """Write the result of ``sigmoid`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def sin_(self) -> Self:
        """Write the result of ``sin`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def sqrt_(self) -> Self:
        """Write the result of ``sqrt`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def square_(self) -> Self:
        """Write the result of ``square`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def tanh_(self) -> Self:
        """Write the result of ``tanh`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def trunc_(self) -> Self:
        """Write the result of ``trunc`` into the Tensor.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        NotANumberError
            If the dtype of the Tensor cannot hold the result.
        """
    def normal_(self, mean: builtins.float = 0.0, std: builtins.float = 1.0, *, seed: Seed = None) -> Self:
        """Draw every element from a normal distribution, as `gradwalk.random.normal` does.

        Parameters
        ----------
        mean
            The mean.
        std
            The standard deviation, >= 0.
        seed
            An integer (equal ones give equal bits), a generator, or ``None`` for new draws each time.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        OptionError
            If ``std`` is negative, ``seed`` is not a seed, or the dtype is not a floating one.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        """
    def uniform_(self, low: builtins.float = 0.0, high: builtins.float = 1.0, *, seed: Seed = None) -> Self:
        """Draw every element between two bounds, as `gradwalk.random.uniform` does.

        Parameters
        ----------
        low
            The lower bound, included.
        high
            The upper bound, >= ``low``, not included.
        seed
            An integer (equal ones give equal bits), a generator, or ``None`` for new draws each time.

        Returns
        -------
        the shape of the Tensor
            The Tensor itself.

        Raises
        ------
        OptionError
            If low > high, ``seed`` is not a seed, or the dtype is not a floating one.
        InPlaceError
            If the Tensor is a leaf that requires a gradient, outside `no_grad`.
        """
    @property
    def is_leaf(self) -> builtins.bool:
        """Whether the Tensor is not the result of a recorded operation."""
