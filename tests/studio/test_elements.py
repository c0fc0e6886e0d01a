"""Graphs of Tensors, opened: every number of every array is a node that the page computes."""

from __future__ import annotations

import json
import shutil
import subprocess
import warnings
from collections import Counter
from collections.abc import Callable
from itertools import groupby
from math import inf, isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, mutually_broadcastable_shapes

import gradwalk
from gradwalk import Tensor, Value, explore, gradients, linalg, nn, pointwise
from gradwalk.core.primitive import PRIMITIVES
from gradwalk.errors import FreedGraphError, OptionError, SizeError
from gradwalk.nn import functional as F  # noqa: N812
from gradwalk.ops.array import TABLE as ARRAY_TABLE
from gradwalk.studio import size
from gradwalk.studio.document import document_of
from gradwalk.studio.elements import Work

from ..helpers.amount import examples

WEB = Path(__file__).parents[2] / "web"
pytestmark = pytest.mark.filterwarnings("default:NOT TESTED")

Program = Callable[..., Tensor]

EVALUATE = """
import { readFileSync } from "node:fs";
import { build } from "vite";

const [engine, documents] = process.argv.slice(1);
const lib = { entry: engine, formats: ["es"] };
const options = { configFile: false, logLevel: "silent", build: { write: false, lib } };
const [{ output }] = await build(options);
const code = Buffer.from(output[0].code).toString("base64");
const { Graph } = await import("data:text/javascript;base64," + code);

const result = {};
const cases = JSON.parse(readFileSync(documents, "utf8"));
for (const [name, [document, others]] of Object.entries(cases)) {
  const graph = new Graph(document);
  const leaves = graph.nodes.filter((node) => node.leaf);
  const edits = new Map(leaves.map((node) => [node.index, others[node.label]]));
  result[name] = [graph.evaluate(), graph.evaluate(edits)].map(({ data, gradients }) => {
    const slopes = leaves.map((node) => [node.label, gradients[node.index]]);
    return [data[graph.root], Object.fromEntries(slopes)];
  });
}
process.stdout.write(JSON.stringify(result));
"""


