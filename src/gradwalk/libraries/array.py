"""`LibraryArray`: an array of another library, as the rules of the table compute with it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from math import prod
from types import CodeType
from typing import Any, Final

import numpy as np

from ..core.array_primitive import per_primitive
from ..core.carrier import Carrier
from ..core.places import is_passed, runs_inside
from ..core.primitive import Primitive
from ..errors import GradwalkError, NotANumberError, OptionError, SilentDetachError, SizeError
from ..ops.array.evaluation import FLOAT64_RULES, OWN_PRECISION, UFUNCS
from ..ops.array.structural_zero import StructuralZero
from .constants import constant
from .held import CONVERSION, Held, Operand, Raw, joint, lacking, two_places
from .places import Place, expect_memory, place_of
from .ufuncs import INFIX, REDUCTIONS, function_for, loop_of

__all__ = ["FORWARDS", "FUNCTIONS", "LibraryArray", "apply", "array_of", "at_one_place"]
__all__ += ["RULES", "evaluate", "rules_in_library"]

FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""NumPy's functions that are no ufuncs, on a `LibraryArray`; `functions` fills this."""

FORWARDS: dict[Primitive, Callable[..., Any]] = {}
"""Operations that are written otherwise for NumPy, in place; `adapters` fills this."""

OWN: dict[tuple[str, Primitive], Callable[..., Any]] = {}
"""Operations that a library has as a whole; `own` fills this. ``None`` leaves a call to others."""

OWN_RULES: dict[tuple[str, Primitive], tuple[Callable[..., Any] | None, ...]] = {}
"""Rules that a library has as a whole, one per argument; ``None`` for that of the table."""

TAKE_NUMBERS = ("jax", "cupy")
"""Libraries whose functions take a number of Python beside arrays, in the dtype of these."""

RULES: set[CodeType] = set()
"""The functions that run rules of the table: what these compute with may be constants of NumPy."""

MISSING = (AttributeError, TypeError, RuntimeError, ValueError, MemoryError)
"""What a library raises for what it cannot do: `NotImplementedError` is among them."""

SCALARS = (bool, int, float, np.generic)


class LibraryArray(Held):
    """An array of another library with NumPy's names and dtypes. It never changes.

    ``raw`` is the array of the library, ``place`` its library and device.
    """

    __slots__ = ()

    @classmethod
    def _apply(
        cls,
        primitive: Primitive,
        args: tuple[Any, ...],
        options: dict[str, Any] = {},  # noqa: B006
    ) -> Operand:
        return evaluate(primitive, args, options)

    def __iter__(self) -> Iterator[LibraryArray]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> LibraryArray:
        take = FUNCTIONS["getitem"]
        return take(self, key)  # type: ignore[no-any-return]

    def counted(self, n: int) -> LibraryArray:
        """Return 0, 1, 2, ... where this array lies."""
        place = self.place
        return LibraryArray(
            place.xp.arange(n, dtype=place.dtype(np.int64), device=place.device), place
        )

    def scattered(self, key: Any, shape: tuple[int, ...]) -> LibraryArray:
        """Return zeros of ``shape`` with this array at ``key``."""
        return FUNCTIONS["scatter"](self, key, shape)  # type: ignore[no-any-return]

    def added_at(self, key: Any, part: LibraryArray) -> LibraryArray:
        """Return this array with a part added at ``key``; nothing else may refer to this one."""
        return FUNCTIONS["added_at"](self, key, part)  # type: ignore[no-any-return]

    def written(self, key: Any, v: Operand) -> LibraryArray:
        """Return a copy of this array with ``v`` at ``key``."""
        return FUNCTIONS["update"](self, v, key)  # type: ignore[no-any-return]

    # --- reductions as methods --------------------------------------------------------------------

    def sum(self, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> LibraryArray:
        """Return the sum over some axes."""
        return _reduced(np.add, self, axis=axis, keepdims=keepdims, dtype=dtype)

    def max(self, axis: Any = None, keepdims: bool = False, **how: Any) -> LibraryArray:
        """Return the largest elements."""
        return _reduced(np.maximum, self, axis=axis, keepdims=keepdims, **how)

    def min(self, axis: Any = None, keepdims: bool = False, **how: Any) -> LibraryArray:
        """Return the smallest elements."""
        return _reduced(np.minimum, self, axis=axis, keepdims=keepdims, **how)

    def all(self, axis: Any = None, keepdims: bool = False) -> LibraryArray:
        """Return whether all elements are true."""
        return _reduced(np.logical_and, self, axis=axis, keepdims=keepdims)

    def any(self, axis: Any = None, keepdims: bool = False) -> LibraryArray:
        """Return whether an element is true."""
        return _reduced(np.logical_or, self, axis=axis, keepdims=keepdims)

    def clip(self, min: Any = None, max: Any = None) -> LibraryArray:
        """Return the elements within bounds."""
        low = self if min is None else np.maximum(self, min)
        return low if max is None else np.minimum(low, max)

    # --- NumPy's functions ------------------------------------------------------------------------

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any
    ) -> Operand:
        if any(isinstance(x, Carrier) and type(x) is not LibraryArray for x in inputs):
            return NotImplemented  # a Tensor or a tracer applies a primitive
        if method == "__call__" and not options:
            return apply(ufunc, inputs)
        if method == "reduce" and ufunc.__name__ in REDUCTIONS:
            return _reduced(ufunc, *inputs, **options)
        how = "".join(f", {name}=..." for name in options)
        raise lacking(
            f"numpy.{ufunc.__name__}{'' if method == '__call__' else f'.{method}'}(array{how})",
            self.place,
        )

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Operand:
        known = FUNCTIONS.get(function)
        if known is None:
            raise lacking(f"{function.__module__}.{function.__name__}", self.place)
        return known(*args, **options)


