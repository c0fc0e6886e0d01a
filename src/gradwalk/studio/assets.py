"""The built page: the files that ``web/`` is made into, which lie in ``static/``."""

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
"""What the page may consist of. Told here, since some machines believe that .js is plain text."""


def asset(name: str, folder: Path | None = None) -> Path:
    """The path of a built file; `MissingExtraError` if the page has not been built."""
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
    """The text of a built file."""
    return asset(name).read_text(encoding="utf-8")
