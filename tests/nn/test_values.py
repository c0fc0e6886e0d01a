"""Modules, layers, initialisers and losses."""

from __future__ import annotations

import copy
import json
import math
import pickle
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradwalk
from gradwalk import Value, nn, optim
from gradwalk.engine.node import ancestors
from gradwalk.errors import (
    DataError,
    NotANumberError,
    OptionError,
    SizeError,
    StateDictError,
)
from gradwalk.nn import MLP, Layer, Module, Neuron, init

EXPECTED = json.loads((Path(__file__).parents[1] / "expected" / "nn.json").read_text("utf-8"))
CLOSE = {"rel": 1e-12, "abs": 1e-12}


def data_of(parameters):
    return [parameter.data for parameter in parameters]


# --- modules --------------------------------------------------------------------------------


class Nest(Module):
    """Parameters in every place where they may be."""

    def __init__(self):
        self.name, self.count, self.nothing = "nest", 3, None
        self.scale = Value(1.0)
        self.table = {"b": Value(2.0), "a": [Value(3.0), (Value(4.0), "text")]}
        self.part = Neuron(1, seed=0)
        self.parts = [Neuron(1, seed=0), {"deep": Neuron(1, seed=0)}]
        self.result = self.scale * 2  # computed, hence no parameter
        self.tied = self.scale
        self.myself = self

    def forward(self, x):
        return self.scale * x


NEST = ["scale", "table.b", "table.a.0", "table.a.1.0", "part.weights.0", "part.bias"]
NEST += ["parts.0.weights.0", "parts.0.bias", "parts.1.deep.weights.0", "parts.1.deep.bias"]


def test_parameters_are_found_everywhere_once_and_in_order():
    nest = Nest()
    assert [name for name, _ in nest.named_parameters()] == NEST
    assert list(map(id, nest.parameters())) == [id(p) for _, p in nest.named_parameters()]
    assert data_of(nest.parameters())[:4] == [1.0, 2.0, 3.0, 4.0]
    assert [name for name, _ in nest.named_modules()] == ["", "part", "parts.0", "parts.1.deep"]
    assert repr(nest) == "Nest(10 parameters)"


def test_training_mode_reaches_every_module():
    nest = Nest()
    assert nest.training
    assert nest.eval() is nest
    assert [module.training for module in nest.modules()] == [False] * 4
    assert Nest().training, "the switch of one module is not that of its class"
    nest.train()
    assert all(module.training for module in nest.modules())


def test_zero_grad_clears_every_parameter():
    model = MLP(2, [2, 1], seed=0)
    model([1.0, 2.0]).backward()
    assert any(parameter.grad for parameter in model.parameters())
    model.zero_grad()
    assert not any(parameter.grad for parameter in model.parameters())


@pytest.mark.parametrize("set_to_none", [True, False])
def test_a_cleared_gradient_is_a_number_whatever_pytorch_would_make_of_it(set_to_none):
    model = MLP(2, [1], seed=0)
    model([1.0, 2.0]).backward()
    model.zero_grad(set_to_none=set_to_none)
    assert [parameter.grad for parameter in model.parameters()] == [0.0] * 3


def test_deeply_nested_containers_are_no_problem():
    module = Module()
    module.deep = [Value(1.0)]
    for _ in range(5000):
        module.deep = [module.deep]
    assert data_of(module.parameters()) == [1.0]


def test_forward_is_what_a_call_computes():
    assert Nest()(3.0).data == 3.0
    with pytest.raises(NotImplementedError, match="Module has no method forward"):
        Module()(1.0)


def test_a_state_dict_travels_through_json():
    first, second = MLP(2, [3, 1], seed=1), MLP(2, [3, 1], seed=2)
    saved = json.loads(json.dumps(first.state_dict()))
    assert second.state_dict() != saved
    second.load_state_dict(saved)
    assert second.state_dict() == saved
    assert first([0.5, -1.0]).data == second([0.5, -1.0]).data


def test_the_parameters_of_another_model_can_be_loaded():
    first, second = Neuron(2, seed=1), Neuron(2, seed=2)
    second.load_state_dict(dict(first.named_parameters()))
    assert second.state_dict() == first.state_dict()
    assert not set(second.parameters()) & set(first.parameters()), "numbers, not the Values"
    first.load_state_dict(dict(first.named_parameters()))
    assert second.state_dict() == first.state_dict()


