"""Every error that gradwalk raises for its users.

All have one base class, so ``except GradwalkError`` catches them all. Each class is also the
built-in exception that a Python programmer would expect there. A message always has four parts:
where it happened, what was expected, the value passed, and how to fix it.
"""

from __future__ import annotations

from typing import Any, Final

__all__ = [
    "ConvergenceError",
    "CutGraphWarning",
    "DataError",
    "ExpressionError",
    "FileError",
    "FloatRangeError",
    "FreedGraphError",
    "GradientCheckError",
    "GradwalkError",
    "InPlaceError",
    "KeyRangeError",
    "LeakedTraceError",
    "ManyVersionsWarning",
    "MissingExtraError",
    "NonFiniteError",
    "NotANumberError",
    "OptionError",
    "SilentDetachError",
    "SizeError",
    "SlowEngineWarning",
    "StaleReplayError",
    "StateDictError",
    "UsageError",
    "WorkerError",
]


class GradwalkError(Exception):
    """Base of all errors of gradwalk; its four parts are attributes.

    >>> error = GradwalkError(where="f", expected="a number", got="None", fix="Pass 1.0.")
    >>> str(error)
    'f: expected a number, got None. Pass 1.0.'
    """

    expected: str
    fix: str
    got: str
    where: str

    def __init__(self, *, where: str, expected: str, got: str, fix: str) -> None:
        end = "" if got.endswith("\n") else ". "  # a picture of text has lines of its own
        super().__init__(f"{where}: expected {expected}, got {got}{end}{fix}")
        self.where, self.expected, self.got, self.fix = where, expected, got, fix

    def __reduce__(self) -> tuple[Any, ...]:
        parts = {name: x for name, x in vars(self).items() if name != "__notes__"}
        return _rebuild, (type(self), parts), vars(self)


def _rebuild(cls: type[GradwalkError], parts: dict[str, str]) -> GradwalkError:
    return cls(**parts)


class NotANumberError(GradwalkError, TypeError):
    """A real number was expected, and something else was passed.

    Cause: ``Value("2")``, ``gradwalk.exp([1.0])``, ``v.data = None``.
    Right: ``Value(2.0)``, ``[gradwalk.exp(x) for x in xs]``, ``v.data = 0.0``.
    """


class UsageError(GradwalkError, TypeError):
    """A function was called with arguments that it does not take, or a class was misused.

    Cause: ``nn.Linear(2, 1, activation="relu")``.
    Right: ``nn.Sequential(nn.Linear(2, 1), nn.ReLU())``.
    """


class FloatRangeError(GradwalkError, OverflowError):
    """An integer is too large for a float.

    Cause: ``Value(2.0) * 10**400``.
    Right: a number below 1.8e308, or the logarithm of the number.
    """


class SilentDetachError(GradwalkError, TypeError):
    """A conversion to a plain float would have lost a gradient silently.

    Cause: ``math.exp(v)`` or ``float(v)``.
    Right: ``gradwalk.exp(v)`` to differentiate, ``v.data`` for the number alone.
    """


class FreedGraphError(GradwalkError, RuntimeError):
    """A graph was used again after ``backward(retain_graph=False)`` had freed it.

    Cause: ``y.backward(retain_graph=False); y.backward()``.
    Right: keep the graph with ``y.backward()``, or compute ``y`` again.
    """


class InPlaceError(GradwalkError, RuntimeError):
    """A write would have overwritten numbers that a gradient still depends on.

    Cause: ``w[0] = 1.0`` or ``w -= 0.1 * w.grad`` on a Tensor that requires gradients, or
    ``w.data[0] = 1.0`` between the forward and the backward pass.
    Right: update leaves inside ``with gradwalk.no_grad():``, and arrays after ``backward()``.
    """


class KeyRangeError(GradwalkError, IndexError):
    """An index is out of bounds, or is not a valid index.

    Cause: ``t[3]`` on a Tensor of length 3, ``t[0.5]``, ``t[mask]`` with a mask of another shape.
    Right: integers from -3 to 2, slices, masks of the shape of ``t``.
    """


class LeakedTraceError(GradwalkError, RuntimeError):
    """A tracer was used after its transform had ended.

    Cause: ``saved.append(x)`` inside ``f``, and ``saved[0] + 1.0`` after ``grad(f)(2.0)``.
    Right: return it as well, ``grad(f, has_aux=True)``, or keep the number, ``x.data``.
    """


class SizeError(GradwalkError, ValueError):
    """A list or an array has the wrong length or shape. Nothing is cut short silently.

    Cause: ``MLP(2, [1])([1.0, 2.0, 3.0])``.
    Right: as many inputs as the layer was built for, ``MLP(3, [1])([1.0, 2.0, 3.0])``.
    """


