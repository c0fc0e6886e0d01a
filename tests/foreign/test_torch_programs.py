"""What PyTorch programs do that is not plain arithmetic: correct here, or opaque and told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import gradwalk  # noqa: E402
from gradwalk.inspect import why  # noqa: E402

pytestmark = pytest.mark.peer

D = torch.float64
Program = Callable[[], Any]
SEEN: dict[str, Program] = {}
"""Programs that are seen into, by what they have."""
OPAQUE: dict[str, tuple[Program, set[str]]] = {}
"""Programs with operations that are not seen into, and which these are."""


def leaf(*shape: int) -> Any:
    return torch.randn(*shape, dtype=D, requires_grad=True)


def at(*numbers: float) -> Any:
    return torch.tensor(numbers, dtype=D, requires_grad=True)


def seen(f: Program) -> Program:
    SEEN[f.__name__] = f
    return f


def opaque(*names: str) -> Callable[[Program], Program]:
    def put(f: Program) -> Program:
        OPAQUE[f.__name__] = (f, {*names})
        return f

    return put


@seen
def powers_with_exponent_0() -> Any:
    x = at(0.0, 1.0)
    return (x**0).sum() + (x ** torch.tensor([0.0, 2.0], dtype=D)).sum()


@seen
def absolute_value_at_0() -> Any:
    return at(0.0, -1.0).abs().sum()


@seen
def hypot_and_atan2_at_0() -> Any:
    x, y = at(0.0, 0.0), at(0.0, 0.0)
    return torch.hypot(x, y).sum() + torch.atan2(x, y).sum()


@seen
def saturated_sigmoid_and_tanh() -> Any:
    x = torch.tensor([300.0, -2.0], requires_grad=True)
    return (torch.sigmoid(x) + torch.tanh(x)).log().sum()


@seen
def views_that_are_written() -> Any:
    x = leaf(3)
    h = x * 2
    h.add_(1)
    h.view(3)[1:].mul_(x[1:])
    return (h * h).sum()


@seen
def buffer_that_is_filled() -> Any:
    x, buffer = leaf(3), torch.zeros(5, dtype=D)
    for i in range(3):
        buffer[i + 1] = x[i] * 2
    buffer[1:3] += 1
    return (buffer * buffer).sum()


@seen
def gradient_penalty() -> Any:
    x, w = leaf(3), leaf(3)
    y = (w * x).sin().sum()
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    return (slope.norm() - 1) ** 2 + y


@seen
def functional_transforms() -> Any:
    x = leaf(4, 3)
    rows = torch.func.vmap(torch.func.grad(lambda a: (a**3).sum()))(x)
    return rows.sum() + torch.func.jacrev(torch.sin)(x[0]).sum()


@seen
def compiled_eagerly() -> Any:
    return torch.compile(lambda a: torch.sin(a) * 2, backend="eager")(leaf(3)).sum()


@seen
def checkpoint() -> Any:
    from torch.utils.checkpoint import checkpoint as run

    w = leaf(3, 3)
    return run(lambda a: torch.tanh(a @ w), leaf(2, 3), use_reentrant=False).sum()


@seen
def several_passes() -> Any:
    w = leaf(3)
    (w * 2).sum().backward()
    return (w**2).sum()


@seen
def steps_of_an_optimizer() -> Any:
    model = torch.nn.Linear(3, 1).double()
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.randn(4, 3, dtype=D)
    for _ in range(2):
        optimizer.zero_grad()
        model(x).pow(2).mean().backward()
        optimizer.step()
    optimizer.zero_grad()
    return model(x).pow(2).mean()


@seen
def gradient_that_was_there() -> Any:
    w = leaf(3)
    w.grad = torch.ones(3, dtype=D)
    return (w**2).sum()


@seen
def autocast() -> Any:
    model, x = torch.nn.Linear(4, 4), torch.randn(2, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = model(x).relu()
    return y.float().sum()


@seen
def relu_in_place() -> Any:
    layers = [torch.nn.Linear(3, 4), torch.nn.ReLU(inplace=True), torch.nn.Linear(4, 1)]
    return torch.nn.Sequential(*layers).double()(leaf(2, 3)).sum()


@seen
def rows_and_halves() -> Any:
    x = leaf(3, 2)
    a, b, c = x.unbind(0)
    left, _ = torch.chunk(x.T, 2)
    return (a * b + c).sum() + left.pow(2).sum()


@seen
def named_results_with_ties() -> Any:
    x = at(2.0, 1.0, 2.0)
    found = torch.max(x.reshape(1, 3), dim=1)
    return found.values.sum() + torch.topk(x, 2).values.sum() + torch.sort(x).values[0]


@opaque("complex", "_conj", "clone", "mul", "view_as_real", "abs")
def complex_numbers() -> Any:
    x = leaf(4)
    z = torch.complex(x, x * 2)
    return (z * z.conj()).real.sum() + z.abs().sum()


@opaque("hook")
def hook_of_an_inner_value() -> Any:
    h = leaf(3) * 2
    h.register_hook(lambda t: t * 0.5)
    return (h * h).sum()


@opaque("hook")
def hook_of_a_leaf() -> Any:
    x = leaf(3)
    x.register_hook(lambda t: t * 0.5)
    return (x * x).sum()


@opaque("data_write")
def numbers_written_past_the_graph() -> Any:
    h = leaf(3) * 2
    h.data.mul_(3)
    return (h * h).sum()


@opaque("CheckpointFunction")
def reentrant_checkpoint() -> Any:
    from torch.utils.checkpoint import checkpoint as run

    w = leaf(3, 3)
    return run(lambda a: torch.tanh(a @ w), leaf(2, 3), use_reentrant=True).sum()


@seen
def running_maximum_with_ties() -> Any:
    return (torch.cummax(at(1.0, 2.0, 2.0, 1.0), 0)[0] * torch.arange(4, dtype=D)).sum()


@seen
def eigenvectors() -> Any:
    a = leaf(3, 3)
    values, vectors = torch.linalg.eigh(a @ a.T)
    return values.sum() + vectors.abs().sum()


class _Square(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, x: Any) -> Any:
        context.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(context: Any, t: Any) -> Any:
        (x,) = context.saved_tensors
        return 2 * x * t


class _Reversed(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, x: Any) -> Any:
        return x.view_as(x)

    @staticmethod
    def backward(context: Any, t: Any) -> Any:
        return -t


class _Both(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, x: Any, y: Any) -> Any:
        context.save_for_backward(x, y)
        return x * y, x + y

    @staticmethod
    def backward(context: Any, t: Any, u: Any) -> Any:
        x, y = context.saved_tensors
        return t * y + u, t * x + u


@opaque("_Square")
def function_of_the_user() -> Any:
    x = leaf(3)
    return (_Square.apply(x * 2) * x).sum()


@opaque("_Reversed")
def function_that_returns_its_operand() -> Any:
    h = leaf(3) * 2
    return (_Reversed.apply(h) * 3).sum() + (h * h).sum()


@opaque("_Both")
def function_with_two_results() -> Any:
    a, b = _Both.apply(leaf(3), leaf(3))
    return (a * b).sum()


@opaque("_sparse_coo_tensor_with_dims_and_tensors", "_sparse_addmm")
def sparse_matrix() -> Any:
    places = torch.tensor([[0, 1], [1, 0]])
    return torch.sparse.mm(torch.sparse_coo_tensor(places, leaf(2), (2, 2)), leaf(2, 2)).sum()


def adopted(program: Program) -> Any:
    torch.manual_seed(0)
    with gradwalk.adopt() as run:
        program().backward()
    return run


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SEEN)
def test_a_program_that_is_seen_into_agrees_with_pytorch(name: str) -> None:
    run = adopted(SEEN[name])
    assert not run.agreement.differences, run.agreement
    assert run.agreement.gradients
    assert not run.opaque
    assert not run.notes


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPAQUE)
def test_an_opaque_operation_is_told_and_agrees(name: str) -> None:
    program, names = OPAQUE[name]
    run = adopted(program)
    assert run.opaque.keys() == names
    assert not run.agreement.differences, run.agreement
    assert run.agreement.gradients


def test_a_write_into_a_leaf_that_pytorch_does_not_see_is_told() -> None:
    def program() -> Any:
        x = at(1.0, 2.0)
        y = (x * x).sum()
        x.data.add_(1)  # PyTorch multiplies by the new numbers
        return y + (x**3).sum()

    run = adopted(program)
    (told,) = run.agreement.differences
    assert told.startswith("the gradient of x differs by 0.0")


def test_values_and_parameters_have_the_names_of_the_program() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    scale = torch.ones(2, requires_grad=True)
    with gradwalk.adopt() as run:
        hidden = model[0](torch.ones(1, 2) * scale)
        loss = model[1](hidden).sum()
        loss.backward()
    names = {"scale", *(f"model.{name}" for name, _ in model.named_parameters())}
    assert run.leaves.keys() == names
    assert run.twin(hidden).label == "hidden"
    assert run.result.label == "loss"
    assert run.twin(torch.ones(1)) is None


@pytest.mark.parametrize(
    ("program", "op", "number"),
    [
        (lambda: torch.log(at(0.0, 1.0)).sum(), "log", (0.0,)),
        (lambda: torch.sqrt(at(0.0, 1.0)).sum(), "sqrt", (0.0,)),
        (lambda: (at(1.0) / at(0.0)).sum(), "div", (1.0, 0.0)),
        (lambda: torch.acos(at(1.0)).sum(), "acos", (1.0,)),
    ],
)
def test_a_loss_that_was_not_recorded_is_explained_by_its_graph(
    program: Program, op: str, number: tuple[float, ...]
) -> None:
    cause = why(program())
    assert (cause.op, cause.args) == (op, number)
    assert "no lines" in cause.line


def test_what_a_freed_graph_cannot_tell_is_said() -> None:
    loss = torch.sqrt(at(0.0)).sum()
    loss.backward()
    assert "PyTorch has freed the numbers" in str(why(loss))
    assert not why((at(1.0) * 2).sum())
