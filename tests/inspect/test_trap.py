"""`trap` raises at the operation, on every carrier; `lines` records lines; both leave no trace."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, fit, grad, nn, no_grad, optim
from gradwalk.errors import NonFiniteError, NotANumberError
from gradwalk.inspect import lines, trap, why


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (lambda: Value(3.0) / (Value(1.0) - 1.0), "3 / 0 = inf"),
        (lambda: gw.log(Value(0.0)), "log(0) = -inf"),
        (lambda: Value(0.0).sqrt().backward(), "backward pass of sqrt(0)"),
        (lambda: Tensor([1.0, 0.0]).log(), "log(0) = -inf at element [1]"),
        (lambda: Tensor([800.0], requires_grad=True).exp().sum(), "exp(800) = inf"),
        (lambda: (Tensor([0.0], requires_grad=True) * 1.0).sqrt().sum().backward(), "sqrt("),
        (lambda: grad(lambda x: gw.log(x - 1.0))(1.0), "log(0) = -inf"),
        (lambda: Tensor([1e200, 1.0]) @ Tensor([1e200, 1.0]), "matmul"),
        (lambda: (Tensor(np.ones((2, 2))) * 1e308).sum(), "sum"),
    ],
)
def test_it_stops_at_the_operation(program, words):
    with pytest.raises(NonFiniteError) as error, trap():
        program()
    assert words in error.value.got
    assert "test_trap.py" in str(error.value)
    assert error.value.fix[0].isupper()


def _leaf():
    return Tensor([4.0, 0.0], requires_grad=True)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda x: x.log().sum(), ("log", (1,), (0.0,), "forward", "(x + 1e-12).log()")),
        (lambda x: x.sqrt().sum().backward(),
         ("sqrt", (1,), (0.0,), "backward", "(x + 1e-12).sqrt()")),
        (lambda x: gw.log(Value(0.0)),
         ("log", (), (0.0,), "forward", "gw.log(Value(0.0) + 1e-12)")),
    ],
)  # fmt: skip
def test_the_error_has_the_cause_that_why_gives(program, expected):
    with pytest.raises(NonFiniteError) as error, trap():
        program(_leaf())
    cause = error.value.cause
    new = cause.edit and cause.edit.new
    assert (cause.op, cause.element, cause.args, cause.direction, new) == expected
    assert cause.sentence == error.value.got
    assert error.value.fix.startswith(cause.fix)


def test_the_cause_is_the_one_of_why():
    x = _leaf()
    with pytest.raises(NonFiniteError) as error, trap():
        x.log().sum()
    with np.errstate(all="ignore"):
        known = why(x.log().sum())
    found = error.value.cause
    assert type(found) is type(known)
    assert (found.op, found.args, found.direction) == (known.op, known.args, known.direction)
    assert found.edit.new == known.edit.new


def test_a_copy_of_the_error_has_no_cause():
    with pytest.raises(NonFiniteError) as error, trap():
        gw.log(Value(0.0))
    for twin in (copy.deepcopy(error.value), pickle.loads(pickle.dumps(error.value))):
        assert str(twin) == str(error.value)
        assert twin.cause is None
        assert twin.where == "trap"


def test_inside_of_no_grad():
    with pytest.raises(NonFiniteError, match=r"log\(0\) = -inf"), trap(), no_grad():
        gw.log(Value(1.0) - 1.0)


def test_a_backward_pass_that_raises_changes_nothing():
    w = Tensor([4.0, 0.0], requires_grad=True)
    v = Value(0.0)
    with pytest.raises(NonFiniteError), trap():
        w.sqrt().sum().backward()
    with pytest.raises(NonFiniteError), trap():
        (v.sqrt() * 2.0).backward()
    assert w.grad is None
    assert v.grad == 0.0


def test_numbers_that_are_not_finite_already_raise_nothing():
    x = Value(float("nan"))
    with trap():
        y = x * 2.0 + Value(1.0)
        z = Tensor([np.inf]) - 1.0
    assert y.data != y.data
    assert z.item() == np.inf


def test_afterwards_all_is_as_before():
    with pytest.raises(NonFiniteError), trap():
        gw.log(Value(0.0))
    assert gw.log(Value(0.0)).data == -float("inf")
    with trap(), no_grad():
        pass
    x = Value(2.0)
    assert (x * x).operands == (x, x)


def test_other_threads_are_left_alone():
    done = []
    with trap():
        thread = threading.Thread(target=lambda: done.append(gw.log(Value(0.0)).data))
        thread.start()
        thread.join()
    assert done == [-float("inf")]


def test_lines_of_values_are_recorded_inside_of_lines_only():
    with lines():
        y = gw.log(Value(0.0))
    assert "y = gw.log(Value(0.0))" in why(y).line
    z = gw.log(Value(0.0))
    assert "lines()" in why(z).line


def test_a_plain_number_has_no_graph():
    with pytest.raises(NotANumberError, match="Pass the Value itself"):
        why(float("nan"))


def test_a_cause_in_a_notebook():
    w = Tensor([0.0], requires_grad=True)
    w.sqrt().sum().backward()
    assert "<td" in why(w)._repr_html_()
    assert "&lt;" not in why(w)._repr_html_().replace("&lt;module", "")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_fit_names_the_data_the_operation_or_the_learning_rate():
    x, y = np.linspace(0.1, 1.0, 8).reshape(4, 2), np.ones((4, 1))

    def trained(inputs, loss, lr=0.1):
        model = nn.Linear(2, 1, seed=0)
        optimizer = optim.SGD(model.parameters(), lr=lr)
        with pytest.raises(NonFiniteError) as error:
            fit(model, loss, optimizer, (inputs, y), epochs=2000, seed=0, progress=False)
        return str(error.value)

    def squares(output, target):
        return ((output - target) ** 2).mean()

    bad = x.copy()
    bad[2, 1] = np.nan
    assert "the inputs have nan in row" in trained(bad, squares)
    assert "column 1" in trained(bad, squares)
    told = trained(x, lambda o, t: ((o - o) ** 2).sum().sqrt() + 0.0 * t.sum())
    assert "sqrt(0) = 0" in told
    assert "expected finite gradients" in told
    told = trained(x, lambda o, t: ((o * 0.0) ** 2).log().sum())
    assert "log(0) = -inf" in told
    assert "lr" not in told
    assert "diverged with lr=1000" in trained(x, squares, lr=1000.0)
