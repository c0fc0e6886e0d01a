"""The graph of Tensors: what is stored for an operation, and how it propagates gradients.

A `Tensor` is a handle: an array and, if gradients flow through it, a node. The node does not refer
to the array. It stores the residuals that the rules of its primitive read and nothing else, so that
other arrays are freed as early as in a program without gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import CodeType
from typing import Any, ClassVar
from weakref import ref

import numpy as np

from ...core.array_primitive import OutputGradients, residual_flags
from ...core.carrier import is_tensor
from ...core.primitive import Primitive
from ...engine.node import CONSTANT, freed
from ...engine.recording import enable_grad
from ...levels.level import Tracer
from ...levels.vjp import VJPLevel
from ...levels.vmap import varies
from ...libraries import LibraryArray, Place
from ...libraries.array import RULES, rules_in_library
from ...libraries.held import Operand
from ...ops.array.evaluation import rules_of
from ...ops.array.multi_output import PART
from ...ops.array.structural_zero import StructuralZero, elements_of, masked_again, untouched
from ...ops.array.structure import astype, broadcast_to, sum_to
from .types import DType

__all__ = ["CONSTANT_NODE", "Node", "constant_of", "contributions", "fit_to_operand", "holds"]
__all__ += ["keep_constant", "lift_residuals", "mask_contribution", "part_of", "pointwise"]
__all__ += ["vjp", "Plan", "jvp", "plan_of", "record", "uses_mask"]

_ndarray = np.ndarray
Shape = tuple[int, ...]
ARRAYS = (np.ndarray, np.generic, LibraryArray)


class Node:
    """One application of a primitive, as both passes see it; a leaf has no primitive.

    ``_inputs``  the nodes of the arguments, `CONSTANT_NODE` for those without gradient; ``None``
                 once a backward pass has freed them
    ``saved``    the result and the arguments, as far as a rule needs their numbers
    ``grad``     the gradient of the last backward pass, for leaves of all; ``None`` before
    ``line``     where in the user's program it was recorded: a code object and an offset in it
    """

    # Attributes of every node are slots. The others use memory only if they are set.
    __slots__ = (
        "__dict__", "__weakref__", "_inputs", "_primitive", "dtype", "grad", "line", "saved",
        "shape",
    )  # fmt: skip
    shape: Any  # a tuple, but None where a node has several results; dtype likewise
    dtype: Any
    label: str = ""
    shown: ClassVar[bool] = True  # to observers, what its rules compute
    options: Mapping[str, Any] = {}
    place: Any = None  # of a leaf whose array belongs to another library
    origin: Any = None  # an `Origin`, once a backward pass has found a NaN or an infinity

    def __init__(
        self, primitive: Primitive | None, inputs: Any, shape: Shape | None, dtype: DType | None
    ) -> None:
        self._primitive, self._inputs, self.shape, self.dtype = primitive, inputs, shape, dtype
        self.saved: Any = ()
        self.grad: Any = None
        self.line: tuple[CodeType, int] | None = None

    @property
    def op(self) -> str:
        """Name of the primitive; ``""`` for a leaf."""
        return "" if self._primitive is None else self._primitive.name

    @property
    def ndim(self) -> int:
        """How many axes the array has."""
        return len(self.shape)

    def vjp(self, t: Any) -> list[Any]:
        """Return the contributions to the operands on a tape, whose cotangents may be traced."""
        with np.errstate(all="ignore"):
            return contributions(self, t, self.saved)

    def jvp(self, tangents: Sequence[Any]) -> Any:
        """Return the tangent of the result on a tape, for the tangents of the operands."""
        with np.errstate(all="ignore"):
            return jvp(self, tangents, self.saved)

    def release(self) -> None:
        """Drop operands and residuals. Using the graph again raises `FreedGraphError`."""
        if self._inputs:  # a leaf stays: it belongs to no single graph
            self._inputs = self.saved = None

    def __repr__(self) -> str:
        label = f" {self.label!r}" if self.label else ""
        return f"<node{label} {self.op or 'leaf'} {self.shape}>"


_new = Node.__new__
CONSTANT_NODE = Node(CONSTANT, (), (), None)
"""The node of every argument through which no gradient flows."""

FEW = 64  # as in native/tensor/operator.h
"""Constant arrays of up to this many elements are stored in the node: they are smaller than it."""


def keep_constant(raw: Any, given: Any = None) -> Any:
    """Return what a node keeps of a constant that no rule reads: a reference to a large one."""
    if type(raw) is not _ndarray:
        return raw if isinstance(raw, (float, int)) else CONSTANT_NODE
    # the list hides the array from the write guard, because no rule reads it
    return [raw] if raw.size <= FEW else ref(given if isinstance(given, _ndarray) else raw)


def constant_of(node: Node, position: int) -> Any:
    """Return the constant operand at ``position``. ``None`` if the program has dropped it."""
    kept = node.saved[position + 1]
    if type(kept) is ref:
        return kept()
    return kept[0] if type(kept) is list else None if kept is CONSTANT_NODE else kept


Plan = tuple[bool, tuple[int, ...]]
"""Whether a node keeps the result, and the operands that it does not keep."""


def plan_of(primitive: Primitive, inputs: Sequence[Node]) -> Plan:
    """Return what the rules of a node read."""
    flags = residual_flags(primitive, tuple([node is not CONSTANT_NODE for node in inputs]))
    return flags[0], tuple([i for i, flag in enumerate(flags) if i and not flag])


def record(
    primitive: Primitive,
    inputs: tuple[Node, ...],
    data: Any,
    args: Sequence[Any],
    options: dict[str, Any],
    given: Any = None,
    plan: Plan | None = None,
) -> Node:
    """Return the node of ``primitive`` on ``args`` with the result ``data``.

    ``given`` has the arguments of the program, if ``args`` are copies of some of them.
    """
    keep_y, dropped = plan or plan_of(primitive, inputs)
    node = _new(Node)  # a call of __init__ would cost more than setting the slots does
    node._primitive, node._inputs = primitive, inputs
    if type(data) is tuple:  # multi-output: its rule reads all outputs
        node.shape, node.dtype, keep_y = None, None, True
    else:
        node.shape, node.dtype = data.shape, data.dtype
    saved = [data if keep_y else None, *args]
    for i in dropped:
        if (parent := inputs[i - 1]) is CONSTANT_NODE:
            saved[i] = keep_constant(args[i - 1], given and given[i - 1])
        else:
            saved[i] = parent
    node.saved = tuple(saved)
    node.grad = node.line = None
    if options:  # most nodes have none: the class attribute saves them a dict
        node.options = options
    return node


# --- several results ------------------------------------------------------------------------------


def part_of(bundle: Node, index: int, data: Any) -> Node:
    """Return the node of one output of a multi-output operation."""
    node = _new(Node)
    node._primitive, node._inputs, node.shape, node.dtype = PART, (bundle,), data.shape, data.dtype
    node.saved, node.options = (None, bundle), {"index": index}
    node.grad = node.line = None
    return node


# --- residuals as Tensors -------------------------------------------------------------------------


def lift_residuals(kind: Any, node: Node) -> tuple[Any, ...]:
    """Return the residuals of a node as Tensors: gradients of them can be differentiated again."""
    y, *args = node.saved
    if type(y) is tuple:
        result: Any = kind._multi_output(y, node)
    else:
        result = y if y is None else kind._of(y, node)
    return (
        result,
        *[
            a
            if not isinstance(a, ARRAYS)
            else kind._of(a, None if parent is CONSTANT_NODE else parent)
            for a, parent in zip(args, node._inputs, strict=True)
        ],
    )


# --- the rules of one node ------------------------------------------------------------------------


def vjp(node: Node, t: Any) -> list[Any]:
    """Return the contributions of the gradient ``t`` of a node to its operands, on plain arrays."""
    return contributions(node, t, node.saved)


def contributions(node: Node, gradient: Any, saved: tuple[Any, ...]) -> list[Any]:
    """Return the contributions of a gradient to the operands, by the rules of the node."""
    primitive: Any = node._primitive
    options, masked, t = node.options, None, gradient
    if saved is None:
        raise freed(node)
    if primitive is PART:
        return [OutputGradients({options["index"]: gradient})]  # the rule needs all outputs at once
    if type(t) is OutputGradients:
        if hasattr(primitive, "joint_vjp"):
            return primitive.joint_vjp(node, t, saved)  # type: ignore[no-any-return]
        gradient = t = _gradients_of_outputs(t, saved[0])
    if type(t) is StructuralZero:
        # relu(a @ b): the product's rule mixes elements, so zeros of t become ordinary zeros
        masked, t = (gradient if primitive.kind in MASK_KINDS else None), t.data
    if primitive.kind == "linear" and primitive.variadic:
        return _contributions_of_parts(node, t, masked)
    given: list[Any] = []
    for rule, parent in zip(_rules(primitive, node._inputs, t), node._inputs, strict=True):
        if rule is None or parent is CONSTANT_NODE:
            given.append(None)
            continue
        takes = masked is not None and hasattr(rule, "takes_masks")
        given_t = masked if takes else t
        contribution = rule(given_t, *saved, **options) if options else rule(given_t, *saved)
        if masked is not None and not takes and contribution is not None:
            contribution = mask_contribution(node, rule, parent, contribution, masked, saved)
        # tested here, because most contributions fit as they are and need no call
        kind = type(contribution)
        if kind is LibraryArray and contribution.dtype is parent.dtype:
            if contribution.raw.shape != parent.shape:
                contribution = fit_to_operand(contribution, parent)
        elif kind is not _ndarray or contribution.shape != parent.shape:
            contribution = fit_to_operand(contribution, parent)
        elif contribution.dtype is not parent.dtype:  # `is`: NumPy's own dtypes are singletons
            contribution = astype(contribution, dtype=parent.dtype)
        given.append(contribution)
    return given


def _contributions_of_parts(node: Node, t: Any, masked: StructuralZero | None) -> list[Any]:
    """Return the contributions to the arrays that `concat` or `stack` has joined.

    Their rule reads no operand. To call it with all of them, once for each, takes a time that grows
    with their square: 4.9 s for 20,000 arrays, 0.07 s in this way.
    """
    primitive: Any = node._primitive
    rule, options, given = primitive.rules[0], node.options, list[Any]()
    probe = None if masked is None else _nan_unmasked(masked.mask)
    for i, parent in enumerate(node._inputs):
        if parent is CONSTANT_NODE:
            given.append(None)
            continue
        part = rule(t, None, index=i, **options)
        if masked is not None:
            part = elements_of(part)
            if uses_mask(parent):
                reached = elements_of(rule(probe, None, index=i, **options))
                part = StructuralZero(part, untouched(reached))
        given.append(fit_to_operand(part, parent))
    return given


def _gradients_of_outputs(parts: OutputGradients, results: tuple[Any, ...]) -> Any:
    """Return the gradients of all outputs; zeros for an output that has none."""
    given = tuple(
        [parts[i] if i in parts else _zeros(y, place_among([y])) for i, y in enumerate(results)]
    )
    # the usual case needs no masks
    if len(parts) == len(results) and StructuralZero not in map(type, given):
        return given
    mask: Any = tuple(
        # an output without a gradient is masked as a whole: its zeros are no contribution
        g.mask if type(g) is StructuralZero else np.full(y.shape, i not in parts)
        for i, (g, y) in enumerate(zip(given, results, strict=True))
    )
    return StructuralZero(tuple(map(elements_of, given)), mask)


def _zeros(like: Any, place: Place | None) -> Operand:
    """Return zeros in the shape of a node or an array, at a place; of NumPy for ``None``."""
    if place is None:
        return np.zeros(like.shape, like.dtype)
    return LibraryArray(place.full(like.shape, 0.0, like.dtype), place)


def place_among(xs: Iterable[Any]) -> Place | None:
    """Return where the first array of another library lies; ``None`` if all are of NumPy."""
    for x in xs:
        if type(x) is tuple:
            found = place_among(x)
        else:
            held = _held(x)
            found = held.place if type(held) is LibraryArray else None
        if found is not None:
            return found
    return None


def _held(x: Any) -> Operand:
    """Return the array in a Tensor or in tracers of it, as it is."""
    while isinstance(x, (StructuralZero, Tracer)):
        x = x._primal if isinstance(x, Tracer) else x.data if x.part is None else x.part
    return x._data if is_tensor(x) else x


MASK_KINDS = ("pointwise", "linear")
"""Kinds of primitives that keep structural zeros. Others, such as products, mix elements."""


def uses_mask(parent: Node) -> bool:
    """Return whether the rules of a node use masks at all."""
    return bool(parent._inputs) and parent._primitive.kind in MASK_KINDS  # type: ignore[union-attr]


def _rules(primitive: Any, inputs: tuple[Node, ...], t: Any) -> Any:
    if primitive.kind != "pointwise" and primitive.variadic:
        return [partial(primitive.rules[0], index=i) for i in range(len(inputs))]  # concat, einsum
    for part in t if type(t) is tuple else (t,):  # the gradients of several results
        if type(part) is LibraryArray:
            return rules_in_library(primitive, part.place.library)
    return rules_of(primitive)


def mask_contribution(
    node: Any, rule: Any, parent: Node, contribution: Any, masked: StructuralZero, saved: Any
) -> Any:
    """Return the contribution of a masked gradient; if elements are rearranged, so is the mask."""
    wanted = uses_mask(parent)
    if node._primitive.kind == "linear":
        elements = elements_of(contribution)
        return _rearrange_mask(node, rule, elements, masked, saved) if wanted else elements
    if contribution is masked.data:  # the rule of add returns t itself: same mask
        return masked if wanted else contribution
    contribution = masked_again(contribution, masked.mask)
    return contribution if wanted else contribution.data  # the parent needs zeros, not where


def _rearrange_mask(
    node: Node, rule: Any, elements: Any, masked: StructuralZero, saved: Any
) -> StructuralZero:
    """Find where a rule moves elements, by a NaN: it reaches what they would reach."""
    mask: Any = masked.mask
    several = type(mask) is tuple
    probe = tuple(map(_nan_unmasked, mask)) if several else _nan_unmasked(mask)
    reached = elements_of(rule(probe, *saved, **node.options))
    return StructuralZero(elements, untouched(reached))


def _nan_unmasked(mask: Any) -> Any:
    return np.where(mask, 0.0, np.nan)  # 1 and -1 could cancel in a sum, a NaN never does


def fit_to_operand(contribution: Any, parent: Node) -> Any:
    """Return a contribution in the shape and precision of the argument that it goes to."""
    if contribution is None or parent.shape is None:
        return contribution
    if type(contribution) is StructuralZero:
        if contribution.part is not None and (contribution.shape, contribution.dtype) == (
            parent.shape,
            parent.dtype,
        ):
            return contribution  # zeros are filled in when ``data`` is read
        if not uses_mask(parent):
            return fit_to_operand(contribution.data, parent)
        if contribution.data.shape != parent.shape:
            # broadcast operand: its element is masked only if all contributions to it are
            open_ = sum_to(np.where(contribution.mask, 0.0, 1.0), shape=parent.shape)
            return StructuralZero(fit_to_operand(contribution.data, parent), np.equal(open_, 0.0))
        return StructuralZero(fit_to_operand(contribution.data, parent), contribution.mask)
    if isinstance(contribution, (float, np.generic)):  # rules of 0-d arrays return numbers
        contribution = np.asarray(contribution)
    elif not hasattr(contribution, "shape"):  # those of a program, traced numbers
        contribution = broadcast_to(contribution, shape=())
    if contribution.shape != parent.shape:
        # with create_graph the contribution is a Tensor, and its sum has to be recorded
        summed = sum_to.forward if type(contribution) is _ndarray else sum_to
        contribution = summed(contribution, shape=parent.shape)
    same = contribution.dtype == parent.dtype
    return contribution if same else astype(contribution, dtype=parent.dtype)


# --- forward mode ---------------------------------------------------------------------------------
#
# No primitive has a second rule for it. The Jacobian of a pointwise primitive is diagonal, so its
# rules are VJP and JVP at once. A linear primitive is its own JVP, and a product is linear in one
# factor at a time. For any other primitive the VJP is transposed.

Tangents = Sequence[Any]


def jvp(node: Node, tangents: Tangents, saved: tuple[Any, ...]) -> Any:
    """Return the tangent of ``node``, on arrays or on the Tensors in ``saved``; ``None`` is 0."""
    primitive: Any = node._primitive
    if primitive is PART:
        return tangents[0][node.options["index"]]  # the tuple is the tangent of the joint node
    if hasattr(primitive, "joint_jvp"):
        return primitive.joint_jvp(node, tangents, saved)
    if primitive.kind == "pointwise":
        return pointwise(primitive, node, tangents, saved)
    # masks block every tangent: no rule needs to be evaluated
    if all(type(t) is StructuralZero and holds(t.mask) for t in tangents if t is not None):
        return None
    calls = _calls(node, tangents, saved)
    if calls is None:
        return _transpose_vjp(node, [elements_of(t) for t in tangents], saved)
    return _apply_calls(node, calls, tangents)


def holds(shut: Any) -> bool:
    """Return whether a condition is known to hold for all elements, in all examples of a batch."""
    held = _held(shut)
    return getattr(held, "known", True) and not varies(shut) and bool(np.all(shut))


def _fit(t: Any, node: Node) -> Any:
    """Return a tangent in the shape and precision of the result."""
    if type(t) is StructuralZero:
        return StructuralZero(_fit(t.data, node), np.broadcast_to(t.mask, node.shape))
    if not hasattr(t, "shape"):
        t = broadcast_to(t, shape=()) if isinstance(t, Tracer) else np.asarray(t)
    if t.shape != node.shape:
        t = broadcast_to(t, shape=node.shape)
    return t if t.dtype == node.dtype else astype(t, dtype=node.dtype)


# --- pointwise: the rules are their own transposes ------------------------------------------------


def pointwise(primitive: Primitive, like: Any, tangents: Tangents, saved: tuple[Any, ...]) -> Any:
    """Return the tangent of a result in the shape and precision of ``like``."""
    total: Any = None
    for rule, t in zip(rules_of(primitive), tangents, strict=True):
        if rule is None or t is None:
            continue
        t = _fit(t, like)
        takes = type(t) is not StructuralZero or hasattr(rule, "takes_masks")
        contribution = rule(t if takes else t.data, *saved)
        if contribution is None:  # one condition for all elements has blocked it
            continue
        contribution = contribution if takes else masked_again(contribution, t.mask)
        contribution = _fit(contribution, like)
        total = contribution if total is None else _sum(total, contribution, (*tangents, *saved))
    return total


def _sum(total: Any, contribution: Any, others: tuple[Any, ...]) -> Any:
    """Return ``total`` plus a contribution, in place if ``total`` has no other reference."""
    a, b = _plain(total), _plain(contribution)
    # a view lies in the memory of another array; numbers without axes save nothing
    if a is None or b is None or a.base is not None or not a.shape:
        return total + contribution
    # a rule may return one of its arguments unchanged, which must not be overwritten
    if any(getattr(x, "_data", x) is a for x in others if not isinstance(x, Tracer)):
        return total + contribution
    np.add(a, b, out=a)
    return total


def _plain(x: Any) -> Any:
    """Return the array in a Tensor without a gradient; ``None`` for anything else."""
    constant = type(x) is not np.ndarray and is_tensor(x) and not isinstance(x, Tracer)
    if constant and x._node is None:
        x = x._data
    return x if type(x) is np.ndarray else None  # arrays of other libraries may be read-only


# --- linear and multilinear: the primitive itself -------------------------------------------------


def _calls(node: Node, tangents: Tangents, saved: tuple[Any, ...]) -> list[list[Any]] | None:
    """Return the arguments of each application of the primitive, ``...`` in place of tangents."""
    primitive: Any = node._primitive
    args = saved[1:]
    # no rule for the indices of `pick`: neither a tangent nor a zero can stand for them
    if primitive.kind == "general" or None in primitive.rules or primitive.outputs > 1:
        return None
    if primitive.kind == "linear":
        # linear in all arguments together: concat(x, c) ↦ concat(ẋ, 0), one call
        operands = zip(tangents, node._inputs, strict=True)
        place = place_among((*tangents, *args))
        calls = [[_zero_tangent(parent, place) if t is None else ... for t, parent in operands]]
    else:
        # linear in each argument: the product rule, one call for each factor with a tangent
        with_tangent = [i for i, t in enumerate(tangents) if t is not None]
        calls = [[... if k == i else a for k, a in enumerate(args)] for i in with_tangent]
    # a node in place of an array: the argument was not saved, so only the transpose is left
    unknown = any(isinstance(a, Node) for call in calls for a in call)
    return None if unknown else calls


def _zero_tangent(parent: Node, place: Place | None) -> Any:
    """Return the zero tangent of an argument of a linear primitive."""
    # constants share a node, which has no shape: `_calls` then resorts to the transpose
    return parent if parent._primitive is CONSTANT else _zeros(parent, place)


def _apply_calls(node: Node, calls: list[list[Any]], tangents: Tangents) -> Any:
    primitive: Any = node._primitive
    total: Any = None
    for call in calls:
        here = [i for i, a in enumerate(call) if a is ...]
        t = _fit(primitive(*_fill(call, elements_of, tangents), **node.options), node)
        if all(type(tangents[i]) is StructuralZero for i in here):  # else no element is masked
            probe = _fill(call, lambda t: _nan_unmasked(t.mask), tangents)
            t = StructuralZero(t, untouched(primitive(*probe, **node.options)))
        total = t if total is None else total + t
    return total


def _fill(call: list[Any], make: Callable[[Any], Any], tangents: Tangents) -> list[Any]:
    return [make(t) if a is ... else a for a, t in zip(call, tangents, strict=True)]


# --- general: the VJP transposed ------------------------------------------------------------------


def _transpose_vjp(node: Node, tangents: Tangents, saved: tuple[Any, ...]) -> Any:
    """Return J v by transposing twice: the rule u ↦ Jᵀ u is linear, so its own VJP is v ↦ J v."""
    y = saved[0]
    results = y if type(y) is tuple else (node,)
    place = place_among((*tangents, *saved))
    # any u would do, since the map is linear; inside no_grad this tape must record all the same
    with VJPLevel("the transpose of a VJP") as tape, enable_grad():
        u = tuple(tape.leaf(_zeros(r, place)) for r in results)
        given = contributions(node, u if type(y) is tuple else u[0], saved)
        skipped = [
            contribution is None or t is None
            for contribution, t in zip(given, tangents, strict=True)
        ]
        found = tape.gradients(
            [
                None if skip else elements_of(contribution)
                for contribution, skip in zip(given, skipped, strict=True)
            ],
            tangents,
        )
    # a u that `found` lacks reached no contribution, so that result has the tangent 0
    tangents = [elements_of(found.get(c._payload, _zeros(c, place))) for c in u]
    return tangents if type(y) is tuple else _fit(tangents[0], node)


RULES.update(f.__code__ for f in (contributions, jvp, pointwise))
