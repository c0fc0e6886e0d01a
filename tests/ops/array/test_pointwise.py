"""The column of arrays: every pointwise row on Tensors against the same row on numbers.

The scalar engine is held to 60 digits by `test_rows`; here it is the reference. NumPy's own loops
may differ from C's functions by up to 4 ulp where the processor has wide vectors, and a formula
made of several functions feels the sum of that: `FORMULA`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import gradwalk
from gradwalk import Tensor, Value, gradients
from gradwalk.core.primitive import Primitive
from gradwalk.ops import TABLE
from gradwalk.ops.array import evaluation as arrays
from gradwalk.ops.array.structural_zero import StructuralZero
from gradwalk.ops.array.structure import astype, broadcast_to, reshape
from gradwalk.ops.array.vectors import vector_function
from gradwalk.tensor.graph import backward as sweeps

from ...helpers.arguments import CANCELS, Args, arguments, exactly, moderate, slopes
from ...helpers.array_checks import check
from ..test_points import KINKS, VALUES
from ..test_primitives import CURVED, RULES

COUNT = 300
SMOOTH = [name for name, primitive in TABLE.items() if primitive.differentiable]
NUMPYS_OWN, FORMULA = 4.0, 32.0


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Poles and overflows are among the arguments; NumPy's warnings of them are not the subject."""
    with np.errstate(all="ignore"):
        yield


def columns(points: list[Args]) -> list[Any]:
    return [np.array(column) for column in zip(*points, strict=True)]


def ulps(got: Any, expected: Any, terms: Any = 0.0) -> Any:
    """The distance of numbers from others, in ulp of these (or of larger terms)."""
    assert got.dtype == expected.dtype
    alike = (got == expected) | (np.isnan(got) & np.isnan(expected))
    wide = abs(got.astype(float) - expected.astype(float))
    unit = np.spacing(np.maximum(abs(expected), terms).astype(expected.dtype)).astype(float)
    return np.where(alike, 0.0, np.where(np.isfinite(wide), wide / unit, inf))


def terms(name: str, index: int | None, points: list[Args]) -> Any:
    """Where a formula cancels, what its rounding is relative to."""
    term = CANCELS.get((name, index))
    if term is None:
        return 0.0
    return np.array([abs(float(exactly(term, args))) for args in points])


def swept(primitive: Primitive, args: list[Any], seed: Any = None) -> list[Any]:
    """The gradients of all arguments by a sweep backwards.

    `backward`, which may be compiled, and a sweep forwards have to say the very same.
    """
    leaves = [Tensor(a, requires_grad=True) for a in args]
    y = primitive(*leaves)
    seed = np.ones(y.shape, y.dtype) if seed is None else seed
    found = sweeps.gradients(y, leaves, seed, create_graph=False)
    y.backward(seed, retain_graph=True)
    for leaf, gradient in zip(leaves, found, strict=True):
        stored = np.zeros(leaf.shape, leaf.dtype) if leaf.grad is None else leaf.grad
        np.testing.assert_array_equal(stored, gradient)
        if leaf.shape == y.shape:  # the Jacobian is diagonal
            pushed = sweeps.tangent(y, {leaf: seed})
            np.testing.assert_array_equal(pushed, gradient)
    return found


def expected_slopes(primitive: Primitive, points: list[Args]) -> list[Any]:
    """What the scalar rules say; no contribution is 0 in an array."""
    return columns(
        [tuple(s or 0.0 if s == s else nan for s in slopes(primitive, p)) for p in points]
    )


# --- values and slopes ------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLE)
def test_values_are_those_of_the_scalar_engine(name: str):
    primitive, points = TABLE[name], list(arguments(name, COUNT))
    got, expected = primitive(*columns(points)), np.array([primitive(*args) for args in points])
    bound = NUMPYS_OWN if name in arrays.UFUNCS else FORMULA
    assert ulps(got, expected, terms(name, None, points)).max() <= bound
    np.testing.assert_array_equal(primitive(*map(Tensor, columns(points))).data, got)