def drawn(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


# --- what a document computes ---------------------------------------------------------------------


def opened(loss: Tensor, leaves: dict[str, Tensor], **options: Any) -> dict[str, Any]:
    """The document of a loss, which must be JSON as browsers read it."""
    document = document_of(loss, names=leaves, elements=True, **options)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    return document


def run(
    document: dict[str, Any], edits: dict[str, float] | None = None
) -> tuple[Value, dict[str, Value]]:
    """The graph of a document, computed again from its leaves; and the leaves by their labels."""
    edits = edits or {}
    values: list[Any] = []
    leaves = {}
    for node in document["nodes"]:
        if node["op"]:
            values.append(PRIMITIVES[node["op"]](*[values[i] for i in node["inputs"]]))
        elif "constant" in node:
            values.append(float(node["data"]))
        else:
            label = node["label"]
            assert label not in leaves
            values.append(Value(edits.get(label, float(node["data"]))))
            leaves[label] = values[-1]
    return values[-1], leaves


def named(name: str, shape: tuple[int, ...]) -> list[str]:
    """The labels of the numbers of an array, in order."""
    if not shape:
        return [name]
    return [f"{name}[{', '.join(map(str, index))}]" for index in np.ndindex(shape)]


def expected(loss: Tensor, leaves: dict[str, Tensor]) -> tuple[float, dict[str, float]]:
    """The loss and the gradient at every number, from the sweep over arrays."""
    total = loss.sum() if loss.ndim else loss
    found = gradients(total, [*leaves.values()])
    pairs = zip(leaves.items(), found, strict=True)
    return total.item(), {
        label: slope
        for (name, leaf), contribution in pairs
        for label, slope in zip(
            named(name, leaf.shape), contribution.reshape(-1).tolist(), strict=True
        )
    }


def assert_close(got: float, want: float, size: float, what: str) -> None:
    same = got == want or (isnan(got) and isnan(want))
    assert same or abs(got - want) <= 1e-12 * size, f"{what}: {got!r}, not {want!r}"


def assert_agrees(
    loss: Tensor, leaves: dict[str, Tensor], root: float, slopes: dict[str, float | None]
) -> None:
    """Slopes within 1e-12 of the largest one in their array: what cancels in one may round."""
    value, wanted = expected(loss, leaves)
    assert_close(root, value, abs(value), "the loss")
    for name, leaf in leaves.items():
        labels = named(name, leaf.shape)
        size = max([abs(wanted[label]) for label in labels if abs(wanted[label]) < inf], default=0)
        for label in labels:
            assert_close(slopes.get(label) or 0.0, wanted[label], size, label)


# --- programs -------------------------------------------------------------------------------------

A, B, C, M = drawn(3), drawn(3, seed=1), drawn(2, 3, seed=2), drawn(3, 2, seed=3)
TIES = np.array([[1.0, 3.0, 3.0, -1.0], [2.0, 2.0, 2.0, 2.0], [0.0, -0.0, -5.0, -5.0]])
WIDE = drawn(2, 40, seed=4)
KEPT: list[Any] = []


def kept(x: Tensor) -> Tensor:
    """A result that a variable of the program still holds."""
    KEPT.append(x)
    return x


def weighted(y: Tensor) -> Tensor:
    """Numbers that all have different slopes."""
    return (y * np.linspace(0.5, 1.5, y.size).reshape(y.shape)).sum()


PROGRAMS: dict[str, tuple[Program, dict[str, Any]]] = {
    "products of vectors": (lambda a, b: a @ b, {"a": A, "b": B}),
    "matrix and vector": (lambda w, x: weighted(w @ x), {"w": C, "x": A}),
    "vector and matrix": (lambda x, w: weighted(x @ w), {"x": A, "w": M}),
    "matrices": (lambda a, b: weighted(a @ b), {"a": C, "b": M}),
    "stacks of matrices": (
        lambda a, b: weighted(a @ b),
        {"a": drawn(2, 1, 2, 3), "b": drawn(3, 3, 2)},
    ),
    "a stack and a matrix": (lambda a, b: weighted(a @ b), {"a": drawn(2, 2, 3), "b": M}),
    "constant factors": (lambda w: weighted(C @ w), {"w": M}),
    "a layer": (
        lambda x, w, b: weighted(F.linear(x, w, b)),
        {"x": C, "w": drawn(4, 3), "b": drawn(4)},
    ),
    "einsum": (lambda a, b: weighted(gradwalk.einsum("ij,jk->ki", a, b)), {"a": C, "b": M}),
    "a diagonal": (lambda a: weighted(gradwalk.einsum("ii->i", a)), {"a": drawn(3, 3)}),
    "three factors": (
        lambda a, b, c: gradwalk.einsum("ij,jk,k->", a, b, c),
        {"a": C, "b": M, "c": drawn(2)},
    ),
    "sums": (lambda x: weighted(x.sum(0)) + weighted(x.sum(1, keepdims=True)) + x.sum(), {"x": C}),
    "means": (lambda x: weighted(x.mean(0)) * x.mean() + weighted(x.mean((0, 1))), {"x": C}),
    "variances": (lambda x: weighted(x.var(1)) + x.var(correction=1), {"x": C}),
    "deviations": (lambda x: weighted(x.std(0)) + x.std(correction=1), {"x": C}),
    "no deviation": (lambda x: x.std() * 2.0 + x.sum(), {"x": np.full(4, 0.5)}),
    "products": (lambda x: weighted(x.prod(1)) + x.prod(), {"x": C}),
    "a product with zeros": (lambda x: x.prod(), {"x": np.array([2.0, 0.0, 3.0])}),
    "largest": (lambda x: weighted(x.max(1)) + x.max() + weighted(x.max(0)), {"x": TIES}),
    "smallest": (lambda x: weighted(x.min(1)) + x.min() + weighted(x.min(0)), {"x": TIES}),
    "lengths": (lambda x: weighted(linalg.vector_norm(x, axis=1)), {"x": C}),
    "a length of zeros": (lambda x: linalg.vector_norm(x) + x.sum(), {"x": np.zeros(3)}),
    "other lengths": (
        lambda x: weighted(
            gradwalk.stack([linalg.vector_norm(x, ord=p) for p in (1, 3, 2.5, inf, -inf)])
        ),
        {"x": A},
    ),
    "lengths of one": (
        lambda x: weighted(linalg.vector_norm(x, axis=1, ord=3)),
        {"x": drawn(3, 1)},
    ),
    "arranged": (
        lambda x: weighted(x.reshape(3, 2).T @ x.mT[::-1]) + weighted(x[None, ..., 1]),
        {"x": C},
    ),
    "rolled": (
        lambda x: weighted(gradwalk.roll(x, 1, axis=1) * gradwalk.flip(x, axis=0)),
        {"x": C},
    ),
    "joined": (
        lambda a, b: weighted(gradwalk.concat([a, b, a])) * gradwalk.stack([a, b]).sum(),
        {"a": A, "b": B},
    ),
    "parts": (lambda x: weighted(gradwalk.unstack(x)[1] * x[0, ::2].sum()), {"x": C}),
    "fancy": (lambda x: weighted(x[[0, 1, 1], [2, 0, 0]] ** 2), {"x": C}),
    "taken": (lambda x: weighted(gradwalk.take(x, [2, 2, 0], axis=1)), {"x": C}),
    "spread": (lambda x: weighted(gradwalk.broadcast_to(x, (2, 3)).exp()), {"x": A}),
    "broadcast": (lambda a, b: weighted(a[:, None] * b - a[0] / b), {"a": A, "b": B}),
    "softmax": (lambda x: weighted(gradwalk.softmax(x, axis=1)), {"x": C}),
    "softmax of many": (lambda x: weighted(gradwalk.softmax(x, axis=1)), {"x": WIDE}),
    "log_softmax": (lambda x: weighted(gradwalk.log_softmax(x, axis=0)), {"x": C}),
    "logsumexp": (
        lambda x: weighted(gradwalk.logsumexp(x, axis=1)) + gradwalk.logsumexp(x),
        {"x": C},
    ),
    "cross-entropy": (lambda x: F.cross_entropy(x, [2, 0]), {"x": C}),
    "some ignored": (lambda x: F.cross_entropy(x, [-100, 1], ignore_index=-100), {"x": C}),
    "labels of two": (
        lambda x: F.binary_cross_entropy_with_logits(x, np.array([1.0, 0.0, 0.3])),
        {"x": A},
    ),
    "layer norm": (
        lambda x, w, b: weighted(F.layer_norm(x, (3,), w, b)),
        {"x": C, "w": A, "b": B},
    ),
    "root mean square": (lambda x: weighted(F.rms_norm(x, (3,))), {"x": C}),
    "chosen": (
        lambda a, b: weighted(gradwalk.where([True, False, True], a * 2.0, b)),
        {"a": A, "b": B},
    ),
    "clipped": (lambda x: weighted(x.clip(-0.5, 0.5)) + weighted(x.relu()), {"x": A}),
    "running sums": (
        lambda x: (
            weighted(gradwalk.cumulative_sum(x, axis=1))
            + weighted(gradwalk.cumulative_prod(x, axis=0))
        ),
        {"x": C},
    ),
    "sorted": (
        lambda x: (
            weighted(gradwalk.sort(x, axis=1)) + weighted(gradwalk.sort(x, axis=0, descending=True))
        ),
        {"x": TIES},
    ),
    "the best": (lambda x: weighted(gradwalk.topk(x, 2).values) + gradwalk.median(x), {"x": TIES}),
    "matrices divided": (
        lambda a, b: weighted(linalg.solve(a, b)) + weighted(linalg.inv(a)),
        {"a": drawn(3, 3), "b": M},
    ),
    "determinants": (
        lambda x: linalg.det(x) + linalg.slogdet(x @ x.mT + 1.0)[1],
        {"x": drawn(3, 3)},
    ),
    "a root of a matrix": (
        lambda x: weighted(linalg.cholesky(x @ x.mT + 1.0)),
        {"x": C},
    ),
    "a number": (lambda s: (s * 3.0).tanh(), {"s": np.array(0.3)}),
    "updated": (lambda x, v: weighted(updated(x * 1.0, v) * 2.0), {"x": A, "v": np.array(2.5)}),
    "conv1d": (
        lambda x, w, b: weighted(F.conv1d(x, w, b, padding=1)),
        {"x": drawn(1, 2, 4), "w": drawn(2, 2, 3), "b": drawn(2)},
    ),
    "conv2d": (
        lambda x, w: weighted(F.conv2d(x, w, stride=2, padding=1)),
        {"x": drawn(1, 1, 4, 4), "w": drawn(2, 1, 3, 3)},
    ),
    "pools": (
        lambda x: weighted(F.max_pool1d(x, 3, stride=1, padding=1)) + F.avg_pool1d(x, 2).sum(),
        {"x": TIES[None]},
    ),
    "numbers of the program": (
        lambda x: (kept(1.0 - x) * kept(x + 3.0) - kept(x - B) * kept(x[:, None] + B).sum(1)).sum(),
        {"x": A},
    ),
    "constants beside": (
        lambda x: (kept(gradwalk.concat([B, x])) * kept(gradwalk.stack([x, B])).sum()).sum(),
        {"x": A},
    ),
}


def updated(x: Tensor, v: Tensor) -> Tensor:
    x[1:] = v
    return x


def built(name: str, seed: int | None = None) -> tuple[Tensor, dict[str, Tensor]]:
    """A loss and its leaves; with a ``seed`` at other numbers than those in the table."""
    program, arrays = PROGRAMS[name]
    if seed is not None:
        arrays = {n: drawn(*a.shape, seed=seed + k) for k, (n, a) in enumerate(arrays.items())}
    leaves = {n: Tensor(a.copy(), requires_grad=True) for n, a in arrays.items()}
    return program(*leaves.values()), leaves


def numbers(leaves: dict[str, Tensor]) -> dict[str, float]:
    """The numbers of arrays by their labels."""
    return {
        label: number
        for name, leaf in leaves.items()
        for label, number in zip(named(name, leaf.shape), leaf.reshape(-1).tolist(), strict=True)
    }


def assert_runs(
    document: dict[str, Any], loss: Tensor, leaves: dict[str, Tensor], edited: bool = False
) -> None:
    """A document gives the loss and its slopes, from its own leaves or at others' numbers."""
    root, found = run(document, numbers(leaves) if edited else None)
    root.backward()
    assert_agrees(loss, leaves, root.data, {label: leaf.grad for label, leaf in found.items()})


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_numbers_have_the_gradients_of_the_arrays(name: str) -> None:
    loss, leaves = built(name)
    assert_runs(opened(loss, leaves), loss, leaves)


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_decided_for_good(name: str) -> None:
    """With other numbers in the leaves it is what the program makes of those."""
    document = opened(*built(name))
    assert_runs(document, *built(name, seed=10), edited=True)


# --- networks -------------------------------------------------------------------------------------

MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "an MLP": (
        lambda: nn.Sequential(nn.Linear(3, 4, seed=0), nn.Tanh(), nn.Linear(4, 2, seed=1)),
        (2, 3),
    ),
    # BatchNorm1d undoes any scaling of a feature: after a ReLU, or with two rows, the slopes of
    # the layers before it would be differences of almost equal numbers, without correct digits.
    "norms": (
        lambda: nn.Sequential(
            nn.Linear(3, 4, seed=0), nn.LayerNorm(4), nn.Tanh(), nn.BatchNorm1d(4), nn.ReLU()
        ),
        (4, 3),
    ),
    "a convolution": (
        lambda: nn.Sequential(
            nn.Conv1d(1, 2, 3, padding=1, seed=0), nn.GELU(), nn.MaxPool1d(2), nn.Flatten()
        ),
        (1, 1, 4),
    ),
    "an LSTM": (lambda: nn.LSTM(2, 2, seed=0), (2, 1, 2)),
    "attention": (lambda: nn.TransformerEncoderLayer(4, 2, 4, dropout=0.0, seed=0), (1, 2, 4)),
    "dropout": (
        lambda: nn.Sequential(nn.Linear(3, 4, seed=0), nn.Dropout(0.5, seed=1), nn.SiLU()),
        (2, 3),
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_networks_open(name: str) -> None:
    make, shape = MODELS[name]
    model = make()
    y = model(Tensor(drawn(*shape)))
    loss = weighted((y[0] if type(y) is tuple else y).tanh())
    leaves = dict(model.named_parameters())
    assert_runs(opened(loss, leaves), loss, leaves)


# --- the page computes it too ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the engine of the page makes of every document: the root, and the slopes of leaves."""
    if shutil.which("node") is None or not (WEB / "node_modules" / "vite").is_dir():
        reason = "NOT TESTED: opened arrays in the page (install Node, then: cd web && npm ci)"
        warnings.warn(reason, stacklevel=1)
        pytest.skip(reason)
    cases = {name: [opened(*built(name)), numbers(built(name, seed=10)[1])] for name in PROGRAMS}
    path = tmp_path_factory.mktemp("page") / "documents.json"
    path.write_text(json.dumps(cases), "utf-8")
    engine = str(WEB / "src" / "engine" / "index.ts")
    command = ["node", "--input-type=module", "--eval", EVALUATE, engine, str(path)]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads(done.stdout)
    return results


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_page_computes_the_same(name: str, page: dict[str, Any]) -> None:
    """From the leaves as they were, and with other numbers in all of them."""
    for found, seed in zip(page[name], (None, 10), strict=True):
        assert_agrees(*built(name, seed=seed), *found)


# --- shapes that nobody has chosen ----------------------------------------------------------------


@st.composite
def fitting(draw: st.DrawFn) -> tuple[tuple[int, ...], ...]:
    """Two shapes of matrices, or stacks of them, that have a product."""
    n, k, m = (draw(st.integers(1, 3)) for _ in range(3))
    stack = draw(array_shapes(min_dims=0, max_dims=2, max_side=2))
    left = draw(st.sampled_from([(k,), (n, k), (*stack, n, k)]))
    right = draw(st.sampled_from([(k,), (k, m), (*stack, k, m)]))
    return left, right


@examples(50)
@given(fitting(), st.integers(0, 99))
def test_products_of_all_shapes(shapes: Any, seed: int) -> None:
    leaves = {
        name: Tensor(drawn(*shape, seed=seed), requires_grad=True)
        for name, shape in zip("ab", shapes, strict=True)
    }
    loss = weighted(leaves["a"] @ leaves["b"])
    assert_runs(opened(loss, leaves), loss, leaves)


REDUCTIONS = [
    *(Tensor.sum, Tensor.mean, Tensor.max, Tensor.min, Tensor.var, Tensor.prod),
    *(gradwalk.logsumexp, linalg.vector_norm),
]


@examples(50)
@given(st.data())
def test_reductions_of_all_shapes(data: st.DataObject) -> None:
    shape = data.draw(array_shapes(min_dims=1, max_dims=3, max_side=3))
    axes = st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True)
    reduce = data.draw(st.sampled_from(REDUCTIONS))
    one = reduce is Tensor.prod  # which has one axis at most
    axis = data.draw(st.none() | (st.integers(0, len(shape) - 1) if one else axes.map(tuple)))
    x = Tensor(np.round(drawn(*shape)), requires_grad=True)  # with ties
    loss = weighted(reduce(x, axis=axis, keepdims=data.draw(st.booleans())))
    assert_runs(opened(loss, {"x": x}), loss, {"x": x})


@examples(50)
@given(st.data())
def test_broadcasting_of_all_shapes(data: st.DataObject) -> None:
    shapes = data.draw(mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3))
    leaves = {
        name: Tensor(drawn(*shape, seed=k), requires_grad=True)
        for k, (name, shape) in enumerate(zip("abc", shapes.input_shapes, strict=True))
    }
    a, b, c = leaves.values()
    loss = weighted(gradwalk.maximum(a * b, c) - a.tanh() / (c * c + 1.0) + b)
    assert_runs(opened(loss, leaves), loss, leaves)


