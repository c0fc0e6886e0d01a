"""The command line, in this process and as a program of its own."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import threading
from xml.etree import ElementTree

import pytest
import typer
from rich.console import Console
from typer.core import TyperGroup
from typer.testing import CliRunner

from gradwalk import ENGINE, __version__
from gradwalk.__main__ import main
from gradwalk.cli import app, results
from gradwalk.cli.progress import described, live, stopping
from gradwalk.cli.train import OPTIMIZERS, TOYS
from gradwalk.data import read_csv
from gradwalk.training import Epoch, load

FILES = ["boundary.png", "graph.svg", "loss.csv", "loss.png", "weights.json"]


def gradwalk(*args):
    """The exit code and the output of a call in this process."""
    done = CliRunner().invoke(app, [str(arg) for arg in args], prog_name="gradwalk")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def program(*args, **options):
    """A call as a program of its own; its standard output and error are read as pipes."""
    return subprocess.Popen(
        [sys.executable, "-m", "gradwalk", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8"} | options.pop("env", {}),
        **options,
    )


def refused(*args):
    """The message of a call that must fail: exit code 2, one line."""
    code, output = gradwalk(*args)
    assert code == 2, output
    assert output.startswith("gradwalk: ")
    assert output.count("\n") == 1
    return output.rstrip()


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def no_pictures(monkeypatch):
    """As if matplotlib were not installed; its pictures take most of a short training's time."""
    monkeypatch.setattr(results, "find_spec", lambda name: None)


# --- the program ----------------------------------------------------------------------------------


def test_the_version_names_the_engine():
    assert gradwalk("--version") == (0, f"gradwalk {__version__} ({ENGINE} engine)\n")


