"""Transforms beside JAX: the same programs, alone, nested in each other, on numbers and containers.

A program is written once, for a side: ``program(s)`` uses the functions and the transforms that
``s`` has under one name, be it gradwalk or JAX, and returns numbers and arrays in any container.
"""

from __future__ import annotations

import itertools
import warnings
from collections import namedtuple
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gradwalk

pytestmark = pytest.mark.peer

CLOSE = 1e-12  # of the largest number of an array
R = np.random.default_rng(11)
A, B = R.normal(size=(3, 3)), R.normal(size=(3, 4))
X, Y, W = R.normal(size=3), R.uniform(0.5, 1.5, size=3), R.normal(size=3)
XS, BATCH = R.normal(size=(5, 3)), R.normal(size=(2, 3, 4))
Side = Any


# --- the two sides --------------------------------------------------------------------------------


def on_gradwalk() -> Side:
    gw = gradwalk
    return SimpleNamespace(
        **{name: getattr(gw, name) for name in SAME},
        name="gradwalk",
        np=gw,
        jvp=lambda f, xs, vs: gw.jvp(f, xs, vs),
        vjp=lambda f, *xs: gw.vjp(f, *xs),
        jacfwd=lambda f, argnums=0: gw.jacobian(f, argnums, "forward"),
        jacrev=lambda f, argnums=0: gw.jacobian(f, argnums, "reverse"),
        hvp=gw.hvp,
        hold=gw.stop_gradient,
        loop=gw.while_loop,
        custom=lambda f, vjp: gw.custom_rule(f, vjp=vjp),
        taylor=lambda f, order: gw.taylor(f, 0.0, order).derivatives,
        fixed=lambda f, x, *args: gw.fixed_point(f, x, *args, tolerance=1e-15),
    )


SAME = ["grad", "value_and_grad", "linearize", "hessian", "vmap", "checkpoint", "scan"]


def on_jax(jax: Any) -> Side:
    return SimpleNamespace(
        **{name: getattr(jax, name) for name in SAME[:-1]},
        name="jax",
        np=SimpleNamespace(
            **{
                **vars(jax.numpy),
                "softmax": jax.nn.softmax,
                "sigmoid": jax.nn.sigmoid,
                "logsumexp": jax.nn.logsumexp,
                "concat": jax.numpy.concatenate,
            }
        ),
        jvp=jax.jvp,
        vjp=jax.vjp,
        jacfwd=jax.jacfwd,
        jacrev=jax.jacrev,
        hvp=lambda f, x, v: jax.jvp(jax.grad(f), (x,), (v,))[1],
        scan=jax.lax.scan,
        hold=jax.lax.stop_gradient,
        loop=_unrolled,
        custom=partial(_custom, jax),
        taylor=partial(_nested, jax),
        fixed=_iterated,
    )


def _unrolled(cond: Any, body: Any, x: Any) -> Any:
    """JAX has no reverse mode for its own loop."""
    while cond(x):
        x = body(x)
    return x


def _custom(jax: Any, f: Any, vjp: Any) -> Any:
    g = jax.custom_vjp(f)

    def forward(*args: Any) -> Any:
        y = f(*args)
        return y, (y, args)

    def backward(saved: Any, t: Any) -> Any:
        y, args = saved
        shares = vjp(t, y, *args)
        return shares if isinstance(shares, tuple) else (shares,)

    g.defvjp(forward, backward)
    return g


def _nested(jax: Any, f: Any, order: int) -> Any:
    """Derivatives of one number by nested forward mode."""
    found, g = [], f
    for _ in range(order + 1):
        found.append(g(0.0))
        g = partial(lambda g, h: jax.jvp(g, (h,), (1.0,))[1], g)
    return tuple(found)


def _iterated(f: Any, x: Any, *args: Any) -> Any:
    for _ in range(60):
        x = f(x, *args)
    return x


@pytest.fixture(scope="session")
def jax() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("jax")
    module.config.update("jax_enable_x64", True)
    return module


