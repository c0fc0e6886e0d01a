"""Names as numbers, the models that write them, and the digits."""

from __future__ import annotations

import math
import sys
from collections import Counter

import numpy as np
import pytest

from gradwalk import Tensor, nn
from gradwalk.data.digits import draw_answers, load_digits
from gradwalk.data.names import NAMES, read_names
from gradwalk.errors import DataError, MissingExtraError, OptionError
from gradwalk.training.characters import (
    IGNORED,
    Alphabet,
    CharacterGPT,
    contexts,
    mean_surprise,
    ngram,
    sample,
    sequences,
    surprise,
)


def test_the_list_is_long_enough_and_clean():
    assert len(NAMES) >= 200
    assert sorted(set(NAMES)) == NAMES
    assert all(name.isalpha() and name.islower() and len(name) <= 15 for name in NAMES)


def test_a_list_with_a_mark_at_its_beginning_and_windows_line_ends(tmp_path):
    path = tmp_path / "names.txt"
    path.write_bytes("\ufeffAnn\r\n\r\n bo\r\nANN\r\n".encode())
    assert read_names(path) == ["ann", "bo"]
    path.write_text("", encoding="utf-8")
    with pytest.raises(DataError, match=r"different names.*got 0"):
        read_names(path)


def test_an_alphabet_goes_both_ways():
    alphabet = Alphabet(NAMES)
    assert len(alphabet) == 27
    assert all(alphabet.decode([*alphabet.encode(name), 0, 5]) == name for name in NAMES)
    with pytest.raises(DataError, match="with 'é'"):
        alphabet.encode("zoé")


@pytest.mark.parametrize("context", [1, 2, 4, 9])
def test_contexts_and_sequences_ask_for_the_same_characters(context):
    names = ["ada", "bo", "cleo"]
    alphabet = Alphabet(names)
    x, y = contexts(names, alphabet, context)
    assert x.shape == (len(y), context) == (sum(map(len, names)) + len(names), context)
    inputs, targets = sequences(names, alphabet, context)
    assert inputs.shape == targets.shape == (3, min(context, 5))
    asked = [targets[i][targets[i] != IGNORED].tolist() for i in range(3)]
    assert asked == [[*alphabet.encode(name), 0][:context] for name in names]
    assert (inputs[:, 0] == 0).all()
    for i in range(3):
        known = len(asked[i]) - 1
        assert inputs[i, 1 : known + 1].tolist() == asked[i][:known]


@pytest.mark.parametrize("make", [ngram, CharacterGPT])
def test_a_model_that_knows_nothing_is_surprised_by_all_characters_alike(make):
    model = make(7, 3, seed=0)
    for parameter in model.parameters():
        parameter.data = np.zeros_like(parameter.data)
    tokens = Tensor([[0, 1, 2], [3, 4, 5]])
    scores = model(tokens)
    assert scores.dtype == np.float32
    assert scores.shape == ((2, 7) if make is ngram else (2, 3, 7))
    targets = Tensor([6, 0] if make is ngram else [[1, 2, IGNORED], [4, 5, 6]])
    assert surprise(scores, targets).item() == pytest.approx(math.log(7.0), rel=1e-6)


def test_the_mean_over_parts_is_that_of_all_places():
    alphabet = Alphabet(NAMES)
    model = CharacterGPT(len(alphabet), width=8, heads=2, layers=1, dropout=0.5, seed=0)
    inputs, targets = sequences(NAMES, alphabet, 16)
    parts = [mean_surprise(model, inputs, targets, rows) for rows in (7, 1000)]
    whole = surprise(model(Tensor(inputs)), Tensor(targets)).item()
    assert parts == pytest.approx([whole, whole], rel=1e-5)


def test_a_gpt_sees_no_future_and_every_parameter_learns():
    model = CharacterGPT(5, 6, width=8, heads=2, layers=2, seed=0)
    scores = [model(Tensor([[0, 1, 2, 3, last]])) for last in (1, 4)]
    before, after = (s.numpy()[0] for s in scores)
    assert before[:4] == pytest.approx(after[:4], abs=1e-6)
    assert before[4] != pytest.approx(after[4], abs=1e-3)
    surprise(scores[0], Tensor([[1, 2, 3, 1, 0]])).backward()
    assert all(np.any(p.grad) for p in model.parameters())


class Fixed(nn.Module):
    """Says the same of every character, and writes down what it was shown."""

    def __init__(self, shares, places):
        self.scores, self.places, self.shown = np.log(shares), places, []

    def forward(self, tokens):
        self.shown.append(tokens.shape)
        shape = (*tokens.shape, 3) if self.places else (len(tokens.numpy()), 3)
        return Tensor(np.broadcast_to(self.scores, shape))


@pytest.mark.parametrize("places", [True, False])
def test_samples_come_as_often_as_the_model_says(places):
    model = Fixed([0.2, 0.5, 0.3], places)
    start = 1 if places else 2
    names = sample(model, Alphabet("ab"), 4000, context=2, start=start, longest=5, seed=0)
    assert len(names) == 4000
    assert max(map(len, names)) == 5
    first = Counter(name[:1] for name in names)
    shares = [first[letter] / 4000 for letter in ("", "a", "b")]
    assert shares == pytest.approx([0.2, 0.5, 0.3], abs=0.03)
    widths = [width for _, width in model.shown]
    assert widths == ([1, 2, 2, 2, 2] if places else [2] * 5)
    assert names == sample(model, Alphabet("ab"), 4000, context=2, start=start, longest=5, seed=0)


# --- digits ---------------------------------------------------------------------------------------


def test_digits_are_split_without_overlap_and_loss():
    pytest.importorskip("sklearn")
    (x, t), (test_x, test_t) = load_digits()
    assert x.shape == (1438, 1, 8, 8)
    assert test_x.shape == (359, 1, 8, 8)
    assert x.dtype == np.float32
    assert (x.min(), x.max()) == (0.0, 1.0)
    assert sorted({*t.tolist()}) == sorted({*test_t.tolist()}) == list(range(10))
    rows = Counter(image.tobytes() for image in np.concatenate([x, test_x]))
    other = load_digits(test=0.5, seed=1)
    assert rows == Counter(image.tobytes() for half in other for image in half[0])
    assert len(other[1][1]) == 898
    assert (load_digits()[1][1] == test_t).all()
    assert not np.array_equal(load_digits(seed=1)[1][1], test_t)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.2, math.nan])
def test_a_share_that_keeps_nothing_or_everything_apart(share):
    with pytest.raises(OptionError, match="0 < test < 1"):
        load_digits(share)


def test_wrong_answers_are_drawn_first(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    figures = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *a, **k: figures.append(figure))
    draw_answers(np.zeros((3, 1, 8, 8)), [1, 2, 3], [1, 7, 3], tmp_path / "d.png")
    titles = [axes.get_title() for axes in figures[0].axes]
    assert titles[:4] == ["7, is 2", "1", "3", ""]
    assert figures[0].axes[0].title.get_color() != figures[0].axes[1].title.get_color()


@pytest.mark.parametrize(
    ("package", "extra", "use"),
    [
        ("sklearn", "digits", load_digits),
        ("matplotlib.figure", "plot", lambda: draw_answers([], [], [], "")),
    ],
)
def test_a_missing_package_is_named_with_its_extra(monkeypatch, package, extra, use):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"gradwalk\[{extra}\]"):
        use()