EXACTLY: Final[dict[np.ufunc, Callable[[Any, Any], Any]]] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
    np.true_divide: operator.truediv,
}  # fmt: skip
"""What PyTorch's operators compute of floats of one dtype, and of numbers, as NumPy does."""

OPERANDS: Final[set[type]] = {LibraryArray, float, int}
LARGE: Final = 1 << 53
"""Up to this integers are floats exactly."""


def _operator(ufunc: np.ufunc, reflected: bool = False) -> Callable[..., Any]:
    exactly = EXACTLY.get(ufunc)

    def operate(self: LibraryArray, other: Operand) -> Operand:
        kind = type(other)
        if exactly is not None and kind in OPERANDS:  # 3 µs less
            raw = _beside(self, other)
            if raw is not None:
                try:
                    found = exactly(raw, self.raw) if reflected else exactly(self.raw, raw)
                    return self._with(found)
                except RuntimeError as error:
                    raise _misfit(ufunc.__name__, (self, other), self.place, error) from error
        if not isinstance(other, (LibraryArray, np.ndarray, *SCALARS)):
            return NotImplemented
        return apply(ufunc, (other, self) if reflected else (self, other))

    return operate


def _beside(x: LibraryArray, other: Operand) -> Any:
    """Return the operand that PyTorch takes beside floats, or ``None``."""
    dtype = x.dtype
    if dtype.kind != "f" or x.place.library != "torch":
        return None
    if type(other) is not LibraryArray:
        return float(other) if type(other) is float or abs(other) < LARGE else None
    same = other.place is x.place and (other.dtype is dtype or other.dtype == dtype)
    return other.raw if same else None


for _name, _ufunc in {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "pow": np.power, "matmul": np.matmul,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}.items():  # fmt: skip
    setattr(LibraryArray, f"__{_name}__", _operator(_ufunc))
    setattr(LibraryArray, f"__r{_name}__", _operator(_ufunc, reflected=True))
for _name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
    setattr(LibraryArray, f"__{INFIX[_name].__name__}__", _operator(getattr(np, _name)))
for _name, _ufunc in {"neg": np.negative, "abs": np.abs, "invert": np.invert}.items():
    setattr(LibraryArray, f"__{_name}__", lambda self, f=_ufunc: apply(f, (self,)))
LibraryArray.__hash__ = object.__hash__  # type: ignore[method-assign]


def array_of(x: Raw) -> LibraryArray:
    """Return an array of another library as the table computes with it."""
    if getattr(x, "requires_grad", False):
        raise SilentDetachError(
            where="Tensor(data)",
            expected="plain numbers",
            got=f"an array of shape {tuple(x.shape)} whose gradient would be lost silently",
            fix="Pass x.detach() for the numbers alone.",
        )
    if getattr(x, "is_sparse", False):
        raise NotANumberError(
            where="Tensor(data)",
            expected="a dense array",
            got=f"one of layout {x.layout}",
            fix="Pass x.to_dense().",
        )
    return LibraryArray(x, place_of(x))


def _shared(args: tuple[Any, ...]) -> Place:
    """Return the one place of the arguments. Raise `OptionError` if they lie in two."""
    place = None
    for arg in args:
        if type(arg) is LibraryArray and arg.place is not place:
            place = arg.place if place is None else joint("an operation", place, arg.place)
    assert place is not None
    return place


