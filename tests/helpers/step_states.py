"""What steps change beside numbers: flags, modes, options, attributes. One row for each kind.

A compiled step leaves what plain calls leave, or is refused with the line and a remedy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, nn, no_grad, optim
from gradwalk.errors import GradwalkError
from gradwalk.nn import functional as F  # noqa: N812

from .training_steps import batch, kinds, leaves, same, usual

__all__ = ["REFUSED_STATES", "STATES", "World", "expect_refused", "expect_same_states"]


class Net(nn.Module):
    """A model with attributes of every kind."""

    def __init__(self) -> None:
        self.first, self.last = nn.Linear(3, 6, seed=1), nn.Linear(6, 2, seed=2)
        self.drop = nn.Dropout(0.5, seed=3)
        self.calls, self.rate, self.note, self.kept = 0, 0.5, "new", None

    def forward(self, x: Any) -> Any:
        return self.last(self.drop(self.first(x).tanh()))


class Counting(Net):
    """A model that counts its calls, and keeps a Tensor from call to call."""

    def forward(self, x: Any) -> Any:
        self.calls += 1
        y = super().forward(x)
        self.kept = y.detach()
        return y


class World:
    """A model, another one, their optimizers and a schedule, at a place."""

    def __init__(self, step: Callable[..., Any], place: str = "numpy", model: Any = Net) -> None:
        self.step, self.place = step, place
        self.model, self.other = model(), nn.Sequential(nn.Linear(3, 6, seed=4))
        for each in (self.model, self.other):
            each.astype(np.float64).to(place)
        self.optimizer = optim.SGD(self.model.parameters(), lr=0.1, momentum=0.5)
        self.second = optim.SGD(self.other.parameters(), lr=0.1)
        self.schedule = optim.ExponentialLR(self.optimizer, gamma=0.5)

    def run(self, seed: int) -> Any:
        """Take a step on the batch of a seed."""
        everything = self.model, self.optimizer, self.other, self.second, self.schedule
        return self.step(*everything, *batch(seed, self.place))

    def state(self) -> list[tuple[str, Any]]:
        """Return everything that a step may change, with paths."""
        found: list[tuple[str, Any]] = []
        for module in (*self.model.modules(), *self.other.modules()):
            own = {k: v for k, v in vars(module).items() if not isinstance(v, np.random.Generator)}
            found += leaves("attributes", {k: _plain(v) for k, v in own.items()})
            found.append(("training", module.training))
        for p in (*self.model.parameters(), *self.other.parameters()):
            found += leaves("parameter", [p.requires_grad, p.label, p.grad])
        for each in (self.optimizer, self.second):
            own = {k: v for k, v in vars(each).items() if not isinstance(v, (list, dict))}
            found += [*leaves("optimizer", each.state_dict()), *leaves("attributes", own)]
        return found + leaves("schedule", self.schedule.state_dict())


def _plain(x: Any) -> Any:
    return type(x).__name__ if isinstance(x, nn.Module) else x


def reset(w: World) -> None:
    """Set everything back that steps below set, as a program may between its calls."""
    w.model.train(), w.other.train()
    w.model.requires_grad_(True), w.other.requires_grad_(True)
    w.model.rate, w.model.note, w.model.kept = 0.5, "new", None
    w.model.first.weight.label = ""
    w.schedule.last_epoch = 3
    vars(w.model).pop("extra", None)
    w.model.temporary = 1


# --- rows: a step, and whether everything is set back between the calls ---------------------------

Row = tuple[Callable[..., Any], bool]
STATES: dict[str, Row] = {}
REFUSED_STATES: dict[str, tuple[Callable[..., Any], str]] = {}


def row(back: bool) -> Callable[[Any], Any]:
    def note(f: Any) -> Any:
        STATES[f.__name__ + ("_and_back" if back else "")] = (f, back)
        return f

    return note


def refused(text: str) -> Callable[[Any], Any]:
    def note(f: Any) -> Any:
        REFUSED_STATES[f.__name__] = (f, text)
        return f

    return note


def loss_of(model: Any, x: Any, y: Any) -> Any:
    return F.cross_entropy(model(x), y)


@row(back=False)
@row(back=True)
def evaluated_after(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    loss = usual(m, o, x, y)
    m.eval()
    return loss


@row(back=False)
@row(back=True)
def both_modes(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    m.train()
    loss = usual(m, o, x, y)
    m.eval()
    with no_grad():
        return loss, loss_of(m, x, y)


@row(back=True)
def evaluated_alone(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    return m.eval()(x)


@row(back=False)
@row(back=True)
def frozen_before(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    m.first.requires_grad_(False)
    return usual(m, o, x, y)


@row(back=True)
def frozen_after(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    loss = usual(m, o, x, y)
    m.first.weight.requires_grad = False
    return loss


@row(back=False)
def trained_again(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    """Freeze the model while another one learns, as one half of two players."""
    m.requires_grad_(False)
    second.zero_grad()
    fooled = m.last(other(x)).mean()
    fooled.backward()
    second.step()
    m.requires_grad_(True)
    return fooled, usual(m, o, x, y)


@row(back=False)
def trained_too_late(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    """Compute a loss with frozen parameters, and its gradients when they are trained again."""
    o.zero_grad()
    m.first.requires_grad_(False)
    loss = loss_of(m, x, y)
    m.first.requires_grad_(True)
    loss.backward()
    o.step()
    return loss


@row(back=True)
def labelled(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    m.first.weight.label = "W"
    return usual(m, o, x, y)


@row(back=False)
@row(back=True)
def constants(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    m.rate, m.note, m.extra = 0.25, "old", {"a": [1, 2.0], "b": (None, True)}
    o.extra = schedule.extra = 3
    return usual(m, o, x, y)


@row(back=True)
def option_of_a_layer(
    m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any
) -> Any:
    m.drop.p = 0.0
    loss = usual(m, o, x, y)
    m.drop.p = 0.5
    return loss


@row(back=True)
def epoch_of_a_schedule(
    m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any
) -> Any:
    schedule.last_epoch = 7
    return usual(m, o, x, y)


@row(back=True)
def deleted(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    del m.temporary
    return usual(m, o, x, y)


@row(back=True)
def tied(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    m.kept = m.first.weight
    return usual(m, o, x, y) + m.kept.sum()


@row(back=False)
@row(back=True)
def computed(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    """Keep what a call has computed, and read it in the next one."""
    before = m.kept
    loss = usual(m, o, x, y)
    m.kept, m.extra = loss.detach(), [loss.item(), {"norm": optim.clip_grad_norm_(m.last.bias, 1)}]
    return loss if before is None else loss + before


@row(back=False)
def buffer(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    m.register_buffer("extra", x.mean(axis=0).detach())
    return usual(m, o, x, y)


@row(back=False)
def without_bias(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    m.first.bias = None
    return usual(m, o, x, y)


@row(back=False)
def forward_alone(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    m.rate = 0.125
    return m.eval()(x)


@row(back=False)
def averaged(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    """Keep a moving average of weights in another model, as teachers of students are."""
    loss = usual(m, o, x, y)
    with no_grad():
        for mean, p in zip(other.parameters(), m.first.parameters(), strict=True):
            mean.mul_(0.9).add_(p * 0.1)
        target = other(x)
    return loss, target


@row(back=False)
def rates_read(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    group = o.param_groups[0]
    found = {"lr": group["lr"], "momentum": group.get("momentum"), "twice": group["lr"] * 2.0}
    return usual(m, o, x, y), found, schedule.get_last_lr(), dict(group.items())["nesterov"]


@refused("param_groups.*line")
def rate_before(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    o.param_groups[0]["lr"] = 0.5
    return usual(m, o, x, y)


@refused("param_groups.*line")
def rate_after(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    loss = usual(m, o, x, y)
    for group in o.param_groups:
        group["lr"] *= 0.5
    return loss


@refused("param_groups.*line")
def rate_without_step(
    m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any
) -> Any:
    o.param_groups[0].update(lr=0.5)
    return loss_of(m, x, y)


@refused("param_groups.*line")
def other_groups(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    o.param_groups = [dict(group, lr=0.5) for group in o.param_groups]
    return usual(m, o, x, y)


@refused("line.*SGD.param_groups")
def another_group(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    o.param_groups[0] = dict(o.param_groups[0].items(), lr=0.5)
    return usual(m, o, x, y)


@refused("scheduler.step.*line")
def scheduled(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    loss = usual(m, o, x, y)
    schedule.step()
    return loss


@refused("scheduler.load_state_dict.*line")
def schedule_loaded(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    schedule.load_state_dict({"last_epoch": 2, "base_lrs": [0.1]})
    return usual(m, o, x, y)


@refused("add_param_group.*line")
def group_added(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    o.add_param_group({"params": other.parameters()})
    return usual(m, o, x, y)


@refused("state_dict.*line")
def optimizer_saved(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    return usual(m, o, x, y), o.state_dict()


@refused("load_state_dict.*line")
def optimizer_loaded(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    o.load_state_dict({"state": [], "param_groups": []})
    return usual(m, o, x, y)


@refused("line.*has written")
def numbers_of_the_written(
    m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any
) -> Any:
    return usual(m, o, x, y), m.first.weight.numpy()


@refused(r"SGD\(params\).*line")
def new_optimizer(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    return usual(m, optim.SGD(m.parameters(), lr=0.1, momentum=0.5), x, y)


@refused("line.*Tanh")
def module_added(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    other.add_module("9", nn.Tanh())
    return usual(m, o, x, y)


@refused("line.*object")
def anything(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    m.extra = World
    m.extra = type("Own", (), {"__slots__": ("x",)})()
    return usual(m, o, x, y)


@refused("line.*leaves|leaves.*line")
def converted(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    other.to("float32")
    return usual(m, o, x, y)


@refused("requires_grad=True that f makes.*line|line.*requires_grad=True that f makes")
def new_leaf(m: Any, o: Any, other: Any, second: Any, schedule: Any, x: Any, y: Any) -> Any:
    o.zero_grad()
    scale = Tensor(np.ones(3), requires_grad=True)
    if x.device != "cpu":
        scale = Tensor(np.ones(3)).to_device(x.device)
        scale.requires_grad = True
    loss = loss_of(m, x * scale, y)
    loss.backward()
    o.step()
    return loss, scale.grad


# --- what holds for every row -------------------------------------------------------------------


def expect_same_states(ours: World, plain: World, back: bool, **close: float) -> None:
    """Require that four compiled calls leave what four plain ones leave."""
    for seed in range(4):
        if back:
            reset(ours), reset(plain)
        found, expected = ours.run(seed), plain.run(seed)
        same(leaves("result", found), leaves("result", expected), **close)
        assert kinds(found) == kinds(expected)
        same(ours.state(), plain.state(), **close)


def expect_refused(ours: World, untouched: World, text: str) -> None:
    """Require an error that names the line, in every call, and that nothing has changed."""
    for seed in range(2):
        with pytest.raises(GradwalkError, match=text):
            ours.run(seed)
        same(ours.state(), untouched.state())
