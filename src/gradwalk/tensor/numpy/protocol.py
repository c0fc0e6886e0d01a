"""Plain NumPy on Tensors: ``numpy.sin(t)`` and its kin become functions of gradwalk.

NumPy asks the arguments of its functions whether one of them wants to do the work (NEP 13 and
NEP 18). A Tensor does, by the tables below. What stands in no table is refused, for to convert the
Tensor to an array would lose its gradient in silence.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

from ...core.expect import describe
from ...engine.operators import METHODS
from ...errors import NotANumberError, OptionError
from ...levels.vmap import varies
from ...ops import TABLE
from ...ops.array.evaluation import UFUNCS as FORWARD
from .. import functions
from ..functions.types import Operand
from ..functions.varying import stand_in
from ..graph.detaching import INSTEAD, called
from ..graph.tensor import Tensor
from . import namespace
from .functions_of_numpy import COMPOSED, PLAIN, REDUCTIONS, RENAMED, UFUNCS
from .functions_of_scipy import SPECIAL, is_scipys

__all__ = ["array_function", "array_ufunc", "implements"]

Function = Callable[..., Any]
_known: dict[Function, Function] = {}


def implements(function: Function) -> Callable[[Function], Function]:
    """Register an implementation of a NumPy function, or of any ufunc, for Tensors.

    The decorated function gets the same arguments; write it in functions of gradwalk.

    >>> import numpy as np
    >>> @implements(np.ldexp)
    ... def ldexp(x, exponent):
    ...     return x * 2.0**exponent
    >>> np.ldexp(Tensor([3.0]), 2)
    Tensor([12.])
    """

    def register(handler: Function) -> Function:
        _known[function] = handler
        return handler

    return register


# --- what NumPy calls -----------------------------------------------------------------------------


def array_ufunc(
    self: Tensor, ufunc: np.ufunc, method: str, *inputs: object, **options: object
) -> object:
    """Apply ``ufunc`` to ``inputs``, of which at least one is a Tensor."""
    name = _name(ufunc)
    if method != "__call__":
        return _method(ufunc, method, name, inputs, options)
    _refuse(name, options)
    return (_known.get(ufunc) or _ufunc(ufunc))(*inputs)  # what users register comes first


def array_function(
    self: object,
    function: Callable[..., Any],
    types: object,
    args: Sequence[Any],
    options: dict[str, Any],
) -> object:
    """Apply ``function`` to arguments that include a Tensor."""
    return (_known.get(function) or _function(function))(*args, **options)


def _namespace(self: Tensor, *, api_version: str | None = None) -> ModuleType:
    """Return the functions of the array API that accept Tensors: the module `namespace`."""
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise OptionError(
            where="__array_namespace__(api_version)",
            expected='"2024.12" or an earlier version',
            got=describe(api_version),
            fix="Leave it out.",
        )
    return namespace


HOOKS: dict[str, Any] = {
    "__array_ufunc__": array_ufunc,
    "__array_function__": array_function,
    "__array_namespace__": _namespace,
}


# --- ufuncs ---------------------------------------------------------------------------------------


def _target(name: str) -> Function:
    """Return a function of gradwalk by its name: ``"sum"``, ``"linalg.solve"``."""
    place: Any = functions
    for part in name.split("."):
        place = getattr(place, part) if hasattr(place, part) else TABLE[part]
    return place


def _name(ufunc: np.ufunc) -> str:
    """Return the qualified name of a ufunc, as far as it is known: "numpy.sin", "erf"."""
    if is_scipys(ufunc):
        return f"scipy.special.{ufunc.__name__}"
    return f"numpy.{ufunc.__name__}" if _is_numpys(ufunc) else ufunc.__name__


def _is_numpys(ufunc: np.ufunc) -> bool:
    return getattr(np, ufunc.__name__, None) is ufunc


@cache
def _ufunc(ufunc: np.ufunc) -> Function:
    """Return gradwalk's function for ``ufunc``: the primitive that NumPy evaluates by it, or a
    named one.
    """
    primitives = {f: TABLE[name] for name, f in FORWARD.items() if name in TABLE}
    if is_scipys(ufunc) and ufunc.__name__ in SPECIAL:
        known = SPECIAL[ufunc.__name__]
        return TABLE[known] if isinstance(known, str) else known
    if not _is_numpys(ufunc):  # the same name elsewhere may mean another function
        return _unknown(_name(ufunc))
    if ufunc.__name__ in UFUNCS:
        return _promoted(ufunc, _target(UFUNCS[ufunc.__name__]))
    primitive = primitives.get(ufunc)
    if primitive is not None and primitive.name in METHODS and primitive.arity == 1:
        return getattr(Tensor, primitive.name)  # the fast way
    if primitive is None and ufunc.__name__ in COMPOSED:
        return _promoted(ufunc, COMPOSED[ufunc.__name__])
    return primitive or _unknown(_name(ufunc))


def _promoted(ufunc: np.ufunc, function: Function) -> Function:
    """Return a function whose integers become what they are in NumPy's own loop of ``ufunc``.

    A composition would promote them in steps: float32 and uint8 by way of float64.
    """
    if ufunc.signature or ufunc.nin + ufunc.nout > 3:
        return function

    def promoted(*args: Any) -> Any:
        kinds = [getattr(getattr(x, "dtype", None), "kind", type(x).__name__) for x in args]
        if "f" in kinds[:1] == kinds or not any(k in ("b", "i", "u") for k in kinds):
            return function(*args)
        try:
            given = [x.dtype if hasattr(x, "dtype") else type(x) for x in args]
            loop = ufunc.resolve_dtypes((*given, None))
        except TypeError:  # NumPy has no such loop, and the function says what it lacks
            return function(*args)
        return function(*[_as(x, dtype) for x, dtype in zip(args, loop, strict=False)])

    return promoted


def _as(x: Any, dtype: Any) -> Any:
    return x.astype(dtype) if hasattr(x, "dtype") and x.dtype != dtype else x


def _method(
    ufunc: np.ufunc, method: str, name: str, inputs: tuple[Any, ...], options: dict[str, Any]
) -> Operand:
    """Evaluate ``numpy.add.reduce`` and other methods of ufuncs."""
    target = REDUCTIONS.get((ufunc.__name__, method))
    if target:
        # numpy.add.reduce sums over the first axis by default, numpy.sum over all
        axis, keepdims = options.pop("axis", 0), options.pop("keepdims", False)
        _refuse(f"{name}.{method}", options)
        return _target(target)(*inputs, axis=axis, **({"keepdims": True} if keepdims else {}))
    if method == "at" and ufunc is np.add and isinstance(inputs[0], Tensor):
        inputs[0][...] = functions.add_at(*inputs)  # recorded, as every write
        return inputs[0]
    if method == "outer":
        _refuse(f"{name}.outer", options)
        a, b = inputs
        return ufunc(np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b)
    return _unknown(f"{name}.{method}")


# --- functions ------------------------------------------------------------------------------------


@cache
def _function(function: Callable[..., Any]) -> Function:
    """Return gradwalk's function for ``function`` of NumPy."""
    module = (function.__module__ or "numpy").replace("numpy.linalg._linalg", "numpy.linalg")
    name = f"{module}.{function.__name__}".removeprefix("numpy.")
    if name in COMPOSED:
        return _compose(function, f"numpy.{name}", COMPOSED[name])
    if name in PLAIN:  # facts, in which no gradient can be lost
        plain = _stand_in if name in SHAPES else _array_of
        return lambda *args, **options: function(*map(plain, args), **options)
    if name in RENAMED:
        return _translate(function, f"numpy.{name}", RENAMED[name])
    return _unknown(f"numpy.{name}")


