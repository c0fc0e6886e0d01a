"""Values and Tensors that a side effect takes out of a transform: an error at every use of them.

`gradwalk.transforms.leaks.poison` is called here as transforms call it, on leaves that
outlive them.
"""

from __future__ import annotations

import copy
import gc
import math
import operator
import pickle
import random
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import gradwalk
from gradwalk import ENGINE, Tensor, Value, gradients, pointwise
from gradwalk.core.leaked import Leaked
from gradwalk.engine.value import engine
from gradwalk.errors import FreedGraphError, GradwalkError, InPlaceError, LeakedTraceError
from gradwalk.tensor.graph import backward as sweeps
from gradwalk.tensor.graph.leaks import LeakedTensor
from gradwalk.transforms import leaks

from ..helpers.amount import amount

DEEP = amount(1_000_000 if ENGINE == "native" else 100_000, 50_000)


def is_leaked(x: Any) -> bool:
    return issubclass(type(x), Leaked)


def random_graph(kind: Any, leaf: Callable[[float], Any], seed: int) -> tuple[list[Any], Any]:
    """Some leaves and what was computed from them, and the operands of each by number."""
    draw = random.Random(seed)
    nodes = [leaf(draw.uniform(0.5, 1.5)) for _ in range(draw.randint(1, 6))]
    made_of: list[tuple[int, ...]] = [()] * len(nodes)
    for _ in range(draw.randint(0, 60)):
        i, j = draw.randrange(len(nodes)), draw.randrange(len(nodes))
        node, operands = draw.choice(
            [
                (lambda i=i, j=j: nodes[i] * nodes[j], (i, j)),
                (lambda i=i, j=j: nodes[i] - nodes[j], (i, j)),
                (lambda i=i: nodes[i] + 1.0, (i,)),
                (lambda i=i: 2.0 * nodes[i], (i,)),
                (lambda i=i: nodes[i].tanh(), (i,)),
                (lambda i=i, j=j: gradwalk.where(nodes[i], nodes[j], 2.0), (i, j)),
                (lambda i=i: nodes[i].detach() if kind is not Tensor else nodes[i] + 0.0, ()),
            ]
        )
        if kind is Tensor and not operands:
            operands = (i,)
        nodes.append(node())
        made_of.append(operands)
    return nodes, made_of


def dependents(made_of: Any, leaf: int) -> set[int]:
    found = {leaf}
    for i, operands in enumerate(made_of):
        if found.intersection(operands):
            found.add(i)
    return found


# --- leaves ---------------------------------------------------------------------------------------


def test_the_leaves_of_a_value() -> None:
    a, b, unused = Value(2.0, label="a"), Value(3.0), Value(4.0)
    y = (a * b + 5.0) * a.exp() + a.detach()
    leaves = engine.leaves(y)
    assert set(leaves[1:]) == {a, b}
    assert leaves[0].data == 2.0, "what was detached is a leaf of its own, found first"
    assert unused not in leaves
    assert engine.leaves(a)[0] is a
    assert len(engine.leaves(a)) == 1
    y.backward()
    assert a.grad == pytest.approx((3.0 + 6.0 + 5.0) * math.exp(2.0)), "the graph is as it was"
    assert y.operands[0].operands[0].operands[1].op == ""
    assert set(engine.leaves(y)[1:]) == {a, b}, "5.0 is a node now, but still no leaf"
    assert engine.leaves(y.operands[0].operands[0].operands[1]) == [], "nor by itself"


def test_a_released_graph_has_no_leaves() -> None:
    x = Value(2.0)
    y = x * x
    y.backward(retain_graph=False)
    with pytest.raises(FreedGraphError):
        engine.leaves(y + 1.0)
    with pytest.raises((TypeError, AttributeError)):
        engine.leaves(1.0)  # type: ignore[arg-type]
    z = x * x
    z.backward()
    assert x.grad == 8.0, "nothing was left half done"


def test_the_leaves_of_a_deep_graph() -> None:
    x = y = Value(1.0)
    for _ in range(DEEP):
        y = y + 1.0
    assert list(map(id, engine.leaves(y))) == [id(x)]


