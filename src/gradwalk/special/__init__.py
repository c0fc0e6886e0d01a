"""Special functions under SciPy's names, with derivatives of every order in every argument.

>>> from gradwalk import grad, special
>>> round(special.gammainc(2.0, 3.0), 6)
0.800852
>>> round(grad(special.gammainc, argnums=0)(2.0, 3.0), 6)
-0.197425

They take numbers, arrays, Values, Tensors and what is traced.
"""

from __future__ import annotations

from ..core.rooms import as_room
from ..engine.functions import (
    cbrt,
    digamma,
    erf,
    erfc,
    exp2,
    expm1,
    log1p,
    log_softmax,
    logsumexp,
    polygamma,
    sinc,
    softmax,
)
from ..engine.functions import digamma as psi
from ..engine.functions import lgamma as gammaln
from ..engine.functions import log_sigmoid as log_expit
from ..engine.functions import sigmoid as expit
from ..tensor.functions.special import (
    beta,
    betainc,
    betaln,
    erfcx,
    erfinv,
    gammainc,
    i0,
    i1,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    xlog1py,
    xlogy,
)
from .functions import (
    betaincc,
    betaincinv,
    entr,
    erfcinv,
    exp10,
    gamma,
    gammaincc,
    gammaincinv,
    i0e,
    i1e,
    rel_entr,
)

__all__ = [
    "beta",
    "betainc",
    "betaincc",
    "betaincinv",
    "betaln",
    "cbrt",
    "digamma",
    "entr",
    "erf",
    "erfc",
]
__all__ += ["erfcinv", "erfcx", "erfinv", "exp10", "exp2", "expit", "expm1", "gamma", "gammainc"]
__all__ += ["gammaincc", "gammaincinv", "gammaln", "i0", "i0e", "i1", "i1e", "log1p", "log_expit"]
__all__ += ["log_ndtr", "log_softmax", "logit", "logsumexp", "ndtr", "ndtri", "polygamma", "psi"]
__all__ += ["rel_entr", "sinc", "softmax", "xlog1py", "xlogy"]

as_room(__name__)
