"""Products of Tensors: values as NumPy's, derivatives of both orders, shapes of every kind."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradwalk import Tensor, errors
from gradwalk.ops.array import product as rows
from gradwalk.tensor.functions import products as f

from ...helpers.amount import examples
from ...helpers.array_checks import adjoint, check

RNG = np.random.default_rng(7)


def normal(*shape: int) -> Any:
    return RNG.normal(size=shape)


PAIRS = {
    "matrices": ((2, 3), (3, 4)),
    "vector vector": ((3,), (3,)),
    "vector matrix": ((3,), (3, 4)),
    "matrix vector": ((2, 3), (3,)),
    "vector stack": ((3,), (5, 3, 4)),
    "stack vector": ((5, 2, 3), (3,)),
    "stack of stacks, vector": ((2, 2, 2, 3), (3,)),
    "stack matrix": ((5, 2, 3), (3, 4)),
    "matrix stack": ((2, 3), (5, 3, 4)),
    "stacks": ((5, 2, 3), (5, 3, 4)),
    "broadcast stacks": ((5, 1, 2, 3), (1, 4, 3, 2)),
    "stacks of unequal depth": ((4, 2, 3), (2, 4, 3, 2)),
    "one by one": ((1, 1), (1, 1)),
    "no terms": ((2, 0), (0, 3)),
    "no rows": ((0, 3), (3, 4)),
    "stack, no terms": ((2, 2, 0), (0, 3)),
    "no members": ((0, 2, 3), (0, 3, 2)),
    "empty vector": ((0,), (0,)),
}


@pytest.mark.parametrize("shapes", PAIRS.values(), ids=PAIRS)
def test_matmul_of_all_shapes(shapes: Any) -> None:
    a, b = (normal(*shape) for shape in shapes)
    np.testing.assert_array_equal((Tensor(a) @ Tensor(b)).data, np.matmul(a, b))
    np.testing.assert_array_equal((Tensor(a) @ b).data, np.matmul(a, b))
    np.testing.assert_array_equal((a @ Tensor(b)).data, np.matmul(a, b))
    check(lambda a, b: a @ b, a, b)
    adjoint(lambda a: f.matmul(a, b), a)
    adjoint(lambda b: f.matmul(a, b), b)


@pytest.mark.parametrize("shapes", PAIRS.values(), ids=PAIRS)
def test_the_gradient_of_one_factor_alone(shapes: Any) -> None:
    a, b = (normal(*shape) for shape in shapes)
    check(f.matmul, a, b, wrt=[0])
    check(f.matmul, a, b, wrt=[1])


@pytest.mark.parametrize(
    ("a", "b", "fix"),
    [
        ((2, 3), (2, 3), "a @ b.mT"),
        ((2, 3), (4,), "the last axis of b"),
        ((2, 3), (4, 5), "the last axis but one of b"),
        ((2, 2, 3), (3, 3, 4), "must be equal, or 1"),
        ((), (3,), "a \\* b"),
    ],
)
def test_factors_that_do_not_fit(a: Any, b: Any, fix: str) -> None:
    with pytest.raises(errors.SizeError, match=fix) as caught:
        Tensor(np.ones(a)) @ Tensor(np.ones(b))
    assert str(a) in str(caught.value)
    assert str(b) in str(caught.value)
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(errors.SizeError, match=fix):
        np.ones(a) @ Tensor(np.ones(b))


@pytest.mark.parametrize("number", [2, 2.0])
def test_a_number_is_no_matrix(number: Any) -> None:
    for call in (lambda x: x @ number, lambda x: number @ x):
        with pytest.raises(errors.SizeError, match="a \\* b"):
            call(Tensor([1.0, 2.0]))


def test_matmul_keeps_only_what_its_rules_need() -> None:
    a, b = Tensor(normal(2, 3), requires_grad=True), Tensor(normal(3, 4))
    y = a @ b
    assert y._node.saved[1] is a._node  # not its numbers: no gradient flows to b
    assert y._node.saved[2] is b._data


@pytest.mark.parametrize("stack", [(), (4,), (2, 3), (0,)], ids=str)
def test_affine(stack: Any) -> None:
    x, weight, bias = normal(*stack, 3), normal(2, 3), normal(2)
    np.testing.assert_allclose(rows.affine(x, weight, bias), x @ weight.T + bias, 1e-12)
    check(rows.affine, x, weight, bias)
    with pytest.raises(errors.SizeError):
        rows.affine(Tensor(normal(*stack, 4)), Tensor(weight), bias)


# --- the relatives of matmul ----------------------------------------------------------------------

RELATIVES = {
    "dot of vectors": ("dot", (3,), (3,), {}),
    "dot of matrices": ("dot", (2, 3), (3, 2), {}),
    "dot with a number": ("dot", (), (2, 3), {}),
    "dot of stacks": ("dot", (2, 2, 3), (4, 3, 2), {}),
    "dot of a stack and a vector": ("dot", (2, 2, 3), (3,), {}),
    "inner": ("inner", (2, 3), (4, 3), {}),
    "inner of numbers": ("inner", (), (3,), {}),
    "outer": ("outer", (2, 3), (2,), {}),
    "vecdot": ("vecdot", (4, 3), (4, 3), {}),
    "vecdot, broadcast": ("vecdot", (2, 4, 3), (4, 3), {}),
    "vecdot, another axis": ("vecdot", (4, 3), (4, 1), {"axis": -2}),
    "kron": ("kron", (2, 3), (2, 2), {}),
    "kron of unequal ndim": ("kron", (2,), (2, 3), {}),
    "kron with a number": ("kron", (2,), (), {}),
    "cross": ("cross", (3,), (3,), {}),
    "cross, broadcast": ("cross", (2, 3), (3,), {}),
    "cross, first axis": ("cross", (3, 2), (3, 2), {"axis": 0}),
    "tensordot": ("tensordot", (2, 3, 4), (3, 4, 2), {}),
    "tensordot 0": ("tensordot", (2, 3), (2,), {"axes": 0}),
    "tensordot 1": ("tensordot", (2, 3), (3, 2), {"axes": 1}),
    "tensordot of named axes": ("tensordot", (2, 3, 4), (4, 5, 2), {"axes": ((2, 0), (0, 2))}),
    "tensordot of one axis": ("tensordot", (2, 3), (4, 2), {"axes": (0, 1)}),
    "tensordot, empty": ("tensordot", (2, 0), (0, 3), {"axes": 1}),
}


@pytest.mark.parametrize(("name", "a", "b", "options"), RELATIVES.values(), ids=RELATIVES)
def test_relatives(name: str, a: Any, b: Any, options: Any) -> None:
    function = getattr(f, name)
    x, y = normal(*a), normal(*b)
    expected = getattr(np, name)(x, y, **options)
    np.testing.assert_allclose(function(Tensor(x), Tensor(y), **options).data, expected, 1e-12)
    assert isinstance(function(x, y, **options), np.ndarray | np.floating)
    check(lambda x, y: function(x, y, **options), x, y)


@pytest.mark.parametrize("offset", [-4, -2, -1, 0, 1, 2, 5])
def test_trace(offset: int) -> None:
    x = normal(3, 4)
    np.testing.assert_allclose(f.trace(x, offset), np.trace(x, offset), 1e-12)
    check(lambda x: f.trace(x, offset), x)


@pytest.mark.parametrize("axes", [*permutations(range(3), 2)])
def test_trace_of_any_two_axes(axes: Any) -> None:
    x = normal(2, 3, 4)
    expected = np.trace(x, 1, *axes)
    np.testing.assert_allclose(Tensor(x).trace(1, *axes).data, expected, 1e-12)
    check(lambda x: f.trace(x, 1, *axes), x)


def test_lists_and_numbers_are_operands() -> None:
    assert f.dot([1, 2], [3, 4]).item() == 11
    assert f.dot(2.0, [3.0]).tolist() == [6.0]
    assert f.einsum("i,->", [1.0, 2.0], 3.0).item() == 9.0
    assert Tensor([1.0, 2.0]).dot([3.0, 4.0]).item() == 11.0


@pytest.mark.parametrize(
    "call",
    [
        lambda a: f.vecdot(a, a[0, :2]),
        lambda a: f.tensordot(a, a, axes=1),
        lambda a: f.tensordot(a, a, axes=3),
        lambda a: f.tensordot(a, a, axes=((0, 1), (0,))),
        lambda a: f.cross(a, a, axis=0),
        lambda a: f.cross(a, a[0, 0]),
        lambda a: f.trace(a[0]),
        lambda a: f.trace(a[0, 0]),
        lambda a: f.trace(a, axis1=1),
    ],
)
def test_shapes_that_mean_nothing(call: Any) -> None:
    with pytest.raises(errors.SizeError):
        call(Tensor(np.ones((2, 3))))


# --- einsum ---------------------------------------------------------------------------------------

EQUATIONS = {
    "ij,jk->ik": ((2, 3), (3, 2)),
    "ij,jk": ((2, 3), (3, 2)),
    "ba": ((2, 3),),
    "ii": ((3, 3),),
    "ii->i": ((3, 3),),
    "iii->i": ((2, 2, 2),),
    "iji->j": ((2, 3, 2),),
    "ij->": ((2, 3),),
    "ij->j": ((2, 3),),
    "i->i": ((3,),),
    "ij->ji": ((2, 3),),
    "...": ((2, 3),),
    "...i->...": ((2, 3),),
    "i...->...": ((2, 3, 2),),
    "i...i->...": ((2, 3, 2),),
    "...ij,...jk->...ik": ((2, 2, 3), (3, 2)),
    "...i,...i": ((4, 2, 3), (2, 3)),
    "...,...": ((2, 3), (3,)),
    "i,j->ij": ((2,), (3,)),
    "i,i->": ((3,), (3,)),
    "ii,i->i": ((3, 3), (3,)),
    "ij,ik->": ((2, 3), (2, 4)),
    "i,ij,j": ((2,), (2, 3), (3,)),
    "ij,jk,kl->il": ((2, 3), (3, 2), (2, 2)),
    "ij,ij,ij->i": ((2, 3), (2, 3), (2, 3)),
    ",i->i": ((), (3,)),
    ",": ((), ()),
    "": ((),),
    "ij,j->ij": ((2, 1), (3,)),
    "ij,ij->": ((2, 1), (2, 3)),
    "ij,ij->ij": ((1, 3), (2, 1)),
    "ij,jk->k": ((2, 1), (3, 2)),
    "ij , jk -> ik": ((2, 3), (3, 2)),
    "aB,Bc": ((2, 3), (3, 2)),
    "ij,jk->": ((2, 0), (0, 3)),
    "i,i->i": ((0,), (1,)),
    "bhqd,bhkd->bhqk": ((1, 2, 2, 3), (1, 2, 2, 3)),
}


@pytest.mark.parametrize("optimize", [None, False, True])
@pytest.mark.parametrize(("equation", "shapes"), EQUATIONS.items(), ids=[*EQUATIONS])
def test_einsum(equation: str, shapes: Any, optimize: Any) -> None:
    args = [normal(*shape) for shape in shapes]
    expected = np.einsum(equation, *args)
    got = f.einsum(equation, *map(Tensor, args), optimize=optimize)
    np.testing.assert_allclose(got.data, expected, rtol=1e-12, atol=1e-14)
    check(lambda *xs: f.einsum(equation, *xs, optimize=optimize), *args)


def test_the_same_tensor_twice() -> None:
    x = normal(3, 3)
    check(lambda x: f.einsum("ij,jk,ki->", x, x, x), x)


def test_einsum_of_lists_of_axes() -> None:
    a, b = normal(2, 3), normal(3, 4)
    for call in (
        (a, [0, 1], b, [1, 2], [0, 2]),
        (a, [0, 1], b, [1, 2]),
        (a, [30, 1], b, [1, 2]),
        (a, [..., 0], [..., 0]),
        (a, [1, 0]),
    ):
        np.testing.assert_allclose(f.einsum(*call), np.einsum(*call), 1e-12)


def test_an_optimized_path_is_numpys() -> None:
    args = [normal(2, 3), normal(3, 4), normal(4, 2)]
    path, _ = np.einsum_path("ij,jk,kl->il", *args)
    check(lambda *xs: f.einsum("ij,jk,kl->il", *xs, optimize=path), *args)
    check(lambda *xs: f.einsum("ij,jk,kl->il", *xs, optimize="greedy"), *args)


def test_long_sums_are_planned() -> None:
    args = [normal(30, 30) for _ in range(3)]
    expected = args[0] @ args[1] @ args[2]
    np.testing.assert_allclose(f.einsum("ij,jk,kl", *args), expected, rtol=1e-9)


LETTERS = "abcd"
LENGTHS = {"a": 2, "b": 3, "c": 1, "d": 2}


@st.composite
def equations(draw: Any) -> tuple[str, list[tuple[int, ...]]]:
    """Any letters for any operands, some axes of length 1, and a result of some of the letters."""
    operands = draw(st.lists(st.text(LETTERS, max_size=3), min_size=1, max_size=3))
    shapes = []
    for letters in operands:
        ones = draw(st.sets(st.sampled_from(LETTERS)))
        shapes.append(tuple(1 if x in ones else LENGTHS[x] for x in letters))
    present = sorted(set("".join(operands)))
    result = draw(st.lists(st.sampled_from(present), unique=True)) if present else []
    equation = ",".join(operands)
    return (equation + "->" + "".join(result) if draw(st.booleans()) else equation), shapes


@examples(60)
@given(equations())
def test_any_equation(case: tuple[str, list[tuple[int, ...]]]) -> None:
    equation, shapes = case
    rng = np.random.default_rng(0)
    args = [rng.normal(size=shape) for shape in shapes]
    expected = np.einsum(equation, *args)
    got = f.einsum(equation, *args)
    np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-13)
    check(lambda *xs: f.einsum(equation, *xs), *args, dtypes=())
    for i, arg in enumerate(args):
        adjoint(lambda x, i=i: f.einsum(equation, *args[:i], x, *args[i + 1 :]), arg)


@pytest.mark.parametrize(
    ("error", "equation", "shapes"),
    [
        (errors.SizeError, "ij,jk->ik", ((2, 3), (4, 2))),
        (errors.SizeError, "ij->i", ((2,),)),
        (errors.SizeError, "i->i", ((2, 3),)),
        (errors.SizeError, "ii->i", ((1, 3),)),
        (errors.OptionError, "ij,jk->ik", ((2, 3),)),
        (errors.OptionError, "i.j->ij", ((2, 3),)),
        (errors.OptionError, "i1->i", ((2, 3),)),
        (errors.OptionError, "ij->k", ((2, 3),)),
        (errors.OptionError, "ij->ii", ((2, 3),)),
        (errors.OptionError, "ij->i.", ((2, 3),)),
    ],
)
def test_equations_that_mean_nothing(error: Any, equation: str, shapes: Any) -> None:
    with pytest.raises(error, match="einsum"):
        f.einsum(equation, *[Tensor(np.ones(shape)) for shape in shapes])


def test_integers_and_halves() -> None:
    assert f.einsum("ij,jk", [[1, 2]], [[3], [4]]).dtype.kind == "i"
    half = Tensor(np.ones((2, 2)), dtype=np.float16, requires_grad=True)
    for y in (f.einsum("ii", half), f.einsum("ij,jk", half, half).sum(), (half @ half).sum()):
        assert y.dtype == np.float16
        y.backward()
        assert half.grad.dtype == np.float16
