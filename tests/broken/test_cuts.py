"""Programs whose graph is cut before the loss: the error says where, and by what."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gradwalk import Tensor, nn, no_grad
from gradwalk.errors import OptionError

X = np.array([[1.0, 2.0], [3.0, -4.0]])


def weight():
    return Tensor([[0.5, -1.0], [1.0, 2.0]], requires_grad=True)


def by_argmax():
    scores = weight() @ Tensor(X)
    chosen = scores.argmax(axis=1)
    loss = (chosen - 1.0).sum()
    loss.backward()


def by_round():
    w = weight()
    predicted = w.round()
    error = predicted - 0.5
    loss = error.sum()
    loss.backward()


def by_sign():
    loss = weight().sign().sum()
    loss.backward()


def by_floor_division():
    w = weight()
    half = w // 2.0
    half.sum().backward()


def by_a_comparison():
    hits = (weight() > 0.0) * 1.0
    loss = hits.mean()
    loss.backward()


def by_data():
    w = weight()
    loss = Tensor(w.data * 2.0).sum()
    loss.backward()


def by_detach():
    w = weight()
    frozen = w.detach()
    loss = (frozen * frozen).sum()
    loss.backward()


def by_no_grad_before():
    w = weight()
    with no_grad():
        y = w * 2.0
    loss = y.sum()
    loss.backward()


def by_no_grad_left_on():
    w = weight()
    with no_grad():
        loss = (w * w).sum()
        loss.backward()


class Rounded(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 1, seed=0)

    def forward(self, x):
        return self.inner(x).round()


def by_the_forward_of_a_module():
    model = Rounded()
    out = model(Tensor(X))
    loss = out.sum()
    loss.backward()


CUT = {
    by_argmax: ("cut by argmax", "scores.argmax(axis=1)", "cross_entropy"),
    by_round: ("cut by round", "predicted = w.round()", "display"),
    by_sign: ("cut by sign", "loss = weight().sign().sum()", "tanh"),
    by_floor_division: ("cut by //", "half = w // 2.0", "Divide by /"),
    by_a_comparison: ("cut by a comparison", "hits = (weight() > 0.0)", "sigmoid"),
    by_data: ("cut by .data", "w.data * 2.0", "without .data"),
    by_detach: ("cut by detach", "frozen = w.detach()", "Leave out .detach()"),
    by_no_grad_before: ("cut by no_grad", "with no_grad():", "outside of no_grad()"),
    by_no_grad_left_on: ("no_grad(), which is still on", "outside of no_grad()"),
    by_the_forward_of_a_module: ("cut by round", "return self.inner(x).round()"),
}


@pytest.mark.parametrize("program", CUT, ids=lambda p: p.__name__)
def test_the_error_says_where_the_graph_was_cut(program):
    with pytest.raises(OptionError) as error:
        program()
    told = str(error.value)
    assert not [words for words in CUT[program] if words not in told], told
    assert "requires_grad=True) for what" not in told


def test_a_program_without_a_cut_is_told_to_require_gradients():
    y = (Tensor(X) * 2.0).sum()
    with pytest.raises(OptionError, match=re.escape("Write Tensor(data, requires_grad=True)")):
        y.backward()
