"""Exported files compute what the functions compute: in C with the same bits."""

from __future__ import annotations

import math
import random
import re
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import Value, export, grad, hessian, jacobian, nn, value_and_grad
from gradwalk.core.pytree import flatten
from gradwalk.errors import (
    FileError,
    GradwalkError,
    NotANumberError,
    OptionError,
    SizeError,
)
from gradwalk.nn import functional as F  # noqa: N812
from gradwalk.ops import TABLE

from ..helpers.amount import amount, examples
from ..helpers.arguments import moderate
from ..helpers.exported import COMPILERS, FLAGS, NODE, heads, load_c, run_js
from ..helpers.ordinary import compiled, scalar_program
from .test_compiling import functions
from .test_replay import NUMBERS

pytestmark = pytest.mark.skipif(not COMPILERS, reason="NO C COMPILER: exported C is not tested")
node = pytest.mark.skipif(NODE is None, reason="NO NODE: exported JavaScript is not tested")

Bits = Callable[[Any], Any]


def flat(x: Any) -> list[float]:
    return [float(n) for leaf in flatten(x)[0] for n in np.ravel(leaf).tolist()]


def same(bits: Bits, got: Any, expected: Any) -> bool:
    # a sum of masked terms may begin with another zero
    return [bits(x + 0.0) for x in flat(got)] == [bits(x + 0.0) for x in flat(expected)]


def written(directory: Path, f: Any, *args: Any, **options: Any) -> Any:
    """Return the exported functions of a file f.c."""
    export(f, *args, path=directory / "f.c", **options)
    return load_c(directory / "f.c", COMPILERS[0], "-O1")


# --- bits -----------------------------------------------------------------------------------------


@given(f=functions(), data=st.data())
@examples(150, 12)
def test_random_programs_have_the_same_bits(
    f: Any, data: Any, bits: Bits, tmp_path_factory: Any
) -> None:
    point = [data.draw(NUMBERS) for _ in range(3)]
    directory = tmp_path_factory.mktemp("export")
    second = data.draw(st.sampled_from(["gradient", "hessian"]))
    c = written(directory, f, *point, derivatives=second, argnums=(0, 1, 2))
    for at in (point, [data.draw(NUMBERS) for _ in range(3)]):
        status, results = c["f_gradient"](*at)
        assert status == 0
        assert same(bits, results, value_and_grad(f, (0, 1, 2))(*at))
        if second == "hessian":
            assert same(bits, c["f_hessian"](*at)[1][2], hessian(f, (0, 1, 2))(*at))


@pytest.mark.parametrize("seed", range(amount(60, 8)))
def test_ordinary_programs_have_the_same_bits_or_another_status(
    seed: int, bits: Bits, tmp_path: Path
) -> None:
    r = random.Random(seed)
    source = scalar_program(r)
    f = compiled(source, vars(gw))
    point = r.choice([-1.0, 0.0, 0.5, 2.0]), r.choice([-2.0, 1.0, 3.0])
    try:
        expected = value_and_grad(f, (0, 1))(*point)
        c = written(tmp_path, f, *point, argnums=(0, 1))
    except (GradwalkError, TypeError, ValueError):
        pytest.skip("refused, by compile too")
    status, results = c["f_gradient"](*point)
    assert status == 0, source
    assert same(bits, results, expected), source
    for at in ((0.25, -0.75), (1.0, 1.0), (-3.0, 0.0)):
        status, results = c["f_gradient"](*at)
        assert status or same(bits, results, value_and_grad(f, (0, 1))(*at)), source


@pytest.mark.parametrize("name", [n for n, p in TABLE.items() if p.differentiable])
def test_every_operation_in_c(name: str, bits: Bits, tmp_path: Path) -> None:
    primitive = TABLE[name]
    points = list(moderate(name, amount(40, 6)))
    args = tuple(range(primitive.arity))
    wrt = tuple(i for i in args if primitive.rules[i] is not None)
    f = lambda *xs: primitive(*xs) * 1.5  # noqa: E731
    c = written(tmp_path, f, *points[0], argnums=wrt)
    for point in points:
        status, results = c["f_gradient"](*point)
        assert status == 0
        assert same(bits, results, value_and_grad(f, wrt)(*point)), point


@node
def test_every_operation_in_javascript(tmp_path: Path) -> None:
    for name, primitive in TABLE.items():
        if not primitive.differentiable:
            continue
        points = [list(p) for p in moderate(name, 6)]
        wrt = tuple(i for i in range(primitive.arity) if primitive.rules[i] is not None)
        path = tmp_path / f"n_{name}.js"
        export(primitive, *points[0], path=path, argnums=wrt)
        found = run_js(path, f"n_{name}_gradient", [1, len(wrt)], points)
        for point, (status, results) in zip(points, found, strict=True):
            assert status == 0
            expected = flat(value_and_grad(primitive, wrt)(*point))
            for got, number in zip(flat(results), expected, strict=True):
                close = math.isclose(got, number, rel_tol=1e-11, abs_tol=1e-300)
                assert got == number or close or (got != got and number != number), (name, point)


