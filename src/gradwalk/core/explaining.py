"""Explanations of calls that failed: which argument of the user's was wrong, and what to write.

This module is loaded with the first error. `calls` has the wrappers, which cost next to nothing
as long as nothing fails.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from inspect import Parameter, signature
from types import MappingProxyType, TracebackType
from typing import Any

from ..errors import (
    DataError,
    FloatRangeError,
    GradwalkError,
    KeyRangeError,
    NotANumberError,
    OptionError,
    SilentDetachError,
    SizeError,
    UsageError,
)
from .expect import describe, index_of, is_number
from .places import HOME

__all__ = ["explain", "explain_misfit", "name_argument"]

Arguments = Mapping[str, Any]

SAME = """
alpha negative_slope slope
a x1 input x array
axis dim axes dims
b x2 other y
batch_size batch
bias use_bias
dtype type
eps epsilon
epochs n_epochs num_epochs max_epochs
f fun func function fn
gamma decay_rate
in_channels in_features input_dim num_embeddings n_inputs num_features
indices index
input x input_tensor predictions y_pred logits
keepdims keepdim keep_dims
kernel_size kernel filter_size
lr learning_rate eta
label name
max a_max max_val upper
min a_min min_val lower
low minval
high maxval
num steps count
num_classes n_classes classes
optimizer opt
ord p
out_channels filters out_features units output_dim embedding_dim n_outputs hidden_size
p rate prob dropout dropout_rate
params parameters
reduction reduce
repeats reps
seed random_state rng key generator
shape size
std stddev sigma scale
strides stride
target targets y_true labels y
values src
weight_decay decay
x input array a data
xs arrays tensors
x0 y0 start initial init
"""
"""Names of one meaning in gradwalk, PyTorch, NumPy, SciPy and Keras, a group in each line."""


# --- failed calls ---------------------------------------------------------------------------------


def explain(
    error: Exception,
    trace: TracebackType | None,
    function: Callable[..., object],
    where: str,
    form: str,
    args: tuple[Any, ...],
    named: Arguments,
) -> None:
    """Raise a better error for ``function(*args, **named)``, or name the argument in ``error``.

    ``where`` and ``form`` are what the call is in messages, and in code to copy. Errors in the
    user's own code, such as in a function that was passed, stay unchanged.
    """
    if any(map(_is_users, _frames(trace))):
        return
    if isinstance(error, GradwalkError):
        module = getattr(function, "__self__", None) if where.startswith("calling ") else None
        options = getattr(module, "__dict__", {})
        name_argument(error, where, _bound(function, args, named), _parameters(function), options)
    elif isinstance(error, TypeError) and trace is None:
        explain_misfit(function, where, form, args, named)
    elif isinstance(error, (TypeError, ValueError, AttributeError, IndexError)):
        _explain_raw(error, function, where, form, _bound(function, args, named))


def _frames(trace: TracebackType | None) -> Iterator[str]:
    """Yield the file and the module of each frame of a traceback."""
    while trace is not None:
        frame = trace.tb_frame
        if not frame.f_code.co_filename.startswith(HOME):
            yield str(frame.f_globals.get("__name__", ""))
        trace = trace.tb_next


def _is_users(module: str) -> bool:
    """Return whether a module outside of gradwalk is the user's, not a library's."""
    top = module.partition(".")[0]
    return top != "numpy" and top not in sys.stdlib_module_names


def _parameters(function: Callable[..., object]) -> Mapping[str, Parameter]:
    try:
        return signature(function).parameters
    except (TypeError, ValueError):  # functions in C do not always have a signature
        return {}


def _bound(function: Callable[..., object], args: tuple[Any, ...], named: Arguments) -> Arguments:
    """Return the arguments of a call by name, in order, without those that were left out."""
    try:
        bound = signature(function).bind(*args, **named).arguments
    except (TypeError, ValueError):
        return {}
    return {name: value for name, value in bound.items() if name != "self"}


# --- calls that do not fit the signature ----------------------------------------------------------


def explain_misfit(
    function: Callable[..., object],
    where: str,
    form: str,
    args: tuple[Any, ...],
    named: Arguments,
) -> None:
    """Raise `UsageError` if arguments do not fit the signature of a function."""
    try:
        signature(function).bind(*args, **named)
    except TypeError as misfit:
        parameters = _parameters(function)
        plain = ", ".join(str(p.replace(annotation=p.empty)) for p in parameters.values())
        unknown = [name for name in named if name not in parameters]
        by_position = [n for n in named if n not in unknown and parameters[n].kind == 0]
        missing = str(misfit).replace("missing a required argument:", "no")
        raise UsageError(
            where=where,
            expected=f"the arguments ({plain})",
            got=", ".join(f"{n}={_short(named[n])}" for n in unknown or by_position) or missing,
            fix=_rewritten(form, parameters, args, named, unknown),
        ) from None


def _short(value: object) -> str:
    return describe(value).partition(" ")[2]


def _rewritten(
    form: str,
    parameters: Mapping[str, Parameter],
    args: tuple[Any, ...],
    named: Arguments,
    unknown: list[str],
) -> str:
    """Return how to write a call: with the names that are meant, or with what is missing."""
    positional = [n for n, p in parameters.items() if p.kind < 2]
    given = {*positional[: len(args)], *named}
    free = [n for n, p in parameters.items() if n not in given and p.kind in (1, 3)]
    needed = [n for n, p in parameters.items() if p.default is p.empty and p.kind in (0, 1, 3)]
    meant: dict[str, str] = {}
    for name in unknown:
        fitting = [n for n in free if n not in meant]
        fitting = [n for n in fitting if not _mismatch(parameters[n].annotation, named[name])]
        other = _meant(name, fitting, needed)
        if other:
            meant[other] = name
    if unknown and len(meant) == len(unknown) and {*needed} <= {*given, *meant}:
        renamed = [f"{ours}= instead of {theirs}=" for ours, theirs in meant.items()]
        return f"Write {' and '.join(renamed)}."
    optional = {n: named[meant.get(n, n)] for n in [*named, *meant] if n in parameters}
    arguments = [f"{n}={n}" if parameters[n].kind == 3 else n for n in needed]
    several = [f"*{n}" for n, p in parameters.items() if p.kind == 2]
    end = sum(parameters[n].kind < 2 for n in needed)  # of those by position
    arguments[end:end] = several
    arguments += [
        f"{n}={value!r}"
        for n, value in optional.items()
        if n not in needed and isinstance(value, (int, float, str, bool, type(None)))
    ]
    lost = [f"{name}=" for name in unknown if name not in meant.values()]
    start = f"Leave {' and '.join(lost)} out: write" if lost else "Write"
    return f"{start} {form}({', '.join(arguments)})."


def _meant(name: str, free: list[str], needed: list[str]) -> str:
    """Return which of the free parameters a name means, as far as one can tell."""
    close = get_close_matches(name, free, 1, 0.75)
    groups = [group.split() for group in SAME.splitlines()]
    same = [n for group in groups if name in group for n in free if n in group]
    first = sorted(same, key=lambda n: n not in needed)
    required = [n for n in needed if n in free]
    only = required if len(required) == 1 else []
    if close and (name[0] == close[0][0] or not same):
        return close[0]
    return next(iter([*first, *only]), "")


# --- errors of ours: the argument that is meant -----------------------------------------------


def name_argument(
    error: GradwalkError,
    where: str,
    arguments: Arguments,
    parameters: Mapping[str, Parameter] = MappingProxyType({}),
    options: Arguments = MappingProxyType({}),
) -> None:
    """Name the user's function and argument in ``error``, if a function inside raised it.

    For the call of a module, the module inside stays named, ``calling MLP(x), in Linear(x)``, and
    what ``options`` of its own was wrong.
    """
    if not isinstance(error, _OF_ARGUMENTS) or re.search(_OTHER_PLACES, error.where):
        return
    words = {*re.findall(r"\w+", error.where)}
    if words & arguments.keys() and {*re.split(r"[ .]", where)[-1:]} <= words:
        return
    head, _, inside = error.where.partition("(")
    named = re.split(r"\W", inside)[0]
    is_own = re.split(r"[ .]", head)[-1] == re.split(r"[ .]", where)[-1]
    undeclared = [n for n, p in parameters.items() if _is_mismatch(p, arguments)]
    if is_own and _says_it(inside, error.expected, arguments, parameters, undeclared):
        return
    described = [*_described(error, arguments)]
    both = [n for n in described if n in undeclared]
    meant = both or described or undeclared
    shapes = isinstance(error, SizeError)
    if not meant and not is_own and named in options:
        error.where = f"{where}, in {error.where}"
    elif meant := meant or ([*_like(arguments)] if shapes or not is_own else []):
        within = error.where.rpartition(", in ")[2].removeprefix("calling ")
        nested = error.where.startswith(("calling ", "layers.")) and where.startswith("calling ")
        qualified = head if is_own and not where.startswith("calling ") else where  # linalg.inv
        error.where = f"{qualified}({', '.join(meant)})" + (f", in {within}" if nested else "")
    end = "" if error.got.endswith("\n") else ". "
    error.args = (f"{error.where}: expected {error.expected}, got {error.got}{end}{error.fix}",)


def _says_it(
    inside: str,
    expected: str,
    arguments: Arguments,
    parameters: Mapping[str, Parameter],
    undeclared: list[str],
) -> bool:
    """Return whether a message of the function itself speaks of an argument that was passed."""
    named = re.split(r"\W", inside)[0]
    if named in arguments or (named and not arguments):
        return True
    if named in parameters and not undeclared:  # one that was left out
        return True
    if inside and named != "f" and any(p.kind == 2 for p in parameters.values()):  # one of *args
        return True
    return not named and bool(arguments.keys() & {*re.findall(r"\w{2,}", expected)})


def _is_mismatch(parameter: Parameter, arguments: Arguments) -> bool:
    given = parameter.name in arguments and parameter.kind in (0, 1, 3)
    return given and bool(_mismatch(parameter.annotation, arguments[parameter.name]))


_OF_ARGUMENTS: tuple[type[GradwalkError], ...] = (
    *(NotANumberError, UsageError, OptionError, SizeError, KeyRangeError, DataError),
    *(FloatRangeError, SilentDetachError),
)
_OTHER_PLACES = r"[/\\]|\bline \d|\.csv\b|\bthe |\binside\b|\bargument \d|float\(v\)|round\("
"""Of errors about files, about results of the user's functions and conversions of Values."""


