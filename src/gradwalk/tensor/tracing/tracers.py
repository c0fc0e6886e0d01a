"""Tracers that are arrays: what `levels` and its tapes and duals do once a Tensor comes along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ...core.array_primitive import ArrayPrimitive
from ...core.carrier import is_tensor
from ...core.numeric import NumericArray
from ...core.places import line_of_caller
from ...core.primitive import PASS_IF, Primitive
from ...engine.observing import observers
from ...engine.scalar import Scalar
from ...levels.level import Level, Tracer, leaked
from ...levels.programs import lifted
from ...levels.vjp import VJPLevel
from ...levels.vmap import varies
from ...libraries import LibraryArray
from ...ops.array.facts import logical_not, plain
from ...ops.array.structural_zero import StructuralZero
from ...ops.array.structure import broadcast_to, reshape
from ..functions.types import Operand
from ..graph.node import CONSTANT_NODE, Node, holds, part_of, pointwise, record
from ..graph.properties import Size
from ..graph.tensor import Tensor
from ..graph.types import Array

__all__ = ["FLOAT64", "ArrayTracer", "instantiate_zeros", "leaf_node", "mask"]
__all__ += ["array_of", "as_arrays", "record_on_tape", "snapshot", "trace_jvp"]

FLOAT64 = np.dtype(np.float64)


class ArrayTracer(Tracer, Tensor):  # type: ignore[override]
    """A tracer of an array, which is a Tensor for the functions of the user.

    It lies in the three slots of a Tensor under other names, so that a Tensor of constants can
    become a tracer when one is written into it: ``out[i] = x``.
    """

    __slots__ = ()
    _primal = vars(Tensor)["_data"]
    _level = vars(Tensor)["_node"]
    _payload = vars(Tensor)["_label"]
    label = ""
    requires_grad = True

    def __init__(self, level: Level, primal: Any, extra: Any) -> None:
        self._level, self._payload, self._alias = level, extra, None
        self._primal = primal if hasattr(primal, "ndim") else np.asarray(primal)

    @property
    def _data(self) -> Array:  # type: ignore[override]  # Tensors have a slot
        """The plain numbers, for what has no derivative: conditions, places, facts."""
        self._expect_open(".data")
        return self._level.read(self)

    @property
    def _node(self) -> Operand:  # type: ignore[override]
        raise AssertionError(f"{self!r} has no node: this function must apply a primitive")

    def _is_traced(self) -> bool:
        return True

    def _expect_open(self, where: str) -> None:
        if not self._level.is_open:
            raise leaked(self._level, where)

    @property  # type: ignore[misc]
    def data(self) -> Any:
        """The plain numbers, as an array of their own."""
        return self._data.copy()

    @property  # type: ignore[misc]
    def grad(self) -> None:
        """Gradients are what the transform returns."""
        return None

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return tuple(self._level.shape(self._primal))

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return len(self.shape)

    @property
    def size(self) -> Size:
        """How many numbers there are."""
        return Size.of(self.shape)

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the numbers."""
        return self._primal.dtype

    @property
    def op(self) -> str:
        """Always ``""``: tracers do not record the operation that produced them."""
        return ""

    def item(self) -> Any:
        """Return the only element: in a program it is one of its numbers."""
        level: Any = self._level
        if not level.records_program:
            return super().item()
        self._expect_open(".item()")
        self._expect_one_number()
        return level.number_of(reshape(self, shape=()))

    def detach(self) -> Any:
        """Return the plain numbers as a Tensor, through which no derivative flows."""
        return plain(self, dtype=self.dtype) if varies(self) else Tensor._of(self.data)

    def _detached(self, where: str, number: str = "t.detach().item() for the number") -> Operand:
        if self._level.records_program:  # which has no derivative to lose
            return self._data
        self._level.numbers(self._primal)  # which there may not be
        raise self._detach_error(where, number)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if self._level.records_program:
            return np.array(self._data, dtype=dtype)
        return super().__array__(dtype, copy)

    __repr__: Final = Tracer.__repr__
    __hash__: Final[Any] = Tracer.__hash__  # type: ignore[misc]


def become(x: Any, result: Any) -> None:
    """Make a Tensor, or a tracer, into ``result``: ``x[i] = v`` where x or v is traced."""
    if isinstance(result, Tracer):
        x.__class__ = type(result) if isinstance(result, ArrayTracer) else ArrayTracer
        x._level, x._primal, x._payload = result._level, result._primal, result._payload
    else:  # no tangent is left, or nothing is recorded
        x.__class__, label = Tensor, x.label
        x._data, x._node = getattr(result, "_data", result), getattr(result, "_node", None)
        x.label = label


def snapshot(x: Any) -> Any:
    """Return another handle of the array ``x``, which later writes into ``x`` leave as it is."""
    if not is_tensor(x):
        return x
    x = lifted(x)
    if isinstance(x, Tracer):
        return (type(x) if isinstance(x, ArrayTracer) else ArrayTracer)(
            x._level, x._primal, x._payload
        )
    return Tensor._of(x._data, x._node)


def mask(primitive: ArrayPrimitive, condition: Any, t: Operand) -> StructuralZero:
    """Evaluate `pass_if` and `mask_if` where the contribution, or the condition, is traced."""
    # `mask_if` blocks t where the condition holds, `pass_if` where it does not
    blocked = logical_not(condition) if primitive is PASS_IF else condition
    return StructuralZero.of(blocked._data if type(blocked) is Tensor else blocked, t)


