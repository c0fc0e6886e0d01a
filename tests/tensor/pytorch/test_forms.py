"""Tensors answer to what users of PyTorch type."""

from __future__ import annotations

import pickle
from inspect import signature
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, grad, hvp, jvp, nn, vmap
from gradwalk.errors import GradwalkError, OptionError
from gradwalk.tensor.functions.dims import PAIRS
from gradwalk.tensor.pytorch.attached import OURS

from ...helpers.pytorch_forms import FORMS

X = np.random.default_rng(3).normal(size=(2, 3, 4))


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_numpys(name: str) -> None:
    form, reference = FORMS[name]
    expected = reference(X)
    np.testing.assert_allclose(form(Tensor(X)).numpy(), expected, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("name", FORMS)
def test_gradients_flow_through_a_form(name: str) -> None:
    form, reference = FORMS[name]
    w = np.random.default_rng(4).normal(size=np.shape(reference(X)))
    x = Tensor(X, requires_grad=True)
    (form(x) * w).sum().backward()
    direction = np.random.default_rng(5).normal(size=X.shape)
    h = 1e-6
    slope = (
        np.vdot(w, reference(X + h * direction)) - np.vdot(w, reference(X - h * direction))
    ) / (2 * h)
    np.testing.assert_allclose(np.vdot(x.grad, direction), slope, rtol=1e-6, atol=1e-8)

    def loss(x: Any) -> Any:
        return (form(x) * w).sum()

    np.testing.assert_array_equal(grad(loss)(X), x.grad)
    np.testing.assert_allclose(jvp(loss, (X,), (direction,))[1], slope, rtol=1e-6, atol=1e-8)
    assert hvp(loss, X, direction).shape == X.shape
    np.testing.assert_allclose(
        vmap(form)(np.stack([X, 2.0 * X]))[1], reference(2.0 * X), rtol=1e-13
    )


# --- names ----------------------------------------------------------------------------------------


def test_every_function_with_an_axis_takes_dim() -> None:
    rooms = (gw.tensor, gw.linalg, gw.random)
    found = [getattr(room, name) for room in rooms for name in room.__all__]
    found += [getattr(Tensor, name) for name in dir(Tensor) if name[0] != "_"]
    axes = [f for f in found if callable(f) and "axis" in _parameters(f)]
    assert len(axes) > 60
    for f in axes:
        assert "dim" in _parameters(f) or f.__name__ in PAIRS, f
        if f.__name__ not in PAIRS:
            assert ("keepdims" in _parameters(f)) == ("keepdim" in _parameters(f))


def _parameters(f: Any) -> Any:
    try:
        return signature(f).parameters
    except (TypeError, ValueError):
        return ()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.sum(0, dim=1),
        lambda x: x.sum(axis=0, dim=1),
        lambda x: gw.sum(x, keepdims=True, keepdim=True),
        lambda x: x.softmax(-1, dim=0),
        lambda x: x.std(correction=1, unbiased=True),
    ],
)
def test_one_thing_under_two_names_is_an_error(call: Any) -> None:
    with pytest.raises(OptionError, match="Leave one of them out"):
        call(Tensor(X))


def test_a_misspelt_option_is_pythons_error() -> None:
    with pytest.raises(TypeError, match="keepdimm"):
        Tensor(X).sum(dim=1, keepdimm=True)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", OURS)
def test_other_methods_of_pytorch_answer_with_ours(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}': use "):
        getattr(Tensor(X), name)
    assert not hasattr(Tensor(X), name)


# --- sizes and devices ----------------------------------------------------------------------------


def test_the_size_is_an_int_and_a_method() -> None:
    x = Tensor(X)
    assert x.size == 24
    assert x.size() == (2, 3, 4)
    assert [x.size(i) for i in (0, 1, -1)] == [2, 3, 4]
    assert pickle.loads(pickle.dumps(x.size)) == 24
    assert np.zeros(x.size).shape == (24,)
    assert vmap(lambda row: row.sum() * row.size(0))(X).shape == (2,)
    with pytest.raises(GradwalkError, match="an axis of 3"):
        x.size(3)


@pytest.mark.parametrize("make", [gw.zeros, gw.ones, gw.empty])
def test_a_shape_may_be_given_in_numbers(make: Any) -> None:
    expected = make((2, 3)).tolist()
    for made in (
        make(2, 3),
        make([2, 3]),
        make(shape=(2, 3)),
        make(np.int64(2), 3),
        make((2, 3), float),
    ):
        assert made.tolist() == expected
    assert make(2, 3, dtype=gw.long).dtype == make((2, 3), int).dtype == np.int64
    assert make(2, 3, requires_grad=True).requires_grad
    assert make(4).shape == (4,)
    for wrong in (
        lambda: make((2, 3), 4),
        lambda: make(),
        lambda: make(2, -3),
        lambda: make(2, 3.0),
    ):
        with pytest.raises(GradwalkError):
            wrong()


def test_arrays_of_numpy_lie_on_the_cpu() -> None:
    x, model = Tensor(X), nn.Linear(2, 3)
    for to in (x.to, model.to):
        assert to("cpu") is to.__self__
        assert to(device="cpu", non_blocking=True) is to.__self__
        with pytest.raises(OptionError, match="a library and its device"):
            to("gpu")
        with pytest.raises(TypeError, match="memory_format"):
            to(memory_format=1)
    assert x.to("cpu", gw.float32).dtype == x.float().dtype == np.float32
    assert x.to(Tensor([1])).dtype == x.long().dtype == np.int64
    assert model.to("cpu", "float32").weight.dtype == np.float32


