"""Estimators that scikit-learn accepts: its own checks, pipelines, searches."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import nn

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.datasets import load_iris, make_regression
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, QuantileRegressor, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neural_network import MLPClassifier as PeerClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from gradwalk.sklearn import LossRegressor, MLPClassifier, MLPRegressor

ESTIMATORS = [
    MLPClassifier((16,), learning_rate_init=0.02, max_iter=100),
    MLPRegressor((16,), learning_rate_init=0.05, max_iter=100),
    LossRegressor(),
]
CHECKS = [
    pytest.param(e, check, id=f"{type(e).__name__}-{check.func.__name__}")
    for estimator in ESTIMATORS
    for e, check in estimator_checks_generator(estimator, legacy=True)
]


@pytest.mark.silent("scikit-learn's own checks assert")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


X, Y = load_iris(return_X_y=True)


def test_they_work_in_pipelines_and_searches() -> None:
    net = MLPClassifier((8,), learning_rate_init=0.05, max_iter=60, random_state=0)
    pipe = make_pipeline(StandardScaler(), net)
    grid = {"mlpclassifier__activation": ["tanh", "relu"], "mlpclassifier__alpha": [1e-4, 10.0]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        search = GridSearchCV(pipe, grid, cv=3).fit(X, Y)
        scores = cross_val_score(pipe, X, Y, cv=3)
    assert search.best_score_ > 0.93
    assert search.best_params_["mlpclassifier__alpha"] == 1e-4
    assert scores.min() > 0.9


def test_a_network_is_as_good_as_scikit_learns() -> None:
    options: Any = {"hidden_layer_sizes": (16,), "learning_rate_init": 0.02, "random_state": 0}
    ours, theirs = MLPClassifier(**options), PeerClassifier(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert ours.fit(X, Y).score(X, Y) >= theirs.fit(X, Y).score(X, Y) - 0.03
    assert set(theirs.get_params()) >= set(ours.get_params())
    np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X), rtol=1e-9)


def test_equal_seeds_give_equal_networks_that_can_be_stored() -> None:
    names = np.array(["setosa", "versicolor", "virginica"])[Y]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MLPClassifier((4,), max_iter=15, random_state=3).fit(X, names)
        again = clone(model).fit(X, names)
    assert model.loss_curve_ == again.loss_curve_
    stored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(stored.predict_proba(X), again.predict_proba(X))
    assert set(model.predict(X)) <= set(names)


def test_early_stopping_holds_a_part_of_the_rows_out() -> None:
    model = MLPClassifier((8,), early_stopping=True, learning_rate_init=0.1, random_state=0)
    model.fit(X, Y)
    assert model.n_iter_ < 200
    assert model.score(X, Y) > 0.9


def test_several_columns_of_targets() -> None:
    x, y = make_regression(80, 3, n_targets=2, noise=0.1, random_state=0)
    y = y / y.std(axis=0)
    model = MLPRegressor((16,), "tanh", learning_rate_init=0.03, max_iter=400, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(x, y)
    assert model.predict(x).shape == (80, 2)
    assert model.score(x, y) > 0.9


# --- losses of one's own --------------------------------------------------------------------------

RX, RY = make_regression(60, 3, noise=5.0, random_state=1)


def test_the_default_is_linear_regression() -> None:
    ours, theirs = LossRegressor(tol=1e-6).fit(RX, RY), LinearRegression().fit(RX, RY)
    np.testing.assert_allclose(ours.parameters_["weights"], theirs.coef_, rtol=1e-6)
    np.testing.assert_allclose(ours.predict(RX), theirs.predict(RX), rtol=1e-6, atol=1e-4)


def test_a_penalty_is_that_of_ridge() -> None:
    model = LossRegressor(lambda p, x: x @ p, start=np.zeros, alpha=0.5, tol=1e-5).fit(RX, RY)
    theirs = Ridge(alpha=0.25 * len(RX), fit_intercept=False).fit(RX, RY)
    np.testing.assert_allclose(model.parameters_, theirs.coef_, rtol=1e-6)


def test_a_loss_of_ones_own_is_minimized() -> None:
    def pinball(predictions: Any, y: Any) -> Any:
        gap = y - predictions
        return gw.maximum(0.9 * gap, -0.1 * gap).mean()

    ours = LossRegressor(loss=pinball, method="L-BFGS-B")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours.fit(RX, RY)
    theirs = QuantileRegressor(quantile=0.9, alpha=0.0).fit(RX, RY)
    best = pinball(theirs.predict(RX), RY)
    assert ours.loss_ < 1.05 * best


def test_the_start_may_be_a_module() -> None:
    model = LossRegressor(start=lambda n: nn.Sequential(nn.Linear(n, 1, seed=0))).fit(RX, RY)
    theirs = LinearRegression().fit(RX, RY)
    np.testing.assert_allclose(model.predict(RX), theirs.predict(RX), rtol=1e-3, atol=1e-3)


def test_the_alpha_of_a_loss_is_found_by_a_search() -> None:
    search = GridSearchCV(LossRegressor(), {"alpha": [0.0, 100.0]}, cv=3).fit(RX, RY)
    assert search.best_params_ == {"alpha": 0.0}


def test_without_scikit_learn_the_message_says_what_to_install(run_python: Any) -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import gradwalk.sklearn\n"
        "try: gradwalk.sklearn.MLPClassifier\n"
        "except ImportError as error: print(error)"
    )
    assert 'pip install "gradwalk[sklearn]"' in run_python(code)
