"""The primitives of black boxes: one for each number, or one for all results with arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from ...core.array_primitive import ArrayPrimitive
from ...core.backend import arrays
from ...core.carrier import carrier_among, is_tensor
from ...core.primitive import PRIMITIVES, Primitive
from ...engine.node import recording
from ...engine.scalar import Scalar
from ...errors import OptionError
from ...levels.jvp import JVPLevel
from ...levels.level import Tracer, leaked, unwrap
from ...levels.vmap import VmapLevel
from ..arguments import zeros_like

__all__ = [
    "JointPrimitive",
    "NumberPrimitive",
    "acts_as_number",
    "is_floating",
    "is_number",
    "numbers_of",
]


def is_floating(x: object) -> bool:
    """Return whether ``x`` is a number or an array that has derivatives."""
    dtype = getattr(x, "dtype", None)
    return isinstance(x, (float, Scalar)) if dtype is None else dtype.kind == "f"


def is_number(x: object) -> bool:
    """Return whether ``x`` is one number, not an array without axes."""
    return isinstance(x, (float, Scalar))


def acts_as_number(x: Any) -> bool:
    """Return whether a black box gets ``x`` as a float, even if it has become a Tensor."""
    # 8 bytes: a float that has met Tensors; a float32 without axes remains an array
    return is_number(x) or (is_tensor(x) and x.shape == () and x.dtype.itemsize == 8)


def numbers_of(x: object, number: bool) -> Any:
    """Return the plain content of ``x``, as a float or as an array.

    Of a batch it is the first example: black boxes take one at a time.
    """
    batches = 0
    while isinstance(x, Tracer):
        batches += isinstance(x._level, VmapLevel)
        x = x._primal
    raw = unwrap(x)
    if number and not batches:
        return float(raw)
    import numpy as np

    raw = np.asarray(raw)  # which refuses arrays of other libraries
    raw = raw[(0,) * batches] if batches else raw
    return float(raw) if number else np.asarray(raw)


class NumberPrimitive(Primitive):
    """One result of one call on numbers. Its rules multiply by a derivative, in both modes."""

    __slots__ = ("call", "index")

    call: Any
    index: int

    def __init__(self, call: Any, index: int) -> None:
        count = len(call.numbers)
        rules = tuple([partial(_slope, call, index, i) for i in range(count)])
        params = " ".join([f"x{i}" for i in range(count)])
        super().__init__(call.box.name, rules, forward=partial(_number, call, index), params=params)
        self.call, self.index = call, index
        self.evaluate = self.forward  # once, whatever it raises
        _unlist(self)

    def contributions(self, t: object, y: object, args: Sequence[Any]) -> list[Any]:
        """Return the contributions to all arguments together."""
        return _contributions(self.call, self.index, t, y, args)

    def __call__(self, *args: Any) -> Any:
        """Apply the primitive. In forward mode, compute all tangents at once."""
        level = getattr(carrier_among(args), "_level", None)
        if getattr(level, "looks_inside", False) and (ys := self.call.inside(args)):
            return ys[self.index]
        if not isinstance(level, JVPLevel):
            return super().__call__(*args)
        # all tangents in one call: rule by rule, the user's derivative would run once per argument
        raws, dxs = _split_tangents(level, self.name, args)
        y = self(*raws)
        if recording.paused:
            return y
        ys = self.call.others(self.index, y, raws)
        t = self.call.box.tangents(self.call, dxs, ys, raws)[self.index]
        return y if t is None else level.box(y, t)

    def __reduce__(self) -> NoReturn:
        raise OptionError(
            where="pickling a graph",
            expected="operations that another program also has",
            got=f"the result of {self.name}, whose derivative is a function of this one",
            fix="Pickle the numbers, y.data, or y.detach().",
        )


def _number(call: Any, index: int, *xs: float) -> Any:
    if carrier_among(xs) is not None:  # one that equals the last numbers would get their result
        raise TypeError(f"{call.box.name} is a black box, which takes floats alone")
    return call.values(xs)[index]


def _slope(call: object, index: int, place: int, t: object, y: object, *args: Any) -> Any:
    return _contributions(call, index, t, y, args)[place]


def _contributions(call: Any, index: int, t: Any, y: Any, args: Sequence[Any]) -> list[Any]:
    # the other results send their gradients through nodes of their own; the pass adds them up
    ts = [t if i == index else 0.0 for i in range(len(call.floats))]
    ys = call.others(index, y, args)
    return call.box.cotangents(call, ts, ys, list(args))  # type: ignore[no-any-return]


class JointPrimitive(ArrayPrimitive):
    """All results of a call on arrays. Rows of two functions differ in their names alone."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        summary = "A function with a derivative of its own"
        facts: dict[str, Any] = {"forward": _evaluate, "params": "xs", "summary": summary}
        # one or several results: compiled code is for what always has one
        super().__init__(name, (_joint,), "general", outputs=2, variadic=True, **facts)
        _unlist(self)

    def __eq__(self, other: object) -> bool:  # caches by primitive hold for all black boxes
        return type(other) is JointPrimitive

    def __hash__(self) -> int:
        return hash(JointPrimitive)

    def __call__(self, *args: Any, call: Any) -> Any:  # type: ignore[override]
        """Apply the primitive. In forward mode, compute all tangents at once."""
        level = getattr(carrier_among(args), "_level", None)
        if getattr(level, "looks_inside", False) and (ys := call.inside(args)):
            return tuple(ys) if len(ys) > 1 else ys[0]
        if not isinstance(level, JVPLevel):
            return super().__call__(*args, call=call)
        raws, dxs = _split_tangents(level, self.name, args)
        y = self(*raws, call=call)
        if recording.paused:  # no_grad: no tangents
            return y
        several = type(y) is tuple
        ys = list(y) if several else [y]
        moved = call.box.tangents(call, dxs, ys, raws)
        pairs = zip(ys, moved, strict=True)
        boxed = [y if t is None else level.box(y, arrays().seed_like(t, y)) for y, t in pairs]
        return tuple(boxed) if several else boxed[0]


def _evaluate(*xs: Any, call: Any) -> Any:
    import numpy as np

    if any(getattr(getattr(x, "dtype", None), "kind", "f") == "O" for x in xs):
        raise TypeError(f"{call.box.name} takes numbers, not sets of them")  # see sparse
    ys = [np.asarray(y) for y in call.values(xs)]
    return tuple(ys) if len(ys) > 1 else ys[0]


def _joint(t: Any, y: Any, *args: Any, index: int, call: Any) -> Any:
    return call.contribution(t, y, args, index)


def _split_tangents(level: Any, name: str, args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return primals and tangents one level down."""
    if not level.is_open:
        raise leaked(level, name)
    raws = level.primals(args)
    given = [a._payload if level.owns(a) else None for a in args]
    found = [t if t is None or is_number(t) else arrays().instantiate_zeros(t) for t in given]
    # rules of users get a tangent for every argument: None is a convention of the engines
    return raws, [zeros_like(x) if t is None else t for t, x in zip(found, raws, strict=True)]


def _unlist(primitive: Primitive) -> None:
    """Remove the primitive of one function from the table, where users look names up."""
    if PRIMITIVES.get(primitive.name) is primitive:  # `is`: users may have one of that name
        del PRIMITIVES[primitive.name]
