"""The optimizers: PyTorch's keywords, PyTorch's defaults, PyTorch's numbers."""

from __future__ import annotations

import math
from math import inf
from typing import Any

from ..core.expect import describe
from ..errors import OptionError
from .optimizer import Optimizer, Parameters, State

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "RMSprop"]

Plan = tuple[str, tuple[float, ...]]
NOT_NEGATIVE, BELOW_ONE = (0.0, inf), (0.0, 1.0)


def _sign(group: dict[str, Any]) -> float:
    return -1.0 if group["maximize"] else 1.0


class SGD(Optimizer):
    """Stochastic gradient descent, with or without momentum.

        b ← momentum b + (1 - dampening) g,  p ← p - lr b      (Nesterov: p - lr (g + momentum b))

    The first step takes b = g.

    Parameters
    ----------
    params
        Values and Tensors that are leaves, or dicts with ``"params"`` and options that differ
        from the defaults, a group of parameters each.
    lr
        The learning rate, >= 0.
    momentum
        The part of b that each step keeps, >= 0; 0 for none.
    dampening
        The part of g that is left out of b after the first step.
    weight_decay
        Adds weight_decay p to the gradients, >= 0: it pulls parameters towards 0.
    nesterov
        Whether a step looks ahead; it needs momentum, and no dampening.
    maximize
        Whether steps climb instead.

    Raises
    ------
    OptionError
        If an option is outside of its range, or a parameter is no leaf, of integers, given
        twice, or there is none.
    NotANumberError
        If ``params`` is no list of Values and Tensors, or an option is no number.

    See Also
    --------
    Adam, RMSprop

    References
    ----------
    Polyak, Some methods of speeding up the convergence of iteration methods (1964).

    Sutskever and others, On the importance of initialization and momentum in deep learning (2013).

    Examples
    --------
    >>> from gradwalk import Value
    >>> x = Value(1.0)
    >>> x.grad = 2.0
    >>> SGD([x], lr=0.25).step()
    >>> x.data
    0.5
    """

    _ranges = dict.fromkeys(("lr", "momentum", "weight_decay"), NOT_NEGATIVE)

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "momentum": momentum, "dampening": dampening}
        options |= {"weight_decay": weight_decay, "nesterov": nesterov, "maximize": maximize}
        super().__init__(params, options)

    def _check_options(self, options: dict[str, Any]) -> None:
        super()._check_options(options)
        if options["nesterov"] and (options["momentum"] <= 0.0 or options["dampening"] != 0.0):
            raise OptionError(
                where="SGD(nesterov=True)",
                expected="a positive momentum and no dampening",
                got=f"momentum={options['momentum']}, dampening={options['dampening']}",
                fix="Write SGD(params, lr, momentum=0.9, nesterov=True).",
            )

    def _plan(self, group: dict[str, Any], state: State) -> Plan:
        lr, momentum, last = group["lr"], group["momentum"], (group["weight_decay"], _sign(group))
        if momentum == 0.0:
            return "sgd", (lr, *last)
        intake = 1.0 - group["dampening"] if state.slots else 1.0  # the first buffer is g itself
        name = "sgd_nesterov" if group["nesterov"] else "sgd_momentum"
        return name, (lr, momentum, intake, *last)


