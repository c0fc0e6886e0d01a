"""Errors about a node that two paths share draw both paths; reports are pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from gradwalk import Tensor, Value, abs, cos, grad, nn, relu, where
from gradwalk.check import check_gradients, kinks, precision
from gradwalk.errors import FreedGraphError, InPlaceError, LeakedTraceError
from gradwalk.inspect import flow, paths, why
from gradwalk.inspect.report import Report

FILE = "test_shared.py"


def message(error, program):
    with pytest.raises(error) as found:
        program()
    return str(found.value).splitlines()


def test_a_freed_graph_draws_both_passes():
    def program():
        w = Tensor([1.0, 2.0], requires_grad=True)
        h = w * 2.0
        a = h.sum()
        b = (h * h).sum()
        a.backward()
        b.backward()

    lines, first = message(FreedGraphError, program), program.__code__.co_firstlineno
    assert lines[1:6] == [
        f"h = w * 2.0   ({FILE}, line {first + 2}): freed",
        f"├─ a = h.sum()   ({FILE}, line {first + 3})",
        f"│  └─ a.backward()   ({FILE}, line {first + 5}): freed it",
        f"└─ b = (h * h).sum()   ({FILE}, line {first + 4})",
        f"   └─ b.backward()   ({FILE}, line {first + 6}): needs it again",
    ]


def test_a_graph_of_values_draws_both_passes():
    def program():
        w = Value(1.0)
        h = w * 2.0
        a, b = h + 1.0, h * h
        a.backward(retain_graph=False)
        b.backward()

    told = "\n".join(message(FreedGraphError, program))
    assert "h = mul(…) = 2: freed" in told
    assert "├─ a = add(…) = 3" in told
    assert "a.backward(retain_graph=False)" in told
    assert "└─ b = mul(…) = 4" in told


def test_a_state_that_is_carried_through_a_loop():
    def program():
        w = Tensor([1.0], requires_grad=True)
        state = w * 1.0
        for _ in range(3):
            state = state * w
            loss = state.sum()
            loss.backward()

    told = "\n".join(message(FreedGraphError, program))
    assert "state = state * w" in told
    assert "in an earlier round of the loop" in told
    assert "detach()" in told


def test_an_overwritten_array_draws_its_reader_and_its_writer():
    def program():
        w = Tensor([1.0, 2.0], requires_grad=True)
        h = w * 3.0
        y = h * h
        h.data[0] = 5.0
        return y

    lines, first = message(InPlaceError, program), program.__code__.co_firstlineno
    assert lines[1:4] == [
        f"h = w * 3.0   ({FILE}, line {first + 2})",
        f"├─ y = h * h   ({FILE}, line {first + 3}): keeps them for its gradient",
        f"└─ h.data[0] = 5.0   ({FILE}, line {first + 4}): overwrites them",
    ]


@pytest.mark.parametrize("inner", [False, True])
def test_a_leak_draws_where_it_was_made_and_used(inner):
    kept = []

    def f(x):
        kept.append(x * x)
        return x * 2.0

    def program():
        grad(lambda x: grad(f)(x) * x if inner else f(x))(2.0)
        return kept[0] + 1.0

    told = "\n".join(message(LeakedTraceError, program))
    assert "kept[0]" in told
    assert "return kept[0] + 1.0" in told
    assert "inside it" in told
    assert "after it had ended" in told


# --- pictures -------------------------------------------------------------------------------------


def a_cause():
    w = Tensor([0.5, -1.0], requires_grad=True)
    h = w.relu()
    return why((h * 2.0).log().sum())


def some_paths():
    a = Value(3.0)
    t1, t3 = a * 7.0, a * -5.0
    return paths(t1 * 3.0 + t3 * 2.0, a)


def a_flow():
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.ReLU(), nn.Linear(3, 1, seed=1))
    model[0].bias.data = np.full(3, -100.0)
    model(Tensor(np.ones((4, 2)))).sum().backward()
    return flow(model)


def some_digits():
    pytest.importorskip("mpmath")
    x = Tensor([1e-6, 1.0], requires_grad=True)
    return precision(((1.0 - cos(x)) / (x * x)).sum(), x)


REPORTS = {
    "why": a_cause,
    "paths": some_paths,
    "flow": a_flow,
    "kinks": lambda: kinks(lambda x, y: relu(x - 1.0) + abs(y), 1.0, 0.0),
    "precision": some_digits,
    "check_gradients": lambda: check_gradients(lambda x, y: relu(x) * y, [0.0, 2.0]),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_a_picture_and_a_table(name, tmp_path):
    report = REPORTS[name]()
    drawing = report.draw()
    root = ET.fromstring(drawing.svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    texts = list(root.iter("{http://www.w3.org/2000/svg}text"))
    assert texts
    for element in texts:  # a text that begins outside of the picture cannot be read
        assert 0.0 <= float(element.attrib["x"]) <= width
        assert 0.0 <= float(element.attrib["y"]) <= height
    boxes = list(root.iter("{http://www.w3.org/2000/svg}rect"))
    assert all(float(e.get("x", "0")) + float(e.attrib["width"]) <= width + 1.0 for e in boxes)
    assert report.title in "".join(root.itertext()) or name in ("kinks", "precision")
    assert "<table>" in report._repr_html_()
    assert drawing.save(tmp_path / "report.svg").read_text(encoding="utf-8") == drawing.svg


# --- both engines, and programs -------------------------------------------------------------------


@pytest.mark.parametrize("of", ["log1p", "softmax", "norm", "layer", "losses", "moves"])
def test_digits_of_tensors_are_those_of_doubles(of):
    pytest.importorskip("mpmath")
    random = np.random.default_rng(0)
    x = Tensor(random.normal(size=(3, 4)), requires_grad=True)
    w = Tensor(random.normal(size=(4, 3)), requires_grad=True)
    norm = nn.LayerNorm(3)
    programs = {
        "log1p": lambda: (x * x).log1p().sum(),
        "softmax": lambda: ((x @ w).softmax(axis=1) ** 2).sum() + (x @ w).var(),
        "norm": lambda: (x @ w).std() + x[1:, 0].norm() + x.max(axis=0).prod(),
        "layer": lambda: (norm(x @ w) * w[0]).sum(),
        "losses": lambda: nn.cross_entropy(x @ w, np.array([0, 1, 2])),
        "moves": lambda: (where(x > 0.0, x, 2.0 * x).reshape(4, 3).mT @ w).cumsum(axis=0).mean(),
    }
    found = precision(programs[of](), [x, w])
    assert found.digits > 12.0, found
    value = Value(1e-13)
    lost = precision((value + 1.0).log(), value)
    twin = Tensor([1e-13], requires_grad=True)
    assert precision((twin + 1.0).log().sum(), twin).value.digits == pytest.approx(
        lost.value.digits, abs=0.1
    )


def test_a_table_in_a_notebook_aligns_numbers_and_leaves_out_empty_columns() -> None:
    class Table(Report):
        head = ("name", "size", "note")
        numbers = (1,)

        def table(self) -> list[tuple[str, ...]]:
            return [("a", "1", ""), ("b", "10", "")]

    html = Table("title")._repr_html_()
    assert html.count("text-align: right") == 3
    assert html.count("<th") == 2
    assert "note" not in html