def test_all_that_is_wrong_with_a_state_dict_is_said_at_once():
    neuron = Neuron(2, seed=0)
    before = neuron.state_dict()
    wrong = {"weights.0": [1.0, 2.0], "bias": 5.0, "extra": 1.0, "more": 1.0}
    with pytest.raises(StateDictError) as caught:
        neuron.load_state_dict(wrong)
    message = str(caught.value)
    assert message.startswith(
        "Neuron.load_state_dict: expected one number for each of 3 parameters"
    )
    assert "missing: weights.1; unexpected: extra, more; not a single number: weights.0" in message
    assert "list [1.0, 2.0]" in message
    assert neuron.state_dict() == before, "nothing is loaded unless all fits"


def test_a_state_dict_is_a_dict():
    with pytest.raises(StateDictError, match=r"3 parameters, got list \[1\.0\]"):
        Neuron(2).load_state_dict([1.0])


def test_a_long_list_of_names_is_cut_short_and_counted():
    with pytest.raises(StateDictError, match=r"missing: weights\.0, .*, weights\.19 and 11 more\."):
        Neuron(30).load_state_dict({})


def test_names_may_be_skipped_but_not_shapes():
    neuron = Neuron(2, seed=0)
    report = neuron.load_state_dict({"bias": 5.0, "extra": 1.0}, strict=False)
    assert report == (["weights.0", "weights.1"], ["extra"])
    assert report.missing_keys == ["weights.0", "weights.1"]
    assert neuron.bias.data == 5.0
    with pytest.raises(StateDictError, match="not a single number: bias"):
        neuron.load_state_dict({"bias": "5"}, strict=False)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
@pytest.mark.parametrize("activation", ["tanh", "gelu", "gelu_tanh", "leaky_relu", None])
def test_models_can_be_copied_and_pickled(copied, activation):
    model = MLP(2, [3, 1], activation, seed=0)
    again = copied(model)
    assert again.state_dict() == model.state_dict()
    assert again([1.0, 2.0]).data == model([1.0, 2.0]).data
    assert not set(again.parameters()) & set(model.parameters())


# --- layers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_in", "count"), [(3, 41), (2, 37)])
def test_known_numbers_of_parameters(n_in, count):
    assert len(MLP(n_in, [4, 4, 1]).parameters()) == count


def test_the_known_neuron():
    neuron = Neuron(2)
    weights = {"weights.0": -3.0, "weights.1": 1.0, "bias": 6.8813735870195432}
    neuron.load_state_dict(weights)
    y = neuron([2.0, 0.0])
    y.backward()
    assert y.data == pytest.approx(math.sqrt(0.5))
    assert [w.grad for w in neuron.weights] == pytest.approx([1.0, 0.0])


def test_a_network_gives_the_numbers_and_gradients_of_pytorch():
    case = EXPECTED["network"]
    model = MLP(3, [4, 2])
    names = [name for name, _ in model.named_parameters()]
    model.load_state_dict(dict(zip(names, case["parameters"], strict=True)))
    y = model(case["x"])
    loss = nn.mse(y, case["goal"])
    loss.backward()
    assert data_of(y) == pytest.approx(case["y"], **CLOSE)
    assert loss.data == pytest.approx(case["loss"], **CLOSE)
    gradients = [parameter.grad for parameter in model.parameters()]
    assert gradients == pytest.approx(case["gradients"], **CLOSE)


def test_the_last_layer_decides_what_a_network_returns():
    assert isinstance(MLP(2, [3, 1])([1.0, 2.0]), Value)
    assert [type(y) for y in MLP(2, [3, 2])([1.0, 2.0])] == [Value, Value]
    assert [type(y) for y in Layer(2, 1)([1.0, 2.0])] == [Value]


@pytest.mark.parametrize(
    "x",
    [
        [1, 2],
        (1.0, 2.0),
        [Value(1.0), 2.0],
        np.array([1.0, 2.0]),
        np.array([1, 2]),
        np.array([1.0, 2.0], dtype=np.float32),
        range(1, 3),
    ],
    ids=lambda x: type(x).__name__,
)
@pytest.mark.parametrize("make", [MLP, Layer, Neuron])
def test_inputs_are_any_sequence_of_numbers(make, x):
    model = make(2, seed=0) if make is Neuron else make(2, 3 if make is Layer else [3, 1], seed=0)
    y, expected = model(x), model([1.0, 2.0])
    assert data_of(y if make is Layer else [y]) == data_of(
        expected if make is Layer else [expected]
    )


