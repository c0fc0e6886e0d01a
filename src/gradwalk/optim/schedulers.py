"""Learning-rate schedules: pure functions of the epoch, and `step`, which writes ``lr``."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, SupportsIndex

from ..core.expect import as_float, describe, index_of
from ..errors import OptionError, StateDictError
from ..levels.programs import assigns
from .checks import expect_no_program
from .optimizer import Optimizer
from .state import count

__all__ = ["CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LinearLR", "SequentialLR"]
__all__ += ["StepLR"]


class LRScheduler:
    """The base of schedules. Subclasses implement ``lr_at(base, epoch)``.

    The base rate of a group (``group["initial_lr"]``) is its learning rate when its first scheduler
    is created. The constructor sets the rate of epoch 0; ``step()``, called after the optimizer's
    steps of an epoch, sets the rate of the next epoch.

    Parameters
    ----------
    optimizer
        The optimizer whose ``"lr"`` is set, in every group.
    last_epoch
        -1, the start: programs written for PyTorch pass it. `load_state_dict` continues from a
        later epoch.

    Raises
    ------
    OptionError
        If ``optimizer`` is no optimizer, or ``last_epoch`` is not -1.
    NotImplementedError
        If the subclass has no ``lr_at``.

    See Also
    --------
    StepLR, CosineAnnealingLR, SequentialLR

    Examples
    --------
    >>> from gradwalk import Value
    >>> from gradwalk.optim import SGD
    >>> class Halving(LRScheduler):
    ...     def lr_at(self, base, epoch):
    ...         return base / 2**epoch
    >>> scheduler = Halving(SGD([Value(0.0)], lr=0.5))
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    optimizer: Optimizer
    last_epoch: int
    base_lrs: list[Any]

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        _check_start(type(self).__name__, optimizer, last_epoch)
        expect_no_program(f"{type(self).__name__}(optimizer)")
        self.optimizer, self.last_epoch = optimizer, 0
        self.base_lrs = [
            group.setdefault("initial_lr", group["lr"]) for group in optimizer.param_groups
        ]
        self._write()

    def __setattr__(self, name: str, value: object) -> None:
        assigns(self, name)
        object.__setattr__(self, name, value)

    def lr_at(self, base: float, epoch: int) -> float:
        """Return the learning rate of an epoch. Subclasses implement it.

        Parameters
        ----------
        base
            The base rate of a group.
        epoch
            The number of the epoch, >= 0.

        Raises
        ------
        NotImplementedError
            If the subclass has no ``lr_at``.
        """
        raise NotImplementedError

    def step(self) -> None:
        """Set the learning rates of the next epoch.

        Raises
        ------
        InPlaceError
            Inside of a function that `compile` runs: its program would not do it again.
        """
        expect_no_program("scheduler.step()")
        self.last_epoch += 1
        self._write()

    def get_last_lr(self) -> list[float]:
        """Return the learning rates of this epoch, one per group."""
        return [self.lr_at(base, self.last_epoch) for base in self.base_lrs]

    def _write(self) -> None:
        for group, lr in zip(self.optimizer.param_groups, self.get_last_lr(), strict=True):
            group["lr"] = lr

    def state_dict(self) -> dict[str, Any]:
        """Return the epoch and the base rates."""
        return {"last_epoch": self.last_epoch, "base_lrs": list(self.base_lrs)}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Set the epoch that `state_dict` saved, and its learning rates.

        Parameters
        ----------
        state_dict
            The epoch and the base rates of a schedule of equally many groups.

        Raises
        ------
        StateDictError
            If it holds something else; then nothing has changed.
        """
        expect_no_program("scheduler.load_state_dict(state_dict)")
        before = self.last_epoch, self.base_lrs
        try:
            self.last_epoch = count(state_dict["last_epoch"])
            self.base_lrs = [as_float(base, "base_lrs") for base in state_dict["base_lrs"]]
            if len(state_dict) != 2 or len(self.base_lrs) != len(before[1]):
                raise ValueError("another schedule")
            self._write()
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            self.last_epoch, self.base_lrs = before
            raise StateDictError(
                where=f"{type(self).__name__}.load_state_dict",
                expected=f"last_epoch and base_lrs for {len(self.base_lrs)} groups",
                got=describe(state_dict),
                fix="Load what state_dict() of such a scheduler returned.",
            ) from error


class StepLR(LRScheduler):
    """A rate that is multiplied by a factor every few epochs.

        base · gamma^⌊epoch / step_size⌋

    Parameters
    ----------
    optimizer
        The optimizer whose ``"lr"`` is set, in every group.
    step_size
        After how many epochs the rate changes, >= 1.
    gamma
        The factor.
    last_epoch
        -1, the start: programs written for PyTorch pass it. `load_state_dict` continues from a
        later epoch.

    Raises
    ------
    OptionError
        If ``optimizer`` is no optimizer, ``step_size`` no positive integer, or ``last_epoch``
        is not -1.
    NotANumberError
        If ``gamma`` is no number.

    See Also
    --------
    ExponentialLR

    Examples
    --------
    >>> from gradwalk import Value
    >>> from gradwalk.optim import SGD
    >>> StepLR(SGD([Value(0.0)], lr=1.0), step_size=10, gamma=0.5).lr_at(1.0, 25)
    0.25
    """

    def __init__(
        self,
        optimizer: Optimizer,
        step_size: SupportsIndex,
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.step_size: int = expect_count("StepLR(step_size=...)", step_size)
        self.gamma: float = as_float(gamma, f"{type(self).__name__}(gamma=...)")
        super().__init__(optimizer, last_epoch)

    def lr_at(self, base: float, epoch: int) -> float:
        """Return the learning rate of ``epoch``."""
        return float(base * self.gamma ** (epoch // self.step_size))


class ExponentialLR(StepLR):
    """A rate that is multiplied by a factor every epoch.

        base · gamma^epoch

    Parameters
    ----------
    optimizer
        The optimizer whose ``"lr"`` is set, in every group.
    gamma
        The factor.
    last_epoch
        -1, the start: programs written for PyTorch pass it. `load_state_dict` continues from a
        later epoch.

    Raises
    ------
    OptionError
        If ``optimizer`` is no optimizer, or ``last_epoch`` is not -1.
    NotANumberError
        If ``gamma`` is no number.

    See Also
    --------
    StepLR

    Examples
    --------
    >>> from gradwalk import Value
    >>> from gradwalk.optim import SGD
    >>> optimizer = SGD([Value(1.0)], lr=1.0)
    >>> ExponentialLR(optimizer, gamma=0.5).get_last_lr()
    [1.0]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        super().__init__(optimizer, 1, gamma, last_epoch)


