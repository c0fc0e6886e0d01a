"""Calls with the wrong arguments, reported under the names that users know."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, update_wrapper, wraps
from math import inf
from types import FrameType, FunctionType, TracebackType
from typing import Any

from ..errors import GradwalkError, OptionError
from .expect import describe, expect_text
from .ieee import NAMES
from .places import HOME

__all__ = ["arity", "below", "caller", "checked_init", "door", "expect_facts", "expect_function"]
__all__ += ["explain_call", "explain_new", "explain_room", "is_internal", "public", "takes"]
__all__ += ["use_doors"]


def expect_function(f: object, where: str) -> None:
    """Raise `OptionError` for what cannot be called, such as the result of a call."""
    if not callable(f):
        raise OptionError(
            where=where if "(" in where else f"{where}(f)",
            expected="a function",
            got=describe(f),
            fix=f"Write {_FORMS.get(where, f'{where}(f)(x)')}, with f itself instead of f(x).",
        )


_FORMS = {
    "check_grads": "check_grads(f, (x,))",
    "check_gradients": "check_gradients(f, [x])",
    "checkpoint_chain": "checkpoint_chain([f], x)",
    "curve_fit": "curve_fit(f, xs, ys, p0)",
    "custom_rule": "custom_rule(f, vjp=rule)",
    "fixed_point": "fixed_point(f, x)",
    "implicit_function": "implicit_function(f, residual)",
    "implicit_function(residual)": "implicit_function(solve, f)",
    "jvp": "jvp(f, (x,), (tangent,))",
    "kinks": "kinks(f, x)",
    "linearize": "linearize(f, x)",
    "minimize": "minimize(f, x)",
    "odeint": "odeint(f, y0, t)",
    "scan": "scan(f, carry, xs)",
    "solve_ivp": "solve_ivp(f, (t0, t1), y0)",
    "sparse_hessian": "sparse_hessian(f, x)",
    "sparse_jacobian": "sparse_jacobian(f, x)",
    "sparsity": "sparsity(f, x)",
    "taylor": "taylor(f, x, 3)",
    "vjp": "vjp(f, x)",
    "while_loop(cond)": "while_loop(f, body, x)",
    "while_loop(body)": "while_loop(cond, f, x)",
}
"""How functions are passed; the others return a function: ``grad(f)(x)``."""


def arity(f: Callable[..., object]) -> tuple[int, float]:
    """Return the smallest and the largest number of arguments of ``f``, as far as it is known."""
    from inspect import signature  # on demand, because it is slow to import

    try:
        parameters = signature(f).parameters.values()
    except (TypeError, ValueError):  # functions in C do not always have a signature
        return 0, inf
    needed = sum(p.default is p.empty and p.kind < 2 for p in parameters)
    varying = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)
    return needed, inf if varying else len(parameters)


def takes(f: Callable[..., object], more: int, like: Callable[..., object]) -> bool:
    """Return whether ``f`` may take the arguments of ``like`` and so many more in front."""
    (low, high), (least, most) = arity(f), arity(like)
    return low <= more + most and more + least <= high


class _Engine:
    """How doors are made: by the Python code below, or by the compiled engine."""

    door: Any = None


def use_doors(make: Any) -> None:
    """Make doors by the compiled engine: ``make(function, explain)``."""
    _Engine.door = make


def _door_to(function: Callable[..., Any], explain: Callable[..., None]) -> Any:
    """Return a callable that calls ``function``, and ``explain`` after an error."""
    if _Engine.door is not None:
        return update_wrapper(_Engine.door(function, explain), function)

    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except Exception as error:
            explain(error, below(error), function, args, named)
            raise

    return call


def is_internal(frame: FrameType | None) -> bool:
    """Return whether gradwalk itself made the call that failed, from ``frame`` or through doors."""
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(HOME)


def caller() -> FrameType:
    """Return the frame of the user who has called the public function that calls this."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename == __file__ and frame.f_back is not None:  # its door
        frame = frame.f_back
    return frame


def below(error: Exception) -> TracebackType | None:
    """Return the traceback of an error below the frame that has caught it."""
    return None if error.__traceback__ is None else error.__traceback__.tb_next


def explain_room(namespace: dict[str, Any]) -> None:
    """Make the public functions and classes of a room explain wrong calls."""
    names = [name for name in namespace["__all__"] if name in namespace]
    namespace.update({name: public(namespace[name]) for name in names})


def public(thing: Any) -> Any:
    """Return what users get for a function: one that explains wrong calls. Change classes so.

    Anything else is returned unchanged.
    """
    if type(thing) is FunctionType:
        found, name, home = door(thing), thing.__name__, sys.modules.get(thing.__module__)
        if home is not None and vars(home).get(name) is thing:
            setattr(home, name, found)  # where pickle looks for it
        return found
    if isinstance(thing, type):
        for cls in thing.__mro__:
            if _is_ours(cls):
                _explain_class(cls)
    return thing


