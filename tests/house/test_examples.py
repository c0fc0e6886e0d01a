"""The examples run as a reader would run them, and the benchmarks measure what they say."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gradwalk import Tensor, Value

ROOT = Path(__file__).resolve().parents[2]
COMPILER = [shutil.which("cc") or "true"]  # without one, the files are only written


def run(*arguments: object) -> str:
    command = [sys.executable, "-W", "error", *map(str, arguments)]
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # small matrices; cores are shared
    done = subprocess.run(
        command, cwd=ROOT, env=one_thread, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def house(monkeypatch):
    """The modules beside the package can be imported."""
    monkeypatch.syspath_prepend(str(ROOT))


# --- the examples ---------------------------------------------------------------------------


def test_walk_shows_the_known_numbers():
    printed = run("examples/walk.py")
    assert "y = mul" in printed
    assert re.search(r"gradient of a +31\.000", printed)
    assert re.search(r"y moved by nudge times +31\.003", printed)
    before, after = map(float, re.search(r"after +(\S+) (\S+)", printed).groups())
    assert before == 70.0
    assert after < before


def test_moons_learns_draws_the_plane_and_repeats_itself():
    printed = [run("examples/moons.py", "--steps", 20, "--points", 8) for _ in range(2)]
    assert printed[0] == printed[1]
    first, *_, last_row = printed[0].splitlines()
    assert first.startswith("337 parameters")
    assert set(last_row) <= set(" ░01")
    losses = [float(loss) for loss in re.findall(r"loss (\S+)", printed[0])]
    assert losses[1] < losses[0] < math.log(2.0)


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("controller", ["cost.c"]),
        ("robot", ["hand.c", "hand.js"]),
        ("lagrangian", ["objective.c", "constraints.c", "lagrangian.c"]),
        ("classifier", ["classify.c"]),
    ],
)
def test_examples_export_files_that_compile(name, files, tmp_path):
    printed = run(f"examples/export_{name}.py", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files)
    assert all(file in printed for file in files)
    for path in tmp_path.glob("*.c"):
        command = [*COMPILER, "-std=c99", "-Wall", "-Wextra", "-Werror", "-c", path, "-o"]
        subprocess.run([*command, tmp_path / "object.o"], check=True)


def test_gpt_reads_the_names_of_a_file(tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("Ann\n\n  bo \nmarieluise-zoë\n", "utf-8")
    printed = run("examples/gpt.py", "--steps", 2, "--samples", 2, "--text", names)
    assert "3 names, 4,176 parameters" in printed  # two more letters, 32 numbers each
    invented = printed.splitlines()[-1].removeprefix("invented: ").split(", ")
    assert len(invented) == 2
    assert all(len(name) <= 8 for name in invented)


def printed_at(place):
    printed = run("examples/gpt.py", "--place", place, "--steps", 60, "--samples", 3)
    return re.sub(r"\S+ steps/s", "", printed)


def test_gpt_of_arrays_learns_and_repeats_itself():
    first, again = printed_at("numpy"), printed_at("numpy")
    assert first == again
    assert "4,112 parameters" in first  # as many as the scalars
    losses = [float(loss) for loss in re.findall(r"loss (\S+)", first)]
    assert losses[-1] < losses[0] < math.log(27.0)


@pytest.mark.peer
@pytest.mark.parametrize("place", ["jax", "torch"])
def test_gpt_of_arrays_is_the_same_in_every_place(place):
    pytest.importorskip(place, reason=f"{place} is not installed: NOT TESTED")
    assert printed_at(place) == printed_at("numpy")


def test_gpt_says_that_a_file_is_empty(tmp_path):
    (tmp_path / "empty.txt").touch()
    command = [sys.executable, "examples/gpt.py", "--text", str(tmp_path / "empty.txt")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "expected one name per line" in done.stderr


def test_gpt_has_the_slope_of_its_loss(house):
    from examples import gpt

    model = gpt.GPT(Value, gpt.alphabet_of(gpt.NAMES), seed=3)
    parameters = model.parameters()
    assert len(parameters) == 4112
    model.loss("ab").backward()
    for p in (parameters[0], model.head[3][5], model.query[2][1], model.gains[1][4]):
        (slope, kept), h = (p.grad, p.data), 1e-6
        p.data = kept + h
        above = model.loss("ab").data
        p.data = kept - h
        below = model.loss("ab").data
        p.data = kept
        assert slope != 0.0
        assert slope == pytest.approx((above - below) / (2.0 * h), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(
    ("model", "reached"), [("mlp", 97.0), pytest.param("cnn", 98.5, marks=pytest.mark.prove)]
)
def test_digits_are_read_that_were_never_seen(tmp_path, model, reached):
    pytest.importorskip("sklearn")
    printed = run("-m", "examples.digits", "--model", model, "--out", tmp_path)
    accuracy, right, count = re.search(r"test accuracy (\S+)%: (\d+) of (\d+)", printed).groups()
    assert float(accuracy) >= reached
    assert float(accuracy) == pytest.approx(100.0 * int(right) / int(count), abs=0.01)
    losses = [float(loss) for loss in re.findall(r"loss (\S+)", printed)]
    assert losses[-1] < losses[0] < math.log(10.0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["digits.png", "loss.png"]


@pytest.mark.parametrize("example", ["ngram", pytest.param("names", marks=pytest.mark.prove)])
def test_names_are_invented_the_same_in_every_run(tmp_path, example):
    arguments = ("-m", f"examples.{example}", "--epochs", 4, "--samples", 7, "--out", tmp_path)
    printed = [re.sub(r"\S+ s\n", "\n", run(*arguments)) for _ in range(2)]
    assert printed[0] == printed[1]
    losses = [float(loss) for loss in re.findall(r" {3}loss (\S+)", printed[0])]
    assert len(losses) == 4
    assert losses == sorted(losses, reverse=True)
    validated = float(re.search(r"\nvalidation loss (\S+),", printed[0]).group(1))
    assert validated < 2.35 < math.log(27.0)
    assert printed[0].splitlines()[-1].count(", ") == 6
    assert (tmp_path / "loss.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("example", ["ngram", "names"])
def test_names_are_read_from_a_file(tmp_path, example):
    names = tmp_path / "names.txt"
    names.write_text("Ann\n\n  bo \nann\nmarieluise-zoë-from-the-other-side\n", "utf-8")
    printed = run("-m", f"examples.{example}", "--epochs", 1, "--text", names, "--context", 5)
    assert printed.startswith("3 names, ")
    assert "invented: " in printed


def test_attention_of_the_gpt_never_sees_the_future(house):
    from argparse import Namespace

    from examples import names

    options = Namespace(width=8, heads=2, layers=2, context=6, seed=0)
    model = names.GPT(5, options).eval()
    before, after = (model(Tensor([[0, 1, 2, 3, last]])).numpy() for last in (1, 4))
    assert before[0, :4] == pytest.approx(after[0, :4], abs=1e-12)
    assert before[0, 4] != pytest.approx(after[0, 4], abs=1e-3)


# --- one program, several engines -----------------------------------------------------------


def test_baseline_learns_what_gradwalk_learns(house):
    from benchmarks import baseline
    from examples import gpt

    def losses(scalar: type) -> list[float]:
        model = gpt.GPT(scalar, gpt.alphabet_of(gpt.NAMES))
        optimizer = baseline.Adam(model.parameters(), lr=0.01)
        return list(gpt.train(model, optimizer, ["ab", "c"], steps=3))

    assert losses(Value) == pytest.approx(losses(baseline.Value), rel=1e-9)


def test_baseline_has_the_derivatives_of_every_operation(house):
    from benchmarks import baseline

    def leaves(scalar: type) -> list[float]:
        a, b, c = scalar(1.5), scalar(-0.5), scalar(0.0)
        y = (2.0 - a * b) / (b - 3.0) + 1.0 / a + (a - b) ** 3 * 0.5 - (-b).exp() + (a + c) / 2.0
        y = y + (a / b) * a.log() + (b.relu() + a.relu() + c.relu()) + (1.0 + b) * b + 4.0 * c
        y.backward()
        return [y.data, a.grad, b.grad, c.grad]

    assert leaves(baseline.Value) == pytest.approx(leaves(Value), rel=1e-13)


def test_moons_program_is_the_same_on_floats_and_on_the_network_of_nn(house):
    from benchmarks import baseline, moons, workers

    points, labels = moons.moons(n=6)
    expected = moons.MLP(float).loss(points, labels)
    networks = [moons.MLP(Value), moons.MLP(baseline.Value), workers.NetworkOfGradwalk()]
    gradients = []
    for network in networks:
        loss = network.loss(points, labels)
        assert loss.data == pytest.approx(expected, rel=1e-12)
        loss.backward()
        gradients.append([p.grad for p in network.parameters()])
    assert gradients[1] == pytest.approx(gradients[0], rel=1e-9, abs=1e-15)
    assert gradients[2] == pytest.approx(gradients[0], rel=1e-9, abs=1e-15)


# --- the runner -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "work", [("moons", "--gc", "off"), ("flat",), ("chain",), ("gpt", "--adam", "gradwalk")]
)
def test_every_worker_prints_its_facts(work):
    steps = {"flat": 100, "chain": 50}.get(work[0], 1)
    facts = json.loads(run("-m", "benchmarks.workers", *work, "--steps", steps))
    assert facts["engine"] in ("native", "python")
    assert all(math.isfinite(fact) for fact in facts.values() if isinstance(fact, float))
    if work[0] == "chain":
        assert facts["nodes"] == 100
        assert facts["gradient"] == pytest.approx(facts["expected"], rel=1e-12)


def test_ratios_belong_to_pairs(house):
    from benchmarks.run import Measured, ratios

    measured = Measured(ratios([(6.0, 2.0), (50.0, 10.0), (8.0, 2.0)]))
    assert measured.rounds == [3.0, 5.0, 4.0]
    assert measured.median == 4.0


def test_programs_that_disagree_are_not_compared(house):
    from benchmarks.run import agree

    agree({"losses": [1.0, 2.0]}, {"losses": [1.0 + 1e-12, 2.0, 3.0]})
    with pytest.raises(ArithmeticError, match="not the same program"):
        agree({"losses": [1.0, 2.0]}, {"losses": [1.0, 2.0001]})


def test_verdicts_look_in_the_right_direction(house):
    from benchmarks.bars import BARS
    from benchmarks.run import Measured

    bars = {bar.name: bar for bar in BARS}
    for name, number, verdict in [
        ("moons", 200.0, "aim"),
        ("moons", 100.0, "must"),
        ("moons", 99.9, "missed"),
        ("forward", 1.5, "aim"),
        ("forward", 2.0, "must"),
        ("forward", 2.1, "missed"),
        ("import", 59.0, "must"),
        ("gpt-adam", 1.0, ""),
    ]:
        assert bars[name].verdict(Measured([number])) == verdict


def test_report_is_a_table_a_json_file_and_a_picture(house, tmp_path):
    pytest.importorskip("matplotlib")
    from benchmarks import report
    from benchmarks.bars import BARS
    from benchmarks.run import Measured

    rows = [(bar, Measured([0.0, 1.5, 300.0], {"seen": True})) for bar in BARS]
    line = next(report.line(*row) for row in rows if row[0].name == "import")
    assert "import gradwalk" in line
    assert "(0 - 300)" in line
    facts = report.machine()
    bars = json.loads(report.as_json(facts, rows))["bars"]
    assert [bar["median"] for bar in bars] == [1.5] * len(BARS)
    report.draw(facts, rows, tmp_path / "bars.svg")
    assert "<svg" in (tmp_path / "bars.svg").read_text("utf-8")


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_every_row_of_places_is_measured_by_its_process(house, device):
    from benchmarks import places
    from benchmarks.elsewhere.work import WORKS

    measured = [row for name, rows in WORKS.items() for row, _ in rows(device)]
    known = [bar.name for bar in places.BARS if (bar.name, device) != ("memory", "cpu")]
    assert sorted(measured) == sorted(known)
    for name, rows in WORKS.items():
        assert {places.work_of(row) for row, _ in rows(device)} == {name}


def test_a_row_of_places_says_what_was_found_or_why_not(house):
    from benchmarks import places

    bar = next(bar for bar in places.BARS if bar.name == "jax")
    line = places.line(bar, {"rounds": [1.0, 1.1, 9.0], "ours_ms": 2.0, "peer_ms": 1.0})
    assert line.split()[-7:] == ["1.15", "1.02", "must", "2", "/", "1", "ms"]
    assert places.line(bar, {"error": "ValueError: no"}).endswith("error        ValueError: no")
    assert "not measured" in places.line(bar, {"error": "not measured"})
    assert [b.name for b in places.chosen("jax,losses-jax")] == [
        "jax", "losses-jax-eager", "losses-jax"
    ]  # fmt: skip


def test_programs_of_scalars_have_the_derivatives_of_differences(house):
    from benchmarks.elsewhere.scalars import PROGRAMS

    import gradwalk

    for make, least, most in PROGRAMS.values():
        f, x, h = make(gradwalk), 0.3 * least + 0.7 * most, 1e-6
        slope = (f(x + h) - f(x - h)) / (2.0 * h)
        assert gradwalk.grad(f)(x) == pytest.approx(slope, rel=1e-6)