def _compose(function: Callable[..., Any], name: str, f: Function) -> Function:
    """Return a call of ``f`` that raises an error for options of NumPy that it does not support."""
    parameters = inspect.signature(f).parameters
    kinds = {p.kind for p in parameters.values()}
    if inspect.Parameter.VAR_KEYWORD in kinds:  # f refuses options itself
        return f
    several = inspect.Parameter.VAR_POSITIONAL in kinds
    others = [] if several else list(inspect.signature(function).parameters)[len(parameters) :]

    def call(*args: Any, **named: Any) -> Operand:
        named |= dict(zip(others, [] if several else args[len(parameters) :], strict=False))
        args = args if several else args[: len(parameters)]
        _refuse(name, {k: v for k, v in named.items() if k not in parameters})
        return f(*args, **{k: v for k, v in named.items() if k in parameters})

    return call


SHAPES = {"shape", "ndim", "size", "result_type"}
"""Functions that look at shapes and dtypes only, which the examples of a batch have in common."""


def _stand_in(x: Operand) -> Operand:
    return stand_in(x) if varies(x) else _array_of(x)


def _array_of(x: Operand) -> Operand:
    return x._data if isinstance(x, Tensor) else x


def _translate(function: Callable[..., Any], name: str, line: str) -> Function:
    """Return a call of ``function`` as one of gradwalk, by a line of `RENAMED`."""
    target, taken = line.split()[0], [word.partition("=") for word in line.split()[1:]]
    defaults = {n: p.default for n, p in inspect.signature(function).parameters.items()}
    f = _target(target)

    def call(*args: Any, **named: Any) -> Any:  # NumPy has checked that they fit its signature
        given = dict(zip(defaults, args, strict=False)) | named
        positional = [given.pop(old) for old, _, new in taken if not new and old in given]
        keywords = {new: given.pop(old) for old, _, new in taken if new and old in given}
        if given:  # options that the table does not have
            _refuse(name, {k: v for k, v in given.items() if not _same(v, defaults.get(k))})
        return f(*positional, **keywords)

    return call


