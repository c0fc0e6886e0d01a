"""Programs whose graph is cut before the loss: the error says where, and by what."""

from __future__ import annotations

import linecache
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from gradwalk import Tensor, Value, fit, nn, no_grad, optim, relu, sign, where
from gradwalk.causes import source
from gradwalk.errors import CutGraphWarning, OptionError
from gradwalk.inspect import why

X = np.array([[1.0, 2.0], [3.0, -4.0]])


def weight():
    return Tensor([[0.5, -1.0], [1.0, 2.0]], requires_grad=True)


def by_argmax():
    scores = weight() @ Tensor(X)
    chosen = scores.argmax(axis=1)
    loss = (chosen - 1.0).sum()
    loss.backward()


def by_round():
    w = weight()
    predicted = w.round()
    error = predicted - 0.5
    loss = error.sum()
    loss.backward()


def by_sign():
    loss = weight().sign().sum()
    loss.backward()


def by_floor_division():
    w = weight()
    half = w // 2.0
    half.sum().backward()


def by_a_comparison():
    hits = (weight() > 0.0) * 1.0
    loss = hits.mean()
    loss.backward()


def by_data():
    w = weight()
    loss = Tensor(w.data * 2.0).sum()
    loss.backward()


def by_detach():
    w = weight()
    frozen = w.detach()
    loss = (frozen * frozen).sum()
    loss.backward()


def by_no_grad_before():
    w = weight()
    with no_grad():
        y = w * 2.0
    loss = y.sum()
    loss.backward()


def by_no_grad_left_on():
    w = weight()
    with no_grad():
        loss = (w * w).sum()
        loss.backward()


class Rounded(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 1, seed=0)

    def forward(self, x):
        return self.inner(x).round()


def by_the_forward_of_a_module():
    model = Rounded()
    out = model(Tensor(X))
    loss = out.sum()
    loss.backward()


CUT = {
    by_argmax: ("cut by argmax", "scores.argmax(axis=1)", "cross_entropy"),
    by_round: ("cut by round", "predicted = w.round()", "stop_gradient"),
    by_sign: ("cut by sign", "loss = weight().sign().sum()", "tanh"),
    by_floor_division: ("cut by //", "half = w // 2.0", "Divide by /"),
    by_a_comparison: ("cut by a comparison", "hits = (weight() > 0.0)", "sigmoid"),
    by_data: ("cut by .data", "w.data * 2.0", "without .data"),
    by_detach: ("cut by detach", "frozen = w.detach()", "Leave out .detach()"),
    by_no_grad_before: ("cut by no_grad", "with no_grad():", "outside no_grad()"),
    by_no_grad_left_on: ("no_grad(), which is still on", "outside no_grad()"),
    by_the_forward_of_a_module: ("cut by round", "return self.inner(x).round()"),
}


@pytest.mark.parametrize("program", CUT, ids=lambda p: p.__name__)
def test_the_error_says_where_the_graph_was_cut(program):
    with pytest.raises(OptionError) as error:
        program()
    told = str(error.value)
    assert not [words for words in CUT[program] if words not in told], told
    assert "requires_grad=True) for what" not in told


def test_a_program_without_a_cut_is_told_to_require_gradients():
    y = (Tensor(X) * 2.0).sum()
    with pytest.raises(OptionError, match=re.escape("Write Tensor(data, requires_grad=True)")):
        y.backward()


# --- Values, which would stay silent with gradients of 0 ------------------------------------------


def value_by_round():
    w = Value(1.7)
    loss = (round(w * 2.0) - 1.0) ** 2
    loss.backward()


def value_by_floor_division():
    w = Value(7.0)
    loss = w // 2.0 + 1.0
    loss.backward()


def value_by_data():
    w = Value(1.7)
    loss = Value(w.data * 2.0)
    loss.backward()


def value_in_no_grad():
    w = Value(1.7)
    with no_grad():
        loss = w * 2.0
    loss.backward()


def value_in_no_grad_left_on():
    w = Value(1.7)
    with no_grad():
        loss = w * 2.0
        loss.backward()


def value_in_a_helper():
    def step(result):
        result.backward()

    w = Value(1.7)
    error = sign(w) - 0.5
    step(error)


CUT_VALUES = {
    value_by_round: ("cut by round", "loss = (round(w * 2.0) - 1.0) ** 2", "stop_gradient"),
    value_by_floor_division: ("cut by //", "loss = w // 2.0 + 1.0", "Divide by /"),
    value_by_data: ("cut by .data", "Value(w.data * 2.0)", "without .data"),
    value_in_no_grad: ("cut by no_grad", "with no_grad():", "outside no_grad()"),
    value_in_no_grad_left_on: ("which is still on", "outside no_grad()"),
    value_in_a_helper: ("cut by sign", "error = sign(w) - 0.5", "tanh"),
}


