"""What users call: one function per row of the table, for plain numbers and Values alike."""

from __future__ import annotations

from typing import Any, Protocol, overload

from ..ops import TABLE as T
from ..ops.composite import gelu, log_softmax, logsumexp, softmax
from .operators import METHODS
from .value import Value, engine


class Unary(Protocol):
    """A function of one number."""

    @overload
    def __call__(self, x: Value) -> Value: ...
    @overload
    def __call__(self, x: float) -> float: ...


class Binary(Protocol):
    """A function of two numbers."""

    @overload
    def __call__(self, a: Value, b: Value | float) -> Value: ...
    @overload
    def __call__(self, a: float, b: Value) -> Value: ...
    @overload
    def __call__(self, a: float, b: float) -> float: ...


class Function(Protocol):
    """A function with options, or of more than two numbers."""

    def __call__(self, *args: Any, **named: Any) -> Any: ...


# fmt: off
_f = {name: engine.function(row) for name, row in T.items()}

neg: Unary         = _f["neg"]
square: Unary      = _f["square"]
reciprocal: Unary  = _f["reciprocal"]
sqrt: Unary        = _f["sqrt"]
cbrt: Unary        = _f["cbrt"]
exp: Unary         = _f["exp"]
expm1: Unary       = _f["expm1"]
exp2: Unary        = _f["exp2"]
log: Unary         = _f["log"]
log1p: Unary       = _f["log1p"]
log2: Unary        = _f["log2"]
log10: Unary       = _f["log10"]
sin: Unary         = _f["sin"]
cos: Unary         = _f["cos"]
tan: Unary         = _f["tan"]
asin: Unary        = _f["asin"]
acos: Unary        = _f["acos"]
atan: Unary        = _f["atan"]
sinh: Unary        = _f["sinh"]
cosh: Unary        = _f["cosh"]
tanh: Unary        = _f["tanh"]
asinh: Unary       = _f["asinh"]
acosh: Unary       = _f["acosh"]
atanh: Unary       = _f["atanh"]
sigmoid: Unary     = _f["sigmoid"]
log_sigmoid: Unary = _f["log_sigmoid"]
softplus: Unary    = _f["softplus"]
relu: Unary        = _f["relu"]
selu: Unary        = _f["selu"]
silu: Unary        = _f["silu"]
erf: Unary         = _f["erf"]
erfc: Unary        = _f["erfc"]
lgamma: Unary      = _f["lgamma"]
digamma: Unary     = _f["digamma"]
sinc: Unary        = _f["sinc"]
abs: Unary         = _f["abs"]
sign: Unary        = _f["sign"]
floor: Unary       = _f["floor"]
ceil: Unary        = _f["ceil"]
round: Unary       = _f["round"]

pow: Binary        = _f["pow"]
atan2: Binary      = _f["atan2"]
hypot: Binary      = _f["hypot"]
logaddexp: Binary  = _f["logaddexp"]
maximum: Binary    = _f["maximum"]
minimum: Binary    = _f["minimum"]
polygamma: Binary  = _f["polygamma"]

leaky_relu: Function = _f["leaky_relu"]
elu: Function        = _f["elu"]
hardtanh: Function   = _f["hardtanh"]
clip: Function       = _f["clip"]
where: Function      = _f["where"]
fma: Function        = _f["fma"]
# fmt: on

__all__ = ["abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil"]
__all__ += ["clip", "cos", "cosh", "digamma", "elu", "erf", "erfc", "exp", "exp2", "expm1"]
__all__ += ["floor", "fma", "gelu", "hardtanh", "hypot", "leaky_relu", "lgamma", "log"]
__all__ += ["log10", "log1p", "log2", "log_sigmoid", "log_softmax", "logaddexp", "logsumexp"]
__all__ += ["maximum", "minimum", "neg", "polygamma", "pow", "reciprocal", "relu", "round", "selu"]
__all__ += ["sigmoid", "sign", "silu", "sin", "sinc", "sinh", "softmax", "softplus", "sqrt"]
__all__ += ["square", "tan", "tanh", "where"]

for _name in METHODS:  # the engine's own functions are faster than those of the mixin
    setattr(Value, _name, _f[_name])
