"""Reports as the judge writes them, for tests of the page that need no judge."""

from __future__ import annotations

from typing import Any

__all__ = ["ENGINE", "RIGHT", "UNUSABLE", "WRONG"]

ENGINE = """import math


class Value:
    def __init__(self, data, _children=()):
        self.data = data
        self.grad = 0.0
        self._prev = _children
        self._backward = lambda: None

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))

        def _backward():
            self.grad += (1 - self.data ** 2) * out.grad
        out._backward = _backward
        return out
"""

STATES = ["passed", "wrong", "passed", "passed", "missing", "limit", *["missing"] * 5, "waiting"]


def phases(states: list[str]) -> list[dict[str, Any]]:
    return [
        {"phase": at + 1, "state": state, "checks": 9 * (state != "missing"), "failed": 0}
        for at, state in enumerate(states)
    ]


def step(node: str, kind: str, yours: float, right: float, line: int | None) -> dict[str, Any]:
    return {"node": node, "kind": kind, "yours": yours, "right": right, "line": line}


TANH = {
    "id": "tanh_from_x",
    "phase": 2,
    "level": "wrong",
    "op": "tanh",
    "title": "the derivative of tanh is computed from x",
    "says": "Yours is 1 - x ** 2. It must be 1 - t ** 2, with the result t.",
    "certainty": "exact",
    "explains": 9,
    "line": 15,
    "others": [],
    "program": "y = tanh(a) * b",
    "values": {"a": 1.6, "b": 2.0},
    "walk": {
        "step": 6,
        "node": "a",
        "yours": -3.12,
        "right": 0.3011,
        "nodes": [
            {"name": "a", "op": "", "inputs": [], "yours": 1.6, "right": 1.6},
            {"name": "b", "op": "", "inputs": [], "yours": 2.0, "right": 2.0},
            {"name": "t", "op": "tanh", "inputs": [0], "yours": 0.9217, "right": 0.9217},
            {"name": "y", "op": "mul", "inputs": [2, 1], "yours": 1.8434, "right": 1.8434},
        ],
        "steps": [
            step("a", "forward", 1.6, 1.6, None),
            step("t", "forward", 0.9217, 0.9217, 12),
            step("y", "forward", 1.8434, 1.8434, None),
            step("y", "backward", 1.0, 1.0, None),
            step("t", "backward", 2.0, 2.0, None),
            step("b", "backward", 0.9217, 0.9217, None),
            step("a", "backward", -3.12, 0.3011, 15),
        ],
    },
    "hints": [
        "At x = 1.6 yours is negative. Can tanh fall?",
        "The rule 1 - t² wants `t`, the result.",
        "`(1 - t ** 2) * out.grad`",
    ],
    "lesson": "chain",
    "misconception": None,
    "again": True,
}

WRONG: dict[str, Any] = {
    "schema": "gradwalk-workshop/1",
    "file": "my_engine.py",
    "engine": "Value",
    "verdict": "wrong",
    "phases": phases(STATES),
    "mistakes": [
        TANH,
        {"id": "deep_recursion", "phase": 11, "level": "limit", "title": "deep graphs end it",
         "says": "3000 nodes are too many for Python's calls.", "certainty": "likely",
         "explains": 1, "line": 5, "program": "x = x + 1, 3000 times", "values": {"x": 1.0},
         "walk": None, "hints": ["How deep may Python call?"], "misconception": "recursion"},
    ],
    "unexplained": [
        {"phase": 3, "program": "y = a * a", "values": {"a": 3.0},
         "yours": {"a.grad": "nan"}, "right": {"a.grad": 6.0}, "error": None}
    ],
    "missing": ["sigmoid"],
    "ran": {"seconds": 0.4, "restarts": 0, "stopped": None, "printed": "hello from the file"},
    "error": None,
}  # fmt: skip

RIGHT: dict[str, Any] = {
    **WRONG,
    "verdict": "right",
    "mistakes": [],
    "unexplained": [],
    "phases": phases(["passed"] * 6 + ["missing"] * 6),
}

UNUSABLE: dict[str, Any] = {
    **RIGHT,
    "verdict": "unusable",
    "phases": [],
    "error": {"line": 3, "message": "SyntaxError: invalid syntax"},
}
