"""One table of training steps, and trainings that take them: plain or compiled, in any place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradwalk import Tensor, nn, no_grad, optim
from gradwalk.core.pytree import flatten
from gradwalk.nn import functional as F  # noqa: N812

__all__ = ["OPTIMIZERS", "STEPS", "Training", "as_numpy", "batch", "clipped", "in_packs", "kinds"]
__all__ += ["leaves", "mlp", "same", "usual", "with_batch_norm", "with_state"]

Step = Callable[..., Any]

OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "SGD": lambda p: optim.SGD(p, lr=0.1, weight_decay=0.01),
    "momentum": lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
    "nesterov": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    "Adam": lambda p: optim.Adam(p, lr=0.01),
    "amsgrad": lambda p: optim.Adam(p, lr=0.01, amsgrad=True),
    "AdamW": lambda p: optim.AdamW(p, lr=0.01),
    "RMSprop": lambda p: optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True),
}


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 6, seed=1), nn.Tanh(), nn.Linear(6, 2, seed=2))


def with_batch_norm() -> nn.Module:
    return nn.Sequential(
        nn.Linear(3, 4, seed=1), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2, seed=2)
    )


def with_state() -> nn.Module:
    return nn.Sequential(
        nn.Linear(3, 6, seed=1),
        nn.Tanh(),  # without it the gradients of the bias would be rounding alone
        nn.BatchNorm1d(6),
        nn.Dropout(0.5, seed=3),
        nn.Linear(6, 2, seed=2),
    )


def batch(seed: int, place: str = "numpy") -> tuple[Tensor, Tensor]:
    rng = np.random.default_rng(seed)
    x, y = Tensor(rng.normal(size=(8, 3))), Tensor(rng.integers(0, 2, 8))
    return (x, y) if place == "numpy" else (x.to_device(place), y.to_device(place))


def in_packs(p: Any) -> list[dict[str, Any]]:
    """Return parameters as two packs with rates of their own."""
    p = [*p]
    return [{"params": p[:1], "lr": 0.05}, {"params": p[1:], "weight_decay": 0.1}]


class Training:
    """Models and their optimizers at a place, trained by a step."""

    def __init__(
        self,
        step: Step,
        make: Any = None,
        model: Any = mlp,
        several: int = 1,
        place: str = "numpy",
    ) -> None:
        self.step, self.place = step, place
        self.models = [model().astype(np.float64).to(place) for _ in range(several)]
        make = make or OPTIMIZERS["momentum"]
        self.optimizers = [make(m.parameters()) for m in self.models]
        self.model, self.optimizer = self.models[0], self.optimizers[0]

    def run(self, seed: int) -> Any:
        """Take a step on the batch of a seed, and return its results."""
        return self.step(*self.models, *self.optimizers, *batch(seed, self.place))

    def state(self) -> list[tuple[str, Any]]:
        """Return what a step leaves behind, with paths."""
        models = [m.state_dict() for m in self.models]
        grads = [[p.grad for p in m.parameters()] for m in self.models]
        return [
            *leaves("model", models),
            *leaves("grad", grads),
            *leaves("optimizer", [o.state_dict() for o in self.optimizers]),
        ]


def as_numpy(x: Any) -> Any:
    """Return an array of any library as one of NumPy, and anything else unchanged."""
    return Tensor(x).numpy() if hasattr(x, "shape") else x


def leaves(path: str, x: Any) -> list[tuple[str, Any]]:
    """Return what is in containers with the paths to it; arrays of every library as NumPy's."""
    if isinstance(x, dict):
        return [leaf for k, part in x.items() for leaf in leaves(f"{path}.{k}", part)]
    if isinstance(x, (list, tuple)):
        return [leaf for k, part in enumerate(x) for leaf in leaves(f"{path}.{k}", part)]
    return [(path, as_numpy(x))]


def kinds(result: Any) -> list[Any]:
    """Return what the leaves of a result are: Tensors, arrays of a library, or a class."""
    return [
        Tensor if isinstance(x, Tensor) else np.ndarray if hasattr(x, "shape") else type(x)
        for x in flatten(result)[0]
    ]


def same(
    found: list[tuple[str, Any]],
    expected: list[tuple[str, Any]],
    rtol: float = 1e-12,
    atol: float = 1e-14,
) -> None:
    """Require equal leaves: arrays agree within a few units in the last place."""
    assert [path for path, _ in found] == [path for path, _ in expected]
    for (path, a), (_, b) in zip(found, expected, strict=True):
        if isinstance(b, (np.ndarray, float)):
            assert isinstance(b, float) or a.dtype == b.dtype, path
            np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=path)
        else:
            assert a == b, path


# --- steps ----------------------------------------------------------------------------------------