# --- what the picture is folded to ----------------------------------------------------------------


def grouped(document: dict[str, Any]) -> tuple[dict[str, int], set[tuple[str, str]]]:
    """The groups with their sizes, and what leads from one to another."""
    groups = [node["group"] for node in document["nodes"]]
    edges = {
        (groups[operand], group)
        for node, group in zip(document["nodes"], groups, strict=True)
        for operand in node["inputs"]
    }
    return dict(Counter(groups)), {(a, b) for a, b in edges if a != b}


def test_the_groups_are_the_graph_of_the_arrays() -> None:
    w, b = Tensor(drawn(3, 2), requires_grad=True), Tensor(drawn(3), requires_grad=True)
    x, target = Tensor([1.0, -2.0]), Tensor([0.5, 0.0, 1.0])
    h = (w @ x + b).tanh()
    loss = ((h - target) ** 2).sum()
    sizes, edges = grouped(document_of(loss, elements=True))
    assert edges == {
        *(("w", "matmul"), ("x", "matmul"), ("matmul", "add"), ("b", "add"), ("add", "h")),
        *(("h", "sub"), ("target", "sub"), ("sub", "square"), ("square", "loss")),
    }
    threes = dict.fromkeys(("b", "target", "add", "h", "sub", "square"), 3)
    assert sizes == threes | {"w": 6, "x": 2, "matmul": 9, "loss": 2}


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_array_follows_the_other(name: str) -> None:
    loss, leaves = built(name)
    nodes = opened(loss, leaves)["nodes"]
    groups = [group for group, _ in groupby(node["group"] for node in nodes)]
    assert len(groups) == len({*groups})
    for leaf, array in leaves.items():
        labels = [n["label"] for n in nodes if n["group"] == leaf]
        assert labels == [label for label in named(leaf, array.shape) if label in labels]


