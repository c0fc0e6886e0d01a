"""The compile room and the generator of the kernels: what is printed is what the rows say."""

import shutil
import subprocess
from pathlib import Path

import pytest

from gradwalk import native
from gradwalk.core.primitive import mask_if, pass_if
from gradwalk.errors import SilentDetachError
from gradwalk.ops import TABLE
from gradwalk.ops.arithmetic import where
from gradwalk.ops.exponential import exp
from gradwalk.optim.updates import UPDATES
from gradwalk.program import Var, print_function, trace
from gradwalk.program.builder import Builder
from gradwalk.program.printing import kernel_header as generate
from gradwalk.program.printing.rule_programs import Traced
from gradwalk.program.program import needed


def printed(f, *names, results=("return {};",)):
    return print_function(trace(f, names), "double f(...)", list(results))


def test_equal_equations_are_written_once():
    program = trace(lambda x: exp(x) * exp(x) + 2.0 * exp(x), ["x"]).check()
    assert [e.primitive.name for e in program] == ["exp", "mul", "mul", "add"]


def test_rules_that_will_be_differentiated_share_nothing():
    program = trace(lambda x: exp(x) * exp(x), ["x"], Traced).check()
    assert [e.primitive.name for e in program] == ["exp", "exp", "mul"]


def test_equations_that_a_result_needs():
    program = trace(lambda x, y: (exp(x) * 2.0, exp(y), x, 3.0), ["x", "y"])
    assert [needed(program, [a])[0] for a in program.outputs] == [[0, 1], [2], [], []]
    assert needed(program, program.outputs) == ([0, 1, 2], bytearray([1, 1, 1, 1, 1, 1, 1]))


def test_numbers_are_printed_exactly():
    text = printed(lambda x: x * 0.1 - -2.0, "x")
    assert (0.1).hex() in text
    assert f"({(-2.0).hex()})" in text
    for number, name in ((float("inf"), " INFINITY"), (-float("inf"), "-INFINITY")):
        assert name in printed(lambda x, n=number: x + n, "x")
    assert "NAN" in printed(lambda x: x + float("nan"), "x")


def test_zeros_of_both_signs_are_different_numbers():
    program = trace(lambda x: (x + 0.0) * (x + -0.0), ["x"])
    assert [e.primitive.name for e in program] == ["add", "add", "mul"]


def test_choices_and_conditions():
    text = printed(lambda x: where((x > 0.0) & (x <= 1.0) | (x >= 3.0), x, -x), "x")
    assert "const int v1 = x > 0x0.0p+0;" in text
    assert "? x : v" in text


def test_equality_is_recorded():
    text = printed(lambda x: where((x == 2.0) | (x != 0.0), x, -x), "x")
    assert "x == 0x1.0" in text
    assert "x != 0x0.0" in text
    with pytest.raises(SilentDetachError, match="where"):
        trace(lambda x: x if x == 0.0 else -x, ["x"])
    with pytest.raises(SilentDetachError, match="where"):
        trace(lambda x: x if x in [0.0, 1.0] else -x, ["x"])


def test_a_gate_is_shut_before_anything_behind_it_is_computed():
    text = printed(lambda t, x: pass_if(x > 0.0, t * exp(x)), "t", "x", results=["*share = {};"])
    assert text.index("return 0;") < text.index("exp")
    assert text.index("return 1;") > text.index("*share")
    assert "if (v2) return 0;" in printed(
        lambda t, x: mask_if(x < 0.0, t), "t", "x", results=["*share = {};"]
    )


def test_an_unknown_number_has_no_truth():
    with pytest.raises(SilentDetachError, match="where"):
        trace(lambda x: x if x > 0.0 else -x, ["x"])


def test_a_program_with_several_results_and_a_constant_one():
    text = printed(lambda x: (x * x, 1.0), "x", results=["a = {};", "b = {};"])
    assert "a = v1;" in text
    assert f"b = {(1.0).hex()};" in text
    assert trace(lambda x: x, ["x"]).outputs == (0,)


def test_a_program_of_unknown_numbers_runs():
    program = trace(lambda x, y: (exp(x) * y, 2, None), ["x", "y"])
    assert program(0.0, 3.0) == (3.0, 2.0, None)


def test_every_pointwise_row_and_rule_and_every_update_is_in_the_kernels():
    text = generate.render()
    rows = generate.kernels()
    assert {primitive.name for primitive in rows} >= {
        "add",
        "pow",
        "where",
        "gelu",
        "lgamma",
        "polygamma",
    }
    for primitive in rows:
        assert f"static inline double f_{primitive.name}(" in text
        assert f"case OP_{primitive.name}:" in text
        for index, rule in enumerate(primitive.rules):
            assert (f"int r_{primitive.name}_{index}(" in text) == (rule is not None)
    for name in UPDATES:
        assert f"static int u_{name}(" in text
    left_out = {name for name, primitive in TABLE.items() if primitive not in rows}
    assert not any(TABLE[name].differentiable for name in left_out)


def test_rendering_is_deterministic():
    assert generate.render() == generate.render()
    assert generate.fingerprint() in generate.render()


@pytest.mark.skipif(native.engine is None, reason="runs on the Python engine")
def test_the_compiled_engine_was_printed_from_this_table():
    assert generate.fingerprint() == native.engine.FINGERPRINT, "build again: make test does"


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_printed_function_computes_the_same_bits(tmp_path: Path):
    f = lambda x: where(x < 1.0, exp(x) / 3.0, x - 0.1)  # noqa: E731
    source = tmp_path / "f.c"
    function = print_function(trace(f, ["x"]), "double f(double x)", ["return {};"])
    main = 'int main(void) { printf("%a %a\\n", f(0.7), f(1.3)); return 0; }\n'
    source.write_text(f"#include <math.h>\n#include <stdio.h>\n{function}{main}")
    command = ["cc", "-O2", "-ffp-contract=off", "-fno-builtin", str(source), "-lm", "-o"]
    subprocess.run([*command, str(tmp_path / "f")], check=True)
    out = subprocess.run([tmp_path / "f"], check=True, capture_output=True, text=True).stdout
    assert [float.fromhex(word) for word in out.split()] == [f(0.7), f(1.3)]


def test_var_names_its_program():
    builder = Builder()
    assert Var(builder, builder.input()).builder is builder
