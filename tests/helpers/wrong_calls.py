"""Right calls of the public API, taken from docstrings, and wrong ones made of them.

A right call is a call in the example of a docstring: its arguments are evaluated where the example
has them. A wrong call differs from a right one in one argument, as users get them wrong: another
type, shape or dtype, left out, misspelt, swapped with its neighbour, or under the name that another
library has for it.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import doctest
import importlib
import inspect
import io
import re
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

import gradwalk
from gradwalk import Tensor, Value, nn, optim, stats
from gradwalk.errors import GradwalkError

ROOMS = (
    *("check", "data", "inspect", "integrate", "linalg", "nn", "nn.functional", "nn.init", "optim"),
    *("optim.lr_scheduler", "optimize", "parallel", "random", "sklearn", "special", "stats"),
    *("tensor", "training", "transforms"),
)
LEFT_OUT = {"explore", "plot_boundary", "plot_loss"}  # they write or open pages
RESULTS = {"Adjoint", "Frozen", "GradientReport", "Kinks", "Precision"}  # which users only read


@dataclass(frozen=True)
class Right:
    """A public callable, how users call it, and the arguments of a call that is right."""

    name: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    """By name; ``*args`` under the name that the signature has for them, as a tuple."""
    fixed: int = 0
    """Arguments in front that stay: the object itself of a method."""


@dataclass(frozen=True)
class Wrong:
    """A wrong call: its class of mistake, the argument that is wrong, and what is passed."""

    right: Right
    mistake: str
    argument: str
    args: tuple[Any, ...]
    named: Mapping[str, Any]

    def __str__(self) -> str:
        shown = [f"{a!r:.40}" for a in self.args]
        shown += [f"{name}={a!r:.40}" for name, a in self.named.items()]
        return " ".join(f"{self.right.name}({', '.join(shown)})".split())


# --- right calls ----------------------------------------------------------------------------------


def public() -> Iterator[tuple[str, Callable[..., Any], int]]:
    """Yield every public callable once: name, callable, and how many arguments are the object."""
    seen: set[int] = set()
    for room in ("", *ROOMS):
        module = room_named(room)
        for name in module.__all__:
            thing = getattr(module, name)
            error = isinstance(thing, type) and issubclass(thing, BaseException)
            left_out = error or inspect.ismodule(thing) or name in LEFT_OUT | RESULTS
            if callable(thing) and not left_out and id(thing) not in seen:
                seen.add(id(thing))
                yield f"{room}.{name}".lstrip("."), thing, 0
    for cls in (Value, Tensor, nn.Module, optim.Optimizer):
        for name in dir(cls):
            static = inspect.getattr_static(cls, name)
            thing = getattr(cls, name, None)
            if name[0] != "_" and callable(thing) and not isinstance(static, property):
                yield f"{cls.__name__}.{name}", thing, 1
    for name in stats.__all__:
        if isinstance(getattr(stats, name), stats.Distribution):
            for method in METHODS_OF_DISTRIBUTIONS:
                if not hasattr(getattr(stats, name), method):
                    continue
                yield f"stats.{name}.{method}", getattr(getattr(stats, name), method), 0


METHODS_OF_DISTRIBUTIONS = ("logpdf", "pdf", "cdf", "ppf", "sample")


def room_named(room: str) -> Any:
    """Return a module of gradwalk by its path below the package."""
    thing: Any = gradwalk
    for part in filter(None, room.split(".")):
        try:
            thing = getattr(thing, part)
        except AttributeError:
            thing = importlib.import_module(f"{thing.__name__}.{part}")
    return thing


def right_calls() -> tuple[list[Right], list[str]]:
    """Return a right call of each public callable, and the names of those without one."""
    found, missing = [], []
    for name, thing, fixed in public():
        call = right_call(name, thing, fixed)
        if call is None:
            missing.append(name)
        else:
            found.append(call)
            if isinstance(thing, type) and issubclass(thing, nn.Module):
                with contextlib.suppress(StopIteration):
                    found.append(next(calls_of_instances(name, thing)))
    return found, missing


def right_call(name: str, thing: Callable[..., Any], fixed: int) -> Right | None:
    """Return a right call from the table below or from the example of the docstring."""
    signature = signature_of(thing)
    if signature is None:
        return None
    last = name.rpartition(".")[2]
    if name in TABLE:
        candidates: Any = [eval(f"_({TABLE[name]})", {"_": _call, **NAMES})]
    else:
        candidates = examples(thing, lambda called, word: word == last or called is thing)
    for args, named in candidates:
        try:
            bound = signature.bind(*args, **named)
        except TypeError:
            continue
        call = Right(name, thing, dict(bound.arguments), fixed)
        if succeeds(thing, *spread(call, bound.arguments)):
            return call
    return None


def _call(*args: Any, **named: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return args, named


def calls_of_instances(name: str, cls: type) -> Iterator[Right]:
    """Yield the calls of modules of this class in its example."""

    def is_instance(called: Any, _: str) -> bool:
        return type(called) is cls

    for args, named, called in examples(cls, is_instance, with_called=True):
        call_forward = _Calling(called)
        try:
            bound = inspect.signature(called.forward).bind(*args, **named)
        except TypeError:
            continue
        if succeeds(call_forward, args, named):
            yield Right(f"{name}()", call_forward, dict(bound.arguments))


class _Calling:
    """A call of a module, which survives being copied with its arguments."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.__signature__ = inspect.signature(module.forward)
        self.__name__ = type(module).__name__

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.module(*args, **named)


