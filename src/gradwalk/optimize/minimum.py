"""What a search has found: `Minimum`, and what callbacks see on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["Evaluations", "Minimum", "Step"]


class Evaluations(NamedTuple):
    """How often a search has computed the function, its derivatives, its Hessian times a vector.

    A value and its gradient come of one run. Of least squares ``gradients`` counts Jacobians.
    """

    values: int
    gradients: int
    hessian_products: int


class Step(NamedTuple):
    """Where a search is after a step: what a callback gets."""

    number: int
    x: Any
    value: float
    gradient_norm: float


@dataclass(frozen=True, eq=False, repr=False)
class Minimum:
    """The result of `gradwalk.minimize`.

    ``x`` and ``gradient`` have the structure of the start. ``value`` is f there; ``gradient_norm``
    the Euclidean norm of the gradient, without what points out of the bounds and without numbers
    that are held. ``steps`` are those of the method, also the ones that a trust region rejects;
    ``history`` has the value before each and after the last. ``converged`` is what the method says
    of itself, in words in ``message``.
    """

    x: Any
    value: float
    gradient: Any
    gradient_norm: float
    steps: int
    evaluations: Evaluations
    converged: bool
    message: str
    method: str
    history: tuple[float, ...]

    def __repr__(self) -> str:
        ended = "converged" if self.converged else "NOT converged"
        runs = self.evaluations
        lines = [
            f"Minimum({ended} after {self.steps} steps of {self.method}: {self.message}",
            f"  value          {self.value:.10g}",
            f"  gradient norm  {self.gradient_norm:.3g}",
            f"  evaluations    {runs.values} values, {runs.gradients} gradients, "
            f"{runs.hessian_products} Hessian products",
            f"  x              {shortened(self.x)})",
        ]
        return "\n".join(lines)


def shortened(x: Any) -> str:
    """The repr in one line of at most 70 characters."""
    text = " ".join(repr(x).split())
    return text if len(text) <= 70 else f"{text[:67]}..."
