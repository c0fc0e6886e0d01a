"""Optimizers, clipping and schedules: PyTorch's numbers, state that survives, clear errors."""

from __future__ import annotations

import json
import math
import pickle
from array import array
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradwalk import Tensor, Value, optim
from gradwalk.errors import (
    NonFiniteError,
    NotANumberError,
    OptionError,
    SizeError,
    StateDictError,
)
from gradwalk.nn import MLP, mse
from gradwalk.optim.updates import UPDATES, apply_update, update

EXPECTED = json.loads((Path(__file__).parents[1] / "expected" / "optim.json").read_text("utf-8"))
PROBLEM = EXPECTED["problem"]
CLOSE = {"rel": 1e-12, "abs": 1e-12}


def values(numbers):
    return [Value(number) for number in numbers]


def set_gradients(params, gradients):
    for parameter, gradient in zip(params, gradients, strict=True):
        parameter.grad = gradient


def loss_of(params):
    rows = zip(params, PROBLEM["curvature"], PROBLEM["goal"], strict=True)
    return sum(((p - goal) ** 2 * curvature / 2 for p, curvature, goal in rows), Value(0.0))


def walk(optimizer, params, steps):
    """The parameters after each step."""
    points = []
    for _ in range(steps):

        def closure():
            optimizer.zero_grad()
            loss = loss_of(params)
            loss.backward()
            return loss

        optimizer.step(closure)
        points.append([p.data for p in params])
    return points


def run_id(run):
    return run["name"] + "".join(f"-{key}={value}" for key, value in run["options"].items())


# --- PyTorch's numbers ----------------------------------------------------------------------


@pytest.mark.parametrize("run", EXPECTED["runs"], ids=run_id)
def test_fifty_steps_are_those_of_pytorch(run):
    params = values(PROBLEM["start"])
    optimizer = getattr(optim, run["name"])(params, **run["options"])
    points = walk(optimizer, params, 50)
    assert len(run["points"]) == 50
    for point, expected in zip(points, run["points"], strict=True):
        assert point == pytest.approx(expected, **CLOSE)


def test_every_optimizer_and_schedule_is_compared():
    of_optim = {name: getattr(optim, name) for name in optim.__all__}
    classes = {name: kind for name, kind in of_optim.items() if isinstance(kind, type)}
    for base, compared in ((optim.Optimizer, EXPECTED["runs"]),
                           (optim.LRScheduler, EXPECTED["schedules"])):  # fmt: skip
        names = {n for n, kind in classes.items() if issubclass(kind, base) and kind is not base}
        assert names - {"SequentialLR"} == {case["name"] for case in compared}


def two_groups(momentum=0.0):
    groups = [{"params": [Value(0.0)], "lr": 0.5}, {"params": [Value(0.0)]}]
    return optim.SGD(groups, lr=0.1, momentum=momentum)


def rates(scheduler, losses=(), momenta=None):
    found = [scheduler.get_last_lr()]
    for epoch in range(50):
        if momenta is not None:
            assert [g["momentum"] for g in scheduler.optimizer.param_groups] == pytest.approx(
                momenta[epoch], **CLOSE
            )
        if epoch == 49:
            break
        scheduler.step(*losses[epoch + 1 : epoch + 2])
        assert [g["lr"] for g in scheduler.optimizer.param_groups] == scheduler.get_last_lr()
        found.append(scheduler.get_last_lr())
    return found


@pytest.mark.parametrize("schedule", EXPECTED["schedules"], ids=run_id)
def test_schedules_are_those_of_pytorch(schedule):
    momenta = schedule.get("momenta")
    optimizer = two_groups(0.9 if momenta else 0.0)
    scheduler = getattr(optim, schedule["name"])(optimizer, **schedule["options"])
    losses = EXPECTED["losses"] if schedule["name"] == "ReduceLROnPlateau" else ()
    for found, expected in zip(rates(scheduler, losses, momenta), schedule["rates"], strict=True):
        assert found == pytest.approx(expected, **CLOSE)


def warm_up_and_cosine(optimizer):
    sequence = EXPECTED["sequence"]
    warm_up = optim.LinearLR(optimizer, **sequence["warm_up"])
    cosine = optim.CosineAnnealingLR(optimizer, **sequence["cosine"])
    return optim.SequentialLR(optimizer, [warm_up, cosine], [sequence["milestone"]])


