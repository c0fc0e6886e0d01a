"""Operations that have a function as their body: every way out goes into it, or runs it again.

Each program is written with a `wrap`. Wrapped by `checkpoint` it has a body, and by nothing it is
the twin that says what is right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, gradients, program_of
from gradwalk.check import check_gradients, precision
from gradwalk.program.run import opened, run_of
from gradwalk.studio.document import document_of

pytestmark = pytest.mark.engine

Wrap = Callable[[Any], Any]


def plain(f: Any) -> Any:
    return f


def behind(wrap: Wrap, x: Any, w: Any) -> Any:
    return wrap(lambda a: gw.sin(a) * a)(x * 2.0) * w


def before(wrap: Wrap, x: Any, w: Any) -> Any:
    return wrap(lambda a, b: gw.tanh(a * b) + a)(x, w)


def outside(wrap: Wrap, x: Any, w: Any) -> Any:
    return wrap(lambda a: gw.exp(a * w) - w)(x) * x


def two_results(wrap: Wrap, x: Any, w: Any) -> Any:
    u, v = wrap(lambda a, b: (gw.sin(a) * b + a, a * b))(x * 2.0, w)
    return u * v + x * v + w


def nested(wrap: Wrap, x: Any, w: Any) -> Any:
    return wrap(lambda a: wrap(lambda b: gw.sin(b) * w)(a) * a)(x) + x


def branch(wrap: Wrap, x: Any, w: Any) -> Any:
    total = gw.sum(x) if hasattr(x, "shape") else x
    return wrap(lambda a: a * a if total > 0.0 else gw.exp(a))(x) * w


PROGRAMS = [behind, before, outside, two_results, nested, branch]

ROWS = np.linspace(-1.0, 1.5, 6).reshape(3, 2)


def numbers(f: Any, wrap: Wrap) -> tuple[Any, list[Any]]:
    x, w = Value(0.7, label="x"), Value(1.3, label="w")
    return f(wrap, x, w), [x, w]


def arrays(f: Any, wrap: Wrap) -> tuple[Any, list[Any]]:
    x, w = Tensor(ROWS, requires_grad=True), Tensor([1.3, -0.4], requires_grad=True)
    return gw.sum(f(wrap, x, w)), [x, w]


KINDS: dict[str, Any] = {"numbers": numbers, "arrays": arrays}
every = pytest.mark.parametrize(
    ("kind", "f"),
    [(kind, f) for kind in KINDS for f in PROGRAMS],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)


def bits(x: Any) -> bytes:
    return np.asarray(x, float).tobytes()


def has_body(program: Any) -> bool:
    return any(hasattr(primitive, "again") for primitive in program.table)


@every
def test_the_gradient_of_its_program_has_the_bits_of_backward(kind: str, f: Any) -> None:
    y, leaves = KINDS[kind](f, gw.checkpoint)
    program = program_of(y, inputs=leaves)
    assert has_body(program)
    expected = gradients(y, leaves)
    slopes = program.grad()
    assert not has_body(slopes)  # the bodies were recorded
    assert [*map(bits, slopes())] == [*map(bits, expected)]
    moved = [1.5 * (x.data if kind == "numbers" else x._data) for x in leaves]
    twin = program_of(KINDS[kind](f, plain)[0], inputs=None)
    if kind == "numbers" and f is not branch:
        by_label = dict(zip("xw", moved, strict=True))
        again = twin.grad()(*[by_label[twin.names[i]] for i in range(twin.inputs)])
        found = dict(zip((twin.names[i] for i in range(twin.inputs)), again, strict=True))
        assert slopes(*moved) == pytest.approx((found["x"], found["w"]), rel=1e-12)


@every
def test_a_replay_has_the_bits_of_backward(kind: str, f: Any) -> None:
    y, leaves = KINDS[kind](f, gw.checkpoint)
    expected = gradients(y, leaves)
    step = gw.replay(y)
    for _ in range(2):
        value = step()
        assert bits(value) == bits(y.data)
        assert [bits(x.grad) for x in leaves] == [*map(bits, expected)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("f", [f for f in PROGRAMS if f is not branch], ids=lambda f: f.__name__)
def test_a_replay_follows_its_leaves(kind: str, f: Any) -> None:
    y, leaves = KINDS[kind](f, gw.checkpoint)
    step = gw.replay(y)
    for x in leaves:
        if kind == "numbers":
            x.data *= 0.9
        else:
            x._data[...] *= 0.9
    value = step()
    _, others = KINDS[kind](f, plain)
    for x, other in zip(leaves, others, strict=True):
        if kind == "numbers":
            other.data = x.data
        else:
            other._data[...] = x._data
    twin = f(plain, *others)
    twin = twin if kind == "numbers" else gw.sum(twin)
    assert float(value) == pytest.approx(float(twin.data), rel=1e-12)
    for x, slope in zip(leaves, gradients(twin, others), strict=True):
        assert np.allclose(x.grad, slope, rtol=1e-10)


@every
def test_the_opened_graph_is_that_of_the_twin(kind: str, f: Any) -> None:
    y, leaves = KINDS[kind](f, gw.checkpoint)
    twin, _ = KINDS[kind](f, plain)
    found, *same = opened(y, *leaves)
    assert all(a is b for a, b in zip(same, leaves, strict=True))
    assert bits(found.data) == bits(y.data)
    names = [e.primitive.name for e in run_of(found).program]
    assert sorted(names) == sorted(e.primitive.name for e in run_of(twin).program)
    assert opened(twin) == (twin,)


@every
def test_precision_goes_into_it(kind: str, f: Any) -> None:
    pytest.importorskip("mpmath")
    y, leaves = KINDS[kind](f, gw.checkpoint)
    twin, others = KINDS[kind](f, plain)
    found, expected = precision(y, leaves), precision(twin, others)
    pairs = [(found.value, expected.value), *zip(found.gradients, expected.gradients, strict=True)]
    for a, b in pairs:
        assert a.exact == pytest.approx(b.exact, rel=1e-40)
        assert a.digits == pytest.approx(b.digits, abs=1.0)


def test_precision_names_what_loses_digits_inside() -> None:
    pytest.importorskip("mpmath")
    x = Value(1e-6, label="x")
    y = gw.checkpoint(lambda a: 1.0 - gw.cos(a))(x) * 2.0
    found = precision(y, x)
    assert found.value.digits < 5.0
    assert found.value.lost_by.startswith("sub: 1 - 1")
    t = Tensor([1e-6, 0.5], requires_grad=True)
    z = gw.checkpoint(lambda a: 1.0 - gw.cos(a))(t)[0]
    assert precision(z, t).value.lost_by.startswith("sub: 1 - 1")


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_every_element_is_shown(f: Any) -> None:
    (y, _leaves), (twin, _others) = arrays(f, gw.checkpoint), arrays(f, plain)
    found = [node["op"] for node in document_of(y, elements=True)["nodes"]]
    expected = [node["op"] for node in document_of(twin, elements=True)["nodes"]]
    assert sorted(found) == sorted(expected)
    assert "checkpoint" not in found


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_wrong_rule_inside_is_found(f: Any) -> None:
    wrong = gw.pointwise("wrong_inside", lambda t, y, a: t * 2.5, forward=lambda a: 2.0 * a)

    def broken(x: Any, w: Any) -> Any:
        return gw.checkpoint(lambda a: wrong(a) * w)(f(gw.checkpoint, x, w))

    with pytest.raises(gw.errors.GradwalkError, match="wrong_inside"):
        check_gradients(broken, [0.7, 1.3], raise_on_failure=True)


@pytest.mark.parametrize("kind", ["scan", "while_loop"])
def test_long_loops_of_arrays(kind: str) -> None:
    x = Tensor([0.3, 0.5], requires_grad=True)
    if kind == "scan":
        y = gw.sum(gw.scan(lambda c, _: (gw.sin(c) + c * 0.1, c), x, None, length=40)[0])
    else:
        state = gw.while_loop(lambda s: s[1] < 40.0, lambda s: (gw.sin(s[0]), s[1] + 1.0), (x, 0.0))
        y = gw.sum(state[0])
    (expected,) = gradients(y, [x])
    slope = program_of(y, inputs=[x]).grad()()
    assert bits(slope[0] if type(slope) is tuple else slope) == bits(expected)
    assert precision(y, x).digits > 12.0
    step = gw.replay(y)
    assert bits(step()) == bits(y.data)
    assert bits(x.grad) == bits(expected)
