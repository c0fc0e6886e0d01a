"""Training steps as one program: `fit(compile=True)`, and data for the devices of a network."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..core.carrier import is_tensor
from ..core.expect import describe
from ..engine.value import Value
from ..errors import OptionError
from ..nn import Module
from ..optim import Optimizer, clip_grad_norm_
from ..program.compiling import Compiled
from .sharded import number_of, output_of

if TYPE_CHECKING:
    from ..tensor import Tensor

__all__ = ["CompiledSteps", "Placing"]


class CompiledSteps:
    """Whole steps of a training: forward, backward, clipping and the update, as one program."""

    def __init__(self, model: Module, loss: Any, optimizer: Optimizer, clip: float | None) -> None:
        if any(isinstance(p, Value) for p in model.parameters()):
            raise OptionError(
                where="fit(compile=True)",
                expected="a network of Tensors",
                got=f"{describe(model)}, whose parameters are Values",
                fix="Leave out compile: steps of Values are replayed anyway.",
            )
        self.model: Module = model
        self.optimizer: Optimizer = optimizer
        self._step: Any = Compiled(step_of(loss, clip), trains=True)

    def __call__(self, batch: Sequence[Tensor]) -> tuple[Any, float] | None:
        """Take a step, and return output and loss.

        ``None``: the loss or a gradient is not finite, and the parameters are as before.
        """
        before = [(p, p._data) for p in self._trained()]
        output, loss, total = self._step(self.model, self.optimizer, tuple(batch))
        size = number_of(loss)
        if math.isfinite(size) and math.isfinite(number_of(total)):
            return output, size
        for p, data in before:
            p._data = data
        return None

    def _trained(self) -> list[Any]:
        return [p for group in self.optimizer.param_groups for p in group["params"]]


def step_of(loss: Any, clip: float | None) -> Callable[..., Any]:
    """Return a training step as a function; its third result is 0 if all gradients are finite."""

    def step(model: Any, optimizer: Any, batch: Any) -> tuple[Any, Any, Any]:
        output, target = output_of(model, batch)
        found = loss(output, target)
        optimizer.zero_grad()
        found.backward()
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        gradients = [p._node.grad for p in parameters if p._node.grad is not None]
        total = sum(((g * 0.0).sum() for g in gradients), 0.0 * found.detach())
        if clip is not None:
            clip_grad_norm_(parameters, clip)
        optimizer.step()
        return output, found, total

    return step


class Placing:
    """Batches where the parameters of a network lie, or divided among devices."""

    def __init__(self, model: Module, sharding: Any) -> None:
        self.sharding = sharding
        parameters = [p for p in (*model.parameters(), *model.buffers()) if is_tensor(p)]
        if sharding is not None:
            _replicate(parameters, sharding)
        places = (getattr(p._data, "place", None) for p in parameters)
        self.place: Any = next((place for place in places if place is not None), None)

    def __call__(self, batch: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Return a batch at its place."""
        if self.place is None:
            return batch
        return tuple([self._put(x) if is_tensor(x) else x for x in batch])

    def _put(self, x: Any) -> Any:
        if self.sharding is not None:
            numbers = x._data.raw if hasattr(x._data, "place") else x._data
            put = import_module("jax").device_put(numbers, self.sharding)
            return import_module("gradwalk.tensor").Tensor(put)
        return x.to_device(str(self.place)) if not hasattr(x._data, "place") else x


def _replicate(parameters: list[Any], sharding: Any) -> None:
    """Put a copy of each parameter on every device of a sharding, unless it is divided already."""
    mesh = getattr(sharding, "mesh", None)
    if mesh is None:
        raise OptionError(
            where="fit(sharding=...)",
            expected="a jax.sharding.NamedSharding of the batches",
            got=describe(sharding),
            fix='Write NamedSharding(Mesh(jax.devices(), "batch"), PartitionSpec("batch")).',
        )
    jax = import_module("jax")
    every = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    for p in parameters:
        held = p._data
        if getattr(getattr(held, "place", None), "library", "") != "jax":
            raise OptionError(
                where="fit(sharding=...)",
                expected="a network on JAX's arrays",
                got=f"parameters on {getattr(held, 'place', 'numpy')}",
                fix='Write model.to("jax") first.',
            )
        if held.raw.sharding.device_set != sharding.device_set:
            moved = import_module("gradwalk.libraries").array_of(jax.device_put(held.raw, every))
            p._data = moved
            if p._node is not None:
                p._node.place = moved.place
