"""Linear algebra: values as NumPy's, derivatives of both orders, and what has no answer.

Signs of singular and eigenvectors are arbitrary; they are squared, or multiplied in pairs, before
anything is compared.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, errors, no_grad
from gradwalk.ops.array import linalg as rows
from gradwalk.tensor.functions import linalg
from gradwalk.tensor.functions.products import einsum
from gradwalk.tensor.graph import backward as sweeps

from ...helpers.array_checks import check

STACKS = {"one": (), "stack": (2,), "deep": (2, 1), "empty": (0,)}


def general(*shape: int) -> Any:
    """Matrices with the singular values 1, 2, ..., well apart from each other and from 0."""
    rng = np.random.default_rng(sum(shape))
    u, _, vh = np.linalg.svd(rng.normal(size=shape), full_matrices=False)
    return (u * np.arange(u.shape[-1], 0.0, -1.0)) @ vh


def definite(*stack: int, n: int = 3) -> Any:
    """Symmetric matrices with the eigenvalues 1, 2, ..."""
    q = np.linalg.qr(np.random.default_rng(n).normal(size=(*stack, n, n))).Q
    return (q * np.arange(1.0, n + 1)) @ q.mT


def symmetric(x: Any) -> Any:
    return (x + x.mT) / 2.0


SQUARE = [(*stack, n, n) for stack in STACKS.values() for n in (1, 3)] + [(0, 0), (2, 0, 0), (4, 4)]
ANY = [(*stack, *matrix) for stack in STACKS.values() for matrix in ((2, 2), (3, 2), (2, 3))]
ANY += [(3, 0), (0, 3), (1, 4), (4, 1), (4, 2)]


def known(function: Any, reference: Any, *args: Any) -> None:
    """The same numbers on Tensors, arrays and in NumPy."""
    expected = reference(*args)
    for got in (function(*map(Tensor, args)).data, function(*args)):
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-12)


# --- square matrices ------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SQUARE, ids=str)
@pytest.mark.parametrize("name", ["inv", "det"])
def test_inverse_and_determinant(name: str, shape: Any) -> None:
    x = general(*shape)
    known(getattr(linalg, name), getattr(np.linalg, name), x)
    check(getattr(linalg, name), x)


@pytest.mark.parametrize("shape", SQUARE, ids=str)
def test_slogdet(shape: Any) -> None:
    x = general(*shape)
    for i in (0, 1):
        known(lambda x, i=i: linalg.slogdet(x)[i], lambda x, i=i: np.linalg.slogdet(x)[i], x)
    check(lambda x: linalg.slogdet(x).logabsdet, x)
    assert np.all(_gradient(lambda x: linalg.slogdet(x).sign, x) == 0.0)


def _gradient(f: Any, x: Any) -> Any:
    leaf = Tensor(x, requires_grad=True)
    y = f(leaf)
    return sweeps.gradients(y, [leaf], np.ones(y.shape), create_graph=False)[0]


SINGULAR = {
    "zero": np.zeros((1, 1)),
    "rank 0 of 2": np.zeros((2, 2)),
    "rank 1 of 2": np.array([[1.0, 2.0], [2.0, 4.0]]),
    "rank 2 of 3": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [5.0, 7.0, 9.0]]),
    "rank 1 of 3": np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0]),
    "rank 0 of 3": np.zeros((3, 3)),
    "identity": np.eye(3),
    "reflection": np.diag([1.0, -1.0, 1.0]),
    "a stack with one": np.stack([np.ones((2, 2)), np.eye(2)]),
}


@pytest.mark.parametrize("x", SINGULAR.values(), ids=SINGULAR)
def test_the_determinant_of_singular_matrices_and_of_equal_singular_values(x: Any) -> None:
    check(linalg.det, x)


def test_the_gradient_of_a_determinant_is_the_matrix_of_cofactors() -> None:
    x = general(4, 4)
    gradient = _gradient(linalg.det, x)
    for i, j in np.ndindex(4, 4):
        minor = np.delete(np.delete(x, i, 0), j, 1)
        assert np.isclose(gradient[i, j], (-1) ** (i + j) * np.linalg.det(minor))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_both_ways_to_the_cofactors_agree(n: int) -> None:
    x = general(3, n, n)
    np.testing.assert_allclose(rows._cofactor(x), rows._cofactor_of_any(x), rtol=1e-10, atol=1e-12)


def test_the_third_derivative_of_a_determinant() -> None:
    x = np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0]) + np.diag([0.0, 0.0, 1.0])  # of rank 2

    def curvature(x: Any) -> Any:
        """Diagonal of the Hessian's square, by a sweep over a sweep."""
        leaf = x if isinstance(x, Tensor) and x.requires_grad else Tensor(x, requires_grad=True)
        (slope,) = sweeps.gradients(linalg.det(leaf), [leaf], None, create_graph=True)
        (second,) = sweeps.gradients((slope * slope).sum(), [leaf], None, create_graph=True)
        return second

    leaf = Tensor(x, requires_grad=True)
    (third,) = sweeps.gradients(curvature(leaf), [leaf], np.ones((3, 3)), create_graph=False)
    expected = np.zeros((3, 3))
    for place in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[place] = 1e-4
        both = curvature(x + step).data - curvature(x - step).data
        expected[place] = both.sum() / 2e-4
    np.testing.assert_allclose(third, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 3, 5, 8])