def at_one_place(where: str, raws: list[Operand], args: Sequence[Any]) -> list[Operand]:
    """Return operands in one place. Raise `OptionError` for two; numbers belong to every place.

    So do the arrays that rules of the table and functions make of shapes: they are put there.
    """
    place = None
    for raw in raws:
        if type(raw) is not LibraryArray:
            if type(raw) is not float:
                break
        elif place is None:
            place = raw.place
        elif raw.place is not place:
            break
    else:
        return raws
    place = next(raw.place for raw in raws if type(raw) is LibraryArray)
    found = []
    for raw, arg in zip(raws, args, strict=True):
        if type(raw) is LibraryArray:
            place = joint(where, place, raw.place)
        elif getattr(raw, "ndim", 0) and raw.dtype.kind != "b":  # a mask belongs to every place
            ours = getattr(arg, "_node", None) is None and not is_passed(arg)
            if not (ours or runs_inside(RULES)):
                raise two_places(where, place, "numpy")
            raw = LibraryArray(place.put(raw), place)
        elif hasattr(raw, "dtype"):  # a number of NumPy, whose dtype takes part in promotion
            raw = LibraryArray(place.put(raw), place)
        found.append(raw)
    return found


# --- evaluation -----------------------------------------------------------------------------------


def apply(ufunc: np.ufunc, args: tuple[Any, ...]) -> Operand:
    """Return a ufunc of NumPy on arrays of a library, in the dtypes that NumPy computes in."""
    place, name = _shared(args), ufunc.__name__
    function = function_for(place, name)
    if function is None:
        raise lacking(name, place)
    kinds = tuple(
        [
            a.dtype if isinstance(a, (LibraryArray, np.ndarray, np.generic)) else type(a)
            for a in args
        ]
    )
    loop = loop_of(ufunc, kinds)
    weak = name in INFIX or place.library in TAKE_NUMBERS
    if place.library == "torch" and name in ("maximum", "minimum"):
        cut = _cut(name, args)
        if cut is not None:
            return cut
    beside = next(a.raw for a in args if type(a) is LibraryArray)
    raws = [_operand(a, kind, place, weak, beside) for a, kind in zip(args, loop, strict=False)]
    try:
        return LibraryArray(function(*raws), place)
    except (RuntimeError, ValueError, TypeError, MemoryError) as error:
        raise _misfit(name, args, place, error) from error


def _cut(name: str, args: tuple[Any, ...]) -> LibraryArray | None:
    """Return the larger or smaller of an array and a number, which PyTorch calls otherwise."""
    x, number = args if type(args[0]) is LibraryArray else args[::-1]
    if type(number) not in (int, float) or (x.dtype.kind != "f" and type(number) is float):
        return None
    if x.dtype.kind not in "fi":
        return None
    raw = x.raw.clamp(min=number) if name == "maximum" else x.raw.clamp(max=number)
    return LibraryArray(raw, x.place)


def _misfit(name: str, args: tuple[Any, ...], place: Place, error: Exception) -> GradwalkError:
    text = str(error)
    expect_memory(name, place, error)
    if "incompatible devices" in text:  # of JAX: arrays without one device lie somewhere, too
        return OptionError(
            where=name,
            expected="operands on the same devices",
            got=f"two on others ({text.partition(chr(10))[0]})",
            fix="Write jax.device_put(x, sharding) for one of them.",
        )
    kind = SizeError if len(args) > 1 else OptionError
    return kind(
        where=name,
        expected="shapes that fit together" if len(args) > 1 else f"an array {place.library} takes",
        got=f"{' and '.join(str(np.shape(a)) for a in args)} on {place} ({error})",
        fix="Reshape one of them, or convert its dtype first.",
    )


def _operand(
    arg: Operand, dtype: np.dtype[Any], place: Place, weak: bool, beside: Raw = None
) -> Operand:
    """Return an operand of an operation in the dtype that it is computed in."""
    if type(arg) is LibraryArray:
        return arg.raw if arg.dtype == dtype else arg.astype(dtype, copy=False).raw
    if isinstance(arg, np.generic) or (isinstance(arg, np.ndarray) and not arg.ndim):
        arg = arg.item()
    if isinstance(arg, (bool, int, float)):
        number = float(arg) if dtype.kind == "f" else bool(arg) if dtype.kind == "b" else int(arg)
        return number if weak and dtype.kind != "b" else place.full((), number, dtype)
    # constants of a rule, such as masks of a shape
    return constant(arg.astype(dtype, copy=False), place, beside)


