"""JAX, imported when one of its attributes is first read."""

from __future__ import annotations

from typing import Any

from ..library import attribute_of


def __getattr__(name: str) -> Any:
    return attribute_of("jax", name, "adopt(f, *args)", globals())
