"""Functions of floats that never raise: infinities and NaN where C has them."""

from __future__ import annotations

from math import inf, isnan, nan

import pytest

from gradwalk.core import ieee


@pytest.mark.parametrize("a", [1.0, 5e-324, inf])
@pytest.mark.parametrize("sign_of_a", [1.0, -1.0])
@pytest.mark.parametrize("sign_of_b", [1.0, -1.0])
def test_a_quotient_by_zero_has_the_signs_of_both(
    a: float, sign_of_a: float, sign_of_b: float
) -> None:
    assert ieee.div(sign_of_a * a, sign_of_b * 0.0) == sign_of_a * sign_of_b * inf


@pytest.mark.parametrize("a", [0.0, -0.0, nan])
def test_a_quotient_of_nothing_by_zero_is_nan(a: float) -> None:
    assert isnan(ieee.div(a, 0.0))
    assert isnan(ieee.div(a, -0.0))
