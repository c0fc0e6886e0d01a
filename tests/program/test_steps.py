"""Training steps compiled on NumPy: they leave behind what plain ones do, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, compile, nn, no_grad, optim
from gradwalk.errors import GradwalkError, InPlaceError, OptionError
from gradwalk.nn import functional as F  # noqa: N812

from ..helpers.step_states import (
    REFUSED_STATES,
    STATES,
    World,
    expect_refused,
    expect_same_states,
)
from ..helpers.training_steps import (
    OPTIMIZERS,
    STEPS,
    Training,
    batch,
    in_packs,
    kinds,
    leaves,
    mlp,
    same,
    usual,
    with_state,
)

Step = Callable[..., Any]


def pair(step: Step, *args: Any, **named: Any) -> tuple[Training, Training, list[int]]:
    """Return a compiled training and a plain one, and how often Python runs the compiled step."""
    runs: list[int] = []

    def counted(*args: Any) -> Any:
        runs.append(1)
        return step(*args)

    return Training(compile(counted), *args, **named), Training(step, *args, **named), runs


def agree(ours: Training, plain: Training, seed: int) -> None:
    """Take a step of both, whose results and whose traces have to be the same."""
    found, expected = ours.run(seed), plain.run(seed)
    same(leaves("result", found), leaves("result", expected))
    assert kinds(found) == kinds(expected)
    same(ours.state(), plain.state())


@pytest.mark.parametrize("packs", [False, True], ids=["one pack", "packs"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_leaves_what_plain_steps_do(name: str, packs: bool) -> None:
    make = OPTIMIZERS[name]
    ours, plain, runs = pair(usual, (lambda p: make(in_packs(p))) if packs else make)
    counts = []
    for seed in range(5):
        agree(ours, plain, seed)
        counts.append(len(runs))
    assert counts[-1] == counts[1], "Python ran again, after the first two steps"


@pytest.mark.filterwarnings("ignore::gradwalk.errors.CutGraphWarning")  # of the first step
@pytest.mark.parametrize("name", STEPS)
def test_every_step_leaves_what_plain_ones_do(name: str) -> None:
    ours, plain, runs = pair(STEPS[name])
    for seed in range(4):
        agree(ours, plain, seed)
    assert len(runs) <= 2


def test_batch_norm_and_dropout_are_those_of_plain_calls() -> None:
    """Running statistics, what is drawn, and where the generator stands afterwards."""
    ours, plain, runs = pair(usual, OPTIMIZERS["AdamW"], with_state)
    for seed in range(4):
        agree(ours, plain, seed)
    assert len(runs) <= 2
    x, _ = batch(9)  # one more draw of both, plain
    same(leaves("y", ours.models[0](x)), leaves("y", plain.models[0](x)))
    for one in (ours, plain):
        one.models[0].eval()
    same(leaves("y", ours.models[0](x)), leaves("y", plain.models[0](x)))


# --- what happens between calls -------------------------------------------------------------------


def schedule(one: Training) -> None:
    for group in one.optimizers[0].param_groups:
        group["lr"] *= 0.5


def load(one: Training) -> None:
    (model,) = one.models
    state = model.state_dict()
    model.load_state_dict({k: v * 0.5 if v.dtype.kind == "f" else v for k, v in state.items()})


def load_optimizer(one: Training) -> None:
    (optimizer,) = one.optimizers
    optimizer.load_state_dict(optimizer.state_dict())


def clear(one: Training) -> None:
    one.optimizers[0].zero_grad()


def freeze(one: Training) -> None:
    one.models[0][0].weight.requires_grad = False


def add_a_pack(one: Training) -> None:
    extra = Tensor([1.0, 2.0], requires_grad=True)
    one.optimizers[0].add_param_group({"params": [extra], "lr": 0.5})


def evaluate(one: Training) -> None:
    one.models[0].eval()


BETWEEN: dict[str, Callable[[Training], None]] = {
    f.__name__: f for f in (schedule, load, load_optimizer, clear, freeze, add_a_pack, evaluate)
}


@pytest.mark.parametrize("name", BETWEEN)
def test_what_happens_between_calls_is_followed(name: str) -> None:
    ours, plain, _ = pair(usual, OPTIMIZERS["Adam"], with_state)
    for seed in range(5):
        agree(ours, plain, seed)
        if seed == 2:
            BETWEEN[name](ours), BETWEEN[name](plain)


def test_a_schedule_needs_no_other_version() -> None:
    ours, plain, runs = pair(usual, OPTIMIZERS["Adam"])
    schedules = [optim.ExponentialLR(one.optimizers[0], gamma=0.5) for one in (ours, plain)]
    for seed in range(5):
        agree(ours, plain, seed)
        for each in schedules:
            each.step()
    assert len(runs) <= 2


def test_a_frozen_parameter_stays() -> None:
    def half_frozen() -> nn.Module:
        model = mlp()
        model[0].weight.requires_grad = False  # type: ignore[index]
        return model

    ours, plain, _ = pair(usual, model=half_frozen)
    before = ours.models[0][0].weight.numpy().tolist()
    for seed in range(3):
        agree(ours, plain, seed)
    assert ours.models[0][0].weight.numpy().tolist() == before
    assert ours.models[0][0].weight.grad is None


def test_two_optimizers_in_one_step() -> None:
    def both(one: Any, two: Any, first: Any, second: Any, x: Any, y: Any) -> Any:
        a = usual(one, first, x, y)
        second.zero_grad()
        loss = ((two(x) - one(x).detach()) ** 2).mean()
        loss.backward()
        second.step()
        return a, loss

    ours, plain, _ = pair(both, several=2)
    for seed in range(4):
        agree(ours, plain, seed)


def test_another_model_has_a_version_of_its_own() -> None:
    step = compile(usual)
    ours, plain = [Training(step) for _ in range(2)], [Training(usual) for _ in range(2)]
    for seed in range(6):  # in turn
        agree(ours[seed % 2], plain[seed % 2], seed)
        same(ours[1 - seed % 2].state(), plain[1 - seed % 2].state())


def test_arrays_that_the_caller_holds_keep_their_numbers() -> None:
    ours, _, _ = pair(usual)
    ours.run(0)
    held = [(p.data, p.data.copy()) for p in ours.models[0].parameters()]
    grads = [(p.grad, Tensor(p.grad).numpy().copy()) for p in ours.models[0].parameters()]
    ours.run(1)
    for x, copy in held:
        assert np.array_equal(x, copy)
    for g, copy in grads:
        assert np.array_equal(Tensor(g).numpy(), copy)


def test_a_compiled_update_takes_the_gradients_of_plain_passes() -> None:
    """Gradients that something else has computed are read at each call."""
    ours, plain = Training(usual), Training(usual)
    update = compile(lambda model, optimizer: optimizer.step())
    for seed in range(4):
        for one, step in ((ours, update), (plain, lambda model, optimizer: optimizer.step())):
            (model,), (optimizer,) = one.models, one.optimizers
            x, y = batch(seed)
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            step(model, optimizer)
        same(ours.state(), plain.state())


# --- what is refused ------------------------------------------------------------------------------


def fails_at_the_end(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    usual(model, optimizer, x, y)
    raise RuntimeError("at the end")


def steps_a_schedule(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    loss = usual(model, optimizer, x, y)
    optim.ExponentialLR(optimizer, gamma=0.5).step()
    return loss


def steps_a_schedule_before(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    optim.ReduceLROnPlateau(optimizer, patience=0).step(1.0)
    return usual(model, optimizer, x, y)


def changes_an_option(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    loss = usual(model, optimizer, x, y)
    optimizer.param_groups[0]["lr"] = 0.5
    return loss


def differentiates_twice(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    F.cross_entropy(model(x), y).backward(create_graph=True)


def writes_in_place(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """Write into a Tensor outside of a training step."""
    with no_grad():
        model[0].weight -= 0.1 * model[0].weight
    return F.cross_entropy(model(x), y)


def depends_on_nothing(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    (x * x).sum().backward()


def depends_on_nothing_under_no_grad(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    with no_grad():
        loss = F.cross_entropy(model(x), y)
    loss.backward()


def starts_from_many_numbers(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    model(x).backward()


REFUSED: list[tuple[Step, type[Exception], str]] = [
    (fails_at_the_end, RuntimeError, "at the end"),
    (steps_a_schedule, InPlaceError, "LR.optimizer"),
    (steps_a_schedule_before, InPlaceError, "Plateau.optimizer"),
    (changes_an_option, InPlaceError, "options of the optimizer"),
    (differentiates_twice, OptionError, "create_graph"),
    (writes_in_place, InPlaceError, "line.*leaves the Tensors"),
    (depends_on_nothing, GradwalkError, "depends on none|no graph|requires_grad"),
    (depends_on_nothing_under_no_grad, GradwalkError, "depends on none|no graph|requires_grad"),
    (starts_from_many_numbers, GradwalkError, "one number"),
]


@pytest.mark.parametrize("warm", [False, True], ids=["first", "after a step"])
@pytest.mark.parametrize(("step", "error", "text"), REFUSED, ids=[f.__name__ for f, *_ in REFUSED])
def test_a_step_that_fails_leaves_everything_as_it_was(
    step: Step, error: type[Exception], text: str, warm: bool
) -> None:
    one, untouched = Training(compile(usual)), Training(compile(usual))
    if warm:
        one.run(0), untouched.run(0)
    one.step = compile(step)
    with pytest.raises(error, match=text):
        one.run(1)
    same(one.state(), untouched.state())
    one.step = untouched.step = compile(usual)
    one.run(2), untouched.run(2)
    same(one.state(), untouched.state())


# --- what is no number ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", STATES)
def test_a_step_leaves_the_modes_flags_and_attributes_of_plain_calls(name: str) -> None:
    step, back = STATES[name]
    expect_same_states(World(compile(step)), World(step), back)


@pytest.mark.parametrize("name", REFUSED_STATES)
def test_a_step_that_would_not_be_done_again_is_refused(name: str) -> None:
    step, text = REFUSED_STATES[name]
    expect_refused(World(compile(step)), World(step), text)
