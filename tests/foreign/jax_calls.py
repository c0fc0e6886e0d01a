"""One call of each function of JAX that has a derivative, made from the names of its modules.

A function is called with the first of some usual arguments that it takes and whose result depends
on them; ``SPECIAL`` has the calls of those that take other arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np

Call = tuple[Callable[..., Any], tuple[Any, ...]]

MODULES: dict[str, ModuleType] = {
    "jax.numpy": jnp,
    "jax.lax": jax.lax,
    "jax.nn": jax.nn,
    "jax.scipy.special": jax.scipy.special,
    "jax.numpy.linalg": jnp.linalg,
}

_rng = np.random.default_rng(0)


def _drawn(*shape: int) -> jax.Array:
    return jnp.asarray(_rng.uniform(0.2, 0.8, shape), jnp.float32)


VECTOR, OTHER, MATRIX = _drawn(4), _drawn(4), _drawn(4, 4) + 2.0 * jnp.eye(4, dtype=jnp.float32)
LARGER = VECTOR + 1.5
USUAL: tuple[tuple[Any, ...], ...] = (
    (VECTOR,), (LARGER,), (VECTOR, OTHER), (MATRIX,), (MATRIX, MATRIX.T), (VECTOR, OTHER, LARGER),
    (VECTOR, 1), (1, LARGER), (MATRIX, 1), ([VECTOR, OTHER],), (MATRIX, VECTOR), (VECTOR, (2, 2)),
    (MATRIX, (1, 0)), (MATRIX, 0, 1), (VECTOR, 0, 2), (VECTOR, OTHER, LARGER, LARGER + 1.0),
)  # fmt: skip
INDEX = jnp.array([2, 0])

x, y, m = VECTOR, OTHER, MATRIX
image, kernel = _drawn(1, 2, 6, 6), _drawn(3, 2, 3, 3)
SPECIAL: dict[str, Call] = {
    "jax.numpy.einsum": (lambda a, b: jnp.einsum("ij,jk->ik", a, b), (m, m)),
    "jax.numpy.where": (lambda a, b: jnp.where(a > 0.5, a, b), (x, y)),
    "jax.numpy.interp": (lambda a, b: jnp.interp(a, jnp.array([0.0, 0.4, 1.0]), b), (x, y[:3])),
    "jax.numpy.piecewise": (lambda a: jnp.piecewise(a, [a > 0.5], [jnp.sin, jnp.cos]), (x,)),
    "jax.numpy.select": (lambda a, b: jnp.select([a > 0.5], [b], a), (x, y)),
    "jax.numpy.take": (lambda a: jnp.take(a, INDEX), (x,)),
    "jax.numpy.take_along_axis": (lambda a: jnp.take_along_axis(a, INDEX, 0), (x,)),
    "jax.numpy.put": (lambda a, b: jnp.put(a, INDEX, b, inplace=False), (x, y[:2])),
    "jax.numpy.put_along_axis": (
        lambda a, b: jnp.put_along_axis(a, INDEX, b, 0, inplace=False), (x, y[:2])),
    "jax.numpy.insert": (lambda a, b: jnp.insert(a, 1, b), (x, y[0])),
    "jax.numpy.choose": (lambda a, b: jnp.choose(jnp.array([0, 1, 1, 0]), [a, b]), (x, y)),
    "jax.numpy.apply_along_axis": (lambda a: jnp.apply_along_axis(jnp.sort, 0, a), (m,)),
    "jax.numpy.apply_over_axes": (lambda a: jnp.apply_over_axes(jnp.sum, a, [0]), (m,)),
    "jax.numpy.block": (lambda a, b: jnp.block([[a, b]]), (m, m)),
    "jax.numpy.array_split": (lambda a: jnp.array_split(a, 3)[0], (x,)),
    "jax.numpy.compress": (
        lambda a: jnp.compress(jnp.array([True, False, True, True]), a), (x,)),
    "jax.numpy.extract": (
        lambda a: jnp.extract(jnp.array([True, False, True, True]), a, size=3), (x,)),
    "jax.numpy.place": (
        lambda a, b: jnp.place(a, jnp.array([True, False] * 2), b, inplace=False), (x, y)),
    "jax.numpy.fill_diagonal": (lambda a: jnp.fill_diagonal(a, 1.0, inplace=False), (m,)),
    "jax.numpy.pad": (lambda a: jnp.pad(a, 1, mode="reflect"), (x,)),
    "jax.numpy.percentile": (lambda a: jnp.percentile(a, 30.0), (x,)),
    "jax.numpy.nanpercentile": (lambda a: jnp.nanpercentile(a, 30.0), (x,)),
    "jax.numpy.quantile": (lambda a: jnp.quantile(a, 0.3), (x,)),
    "jax.numpy.nanquantile": (lambda a: jnp.nanquantile(a, 0.3), (x,)),
    "jax.numpy.polyfit": (lambda a, b: jnp.polyfit(a, b, 2), (x, y)),
    "jax.numpy.vectorize": (lambda a: jnp.vectorize(jnp.sin)(a), (x,)),
    "jax.numpy.cov": (jnp.cov, (m,)),
    "jax.numpy.histogram": (lambda a, b: jnp.histogram(a, 3, weights=b)[0], (x, y)),
    "jax.numpy.bincount": (
        lambda b: jnp.bincount(jnp.array([0, 1, 1, 2]), b, length=3), (x,)),
    "jax.numpy.cross": (jnp.cross, (x[:3], y[:3])),
    "jax.numpy.split": (lambda a: jnp.split(a, 2)[0], (x,)),
    "jax.numpy.tensordot": (lambda a, b: jnp.tensordot(a, b, 1), (m, m)),
    "jax.numpy.unstack": (lambda a: jnp.unstack(a)[0], (m,)),
    "jax.numpy.ldexp": (lambda a: jnp.ldexp(a, jnp.array([1, 2, 0, 1])), (x,)),
    "jax.numpy.float_power": (jnp.float_power, (x, y)),
    "jax.numpy.linspace": (lambda a, b: jnp.linspace(a, b, 5), (x[0], y[0] + 1.0)),
    "jax.numpy.logspace": (lambda a, b: jnp.logspace(a, b, 5), (x[0], y[0] + 1.0)),
    "jax.numpy.geomspace": (lambda a, b: jnp.geomspace(a, b, 5), (x[0], y[0] + 1.0)),
    "jax.numpy.full": (lambda a: jnp.full(3, a), (x[0],)),
    "jax.numpy.full_like": (lambda a: jnp.full_like(x, a), (x[0],)),
    "jax.lax.cond": (lambda a: jax.lax.cond(a[0] > 0.5, jnp.sin, jnp.cos, a), (x,)),
    "jax.lax.switch": (lambda a: jax.lax.switch(1, [jnp.sin, jnp.cos], a), (x,)),
    "jax.lax.map": (lambda a: jax.lax.map(jnp.sin, a), (x,)),
    "jax.lax.scan": (lambda a: jax.lax.scan(lambda c, v: (c * v, c), a[0], a)[0], (x,)),
    "jax.lax.fori_loop": (lambda a: jax.lax.fori_loop(0, 3, lambda i, v: jnp.sin(v), a), (x,)),
    "jax.lax.while_loop": (
        lambda a: jax.lax.while_loop(
            lambda v: v[0] < 3, lambda v: (v[0] + 1, v[1] * 0.5), (0, jax.lax.stop_gradient(a))
        )[1] * a, (x,)),
    "jax.lax.associative_scan": (lambda a: jax.lax.associative_scan(jnp.multiply, a), (x,)),
    "jax.lax.broadcast_in_dim": (lambda a: jax.lax.broadcast_in_dim(a, (2, 4), (1,)), (x,)),
    "jax.lax.clamp": (lambda a: jax.lax.clamp(0.3, a, 0.6), (x,)),
    "jax.lax.concatenate": (lambda a, b: jax.lax.concatenate([a, b], 0), (x, y)),
    "jax.lax.conv": (lambda a, b: jax.lax.conv(a, b, (1, 1), "SAME"), (image, kernel)),
    "jax.lax.conv_general_dilated": (
        lambda a, b: jax.lax.conv_general_dilated(a, b, (1, 1), [(0, 1), (2, 0)]),
        (image, kernel)),
    "jax.lax.conv_transpose": (
        lambda a, b: jax.lax.conv_transpose(
            a, b, (2, 2), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW")), (image, kernel)),
    "jax.lax.conv_with_general_padding": (
        lambda a, b: jax.lax.conv_with_general_padding(
            a, b, (1, 1), [(1, 1), (1, 1)], None, None), (image, kernel)),
    "jax.lax.convert_element_type": (lambda a: jax.lax.convert_element_type(a, "float16"), (x,)),
    "jax.lax.dot_general": (
        lambda a, b: jax.lax.dot_general(a, b, (((1,), (0,)), ((), ()))), (m, m)),
    "jax.lax.dynamic_slice": (lambda a: jax.lax.dynamic_slice(a, (1,), (2,)), (x,)),
    "jax.lax.dynamic_slice_in_dim": (lambda a: jax.lax.dynamic_slice_in_dim(a, 1, 2), (x,)),
    "jax.lax.dynamic_index_in_dim": (lambda a: jax.lax.dynamic_index_in_dim(a, 1), (m,)),
    "jax.lax.dynamic_update_slice": (
        lambda a, b: jax.lax.dynamic_update_slice(a, b, (1,)), (x, y[:2])),
    "jax.lax.dynamic_update_slice_in_dim": (
        lambda a, b: jax.lax.dynamic_update_slice_in_dim(a, b, 1, 0), (x, y[:2])),
    "jax.lax.dynamic_update_index_in_dim": (
        lambda a, b: jax.lax.dynamic_update_index_in_dim(a, b, 1, 0), (m, x)),
    "jax.lax.expand_dims": (lambda a: jax.lax.expand_dims(a, (0,)), (x,)),
    "jax.lax.gather": (lambda a: a[INDEX], (x,)),
    "jax.lax.index_take": (lambda a: jax.lax.index_take(a, (INDEX,), (0,)), (x,)),
    "jax.lax.integer_pow": (lambda a: jax.lax.integer_pow(a, 3), (x,)),
    "jax.lax.pad": (lambda a: jax.lax.pad(a, 0.0, [(1, -1, 1)]), (x,)),
    "jax.lax.reduce_window": (
        lambda a: jax.lax.reduce_window(a, 0.0, jax.lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"),
        (image,)),
    "jax.lax.reduce_max": (lambda a: jax.lax.reduce_max(a, [0]), (x,)),
    "jax.lax.reduce_min": (lambda a: jax.lax.reduce_min(a, [0]), (x,)),
    "jax.lax.reduce_sum": (lambda a: jax.lax.reduce_sum(a, [0]), (x,)),
    "jax.lax.reduce_prod": (lambda a: jax.lax.reduce_prod(a, [0]), (x,)),
    "jax.lax.reduce": (lambda a: jax.lax.reduce(a, 0.0, jax.lax.add, (0,)), (x,)),
    "jax.lax.reduce_precision": (lambda a: jax.lax.reduce_precision(a, 5, 10), (x,)),
    "jax.lax.reshape": (lambda a: jax.lax.reshape(a, (2, 2)), (x,)),
    "jax.lax.rev": (lambda a: jax.lax.rev(a, (0,)), (x,)),
    "jax.lax.scatter": (lambda a, b: a.at[INDEX].set(b), (x, y[:2])),
    "jax.lax.scatter_add": (lambda a, b: a.at[INDEX].add(b), (x, y[:2])),
    "jax.lax.scatter_sub": (lambda a, b: a.at[INDEX].subtract(b), (x, y[:2])),
    "jax.lax.scatter_mul": (lambda a, b: a.at[INDEX].multiply(b), (x, y[:2])),
    "jax.lax.scatter_max": (lambda a, b: a.at[INDEX].max(b), (x, y[:2])),
    "jax.lax.scatter_min": (lambda a, b: a.at[INDEX].min(b), (x, y[:2])),
    "jax.lax.scatter_apply": (lambda a: a.at[INDEX].apply(jnp.sin), (x,)),
    "jax.lax.select": (lambda a, b: jax.lax.select(a > 0.5, a, b), (x, y)),
    "jax.lax.select_n": (lambda a, b: jax.lax.select_n(a > 0.5, a, b), (x, y)),
    "jax.lax.slice": (lambda a: jax.lax.slice(a, (1,), (3,)), (x,)),
    "jax.lax.slice_in_dim": (lambda a: jax.lax.slice_in_dim(a, 1, 3), (x,)),
    "jax.lax.index_in_dim": (lambda a: jax.lax.index_in_dim(a, 1), (x,)),
    "jax.lax.split": (lambda a: jax.lax.split(a, (1, 3))[1], (x,)),
    "jax.lax.squeeze": (lambda a: jax.lax.squeeze(a[None], (0,)), (x,)),
    "jax.lax.top_k": (lambda a: jax.lax.top_k(a, 2)[0], (x,)),
    "jax.lax.transpose": (lambda a: jax.lax.transpose(a, (1, 0)), (m,)),
    "jax.lax.broadcast": (lambda a: jax.lax.broadcast(a, (2,)), (x,)),
    "jax.lax.betainc": (jax.lax.betainc, (2.0, 3.0, x)),
    "jax.lax.ragged_dot": (
        lambda a, b: jax.lax.ragged_dot(a, b, jnp.array([1, 3])), (m, jnp.stack([m, m]))),
    "jax.lax.batch_matmul": (jax.lax.batch_matmul, (m[None], m[None])),
    "jax.lax.custom_root": (
        lambda a: jax.lax.custom_root(
            lambda v: v * v - a, a, lambda f, v: jnp.sqrt(jax.lax.stop_gradient(a)),
            lambda g, v: v / g(1.0)), (x[0],)),
    "jax.nn.dot_product_attention": (
        jax.nn.dot_product_attention, (_drawn(1, 3, 2, 4), _drawn(1, 3, 2, 4), _drawn(1, 3, 2, 4))),
    "jax.nn.glu": (jax.nn.glu, (x,)),
    "jax.nn.logmeanexp": (jax.nn.logmeanexp, (x,)),
    "jax.nn.standardize": (jax.nn.standardize, (m,)),
    "jax.scipy.special.multigammaln": (lambda a: jax.scipy.special.multigammaln(a, 2), (LARGER,)),
    "jax.scipy.special.polygamma": (lambda a: jax.scipy.special.polygamma(1, a), (LARGER,)),
    "jax.scipy.special.betainc": (jax.scipy.special.betainc, (2.0, 3.0, x)),
    "jax.scipy.special.zeta": (lambda a: jax.scipy.special.zeta(2.5, a), (LARGER,)),
    "jax.scipy.special.rel_entr": (jax.scipy.special.rel_entr, (x, y)),
    "jax.scipy.special.kl_div": (jax.scipy.special.kl_div, (x, y)),
    "jax.scipy.special.expn": (lambda a: jax.scipy.special.expn(2, a), (x,)),
    "jax.scipy.special.hyp1f1": (lambda a: jax.scipy.special.hyp1f1(1.0, 2.0, a), (x,)),
    "jax.scipy.special.hyp2f1": (lambda a: jax.scipy.special.hyp2f1(1.0, 2.0, 3.0, a), (x,)),
    "jax.scipy.special.boxcox": (jax.scipy.special.boxcox, (x, y)),
    "jax.scipy.special.boxcox1p": (jax.scipy.special.boxcox1p, (x, y)),
    "jax.numpy.linalg.solve": (jnp.linalg.solve, (m, x)),
    "jax.numpy.linalg.cholesky": (lambda a: jnp.linalg.cholesky(a @ a.T), (m,)),
    "jax.numpy.linalg.multi_dot": (lambda a, b: jnp.linalg.multi_dot([a, b, a]), (m, m)),
    "jax.numpy.linalg.matrix_power": (lambda a: jnp.linalg.matrix_power(a, 3), (m,)),
    "jax.numpy.linalg.tensorinv": (lambda a: jnp.linalg.tensorinv(a.reshape(2, 2, 4)), (m,)),
    "jax.numpy.linalg.eigh": (lambda a: jnp.linalg.eigh(a + a.T)[0], (m,)),
    "jax.numpy.linalg.svd": (lambda a: jnp.linalg.svd(a)[1], (m,)),
    "jax.numpy.linalg.qr": (lambda a: jnp.linalg.qr(a)[1], (m,)),
}  # fmt: skip

PARALLEL = {
    *("all_gather", "all_to_all", "pmax", "pmean", "pmin", "ppermute", "pshuffle", "psum"),
    *("psum_scatter", "pswapaxes", "pcast", "pvary", "axis_index", "axis_size", "infeed"),
    *("all_gather_reduced", "preduced", "outfeed"),
}
NO_CALL = {"empty", "empty_like", "frompyfunc", "fromfile", "fromfunction", "save", "savez"}


def _total(f: Callable[..., Any], *args: Any) -> Any:
    leaves = [
        v for v in jax.tree_util.tree_leaves(f(*args)) if jnp.issubdtype(v.dtype, jnp.inexact)
    ]
    return sum(jnp.sum(jnp.abs(v) if jnp.iscomplexobj(v) else v * v) for v in leaves)


def _depends(f: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """Return whether a gradient flows from an argument to a result of the call."""
    try:
        leaves, tree = jax.tree_util.tree_flatten(args)
        floats = [i for i, v in enumerate(leaves) if getattr(v, "dtype", None) == jnp.float32]

        def g(*some: Any) -> Any:
            given = list(leaves)
            for i, s in zip(floats, some, strict=True):
                given[i] = s
            return _total(f, *jax.tree_util.tree_unflatten(tree, given))

        found = jax.grad(g, argnums=tuple(range(len(floats))))(*[leaves[i] for i in floats])
        return any(bool(jnp.any(t != 0.0)) for t in found)
    except Exception:  # these arguments are not for this function, or it has no derivative
        return False


def calls() -> Iterator[tuple[str, Call]]:
    """Yield the name of each function that has a derivative, and a call of it."""
    for module, room in MODULES.items():
        for name in sorted(dir(room)):
            f = getattr(room, name)
            full = f"{module}.{name}"
            usable = callable(f) and not inspect.isclass(f) and not name.startswith("_")
            if not usable or name.endswith("_p") or name in PARALLEL or name in NO_CALL:
                continue
            if full in SPECIAL:
                f, args = SPECIAL[full]
                yield full, (partial(_total, f), args)
                continue
            for args in USUAL:
                if _depends(f, args):
                    yield full, (partial(_total, f), args)
                    break
