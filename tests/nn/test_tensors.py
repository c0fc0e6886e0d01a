"""Modules of Tensors: PyTorch's numbers, state dicts, containers, initialisers, errors."""

from __future__ import annotations

import copy
import json
import math
import pickle
import random
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

from gradwalk import Tensor, Value, nn, no_grad
from gradwalk.errors import (
    DataError,
    NotANumberError,
    OptionError,
    SizeError,
    StateDictError,
)
from gradwalk.nn import functional as F  # noqa: N812
from gradwalk.nn import init
from gradwalk.tensor.graph.backward import gradients

EXPECTED = json.loads((Path(__file__).parents[1] / "expected/nn_tensors.json").read_text("utf-8"))
MODULES = EXPECTED["modules"]
CLOSE = {"rtol": 1e-10, "atol": 1e-12}


def flat(outputs):
    if isinstance(outputs, tuple):
        return [member for part in outputs for member in flat(part)]
    return [] if outputs is None else [outputs]


def name_of(case):
    options = [f"{k}={v}" for k, v in {**case["options"], **dict.fromkeys(case["call"])}.items()]
    return "-".join([case["name"], *options])


def rebuilt(case, dtype=None):
    """The module of a case with its weights; activations draw none and have no dtype."""
    options = dict(case["options"])
    if case["state"] and dtype is not None:
        options["dtype"] = dtype
    module = getattr(nn, case["name"])(*case["args"], **options)
    module.load_state_dict(case["state"])
    return module


def inputs_of(case, dtype=float):
    """The inputs as leaves; those that are one object there are one here."""
    leaves = {}
    for number, x in zip(case["leaves"], case["inputs"], strict=True):
        a = np.array(x)
        leaf = Tensor(a, dtype=dtype, requires_grad=True) if a.dtype.kind == "f" else Tensor(a)
        leaves.setdefault(number, leaf)
    return [leaves[number] for number in case["leaves"]]


def answers(case, module, inputs):
    call = {k: np.array(v) if isinstance(v, list) else v for k, v in case["call"].items()}
    return flat(module(*inputs, **call))


@pytest.mark.parametrize("case", MODULES, ids=name_of)
def test_modules_have_the_numbers_of_pytorch(case):
    module, inputs = rebuilt(case), inputs_of(case)
    outputs = answers(case, module, inputs)
    for found, expected in zip(outputs, case["outputs"], strict=True):
        np.testing.assert_allclose(found.data, expected, **CLOSE)
    loss = sum((y * np.array(s)).sum() for y, s in zip(outputs, case["seeds"], strict=True))
    loss.backward()
    for leaf, expected in zip(inputs, case["input_gradients"], strict=True):
        if expected is not None:
            np.testing.assert_allclose(leaf.grad, expected, **CLOSE)
    parameters = dict(module.named_parameters())
    assert parameters.keys() == case["gradients"].keys()
    for name, expected in case["gradients"].items():
        np.testing.assert_allclose(parameters[name].grad, expected, **CLOSE, err_msg=name)


@pytest.mark.parametrize("case", [c for c in MODULES if c["state"]], ids=name_of)
def test_modules_stay_in_float32(case):
    module, inputs = rebuilt(case, "float32"), inputs_of(case, "float32")
    outputs = answers(case, module, inputs)
    assert {y.dtype.name for y in outputs} == {"float32"}
    sum(y.sum() for y in outputs).backward()
    assert {p.grad.dtype.name for p in module.parameters()} == {"float32"}
    for found, expected in zip(outputs, case["outputs"], strict=True):
        np.testing.assert_allclose(found.data, expected, rtol=2e-4, atol=2e-5)


SECOND = ["Linear", "Embedding", "MultiheadAttention", "LSTM", "GRU", "RNNCell"]


@pytest.mark.parametrize("name", SECOND)
def test_second_order_is_the_difference_of_gradients(name):
    case = next(c for c in MODULES if c["name"] == name)
    module = rebuilt(case)
    parameters, inputs = module.parameters(), [x.detach() for x in inputs_of(case)]
    draw = np.random.default_rng(0)
    directions = [draw.normal(size=p.shape) for p in parameters]
    start = [p.numpy() for p in parameters]

    def slopes(create_graph, shift=0.0):
        for p, a, d in zip(parameters, start, directions, strict=True):
            p.data = a + shift * d
        loss = sum((y**3).sum() for y in answers(case, module, inputs))
        return gradients(loss, parameters, None, create_graph)

    first = slopes(create_graph=True)
    along = sum((g * Tensor(d)).sum() for g, d in zip(first, directions, strict=True))
    found = gradients(along, parameters, None, False)
    h = 1e-5
    for f, up, down in zip(found, slopes(False, h), slopes(False, -h), strict=True):
        np.testing.assert_allclose(f, (up - down) / (2 * h), rtol=1e-5, atol=1e-6)


