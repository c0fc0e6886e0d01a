"""Every option of every command with a wrong value: the message is true, and its advice works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")

import typer
from typer.testing import CliRunner

from gradwalk.cli.app import app
from gradwalk.data import read_csv
from gradwalk.nn import MLP
from gradwalk.studio import launch
from gradwalk.training import Problem, save
from gradwalk.workshop import skeleton

TABLES = {
    "good.csv": "x,t\n1,0.5\n2,0.25\n",
    "engine.py": skeleton(),
    "notes.json": "[]",
    "iris.csv": "a,b,kind\n" + "5.1,3.5,setosa\n4.9,3.0,virginica\n" * 5,
    "hash.csv": "x,t\n1,0\n# two\n2,1\n",
    "semi.csv": "x;t\n1;0\n2;1\n",
    "one.txt": "Zoe\n",
}
QUICK = ["--epochs", "1", "--out", "o"]
TOY = ["--points", "4", *QUICK]

WRONG: list[tuple[str, str]] = [
    ("why no.py", "SCRIPT: expected a Python file that trains with PyTorch, got no.py, which does"),
    ("workshop engine.py --phase 13", "--phase: expected an integer from 1 to 12, got '13'."),
    ("workshop engine.py --hints 4", "--hints: expected an integer from 0 to 3, got '4'."),
    ("workshop engine.py --timeout 0", "--timeout: expected a positive number of seconds, got 0."),
    ("workshop no.py", "got no.py, which does not exist. Begin a new file: gradwalk workshop"),
    ("workshop", "expected the file with your engine, got no file."),
    ("workshop --new engine.py", "got engine.py, which exists. Write gradwalk workshop engine.py"),
    ("workshop engine.py --progress notes.json", "expected a file of progress"),
    ("workshop --class no", "--class: expected a folder with files of progress (.json), got no."),
    ("train moons --lr -1", "expected a positive number, got -1. Use --lr 0.03, the default for"),
    ("train spirals --lr 0", "Use --lr 0.02, the default for adam on spirals."),
    ("train moons --optimizer sgd --lr inf", "Use --lr 0.05, the default for sgd on moons."),
    ("train good.csv --lr nan", "got nan. Use --lr 0.02, the default for adam."),
    ("train names --model ngram --lr -1", "Use --lr 0.003, the default for ngram."),
    ("train moons --lr much", "--lr: expected a number, got 'much'. Write --lr 0.01."),
    ("train moons --epochs 0", "--epochs: expected an integer >= 1, got '0'. Write --epochs 40."),
    ("train moons --epochs many", "got 'many'. Write --epochs 40."),
    ("train moons --epochs " + "9" * 5000, "--epochs: expected an integer >= 1, got '999"),
    ("train moons --batch -3", "--batch: expected an integer >= 1, got '-3'. Write --batch 10."),
    ("train moons --points 0", "--points: expected an integer >= 1, got '0'. Write --points 100."),
    ("train moons --points 1", "--points: expected an integer >= 2, got 1. Write --points 100."),
    ("train moons --points 1.5", "got '1.5'. Write --points 100."),
    ("train moons --noise -1", "--noise: expected a finite number >= 0, got -1.0. Write --noise"),
    ("train spirals --noise nan", "got nan. Write --noise 0.02."),
    ("train moons --noise x", "--noise: expected a number, got 'x'. Write --noise 0.1."),
    ("train moons --doctor --epochs 0", "expected an integer >= 1, got '0'. Write --epochs 40."),
    ("train moons --seed x", "--seed: expected an integer, got 'x'. Write --seed 0."),
    ("train moons --hidden 8x8", "expected comma-separated integers >= 1, got '8x8'. Write --hid"),
    ("train moons --hidden 99999999", "expected layers of at most 1,000,000 weights, which train"),
    ("train moons --hidden 5000,5000", "expected layers of at most 1,000,000 weights, which tr"),
    ("train moons --activation rely", "got 'rely'. Did you mean 'relu'?"),
    ("train moons --optimizer adamm", "got 'adamm'. Did you mean 'adam'?"),
    ("train moons --loss ce", "mse, cross_entropy for 2 classes, got 'ce'. Write --loss auto."),
    ("train good.csv --loss bce", "mse for a target that is a quantity, got 'bce'. Write --loss"),
    ("train moons --model mlp", "--model: expected train digits or train names, got 'moons'. Use"),
    ("train moons --text one.txt", "--text: expected train names, got 'moons'. Leave out --text."),
    ("train digits --text one.txt", "--text: expected train names, got 'digits'. Leave out --te"),
    (
        "train names --points 3",
        "expected a toy data set or a CSV file, got 'names'. Leave out --po",
    ),
    ("train digits --hidden 8", "Use --model mlp or --model cnn to choose the network."),
    ("train digits --model gpt", "--model: expected one of mlp, cnn, got 'gpt'."),
    ("train names --text no.txt", "no.txt: expected a text file with at least two different names"),
    ("train names --text one.txt", "one on each line, got 1. Pass a file with more names"),
    ("train good.csv --points 3", "got 'good.csv'. Leave out --points for a file."),
    ("train good.csv --noise 1", "got 'good.csv'. Leave out --noise for a file."),
    ("train moons --out one.txt", "one.txt: expected a writable folder, got the error 'File exis"),
    ("train moon", "or a CSV file, got 'moon'. Did you mean 'moons'?"),
    ("train no.csv", "no.csv: expected a file that can be read, got the error 'No such file or d"),
    ("train iris.csv --test 2", "--test: expected a number between 0 and 1"),
    ("train iris.csv --missing skip", "--missing: expected one of error, drop, mean, got 'skip'"),
    (
        "train hash.csv",
        "line 3: expected numbers, got the comment '# two'. Remove the lines that b",
    ),
    ("train semi.csv --delimiter ;;", "--delimiter: expected one character that may stand between"),
    (
        "train iris.csv --encoding klingon",
        "--encoding: expected the name of an encoding of texts, g",
    ),
    (
        "train iris.csv --target kid",
        "expected one of the columns a, b, kind, got str 'kid'. Write --",
    ),
    (
        "train iris.csv --ignore c",
        "--ignore: expected one of the columns a, b, kind, got str 'c'. Wr",
    ),
    (
        "train good.csv --task regresion",
        "--task: expected one of auto, classification, regression, ",
    ),
    ("train iris.csv --task regression", "got 'regression'. Write --task classification."),
    (
        "train moons --task regression",
        "--task: expected a CSV file, got 'moons'. Leave out --task.",
    ),
    (
        "predict model.json iris.csv --out no/p.csv",
        "no/p.csv: expected a writable file, got the error",
    ),
    (
        "predict model.json iris.csv --delimiter ;;",
        "--delimiter: expected one character that may st",
    ),
    (
        "predict model.json iris.csv --encoding klingon",
        "Pass --encoding latin-1, or leave it out fo",
    ),
    ("predict model.json good.csv", "expected the columns a, b, got no 'a'. Correct the header."),
    (
        "predict nowhere iris.csv",
        "nowhere: expected the folder of a training, or its weights.json, g",
    ),
    (
        "export model.json --out model.txt",
        "--out: expected a file name that ends in .c or .js, got",
    ),
    (
        "export model.json --out no/model.c",
        "no/model.c: expected a writable file, got the error 'N",
    ),
    ("export model.json --derivatives hesian", "got 'hesian'. Did you mean 'hessian'?"),
    ("show a*b a=2 --json", "--json: expected one of the options --svg, --dot, --html, --help, go"),
    ("show a*b a=2 --svgg x.svg", "got '--svgg'. Did you mean '--svg'?"),
    ("show --json a=2", "--json: expected one of the options --svg, --dot, --html, --help"),
    ("show a a=1 -v", "-v: expected one of the options"),
    ("show a a=1 --svg x.png", "--svg: expected a file name that ends in .svg, got 'x.png'. Write"),
    ("show a a=1 --html x.txt", "--html: expected a file name that ends in .html, got 'x.txt'. W"),
    ("show a a=1 --dot no/x", "no/x: expected a writable file, got the error 'No such file or dir"),
    ("show a a", "values: expected NAME=NUMBER, got 'a'. Write a=2, without blanks around the =."),
    ("show a a=x", "expected a number after the =, got 'a=x'. Write a=-3, a=1e-3 or a=pi/2."),
    ("show a a=2 c=3", "expected values for its variables (a), got one for 'c'. Remove it."),
    ("walk a*b a=2 --json", "--json: expected one of the options --help, got '--json'. Leave it"),
    ("studio --port 99999", "--port: expected an integer from 0 to 65535, got '99999'. Write --po"),
    ("studio --port x", "--port: expected an integer from 0 to 65535, got 'x'. Write --port 8421."),
    ("studio a a=1 --prot", "got '--prot'. Did you mean '--port'?"),
    ("studio a a=1 --json", "--port, --host, --browser, --no-browser, --help, got '--json'. Lea"),
    ("studio --host nowhere.invalid", "Write --host with an address of this machine, such as 127"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with some tables, no pictures, and a studio that ends at once."""
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    problem = Problem.of(read_csv("iris.csv"), standardize=True)
    save("model.json", MLP(2, [1], seed=0), problem)
    monkeypatch.setattr("gradwalk.cli.results.find_spec", lambda name: None)
    monkeypatch.setattr(launch._Server, "run", lambda self, sockets: None)
    return tmp_path


