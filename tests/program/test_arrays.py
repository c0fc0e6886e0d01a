"""A compiled function of arrays gives what the function gives, by every transform."""

from __future__ import annotations

import random
import threading
import tracemalloc
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk as gw
from gradwalk import Tensor, grad, hessian, jvp, nn, value_and_grad, vjp, vmap
from gradwalk.core.pytree import flatten
from gradwalk.errors import (
    DataError,
    GradwalkError,
    InPlaceError,
    LeakedTraceError,
    ManyVersionsWarning,
    OptionError,
)
from gradwalk.program.machine import plan

from ..helpers.amount import amount, examples
from ..helpers.ordinary import CONSTANTS, PLAIN, array_program, compiled

Function = Callable[..., Any]
R = np.random.default_rng(0)
DRAWS = st.randoms(use_true_random=False)


def plain(x: Any) -> Any:
    return np.asarray(x._data if isinstance(x, Tensor) else x)


def same(got: Any, expected: Any, message: str = "", close: float = 1e-12) -> None:
    (left, one), (right, other) = flatten(got), flatten(expected)
    assert one.matches(other), message
    for x, y in zip(map(plain, left), map(plain, right), strict=True):
        assert (x.shape, x.dtype) == (y.shape, y.dtype), message
        tolerance = max(close, 1e-4 if x.dtype == np.float32 else 0.0)
        with np.errstate(all="ignore"):  # relative to the largest number of the array
            scale = np.nanmax(np.abs(np.where(np.isfinite(y), y, 0.0)), initial=1.0)
        np.testing.assert_allclose(
            x / scale, y / scale, rtol=tolerance, atol=tolerance, err_msg=message
        )


def follows(f: Function, *calls: tuple[Any, ...], **options: Any) -> Any:
    """Assert that a compiled function gives at all calls what the function gives."""
    run = gw.compile(f, **options)
    for arguments in (*calls, *calls):
        same(run(*arguments), f(*arguments), f"at {arguments}")
    return run


# --- random programs ------------------------------------------------------------------------------

UNARY = ("tanh", "sin", "exp", "sigmoid", "relu", "abs", "square", "softplus", "gelu", "negative")
BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "hypot")


def _step(draws: random.Random, xs: list[str]) -> str:
    """A line of a program of arrays of shape (3, 4), (4,), (3, 1) and ()."""
    a, b = draws.choice(xs), draws.choice(xs)
    return draws.choice(
        [
            f"gw.{draws.choice(UNARY)}({a} * 0.5)",
            f"gw.{draws.choice(BINARY)}({a}, {b})",
            f"{a} * {draws.choice(['0.5', '1.0', '-2.0', 'SHIFT', b])}",
            f"{a} - {b} / (2.0 + gw.abs({b}))",
            f"gw.where({a} > {b}, {a}, {b} * 3.0)",
            f"gw.where(gw.isnan({a}), 0.0, {a}) + LEAF",
            f"{a} + gw.broadcast_to(gw.sum({a}), (3, 4)) * 0.1",
            f"{a} - gw.mean({a})",
            f"gw.max({a} + {b}) * {a}",
            f"gw.softmax({a} + gw.zeros((3, 4)), axis=1)",
            f"gw.sort({a} + GRID * 0.25, axis=0)",
            f"(({a} + GRID) @ (LEAF * 0.5).T) @ ({b} + GRID)",
            f"gw.einsum('ij,kj->ik', {a} + GRID, {b} + GRID)[:, :1]",
            f"({a} + GRID)[:, ::-1]",
            f"({a} + GRID)[[2, 0, 1], 1:].sum(axis=1, keepdims=True)",
            f"_written({a} + GRID, {b})",
            f"gw.cumsum({a} + GRID, axis=1)",
            f"gw.concat([{a} + GRID, {b} + GRID], axis=0)[1:4]",
            f"gw.permute_dims(gw.permute_dims({a} + GRID, (1, 0)), (1, 0))",
            f"({a} * 2.0 if gw.sum({a} * 1.0) > 0.0 else {a} - {b})",
            f"({a} if bool(gw.all({a} + GRID < 5.0)) else {b})",
        ]
    )