def test_without_a_command_there_is_help():
    code, output = gradwalk()
    assert code == 0
    assert "show" in output
    assert "train" in output
    assert "exits with code 130" in " ".join(gradwalk("train", "--help")[1].split())


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["shw"], "No such command 'shw'"),
        (["--frobnicate"], "No such option"),
        (["show"], "Missing argument"),
        (["train"], "See gradwalk train --help."),
        (["train", "xor", "moons"], "unexpected extra argument"),
        (["train", "xor", "--epochs", "0"], "--epochs"),
        (["train", "xor", "--seed", "x"], "--seed"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(args, said):
    assert said in refused(*args)


def test_it_runs_as_a_program_and_errors_go_to_standard_error():
    done = program("show", "a + b", "a=1")
    out, err = done.communicate(timeout=60)
    assert (done.returncode, out) == (2, "")
    assert err.startswith("gradwalk: formula, line 1, column 5: ")
    assert err.count("\n") == 1


def test_a_terminal_without_unicode_gets_replacements():
    done = program("show", "a + b", "a=1", "b=2", env={"PYTHONIOENCODING": "ascii"})
    out, err = done.communicate(timeout=60)
    assert (done.returncode, err) == (0, "")
    assert "? b" in out


def test_a_reader_that_has_seen_enough_is_no_error():
    done = program("show", "a + b", "a=1", "b=2")
    done.stdout.close()
    assert "Traceback" not in done.stderr.read()
    done.stderr.close()
    assert done.wait(timeout=60) == 1


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_its_extra_it_says_what_to_install(monkeypatch, capsys, missing):
    for name in [name for name in sys.modules if name.startswith("gradwalk.cli")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(SystemExit, match="2"):
        main()
    needs = f"gradwalk: the command line needs {missing}: pip install 'gradwalk[cli]'\n"
    assert capsys.readouterr() == ("", needs)


def test_another_missing_module_is_not_blamed_on_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "gradwalk.cli", None)
    with pytest.raises(ModuleNotFoundError, match=r"gradwalk\.cli"):
        main()


def test_main_takes_the_arguments_of_the_program(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["anything", "show", "a * 2", "a=1", "b=1"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert capsys.readouterr().err.startswith("gradwalk: formula: expected values for its")


def test_a_stream_that_is_no_text_wrapper_is_left_alone(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["gradwalk", "--version"])
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(SystemExit, match="0"):
        main()
    assert sys.stdout.getvalue().startswith(f"gradwalk {__version__}")


def test_a_defect_keeps_its_traceback(monkeypatch):
    def broken(*args):
        raise RuntimeError("a defect")

    monkeypatch.setattr("gradwalk.cli.show.parse", broken)
    with pytest.raises(RuntimeError, match="a defect"):
        gradwalk("show", "a")


def test_what_older_typers_make_of_ctrl_c_has_the_same_exit_code(monkeypatch):
    def abort(*args, **options):
        raise typer.Abort

    monkeypatch.setattr(TyperGroup, "main", abort)
    assert gradwalk("show", "a")[0] == 130


# --- show -----------------------------------------------------------------------------------------


def table(output):
    """The rows below the rule of the table: name -> (value, gradient)."""
    lines = output.split("\n")
    start = next(i for i, line in enumerate(lines) if "───" in line) + 1
    cells = [line.split() for line in lines[start:] if len(line.split()) == 3]
    return {name: (float(value), float(gradient)) for name, value, gradient in cells}


def test_show_prints_the_tree_and_every_gradient():
    code, output = gradwalk("show", "(a + b) * c", "a=2", "b=-3", "c=10")
    assert code == 0
    assert output.startswith("mul ")
    assert "├─ add" in output
    assert table(output) == {"a": (2.0, 10.0), "b": (-3.0, 10.0), "c": (10.0, -1.0)}


def test_show_names_intermediate_results():
    output = gradwalk("show", "d = a * b; d + c", "a=2", "b=-3", "c=10")[1]
    assert "d = mul" in output
    assert table(output) == {"a": (2, -3), "b": (-3, 2), "d": (-6, 1), "c": (10, 1)}


@pytest.mark.parametrize(
    ("formula", "gradient"),
    [("-a * b", -3.0), ("--a * b", 3.0), ("-3*-a*b/b", 3.0), ("- a", -1.0), ("-svg*a/svg", -1.0),
     ("-help * a", -5.0), ("-(a)", -1.0), ("-a", -1.0), ("---a", -1.0)],
)  # fmt: skip
def test_a_formula_may_begin_with_a_minus_sign(formula, gradient):
    values = {"a": 2, "b": 3, "svg": 7, "help": 5}
    given = [f"{name}={value}" for name, value in values.items() if name in formula]
    for args in (["show", formula, *given], ["show", "--", formula, *given]):
        code, output = gradwalk(*args)
        assert code == 0, output
        assert table(output)["a"][1] == pytest.approx(gradient)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("-3", -3.0),
        ("1e-3", 1e-3),
        (" +2.5 ", 2.5),
        ("pi/2", 1.5707963),
        ("2**-1", 0.5),
        ("\u22122", -2.0),
    ],
)
def test_numbers_may_be_written_as_people_write_them(text, number):
    assert table(gradwalk("show", "a * 1", f"a={text}")[1])["a"] == (number, 1.0)


def test_show_without_variables_has_no_table():
    code, output = gradwalk("show", "1 / 0")
    shown, note = output.splitlines()
    assert (code, shown.split()) == (0, ["leaf", "data", "inf", "grad", "1"])
    assert note == "Note: a constant is inf."


def test_names_are_never_taken_for_markup():
    assert "[bold]" in refused("show", "a + b", "a=1", "b=[bold]2[/bold]")


def test_show_draws_the_graph():
    code, output = gradwalk("show", "a * b", "a=2", "b=3", "--svg", "g.svg", "--dot", "g.dot")
    assert code == 0
    assert output.endswith("Graph: g.svg\nDOT:   g.dot\n")
    assert ElementTree.parse("g.svg").getroot().tag.endswith("svg")
    with open("g.dot", encoding="utf-8") as file:
        assert file.read().startswith("digraph")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["a ^ b", "a=1"], "column 3"),
        (["foo(a)", "a=1"], "a function of gradwalk"),
        (["a + b", "a=1"], "got none for 'b'"),
        (["a", "a=1", "b=2"], "got one for 'b'"),
        (["a", "a=x"], "a number after the ="),
        (["a", "a="], "a number after the ="),
        (["a", "a=1", "a=2"], "one value for a"),
        (["a", "a"], "expected NAME=NUMBER, got 'a'"),
        (["a", "1=2"], "expected NAME=NUMBER, got '1=2'"),
        (
            ["a", "a=1", "--frobnicate"],
            "expected one of the options --svg, --dot, --html, --help, got '--fr",
        ),
        (["a", "a=1", "--svg"], "--svg"),
    ],
)
def test_show_says_what_is_wrong(args, said):
    assert said in refused("show", *args)


