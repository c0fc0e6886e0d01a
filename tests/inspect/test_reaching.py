"""`why` in large graphs: what an element is computed from, and that each node is asked once."""

import gc
from contextlib import suppress
from math import inf, nan

import numpy as np
import pytest
from tests.helpers.amount import amount

import gradwalk as gw
from gradwalk import Tensor, Value
from gradwalk.inspect import origins, places, reaching, why
from gradwalk.program.run import run_of

SQUARE = (3, 3)
OPERATIONS = {
    "affine": lambda x, w, b: gw.nn.functional.linear(x, w, b[0]),
    "astype": lambda x, w, b: x.astype("float32"),
    "log_softmax": lambda x, w, b: x.log_softmax(1),
    "matmul": lambda x, w, b: x @ w,
    "mean": lambda x, w, b: x.mean(0),
    "permute_dims": lambda x, w, b: x.reshape(3, 3, 1).permute(2, 0, 1),
    "reshape": lambda x, w, b: x.reshape(1, 9),
    "softmax": lambda x, w, b: x.softmax(0),
    "sum": lambda x, w, b: x.sum(1, keepdims=True),
}


def test_each_formula_has_an_operation():
    assert OPERATIONS.keys() == reaching.PARTS.keys()


@pytest.mark.parametrize("bad", [nan, inf, -inf])
@pytest.mark.parametrize("name", OPERATIONS)
def test_parts_are_what_the_rules_reach(name, bad):
    """An element depends on the elements of its part and on no others."""
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=SQUARE) for _ in range(3)]
    leaves = [Tensor(x, requires_grad=True) for x in arrays]
    run = run_of(OPERATIONS[name](*leaves))
    k = next(k for k, e in enumerate(run.program) if e.primitive.name == name)
    y, args = run.program.results(k)[0], run.args(k)
    formula = reaching.part_formula(run.program.primitive(k))
    for element in np.ndindex(run.number(y).shape):
        parts = formula(element, *args, **run.program.params.get(k, {}))
        for position, (x, part) in enumerate(zip(args, parts, strict=True)):
            expected = origins._reached(run, k, y, element, position)
            mask = np.zeros(x.shape, bool)
            mask[part] = True
            assert [*map(tuple, np.argwhere(mask).tolist())] == expected
            wrong = np.array(x)
            wrong[part] = bad
            place, _ = reaching.scanned(wrong, part)
            assert reaching.element_at(wrong, part, place) == expected[0]


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_short_way_gives_the_culprits_of_the_long_one(name):
    rng = np.random.default_rng(1)
    compared = 0
    for _ in range(20):
        arrays = [rng.choice([nan, inf, -1.0, 0.5, 1e200], SQUARE) for _ in range(3)]
        leaves = [Tensor(x, requires_grad=True) for x in arrays]
        with np.errstate(all="ignore"):
            y = OPERATIONS[name](*leaves)
        run = run_of(y)
        for element in map(tuple, np.argwhere(~np.isfinite(y.data)).tolist()):
            with run.quiet():
                known = origins._Forward(run, run.root, element)._known(run.root)
                expected = origins._culprits(run, run.root, element)
            if known is not None:
                assert known == expected
                compared += 1
    assert compared


@pytest.mark.parametrize("number", [0.0, 2.0])
def test_a_leaf_is_no_other_leaf_of_the_same_number(number):
    used, unused = Value(number), Value(number)
    y = used * 0.0 + 1.0
    y.backward()
    assert "unused" in str(why(unused)), str(why(unused))
    assert "cut" not in str(why(unused))


def test_inner_results_in_a_list_are_walked_together(monkeypatch):
    walks = []
    real = places.ancestors
    monkeypatch.setattr(places, "ancestors", lambda *a, **o: walks.append(a) or real(*a, **o))
    w = Value(0.0)
    kept = [w.sqrt()]
    for _ in range(100):
        kept.append(kept[-1] * 1.5)
    kept[-1].backward()
    assert why(w).op == "sqrt"
    assert len(walks) == 1


def test_ends_behind_infinities_need_no_stack():
    """2.7 / exp(1000) = 0, whose logarithm is infinite, in thousands of branches."""
    w = Tensor(np.full(2, 1000.0), requires_grad=True)
    total = Tensor(0.0)
    with np.errstate(all="ignore"):
        for _ in range(amount(5_000, 2_000)):
            total = total + (2.7 / w.exp()).log()
        cause = why(total)
    assert (cause.op, cause.args) == ("exp", (1000.0,))


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("question", [Value(0.0), 3.0])
def test_the_collector_is_as_it_was(enabled, question):
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    with suppress(gw.errors.NotANumberError):
        why(question)
    found = gc.isenabled()
    (gc.enable if before else gc.disable)()
    assert found is enabled
