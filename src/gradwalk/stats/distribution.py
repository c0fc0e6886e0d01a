"""What distributions have in common: SciPy's arguments, and what follows from few functions."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from math import inf, nan
from typing import TYPE_CHECKING, Any, Protocol, cast, overload

import numpy as np

from ..engine.functions import exp, where
from ..engine.functions import log as ln
from ..errors import OptionError
from ..ops.arithmetic import equal
from ..tensor.functions.special import given

if TYPE_CHECKING:
    from ..tensor import Tensor
    from ..tensor.functions.types import ArrayLike

    Number = Tensor | ArrayLike

__all__ = ["Distribution", "Frozen", "generator"]

Formula = Callable[..., Any]


class OfPoint(Protocol):
    """A method of a distribution: of numbers alone it gives a number."""

    @overload
    def __call__(  # type: ignore[overload-overlap]  # NumPy's arrays include numbers
        self, x: float, /, *args: float, **named: float
    ) -> float: ...
    @overload
    def __call__(self, x: Number, /, *args: Number, **named: Number) -> Tensor: ...


def of_point(method: Formula) -> OfPoint:
    """Declare the types of a method, which type checkers then read instead of its signature."""
    return cast(Any, method)  # type: ignore[no-any-return]


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


def _is_positive(scale: Any) -> bool:
    return type(scale) in (float, int) and scale > 0.0


def _exp_of(log_density: Formula) -> Formula:
    """Return the density; where it is 0, no gradient flows: the logarithm has an infinite one."""

    def density(*args: Any) -> Any:
        y = log_density(*args)
        none = equal(y, -inf)
        return where(none, 0.0, exp(where(none, 0.0, y)))

    return density


def _of_integers(formula: Formula, none: float) -> Formula:
    """Return the formula at integers, and ``none`` between them."""

    def at(k: Any, *shapes: Any) -> Any:
        between = k % 1.0 > 0.0
        return where(between, none, formula(where(between, 0.0, k), *shapes))

    return at


_FIRST: dict[str, tuple[str, ...]] = {"": (), "sample": ()}
_FIRST |= {"ppf": ("q",), "pmf": ("k",), "logpmf": ("k",)}
"""The argument of a method in front of the parameters, if it is not x."""


class Distribution:
    """A distribution by its formulas; shapes, ``loc`` and ``scale`` are SciPy's.

    ``dist.logpdf(x, *shapes, loc=0, scale=1)``, and pdf, cdf, sf, logcdf, logsf, ppf and sample
    likewise, in which x and all parameters may be traced. Impossible parameters make NaN.
    ``dist(*shapes, loc, scale)`` keeps the parameters.
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
        sf: Formula,
        logcdf: Formula,
        logsf: Formula,
        ppf: Formula | None = None,
        support: tuple[float, float] = (-inf, inf),
        density: Formula | None = None,
        valid: Formula | None = None,
        discrete: bool = False,
    ) -> None:
        self.name, self.shapes, self.discrete = name, tuple(shapes.split()), discrete
        self._log_density, self._density = log_density, density or _exp_of(log_density)
        self._cdf, self._sf, self._logcdf, self._logsf = cdf, sf, logcdf, logsf
        self._ppf, self._valid = ppf, valid
        self.support: tuple[float, float] = support
        defaults = {"loc": 0.0} if discrete else {"loc": 0.0, "scale": 1.0}
        names = dict.fromkeys(self.shapes, Parameter.empty) | defaults
        kind, typed = Parameter.POSITIONAL_OR_KEYWORD, "Number"
        shown = [Parameter(n, kind, default=v, annotation=typed) for n, v in names.items()]
        self.__signature__: Signature = Signature(shown, return_annotation="Frozen")

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
            first = _FIRST.get(where_, ("x",))
            method = f"stats.{self.name}" + (f".{where_}" if where_ else "")
            needed = (*first, *(self.shapes or ("loc=0.0",)))
            further = ("size=()", "seed=None") if where_ == "sample" else ()
            raise OptionError(
                where=method,
                expected=f"the parameters ({', '.join([*first, *names, *further])})",
                got=", ".join([f"{len(first) + len(args)} by position", *map(str, named)]),
                fix=f"Write {method}({', '.join(needed)}).",
            )
        read = {n: given(v, f"stats.{self.name}({n})") for n, v in found.items()}
        return [read[n] for n in self.shapes], read.get("loc", 0.0), read.get("scale", 1.0)

    def _known(self, y: Any, shapes: Any, scale: Any) -> Any:
        """Return y where the parameters are possible, else NaN, as SciPy does."""
        fair = self._valid(*shapes) if self._valid else None
        if not _is_positive(scale):
            fair = scale > 0.0 if fair is None else fair & (scale > 0.0)
        return y if fair is None else where(fair, y, nan)

    def _at(self, name: str, formula: Formula, ends: Any, x: Any, args: Any, named: Any) -> Any:
        """Return the formula inside of the support, and what holds below and above of it.

        Infinities count as outside: the formula may be NaN there, and no gradient flows.
        """
        shapes, loc, scale = self._bound(name, args, named)
        width = scale if _is_positive(scale) else where(scale > 0.0, scale, 1.0)
        z: Any = (given(x, name) - loc) / width
        low, high = self.support
        below, above = (z < low) | equal(z, -inf), (z > high) | equal(z, inf)
        inner = low if low > -inf else 0.0
        with np.errstate(all="ignore"):  # SciPy does not warn of poles either
            y = formula(where(below | above, inner if self.discrete else inner + 0.5, z), *shapes)
        y = where(below, ends[0], where(above, ends[1], y))
        return where(equal(z, z), y, nan) if self.discrete else y, shapes, width, scale

    def _density_at(self, name: str, log: bool, x: Any, args: Any, named: Any) -> Any:
        none = -inf if log else 0.0
        formula = self._log_density if log else self._density
        if self.discrete:
            formula = _of_integers(formula, none)
        y, shapes, width, scale = self._at(name, formula, (none, none), x, args, named)
        if not (self.discrete or (type(scale) is float and scale == 1.0)):
            y = y - ln(width) if log else y / width
        return self._known(y, shapes, scale)

    def _tail_at(self, name: str, ends: Any, x: Any, args: Any, named: Any) -> Any:
        formula = getattr(self, f"_{name}")
        y, shapes, _, scale = self._at(name, formula, ends, x, args, named)
        return self._known(y, shapes, scale)

    @of_point
    def logpdf(self, x: Number, *args: Number, **named: Number) -> Any:
        """Return the logarithm of the density at x; -inf outside of the support."""
        return self._density_at("logpdf", True, x, args, named)

    @of_point
    def pdf(self, x: Number, *args: Number, **named: Number) -> Any:
        """Return the density at x."""
        return self._density_at("pdf", False, x, args, named)

    @of_point
    def logpmf(self, k: Number, *args: Number, **named: Number) -> Any:
        """Return the logarithm of the probability of the integer k."""
        return self._density_at("logpmf", True, k, args, named)

    @of_point
    def pmf(self, k: Number, *args: Number, **named: Number) -> Any:
        """Return the probability of the integer k."""
        return self._density_at("pmf", False, k, args, named)

    @of_point
    def cdf(self, x: Number, *args: Number, **named: Number) -> Any:
        """Return the probability of at most x."""
        return self._tail_at("cdf", (0.0, 1.0), x, args, named)

    @of_point
    def sf(self, x: Number, *args: Number, **named: Number) -> Any:
        """Return the probability of more than x, which may be as small as a float can be."""
        return self._tail_at("sf", (1.0, 0.0), x, args, named)

    @of_point
    def logcdf(self, x: Number, *args: Number, **named: Number) -> Any:
        """Return the logarithm of the probability of at most x, even if that underflows."""
        return self._tail_at("logcdf", (-inf, 0.0), x, args, named)

    @of_point
    def logsf(self, x: Number, *args: Number, **named: Number) -> Any:
        """Return the logarithm of the probability of more than x, even if that underflows."""
        return self._tail_at("logsf", (0.0, -inf), x, args, named)

    @of_point
    def ppf(self, q: Number, *args: Number, **named: Number) -> Any:
        """Return the x with cdf(x) = q; it depends on q and on all parameters."""
        shapes, loc, scale = self._bound("ppf", args, named)
        if self._ppf is None:
            raise OptionError(
                where=f"stats.{self.name}.ppf",
                expected="a continuous distribution",
                got=f"{self.name}, whose quantiles jump",
                fix=f"Use scipy.stats.{self.name}.ppf for the numbers; they have no derivative.",
            )
        with np.errstate(all="ignore"):
            p: Any = given(q, "ppf")
            y: Any = loc + scale * self._ppf(p, *shapes)
            y = where((p >= 0.0) & (p <= 1.0), y, nan)
        return self._known(y, shapes, scale)

    def sample(
        self,
        *args: Number,
        size: int | tuple[int, ...] = (),
        seed: int | np.random.Generator | None = None,
        **named: Number,
    ) -> Tensor:
        """Return random numbers, which depend on the parameters: quantiles of even ones.

        x = ppf(u),  u even in (0, 1)
        """
        self._bound("sample", args, named)
        u: Any = generator(seed).uniform(np.finfo(float).tiny, 1.0, size)
        return self.ppf(u, *args, **named)

    def __call__(self, *args: Number, **named: Number) -> Frozen:
        """Return the distribution with these parameters."""
        self._bound("", args, named)
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