class CosineAnnealingLR(LRScheduler):
    """A cosine wave from the base rate down to another one, and then up again.

        eta_min + (base - eta_min) (1 + cos(π epoch / T_max)) / 2

    Parameters
    ----------
    optimizer
        The optimizer whose ``"lr"`` is set, in every group.
    T_max
        After how many epochs the rate is lowest, >= 1.
    eta_min
        The lowest rate.
    last_epoch
        -1, the start: programs written for PyTorch pass it. `load_state_dict` continues from a
        later epoch.

    Raises
    ------
    OptionError
        If ``optimizer`` is no optimizer, ``T_max`` no positive integer, or ``last_epoch`` is
        not -1.
    NotANumberError
        If ``eta_min`` is no number.

    See Also
    --------
    OneCycleLR, LinearLR

    References
    ----------
    Loshchilov and Hutter, SGDR: stochastic gradient descent with warm restarts (2017), equation 5.

    Examples
    --------
    >>> from gradwalk import Value
    >>> from gradwalk.optim import SGD
    >>> CosineAnnealingLR(SGD([Value(0.0)], lr=1.0), T_max=10).lr_at(1.0, 5)
    0.5
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_max: SupportsIndex,  # noqa: N803
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        self.T_max: int = expect_count("CosineAnnealingLR(T_max=...)", T_max)
        self.eta_min: float = as_float(eta_min, "CosineAnnealingLR(eta_min=...)")
        super().__init__(optimizer, last_epoch)

    def lr_at(self, base: float, epoch: int) -> float:
        """Return the learning rate of ``epoch``."""
        wave = (1.0 + math.cos(math.pi * epoch / self.T_max)) / 2.0
        return self.eta_min + (base - self.eta_min) * wave


class LinearLR(LRScheduler):
    """Warm-up: the rate grows linearly from a fraction of the base rate to the base rate.

        base (start + (end - start) min(epoch, total_iters) / total_iters)

    Parameters
    ----------
    optimizer
        The optimizer whose ``"lr"`` is set, in every group.
    start_factor
        The rate of epoch 0 as a part of the base rate, above 0 and up to 1.
    end_factor
        The rate from epoch ``total_iters`` on as a part of the base rate, from 0 to 1.
    total_iters
        After how many epochs the rate stays, >= 1.
    last_epoch
        -1, the start: programs written for PyTorch pass it. `load_state_dict` continues from a
        later epoch.

    Raises
    ------
    OptionError
        If ``optimizer`` is no optimizer, a factor is outside of its range, ``total_iters`` no
        positive integer, or ``last_epoch`` is not -1.
    NotANumberError
        If a factor is no number.

    See Also
    --------
    SequentialLR, OneCycleLR

    Examples
    --------
    >>> from gradwalk import Value
    >>> from gradwalk.optim import SGD
    >>> LinearLR(SGD([Value(0.0)], lr=1.0), start_factor=0.5, total_iters=4).lr_at(1.0, 2)
    0.75
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3.0,
        end_factor: float = 1.0,
        total_iters: SupportsIndex = 5,
        last_epoch: int = -1,
    ) -> None:
        self.start_factor: float = _fraction("LinearLR(start_factor=...)", start_factor, zero=False)
        self.end_factor: float = _fraction("LinearLR(end_factor=...)", end_factor, zero=True)
        self.total_iters: int = expect_count("LinearLR(total_iters=...)", total_iters)
        super().__init__(optimizer, last_epoch)

    def lr_at(self, base: float, epoch: int) -> float:
        """Return the learning rate of ``epoch``."""
        done = min(epoch, self.total_iters) / self.total_iters
        return base * (self.start_factor + (self.end_factor - self.start_factor) * done)


