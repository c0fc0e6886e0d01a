"""The arithmetic of the page is what the table prints, and computes what the engine computes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import warnings
from itertools import product
from math import inf, isnan, nan
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from gradwalk.core.primitive import Primitive, mask_if, pass_if
from gradwalk.ops import TABLE
from gradwalk.ops.arithmetic import equal, where
from gradwalk.ops.exponential import exp
from gradwalk.program import trace
from gradwalk.program.formulas.algebra import Term, choice, made, masked
from gradwalk.program.formulas.formula import slope
from gradwalk.program.formulas.tex import readable
from gradwalk.program.formulas.tex import tex as as_tex
from gradwalk.program.formulas.tex import text as as_text_of
from gradwalk.program.printing.js import print_function, signature
from gradwalk.studio import printed

from ..helpers.arguments import CANCELS, Args, arguments, exactly, moderate

WEB = Path(__file__).parents[2] / "web"
PRINTED = WEB / "src" / "engine" / "table.ts"

EVALUATE = """
import { readFileSync } from "node:fs";
import { build } from "vite";

const [table, vectors] = process.argv.slice(1);
const lib = { entry: table, formats: ["es"] };
const options = { configFile: false, logLevel: "silent", build: { write: false, lib } };
const [{ output }] = await build(options);
const code = Buffer.from(output[0].code).toString("base64");
const { TABLE } = await import("data:text/javascript;base64," + code);

const number = (x) => (typeof x === "string" ? Number(x) : x);
const text = (x) => (x === null ? null : Object.is(x, -0) ? "-0" : String(x));
const result = {};
for (const [name, lists] of Object.entries(JSON.parse(readFileSync(vectors, "utf8")))) {
  const { forward, rules } = TABLE[name];
  result[name] = lists.map((list) => {
    const [seed, ...args] = list.map(number);
    const y = forward(...args);
    return [y, ...rules.map((rule) => rule && rule(seed, y, ...args))].map(text);
  });
}
process.stdout.write(JSON.stringify(result));
"""


pytestmark = pytest.mark.filterwarnings("default:NOT TESTED")

SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e300, inf, -inf, nan)
FEWER = (0.0, -0.0, 1.0, -2.5, inf, -inf, nan)
DRAWN = 400
SMALLEST = 5e-324


def vectors(primitive: Primitive) -> list[list[float]]:
    """Seed and arguments: drawn ones, and all ways to combine zeros, infinities and NaN."""
    special = product(SPECIAL if primitive.arity < 3 else FEWER, repeat=primitive.arity)
    lists = [*arguments(primitive.name, DRAWN), *special]
    return [[(1.0, -0.75, 3e5)[i % 3], *args] for i, args in enumerate(lists)]


def as_text(x: float) -> float | str:
    """JSON has no infinities and no NaN; JavaScript reads these."""
    return x if abs(x) < inf else "NaN" if isnan(x) else "Infinity" if x > 0 else "-Infinity"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the page computes: by row, for each vector the value and all shares."""
    if shutil.which("node") is None or not (WEB / "node_modules" / "vite").is_dir():
        reason = "NOT TESTED: the arithmetic of the page (install Node, then: cd web && npm ci)"
        warnings.warn(reason, stacklevel=1)
        pytest.skip(reason)
    given = {
        name: [[*map(as_text, v)] for v in vectors(primitive)] for name, primitive in TABLE.items()
    }
    path = tmp_path_factory.mktemp("page") / "vectors.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    command = ["node", "--input-type=module", "--eval", EVALUATE, str(PRINTED), str(path)]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads(done.stdout)
    return results


def differs(primitive: Primitive, index: int | None, args: Args, seed: float, pair: Any) -> bool:
    """Whether two results are further apart than 1e-12 of them, or of a term that cancels."""
    theirs, ours = pair
    if theirs is None or ours is None:
        return theirs is not ours
    if theirs == ours or isnan(theirs) or isnan(ours):
        return not (theirs == ours or (isnan(theirs) and isnan(ours)))
    if max(abs(theirs), abs(ours)) == inf:
        return True
    term = CANCELS.get((primitive.name, index))
    size = max(abs(ours), abs(float(exactly(term, args)) * seed) if term else 0.0)
    return abs(theirs - ours) > 1e-12 * size + 4.0 * max(1.0, abs(seed)) * SMALLEST


