"""`trap` and `why` in every transform and loop; what they cost while nothing is wrong."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, compile, fit, nn, optim
from gradwalk.engine import observing
from gradwalk.engine.value import ENGINE
from gradwalk.errors import NonFiniteError
from gradwalk.inspect import lines, remembering, trap, why


def total(y):
    return y.sum() if hasattr(y, "sum") else y


def square_root(x):  # its derivative at 0 is infinite
    return total(gw.sqrt(x))


def logarithm(x):  # itself infinite at 0
    return total(gw.log(x) * 2.0)


def quotient(x):  # by operators alone
    return total(1.0 / (x * x))


def looped(x):
    return total(gw.scan(lambda c, r: (c * gw.log(x) + r, c), x, [1.0, 2.0])[0])


def checkpointed(x):
    return gw.checkpoint(lambda x: total(gw.log(x) + x))(x)


def ones(x):
    return np.ones_like(x) if isinstance(x, np.ndarray) else 1.0


TRANSFORMS = {
    "grad": lambda f, x: gw.grad(f)(x),
    "value_and_grad": lambda f, x: gw.value_and_grad(f)(x),
    "vjp": lambda f, x: gw.vjp(f, x)[1](1.0),
    "jvp": lambda f, x: gw.jvp(f, (x,), (ones(x),)),
    "linearize": lambda f, x: gw.linearize(f, x)[1](ones(x)),
    "jacobian": lambda f, x: gw.jacobian(f)(x),
    "jacobian forward": lambda f, x: gw.jacobian(f, mode="forward")(x),
    "hessian": lambda f, x: gw.hessian(f)(x),
    "hvp": lambda f, x: gw.hvp(f, x, ones(x)),
    "grad of grad": lambda f, x: gw.grad(lambda x: total(gw.grad(f)(x)))(x),
    "jvp of grad": lambda f, x: gw.jvp(gw.grad(f), (x,), (ones(x),)),
    "grad of checkpoint": lambda f, x: gw.grad(gw.checkpoint(f))(x),
    "compile of grad": lambda f, x: compile(gw.grad(f))(x),
    "grad of compile": lambda f, x: gw.grad(compile(f))(x),
}
PROGRAMS = [square_root, logarithm, quotient, looped, checkpointed]
NAMED = {square_root: "sqrt(", logarithm: "log(", quotient: " / "}
NAMED |= {looped: "log(", checkpointed: "log("}
POINTS = {"number": (0.0, 0.5), "array": (np.array([0.5, 0.0]), np.array([0.5, 1.5]))}
CASES = [(t, f, kind) for t in TRANSFORMS for f in PROGRAMS for kind in POINTS]


@pytest.mark.parametrize(
    ("transform", "f", "kind"), CASES, ids=[f"{t} {f.__name__} {k}" for t, f, k in CASES]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_trap_hears_every_transform(transform, f, kind):
    sick, healthy = POINTS[kind]
    run = TRANSFORMS[transform]
    with pytest.raises(NonFiniteError) as error, trap():
        run(f, sick)
    told = str(error.value)
    if (transform, f, kind) == ("hvp", square_root, "array"):  # a graph of the rules, one by one
        assert "an element of sqrt in" in told
        return
    assert NAMED[f] in told, told  # its own operation, and none of its rule
    numbers = [int(n) for n in re.findall(r"test_everywhere.py, line (\d+)", told)]
    first = f.__code__.co_firstlineno
    assert numbers[0] in range(first + 1, first + 3), told
    assert error.value.fix[0].isupper()
    with trap():
        watched = run(f, healthy)
    flat = [np.asarray(x) for x in _leaves(watched)]
    assert flat
    for one, other in zip(flat, _leaves(run(f, healthy)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def _leaves(result):
    if isinstance(result, (tuple, list)):
        return [x for part in result for x in _leaves(part)]
    return [getattr(result, "data", result)] if not callable(result) else []


@pytest.mark.parametrize("f", [square_root, logarithm, quotient])
def test_trap_hears_taylor_and_compiled_functions_of_numbers(f):
    with pytest.raises(NonFiniteError), trap():
        gw.taylor(f, 0.0, 3)
    with trap():
        gw.taylor(f, 0.5, 3)
    if f is not square_root:
        with pytest.raises(NonFiniteError), trap():
            compile(f)(0.0)


@pytest.mark.parametrize("create_graph", [False, True])
def test_trap_hears_gradients(create_graph):
    v, w = Value(0.0), Tensor([1.0, 0.0], requires_grad=True)
    for y, x in ((gw.sqrt(v), v), (gw.sqrt(w).sum(), w)):
        with pytest.raises(NonFiniteError), trap():
            gw.gradients(y, [x], create_graph=create_graph)


def sums(w):
    return gw.scan(lambda c, x: (c + gw.log(w) * x, c), w * 0.0, np.ones((3, 2)))[0]


def products(w):
    return gw.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * gw.log(w)), (0, w * 0 + 1))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "program",
    [
        lambda w: sums(w).sum(),
        lambda w: products(w)[1].sum(),
        lambda w: gw.checkpoint(lambda w: gw.log(w).sum())(w),
        lambda w: gw.checkpoint(lambda w: (gw.log(w), w * 2.0))(w)[0].sum() * 3.0,
        lambda w: gw.checkpoint(gw.checkpoint(lambda w: gw.log(w).sum()))(w),
        lambda w: gw.checkpoint_chain([gw.log, lambda x: x * 2.0, lambda x: x + 1.0], w).sum(),
    ],
)
def test_why_goes_into_loops_and_checkpoints(program):
    w = Tensor([1.0, 0.0], requires_grad=True)
    cause = why(program(w))
    assert cause.op == "log"
    assert cause.args == (0.0,)
    assert "test_everywhere.py" in cause.line
    assert not why(program(Tensor([1.0, 2.0], requires_grad=True)))


def test_why_goes_into_checkpoints_of_values():
    w = Value(0.0)
    one = gw.checkpoint(lambda w: gw.log(w) * 2.0)(w)
    two, other = gw.checkpoint(lambda w: (gw.log(w) * 2.0, w + 1.0))(w)
    for result in (one, two * 3.0, other + two):
        assert why(result).op == "log"
        assert why(result).args == (0.0,)
    assert not why(other)


def test_a_rule_inside_of_a_checkpoint_is_found_while_its_graph_is_there():
    w = Tensor([1.0, 0.0], requires_grad=True)
    y = gw.checkpoint(lambda w: gw.sqrt(w).sum())(w)
    assert "div" in why(y).op or "sqrt" in why(y).op
    y.backward()
    assert why(w).op == "checkpoint"
    assert "trap()" in why(w).fix  # which finds it: the graph is gone
    with pytest.raises(NonFiniteError, match=r"sqrt|/ 0"), trap():
        gw.checkpoint(lambda w: gw.sqrt(w).sum())(w).backward()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_fit_of_a_model_with_a_loop_names_the_operation():
    class Recurrent(nn.Module):
        def __init__(self):
            self.w = nn.Parameter([0.0, 0.0])

        def forward(self, x):
            return sums(self.w) + x * 0.0

    model = Recurrent()
    x = np.ones((4, 2))
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(NonFiniteError, match=r"log\(0\) = -inf"):
        fit(model, lambda o, t: (o * t).sum(), optimizer, (x, x), epochs=1, progress=False)


# --- what it costs --------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_training_that_is_not_finite_is_searched_once(monkeypatch):
    searched = []
    search = remembering._remember
    monkeypatch.setattr(remembering, "_remember", lambda *a: searched.append(1) or search(*a))
    w, v = (Tensor([1.0, 0.0], requires_grad=True) for _ in range(2))

    def step(f):
        w.grad = None
        loss = f(w).sum()
        loss.backward()
        return loss

    for _ in range(5):
        step(gw.sqrt)
        assert why(w).op == "sqrt"
    assert len(searched) == 1
    step(gw.square)
    assert not why(w)
    for _ in range(3):
        loss = step(gw.log)  # another one, after a pass that was finite
        assert why(w).op == why(loss).op == "log"
    assert len(searched) == 2
    (gw.log(w).sum() + gw.sqrt(v).sum()).backward()  # a leaf that does not know yet
    assert len(searched) == 3
    assert why(v).op == "sqrt"


@pytest.mark.skipif(ENGINE == "python", reason="of the native engine")
def test_operations_with_finite_results_do_not_leave_c(monkeypatch):
    seen = []
    monkeypatch.setattr(observing, "notify", lambda *what: seen.append(what))
    x = Value(0.5)
    with trap():
        for _ in range(100):
            x = (x * 2.0).tanh() - 0.25
        assert not seen
        x / 0.0
    assert len(seen) == 1


def test_lines_belong_to_their_values_whatever_is_freed():
    draw = random.Random(5)
    with lines():
        alive = {}
        for step in range(4000):
            y = Value(float(step)) * 2.0
            line = 1
            if draw.random() < 0.5:
                y = y + 1.0
                line = 2
            alive[step] = y, line
            del y
            for gone in draw.sample(list(alive), min(len(alive), draw.choice((0, 1, 1, 2)))):
                del alive[gone]
        outside = None
    first = {observing.line_of(v) for v, line in alive.values() if line == 1}
    second = {observing.line_of(v) for v, line in alive.values() if line == 2}
    assert len(first) == len(second) == 1
    assert first.isdisjoint(second)
    assert len(alive) > 20
    outside = Value(1.0) * 2.0
    assert observing.line_of(outside) is None


def test_lines_of_modules_are_those_of_the_program():
    net = nn.MLP(2, [3, 1], seed=0)
    with lines():
        y = net([1.0, Value(2.0)])
    assert observing.line_of(y)[0] is test_lines_of_modules_are_those_of_the_program.__code__


def test_observers_end_in_any_order():
    a, b = trap(), lines()
    a.__enter__()
    b.__enter__()
    a.__exit__(None, None, None)
    y = Value(2.0) * 3.0
    assert observing.line_of(y) is not None
    b.__exit__(None, None, None)
    assert observing.line_of(Value(2.0) * 3.0) is None
    assert (y * y).operands == (y, y)
    assert all(a is not b for a, b in pairwise([*observing.observers, None]))


# --- numbers that are gone ------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_why_goes_past_operands_that_are_gone():
    """The result of a product is gone, as its constant is: what was bad before it is found."""
    w = Tensor(np.zeros(100), requires_grad=True)

    def loss(w):
        return (gw.log(w) * np.linspace(1.0, 2.0, 100) + 1.0).sum()

    cause = why(loss(w))
    assert (cause.op, cause.args) == ("log", (0.0,))


def test_why_says_so_if_nothing_else_is_known():
    def loss():
        return (Tensor(np.full(100, np.inf)) * Tensor(np.ones(100), requires_grad=True)).sum()

    cause = why(loss())
    assert "gone" in str(cause)
    assert "trap()" in cause.fix
