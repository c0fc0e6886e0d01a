"""What `check` returns: twelve phases, mistakes by name, and what is not understood."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

__all__ = ["PHASES", "Mistake", "Phase", "Report", "Step", "Unexplained", "Walk"]

PHASES: Final = (
    (
        "operators and forward",
        "Write Value(data) with data and grad, and the operators + - * / ** and -a, which "
        "return new Values.",
        "A graph can only be differentiated if each result is a number of its own.",
    ),
    (
        "local derivatives",
        "For each operation, say how much its result changes with each operand.",
        "These one-line rules are all the calculus that the engine needs.",
    ),
    (
        "backward and the chain rule",
        "Write backward(): the result's gradient is 1, then each node passes on, consumers first.",
        "What arrives at a node must be complete before the node multiplies it and passes it on.",
    ),
    (
        "contributions add up",
        "Let each use of a number add its contribution to the gradient.",
        "A number that is used twice changes the result in two ways, and the changes add up.",
    ),
    (
        "numbers on either side",
        "Let plain numbers stand on either side: a + 3, 3 - a, 3 / a, sum([a, b]).",
        "Formulas have constants, and Python asks the right operand when the left one is a number.",
    ),
    (
        "functions",
        "Write exp, log, tanh, sigmoid and relu, as methods or functions; each is optional.",
        "A net of sums and products alone is a straight line, however many layers it has.",
    ),
    (
        "numerical gradient",
        "Write numerical_gradient(f, x, eps), which moves x a little to both sides.",
        "It needs no rule, so it can judge the rules.",
    ),
    (
        "neurons, layers, MLP",
        "Write Neuron(nin), Layer(nin, nout) and MLP(nin, nouts), each with parameters().",
        "Training can change only the numbers that parameters() returns.",
    ),
    (
        "training",
        "Write train(model, xs, ys, steps, lr), which returns the loss of each step.",
        "Gradients say in which direction the loss falls; the loop takes the steps.",
    ),
    (
        "large numbers",
        "Let functions whose result is finite return it: tanh(1000) is 1.",
        "exp(1000) is too large for a float, and a formula may go through it without need.",
    ),
    (
        "deep and wide graphs",
        "Let backward() handle 3000 additions in a row, and x = x + x 22 times.",
        "Python's calls have a limit, and paths can be as many as 2 to the power of 22.",
    ),
    (
        "a second graph",
        "Let zero_grad() set the gradients back, and let a second graph be right.",
        "Training builds a new graph at each step.",
    ),
)
"""Title, what to write, and why, of each phase."""


@dataclass(frozen=True)
class Step:
    """One number of a walk: of which node, in which direction, the learner's and the right one."""

    node: str
    kind: str
    yours: float | None
    right: float | None
    line: int | None = None


@dataclass(frozen=True)
class Walk:
    """Two walks through one program: the learner's numbers and the right ones, step by step."""

    nodes: tuple[dict[str, Any], ...]
    steps: tuple[Step, ...]
    step: int | None
    """The first step at which they differ."""


_LESSONS: Final = (
    *("numbers", "numbers", "order", "paths", "numbers", "chain"),
    *("numbers", "neuron", "neuron", "neuron", "order", "order"),
)
"""The lesson for each phase."""

_MISCONCEPTIONS: Final = {
    "assign": {"assign_everywhere", "assign", "first_contribution"},
    "recursion": {"every_path", "reseeded_paths", "no_visited", "exponential"},
    "order": {"not_reversed", "levels", "last_in", "root_first", "root_first_reversed", "requeued"},
    "reset": {"train_no_zero", "zero_grad_incomplete"},
    "twice": {"second_graph"},
}
"""Which mistakes the page's room of misconceptions shows."""


@dataclass(frozen=True)
class Mistake:
    """One mistake, by name.

    ``level``      ``wrong``, ``limit`` (right up to a bound) or ``remark``
    ``certainty``  ``exact`` (all programs are reproduced), ``likely`` or ``place`` (only located)
    ``explains``   the number of wrong programs that it accounts for
    ``others``     titles of mistakes that leave the same numbers
    ``again``      whether it may hide others: repair it, and run again
    """

    id: str
    phase: int
    title: str
    says: str
    level: str = "wrong"
    op: str = ""
    certainty: str = "exact"
    explains: int = 0
    line: int | None = None
    others: tuple[str, ...] = ()
    program: str = ""
    values: dict[str, float] = field(default_factory=dict)
    walk: Walk | None = None
    hints: tuple[str, str, str] = ("", "", "")
    again: bool = False

    @property
    def lesson(self) -> str:
        """The lesson that explains what the phase needs."""
        return _LESSONS[self.phase - 1]

    @property
    def misconception(self) -> str | None:
        """The misconception that shows this mistake step by step, if there is one."""
        return next((name for name, ids in _MISCONCEPTIONS.items() if ids & self._names), None)

    @property
    def _names(self) -> set[str]:
        return {self.id, self.id.removeprefix(f"{self.op}_")}

    @property
    def difference(self) -> Step | None:
        """The first step at which the learner's walk differs from the right one."""
        if self.walk is None or self.walk.step is None:
            return None
        return self.walk.steps[self.walk.step]


