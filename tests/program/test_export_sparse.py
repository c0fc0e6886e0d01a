"""Exported sparse derivatives agree with those of the transforms."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import gradwalk as gw
from gradwalk import export, hessian, jacobian
from gradwalk.errors import OptionError, SizeError
from gradwalk.ops import TABLE

from ..helpers.amount import amount
from ..helpers.arguments import moderate
from ..helpers.exported import COMPILERS, NODE, load_c, run_js

pytestmark = pytest.mark.skipif(not COMPILERS, reason="NO C COMPILER: exported C is not tested")


def pattern(path: Path, shape: tuple[int, int]) -> Any:
    """Return the places of a sparse matrix, as the file has them."""
    text = path.read_text()
    found = re.findall(r"const int \w+_(?:rows|columns)\[\d+\] = \{([^}]*)\}", text)
    starts, columns = (np.array(f.replace(",", " ").split(), int) for f in found)
    columns = columns[: starts[-1]]
    return lambda values: csr_array((np.array(values), columns, starts), shape=shape).toarray()


def steps(x: Any) -> Any:
    return [a * b**2 + gw.sin(a - b) * gw.exp(b) for a, b in pairwise(x)] + [x[0] * 2.0, x[2] ** 3]


def total(x: Any, l: Any) -> Any:
    first = sum(100.0 * (b - a**2) ** 2 + (1.0 - a) ** 4 for a, b in pairwise(x))
    return first + sum(k * y for k, y in zip(l, steps(x), strict=True))


def masked(x: Any) -> Any:
    terms = [gw.relu(a - b) * gw.maximum(a, b) + gw.abs(a) * b for a, b in pairwise(x)]
    return sum(terms) + gw.sqrt(gw.relu(x[0])) * gw.where(x[1] > x[2], x[1] * x[2], x[0])


POINTS = [
    [0.3, -0.7, 1.2, 0.4, 2.0, -1.1],
    [1.0, 1.0, -2.0, 0.0, 0.5, 0.5],
    [-1.0, 0.0, 3.0, 3.0, 1, 2],
]


@pytest.mark.parametrize("x", POINTS)
def test_jacobian(x: Any, tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    export(steps, POINTS[0], path=path, derivatives="sparse_jacobian")
    status, (result, values) = load_c(path)["f_sparse_jacobian"](x)
    x = [float(v) for v in x]
    assert status == 0
    assert result == pytest.approx([float(y) for y in steps(x)], rel=1e-13)
    expected = np.array(jacobian(steps)(x))
    np.testing.assert_allclose(pattern(path, expected.shape)(values), expected, rtol=1e-13)
    assert len(values) == gw.sparse_jacobian(steps, POINTS[0]).nnz


@pytest.mark.parametrize("x", POINTS)
@pytest.mark.parametrize("f", [total, masked])
def test_hessian(f: Any, x: Any, tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    rest = [[1.0, -2.0, 0.5, 3.0, 1.5, 1.0, 2.0]] if f is total else []
    export(f, POINTS[0], *rest, path=path, derivatives="sparse_hessian")
    status, (result, gradient, values) = load_c(path)["f_sparse_hessian"](x, *rest)
    x = [float(v) for v in x]
    assert status == 0
    assert result[0] == pytest.approx(float(f(x, *rest)), rel=1e-13)
    np.testing.assert_allclose(gradient, gw.grad(f)(x, *rest), rtol=1e-12)
    expected = np.array(hessian(f)(x, *rest))
    np.testing.assert_allclose(pattern(path, expected.shape)(values), expected, rtol=1e-12)
    assert len(values) < 36


@pytest.mark.parametrize("name", [n for n, p in TABLE.items() if p.differentiable])
def test_every_operation(name: str, tmp_path: Path) -> None:
    primitive = TABLE[name]
    wrt = tuple(i for i in range(primitive.arity) if primitive.rules[i] is not None)
    points = list(moderate(name, amount(12, 3)))
    f = lambda *xs: primitive(*xs) * xs[wrt[0]]  # noqa: E731
    try:
        expected = [np.array(hessian(f, wrt)(*p)) for p in points]
    except TypeError:
        pytest.skip("no second derivative")
    path = tmp_path / "f.c"
    export(f, *points[0], path=path, derivatives="sparse_hessian", argnums=wrt)
    c = load_c(path, COMPILERS[0], "-O0")["f_sparse_hessian"]
    place = pattern(path, (len(wrt), len(wrt)))
    for point, matrix in zip(points, expected, strict=True):
        if not np.allclose(matrix, matrix.T):  # at a bound that a rule keeps to
            continue
        found = place(c(*point)[1][2])
        scale = max(1.0, float(np.abs(matrix[np.isfinite(matrix)]).max(initial=0.0)))
        np.testing.assert_allclose(found, matrix, rtol=1e-9, atol=1e-11 * scale, err_msg=str(point))


def test_operands_that_are_one_number(tmp_path: Path) -> None:
    def f(x: Any) -> Any:
        y = x[0] * x[1]
        return y * y * y + gw.maximum(y, y) / (x[0] + x[0]) + gw.atan2(y, y) * x[1] + x[1] ** x[1]

    x = [1.3, 0.6]
    path = tmp_path / "f.c"
    export(f, x, path=path, derivatives="sparse_hessian")
    values = load_c(path)["f_sparse_hessian"](x)[1][2]
    np.testing.assert_allclose(np.reshape(values, (2, 2)), hessian(f)(x), rtol=1e-12)


def test_a_linear_function_has_no_second_derivative(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    export(lambda x: x[0] * 2.0 - x[1], [1.0, 2.0], path=path, derivatives="sparse_hessian")
    assert load_c(path)["f_sparse_hessian"]([3.0, 4.0]) == (0, [[2.0], [2.0, -1.0], [0.0]])


@pytest.mark.skipif(NODE is None, reason="NO NODE: exported JavaScript is not tested")
def test_javascript(tmp_path: Path) -> None:
    path = tmp_path / "f.js"
    export(steps, POINTS[0], path=path, derivatives="sparse_jacobian")
    count = gw.sparse_jacobian(steps, POINTS[0]).nnz
    [(status, (_, values))] = run_js(path, "f_sparse_jacobian", [7, count], [[POINTS[0]]])
    assert status == 0
    assert values == pytest.approx(gw.sparse_jacobian(steps, POINTS[0]).data.tolist(), rel=1e-13)


def test_large_ones_are_rolled(tmp_path: Path) -> None:
    loops = []
    for n in (40, 80):
        path = tmp_path / "f.c"
        x = [math.sin(i) for i in range(n)]
        export(total, x, [1.0] * (n + 1), path=path, derivatives="sparse_hessian")
        body = path.read_text().split("int f_sparse_hessian(")[-1]
        loops.append(body.count("\n"))
    assert loops[1] - loops[0] < 10


@pytest.mark.parametrize("x", [2.0, np.array([2.0, 3.0])], ids=["number", "array"])
def test_a_rule_of_your_own_is_not_ignored(x: Any, tmp_path: Path) -> None:
    """Its operations would be differentiated instead."""
    f = gw.custom_rule(gw.exp, vjp=lambda t, y, x: 2.0 * t * y)
    with pytest.raises(OptionError, match="single numbers, got exp"):
        export(lambda x: [f(x)], x, path=tmp_path / "f.c", derivatives="sparse_jacobian")


def test_several_results_have_no_hessian(tmp_path: Path) -> None:
    with pytest.raises(SizeError, match='derivatives="sparse_jacobian"'):
        export(steps, POINTS[0], path=tmp_path / "f.c", derivatives="sparse_hessian")
