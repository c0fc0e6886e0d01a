"""Multi-layer perceptrons as estimators of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ..engine.value import no_grad
from ..nn import Linear, Module
from ..nn.activations.names import activation_function
from ..nn.functional import cross_entropy, mse_loss, softmax
from ..optim import Adam
from ..tensor import Tensor
from ..tensor.graph.types import Array
from ..training import fit

__all__ = ["MLPClassifier", "MLPRegressor"]

Loss = Callable[[Tensor, Tensor], Tensor]


class Network(Module):
    """Linear layers with an activation between them."""

    layers: list[Linear]
    activation: str

    def __init__(self, sizes: Sequence[int], activation: str, rng: np.random.Generator) -> None:
        self.layers = [Linear(n, m, seed=rng) for n, m in pairwise(sizes)]
        self.activation = activation

    def forward(self, x: Any) -> Any:
        """Return the outputs of the last layer."""
        act = activation_function(self.activation, "MLP")
        for layer in self.layers[:-1]:
            x = layer(x) if act is None else act(layer(x))
        return self.layers[-1](x)


class _MLP(BaseEstimator):  # type: ignore[misc]
    """What classifier and regressor share: options, and the training by Adam."""

    def __init__(
        self,
        hidden_layer_sizes: Sequence[int] | int = (100,),
        activation: str = "relu",
        *,
        alpha: float = 1e-4,
        batch_size: int | str = "auto",
        learning_rate_init: float = 1e-3,
        max_iter: int = 200,
        tol: float = 1e-4,
        n_iter_no_change: int = 10,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate_init = learning_rate_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.verbose = verbose

    def _train(self, x: Array, y: Array, outputs: int, loss: Loss) -> Self:
        """Train a new network of ``outputs`` outputs."""
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        hidden = self.hidden_layer_sizes
        widths = [hidden] if isinstance(hidden, (int, np.integer)) else list(hidden)
        self.model_ = Network([x.shape[1], *widths, outputs], self.activation, rng)
        batch = min(200, len(x)) if self.batch_size == "auto" else self.batch_size
        held = None
        if self.early_stopping:
            order = rng.permutation(len(x))
            count = max(1, round(self.validation_fraction * len(x)))
            held = (x[order[:count]], y[order[:count]])
            x, y = x[order[count:]], y[order[count:]]
        weights = [layer.weight for layer in self.model_.layers]

        def penalized(output: Any, target: Any) -> Any:
            squares = sum((w * w).sum() for w in weights)
            return loss(output, target) + (0.5 * self.alpha / len(target)) * squares

        history = fit(
            self.model_,
            penalized,
            Adam(self.model_.parameters(), lr=self.learning_rate_init),
            (x, y),
            validation=held,
            epochs=self.max_iter,
            batch_size=batch,  # type: ignore[arg-type]
            early_stopping=(self.n_iter_no_change, self.tol),
            restore_best=self.early_stopping,
            progress=self.verbose,
            seed=int(rng.integers(2**31)),
        )
        self.loss_curve_ = history["loss"]
        self.n_iter_ = len(history)
        if self.n_iter_ == self.max_iter > self.n_iter_no_change:
            warnings.warn(
                f"The loss still falls after max_iter={self.max_iter} epochs.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _outputs(self, x: Any) -> Any:
        """Return the outputs of the network."""
        check_is_fitted(self)
        x = validate_data(self, x, dtype=np.float64, reset=False)
        with no_grad():
            return self.model_(Tensor(x))


class MLPClassifier(ClassifierMixin, _MLP):  # type: ignore[misc]
    """A network that classifies, trained by Adam on the cross-entropy.

    Options and attributes have the names of scikit-learn's MLPClassifier. The network is
    ``model_``, a `Module`; its outputs are logits.

    Parameters
    ----------
    hidden_layer_sizes
        The number of neurons in each hidden layer, or one number for a single layer.
    activation
        A name from `gradwalk.nn.ACTIVATIONS`.
    alpha
        The weight of the sum of squares of the weights in the loss.
    batch_size
        The number of rows in a batch; "auto" is 200, or all rows if there are fewer.
    learning_rate_init
        The learning rate of Adam.
    max_iter
        The most epochs, >= 1.
    tol
        By how much the loss has to fall to count as falling.
    n_iter_no_change
        After how many epochs without such a fall the training ends.
    early_stopping
        Whether the loss of rows that are held out decides when the training ends, and which weights
        are kept.
    validation_fraction
        The part of the rows that is held out, with ``early_stopping``.
    random_state
        An integer or a `RandomState` that determines the weights, the batches and the rows held
        out; new ones in every run if ``None``.
    verbose
        Whether a terminal shows the progress.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> x, y = load_iris(return_X_y=True)
    >>> model = MLPClassifier((16,), tol=1e-3, learning_rate_init=0.02, random_state=0)
    >>> bool(model.fit(x, y).score(x, y) > 0.95)
    True
    """

    classes_: Array

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Train on rows of numbers and their classes, which may be text."""
        X, y = validate_data(self, X, y, dtype=np.float64)  # noqa: N806
        check_classification_targets(y)
        self.classes_, ids = np.unique(y, return_inverse=True)
        return self._train(X, ids, len(self.classes_), cross_entropy)

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the probability of every class, in the order of ``classes_``."""
        return softmax(self._outputs(X), dim=-1).numpy()

    def predict_log_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the logarithm of the probability of every class."""
        return self._outputs(X).log_softmax().numpy()  # type: ignore[no-any-return]

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the most probable class of every row."""
        best = self._outputs(X).numpy().argmax(axis=1)
        return self.classes_[best]  # type: ignore[no-any-return]


class MLPRegressor(RegressorMixin, _MLP):  # type: ignore[misc]
    """A network that predicts numbers, trained by Adam on half the mean squared error.

    ``y`` has one column, or several.

    Parameters
    ----------
    hidden_layer_sizes
        The number of neurons in each hidden layer, or one number for a single layer.
    activation
        A name from `gradwalk.nn.ACTIVATIONS`.
    alpha
        The weight of the sum of squares of the weights in the loss.
    batch_size
        The number of rows in a batch; "auto" is 200, or all rows if there are fewer.
    learning_rate_init
        The learning rate of Adam.
    max_iter
        The most epochs, >= 1.
    tol
        By how much the loss has to fall to count as falling.
    n_iter_no_change
        After how many epochs without such a fall the training ends.
    early_stopping
        Whether the loss of rows that are held out decides when the training ends, and which weights
        are kept.
    validation_fraction
        The part of the rows that is held out, with ``early_stopping``.
    random_state
        An integer or a `RandomState` that determines the weights, the batches and the rows held
        out; new ones in every run if ``None``.
    verbose
        Whether a terminal shows the progress.

    Examples
    --------
    >>> x = np.linspace(-1.0, 1.0, 50)[:, None]
    >>> model = MLPRegressor((16,), "tanh", learning_rate_init=0.03, max_iter=400, random_state=0)
    >>> bool(model.fit(x, x[:, 0] ** 2).score(x, x[:, 0] ** 2) > 0.95)
    True
    """

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Train on rows of numbers and their targets."""
        X, y = validate_data(  # noqa: N806
            self, X, y, dtype=np.float64, multi_output=True, y_numeric=True
        )
        y = np.asarray(y, np.float64)
        self.n_outputs_ = 1 if y.ndim == 1 else y.shape[1]
        self._column = y.ndim == 1
        targets = y.reshape(len(y), -1)
        return self._train(X, targets, self.n_outputs_, lambda a, b: 0.5 * mse_loss(a, b))

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the prediction for every row."""
        found = self._outputs(X).numpy()
        return found[:, 0] if self._column else found  # type: ignore[no-any-return]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