def test_gradients_reach_the_inputs():
    x = [Value(1.0), Value(2.0)]
    MLP(2, [3, 1], seed=0)(x).backward()
    assert all(v.grad for v in x)


def test_hidden_layers_and_output_have_their_activations():
    model = MLP(1, [2, 2, 1], "relu", "sigmoid", seed=0)
    assert [layer.neurons[0].activation for layer in model.layers] == ["relu", "relu", "sigmoid"]
    assert model([1.0]).op == "sigmoid"
    assert repr(model) == "MLP(1, [2, 2, 1], activation='relu', output_activation='sigmoid')"
    assert MLP(1, [1])([1.0]).op == "add"


NAMED = {
    name: getattr(gradwalk, name)
    for name in ("tanh", "relu", "sigmoid", "gelu", "silu", "leaky_relu", "elu", "selu", "softplus")
} | {"linear": lambda x: x, "gelu_tanh": lambda x: gradwalk.gelu(x, "tanh")}
NAMED |= {"hardtanh": gradwalk.hardtanh, "sin": gradwalk.sin}


@pytest.mark.parametrize("name", nn.ACTIVATIONS)
def test_every_activation_does_what_its_name_says(name):
    neuron = Neuron(1, name, init=lambda weights, seed: init.constant_(weights, -0.75))
    for x in (-1.0, 0.5, 2.0):
        assert neuron([x]).data == NAMED[name](-0.75 * x)


def test_an_activation_can_be_any_function():
    def cube(x):
        return x * x * x

    neuron = Neuron(1, cube, init=lambda weights, seed: init.constant_(weights, 2.0))
    assert neuron([1.0]).data == 8.0
    assert repr(neuron) == "Neuron(1, 'cube')"
    assert "<" in repr(Neuron(1, NoName()))


class NoName:
    def __call__(self, x):
        return x


def test_labels_say_where_a_parameter_belongs():
    model = MLP(2, [2, 1], seed=0)
    labels = [parameter.label for parameter in model.parameters()]
    assert labels[:6] == ["l0.n0.w0", "l0.n0.w1", "l0.n0.b", "l0.n1.w0", "l0.n1.w1", "l0.n1.b"]
    assert labels[6:] == ["l1.n0.w0", "l1.n0.w1", "l1.n0.b"]
    assert [parameter.label for parameter in Neuron(1).parameters()] == ["w0", "b"]