class StaleReplayError(GradwalkError, RuntimeError):
    """A replay would have used a number that was read from a graph, and that has changed.

    Cause: ``loss = (x - x.data) ** 2``, ``loss = where(x > 0.0, a, b)``; ``run = replay(loss)``.
    Right: ``compile(f)`` of the function that computes the loss; ``Value(x.data)`` for a number
    that stays.
    """


class OptionError(GradwalkError, ValueError):
    """An option has an invalid value: an unknown name, or a number outside its range.

    Cause: ``Neuron(2, activation="thanh")``.
    Right: one of the names that the message lists.
    """


class StateDictError(GradwalkError, KeyError):
    """A state dict does not fit its module: names are missing or unexpected, or shapes differ.

    Cause: loading the weights of ``MLP(2, [4, 1])`` into ``MLP(2, [8, 1])``.
    Right: build the module with the sizes that were saved; ``strict=False`` skips names.
    """

    __str__: Final = Exception.__str__  # KeyError shows the repr, which escapes line breaks


class MissingExtraError(GradwalkError, ImportError):
    """A part of gradwalk needs a package that is not installed.

    Cause: ``gradwalk.inspect.plot_loss(losses)`` without matplotlib.
    Right: ``pip install 'gradwalk[plot]'``, or the extra that the message names.
    """


class GradientCheckError(GradwalkError, AssertionError):
    """A gradient disagrees with finite differences (``raise_on_failure=True``).

    Cause: a rule with a mistake, or a computation that leaves the graph by ``.data``.
    Right: fix the operation that the report names; compute with Values throughout.
    """


class ConvergenceError(GradwalkError, RuntimeError):
    """An iteration did not converge.

    Cause: ``fixed_point(lambda x: 2.0 * x + 1.0, 0.0)``, whose steps grow.
    Right: a contraction, a start nearer to the result, more steps, or smaller ones.
    """


class NonFiniteError(GradwalkError, ArithmeticError):
    """A NaN or an infinity appeared, during training or inside of `inspect.trap`.

    Cause: a learning rate so large that the loss diverges; a gradient norm that is infinite.
    Right: a smaller ``lr``; ``clip_grad_norm_`` before every step.

    ``cause`` is the `Cause` that `inspect.why` gives, with its ``edit``, if an operation is to
    blame, as always of `inspect.trap`; else ``None``. Copies and pickles of the error leave it out,
    as it refers to the graph.
    """

    cause: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        rebuild, (cls, parts), state = super().__reduce__()
        kept = [{k: x for k, x in found.items() if k != "cause"} for found in (parts, state)]
        return rebuild, (cls, kept[0]), kept[1]


class CutGraphWarning(GradwalkError, UserWarning):  # noqa: N818  (a warning)
    """No gradient can reach what is trained, because the graph was cut on the way.

    It is a warning: the gradients are 0, and the program goes on.

    Cause: ``(round(w) - 1.0).backward()``, ``Value(w.data * 2.0).backward()``, a step before
    ``backward()``.
    Right: operations that have a derivative, on the Values themselves.
    """


class SlowEngineWarning(GradwalkError, UserWarning):  # noqa: N818  (a warning)
    """There is no compiled engine, so the Python engine computes the same numbers, slower.

    It is a warning, once in a process: the program goes on.

    Cause: gradwalk was installed from its source where there is no C compiler.
    Right: a wheel, or a C compiler and an installation from the source again; or
    ``GRADWALK_PURE=1`` in the environment if the Python engine is meant.
    """


class ManyVersionsWarning(GradwalkError, UserWarning):  # noqa: N818  (a warning)
    """A compiled function runs as it is written, because it has as many versions as it may have.

    It is a warning, once for a function: the results are right, and slow.

    Cause: ``compile(lambda x, n: x * math.sqrt(n))`` for ever more integers n; a branch that
    answers differently for almost all arguments.
    Right: ``gradwalk.where`` for the branch, ``gradwalk.sqrt(n)``, or a larger ``max_versions``.
    """


class DataError(GradwalkError, ValueError):
    """A data file or a data set is invalid. The message names the line and the column.

    Cause: a CSV cell that is not a number.
    Right: numbers in every column, the target in the last.
    """


class FileError(GradwalkError, OSError):
    """A file cannot be written. An older file of that name is unchanged.

    Cause: a folder that does not exist or must not be written to, a full disk.
    Right: a path in a folder of your own, on a disk with space left.
    """

    __str__ = Exception.__str__  # OSError shows errno and the file name only


class ExpressionError(GradwalkError, ValueError):
    """A formula cannot be parsed. The message points at the character.

    Cause: ``gradwalk show "(a + b * c"``.
    Right: ``gradwalk show "(a + b) * c" a=2 b=-3 c=10``.
    """


class WorkerError(GradwalkError, RuntimeError):
    """Worker processes died again and again, or a cluster cannot be reached.

    Cause: parts of the data that need more memory than there is; a scheduler that has ended.
    Right: more and smaller parts; a cluster that runs, and the checkpoint of the run before.
    """
