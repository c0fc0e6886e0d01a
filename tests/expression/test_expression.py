"""Formulas: what they mean, what they refuse, and where the caret points."""

from __future__ import annotations

import ast
import inspect
import keyword
import math
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk
from gradwalk import Value
from gradwalk.engine.node import ancestors
from gradwalk.errors import ExpressionError, NotANumberError
from gradwalk.expression import (
    CONSTANTS,
    FUNCTIONS,
    MAX_DEPTH,
    MAX_LENGTH,
    language,
    parse,
    printed,
)


def value_of(text, **values):
    return parse(text).evaluate(values).data


def caret(error):
    """The character that the message points at."""
    line, pointer = str(error).split("\n")[-2:]
    return line[pointer.index("^") : pointer.index("^") + 1]


# --- meaning ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("(a + b) * c", {"a": 2, "b": -3, "c": 10}, -10.0),
        ("-a ** 2", {"a": 3}, -9.0),
        ("2 ** -a", {"a": 1}, 0.5),
        ("a ** b ** c", {"a": 2, "b": 3, "c": 2}, 512.0),
        ("a - b - c", {"a": 1, "b": 2, "c": 3}, -4.0),
        ("a // b + a % b", {"a": 7, "b": -2}, -5.0),
        ("+a", {"a": 3}, 3.0),
        ("+-+-a", {"a": 3}, 3.0),
        ("1_000 + 0x10 + 1e-3", {}, 1016.001),
        ("pi * e", {}, math.pi * math.e),
        ("2 ** 10000", {}, math.inf),
        ("-inf", {}, -math.inf),
        ("1 / 0", {}, math.inf),
        ("a / b", {"a": -1, "b": 0}, -math.inf),
        ("where(a < b, a, b)", {"a": 2, "b": 3}, 2.0),
        ("where(a >= b, a, b)", {"a": 2, "b": 3}, 3.0),
        ("where(a, 1, 2)", {"a": 0}, 2.0),
        ("clip(x, max=1)", {"x": 3}, 1.0),
        ("clip(x, 4)", {"x": 3}, 4.0),
        ("logsumexp([a, 0])", {"a": 0}, math.log(2)),
        ("d = a * b; d + c", {"a": 2, "b": -3, "c": 10}, 4.0),
        ("  d = a * b  # a comment\n\n    d + 1", {"a": 2, "b": 3}, 7.0),
        ("y = a * a", {"a": 3}, 9.0),
        ("a = a + 1; a * a", {"a": 2}, 9.0),
        ("(a +\n   b)", {"a": 1, "b": 2}, 3.0),
        ("α * é", {"α": 2, "é": 3}, 6.0),
    ],
)  # fmt: skip
def test_a_formula_means_what_it_means_in_python(text, values, expected):
    assert value_of(text, **values) == expected


def test_zero_over_zero_is_nan():
    assert math.isnan(value_of("a / b", a=0, b=0))


@pytest.mark.parametrize("comparison", ["<", "<=", ">", ">=", "==", "!="])
@pytest.mark.parametrize(("a", "b"), [(1.0, 2.0), (2.0, 2.0), (3.0, 2.0), (math.nan, 2.0)])
def test_comparisons_compare_numbers(comparison, a, b):
    python = {
        "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b,
    }  # fmt: skip
    assert value_of(f"where(a {comparison} b, 1, 0)", a=a, b=b) == float(python[comparison])
    assert value_of(f"where({a!r} < inf, 1, 0)".replace("nan", "0/0")) == float(a < math.inf)


def test_every_function_of_one_number_is_gradwalks_own():
    checked = 0
    for name in gradwalk.engine.functions.__all__:
        primitive = FUNCTIONS.get(name)
        if primitive is not None and primitive.arity - len(primitive.defaults) == 1:
            checked += 1
            x = Value(0.75)
            expected = getattr(gradwalk, name)(x)
            got = parse(f"{name}(x)").evaluate({"x": 0.75})
            assert repr(got.data) == repr(expected.data), name
            assert got.op == expected.op, name
    assert checked > 30


def test_functions_whose_result_is_a_list_are_not_there():
    assert set(gradwalk.engine.functions.__all__) - set(FUNCTIONS) == {
        "softmax",
        "log_softmax",
        "logsumexp",
    }


