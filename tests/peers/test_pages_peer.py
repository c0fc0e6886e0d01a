"""The manual's page that needs PyTorch: its examples run."""

import doctest
import re
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.peer

PAGE = Path(__file__).parents[2] / "docs" / "manual" / "howto" / "exchange-with-pytorch.md"


def test_the_examples_of_the_page_run():
    blocks = re.findall(
        r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) > 10
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