@pytest.mark.parametrize(("option", "name"), [("--svg", "no/g.svg"), ("--dot", "no/g.dot")])
def test_a_file_that_cannot_be_written_is_named(option, name):
    code, output = gradwalk("show", "a * 1", "a=1", option, name)
    assert code == 2
    assert f"gradwalk: {name}: expected a writable file" in output
    assert output.endswith("Create the folder first: mkdir -p no.\n")


# --- train ----------------------------------------------------------------------------------------


def read_losses(folder):
    with open(folder / "loss.csv", encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    assert header == ["epoch", "loss", "score"]
    return [(int(epoch), float(loss), float(score)) for epoch, loss, score in lines]


def read_notes(folder):
    return json.loads((folder / "weights.json").read_text(encoding="utf-8"))["notes"]


@pytest.mark.parametrize("name", ["xor", "moons", "circles"])
def test_the_defaults_reach_a_good_accuracy(tmp_path, name):
    code, output = gradwalk("train", name)
    folder = tmp_path / f"gradwalk-{name}"
    assert code == 0, output
    assert read_notes(folder)["accuracy"] >= 0.95
    assert sorted(path.name for path in folder.iterdir()) == FILES
    assert all(f"gradwalk-{name}/{file}  (" in output for file in FILES)
    assert len(read_losses(folder)) == TOYS[name].epochs
    assert (folder / "loss.png").read_bytes()[:4] == b"\x89PNG"
    assert "prediction" in (folder / "graph.svg").read_text(encoding="utf-8")


@pytest.mark.skipif(ENGINE == "python", reason="takes half a minute on the Python engine")
@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize("name", ["spirals", "blobs"])
def test_the_defaults_reach_a_good_accuracy_on_the_harder_ones(tmp_path, name):
    assert gradwalk("train", name, "--out", "o")[0] == 0
    assert read_notes(tmp_path / "o")["accuracy"] >= 0.95


@pytest.mark.usefixtures("no_pictures")
def test_all_options_arrive(tmp_path):
    code, output = gradwalk(
        "train", "moons", "--hidden", "3, 2", "--activation", "tanh", "--optimizer", "sgd",
        "--lr", "0.5", "--loss", "hinge", "--epochs", "2", "--batch", "4", "--points", "12",
        "--noise", "0", "--seed", "7", "--out", "deep/er",
    )  # fmt: skip
    assert code == 0
    assert output.startswith("moons: 12 rows, 2 inputs, 2 classes\nMLP 2-3-2-1, tanh, 20 param")
    assert f"; sgd with lr 0.5, loss hinge, {ENGINE} engine\n" in output
    notes = read_notes(tmp_path / "deep" / "er")
    expected = {"optimizer": "sgd", "lr": 0.5, "batch": 4, "seed": 7, "epochs": 2, "data": "moons"}
    assert notes.items() >= expected.items()


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("lr", [[], ["--lr", "0.001"]])
def test_every_optimizer_makes_steps(tmp_path, optimizer, lr):
    args = ["train", "xor", "--optimizer", optimizer, "--hidden", "", "--epochs", "2", *lr]
    assert gradwalk(*args, "--points", "8", "--out", "o")[0] == 0
    (_, first, _), (_, second, _) = read_losses(tmp_path / "o")
    assert first != second


def test_equal_seeds_give_equal_files(tmp_path):
    for folder, seed in (("a", 3), ("b", 3), ("c", 4)):
        args = ["--points", "20", "--hidden", "4", "--epochs", "3", "--seed", seed, "--out", folder]
        assert gradwalk("train", "spirals", *args)[0] == 0
    read = {
        folder: [(tmp_path / folder / file).read_bytes() for file in sorted(FILES)]
        for folder in "abc"
    }
    assert read["a"] == read["b"]
    assert all(a != c for a, c in zip(read["a"], read["c"], strict=True))


@pytest.mark.usefixtures("no_pictures")
def test_output_that_is_no_terminal_stays_short():
    output = gradwalk("train", "xor", "--points", "4", "--epochs", "200", "--hidden", "")[1]
    assert "\x1b" not in output
    assert "\r" not in output
    reported = [int(line.split()[1]) for line in output.split("\n") if line.startswith("epoch")]
    assert reported == [1, *range(20, 201, 20)]


def test_a_terminal_gets_a_bar():
    text = io.StringIO()
    out = Console(file=text, force_terminal=True, width=100, color_system=None)
    with live(out, 50) as show:
        show(50, described(Epoch(50, 0.25, 0.975), "accuracy"))
    for thread in threading.enumerate()[1:]:  # rich's, which was told to end
        thread.join()
    assert "epoch 50/50 ━" in text.getvalue()
    assert "loss 0.25000   accuracy  97.5 %" in text.getvalue()


def write_table(path, rows):
    path.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n", encoding="utf-8")


def test_a_table_of_quantities(tmp_path):
    rows = [[i, (7 * i) % 5, 1000 - i, 0.5 * i - 2.25 * ((7 * i) % 5)] for i in range(30)]
    write_table(tmp_path / "sales.csv", [["a", "b", "c", "y"], *rows])
    code, output = gradwalk("train", "sales.csv", "--hidden", "", "--lr", "0.1")
    assert code == 0
    assert "sales: 30 rows, 3 inputs, a quantity to predict\nMLP 3-1, relu, 4 param" in output
    folder = tmp_path / "gradwalk-sales"
    assert sorted(path.name for path in folder.iterdir()) == FILES[1:]
    assert read_notes(folder)["r2"] > 0.99
    model, problem = load(folder / "weights.json")
    for *row, y in rows:
        assert problem.answer(model(problem.scaled(row))) == pytest.approx(y, abs=1.0)
    assert ">a<" in (folder / "graph.svg").read_text(encoding="utf-8")


def test_a_table_of_classes(tmp_path):
    rows = [[i % 3 + 0.01 * i, 5 - i % 3, (3, 9, 5)[i % 3]] for i in range(30)]
    write_table(tmp_path / "kinds.csv", rows)
    code, output = gradwalk("train", "kinds.csv", "--hidden", "4", "--epochs", "40")
    assert code == 0
    assert "30 rows, 2 inputs, 3 classes\nMLP 2-4-3" in output
    folder = tmp_path / "gradwalk-kinds"
    assert sorted(path.name for path in folder.iterdir()) == FILES
    model, problem = load(folder / "weights.json")
    data = read_csv("kinds.csv")
    answers = [problem.answer(model(problem.scaled(row))) for row in data.inputs]
    assert answers == data.targets


@pytest.mark.usefixtures("no_pictures")
def test_without_matplotlib_everything_else_is_written(tmp_path):
    code, output = gradwalk("train", "xor", "--points", "4", "--epochs", "1", "--out", "o")
    assert code == 0
    assert output.endswith("No pictures of loss and boundary: pip install 'gradwalk[plot]'\n")
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == FILES[1:3] + FILES[4:]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["moon"], "got 'moon'. Did you mean 'moons'?"),
        (["no.csv"], "no.csv: expected a file that can be read"),
        (["bad.csv"], "bad.csv, line 2, column 1"),
        (["one.csv"], "at least two different values"),
        (["good.csv", "--points", "4"], "Leave out --points for a file."),
        (["good.csv", "--noise", "0.1"], "Leave out --noise for a file."),
        (["good.csv", "--loss", "bce"], "a target that is a quantity"),
        (["xor", "--hidden", "4x4"], "--hidden 16,16"),
        (["xor", "--hidden", "4,0"], "--hidden: expected comma-separated integers >= 1"),
        (["xor", "--hidden", "4,,4"], "--hidden: expected comma-separated integers >= 1"),
        (["xor", "--activation", "rely"], "Did you mean 'relu'?"),
        (["xor", "--activation", "zzz"], "Check the spelling."),
        (["xor", "--optimizer", "adm"], "Did you mean 'adam'?"),
        (["xor", "--lr", "-1"], "--lr: expected a positive number, got -1"),
        (["xor", "--lr", "nan"], "--lr: expected a positive number, got nan"),
        (["xor", "--lr", "much"], "--lr"),
        (["xor", "--loss", "cross"], "one of bce, hinge, mse, cross_entropy for 2 classes"),
        (["xor", "--noise", "-1"], "noise"),
        (["moons", "--points", "1"], "an integer >= 2"),
        (
            ["xor", "--out", "bad.csv"],
            "bad.csv: expected a writable folder, got the error 'File exists'",
        ),
        (
            ["xor", "--out", "bad.csv/deeper"],
            "bad.csv/deeper: expected a writable folder, got the error 'Not a directory'",
        ),
    ],
)
def test_train_says_what_is_wrong_before_it_starts(tmp_path, args, said):
    write_table(tmp_path / "bad.csv", [[1, 2, 0], ["x", 2, 0]])
    write_table(tmp_path / "one.csv", [[1, 2, 0], [2, 2, 0]])
    write_table(tmp_path / "good.csv", [[1, 2, 0.5], [2, 2, 0.25]])
    assert said in refused("train", *args)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.csv", "good.csv", "one.csv"]