def leaves(x: Any, path: str = "") -> dict[str, Any]:
    """All numbers of a container by their place in it, whatever the kinds of its containers."""
    if isinstance(x, dict):
        return {k: v for key in x for k, v in leaves(x[key], f"{path}[{key!r}]").items()}
    if isinstance(x, (list, tuple)):
        kind = type(x).__name__ if hasattr(x, "_fields") else ""
        pairs = enumerate(x)
        return {k: v for i, part in pairs for k, v in leaves(part, f"{path}{kind}[{i}]").items()}
    return {path: np.asarray(getattr(x, "_data", x), float)}


def compare(jax: Any, program: Callable[[Side], Any], close: float = CLOSE) -> None:
    got, expected = leaves(program(on_gradwalk())), leaves(program(on_jax(jax)))
    assert got.keys() == expected.keys()
    assert got
    for place, wanted in expected.items():
        assert got[place].shape == wanted.shape, place
        assert np.isfinite(wanted).all(), "a program that proves nothing"
        scale = float(np.abs(wanted).max(initial=1e-300))
        np.testing.assert_allclose(got[place], wanted, rtol=0.0, atol=close * scale, err_msg=place)


# --- one transform --------------------------------------------------------------------------------

Point = namedtuple("Point", "x y")


def curve(s: Side) -> Any:
    return lambda x: s.np.exp(s.np.sin(x)) * x


def field(s: Side) -> Any:
    """Three numbers of three."""
    return lambda x: s.np.tanh(A @ x) * x + s.np.sin(x)


def energy(s: Side) -> Any:
    return lambda x: s.np.sum(s.np.tanh(A @ x) * x) + s.np.exp(x[0] * x[1])


def model(s: Side) -> Any:
    """Of a dictionary of parameters, and an example."""

    def loss(p: Any, x: Any) -> Any:
        hidden = s.np.tanh(p["layers"][0] @ x + p["bias"])
        return s.np.sum(s.np.softmax(p["layers"][1] @ hidden) * W) * p["scale"]

    return loss


PARAMETERS = {"bias": W, "layers": [A, A.T], "scale": 1.5}
EXAMPLE = {"a": 0.5, "b": [X, (Y, 2.0)], "p": Point(0.25, X)}


def tree(s: Side) -> Any:
    """A container of a container."""

    def f(t: Any) -> Any:
        u, (v, c), p = t["b"][0], t["b"][1], t["p"]
        return {"q": s.np.sum(u * v) ** 2 * t["a"], "r": [p.x * s.np.sin(p.y) * c, Point(c, u * v)]}

    return f


def total(s: Side, f: Any) -> Any:
    """The sum of all results of a function."""
    return lambda *xs: (
        sum(s.np.sum(y) if y.shape else y for y in _numbers(f(*xs)) if hasattr(y, "shape"))
        + sum(y for y in _numbers(f(*xs)) if not hasattr(y, "shape"))
    )


def _numbers(x: Any) -> list[Any]:
    if isinstance(x, dict):
        return [n for part in x.values() for n in _numbers(part)]
    if isinstance(x, (list, tuple)):
        return [n for part in x for n in _numbers(part)]
    return [x]


def two(s: Side) -> Any:
    return lambda a, b: s.np.sin(a) * b + a / b


def mapped(s: Side) -> Any:
    return lambda a, x: s.np.logsumexp(a @ x) * x