def test_matrix_power(n: int) -> None:
    for x in (general(3, 3), general(2, 3, 3)):
        known(lambda x: linalg.matrix_power(x, n), lambda x: np.linalg.matrix_power(x, n), x)
        if n:
            check(lambda x: linalg.matrix_power(x, n), x, rtol=1e-4)


# --- equations ------------------------------------------------------------------------------------

SIDES = {
    "vector": ((3, 3), (3,)),
    "matrix": ((3, 3), (3, 2)),
    "stack of matrices, vector": ((2, 3, 3), (3,)),
    "stack of matrices, matrix": ((2, 3, 3), (3, 2)),
    "one matrix, stack of sides": ((3, 3), (2, 3, 2)),
    "stacks": ((2, 3, 3), (2, 3, 2)),
    "broadcast stacks": ((2, 1, 3, 3), (2, 3, 1)),
    "no sides": ((3, 3), (3, 0)),
    "no members": ((0, 3, 3), (0, 3, 2)),
    "no unknowns": ((0, 0), (0,)),
}


@pytest.mark.parametrize("shapes", SIDES.values(), ids=SIDES)
def test_solve(shapes: Any) -> None:
    a, b = general(*shapes[0]), np.random.default_rng(5).normal(size=shapes[1])
    known(linalg.solve, np.linalg.solve, a, b)
    check(linalg.solve, a, b)


@pytest.mark.parametrize("shape", ANY, ids=str)
def test_pinv(shape: Any) -> None:
    x = general(*shape)
    known(linalg.pinv, np.linalg.pinv, x)
    check(linalg.pinv, x)


def test_pinv_at_constant_rank() -> None:
    """A product of thin factors keeps its rank when they move."""
    a, b = general(4, 2), general(2, 3)
    check(lambda a, b: linalg.pinv(a @ b, rtol=1e-4), a, b, rtol=1e-4)


@pytest.mark.parametrize(
    ("a", "b"),
    [((4, 2), (4,)), ((4, 2), (4, 3)), ((2, 3), (2,)), ((2, 4, 2), (2, 4, 1)), ((2, 4, 2), (4,))],
)
def test_lstsq(a: Any, b: Any) -> None:
    x, y = general(*a), np.random.default_rng(3).normal(size=b)
    found = linalg.lstsq(Tensor(x), Tensor(y))
    if len(a) == 2:
        solution, residuals, rank, s = np.linalg.lstsq(x, y)
        np.testing.assert_allclose(found.solution.data, solution, 1e-11)
        np.testing.assert_allclose(found.singular_values.data, s, 1e-12)
        assert found.rank.item() == rank
        if residuals.size:
            np.testing.assert_allclose(np.ravel(found.residuals.data), residuals, 1e-11)
    check(lambda a, b: linalg.lstsq(a, b).solution, x, y)
    if a[-2] > a[-1]:
        check(lambda a, b: linalg.lstsq(a, b).residuals, x, y)


