"""`to_jax`, `to_torch`: functions of gradwalk as functions of a framework, with their gradients."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..core.calls import expect_function

__all__ = ["to_jax", "to_torch"]


def to_jax(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` as a function of arrays of JAX, which every transform of JAX takes.

        jax.jvp(to_jax(f), x, t) = f'(x) t,   jax.grad(to_jax(f))(x) = f'(x)ᵀ

    `jax.jit`, `jax.vmap`, `jax.grad`, `jax.jvp`, `jax.jacfwd`, `jax.hessian` and `jax.checkpoint`
    may be nested in each other; `jax.shard_map` needs ``check_vma=False``. Derivatives of every
    order are those of gradwalk's rules: a branch that is not taken makes no NaN.

    Parameters
    ----------
    f
        A function of Tensors and numbers, in containers that JAX knows. It may use modules and
        Tensors from outside, as constants: move them to JAX first, ``model.to("jax")``.

    Returns
    -------
    a function
        It takes arrays where ``f`` takes Tensors, and gives arrays where ``f`` gives Tensors or
        numbers. What is no array is handed on as it is.

    Raises
    ------
    OptionError
        If ``f`` is no function.
    MissingExtraError
        If JAX is not installed.

    See Also
    --------
    to_torch, adopt

    Examples
    --------
    >>> import gradwalk
    >>> def loss(x):
    ...     return gradwalk.where(x > 0.0, gradwalk.sqrt(x), 0.0).sum()
    >>> import jax, jax.numpy as jnp                                       # doctest: +SKIP
    >>> jax.jit(jax.grad(gradwalk.to_jax(loss)))(jnp.array([0.0, 4.0]))    # doctest: +SKIP
    Array([0.  , 0.25], dtype=float32)
    """
    expect_function(f, "to_jax")
    found: Callable[..., Any] = import_module(".jax.citizen", __package__).citizen(f)
    return found


def to_torch(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` as a function of tensors of PyTorch, through which its gradients flow.

        y = to_torch(f)(x),   y.backward(ȳ) adds f'(x)ᵀ ȳ to x.grad

    PyTorch sees one operation. Its backward pass is by gradwalk's rules, and so is that of the
    backward pass, with ``create_graph=True``, to every order. ``f`` computes where its arguments
    lie, in their memory: a tensor that is written into before the backward pass is an error.

    Parameters
    ----------
    f
        A function of Tensors and numbers, in lists, tuples, dicts and dataclasses. It may use
        modules and Tensors from outside, as constants: move them first, ``model.to("torch")``.

    Returns
    -------
    a function
        It takes tensors of PyTorch where ``f`` takes Tensors, and gives them where ``f`` gives
        Tensors or numbers. What is no tensor is handed on as it is. Integers have no gradient.

    Raises
    ------
    OptionError
        If ``f`` is no function. By a call inside of `torch.func.vmap`, `grad` and their like.
    MissingExtraError
        If PyTorch is not installed.

    See Also
    --------
    to_jax, adopt

    Examples
    --------
    >>> import gradwalk
    >>> def loss(x):
    ...     return gradwalk.where(x > 0.0, gradwalk.sqrt(x), 0.0).sum()
    >>> import torch                                                       # doctest: +SKIP
    >>> x = torch.tensor([0.0, 4.0], requires_grad=True)                   # doctest: +SKIP
    >>> gradwalk.to_torch(loss)(x).backward()                              # doctest: +SKIP
    >>> x.grad                                                             # doctest: +SKIP
    tensor([0.0000, 0.2500])
    """
    expect_function(f, "to_torch")
    found: Callable[..., Any] = import_module(".torch.citizen", __package__).citizen(f)
    return found
