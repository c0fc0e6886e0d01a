"""Toy data sets, splitting and batching, and the reader of CSV files."""

from __future__ import annotations

import dataclasses
import io
import math
import os
import random
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradwalk import data
from gradwalk.data import Dataset, read_csv
from gradwalk.errors import DataError, NotANumberError, OptionError
from gradwalk.training import Problem

TOYS = {name: getattr(data, name) for name in ("xor", "moons", "circles", "spirals", "blobs")}


# --- toys -----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", TOYS.values(), ids=TOYS)
def test_toys_have_the_right_shape(make):
    dataset = make(60, seed=0)
    assert len(dataset) == 60
    assert dataset.n_in == 2
    assert {type(number) for row in dataset.inputs for number in row} == {float}
    assert {type(label) for label in dataset.targets} == {int}
    assert dataset.classes == list(range(len(dataset.classes)))
    assert len(set(Counter(dataset.targets).values())) == 1, "each class as often as the others"
    assert dataset.targets[:10] != sorted(dataset.targets)[:10], "in random order"


@pytest.mark.parametrize("make", TOYS.values(), ids=TOYS)
def test_a_seed_decides_every_point(make):
    state = random.getstate()
    assert make(20, noise=0.1, seed=4) == make(20, noise=0.1, seed=4)
    assert make(20, noise=0.1, seed=4) != make(20, noise=0.1, seed=5)
    assert make(20, noise=0.1) != make(20, noise=0.1)
    assert random.getstate() == state, "the global generator is left alone"


def test_a_seed_means_the_same_in_another_process():
    script = "from gradwalk.data import moons; print(moons(6, seed=1).inputs)"
    environment = {**os.environ, "PYTHONHASHSEED": "123"}
    command = [sys.executable, "-c", script]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(data.moons(6, seed=1).inputs)


def test_a_seed_means_the_same_in_every_version():
    order = data.dataset.permutation(8, random.Random(0))
    assert order == [3, 7, 5, 2, 4, 1, 6, 0], "the order of random(), which Python keeps"


@pytest.mark.parametrize("make", TOYS.values(), ids=TOYS)
@given(n=st.integers(3, 40))
def test_any_number_of_points_is_shared_out_evenly(make, n):
    counts = Counter(make(n, seed=0).targets).values()
    assert sum(counts) == n
    assert max(counts) - min(counts) <= 1


def test_xor_is_one_where_the_inputs_differ():
    assert sorted(Counter(map(tuple, data.xor(8).inputs)).values()) == [2, 2, 2, 2]
    assert all(label == (x * y < 0) for (x, y), label in data.xor(8))


def test_moons_lie_on_two_half_circles():
    for (x, y), label in data.moons(30, noise=0.0, seed=0):
        centre, side = ((1.0, 0.5), -1.0) if label else ((0.0, 0.0), 1.0)
        assert math.hypot(x - centre[0], y - centre[1]) == pytest.approx(1.0)
        assert side * (y - centre[1]) >= -1e-12


def test_circles_have_two_radii():
    for x, label in data.circles(30, noise=0.0, seed=0, factor=0.25):
        assert math.hypot(*x) == pytest.approx(0.25 if label else 1.0)


def test_spirals_wind_outwards():
    for (x, y), label in data.spirals(30, noise=0.0, seed=0, classes=3, turns=2.0):
        radius = math.hypot(x, y)
        turn = math.atan2(y, x) / (2.0 * math.pi) - 2.0 * radius - label / 3
        assert turn == pytest.approx(round(turn), abs=1e-9)


@pytest.mark.parametrize("classes", [1, 2, 3, 8])
def test_blobs_gather_around_centres_two_apart(classes):
    dataset = data.blobs(3 * classes, noise=0.0, seed=0, classes=classes)
    centres = {label: tuple(x) for x, label in dataset}
    assert len(set(map(tuple, dataset.inputs))) == classes
    if classes > 1:
        assert math.dist(centres[0], centres[1]) == pytest.approx(2.0)