def test_rank_is_a_number_without_derivative() -> None:
    x = np.stack([np.eye(3), np.outer([1.0, 2.0, 3.0], [1.0, 1.0, 1.0]), np.zeros((3, 3))])
    rank = linalg.matrix_rank(Tensor(x, requires_grad=True))
    assert rank.tolist() == linalg.matrix_rank(x).tolist() == [3, 1, 0]
    assert not rank.requires_grad
    assert linalg.matrix_rank(np.diag([1.0, 0.1]), rtol=0.5).item() == 1
    assert linalg.matrix_rank([[1, 2], [2, 4]]).item() == 1


# --- decompositions -------------------------------------------------------------------------------


@pytest.mark.parametrize("stack", STACKS.values(), ids=STACKS)
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_cholesky(stack: Any, upper: bool, n: int) -> None:
    x = definite(*stack, n=n)
    function = lambda x: linalg.cholesky(x, upper=upper)  # noqa: E731
    known(function, lambda x: np.linalg.cholesky(x, upper=upper), x)
    check(lambda x: function(symmetric(x)), x)


def test_gradients_of_symmetric_functions_are_symmetric() -> None:
    x = definite(n=3)
    for f in (linalg.cholesky, linalg.eigvalsh, lambda x: linalg.eigh(x).eigenvectors ** 2.0):
        gradient = _gradient(f, x)
        np.testing.assert_allclose(gradient, gradient.T, rtol=1e-12, atol=1e-15)
    junk = np.triu(np.full((3, 3), 7.0), 1)
    np.testing.assert_array_equal(linalg.cholesky(np.tril(x) + junk), linalg.cholesky(x))
    np.testing.assert_allclose(linalg.cholesky(np.triu(x) + junk.T, True), linalg.cholesky(x).T)
    for f in (linalg.eigvalsh, lambda *x: linalg.eigh(*x).eigenvalues):
        np.testing.assert_allclose(f(np.tril(x) + junk), [1.0, 2.0, 3.0])
        np.testing.assert_allclose(f(np.triu(x) + junk.T, "U"), [1.0, 2.0, 3.0])


@pytest.mark.parametrize("shape", ANY, ids=str)
@pytest.mark.parametrize("part", ["Q", "R"])
def test_qr(shape: Any, part: str) -> None:
    x = general(*shape)
    for mode in ("reduced", "complete"):
        known(
            lambda x, mode=mode: getattr(linalg.qr(x, mode), part),
            lambda x, mode=mode: getattr(np.linalg.qr(x, mode), part),
            x,
        )
    check(lambda x: getattr(linalg.qr(x), part), x, rtol=1e-4, atol=1e-6)