@pytest.mark.parametrize("seed", range(40))
def test_both_engines_find_the_same_leaves_in_the_same_order(both_engines: Any, seed: int) -> None:
    places = []
    for one in both_engines:
        nodes, _ = random_graph(one.Value, one.Value, seed)
        found = one.leaves(sum(nodes))
        place = {node: i for i, node in enumerate(nodes)}  # by identity, unlike `nodes.index`
        assert sorted(place[leaf] for leaf in found) == [
            i for i, node in enumerate(nodes) if node._primitive is None
        ]
        places.append([place[leaf] for leaf in found])
    assert places[0] == places[1]


def test_leaves_are_looked_for_in_the_middle_of_a_sweep() -> None:
    x = Value(2.0)

    def rule(t: Any, y: Any, x_: Any) -> Any:
        assert engine.leaves(x) == [x]
        return t

    pointwise("looking", rule, forward=lambda x: x)(x).backward()
    assert x.grad == 1.0
    assert list(map(id, engine.leaves(x))) == [id(x)]


def test_the_leaves_of_a_tensor() -> None:
    a, b = Tensor([2.0], requires_grad=True), Tensor([3.0], requires_grad=True)
    v = Value(4.0)
    y = (a * b + Tensor([1.0])).exp() * a + v
    nodes = sweeps.leaves(y._node)
    assert set(nodes[1:]) == {a._node, b._node}
    assert nodes[0].values[0] is v  # type: ignore[attr-defined]
    assert nodes == sweeps.leaves_in_python(y._node)
    assert sweeps.leaves(a._node) == [a._node]
    y.backward()
    for walk in (sweeps.leaves, sweeps.leaves_in_python):
        with pytest.raises(FreedGraphError):
            walk(y._node)


@pytest.mark.parametrize("seed", range(20))
def test_the_compiled_walk_finds_the_leaves_of_that_in_python(seed: int) -> None:
    nodes, made_of = random_graph(Tensor, lambda x: Tensor(x, requires_grad=True), seed)
    total = sum(nodes)
    found = sweeps.leaves(total._node)
    assert found == sweeps.leaves_in_python(total._node)
    assert set(found) == {
        n._node for n, operands in zip(nodes, made_of, strict=True) if not operands
    }


@pytest.mark.skipif(sweeps.compiled is None, reason="there is no compiled hot path")
def test_the_compiled_walk_refuses_what_is_no_node() -> None:
    with pytest.raises(TypeError):
        sweeps.leaves(Value(1.0))


# --- what depends on a leaf is poisoned, and nothing else -----------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_exactly_what_depends_on_a_value_is_poisoned(both_engines: Any, seed: int) -> None:
    for one in both_engines:
        nodes, made_of = random_graph(Value, one.Value, seed)
        leaf = random.Random(seed).choice([i for i, n in enumerate(nodes) if n._primitive is None])
        expected = dependents(made_of, leaf)
        one.poison([nodes[leaf]])
        assert {i for i, node in enumerate(nodes) if is_leaked(node)} == expected
        assert all(type(nodes[i]) is one.LeakedValue for i in expected)
        healthy = [n for i, n in enumerate(nodes) if i not in expected]
        total = sum(healthy, one.Value(0.0))
        total.backward()
        assert set(one.leaves(total)) >= {n for n in healthy if n._primitive is None}


@pytest.mark.parametrize("seed", range(30))
def test_exactly_what_depends_on_a_tensor_is_poisoned(seed: int) -> None:
    nodes, made_of = random_graph(Tensor, lambda x: Tensor(x, requires_grad=True), seed)
    leaf = random.Random(seed).choice([i for i, operands in enumerate(made_of) if not operands])
    expected = dependents(made_of, leaf)
    by_node = seed % 2
    leaks.poison([nodes[leaf]._node if by_node else nodes[leaf]])
    assert {i for i, node in enumerate(nodes) if is_leaked(node)} == expected
    assert all(type(nodes[i]) is LeakedTensor for i in expected)
    total = sum([n for i, n in enumerate(nodes) if i not in expected], Tensor(0.0))
    assert total.requires_grad == (len(expected) < len(nodes))
    if total.requires_grad:
        total.backward()


def test_several_leaves_at_once_and_one_again() -> None:
    values, w = [Value(float(i)) for i in range(5)], Value(1.0)
    sums = [x + w for x in values]
    tensors = [Tensor(1.0, requires_grad=True) for _ in range(3)]
    leaks.poison([*values[:3], *tensors[:2]])
    leaks.poison([values[0], tensors[1], tensors[1]])
    leaks.poison([])
    assert [*map(is_leaked, sums)] == [True, True, True, False, False]
    assert [*map(is_leaked, tensors)] == [True, True, False]
    assert not is_leaked(w)


