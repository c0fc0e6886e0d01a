"""Numbers of 50 digits as a carrier: the table's operations and rules run on mpmath's numbers.

A primitive with a name in C is mpmath's function. A composition is computed as the table has it.
`FORMULAS` has the primitives whose compositions are made for the digits of a double: series that
end where a double does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

from ..core.carrier import Carrier
from ..errors import MissingExtraError, NotANumberError

__all__ = ["DIGITS", "Precise", "mpmath"]

DIGITS = 50

Real: TypeAlias = Any
"""A number of mpmath, which has no types."""


def mpmath() -> Any:
    """Return the module mpmath. Raise `MissingExtraError` without it."""
    try:
        import mpmath as found  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtraError(
            where="check.precision",
            expected="mpmath, which computes in 50 digits",
            got=f"an installation without it ({error})",
            fix="Install it: pip install mpmath.",
        ) from error
    return found


class Precise(Carrier):
    """A number of 50 digits."""

    __slots__ = ("x",)
    _is_number: ClassVar[bool] = True
    _records: ClassVar[bool] = False

    def __init__(self, x: Any) -> None:
        self.x: Any = x.x if isinstance(x, Precise) else mpmath().mpf(x)

    @classmethod
    def _apply(cls, primitive: Any, args: tuple[Any, ...]) -> Any:
        numbers = [cls(_exact(a)) for a in args]
        f = _function(primitive)
        if f is None:
            try:
                result = primitive.forward(*numbers)
            except TypeError as error:  # it computes with floats, or with arrays
                raise NotANumberError(
                    where="precision(loss, wrt)",
                    expected=f"operations that can be computed in {DIGITS} digits",
                    got=f"{primitive.name} ({error})",
                    fix="Pass a part of the computation that is made of other operations.",
                ) from error
            return result if isinstance(result, (bool, Precise)) else cls(result)
        try:
            result = f(*[n.x for n in numbers])
        except (ValueError, ZeroDivisionError):  # a pole
            result = mpmath().nan
        return result if type(result) is bool else cls(_real(result))

    @property
    def data(self) -> Precise:
        """The number itself: none has a derivative."""
        return self

    def __neg__(self) -> Precise:
        return Precise(-self.x)

    def __abs__(self) -> Precise:
        return Precise(abs(self.x))

    def __bool__(self) -> bool:
        return bool(self.x != 0)

    __hash__ = None  # type: ignore[assignment]


def _exact(x: Any) -> Real:
    """Return the number of 50 digits that is meant by a constant of a rule, such as ln 2."""
    return x.x if isinstance(x, Precise) else _constants().get(x, mpmath().mpf(x))


_exactly: dict[float, Any] = {}


def _constants() -> dict[float, Any]:
    if not _exactly:
        mp = mpmath()
        third, two, ten = mp.mpf(1) / 3, mp.log(2), mp.log(10)
        pi, tail = mp.pi * 1, mp.mpf("0.044715")
        selu = mp.mpf("1.0507009873554804934193349852946")
        alpha = mp.mpf("1.6732632423543772848170429916717")
        exact = [third, 2 * third, two, 1 / two, ten, 1 / ten, pi, 1 / pi, 2 / mp.sqrt(pi), tail]
        exact += [mp.sqrt(2 / pi), mp.sqrt(8 / pi), 1 / mp.sqrt(2 * pi), mp.sqrt(2), mp.sqrt(0.5)]
        exact += [3 * tail, selu, alpha, selu * alpha, 1 / mp.sqrt(pi), pi**2, pi**2 / 3]
        _exactly.update({float(x): x for x in exact})
        _exactly.update({-float(x): -x for x in exact})
    return _exactly


def _real(x: Real) -> Real:
    """Return a real number: NaN for a complex one, as a double has it."""
    mp = mpmath()
    return mp.mpf("nan") if isinstance(x, mp.mpc) and x.imag != 0 else getattr(x, "real", x)


def _arithmetic(name: str, reflected: bool) -> Callable[[Precise, Any], Precise]:
    def operate(self: Precise, other: Any) -> Precise:
        a, b = self.x, _exact(other)
        a, b = (b, a) if reflected else (a, b)
        return Precise(_formulas()[name](a, b))

    return operate


def _comparison(name: str) -> Callable[[Precise, Any], bool]:
    def compare(self: Precise, other: Any) -> bool:
        return bool(getattr(self.x, name)(_exact(other)))

    return compare


for _name in ("add", "sub", "mul", "div", "floordiv", "mod", "pow"):
    _slot = "truediv" if _name == "div" else _name
    setattr(Precise, f"__{_slot}__", _arithmetic(_name, reflected=False))
    setattr(Precise, f"__r{_slot}__", _arithmetic(_name, reflected=True))
for _name in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"):
    setattr(Precise, _name, _comparison(_name))


def _function(primitive: Any) -> Callable[..., Any] | None:
    """Return mpmath's function of a primitive; ``None`` for a composition."""
    name = primitive.libm or primitive.name
    family, _, orders = name.partition("_")
    if family in ("gammainc", "betainc", "betaincc") and orders:  # derivatives in the parameters
        return _derivative_of(family, [*map(int, orders.split("_"))])
    bessel = re.fullmatch(r"i(\d+)(e?)(_slope)?", name)
    if bessel:
        return _bessel(int(bessel[1]), bool(bessel[2]), bool(bessel[3]))
    return _formulas().get(name)


def _bessel(n: int, scaled: bool, slope: bool) -> Callable[..., Any]:
    """Return Iₙ, or e^-|x| Iₙ(x), or the derivative of the latter."""
    mp = mpmath()

    def value(x: Real) -> Real:
        y = mp.besseli(n, x)
        if slope:
            y = mp.besseli(n, x, derivative=1) - mp.sign(x) * y
        return mp.exp(-abs(x)) * y if scaled else y

    return value