def gradwalk(words: list[str]) -> tuple[int, str]:
    done = CliRunner().invoke(app, words, prog_name="gradwalk")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


@pytest.mark.parametrize(("words", "said"), WRONG, ids=[words[:40] for words, _ in WRONG])
def test_a_wrong_value_is_told_in_four_parts(folder: Path, words: str, said: str) -> None:
    before = sorted(folder.iterdir())
    code, output = gradwalk(shlex.split(words))
    assert code == 2
    last = output.splitlines()[-1]
    assert said in last
    assert re.fullmatch(r"gradwalk: [^:]+.*: expected .+, got .+[.?]", last)
    assert sorted(folder.iterdir()) == before


def repaired(words: list[str], advice: str) -> list[str] | None:
    """The command with what the advice says: another value, an option less, another name."""
    if found := re.search(
        r"(?:Write|Use|Pass) (--\w+) ([\w.,-]+?)(?:[.,] | for|$|\.$| to | or )", advice
    ):
        option, value = found.groups()
        if option in words:
            place = words.index(option)
            return [*words[:place], option, value, *words[place + 2 :]]
        return None
    if found := re.search(r"Leave out (--\w+)", advice):
        place = words.index(found[1])
        return words[:place] + words[place + 2 :]
    if found := re.search(r"Did you mean '(.+)'\?", advice):
        wrong = re.search(r"got '(\S+)'\.", advice)
        assert wrong is not None
        return [found[1] if word == wrong[1] else word for word in words]
    return None