def test_a_neuron_records_only_its_arithmetic():
    neuron = Neuron(3, seed=0)
    ops = [node.op for node in ancestors(neuron([1.0, 2.0, 3.0])) if node.op]
    assert sorted(ops) == ["add", "add", "add", "mul", "mul", "mul", "tanh"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: MLP(3, [4, 1])([1.0, 2.0]),
            SizeError,
            r"layers\.0 Layer\(3, 4, 'tanh'\): expected 3 numbers, got 2",
        ),
        (lambda: Layer(2, 3)([1.0]), SizeError, r"^calling Layer\(x\): expected 2 .*, got 1"),
        (lambda: Neuron(2)([1.0] * 5), SizeError, r"calling Neuron\(x\): expected 2 .*, got 5"),
        (lambda: MLP(2, [1])(1.0), NotANumberError, r"list of 2 numbers or Values.*model\(\[x\]\)"),
        (lambda: Neuron(1)(["a"]), NotANumberError, "real number"),
        (lambda: MLP(2, [1])(np.zeros((2, 2))), NotANumberError, "real number"),
        (lambda: MLP(2, [1])(np.zeros((9, 2))), SizeError, "got 9"),
        (lambda: Neuron(2, activation="thanh"), OptionError, "one of linear, tanh, relu"),
        (lambda: MLP(2, [1], output_activation=3), OptionError, "got int 3"),
        (lambda: MLP(2, []), OptionError, "at least one layer"),
        (lambda: MLP(0, [1]), OptionError, "an integer >= 1"),
        (lambda: MLP(2, [0, 1]), OptionError, "an integer >= 1"),
        (lambda: MLP(2, [1.5]), OptionError, "an integer >= 1"),
        (lambda: MLP(2, 3), OptionError, "at least one layer, got int 3"),
        (lambda: MLP(2, None), OptionError, "at least one layer, got NoneType None"),
        (lambda: MLP(2, "16"), OptionError, "an integer >= 1"),
        (lambda: Neuron(2, ["tanh"]), OptionError, r"one of linear, .* got list \['tanh'\]"),
        (lambda: MLP(2, [1, 1], activation={}), OptionError, "one of linear"),
        (lambda: Neuron(2, init="xavier"), OptionError, "one of xavier_uniform"),
        (lambda: Neuron(2, init=["zeros"]), OptionError, "one of xavier_uniform"),
        (
            lambda: Neuron(2, seed="1"),
            OptionError,
            r"Neuron\(seed\): expected an integer, .*got str '1'",
        ),
        (lambda: MLP(2, [1], seed=1.5), OptionError, r"MLP\(seed\): expected an integer"),
    ],
)
def test_errors_of_layers(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_an_array_in_a_message_takes_one_line():
    with pytest.raises(NotANumberError) as caught:
        Neuron(1)([np.zeros((3, 3))])
    assert "ndarray array([[0., 0., 0.], [0., 0., 0.]," in str(caught.value)
    assert "\n" not in str(caught.value)


# --- initialisers ---------------------------------------------------------------------------


def matrix(rows, columns):
    return [[Value(9.0) for _ in range(columns)] for _ in range(rows)]


def drawn(fill, rows=60, columns=40, **options):
    weights = matrix(rows, columns)
    fill(weights, seed=3, **options)
    return np.array([[w.data for w in row] for row in weights])


GAIN = math.sqrt(2.0)
BOUNDS = [
    (init.uniform_, {"a": -0.5, "b": 0.5}, 0.5),
    (init.xavier_uniform_, {}, math.sqrt(6.0 / 100.0)),
    (init.xavier_uniform_, {"gain": 2.0}, 2.0 * math.sqrt(6.0 / 100.0)),
    (init.he_uniform_, {}, GAIN * math.sqrt(3.0 / 40.0)),
    (init.kaiming_uniform_, {"mode": "fan_out", "nonlinearity": "relu"}, GAIN * math.sqrt(3 / 60)),
    (init.kaiming_uniform_, {"a": math.sqrt(5.0)}, math.sqrt(1.0 / 40.0)),
]
STDS = [
    (init.normal_, {"std": 0.5}, 0.5),
    (init.xavier_normal_, {}, math.sqrt(2.0 / 100.0)),
    (init.he_normal_, {}, GAIN / math.sqrt(40.0)),
    (init.kaiming_normal_, {"nonlinearity": "tanh"}, 5.0 / 3.0 / math.sqrt(40.0)),
]


@pytest.mark.parametrize(("fill", "options", "bound"), BOUNDS)
def test_even_distributions_fill_their_interval(fill, options, bound):
    found = drawn(fill, **options)
    assert 0.99 * bound < np.abs(found).max() <= bound
    assert abs(found.mean()) < 0.05 * bound


@pytest.mark.parametrize(("fill", "options", "std"), STDS)
def test_normal_distributions_have_their_width(fill, options, std):
    found = drawn(fill, **options)
    assert found.std() == pytest.approx(std, rel=0.05)
    assert abs(found.mean()) < 0.1 * std


def test_constants_and_zeros():
    row = [Value(1.0), Value(2.0)]
    init.constant_(row, 0.25)
    assert data_of(row) == [0.25, 0.25]
    init.zeros_(row)
    assert data_of(row) == [0.0, 0.0]


def test_equal_seeds_give_equal_networks_and_none_new_ones():
    state = random.getstate()
    assert MLP(2, [3, 1], seed=5).state_dict() == MLP(2, [3, 1], seed=5).state_dict()
    assert MLP(2, [3, 1], seed=5).state_dict() != MLP(2, [3, 1], seed=6).state_dict()
    assert MLP(2, [3, 1]).state_dict() != MLP(2, [3, 1]).state_dict()
    assert random.getstate() == state, "the global generator is left alone"


@pytest.mark.parametrize("integer", [np.int64, np.uint8, bool])
def test_a_seed_is_any_whole_number(integer):
    assert MLP(2, [3], seed=integer(1)).state_dict() == MLP(2, [3], seed=1).state_dict()


def test_a_generator_goes_on_where_it_is():
    draw = random.Random(1)
    first, second = Layer(2, 2, seed=draw), Layer(2, 2, seed=draw)
    assert first.state_dict() != second.state_dict()


@pytest.mark.parametrize(
    ("activation", "bound"), [("tanh", math.sqrt(6.0 / 80.0)), ("relu", math.sqrt(6.0 / 50.0))]
)
def test_the_default_follows_the_activation(activation, bound):
    layer = Layer(50, 30, activation, seed=0)
    sizes = [abs(w.data) for row in layer.weights for w in row]
    assert 0.99 * bound < max(sizes) <= bound
    assert {neuron.bias.data for neuron in layer.neurons} == {0.0}


def test_initialisers_by_name():
    assert set(Layer(2, 2, init="zeros").state_dict().values()) == {0.0}
    by_name = MLP(2, [2], init="he_normal", seed=1).layers[0].weights
    other = matrix(2, 2)
    init.he_normal_(other, seed=1)
    assert [data_of(row) for row in by_name] == [data_of(row) for row in other]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: init.xavier_uniform_([]), SizeError),
        (lambda: init.xavier_uniform_([[Value(1.0)], [Value(1.0)] * 2]), SizeError),
        (lambda: init.xavier_uniform_([[], []]), SizeError),
        (lambda: init.he_uniform_(matrix(1, 1), mode="fan"), OptionError),
        (lambda: init.calculate_gain("thanh"), OptionError),
    ],
)
def test_errors_of_initialisers(call, error):
    with pytest.raises(error, match="expected"):
        call()


