"""``gradwalk studio``: serve the page on this machine."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from rich.text import Text

from ..errors import MissingExtraError
from ..expression import parse
from ..studio.document import document_of
from .show import arguments
from .terminal import console

__all__ = ["studio"]

OPTIONS = ("--port", "--host", "--browser", "--no-browser")

NEEDED = ("starlette", "uvicorn", "websockets")
"""The packages that the studio requires besides those of the command line: the extra ``studio``."""


def studio(
    formula: str | None, values: Iterable[str], host: str, port: int | None, browser: bool
) -> None:
    """Serve the page until Ctrl-C, and open the walk through ``formula`` if there is one."""
    document = None
    if formula is not None:
        result = parse(formula).evaluate(arguments(formula, values, OPTIONS))
        document = document_of(result, names=False, source=formula)
    launch = _launch()
    out = console()
    if not launch.is_loopback(host):
        warning = f"Anyone who can reach {host} and knows this address can use the studio."
        out.print(Text(warning, style="yellow"), soft_wrap=True)

    def say(url: str) -> None:
        out.print(f"gradwalk studio: {url}\nCtrl-C ends it.", soft_wrap=True)

    launch.serve(document, host=host, port=port, browser=browser, say=say)


def _launch() -> Any:
    try:
        for package in NEEDED:
            import_module(package)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            where="gradwalk studio",
            expected=f"the packages {', '.join(NEEDED)}",
            got=f"no {error.name}",
            fix="Install them with pip install 'gradwalk[studio]'.",
        ) from error
    return import_module("..studio.launch", __package__)
