"""Five programs of single numbers. Each is written once, for functions by the names of ``m``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Make = Callable[[Any], Callable[..., Any]]


def black_scholes(m: Any) -> Any:
    """Return the price of a call option; its derivative by the spot price is delta."""
    rate, volatility, years, strike = 0.02, 0.2, 1.0, 100.0

    def normal(z: Any) -> Any:
        return 0.5 * (1.0 + m.erf(z * 0.5**0.5))

    def price(spot: Any) -> Any:
        spread = volatility * years**0.5
        up = (m.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
        return spot * normal(up) - strike * m.exp(-rate * years) * normal(up - spread)

    return price


def pendulum(m: Any) -> Any:
    """Return the angle of a damped pendulum after 20 steps of Euler, of the angle at the start."""

    def angle(start: Any) -> Any:
        x, v = start, 0.0 * start
        for _ in range(20):
            x, v = x + 0.05 * v, v - 0.05 * (9.81 * m.sin(x) + 0.3 * v)
        return x

    return angle


def likelihood(m: Any) -> Any:
    """Return the negative logarithm of the likelihood of five answers, of a person's ability."""
    items = [(-1.0, 1.0), (-0.5, 1.0), (0.0, 0.0), (0.7, 1.0), (1.5, 0.0)]

    def surprise(ability: Any) -> Any:
        scores = [(1.3 * (ability - difficulty), right) for difficulty, right in items]
        return sum(m.softplus(z) - right * z for z, right in scores) + 0.5 * ability**2

    return surprise


def kepler(m: Any) -> Any:
    """Return the eccentric anomaly by 8 iterations of Newton, of the mean anomaly."""

    def anomaly(mean: Any) -> Any:
        e, x = 0.4, mean
        for _ in range(8):
            x = x - (x - e * m.sin(x) - mean) / (1.0 - e * m.cos(x))
        return x

    return anomaly


def network(m: Any) -> Any:
    """Return the output of a network of 2, 4 and 1 units, written out."""
    hidden = [(0.5, -1.2, 0.1), (1.1, 0.4, -0.3), (-0.7, 0.9, 0.0), (0.2, 0.8, 0.6)]
    last = [0.9, -0.4, 1.3, -0.8]

    def output(x: Any) -> Any:
        units = [m.tanh(a * x + b * (x * x) + c) for a, b, c in hidden]
        return sum(w * unit for w, unit in zip(last, units, strict=True))

    return output


PROGRAMS: dict[str, tuple[Make, float, float]] = {
    "black-scholes": (black_scholes, 50.0, 150.0),
    "pendulum": (pendulum, -2.0, 2.0),
    "likelihood": (likelihood, -3.0, 3.0),
    "kepler": (kepler, 0.1, 3.0),
    "network": (network, -2.0, 2.0),
}
"""By name: the program, and the least and the largest of its arguments."""