def test_both_parts_of_qr_together() -> None:
    def f(x: Any) -> Any:
        q, r = linalg.qr(x)
        return (q * q).sum(axis=-2) * (r * r).sum(axis=-1)

    check(f, general(4, 3), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("shape", ANY, ids=str)
@pytest.mark.parametrize("part", ["U", "S", "Vh", "all"])
def test_svd(shape: Any, part: str) -> None:
    x = general(*shape)

    def f(x: Any) -> Any:
        u, s, vh = linalg.svd(x, full_matrices=False)
        if part == "S":
            return s
        if part == "all":
            return (u * (s * s)[..., None, :]) @ vh
        return u * u if part == "U" else vh * vh

    u, s, vh = linalg.svd(Tensor(x), full_matrices=False)
    np.testing.assert_allclose(s.data, np.linalg.svdvals(x), rtol=1e-12)
    np.testing.assert_allclose(((u * s[..., None, :]) @ vh).data, x, atol=1e-12)
    check(f, x, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("shape", ANY, ids=str)
def test_singular_values(shape: Any) -> None:
    x = general(*shape)
    known(linalg.svdvals, np.linalg.svdvals, x)
    check(linalg.svdvals, x)
    for got, expected in zip(linalg.svd(x), np.linalg.svd(x), strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize("stack", STACKS.values(), ids=STACKS)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_eigenvalues(stack: Any, n: int) -> None:
    x = definite(*stack, n=n)
    for triangle in ("L", "U"):
        known(
            lambda x, t=triangle: linalg.eigvalsh(x, t),
            lambda x, t=triangle: np.linalg.eigvalsh(x, t),
            x,
        )
        check(lambda x, t=triangle: linalg.eigvalsh(symmetric(x), t), x)
        check(lambda x, t=triangle: linalg.eigh(symmetric(x), t).eigenvalues, x)


@pytest.mark.parametrize("stack", STACKS.values(), ids=STACKS)
def test_eigenvectors(stack: Any) -> None:
    x = definite(*stack, n=3)

    def logarithm(x: Any) -> Any:
        w, v = linalg.eigh(symmetric(x))
        return (v * _log(w)[..., None, :]) @ v.mT

    def squares(x: Any) -> Any:
        return linalg.eigh(symmetric(x)).eigenvectors ** 2.0

    w, v = linalg.eigh(x)
    np.testing.assert_allclose((v * w[..., None, :]) @ v.mT, x, atol=1e-12)
    check(logarithm, x)
    check(squares, x, rtol=1e-4, atol=1e-6)


def _log(x: Any) -> Any:
    return x.log() if isinstance(x, Tensor) else np.log(x)


def test_equal_values_have_gradients_and_their_vectors_have_none() -> None:
    """The values alone are right, in every mode; for vectors there is no answer, and none given."""
    x = np.diag([2.0, 2.0, 5.0])
    weights = np.array([1.0, 1.0, 3.0])
    for values in (
        lambda x: linalg.eigh(x).eigenvalues * weights,
        lambda x: linalg.eigvalsh(x) * weights,
        lambda x: linalg.svd(x).S * weights[::-1],
        lambda x: linalg.svdvals(x) * weights[::-1],
    ):
        np.testing.assert_allclose(_gradient(values, x), np.diag(weights), atol=1e-12)
        leaf = Tensor(x, requires_grad=True)
        pushed = sweeps.tangent(values(leaf).sum(), {leaf: np.ones((3, 3))})
        np.testing.assert_allclose(pushed, 5.0)
    for vectors in (
        lambda x: linalg.eigh(x).eigenvectors ** 3.0,
        lambda x: linalg.svd(x).U ** 3.0,
        lambda x: linalg.svd(x).Vh ** 3.0,
    ):
        assert not np.isfinite(_gradient(vectors, x)).all()


def test_complete_bases_are_numbers_without_gradient() -> None:
    x = general(3, 2)
    for call, fix in (
        (lambda x: linalg.qr(x, mode="complete"), 'mode="reduced"'),
        (linalg.svd, "full_matrices=False"),
    ):
        leaf = Tensor(x, requires_grad=True)
        with pytest.raises(errors.OptionError, match=fix):
            call(leaf)
        with no_grad():
            assert call(leaf)[0].shape == (3, 3)
        full, plain = call(Tensor(x)), call(x)
        np.testing.assert_array_equal(full[0].data, plain[0])
        np.testing.assert_allclose(plain[0] @ plain[0].T, np.eye(3), atol=1e-12)


# --- norms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [2, 1, 3, 2.5, 0.5, -1, 0, inf, -inf])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_vector_norm(order: Any, axis: Any, keepdims: bool) -> None:
    x = general(2, 3, 2) + 0.1
    options = {"axis": axis, "keepdims": keepdims, "ord": order}
    known(lambda x: linalg.vector_norm(x, **options), lambda x: _vector_norm(x, **options), x)
    if order:
        check(lambda x: linalg.vector_norm(x, **options), x)


def _vector_norm(x: Any, **options: Any) -> Any:
    return np.linalg.vector_norm(x, **options)


@pytest.mark.parametrize("order", ["fro", "nuc", 2, -2, 1, -1, inf, -inf])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (2, 2, 3), (0, 2, 2)], ids=str)
def test_matrix_norm(order: Any, keepdims: bool, shape: Any) -> None:
    x = general(*shape)
    options = {"keepdims": keepdims, "ord": order}
    known(lambda x: linalg.matrix_norm(x, **options), lambda x: _matrix_norm(x, **options), x)
    check(lambda x: linalg.matrix_norm(x, **options), x)


def _matrix_norm(x: Any, **options: Any) -> Any:
    return np.linalg.matrix_norm(x, **options)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(
    ("shape", "order", "axis"),
    [
        ((2, 3, 2), None, None),
        ((2, 3, 2), None, (0, 1)),
        ((3,), 1, None),
        ((3, 2), 2, None),
        ((3, 2), 3, 0),
        ((3, 2), "fro", None),
        ((2, 3, 2), 1, (0, 2)),
        ((2, 3, 2), 1, (2, 0)),
        ((2, 3, 2), inf, (0, -1)),
        ((2, 3, 2), 2, (1, 0)),
    ],
)
def test_norm(shape: Any, order: Any, axis: Any, keepdims: bool) -> None:
    options = {"ord": order, "axis": axis, "keepdims": keepdims}
    x = np.random.default_rng(1).normal(size=shape)
    known(lambda x: linalg.norm(x, **options), lambda x: np.linalg.norm(x, **options), x)
    check(lambda x: linalg.norm(x, **options), x)


@pytest.mark.parametrize("order", [1, 1.5, 2, 3, inf])
def test_the_slope_of_a_norm_is_finite_at_zero(order: Any) -> None:
    slope = _gradient(lambda x: linalg.vector_norm(x, ord=order), np.zeros(3))
    assert np.abs(slope).max() <= 1.0
    x = np.array([[3.0, 4.0], [0.0, 0.0]])
    rows = _gradient(lambda x: linalg.vector_norm(x, axis=1), x)
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.0, 0.0]])


