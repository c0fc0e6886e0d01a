"""Trainings that run with a loss that is wrong: `check.training` names the mistake."""

from __future__ import annotations

import pickle
import random
import re

import numpy as np
import pytest

from gradwalk import Value, check, fit, optim
from gradwalk.data import DataLoader
from gradwalk.errors import OptionError, SizeError
from gradwalk.inspect import flow
from gradwalk.training.sharded import output_of

from .further import BROKEN as FURTHER
from .healthy import HEALTHY as USUAL
from .healthy import SPECIAL
from .quiet import HEALTHY as QUIET
from .trainings import BROKEN as MISTAKES

BROKEN, HEALTHY = {**MISTAKES, **FURTHER}, [*USUAL, *QUIET]


def examined(program, mended):
    found = program(mended)
    model, loss, optimizer, data = (found.pop(x) for x in ("model", "loss", "optimizer", "data"))
    step = found.get("step")
    return check.training(model, loss, optimizer, data, step=step)


@pytest.mark.parametrize("name", BROKEN)
def test_the_mistake_is_named_with_its_remedy(name):
    program, words, remedy = BROKEN[name]
    report = examined(program, False)
    told = str(report)
    assert not report
    assert not [word for word in words if word not in told], told
    assert any(remedy in finding.remedy for finding in report.findings), told
    assert len(report.findings) == 1, told


@pytest.mark.parametrize("name", BROKEN)
def test_the_mended_twin_is_quiet(name):
    report = examined(BROKEN[name][0], True)
    assert report, str(report)


# --- healthy trainings ----------------------------------------------------------------------------


def step_of(found, batch):
    """Take one step of a healthy training, and return the loss."""
    model, optimizer = found["model"], found["optimizer"]
    optimizer.zero_grad()
    loss = found["loss"](*output_of(model, batch))
    loss.backward()
    if "clip" in found:
        optim.clip_grad_norm_(model.parameters(), found["clip"])
    return float(loss.data)


def batches_of(data):
    whole = isinstance(data, (DataLoader, list))
    loader = data if whole else DataLoader(data, batch_size=len(data[0]))
    while True:
        yield from loader


