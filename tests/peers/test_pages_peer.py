"""The pages of the manual that need PyTorch: their examples run."""

import doctest
import re
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.peer

HOWTO = Path(__file__).parents[2] / "docs" / "manual" / "howto"
PAGES = ("exchange-with-pytorch.md", "pytorch-loss-is-nan.md")


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_of_the_page_run(name):
    text = (HOWTO / name).read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, name, 0)
    assert len(test.examples) > 10
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