def instantiate_zeros(t: Any) -> Any:
    """Return a gradient with zeros for its structural zeros; ``None`` if it has nothing else."""
    if type(t) is not StructuralZero:
        return t
    return None if np.ndim(t.mask) == 0 and holds(t.mask) else t.data


# --- tapes ----------------------------------------------------------------------------------------


def leaf_node(primal: Operand) -> Node:
    """Return the tape's node of an input that is an array."""
    return Node(None, (), primal.shape, primal.dtype)


def record_on_tape(
    tape: Any,
    primitive: Primitive,
    args: Sequence[Any],
    raws: Sequence[Any],
    y: Any,
    options: dict[str, Any],
) -> Any:
    """Return the tracer, or the tracers, of an array, with their node on the tape."""
    nodes = tuple([_node_of(tape, a) for a in args])
    residuals = [_residual(a, own) for a, own in zip(raws, nodes, strict=True)]
    y = as_arrays(y)
    # primals as residuals: the reverse pass computes one level down, where they may be traced again
    node = record(primitive, nodes, y, residuals, options)
    if observers:
        node.line = line_of_caller()
    if type(y) is tuple:
        return tuple([tape.box(part, part_of(node, i, part)) for i, part in enumerate(y)])
    return tape.box(y, node)


def as_arrays(y: Any) -> Any:
    """Return a result, or several, as arrays: NumPy turns results without axes into numbers."""
    if type(y) is tuple:
        return tuple(map(as_arrays, y))
    return np.asarray(y) if isinstance(y, np.generic) else y


def _node_of(tape: VJPLevel, arg: Any) -> Any:
    return arg._payload if tape.owns(arg) else CONSTANT_NODE


def _residual(raw: Any, node: Node) -> Operand:
    """Return a residual: lists as arrays, and what the user may write into as copies."""
    if isinstance(raw, (list, tuple)):
        return np.asarray(raw)
    if node is not CONSTANT_NODE:
        return raw
    return raw.copy() if isinstance(raw, np.ndarray) else snapshot(raw)


# --- duals ----------------------------------------------------------------------------------------


def trace_jvp(
    duals: Any,
    primitive: Any,
    raws: Sequence[Any],
    y: Any,
    tangents: Sequence[Any],
    options: dict[str, Any],
) -> Any:
    """Return the tracer, or the tracers, of an array with its tangent."""
    if primitive.kind == "pointwise":  # the rules are the JVP: no node is needed
        return _pointwise_dual(duals, primitive, raws, as_arrays(y), tangents)
    several = type(y) is tuple
    y = as_arrays(y)
    raws = [array_of(a) for a in raws]
    pairs = zip(raws, tangents, strict=True)
    inputs = tuple([CONSTANT_NODE if t is None else leaf_node(a) for a, t in pairs])
    node = Node(primitive, inputs, None if several else y.shape, None if several else y.dtype)
    node.options = options
    arriving = [t if t is None or type(t) is StructuralZero else array_of(t) for t in tangents]
    node.saved = (y, *raws)
    found = node.jvp(arriving)
    if found is None:  # masks block every tangent
        return y
    if several:
        found = [Tensor._of(t) if type(t) is LibraryArray else t for t in found]
        return tuple([duals.box(part, t) for part, t in zip(y, found, strict=True)])
    return duals.box(y, found)


def _pointwise_dual(
    duals: Any, primitive: ArrayPrimitive, raws: Sequence[Any], y: Operand, tangents: Sequence[Any]
) -> Operand:
    """Return the tracer of a pointwise result."""
    numbers, ts = _plain_arrays(y, *raws), _plain_arrays(*tangents)
    if numbers is None or ts is None:  # floats remain floats, which are weak in precision
        numbers = (y, *[a if type(a) in (float, int) else array_of(a) for a in raws])
        ts = [t if t is None or type(t) is StructuralZero else array_of(t) for t in tangents]
    with np.errstate(all="ignore"):
        found = pointwise(primitive, numbers[0], ts, numbers)
    if found is None:  # no tangent reaches it: a constant at this level
        return y
    # the tangent is of the kind of its primal, because a function may compute with either
    return duals.box(y, _as_tensor(found) if type(y) is Tensor else found)


def _plain_arrays(*xs: Any) -> Any:
    """Plain arrays for Tensors of constants, on which rules are quickest; ``None`` if others are
    among them."""
    found = []
    for x in xs:
        if type(x) is Tensor and x._node is None and x._data.shape:
            found.append(x._data)
        elif x is None or type(x) is float or type(x) is int:
            found.append(x)
        else:
            return None
    return tuple(found)


def _as_tensor(t: Any) -> Any:
    """Return a tangent of plain arrays as a Tensor, with which a function can compute."""
    if type(t) is StructuralZero:
        return StructuralZero(_as_tensor(t.data), t.mask)
    return Tensor._of(t) if isinstance(t, np.ndarray) else t


def array_of(x: Any) -> NumericArray:
    """Return a number among arrays as an array."""
    if isinstance(x, Scalar):
        return broadcast_to(x, shape=())
    return x if hasattr(x, "ndim") else np.asarray(x)