@pytest.mark.parametrize("primitive", TABLE.values(), ids=TABLE)
def test_the_page_computes_what_the_engine_computes(
    primitive: Primitive, page: dict[str, Any]
) -> None:
    wrong = []
    for (seed, *args), result in zip(vectors(primitive), page[primitive.name], strict=True):
        y = float(primitive(*args))
        ours = [y, *primitive.contributions(seed, y, args)]
        theirs = [None if text is None else float(text) for text in result]
        for place, pair in enumerate(zip(theirs, ours, strict=True)):
            index, scale = (place - 1, seed) if place else (None, 1.0)
            if differs(primitive, index, tuple(args), scale, pair):
                wrong.append((index, seed, args, pair))
    assert not wrong, f"{len(wrong)} results, such as {wrong[:5]}"


def test_the_table_of_the_page_is_the_table() -> None:
    assert PRINTED.read_text(encoding="utf-8") == printed.render(), (
        "a row has changed: python -m gradwalk.studio.printed web/src/engine/table.ts"
    )


def test_the_table_is_printed_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(printed, "render", lambda: "the table\n")
    monkeypatch.setattr("sys.argv", ["printed"])
    printed.main()
    monkeypatch.setattr("sys.argv", ["printed", str(tmp_path / "table.ts")])
    printed.main()
    assert capsys.readouterr().out == (tmp_path / "table.ts").read_text("utf-8")


# --- programs as JavaScript ---------------------------------------------------------------------


def in_js(f: Any, *names: str) -> list[str]:
    return print_function(trace(f, names), "function f()").splitlines()[1:-1]


def test_a_gate_returns_before_anything_behind_it_is_computed() -> None:
    lines = in_js(lambda t, x: mask_if(x < 0.0, pass_if(equal(x, 1.0), t * exp(x))), "t", "x")
    assert [line.strip() for line in lines] == [
        "const v2 = x < 0;",
        "if (v2) return null;",
        "const v3 = x === 1;",
        "if (!v3) return null;",
        "const v4 = Math.exp(x);",
        "const v5 = t * v4;",
        "return v5;",
    ]


def test_nan_is_true_as_in_python() -> None:
    assert in_js(lambda c, x: where(c, x, -2.0), "c", "x")[0] == "  const v2 = c !== 0 ? x : (-2);"
    assert in_js(lambda c, t: pass_if(c, t), "c", "t")[0] == "  if (c === 0) return null;"
    assert in_js(lambda c, x: (x < 1.0) & (x > c), "c", "x")[-2:] == [
        "  const v4 = v2 && v3;",
        "  return Number(v4);",
    ]


def test_a_condition_is_a_number_where_one_is_wanted() -> None:
    assert "  const v2 = Number(v1) * x;" in in_js(lambda x: (x < 1.0) * x, "x")


def test_parameters_that_are_not_used_are_marked_or_left_out() -> None:
    program = trace(lambda t, y, a, b: t * a, ["t", "y", "a", "b"])
    head = signature("f", ["t", "y", "a", "b"], program, "number")
    assert head == "function f(t: number, _y: number, a: number): number"


# --- slopes as formulas -------------------------------------------------------------------------

WITH_SLOPES = [
    (primitive, i)
    for primitive in TABLE.values()
    for i in range(primitive.arity)
    if slope(primitive, i) is not None
]


def as_python(text: str) -> str:
    """A formula as an expression of Python."""
    for sign, operator in SIGNS.items():
        text = text.replace(sign, operator)
    text = re.sub(r"\|([^|]*)\|", r"abs(\1)", text)
    *cases, rest = text.split("; ")
    for case in reversed(cases):
        value, condition = case.split(" if ")
        rest = f"({value}) if ({condition}) else ({rest.removeprefix('else ')})"
    return rest.removeprefix("else ")


SIGNS = {"·": "*", "²": "**2", "^": "**", "≤": "<=", "≥": ">=", "≠": "!=", " = ": " == "}
SIGNS |= {"1/√(2π)": "0.3989422804", "1/√2": "0.7071067812", "2/√π": "1.1283791671"}
SIGNS |= {"√2": "1.4142135624", "ln 2": "0.6931471806", "ln 10": "2.302585093", "none": "None"}