def test_norms_of_integers_do_not_wrap_around() -> None:
    assert linalg.norm(np.array([200, 200], np.uint8)).item() == pytest.approx(np.hypot(200, 200))


# --- parts and products ---------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [-3, -1, 0, 1, 4])
def test_diagonal_and_trace(offset: int) -> None:
    x = general(2, 3, 4)
    for name in ("diagonal", "trace"):
        ours, theirs = getattr(linalg, name), getattr(np.linalg, name)
        known(lambda x, f=ours: f(x, offset), lambda x, f=theirs: f(x, offset=offset), x)
        check(lambda x, f=ours: f(x, offset), x)


def test_outer() -> None:
    a, b = np.arange(3.0), np.arange(2.0)
    known(linalg.outer, np.linalg.outer, a, b)
    check(linalg.outer, a, b)


def test_compositions_go_together() -> None:
    """The logarithm of a Gaussian density, by its Cholesky factor and by determinant and solve."""

    def by_factor(s: Any, x: Any) -> Any:
        y = linalg.solve(linalg.cholesky(symmetric(s)), x)
        return (y * y).sum() + 2.0 * linalg.slogdet(linalg.cholesky(symmetric(s))).logabsdet

    def directly(s: Any, x: Any) -> Any:
        return einsum("i,i", x, linalg.solve(symmetric(s), x)) + linalg.slogdet(s).logabsdet

    s, x = definite(n=3), np.array([1.0, -2.0, 0.5])
    check(by_factor, s, x)
    check(directly, s, x)
    np.testing.assert_allclose(by_factor(s, x), directly(s, x))


# --- precision and errors -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "f",
    [
        lambda x: linalg.inv(x),
        lambda x: linalg.solve(x, x[0]),
        lambda x: linalg.det(x),
        lambda x: linalg.slogdet(x).logabsdet,
        lambda x: linalg.cholesky(x),
        lambda x: linalg.qr(x).R,
        lambda x: linalg.svd(x).S,
        lambda x: linalg.eigh(x).eigenvalues,
        lambda x: linalg.pinv(x),
        lambda x: linalg.norm(x),
        lambda x: linalg.norm(x, ord=2),
        lambda x: linalg.matrix_power(x, -2),
    ],
)
def test_halves_are_computed_in_float32(f: Any) -> None:
    x = Tensor(definite(n=3), dtype=np.float16, requires_grad=True)
    y = f(x)
    assert y.dtype == np.float16
    y.sum().backward()
    assert x.grad.dtype == np.float16
    assert np.isfinite(x.grad).all()
    np.testing.assert_allclose(y.data, f(x.data.astype(float)), rtol=0.01, atol=0.01)