def test_a_training_that_diverges_names_the_learning_rate():
    code, output = gradwalk("train", "moons", "--loss", "mse", "--optimizer", "sgd", "--lr", "1e9")
    assert code == 2
    last = output.rstrip().split("\n")[-1]
    assert last.startswith("gradwalk: training, epoch ")
    assert "diverged with --lr 1e+09. Write --lr 0.05." in last


# --- Ctrl-C ---------------------------------------------------------------------------------------


def test_ctrl_c_keeps_what_there_is(tmp_path):
    done = program("train", "moons", "--epochs", 10**7, "--points", 20, "--out", "o")
    lines = []
    while not lines or not lines[-1].startswith("epoch"):
        lines.append(done.stdout.readline())
        assert lines[-1], done.stderr.read()
    done.send_signal(signal.SIGINT)
    out, err = done.communicate(timeout=120)
    assert (done.returncode, err) == (130, "")
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == FILES
    history = read_losses(tmp_path / "o")
    assert f"Stopped after {len(history)} of 10000000 epochs.\n" in out
    assert [epoch for epoch, _, _ in history] == list(range(1, len(history) + 1))
    assert read_notes(tmp_path / "o")["epochs"] == len(history)
    load(tmp_path / "o" / "weights.json")


def test_ctrl_c_before_the_first_epoch_writes_the_untrained_network(tmp_path, monkeypatch):
    monkeypatch.setattr("gradwalk.cli.train.epochs_of", lambda *args, **options: iter(()))
    code, output = gradwalk("train", "xor", "--points", "4", "--out", "o")
    assert code == 0  # nobody pressed Ctrl-C here
    assert "Stopped after 0 of 20 epochs." in output
    assert read_losses(tmp_path / "o") == []
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == sorted(
        {*FILES} - {"loss.png"}
    )


def test_ctrl_c_a_second_time_ends_the_program():
    before = signal.getsignal(signal.SIGINT)
    with stopping() as stop:
        assert not stop()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
