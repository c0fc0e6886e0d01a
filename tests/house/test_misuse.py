"""What users of PyTorch, micrograd, Keras and NumPy type: every mistake is explained truly.

Each line is a wrong call, a part of the message, and the repaired call where the message gives it:
that call must run, and its text must be in the message.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
import gradwalk.check
import gradwalk.nn.serialization
import gradwalk.training
from gradwalk import Tensor, Value, data, nn, optim
from gradwalk.core.calls import arity, takes
from gradwalk.errors import GradwalkError, SilentDetachError, UsageError

MISUSES: list[tuple[str, str, str]] = [
    # Values
    ("gw.exp()", "exp(x): expected these arguments, got none", "gradwalk.exp(x)"),
    ("gw.exp(x, out=x)", "got 1 by position, out=...", "gradwalk.exp(x)"),
    ("gw.where(x > 0.0)", "got 1 by position", "gradwalk.where(condition, a, b)"),
    ("gw.gradients([v], w)", "gradients(y=...): expected a Value", "gradients(sum(ys), wrt)"),
    ("gw.gradients(v * v, [[v]])", "gradients(wrt=...)", "gradients(y, [a, b])"),
    ("v._backward()", "rules belong to operations", "v.backward()"),
    # Tensors
    ("subclass()", "(Tensor): expected no subclass", "self.tensor = Tensor(data)"),
    ("t[1.5]", "expected integers, slices", ""),
    ("list(Tensor(3.0))", "expected a Tensor with axes", ""),
    ("gw.concat(x, x)", "concat(axis): expected an axis", "concat([a, b])"),
    ("gw.concat(x, a)", "concat(axis): expected an axis", ""),
    ("gw.sum(t, axis=a)", "sum(axis)", ""),
    ("gw.einsum(x, x)", "expected an equation, and the arrays", 'einsum("ij,jk->ik", a, b)'),
    ("gw.zeros(a)", "zeros(shape)", ""),
    ("gw.eye(3, k=a)", "eye(k)", ""),
    ("range(t)", "expected an integer", ""),
    ("gw.stack(x, x)", "stack(axis): expected an axis", "stack([a, b])"),
    ("gw.linalg.norm(x, ord='nucc')", "norm(ord): expected 'fro', 'nuc'", "ord='nuc'"),
    ("gw.linalg.norm([1.0, 2.0], ord='nuc')", "a number for vectors", ""),
    ("gw.linalg.norm(ord='nucc')", "got no 'x'", "norm(x, ord='nucc')"),
    ("gw.gradients(v, v * v)", "gradients(y, wrt): expected the result first",
     "gradients(wrt, y)"),
    ("gw.gradients(p, (p * p).sum())", "gradients(y, wrt): expected the result first",
     "gradients(wrt, y)"),
    ("gw.odeint(1.0, f, [0.0, 1.0])", "odeint(func): expected a function", "odeint(f, y0, t)"),
    ("gw.exp('a')", "exp(x): expected a real number", ""),
    ("gw.hypot(v, 'a')", "hypot(b): expected a real number", ""),
    ("gw.add(t, np.ones(2))", "add(a, b): expected shapes that agree", ""),
    ("gw.concat(tensors=[x])", "got tensors=", "arrays= instead of tensors="),
    ("gw.linspace(0.0, 1.0, steps=3)", "got steps=3", "num= instead of steps="),
    # modules
    ("nn.BatchNorm1d(3)(Tensor(np.ones((2, 4))))",
     "calling BatchNorm1d(x): expected 3 channels on axis 1, got shape (2, 4)", "BatchNorm1d(4)"),
    ("nn.Conv2d(3, 8, 3)(Tensor(np.ones((1, 1, 8, 8))))",
     "calling Conv2d(x): expected 3 channels on axis 1", "in_channels=1"),
    ("nn.Conv2d(1, 8, 3)(Tensor(np.ones((8, 8))))", "calling Conv2d(x): expected", "x[None]"),
    ("nn.Conv2d(1, 2, 3, padding_mode='reflect')",
     "got padding_mode='reflect'", "Conv2d(in_channels, out_channels, kernel_size)"),
    ("nn.Embedding(4, 2)(Tensor([1.0, 2.0]))",
     "calling Embedding(x): expected integers between 0 and 3", "x.astype(int)"),
    ("nn.Sequential(nn.Linear(2, 3), nn.Linear(4, 1))(x)",
     "calling Sequential(x), in Linear(x): expected a last axis of 4 features", ""),
    ("nn.ConvTranspose2d('a', 2, 3)", "ConvTranspose2d(in_channels): expected an integer", ""),
    ("nn.cross_entropy([0, 1], [[2.0, 0.0], [0.0, 3.0]])",
     "cross_entropy(logits): expected a list with a row", "cross_entropy(rows, targets)"),
    ("nn.cross_entropy(Tensor([0, 1]), x)",
     "cross_entropy(targets): expected the shape", "cross_entropy(logits, targets)"),
    ("nn.cross_entropy('ab', [0, 1])", "cross_entropy(logits): expected a list", ""),
    ("gw.fit(model, 'mse')", "got no 'optimizer'",
     "fit(model, loss, optimizer, train_data, epochs=epochs)"),
    ("gw.fit(model, nn.functional.mse_loss, optim.SGD(model.parameters(), lr=0.1), (x, x), "
     "epochs=1, scheduler=optim.CosineAnnealingLR)",
     "fit(scheduler): expected a scheduler", "Pass CosineAnnealingLR(optimizer, ...)."),
    ("gw.curve_fit(lambda x, a, b, c: a + b * x + c, [0.0, 1.0, 2.0], [1.0, 2.0, 3.0], p0=[1.0])",
     "curve_fit(p0): expected a start for each of a, b, c", "p0=[1.0, 1.0, 1.0]"),
    ("__import__('math').exp(Tensor([1.0, 2.0]))", "expected a Tensor of one number", "np.exp(t)"),
    ("gw.jacobian(np.sin, mode='backward')", 'jacobian(mode=...): expected "forward" or "fwd"', ""),
    ("optim.Adam(learning_rate=0.1)", "got learning_rate=0.1", "Adam(params, lr=0.1)"),
    ('model.to("gpu")', 'expected "cpu", "numpy", "cuda"', ""),
    ('model.to("int8")', "expected float64, float32 or float16", ""),
    ("nn.Linear(2, 1)(input=x)",
     "calling Linear: expected the arguments (x), got input=", "x= instead of input="),
    ("nn.Linear(2, 1)(x, x)", "too many positional arguments", "model(x)"),
    ("model()", "got no 'x'", "model(x)"),
    ("nn.Linear(2)", "got no 'out_features'", ""),
    ("nn.Linear(2, 1, activation='relu')",
     "bias=True, seed=None, dtype=None), got activation=", ""),
    ("nn.Linear(units=3)", "Linear: expected the arguments (in_features, out_features", ""),
    ("nn.Conv2d(1, 2, kernel=3)", "Conv2d: expected the arguments (in_channels", ""),
    ("nn.BatchNorm1d(2, axis=1)", "BatchNorm1d: expected the arguments (num_features", ""),
    ("nn.MSELoss(reduce='sum')",
     "MSELoss: expected the arguments (reduction='mean'), got reduce=",
     "reduction= instead of reduce="),
    ("nn.MSELoss()(x)",
     "calling MSELoss: expected the arguments (input, target), got no 'target'", ""),
    ("nn.Dropout(rate=0.5)", "Dropout: expected the arguments (p=0.5", ""),
    ("nn.MLP([2, 4, 1])", "MLP: expected the arguments (n_in, sizes", ""),
    ("nn.MLP(2, [4, 1])(1.0, 2.0)", "calling MLP", "model(x)"),
    ("setattr(nn.Linear(2, 1), 'weight', 3.0)", "Linear.weight: expected a Tensor", ""),
    ("setattr(nn.Linear(2, 1), 'weight', np.ones((1, 2)))", "this is a parameter", ""),
    ("model.register_parameter('a', 3)",
     "Linear.register_parameter(parameter): expected a Tensor", ""),
    ("model.train(x)", "train(mode): expected True or False", ""),
    ("model.train('yes')", "train(mode): expected True or False", "model.train()"),
    ("model.apply(3)", "Linear.apply(fn): expected a function", ""),
    ("nn.ModuleList(nn.ReLU())", "expected a list of Modules", ""),
    ("nn.ModuleDict([nn.ReLU()])", "expected a dict of Modules", ""),
    ("nn.LSTM(2, 3)(Tensor(np.zeros((4, 1, 2))), 5)", "LSTM(state)", ""),
    ("nn.functional.linear(x, 3)", "linear: expected x (..., in), weight (out, in)", ""),
    ("nn.init.normal_(3)", "normal_(weights): expected a Tensor, or lists of Values", ""),
    ("nn.init.xavier_uniform_(nn.Linear(2, 1))", "Pass layer.weight of a Linear", ""),
    ("nn.init.uniform_(model.weight, 'a', 1)", "uniform_(a): expected a real number", ""),
    ("nn.init.normal_(model.weight, 0, -1)", "normal_(std): expected a number >= 0", ""),
    ("nn.init.constant_(model.weight, 'a')", "constant_(val): expected a real number", ""),
    # losses
    ("nn.cross_entropy(x, None)", "cross_entropy(targets): expected a Tensor, an array", ""),
    ("nn.cross_entropy(x, [[0], [0, 1]])", "nested lists of them with equal lengths", ""),
    # optimizers
    ("optim.SGD(model.parameters(), learning_rate=0.1)",
     "SGD: expected the arguments (params, lr=", ""),
    ("optim.SGD(lr=0.1)", "got no 'params'", "SGD(params, lr=0.1)"),
    ("optim.SGD(model.parameters(), lr=-1)",
     "expected a finite number >= 0, got float -1.0", "lr=0.001"),
    ("optim.Adam(model.parameters(), betas=(0.9, 2))", "Leave it out for betas=(0.9, 0.999)", ""),
    ("setattr(sgd, 'lr', 0.1)",
     "an attribute would change nothing", 'optimizer.param_groups[0]["lr"] = value'),
    ("sgd.step(3)", "SGD.step(closure): expected a function", ""),
    ("sgd.add_param_group(3)",
     "expected a dict with params", 'add_param_group({"params": model.parameters()})'),
    ("sgd.load_state_dict(adam.state_dict())", "groups with the options betas, eps", ""),
    ("sgd.load_state_dict({'lr': 1})", "got dict {'lr': 1}", ""),
    ("optim.SequentialLR(sgd, optim.StepLR(sgd, 1), 3)", "expected a list of schedulers", ""),
    ("optim.StepLR(sgd, a)", "StepLR(step_size=...)", ""),
    # transforms
    ("gw.grad(f(2.0))", "grad(f): expected a function", "grad(f)(x)"),
    ("gw.hessian(f, np.ones(2))", "hessian(argnums=...): expected the position", "hessian(f)(x)"),
    ("gw.jacobian(f, np.ones(2))",
     "jacobian(argnums=...): expected the position", "jacobian(f)(x)"),
    ("gw.grad(f, 'x')", "grad(argnums=...)", "grad(f)(x)"),
    ("gw.grad(f, True)", "grad(argnums=...)", "grad(f)(x)"),
    ("gw.jvp(3, (x,), (x,))", "jvp(f): expected a function", "jvp(f, (x,), (tangent,))"),
    ("gw.vjp(3, x)", "vjp(f): expected a function", "vjp(f, x)"),
    ("gw.taylor(3, 1.0, 2)", "taylor(f): expected a function", "taylor(f, x, 3)"),
    ("gw.linearize(3, 1.0)", "linearize(f)", "linearize(f, x)"),
    ("gw.minimize(3, 1.0)", "minimize(f): expected a function", "minimize(f, x)"),
    ("gw.fixed_point(3, 1.0)", "fixed_point(f)", "fixed_point(f, x)"),
    ("gw.fixed_point(f, 'a')", "fixed_point(x0): expected a number", ""),
    ("gw.while_loop(3, f, 1.0)", "while_loop(cond): expected a function", "while_loop(f, body, x)"),
    ("gw.while_loop(lambda x: None, f, 1.0)", "the result of cond: expected True or False", ""),
    ("gw.while_loop(lambda x: 'no', f, 1.0)", "the result of cond: expected True or False", ""),
    ("gw.checkpoint_chain(3, 1.0)", "checkpoint_chain(functions)", "checkpoint_chain([f], x)"),
    ("gw.check_grads(3, (1.0,))", "check_grads(f)", "check_grads(f, (x,))"),
    ("gw.check.check_gradients(3, [1.0])", "check_gradients(f)", "check_gradients(f, [x])"),
    ("gw.custom_rule(f, vjp=lambda t: t)",
     "custom_rule(vjp=...): expected a function of t, the result", "vjp=lambda t, y, x:"),
    ("gw.custom_rule(f, jvp=lambda t, y: t)", "custom_rule(jvp=...)", "jvp=lambda t, y, x:"),
    ("gw.custom_rule(lambda a, b: a, vjp=lambda t, y, a: t)", "(t, y, x0, x1)", ""),
    ("gw.implicit_function(residual, solve)",
     "a solve of 2 arguments, and a residual of 1", "implicit_function(solve, residual)"),
    ("gw.implicit_function(solve, lambda x: x)",
     "expected a residual of x and all arguments of solve", ""),
    ("gw.pointwise('half', lambda t: t, forward=f)", "rules of (t, y, x)", ""),
    ("gw.pointwise('half', 0.5, forward=f)", "rules of (t, y, x)", ""),
    # training, searching, data
    ("gw.minimize(f, 1.0, constraints=3)", 'expected dictionaries {"type"', ""),
    ("gw.minimize(f, 1.0, callback=3)", "minimize(callback=...): expected a function", ""),
    ("gw.training.evaluate(model, x)", "evaluate(problem): expected a Problem", ""),
    ("gw.vmap(lambda x: 'a')(a)", "vmap: the result: expected numbers", ""),
    ("gw.vmap(lambda x: [str(x)])(a)", "vmap: the result: expected numbers", ""),
    ("fit(3)", "fit(model): expected a Module", ""),
    ('fit(model, "mse")', "fit(loss): expected a function", "nn.mse"),
    ('fit(model, mse, "sgd")', "fit(optimizer): expected an optimizer", "optim.SGD(model.param"),
    ("fit(model, mse, optim.SGD)", "fit(optimizer): expected an optimizer", "optim.SGD(model.par"),
    ("fit(model, mse, sgd, scheduler=3)", "fit(scheduler)", "optim.StepLR(optimizer, 10)"),
    ("fit(model, mse, sgd, callbacks=3)", "fit(callbacks): expected functions", ""),
    ("fit(model, mse, sgd, callbacks=[3])", "fit(callbacks): expected functions", ""),
    ("fit(model, lambda y, t: 3.0)", "fit(loss): expected a loss that results in", ""),
    ("fit(model, rows=0)", "fit(train_data): expected at least one batch, got 0 rows", ""),
    ("fit(model, rows=data.DataLoader(rows, 4, drop_last=True))", "got 3 rows, and drop_last", ""),
    ("fit(model, validation=rows[:0])", "fit(validation): expected at least one batch", ""),
    ("fit(model, early_stopping=(3, 'a'))", "fit(early_stopping): expected a real number", ""),
    ("fit(model, checkpoint=3)", "expected a text, or a pathlib.Path, got int 3", ""),
    ("fit(model, checkpoint=b'a')", "expected a text, or a pathlib.Path, got bytes", ""),
    ("nn.serialization.save(model, 3)", "expected a text, or a pathlib.Path, got int 3", ""),
    ("gw.training.accuracy(model, a)", "accuracy(output): expected numbers", ""),
    ("step_with(lr='a')", "an option in param_groups: expected a real number", ""),
    ("gw.register_pytree(dict, f, f)", "expected a class of yours", ""),
    ("data.DataLoader(a, a)", "DataLoader(batch_size): expected an integer >= 1", ""),
    ("rows[100]", "TensorDataset[index]: expected integers from -3 to 2, got int 100", ""),
    ("rows['a']", "TensorDataset[index]: expected integers", ""),
    ("data.Subset(rows, 3)", "Subset(indices): expected integers from -3 to 2", ""),
    ("data.Subset(rows, [0, 9])", "Subset(indices): expected integers from -3 to 2, got int 9", ""),
    ("data.Subset(3, [0])", "Subset(dataset): expected a tuple of arrays", ""),
    ("data.random_split(rows, 2)", "random_split(lengths): expected numbers of rows", ""),
]  # fmt: skip


def names() -> dict[str, Any]:
    """Return what the calls refer to."""

    def subclass() -> None:
        class Mine(Tensor):
            pass

    model = nn.Linear(2, 2, seed=0)

    def fit(
        model: Any, loss: Any = nn.mse, optimizer: Any = None, rows: Any = 3, **options: Any
    ) -> object:
        if isinstance(rows, int):
            rows = data.TensorDataset(np.ones((rows, 2)), np.ones((rows, 2)))
        return gw.fit(model, loss, optimizer or known["sgd"], rows, epochs=1, **options)

    def step_with(**options: Any) -> None:
        known["sgd"].param_groups[0].update(options)
        model(known["x"]).sum().backward()
        known["sgd"].step()

    known: dict[str, Any] = {
        "gw": gw,
        "np": np,
        "nn": nn,
        "optim": optim,
        "data": data,
        "Tensor": Tensor,
    }
    known |= {"v": Value(2.0), "w": Value(3.0), "ys": [Value(1.0)], "wrt": Value(1.0)}
    known |= {"t": Tensor([1.0, 2.0, 3.0]), "x": Tensor([[1.0, 2.0], [3.0, 4.0]]), "a": np.ones(3)}
    known |= {"model": model, "sgd": optim.SGD(model.parameters(), lr=0.1), "subclass": subclass}
    known |= {"adam": optim.Adam(model.parameters()), "f": lambda x: x * x, "value": 0.5}
    known["p"] = Tensor([1.0, 2.0], requires_grad=True)
    known |= {"fit": fit, "step_with": step_with, "mse": nn.mse}
    known |= {"residual": lambda y, a: y * y - a, "solve": lambda a: a**0.5}
    return known | {"rows": data.TensorDataset(np.ones((3, 2)), np.ones(3))}


def test_the_table_is_large() -> None:
    assert len(MISUSES) > 90


@pytest.mark.parametrize(
    ("call", "fragment", "repair"), MISUSES, ids=[call for call, *_ in MISUSES]
)
def test_a_mistake_is_explained(call: str, fragment: str, repair: str) -> None:
    with pytest.raises(GradwalkError) as refusal:
        eval(call, names())
    error = refusal.value
    assert all(vars(error)[part] for part in ("where", "expected", "got", "fix"))
    assert fragment in str(error)
    assert repair in error.fix


REPAIRS: dict[str, str] = {
    "gradwalk.exp(x)": "gw.exp(x)",
    "gradwalk.where(condition, a, b)": "gw.where(x > 0.0, x, x)",
    "gradients(sum(ys), wrt)": "gw.gradients(sum(ys), wrt)",
    "v.backward()": "v.backward()",
    "model(x)": "model(x)",
    "reduction= instead of reduce=": "nn.MSELoss(reduction='sum')",
    "x= instead of input=": "nn.Linear(2, 1)(x=x)",
    "stack([a, b])": "gw.stack([x, x])",
    "concat([a, b])": "gw.concat([x, x])",
    "arrays= instead of tensors=": "gw.concat(arrays=[x])",
    "num= instead of steps=": "gw.linspace(0.0, 1.0, num=3)",
    "ord='nuc'": "gw.linalg.norm(x, ord='nuc')",
    "gradients(wrt, y)": "gw.gradients(v * v, v)",
    "odeint(f, y0, t)": "gw.odeint(lambda t, y: -y, [1.0], [0.0, 1.0])",
    "BatchNorm1d(4)": "nn.BatchNorm1d(4)(Tensor(np.ones((2, 4))))",
    "in_channels=1": "nn.Conv2d(1, 8, 3)(Tensor(np.ones((1, 1, 8, 8))))",
    "x[None]": "nn.Conv2d(1, 8, 3)(Tensor(np.ones((8, 8)))[None])",
    "Conv2d(in_channels, out_channels, kernel_size)": "nn.Conv2d(1, 2, 3)",
    "x.astype(int)": "nn.Embedding(4, 2)(Tensor([1.0, 2.0]).astype(int))",
    "cross_entropy(rows, targets)": "nn.cross_entropy([[2.0, 0.0], [0.0, 3.0]], [0, 1])",
    "cross_entropy(logits, targets)": "nn.cross_entropy(x, Tensor([0, 1]))",
    "Adam(params, lr=0.1)": "optim.Adam(model.parameters(), lr=0.1)",
    "SGD(params, lr=0.1)": "optim.SGD(model.parameters(), lr=0.1)",
    "model.train()": "model.train()",
    'optimizer.param_groups[0]["lr"] = value': "sgd.param_groups[0].update(lr=value)",
    "grad(f)(x)": "gw.grad(f)(2.0)",
    "hessian(f)(x)": "gw.hessian(lambda x: (x * x).sum())(np.ones(2))",
    "jacobian(f)(x)": "gw.jacobian(f)(np.ones(2))",
    "jvp(f, (x,), (tangent,))": "gw.jvp(f, (2.0,), (1.0,))",
    "vjp(f, x)": "gw.vjp(f, 2.0)",
    "taylor(f, x, 3)": "gw.taylor(f, 2.0, 3)",
    "linearize(f, x)": "gw.linearize(f, 2.0)",
    "minimize(f, x)": "gw.minimize(f, 2.0)",
    "fixed_point(f, x)": "gw.fixed_point(lambda x: 0.5 * x, 2.0)",
    "while_loop(f, body, x)": "gw.while_loop(lambda x: x < 3.0, lambda x: x + 1.0, 0.0)",
    "checkpoint_chain([f], x)": "gw.checkpoint_chain([f], 2.0)",
    "check_grads(f, (x,))": "gw.check_grads(f, (2.0,))",
    "check_gradients(f, [x])": "gw.check.check_gradients(f, [2.0])",
    "vjp=lambda t, y, x:": "gw.grad(gw.custom_rule(f, vjp=lambda t, y, x: 2.0 * t * x))(1.0)",
    "implicit_function(solve, residual)": "gw.grad(gw.implicit_function(solve, residual))(4.0)",
}


@pytest.mark.parametrize("repair", REPAIRS)
def test_the_repair_works(repair: str) -> None:
    assert any(repair in fix for *_, fix in MISUSES)
    eval(REPAIRS[repair], names())


CLASSES = {n: getattr(nn, n) for n in nn.__all__ if isinstance(getattr(nn, n), type)}
MODULES = [
    name
    for name, cls in CLASSES.items()
    if issubclass(cls, nn.Module) and cls.__init__ is not object.__init__ and name != "Identity"
]
"""Modules with options. Identity takes all, as PyTorch's does."""


