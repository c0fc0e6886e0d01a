"""Training in one call, as users write it."""

from typing import assert_type

import numpy as np

from gradwalk import Tensor, fit, nn, optim
from gradwalk.data import DataLoader, moons
from gradwalk.training import History, accuracy

train, test = moons(40, seed=0).split(0.75, seed=0)
model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 2, seed=1))
optimizer = optim.Adam(model.parameters(), lr=0.05)


def watch(history: History) -> bool:
    """End the training once the loss is small."""
    return history.best < 0.01


history = fit(
    model,
    nn.cross_entropy,
    optimizer,
    DataLoader(train, batch_size=10, shuffle=True, seed=0),
    epochs=2,
    validation=test,
    metrics={"accuracy": accuracy},
    scheduler=optim.StepLR(optimizer, step_size=1),
    early_stopping=(5, 1e-3),
    callbacks=[watch],
    progress=False,
)
assert_type(history, History)
assert_type(history["loss"], list[float])
assert_type(history.best_epoch, int)
assert_type(accuracy([[0.1, 0.9]], [1]), float)


def squares(output: Tensor, target: Tensor) -> Tensor:
    """Return a loss of one's own."""
    return nn.mse(output, target)


line = nn.Linear(1, 1, seed=0)
inputs = np.linspace(0.0, 1.0, 8)[:, None]
more = fit(
    line, squares, optim.SGD(line.parameters(), lr=0.1), (inputs, 2.0 * inputs), epochs=2, seed=0
)
assert_type(more, History)