OPERANDS = st.sampled_from([*"abc", "0.5", "3", "1e-1", "0x1F", "1_000", "pi"])
OPERATORS = st.sampled_from(["+", "-", "*", "/", "//", "%", "**", " + ", " * ", "** ", " -"])
SIGNS = st.sampled_from(["", "", "", "-", "+", "--", "- +"])
COMPARISONS = st.sampled_from(["<", "<=", ">", ">="])  # == of two Values compares identity


def chain(parts, links):
    """Formulas with operators between them, and no brackets around them."""
    others = st.lists(st.tuples(OPERATORS, SIGNS, parts).map("".join), max_size=links)
    return st.tuples(SIGNS, parts, others).map(lambda drawn: "".join([*drawn[:2], *drawn[2]]))


def larger(parts):
    condition = st.tuples(chain(parts, 2), COMPARISONS, chain(parts, 2)).map(" ".join)
    return st.one_of(
        chain(parts, 3).map("({})".format),
        parts.map("tanh({})".format),
        parts.map("clip({}, max=2)".format),
        st.tuples(parts, parts).map("maximum(b={0[0]}, a={0[1]},)".format),
        st.tuples(condition, parts, parts).map("where({0[0]}, {0[1]}, {0[2]})".format),
        st.tuples(condition, parts).map("where(({0[0]}), {0[1]}, b)".format),
    )


FORMULAS = chain(st.recursive(OPERANDS, larger, max_leaves=6), 5)
NUMBER = re.compile(r"\b(?:0x1F|1_000|1e-1|0\.5|[23])\b")


@given(FORMULAS)
def test_random_formulas_agree_with_python(text):
    numbers = {"a": 1.25, "b": -0.375, "c": 2.0}
    scope = {name: Value(x) for name, x in numbers.items()} | {"pi": Value(math.pi)}
    scope |= {name: getattr(gradwalk, name) for name in ("tanh", "clip", "maximum", "where")}
    python = eval(NUMBER.sub(r"Value(\g<0>)", text), scope | {"Value": Value})
    formula = parse(text)
    ours = formula.evaluate({name: numbers[name] for name in formula.names})
    assert ours.data == python.data or (math.isnan(ours.data) and math.isnan(python.data))


# --- names and the graph --------------------------------------------------------------------------


def test_names_come_in_order_of_appearance_and_constants_apart():
    formula = parse("z = b * a + pi; z * e + c - b")
    assert formula.names == ("b", "a", "c")
    assert formula.constants == ("pi", "e")
    assert set(CONSTANTS) == {"pi", "e", "inf"}


def test_the_users_constants_win():
    assert value_of("e * 2", e=3) == 6.0
    assert value_of("pi = 3; pi * 2") == 6.0


def test_the_graph_carries_the_names():
    y = parse("d = a * b; s = d + 1; tanh(s)").evaluate({"a": 2.0, "b": -0.25})
    y.backward()
    labelled = {node.label: node for node in ancestors(y) if node.label}
    assert list(labelled) == ["a", "b", "d", "s"]
    slope = 1.0 - math.tanh(0.5) ** 2
    assert labelled["a"].grad == pytest.approx(-0.25 * slope)
    assert labelled["b"].grad == pytest.approx(2.0 * slope)
    assert (labelled["d"].op, labelled["s"].op, y.op) == ("mul", "add", "tanh")


def test_values_that_are_given_are_used_and_keep_their_labels():
    a, b = Value(2.0), Value(3.0, "mine")
    y = parse("a * b").evaluate({"a": a, "b": b})
    y.backward()
    assert (a.grad, b.grad) == (3.0, 2.0)
    assert (a.label, b.label) == ("a", "mine")
    assert parse("a").evaluate({"a": a}) is a


def test_a_number_with_a_name_is_a_leaf_with_a_gradient():
    y = parse("w = 3; w * x").evaluate({"x": 2.0})
    y.backward()
    (w,) = [node for node in ancestors(y) if node.label == "w"]
    assert (w.op, w.grad) == ("", 2.0)


def test_a_variable_used_twice_is_one_node():
    y = parse("a * a + a").evaluate({"a": 3.0})
    y.backward()
    assert ancestors(y)[0].grad == 7.0


def test_the_branch_not_taken_passes_no_gradient():
    x = Value(0.0)
    parse("where(x > 0, log(x), x)").evaluate({"x": x}).backward()
    assert x.grad == 1.0


