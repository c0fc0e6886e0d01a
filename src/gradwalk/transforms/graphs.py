"""Reverse mode at the bottom: no transform around, plain numbers in, plain gradients out.

Here a function meets Values and Tensors themselves, at the speed of their engines. Anywhere else
it meets tracers of a `Tape`; the numbers are the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from .. import leaks
from ..carrier import is_tensor
from ..levels import Level, running
from ..reverse import on_nodes, pulled
from ..trace import pause, recording, sweeping
from ..value import Value, engine
from .arguments import plain

__all__ = ["at_bottom", "gradients_at_bottom", "recorded", "swept"]

Checked = Callable[[Any], tuple[Any, Any]]


@cache
def tensor_graphs() -> Any:
    """The same with Tensors, which need NumPy."""
    return import_module(".tensor_graphs", __package__)


def at_bottom(primals: Sequence[Any]) -> bool:
    """Whether nobody else traces what is done with ``primals``."""
    return not running.depth and all(map(plain, primals))


@contextmanager
def recorded() -> Iterator[None]:
    """Record, even if the caller is inside of `no_grad`: the derivative is taken all the same."""
    depth = recording.paused
    if depth:
        engine.pause(-depth)
        pause(-depth)
    try:
        yield
    finally:
        if depth:
            engine.pause(depth)
            pause(depth)


def gradients_at_bottom(
    call: Callable[[Sequence[Any]], Any], primals: Sequence[Any], checked: Checked
) -> tuple[Any, Any, list[Any]]:
    """The value of a function, its auxiliary results, and its gradients (``None`` for zero).

    ``checked(result)`` gives the root, which has to be one number, and the auxiliary results.
    """
    arrays = any(map(is_tensor, primals))
    inputs, nodes = tensor_graphs().inputs(primals) if arrays else _values(primals)
    with Level(), recorded():  # whatever is traced inside has a level of its own
        root, aux = checked(call(inputs))
    del inputs
    with sweeping:
        value, found = swept(root, nodes)
    alone = value is not root
    del root
    if alone:  # otherwise the results are nodes of a graph that goes on outside
        _poison_survivors(nodes)
    return value, aux, found


def _values(primals: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    leaves = [Value(x) for x in primals]
    return leaves, list(leaves)


def swept(root: Any, nodes: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The number in ``root``, and its gradient for each of the leaves in ``nodes``."""
    if is_tensor(root):
        return tensor_graphs().swept(root, nodes)  # type: ignore[no-any-return]
    if not isinstance(root, Value):
        return float(root), [None] * len(nodes)
    if recording.paused or set(engine.leaves(root)) <= set(nodes):
        return root.data, engine.gradients(root, 1.0, nodes)
    found = pulled([root], [Value(1.0)], on_nodes)
    return root, [found.get(node) for node in nodes]


def _poison_survivors(nodes: list[Any]) -> None:
    """What somebody still holds, though f has returned: it must not be used any more."""
    held = [i for i in range(len(nodes)) if sys.getrefcount(nodes[i]) > _UNHELD]
    if held:
        leaks.poison([nodes[i] for i in held])


_UNHELD = max(sys.getrefcount(node) for node in [Value(0.0)])
