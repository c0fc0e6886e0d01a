"""Columns and tables of pandas wherever arrays go."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, Value, grad, nn, optim, vmap
from gradwalk.errors import GradwalkError

pd: Any = pytest.importorskip("pandas")

NUMBERS = [1.5, 2.0, 3.0]
TABLE = pd.DataFrame({"a": NUMBERS, "b": [4, 5, 6]})
CLASSES = pd.Series([0, 1, 1])
COLUMNS = {
    "floats": pd.Series(NUMBERS),
    "integers": pd.Series([1, 2, 3]),
    "other labels": pd.Series(NUMBERS, index=["x", "y", "z"]),
    "nullable": pd.Series([1, 2, 3], dtype="Int64"),
    "bools": pd.Series([True, True, True]),
    "an index": pd.Index(NUMBERS),
    "a table": TABLE,
    "a part": TABLE.loc[:, ["b"]],
}
OPERATORS = ("add", "sub", "mul", "truediv", "pow", "lt", "ge", "eq", "ne")


def plain(column: Any) -> Any:
    return np.asarray(column, dtype=float)


def carrier_for(column: Any) -> Any:
    return np.full(np.shape(column), 2.5)


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("name", OPERATORS)
def test_either_side_of_an_operator(name: str, kind: str) -> None:
    column, operate = COLUMNS[kind], getattr(operator, name)
    x = carrier_for(column)
    for requires_grad in (False, True):
        t = Tensor(x, requires_grad=requires_grad)
        for y, expected in (
            (operate(t, column), operate(x, plain(column))),
            (operate(column, t), operate(plain(column), x)),
        ):
            assert type(y) is Tensor
            np.testing.assert_array_equal(y.numpy(), expected)


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("name", OPERATORS[:5])
def test_gradients_of_numbers_and_arrays(name: str, kind: str) -> None:
    column, operate = COLUMNS[kind], getattr(operator, name)
    array = plain(column)
    for left in (True, False):

        def loss(x: Any, other: Any, left: bool = left) -> Any:
            return (operate(x, other) if left else operate(other, x)).sum()

        for x in (carrier_for(column), 2.5):
            np.testing.assert_array_equal(
                grad(lambda x: loss(x, column))(x), grad(lambda x: loss(x, array))(x)
            )
        v, w = Value(2.5), Value(2.5)
        loss(v, column).backward()
        loss(w, array).backward()
        assert v.grad == w.grad


T = Tensor(np.ones((3, 2)), requires_grad=True)
S = COLUMNS["floats"]
CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "exp": lambda s, df, k: gw.exp(s),
    "sum": lambda s, df, k: gw.sum(df, axis=0),
    "matmul": lambda s, df, k: gw.matmul(df, T.T),
    "operator @": lambda s, df, k: T.T @ df,
    "dot": lambda s, df, k: gw.dot(T[:, 0], s),
    "einsum": lambda s, df, k: gw.einsum("i,ij->j", s, T),
    "stack": lambda s, df, k: gw.stack([s, T[:, 0]]),
    "concat": lambda s, df, k: gw.concat([s, T[:, 0]]),
    "where": lambda s, df, k: gw.where(k == 1, s, T[:, 0]),
    "an index": lambda s, df, k: T[k],
    "a mask": lambda s, df, k: T[k == 1],
    "take": lambda s, df, k: gw.take(T, k, axis=0),
    "one_hot": lambda s, df, k: gw.one_hot(k),
    "Tensor": lambda s, df, k: Tensor(df),
    "asarray": lambda s, df, k: gw.asarray(s),
    "vmap": lambda s, df, k: vmap(lambda row: row @ row)(df),
    "grad": lambda s, df, k: grad(lambda x: (x * x).sum())(s),
    "jacobian": lambda s, df, k: gw.jacobian(lambda x: x * s)(s),
    "compile": lambda s, df, k: gw.compile(lambda x: x * 2.0)(s),
    "a layer": lambda s, df, k: nn.Linear(2, 2, seed=0)(df),
    "cross_entropy": lambda s, df, k: nn.cross_entropy(nn.Linear(2, 2, seed=0)(df), k),
    "mse": lambda s, df, k: nn.mse(T[:, 0], s),
    "l1_loss": lambda s, df, k: nn.functional.l1_loss(T[:, 0], s),
    "with logits": lambda s, df, k: nn.functional.binary_cross_entropy_with_logits(T[:, 0], k == 1),
    "minimize": lambda s, df, k: gw.minimize(lambda p: ((p - s) ** 2).sum(), np.zeros(3)).x,
    "curve_fit": lambda s, df, k: gw.curve_fit(lambda x, a: a * x, s, s, (2.0,)).residuals,
    "batches": lambda s, df, k: next(
        iter(gw.data.DataLoader(gw.data.TensorDataset(df, k), batch_size=2))
    )[0],
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_take_what_arrays_of_them_give(name: str) -> None:
    call = CALLS[name]
    y, expected = (
        call(*given)
        for given in ((S, TABLE, CLASSES), (S.to_numpy(), TABLE.to_numpy(), CLASSES.to_numpy()))
    )
    np.testing.assert_array_equal(
        *(getattr(z, "numpy", lambda z=z: np.asarray(z))() for z in (y, expected))
    )


def test_fit_takes_tables_and_columns() -> None:
    def losses(inputs: Any, targets: Any) -> list[float]:
        model = nn.Sequential(nn.Linear(2, 4, seed=0), nn.Tanh(), nn.Linear(4, 2, seed=1))
        options: Any = {"epochs": 3, "batch_size": 2, "seed": 0, "progress": False}
        optimizer = optim.Adam(model.parameters(), lr=0.1)
        pair = (inputs, targets)
        history = gw.fit(model, nn.cross_entropy, optimizer, pair, validation=pair, **options)
        return [*history["loss"], *history["val_loss"]]

    assert losses(TABLE, CLASSES) == losses(TABLE.to_numpy(), CLASSES.to_numpy())


def test_a_table_of_several_dtypes_is_an_array_of_floats() -> None:
    mixed = pd.DataFrame({"a": [1.5], "b": [True], "c": [2]})
    assert Tensor(mixed).tolist() == [[1.5, 1.0, 2.0]]


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (pd.Series([1, None], dtype="Int64"), "missing entries"),
        (pd.Series(["a", "b"]), "real numbers"),
        (pd.Series(["a", "b"]).astype("category"), "real numbers"),
        (pd.Series(pd.date_range("2020-01-01", periods=2)), "real numbers"),
    ],
)
def test_what_is_no_number_is_named(column: Any, text: str) -> None:
    with pytest.raises(GradwalkError, match=text):
        Tensor(column)


def test_the_product_of_a_table_is_no_silent_loss() -> None:
    with pytest.raises(GradwalkError, match="gradient would be lost"):
        TABLE @ T.T  # pandas asks no other operand here