@dataclass(frozen=True)
class Unexplained:
    """A program that is wrong for a reason that was not found, with its numbers."""

    phase: int
    program: str
    values: dict[str, float]
    yours: dict[str, float | None]
    right: dict[str, float | None]
    error: str | None = None


@dataclass(frozen=True)
class Phase:
    """One of the twelve phases: how many checks ran, how many failed, and its state."""

    phase: int
    state: str
    checks: int
    failed: int

    @property
    def title(self) -> str:
        """The name of the phase."""
        return PHASES[self.phase - 1][0]

    @property
    def asks(self) -> str:
        """What to write."""
        return PHASES[self.phase - 1][1]

    @property
    def why(self) -> str:
        """Why it is needed."""
        return PHASES[self.phase - 1][2]


@dataclass(frozen=True)
class Report:
    """What was found in an engine.

    >>> from gradwalk.workshop import check_text, skeleton
    >>> report = check_text(skeleton())
    >>> report.verdict, report.phases[0].state
    ('right', 'missing')
    """

    file: str
    engine: str | None
    phases: tuple[Phase, ...]
    mistakes: tuple[Mistake, ...]
    unexplained: tuple[Unexplained, ...] = ()
    missing: tuple[str, ...] = ()
    seconds: float = 0.0
    restarts: int = 0
    stopped: str | None = None
    printed: str = ""
    error: dict[str, Any] | None = None

    @property
    def verdict(self) -> str:
        """``right``, ``wrong``, or ``unusable`` if the file cannot be read."""
        if self.error is not None:
            return "unusable"
        wrong = self.unexplained or any(m.level == "wrong" for m in self.mistakes)
        return "wrong" if wrong else "right"

    def as_json(self) -> dict[str, Any]:
        """Return the report as an object for JSON; nan and infinities are strings."""
        return {
            "schema": "gradwalk-workshop/1",
            "file": self.file,
            "engine": self.engine,
            "verdict": self.verdict,
            "phases": [
                {
                    "phase": p.phase,
                    "title": p.title,
                    "state": p.state,
                    "checks": p.checks,
                    "failed": p.failed,
                    "asks": p.asks,
                    "why": p.why,
                }
                for p in self.phases
            ],
            "mistakes": [_mistake(m) for m in self.mistakes],
            "unexplained": [
                {
                    "phase": u.phase,
                    "program": u.program,
                    "values": _numbers(u.values),
                    "yours": _numbers(u.yours),
                    "right": _numbers(u.right),
                    "error": u.error,
                }
                for u in self.unexplained
            ],
            "missing": list(self.missing),
            "ran": {
                "seconds": round(self.seconds, 3),
                "restarts": self.restarts,
                "stopped": self.stopped,
                "printed": self.printed,
            },
            "error": self.error,
        }


def _number(x: float | None) -> float | str | None:
    return x if x is None or isfinite(x) else repr(x)


def _numbers(row: dict[str, Any]) -> dict[str, Any]:
    return {key: _number(x) for key, x in row.items()}


def _mistake(m: Mistake) -> dict[str, Any]:
    walk: dict[str, Any] | None = (
        None
        if m.walk is None
        else {
            "step": m.walk.step,
            "nodes": [
                {**n, "yours": _number(n["yours"]), "right": _number(n["right"])}
                for n in m.walk.nodes
            ],
            "steps": [
                {
                    "node": s.node,
                    "kind": s.kind,
                    "yours": _number(s.yours),
                    "right": _number(s.right),
                    "line": s.line,
                }
                for s in m.walk.steps
            ],
        }
    )
    if walk and m.walk and m.walk.step is not None:
        step = m.walk.steps[m.walk.step]
        walk |= {"node": step.node, "yours": _number(step.yours), "right": _number(step.right)}
    return {
        "id": m.id,
        "phase": m.phase,
        "level": m.level,
        "op": m.op,
        "title": m.title,
        "says": m.says,
        "certainty": m.certainty,
        "explains": m.explains,
        "line": m.line,
        "others": list(m.others),
        "program": m.program,
        "values": _numbers(m.values),
        "walk": walk,
        "hints": list(m.hints),
        "lesson": m.lesson,
        "misconception": m.misconception,
        "again": m.again,
    }