def test_warm_up_and_cosine_are_those_of_pytorch():
    found = rates(warm_up_and_cosine(two_groups()))
    for lrs, expected in zip(found, EXPECTED["sequence"]["rates"], strict=True):
        assert lrs == pytest.approx(expected, **CLOSE)


# --- rules and engines ----------------------------------------------------------------------

finite = st.floats(-1e3, 1e3)
positive = st.floats(1e-3, 1e3)


@pytest.mark.parametrize("name", UPDATES)
@given(data=st.data())
def test_the_engine_updates_as_the_rule_says_bit_for_bit(name, data):
    record, n = UPDATES[name], 3
    start = data.draw(st.lists(finite, min_size=n, max_size=n))
    gradients = data.draw(st.lists(finite, min_size=n, max_size=n))
    state = [data.draw(st.lists(positive, min_size=n, max_size=n)) for _ in record.state]
    hyper = tuple(data.draw(st.floats(0.01, 0.99)) for _ in record.hyper)
    results = []
    for step in (update, apply_update):
        params, slots = values(start), [array("d", slot) for slot in state]
        set_gradients(params, gradients)
        step(name, params, slots, hyper)
        results.append([x.hex() for x in [*(p.data for p in params), *chain(*slots)]])
        assert [p.grad for p in params] == gradients
    assert results[0] == results[1]


def test_division_by_zero_gives_what_ieee_754_says():
    still, moving = Value(1.0), Value(1.0)
    moving.grad = 2.0
    optim.Adam([still, moving], lr=0.1, eps=0.0).step()
    assert math.isnan(still.data)  # 0 / 0
    assert moving.data == pytest.approx(0.9)
    for slots in (update, apply_update):
        p, s = Value(1.0), array("d", [-0.0])
        slots("adagrad", [p], [s], (0.5, 0.0, 0.0, 1.0))
        assert math.isnan(p.data)


def test_a_step_is_one_call_over_all_parameters():
    model = MLP(3, [4, 4, 1], seed=0)
    optimizer = optim.Adam(model.parameters())
    mse(model([1.0, 2.0, 3.0]), 1.0).backward()
    optimizer.step()
    slots = optimizer._states[0].slots
    assert [(type(slot), len(slot)) for slot in slots] == [(array, 41), (array, 41)]


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_training_lowers_the_loss(name):
    params = values(PROBLEM["start"])
    before = loss_of(params).data
    walk(getattr(optim, name)(params, lr=0.05), params, 100)
    assert loss_of(params).data < 0.7 * before


# --- groups and options that change ---------------------------------------------------------


def test_each_group_has_options_of_its_own():
    slow, fast = Value(1.0), Value(1.0)
    optimizer = optim.SGD([{"params": [slow], "lr": 0.125}, {"params": iter([fast])}], lr=0.5)
    set_gradients([slow, fast], [1.0, 1.0])
    optimizer.step()
    assert (slow.data, fast.data) == (0.875, 0.5)
    optimizer.param_groups[1]["lr"] = 0.25
    optimizer.step()
    assert fast.data == 0.25


def test_groups_can_be_added_later():
    x, y = Value(1.0), Value(1.0)
    optimizer = optim.Adagrad([x], lr=0.5)
    optimizer.add_param_group({"params": [y], "lr": 0.25})
    set_gradients([x, y], [2.0, 2.0])
    optimizer.step()
    assert (x.data, y.data) == pytest.approx((0.5, 0.75))


def test_each_group_starts_adagrad_from_its_own_value():
    x, y = Value(1.0), Value(1.0)
    groups = [{"params": [x], "initial_accumulator_value": 3.0}, {"params": [y]}]
    optimizer = optim.Adagrad(groups, lr=0.5)
    set_gradients([x, y], [1.0, 1.0])
    optimizer.step()
    assert (x.data, y.data) == pytest.approx((0.75, 0.5))


def test_momentum_may_be_switched_on_and_off():
    x = Value(0.0)
    optimizer = optim.SGD([x], lr=1.0)
    trace = []
    for momentum in (0.0, 0.5, 0.5, 0.0):
        optimizer.param_groups[0]["momentum"], x.grad = momentum, 1.0
        optimizer.step()
        trace.append(x.data)
    assert trace == [-1.0, -2.0, -3.5, -4.5]


