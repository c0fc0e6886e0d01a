"""`Trial`: a training for experiments, with what several of them look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from types import FrameType
from typing import Any

import numpy as np

from ...core.carrier import is_tensor
from ...engine.value import Value, no_grad
from ...inspect.magnitudes import numbers_of
from ...inspect.snapshot import reached, undone
from ...program.run import run_of
from .graph import Graph
from .leaves import unregistered

__all__ = ["Finding", "Trial", "Named", "array_of", "batches_of", "even", "like", "shapes"]

Named = list[tuple[str, Any]]
"""Parameters with their names."""

MOST_ROWS = 1024
"""Data with more rows are represented by `FEW_ROWS`, spread over all."""
FEW_ROWS = 256
MOST_BATCHES = 16


@dataclass(frozen=True)
class Finding:
    """What is wrong, its evidence in numbers, and its remedy."""

    what: str
    evidence: str
    remedy: str


@dataclass
class Trial:
    """A training: its parts, its batches, and how the user calls the parts.

    ``batches`` are tuples (*inputs, target), ``columns`` the inputs and the target of all rows as
    far as they are known. ``ordered`` says whether the order of the batches is that of the
    training. ``step`` is the user's own step on a batch.
    """

    model: Any
    loss: Callable[[Any, Any], Any]
    optimizer: Any
    batches: list[tuple[Any, ...]]
    ordered: bool
    step: Callable[..., Any] | None = None
    frame: FrameType | None = None

    # --- what the user calls the parts ------------------------------------------------------------

    def name(self, thing: Any, otherwise: str) -> str:
        """Return the name of an object in the user's program."""
        scopes: list[Mapping[str, Any]] = []
        if self.frame is not None:
            scopes += [self.frame.f_locals, self.frame.f_globals]
        for f in (self.loss, self.step):
            code, cells = getattr(f, "__code__", None), getattr(f, "__closure__", None) or ()
            if code is not None:
                scopes.append(dict(zip(code.co_freevars, map(_content, cells), strict=False)))
                scopes.append(getattr(f, "__globals__", {}))
        for scope in scopes:
            for name, x in [*scope.items()]:
                if x is thing and not name.startswith("_"):
                    return name
        for name, x in getattr(self.model, "named_modules", list)():
            if x is thing and name:
                return f"{self.name(self.model, 'model')}.{name}"
        return otherwise

    @property
    def optimizer_name(self) -> str:
        """The name of the optimizer in the user's program."""
        return self.name(self.optimizer, "optimizer")

    @property
    def model_name(self) -> str:
        """The name of the model in the user's program."""
        return self.name(self.model, "model")

    # --- the model and its loss -------------------------------------------------------------------

    @cached_property
    def parameters(self) -> list[tuple[str, Any]]:
        """The parameters of the model with their names."""
        return [*self.model.named_parameters()]

    def numbers(self) -> list[Any]:
        """Return copies of the numbers of the parameters."""
        return [np.array(numbers_of(p), float) for _, p in self.parameters]

    def put(self, p: Any, array: Any) -> None:
        """Give a parameter other numbers."""
        if isinstance(p, Value):
            p.data = float(array)
        elif self.is_foreign:
            p.data.copy_(like(p.detach(), array))
        else:
            p.data = np.asarray(array, p.data.dtype)

    @property
    def held_parameters(self) -> list[Any]:
        """The parameters that the optimizer has."""
        return [p for group in self.optimizer.param_groups for p in group["params"]]

    @cached_property
    def held(self) -> set[int]:
        """The identities of the parameters that the optimizer has."""
        return set(map(id, self.held_parameters))

    @property
    def has_values(self) -> bool:
        """Whether the model consists of Values and is called row by row."""
        kinds = [isinstance(p, Value) for _, p in self.parameters]
        return bool(kinds) and all(kinds)

    def forward(self, batch: Sequence[Any]) -> tuple[Any, Any]:
        """Return the output for a batch, and the target, as `gradwalk.fit` does."""
        *inputs, target = batch if len(batch) > 1 else [*batch, *batch]
        if not self.has_values:
            return self.model(*inputs), target
        columns = [x.tolist() if hasattr(x, "tolist") else x for x in inputs]
        known = target.tolist() if hasattr(target, "tolist") else target
        return [self.model(*row) for row in zip(*columns, strict=True)], known

    def quietly(self) -> Any:
        """Return a context that records no graph, in the library of the model."""
        if self.is_foreign:
            import torch  # type: ignore[import-not-found, unused-ignore]

            return torch.no_grad()
        return no_grad()

    @cached_property
    def is_foreign(self) -> bool:
        """Whether the model is one of PyTorch."""
        return any(hasattr(p, "untyped_storage") for _, p in self.parameters)

    @cached_property
    def output(self) -> Any:
        """The output of the model for the first batch, as arrays of numbers."""
        with self.quietly():
            output, _ = self.forward(self.batches[0])
        return output

    @cached_property
    def outputs(self) -> Any:
        """The output for the first batch as an array; ``None`` if it is none."""
        return array_of(self.output)

    @cached_property
    def target(self) -> Any:
        """The target of the first batch, as the loss gets it."""
        last = self.batches[0][-1]
        return last.tolist() if self.has_values and hasattr(last, "tolist") else last

    @cached_property
    def targets(self) -> Any:
        """The target of the first batch as an array; ``None`` if it is none."""
        return array_of(self.target)

    def probe(self, output: Any, target: Any = None) -> float:
        """Return the loss of arrays that stand for an output and a target."""
        goal = self.target if target is None else like(self.target, target)
        with self.quietly():
            found = self.loss(like(self.output, output), goal)
        return float(np.sum(array_of(found)))

    def slopes(self, output: Any, target: Any) -> Any:
        """Return the gradient of the loss by arrays that stand for an output, for a target."""
        z = like(self.output, output).requires_grad_(True)
        self.loss(z, like(self.target, target)).backward()
        return np.asarray(numbers_of(z.grad))

    def probe_part(self, i: int, array: Any) -> float:
        """Return the loss if an array stands for a part of the output, and all rows are alike."""
        parts = [like(part, even(array_of(part))) for part in self.output]
        parts[i] = like(self.output[i], array)
        with self.quietly():
            return float(np.sum(array_of(self.loss(tuple(parts), self.target))))

    @cached_property
    def value(self) -> float:
        """The loss of the first batch."""
        return self.probe(self.outputs) if self.outputs is not None else self.value_of_model()

    def value_of_model(self, batch: Sequence[Any] | None = None) -> float:
        """Return the loss of a batch, for the parameters as they are now."""
        with self.quietly():
            output, target = self.forward(self.batches[0] if batch is None else batch)
            return float(np.sum(array_of(self.loss(output, target))))

    # --- graphs and gradients ---------------------------------------------------------------------

    @cached_property
    def graph(self) -> Graph | None:
        """The graph of the loss of the first batch; ``None`` for other libraries."""
        if self.is_foreign:
            return None
        result = self.loss(*self.forward(self.batches[0]))
        if not isinstance(result, Value) and not (is_tensor(result) and result._node is not None):
            return None
        return Graph(run_of(result))

    def gradients(self, batch: Sequence[Any], parameters: Sequence[Any] | None = None) -> list[Any]:
        """Return the gradients of parameters for a batch, without storing them there."""
        wanted = [p for _, p in self.parameters] if parameters is None else [*parameters]
        result = self.loss(*self.forward(batch))
        if self.is_foreign:
            import torch

            trained = [p for p in wanted if p.requires_grad]
            if not trained:
                return [None] * len(wanted)
            found = torch.autograd.grad(result, trained, allow_unused=True)
            known = dict(zip(map(id, trained), found, strict=True))
            return [numbers_of(known.get(id(p))) for p in wanted]
        graph = Graph(run_of(result))
        return [graph.gradient(p) for p in wanted]

    # --- others -----------------------------------------------------------------------------------

    @cached_property
    def around(self) -> list[Any]:
        """What can be reached from the parts of the training."""
        return reached((self.model, self.loss, self.optimizer, self.step))

    @cached_property
    def others(self) -> list[tuple[str, Any]]:
        """Other modules that the loss or the step use, with their names."""
        inside = {id(m) for m in getattr(self.model, "modules", list)()} | {id(self.model)}
        found = [x for x in self.around if _is_module(x) and id(x) not in inside]
        parts = {id(m) for x in found for n, m in x.named_modules() if n}
        return [(self.name(x, type(x).__name__), x) for x in found if id(x) not in parts]

    @cached_property
    def held_by_others(self) -> set[int]:
        """The identities of the parameters of other optimizers in the program."""
        import gc

        found = [x for x in gc.get_objects() if _is_optimizer(x) and x is not self.optimizer]
        return {id(p) for x in found for group in x.param_groups for p in group["params"]}

    @cached_property
    def hidden(self) -> list[Any]:
        """The layers that compute the output, and that neither model nor optimizer knows."""
        output, _ = self.forward(self.batches[0])
        own = [p for _, p in self.parameters]
        return unregistered(output, own, self.held | self.held_by_others)

    def undone(self) -> Any:
        """Return a context that undoes what an experiment changes."""
        return undone(self.model, self.loss, self.optimizer, self.step)

    @cached_property
    def columns(self) -> tuple[list[Any], Any]:
        """The inputs and the target of the batches that are known, each as one array."""
        many = [[array_of(x) for x in batch] for batch in self.batches]
        if any(x is None for batch in many for x in batch):
            return [], None
        whole = [
            np.concatenate([np.atleast_1d(x) for x in column]) for column in zip(*many, strict=True)
        ]
        return (whole[:-1], whole[-1]) if len(whole) > 1 else (whole, whole[0])


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _is_module(x: Any) -> bool:
    return not isinstance(x, type) and hasattr(x, "named_parameters") and hasattr(x, "forward")


