"""Estimators for scikit-learn: networks, and models of your own with your own loss.

They work in pipelines, in cross-validation and in grid search. scikit-learn is loaded with the
first of them: ``pip install gradwalk[sklearn]``.

>>> from gradwalk.sklearn import MLPClassifier
>>> model = MLPClassifier((8,), learning_rate_init=0.05, max_iter=400, random_state=0)
>>> model.fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"]).predict([[0.5], [2.5]])
array(['low', 'high'], dtype='<U4')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..core.calls import public
from ..core.rooms import as_room
from ..errors import MissingExtraError

if TYPE_CHECKING:
    from .networks import MLPClassifier as MLPClassifier
    from .networks import MLPRegressor as MLPRegressor
    from .own_loss import LossRegressor as LossRegressor

__all__ = ["LossRegressor", "MLPClassifier", "MLPRegressor"]

as_room(__name__)

_FILES = {"MLPClassifier": "networks", "MLPRegressor": "networks", "LossRegressor": "own_loss"}


def __getattr__(name: str) -> Any:
    """Load scikit-learn with the first estimator."""
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return public(getattr(import_module(f".{_FILES[name]}", __name__), name))
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sklearn":
            raise
        raise MissingExtraError(
            where=f"gradwalk.sklearn.{name}",
            expected="the package scikit-learn",
            got="none in this environment",
            fix='Install it: pip install "gradwalk[sklearn]".',
        ) from error
