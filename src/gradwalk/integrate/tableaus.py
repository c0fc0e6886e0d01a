"""The coefficients of explicit Runge-Kutta methods.

J. R. Dormand and P. J. Prince, A family of embedded Runge-Kutta formulae (1980), with the
interpolant of L. F. Shampine, Some practical Runge-Kutta formulas (1986); P. Bogacki and L. F.
Shampine, A 3(2) pair of Runge-Kutta formulas (1989).
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["METHODS", "Tableau"]

Row = tuple[float, ...]


class Tableau(NamedTuple):
    """A method: times and weights of the stages, weights of the result, of its error, and of the
    powers of the interpolant. ``order`` is that of the error estimate."""

    order: int
    c: Row
    a: tuple[Row, ...]
    b: Row
    error: Row
    dense: tuple[Row, ...]


RK23 = Tableau(
    order=2,
    c=(0.0, 1 / 2, 3 / 4),
    a=((), (1 / 2,), (0.0, 3 / 4)),
    b=(2 / 9, 1 / 3, 4 / 9),
    error=(5 / 72, -1 / 12, -1 / 9, 1 / 8),
    dense=((1.0, -4 / 3, 5 / 9), (0.0, 1.0, -2 / 3), (0.0, 4 / 3, -8 / 9), (0.0, -1.0, 1.0)),
)
RK45 = Tableau(
    order=4,
    c=(0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0),
    a=(
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    ),
    b=(35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    error=(-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40),
    dense=(
        (1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
        (0.0, 0.0, 0.0, 0.0),
        (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
        (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
        (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
        (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
        (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
    ),
)
METHODS = {"RK45": RK45, "RK23": RK23, "dopri5": RK45}
"""By SciPy's names, and by that of Hairer's program."""
