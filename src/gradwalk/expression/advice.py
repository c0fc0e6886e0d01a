"""How to write in a formula what Python's grammar knows and formulas do not."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .habits import CHOICE, NESTED
from .pointing import nearest
from .program import CONSTANTS, FUNCTIONS

__all__ = ["FIXES", "function", "of_syntax", "prefix"]

EQUALS = "One = gives a name: d = a * b."
LISTS = "Only logsumexp takes a list: logsumexp([a, b])."
ROUND = "Brackets are round: (a + b) * c."
WHERE = "A comparison stands only in where(a < b, x, y)."

FIXES = {
    "Attribute": "Functions have no prefix: exp(x), not math.exp(x) or x.exp().",
    "AugAssign": "Write it out: a = a + b.",
    "BoolOp": NESTED,
    "Compare": WHERE,
    "==": f"{EQUALS} {WHERE}",
    "Dict": ROUND,
    "Expr": "Give the line a name, d = a * b, or leave it out.",
    "False": "Write 0.",
    "IfExp": CHOICE,
    "List": f"{LISTS} {ROUND}",
    "Set": ROUND,
    "Subscript": "Names have no parts: x0, not x[0].",
    "True": "Write 1.",
    "Tuple": "A number has a point, 1.5; and a formula has one result.",
}

MODULES = re.compile(r"(?:math|cmath|np|numpy|jnp|jax|torch|tf|tensorflow|F|nn|gw|gradwalk)\b")
NUMBERS = ("Value", "float", "int", "Tensor", "tensor", "array", "Variable")
INSTEAD = {
    **dict.fromkeys(NUMBERS, "A number stands for itself: 2.0."),
    "print": "Leave it out: the last line is the result.",
    "sum": "Write the sum out: a + b.",
}


def prefix(code: str) -> str:
    """Advice for ``np.exp``, ``x.relu`` and what else has a point in it."""
    head, _, name = (part.strip() for part in code.rpartition("."))
    if name in INSTEAD and MODULES.match(head):
        return INSTEAD[name]
    if MODULES.match(head):
        close = nearest(name, [*FUNCTIONS, "logsumexp"])
        known = name in CONSTANTS or name in FUNCTIONS or name == "logsumexp"
        return f"Write {name} without {head}." if known else close or FIXES["Attribute"]
    if name in FUNCTIONS and len(head) <= 24:
        bare = head[1:-1] if head.startswith("(") and ")" not in head[:-1] else head
        return f"Write {name}({bare})."
    return FIXES["Attribute"]


def function(name: str, known: Iterable[str]) -> str:
    """Advice for the call of something that is no function of gradwalk."""
    names = list(known)
    instead = INSTEAD.get(name) or nearest(name, names)
    return instead or f"A product is {name} * (...). There are: {', '.join(names)}."


# --- what Python's parser stumbles over ---------------------------------------------------------

BRACKETS = "Brackets come in pairs."
SAYINGS = (
    (r"'(.)' was never closed", r"a '\1' that is never closed", BRACKETS),
    (r"unmatched '(.)'", r"a '\1' that closes nothing", BRACKETS),
    (
        r"closing parenthesis '(.)' does not match opening parenthesis '(.)'.*",
        r"a '\1' where '\2' is to be closed",
        BRACKETS,
    ),
    (
        r"cannot assign to .*",
        "something that is no name before '='",
        "One name stands on the left: d = a * b.",
    ),
    (
        r"positional argument follows keyword argument.*",
        "an argument without a name behind one with a name",
        "Put it first.",
    ),
    (r"expected 'else' after 'if' expression", "an 'if' without its 'else'", CHOICE),
    (r"leading zeros .*", "a number that begins with 0", "Leave the 0 out."),
    (r"invalid digit .*", "a digit too large", "Its digits go to 7 or to 1."),
    (r"invalid .* literal", "a number that breaks off", "Write all its digits."),
    (r"Exceeds the limit.*", "a number of too many digits", "Write inf for infinity."),
    (
        r"too many nested parentheses",
        "too many brackets inside each other",
        "Name parts of the formula: d = a * b.",
    ),
)
BETWEEN = "A sign stands between two operands: a + b."
MISSING = "Something is missing at the end of the line."


def of_syntax(message: str, found: str) -> tuple[str, str]:
    """What came and how to mend it, in our words; ``found``: what stands where it went wrong."""
    for pattern, words, fix in SAYINGS:
        if told := re.fullmatch(pattern, message):
            return told.expand(words), fix
    return (f"'{found}'", BETWEEN) if found else ("the end of the line", MISSING)
