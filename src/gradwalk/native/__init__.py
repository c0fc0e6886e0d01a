"""The compiled engine, unless it was not built or ``GRADWALK_PURE`` selects the Python engine."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import Any

from ..errors import SlowEngineWarning

__all__ = ["engine", "load"]


def load(name: str) -> Any:
    """Return a compiled module, or ``None`` if the Python engine has to run.

    Without a C compiler there is no compiled module: the first one that is missed is announced by
    a `SlowEngineWarning`. A module that exists but cannot be imported is a broken build. In
    WebAssembly nothing is compiled, and nothing announced.
    """
    if os.environ.get("GRADWALK_PURE", "0") not in ("", "0"):
        return None
    try:
        return import_module(f".{name}", __name__)
    except ModuleNotFoundError as error:
        if error.name == f"{__name__}.{name}":
            _announce(name)
            return None
        _warn(name, error)
    except ImportError as error:
        _warn(name, error)
    return None


def _announce(name: str) -> None:
    """Warn that there is no compiled engine; the other modules are of the same build."""
    if name == "_engine" and sys.platform != "emscripten":
        warnings.warn(
            SlowEngineWarning(
                where="import gradwalk",
                expected="its compiled engine",
                got="none, because no C compiler was found when gradwalk was installed: the Python "
                "engine computes the same numbers, much slower",
                fix="Install a C compiler (such as gcc, or Xcode's command line tools) and "
                "gradwalk again (pip install --force-reinstall --no-deps --no-cache-dir gradwalk), "
                "or set GRADWALK_PURE=1 to select the Python engine without this message.",
            ),
            stacklevel=2,
        )


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
