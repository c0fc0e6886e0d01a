"""Schedules that rise first, and schedules that wait for a loss to stop falling."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..core.expect import as_float, describe, one_of
from ..errors import OptionError, StateDictError
from .checks import expect_no_program, loss_number
from .optimizer import Optimizer
from .schedulers import LRScheduler, expect_count

__all__ = ["OneCycleLR", "ReduceLROnPlateau"]


class OneCycleLR(LRScheduler):
    """A rate that rises once and then falls far below its start.

    Call ``step()`` after every batch.

    Parameters
    ----------
    optimizer
        The optimizer whose ``"lr"`` is set, in every group.
    max_lr
        The highest rate. It replaces the rates of the optimizer: the first one is max_lr /
        ``div_factor``.
    total_steps
        How many steps there are, >= 1; ``None`` is ``epochs`` times ``steps_per_epoch``.
    epochs, steps_per_epoch
        Numbers of epochs and of batches, >= 1, used without ``total_steps``.
    pct_start
        The part of the steps in which the rate rises, from 0 to 1.
    anneal_strategy
        "cos" or "linear": the shape of the rise and of the fall.
    cycle_momentum
        Whether momentum (or the first of ``betas``) goes the other way, between
        ``max_momentum`` and ``base_momentum``.
    base_momentum, max_momentum
        The momentum at the highest rate, and at the start and the end.
    div_factor
        The highest rate, divided by the first, > 0.
    final_div_factor
        The first rate, divided by the last, > 0.
    three_phase
        Whether the rate first comes back to its start, as fast as it rose, and then falls
        further.
    last_epoch
        -1, the start: programs written for PyTorch pass it. `load_state_dict` continues from a
        later epoch.

    Raises
    ------
    OptionError
        If ``optimizer`` is no optimizer, an option is outside of its range, the number of steps
        is not given, or ``last_epoch`` is not -1.
    NotANumberError
        If a rate, a momentum or a factor is no number.

    See Also
    --------
    CosineAnnealingLR, LinearLR

    References
    ----------
    Smith and Topin, Super-convergence: very fast training of neural networks using large learning
    rates (2018).

    Examples
    --------
    >>> from gradwalk import Value
    >>> from gradwalk.optim import SGD
    >>> schedule = OneCycleLR(SGD([Value(0.0)], lr=1.0, momentum=0.9), 1.0, total_steps=10)
    >>> round(schedule.get_last_lr()[0], 6)
    0.04
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float = 0.85,
        max_momentum: float = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise OptionError(
                    where="OneCycleLR(total_steps=...)",
                    expected="how many steps there are: total_steps, or epochs and steps_per_epoch",
                    got="neither",
                    fix="Write OneCycleLR(optimizer, 0.1, total_steps=1000).",
                )
            total_steps = expect_count("OneCycleLR(epochs=...)", epochs) * expect_count(
                "OneCycleLR(steps_per_epoch=...)", steps_per_epoch
            )
        self.total_steps: int = expect_count("OneCycleLR(total_steps=...)", total_steps)
        one_of("OneCycleLR(anneal_strategy)", anneal_strategy, ("cos", "linear"))
        self.anneal_strategy: str = anneal_strategy
        numbers = {"max_lr": max_lr, "pct_start": pct_start, "div_factor": div_factor}
        numbers |= {"base_momentum": base_momentum, "max_momentum": max_momentum}
        numbers |= {"final_div_factor": final_div_factor}
        found = {name: as_float(x, f"OneCycleLR({name}=...)") for name, x in numbers.items()}
        for name in ("pct_start", "div_factor", "final_div_factor"):
            part = name == "pct_start"
            if not (0.0 <= found[name] <= 1.0 if part else found[name] > 0.0):
                raise OptionError(
                    where=f"OneCycleLR({name}=...)",
                    expected="a part between 0 and 1" if part else "a positive number",
                    got=describe(numbers[name]),
                    fix="Leave it out for the usual cycle.",
                )
        self.momenta: tuple[float, float] = found["max_momentum"], found["base_momentum"]
        self.div_factor: float = found["div_factor"]
        self.final_div_factor: float = found["final_div_factor"]
        rise = found["pct_start"] * self.total_steps
        middle = [2.0 * rise - 2.0] if three_phase else []
        self.ends: list[float] = [rise - 1.0, *middle, self.total_steps - 1.0]
        self.cycle_momentum: bool = bool(cycle_momentum)
        if isinstance(optimizer, Optimizer):
            for group in optimizer.param_groups:
                group["initial_lr"] = found["max_lr"] / self.div_factor
        super().__init__(optimizer, last_epoch)

    def _between(self, levels: list[float], epoch: int) -> float:
        """Return the level of a step on the way from one level to the next."""
        if epoch >= self.total_steps:
            raise OptionError(
                where="OneCycleLR.step",
                expected=f"at most {self.total_steps - 1} steps",
                got=f"step {epoch}",
                fix="Pass total_steps for the whole training: batches times epochs.",
            )
        start = 0.0
        for i, end in enumerate(self.ends):
            if epoch <= end or i == len(self.ends) - 1:
                part = (epoch - start) / (end - start) if end > start else 1.0
                linear = self.anneal_strategy == "linear"
                way = part if linear else (1.0 - math.cos(math.pi * part)) / 2.0
                return levels[i] + (levels[i + 1] - levels[i]) * way
            start = end
        return levels[-1]

    def lr_at(self, base: float, epoch: int) -> float:
        """Return the learning rate of step ``epoch``."""
        last = base / self.final_div_factor
        back = [base] if len(self.ends) > 2 else []
        return self._between([base, base * self.div_factor, *back, last], epoch)

    def momentum_at(self, epoch: int) -> float:
        """Return the momentum of step ``epoch``."""
        high, low = self.momenta
        return self._between([high, low, high, high][: len(self.ends) + 1], epoch)

    def _write(self) -> None:
        super()._write()
        if self.cycle_momentum:
            momentum = self.momentum_at(self.last_epoch)
            for group in self.optimizer.param_groups:
                if "betas" in group:
                    group["betas"] = (momentum, *group["betas"][1:])
                elif "momentum" in group:
                    group["momentum"] = momentum