def test_what_was_detached_or_not_recorded_is_no_leak() -> None:
    x, t = Value(2.0), Tensor([2.0], requires_grad=True)
    with gradwalk.no_grad():
        unrecorded = [x * 2, t * 2]
    kept = [x.data, x.detach(), t.data, t.detach(), *unrecorded]
    leaks.poison([x, t])
    assert is_leaked(x)
    assert is_leaked(t)
    assert not any(map(is_leaked, kept))
    assert kept[1] * 2.0 < 5.0
    assert kept[3] * 2.0 < 5.0
    assert not is_leaked(Value(2.0))


def test_labels_wide_nodes_rows_in_python_and_constants() -> None:
    half = pointwise("half_leaking", lambda t, y, x: t * 0.5, forward=lambda x: x * 0.5)
    x, w = Value(2.0, label="x"), Value(3.0)
    y = gradwalk.fma(w, w, half(x))
    y.label = "y"
    z = gradwalk.fma(w, half(w), 1.0)
    z.label = "z"
    assert (x * 2.0).operands[1].data == 2.0
    leaks.poison([x])
    assert [repr(v) for v in (x, y)] == ["<leaked Value>"] * 2
    assert z.label == "z"
    z.backward()
    assert w.grad == 3.0


def test_a_class_of_ones_own_cannot_be_made_of_value() -> None:
    for kind in (Value, engine.LeakedValue):
        with pytest.raises(TypeError):
            type("Mine", (Value,), {})
        if kind is not Value and ENGINE == "native":
            with pytest.raises(TypeError):
                type("Mine", (kind,), {})
            with pytest.raises(TypeError):
                kind(1.0)


# --- Tensors made of Values -----------------------------------------------------------------------


def test_a_poisoned_value_poisons_the_tensors_that_depend_on_it() -> None:
    x, w = Value(2.0), Value(3.0)
    t = Tensor([1.0, 2.0], requires_grad=True)
    bad = [t * (x * 2.0), gradwalk.stack([w, x + 1.0]), (x * t).sum()]
    good = [t * w, gradwalk.stack([w, w]), w * 2.0, t]
    leaks.poison([x])
    assert [*map(is_leaked, bad)] == [True] * 3
    assert not any(map(is_leaked, good))
    good[0].backward([1.0, 1.0])
    assert w.grad == 3.0


def test_a_poisoned_tensor_leaves_the_values_alone() -> None:
    x, t = Value(2.0), Tensor([1.0, 2.0], requires_grad=True)
    y = t * x
    leaks.poison([t])
    assert is_leaked(y)
    assert not is_leaked(x)
    assert (x * 2.0).data == 4.0


def test_values_alone_do_not_load_numpy(run_python: Any) -> None:
    program = """
import sys
from gradwalk import Value
from gradwalk.transforms.leaks import poison
x = Value(2.0)
y = x * 3.0
poison([x])
print(y, "numpy" in sys.modules)
"""
    assert run_python(program) == "<leaked Value> False\n"


# --- every use is an error ------------------------------------------------------------------------


def _pairs(f: Callable[[Any, Any], Any]) -> list[Callable[[Any, Any], Any]]:
    return [f, lambda x, w: f(w, x), lambda x, w: f(x, 1.5), lambda x, w: f(1.5, x)]


