"""`adopt`: programs of PyTorch and JAX for the questions that gradwalk answers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..core.calls import expect_function

__all__ = ["adopt"]


def adopt(f: Callable[..., Any] | None = None, *args: Any) -> Any:
    """Return a program of PyTorch or JAX as a graph of gradwalk, with the numbers of its own run.

    Without arguments it is a context for PyTorch: ``with adopt() as run:`` around a step records
    what PyTorch computes. With a function of JAX or PyTorch, the function is run at ``args``.
    `inspect.why`, `inspect.paths`, `check.kinks`, `check.precision` and `explore` then take the
    adoption, or the arrays and tensors of the program. Each operation keeps the line of the
    program. The gradients are compared with those of the framework, and differences are told.

    Parameters
    ----------
    f
        A function of JAX, or of PyTorch. The first floating number that it returns is taken for the
        loss. ``None`` returns the context.
    *args
        Its arguments: arrays, numbers, and containers of them.

    Returns
    -------
    an Adoption
        The graph: ``result``, ``leaves``, the operations that are ``opaque``, the ``agreement``.

    Raises
    ------
    OptionError
        If ``f`` is no function.
    MissingExtraError
        If the framework is not installed.

    See Also
    --------
    gradwalk.inspect.why

    Examples
    --------
    >>> import gradwalk
    >>> import jax.numpy as jnp                                            # doctest: +SKIP
    >>> run = gradwalk.adopt(lambda w: jnp.sqrt(w).sum(), jnp.zeros(3))    # doctest: +SKIP
    >>> print(gradwalk.inspect.why(run))                                   # doctest: +SKIP
    """
    if f is None:
        return import_module(".torch.adopting", __package__).TorchAdoption()
    expect_function(f, "adopt")
    if _is_torch(f, args):
        return import_module(".torch.adopting", __package__).run(f, *args)
    return import_module(".jax.adopting", __package__).adopted(f, args)


def _is_torch(f: Any, args: Any) -> bool:
    """Return whether an argument, or a member of one, is a tensor or a module of PyTorch."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    kinds = (torch.Tensor, torch.nn.Module)
    queue = [f, *args]
    while queue:
        x = queue.pop()
        if isinstance(x, kinds):
            return True
        if isinstance(x, dict):
            queue += x.values()
        elif isinstance(x, (list, tuple)):
            queue += x
    return False