def written(x: Any, y: Any) -> Any:
    """A function that writes into an array of its own, and into a view of it."""
    z = gw.asarray(x) * 1.5
    z[0] = gw.max(y)
    row = z[1]
    row *= 2.0
    z += 0.25
    return z


class Drawn:
    """A program of two arrays and a number, which closes over a Tensor and an array."""

    def __init__(self, draws: random.Random, dtype: str) -> None:
        self.leaf = Tensor(R.normal(size=(3, 4)).astype(dtype), requires_grad=draws.random() < 0.5)
        names, self.lines = ["x", "y", "s"], []
        for i in range(draws.randint(2, 7)):
            self.lines.append(f"v{i} = {_step(draws, names[-4:])}")
            names.append(f"v{i}")
        ends = [draws.choice(names[-3:]) for _ in range(2)]
        self.source = "\n    ".join(
            ["def f(x, y, s):", *self.lines, f"return gw.sum({ends[0]} * 0.5 + {ends[1]} + x)"]
        )
        known = {"gw": gw, "SHIFT": 1.25, "LEAF": self.leaf, "_written": written}
        known["GRID"] = np.linspace(-1.0, 1.0, 12).reshape(3, 4).astype(dtype)
        exec(self.source, known)
        self.f: Any = known["f"]


def directions(x: Any) -> Any:
    return tuple([gw.ones_like(v) if hasattr(v, "ndim") else 1.0 for v in x])


TRANSFORMS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda f: f,
    "value_and_grad": lambda f: value_and_grad(f, (0, 1)),
    "jvp": lambda f: lambda *x: jvp(f, x, directions(x)),
    "vjp": lambda f: lambda *x: vjp(f, *x)[1](2.0),
    "grad of grad": lambda f: grad(lambda x, y, s: gw.sum(grad(f)(x, y, s) * y), (0, 1)),
    "jvp of grad": lambda f: lambda *x: jvp(grad(f, (0, 1)), x, directions(x)),
    "vmap of grad": lambda f: (
        lambda x, y, s: vmap(grad(f), in_axes=(0, None, None))(gw.stack([x, x * 2.0]), y, s)
    ),
}


def _points(draws: random.Random, dtype: str) -> list[Any]:
    shapes = [draws.choice([(3, 4), (4,), (3, 1), ()]) for _ in range(2)]
    seeds = np.random.default_rng(draws.randint(0, 2**32))
    scales = (1.0, -0.7, 0.0, 2.0)
    return [
        (*[(seeds.normal(size=shape) * scale).astype(dtype) for shape in shapes], scale + 0.5)
        for scale in scales[: draws.randint(2, 4)]
    ]


@pytest.mark.parametrize("name", TRANSFORMS)
@examples(400, 25)
@given(draws=DRAWS, dtype=st.sampled_from(["float64", "float32"]))
def test_drawn_programs(name: str, draws: random.Random, dtype: str) -> None:
    """The first point is recorded, the others replayed: masks, guards and leaves differ there."""
    drawn = Drawn(draws, dtype)
    f = TRANSFORMS[name](drawn.f)
    run = gw.compile(f)
    for point in _points(draws, dtype):
        try:
            expected = f(*point)
        except GradwalkError as error:  # vmap has no `if`
            with pytest.raises(type(error)):
                run(*point)
            continue
        close = 1e-9 if dtype == "float64" else 1e-3
        same(run(*point), expected, f"{name} of\n{drawn.source}\nat {point}", close)
        drawn.leaf.data = drawn.leaf.data * -0.5


