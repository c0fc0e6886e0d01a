"""`why`: the cause of a NaN or an infinity, found after the fact."""

from __future__ import annotations

import gc
from itertools import chain
from math import isfinite, isnan
from types import FrameType
from typing import Any

from ..causes.dropped import remade
from ..core.calls import caller
from ..core.carrier import is_tensor
from ..core.collector import without_collector
from ..core.expect import describe, is_array
from ..engine.value import Value
from ..errors import FreedGraphError, NotANumberError
from ..foreign.twins import twin
from ..program.run import run_of
from .cause import Cause, explain, index
from .findings import of_finding
from .origins import Origin, first_bad, forward_origin
from .places import Namer, depending
from .unreached import TINY, Blocked, told_factors, unreached
from .watching import first_inside, of_values_backward

__all__ = ["of_forward", "of_tensor_forward", "why"]

FREED = (
    "The graph has been freed. Compute the result again, and call why before the graph is freed, "
    "or compute it inside `with gradwalk.inspect.trap():`, which stops at the cause."
)
GONE = (
    "No graph that leads here is in a variable. Keep the loss in a variable and call why again, or "
    "compute inside `with gradwalk.inspect.trap():`, which stops at the cause."
)


def why(x: Any) -> Cause:
    """Return what made a NaN or an infinity in ``x``, or in its gradient.

    The cause is the first operation, forward or backward, that made a non-finite number
    of finite ones: the operation, the element, its operands, the line of the program, the path to
    ``x``, and what to write instead. For a leaf whose gradient is 0 or missing, it is what cut the
    graph, or which operations block the gradient. It is found after the fact, in a graph that was
    recorded as usual. Tensors always record their lines, Values inside `lines`.

    Parameters
    ----------
    x
        A Value, a Tensor, a gradient (``w.grad`` of a Tensor), a module, a `Replay`, or a list or
        dictionary of these; the result of `adopt`, or what it has recorded of PyTorch and JAX.

    Returns
    -------
    a Cause
        False if nothing is wrong.

    Raises
    ------
    NotANumberError
        If ``x`` is a plain number, which has no graph.

    See Also
    --------
    trap

    Examples
    --------
    >>> from gradwalk import Tensor
    >>> w = Tensor([4.0, 0.0], requires_grad=True)
    >>> loss = w.sqrt().sum()
    >>> loss.backward()
    >>> cause = why(w)
    >>> cause.op, cause.element, cause.args, cause.direction
    ('sqrt', (1,), (0.0,), 'backward')
    """
    adopted = type(x).__module__.startswith("gradwalk.foreign")
    frame = (getattr(x, "frame", None) if adopted else None) or caller()
    with without_collector():
        return _why(twin(x), Namer(frame), frame)


def _why(x: Any, namer: Namer, frame: FrameType | None) -> Cause:
    if isinstance(x, Value):
        return _of_value(x, namer)
    if is_tensor(x):
        return _of_tensor(x, namer)
    if is_array(x):
        return _of_array(x, namer)
    if type(x).__name__ == "Replay":
        return _why(x.graph(), namer, frame)
    if type(x).__name__ == "Finding":  # of a graph of PyTorch that was not recorded
        return of_finding(x, namer)
    if hasattr(x, "named_parameters"):
        return _of_parts(list(x.named_parameters()), namer, frame)
    if isinstance(x, dict):
        return _of_parts([(str(k), v) for k, v in x.items()], namer, frame)
    if isinstance(x, (list, tuple)):
        return _of_parts([(f"[{i}]", v) for i, v in enumerate(x)], namer, frame)
    raise NotANumberError(
        where="why(x)",
        expected="a Value, a Tensor, a module, or the gradient of a Tensor",
        got=f"{describe(x)}, which has no graph",
        fix="Pass the Value itself: why(w) for w.grad, why(loss) for loss.data.",
    )


