"""Tensors made from nothing: zeros, ones, ranges, and the like of another."""

from __future__ import annotations

__all__: list[str] = []
METHODS: tuple[str, ...] = ()