ALONE: dict[str, Callable[[Side], Any]] = {
    # grad and value_and_grad
    "grad of a number": lambda s: s.grad(curve(s))(0.7),
    "grad of an array": lambda s: s.grad(energy(s))(X),
    "grad of a matrix": lambda s: s.grad(lambda a: s.np.sum(s.np.exp(a @ a)))(A),
    "grad of parameters": lambda s: s.grad(model(s))(PARAMETERS, X),
    "grad of the second": lambda s: s.grad(model(s), 1)(PARAMETERS, X),
    "grad of both": lambda s: s.grad(model(s), argnums=(0, 1))(PARAMETERS, X),
    "grad in another order": lambda s: s.grad(two(s), argnums=(1, 0))(0.5, 1.5),
    "grad from the end": lambda s: s.grad(two(s), argnums=-1)(0.5, 1.5),
    "grad of a container": lambda s: s.grad(total(s, tree(s)))(EXAMPLE),
    "grad of what is not used": lambda s: s.grad(lambda x, y: x * x, argnums=(0, 1))(2.0, 3.0),
    "grad with aux": lambda s: s.grad(lambda x: (s.np.sum(x * x), {"n": x}), has_aux=True)(X),
    "value and grad": lambda s: s.value_and_grad(model(s))(PARAMETERS, X),
    "value and grad with aux": lambda s: s.value_and_grad(
        lambda x: (curve(s)(x), [x * 2.0]), has_aux=True
    )(0.3),
    "third derivative": lambda s: s.grad(s.grad(s.grad(curve(s))))(0.7),
    # vjp
    "vjp of a number": lambda s: _pulled(s.vjp(curve(s), 0.7), 2.0),
    "vjp of an array": lambda s: _pulled(s.vjp(field(s), X), Y),
    "vjp of two": lambda s: _pulled(s.vjp(two(s), X, Y), W),
    "vjp of a container": lambda s: _pulled(
        s.vjp(tree(s), EXAMPLE), {"q": 0.5, "r": [Y, Point(2.0, W)]}
    ),
    "a pullback that is called often": lambda s: [s.vjp(field(s), X)[1](w) for w in A],
    "a second-order pullback": lambda s: s.grad(
        lambda x: s.np.sum(s.vjp(field(s), x)[1](Y)[0] ** 2)
    )(X),
    "the gradient of a cotangent": lambda s: s.grad(
        lambda u: s.np.sum(s.vjp(field(s), X)[1](u)[0] ** 2)
    )(Y),
    # jvp and linearize
    "jvp of a number": lambda s: s.jvp(curve(s), (0.7,), (2.0,)),
    "jvp of an array": lambda s: s.jvp(field(s), (X,), (Y,)),
    "jvp of two": lambda s: s.jvp(two(s), (X, Y), (W, X)),
    "jvp of a container": lambda s: s.jvp(tree(s), (EXAMPLE,), (EXAMPLE,)),
    "linearize of a number": lambda s: _pulled(s.linearize(curve(s), 0.7), 2.0),
    "linearize of an array": lambda s: _pulled(s.linearize(field(s), X), Y),
    "linearize of a container": lambda s: _pulled(s.linearize(tree(s), EXAMPLE), EXAMPLE),
    # Jacobians and Hessians
    "jacfwd": lambda s: s.jacfwd(field(s))(X),
    "jacrev": lambda s: s.jacrev(field(s))(X),
    "jacobians of a number": lambda s: (s.jacfwd(curve(s))(0.7), s.jacrev(curve(s))(0.7)),
    "jacfwd of a number and arrays": lambda s: s.jacfwd(lambda c: s.np.sin(c * A))(0.3),
    "jacrev of matrices": lambda s: s.jacrev(lambda a: a @ a.T)(B),
    "jacfwd of matrices": lambda s: s.jacfwd(lambda a: a @ a.T)(B),
    "jacrev of a container": lambda s: s.jacrev(tree(s))(EXAMPLE),
    "jacfwd of a container": lambda s: s.jacfwd(tree(s))(EXAMPLE),
    "jacrev of two": lambda s: s.jacrev(two(s), argnums=(0, 1))(X, Y),
    "jacfwd of two": lambda s: s.jacfwd(two(s), argnums=(1, 0))(X, Y),
    "hessian": lambda s: s.hessian(energy(s))(X),
    "hessian of a number": lambda s: s.hessian(curve(s))(0.7),
    "hessian of parameters": lambda s: s.hessian(model(s))(PARAMETERS, X),
    "hessian of two": lambda s: s.hessian(lambda a, b: s.np.sum(two(s)(a, b)), argnums=(0, 1))(
        X, Y
    ),
    "hvp": lambda s: s.hvp(energy(s), X, Y),
    "hvp of parameters": lambda s: s.hvp(lambda p: model(s)(p, X), PARAMETERS, PARAMETERS),
    # vmap
    "vmap": lambda s: s.vmap(field(s))(XS),
    "vmap of two": lambda s: s.vmap(two(s))(XS, XS + 3.0),
    "vmap with one constant": lambda s: s.vmap(mapped(s), in_axes=(None, 0))(A, XS),
    "vmap with the other constant": lambda s: s.vmap(mapped(s), in_axes=(0, None))(XS[:, None], X),
    "vmap over another axis": lambda s: s.vmap(field(s), in_axes=1)(B),
    "vmap over the last axis": lambda s: s.vmap(lambda a: a.T @ a, in_axes=-1)(BATCH),
    "vmap to another axis": lambda s: s.vmap(field(s), in_axes=0, out_axes=1)(XS),
    "vmap to the last axis": lambda s: s.vmap(lambda x: x[:, None] * x, out_axes=-1)(XS),
    "vmap of a container": lambda s: s.vmap(tree(s))(_repeated(EXAMPLE)),
    "vmap with axes in containers": lambda s: s.vmap(
        lambda d, y: d["a"] * d["b"] + y, in_axes=({"a": 0, "b": None}, 1)
    )({"a": XS, "b": X}, XS.T),
    "vmap with axes out in containers": lambda s: s.vmap(
        lambda x: (x * 2.0, {"s": s.np.outer(x, x)}), out_axes=(1, {"s": 2})
    )(XS),
    "vmap in vmap": lambda s: s.vmap(s.vmap(s.np.dot, in_axes=(None, 0)), in_axes=(0, None))(XS, A),
    "vmap in vmap in vmap": lambda s: s.vmap(s.vmap(s.vmap(curve(s))))(BATCH),
    "vmap in vmap over other axes": lambda s: s.vmap(
        s.vmap(lambda x, y: s.np.sin(x) @ y, in_axes=(1, None), out_axes=0),
        in_axes=(0, 1),
        out_axes=1,
    )(BATCH, B[:, :2]),
    "vmap of what is constant": lambda s: s.vmap(lambda x: (x, A[0]), out_axes=(0, 0))(XS),
    "vmap with out None": lambda s: s.vmap(lambda x: (x, s.np.sum(X)), out_axes=(0, None))(XS),
    "vmap of reductions": lambda s: s.vmap(
        lambda a: (
            a.sum(),
            a.mean(axis=0),
            a.max(axis=1),
            s.np.softmax(a, axis=0),
            a.T,
            a[0],
            a[:, ::2],
        )
    )(BATCH),
    "vmap of where and sort": lambda s: s.vmap(
        lambda x: (
            (s.np.where(x > 0.0, x**2, s.np.exp(x)), s.np.sort(x), s.np.cumsum(x))
            if s.name == "jax"
            else (s.np.where(x > 0.0, x**2, s.np.exp(x)), s.np.sort(x), s.np.cumulative_sum(x))
        )
    )(XS),
    "vmap of gradients of parameters": lambda s: s.vmap(s.grad(model(s)), in_axes=(None, 0))(
        PARAMETERS, XS
    ),
    "gradients of vmap": lambda s: s.grad(
        lambda p: s.np.sum(s.vmap(lambda x: model(s)(p, x))(XS)) ** 2
    )(PARAMETERS),
    "vmap of linear algebra": lambda s: s.vmap(
        lambda a: (s.np.linalg.inv(a @ a.T + np.eye(3)), s.np.linalg.det(a @ a.T + np.eye(3)))
    )(BATCH),
    "gradient of vmap of solve": lambda s: s.grad(
        lambda v: s.np.sum(s.vmap(lambda x: s.np.linalg.solve(A + x[:, None] * x, v))(XS) ** 2)
    )(X),
    # checkpoint, stop_gradient
    "checkpoint": lambda s: s.grad(lambda x: s.checkpoint(energy(s))(x) ** 2)(X),
    "checkpoint in checkpoint": lambda s: s.grad(
        lambda x: s.checkpoint(lambda y: s.checkpoint(curve(s))(y) * y)(x)
    )(0.7),
    "checkpoint of a closure": lambda s: s.grad(
        lambda p: s.np.sum(s.checkpoint(lambda x: s.np.sin(p["w"] * x))(p["v"]))
    )({"v": X, "w": Y}),
    "hessian of checkpoint": lambda s: s.hessian(s.checkpoint(energy(s)))(X),
    "jvp of checkpoint": lambda s: s.jvp(s.checkpoint(tree(s)), (EXAMPLE,), (EXAMPLE,)),
    "held": lambda s: s.grad(lambda x: x * s.hold(x) ** 2)(3.0),
    "held array": lambda s: s.jvp(lambda x: s.hold(s.np.sin(x)) * x, (X,), (Y,)),
    "held container": lambda s: s.grad(
        lambda p: s.np.sum(p["a"] * s.hold({"c": p["a"] * p["b"]})["c"])
    )({"a": X, "b": Y}),
    # custom rules: not the derivative of f where it is taken once, to see that they are used
    "custom rule": lambda s: s.grad(s.custom(lambda x: x * x, lambda t, y, x: t * 3.0 * y))(2.0),
    "custom rule of two": lambda s: s.grad(
        lambda a, b: s.np.sum(_odd(s)(a, b) * W), argnums=(0, 1)
    )(X, Y),
    "custom rule twice": lambda s: s.grad(
        s.grad(s.custom(lambda x: x**3, lambda t, y, x: t * 3.0 * y / x))
    )(2.0),
    "custom rule under vmap": lambda s: s.vmap(s.grad(lambda x, y: s.np.sum(_odd(s)(x, y))))(
        XS, XS + 3.0
    ),
    # loops
    "scan": lambda s: s.scan(_step(s), X, XS),
    "scan without xs": lambda s: s.scan(lambda c, _: (c * 0.5, c[0]), X, None, length=4),
    "scan backwards": lambda s: s.scan(_step(s), X, XS, reverse=True),
    "scan of containers": lambda s: s.scan(
        lambda c, x: ({"p": c["p"] * x["a"], "q": c["q"] + x["b"]}, (c["p"], x["b"] * c["q"])),
        {"p": X, "q": 1.0},
        {"a": XS, "b": XS[:, 0]},
    ),
    "gradient of scan": lambda s: s.grad(
        lambda x, xs: s.np.sum(s.scan(_step(s), x, xs)[1] ** 2), argnums=(0, 1)
    )(X, XS),
    "tangent of scan": lambda s: s.jvp(
        lambda x, xs: s.scan(_step(s), x, xs), (X, XS), (Y, XS[::-1].copy())
    ),
    "hessian of scan": lambda s: s.hessian(lambda x: s.np.sum(s.scan(_step(s), x, XS)[0]))(X),
    "vmap of scan": lambda s: s.vmap(lambda x: s.scan(_step(s), x, XS))(XS + 1.0),
    "vmap of gradient of scan": lambda s: s.vmap(
        s.grad(lambda x: s.np.sum(s.scan(_step(s), x, XS)[0]))
    )(XS + 1.0),
    "gradient of while": lambda s: s.grad(
        lambda a: s.loop(lambda x: abs(x * x - a) > 1e-9, lambda x: (x + a / x) / 2.0, a)
    )(2.0),
    "hessian of while": lambda s: s.hessian(
        lambda x: s.np.sum(
            s.loop(lambda c: s.np.sum(c * c) > 0.1, lambda c: c * 0.5 * s.np.cos(c), x)
        )
    )(X),
    # fixed points: JAX goes through all steps
    "fixed point": lambda s: s.grad(lambda a: s.fixed(lambda x, a: s.np.cos(a * x), 0.5, a))(0.8),
    "fixed point of an array": lambda s: s.jacrev(
        lambda a: s.fixed(lambda x, a: s.np.tanh(0.3 * (A @ x)) + a, np.zeros(3), a)
    )(X),
    "hessian of a fixed point": lambda s: s.hessian(
        lambda a: s.np.sum(s.fixed(lambda x, a: s.np.tanh(0.3 * (A @ x)) * a + a, np.zeros(3), a))
    )(X),
}