@pytest.mark.parametrize("name", MODULES)
def test_unknown_options_name_the_class_that_was_called(name: str) -> None:
    with pytest.raises(UsageError) as refusal:
        getattr(nn, name)(nonsense=1)
    assert refusal.value.where == getattr(nn, name).__name__
    assert refusal.value.got == "nonsense=1"


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_unknown_options_of_optimizers(name: str) -> None:
    with pytest.raises(UsageError, match=rf"{name}: expected the arguments \(params, .*nonsense="):
        getattr(optim, name)([Value(1.0)], nonsense=1)


def test_an_index_that_would_lose_a_gradient_says_so() -> None:
    with pytest.raises(SilentDetachError):
        gw.sort([1.0], axis=Tensor(0.0, requires_grad=True))


class Raises(nn.Module):
    def forward(self, x: Any) -> Any:
        return x + len(3)  # type: ignore[arg-type]


def test_an_error_inside_of_a_module_stays_what_it_is() -> None:
    with pytest.raises(TypeError, match="has no len") as raised:
        Raises()(1.0)
    assert not isinstance(raised.value, GradwalkError)


def test_a_user_may_write_modules_with_any_constructor() -> None:
    class Wide(nn.Module):
        def __init__(self, *sizes: int, **options: Any) -> None:
            self.inner = nn.Linear(*sizes, **options)

    assert Wide(2, 1, bias=False).inner.bias is None
    with pytest.raises(UsageError, match="Linear: expected the arguments"):
        Wide(2, 1, nonsense=1)