@examples(200, 15)
@given(draws=DRAWS, dtype=st.sampled_from(["float64", "float32"]))
def test_the_program_in_python_is_the_specification(draws: random.Random, dtype: str) -> None:
    drawn = Drawn(draws, dtype)
    for name in ("plain", "value_and_grad", "jvp of grad"):
        f = TRANSFORMS[name](drawn.f)
        run, specified = gw.compile(f), gw.compile(f)
        for point in _points(draws, dtype):
            try:
                expected = run(*point)
            except GradwalkError:
                continue
            # the executor alone: with another engine, too, a recording would be another one
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(plan, "PlannedExecutor", plan.PythonArrayExecutor)
                found = specified(*point)
            same(found, expected, drawn.source, 1e-12 if dtype == "float64" else 1e-5)


@examples(1000, 60)
@given(DRAWS)
def test_ordinary_programs(draws: random.Random) -> None:
    """What ordinary NumPy programs give, errors included."""
    source = array_program(draws)
    program = compiled(source, PLAIN)
    run = gw.compile(value_and_grad(program))
    for _ in range(2):
        x = np.array([[draws.choice(CONSTANTS) for _ in range(3)] for _ in range(2)])
        try:
            expected = value_and_grad(program)(x)
        except Exception as error:
            with pytest.raises((type(error), GradwalkError)):
                pytest.fail(f"{run(x)} instead of {error!r} for\n{source}at {x}")
            continue
        same(run(x), expected, f"\n{source}at {x}", 1e-9)


# --- a table of functions -------------------------------------------------------------------------

A, B = R.normal(size=(3, 4)), R.normal(size=(3, 4))
CLASSES, OTHERS = np.array([0, 1, 2]), np.array([2, 0, 1])
IMAGES = R.normal(size=(2, 2, 3, 6, 6))
WORDS = R.integers(0, 7, (2, 2, 5))
SEQUENCES = R.normal(size=(2, 2, 5, 8))


def masked(x: Any, y: Any) -> Any:
    z = gw.asarray(x) * 1.0
    z[z > 0.0] = 0.5
    z[z < -1.0] += 2.0
    return gw.sum(z * y)


def looping(x: Any, y: Any) -> Any:
    return gw.while_loop(
        lambda s: s < 100.0, lambda s: s * 2.0 + gw.sum(gw.abs(y)), gw.sum(gw.abs(x))
    )


FUNCTIONS: dict[str, Function] = {
    "cross_entropy": lambda x, y: nn.cross_entropy(x, gw.argmax(y, axis=1)),
    "binary_cross_entropy": lambda x, y: nn.binary_cross_entropy(
        gw.sigmoid(x), gw.astype(y > 0.0, float)
    ),
    "logits": lambda x, y: nn.binary_cross_entropy_with_logits(x, gw.astype(y > 0.0, float)),
    "quantile": lambda x, y: gw.sum(gw.quantile(x, 0.3) * y),
    "cholesky": lambda x, y: gw.sum(gw.linalg.cholesky(x @ x.T + np.eye(3))),
    "eigh": lambda x, y: gw.sum(gw.linalg.eigh(x @ x.T)[0] * np.arange(3.0)),
    "svd": lambda x, y: gw.sum(gw.linalg.svd(x, full_matrices=False)[1] ** 2),
    "topk": lambda x, y: gw.sum(gw.topk(x, 2)[0] * 2.0),
    "mask": lambda x, y: gw.sum(x[x > 0.0]),
    "masked": masked,
    "take": lambda x, y: gw.sum(
        gw.take_along_axis(x, gw.argmax(x, axis=1, keepdims=True), 1) * 1.0
    ),
    "nonzero": lambda x, y: gw.sum(x[gw.nonzero(x > 0.0)]),
    "numpy": lambda x, y: np.sum(np.tanh(x) * np.exp(y) + np.where(x > 0.0, x, y)),
    "rows": lambda x, y: sum(gw.sum(row * k) for k, row in enumerate(x)),
    "scan": lambda x, y: gw.sum(gw.scan(lambda c, t: (c * 0.5 + gw.tanh(t), c), y[0], x)[0]),
    "checkpoint": lambda x, y: gw.sum(gw.checkpoint(lambda a: gw.tanh(a) * y)(x)),
    "while_loop": looping,
    "stop_gradient": lambda x, y: gw.sum(gw.stop_gradient(x) * x * y),
    "norm": lambda x, y: gw.linalg.norm(x) * gw.sum(y),
    "std": lambda x, y: gw.var(x) * gw.std(y),
    "prod": lambda x, y: gw.sum(gw.prod(x, axis=1) + gw.cumprod(x, axis=1)[:, 2]),
    "logsumexp": lambda x, y: gw.logsumexp(x),
    "astype": lambda x, y: gw.sum(gw.astype(x * 3.0, int) * y + gw.astype(x, np.float32)),
    "gather": lambda x, y: gw.sum(x[:, gw.astype(y[0] > 0.0, int)]),
    "searchsorted": lambda x, y: gw.sum(gw.searchsorted(gw.sort(x[0]), y[0]) * y[0]),
    "stack": lambda x, y: gw.sum(gw.stack([x[0], y[1]]) ** 2 + gw.full((2, 4), gw.sum(x))),
    "lgamma": lambda x, y: gw.sum(gw.lgamma(gw.abs(x) + 0.5)),
    "item": lambda x, y: gw.sum(y) * (2.0 if float(x[0, 0]) > 0.0 else x[1, 1]),
    "hessian": lambda x, y: gw.sum(hessian(lambda a: gw.sum(gw.tanh(a) ** 3))(x[0]) * y[0]),
    "vmap": lambda x, y: gw.sum(vmap(lambda a, b: gw.softmax(a) * b)(x, y)),
    "zeros": lambda x, y: gw.sum(gw.prod(x * (y > 0.0), axis=1)),
}

