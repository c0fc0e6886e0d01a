"""The command line: ``gradwalk show`` and ``gradwalk train`` (extra ``gradwalk[cli]``)."""

from __future__ import annotations

from .app import app

__all__ = ["app"]