def test_two_ways_to_type_a_letter_are_one_name():
    formula = parse("\N{MICRO SIGN} + 1")
    assert formula.evaluate({"\N{MICRO SIGN}": 1.0}).data == 2.0
    assert formula.evaluate({"\N{GREEK SMALL LETTER MU}": 1.0}).data == 2.0


def test_an_expression_can_be_evaluated_again():
    formula = parse("a * a")
    assert [formula.evaluate({"a": x}).data for x in (2.0, 3.0)] == [4.0, 9.0]
    assert formula == parse("a * a")


# --- mistakes -------------------------------------------------------------------------------------

REFUSED = [
    ("(a + b * c", "(", "a '(' that is never closed"),
    ("a + b)", ")", "closes nothing"),
    ("a b", "b", "Write a * b."),
    ("2a", "a", "Write 2 * a."),
    ("a + $", "$", "got $. Remove it."),
    ("", "", "nothing"),
    ("# only a comment", "#", "nothing"),
    ("a ^ b", "^", "Write a ** b."),
    ("αβ * (γ) @ b", "@", "one of + - * / // ** %"),
    ("a <<\nb", "", "the end of the line"),
    ("(a\n & b)", "", "got &"),
    ("  a + math.exp(b)", "m", "Write exp without math."),
    ("a + foo(b) + bar(c)", "f", "'foo'"),
    ("arctan(x)", "a", "Did you mean 'atan'?"),
    ("ln(x)", "l", "Did you mean 'log'?"),
    ("max(x, y)", "m", "Did you mean 'maximum'?"),
    ("qqqqqq(x)", "q", "Available functions: abs, acos"),
    ("softmax([a])", "s", "'softmax'"),
    ("1 + exp(a, b)", "e", "exp(x)"),
    ("clip(x, low=1)", "c", "clip(x, min=-inf, max=inf)"),
    ("clip(x, 1, min=1)", "c", "Give every argument once"),
    ("clip(min=1)", "c", "clip(x, min=-inf, max=inf)"),
    ("exp(x=1, x=2)", "e", "Give every argument once"),
    ("exp(**a)", "e", "exp(x)"),
    ("exp(*a)", "*", "*a"),
    ("logsumexp(a, b)", "l", "logsumexp([a, b, ...])"),
    ("logsumexp([])", "l", "logsumexp([a, b, ...])"),
    ("1 + (a < b)", "<", "Use comparisons only as the first argument of where"),
    ("where(0 < a < b, a, b)", "0", "one comparison"),
    ("where(a in b, a, b)", "a", "one comparison"),
    ("where(a, b < c, d)", "<", "Use comparisons only as the first argument of where"),
    ("where(a < b and b < c, a, b)", "a", "Nest the conditions"),
    ("a if b else c", "a", "where(condition, a, b)"),
    ("1 + [a, b]", "[", "Only logsumexp takes a list"),
    ("a * b[0]", "b", "b[0]"),
    ("(lambda: 0)", "l", "lambda: 0"),
    ("a + (b := 3)", ":", "Name it on its own line"),
    ("~a", "~", "~a"),
    ("not a", "n", "not a"),
    ("'text'", "'", "'text'"),
    ("f'{a}'", "f", "f'{a}'"),
    ("a + True", "T", "True"),
    ("None", "N", "None"),
    ("2j", "2", "2j"),
    ("...", ".", "..."),
    ("a, b", "a", "a, b"),
    ("a * b\nc", "a", "Name the result"),
    ("a += 1", "a", "Write a = a + b instead"),
    ("a = b = 1", "a", "Write one name on the left"),
    ("a, b = 1", "a", "Write one name on the left"),
    ("a: 1", "a", "Write one name on the left"),
    ("b = a\nimport os", "i", "Remove this line"),
    ("__import__('os')", "'", "Write names without quotation marks"),
    ("__import__(os)", "_", "'__import__'"),
    ("(a)(b)(c)", "(", "((a)(b)) * (c)"),
    ("(a + b)(c)", "(", "(a + b) * (c)"),
    ("9" * 400, "9", "below 1.8e308"),
    ("9" * 5000, "9", "below 1.8e308"),
    ("a\x00b", "a", "not text"),
    ("a + '\ud800'", "a", "not text"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "pointed", "said"), REFUSED)
def test_a_mistake_is_pointed_at(text, pointed, said):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert said in str(caught.value)
    if pointed:
        assert caret(caught.value) == pointed
    assert str(caught.value).startswith("formula, line ")