class Adam(Optimizer):
    """Adam: steps of about ``lr`` whatever the size of the gradients.

        m ← β₁ m + (1 - β₁) g,  v ← β₂ v + (1 - β₂) g²,  p ← p - lr m̂ / (√v̂ + eps)

    with m̂ = m / (1 - β₁ᵗ) and v̂ = v / (1 - β₂ᵗ).

    Parameters
    ----------
    params
        Values and Tensors that are leaves, or dicts with ``"params"`` and options that differ
        from the defaults, a group of parameters each.
    lr
        The learning rate, >= 0: about the length of a step in each number.
    betas
        β₁ and β₂, the parts of the means of g and of g² that each step keeps, from 0 to below
        1.
    eps
        Added to the root, >= 0, so that nothing is divided by 0.
    weight_decay
        Adds weight_decay p to the gradients, >= 0: it pulls parameters towards 0.
    amsgrad
        Whether the largest v so far is used instead of v.
    maximize
        Whether steps climb instead.

    Raises
    ------
    OptionError
        If an option is outside of its range, or a parameter is no leaf, of integers, given
        twice, or there is none.
    NotANumberError
        If ``params`` is no list of Values and Tensors, or an option is no number.

    See Also
    --------
    AdamW, RMSprop

    References
    ----------
    Kingma and Ba, Adam: a method for stochastic optimization (2015).

    Reddi, Kale and Kumar, On the convergence of Adam and beyond (2018), for ``amsgrad``.

    Examples
    --------
    >>> from gradwalk import Value
    >>> x = Value(1.0)
    >>> x.grad = 1e-3
    >>> Adam([x], lr=0.1).step()
    >>> round(x.data, 4)
    0.9
    """

    _ranges = dict.fromkeys(("lr", "eps", "weight_decay"), NOT_NEGATIVE) | {"betas": BELOW_ONE}
    _decoupled = False

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**options, "amsgrad": amsgrad, "maximize": maximize})

    def _check_options(self, options: dict[str, Any]) -> None:
        super()._check_options(options)
        if not isinstance(options["betas"], (tuple, list)) or len(options["betas"]) != 2:
            raise OptionError(
                where=f"{type(self).__name__}(betas=...)",
                expected="two numbers",
                got=describe(options["betas"]),
                fix="Write betas=(0.9, 0.999).",
            )

    def _plan(self, group: dict[str, Any], state: State) -> Plan:
        (beta1, beta2), lr, decay = group["betas"], group["lr"], group["weight_decay"]
        coupled, shrink = (0.0, 1.0 - lr * decay) if self._decoupled else (decay, 1.0)
        corrections = (1.0 - beta1**state.steps, math.sqrt(1.0 - beta2**state.steps))
        hyper = (lr, beta1, beta2, group["eps"], coupled, shrink, _sign(group), *corrections)
        return "amsgrad" if group["amsgrad"] else "adam", hyper


class AdamW(Adam):
    """Adam with decoupled weight decay: p ← (1 - lr weight_decay) p, then Adam.

    Parameters
    ----------
    params
        Values and Tensors that are leaves, or dicts with ``"params"`` and options that differ
        from the defaults, a group of parameters each.
    lr
        The learning rate, >= 0: about the length of a step in each number.
    betas
        β₁ and β₂, the parts of the means of g and of g² that each step keeps, from 0 to below
        1.
    eps
        Added to the root, >= 0, so that nothing is divided by 0.
    weight_decay
        Each step first multiplies the parameters by 1 - lr weight_decay, apart from the
        gradients, >= 0.
    amsgrad
        Whether the largest v so far is used instead of v.
    maximize
        Whether steps climb instead.

    Raises
    ------
    OptionError
        If an option is outside of its range, or a parameter is no leaf, of integers, given
        twice, or there is none.
    NotANumberError
        If ``params`` is no list of Values and Tensors, or an option is no number.

    See Also
    --------
    Adam

    References
    ----------
    Loshchilov and Hutter, Decoupled weight decay regularization (2019).

    Examples
    --------
    >>> from gradwalk import Value
    >>> x = Value(1.0)
    >>> AdamW([x], lr=0.1, weight_decay=0.5).step()
    >>> x.data
    0.95
    """

    _decoupled = True

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class RMSprop(Optimizer):
    """Gradients over the root of the running mean of their squares.

        v ← α v + (1 - α) g²,  b ← momentum b + g / (√v + eps),  p ← p - lr b

    Parameters
    ----------
    params
        Values and Tensors that are leaves, or dicts with ``"params"`` and options that differ
        from the defaults, a group of parameters each.
    lr
        The learning rate, >= 0.
    alpha
        The part of v that each step keeps, >= 0.
    eps
        Added to the root, >= 0, so that nothing is divided by 0.
    weight_decay
        Adds weight_decay p to the gradients, >= 0: it pulls parameters towards 0.
    momentum
        The part of b that each step keeps, >= 0; 0 for none.
    centered
        Whether the variance v - m² is used instead of v, with the running mean m of g.
    maximize
        Whether steps climb instead.

    Raises
    ------
    OptionError
        If an option is outside of its range, or a parameter is no leaf, of integers, given
        twice, or there is none.
    NotANumberError
        If ``params`` is no list of Values and Tensors, or an option is no number.

    See Also
    --------
    Adam, Adagrad

    References
    ----------
    Tieleman and Hinton, Lecture 6.5 of Neural networks for machine learning (2012).

    Graves, Generating sequences with recurrent neural networks (2013), for ``centered``.

    Examples
    --------
    >>> from gradwalk import Value
    >>> x = Value(1.0)
    >>> x.grad = 3.0
    >>> RMSprop([x]).step()
    >>> round(x.data, 4)
    0.9
    """

    _ranges = dict.fromkeys(("lr", "alpha", "eps", "weight_decay", "momentum"), NOT_NEGATIVE)

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay}
        options |= {"momentum": momentum, "centered": centered, "maximize": maximize}
        super().__init__(params, options)

    def _plan(self, group: dict[str, Any], state: State) -> Plan:
        names = ("lr", "alpha", "eps", "weight_decay", "momentum")
        rule = "rmsprop_centered" if group["centered"] else "rmsprop"
        return rule, (*(group[name] for name in names), _sign(group))