@pytest.mark.parametrize("training", HEALTHY, ids=lambda f: f.__name__)
def test_a_healthy_training_raises_no_alarm(training):
    """Before the first step, in the middle, and at the end: `flow` and `check.training`."""
    found = training()
    steps, losses, alarms = found["steps"], [], []
    for step, batch in zip(range(steps + 1), batches_of(found["data"]), strict=False):
        if step in (0, steps // 2, steps):
            report = examined(lambda mended: dict(found), True)
            alarms += [f"step {step}: {report}"] if not report else []
        losses.append(step_of(found, batch))
        if step in (0, steps // 2, steps):
            inputs = None if isinstance(found["model"].parameters()[0], Value) else batch[:-1]
            known = [{}, {"loss": losses}, {"inputs": inputs, "loss": losses}]
            reports = [flow(found["model"], found["optimizer"], **more) for more in known]
            alarms += [f"step {step}: {report}" for report in reports if not report]
        found["optimizer"].step()
        if "scheduler" in found:
            found["scheduler"].step()
    assert not alarms, "\n".join(alarms)
    best = max(losses) > losses[0] if "rises" in found else min(losses) < losses[0]
    assert best, "it learns"


@pytest.mark.parametrize("training", SPECIAL, ids=lambda f: f.__name__)
def test_a_healthy_training_with_other_steps_raises_no_alarm(training):
    found = training()
    before = bits(found)
    assert (report := examined(lambda mended: dict(found), True)), report
    assert bits(found) == before


def test_there_are_ninety_of_them():
    assert len(HEALTHY) >= 90


# --- no experiment changes anything ---------------------------------------------------------------


def bits(found):
    """Return all that a training consists of, as bytes and numbers."""
    model, optimizer = found["model"], found["optimizer"]
    named = [*model.named_parameters(), *model.named_buffers()]
    data = [found["data"].state_dict()] if isinstance(found["data"], DataLoader) else found["data"]
    vars_of = [sorted(vars(m)) for m in model.modules()]
    known = [getattr(m, "generator", None) for m in model.modules()]
    generators = [g.bit_generator.state for g in known if isinstance(g, np.random.Generator)]
    groups = [{k: v for k, v in g.items() if k != "params"} for g in optimizer.param_groups]
    return pickle.dumps([
        [(n, np.asarray(p.data), None if p.grad is None else np.asarray(p.grad)) for n, p in named],
        [m.training for m in model.modules()],
        [type(m).__name__ for m in model.modules()],
        (vars_of, optimizer.state_dict(), groups, generators, data),
        (random.getstate(), np.random.get_state()),
    ])  # fmt: skip


def trained(training, examine):
    """Train for some steps, with an examination in the middle, and return the bits at the end."""
    random.seed(0)
    np.random.seed(0)
    found = training()
    for step, batch in zip(range(6), batches_of(found["data"]), strict=False):
        step_of(found, batch)
        if step == 3 and examine:
            before = bits(found)
            examined(lambda mended: dict(found), True)
            inputs = None if is_values(found) else batch[:-1]
            flow(found["model"], found["optimizer"], inputs=inputs)
            assert bits(found) == before
        found["optimizer"].step()
        if "scheduler" in found:
            found["scheduler"].step()
    return bits(found)


def is_values(found):
    return isinstance(found["model"].parameters()[0], Value)


@pytest.mark.parametrize("training", HEALTHY, ids=lambda f: f.__name__)
def test_no_experiment_changes_anything(training):
    """Not one bit, at once or later: the training goes on as it would have without it."""
    assert trained(training, True) == trained(training, False)


@pytest.mark.parametrize("name", BROKEN)
def test_no_experiment_on_a_broken_training_changes_anything(name):
    found = BROKEN[name][0](False)
    before = bits(found)
    examined(lambda mended: dict(found), False)
    assert bits(found) == before


# --- the doctor of fit ----------------------------------------------------------------------------


def fitted(name, mended, **options):
    found = BROKEN[name][0](mended)
    parts = (found["model"], found["loss"], found["optimizer"], found["data"])
    fit(*parts, epochs=2, progress=False, seed=0, **options)
    return found


@pytest.mark.parametrize("name", ["softmax twice, features", "class order, images"])
def test_fit_tells_what_is_wrong_before_its_first_step(name, capsys):
    broken = fitted(name, False, doctor=True)
    told = capsys.readouterr().out
    assert all(words in told for words in BROKEN[name][1])
    assert bits(broken) == bits(fitted(name, False)), "the doctor changes no training"
    assert not capsys.readouterr().out
    fitted(name, True, doctor=True)
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    ("part", "wrong", "said"),
    [
        ("model", len, "training(model): expected a Module"),
        ("loss", 3.0, "training(loss): expected a function of (output, target)"),
        ("optimizer", optim.SGD, "training(optimizer): expected an optimizer"),
        ("step", 3, "training(step): expected a function of a batch"),
        ("data", [], "training(data): expected at least one batch"),
    ],
)
def test_other_parts_are_refused(part, wrong, said):
    found = {**HEALTHY[0](), "step": None, part: wrong}
    with pytest.raises(OptionError, match=re.escape(said)):
        examined(lambda mended: found, True)


def test_an_error_of_the_model_is_raised():
    found = {**HEALTHY[0](), "data": (np.ones((8, 3)), np.zeros(8, int))}
    with pytest.raises(SizeError):
        examined(lambda mended: found, True)


def test_a_report_has_its_findings_and_what_was_tried():
    report = examined(BROKEN["signs"][0], False)
    (finding,) = report.findings
    assert report.rows == [(finding.what, f"{finding.evidence}. {finding.remedy}")]
    assert len(report.tried) > 20
    assert "<td" in report._repr_html_()
    assert "nothing wrong was found" in str(examined(BROKEN["signs"][0], True))