TWICE: dict[str, Callable[[Any], Any]] = {
    "plain": lambda f: f,
    "value_and_grad": value_and_grad,
    "grad of grad": lambda f: grad(lambda x, y: gw.sum(gw.sin(grad(f)(x, y)))),
    "jvp": lambda f: lambda x, y: jvp(lambda a: f(a, y), (x,), (x * 2.0,)),
}


@pytest.mark.parametrize("way", TWICE)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str, way: str) -> None:
    f = TWICE[way](FUNCTIONS[name])
    try:
        f(A, B)
    except GradwalkError as error:
        with pytest.raises(type(error)):
            gw.compile(f)(A, B)
    else:
        follows(f, (A, B), (B, A), (Tensor(A), Tensor(B)))


MODELS: dict[str, tuple[Callable[[], Any], Any]] = {
    "linear": (lambda: nn.Sequential(nn.Linear(4, 6), nn.LayerNorm(6), nn.SiLU()), (A, B)),
    "images": (
        lambda: nn.Sequential(
            nn.Conv2d(3, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, 5)
        ),
        IMAGES,
    ),
    "words": (lambda: nn.Embedding(7, 4), WORDS),
    "attention": (lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), SEQUENCES),
    "lstm": (lambda: nn.LSTM(8, 4, batch_first=True), SEQUENCES),
    "batch norm": (lambda: nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6)).eval(), (A, B)),
}


def reduced(y: Any) -> Any:
    return sum(gw.sum(gw.sin(leaf)) for leaf in flatten(y)[0])


@pytest.mark.parametrize("name", MODELS)
def test_models(name: str) -> None:
    make, (x, other) = MODELS[name]
    model = make()
    step = value_and_grad(lambda m, x: reduced(m(x)))
    outside = gw.compile(lambda x: step(model, x))
    passed = gw.compile(step)
    forward = gw.compile(lambda x: reduced(model(x)))
    for data in (x, other, x):
        same(outside(data), step(model, data), close=1e-10)
        same(passed(model, data), step(model, data), close=1e-10)
        same(forward(data), reduced(model(data)), close=1e-10)
        for p in model.parameters():
            p.data = p.data * 0.9