def test_parameters_may_be_replaced_and_removed() -> None:
    layer = nn.Linear(2, 1, seed=0)
    layer.weight = Tensor(np.ones((1, 2)), requires_grad=True)
    layer.bias = None
    assert layer.num_parameters() == 2


@pytest.mark.parametrize(
    ("f", "count"),
    [(lambda: 0, (0, 0)), (lambda a, b=1: 0, (1, 2)), (max, (0, float("inf")))],
)
def test_arity(f: Any, count: tuple[int, float]) -> None:
    assert arity(f) == count


def test_rules_may_take_options_in_any_way() -> None:
    """What is not known to be wrong is allowed."""
    assert takes(lambda t, y, x, n=2: 0, 2, lambda x, n=2: 0)
    assert takes(lambda t, y, x, n: 0, 2, lambda x, *, n: 0)
    assert takes(lambda *args: 0, 2, lambda a, b: 0)
    assert takes(lambda t, y, a, b: 0, 2, lambda *args: 0)
    assert takes(lambda t, y, x: 0, 2, np.exp)
    assert not takes(lambda t, y: 0, 2, lambda x: 0)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="missing"):
        gw.load(tmp_path / "missing.safetensors")


def test_the_ends_of_special_functions_are_numbers() -> None:
    """They have raised ZeroDivisionError and RecursionError."""
    assert gw.stats.t.ppf(0.0, 3.0) == -np.inf
    assert gw.stats.t.ppf(1.0, 3.0) == np.inf
    assert np.isnan(gw.special.beta(-np.inf, -np.inf))


def test_pytorchs_names_of_devices_say_what_to_write() -> None:
    with pytest.raises(AttributeError, match=r'use t.to\("cuda"\)'):
        Tensor([1.0]).cuda()
    with pytest.raises(AttributeError, match=r'use model.to\("cuda"\)'):
        nn.Linear(2, 1).cuda()
    assert Tensor([1.0]).to("cpu").device == "cpu"
