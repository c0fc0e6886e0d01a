"""The programs that the learner's engine runs: formulas in Python, with their phases.

A formula's text is run line by line by the observer on the learner's class, and by `simulate` on
the judge's. Names that are assigned are the nodes whose numbers are compared.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["FORMULAS", "OTHERS", "POINTS", "Formula", "formula", "jobs", "own_formula"]


@dataclass(frozen=True)
class Formula:
    """A small program: its text, the numbers of its leaves, and the phases that it belongs to.

    ``forward`` is the phase of its numbers and ``backward`` that of its gradients.
    """

    id: str
    text: str
    values: tuple[tuple[str, float], ...]
    forward: int
    backward: int
    single: str = ""  # the operation, where the program is that operation alone
    needs: tuple[str, ...] = ()
    why: str = ""  # what a teacher says of it

    @property
    def names(self) -> list[str]:
        """The leaves, then the assigned names, in order."""
        assigned = re.findall(r"^(\w+) =", self.text, re.MULTILINE)
        return list(dict.fromkeys([name for name, _ in self.values] + assigned))

    def job(self) -> dict[str, Any]:
        """Return what the observer is told: never what is right."""
        return {
            "id": self.id,
            "text": self.text,
            "values": dict(self.values),
            "names": self.names,
            "functions_needed": list(self.needs),
        }


def formula(
    id: str, text: str, values: str, forward: int, backward: int, single: str = ""
) -> Formula:
    """Make a formula from ``"a=2 b=3"``; its needs are the operations that its text has."""
    pairs = tuple((k, float(v)) for k, v in (part.split("=") for part in values.split()))
    return Formula(id, text, pairs, forward, backward, single, _needs(text))


def _needs(text: str) -> tuple[str, ...]:
    found = [name for name in ("exp", "log", "tanh", "sigmoid", "relu") if f"{name}(" in text]
    return tuple(found)


def own_formula(id: str, text: str, values: Mapping[str, float], why: str) -> Formula | None:
    """Make a formula of a teacher's text, or ``None`` if it is more than a formula.

    The text is evaluated by the judge, so it may have names, numbers, operators and the five
    functions only.
    """
    known = set(values)
    try:
        lines = ast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    for line in lines:
        target = line.targets[0] if isinstance(line, ast.Assign) else None
        if not isinstance(line, ast.Assign) or not isinstance(target, ast.Name):
            return None
        for node in ast.walk(line.value):
            if isinstance(node, ast.Name):
                fine = node.id in known or node.id in _CALLED
            elif isinstance(node, ast.Constant):
                fine = type(node.value) in (int, float)
            else:
                fine = isinstance(node, (*_PARTS, ast.Call)) and not getattr(node, "keywords", ())
            if not fine or (isinstance(node, ast.Call) and not isinstance(node.func, ast.Name)):
                return None
        known.add(target.id)
    if not lines:
        return None
    shown = f"{ast.unparse(ast.Module(lines, []))}\n{target.id}.backward()"  # type: ignore[union-attr]
    numbers = tuple((name, float(value)) for name, value in values.items())
    return Formula(id, shown, numbers, 3, 3, "", _needs(shown), why)


_CALLED: Final = {"exp", "log", "tanh", "sigmoid", "relu"}
_PARTS: Final = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)

POINTS: Final[dict[str, tuple[str, ...]]] = {
    "add": ("a=2 b=3", "a=-1.5 b=0.5", "a=0.1234567890123 b=-4"),
    "sub": ("a=2 b=3", "a=-1.5 b=0.5", "a=0.1234567890123 b=-4"),
    "mul": ("a=2 b=3", "a=-1.5 b=0.5", "a=0.1234567890123 b=-4"),
    "div": ("a=2 b=3", "a=-1.5 b=0.5", "a=0.1234567890123 b=-4", "a=6 b=4"),
    "neg": ("a=2", "a=-1.5", "a=0.1234567890123"),
    "exp": ("a=1.6", "a=-0.7", "a=0.3", "a=-2.1"),
    "log": ("a=1.6", "a=0.7", "a=0.3", "a=5"),
    "tanh": ("a=1.6", "a=-0.7", "a=0.3", "a=-2.1"),
    "sigmoid": ("a=1.6", "a=-0.7", "a=0.3", "a=-2.1"),
    "relu": ("a=1.6", "a=-0.7", "a=0.3", "a=-2.1", "a=3"),
}
TEXTS: Final = {
    "add": "a + b",
    "sub": "a - b",
    "mul": "a * b",
    "div": "a / b",
    "neg": "-a",
    "exp": "exp(a)",
    "log": "log(a)",
    "tanh": "tanh(a)",
    "sigmoid": "sigmoid(a)",
    "relu": "relu(a)",
}
POWERS: Final = (
    ("2", "a=3"),
    ("3", "a=2"),
    ("2", "a=-1.5"),
    ("-1", "a=4"),
    ("0.5", "a=2.25"),
    ("3", "a=-0.7"),
    ("4", "a=1.3"),
    ("1", "a=5"),
)
BASIC: Final = ("add", "sub", "mul", "div", "neg")


def _singles() -> list[Formula]:
    rows = []
    for op, text in TEXTS.items():
        phases = (1, 2) if op in BASIC else (6, 2)
        for i, point in enumerate(POINTS[op]):
            rows.append(formula(f"{op}.{i}", f"y = {text}\ny.backward()", point, *phases, op))
    for i, (n, point) in enumerate(POWERS):
        rows.append(formula(f"pow.{i}", f"y = a ** {n}\ny.backward()", point, 1, 2, "pow"))
    return rows


def _chains() -> list[Formula]:
    """Each operation with something after it, and before it: the chain rule."""
    rows = []
    texts = {**TEXTS, "pow": "a ** 3"}
    points = {"log": "a=1.6", "relu": "a=1.6"}
    for op, text in texts.items():
        point = points.get(op, "a=0.8 b=-1.7")
        if "b" not in text:
            point = point.split()[0]
        forward = 3 if op in (*BASIC, "pow") else 6
        rows += [
            formula(f"{op}.times", f"t = {text}\ny = t * 3\ny.backward()", point, forward, 3),
            formula(
                f"{op}.times_value",
                f"t = {text}\ny = t * c\ny.backward()",
                f"{point} c=-2.5",
                forward,
                3,
            ),
            formula(
                f"{op}.twice", f"t = {text}\nu = t + t\ny = u + u\ny.backward()", point, forward, 3
            ),
            formula(f"{op}.square", f"t = {text}\ny = t ** 2\ny.backward()", point, forward, 3),
        ]
        inner = text.replace("a", "s") if op not in ("tanh",) else "tanh(s)"
        inner = {
            "exp": "exp(s)",
            "log": "log(s)",
            "tanh": "tanh(s)",
            "sigmoid": "sigmoid(s)",
            "relu": "relu(s)",
        }.get(op, re.sub(r"\ba\b", "s", text))
        if "b" in text:
            right = re.sub(r"\bb\b", "s", text)
            rows.append(
                formula(
                    f"{op}.after_right",
                    f"s = b + d\ny = {right}\ny.backward()",
                    f"{point} d=0.4",
                    forward,
                    3,
                )
            )
        rows.append(
            formula(
                f"{op}.after", f"s = a + d\ny = {inner}\ny.backward()", f"{point} d=0.4", forward, 3
            )
        )
    return rows


def _uses() -> list[Formula]:
    """Each operation used twice: contributions add up."""
    rows = []
    two = {"add": "a + b", "sub": "a - b", "mul": "a * b", "div": "a / b"}
    for op, text in two.items():
        itself = text.replace("b", "a")
        rows.append(formula(f"{op}.itself", f"y = {itself}\ny.backward()", "a=3", 4, 4))
        rows.append(
            formula(f"{op}.itself_after", f"t = {itself}\ny = t + a\ny.backward()", "a=3", 4, 4)
        )
        rows.append(
            formula(
                f"{op}.uses",
                f"p = {text}\nq = {text.replace('b', 'c')}\nu = p * 3\n"
                "v = q * 5\ny = u + v\ny.backward()",
                "a=2 b=-1.5 c=0.7",
                4,
                4,
            )
        )
        rows.append(
            formula(
                f"{op}.uses_right",
                f"p = {text}\nq = {text.replace('a', 'c')}\nu = p * 3\n"
                "v = q * 5\ny = u + v\ny.backward()",
                "a=2 b=-1.5 c=0.7",
                4,
                4,
            )
        )
    for op, text in {**TEXTS, "pow": "a ** 3"}.items():
        again = re.sub(r"\bb\b", "d", re.sub(r"\ba\b", "c", text))
        point = "a=0.8 b=-1.7 c=1.4 d=0.6" if "b" in text else "a=0.8 c=1.4"
        forward = 6 if op in FUNCTIONS else 4
        line = f"p = {text}\nq = {again}\ny = p * q\ny.backward()"
        rows.append(formula(f"{op}.two", line, point, forward, 4))
    one = {
        "neg": "-a",
        "pow": "a ** 2",
        "exp": "exp(a)",
        "log": "log(a)",
        "tanh": "tanh(a)",
        "sigmoid": "sigmoid(a)",
        "relu": "relu(a)",
    }
    for op, text in one.items():
        forward = 6 if op in FUNCTIONS else 4
        rows.append(
            formula(
                f"{op}.uses",
                f"p = {text}\nq = {text}\nu = p * 3\nv = q * 5\ny = u + v\ny.backward()",
                "a=0.8",
                forward,
                4,
            )
        )
        rows.append(
            formula(f"{op}.and_leaf", f"p = {text}\ny = p + a\ny.backward()", "a=0.8", forward, 4)
        )
        rows.append(
            formula(f"{op}.after_leaf", f"p = {text}\ny = a + p\ny.backward()", "a=0.8", forward, 4)
        )
    return rows


FUNCTIONS: Final = ("exp", "log", "tanh", "sigmoid", "relu")

NAMED: Final = (
    ("sum", "t = a * b\ny = t + c\ny.backward()", "a=2 b=-3 c=10", 3),
    ("table", "s = a * b\nu = s + c\nv = a + d\ny = u * v\ny.backward()", "a=2 b=3 c=1 d=5", 3),
    ("diamond", "p = a * 2\nq = a * 3\ny = p + q\ny.backward()", "a=3", 3),
    ("diamond_product", "p = a + 1\nq = a * 2\ny = p * q\ny.backward()", "a=3", 3),
    ("inner_diamond", "t = a * b\np = t * 2\nq = t * 3\ny = p + q\ny.backward()", "a=2 b=-1.5", 3),
    ("inner_square", "t = a + b\np = t * t\ny = p * t\ny.backward()", "a=2 b=-0.5", 3),
    (
        "two_diamonds",
        "t = a * b\np = t + a\nq = p * t\nr = q + p\ny = r * q\ny.backward()",
        "a=1.2 b=-0.7",
        3,
    ),
    (
        "lopsided",
        "t = a * b\np = t * 2\nq = p + a\nr = q * 3\ny = r + t\ny.backward()",
        "a=2 b=-1.5",
        3,
    ),
    (
        "lopsided_left",
        "t = a * b\np = t * 2\nq = a + p\nr = q * 3\ny = t + r\ny.backward()",
        "a=2 b=-1.5",
        3,
    ),
    (
        "long_and_short",
        "t = a * 2\np = t * b\nq = p * p\nr = q + b\ny = t * r\ny.backward()",
        "a=0.5 b=-1.5",
        3,
    ),
    (
        "long_and_short_right",
        "t = a * 2\np = t * b\nq = p * p\nr = q + b\ny = r * t\ny.backward()",
        "a=0.5 b=-1.5",
        3,
    ),
    ("equal_values", "p = a * 1\nq = b * 1\nr = p + q\ny = r * c\ny.backward()", "a=2 b=2 c=2", 3),
    ("equal_leaves", "y = a * b\ny.backward()", "a=2 b=2", 3),
    ("equal_inner", "p = a + b\nq = a * b\nr = p * 3\ny = r + q\ny.backward()", "a=2 b=2", 3),
    ("zero_between", "t = a * b\np = t * 0\nq = t * 3\ny = p + q\ny.backward()", "a=2 b=5", 3),
    ("zero_inner", "t = a * b\np = t + a\ny = p * z\ny.backward()", "a=2 b=5 z=0", 3),
    ("chain", "p = a * b\nq = p * c\nr = q * d\ny = r * a\ny.backward()", "a=2 b=-1 c=0.5 d=3", 3),
    ("one_node", "y = a\ny.backward()", "a=2.718281828", 3),
    ("three_uses", "p = a + a\ny = p + a\ny.backward()", "a=3", 4),
    ("square_and_leaf", "t = a * a\ny = t + a\ny.backward()", "a=3", 4),
    ("cube", "t = a * a\ny = t * a\ny.backward()", "a=3", 4),
    ("sum_of_squares", "p = a * a\nq = b * b\nt = p + q\ny = t * t\ny.backward()", "a=2 b=-1.5", 4),
    ("leaf_then_inner", "t = a * b\ny = t * a\ny.backward()", "a=3 b=-2", 4),
    ("inner_twice", "t = a * b\ny = t * t\ny.backward()", "a=3 b=-2", 4),
    ("inner_twice_sum", "t = a * b\ny = t + t\ny.backward()", "a=3 b=-2", 4),
    ("used_by_two", "p = a * b\nq = a + c\ny = p - q\ny.backward()", "a=3 b=-2 c=7", 4),
    ("add_number", "y = a + 3\ny.backward()", "a=2.5", 5),
    ("number_add", "y = 3 + a\ny.backward()", "a=2.5", 5),
    ("add_float", "y = a + 2.5\ny.backward()", "a=2.5", 5),
    ("sub_number", "y = a - 3\ny.backward()", "a=2.5", 5),
    ("number_sub", "y = 3 - a\ny.backward()", "a=2.5", 5),
    ("number_sub_float", "y = 0.5 - a\ny.backward()", "a=-4", 5),
    ("mul_number", "y = a * 3\ny.backward()", "a=2.5", 5),
    ("mul_float", "y = a * 2.5\ny.backward()", "a=-1.5", 5),
    ("number_mul", "y = 3 * a\ny.backward()", "a=2.5", 5),
    ("div_number", "y = a / 4\ny.backward()", "a=2.5", 5),
    ("div_float", "y = a / 2.5\ny.backward()", "a=2.5", 5),
    ("sub_float", "y = a - 2.5\ny.backward()", "a=2.5", 5),
    ("mul_negative", "y = a * -2\ny.backward()", "a=2.5", 5),
    ("number_div", "y = 3 / a\ny.backward()", "a=2.5", 5),
    ("number_div_float", "y = 0.5 / a\ny.backward()", "a=-4", 5),
    ("python_sum", "y = sum([a, b])\ny.backward()", "a=2.5 b=-4", 5),
    ("numbers_mixed", "t = 2 * a\nu = t + 1\ny = u * a\ny.backward()", "a=2.5", 5),
    ("number_sub_chain", "t = 3 - a\ny = t * b\ny.backward()", "a=2.5 b=-2", 5),
    ("number_div_chain", "t = 3 / a\ny = t * b\ny.backward()", "a=2.5 b=-2", 5),
    ("tanh.far", "y = tanh(a)\ny.backward()", "a=1000", 10),
    ("tanh.far_below", "y = tanh(a)\ny.backward()", "a=-1000", 10),
    ("tanh.large", "y = tanh(a)\ny.backward()", "a=20", 10),
    ("sigmoid.far", "y = sigmoid(a)\ny.backward()", "a=1000", 10),
    ("sigmoid.far_below", "y = sigmoid(a)\ny.backward()", "a=-1000", 10),
    ("log.zero", "y = log(a)\ny.backward()", "a=0", 10),
    ("second_graph", "y = a * b\ny.backward()\nz = a + b\nz.backward()", "a=2 b=-3", 12),
    (
        "second_use",
        "t = a * b\ny = t * 2\ny.backward()\na.grad = 0.0\nb.grad = 0.0\nt.grad = 0.0\n"
        "z = t * 3\nz.backward()",
        "a=2 b=-3",
        12,
    ),
    (
        "second_loss",
        "y = a * b\ny.backward()\na.grad = 0.0\nb.grad = 0.0\nt = a * b\nz = t * a\nz.backward()",
        "a=2 b=-3",
        12,
    ),
    (
        "third_loss",
        "y = a + b\ny.backward()\na.grad = 0.0\nb.grad = 0.0\nu = a * b\n"
        "u.backward()\na.grad = 0.0\nb.grad = 0.0\nt = a * a\nz = t * b\nz.backward()",
        "a=2 b=-3",
        12,
    ),
)


def _all() -> list[Formula]:
    rows = [*_singles(), *_chains(), *_uses()]
    rows += [formula(id, text, values, phase, phase) for id, text, values, phase in NAMED]
    return rows


FORMULAS: Final = {row.id: row for row in _all()}
"""All formulas by their ids, in the order in which they are run."""

XOR: Final = ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-0.7, 0.6, 0.8, -0.5])
SCALES: Final = (-6.0, -3.0, -1.0, 0.0, 1.0, 3.0, 6.0)


def _others() -> list[dict[str, Any]]:
    """Return the programs that are not formulas; the observer runs those that it can."""
    rows: list[dict[str, Any]] = []
    row: dict[str, Any] = {
        "kind": "numerical",
        "function": "numerical_gradient",
        "at": 2.0,
        "names_needed": ["numerical_gradient"],
    }
    rows.append({**row, "id": "numerical", "eps": 1e-4})
    rows.append({**row, "id": "numerical.default", "eps": None})
    nets = (
        ("neuron", "Neuron", [3]),
        ("layer", "Layer", [3, 4]),
        ("layer.single", "Layer", [3, 1]),
        ("mlp", "MLP", [3, [4, 4, 1]]),
        ("mlp.two", "MLP", [2, [3, 2]]),
    )
    for id, kind, args in nets:
        xs = [0.7, -1.1, 0.4][: args[0] if isinstance(args[0], int) else 3]
        rows.append(
            {
                "kind": "net",
                "id": id,
                "class": kind,
                "args": args,
                "xs": xs,
                "scales": list(SCALES),
                "names_needed": [kind],
            }
        )
    row = {
        "kind": "train",
        "class": "MLP",
        "args": [2, [3, 1]],
        "xs": XOR[0],
        "ys": XOR[1],
        "names_needed": ["MLP", "train"],
        "backward_needed": True,
    }
    rows.append({**row, "id": "train", "steps": 4, "lr": 0.03, "trace": True, "seconds": 3})
    rows.append({**row, "id": "train.rate", "steps": 4, "lr": 0.06, "trace": False, "seconds": 3})
    rows.append({**row, "id": "train.long", "steps": 60, "lr": 0.05, "trace": False, "seconds": 3})
    deep = {"backward_needed": True, "operators_needed": ["__add__"], "seconds": 4}
    rows.append({"kind": "deep", "id": "deep", "times": 3000, **deep})
    rows.append({"kind": "wide", "id": "wide", "times": 22, "most": 2.0, **deep})
    return rows


OTHERS: Final = {row["id"]: row for row in _others()}


def jobs(own: Iterable[Formula] = ()) -> list[dict[str, Any]]:
    """Return all programs, and those of a teacher, as the observer gets them."""
    return [row.job() for row in (*FORMULAS.values(), *own)] + list(OTHERS.values())
