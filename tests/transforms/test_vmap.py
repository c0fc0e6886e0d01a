"""vmap: every row and every function of Tensors on batches, against the same on each example."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

import gradwalk
from gradwalk import (
    Tensor,
    Value,
    grad,
    hessian,
    jacobian,
    jvp,
    nn,
    no_grad,
    tensor,
    vjp,
    vmap,
    where,
)
from gradwalk.errors import KeyRangeError, NotANumberError, OptionError, SizeError
from gradwalk.levels.vjp import VJPLevel
from gradwalk.levels.vmap import VmapLevel, batched, varies
from gradwalk.ops import TABLE
from gradwalk.ops.array import TABLE as PRIMITIVES
from gradwalk.ops.array.windows import Windows
from gradwalk.tensor.functions import linalg

from ..helpers import function_cases, layer_cases
from ..helpers.arguments import moderate

SIZE = 3
Draw = Callable[[Any], Any]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# --- what is drawn for one example ----------------------------------------------------------------


def real(*shape: int) -> Draw:
    return lambda rng: rng.normal(size=shape)


def positive(*shape: int) -> Draw:
    return lambda rng: rng.uniform(0.5, 1.5, shape)


def whole(high: int, *shape: int) -> Draw:
    return lambda rng: rng.integers(0, high, shape)


def truth(*shape: int) -> Draw:
    return lambda rng: rng.random(shape) < 0.5


def definite(*shape: int) -> Draw:
    def draw(rng: Any) -> Any:
        a = rng.normal(size=(*shape, shape[-1]))
        return a @ a.swapaxes(-1, -2) + np.eye(shape[-1])

    return draw


def ordered(n: int) -> Draw:
    return lambda rng: np.sort(rng.normal(size=n))


# --- the check ------------------------------------------------------------------------------------


def leaves(y: Any) -> list[Any]:
    parts = y if isinstance(y, (tuple, list)) else [y]
    return [np.asarray(getattr(part, "data", part)) for part in parts]


def near(got: Any, expected: Any, what: str) -> None:
    assert len(got) == len(expected), what
    for a, b in zip(got, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype), what
        if a.dtype.kind == "f":
            scale = np.max(np.abs(b), initial=1.0, where=np.isfinite(b))
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11 * scale, err_msg=what)
        else:
            np.testing.assert_array_equal(a, b, err_msg=what)


class Mapped(NamedTuple):
    """Arguments of which some are batches, and which axis the examples lie along."""

    args: list[Any]
    axes: tuple[int | None, ...]

    def example(self, i: int, args: Any = None) -> list[Any]:
        pairs = zip(self.args if args is None else args, self.axes, strict=True)
        return [Tensor(a if axis is None else np.take(a, i, axis)) for a, axis in pairs]

    def each(self, f: Callable[..., Any]) -> list[list[Any]]:
        """The leaves of f of each example."""
        return [leaves(f(*self.example(i))) for i in range(SIZE)]


def stacked(found: list[list[Any]], axis: int = 0) -> list[Any]:
    return [np.stack(parts, axis) for parts in zip(*found, strict=True)]


def arrangements(draws: list[Draw], name: str) -> Iterator[Mapped]:
    """The first argument mapped, the second, ..., all of them; along the first and last axis."""
    rng = np.random.default_rng(sum(map(ord, name)))
    count = len(draws)
    chosen = [{i} for i in range(count)] + ([set(range(count))] if count > 1 else [])
    for number, mapped in enumerate(chosen):
        args, axes = [], []
        for i, draw in enumerate(draws):
            axis = ((0, -1)[(number + i) % 2]) if i in mapped else None
            many = [np.asarray(draw(rng)) for _ in range(SIZE)]
            args.append(many[0] if axis is None else np.stack(many, axis))
            axes.append(axis)
        yield Mapped(args, tuple(axes))


def weighted(f: Callable[..., Any]) -> Callable[..., Any]:
    """A number that depends on all floats that f gives."""

    def loss(*args: Any) -> Any:
        y = f(*args)
        total: Any = 0.0
        for part in y if isinstance(y, (tuple, list)) else [y]:
            if np.dtype(part.dtype).kind == "f":
                weights = np.cos(np.arange(math.prod(part.shape))).reshape(part.shape) + 1.5
                total = total + tensor.sum(part * weights)
        return total

    return loss


def check(f: Callable[..., Any], draws: list[Draw], name: str, slopes: bool = True) -> None:
    """Values, gradients by two nestings, and tangents by two nestings."""
    for case in arrangements(draws, name):
        note = f"{name}, in_axes={case.axes}"
        got = leaves(vmap(f, case.axes, -1)(*case.args))
        near(got, stacked(case.each(f), -1), note)
        wrt = tuple(i for i, a in enumerate(case.args) if a.dtype.kind == "f")
        if slopes and wrt:
            check_gradients(weighted(f), case, wrt, note)


def check_gradients(loss: Any, case: Mapped, wrt: tuple[int, ...], note: str) -> None:
    each = case.each(grad(loss, wrt))
    expected = stacked(each)
    near(leaves(vmap(grad(loss, wrt), case.axes)(*case.args)), expected, f"vmap(grad), {note}")
    summed = leaves(grad(lambda *a: tensor.sum(vmap(loss, case.axes)(*a)), wrt)(*case.args))
    over = [
        np.stack(parts, case.axes[i]) if case.axes[i] is not None else np.sum(parts, axis=0)
        for i, parts in zip(wrt, zip(*each, strict=True), strict=True)
    ]
    near(summed, over, f"grad(vmap), {note}")
    tangents = tuple(np.sin(case.args[i] + 1.0) for i in wrt)

    def moved(*args: Any) -> Any:
        """f with its tangent, where the second half of the arguments are tangents."""
        primals, moves = args[: len(case.args)], args[len(case.args) :]
        return jvp(loss, primals, moves, argnums=wrt)[1]

    axes = (*case.axes, *[case.axes[i] for i in wrt])
    doubled = Mapped([*case.args, *tangents], axes)
    expected = stacked(doubled.each(moved))
    near(leaves(vmap(moved, axes)(*doubled.args)), expected, f"vmap(jvp), {note}")
    outer = jvp(vmap(loss, case.axes), case.args, tangents, argnums=wrt)[1]
    near(leaves(outer), expected, f"jvp(vmap), {note}")


# --- pointwise rows -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLE)
def test_pointwise_rows(name: str):
    primitive = TABLE[name]
    points = itertools.cycle(moderate(name, 24))
    first = [np.array(column) for column in zip(*itertools.islice(points, 24), strict=True)]

    def draw(i: int, shape: tuple[int, ...]) -> Draw:
        return lambda rng: rng.choice(first[i], shape)

    shapes = [(2, 4), (4,), (2, 1)]
    check(
        primitive,
        [draw(i, shapes[i % 3]) for i in range(primitive.arity)],
        name,
        primitive.differentiable,
    )
    check(primitive, [draw(i, ()) for i in range(primitive.arity)], name, False)


# --- rows of arrays -------------------------------------------------------------------------------

HOW = Windows((2, 2), (1, 1), ((1, 0), (0, 0)), (1, 1), 1)
GROUPED = HOW._replace(groups=2, stride=(2, 1), padding=((0, 0), (0, 0)))
KEYS: list[Any] = [
    (1,),
    (slice(None, None, 2), None),
    (Ellipsis, -1),
    (np.array([2, 0, 0]),),
    (slice(None), np.array([[0, 1], [2, 2]])),
    (np.array([0, 1]), slice(None), np.array([1, 0])),
    (0, slice(None), np.array([1, 0])),
    (np.array([True, False, True]), Ellipsis, np.array([0, 1])),
    (np.ones((3, 3), bool),),
    (np.array(True),),
]
BEFORE: dict[str, Any] = {"axis": 0, "keepdims": False}
REDUCTION = [{"axis": None}, {"axis": (1,)}, {"axis": (0, 1)}]


def options(*many: dict[str, Any]) -> list[Callable[[], dict[str, Any]]]:
    return [lambda one=one: dict(one) for one in many] or [dict]


def reducing(**more: Any) -> list[Callable[[], dict[str, Any]]]:
    kept = [{"keepdims": False}, {"keepdims": True}]
    return options(*[{**a, **k, **more} for a in REDUCTION for k in kept])


PLACES = np.array([[1, 0, 2], [0, 2, 1]])
CLASSES = np.array([0, 2, 1, 1])
SHAPES_OF_MATMUL = [
    ((2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,)), ((5, 2, 3), (3, 4)),
    ((5, 2, 3), (5, 3, 4)), ((2, 3), (5, 3, 4)), ((3,), (5, 3, 4)), ((5, 2, 3), (3,)),
]  # fmt: skip
IMAGES, KERNELS = real(2, 4, 5, 4), real(6, 4, 2, 2)

Case = tuple[list[Draw], list[Callable[[], dict[str, Any]]]]
CASES: dict[str, list[Case]] = {
    **{name: [([real(2, 3)], reducing())] for name in ("sum", "mean", "max", "min")},
    **{name: [([truth(2, 3)], reducing())] for name in ("all", "any", "count_nonzero")},
    **{
        name: [([real(2, 3)], reducing(correction=1.0)), ([real(3)], reducing(correction=0.0)[:2])]
        for name in ("var", "std")
    },
    "norm": [([real(2, 3)], reducing(ord=2.0)), ([real(2, 3)], reducing(ord=3.0))],
    "logsumexp": [([real(2, 3)], reducing())],
    "prod": [([real(2, 3)], reducing()[2:4]), ([real(3)], reducing()[:1])],
    "softmax": [([real(2, 3)], options(*REDUCTION))],
    "log_softmax": [([real(2, 3)], options(*REDUCTION))],
    "peaks": [([whole(2, 2, 3)], options({"axis": (1,)})), ([real(2, 3)], options({"axis": (1,)}))],
    "argmax": [([real(2, 3)], options({**BEFORE, "axis": 1}, {**BEFORE, "axis": None},
                                      {"axis": None, "keepdims": True}))],
    "argmin": [([real(2, 3)], options(BEFORE, {"axis": None, "keepdims": True}))],
    "argsort": [([real(2, 3)], options({"axis": 1, "descending": True}))],
    "searchsorted": [([ordered(4), real(5)], options({"side": "left", "sorter": None}))],
    "choose": [([real(2, 3)], options({"axis": 1, "places": PLACES}))],
    "put": [([real(2, 3)], options({"axis": 1, "places": PLACES, "shape": (2, 4)}))],
    "shift": [([real(2, 3)], options({"axis": 1, "by": 1}, {"axis": 0, "by": -1}))],
    "recurrence": [
        ([real(2, 3), real(2, 3)], options({"axis": 1, "reverse": False})),
        ([real(2, 3), real(2, 3)], options({"axis": 0, "reverse": True})),
    ],
    "cumulative_sum": [([real(2, 3)], options({"axis": 1, "reverse": False}))],
    "cumulative_prod": [([real(2, 3)], options({"axis": 0, "reverse": True}))],
    "sum_to": [([real(4, 2, 3)], options({"shape": (2, 1)}, {"shape": ()}, {"shape": (4, 2, 3)}))],
    "broadcast_to": [([real(2, 1)], options({"shape": (4, 2, 3)})),
                     ([real()], options({"shape": (2,)}))],
    "astype": [([real(3)], options({"dtype": np.dtype("float32")}))],
    "plain": [([real(3)], options({"dtype": np.dtype("int64")}))],
    "reshape": [([real(2, 6)], options({"shape": (3, 4)}, {"shape": (12,)}))],
    "permute_dims": [([real(2, 3, 4)], options({"axes": (2, 0, 1)}))],
    "flip": [([real(2, 3)], options({"axis": (0, 1)}, {"axis": (1,)}))],
    "roll": [([real(2, 3)], options({"axis": (0, 1), "shift": (1, -1)}))],
    "concat": [([real(2, 3), real(1, 3)], options({"axis": 0, "bounds": (0, 2, 3)}))],
    "stack": [([real(2, 3), real(2, 3)], options({"axis": 0}, {"axis": 2}))],
    "split": [([real(2, 3)], options({"axis": 1, "bounds": (0, 1, 3)}))],
    "unstack": [([real(2, 3)], options({"axis": 1}))],
    "index": [([real(3, 3, 3)], options(*[{"key": key} for key in KEYS]))],
    "scatter": [
        ([lambda rng, k=key: rng.normal(size=np.ones((3, 3, 3))[k].shape)],
         options({"key": key, "shape": (3, 3, 3)}))
        for key in KEYS
    ],
    "update": [
        ([real(3, 3, 3), lambda rng, k=key: rng.normal(size=np.ones((3, 3, 3))[k].shape)],
         options({"key": key}))
        for key in KEYS
    ] + [([real(3, 3), real()], options({"key": key})) for key in KEYS[:5]],
    "pick": [([real(5), whole(5, 4)], options()), ([real(2, 5), whole(5, 2, 4)], options()),
             ([real(2, 5), whole(5, 4)], options()), ([real(5), whole(5, 2, 4)], options())],
    "drop": [([real(4), whole(5, 4)], options({"size": 5})),
             ([real(2, 4), whole(5, 4)], options({"size": 5}))],
    "overwrite": [([real(5), real(4), whole(5, 4)], options()),
                  ([real(2, 5), real(4), whole(5, 2, 4)], options())],
    "matmul": [([real(*a), real(*b)], options()) for a, b in SHAPES_OF_MATMUL],
    "affine": [([real(2, 3), real(4, 3), real(4)], options()),
               ([real(3), real(4, 3), real(4)], options())],
    "einsum": [([real(2, 3), real(3, 4)], options({"equation": "ab,bc->ca", "optimize": None})),
               ([real(2, 2), real(3)], options({"equation": "aa,b->b", "optimize": None}))],
    "einsum1": [([real(2, 2)], options({"equation": "aa->a", "optimize": None},
                                       {"equation": "ab->ba", "optimize": None}))],
    **{name: [([definite(3)], options()), ([definite(2, 3)], options())]
       for name in ("inv", "det", "cofactor", "slogdet", "cholesky", "eigh", "eigvalsh")},
    "qr": [([real(4, 3)], options())],
    "svd": [([real(4, 3)], options())],
    "svdvals": [([real(4, 3)], options())],
    "pinv": [([real(4, 3)], options({"rtol": np.asarray(1e-15)}))],
    "solve": [([definite(3), real(3, 2)], options()), ([definite(2, 3), real(3, 2)], options()),
              ([definite(3), real(2, 3, 2)], options())],
    "isclose": [([real(3), real(2, 3)], options({"rtol": 1.0, "atol": 0.1, "equal_nan": False}))],
    "decimals": [([real(3)], options({"decimals": 1}))],
    "nextafter": [([real(3), real(2, 1)], options())],
    **{name: [([real(3)], options())]
       for name in ("isnan", "isinf", "isfinite", "signbit", "unit", "logical_not", "trunc")},
    **{name: [([truth(3), truth(2, 3)], options())]
       for name in ("logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor")},
    **{name: [([whole(4, 3), whole(4, 2, 3)], options())]
       for name in ("bitwise_left_shift", "bitwise_right_shift")},
    "bitwise_invert": [([whole(4, 3)], options())],
    "conv": [([IMAGES, real(6, 4, 2, 2)], options({"how": HOW})),
             ([IMAGES, real(6, 2, 2, 2)], options({"how": GROUPED}))],
    "conv_bias": [([IMAGES, KERNELS, real(6)], options({"how": HOW}))],
    "conv_input": [([real(2, 6, 5, 3), KERNELS], options({"how": HOW, "size": (5, 4)})),
                   ([real(2, 6, 2, 3), real(6, 2, 2, 2)],
                    options({"how": GROUPED, "size": (5, 4)}))],
    "conv_weight": [([IMAGES, real(2, 6, 5, 3)], options({"how": HOW}))],
    "expm": [([real(3, 3)], options())],
    "lu": [([real(3, 3)], options()), ([real(4, 2)], options())],
    "channel_sum": [([IMAGES], options())],
    "channel_spread": [([real(4)], options({"shape": (2, 4, 5, 4)}))],
    "max_pool": [([IMAGES], options({"how": HOW}))],
    "window_sum": [([IMAGES], options({"how": HOW}))],
    "window_spread": [([real(2, 4, 5, 3)], options({"how": HOW, "size": (5, 4)}))],
    "window_pick": [([IMAGES, whole(4, 2, 4, 5, 3)], options({"how": HOW}))],
    "window_put": [([real(2, 4, 5, 3), whole(4, 2, 4, 5, 3)],
                    options({"how": HOW, "size": (5, 4)}))],
    "standardize": [
        ([real(2, 3)], options({"axis": (1,), "eps": 0.1}, {"axis": (0,), "eps": 0.1}))],
    "rescale": [([real(2, 3)], options({"axis": (1,), "eps": 0.1}))],
    "scale_shift": [([real(2, 3), real(3), real(3)], options())],
    "layer": [([real(2, 3), real(3), real(3)],
               options({"axis": (1,), "eps": 0.1, "memo": None}))],
    "standardize_back": [([real(2, 3), real(2, 1), real(2, 1), real(2, 3), positive(2, 1)],
                          options({"axis": (1,), "eps": 0.1, "centred": True}))],
    "lstm": [([real(3, 2, 8), real(2, 2), real(2, 2), real(8, 2)], options({"memo": None})),
             ([real(2, 8), real(2, 2), real(2, 2), real(8, 2)], options({"memo": None}))],
    "attention": [([real(2, 3), real(4, 3), real(4, 2), real(2, 4)], options(
        *[{"causal": causal, "scale": 0.7, "memo": None} for causal in (True, False)]))],
    "attention_back": [([real(2, 2), real(2, 3), real(4, 3), real(4, 2), real(2, 4)], options(
        *[{"causal": causal, "scale": 0.7, "memo": None} for causal in (True, False)]))],
    "surprise": [([real(4, 3)], options(
        {"target": CLASSES, "ignored": None, "memo": None},
        {"target": CLASSES, "ignored": np.array([True, False, False, False]), "memo": None}))],
    "surprise_slope": [([real(4, 3), real(4)],
                        options({"target": CLASSES, "ignored": None, "memo": None}))],
    "class_surprise": [([real(4, 3), whole(3, 4)], options({"ignore": -100, "memo": None}))],
    "class_slope": [([real(4, 3), real(4), whole(3, 4)],
                     options({"ignore": -100, "memo": None}))],
    "logit_surprise": [([real(2, 3), positive(2, 3), positive(3)], options())],
    "logit_slope": [([real(2, 3), positive(2, 3), positive(3), real(2, 3)], options())],
}  # fmt: skip


def fresh(found: dict[str, Any]) -> dict[str, Any]:
    """A memo belongs to one application."""
    return {k: [] if k == "memo" else v for k, v in found.items()}


def test_every_row_has_a_case():
    assert CASES.keys() == PRIMITIVES.keys() - {"part", "to_place"}, (
        "a part of a bundle is never applied to tracers, a move only to arrays of other libraries"
    )


def peaks(x: Any, axis: Any) -> Any:
    """Of extremes only; where each line has one, the row gives their number without axes."""
    y = tensor.max(x, axis, keepdims=True)
    there, count = PRIMITIVES["peaks"](x, y, axis=axis)
    return there, tensor.broadcast_to(count, y.shape)


@pytest.mark.parametrize("name", CASES)
def test_rows_of_arrays(name: str):
    primitive: Any = peaks if name == "peaks" else PRIMITIVES[name]
    for draws, makes in CASES[name]:
        for make in makes:
            check(
                lambda *a, m=make: primitive(*a, **fresh(m())),
                draws,
                name,
                PRIMITIVES[name].differentiable,
            )


# --- public functions -----------------------------------------------------------------------------

t = tensor
FUNCTIONS: dict[str, list[tuple[Callable[..., Any], list[Draw]]]] = {
    **{name: [(getattr(t, name), [real(3), real(2, 3)])] for name in (
        "add", "divide", "divmod", "equal", "floor_divide", "greater", "greater_equal", "less",
        "less_equal", "logical_and", "logical_or", "logical_xor", "multiply", "not_equal",
        "remainder", "subtract", "copysign", "isclose", "nextafter", "broadcast_arrays")},
    **{name: [(getattr(t, name), [truth(3), truth(2, 3)])] for name in (
        "bitwise_and", "bitwise_or", "bitwise_xor")},
    **{name: [(getattr(t, name), [whole(4, 3), whole(4, 2, 3)])] for name in (
        "bitwise_left_shift", "bitwise_right_shift")},
    "bitwise_invert": [(t.bitwise_invert, [whole(4, 3)])],
    **{name: [(getattr(t, name), [real(2, 3)])] for name in (
        "absolute", "isfinite", "isinf", "isnan", "logical_not", "nan_to_num", "negative",
        "positive", "signbit", "trunc", "flatten", "ravel", "matrix_transpose", "transpose",
        "unstack", "flip", "diag", "diagonal", "tril", "triu", "all", "any", "count_nonzero",
        "log_softmax", "logsumexp", "max", "mean", "min", "norm", "prod", "softmax", "std", "sum",
        "var", "argmax", "argmin", "argsort", "sort", "median", "diff", "ones_like", "zeros_like",
        "atleast_1d", "atleast_2d", "expand_dims", "squeeze")},
    "empty_like": [(lambda x: t.empty_like(x) * 0.0 == 0.0, [real(3)])],
    "full_like": [(lambda x: t.full_like(x, 2.0), [real(3)])],
    "astype": [(lambda x: t.astype(x, "float32"), [real(3)]),
               (lambda x: t.astype(x, int) + 0, [real(3)])],
    "meshgrid": [(t.meshgrid, [real(3), real(2)])],
    "broadcast_to": [(lambda x: t.broadcast_to(x, (4, 2, 3)), [real(2, 1)])],
    "moveaxis": [(lambda x: t.moveaxis(x, 0, -1), [real(2, 3, 4)])],
    "permute_dims": [(lambda x: t.permute_dims(x, (2, 0, 1)), [real(2, 3, 4)])],
    "reshape": [(lambda x: t.reshape(x, 3, -1), [real(2, 3, 4)])],
    "swapaxes": [(lambda x: t.swapaxes(x, 0, -1), [real(2, 3, 4)])],
    "concat": [(lambda x, y: t.concat([x, y], -1), [real(2, 3), real(2, 1)])],
    "concatenate": [(lambda x, y: t.concatenate([x, y]), [real(3), real(2)])],
    "stack": [(lambda x, y: t.stack([x, y], -1), [real(3), real(3)]),
              (lambda x, y: t.stack([x, y, 1.0]), [real(), real()])],
    "split": [(lambda x: t.split(x, [1], -1), [real(2, 3)]), (lambda x: t.split(x, 2), [real(2)])],
    "pad": [(lambda x: t.pad(x, ((1, 0), (2, 1))), [real(2, 3)]),
            (lambda x: t.pad(x, 1, mode="edge"), [real(2, 3)])],
    "repeat": [(lambda x: t.repeat(x, 2), [real(2, 3)]),
               (lambda x: t.repeat(x, [1, 2], 0), [real(2, 3)])],
    "roll": [(lambda x: t.roll(x, 1), [real(2, 3)]), (lambda x: t.roll(x, 1, -1), [real(2, 3)])],
    "tile": [(lambda x: t.tile(x, (2, 1, 2)), [real(2, 3)])],
    "embedding": [(t.embedding, [real(5, 2), whole(5, 2, 2)])],
    "gather": [(lambda x, i: t.gather(x, 1, i), [real(3, 4), whole(4, 2, 2)])],
    "one_hot": [(lambda i: t.one_hot(i, 5), [whole(5, 2)])],
    "put_along_axis": [(t.put_along_axis, [real(2, 3), whole(3, 2, 2), real(2, 2)])],
    "scatter": [(lambda x, i, v: t.scatter(x, 1, i, v), [real(3, 4), whole(4, 2, 2), real(2, 3)])],
    "scatter_add": [
        (lambda x, i, v: t.scatter_add(x, 0, i, v), [real(3, 4), whole(3, 2, 2), real(2, 2)])],
    "take": [(lambda x, i: t.take(x, i, 1), [real(3, 4), whole(4, 2, 2)]),
             (t.take, [real(3, 4), whole(12)])],
    "take_along_axis": [(lambda x, i: t.take_along_axis(x, i, 0), [real(3, 4), whole(3, 2, 4)])],
    **{name: [(getattr(t, name), [real(4)]), (partial(getattr(t, name), axis=1), [real(2, 3)])]
       for name in ("cumprod", "cumsum", "cumulative_prod", "cumulative_sum")},
    "quantile": [(lambda x: t.quantile(x, [0.2, 0.7], 1), [real(2, 5)])],
    "searchsorted": [
        (t.searchsorted, [ordered(4), real(5)]),
        (lambda x, s, v: t.searchsorted(x, v, sorter=s),
         [lambda rng: np.array([3.0, 1.0, 2.0]), lambda rng: np.array([1, 2, 0]), real(2)])],
    "topk": [(lambda x: t.topk(x, 2), [real(2, 5)]),
             (lambda x: t.topk(x, 2, 0, largest=False), [real(3, 2)])],
    "cross": [(t.cross, [real(3), real(2, 3)])],
    **{name: [(getattr(t, name), [real(*a), real(*b)]) for a, b in SHAPES_OF_MATMUL[:4]]
       for name in ("dot", "matmul")},
    "einsum": [(lambda a, b: t.einsum("...i,...i->...", a, b), [real(2, 3), real(3)])],
    "inner": [(t.inner, [real(2, 3), real(3)])],
    "kron": [(t.kron, [real(2, 3), real(3)])],
    "outer": [(t.outer, [real(2), real(3)])],
    "tensordot": [(lambda a, b: t.tensordot(a, b, 1), [real(2, 3), real(3, 2)])],
    "vecdot": [(t.vecdot, [real(2, 3), real(3)])],
    "conv1d": [(t.conv1d, [real(2, 4, 5), real(3, 4, 2), real(3)]),
               (lambda x, w: t.conv1d(x, w, stride=2, padding=1), [real(4, 5), real(3, 4, 2)])],
    "conv2d": [(t.conv2d, [real(2, 4, 5, 4), real(2, 4, 2, 2)])],
    "adaptive_avg_pool1d": [(lambda x: t.adaptive_avg_pool1d(x, 2), [real(2, 4, 5)])],
    "adaptive_avg_pool2d": [(lambda x: t.adaptive_avg_pool2d(x, 2), [real(2, 4, 5, 4)])],
    "avg_pool1d": [(lambda x: t.avg_pool1d(x, 2, padding=1), [real(2, 4, 5)])],
    "avg_pool2d": [(lambda x: t.avg_pool2d(x, 2), [real(2, 4, 5, 4)])],
    "max_pool1d": [(lambda x: t.max_pool1d(x, 2), [real(2, 4, 5)])],
    "max_pool2d": [(lambda x: t.max_pool2d(x, 2, 1), [real(2, 4, 5, 4)])],
    "batch_norm": [(lambda x, w, b: t.batch_norm(x, weight=w, bias=b, training=True),
                    [real(4, 3), real(3), real(3)])],
    "layer_norm": [(lambda x, w, b: t.layer_norm(x, (3,), w, b), [real(4, 3), real(3), real(3)])],
    "rms_norm": [(lambda x, w: t.rms_norm(x, (3,), w), [real(4, 3), real(3)])],
}  # fmt: skip

FUNCTIONS |= {
    name: [(case.call, case.draws) for case in cases]
    for name, cases in function_cases.FUNCTIONS.items()
}

DEPENDS_ON_NUMBERS = {"nonzero", "unique", "unique_all", "unique_counts", "unique_inverse"}
DEPENDS_ON_NUMBERS |= {"unique_values", "allclose", "from_numpy", "from_dlpack", "asarray"}
NO_ARRAYS = {"Tensor", "linalg", "random", "arange", "empty", "eye", "full", "linspace", "ones"}
NO_ARRAYS |= {"zeros", "bool", "can_cast", "e", "finfo", "iinfo", "inf", "isdtype", "nan", "pi"}
NO_ARRAYS |= {"newaxis", "result_type", "float16", "float32", "float64", "int8", "int16", "int32"}
NO_ARRAYS |= {"int64", "uint8", "uint16", "uint32", "uint64"} | function_cases.CALLED


def test_every_function_has_a_case():
    assert FUNCTIONS.keys() == set(tensor.__all__) - DEPENDS_ON_NUMBERS - NO_ARRAYS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_tensors(name: str):
    for f, draws in FUNCTIONS[name]:
        check(f, draws, name)


LINALG: dict[str, list[tuple[Callable[..., Any], list[Draw]]]] = {
    **{name: [(getattr(linalg, name), [definite(3)])] for name in (
        "cholesky", "det", "eigh", "eigvalsh", "inv", "slogdet", "matrix_rank", "trace",
        "diagonal", "matrix_norm", "norm", "vector_norm", "svdvals", "matrix_transpose")},
    "qr": [(linalg.qr, [real(4, 3)])],
    "svd": [(lambda x: linalg.svd(x, full_matrices=False), [real(4, 3)])],
    "pinv": [(linalg.pinv, [real(4, 3)])],
    "solve": [(linalg.solve, [definite(3), real(3)]), (linalg.solve, [definite(3), real(3, 2)])],
    "lstsq": [(lambda a, b: linalg.lstsq(a, b)[0], [real(4, 3), real(4)])],
    "matrix_power": [(lambda x: linalg.matrix_power(x, -2), [definite(3)])],
}  # fmt: skip
LINALG |= {
    name: [(case.call, case.draws) for case in cases]
    for name, cases in function_cases.MATRICES.items()
}


def test_every_function_of_linear_algebra_has_a_case():
    assert set(linalg.__all__) - set(FUNCTIONS) == LINALG.keys() - set(FUNCTIONS)


@pytest.mark.parametrize("name", LINALG)
def test_linear_algebra(name: str):
    for f, draws in LINALG[name]:
        check(f, draws, name)


# --- losses and layers ----------------------------------------------------------------------------

F = nn.functional
WEIGHTS = np.array([1.0, 2.0, 0.5])
OPEN = np.array([[True, False], [True, True]])
LAYERS: dict[str, list[tuple[Callable[..., Any], list[Draw]]]] = {
    "cross_entropy": [
        (F.cross_entropy, [real(4, 3), whole(3, 4)]),
        (F.cross_entropy, [real(3), whole(3)]),
        (lambda x, c: F.cross_entropy(x, c, weight=WEIGHTS, ignore_index=1, label_smoothing=0.1),
         [real(4, 3), lambda rng: rng.permutation([0, 1, 2, 2])]),
        (F.cross_entropy, [real(4, 3), positive(4, 3)])],
    "nll_loss": [(F.nll_loss, [real(4, 3), whole(3, 4)]),
                 (lambda x, c: F.nll_loss(x, c, weight=WEIGHTS), [real(4, 3), whole(3, 4)])],
    "binary_cross_entropy": [
        (F.binary_cross_entropy, [lambda rng: rng.uniform(0.1, 0.9, 3), truth(3)])],
    "binary_cross_entropy_with_logits": [
        (F.binary_cross_entropy_with_logits, [real(3), lambda rng: rng.uniform(0.1, 0.9, 3)])],
    **{name: [(getattr(F, name), [real(2, 3), real(2, 3)])]
       for name in ("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss")},
    "kl_div": [(F.kl_div, [real(2, 3), positive(2, 3)])],
    "linear": [(F.linear, [real(2, 3), real(4, 3), real(4)])],
    "normalize": [(F.normalize, [real(2, 3)])],
    "one_hot": [(lambda i: F.one_hot(i, 3), [whole(3, 2)])],
    "embedding": [(lambda i, w: F.embedding(i, w, padding_idx=1), [whole(5, 4), real(5, 2)])],
    "scaled_dot_product_attention": [
        (F.scaled_dot_product_attention, [real(2, 3), real(4, 3), real(4, 2)]),
        (lambda q, m: F.scaled_dot_product_attention(q, q, q, attn_mask=m),
         [real(2, 3), lambda rng: rng.permutation(OPEN)]),
        (lambda q, m: F.scaled_dot_product_attention(q, q, q, attn_mask=m),
         [real(2, 3), real(2, 2)])],
}  # fmt: skip
LAYERS |= layer_cases.FUNCTIONS


def test_every_layer_has_a_case():
    elsewhere = FUNCTIONS.keys() | TABLE.keys() | {"dropout", "logsigmoid"}
    assert LAYERS.keys() - set(FUNCTIONS) == set(F.__all__) - elsewhere


@pytest.mark.parametrize("name", LAYERS)
def test_losses_and_layers(name: str):
    for f, draws in LAYERS[name]:
        check(f, draws, name)


# --- nesting --------------------------------------------------------------------------------------


def waves(x: Any, y: Any) -> Any:
    """A number with mixed derivatives of every order."""
    return tensor.sum(gradwalk.sin(x * y) + x * x * y)


def numbers(*shape: int) -> Any:
    return np.random.default_rng(7).normal(size=shape)


def lines(g: Callable[..., Any]) -> Callable[..., Any]:
    """g of each line of two matrices."""
    return lambda x, y: [g(p, q) for p, q in zip(x, y, strict=True)]


def places(g: Callable[..., Any]) -> Callable[..., Any]:
    """g of each pair of numbers of two matrices."""
    return lines(lines(g))


def slope_of_slope(x: Any, y: Any) -> Any:
    return grad(lambda a, b: tensor.sum(grad(waves, 1)(a, b)))(x, y)


def moved(x: Any, y: Any) -> Any:
    return jvp(waves, (x, y), (y, x))[1]


def turned(x: Any, y: Any) -> Any:
    return gradwalk.sin(x * y) * x[0]


NESTED: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "vmap(vmap)": (vmap(vmap(waves)), places(waves)),
    "vmap(vmap), another order": (
        vmap(vmap(waves, (0, None)), (1, None)),
        lambda x, y: [[waves(x[i, j], y) for i in range(2)] for j in range(3)],
    ),
    "vmap(grad(grad))": (vmap(vmap(slope_of_slope)), places(slope_of_slope)),
    "grad(vmap(grad))": (
        grad(lambda x, y: tensor.sum(vmap(grad(waves))(x, y) ** 2)),
        lines(lambda p, q: grad(lambda a: tensor.sum(grad(waves)(a, q) ** 2))(p)),
    ),
    "vmap(grad(vmap))": (
        vmap(grad(lambda x, y: tensor.sum(vmap(waves)(x, y)))),
        lines(grad(waves)),
    ),
    "vmap(jvp(vmap))": (
        vmap(lambda x, y: jvp(vmap(waves), (x, y), (y, x))[1]),
        places(moved),
    ),
    "vmap(jvp(grad))": (
        vmap(lambda x, y: jvp(grad(waves), (x, y), (y, x))[1]),
        lines(lambda p, q: jvp(grad(waves), (p, q), (q, p))[1]),
    ),
    "jvp(vmap(jvp))": (
        lambda x, y: jvp(vmap(moved), (x, y), (y, x))[1],
        lines(lambda p, q: jvp(moved, (p, q), (q, p))[1]),
    ),
    "vmap(vjp)": (
        vmap(lambda x, y: vjp(waves, x, y)[1](2.0)[1]),
        lines(lambda p, q: vjp(waves, p, q)[1](2.0)[1]),
    ),
    "vmap(jacobian)": (vmap(jacobian(turned)), lines(jacobian(turned))),
    "jacobian(vmap)": (
        jacobian(vmap(waves)),
        lambda x, y: [[grad(lambda a, i=i: waves(a[i], y[i]))(x)] for i in range(2)],
    ),
    "vmap(hessian)": (vmap(hessian(waves)), lines(hessian(waves))),
}


@pytest.mark.parametrize("name", NESTED)
def test_nested(name: str):
    nested, plainly = NESTED[name]
    x, y = numbers(2, 3), numbers(2, 3) + 1.0
    y = y[0] if "another" in name else y
    got, expected = nested(x, y), plainly(x, y)
    expected = np.array(
        [[np.asarray(e) for e in np.atleast_1d(primitive)] for primitive in expected]
    )
    np.testing.assert_allclose(got, expected.reshape(np.shape(got)), rtol=1e-12, atol=1e-13)


def test_the_same_perturbation_does_not_meet_itself():
    """d/dx of x · (the derivative by y of x + y, for each of a batch): the inner one is 1."""
    outer = grad(lambda x: tensor.sum(x * vmap(grad(lambda y: x + y))(np.ones(3))))
    assert outer(2.0) == 3.0


def test_values_and_tensors_of_a_graph_around():
    v, w = Value(2.0), Tensor([1.0, 3.0], requires_grad=True)
    y = vmap(lambda x: tensor.sum(x * v * w))(np.array([1.0, 10.0]))
    y.sum().backward()
    assert v.grad == 44.0
    np.testing.assert_array_equal(w.grad, [22.0, 22.0])


def test_inside_of_no_grad():
    with no_grad():
        got = vmap(grad(lambda x: x**3))(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(got, [3.0, 12.0])


def test_examples_at_a_branch_that_is_masked():
    """Nothing comes through a branch that is not taken, though its slope is infinite."""
    f = vmap(grad(lambda x: where(x > 0.0, gradwalk.sqrt(x), 1.0)))
    np.testing.assert_array_equal(f(np.array([4.0, 0.0, -1.0])), [0.25, 0.0, 0.0])

    def longer(x: Any) -> Any:
        safe = gradwalk.log(gradwalk.sqrt(x[::-1].reshape(2, 1)))
        return tensor.sum(where(x > 0.0, safe.reshape(2)[::-1], 0.0))

    x = np.array([[1.0, 0.0], [0.0, 0.0], [4.0, 1.0]])
    expected = [[0.5, 0.0], [0.0, 0.0], [0.125, 0.5]]
    np.testing.assert_array_equal(vmap(grad(longer))(x), expected)
    np.testing.assert_array_equal(grad(lambda x: vmap(longer)(x).sum())(x), expected)
    ones = np.ones((3, 2))
    moved = vmap(lambda x, v: jvp(longer, (x,), (v,))[1])(x, ones)
    np.testing.assert_array_equal(moved, np.sum(expected, axis=1))
    np.testing.assert_array_equal(jvp(vmap(longer), (x,), (ones,))[1], np.sum(expected, axis=1))


# --- steps that differ from example to example ----------------------------------------------------


def test_assignment():
    def f(x: Any, i: Any, v: Any) -> Any:
        y = x * 1.0
        y[i] = v
        y[x > 1.0] = 0.0
        y[1] += v
        return y

    check(f, [real(3), whole(3), real()], "assignment")

    def into_constants(x: Any, i: Any) -> Any:
        y = tensor.zeros((3, 2))
        y[i] = x
        return y

    check(into_constants, [real(2), whole(3)], "into constants")


@pytest.mark.parametrize(
    "key",
    [
        lambda i, j: (i,),
        lambda i, j: (slice(None), i),
        lambda i, j: (i, slice(None), j),
        lambda i, j: (i, j),
        lambda i, j: (Ellipsis, i, None),
        lambda i, j: (1, slice(0, 2), i),
        lambda i, j: (np.array([True, False, True, True]), i),
        lambda i, j: (i, np.array([[0], [1]]), slice(1, None)),
    ],
)
@pytest.mark.parametrize("shape", [(), (3,)])
def test_keys_of_each_example(key: Any, shape: tuple[int, ...]):
    draws = [real(4, 4, 4), whole(4, *shape), whole(4, *shape)]
    check(lambda x, i, j: x[key(i, j - 4)], draws, "take")
    check(lambda x, i, j: updated(x, key(i, j)), draws, "put")


def updated(x: Any, key: Any) -> Any:
    y = x * 2.0
    y[key] = y[key] * x[0, 0, 0]
    return y


def test_what_is_chosen_by_each_example():
    check(lambda x: x[tensor.argmax(x)], [real(4)], "largest")
    check(lambda x: tensor.sum(tensor.take(x, tensor.argsort(x)[:2])), [real(4)], "smallest")
    check(lambda x: where(x > 0.0, x * x, -x), [real(4)], "branches")
    check(lambda x: gradwalk.clip(x, -0.5, tensor.mean(x) + 1.0), [real(4)], "bounds")
    check(lambda x: tensor.sum(x * x[None].detach()), [real(4)], "detached")


def test_classes_that_are_none_are_an_error():
    x = numbers(2, 3)
    for classes in ([0, 3], [-1, 0]):
        with pytest.raises(KeyRangeError, match="inside the array"):
            vmap(nn.functional.cross_entropy)(x, np.array(classes))


@pytest.mark.parametrize("places", [[0, 4], [-5, 0]])
def test_places_that_are_none_are_an_error(places: list[int]):
    ids = np.array(places)
    with pytest.raises(KeyRangeError, match="inside the array"):
        vmap(lambda x, i: x[i])(numbers(2, 4), ids)
    with pytest.raises(KeyRangeError, match="inside the array"):
        vmap(lambda x, i: x[0, i])(numbers(2, 4, 4), ids)  # where the flat array goes on
    with pytest.raises(KeyRangeError, match="inside the array"):
        vmap(lambda x, i: tensor.put_along_axis(x, i[None], 1.0))(numbers(2, 4), ids)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: 1.0 if x[0] > 0.0 else 0.0,
        lambda x: tensor.zeros(int(x[0])),
        lambda x: x.data,
        lambda x: np.asarray(x),
        lambda x: float(x[0]),
        lambda x: tensor.nonzero(x),
        lambda x: tensor.unique(x),
        lambda x: np.array_equal(x, x),
        lambda x: tensor.roll(x, x[0].astype(int)),
        lambda x: grad(lambda a: tensor.sum(a) if a[0] > 0.0 else tensor.sum(-a))(x),
        lambda x: jvp(lambda a: a if a[0] > 0.0 else -a, (x,), (x,)),
    ],
)
def test_numbers_of_one_example_cannot_be_told(f: Any):
    with pytest.raises(NotANumberError, match=r"inside vmap.*gradwalk.where"):
        vmap(f)(numbers(2, 3))


def test_results_whose_size_differs():
    for f in (lambda x: x[x > 0.0], lambda x: updated(x, (x > 0.0, slice(None)))):
        with pytest.raises(KeyRangeError, match="one size for all examples"):
            vmap(f)(numbers(2, 3, 3))
    with pytest.raises(KeyRangeError, match="one size for all examples"):
        vmap(lambda x: updated_by(x, x > 0.0, np.ones(2)))(numbers(2, 3))


def updated_by(x: Any, key: Any, v: Any) -> Any:
    y = x * 1.0
    y[key] = v
    return y


def test_shapes_are_those_that_the_function_sees():
    seen = []

    def f(x: Any) -> Any:
        y = x[0]
        seen.append((x.shape, x.ndim, x.size, len(x), x.dtype, y.shape, np.shape(x), np.ndim(y)))
        return tensor.result_type(x, np.float32), y

    vmap(lambda x: f(x)[1], -1)(numbers(2, 3, 5).astype(np.float32))
    assert seen == [((2, 3), 2, 6, 2, np.float32, (3,), (2, 3), 1)]
    with pytest.raises(SizeError, match=r"\(3,\) and \(2,\)"):
        vmap(lambda x: x + np.ones(2))(numbers(2, 3))
    with pytest.raises(SizeError, match=r"\(3,\) and \(4, 4\)"):
        vmap(lambda x: tensor.matmul(x, np.ones((4, 4))))(numbers(2, 3))
    for f in (
        lambda x: tensor.matmul(x, np.ones(2)),
        lambda x: nn.functional.linear(x, np.ones((2, 2)), np.ones(2)),
    ):
        with pytest.raises(SizeError):
            vmap(f)(numbers(2))


# --- rows of somebody's own -----------------------------------------------------------------------


def test_a_row_of_which_nothing_is_known():
    def forward(x: Any, by: float) -> Any:
        return np.sort(x * by), np.asarray(np.sum(x))

    own = gradwalk.core.array_primitive.general(
        "own_of_vmap", lambda t, y, x, by: x * 0.0 + t[1], forward=forward, outputs=2
    )
    check(lambda x: own(x, by=2.0), [real(3)], "own")
    single = gradwalk.core.array_primitive.linear(
        "twice_of_vmap", lambda t, y, x: single(t), forward=lambda x: x + x
    )
    check(lambda x: single(x), [real(3)], "twice")
    with pytest.raises(SizeError, match="at least one example"):
        vmap(lambda x: single(x))(np.ones((0, 3)))


def test_all_letters_of_the_alphabet():
    import string

    letters = string.ascii_letters
    shape = (1,) * 26
    y = vmap(
        lambda a, b: PRIMITIVES["einsum"](
            a, b, equation=f"{letters[:26]},{letters[26:]}->{letters[:2]}", optimize=False
        )
    )(np.full((2, *shape), 2.0), np.full((2, *shape), 3.0))
    np.testing.assert_array_equal(y, np.full((2, 1, 1), 6.0))


# --- axes, containers, kinds of number ------------------------------------------------------------


class Pair(NamedTuple):
    a: Any
    b: Any


def test_containers_in_and_out():
    def f(p: Any, k: Any, *, scale: Any) -> Any:
        return {"sum": p["w"].a + p["w"].b[0] + k, "scaled": Pair(p["c"] * scale, None)}

    p = {"w": Pair(numbers(3, 2), [numbers(2)]), "c": numbers(4, 3)}
    axes = ({"w": Pair(0, [None]), "c": 1}, None)
    got = vmap(f, axes, {"sum": -1, "scaled": 0})(p, 5.0, scale=np.arange(3.0))
    expected = [
        f({"w": Pair(p["w"].a[i], p["w"].b), "c": p["c"][:, i]}, 5.0, scale=float(i))
        for i in range(3)
    ]
    np.testing.assert_allclose(got["sum"], np.stack([e["sum"] for e in expected], -1))
    np.testing.assert_allclose(got["scaled"].a, [e["scaled"].a for e in expected])
    assert got["scaled"].b is None
    assert isinstance(got["sum"], np.ndarray)


def test_results_that_are_the_same_for_all():
    x = np.arange(3.0)
    constant, number, mine = vmap(lambda x: (np.ones(2), 7, x), out_axes=(1, None, 0))(x)
    np.testing.assert_array_equal(constant, np.ones((2, 3)))
    constant[0, 0] = 5.0
    assert constant[0, 1] == 1.0, "repeated, but each of its own"
    assert number == 7
    np.testing.assert_array_equal(mine, x)
    assert vmap(lambda x: 1.5)(x).tolist() == [1.5, 1.5, 1.5]
    got = vmap(lambda x, v: v, (0, None))(x, Value(2.0))
    assert got.tolist() == [2.0, 2.0, 2.0]


def test_arguments_are_not_written_into():
    x = numbers(3, 2)
    before = x.copy()

    def f(primitive: Any) -> Any:
        primitive[0] = 0.0
        primitive *= 2.0
        return primitive

    assert vmap(f)(x)[0, 0] == 0.0
    np.testing.assert_array_equal(x, before)
    for same in (
        vmap(lambda primitive: primitive)(x),
        vmap(lambda primitive: primitive[None].T, 1, -1)(x),
    ):
        assert not np.shares_memory(same, x)
        same[...] = 0.0


def test_nothing_is_copied_on_the_way_in():
    x = Tensor(np.zeros((5, 400, 300)))
    seen: list[Any] = []
    vmap(lambda primitive: seen.append(primitive._primal._data) or 0.0, 2)(x)
    assert np.shares_memory(seen[0], x._data)
    assert seen[0].shape == (300, 5, 400)


def test_a_tensor_that_is_handed_through_is_another_one():
    x = Tensor(numbers(3, 2))
    before = x.numpy()
    y = vmap(lambda primitive: primitive)(x)
    y[0] = 7.0
    np.testing.assert_array_equal(x.data, before)


def test_arrays_may_change_after_they_were_used():
    w, x = Tensor([1.0, 2.0], requires_grad=True), numbers(3, 2)
    y = vmap(lambda w, x: tensor.sum(w * x), (None, 0))(w, x)
    expected = x.sum(axis=0)
    x[...] = 0.0
    y.sum().backward()
    np.testing.assert_allclose(w.grad, expected, rtol=1e-14)


def test_kinds_of_number():
    x = numbers(3, 2)
    assert type(vmap(gradwalk.sin)(x)) is np.ndarray
    assert type(vmap(gradwalk.sin)(Tensor(x))) is Tensor
    assert vmap(gradwalk.sin)(x.astype(np.float32)).dtype == np.float32
    assert vmap(lambda i: i + 1)(np.arange(3)).dtype == np.int64
    assert vmap(lambda x: x > 0.0)(x).dtype == np.bool_
    w = Tensor(x, requires_grad=True)
    vmap(tensor.sum)(w).sum().backward()
    np.testing.assert_array_equal(w.grad, np.ones((3, 2)))


def test_no_examples():
    assert vmap(lambda x: tensor.sum(gradwalk.sin(x)))(np.ones((0, 3))).shape == (0,)
    assert vmap(grad(lambda x: tensor.sum(gradwalk.sin(x))))(np.ones((0, 3))).shape == (0, 3)
    assert vmap(lambda x: nn.functional.conv1d(x, np.ones((1, 2, 2))))(
        np.ones((0, 3, 2, 4))
    ).shape == (0, 3, 1, 3)


def test_a_module_whose_parameters_are_batches():
    layer = nn.Linear(3, 2, seed=0)
    x = numbers(5, 3)
    got = vmap(layer)(x)
    np.testing.assert_allclose(got.data, layer(Tensor(x)).data, rtol=1e-14)
    per_example = vmap(grad(lambda m, x: (m(x) ** 2).sum()), (None, 0))(layer, x)
    each = [grad(lambda m, i=i: (m(x[i]) ** 2).sum())(layer) for i in range(5)]
    np.testing.assert_allclose(
        per_example.weight.data, [np.asarray(e.weight.data) for e in each], rtol=1e-12
    )


# --- what is refused ------------------------------------------------------------------------------

X = np.ones((3, 2))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: vmap(gradwalk.sin(1.0)), OptionError, "a function"),
        (lambda: vmap(abs, in_axes=0.5), OptionError, "in_axes"),
        (lambda: vmap(abs, in_axes=True), OptionError, "in_axes"),
        (lambda: vmap(abs, in_axes="0"), OptionError, "in_axes"),
        (lambda: vmap(abs, out_axes=(0, "1")), OptionError, "out_axes"),
        (lambda: vmap(abs, (0, 0))(X), SizeError, "each of the 1 positional"),
        (lambda: vmap(abs, ({"a": 0},))(X), SizeError, "a container like argument 0"),
        (lambda: vmap(abs, None)(X), OptionError, "array to map over"),
        (lambda: vmap(abs)(), OptionError, "array to map over"),
        (lambda: vmap(abs, 2)(X), SizeError, r"argument 0.*shape \(3, 2\)"),
        (lambda: vmap(abs)([1.0, 2.0]), NotANumberError, r"argument 0\[0\].*numpy.array"),
        (lambda: vmap(lambda x, y: x)(X, 1.0), NotANumberError, "argument 1"),
        (lambda: vmap(lambda x, k: x)(X, k=True), NotANumberError, "argument 'k'"),
        (lambda: vmap(abs)(np.ones(())), SizeError, "axis 0 to map over"),
        (lambda: vmap(max)(X, {"b": X.T}), SizeError, r"3 in argument 0, 2 in argument 1\['b'\]"),
        (lambda: vmap(abs, out_axes=2)(X), SizeError, "from -2 to 1"),
        (lambda: vmap(abs, out_axes=(0, 0))(X), SizeError, "a container like the result"),
        (lambda: vmap(abs, out_axes=None)(X), OptionError, "same for all examples"),
        (lambda: vmap(lambda x: "text")(X), NotANumberError, "the result: expected numbers"),
        (lambda: vmap(lambda x: {"a": ["text"]})(X), NotANumberError, "the result: expected"),
    ],
)  # fmt: skip
def test_mistakes(call: Any, error: Any, words: str):
    with pytest.raises(error, match=words):
        call()


def test_texts_beside_numbers_belong_to_the_structure():
    ys, name = vmap(lambda x: (2.0 * x, "text"))(X)
    assert name == "text"
    assert np.array_equal(ys, 2.0 * X)


def test_a_tracer_that_leaks():
    kept: list[Any] = []
    vmap(lambda x: kept.append(x) or x)(X)
    with pytest.raises(gradwalk.errors.LeakedTraceError, match="vmap"):
        _ = kept[0] + 1.0


# --- many seeds at once ---------------------------------------------------------------------------


def test_a_pullback_of_many_seeds():
    x = numbers(4)
    with VJPLevel("test") as tape:
        leaf = tape.leaf(Tensor(x))
        y = gradwalk.sin(leaf) * tensor.sum(leaf)
    rows, none = batched(
        lambda seeds: [tape.gradients([y], seeds).get(leaf._payload), None], [np.eye(4)]
    )
    expected = jacobian(lambda x: gradwalk.sin(x) * tensor.sum(x))(x)
    np.testing.assert_allclose(rows.data, expected, rtol=1e-13)
    assert none is None


def test_what_varies():
    with VmapLevel(2) as batch, VJPLevel("test") as tape:
        x = batch.box(np.ones((2, 3)), None)
        assert varies(x)
        assert varies(tape.leaf(x))
        assert not varies(tape.leaf(np.ones(2)))
        assert not varies(1.0)
        assert repr(x).startswith("<vmap tracer of")


def test_what_an_example_does_not_pick_contributes_nothing():
    x, ids = np.array([[0.0, 2.0], [4.0, 0.0]]), np.array([1, 0])
    expected = [[0.0, 0.5], [0.25, 0.0]]

    def picked(x: Any, i: Any) -> Any:
        return gradwalk.log(x)[i]

    def replaced(x: Any, i: Any) -> Any:
        y = gradwalk.log(x)
        y[1 - i] = 3.0
        return tensor.sum(y)

    for f in (picked, replaced):
        np.testing.assert_array_equal(vmap(grad(f))(x, ids), expected)
        outer = grad(lambda x, f=f: tensor.sum(vmap(f)(x, ids)))
        np.testing.assert_array_equal(outer(x), expected)


def test_second_derivatives_of_what_is_picked():
    x, ids = numbers(2, 3), np.array([2, 0])

    def f(x: Any, i: Any) -> Any:
        y = x * x
        y[i] = x[i] ** 3 * x[0]
        return tensor.sum(y * x[i])

    got = vmap(hessian(f))(x, ids)
    expected = [hessian(f)(primitive, int(i)) for primitive, i in zip(x, ids, strict=True)]
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_a_table_is_searched_for_values_of_any_shape() -> None:
    """The places of values that are mapped have the shape of the values, not that of the table."""
    table = np.array([1.0, 2.0, 3.0])
    for values in (np.array([0.5, 2.5]), np.full((2, 3), 1.5), np.full((2, 3, 2), 2.5)):
        places = vmap(lambda v: gradwalk.searchsorted(table, v))(values)
        np.testing.assert_array_equal(places, np.searchsorted(table, values), strict=True)


@pytest.mark.parametrize("wrapped", [lambda m: m, lambda m: [m, 1.0], lambda m: {"m": m}])
def test_a_module_that_is_not_mapped_keeps_its_gradients(wrapped: Any) -> None:
    model, xs = nn.Linear(2, 1, seed=0), np.arange(6.0).reshape(3, 2)

    def applied(p: Any, x: Any) -> Any:
        found = p["m"] if isinstance(p, dict) else p[0] if isinstance(p, list) else p
        return found(x)[0]

    vmap(applied, in_axes=(None, 0))(wrapped(model), xs).sum().backward()
    np.testing.assert_array_equal(model.weight.grad.numpy(), xs.sum(0, keepdims=True))
    np.testing.assert_array_equal(model.bias.grad.numpy(), [3.0])
