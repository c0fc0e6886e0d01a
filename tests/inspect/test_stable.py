"""Stable forms have the value and the gradient of what they replace, wherever that is finite."""

from __future__ import annotations

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, exp, log, softmax, sqrt
from gradwalk.inspect.edits import Edit
from gradwalk.inspect.stable import RULES, stable_form
from gradwalk.nn import functional as F  # noqa: N812

SPELLINGS = {
    "log(gw.sigmoid(z))": "log",
    "z.sigmoid().log()": "log",
    "log(1 - z.sigmoid())": "log",
    "gw.log(1.0 / (1.0 + exp(-z)))": "log",
    "gw.log(1.0 - 1.0 / (exp(-z) + 1.0))": "log",
    "log(softmax(z, axis=1))": "log",
    "F.softmax(z, dim=-1).log()": "log",
    "log(F.softmax(z, dim=1)[np.arange(2), [2, 0]])": "log",
    "log(exp(z) / exp(z).sum(axis=1, keepdims=True))": "log",
    "log(1 + exp(z))": "exp",
    "(z.exp() + 1).log()": "exp",
    "gw.log1p(gw.exp(z))": "exp",
    "log(exp(z).sum(axis=0))": "exp",
    "log(gw.sum(exp(z), axis=1, keepdims=True))": "exp",
    "1 / (1 + exp(-z))": "exp",
    "1 / (1 + exp(z))": "exp",
    "exp(z) / (1 + exp(z))": "exp",
    "exp(z) / exp(z).sum(axis=1, keepdims=True)": "exp",
    "gw.sin(z) / z": "div",
    "(z ** 2).mean() - z.mean() ** 2": "sub",
    "(z * z).mean(axis=0) - z.mean(axis=0) ** 2": "sub",
    "sqrt((z ** 2).sum())": "sqrt",
    "(z * z).sum(-1).sqrt()": "sqrt",
    "gw.square(z).sum(axis=0) ** 0.5": "pow",
    "((z - 1.0) ** 2).sum(axis=1, keepdims=True) ** 0.5": "pow",
}
"""Expressions as programs have them, and the operation that is asked about."""

NAMES = {"gw": gw, "np": np, "exp": exp, "log": log, "softmax": softmax, "sqrt": sqrt, "F": F}


def value_and_gradient(expression):
    z = Tensor([[0.3, -1.2, 2.5], [1.1, 0.7, -0.4]], requires_grad=True)
    y = eval(expression, {**NAMES, "z": z})
    (y * np.cos(np.arange(y.size)).reshape(y.shape)).sum().backward()
    return y.data, z.grad


@pytest.mark.parametrize("old", SPELLINGS)
def test_a_form_has_the_same_value_and_gradient(old, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(f"import gradwalk\ny = {old}\n", "utf-8")
    found = stable_form(str(file), 2, SPELLINGS[old])
    assert found is not None
    assert (found.line, found.last) == (2, 2)
    edit = Edit(str(file), found.line, found.last, found.old, found.new)
    new = edit.apply(file.read_text("utf-8")).splitlines()[1].removeprefix("y = ")
    assert new != old
    for a, b in zip(value_and_gradient(old), value_and_gradient(new), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("old", SPELLINGS)
def test_a_form_is_found_through_variables(old, tmp_path):
    for part in ("z.sigmoid()", "exp(z)", "softmax(z, axis=1)", "z.mean()", "(z ** 2).sum()"):
        if part in old and f".{part}" not in old:
            file = tmp_path / "program.py"
            lines = ["import gradwalk", "def f(z):", f"    part = {part}"]
            lines.append(f"    return {old.replace(part, 'part')}")
            file.write_text("\n".join(lines), "utf-8")
            asked = 3 if SPELLINGS[old] in part else 4
            found = stable_form(str(file), asked, SPELLINGS[old])
            assert found is not None
            assert found.line == 4


OTHERS = [
    ("log(p + 1e-12)", "log"),
    ("exp(a) / exp(b).sum(axis=1, keepdims=True)", "exp"),
    ("exp(z) / exp(z).sum()", "exp"),  # of which axis, nothing tells
    ("log(2 + exp(z))", "exp"),
    ("sqrt((z ** 3).sum())", "sqrt"),
    ("(z ** 2).mean(axis=0) - z.mean(axis=1) ** 2", "sub"),
    ("gw.sin(u) / v", "div"),
]


@pytest.mark.parametrize(("text", "op"), OTHERS)
def test_other_expressions_have_none(text, op, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(f"import gradwalk\ny = {text}\n", "utf-8")
    assert stable_form(str(file), 2, op) is None


def test_a_variable_with_two_values_is_not_followed(tmp_path):
    file = tmp_path / "program.py"
    file.write_text("import gradwalk\np = z.sigmoid()\np = p * 0.5\ny = log(p)\n", "utf-8")
    assert stable_form(str(file), 4, "log") is None


def test_every_form_has_a_spelling(tmp_path):
    written = []
    for i, (old, op) in enumerate(SPELLINGS.items()):
        file = tmp_path / f"program{i}.py"
        file.write_text(f"import gradwalk\ny = {old}\n", "utf-8")
        written.append(stable_form(str(file), 2, op).new)
    for _, form in RULES:
        name = form.removeprefix("select ").partition("(")[0]
        assert any(f".{name}(" in new for new in written), name


CHANGED = [
    "z = f(x)\np = z.sigmoid()\nz = z * 2.0\ny = log(p)\n",
    "for z in zs:\n    p = z.sigmoid()\n    z = z + 1.0\n    y = log(p)\n",
    "def f(z):\n    p = z.sigmoid()\n    z = z * 2.0\n    return log(p)\n",
    "p = p\ny = log(p)\n",
    "p = model(x).sigmoid()\ny = log(p)\n",  # a second call has another dropout
]


@pytest.mark.parametrize("text", CHANGED)
def test_an_operand_that_changes_on_the_way_is_not_put_into_a_form(text, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(f"import gradwalk\n{text}", "utf-8")
    assert stable_form(str(file), 1 + len(text.splitlines()), "log") is None


def test_a_long_program_is_read_in_one_walk(tmp_path):
    file = tmp_path / "program.py"
    lines = [f"a{i} = b{i} / c{i - 1 if i else 0} - log(a{i - 1 if i else 0})" for i in range(3000)]
    file.write_text("\n".join(["import gradwalk", *lines, "y = log(a2999)"]), "utf-8")
    walked = []
    original = gw.inspect.stable.ast.walk
    gw.inspect.stable.ast.walk = lambda node: walked.append(0) or original(node)
    try:
        assert stable_form(str(file), 3002, "log") is None
    finally:
        gw.inspect.stable.ast.walk = original
    assert len(walked) < 4 * len(lines)
