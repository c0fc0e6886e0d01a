"""Functions that give something else at each call: clocks, and draws without a state to look at."""

from __future__ import annotations

import builtins
import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from ...errors import OptionError
from .names import Names

__all__ = ["expect_pure", "expect_pure_names"]

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
    "secrets": "token_bytes token_hex token_urlsafe choice randbelow randbits SystemRandom",
    "random": "SystemRandom",
}
FILES: Final = {
    "io": "open",
    "_io": "open",
    "builtins": "input",
    "numpy": "load loadtxt genfromtxt fromfile",
}
KNOWN: Final = {"reads the clock": CLOCKS, "draws random numbers": DRAWS, "reads a file": FILES}

TORCH: Final = frozenset(
    "rand randn randint randperm normal bernoulli multinomial poisson rand_like randn_like".split()
)


def expect_pure_names(names: Names, f: Any) -> None:
    """Raise `OptionError` for a function whose code names a clock, a file or a draw."""
    for chain in names.chains:
        for x in _resolved(f, chain):
            expect_pure(x, ".".join(chain))
    for module in names.modules:  # imported inside, and not there yet perhaps
        for kind, known in KNOWN.items():
            for name in known.get(module, "").split():
                if name in names.attributes:
                    raise _impure(kind, f"{module}.{name}")


def expect_pure(x: Any, who: str) -> None:
    """Raise `OptionError` for a function that gives something else at each call."""
    kind = _kind_of(x)
    if kind is not None:
        raise _impure(kind, who)


def _impure(kind: str, who: str) -> OptionError:
    return OptionError(
        where="compile",
        expected="a function that computes the same from the same arguments",
        got=f"one that {kind} ({who}), which every replay would repeat",
        fix="Call it outside, and pass the result as an argument.",
    )


def _resolved(f: Any, chain: tuple[str, ...]) -> list[Any]:
    """Return what a global and its attributes are, without running code of the user."""
    x = f.__globals__.get(chain[0], getattr(builtins, chain[0], None))
    found = [x]
    for name in chain[1:]:
        if not isinstance(x, (ModuleType, type)) and not _is_system_random(x):
            break
        x = getattr(x, name, None)
        found.append(x)
    return found


def _kind_of(x: Any) -> str | None:
    if _is_system_random(x):
        return "draws random numbers"
    if not isinstance(x, (FunctionType, BuiltinFunctionType, MethodType, type)):
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


def _is_system_random(x: Any) -> bool:
    module = sys.modules.get("random")
    return module is not None and isinstance(x, module.SystemRandom)


def _is_of_torch(x: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and getattr(torch, x.__name__, None) is x
