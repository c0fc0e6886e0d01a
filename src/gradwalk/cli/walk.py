"""``gradwalk walk``: step through the graph of a formula, forward and backward."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache

import typer
from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ..expression import parse
from ..inspect.graph import number
from ..inspect.steps import Steps, applied, steps
from ..ops import TABLE
from ..program.formulas.formula import slope
from .keys import END_OF_INPUT, Reader, single_keys
from .show import arguments, notes
from .terminal import INTERRUPTED, console

__all__ = ["View", "walk"]

KEYS = """\
right, space, n, j    one step forward
left, p, k            one step back
home, end             first step, last step
12 g                  go to step 12
?                     show or hide these keys
q                     quit
"""

PATIENCE = 0.2  # seconds between checks of the terminal's size
FRAME = 6  # lines besides the nodes: title, head of the table and its rules, blank lines, keys

NARROW = 50  # columns; narrower terminals hide the operation of each node

WORD = re.compile(r"[^\W\d_][A-Za-z0-9_]*")  # not the ² of y²

FORWARD, BACKWARD, BLOCKED = "bold blue", "bold dark_orange", "dim"


def walk(formula: str, values: Iterable[str]) -> None:
    """Step through the graph of ``formula``. Without a terminal, print all steps."""
    result = parse(formula).evaluate(arguments(formula, values, ()))
    told = steps(result, names=False)
    out = console()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        for line in (*plain(told), *notes(result)):
            out.print(line, soft_wrap=True)
        return
    try:
        with single_keys() as read:
            show(View(told), out, read)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def plain(told: Steps) -> Iterator[str]:
    """Yield every step as lines of text (number, kind, sentences), then all gradients."""
    width = len(str(told.last))
    for step, taken in enumerate(told.steps):
        head = f"{step:>{width}}  {taken.kind:<8}  "
        for sentence in told.sentences(step):
            yield head + sentence
            head = " " * len(head)
    gradients = told.gradients(told.last)
    for i, item in enumerate(told.items):
        if item.name and not item.constant:
            yield f"{' ' * width}  {told.name(i)}.grad = {gradients.get(i, 0.0)!r}"


def show(view: View, out: Console, read: Reader) -> None:
    """Draw the view, and redraw it after each key or change of size, until the user quits."""
    with Live(console=out, screen=True, auto_refresh=False, vertical_overflow="crop") as live:
        drawn = None
        while True:
            if drawn != (view.state(), out.size):
                drawn = (view.state(), out.size)
                live.update(view.picture(out), refresh=True)
            key = read(PATIENCE)
            if key in ("q", "Q", END_OF_INPUT):
                return
            view.press(key)


class View:
    """The state of a walk in the terminal, and its picture."""

    told: Steps
    step: int
    digits: str
    help: bool

    def __init__(self, told: Steps) -> None:
        self.told, self.step, self.digits, self.help = told, 0, "", False

    def state(self) -> tuple[int, str, bool]:
        """Return the state that the picture depends on, besides the size of the terminal."""
        return self.step, self.digits, self.help

    def press(self, key: str) -> None:
        """Carry out a key. Unknown keys do nothing."""
        if key.isdecimal() and key.isascii():
            self.digits = (self.digits + key)[-9:]
            return
        targets = {
            **dict.fromkeys(("right", " ", "n", "j"), self.step + 1),
            **dict.fromkeys(("left", "p", "k"), self.step - 1),
            "home": 0,
            "end": self.told.last,
            "g": int(self.digits or self.step),
        }
        if key:
            self.help = key == "?" and not self.help
            self.step = max(0, min(self.told.last, targets.get(key, self.step)))
            self.digits = ""

    def picture(self, out: Console) -> Group:
        """Return the title, the nodes around the current one, and the sentences of the step."""
        taken = self.told.steps[self.step]
        title = Text(f"step {self.step} of {self.told.last}  {taken.kind}", style="bold")
        keys = Text(f"{self.digits}g" if self.digits else "← → step   ? keys   q quit", "dim")
        if self.help:
            return Group(title, Text(), Text(KEYS), keys)
        sentences = Text("\n").join(self._sentences())
        lines = len(out.render_lines(sentences, pad=False))
        room = max(1, out.height - FRAME - lines)
        return Group(title, self._nodes(room, out.width), Text(), sentences, Text(), keys)

    def _sentences(self) -> Iterator[Text]:
        """Yield each sentence, with the formula of its local derivative if there is one."""
        taken = self.told.steps[self.step]
        style = {"forward": FORWARD, "seed": BACKWARD, "backward": BACKWARD}.get(taken.kind, "")
        formulas = [self._slope(taken.node, c.position) for c in taken.contributions]
        sentences = self.told.sentences(self.step)
        for i, sentence in enumerate(sentences):
            formula = formulas[i] if i < len(formulas) else ""
            blocked = sentence.startswith("No gradient")
            yield Text.assemble((sentence, BLOCKED if blocked else style), (formula, "dim"))

    def _slope(self, node: int, position: int) -> str:
        """Return the local derivative in the graph's own names, as a note: ``∂v4/∂c = v2``."""
        told, item = self.told, self.told.items[node]
        if item.primitive is None:
            return ""
        names = dict(zip(item.primitive.params, map(told.name, item.inputs), strict=False))
        names["z" if "y" in item.primitive.params else "y"] = told.name(node)
        formula = _formula(item.op, position)
        own = WORD.sub(lambda word: names.get(word[0], word[0]), formula)
        if own == formula:  # a number: the sentence has it already
            return ""
        return f"   (∂{told.name(node)}/∂{told.name(item.inputs[position])} = {own})"

    def _nodes(self, room: int, width: int) -> Table:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        heads = ["", "node", "is"] if width >= NARROW else ["", "node"]  # numbers matter more
        for name in heads:
            table.add_column(name, no_wrap=True)
        for name in ("data", "grad"):
            table.add_column(name, justify="right", no_wrap=True)
        gradients = self.told.gradients(self.step)
        for node in self._around(room):
            row = self._primitive(node, gradients)
            table.add_row(*row[: len(heads)], *row[3:], style=self._style(node))
        return table

    def _around(self, room: int) -> list[int]:
        """Return the nodes that fit, with the current one in the middle, without constants."""
        nodes = [i for i, item in enumerate(self.told.items) if not item.constant] or [0]
        current = self.told.steps[self.step].node if self.step else nodes[0]
        middle = nodes.index(current) if current in nodes else 0
        first = max(0, min(middle - room // 2, len(nodes) - room))
        return nodes[first : first + room]

    def _primitive(self, node: int, gradients: dict[int, float]) -> list[str]:
        told, item = self.told, self.told.items[node]
        made = applied(item, [told.name(i) for i in item.inputs]) if item.inputs else "leaf"
        data = number(item.data) if told.known(node, self.step) else ""
        grad = number(gradients[node]) if node in gradients else ""
        return [self._mark(node), told.name(node), made, data, grad]

    def _mark(self, node: int) -> str:
        """Return ▶ for the node of the step, + for operands with a contribution, × for others."""
        taken = self.told.steps[self.step]
        if node == taken.node:
            return "▶" if self.step else ""
        given = [c.contribution for c in taken.contributions if c.operand == node]
        return "" if not given else "×" if all(c is None for c in given) else "+"

    def _style(self, node: int) -> str:
        mark = self._mark(node)
        taken = self.told.steps[self.step]
        current = f"reverse {FORWARD if taken.kind == 'forward' else BACKWARD}"
        return {"▶": current, "+": BACKWARD, "×": BLOCKED}.get(mark, "")


@cache
def _formula(op: str, position: int) -> str:
    """Return the local derivative of a primitive in the letters of the table."""
    row = TABLE.get(op)
    found = slope(row, position) if row is not None else None
    return "" if found is None else found.text