class Adagrad(Optimizer):
    """Gradients over the root of the sum of all their squares so far.

        s ← s + g²,  p ← p - lr / (1 + (t - 1) lr_decay) · g / (√s + eps)

    Parameters
    ----------
    params
        Values and Tensors that are leaves, or dicts with ``"params"`` and options that differ
        from the defaults, a group of parameters each.
    lr
        The learning rate, >= 0.
    lr_decay
        How fast the rate falls, >= 0: step t divides it by 1 + (t - 1) lr_decay.
    weight_decay
        Adds weight_decay p to the gradients, >= 0: it pulls parameters towards 0.
    initial_accumulator_value
        The start of s, >= 0.
    eps
        Added to the root, >= 0, so that nothing is divided by 0.
    maximize
        Whether steps climb instead.

    Raises
    ------
    OptionError
        If an option is outside of its range, or a parameter is no leaf, of integers, given
        twice, or there is none.
    NotANumberError
        If ``params`` is no list of Values and Tensors, or an option is no number.

    See Also
    --------
    RMSprop, Adadelta

    References
    ----------
    Duchi, Hazan and Singer, Adaptive subgradient methods for online learning and stochastic
    optimization (2011).

    Examples
    --------
    >>> from gradwalk import Value
    >>> x = Value(1.0)
    >>> x.grad = 3.0
    >>> Adagrad([x], lr=0.5).step()
    >>> round(x.data, 4)
    0.5
    """

    _ranges = dict.fromkeys(
        ("lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps"), NOT_NEGATIVE
    )

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "lr_decay": lr_decay, "weight_decay": weight_decay, "eps": eps}
        options |= {"initial_accumulator_value": initial_accumulator_value, "maximize": maximize}
        super().__init__(params, options)

    def _start(self, group: dict[str, Any]) -> float:
        return float(group["initial_accumulator_value"])

    def _plan(self, group: dict[str, Any], state: State) -> Plan:
        lr = group["lr"] / (1.0 + (state.steps - 1) * group["lr_decay"])
        return "adagrad", (lr, group["eps"], group["weight_decay"], _sign(group))


class Adadelta(Optimizer):
    """Steps as long as the recent steps were, per recent gradient.

        v ← ρ v + (1 - ρ) g²,  d = √(u + eps) / √(v + eps) · g,  u ← ρ u + (1 - ρ) d²,  p ← p - lr d

    No rate needs to be chosen.

    Parameters
    ----------
    params
        Values and Tensors that are leaves, or dicts with ``"params"`` and options that differ
        from the defaults, a group of parameters each.
    lr
        A factor for the steps, >= 0; 1 takes them as they are.
    rho
        The part of v and u that each step keeps, from 0 to below 1.
    eps
        Added to both means before the roots, >= 0: it decides how long the first steps are.
    weight_decay
        Adds weight_decay p to the gradients, >= 0: it pulls parameters towards 0.
    maximize
        Whether steps climb instead.

    Raises
    ------
    OptionError
        If an option is outside of its range, or a parameter is no leaf, of integers, given
        twice, or there is none.
    NotANumberError
        If ``params`` is no list of Values and Tensors, or an option is no number.

    See Also
    --------
    Adagrad, RMSprop

    References
    ----------
    Zeiler, Adadelta: an adaptive learning rate method (2012).

    Examples
    --------
    >>> from gradwalk import Value
    >>> x = Value(1.0)
    >>> x.grad = 3.0
    >>> Adadelta([x]).step()
    >>> round(x.data, 6)
    0.996838
    """

    _ranges = dict.fromkeys(("lr", "weight_decay", "eps"), NOT_NEGATIVE) | {"rho": (0.0, 1.0)}

    def __init__(
        self,
        params: Parameters,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        options = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**options, "maximize": maximize})

    def _plan(self, group: dict[str, Any], state: State) -> Plan:
        names = ("lr", "rho", "eps", "weight_decay")
        return "adadelta", (*(group[name] for name in names), _sign(group))