SLOW = ("digits", "names", "99999999")
PROGRESS = (
    '{"schema": "gradwalk-workshop-progress/1", "phases": {"1": "2026-11-27"}, "mistakes": {},'
    ' "hints": {}, "runs": 1}'
)
BY_HAND = {
    "workshop no.py": "workshop --new my_engine.py",
    "workshop": "workshop engine.py",
    "workshop --new engine.py": "workshop engine.py",
    "workshop engine.py --progress notes.json": "workshop engine.py --progress mine.json",
    "train moons --model mlp": "train moons --hidden 16,16",
    "train moons --out one.txt": "train moons --out two",
    "train iris.csv --missing skip": "train iris.csv --missing drop",
    "train semi.csv --delimiter ;;": 'train semi.csv --delimiter ";"',
    "predict model.json iris.csv --delimiter ;;": 'predict model.json iris.csv --delimiter ","',
    "predict model.json good.csv": "predict model.json iris.csv",
    "predict nowhere iris.csv": "predict model.json iris.csv",
    "show a*b a=2 --json": "show a*b a=2 b=3",
    "show --json a=2": "show a a=2",
    "show a a=1 -v": "show a a=1",
    "show a a": "show a a=2",
    "show a a=x": "show a a=pi/2",
    "show a a=2 c=3": "show a a=2",
    "walk a*b a=2 --json": "walk a*b a=2 b=3",
}
"""What a person makes of advice that `repaired` does not read."""
BY_FILES = {
    "workshop --class no": ("no/a.json", PROGRESS),
    "train no.csv": ("no.csv", TABLES["iris.csv"]),
    "train hash.csv": ("hash.csv", TABLES["hash.csv"].replace("# two\n", "")),
    "show a a=1 --dot no/x": ("no/x", ""),
    "predict model.json iris.csv --out no/p.csv": ("no/p.csv", ""),
    "export model.json --out no/model.c": ("no/model.c", ""),
}
"""Where the advice is to look after a file: afterwards the same command works."""
REPAIRED = [
    words
    for words, _ in WRONG
    if not any(slow in words for slow in SLOW) and "studio" not in words
    if words not in BY_HAND and words not in BY_FILES and not words.startswith("why ")
]


def test_the_advice_by_hand_is_for_these_mistakes() -> None:
    assert BY_HAND.keys() | BY_FILES.keys() <= {words for words, _ in WRONG}


@pytest.mark.parametrize("words", REPAIRED, ids=[words[:40] for words in REPAIRED])
def test_the_advice_works(words: str) -> None:
    wrong = shlex.split(words)
    again = repaired(wrong, gradwalk(wrong)[1].splitlines()[-1])
    assert again is not None
    again = ["b=3" if word == "x.svg" and "--svgg" in words else word for word in again]
    if "--svgg" in words:
        again = ["show", "a*b", "a=2", "b=3", "--svg", "x.svg"]
    works(again)


@pytest.mark.parametrize(("words", "again"), BY_HAND.items(), ids=BY_HAND)
def test_the_advice_works_by_hand(words: str, again: str) -> None:
    assert repaired(shlex.split(words), gradwalk(shlex.split(words))[1].splitlines()[-1]) is None
    works(shlex.split(again))