_ARITHMETIC = "add sub mul truediv floordiv mod pow lt le gt ge".split()  # noqa: SIM905
USES: list[Callable[[Any, Any], Any]] = [
    *(use for name in _ARITHMETIC for use in _pairs(getattr(operator, name))),
    *(use for f in (gradwalk.maximum, gradwalk.hypot, divmod) for use in _pairs(f)),
    *(lambda x, w, f=f: f(x) for f in (operator.neg, operator.pos, abs, round, bool, float, int)),
    *(lambda x, w, f=f: f(x) for f in (math.exp, math.floor, math.trunc, complex, sum, iter, len)),
    *(lambda x, w, f=f: f(x) for f in (copy.copy, copy.deepcopy, pickle.dumps, list, Value)),
    *(lambda x, w, f=f: f(x) for f in (gradwalk.exp, gradwalk.gelu, gradwalk.relu, gradwalk.abs)),
    *(lambda x, w, f=f: f(x) for f in (Tensor, np.sin, np.asarray, np.sum, np.isnan, np.float64)),
    *(use for f in (np.add, np.hypot, np.less, operator.matmul) for use in _pairs(f)),
    *(lambda x, w, f=f: f(x, w) for f in (operator.iadd, operator.imul, operator.ipow)),
    lambda x, w: operator.iadd(w * 2.0, x),
    lambda x, w: x.data,
    lambda x, w: x.grad,
    lambda x, w: x.label,
    lambda x, w: x.op,
    lambda x, w: x.operands,
    lambda x, w: x.nothing_like_it,
    lambda x, w: x.exp(),
    lambda x, w: x.detach(),
    lambda x, w: x.backward(),
    lambda x, w: type(w).backward(x),
    lambda x, w: setattr(x, "data", 1.0),
    lambda x, w: setattr(x, "grad", 1.0),
    lambda x, w: delattr(x, "label"),
    lambda x, w: setattr(w, "data", x),
    lambda x, w: f"{x:.3f}",
    lambda x, w: x[0],
    lambda x, w: operator.setitem(x, 0, 1.0),
    lambda x, w: 1.0 in x,
    lambda x, w: [1.0, 2.0][x],
    lambda x, w: sum([w, x]),
    lambda x, w: gradwalk.where(x, w, w),
    lambda x, w: gradwalk.where(w, w, x),
    lambda x, w: gradwalk.fma(w, w, x),
    lambda x, w: gradwalk.logsumexp([w, x]),
    lambda x, w: gradwalk.stack([w, x]),
    lambda x, w: gradients(x, w),
    lambda x, w: gradients(w * 2.0, x),
    lambda x, w: gradients((w * 2.0).sum() if isinstance(w, Tensor) else w * 2.0, [x]),
    lambda x, w: gradients(w.square(), [x], create_graph=True),
    lambda x, w: gradwalk.optim.SGD([x], lr=0.1),
    lambda x, w: np.ones(2) * x,
    lambda x, w: x @ np.ones(2),
    lambda x, w: np.float64(1.0) + x,
    lambda x, w: np.add.reduce(x),
    lambda x, w: np.concatenate([x, x]),
    lambda x, w: np.from_dlpack(x),
]


@pytest.mark.parametrize("what", ["leaf", "inner node", "dead end"])
@pytest.mark.parametrize("make", [Value, lambda x: Tensor(x, requires_grad=True)])
def test_every_use_of_a_leak_is_an_error(make: Any, what: str) -> None:
    leaf, w = make(2.0), make(3.0)
    inner, dead_end = leaf * 2.0, (leaf * 3.0).exp()
    result = inner * inner + w
    x = {"leaf": leaf, "inner node": inner, "dead end": dead_end}[what]
    gradients(result, [leaf, w])
    leaks.poison([leaf])
    for i, use in enumerate(USES):
        with pytest.raises(LeakedTraceError, match=r"(?s)leaked.*has_aux=True"):
            pytest.fail(f"use {i} of a leak gave {use(x, w)!r}")
    assert is_leaked(result)
    assert w.data == 3.0


def test_the_message() -> None:
    x = Value(2.0)
    y = x * 3.0
    leaks.poison([x])
    with pytest.raises(LeakedTraceError) as caught:
        y + 1.0
    assert str(caught.value) == (
        "add: expected values of an active transform, got a Value that leaked from its transform, "
        "which has ended:\ny, a Value of the transform\n├─ computed: inside it\n└─ y + 1.0   "
        f"(test_leaks.py, line {caught.tb.tb_lineno}): after it had ended\nReturn it from the "
        "function (has_aux=True), or keep its number: x.data, x.detach()."
    )


