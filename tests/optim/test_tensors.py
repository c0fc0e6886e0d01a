"""Optimizers on Tensors: PyTorch's numbers, those of Values, and nobody's array is changed."""

from __future__ import annotations

import copy
import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradwalk import Tensor, Value, optim
from gradwalk.engine.value import engine
from gradwalk.errors import NonFiniteError, NotANumberError, OptionError, SizeError, StateDictError
from gradwalk.optim import packs
from gradwalk.optim.packs import apply_to_arrays, update_arrays
from gradwalk.optim.updates import UPDATES

EXPECTED = json.loads((Path(__file__).parents[1] / "expected" / "optim_tensors.json").read_text())
PROBLEM = EXPECTED["problem"]
OPTIMIZERS = {
    "SGD": {"momentum": 0.9},
    "Adam": {"amsgrad": True},
    "AdamW": {"weight_decay": 0.1},
    "RMSprop": {"centered": True, "momentum": 0.5},
    "Adagrad": {"lr_decay": 0.1},
}


def leaf(data, dtype="float64"):
    return Tensor(data, dtype=dtype, requires_grad=True)


def with_gradient(data, gradient, dtype="float64"):
    tensor = leaf(data, dtype)
    tensor.grad = np.array(gradient, dtype)
    return tensor


def loss_of(tensors):
    curvature, goal = (Tensor(PROBLEM[k], dtype=tensors[0].dtype) for k in ("curvature", "goal"))
    return sum(((p - goal) ** 2 * curvature / 2).sum() for p in tensors)


def walk(optimizer, tensors, steps):
    points = []
    for step in range(steps):
        optimizer.zero_grad()
        late = step < PROBLEM["late"][0] or step in PROBLEM["late"]
        loss_of(tensors[:-1] if late else tensors).backward()
        optimizer.step()
        points.append([t.tolist() for t in tensors])
    return points


def start(dtype="float64"):
    return [leaf(p, dtype) for p in PROBLEM["start"]]


def run_id(run):
    return f"{run['name']}-{run['dtype']}" + "".join(f"-{k}={v}" for k, v in run["options"].items())


# --- the numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("run", EXPECTED["runs"], ids=run_id)
def test_twenty_steps_are_those_of_pytorch(run):
    """Also for a parameter whose gradients come late and are missing in between."""
    tensors = start(run["dtype"])
    optimizer = getattr(optim, run["name"])(tensors, **run["options"])
    points = walk(optimizer, tensors, 20)
    near = (
        {"rtol": 1e-12, "atol": 1e-12}
        if run["dtype"] == "float64"
        else {"rtol": 2e-5, "atol": 1e-6}
    )
    assert len(run["points"]) == 20
    for point, expected in zip(points, run["points"], strict=True):
        for p, e in zip(point, expected, strict=True):
            np.testing.assert_allclose(p, e, **near)
    assert {t.dtype for t in tensors} == {np.dtype(run["dtype"])}


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS.items())
@given(data=st.data())
def test_tensors_and_values_get_the_same_bits(name, options, data):
    numbers = st.floats(-1e3, 1e3)
    at = data.draw(st.lists(numbers, min_size=3, max_size=3))
    tensor, values = leaf([at[:1], at[1:2], at[2:]]), [Value(x) for x in at]
    optimizer = getattr(optim, name)([values[0], tensor, *values[1:]], lr=0.1, **options)
    for _ in range(3):
        gradients = data.draw(st.lists(numbers, min_size=3, max_size=3))
        tensor.grad = np.array(gradients).reshape(3, 1)
        for value, gradient in zip(values, gradients, strict=True):
            value.grad = gradient
        optimizer.step()
    assert [x.hex() for x in tensor.data.ravel().tolist()] == [v.data.hex() for v in values]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("name", UPDATES)
