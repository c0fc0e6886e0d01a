"""PyTorch, imported when one of its attributes is first read."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...errors import MissingExtraError


def __getattr__(name: str) -> Any:
    if name.startswith(("__", "pytest")):  # asked by tools that look for tests
        raise AttributeError(name)
    try:
        module = import_module("torch")
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            where="adopt()",
            expected="the package torch",
            got=f"no {error.name}",
            fix="Install it with pip install torch.",
        ) from error
    found = globals()[name] = getattr(module, name)  # the next time it is read at once
    return found
