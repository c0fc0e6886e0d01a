"""The leaves of an output: the parameters that it is computed from, registered or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.carrier import is_tensor
from ...engine.value import Value
from ...program.run import run_of

__all__ = ["unregistered"]


def unregistered(output: Any, registered: list[Any], held: set[int]) -> list[Any]:
    """Return layers that compute an output, and whose parameters are not registered, nor held.

    A layer is a module without others inside; ``held`` are the identities of what optimizers have.
    """
    import gc

    leaves = _leaves(output) - set(map(_mark, registered))
    found = []
    for x in gc.get_objects() if leaves else ():
        kind = type(x)
        if hasattr(kind, "named_parameters") and hasattr(kind, "forward"):
            own = [] if [*x.children()] else [*x.parameters()]
            if any(_mark(p) in leaves for p in own) and not any(id(p) in held for p in own):
                found.append(x)
    return found


def _mark(p: Any) -> int:
    """Return the identity of what stands for a parameter in a graph."""
    return id(p._node) if is_tensor(p) else id(p)


def _leaves(output: Any) -> set[int]:
    """Return the marks of the leaves behind an output."""
    results = [x for x in _flat(output) if getattr(x, "requires_grad", True)]
    if any(hasattr(x, "grad_fn") for x in results):
        return {id(p) for x in results for p in _foreign_leaves(x.grad_fn)}
    if not results:
        return set()
    run = run_of(*results)
    return {id(node) for node in run.nodes[: run.program.inputs]}


def _flat(x: Any) -> Iterator[Any]:
    if isinstance(x, dict):
        x = [*x.values()]
    if isinstance(x, (list, tuple)):
        for part in x:
            yield from _flat(part)
    elif isinstance(x, Value) or hasattr(x, "requires_grad"):
        yield x


def _foreign_leaves(node: Any) -> Iterator[Any]:
    """Yield the leaves of a graph of PyTorch."""
    seen, rest = set(), [node]
    while rest:
        node = rest.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            yield node.variable
        rest += [following for following, _ in node.next_functions]
