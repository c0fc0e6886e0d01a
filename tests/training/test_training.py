"""The training loop, what a loss wants, and networks in files."""

from __future__ import annotations

import json
import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradwalk import Value
from gradwalk.data import Dataset, blobs, moons, xor
from gradwalk.errors import DataError, NonFiniteError, OptionError
from gradwalk.nn import MLP, Module
from gradwalk.optim import SGD, Adam
from gradwalk.training import LOSSES, Problem, Scaling, evaluate, load, save, train


def rows(targets):
    return Dataset([[float(i), -float(i)] for i in range(len(targets))], targets)


# --- what a data set asks for -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("targets", "asked", "loss", "classes", "encoded", "n_out"),
    [
        ([0, 1, 1], "auto", "bce", (0, 1), [0, 1, 1], 1),
        ([5, 3, 5], "auto", "bce", (3, 5), [1, 0, 1], 1),
        ([5, 3, 5], "hinge", "hinge", (3, 5), [1, -1, 1], 1),
        ([5, 3, 5], "mse", "mse", (3, 5), [1, -1, 1], 1),
        ([5, 3, 5], "cross_entropy", "cross_entropy", (3, 5), [1, 0, 1], 2),
        ([2, 9, 4], "auto", "cross_entropy", (2, 4, 9), [0, 2, 1], 3),
        ([1, 2, 3], "mse", "mse", (), [-math.sqrt(1.5), 0.0, math.sqrt(1.5)], 1),
        ([0.5, 1.5], "auto", "mse", (), [-1.0, 1.0], 1),
        ([*range(10)], "auto", "cross_entropy", tuple(range(10)), [*range(10)], 10),
    ],
)
def test_targets_become_what_the_loss_wants(targets, asked, loss, classes, encoded, n_out):
    problem = Problem.of(rows(targets), asked)
    assert (problem.loss, problem.classes, problem.n_out) == (loss, classes, n_out)
    assert problem.targets == pytest.approx(encoded)
    assert problem.n_in == 2
    assert problem.score_name == ("accuracy" if classes else "R²")


def test_many_whole_numbers_are_quantities():
    assert Problem.of(rows([*range(11)])).classes == ()


@pytest.mark.parametrize(
    ("targets", "loss", "fitting"),
    [
        ([0, 1, 2], "bce", "auto or one of cross_entropy for 3 classes"),
        ([0, 1, 2], "hinge", "auto or one of cross_entropy for 3 classes"),
        ([0.5, 1.5], "bce", "auto or one of mse for a target that is a quantity"),
        ([0, 1], "crossentropy", "auto or one of bce, hinge, mse, cross_entropy for 2 classes"),
    ],
)
def test_a_loss_that_does_not_fit_is_an_error(targets, loss, fitting):
    with pytest.raises(OptionError, match=fitting):
        Problem.of(rows(targets), loss)


@pytest.mark.parametrize(("targets", "got"), [([1, 1], "int 1 in every row"), ([], "no rows")])
def test_there_must_be_something_to_learn(targets, got):
    with pytest.raises(DataError, match=got):
        Problem.of(rows(targets))


@given(st.lists(st.floats(-1e300, 1e300, allow_subnormal=False), min_size=2, max_size=20))
def test_a_scaling_centres_and_can_be_undone(column):
    scaling = Scaling.of(column)
    scaled = [scaling.apply(x) for x in column]
    size = max(map(abs, column))
    assert [scaling.undo(y) for y in scaled] == pytest.approx(column, rel=1e-9, abs=1e-9 * size)
    if max(column) - min(column) > 1e-3 * size:
        assert math.fsum(scaled) / len(scaled) == pytest.approx(0.0, abs=1e-9)
        assert math.fsum(y * y for y in scaled) / len(scaled) == pytest.approx(1.0)


def test_a_column_that_never_changes_is_only_centred():
    assert Scaling.of([7.0, 7.0]) == Scaling(7.0, 1.0)


