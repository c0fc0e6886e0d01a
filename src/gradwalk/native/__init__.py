"""The compiled engine, if this machine has one and nobody asked for the Python one."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from typing import Any

__all__ = ["engine"]

engine: Any = None

if os.environ.get("GRADWALK_PURE", "0") in ("", "0"):
    with suppress(ImportError):  # built without a C compiler: the Python engine computes the same
        engine = import_module("._engine", __name__)