def test_zero_grad_clears_every_group():
    params = values([1.0, 2.0])
    optimizer = optim.SGD([{"params": params[:1]}, {"params": params[1:]}])
    set_gradients(params, [3.0, 4.0])
    optimizer.zero_grad()
    assert [p.grad for p in params] == [0.0, 0.0]


@pytest.mark.parametrize("set_to_none", [True, False])
def test_a_cleared_gradient_is_a_number_whatever_pytorch_would_make_of_it(set_to_none):
    x = Value(1.0)
    x.grad = 3.0
    optim.SGD([x]).zero_grad(set_to_none=set_to_none)
    assert x.grad == 0.0


def test_a_step_calls_its_closure_first_and_returns_the_loss():
    x = Value(4.0)
    optimizer = optim.SGD([x], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = x * x
        loss.backward()
        return loss

    assert optimizer.step(closure).data == 16.0
    assert x.data == 2.0, "the gradient is that of the closure"
    assert optimizer.step(closure=None) is None


def test_a_generator_of_parameters_will_do():
    assert len(optim.SGD(v for v in values([1.0, 2.0])).param_groups[0]["params"]) == 2


def test_repr_shows_the_options():
    text = repr(optim.SGD([Value(0.0)], lr=0.5))
    assert text.startswith("SGD(1 parameters, lr=0.5, momentum=0.0")


# --- saving and loading ---------------------------------------------------------------------


@pytest.mark.parametrize("run", EXPECTED["runs"], ids=run_id)
def test_training_goes_on_after_a_stop_as_if_there_had_been_none(run):
    make = getattr(optim, run["name"])
    params = values(PROBLEM["start"])
    first = make(params, **run["options"])
    walk(first, params, 5)
    saved = json.loads(json.dumps(first.state_dict()))
    later = values(p.data for p in params)
    second = make(later)
    second.load_state_dict(saved)
    assert walk(second, later, 5) == walk(first, params, 5)


@pytest.mark.parametrize("history", [None, {}, {"pairs": [[[1.0], [2.0]]], "last": None},
                                     {"pairs": [], "last": [[1.0, 2.0]]}])  # fmt: skip
def test_a_history_of_other_parameters_is_refused_and_changes_nothing(history):
    params = values(PROBLEM["start"])
    optimizer = optim.LBFGS(params, lr=0.1)
    walk(optimizer, params, 2)
    before = optimizer.state_dict()
    with pytest.raises(StateDictError, match=r"LBFGS\.load_state_dict"):
        optimizer.load_state_dict({**before, "history": history})
    assert optimizer.state_dict() == before


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, int, Value, Tensor,
                                  lambda x: Tensor([x], requires_grad=True)])  # fmt: skip
def test_losses_may_be_any_kind_of_number(kind):
    x = Value(1.0)
    plateau = optim.ReduceLROnPlateau(optim.SGD([x], lr=1.0), patience=0)
    plateau.step(kind(2.0))
    assert plateau.best == 2.0
    lbfgs = optim.LBFGS([x])
    x.grad = 1.0
    assert lbfgs.step(lambda: kind(2.0)) is not None


