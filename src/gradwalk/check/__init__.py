"""Checks of gradients (finite differences, kinks, correct digits) and of trainings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from ..core.calls import expect_function, public
from ..core.expect import describe
from ..core.functions import Function
from ..core.rooms import as_room
from ..engine.traced import call_traced
from ..engine.value import Value, gradients, no_grad, number
from ..errors import GradientCheckError, NotANumberError, OptionError
from ..program.run import run_of
from .differences import Difference, examine
from .kinks import Kink, Kinks, kinks
from .precision import Accuracy, Precision, precision
from .report import GradientReport, InputReport, judge
from .suspects import Suspect, kink_of, suspects

__all__ = ["Accuracy", "GradientReport", "InputReport", "Kink", "Kinks", "Precision", "Suspect"]
__all__ += ["check_gradients", "kinks", "precision", "training"]

if TYPE_CHECKING:
    from .doctor import training


def __getattr__(name: str) -> Any:
    """Import `training` on first use, because it needs NumPy."""
    if name == "training":
        found = public(import_module(".doctor", __name__).training)
        globals()[name] = found
        return found
    raise AttributeError(f"module 'gradwalk.check' has no attribute {name!r}")


Inputs = Sequence[Any] | Mapping[str, Any]


def check_gradients(
    f: Function,
    inputs: Sequence[Any] | Mapping[str, Any] | float,
    *,
    digits: float = 6.0,
    raise_on_failure: bool = False,
) -> GradientReport:
    """Compare the gradients of ``f`` at ``inputs`` with adaptive central differences.

        ∂f/∂xᵢ  against  lim (f(x + h eᵢ) - f(x - h eᵢ)) / 2h

    At a kink a gradient passes if it lies between the slopes of the two sides. The text of a report
    that is not true says which input is wrong, and which operation has a rule that disagrees with
    its own finite differences.

    Parameters
    ----------
    f
        A function of Values that returns one, and gives the same result twice.
    inputs
        The numbers at which it is checked: ``f(*inputs)`` for a list, a tuple or an array of
        numbers, ``f(**inputs)`` for a dictionary, ``f(inputs)`` for one number. A list or an array
        among the inputs is one argument, a list of Values.
    digits
        The significant digits in which every gradient has to agree, or as far as the differences
        know it; above 0, at most 15.
    raise_on_failure
        Whether a report that is not true is raised.

    Returns
    -------
    a GradientReport
        True if every gradient agrees.

    Raises
    ------
    GradientCheckError
        If a gradient does not agree, with ``raise_on_failure``.
    OptionError
        If ``f`` gives two results for the same inputs, is no function, or ``digits`` is out of
        range.
    NotANumberError
        If the result is no Value, or an input is no number.

    See Also
    --------
    gradwalk.check_grads

    Examples
    --------
    >>> from gradwalk import tanh
    >>> def f(x, y):
    ...     return tanh(x * y) + x
    >>> report = check_gradients(f, [0.5, -2.0])
    >>> bool(report), [(i.name, i.verdict) for i in report.inputs]
    (True, [('x', 'agrees'), ('y', 'agrees')])
    """
    if not 0.0 < digits <= 15.0:
        raise OptionError(
            where="check_gradients(digits=...)",
            expected="a number > 0 and <= 15",
            got=describe(digits),
            fix="Use digits=6, enough to tell a correct rule from a wrong one.",
        )
    names, numbers, call = _flattened(f, _plain(inputs))
    leaves = [Value(x) for x in numbers]
    y = _recorded(call, leaves)
    _expect_same(y.data, _evaluated(call, numbers))
    analytic = gradients(y, leaves)
    entries = []
    for i, (name, x, gradient) in enumerate(zip(names, numbers, analytic, strict=True)):
        found = _difference(call, numbers, i, gradient, digits)
        entries.append(judge(i, name, x, gradient, found, digits))
    report = _explained(tuple(entries), y, digits)
    if raise_on_failure and not report:
        raise GradientCheckError(
            where="check_gradients",
            expected=f"gradients that agree with finite differences in {digits:g} digits",
            got=f"\n{report}\n",
            fix="Fix the rule that is the likely cause, or the place where the graph is cut.",
        )
    return report


# --- calling f ----------------------------------------------------------------------------------

Call = Callable[[Sequence[Value]], Any]


def _flattened(f: Callable[..., Any], inputs: Any) -> tuple[list[str], list[float], Call]:
    """Names and numbers of all ``inputs``, and ``f`` as a function of a list of Values."""
    expect_function(f, "check_gradients")
    named, keys = isinstance(inputs, Mapping), list(inputs) if isinstance(inputs, Mapping) else []
    given = inputs.values() if named else inputs if isinstance(inputs, (list, tuple)) else [inputs]
    shape = [_plain(argument) for argument in given]
    places = [repr(key) for key in keys] or [f"number {i}" for i in range(len(shape))]
    names, numbers = [], []
    for name, place, argument in zip(_names(f, inputs, len(shape)), places, shape, strict=True):
        nested = isinstance(argument, (list, tuple))
        for i, x in enumerate(argument if nested else [argument]):
            member = f"[{i}]" if nested else ""
            names.append(f"{name}{member}")
            numbers.append(number(x, f"check_gradients(inputs), {place}{member}"))

    def call(xs: Sequence[Value]) -> Any:
        arguments = _shaped(shape, xs)
        return f(**dict(zip(keys, arguments, strict=True))) if named else f(*arguments)

    return names, numbers, call


def _plain(x: Any) -> Any:
    """Return an array as lists of numbers; everything else as it is."""
    return x.tolist() if hasattr(x, "tolist") else x


def _shaped(shape: list[Any], xs: Sequence[Value]) -> list[Any]:
    """``xs`` as arguments: one for each number, a list of them for each list."""
    rest = iter(xs)
    return [
        [next(rest) for _ in part] if isinstance(part, (list, tuple)) else next(rest)
        for part in shape
    ]


def _recorded(call: Call, leaves: Sequence[Value]) -> Value:
    y = call_traced(leaves, call, leaves)
    if not isinstance(y, Value):
        raise NotANumberError(
            where="check_gradients(f)",
            expected="a function that returns a Value",
            got=describe(y),
            fix="Return the result itself, not its .data; for several results check one at a time.",
        )
    return y


def _evaluated(call: Call, numbers: Sequence[float]) -> float:
    with no_grad():
        return number(call([Value(x) for x in numbers]), "check_gradients(f)")


def _expect_same(first: float, second: float) -> None:
    if first != second and not (isnan(first) and isnan(second)):
        raise OptionError(
            where="check_gradients(f)",
            expected="a function that gives the same result for the same inputs",
            got=f"{first!r}, then {second!r}",
            fix="Draw random numbers before, or seed the generator inside f.",
        )


def _names(f: Callable[..., Any], inputs: Sequence[Any], count: int) -> list[str]:
    """Return the names of the inputs: keys, parameters of ``f``, or indices of ``*args``."""
    if isinstance(inputs, Mapping):
        return [str(key) for key in inputs]
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):  # some built-in callables have no signature
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "inputs")
    return (names + [f"{rest}[{i}]" for i in range(count - len(names))])[:count]


# --- differences --------------------------------------------------------------------------------


def _difference(
    call: Call, numbers: list[float], place: int, analytic: float, digits: float
) -> Difference:
    def at(x: float) -> list[float]:
        return [*numbers[:place], x, *numbers[place + 1 :]]

    def kink_between(low: float, high: float) -> str:
        return _kink_between(call, at(low), at(high))

    return examine(
        lambda x: _evaluated(call, at(x)), numbers[place], kink_between, analytic, digits
    )


def _kink_between(call: Call, low: list[float], high: list[float]) -> str:
    """Name the operation with a kink between two inputs, or f itself if its branches differ."""
    runs = [run_of(_recorded(call, [Value(x) for x in xs])) for xs in (low, high)]
    one, other = (run.program for run in runs)
    if [e.primitive.name for e in one] != [e.primitive.name for e in other]:
        return "a branch of f"
    for k, equation in enumerate(one):
        if kink_of(equation.primitive, *[run.args(k) for run in runs]):
            label = one.names.get(equation.results[0], "")
            return f"{equation.primitive.name} ({label})" if label else equation.primitive.name
    return ""


# --- the explanation ----------------------------------------------------------------------------

CUT = (
    "Every operation agrees with its own differences, so the graph is cut or changed "
    "somewhere. Look for .data, detach(), no_grad(), or a Value that f creates from a "
    "number."
)


def _explained(entries: tuple[InputReport, ...], y: Any, digits: float) -> GradientReport:
    verdicts = {entry.verdict for entry in entries}
    if "not finite" in verdicts:
        return GradientReport(entries, (), _not_finite(y))
    found = suspects(y, digits) if "WRONG" in verdicts else ()
    return GradientReport(entries, found, (CUT,) if "WRONG" in verdicts and not found else ())


def _not_finite(y: Any) -> tuple[str, ...]:
    """Return the first node with a NaN or an infinity, or with such a slope, on finite operands."""
    run = run_of(y)
    for x in run.env[: run.program.inputs]:
        if not isfinite(x):
            return (f"The first result that is not finite: an input = {x}.",)
    for k, equation in enumerate(run.program):
        args, primitive = run.args(k), equation.primitive
        if not all(map(isfinite, args)):
            continue
        call = f"{primitive.name}({', '.join(f'{x:.6g}' for x in args)})"
        number = run.number(equation.results[0])
        if not isfinite(number):
            return (f"The first result that is not finite: {call} = {number}.",)
        slopes = primitive.slopes(number, args)
        if not all(map(isfinite, slopes)):
            shown = ", ".join(f"{slope:.6g}" for slope in slopes)
            return (f"The first slope that is not finite: {call} has {shown}.",)
    return ()


as_room(__name__)