def _of_parts(parts: list[tuple[str, Any]], namer: Namer, frame: FrameType | None) -> Cause:
    for name, part in parts:
        node = part._node if is_tensor(part) else part
        if node is not None and not getattr(node, "label", ""):
            namer.known.setdefault(id(node), name)
    found = [cause for _, part in parts if (cause := _why(part, namer, frame))]
    bad = next((cause for cause in found if not cause.is_silent), None)
    if bad is None and len(found) < len(parts):
        found = []  # some gradients arrive: others may be 0, or not used by this loss
    return bad or next(iter(found), Cause("All numbers are finite."))


def _zero(title: str, found: Blocked, namer: Namer) -> Cause:
    factors = told_factors(found.factors, namer)
    rows = [row for row in found.rows if row[0] != "fix" or not factors]
    cause = Cause(title, [*rows, *factors])
    cause.is_meant = found.is_meant
    return cause


# --- Values ---------------------------------------------------------------------------------------


def _of_value(x: Value, namer: Namer) -> Cause:
    name = namer.name(x) or (f"{x.op}" if x.op else "x")
    if not isfinite(x.data) and x.op:
        return of_forward(x, name, namer)
    if not isfinite(x.grad):
        found = _of_value_gradient(x, name, namer)
        if found or isfinite(x.data):
            return found
    if not isfinite(x.data):
        run = run_of(x)
        origin = forward_origin(run, run.root, ())
        return explain(f"{name} = {x.data:g}", first_inside(origin), namer)
    if not x.op and abs(x.grad) < TINY and (zero := unreached(x, namer)).rows:
        told = f"= {x.grad:.3g}, as good as 0" if x.grad else "= 0"
        return _zero(f"{name}.grad {told}", zero, namer)
    return _below(x, name, namer)


def of_forward(x: Value, name: str, namer: Namer) -> Cause:
    """Return what made the number of a Value non-finite."""
    run = run_of(x, whole=False)
    origin = forward_origin(run, run.root, ())
    return explain(f"{name} = {x.data:g}", first_inside(origin), namer, name)


def _of_value_gradient(x: Value, name: str, namer: Namer) -> Cause:
    title = f"{name}.grad = {x.grad:g}"
    for root in chain(depending(x, namer.values()), [x] if x.op else []):
        origin = of_values_backward(root, x)
        if origin is not None:
            return explain(title, first_inside(origin), namer, f"{name}.grad")
    return Cause(title, [("cause", "unknown"), ("fix", GONE)])


def _below(x: Value, name: str, namer: Namer) -> Cause:
    """Look for a gradient that is not finite under a result that is."""
    origin = of_values_backward(x, None) if x.op else None
    if origin is None:
        return Cause(f"{name} = {x.data:g}: all numbers are finite.")
    leaf = origin.path[-1].leaf
    leaf_name = namer.name(leaf) or "a leaf"
    title = f"The gradient of {leaf_name} is not finite."
    return explain(title, first_inside(origin), namer, f"{leaf_name}.grad")


# --- Tensors --------------------------------------------------------------------------------------


def _of_tensor(x: Any, namer: Namer) -> Cause:
    node = x._node
    name = namer.name(node if node is not None else x) or (x.op or "x")
    title = _title(name, x.data)
    if node is not None and not title and node.grad is not None:
        grad_title = _title(f"{name}.grad", node.grad)
        if grad_title:
            return _of_gradient(node, name, grad_title, namer)
    if not title and not x.op and (found := unreached(x, namer)).rows:
        return _zero(f"{name}.grad {'is None' if node.grad is None else '= 0'}", found, namer)
    if not title and (node is None or x.op) and (rows := _remade(name, namer)):
        return Cause(f"{name} is not a parameter any more", rows)
    if not title:
        return _below_tensor(x, name, namer)
    return of_tensor_forward(x, name, title, namer)


