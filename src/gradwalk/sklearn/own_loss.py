"""An estimator of scikit-learn around a prediction and a loss of your own."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from ..core.pytree import flatten
from ..engine.value import no_grad
from ..nn import Module
from ..optimize import minimize
from ..tensor import Tensor
from ..tensor.graph.types import Array

__all__ = ["LossRegressor"]


class LossRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Minimize a loss of your own over the parameters of a prediction of your own.

        min over p:  loss(predictor(p, X), y) + α/2 |p|²

    After `fit`, ``parameters_`` has the type of ``start``; ``loss_`` is the minimum.

    Parameters
    ----------
    predictor
        ``predictor(parameters, X)`` returns a prediction for each row, in gradwalk's functions or
        in NumPy's. ``None`` is a linear prediction, or what the Module in ``start`` returns.
    loss
        ``loss(predictions, y)`` returns one number; the mean squared error if ``None``.
    start
        The parameters where the search begins: numbers and arrays in any container, a `Module`, or
        a function of the number of columns that returns them. ``None`` is a start at 0 for a linear
        prediction.
    alpha
        The weight of the sum of squares of the parameters; 0 for none.
    method
        The method of `minimize`, which chooses one if ``None``.
    max_iter
        The most steps of the search, >= 1.
    tol
        The tolerance of `minimize`; that of the method if ``None``.

    Examples
    --------
    >>> def middle(predictions, y):  # a smooth absolute error, which outliers hardly move
    ...     return (((predictions - y) ** 2 + 0.01) ** 0.5).mean()
    >>> x, y = np.arange(6.0)[:, None], [0.0, 2.0, 4.0, 60.0, 8.0, 10.0]
    >>> LossRegressor(loss=middle).fit(x, y).predict([[10.0]]).round(1)
    array([20.])
    """

    def __init__(
        self,
        predictor: Callable[..., Any] | None = None,
        loss: Callable[..., Any] | None = None,
        start: object = None,
        *,
        alpha: float = 0.0,
        method: str | None = None,
        max_iter: int = 1000,
        tol: float | None = None,
    ) -> None:
        self.predictor = predictor
        self.loss = loss
        self.start = start
        self.alpha = alpha
        self.method = method
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Search for the parameters of the smallest loss."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)  # noqa: N806
        y = np.asarray(y, np.float64)
        loss = _mean_squared if self.loss is None else self.loss

        def objective(parameters: Any) -> Any:
            found = loss(self._prediction(parameters, X), y)
            return found if not self.alpha else found + 0.5 * self.alpha * _squares(parameters)

        found = minimize(
            objective, self._start(), method=self.method, tol=self.tol, max_steps=self.max_iter
        )
        self.parameters_: Any = found.x
        self.loss_: float = float(found.fun)
        self.n_iter_: int = max(1, found.nit)
        if not found.success:
            warnings.warn(str(found.message), ConvergenceWarning, stacklevel=2)
        return self

    def _start(self) -> Any:
        columns = self.n_features_in_
        if self.start is None:
            return {"weights": np.zeros(columns), "offset": 0.0}
        made = callable(self.start) and not isinstance(self.start, Module)
        return self.start(columns) if made else self.start  # type: ignore[operator]

    def _prediction(self, parameters: Any, x: Array) -> Any:
        if self.predictor is not None:
            return self.predictor(parameters, x)
        if isinstance(parameters, Module):
            found = parameters(Tensor(x))
            return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found
        return x @ parameters["weights"] + parameters["offset"]

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the prediction for every row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)  # noqa: N806
        with no_grad():
            found = self._prediction(self.parameters_, X)
        return np.asarray(getattr(found, "data", found))


def _mean_squared(predictions: Any, y: Array) -> Any:
    return ((predictions - y) ** 2).mean()


def _squares(parameters: Any) -> Any:
    module = isinstance(parameters, Module)
    leaves: list[Any] = list(parameters.parameters()) if module else flatten(parameters)[0]
    return sum((p * p).sum() if getattr(p, "ndim", 0) else p * p for p in leaves)
