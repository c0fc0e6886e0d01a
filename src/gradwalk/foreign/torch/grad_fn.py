"""What PyTorch's own graph tells about a NaN after the fact, from ``grad_fn`` alone.

PyTorch keeps the numbers that its backward pass reads, and no lines. Nothing runs again but rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Any, TypeAlias

from ...ops import TABLE
from . import library as torch

__all__ = ["Finding", "after_the_fact"]

FREED = (
    "Call why before loss.backward(), or with loss.backward(retain_graph=True). Or record the step "
    "inside `with gradwalk.adopt() as run:`, around the forward and the backward pass."
)
LINES = (
    "unknown, as PyTorch's graph has no lines: record the step with `with gradwalk.adopt() as run:`"
    ", or run `python -m gradwalk why train.py`"
)
OPERATIONS = {
    "Softmax": "softmax", "LogSoftmax": "log_softmax", "Logsumexp": "logsumexp", "Rsqrt": "sqrt",
    "PowTensor": "pow", "LinalgVectorNorm": "norm", "Prod": "prod", "Addmm": "matmul",
    "Mm": "matmul", "Bmm": "matmul", "LogSigmoidForward": "log_sigmoid",
}  # fmt: skip
"""Nodes of PyTorch whose operation has another name here."""
RESULTS = ("result", "output")
OPERANDS = ("self", "input", "mat1", "other", "exponent", "mat2", "weight", "divisor")
Element = tuple[int, ...]
Node: TypeAlias = Any
"""A node of PyTorch's graph."""


@dataclass(slots=True)
class Finding:
    """The operation that made a number non-finite, as plain data.

    ``kind``  "forward", "backward", "leaf", or "unknown", which has only a title and rows
    ``rows``  further captions and texts, above all what cannot be known
    """

    title: str
    kind: str
    op: str = ""
    element: Element = ()
    args: tuple[float, ...] = ()
    number: float = nan
    result: float = nan
    incoming: float = nan
    position: int = 0
    rows: list[tuple[str, str]] = field(default_factory=list)


def after_the_fact(x: torch.Tensor) -> Finding | None:
    """Return what made a tensor, or a gradient below it, non-finite; ``None`` if nothing did."""
    with torch.no_grad():
        bad = _first_bad(x)
        title = _title("the tensor", x)
        if x.grad_fn is None:
            return _of_leaf(x, title)
        order = _order(x.grad_fn)
        try:
            saved = {node: _saved(node) for node in order}
        except RuntimeError:  # the backward pass has freed them
            return _freed(title or "The graph of this tensor has been freed.", order)
        if bad is not None:
            return _forward(title, order, saved)
        return _backward(x, order, saved)


def _of_leaf(x: torch.Tensor, title: str) -> Finding | None:
    if title:
        fix = "Look where the tensor gets its numbers, or record the step with gradwalk.adopt()."
        rows = [("cause", "unknown: the tensor has no graph"), ("fix", fix)]
        return Finding(title, "unknown", rows=rows)
    if x.grad is not None and _first_bad(x.grad) is not None:
        fix = "Call why(loss) with retain_graph=True, or record the step with gradwalk.adopt()."
        rows = [("cause", "unknown: a parameter keeps no graph"), ("fix", fix)]
        return Finding(_title("its gradient", x.grad), "unknown", rows=rows)
    return None


def _freed(title: str, order: list[Any]) -> Finding:
    names = " ← ".join(_name(node) for node in order[:8])
    rows = [("cause", "unknown: PyTorch has freed the numbers"), ("path", names), ("fix", FREED)]
    return Finding(title, "unknown", rows=rows)


# --- the graph ------------------------------------------------------------------------------------


def _order(root: Node) -> list[Any]:
    """Return the nodes of a graph, consumers first."""
    seen, found, stack = set(), list[Any](), [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            found.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(n, False) for n, _ in node.next_functions if n is not None and n not in seen]
    return found[::-1]


def _saved(node: Node) -> dict[str, Any]:
    """Return the numbers that a node keeps. Raise RuntimeError if they were freed."""
    found: dict[str, Any] = {}
    for name in dir(node):
        if name.startswith("_saved_"):
            x = getattr(node, name)
            if isinstance(x, torch.Tensor) or (type(x) in (int, float)):
                found[name[7:]] = x
    return found


def _name(node: Node) -> str:
    leaf = getattr(node, "variable", None)
    if leaf is not None:
        return f"a leaf {tuple(leaf.shape)}"
    name: str = node.name().rpartition("::")[2].partition("Backward")[0]
    return OPERATIONS.get(name, name.rstrip("0123456789").lower())


def _first_bad(x: Any) -> Element | None:
    if not isinstance(x, torch.Tensor) or not (x.is_floating_point() or x.is_complex()):
        return None
    bad = torch.nonzero(~torch.isfinite(x))
    return tuple(bad[0].tolist()) if len(bad) else None


def _title(name: str, x: torch.Tensor) -> str:
    if _first_bad(x) is None:
        return ""
    if x.numel() == 1:
        return f"{name} = {x.item():g}"
    count = int((~torch.isfinite(x)).sum())
    return f"{name} has {count:,} numbers that are not finite among {x.numel():,} elements"


def _operands(saved: dict[str, Any]) -> dict[str, Any]:
    return {k: saved[k] for k in OPERANDS if k in saved}