def test_noise_is_a_standard_deviation():
    far = data.blobs(2000, noise=0.5, seed=0, classes=1).inputs
    assert math.sqrt(sum(x * x for x, _ in far) / 2000) == pytest.approx(0.5, rel=0.05)
    assert math.sqrt(sum(y * y for _, y in far) / 2000) == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: data.moons(1), r"moons\(n\): expected an integer >= 2, got int 1"),
        (lambda: data.moons(10.0), "got float 10.0"),
        (lambda: data.moons(10, noise=-1), r"moons\(noise=...\)"),
        (lambda: data.moons(10, noise=math.nan), "finite number >= 0"),
        (lambda: data.circles(10, factor=1.0), "0 < factor < 1"),
        (lambda: data.blobs(10, classes=0), r"blobs\(classes=...\)"),
        (lambda: data.spirals(3, classes=4), ">= 4"),
    ],
)
def test_options_that_mean_nothing_are_refused(make, message):
    with pytest.raises(OptionError, match=message):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: data.moons(10, "a"),
        lambda: data.circles(10, factor="a"),
        lambda: data.spirals(10, turns="a"),
        lambda: data.moons(10).split("a"),
    ],
)
def test_what_is_no_number_is_refused(make):
    with pytest.raises(NotANumberError, match=r"expected a real number.*got str 'a'"):
        make()


@pytest.mark.parametrize("seed", ["1", 1.5, [1]])
@pytest.mark.parametrize(
    "draw", [lambda s: data.moons(4, seed=s), lambda s: data.moons(4).split(0.5, s)]
)
def test_a_seed_that_is_no_whole_number_is_refused(draw, seed):
    with pytest.raises(OptionError, match=r"\(seed\): expected an integer, .*got"):
        draw(seed)


@pytest.mark.parametrize("make", TOYS.values(), ids=TOYS)
def test_whole_and_other_numbers_of_numpy_do(make):
    dataset = make(np.int64(10), np.float32(0.5), seed=np.int64(3))
    assert dataset == make(10, 0.5, seed=3)
    assert {type(x) for row in dataset.inputs for x in row} == {float}
    assert {type(label) for label in dataset.targets} == {int}
    assert dataset.split(np.float64(0.8), np.int64(1)) == dataset.split(0.8, 1)
    batches = list(dataset.batches(np.int64(4), seed=np.int64(1)))
    assert batches == list(dataset.batches(4, seed=1))


def test_classes_may_be_counted_by_numpy():
    for make in (data.blobs, data.spirals):
        assert make(9, seed=0, classes=np.int64(3)) == make(9, seed=0, classes=3)


def test_a_generator_goes_on_where_it_is():
    draw = random.Random(1)
    assert data.moons(10, seed=draw) == data.moons(10, seed=1)
    assert data.moons(10, seed=draw) != data.moons(10, seed=1)


# --- data sets ------------------------------------------------------------------------------


def numbered(n):
    return Dataset([[float(i)] for i in range(n)], list(range(n)), ("x", "t"))


def test_a_dataset_is_a_frozen_sequence_of_pairs():
    dataset = numbered(3)
    assert list(dataset) == [([0.0], 0), ([1.0], 1), ([2.0], 2)]
    assert dataset[-1] == ([2.0], 2)
    assert repr(dataset) == "Dataset(3 rows of 1, 3 different targets)"
    assert (Dataset([], []).n_in, list(Dataset([], []))) == (0, [])
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset.targets = []


@pytest.mark.parametrize(
    ("inputs", "targets"), [([[1.0]], []), ([[1.0], [1.0, 2.0]], [0, 1]), ([], [1])]
)
def test_rows_and_targets_must_fit(inputs, targets):
    with pytest.raises(DataError, match="one target per row"):
        Dataset(inputs, targets)


@given(n=st.integers(2, 50), fraction=st.floats(0.01, 0.99), seed=st.integers(0, 5))
def test_a_split_shares_out_every_row_once(n, fraction, seed):
    train, test = numbered(n).split(fraction, seed)
    assert sorted(train.targets + test.targets) == list(range(n))
    assert abs(len(train) - fraction * n) <= 1.0
    assert len(train) > 0 < len(test)
    assert train.names == ("x", "t")
    assert all(x == [float(t)] for x, t in [*train, *test])
    assert (train, test) == numbered(n).split(fraction, seed)


