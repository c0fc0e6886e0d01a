"""Printed by `python -m gradwalk.tensor.printed`; do not edit."""

# mypy: disable-error-code="overload-overlap"
# numbers alone match the first declaration of each function

from collections.abc import Iterable
from math import inf
from typing import Protocol, overload

from ..core.primitive import Primitive
from .signatures import Array, C, Constant, F, Floats, Number
from .value import Value

__all__ = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "clip",
    "cos",
    "cosh",
    "digamma",
    "elu",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "fma",
    "gelu",
    "hardtanh",
    "hypot",
    "leaky_relu",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_sigmoid",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "maximum",
    "minimum",
    "neg",
    "polygamma",
    "pow",
    "reciprocal",
    "relu",
    "round",
    "selu",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinc",
    "sinh",
    "softmax",
    "softplus",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "where",
]

class Unary(Protocol):
    primitive: Primitive
    @overload
    def __call__(self, x: Number) -> float: ...
    @overload
    def __call__(self, x: C) -> C: ...
    @overload
    def __call__(self, x: F) -> F: ...
    @overload
    def __call__(self, x: Array) -> Floats: ...

class Atan2(Protocol):
    primitive: Primitive
    @overload
    def __call__(self, y: Number, x: Number) -> float: ...
    @overload
    def __call__(self, y: C, x: C | Constant) -> C: ...
    @overload
    def __call__(self, y: Constant, x: C) -> C: ...
    @overload
    def __call__(self, y: Constant, x: Constant) -> Floats: ...

class Clip(Protocol):
    primitive: Primitive
    @overload
    def __call__(self, x: Number, min: Number | None = -inf, max: Number | None = inf) -> float: ...
    @overload
    def __call__(self, x: C, min: C | Constant | None = -inf, max: C | Constant | None = inf) -> C: ...
    @overload
    def __call__(self, x: Array, min: Constant | None = -inf, max: Constant | None = inf) -> Floats: ...

class Elu(Protocol):
    primitive: Primitive
    @overload
    def __call__(self, x: Number, alpha: Number = 1.0) -> float: ...
    @overload
    def __call__(self, x: C, alpha: C | Constant = 1.0) -> C: ...
    @overload
    def __call__(self, x: F, alpha: Number = 1.0) -> F: ...
    @overload
    def __call__(self, x: Array, alpha: Constant = 1.0) -> Floats: ...

class Ternary(Protocol):
    primitive: Primitive
    @overload
    def __call__(self, a: Number, b: Number, c: Number) -> float: ...
    @overload
    def __call__(self, a: C, b: C | Constant, c: C | Constant) -> C: ...
    @overload
    def __call__(self, a: Constant, b: C, c: C | Constant) -> C: ...
    @overload
    def __call__(self, a: Constant, b: Constant, c: C) -> C: ...
    @overload
    def __call__(self, a: Constant, b: Constant, c: Constant) -> Floats: ...

class Gelu(Protocol):
    @overload
    def __call__(self, x: Number, approximate: str = 'none') -> float: ...
    @overload
    def __call__(self, x: C, approximate: str = 'none') -> C: ...
    @overload
    def __call__(self, x: F, approximate: str = 'none') -> F: ...
    @overload
    def __call__(self, x: Array, approximate: str = 'none') -> Floats: ...

class Hardtanh(Protocol):
    primitive: Primitive
    @overload
    def __call__(self, x: Number, min_val: Number = -1.0, max_val: Number = 1.0) -> float: ...
    @overload
    def __call__(self, x: C, min_val: C | Constant = -1.0, max_val: C | Constant = 1.0) -> C: ...
    @overload
    def __call__(self, x: F, min_val: Number = -1.0, max_val: Number = 1.0) -> F: ...
    @overload
    def __call__(self, x: Array, min_val: Constant = -1.0, max_val: Constant = 1.0) -> Floats: ...

class Binary(Protocol):
    primitive: Primitive
    @overload
    def __call__(self, a: Number, b: Number) -> float: ...
    @overload
    def __call__(self, a: C, b: C | Constant) -> C: ...
    @overload
    def __call__(self, a: Constant, b: C) -> C: ...
    @overload
    def __call__(self, a: Constant, b: Constant) -> Floats: ...

class LeakyRelu(Protocol):
    primitive: Primitive
    @overload
    def __call__(self, x: Number, negative_slope: Number = 0.01) -> float: ...
    @overload
    def __call__(self, x: C, negative_slope: C | Constant = 0.01) -> C: ...
    @overload
    def __call__(self, x: F, negative_slope: Number = 0.01) -> F: ...
    @overload
    def __call__(self, x: Array, negative_slope: Constant = 0.01) -> Floats: ...

