"""Fast functions for the usual operands: recording adds 0.9 µs to NumPy's own time.

`Tensor._apply` accepts any primitive and any operands, and takes 3.5 µs longer. The functions here
are made once per primitive, so that facts about it are looked up once. With the native engine they
only serve as the reference implementation: native/tensor/operator.h takes 0.4 µs, with options of
whole-array primitives and arrays of NumPy as operands too.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from ... import native
from ...core.array_primitive import per_primitive, residual_flags
from ...core.carrier import Carrier
from ...core.expect import is_number
from ...core.places import line_of_caller
from ...core.primitive import MASK_IF, PASS_IF, Primitive
from ...engine.node import recording
from ...engine.observing import observers, tensor_hooks
from ...engine.operators import manual
from ...errors import NotANumberError
from ...levels.programs import RECORDERS
from ...ops.array.evaluation import function_at_user_line, function_of
from .convert import REFUSALS, refuse
from .node import CONSTANT_NODE, Node, keep_constant

__all__ = ["binary", "compiled", "operation", "quick", "reflected_binary", "unary"]

_ndarray = np.ndarray
_new_node = Node.__new__


compiled: Any = native.load("_tensor")
"""The compiled operators and backward pass, or ``None``."""
if compiled is not None:
    compiled.observe(bool(observers))
    tensor_hooks.append(compiled.observe)


def compiled_operator(
    operate: Callable[..., Any], primitive: Primitive, keeps: Any, reflected: bool = False
) -> Callable[..., Any]:
    """Return ``operate``, compiled if possible; ``keeps`` has a tuple of flags per set of
    operands. With ``reflected`` the second argument of a call is the first operand.
    """
    operate.__name__ = operate.__qualname__ = primitive.name
    if compiled is None:
        return operate
    f = function_of(primitive)
    return compiled.operator(  # type: ignore[no-any-return]
        operate, f, primitive, keeps, primitive.differentiable, reflected
    )


def _document(operate: Callable[..., Any], primitive: Primitive) -> Callable[..., Any]:
    """Give ``operate`` the manual page of its primitive."""
    operate.__doc__ = (
        manual(primitive) if primitive.kind == "pointwise" else f"{primitive.summary}."
    )
    return operate


def unary(primitive: Primitive, cls: Any) -> Callable[[Any], Any]:
    """Return the method of ``cls`` that applies a primitive of one argument."""
    f, new = (
        function_at_user_line(primitive),
        cls.__new__,
    )  # __init__ would check and copy the array
    keep_y, keep_x = residual_flags(primitive, (True,))
    differentiable = primitive.differentiable

    def operate(self: Any) -> Any:
        if type(self) is not cls and isinstance(self, Carrier):  # a tracer has a transform apply it
            return primitive(self)
        if observers or RECORDERS:  # a compiled function may close over the Tensor
            return cls._record(primitive, (self,), {})
        x, node = self._data, self._node
        try:
            data = f(x)
        except REFUSALS as error:
            refuse(primitive, (x,), error)
        if type(data) is not _ndarray:  # NumPy returns scalars for 0-d arrays
            data = np.asarray(data)
        result = new(cls)
        result._data, result._alias = data, None
        # `paused` is thread-local storage, so it is read only if some thread is inside no_grad
        if node is None or not differentiable or (recording.blocks and recording.paused):
            result._node = None
            return result
        # the slots are set one by one, because a call of Node.__init__ would cost more than they do
        result._node = made = _new_node(Node)
        made._primitive, made._inputs, made.shape, made.dtype = (
            primitive,
            (node,),
            data.shape,
            data.dtype,
        )
        made.saved = (data if keep_y else None, x if keep_x else node)
        made.grad = None
        made.line = line_of_caller()
        return result

    keeps = (residual_flags(primitive, (False,)), (keep_y, keep_x))
    return compiled_operator(_document(operate, primitive), primitive, keeps)


def binary(primitive: Primitive, cls: Any) -> Callable[[Any, Any], Any]:
    """Return the operator of ``cls`` for a primitive of two arguments."""
    f, new, general = function_at_user_line(primitive), cls.__new__, cls._record
    # for each set of operands with gradients: rules are read here once, and not in every call
    keeps = {
        (a, b): residual_flags(primitive, (a, b)) for b in (False, True) for a in (False, True)
    }
    constant, differentiable = CONSTANT_NODE, primitive.differentiable
    equality = primitive.name in ("equal", "not_equal")

    def operate(self: Any, other: Any) -> Any:
        tracer = RECORDERS or (type(self) is not cls and isinstance(self, Carrier))
        if type(other) is cls and not tracer:
            b, node_b = other._data, other._node
        # exact types: float32 * 2.0 stays float32, but np.float64, a float too, is not weak
        elif (type(other) is float or type(other) is int) and not tracer:
            b, node_b = other, None
        else:
            if getattr(other, "__array_ufunc__", True) is None:  # as NumPy, leave it to other
                return NotImplemented
            try:
                return general(primitive, (self, other), {})
            except NotANumberError:
                if equality and is_number(other):  # else Python would answer False
                    raise
                return NotImplemented
        if observers:
            return general(primitive, (self, other), {})
        a, node_a = self._data, self._node
        try:
            data = f(a, b)
        except REFUSALS as error:
            refuse(primitive, (a, b), error)
        if type(data) is not _ndarray:
            data = np.asarray(data)
        result = new(cls)
        result._data, result._alias = data, None
        flows = differentiable and not (node_a is None and node_b is None)
        if not flows or (recording.blocks and recording.paused):
            result._node = None
            return result
        result._node = made = _new_node(Node)
        keep_y, keep_a, keep_b = keeps[node_a is not None, node_b is not None]
        made._primitive, made._inputs = primitive, (node_a or constant, node_b or constant)
        made.shape, made.dtype = data.shape, data.dtype
        made.saved = (
            data if keep_y else None,
            # what no rule reads is replaced by its node, or kept for pictures if it is a constant
            a if keep_a else node_a or keep_constant(a),
            b if keep_b else node_b or keep_constant(b),
        )
        made.grad = None
        made.line = line_of_caller()
        return result

    return compiled_operator(_document(operate, primitive), primitive, tuple(keeps.values()))


def operation(primitive: Primitive, cls: Any) -> Callable[..., Any]:
    """Return a primitive of any arity as a function of Tensors and its options."""

    def operate(*args: Any, **options: Any) -> Any:
        return cls._record(primitive, args, options)

    variadic = getattr(primitive, "variadic", False)
    several = getattr(primitive, "outputs", 1) > 1
    if not (variadic or 1 <= primitive.arity <= 3) or several or primitive in (PASS_IF, MASK_IF):
        return operate  # which give structural zeros or several results, not a Tensor
    if variadic:  # its one rule reads all operands or none
        return compiled_operator(operate, primitive, (residual_flags(primitive, (True,)),))
    return compiled_operator(operate, primitive, _patterns(primitive))


def _patterns(primitive: Primitive) -> tuple[Any, ...]:
    """Return the flags for each set of operands with gradients: the first operand is bit 0."""
    flags = product(*[(False, True)] * primitive.arity)
    return tuple([residual_flags(primitive, pattern[::-1]) for pattern in flags])


quick: Callable[[Primitive, Any], Callable[..., Any]] = per_primitive(operation)


def reflected_binary(primitive: Primitive, cls: Any) -> Callable[[Any, Any], Any]:
    """Return the operator with the Tensor on the right."""
    short = operation(primitive, cls)

    def operate(self: Any, other: Any) -> Any:
        if type(other) is float or type(other) is int:  # 2.0 * t
            return short(other, self)
        try:
            return cls._record(primitive, (other, self), {})
        except NotANumberError:
            return NotImplemented

    return compiled_operator(operate, primitive, _patterns(primitive), reflected=True)
