"""Linear algebra: ``gradwalk.linalg``."""

from __future__ import annotations

__all__: list[str] = []
METHODS: tuple[str, ...] = ()