def _described(error: GradwalkError, arguments: Arguments) -> Iterable[str]:
    """Return the arguments that a message describes: by value, by shape or by dtype."""
    got, expected = error.got, error.expected
    for texts, text in ((_values, got), (_shapes, got), (_shapes, expected), (_dtypes, got)):
        found = [
            name
            for name, value in arguments.items()
            if any(re.search(rf"(?<!\w){re.escape(t)}(?!\w)", text) for t in texts(value))
        ]
        if found:
            return found
    return []


def _values(value: Any) -> Iterator[str]:
    yield describe(value)
    if isinstance(value, (list, tuple)):
        yield from map(describe, value[:8])
    elif getattr(value, "ndim", 0) and hasattr(value, "flat"):
        yield from map(describe, value.flat[:4])


def _shapes(value: Any) -> Iterator[str]:
    shape = getattr(value, "shape", None)
    if shape is None and isinstance(value, (list, tuple)):
        shape = _shape_of(value)
    if shape:
        yield str(tuple(shape))


def _shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of nested lists, by the first element of each."""
    shape: list[int] = []
    while isinstance(value, (list, tuple)) and len(shape) < 32:
        shape.append(len(value))
        value = value[0] if value else None
    return tuple(shape)


def _dtypes(value: Any) -> Iterator[str]:
    if hasattr(value, "dtype"):
        yield str(value.dtype)
    else:
        yield type(value).__name__
        yield f"{type(value).__name__}64"  # its dtype as an array


def _like(arguments: Arguments) -> Iterable[str]:
    """Return the only argument, or else those that are arrays."""
    if len(arguments) == 1:
        return arguments
    return [name for name, x in arguments.items() if getattr(x, "shape", ()) or type(x) is list]


# --- errors of Python and NumPy -------------------------------------------------------------------


def _explain_raw(
    error: Exception,
    function: Callable[..., object],
    where: str,
    form: str,
    arguments: Arguments,
) -> None:
    """Raise an error of ours if an argument is not of the kind that its parameter is declared."""
    parameters = _parameters(function)
    kind = next(ours for theirs, ours in _OURS.items() if isinstance(error, theirs))
    for name, value in arguments.items():
        expected = _mismatch(parameters[name].annotation, value)
        if expected:
            needed = [n for n, p in parameters.items() if p.default is p.empty and p.kind < 2]
            names = ", ".join(needed if name in needed else [*needed, f"{name}={name}"])
            raise kind(
                where=f"{where}({name})",
                expected=expected,
                got=describe(value),
                fix=f"Write {form}({names}) with {expected} for {name}.",
            ) from error
    shapes = [(n, s) for n, x in arguments.items() if (s := next(_shapes(x), ""))]
    if "broadcast" in str(error) and shapes:
        raise SizeError(
            where=f"{where}({', '.join(name for name, _ in shapes)})",
            expected="shapes that agree from the right, or are 1 there",
            got=" and ".join(shape for _, shape in shapes),
            fix="Reshape one of them, or add an axis: x[:, None].",
        ) from error
    for name, value in arguments.items():
        if f"'{type(value).__name__}'" in str(error):
            raise kind(
                where=f"{where}({name})",
                expected="an argument of another type",
                got=f"{describe(value)} ({error})",
                fix=f"Check the type of {name} in help({where}).",
            ) from error


_OURS: dict[type[Exception], type[GradwalkError]] = {
    IndexError: KeyRangeError,
    ValueError: OptionError,
    TypeError: NotANumberError,
    AttributeError: UsageError,
}


def _mismatch(annotation: object, value: Any) -> str:
    """Return what a parameter is declared to be, if ``value`` is not of that kind."""
    kinds = [kind.strip() for kind in str(annotation).split("|")]
    kinds = [part for kind in kinds for part in ALIASES.get(kind, kind).split("|")]
    tests = [KINDS.get(kind.partition("[")[0]) for kind in kinds]
    if any(test is None or test[1](value) for test in tests):
        return ""
    nouns = dict.fromkeys(test[0] for test in tests if test)
    return " or ".join(nouns)


def _is_array(value: Any) -> bool:
    pending, left = [value], 64  # of nested lists the first members, because one may hold itself
    while pending and left:
        x, left = pending.pop(), left - 1
        kind = getattr(getattr(x, "dtype", None), "kind", "f")
        if isinstance(x, (list, tuple)):
            pending.extend(x[:8])
        elif not ((hasattr(x, "__array__") and kind in "biuf") or _is_real(x)):
            return False
    return True


def _is_real(value: Any) -> bool:
    return (is_number(value) and not isinstance(value, complex)) or hasattr(value, "grad")


def _is_index(value: Any) -> bool:
    try:
        return index_of(value) is not None
    except GradwalkError:  # a Tensor that requires gradients
        return False


def _is_sizes(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_index, value))
    return _is_index(value)


KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "ArrayLike": ("an array of numbers", _is_array),
    "Callable": ("a function", callable),
    "None": ("None", lambda x: x is None),
    "Sequence": ("a list", lambda x: isinstance(x, (list, tuple)) or hasattr(x, "__array__")),
    "Tensor": ("a Tensor", _is_array),
    "bool": ("True or False", lambda x: isinstance(x, bool) or type(x).__name__ == "bool"),
    "float": ("a number", lambda x: _is_real(x) and not getattr(x, "shape", ())),
    "int": ("an integer", _is_index),
    "sizes": ("an integer, or a tuple of integers", _is_sizes),
    "str": ("a text", lambda x: isinstance(x, str)),
    "tuple": ("a tuple", lambda x: isinstance(x, (list, tuple))),
}
"""What annotations declare: in words, and as a test."""

ALIASES = {
    "ArgNums": "sizes",
    "Axes": "sizes|None",
    "Axis": "int|None",
    "Function": "Callable",
    "Lambda": "Callable",
    "OfAny": "Callable",
    "Parameter": "ArrayLike",
    "Predictions": "ArrayLike",
    "Shape": "sizes",
    "Sizes": "sizes",
    "SupportsIndex": "int",
}
"""Names of types in annotations, in terms of `KINDS`. Other names say nothing."""