@node
@given(f=functions(), data=st.data())
@examples(60, 5)
def test_random_programs_in_javascript(f: Any, data: Any, tmp_path_factory: Any) -> None:
    point = [data.draw(NUMBERS) for _ in range(3)]
    path = tmp_path_factory.mktemp("export") / "f.js"
    export(f, *point, path=path, argnums=(0, 1, 2))
    [(status, results)] = run_js(path, "f_gradient", [1, 3], [point])
    assert status == 0
    for got, number in zip(flat(results), flat(value_and_grad(f, (0, 1, 2))(*point)), strict=True):
        close = math.isclose(got, number, rel_tol=1e-6, abs_tol=1e-12)
        assert got == number or close or not math.isfinite(number) or abs(number) > 1e12


# --- loops ----------------------------------------------------------------------------------------


def chain(xs: Any) -> Any:
    s = 0.0
    for a, b in pairwise(xs):
        s = s + 100.0 * (b - a * a) ** 2 + (1.0 - a) ** 2
    return s


def orbit(p: Any) -> Any:
    x, y = p[0], p[1]
    for _ in range(60):
        x, y = x + 0.01 * y, y - 0.01 * gw.sin(x) * p[2]
    return x * y


def network(weights: Any, xs: Any) -> Any:
    hidden = xs
    for layer in weights:
        hidden = [
            gw.tanh(sum((w * h for w, h in zip(row, hidden, strict=True)), 0.1)) for row in layer
        ]
    return sum(hidden)


def masked(xs: Any) -> Any:
    return sum(gw.relu(x * 2.0 - y) * gw.maximum(x, y) for x, y in pairwise(xs))


def table(xs: Any) -> Any:
    order = [7, 3, 11, 0, 2, 5, 9, 1, 10, 4, 8, 6]
    return sum(gw.exp(xs[i]) * xs[j] for i, j in zip(order, order[3:], strict=False))


def doubled(xs: Any) -> Any:
    total = 0.0
    for i in range(8):
        for j in range(9):
            total = gw.tanh(total) * 0.5 + xs[i] * xs[j + 2]
        total = total + xs[i]
    return total


def ranked(xs: Any) -> Any:
    total = 0.0
    for i in range(6):
        rank = sum(gw.where(xs[j] < xs[i], 1.0, 0.0) for j in range(6))
        y = xs[0]
        for k in range(1, 6):
            y = gw.where(gw.equal(rank, float(k)), xs[k], y)
        total = total + y * (i + 1.0)
    return total


