"""`training`: experiments on a training that runs, and whose loss is a number, and wrong."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.calls import caller
from ..core.expect import describe
from ..core.places import user_frames
from ..engine.value import enable_grad
from ..errors import OptionError
from ..inspect.report import Report
from ..inspect.snapshot import undone
from .trials import EXPERIMENTS, Finding, Trial
from .trials.trial import batches_of

__all__ = ["Diagnosis", "training"]


class Diagnosis(Report):
    """What `training` has found. It is true if all is well.

    ``findings``  what is wrong, with its evidence and its remedy
    ``tried``     what was looked at
    """

    findings: list[Finding]
    tried: list[str]

    def __init__(self, findings: Sequence[Finding], tried: Sequence[str]) -> None:
        self.findings, self.tried = list(findings), list(tried)
        count = len(self.findings)
        title = f"{count} {'thing is' if count == 1 else 'things are'} wrong with this training"
        if not count:
            title = f"nothing wrong was found in {len(self.tried)} experiments"
        rows = [(x.what, f"{x.evidence}. {x.remedy}") for x in self.findings]
        super().__init__(title, rows)

    def __bool__(self) -> bool:
        return not self.findings


def training(
    model: Any,
    loss: Callable[[Any, Any], Any],
    optimizer: Any,
    data: Any,
    *,
    step: Callable[..., Any] | None = None,
) -> Diagnosis:
    """Look for mistakes in a training that runs, whose loss is a number, and wrong.

    Cheap experiments on a few batches, each with its evidence in numbers: labels of -1 that read
    the last class, softmax that is missing, applied twice or over the wrong axis, a second sigmoid,
    shapes that broadcast, targets and fakes that are not detached, an optimizer without a layer or
    of another model, layers that are used twice or have no activation between them, weights that
    decay twice, factors that stay 0, gradients that add up or are cleared before the step, modes,
    learning rates that change nothing, sums in float16, the sign of the loss, targets out of
    reach, samples or scores that are mixed, constant columns, columns with the target, targets
    that do not depend on the inputs, rows in the order of their classes, units that are alike,
    weights that stay 0, layers in a closure, rates and targets that are too large, inputs without
    influence, and targets that are the inputs.

    No experiment changes the model, its gradients and its mode, the optimizer, the data or a
    generator: they get their bits back.

    Parameters
    ----------
    model
        The network, which is called with the inputs of a batch. Call ``model.train()`` before.
    loss
        ``loss(output, target)``, as `gradwalk.fit` takes it.
    optimizer
        The optimizer.
    data : (rows, ...)
        What `gradwalk.fit` takes: a tuple of arrays, or a `DataLoader` or a list of batches, whose
        order is examined too.
    step
        A step of your own loop, ``step(*batch)``, with ``zero_grad()``, ``backward()`` and
        ``optimizer.step()``: their order, whether it lets gradients add up, and in which mode it
        trains. It is called up to 64 times, and undone.

    Returns
    -------
    a Diagnosis
        True if nothing was found; ``findings`` has what is wrong, its evidence and its remedy.

    Raises
    ------
    OptionError
        If a part is of another kind, or there are no data.

    See Also
    --------
    gradwalk.inspect.flow, gradwalk.fit

    Examples
    --------
    >>> from gradwalk import Tensor, nn, optim
    >>> from gradwalk.check import training
    >>> def loss(output, target):
    ...     return ((output - target) ** 2).mean()
    >>> x, y = Tensor([[0.0], [1.0], [3.0], [4.0]]), Tensor([1.0, 3.0, 7.0, 9.0])
    >>> model = nn.Linear(1, 1, seed=0)
    >>> optimizer = optim.SGD(model.parameters(), lr=0.05)
    >>> training(model, loss, optimizer, (x, y)).findings[0].what
    'the loss compares every output with every target'
    >>> bool(training(model, loss, optimizer, (x, y[:, None])))
    True
    """
    _expect(model, loss, optimizer, step)
    frame = next(user_frames(caller()), None)
    with warnings.catch_warnings(), undone(model, loss, optimizer, data, step), enable_grad():
        warnings.simplefilter("ignore")
        batches, ordered = batches_of(data)
        if not batches:
            raise OptionError(
                where="training(data)", expected="at least one batch", got="none",
                fix="Pass the data of the training, such as (x, y).",
            )  # fmt: skip
        trial = Trial(model, loss, optimizer, batches, ordered, step, frame)
        _settle(trial)
        findings: list[Finding] = []
        with np.errstate(all="ignore"):
            for experiment in EXPERIMENTS.values():
                findings += _tried(experiment, trial)
    return Diagnosis(_distinct(findings), [*EXPERIMENTS])


def _expect(model: Any, loss: Any, optimizer: Any, step: Any) -> None:
    ready = not isinstance(optimizer, type) and hasattr(optimizer, "param_groups")
    parts = (
        ("model", model, hasattr(model, "named_parameters"), "a Module", "the model"),
        ("loss", loss, callable(loss), "a function of (output, target)", "nn.cross_entropy"),
        ("optimizer", optimizer, ready, "an optimizer", "optim.SGD(model.parameters(), lr=0.1)"),
        ("step", step, step is None or callable(step), "a function of a batch", "step=step"),
    )
    for name, part, fits, expected, fix in parts:
        if not fits:
            raise OptionError(
                where=f"training({name})", expected=expected, got=describe(part), fix=f"Pass {fix}."
            )


def _settle(trial: Trial) -> None:
    """Find the form in which the model takes the data: Tensors, as `fit` gives them, or as given.

    An error of the model itself is raised.
    """
    given = trial.batches
    if trial.is_foreign or trial.ordered:
        forms = [given]
    else:
        forms = [[_tensors(batch) for batch in given], given]
    for i, form in enumerate(forms):
        trial.batches = form
        try:
            with trial.undone():
                trial.value_of_model()
            return
        except Exception:
            if i + 1 == len(forms):
                trial.batches = forms[0]
                with trial.undone():
                    trial.value_of_model()
                raise


def _tensors(batch: tuple[Any, ...]) -> tuple[Any, ...]:
    from ..data import DataLoader

    try:
        return next(iter(DataLoader(batch, batch_size=len(batch[0]))))
    except Exception:
        return batch


def _tried(experiment: Callable[[Trial], Any], trial: Trial) -> list[Finding]:
    """Return what an experiment finds. One that this model does not permit finds nothing."""
    try:
        with trial.undone():
            return [*experiment(trial)]
    except Exception:
        return []


def _distinct(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, each sentence once."""
    return [*{x.what: x for x in reversed(findings)}.values()][::-1]
