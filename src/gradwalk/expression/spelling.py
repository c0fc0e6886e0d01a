"""Guesses at the name that was meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from .language import NEAREST, OTHER_NAMES

__all__ = ["nearest"]


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a question that offers the known name most like ``name``; "" if none is like it."""
    names = list(known)
    other = OTHER_NAMES.get(name, "")
    similar = [other] if other in names else get_close_matches(name, names, n=1, cutoff=0.65)
    return NEAREST.format(name=similar[0]) if similar else ""
