"""NumPy's ufuncs on Tensors have NumPy's dtypes and numbers, for every pair of dtypes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gradwalk import Tensor
from gradwalk.errors import NotANumberError

KINDS = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"]
ELEMENTWISE = sorted(
    name
    for name, f in vars(np).items()
    if isinstance(f, np.ufunc) and f.__name__ == name and not f.signature
)
LACKING = {"bitwise_count", "float_power", "frexp", "gcd", "lcm", "ldexp", "logaddexp2", "modf"}
LACKING |= {"spacing", "isnat"}
"""Those that gradwalk has no function for, and says so. Another test registers one for ldexp."""


def outcome(f, args):
    """Return dtypes and results, or ``None`` where NumPy has no loop."""
    try:
        found = f(*args)
    except (TypeError, ValueError, NotANumberError):
        return None
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [n for n in ELEMENTWISE if n not in LACKING])
def test_dtypes_and_numbers_are_those_of_numpy(name):
    f = getattr(np, name)
    compared = 0
    for kinds in itertools.product(KINDS, repeat=f.nin):
        args = [np.array([[1, 2, 3], [1, 1, 2]][i]).astype(k) for i, k in enumerate(kinds)]
        expected = outcome(f, args)
        got = outcome(f, [Tensor(x) for x in args])
        if expected is None:
            continue
        assert got is not None, kinds
        for x, y in zip(expected, got, strict=True):
            compared += 1
            assert y.dtype == x.dtype, kinds
            np.testing.assert_allclose(np.asarray(y.data), x, rtol=2e-3, err_msg=str(kinds))
    assert compared


@pytest.mark.parametrize("name", sorted(LACKING - {"isnat", "ldexp"}))
def test_what_is_lacking_says_so(name):
    f = getattr(np, name)
    with pytest.raises(NotANumberError, match=f"numpy.{name}"):
        f(*[Tensor(np.array([1, 2]))] * f.nin)


def test_a_method_that_gives_pairs_in_pytorch_refuses_dim():
    import gradwalk as gw
    from gradwalk.errors import OptionError
    from gradwalk.tensor.functions.dims import PAIRS

    x = Tensor([[1.0, 5.0], [7.0, 3.0]])
    for name in PAIRS:
        for f in (
            getattr(gw, name, None),
            getattr(gw.tensor, name, None),
            getattr(Tensor, name, None),
        ):
            if f is not None:
                with pytest.raises(OptionError, match="pair of values and indices"):
                    f(x, dim=1)
                f(x, axis=1)
    assert x.amax(dim=1).tolist() == [5.0, 7.0]
    assert x.amin(dim=1, keepdim=True).tolist() == [[1.0], [3.0]]