# --- losses ---------------------------------------------------------------------------------


def leaves(numbers):
    return [leaves(n) if isinstance(n, list) else Value(n) for n in numbers]


def flat(items):
    return [x for item in items for x in (item if isinstance(item, list) else [item])]


def loss_id(case):
    kind = "rows" if isinstance(case["predictions"][0], list) else "list"
    return f"{case['name']}-{kind}-{case['options']}"


@pytest.mark.parametrize("case", EXPECTED["losses"], ids=loss_id)
def test_losses_and_gradients_are_those_of_pytorch(case):
    predictions, function = leaves(case["predictions"]), getattr(nn, case["name"])
    loss = function(predictions, case["targets"], **case["options"])
    found = loss if isinstance(loss, list) else [loss]
    expected = case["loss"] if isinstance(case["loss"], list) else [case["loss"]]
    assert data_of(found) == pytest.approx(flat(expected), **CLOSE)
    sum(found[1:], found[0]).backward()
    pairs = zip(flat(predictions), flat(case["gradients"]), strict=True)
    compared = [(p.grad, gradient) for p, gradient in pairs if abs(gradient) < 1e10]
    assert [mine for mine, _ in compared] == pytest.approx([it for _, it in compared], **CLOSE)
    assert len(compared) >= len(flat(predictions)) - 1, "only beyond the floor of bce"


@pytest.mark.parametrize("case", EXPECTED["losses"], ids=loss_id)
def test_losses_of_plain_numbers_are_plain_numbers(case):
    found = getattr(nn, case["name"])(case["predictions"], case["targets"], **case["options"])
    numbers = found if isinstance(found, list) else [found]
    assert {type(number) for number in numbers} == {float}
    expected = case["loss"] if isinstance(case["loss"], list) else [case["loss"]]
    assert numbers == pytest.approx(flat(expected), **CLOSE)


def test_hinge_is_zero_beyond_the_margin():
    scores = [Value(2.0), Value(0.5), Value(-3.0), Value(0.0)]
    loss = nn.hinge(scores, [1, 1, -1, -1.0])
    loss.backward()
    assert loss.data == (0.0 + 0.5 + 0.0 + 1.0) / 4
    assert [score.grad for score in scores] == [0.0, -0.25, 0.0, 0.25]
    assert nn.hinge([2.0], [1], margin=3.0, reduction="none") == [1.0]