def test_operations_stand_where_their_layer_stands() -> None:
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Tanh(), nn.Linear(3, 1, seed=1))
    loss = model(Tensor(drawn(2, 2))).mean()
    sizes, _ = grouped(document_of(loss, elements=True))
    layers = {"model.0.weight": 6, "model.0.bias": 3, "model.0.affine": 24, "model.0.tanh": 6}
    layers |= {"model.2.weight": 3, "model.2.bias": 1, "model.2.affine": 12}
    assert sizes == layers | {"numbers": 4, "loss": 3}


def test_the_same_operation_again_has_a_group_of_its_own() -> None:
    x = Tensor([0.5, 1.0], requires_grad=True, label="x. y")
    sizes, edges = grouped(document_of(x.exp().exp().sum(), names=False, elements=True))
    assert sizes == {"x· y": 2, "exp": 2, "exp (2)": 2, "sum": 1}
    assert ("exp", "exp (2)") in edges


def test_moved_numbers_make_no_nodes_and_keep_their_names() -> None:
    x = Tensor([[1.0, 2.0]], requires_grad=True)
    flat = (x * 3.0)[0, ::-1]
    labels = [node["label"] for node in document_of(flat, elements=True)["nodes"]]
    assert sorted(filter(None, labels)) == ["flat[0]", "flat[1]", "x[0, 0]", "x[0, 1]"]
    assert len(labels) == 7, "two constants, and one addition for the sum of both"