@pytest.mark.parametrize("words", BY_FILES)
def test_the_advice_about_a_file_works(folder: Path, words: str) -> None:
    assert gradwalk(shlex.split(words))[0] == 2
    name, text = BY_FILES[words]
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    works(shlex.split(words))


def works(again: list[str]) -> None:
    """Assert that the command works, with the least work."""
    if again[0] == "train":
        usual = {"--epochs": "1", "--out": "o"}
        usual |= {} if again[1].endswith("csv") else {"--points": "4"}
        for option, value in usual.items():
            again += [] if option in again else [option, value]
    code, output = gradwalk(again)
    assert code == 0, output


def commands() -> dict[str, Any]:
    group: Any = typer.main.get_command(app)
    return dict(group.commands)


def test_every_option_is_tried() -> None:
    """A new option of a command needs a row above. Switches have no value that could be wrong."""
    for name, command in commands().items():
        tried = " ".join(words for words, _ in WRONG if words.startswith(name))
        options = [p for p in command.params if p.param_type_name == "option" and not p.is_flag]
        for option in options:
            assert any(form in tried.split() for form in option.opts), (name, option.opts)


@pytest.mark.parametrize(
    ("words", "note"),
    [
        ("show log(x) x=-1", "log(-1) is nan: -1 is below 0, where the domain of log begins."),
        ("walk log(x) x=-1", "log(-1) is nan: -1 is below 0, where the domain of log begins."),
        ("show 1+asin(2*x) x=1", "asin(2) is nan: 2 is above 1, where the domain of asin ends."),
        ("show 1/x x=0", "1 / 0 is inf."),
        ("show exp(x)*0 x=1000", "exp(1000) is inf."),
        ("show a a=1e400", "a is inf."),
        ("show sqrt(x) x=0", "the gradient of x is inf."),
    ],
)
def test_a_number_that_is_not_finite_has_a_note(words: str, note: str) -> None:
    code, output = gradwalk(shlex.split(words))
    assert (code, output.splitlines()[-1]) == (0, f"Note: {note}")


def test_finite_numbers_have_no_note_and_minus_signs_begin_formulas() -> None:
    for words in ("show --x x=3", "show -x x=-3", "show log(x) x=2", "walk --x x=3"):
        code, output = gradwalk(shlex.split(words))
        assert code == 0
        assert "Note" not in output


CALLS = {
    "show": "show a*b a=1 b=2",
    "walk": "walk a*b a=1 b=2",
    "studio": "studio a*b a=1 b=2",
    "train": "train iris.csv --epochs 1 --out o",
    "predict": "predict model.json iris.csv",
    "export": "export model.json",
    "workshop": "workshop engine.py",
}
"""A call of each command that works."""

VALUES = ["", " ", "-1", "0", "1.5", "nan", "x", "é", "[1]", "a,b", ";;", "9" * 5000]
PYTHON = re.compile(r"\b\w+=|\w\(|\bNone\b|Traceback")
"""What a message of the command line does not have: arguments and calls of Python."""


def options_of(name: str) -> list[Any]:
    return [p for p in commands()[name].params if p.param_type_name == "option"]


@pytest.mark.parametrize(
    ("name", "option"),
    [(name, option.opts[0]) for name in CALLS for option in options_of(name)],
    ids=lambda value: str(value),
)
def test_any_value_of_any_option_is_taken_or_answered(name: str, option: str) -> None:
    for value in VALUES:
        words = [*shlex.split(CALLS[name]), f"{option}={value}"]
        code, output = gradwalk(words)
        assert code in (0, 2), (value, output)
        if code == 2:
            last = output.splitlines()[-1]
            assert last.startswith("gradwalk: "), (value, output)
            assert not PYTHON.search(last.replace(value, "") if value.strip() else last), last
            assert re.search(r": expected .+, got .+[.?]$|See gradwalk( \w+)? --help\.$", last), (
                last
            )


@pytest.mark.parametrize("name", [None, *CALLS])
def test_a_short_option_shows_the_help(name: str | None) -> None:
    words = [name] if name else []
    assert gradwalk([*words, "-h"]) == gradwalk([*words, "--help"])
    assert gradwalk([*words, "-h"])[0] == 0


def test_a_formula_may_be_the_short_option() -> None:
    assert gradwalk(["show", "--", "-h", "h=2"])[0] == 0
    assert gradwalk(["show", "-h * a", "h=2", "a=1"])[0] == 0


@pytest.mark.parametrize("name", CALLS)
def test_every_command_is_called(name: str) -> None:
    assert commands().keys() == CALLS.keys() | {"why"}  # tests/foreign calls it, with PyTorch
    assert gradwalk(shlex.split(CALLS[name]))[0] == 0
