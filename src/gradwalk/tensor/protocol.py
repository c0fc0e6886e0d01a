"""Plain NumPy on Tensors: what `numpy.sin(t)` and its kin do."""

from __future__ import annotations

__all__: list[str] = []
METHODS: tuple[str, ...] = ()