@pytest.mark.parametrize(
    "name",
    [name for name in PROGRAMS if name != "some ignored"],  # whose zeros are its own
)
def test_nothing_is_added_to_a_zero_that_numpy_starts_with(name: str) -> None:
    nodes = opened(*built(name))["nodes"]
    for node in nodes:
        if node["op"] == "add":
            operands = [nodes[i] for i in node["inputs"]]
            assert not any("constant" in n and n["data"] == 0.0 for n in operands)


# --- what is not in the graph ---------------------------------------------------------------------


def constants(loss: Tensor, **names: Tensor) -> list[tuple[str, float]]:
    document = document_of(loss, names=names, elements=True)
    return [(node["label"], node["data"]) for node in document["nodes"] if "constant" in node]


def test_plain_numbers_are_in_the_graph() -> None:
    x = Tensor([0.1, 0.7], requires_grad=True)
    assert constants(x + 0.3) == [("", 0.3)] * 2
    assert constants(1.0 - x) == [("", 1.0)] * 2
    assert constants(x.astype("float32") + 0.1) == [("", 0.1)] * 2
    assert constants((x + 0.3).exp()) == [("", 0.3)] * 2, "no result of the addition is left"
    assert constants((x + np.float64(1e-30)).exp()) == [("", 1e-30)] * 2