def test_the_engine_updates_arrays_as_the_rule_says_bit_for_bit(name, dtype):
    record, rng = UPDATES[name], np.random.default_rng(0)
    sizes = (3, packs.BLOCK, 0, 1)
    p, *slots = (rng.random(sum(sizes)).astype(dtype) for _ in range(1 + len(record.state)))
    gradients = [rng.normal(size=n).astype(dtype) for n in sizes]
    hyper = tuple(rng.uniform(0.01, 0.99, len(record.hyper)).tolist())
    results = []
    for step in (update_arrays, apply_to_arrays):
        arrays = [p.copy(), *(slot.copy() for slot in slots)]
        step(name, arrays[0], gradients, arrays[1:], hyper)
        results.append([a.tobytes() for a in arrays])
    assert results[0] == results[1]
    assert results[0][0] != p.tobytes()


def test_gradients_in_any_order_of_memory_do():
    straight, crooked = leaf(np.ones((2, 3))), leaf(np.ones((2, 3)))
    straight.grad = np.arange(6.0).reshape(2, 3)
    crooked._node.grad = np.asfortranarray(straight.grad)
    optim.Adam([straight], lr=0.1).step()
    optim.Adam([crooked], lr=0.1).step()
    assert (straight.data == crooked.data).all()
    assert straight.data[0, 0] == 1.0 != straight.data[0, 1]


def test_division_by_zero_gives_what_ieee_754_says():
    tensor = with_gradient([1.0, 1.0], [0.0, 2.0])
    optim.Adam([tensor], lr=0.1, eps=0.0).step()
    assert math.isnan(tensor.data[0])
    assert tensor.data[1] == pytest.approx(0.9)


def test_empty_and_single_numbers_are_parameters_too():
    empty, single = with_gradient(np.zeros((0, 3)), np.zeros((0, 3))), with_gradient(1.0, 2.0)
    optim.SGD([empty, single], lr=0.25, momentum=0.5).step()
    assert (empty.shape, single.shape, single.item()) == ((0, 3), (), 0.5)


def test_large_and_small_parameters_are_updated_alike():
    rng = np.random.default_rng(0)
    shapes = [(packs._CAPACITY + 5,), (3, 2), (packs._CAPACITY - 10,), (7,), (20,)]
    data = [(rng.random(s), rng.normal(size=s)) for s in shapes]
    together = [with_gradient(*pair) for pair in data]
    alone = [with_gradient(*pair) for pair in data]
    optimizers = [optim.Adam(together, lr=0.1), *(optim.Adam([t], lr=0.1) for t in alone)]
    for _ in range(2):
        for optimizer in optimizers:
            optimizer.step()
    assert all((a.data == b.data).all() for a, b in zip(together, alone, strict=True))
    assert sorted(len(p.tensors) for p in optimizers[0]._packs[0].packs) == [1, 2, 2]


def test_precisions_may_be_mixed():
    single, double = with_gradient([1.0], [2.0], "float32"), with_gradient([1.0], [2.0])
    optim.SGD([single, double], lr=0.1).step()
    assert (single.dtype, double.dtype) == (np.float32, np.float64)
    assert single.data[0] == np.float32(1.0) - np.float32(0.1) * np.float32(2.0)


# --- who may see a change -------------------------------------------------------------------------


def test_arrays_that_somebody_holds_are_never_written_into():
    a, b = leaf([1.0, 2.0]), leaf([3.0])
    optimizer = optim.SGD([a, b], lr=0.25)
    seen = []
    for _ in range(4):
        seen.append((a._data, a._data[1:], b._data, a.data.copy(), b.data.copy()))
        optimizer.zero_grad()
        ((a * a).sum() + (b * b).sum()).backward()
        optimizer.step()
    for array, part, other, was, other_was in seen:
        assert (array == was).all()
        assert (part == was[1:]).all()
        assert (other == other_was).all()
    assert len({x[0].tobytes() for x in seen}) == 4, "each step moved on"


def test_a_graph_keeps_the_numbers_that_it_was_made_from():
    w = leaf([2.0, 3.0])
    optimizer = optim.SGD([w], lr=1.0)
    for _ in range(3):  # from the second step on the array would be written in place
        optimizer.zero_grad()
        y = (w * w * w).sum()
        before = w.data.copy()
        y.backward(retain_graph=True)
        optimizer.step()
        w.grad = None
        y.backward()
        np.testing.assert_array_equal(w.grad, 3.0 * before * before)


