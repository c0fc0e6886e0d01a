"""Printed by `python -m gradwalk.tensor.printed`; do not edit."""

# mypy: disable-error-code="overload-overlap"
# numbers alone match the first declaration of each function

from collections.abc import Iterable
from math import inf
from typing import Protocol, overload

from .signatures import Array, C, Constant, F, Floats, Number

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
    @overload
    def __call__(self, x: Number) -> float: ...
    @overload
    def __call__(self, x: C) -> C: ...
    @overload
    def __call__(self, x: F) -> F: ...
    @overload
    def __call__(self, x: Array) -> Floats: ...

class Atan2(Protocol):
    @overload
    def __call__(self, y: Number, x: Number) -> float: ...
    @overload
    def __call__(self, y: C, x: C | Constant) -> C: ...
    @overload
    def __call__(self, y: Constant, x: C) -> C: ...
    @overload
    def __call__(self, y: Constant, x: Constant) -> Floats: ...

class Clip(Protocol):
    @overload
    def __call__(self, x: Number, min: Number | None = -inf, max: Number | None = inf) -> float: ...
    @overload
    def __call__(self, x: C, min: C | Constant | None = -inf, max: C | Constant | None = inf) -> C: ...
    @overload
    def __call__(self, x: Array, min: Constant | None = -inf, max: Constant | None = inf) -> Floats: ...

class Elu(Protocol):
    @overload
    def __call__(self, x: Number, alpha: Number = 1.0) -> float: ...
    @overload
    def __call__(self, x: C, alpha: C | Constant = 1.0) -> C: ...
    @overload
    def __call__(self, x: F, alpha: Number = 1.0) -> F: ...
    @overload
    def __call__(self, x: Array, alpha: Constant = 1.0) -> Floats: ...

class Ternary(Protocol):
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
    @overload
    def __call__(self, x: Number, min_val: Number = -1.0, max_val: Number = 1.0) -> float: ...
    @overload
    def __call__(self, x: C, min_val: C | Constant = -1.0, max_val: C | Constant = 1.0) -> C: ...
    @overload
    def __call__(self, x: F, min_val: Number = -1.0, max_val: Number = 1.0) -> F: ...
    @overload
    def __call__(self, x: Array, min_val: Constant = -1.0, max_val: Constant = 1.0) -> Floats: ...

class Binary(Protocol):
    @overload
    def __call__(self, a: Number, b: Number) -> float: ...
    @overload
    def __call__(self, a: C, b: C | Constant) -> C: ...
    @overload
    def __call__(self, a: Constant, b: C) -> C: ...
    @overload
    def __call__(self, a: Constant, b: Constant) -> Floats: ...

class LeakyRelu(Protocol):
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
    def __call__(self, xs: Iterable[C | float], axis: int | tuple[int, ...] | None = -1) -> list[C]: ...

