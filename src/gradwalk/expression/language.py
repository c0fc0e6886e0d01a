"""The language of formulas as data: patterns, operators, words, and the text of every message.

`gradwalk.expression.printed` prints this module as TypeScript, so that the reader of the page
(``web/src/expression``) has the same tables and no text is written twice. A message contains
fields such as ``{a}``. Of several fixes, the first one whose fields all have a text is used.
"""

from __future__ import annotations

__all__ = [
    "ASSIGNMENTS", "BINARY", "CLOSING", "COMPARISONS", "EXPECTED", "FOREIGN", "FORMULA",
    "INSTEAD", "KEYWORDS", "MALFORMED", "MAX_BRACKETS", "MAX_DEPTH", "MAX_LENGTH", "MESSAGES",
    "MODULES", "NEAREST", "NOTATION", "NO_LETTERS", "NUMERAL", "OTHER_NAMES", "PATTERNS",
    "PREFIX", "PRIMES", "PRIMITIVES", "QUOTES", "RESERVED", "SPELLED", "STATEMENTS",
    "SUBSCRIPTS", "SUPERSCRIPTS",
]  # fmt: skip

MAX_LENGTH = 10_000
"""Most characters that a formula may have."""

MAX_DEPTH = 1_000
"""Most levels of operations that a formula may have; a sum of n terms has n of them."""

MAX_BRACKETS = 200
"""Most brackets inside each other."""

# --- tokens: the regular expressions are written so that Python and JavaScript read them alike ----

EDGE = r"[\t\v\f\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
"""Blanks of any kind, which are allowed at both ends of a line."""

PATTERNS = {
    "line": rf"(?:{EDGE}*|#[^\n]*)\n",
    "blank": rf"(?:(?<![^\n]){EDGE}+|[ \t\f]|\\{EDGE}*\n(?=[\s\S]))+",
    "quotation": r"[rRbBuUfF]{0,2}(?:'''[\s\S]*?'''|"
    r'"""[\s\S]*?"""'
    r"|'(?:\\[\s\S]|[^'\\\n])*'|"
    r'"(?:\\[\s\S]|[^"\\\n])*")',
    "number": r"0[xXoObB][0-9a-fA-F_]*|(?:[0-9][0-9_]*\.?(?:[0-9][0-9_]*)?|\.[0-9][0-9_]*)"
    r"(?:[eE][-+]?[0-9][0-9_]*)?[jJ]?",
    "sign": r"\*\*=?|//=?|<<=?|>>=?|<>|\.\.\.|->|:=|&&|\|\||[-+*/%@&|^<>=!]=|[\s\S]",
}
"""Kinds of tokens besides names, in the order in which they are tried."""

_DIGITS = r"[0-9](?:_?[0-9])*"
_ZERO = r"0[0-9_]*[1-9][0-9_]*$"
NUMERAL = (
    r"0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)"
    rf"|(?!{_ZERO})(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][-+]?{_DIGITS})?[jJ]?"
)
"""A complete number; the pattern of the tokens lets unfinished ones pass too."""

MALFORMED = [
    ["zero", rf"(?={_ZERO})"],
    ["digit", r"0[oO][0-7_]*(?=[89])|0[bB][01_]*(?=[2-9])"],
    ["number", NUMERAL],
]
"""Messages about numbers; where the match ends is the place that the error points at."""

NO_LETTERS = "·\u0387ⁿⁱ"
"""Characters that Python allows in names, but that a formula has for a product or a power."""

CLOSING = {"(": ")", "[": "]", "{": "}"}

KEYWORDS = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class",
    "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global",
    "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return",
    "try", "while", "with", "yield",
]  # fmt: skip
"""Words of Python's grammar, which cannot be names."""

# --- grammar --------------------------------------------------------------------------------------

ASSIGNMENTS = [
    "=", ":", "+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", "<<=", ">>=",
]  # fmt: skip

BINARY: dict[str, tuple[int, int]] = {
    **dict.fromkeys(ASSIGNMENTS, (2, 1)),
    ",": (4, 5),
    **dict.fromkeys(("if", "else"), (8, 9)),
    "or": (10, 11),
    "and": (12, 13),
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!=", "in", "is"), (16, 15)),
    **dict.fromkeys(("&", "<<", ">>"), (18, 19)),
    **dict.fromkeys(("+", "-"), (26, 27)),
    **dict.fromkeys(("*", "/", "//", "%", "@"), (28, 29)),
    "**": (32, 31),
}
"""How tightly an operator binds its left and its right operand.

An operator that a formula does not have is read too, so that the error can show its operands.
"""

PREFIX = {"*": 6, "not": 14, "+": 31, "-": 31, "~": 31}
"""How tightly an operator before its only operand binds it."""

PRIMITIVES = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "**": "pow",
}  # fmt: skip
COMPARISONS = {
    "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal",
    "==": "equal", "!=": "not_equal", "in": "", "is": "",
}  # fmt: skip
"""Comparisons, and their primitives; empty for those that a formula does not have."""

