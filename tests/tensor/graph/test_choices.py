"""Rules that choose between numbers, and the loops behind them: the bits of the ordinary way."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import native
from gradwalk.ops import TABLE
from gradwalk.ops.array import kernels
from gradwalk.ops.array.evaluation import rules_of
from gradwalk.ops.array.masking import FEW, select
from gradwalk.ops.array.structural_zero import StructuralZero, mask_if, pass_if
from gradwalk.tensor.graph.choices import choice

RNG = np.random.default_rng(0)
LARGE = 2**14 + 7
native_only = pytest.mark.skipif(native.engine is None, reason="these are kernels in C")
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0, 0.5, -3.0])


def same_bits(a: Any, b: Any) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    nan = np.isnan(a) & np.isnan(b)  # the sign of a NaN means nothing
    return (
        a.shape == b.shape
        and a.dtype == b.dtype
        and bool((nan | ((a == b) & (np.signbit(a) == np.signbit(b)))).all())
    )


def operand(kind: str, shape: tuple[int, ...]) -> Any:
    x = RNG.normal(size=shape)
    if kind == "special" and x.size:
        return np.resize(SPECIAL, shape).copy()
    if kind == "number":
        return 0.75
    if kind == "strided":
        return np.repeat(x, 2, axis=0)[::2] if x.ndim else x
    if kind == "spread":
        return np.broadcast_to(np.array(1.5), shape)
    if kind == "float32":
        return x.astype(np.float32)
    return x


# --- rules that choose ----------------------------------------------------------------------------

CHOICES = [("where", 1), ("where", 2), ("maximum", 0), ("maximum", 1), ("minimum", 0)]
CHOICES += [("minimum", 1), ("clip", 0), ("clip", 1), ("clip", 2), ("abs", 0), ("relu", 0)]
CHOICES += [("hardtanh", i) for i in range(3)]


def numbers_of(contribution: Any, shape: tuple[int, ...] = ()) -> tuple[Any, Any]:
    """The numbers of a share, and where it is shut; ``None`` is all shut."""
    if contribution is None:
        return np.zeros(shape), np.ones(shape, bool)
    if isinstance(contribution, StructuralZero):
        return contribution.data, contribution.mask
    return contribution, np.zeros(np.shape(contribution), bool)


@native_only
@pytest.mark.parametrize("n", [1, 9, 512, 1030])
@pytest.mark.parametrize(("name", "index"), CHOICES)
def test_choices_are_those_of_the_table(name, index, n):
    primitive = TABLE[name]
    assert kernels.has_choice(primitive, index)
    for kinds in product(
        ["plain", "special", "number", "spread", "strided"], repeat=primitive.arity
    ):
        args = [operand(kind, (n,)) for kind in kinds]
        if all(isinstance(a, float) for a in args):
            continue
        if name == "where" and not isinstance(args[0], float):
            args[0] = args[0] > 0.0
        with np.errstate(all="ignore"):
            y = np.broadcast_to(primitive(*args), (n,)).copy()
            for t in (RNG.normal(size=n), np.resize(SPECIAL, n), np.broadcast_to(2.0, (n,))):
                found = numbers_of(rules_of(primitive)[index](t, y, *args), (n,))
                expected = numbers_of(primitive.rules[index](t, y, *args), (n,))
                assert same_bits(found[0], np.broadcast_to(expected[0], (n,))), kinds
                assert np.array_equal(found[1], np.broadcast_to(expected[1], (n,))), kinds


@native_only
def test_rules_that_depend_on_their_arguments_are_no_choices():
    assert not kernels.has_choice(TABLE["leaky_relu"], 1)
    assert not kernels.has_choice(TABLE["mul"], 0)
    assert not kernels.has_choice(TABLE["where"], 0)


@native_only
def test_what_does_not_fit_goes_the_ordinary_way():
    rule = rules_of(TABLE["relu"])[0]
    x = RNG.normal(size=(4, 6))
    for t in (x.astype(np.float32), x[::2], x.T):
        y = np.maximum(t, 0)
        found, expected = rule(t, y, t), TABLE["relu"].rules[0](t, y, t)
        assert same_bits(found.data, expected.data)
        assert np.array_equal(found.mask, expected.mask)


@native_only
def test_a_recorded_choice_is_one_node_and_can_be_differentiated_again():
    x = gw.Tensor([1.0, -2.0, 3.0], requires_grad=True)
    y = (gw.maximum(x, 0.5 * x) * x).sum()
    (g,) = gw.gradients(y, [x], create_graph=True)
    (h,) = gw.gradients(g.sum(), [x])
    assert g.data.tolist() == [2.0, -2.0, 6.0]
    assert h.data.tolist() == [2.0, 1.0, 2.0]
    primitive = choice(TABLE["maximum"], 0, False)
    assert primitive is choice(*primitive.__reduce__()[1])
    assert primitive.name not in [*TABLE]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("shape", [(), (0,), (5,), (5000,), (70, 80)], ids=str)
def test_emptied_numbers_are_zeros_whatever_they_were(shape, dtype):
    t = np.resize(SPECIAL, shape).astype(dtype)
    shut = RNG.random(shape) < 0.5
    for mask, numbers in ((shut, t), (np.asfortranarray(shut), t), (shut.T, t.T)):
        found = numbers_of(mask_if(mask, numbers))[0]
        assert same_bits(found, np.where(mask, np.zeros((), dtype), numbers))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64, bool])
@pytest.mark.parametrize("shape", [(), (5,), (FEW + 1,), (FEW, 3)], ids=str)
def test_where_is_that_of_numpy(shape: tuple[int, ...], dtype: Any) -> None:
    mask = RNG.random(shape) < 0.5
    numbers = SPECIAL if np.dtype(dtype).kind == "f" else np.arange(5)
    a, b = np.resize(numbers, shape).astype(dtype), np.ones(shape, dtype)
    numbers = [1.5, -0.0, 2, True, np.float64(3.0), np.float32(3.0), np.array(4.0)]
    others = [b, b.T, b[..., :1] if shape else b, b.astype(np.float32), b.byteswap().view(
        b.dtype.newbyteorder())]  # fmt: skip
    for masks in (mask, np.asfortranarray(mask), mask[..., :1] if shape else mask, mask * 1.0):
        for first, second in product([a, *numbers], [*others, *numbers]):
            for pair in ((first, second), (second, first)):
                try:
                    expected = np.where(masks, *pair)
                except ValueError:  # the shapes do not broadcast
                    continue
                assert same_bits(select(masks, *pair), expected), pair


@native_only
@pytest.mark.parametrize(
    ("mask", "a", "b"),
    [(np.ones(3, bool), np.ones(2), np.ones(3)), (np.ones(3, bool), np.ones(3), np.ones(4))],
)
def test_numbers_that_do_not_fit_are_errors(mask: Any, a: Any, b: Any) -> None:
    with pytest.raises(ValueError, match="select"):
        native.engine.select(mask, a, b, np.empty(3))
    with pytest.raises(ValueError, match="emptied"):
        native.engine.emptied(mask, b[:2], np.empty(3))
    with pytest.raises(TypeError):
        native.engine.select(mask, a, b, (1.0,))


@pytest.mark.parametrize("shape", [(5000,), (100, 1), (1, 50)])
def test_a_large_array_of_which_nothing_is_masked_is_itself(shape: tuple[int, ...]) -> None:
    t = np.ones(shape if len(shape) == 1 else (100, 50))
    nothing = np.zeros(shape, bool)
    assert mask_if(nothing, t) is t
    assert pass_if(~nothing, t) is t
    some = nothing.copy()
    some.flat[-1] = True
    masked = mask_if(some, t)
    assert isinstance(masked, StructuralZero)
    assert np.array_equal(masked.data, np.where(some, 0.0, t))
    assert np.array_equal(masked.mask, np.broadcast_to(some, t.shape))


def test_a_mask_that_widens_an_array_masks_nothing_of_it() -> None:
    assert np.shape(numbers_of(mask_if(np.zeros((2, 5000), bool), np.ones(5000)))[0]) == (2, 5000)


def bent(x: Any) -> Any:
    a = gw.maximum(x * x, 0.5 * x) + gw.where(x > 0.0, x**3, gw.sin(x))
    b = gw.clip(a * x, -1.0, 4.0) - gw.relu(x)
    return (gw.tanh(b) * a).sum() + (x[1:] * x[:-1]).mean()


def test_products_of_several_large_arguments():
    a, b, v = (RNG.normal(size=(128, 128)) for _ in range(3))

    def f(p: dict[str, Any]) -> Any:
        return (p["a"] * p["a"] * p["b"] / (1.0 + p["n"] * p["n"])).sum() + p["idle"].sum()

    p = {"a": a, "b": b, "n": 0.5, "idle": b}
    found = gw.hvp(f)(p, {"a": v, "b": 0.0 * v, "n": 1.0, "idle": v})
    assert found["a"] == pytest.approx(2.0 * b * v / 1.25 - 2.0 * a * b / 1.25**2)
    assert found["b"] == pytest.approx(2.0 * a * v / 1.25 - a * a / 1.25**2)
    assert found["idle"].tolist() == np.zeros((128, 128)).tolist()
    assert isinstance(found["n"], float)


def test_nobody_writes_into_what_a_user_holds():
    x, v = RNG.normal(size=LARGE), RNG.normal(size=LARGE)
    copies = x.copy(), v.copy()
    found = gw.hvp(lambda x: (x * x * 0.5).sum() + x.sum())(x, v)
    found += 1.0
    assert (x.tolist(), v.tolist()) == (copies[0].tolist(), copies[1].tolist())


# --- Hessian products, where they are of Tensors --------------------------------------------------


def test_both_products_are_those_of_the_hessian():
    x, v = RNG.normal(size=12), RNG.normal(size=12)
    expected = gw.hessian(bent)(x) @ v
    for transform in (gw.hvp, gw.vhp):
        assert transform(bent)(x, v) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        with gw.no_grad():
            assert transform(bent)(x, v) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_products_in_containers_with_numbers_and_arguments_that_do_not_matter():
    def f(p: dict[str, Any]) -> Any:
        return (p["w"] ** 2 * p["b"]).sum() + 0.0 * p["b"]

    p = {"w": np.array([1.0, 2.0]), "b": 3.0, "idle": np.ones(2)}
    v = {"w": np.array([1.0, 0.0]), "b": 1.0, "idle": np.ones(2)}
    found = gw.hvp(f)(p, v)
    assert found["w"].tolist() == [8.0, 4.0]
    assert found["b"] == 2.0
    assert found["idle"].tolist() == [0.0, 0.0]
    assert isinstance(found["b"], float)


@pytest.mark.parametrize("transform", [gw.hvp, gw.vhp])
def test_products_of_what_has_no_curvature_are_zero(transform):
    x = np.ones(3)
    for f in (lambda x: x.sum(), lambda x: gw.Tensor(2.0), lambda x: (x * 0.5).mean()):
        assert transform(f)(x, x).tolist() == [0.0, 0.0, 0.0]


def test_a_product_whose_function_uses_a_tensor_outside_can_be_differentiated_by_that():
    w = gw.Tensor([2.0, 3.0], requires_grad=True)
    x, v = np.array([1.0, -1.0]), np.array([1.0, 2.0])
    product = gw.hvp(lambda x: (w**2 * x**3).sum())(x, v)  # 6 w² x v
    product.sum().backward()
    assert product.data.tolist() == [24.0, -108.0]
    assert w.grad.tolist() == [24.0, -72.0]  # 12 w x v


def test_auxiliary_results_that_go_on_outside_keep_their_graph():
    w = gw.Tensor(2.0, requires_grad=True)
    found, aux = gw.grad(lambda x: ((y := (x * x).sum()), y * w), has_aux=True)(np.ones(3))
    aux.backward()
    assert found.tolist() == [2.0, 2.0, 2.0]
    assert w.grad == 3.0
