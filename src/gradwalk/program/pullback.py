"""The gradient of a program, as a program: its equations, then those of a reverse pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.expect import is_array
from ..errors import OptionError
from ..levels.vjp import VJPLevel, instantiate_zeros
from .program import Program, evaluate, number_of
from .recording.recorder import Recorder

__all__ = ["gradients_on", "pullback"]


def pullback(program: Program, numbers: Sequence[Any]) -> Program:
    """Return the program of the gradients by all inputs: see `Program.grad`."""
    given = [*numbers]
    for i in range(len(given), program.inputs):
        if i not in program.sources:
            raise OptionError(
                where="program.grad(*inputs)",
                expected=f"a number or an array for each of the {program.inputs} inputs",
                got=f"{len(numbers)}",
                fix="Pass those that the program was made with: the shapes have to be known.",
            )
        given.append(number_of(program.sources[i]))
    place = next((x.place for x in given if hasattr(x, "place")), None)  # of another library
    with Recorder(place=place) as recorder:
        inputs = [recorder.input(x) for x in given]
        _, gradients = gradients_on(program, inputs, given)
        payloads = [
            recorder.arrays.output(t)
            if is_array(x) or hasattr(x, "place")
            else recorder.operand(t, "program.grad()")
            for t, x in zip(gradients, given, strict=True)
        ]
        outside = recorder.sources()  # what functions that are bodies close over
        atoms = [*[x._payload for x in inputs], *[atom for _, atom in outside]]
        found = recorder.program(atoms, payloads)
    found.sources = program.sources | dict(enumerate([x for x, _ in outside], len(inputs)))
    found.names |= {a: name for a, name in program.names.items() if 0 <= a < program.inputs}
    return found


def gradients_on(
    program: Program, inputs: Sequence[Any], numbers: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """Return all variables as tracers of ``inputs``, and the gradient of the result by each input.

    ``inputs`` are tracers of a recorder, ``numbers`` are what they have in this run.
    """
    with VJPLevel("program.grad") as tape:
        leaves = [tape.leaf(x) for x in inputs]
        env = evaluate(program, leaves)
        y = env[program.outputs[0]]
        seed = _ones(y) if hasattr(y, "shape") else 1.0
        found = tape.gradients([y], [seed], release=True)
    gradients = [instantiate_zeros(found.get(leaf._payload)) for leaf in leaves]
    zeros = [0.0 * x for x in numbers]
    pairs = zip(gradients, zeros, strict=True)
    primals = [getattr(x, "_primal", x) for x in env]
    return primals, [zero if t is None else t for t, zero in pairs]


def _ones(y: Any) -> object:
    import numpy as np

    return np.ones(y.shape, y.dtype)