def test_modules_give_lists_that_next_takes() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    assert next(model.parameters()) is model.parameters()[0]
    assert next(model.named_parameters())[0] == "0.weight"
    assert next(model.modules()) is model
    rest = model.parameters()
    assert len([next(rest), *rest]) == 3  # a list is a list: iteration starts again
    with pytest.raises(StopIteration):
        next(nn.ReLU().parameters())


# --- in place -------------------------------------------------------------------------------------

IN_PLACE: dict[str, tuple[Any, Any]] = {
    "zero_": (lambda x: x.zero_(), lambda x: 0 * x),
    "fill_": (lambda x: x.fill_(3), lambda x: 0 * x + 3),
    "add_": (lambda x: x.add_(x, alpha=0.5), lambda x: 1.5 * x),
    "sub_": (lambda x: x.sub_(1), lambda x: x - 1),
    "mul_": (lambda x: x.mul_(2), lambda x: 2 * x),
    "div_": (lambda x: x.div_(2), lambda x: x / 2),
    "clamp_": (lambda x: x.clamp_(-0.5, max=0.5), lambda x: x.clip(-0.5, 0.5)),
    "copy_": (lambda x: x.copy_(np.ones((2, 3, 4))), lambda x: 0 * x + 1),
    "exp_": (lambda x: x.exp_(), np.exp),
    "neg_": (lambda x: x.neg_(), np.negative),
    "pow_": (lambda x: x.pow_(2), np.square),
    "tanh_": (lambda x: x.tanh_(), np.tanh),
    "masked_fill_": (lambda x: x.masked_fill_(X > 0, 0.0), lambda x: np.where(X > 0, 0.0, x)),
    "a chain": (lambda x: x.mul_(2).add_(1).clamp_(min=0), lambda x: np.maximum(2 * x + 1, 0)),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_methods_in_place_write(name: str) -> None:
    write, reference = IN_PLACE[name]
    x = Tensor(X)
    assert write(x) is x
    np.testing.assert_allclose(x.numpy(), reference(X), rtol=1e-14)


@pytest.mark.parametrize("name", IN_PLACE)
def test_gradients_have_the_methods_in_place(name: str) -> None:
    write, reference = IN_PLACE[name]
    x, other = Tensor(X, requires_grad=True), Tensor(X, requires_grad=True)
    (x * X + other * X).sum().backward()
    assert write(x.grad) is x.grad
    np.testing.assert_allclose(x.grad, reference(X), rtol=1e-14)
    np.testing.assert_array_equal(other.grad, X)


@pytest.mark.parametrize("name", IN_PLACE)
def test_methods_in_place_are_recorded(name: str) -> None:
    write, _ = IN_PLACE[name]

    def loss(x: Any) -> Any:
        y = x * 1.0
        write(y)
        return (y * y).sum()

    x = Tensor(X, requires_grad=True)
    loss(x).backward()
    np.testing.assert_array_equal(grad(loss)(X), x.grad)
    with pytest.raises(GradwalkError):
        write(x)  # a leaf, whose old numbers a graph may need
    with gw.no_grad():
        write(x)


def test_a_gradient_is_an_array_and_more() -> None:
    x = Tensor([3.0, -4.0], requires_grad=True)
    (x * x).sum().backward()
    g = x.grad
    assert isinstance(g, np.ndarray)
    assert repr(g) == "array([ 6., -8.])"
    assert x.grad is g
    assert g.data.mul_(2.0) is g
    assert g.norm().item() == 20.0
    assert g.abs().tolist() == [12.0, 16.0]
    assert g.detach().clone().tolist() == g.tolist()
    assert g.size() == (2,)
    assert type(pickle.loads(pickle.dumps(g))) is np.ndarray
    for wrong in ("blabla", "blabla_", "_blabla"):
        with pytest.raises(AttributeError, match=wrong):
            getattr(g, wrong)


def test_two_leaves_share_no_gradient() -> None:
    a, b = Tensor([1.0, 2.0], requires_grad=True), Tensor([1.0, 2.0], requires_grad=True)
    (a + b).sum().backward()
    a.grad.zero_()
    assert b.grad.tolist() == [1.0, 1.0]


def test_optimizers_take_no_notice_of_who_looked_at_a_gradient() -> None:
    def steps(look: bool) -> Any:
        x = Tensor([1.0, 2.0], requires_grad=True)
        optimizer = gw.optim.Adam([x], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (x * x).sum().backward()
            assert not look or x.grad.norm() > 0
            optimizer.step()
        return x.tolist(), optimizer.state_dict()

    (plain, state), (looked, other) = steps(False), steps(True)
    assert plain == looked
    assert str(state) == str(other)
    assert (
        "Gradient" not in str([type(v) for v in gw.transforms.tree_leaves(other)])
        if hasattr(gw.transforms, "tree_leaves")
        else True
    )


# --- where NumPy means something else -------------------------------------------------------------


def test_numpys_meaning_stays() -> None:
    x, a = Tensor(X), Tensor(X[0])
    np.testing.assert_array_equal(x.std(0).numpy(), X.std(0))
    np.testing.assert_array_equal(x.max(1).numpy(), X.max(1))
    np.testing.assert_array_equal(a.transpose(0, 1).numpy(), X[0])
    np.testing.assert_array_equal(a.repeat(2).numpy(), X[0].repeat(2))
    assert [p.shape for p in gw.split(a, 3)] == [p.shape for p in np.split(X[0], 3)]


def test_a_buffer_may_be_a_view() -> None:
    class Mask(nn.Module):
        def __init__(self) -> None:
            self.register_buffer("bias", gw.tril(gw.ones(3, 3)).view(1, 1, 3, 3))

    model = Mask()
    model.load_state_dict({"bias": np.zeros((1, 1, 3, 3))})
    assert not model.bias.any()