class Logsumexp(Protocol):
    @overload
    def __call__(self, xs: C, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> C: ...
    @overload
    def __call__(self, xs: Array, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Floats: ...
    @overload
    def __call__(self, xs: Iterable[float], axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> float: ...
    @overload
    def __call__(self, xs: Iterable[C | float], axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> C: ...

class Polygamma(Protocol):
    @overload
    def __call__(self, n: Number, x: Number) -> float: ...
    @overload
    def __call__(self, n: C, x: C | Constant) -> C: ...
    @overload
    def __call__(self, n: Constant, x: C) -> C: ...
    @overload
    def __call__(self, n: Constant, x: Constant) -> Floats: ...

class Where(Protocol):
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
"""abs(x): Absolute value of x.

    y = |x|

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Where the derivative jumps: slope 0 at 0.
Plain numbers give a float; with a Value among them the result is a Value.
"""
acos: Unary
r"""acos(x): Inverse cosine of x, in radians.

    y = \arccos x

Domain: x in (-1, 1); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
acosh: Unary
r"""acosh(x): Inverse hyperbolic cosine of x.

    y = \operatorname{arcosh} x

Domain: x in (1, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
asin: Unary
r"""asin(x): Inverse sine of x, in radians.

    y = \arcsin x

Domain: x in (-1, 1); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
asinh: Unary
r"""asinh(x): Inverse hyperbolic sine of x.

    y = \operatorname{arsinh} x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
atan: Unary
r"""atan(x): Inverse tangent of x, in radians.

    y = \arctan x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
atan2: Atan2
r"""atan2(y, x): Angle of the point (x, y), in radians, from -pi to pi.

    y = \operatorname{atan2}(y, x)

Domain: y in (-inf, inf), x in (-inf, inf); NaN or an infinity elsewhere.
Where the derivative jumps: slope 0 at the origin.
Plain numbers give a float; with a Value among them the result is a Value.
"""
atanh: Unary
r"""atanh(x): Inverse hyperbolic tangent of x.

    y = \operatorname{artanh} x

Domain: x in (-1, 1); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
cbrt: Unary
r"""cbrt(x): Cube root of x.

    y = \sqrt[3]{x}

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
ceil: Unary
r"""ceil(x): Smallest integer not below x.

    y = \lceil x \rceil

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Declared to have no derivative: no gradient passes through it.
Plain numbers give a float; with a Value among them the result is a Value.
"""
clip: Clip
r"""clip(x, min=-inf, max=inf): x, held between min and max.

    y = \min(\max(x, \ell), h)

Domain: x in (-inf, inf), min in (-inf, inf), max in (-inf, inf); NaN or an infinity elsewhere.
Where the derivative jumps: slope 1 on both bounds.
Plain numbers give a float; with a Value among them the result is a Value.
"""
cos: Unary
r"""cos(x): Cosine of x (radians).

    y = \cos x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
cosh: Unary
r"""cosh(x): Hyperbolic cosine of x.

    y = \cosh x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
digamma: Unary
r"""digamma(x): Slope of lgamma; NaN at its poles below 0.

    y = \psi(x)

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
elu: Elu
r"""elu(x, alpha=1.0): x if it is positive, else alpha (e^x - 1).

    y = \begin{cases} x & x > 0 \\ \alpha (e^{x} - 1) & x \le 0 \end{cases}

Domain: x in (-inf, inf), alpha in (-inf, inf); NaN or an infinity elsewhere.
Where the derivative jumps: the slope from the left, alpha, at 0.
Plain numbers give a float; with a Value among them the result is a Value.
"""
erf: Unary
r"""erf(x): Error function of x.

    y = \operatorname{erf} x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
erfc: Unary
r"""erfc(x): 1 - erf(x), exact for large x.

    y = \operatorname{erfc} x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
exp: Unary
"""exp(x): e to the power x.

    y = e^{x}

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
exp2: Unary
"""exp2(x): 2 to the power x.

    y = 2^{x}

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
expm1: Unary
"""expm1(x): e to the power x minus 1, exact near 0.

    y = e^{x} - 1

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
floor: Unary
r"""floor(x): Largest integer not above x.

    y = \lfloor x \rfloor

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Declared to have no derivative: no gradient passes through it.
Plain numbers give a float; with a Value among them the result is a Value.
"""
fma: Ternary
r"""fma(a, b, c): a times b plus c, rounded once.

    y = a \, b + c

Domain: a in (-inf, inf), b in (-inf, inf), c in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
gelu: Gelu
"""Return x times the normal distribution function, exact or by its tanh approximation.

    y = x Φ(x),  or  y = x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))  for approximate="tanh"

Hendrycks and Gimpel, Gaussian Error Linear Units (2016).
"""
hardtanh: Hardtanh
r"""hardtanh(x, min_val=-1.0, max_val=1.0): x, held between two bounds.

    y = \min(\max(x, \ell), h)

Domain: x in (-inf, inf), min_val in (-inf, inf), max_val in (-inf, inf); NaN or an infinity elsewhere.
Where the derivative jumps: slope 0 on both bounds.
Plain numbers give a float; with a Value among them the result is a Value.
"""
hypot: Binary
r"""hypot(a, b): Length of the vector (a, b).

    y = \sqrt{a^2 + b^2}

Domain: a in (-inf, inf), b in (-inf, inf); NaN or an infinity elsewhere.
Where the derivative jumps: slope 0 at the origin.
Plain numbers give a float; with a Value among them the result is a Value.
"""
leaky_relu: LeakyRelu
r"""leaky_relu(x, negative_slope=0.01): x if it is positive, else a small multiple of x.

    y = \max(x, 0) + s \min(x, 0)

Domain: x in (-inf, inf), negative_slope in (-inf, inf); NaN or an infinity elsewhere.
Where the derivative jumps: the negative slope at 0.
Plain numbers give a float; with a Value among them the result is a Value.
"""
lgamma: Unary
r"""lgamma(x): Logarithm of the absolute value of the gamma function.

    y = \ln |\Gamma(x)|

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
log: Unary
r"""log(x): Natural logarithm of x.

    y = \ln x

Domain: x in (0, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
log10: Unary
r"""log10(x): Logarithm of x to base 10.

    y = \log_{10} x

Domain: x in (0, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
log1p: Unary
r"""log1p(x): Natural logarithm of 1 + x, exact near 0.

    y = \ln(1 + x)

Domain: x in (-1, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
log2: Unary
r"""log2(x): Logarithm of x to base 2.

    y = \log_2 x

Domain: x in (0, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
log_sigmoid: Unary
r"""log_sigmoid(x): Logarithm of the logistic function of x.

    y = \ln \sigma(x)

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
log_softmax: LogSoftmax
"""Return the logarithms of the softmax of a list, accurate for values close to 1 too.

    yᵢ = xᵢ - ln Σⱼ exp(xⱼ)

A list gives a list. An array gives an array, normalised along ``axis``.
"""
logaddexp: Binary
r"""logaddexp(a, b): Logarithm of e^a + e^b.

    y = \ln(e^{a} + e^{b})

Domain: a in (-inf, inf), b in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
logsumexp: Logsumexp
"""Return the logarithm of the sum of the exponentials of a list, without overflow.

    y = ln Σᵢ exp(xᵢ)

For an array the sum is over ``axis``: one axis, several, or by default all.
"""
maximum: Binary
r"""maximum(a, b): The larger of a and b; NaN if either is NaN.

    y = \max(a, b)

Domain: a in (-inf, inf), b in (-inf, inf); NaN or an infinity elsewhere.
Where the derivative jumps: a tie gives half to each.
Plain numbers give a float; with a Value among them the result is a Value.
"""
minimum: Binary
r"""minimum(a, b): The smaller of a and b; NaN if either is NaN.

    y = \min(a, b)

Domain: a in (-inf, inf), b in (-inf, inf); NaN or an infinity elsewhere.
Where the derivative jumps: a tie gives half to each.
Plain numbers give a float; with a Value among them the result is a Value.
"""
neg: Unary
"""neg(x): Negative of x.

    y = -x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
polygamma: Polygamma
r"""polygamma(n, x): n-th derivative of digamma, for whole n >= 0 (n <= 8 below x = 0).

    y = \psi^{(n)}(x)

Domain: n in (-inf, inf), x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
pow: Binary
"""pow(a, b): a to the power b.

    y = a^{b}

Domain: a in (0, inf), b in (-inf, inf); NaN or an infinity elsewhere.
Where the derivative jumps: 0 to any power >= 0 does not depend on the exponent.
Plain numbers give a float; with a Value among them the result is a Value.
"""
reciprocal: Unary
r"""reciprocal(x): One divided by x.

    y = \frac{1}{x}

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
relu: Unary
r"""relu(x): x if it is positive, else 0.

    y = \max(x, 0)

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Where the derivative jumps: slope 0 at 0.
Plain numbers give a float; with a Value among them the result is a Value.
"""
round: Unary
r"""round(x): Nearest integer, ties to the even one.

    y = \operatorname{round} x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Declared to have no derivative: no gradient passes through it.
Plain numbers give a float; with a Value among them the result is a Value.
"""
selu: Unary
r"""selu(x): The self-normalising elu.

    y = \lambda \operatorname{elu}(x, \alpha)

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Where the derivative jumps: the slope from the left at 0.
Plain numbers give a float; with a Value among them the result is a Value.
"""
sigmoid: Unary
r"""sigmoid(x): Logistic function of x.

    y = \sigma(x) = \frac{1}{1 + e^{-x}}

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
sign: Unary
r"""sign(x): -1, 0 or 1.

    y = \operatorname{sign} x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Declared to have no derivative: no gradient passes through it.
Plain numbers give a float; with a Value among them the result is a Value.
"""
silu: Unary
r"""silu(x): x times its logistic function (swish).

    y = x \, \sigma(x)

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
sin: Unary
r"""sin(x): Sine of x (radians).

    y = \sin x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
sinc: Unary
r"""sinc(x): Sine of pi x over pi x, 1 at 0.

    y = \frac{\sin \pi x}{\pi x}

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
sinh: Unary
r"""sinh(x): Hyperbolic sine of x.

    y = \sinh x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
softmax: LogSoftmax
"""Return numbers that are proportional to the exponentials of a list and add up to 1.

    yᵢ = exp(xᵢ) / Σⱼ exp(xⱼ)

A list gives a list. An array gives an array, normalised along ``axis``.
"""
softplus: Unary
r"""softplus(x): A smooth maximum of x and 0.

    y = \ln(1 + e^{x})

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
sqrt: Unary
r"""sqrt(x): Square root of x.

    y = \sqrt{x}

Domain: x in (0, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
square: Unary
"""square(x): Square of x.

    y = x^2

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
tan: Unary
r"""tan(x): Tangent of x (radians).

    y = \tan x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
tanh: Unary
r"""tanh(x): Hyperbolic tangent of x.

    y = \tanh x

Domain: x in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
where: Where
r"""where(condition, a, b): a where the condition holds, else b.

    y = \begin{cases} a & c \\ b & \neg c \end{cases}

Domain: condition in (-inf, inf), a in (-inf, inf), b in (-inf, inf); NaN or an infinity elsewhere.
Plain numbers give a float; with a Value among them the result is a Value.
"""