def signature_of(thing: Any) -> inspect.Signature | None:
    """Return the signature of a callable, if it has one."""
    try:
        return inspect.signature(thing)
    except (TypeError, ValueError):
        return None


def examples(
    thing: Any, wanted: Callable[[Any, str], bool], with_called: bool = False
) -> Iterator[Any]:
    """Yield the arguments of the wanted calls in the example of a docstring."""
    text = inspect.getdoc(thing) or ""
    names = {**vars(sys.modules.get(getattr(thing, "__module__", "") or "", gradwalk))}
    names = {"gradwalk": gradwalk, "Tensor": Tensor, "Value": Value, "np": np, **names}
    for example in doctest.DocTestParser().get_examples(textwrap.dedent(text)):
        tree = ast.parse(example.source)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                function = node.func
                word = getattr(function, "attr", getattr(function, "id", ""))
                try:
                    called = evaluated(function, names)
                    if not wanted(called, word):
                        continue
                    args = [evaluated(a, names) for a in node.args]
                    named = {k.arg: evaluated(k.value, names) for k in node.keywords if k.arg}
                except Exception:
                    continue
                if isinstance(function, ast.Attribute) and not inspect.isclass(called):
                    owner = evaluated(function.value, names)
                    if isinstance(owner, (Tensor, Value, nn.Module, optim.Optimizer)):
                        args = [owner, *args]
                yield (tuple(args), named, called) if with_called else (tuple(args), named)
        try:
            with quiet():
                exec(compile(tree, "example", "exec"), names)
        except Exception:
            return


def evaluated(node: ast.expr, names: dict[str, Any]) -> Any:
    """Return the value of a part of an example."""
    with quiet():
        return eval(compile(ast.Expression(node), "example", "eval"), names)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Print nothing and warn of nothing."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def succeeds(function: Callable[..., Any], args: Any, named: Any) -> bool:
    """Return whether a call raises nothing."""
    try:
        with quiet():
            args, named = fresh((args, named))
            function(*args, **named)
    except Exception:
        return False
    return True


def fresh(x: Any) -> Any:
    """Return a copy of arguments, so that no call changes those of another."""
    try:
        return copy.deepcopy(x)
    except Exception:
        return x


