"""L-BFGS: steps by the curvature that the last gradients show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isfinite, sqrt
from typing import Any, NamedTuple

from ..core.calls import expect_function
from ..core.carrier import is_tensor
from ..core.expect import describe
from ..errors import OptionError
from .checks import loss_number
from .optimizer import Optimizer, Parameters
from .optimizers import NOT_NEGATIVE
from .schedulers import expect_count

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Steps along -H g, where H is an inverse Hessian made of the last gradients.

    ``step(closure)`` evaluates the closure several times: it resets the gradients, computes the
    loss, calls ``backward()`` and returns the loss.

    Parameters
    ----------
    params
        Values and Tensors that are leaves, in one group: a step moves all of them together.
    lr
        The length of a step along -H g, >= 0; with a line search, where the search starts.
    max_iter
        How many steps along -H g a call of ``step`` takes at most, >= 1.
    max_eval
        After how many evaluations of the closure a call of ``step`` starts no further step, >=
        1; ``None`` is 5/4 ``max_iter``.
    tolerance_grad
        ``step`` ends when no gradient is larger, >= 0.
    tolerance_change
        ``step`` ends when no parameter moves more, or the loss changes less, >= 0.
    history_size
        How many changes of parameters and gradients make H, >= 1.
    line_search_fn
        "strong_wolfe" for a search that chooses the length of each step; ``None`` for ``lr``.

    Raises
    ------
    OptionError
        If an option is outside of its range, there is a second group, or a parameter is no
        leaf, of integers, given twice, or there is none.
    NotANumberError
        If ``params`` is no list of Values and Tensors, or an option is no number.

    See Also
    --------
    SGD, gradwalk.optimize.minimize

    References
    ----------
    Nocedal, Updating quasi-Newton matrices with limited storage (1980).

    Nocedal and Wright, Numerical optimization (2006), section 3.5.

    Examples
    --------
    >>> from gradwalk import Value
    >>> x, y = Value(-1.0), Value(1.0)
    >>> optimizer = LBFGS([x, y], line_search_fn="strong_wolfe", max_iter=100)
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (1.0 - x) ** 2 + 100.0 * (y - x * x) ** 2
    ...     loss.backward()
    ...     return loss
    >>> first = optimizer.step(closure)
    >>> round(x.data, 4), round(y.data, 4)
    (1.0, 1.0)
    """

    _ranges = dict.fromkeys(("lr", "tolerance_grad", "tolerance_change"), NOT_NEGATIVE)

    def __init__(
        self,
        params: Parameters,
        lr: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        max_iter = expect_count("LBFGS(max_iter=...)", max_iter)
        evaluations = max_iter * 5 // 4 if max_eval is None else max_eval
        evaluations = expect_count("LBFGS(max_eval=...)", evaluations)
        history_size = expect_count("LBFGS(history_size=...)", history_size)
        options: dict[str, Any] = {"lr": lr, "max_iter": max_iter, "max_eval": evaluations}
        options |= {"tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change}
        options |= {"history_size": history_size, "line_search_fn": line_search_fn}
        super().__init__(params, options)
        self._pairs: list[tuple[Any, Any]] = []  # changes of parameters and of gradients
        self._last: tuple[Any, Any] | None = None  # the gradient and the step before

    def _check_options(self, options: dict[str, Any]) -> None:
        super()._check_options(options)
        if options["line_search_fn"] not in (None, "strong_wolfe"):
            raise OptionError(
                where="LBFGS(line_search_fn=...)",
                expected='None or "strong_wolfe"',
                got=describe(options["line_search_fn"]),
                fix='Write LBFGS(model.parameters(), line_search_fn="strong_wolfe").',
            )

    def add_param_group(self, group: Mapping[str, Any]) -> None:
        """Set the one group of parameters. Raise `OptionError` for a second group."""
        if self.param_groups:
            raise OptionError(
                where="LBFGS(params)",
                expected="one group of parameters, because a step moves all of them together",
                got="a second group",
                fix="Write LBFGS(model.parameters()).",
            )
        super().add_param_group(group)

    # --- all parameters as one vector -------------------------------------------------------------

    def _numbers(self, name: str) -> Any:
        """Return the numbers of all parameters, or all gradients, end to end."""
        import numpy as np

        found = []
        for p in self.param_groups[0]["params"]:
            x = getattr(p, name)
            shape = np.shape(p.data)
            found.append(np.zeros(shape).ravel() if x is None else np.asarray(x, float).ravel())
        return np.concatenate(found)

    def _set(self, numbers: Any) -> None:
        start = 0
        for p in self.param_groups[0]["params"]:
            if is_tensor(p):
                end = start + p.size
                p.data = numbers[start:end].reshape(p.shape).astype(p.dtype)
            else:
                end = start + 1
                p.data = float(numbers[start])
            start = end

    # --- the step ---------------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take steps until a limit is met, and return the loss of the first evaluation.

        Parameters
        ----------
        closure
            Computes the loss again: it resets the gradients, calls ``backward()`` and returns
            the loss.

        Raises
        ------
        OptionError
            If ``closure`` is no function.
        """
        expect_function(closure, "LBFGS.step(closure)")
        group, evaluations = self.param_groups[0], 0

        def evaluate(x: Any = None) -> tuple[float, Any]:
            nonlocal evaluations
            if x is not None:
                self._set(x)
            evaluations += 1
            loss = closure()  # type: ignore[misc]
            return loss_number(loss, "LBFGS.step(closure)"), (loss, self._numbers("grad"))

        value, (first, g) = evaluate()
        x = self._numbers("data")
        for iteration in range(1, group["max_iter"] + 1):
            if abs(g).max() <= group["tolerance_grad"]:
                break
            d = self._direction(g, group["history_size"])
            slope = float(g @ d)
            if slope > -group["tolerance_change"]:
                break
            fresh = self._last is None
            t = min(1.0, 1.0 / abs(g).sum()) * group["lr"] if fresh else group["lr"]
            before, start = value, x
            if group["line_search_fn"]:
                still = group["tolerance_change"]
                t, value, after = _strong_wolfe(evaluate, x, d, t, value, g, slope, still)
                x = x + t * d
                self._set(x)
            else:
                x = x + t * d
                self._set(x)
                if iteration == group["max_iter"]:
                    self._last = (g, x - start)
                    break
                value, (_, after) = evaluate()
            self._last, g = (g, x - start), after
            rests = abs(x - start).max() <= group["tolerance_change"]
            if rests or evaluations >= group["max_eval"]:
                break
            if abs(value - before) < group["tolerance_change"]:
                break
        self._finish_step()
        return first

    def _direction(self, g: Any, history: int) -> Any:
        """Return -H g by the two loops of Nocedal (1980)."""
        if self._last is None:
            return -g
        before, s = self._last
        y = g - before
        if y @ s > 1e-10:
            self._pairs = [*self._pairs, (s, y)][-history:]
        q, alphas = -g, []
        for s, y in reversed(self._pairs):
            alphas.append((s @ q) / (y @ s))
            q = q - alphas[-1] * y
        if self._pairs:
            s, y = self._pairs[-1]
            q = q * ((y @ s) / (y @ y))
        for (s, y), alpha in zip(self._pairs, reversed(alphas), strict=True):
            q = q + s * (alpha - (y @ q) / (y @ s))
        return q

    def state_dict(self) -> dict[str, Any]:
        """Return options and the history of gradients, as lists."""
        last = None if self._last is None else [v.tolist() for v in self._last]
        pairs = [[v.tolist() for v in pair] for pair in self._pairs]
        return {**super().state_dict(), "history": {"pairs": pairs, "last": last}}

    def load_state_dict(self, state_dict: Any) -> None:
        """Restore what `state_dict` saved, but not the parameters."""
        import numpy as np

        size = len(self._numbers("data"))
        try:
            pairs, last = state_dict["history"]["pairs"], state_dict["history"]["last"]
            found = np.array([*pairs, *([] if last is None else [last])], float)
            found = found.reshape(-1, 2, size)
            ready = len(found) == len(pairs) + (last is not None)
        except (LookupError, TypeError, ValueError) as error:
            raise self._wrong_state([size], describe(state_dict)) from error
        if not ready:
            raise self._wrong_state([size], "a history of other parameters")
        super().load_state_dict(state_dict)
        self._pairs = [(s, y) for s, y in found[: len(pairs)]]
        self._last = None if last is None else (found[-1][0], found[-1][1])


class _Point(NamedTuple):
    """What a line search knows at one length: the loss, its slope along the line, the gradient."""

    t: float
    loss: float
    slope: float
    gradient: Any


SEARCHED = 25  # evaluations of a line search, as PyTorch has it
ENOUGH, FLAT = 1e-4, 0.9  # c₁ and c₂ of Nocedal and Wright


def _strong_wolfe(
    evaluate: Callable[..., Any],
    x: Any,
    d: Any,
    t: float,
    value: float,
    g: Any,
    slope: float,
    still: float,
) -> tuple[float, float, Any]:
    """Return a length with enough descent and a flat enough slope, its loss and its gradient.

    Nocedal and Wright (2006), algorithms 3.5 and 3.6, with the safeguards of Schmidt's minFunc
    (2005), which PyTorch has as well: so the lengths are PyTorch's. The search ends when a bracket
    is shorter than ``still``.
    """
    start = _Point(0.0, value, slope, g)

    def at(t: float) -> _Point:
        loss, (_, gradient) = evaluate(x + t * d)
        return _Point(t, loss, float(gradient @ d), gradient)

    def is_low(p: _Point) -> bool:
        return isfinite(p.loss) and p.loss <= value + ENOUGH * p.t * slope

    def is_flat(p: _Point) -> bool:
        return abs(p.slope) <= -FLAT * slope

    before, here = start, at(t)
    for tried in range(SEARCHED):  # longer and longer, until a minimum is between two points
        if not is_low(here) or (tried > 1 and here.loss >= before.loss):
            break
        if is_flat(here):
            return here.t, here.loss, here.gradient
        if here.slope >= 0.0:
            break
        bounds = here.t + 0.01 * (here.t - before.t), 10.0 * here.t
        before, here = here, at(_cubic(before, here, bounds))
    else:
        before, tried = start, SEARCHED
    low, high = sorted((before, here), key=lambda p: p.loss if isfinite(p.loss) else inf)
    slow = False  # whether the last point was close to an end
    for _ in range(tried, SEARCHED):
        ends = sorted((low.t, high.t))
        if (ends[1] - ends[0]) * abs(d).max() < still:
            break
        left, right = (low, high) if low.t <= high.t else (high, low)
        t, margin = _cubic(left, right, None), 0.1 * (right.t - left.t)
        near = min(ends[1] - t, t - ends[0]) < margin
        if near and (slow or not ends[0] < t < ends[1]):
            closer = abs(t - ends[1]) < abs(t - ends[0])
            t, near = (ends[1] - margin if closer else ends[0] + margin), False
        slow, point = near, at(t)
        if not is_low(point) or point.loss >= low.loss:
            high = point
            if isfinite(high.loss) and high.loss < low.loss:
                low, high = high, low
        else:
            if is_flat(point):
                return point.t, point.loss, point.gradient
            if point.slope * (high.t - low.t) >= 0.0:
                high = low
            low = point
    return low.t, low.loss, low.gradient


def _cubic(a: _Point, b: _Point, bounds: tuple[float, float] | None) -> float:
    """Return the minimum of the cubic through two points and their slopes, within bounds.

    Without ``bounds``, it lies between the points. Nocedal and Wright (2006), equation 3.59.
    """
    low, high = bounds or (a.t, b.t)
    middle = (low + high) / 2.0
    if not (isfinite(a.loss) and isfinite(b.loss)):
        return middle
    bend = a.slope + b.slope - 3.0 * (a.loss - b.loss) / (a.t - b.t)
    square = bend * bend - a.slope * b.slope
    root = sqrt(square) if square >= 0.0 else 0.0
    below = b.slope - a.slope + 2.0 * root
    if square < 0.0 or not below:
        return middle
    t = b.t - (b.t - a.t) * ((b.slope + root - bend) / below)
    return min(max(t, low), high)
