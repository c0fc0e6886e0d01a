"""Functions that sort, search and select."""

from __future__ import annotations

__all__: list[str] = []
METHODS: tuple[str, ...] = ()