def test_constant_arrays_have_their_elements_and_the_name_of_their_tensor() -> None:
    x, c = Tensor([0.1, 0.7], requires_grad=True), Tensor([1e-30, 2.0])
    shifted = (x + c).exp()
    named, unnamed = [("c[0]", 1e-30), ("c[1]", 2.0)], [("", 1e-30), ("", 2.0)]
    assert constants(shifted, c=c, x=x) == named
    del c
    assert constants(shifted, x=x) == unnamed, "a small array stays in the graph"
    for constant in (np.array([1e-30, 2.0]), [1e-30, 2.0], Tensor([1e-30, 2.0])):
        assert constants((x + constant).exp(), x=x) == unnamed
    assert constants((gradwalk.concat([x, [2.0]])).exp(), x=x) == [("", 2.0)]


@pytest.mark.parametrize("make", [np.asarray, Tensor])
def test_large_constant_arrays_are_those_of_the_program(make: Callable[[Any], Any]) -> None:
    x, c = Tensor(np.ones(100), requires_grad=True), make(np.arange(100.0))
    found = constants((x + c).exp(), x=x)
    assert [number for _, number in found] == [*range(100)]
    shifted = (x + c).exp()
    del c
    with pytest.raises(FreedGraphError, match=r"add in line \d+ of .*test_elements") as error:
        constants(shifted, x=x)
    assert error.value.fix == "Keep this operand in a variable."


