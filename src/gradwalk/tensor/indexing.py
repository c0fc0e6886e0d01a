"""Functions that take parts of an array, and put parts into it."""

from __future__ import annotations

__all__: list[str] = []
METHODS: tuple[str, ...] = ()
