"""The result of a search, `Minimum`, and what callbacks get, `Step`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

__all__ = ["Evaluations", "Minimum", "Step"]

P = TypeVar("P")
"""The type of the parameters: a number, an array, or a container."""


class Evaluations(NamedTuple):
    """The numbers of evaluations of a function, its gradient, and its Hessian times a vector.

    One run computes a value and its gradient.

    Parameters
    ----------
    values
        How often the function was evaluated.
    gradients
        How often its gradient was; for least squares, its Jacobian.
    hessian_products
        How many products of its Hessian and a vector were computed.
    """

    values: int
    gradients: int
    hessian_products: int


class Step(NamedTuple):
    """The state of a search after a step: the argument of callbacks.

    Parameters
    ----------
    number
        The number of the step, from 1.
    x
        Where the search is, in the structure of the starting point.
    value
        The value of the function there.
    gradient_norm
        The norm of the gradient there, as in `Minimum`.
    """

    number: int
    x: Any
    value: float
    gradient_norm: float


@dataclass(frozen=True, eq=False, repr=False)
class Minimum(Generic[P]):
    """The result of `gradwalk.minimize`.

    SciPy's names work too: ``fun``, ``jac``, ``success``, ``status``, ``nit``, ``nfev``, ``njev``,
    ``nhev`` and, after BFGS and L-BFGS-B, ``hess_inv``.

    Parameters
    ----------
    x
        Where the search ended, in the structure of the starting point.
    value
        f(x).
    gradient
        The gradient there, in the same structure.
    gradient_norm
        The Euclidean norm of the gradient, without fixed numbers and without components that would
        lead out of the bounds: no component counts for more than the distance to the bound in front
        of it.
    steps
        The number of steps of the method, also those that a trust region rejects.
    evaluations
        How often the function and its derivatives were evaluated.
    converged
        Whether the method reports that it has converged.
    message
        The status that the method reports, in words.
    method
        The name of the method.
    history
        The value before each step and after the last.
    status
        The status that the method reports, as a number.
    inverse_hessian
        The estimate that BFGS and L-BFGS-B end with; ``None`` for other methods.

    Examples
    --------
    >>> from gradwalk import minimize
    >>> found = minimize(lambda x: (x - 3.0) ** 2, 0.0)
    >>> round(found.x, 6)
    3.0
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
    status: int = 0
    inverse_hessian: Any = None

    @property
    def fun(self) -> float:
        """SciPy's name of ``value``."""
        return self.value

    @property
    def jac(self) -> P:
        """SciPy's name of ``gradient``."""
        return self.gradient

    @property
    def success(self) -> bool:
        """SciPy's name of ``converged``."""
        return self.converged

    @property
    def nit(self) -> int:
        """SciPy's name of ``steps``."""
        return self.steps

    @property
    def nfev(self) -> int:
        """The number of evaluations of f: SciPy's name of ``evaluations.values``."""
        return self.evaluations.values

    @property
    def njev(self) -> int:
        """The number of gradients: SciPy's name of ``evaluations.gradients``."""
        return self.evaluations.gradients

    @property
    def nhev(self) -> int:
        """The number of products of the Hessian: ``evaluations.hessian_products``."""
        return self.evaluations.hessian_products

    @property
    def hess_inv(self) -> Any:
        """The estimate of the inverse Hessian that BFGS and L-BFGS-B end with, for free numbers.

        A matrix, or a `scipy.sparse.linalg.LinearOperator`. Other methods have none:
        `AttributeError`, as in SciPy.
        """
        if self.inverse_hessian is None:
            raise AttributeError(f"{self.method} estimates no inverse of the Hessian")
        return self.inverse_hessian

    def __getitem__(self, name: str) -> Any:
        """Return an attribute by its name, as SciPy's results do: ``found["x"]``."""
        return getattr(self, name)

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