def _is_optimizer(x: Any) -> bool:
    kind = type(x)
    return hasattr(kind, "step") and hasattr(kind, "zero_grad") and hasattr(x, "param_groups")


def array_of(x: Any) -> Any:
    """Return numbers, Tensors, Values or nested lists of them as one array; ``None`` for others."""
    if isinstance(x, (list, tuple)):
        parts = [array_of(part) for part in x]
        if any(part is None for part in parts) or len({part.shape for part in parts}) > 1:
            return None
        return np.asarray(parts)
    try:
        return np.asarray(numbers_of(x)) if not isinstance(x, (int, bool)) else np.asarray(x)
    except (TypeError, ValueError):
        return None


def even(array: Any) -> Any:
    """Return an array whose rows are all the mean of its rows."""
    return np.repeat(array.mean(0, keepdims=True), len(array), 0)


def like(model: Any, array: Any) -> Any:
    """Return an array in the form of another output: nested lists, a Tensor, or one of PyTorch."""
    if isinstance(model, (list, tuple)):
        return [like(m, a) for m, a in zip(model, array, strict=True)]
    if hasattr(model, "new_tensor"):
        return model.new_tensor(np.ascontiguousarray(array))
    if isinstance(model, Value):
        return Value(float(array))
    if is_tensor(model):
        return type(model)(np.asarray(array, model.data.dtype))
    if isinstance(model, np.ndarray):
        return np.asarray(array, model.dtype)
    return type(model)(array) if isinstance(model, (int, float)) else array