# --- Module with Tensors ----------------------------------------------------------------------


class Nest(nn.Module):
    """Tensors in every place where they may be."""

    def __init__(self):
        self.scale = Tensor([1.0, 2.0], requires_grad=True)
        self.constant = Tensor([5.0])
        self.result = self.scale * 2.0
        self.tied = self.scale
        self.rows = [Tensor([3.0], requires_grad=True), {"deep": nn.Linear(2, 1, seed=0)}]
        self.value = Value(4.0)
        self.register_buffer("mean", Tensor([0.0, 0.0]))
        self.register_buffer("cache", Tensor([1.0]), persistent=False)
        self.register_buffer("empty", None)
        self.part = nn.Linear(2, 2, bias=False, seed=1)

    def forward(self, x):
        return self.part(x) * self.scale


NEST = ["scale", "rows.0", "rows.1.deep.weight", "rows.1.deep.bias", "value", "part.weight"]


def test_parameters_are_leaves_that_get_gradients():
    nest = Nest()
    assert [name for name, _ in nest.named_parameters()] == NEST
    assert [name for name, _ in nest.named_buffers()] == ["mean", "cache"]
    assert [b.tolist() for b in nest.buffers()] == [[0.0, 0.0], [1.0]]
    assert list(nest.state_dict()) == [*NEST[:-1], "mean", NEST[-1]]
    assert nest.num_parameters() == 2 + 1 + 3 + 1 + 4
    assert [name for name, _ in nest.named_children()] == ["rows.1.deep", "part"]
    assert nest.children() == [nest.rows[1]["deep"], nest.part]
    assert repr(nest) == "Nest(6 parameters)"


def test_a_frozen_parameter_stays_one():
    layer = nn.Linear(2, 1, seed=0)
    layer.weight.requires_grad = False
    assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]
    assert layer.num_parameters(trainable_only=True) == 1
    layer(Tensor([[1.0, 2.0]])).sum().backward()
    assert layer.weight.grad is None
    assert layer.bias.grad.tolist() == [1.0]
    assert layer.requires_grad_(True).weight.requires_grad
    assert not layer.requires_grad_(False).bias.requires_grad
    assert list(layer.state_dict()) == ["weight", "bias"]
    layer.weight = Tensor([[1.0, 1.0]])  # no parameter any more: it never got gradients
    assert [name for name, _ in layer.named_parameters()] == ["bias"]
    layer.register_parameter("weight", Tensor([[1.0, 1.0]], requires_grad=True))
    assert len(layer.parameters()) == 2


def test_values_cannot_be_frozen():
    with pytest.raises(OptionError, match=r"Neuron.requires_grad_: expected Tensors"):
        nn.Neuron(2).requires_grad_(False)


def test_a_buffer_is_a_tensor_without_gradient():
    module = nn.Identity()
    for wrong in (np.zeros(2), Tensor([1.0], requires_grad=True)):
        with pytest.raises(OptionError, match=r"register_buffer\(tensor\): expected a Tensor"):
            module.register_buffer("b", wrong)
    module.register_buffer("b", Tensor([1.0]), persistent=False)
    assert module.state_dict() == {}
    module.register_buffer("b", Tensor([1.0]))
    module.b = Tensor([2.0])
    assert module.state_dict()["b"].tolist() == [2.0]


def test_zero_grad_forgets_gradients():
    nest = Nest()
    (nest(Tensor([[1.0, 1.0]])).sum() + nest.rows[0].sum()).backward()
    (nest.value * 2.0).backward()
    nest.zero_grad(set_to_none=False)
    assert nest.scale.grad.tolist() == [0.0, 0.0]
    assert nest.rows[1]["deep"].weight.grad is None
    nest.zero_grad()
    assert nest.scale.grad is None
    assert nest.value.grad == 0.0


def test_train_and_eval_reach_everything_and_apply_ends_with_the_root():
    model = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.ReLU()))
    assert not any(m.training for m in model.eval().modules())
    assert all(m.training for m in model.train().modules())
    seen = []
    assert model.apply(lambda m: seen.append(type(m).__name__)) is model
    assert sorted(seen) == ["Linear", "ReLU", "Sequential", "Sequential"]
    assert seen[-1] == "Sequential"


