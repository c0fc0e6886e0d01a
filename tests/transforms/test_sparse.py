"""Sparse derivatives: patterns that miss nothing, colourings that mix nothing up, few sweeps."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import gradwalk as gw
from gradwalk import coloring, sparse_hessian, sparse_jacobian, sparsity
from gradwalk.core.array_primitive import general
from gradwalk.errors import (
    GradwalkError,
    LeakedTraceError,
    MissingExtraError,
    NotANumberError,
    OptionError,
    SizeError,
)
from gradwalk.ops import TABLE
from gradwalk.ops.array import TABLE as ARRAY_TABLE
from gradwalk.ops.array.windows import Windows
from gradwalk.transforms.sparse import array_sets, compression
from gradwalk.transforms.sparse.patterns import Patterns
from gradwalk.transforms.sparse.sources import FEW, NOWHERE, Sources

from ..helpers.amount import examples

Function = Callable[[Any], Any]
PRIMITIVES: dict[str, Any] = dict(ARRAY_TABLE)


def draw(*shape: int, seed: int = 0) -> Any:
    """Numbers that are far apart from each other, from 0 and from 1."""
    rng = np.random.default_rng(seed)
    size = int(np.prod(shape))
    return (rng.permutation(size) * 0.17 + rng.uniform(0.2, 0.3, size)).reshape(shape)


def dense(f: Function, x: Any) -> Any:
    """The Jacobian by another transform, as one matrix."""
    return np.reshape(gw.jacobian(lambda x: gw.reshape(f(x), (-1,)))(x), (-1, np.size(x)))


def patterns(f: Function, x: Any) -> tuple[Any, Any]:
    """The pattern that was found, and where the Jacobian is other than 0."""
    return sparsity(f, x).toarray(), dense(f, x) != 0.0


# --- every row of the table -----------------------------------------------------------------------


POINTWISE = [name for name, primitive in TABLE.items() if primitive.differentiable]


@pytest.mark.parametrize("name", POINTWISE)
def test_a_pointwise_row_unites_what_its_arguments_depend_on(name: str):
    primitive = TABLE[name]
    x = np.linspace(0.31, 0.47, 3 * primitive.arity)
    if name == "acosh":
        x = x + 1.0

    def f(x: Any) -> Any:
        return primitive(*[x[3 * i : 3 * i + 3] for i in range(primitive.arity)])

    expected = np.hstack([np.eye(3) * (rule is not None) for rule in primitive.rules])
    np.testing.assert_array_equal(sparsity(f, x).toarray(), expected)
    on_numbers = sparsity(lambda x: [primitive(*x[i::3]) for i in range(3)], x.tolist())
    np.testing.assert_array_equal(on_numbers.toarray(), expected)


def windows(kernel: int, stride: int = 1, padding: int = 0, axes: int = 2) -> Windows:
    pads = ((padding, padding),) * axes
    return Windows((kernel,) * axes, (stride,) * axes, pads, (1,) * axes)


class Case(NamedTuple):
    """A row applied to parts of one vector; whether the pattern is the least that there is."""

    size: int
    f: Function
    exact: bool = True


def one(name: str, *shape: int, exact: bool = True, **options: Any) -> Case:
    return Case(
        int(np.prod(shape)), lambda x: PRIMITIVES[name](gw.reshape(x, shape), **options), exact
    )


def of_classes(name: str, *args: Any) -> Any:
    """Return a primitive of class numbers, which are an operand of it."""
    return PRIMITIVES[name](*args, np.array([2, 0]), ignore=-100, memo=[])


def many(name: str, *shapes: tuple[int, ...], exact: bool = True, **options: Any) -> Case:
    sizes = [int(np.prod(s)) for s in shapes]
    ends = np.cumsum([0, *sizes])

    def f(x: Any) -> Any:
        parts = [gw.reshape(x[a : a + n], s) for a, n, s in zip(ends, sizes, shapes, strict=False)]
        return PRIMITIVES[name](*parts, **options)

    return Case(int(ends[-1]), f, exact)


def part(case: Case, which: int, exact: bool = True) -> Case:
    return Case(case.size, lambda x: case.f(x)[which], exact)


def symmetric(x: Any, *shape: int) -> Any:
    """Well-conditioned matrices with few numbers that are alike."""
    m = gw.reshape(x, shape)
    return gw.matmul(m, m.mT) + np.diag([3.0, 5.0, 9.0][: shape[-1]])


ATTENTION = {"causal": False, "scale": 0.7, "memo": []}
REDUCED = [(axis, kept) for axis in ((0,), (1,), None) for kept in (True, False)]
PLACES = np.array([[1, 0, 2, 3], [3, 1, 2, 0]])
CASES: dict[str, list[Case]] = {
    "sum": [one("sum", 2, 3, axis=a, keepdims=k) for a, k in REDUCED],
    "mean": [one("mean", 2, 3, axis=a, keepdims=k) for a, k in REDUCED],
    "reshape": [one("reshape", 2, 3, shape=(3, 2))],
    "permute_dims": [one("permute_dims", 2, 3, 2, axes=(2, 0, 1))],
    "broadcast_to": [one("broadcast_to", 2, 1, shape=(3, 2, 4))],
    "sum_to": [one("sum_to", 2, 3, shape=(1, 3)), one("sum_to", 2, 3, shape=(3,))],
    "astype": [one("astype", 2, 2, dtype=np.dtype(np.float32))],
    "flip": [one("flip", 2, 3, axis=(1,))],
    "roll": [one("roll", 2, 3, shift=(1,), axis=(1,))],
    "concat": [many("concat", (2, 2), (1, 2), axis=0, bounds=(0, 2, 3))],
    "stack": [many("stack", (2, 2), (2, 2), axis=1)],
    "split": [part(one("split", 5, axis=0, bounds=(0, 2, 5)), k) for k in (0, 1)],
    "unstack": [part(one("unstack", 2, 3, axis=1), k) for k in (0, 2)],
    "index": [
        one("index", 3, 4, key=(slice(1, 3), 2)),
        one("index", 3, 4, key=(np.array([2, 0, 2]),)),
        one("index", 5, key=(np.array([True, False, True, True, False]),)),
    ],
    "scatter": [
        one("scatter", 2, 2, key=(slice(1, 3),), shape=(4, 2)),
        one("scatter", 3, key=(np.array([1, 1, 0]),), shape=(4,)),
        one("scatter", 3, key=(np.array([1, 1, 0]), np.array([0, 0, 2])), shape=(2, 3)),
    ],
    "update": [many("update", (4,), (2,), key=(slice(1, 3),)), many("update", (3,), (), key=(1,))],
    "choose": [one("choose", 2, 4, places=PLACES[:, :2], axis=1)],
    "put": [one("put", 2, 2, places=PLACES[:, :2], axis=1, shape=(2, 4))],
    "shift": [one("shift", 2, 3, axis=1, by=1), one("shift", 2, 3, axis=0, by=-1)],
    "cumulative_sum": [one("cumulative_sum", 2, 3, axis=1, reverse=r) for r in (False, True)],
    "cumulative_prod": [one("cumulative_prod", 2, 3, axis=1, reverse=r) for r in (False, True)],
    "recurrence": [many("recurrence", (4,), (4,), axis=0, reverse=r) for r in (False, True)],
    "prod": [one("prod", 2, 3, axis=(1,), keepdims=False)],
    "max": [one("max", 2, 3, axis=(1,), keepdims=k, exact=False) for k in (False, True)],
    "min": [one("min", 2, 3, axis=(0,), keepdims=False, exact=False)],
    "var": [one("var", 2, 3, axis=(1,), keepdims=False, correction=1.0)],
    "std": [one("std", 2, 3, axis=(0,), keepdims=False, correction=0.0, exact=False)],
    "norm": [one("norm", 2, 3, axis=(1,), keepdims=False, ord=o) for o in (2.0, 3.0)],
    "softmax": [one("softmax", 2, 3, axis=(1,))],
    "log_softmax": [one("log_softmax", 2, 3, axis=(0,))],
    "logsumexp": [one("logsumexp", 2, 3, axis=(1,), keepdims=True)],
    "matmul": [
        many("matmul", (2, 3), (3, 2)),
        many("matmul", (3,), (3, 2)),
        many("matmul", (2, 2, 3), (3,)),
        many("matmul", (3,), (3,)),
        Case(4, lambda x: PRIMITIVES["matmul"](np.diag([1.0, 2.0, 0.0, 3.0]), x)),
    ],
    "affine": [many("affine", (2, 3), (2, 3), (2,))],
    "einsum": [
        many("einsum", (2, 3), (3, 2), equation="ab,bc->ac", optimize=o) for o in (None, True)
    ],
    "einsum1": [one("einsum1", 3, 3, equation="aa->a", optimize=None)],
    "conv": [many("conv", (1, 2, 4, 4), (2, 2, 2, 2), how=windows(2, padding=1))],
    "conv_bias": [many("conv_bias", (1, 1, 4, 4), (2, 1, 3, 3), (2,), how=windows(3, stride=2))],
    "conv_input": [
        many("conv_input", (1, 2, 2, 2), (2, 1, 2, 2), how=windows(2, stride=s), size=(n, n))
        for s, n in ((1, 3), (2, 4))
    ],
    "conv_weight": [many("conv_weight", (2, 1, 3, 3), (2, 2, 2, 2), how=windows(2))],
    "channel_sum": [one("channel_sum", 2, 3, 2, 2)],
    "channel_spread": [one("channel_spread", 3, shape=(2, 3, 2))],
    "window_sum": [one("window_sum", 1, 2, 4, 4, how=windows(2, padding=1))],
    "window_spread": [one("window_spread", 1, 2, 2, 2, how=windows(3), size=(4, 4))],
    "max_pool": [part(one("max_pool", 2, 1, 4, 4, how=windows(2, stride=2)), 0, exact=False)],
    "window_pick": [
        Case(
            32,
            lambda x: PRIMITIVES["window_pick"](gw.reshape(x, (2, 1, 4, 4)), IN_WINDOW, how=HOW),
            exact=False,
        )
    ],
    "window_put": [
        Case(
            8,
            lambda x: PRIMITIVES["window_put"](
                gw.reshape(x, (2, 1, 2, 2)), IN_WINDOW, how=HOW, size=(4, 4)
            ),
            exact=False,
        )
    ],
    "inv": [Case(8, lambda x: PRIMITIVES["inv"](symmetric(x, 2, 2, 2)))],
    "solve": [
        Case(
            12,
            lambda x: PRIMITIVES["solve"](symmetric(x[:8], 2, 2, 2), gw.reshape(x[8:], (2, 2, 1))),
        ),
        Case(4, lambda x: PRIMITIVES["solve"](MATRIX, gw.reshape(x, (2, 2, 1)))),
    ],
    "det": [one("det", 2, 2, 2)],
    "cofactor": [one("cofactor", 1, 2, 2, exact=False), one("cofactor", 3, 3, exact=False)],
    "slogdet": [part(one("slogdet", 2, 3, 3), 1)],
    "cholesky": [Case(8, lambda x: PRIMITIVES["cholesky"](symmetric(x, 2, 2, 2)), exact=False)],
    "qr": [part(one("qr", 1, 3, 2), k, exact=False) for k in (0, 1)],
    "eigh": [
        part(Case(9, lambda x: PRIMITIVES["eigh"](symmetric(x, 3, 3))), k, exact=False)
        for k in (0, 1)
    ],
    "eigvalsh": [Case(9, lambda x: PRIMITIVES["eigvalsh"](symmetric(x, 3, 3)))],
    "svd": [part(one("svd", 1, 3, 2), k, exact=False) for k in (0, 1, 2)],
    "svdvals": [one("svdvals", 2, 3, 2)],
    "pinv": [one("pinv", 2, 3, 2, rtol=None)],
    "pick": [Case(4, lambda x: PRIMITIVES["pick"](x, np.array([2, 0, 2])))],
    "drop": [Case(3, lambda x: PRIMITIVES["drop"](x, np.array([2, 0, 2]), size=4))],
    "overwrite": [
        Case(6, lambda x: PRIMITIVES["overwrite"](x[:4], x[4:], np.array([2, 0]))),
        Case(2, lambda x: PRIMITIVES["overwrite"](np.ones(4), x, np.array([2, 0]))),
    ],
    "surprise": [
        one("surprise", 2, 3, target=np.array([2, 0]), ignored=None, memo=[], exact=False)
    ],
    "surprise_slope": [
        Case(
            6,
            lambda x: PRIMITIVES["surprise_slope"](
                gw.reshape(x, (2, 3)), np.ones(2), target=np.array([2, 0]), ignored=None, memo=[]
            ),
            exact=False,
        )
    ],
    "class_surprise": [
        Case(6, lambda x: of_classes("class_surprise", gw.reshape(x, (2, 3))), exact=False)
    ],
    "class_slope": [
        Case(6, lambda x: of_classes("class_slope", gw.reshape(x, (2, 3)), np.ones(2)), exact=False)
    ],
    "expm": [Case(9, lambda x: PRIMITIVES["expm"](gw.reshape(x, (3, 3))), exact=False)],
    "lu": [part(one("lu", 3, 3), k, exact=False) for k in (0, 1, 2)],
    "logit_surprise": [many("logit_surprise", (3,), (3,), (3,))],
    "logit_slope": [many("logit_slope", (3,), (3,), (3,), (3,))],
    "standardize": [part(one("standardize", 2, 3, axis=(1,), eps=0.1), k) for k in (0, 1, 2)],
    "rescale": [part(one("rescale", 2, 3, axis=(1,), eps=0.1), k) for k in (0, 1)],
    "scale_shift": [many("scale_shift", (2, 3), (3,), (3,))],
    "layer": [many("layer", (2, 3), (3,), (3,), axis=(1,), eps=0.1, memo=[])],
    "lstm": [
        part(many("lstm", (2, 1, 8), (1, 2), (1, 2), (8, 2), memo=[]), k, exact=False)
        for k in (0, 1)
    ],
    "attention": [
        many("attention", (2, 3), (2, 3), (2, 3), (2, 2), exact=False, **ATTENTION)
    ],
    "attention_back": [
        part(many("attention_back", *[(2, 3)] * 4, (2, 2), **ATTENTION), k, exact=False)
        for k in (0, 1, 2)
    ],
    "standardize_back": [
        Case(
            6,
            lambda x: PRIMITIVES["standardize_back"](
                gw.reshape(x, (2, 3)), 0.3, 0.2, draw(2, 3, seed=1), np.ones((2, 1)),
                axis=(1,), eps=0.1, centred=True,
            ),
        )
    ],
}  # fmt: skip
MATRIX = np.array([[2.0, 1.0], [0.5, 3.0]])
HOW = windows(2, stride=2)
IN_WINDOW = np.array([[[[0, 3], [1, 2]]], [[[2, 1], [0, 0]]]])
LISTED = [(name, k) for name, cases in CASES.items() for k in range(len(cases))]


def test_every_row_on_arrays_is_listed():
    differentiable = {name for name, primitive in ARRAY_TABLE.items() if primitive.differentiable}
    assert set(CASES) == differentiable - {"part", "to_place"}, "moves are of other libraries"


@pytest.mark.parametrize(("name", "number"), LISTED)
def test_no_row_on_arrays_has_an_entry_that_its_pattern_misses(name: str, number: int):
    size, f, exact = CASES[name][number]
    found, there = patterns(f, draw(size))
    assert not (there & ~found).any()
    if exact:
        np.testing.assert_array_equal(found, there)


@pytest.mark.parametrize(("name", "number"), LISTED)
def test_no_row_on_arrays_bends_where_its_hessian_has_no_place(name: str, number: int):
    size, f, _ = CASES[name][number]
    x = draw(size)

    def scalar(x: Any) -> Any:
        y = f(x)
        return (y * np.cos(np.arange(1.0, y.size + 1.0)).reshape(y.shape)).sum()

    bends = gw.jacobian(gw.grad(scalar))(x)
    found = sparsity(scalar, x, hessian=True).toarray()
    assert not ((abs(bends) > 1e-9 * abs(bends).max(initial=0.0)) & ~found).any()


# --- what occurs in practice ----------------------------------------------------------------------


N = 12
PLACE = np.arange(N)
BAND = np.eye(N) + 2.0 * np.eye(N, k=2)
KERNEL = np.array([[[1.0, -2.0, 1.0]]])


def sliced(x: Any) -> Any:
    return gw.concat([x[:1] ** 2, x[1:-1] * (x[2:] - x[:-2]), x[-1:] * x[-2:-1]])


def assigned(x: Any) -> Any:
    y = gw.zeros(N)
    y[1:-1] = x[2:] * x[:-2]
    y[0], y[-1] = x[0] * x[1], x[-2]
    return y * x


def in_a_loop(x: Any) -> Any:
    y = x[1:]
    for _ in range(3):
        y = y * 0.5 + gw.sin(x[:-1])
    return y


def floats(x: list[Any]) -> list[Any]:
    return [x[k] * (x[k + 1] - x[k - 1]) + 2.0 if k < N - 1 else gw.exp(x[k]) for k in range(N)]


NEIGHBOURS = abs(PLACE[:, None] - PLACE) <= 1
WRAPPED = NEIGHBOURS | (abs(PLACE[:, None] - PLACE) == N - 1)
PROGRAMS: dict[str, tuple[Function, Any]] = {
    "slices": (sliced, None),
    "roll": (lambda x: x * (gw.roll(x, 1, axis=0) - gw.roll(x, -1, axis=0)), WRAPPED),
    "stack": (lambda x: gw.stack([x[:-2], x[1:-1] ** 2, x[2:]]).sum(axis=0), NEIGHBOURS[1:-1]),
    "stack of numbers": (
        lambda x: gw.stack([x[k] * x[k + 1] for k in range(N - 1)]),
        np.eye(N)[:-1] + np.eye(N, k=1)[:-1],
    ),
    "pad": (lambda x: gw.pad(x, 1)[2:] * gw.pad(x, 1)[:-2] + x, NEIGHBOURS),
    "where": (
        lambda x: gw.where(PLACE == 0, x, x - gw.roll(x, 1, axis=0)),
        np.eye(N) + np.roll(np.eye(N), -1, axis=1),
    ),
    "where by the numbers": (
        lambda x: gw.where(x > 1.0, x, gw.flip(x, 0)), np.eye(N) + np.eye(N)[::-1]
    ),
    "maximum": (lambda x: gw.maximum(x[1:], x[:-1]), np.eye(N)[1:] + np.eye(N)[:-1]),
    "assignment": (assigned, None),
    "loop over steps": (in_a_loop, np.eye(N)[1:] + np.eye(N)[:-1]),
    "diff": (lambda x: gw.diff(x), None),
    "cumsum": (lambda x: gw.cumulative_sum(x), np.tri(N)),
    "sort": (lambda x: gw.sort(x), None),
    "indices": (lambda x: x[PLACE[::-2]] * x[np.array([0, 1, 0, 1, 0, 1])], None),
    "mask": (lambda x: x[x > 1.0] ** 2, None),
    "blocks": (
        lambda x: gw.linalg.solve(np.eye(2) * 3.0 + MATRIX, x.reshape(-1, 2, 1)).reshape(-1),
        np.kron(np.eye(N // 2), np.ones((2, 2))),
    ),
    "max of rows": (
        lambda x: gw.max(x.reshape(3, 4), axis=1), np.kron(np.eye(3), np.ones((1, 4)))
    ),
    "softmax of rows": (
        lambda x: gw.softmax(x.reshape(3, 4), axis=1).reshape(-1),
        np.kron(np.eye(3), np.ones((4, 4))),
    ),
    "matrix of constants": (lambda x: BAND @ x, BAND != 0.0),
    "matrix behind": (lambda x: (x**2) @ BAND, BAND.T != 0.0),
    "convolution": (
        lambda x: gw.nn.functional.conv1d(x.reshape(1, 1, N), KERNEL).reshape(-1),
        NEIGHBOURS[1:-1],
    ),
    "condition": (lambda x: gw.where(x, 1.0, 2.0), np.zeros((N, N))),
    "constant result": (lambda x: gw.Tensor(np.ones(3)), np.zeros((3, N))),
    "rounded": (lambda x: gw.floor(x) + x[0], np.eye(1, N) * np.ones((N, 1))),
    "detached": (lambda x: x * x.detach().sum(), np.eye(N)),
    "sum": (lambda x: x.sum(), np.ones((1, N))),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_jacobians_of_programs(name: str, dtype: Any):
    f, expected = PROGRAMS[name]
    x = (draw(N) + 0.3).astype(dtype)
    found, there = patterns(f, x)
    np.testing.assert_array_equal(found, there if expected is None else np.asarray(expected) != 0)
    right = dense(f, x)
    for mode in (None, "forward", "reverse"):
        jacobian = sparse_jacobian(f, x, mode=mode)
        assert isinstance(jacobian, sparse.csr_array)
        np.testing.assert_allclose(
            jacobian.toarray(), right, rtol=1e-6 if dtype == np.float32 else 1e-14
        )


@pytest.mark.parametrize("mode", [None, "forward", "reverse"])
def test_a_loop_over_floats(mode: Any):
    x = draw(N).tolist()
    expected = np.array(gw.jacobian(floats)(x))
    pattern = sparsity(floats, x)
    np.testing.assert_array_equal(pattern.toarray(), expected != 0.0)
    found = sparse_jacobian(floats, x, mode=mode)
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-15)
    assert found.nnz == pattern.nnz


def test_float32_stays_what_it_is():
    x = np.ones(3, np.float32)
    assert sparse_jacobian(lambda x: x * x, x).dtype == np.float32
    assert sparse_jacobian(lambda x: x * x, [x, np.ones(3)][0].astype(float)).dtype == np.float64
    assert sparse_hessian(lambda x: (x * x).sum(), x).dtype == np.float32


def test_containers_count_their_numbers_in_order():
    x = {"a": 2.0, "b": [np.array([[3.0, 5.0]]), 7.0]}

    def f(p: Any) -> Any:
        return {"y": p["b"][0] * p["a"], "z": (p["b"][1] * p["b"][0][0, 1], 1.0)}

    expected = [[3, 2, 0, 0], [5, 0, 2, 0], [0, 0, 7, 5], [0, 0, 0, 0]]
    for mode in (None, "forward", "reverse"):
        np.testing.assert_array_equal(sparse_jacobian(f, x, mode=mode).toarray(), expected)
    bends = sparse_hessian(lambda p: (f(p)["y"] ** 2).sum() + f(p)["z"][0], x).toarray()
    right = gw.hessian(lambda v: f_of_vector(f, v))(np.array([2.0, 3.0, 5.0, 7.0]))
    np.testing.assert_allclose(bends, right, rtol=1e-14)


def f_of_vector(f: Function, v: Any) -> Any:
    y = f({"a": v[0], "b": [v[1:3].reshape(1, 2), v[3]]})
    return (y["y"] ** 2).sum() + y["z"][0]


def test_further_arguments_are_constants():
    a, b = np.arange(3.0), np.full(3, 2.0)
    found = sparse_jacobian(lambda x, a, b: x * a + b, b, a, b)
    np.testing.assert_array_equal(found.toarray(), np.diag(a))
    assert found.nnz == 3, "a zero among the numbers is still a place of the pattern"


def test_a_pattern_serves_for_many_points():
    pattern = sparsity(sliced, draw(N))
    colors = coloring(pattern)
    for seed in range(3):
        x = draw(N, seed=seed)
        for known in (pattern, colors, pattern.toarray(), np.ones((N, N))):
            found = sparse_jacobian(sliced, x, sparsity=known)
            np.testing.assert_allclose(found.toarray(), dense(sliced, x), rtol=1e-14)


def test_a_matrix_that_shares_its_pattern_may_be_written_to():
    colors = coloring(sparsity(sliced, draw(N)))
    first = sparse_jacobian(sliced, draw(N), sparsity=colors)
    first.data[:] = 0.0
    first.eliminate_zeros()
    np.testing.assert_allclose(
        sparse_jacobian(sliced, draw(N), sparsity=colors).toarray(), dense(sliced, draw(N))
    )


def test_the_weights_of_a_model_are_constants():
    w = gw.Tensor(np.diag([1.0, 2.0, 3.0]), requires_grad=True)
    found = sparse_jacobian(lambda x: w @ x, np.ones(3))
    np.testing.assert_array_equal(found.toarray(), w.data)
    slope = gw.Value(3.0)
    assert sparse_jacobian(lambda x: [x[0] * slope], [2.0]).toarray() == 3.0
    assert w.grad is None


def test_inside_of_no_grad():
    with gw.no_grad():
        found = sparse_jacobian(lambda x: x * x, np.ones(2))
        bends = sparse_hessian(lambda x: (x * x).sum(), np.ones(2))
        numbers = sparse_jacobian(lambda x: [x[0] * x[1]], [2.0, 3.0])
    np.testing.assert_array_equal(found.toarray(), 2.0 * np.eye(2))
    np.testing.assert_array_equal(bends.toarray(), 2.0 * np.eye(2))
    np.testing.assert_array_equal(numbers.toarray(), [[3.0, 2.0]])


# --- Hessians -------------------------------------------------------------------------------------

CURVES: dict[str, tuple[Function, Any]] = {
    "chain": (lambda x: ((x[1:] - x[:-1] ** 2) ** 2).sum(), NEIGHBOURS),
    "separate": (lambda x: (gw.exp(x) + x**3).sum(), np.eye(N)),
    "flat": (lambda x: (3.0 * x + 1.0).sum(), np.zeros((N, N))),
    "arrow": (lambda x: (x[0] ** 2 * x**2).sum(), (PLACE[:, None] * PLACE == 0) | (np.eye(N) > 0)),
    "product": (lambda x: x[1:] @ x[:-1], abs(PLACE[:, None] - PLACE) == 1),
    "full": (lambda x: gw.log(x.sum()), np.ones((N, N))),
    "mean of maxima": (lambda x: gw.maximum(x[1:] ** 2, x[:-1]).mean(), NEIGHBOURS),
}


@pytest.mark.parametrize("name", CURVES)
def test_hessians_of_programs(name: str):
    f, expected = CURVES[name]
    x = draw(N)
    right = gw.hessian(f)(x)
    pattern = sparsity(f, x, hessian=True).toarray()
    assert not (pattern & ~np.asarray(expected, bool)).any()
    assert not ((right != 0.0) & ~pattern).any()
    for known in (None, pattern, coloring(pattern, "symmetric"), coloring(pattern)):
        found = sparse_hessian(f, x, sparsity=known).toarray()
        np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-14)


def test_the_hessian_of_a_loop_over_floats():
    def f(x: list[Any]) -> Any:
        total = 0.0
        for a, b in pairwise(x):
            total = total + (b - a**2) ** 2 + gw.sin(x[0] * b)
        return total

    x = draw(6).tolist()
    found = sparse_hessian(f, x)
    np.testing.assert_allclose(found.toarray(), np.array(gw.hessian(f)(x)), rtol=1e-12)
    assert coloring(sparsity(f, x, hessian=True), "symmetric").sweeps == 4, "x[0] alone, and 3"


# --- random programs ------------------------------------------------------------------------------

SIZE = 7
STEPS: list[Callable[[Any, Any, int], Any]] = [
    lambda x, y, k: x * y,
    lambda x, y, k: x + gw.sin(y),
    lambda x, y, k: gw.roll(x, k, axis=0),
    lambda x, y, k: gw.where(PLACE[:SIZE] < k, x, y),
    lambda x, y, k: gw.concat([x[k:], y[:k]]),
    lambda x, y, k: gw.maximum(x, y - 0.1),
    lambda x, y, k: x[PLACE[:SIZE] // 2] + 1.0,
    lambda x, y, k: gw.exp(-x) * y[k],
    lambda x, y, k: x * 0.5 + gw.stack([y[k], *[0.3] * (SIZE - 1)]),
    lambda x, y, k: gw.pad(x, 1)[:-2],
    lambda x, y, k: x - y[: k + 1].sum(),
    lambda x, y, k: gw.sqrt(1.0 + x * x),
    lambda x, y, k: gw.flip(x, 0) * 2.0,
]
PROGRAM = st.lists(
    st.tuples(
        st.integers(0, len(STEPS) - 1),
        st.integers(0, 9),
        st.integers(0, 9),
        st.integers(0, SIZE - 1),
    ),
    min_size=1,
    max_size=7,
)


def run(program: list[tuple[int, int, int, int]], x: Any) -> Any:
    known = [x]
    for step, i, j, k in program:
        known.append(STEPS[step](known[i % len(known)], known[j % len(known)], k))
    return known[-1]


@examples(60)
@given(PROGRAM)
def test_random_programs(program: list[tuple[int, int, int, int]]):
    x = draw(SIZE)
    right = dense(lambda x: run(program, x), x)
    found = sparsity(lambda x: run(program, x), x)
    assert not ((right != 0.0) & ~found.toarray()).any()
    for mode in (None, "forward", "reverse"):
        jacobian = sparse_jacobian(lambda x: run(program, x), x, mode=mode).toarray()
        np.testing.assert_allclose(jacobian, right, rtol=1e-10, atol=1e-12)


@examples(30)
@given(PROGRAM)
def test_hessians_of_random_programs(program: list[tuple[int, int, int, int]]):
    def f(x: Any) -> Any:
        return (run(program, x) * np.cos(PLACE[:SIZE])).sum()

    x = draw(SIZE)
    right = gw.hessian(f)(x)
    found = sparse_hessian(f, x).toarray()
    np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-10)


# --- colours --------------------------------------------------------------------------------------

MATRICES = st.builds(
    lambda shape, density, seed: sparse.random_array(shape, density=density, rng=seed),
    st.tuples(st.integers(1, 20), st.integers(1, 20)),
    st.sampled_from([0.0, 0.05, 0.1, 0.3]),
    st.integers(0, 10**6),
)


class Matrix:
    """A linear function; it counts its sweeps."""

    dtype = np.dtype(np.float64)

    def __init__(self, a: Any) -> None:
        self.a, self.count = a, 0

    def jvp(self, v: Any) -> Any:
        self.count += 1
        return self.a @ v

    def vjp(self, u: Any) -> Any:
        self.count += 1
        return u @ self.a


@given(MATRICES, st.sampled_from([None, "forward", "reverse"]), st.booleans(), st.booleans())
def test_all_numbers_of_a_matrix_come_back(a: Any, mode: Any, primitive: bool, column: bool):
    a = a.toarray()
    a[0] += primitive  # crowded lines
    a[:, 0] += column
    found = coloring(a, mode)
    matrix: Any = Matrix(a)
    np.testing.assert_array_equal(compression.fill(matrix, found).toarray(), a)
    assert matrix.count == found.sweeps
    if mode == "forward":
        assert found.sweeps >= np.count_nonzero(a, axis=1).max()
        assert (found.rows == -1).all()
    if mode is None:
        one_way = [coloring(a, way).sweeps for way in ("forward", "reverse")]
        assert found.sweeps <= builtins.min(one_way)


@given(MATRICES, st.booleans())
def test_all_numbers_of_a_symmetric_matrix_come_back(a: Any, crowded: bool):
    n = builtins.min(a.shape)
    a = a.toarray()[:n, :n]
    a = a + a.T
    if crowded:
        a[0], a[:, 0] = 1.0, 1.0
    found = coloring(a, "symmetric")
    matrix: Any = Matrix(a)
    np.testing.assert_array_equal(compression.fill(matrix, found).toarray(), a)
    assert matrix.count == found.sweeps <= coloring(a, "forward").sweeps


def banded(n: int, width: int) -> Any:
    return sparse.diags_array(
        [np.ones(n)] * (2 * width + 1), offsets=range(-width, width + 1), shape=(n, n)
    )


@pytest.mark.parametrize("width", [0, 1, 2, 4])
def test_a_band_takes_as_many_sweeps_as_it_is_wide(width: int):
    for mode in (None, "forward", "reverse", "symmetric"):
        assert coloring(banded(500, width), mode).sweeps == 2 * width + 1


def test_nothing_takes_no_sweep():
    assert coloring(np.zeros((3, 4))).sweeps == coloring(np.zeros((3, 3)), "symmetric").sweeps == 0
    assert sparse_jacobian(lambda x: gw.floor(x), np.ones(3)).nnz == 0


def test_crowded_lines_take_a_sweep_each():
    a = banded(200, 1).toarray()
    a[7] = 1.0
    assert coloring(a).sweeps == 4
    assert coloring(a, "forward").sweeps == 200
    assert coloring(a.T).sweeps == 4
    a[:, 7] = 1.0
    assert coloring(a, "symmetric").sweeps == 4


def test_colorings_are_the_same_in_every_run():
    a = sparse.random_array((60, 60), density=0.1, rng=1)
    first, second = coloring(a), coloring(a)
    np.testing.assert_array_equal(first.columns, second.columns)
    np.testing.assert_array_equal(first.rows, second.rows)


def test_ten_thousand_variables_in_five_sweeps(monkeypatch: pytest.MonkeyPatch):
    n, sweeps = 10_000, []
    for name in ("jvp", "vjp"):
        sweep = getattr(compression.Program, name)
        monkeypatch.setattr(
            compression.Program, name, lambda self, v, go=sweep: sweeps.append(1) or go(self, v)
        )
    x = np.linspace(0.1, 1.0, n)
    for f in (sliced, lambda x: x * (gw.roll(x, 1, axis=0) - gw.roll(x, -1, axis=0))):
        sweeps.clear()
        found = sparse_jacobian(f, x)
        assert len(sweeps) <= 5
        v = np.cos(np.arange(n))
        np.testing.assert_allclose(found @ v, gw.jvp(f, (x,), (v,))[1], rtol=1e-12, atol=1e-14)


# --- sets of inputs -------------------------------------------------------------------------------


SETS = st.sets(st.integers(0, 300)) | st.integers(0, 300).map(lambda n: set(range(n // 9, n)))


@given(SETS, SETS)
def test_sets_unite_at_any_size(a: set[int], b: set[int]):
    def united(members: set[int]) -> Sources:
        total = NOWHERE
        for i in sorted(members):
            total = total + Sources(frozenset((i,)))
        return total

    for x, y in ((united(a), united(b)), (united(b), Sources(frozenset(a)))):
        for both in (x + y, x - y, x * y, x / y, x**y, y + x):
            assert array_sets.indices_of(both.of) == sorted(a | b)


def test_sets_do_what_numbers_do():
    s = Sources(frozenset((3,)))
    for same in (
        -s,
        +s,
        abs(s),
        s + 1,
        1 + s,
        1 - s,
        2.0 * s,
        s / 2,
        1 / s,
        s**2,
        s * np.float64(2),
    ):
        assert same.of == {3}
    assert (s * 0.0).of == (0 * s).of == frozenset()
    assert FEW < 64
    for ask in (lambda: s < s, lambda: s == 1.0, lambda: bool(s), lambda: hash(s)):
        with pytest.raises(TypeError):
            ask()


def test_an_operation_that_tells_nothing_depends_on_everything():
    odd = general("odd", odd_rule, forward=lambda x: np.sort(x) ** 2, tex="x")
    found = sparsity(lambda x: odd(x), draw(4)).toarray()
    assert found.all()
    rows = sparsity(lambda x: odd(x.reshape(2, 3)).reshape(-1), draw(6)).toarray()
    np.testing.assert_array_equal(rows, np.kron(np.eye(2), np.ones((3, 3))))


def test_an_operation_is_not_taken_apart_along_an_axis_that_it_mixes():
    mixing = general("mixing", odd_rule, forward=lambda x: np.sort(x, axis=0) ** 2, tex="x")
    assert sparsity(lambda x: mixing(x.reshape(2, 3)).reshape(-1), draw(6)).toarray().all()


def test_an_operation_that_makes_something_else_of_sets_tells_nothing():
    def forward(x: Any) -> Any:
        return x[::-1] if x.dtype != object else np.full(x.shape, "a text")

    turned = general("turned", lambda t, y, x: gw.flip(t, 0), forward=forward, tex="x")
    np.testing.assert_array_equal(sparsity(turned, draw(3)).toarray(), np.eye(3)[::-1])


def odd_rule(t: Any, y: Any, x: Any) -> Any:
    raise TypeError("of a library that takes nothing but arrays")


# --- errors ---------------------------------------------------------------------------------------


def error(f: Callable[[], Any], kind: type[GradwalkError], *words: str) -> None:
    with pytest.raises(kind) as caught:
        f()
    for word in words:
        assert word in str(caught.value)


def square(x: Any) -> Any:
    return x * x


def test_what_no_grad_covers_is_constant():
    def f(x: Any) -> Any:
        with gw.no_grad():
            y = x * 3.0
        return x[:1] * y

    np.testing.assert_array_equal(sparsity(f, np.ones(2)).toarray(), [[1, 0], [1, 0]])


def test_many_sources_of_one_number():
    """Sets of many are kept as bits; the others stay sets."""
    n = 3 * FEW
    found = sparsity(lambda x: gw.concat([gw.softmax(x), x * x.sum(), x[:1]]), draw(n))
    assert found.nnz == 2 * n * n + 1
    tri = sparsity(lambda x: gw.cumulative_prod(x), draw(n)).toarray()
    np.testing.assert_array_equal(tri, np.tri(n))


def test_errors_say_what_is_wrong():
    x = np.ones(3)
    error(
        lambda: sparse_jacobian(square, np.arange(3)), NotANumberError, "sparse_jacobian", "astype"
    )
    error(lambda: sparse_jacobian(lambda x: "text", x), NotANumberError, "sparse_jacobian")
    error(lambda: sparse_jacobian(lambda x: x > 0.0, x), NotANumberError, "the result")
    error(lambda: sparse_jacobian(x, x), OptionError, "a function")
    error(lambda: sparse_jacobian(square, x, mode="sideways"), OptionError, "'forward'")
    error(lambda: sparse_hessian(square, x), SizeError, "sparse_hessian", "shape (3,)")
    error(lambda: sparsity(square, x, hessian=True), SizeError, "sparsity", "shape (3,)")
    error(lambda: coloring(np.ones((2, 3)), "symmetric"), SizeError, "square", "(2, 3)")
    error(lambda: coloring(np.ones(3)), NotANumberError, "a matrix")
    error(lambda: coloring("tri"), NotANumberError, "a matrix")
    error(lambda: coloring(np.eye(3), "sideways"), OptionError, "'symmetric'")
    for wrong in (np.eye(2), coloring(np.ones((3, 2)))):
        error(lambda w=wrong: sparse_jacobian(square, x, sparsity=w), SizeError, "(3, 3)")
    error(
        lambda: sparse_jacobian(square, x, sparsity=coloring(np.eye(3), "symmetric")),
        OptionError,
        "reads rows off the columns",
    )
    error(
        lambda: sparse_jacobian(square, x, sparsity=coloring(np.eye(3)), mode="sideways"),
        OptionError,
        "sideways",
    )


def test_a_sparse_matrix_ends_the_derivation():
    def inner(a: Any) -> Any:
        return gw.Tensor(sparse_jacobian(lambda x: a * x, np.ones(2)).toarray()).sum()

    def known(a: Any) -> Any:
        return sparse_jacobian(lambda x: [a * x[0]], [2.0], sparsity=np.ones((1, 1))).sum()

    for f in (inner, known):
        for transform in (gw.grad, lambda f: lambda a: gw.jvp(f, (a,), (1.0,))):
            error(lambda f=f, t=transform: t(f)(2.0), OptionError, "sparse_jacobian", "jacobian")
    for at in (gw.Value(2.0), gw.Tensor([1.0], requires_grad=True)):
        error(lambda at=at: sparse_jacobian(square, at), OptionError, "plain numbers", "detach")
    error(lambda: gw.grad(lambda a: sparse_jacobian(square, a))(2.0), OptionError, "plain numbers")

    def beside(a: Any) -> Any:
        return a * sparse_jacobian(square, np.ones(2)).sum()

    assert gw.grad(beside)(2.0) == 4.0, "numbers of its own are nobody's business"


def test_what_leaks_is_an_error():
    saved: list[Any] = []
    sparsity(lambda x: saved.append(x) or x, np.ones(2))
    error(lambda: saved[0] + 1.0, LeakedTraceError, "sparsity")


def test_without_scipy(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "scipy.sparse", None)
    for call in (
        lambda: sparsity(square, np.ones(2)),
        lambda: sparse_jacobian(square, np.ones(2)),
        lambda: coloring(np.eye(2)),
    ):
        error(call, MissingExtraError, "gradwalk[scipy]")


def test_looking_at_transforms_loads_neither_numpy_nor_scipy(run_python: Any):
    program = "import gradwalk, sys; gradwalk.sparsity; print(*sys.modules)"
    loaded = set(run_python(program).split())
    assert "gradwalk.transforms.sparse" in loaded
    assert not loaded & {"numpy", "scipy"}


def test_levels_close_when_a_function_fails():
    with pytest.raises(ZeroDivisionError):
        sparsity(lambda x: 1 // 0, np.ones(2))
    assert not Patterns().is_open