NAMED: dict[str, list[Callable[[Any], Any]]] = {
    "add": [lambda x: x + 1.0, lambda x: 1.0 + x, lambda x: operator.iadd(x, 1.0)],
    "mul": [lambda x: 2.0 * x, lambda x: Value(2.0) * x],
    "sin": [gradwalk.sin],
    "where": [lambda x: gradwalk.where(x, 1.0, 2.0), lambda x: gradwalk.where(True, x, x)],
    "hypot": [lambda x: gradwalk.hypot(x, x), lambda x: gradwalk.hypot(x, 2.0)],
    "relu": [gradwalk.relu],
    "numpy.sin": [np.sin],
    "numpy.add": [lambda x: np.ones(2) + x],
    ".tanh": [lambda x: x.tanh()],
}
NAMED_OF_TENSORS: dict[str, list[Callable[[Any], Any]]] = {
    "matmul": [lambda x: gradwalk.matmul(x, x)],
    "exp": [lambda x: gradwalk.exp(x)],
    "gradients": [lambda x: gradients(x, x)],
    "numpy.concatenate": [lambda x: np.concatenate([x, x])],
}
CASES = [(Value, name) for name in NAMED]
CASES += [(Tensor, name) for name in {**NAMED, **NAMED_OF_TENSORS} if name != "mul"]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_the_message_names_what_the_user_called(kind: Any, name: str) -> None:
    x = Value(2.0) if kind is Value else Tensor([2.0], requires_grad=True)
    leaks.poison([x])
    for use in {**NAMED, **NAMED_OF_TENSORS}[name]:
        with pytest.raises(LeakedTraceError) as caught:
            use(x)
        assert caught.value.where == name


@pytest.mark.parametrize("make", [Value, lambda x: Tensor(x, requires_grad=True)])
@pytest.mark.parametrize("around", ["grad", "jvp", "vjp", "vmap"])
def test_the_message_inside_of_a_transform(make: Any, around: str) -> None:
    x = make(2.0)
    leaks.poison([x])
    f = lambda y: (y * x).sum() if isinstance(y, Tensor) else y * x  # noqa: E731
    run: dict[str, Callable[[], Any]] = {
        "grad": lambda: gradwalk.grad(f)(1.0),
        "jvp": lambda: gradwalk.jvp(f, (1.0,), (1.0,)),
        "vjp": lambda: gradwalk.vjp(f, 1.0),
        "vmap": lambda: gradwalk.vmap(f)(np.ones(3)),
    }
    with pytest.raises(LeakedTraceError) as caught:
        run[around]()
    assert caught.value.where in ("mul", "an argument")


@pytest.mark.parametrize("make", [Value, lambda x: Tensor(x, requires_grad=True)])
def test_no_message_names_what_is_internal(make: Any) -> None:
    x, w = make(2.0), make(3.0)
    leaks.poison([x])
    for use in USES:
        with pytest.raises(LeakedTraceError) as caught:
            use(x, w)
        assert not caught.value.where.startswith(("_", "._")), caught.value.where
    with pytest.raises(LeakedTraceError, match=r"^an operation: "):
        x._inputs  # noqa: B018


@pytest.mark.parametrize("make", [Value, lambda x: Tensor(x, requires_grad=True)])
def test_what_a_leak_still_does(make: Any) -> None:
    x, w = make(2.0), make(3.0)
    before = hash(x)
    name = type(x).__name__
    leaks.poison([x])
    assert repr(x) == str(x) == f"{x}" == f"<leaked {name}>"
    assert repr([x]) == f"[<leaked {name}>]"
    assert hash(x) == before
    assert isinstance(x, (Value, Tensor))
    assert x in [x]
    assert x in {x}
    assert {x: 1}[x] == 1
    assert [x, w].index(x) == 0
    assert x is not w
    assert weakref.ref(x)() is x
    assert not hasattr(x, "__dict__")


def test_a_comparison_with_a_leak_is_a_use() -> None:
    x, t = Value(2.0), Tensor([2.0], requires_grad=True)
    leaks.poison([x, t])
    others = (2.0, 2, np.float64(2.0), Value(2.0), Tensor([2.0]), None, "a", x, t)
    for compare in (operator.eq, operator.ne, lambda a, b: a in [b]):
        pairs = [(leak, other) for leak in (x, t) for other in others if leak is not other]
        for pair in (*pairs, *[(b, a) for a, b in pairs]):
            with pytest.raises(LeakedTraceError):
                compare(*pair)


def test_an_optimizer_whose_parameter_leaks_later() -> None:
    for x in (Value(2.0), Tensor([2.0], requires_grad=True)):
        optimizer = gradwalk.optim.SGD([x], lr=0.1)
        (x * x).backward()
        leaks.poison([x])
        with pytest.raises(LeakedTraceError):
            optimizer.step()