def _remade(name: str, namer: Namer) -> list[tuple[str, str]]:
    """Return rows about the line that puts another Tensor in the place of a parameter."""
    line = remade(namer.frames[0] if namer.frames else None, name)
    if not line:
        return []
    told = f"{name} has become a result or a constant, and gets no gradient in the next pass"
    fix = f"Update it in place: `with no_grad(): {name} -= lr * {name}.grad`, or by an optimizer."
    return [("cause", told), ("line", line), ("fix", fix)]


def of_tensor_forward(x: Any, name: str, title: str, namer: Namer) -> Cause:
    """Return what made the numbers of a Tensor non-finite."""
    node, element = x._node, first_bad(x._data)
    assert element is not None
    if node is None:
        rows = [("cause", "unknown: no operation on it was recorded, as it requires no gradient")]
        rows.append(("element", f"{index(element)} is {x._data[element]:g}"))
        rows.append(
            ("fix", "Compute it inside `with gradwalk.inspect.trap():`, which stops there.")
        )
        return Cause(title, rows)
    if type(node.origin) is Origin:
        return explain(title, node.origin, namer, name)
    if node._inputs is None:
        return Cause(title, [("cause", "unknown"), ("fix", FREED)])
    run = run_of(x, whole=False)
    origin = forward_origin(run, run.root, element)
    return explain(title, first_inside(origin), namer, name)


def _title(name: str, array: Any) -> str:
    """Return how many elements are not finite, ``""`` if all are."""
    element = first_bad(array)
    if element is None:
        return ""
    numbers = array[~_finite(array)].tolist()
    nans = sum(map(isnan, numbers))
    kinds = [f"{nans:,} nan"] * bool(nans) + [f"{len(numbers) - nans:,} inf"] * (
        len(numbers) > nans
    )
    if array.size == 1:
        return f"{name} = {array.item():g}"
    return f"{name} has {' and '.join(kinds)} among {array.size:,} elements, first {index(element)}"


def _finite(array: Any) -> Any:
    import numpy as np

    return np.isfinite(array)


def _of_gradient(node: Any, name: str, title: str, namer: Namer) -> Cause:
    if type(node.origin) is Origin:
        return explain(title, node.origin, namer, f"{name}.grad")
    return Cause(title, [("cause", "unknown"), ("fix", GONE)])


def _below_tensor(x: Any, name: str, namer: Namer) -> Cause:
    """Look for a gradient that is not finite under a result that is."""
    node = x._node
    if node is not None and node._inputs and node.saved is not None:
        import numpy as np

        from ..tensor.graph.backward import leaf_gradients
        from .remembering import remember

        with np.errstate(all="ignore"):
            seed = np.ones(node.shape, node.dtype)
            try:
                pairs = leaf_gradients(node, seed, False)
            except FreedGraphError:  # a part of it: nothing is wrong with what is left
                pairs = []
            bad = any(first_bad(t) is not None for _, t in pairs)
            origin = remember(node, seed, pairs, x._data, True) if bad else None
        if origin is not None:
            leaf = namer.name(origin.path[-1].leaf) or "a leaf"
            title = f"The gradient of {leaf} is not finite."
            return explain(title, first_inside(origin), namer, f"{leaf}.grad")
    elif node is not None and type(node.origin) is Origin:
        return explain(f"{name}: a gradient is not finite", node.origin, namer)
    return Cause(f"{name}: all numbers are finite.")


def _of_array(x: Any, namer: Namer) -> Cause:
    """Explain an array that is the gradient of a Tensor."""
    title = _title("the array", x)
    if not title:
        return Cause("All numbers are finite.")
    for node in gc.get_referrers(x):
        if getattr(node, "grad", None) is x and hasattr(node, "origin"):
            name = namer.name(node) or "a Tensor"
            return _of_gradient(node, name, _title(f"{name}.grad", x), namer)
    raise NotANumberError(
        where="why(x)",
        expected="the gradient of a Tensor, w.grad",
        got="an array, which has no graph",
        fix="Pass the Tensor, or compute the array inside `with gradwalk.inspect.trap():`.",
    )