@pytest.mark.parametrize("program", CUT_VALUES, ids=lambda p: p.__name__)
def test_values_warn_where_the_graph_was_cut(program):
    with pytest.warns(CutGraphWarning) as found:
        program()
    told = str(found[0].message)
    assert not [words for words in CUT_VALUES[program] if words not in told], told
    assert found[0].filename == __file__


def test_masks_and_leaves_are_no_cuts():
    w = Value(-2.0)
    loss = relu(w) * 3.0 + (w > 0.0) * 1.0
    loss.backward()
    x = Value(3.0)
    x.backward()
    y = where(w > 0.0, w, 1.0)
    y.backward()
    assert (w.grad, x.grad) == (0.0, 1.0)


def squares(output, target):
    return sum(((y - t) ** 2 for y, t in zip(output, target, strict=True)), Value(0.0))


def by_data_of_the_output(output, target):
    return squares([Value(y.data) for y in output], target)


def by_rounding_the_output(output, target):
    rounded = [round(y) for y in output]
    return squares(rounded, target)


def by_an_array_of_the_output(output, target):
    return ((Tensor(output.data) - target) ** 2).mean()


LOSSES = {
    by_data_of_the_output: ("cut by .data", "Value(y.data)"),
    by_rounding_the_output: ("cut by round", "rounded = [round(y) for y in output]"),
    by_an_array_of_the_output: ("cut by .data", "Tensor(output.data)"),
}


@pytest.mark.filterwarnings("ignore::gradwalk.errors.CutGraphWarning")
@pytest.mark.parametrize("loss", LOSSES, ids=lambda p: p.__name__)
def test_fit_says_where_the_loss_was_cut(loss):
    tensors = loss is by_an_array_of_the_output
    model = nn.Linear(2, 1, seed=0) if tensors else nn.MLP(2, [3, 1], seed=0)
    data = (X, X[:, :1] if tensors else X[:, 0])
    with pytest.raises(OptionError) as error:
        fit(model, loss, optim.SGD(model.parameters(), lr=0.1), data, epochs=1, progress=False)
    assert not [words for words in LOSSES[loss] if words not in str(error.value)], error.value


def test_fit_notices_the_optimizer_of_another_model():
    model, other = nn.Linear(2, 1, seed=0), nn.Linear(2, 1, seed=1)
    with pytest.raises(OptionError, match="after the last layer was made"):
        fit(
            model, nn.functional.mse_loss, optim.SGD(other.parameters(), lr=0.1), (X, X[:, :1]),
            epochs=1, progress=False,
        )  # fmt: skip


def _frozen_branch(w):
    with no_grad():
        scale = (w * w).mean()
    return w * scale


MENDED = {
    by_argmax: lambda w: nn.cross_entropy(w @ Tensor(X), np.array([0, 1])),
    by_round: lambda w: w - 0.5,
    by_sign: lambda w: (w * 5.0).tanh(),
    by_floor_division: lambda w: w / 2.0,
    by_a_comparison: lambda w: (w * 5.0).sigmoid() * where(w > 0.0, 1.0, 2.0),
    by_data: lambda w: w * 2.0 + Tensor(w.data * 2.0),
    by_detach: lambda w: w.detach() * w,
    by_no_grad_before: _frozen_branch,
    by_no_grad_left_on: lambda w: w * w,
    by_the_forward_of_a_module: lambda w: nn.Linear(2, 1, seed=0)(w),
}


@pytest.mark.parametrize("program", CUT, ids=lambda p: p.__name__)
def test_a_mended_program_raises_no_alarm(program):
    w = weight()
    loss = MENDED[program](w).sum()
    loss.backward()
    assert w.grad is not None
    assert w.grad.any()
    assert not (cause := why(w)), cause
    optim.SGD([w], lr=0.1).step()


def test_a_first_step_without_gradients_is_heard():
    w = Value(1.7)
    loss = Value(w.data * 2.0) ** 2
    loss.backward()
    with pytest.warns(CutGraphWarning, match=r"SGD.step.*cut by \.data"):
        optim.SGD([w], lr=0.1).step()


def test_a_step_before_the_backward_pass_is_heard():
    t = weight()
    optimizer = optim.Adam([t], lr=0.1)
    with pytest.warns(CutGraphWarning, match=r"Call loss.backward\(\) before the step"):
        optimizer.step()
    optimizer.step()  # once is enough


# --- steps that train nothing ---------------------------------------------------------------------


def warnings_of(run):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run()
    return [str(w.message) for w in found if issubclass(w.category, CutGraphWarning)]


def erased_before_the_step():
    model = nn.Linear(2, 1, seed=0)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loss = (model(Tensor([[1.0, 2.0]])) ** 2).mean()
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()