def test_precision_can_be_changed_in_place():
    nest = Nest()
    nest.register_buffer("count", Tensor(3))
    weight = nest.part.weight
    nest(Tensor([[1.0, 1.0]])).sum().backward()
    assert nest.to("float32") is nest
    assert nest.part.weight is weight
    assert {t.dtype.name for t in (weight, nest.mean, nest.cache, nest.scale)} == {"float32"}
    assert weight.grad.dtype == np.float32
    assert nest.count.dtype.kind == "i"
    weight.grad = None
    y = nest(Tensor([[1.0, 1.0]], dtype="float32")).sum()
    y.backward()
    assert y.dtype == weight.grad.dtype == np.float32
    assert nest.astype(np.float16).scale.dtype == np.float16
    for wrong in ("int64", "complex128", "text", object, np.longdouble):
        with pytest.raises(OptionError, match=r"Module.to\(dtype\): expected float64, float32"):
            nest.to(wrong)


# --- state dicts --------------------------------------------------------------------------------


def test_a_state_dict_holds_copies_and_loading_keeps_the_leaves():
    first, second = nn.Linear(3, 2, seed=1), nn.Linear(3, 2, seed=2, dtype="float32")
    leaf, saved = second.weight, first.state_dict()
    saved["weight"][0, 0] += 1.0
    assert saved["weight"][0, 0] != first.weight.data[0, 0]
    assert second.load_state_dict(saved) == ([], [])
    assert second.weight is leaf
    assert leaf.dtype == np.float32
    np.testing.assert_array_equal(leaf.data, saved["weight"].astype(np.float32))
    saved["weight"][:] = 7.0
    assert not (leaf.data == 7.0).any()
    second.load_state_dict(dict(first.named_parameters()))  # the numbers of Tensors
    np.testing.assert_array_equal(leaf.data, first.weight.data.astype(np.float32))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize(
    ("name", "entry", "fits"),
    [
        ("weight", 1e300, False),
        ("weight", math.inf, True),
        ("weight", math.nan, True),
        ("weight", 3, True),
        ("weight", 0.1, True),
        ("num_batches_tracked", 3.0, True),
        ("num_batches_tracked", True, True),
        ("num_batches_tracked", 3.5, False),
        ("num_batches_tracked", math.nan, False),
        ("num_batches_tracked", 1e300, False),
    ],
)
def test_entries_are_converted_if_no_number_is_invented(dtype, name, entry, fits):
    model = nn.BatchNorm1d(1).to(dtype)
    before = repr(model.state_dict())
    state = {**model.state_dict(), name: np.full_like(model.state_dict()[name], entry, type(entry))}
    if fits:
        model.load_state_dict(state)
        here = model.state_dict()[name]
        np.testing.assert_array_equal(here, state[name].astype(here.dtype))
    else:
        with pytest.raises(StateDictError, match=f"{name} .numbers that are not of dtype"):
            model.load_state_dict(state)
        assert repr(model.state_dict()) == before


def test_a_wrong_state_dict_changes_nothing_and_names_everything():
    model = nn.Sequential(nn.Linear(2, 2, seed=0), nn.Linear(2, 1, seed=1))
    before = model.state_dict()
    wrong = {**before, "0.weight": np.ones((2, 3)), "1.bias": ["text"], "extra": 1.0}
    del wrong["1.weight"]
    with pytest.raises(StateDictError) as caught:
        model.load_state_dict(wrong)
    for part in (
        "Sequential.load_state_dict",
        "expected one entry for each of 4 parameters and buffers",
        "missing: 1.weight",
        "unexpected: extra",
        "of another shape or dtype: 0.weight ((2, 3), here (2, 2))",
        "not a single number: 1.bias (list ['text'])",
    ):
        assert part in str(caught.value)
    for name, array in model.state_dict().items():
        np.testing.assert_array_equal(array, before[name])
    skipped = {"0.weight": np.ones((2, 2)), "extra": 1.0}
    report = model.load_state_dict(skipped, strict=False)
    assert report.missing_keys == ["0.bias", "1.weight", "1.bias"]
    assert report.unexpected_keys == ["extra"]
    assert model[0].weight.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    with pytest.raises(StateDictError, match=r"got list \[\]"):
        model.load_state_dict([])


def test_models_are_copied_and_pickled():
    model = nn.TransformerBlock(4, 2, 8, seed=0, batch_first=True).eval()
    x = Tensor(np.ones((1, 3, 4)))
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(twin(x).data, model(x).data)
        twin.linear1.weight.data = twin.linear1.weight.data + 1.0
        assert not np.array_equal(twin(x).data, model(x).data)
        twin(x).sum().backward()
        assert twin.linear1.weight.grad is not None
        assert model.linear1.weight.grad is None


# --- containers -----------------------------------------------------------------------------------


