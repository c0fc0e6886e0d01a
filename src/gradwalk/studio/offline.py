"""One self-contained HTML file with the walk, its style and the graph. It needs no server."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from typing import Any

from .assets import text_of

__all__ = ["hash_of", "json_in_script", "page_of"]

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · gradwalk</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<noscript>This page needs JavaScript.</noscript>{reading}
<script type="application/json" id="gradwalk-document">{document}</script>
<script type="module">{script}</script>
</body>
</html>
"""

NOT_IN_SCRIPTS = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def page_of(document: Mapping[str, Any]) -> str:
    """Return the walk through a document as one HTML page that makes no requests.

    Nothing else may run in it, nor be loaded: its policy names its own script and style by their
    hashes. `MissingExtraError` where the page has not been built.
    """
    script = _inline(text_of("walk.js"), "script")
    style = _inline(text_of("walk.css"), "style")
    policy = (
        f"default-src 'none'; script-src {hash_of(script)}; style-src {hash_of(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    title = document["title"] or " ".join(document.get("source", "graph").split())
    return PAGE.format(
        policy=policy,
        title=escape(title),
        style=style,
        script=script,
        reading=_reading(len(document["nodes"])),
        document=json_in_script(document),
    )


LARGE = 5000  # nodes that take a noticeable time until they are shown


def _reading(nodes: int) -> str:
    """Return what the page shows while it reads a large graph."""
    text = f'\n<p id="gradwalk-reading" class="gradwalk">Reading {nodes:,} nodes …</p>'
    return text if nodes >= LARGE else ""


def json_in_script(data: object) -> str:
    """Return JSON that can neither end its HTML element nor open a comment.

    >>> print(json_in_script({"label": "</script>"}))
    {"label":"\\u003c/script\\u003e"}
    """
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.translate(NOT_IN_SCRIPTS)


def _inline(text: str, element: str) -> str:
    """Return a script or style for its element, with the line ends that browsers normalise to."""
    unix = text.replace("\r\n", "\n")
    return unix.replace(f"</{element}", f"<\\/{element}").replace("<!--", "<\\!--")


def hash_of(text: str) -> str:
    """Return the Content-Security-Policy source of an inline script or style."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
