"""The training room without its channel: runs, frames, verdicts, tables, walks, requests."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from gradwalk import Value, no_grad, sigmoid
from gradwalk.data import Dataset
from gradwalk.errors import DataError
from gradwalk.studio.training import flow
from gradwalk.studio.training.configuration import (
    CHOICES,
    LIMITS,
    OPTIMIZERS,
    READERS,
    Configuration,
)
from gradwalk.studio.training.curve import Curve
from gradwalk.studio.training.evaluation import LEVELS, boundary, evaluate, extent_of
from gradwalk.studio.training.flow import flows
from gradwalk.studio.training.frames import Watch, frame
from gradwalk.studio.training.requests import Request, read, refusal
from gradwalk.studio.training.run import NO_POINTS, WINDOW, Run
from gradwalk.studio.training.session import Session
from gradwalk.studio.training.table import points_from_csv
from gradwalk.studio.training.walking import WALKABLE, document, loss_of_example
from gradwalk.training import Problem, train
from gradwalk.training.replays import Replays

from ..helpers.amount import examples

SMALL = Configuration(count=12, hidden=(3,), batch=5)
POINTS = ((0.0, 1.0, 0), (1.0, -1.0, 1), (2.0, 0.5, 1))

configurations = st.builds(
    Configuration,
    data=st.sampled_from(["xor", "moons", "circles", "spirals"]),
    count=st.integers(2, 12),
    noise=st.floats(0.0, 0.5),
    hidden=st.lists(st.integers(1, 4), max_size=3).map(tuple),
    activation=st.sampled_from(CHOICES["activations"]),
    loss=st.sampled_from(CHOICES["losses"]),
    optimizer=st.sampled_from(CHOICES["optimizers"]),
    lr=st.floats(1e-4, 1.0),
    batch=st.integers(1, 15),
    seed=st.integers(0, 2**53 - 1),
)
a_few = examples(25)


def digest(run: Run) -> list[str]:
    """Every number of a run, to the last bit."""
    weights = [p.data.hex() for p in run.parameters]
    return [str(run.steps), str(run.epochs), *weights, *(x.hex() for x in run.curve.losses)]


def trained(configuration: Configuration, updates: int) -> Run:
    run = Run(configuration)
    for _ in range(updates):
        run.step()
    return run


# --- equal configurations give equal runs ---------------------------------------------------------


@a_few
@given(configurations, st.integers(0, 12), st.integers(1, 12))
def test_equal_configurations_give_equal_runs_and_so_does_a_rewind(
    configuration: Configuration, before: int, updates: int
) -> None:
    again = trained(configuration, before)
    again.rewind()
    for _ in range(updates):
        again.step()
    assert digest(trained(configuration, updates)) == digest(again)


@pytest.mark.parametrize("loss", CHOICES["losses"])
@pytest.mark.parametrize("batch", [5, 12, 40])
def test_a_run_is_the_training_of_the_library(loss: str, batch: int) -> None:
    configuration = replace(SMALL, loss=loss, batch=batch)
    run = Run(configuration)
    dataset = Dataset([[x, y] for x, y, _ in run.points], [label for *_, label in run.points])
    problem = Problem.of(dataset, loss)
    model = Run(configuration).model
    optimizer = OPTIMIZERS[configuration.optimizer](model.parameters(), lr=configuration.lr)
    epochs = list(
        train(model, problem, optimizer, epochs=3, batch_size=batch, seed=configuration.seed)
    )
    while run.epochs < 3:
        assert run.step()
    assert run.model.state_dict() == model.state_dict()
    sizes = [min(batch, 12 - start) for start in range(0, 12, batch)]
    last = list(run.curve.losses)[-len(sizes) :]
    mine = sum(loss * size for loss, size in zip(last, sizes, strict=True)) / 12
    assert math.isclose(mine, epochs[-1].loss, rel_tol=1e-12)


def test_both_engines_make_the_same_run(run_python: Callable[..., str]) -> None:
    program = """
from gradwalk.engine import value
from gradwalk.studio.training.configuration import CHOICES, Configuration
from gradwalk.studio.training.run import Run
for i, activation in enumerate(CHOICES["activations"]):
    loss, optimizer = CHOICES["losses"][i % 3], CHOICES["optimizers"][i % 6]
    run = Run(Configuration(hidden=(3, 2), count=10, activation=activation, loss=loss,
                            optimizer=optimizer, batch=4, seed=i))
    for _ in range(7):
        run.step()
    print(activation, *(p.data.hex() for p in run.parameters), *(x.hex() for x in run.curve.losses))
