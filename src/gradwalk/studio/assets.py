"""The built page: the files in ``static/`` that are built from ``web/``."""

from __future__ import annotations

from pathlib import Path

from ..errors import MissingExtraError

__all__ = ["STATIC", "TYPES", "asset", "text_of"]

STATIC = Path(__file__).parent / "static"

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
"""The media types of the page. The registry of some machines declares .js as plain text."""


def asset(name: str, folder: Path | None = None) -> Path:
    """Return the path of a built file. Raise `MissingExtraError` if the page was not built."""
    path = (folder or STATIC) / name
    if path.is_file():
        return path
    raise MissingExtraError(
        where="the page of gradwalk",
        expected=f"the built file {name} in the package",
        got="none: this is a source tree whose page has not been built",
        fix="Build it with Node: cd web && npm ci && npm run build.",
    )


def text_of(name: str) -> str:
    """Return the text of a built file."""
    return asset(name).read_text(encoding="utf-8")