def slope_faults(name: str, primitive: Primitive, count: int) -> set[int]:
    """The arguments whose slopes on arrays are not those of the scalar row ``name``."""
    points = list(arguments(name, count))
    found, expected = swept(primitive, columns(points)), expected_slopes(TABLE[name], points)
    return {
        i
        for i, (got, slope) in enumerate(zip(found, expected, strict=True))
        if ulps(got, slope, terms(name, i, points)).max() > FORMULA
    }


@pytest.mark.parametrize("name", SMOOTH)
def test_slopes_are_those_of_the_scalar_rules(name: str):
    assert slope_faults(name, TABLE[name], COUNT) == set()


@pytest.mark.parametrize("name", SMOOTH)
def test_a_seed_of_its_own_for_every_number(name: str):
    primitive, points = TABLE[name], list(moderate(name, 12))
    seeds = np.array([(-2.0, 0.3, 1.5)[i % 3] for i in range(len(points))])
    found = swept(primitive, columns(points), seeds)
    for i, (args, seed) in enumerate(zip(points, seeds.tolist(), strict=True)):
        for got, slope in zip(found, slopes(primitive, args, seed), strict=True):
            assert got[i] == pytest.approx(slope or 0.0, rel=1e-14)


# --- second order -----------------------------------------------------------------------------


def second_orders(primitive: Primitive, points: list[Args]) -> Iterator[tuple[int, int, Any, Any]]:
    """The second derivatives of a row, forward over reverse and reverse over reverse."""
    leaves = [Tensor(column, requires_grad=True) for column in columns(points)]
    ones = np.ones(len(points))
    first = sweeps.gradients(primitive(*leaves), leaves, ones, create_graph=True)
    for i, gradient in enumerate(first):
        for j, leaf in enumerate(leaves):
            pushed = sweeps.tangent(gradient, {leaf: ones})
            if gradient.requires_grad:
                yield i, j, sweeps.gradients(gradient, [leaf], ones, create_graph=False)[0], pushed
            else:
                yield i, j, np.zeros(len(points)), pushed


def second_order_faults(name: str, primitive: Primitive, count: int) -> set[int]:
    """The arguments whose slope on arrays, differentiated, is not that of the scalar engine."""
    points = list(moderate(name, count))
    faults = set()
    for i, j, got, pushed in second_orders(primitive, points):
        expected = [_scalar_second_order(TABLE[name], args, i, j) for args in points]
        right = np.allclose(got, expected, rtol=1e-11, atol=1e-14)
        if not right or not np.allclose(pushed, got, rtol=1e-11, atol=1e-14):
            faults.add(i)
    return faults


def _scalar_second_order(primitive: Primitive, args: Args, i: int, j: int) -> float:
    values = [Value(x) for x in args]
    first = gradients(primitive(*values), values[i], create_graph=True)
    return gradients(first, values[j])  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", SMOOTH)
def test_second_order_is_that_of_the_scalar_engine(name: str):
    assert second_order_faults(name, TABLE[name], 12) == set()


def is_smooth_around(primitive: Primitive, args: Args) -> bool:
    """Whether differences can be taken: no kink, tie or end of the domain is close."""
    inside = all(
        low + 0.1 < x < high - 0.1 for x, (low, high) in zip(args, primitive.domain, strict=True)
    )
    apart = min((abs(a - b) for a, b in combinations(args, 2)), default=1.0) > 0.1
    quotient = args[0] / args[-1]
    return (
        inside
        and apart
        and max(map(abs, args)) < 5.0
        and min(map(abs, args)) > 0.1
        and (primitive.arity != 2 or abs(quotient - round(quotient)) > 0.05)
    )


@pytest.mark.parametrize("name", SMOOTH)
def test_all_modes_against_differences(name: str):
    primitive = TABLE[name]
    points = [args for args in moderate(name, 1000) if is_smooth_around(primitive, args)][:4]
    check(primitive, *columns(points), wrt=[i for i, rule in enumerate(primitive.rules) if rule])


# --- precision --------------------------------------------------------------------------------


def narrow_and_wide(name: str, dtype: Any) -> tuple[list[Any], list[Any]]:
    narrow = [column.astype(dtype) for column in columns(list(arguments(name, COUNT)))]
    return narrow, [column.astype(np.float64) for column in narrow]