def _pulled(pair: Any, t: Any) -> Any:
    y, g = pair
    return y, g(t)


def _repeated(x: Any) -> Any:
    """Three different examples like ``x``."""
    if isinstance(x, dict):
        return {key: _repeated(part) for key, part in x.items()}
    if hasattr(x, "_fields"):
        return type(x)(*map(_repeated, x))
    if isinstance(x, (list, tuple)):
        return type(x)(map(_repeated, x))
    return np.stack([x, np.asarray(x) * 2.0, np.asarray(x) + 1.0])


def _odd(s: Side) -> Any:
    return s.custom(lambda a, b: a * b, lambda t, y, a, b: (t * b * y, t * s.np.sin(a)))


def _step(s: Side) -> Any:
    return lambda c, x: (s.np.tanh(c * x) + 0.5 * c, s.np.sin(c) * x[0])


@pytest.mark.parametrize("name", ALONE)
def test_transforms_beside_jax(jax: Any, name: str) -> None:
    compare(jax, ALONE[name])


# --- what JAX calls otherwise ---------------------------------------------------------------------


def test_while_loop_in_forward_mode(jax: Any) -> None:
    def program(s: Side, loop: Any) -> Any:
        def f(x: Any) -> Any:
            return loop(lambda c: s.np.sum(c * c) > 0.1, lambda c: c * 0.5 * s.np.cos(c), x)

        return f(X), s.jvp(f, (X,), (Y,)), s.jacfwd(f)(X)

    loops = {"jax": jax.lax.while_loop, "gradwalk": gradwalk.while_loop}
    compare(jax, lambda s: program(s, loops[s.name]))


