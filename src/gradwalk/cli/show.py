"""``gradwalk show``: a formula as a graph, with every gradient."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from ..core.files import check_writable, write_file
from ..engine.node import ancestors
from ..engine.value import Value
from ..errors import ExpressionError, GradwalkError, OptionError
from ..expression import parse, read_value
from ..inspect import draw, to_dot, tree
from ..studio.document import document_of
from ..studio.explore import Exploration
from .terminal import console

__all__ = ["assignments", "show"]

ENDINGS: dict[str, tuple[str, ...]] = {"--svg": (".svg",), "--html": (".html", ".htm")}
"""The required endings of file names."""


def show(
    formula: str, values: Iterable[str], svg: Path | None, dot: Path | None, html: Path | None
) -> None:
    """Print the graph of ``formula`` and a table of gradients, and write the requested files."""
    files = {"--svg": svg, "--dot": dot, "--html": html}
    for option, file in files.items():
        if file is not None:
            _try(option, file)
    result = parse(formula).evaluate(assignments(values))
    result.backward()
    written = list(
        _written(result, formula, svg, dot, html)
    )  # before printing, so that an error comes alone
    out = console()
    out.print(Text(tree(result, names=False)), soft_wrap=True)
    if named := [node for node in ancestors(result) if node.label]:
        out.print(_table(named))
    for line in written:
        out.print(line, soft_wrap=True)


def _try(option: str, file: Path) -> None:
    """Raise an error if a file cannot be written, without changing it."""
    endings = ENDINGS.get(option, ())
    if endings and file.suffix.lower() not in endings:
        raise OptionError(
            where=option,
            expected=f"a file name that ends in {endings[0]}",
            got=repr(str(file)),
            fix=f"Write {option} graph{endings[0]}.",
        )
    check_writable(file)


def _written(
    result: Value, formula: str, svg: Path | None, dot: Path | None, html: Path | None
) -> Iterator[str]:
    """Write the requested files, and yield a line about each."""
    if svg is not None:
        draw(result, names=False).save(svg)
        yield f"Graph: {svg}"
    if dot is not None:
        write_file(dot, to_dot(result, names=False).encode())
        yield f"DOT:   {dot}"
    if html is not None:
        Exploration(document_of(result, names=False, source=formula)).save(html)
        yield f"Walk:  {html}"


def _table(nodes: list[Value]) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("name", style="bold")
    table.add_column("value", justify="right")
    table.add_column("gradient", justify="right", style="cyan")
    for node in nodes:
        table.add_row(Text(node.label), f"{node.data:.8g}", f"{node.grad:.8g}")
    return table


def assignments(texts: Iterable[str]) -> dict[str, float]:
    """Read assignments such as ``a=2``. The number may be a formula without variables.

    >>> assignments(["a=2", "b=-3", "angle=pi/2"])
    {'a': 2.0, 'b': -3.0, 'angle': 1.5707963267948966}
    """
    values: dict[str, float] = {}
    for text in texts:
        name, equals, number = (part.strip() for part in text.partition("="))
        if not equals or not name.isidentifier():
            raise _wrong(text, "NAME=NUMBER", "Write a=2, without blanks around the =.")
        if name in values:
            raise _wrong(text, f"one value for {name}", "Leave all but one out.")
        values[name] = _number(text, number)
    return values


def _number(text: str, number: str) -> float:
    try:
        return read_value(number)
    except GradwalkError:
        raise _wrong(text, "a number after the =", "Write a=-3, a=1e-3 or a=pi/2.") from None


def _wrong(text: str, expected: str, fix: str) -> ExpressionError:
    return ExpressionError(where="values", expected=expected, got=repr(text), fix=fix)