def test_what_nobody_holds_is_written_in_place():
    w = with_gradient([2.0, 3.0], [1.0, 1.0])
    optimizer = optim.SGD([w, with_gradient([1.0], [1.0])], lr=0.5)
    optimizer.step()
    address = w._data.ctypes.data
    optimizer.step()
    assert w._data.ctypes.data == address
    assert w.tolist() == [1.0, 2.0]


def test_numbers_that_are_assigned_between_steps_count():
    a, b = with_gradient([1.0, 2.0], [1.0, 1.0]), with_gradient([3.0], [1.0])
    optimizer = optim.SGD([a, b], lr=1.0)
    optimizer.step()
    a.data = [10.0, 20.0]
    optimizer.step()
    assert (a.tolist(), b.tolist()) == ([9.0, 19.0], [1.0])


def test_the_leaf_stays_the_same_object_and_keeps_its_gradient():
    a = with_gradient([1.0], [2.0])
    node, gradient = a._node, a.grad
    optim.SGD([a], lr=0.5).step()
    assert a._node is node
    assert a.requires_grad
    assert a.grad is gradient
    assert gradient.tolist() == [2.0]


# --- gradients that are missing -------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS.items())
def test_a_tensor_without_gradient_stays_as_it_is(name, options):
    a, b = with_gradient([1.0], [1.0]), leaf([1.0])
    frozen = Tensor([1.0])
    optimizer = getattr(optim, name)([a, b, frozen], **options)
    optimizer.step()
    assert b.tolist() == frozen.tolist() == [1.0] != a.tolist()
    steps = [saved["steps"] for saved in optimizer.state_dict()["state"][0]["tensors"]]
    assert steps == [1, 0, 0]
    b.grad = np.array([1.0])
    first = a.tolist()
    optimizer.step()
    assert a.tolist() != first == b.tolist() or options.get("lr_decay")


def test_a_pack_is_found_among_others_like_it():
    """Equal steps and equal state do not make two packs the same one."""
    kinds = ("float64", "float32", "float16")
    tensors = [with_gradient([1.0], [1.0], kind) for kind in kinds for _ in range(2)]
    optimizer = optim.SGD(tensors, lr=0.5, momentum=0.5)
    optimizer.step()
    tensors[3].grad = None
    optimizer.step()
    assert [t.item() for t in tensors] == [-0.25, -0.25, -0.25, 0.5, -0.25, -0.25]


@pytest.mark.parametrize("set_to_none", [True, False])
def test_zero_grad_forgets_gradients_as_pytorch_does(set_to_none):
    a, b, value = with_gradient([1.0], [2.0]), leaf([1.0]), Value(1.0)
    value.grad = 3.0
    optimizer = optim.SGD([a, b, value, Tensor([1.0])])
    optimizer.zero_grad(set_to_none=set_to_none)
    assert (a.grad is None) == set_to_none
    assert set_to_none or a.grad.tolist() == [0.0]
    assert b.grad is None
    assert value.grad == 0.0