def test_models_of_one_class_differ() -> None:
    run = gw.compile(lambda m, x: m(x))
    for model in (nn.Sequential(nn.Linear(4, 4), nn.Tanh()), nn.Sequential(nn.Linear(4, 4))):
        same(run(model, A), model(A))


def test_a_mode_is_another_version() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
    run = gw.compile(lambda x: model(x))
    model.eval()
    same(run(A), model(A))
    model.train()
    draws = [run(A) for _ in range(3)]  # a mask for each call
    assert not np.array_equal(draws[1], draws[2])
    model.eval()
    same(run(A), model(A))


# --- what is closed over --------------------------------------------------------------------------

READ: dict[str, Callable[[Any, Any], Any]] = {
    "product": lambda w, x: x @ (w * 2.0),
    "alone": lambda w, x: w * w,
    "detached": lambda w, x: x @ w.detach(),
    "copied": lambda w, x: x @ Tensor(w),
    "asked": lambda w, x: x * 2.0 if gw.sum(w) > 0.0 else x,
    "read": lambda w, x: x * float(w.data[0, 0]),
    "item": lambda w, x: x * w[1, 1].item(),
    "mask": lambda w, x: gw.where(w.T[:1] > 0.0, x[:2], 0.0),
    "key": lambda w, x: x[gw.astype(w[:, 0] > 0.0, int)],
    "gradient": lambda w, x: grad(lambda a: gw.sum(a * a * x[0, 0]))(w),
    "paused": lambda w, x: gw.no_grad()(lambda: x @ (w + 1.0))(),
}


DETACHED = ("copied", "read", "item")  # what is refused of a Tensor that requires gradients
READINGS = [(name, flag) for name in READ for flag in (False, True)[: 2 - (name in DETACHED)]]


@pytest.mark.parametrize(("name", "requires_grad"), READINGS)
def test_tensors_outside_are_read_anew(name: str, requires_grad: bool) -> None:
    w = Tensor(R.normal(size=(4, 2)))
    w.requires_grad = requires_grad
    run = gw.compile(lambda x: READ[name](w, x))
    for factor in (1.0, -2.0, 0.5):
        w.data = w.data * factor
        same(run(A), READ[name](w, A))


def test_a_tensor_outside_may_change_its_shape_and_dtype() -> None:
    held = {"w": Tensor(np.ones((4, 2)))}
    w = held["w"]
    run = gw.compile(lambda x: x @ w)
    for data in (np.ones((4, 2)), np.ones((4, 3)), np.ones((4, 3), np.float32), np.ones((4, 2))):
        w._data = data
        same(run(A), A @ data)


def test_values_and_arrays() -> None:
    v = gw.Value(2.0)
    run = gw.compile(lambda x, s: gw.stack([v, s])[0] * x * s)
    for number in (2.0, 5.0):
        v.data = number
        same(np.asarray(run(A, 3.0)), A * number * 3.0)


def test_leaves_as_arguments_keep_their_graph() -> None:
    w = Tensor(A, requires_grad=True)
    gw.compile(lambda w: gw.sum(w * w))(w).backward()
    same(w.grad, 2.0 * A)


# --- results --------------------------------------------------------------------------------------


def test_results_are_the_callers() -> None:
    kept = np.ones(2)
    run = gw.compile(lambda x: {"x": x, "again": [x, x * 2.0], "n": None, "s": "t", "kept": kept})
    first = run(A)
    first["x"][0] = first["again"][0][0] = first["kept"][0] = 99.0
    same(run(A), {"x": A, "again": [A, A * 2.0], "n": None, "s": "t", "kept": np.ones(2)})
    assert not np.shares_memory(first["again"][1], run(A)["again"][1])


def test_numbers_among_arrays_stay_weak() -> None:
    run = gw.compile(lambda x, n: (x * n, x**2 * n))
    for x in (np.arange(4), np.arange(4.0, dtype=np.float32), np.arange(4.0)):
        for n in (3, 2.5):
            same(run(x, n), (x * n, x**2 * n))


