"""Distributions of vectors and of classes, and mixtures of distributions."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, pi
from math import log as _ln
from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.functions import exp, lgamma, log, where
from ..errors import OptionError
from ..special import xlogy
from ..tensor import logsumexp, stack, sum, take_along_axis
from ..tensor.functions import linalg
from ..tensor.functions.arguments import operand
from . import families
from .distribution import Frozen, generator

if TYPE_CHECKING:
    from ..tensor import Tensor
    from ..tensor.functions.types import ArrayLike

__all__ = ["categorical", "dirichlet", "mixture", "multivariate_normal"]

Size = int | tuple[int, ...]
Seed = int | np.random.Generator | None


class _Categorical:
    """Classes 0, 1, 2, … with weights p along the last axis, which need not add up to 1."""

    def logpmf(self, k: Tensor | ArrayLike, p: Tensor | ArrayLike) -> Tensor:
        """Return the logarithm of the probability of a class.

            y = ln(pₖ / Σ p)

        Parameters
        ----------
        k : (...)
            The class; numbers that are no class give -inf.
        p : (..., classes)
            The weights.

        Returns
        -------
        (...)
            The logarithms.
        """
        weights: Any = operand(p, "categorical(p)")
        ids: Any = operand(k, "categorical.logpmf(k)")
        rows = (
            weights + np.zeros((*ids.shape, 1), weights.dtype)
            if ids.ndim >= weights.ndim
            else weights
        )
        outside: Any = (ids < 0) | (ids >= weights.shape[-1])
        some: Any = where(outside, 0, ids).astype(int)
        chosen: Any = take_along_axis(rows, some[..., None], -1)[..., 0]
        y: Any = log(where(outside, 1.0, chosen)) - log(sum(weights, axis=-1))
        return where(outside, -inf, y)  # type: ignore[no-any-return]

    def pmf(self, k: Tensor | ArrayLike, p: Tensor | ArrayLike) -> Tensor:
        """Return the probability of a class.

            y = pₖ / Σ p

        Parameters
        ----------
        k : (...)
            The class; numbers that are no class give 0.
        p : (..., classes)
            The weights.

        Returns
        -------
        (...)
            The probabilities.
        """
        y: Any = exp(self.logpmf(k, p))
        return y  # type: ignore[no-any-return]

    def entropy(self, p: Tensor | ArrayLike) -> Tensor:
        """Return the entropy.

            y = -Σ pₖ ln pₖ

        Parameters
        ----------
        p : (..., classes)
            The weights, which are divided by their sum first.

        Returns
        -------
        (...)
            The entropies.
        """
        w: Any = operand(p, "categorical(p)")
        w = w / sum(w, axis=-1, keepdims=True)
        y: Tensor = -sum(xlogy(w, w), axis=-1)
        return y


class _MultivariateNormal:
    """Vectors with a mean and a covariance matrix, which is positive definite."""

    def logpdf(
        self, x: Tensor | ArrayLike, mean: Tensor | ArrayLike = 0.0, cov: Tensor | ArrayLike = 1.0
    ) -> Tensor:
        """Return the logarithm of the density at x.

            y = -(|L⁻¹(x - m)|² + n ln 2 π) / 2 - Σ ln Lᵢᵢ,  L Lᵀ the covariance

        Parameters
        ----------
        x : (..., n)
            The vectors.
        mean : (n,) or ()
            The mean m.
        cov : (n, n), (n,) or ()
            The covariance, positive definite: a matrix, its diagonal, or one number for the whole
            diagonal.

        Returns
        -------
        (...)
            The logarithms.

        Raises
        ------
        DataError
            If the covariance is not positive definite.
        """
        d: Any = operand(x, "multivariate_normal(x)") - operand(mean, "multivariate_normal(mean)")
        low = self._factor(cov, d.shape[-1])
        z: Any = linalg.solve_triangular(low, d.reshape(-1, d.shape[-1]).mT, lower=True)
        squares: Any = sum(z * z, axis=0).reshape(d.shape[:-1])
        half: Any = sum(log(linalg.diagonal(low)))
        y: Tensor = -0.5 * (squares + d.shape[-1] * _ln(2.0 * pi)) - half
        return y

    def pdf(
        self, x: Tensor | ArrayLike, mean: Tensor | ArrayLike = 0.0, cov: Tensor | ArrayLike = 1.0
    ) -> Tensor:
        """Return the density at x.

        Parameters
        ----------
        x : (..., n)
            The vectors.
        mean : (n,) or ()
            The mean.
        cov : (n, n), (n,) or ()
            The covariance, positive definite: a matrix, its diagonal, or one number for the whole
            diagonal.

        Returns
        -------
        (...)
            The densities.

        Raises
        ------
        DataError
            If the covariance is not positive definite.
        """
        y: Any = exp(self.logpdf(x, mean, cov))
        return y  # type: ignore[no-any-return]

    def sample(
        self,
        mean: Tensor | ArrayLike,
        cov: Tensor | ArrayLike = 1.0,
        size: Size = (),
        seed: Seed = None,
    ) -> Tensor:
        """Return random vectors.

            x = m + L z,  z ~ N(0, 1)

        Gradients flow to the mean and the covariance.

        Parameters
        ----------
        mean : (n,)
            The mean m.
        cov : (n, n), (n,) or ()
            The covariance L Lᵀ, positive definite: a matrix, its diagonal, or one number for the
            whole diagonal.
        size
            How many vectors, as the lengths of axes; () for one.
        seed
            A non-negative integer (equal ones give equal numbers), a generator, or ``None`` for new
            numbers each time.

        Returns
        -------
        (*size, n)
            The vectors.

        Raises
        ------
        DataError
            If the covariance is not positive definite.
        OptionError
            If ``seed`` is not a seed.
        """
        m: Any = operand(mean, "multivariate_normal(mean)")
        shape = size if isinstance(size, tuple) else (size,)
        z = generator(seed).normal(size=(*shape, m.shape[-1]))
        y: Tensor = m + z @ self._factor(cov, m.shape[-1]).mT
        return y

    def _factor(self, cov: Any, n: int) -> Any:
        c: Any = operand(cov, "multivariate_normal(cov)")
        c = c * np.eye(n) if c.ndim < 2 else c  # a number, or the diagonal
        return linalg.cholesky(c)


class _Dirichlet:
    """Vectors of probabilities, with positive alpha along the last axis."""

    def logpdf(self, x: Tensor | ArrayLike, alpha: Tensor | ArrayLike) -> Tensor:
        """Return the logarithm of the density at x.

            y = Σ (αᵢ - 1) ln xᵢ + ln Γ(Σ αᵢ) - Σ ln Γ(αᵢ)

        Parameters
        ----------
        x : (..., n)
            Probabilities that add up to 1.
        alpha : (..., n)
            The parameters, > 0.

        Returns
        -------
        (...)
            The logarithms.
        """
        a: Any = operand(alpha, "dirichlet(alpha)")
        terms: Any = xlogy(a - 1.0, operand(x, "dirichlet.logpdf(x)"))
        constant = lgamma(sum(a, axis=-1)) - sum(lgamma(a), axis=-1)
        y: Tensor = sum(terms, axis=-1) + constant
        return y

    def pdf(self, x: Tensor | ArrayLike, alpha: Tensor | ArrayLike) -> Tensor:
        """Return the density at x.

        Parameters
        ----------
        x : (..., n)
            Probabilities that add up to 1.
        alpha : (..., n)
            The parameters, > 0.

        Returns
        -------
        (...)
            The densities.
        """
        y: Any = exp(self.logpdf(x, alpha))
        return y  # type: ignore[no-any-return]

    def sample(self, alpha: Tensor | ArrayLike, size: Size = (), seed: Seed = None) -> Tensor:
        """Return random vectors of probabilities: gamma variates divided by their sum.

        Gradients flow to ``alpha``.

        Parameters
        ----------
        alpha : (..., n)
            The parameters, > 0.
        size
            How many vectors, as the lengths of axes; () for one for each of ``alpha``.
        seed
            A non-negative integer (equal ones give equal numbers), a generator, or ``None`` for new
            numbers each time.

        Returns
        -------
        (*size, ..., n)
            The vectors.

        Raises
        ------
        OptionError
            If ``seed`` is not a seed.
        """
        a: Any = operand(alpha, "dirichlet(alpha)")
        shape = size if isinstance(size, tuple) else (size,)
        g: Any = families.gamma.sample(a, size=(*shape, *a.shape), seed=seed)
        y: Tensor = g / sum(g, axis=-1, keepdims=True)
        return y


class mixture:  # noqa: N801
    """A mixture of distributions.

        p(x) = Σₖ wₖ pₖ(x) / Σₖ wₖ

    Parameters
    ----------
    weights : (components,)
        The weights w, which need not add up to 1. Gradients flow to them.
    components
        The distributions, with their parameters.

    Raises
    ------
    OptionError
        If there is not a weight for each component.

    Examples
    --------
    >>> from gradwalk import stats
    >>> two = stats.mixture([0.5, 0.5], [stats.norm(-1.0), stats.norm(1.0)])
    >>> round(two.pdf(0.0).item(), 6)
    0.241971
    """

    def __init__(self, weights: Tensor | ArrayLike, components: Sequence[Frozen]) -> None:
        self.weights: Any = operand(weights, "mixture(weights)")
        self.components: list[Any] = list(components)
        if self.weights.shape != (len(self.components),):
            raise OptionError(
                where="mixture(weights, components)",
                expected="a weight for each component",
                got=f"weights of shape {self.weights.shape} for {len(self.components)} components",
                fix="Write mixture([0.3, 0.7], [norm(0.0), norm(1.0)]).",
            )

    def logpdf(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the logarithm of the density at x, without underflow.

        Parameters
        ----------
        x : any shape
            Where.

        Returns
        -------
        the shape of x
            The logarithms.
        """
        parts: list[Any] = [operand(c.logpdf(x), "mixture") for c in self.components]
        w = log(self.weights / sum(self.weights))
        y: Any = logsumexp(stack([w[k] + part for k, part in enumerate(parts)]), axis=0)
        return y  # type: ignore[no-any-return]

    def pdf(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the density at x.

        Parameters
        ----------
        x : any shape
            Where.

        Returns
        -------
        the shape of x
            The densities.
        """
        y: Any = exp(self.logpdf(x))
        return y  # type: ignore[no-any-return]

    def cdf(self, x: Tensor | ArrayLike) -> Tensor:
        """Return the probability of at most x.

        Parameters
        ----------
        x : any shape
            The bound.

        Returns
        -------
        the shape of x
            The probabilities.
        """
        parts: list[Any] = [operand(c.cdf(x), "mixture") for c in self.components]
        w = self.weights / sum(self.weights)
        y: Any = sum(stack([w[k] * part for k, part in enumerate(parts)]), axis=0)
        return y  # type: ignore[no-any-return]


categorical: _Categorical = _Categorical()
multivariate_normal: _MultivariateNormal = _MultivariateNormal()
dirichlet: _Dirichlet = _Dirichlet()
