"""The result of a search, `Minimum`, and what callbacks get, `Step`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

__all__ = ["Evaluations", "Minimum", "Step"]

P = TypeVar("P")
"""The type of the parameters: a number, an array, or a container."""


class Evaluations(NamedTuple):
    """The numbers of evaluations of a function, its gradient, and its Hessian times a vector.

    One run computes a value and its gradient. For least squares ``gradients`` counts Jacobians.
    """

    values: int
    gradients: int
    hessian_products: int


class Step(NamedTuple):
    """The state of a search after a step: the argument of callbacks."""

    number: int
    x: Any
    value: float
    gradient_norm: float


@dataclass(frozen=True, eq=False, repr=False)
class Minimum(Generic[P]):
    """The result of `gradwalk.minimize`.

    ``x`` and ``gradient`` have the structure of the starting point. ``value`` is f(x);
    ``gradient_norm`` is the Euclidean norm of the gradient, without fixed numbers and without
    components that would lead out of the bounds: no component counts for more than the distance to
    the bound in front of it. ``steps`` counts the steps of the method, also those that a trust
    region rejects; ``history`` has the value before each step and after the last.
    ``converged`` and ``message`` are the status that the method reports.
    """

    x: P
    value: float
    gradient: P
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


def shortened(x: object) -> str:
    """Return the repr of ``x`` on one line of at most 70 characters."""
    text = " ".join(repr(x).split())
    return text if len(text) <= 70 else f"{text[:67]}..."
