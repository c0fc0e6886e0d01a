"""Frameworks as modules that are imported when one of their attributes is first read."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import MissingExtraError

__all__ = ["attribute_of"]


def attribute_of(package: str, name: str, where: str, known: dict[str, Any]) -> Any:
    """Return an attribute of a framework, and store it in ``known``, where it is found at once.

    Raise `MissingExtraError`, which names the caller ``where``, if it is not installed.
    """
    if name.startswith(("__", "pytest")):  # asked by tools that look for tests
        raise AttributeError(name)
    try:
        module = import_module(package)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            where=where,
            expected=f"the package {package}",
            got=f"no {error.name}",
            fix=f"Install it with pip install {package}.",
        ) from error
    found = known[name] = getattr(module, name)
    return found


def framework(name: str, where: str) -> Any:
    """Return a framework. Raise `MissingExtraError` if it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(
            where=where,
            expected=f"the package {name}",
            got="an installation without it",
            fix=f"Install it first: pip install {name} array-api-compat.",
        ) from error
