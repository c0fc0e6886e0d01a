"""Functions of NumPy for samples and rows: another part of the table `RENAMED`."""

from __future__ import annotations

__all__ = ["STATISTICS"]

STATISTICS: dict[str, str] = {
    **{
        f"nan{name}": f"nan{name} a axis=axis keepdims=keepdims"
        for name in ("max", "min", "argmax", "argmin", "mean", "median")
    },
    **{f"nan{name}": f"nan{name} a axis=axis dtype=dtype" for name in ("cumsum", "cumprod")},
    **{
        f"nan{name}": f"nan{name} a axis=axis dtype=dtype keepdims=keepdims"
        for name in ("sum", "prod")
    },
    **{
        f"nan{name}": f"nan{name} a axis=axis ddof=correction correction=correction "
        "keepdims=keepdims"
        for name in ("var", "std")
    },
    **{
        f"nan{name}": f"nan{name} a q axis=axis keepdims=keepdims"
        for name in ("quantile", "percentile")
    },
    "cov": "cov m y=y rowvar=rowvar bias=bias ddof=ddof fweights=fweights aweights=aweights",
    "corrcoef": "corrcoef x y=y rowvar=rowvar",
    "interp": "interp x xp fp left=left right=right period=period",
    "convolve": "convolve a v mode=mode",
    "correlate": "correlate a v mode=mode",
    "quantile": "quantile a q axis=axis keepdims=keepdims",
    "partition": "partition a kth axis=axis",
    "argpartition": "argpartition a kth axis=axis",
    "block": "block arrays",
    "insert": "insert arr obj values axis=axis",
    "delete": "delete arr obj axis=axis",
    "apply_along_axis": "apply_along_axis func1d axis arr",
    "piecewise": "piecewise x condlist funclist",
}
"""``numpy name: gradwalk's name, arguments by position, and by keyword as numpy=gradwalk``."""