def test_inputs_are_scaled_only_when_asked():
    data = Dataset([[10.0], [30.0]], [0, 1])
    assert Problem.of(data).inputs == [[10.0], [30.0]]
    problem = Problem.of(data, standardize=True)
    assert problem.inputs == [[-1.0], [1.0]]
    assert problem.scaled([40.0]) == [2.0]


def test_answers_and_scores_of_classes():
    two, three = Problem.of(rows([3, 5])), Problem.of(rows([2, 4, 9]))
    assert [two.answer(x) for x in (-0.1, 0.0, Value(0.1))] == [3, 3, 5]
    assert three.answer([0.0, Value(2.0), 1.0]) == 4
    assert three.winner([1.0, 1.0, 0.0]) == 0
    assert [two.score(x, 1) for x in (-1.0, 1.0)] == [0.0, 1.0]
    assert [Problem.of(rows([3, 5]), "hinge").score(x, -1) for x in (-1.0, 1.0)] == [1.0, 0.0]


def test_answers_and_scores_of_quantities():
    problem = Problem.of(rows([10.0, 30.5, 20.0]))
    for y, target in zip([10.0, 30.5, 20.0], problem.targets, strict=True):
        assert problem.answer(Value(target)) == pytest.approx(y)
        assert problem.score(Value(target), target) == 1.0
    of_the_mean = [problem.score(0.0, target) for target in problem.targets]
    assert sum(of_the_mean) == pytest.approx(0.0)  # R² of the mean is zero


# --- the loop -------------------------------------------------------------------------------------


class Recorder(Module):
    """A line through the origin that remembers which rows it was shown."""

    def __init__(self, weight=0.0):
        self.weight = Value(weight)
        self.shown = []

    def forward(self, x):
        self.shown.append(x[0])
        return self.weight * x[0]


def recorded(n, **options):
    problem, model = Problem.of(rows([i % 2 for i in range(n)])), Recorder()
    epochs = [*train(model, problem, SGD(model.parameters(), lr=0.0), **options)]
    return epochs, [int(x) for x in model.shown], problem, model


def test_every_epoch_shows_every_row_once_and_in_an_order_of_its_own():
    epochs, shown, *_ = recorded(7, epochs=3, batch_size=3, seed=0)
    orders = [shown[i : i + 7] for i in (0, 7, 14)]
    assert [epoch.number for epoch in epochs] == [1, 2, 3]
    assert all(sorted(order) == list(range(7)) for order in orders)
    assert len({tuple(order) for order in orders}) == 3


def test_without_a_batch_size_all_rows_come_at_once_and_in_order():
    assert recorded(5, epochs=2)[1] == [0, 1, 2, 3, 4] * 2


def test_the_mean_loss_counts_rows_not_batches():
    (epoch,), _, problem, model = recorded(7, epochs=1, batch_size=3, seed=0)
    now = evaluate(model, problem)
    assert epoch.loss == pytest.approx(now.loss, rel=1e-12)
    assert epoch.score == now.score
    assert now.number == 0


def test_an_update_is_made_for_every_batch():
    problem, model = Problem.of(Dataset([[1.0], [1.0], [-1.0]], [1, 1, 0])), Recorder()
    optimizer = SGD(model.parameters(), lr=1.0)
    next(train(model, problem, optimizer, epochs=1, batch_size=2))
    weight = 0.0
    for _ in range(2):  # every row pulls the same way: the slope is -sigmoid(-w)
        weight += 1.0 / (1.0 + math.exp(weight))
    assert model.weight.data == pytest.approx(weight, rel=1e-12)


def test_equal_seeds_give_equal_bits():
    def run(seed):
        problem, model = Problem.of(moons(30, seed=1)), MLP(2, [4, 1], seed=1)
        optimizer = Adam(model.parameters(), lr=0.05)
        epochs = [*train(model, problem, optimizer, epochs=3, batch_size=7, seed=seed)]
        return epochs, model.state_dict()

    assert run(5) == run(5)
    assert run(5) != run(6)


