"""Run a program on arrays in Python, one equation after the other: the specification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...core.primitive import Primitive
from ...ops.array.evaluation import function_of
from ..program import GUARD, NO_PARAMS, Aval, Program, answers, apply_plainly

__all__ = [
    "PythonArrayExecutor",
    "Step",
    "aval_of",
    "line_of",
    "own",
    "run_step",
    "steps_of",
]


class Step(NamedTuple):
    """An equation on numbered cells: it fills ``results`` cells from ``out`` on.

    Cells are the variables, then the constants. A guard has no primitive: ``out`` is its index.
    ``given`` has shape and dtype of each operand that is an array, or a constant number, or
    ``None`` for a number; ``aval`` is that of the result.
    """

    primitive: Primitive | None
    operands: tuple[int, ...]
    out: int
    options: Any
    given: tuple[Any, ...]
    aval: Any
    results: int

    @property
    def outs(self) -> range:
        """The cells that it fills."""
        return range(self.out, self.out + self.results)


def steps_of(program: Program) -> Iterator[Step]:
    """Yield the equations of a program as steps."""
    size, nothing = program.variables, [None] * program.variables  # of a program of numbers
    avals: Any = [*(program.avals or nothing), *map(aval_of, program.consts)]
    asked, first, atoms = 0, program.first, program.atoms
    outs = program.outs or range(program.inputs, size + 1)
    for k, place in enumerate(program.op):
        primitive, params = program.table[place], program.params.get(k, NO_PARAMS)
        cells = tuple([a if a >= 0 else size + ~a for a in atoms[first[k] : first[k + 1]]])
        given = tuple([avals[c] for c in cells])
        if primitive is GUARD:
            yield Step(None, cells, asked, NO_PARAMS, given, None, 0)
            asked += 1
            continue
        out, count = outs[k], outs[k + 1] - outs[k]
        yield Step(primitive, cells, out, params, given, avals[out] if count == 1 else None, count)


def aval_of(x: Any) -> Any:
    """Return shape and dtype of a constant array, and a number unchanged."""
    return Aval(x.shape, x.dtype) if isinstance(x, np.ndarray) else x


class PythonArrayExecutor:
    """The program in Python: each step applies its primitive to what is in its cells."""

    def __init__(self, program: Program) -> None:
        self.program: Program = program
        self.steps: list[Step] = [*steps_of(program)]
        self.guards: list[Any] = [params["answer"] for params in program.guards()]
        size = program.variables
        self.outputs: list[int] = [a if a >= 0 else size + ~a for a in program.outputs]

    def call(self, numbers: list[Any]) -> list[Any] | int:
        """Return the outputs for these inputs, or the index of the first guard that fails."""
        rest = self.program.variables - self.program.inputs
        cells: list[Any] = [*numbers, *[None] * rest, *self.program.consts]
        with np.errstate(all="ignore"):
            for step in self.steps:
                args = [cells[o] for o in step.operands]
                if step.primitive is None:
                    if not answers(args[0], self.guards[step.out]):
                        return step.out
                elif step.results == 1:
                    cells[step.out] = run_step(step, args)
                else:
                    cells[step.out : step.out + step.results] = run_step(step, args)
        return [own(cells[o]) for o in self.outputs]

    def listing(self) -> str:
        """Return one line per operation."""
        steps = [step for step in self.steps if step.primitive is not None]
        return "\n".join([f"{len(steps):,} operations on arrays", *map(line_of, steps)])


def line_of(step: Step) -> str:
    """Return a step as a line of a listing."""
    assert step.primitive is not None
    operands = " ".join(f"c{o}" for o in step.operands)
    size = f"{step.aval.dtype}{list(step.aval.shape)}" if step.aval is not None else ""
    outs = " ".join(f"c{o}" for o in step.outs)
    return f"{outs}  {step.primitive.name}  {operands}  {size}".rstrip()


def run_step(step: Step, args: list[Any]) -> Any:
    """Return the result of a step on numbers and arrays, or a tuple of several."""
    primitive = step.primitive
    assert primitive is not None
    if step.results == 1 and step.aval is None:
        y = apply_plainly(primitive, [a if a is None else float(a) for a in args], step.options)
        return y if y is None else float(y)  # type: ignore[arg-type]
    y = function_of(primitive)(*args, **step.options)
    return y if step.results != 1 else np.asarray(y[0] if type(y) is tuple else y)


def own(y: Any) -> Any:
    """Return a result in memory of its own."""
    return y.copy() if isinstance(y, np.ndarray) else y