def _same(a: Any, b: Any) -> bool:
    # `==` of arrays has no truth value, and 1 must not pass for True
    return a is b or (type(a) is type(b) and isinstance(a, (str, int)) and a == b)


# --- what is refused ------------------------------------------------------------------------------

_HARMLESS = {"where": True, "casting": "same_kind", "order": "K", "subok": True, "out": None}
_HARMLESS |= {"dtype": None, "initial": None}


def _refuse(name: str, options: dict[str, Any]) -> None:
    """Raise `OptionError` for the first option that would change the result."""
    for option, value in options.items():
        if not (option in _HARMLESS and _same(value, _HARMLESS[option])):
            raise OptionError(
                where=f"{name}({option}=...)",
                expected="a new Tensor for the result"
                if option == "out"
                else "an option that Tensors have too",
                got=f"{option}={describe(value)}",
                fix=_INSTEAD.get(option, "Leave it out, or use the function of gradwalk."),
            )


_INSTEAD = {
    "out": "Write y = f(x) instead of f(x, out=y), and a = a + t instead of a += t.",
    "where": "Write gradwalk.where(condition, f(x), other).",
    "dtype": "Write gradwalk.astype(x, dtype) before or after.",
}


def _unknown(name: str) -> NoReturn:
    if called()[1] in INSTEAD:
        fix = f"Write {INSTEAD[called()[1]]}."
    elif name in WRITERS:
        fix = "Write a = gradwalk.asarray(a) first: Tensors record a[key] = x and a += x."
    elif name.startswith("scipy."):
        fix = f"Give {name} a derivative with gradwalk.custom_rule, or call it on t.numpy()."
    else:
        fix = (
            "Call it on t.numpy() if no gradient is needed, or register an implementation: "
            f"@gradwalk.tensor.numpy.protocol.implements({name})."
        )
    raise NotANumberError(
        where=name,
        expected="plain arrays, because gradwalk does not implement this function",
        got="a Tensor",
        fix=fix,
    )


WRITERS = {f"numpy.{name}" for name in ("copyto", "put", "place", "putmask", "fill_diagonal")}
"""Functions that write into an array."""
