"""The page as a debugger: what documents say about lines, arrays and earlier runs; questions."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import Tensor, Value, explore, log, relu
from gradwalk.errors import OptionError
from gradwalk.inspect import lines
from gradwalk.inspect.graph import snapshot
from gradwalk.studio.arrays import SLICED, rounded
from gradwalk.studio.document import document_of
from gradwalk.studio.questions import QUESTIONS, Questions


def lined(document: dict[str, Any]) -> list[str]:
    """The text of the line of each operation, "" if it was not recorded."""
    table = document.get("lines", [])
    return [table[n["line"]][1] if "line" in n else "" for n in document["nodes"] if n["inputs"]]


# --- lines ----------------------------------------------------------------------------------------


def test_operations_on_values_have_their_lines_inside_of_lines() -> None:
    a = Value(2.0)
    before = a * 3.0
    with lines():
        y = before + a  # the sum
        z = y * y  # the square
    document = document_of(z)
    assert lined(document) == ["", "y = before + a  # the sum", "z = y * y  # the square"]
    assert all(place.startswith("test_debugging.py:") for place, _ in document["lines"])
    json.dumps(document, allow_nan=False)


def test_tensors_always_have_their_lines_and_equal_ones_are_written_once() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = (x * 2.0 + x * 3.0).sum()  # one line
    document = document_of(y)
    assert lined(document) == ["y = (x * 2.0 + x * 3.0).sum()  # one line"] * 4
    assert len(document["lines"]) == 1


def test_without_lines_a_document_is_as_before() -> None:
    assert "lines" not in document_of(Value(2.0) * 3.0)


# --- arrays ---------------------------------------------------------------------------------------

NUMBERS = st.lists(
    st.one_of(
        st.floats(width=64), st.sampled_from([0.0, -0.0, 1e308, -1e308, 5e-324]), st.just(0.0)
    ),
    min_size=1,
    max_size=80,
)


@given(NUMBERS)
def test_the_spread_of_an_array(numbers: list[float]) -> None:
    array = np.array(numbers)
    spread = document_of(Tensor(array))["nodes"][0]["array"]["spread"]
    finite = array[np.isfinite(array)]
    assert spread["size"] == array.size
    assert spread["nan"] == np.isnan(array).sum()
    assert spread["inf"] == np.isinf(array).sum()
    assert spread["zeros"] == (array == 0.0).sum()
    assert sum(spread["bins"]) == finite.size
    if finite.size:
        assert (spread["low"], spread["high"]) == (finite.min(), finite.max())
        assert spread["bins"][0] > 0
        assert spread["low"] == spread["high"] or spread["bins"][-1] > 0
    json.dumps(spread, allow_nan=False)


def test_arrays_of_medium_size_are_kept_for_slices_within_a_budget() -> None:
    x = Tensor(np.arange(100.0) / 7.0, requires_grad=True)
    [leaf, *_] = document_of((x * x).sum())["nodes"]
    assert leaf["array"]["whole"] == rounded(np.arange(100.0) / 7.0)
    assert np.allclose(leaf["array"]["whole"], np.arange(100.0) / 7.0, rtol=1e-5)
    large = Tensor(np.ones(SLICED + 1), requires_grad=True)
    assert "whole" not in document_of(large * 2.0)["nodes"][0]["array"]
    y = Tensor(np.ones(SLICED), requires_grad=True)
    for _ in range(40):
        y = y * 2.0
    arrays = [n["array"] for n in document_of(y)["nodes"]]
    assert sum(len(a.get("whole", [])) for a in arrays) <= 50_000


# --- two runs -------------------------------------------------------------------------------------


def test_an_earlier_run_is_written_beside() -> None:
    a = Value(2.0)
    before, now = a * 3.0, a * 4.0
    document = explore(now, before=before).document
    assert document["before"]["nodes"][-1]["data"] == 6.0
    assert document["nodes"][-1]["data"] == 8.0
    assert "before" not in document["before"]


# --- questions ------------------------------------------------------------------------------------


def questions(root: Any) -> tuple[Questions, list[dict[str, Any]]]:
    nodes = document_of(root, frame=sys._getframe(1))["nodes"]
    return Questions(root), nodes


def test_nodes_are_those_of_the_records() -> None:
    a, b = Value(2.0, label="a"), Value(3.0, label="b")
    y = (a * 2.0 + b) * a
    nodes = document_of(y)["nodes"]
    y = gw.checkpoint(lambda a: (a * 2.0, a + 1.0))(y)[1] * y  # an operation with two results
    nodes = document_of(y)["nodes"]
    for record, node in zip(nodes, [item.node for item in snapshot(y, False)], strict=True):
        assert (node is None) == record.get("constant", False)
        assert node is None or (node.op, node.data) == (record["op"], record["data"])


def test_why_answers_as_the_library() -> None:
    a = Value(0.0, label="a")
    with lines():
        y = log(a) * 2.0
    asked, nodes = questions(y)
    found = asked.answer("why", len(nodes) - 1)
    cells = dict(found["rows"])
    assert cells["cause"].startswith("log(0) = -inf")
    assert "log(a)" in cells["line"]
    y.backward()
    assert asked.answer("why", 0)["title"] == "a.grad = inf"


def test_paths_kinks_and_precision_answer_as_the_library() -> None:
    x, y = Value(1.0, label="x"), Value(1.0, label="y")
    root = relu(x - y) + x * y
    asked, nodes = questions(root)
    names = [n["label"] for n in nodes]
    found = asked.answer("paths", names.index("x"))
    assert found["title"] == "∂root/∂x = 1"
    kinks = asked.answer("kinks", len(nodes) - 1)
    assert (kinks["rows"][0][0], len(kinks["head"])) == ("relu", len(kinks["rows"][0]))
    assert asked.answer("kinks", names.index("x"))["rows"] == []
    pytest.importorskip("mpmath")
    assert [row[0] for row in asked.answer("precision", names.index("x"))["rows"]][-1] == "∂/∂x"


def test_questions_do_not_change_the_graph() -> None:
    x = Value(2.0)
    root = relu(x * 3.0)
    asked, nodes = questions(root)
    for what in QUESTIONS:
        for index in range(len(nodes)):
            json.dumps(asked.answer(what, index), allow_nan=False)
    assert (x.grad, root.grad, root.data) == (0.0, 0.0, 6.0)


@pytest.mark.parametrize("index", [None, -1, 99, True, "0", 1.0, [], 1])
@pytest.mark.parametrize("what", ["why", "how", None, 3, "__class__"])
def test_what_cannot_be_answered_is_an_error_in_words(what: Any, index: Any) -> None:
    asked, nodes = questions(Value(2.0) * 3.0)
    assert nodes[1].get("constant")
    assert "expected" in asked.answer(what, index)["error"]


def test_tensors_answer_why_and_paths() -> None:
    w = Tensor([4.0, 0.0], requires_grad=True)
    loss = w.sqrt().sum()
    loss.backward(retain_graph=True)
    asked, _ = questions(loss)
    assert dict(asked.answer("why", 1)["rows"])["cause"].startswith("the backward pass of sqrt(0)")
    assert asked.answer("paths", 0)["title"].startswith("∂loss/∂w")
    assert "Keep it in a variable" in asked.answer("paths", 1)["error"]
    assert "digits" in asked.answer("precision", 0)["head"]


def test_the_widget_passes_questions_on() -> None:
    pytest.importorskip("anywidget")
    a = Value(0.0, label="a")
    widget = explore(log(a)).widget()
    sent: list[Any] = []
    widget.send = sent.append  # type: ignore[method-assign]
    assert widget.live
    widget._asked(widget, {"ask": "why", "node": 1, "id": 7}, [])
    assert (sent[0]["answer"], sent[0]["rows"][0][0]) == (7, "cause")
    widget._asked(widget, "nonsense", [])
    assert len(sent) == 1
    widget.document = explore(a * 2.0).document
    assert not widget.live
    widget._asked(widget, {"ask": "why", "node": 1, "id": 8}, [])
    assert len(sent) == 1


def of_value(w):
    return (w * 3.0 - 1.0) ** 2


def of_tensor(w):
    return ((w * Tensor([0.5, -1.0])).sum() - 1.0) ** 2


def of_module(w):
    return gw.checkpoint(lambda w: (w * w).sum())(w) * 2.0


@pytest.mark.parametrize(
    ("f", "start"), [(of_value, 2.0), (of_tensor, [1.0, 2.0]), (of_module, [1.0, 2.0])]
)
def test_an_earlier_run_whose_parameters_were_updated_is_refused(f, start):
    w = Value(start) if f is of_value else Tensor(start, requires_grad=True)
    before = f(w)
    recorded = float(before.data)
    assert explore(f(w), before=before).document["before"]["nodes"][-1]["data"] == recorded
    w.data = w.data - 0.5  # as an optimizer does
    with pytest.raises(OptionError, match=r"before=\.\.\.\): .* updated since.*deepcopy"):
        explore(f(w), before=before)
    w.data = w.data + 0.5
    assert explore(f(w), before=before).document["before"]["nodes"][-1]["data"] == recorded