@pytest.mark.parametrize(("n", "fraction"), [(1, 0.5), (0, 0.5), (9, 0.0), (9, 1.0), (9, math.nan)])
def test_a_split_with_an_empty_part_is_refused(n, fraction):
    with pytest.raises(OptionError, match="0 < fraction < 1 and at least two rows"):
        numbered(n).split(fraction)


@given(n=st.integers(0, 30), size=st.integers(1, 12))
def test_batches_hold_every_row_once(n, size):
    batches = list(numbered(n).batches(size, seed=1))
    assert sorted(t for batch in batches for t in batch.targets) == list(range(n))
    assert all(len(batch) == size for batch in batches[:-1])
    whole = list(numbered(n).batches(size, seed=1, drop_last=True))
    assert [batch.targets for batch in whole] == [b.targets for b in batches if len(b) == size]


def test_batches_come_in_an_order_that_the_seed_decides():
    def order(**options):
        return [t for batch in numbered(20).batches(6, **options) for t in batch.targets]

    assert order(seed=1) == order(seed=1) != order(seed=2)
    assert order(shuffle=False) == list(range(20)) != order(seed=1)


@pytest.mark.parametrize("size", [0, -1, 2.0])
def test_batches_have_a_size(size):
    with pytest.raises(OptionError, match="an integer >= 1"):
        numbered(3).batches(size)


# --- csv ------------------------------------------------------------------------------------


def write(folder, text):
    file = folder / "table.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return file


@pytest.mark.parametrize(
    ("text", "names", "inputs", "targets"),
    [
        ("1,2,0\n3,4,1\n", (), [[1.0, 2.0], [3.0, 4.0]], [0, 1]),
        ("x,y,t\n1,2,0.5\n3,4,1\n", ("x", "y", "t"), [[1.0, 2.0], [3.0, 4.0]], [0.5, 1.0]),
        ("1,2\r\n3,4\r\n", (), [[1.0], [3.0]], [2, 4]),
        ("1,2\r3,4", (), [[1.0], [3.0]], [2, 4]),
        ("\n1,2\n\n  \n3,4\n\n", (), [[1.0], [3.0]], [2, 4]),
        (b"\xef\xbb\xbf1,2\n", (), [[1.0]], [2]),
        (b"\xef\xbb\xbfx,t\n1,2\n", ("x", "t"), [[1.0]], [2]),
        ('"x, in m","t"\n"1e-3", "-2"\n', ("x, in m", "t"), [[0.001]], [-2]),
        (" x , t \n +1 , .5 \n", ("x", "t"), [[1.0]], [0.5]),
        ("größe,t\n1,1e3\n", ("größe", "t"), [[1.0]], [1000]),
    ],
)
def test_tables_that_can_be_read(tmp_path, text, names, inputs, targets):
    dataset = read_csv(write(tmp_path, text))
    assert (dataset.names, dataset.inputs, dataset.targets) == (names, inputs, targets)
    assert [type(target) for target in dataset.targets] == [type(target) for target in targets]