WEIGHTS = [[[0.1 * (i - j) + 0.05 * i for j in range(4)] for i in range(6)] for _ in range(1)]
LOOPS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], int]] = {
    "chain": (chain, ([0.1 * i for i in range(40)],), 120),
    "orbit": (orbit, ([0.5, 0.1, 1.0],), 140),
    "network": (network, (WEIGHTS, [0.3, -0.2, 0.5, 0.9]), 260),
    "masked": (masked, ([math.sin(i) for i in range(30)],), 200),
    "table": (table, ([0.1 * i for i in range(12)],), 120),
    "ranked": (ranked, ([0.5, -1.0, 2.0, 1.5, 0.25, -0.75],), 320),
    "doubled": (doubled, ([0.1 * i for i in range(12)],), 260),
}


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("level", ["-O0", "-O3"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_loops_have_the_same_bits(
    name: str, level: str, compiler: str, bits: Bits, tmp_path: Path
) -> None:
    f, args, lines = LOOPS[name]
    path = tmp_path / "f.c"
    export(f, *args, path=path)
    c = load_c(path, compiler, level)
    r = random.Random(5)
    for _ in range(5):
        leaves, structure = flatten(args)
        at = structure.unflatten([r.uniform(-1.5, 1.5) for _ in leaves])
        status, results = c["f_gradient"](*map(flat, at))
        assert status == 0
        assert same(bits, results, value_and_grad(f)(*at))
        assert same(bits, c["f"](*map(flat, at))[1], f(*at))
    body = path.read_text().split("int f(")[-1]
    assert body.count("\n") < lines
    assert "for (int i0" in body


@node
def test_loops_in_javascript(tmp_path: Path) -> None:
    for f, args, _ in LOOPS.values():
        export(f, *args, path=tmp_path / "f.js")
        sizes = [1, len(flat(args[0]))]
        [(status, results)] = run_js(tmp_path / "f.js", "f_gradient", sizes, [[*map(flat, args)]])
        assert status == 0
        assert flat(results) == pytest.approx(flat(value_and_grad(f)(*args)), rel=1e-12)


def test_a_long_loop_is_a_short_file(tmp_path: Path) -> None:
    texts = []
    for n in (100, 1000):
        export(chain, [0.1] * n, path=tmp_path / "f.c")
        texts.append((tmp_path / "f.c").read_text())
    assert texts[1].count("\n") - texts[0].count("\n") < 100  # rows of a table of indices
    assert texts[1].count("for (") == texts[0].count("for (") <= 6


@pytest.mark.parametrize("kind", ["jacobian", "hessian"])
def test_matrices(kind: str, bits: Bits, tmp_path: Path) -> None:
    xs = [0.3, -0.7, 1.1, 0.2, 0.9]
    f: Any = chain if kind == "hessian" else lambda xs: [x * y for x, y in pairwise(xs)]
    c = written(tmp_path, f, xs, derivatives=kind)
    status, results = c[f"f_{kind}"](xs)
    assert status == 0
    expected = {"jacobian": jacobian, "hessian": hessian}[kind](f)(xs)
    assert same(bits, results[-1], expected)
    assert same(bits, results[0], f(xs))
    if kind == "hessian":
        assert same(bits, results[1], grad(f)(xs))


# --- arguments ------------------------------------------------------------------------------------


def test_containers_arrays_and_numbers(bits: Bits, tmp_path: Path) -> None:
    def f(p: Any, x: Any, scale: Any, name: str) -> Any:
        y = p["w"] @ x + p["b"]
        return sum(gw.tanh(v) for v in y) * scale + len(name)

    p = {"w": np.array([[0.1, 0.2], [0.3, -0.4]]), "b": np.array([0.5, 0.25])}
    x = np.array([1.0, -2.0])
    c = written(tmp_path, f, p, x, 3, "three")
    assert [n for n, _ in heads(tmp_path / "f.c")["f"]] == ["p", "x", "scale", "result"]
    status, results = c["f_gradient"](flat(p), flat(x), 3.0)
    assert status == 0
    lists = {"w": [[0.1, 0.2], [0.3, -0.4]], "b": [0.5, 0.25]}
    y, slopes = value_and_grad(
        lambda p: (
            sum(gw.tanh(r[0] * 1.0 + r[1] * -2.0 + b) for r, b in zip(p["w"], p["b"], strict=True))
            * 3.0
            + 5
        )
    )(lists)
    assert flat(results) == pytest.approx([y, *flat(slopes)], rel=1e-14)
    text = (tmp_path / "f.c").read_text()
    assert "p: 0..3: p['w'] of shape (2, 2), 4..5: p['b'] of shape (2,)" in text
    assert "name: as in the examples" in text


X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
MLP: Any = nn.Sequential(
    nn.Linear(3, 4, seed=0), nn.Tanh(), nn.LayerNorm(4), nn.Linear(4, 1, seed=1)
)
OF_ARRAYS: dict[str, Callable[[Any], Any]] = {
    "pointwise": lambda x: gw.sum(gw.sin(x) * gw.relu(x) + 2.0 * x),
    "softmax": lambda x: gw.sum(gw.softmax(x, axis=1) ** 2),
    "logsumexp": lambda x: gw.logsumexp(x * x),
    "var": lambda x: gw.var(x) + gw.std(x[0]),
    "where": lambda x: gw.sum(gw.where(gw.sin(x) > 0.0, x * x, -x)),
    "layer_norm": lambda x: gw.sum(gw.layer_norm(x, (3,)) ** 3),
    "running": lambda x: gw.sum(gw.cumulative_sum(x, axis=0) * gw.cumulative_prod(x, axis=1)),
    "einsum": lambda x: gw.sum(gw.einsum("ij,kj->ik", x, X) ** 2),
    "matrices": lambda x: gw.linalg.det(x @ x.T) + gw.sum(gw.linalg.inv(x @ x.T + np.eye(2))),
    "largest": lambda x: gw.max(x) * gw.min(x) + gw.linalg.vector_norm(x),
    "sort": lambda x: gw.sum(gw.sort(x, axis=1) * X),
    "topk": lambda x: gw.topk(x[0], 2).values[1],
    "a count": lambda x: gw.sum(x) * gw.sum(gw.astype(gw.abs(x) * x > 0.0, float)),
    "joined": lambda x: gw.prod(gw.concat([x, 2.0 * x]).reshape(-1)),
    "cross_entropy": lambda x: F.cross_entropy(x, [2, 0]),
    "conv": lambda x: gw.sum(F.conv1d(x[None], np.ones((1, 2, 2)), padding=1) ** 2),
    "pool": lambda x: gw.sum(F.max_pool1d(x[None], 2)),
    "network": lambda x: gw.sum(MLP(x)),
    "numpy beside it": lambda x: (
        np.sum(gw.softmax(np.exp(x) * 0.1, axis=0) @ X.T) + (x @ X.T).sum()
    ),
    "a slope inside": lambda x: gw.sum(
        grad(lambda y: gw.sum(gw.softmax(y, axis=1) * X))(gw.exp(x)) * X
    ),
}


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_operations_on_arrays(name: str, tmp_path: Path) -> None:
    """Lowered to operations on numbers, whichever of them is the largest."""
    f = OF_ARRAYS[name]
    c = written(tmp_path, f, X)
    for at in (X, X[::-1, ::-1].copy(), 3.0 * X + 1.0):
        status, results = c["f_gradient"](at.reshape(-1))
        assert status == 0
        y, slopes = value_and_grad(f)(at)
        expected = [*flat(y.detach() if hasattr(y, "detach") else y), *flat(slopes)]
        assert flat(results) == pytest.approx(expected, rel=1e-11, abs=1e-13)


V = np.array([0.75, -1.25, 2.0])
TENSOR = gw.Tensor([1.5, -0.5, 0.25], requires_grad=True)
NUMBER = Value(1.75)
doubled = gw.custom_rule(gw.exp, vjp=lambda t, y, x: 2.0 * t * y)
both = gw.custom_rule(lambda x, y: (gw.sin(x) * y, x + y),
                      vjp=lambda t, r, x, y: (t[0] * 7.0, t[1] * y))  # fmt: skip


def cubes(x: Any) -> Any:
    return gw.sum(x * x * x)


OF_TENSORS: dict[str, Callable[[Any], Any]] = {
    "round": lambda x: (x.round() * x).sum(),
    "round to decimals": lambda x: (x.round(1) * x).sum(),
    "asarray": lambda x: (gw.asarray(x) * x).sum(),
    "astype": lambda x: (x.astype(np.float32) * x).sum(),
    "astype int": lambda x: (x.astype(int) * x).sum(),
    "astype bool": lambda x: ((x > 0.5).astype(float) * x * x).sum(),
    "answers": lambda x: gw.sum(gw.where(((x > 0.5) | (x < -1.0)) & ~(x > 5.0), x * x, x)),
    "grad inside": lambda x: (grad(cubes)(x) * gw.sin(x)).sum(),
    "jvp inside": lambda x: gw.jvp(cubes, (x,), (gw.cos(x),))[1],
    "vmap inside": lambda x: gw.sum(gw.vmap(lambda n: gw.tanh(n) * x[0])(x)),
    "hessian inside": lambda x: gw.sum(hessian(cubes)(x) @ x),
    "jacobian inside": lambda x: gw.sum(jacobian(lambda y: gw.exp(y) * y[0])(x) ** 2),
    "checkpoint": lambda x: gw.sum(gw.checkpoint(lambda y: gw.sin(y) * y)(x) * x),
    "scan": lambda x: gw.scan(lambda c, row: (c * 0.5 + gw.sin(row), c * row), 0.5, x)[1].sum(),
    "a Tensor": lambda x: (x * x * TENSOR).sum() / TENSOR.sum(),
    "a Value": lambda x: (x * x * NUMBER).sum() + gw.relu(NUMBER) * gw.maximum(NUMBER, x[0]),
    "a rule": lambda x: (doubled(x) * x).sum(),
    "a rule of numbers": lambda x: doubled(x[0] * x[1]) * x[2],
    "a rule with two results": lambda x: sum(both(x, 2.0 * x)).sum(),
    "places": lambda x: x[gw.argsort(x)][1] * x.max() + gw.median(x),
    "a list of elements": lambda x: gw.stack([x[1] * x[0], x[2], gw.exp(x[1])]).prod(),
}
"""Functions of arrays of which only a recording of Tensors knows what they do."""


def at_points(f: Any, path: Path, run: Callable[[list[float]], Any], rel: float) -> None:
    export(f, V, path=path)
    for at in (V, V[::-1].copy(), 0.5 * V + 0.625):
        status, results = run(at.tolist())
        y, slopes = value_and_grad(f)(at)
        assert status == 0
        expected = [*flat(y.detach() if hasattr(y, "detach") else y), *flat(slopes)]
        assert flat(results) == pytest.approx(expected, rel=rel, abs=1e-13)


@pytest.mark.parametrize("name", OF_TENSORS)
def test_functions_of_tensors_in_c(name: str, tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    at_points(OF_TENSORS[name], path, lambda x: load_c(path)["f_gradient"](x), 1e-11)


@node
def test_functions_of_tensors_in_javascript(tmp_path: Path) -> None:
    for k, f in enumerate(OF_TENSORS.values()):
        path, name = tmp_path / f"f{k}.js", f"f{k}_gradient"
        at_points(f, path, lambda x, p=path, n=name: run_js(p, n, [1, 3], [[x]])[0], 1e-10)


def test_a_checkpoint_has_the_same_bits(bits: Bits, tmp_path: Path) -> None:
    """Its body's contributions are added up before they are added to others."""
    f = lambda x, y: gw.checkpoint(lambda a, b: gw.sin(a * b) * a + b)(x, y) * y + x * y  # noqa: E731
    c = written(tmp_path, f, 0.3, 0.7, argnums=(0, 1))
    r = random.Random(2)
    for _ in range(50):
        at = (r.uniform(-2.0, 2.0), r.uniform(-2.0, 2.0))
        assert same(bits, c["f_gradient"](*at)[1], value_and_grad(f, (0, 1))(*at))


def test_an_int_is_a_number_or_a_question(tmp_path: Path) -> None:
    c = written(tmp_path, lambda x, n: sum(x[i] for i in range(n)) * n, V, 2)
    assert c["f"](V.tolist(), 2.0) == (0, [[-1.0]])
    assert c["f"](V.tolist(), 3.0)[0] == 1


BY_ROWS: dict[str, Callable[[Any], Any]] = {
    "jacobian": lambda p: [p["b"] * p["w"] @ p["w"], p["b"] ** 2, gw.exp(p["w"][0])],
    "hessian": lambda p: gw.sum(gw.sin(p["w"] @ p["w"]) * p["b"]) + p["b"] ** 3,
}


@pytest.mark.parametrize("kind", BY_ROWS)
def test_matrices_of_containers_of_arrays_and_numbers(kind: str, tmp_path: Path) -> None:
    """Their rows are numbers, whatever arrays results and arguments are."""
    w = np.array([[0.5, -1.0], [2.0, 0.25]])

    def of_list(x: Any) -> Any:
        y = BY_ROWS[kind]({"w": x[:4].reshape(2, 2), "b": x[4]})
        return gw.concat([gw.asarray(leaf).reshape(-1) for leaf in y]) if kind == "jacobian" else y

    x = np.append(w.reshape(-1), 1.5)
    found = written(tmp_path, BY_ROWS[kind], {"w": w, "b": 1.5}, derivatives=kind)
    status, results = found[f"f_{kind}"](x.tolist())
    expected = {"jacobian": jacobian, "hessian": hessian}[kind](of_list)(x)
    assert status == 0
    assert results[-1] == pytest.approx(flat(expected), rel=1e-13)
    assert results[0] == pytest.approx(flat(of_list(x)), rel=1e-13)


ASKED: dict[str, tuple[Callable[[Any], Any], list[float], list[float]]] = {
    "an element": (lambda x: x[0] * 2.0 if x[1] < 0.0 else x[0], [9.0, -3.0, 1.0], [1.0, 0.0, 1.0]),
    "a sum": (lambda x: x[0] if x.sum() > 1.0 else -x[0], [0.0, 0.0, 2.0], [0.5, 0.0, 0.25]),
    "all of them": (
        lambda x: x[0] if (x > -2.0).all() else x[1],
        [1.0, 1.0, 1.0],
        [1.0, 1.0, -3.0],
    ),
    "a mask": (lambda x: x[x > 0.0].sum(), [3.0, -4.0, 0.5], [3.0, 4.0, 0.5]),
    "a number": (lambda x: x[0] * 2.0 ** int(x.detach()[2]), [8.0, -8.0, 2.0], [8.0, -8.0, 2.75]),
    "a computed number": (
        lambda x: x[0] * float(gw.concat([x.detach() * 0.1] * 7).sum()),  # NumPy has another sum
        V.tolist(),
        [0.75, -1.25, 2.5],
    ),
    "a zero": (lambda x: x[0] * float(x.detach()[1] * 0.0), [2.0, -0.5, 3.0], [2.0, 0.5, 3.0]),
}
"""A function, numbers of the branch that it takes at ``V``, and numbers of another one."""


@pytest.mark.parametrize("name", ASKED)
def test_questions_about_elements_are_checked(name: str, tmp_path: Path) -> None:
    f, here, there = ASKED[name]
    c = written(tmp_path, f, V)
    status, results = c["f_gradient"](here)
    assert (status, c["f_gradient"](there)[0]) == (0, 1)
    assert flat(results) == pytest.approx(flat(value_and_grad(f)(np.array(here))), rel=1e-13)


def without_a_graph(x: Any) -> Any:
    with gw.no_grad():
        return x * x


HELD: dict[str, Any] = {
    "itself": lambda x: gw.stop_gradient(x),
    "a result": lambda x: gw.stop_gradient(x * x),
    "a part": lambda x: gw.stop_gradient(x[1:]),
    "an element": lambda x: gw.stop_gradient(x[0]),
    "a sum": lambda x: gw.stop_gradient(x.sum()),
    "a function": lambda x: gw.stop_gradient(gw.sin(x)),
    "in a dict": lambda x: gw.stop_gradient({"w": x * 2.0, "n": 2})["w"],
    "in a list": lambda x: gw.stop_gradient([x[0], x])[1],
    "in a checkpoint": lambda x: gw.checkpoint(gw.stop_gradient)(x),
    "detach": lambda x: x.detach(),
    "detach of a function": lambda x: gw.sin(x).detach(),
    "detach of a part": lambda x: x[:1].detach(),
    "data": lambda x: x.data,
    "data of a result": lambda x: (x * 3.0).data,
    "data of an element": lambda x: x[1].data,
    "no_grad": without_a_graph,
    "floor": lambda x: gw.floor(x),
    "sign": lambda x: np.sign(x),
}


@pytest.mark.parametrize("name", HELD)
def test_what_is_held_constant_in_arrays_has_no_derivative(name: str, tmp_path: Path) -> None:
    f = lambda x: (x * x * HELD[name](x)).sum()  # noqa: E731
    x = np.array([1.25, 2.5])
    status, results = written(tmp_path, f, x)["f_gradient"](x.tolist())
    y, slopes = value_and_grad(f)(x)
    expected = [*flat(y.detach() if hasattr(y, "detach") else y), *flat(slopes)]
    assert status == 0
    assert flat(results) == pytest.approx(expected, rel=1e-13)


def test_an_array_of_values_is_held_element_by_element() -> None:
    x = np.array([Value(1.5), Value(2.0), "text", 3], object)
    held = gw.stop_gradient(x)
    root = x[0] * held[0] + x[1] * held[1]
    assert held[2:].tolist() == ["text", 3]
    assert gw.gradients(root, [x[0], x[1]]) == (1.5, 2.0)


def test_second_derivatives_of_operations_on_arrays(tmp_path: Path) -> None:
    f = OF_ARRAYS["softmax"]
    c = written(tmp_path, f, X, derivatives="hessian")
    found = c["f_hessian"](X.reshape(-1))[1][2]
    assert found == pytest.approx(flat(hessian(f)(X)), rel=1e-11, abs=1e-13)
    (tmp_path / "two").mkdir()
    c = written(tmp_path / "two", lambda x: gw.softmax(x, axis=1), X, derivatives="jacobian")
    found = c["f_jacobian"](X.reshape(-1))[1][1]
    expected = jacobian(lambda x: gw.softmax(x, axis=1))(X)
    assert found == pytest.approx(flat(expected), rel=1e-11, abs=1e-13)


def test_questions_about_arrays_are_checked(tmp_path: Path) -> None:
    c = written(tmp_path, lambda x: gw.sum(x) * 2.0 if gw.sum(x) > 0.0 else gw.sum(x), X)
    assert c["f"](X.reshape(-1)) == (0, [[5.0]])
    assert c["f"](-X.reshape(-1))[0] == 1


def test_what_has_no_finite_formula_is_not_exported(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"^export\(f.*single numbers, got svdvals \("):
        export(lambda x: gw.sum(gw.linalg.svdvals(x)), X, path=tmp_path / "f.c")


def test_values_outside_are_constants(tmp_path: Path) -> None:
    w = Value(2.0)
    c = written(tmp_path, lambda x: w * x * x, 3.0)
    w.data = 5.0
    assert c["f_gradient"](3.0) == (0, [[18.0], [12.0]])


NAMES = ["double", "x", "v1", "for_", "cell", "exp", "some", "i0", "größe", "__x", "result", "f"]


def test_names_of_users_are_safe(tmp_path: Path) -> None:
    parameters = ", ".join(NAMES)
    space: dict[str, Any] = {}
    exec(f"def f({parameters}):\n    return sum(({parameters}))", space)
    c = written(tmp_path, space["f"], *[float(i) for i in range(len(NAMES))])
    assert c["f"](*[1.0] * len(NAMES)) == (0, [[float(len(NAMES))]])


@pytest.mark.parametrize("stem", ["int", "2 d", "a-b", "exp", "class"])
def test_names_of_files_are_safe(stem: str, tmp_path: Path) -> None:
    path = tmp_path / f"{stem}.c"
    export(lambda x: x * x, 3.0, path=path)
    [plain, gradient] = load_c(path, COMPILERS[0]).values()
    assert (plain(2.0), gradient(2.0)) == ((0, [[4.0]]), (0, [[4.0], [4.0]]))


# --- checks, masks --------------------------------------------------------------------------------


def branch(xs: Any) -> Any:
    y = 0.0
    for x in xs:
        y = y + x * x if x > 0.5 else y - x
    if y == 7.0:
        return y
    return y * 2.0


def test_questions_are_checked(tmp_path: Path) -> None:
    xs = [1.0, 2.0, 0.25]
    c = written(tmp_path, branch, xs)
    assert c["f_gradient"](xs)[0] == 0
    assert c["f_gradient"]([0.75, 3.0, 0.1])[1] == [
        [branch([0.75, 3.0, 0.1])],
        [1.5 * 2, 12.0, -2.0],
    ]
    status, results = c["f_gradient"]([1.0, 2.0, 0.75])
    assert status == 1
    assert results == [[0.0], [0.0] * 3]
    assert c["f_gradient"]([2.0, 2.0, 1.0 - 0.5])[0] == 0
    assert c["f_gradient"]([math.sqrt(6.75) + 0.0, 1.0, 0.75 - 0.0])[0] == 1
    text = (tmp_path / "f.c").read_text()
    assert re.search(r"1: test_export.py, line \d+", text)
    assert str(Path(__file__).parent) not in text


def test_masks_decide_anew(bits: Bits, tmp_path: Path) -> None:
    f = lambda x, y: gw.sqrt(gw.relu(x)) + gw.where(x > y, gw.log(x), y) * gw.clip(x, -1.0, y)  # noqa: E731
    c = written(tmp_path, f, 1.0, 2.0, derivatives="hessian", argnums=(0, 1))
    for at in [(x, y) for x in (-2.0, -0.0, 0.0, 0.5, 3.0) for y in (-1.0, 0.0, 2.0)]:
        assert same(bits, c["f_gradient"](*at)[1], value_and_grad(f, (0, 1))(*at)), at
        assert same(bits, c["f_hessian"](*at)[1][2], hessian(f, (0, 1))(*at)), at


def test_custom_operations(tmp_path: Path) -> None:
    cube = gw.pointwise("cube e", lambda t, y, x: t * 3.0 * x * x, forward=lambda x: gw.exp(x) * x)
    c = written(tmp_path, lambda x: cube(x) * x, 2.0)
    assert flat(c["f_gradient"](2.0)[1]) == list(value_and_grad(lambda x: cube(x) * x)(2.0))
    twice = gw.pointwise("twice cube", lambda t, y, x: t * 2.0 * cube(x),
                         forward=lambda x: 2.0 * cube(cube(x)))  # fmt: skip
    (tmp_path / "two").mkdir()
    c = written(tmp_path / "two", lambda x: twice(x) * x, 0.3)
    assert flat(c["f_gradient"](0.3)[1]) == list(value_and_grad(lambda x: twice(x) * x)(0.3))
    whole = gw.pointwise("whole", lambda t, y, x: 0, forward=lambda x: x * 2)
    (tmp_path / "int").mkdir()
    c = written(tmp_path / "int", lambda x: whole(x) * x, 3.0)
    assert flat(c["f_gradient"](3.0)[1]) == list(value_and_grad(lambda x: whole(x) * x)(3.0))
    opaque = gw.pointwise("opaque", lambda t, y, x: t, forward=lambda x: math.gamma(x))
    with pytest.raises(OptionError, match="written in operations of gradwalk"):
        export(lambda x: opaque(x) * x, 2.0, path=tmp_path / "g.c")


# --- the file -------------------------------------------------------------------------------------


REPRODUCED = {
    "a list": "sum(gw.relu(gw.exp(x) - y) * 0.25 for x, y in zip(xs, xs[1:]))",
    "a product": "np.concatenate([xs, xs]).prod()",
    "a mean": "xs.mean()",
    "numbers of NumPy": "((xs * np.float32(0.5) - np.int64(2)) ** np.float64(2.0)).sum() / xs.size",
    "a division": "(np.int64(1) / xs).sum()",
    "a softmax": "(gw.softmax(xs) * xs).max()",
    "held": "(xs * gw.stop_gradient(xs * xs) * xs.data).sum()",
    "a slope inside": "(gw.grad(lambda y: (y * y).mean())(xs) * xs.round()).sum()",
    "a question": "xs[0] * float(xs.detach().mean()) if xs.sum() > 0.0 else xs[1]",
}


@pytest.mark.parametrize("name", REPRODUCED)
@pytest.mark.parametrize("suffix", [".c", ".js"])
def test_files_are_reproducible(suffix: str, name: str, tmp_path: Path, run_python: Any) -> None:
    program = f"""
import sys
import numpy as np
import gradwalk as gw
def f(xs):
    return {REPRODUCED[name]}
gw.export(f, np.arange(0.5, 3.0, 0.5), path=sys.argv[1], derivatives="hessian")
"""
    texts = []
    for k, pure in enumerate(("", "1", "")):
        path = tmp_path / str(k) / f"f{suffix}"
        path.parent.mkdir()
        run_python(program, str(path), GRADWALK_PURE=pure, PYTHONHASHSEED=str(k))
        texts.append(path.read_text())
    assert texts[0] == texts[1] == texts[2]
    assert gw.__version__ in texts[0].splitlines()[0]


@pytest.mark.parametrize("name", LOOPS)
def test_the_stated_memory_is_enough(name: str, tmp_path: Path) -> None:
    f, args, _ = LOOPS[name]
    path = tmp_path / "f.c"
    export(f, *args, path=path)
    text = " ".join(path.read_text().replace("\n *", " ").split())
    stated = re.search(
        r"Memory: ([\d,]+) bytes of static data, ([\d,]+) bytes of constant tables, "
        r"at most ([\d,]+) bytes of stack",
        text,
    )
    assert stated is not None
    static, tables, stack = (int(n.replace(",", "")) for n in stated.groups())
    for level in ("-O0", "-O2"):
        command = [COMPILERS[0], *FLAGS, level, "-fstack-usage", "-c", path.name, "-o", "f.o"]
        subprocess.run(command, check=True, cwd=tmp_path)
        if (tmp_path / "f.su").exists():
            used = [
                int(line.split("\t")[1]) for line in (tmp_path / "f.su").read_text().splitlines()
            ]
            assert max(used) <= sum(used) <= stack
        sizes = subprocess.run(
            ["size", "f.o"], check=True, cwd=tmp_path, capture_output=True, text=True
        )
        _, data, bss, *_ = map(int, sizes.stdout.splitlines()[1].split()[:3])
        assert data + bss <= static + 32
    assert "malloc" not in text
    assert tables < 4000


@node
def test_a_page_has_the_functions_as_globals(tmp_path: Path) -> None:
    export(lambda x: x * x, 3.0, path=tmp_path / "f.js")
    page = f"""
const vm = require("vm");
const page = vm.createContext({{}});
vm.runInContext(require("fs").readFileSync({str(tmp_path / "f.js")!r}, "utf8"), page);
const y = [0], g = [0];
console.log(page.f_gradient(3, y, g), y[0], g[0]);
"""
    done = subprocess.run([str(NODE), "-e", page], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["0", "9", "6"]


# --- refusals -------------------------------------------------------------------------------------

REFUSED: list[tuple[tuple[Any, ...], dict[str, Any], type[GradwalkError], str]] = [
    ((3.0,), {}, OptionError, r"export\(f, \.\.\.\): expected a function, got float 3.0"),
    ((abs, 1.0), {"derivatives": "grad"}, OptionError, 'Write derivatives="gradient"'),
    ((abs, 1.0), {"derivatives": 1}, OptionError, "'none', 'gradient', 'jacobian'"),
    ((abs, 1.0), {"path": "f.py"}, OptionError, r"a path that ends in \.c or \.js"),
    ((abs, 1.0), {"path": 3}, OptionError, r"a path that ends in \.c or \.js"),
    ((abs, Value(1.0)), {}, NotANumberError, "Pass x.data"),
    ((abs, 1), {}, NotANumberError, "Write 2.0"),
    ((abs, np.array([1, 2])), {}, NotANumberError, "Write 2.0"),
    ((abs, np.array(["a"])), {"argnums": 0}, NotANumberError, "floating-point numbers"),
    ((abs, 1.0), {"argnums": 1}, OptionError, "positions of the 1 examples"),
    ((abs, 1.0), {"argnums": ()}, OptionError, "positions of the 1 examples"),
    ((abs, 1.0), {"argnums": "x"}, OptionError, "positions of the 1 examples"),
    ((lambda x: [x, x], 1.0), {}, SizeError, 'Write derivatives="jacobian"'),
    ((lambda x: [], 1.0), {}, NotANumberError, "result of f: expected numbers, got"),
    ((lambda x: "x", 1.0), {}, NotANumberError, "result of f: expected numbers, got"),
    ((lambda x: x * random.random(), 1.0), {}, OptionError, "Draw them outside"),
    ((abs, "x"), {}, NotANumberError, "a number to differentiate"),
    ((abs, 1.0), {"path": "no such folder/f.c"}, FileError, "Create the folder first"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals(case: int, tmp_path: Path, monkeypatch: Any) -> None:
    args, options, kind, text = REFUSED[case]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=text):
        export(*args, **{"path": "f.c", **options})
    assert not list(tmp_path.iterdir())


def test_export_inside_of_a_transform(tmp_path: Path) -> None:
    def f(x: Any) -> Any:
        export(lambda y: y * y, 2.0, path=tmp_path / "f.c")
        return x

    with pytest.raises(OptionError, match="outside transforms"):
        grad(f)(1.0)
