"""Graphs of Tensors as trees, DOT and SVG, by the same views as graphs of Values."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, Value, nn
from gradwalk.errors import FreedGraphError, NotANumberError
from gradwalk.inspect import draw, to_dot, tree
from gradwalk.inspect.graph import number
from gradwalk.inspect.steps import steps
from gradwalk.ops import TABLE
from gradwalk.program.run import run_of

from ..program.test_program import ARRAYS, A


@pytest.mark.parametrize("name", ARRAYS)
def test_every_graph_is_shown(name: str) -> None:
    w = Tensor(A, requires_grad=True)
    y = ARRAYS[name](w)
    y.backward(retain_graph=True)
    equations = [e.primitive.name for e in run_of(y).program]
    text, dot, svg = tree(y, max_lines=1000), to_dot(y), draw(y).svg
    for op in set(equations):
        assert op in text
        assert f'label="{op}"' in dot
        assert (op in TABLE and TABLE[op].infix) or f">{op}<" in svg
    assert "w " in text
    assert number(w.grad) in text
    assert number(w.data) in svg


def test_the_tree_of_a_network():
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Tanh())
    x = Tensor(np.ones((4, 2)))
    loss = (model(x) - 1.0).sum()
    loss.backward(retain_graph=True)
    lines = [re.sub(r"\s+", " ", line) for line in tree(loss).splitlines()]
    assert lines == [
        f"loss = sum data {number(loss.data)} grad 1",
        f"└─ sub data {number((model(x) - 1.0).data)} grad 4×3: 1",
        f" ├─ tanh data {number(model(x).data)} grad 4×3: 1",
        f" │ └─ affine data {number(model[0](x).data)} grad {number(1 - model(x).data ** 2)}",
        " │ ├─ x = constant data 4×2: 1",
        f" │ ├─ model.0.weight data {number(model[0].weight.data)} grad "
        f"{number(model[0].weight.grad)}",
        f" │ └─ model.0.bias data {number(model[0].bias.data)} grad {number(model[0].bias.grad)}",
        " └─ constant data 1",
    ]


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (np.float64(2.0), "2"),
        (np.array(0.5), "0.5"),
        (np.array([[1.0, 2.5]]), "1×2: 1 … 2.5"),
        (np.array([1.0, np.nan]), "2: 1, nan"),
        (np.array([np.nan]), "1: nan"),
        (np.array([-np.inf, 1.0], np.float32), "2: -inf … 1"),
        (np.zeros((0, 3)), "0×3: "),
        (np.array([True, False]), "2: 0 … 1"),
        (None, ""),
    ],
)
def test_an_array_in_few_words(x: Any, text: str) -> None:
    assert number(x) == text


def test_a_large_graph_is_folded():
    w = Tensor(np.ones(3), requires_grad=True)
    y = w
    for _ in range(500):
        y = (y * 1.01).sin()
    assert draw(y.sum(), max_nodes=30).svg.count('class="group') <= 30
    assert "nodes" in to_dot(y.sum(), max_nodes=30)


def test_what_cannot_be_shown():
    w = Tensor([1.0], requires_grad=True)
    y = (w * w).sum()
    y.backward()
    with pytest.raises(FreedGraphError):
        tree(y)
    with pytest.raises(NotANumberError, match="explore"):
        steps(w * w)  # type: ignore[arg-type]
    with pytest.raises(NotANumberError, match="Values or Tensors"):
        tree(3.0)
    assert tree(Tensor([1.0, 2.0])).split() == ["leaf", "data", "2:", "1", "…", "2"]
    assert tree(w).split()[:2] == ["w", "data"]
    assert "2" in tree(Value(2.0))
