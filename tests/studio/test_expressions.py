"""Formulas typed on the page: one table of cases for the readers in Python and TypeScript.

`web/tests/expression/conformance.test.ts` checks the same table against the page's reader.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from gradwalk.engine.node import ancestors
from gradwalk.engine.reverse import consumer_counts, reverse_steps, vjp_on_numbers
from gradwalk.errors import ExpressionError
from gradwalk.expression import FUNCTIONS, parse
from gradwalk.inspect.graph import snapshot

TABLE = Path(__file__).parents[2] / "web" / "tests" / "expression" / "cases.json"
CASES = json.loads(TABLE.read_text(encoding="utf-8"))


def same(x, expected):
    """Whether two numbers agree to 1e-12; no gradient is another thing than 0."""
    if x is None or expected is None:
        return x is expected
    wanted = float(expected)
    if math.isnan(wanted):
        return math.isnan(x)
    return x == wanted or math.isclose(x, wanted, rel_tol=1e-12, abs_tol=1e-300)


def shown(text):
    return text if len(text) < 40 else f"{text[:37]}..."


@pytest.mark.parametrize("case", CASES["formulas"], ids=lambda case: shown(case["text"]))
def test_a_formula_gives_the_graph_and_the_sweep_that_the_page_shows(case):
    formula = parse(case["text"])
    assert (list(formula.names), list(formula.constants)) == (case["names"], case["constants"])
    root = formula.evaluate(case["values"])
    items = snapshot(root, {})
    graph = [[item.op, list(item.inputs), item.name, item.constant] for item in items]
    assert graph == [node[:4] for node in case["nodes"]]
    assert all(same(item.data, node[4]) for item, node in zip(items, case["nodes"], strict=True))
    numbered = [index for index, item in enumerate(items) if not item.constant]
    where = dict(zip(ancestors(root), numbered, strict=True))
    steps = [
        (where[node], t)
        for node, t in reverse_steps(root, 1.0, consumer_counts(root), vjp_on_numbers)
    ]
    assert [node for node, _ in steps] == [node for node, _ in case["sweep"]]
    pairs = zip(steps, case["sweep"], strict=True)
    assert all(same(t, expected) for (_, t), (_, expected) in pairs)


@pytest.mark.parametrize("case", CASES["formulas"], ids=lambda case: shown(case["text"]))
def test_a_formula_is_a_program_of_its_names(case):
    formula = parse(case["text"])
    program, given = formula.program.check(), dict.fromkeys(formula.names, 1.5)
    assert [program.name(i) for i in range(program.inputs)] == [*formula.names]
    found = program(*given.values())
    assert same(found, formula.evaluate(given).data), program


@pytest.mark.parametrize(
    ("text", "line", "column"),
    CASES["mistakes"],
    ids=[shown(case[0]) for case in CASES["mistakes"]],
)
def test_a_mistake_is_pointed_at_where_the_page_points(text, line, column):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert caught.value.where == f"formula, line {line}, column {column}"


@pytest.mark.parametrize(
    ("text", "line", "column", "got", "fix"),
    CASES["hints"],
    ids=[shown(case[0]) for case in CASES["hints"]],
)
def test_what_other_notations_write_gets_the_hint_that_the_page_gives(text, line, column, got, fix):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert caught.value.where == f"formula, line {line}, column {column}"
    assert caught.value.got == got
    assert caught.value.fix.startswith(fix)


def test_the_page_knows_the_same_functions():
    assert sorted(FUNCTIONS) == CASES["functions"]
