"""Primitives as functions and methods of Tensors, compiled for the usual operands.

`applier` is the one way to apply a primitive to operands in Python. The functions here are made
once per primitive, so that facts about it are looked up once. Compiled, native/tensor/operator.h,
they take 0.4 µs above NumPy's own time, with options of whole-array primitives and arrays of NumPy
as operands too. They call the function in Python for everything unusual or intercepted.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from ... import native
from ...core.array_primitive import per_primitive, residual_flags
from ...core.carrier import carrier_among
from ...core.expect import is_number
from ...core.places import line_of_caller
from ...core.primitive import MASK_IF, PASS_IF, Primitive
from ...engine.node import recording
from ...engine.observing import INTERCEPTORS
from ...engine.operators import manual
from ...errors import NotANumberError
from ...levels.level import Tracer
from ...levels.programs import made
from ...libraries import LibraryArray, at_one_place, evaluate
from ...ops import TABLE
from ...ops.array.evaluation import function_of
from ...ops.array.structural_zero import StructuralZero
from ...ops.array.warning_lines import at_user_line, reset_state, set_state, state_of
from .convert import REFUSALS, as_array, as_operand, refuse
from .node import CONSTANT_NODE, Node, Plan, plan_of, record

__all__ = ["applier", "compiled", "method", "quick"]

_ndarray = np.ndarray

compiled: Any = native.load("_tensor")
"""The compiled operators and backward pass, or ``None``."""


def _compiled(
    operate: Callable[..., Any], primitive: Primitive, reflected: bool = False
) -> Callable[..., Any]:
    """Return ``operate``, compiled if possible.

    With ``reflected`` the second argument of a call is the first operand.
    """
    operate.__name__ = operate.__qualname__ = primitive.name
    variadic = getattr(primitive, "variadic", False)
    several = getattr(primitive, "outputs", 1) > 1
    if compiled is None or several or primitive is PASS_IF or primitive is MASK_IF:
        return operate  # these give several results or structural zeros, not a Tensor
    if not (variadic or 1 <= primitive.arity <= 3):
        return operate
    # for each set of operands with gradients, the first operand is bit 0; a variadic primitive has
    # one rule, which reads all operands or none
    sets = [(True,)] if variadic else [s[::-1] for s in product(*[(False, True)] * primitive.arity)]
    keeps = tuple([residual_flags(primitive, s) for s in sets])
    f, differentiable = function_of(primitive), primitive.differentiable
    return compiled.operator(operate, f, primitive, keeps, differentiable, reflected)  # type: ignore[no-any-return]


@per_primitive
def applier(primitive: Primitive, cls: Any) -> Callable[..., Any]:
    """Return what reads the operands of a primitive, computes, and attaches a node.

    It takes operands, options, and whether `Tensor._record` has asked what intercepts them.
    """
    f, intercepted, name = function_of(primitive), cls._record, primitive.name
    differentiable, passes = primitive.differentiable, primitive is PASS_IF or primitive is MASK_IF
    plans: dict[int, Plan] = {}
    new = cls.__new__

    def apply(
        args: tuple[Any, ...],
        options: dict[str, Any] = {},  # noqa: B006
        asked: bool = False,
    ) -> Any:
        if INTERCEPTORS and not asked:
            return intercepted(primitive, args, options)
        raws: list[Any] = []
        nodes: list[Node] = []
        placed, flows, bit = False, 0, 1
        for arg in args:
            kind = type(arg)
            if kind is cls:  # exactly: tracers and leaked Tensors are subclasses
                raws.append(arg._data)
                node = arg._node
                if node is None:
                    nodes.append(CONSTANT_NODE)
                else:
                    nodes.append(node)
                    flows |= bit
            elif kind is cls._placed:
                raws.append(arg._data)
                placed = True
                node = arg._node
                if node is None:
                    nodes.append(CONSTANT_NODE)
                else:
                    nodes.append(node)
                    flows |= bit
            elif kind is float or kind is int:  # weak, unlike the subclass np.float64
                raws.append(arg)
                nodes.append(CONSTANT_NODE)
            elif isinstance(arg, Tracer):  # the innermost transform decides
                return carrier_among(args)._apply(primitive, args, options)
            else:
                raw, node = as_operand(arg, name)
                raws.append(raw)
                nodes.append(node)
                flows |= bit if node is not CONSTANT_NODE else 0
                placed = placed or type(raw) is LibraryArray
            bit += bit
        if placed:
            raws = at_one_place(name, raws, args)
            data: Any = evaluate(primitive, tuple(raws), options)
        else:
            state = at_user_line[state_of()]
            token = None if state is None else set_state(state)
            try:
                data = f(*raws, **options) if options else f(*raws)
            except REFUSALS as error:
                refuse(primitive, raws, error)
            finally:
                if token is not None:
                    reset_state(token)
        usual = type(data) is _ndarray
        if passes or not usual:
            if type(data) is StructuralZero:  # a rule that is being recorded
                return StructuralZero(TABLE["where"](data.mask, 0.0, args[1]), data.mask)
            if passes:  # nothing is masked
                return args[1]
            if type(data) is not tuple and type(data) is not LibraryArray:
                data = as_array(data)  # NumPy returns numbers for arrays without axes
        node = None
        # `paused` is looked up in a context, so it is read only if some thread is inside no_grad
        if flows and differentiable and not (recording.blocks and recording.paused):
            try:
                plan = plans[flows + bit]
            except KeyError:
                plan = plans[flows + bit] = plan_of(primitive, nodes)
            node = record(primitive, tuple(nodes), data, raws, options, args, plan)
            node.line = line_of_caller(2)  # this frame is ours
        if type(data) is tuple:
            return cls._multi_output(data, node)
        # as `_of`, without a call
        tensor = new(cls if type(data) is not LibraryArray else cls._placed)
        tensor._data, tensor._node, tensor._alias = data, node, None
        if asked:
            made(tensor)
        return tensor

    return apply


@per_primitive
def quick(primitive: Primitive, cls: Any) -> Callable[..., Any]:
    """Return a primitive as a function of Tensors, of what becomes one, and of its options."""
    apply = applier(primitive, cls)

    def operate(*args: Any, **options: Any) -> Any:
        return apply(args, options)

    return _compiled(operate, primitive)


def method(primitive: Primitive, cls: Any, reflected: bool = False) -> Callable[..., Any]:
    """Return a primitive of one or two arguments as a method, or an operator, of ``cls``.

    Python asks the other operand where an operator returns ``NotImplemented``.
    """
    apply, equality = applier(primitive, cls), primitive.name in ("equal", "not_equal")

    def unary(self: Any) -> Any:
        return apply((self,))

    def binary(self: Any, other: Any) -> Any:
        plain = type(other) is cls or reflected
        if not plain and getattr(other, "__array_ufunc__", True) is None:  # as NumPy does
            return NotImplemented
        try:
            return apply((other, self) if reflected else (self, other))
        except NotANumberError:
            # Python has no other operand to ask, or would answer that numbers differ
            if isinstance(other, cls) or (equality and is_number(other)):
                raise
            return NotImplemented

    operate: Any = unary if primitive.arity == 1 else binary
    operate.__annotations__ = {"self": "Tensor", "other": "ArrayLike", "return": "Tensor"}
    pointwise = primitive.kind == "pointwise"
    operate.__doc__ = manual(primitive) if pointwise else f"{primitive.summary}."
    return _compiled(operate, primitive, reflected)