class LogSoftmax(Protocol):
    @overload
    def __call__(self, xs: C, axis: int | tuple[int, ...] | None = -1) -> C: ...
    @overload
    def __call__(self, xs: F, axis: int | tuple[int, ...] | None = -1) -> F: ...
    @overload
    def __call__(self, xs: Array, axis: int | tuple[int, ...] | None = -1) -> Floats: ...
    @overload
    def __call__(self, xs: Iterable[float], axis: int | tuple[int, ...] | None = -1) -> list[float]: ...
    @overload
    def __call__(self, xs: Iterable[Value | float], axis: int | tuple[int, ...] | None = -1) -> list[Value]: ...
    @overload
    def __call__(self, xs: Iterable[C | float], axis: int | tuple[int, ...] | None = -1) -> list[C]: ...

class Logsumexp(Protocol):
    @overload
    def __call__(self, xs: C, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> C: ...
    @overload
    def __call__(self, xs: Array, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Floats: ...
    @overload
    def __call__(self, xs: Iterable[float], axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> float: ...
    @overload
    def __call__(self, xs: Iterable[Value | float], axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Value: ...
    @overload
    def __call__(self, xs: Iterable[C | float], axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> C: ...

class Polygamma(Protocol):
    primitive: Primitive
    @overload
    def __call__(self, n: Number, x: Number) -> float: ...
    @overload
    def __call__(self, n: C, x: C | Constant) -> C: ...
    @overload
    def __call__(self, n: Constant, x: C) -> C: ...
    @overload
    def __call__(self, n: Constant, x: Constant) -> Floats: ...

class Where(Protocol):
    primitive: Primitive
    @overload
    def __call__(self, condition: Number, a: Number, b: Number) -> float: ...
    @overload
    def __call__(self, condition: C, a: C | Constant, b: C | Constant) -> C: ...
    @overload
    def __call__(self, condition: Constant, a: C, b: C | Constant) -> C: ...
    @overload
    def __call__(self, condition: Constant, a: Constant, b: C) -> C: ...
    @overload
    def __call__(self, condition: Constant, a: Constant, b: Constant) -> Floats: ...

abs: Unary
"""Absolute value of x.

    y = |x|

Where the derivative jumps: slope 0 at 0.
"""
acos: Unary
"""Inverse cosine of x, in radians.

    y = arccos x
"""
acosh: Unary
"""Inverse hyperbolic cosine of x.

    y = arcosh x
"""
asin: Unary
"""Inverse sine of x, in radians.

    y = arcsin x
"""
asinh: Unary
"""Inverse hyperbolic sine of x.

    y = arsinh x
"""
atan: Unary
"""Inverse tangent of x, in radians.

    y = arctan x
"""
atan2: Atan2
"""Angle of the point (x, y), in radians, from -pi to pi.

    y = atan2(y, x)

Where the derivative jumps: slope 0 at the origin.
"""
atanh: Unary
"""Inverse hyperbolic tangent of x.

    y = artanh x
"""
cbrt: Unary
"""Cube root of x.

    y = ∛x
"""
ceil: Unary
"""Smallest integer not below x.

    y = ⌈x⌉

Declared to have no derivative: no gradient passes through it.
"""
clip: Clip
"""x, held between min and max.

    y = min(max(x, l), h)

Where the derivative jumps: slope 1 on both bounds.
"""
cos: Unary
"""Cosine of x (radians).

    y = cos x
"""
cosh: Unary
"""Hyperbolic cosine of x.

    y = cosh x
"""
digamma: Unary
"""Derivative of lgamma; NaN at its poles below 0.

    y = ψ(x)
"""
elu: Elu
"""x if it is positive, else alpha (e^x - 1).

    y = x if x > 0; α (eˣ - 1) if x ≤ 0

Where the derivative jumps: the slope from the left, alpha, at 0.
"""
erf: Unary
"""Error function of x.

    y = erf x
"""
erfc: Unary
"""1 - erf(x), exact for large x.

    y = erfc x
"""
exp: Unary
"""e to the power x.

    y = eˣ
"""
exp2: Unary
"""2 to the power x.

    y = 2ˣ
"""
expm1: Unary
"""e to the power x minus 1, exact near 0.

    y = eˣ - 1
"""
floor: Unary
"""Largest integer not above x.

    y = ⌊x⌋

Declared to have no derivative: no gradient passes through it.
"""
fma: Ternary
"""a times b plus c, rounded once.

    y = a b + c
"""
gelu: Gelu
"""Return x times the normal distribution function, exact or by its tanh approximation.

    y = x Φ(x),  or  y = x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))  for approximate="tanh"

Parameters
----------
x : any shape
    A number, a Value, an array or a Tensor.
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
NotANumberError
    If ``x`` is no number and no array.

References
----------
Hendrycks and Gimpel, Gaussian Error Linear Units (2016).
"""
hardtanh: Hardtanh
"""x, held between two bounds.

    y = min(max(x, l), h)

Where the derivative jumps: slope 0 on both bounds.
"""
hypot: Binary
"""Length of the vector (a, b).

    y = √(a² + b²)

Where the derivative jumps: slope 0 at the origin.
"""
leaky_relu: LeakyRelu
"""x if it is positive, else a small multiple of x.

    y = max(x, 0) + s min(x, 0)

Where the derivative jumps: the negative slope at 0.
"""
lgamma: Unary
"""Logarithm of the absolute value of the gamma function.

    y = ln |Γ(x)|
"""
log: Unary
"""Natural logarithm of x.

    y = ln x
"""
log10: Unary
"""Logarithm of x to base 10.

    y = log₁₀ x
"""
log1p: Unary
"""Natural logarithm of 1 + x, exact near 0.

    y = ln(1 + x)
"""
log2: Unary
"""Logarithm of x to base 2.

    y = log₂ x
"""
log_sigmoid: Unary
"""Logarithm of the logistic function of x.

    y = ln σ(x)
"""
log_softmax: LogSoftmax
"""Return the logarithms of the softmax of a list, accurate for values close to 1 too.

    yᵢ = xᵢ - ln Σⱼ exp(xⱼ)

Parameters
----------
xs : (n,) or any shape
    A list of numbers and Values, or an array or Tensor of any shape.
axis
    The axis of an array, or the axes, along which the exponentials of the results add up to 1;
    all if ``None``.

Returns
-------
the shape of xs
    A list for a list, an array for an array.

Raises
------
SizeError
    If the array has no such axis.
OptionError
    If the list is empty.
NotANumberError
    If ``xs`` is no list of numbers and no array.
"""
logaddexp: Binary
"""Logarithm of e^a + e^b.

    y = ln(eᵃ + eᵇ)
"""
logsumexp: Logsumexp
"""Return the logarithm of the sum of the exponentials of a list, without overflow.

    y = ln Σᵢ exp(xᵢ)

Parameters
----------
xs : (n,) or any shape
    A list of numbers and Values, or an array or Tensor of any shape.
axis
    The axis of an array, or the axes, along which exponentials are added; all if ``None``. A
    list has no others.
keepdims
    Whether the axes of an array that were summed remain, with length 1.

Returns
-------
() for a list, the shape of xs without the axes for an array
    The logarithms; -inf for an empty array.

Raises
------
SizeError
    If the array has no such axis.
OptionError
    If the list is empty.
NotANumberError
    If ``xs`` is no list of numbers and no array.
"""
maximum: Binary
"""The larger of a and b; NaN if either is NaN.

    y = max(a, b)

Where the derivative jumps: a tie gives half to each.
"""
minimum: Binary
"""The smaller of a and b; NaN if either is NaN.

    y = min(a, b)

Where the derivative jumps: a tie gives half to each.
"""
neg: Unary
"""Negative of x.

    y = -x
"""
polygamma: Polygamma
"""n-th derivative of digamma, for whole n >= 0 (n <= 8 below x = 0).

    y = ψ⁽ⁿ⁾(x)
"""
pow: Binary
"""a to the power b.

    y = aᵇ

Where the derivative jumps: 0 to any power >= 0 does not depend on the exponent.
"""
reciprocal: Unary
"""One divided by x.

    y = 1/x
"""
relu: Unary
"""x if it is positive, else 0.

    y = max(x, 0)

Where the derivative jumps: slope 0 at 0.
"""
round: Unary
"""Nearest integer, ties to the even one.

    y = round x

Declared to have no derivative: no gradient passes through it.
"""
selu: Unary
"""The self-normalising elu.

    y = λ elu(x, α)

Where the derivative jumps: the slope from the left at 0.
"""
sigmoid: Unary
"""Logistic function of x.

    y = σ(x) = 1/(1 + e⁻ˣ)
"""
sign: Unary
"""-1, 0 or 1.

    y = sign x

Declared to have no derivative: no gradient passes through it.
"""
silu: Unary
"""x times its logistic function (swish).

    y = x σ(x)
"""
sin: Unary
"""Sine of x (radians).

    y = sin x
"""
sinc: Unary
"""Sine of pi x over pi x, 1 at 0.

    y = (sin π x)/(π x)
"""
sinh: Unary
"""Hyperbolic sine of x.

    y = sinh x
"""
softmax: LogSoftmax
"""Return numbers that are proportional to the exponentials of a list and add up to 1.

    yᵢ = exp(xᵢ) / Σⱼ exp(xⱼ)

Parameters
----------
xs : (n,) or any shape
    A list of numbers and Values, or an array or Tensor of any shape.
axis
    The axis of an array, or the axes, along which the results add up to 1; all if ``None``.

Returns
-------
the shape of xs
    A list for a list, an array for an array.

Raises
------
SizeError
    If the array has no such axis.
OptionError
    If the list is empty.
NotANumberError
    If ``xs`` is no list of numbers and no array.
"""
softplus: Unary
"""A smooth maximum of x and 0.

    y = ln(1 + eˣ)
"""
sqrt: Unary
"""Square root of x.

    y = √x
"""
square: Unary
"""Square of x.

    y = x²
"""
tan: Unary
"""Tangent of x (radians).

    y = tan x
"""
tanh: Unary
"""Hyperbolic tangent of x.

    y = tanh x
"""
where: Where
"""a where the condition holds, else b.

    y = a if c; b if ¬ c
"""