def test_a_seed_is_any_whole_number_or_a_generator():
    assert (
        recorded(6, epochs=1, batch_size=2, seed=np.int64(5))[1]
        == recorded(6, epochs=1, batch_size=np.int64(2), seed=Random(5))[1]
    )
    with pytest.raises(OptionError, match="seed: expected an integer"):
        recorded(6, epochs=1, batch_size=2, seed="5")


def test_stop_is_asked_before_every_batch():
    answers = iter([False, False, False, True])
    epochs, shown, *_ = recorded(6, epochs=9, batch_size=3, seed=0, stop=lambda: next(answers))
    assert len(epochs) == 1
    assert len(shown) == 9  # the epoch that was begun is not reported


def test_a_training_that_diverges_says_so_before_it_spoils_the_weights():
    problem, model = Problem.of(Dataset([[1.0], [2.0]], [0.5, 1.5])), Recorder(1e200)
    with pytest.raises(NonFiniteError, match=r"epoch 1: .*got inf: .*overflow") as error:
        next(train(model, problem, SGD(model.parameters(), lr=0.25), epochs=1))
    assert model.weight.data == 1e200
    assert "lr" not in str(error.value)  # no update has been made yet


def test_evaluate_leaves_no_trace():
    problem, model = Problem.of(xor()), MLP(2, [3, 1], seed=0)
    model.parameters()[0].grad = 3.0
    before = model.state_dict()
    evaluate(model, problem)
    assert model.state_dict() == before
    assert model.parameters()[0].grad == 3.0


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_learns_to_tell_two_classes_apart(loss):
    problem = Problem.of(blobs(20, noise=0.2, seed=0, classes=2), loss)
    model = MLP(2, [problem.n_out], seed=0)
    [*train(model, problem, Adam(model.parameters(), lr=0.1), epochs=30)]
    assert evaluate(model, problem).score == 1.0


def test_a_quantity_is_learned():
    inputs = [[100.0 * i, 1.0 / (i + 1)] for i in range(12)]
    data = Dataset(inputs, [3.0 * a - 500.0 * b + 7.5 for a, b in inputs])
    problem = Problem.of(data, standardize=True)
    model = MLP(2, [1], seed=0)
    [*train(model, problem, Adam(model.parameters(), lr=0.1), epochs=150)]
    assert evaluate(model, problem).score > 0.999
    assert problem.answer(model(problem.scaled(inputs[3]))) == pytest.approx(782.5, rel=0.02)


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("targets", [[3, 5, 5, 3], [1, 2, 4, 1], [0.25, 1.5, 2.0, -1.0]])
def test_a_saved_network_gives_the_same_answers(tmp_path, targets):
    data = rows(targets)
    problem = Problem.of(data, standardize=True)
    model = MLP(2, [3, problem.n_out], "gelu", seed=4)
    save(tmp_path / "weights.json", model, problem, {"note": "kept"})
    again, meaning = load(tmp_path / "weights.json")
    assert repr(again) == repr(model)
    assert again.state_dict() == model.state_dict()
    for row in data.inputs:
        assert meaning.answer(again(meaning.scaled(row))) == problem.answer(
            model(problem.scaled(row))
        )
    document = json.loads((tmp_path / "weights.json").read_text(encoding="utf-8"))
    assert document["notes"] == {"note": "kept"}


@pytest.mark.parametrize("content", [b"{}", b"[1]", b"no json", b"\xff\xfe", b'{"format": "x"}'])
def test_a_file_of_another_kind_is_a_data_error(tmp_path, content):
    (tmp_path / "weights.json").write_bytes(content)
    with pytest.raises(DataError, match=r"weights\.json: expected a file of the format"):
        load(tmp_path / "weights.json")
