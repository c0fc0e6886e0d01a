"""Functions that give something else at each call: clocks, and draws without a state to look at."""

from __future__ import annotations

import sys
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final

from ...errors import OptionError
from .names import Names

__all__ = ["expect_pure"]

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
TORCH: Final = "rand randn randint randperm normal bernoulli multinomial poisson rand_like randn_like"


def expect_pure(names: Names, f: Any) -> None:
    """Raise `OptionError` for a function whose code names a clock, or draws without a seed."""
    for chain in names.chains:
        kind = _kind_of(_resolved(f, chain))
        if kind is not None:
            raise OptionError(
                where="compile",
                expected="a function that computes the same from the same arguments",
                got=f"{f.__qualname__}, which {kind} by {'.'.join(chain)}: every replay would "
                "repeat what it gave",
                fix="Call it outside, and pass the result as an argument.",
            )


def _resolved(f: Any, chain: tuple[str, ...]) -> list[Any]:
    """Return what a global and its attributes are, without running code of the user."""
    x = f.__globals__.get(chain[0])
    found = [x]
    for name in chain[1:]:
        if not isinstance(x, (ModuleType, type)):
            break
        x = getattr(x, name, None)
        found.append(x)
    return found


def _kind_of(found: list[Any]) -> str | None:
    for x in found:
        name, module = getattr(x, "__name__", ""), _module_of(x)
        if isinstance(x, (ModuleType, FunctionType, MethodType)) and module == "":
            continue
        if type(name) is not str:
            continue
        if name in CLOCKS.get(module, "").split():
            return "reads the clock"
        if name in DRAWS.get(module, "").split() or _is_system_random(x):
            return "draws random numbers"
        if name in TORCH.split() and _is_of_torch(x):
            return "draws random numbers"
    return None


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