def test_sequential_is_a_list_of_modules():
    parts = [nn.Linear(2, 3, seed=0), nn.ReLU(), nn.Linear(3, 1, seed=1)]
    model = nn.Sequential(*parts)
    assert list(model) == parts
    assert model[0] is parts[0]
    assert model[-1] is parts[2]
    assert list(model[1:]) == parts[1:]
    x = Tensor([[1.0, -1.0]])
    by_hand = parts[2](parts[1](parts[0](x)))
    assert model(x).tolist() == by_hand.tolist()
    model[1] = nn.Tanh()
    assert isinstance(model[1], nn.Tanh)
    assert model(x).tolist() != by_hand.tolist()
    del model[1]
    assert [name for name, _ in model.named_children()] == ["0", "1"]
    model.append(nn.Identity()).extend([nn.ReLU()])
    assert len(model) == 4
    del model[1:]
    assert list(model) == parts[:1]


def test_sequential_takes_names():
    model = nn.Sequential(OrderedDict(first=nn.Linear(2, 3, seed=0), act=nn.ReLU()))
    assert list(model.state_dict()) == ["first.weight", "first.bias"]
    assert model.first is model[0]
    assert len(model[:1]) == 1
    del model[0]
    assert [name for name, _ in model.named_children()] == ["act"]


def test_lists_and_dicts_of_modules():
    layers = nn.ModuleList([nn.Linear(1, 1, seed=i) for i in range(2)])
    layers.insert(0, nn.ReLU())
    assert [type(m).__name__ for m in layers] == ["ReLU", "Linear", "Linear"]
    assert layers.named_parameters()[0][0] == "1.weight"
    assert isinstance(layers[1:], nn.ModuleList)
    table = nn.ModuleDict({"a": nn.Linear(1, 1)})
    table.update({"b": nn.ReLU()})
    assert (list(table.keys()), len(table), "b" in table) == (["a", "b"], 2, True)
    assert [name for name, _ in table.items()] == list(table)
    assert list(table.values()) == [table["a"], table["b"]]
    table["b"] = nn.Tanh()
    assert isinstance(table["b"], nn.Tanh)
    del table["b"]
    assert len(table) == 1
    with pytest.raises(KeyError):
        table["b"]


def test_containers_refuse_what_is_no_module():
    with pytest.raises(OptionError, match=r"Sequential\('1'\): expected a Module, got function"):
        nn.Sequential(nn.ReLU(), lambda x: x)
    for name in ("a.b", "", "forward", 3):
        with pytest.raises(OptionError, match=r"add_module\(name\): expected a str without dots"):
            nn.ModuleDict().add_module(name, nn.ReLU())
    for index in (2, -3, "x", 1.5):
        with pytest.raises(SizeError, match=r"Sequential\[index\]: expected an integer"):
            nn.Sequential(nn.ReLU(), nn.ReLU())[index]
    with pytest.raises(IndexError):
        nn.ModuleList()[0]


def test_the_repr_is_a_tree():
    model = nn.Sequential(
        nn.Linear(2, 3, bias=False),
        nn.ModuleDict({"act": nn.GELU("tanh"), "slope": nn.LeakyReLU(0.2)}),
    )
    assert repr(model) == (
        "Sequential(\n"
        "  (0): Linear(in_features=2, out_features=3, bias=False)\n"
        "  (1): ModuleDict(\n"
        "    (act): GELU(approximate='tanh')\n"
        "    (slope): LeakyReLU(negative_slope=0.2)\n"
        "  )\n"
        ")"
    )


@pytest.mark.parametrize(
    ("module", "text"),
    [
        (nn.ELU(), "ELU(alpha=1.0)"),
        (nn.Softplus(), "Softplus(beta=1.0, threshold=20.0)"),
        (nn.Hardtanh(), "Hardtanh(min_val=-1.0, max_val=1.0)"),
        (nn.Softmax(1), "Softmax(dim=1)"),
        (nn.LogSoftmax(dim=-1), "LogSoftmax(dim=-1)"),
        (nn.Embedding(5, 2), "Embedding(5, 2)"),
        (nn.Embedding(5, 2, padding_idx=-1), "Embedding(5, 2, padding_idx=4)"),
        (nn.LSTMCell(2, 3), "LSTMCell(2, 3)"),
        (nn.GRU(2, 3, num_layers=2), "GRU(2, 3, num_layers=2)"),
        (nn.Upsample(scale_factor=(2, 3)), "Upsample(scale_factor=(2.0, 3.0), mode='nearest')"),
        (nn.Upsample(scale_factor=2), "Upsample(scale_factor=2.0, mode='nearest')"),
        (nn.Identity(3, any=1), "Identity()"),
    ],
)
def test_reprs_name_the_options(module, text):
    assert repr(module) == text


# --- draws ----------------------------------------------------------------------------------------


