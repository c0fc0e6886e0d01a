"""Functions that give something else at each call: clocks, files, and draws without a state.

That code names one of them says little: a branch may never be taken. So the recorded run is
watched if anything is named, and only then, because that takes time.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from ...errors import OptionError
from .names import Names

__all__ = ["Impure", "changing", "impure_in", "watched"]

Impure = dict[Any, str]
"""Functions of Python by their code, and others, with what each does."""

CLOCKS: Final = {
    "time": "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time "
    "process_time_ns thread_time thread_time_ns localtime gmtime ctime",
    "datetime": "now utcnow today",
}
DRAWS: Final = {
    "posix": "urandom getrandom",
    "nt": "urandom",
    "os": "urandom getrandom",
    "uuid": "uuid1 uuid4",
    "secrets": "token_bytes token_hex token_urlsafe choice randbelow randbits",
}
FILES: Final = {
    "io": "open",
    "_io": "open",
    "builtins": "input",
    "numpy": "load loadtxt genfromtxt fromfile",
}
KNOWN: Final = {"reads the clock": CLOCKS, "draws random numbers": DRAWS, "reads a file": FILES}

TORCH: Final = frozenset(
    "rand randn randint randperm normal bernoulli multinomial poisson rand_like".split()  # noqa: SIM905
)


def impure_in(names: Names, f: FunctionType) -> Impure:
    """Return the clocks, files and draws that the code of a function names."""
    found: Impure = {}
    for chain in names.chains:
        for x in _resolved(f, chain):
            found |= changing(x, ".".join(chain))
    for module in names.modules:  # imported inside
        for known in KNOWN.values():
            for name in set(known.get(module, "").split()) & names.attributes:
                found |= changing(_member(import_module(module), name), f"{module}.{name}")
    return found


def _member(module: ModuleType, name: str) -> Any:
    return getattr(module, name, None) or getattr(getattr(module, "datetime", None), name, None)


def changing(x: object, who: str) -> Impure:
    """Return what there is to watch of a function that gives something else at each call."""
    kind = _kind_of(x)
    if kind is None:
        return {}
    text = f"{kind} ({who})"
    if _is_system_random(x):
        functions = [f for c in type(x).__mro__ for f in vars(c).values()]
        return {f.__code__: text for f in functions if isinstance(f, FunctionType)}
    if isinstance(x, type):  # of such generators
        functions = list(vars(x).values())
        return {f.__code__: text for f in functions if isinstance(f, FunctionType)}
    inner: Any = getattr(x, "__func__", x)
    return {getattr(inner, "__code__", x): text}


@contextmanager
def watched(impure: Impure) -> Iterator[None]:
    """Raise `OptionError` at the end of a run that has called one of these functions."""
    if not impure:
        yield
        return
    called: list[str] = []

    def note(frame: Any, event: str, function: Any) -> None:
        if event == "call" or event == "c_call":
            text = impure.get(frame.f_code if event == "call" else function)
            if text is not None:
                called.append(text)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before)
    if called:
        raise OptionError(
            where="compile",
            expected="a function that computes the same from the same arguments",
            got=f"one that {called[0]}, which every replay would repeat",
            fix="Call it outside, and pass the result as an argument.",
        )


def _resolved(f: FunctionType, chain: tuple[str, ...]) -> list[Any]:
    """Return what a global and its attributes are, without running code of the user."""
    x: Any = f.__globals__.get(chain[0], getattr(builtins, chain[0], None))
    found = [x]
    for name in chain[1:]:
        if not isinstance(x, (ModuleType, type)):
            break
        x = getattr(x, name, None)
        found.append(x)
    return found


def _kind_of(x: object) -> str | None:
    if _is_system_random(x) or x is getattr(sys.modules.get("random"), "SystemRandom", 0):
        return "draws random numbers"
    if not isinstance(x, (FunctionType, BuiltinFunctionType, MethodType)):
        return None
    name, module = x.__name__, _module_of(x)
    for kind, known in KNOWN.items():
        if name in known.get(module, "").split():
            return kind
    return "draws random numbers" if name in TORCH and _is_of_torch(x) else None


def _module_of(x: Any) -> str:
    owner = getattr(x, "__self__", None)
    if isinstance(owner, type):  # datetime.now
        return owner.__module__
    if _is_system_random(owner):
        return "secrets"
    return str(getattr(x, "__module__", "") or "")


def _is_system_random(x: object) -> bool:
    module = sys.modules.get("random")
    return module is not None and isinstance(x, module.SystemRandom)


def _is_of_torch(x: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and getattr(torch, x.__name__, None) is x