@pytest.mark.parametrize("history", [1, 3, 100])
@given(seed=st.integers(0, 2**32 - 1))
def test_line_searches_satisfy_the_strong_wolfe_conditions(history, seed):
    """Each step of a smooth loss: enough descent and a flatter slope, as Nocedal and Wright 3.7."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(4, 4))
    bowl, goal = matrix @ matrix.T + 0.1 * np.eye(4), rng.normal(size=4)

    def at(x):
        d = x - goal
        bent = np.sqrt(1.0 + d * d)
        return 0.5 * d @ bowl @ d + bent.sum(), bowl @ d + d / bent

    x = Tensor(3.0 * rng.normal(size=4), requires_grad=True)
    optimizer = optim.LBFGS([x], max_iter=1, history_size=history, line_search_fn="strong_wolfe")

    def closure():
        loss, x.grad = at(x.data)
        return loss

    for _ in range(8):
        before = x.data.copy()
        optimizer.step(closure)
        step = x.data - before
        (first, g), (second, h) = at(before), at(x.data)
        if abs(step).max() < 1e-6:
            break
        assert second <= first + 1e-4 * (g @ step) + 1e-12 * abs(first)
        assert abs(h @ step) <= 0.9 * abs(g @ step) + 1e-12 * abs(first)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"state": [], "param_groups": 3},
        {"state": [], "param_groups": []},
        {"state": [{"steps": 1, "slots": []}], "param_groups": [{"params": 3}]},
        {"state": [], "param_groups": [{"params": 2}]},
        {"state": [{"steps": 1, "slots": [[0.0]]}], "param_groups": [{"params": 2}]},
        {"state": [{"steps": 1, "slots": [["x", 1]]}], "param_groups": [{"params": 2}]},
    ],
)
def test_a_state_of_something_else_is_refused_and_changes_nothing(wrong):
    params = values([1.0, 2.0])
    optimizer = optim.SGD(params, lr=0.5, momentum=0.5)
    set_gradients(params, [1.0, 1.0])
    optimizer.step()
    before = optimizer.state_dict()
    with pytest.raises(StateDictError, match=r"SGD\.load_state_dict: expected the state of groups"):
        optimizer.load_state_dict(wrong)
    assert optimizer.state_dict() == before


def test_an_optimizer_with_its_model_can_be_pickled():
    x = Value(1.0)
    optimizer = optim.Adam([x], lr=0.1)
    x.grad = 1.0
    optimizer.step()
    again, y = pickle.loads(pickle.dumps((optimizer, x)))
    assert again.param_groups[0]["params"][0] is y
    y.grad = x.grad = 2.0
    optimizer.step()
    again.step()
    assert x.data == y.data


def test_schedules_go_on_after_a_stop():
    first = warm_up_and_cosine(two_groups())
    for _ in range(15):
        first.step()
    second = warm_up_and_cosine(two_groups())
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert rates(second) == rates(first)


@pytest.mark.parametrize("wrong", [{}, {"last_epoch": 1, "base_lrs": [0.1]}])
def test_a_schedule_refuses_the_state_of_something_else(wrong):
    scheduler = optim.ExponentialLR(two_groups(), 0.5)
    with pytest.raises(StateDictError, match="ExponentialLR"):
        scheduler.load_state_dict(wrong)


SCHEDULES = {
    "StepLR": {"step_size": 2},
    "ExponentialLR": {"gamma": 0.5},
    "CosineAnnealingLR": {"T_max": 4},
    "LinearLR": {"total_iters": 4},
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_are_where_pytorch_keeps_them_and_take_its_last_epoch(name):
    make = getattr(optim.lr_scheduler, name)
    assert make is getattr(optim, name)
    options = SCHEDULES[name]
    assert rates(make(two_groups(), **options, last_epoch=-1)) == rates(
        make(two_groups(), **options)
    )
    with pytest.raises(OptionError, match=rf"{name}\(last_epoch=...\).*load_state_dict"):
        make(two_groups(), **options, last_epoch=3)
    with pytest.raises(
        OptionError, match=rf"{name}\(optimizer\): expected an optimizer, got int 5"
    ):
        make(5, **options)


def test_a_sequence_takes_a_last_epoch_too():
    optimizer = two_groups()
    parts = [optim.lr_scheduler.LinearLR(optimizer), optim.StepLR(optimizer, np.int64(2))]
    assert optim.SequentialLR(optimizer, parts, [3], last_epoch=-1).last_epoch == 0
    with pytest.raises(OptionError, match=r"SequentialLR\(last_epoch"):
        optim.SequentialLR(optimizer, parts, [3], last_epoch=0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: optim.StepLR(two_groups(), 2, gamma="a"),
        lambda: optim.ExponentialLR(two_groups(), None),
        lambda: optim.CosineAnnealingLR(two_groups(), 2, eta_min="a"),
        lambda: optim.LinearLR(two_groups(), start_factor="a"),
    ],
)
def test_factors_of_schedules_are_numbers(make):
    with pytest.raises(NotANumberError, match=r"LR\(\w+=...\): expected a real number"):
        make()


def test_the_second_schedule_keeps_the_base_rate_of_the_first():
    optimizer = two_groups()
    optim.LinearLR(optimizer, start_factor=0.5)
    assert [group["lr"] for group in optimizer.param_groups] == [0.25, 0.05]
    assert optim.ExponentialLR(optimizer, 0.5).base_lrs == [0.5, 0.1]


def test_abstract_optimizers_and_schedules_say_so():
    with pytest.raises(NotImplementedError):
        optim.Optimizer([Value(0.0)], {}).step()
    with pytest.raises(NotImplementedError):
        optim.LRScheduler(two_groups())


# --- errors ---------------------------------------------------------------------------------

leaf = Value(1.0)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: optim.SGD([]), OptionError, "at least one parameter"),
        (lambda: optim.SGD([{"params": []}]), OptionError, "at least one parameter"),
        (lambda: optim.SGD(None), NotANumberError, "got NoneType None"),
        (lambda: optim.SGD(leaf), NotANumberError, "a list of Values"),
        (lambda: optim.SGD({"params": [leaf]}), NotANumberError, "a list of Values"),
        (lambda: optim.SGD([leaf, 2.0]), NotANumberError, r"SGD\(params\)\[1\]: expected a Value"),
        (lambda: optim.SGD([leaf * 2]), OptionError, "a leaf.*the result of mul"),
        (lambda: optim.SGD([(leaf * 2).operands[1]]), OptionError, "the result of a constant"),
        (lambda: optim.SGD([leaf, leaf]), OptionError, "each parameter once"),
        (lambda: optim.SGD([{"params": [leaf]}, {"params": [leaf]}]), OptionError, "once"),
        (lambda: optim.SGD([{"params": [leaf], "Lr": 1}]), OptionError, "among lr, momentum"),
        (lambda: optim.SGD([{"lr": 1}]), OptionError, "groups with params"),
        (lambda: optim.SGD([leaf], lr=-0.1), OptionError, r"SGD\(lr=...\).*got float -0.1"),
        (lambda: optim.SGD([leaf], lr=math.nan), OptionError, "finite number"),
        (lambda: optim.SGD([leaf], lr=math.inf), OptionError, "finite number"),
        (lambda: optim.SGD([leaf], lr="fast"), NotANumberError, "real number"),
        (lambda: optim.SGD([leaf], momentum=-1), OptionError, "momentum"),
        (lambda: optim.SGD([leaf], weight_decay=-1), OptionError, "weight_decay"),
        (lambda: optim.SGD([leaf], nesterov=True), OptionError, "positive momentum"),
        (
            lambda: optim.SGD([leaf], momentum=0.9, dampening=0.1, nesterov=True),
            OptionError,
            "no dampening",
        ),
        (lambda: optim.Adam([leaf], betas=(0.9, 1.0)), OptionError, "0 <= betas < 1"),
        (lambda: optim.Adam([leaf], betas=(0.9,)), OptionError, "two numbers"),
        (lambda: optim.AdamW([leaf], betas=0.9), OptionError, r"AdamW\(betas=...\)"),
        (lambda: optim.Adam([leaf], eps=-1e-8), OptionError, "eps"),
        (lambda: optim.RMSprop([leaf], alpha=-1), OptionError, "alpha"),
        (lambda: optim.Adagrad([leaf], lr_decay=-1), OptionError, "lr_decay"),
        (lambda: optim.StepLR(two_groups(), 0), OptionError, "positive number of epochs"),
        (lambda: optim.CosineAnnealingLR(two_groups(), 2.5), OptionError, "T_max"),
        (lambda: optim.LinearLR(two_groups(), start_factor=0), OptionError, "start_factor"),
        (lambda: optim.LinearLR(two_groups(), end_factor=2), OptionError, "end_factor"),
        (lambda: optim.SequentialLR(two_groups(), [], []), OptionError, "one fewer"),
        *(
            (lambda o=o: optim.OneCycleLR(two_groups(), 1.0, 9, **o), OptionError, f"{name}.*{got}")
            for o in ({"div_factor": 0}, {"final_div_factor": -1.0}, {"pct_start": 1.5})
            for name, got in o.items()
        ),
    ],
)
def test_errors_say_what_is_wrong(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_schedules_of_different_optimizers_do_not_mix():
    parts = [optim.LinearLR(two_groups()), optim.StepLR(two_groups(), 5)]
    with pytest.raises(OptionError, match="another optimizer"):
        optim.SequentialLR(parts[0].optimizer, parts, [5])
    with pytest.raises(OptionError, match="rising epochs"):
        optim.SequentialLR(parts[0].optimizer, [parts[0]] * 3, [5, 5])


@pytest.mark.filterwarnings("ignore::gradwalk.errors.CutGraphWarning")
def test_parameters_added_behind_the_optimizers_back_are_noticed():
    params = values([1.0])
    optimizer = optim.Adam(params)
    optimizer.step()
    optimizer.param_groups[0]["params"].append(Value(2.0))
    with pytest.raises(SizeError, match="add_param_group"):
        optimizer.step()


# --- clipping -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("norm_type", "norm"), [(2.0, 5.0), (1.0, 7.0), (3.0, 91.0 ** (1 / 3)), (math.inf, 4.0)]
)
def test_clipping_by_norm_scales_all_gradients_alike(norm_type, norm):
    params = values([0.0, 0.0, 0.0])
    set_gradients(params, [3.0, -4.0, 0.0])
    assert optim.clip_grad_norm_(params, 2.0, norm_type) == pytest.approx(norm)
    factor = 2.0 / (norm + 1e-6)
    assert [p.grad for p in params] == pytest.approx([3.0 * factor, -4.0 * factor, 0.0])


def test_the_largest_gradient_can_be_asked_for_by_its_name():
    params = values([0.0, 0.0])
    set_gradients(params, [3.0, -4.0])
    assert optim.clip_grad_norm_(params, 10.0, norm_type="inf") == 4.0


@pytest.mark.parametrize(
    ("clip", "message"),
    [
        (lambda: optim.clip_grad_norm_([1.0], 1), r"clip_grad_norm_\(params\): .*got float 1.0"),
        (lambda: optim.clip_grad_norm_(3, 1), r"clip_grad_norm_\(params\): .*got int 3"),
        (lambda: optim.clip_grad_value_([leaf, None], 1), "got NoneType"),
        (lambda: optim.clip_grad_norm_([leaf], "a"), "max_norm"),
        (lambda: optim.clip_grad_norm_([leaf], 1, norm_type="two"), "norm_type"),
        (lambda: optim.clip_grad_value_([leaf], None), "clip_value"),
    ],
)
def test_clipping_names_what_is_no_value_or_no_number(clip, message):
    with pytest.raises(NotANumberError, match=message):
        clip()


def test_small_gradients_are_left_as_they_are():
    params = values([0.0, 0.0])
    set_gradients(params, [0.3, -0.4])
    assert optim.clip_grad_norm_(iter(params), 1.0) == 0.5
    assert [p.grad for p in params] == [0.3, -0.4]


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=5), st.sampled_from([1, 2, 3.5]))
def test_norms_neither_overflow_nor_exceed_the_bound(gradients, norm_type):
    params = values([0.0] * len(gradients))
    set_gradients(params, gradients)
    assert optim.clip_grad_norm_(params, 1.0, norm_type) < math.inf
    assert optim.clip_grad_norm_(params, 1.0, norm_type) <= 1.0 + 1e-12


@pytest.mark.parametrize("norm_type", [1.0, 2.0, math.inf])
@pytest.mark.parametrize("gradient", [math.nan, math.inf])
def test_a_gradient_that_is_not_finite_spreads_or_raises(gradient, norm_type):
    params = values([0.0, 0.0])
    set_gradients(params, [gradient, 1.0])
    with pytest.raises(NonFiniteError, match="finite norm"):
        optim.clip_grad_norm_(params, 1.0, norm_type, error_if_nonfinite=True)
    assert params[1].grad == 1.0
    assert not math.isfinite(optim.clip_grad_norm_(params, 1.0, norm_type))
    assert math.isnan(params[0].grad)


def test_no_gradients_have_norm_zero():
    assert optim.clip_grad_norm_([], 1.0, 1.0) == 0.0
    assert optim.clip_grad_norm_(Value(1.0), 1.0, 3.0) == 0.0


def test_clipping_by_value_holds_each_gradient():
    params = values([0.0] * 4)
    set_gradients(params, [-2.0, 0.25, 7.0, math.nan])
    optim.clip_grad_value_(params, 0.5)
    assert [p.grad for p in params[:3]] == [-0.5, 0.25, 0.5]
    assert math.isnan(params[3].grad)


@pytest.mark.parametrize(
    "clip",
    [
        lambda: optim.clip_grad_norm_([leaf], -1.0),
        lambda: optim.clip_grad_norm_([leaf], 1.0, norm_type=0.0),
        lambda: optim.clip_grad_value_([leaf], math.nan),
    ],
)
def test_bounds_that_mean_nothing_are_refused(clip):
    with pytest.raises(OptionError, match="number"):
        clip()
