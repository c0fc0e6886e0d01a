"""checkpoint and stop_gradient: the same derivatives as without, at every level, in less memory."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import (
    Tensor,
    Value,
    checkpoint,
    checkpoint_chain,
    errors,
    grad,
    gradients,
    hessian,
    hvp,
    jvp,
    linearize,
    nn,
    no_grad,
    random,
    sin,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)
from gradwalk.core import pytree as tree
from gradwalk.core.seeds import Draws, generator
from gradwalk.engine.reverse import consumer_counts

from ..helpers.peak_memory import SIZE, arrays_at_peak, step

F = Callable[..., Any]


def numbers(x: Any) -> list[Any]:
    """Everything in a container as plain arrays."""
    return [np.array(gw.levels.level.unwrap(leaf)) for leaf in tree.flatten(x)[0]]


def assert_same(found: Any, expected: Any) -> None:
    assert str(tree.flatten(found)[1]) == str(tree.flatten(expected)[1])
    for a, b in zip(numbers(found), numbers(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


# --- functions of numbers: three of two, a closure, a constant, an integer ------------------------


def of_numbers(w: Any) -> F:
    def f(p: dict[str, Any], scale: Any = 1.0) -> dict[str, Any]:
        u = sin(p["a"] * w) * p["b"]
        return {"u": u, "more": [u * scale + w * w, p["b"] / (1.0 + u * u)], "count": 3}

    return f


def reduced(f: F) -> F:
    """One number of what ``f`` gives."""

    def loss(a: Any, b: Any, scale: Any = 1.0) -> Any:
        r = f({"a": a, "b": b}, scale=scale)
        assert r["count"] == 3
        return r["u"] * r["more"][0] + r["more"][1] ** 2

    return loss


def both(w: Any) -> tuple[F, F]:
    return reduced(checkpoint(of_numbers(w))), reduced(of_numbers(w))


def third(f: F, *modes: F) -> F:
    for mode in modes:
        f = mode(f)
    return f


def forward(f: F) -> F:
    return lambda x: jvp(f, (x,), (1.0,))[1]


def reverse(f: F) -> F:
    return grad(f)


def pulling(f: F) -> F:
    return lambda x: vjp(f, x)[1](1.0)[0]


def pushing(f: F) -> F:
    return lambda x: linearize(f, x)[1](1.0)


MODES = (forward, reverse, pulling, pushing)


@pytest.mark.parametrize("first", MODES)
@pytest.mark.parametrize("second", MODES)
def test_two_modes_in_any_order(first: F, second: F) -> None:
    found, expected = [second(first(lambda a, f=f: f(a, 0.7, 2.0)))(0.5) for f in both(1.25)]
    assert found == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("modes", [(forward, reverse, reverse), (reverse, reverse, forward)])
def test_three_modes(modes: tuple[F, ...]) -> None:
    found, expected = [third(lambda a, f=f: f(a, 0.7), *modes)(0.5) for f in both(1.25)]
    assert found == pytest.approx(expected, rel=1e-13)


def test_values_keep_one_node_with_parts() -> None:
    results = []
    for f in (0, 1):
        a, b, w = Value(0.5), Value(0.7), Value(1.25)
        y = both(w)[f](a, b)
        y.backward()
        results.append((y.data, a.grad, b.grad, w.grad))
        kinds = {node.op for node in consumer_counts(y)}
        assert ("sin" in kinds) == bool(f)
        assert ("checkpoint" in kinds) != bool(f)
    assert results[0] == pytest.approx(results[1], rel=1e-14)


def test_values_are_differentiated_twice() -> None:
    results = []
    for f in (0, 1):
        a, b, w = Value(0.5), Value(0.7), Value(1.25)
        first = gradients(both(w)[f](a, b, a), (a, b, w), create_graph=True)
        second = [gradients(d, (a, b, w)) for d in first]
        results.append([[d.data for d in first], second])
    np.testing.assert_allclose(np.hstack(results[0][1]), np.hstack(results[1][1]), rtol=1e-13)
    assert results[0][0] == results[1][0]


def test_one_result_of_values_is_one_node() -> None:
    x = Value(2.0)
    y = checkpoint(lambda x: sin(x) * sin(x))(x)
    assert [operand is x for operand in y.operands] == [True]
    y.backward()
    y.backward()
    assert x.grad == pytest.approx(2 * np.sin(4.0))


def test_closures_of_other_levels() -> None:
    """Each of the three names belongs to another transform, and to the graph around them."""
    w = Value(0.3)

    def of(wrap: F) -> F:
        def f(a: Any) -> Any:
            def g(b: Any) -> Any:
                def h(c: Any) -> Any:
                    square = a * b  # of closures alone
                    return wrap(lambda c: sin(c * a) * b + w * c * square + a * square)(c)

                return grad(h)(b * a) + b * a

            return grad(g)(a * 0.5) * a

        return f

    found, expected = [grad(of(wrap))(1.3) for wrap in (checkpoint, lambda f: f)]
    assert found.data == pytest.approx(expected.data, rel=1e-13)
    found.backward()
    got, w.grad = w.grad, 0.0
    expected.backward()
    assert got == pytest.approx(w.grad, rel=1e-13)


def test_what_closures_compute_alone_is_found_again() -> None:
    w, v = Value(0.5), Value(0.25)

    def f(x: Any) -> Any:
        first, second = w * v, w - v  # new nodes at every run
        return sin(x * first) * second + x * w

    x = Value(2.0)
    checkpoint(f)(x).backward()
    found = x.grad, w.grad, v.grad
    x.grad = w.grad = v.grad = 0.0
    f(x).backward()
    assert found == (x.grad, w.grad, v.grad)


def test_nested_checkpoints() -> None:
    w = Value(0.7)

    def inner(x: Any, k: Any) -> Any:
        return sin(x * (w + k)) * k

    def outer(x: Any) -> Any:
        k = x * x
        return checkpoint(inner)(x, k) + checkpoint(lambda z: inner(z, w))(k) + grad(inner)(x, 2.0)

    def bare(x: Any) -> Any:
        k = x * x
        return inner(x, k) + inner(k, w) + grad(inner)(x, 2.0)

    for f in (checkpoint(outer), checkpoint(checkpoint(outer)), outer):
        x = Value(0.4)
        w.grad = 0.0
        f(x).backward()
        found = x.grad, w.grad
        x.grad = w.grad = 0.0
        bare(x).backward()
        assert found == pytest.approx((x.grad, w.grad), rel=1e-13)
        assert grad(lambda x, f=f: f(x))(0.4).data == pytest.approx(found[0], rel=1e-13)
        assert forward(lambda x, f=f: f(x))(0.4).data == pytest.approx(found[0], rel=1e-13)


def test_gradients_inside_of_a_checkpoint() -> None:
    w = Value(0.7)

    def f(x: Any) -> Any:
        g = checkpoint(lambda z: sin(z * x) * w * (w * w))
        return grad(g)(x * w) * x

    found, expected = [grad(wrap(f))(0.4) for wrap in (checkpoint, lambda f: f)]
    assert found.data == expected.data
    first = gradients(found, w), gradients(expected, w)
    assert first[0] == pytest.approx(first[1], rel=1e-13)


def test_results_that_are_arguments_or_constants() -> None:
    x, w = Value(2.0), Value(3.0)
    given, same, outside, number, text = checkpoint(lambda x, n: (x * w, x, w, 2.0, n))(x, "n")
    assert (number, text, outside is w) == (2.0, "n", True)
    (given + same + outside).backward()
    assert (x.grad, w.grad) == (4.0, 3.0)
    a, b = checkpoint(lambda x, y: (x * 2.0, y * y))(x, 5.0)
    assert type(b) is float
    assert a.op == "checkpoint"


@pytest.mark.parametrize("x", [2.0, 2, np.float64(2.0), np.ones(2), Tensor([1.0, 2.0])])
def test_plain_arguments_give_plain_results(x: Any) -> None:
    found, expected = checkpoint(lambda x: x * 2.0)(x), x * 2.0
    assert_same(found, expected)
    assert isinstance(found, type(expected)) or isinstance(expected, float)
    assert checkpoint(lambda: 3.0)() == 3.0


def test_without_recording_the_function_is_called() -> None:
    seen = []
    with no_grad():
        y = checkpoint(lambda x: seen.append(type(x)) or x * 2.0)(Value(1.0))
    assert (y.data, y.operands, seen) == (2.0, (), [Value])
    jvp(checkpoint(lambda x: seen.append(x._level.mode) or x), (1.0,), (1.0,))
    assert seen[1] == "jvp"


def test_no_grad_inside() -> None:
    w = Value(3.0)

    def f(x: Any) -> Any:
        with no_grad():
            scale = x * w
        return x * scale + stop_gradient(x) * w

    x = Value(2.0)
    for g in (checkpoint(f), f):
        d = gradients(g(x), (x, w), create_graph=True)
        assert [v.data for v in d] == [6.0, 2.0]
        assert gradients(d[0] * x, x) == 6.0


# --- arrays ---------------------------------------------------------------------------------------

W0 = np.linspace(-1.0, 1.0, 6).reshape(3, 2)
X0 = np.array([0.3, -0.2, 0.9])


def of_arrays(w: Tensor, v: Any) -> F:
    def f(x: Any, scale: Any = 1.0) -> dict[str, Any]:
        z = sin(x @ w) * scale * v
        z[0] = 0.3 * scale
        first, second = gw.split(z, 2)
        return {"a": first, "b": [gw.exp(second), x * 1.0], "n": 5}

    return f


def losses(w: Tensor, v: Any) -> tuple[F, F]:
    def of(f: F) -> F:
        def loss(x: Any, scale: Any = 1.0) -> Any:
            r = f(x, scale=scale)
            kept = (r["a"] ** 2).sum() * r["b"][0].sum() + (r["b"][1] ** 3).sum()
            return kept + (w**2).sum()

        return loss

    f = of_arrays(w, v)
    return of(checkpoint(f)), of(f)


def test_tensors_and_values_together() -> None:
    results = []
    for which in (0, 1):
        w, x, v = Tensor(W0, requires_grad=True), Tensor(X0, requires_grad=True), Value(1.5)
        scale = Value(0.4)
        y = losses(w, v)[which](x, scale)
        y.backward(retain_graph=True)
        y.backward()
        results.append((y.item(), x.grad, w.grad, v.grad, scale.grad))
    assert_same(*results)


def test_tensors_are_differentiated_twice() -> None:
    results = []
    for which in (0, 1):
        w, x = Tensor(W0, requires_grad=True), Tensor(X0, requires_grad=True)
        s, v = Tensor(0.4, requires_grad=True), Value(1.5)
        first = gradients(losses(w, v)[which](x, s), [x, w, s], create_graph=True)
        total = first[0].sum() + (first[1] ** 2).sum() + first[2]
        second = gradients(total, [x, w, s])
        total.backward()
        results.append((first, second, v.grad))
    assert_same(*results)


TRANSFORMED: dict[str, F] = {
    "grad": lambda h: grad(h)(X0, 0.4),
    "of a keyword": lambda h: grad(lambda s: h(X0, scale=s))(0.4),
    "grad grad": lambda h: grad(lambda x: grad(h)(x, 0.4).sum())(X0),
    "jvp grad": lambda h: jvp(lambda x: grad(h)(x, 0.4), (X0,), (X0,)),
    "grad jvp": lambda h: grad(lambda x: jvp(h, (x, 0.4), (x, 1.0))[1])(X0),
    "linearize": lambda h: linearize(h, X0, 0.4)[1](X0, 1.0),
    "hessian": lambda h: hessian(lambda x: h(x, 0.4))(X0),
    "hvp": lambda h: hvp(lambda x: h(x, 0.4), X0, X0),
    "two names": lambda h: grad(lambda w: grad(lambda x: h(x * w, 0.4))(X0).sum())(2.0),
    "vmap": lambda h: vmap(h)(np.stack([X0, 2 * X0]), np.array([0.1, 0.2])),
    "vmap grad": lambda h: vmap(grad(h))(np.stack([X0, 2 * X0]), np.array([0.1, 0.2])),
    "grad vmap": lambda h: grad(lambda x: vmap(h)(x).sum())(np.stack([X0, 2 * X0])),
    "no_grad": lambda h: no_grad()(h)(Tensor(X0), 0.4),
    "plain": lambda h: h(Tensor(X0), 0.4),
}


@pytest.mark.parametrize("name", TRANSFORMED)
@pytest.mark.parametrize("closure", [True, False])
def test_transforms_of_arrays(name: str, closure: bool) -> None:
    w = Tensor(W0, requires_grad=closure)
    run = TRANSFORMED[name]
    found, expected = [run(h) for h in losses(w, 1.5)]
    assert_same(found, expected)


def test_tangents_of_a_graph() -> None:
    w, x = Tensor(W0, requires_grad=True), Tensor(X0, requires_grad=True)
    results = []
    for h in losses(w, 1.5):
        y = h(x)
        moved = gw.tensor.graph.backward.tangent(y, {x: X0})
        twice = gw.tensor.graph.backward.tangent(y, {x: X0}, create_graph=True)
        results.append((moved, gradients(twice, [x, w])))
    assert_same(*results)


def test_values_and_tensors_in_and_out() -> None:
    """Results that are numbers have a hub of their own among Values."""

    def f(a: Any, b: Any, x: Any) -> Any:
        return a * b, sin(a), x * b * a, 2.0 * a

    results = []
    for g in (checkpoint(f), f):
        a, b, x = Value(0.5), Value(0.25), Tensor(X0, requires_grad=True)
        first, second, third, fourth = g(a, b, x)
        assert type(first) is Value
        ((third * third).sum() * first * second + fourth).backward()
        results.append((a.grad, b.grad, x.grad))
    assert_same(*results)


def test_what_no_gradient_reaches_stays_out() -> None:
    """An infinite slope does no harm where nothing arrives, as without the checkpoint."""
    for x in (Value(0.0), Tensor(0.0, requires_grad=True)):
        root, twice = checkpoint(lambda x: (gw.sqrt(x), x * 2.0))(x)
        (twice * 3.0).backward()
        assert (float(x.grad), root.op) == (6.0, root.op)
    assert grad(lambda x: checkpoint(lambda x: (gw.sqrt(x), x * 2.0))(x)[1])(0.0) == 2.0
    assert linearize(lambda x: checkpoint(lambda x: (5.0 * x, x * 2.0))(x)[1], 0.0)[1](1.0) == 2.0


def test_a_module_is_a_function() -> None:
    layer = nn.Sequential(nn.Linear(3, 4, seed=1), nn.Tanh(), nn.Linear(4, 2, seed=2))
    results = []
    for f in (checkpoint(layer), layer):
        layer.zero_grad()
        f(X0[None]).sum().backward()
        results.append([p.grad for p in layer.parameters()])
    assert_same(*results)


def test_an_argument_that_is_written_into_stays_as_it_was() -> None:
    x = Tensor(X0, requires_grad=True)

    def f(x: Any) -> Any:
        x[0] = x[1] * x[2]
        return x

    checkpoint(f)(x).sum().backward()
    assert x.tolist() == X0.tolist()
    assert x.grad.tolist() == pytest.approx([0.0, 1.9, 0.8])


def test_numbers_that_will_be_needed_are_guarded() -> None:
    x = Tensor(X0, requires_grad=True)
    checkpointed = checkpoint(sin)(x)
    with pytest.raises(errors.InPlaceError):
        x.data[0] = 1.0
    checkpointed.sum().backward()


# --- random numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [checkpoint, lambda f: checkpoint(lambda x: checkpoint(f)(x))])
def test_random_numbers_are_the_same_again(wrap: F) -> None:
    """The result is linear in x, so its gradient shows the draws of the second run."""
    layer, rng = nn.Dropout(0.5, seed=3), np.random.default_rng(5)
    python = generator(7)

    def noisy(x: Any) -> Any:
        y = layer(x) * random.normal(x.shape) + random.normal(x.shape, seed=rng) * x
        return (y * random.uniform(x.shape, seed=python)).sum() * generator(python).random()

    x = Tensor(np.linspace(1.0, 2.0, 6), requires_grad=True)
    y = wrap(noisy)(x)
    states = rng.bit_generator.state, layer.generator.bit_generator.state, python.getstate()
    y.backward()
    assert x.grad @ x.data == pytest.approx(y.item())
    after = rng.bit_generator.state, layer.generator.bit_generator.state, python.getstate()
    assert after == states, "the second run draws from copies"
    assert wrap(noisy)(x).item() != y.item()


def test_draws_beyond_those_noted_are_new() -> None:
    draws = Draws()
    with draws.recording():
        first = generator(1).random()
    with draws.replaying():
        assert generator(2).random() == first
        assert generator(2).random() == generator(2).random()


# --- errors ---------------------------------------------------------------------------------------


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(errors.OptionError, match=r"checkpoint\(f\)"):
        checkpoint(3.0)
    with pytest.raises(errors.OptionError, match="checkpoint_chain"):
        checkpoint_chain([sin, 3.0], 1.0)


@pytest.mark.parametrize("make", [Value, lambda x: Tensor(x, requires_grad=True)])
def test_a_function_that_does_something_else_is_found_out(make: F) -> None:
    w, v = make(2.0), make([[1.0]] if make is not Value else 3.0)
    calls: list[int] = []

    def f(x: Any) -> Any:
        calls.append(1)
        return x * w if len(calls) == 1 else x * w * v

    with pytest.raises(errors.OptionError, match="running a function again"):
        checkpoint(f)(make(1.0)).sum().backward() if make is not Value else checkpoint(f)(
            make(1.0)
        ).backward()


OTHERS: dict[str, tuple[F, F]] = {
    "shape": (lambda x: x * x, lambda x: (x * x)[:1]),
    "axes": (lambda x: x * x, lambda x: (x * x).sum()),
    "fewer": (lambda x: (x * x, x + x), lambda x: (x * x,)),
    "more": (lambda x: (x * x, x + x), lambda x: (x * x, x + x, x)),
    "kind": (lambda x: (x * x, x + x), lambda x: [x * x, x + x]),
    "names": (lambda x: {"a": x * x}, lambda x: {"b": x * x}),
    "none": (lambda x: (x * x, None), lambda x: (x * x, x)),
}
BACK: dict[str, F] = {
    "graph": lambda f, x: gw.sum(_first(f(Tensor(x, requires_grad=True)))).backward(),
    "tape": lambda f, x: grad(lambda x: gw.sum(_first(f(x))))(x),
    "forward": lambda f, x: linearize(f, x)[1](x),
}


def _first(y: Any) -> Any:
    return (
        next(iter(y.values())) if isinstance(y, dict) else y[0] if type(y) in (tuple, list) else y
    )


@pytest.mark.parametrize("way", BACK)
@pytest.mark.parametrize("what", OTHERS)
def test_other_results_than_the_first_time_are_found_out(what: str, way: str) -> None:
    runs = iter(OTHERS[what])
    with pytest.raises(
        errors.OptionError, match=r"again: expected the results of the first time.*"
    ):
        BACK[way](checkpoint(lambda x: next(runs)(x)), np.array([1.0, 2.0]))


def test_other_numbers_than_the_first_time_are_not_looked_at() -> None:
    """As documented: only structures and shapes are compared, of what is constant too."""
    runs = iter([1.0, 2.0])
    assert grad(checkpoint(lambda x: (x * next(runs), 7)[0]))(3.0) == 2.0


def test_a_message_shows_both_results() -> None:
    runs = iter([lambda x: {"a": x, "n": 3}, lambda x: {"a": x[:1], "n": 3}])
    y = checkpoint(lambda x: next(runs)(x * 2.0))(Tensor(np.ones(2), requires_grad=True))
    with pytest.raises(errors.OptionError) as caught:
        y["a"].sum().backward()
    message = str(caught.value)
    assert "dict(['a']=*, ['n']=*) of shapes [(2,), ()]" in message
    assert "dict(['a']=*, ['n']=*) of shapes [(1,), ()]" in message


def test_an_interrupted_sweep_is_not_mistaken_for_a_whole_one() -> None:
    angry = [True]

    def rule(t: Any, y: Any, x: Any) -> Any:
        if angry[0]:
            raise ArithmeticError
        return t

    row = gw.pointwise("angry", rule, forward=lambda x: x)
    x = Value(1.0)
    first, second = checkpoint(lambda x: (x * 2.0, x * 3.0))(x)
    with pytest.raises(ArithmeticError):
        (row(first) + second).backward()
    angry[0] = False
    with pytest.raises(errors.OptionError, match="interrupted"):
        first.backward()
    first.backward()
    assert x.grad == 2.0


def test_a_leaked_tracer_is_found_out() -> None:
    kept: list[Any] = []
    grad(checkpoint(lambda x: kept.append(x) or x * x))(2.0)
    with pytest.raises(errors.LeakedTraceError):
        kept[0] + 1.0
    with pytest.raises(errors.LeakedTraceError):
        checkpoint(sin)(kept[0])


def test_the_nodes_are_described_but_not_copied() -> None:
    x = Value(2.0)
    single, pair = checkpoint(sin)(x), checkpoint(lambda x: (sin(x), x * 2.0))(x)
    for y in (single, *pair):
        assert y.op == "checkpoint"
        assert "checkpoint" in gw.inspect.to_dot(y)
    assert single.local_gradients == (np.cos(2.0),)
    assert np.isnan([pair[0].local_gradients, pair[0].operands[0].local_gradients]).all()
    (pair[0] + pair[1]).backward()
    assert x.grad == np.cos(2.0) + 2.0, "to look at a node changes nothing"
    with pytest.raises(errors.OptionError, match="checkpoint"):
        pickle.dumps(single)


# --- memory ---------------------------------------------------------------------------------------


def chain(n: int) -> None:
    x = Tensor(np.linspace(-1.0, 1.0, SIZE), requires_grad=True)
    checkpoint_chain([step] * n, x).sum().backward()


def chain_on_a_tape(n: int) -> None:
    vjp(lambda x: checkpoint_chain([step] * n, x).sum(), np.linspace(-1.0, 1.0, SIZE))[1](1.0)


@pytest.mark.parametrize(
    ("run", "lengths"),
    [
        (chain, (100, 400, 1600)),
        (chain_on_a_tape, (100, 400)),
        pytest.param(chain, (100, 400, 1600, 6400), marks=pytest.mark.prove),
        pytest.param(chain_on_a_tape, (100, 400, 1600), marks=pytest.mark.prove),
    ],
)
def test_memory_of_a_chain_grows_as_the_root_of_its_length(
    run: Callable[[int], None], lengths: tuple[int, ...]
) -> None:
    peaks = [arrays_at_peak(lambda n=n: run(n)) for n in lengths]
    for n, peak in zip(lengths, peaks, strict=True):
        assert peak < 3.0 * n**0.5 + 30.0
    for shorter, longer in pairwise(peaks):
        assert longer / shorter < 2.4, "2 is the root of 4"


def test_without_checkpoints_it_grows_as_the_length() -> None:
    """The measure above sees what there is to see."""

    def bare(n: int) -> None:
        y = Tensor(np.linspace(-1.0, 1.0, SIZE), requires_grad=True)
        for _ in range(n):
            y = step(y)
        y.sum().backward()

    short, long = [arrays_at_peak(lambda n=n: bare(n)) for n in (100, 400)]
    assert short > 100
    assert long > 400


@pytest.mark.parametrize("n", [0, 1, 2, 9, 10, 100])
def test_a_chain_of_values_has_the_root_of_its_nodes(n: int) -> None:
    x = Value(0.5)
    y = checkpoint_chain([sin] * n, x)
    nodes = len(consumer_counts(y)) - 1
    assert nodes == -(-n // (int((n - 1) ** 0.5) + 1)) if n else y is x
    expected = x
    for _ in range(n):
        expected = sin(expected)
    if n:
        assert (y.data, gradients(y, x)) == (expected.data, gradients(expected, x))


# --- stop_gradient --------------------------------------------------------------------------------


def test_nothing_passes_in_any_mode() -> None:
    def f(x: Any) -> Any:
        return x * stop_gradient(x * x)

    assert value_and_grad(f)(3.0) == (27.0, 9.0)
    assert jvp(f, (3.0,), (1.0,)) == (27.0, 9.0)
    for first in MODES:
        for second in MODES:
            assert second(first(f))(3.0) == 0.0
    assert grad(lambda x: grad(lambda y: stop_gradient(x * y) * y * x)(2.0))(3.0) == 6.0
    np.testing.assert_allclose(vmap(grad(f))(np.array([1.0, 3.0])), [1.0, 9.0])
    np.testing.assert_allclose(grad(lambda x: vmap(f)(x).sum())(np.array([1.0, 3.0])), [1.0, 9.0])


def test_graphs_end_there() -> None:
    x, t = Value(3.0), Tensor([3.0, 4.0], requires_grad=True)
    (x * stop_gradient(x)).backward()
    held = stop_gradient(t)
    (t * held).sum().backward()
    assert (x.grad, t.grad.tolist(), held.requires_grad) == (3.0, [3.0, 4.0], False)


@pytest.mark.parametrize(
    "x", [1.5, -0.0, 2, True, None, "text", np.arange(3.0, dtype="f4"), np.arange(3), Tensor([1.0])]
)
def test_kinds_of_numbers_stay(x: Any) -> None:
    held = stop_gradient({"x": [x]})["x"][0]
    assert type(held) is type(x)
    assert repr(held) == repr(x)
    assert getattr(held, "dtype", None) == getattr(x, "dtype", None)


def test_the_held_array_is_another_one() -> None:
    x = Tensor([1.0, 2.0])
    held = stop_gradient(x)
    held[0] = 5.0
    assert x.tolist() == [1.0, 2.0]
    array = np.array([1.0, np.nan, -np.inf, -0.0])
    assert stop_gradient(array) is not array
    assert stop_gradient(array).tobytes() == array.tobytes()


def test_numbers_alone_do_not_load_numpy(run_python: Any) -> None:
    program = """
import sys
from gradwalk import Value, checkpoint, grad, jvp, linearize, scan, sin, stop_gradient, vjp
from gradwalk import while_loop
f = checkpoint(lambda x: (sin(x) * stop_gradient(x), x * x))
g = lambda x: f(x)[0] * f(x)[1]
grad(grad(g))(2.0), jvp(g, (2.0,), (1.0,)), linearize(g, 2.0)[1](1.0), vjp(g, 2.0)[1](1.0)
g(Value(2.0)).backward()
h = lambda x: while_loop(lambda c: c[1] < 9, lambda c: (sin(c[0]), c[1] + 1), (x, 0))[0]
grad(h)(1.0), grad(grad(h))(1.0)
grad(lambda x: scan(lambda c, x: (c * x, c), x, [1.0, 2.0])[1][1])(2.0)
print("numpy" in sys.modules)
"""
    assert run_python(program).split() == ["False"]
