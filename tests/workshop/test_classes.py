"""What a teacher writes into workshop.toml: phases, hints, programs and mistakes of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.workshop.engines import ENGINES

from gradwalk.errors import FileError, OptionError
from gradwalk.workshop import Settings, check_text, settings_of

BOARD = """
phases = [1, 2, 3, 4]
hints = 2

[[program]]
text = "t = a * b\\ny = t + a * tanh(b)"
values = {a = 2, b = 3}
why = "This is the graph on our board."

[[mistake]]
op = "tanh"
derivative = "1 - y"
title = "the square is missing, as in exercise 4"
hints = ["Differentiate tanh by hand.", "The result is squared.", "1 - t ** 2"]
"""


def settings(folder: Path, text: str) -> Settings:
    (folder / "workshop.toml").write_text(text, encoding="utf-8")
    return settings_of(folder)


def test_without_a_file_everything_counts(tmp_path: Path) -> None:
    assert settings_of(tmp_path) == Settings()


def test_a_teacher_chooses_phases_hints_programs_and_mistakes(tmp_path: Path) -> None:
    found = settings(tmp_path, BOARD)
    assert (found.phases, found.hints) == ((1, 2, 3, 4), 2)
    assert found.programs[0].names == ["a", "b", "t", "y"]
    text = ENGINES["tape"].text.replace("(self,), (1 - t * t,)", "(self,), (1 - t,)")
    assert text != ENGINES["tape"].text
    first = check_text(text, settings=found).mistakes[0]
    assert first.title == "the square is missing, as in exercise 4"
    assert first.hints[1] == "The result is squared."
    assert check_text(text).mistakes[0].title != first.title


def test_a_mistake_that_only_the_teachers_program_shows_has_the_teachers_words(
    tmp_path: Path,
) -> None:
    found = settings(
        tmp_path,
        '[[program]]\ntext = "y = a ** 7"\nvalues = {a = 1.5}\nwhy = "Seven is special."\n',
    )
    old, new = "(n * self.data ** (n - 1),)", "(n * self.data ** (n - 1) * (1 + (n == 7)),)"
    text = ENGINES["tape"].text
    assert old in text
    assert check_text(text).verdict == "right"
    report = check_text(text.replace(old, new), settings=found)
    assert report.verdict == "wrong"
    assert "Seven is special." in report.mistakes[0].says


def test_right_engines_are_right_on_the_teachers_programs(tmp_path: Path) -> None:
    found = settings(tmp_path, BOARD)
    report = check_text(ENGINES["closures_raised"].text, settings=found)
    assert report.verdict == "right"


@pytest.mark.parametrize(
    "text",
    [
        "phases = [13]",
        "hints = 9",
        "colour = 1",
        "program = 3",
        '[[program]]\ntext = "y = a * c"\nvalues = {a = 1}',
        '[[program]]\ntext = "import os"\nvalues = {a = 1}',
        "[[program]]\ntext = \"y = __import__('os').getcwd()\"\nvalues = {a = 1}",
        '[[program]]\ntext = "y = a.__class__"\nvalues = {a = 1}',
        '[[program]]\ntext = "y = (lambda: a)()"\nvalues = {a = 1}',
        '[[program]]\ntext = "y = [a][0]"\nvalues = {a = 1}',
        '[[program]]\ntext = ""\nvalues = {a = 1}',
        '[[program]]\ntext = "y = a"\nvalues = {a = "1"}',
        '[[mistake]]\nop = "tan"\nderivative = "1"\ntitle = "x"\nhints = ["", "", ""]',
        '[[mistake]]\nop = "tanh"\nderivative = "open(1)"\ntitle = "x"\nhints = ["", "", ""]',
        '[[mistake]]\nop = "tanh"\nderivative = "1"\ntitle = "x"\nhints = [""]',
    ],
)
def test_what_is_not_a_setting_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(OptionError, match=r"workshop\.toml"):
        settings(tmp_path, text)


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"workshop\.toml"):
        settings(tmp_path, "phases = [")