def test_the_logarithm_in_binary_cross_entropy_has_a_floor():
    p, q = Value(0.0), Value(1.0)
    assert nn.binary_cross_entropy([p, q], [1, 0], "none")[0].data == 100.0
    nn.binary_cross_entropy([p, q], [1, 0], "sum").backward()
    assert (p.grad, q.grad) == (-1e12, 1e12)
    assert nn.binary_cross_entropy([0.0, 1.0], [0, 1]) == 0.0
    assert nn.binary_cross_entropy(0.5, 0.5) == pytest.approx(math.log(2.0))


@pytest.mark.parametrize("name", ["mse", "mae", "huber", "hinge"])
def test_a_single_value_and_a_number(name):
    function, p = getattr(nn, name), Value(0.25)
    assert function(p, 1).data == function([p], [1]).data
    assert function(p, 1, reduction="none").data == function(p, 1).data
    assert function(np.float64(0.25), 1) == function(p, 1).data


def test_targets_may_be_values_that_learn():
    t = Value(2.0)
    nn.mse([Value(1.0)], [t]).backward()
    assert t.grad == 2.0
    soft = Value(0.5)
    nn.binary_cross_entropy_with_logits([Value(2.0)], [soft]).backward()
    assert soft.grad == pytest.approx(-2.0)
    label = Value(1.0)
    nn.hinge([0.5], [label]).backward()
    assert label.grad == -0.5


def test_any_iterable_holds_predictions_and_targets():
    assert nn.mse((x for x in [1.0, 2.0]), (x for x in [0.0, 4.0])) == 2.5
    assert nn.mse({"a": 1.0, "b": 2.0}.values(), (0.0, 4.0)) == 2.5


def test_numpy_arrays_are_targets_and_predictions_too():
    assert nn.mse([Value(1.0), Value(2.0)], np.array([0.0, 4.0])).data == 2.5
    assert nn.mse(np.array([[1.0, 2.0]]), np.array([[0.0, 4.0]])) == 2.5
    rows = [[Value(0.0), Value(0.0)]]
    assert nn.cross_entropy(rows, np.array([1])).data == pytest.approx(math.log(2.0))
    soft = nn.cross_entropy(rows, np.array([[0.5, 0.5]])).data
    assert soft == pytest.approx(math.log(2.0))


@given(st.lists(st.floats(-12, 12), min_size=1, max_size=6))
def test_bce_of_a_sigmoid_is_bce_with_logits(logits):
    targets = [i % 2 for i in range(len(logits))]
    one = nn.binary_cross_entropy_with_logits(logits, targets)
    other = nn.binary_cross_entropy([gradwalk.sigmoid(x) for x in logits], targets)
    assert one == pytest.approx(other, rel=1e-9)


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=5), st.integers(0, 4))
def test_nll_of_log_softmax_is_cross_entropy(row, target):
    target %= len(row)
    logs = gradwalk.log_softmax(row)
    one, other = nn.nll([logs], [target]), nn.cross_entropy([row], [target])
    assert one == pytest.approx(other, rel=2e-15, abs=0.0)  # the rest is summed in another order


