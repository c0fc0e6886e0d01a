"""Random Tensors from seeds: ``gradwalk.random``."""

from __future__ import annotations

__all__: list[str] = []
METHODS: tuple[str, ...] = ()