SERIES: dict[str, Callable[[Side], Callable[[Any], Any]]] = {
    "sin": lambda s: lambda h: s.np.sin(0.5 + h),
    "exp": lambda s: lambda h: s.np.exp(0.5 + h) * h,
    "log": lambda s: lambda h: s.np.log(1.5 + h),
    "quotient": lambda s: lambda h: (1.0 + h) / (2.0 + h * h),
    "tanh": lambda s: lambda h: s.np.tanh(0.3 + h),
    "sigmoid": lambda s: lambda h: s.np.sigmoid(0.3 + h * 2.0),
    "sqrt": lambda s: lambda h: s.np.sqrt(2.0 + h),
    "array": lambda s: lambda h: s.np.exp(X + h * Y) @ A,
    "sum": lambda s: lambda h: s.np.sum(s.np.sin(X + h * Y) * s.np.cos(Y * h)),
}


@pytest.mark.parametrize("name", SERIES)
def test_taylor_beside_jet(jax: Any, name: str) -> None:
    from jax.experimental.jet import jet

    def theirs(f: Any, order: int) -> Any:
        y, rest = jet(f, (0.0,), ([1.0] + [0.0] * (order - 1),))
        return (y, *rest)

    def program(s: Side) -> Any:
        f = SERIES[name](s)
        return theirs(f, 6) if s.name == "jax" else s.taylor(f, 6)

    compare(jax, program, close=1e-11)
    compare(jax, lambda s: s.taylor(SERIES[name](s), 3))