def spread(call: Right, arguments: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments by name as those of a call: by position where that is possible."""
    args: list[Any] = []
    named: dict[str, Any] = {}
    by_name = False
    for p in signature_of(call.function).parameters.values():  # type: ignore[union-attr]
        if p.name not in arguments:
            by_name = True
        elif p.kind is p.VAR_POSITIONAL:
            args.extend(arguments[p.name])
        elif p.kind is p.VAR_KEYWORD:
            named |= arguments[p.name]
        elif by_name or p.kind is p.KEYWORD_ONLY:
            named[p.name] = arguments[p.name]
        else:
            args.append(arguments[p.name])
    return tuple(args), named


# --- wrong calls ----------------------------------------------------------------------------------

OTHER_NAMES = {
    "a": ("x1", "input"), "axis": ("dim", "axes"), "b": ("x2", "other"), "bins": ("nbins",),
    "bias": ("use_bias",), "dim": ("axis",), "dtype": ("type",), "eps": ("epsilon",),
    "epochs": ("n_epochs",), "f": ("fun", "func"), "in_features": ("input_dim",),
    "indices": ("index",), "input": ("x", "input_tensor"), "keepdim": ("keepdims",),
    "keepdims": ("keepdim",), "kernel_size": ("kernel",), "logits": ("input",),
    "lr": ("learning_rate",), "max": ("a_max",), "min": ("a_min",), "momentum": ("beta",),
    "num_classes": ("n_classes",), "num_embeddings": ("input_dim",), "ord": ("p",),
    "out_channels": ("filters",), "out_features": ("units",), "p": ("rate", "prob"),
    "params": ("parameters",), "predictions": ("input",), "repeats": ("reps",),
    "seed": ("random_state",), "shape": ("size",), "size": ("shape",), "target": ("y_true",),
    "targets": ("target",), "weight_decay": ("decay",), "x": ("input",), "xs": ("tensors",),
    "x0": ("start",), "t": ("t_eval",), "y0": ("initial",), "arrays": ("tensors",),
    "hidden_size": ("units",), "negative_slope": ("alpha",), "std": ("stddev",),
}  # fmt: skip
"""The names that PyTorch, NumPy, SciPy and Keras have for arguments of ours."""


class Nothing:
    """An object that no function takes."""

    def __repr__(self) -> str:
        return "Nothing()"


def wrong_calls(call: Right) -> Iterator[Wrong]:
    """Yield wrong calls that differ from a right one in one argument."""
    parameters = signature_of(call.function).parameters  # type: ignore[union-attr]
    given = {name: call.arguments[name] for name in list(call.arguments)[call.fixed :]}

    def wrong(mistake: str, argument: str, arguments: Mapping[str, Any], **more: Any) -> Wrong:
        args, named = spread(call, arguments)
        return Wrong(call, mistake, argument, args, {**named, **more})

    for name, value in given.items():
        p = parameters[name]
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        for mistake, other in wrong_values(value):
            yield wrong(mistake, name, {**call.arguments, name: other})
        without = {k: v for k, v in call.arguments.items() if k != name}
        if p.default is p.empty:
            yield wrong("missing", name, without)
        if p.kind is not p.POSITIONAL_ONLY:
            yield wrong("misspelt", name, without, **{misspelt(name, parameters): value})
            for other in OTHER_NAMES.get(name, ()):
                if other not in parameters:
                    yield wrong("other name", name, without, **{other: value})
    names = [n for n in given if parameters[n].kind < 2]
    for one, two in pairwise(names):
        if kind(given[one]) != kind(given[two]):
            swapped = {**call.arguments, one: given[two], two: given[one]}
            yield wrong("swapped", f"{one} {two}", swapped)


def misspelt(name: str, parameters: Mapping[str, Any]) -> str:
    """Return a name with one letter too many or another one."""
    other = name[:-1] if len(name) > 3 else name + name[-1]
    return other if other not in parameters else name + "_"


def kind(value: Any) -> str:
    """Return what kind of argument this is; values of one kind may be swapped without an error."""
    if callable(value):
        return "function"
    if isinstance(value, (bool, str, int, float)) or value is None:
        return type(value).__name__
    return "array" if is_arrays(value) else type(value).__name__


def is_arrays(value: Any) -> bool:
    """Return whether this is an array of numbers, or a nested list of them."""
    if isinstance(value, (Tensor, np.ndarray)):
        return value.ndim > 0
    try:
        with quiet():
            array = np.asarray(value) if isinstance(value, list) else np.asarray(0)
    except Exception:
        return False
    return array.ndim > 0 and array.size > 0 and array.dtype.kind in "bif"


def wrong_values(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield values of another type, shape and dtype, with the class of the mistake."""
    yield "type", Nothing()
    yield "type", 3 if isinstance(value, str) else "abc"
    if isinstance(value, str):
        yield "type", value + value[-1]
    if is_arrays(value):
        array = np.asarray(value.data if isinstance(value, Tensor) else value)
        longer = np.concatenate([array, array[..., -1:]], axis=-1)
        yield "shape", longer if isinstance(value, np.ndarray) else like(longer, value)
        yield "shape", like(array[None, None], value)
        yield "dtype", array + 1j
        yield "dtype", array.astype(str)
        yield "dtype", array.astype(object)
    elif isinstance(value, float):
        yield "shape", np.full((2, 3), value)
        yield "dtype", complex(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield "dtype", value + 0.5
        yield "shape", (value, value, value, value)


def like(array: Any, value: Any) -> Any:
    """Return an array as what ``value`` is: a Tensor, an array or a list."""
    if isinstance(value, Tensor):
        return Tensor(array, requires_grad=value.requires_grad)
    return array.tolist() if isinstance(value, list) else array


NAMES: dict[str, Any] = {"gw": gradwalk, "np": np, "nn": nn, "Tensor": Tensor, "Value": Value}
NAMES |= {"optim": optim, "stats": stats, "data": gradwalk.data, "f": lambda x: x * x}

T = "Tensor([[1.0, 2.0], [3.0, 4.0]])"
LINE = "nn.Linear(2, 1, seed=0)"
PARAMETERS = "[Value(1.0)]"
TABLE: dict[str, str] = {
    "array": "[1.0, 2.0]", "atleast_1d": "1.0", "atleast_2d": "1.0",
    "broadcast_arrays": "[1.0, 2.0], [[3.0], [4.0]]", "flatten": T, "matrix_transpose": T,
    "gather": f"{T}, 0, [[0, 1]]", "put_along_axis": f"{T}, [[0], [1]], 5.0, 1", "ravel": T,
    "load": "'w.safetensors'", "mask_if": "True, 2.0", "pass_if": "True, 2.0",
    "swapaxes": f"{T}, 0, 1", "transpose": f"{T}", "program_of": "f, 2.0",
    "while_loop": "lambda x: x < 9.0, lambda x: x * 2.0, 1.0",
    "data.Subset": "data.TensorDataset(np.ones((3, 2)), np.ones(3)), [0, 1]",
    "nn.functional.log_softmax": f"{T}, 1", "nn.functional.smooth_l1_loss": "[1.0], [2.0]",
    "nn.init.he_normal_": f"{LINE}.weight, seed=0", "nn.init.he_uniform_": f"{LINE}.weight, seed=0",
    "nn.init.normal_": f"{LINE}.weight, 0.0, 1.0, seed=0", "nn.init.ones_": f"{LINE}.weight",
    "nn.init.trunc_normal_": f"{LINE}.weight, 0.0, 1.0, seed=0",
    "nn.init.xavier_normal_": f"{LINE}.weight, seed=0",
    "Value.detach": "Value(1.0)", "Tensor.detach": T, "Tensor.clone": T, "Tensor.cpu": T,
    "Tensor.amax": f"{T}, 1", "Tensor.amin": f"{T}, 1", "Tensor.flatten": T, "Tensor.ravel": T,
    "Tensor.gather": f"{T}, 0, [[0, 1]]", "Tensor.repeat_interleave": f"{T}, 2",
    "Tensor.reshape_as": f"{T}, Tensor([1.0, 2.0, 3.0, 4.0])", "Tensor.swapaxes": f"{T}, 0, 1",
    "Tensor.swapdims": f"{T}, 0, 1", "Tensor.transpose": f"{T}, 0, 1",
    "Module.num_parameters": f"{LINE}, True", "Module.requires_grad_": f"{LINE}, False",
    "Module.register_buffer": f"{LINE}, 'seen', Tensor([1.0])",
    "Module.register_parameter": f"{LINE}, 'shift', Tensor([1.0], requires_grad=True)",
    "Module.train": f"{LINE}, True", "Module.zero_grad": f"{LINE}, True",
    "Optimizer.add_param_group": "optim.SGD([Value(2.0)]), {'params': [Value(3.0)]}",
    "Optimizer.load_state_dict": "optim.SGD([Value(2.0)]), optim.SGD([Value(1.0)]).state_dict()",
    "Optimizer.step": "optim.SGD([Value(2.0)]), lambda: 1.0",
    "Optimizer.zero_grad": "optim.SGD([Value(2.0)]), True",
}  # fmt: skip
"""Right calls of callables whose docstrings have none."""

SHAPES = {"beta": "2.0, 3.0", "binom": "5, 0.5", "bernoulli": "0.5", "chi2": "3.0", "gamma": "2.0"}
SHAPES |= {"lognorm": "0.5", "poisson": "2.0", "t": "3.0"}
"""The shape parameters of distributions."""

for _name in stats.__all__:
    if isinstance(getattr(stats, _name), stats.Distribution):
        _shapes = SHAPES.get(_name, "0.0")
        TABLE[f"stats.{_name}"] = _shapes
        TABLE |= {f"stats.{_name}.{m}": f"0.5, {_shapes}" for m in ("pdf", "logpdf", "cdf", "ppf")}
        TABLE[f"stats.{_name}.sample"] = f"{_shapes}, size=2, seed=0"


# --- answers --------------------------------------------------------------------------------------


def complaint(wrong: Wrong) -> str | None:
    """Return what is wrong with the answer to a wrong call; nothing for a good one.

    ``None``: the call succeeds. A good answer is an error of gradwalk that names the function and
    the argument, and whose remedy begins with a verb and works if it is a call.
    """
    call = wrong.right
    try:
        with quiet():
            args, named = fresh((wrong.args, wrong.named))
            call.function(*args, **named)
    except GradwalkError as error:
        return "; ".join(complaints(wrong, error))
    except Exception as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is not None and trace.tb_frame.f_code.co_filename in ("example", "<string>"):
            return None  # a function of the user's has raised it
        return f"raw {type(error).__name__}: {error!s:.100}"
    return None


def complaints(wrong: Wrong, error: GradwalkError) -> Iterator[str]:
    """Yield what an error of ours lacks."""
    shown = f"{error}"
    names = {wrong.right.name.removesuffix("()").rpartition(".")[2]}
    names.add(getattr(wrong.right.function, "__name__", ""))
    if not any(name and re.search(rf"\b{re.escape(name)}\b", shown) for name in names):
        yield f"function not named: {shown:.150}"
    elif not any(is_named(name, error) for name in spoken_of(wrong)):
        yield f"argument not named: {shown:.150}"
    if error.fix.split()[0] not in VERBS.split():
        yield f"no verb: {error.fix}"
    if wrong.mistake in ("missing", "misspelt", "other name") and not remedied(wrong, error):
        yield f"remedy fails: {shown:.150}"


def spoken_of(wrong: Wrong) -> Iterable[str]:
    """Return the arguments of which an answer may speak: of two shapes, either may be wrong."""
    arrays = [name for name, x in wrong.right.arguments.items() if is_arrays(x)]
    return [*wrong.argument.split(), *(arrays if wrong.mistake == "shape" else ())]


def is_named(name: str, error: GradwalkError) -> bool:
    """Return whether a message names an argument; the article "a" is none."""
    word = rf"(?<![\w.]){re.escape(name)}\b"
    if re.search(rf"\b{re.escape(name)}\b", error.where) or re.search(rf"{word}\s?=", str(error)):
        return True
    if name != "a":  # the article
        return re.search(word, f"{error.expected} {error.got} {error.fix}") is not None
    return re.search(rf"[(,]\s?{re.escape(name)}\s?[,)=]", str(error)) is not None


VERBS = """
Add Allocate Ask Build Call Change Check Choose Compute Convert Count Create Define Divide Drop
Feed Fill Give Include Insert Install Keep Leave List Load Look Make Move Multiply Name Open
Pass Put Raise Read Reduce Register Remove Repeat Replace Reshape Return Run Scale Search See
Select Set Shorten Skip Sort Spell Split Start Stop Store Subtract Swap Take Transpose Treat Try
Turn Use Wrap Write
"""
"""What a remedy begins with."""


def remedied(wrong: Wrong, error: GradwalkError) -> bool:
    """Return whether the remedy of a message works: a call of names of arguments, or a renaming."""
    call = wrong.right
    for ours, theirs in re.findall(r"(\w+)= instead of (\w+)=", error.fix):
        if theirs in wrong.named:
            named = {(ours if k == theirs else k): v for k, v in wrong.named.items()}
            return succeeds(call.function, wrong.args, named)
    given = fresh(dict(call.arguments))
    for p in signature_of(call.function).parameters.values():  # type: ignore[union-attr]
        if p.kind is p.VAR_POSITIONAL:
            given.setdefault(p.name, ())
    names = {**NAMES, "model": call.function, **given}
    names[getattr(call.function, "__name__", "f")] = call.function
    owner = getattr(call.function, "__self__", call.function)
    names |= dict(zip(getattr(owner, "shapes", ()), given.get("args", ()), strict=False))
    names["stats"] = stats
    if call.fixed:  # what the manual calls the object of a method
        names |= dict.fromkeys(("t", "value", "model", "optimizer"), next(iter(given.values())))
    others = [x for x in given.values() if not callable(x)]
    first = others[0] if others else 0.5
    if isinstance(first, tuple):
        first = first[0] if first else 0.5
    names.setdefault("x", first)
    if is_arrays(names["x"]) and isinstance(names["x"], list):
        names["x"] = np.asarray(names["x"])
    for code in codes_of(error.fix):
        with contextlib.suppress(Exception), quiet():
            eval(code, {"gradwalk": gradwalk, **names})
            return True
    return False


def codes_of(fix: str) -> Iterator[str]:
    """Yield the calls that a remedy writes down."""
    for match in re.finditer(r"[\w.]+\(", fix):
        for end in range(len(fix), match.end(), -1):
            if fix[end - 1] == ")":
                with contextlib.suppress(SyntaxError):
                    ast.parse(fix[match.start() : end], mode="eval")
                    yield fix[match.start() : end]
