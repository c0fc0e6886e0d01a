"""What distributions have in common: SciPy's arguments, and what follows from few functions."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.functions import exp, log, where
from ..errors import OptionError
from ..tensor.functions.special import given

if TYPE_CHECKING:
    from ..tensor import Tensor
    from ..tensor.functions.types import ArrayLike

    Parameter = Tensor | ArrayLike

__all__ = ["Distribution", "Frozen", "generator"]

Formula = Callable[..., Any]


def generator(seed: Any) -> np.random.Generator:
    """Return a generator of NumPy for a seed."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise OptionError(
            where="sample(seed=...)",
            expected="a non-negative integer, a numpy.random.Generator or None",
            got=repr(seed),
            fix="Pass seed=0 for equal draws each time.",
        ) from None


class Distribution:
    """A distribution by its formulas; shapes, ``loc`` and ``scale`` are SciPy's.

    ``dist.logpdf(x, *shapes, loc=0, scale=1)``, and pdf, cdf, sf, logcdf, ppf and sample likewise,
    in which x and all parameters may be traced. ``dist(*shapes, loc, scale)`` keeps the parameters.
    """

    name: str
    shapes: tuple[str, ...]
    discrete: bool

    def __init__(
        self,
        name: str,
        shapes: str,
        log_density: Formula,
        cdf: Formula,
        ppf: Formula | None = None,
        support: tuple[float, float] = (-inf, inf),
        logcdf: Formula | None = None,
        discrete: bool = False,
    ) -> None:
        self.name, self.shapes, self.discrete = name, tuple(shapes.split()), discrete
        self._log_density, self._cdf, self._ppf, self._logcdf = log_density, cdf, ppf, logcdf
        self.support: tuple[float, float] = support

    def _bound(
        self, where_: str, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[Any, Any, Any]:
        """Return the shapes, loc and scale of a call."""
        names = (*self.shapes, "loc") if self.discrete else (*self.shapes, "loc", "scale")
        found = dict(zip(names, args, strict=False)) | named
        fits = (
            len(args) <= len(names) and set(found) <= set(names) and set(self.shapes) <= set(found)
        )
        if not fits or len(found) != len(args) + len(named):
            raise OptionError(
                where=f"stats.{self.name}.{where_}",
                expected=f"the parameters ({', '.join(names)})",
                got=", ".join([f"{len(args)} by position", *map(str, named)]),
                fix=f"Write stats.{self.name}.{where_}(x, {', '.join(self.shapes) or 'loc=0.0'}).",
            )
        read = {n: given(v, f"stats.{self.name}({n})") for n, v in found.items()}
        return [read[n] for n in self.shapes], read.get("loc", 0.0), read.get("scale", 1.0)

    def _inside(self, z: Any) -> tuple[Any, Any]:
        """Return whether z can occur, and z where it can."""
        low, high = self.support
        if (low, high) == (-inf, inf) and not self.discrete:
            return None, z
        inside = (z >= low) & (z <= high)
        if self.discrete:
            inside = inside & (z % 1.0 == 0.0)
        return inside, where(
            inside, z, (low if low > -inf else high) + (0 if self.discrete else 0.5)
        )

    def _log(self, name: str, x: Any, args: Any, named: Any) -> Any:
        shapes, loc, scale = self._bound(name, args, named)
        inside, z = self._inside((given(x, name) - loc) / scale)
        y = self._log_density(z, *shapes)
        y = y if self.discrete or (type(scale) is float and scale == 1.0) else y - log(scale)
        return y if inside is None else where(inside, y, -inf)

    def logpdf(self, x: Parameter, *args: Parameter, **named: Parameter) -> Tensor:
        """Return the logarithm of the density at x; -inf outside of the support."""
        return self._log("logpdf", x, args, named)  # type: ignore[no-any-return]

    def pdf(self, x: Parameter, *args: Parameter, **named: Parameter) -> Tensor:
        """Return the density at x."""
        return exp(self._log("pdf", x, args, named))  # type: ignore[no-any-return]

    def logpmf(self, k: Parameter, *args: Parameter, **named: Parameter) -> Tensor:
        """Return the logarithm of the probability of the integer k."""
        return self._log("logpmf", k, args, named)  # type: ignore[no-any-return]

    def pmf(self, k: Parameter, *args: Parameter, **named: Parameter) -> Tensor:
        """Return the probability of the integer k."""
        return exp(self._log("pmf", k, args, named))  # type: ignore[no-any-return]

    def cdf(self, x: Parameter, *args: Parameter, **named: Parameter) -> Tensor:
        """Return the probability of at most x."""
        shapes, loc, scale = self._bound("cdf", args, named)
        z: Any = (given(x, "cdf") - loc) / scale
        low, high = self.support
        if (low, high) == (-inf, inf):
            return self._cdf(z, *shapes)  # type: ignore[no-any-return]
        below, above = z < low, z >= high
        middle = where(below | above, low + 0.5 if not self.discrete else low, z)
        y: Any = self._cdf(middle, *shapes)
        return where(below, 0.0, where(above, 1.0, y))  # type: ignore[no-any-return]

    def sf(self, x: Parameter, *args: Parameter, **named: Parameter) -> Tensor:
        """Return the probability of more than x: 1 - cdf."""
        return 1.0 - self.cdf(x, *args, **named)

    def logcdf(self, x: Parameter, *args: Parameter, **named: Parameter) -> Tensor:
        """Return the logarithm of the probability of at most x."""
        if self._logcdf is None:
            return log(self.cdf(x, *args, **named))
        shapes, loc, scale = self._bound("logcdf", args, named)
        return self._logcdf((given(x, "logcdf") - loc) / scale, *shapes)  # type: ignore[no-any-return]

    def ppf(self, q: Parameter, *args: Parameter, **named: Parameter) -> Tensor:
        """Return the x with cdf(x) = q; it depends on q and on all parameters."""
        shapes, loc, scale = self._bound("ppf", args, named)
        if self._ppf is None:
            raise OptionError(
                where=f"stats.{self.name}.ppf",
                expected="a continuous distribution",
                got=f"{self.name}, whose quantiles jump",
                fix=f"Use scipy.stats.{self.name}.ppf for the numbers; they have no derivative.",
            )
        return loc + scale * self._ppf(given(q, "ppf"), *shapes)  # type: ignore[no-any-return]

    def sample(
        self,
        *args: Parameter,
        size: int | tuple[int, ...] = (),
        seed: int | np.random.Generator | None = None,
        **named: Parameter,
    ) -> Tensor:
        """Return random numbers, which depend on the parameters: quantiles of even ones.

        x = ppf(u),  u even in (0, 1)
        """
        u: Any = generator(seed).uniform(np.finfo(float).tiny, 1.0, size)
        return self.ppf(u, *args, **named)

    def __call__(self, *args: Parameter, **named: Parameter) -> Frozen:
        """Return the distribution with these parameters."""
        self._bound("(...)", args, named)
        return Frozen(self, args, named)

    def __repr__(self) -> str:
        return f"<distribution {self.name}({', '.join(self.shapes)})>"


class Frozen:
    """A distribution with its parameters: ``norm(0.0, 2.0).logpdf(x)``.

    >>> from gradwalk.stats import norm
    >>> norm(1.0, 2.0).cdf(1.0)
    0.5
    """

    dist: Distribution
    args: tuple[Any, ...]
    named: dict[str, Any]

    def __init__(self, dist: Distribution, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.dist, self.args, self.named = dist, args, named

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self.dist, name)
        if name == "sample":
            return lambda **options: method(*self.args, **self.named, **options)
        return lambda x: method(x, *self.args, **self.named)