DRAWN = {
    "Linear": lambda **o: nn.Linear(40, 50, **o),
    "Embedding": lambda **o: nn.Embedding(40, 50, **o),
    "MultiheadAttention": lambda **o: nn.MultiheadAttention(16, 4, **o),
    "TransformerBlock": lambda **o: nn.TransformerBlock(16, 4, 32, **o),
    "LSTM": lambda **o: nn.LSTM(16, 25, 2, **o),
    "GRUCell": lambda **o: nn.GRUCell(16, 25, **o),
}


@pytest.mark.parametrize("make", DRAWN.values(), ids=DRAWN)
def test_equal_seeds_give_equal_weights(make):
    def weights(**options):
        return np.concatenate([p.data.ravel() for p in make(**options).parameters()])

    assert np.array_equal(weights(seed=3), weights(seed=3))
    assert np.array_equal(weights(seed=3), weights(seed=np.random.default_rng(3)))
    assert not np.array_equal(weights(seed=3), weights(seed=4))
    assert not np.array_equal(weights(), weights())
    assert weights().dtype == np.float64
    assert weights(dtype="float32").dtype == np.float32
    assert np.array_equal(weights(seed=random.Random(1)), weights(seed=random.Random(1)))


@pytest.mark.parametrize("name", ["Linear", "LSTM", "GRUCell"])
def test_uniform_weights_fill_their_range(name):
    module = DRAWN[name](seed=0)
    bound = 40**-0.5 if name == "Linear" else 25**-0.5
    drawn = np.concatenate([p.data.ravel() for p in module.parameters()])
    assert abs(drawn).max() <= bound
    assert drawn.var() == pytest.approx(bound**2 / 3, rel=0.05)


def test_attention_starts_as_in_pytorch():
    module = nn.MultiheadAttention(64, 4, seed=0)
    assert not module.in_proj_bias.data.any()
    assert not module.out_proj.bias.data.any()
    bound = math.sqrt(6 / (4 * 64))
    assert abs(module.in_proj_weight.data).max() == pytest.approx(bound, rel=1e-3)
    assert abs(module.out_proj.weight.data).max() == pytest.approx(1 / 8, rel=1e-2)


INITIALISERS = {
    "xavier_uniform_": (math.sqrt(2 / (20 * 27 + 30 * 27)), {}),
    "xavier_normal_": (3 * math.sqrt(2 / (20 * 27 + 30 * 27)), {"gain": 3.0}),
    "kaiming_uniform_": (math.sqrt(2 / (1 + 5) / (20 * 27)), {"a": 5**0.5}),
    "he_normal_": (math.sqrt(2 / (30 * 27)), {"mode": "fan_out", "nonlinearity": "relu"}),
    "normal_": (0.3, {"std": 0.3}),
    "uniform_": (math.sqrt(4 / 12), {"a": -1.0, "b": 1.0}),
    "trunc_normal_": (0.5 * math.sqrt(0.7737413035), {"std": 0.5, "a": -1.0, "b": 1.0}),
}


@pytest.mark.parametrize("name", INITIALISERS)
def test_initialisers_have_their_spread(name):
    std, options = INITIALISERS[name]
    weight = Tensor(np.zeros((30, 20, 3, 9)), requires_grad=True)
    assert getattr(init, name)(weight, seed=0, **options) is weight
    assert weight.data.std() == pytest.approx(std, rel=0.02)
    assert abs(weight.data.mean()) < 0.03 * std
    again = Tensor(np.zeros((30, 20, 3, 9), np.float32))
    getattr(init, name)(again, seed=np.random.default_rng(0), **options)
    np.testing.assert_array_equal(again.data, weight.data.astype(np.float32))


def test_constant_initialisers():
    weight = Tensor(np.zeros((2, 3)))
    assert init.ones_(weight).tolist() == [[1.0] * 3] * 2
    assert init.constant_(weight, 2.5).tolist() == [[2.5] * 3] * 2
    assert init.eye_(weight).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert init.zeros_(weight).tolist() == [[0.0] * 3] * 2
    values = [Value(0.0)]
    init.ones_(values)
    assert values[0].data == 1.0


@pytest.mark.parametrize("shape", [(3, 7), (7, 3), (4, 2, 3)])
def test_orthogonal_rows_or_columns(shape):
    weight = Tensor(np.zeros(shape))
    w = init.orthogonal_(weight, gain=2.0, seed=0).data.reshape(shape[0], -1)
    small = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    np.testing.assert_allclose(small, 4.0 * np.eye(len(small)), atol=1e-12)