def erased_before_the_pass():
    model = nn.Linear(2, 1, seed=0)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loss = (model(Tensor([[1.0, 2.0]])) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def a_result_that_is_trained():
    w = Tensor([1.0, 2.0], requires_grad=True) * 0.01
    (w * w).sum().backward()
    with no_grad():
        w -= 0.5 * w.grad


def a_leaf_that_is_trained():
    w = Tensor([1.0, 2.0], requires_grad=True)
    (w * w).sum().backward()
    with no_grad():
        w -= 0.5 * w.grad


def an_activation_that_is_centred():
    h = nn.Linear(2, 2, seed=0)(Tensor([1.0, 2.0]))
    (h * h).sum().backward()
    with no_grad():
        h -= h.mean()


STEPS = {
    erased_before_the_step: ("'optimizer.zero_grad()'", "has erased them", "before backward()"),
    erased_before_the_pass: (),
    a_result_that_is_trained: ("w, the result of", "* 0.01", "requires no gradient from here on"),
    a_leaf_that_is_trained: (),
    an_activation_that_is_centred: (),
}


@pytest.mark.parametrize("program", STEPS, ids=lambda program: program.__name__)
def test_a_step_that_trains_nothing_warns_with_its_line(program):
    words, told = STEPS[program], warnings_of(program)
    assert len(told) == bool(words), told
    assert not [word for word in words if word not in told[0]], told


# --- what it costs to look ------------------------------------------------------------------------


def test_a_file_is_parsed_once_until_it_changes(tmp_path, monkeypatch):
    parsed = []
    parse = source.ast.parse
    monkeypatch.setattr(source.ast, "parse", lambda text: parsed.append(text) or parse(text))
    files = [str(tmp_path / f"program{i}.py") for i in range(source.FILES + 2)]
    for i, file in enumerate(files):
        Path(file).write_text(f"x = {i}\n")
    for _ in range(3):
        assert source.syntax_of(files[0]).body[0].value.value == 0
    assert len(parsed) == 1
    Path(files[0]).write_text("x = 100\n\n")
    linecache.checkcache()
    assert source.syntax_of(files[0]).body[0].value.value == 100
    for file in files:
        source.syntax_of(file)
    assert len(source._known) == source.FILES


@pytest.mark.parametrize("error", [SystemError, RecursionError, SyntaxError, MemoryError])
def test_a_parser_that_fails_hides_no_message(tmp_path, monkeypatch, error):
    def fail(text):
        raise error

    file = str(tmp_path / "program.py")
    Path(file).write_text("x = 0\n")
    monkeypatch.setattr(source.ast, "parse", fail)
    assert source.syntax_of(file) is None


# --- programs without anything to differentiate by ------------------------------------------------


def frozen_model():
    model = nn.Sequential(nn.Linear(2, 4, seed=0), nn.ReLU(), nn.Linear(4, 1, seed=1))
    return model.requires_grad_(False)


def labels_by_a_comparison(model):
    y = (X[:, 0] > 1.5).astype(float)
    loss = ((model(Tensor(X))[:, 0] - y) ** 2).mean()
    loss.backward()


def labels_by_argmax(model):
    y = X.argmax(axis=1)
    loss = ((model(Tensor(X))[:, 0] - y) ** 2).mean()
    loss.backward()


def labels_by_rounding(model):
    y = np.round(X[:, 1] / 3.0)
    loss = ((model(Tensor(X))[:, 0] - y) ** 2).mean()
    loss.backward()


def labels_of_a_helper(model):
    def make_labels(x):
        return np.sign(x[:, 0]) + (x[:, 1] > 0.0)

    y = make_labels(X)
    loss = ((model(Tensor(X))[:, 0] - y) ** 2).mean()
    loss.backward()


def labels_as_integers(model):
    classes = [int(row[0]) for row in X.tolist()]
    loss = (model(Tensor(X))[:, 0] * np.array(classes)).sum()
    loss.backward()


def an_accuracy_beside(model):
    out = model(Tensor(X))
    hits = (out.data > 0.0).mean()
    loss = (out * out).mean() + float(hits)
    loss.backward()


FROZEN = [
    labels_by_a_comparison, labels_by_argmax, labels_by_rounding, labels_of_a_helper,
    labels_as_integers, an_accuracy_beside,
]  # fmt: skip


@pytest.mark.parametrize("program", FROZEN, ids=lambda p: p.__name__)
def test_a_frozen_model_is_named_and_no_line_accused(program):
    with pytest.raises(OptionError) as error:
        program(frozen_model())
    told = str(error.value)
    assert "no parameter of model requires a gradient: all 4 are frozen" in told
    assert "model.requires_grad_()" in told
    assert "cut by" not in told
    model = frozen_model().requires_grad_()  # the remedy
    program(model)
    assert all(p.grad is not None for p in model.parameters())


@pytest.mark.parametrize("program", FROZEN[:5], ids=lambda p: p.__name__)
def test_labels_are_not_accused_where_another_model_is_trained(program):
    other = nn.Linear(2, 1, seed=3)
    with pytest.raises(OptionError) as error:
        program(frozen_model())
    assert "cut by" not in str(error.value)
    assert other.weight.requires_grad
