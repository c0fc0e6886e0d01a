"""``gradwalk show``: a formula as a graph, with every gradient."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from math import isfinite
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from ..core.files import check_writable, write_file
from ..engine.node import ancestors
from ..engine.value import Value
from ..errors import ExpressionError, GradwalkError, OptionError
from ..expression import parse, read_value
from ..expression.spelling import nearest
from ..inspect import draw, to_dot, tree
from ..ops import TABLE
from ..studio.document import document_of
from ..studio.explore import Exploration
from .terminal import console

__all__ = ["arguments", "assignments", "notes", "show"]

OPTION = re.compile(r"--[a-z][a-z-]+(=.*)?|-[a-z]")
"""Arguments that look like options."""

ENDINGS: dict[str, tuple[str, ...]] = {"--svg": (".svg",), "--html": (".html", ".htm")}
"""The required endings of file names."""


FILES = ("--svg", "--dot", "--html")
"""The options that name a file."""


def show(
    formula: str, values: Iterable[str], svg: Path | None, dot: Path | None, html: Path | None
) -> None:
    """Print the graph of ``formula`` and a table of gradients, and write the requested files."""
    given = arguments(formula, values, FILES)
    for option, file in zip(FILES, (svg, dot, html), strict=True):
        if file is not None:
            _try(option, file)
    result = parse(formula).evaluate(given)
    result.backward()
    written = list(
        _written(result, formula, svg, dot, html)
    )  # before printing, so that an error comes alone
    out = console()
    out.print(Text(tree(result, names=False)), soft_wrap=True)
    if named := [node for node in ancestors(result) if node.label]:
        out.print(_table(named))
    for line in [*written, *notes(result)]:
        out.print(line, soft_wrap=True)


def notes(result: Value) -> Iterator[str]:
    """Yield a sentence about the first number of a graph that is not finite.

    >>> list(notes(parse("1 + log(x)").evaluate({"x": -1.0})))
    ['Note: log(-1) is nan: -1 is below 0, where the domain of log begins.']
    """
    for node in ancestors(result):
        numbers = [operand.data for operand in node.operands]
        if not isfinite(node.data) and all(map(isfinite, numbers)):
            name = node.op and _applied(node.op, [f"{x:g}" for x in numbers])
            yield f"Note: {name or node.label or 'a constant'} is {node.data:g}{_reason(node)}."
            return
    for node in ancestors(result):
        if not isfinite(node.grad):
            yield f"Note: the gradient of {node.label or node.op} is {node.grad:g}."
            return


def _applied(op: str, numbers: list[str]) -> str:
    infix = TABLE[op].infix if op in TABLE else ""
    return f" {infix} ".join(numbers) if infix else f"{op}({', '.join(numbers)})"


def _reason(node: Value) -> str:
    """Return the domain of an operation if an argument is outside."""
    domain = TABLE[node.op].domain if node.op in TABLE else ()
    for operand, (low, high) in zip(node.operands, domain, strict=False):
        if operand.data < low:
            return f": {operand.data:g} is below {low:g}, where the domain of {node.op} begins"
        if operand.data > high:
            return f": {operand.data:g} is above {high:g}, where the domain of {node.op} ends"
    return ""


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


def arguments(formula: str, texts: Iterable[str], options: Collection[str]) -> dict[str, float]:
    """Return the values of a command. Raise `OptionError` for options that it does not have.

    A formula may begin with a minus sign, so the parser of the command line takes unknown options
    for arguments.
    """
    values = list(texts)
    named = {value.partition("=")[0].strip() for value in values}
    is_option = formula.startswith("--") and formula.lstrip("-") not in named
    for text in [formula] * is_option + values:
        if OPTION.fullmatch(text):
            raise OptionError(
                where=text,
                expected=f"one of the options {', '.join([*options, '--help'])}",
                got=repr(text),
                fix=nearest(text.partition("=")[0], options) or "Leave it out.",
            )
    return assignments(values)


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