def _result(node: Node, saved: dict[str, Any]) -> Any:
    """Return the result of a node: the one that it keeps, or what its operation gives again."""
    kept = next((saved[k] for k in RESULTS if k in saved), None)
    if kept is not None:
        return kept
    operands = [*_operands(saved).values()]
    primitive = TABLE.get(_name(node))
    run = getattr(torch, _name(node), None)
    if primitive is None or primitive.kind != "pointwise" or len(operands) != primitive.arity:
        return None
    return run(*operands) if run is not None else None


def _numbers(saved: dict[str, Any], like: Any, element: Element) -> tuple[float, ...]:
    """Return the operands at one element, as far as PyTorch has kept them."""
    found = []
    for x in _operands(saved).values():
        if isinstance(x, torch.Tensor):
            if x.shape != like.shape:
                if torch.broadcast_shapes(x.shape, like.shape) != like.shape:
                    continue
                x = x.expand(like.shape)
            x = x[element].item()
        found.append(float(x))
    return tuple(found)


# --- forward --------------------------------------------------------------------------------------


def _forward(title: str, order: list[Any], saved: dict[Any, dict[str, Any]]) -> Finding:
    """Return the first operation that made a non-finite number of finite ones."""
    for node in reversed(order):
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            element = _first_bad(leaf)
            if element is not None:
                number = leaf[element].item()
                rows = [("element", f"{list(element)} of a leaf of the shape {tuple(leaf.shape)}")]
                found = Finding(title, "leaf", "", element, (), number, number)
                found.rows = [*rows, ("line", LINES)]
                return found
            continue
        kept = saved[node]
        operands, result = _operands(kept), _result(node, kept)
        bad = next(((k, e) for k, x in operands.items() if (e := _first_bad(x)) is not None), None)
        element = _first_bad(result)
        if element is not None and bad is None:
            number = result[element].item()
            args = _numbers(kept, result, element)
            found = Finding(title, "forward", _name(node), element, args, number, number)
            found.rows = [("line", LINES)]
            return found
        if bad is not None:
            return _read(title, node, operands[bad[0]], bad[1], saved)
    rows = [("cause", "unknown: no operation that keeps its numbers has read one"), ("fix", FREED)]
    return Finding(title, "unknown", rows=rows)


def _read(
    title: str, node: Node, x: Any, element: Element, saved: dict[Any, dict[str, Any]]
) -> Finding:
    """Return the operation whose result another one has read and kept."""
    makers = [n for n, _ in node.next_functions if n is not None and not hasattr(n, "variable")]
    number = x[element].item()
    for maker in makers:
        args = _numbers(saved[maker], x, element)
        if args and all(map(isfinite, args)):
            found = Finding(title, "forward", _name(maker), element, args, number, number)
            found.rows = [("line", LINES)]
            return found
    names = " or ".join(map(_name, makers)) or "the data"
    what = f"{_name(node)} has read {number:g} at element {list(element)}, which {names} has made"
    rows = [("cause", what), ("line", LINES), ("fix", FREED)]
    return Finding(title, "unknown", rows=rows)


# --- backward -------------------------------------------------------------------------------------


def _backward(
    x: torch.Tensor, order: list[Any], saved: dict[Any, dict[str, Any]]
) -> Finding | None:
    """Return the first rule that made a non-finite gradient of a finite one."""
    gradients: dict[Any, list[Any]] = {order[0]: [None] * x.output_nr + [torch.ones_like(x)]}
    for node in order:
        incoming = gradients.pop(node, None)
        if incoming is None or hasattr(node, "variable"):
            continue
        found = _contributions(node, incoming)
        if found is None:
            return None
        for i, t in enumerate(found):
            element = _first_bad(t)
            if element is not None and all(_first_bad(g) is None for g in incoming):
                return _rule(node, i, element, t, incoming[0], saved[node])
        for (below, slot), t in zip(node.next_functions, found, strict=False):
            if below is None or t is None:
                continue
            given = gradients.setdefault(below, [])
            given += [None] * (slot + 1 - len(given))
            given[slot] = t if given[slot] is None else given[slot] + t
    return None


def _contributions(node: Node, incoming: list[Any]) -> tuple[Any, ...] | None:
    """Return what a node gives to its operands; ``None`` if its rule cannot run alone."""
    try:
        found = node(*incoming) if callable(node) else node.apply(*incoming)
    except Exception:  # of a rule of the user, or of one that needs more than its gradient
        return None
    return found if isinstance(found, tuple) else (found,)


def _rule(
    node: Node, position: int, element: Element, t: Any, incoming: Any, kept: dict[str, Any]
) -> Finding:
    same = isinstance(incoming, torch.Tensor) and incoming.shape == t.shape
    operand = _operands(kept).get("self")
    result = _result(node, kept)
    like = t if same else operand if isinstance(operand, torch.Tensor) else t
    args = _numbers(kept, like, element) if same or like.shape == t.shape else ()
    name = _name(node)
    if not args and isinstance(result, torch.Tensor) and result.shape == t.shape and name == "sqrt":
        args = (result[element].item() ** 2,)
    number = nan
    if isinstance(result, torch.Tensor) and result.shape == t.shape:
        number = result[element].item()
    leaves = [tuple(n.variable.shape) for n in _order(node) if hasattr(n, "variable")]
    reached = ", ".join(map(str, leaves[:4]))
    arrived = incoming[element].item() if same else nan
    found = Finding("A gradient below is not finite.", "backward", name, element, args, number)
    found.result, found.incoming, found.position = t[element].item(), arrived, position
    found.rows = [("reaches", f"leaves of the shapes {reached}"), ("line", LINES)]
    return found
