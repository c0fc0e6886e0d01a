"""Every error that gradwalk raises for its users.

One base class, so that ``except GradwalkError`` catches them all; each class is also the built-in
exception that a Python programmer would expect there. A message always has four parts: where it
happened, what was expected, what came, and how to mend it.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "ConvergenceError",
    "DataError",
    "ExpressionError",
    "FreedGraphError",
    "GradientCheckError",
    "GradwalkError",
    "InPlaceError",
    "KeyRangeError",
    "LeakedTraceError",
    "MissingExtraError",
    "NonFiniteError",
    "NotANumberError",
    "OptionError",
    "SilentDetachError",
    "SizeError",
    "StateDictError",
]


class GradwalkError(Exception):
    """Base of all errors of gradwalk; its four parts are attributes.

    >>> error = GradwalkError(where="f", expected="a number", got="None", fix="Pass 1.0.")
    >>> str(error)
    'f: expected a number, got None. Pass 1.0.'
    """

    def __init__(self, *, where: str, expected: str, got: str, fix: str) -> None:
        super().__init__(f"{where}: expected {expected}, got {got}. {fix}")
        self.where, self.expected, self.got, self.fix = where, expected, got, fix

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), vars(self))


def _rebuild(cls: type[GradwalkError], parts: dict[str, str]) -> GradwalkError:
    return cls(**parts)


class NotANumberError(GradwalkError, TypeError):
    """Something that is no real number stood where a number belongs.

    Cause: ``Value("2")``, ``gradwalk.exp([1.0])``, ``v.data = None``.
    Right: ``Value(2.0)``, ``[gradwalk.exp(x) for x in xs]``, ``v.data = 0.0``.
    """


class SilentDetachError(GradwalkError, TypeError):
    """A Value was about to become a plain float, which would silently lose its gradient.

    Cause: ``math.exp(v)`` or ``float(v)``.
    Right: ``gradwalk.exp(v)`` to differentiate, ``v.data`` for the number alone.
    """


class FreedGraphError(GradwalkError, RuntimeError):
    """A graph was walked again after ``backward(retain_graph=False)`` had released it.

    Cause: ``y.backward(retain_graph=False); y.backward()``.
    Right: keep the graph with ``y.backward()``, or compute ``y`` again.
    """


class InPlaceError(GradwalkError, RuntimeError):
    """Numbers were about to be overwritten that a gradient still depends on.

    Cause: ``w[0] = 1.0`` or ``w -= 0.1 * w.grad`` on a Tensor that requires gradients, or
    ``w.data[0] = 1.0`` between the forward and the backward pass.
    Right: update leaves inside ``with gradwalk.no_grad():``, and arrays after ``backward()``.
    """


class KeyRangeError(GradwalkError, IndexError):
    """An index points outside of an array, or is nothing that an array can be indexed with.

    Cause: ``t[3]`` on a Tensor of length 3, ``t[0.5]``, ``t[mask]`` with a mask of another shape.
    Right: whole numbers from -3 to 2, slices, masks of the shape of ``t``.
    """


class LeakedTraceError(GradwalkError, RuntimeError):
    """A value was used that a side effect took out of a transform which has ended.

    Cause: ``saved.append(x)`` inside of ``f``, and ``saved[0] + 1.0`` after ``grad(f)(2.0)``.
    Right: return it as well, ``grad(f, has_aux=True)``, or keep the number, ``x.data``.
    """


class SizeError(GradwalkError, ValueError):
    """A list has the wrong length; nothing is ever cut short by a silent ``zip``.

    Cause: ``MLP(2, [1])([1.0, 2.0, 3.0])``.
    Right: as many inputs as the layer was built for, ``MLP(3, [1])([1.0, 2.0, 3.0])``.
    """


class OptionError(GradwalkError, ValueError):
    """An option has a value that means nothing: an unknown name, or a number out of its range.

    Cause: ``Neuron(2, activation="thanh")``.
    Right: one of the names that the message lists.
    """


class StateDictError(GradwalkError, KeyError):
    """A state dict does not fit the module that loads it: missing, unexpected or mis-shaped.

    Cause: loading the weights of ``MLP(2, [4, 1])`` into ``MLP(2, [8, 1])``.
    Right: build the module with the sizes that were saved; ``strict=False`` skips names.
    """

    __str__ = Exception.__str__  # KeyError shows the repr, which would escape the message


class MissingExtraError(GradwalkError, ImportError):
    """A part of gradwalk needs a package that is not installed.

    Cause: ``gradwalk.inspect.plot_loss(losses)`` without matplotlib.
    Right: ``pip install 'gradwalk[plot]'``, or the extra that the message names.
    """


class GradientCheckError(GradwalkError, AssertionError):
    """A gradient does not agree with differences, in ``check_gradients(raise_on_failure=True)``.

    Cause: a rule with a mistake, or a computation that leaves the graph by ``.data``.
    Right: mend the row that the report names; compute with Values throughout.
    """


class ConvergenceError(GradwalkError, RuntimeError):
    """An iteration has not come to rest.

    Cause: ``fixed_point(lambda x: 2.0 * x + 1.0, 0.0)``, whose steps grow.
    Right: a contraction, a start nearer to the result, more steps, or smaller ones.
    """


class NonFiniteError(GradwalkError, ArithmeticError):
    """Training met a NaN or an infinity, and there is nothing sensible to do with it.

    Cause: a learning rate so large that the loss diverges; a gradient norm that is infinite.
    Right: a smaller ``lr``; ``clip_grad_norm_`` before every step.
    """


class DataError(GradwalkError, ValueError):
    """A data file or a data set is not what it should be; the line and column are named.

    Cause: a CSV cell that is no number.
    Right: numbers in every column, the target in the last.
    """


class ExpressionError(GradwalkError, ValueError):
    """A formula typed by a user cannot be read; the character is pointed at.

    Cause: ``gradwalk show "(a + b * c"``.
    Right: ``gradwalk show "(a + b) * c" a=2 b=-3 c=10``.
    """
