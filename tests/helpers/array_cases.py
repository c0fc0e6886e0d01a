"""Arguments and options for every primitive on arrays: the cases of the formulas of elements."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from gradwalk.ops.array import TABLE as ARRAYS
from gradwalk.ops.array.windows import Windows

__all__ = [
    "ARRAYS",
    "CASES",
    "EVERY",
    "LOW",
    "REFUSED",
    "SMOOTH",
    "SPREAD",
    "STACK",
    "Case",
    "results",
    "weights",
]


class Case(NamedTuple):
    """Arrays and options of a primitive."""

    args: tuple[Any, ...]
    options: dict[str, Any] = {}  # noqa: RUF012  (never written to)


def drawn(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


V, W, C, D, T = drawn(4), drawn(3, seed=1), drawn(2, 3), drawn(3, 4), drawn(2, 3, 2)
TIES = np.array([[1.0, 3.0, 3.0, -1.0], [2.0, 2.0, 2.0, 2.0], [0.0, 0.5, -5.0, -5.0]])
S2, S3 = drawn(2, 2), drawn(3, 3)
STACK = drawn(2, 3, 3, seed=1)
SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])
NULL = np.array([[0.0, 1.0], [0.0, 0.0]])
LOW = S3 @ S3.T + np.eye(3)
LOW = (LOW + LOW.T) / 2.0
AXES: list[Any] = [None, (0,), (1,), (0, 2)]
PLAIN = Windows((2,), (1,), ((0, 0),), (1,))
WINDOWS = [PLAIN, Windows((3,), (2,), ((1, 1),), (1,)), Windows((2,), (1,), ((1, 0),), (2,))]
PAIRS = Windows((2, 2), (1, 1), ((1, 1), (0, 0)), (1, 1), 2)
X1, X2 = drawn(2, 2, 5), drawn(1, 4, 3, 3)
SPREAD = np.stack([C, C[::-1] * 2.0]) + 3.0 * np.eye(2, 3)


def reductions(*more: dict[str, Any], axes: Any = AXES, x: Any = T) -> list[Case]:
    return [
        Case((x,), {"axis": axis, "keepdims": k, **options})
        for axis in axes
        for k in (False, True)
        for options in more or ({},)
    ]


def windows(*args: Any, **options: Any) -> list[Case]:
    """Return a case for each kind of window; arguments are arrays, or functions of the window."""
    return [
        Case(tuple(a(how) if callable(a) else a for a in args), {"how": how, **options})
        for how in WINDOWS
    ]


def seeds(how: Windows) -> Any:
    return drawn(2, 3, *how.lengths((5,)))


def index(how: Windows) -> Any:
    return ARRAYS["max_pool"].forward(X1, how=how)[1]


ROWS = [Case((TIES,), {"axis": (1,)}), Case((T,), {"axis": (0, 2)}), Case((V,), {"axis": None})]
CASES: dict[str, list[Case]] = {
    # --- moves ---
    "reshape": [Case((C,), {"shape": (3, 2)}), Case((drawn(),), {"shape": (1, 1)})],
    "permute_dims": [Case((T,), {"axes": (2, 0, 1)})],
    "flip": [Case((T,), {"axis": (0, 2)})],
    "roll": [Case((C,), {"shift": (1,), "axis": (1,)})],
    "broadcast_to": [Case((W,), {"shape": (2, 3)}), Case((drawn(),), {"shape": (2,)})],
    "concat": [Case((C, C[:, :1], C), {"axis": 1, "bounds": (0, 3, 4, 7)})],
    "stack": [Case((C, 2.0 * C), {"axis": axis}) for axis in (0, 2)],
    "split": [Case((C,), {"axis": 1, "bounds": (0, 1, 3)})],
    "unstack": [Case((C,), {"axis": axis}) for axis in (0, 1)],
    "index": [Case((T,), {"key": key}) for key in (
        (1,), (slice(None, None, -1), 0), (None, ..., 1), (np.array([1, 1, 0]),),
        (np.array([0, 1]), np.array([2, 0])), (T > 0.0,), (1, 2, 0))],
    "scatter": [Case((W,), {"key": (np.array([2, 0, 2]),), "shape": (4,)}),
                Case((C,), {"key": (slice(1, 3),), "shape": (4, 3)})],
    "update": [Case((D, W[:, None]), {"key": (slice(None), slice(1, 3))}),
               Case((V, W), {"key": (np.array([0, 1, 0]),)}), Case((V, drawn()), {"key": (2,)})],
    "choose": [Case((D,), {"places": np.argsort(D, 1)[:, :2], "axis": 1})],
    "put": [Case((C,), {"places": np.array([[2, 0, 3], [1, 0, 2]]), "axis": 1, "shape": (2, 4)})],
    "pick": [Case((D, np.array([[3, 3], [0, 1], [2, 2]]))), Case((V, np.array([[1, 1], [0, 3]])))],
    "drop": [Case((C, np.array([[0, 0, 2], [4, 3, 4]])), {"size": 5})],
    "overwrite": [Case((D, C.T, np.array([[1, 0], [2, 2], [3, 1]])))],
    "shift": [Case((C,), {"axis": axis, "by": by}) for axis in (0, 1) for by in (1, -1)],
    "channel_spread": [Case((W,), {"shape": (2, 3, 2)})],
    "astype": [Case((C,), {"dtype": np.float64})],
    "to_place": [Case((C,), {"place": np.asarray, "back": np.asarray})],
    # --- reductions ---
    "sum": [*reductions(), Case((np.zeros((0, 2)),), {"axis": (0,), "keepdims": False})],
    "sum_to": [Case((T,), {"shape": shape}) for shape in ((2,), (1, 3, 1), (3, 2), ())],
    "mean": reductions(),
    "var": reductions({"correction": 0.0}, {"correction": 1.0}),
    "std": [*reductions({"correction": 0.0}, {"correction": 1.0}),
            *reductions({"correction": 0.0}, axes=[(1,)], x=TIES)],
    "prod": [*reductions(axes=[(0,), (1,)]), *reductions(axes=[(1,)], x=TIES)],
    "max": [*reductions(), *reductions(axes=[None, (0,), (1,)], x=TIES)],
    "min": [*reductions(), *reductions(axes=[None, (0,), (1,)], x=TIES)],
    "peaks": [Case((TIES, TIES.max(1, keepdims=True)), {"axis": (1,)})],
    "norm": [*reductions(*({"ord": p} for p in (2.0, 3.0, 2.5, 0.5, -1.0))),
             *reductions(*({"ord": p} for p in (2.0, 3.0, 0.5)), axes=[(1,)], x=np.zeros((2, 3)))],
    "softmax": ROWS, "log_softmax": ROWS,
    "logsumexp": [*reductions(), *reductions(axes=[(1,)], x=30.0 * TIES)],
    "cumulative_sum": [Case((T,), {"axis": a, "reverse": r}) for a in (0, 1) for r in (0, 1)],
    "cumulative_prod": [Case((T,), {"axis": a, "reverse": r}) for a in (0, 1) for r in (0, 1)],
    "recurrence": [Case((C, 2.0 * C), {"axis": a, "reverse": r}) for a in (0, 1) for r in (0, 1)],
    # --- losses ---
    "surprise": [Case((D,), {"target": np.array([3, 0, 1]), "ignored": ignored, "memo": []})
                 for ignored in (None, np.array([True, False, False]))],
    "surprise_slope": [
        Case((D, W), {"target": np.array([3, 0, 1]), "ignored": ignored, "memo": []})
        for ignored in (None, np.array([True, False, False]))],
    "class_surprise": [Case((D, np.array([3, -9, 1])), {"ignore": -9, "memo": []})],
    "class_slope": [Case((D, W, np.array([3, -9, 1])), {"ignore": -9, "memo": []})],
    "logit_surprise": [Case((V, np.array([0.0, 1.0, 0.3, 1.0]), np.array([2.0])))],
    "logit_slope": [Case((V, np.array([0.0, 1.0, 0.3, 1.0]), np.array([2.0]), V + 1.0))],
    # --- normalisation ---
    "standardize": [Case((T,), {"axis": axis, "eps": 1e-5}) for axis in ((0, 2), (1, 2))],
    "rescale": [Case((T,), {"axis": axis, "eps": 1e-5}) for axis in ((0, 2), (1, 2))],
    "scale_shift": [Case((C, W, W + 1.0))],
    "layer": [Case((C, W, W + 1.0), {"axis": (1,), "eps": 1e-5, "memo": []})],
    "standardize_back": [
        Case((C, C[:, :1], C[:, 1:2], C + 1.0, C[:, :1] ** 2 + 1.0),
             {"axis": (1,), "eps": 1e-5, "centred": centred}) for centred in (True, False)],
    # --- products ---
    "matmul": [Case(pair) for pair in ((W, W), (C, W), (W, D), (C, D), (T, drawn(2, 4)),
                                       (STACK, drawn(3, 2)), (STACK[:, None], STACK), (T, drawn(2)),
                                       (W, STACK))],
    "affine": [Case((C, drawn(4, 3), V)), Case((STACK, drawn(2, 3), drawn(2)))],
    "lstm": [Case((drawn(*lead, 2, 8), drawn(2, 2), drawn(2, 2), drawn(8, 2)), {"memo": []})
             for lead in ((3,), ())],
    "attention": [
        Case((STACK, STACK + 1.0, STACK - W[:1], m), {"causal": causal, "scale": 0.7, "memo": []})
        for m, causal in ((0.0, True), (0.0, False), (drawn(3, 3), True))],
    "attention_back": [
        Case((STACK * 2.0, STACK, STACK + 1.0, STACK - W[:1], m),
             {"causal": causal, "scale": 0.7, "memo": []})
        for m, causal in ((0.0, True), (drawn(3, 3), False))],
    "einsum": [Case(args, {"equation": e, "optimize": None}) for e, args in (
        ("ij,jk->ki", (C, D)), ("ij,jk,k->", (C, D, V)), ("ii,ij->j", (S3, D)),
        ("ij,kj->ik", (C, W[None])), ("i,j->ij", (W, V)), (",i->i", (drawn(), W)))],
    "einsum1": [Case((x,), {"equation": e, "optimize": None}) for e, x in (
        ("ii->i", S3), ("ijk->kj", T), ("ij->", C), ("iij->j", STACK.transpose(1, 2, 0)))],
    # --- windows ---
    "conv": [*windows(X1, lambda how: drawn(3, 2, *how.kernel)),
             Case((X2, drawn(2, 2, 2, 2)), {"how": PAIRS})],
    "conv_bias": [Case((X2, drawn(2, 2, 2, 2), drawn(2)), {"how": PAIRS})],
    "conv_input": [*windows(seeds, lambda how: drawn(3, 2, *how.kernel), size=(5,)),
                   Case((drawn(1, 2, 4, 2), drawn(2, 2, 2, 2)), {"how": PAIRS, "size": (3, 3)})],
    "conv_weight": [*windows(X1, seeds), Case((X2, drawn(1, 2, 4, 2)), {"how": PAIRS})],
    "channel_sum": [Case((T,)), Case((C,))],
    "max_pool": windows(X1), "window_sum": windows(X1),
    "window_spread": windows(lambda how: drawn(2, 2, *how.lengths((5,))), size=(5,)),
    "window_pick": windows(X1, index),
    "window_put": windows(lambda how: drawn(2, 2, *how.lengths((5,))), index, size=(5,)),
    # --- matrices ---
    "det": [*map(Case, ((S2,), (S3,), (STACK,), (drawn(5, 5),), (SINGULAR,), (NULL,),
                        (np.zeros((3, 3)),), (drawn(1, 1),)))],
    "cofactor": [Case((S3,)), Case((STACK,)), Case((SINGULAR,))],
    "slogdet": [Case((S2,)), Case((S3,)), Case((STACK,))],
    "inv": [Case((S3,)), Case((STACK,)), Case((np.array([[0.0, 1.0], [2.0, 0.0]]),))],
    "solve": [Case((S3, drawn(3, 2))), Case((STACK, drawn(3, 1))),
              Case((np.array([[0.0, 1.0], [2.0, 0.0]]), S2))],
    "cholesky": [Case((LOW,)), Case((np.stack([LOW, LOW + np.eye(3)]),))],
    "lu": [Case((S3,)), Case((STACK,)), Case((D,)), Case((D.T,))],
    # --- questions ---
    **{name: [Case((TIES,), {"axis": a, "keepdims": k}) for a in (0, 1) for k in (False, True)]
       for name in ("argmax", "argmin")},
    **{name: reductions(axes=[None, (1,)], x=np.where(TIES == 2.0, 0.0, TIES))
       for name in ("all", "any", "count_nonzero")},
    "argsort": [Case((TIES,), {"axis": a, "descending": d}) for a in (0, 1) for d in (False, True)],
    "searchsorted": [Case((np.sort(V), TIES), {"side": side, "sorter": None})
                     for side in ("left", "right")],
    **{name: [Case((np.array([0.0, -0.0, 1.5, -2.5, inf, -inf]),))]
       for name in ("isinf", "isfinite", "isnan", "trunc", "logical_not")},
    "plain": [Case((10.0 * V,), {"dtype": kind}) for kind in (float, int, bool)],
    "logical_xor": [Case((np.array([0.0, 1.0, 0.0]), np.array([0.0, 3.0, 1.0])))],
    "isclose": [Case((V, V * (1.0 + np.array([0.0, 1e-7, 1e-3, -1e-6]))))],
    "decimals": [Case((10.0 * V,), {"decimals": n}) for n in (2, 0, -1)],
}  # fmt: skip
REFUSED = [
    *("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert", "bitwise_left_shift"),
    *("bitwise_right_shift", "eigh", "eigvalsh", "expm", "nextafter", "pinv", "qr"),
    *("signbit", "svd", "svdvals", "unit"),
]
EVERY = [(name, k) for name, cases in CASES.items() for k in range(len(cases))]
SMOOTH = [(name, k) for name, k in EVERY if any(ARRAYS[name].rules) and name != "to_place"]


def results(y: Any) -> list[Any]:
    """Return the results of a primitive; where an extreme of a window is, no formula says."""
    return [part for part in (y if type(y) is tuple else (y,)) if part is not None]


def weights(shape: tuple[int, ...], k: int) -> Any:
    """Return numbers that are all different, for the result number k."""
    return np.linspace(0.5, 1.5 + k, int(np.prod(shape))).reshape(shape)