def test_initialisers_refuse_what_has_no_fans():
    for f in (init.xavier_uniform_, init.he_normal_, init.orthogonal_):
        with pytest.raises(SizeError, match=r"expected a Tensor \(out, in\), .* got shape \(3,\)"):
            f(Tensor([1.0, 2.0, 3.0]))
    with pytest.raises(SizeError, match=r"got shape \(2, 0\)"):
        init.xavier_normal_(Tensor(np.zeros((2, 0))))
    with pytest.raises(SizeError, match=r"^eye_\(tensor\): expected"):
        init.eye_(Tensor(np.zeros((2, 2, 2))))
    for f in (init.eye_, init.orthogonal_, init.trunc_normal_):
        with pytest.raises(NotANumberError, match=r"expected a Tensor, got list"):
            f([Value(1.0)])
    with pytest.raises(OptionError, match=r"trunc_normal_: expected a < b and a positive std"):
        init.trunc_normal_(Tensor([1.0]), a=2.0, b=1.0)


# --- attention, dropout, recurrent ----------------------------------------------------------------


def test_attention_looks_only_where_it_may():
    q, k, v = (Tensor(np.random.default_rng(i).normal(size=(2, 3, 4))) for i in range(3))
    causal = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    open_ = np.tril(np.ones((3, 3), bool))
    np.testing.assert_allclose(
        causal.data, F.scaled_dot_product_attention(q, k, v, attn_mask=open_).data
    )
    np.testing.assert_allclose(causal.data[:, 0], v.data[:, 0])
    both = F.scaled_dot_product_attention(q, k, v, attn_mask=~np.eye(3, dtype=bool), is_causal=True)
    assert not both.data[:, 0].any()  # may look nowhere
    np.testing.assert_allclose(both.data[:, 1], v.data[:, 0])
    even = F.scaled_dot_product_attention(q, k, v, scale=0.0)
    np.testing.assert_allclose(even.data[0, 0], v.data[0].mean(axis=0))
    assert not F.scaled_dot_product_attention(q, k, v, dropout_p=1.0).data.any()


def test_a_query_without_keys_has_no_gradient():
    x = Tensor(np.ones((1, 2, 4)), requires_grad=True)
    module = nn.MultiheadAttention(4, 2, batch_first=True, seed=0)
    y, weights = module(x, x, x, key_padding_mask=np.ones((1, 2), bool))
    y.sum().backward()
    assert not weights.data.any()
    assert np.isfinite(x.grad).all()


def test_causal_masks_are_made_on_request():
    module = nn.MultiheadAttention(4, 2, seed=0)
    x = Tensor(np.random.default_rng(0).normal(size=(3, 2, 4)))
    later = np.triu(np.ones((3, 3), bool), 1)
    mine, weights = module(x, x, x, is_causal=True, need_weights=False)
    assert weights is None
    np.testing.assert_array_equal(mine.data, module(x, x, x, attn_mask=later)[0].data)
    per_head = module(x, x, x, attn_mask=np.stack([later] * 4))[0]
    np.testing.assert_array_equal(mine.data, per_head.data)


def test_what_is_dropped_follows_the_seed():
    x = Tensor(np.ones((4, 2, 8)))
    first, second = (nn.TransformerBlock(8, 2, 16, dropout=0.5, seed=5) for _ in range(2))
    np.testing.assert_array_equal(first(x).data, second(x).data)
    assert not np.array_equal(first(x).data, first(x).data)
    np.testing.assert_array_equal(first.eval()(x).data, second.eval()(x).data)
    np.testing.assert_array_equal(first(x).data, first(x).data)
    attention = nn.MultiheadAttention(8, 2, dropout=0.9, seed=0)
    assert not np.array_equal(attention(x, x, x)[0].data, attention.eval()(x, x, x)[0].data)
    layers = nn.GRU(8, 3, num_layers=2, dropout=0.9, seed=0)
    assert not np.array_equal(layers(x)[0].data, layers.eval()(x)[0].data)


def test_a_layer_is_its_cell_step_by_step():
    layer, cell = nn.LSTM(3, 2, seed=0), nn.LSTMCell(3, 2)
    saved = layer.state_dict()
    cell.load_state_dict({name.removesuffix("_l0"): a for name, a in saved.items()})
    x = Tensor(np.random.default_rng(1).normal(size=(4, 2, 3)))
    y, (h, c) = layer(x)
    state = None
    for step in range(4):
        state = cell(x[step], state)
        np.testing.assert_allclose(y[step].data, state[0].data, rtol=1e-14)
    np.testing.assert_allclose(c[0].data, state[1].data, rtol=1e-14)
    again, _ = layer(x, (h, c))
    assert not np.allclose(again.data, y.data)


def test_activations_may_be_functions():
    block = nn.TransformerBlock(4, 2, 8, activation=F.silu, seed=0)
    assert block(Tensor(np.ones((2, 1, 4)))).shape == (2, 1, 4)
    assert nn.TransformerBlock is nn.TransformerEncoderLayer