def test_a_closure_computes_the_loss_anew():
    x = leaf([4.0])
    optimizer = optim.SGD([x], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 16.0
    assert x.tolist() == [2.0]


# --- saving ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS.items())
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_training_goes_on_after_a_stop_as_if_there_had_been_none(name, options, dtype):
    tensors = start(dtype)
    first = getattr(optim, name)([*tensors, Value(1.0)], **options)
    walk(first, tensors, 4)
    saved = copy.deepcopy(first.state_dict())
    later = [leaf(t.data, dtype) for t in tensors]
    second = getattr(optim, name)([*later, Value(1.0)])
    second.load_state_dict(saved)
    assert walk(second, later, 5) == walk(first, tensors, 5)
    assert saved["state"][0]["tensors"][0]["steps"] == 4, "what was saved is not touched later"


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_of_an_optimizer_goes_on_alone(copied):
    a, b = with_gradient([1.0, 2.0], [1.0, 1.0]), with_gradient([3.0], [1.0])
    optimizer = optim.Adam([a, b], lr=0.1)
    optimizer.step()
    again = copied(optimizer)
    twin = again.param_groups[0]["params"][0]
    before = a.tolist()
    for _ in range(2):
        twin.grad = np.array([1.0, 1.0])
        again.step()
    assert a.tolist() == before != twin.tolist()
    optimizer.step()
    optimizer.step()
    assert a.tolist() == twin.tolist()


@pytest.mark.parametrize(
    "tensors",
    [
        None,
        [],
        [{"steps": 1, "slots": [np.zeros(3)]}],
        [{"steps": 1, "slots": [["x", "y"]]}],
        [{"slots": []}],
    ],
)
def test_a_state_of_something_else_is_refused_and_changes_nothing(tensors):
    a = with_gradient([1.0, 2.0], [1.0, 1.0])
    optimizer = optim.SGD([a], lr=0.5, momentum=0.5)
    optimizer.step()
    before = repr(optimizer.state_dict())
    wrong = optimizer.state_dict()
    wrong["param_groups"][0]["lr"] = 7.0
    if tensors is None:
        del wrong["state"][0]["tensors"]
    else:
        wrong["state"][0]["tensors"] = tensors
    with pytest.raises(StateDictError, match=r"SGD\.load_state_dict: expected the state of groups"):
        optimizer.load_state_dict(wrong)
    assert repr(optimizer.state_dict()) == before


# --- schedules, clipping --------------------------------------------------------------------------


def test_schedules_work_for_tensors():
    a = with_gradient([1.0], [1.0])
    optimizer = optim.SGD([a], lr=0.5)
    scheduler = optim.StepLR(optimizer, 1, gamma=0.5)
    optimizer.step()
    scheduler.step()
    optimizer.step()
    assert a.tolist() == [0.25]


@pytest.mark.parametrize("norm_type", [1.0, 2.0, 3.0, math.inf, "inf"])
def test_the_norm_is_that_of_all_numbers_together(norm_type):
    numbers = [3.0, -4.0, 0.5, 2.0, -1.0]
    values = [Value(0.0) for _ in numbers]
    for value, x in zip(values, numbers, strict=True):
        value.grad = x
    single = Value(0.0)
    single.grad = numbers[4]
    mixed = [with_gradient([0.0, 0.0], numbers[:2]), with_gradient([[0.0, 0.0]], [numbers[2:4]])]
    mixed += [leaf([1.0]), single, with_gradient(np.zeros(0), np.zeros(0))]
    found = optim.clip_grad_norm_(mixed, 0.25, norm_type)
    assert found == pytest.approx(optim.clip_grad_norm_(values, 0.25, norm_type), rel=1e-15)
    clipped = [*mixed[0].grad, *mixed[1].grad[0], mixed[3].grad]
    np.testing.assert_allclose(clipped, [v.grad for v in values], rtol=1e-15)


@pytest.mark.parametrize("size", [1e200, 1e-200, 5e-324])
def test_no_power_overflows_on_the_way(size):
    for norm_type in (2.0, 3.0):
        assert optim.clip_grad_norm_(
            with_gradient([0.0] * 2, [size, 0.0]), math.inf, norm_type
        ) == pytest.approx(size, rel=1e-14)
    if size > 1.0:
        tensor = with_gradient([0.0], [3e38], "float32")
        assert optim.clip_grad_norm_(tensor, 1.0) == pytest.approx(3e38)
        assert tensor.grad.dtype == np.float32


def test_a_norm_that_is_not_finite_is_refused_if_asked():
    tensor = with_gradient([0.0, 0.0], [math.nan, 1.0])
    with pytest.raises(NonFiniteError, match="got nan"):
        optim.clip_grad_norm_(tensor, 1.0, error_if_nonfinite=True)
    assert tensor.grad[1] == 1.0
    assert math.isnan(optim.clip_grad_norm_(tensor, 1.0))
    infinite = with_gradient([0.0], [-math.inf])
    assert optim.clip_grad_norm_(infinite, 1.0) == math.inf


def test_gradients_are_clipped_number_by_number():
    tensor, none, value = with_gradient([0.0] * 3, [-7.0, 0.25, 9.0]), leaf([1.0]), Value(0.0)
    held = tensor.grad
    value.grad = 3.0
    optim.clip_grad_value_([tensor, none, value], 0.5)
    assert tensor.grad.tolist() == [-0.5, 0.25, 0.5]
    assert (none.grad, value.grad, held.tolist()) == (None, 0.5, [-7.0, 0.25, 9.0])


# --- errors ---------------------------------------------------------------------------------------

parameter = leaf([1.0, 2.0])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: optim.SGD(parameter), NotANumberError, "a list of Values and Tensors"),
        (lambda: optim.SGD([parameter, np.ones(2)]), NotANumberError, "a Value or a Tensor"),
        (lambda: optim.SGD([parameter * 2]), OptionError, "a leaf.*the result of mul"),
        (lambda: optim.SGD([parameter, parameter]), OptionError, "each parameter once"),
        (lambda: optim.SGD([Tensor([1, 2])]), OptionError, "floating dtype, got dtype int64"),
        (lambda: optim.clip_grad_norm_([np.ones(2)], 1.0), NotANumberError, "Values or Tensors"),
    ],
)
def test_errors_say_what_is_wrong(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_gradient_of_another_shape_is_refused_before_anything_changes():
    a, b = with_gradient([1.0], [1.0]), with_gradient([1.0, 2.0], [1.0, 1.0])
    b._node.grad = np.ones((2, 1))
    optimizer = optim.SGD([a, b], lr=0.5)
    with pytest.raises(SizeError, match=r"gradient of shape \(2,\), got one of shape \(2, 1\)"):
        optimizer.step()
    assert (a.tolist(), optimizer.state_dict()["state"][0]["tensors"][0]["steps"]) == ([1.0], 0)


def test_parameters_are_added_as_groups():
    optimizer = optim.SGD([with_gradient([1.0], [1.0])], lr=0.5)
    optimizer.param_groups[0]["params"].append(leaf([2.0]))
    with pytest.raises(SizeError, match=r"the 1 parameters of the step before, got 2"):
        optimizer.step()
    optimizer.param_groups[0]["params"].pop()
    late = with_gradient([2.0], [1.0])
    optimizer.add_param_group({"params": [late], "lr": 1.0})
    optimizer.step()
    assert late.tolist() == [1.0]


def test_state_follows_parameters_to_another_precision():
    a, b = with_gradient([1.0], [1.0]), with_gradient([2.0], [1.0])
    optimizer = optim.SGD([a, b], lr=0.5, momentum=0.5)
    optimizer.step()
    for tensor in (a, b):
        tensor._data = tensor._data.astype("float32")
        tensor._node.grad = tensor._node.grad.astype("float32")
    optimizer.step()
    assert (a.dtype, a.item()) == (np.float32, -0.25)
    b._data = b._data.astype("float64")
    with pytest.raises(OptionError, match="float32 and float64 where all were equal"):
        optimizer.step()


@pytest.mark.skipif(not hasattr(engine, "update_arrays"), reason="runs on the Python engine")
@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        (("newton", np.ones(2), (), (), ()), ValueError, "no rule is called newton"),
        (("sgd", np.ones(2), (np.ones(2),), (), (0.1,)), ValueError, "3 hyperparameters"),
        (("sgd", np.ones(2), (np.ones(3),), (), (0.1, 0.0, 1.0)), ValueError, "that fit"),
        (("sgd", np.ones(2), (np.ones(2, "f4"),), (), (0.1, 0.0, 1.0)), ValueError, "that fit"),
        (("sgd", np.ones(2, int), (np.ones(2, int),), (), (0.1, 0.0, 1.0)), ValueError, "fit"),
        (("sgd", np.ones(2), (np.ones(2),), (np.ones(2),), (0.1, 0.0, 1.0)), ValueError, "keeps 0"),
        (("sgd", np.ones(4)[::2], (np.ones(2),), (), (0.1, 0.0, 1.0)), BufferError, "contiguous"),
        (
            ("sgd_momentum", np.ones(2), (np.ones(2),), (np.ones(3),), (0.1, 0.5, 1.0, 0.0, 1.0)),
            ValueError,
            "that fit",
        ),
        (("sgd", [1.0], (np.ones(1),), (), (0.1, 0.0, 1.0)), TypeError, "bytes-like"),
    ],
)
def test_the_native_update_refuses_arrays_that_do_not_fit(args, error, message):
    with pytest.raises(error, match=message):
        engine.update_arrays(*args)