def batches_of(data: Any) -> tuple[list[tuple[Any, ...]], bool]:
    """Return some batches of what `gradwalk.fit` takes, and whether their order is the training's.

    Arrays are drawn in random order by `fit`, so they are one batch here.
    """
    if isinstance(data, tuple) or not _has_batches(data):
        columns = data if isinstance(data, tuple) else (data,)
        return [_rows(columns)] if all(len(x) for x in columns) else [], False
    found = [_tuple(batch) for batch in islice(iter(data), MOST_BATCHES)]
    return found, True


def _has_batches(data: Any) -> bool:
    """Return whether iteration over ``data`` gives batches."""
    if hasattr(data, "batch_size"):
        return True
    if hasattr(data, "dtype") or is_tensor(data):
        return False
    return isinstance(data, list) and bool(data) and isinstance(data[0], (tuple, list)) and all(
        hasattr(x, "shape") or isinstance(x, (list, tuple)) for x in data[0]
    ) and len({len(batch) for batch in data}) == 1 and len(data[0]) > 1  # fmt: skip


def _tuple(batch: Any) -> tuple[Any, ...]:
    return tuple(batch) if isinstance(batch, (tuple, list)) else (batch,)


def _rows(columns: Sequence[Any]) -> tuple[Any, ...]:
    """Return rows of arrays that are spread over all, as Tensors."""
    lengths = {len(x) for x in columns}
    if len(lengths) == 1 and (rows := lengths.pop()) > MOST_ROWS:
        kept = np.linspace(0, rows - 1, FEW_ROWS).astype(int)
        columns = [x[kept] if hasattr(x, "shape") else [x[i] for i in kept] for x in columns]
    return tuple(columns)


def shapes(*arrays: Any) -> str:
    """Return the shapes of arrays as text: (32, 1) and (32,)."""
    return " and ".join(str(tuple(x.shape)) for x in arrays)
