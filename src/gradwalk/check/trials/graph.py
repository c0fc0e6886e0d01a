"""`Graph`: the program of a loss, with what its operations depend on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from ...engine.value import Value

__all__ = ["AFFINE", "MOVES", "Graph"]

AFFINE = ("affine", "matmul")
"""Operations that multiply data by a weight."""
MOVES = ("reshape", "permute_dims", "squeeze", "expand_dims", "index", "flatten")
"""Operations that only move elements."""


class Graph:
    """The run of a loss. Atoms are its variables (>= 0) and constants (< 0)."""

    run: Any
    program: Any

    def __init__(self, run: Any) -> None:
        self.run, self.program = run, run.program
        self.atoms: dict[int, int] = {
            id(node): atom for atom, node in enumerate(run.nodes[: run.program.inputs])
        }

    def __len__(self) -> int:
        return len(self.program)

    def name(self, k: int) -> str:
        """Return the name of the operation of equation k."""
        return str(self.program.primitive(k).name)

    def operands(self, k: int) -> tuple[int, ...]:
        """Return the atoms that equation k reads."""
        return tuple(self.program.operands(k))

    def results(self, k: int) -> tuple[int, ...]:
        """Return the atoms that equation k defines."""
        return tuple(self.program.results(k))

    def options(self, k: int) -> dict[str, Any]:
        """Return the options of equation k."""
        return dict(self.program.params.get(k) or {})

    def atom(self, parameter: Any) -> int | None:
        """Return the variable of a parameter; ``None`` if the loss does not use it."""
        node = parameter if isinstance(parameter, Value) else parameter._node
        return self.atoms.get(id(node)) if node is not None else None

    @cached_property
    def cotangents(self) -> dict[int, Any]:
        """The gradients of the variables that one reaches."""
        with self.run.quiet():
            found: dict[int, Any] = self.run.cotangents(self.run.seed())
        return found

    def gradient(self, parameter: Any) -> Any:
        """Return the gradient of a parameter; ``None`` without one."""
        atom = self.atom(parameter)
        found = None if atom is None else self.cotangents.get(atom)
        return None if found is None else np.asarray(found)

    @cached_property
    def users(self) -> dict[int, list[int]]:
        """The equations that read each variable."""
        found: dict[int, list[int]] = {}
        for k in range(len(self)):
            for a in set(self.operands(k)):
                if a >= 0:
                    found.setdefault(a, []).append(k)
        return found

    @cached_property
    def makers(self) -> dict[int, int]:
        """The equation that defines each variable."""
        return {a: k for k in range(len(self)) for a in self.results(k)}

    @cached_property
    def weights(self) -> dict[int, int]:
        """The leaf of each variable that is a leaf, or one that is reshaped, transposed or cast."""
        found = {a: a for a in range(self.program.inputs)}
        for k in range(len(self)):
            operands = self.operands(k)
            if len(operands) == 1 and operands[0] in found and len(self.results(k)) == 1:
                found[self.results(k)[0]] = found[operands[0]]
        return found

    def depending(self, leaves: set[int]) -> set[int]:
        """Return the variables that depend on some leaves, these included."""
        found = set(leaves)
        for k in range(len(self)):
            if found.intersection(self.operands(k)):
                found.update(self.results(k))
        return found

    def behind(self, atom: int) -> set[int]:
        """Return the variables that one depends on, itself included."""
        found, rest = set[int](), [atom]
        while rest:
            a = rest.pop()
            if a < 0 or a in found:
                continue
            found.add(a)
            if a in self.makers:
                rest += self.operands(self.makers[a])
        return found

    def calls(self, name: str) -> Iterator[int]:
        """Yield the equations of one operation."""
        return (k for k in range(len(self)) if self.name(k) == name)
