"""The public functions: one per primitive, for numbers, arrays and carriers alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ops import TABLE, composite
from .operators import METHODS
from .signatures import (
    Atan2,
    Binary,
    Clip,
    Elu,
    Gelu,
    Hardtanh,
    LeakyRelu,
    LogSumExp,
    Polygamma,
    Softmax,
    Ternary,
    Unary,
    Where,
)
from .value import ENGINE, Value, engine

if TYPE_CHECKING:
    from inspect import Signature

# fmt: off
_f: dict[str, Any] = {name: engine.function(primitive) for name, primitive in TABLE.items()}
_f |= {name: getattr(composite, name) for name in composite.__all__}

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
hypot: Binary      = _f["hypot"]
logaddexp: Binary  = _f["logaddexp"]
maximum: Binary    = _f["maximum"]
minimum: Binary    = _f["minimum"]
atan2: Atan2       = _f["atan2"]
fma: Ternary       = _f["fma"]
where: Where       = _f["where"]

clip: Clip             = _f["clip"]
elu: Elu               = _f["elu"]
gelu: Gelu             = _f["gelu"]
hardtanh: Hardtanh     = _f["hardtanh"]
leaky_relu: LeakyRelu  = _f["leaky_relu"]
polygamma: Polygamma   = _f["polygamma"]
softmax: Softmax       = _f["softmax"]
log_softmax: Softmax   = _f["log_softmax"]
logsumexp: LogSumExp   = _f["logsumexp"]
# fmt: on

__all__ = ["abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil"]
__all__ += ["clip", "cos", "cosh", "digamma", "elu", "erf", "erfc", "exp", "exp2", "expm1"]
__all__ += ["floor", "fma", "gelu", "hardtanh", "hypot", "leaky_relu", "lgamma", "log"]
__all__ += ["log10", "log1p", "log2", "log_sigmoid", "log_softmax", "logaddexp", "logsumexp"]
__all__ += ["maximum", "minimum", "neg", "polygamma", "pow", "reciprocal", "relu", "round", "selu"]
__all__ += ["sigmoid", "sign", "silu", "sin", "sinc", "sinh", "softmax", "softplus", "sqrt"]
__all__ += ["square", "tan", "tanh", "where"]


def _signature(function: Any) -> Signature:
    """Return the signature of a function of the native engine, for `help` and `inspect`."""
    from inspect import Parameter, Signature  # not when gradwalk is imported: it takes 5 ms

    primitive = function.primitive
    given = [Parameter.empty] * primitive.required + list(primitive.defaults)
    kind = Parameter.POSITIONAL_OR_KEYWORD
    names = zip(primitive.params, given, strict=True)
    return Signature([Parameter(name, kind, default=value) for name, value in names])


if ENGINE == "native":
    type(_f["exp"]).__signature__ = property(_signature)

for _name in METHODS:  # the functions of the engine are faster than those of the mixin
    setattr(Value, _name, _f[_name])
