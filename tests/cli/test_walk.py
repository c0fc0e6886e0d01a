"""The walk in steps: its model agrees with every sweep; in the terminal it is walked by keys."""

from __future__ import annotations

import contextlib
import io
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from math import inf, nan

import pytest
import typer
from hypothesis import given
from rich.console import Console
from typer.testing import CliRunner

import gradwalk
from gradwalk import Value
from gradwalk.cli import app
from gradwalk.cli.keys import END_OF_INPUT, _read, single_keys
from gradwalk.cli.walk import View, plain, show, walk
from gradwalk.engine.node import ancestors
from gradwalk.expression import parse
from gradwalk.inspect.steps import steps, written

from ..engine.test_random_programs import ANY_FLOAT, NUMERIC, programs
from ..helpers.amount import examples

FORMULA = "(a + b) * c", "a=2", "b=-3", "c=10"


@pytest.fixture(autouse=True)
def interruptible():
    """Ctrl-C counts, also where the tests run in the background, which ignores it for everybody."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def told_of(formula, **values):
    return steps(parse(formula).evaluate(values), names=False)


# --- the model ----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::gradwalk.errors.CutGraphWarning")
@examples(60)
@given(program=programs(NUMERIC, ANY_FLOAT))
def test_the_last_step_has_the_gradients_of_backward(program, bits):
    _, known = program.run(Value)
    result = next(x for x in reversed(known) if isinstance(x, Value))
    told = steps(result, names=False)
    nodes = ancestors(result)
    assert not any(node.grad for node in nodes), "steps only look"
    result.backward()
    arrived = told.gradients(told.last)
    mine = [i for i, item in enumerate(told.items) if not item.constant]
    for i, node in zip(mine, nodes, strict=True):
        gradient = arrived.get(i, 0.0)
        # Leaves add to their 0.0, which makes a -0.0 positive.
        assert bits(gradient if node.operands else 0.0 + gradient) == bits(node.grad)


@examples(60)
@given(program=programs(NUMERIC, ANY_FLOAT))
def test_steps_have_an_order_that_can_be_walked(program):
    _, known = program.run(Value)
    told = steps(next(v for v in reversed(known) if isinstance(v, Value)), names=False)
    kinds = [step.kind for step in told.steps]
    inner = [i for i, item in enumerate(told.items) if item.inputs]
    assert kinds == ["start", *["forward"] * len(inner), "seed", *["backward"] * len(inner)]
    for number, step in enumerate(told.steps):
        item = told.items[step.node]
        if step.kind == "forward":
            assert all(told.known(i, number) for i in item.inputs)
            assert told.known(step.node, number)
            assert not told.known(step.node, number - 1)
        before = told.gradients(number - 1) if number else {}
        if step.kind == "backward":
            assert repr(step.gradient) == repr(before.get(step.node))  # bit for bit, or neither
        for share in step.contributions:
            assert item.inputs[share.position] == share.operand
            assert (share.slope is None) == (share.contribution is None)
        assert told.sentences(number), "every step says something"
    assert sorted(s.node for s in told.steps if s.kind == "backward") == inner


def test_what_has_arrived_is_known_at_every_step():
    told = told_of("d = a * a; d + a", a=3.0)
    arrived = [told.gradients(n) for n in range(told.last + 1)]
    a, d, y = 0, 1, 2
    assert arrived == [{}, {}, {}, {y: 1.0}, {y: 1.0, d: 1.0, a: 1.0}, {y: 1.0, d: 1.0, a: 7.0}]


def test_sentences_carry_the_numbers():
    told = told_of("e = a + b; f = e * c; f * 2", a=2.0, b=-3.0, c=10.0)
    sentences = [told.sentences(n) for n in range(told.last + 1)]
    assert sentences[0] == ["Only the leaves have numbers: a = 2.0, b = -3.0, c = 10.0."]
    assert sentences[1] == ["e = a + b = 2.0 + (-3.0) → -1.0"]
    assert ["f.grad += v6.grad × ∂v6/∂f = 1.0 × 2.0 → 2.0"] in sentences
    assert "e.grad += f.grad × ∂f/∂e = 2.0 × 10.0 → 20.0" in sentences[6]


def test_sentences_add_up_what_arrives_twice():
    assert told_of("a * a", a=3.0).sentences(3) == [
        "a.grad += v1.grad × ∂v1/∂a (operand 1) = 1.0 × 3.0 → 3.0",
        "a.grad += v1.grad × ∂v1/∂a (operand 2) = 1.0 × 3.0 → 3.0; a.grad: 3.0 + 3.0 → 6.0",
    ]


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("relu(-a)", "relu is flat at -2.0 (convention at the kink: slope 0 at 0)"),
        ("maximum(a, 5)", "2.0 is not the larger one"),
        ("minimum(a, 1)", "2.0 is not the smaller one"),
        ("floor(a)", "floor is declared to have no derivative"),
        ("where(a, a, 3)", "where uses it only as a condition"),
        ("where(0.0, a, 3)", "the condition is 0.0, so the other branch was taken"),
        ("clip(a, 0, 1)", "clip is flat at 2.0, 0.0, 1.0 (convention at the kink: slope 1 on both"),
    ],
)
def test_a_blocked_gradient_has_its_reason(formula, reason):
    told = told_of(formula, a=2.0)
    sentences = [text for n in range(told.last + 1) for text in told.sentences(n)]
    assert any("No gradient flows to " in text and reason in text for text in sentences)


def test_what_nothing_reaches_says_so():
    told = told_of("b = -a; floor(b) + a", a=2.0)
    assert told.sentences(told.last) == ["No gradient has reached b, so it propagates none."]
    assert told.steps[told.last].gradient is None


def test_a_formula_of_plain_numbers_has_no_gradients():
    told = steps(parse("exp(a) * 2").evaluate({"a": 0.0}), names=False)
    assert told.name(2) == "2.0"
    y = Value(1.0)
    with gradwalk.no_grad():
        y = y * 2
    assert [step.kind for step in steps(y).steps] == ["start", "seed"]


def test_names_come_from_labels_and_variables():
    x = Value(2.0)
    y = x * Value(3.0, label="a\x1b[31m b")
    told = steps(y)
    assert [told.name(i) for i in range(3)] == ["x", "a\ufffd[31m b", "y"]
    assert steps(y, names={"w": y}).name(2) == "w"


def test_steps_of_something_else_are_refused():
    with pytest.raises(gradwalk.errors.NotANumberError, match="Value"):
        steps(3.0)


def test_numbers_are_written_with_a_point():
    texts = {10.0: "10.0", -3.0: "-3.0", 1 / 3: "0.333333", 1e-7: "1e-7", 1e22: "1e22"}
    texts |= {123456.0: "123456.0", 1234567.0: "1.23457e6", inf: "inf", -inf: "-inf", nan: "nan"}
    assert {number: written(number) for number in texts} == texts


def test_what_is_no_number_is_spelled_as_python_prints_it():
    told = told_of("b = a - a; c = b * 2; where(a > 0, c, log(a))", a=inf)
    view = View(told)
    view.press("end")
    lines = [*plain(told), drawn(view)]
    assert any("nan" in line for line in lines)
    assert not any("NaN" in line or "Infinity" in line for line in lines)


# --- without a terminal -------------------------------------------------------------------------


def test_without_a_terminal_the_whole_walk_is_printed():
    done = CliRunner().invoke(app, ["walk", *FORMULA])
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert lines[0].startswith("0  start     Only the leaves")
    assert lines[2] == "2  forward   v4 = v2 × c = -1.0 × 10.0 → -10.0"
    assert lines[-3:] == ["   a.grad = 10.0", "   b.grad = 10.0", "   c.grad = -1.0"]
    assert "\x1b" not in done.output


def test_a_mistake_is_one_line_and_exit_code_2():
    for words in (["(a + * b)", "a=1"], ["a + b", "a=1"], ["a", "a=x"], ["import os"]):
        done = CliRunner().invoke(app, ["walk", *words])
        assert done.exit_code == 2
        assert done.output.startswith("gradwalk: ")
        assert done.output.count("\n") == 1


# --- the view -----------------------------------------------------------------------------------


def drawn(view, width=80, height=24):
    console = Console(width=width, height=height, record=True, file=io.StringIO())
    console.print(view.picture(console))
    return console.export_text()


def test_keys_move_through_the_steps():
    view = View(told_of("(a + b) * c", a=2.0, b=-3.0, c=10.0))
    found = []
    for key in ("right", " ", "n", "j", "left", "p", "k", "end", "right", "home", "left", "x", ""):
        view.press(key)
        found.append(view.step)
    assert found == [1, 2, 3, 4, 3, 2, 1, 5, 5, 0, 0, 0, 0]


def test_digits_and_g_jump():
    view = View(told_of("(a + b) * c", a=2.0, b=-3.0, c=10.0))
    for keys, step in (("4g", 4), ("g", 4), ("00g", 0), ("12g", 5), ("1\0g", 5), ("²g", 5)):
        for key in keys:
            view.press(key)
        assert view.step == step
    view.press("1")
    view.press("")
    assert view.digits == "1", "waiting is no key"


def test_the_picture_shows_what_is_known():
    view = View(told_of("(a + b) * c", a=2.0, b=-3.0, c=10.0))
    assert "step 0 of 5" in drawn(view)
    assert "▶" not in drawn(view)
    assert "-1" not in drawn(view)
    view.press("right")
    assert re.search(r"▶ +v2 +a \+ b +-1 *\n", drawn(view))
    view.press("4")
    view.press("g")
    text = drawn(view)
    assert re.search(r"\+ +v2 +a \+ b +-1 +10 *\n", text)
    assert "v2.grad += v4.grad × ∂v4/∂v2 = 1.0 × 10.0 → 10.0" in text
    assert "(∂v4/∂v2 = c)" in text, "and the local derivative in the graph's own names"


def test_a_narrow_terminal_shows_numbers_whole():
    view = View(told_of("(a + b) * c", a=2.0, b=-3.0, c=-1234.0))
    view.press("end")
    assert re.search(r"▶ +v2 +-1 +-1234 *\n", drawn(view, width=25))


def test_help_comes_and_goes():
    view = View(told_of("a * a", a=2.0))
    view.press("?")
    assert "12 g" in drawn(view)
    view.press("?")
    assert "12 g" not in drawn(view)


@pytest.mark.parametrize("height", [5, 10, 24, 60])
def test_a_picture_fits_whatever_the_size(height):
    formula = "; ".join(f"v{i + 1} = v{i} * v{i} + {i}" for i in range(40))
    view = View(told_of(f"v0 = a; {formula}", a=0.5))
    for step in range(0, view.told.last + 1, 23):
        view.step = step
        text = drawn(view, height=height)
        assert text.count("\n") <= max(height, 11)
        assert view.step == 0 or "▶" in text


def test_the_screen_follows_the_keys():
    keys = iter(["", "right", "right", "?", "?", "q", "never"])
    console = Console(width=80, height=24, file=io.StringIO(), force_terminal=True)
    view = View(told_of("(a + b) * c", a=2.0, b=-3.0, c=10.0))
    show(view, console, lambda seconds: next(keys))
    assert view.step == 2
    assert next(keys) == "never"
    drawn = console.file.getvalue()
    assert [f"step {n} of 5" in drawn for n in range(4)] == [True, True, True, False]
    assert drawn.count("step 0 of 5") == 1, "what has not changed is not drawn again"


# --- in a terminal ------------------------------------------------------------------------------

pty = pytest.importorskip("pty", reason="terminals of this kind are of POSIX systems")
fcntl, struct, termios = (pytest.importorskip(name) for name in ("fcntl", "struct", "termios"))


@pytest.fixture
def keyboard(monkeypatch):
    """A terminal in place of standard input, and the end at which its keys are pressed."""
    outside, inside = pty.openpty()
    with open(inside, encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        yield outside
    with contextlib.suppress(OSError):
        os.close(outside)


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("n4g", ["n", "4", "g", ""]),
        ("\x1b[C\x1bOD\x1b[1~\x1b[F", ["right", "left", "home", "end", ""]),
        ("\x1b[31;5uq", ["escape", "q", ""]),
        ("\x1b", ["escape", ""]),
        ("é", ["Ã", "©", ""]),
    ],
)
def test_keys_have_names(keyboard, typed, keys):
    before = termios.tcgetattr(sys.stdin)
    with single_keys() as read:
        assert termios.tcgetattr(sys.stdin) != before
        os.write(keyboard, typed.encode())
        assert [read(1.0 if key else 0.0) for key in keys] == keys
    assert termios.tcgetattr(sys.stdin) == before


def test_the_terminal_is_as_it_was_after_an_error(keyboard):
    before = termios.tcgetattr(sys.stdin)
    with pytest.raises(KeyboardInterrupt), single_keys():
        raise KeyboardInterrupt
    assert termios.tcgetattr(sys.stdin) == before


def test_no_more_input_is_a_key_of_its_own():
    read, write = os.pipe()
    os.close(write)
    assert _read(read, 1.0) == END_OF_INPUT
    os.close(read)


@pytest.mark.parametrize("interrupted", [False, True])
def test_in_a_terminal_the_view_is_shown(keyboard, monkeypatch, interrupted):
    out = Console(width=80, height=24, file=io.StringIO(), force_terminal=True)
    monkeypatch.setattr("gradwalk.cli.walk.console", lambda: out)
    monkeypatch.setattr(out.file, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", out.file)
    if interrupted:
        monkeypatch.setattr(View, "press", lambda view, key: signal.raise_signal(signal.SIGINT))
    os.write(keyboard, b"nq")
    with pytest.raises(typer.Exit) if interrupted else contextlib.nullcontext() as left:
        walk(FORMULA[0], FORMULA[1:])
    assert not interrupted or left.value.exit_code == 130
    assert interrupted or "step 1 of 5" in out.file.getvalue()


class Terminal:
    """A program in a terminal of its own, with a person at the keys."""

    def __init__(self, *words: str, **environment: str) -> None:
        self.keyboard, inside = pty.openpty()
        self.resize(100, 30)
        self.settings = termios.tcgetattr(inside)
        settings = os.environ | {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
        for name in ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR"):
            settings.pop(name, None)
        command = [sys.executable, "-m", "gradwalk", "walk", *words]
        self.program = subprocess.Popen(
            command,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env=settings | environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self.inside, self.seen = inside, ""

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.keyboard, termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))

    def press(self, keys: str) -> None:
        self.seen = ""
        os.write(self.keyboard, keys.encode())

    def wait_for(self, text: str) -> None:
        end = time.monotonic() + 60.0
        while text not in self.seen:
            assert time.monotonic() < end, f"{text!r} never came: {self.seen[-2000:]!r}"
            if select.select([self.keyboard], [], [], 0.2)[0]:
                self.seen += os.read(self.keyboard, 65536).decode("utf-8", "replace")

    def close(self) -> int:
        """The exit code; the terminal must be as it was."""
        code = self.program.wait(timeout=60)
        assert termios.tcgetattr(self.inside) == self.settings
        return code


@contextlib.contextmanager
def terminal(*words: str, **environment: str) -> Iterator[Terminal]:
    opened = Terminal(*words, **environment)
    try:
        yield opened
    finally:
        opened.program.kill()
        opened.program.wait()
        os.close(opened.keyboard)
        os.close(opened.inside)


def test_a_person_walks_forward_and_back():
    with terminal(*FORMULA) as at:
        at.wait_for("step 0 of 5")
        for keys, shows in (
            ("\x1b[C", "step 1 of 5"),
            (" ", "step 2 of 5"),
            ("\x1bOC", "step 3 of 5"),
            ("n", "1.0 × 10.0 → 10.0"),
            ("\x1b[D", "step 3 of 5"),
            ("\x1b[F", "step 5 of 5"),
            ("\x1b[1~", "step 0 of 5"),
            ("4g", "step 4 of 5"),
            ("?", "one step back"),
            ("?", "step 4 of 5"),
        ):
            at.press(keys)
            at.wait_for(shows)
        at.press("q")
        assert at.close() == 0


def test_it_is_drawn_again_when_the_size_changes():
    with terminal(*FORMULA) as at:
        at.wait_for("step 0 of 5")
        at.seen = ""
        at.resize(60, 12)
        at.wait_for("step 0 of 5")
        at.press("q")
        assert at.close() == 0


def colours(text: str) -> list[str]:
    """The escapes that choose a colour; bold, dim and reverse are none."""
    chosen = [part for codes in re.findall(r"\x1b\[([\d;]*)m", text) for part in codes.split(";")]
    return [code for code in chosen if re.fullmatch(r"3\d|4\d|9\d|10\d", code)]


@pytest.mark.parametrize("plain", [False, True])
def test_colours_are_left_out_where_they_are_not_wanted(plain):
    with terminal(*FORMULA, **({"NO_COLOR": "1"} if plain else {})) as at:
        at.wait_for("step 0 of 5")
        at.press("4g")
        at.wait_for("step 4 of 5")
        at.wait_for("1.0 × 10.0 → 10.0")  # below the nodes
        assert "▶" in at.seen, "the current node is marked without a colour too"
        assert bool(colours(at.seen)) is not plain


def test_ctrl_c_leaves_with_its_exit_code():
    with terminal(*FORMULA) as at:
        at.wait_for("step 0 of 5")
        at.press("\x03")
        assert at.close() == 128 + signal.SIGINT


def test_a_closed_keyboard_ends_the_walk():
    with terminal(*FORMULA) as at:
        at.wait_for("step 0 of 5")
        at.press("\x04")  # no end of input while keys are read one by one: it means nothing
        at.press("n")
        at.wait_for("step 1 of 5")
        at.press("Q")
        assert at.close() == 0


def test_letters_of_the_table_never_stand_for_names_of_the_graph():
    """A graph may use the table's letters the other way round: each formula has its own names."""
    view = View(told_of("y = a ** 2 * x; z = tanh(y) / b; z * a", a=1.5, b=-2.0, x=0.25))
    values = {"a": 1.5, "b": -2.0, "x": 0.25}
    told = view.told
    values |= {told.name(i): item.data for i, item in enumerate(told.items)}
    seen = 0
    for step in range(told.last + 1):
        view.step = step
        for found in re.finditer(r"\(∂\S+ = (.+?)\)\n", drawn(view, width=200) + "\n"):
            seen += 1
            assert "²" in found[1] or set(re.findall(r"[a-z]\w*", found[1])) <= {*values}
    assert seen > 4


def test_a_rounded_number_says_so():
    lines = list(plain(told_of("a + b", a=0.1, b=0.2)))
    assert any("≈ 0.3" in line for line in lines)
    assert not any("→ 0.3" in line for line in lines)