def test_losses_make_few_nodes():
    xs = [Value(0.5) for _ in range(10)]
    nodes = {
        "mse": 31,  # subtract, square, add; and one division
        "binary_cross_entropy_with_logits": 26,  # softplus, add; negate for every second
        "hinge": 41,
    }
    for name, count in nodes.items():
        targets = [1, -1] * 5 if name == "hinge" else [1, 0] * 5
        graph = ancestors(getattr(nn, name)(xs, targets))
        assert len([node for node in graph if node.op]) <= count, name


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.mse([1.0, 2.0], [1.0]), SizeError, "mse: expected as many targets.* 2, got 1"),
        (lambda: nn.mse([1.0, 2.0], 1.0), SizeError, "got float 1.0"),
        (lambda: nn.mse([[1.0, 2.0]], [[1.0]]), SizeError, "2, got 1"),
        (lambda: nn.mse([], []), SizeError, "at least one prediction"),
        (lambda: nn.mse([1.0], [1.0], reduction="avg"), OptionError, '"mean", "sum" or "none"'),
        (lambda: nn.mse([Value(1.0)], [[2.0]]), NotANumberError, r"mse\(targets\).*list \[2\.0\]"),
        (
            lambda: nn.mae([Value(1.0)], [[2.0]]),
            NotANumberError,
            r"mae\(targets\): expected a real",
        ),
        (lambda: nn.huber([Value(1.0)], [[2.0]]), NotANumberError, r"huber\(targets\)"),
        (lambda: nn.mse(Value(1.0), [2.0]), NotANumberError, r"mse\(targets\).*list \[2\.0\]"),
        (lambda: nn.mse([Value(1.0)], ["2"]), NotANumberError, r"mse\(targets\).*str '2'"),
        (lambda: nn.mse([1.0, [2.0]], [1.0, [2.0]]), NotANumberError, r"mse\(.*got list"),
        (lambda: nn.mse([[1.0], 2.0], [[1.0], 2.0]), SizeError, "got float 2.0"),
        (lambda: nn.hinge([None], [1]), NotANumberError, r"hinge\(predictions\): .*got NoneType"),
        (lambda: nn.hinge([1.0], [1], margin="a"), NotANumberError, r"hinge\(margin=...\)"),
        (lambda: nn.huber([1.0], [1.0], delta=0.0), OptionError, "positive"),
        (lambda: nn.huber([1.0], [1.0], delta="a"), NotANumberError, r"huber\(delta=...\)"),
        (lambda: nn.cross_entropy(Value(1.0), 0), SizeError, "a list of predictions.*got Value"),
        (lambda: nn.cross_entropy([[1.0], 2.0], [0, 0]), SizeError, "got float 2.0"),
        (lambda: nn.nll(1.0, 0), SizeError, r"nll\(.*: expected a list"),
        (lambda: nn.nll([["a"]], [0]), NotANumberError, r"nll\(.*got str 'a'"),
        (lambda: nn.hinge([1.0], [0]), DataError, r"2 \* t - 1"),
        (
            lambda: nn.binary_cross_entropy([1.5], [1]),
            DataError,
            "binary_cross_entropy_with_logits",
        ),
        (lambda: nn.binary_cross_entropy([0.5], [-1]), DataError, r"\(t \+ 1\) / 2"),
        (lambda: nn.binary_cross_entropy_with_logits([0.5], [2]), DataError, "from 0 to 1"),
        (lambda: nn.cross_entropy([[1.0, 2.0]], [2]), DataError, "index of a class, 0 to 1, got"),
        (lambda: nn.cross_entropy([[1.0, 2.0]], [-1]), DataError, "index of a class"),
        (lambda: nn.cross_entropy([[1.0, 2.0]], [1.0]), DataError, "write them as ints"),
        (lambda: nn.cross_entropy([[1.0, 2.0]], [[1.0]]), SizeError, "expected 2 numbers, got 1"),
        (lambda: nn.cross_entropy([[1.0], [2.0]], [0]), SizeError, "2, got 1"),
        (lambda: nn.nll([[1.0]], [5]), DataError, r"nll\(targets\)"),
    ],
)
def test_errors_of_losses(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_nan_shows_in_the_loss_instead_of_an_error():
    assert math.isnan(nn.binary_cross_entropy([math.nan], [1]))


def test_empty_lists_have_no_terms():
    assert nn.mse([], [], reduction="none") == []


# --- all together ---------------------------------------------------------------------------


def test_a_network_learns_xor():
    inputs, targets = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = MLP(2, [4, 1], seed=0)
    optimizer = optim.Adam(model.parameters(), lr=0.1)
    for _ in range(150):
        optimizer.zero_grad()
        loss = nn.binary_cross_entropy_with_logits([model(x) for x in inputs], targets)
        loss.backward()
        optimizer.step()
    assert [int(model(x).data > 0.0) for x in inputs] == targets
    assert loss.data < 0.1


@pytest.mark.parametrize(
    "call",
    [
        lambda: nn.binary_cross_entropy([0.5], [1], weight=[2.0]),
        lambda: nn.binary_cross_entropy_with_logits([0.5], [1], pos_weight=2.0),
        lambda: nn.cross_entropy([[0.5, 0.0]], [1], label_smoothing=0.1),
        lambda: nn.cross_entropy([[0.5, 0.0]], [1], ignore_index=1),
        lambda: nn.nll([[0.5, 0.0]], [1], weight=[1.0, 2.0]),
    ],
)
def test_options_that_need_a_tensor(call):
    with pytest.raises(OptionError, match=r"expected predictions or targets in a Tensor.* Pass"):
        call()
