"""Exported JavaScript in a page: a script among others, with the numbers of the engine."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gradwalk import export, relu, sqrt, value_and_grad


def loss(xs: list[Any]) -> Any:
    return sum(relu(a * b - 0.25) / sqrt(a * a + 1.0) for a, b in pairwise(xs))


POINT = [0.3, -1.25, 2.0, 0.75, -0.5]


@pytest.fixture
def exported(page: Any, tmp_path: Path) -> Any:
    """A page that has loaded the functions."""
    export(loss, POINT, path=tmp_path / "loss.js")
    html = tmp_path / "page.html"
    html.write_text('<!doctype html><title>loss</title><script src="loss.js"></script>')
    page.goto(html.as_uri())
    return page


def test_a_page_computes_the_bits_of_the_engine(exported: Any) -> None:
    for point in (POINT, [1.0, 2.0, 3.0, -4.0, 0.0], [-x for x in POINT]):
        found = exported.evaluate(
            """(point) => {
              const y = new Float64Array(1), g = new Float64Array(point.length);
              return [loss_gradient(Float64Array.from(point), y, g), y[0], ...g];
            }""",
            point,
        )
        value, slopes = value_and_grad(loss)(point)
        assert found == [0, value, *slopes]