# --- names ----------------------------------------------------------------------------------------

OTHER_NAMES = {
    "ln": "log", "max": "maximum", "min": "minimum", "sgn": "sign", "σ": "sigmoid",
    "logistic": "sigmoid", "swish": "silu", "fabs": "abs", "power": "pow",
}  # fmt: skip
"""Names of functions in other systems, where the spelling alone would mislead the guess."""

SPELLED = {"π": "pi", "Pi": "pi", "PI": "pi", "infinity": "inf", "Inf": "inf"}
"""Other names of the constants."""

MODULES = [
    "math", "cmath", "np", "numpy", "jnp", "jax", "torch", "tf", "tensorflow", "F", "nn", "gw",
    "gradwalk",
]  # fmt: skip

_NUMBERS = ("Value", "float", "int", "Tensor", "tensor", "array", "Variable")
INSTEAD = {
    **dict.fromkeys(_NUMBERS, "Write the number itself: 2.0."),
    "print": "Remove it: the last line is the result.",
    "sum": "Write the sum out: a + b.",
}
"""Fixes for calls of functions that a formula does not need."""

# --- hints: how to write in a formula what other notations mean -----------------------------------

FORMULA = "a formula such as (a + b) * c"
LINE = "name = formula, and a formula at the end"
OPERATOR = "one of + - * / // ** %"
GRAMMAR = "numbers, names, + - * / // ** %, brackets and functions of gradwalk"

NEST = "Nest the conditions: where(a < b, where(b < c, x, y), y)."
CHOICE = "Write where(condition, a, b)."
LOOP = "Write each step on its own line: loops are not supported."
BUILT_IN = "Remove this line: all functions are available without it."
WRITTEN_OUT = "Write the formula itself: defining functions is not supported."
OWN_LINE = "Name it on its own line: d = a * b."
ONE_NAME = "Write one name on the left: d = a * b."
RENAME = "Remove it, or rename the variable."
SHORTER = "Name parts of the formula: d = a * b."
WHERE = "Use comparisons only as the first argument of where: where(a < b, x, y)."
ROUND = "Use round brackets: (a + b) * c."
POWERS = "Write powers with **: a ** 2."

STATEMENTS = {
    "if": CHOICE, "elif": CHOICE, "else": CHOICE, "for": LOOP, "while": LOOP,
    "import": BUILT_IN, "from": BUILT_IN, "def": WRITTEN_OUT, "class": WRITTEN_OUT,
    "return": "Remove 'return': the last line is the result.",
}  # fmt: skip
"""Fixes for statements of Python, by their words."""

RESERVED = [word for word in KEYWORDS if word not in BINARY | PREFIX and not word[0].isupper()]
"""Keywords that are no part of a formula."""

FOREIGN = {
    "and": NEST, "or": NEST, "if": CHOICE, "else": CHOICE, "False": "Write 0.", "True": "Write 1.",
    ",": "Write decimals with a point, 1.5, and one result per formula.",
    "[": f"{ROUND} Only logsumexp takes a list: logsumexp([a, b]).",
    "{": ROUND,
    "[]": "Write x0 instead of x[0]: indexing is not supported.",
}  # fmt: skip
"""Fixes for parts of Python's grammar that a formula does not have."""

QUOTES, PRIMES = "\"'“”‘’„‚«»‹›", "'’′″"
SUPERSCRIPTS, SUBSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ", "₀₁₂₃₄₅₆₇₈₉"

_UNKNOWN = ("Write {plain} instead.", "Remove it.")
_POWER = "Write the power after the brackets: {function}(x) ** "
NOTATION: list[tuple[str, ...]] = [
    ("× ⋅ ∙ ∗ • ✕ ⨯ · \u0387", "Write {a} * {b}.", "Write * instead."),
    ("÷ ∕ ⁄", "Write {a} / {b}.", "Write / instead."),
    ("− – — ‐ ‑", "Write {a} - {b}.", "Write -{b}.", "Write - instead."),
    ("≤", "Write <= instead."),
    ("≥", "Write >= instead."),
    ("≠ <>", "Write != instead."),
    ("∞", "Write inf instead."),
    ("← ≔", "Write = instead."),
    (":=", OWN_LINE),
    ("^", f"{_POWER}{{b}}.", "Write {a} ** {b}.", POWERS),
    (" ".join(SUPERSCRIPTS), f"{_POWER}{{digits}}.", "Write {a} ** {digits}.", POWERS),
    (" ".join(SUBSCRIPTS), "Write {a}{digits}.", *_UNKNOWN),
    ("√", "Write sqrt({argument}).", "Write sqrt(x)."),
    ("∛", "Write cbrt({argument}).", "Write cbrt(x)."),
    ("|", "Write abs({inside}).", "Write abs(x)."),
    ("&& ||", NEST),
    ("!", "Write exp(lgamma({a} + 1)) for a factorial.", "Remove it."),
    ("\\", "Write a / b, sqrt(x) or x ** 2: \\{command} is TeX.", "Remove it."),
    ("$ ? `", "Remove it."),
]
"""Signs of mathematics and of other languages, with blanks between them, and their fixes."""