# --- what is refused ------------------------------------------------------------------------------

LEAKED: list[Any] = []
OUTSIDE, DICE = Tensor(A.copy()), np.random.default_rng(0)


def overwritten(x: Any) -> Any:
    x[0] = 1.0
    return x


def added(x: Any) -> Any:
    x += 1.0
    return x


def outside_written(x: Any) -> Any:
    OUTSIDE[0] = x[0]
    return OUTSIDE * 2.0


REFUSED: list[tuple[Function, type[GradwalkError], str]] = [
    (overwritten, InPlaceError, "an array that it was passed"),
    (added, InPlaceError, "an array that it was passed"),
    (outside_written, InPlaceError, "writes into"),
    (lambda x: x * DICE.normal(), OptionError, "draws random numbers"),
    (lambda x: x * np.random.normal(), OptionError, "draws random numbers"),
    (lambda x: x * gw.random.normal((3, 4)), OptionError, "draws random numbers"),
    (lambda x: nn.Dropout(0.5)(x), OptionError, "draws random numbers"),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals(case: int) -> None:
    f, kind, text = REFUSED[case]
    with pytest.raises(kind, match=text):
        gw.compile(f)(A.copy())
    assert type(OUTSIDE) is Tensor
    same(OUTSIDE, A)


def _assigned(x: Any) -> Any:
    OUTSIDE.data = x
    return OUTSIDE * 2.0


def _assigned_after(x: Any) -> Any:
    y = OUTSIDE * x
    OUTSIDE.data = OUTSIDE.data + 1.0
    return y


def _constant(x: Any) -> Any:
    OUTSIDE.data = A + 1.0
    return OUTSIDE * x


def _part(x: Any) -> Any:
    y = OUTSIDE * x
    OUTSIDE.data[0] = 7.0
    return y


def _own(x: Any) -> Any:
    t = Tensor(A.copy())
    t.data = t.data * 2.0
    return t * x


NORMS = {
    "BatchNorm1d": (nn.BatchNorm1d(4), (3, 4)),
    "BatchNorm2d": (nn.BatchNorm2d(2), (3, 2, 2, 2)),
    "averages": (nn.BatchNorm1d(4, momentum=None), (3, 4)),
    "in a model": (nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3)), (5, 4)),
}


@pytest.mark.parametrize("f", [_assigned, _assigned_after, _constant, _part])
def test_assigned_numbers_of_a_tensor_outside_are_refused(f: Function) -> None:
    for way in (lambda f: f, lambda f: value_and_grad(lambda x: gw.sum(f(x)))):
        with pytest.raises(InPlaceError, match=r"a Tensor of shape|Write after backward"):
            gw.compile(way(f))(A.copy())
        same(OUTSIDE, A)
    same(gw.compile(_own)(A), _own(A))


@pytest.mark.parametrize("way", [lambda f: f, value_and_grad], ids=["call", "value_and_grad"])
@pytest.mark.parametrize("name", NORMS)
def test_a_batch_normalisation_that_trains_keeps_its_statistics(name: str, way: Any) -> None:
    made, shape = NORMS[name]
    model, plain = deepcopy(made), deepcopy(made)
    run = gw.compile(way(lambda x: gw.sum(model(x) ** 2)))
    f = way(lambda x: gw.sum(plain(x) ** 2))
    rng = np.random.default_rng(3)
    for _ in range(3):
        x = rng.normal(size=shape)
        same(run(x), f(x))
        state = {key: np.array(value) for key, value in model.state_dict().items()}
        for key, value in plain.state_dict().items():
            same(state[key], np.array(value))
    model.eval(), plain.eval()
    same(gw.compile(model)(x), plain(x))