@pytest.mark.parametrize(
    ("primitive", "index"), WITH_SLOPES, ids=[f"{r.name}-{i}" for r, i in WITH_SLOPES]
)
def test_a_formula_says_what_the_rule_computes(primitive: Primitive, index: int) -> None:
    formula = slope(primitive, index)
    assert formula is not None
    code = compile(as_python(formula.text), primitive.name, "eval")
    names = ["z" if "y" in primitive.params else "y", *primitive.params]
    tried = 0
    for args in [
        *moderate(primitive.name, 60),
        *([(2.0,) * primitive.arity] if primitive.arity > 1 else []),
    ]:
        y = float(primitive(*args))
        expected = primitive.contribution(primitive.rules[index], 1.0, y, args)
        if expected is not None and not 1e-200 < abs(expected) < 1e200 and expected != 0.0:
            continue
        got = eval(code, {**TABLE}, dict(zip(names, (y, *args), strict=True)))
        assert got is expected is None or got == pytest.approx(expected, rel=1e-4, abs=1e-9), args
        tried += 1
    assert tried >= 3


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (made("add", 0.0, "x"), "x"),
        (made("add", made("neg", "x"), "y"), "y - x"),
        (made("sub", "x", made("neg", "y")), "x + y"),
        (made("sub", 0.0, "x"), "-x"),
        (made("neg", made("neg", "x")), "x"),
        (made("mul", "x", -1.0), "-x"),
        (made("mul", 2.0, made("mul", 3.0, "x")), "6·x"),
        (made("mul", made("mul", "a", "b"), "b"), "a·b²"),
        (made("mul", made("add", "a", "b"), made("mul", "b", "a")), "(a + b)·(b·a)"),
        (made("sub", "a", made("sub", "b", "c")), "a - (b - c)"),
        (made("div", made("div", "a", "b"), made("neg", "c")), "-a/(b·c)"),
        (made("pow", made("exp", "x"), 2.0), "exp(2·x)"),
        (made("pow", made("neg", "x"), 2.0), "(-x)²"),
        (made("mul", -1e-20, "x"), "-1e-20·x"),
        (made("where", made("less", "x", 0.0), "x", made("neg", "x")), "-|x|"),
        (masked(made("less", "x", 0.0), "y"), "y if x < 0; else none"),
        (
            masked(made("less", "x", 0.0), choice(made("equal", "x", "y"), 1.0, 2.0)),
            "none if x ≥ 0; 1 if x = y; else 2",
        ),
        (choice(made("equal", "x", "y"), "a", "a"), "a"),
    ],
)
def test_identities_make_formulas_short(formula: Term, text: str) -> None:
    assert as_text_of(formula) == text
    assert readable(formula)


def test_cases_within_a_formula_are_not_read() -> None:
    assert not readable(made("exp", choice("c", "a", "b")))
    both = made("logical_and", made("less", "x", 0.0), made("less", "y", 0.0))
    assert not readable(masked(both, choice("c", "a", "b")))


def test_formulas_that_everybody_knows() -> None:
    known = {"mul": "b", "tanh": "1 - y²", "sigmoid": "y·(1 - y)", "pow": "b·a^(b - 1)"}
    known |= {"log2": "1/(x·ln 2)", "exp": "y", "sqrt": "1/(2·y)", "atan": "1/(1 + x²)"}
    known |= {"relu": "none if y ≤ 0; else 1", "elu": "1 if x > 0; else alpha·exp(x)"}
    for name, text in known.items():
        formula = slope(TABLE[name], 0)
        assert formula is not None
        assert formula.text == text
    assert slope(TABLE["floor"], 0) is None, "no rule"
    assert slope(TABLE["silu"], 0) is None, "too long"


def test_numbers_in_tex() -> None:
    assert as_tex(made("mul", 1.5e-20, "alpha")) == r"1.5 \cdot 10^{-20} \, \alpha"
    assert as_tex(made("mul", 0.5, made("abs", "x"))) == r"\tfrac{1}{2} \, |x|"


def test_formulas_are_mathml() -> None:
    primitive = TABLE["div"]
    formula = slope(primitive, 1)
    assert formula is not None
    assert formula.tex == r"-\frac{y}{b}"
    root = ElementTree.fromstring(printed.mathml(formula.tex))
    assert root.tag == "math"
    assert [element.tag for element in root.iter("mfrac")] == ["mfrac"]
