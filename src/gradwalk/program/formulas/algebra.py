"""Formulas as trees, and the identities that make a formula short enough to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["LN2", "LN10", "NONE", "Node", "Term", "choice", "masked", "made"]

LN2, LN10 = 0.6931471805599453, 2.302585092994046
INVERSE = {1.4426950408889634: LN2, 0.4342944819032518: LN10}


class Node(NamedTuple):
    """A primitive applied to terms. ``cases`` alternates terms and conditions, else comes last."""

    op: str
    args: tuple[Term, ...]


Term = Node | float | str
"""A formula: a number, the name of an argument, or a node."""

NONE = "none"
"""The contribution of an argument to which no gradient flows."""

OPPOSITE = {"less": "greater_equal", "greater": "less_equal", "equal": "not_equal"}
OPPOSITE |= {b: a for a, b in OPPOSITE.items()}


def made(op: str, *args: Term) -> Term:
    """Apply the primitive ``op`` to terms, in a simpler form where there is one.

    >>> made("mul", 1.0, "x"), made("div", made("neg", "y"), "b")
    ('x', Node(op='neg', args=(Node(op='div', args=('y', 'b')),)))
    """
    simplify = SIMPLER.get(op)
    found = simplify(*args) if simplify else None
    return Node(op, args) if found is None else found


def _inside(op: str, term: Term) -> Term | None:
    """Return the operand of a node of this kind."""
    return term.args[0] if isinstance(term, Node) and term.op == op else None


def _factors(term: Term) -> tuple[Term, Term]:
    """Return the number in front of a product, and the rest of it."""
    if isinstance(term, Node) and term.op == "mul" and isinstance(term.args[0], float):
        return term.args[0], term.args[1]
    return 1.0, term


def _neg(x: Term) -> Term | None:
    inner = _inside("neg", x)
    return -x if isinstance(x, float) else inner


def _add(a: Term, b: Term) -> Term | None:
    if a == 0.0 or b == 0.0:
        return b if a == 0.0 else a
    if (c := _inside("neg", b)) is not None:
        return made("sub", a, c)
    if (c := _inside("neg", a)) is not None:
        return made("sub", b, c)
    if a == 1.0 and isinstance(b, Node) and b.args == (b.args[0], Node("add", (2.0, b.args[0]))):
        return made("pow", made("add", 1.0, b.args[0]), 2.0)  # 1 + e (2 + e)
    return None


def _sub(a: Term, b: Term) -> Term | None:
    if b == 0.0:
        return a
    if (c := _inside("neg", b)) is not None:
        return made("add", a, c)
    return made("neg", b) if a == 0.0 else None


def _mul(a: Term, b: Term) -> Term | None:
    for one, other in ((a, b), (b, a)):
        if (c := _positive(one)) is not None:
            return made("neg", made("mul", c, other))
        if one == 1.0:
            return other
        if isinstance(one, Node) and one.op == "div" and one.args[0] == 1.0:
            return made("div", other, one.args[1])
    if isinstance(b, float):
        return a * b if isinstance(a, float) else made("mul", b, a)
    return _scaled(a, *_factors(b)) or _squared(a, b)


def _positive(x: Term) -> Term | None:
    """-x, where x is written with a minus sign."""
    return -x if isinstance(x, float) and x < 0.0 else _inside("neg", x)


def _scaled(a: Term, number: Term, rest: Term) -> Term | None:
    """Return a · (number · rest) with the numbers in front."""
    if number == 1.0:
        return None
    if isinstance(a, float):
        return made("mul", made("mul", a, number), rest)
    return made("mul", number, made("mul", a, rest))


def _squared(a: Term, b: Term) -> Term | None:
    if a == b:
        return made("pow", a, 2.0)
    if isinstance(a, Node) and a.op == "mul" and a.args[1] == b:
        return made("mul", a.args[0], made("pow", b, 2.0))
    return None


def _div(a: Term, b: Term) -> Term | None:
    if b == 1.0:
        return a
    if (c := _positive(a)) is not None:
        return made("neg", made("div", c, b))
    if (c := _inside("neg", b)) is not None:
        return made("neg", made("div", a, c))
    if isinstance(a, float) and a in INVERSE:
        return made("div", 1.0, made("mul", INVERSE[a], b))
    if isinstance(a, Node) and a.op == "div":
        return made("div", a.args[0], made("mul", a.args[1], b))
    return None


def _pow(a: Term, b: Term) -> Term | None:
    if b == 1.0:
        return a
    if isinstance(a, Node) and a.op in ("exp", "pow") and isinstance(b, float):
        *base, exponent = a.args
        return made(a.op, *base, made("mul", b, exponent))
    return None


def _where(condition: Term, a: Term, b: Term) -> Term | None:
    if isinstance(a, str) and (condition, b) == (Node("less", (a, 0.0)), Node("neg", (a,))):
        return made("neg", made("abs", a))
    return a if a == b else None


def _logical(neutral: float) -> Callable[[Term, Term], Term | None]:
    def simplify(a: Term, b: Term) -> Term | None:
        return b if a == neutral else a if b == neutral else None

    return simplify


SIMPLER: dict[str, Callable[..., Term | None]] = {
    "neg": _neg,
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "pow": _pow,
    "exp_difference": lambda a, b: made("exp", made("sub", a, b)),
    "where": _where,
    "logical_and": _logical(1.0),
    "logical_or": _logical(0.0),
}


def choice(condition: Term, a: Term, b: Term) -> Term:
    """Return ``a`` where the condition holds, else ``b``, the cases of ``b`` in one list."""
    simpler = _where(condition, a, b)
    rest = b.args if isinstance(b, Node) and b.op == "cases" else (b,)
    return Node("cases", (a, condition, *rest)) if simpler is None else simpler


def masked(condition: Term, term: Term) -> Term:
    """``term`` where the condition holds, and elsewhere no gradient."""
    if not (isinstance(term, Node) and term.op == "cases"):
        return choice(condition, term, NONE)
    if isinstance(condition, Node) and condition.op in OPPOSITE:
        return choice(Node(OPPOSITE[condition.op], condition.args), NONE, term)
    return Node("where", (condition, term, NONE))  # no opposite to swap the cases with
