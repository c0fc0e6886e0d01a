"""Graphs as the page reads them: what is written, and that nothing is touched."""

from __future__ import annotations

import gc
import json
import math
import sys
from collections import Counter, defaultdict, namedtuple
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk
from gradwalk import (
    Tensor,
    Value,
    custom_rule,
    grad,
    gradients,
    nn,
    pointwise,
    relu,
    special,
    tanh,
    where,
)
from gradwalk.core.primitive import mask_if, pass_if
from gradwalk.errors import (
    FreedGraphError,
    NotANumberError,
    OptionError,
    SizeError,
)
from gradwalk.inspect import names as searched
from gradwalk.ops import TABLE
from gradwalk.studio import size
from gradwalk.studio.custom_operations import CustomOperations
from gradwalk.studio.document import document_of
from gradwalk.studio.folders import folders


def nodes_of(node: Any, **options: Any) -> list[dict[str, Any]]:
    """The nodes of a document, which must be JSON as browsers read it."""
    document = document_of(node, frame=sys._getframe(1), **options)
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text) == document
    assert (document["format"], document["version"]) == ("gradwalk-walk", 1)
    return document["nodes"]


def labelled(nodes: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {node["label"]: node for node in nodes if node["label"]}


# --- Values ---------------------------------------------------------------------------------------


def test_a_graph_is_written_with_operands_first() -> None:
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    document = document_of((a + b) * 10 + a, names=False, title="a title", source="(a + b) * 10")
    assert document["title"] == "a title"
    assert document["source"] == "(a + b) * 10"
    assert "rows" not in document
    assert [(n["op"], n["inputs"], n["data"]) for n in document["nodes"]] == [
        ("", [], 2.0),
        ("", [], -3.0),
        ("add", [0, 1], -1.0),
        ("", [], 10.0),
        ("mul", [2, 3], -10.0),
        ("add", [4, 0], -8.0),
    ]
    assert [n.get("constant", False) for n in document["nodes"]].index(True) == 3


def test_a_number_of_the_program_is_a_node_at_every_use() -> None:
    x = Value(1.0)
    y = x * 2.0 + 2.0
    assert y.operands, "even after somebody has looked at the operands"
    nodes = nodes_of(y)
    assert [n["data"] for n in nodes if n.get("constant")] == [2.0, 2.0]


def test_numbers_that_json_has_not() -> None:
    x = Value(math.inf, label="x")
    nodes = nodes_of(x * -1.0 + (x - x))
    assert [n["data"] for n in nodes] == ["inf", -1.0, "-inf", "nan", "nan"]


def test_names_come_from_labels_then_from_the_scope() -> None:
    a, b = Value(1.0, label="the first"), Value(2.0)
    list_of = [a + b]
    assert set(labelled(nodes_of(list_of[0]))) == {"the first", "b", "list_of[0]"}
    assert set(labelled(nodes_of(list_of[0], names=False))) == {"the first"}
    assert set(labelled(nodes_of(list_of[0], names={"z": b}))) == {"the first", "z"}


def test_gradients_of_the_user_stay_what_they_are() -> None:
    a = Value(3.0)
    y = a * a
    y.backward()
    a.grad, y.grad = 7.0, 8.0
    odd = pointwise("own_odd_1", lambda t, y, x: t * math.cos(x), forward=lambda x: math.sin(x))
    z = odd(y)
    nodes_of(z)
    assert (a.grad, y.grad, z.grad) == (7.0, 8.0, 0.0)
    assert [operand is y for operand in z._inputs] == [True]


def test_a_leaf_alone() -> None:
    assert nodes_of(Value(2.0), names=False) == [{"op": "", "inputs": [], "label": "", "data": 2.0}]


def test_a_long_chain_and_a_graph_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    v = Value(1.0)
    for _ in range(100_000):
        v = v + v
    assert len(nodes_of(v)) == 100_001
    for _ in range(100_000):
        v = v + v
    with pytest.raises(SizeError, match=r"at most 200,000 nodes.*fewer examples"):
        document_of(v)
    monkeypatch.setattr(size, "LIMIT", 5)
    x = Value(1.0)
    assert len(nodes_of(x * 2.0 + 1.0)) == 5
    with pytest.raises(SizeError):
        document_of(x * 2.0 + 1.0 + x)
    with pytest.raises(SizeError):
        document_of(x * 2.0 * 2.0 * 2.0)


@pytest.mark.parametrize("thing", [2.0, None, "x", [Value(1.0)], np.ones(2)])
def test_what_has_no_graph(thing: Any) -> None:
    with pytest.raises(NotANumberError, match=r"explore\(node\): expected a Value or a Tensor"):
        document_of(thing)


def test_a_title_is_text() -> None:
    with pytest.raises(OptionError, match="text"):
        document_of(Value(1.0), title=3)  # type: ignore[arg-type]


def test_a_released_graph() -> None:
    y = Value(1.0) * 2.0
    y.backward(retain_graph=False)
    with pytest.raises(FreedGraphError):
        document_of(y)


# --- rows of the user -----------------------------------------------------------------------------


def run(programs: dict[str, Any], program: dict[str, Any], *given: float) -> float | None:
    """What the page does with a program, in Python."""
    results: list[Any] = list(given)

    def number(atom: Any) -> Any:
        return results[atom["at"]] if isinstance(atom, dict) else float(atom)

    for op, *atoms in program["instructions"][len(given) :]:
        args = [number(atom) for atom in atoms]
        if None in args:
            results.append(None)
        elif op == "pass_if":
            results.append(args[1] if args[0] else None)
        elif op == "mask_if":
            results.append(None if args[0] else args[1])
        elif op in programs:
            results.append(run(programs, programs[op]["forward"], *args))
        else:
            results.append(TABLE[op].evaluate(*args))
    return None if program["result"] is None else number(program["result"])


CUBE = pointwise("own_cube", lambda t, y, x: t * 3.0 * x * x, forward=lambda x: x * x * x)
OWN = [
    CUBE,
    pointwise("own_sine", lambda t, y, x: t * gradwalk.cos(x), forward="sin"),
    pointwise(
        "own_ramp",
        lambda t, y, x: pass_if(x > 0.0, t),
        forward=lambda x: where(x > 0.0, x, 0.0),
    ),
    pointwise(
        "own_shut", lambda t, y, x: mask_if(x > 0.0, t * CUBE(x)), forward=lambda x: CUBE(-x)
    ),
    pointwise(
        "own_both",
        lambda t, y, a, b: t * tanh(b),
        None,
        forward=lambda a, b: a * tanh(b) + math.inf * (b - b),
    ),
    pointwise("own_whole", lambda t, y, x: 0, forward=lambda x: 2),
]


@pytest.mark.parametrize("primitive", OWN, ids=lambda primitive: primitive.name)
@given(t=st.floats(-9, 9), a=st.floats(-9, 9), b=st.floats(-9, 9))
def test_a_program_computes_what_the_row_does(primitive: Any, t: float, a: float, b: float) -> None:
    args = (a, b)[: primitive.arity]
    rows = CustomOperations()
    name = rows.name(primitive)
    assert name == primitive.name
    written = rows.programs[name]
    assert written["params"] == list(primitive.params)
    y = primitive.evaluate(*args)
    assert run(rows.programs, written["forward"], *args) == pytest.approx(y, rel=0, nan_ok=True)
    for rule, program, contribution in zip(
        primitive.rules, written["rules"], primitive.contributions(t, y, args), strict=True
    ):
        assert (rule is None) == (program is None)
        found = None if program is None else run(rows.programs, program, t, y, *args)
        assert (found is None) == (contribution is None)
        if contribution is not None:
            assert found == pytest.approx(contribution, rel=0, nan_ok=True)


def test_a_graph_carries_the_programs_that_it_needs() -> None:
    x = Value(2.0, label="x")
    document = document_of(OWN[3](x) + tanh(x))
    assert set(document["rows"]) == {"own_shut", "own_cube"}
    assert "recorded" not in str(document)


def test_two_rows_of_one_name_stay_apart() -> None:
    first = pointwise("own_twin", lambda t, y, x: t, forward=lambda x: x + 1.0)
    second = pointwise("own_twin", lambda t, y, x: t, forward=lambda x: x + 2.0)
    hidden = pointwise("tanh", lambda t, y, x: t, forward=lambda x: x + 3.0)
    shut = pointwise("pass_if", lambda t, y, x: t, forward=lambda x: x + 4.0)
    x = Value(0.0)
    document = document_of(first(x) + second(x) + hidden(x) + shut(x) + tanh(x), names=False)
    ops = [node["op"] for node in document["nodes"] if node["inputs"]]
    assert Counter(ops) == Counter(
        ["add"] * 4 + ["own_twin", "own_twin (2)", "tanh (2)", "pass_if (2)", "tanh"]
    )
    for name, number in (("own_twin", 1), ("own_twin (2)", 2), ("tanh (2)", 3), ("pass_if (2)", 4)):
        assert run(document["rows"], document["rows"][name]["forward"], 0.0) == number


UNWRITTEN: list[Callable[[], Any]] = [
    lambda: pointwise("own_math", lambda t, y, x: t * math.cos(x), forward=lambda x: math.sin(x)),
    lambda: pointwise("own_rule", lambda t, y, x: t * math.cos(x), forward=lambda x: x + x),
    lambda: pointwise("own_branch", lambda t, y, x: t, forward=lambda x: x if x > 0 else -x),
    lambda: pointwise("own_pair", lambda t, y, x: (t, t), forward=lambda x: x + x),
    lambda: pointwise(
        "own_deep",
        lambda t, y, x: t,
        forward=lambda x: UNWRITTEN[0]()(x),
    ),
]


@pytest.mark.parametrize("make", UNWRITTEN)
def test_a_row_that_cannot_be_written_down_has_no_program(make: Callable[[], Any]) -> None:
    rows = CustomOperations()
    assert rows.name(make()) is None
    assert rows.programs == {}


def test_a_row_that_uses_itself_ends() -> None:
    rows = CustomOperations()
    own: list[Any] = []
    own.append(pointwise("own_self", lambda t, y, x: t, forward=lambda x: own[0](x)))
    assert rows.name(own[0]) is None


class NeverEndsError(BaseException):
    """No `Exception`, which is caught: what a user's function raises is one."""


def test_derivatives_that_never_end_are_not_written_down() -> None:
    made: list[Any] = []

    def member() -> Any:
        """Return a primitive whose rule uses two new ones, as each of theirs does."""
        made.append(None)
        if len(made) > 1000:
            raise NeverEndsError
        rule = lambda t, y, x: t * member()(x) * member()(x)  # noqa: E731
        return pointwise(f"own_{len(made)}", rule, forward=lambda x: x + 1.0)

    assert CustomOperations().name(member()) is None


def test_rows_that_use_one_another_are_all_written_down() -> None:
    row = tanh
    for i in range(8):
        row = pointwise(
            f"own_{i}", lambda t, y, x, f=row: t * f(x), forward=lambda x, f=row: f(x) + 1.0
        )
    rows = CustomOperations()
    assert rows.name(row) == "own_7"
    assert len(rows.programs) == 8


@pytest.mark.parametrize("name", ["i0", "erfinv", "ndtri", "digamma"])
def test_the_gradients_of_special_functions_are_there(name: str) -> None:
    f = getattr(special, name)
    *_, node = document_of(f(Value(0.3)))["nodes"]
    assert node["op"] in TABLE or node["recorded"] == {"grad": 1.0, "shares": [grad(f)(0.3)]}


def test_where_there_is_no_program_the_gradient_is_recorded() -> None:
    odd = UNWRITTEN[0]()
    box = custom_rule(lambda a, b: a * b, vjp=lambda t, y, a, b: (t * b, None), name="box")
    x, z = Value(2.0, label="x"), Value(5.0, label="z")
    nodes = nodes_of(odd(x) * 3.0 + box(x, z))
    recorded = {n["op"]: n["recorded"] for n in nodes if "recorded" in n}
    [name] = [op for op in recorded if op != "own_math"]
    assert recorded["own_math"] == {"grad": 3.0, "shares": [3.0 * math.cos(2.0)]}
    assert recorded[name] == {"grad": 1.0, "shares": [5.0, None]}


def test_where_no_gradient_arrives_none_is_recorded() -> None:
    x = Value(2.0, label="x")
    nodes = nodes_of(relu(UNWRITTEN[0]()(x) * -9.0) + x)
    [recorded] = [n["recorded"] for n in nodes if "recorded" in n]
    assert recorded == {"grad": None, "shares": [None]}


# --- where a node stands --------------------------------------------------------------------------


def test_the_work_of_a_model_lies_in_its_layers() -> None:
    model = nn.MLP(2, [3, 1], seed=1)
    examples = [([0.0, 1.0], 1.0), ([1.0, 1.0], -1.0)]
    losses = [(model(x) - y) ** 2 for x, y in examples]
    nodes = nodes_of(sum(losses[1:], losses[0]), names=False)
    groups = Counter(n.get("group", "") for n in nodes if n["op"])
    assert set(groups) == {"", "l0.n0", "l0.n1", "l0.n2", "l1.n0"}
    assert groups["l0.n0"] == 2 * 5, "of either example: two products, two sums, one tanh"
    assert groups["l1.n0"] == 2 * 6
    assert groups[""] == 2 * 2 + 1, "difference, square, and the sum"
    assert {n["group"] for n in nodes if n["label"]} == set(groups) - {""}


def test_parameters_of_a_model_of_the_user_are_named_by_their_path() -> None:
    class Line(nn.Module):
        def __init__(self) -> None:
            self.parts = [Value(2.0), Value(1.0)]

        def forward(self, x: Any) -> Any:
            return self.parts[0] * x + self.parts[1]

    line = Line()
    assert set(labelled(nodes_of(line(3.0)))) == {"parts.0", "parts.1"}
    other = Line()
    names = {"line.parts.0", "line.parts.1", "other.parts.0", "other.parts.1"}
    assert set(labelled(nodes_of(line(3.0) + other(2.0)))) == names
    assert not labelled(nodes_of(line(3.0), names=False))


class Neuron:
    """What people write before they know of modules."""

    def __init__(self, start: Any) -> None:
        self.w = [start(0.5), start(2.0)]
        self.owner = self  # a circle, which must not be walked for ever
        self._hidden = start(7.0)


class Net:
    def __init__(self, start: Any = Value) -> None:
        self.layers = [[Neuron(start)], [Neuron(start)]]

    def __call__(self, x: Any) -> Any:
        for [neuron] in self.layers:
            x = neuron.w[0] * x + neuron.w[1]
        return x


NET = {f"net.layers[{i}][0].w[{k}]" for i in range(2) for k in range(2)}


def test_attributes_of_objects_are_names_and_folders() -> None:
    net = Net()
    nodes = nodes_of(net(3.0))
    assert set(labelled(nodes)) == NET
    groups = {name: node["group"] for name, node in labelled(nodes).items()}
    assert set(groups.values()) == {"layers.0.0", "layers.1.0"}
    assert not labelled(nodes_of(net(3.0), names=False))
    assert not labelled(nodes_of(net.layers[0][0]._hidden * 2.0)), "private"
    assert set(labelled(nodes_of(net(3.0), names={"net": net}))) == NET
    other = Net()
    groups = {n["label"]: n.get("group") for n in nodes_of(net(3.0) + other(3.0)) if n["label"]}
    assert groups["net.layers[0][0].w[1]"] == "net.layers.0.0"
    assert groups["other.layers[0][0].w[1]"] == "other.layers.0.0"


def test_members_of_all_kinds_of_containers_are_names() -> None:
    counts = defaultdict(Value, k=Value(2.0))
    point = namedtuple("point", "w b")(Value(1.0), 3)
    shared = SimpleNamespace(scale=Value(4.0))
    nodes = nodes_of(point.w * counts["k"] * shared.scale)
    assert set(labelled(nodes)) == {"point[0]", "counts['k']", "shared.scale"}


def test_attributes_that_are_tensors() -> None:
    net = Net(lambda x: Tensor([x], requires_grad=True))
    assert set(labelled(nodes_of(net(3.0)))) == NET


@pytest.mark.parametrize(
    ("names", "inputs", "expected"),
    [
        # keys with points in them, as in small GPTs
        (
            ["s['b0.wq'][0][0]", "s['b1.wq'][0][0]", "s['wte'][0]", "", ""],
            [[], [], [], [0, 2], [1, 3]],
            ["b0", "b1", "", "b0", "b1"],
        ),
        # two layers; the residual belongs to where it leads
        (
            ["a.0.w", "a.1.w", "x", "", "", "", "a.2.w", ""],
            [[], [], [], [0, 2], [1, 3], [3, 4], [], [5, 6]],
            ["a.0", "a.1", "", "a.0", "a.1", "a.1", "a.2", "a.2"],
        ),
        # several neurons meet on the way to the next layer: their layer
        (
            ["l0.n0.w", "l0.n1.w", "x", "", "", "", "l1.n0.w", ""],
            [[], [], [], [0, 2], [1, 2], [3, 4], [], [5, 6]],
            ["l0.n0", "l0.n1", "", "l0.n0", "l0.n1", "l0", "l1.n0", "l1.n0"],
        ),
        # two parameters in one operation
        (["l0.n0.w", "l0.n1.w", ""], [[], [], [0, 1]], ["l0.n0", "l0.n1", "l0"]),
        (["l0.w", "l0.n1.w", ""], [[], [], [0, 1]], ["l0", "l0.n1", "l0"]),
        # a number that is called like a path is none
        (["0.5", "x", ""], [[], [], [0, 1]], ["", "", ""]),
        (["a b.c", "x.2", ""], [[], [], [0, 1]], ["", "", ""]),
    ],
)
def test_folders(names: list[str], inputs: list[list[int]], expected: list[str]) -> None:
    assert folders(names, inputs, [False] * len(names)) == expected


def test_half_a_character_in_a_label_does_not_stop_the_file() -> None:
    document = document_of(Value(1.0, label="a\ud800b"), title="\udcff")
    assert document["nodes"][0]["label"] == "a?b"
    assert document["title"] == "?"
    json.dumps(document, ensure_ascii=False).encode()


# --- Tensors --------------------------------------------------------------------------------------


def test_arrays_are_written_with_their_gradients() -> None:
    w = Tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
    b = Tensor([0.5, 0.25], requires_grad=True, label="bias")
    x = Tensor([3.0, 4.0])
    y = tanh(w @ x + b).sum()
    expected = gradients(y, [w, b])
    nodes = nodes_of(y)
    known = labelled(nodes)
    assert set(known) == {"w", "bias", "x", "y"}
    assert [n["op"] for n in nodes] == ["", "", "matmul", "", "add", "tanh", "sum"]
    assert known["x"]["constant"]
    assert known["w"]["data"] == 6.0
    assert known["w"]["array"]["shape"] == [2, 2]
    assert known["w"]["array"]["dtype"] == "float64"
    assert known["w"]["array"]["values"] == [1.0, -2.0, 3.0, 4.0]
    assert known["w"]["array"]["complete"]
    assert known["w"]["array"]["summary"] == {
        "min": -2.0,
        "max": 4.0,
        "mean": 1.5,
        "norm": pytest.approx(math.sqrt(30.0)),
    }
    for label, gradient in zip(("w", "bias"), expected, strict=True):
        assert known[label]["array"]["grad"]["values"] == gradient.ravel().tolist()
        assert known[label]["array"]["grad"]["norm"] == pytest.approx(np.linalg.norm(gradient))
    assert known["x"]["array"]["grad"] is None
    assert nodes[2]["recorded"]["shares"][1] is None, "no gradient flows to the data"
    assert nodes[2]["recorded"]["grad"] == pytest.approx(np.linalg.norm(expected[1]))
    assert nodes[-1]["recorded"] == {"grad": 1.0, "shares": [pytest.approx(math.sqrt(2.0))]}
    assert w.grad is None
    y.backward()
    assert np.array_equal(w.grad, expected[0]), "the graph is still there"


def test_arrays_that_no_rule_has_kept_are_computed_again() -> None:
    w = Tensor([1.0, 2.0], requires_grad=True)
    y = ((w + Tensor([1.0, 1.0], requires_grad=True)) - 3.0).sum()
    nodes = nodes_of(y, names=False)
    assert [n["data"] for n in nodes if n["op"] == "sum"] == [-1.0]
    lost = [n for n in nodes if n["array"]["dtype"] == "not kept"]
    assert lost, "a leaf that nobody holds, and the 3 that was only subtracted"
    assert all(n["data"] == "nan" and n["array"]["values"] == [] for n in lost)
    v = Tensor([5.0, 7.0], requires_grad=True)
    nodes = nodes_of(((w + v) + w).sum())
    assert [n["array"]["values"] for n in nodes if n["op"] == "add"] == [[6.0, 9.0], [7.0, 11.0]]


def test_a_large_array_is_shown_from_both_ends() -> None:
    x = Tensor(np.arange(65.0), requires_grad=True)
    [leaf, square, _] = nodes_of((x * x).sum())
    assert leaf["array"]["values"] == [*range(32), *range(33, 65)]
    assert not leaf["array"]["complete"]
    assert not leaf["array"]["grad"]["complete"]
    assert len(square["array"]["values"]) == 64
    assert leaf["data"] == sum(range(65))
    whole = nodes_of(Tensor(np.arange(64.0), requires_grad=True) * 2.0)[-1]
    assert whole["array"]["complete"]
    assert len(whole["array"]["values"]) == 64


def test_an_array_result_is_swept_from_ones() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    nodes = nodes_of(x * x)
    assert nodes[0]["array"]["grad"]["values"] == [2.0, 4.0]
    assert nodes[-1]["recorded"]["grad"] == pytest.approx(math.sqrt(2.0))


def test_shut_gates_are_zeros_of_an_array() -> None:
    x = Tensor([-1.0, 2.0], requires_grad=True)
    nodes = nodes_of(relu(x + x).sum())
    assert nodes[1]["array"]["grad"]["values"] == [0.0, 1.0]


def test_several_results_and_odd_arrays() -> None:
    a = Tensor(np.eye(2) * 2.0, requires_grad=True)
    q, r = gradwalk.linalg.qr(a)
    nodes = nodes_of(r.sum() + q.sum())
    assert [n["op"] for n in nodes].count("qr") == 2
    for record, part in zip([n for n in nodes if n["op"] == "qr"], (r, q), strict=True):
        assert record["inputs"] == [0]
        assert record["array"]["values"] == part.data.ravel().tolist()
        assert None not in record["recorded"]["shares"]
    empty = nodes_of(Tensor(np.ones((0, 3)), requires_grad=True))[0]["array"]
    assert (empty["values"], empty["summary"]["max"]) == ([], "nan")
    bad = nodes_of(Tensor([np.nan, np.inf], requires_grad=True))[0]
    assert bad["array"]["values"] == ["nan", "inf"]
    assert bad["data"] == "nan"


def test_tensors_without_gradients_are_leaves() -> None:
    x = Tensor([1, 2, 3])
    nodes = nodes_of(x)
    assert nodes == [
        {
            "op": "",
            "inputs": [],
            "label": "x",
            "data": 6.0,
            "array": {
                "shape": [3],
                "dtype": "int64",
                "values": [1.0, 2.0, 3.0],
                "complete": True,
                "summary": {"min": 1.0, "max": 3.0, "mean": 2.0, "norm": math.sqrt(14.0)},
                "spread": nodes[0]["array"]["spread"],  # see test_debugging.py
                "grad": None,
            },
        }
    ]


def test_values_among_arrays_are_a_leaf() -> None:
    v = Value(3.0)
    [leaf, *_] = nodes_of((gradwalk.stack([v, v * 2.0]) * 2.0).sum())
    assert leaf["array"]["values"] == [3.0, 6.0]
    assert leaf["array"]["grad"]["values"] == [2.0, 2.0]
    assert v.grad == 0.0


def test_layers_of_tensors() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    loss = nn.functional.cross_entropy(model(Tensor(np.ones((5, 3)))), np.array([0, 1, 0, 1, 0]))
    nodes = nodes_of(loss)
    assert set(labelled(nodes)) >= {"model.0.weight", "model.0.bias", "model.2.weight", "loss"}
    ops = {n["op"]: n.get("group", "") for n in nodes if n["op"]}
    assert ops["tanh"] == "model.0"
    assert ops["mean"] == "", "the loss is no part of the last layer"
    assert Counter(n.get("group") for n in nodes)["model.2"] == 3
    listed = {"net": [Tensor([1.0], requires_grad=True)]}
    assert "listed['net'][0]" in labelled(nodes_of(listed["net"][0] * 2.0))
    given = nodes_of(listed["net"][0] * 2.0, names={"p": listed["net"][0]})
    assert set(labelled(given)) == {"p"}
    assert not labelled(nodes_of(listed["net"][0] * 2.0, names=False))


def test_a_search_for_names_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [[Tensor([1.0], requires_grad=True)] for _ in range(99)]
    assert nodes_of(many[98][0] * 2.0)[0]["label"] == "many[98][0]"
    monkeypatch.setattr(searched, "BUDGET", 50)
    assert nodes_of(many[98][0] * 2.0)[0]["label"] == ""


def test_a_model_of_tensors_beside_a_graph_of_values() -> None:
    model = nn.Linear(2, 1)
    x = Value(2.0)
    assert set(labelled(nodes_of(x * 3.0))) == {"x"}
    assert model.num_parameters() == 3


def test_a_released_graph_of_tensors_says_what_to_do() -> None:
    y = (Tensor([1.0], requires_grad=True) * 2.0).sum()
    y.backward()
    with pytest.raises(FreedGraphError, match="retain_graph=True"):
        document_of(y)


def test_a_row_of_the_user_on_arrays() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    y = (CUBE(x) - 1.0).sum()
    gc.collect()
    nodes = nodes_of(y)
    cube = next(n for n in nodes if n["op"] == "own_cube")
    assert cube["recorded"]["shares"] == [pytest.approx(math.hypot(3.0, 12.0))]
    assert nodes[0]["array"]["grad"]["values"] == [3.0, 12.0]


def test_numpy_is_loaded_for_tensors_only(run_python: Any) -> None:
    program = """
import sys
from gradwalk import Value
from gradwalk.studio.document import document_of
from gradwalk.studio.explore import explore
explore(Value(2.0) * 3.0)
print(*sorted({"numpy", "starlette", "uvicorn", "anywidget", "anyio"} & set(sys.modules)))
"""
    assert run_python(program).strip() == ""


def test_a_model_of_values_in_scope_names_no_tensor() -> None:
    model = nn.MLP(2, [2, 1], seed=0)
    t = Tensor([1.0, 2.0], requires_grad=True)
    nodes = document_of((t * t).sum(), frame=sys._getframe())["nodes"]
    names = {node["label"] for node in nodes}
    assert names == {"t", ""}
    assert model.num_parameters() == 9
