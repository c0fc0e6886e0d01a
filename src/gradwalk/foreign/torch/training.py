"""The parts of a training of PyTorch, seen while its script runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib import import_module
from types import TracebackType
from typing import Any

from . import library as torch

__all__ = ["Training"]

STEPS = 8
"""After so many steps of the optimizer the script is ended."""

LOSSES = (
    "cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div", "poisson_nll_loss",
    "soft_margin_loss", "multilabel_margin_loss", "hinge_embedding_loss",
)  # fmt: skip
"""Functions of `torch.nn.functional` that take an output and a target."""


class _Enough(BaseException):
    """Ends the script: an ``except Exception`` in it does not stop this."""


@dataclass
class Training:
    """A context that sees the first steps of a training, and ends the script after them.

    ``model``, ``loss``, ``optimizer``  the parts; ``None`` as far as they have not been seen
    ``batches``    tuples (*inputs, target) of the steps
    ``steps``      how many steps of an optimizer there were
    ``left_over``  how many steps began with the gradients of the step before, and their norm
    ``spread``     shapes of an output and of what was subtracted, if that made a matrix of both
    """

    model: Any = None
    loss: Callable[[Any, Any], Any] | None = None
    optimizer: Any = None
    batches: list[tuple[Any, ...]] = field(default_factory=list)
    steps: int = 0
    left_over: list[float] = field(default_factory=list)
    spread: tuple[Any, Any] | None = None

    def __post_init__(self) -> None:
        self._depth = 0
        self._inside_loss = 0
        self._calls: list[tuple[Any, tuple[Any, ...], Any]] = []  # of modules, by the program
        self._compared: tuple[Callable[..., Any], Any, Any] | None = None
        self._stepped = False
        self._exit = ExitStack()

    def __enter__(self) -> Training:
        modules = torch.nn.modules.module
        optimizers = import_module("torch.optim.optimizer")  # no attribute of torch.optim
        found = [
            modules.register_module_forward_pre_hook(self._before),
            modules.register_module_forward_hook(self._after, always_call=True),
            optimizers.register_optimizer_step_pre_hook(self._before_step),
            optimizers.register_optimizer_step_post_hook(self._after_step),
        ]
        for handle in found:
            self._exit.callback(handle.remove)
        self._exit.enter_context(_functions(self._function))
        self._replace_backward()
        return self

    def __exit__(self, kind: type | None, error: object, trace: TracebackType | None) -> bool:
        self._exit.close()
        return kind is _Enough

    # --- what is called ---------------------------------------------------------------------------

    def _before(self, module: Any, args: Any) -> None:
        self._depth += 1
        self._inside_loss += isinstance(module, torch.nn.modules.loss._Loss)

    def _after(self, module: Any, args: Any, output: Any) -> None:
        self._depth -= 1
        is_loss = isinstance(module, torch.nn.modules.loss._Loss)
        self._inside_loss -= is_loss
        if is_loss and len(args) == 2:
            self._compared = (module, *args)
        elif not self._depth and torch.is_grad_enabled() and any(True for _ in module.parameters()):
            self._calls.append((module, args, output))

    def _function(self, name: str, f: Any, args: Any, options: Any, result: Any) -> None:
        """See a call of a function of PyTorch."""
        if self._inside_loss:
            return
        if name in LOSSES and len(args) >= 2:
            output, target, rest = args[0], args[1], args[2:]
            self._compared = (lambda o, t: f(o, t, *rest, **options), output, target)
        elif name in ("sub", "__sub__", "rsub", "__rsub__") and len(args) == 2:
            a, b = args
            self._look_at_shapes(a, b, result)

    def _look_at_shapes(self, a: Any, b: Any, result: Any) -> None:
        """See a difference of (n, 1) and (n,), which has n rows and n columns."""
        shapes = [tuple(getattr(x, "shape", ())) for x in (a, b)]
        rows = max(map(len, shapes)) == 2 and min(map(len, shapes)) == 1
        outputs = [o for _, _, o in self._calls[-1:] if isinstance(o, torch.Tensor)]
        if rows and outputs and tuple(result.shape) == (len(a), len(b)) and len(a) > 1:
            ends = {o.untyped_storage().data_ptr() for o in outputs}
            if {x.untyped_storage().data_ptr() for x in (a, b)} & ends:
                self.spread = (shapes[0], shapes[1])

    # --- steps ------------------------------------------------------------------------------------

    def _before_step(self, optimizer: Any, args: Any, options: Any) -> None:
        self.steps += 1
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        for module, args_, output in reversed(self._calls):
            if any(id(p) in held for p in module.parameters()):
                self._pair(module, args_, output, optimizer)
                break
        self._calls.clear()

    def _pair(self, module: Any, args: tuple[Any, ...], output: Any, optimizer: Any) -> None:
        """Keep the parts of a step: the model, its inputs, and the target of its output."""
        self.model, self.optimizer = module, optimizer
        if self._compared is None or not isinstance(output, torch.Tensor):
            return
        loss, seen, target = self._compared
        if not isinstance(seen, torch.Tensor) or seen.numel() != output.numel():
            return
        if seen.untyped_storage().data_ptr() != output.untyped_storage().data_ptr():
            return  # not the output itself, or a view of it: log_softmax may lie between
        shape = tuple(seen.shape)
        self.loss = loss if shape == tuple(output.shape) else _reshaped(loss, shape[1:])
        self.batches.append((*args, target))

    def _after_step(self, optimizer: Any, args: Any, options: Any) -> None:
        self._stepped = True
        if self.steps >= STEPS:
            raise _Enough

    def _replace_backward(self) -> None:
        real, autograd = torch.autograd.backward, torch.autograd

        def backward(*args: Any, **options: Any) -> Any:
            self._look_at_gradients()
            return real(*args, **options)

        autograd.backward = backward
        self._exit.callback(setattr, autograd, "backward", real)

    def _look_at_gradients(self) -> None:
        """See gradients of the step before that are still there when a backward pass begins."""
        if not self._stepped or self.optimizer is None:
            return
        self._stepped = False
        held = [p for group in self.optimizer.param_groups for p in group["params"]]
        norms = [float(p.grad.norm()) for p in held if p.grad is not None]
        if any(norms):
            self.left_over.append(sum(x * x for x in norms) ** 0.5)


def _reshaped(loss: Callable[[Any, Any], Any], shape: tuple[int, ...]) -> Callable[[Any, Any], Any]:
    """Return a loss of an output that a program has reshaped before, as ``out.squeeze(1)``."""
    return lambda output, target: loss(output.reshape(-1, *shape), target)


def _functions(see: Callable[[str, Any, Any, Any, Any], None]) -> Any:
    """Return a context that shows each function of PyTorch that is called."""
    overrides: Any = torch.overrides

    class Mode(overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, f: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = f(*args, **(kwargs or {}))
            see(getattr(f, "__name__", ""), f, args, kwargs or {}, result)
            return result

    return Mode()
