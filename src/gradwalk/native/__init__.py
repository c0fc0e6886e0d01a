"""The compiled engine, unless it was not built or ``GRADWALK_PURE`` selects the Python engine."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import Any

__all__ = ["engine", "load"]


def load(name: str) -> Any:
    """Return a compiled module, or ``None`` if the Python engine has to run.

    Without a C compiler there is no compiled module, which is a usual installation. A module that
    exists but cannot be imported is a broken build, which would go unnoticed: it is only slow.
    """
    if os.environ.get("GRADWALK_PURE", "0") not in ("", "0"):
        return None
    try:
        return import_module(f".{name}", __name__)
    except ModuleNotFoundError as error:
        if error.name == f"{__name__}.{name}":
            return None
        _warn(name, error)
    except ImportError as error:
        _warn(name, error)
    return None


def _warn(name: str, error: ImportError) -> None:
    """Warn that a compiled module cannot be imported."""
    warnings.warn(
        f"gradwalk.native: expected a compiled module that can be imported, got {name}: {error}. "
        "Run pip install --force-reinstall --no-deps . in the folder of the sources to build it "
        "again, or set GRADWALK_PURE=1 to select the Python engine, which is much slower.",
        RuntimeWarning,
        stacklevel=3,
    )


engine: Any = load("_engine")
