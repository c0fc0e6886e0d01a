"""The compiled engine, if this machine has one and nobody asked for the Python one."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from typing import Any

__all__ = ["engine", "load"]


def load(name: str) -> Any:
    """A compiled module, or ``None`` where there is none: Python computes the same."""
    if os.environ.get("GRADWALK_PURE", "0") in ("", "0"):
        with suppress(ImportError):  # built without a C compiler
            return import_module(f".{name}", __name__)
    return None


engine: Any = load("_engine")