def test_linear_takes_what_numpy_has_and_records_only_what_is_needed():
    layer = nn.Linear(2, 1, seed=0)
    x = np.array([[1.0, 2.0]])
    for given in (x, x.tolist(), Tensor(x), Tensor(x, requires_grad=True)):
        y = layer(given)
        np.testing.assert_allclose(y.data, x @ layer.weight.data.T + layer.bias.data)
        assert y.requires_grad
    with no_grad():
        assert not layer(Tensor(x)).requires_grad
    assert not layer.requires_grad_(False)(Tensor(x)).requires_grad
    plain = F.linear(x, np.ones((3, 2)))
    assert np.asarray(plain).tolist() == [[3.0, 3.0, 3.0]]


def test_small_functions():
    unit = F.normalize(Tensor([[3.0, 4.0], [0.0, 0.0]]))
    np.testing.assert_allclose(unit.data, [[0.6, 0.8], [0.0, 0.0]])
    assert F.one_hot([[0, 1], [2, 0]], 3).shape == (2, 2, 3)
    assert F.one_hot(np.array([1])).tolist() == [[0, 1]]
    x = Tensor([-2.0, 0.5, 30.0], requires_grad=True)
    F.softplus(x).sum().backward()
    np.testing.assert_allclose(x.grad, [1 / (1 + math.exp(2.0)), 1 / (1 + math.exp(-0.5)), 1.0])


# --- errors ---------------------------------------------------------------------------------------