def _logarithm(mp: Any, f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: mp.log(f(*args))


def _derivative_of(family: str, orders: list[int]) -> Callable[..., Any]:
    """Return a derivative of an incomplete function in its parameters, by mpmath's differences."""
    mp, f = mpmath(), _formulas()[family]

    def derivative(*args: Real) -> Real:
        *parameters, x = args
        return mp.diff(lambda *at: f(*at, x), tuple(parameters), tuple(orders))

    return derivative


_known: dict[str, Callable[..., Any]] = {}


def _formulas() -> dict[str, Callable[..., Any]]:
    if not _known:
        _known.update(_made(mpmath()))
    return _known


def _made(mp: Any) -> dict[str, Callable[..., Any]]:
    inf = mp.inf
    one = "exp expm1 log log1p log10 sqrt cos sin tan asin acos atan sinh cosh tanh asinh acosh"
    found = {name: getattr(mp, name) for name in f"{one} atanh erf erfc floor ceil".split()}

    def divide(a: Real, b: Real) -> Real:
        return a / b if b else mp.nan if not a else mp.sign(a) * inf

    def power(a: Real, b: Real) -> Real:
        if not a:
            return mp.mpf(1) if not b else inf if b < 0 else mp.mpf(0)
        return mp.power(a, b) if a > 0 or mp.isint(b) else mp.nan

    def sigmoid(x: Real) -> Real:
        return 1 / (1 + mp.exp(-x))

    def gelu_argument(x: Real) -> Real:
        return mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3)

    def inverse(f: Callable[..., Any], density: Callable[..., Any]) -> Callable[..., Any]:
        """Return x with f(a, …, x) = p, by Newton's method from the middle of a bracket."""

        def solve(*args: Real) -> Real:
            *parameters, p = args
            low, high = mp.mpf(0), mp.mpf(1)
            while f(*parameters, high) < p:
                high *= 2
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if f(*parameters, middle) < p else (low, middle)
            x = (low + high) / 2
            for _ in range(3):  # 16 digits, 32, 64
                x -= (f(*parameters, x) - p) / density(*parameters, x)
            return x

        return solve

    def gamma_density(a: Real, x: Real) -> Real:
        return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))

    def beta_density(a: Real, b: Real, x: Real) -> Real:
        return mp.power(x, a - 1) * mp.power(1 - x, b - 1) / mp.beta(a, b)

    def gammainc(a: Real, x: Real) -> Real:
        return mp.gammainc(a, 0, x, regularized=True)

    def betainc(a: Real, b: Real, x: Real) -> Real:
        return mp.betainc(a, b, 0, x, regularized=True)

    families = {
        "gamma_density": gamma_density,
        "gammainc": gammainc,
        "gammaincc": lambda a, x: mp.gammainc(a, x, inf, regularized=True),
        "gammaincinv": inverse(gammainc, gamma_density),
        "beta": mp.beta,
        "betaln": lambda a, b: mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b),
        "beta_density": beta_density,
        "betainc": betainc,
        "betaincc": lambda a, b, x: mp.betainc(a, b, x, 1, regularized=True),
        "betaincinv": inverse(betainc, beta_density),
        "digamma_gap": lambda a, b: mp.psi(0, a + b) - mp.psi(0, a),
        "gamma_gap": lambda a, x: mp.log(x) - mp.psi(0, a),
        "beta_gap": lambda a, b, x: mp.log(x) + mp.psi(0, a + b) - mp.psi(0, a),
        "beta_gap_of_b": lambda a, b, x: mp.log(1 - x) + mp.psi(0, a + b) - mp.psi(0, b),
    }
    logs = ("gamma_density", "gammainc", "gammaincc", "beta_density", "betainc", "betaincc")
    families |= {f"log_{name}": _logarithm(mp, families[name]) for name in logs}
    return (
        found
        | families
        | {
            "add": lambda a, b: a + b,
            "sub": lambda a, b: a - b,
            "mul": lambda a, b: a * b,
            "div": divide,
            "pow": power,
            "fma": lambda a, b, c: a * b + c,
            "mod": lambda a, b: a - b * mp.floor(a / b),
            "floordiv": lambda a, b: mp.floor(a / b),
            "log": lambda x: mp.log(x) if x else -inf,
            "log2": lambda x: mp.log(x) / mp.log(2) if x else -inf,
            "exp2": lambda x: mp.power(2, x),
            "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
            "hypot": lambda a, b: mp.sqrt(a * a + b * b),
            "atan2": mp.atan2,
            "round": mp.nint,
            "fabs": abs,
            "sinc": mp.sincpi,
            "lgamma": lambda x: mp.loggamma(x).real,
            "digamma": lambda x: mp.psi(0, x),
            "polygamma": lambda n, x: mp.psi(int(n), x),
            "sigmoid": sigmoid,
            "softplus": lambda x: mp.log(1 + mp.exp(x)),
            "log_sigmoid": lambda x: -mp.log(1 + mp.exp(-x)),
            "logaddexp": lambda a, b: max(a, b) + mp.log(1 + mp.exp(-abs(a - b))),
            "silu": lambda x: x * sigmoid(x),
            "gelu": lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2,
            "gelu_slope": lambda t, x: t * (mp.erfc(-x / mp.sqrt(2)) / 2 + x * mp.npdf(x)),
            "gelu_tanh": lambda x: x * sigmoid(2 * gelu_argument(x)),
            "erf_slope": lambda t, x: t * 2 / mp.sqrt(mp.pi) * mp.exp(-x * x),
        }
    )
