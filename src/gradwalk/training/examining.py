"""What `fit` finds wrong with a network: a graph that was cut, and what `flow` says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.carrier import is_tensor
from ..core.cuts import find_cut_in
from ..engine.cut_graphs import reachable
from ..engine.value import Value
from ..errors import FreedGraphError, OptionError
from ..inspect import flow
from ..nn import Module
from ..optim import Optimizer
from .history import History

__all__ = ["cut_loss", "examine", "expect_flow"]


def examine(model: Module, optimizer: Optimizer, history: History) -> None:
    """Look at the first batch of an epoch, and print what is wrong, once for each finding."""
    found = flow(model, optimizer)
    wrong = {(x.name, x.verdict) for x in found.layers if x.verdict != "healthy"}
    known = {(x.name, x.verdict) for before in history.flows for x in before.layers}
    history.flows.append(found)
    if not found and wrong - known:
        print(f"epoch {len(history.flows)}: {found}")


def expect_flow(model: Module, loss: Any, result: Any, optimizer: Optimizer) -> None:
    """Raise `OptionError` if no gradient can reach what the optimizer trains.

    It is called after the first backward pass. Gradients of 0 from masks are no error.
    """
    trained = [p for group in optimizer.param_groups for p in group["params"]]
    if any(p.grad is not None if is_tensor(p) else p.grad for p in trained):
        return
    if not set(map(id, trained)) & set(map(id, model.parameters())):
        raise OptionError(
            where="fit(optimizer)",
            expected="an optimizer that has parameters of the model",
            got=f"{len(trained)} others, which no gradient has reached",
            fix="Make the optimizer from model.parameters(), after the last layer was made.",
        )
    if isinstance(result, Value):
        try:
            leaves, _ = reachable(result)
        except FreedGraphError:
            return
        if any(leaf is p for leaf in leaves for p in trained):
            return
    raise cut_loss(model, loss, result)


def cut_loss(model: Module, loss: Any, result: Any) -> OptionError:
    """Return the error for a loss that does not depend on the parameters: where it was cut."""
    cut = find_cut_in(_functions(model, loss))
    got = f"{result!r}, which does not depend on any of them"
    fix = "Compute it from the output of the model, without data, detach() or no_grad()."
    if cut is not None:
        got, fix = f"{result!r}, whose graph was cut by {cut.told}", f"{cut.fix}."
    expected = "a loss that depends on the parameters of the optimizer"
    return OptionError(where="fit(loss)", expected=expected, got=got, fix=fix)


def _functions(model: Module, loss: Any) -> Iterator[Any]:
    """Yield the functions that compute the loss: itself, and the forward of each module."""
    yield loss
    yield getattr(type(loss), "forward", None)
    for module in model.modules():
        yield getattr(type(module), "forward", None)
        yield vars(type(module)).get("__call__")
