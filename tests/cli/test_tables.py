"""Tables of all kinds: trained on, predicted for, and exported; odd files are answered."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")

from typer.testing import CliRunner

from gradwalk.cli.app import app
from gradwalk.data import read_csv
from gradwalk.training import evaluate, load

from ..helpers.exported import COMPILERS, load_c

QUICK = ("--epochs", "3", "--out", "o")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gradwalk.cli.results.find_spec", lambda name: None)
    return tmp_path


def gradwalk(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(words), prog_name="gradwalk")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def trained(*words: str) -> str:
    code, output = gradwalk("train", words[0], *QUICK, *words[1:])
    assert code == 0, output
    return output


def refused(*words: str) -> str:
    code, output = gradwalk(*words)
    assert code == 2, output
    last = output.splitlines()[-1]
    assert re.fullmatch(r"gradwalk: .+: expected .+, got .+[.?]", last), last
    return last


def write(name: str, rows: list[list[Any]], encoding: str = "utf-8") -> str:
    text = "".join(",".join(map(str, row)) + "\n" for row in rows)
    Path(name).write_text(text, encoding=encoding)
    return name


def sales(n: int = 24) -> list[list[Any]]:
    """Dates, texts and numbers, with a price that depends on them all."""
    rows: list[list[Any]] = [["sold", "colour", "size", "price"]]
    for i in range(n):
        colour = ("red", "blue", "light green")[i % 3]
        rows.append([f"2024-{i % 12 + 1:02}-{i + 1:02}", colour, 0.5 * (i % 5), 10 * (i % 3) + i])
    return rows


# --- predict --------------------------------------------------------------------------------------


def test_predictions_are_those_of_the_network_with_all_that_its_training_did() -> None:
    trained(write("sales.csv", sales()))
    model, problem = load("o/weights.json")
    data = read_csv("sales.csv")
    assert data.columns == problem.cells
    expected = [problem.answer(model(problem.scaled(row))) for row in data.inputs]
    code, output = gradwalk("predict", "o", "sales.csv")
    header, *numbers = output.splitlines()
    assert (code, header, [float(x) for x in numbers]) == (0, "prediction", expected)
    assert len(set(expected)) > 12  # the inputs do matter


@pytest.mark.parametrize(
    "order", [[0, 1, 2], [2, 0, 1], [0, 1, 2, 3], [3, 2, 1, 0]], ids=["", "turned", "target", "all"]
)
def test_columns_are_found_by_name_with_or_without_the_target(order: list[int]) -> None:
    trained(write("sales.csv", sales()))
    usual = gradwalk("predict", "o/weights.json", "sales.csv")
    write("other.csv", [[row[i] for i in order] for row in sales()])
    assert gradwalk("predict", "o", "other.csv") == usual


@pytest.mark.parametrize("width", [3, 4])
def test_without_a_header_columns_are_found_by_place(width: int) -> None:
    trained(write("sales.csv", sales()[1:]))
    named = gradwalk("predict", "o", "sales.csv")
    write("other.csv", [row[:width] for row in sales()[1:]])
    assert gradwalk("predict", "o", "other.csv") == named


def test_a_table_of_texts_alone_is_read() -> None:
    rows = [["a", "kind"], *[["yes", "good"], ["no", "bad"]] * 6]
    trained(write("texts.csv", rows), "--lr", "0.5")
    write("yes.csv", [["yes"], ["no"]])  # no header, for no cell is the name of a column
    assert "1 column" not in gradwalk("predict", "o", "texts.csv")[1]
    assert gradwalk("predict", "o", "texts.csv")[1].split() == ["prediction", *["good", "bad"] * 6]


def test_classes_have_their_names_and_probabilities() -> None:
    rows: list[list[Any]] = [["x", "kind"], *[[i, ("low", "high")[i > 5]] for i in range(12)]]
    trained(write("kinds.csv", rows), "--lr", "0.3", "--epochs", "40")
    code, output = gradwalk("predict", "o", "kinds.csv", "--probabilities", "--out", "p.csv")
    assert (code, output) == (0, "12 predictions: p.csv\n")
    with open("p.csv", encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert [row["prediction"] for row in read] == ["low"] * 6 + ["high"] * 6
    for row in read:
        shares = {name: float(row[f"p({name})"]) for name in ("low", "high")}
        assert math.isclose(sum(shares.values()), 1.0)
        assert row["prediction"] == max(shares, key=lambda name: shares[name])
    document = json.loads(gradwalk("predict", "o", "kinds.csv", "--probabilities", "--json")[1])
    assert document["classes"] == ["high", "low"]
    assert document["predictions"] == [row["prediction"] for row in read]
    assert [f"{p[1]!r}" for p in document["probabilities"]] == [row["p(low)"] for row in read]


def test_three_classes_and_numbers_as_classes() -> None:
    rows: list[list[Any]] = [[i, i % 3 + 7] for i in range(12)]
    trained(write("three.csv", rows))
    document = json.loads(gradwalk("predict", "o", "three.csv", "--json", "--probabilities")[1])
    assert document["classes"] == ["7", "8", "9"]
    assert all(math.isclose(sum(p), 1.0) for p in document["probabilities"])


def test_a_missing_cell_gets_the_mean_of_the_training() -> None:
    rows = sales()
    rows[2] = ["", "", "", rows[2][3]]
    trained(write("gaps.csv", rows), "--missing", "mean")
    _, problem = load("o/weights.json")
    write("empty.csv", [["sold", "colour", "size"], ["", "", ""]])
    assert gradwalk("predict", "o", "empty.csv")[0] == 0
    means = [mean for column in problem.cells for mean in column.means]
    assert sum(means[3:6]) == pytest.approx(1.0)  # of the texts: their shares
    whole = [column.mean for column in problem.columns]
    assert means == pytest.approx(whole)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([["sold", "colour"], ["2024-01-01", "red"]], "the columns sold, colour, size, got no 's"),
        ([["sold", "color", "size"], ["2024-01-01", "red", 1]], "no 'colour'. Rename 'color'."),
        (
            [["sold", "size", "size", "colour"], ["2024-01-01", 1, 1, "red"]],
            "got 2 columns 'size'. Correct the header.",
        ),
        (
            [["sold", "colour", "size"], ["2024-01-01", "pink", 1]],
            "line 2, column 2 (colour): expected one of blue, light green, red, got 'pink'",
        ),
        (
            [["sold", "colour", "size"], ["2024-01-01", "bleu", 1]],
            "got 'bleu'. Write 'blue'.",
        ),
        (
            [["sold", "colour", "size"], ["1.2.2024", "red", 1]],
            "column 1 (sold): expected an ISO date, got '1.2.2024'. Write it as 2024-12-31",
        ),
        ([["sold", "colour", "size"], ["2024-02-30", "red", 1]], "an ISO date, got '2024-02-30'."),
        (
            [["size", "colour", "sold"], ["big", "red", "2024-01-01"]],
            "column 1 (size): expected a finite number, got 'big'.",
        ),
        (
            [["size", "colour", "sold"], ["", "red", "2024-01-01"]],
            "got an empty cell. Fill the cell, or train with --missing mean.",
        ),
        ([["2024-01-01", "red"]], "3 columns as in the training, or one more, the target, got 2"),
        ([["sold", "colour", "size"]], "expected at least one row, got none. Write one line"),
        ([], "expected at least one row, got none. Write one line"),
    ],
)
def test_what_does_not_fit_the_training_is_said(rows: list[list[Any]], said: str) -> None:
    trained(write("sales.csv", sales()))
    assert said in refused("predict", "o", write("other.csv", rows))


def test_a_network_of_points_predicts_too() -> None:
    assert gradwalk("train", "moons", "--points", "8", *QUICK)[0] == 0
    write("points.csv", [["x", "y"], [0, 1], [1, 0]])
    assert gradwalk("predict", "o", "points.csv")[1].splitlines()[0] == "prediction"


def test_probabilities_need_a_loss_that_has_them() -> None:
    trained(write("sales.csv", sales()))
    assert "a quantity to predict. Leave out" in refused("predict", "o", "x", "--probabilities")
    write("two.csv", [[i, i % 2] for i in range(8)])
    trained("two.csv", "--loss", "hinge")
    assert "got the loss hinge. Leave out" in refused("predict", "o", "two.csv", "--probabilities")


# --- export ---------------------------------------------------------------------------------------

NEEDS_C = pytest.mark.skipif(not COMPILERS, reason="needs a C compiler")
KINDS: list[tuple[str, str, Callable[[Any, Any], list[float]]]] = [
    ("price", "auto", lambda problem, y: [problem.answer(y)]),
    ("two", "bce", lambda problem, y: [problem.probabilities(y)[1].data]),
    ("two", "hinge", lambda problem, y: [y.data]),
    ("three", "auto", lambda problem, y: [p.data for p in problem.probabilities(y)]),
]


@NEEDS_C
@pytest.mark.parametrize(
    ("target", "loss", "results"), KINDS, ids=[f"{k}-{n}" for k, n, _ in KINDS]
)
def test_the_program_takes_unscaled_inputs(target: str, loss: str, results: Any) -> None:
    rows = sales()
    targets: dict[str, Callable[[int], Any]] = {
        "price": lambda i: 0.25 + i,
        "two": lambda i: ("a", "b*/")[i % 2],
        "three": lambda i: "abc"[i % 3],
    }
    made = [[*row[:3], targets[target](i)] for i, row in enumerate(rows)]
    trained(write("t.csv", [rows[0], *made[1:]]), "--loss", loss)
    code, output = gradwalk("export", "o", "--out", "net.c")
    assert code == 0, output
    assert "x[3]  colour=blue: 1, or 0 for another text" in output
    assert "x[0]  sold days since 1970-01-01\nx[1]  sold month\n" in output
    call = load_c(Path("net.c").resolve(), COMPILERS[0])["net"]
    model, problem = load("o/weights.json")
    for row in read_csv("t.csv").inputs:
        status, [found] = call(row)
        assert status == 0
        assert found == pytest.approx(results(problem, model(problem.scaled(row))), rel=1e-12)


@pytest.mark.parametrize("kind", ["gradient", "jacobian", "hessian"])
def test_derivatives_are_added(kind: str) -> None:
    trained(write("sales.csv", sales()), "--activation", "tanh", "--hidden", "2")
    assert gradwalk("export", "o", "--out", "net.js", "--derivatives", kind)[0] == 0
    assert f"net_{kind}" in Path("net.js").read_text(encoding="utf-8")


# --- targets, curves, results ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("targets", "options", "said"),
    [
        (range(10), "", "Classification: the target has 10 different integers, at most 10. --task"),
        (
            range(11),
            "",
            "Regression: the target has 11 different integers, more than 10. --task cl",
        ),
        (range(11), "--task classification", "11 classes"),
        (range(11), "--task classification", "Classification, as --task says."),
        (range(11), "--loss cross_entropy", "Classification, as --loss cross_entropy says."),
        (range(3), "--loss mse", "Regression, as --loss mse says."),
        (range(3), "--task regression", "a quantity to predict"),
        ([0.5, 1.5], "", "Regression: the target has numbers that are not integers."),
        ([0.5, 1.5], "--task classification", "2 classes"),
        (["a", "b"], "", "Classification: the target is text."),
    ],
)
def test_the_kind_of_target_is_said_with_its_reason(targets: Any, options: str, said: str) -> None:
    rows: list[list[Any]] = [["x", "t"], *[[i, t] for i, t in enumerate([*targets] * 2)]]
    assert said in trained(write("t.csv", rows), *options.split())


def test_classes_of_numbers_keep_their_names() -> None:
    rows: list[list[Any]] = [["x", "t"], *[[i, 2.5 * (i % 2)] for i in range(12)]]
    trained(write("t.csv", rows), "--task", "classification")
    assert json.loads(gradwalk("predict", "o", "t.csv", "--json")[1])["classes"] == ["0.0", "2.5"]


def test_the_curve_of_the_held_out_rows_is_in_the_file() -> None:
    trained(write("sales.csv", sales()), "--test", "0.25")
    with open("o/loss.csv", encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert list(read[0]) == ["epoch", "loss", "score", "test_loss", "test_score"]
    notes = json.loads(Path("o/weights.json").read_text(encoding="utf-8"))["notes"]
    assert float(read[-1]["test_score"]) == notes["test_r2"]
    assert len({row["test_loss"] for row in read}) == 3
    lines = Path("o/loss.csv").read_text(encoding="utf-8")
    with_test = [line.split(",")[:1] for line in lines.splitlines()]
    assert with_test == [["epoch"], ["1"], ["2"], ["3"]]


def test_json_has_the_names_of_classes_and_keys_without_spaces() -> None:
    rows: list[list[Any]] = [["x", "kind"], *[[i, ("low", "high")[i % 2]] for i in range(20)]]
    words = ["train", write("t.csv", rows), "--json", "--test", "0.5", *QUICK]
    document = json.loads(CliRunner().invoke(app, words).stdout)
    assert document["classes"] == ["high", "low"]
    assert {"accuracy", "test_accuracy", "test_rows", "confusion"} <= document.keys()
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", key) for key in document)
    assert sum(map(sum, document["confusion"])) == document["test_rows"]


def test_target_and_ignore_choose_columns() -> None:
    write("sales.csv", sales())
    output = trained("sales.csv", "--target", "colour", "--ignore", "sold", "--ignore", "price")
    assert "1 inputs, 3 classes" in output
    model, problem = load("o/weights.json")
    assert [column.name for column in problem.cells] == ["size"]
    assert problem.class_names == ["blue", "light green", "red"]
    assert evaluate(
        model, problem.of_rows(read_csv("sales.csv", target="colour", ignore=["sold", "price"]))
    )


# --- odd files ------------------------------------------------------------------------------------

MANY = "".join(f"name{i},{i}\n" for i in range(40))
ODD: list[tuple[str, bytes, str]] = [
    ("empty", b"", "expected at least one row of numbers, got none"),
    ("only a header", b"a,b\n", "expected at least one row of numbers, got none"),
    ("one column", b"a\n1\n2\n", "an input column and a target column, got 1 column"),
    ("semicolons", b"a;b\n1;0\n2;1\n", ""),
    ("one class", b"a,b\n1,x\n2,x\n", "at least two different values"),
    ("one row", b"a,b\n1,x\n", "at least two different values"),
    ("quoted commas", b'"a, in m",b\n"1","x, y"\n2,"z"\n', ""),
    ("a byte order mark", "\ufeffa,b\n1,x\n2,y\n".encode(), ""),
    ("CRLF", b"a,b\r\n1,x\r\n2,y\r\n", ""),
    ("CR", b"a,b\r1,x\r2,y\r", ""),
    ("huge integers", b"a,b\n1" + b"0" * 30 + b",1\n2,2\n", ""),
    ("integers above all floats", b"a,b\n1" + b"0" * 400 + b",1\n2,2\n", "a finite number, got '1"),
    ("all missing", b"a,b\n,1\n,2\n", "got an empty cell. Write a number such as"),
    ("equal names", b"a,a,t\n1,2,x\n2,3,y\n", ""),
    ("no names", b",,\n1,2,x\n2,3,y\n", ""),
    ("ragged", b"a,b\n1,x\n2,y,z\n", "line 3: expected 2 cells, got 3"),
    (
        "many texts",
        b"a,b\n" + MANY.encode(),
        "at most 30 different texts, got 40. Pass --ignore a to",
    ),
    (
        "a date to predict",
        b"a,b\n1,2024-01-01\n2,2024-01-02\n",
        "the date 2024-01-01. Pass --target",
    ),
    ("latin-1", "größe,b\n1,x\n2,y\n".encode("latin-1"), "Pass --encoding latin-1, or save the"),
    ("windows", "preis in €,b\n1,x\n2,y\n".encode("cp1252"), "Pass --encoding cp1252, or save the"),
    ("utf-16", "a,b\n1,x\n2,y\n".encode("utf-16"), "Pass --encoding utf-16, or save the"),
    ("zeros", b"a,b\n\0,x\n2,y\n", "expected a finite number"),
    ("an open quote", b'a,b\n"1,x\n2,y\n', "expected a CSV line"),
    ("thousands", b'a,b\n"1,000",x\n2,y\n', "a finite number, got '1,000'."),
    ("mixed", b"a,b\n1,x\nred,y\n", "got 'red'. Replace the text by a number"),
    ("mixed dates", b"a,b\n2024-01-01,x\nsoon,y\n", "an ISO date, got 'soon'."),
    ("a time zone", b"a,b\n2024-01-01T00:00:00+05:30,x\n2024-01-02 12:00,y\n", ""),
    ("none as a text", b"garage,b\nnone,1.5\nbig,2.5\n", ""),
    (
        "a missing text",
        b"garage,b\nsmall,1.5\n,2.5\n",
        "got an empty cell. Fill the cell, or pass --m",
    ),
]


@pytest.mark.parametrize(
    ("content", "said"), [o[1:] for o in ODD], ids=[name for name, _, _ in ODD]
)
def test_odd_files_are_read_or_answered(content: bytes, said: str) -> None:
    Path("odd.csv").write_bytes(content)
    if said:
        assert said in refused("train", "odd.csv", *QUICK)
        return
    trained("odd.csv")
    code, output = gradwalk("predict", "o", "odd.csv")
    rows = [line for line in content.decode("utf-8-sig").splitlines() if line]
    assert (code, len(output.splitlines())) == (0, len(rows)), output


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8", "utf-8-sig"])
def test_an_encoding_can_be_told(encoding: str) -> None:
    rows: list[list[Any]] = [["größe", "b"], *[[i, ("süß", "sauer")[i % 2]] for i in range(6)]]
    trained(write("t.csv", rows, encoding), "--encoding", encoding)
    assert load("o/weights.json")[1].labels == ("sauer", "süß")
    assert gradwalk("predict", "o", "t.csv", "--encoding", encoding)[0] == 0


def test_the_remedy_for_many_texts_works() -> None:
    Path("t.csv").write_text("a,x,b\n" + MANY.replace(",", ",1,"), encoding="utf-8")
    assert "Pass --ignore a to leave the column out" in refused("train", "t.csv")
    trained("t.csv", "--ignore", "a")


def test_a_column_may_be_named_by_its_number() -> None:
    write("t.csv", [[i, 2 * i, i % 2] for i in range(8)])
    trained("t.csv", "--target", "1", "--ignore", "3")
    assert read_csv("t.csv", target="1", ignore="3").inputs[3] == [6.0]


# --- a learning rate that is too large ------------------------------------------------------------


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("lr", ["30", "1e5", "1e300"])
@pytest.mark.parametrize("loss", ["mse", "bce"])
def test_a_learning_rate_that_explodes_is_said(optimizer: str, lr: str, loss: str) -> None:
    words = ["train", "moons", "--loss", loss, "--optimizer", optimizer, "--epochs", "30"]
    last = refused(*words, "--lr", lr, "--activation", "relu", "--out", "o")
    assert f"the training has diverged with --lr {float(lr):g}" in last
    found = re.search(r"Write (--lr \S+)\.$", last)
    assert found is not None
    assert gradwalk(*words, *found[1].split(), "--out", "o")[0] == 0


# --- completion -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["train", "mo"], "moons"),
        (["train", "tab"], "table.csv"),
        (["train", "moons", "--opt"], "--optimizer"),
        (["train", "moons", "--optimizer", "adag"], "adagrad"),
        (["train", "moons", "--activation", "sof"], "softplus"),
        (["train", "t.csv", "--task", "reg"], "regression"),
        (["train", "t.csv", "--missing", "dr"], "drop"),
        (["train", "t.csv", "--encoding", "lat"], "latin-1"),
        (["pred"], "predict"),
        (["export", "m.json", "--derivatives", "jac"], "jacobian"),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_presets_and_options_are_completed(shell: str, words: list[str], completed: str) -> None:
    write("table.csv", [[1, 2]])
    line = " ".join(["gradwalk", *words])
    variables = {"_GRADWALK_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": line}
    variables |= {"COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    if shell == "fish":
        variables["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    done = subprocess.run(
        [sys.executable, "-m", "gradwalk"],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed in done.stdout, done.stderr


@pytest.mark.parametrize("share", ["0.2", "0.999"])
def test_rows_that_cannot_be_held_out_are_said(share: str) -> None:
    write("t.csv", [[i, f"kind {i}"] for i in range(8)])
    last = refused("train", "t.csv", "--test", share)
    assert "--test: expected several rows of every target" in last
    trained("t.csv")


def test_the_doctor_speaks_before_the_training() -> None:
    rows = [[(i * 7) % 5 + 0.5, (5, 2, 9)[i % 3], f"kind {i % 3}"] for i in range(40)]
    write("leak.csv", rows)
    told = trained("leak.csv", "--doctor", "--epochs", "1")
    assert "1 thing is wrong with this training" in told
    assert "column 1 has one number for each of the 3 classes" in told
    assert told.index("column 1") < told.index("epoch 1 of 1")
    assert "nothing wrong was found" in trained("moons", "--doctor", "--epochs", "1")
    assert "wrong" not in trained("leak.csv", "--epochs", "1")