class ReduceLROnPlateau(LRScheduler):
    """A rate that is multiplied by a factor when a loss has stopped falling.

    ``step(loss)`` takes the loss, a number, a Value or a Tensor of one number.

    Parameters
    ----------
    optimizer
        The optimizer whose ``"lr"`` is set, in every group.
    mode
        "min" if the number is to fall, "max" if it is to rise.
    factor
        The factor, below 1.
    patience
        How many epochs without improvement are tolerated, >= 0.
    threshold
        By how much a number must be better than the best one to count as an improvement.
    threshold_mode
        "rel" if ``threshold`` is a part of the best number, "abs" if it is a difference.
    cooldown
        How many epochs after a reduction do not count, >= 0.
    min_lr
        The lowest rate.
    eps
        Reductions that are smaller are left out.

    Raises
    ------
    OptionError
        If ``optimizer`` is no optimizer, an option is outside of its range, or a mode has
        another name.
    NotANumberError
        If a factor, a rate or a threshold is no number.

    See Also
    --------
    StepLR, gradwalk.fit

    Examples
    --------
    >>> from gradwalk import Value
    >>> from gradwalk.optim import SGD
    >>> schedule = ReduceLROnPlateau(SGD([Value(0.0)], lr=1.0), patience=1)
    >>> for loss in (3.0, 3.0, 3.0):
    ...     schedule.step(loss)
    >>> schedule.get_last_lr()
    [0.1]
    """

    mode: str
    threshold_mode: str
    last_epoch: int

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0.0,
        eps: float = 1e-8,
    ) -> None:
        one_of("ReduceLROnPlateau(mode)", mode, ("min", "max"))
        one_of("ReduceLROnPlateau(threshold_mode)", threshold_mode, ("rel", "abs"))
        self.mode, self.threshold_mode = mode, threshold_mode
        where = "ReduceLROnPlateau({}=...)".format
        self.factor: float = as_float(factor, where("factor"))
        if not self.factor < 1.0:
            raise OptionError(
                where=where("factor"),
                expected="a number below 1",
                got=describe(factor),
                fix="Pass 0.1 for a tenth of the rate.",
            )
        self.patience: int = expect_count(where("patience"), patience, 0)
        self.cooldown: int = expect_count(where("cooldown"), cooldown, 0)
        self.threshold: float = as_float(threshold, where("threshold"))
        self.min_lr: float = as_float(min_lr, where("min_lr"))
        self.eps: float = as_float(eps, where("eps"))
        self.best: float = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs: int = 0
        self.cooldown_counter: int = 0
        super().__init__(optimizer)

    def get_last_lr(self) -> list[float]:
        """Return the learning rates, one per group."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def step(self, metrics: float | None = None) -> None:
        """Compare a number with the best one so far, and reduce the rates if it is time.

        Parameters
        ----------
        metrics : ()
            The number to watch: a float, a Value or a Tensor of one number.

        Raises
        ------
        OptionError
            If ``metrics`` is left out.
        NotANumberError
            If ``metrics`` is no single number.
        InPlaceError
            Inside of a function that `compile` runs: its program would not do it again.
        """
        expect_no_program("scheduler.step()")
        if metrics is None:
            raise OptionError(
                where="ReduceLROnPlateau.step(metrics)",
                expected="the number to watch",
                got="none",
                fix="Write scheduler.step(loss.item()).",
            )
        now = loss_number(metrics, "ReduceLROnPlateau.step(metrics)")
        self.last_epoch += 1
        better = self._is_better(now)
        self.best = now if better else self.best
        self.num_bad_epochs = 0 if better else self.num_bad_epochs + 1
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            for group in self.optimizer.param_groups:
                lower = max(group["lr"] * self.factor, self.min_lr)
                group["lr"] = lower if group["lr"] - lower > self.eps else group["lr"]
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0

    def _is_better(self, now: float) -> bool:
        sign = 1.0 if self.mode == "min" else -1.0
        if not math.isfinite(self.best):
            return sign * now < sign * self.best
        gain = self.threshold * (self.best if self.threshold_mode == "rel" else 1.0)
        return sign * now < sign * self.best - gain

    _names = ("last_epoch", "best", "num_bad_epochs", "cooldown_counter")

    def state_dict(self) -> dict[str, Any]:
        """Return what was seen so far."""
        return {name: getattr(self, name) for name in self._names}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Set what `state_dict` saved.

        Parameters
        ----------
        state_dict
            What `state_dict` of such a schedule returned.

        Raises
        ------
        StateDictError
            If it has other keys.
        """
        if not isinstance(state_dict, Mapping) or set(state_dict) != set(self._names):
            raise StateDictError(
                where="ReduceLROnPlateau.load_state_dict",
                expected=", ".join(self._names),
                got=describe(state_dict),
                fix="Load what state_dict() of such a scheduler returned.",
            )
        for name in self._names:
            setattr(self, name, state_dict[name])
