"""``gradwalk train digits`` and ``gradwalk train names``."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from contextlib import nullcontext

import pytest
from typer.testing import CliRunner

import gradwalk
from gradwalk import Tensor
from gradwalk.cli import app, results, train_tensors
from gradwalk.cli.tasks import Digits, Names
from gradwalk.cli.tensor_options import TensorOptions
from gradwalk.data.names import NAMES
from gradwalk.training.characters import Alphabet, CharacterGPT

DIGITS = ["digits.png", "loss.csv", "loss.png", "summary.json", "weights.safetensors"]
NAMED = ["loss.csv", "loss.png", "samples.txt", "summary.json", "weights.safetensors"]


def call(*args):
    done = CliRunner().invoke(app, [str(arg) for arg in args], prog_name="gradwalk")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def program(*args):
    return subprocess.Popen(
        [sys.executable, "-m", "gradwalk", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "OPENBLAS_NUM_THREADS": "1"},
    )


def summary(folder):
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))


def losses(folder):
    with open(folder / "loss.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def no_pictures(monkeypatch):
    monkeypatch.setattr(results, "find_spec", lambda name: None)


# --- digits ---------------------------------------------------------------------------------------


@pytest.mark.prove  # the example of digits reaches the same
@pytest.mark.parametrize(("model", "reached"), [("mlp", 0.97), ("cnn", 0.985)])
def test_digits_that_were_kept_apart_are_read(tmp_path, model, reached):
    pytest.importorskip("sklearn")
    done = program("train", "digits", "--model", model)
    out, err = done.communicate(timeout=300)
    assert (done.returncode, err) == (0, "")
    folder = tmp_path / "gradwalk-digits"
    assert files(folder) == DIGITS
    assert all(f"gradwalk-digits/{name}  (" in out for name in DIGITS)
    notes = summary(folder)
    assert notes["test_accuracy"] >= reached
    assert f"Trained: test accuracy {100 * notes['test_accuracy']:.2f} %" in out
    assert len(losses(folder)) == notes["epochs"] == 30
    assert notes["test_accuracy"] == pytest.approx(float(losses(folder)[-1]["test_accuracy"]))
    assert (folder / "digits.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.usefixtures("no_pictures")
def test_the_weights_predict_the_same_when_they_are_loaded(tmp_path):
    pytest.importorskip("sklearn")
    args = ["--epochs", 1, "--lr", 0.01, "--batch", 100, "--seed", 5, "--out", "o"]
    code, output = call("train", "digits", *args)
    assert code == 0
    assert "lr 0.01 falling along a cosine, batches of 100" in output
    assert output.endswith("No pictures: pip install 'gradwalk[plot]'\n")
    assert files(tmp_path / "o") == ["loss.csv", "summary.json", "weights.safetensors"]
    again = Digits(TensorOptions("digits", seed=6))
    before = again.outcome()[1]
    again.model.load_state_dict(gradwalk.load(tmp_path / "o" / "weights.safetensors"))
    assert again.outcome()[1]["test_accuracy"] == summary(tmp_path / "o")["test_accuracy"]
    assert before["test_accuracy"] < summary(tmp_path / "o")["test_accuracy"]


def test_without_scikit_learn_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    code, output = call("train", "digits")
    assert code == 2
    assert output.count("\n") == 1
    assert 'pip install "gradwalk[digits]"' in output
    assert files(tmp_path) == []


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "reached"), [("ngram", 2.2), ("gpt", 2.2)])
def test_names_are_learned_and_invented(tmp_path, model, reached):
    epochs = 6
    code, output = call("train", "names", "--model", model, "--epochs", epochs, "--out", "o")
    assert code == 0, output
    folder = tmp_path / "o"
    assert files(folder) == NAMED
    assert output.startswith(f"names: 314 names of 26 different characters\n{model}, ")
    notes, curve = summary(folder), losses(folder)
    assert notes["validation loss"] < reached  # of 3.3 that a model without knowledge has
    assert float(curve[-1]["loss"]) < float(curve[0]["loss"])
    best = min(float(line["validation_loss"]) for line in curve)
    assert notes["validation loss"] == pytest.approx(best, rel=0.02)
    invented = (folder / "samples.txt").read_text(encoding="utf-8").splitlines()
    assert len(invented) == 20
    assert set("".join(invented)) <= set("".join(NAMES))
    assert len(set(invented)) > 10


@pytest.mark.usefixtures("no_pictures")
def test_a_list_of_ones_own(tmp_path):
    (tmp_path / "own.txt").write_text("Zoë\n\nbob\nBOB\nanna\nida-may\n", encoding="utf-8")
    code, output = call("train", "names", "--text", "own.txt", "--epochs", 2)
    assert code == 0
    assert output.startswith("names: 4 names of 11 different characters\ngpt, ")
    notes = summary(tmp_path / "gradwalk-names")
    assert notes["characters"] == "-abdimnoyzë"
    state = gradwalk.load(tmp_path / "gradwalk-names" / "weights.safetensors")
    model = CharacterGPT(1 + len(notes["characters"]), notes["context"])
    model.load_state_dict(state)
    alphabet = Alphabet(notes["characters"])
    assert model.eval()(Tensor([[0, *alphabet.encode("bob")]])).shape == (1, 4, 12)


def test_equal_seeds_give_equal_files(tmp_path):
    for folder, seed in (("a", 3), ("b", 3), ("c", 4)):
        args = ["--model", "ngram", "--epochs", 2, "--seed", seed, "--out", folder]
        assert call("train", "names", *args)[0] == 0
    read = {f: [(tmp_path / f / name).read_bytes() for name in NAMED] for f in "abc"}
    assert read["a"] == read["b"]
    assert all(a != c for a, c in zip(read["a"], read["c"], strict=True))


def test_a_long_list_needs_fewer_epochs(tmp_path):
    names = [f"{a}{b}{c}{d}" for a in "abcdefghij" for b in "klmnopqrst" for c in "uvwxyz"
             for d in "abcdefghij"]  # fmt: skip
    (tmp_path / "many.txt").write_text("\n".join(names), encoding="utf-8")
    few, many = (Names(TensorOptions("names", "gpt", x, batch=8)) for x in (None, "many.txt"))
    assert few.epochs == 15
    assert many.epochs == 5000 // (5400 // 8)


# --- what is wrong, and Ctrl-C --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["digits", "--hidden", "4"], "--hidden: expected a toy data set or a CSV file, got 'dig"),
        (["digits", "--text", "one.txt"], "--text: expected train names, got 'digits'"),
        (
            ["digits", "--text", "x", "--noise", "1"],
            "--noise: expected a toy data set or a CSV file",
        ),
        (["names", "--activation", "relu"], "got 'names'. Leave out --activation."),
        (["names", "--hidden", "8"], "Use --model gpt or --model ngram to choose the network."),
        (["moons", "--model", "cnn"], "--model: expected train digits or train names, got 'moons'"),
        (["own.csv", "--text", "one.txt"], "--text: expected train names"),
        (["digits", "--model", "cn"], "expected one of mlp, cnn, got 'cn'. Did you mean 'cnn'?"),
        (["names", "--model", "mlp"], "expected one of gpt, ngram, got 'mlp'."),
        (
            ["names", "--lr", "-1"],
            "--lr: expected a positive number, got -1. Use --lr 0.002, the default for gpt",
        ),
        (["names", "--epochs", "0"], "--epochs"),
        (["names", "--text", "no.txt"], "got the error 'No such file or directory'"),
        (["names", "--text", "."], "got the error 'Is a directory'"),
        (["names", "--text", "empty.txt"], "empty.txt: expected a text file with at least two"),
        (["names", "--text", "one.txt"], "at least two different names, one on each line, got 1."),
        (["names", "--text", "bytes.txt"], "got bytes that are not UTF-8"),
        (
            ["names", "--out", "one.txt"],
            "one.txt: expected a writable folder, got the error 'File exists'",
        ),
        (["digit"], "Did you mean 'digits'?"),
    ],
)
def test_train_says_what_is_wrong_before_it_starts(tmp_path, args, said):
    (tmp_path / "empty.txt").write_text("\n \n", encoding="utf-8")
    (tmp_path / "one.txt").write_text("Bob\nbob\n", encoding="utf-8")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\xfa")
    code, output = call("train", *args)
    assert code == 2, output
    assert said in output
    assert output.startswith("gradwalk: ")
    assert output.count("\n") == 1
    assert files(tmp_path) == ["bytes.txt", "empty.txt", "one.txt"]


def test_help_shows_both_kinds_of_training():
    text = " ".join(call("train", "--help")[1].replace("│", " ").split())
    assert "digits (images), names (text), or a CSV file" in text
    assert "For digits: mlp or cnn. For names: gpt or ngram. [default: (mlp, gpt)]" in text
    assert "A file of names, one per line, instead of the built-in list." in text
    assert "[default: (10, of digits 64, of names 32)]" in text


@pytest.mark.usefixtures("no_pictures")
def test_a_training_that_diverges_names_the_learning_rate():
    code, output = call("train", "names", "--model", "ngram", "--lr", "1e30")
    assert code == 2
    assert "diverged with --lr " in output.rstrip().split("\n")[-1]


def test_ctrl_c_keeps_what_there_is(tmp_path):
    done = program("train", "names", "--epochs", 10**6, "--out", "o")
    lines = []
    while not lines or not lines[-1].startswith("epoch"):
        lines.append(done.stdout.readline())
        assert lines[-1], done.stderr.read()
    done.send_signal(signal.SIGINT)
    out, err = done.communicate(timeout=120)
    assert (done.returncode, err) == (130, "")
    assert files(tmp_path / "o") == NAMED
    curve = losses(tmp_path / "o")
    assert f"Stopped after {len(curve)} of 1000000 epochs.\n" in out
    assert [int(line["epoch"]) for line in curve] == list(range(1, len(curve) + 1))
    assert summary(tmp_path / "o")["epochs"] == len(curve) >= 1


def test_ctrl_c_before_the_first_batch_writes_the_untrained_network(tmp_path, monkeypatch):
    monkeypatch.setattr(train_tensors, "stopping", lambda: nullcontext(lambda: True))
    code, output = call("train", "names", "--model", "ngram", "--out", "o")
    assert code == 130
    assert "Stopped after 0 of 20 epochs." in output
    assert losses(tmp_path / "o") == []
    assert files(tmp_path / "o") == sorted({*NAMED} - {"loss.png"})


# --- what is not loaded ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "absent"),
    [
        (["show", "a * 2", "a=1"], {"numpy", "sklearn", "matplotlib", "safetensors"}),
        (["train", "xor", "--points", "4", "--epochs", "1"], {"sklearn", "safetensors"}),
        (["train", "names", "--model", "ngram", "--epochs", "1"], {"sklearn"}),
    ],
)
def test_what_a_command_does_not_need_stays_unloaded(run_python, args, absent):
    loaded = run_python(f"""
import sys
from gradwalk.__main__ import main
sys.argv = ["gradwalk", *{args!r}]
try:
    main()
except SystemExit as exit:
    assert exit.code == 0
print("loaded:", *sys.modules)
""").rpartition("loaded:")[2]
    assert "gradwalk.cli" in loaded.split()
    assert not absent & set(loaded.split())
