"""The words of the judge: titles, explanations and hints of mistakes in rules and in the pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["BY_HEART", "DERIVATIVES", "Words", "called", "rule_words"]


@dataclass(frozen=True)
class Words:
    """An id, a title, what is said, and three hints: a question, a pointer, a line."""

    id: str
    title: str
    says: str
    hints: tuple[str, str, str]


DERIVATIVES: Final = {
    ("add", 0): "1",
    ("add", 1): "1",
    ("sub", 0): "1",
    ("sub", 1): "-1",
    ("mul", 0): "b",
    ("mul", 1): "a",
    ("div", 0): "1 / b",
    ("div", 1): "-a / b ** 2",
    ("neg", 0): "-1",
    ("pow", 0): "n * a ** (n - 1)",
    ("pow", 1): "y * log(a)",
    ("exp", 0): "y",
    ("log", 0): "1 / a",
    ("tanh", 0): "1 - y ** 2",
    ("sigmoid", 0): "y * (1 - y)",
    ("relu", 0): "(a > 0)",
}
"""The right local derivatives as texts, with the result y; a test compares them with the table."""

_CALLED: Final = {
    "add": "a + b",
    "sub": "a - b",
    "mul": "a * b",
    "div": "a / b",
    "neg": "-a",
    "pow": "a ** n",
    "exp": "exp(a)",
    "log": "log(a)",
    "tanh": "tanh(a)",
    "sigmoid": "sigmoid(a)",
    "relu": "relu(a)",
}
_NOUN: Final = {
    "add": "add (+, the sum)",
    "sub": "sub (-, the difference)",
    "mul": "mul (*, the product)",
    "div": "div (/, the quotient)",
    "neg": "neg (-a)",
    "pow": "pow (**, the power)",
}


def called(op: str) -> str:
    """Return how an operation is written: ``a * b``."""
    return _CALLED.get(op, op)


def noun(op: str) -> str:
    """Return the name of an operation in a sentence."""
    return _NOUN.get(op, op)


def operand(op: str, k: int) -> str:
    """Return the name of an operand in ``called(op)``."""
    return "b" if k and op != "pow" else "n" if k else "a"


def _line(op: str, k: int) -> str:
    right = DERIVATIVES[op, k]
    names = {"a": "self.data", "b": "other.data", "y": "out.data", "n": "n"}
    out = right
    for key, full in names.items():
        out = "".join(full if part == key else part for part in _parts(out))
    product = "out.grad" if out == "1" else "-out.grad" if out == "-1" else f"({out}) * out.grad"
    if out.replace(".", "").isidentifier():
        product = f"{out} * out.grad"
    return f"{'other' if k else 'self'}.grad += {product}"


def _parts(text: str) -> list[str]:
    import re

    return re.findall(r"[A-Za-z_.]+|[^A-Za-z_.]+", text)


KINDS: Final = (
    # id, formula in the place of the right one, words for the title, words for the sentence
    (
        "no_gradient",
        "0",
        "no gradient reaches {x}",
        "nothing is added to the gradient of {x}: its derivative is missing (0)",
    ),
    (
        "sign",
        "-({right})",
        "the sign of the derivative with respect to {x} is wrong",
        "the sign is wrong: a minus is missing or too much",
    ),
    (
        "from_input",
        "{input}",
        "the derivative is computed from x, the input, where the result belongs",
        "it is computed from the input a (x); it must be computed from the result y, the output",
    ),
    (
        "from_result",
        "{output}",
        "the derivative is computed from the result where the input belongs",
        "it is computed from the result y, the output; it must be computed from the input a",
    ),
    (
        "no_square",
        "{unsquared}",
        "the square is missing in the derivative with respect to {x}",
        "the square (** 2) is missing",
    ),
    (
        "plus",
        "{plus}",
        "the derivative with respect to {x} has + where - belongs",
        "the sign inside is wrong: it has + where - belongs",
    ),
    (
        "itself",
        "y",
        "the derivative is the result itself",
        "the function's result is used as its derivative",
    ),
    (
        "operand",
        "a",
        "the derivative with respect to {x} is the value of a",
        "the value a itself is used as the derivative",
    ),
    (
        "one",
        "1",
        "the local derivative with respect to {x} is missing: the gradient passes unchanged",
        "the gradient passes unchanged, as if the derivative were 1: the factor is missing",
    ),
    (
        "inverse",
        "1 / ({right})",
        "the derivative with respect to {x} is upside down",
        "the derivative is inverted: numerator and denominator are swapped",
    ),
)


def variants(op: str, k: int) -> list[tuple[str, str, str, str]]:
    """Return the usual wrong formulas of one derivative: id, formula, title, sentence."""
    right = DERIVATIVES[op, k]
    x = operand(op, k)
    rows: list[tuple[str, str, str, str]] = []
    if op == "mul":
        rows.append(
            (
                "own",
                x,
                "each operand of * gets its own value instead of the other factor",
                "the factors are swapped: {x} gets its own value, it needs that of the "
                "other operand",
            )
        )
    if op in ("div", "pow"):
        other = DERIVATIVES[op, 1 - k]
        rows.append(
            (
                "swapped",
                other,
                "the derivatives of the two operands are swapped",
                "{x} gets the derivative that belongs to the other operand (swapped)",
            )
        )
    if op == "pow" and k == 0:
        for formula, words in (
            ("n * a ** n", "the exponent is off by one: it stays n, and must be n - 1"),
            ("a ** (n - 1)", "the factor n in front is missing"),
            ("(n - 1) * a ** (n - 1)", "the factor in front is n - 1, and must be the exponent n"),
            ("(n - 1) * a ** n", "the exponents are off by one"),
            ("n * a ** (n + 1)", "the exponent grows by one, and must lose one: n - 1"),
            (
                "n * a ** (n - 2)",
                "the exponent is off by one: it loses two, and must lose one: n - 1",
            ),
            ("n * a", "the exponent is missing: n - 1"),
            ("n", "the power a ** (n - 1) is missing"),
            ("y", "the result itself is used: the exponent must be n - 1, with the factor n"),
            ("n * y", "the exponent is off by one: it stays n, and must be n - 1"),
            (
                "y * log(a)",
                "it is the derivative with respect to the exponent n, as of an exponential",
            ),
        ):
            rows.append(
                (
                    "off_by_one" if "exponent" in words else "factor",
                    formula,
                    "the derivative of a ** n: " + words,
                    words,
                )
            )
    if op == "relu":
        for id, formula, words in (
            (
                "negative_passes",
                "1",
                "for a negative input the gradient must be 0, and yours passes (x > 0)",
            ),
            (
                "inverted",
                "(a < 0)",
                "the condition is inverted: it passes where the input is negative (x < "
                "0), and must "
                "pass where x > 0",
            ),
            (
                "value",
                "y",
                "it is the result (the value) where 1 belongs: the slope above 0 is 1, "
                "below 0 it is 0",
            ),
            (
                "value",
                "a",
                "it is the input where 1 belongs: the slope above 0 is 1, below 0 it is 0",
            ),
            (
                "blocked",
                "0",
                "the gradient is blocked (0) on both sides: above 0, for a positive "
                "input, it must pass",
            ),
            (
                "minus",
                "(a > 0) - (a < 0)",
                "below 0 it is -1 and must be 0: a negative input blocks the gradient",
            ),
            (
                "leak",
                "max(0.01, a > 0)",
                "below 0, for a negative input, a little passes (leaky): it must be 0",
            ),
        ):
            rows.append((id, formula, f"the derivative of relu: {words}", words))
    if op == "exp":
        rows.append(
            (
                "power_rule",
                "a * exp(a - 1)",
                "exp is differentiated as a power",
                "the power rule does not hold here: the derivative is the result exp(a) itself",
            )
        )
    if op == "log":
        rows.append(
            (
                "result",
                "1 / y",
                "the derivative of log is 1 over the result",
                "it divides by the result y, and must divide by the input a",
            )
        )
    if op == "div" and k == 1:
        rows += [
            (
                "no_square",
                "-a / b",
                "the square of the denominator is missing in the derivative of a / b",
                "b must be squared (b ** 2)",
            ),
            (
                "no_numerator",
                "-1 / b ** 2",
                "the numerator a is missing in the derivative of a / b with respect to b",
                "the factor a (the numerator) is missing",
            ),
            (
                "like_left",
                "1 / b",
                "b gets the derivative of the numerator",
                "{x} gets the derivative that belongs to a",
            ),
            (
                "sign",
                "a / b ** 2",
                "the sign of the derivative of a / b with respect to b is wrong",
                "the minus sign is missing: a / b falls as b grows (negative)",
            ),
        ]
    if op == "div" and k == 0:
        rows += [
            (
                "not_inverted",
                "b",
                "the derivative of a / b with respect to a multiplies by b",
                "it must divide by b: 1 / b",
            )
        ]
    if op == "sigmoid":
        rows += [
            (
                "half",
                "y",
                "the factor 1 - s is missing in the derivative of sigmoid",
                "the factor (1 - s), with the result s, is missing",
            ),
            (
                "half",
                "1 - y",
                "the factor s is missing in the derivative of sigmoid",
                "the factor s, the result, is missing",
            ),
            (
                "tanh",
                "1 - y ** 2",
                "sigmoid has the derivative of tanh",
                "1 - s ** 2 belongs to tanh; for sigmoid it is s * (1 - s)",
            ),
            (
                "input",
                "y * (1 - a)",
                "the derivative of sigmoid uses the input x in one factor",
                "1 - x must be 1 - s, with the result s",
            ),
            (
                "input",
                "a * (1 - y)",
                "the derivative of sigmoid uses the input x in one factor",
                "the factor x must be s, the result",
            ),
            (
                "square",
                "y ** 2",
                "the derivative of sigmoid is the square of the result",
                "one factor must be 1 - s",
            ),
            (
                "order",
                "y * (y - 1)",
                "the sign of the derivative of sigmoid is wrong",
                "1 - s is turned around (s - 1): the sign is wrong",
            ),
        ]
    if op == "tanh":
        rows += [
            (
                "sigmoid",
                "y * (1 - y)",
                "tanh has the derivative of sigmoid",
                "t * (1 - t) belongs to sigmoid; for tanh it is 1 - t ** 2",
            ),
            (
                "double",
                "1 - 2 * y",
                "the square of the result is missing in the derivative of tanh",
                "2 * t must be t ** 2: it is multiplied by 2 where the square belongs",
            ),
            (
                "order",
                "y ** 2 - 1",
                "the sign of the derivative of tanh is wrong",
                "1 - t ** 2 is turned around: the sign is wrong",
            ),
            (
                "square",
                "(1 - y) ** 2",
                "the square is at the wrong place in the derivative of tanh",
                "only t is squared: 1 - t ** 2",
            ),
            (
                "of_tanh_result",
                "1 - tanh(y) ** 2",
                "the derivative of tanh applies tanh twice, to its own result",
                "tanh is applied to the result again: use the result t as it is",
            ),
        ]
    texts = {
        "right": right,
        "input": right.replace("y", "a") if "y" in right else "",
        "output": right.replace("a", "y") if "a" in right and "y" not in right else "",
        "unsquared": right.replace(" ** 2", "") if " ** 2" in right else "",
        "plus": right.replace("1 - ", "1 + ") if "1 - " in right else "",
    }
    for id, formula, title, says in KINDS:
        text = formula.format(**texts)
        if text and text != right:
            name = f"{called(op)}: {title}" if "{x}" in title or id == "itself" else title
            if id in ("from_input", "from_result"):
                name = f"the derivative of {op} is computed from " + (
                    "x, the input, instead of the result"
                    if id == "from_input"
                    else "the result instead of the input"
                )
            rows.append((id, text, name, says))
    for factor, words in (
        ("2", "twice too large: a factor 2 too much"),
        ("0.5", "half of what it must be: a factor 2 is missing"),
        ("-2", "of the wrong sign, and twice too large"),
        ("0.1", "ten times too small"),
        ("10", "ten times too large"),
    ):
        rows.append(
            (
                "factor",
                f"{factor} * ({right})",
                f"the derivative of {noun(op)} with respect to {x} is {words}",
                words,
            )
        )
    return [(id, f, t.format(x=x), s.format(x=x)) for id, f, t, s in rows]


def rule_words(op: str, k: int, text: str, kind: tuple[str, str, str, str] | None) -> Words:
    """Return the words for a wrong local derivative, whose formula may be known."""
    x, right = operand(op, k), DERIVATIVES[op, k]
    with_result = ", with the result y" if "y" in right else ""
    if op == "relu":
        right = "1 where a > 0, else 0"
    if kind is None:
        title = f"the derivative of {noun(op)} with respect to {x} is wrong: yours is {text}"
        says = f"For y = {called(op)} yours is `{text}`; it must be `{right}`{with_result}."
        id = f"{op}_{'right' if k else 'left'}_wrong"
    else:
        id = f"{op}_{kind[0]}" + ("_right" if k and kind[0] not in ("swapped", "own") else "")
        title = (
            kind[2]
            if op in kind[2] or called(op) in kind[2] or "*" in kind[2]
            else (f"{noun(op)}: {kind[2]}")
        )
        says = (
            f"For y = {called(op)} the derivative with respect to {x} is `{text}` "
            "in yours; it must "
            f"be `{right}`{with_result}: {kind[3]}."
        )
    return Words(
        id,
        title,
        says,
        (
            f"Change {x} a little in y = {called(op)}. How much does y change?",
            f"Yours is `{text}`, right is `{right}`{with_result}.",
            f"`{_line(op, k)}`",
        ),
    )


BY_HEART: Final[dict[str, tuple[str, str, str, str]]] = {
    "assign_everywhere": (
        "a += is missing: gradients are overwritten",
        "Use a twice in one formula. How many contributions must arrive?",
        "The second contribution erases the first.",
        "`p.grad += g`",
    ),
    "mul_own": (
        "each operand of * gets its own value instead of the other factor",
        "Change a a little in a * b. By what is the change multiplied?",
        "Each operand gets its own value; it needs the other's.",
        "`self.grad += other.data * out.grad`",
    ),
    "tanh_from_input": (
        "the derivative of tanh is computed from x, the input, instead of the result",
        "At x = 1.6 yours is negative. Can tanh fall?",
        "The rule 1 - t² needs t, the result.",
        "`(1 - t ** 2) * out.grad`",
    ),
    "pow_off_by_one": (
        "",
        "What is the slope of a² at 3?",
        "Yours has the wrong exponent; it must be n - 1.",
        "`n * self.data ** (n - 1) * out.grad`",
    ),
    "relu_negative_passes": (
        "",
        "Below 0 relu is flat. What is the slope of a flat line?",
        "The gradient passes for every x.",
        "`(self.data > 0) * out.grad`",
    ),
    "div_sign_right": (
        "",
        "b grows: does a / b grow or fall?",
        "The second operand's derivative has the wrong sign.",
        "`-self.data / other.data ** 2 * out.grad`",
    ),
}
"""Public mistakes whose hints are written by hand: title (if any), question, pointer, line."""
