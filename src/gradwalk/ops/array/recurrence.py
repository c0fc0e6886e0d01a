"""THE TABLE of arrays: steps of a recurrent network as one operation, for libraries that have it.

With the gates (i, f, g, o) = x + h Vᵀ a step of a long short-term memory is

    c ← σ(f) c + σ(i) tanh(g),  h ← σ(o) tanh(c)

All slopes of it are known before the reverse pass, so that of a step only its recurrence is left.
"""

from __future__ import annotations

from typing import Any, Final

from ...core.array_primitive import general
from ...core.numeric import NumericArray
from ..activation import sigmoid, sigmoid_slope
from ..trigonometric import tanh, tanh_slope
from .indexing import take
from .product import matmul, mT
from .structure import concat, reshape, split, stack, unstack


def _bounds(width: int) -> tuple[int, ...]:
    return tuple(range(0, 5 * width, width))


def _gates(z: NumericArray) -> Any:
    return split(z, axis=z.ndim - 1, bounds=_bounds(z.shape[-1] // 4))


def _steps(
    x: NumericArray, h: NumericArray, c: NumericArray, w: NumericArray, memo: list[Any]
) -> tuple[Any, Any]:
    states = []
    for row in (x,) if x.ndim == h.ndim else unstack(x, axis=0):
        i, f, g, o = _gates(row + matmul(h, mT(w)))
        c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        h = sigmoid(o) * tanh(c)
        states.append((h, c))
    if x.ndim == h.ndim:
        return states[0]
    hs, cs = zip(*states, strict=True)
    return stack(*hs, axis=0), stack(*cs, axis=0)


def _before(first: NumericArray, states: NumericArray) -> NumericArray:
    """Return the states before each step."""
    n, row = states.shape[0], reshape(first, shape=(1, *first.shape))
    return concat(row, take(states, key=(slice(0, n - 1),)), axis=0, bounds=(0, 1, n))


def shares(
    t: Any, y: Any, x: NumericArray, h: NumericArray, c: NumericArray, w: NumericArray
) -> tuple[Any, ...]:
    """Return the contributions to all operands, of cotangents of the states after each step."""
    single = x.ndim == h.ndim
    (t_h, t_c), (hs, cs) = t, y
    if not single:
        h, c = _before(h, hs), _before(c, cs)
    i, f, g, o = _gates(x + matmul(h, mT(w)))
    out, keep, given = sigmoid(o), sigmoid(f), sigmoid(i)
    slopes = (tanh_slope(out, cs), keep, sigmoid_slope(tanh(g), i), sigmoid_slope(c, f),
              tanh_slope(given, g), sigmoid_slope(tanh(cs), o))  # fmt: skip
    steps = [(a,) if single else unstack(a, axis=0) for a in (t_h, t_c, *slopes)]
    found, to_h, to_c = _back_in_time([*zip(*steps, strict=True)], w)
    z = found[0] if single else stack(*found, axis=0)
    rows, width = reshape(z, shape=(-1, z.shape[-1])), h.shape[-1]
    return z, to_h, to_c, matmul(mT(rows), reshape(h, shape=(-1, width)))


def _back_in_time(steps: list[tuple[Any, ...]], w: NumericArray) -> tuple[list[Any], Any, Any]:
    """Return the contributions to the gates of each step, and to the first state."""
    found: list[Any] = []
    to_h: Any = None
    to_c: Any = None
    for t_h, t_c, out, keep, i, f, g, o in reversed(steps):
        t_h = t_h if to_h is None else t_h + to_h
        t_c = t_c + t_h * out if to_c is None else t_c + t_h * out + to_c
        bounds = _bounds(t_c.shape[-1])
        z = concat(t_c * i, t_c * f, t_c * g, t_h * o, axis=t_c.ndim - 1, bounds=bounds)
        found.append(z)
        to_h, to_c = matmul(z, w), t_c * keep
    return found[::-1], to_h, to_c


def share(index: int, t: Any, *args: Any, memo: list[Any]) -> Any:
    """Return the contribution to an operand; all are computed together, once."""
    if not memo or memo[0][0] is not t:
        memo[:] = [(t, shares(t, *args))]
    found = memo[0][1][index]
    if index == 3:
        memo.clear()
    return found


# fmt: off
lstm: Final = general("lstm",
    lambda t, y, x, h, c, w, memo: share(0, t, y, x, h, c, w, memo=memo),
    lambda t, y, x, h, c, w, memo: share(1, t, y, x, h, c, w, memo=memo),
    lambda t, y, x, h, c, w, memo: share(2, t, y, x, h, c, w, memo=memo),
    lambda t, y, x, h, c, w, memo: share(3, t, y, x, h, c, w, memo=memo),
    forward=_steps, outputs=2, params="x h c weight",
    tex=r"\operatorname{LSTM}(x, h, c)", summary="States of a long short-term memory")
# fmt: on
"""Of a sequence, with an axis of steps in front, or of one step alone: x has the axes of h then."""