def test_integers_count_as_float64() -> None:
    assert linalg.inv([[2, 0], [0, 4]]).tolist() == [[0.5, 0.0], [0.0, 0.25]]
    assert linalg.qr(np.array([[2, 1, 1], [1, 1, 0]])).R.dtype == np.float64
    assert linalg.matrix_power(np.array([[1, 1], [0, 1]]), 3).dtype.kind == "i"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linalg.inv(np.ones((2, 2))), "invertible .* rank 1"),
        (lambda: linalg.solve(np.zeros((2, 2)), np.ones(2)), "invertible .* rank 0"),
        (lambda: linalg.inv(np.stack([np.eye(2), np.ones((2, 2))])), "rank 1"),
        (lambda: linalg.matrix_power(np.ones((2, 2)), -1), "rank 1"),
        (lambda: linalg.cholesky(np.diag([1.0, -2.0])), "positive definite .* eigenvalue -2"),
        (lambda: linalg.svd(np.full((2, 2), np.nan)), "finite"),
        (lambda: linalg.cholesky(np.full((2, 2), -inf)), "finite"),
    ],
)
def test_matrices_without_an_answer(call: Any, message: str) -> None:
    with pytest.raises(errors.GradwalkError, match=message) as caught:
        call()
    assert isinstance(caught.value.__cause__, np.linalg.LinAlgError)


@pytest.mark.parametrize(
    "call",
    [
        lambda: linalg.inv(np.ones((2, 3))),
        lambda: linalg.det(np.ones(3)),
        lambda: linalg.eigh(np.ones((2, 3))),
        lambda: linalg.cholesky(np.ones((3, 2))),
        lambda: linalg.svd(np.ones(3)),
        lambda: linalg.solve(np.eye(2), np.ones(3)),
        lambda: linalg.solve(np.eye(2), 1.0),
        lambda: linalg.solve(np.eye(2), np.ones((3, 2))),
        lambda: linalg.lstsq(np.eye(2), np.ones(3)),
        lambda: linalg.lstsq(np.eye(2), 3.0),
        lambda: linalg.matrix_norm(np.ones(3)),
        lambda: linalg.norm(np.ones((2, 2, 2)), ord=1),
        lambda: linalg.outer(np.ones((2, 2)), np.ones(2)),
        lambda: linalg.diagonal(np.ones(2)),
    ],
)
def test_shapes_that_mean_nothing(call: Any) -> None:
    with pytest.raises(errors.SizeError, match=r"linalg|norm|diagonal"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: linalg.qr(np.eye(2), mode="r"),
        lambda: linalg.eigh(np.eye(2), UPLO="X"),
        lambda: linalg.eigvalsh(np.eye(2), UPLO=0),
        lambda: linalg.vector_norm(np.ones(2), ord="two"),
        lambda: linalg.matrix_norm(np.eye(2), ord=3),
        lambda: linalg.matrix_power(np.eye(2), 0.5),
    ],
)
def test_options_that_mean_nothing(call: Any) -> None:
    with pytest.raises(errors.OptionError):
        call()


def test_each_matrix_of_a_stack_may_have_a_tolerance():
    x = Tensor(np.array([np.diag([1.0, 0.1])] * 2), requires_grad=True)
    assert linalg.matrix_rank(x, rtol=Tensor([0.5, 0.01])).tolist() == [1, 2]
    y = linalg.pinv(x, rtol=[0.5, 0.01])
    assert y[0].tolist() == [[1.0, 0.0], [0.0, 0.0]]
    np.testing.assert_allclose(y[1].tolist(), np.diag([1.0, 10.0]), rtol=1e-12)
    y.sum().backward()
    assert x.grad.shape == (2, 2, 2)


def test_the_trace_in_another_dtype():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = linalg.trace(x, dtype=np.float32)
    y.backward()
    assert y.dtype == np.float32
    assert x.grad.tolist() == [[1.0, 0.0], [0.0, 1.0]]