# --- every pair, both ways ------------------------------------------------------------------------
# Each transform makes of a function of three numbers, with three results, another such one.

VECTORS: dict[str, Callable[[Side, Any], Any]] = {
    "grad": lambda s, f: s.grad(lambda x: s.np.sum(f(x) * W)),
    "value and grad": lambda s, f: (
        lambda x: _product(s.value_and_grad(lambda x: s.np.sum(f(x) * W))(x))
    ),
    "vjp": lambda s, f: lambda x: s.vjp(f, x)[1](s.np.sin(x))[0],
    "jvp": lambda s, f: lambda x: s.jvp(f, (x,), (s.np.cos(x),))[1],
    "linearize": lambda s, f: lambda x: s.linearize(f, x)[1](s.np.cos(x)),
    "jacfwd": lambda s, f: lambda x: s.jacfwd(f)(x) @ W,
    "jacrev": lambda s, f: lambda x: s.jacrev(f)(x).T @ W,
    "hessian": lambda s, f: lambda x: s.hessian(lambda x: s.np.sum(f(x) * Y))(x) @ W,
    "hvp": lambda s, f: lambda x: s.hvp(lambda x: s.np.sum(f(x) * Y), x, s.np.cos(x)),
    "vmap": lambda s, f: lambda x: s.vmap(f)(A * x).sum(axis=0),
    "vmap of columns": lambda s, f: lambda x: s.vmap(f, in_axes=1, out_axes=1)(A * x).sum(axis=1),
    "checkpoint": lambda s, f: s.checkpoint(f),
    "held": lambda s, f: lambda x: f(x) * s.hold(f(x * 0.5)),
    "custom rule": lambda s, f: lambda x: _odd(s)(f(x), x),
    "scan": lambda s, f: lambda x: s.scan(lambda c, a: (s.np.sin(f(c) * a), c[0]), x, XS[:2])[0],
    "while": lambda s, f: (
        lambda x: s.loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, s.np.sin(f(c[1]))), (0, x))[1]
    ),
    "taylor": lambda s, f: lambda x: s.taylor(lambda h: f(x + h * W), 2)[2],
    "fixed point": lambda s, f: (
        lambda x: s.fixed(lambda y, x: 0.1 * s.np.sin(f(s.np.sin(y))) + x, np.zeros(3), x)
    ),
}
FORWARD_ONLY_OF_CUSTOM = {"jvp", "linearize", "jacfwd", "hessian", "hvp", "taylor"}
"""JAX knows no forward mode of a function with a rule for reverse mode."""


