"""The manual page of every function: made from the facts of its row, and its example runs."""

import doctest

import pytest

import gradwalk
from gradwalk.core.unicode_math import plain
from gradwalk.engine import functions
from gradwalk.engine.operators import manual
from gradwalk.ops import TABLE

COMPOSED = ("gelu", "softmax", "log_softmax", "logsumexp")  # with pages of their own
NAMES = [name for name in functions.__all__ if name in TABLE and name not in COMPOSED]


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_a_manual_page_runs(name):
    function, primitive = getattr(gradwalk, name), TABLE[name]
    assert function.__doc__ == manual(primitive)
    assert f"    y = {plain(primitive.tex)}\n" in function.__doc__
    assert "\\" not in function.__doc__
    test = doctest.DocTestParser().get_doctest(function.__doc__, {}, name, None, None)
    assert len(test.examples) == 3
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_a_manual_page_says_what_a_reader_needs():
    page = gradwalk.leaky_relu.__doc__
    assert page.startswith("x if it is positive, else a small multiple of x.\n\n    y = max(x, 0)")
    assert "Where the derivative jumps: the negative slope at 0." in page
    assert "no derivative" in gradwalk.floor.__doc__
    assert "in (0, inf)" in gradwalk.log.__doc__