WAYS: dict[str, Callable[[Any], Any]] = {
    **TWICE,
    "hessian": lambda f: lambda x, t: hessian(lambda a: f(a, t))(x),
    "jvp of grad": lambda f: lambda x, t: jvp(grad(lambda a: f(a, t)), (x,), (x * 2.0,)),
    "vmap of grad": lambda f: lambda x, t: vmap(grad(lambda a: f(a, t)))(gw.stack([x, x * 2.0])),
}


@pytest.mark.parametrize("options", [{}, {"ignore_index": 2}, {"label_smoothing": 0.1}], ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_classes_as_arguments(way: str, options: Any) -> None:
    """Cross-entropy of classes that differ between calls, ignored ones among them."""
    f = WAYS[way](lambda x, t: nn.cross_entropy(gw.asarray(x), t, **options))
    ignored = options.get("ignore_index", -100)
    run = gw.compile(f)
    for classes in ([0, 1, 3], [2, 3, ignored], [0, 0, 1]):
        t = np.array(classes)
        same(run(Tensor(A), t), f(Tensor(A), t), way, 1e-11)
        same(run(Tensor(A), t.astype(np.int32)), f(Tensor(A), t.astype(np.int32)), way, 1e-11)


RANGES: list[tuple[Function, Any, Any]] = [
    (lambda x: nn.binary_cross_entropy(x, np.ones(2)), [0.5, 0.25], [0.5, 1.5]),
    (lambda x: nn.binary_cross_entropy(np.full(2, 0.5), x), [0.5, 0.25], [0.5, -1.0]),
    (lambda x: nn.hinge(Tensor(np.ones(2)), x), [1.0, -1.0], [1.0, 0.5]),
    (lambda x: nn.cross_entropy(Tensor(A[:2]), gw.astype(x, int)), [0.0, 3.0], [0.0, 4.0]),
]


@pytest.mark.parametrize("case", range(len(RANGES)))
def test_ranges_are_checked_in_each_run(case: int) -> None:
    f, right, wrong = RANGES[case]
    run = gw.compile(f)
    for _ in range(2):
        same(run(np.array(right)), f(np.array(right)))
        with pytest.raises(DataError):
            run(np.array(wrong))
    values = [gw.compile(g) for g in (lambda p: nn.binary_cross_entropy([p], [1.0]),)]
    assert values[0](0.5) == nn.binary_cross_entropy([0.5], [1.0])
    with pytest.raises(DataError, match="numbers from 0 to 1"):
        values[0](1.5)


def test_equal_seeds_give_equal_draws() -> None:
    follows(lambda x: x * gw.random.normal((3, 4), seed=0), (Tensor(A),), (Tensor(B),))


def test_leaks() -> None:
    gw.compile(lambda x: LEAKED.append(x * 2.0) or x)(A)
    with pytest.raises(LeakedTraceError):
        LEAKED[0] + 1.0


def test_errors_are_those_without() -> None:
    run = gw.compile(lambda x, i: gw.sum(x[i]))
    run(A, np.array([0, 1]))
    for wrong in (np.array([0, 5]), np.array([0.5])):
        with pytest.raises(IndexError):
            run(A, wrong)


def test_too_many_versions() -> None:
    run = gw.compile(lambda x: gw.sum(x) * float(x[0, 0]))
    for i in range(8):
        run(A + i)
    with pytest.warns(ManyVersionsWarning, match="at most 8 different answers"):
        value = run(A - 1.0)
    same(value, gw.sum(A - 1.0) * float(A[0, 0] - 1.0))


# --- threads and memory ---------------------------------------------------------------------------


def test_threads() -> None:
    w = Tensor(R.normal(size=(4, 4)))
    step = value_and_grad(lambda x: gw.sum(gw.tanh(x @ w) ** 2))
    run, wrong = gw.compile(step), []

    def work(scale: float) -> None:
        for i in range(60):
            x = A * (scale + i)
            value, gradient = run(x)
            expected = step(x)
            if abs(value - expected[0]) > 1e-9 or np.abs(gradient - expected[1]).max() > 1e-9:
                wrong.append(scale)

    threads = [threading.Thread(target=work, args=(k * 0.01,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_flat_memory() -> None:
    run = gw.compile(value_and_grad(lambda x: gw.sum(gw.tanh(x) * gw.relu(x))))
    x = R.normal(size=(50, 50))
    tracemalloc.start()
    for _ in range(50):
        run(x)
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(amount(100_000, 500)):
        run(x)
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 20_000


# --- replay ---------------------------------------------------------------------------------------


def _net() -> tuple[list[Any], Callable[[], Any]]:
    model = nn.Sequential(nn.Linear(4, 8, seed=0), nn.Tanh(), nn.Linear(8, 3, seed=1))
    return list(model.parameters()), lambda: nn.cross_entropy(model(A), CLASSES)


def _parts() -> tuple[list[Any], Callable[[], Any]]:
    w = Tensor(np.linspace(-1.0, 1.0, 8).reshape(4, 2), requires_grad=True)
    b = Tensor(np.zeros(2), requires_grad=True)
    return [
        w,
        b,
    ], lambda: gw.sum(gw.split(w, 2, axis=0)[0] * w[2:] + gw.relu(w[1] + b)) - 0.1 * gw.max(w)


@pytest.mark.parametrize("build", [_net, _parts])
def test_replay_of_tensors(build: Any) -> None:
    def train(step_of: Callable[[Any], Any]) -> list[Any]:
        parameters, loss_of = build()
        step, seen = step_of(loss_of), []
        for _ in range(8):
            seen.append((step(), [p.grad.copy() for p in parameters]))
            for p in parameters:
                p.data -= 0.3 * p.grad
                p.grad = None
        return seen

    def by_backward(loss_of: Any) -> Callable[[], float]:
        def step() -> float:
            loss = loss_of()
            loss.backward()
            return float(loss.data)

        return step

    same(train(lambda loss_of: gw.replay(loss_of())), train(by_backward), close=1e-11)


def test_replay_writes_into_the_loss() -> None:
    w = Tensor([1.0, 2.0], requires_grad=True)
    loss = gw.sum(w * w)
    run = gw.replay(loss)
    w.data = [3.0, 4.0]
    assert run() == loss.item() == 25.0
    assert "mul" in run.program
    assert "operations on arrays" in repr(run)


def test_what_replay_refuses() -> None:
    w = Tensor(np.ones(3), requires_grad=True)
    freed = gw.sum(w * w)
    freed.backward()
    with pytest.raises(gw.errors.FreedGraphError, match="has not been freed"):
        gw.replay(freed)
    with pytest.raises(gw.errors.SizeError, match="one number"):
        gw.replay(w * w)
    with pytest.raises(OptionError, match="depends on a Tensor"):
        gw.replay(Tensor(1.0))
    with pytest.raises(gw.errors.FreedGraphError, match="a graph with a leaf"):
        gw.replay(gw.sum(Tensor(np.ones(100), requires_grad=True) * 2.0))
    with pytest.raises(gw.errors.FreedGraphError, match="program has dropped"):
        gw.replay(gw.sum(w + np.ones((100, 3))))
    run = gw.replay(gw.sum(w * w))
    w._data = np.ones(4)
    with pytest.raises(gw.errors.SizeError, match="leaves as they were"):
        run()


def test_another_library_asks_what_a_program_asks():
    pytest.importorskip("array_api_strict")
    program = gw.compile(lambda x: x * 2.0 if x > 0.0 else -x).program(3.0)
    assert float(program.evaluate(4.0, on="array_api_strict")) == 8.0
    with pytest.raises(OptionError, match="the branch of the recorded run"):
        program.evaluate(-3.0, on="array_api_strict")


def test_a_tensor_that_a_function_makes_may_have_a_label() -> None:
    f = gw.compile(lambda x: (gw.Tensor(x, label="copy") * 2.0).sum())
    for k in (1.0, 2.0):
        assert f(gw.Tensor([k, 2.0])).item() == 2.0 * (k + 2.0)
