"""Batches: every row once, orders that a seed decides, and going on in the middle of a pass."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk
from gradwalk import Tensor, data
from gradwalk.data import DataLoader, Dataset, Subset, TensorDataset, random_split
from gradwalk.errors import DataError, NotANumberError, OptionError, StateDictError


def rows_of(loader):
    return [batch[0].tolist() for batch in loader]


def numbered(n, **options):
    return DataLoader(np.arange(n), **options)


# --- what has rows --------------------------------------------------------------------------------

INPUTS, TARGETS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [0, 1, 0]
FORMS = {
    "arrays": (np.array(INPUTS), np.array(TARGETS)),
    "tensors": (Tensor(INPUTS), Tensor(TARGETS)),
    "lists": (INPUTS, TARGETS),
    "dataset": Dataset(INPUTS, TARGETS),
    "tensor dataset": TensorDataset(INPUTS, TARGETS),
    "pairs": list(zip(INPUTS, TARGETS, strict=True)),
    "pairs of tensors": [(Tensor(x), Tensor(t)) for x, t in zip(INPUTS, TARGETS, strict=True)],
    "subset": Subset(TensorDataset(INPUTS[::-1], TARGETS[::-1]), [2, 1, 0]),
    "subset of a subset": Subset(
        Subset(list(zip(INPUTS, TARGETS, strict=True)), [1, 0, 2]), [1, 0, 2]
    ),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_data_gives_the_same_batches(form):
    batches = list(DataLoader(form, batch_size=2))
    assert [type(part) for batch in batches for part in batch] == [Tensor] * 4
    assert [x.tolist() for x, _ in batches] == [INPUTS[:2], INPUTS[2:]]
    assert [t.tolist() for _, t in batches] == [[0, 1], [0]]
    assert {(x.dtype.kind, t.dtype.kind) for x, t in batches} == {("f", "i")}
    assert not any(part.requires_grad for batch in batches for part in batch)


@pytest.mark.parametrize("single", [np.arange(3.0), Tensor([0.0, 1.0, 2.0]), [0.0, 1.0, 2.0]])
def test_one_array_gives_tuples_of_one(single):
    assert [len(batch) for batch in DataLoader(single, batch_size=2)] == [1, 1]
    assert rows_of(DataLoader(single, batch_size=2)) == [[0.0, 1.0], [2.0]]


def test_any_sequence_of_examples_will_do():
    class Squares:
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return np.float32(i), [i * i, 1]

    x, y = next(iter(DataLoader(Squares(), batch_size=3)))
    assert (x.tolist(), x.dtype) == ([0.0, 1.0, 2.0], np.float32)
    assert y.tolist() == [[0, 1], [1, 1], [4, 1]]


def test_dtypes_stay_as_they_are():
    batch = next(iter(DataLoader((np.ones((2, 2), "f4"), np.array([True, False])), batch_size=2)))
    assert [part.dtype for part in batch] == [np.float32, np.bool_]


def test_nobody_shares_an_array_with_the_data():
    array = np.zeros((4, 2))
    loader = DataLoader((array,), batch_size=2)
    array[:] = 7.0
    (first,) = next(iter(loader))
    first._data[:] = 5.0
    assert rows_of(loader) == [[[0.0, 0.0]] * 2] * 2
    dataset = loader.dataset
    dataset.tensors[0]._data[:] = 5.0
    dataset[0][0]._data[:] = 5.0
    assert rows_of(loader) == [[[0.0, 0.0]] * 2] * 2


def test_the_gradient_of_a_tensor_is_not_followed_into_the_data():
    x = Tensor([1.0, 2.0], requires_grad=True)
    (batch,) = next(iter(DataLoader(x)))
    assert not batch.requires_grad


def test_a_tensor_dataset_has_indices():
    dataset = TensorDataset(INPUTS, TARGETS)
    x, t = dataset[1:]
    assert (x.tolist(), t.tolist()) == (INPUTS[1:], TARGETS[1:])
    assert [part.shape for part in dataset.tensors] == [(3, 2), (3,)]
    assert repr(dataset) == "TensorDataset((3, 2), (3,))"
    assert repr(DataLoader(dataset, 2)) == f"DataLoader(2 batches of 2 from {dataset!r})"
    assert repr(Subset(dataset, [0])) == f"Subset(1 rows of {dataset!r})"
    assert Subset(dataset, [2, 1])[0][0].tolist() == INPUTS[2]


def test_the_loader_is_where_pytorch_users_look_for_it():
    assert gradwalk.nn.DataLoader is DataLoader is data.DataLoader
    assert "DataLoader" in dir(data)
    with pytest.raises(AttributeError, match=r"no attribute 'Loader'"):
        data.Loader  # noqa: B018


def test_scalar_programs_do_not_load_numpy(run_python):
    program = "import sys, gradwalk.data; gradwalk.data.moons(4); print('numpy' in sys.modules)"
    assert run_python(program).strip() == "False"


# --- batches and orders ---------------------------------------------------------------------------


@given(n=st.integers(0, 30), size=st.integers(1, 12), shuffle=st.booleans(), drop=st.booleans())
def test_every_row_comes_once(n, size, shuffle, drop):
    loader = numbered(n, batch_size=size, shuffle=shuffle, drop_last=drop, seed=0)
    batches = rows_of(loader)
    found = [row for batch in batches for row in batch]
    assert len(batches) == len(loader)
    assert len(set(found)) == len(found) == (n - n % size if drop else n)
    assert set(found) <= set(range(n))
    assert all(len(batch) == size for batch in batches[: None if drop else -1])
    assert shuffle or found == sorted(found)


def test_a_seed_decides_all_passes_and_each_is_new():
    first, second = (numbered(20, batch_size=3, shuffle=True, seed=4) for _ in range(2))
    passes = [rows_of(first) for _ in range(3)]
    assert passes == [rows_of(second) for _ in range(3)]
    assert passes[0] != passes[1] != passes[2]
    assert passes[0] != rows_of(numbered(20, batch_size=3, shuffle=True, seed=5))


def test_a_seed_means_the_same_in_every_version():
    assert rows_of(numbered(8, batch_size=8, shuffle=True, seed=0)) == [[3, 7, 5, 2, 4, 1, 6, 0]]


def test_the_global_generator_is_left_alone():
    state = random.getstate()
    rows_of(numbered(5, shuffle=True))
    assert random.getstate() == state


def test_a_pass_that_is_broken_off_is_not_taken_up_again():
    loader = numbered(6, batch_size=2)
    assert next(iter(loader))[0].tolist() == [0, 1]
    assert rows_of(loader) == [[0, 1], [2, 3], [4, 5]]


@given(done=st.integers(0, 12), shuffle=st.booleans())
def test_loading_a_state_goes_on_with_the_next_batch(done, shuffle):
    """Also between two passes (4 batches each), and any number of times."""
    options = {"batch_size": 3, "shuffle": shuffle}
    whole = numbered(11, seed=1, **options)
    expected = [batch for _ in range(5) for batch in rows_of(whole)]
    loader = numbered(11, seed=1, **options)
    seen, state = [], loader.state_dict()
    while len(seen) < done:
        for (batch,) in loader:
            seen.append(batch.tolist())
            state = loader.state_dict()
            if len(seen) == done:
                break
    again = numbered(11, seed=9, **options)
    again.load_state_dict(json.loads(json.dumps(state)))
    assert again.state_dict() == json.loads(json.dumps(state))
    while len(seen) < len(expected):
        seen += rows_of(again)
    assert seen[: len(expected)] == expected


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"position": 0},
        {"position": "1", "generator": numbered(3).state_dict()["generator"]},
        {"position": 3, "generator": numbered(3).state_dict()["generator"]},
        {"position": -1, "generator": numbered(3).state_dict()["generator"]},
        {"position": 0, "generator": [3, [1, 2], None]},
        {"position": 0, "generator": 5},
        [],
    ],
)
def test_a_state_of_something_else_is_refused_and_changes_nothing(wrong):
    loader = numbered(3, shuffle=True, seed=0)
    before = loader.state_dict()
    with pytest.raises(StateDictError, match="expected a position in a data set of this size"):
        loader.load_state_dict(wrong)
    assert loader.state_dict() == before


# --- splitting ------------------------------------------------------------------------------------


@given(n=st.integers(1, 40), fractions=st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_fractions_share_out_every_row_once(n, fractions):
    total = sum(fractions)
    parts = random_split(np.arange(n), [f / total for f in fractions], seed=0)
    found = [row for part in parts for batch in rows_of(DataLoader(part, 3)) for row in batch]
    assert sorted(found) == list(range(n))
    for part, fraction in zip(parts, fractions, strict=True):
        assert -1e-9 < len(part) - n * fraction / total + 1 <= 2.0


def test_numbers_of_rows_are_taken_at_their_word():
    first, second, none = random_split((INPUTS, TARGETS), [2, 1, 0], seed=3)
    assert (len(first), len(second), len(none)) == (2, 1, 0)
    assert random_split((INPUTS, TARGETS), [2, 1], seed=3)[0].indices == first.indices
    assert rows_of(DataLoader(none)) == []


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: DataLoader(5), DataError, r"DataLoader\(data\): expected a tuple of arrays"),
        (lambda: DataLoader({"x": [1]}), DataError, "got dict"),
        (lambda: DataLoader(iter([1])), DataError, "got list_iterator"),
        (lambda: DataLoader(()), DataError, "got none"),
        (lambda: DataLoader(([1.0], [1.0, 2.0])), DataError, r"got lengths \[1, 2\]"),
        (lambda: DataLoader((1.0, 2.0)), DataError, "one number or row for each example"),
        (lambda: DataLoader((["a"],)), NotANumberError, "real numbers"),
        (lambda: DataLoader([1.0], batch_size=0), OptionError, r"DataLoader\(batch_size\)"),
        (lambda: DataLoader([1.0], batch_size=2.0), OptionError, "got float 2.0"),
        (
            lambda: DataLoader([1.0], seed="a"),
            OptionError,
            r"DataLoader\(seed\): expected an integer",
        ),
        (lambda: rows_of(DataLoader([[1.0], [1.0, 2.0]], 2)), DataError, "equal shapes"),
        (lambda: rows_of(DataLoader([(1.0, 2.0), 3.0], 2)), DataError, "a batch: expected exam"),
        (
            lambda: rows_of(DataLoader([([1.0], 2.0), ([1.0, 2.0], 3.0)], 2)),
            DataError,
            "equal shapes",
        ),
        (lambda: random_split([1, 2, 3], [1, 1]), OptionError, "add up to 3"),
        (lambda: random_split([1, 2, 3], [0.5, 0.4]), OptionError, "fractions that add up to 1"),
        (lambda: random_split([1, 2, 3], [4, -1]), OptionError, r"got list \[4, -1\]"),
        (lambda: random_split(3, [3]), DataError, r"random_split\(dataset\)"),
    ],
)
def test_errors_say_what_is_wrong(make, error, message):
    with pytest.raises(error, match=message):
        make()
