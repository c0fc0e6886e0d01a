"""Special functions inside of programs: compiled, replayed, exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradwalk import (
    Tensor,
    Value,
    compile,
    export,
    grad,
    hessian,
    jvp,
    replay,
    scan,
    value_and_grad,
    vmap,
)
from gradwalk.errors import OptionError
from gradwalk.ops.families import FAMILIES

from ..helpers.exported import COMPILERS, NODE, load_c, run_js

ARGS: dict[int, tuple[float, ...]] = {1: (0.3,), 2: (0.7, 0.4), 3: (0.7, 0.8, 0.3)}
OTHER: dict[int, tuple[float, ...]] = {1: (0.8,), 2: (2.5, 0.9), 3: (3.1, 0.4, 0.6)}
BY_C = {"erfcinv", "erfcx", "erfinv", "log_ndtr", "ndtr", "ndtri"}
BY_PYTHON = FAMILIES.keys() - BY_C
"""What has no formula of operations that C has."""
NAMES = sorted(FAMILIES)


def of(name: str) -> tuple[Any, tuple[float, ...], tuple[float, ...]]:
    f = FAMILIES[name]
    other = (0.6, 1.9) if name == "t_ppf" else OTHER[f.arity]  # a probability, and df
    return lambda *v: f(*v) * 2.0 + v[0], ARGS[f.arity], other


@pytest.mark.parametrize("name", NAMES)
def test_compiled(name: str) -> None:
    f, first, other = of(name)
    n = range(len(first))
    for make in (
        lambda: f, lambda: grad(f, tuple(n)), lambda: hessian(f),
        lambda: lambda *v: jvp(f, v, tuple(1.0 for _ in n))[1],
        lambda: lambda *v: scan(lambda c, k: (c + f(v[0] + 0.1 * k, *v[1:]), c), 0.0,
                                np.array([0.0, 1.0]))[0],
    ):  # fmt: skip
        plain, fast = make(), compile(make())
        for args in (first, other, first):
            assert fast(*args) == pytest.approx(plain(*args), rel=1e-14)
    batch = [np.array([a, b]) for a, b in zip(first, other, strict=True)]
    whole = grad(lambda *v: f(*v).sum(), tuple(n))
    for expected, got in zip(whole(*batch), compile(whole)(*batch), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-14)
    mapped = vmap(grad(f))
    np.testing.assert_allclose(compile(mapped)(*batch), mapped(*batch), rtol=1e-14)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [Value, lambda x: Tensor([x, x], requires_grad=True)])
def test_replayed(name: str, kind: Any) -> None:
    f, first, other = of(name)
    leaves = [kind(x) for x in first]
    count = 1 if isinstance(leaves[0], Value) else 2
    y = f(*leaves)
    loss = y if count == 1 else y.sum()
    run = replay(loss)
    for args in (other, first):
        for leaf, x in zip(leaves, args, strict=True):
            leaf.data = x if count == 1 else np.array([x, x])
        assert run() == pytest.approx(count * f(*args), rel=1e-14)
        run.forward()
        run.backward()
        for leaf, slope in zip(leaves, grad(f, tuple(range(len(args))))(*args), strict=True):
            assert np.ravel(leaf.grad)[0] == pytest.approx(slope, rel=1e-14)


@pytest.mark.parametrize("suffix", [".c", ".js"])
@pytest.mark.parametrize("name", sorted(BY_PYTHON))
def test_what_python_computes_is_not_exported(name: str, suffix: str, tmp_path: Path) -> None:
    f, first, _ = of(name)
    with pytest.raises(OptionError, match=r"Use compile\(f\)"):
        export(f, *first, path=tmp_path / f"f{suffix}")


SUFFIXES = [
    pytest.param(".c", marks=pytest.mark.skipif(not COMPILERS, reason="no compiler is installed")),
    pytest.param(".js", marks=pytest.mark.skipif(not NODE, reason="Node is not installed")),
]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in BY_PYTHON])
def test_exported(name: str, suffix: str, tmp_path: Path) -> None:
    f, first, other = of(name)
    path = tmp_path / f"f{suffix}"
    export(f, *first, path=path)
    if suffix == ".c":
        status, (result, gradient) = load_c(path)["f_gradient"](*other)
    else:
        ((status, (result, gradient)),) = run_js(path, "f_gradient", [1, 1], [list(other)])
    assert status == 0
    assert [*result, *gradient] == pytest.approx([*value_and_grad(f)(*other)], rel=1e-13)