TRUTHS = ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]
TRUTHS += ["logical_and", "logical_or"]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("name", TRUTHS)
def test_narrow_numbers_are_compared_as_wide_ones(name: str, dtype: Any):
    narrow, wide = narrow_and_wide(name, dtype)
    got = TABLE[name](*narrow)
    assert got.dtype == bool
    np.testing.assert_array_equal(got, TABLE[name](*wide))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("name", [name for name in TABLE if name not in TRUTHS])
def test_narrow_numbers_are_as_right_as_they_can_be(name: str, dtype: Any):
    """Within 4 of their own ulp of what float64 gives for the same arguments."""
    primitive = TABLE[name]
    narrow, wide = narrow_and_wide(name, dtype)
    got, expected = primitive(*narrow), primitive(*wide)
    assert ulps(got, expected.astype(dtype)).max() <= 4.0
    normal = abs(expected) >= np.finfo(dtype).tiny  # a slope may need digits that y has lost
    pairs = (
        zip(swept(primitive, narrow), swept(primitive, wide), strict=True)
        if primitive.differentiable
        else ()
    )
    for slope, right in pairs:
        assert ulps(slope, right.astype(dtype))[normal].max() <= 4.0


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("shape", [(1,), ()])
def test_python_numbers_are_weak(name: str, shape: tuple[int, ...]):
    primitive = TABLE[name]
    ranges = zip((0.5, 1.5, 2.5), primitive.domain, strict=False)
    args = tuple(x if low < x < high else low + x for x, (low, high) in ranges)
    for place, number in enumerate(args):
        if (name, place) == ("where", 0):
            continue  # two Python numbers under a condition are float64
        mixed: list[Any] = list(args)
        mixed[place] = Tensor(np.full(shape, number), dtype="float32", requires_grad=True)
        ints = [a if isinstance(a, Tensor) else 1 for a in mixed]
        assert primitive(*ints).dtype in (np.float32, bool)
        y = primitive(*mixed)
        assert y.dtype in (np.float32, bool)
        if primitive.rules[place] is not None:
            (gradient,) = sweeps.gradients(y, [mixed[place]], None, create_graph=False)
            assert gradient.dtype == np.float32
            slope = slopes(primitive, args)[place] or 0.0
            assert gradient.item() == pytest.approx(slope, rel=1e-5, nan_ok=True)


# --- shapes -----------------------------------------------------------------------------------