def test_a_constant_in_the_graph_may_be_written_to() -> None:
    """No rule reads it, so no gradient depends on its elements."""
    for size_ in (2, 100):
        x, c = Tensor(np.ones(size_), requires_grad=True), Tensor(np.zeros(size_))
        y = (x + c).sum()
        c.data[...] = 5.0
        assert c.data.tolist() == [5.0] * size_
        y.backward()


def test_a_leaf_that_the_program_has_dropped_is_an_error() -> None:
    x = Tensor([0.1, 0.7], requires_grad=True)
    loss = (x + Tensor([1.0, 2.0], requires_grad=True)).sum()
    with pytest.raises(FreedGraphError, match="Tensor is no longer there"):
        document_of(loss, elements=True)
    with pytest.raises(OptionError, match="pinv"):
        document_of(linalg.pinv(x[None]), elements=True)


# --- what is refused ------------------------------------------------------------------------------

own = pointwise("own_cube", lambda t, y, x: t * 3.0 * x * x, forward=lambda x: x * x * x)


def test_a_row_of_the_user_is_opened() -> None:
    x = Tensor([0.1, 0.7], requires_grad=True)
    loss = own(x).sum()
    document = opened(loss, {"x": x})
    assert [*document["rows"]] == ["own_cube"]
    assert_runs(document, loss, {"x": x})


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (lambda x: linalg.qr(x)[1].sum(), "qr"),
        (lambda x: linalg.svdvals(x).sum(), "svdvals"),
        (lambda x: linalg.eigh(x)[0].sum(), "eigh"),
    ],
)
def test_an_operation_that_is_one_whole_is_refused(program: Program, name: str) -> None:
    x = Tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    with pytest.raises(OptionError, match=rf"single numbers, got {name} \(.*elements=False"):
        document_of(program(x), elements=True)


def test_places_that_no_order_explains_are_refused() -> None:
    x = Tensor([3.0, 1.0, 2.0], requires_grad=True)
    y = ARRAY_TABLE["choose"](x, places=np.array([2, 0]), axis=0)
    with pytest.raises(OptionError, match="choose"):
        document_of(y, elements=True)


def test_an_element_decides_nothing() -> None:
    element = Work().leaf(2.0)
    for decide in (bool, float, lambda x: x < 1.0, lambda x: x == 1.0, lambda x: x != x, hash):
        with pytest.raises(TypeError):
            decide(element)  # type: ignore[operator]


def test_elements_are_numbers_that_python_computes_with() -> None:
    x = Work().leaf(2.0)
    found = [1.0 - x, x - 1.0, 1.0 / x, x / 4.0, x**3.0, -x, x.sqrt(), 0 - x, 1.0 * x]
    assert [y.value.data for y in found] == [-1.0, 1.0, 0.5, 0.5, 8.0, -2.0, 2.0**0.5, -2.0, 2.0]