def _explain_class(cls: type) -> None:
    """Make the constructor and the public methods of a class explain wrong calls."""
    for name, method in [*vars(cls).items()]:
        new = isinstance(method, staticmethod) and name == "__new__"
        function = method.__func__ if new else method
        if type(function) is not FunctionType or hasattr(function, "__wrapped__"):
            continue
        if new:
            setattr(cls, name, staticmethod(checked_init(function)))
        elif name == "__init__":
            setattr(cls, name, checked_init(method))
        elif not name.startswith("_") and name != "forward":  # which users do not call
            setattr(cls, name, door(method))


@cache
def door(function: Any) -> Any:
    """Return the one callable that users call in place of ``function``."""
    return function if hasattr(function, "__wrapped__") else _door_to(function, _explain_function)


def explain_new(cls: type, args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Raise `UsageError` for wrong arguments of a class that the engine makes without a door."""
    from .explaining import explain_misfit

    def value(data: float, label: str = "") -> None: ...

    def scope() -> None: ...

    name = cls.__name__
    explain_misfit(value if name == "Value" else scope, name, name, args, named)


def checked_init(init: Callable[..., None]) -> Any:
    """Return ``init``, with errors under the name of the class of the object."""
    found = _door_to(init, _explain_init)
    _inits[init] = found
    return found


_inits: dict[Any, Any] = {}


def _explain_function(
    error: Exception, trace: TracebackType | None, function: Any, args: Any, named: Any
) -> None:
    if is_internal(sys._getframe(1)):
        return
    name = function.__name__
    if not args or function.__code__.co_varnames[:1] != ("self",):
        explain_call(error, trace, function, name, name, args, named)
    else:  # a method
        kinds = [c.__name__ for c in type(args[0]).__mro__]
        variable = next((_VARIABLES[k] for k in kinds if k in _VARIABLES), kinds[0].lower())
        where, form = f"{kinds[0]}.{name}", f"{variable}.{name}"
        explain_call(error, trace, function.__get__(args[0]), where, form, args[1:], named)


_VARIABLES = {"Module": "model", "Optimizer": "optimizer", "Tensor": "t"}
"""How the manual calls objects of a class, others by the name of the class in small letters."""


def _explain_init(
    error: Exception, trace: TracebackType | None, init: Any, args: Any, named: Any
) -> None:
    """Explain a call of a class: of its constructor, with the object or the class in front."""
    cls = args[0] if isinstance(args[0], type) else type(args[0])
    if _inits[init] is _outermost(cls, init.__name__) and not is_internal(sys._getframe(1)):
        bound = init.__get__(args[0])
        explain_call(error, trace, bound, cls.__name__, cls.__name__, args[1:], named)


def explain_call(
    error: Exception,
    trace: TracebackType | None,
    f: Callable[..., object],
    where: str,
    form: str,
    args: Any,
    named: Any,
) -> None:
    """Raise a better error than ``error`` for the call ``f(*args, **named)``, if there is one.

    ``trace`` is the traceback of ``error`` inside of f.
    """
    from .explaining import explain  # with the first error: it needs `inspect`

    try:
        explain(error, trace, f, where, form, args, named)
    except GradwalkError:
        raise
    except Exception:  # such as of a repr: the error itself says more
        return


def _is_ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == "gradwalk"


def _outermost(cls: type, name: str) -> object:
    """Return the constructor that is called first of those that gradwalk defines."""
    ours = [vars(c) for c in cls.__mro__ if _is_ours(c)]
    found = next((c[name] for c in ours if name in c), None)
    return getattr(found, "__func__", found)


def expect_facts(name: str, rules: Sequence[Any], params: str, forward: object) -> None:
    """Raise `OptionError` for a primitive with a missing rule or without an operation."""
    names = ", ".join(params.split())
    expect_text(name, "pointwise(name)")
    if len(rules) != len(params.split()):
        raise OptionError(
            where=f"pointwise({name!r})",
            expected=f"one rule for each argument ({params})",
            got=f"{len(rules)}",
            fix="Pass one rule per name in params=, and None for an argument without a derivative.",
        )
    wrong = next((rule for rule in rules if not _is_rule(rule, len(rules))), None)
    if wrong is not None:
        raise OptionError(
            where=f"pointwise({name!r})",
            expected=f"rules of (t, y, {names}), or None",
            got=describe(wrong),
            fix=f"Write lambda t, y, {names}: t * derivative.",
        )
    if not callable(forward) and (forward or name) not in NAMES:
        raise OptionError(
            where=f"pointwise({name!r})",
            expected="the operation itself",
            got=f"no forward, and no C function called {forward or name!r}",
            fix="Pass forward=lambda x: ..., written in functions of gradwalk and operators.",
        )


def _is_rule(rule: Any, arity: int) -> bool:
    # not by `arity`, because `inspect` would be loaded for the table
    code = getattr(rule, "__code__", None)  # of a plain function: without it, nothing is known
    if rule is None or code is None or code.co_flags & 0x04:  # *args
        return rule is None or callable(rule)
    most = int(code.co_argcount)
    return most - len(rule.__defaults__ or ()) <= 2 + arity <= most
