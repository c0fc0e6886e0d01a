"""Rules on large arrays, block by block: chains of them between two touches of memory.

A rule of three operations makes three passes over memory when NumPy evaluates it, and a fourth one
adds its contribution to others. A `Chain` records what is to be computed. native/chain.h takes 512
elements through all of it, and then the next 512. Results without a reference when it runs are
never written to memory. The loops are printed from the table, and give the bits that NumPy gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import prod
from typing import Any
from weakref import ref

import numpy as np

from ... import native
from ...core.array_primitive import per_primitive
from ...core.primitive import Primitive
from ...ops.array.structural_zero import StructuralZero, elements_of
from ..graph.node import CONSTANT_NODE, Node

__all__ = [
    "Chain",
    "Lazy",
    "compute",
    "vjp_kinds",
    "kind_of",
    "jvp_kinds",
]

FLOAT64, BOOL = np.dtype(np.float64), np.dtype(np.bool_)
LARGE = 1024
"""Numbers from which on a step of a chain is cheaper than to run a rule."""
RULE, ADD, EMPTY, BOTH, EITHER = range(5)  # as in native/chain.h
ARGUMENTS = 5  # t, y and three arguments
NONE = (-1,) * ARGUMENTS
NOWHERE: Mapping[int, Any] = {}
_ndarray = np.ndarray


class Lazy:
    """Numbers, or a mask of them, that a chain is going to compute."""

    __slots__ = ("__weakref__", "_array", "chain", "is_mask", "register")

    chain: Chain
    is_mask: bool
    register: int

    def __init__(self, chain: Chain, register: int, is_mask: bool) -> None:
        self.chain, self.register, self.is_mask, self._array = chain, register, is_mask, None

    @property
    def array(self) -> Any:
        """The array; the chain runs if it has not yet."""
        if self._array is None:
            self.chain.run()
        return self._array

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.chain.shape


class Chain:
    """What is to be computed on arrays of one shape."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self._clear()

    def _clear(self) -> None:
        self.steps: list[Any] = []
        self.given: list[Any] = []
        self.masks: list[bool] = []
        self.results: list[Any] = []  # weak: results without a reference are not written to memory
        self.known: dict[int, int] = {}  # by id: arrays are compared by identity
        self.alive: list[Any] = []

    def _register(self, given: object, is_mask: bool) -> int:
        self.given.append(given)
        self.masks.append(is_mask)
        return len(self.given) - 1

    def _result(self, is_mask: bool = False) -> Lazy:
        lazy = Lazy(self, self._register(None, is_mask), is_mask)
        self.results.append(ref(lazy))
        return lazy

    def register(self, x: Any, is_mask: bool = False) -> int:
        """Return the register of ``x``: an array, a number, or an earlier result; -1 if it has
        none.
        """
        kind = type(x)
        if kind is Lazy:
            if x._array is None and x.chain is self:  # not yet computed, and of this shape
                return x.register  # type: ignore[no-any-return]
            x = x.array
        elif kind is not _ndarray:
            return self._register(x, False) if isinstance(x, (float, int)) else -1
        found = self.known.get(id(x))
        if found is None:
            self.alive.append(x)  # as long as its id is known
            found = self.known[id(x)] = self._register(readable(x), is_mask)
        return found

    def _places(self, xs: Sequence[Any], bits: int) -> list[int]:
        """Return the registers of t, the result and the arguments, as far as a rule reads them."""
        places = [self.register(x) if bits >> i & 1 else -1 for i, x in enumerate(xs)]
        # the steps of native/chain.h have room for a fixed number of operands
        return places if len(xs) == ARGUMENTS else places + [-1] * (ARGUMENTS - len(xs))

    def contribution(self, primitive: Any, index: int, at: Sequence[Any]) -> tuple[Lazy, Any]:
        """Return the contribution of a rule, and its mask (``None`` if it has none)."""
        kind, bits = kind_of(primitive, index)
        contribution = self._result()
        mask = self._result(True) if kind == "mask" else None
        second = -1 if mask is None else mask.register
        # a mask compares its arguments, so it reads all of them
        places = self._places(at, -1 if kind == "mask" else bits)
        self.steps.append(
            (RULE, primitive, index, *places, *NONE, *NONE, contribution.register, second)
        )
        return contribution, mask

    def pair(
        self, primitive: Any, index: int, at: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Lazy, Lazy]:
        """Return the contribution of an arithmetic rule, and its tangent.

        ``tangents`` has the tangents of t, of the result and of the arguments.
        """
        bits = kind_of(primitive, index)[1]
        registers = self._places([elements_of(t) for t in tangents], bits)
        masks = [self.register(t.mask, True) if type(t) is StructuralZero else -1 for t in tangents]
        contribution, tangent = self._result(), self._result()
        self.steps.append(
            (
                RULE, primitive, index, *self._places(at, bits), *registers,
                *masks, *NONE[len(masks) :], contribution.register, tangent.register,
            )
        )  # fmt: skip
        return contribution, tangent

    def _combine(self, what: int, a: Any, b: Any, masks: tuple[bool, bool, bool]) -> Lazy:
        result = self._result(masks[2])
        first, second = self.register(a, masks[0]), self.register(b, masks[1])
        places = (first, second, -1, -1, -1, *NONE, *NONE, result.register, -1)
        self.steps.append((what, None, 0, *places))
        return result

    def add(self, a: Any, b: Any) -> Lazy:
        """Return a + b."""
        return self._combine(ADD, a, b, (False, False, False))

    def fill_zeros(self, x: object, mask: Any) -> Lazy:
        """Return ``x`` with zeros where it is masked."""
        return self._combine(EMPTY, x, mask, (False, True, False))

    def any_masked(self, a: Any, b: Any) -> Lazy:
        """Return a mask that is true where one of two masks is."""
        return self._combine(BOTH, a, b, (True, True, True))  # open where both are

    def all_masked(self, a: Any, b: Any) -> Lazy:
        """Return a mask that is true where both masks are."""
        return self._combine(EITHER, a, b, (True, True, True))  # open where either is

    def run(self, places: Mapping[int, Any] = NOWHERE) -> None:
        """Compute the results that are still referenced, and drop the others.

        ``places`` has arrays to write the results of some registers into.
        """
        wanted: list[Any] = [None] * len(self.given)
        # results that died are not wanted, and neither are the steps that led to them alone
        for lazy in [lazy for result in self.results if (lazy := result()) is not None]:
            room = places.get(lazy.register)
            if room is None:
                room = np.empty(self.shape, np.bool_ if lazy.is_mask else np.float64)
            lazy._array = wanted[lazy.register] = room
        steps, given, masks = self.steps, self.given, self.masks
        self._clear()
        native.engine.run_chain(steps, given, wanted, masks)