def _product(pair: Any) -> Any:
    return pair[0] * pair[1]


PAIRS = [
    (outer, inner)
    for outer, inner in itertools.product(VECTORS, repeat=2)
    if not (inner == "custom rule" and outer in FORWARD_ONLY_OF_CUSTOM)
]


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_every_pair_beside_jax(jax: Any, outer: str, inner: str) -> None:
    compare(jax, lambda s: VECTORS[outer](s, VECTORS[inner](s, field(s)))(X), close=4e-12)


NUMBERS: dict[str, Callable[[Side, Any], Any]] = {
    "grad": lambda s, f: s.grad(f),
    "vjp": lambda s, f: lambda x: s.vjp(f, x)[1](s.np.sin(x))[0],
    "jvp": lambda s, f: lambda x: s.jvp(f, (x,), (s.np.cos(x),))[1],
    "linearize": lambda s, f: lambda x: s.linearize(f, x)[1](s.np.cos(x)),
    "jacfwd": lambda s, f: s.jacfwd(f),
    "jacrev": lambda s, f: s.jacrev(f),
    "hvp": lambda s, f: lambda x: s.hvp(f, x, s.np.cos(x)),
    "vmap": lambda s, f: lambda x: s.np.sum(s.vmap(f)(s.np.asarray(Y) * x)),
    "checkpoint": lambda s, f: s.checkpoint(f),
    "scan": lambda s, f: lambda x: s.scan(lambda c, a: (s.np.sin(f(c) * a), c), x, Y)[0],
    "taylor": lambda s, f: lambda x: s.taylor(lambda h: f(x + h), 2)[2],
    "fixed point": lambda s, f: (
        lambda x: s.fixed(lambda y, x: 0.1 * s.np.sin(f(s.np.sin(y))) + x, 0.0, x)
    ),
}


@pytest.mark.parametrize(("outer", "inner"), [*itertools.product(NUMBERS, repeat=2)])
def test_every_pair_of_numbers_beside_jax(jax: Any, outer: str, inner: str) -> None:
    compare(jax, lambda s: NUMBERS[outer](s, NUMBERS[inner](s, curve(s)))(0.7), close=4e-12)


TRIPLES = [
    *itertools.product(["grad", "jvp", "vmap"], repeat=3),
    ("vmap", "hessian", "scan"),
    ("jacrev", "checkpoint", "vmap"),
    ("hvp", "fixed point", "vmap"),
    ("vmap", "taylor", "grad"),
    ("grad", "vmap", "custom rule"),
    ("jvp", "scan", "checkpoint"),
    ("vmap", "linearize", "vmap"),
    ("checkpoint", "jacfwd", "held"),
]


@pytest.mark.parametrize("names", TRIPLES, ids=" of ".join)
def test_three_deep_beside_jax(jax: Any, names: tuple[str, ...]) -> None:
    def program(s: Side) -> Any:
        f = field(s)
        for name in reversed(names):
            f = VECTORS[name](s, f)
        return f(X)

    compare(jax, program, close=1e-11)
