"""Cases: one formula each, with what was observed, what is right, and where they differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from .graph import Data, Graph, close, number, right_graph, seen_graph
from .programs import FORMULAS, Formula
from .report import Mistake, Step, Walk
from .simulate import RIGHT, Run, simulate

__all__ = ["Case", "cases_of"]


@dataclass(eq=False)
class Case:
    """A formula and the observer's record of it."""

    formula: Formula
    record: dict[str, Any]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The numbers of the names after each line."""
        found: list[dict[str, Any]] = self.record["lines"]
        return found

    @property
    def error(self) -> dict[str, Any] | None:
        """The exception that ended the program."""
        found: dict[str, Any] | None = self.record.get("error")
        return found

    @cached_property
    def right(self) -> Graph:
        """The graph as the formula is written, with the right numbers."""
        return right_graph(self.formula)

    @cached_property
    def right_run(self) -> Run:
        """The right backward pass."""
        return simulate(self.right, RIGHT)

    @cached_property
    def seen(self) -> Graph | None:
        """The graph that the learner's class built."""
        return seen_graph(self.formula, self.record) if self.record.get("nodes") else None

    @cached_property
    def once(self) -> bool:
        """Whether there is one backward pass, at the end."""
        return self.formula.text.count(".backward()") == 1

    @cached_property
    def wrong_data(self) -> list[str]:
        """Names whose numbers are wrong, in the order of the lines; changed operands too."""
        found: list[str] = []
        for row in self.lines:
            for name, seen in row.items():
                want = self.right.nodes[self.right.names[name]].data
                bad = "is" in seen or not close(number(seen.get("data")), want, 1e-9)
                if bad and name not in found:
                    found.append(name)
        return found

    def right_grad(self, name: str) -> float:
        """Return the right gradient of a name."""
        return self.right_run.grads[self.right.names[name]] or 0.0

    def grad(self, name: str) -> Data:
        """Return the learner's gradient of a name after the last line."""
        seen = self.lines[-1].get(name, {}) if self.lines else {}
        return number(seen.get("grad"))

    @cached_property
    def ran_backward(self) -> bool:
        """Whether the backward pass was run to its end."""
        return self.error is None and len(self.lines) == len(self.formula.text.split("\n"))

    @cached_property
    def wrong_grads(self) -> list[str]:
        """Leaves whose gradients are wrong; ``None`` counts as 0 where nothing arrives."""
        if not self.ran_backward or not self.once:
            return []
        return [
            name
            for name, _ in self.formula.values
            if not close(self.grad(name) or 0.0, self.right_grad(name))
            or (self.grad(name) is None and self.right_grad(name) != 0.0)
        ]

    @property
    def writes(self) -> list[list[Any]]:
        """Each change of a gradient in the last backward pass: line, node, old, new."""
        found = self.record.get("writes") or [[]]
        rows: list[list[Any]] = found[-1]
        return rows

    def matches(self, run: Run) -> bool:
        """Whether a simulated pass leaves the gradients that were observed at the leaves."""
        graph = self.seen
        return (
            graph is not None
            and run.complete
            and all(
                close(self.grad(name) or 0.0, run.grads[graph.names[name]], 1e-6)
                for name, _ in self.formula.values
                if name in graph.names
            )
        )

    def same_writes(self, run: Run) -> bool:
        """Whether the simulated pass made the same writes in the same order."""
        seen = [(node, number(new)) for _, node, _, new in self.writes]
        return len(seen) == len(run.writes) and all(
            a == c and close(b, d, 1e-6) for (a, b), (c, d) in zip(seen, run.writes, strict=True)
        )

    def walk(self) -> Walk:
        """Return the two walks, forward and backward, with the first step at which they differ."""
        graph = self.right
        names = {index: name for name, index in reversed(graph.names.items())}
        where = self.record.get("named", {})
        nodes: list[dict[str, Any]] = []
        steps: list[Step] = []
        index_of: dict[int, int] = {}
        for index, node in enumerate(graph.nodes):
            name = names.get(index, f"node {index}")
            yours = self._data(names.get(index))
            index_of[index] = len(nodes)
            inputs = [index_of[x] for x in node.operands]
            constants = [x for x in node.args if not isinstance(x, int)]
            nodes.append(
                {
                    "name": name,
                    "op": node.op,
                    "inputs": inputs,
                    "constants": constants,
                    "yours": yours,
                    "right": node.data,
                }
            )
            steps.append(Step(name, "forward", yours, node.data))
        lines = {node: line for line, node, _, _ in self.writes}
        order = sorted(range(len(graph.nodes)), reverse=True)
        for index in order if self.ran_backward else ():
            named = names.get(index)
            yours = self.grad(named) if named else None
            line = lines.get(where.get(named, -1)) if named else None
            steps.append(
                Step(
                    named or f"node {index}",
                    "backward",
                    yours,
                    self.right_run.grads[index],
                    line or None,
                )
            )
        leaves = {name for name, _ in self.formula.values}
        first = next(
            (
                i
                for i, s in enumerate(steps)
                if (s.kind == "forward" or s.node in leaves or self._keeps)
                and (s.yours is not None or s.kind == "forward")
                and not close(s.yours, s.right)
            ),
            None,
        )
        return Walk(tuple(nodes), tuple(steps), first)

    @cached_property
    def _keeps(self) -> bool:
        """Whether the engine keeps the gradients of inner nodes."""
        name = self.formula.names[-1]
        return self.grad(name) not in (None, 0.0)

    def _data(self, name: str | None) -> Data:
        if name is None:
            return None
        for row in self.lines:
            if name in row:
                return number(row[name].get("data"))
        return None

    @property
    def shown(self) -> str:
        """The program as the learner would write it, without the call of ``backward``."""
        return self.formula.text

    @cached_property
    def size(self) -> int:
        """The number of operations, by which the smallest program is chosen."""
        return len(self.right.nodes) + self.formula.text.count("\n")

    @cached_property
    def nested(self) -> set[str]:
        """The operations that the program's operations call."""
        rows = [inner for row in self.record.get("calls", ()) for inner in row["inside"]]
        found: set[str] = set()
        while rows:
            row = rows.pop()
            found.add(row["op"])
            rows += row["inside"]
        return found

    def mistake(
        self,
        id: str,
        phase: int,
        title: str,
        says: str,
        hints: tuple[str, ...],
        *,
        op: str = "",
        line: int | None = None,
        level: str = "wrong",
        explains: int = 1,
        certainty: str = "exact",
        others: tuple[str, ...] = (),
        again: bool = False,
    ) -> Mistake:
        """Return a mistake that this program shows."""
        return Mistake(
            id,
            phase,
            title,
            f"{says} {self.formula.why}".strip(),
            level,
            op,
            certainty,
            explains,
            line,
            others,
            self.shown,
            dict(self.formula.values),
            self.walk(),
            (hints[0], hints[1], hints[2]),
            again,
        )

    def finite(self) -> bool:
        """Whether all right numbers are finite."""
        return all(isfinite(node.data) for node in self.right.nodes)


def cases_of(records: dict[str, dict[str, Any]], own: Iterable[Formula] = ()) -> list[Case]:
    """Return a case for every formula that was run."""
    rows = (*FORMULAS.values(), *own)
    return [Case(row, records[row.id]) for row in rows if row.id in records]
