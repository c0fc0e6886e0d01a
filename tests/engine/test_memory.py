"""Deep and wide graphs, copies of them, and where the memory goes: no recursion, no cycles."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import gradwalk
from gradwalk import ENGINE, Value, gradients
from gradwalk.engine import pure
from gradwalk.engine.node import ancestors
from gradwalk.errors import FreedGraphError, GradwalkError

from ..helpers.amount import amount

DEEP = amount(1_000_000 if ENGINE == "native" else 100_000, 50_000)


def chain(x: Any, length: int) -> Any:
    for _ in range(length // 2):
        x = x * 1.0000001 + 1e-9
    return x


# --- depth --------------------------------------------------------------------------------------

IN_A_SHALLOW_THREAD = """
import gc, sys, threading
sys.path_hooks  # the interpreter is fully up before its limits shrink
import gradwalk
from gradwalk import Value, gradients

def work():
    x = Value(1.0)
    y = x
    for _ in range({length} // 2):
        y = y * 0.5 + x
    y.backward()
    assert x.grad == 2.0, x.grad
    assert gradients(y, x) == 2.0
    y.backward(retain_graph=False)
    assert x.grad == 4.0
    del y
    z = x
    for _ in range({length}):
        z = -z
    (first,) = gradients(z, [x], create_graph=True)
    assert first.data == 1.0
    del z, first
    print("done", sys.getrecursionlimit())

gc.disable()
threading.stack_size(256 * 1024)
sys.setrecursionlimit(60)
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


def test_a_deep_chain_needs_no_stack(run_python: Any) -> None:
    """Built, swept and freed with 60 Python frames and a C stack of 256 KiB."""
    assert run_python(IN_A_SHALLOW_THREAD.format(length=DEEP)) == "done 60\n"


def test_a_deep_chain_has_the_gradient_of_a_loop() -> None:
    x = Value(1.0)
    y = chain(x, DEEP)
    expected = 1.0
    for _ in range(DEEP // 2):
        expected = expected * 1.0000001
    y.backward()
    assert x.grad == expected
    assert len(ancestors(y)) == 2 * (DEEP // 2) + 1


def test_a_wide_graph() -> None:
    leaves = [Value(1.0) for _ in range(100_000)]
    total = sum(leaves)
    total.backward()
    assert total.data == 100_000.0
    assert all(leaf.grad == 1.0 for leaf in leaves)
    x = Value(2.0)
    y = sum([x * k for k in range(100_000)])
    assert gradients(y, x) == sum(range(100_000))


def test_one_row_over_a_long_list() -> None:
    xs = [Value(0.0) for _ in range(256)]
    gradwalk.logsumexp(xs).backward()
    assert [x.grad for x in xs] == [1 / 256] * 256


# --- freeing ------------------------------------------------------------------------------------


@pytest.fixture
def without_gc() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_gc")
@pytest.mark.parametrize(
    "use",
    [
        lambda y, x: None,
        lambda y, x: y.backward(),
        lambda y, x: y.backward(retain_graph=False),
        lambda y, x: y.operands[1].operands,
        lambda y, x: y.local_gradients,
        lambda y, x: gradients(y, [x, y]),
        lambda y, x: gradients(y, x, create_graph=True).backward(),
        lambda y, x: gradients(gradients(y, x, create_graph=True), x, create_graph=True),
        lambda y, x: copy.deepcopy(y).backward(),
        lambda y, x: pickle.loads(pickle.dumps(y)),
        lambda y, x: (y < 2, {y: x}, repr(y), f"{y:.3f}"),
    ],
)
def test_a_graph_dies_with_its_last_reference(use: Callable[[Any, Any], Any]) -> None:
    x = Value(0.5)
    inner = x * x
    y = inner.exp() * 3 + gradwalk.where(inner > 0, inner, x).tanh()
    watched = [weakref.ref(node) for node in (y, inner)]
    use(y, x)
    del inner
    assert watched[0]() is y
    del y
    assert [reference() for reference in watched] == [None, None]
    assert gc.collect() == 0, "no cycle was left for the collector"


@pytest.mark.usefixtures("without_gc")
def test_failures_leave_no_garbage() -> None:
    x = Value(1.0)

    def fail() -> (
        Any
    ):  # errors read the variables of their callers, which Python keeps till the end
        y = x * x
        y.backward(retain_graph=False)
        with pytest.raises(GradwalkError):
            y.backward()
        with pytest.raises(TypeError):
            y + "1"
        with pytest.raises(TypeError):
            float(y)
        return weakref.ref(y)

    for _ in range(10):
        assert fail()() is None


STEPS = """
import resource
import gradwalk
from gradwalk import Value, gradients

weights = [Value(0.01 * k) for k in range(20)]

def step():
    xs = [(w * 0.5 + 0.1).tanh() for w in weights]
    loss = sum((x - 1) ** 2 for x in xs) + gradwalk.logsumexp(xs)
    for w in weights:
        w.grad = 0.0
    loss.backward()
    gradients(gradients(loss, weights[0], create_graph=True), weights)
    for w in weights:
        w.data -= 0.01 * w.grad

def peak(steps):
    for _ in range(steps):
        step()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

print(peak(100), peak({steps}))
"""


def test_training_steps_do_not_grow(run_python: Any) -> None:
    pytest.importorskip("resource", reason="needs POSIX")
    steps = 3000 if ENGINE == "native" else 300
    first, last = map(int, run_python(STEPS.format(steps=steps)).split())
    assert last <= 1.01 * first, "a lost node per step would already show"


NODES = """
import resource
from gradwalk import Value
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
x = Value(1.0)
for _ in range(500_000):
    x = x * 1.0000001 + 1e-9
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(ENGINE == "python", reason="the figure is that of the compiled engine")
def test_a_node_takes_at_most_120_bytes(run_python: Any) -> None:
    pytest.importorskip("resource", reason="needs POSIX")
    unit = 1 if run_python("import sys; print(sys.platform)") == "darwin\n" else 1024
    assert int(run_python(NODES)) * unit <= 120 * 1_000_000


FETCHED = """
import resource
from gradwalk import Value

def build(count):
    x = Value(1.0)
    for _ in range(count // 2):
        x = x * 1.0000001 + 1e-9

def size():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

build(400_000)
before = faults()
build(400_000)
fetched, held = faults() - before, size()
for _ in range(100):
    build(100)
print(fetched, held - size())
"""


@pytest.mark.memory
@pytest.mark.skipif(ENGINE == "python", reason="memory of the compiled engine")
def test_memory_of_the_last_peak_is_kept_and_later_given_back(run_python: Any) -> None:
    """400,000 nodes are 6,300 pages: none is fetched for the second graph; later 4,000 go."""
    if not Path("/proc/self/statm").exists():
        pytest.skip("needs Linux, which says how much memory a process has")
    fetched, given_back = map(int, run_python(FETCHED).split())
    assert fetched < 300
    assert given_back > 3000


# --- cycles through the rules of a user's primitive ---------------------------------------------


class Witness:
    """Something that a rule refers to, and that can be watched."""


def own(refers_to: list[Any]) -> Any:
    return gradwalk.pointwise(
        f"own_{id(refers_to)}", lambda t, y, x: (t, refers_to)[0], forward=lambda x: x + 1.0
    )


CONSUMERS: dict[str, Callable[[Any, Any], Any]] = {
    "itself": lambda y, x: y,
    "binary": lambda y, x: 2.0 * y + x,
    "both": lambda y, x: y * y,
    "unary": lambda y, x: -abs(y),
    "function": lambda y, x: y.exp().tanh(),
    "power": lambda y, x: y**2 // 3.0,
    "three": lambda y, x: gradwalk.where(x > 0.0, y, x) + gradwalk.clip(y, 0.0, 9.0),
    "sum": lambda y, x: gradwalk.logsumexp([y, x]),
    "neuron": lambda y, x: gradwalk.engine.value.weighted_sum([y, x], [x, y], 0.0),
    "another": lambda y, x: own([])(y),
    "labelled": lambda y, x: setattr(y, "label", "y") or y * 1.0,
    "looked at": lambda y, x: (z := y * 3.0) and z.operands and z,
    "swept": lambda y, x: ((z := y * x) and z.backward()) or z,
    "freed": lambda y, x: ((z := y * x) and z.backward(retain_graph=False)) or z,
    "recorded": lambda y, x: gradients(y * y * x, x, create_graph=True),
    "copied": lambda y, x: copy.deepcopy(y * x),
    "deep": lambda y, x: chain(y, 20_000),
}


@pytest.mark.usefixtures("without_gc")
@pytest.mark.parametrize("consume", CONSUMERS.values(), ids=CONSUMERS)
def test_a_value_that_its_own_rule_refers_to_is_collected(consume: Any) -> None:
    witness, kept = Witness(), []
    kept.append(witness)
    x = Value(2.0)
    y = own(kept)(x)
    kept += [y, consume(y, x)]
    watched = [weakref.ref(v) for v in (witness, y, kept[-1])]
    gc.collect()
    assert None not in [reference() for reference in watched], "they are still in use"
    with suppress(FreedGraphError):
        gradients(kept[-1], x)
    del witness, kept, y
    assert watched[0]() is not None, "a cycle"
    gc.collect()
    assert [reference() for reference in watched] == [None] * 3
    assert (x * x).data == 4.0


@pytest.mark.usefixtures("without_gc")
def test_a_label_is_a_plain_string() -> None:
    class Text(str):
        __slots__ = ("value",)

    x = Value(1.0, label=Text("x"))
    assert (type(x.label), x.label) == (str, "x")


@pytest.mark.skipif(ENGINE == "python", reason="all objects of Python are tracked")
def test_only_values_that_can_be_in_a_cycle_are_tracked() -> None:
    x = Value(2.0)
    y = own([])(x)
    assert [gc.is_tracked(v) for v in (x, x * x, x.exp(), y, y * x, -y, x + 1.0)] == [
        *(False, False, False, True, True, True, False)
    ]
    with gradwalk.no_grad():
        assert not gc.is_tracked(y * x)


# --- copies -------------------------------------------------------------------------------------

COPIES: list[Any] = [
    copy.deepcopy,
    *(lambda v, p=p: pickle.loads(pickle.dumps(v, p)) for p in range(2, 6)),
]


@pytest.mark.parametrize("duplicate", COPIES)
def test_a_copied_graph_is_complete_and_independent(duplicate: Any) -> None:
    x, w = Value(2.0, label="x"), Value(-0.5, label="w")
    inner = x * w
    y = inner.tanh() + inner * 3 - gradwalk.clip(x, max=1.5) + gradwalk.logsumexp([x, w, 0.0])
    y.label, x.grad = "y", 7.0
    xx, ww, twin = duplicate((x, w, y))
    assert (type(twin), twin.data, twin.op, twin.label) == (Value, y.data, y.op, "y")
    assert (xx.data, xx.grad, xx.label, ww.label) == (2.0, 7.0, "x", "w")
    assert [n.op for n in ancestors(twin)] == [n.op for n in ancestors(y)]
    assert {xx, ww} <= set(ancestors(twin)), "the leaves of the copy are the copied leaves"
    assert not set(ancestors(y)) & set(ancestors(twin))
    assert gradients(twin, [xx, ww]) == gradients(y, [x, w])
    twin.backward()
    assert (x.grad, xx.grad) == (7.0, 7.0 + gradients(y, x))


@pytest.mark.parametrize("duplicate", COPIES)
def test_roots_copied_together_share_their_nodes(duplicate: Any) -> None:
    x = Value(2.0)
    inner = x * x
    a, b, i = duplicate([inner + 1, 1 / inner, inner])
    assert a.operands[0] is b.operands[1] is i
    assert len({*ancestors(a)} & {*ancestors(b)}) == 2
    leaves = duplicate({"x": x, "again": x})
    assert leaves["x"] is leaves["again"]


@pytest.mark.parametrize("duplicate", COPIES)
def test_constants_stay_constants_in_a_copy(duplicate: Any) -> None:
    y = Value(3.0) * 2
    constant = y.operands[1]
    twin = duplicate(y)
    twin.backward()
    assert (twin.operands[1].data, twin.operands[1].grad) == (2.0, 0.0)
    alone = duplicate(constant)
    assert (alone.data, alone.op, alone.operands) == (2.0, "", ())


@pytest.mark.parametrize("duplicate", [COPIES[0], COPIES[1], COPIES[-1]])
def test_a_chain_of_100_000_nodes_is_copied_without_recursion(duplicate: Any) -> None:
    x = Value(1.0)
    y = chain(x, 100_000)
    twin = duplicate(y)
    assert len(ancestors(twin)) == 100_001
    assert gradients(twin, ancestors(twin)[0]) == gradients(y, x)


def test_a_shallow_copy_is_a_new_node_over_the_same_operands() -> None:
    x = Value(2.0)
    y = x * x
    twin = copy.copy(y)
    assert twin is not y
    assert (twin.data, twin.op, twin.operands) == (4.0, "mul", (x, x))
    assert twin.operands[0] is x


def test_a_pickle_from_one_process_opens_in_another(run_python: Any) -> None:
    x = Value(3.0, label="x")
    text = pickle.dumps(x * x + x).hex()
    program = """
import pickle, sys
y = pickle.loads(bytes.fromhex(sys.argv[1]))
y.backward()
print(y.data, [(o.label, o.grad) for o in y.operands])
"""
    for environment in ({}, {"GRADWALK_PURE": "1"}):
        assert run_python(program, text, **environment) == "12.0 [('', 1.0), ('x', 7.0)]\n"


def user_row(name: str) -> Any:
    return gradwalk.pointwise(name, lambda t, y, x: t * 3.0 * x * x, forward=lambda x: x * x * x)


def test_a_row_of_the_users_own_travels_by_name(run_python: Any) -> None:
    x = Value(2.0)
    y = user_row("cube_that_travels")(x)
    assert (y.data, y.op, gradients(y, x)) == (8.0, "cube_that_travels", 12.0)
    for duplicate in COPIES:
        twin = duplicate(y)
        assert gradients(twin, twin.operands) == (12.0,)
    program = """
import pickle, sys
from gradwalk import GradwalkError
try:
    pickle.loads(bytes.fromhex(sys.argv[1]))
except GradwalkError as error:
    print(error)
"""
    said = run_python(program, pickle.dumps(y).hex())
    expected = "unpickling a graph: expected a known primitive, got 'cube_that_travels'."
    assert said.startswith(expected)


def test_a_row_whose_name_is_taken_cannot_be_pickled_as_another() -> None:
    y = user_row("exp")(Value(2.0))
    assert y.data == 8.0
    assert copy.deepcopy(y).data == 8.0
    with pytest.raises((GradwalkError, pickle.PicklingError), match="exp"):
        pickle.dumps(y)


def test_a_freed_graph_refuses_to_be_copied() -> None:
    y = Value(2.0) * 3
    y.backward(retain_graph=False)
    for duplicate in COPIES:
        with pytest.raises(GradwalkError, match="mul = 6"):
            duplicate(y)


def test_the_release_of_webassembly_frees_operands_in_a_loop() -> None:
    class Chained(pure.Value, leaked=True):  # type: ignore[call-arg,misc]
        __slots__ = ()
        __del__ = pure.release

    freed: list[int] = []
    node = Chained(0.0)
    for i in range(1000):
        weakref.finalize(node, lambda i=i: freed.append(i))
        following = Chained(0.0)
        following._inputs = (node,)
        node = following
    del following, node
    assert freed == list(range(1000))[::-1]
    assert pure._dying == []
    Chained.__new__(Chained)  # one whose __init__ has not run