def _reduced(
    ufunc: np.ufunc,
    x: LibraryArray,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
) -> LibraryArray:
    """Return ``ufunc.reduce`` by the array API's function."""
    if out is not None:
        raise lacking(f"numpy.{ufunc.__name__}.reduce(out=...)", x.place)
    name, xp = REDUCTIONS[ufunc.__name__], x.place.xp
    if dtype is None and x.dtype.kind == "b" and name in ("sum", "prod"):
        dtype = np.int64
    how: dict[str, Any] = {}
    if dtype is not None and name == "sum" and x.place.library in (*TAKE_NUMBERS, "torch"):
        how["dtype"] = x.place.dtype(dtype)
    elif dtype is not None:
        x = x.astype(dtype, copy=False)
    if name in ("all", "any") and x.dtype.kind != "b":
        x = apply(np.not_equal, (x, 0))
    if axis == ():
        return x if dtype is None else x.astype(dtype, copy=False)
    axis = axis if axis is None or isinstance(axis, tuple) else (axis,)
    lost = range(x.ndim) if axis is None else [i % x.ndim for i in axis]
    if name in ("max", "min") and not prod(x.shape[i] for i in lost):  # NumPy has checked the rest
        shape = [1 if i in lost else n for i, n in enumerate(x.shape) if keepdims or i not in lost]
        fill = initial if initial is not None else 0
        return x._with(x.place.full(tuple(shape), fill, x.dtype))
    if name == "prod" and axis is not None and len(axis) > 1:
        for i in sorted(lost):
            x = x._with(xp.prod(x.raw, axis=i, keepdims=True))
        return x if keepdims else x.squeeze(tuple(lost))
    if name == "prod" and axis is not None:
        axis = axis[0]
    y = getattr(xp, name)(x.raw, axis=axis, keepdims=keepdims, **how)
    found = x._with(y)
    if initial is None or initial in (-np.inf, np.inf):
        return found
    return apply(ufunc, (found, initial))  # type: ignore[no-any-return]


def evaluate(primitive: Primitive, args: tuple[Any, ...], options: dict[str, Any]) -> Operand:
    """Return a primitive on arrays of a library. Raise an error of ours for what it lacks."""
    try:
        library = ""
        for arg in args:
            if type(arg) is LibraryArray:
                library = arg.place.library
                break
        own = OWN.get((library, primitive))
        found = None if own is None else own(*args, **options)
        return operation_of(primitive)(*args, **options) if found is None else found
    except GradwalkError as error:
        if error.where is not CONVERSION:
            raise
        raise lacking(primitive.name, _shared(args)) from error
    except MISSING as error:
        expect_memory(primitive.name, _shared(args), error)
        raise lacking(primitive.name, _shared(args), error) from error


@per_primitive
def rules_in_library(primitive: Primitive, library: str) -> tuple[Any, ...]:
    """Return the rules of a primitive on arrays of a library: its own, or those of the table."""
    usual, own = _rules_of(primitive), OWN_RULES.get((library, primitive))
    if own is None:
        return usual
    return tuple([f or rule for f, rule in zip(own, usual, strict=True)])


@per_primitive
def _rules_of(primitive: Primitive) -> tuple[Any, ...]:
    """Return the rules of a primitive, in the precision in which NumPy's arrays take them."""
    if primitive.kind != "pointwise" or primitive.name in OWN_PRECISION:
        return primitive.rules
    return tuple([rule and _in_float64(rule) for rule in primitive.rules])


@per_primitive
def operation_of(primitive: Primitive) -> Callable[..., Any]:
    """Return the operation of a primitive on arrays of any library."""
    adapted = FORWARDS.get(primitive)
    if adapted is not None:
        return adapted
    if primitive.kind != "pointwise":
        return primitive.forward
    found = UFUNCS.get(primitive.name)
    if primitive.name in OWN_PRECISION | FLOAT64_RULES and found is not None:
        return found
    return (
        (primitive.forward if found is None else found)
        if (primitive.name in OWN_PRECISION)
        else _in_float64(found or primitive.forward)
    )


def _in_float64(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``f`` computed in float64 and rounded once, as NumPy's arrays are."""

    def run(*args: Any) -> Operand:
        kinds = [a.dtype for a in args if isinstance(a, (LibraryArray, np.ndarray, np.generic))]
        dtype = np.result_type(*kinds)
        dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
        if all(kind == np.float64 for kind in kinds):
            return f(*args)
        y = f(*[a.astype(np.float64) if hasattr(a, "astype") else a for a in args])
        if type(y) is StructuralZero:
            return StructuralZero(y.data.astype(dtype, copy=False), y.mask)
        return None if y is None else y.astype(dtype, copy=False)

    return run
