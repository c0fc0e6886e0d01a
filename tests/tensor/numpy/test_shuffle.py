"""NumPy's compiled code that writes into what it gets: it does so rightly, or there is an error."""

import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradwalk import Tensor, grad, jvp, vmap
from gradwalk.errors import InPlaceError

SHUFFLES: dict[str, Callable[[Any], Any]] = {
    "generator": lambda x: np.random.default_rng(3).shuffle(x),
    "legacy": lambda x: np.random.RandomState(3).shuffle(x),
}

pytestmark = pytest.mark.filterwarnings("ignore:you are shuffling:UserWarning")


@pytest.mark.parametrize("name", SHUFFLES)
def test_numbers_are_shuffled(name: str) -> None:
    shuffle, n = SHUFFLES[name], 12

    def last(x: Any) -> Any:
        y = x * 1.0
        shuffle(y)
        return (y * np.arange(n)).sum()

    x = Tensor(np.arange(float(n)))
    shuffle(x)
    places = x.data.astype(int)
    assert sorted(places) == [*range(n)] != [*places]
    expected = np.argsort(places)
    np.testing.assert_array_equal(grad(last)(np.ones(n)), expected)
    assert jvp(last, (np.ones(n),), (np.ones(n),))[1] == expected.sum()
    batch = np.random.default_rng(0).normal(size=(2, n))
    np.testing.assert_allclose(vmap(last)(batch), batch @ expected)


@pytest.mark.parametrize("name", SHUFFLES)
@pytest.mark.parametrize("shape", [(4, 3), (4, 1), (3, 2, 2)])
def test_rows_are_never_repeated(name: str, shape: tuple[int, ...]) -> None:
    shuffle, x = SHUFFLES[name], np.arange(float(np.prod(shape))).reshape(shape)
    t = Tensor(x)
    with pytest.raises(InPlaceError, match=r"rng\.permutation\(len\("):
        shuffle(t)
    np.testing.assert_array_equal(t.data, x)
    with pytest.raises(InPlaceError, match=r"rng\.permutation\(len\("):
        grad(lambda x: (shuffle(x), x.sum())[1])(x)
    with pytest.raises(InPlaceError, match=r"rng\.permutation\(len\("):
        jvp(lambda x: (shuffle(x), x.sum())[1], (x,), (x,))


def test_the_fix_shuffles_rows() -> None:
    x, rng = Tensor(np.arange(12.0).reshape(6, 2)), np.random.default_rng(0)
    x[...] = x[rng.permutation(len(x))]
    assert sorted(x.tolist()) == np.arange(12.0).reshape(6, 2).tolist()


def test_assignments_of_rows_are_numpys() -> None:
    def exchange(x: Any) -> Any:
        x[0], x[1] = x[1], x[0]
        x[2] = x[3]
        x[1:] = x[:-1]
        return x

    def by_the_standard_library(x: Any) -> Any:
        random.Random(0).shuffle(x)
        return x

    for f in (exchange, by_the_standard_library):
        x = np.arange(12.0).reshape(4, 3)
        np.testing.assert_array_equal(f(Tensor(x)).data, f(x.copy()))
    t = Tensor(np.arange(4.0))
    operator.setitem(t, 0, t[2])
    operator.setitem(t, 1, t[2:3].clone())
    assert t.tolist() == [2.0, 2.0, 2.0, 3.0]


def test_nditer_reads_and_refuses_to_write() -> None:
    t = Tensor([1.0, 2.0])
    assert [float(x) for x in np.nditer(t)] == [1.0, 2.0]
    for flags in (["readwrite"], ["writeonly"]):
        with pytest.raises(ValueError, match="read-only"):
            np.nditer(t, op_flags=[flags])


def test_asarray_is_a_copy_to_write_into() -> None:
    t = Tensor([1.0, 2.0])
    for a in (np.asarray(t), np.array(t)):
        a[0] = 5.0
    assert t.tolist() == [1.0, 2.0]
