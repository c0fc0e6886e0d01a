"""Habits of NumPy's, PyTorch's and Matplotlib's users: what came, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk
from gradwalk import Tensor, Value, grad, nn, vmap
from gradwalk.errors import GradwalkError

T = Tensor([1.0, 2.0, 3.0], requires_grad=True)
BOX = Tensor(np.ones((2, 3, 4)), requires_grad=True)
LOGITS = Tensor(np.ones((2, 3)), requires_grad=True)


def add_to_array() -> None:
    array = np.ones(3)
    array += T


MESSAGES: list[tuple[Callable[[], Any], str, Callable[[], Any]]] = [
    (
        lambda: np.from_dlpack(T),
        "from_dlpack(t): expected plain numbers, got Tensor([1., 2., 3.], requires_grad=True), "
        "whose gradient would be lost silently. Write from_dlpack(t.detach()) for the numbers, a "
        "function of gradwalk to differentiate.",
        lambda: np.from_dlpack(T.detach()),
    ),
    (
        lambda: vmap(lambda x: np.array([x[0], x[1]]))(np.ones((3, 2))),
        "inside vmap: np.array, or a function of NumPy on a list: expected a computation that "
        "takes the same steps for all examples, got a conversion of one example to a plain array. "
        "Write gradwalk.stack([a, b]) for np.array([a, b]) or a list of numbers, "
        "gradwalk.where(condition, a, b) for a choice between two results.",
        lambda: vmap(lambda x: gradwalk.stack([x[0], x[1]]))(np.ones((3, 2))),
    ),
    (
        add_to_array,
        "numpy.add(out=...): expected a new Tensor for the result, got out=tuple (array([1., 1., "
        "1.]),). Write y = f(x) instead of f(x, out=y), and a = a + t instead of a += t.",
        lambda: np.ones(3) + T,
    ),
    (
        lambda: np.full((2,), T[0]),
        "full of NumPy: expected plain numbers, got Tensor(1., requires_grad=True), whose gradient "
        "would be lost silently. Write gradwalk.full(shape, x), t.numpy() for the plain numbers.",
        lambda: gradwalk.full((2,), T[0]),
    ),
    (
        lambda: np.full_like(np.ones(2), T[0]),
        "numpy.copyto: expected plain arrays, because gradwalk does not implement this "
        "function, got a Tensor. Write gradwalk.full_like(a, x).",
        lambda: gradwalk.full_like(np.ones(2), T[0]),
    ),
    (
        lambda: np.copyto(np.ones(3), T),
        "numpy.copyto: expected plain arrays, because gradwalk does not implement this "
        "function, got a Tensor. "
        "Write a = gradwalk.asarray(a) first: Tensors record a[key] = x and a += x.",
        lambda: gradwalk.asarray(np.ones(3)).__setitem__(slice(None), T),
    ),
    (
        lambda: BOX.transpose((1, 2)),
        "transpose(axes), or permute_dims(axes): expected all 3 axes in their new order, got tuple "
        "(1, 2). Write swapaxes(x, 1, 2) to exchange two axes.",
        lambda: gradwalk.swapaxes(BOX, 1, 2),
    ),
    (
        lambda: gradwalk.exp([1.0, 2.0]),
        "exp(x): expected a number, an array, a Value or a Tensor, got list [1.0, 2.0]. Write "
        "gradwalk.stack(xs) for a list xs of numbers or Values.",
        lambda: gradwalk.exp(gradwalk.stack([1.0, 2.0])),
    ),
    (
        lambda: gradwalk.maximum(Value(1.0), [2.0]),
        "maximum(b): expected a number, an array, a Value or a Tensor, got list [2.0]. Write "
        "gradwalk.stack(xs) for a list xs of numbers or Values.",
        lambda: gradwalk.maximum(Value(1.0), gradwalk.stack([2.0])),
    ),
    (
        lambda: gradwalk.exp(),
        "exp(x): expected these arguments, got none. Write gradwalk.exp(x).",
        lambda: gradwalk.exp(1.0),
    ),
    (
        lambda: gradwalk.exp(np.array(["1"])),
        "exp(x): expected real numbers, integers or bools, got text: ndarray array(['1'], "
        "dtype='<U1'). Convert them to numbers first.",
        lambda: gradwalk.exp(np.array(["1"]).astype(float)),
    ),
    (
        lambda: gradwalk.maximum(np.ones(2), np.ones(3)),
        "maximum(a, b): expected shapes that agree from the right, or are 1 there, got (2,) and "
        "(3,). Reshape one of them, or add an axis: x[:, None].",
        lambda: gradwalk.maximum(np.ones(2)[:, None], np.ones(3)),
    ),
    (
        lambda: Tensor(2, 3),  # type: ignore[arg-type]
        "Tensor(dtype): expected float64, float32, float16, an integer dtype or bool, got int 3. "
        "Write Tensor([2, 3]) for several numbers, gradwalk.zeros((2, 3)) for a shape.",
        lambda: (Tensor([2, 3]), gradwalk.zeros((2, 3))),
    ),
    (
        lambda: nn.functional.cross_entropy(LOGITS, np.array([0.0, 1.0])),
        "cross_entropy(target): expected integers for classes, or probabilities of shape (2, 3), "
        "got dtype float64 of shape (2,). Write targets.astype(int) for classes.",
        lambda: nn.functional.cross_entropy(LOGITS, np.array([0.0, 1.0]).astype(int)),
    ),
]


@pytest.mark.parametrize(("habit", "message", "instead"), MESSAGES)
def test_messages_say_what_to_write_which_works(
    habit: Callable[[], Any], message: str, instead: Callable[[], Any]
) -> None:
    with pytest.raises(GradwalkError) as caught:
        habit()
    assert str(caught.value) == message
    instead()


def test_lists_of_floats_are_no_classes_either() -> None:
    with pytest.raises(GradwalkError, match=r"Write targets\.astype\(int\)"):
        nn.functional.cross_entropy(LOGITS, [0.0, 1.0])


@pytest.mark.parametrize("keep", [gradwalk.full, gradwalk.full_like])
@pytest.mark.parametrize("x", [2.0, np.array(2.0), np.float32(2.0)])
def test_filling_keeps_the_gradient(keep: Any, x: Any) -> None:
    like = (3,) if keep is gradwalk.full else np.ones(3)
    assert grad(lambda x: (keep(like, x) ** 2).sum())(x) == 12.0
    with pytest.raises(GradwalkError, match="device"):
        grad(lambda x: keep(like, x, device="cuda").sum())(x)


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (lambda v, array: gradwalk.maximum(v, array), 1.0),
        (lambda v, array: gradwalk.where(array > 2.0, v, array), 1.0),
        (lambda v, array: v * array, 4.0),
        (lambda v, array: array * v, 4.0),
        (lambda v, array: np.multiply(array, v), 4.0),
    ],
)
def test_numbers_meet_arrays_which_may_change_afterwards(f: Any, slope: float) -> None:
    def program(v: Any) -> Any:
        array = np.array([1.0, 3.0])
        y = f(v, array)
        array[:] = 7.0  # the graph keeps a copy
        return y.sum()

    v = Value(2.0)
    program(v).backward()
    assert v.grad == slope
    assert grad(program)(2.0) == slope
    assert grad(lambda x: x * grad(program)(x))(2.0) == slope


def test_bounds_of_clip_may_be_arrays() -> None:
    v, array = Value(2.0), np.array([1.0, 3.0])
    assert isinstance(gradwalk.clip(v, array, 5.0), Tensor)


# --- pictures -------------------------------------------------------------------------------------


def test_tensors_are_drawn_like_arrays() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    plain = Tensor([1.0, 2.0, 3.0])
    for draw in (pyplot.plot, pyplot.hist, lambda t: pyplot.scatter(t, t)):
        draw(plain * 2.0)
        draw(T.detach())
        pyplot.gcf().canvas.draw()
    for draw in (pyplot.plot, pyplot.hist, lambda t: pyplot.scatter(t, t)):
        with pytest.raises(GradwalkError, match=r"of Matplotlib: .*Pass t\.numpy\(\): the numbers"):
            draw(T * 2.0)
    pyplot.close("all")
