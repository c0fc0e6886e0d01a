"""What somebody who comes from PyTorch types without thinking about it."""

from __future__ import annotations

import numpy as np
import pytest

from gradwalk import Tensor, nn
from gradwalk.errors import SizeError, StateDictError
from gradwalk.nn import functional as F  # noqa: N812


class Tied(nn.Module):
    """A table whose rows are the weights of the layer behind it, too."""

    def __init__(self):
        self.table = nn.Embedding(5, 3, seed=0)
        self.head = nn.Linear(3, 5, bias=False, seed=1)
        self.head.weight = self.table.weight


# --- weights that are shared ----------------------------------------------------------------------


def test_a_shared_weight_is_loaded_from_a_state_dict_that_has_it_twice():
    model, weight = Tied(), np.arange(15.0).reshape(5, 3)
    report = model.load_state_dict({"table.weight": weight, "head.weight": weight})
    assert not any(report)
    assert model.head.weight is model.table.weight
    np.testing.assert_array_equal(model.head.weight.data, weight)


def test_a_shared_weight_is_loaded_from_its_second_name_alone():
    model, weight = Tied(), np.arange(15.0).reshape(5, 3)
    model.load_state_dict({"head.weight": weight})
    np.testing.assert_array_equal(model.table.weight.data, weight)


def test_a_shared_module_is_loaded_from_all_its_names():
    layer = nn.Linear(2, 2)
    model = nn.Sequential(layer, nn.ReLU(), nn.ModuleList([layer]))
    entries = {"weight": np.eye(2), "bias": np.ones(2)}
    model.load_state_dict({f"{at}.{k}": v for at in ("0", "2.0") for k, v in entries.items()})
    np.testing.assert_array_equal(layer.weight.data, np.eye(2))


def test_other_names_are_still_unexpected():
    weight = np.zeros((5, 3))
    for name in ("tail.weight", "head.bias", "head.weight.data", "head", "", 3):
        with pytest.raises(StateDictError, match="unexpected"):
            Tied().load_state_dict({"table.weight": weight, name: weight})


# --- inplace --------------------------------------------------------------------------------------

IN_PLACE = [nn.ReLU, nn.SELU, nn.SiLU, nn.ELU, nn.LeakyReLU, nn.Hardtanh]


@pytest.mark.parametrize("kind", IN_PLACE)
def test_inplace_is_accepted_and_changes_no_number(kind):
    x = Tensor([-2.0, 0.5, 3.0], requires_grad=True)
    h = x * 1.0
    y = kind(inplace=True)(h)
    np.testing.assert_array_equal(y.data, kind()(x).data)
    np.testing.assert_array_equal(h.data, x.data)
    assert repr(kind(inplace=True)).endswith("inplace=True)")
    assert "inplace" not in repr(kind())


def test_dropout_takes_inplace_too():
    layer = nn.Dropout(0.5, inplace=True, seed=0)
    x = Tensor(np.ones(100))
    assert set(layer(x).tolist()) == {0.0, 2.0}
    assert x.tolist() == [1.0] * 100
    assert repr(layer) == "Dropout(p=0.5, inplace=True)"


# --- reprs of recurrent layers --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (nn.RNNCell(3, 4, bias=False, nonlinearity="relu"), "3, 4, bias=False, nonlinearity=relu"),
        (nn.RNNCell(3, 4), "3, 4"),
        (nn.LSTMCell(3, 4, bias=False), "3, 4, bias=False"),
        (nn.GRU(3, 4, 2, bias=False, batch_first=True),
         "3, 4, num_layers=2, bias=False, batch_first=True"),
        (nn.LSTM(3, 4, bidirectional=True), "3, 4, bidirectional=True"),
    ],
)  # fmt: skip
def test_recurrent_layers_name_what_is_unusual(module, text):
    assert repr(module) == f"{type(module).__name__}({text})"


# --- shapes that do not fit -----------------------------------------------------------------------


def test_a_mask_that_does_not_fit_says_what_would():
    x = np.ones((2, 3, 4))
    with pytest.raises(SizeError, match=r"attn_mask.*\(2, 3, 3\).*\(2, 2\)"):
        F.scaled_dot_product_attention(x, x, x, attn_mask=np.ones((2, 2), bool))


def test_attention_does_not_mix_inputs_with_and_without_batch():
    layer, x, row = nn.MultiheadAttention(4, 2), np.ones((3, 2, 4)), np.ones((3, 4))
    with pytest.raises(SizeError, match="key"):
        layer(row, x, x)
    with pytest.raises(SizeError, match="value"):
        layer(x, x, row)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_a_sequence_of_no_steps_is_refused(kind):
    with pytest.raises(SizeError, match="step"):
        kind(3, 4)(np.ones((0, 2, 3)))
    with pytest.raises(SizeError, match="step"):
        kind(3, 4, batch_first=True)(np.ones((2, 0, 3)))