def test_line_and_column_are_those_of_the_users_text():
    with pytest.raises(ExpressionError, match=r"^formula, line 3, column 9: .*got \^") as caught:
        parse("a = b\r\n\r\n   é + a^b")
    assert str(caught.value).endswith("\n\n       é + a^b\n            ^")
    assert caret(caught.value) == "^"


def test_a_long_line_is_cut_around_the_caret():
    text = "a + " * 200 + "$" + " + a" * 200
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    line = str(caught.value).split("\n")[-2].strip()
    assert caret(caught.value) == "$"
    assert line.startswith("...")
    assert line.endswith("...")
    assert len(line) <= 78


def test_control_characters_do_not_reach_the_terminal():
    with pytest.raises(ExpressionError) as caught:
        parse("\ta + '\x1b[31m' ^ b")
    assert "\x1b" not in str(caught.value)
    with pytest.raises(ExpressionError) as caught:
        parse("\ta + b ^ c\t# \x1b[31m")
    assert str(caught.value).isascii()
    assert "\x1b" not in str(caught.value)
    assert "\t" not in str(caught.value)
    assert caret(caught.value) == "^"


def test_a_name_without_a_value_is_pointed_at():
    with pytest.raises(ExpressionError, match=r"got none for 'b'\. Give it one: b=1\.0") as caught:
        parse("a + b * b").evaluate({"a": 1.0})
    assert caret(caught.value) == "b"
    with pytest.raises(ExpressionError, match=r"or call the function: sin\(x\)"):
        parse("sin * 2").evaluate({})


def test_a_value_without_a_name_is_an_error():
    with pytest.raises(ExpressionError, match=r"got one for 'rat'\. Did you mean 'rate'\?"):
        parse("rate * t").evaluate({"rat": 1.0, "t": 1.0})
    with pytest.raises(ExpressionError, match=r"variables \(none\), got one for 'x'\. Remove it"):
        parse("1 + 2").evaluate({"x": 1.0})
    with pytest.raises(ExpressionError, match="got one for 'd'"):
        parse("d = a; d * d").evaluate({"a": 1.0, "d": 2.0})


def test_a_value_that_is_no_number_is_named():
    with pytest.raises(NotANumberError, match="value of 'a'"):
        parse("a + 1").evaluate({"a": "2"})


# --- hostile input --------------------------------------------------------------------------------


def test_the_stated_limits_hold_exactly():
    assert value_of("+".join(["1"] * MAX_DEPTH)) == MAX_DEPTH
    with pytest.raises(ExpressionError, match=f"at most {MAX_DEPTH:,} levels"):
        parse("+".join(["1"] * (MAX_DEPTH + 1)))
    assert value_of("1".ljust(MAX_LENGTH)) == 1.0
    with pytest.raises(ExpressionError, match=r"at most 10,000 characters, got 10,001"):
        parse("1".ljust(MAX_LENGTH + 1))
    assert value_of("(" * 200 + "7" + ")" * 200) == 7.0
    with pytest.raises(ExpressionError, match=r"column 201: expected at most 200 brackets"):
        parse("(" * 201 + "7" + ")" * 201)


@pytest.mark.parametrize(
    "text", ["-" * 999 + "7", "1 ** " * 999 + "7", "+" * 500 + "-" * 499 + "7"]
)
def test_a_formula_as_deep_as_allowed_needs_no_deep_stack(text):
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 40)
    try:
        formula = parse(text)
    finally:
        sys.setrecursionlimit(limit)
    assert abs(formula.evaluate({}).data) in (1.0, 7.0)


def test_many_lines_may_be_longer_than_one_may_be_deep():
    text = "x = 0\n" + "x = x + 1\n" * 900 + "x"
    assert value_of(text) == 900.0


@pytest.mark.parametrize(
    "text",
    ["-" * 9000 + "a", "+".join("a" * 4900), "(" * 5000 + "a" + ")" * 4999, "a**" * 3000 + "a",
     "exp(" * 2000, "where(a<" * 1000, "[" * 9000, "a if " * 1000 + "a", "lambda:" * 1400 + "a"],
)  # fmt: skip
def test_deep_nesting_is_an_error_and_no_crash(text):
    with pytest.raises(ExpressionError):
        parse(text)