EXPECTED = {"^": OPERATOR, ":=": LINE}
"""Expected in place of such a sign, unless it is a formula."""

# --- messages: what is expected, what was found, and the fixes ------------------------------------

NEAREST = "Did you mean '{name}'?"

MESSAGES = {
    # the text as a whole
    "empty": [FORMULA, "nothing", "Type a formula."],
    "length": [f"at most {MAX_LENGTH:,} characters", "{count}", "Split the formula."],
    "text": [FORMULA, "a character that is not text", "Remove the invisible character."],
    "depth": [f"at most {MAX_DEPTH:,} levels of operations", "more", SHORTER],
    "nested": [f"at most {MAX_BRACKETS} brackets inside each other", "more", SHORTER],
    # tokens and brackets
    "zero": [FORMULA, "a number that begins with 0", "Remove the leading 0."],
    "digit": [FORMULA, "a digit that is too large", "Use digits up to 7 in 0o, up to 1 in 0b."],
    "number": [FORMULA, "an incomplete number", "Write all its digits."],
    "unclosed": [FORMULA, "a '{code}' that is never closed", "Add a '{partner}'."],
    "unopened": [FORMULA, "a '{code}' that closes nothing", "Remove it, or add a '{partner}'."],
    "mismatch": [FORMULA, "a '{code}' that does not close '{opening}'", "Write '{partner}'."],
    "token": [FORMULA, "'{code}'", "Write an operator between two operands: a + b."],
    "end": [FORMULA, "the end of the line", "Complete the line: an operand is missing."],
    # other notations
    "quotation": [FORMULA, "{code}", "Write names without quotation marks."],
    "prime": [FORMULA, "{code}", "Use only letters, digits and _ in names: {name}_1."],
    "reserved": [FORMULA, "'{code}', a word of Python", "{fix}", RENAME],
    "blank": [FORMULA, "a blank of another kind, {code}", "Type a plain one."],
    "invisible": [FORMULA, "an invisible character, {code}", "Remove it."],
    "unknown": [FORMULA, "{code}", *_UNKNOWN],
    "equals": [FORMULA, "=", "Write a named argument as in {example}.", OWN_LINE],
    "adjacent": [
        FORMULA,
        "{code} directly after {before}",
        "Write {function}({b}).",
        "Write {mantissa} * {b}, or an exponent with digits: 1e5.",
        "Write {factor} * {b}, or a comma between them.",
        "Write {a} * {b}.",
    ],
    # parts of Python's grammar
    "statement": [LINE, "{code}", "{fix}", ONE_NAME],
    "augmented": [LINE, "{code}", "Write a = a + b instead."],
    "unnamed": [LINE, "{code}", "Name the result, d = a * b, or remove the line."],
    "equation": [LINE, "==", f"Write d = a * b to name a result. {WHERE}"],
    "equality": [OPERATOR, "==", f"Write d = a * b to name a result. {WHERE}"],
    "comparison": [OPERATOR, "{sign}", WHERE],
    "condition": ["one comparison: < <= > >= == !=", "{code}", NEST],
    "operator": [OPERATOR, "{sign}", "Remove it."],
    "product": [OPERATOR, "(", "Write {a} * {b}."],
    "foreign": [GRAMMAR, "{code}", "{fix}", "Remove it."],
    # calls and numbers
    "attribute": [
        GRAMMAR,
        "{code}",
        "{instead}",
        "Write {known} without {module}.",
        "{nearest}",
        "Write {method}({object}).",
        "Write exp(x) instead of math.exp(x) or x.exp().",
    ],
    "function": [
        "a function of gradwalk",
        "'{name}'",
        "{instead}",
        "{nearest}",
        "Write {name} * (...) for a product. Available functions: {functions}.",
    ],
    "arguments": ["{signature}", "{code}", "Give every argument once."],
    "order": [FORMULA, "a positional argument after a named one", "Put positional ones first."],
    "list": ["logsumexp([a, b, ...])", "{code}", "Write logsumexp([a, b])."],
    "finite": ["a number below 1.8e308", "{code}", "Write inf for infinity."],
    # values of the variables
    "unused": ["values for its variables ({names})", "one for '{name}'", "{nearest}", "Remove it."],
    "missing": [
        "a value for every variable ({names})",
        "none for '{name}'",
        "Give it one, {name}=1.0, or write {constant}.",
        "Give it one, {name}=1.0, or call the function: {function}(x).",
        "Give it one: {name}=1.0.",
    ],
    "value": ["a number such as 2, 1e-3 or 1/3", "the name '{name}'", "Write its number instead."],
}