"""
    here, python = run_python(program), run_python(program, GRADWALK_PURE="1")
    assert here == python
    assert len(here.splitlines()) == len(CHOICES["activations"])


@a_few
@given(st.lists(st.sampled_from(["start", "one", "step", "pause", "frame", "watch"]), max_size=15))
def test_no_pattern_of_starts_and_pauses_changes_the_run(pattern: list[str]) -> None:
    session = Session("s", SMALL)
    requests = {
        "start": Request("start"),
        "one": Request("start", 1),
        "step": Request("step", 2),
        "pause": Request("pause"),
        "watch": Request("watch", Watch(True, 3)),
    }
    for what in pattern:
        if what == "frame":
            session.frame()
        else:
            session.obey(requests[what])
        session.advance(time.perf_counter())
    assert digest(session.run) == digest(trained(SMALL, session.run.steps))


def test_the_numbers_of_a_run_are_kept_for_a_while_only() -> None:
    run = trained(SMALL, WINDOW + 10)
    assert (run.steps, run.epochs, len(run.samples)) == (210, 70, WINDOW)
    assert len(run.curve.losses) == 210


# --- points ---------------------------------------------------------------------------------------


@a_few
@given(configurations, st.integers(1, 5))
def test_new_points_keep_the_weights_and_a_rewind_keeps_the_points(
    configuration: Configuration, updates: int
) -> None:
    run = trained(configuration, updates)
    before = digest(run)
    run.replace_points(POINTS)
    assert digest(run) == before
    assert frame(run, Watch(resolution=0))["points"] == POINTS
    run.step()
    run.rewind()
    run.step()
    own = replace(configuration, data="points", points=POINTS)
    assert run.configuration == own
    assert digest(run) == digest(trained(own, 1))


def test_a_run_without_points_waits_for_some() -> None:
    run = Run(Configuration(data="points"))
    assert not run.step()
    shown = frame(run, Watch())
    assert (shown["stopped"], shown["loss"], shown["accuracy"]) == (NO_POINTS, None, None)
    run.replace_points(POINTS)
    assert run.step()
    assert frame(run, Watch())["stopped"] == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"lr": 1e6, "loss": "mse", "hidden": (), "optimizer": "sgd"}, "diverged with lr=1e+06"),
        ({"lr": 1e6, "loss": "mse", "optimizer": "momentum", "activation": "relu"}, "smaller lr"),
    ],
)
def test_a_training_that_diverges_stops_with_finite_weights(
    change: dict[str, Any], words: str
) -> None:
    run = trained(replace(SMALL, **change), 300)
    assert words in run.stopped
    assert run.steps < 300
    assert all(math.isfinite(p.data) for p in run.parameters)
    assert not run.step()
    json.dumps(frame(run, Watch(gradients=True)), allow_nan=False)
    run.rewind()
    assert run.stopped == ""


@pytest.mark.parametrize("spoil", ["gradient", "weight"])
def test_numbers_that_are_too_large_are_not_taken_over(spoil: str) -> None:
    run = Run(replace(SMALL, optimizer="sgd", hidden=(), loss="mse"))
    run.replace_points(((1e6, 0.0, 1),))
    assert run.step()
    for parameter in run.parameters:
        parameter.data = 1e100 if spoil == "weight" else 1e-60
    if spoil == "weight":
        run.optimizer.param_groups[0]["lr"] = 1e250
    else:
        run._replays = Replays(run.model, lambda outputs, _: outputs[0] * 1e305)
    before = [p.data for p in run.parameters]
    assert not run.step()
    assert spoil in run.stopped
    assert [p.data for p in run.parameters] == before
    shown = frame(run, Watch(gradients=True))
    assert json.dumps(shown, allow_nan=False)
    assert run.steps == 1
    assert (shown["layers"][0]["gradients"] is None) == (spoil == "gradient")


# --- what is seen of it ---------------------------------------------------------------------------


# a hinge loss whose margins are all met gives no gradient in the first step, and is told so
@pytest.mark.filterwarnings("ignore::gradwalk.errors.CutGraphWarning")
@a_few
@given(configurations, st.integers(0, 3))
def test_arrays_see_what_values_compute(configuration: Configuration, updates: int) -> None:
    run = trained(configuration, updates)
    with no_grad():
        scores = [run.model([x, y]).data for x, y, _ in run.points]
        targets = [run.target(label) for *_, label in run.points]
        loss = run.loss_of([Value(s) for s in scores], targets).data
    assume(all(abs(score) > 1e-9 for score in scores))  # whose sign rounding might change
    seen = evaluate(run)
    assert seen.loss is not None
    assert math.isclose(seen.loss, loss, rel_tol=1e-9, abs_tol=1e-12)
    right = [(s > 0) == (p[2] == 1) for s, p in zip(scores, run.points, strict=True)]
    assert seen.accuracy == pytest.approx(sum(right) / len(right))
    assert seen.outputs[-1][0] == pytest.approx(math.fsum(scores) / len(scores), abs=1e-9)


@pytest.mark.parametrize("loss", CHOICES["losses"])
def test_the_boundary_goes_row_by_row_from_the_bottom_left(loss: str) -> None:
    run = trained(replace(SMALL, loss=loss), 20)
    made = boundary(run, 3)
    x0, x1, y0, y1 = made["extent"]
    expected = []
    for row in range(3):
        for column in range(3):
            x, y = (x0 + (x1 - x0) * (column + 0.5) / 3, y0 + (y1 - y0) * (row + 0.5) / 3)
            score = run.model([x, y]).data
            expected.append(
                sigmoid(score) if loss == "bce" else min(max((1 + score) / 2, 0.0), 1.0)
            )
    assert made["values"] == pytest.approx(expected, abs=1e-4)


coordinate = st.floats(-1e6, 1e6)


@example(((0.0, 1.0, 0), (0.0, -250001.0, 0)))  # between two rounded centres
@given(st.lists(st.tuples(coordinate, coordinate, st.integers(0, 1)), max_size=6).map(tuple))
def test_the_extent_is_a_square_around_the_points(points: Any) -> None:
    x0, x1, y0, y1 = extent_of(points)
    assert x1 - x0 > 0
    assert x1 - x0 == pytest.approx(y1 - y0)
    room = 1e-6 * max(map(abs, (x0, x1, y0, y1)))
    assert all(x0 - room <= x <= x1 + room and y0 - room <= y <= y1 + room for x, y, _ in points)


@a_few
@given(configurations, st.integers(0, 4), st.booleans())
def test_a_frame_has_the_numbers_of_the_network(
    configuration: Configuration, updates: int, gradients: bool
) -> None:
    run = trained(configuration, updates)
    shown = json.loads(json.dumps(frame(run, Watch(gradients, 4)), allow_nan=False))
    widths = [2, *configuration.hidden, 1]
    assert len(shown["boundary"]["values"]) == 16
    assert (shown["step"], shown["epoch"]) == (run.steps, run.epochs)
    for i, layer in enumerate(shown["layers"]):
        numbers = [[w.data for w in row] for row in run.model.layers[i].weights]
        assert layer["weights"] == numbers
        assert [len(numbers), len(numbers[0])] == [widths[i + 1], widths[i]]
        assert len(layer["biases"]) == len(layer["outputs"]) == widths[i + 1]
        assert len(layer["norms"]) == run.steps
        assert (layer["gradients"] is None) == (not gradients or run.steps == 0)
        if layer["gradients"] and not run.stopped:
            slopes = [g for row in layer["gradients"]["weights"] for g in row]
            assert math.hypot(*slopes) == layer["norms"][-1]
    assert shown["layers"][-1]["activation"] == "linear"


# --- the curve ------------------------------------------------------------------------------------


@given(st.lists(st.floats(0, 10), max_size=60), st.integers(2, 9), st.integers(1, 7))
def test_a_page_that_follows_the_curve_has_all_of_it(
    losses: list[float], most: int, often: int
) -> None:
    curve, page, every = Curve(most), list[float](), 0
    for i, loss in enumerate(losses):
        curve.add(loss)
        if i % often == 0:
            news = curve.since(every, len(page))
            kept = page[: news["from"] // news["every"]] if news["from"] else []
            page, every = kept + news["losses"], news["every"]
            assert page == list(curve.losses)
    assert len(curve.losses) <= most
    blocks = len(losses) // curve.every
    means = [sum(losses[i * curve.every :][: curve.every]) / curve.every for i in range(blocks)]
    assert list(curve.losses) == pytest.approx(means)


# --- the flow of gradients ------------------------------------------------------------------------


def verdicts(run: Run) -> list[str]:
    return [layer["verdict"] for layer in frame(run, Watch(resolution=0))["layers"]]


def test_a_deep_network_of_sigmoids_vanishes_from_the_front() -> None:
    run = trained(Configuration(hidden=(8,) * 5, activation="sigmoid", optimizer="sgd"), 10)
    found = verdicts(run)
    assert found[0] == "vanishing"
    assert found[-1] == "healthy"
    words = frame(run, Watch(resolution=0))["layers"][0]["words"]
    assert words.endswith("times the norm of the last layer: below 0.01.")


def test_large_weights_make_gradients_explode() -> None:
    run = Run(Configuration(hidden=(4, 4, 4), activation="linear", lr=0.0))
    for layer in run.model.layers[1:]:
        for row in layer.weights:
            for weight in row:
                weight.data *= 100.0
    for weight in run.model.layers[0].weights[0]:
        weight.data *= 1e-3
    run.step()
    assert verdicts(run)[0] == "exploding"


def test_a_relu_that_gives_nothing_is_dead_and_one_layer_of_them_disconnects() -> None:
    run = Run(Configuration(hidden=(3,), activation="relu", lr=0.0))
    neurons = run.model.layers[0].neurons
    neurons[1].bias.data = -100.0
    assert verdicts(run)[0] == "dead units", "it can be seen before the first update"
    run.step()
    hidden = frame(run, Watch(resolution=0))["layers"][0]
    assert (hidden["dead"], hidden["verdict"]) == ([1], "dead units")
    assert hidden["words"].startswith("1 of 3 neurons gives 0 for every point")
    for neuron in neurons:
        neuron.bias.data = -100.0
    for _ in range(flow.RECENT):
        run.step()
    hidden, last = frame(run, Watch(resolution=0))["layers"]
    assert (hidden["verdict"], last["verdict"]) == ("dead units", "disconnected")
    assert last["words"].endswith("all 3 neurons of layers.0 give 0 for every point.")


def test_the_dead_layer_that_cuts_others_off_is_named() -> None:
    silent = [(1.0, (0.0, 0.0, 0.0, 0.0))]
    first, own, part, last = flows(silent, [[], [0, 1], [1], []], [4, 2, 2, 1])
    assert (first.verdict, first.words) == (
        "disconnected",
        "No gradient reaches it: all 2 neurons of layers.1 give 0 for every point.",
    )
    assert own.verdict == part.verdict == "dead units"
    assert own.words.startswith("2 of 2 neurons give 0")
    assert part.words.endswith("gradient: all 2 neurons of layers.1 give 0 for every point.")
    assert last.words == "No gradient has reached its weights in the last update."
    single = flows([(1.0, (0.0, 0.0))] * 2, [[0], []], [1, 1])
    assert single[1].words.endswith("the one neuron of layers.0 gives 0 for every point.")


def test_a_net_that_a_large_step_has_killed_says_dead_units() -> None:
    killed = Configuration(hidden=(8,) * 6, activation="relu", optimizer="sgd", lr=50)
    run = trained(killed, 200)
    shown = frame(run, Watch(resolution=0))["layers"]
    assert [layer["verdict"] for layer in shown if layer["dead"]] == ["dead units"] * 5
    for layer in (shown[0], shown[-1]):
        assert (layer["verdict"], layer["dead"]) == ("disconnected", [])
        assert "give 0 for every point" in layer["words"]


def test_a_run_that_has_diverged_says_exploding() -> None:
    wild = Configuration(data="circles", activation="selu", optimizer="momentum", lr=1e6, batch=1)
    run = trained(wild, 400)
    assert run.diverged
    shown = frame(run, Watch(resolution=0))["layers"]
    assert [layer["verdict"] for layer in shown] == ["exploding"] * 3
    assert shown[0]["words"].startswith("The training has diverged: the largest norm")
    run.rewind()
    assert verdicts(run) == ["not yet"] * 3


def test_a_divergence_is_told_from_layers_that_it_has_not_reached() -> None:
    small = [(1.0, (1e-9, 0.0, 3.0, 5.0))] * 3
    found = flows(small, [[], [0], [], []], [1, 2, 1, 1], diverged=True)
    assert [f.verdict for f in found] == ["vanishing", "dead units", "exploding", "exploding"]
    at_once = flows([], [[], [0]], [1, 2], diverged=True)
    assert {(f.verdict, f.words) for f in at_once} == {("exploding", f"{flow.DIVERGED}.")}
    biases = flows([(1.0, (0.0,))], [[]], [1], diverged=True)
    assert (biases[0].verdict, biases[0].words) == ("exploding", f"{flow.DIVERGED}.")


def test_norms_that_are_huge_or_grow_are_exploding_and_no_measure_for_others() -> None:
    large = flows([(1.0, (50.0, 5.0, 1e5))] * 3, [[], [], []], [1, 1, 1])
    assert [f.verdict for f in large] == ["healthy", "vanishing", "exploding"]
    for norm in (math.inf, math.nan):
        assert flows([(1.0, (1.0, norm))], [[], []], [1, 1])[1].verdict == "exploding"
    once = flows([*[(1.0, (0.5, 0.5))] * 9, (1.0, (1e7, 0.5))], [[], []], [1, 1])
    assert [f.verdict for f in once] == ["exploding", "healthy"]
    assert once[0].words.endswith("1e+07 in one of the last 10 updates: above 1e+06.")


@pytest.mark.parametrize(
    ("first", "now", "verdict"),
    [(0.1, 11.0, "exploding"), (1e-9, 9.0, "healthy"), (2, 100, "healthy")],
)
def test_a_norm_that_has_grown_explodes(first: float, now: float, verdict: str) -> None:
    samples = [(1.0, (first,))] * flow.RECENT + [(1.0, (now,))] * flow.RECENT
    assert flows(samples, [[]], [1])[0].verdict == verdict
    assert flows(samples[1:], [[]], [1])[0].verdict == "healthy", "too few to compare"


def test_the_words_name_the_median_and_the_last_layer_has_no_other() -> None:
    first, last = flows([(1.0, (0.5, x)) for x in (1.0, 4.0, 2.0)], [[], []], [1, 1])
    assert first.words == (
        "Its gradient has the norm 0.5 (median of the last 3 updates), "
        "0.25 times the norm of the last layer."
    )
    assert last.words == "Its gradient has the norm 2 (median of the last 3 updates)."
    some = flows([(0.0, (0.0,)), (1.0, (0.5,)), (1.0, (0.7,))], [[]], [1])
    assert some[0].words.endswith("0.6 (median of the last 2 updates with a loss).")


@pytest.mark.parametrize(
    ("optimizer", "lr", "advice"),
    [("sgd", 1e6, 0.001), ("momentum", 1.0, 0.001), ("adagrad", 0.5, 0.01), ("adam", 1e-3, 1e-4)],
)
def test_a_smaller_learning_rate_is_a_usual_one(optimizer: str, lr: float, advice: float) -> None:
    assert Configuration(optimizer=optimizer, lr=lr).smaller_lr() == pytest.approx(advice)


def test_tanh_cannot_die() -> None:
    run = Run(Configuration(hidden=(3,), activation="tanh"))
    for parameter in run.model.layers[0].parameters():
        parameter.data = 0.0
    assert evaluate(run).dead == [[], []]


@pytest.mark.parametrize(
    ("norms", "verdict"),
    [
        ((0.0099, 1.0), "vanishing"),
        ((0.0101, 1.0), "healthy"),
        ((99.0, 1.0), "healthy"),
        ((101.0, 1.0), "exploding"),
        ((1001.0, 999.0), "exploding"),
        ((0.0, 1.0), "disconnected"),
        ((0.5, 0.0), "healthy"),
        ((2000.0, 0.0), "exploding"),
    ],
)
def test_the_lines_between_the_verdicts(norms: tuple[float, ...], verdict: str) -> None:
    assert flows([(1.0, norms)], [[], []], [4, 1])[0].verdict == verdict


def test_a_verdict_looks_at_several_updates() -> None:
    quiet, loud = (1.0, (1e-5, 1.0)), (1.0, (1.0, 1.0))
    assert flows([loud] * 19 + [quiet], [[], []], [1, 1])[0].verdict == "healthy"
    assert flows([loud] * 20 + [quiet] * 11, [[], []], [1, 1])[0].verdict == "vanishing"
    finished = flows([loud, *[(0.0, (0.0, 0.0))] * 20], [[], []], [1, 1])
    assert [f.verdict for f in finished] == ["healthy", "healthy"]
    assert finished[0].words == flow.DONE
    waiting = flows([], [[], [0]], [1, 2])
    assert [f.verdict for f in waiting] == ["not yet", "dead units"]
    assert waiting[0].words == flow.NO_UPDATE


# --- the walk of one example ----------------------------------------------------------------------


@a_few
@given(configurations, st.integers(0, 3))
def test_the_walk_is_of_the_very_numbers_of_the_training(
    configuration: Configuration, updates: int
) -> None:
    run = trained(configuration, updates)
    before = [(p.data, p.grad, p.label) for p in run.parameters]
    made = document(run, len(run.points) - 1)
    x, y, label = run.points[-1]
    with no_grad():
        score = run.model([x, y]).data
    by_label = {node["label"]: node for node in made["nodes"]}
    assert by_label["score"]["data"] == score
    assert [by_label[name]["data"] for name in ("x0", "x1", "target")] == [x, y, run.target(label)]
    assert made["nodes"][-1]["label"] == "loss"
    assert math.isclose(
        made["nodes"][-1]["data"], run.loss_of(score, run.target(label)), rel_tol=1e-12
    )
    for i, layer in enumerate(run.model.layers):
        for j, neuron in enumerate(layer.neurons):
            for k, weight in enumerate(neuron.weights):
                node = by_label[f"w[{i},{j},{k}]"]
                assert (node["data"], node["group"]) == (weight.data, f"layers.{i}.neurons.{j}")
            assert by_label[f"b[{i},{j}]"]["data"] == neuron.bias.data
    assert [(p.data, p.grad, p.label) for p in run.parameters] == before


def test_each_neuron_is_a_group_and_the_loss_is_in_none() -> None:
    made = document(trained(SMALL, 1), 0)
    assert made["title"] == "The loss of example 0 after 1 update"
    score = [node["label"] for node in made["nodes"]].index("score")
    inside, outside = made["nodes"][: score + 1], made["nodes"][score + 1 :]
    for node in inside:
        assert ("group" in node) == any("group" in inside[i] for i in node["inputs"]) or (
            node["label"].startswith(("w", "b"))
        )
    assert outside
    assert not any("group" in node for node in outside)
    sums = {node["label"]: node["group"] for node in inside if node["label"].startswith(("z", "a"))}
    assert sums["z[0,2]"] == sums["a[0,2]"] == "layers.0.neurons.2"


def test_the_gradients_of_all_walks_are_those_of_the_training() -> None:
    configuration = replace(SMALL, batch=12)
    run = trained(configuration, 3)
    losses = [loss_of_example(run, i) for i in range(12)]
    total = [0.0] * len(run.parameters)
    for loss in losses:
        loss.backward()
        named: dict[str, Any] = {}
        stack = [loss]
        while stack:
            node = stack.pop()
            named.setdefault(node.label, node)
            stack.extend(v for v in node.operands if v.op or v.label)
        for i, (path, _) in enumerate(run.model.named_parameters()):
            total[i] += named[path].grad / 12
    run.step()
    assert total == pytest.approx([p.grad for p in run.parameters], rel=1e-9, abs=1e-15)


def test_what_nobody_can_walk_is_refused() -> None:
    with pytest.raises(DataError, match=r"walk\.example: expected an integer between 0 and 11"):
        document(Run(SMALL), 12)
    with pytest.raises(DataError, match="Add some points first"):
        document(Run(Configuration(data="points")), 0)
    with pytest.raises(DataError, match=f"at most {WALKABLE:,} parameters, got 4,417"):
        document(Run(Configuration(hidden=(64, 64))), 0)


# --- a table of the user --------------------------------------------------------------------------


def test_a_table_becomes_points() -> None:
    points, words = points_from_csv("\ufeffx;y;kind\n1;5;no\n\n3;-5;yes\n", 10)
    assert points == ((-1.0, 1.0, 0), (1.0, -1.0, 1))
    assert words.startswith("2 points. no is label 0, yes is label 1.")
    assert "2 ± 1 and 0 ± 5" in words


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), min_size=2, max_size=9))
def test_a_table_is_scaled(rows: list[tuple[float, float]]) -> None:
    text = "".join(f"{x!r}\t{y!r}\t{2 * (i % 2)}.0\r\n" for i, (x, y) in enumerate(rows))
    points, _ = points_from_csv(text, 9)
    assert [label for *_, label in points] == [i % 2 for i in range(len(rows))]
    for axis in (0, 1):
        assert sum(p[axis] for p in points) / len(points) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("header", ["label,x,y", " Class ,X,Y", "TARGET,x,y", "kind,x,y"])
def test_columns_are_found_by_their_names(header: str) -> None:
    by_name = points_from_csv(f"{header}\nA,1,5\nB,3,-5\n", 9)
    assert by_name == points_from_csv("x,y,label\n1,5,A\n3,-5,B\n", 9)
    turned, _ = points_from_csv("y,x,label\n5,1,A\n-5,3,B\n", 9)
    assert turned == by_name[0]
    with pytest.raises(
        DataError, match=r"line 3, column 2 \(x\): expected a finite number, got 'b'"
    ):
        points_from_csv(f"{header}\nA,1,5\nB,b,-5\n", 9)


def test_other_names_leave_the_columns_in_their_order() -> None:
    for header in ("width,height,kind", "x,x,label", "a,y,x"):
        assert points_from_csv(f"{header}\n1,5,0\n3,-5,1\n", 9)[0] == ((-1, 1, 0), (1, -1, 1))


@pytest.mark.parametrize("header", ["", "x;y;label\n"])
@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_european_table_has_decimal_commas(header: str, delimiter: str) -> None:
    text = f"{header}1,5;-2,5;a\n-1,5e0;+,5;b\n".replace(";", delimiter)
    points, words = points_from_csv(text, 9)
    assert points == points_from_csv("1.5,-2.5,a\n-1.5,0.5,b\n", 9)[0]
    assert words.endswith("A comma inside a number is read as a decimal point.")
    assert "decimal" not in points_from_csv("1;2;a,b\n3;4;c\n", 9)[1]


def test_semicolons_may_stand_in_a_label() -> None:
    assert points_from_csv("1,2,a;b\n3,4,c;d;e\n", 9) == points_from_csv(
        "1\t2\ta;b\n3\t4\tc;d;e\n", 9
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1;2;a\n1.000,5;2;b\n",
            r"line 2, column 1 \(x\): expected a finite number, got '1.000,5'",
        ),
        ("1;2;a\n1,000,5;2;b\n", "got '1,000,5'"),
        ("1" * 200_000 + ",2,a\n", "line 1: expected cells of a table, got field larger"),
        ("", "the table: expected lines of x, y and label, got none"),
        ("x,y,label\n", "the table: expected lines of x, y and label, got none"),
        ("1,2,0\n3,4\n", "line 2: expected 3 cells, got 2"),
        ("1 2 0\n", "line 1: expected 3 cells, got 1"),
        ("1,2,0\n\n3,b,1\n", r"line 3, column 2 \(y\): expected a finite number, got 'b'"),
        ("1,2,0\ninf,1,1\n", r"line 2, column 1 \(x\): expected a finite number, got 'inf'"),
        ("1,2,0\n1_0,1,1\n", r"line 2, column 1 \(x\): expected a finite number, got '1_0'"),
        ("1,2,0\n,1,1\n", "an empty cell"),
        ("1,2,0\n1,1,\n", r"line 2, column 3 \(label\): expected a label, got an empty cell"),
        ("1,2,0\n3,4,0\n", r"column 3 \(label\): expected two different labels, got 1: '0'"),
        ("1,2,a\n3,4,b\n5,6,c\n", "got 3: 'a', 'b', 'c'"),
        ("1,2,1\n3,4,2\n5,6,3\n1,1,4\n1,1,5\n1,1,6\n", "got 6: '1', '2', '3', '4', '5', …"),
        ('1,2,"0\n', "line 1: expected cells of a table"),
        ("1,2,0\n" * 11, "at most 10 points, got 11. Leave some lines out"),
    ],
)
def test_a_table_that_cannot_be_read_names_the_place(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        points_from_csv(text, 10)


# --- requests -------------------------------------------------------------------------------------


@given(configurations)
def test_a_configuration_survives_json(configuration: Configuration) -> None:
    text = json.dumps({"type": "configure", "configuration": configuration.json()})
    assert read(text) == Request("configure", configuration)


def test_every_member_of_a_configuration_is_read() -> None:
    assert set(READERS) == {field.name for field in fields(Configuration)}
    assert Configuration.of({}) == Configuration()
    assert Configuration.of({"data": "points", "points": [list(p) for p in POINTS]}).drawn() == (
        POINTS
    )


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ('{"type": "start"}', Request("start")),
        ('{"type": "start", "perFrame": 3}', Request("start", 3)),
        ('{"type": "pause"}', Request("pause")),
        ('{"type": "rewind"}', Request("rewind")),
        ('{"type": "step", "count": 7}', Request("step", 7)),
        ('{"type": "shown", "frame": 4}', Request("shown", 4)),
        ('{"type": "walk", "example": 0}', Request("walk", 0)),
        ('{"type": "csv", "text": "a"}', Request("csv", "a")),
        ('{"type": "points", "points": []}', Request("points", ())),
        ('{"type": "points", "points": [[1, 2.5, 1]]}', Request("points", ((1.0, 2.5, 1),))),
        (
            '{"type": "watch", "gradients": true, "resolution": 0}',
            Request("watch", Watch(True, 0)),
        ),
    ],
)
def test_requests_are_understood(text: str, request_: Request) -> None:
    assert read(text) == request_


def configure(**members: Any) -> str:
    return json.dumps({"type": "configure", "configuration": members})


WRONG = [
    (None, "message: expected text, got bytes"),
    ("", "message: expected JSON"),
    ("{", "message: expected JSON"),
    ("[" * 100_000, "nested too deeply"),
    ("[]", "a JSON object with a type, got list"),
    ("{}", "a JSON object with a type"),
    ('{"type": "stop"}', r"message\.type: expected one of configure, .*, got str 'stop'"),
    ('{"type": ["start"]}', r"message\.type"),
    ('{"type": "start", "fast": 1}', "start: expected members among perFrame, got str 'fast'"),
    ('{"type": "start", "perFrame": 0}', r"start\.perFrame: expected an integer between 1"),
    ('{"type": "pause", "now": 1}', "pause"),
    ('{"type": "step"}', "step: expected the member count, got none"),
    ('{"type": "step", "count": 10001}', r"step\.count: .* between 1 and 10,000"),
    ('{"type": "step", "count": true}', r"step\.count"),
    ('{"type": "step", "count": 1.0}', r"step\.count"),
    ('{"type": "walk", "example": -1}', r"walk\.example"),
    ('{"type": "watch", "gradients": 1, "resolution": 4}', r"watch\.gradients: expected true or"),
    (
        '{"type": "watch", "gradients": true, "resolution": 81}',
        r"watch\.resolution: .* between 0 and 80",
    ),
    ('{"type": "csv", "text": 4}', r"csv\.text: expected the text of a table, got int"),
    ('{"type": "csv", "text": "%s"}' % ("1" * LIMITS.bytes), "at most 262,144 bytes"),
    (
        '{"type": "points", "points": [[NaN, 1, 0]]}',
        "^message: expected JSON, which has only finite numbers, got NaN",
    ),
    (
        '{"type": "points", "points": [[1e999, 1, 0]]}',
        r"points\[0\]\[0\].*got a number that is not finite",
    ),
    ('{"type": "points", "points": [[1%s, 1, 0]]}' % ("0" * 400), "integer of 1329 bits"),
    ('{"type": "points", "points": [[1%s, 1, 0]]}' % ("0" * 9000), "expected JSON"),
    ('{"type": "points", "points": [[1, 1, 2]]}', r"points\[0\]\[2\]: .* between 0 and 1"),
    ('{"type": "points", "points": [[1, 1]]}', r"expected a point \[x, y, label\]"),
    ('{"type": "points", "points": {"a": 1}}', "expected a list of points, got an object with 1"),
    (
        '{"type": "points", "points": [%s]}' % ("[0,0,0]," * 2000 + "[0,0,0]"),
        "at most 2,000 points",
    ),
    ('{"type": "configure", "configuration": 4}', "configuration: expected a JSON object"),
    (configure(hiden=[4]), "configuration: expected members among data"),
    (configure(data="iris"), r"configuration\.data: expected one of xor, moons"),
    (configure(count=1), r"configuration\.count: expected an integer between 2 and 2,000"),
    (configure(noise=-0.1), r"configuration\.noise: expected a number between 0 and 10"),
    (configure(noise="1"), r"configuration\.noise"),
    (configure(noise=True), r"configuration\.noise"),
    (configure(hidden=8), r"configuration\.hidden: expected a list of hidden layers, got int 8"),
    (configure(hidden=[8] * 7), "at most 6 hidden layers, got 7"),
    (configure(hidden=[8, 65]), r"configuration\.hidden\[1\]: .* between 1 and 64, got int 65"),
    (configure(hidden=[[8]]), r"hidden\[0\]: .* got a list with 1 members"),
    (configure(hidden=[64] * 6, batch=100), r"weights × rows of a batch, got 2,067,200"),
    (configure(activation="thanh"), r"configuration\.activation"),
    (configure(loss="cross_entropy"), r"configuration\.loss: expected one of bce, hinge, mse"),
    (configure(optimizer=None), r"configuration\.optimizer"),
    (configure(lr=-1), r"configuration\.lr"),
    (configure(batch=0), r"configuration\.batch"),
    (configure(seed=-1), r"configuration\.seed"),
    (configure(seed=2**53), r"configuration\.seed"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=range(len(WRONG)))
def test_what_is_no_request_is_refused_in_four_parts(text: str | None, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read(text)
    parts = refusal(caught.value)
    assert parts["type"] == "refused"
    assert all(parts[part] for part in ("where", "expected", "got", "fix"))
    assert len(json.dumps(parts)) < 1_000, "what came is not sent back at length"


json_things = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "points", "hidden", "count", "lr"]), inner)
    ),
    max_leaves=8,
)


@given(st.sampled_from([*sorted(READERS), "points", "watch"]), json_things, json_things)
def test_no_json_gets_past_the_reader_but_by_a_data_error(name: str, one: Any, two: Any) -> None:
    messages = [
        {"type": "configure", "configuration": {name: one, "data": "xor"}},
        {"type": "points", "points": one},
        {"type": "watch", "gradients": one, "resolution": two},
        one,
    ]
    for message in messages:
        try:
            request = read(json.dumps(message))
        except DataError:
            continue
        assert request.type in ("configure", "points", "watch")


# --- a session ------------------------------------------------------------------------------------


def shown(session: Session) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(session.frame()[1])
    return made


def test_single_steps_are_counted_and_stop() -> None:
    session = Session("s", SMALL)
    session.obey(Request("step", 3))
    assert session.has_work
    session.advance(math.inf)
    assert (session.run.steps, session.has_work) == (3, False)
    first = shown(session)
    assert (first["step"], first["running"], first["frame"]) == (3, False, 1)
    assert len(first["curve"]["losses"]) == 3
    assert shown(session)["curve"] == {"from": 3, "every": 1, "losses": []}


def test_so_many_updates_per_frame() -> None:
    session = Session("s", SMALL)
    session.obey(Request("start", 2))
    for step in (2, 4, 6):
        session.advance(math.inf)
        assert shown(session)["step"] == step


def test_a_rewind_and_a_new_run_stand_still_and_tell_all() -> None:
    session = Session("s", SMALL)
    for request in (Request("rewind"), Request("configure", replace(SMALL, seed=1))):
        session.obey(Request("start"))
        session.advance(0.0)
        assert shown(session)["running"]
        session.obey(request)
        assert not session.has_work
        made = shown(session)
        assert (made["step"], made["running"]) == (0, False)
        assert made["curve"] == {"from": 0, "every": 1, "losses": []}
    assert session.run.configuration.seed == 1


def test_a_run_that_cannot_go_on_says_why() -> None:
    session = Session("s", Configuration(lr=1e6, loss="mse", optimizer="sgd", hidden=()))
    session.obey(Request("start"))
    while session.has_work:
        session.advance(math.inf)
    made = shown(session)
    assert not made["running"]
    assert "diverged" in made["stopped"]
    for request in (Request("start"), Request("step", 1)):
        with pytest.raises(DataError, match="Rewind, and try a smaller lr"):
            session.obey(request)
    session.obey(Request("points", POINTS))
    session.obey(Request("start"))


def test_a_session_answers_with_points_and_with_documents() -> None:
    session = Session("s", SMALL)
    answer = session.obey(Request("csv", "1,2,a\n3,4,b\n"))
    assert answer is not None
    assert answer["points"] == ((-1.0, -1.0, 0), (1.0, 1.0, 1))
    assert session.run.points == Run(SMALL).points, "nothing has changed yet"
    session.obey(Request("step", 1))
    session.advance(0.0)
    answer = session.obey(Request("walk", 2))
    assert answer is not None
    assert (answer["example"], answer["step"]) == (2, 1)
    assert answer["document"]["format"] == "gradwalk-walk"


def test_gradients_of_which_a_bias_alone_is_infinite_are_not_sent() -> None:
    """JSON has no infinity, and the sum at a bias overflows before those at its weights."""
    run = Run(Configuration(hidden=(2,)))
    run.step()
    assert frame(run, Watch(gradients=True))["layers"][0]["gradients"] is not None
    run.model.layers[0].neurons[0].bias.grad = math.inf
    assert frame(run, Watch(gradients=True))["layers"][0]["gradients"] is None


# --- the test set, maps, and undoing a rewind -----------------------------------------------------


def test_test_points_are_drawn_alike_and_are_others() -> None:
    run = Run(Configuration(data="moons", count=60))
    assert len(run.test) == 60
    assert not set(run.test) & set(run.points)
    seen = frame(run, Watch())["test"]
    assert seen["points"] == run.test
    assert math.isfinite(seen["loss"])
    run.replace_points(((0.0, 0.0, 0), (1.0, 1.0, 1)))
    assert frame(run, Watch())["test"] is None


def test_the_map_of_each_neuron_has_its_signs() -> None:
    run = Run(Configuration(hidden=(3,), count=20))
    made = frame(run, Watch(resolution=40))
    x0, x1, y0, y1 = made["boundary"]["extent"]
    first, last = made["layers"]
    assert [len(text) for text in first["maps"]] == [13 * 13] * 3
    (text,) = last["maps"]
    for cell, letter in enumerate(text):
        row, column = (int((i + 0.5) * 40 / 13) for i in divmod(cell, 13))
        value = made["boundary"]["values"][row * 40 + column]
        level = LEVELS.index(letter) - len(LEVELS) // 2
        assert value >= 0.5 if level > 0 else value <= 0.5 if level < 0 else True
    assert frame(Run(Configuration(hidden=(64, 64, 64))), Watch())["layers"][0]["maps"] == []
    assert frame(run, Watch(resolution=0))["layers"][0]["maps"] == []
    assert (x0, y0) < (x1, y1)


def test_a_rewind_can_be_undone_and_the_undoing_too() -> None:
    session = Session("a", SMALL)
    session.obey(Request("step", 3))
    session.advance(time.perf_counter() + 10)
    trained = weights(session.run)
    session.obey(Request("rewind"))
    assert (session.run.steps, sent(session)["kept"]) == (0, 3)
    fresh = weights(session.run)
    session.obey(Request("restore"))
    assert (session.run.steps, weights(session.run)) == (3, trained)
    assert fresh != trained
    with pytest.raises(DataError, match="a run that was replaced"):
        session.obey(Request("restore"))
    session.obey(Request("configure", replace(SMALL, seed=1)))
    session.obey(Request("step", 1))
    session.advance(time.perf_counter() + 10)
    session.obey(Request("restore"))
    assert (weights(session.run), sent(session)["kept"]) == (trained, 1)


def weights(run: Run) -> list[float]:
    return [parameter.data for parameter in run.parameters]


def sent(session: Session) -> dict[str, Any]:
    return json.loads(session.frame()[1])