class SequentialLR(LRScheduler):
    """Several schedules in sequence, each of which counts its own epochs from 0.

    Parameters
    ----------
    optimizer
        The optimizer whose ``"lr"`` is set, in every group.
    schedulers
        The schedules in their order, of the same optimizer.
    milestones
        The epochs at which the next one starts, rising; one fewer than schedules.
    last_epoch
        -1, the start: programs written for PyTorch pass it. `load_state_dict` continues from a
        later epoch.

    Raises
    ------
    OptionError
        If ``optimizer`` is no optimizer, a schedule has another one, ``milestones`` do not rise
        or are not one fewer than schedules, or ``last_epoch`` is not -1.

    See Also
    --------
    LinearLR, CosineAnnealingLR

    Examples
    --------
    Warm-up, and then a cosine:
    >>> from gradwalk import Value
    >>> from gradwalk.optim import SGD
    >>> optimizer = SGD([Value(0.0)], lr=1.0)
    >>> warm_up = LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> scheduler = SequentialLR(optimizer, [warm_up, CosineAnnealingLR(optimizer, 4)], [2])
    >>> [round(scheduler.lr_at(1.0, epoch), 3) for epoch in range(7)]
    [0.5, 0.75, 1.0, 0.854, 0.5, 0.146, 0.0]
    """

    milestones: list[int]
    schedulers: list[LRScheduler]

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        epochs = isinstance(milestones, Iterable) and None not in map(index_of, milestones)
        if not isinstance(schedulers, Iterable) or not epochs:
            raise _no_sequence(schedulers if isinstance(milestones, Iterable) else milestones)
        self.schedulers, self.milestones = list(schedulers), list(milestones)
        if len(self.milestones) != len(self.schedulers) - 1 or self.milestones != sorted(
            set(self.milestones)
        ):
            raise OptionError(
                where="SequentialLR(milestones=...)",
                expected="rising epochs, one fewer than schedulers",
                got=f"{self.milestones} for {len(self.schedulers)} schedulers",
                fix="Write SequentialLR(optimizer, [warm_up, cosine], milestones=[10]).",
            )
        if any(
            getattr(scheduler, "optimizer", None) is not optimizer for scheduler in self.schedulers
        ):
            raise OptionError(
                where="SequentialLR(schedulers=...)",
                expected="schedulers of the optimizer itself",
                got="one of another optimizer",
                fix="Make all schedulers with the same optimizer.",
            )
        super().__init__(optimizer, last_epoch)

    def lr_at(self, base: float, epoch: int) -> float:
        """Return the learning rate of ``epoch``."""
        turn = bisect_right(self.milestones, epoch)
        start = self.milestones[turn - 1] if turn else 0
        return self.schedulers[turn].lr_at(base, epoch - start)


def _no_sequence(given: object) -> OptionError:
    return OptionError(
        where="SequentialLR(schedulers, milestones)",
        expected="a list of schedulers and a list of epochs",
        got=describe(given),
        fix="Write SequentialLR(optimizer, [warm_up, cosine], milestones=[10]).",
    )


def _check_start(name: str, optimizer: object, last_epoch: int) -> None:
    if not isinstance(optimizer, Optimizer):
        raise OptionError(
            where=f"{name}(optimizer)",
            expected="an optimizer",
            got=describe(optimizer),
            fix="Create the optimizer first and pass it, as in StepLR(optimizer, step_size=10).",
        )
    if last_epoch != -1:
        raise OptionError(
            where=f"{name}(last_epoch=...)",
            expected="-1, the start of the schedule",
            got=describe(last_epoch),
            fix="Leave it out, or call load_state_dict to continue a saved schedule.",
        )


def expect_count(where: str, number: SupportsIndex, least: int = 1) -> int:
    """Return a number of epochs or steps, an integer."""
    found = index_of(number)
    if found is not None and found >= least:
        return found
    raise OptionError(
        where=where,
        expected="a positive number of epochs, an integer",
        got=describe(number),
        fix="Pass a number of calls of scheduler.step().",
    )


def _fraction(where: str, option: float, zero: bool) -> float:
    number = as_float(option, where)
    if 0.0 < number <= 1.0 or (zero and number == 0.0):
        return number
    raise OptionError(
        where=where,
        expected="a fraction between 0 and 1" if zero else "0 < start_factor <= 1",
        got=describe(number),
        fix="Pass a fraction of the base rate; 1.0 is the base rate itself.",
    )
