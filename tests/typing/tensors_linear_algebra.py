"""A least-squares fit with random numbers: ``gradwalk.linalg`` and ``gradwalk.random``."""

from __future__ import annotations

from typing import assert_type

import numpy as np

import gradwalk
from gradwalk import Tensor, linalg, random

a = random.normal((4, 2), seed=1)
assert_type(a, Tensor)
assert_type(random.uniform(3, -1.0, 1.0, seed=2), Tensor)
assert_type(random.integers(0, 10, (2, 2), seed=np.random.default_rng(3)), Tensor)
assert_type(random.permutation(4, seed=4), Tensor)
assert_type(gradwalk.random.choice(a, 2, replace=False, seed=5), Tensor)

square = a.T @ a
assert_type(linalg.solve(square, [1.0, 2.0]), Tensor)
assert_type(gradwalk.linalg.inv(square), Tensor)
assert_type(linalg.det(square), Tensor)
assert_type(linalg.norm(a, ord="fro"), Tensor)
assert_type(linalg.cholesky(square, upper=True), Tensor)

q, r = linalg.qr(a)
assert_type(q @ r, Tensor)
assert_type(linalg.svd(a, full_matrices=False).S, Tensor)
assert_type(linalg.eigh(square).eigenvalues, Tensor)
assert_type(linalg.lstsq(a, np.ones(4)).solution, Tensor)
assert_type(linalg.slogdet(square).logabsdet, Tensor)

assert_type(gradwalk.matmul(a, [1.0, 2.0]), Tensor)
assert_type(gradwalk.einsum("ij,ij->i", a, a), Tensor)
assert_type(gradwalk.tensordot(a, a, axes=((0,), (0,))), Tensor)
assert_type(gradwalk.outer([1.0, 2.0], a[0]), Tensor)