REFUSED = {
    "Linear(in_features): expected an integer >= 1, got int 0": lambda: nn.Linear(0, 1),
    "Linear(out_features): expected an integer": lambda: nn.Linear(1, 2.5),
    "Linear(dtype): expected float64, float32 or float16": lambda: nn.Linear(1, 2, dtype=int),
    "Linear(seed): expected a non-negative integer": lambda: nn.Linear(1, 2, seed="x"),
    "(seed): expected a non-negative integer, a numpy": lambda: nn.Linear(1, 2, seed=-1),
    "Embedding(padding_idx): expected the index of a row": lambda: nn.Embedding(3, 2, 3),
    "MultiheadAttention(num_heads): expected a divisor": lambda: nn.MultiheadAttention(4, 3),
    "MultiheadAttention(dropout): expected a probability": lambda: nn.MultiheadAttention(4, 2, 1.5),
    "TransformerEncoderLayer(activation=...): expected": lambda: nn.TransformerBlock(
        4, 2, activation="tanhh"
    ),
    "GELU(approximate=...): expected": lambda: nn.GELU("erf"),
    "RNNCell(nonlinearity=...): expected": lambda: nn.RNNCell(1, 1, nonlinearity="sin"),
    "LSTM(num_layers): expected an integer": lambda: nn.LSTM(1, 1, 0),
    "embedding(padding_idx): expected the index of a row, between -3 and 2, or None": lambda: (
        F.embedding([0], np.ones((3, 2)), padding_idx=3)
    ),
    "embedding_bag(padding_idx): expected the index of a row": lambda: F.embedding_bag(
        [[0]], np.ones((3, 2)), padding_idx=-4
    ),
    "ConvTranspose2d(padding): expected an integer >= 0": lambda: nn.ConvTranspose2d(
        1, 2, 3, padding="same"
    ),
    "MLP(activation=...): expected one of linear, tanh": lambda: nn.MLP(2, [3], "thanh"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_options_out_of_range(text):
    with pytest.raises(OptionError) as caught:
        REFUSED[text]()
    assert text in str(caught.value)


def attend(**options):
    x = Tensor(np.ones((3, 2, 4)))
    return nn.MultiheadAttention(4, 2)(x, x, x, **options)


MISSHAPED = {
    "as weight (1, 3) has, got shape (2, 4)": lambda: nn.Linear(3, 1)(Tensor(np.ones((2, 4)))),
    "calling Linear(x): expected a last axis of 3": lambda: nn.Linear(3, 1, bias=False)([1.0]),
    "as weight (1, 3) has, got shape (). Reshape x": lambda: nn.Linear(3, 1)(1.0),
    "(query, key, value): expected (L, N, E) or (L, E) with E = 4": lambda: nn.MultiheadAttention(
        4, 2
    )(*[Tensor(np.ones((2, 3)))] * 3),
    "MultiheadAttention(attn_mask): expected shape (3, 3) or (4, 3, 3)": lambda: attend(
        attn_mask=np.ones((2, 3), bool)
    ),
    "MultiheadAttention(key_padding_mask): expected shape (2, 3)": lambda: attend(
        key_padding_mask=np.ones((3, 2), bool)
    ),
    "scaled_dot_product_attention: expected a query": lambda: F.scaled_dot_product_attention(
        *[np.ones(3)] * 3
    ),
    "LSTM(x): expected 2 or 3 axes": lambda: nn.LSTM(4, 2)(np.ones((3, 2, 5))),
    "GRUCell(x): expected 1 or 2 axes, the last of length 4": lambda: nn.GRUCell(4, 2)(np.ones(5)),
    "LSTM(state): expected (h, c), each of shape (1, 2, 2)": lambda: nn.LSTM(4, 2)(
        np.ones((3, 2, 4)), (np.ones((1, 2, 2)), np.ones((1, 2, 3)))
    ),
    "binary_cross_entropy(weight): expected a shape that is broadcast with (2, 3)": lambda: (
        F.binary_cross_entropy(np.ones((2, 3)), np.ones((2, 3)), weight=np.ones(2))
    ),
    "binary_cross_entropy_with_logits(pos_weight): expected a shape that is": lambda: (
        F.binary_cross_entropy_with_logits(*[np.ones((2, 3))] * 2, pos_weight=np.ones(2))
    ),
    "GRU(h): expected h of shape (1, 2, 2)": lambda: nn.GRU(4, 2)(
        np.ones((3, 2, 4)), np.ones((1, 2, 3))
    ),
}


@pytest.mark.parametrize("text", MISSHAPED)
def test_shapes_that_do_not_fit(text):
    with pytest.raises(SizeError) as caught:
        MISSHAPED[text]()
    assert text in str(caught.value)


def test_masks_are_bools_or_floats():
    with pytest.raises(OptionError, match=r"expected a mask of bools or floats, got dtype int64"):
        attend(attn_mask=np.ones((3, 3), np.int64))


NO_NUMBERS = {
    "BatchNorm1d(eps)": lambda: nn.BatchNorm1d(2, eps="a"),
    "BatchNorm1d(momentum)": lambda: nn.BatchNorm1d(2, momentum="a"),
    "InstanceNorm1d(eps)": lambda: nn.InstanceNorm1d(2, eps="a"),
    "LayerNorm(eps)": lambda: nn.LayerNorm(2, eps="a"),
    "RMSNorm(eps)": lambda: nn.RMSNorm(2, eps="a"),
    "GroupNorm(eps)": lambda: nn.GroupNorm(1, 2, eps="a"),
    "xavier_uniform_(gain)": lambda: nn.init.xavier_uniform_(Tensor([[1.0]]), gain="a"),
    "xavier_normal_(gain)": lambda: nn.init.xavier_normal_(Tensor([[1.0]]), gain="a"),
    "orthogonal_(gain)": lambda: nn.init.orthogonal_(Tensor([[1.0]]), gain="a"),
    "trunc_normal_(mean)": lambda: nn.init.trunc_normal_(Tensor([1.0]), mean="a"),
    "trunc_normal_(b)": lambda: nn.init.trunc_normal_(Tensor([1.0]), b="a"),
}


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_options_that_are_no_numbers(text):
    with pytest.raises(NotANumberError) as caught:
        NO_NUMBERS[text]()
    assert f"{text}: expected a real number" in str(caught.value)


@pytest.mark.parametrize("ids", [[5], [-1], [0.5]])
def test_numbers_without_a_row(ids):
    with pytest.raises(
        DataError, match=r"calling Embedding\(x\): expected integers between 0 and 4"
    ):
        nn.Embedding(5, 2)(Tensor(ids))


@pytest.mark.parametrize("classes", [-1, 3])
def test_one_hot_refuses_negative_numbers_by_name(classes):
    with pytest.raises(DataError, match=r"one_hot: expected integers between 0 and"):
        F.one_hot([-1], classes)


def test_one_hot_refuses_numbers_without_a_place():
    for wrong in ([3], [-1], [0.5]):
        with pytest.raises(DataError, match=r"one_hot: expected integers between 0 and 2"):
            F.one_hot(Tensor(wrong), 3)


# --- laziness -------------------------------------------------------------------------------------


def test_scalar_networks_do_not_load_numpy(run_python):
    program = """
import sys
from gradwalk import nn, optim
model = nn.MLP(2, [3, 1], seed=0)
loss = nn.mse([model([1.0, 2.0])], [1.0]) + nn.cross_entropy([[1.0, 2.0]], [0])
loss.backward()
model.zero_grad()
model.load_state_dict(model.state_dict())
nn.init.uniform_(model.layers[0].weights, seed=0)
print("numpy" in sys.modules, "Linear" in dir(nn))
nn.Linear(2, 1)
print("numpy" in sys.modules)
"""
    assert run_python(program).split() == ["False", "True", "True"]


def test_every_name_is_there():
    for name in nn.__all__:
        assert getattr(nn, name) is not None
    assert nn.Linear is nn.Linear
    with pytest.raises(AttributeError, match=r"module 'gradwalk.nn' has no attribute 'Lineal'"):
        nn.Lineal  # noqa: B018