SHAPES = [
    [(3, 1), (4,), ()],
    [(), (2, 3), (2, 1)],
    [(2, 1, 2), (3, 1), (1, 2)],
    [(0, 1), (4,), (1, 1)],
    [(2, 0), (1,), (2, 1)],
    [(0,), (), (1,)],
    [(), (), ()],
    [(1,), (1, 1), ()],
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("name", TABLE)
def test_broadcast_empty_and_zero_dimensional(name: str, shapes: list[tuple[int, ...]]):
    primitive = TABLE[name]
    shapes = shapes[: primitive.arity]
    drawn = list(moderate(name, 12)) if name in SMOOTH else [(float(i - 3),) * 2 for i in range(12)]
    pools = columns([args[: primitive.arity] for args in drawn])
    args = [np.resize(p, math.prod(s)).reshape(s) for p, s in zip(pools, shapes, strict=True)]
    full = np.broadcast_arrays(*args)
    numbers = [tuple(float(a.flat[k]) for a in full) for k in range(full[0].size)]
    y = primitive(*[Tensor(a, requires_grad=True) for a in args])
    expected = np.array([primitive(*p) for p in numbers]).reshape(full[0].shape)
    assert y.shape == full[0].shape == primitive(*args).shape
    np.testing.assert_allclose(y.data, expected, rtol=1e-13, atol=1e-15)
    if primitive.differentiable:
        scalar = [slopes(primitive, p) for p in numbers]
        for k, (got, a) in enumerate(zip(swept(primitive, args), args, strict=True)):
            each = np.array([s[k] or 0.0 for s in scalar]).reshape(y.shape)
            assert got.shape == a.shape
            summed = each.sum(axis=tuple(range(each.ndim - a.ndim)))
            narrow = tuple(i for i, n in enumerate(a.shape) if n == 1)
            summed = summed.sum(axis=narrow, keepdims=True)
            np.testing.assert_allclose(got, summed, rtol=1e-12, atol=1e-13)


def layouts(packed: list[Any]) -> Iterator[list[Any]]:
    """The same arrays, strided, in Fortran's order, and with negative strides."""
    yield [np.repeat(c, 2, axis=1)[:, ::2] for c in packed]
    yield [np.asfortranarray(c) for c in packed]
    yield [c[::-1, ::-1].copy()[::-1, ::-1] for c in packed]


@pytest.mark.parametrize("name", TABLE)
def test_layout_in_memory_does_not_matter(name: str):
    """On a layout the bits are NumPy's there; between layouts a few last places may differ.

    NumPy's vector loops (X86_V4) compute other last bits than the C library, which it calls for
    negative strides. A Tensor copies its data, and the copy has strides of its own. Vector kernels
    give the same bits on all layouts.
    """
    primitive, f = TABLE[name], arrays.UFUNCS.get(name)
    own = primitive.kind == "pointwise" and vector_function(primitive) is not None
    packed = [c[:24].reshape(4, 6) for c in columns(list(arguments(name, 24)))]
    expected = primitive(*packed)
    for other in layouts(packed):
        assert not all(c.flags.c_contiguous for c in other)
        tensors = [Tensor(c) for c in other]
        copies = [t.data for t in tensors]
        on_tensors, on_arrays = primitive(*tensors).data, primitive(*other)
        np.testing.assert_array_equal(on_tensors, primitive(*copies))
        if own:
            np.testing.assert_array_equal(on_tensors, expected)
            np.testing.assert_array_equal(on_arrays, expected)
        elif isinstance(f, np.ufunc):
            np.testing.assert_array_equal(on_tensors, f(*copies))
            np.testing.assert_array_equal(on_arrays, f(*other))
        for got in (on_tensors, on_arrays):
            assert ulps(got.astype(float), expected.astype(float)).max() <= 8.0


# --- special points ---------------------------------------------------------------------------


def special(name: str) -> list[Args]:
    """Kinks, ties, poles, infinities, NaN and signed zeros, in every place."""
    primitive = TABLE[name]
    points = [*primitive.points, *(args for n, args, _ in [*KINKS, *VALUES] if n == name)]
    usual = next(iter(moderate(name, 1))) if name in SMOOTH else (2.0,) * primitive.arity
    for i in range(primitive.arity):
        points += [(*usual[:i], x, *usual[i + 1 :]) for x in (nan, inf, -inf, 0.0, -0.0, 1.0)]
    points += [(x,) * primitive.arity for x in (0.0, -0.0, 1.0, -1.0, inf, -inf, nan)]
    return points


@pytest.mark.parametrize("name", TABLE)
def test_special_points_have_the_same_values(name: str):
    primitive, points = TABLE[name], special(name)
    got = primitive(*columns(points)).astype(float)
    expected = np.array([primitive(*args) for args in points]).astype(float)
    assert ulps(got, expected).max() <= FORMULA
    signs = np.signbit(got) == np.signbit(expected)
    if name != "sign":  # the sign of -0.0 is 0.0 in the array API
        assert signs[expected == 0.0].all(), points


@pytest.mark.parametrize("name", SMOOTH)
def test_special_points_have_the_same_slopes(name: str):
    primitive, points = TABLE[name], special(name)
    found, expected = swept(primitive, columns(points)), expected_slopes(primitive, points)
    for i, (got, slope) in enumerate(zip(found, expected, strict=True)):
        distance = ulps(got, slope)
        assert distance.max() <= FORMULA, (i, points[distance.argmax()])


@pytest.mark.parametrize("name", SMOOTH)
def test_special_points_alone_have_the_same_slopes(name: str):
    """A 0-d array takes other ways than an array with axes."""
    primitive = TABLE[name]
    for args in special(name):
        found = swept(primitive, [np.array(x) for x in args])
        for got, slope in zip(found, expected_slopes(primitive, [args]), strict=True):
            assert ulps(got.reshape(1), slope).max() <= FORMULA, args


# --- structural zeros -------------------------------------------------------------------------


def guarded_root(x: Any) -> Any:
    return gradwalk.where(x > 0.0, gradwalk.sqrt(x), 0.0)


GUARDED = {
    "where": guarded_root,
    "where, both branches": lambda x: gradwalk.where(x > 0.0, gradwalk.log(x), x),
    "relu": lambda x: gradwalk.sqrt(gradwalk.relu(x)),
    "clip": lambda x: gradwalk.sqrt(gradwalk.clip(x, 0.5, 1.0)),
    "abs": lambda x: gradwalk.sqrt(gradwalk.abs(x)),
    "maximum": lambda x: gradwalk.sqrt(gradwalk.maximum(x, 1.0)),
    "hypot": lambda x: gradwalk.sqrt(gradwalk.hypot(x, 0.0)),
    "power": lambda x: gradwalk.sqrt(x**0.0) + gradwalk.sqrt(gradwalk.atan2(x, 0.0)),
    "a product on the way": lambda x: gradwalk.sqrt(gradwalk.relu(x) * 3.0),
    "two paths, one shut": lambda x: guarded_root(x) + 3.0 * x,
    "two paths, one shut, the other way round": lambda x: x * 3.0 + guarded_root(x),
    "two paths into one root": lambda x: gradwalk.sqrt(gradwalk.relu(x) + gradwalk.relu(3.0 * x)),
}


def by_values(f: Any, numbers: list[float]) -> tuple[list[float], list[float]]:
    """The first and second derivative of a function of one number at several of them."""
    firsts, seconds = [], []
    for number in numbers:
        x = Value(number)
        first = gradients(f(x), x, create_graph=True)
        firsts.append(first.data)
        seconds.append(gradients(first, x))
    return firsts, seconds


def by_tensors(f: Any, numbers: list[float]) -> list[tuple[Any, Any]]:
    """The same of a Tensor with all of them, in both modes."""
    x, ones = Tensor(numbers, requires_grad=True), np.ones(len(numbers))
    y = f(x)
    pulled = sweeps.gradients(y.sum(), [x], None, create_graph=True)[0]
    pushed = sweeps.tangent(y, {x: ones}, create_graph=True)
    raw = sweeps.gradients(y.sum(), [x], None, create_graph=False)[0]
    np.testing.assert_array_equal(raw, pulled.data)
    np.testing.assert_array_equal(sweeps.tangent(y, {x: ones}), pushed.data)
    found = []
    for first in (pulled, pushed):
        second = np.zeros(len(numbers))
        if first.requires_grad:
            second = sweeps.gradients(first.sum(), [x], None, create_graph=False)[0]
        found += [(first.data, second), (first.data, sweeps.tangent(first, {x: ones}))]
    return found


@pytest.mark.parametrize("what", GUARDED)
def test_a_branch_not_taken_gives_no_nan_and_nothing_wrong(what: str):
    numbers = [0.0, 0.25, -1.0, 4.0, -0.0]
    if "both" in what:
        numbers.remove(-1.0)
    first, second = by_values(GUARDED[what], numbers)
    assert np.isfinite(first[0])
    for got, got_second in by_tensors(GUARDED[what], numbers):
        np.testing.assert_allclose(got, first, rtol=1e-14)
        np.testing.assert_allclose(got_second, second, rtol=1e-14)


def test_the_guarded_root_has_gradient_zero_at_zero():
    assert by_values(guarded_root, [0.0]) == ([0.0], [0.0])
    for first, second in by_tensors(guarded_root, [0.0, 4.0]):
        assert (first.tolist(), second.tolist()) == ([0.0, 0.25], [0.0, -1.0 / 32.0])


MOVED = {
    "reshape": lambda x: reshape(x, shape=(2, 2)),
    "transpose": lambda x: reshape(x, shape=(2, 2)).T,
    "index": lambda x: x[1:],
    "repeated index": lambda x: x[np.array([0, 1, 0])],
    "broadcast": lambda x: broadcast_to(x, shape=(3, 4)),
    "astype": lambda x: astype(x, dtype=np.dtype("float32")),
    "sums of their own": lambda x: reshape(x, shape=(4, 1)).sum(axis=1),
    "several": lambda x: broadcast_to(reshape(x[::-1], shape=(2, 1, 2)), shape=(2, 3, 2)).T,
}


@pytest.mark.parametrize("gate_is", ["before", "after"])
@pytest.mark.parametrize("what", MOVED)
def test_structural_zeros_move_with_their_numbers(what: str, gate_is: str):
    """A gate stays shut through whatever only rearranges: 0 · ∞ behind it is still nothing."""
    move, start = MOVED[what], np.array([0.0, 4.0, 0.0, 1.0])

    def root(x: Any) -> Any:  # the infinite slope meets the gate through the move
        if gate_is == "before":
            return gradwalk.sqrt(move(gradwalk.relu(x)))
        return guarded_root(move(x))

    x, ones = Tensor(start, requires_grad=True), np.ones(4)
    (got,) = sweeps.gradients(root(x).sum(), [x], None, create_graph=False)
    slope = np.array([0.0, 0.25, 0.0, 0.5])
    (counts,) = sweeps.gradients(move(x).sum(), [x], None, create_graph=False)
    np.testing.assert_array_equal(got, slope * counts)
    np.testing.assert_array_equal(sweeps.tangent(root(x), {x: ones}), move(slope))


def test_a_sum_opens_a_gate_and_a_sum_of_nothing_does_not():
    x = Tensor([[0.0, 0.0], [0.0, 4.0]], requires_grad=True)
    y = gradwalk.sqrt(gradwalk.relu(x).sum(axis=1))
    np.testing.assert_array_equal(sweeps.tangent(y, {x: np.ones((2, 2))}), [0.0, 0.25])
    (got,) = sweeps.gradients(y.sum(), [x], None, create_graph=False)
    np.testing.assert_array_equal(got, [[0.0, 0.0], [0.0, 0.25]])


def test_a_gate_behind_a_product_of_matrices():
    x = Tensor([[0.0, 0.0], [4.0, 0.0]], requires_grad=True)
    w = Tensor([[1.0], [2.0]])
    y = gradwalk.sqrt(gradwalk.relu(x) @ w)
    np.testing.assert_array_equal(sweeps.tangent(y, {x: np.ones((2, 2))}), [[0.0], [0.25]])
    (got,) = sweeps.gradients(y.sum(), [x], None, create_graph=False)
    np.testing.assert_array_equal(got, [[0.0, 0.0], [0.25, 0.0]])


# --- the tests are watched --------------------------------------------------------------------


def mutant(primitive: Primitive, index: int) -> Primitive:
    """The row with one rule made wrong by 0.1 %."""
    rule = primitive.rules[index]
    assert rule is not None

    def more(contribution: Any) -> Any:
        if contribution is None:
            return None
        if isinstance(contribution, StructuralZero):
            return StructuralZero(contribution.data * 1.001, contribution.mask)
        return contribution * 1.001

    wrong = {  # what a rule looks at is read off its code, so each argument has a name here
        1: lambda t, y, a: more(rule(t, y, a)),
        2: lambda t, y, a, b: more(rule(t, y, a, b)),
        3: lambda t, y, a, b, c: more(rule(t, y, a, b, c)),
    }[primitive.arity]
    rules = (*primitive.rules[:index], wrong, *primitive.rules[index + 1 :])
    forward = primitive.libm or primitive.forward
    return Primitive(primitive.name, rules, forward=forward, params=" ".join(primitive.params))


@pytest.mark.parametrize(("name", "index"), RULES)
def test_a_rule_that_is_wrong_is_noticed(name: str, index: int):
    assert slope_faults(name, mutant(TABLE[name], index), 30) == {index}


@pytest.mark.parametrize(("name", "index"), CURVED)
def test_a_rule_that_is_wrong_is_noticed_in_second_order(name: str, index: int):
    assert index in second_order_faults(name, mutant(TABLE[name], index), 6)