def test_no_operator_of_the_house_is_forgotten() -> None:
    """What Python looks up on the class has to raise there: `__getattribute__` is not asked."""
    harmless = {"__annotations__", "__array_priority__", "__pandas_priority__", "__weakref__"}
    harmless |= {"__getattr__"}  # of unknown names, for which `__getattribute__` is asked first
    for kind in (Value, Tensor):
        names = {name for name in dir(kind) if name.startswith("__") and not hasattr(object, name)}
        assert names - set(vars(Leaked)) <= harmless


# --- the neighbours -------------------------------------------------------------------------------


def test_arrays_of_a_leak_may_be_read_and_written() -> None:
    x, w = Tensor([1.0, 2.0], requires_grad=True), Tensor([3.0, 4.0], requires_grad=True)
    y = (x * w).exp()
    window = x.data
    leaks.poison([x])
    assert window.tolist() == [1.0, 2.0]
    assert (window * 2.0).tolist() == [2.0, 4.0]
    w.data[0] = 5.0  # the graph of y, which needs it, is of no use any more
    window[0] = 7.0
    assert is_leaked(y)
    z = w * w
    with pytest.raises(InPlaceError):
        w.data[0] = 6.0
    assert z.tolist() == [25.0, 16.0]


def test_leaks_lying_around_do_not_disturb_messages() -> None:
    x, w = Tensor([1.0], requires_grad=True), Tensor([3.0], requires_grad=True)
    leaks.poison([x])
    used = w * w
    with pytest.raises(InPlaceError, match="w, whose numbers"):
        w.data[0] = 6.0
    with pytest.raises(InPlaceError):
        w += 1.0
    assert used.requires_grad
    with pytest.raises(GradwalkError):
        Tensor([w, x])


def test_a_poisoned_graph_in_the_middle_of_a_sweep() -> None:
    """Nobody does it; but no memory may be touched that is not there."""
    x = Value(2.0)

    def rule(t: Any, y: Any, x_: Any) -> Any:
        engine.poison([x])
        return t

    result = pointwise("poisoning", rule, forward=lambda x: x)(x) * 2.0
    with suppress(LeakedTraceError):
        result.backward()
    assert is_leaked(x)
    assert is_leaked(result)


@pytest.mark.skipif(ENGINE != "native", reason="what the compiled engine checks itself")
def test_the_compiled_engine_takes_values_only() -> None:
    x, w = Value(2.0), Value(3.0)
    for call in (
        lambda bad: engine.poison([bad]),
        lambda bad: engine.poison(bad),
        lambda bad: engine.gradients(w, 1.0, [bad]),
        lambda bad: engine.gradients(bad, 1.0, [w]),
    ):
        with pytest.raises(TypeError):
            call(1.0)
    leaks.poison([x])
    for call in (
        lambda: engine.gradients(w, 1.0, [x]),
        lambda: engine.gradients(x, 1.0, [w]),
        lambda: engine.leaves(x),
    ):
        with pytest.raises(LeakedTraceError):
            call()


# --- memory and depth -----------------------------------------------------------------------------


def test_poisoned_graphs_die_by_reference_counting() -> None:
    gc.collect()
    gc.disable()
    try:
        x, w = Value(2.0), Value(3.0)
        t = Tensor([2.0], requires_grad=True)
        saved = [x, x * w, (x * w).exp(), gradwalk.fma(w, x, 1.0), t, t * x, (t * t).sum()]
        saved[3].label = "labelled"
        dead = [weakref.ref(v) for v in saved]
        counts = sys.getrefcount(w)
        leaks.poison([x, t])
        assert all(map(is_leaked, saved))
        del x, t
        saved.clear()
        assert [ref() for ref in dead] == [None] * len(dead)
        assert sys.getrefcount(w) < counts
        assert w.data == 3.0
    finally:
        gc.enable()


@pytest.mark.skipif(ENGINE != "native", reason="the Python engine has no count of its own")
def test_places_of_poisoned_nodes_are_used_again() -> None:
    def addresses() -> set[int]:
        x = Value(1.0)
        nodes = [x]
        for _ in range(1000):
            nodes.append(nodes[-1] * 1.5)
        leaks.poison([x])
        return {id(node) for node in nodes}

    first = addresses()
    assert len(first & addresses()) > 900


