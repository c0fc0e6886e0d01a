"""Graphs shown as text, as pictures and as pages, and curves of a training."""

from __future__ import annotations

from typing import assert_type

from gradwalk import Tensor, Value, explore, nn, optim, relu
from gradwalk.check import Kinks, Precision, kinks, precision, training
from gradwalk.inspect import (
    Drawing,
    draw,
    flow,
    lines,
    paths,
    plot_boundary,
    plot_loss,
    to_dot,
    trap,
    tree,
    why,
)
from gradwalk.studio.explore import Exploration

a, b = Value(2.0, label="a"), Value(-3.0, label="b")
y = a * b + 1.0
y.backward()

text = tree(y, max_lines=20, max_depth=3, names={"product": y})
assert_type(text, str)
assert text.startswith("product = add")

dot = to_dot(y, max_nodes=None)
assert_type(dot, str)
assert "digraph" in dot

drawing = draw(y, names=False)
assert_type(drawing, Drawing)
assert_type(drawing.svg, str)
assert_type(drawing.nodes, int)
assert drawing.nodes == 5

cause = why(y)
assert_type(cause.fix, str)
assert_type(bool(cause), bool)
with trap(), lines():
    assert not why([a, b])
found = paths(y, a, top=3)
assert_type(len(found), int)
assert_type(kinks(relu, 1.0, within=1e-6), Kinks)


def examine(loss: Value, model: nn.Module) -> Precision:
    """Examine a loss. The arguments are checked here, and mpmath is optional."""
    flow(model)
    found = flow(model, inputs=Tensor([[1.0, 2.0]]), loss=[0.5, 0.25])
    assert_type(found.verdicts, tuple[str, ...])
    report = training(model, nn.functional.mse_loss, optim.SGD(model.parameters()), ([1.0], [2.0]))
    assert_type(bool(report), bool)
    assert_type([finding.remedy for finding in report.findings], list[str])
    return precision(loss, [a, b])


walk = explore(y, title="A product")
assert_type(walk, Exploration)
assert len(walk.document["nodes"]) == 5

w = Tensor([2.0, -3.0], requires_grad=True)
assert_type(explore((w * w).sum(), elements=True), Exploration)


def plot(losses: list[float], values: list[Value]) -> None:
    """Plot a training. The arguments are checked here, and matplotlib is optional."""
    plot_loss(losses)
    plot_loss({"train": values, "test": losses}, "loss.png", log=True)
    points = [([0.0, 1.0], -1), ([1.0, 0.0], 1)]
    plot_boundary(lambda x: x[0] * a - b, points, resolution=20)
