"""Functions that rearrange: the same numbers in another shape or order."""

from __future__ import annotations

__all__: list[str] = []
METHODS: tuple[str, ...] = ()