def readable(x: Any) -> Any:
    """Return what a kernel reads for an array: contiguous elements, or one repeated number."""
    # strides of 0 are one repeated number (the gradient of a sum): no need to write it out
    if x.flags.c_contiguous:
        return x
    return x[(0,) * x.ndim] if x.size and not any(x.strides) else np.ascontiguousarray(x)


def compute(x: object) -> Any:
    """Return ``x`` with arrays instead of pending results."""
    if type(x) is StructuralZero:
        mask = compute(x.mask)
        # an empty mask would make every later rule pay for it
        return StructuralZero(compute(x.data), mask) if mask.any() else compute(x.data)
    return x.array if type(x) is Lazy else x


# --- where chains fit -----------------------------------------------------------------------------


@per_primitive
def kind_of(primitive: Primitive, index: int) -> Any:
    """Return how a chain computes the contribution to an argument; ``None`` if it cannot.

    It is "loop", "mask" (the rule masks) or "pass" (it returns t), with the bits of those among t,
    y and the arguments whose tangents the contribution depends on.
    """
    known = (
        native.engine is not None
        and primitive.kind == "pointwise"
        and primitive.rules[index] is not None
    )
    return native.engine.rule_kind(primitive, index) if known else None


@per_primitive
def _kinds(primitive: Primitive, wanted: tuple[bool, ...]) -> Any:
    """Return the kinds of the wanted arguments that have rules; ``None`` if one has no kind."""
    if native.engine is None or primitive.kind != "pointwise":
        return None
    rules = zip(primitive.rules, wanted, strict=True)
    # a chain computes all contributions of a node, or none of them
    kinds = [kind_of(primitive, i) if rule and w else "" for i, (rule, w) in enumerate(rules)]
    return None if None in kinds else tuple([kind or None for kind in kinds])


@cache
def _is_large(shape: tuple[int, ...]) -> bool:
    return prod(shape) >= LARGE


def is_readable(node: Node) -> bool:
    """Return whether a chain can read the residuals of a node, and is faster for them."""
    if node.dtype is not FLOAT64 or not _is_large(node.shape):
        return False
    for x in node.saved:
        if type(x) is np.ndarray:
            # kernels broadcast single numbers only
            if x.shape != node.shape and (x.size != 1 or x.ndim > len(node.shape)):
                return False
            if x.dtype is not FLOAT64 and x.dtype is not BOOL:
                return False
        elif isinstance(x, np.generic) and x.dtype is not FLOAT64:
            return False
    return True


def vjp_kinds(node: Node) -> Any:
    """Return the kinds of the contributions, if a chain can compute them all in the node's shape.

    The kind is ``None`` for an operand without a contribution.
    """
    wanted = tuple([parent is not CONSTANT_NODE for parent in node._inputs])
    kinds = _kinds(node._primitive, wanted)
    if kinds is None or not is_readable(node):
        return None
    for kind, parent in zip(kinds, node._inputs, strict=True):
        # a broadcast operand needs a sum, for which chains have no step
        if kind and (parent.shape != node.shape or parent.dtype is not FLOAT64):
            return None
    return kinds


def jvp_kinds(node: Node, tangents: Sequence[Any]) -> Any:
    """Return the kinds of operands with tangents, if a chain can compute the tangent of the
    node.
    """
    kinds = _kinds(node._primitive, tuple([t is not None for t in tangents]))
    if kinds is None or not is_readable(node):
        return None
    for kind, t in zip(kinds, tangents, strict=True):
        numbers = elements_of(t)
        if kind and type(numbers) is Lazy:
            if numbers.chain.shape != node.shape:  # it would have to be broadcast
                return None
        elif kind and not (
            type(numbers) is np.ndarray and numbers.shape == node.shape and numbers.dtype is FLOAT64
        ):
            return None
    return kinds