IN_A_SHALLOW_THREAD = """
import gc, sys, threading, weakref
import gradwalk
from gradwalk import Value
from gradwalk.transforms import leaks
from gradwalk.engine.value import engine
{prepare}

def work():
    x, w = {leaf}, {leaf}
    y, other = x, w
    for _ in range({length}):
        y = y * 1.0000001
        other = other * 1.0000001
    assert leaves(node(other)) == [node(w)]
    leaks.poison([x])
    assert repr(y) == "<leaked " + type(w).__name__ + ">"
    assert type(other) is type(w)
    assert leaves(node(other)) == [node(w)]
    alive = weakref.ref(x)
    del x, y
    assert alive() is None
    other.backward()
    assert w.grad > 1.0
    print("done")

threading.stack_size(256 * 1024)
sys.setrecursionlimit(60)
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
OF_VALUES = {
    "prepare": "leaves, node = engine.leaves, lambda v: v",
    "leaf": "Value(1.0)",
    "length": DEEP,
}
OF_TENSORS = {
    "prepare": "from gradwalk import Tensor\nimport gradwalk.tensor.graph.leaks\n"
    "from gradwalk.tensor.graph.backward import leaves\nnode = lambda t: t._node",
    "leaf": "Tensor(1.0, requires_grad=True)",
    "length": 50_000,
}


@pytest.mark.parametrize("program", [OF_VALUES, OF_TENSORS], ids=["Value", "Tensor"])
def test_deep_graphs_need_no_stack(run_python: Any, program: dict[str, Any]) -> None:
    assert run_python(IN_A_SHALLOW_THREAD.format(**program)) == "done\n"


def test_a_wide_graph_takes_linear_time_however_many_leaves_there_are() -> None:
    """By the number of looks: with a walk for each leaf this would take minutes."""
    leaves, w = [Value(1.0) for _ in range(DEEP // 50)], Value(2.0)
    total = sum([leaf * w for leaf in leaves])
    leaks.poison(leaves)
    assert is_leaked(total)
    assert not is_leaked(w)


def test_random_leaks_in_a_busy_program() -> None:
    """Graphs come and go, are labelled, released, swept and poisoned; what is healthy stays so."""
    draw = random.Random(1)
    alive: list[Any] = [Value(1.0)]
    for step in range(2000):
        choice = draw.random()
        healthy = [v for v in alive if not is_leaked(v)] or [Value(draw.random())]
        if choice < 0.6:
            a, b = draw.choice(healthy), draw.choice(healthy)
            alive += [draw.choice([a * 0.5 + b, gradwalk.fma(a, b, 1.0), a.tanh(), Value(1.0)])]
            if draw.random() < 0.2:
                alive[-1].label = f"node {step}"
        elif choice < 0.8:
            del alive[draw.randrange(len(alive)) :: 3]
        elif choice < 0.9:
            y, release = draw.choice(healthy), draw.random() < 0.3
            with suppress(FreedGraphError):
                y.backward(retain_graph=not release)
                engine.leaves(y)
        else:
            engine.poison([draw.choice(alive)])
        for v in alive:
            if is_leaked(v):
                assert repr(v) == "<leaked Value>"
            else:
                assert not any(map(is_leaked, v._inputs or ())), "it depends on a leak"
                assert v.data == v.data


@pytest.mark.parametrize("x", [3.0, [1.0, 2.0], np.ones(3), {"a": 1.0, "b": np.ones(2)}])
def test_ordinary_functions_are_not_searched_for_leaks(
    x: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`poison` looks at every living node: a call for each gradient would cost milliseconds."""
    searches: list[Any] = []
    monkeypatch.setattr(leaks, "poison", searches.append)

    def f(x: Any, *rest: Any) -> Any:
        leaves = list(x.values()) if isinstance(x, dict) else x if isinstance(x, list) else [x]
        return sum(
            (gradwalk.sin(leaf) * leaf).sum() if hasattr(leaf, "shape") else leaf * leaf
            for leaf in leaves
        )

    for transform in (
        gradwalk.grad,
        gradwalk.value_and_grad,
        lambda f: gradwalk.grad(lambda x: (f(x), 1.0), 0, True),
    ):
        transform(f)(x)
        transform(f)(x)
    assert not searches
    kept = []
    gradwalk.grad(lambda x: (kept.append(x), f(x))[1])(x)
    assert searches, "the leaf was kept"