SIGNS_OF_OTHERS = [sign for signs, *_ in language.NOTATION for sign in signs.split()]
FRAGMENTS = st.sampled_from(
    [*language.BINARY, *language.PREFIX, *language.CLOSING, *language.CLOSING.values(),
     *SIGNS_OF_OTHERS, *(f"{word} " for word in language.KEYWORDS), *"ab1;.#!\n\t '\"\\",
     ".5", "e9", "exp(", "where(", "logsumexp([", "min=", "é", "\x00", "\ud800", "\u200b", "->",
     "...", "__class__", "0x", "1_", "012", "\r\n", "\xa0", "𝑥"]
)  # fmt: skip


def check_mistake(text, error):
    """An error points at a character of the text, or at the end of one of its lines."""
    assert str(error).split("\n")[-1].strip() == "^"
    assert re.match(r"[A-Z][a-z]+ ", error.fix)
    found = re.fullmatch(r"formula, line (\d+), column (\d+)", error.where)
    line, column = int(found[1]), int(found[2])
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert 1 <= line <= len(lines)
    assert 1 <= column <= len(lines[line - 1]) + 1


@given(st.lists(FRAGMENTS, max_size=30).map("".join) | st.text(max_size=40))
def test_whatever_is_typed_is_a_formula_or_an_error_inside_the_text(text):
    try:
        formula = parse(text)
    except ExpressionError as error:
        check_mistake(text, error)
    else:
        assert isinstance(formula.evaluate(dict.fromkeys(formula.names, 1.5)), Value)


PYTHON = st.lists(FRAGMENTS | OPERANDS | OPERATORS, max_size=8).map("".join)


@given(PYTHON)
def test_every_formula_is_python(text):
    """A text that Python's grammar refuses is refused here too."""
    try:
        parse(text)
    except ExpressionError as error:
        check_mistake(text, error)
    else:
        source = "\n".join(line.strip() for line in re.split(r"\r\n?|\n", text))
        assert ast.parse(source).body


def test_nothing_is_ever_run_as_python():
    unsafe = {"ast", "eval", "exec", "compile", "__import__", "import_module"}
    files = [*Path(gradwalk.expression.__file__).parent.glob("*.py")]
    assert len(files) > 10
    for file in files:
        nodes = [*ast.walk(ast.parse(file.read_text("utf-8")))]
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        used |= {alias.name for node in nodes if hasattr(node, "names") for alias in node.names
                 if isinstance(alias, ast.alias)}  # fmt: skip
        assert not used & unsafe, file


# --- the language ---------------------------------------------------------------------------------


def test_the_language_of_the_page_is_this_language():
    path = Path(__file__).parents[2] / "web" / "src" / "expression" / "language.ts"
    assert path.read_text("utf-8") == printed.render(), (
        "it has changed: python -m gradwalk.expression.printed web/src/expression/language.ts"
    )


def test_the_language_is_printed_where_it_is_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(printed, "render", lambda: "the language\n")
    for file in ([], [str(tmp_path / "language.ts")]):
        monkeypatch.setattr("sys.argv", ["printed", *file])
        printed.main()
    assert capsys.readouterr().out == (tmp_path / "language.ts").read_text("utf-8")


VERBS = "Add Complete Did Give Name Nest Put Remove Split Type Use Write"


def test_every_fix_begins_with_a_verb():
    tables = [language.STATEMENTS, language.FOREIGN, language.INSTEAD]
    fixes = [fix for table in tables for fix in table.values()]
    fixes += [fix for _, *row in language.NOTATION for fix in row]
    fixes += [fix for _, _, *row in language.MESSAGES.values() for fix in row]
    assert len(fixes) > 100
    others = {fix.split()[0] for fix in fixes if not re.fullmatch(r"\{\w+\}", fix)}
    assert others <= {*VERBS.split()}


def test_the_words_that_are_no_names_are_pythons():
    assert keyword.kwlist == language.KEYWORDS


def test_a_dot_of_multiplication_is_no_part_of_a_name():
    with pytest.raises(ExpressionError, match=r"Write a \* b\.") as caught:
        parse("2 * a·b")
    assert caret(caught.value) == "·"


def test_pi_in_greek_is_a_name_and_the_advice_knows_what_was_meant():
    assert value_of("2 * π", π=3) == 6.0
    with pytest.raises(ExpressionError, match="or write pi"):
        value_of("2 * π")
