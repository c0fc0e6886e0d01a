"""Names for nodes: one search for every picture, text and page of a graph."""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import pytest

from gradwalk import Value, nn
from gradwalk.inspect import draw, names, to_dot, tree
from gradwalk.inspect.steps import steps
from gradwalk.studio.document import document_of


class Neuron:
    def __init__(self) -> None:
        self.w = [Value(0.5), Value(2.0)]
        self.owner = self  # a circle
        self._hidden = Value(7.0)

    def __call__(self, x: float) -> Value:
        return self.w[0] * x + self.w[1]

    def told(self) -> set[str]:
        return named(steps(self(3.0)))


class Net:
    def __init__(self) -> None:
        self.layers = [Neuron()]


def named(told: Any) -> set[str]:
    return {item.name for item in told.items if item.name}


NAMES = {"net.layers[0].w[0]", "net.layers[0].w[1]"}


def test_what_objects_hold_has_a_name_in_every_view() -> None:
    net = Net()
    y = net.layers[0](3.0)
    for name in NAMES:
        assert name in tree(y)
        assert f">{name}<" in draw(y).svg
        assert name in to_dot(y)
    assert named(steps(y)) == NAMES | {"y"}


def test_inside_of_a_method_it_is_self() -> None:
    assert Neuron().told() == {"self.w[0]", "self.w[1]"}


def test_the_page_uses_the_same_names() -> None:
    net = Net()
    model = Line()
    point = SimpleNamespace(scale=Value(4.0))
    counts = defaultdict(Value, k=Value(2.0))
    y = model(net.layers[0](3.0)) * point.scale * counts["k"]
    labels = {node["label"] for node in document_of(y)["nodes"] if node["label"]}
    assert labels == named(steps(y))
    assert NAMES | {"point.scale", "counts['k']", "parts.0"} <= labels


class Line(nn.Module):
    def __init__(self) -> None:
        self.parts = [Value(2.0), Value(1.0)]

    def forward(self, x: Any) -> Any:
        return self.parts[0] * x + self.parts[1]


def test_parameters_have_their_paths() -> None:
    model = Line()
    y = model(3.0)
    assert named(steps(y)) == {"parts.0", "parts.1", "y"}
    other = Line()
    paths = {f"{name}.parts.{k}" for name in ("model", "other") for k in (0, 1)}
    assert named(steps(y + other(2.0))) == paths | {"y"}


def test_names_that_are_given_are_all_there_are() -> None:
    net = Net()
    y = net.layers[0](3.0)
    assert named(steps(y, names={"n": net})) == {"n.layers[0].w[0]", "n.layers[0].w[1]"}
    assert not named(steps(y, names=False))
    assert not named(steps(net.layers[0]._hidden * 2.0)), "private"


def test_a_variable_goes_before_an_attribute() -> None:
    net = Net()
    slope = net.layers[0].w[0]
    assert named(steps(slope * 2.0)) == {"slope"}


def test_the_search_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [SimpleNamespace(w=Value(1.0)) for _ in range(99)]
    assert named(steps(many[98].w * 2.0)) == {"many[98].w"}
    monkeypatch.setattr(names, "BUDGET", 50)
    assert not named(steps(many[98].w * 2.0))