def usual(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


def without_clearing(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    return loss


def two_passes(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    other = (model(x * 0.5) ** 2).mean()
    other.backward()
    optimizer.step()
    return loss, other


def two_steps(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    usual(model, optimizer, x, y)
    return usual(model, optimizer, x * 0.5, y)


def with_a_target(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """Take a target from the weights that are trained, as methods with a frozen copy do."""
    optimizer.zero_grad()
    with no_grad():
        target = model(x)
    loss = ((model(x) - 0.9 * target) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss


def with_a_detached_target(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    optimizer.zero_grad()
    found = model(x)
    loss = ((found - 0.9 * found.detach()) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss


def with_a_penalty(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y) + 0.1 * sum((p**2).sum() for p in model.parameters())
    loss.backward()
    optimizer.step()
    return loss


def clipped(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    norm = optim.clip_grad_norm_(model.parameters(), 0.05)
    optimizer.step()
    return loss, norm


def norm_used(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """Compute with a norm: a number gives numbers, arrays of arrays, Tensors of Tensors."""
    loss, norm = clipped(model, optimizer, x, y)
    return {"half": norm * 0.5, "loss": norm * loss, "grad": norm * model[0].bias.grad}


def loss_after_the_step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    usual(model, optimizer, x, y)
    with no_grad():
        return F.cross_entropy(model(x), y)


def loss_as_a_number(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    return {"loss": usual(model, optimizer, x, y).item(), "rows": 8, "name": "training"}


def step_first(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """Update by the gradients of the call before: none in the first one."""
    optimizer.step()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    return loss


def clipped_first(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    norm = optim.clip_grad_norm_(model.parameters(), 0.05)
    return step_first(model, optimizer, x, y), norm


def values_clipped(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optim.clip_grad_value_(model.parameters(), 0.01)
    optimizer.step()
    return loss


def constant_gradients(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    optimizer.zero_grad()
    loss = model[2](x[:, :1].tanh().repeat(6, axis=1).detach() * 0.0 + 1.0).sum()
    loss.backward()
    optimizer.step()
    return loss


def in_parts(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """Add the gradients of parts of a batch."""
    optimizer.zero_grad()
    total = 0.0
    for start in (0, 4):
        part = slice(start, start + 4)
        loss = F.cross_entropy(model(x[part]), y[part]) / 2
        loss.backward()
        total = total + loss.detach()
    optimizer.step()
    return total


def by_closure(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    def closure() -> Any:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        return loss

    return optimizer.step(closure)


def cleared_by_hand(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    for p in model.parameters():
        p.grad = None
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


def cleared_by_the_model(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    model.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


def cleared_to_zeros(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    optimizer.zero_grad(set_to_none=False)
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
    return loss


def norm_of_gradients(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    norm = sum((p.grad**2).sum() for p in model.parameters()) ** 0.5
    optimizer.step()
    return loss, norm


def gradients_returned(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    loss = usual(model, optimizer, x, y)
    return loss, [p.grad for p in model.parameters()], model[0].weight.grad.mean()


def gradients_before(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """Read what the call before has left: nothing in the first one."""
    before = [None if p.grad is None else (p.grad**2).sum() for p in model.parameters()]
    return usual(model, optimizer, x, y), before


def gradients_halved(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    for p in model.parameters():
        p.grad *= 0.5
    optimizer.step()
    return loss


def gradients_kept_in_part(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """Write into gradients of the call before."""
    for p in model.parameters():
        if p.grad is not None:
            p.grad = p.grad * 0.25
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


def gradient_of_another(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """Assign a parameter, and the gradient of another one, as a gradient."""
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    model[0].weight.grad = model[0].weight.detach() * 0.1
    model[2].bias.grad = model[2].weight.grad.sum(axis=1)
    optimizer.step()
    return loss


def constant_gradient(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    loss = usual(model, optimizer, x, y)
    model[2].bias.grad = [0.5, -0.5]
    return loss


def reached_through_detach(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """Compute a loss that the first layer is part of, but to which no gradient flows."""
    optimizer.zero_grad()
    with no_grad():
        hidden = model[0](x).tanh()
    loss = F.cross_entropy(model[2](hidden.detach() + model[0].bias.detach()), y)
    loss.backward()
    optimizer.step()
    return loss


def by_hand(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    """Update the parameters in place, and compute with them afterwards."""
    model.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    with no_grad():
        for p in model.parameters():
            p -= 0.1 * p.grad
        model[2].bias[0] = 0.25
        model[2].bias[1] = loss * 0.5
    again = F.cross_entropy(model(x), y)
    again.backward()
    optimizer.step()
    return loss, again


def by_hand_on_data(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    model.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    for p in model.parameters():
        p.data = p.data - 0.1 * p.grad
    return loss, [p.data.sum() for p in model.parameters()]


STEPS: dict[str, Step] = {
    f.__name__: f
    for f in (
        usual,
        without_clearing,
        two_passes,
        two_steps,
        with_a_target,
        with_a_detached_target,
        with_a_penalty,
        clipped,
        norm_used,
        step_first,
        clipped_first,
        values_clipped,
        constant_gradients,
        loss_after_the_step,
        loss_as_a_number,
        in_parts,
        by_closure,
        cleared_by_hand,
        cleared_by_the_model,
        cleared_to_zeros,
        norm_of_gradients,
        gradients_returned,
        gradients_before,
        gradients_halved,
        gradients_kept_in_part,
        gradient_of_another,
        constant_gradient,
        reached_through_detach,
        by_hand,
        by_hand_on_data,
    )
}