def test_other_separators_can_be_asked_for(tmp_path):
    assert read_csv(str(write(tmp_path, "x;t\n1;2\n")), delimiter=";").inputs == [[1.0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n3,x\n", r"table\.csv, line 2, column 2: expected a finite number, got 'x'"),
        ("a,t\n1,2\n\nzwei,4\n", r"line 4, column 1 \(a\): .* got 'zwei'"),
        ("1,2\n,4\n", "line 2, column 1: .* got an empty cell"),
        ("1,2\n3,inf\n", "line 2, column 2: .* got 'inf'"),
        ("1,2\nnan,4\n", "line 2, column 1: .* got 'nan'"),
        ("1,2\n1_000,4\n", "line 2, column 1: .* got '1_000'"),
        ("1,2\n1e999,4\n", "line 2, column 1: .* got '1e999'"),
        ("x,1\n1,2\n", "line 1, column 1: .* got 'x'"),
        ("nan,1\n1,2\n", "line 1, column 1: .* got 'nan'"),
        ("1,2\n3,4,5\n", "line 2: expected 2 cells, got 3"),
        ("x,t\n3\n", "line 2: expected 2 cells, got 1"),
        ("1\n2\n", "expected an input column and a target column, got 1 column"),
        ("1,2\n# c\n", "line 2: expected numbers, got the comment '# c'. Remove the lines that"),
        ("# c\n1,2\n", "line 1: expected numbers, got the comment '# c'. Remove the lines that"),
        ("# a, b, c\n1,2\n3,4\n", "line 1: .* got the comment"),
        ('"1,5",2\n3,4\n', "got '1,5'. Write it with a point: 1.5."),
        ("1,2\nred,4\n", "got 'red'. Replace the text by a number, or remove the column or"),
        ("", "expected at least one row of numbers, got none"),
        ("\n\n", "at least one row of numbers"),
        ("x,t\n", "at least one row of numbers.*one line per"),
        ('1,2\n"3,4\n', "line 2: expected a CSV line, got"),
        (b"1,2\n\xff,4\n", "expected text in UTF-8, got byte 0xff"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_by_line_and_column(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_csv(write(tmp_path, text))


@pytest.mark.parametrize("delimiter", [";;", "", 3])
def test_a_delimiter_is_one_character(tmp_path, delimiter):
    with pytest.raises(OptionError, match=r"read_csv\(delimiter=...\): expected one character"):
        read_csv(write(tmp_path, "1,2\n"), delimiter=delimiter)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("header", ["", "x{0}y{0}t"])
@pytest.mark.parametrize(
    ("sign", "point"), [(",", "."), (";", "."), (";", ","), ("\t", ","), ("|", ".")]
)
def test_separators_and_decimal_commas_are_found(tmp_path, sign, point, header, end):
    rows = [(0.5, -1.25, 0), (1e-3, 12345.5, 1), (-2.0, 0.125, 1)]
    cells = [[str(x).replace(".", point) for x in row] for row in rows]
    lines = [header.format(sign)] * bool(header) + [sign.join(row) for row in cells]
    dataset = read_csv(write(tmp_path, end.join(lines) + end))
    assert dataset.inputs == [list(row[:2]) for row in rows]
    assert dataset.targets == [0, 1, 1]
    assert dataset.names == (("x", "y", "t") if header else ())


def test_texts_as_targets_are_classes(tmp_path):
    names = [f"kind {i:02}" for i in range(12)]
    lines = [f"{i},{name}" for i, name in enumerate(reversed(names))]
    dataset = read_csv(write(tmp_path, "\n".join(["x,t", *lines])))
    assert dataset.labels == tuple(names)
    assert dataset.targets == list(range(12))[::-1]
    assert len(Problem.of(dataset).classes) == 12  # more than ten, because they have names


MISSING = "a,b,t\n1,,0\n2,4,1\n,6,1\n3,8,\nNA,?,0\n"


def test_missing_cells_are_an_error_or_dropped_or_means(tmp_path):
    path = write(tmp_path, MISSING)
    with pytest.raises(DataError, match=r"line 2, column 2 .b.: .* got an empty cell"):
        read_csv(path)
    assert read_csv(path, missing="drop").inputs == [[2.0, 4.0]]
    filled = read_csv(path, missing="mean")
    assert filled.inputs == [[1.0, 5.0], [2.0, 4.0], [1.5, 6.0], [1.5, 5.0]]
    assert filled.targets == [0, 1, 1, 0]
    with pytest.raises(OptionError, match="missing"):
        read_csv(path, missing="ignore")
    with pytest.raises(DataError, match="a row without missing cells"):
        read_csv(write(tmp_path, "1,\n,2\n"), missing="drop")
    with pytest.raises(DataError, match=r"column 1: .* got 'red'"):
        read_csv(write(tmp_path, "1,2\nred,4\n"), missing="mean")


def test_a_table_comes_from_the_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("1;2\n3;4,5\n"))
    assert read_csv("-").targets == [2.0, 4.5]


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(
        DataError, match=r"nowhere\.csv: .* got the error 'No such file or directory'"
    ):
        read_csv(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="got the error 'Is a directory'"):
        read_csv(tmp_path)


rows = st.lists(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3), min_size=1
)


@given(rows)
def test_a_table_of_floats_comes_back_bit_for_bit(tmp_path_factory, table):
    text = "".join(",".join(map(repr, row)) + "\n" for row in table)
    dataset = read_csv(write(tmp_path_factory.mktemp("csv"), text))
    assert [[*x, t] for x, t in dataset] == table


def test_dates_are_days_month_and_weekday(tmp_path):
    text = "d,t\n1970-01-01,0\n2024-02-29T12:00,1\n2024-03-01T01:00:00+01:00,0\n"
    dataset = read_csv(write(tmp_path, text))
    assert dataset.names == ("d days", "d month", "d weekday", "t")
    assert dataset.inputs == [[0.0, 1.0, 3.0], [19782.5, 2.0, 3.0], [19783.0, 3.0, 4.0]]


@given(st.lists(st.dates() | st.datetimes(), min_size=1))
def test_days_of_dates_are_those_of_the_calendar(tmp_path_factory, dates):
    text = "".join(f"{date.isoformat()},{i}\n" for i, date in enumerate(dates))
    dataset = read_csv(write(tmp_path_factory.mktemp("csv"), text))
    for (days, month, weekday), date in zip(dataset.inputs, dates, strict=True):
        assert math.floor(days) == date.toordinal() - 719163  # 1970-01-01
        assert (month, weekday) == (date.month, date.weekday())


@given(st.lists(st.sampled_from(["red", "light blue", "Grün", "none"]), min_size=2))
def test_texts_are_inputs_of_1_and_0(tmp_path_factory, texts):
    text = "colour,t\n" + "".join(f" {text},{i}\n" for i, text in enumerate(texts))
    known = sorted({*texts})
    assume(known != ["none"])  # of nothing else it says that there is no number
    dataset = read_csv(write(tmp_path_factory.mktemp("csv"), text))
    assert dataset.names == (*(f"colour={name}" for name in known), "t")
    assert [known[row.index(1.0)] for row in dataset.inputs] == texts
    assert all(sum(row) == 1.0 for row in dataset.inputs)


def test_missing_texts_and_dates_are_means(tmp_path):
    path = write(tmp_path, "a,d,t\nx,1970-01-02,0\ny,1970-01-04,1\n,,0\n")
    assert read_csv(path, missing="mean").inputs[2] == [0.5, 0.5, 2.0, 1.0, 5.0]
    assert read_csv(path, missing="drop").targets == [0, 1]
    with pytest.raises(DataError, match=r"column 1 \(a\): expected one of x, y, got an empty cell"):
        read_csv(path)


def test_columns_are_chosen_by_name_or_number(tmp_path):
    path = write(tmp_path, "a,b,c\n1,2,3\n4,5,6\n")
    chosen = read_csv(path, target="a", ignore="c")
    assert (chosen.inputs, chosen.targets, chosen.names) == ([[2.0], [5.0]], [1, 4], ("b", "a"))
    with pytest.raises(OptionError, match=r"columns a, b, c, got str 'd'\. Write target='a'"):
        read_csv(path, target="d")
    with pytest.raises(OptionError, match="that are not ignored, got 1 of 3 columns"):
        read_csv(path, ignore=["a", "b"])
    assert read_csv(write(tmp_path, "1,2\n3,4\n"), target="1").targets == [1, 3]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16"])
def test_the_encoding_that_an_error_names_reads_the_file(tmp_path, encoding):
    name = "größe €"[: 5 + 2 * (encoding != "latin-1")]
    path = write(tmp_path, f"{name},t\n1,2\n".encode(encoding))
    with pytest.raises(DataError, match=f"expected text in UTF-8.* Pass encoding='{encoding}'"):
        read_csv(path)
    assert read_csv(path, encoding=encoding).names == (name, "t")
    with pytest.raises(OptionError, match="the name of an encoding of texts, got str 'klingon'"):
        read_csv(path, encoding="klingon")
