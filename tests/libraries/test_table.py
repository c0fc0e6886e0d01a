"""Every row of the table on arrays of other libraries: NumPy's values and gradients."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest

from gradwalk.core.primitive import Primitive
from gradwalk.errors import OptionError
from gradwalk.ops import TABLE

from ..helpers.libraries import Library, compare, with_cases

ROWS = TABLE.keys() - {"pass_if", "mask_if"}
LACKING = {
    "array_api_strict": {"erf", "erfc", "gelu", "gelu_slope", "fma"},
    "torch": {"fma"},
    "jax": {"fma"},
}
"""What a library has no function for, so that there is an error."""

in_the_library = pytest.mark.parametrize(
    ("library", "name"), with_cases(lambda name: sorted(ROWS - LACKING[name])), indirect=["library"]
)
lacking = pytest.mark.parametrize(
    ("library", "name"), with_cases(lambda name: sorted(LACKING[name])), indirect=["library"]
)


def drawn(row: Primitive, shapes: list[Any], dtype: Any = np.float64) -> list[Any]:
    """Return arguments inside the domain."""
    rng = np.random.default_rng(len(row.name))
    args = []
    for (low, high), shape in zip(row.domain, shapes, strict=True):
        low, high = max(low, -1.5 if high == inf else high - 2.0), high
        high = min(high, low + 2.5)
        edge = 0.05 * (high - low)
        args.append(rng.uniform(low + edge, high - edge, shape).astype(dtype))
    return args


@lacking
def test_what_a_library_lacks_is_an_error_that_names_it(library: Library, name: str) -> None:
    row = TABLE[name]
    with pytest.raises(OptionError, match=rf"{library.name}:.*to_device"):
        compare(library, row, *drawn(row, [(2, 3)] * row.arity))


@in_the_library
def test_values_and_gradients_are_those_of_numpy(library: Library, name: str) -> None:
    row = TABLE[name]
    args = drawn(row, [(2, 3)] * row.arity)
    compare(library, row, *args)
    if row.arity > 1:  # broadcast, and summed on the way back
        compare(library, row, *drawn(row, [(3, 1), (4,), (2, 1, 1)][: row.arity]))
        compare(library, row, args[0], *[float(a[0, 0]) for a in args[1:]])


@in_the_library
def test_single_precision_stays_so(library: Library, name: str) -> None:
    row = TABLE[name]
    args = drawn(row, [(5,)] * row.arity, np.float32)
    compare(library, row, *args, rtol=3e-6, atol=3e-6)