def test_elements_is_true_or_false() -> None:
    for node in (Value(2.0), Tensor([1.0], requires_grad=True)):
        with pytest.raises(OptionError, match=r"elements=\.\.\."):
            explore(node, elements=1)  # type: ignore[arg-type]


# --- size -----------------------------------------------------------------------------------------


def test_too_many_numbers_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size, "LIMIT", 100)
    x = Tensor(np.ones((4, 4)), requires_grad=True)
    with pytest.raises(SizeError, match=r"at most 100 numbers.*got about 143.*elements=False"):
        document_of(kept(x @ x).sum(), elements=True)
    for contributions in (gradwalk.softmax(x, axis=None), gradwalk.softmax(x)):
        with pytest.raises(SizeError, match="about 1"):
            document_of(contributions * 2.0, elements=True)
    with pytest.raises(SizeError, match="more than 1,000"):
        document_of(x @ x @ x @ x @ x @ x @ x @ x @ x @ x, elements=True)
    with pytest.raises(SizeError, match="an array of 1,024"):
        document_of(gradwalk.broadcast_to(x, (64, 4, 4)), elements=True)
    assert len(document_of(x.sum(), elements=True)["nodes"]) == 31


def test_a_long_chain_of_arrays() -> None:
    x = Tensor([0.5], requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y * 0.999
    assert len(document_of(y, elements=True)["nodes"]) == 40_001


# --- what stays as it is --------------------------------------------------------------------------


def test_nothing_of_the_users_is_touched() -> None:
    x, w, b = (Tensor(a, requires_grad=True) for a in (C, A, B))
    loss = F.cross_entropy(F.layer_norm(x, (3,), w, b), [2, 0])
    wanted = gradients(loss, [x, w, b])
    loss = F.cross_entropy(F.layer_norm(x, (3,), w, b), [2, 0])
    document_of(loss, elements=True)
    assert (x.grad, w.label) == (None, "")
    loss.backward()
    for leaf, gradient in zip((x, w, b), wanted, strict=True):
        assert leaf.grad is not None
        assert leaf.grad.tolist() == gradient.tolist()


def test_values_in_a_tensor_bring_their_own_graph() -> None:
    v = Value(2.0, label="v")
    cubed = v * v * v
    q = Tensor([3.0, 5.0], requires_grad=True)
    both = gradwalk.stack([v, cubed])
    loss = (both * q).sum()
    document = document_of(loss, elements=True)
    root, leaves = run(document)
    root.backward()
    assert (root.data, leaves["v"].grad, leaves["q[1]"].grad) == (46.0, 63.0, 8.0)
    groups = {node["label"]: node.get("group") for node in document["nodes"]}
    assert (groups["v"], groups["cubed"], groups["q[0]"]) == (None, None, "q")
    assert (cubed.label, v.grad) == ("", 0.0)


def test_values_have_no_elements() -> None:
    v = Value(2.0, label="v")
    assert document_of(v * v, elements=True) == document_of(v * v)
    constant = Tensor([1.0, 2.0])
    assert document_of(constant, elements=True) == document_of(constant)


def test_single_precision_is_opened_in_double() -> None:
    x = Tensor(A.astype("float32"), requires_grad=True)
    loss = (x * x).sum()
    root, leaves = run(opened(loss, {"x": x}))
    root.backward()
    assert root.data == pytest.approx(loss.item(), rel=1e-6)
    assert leaves["x[1]"].grad == 2.0 * x[1].item()


def test_the_result_of_several_numbers_is_their_sum() -> None:
    x = Tensor([1.0, 2.0, 4.0], requires_grad=True)
    document = document_of(x, elements=True)
    assert [node["data"] for node in document["nodes"]] == [1.0, 2.0, 4.0, 3.0, 7.0]
    assert document["nodes"][-1]["group"] == "sum"
    nothing = document_of(x[:0].sum(), elements=True)
    assert [node["data"] for node in nothing["nodes"]] == [0.0]
