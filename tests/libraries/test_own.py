"""What a library computes as a whole agrees with the composition, and with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradwalk as gw
from gradwalk import Tensor, nn
from gradwalk.core.pytree import flatten
from gradwalk.libraries.array import OWN, OWN_RULES
from gradwalk.libraries.places import Place
from gradwalk.nn import functional as F  # noqa: N812
from gradwalk.ops.array import recurrence
from gradwalk.optim import SGD, Adam, AdamW

from ..helpers.libraries import PEER, Library, compare

pytestmark = PEER

rng = np.random.default_rng(0)
ROWS, COLUMN = rng.normal(size=(4, 5)), rng.normal(size=5)
WIDE = np.array([[-60.0, -8.0, -1.3, 0.0, 0.7], [1.8, 8.0, 60.0, -0.75, -1.8]])
IMAGE, KERNEL = rng.normal(size=(2, 4, 6, 5)), rng.normal(size=(6, 2, 3, 2))
CLASSES = np.array([0, 4, -100, 2])
GATES, STATE = rng.normal(size=(3, 2, 8)), rng.normal(size=(2, 2))
STACK = rng.normal(size=(2, 3, 4, 5))


def ATTEND(q: Any, k: Any, v: Any) -> Any:  # noqa: N802
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def recurrent(*operands: Any) -> Any:
    hs, cs = recurrence.lstm(*operands, memo=[])
    return hs[:-1] * hs[1:] + cs[-1]


Case = tuple[Callable[..., Any], list[Any]]
CASES: dict[str, Case] = {
    "softmax": (lambda x: F.softmax(x, dim=-1), [ROWS]),
    "log_softmax": (lambda x: F.log_softmax(x, dim=-1), [ROWS]),
    "class_surprise": (lambda x: F.cross_entropy(x, CLASSES, reduction="none"), [ROWS]),
    "gelu": (F.gelu, [WIDE]),
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), [WIDE]),
    "relu": (F.relu, [WIDE]),
    "sigmoid": (F.sigmoid, [WIDE]),
    "tanh": (F.tanh, [WIDE]),
    "erf": (gw.erf, [WIDE]),
    "silu": (F.silu, [WIDE]),
    "softplus": (F.softplus, [WIDE]),
    "log_sigmoid": (F.logsigmoid, [WIDE]),
    "layer": (lambda x, w, b: F.layer_norm(x, (5,), w, b), [ROWS, COLUMN, COLUMN[::-1].copy()]),
    "standardize": (lambda x: F.batch_norm(x, None, None, training=True), [IMAGE]),
    "affine": (F.linear, [STACK, ROWS, ROWS[:, 0].copy()]),
    "matmul": (lambda a, b: a.swapaxes(1, 2) @ b.swapaxes(1, 2).mT, [STACK, STACK]),
    "lstm": (recurrent, [GATES, STATE, STATE[::-1].copy(), GATES.reshape(8, 6)[:, :2].copy()]),
    "sum": (lambda x: x.sum(axis=(0, 2)) * x.sum(), [STACK]),
    "mean": (lambda x: x.mean(axis=1, keepdims=True) * x.mean(), [STACK]),
    "exp": (gw.exp, [ROWS]),
    "log": (gw.log, [ROWS**2 + 0.1]),
    "sqrt": (gw.sqrt, [ROWS**2 + 0.1]),
    "reshape": (lambda x: x.reshape(2, -1) ** 2, [STACK]),
    "permute_dims": (lambda x: x.transpose(2, 0, 3, 1) ** 2, [STACK]),
    "broadcast_to": (lambda x: gw.broadcast_to(x, (3, 4, 5)) ** 2, [ROWS]),
    "sum_to": (lambda x, y: (x + y) * y, [STACK, ROWS]),
    "split": (lambda x: gw.split(x, 2, axis=2)[1] ** 2, [STACK]),
    "unstack": (lambda x: gw.unstack(x, axis=1)[1] ** 2, [STACK]),
    "concat": (lambda x, y: gw.concat([x, y * y], axis=0), [ROWS, ROWS[1:]]),
    "stack": (lambda x, y: gw.stack([x, y * y], axis=1), [ROWS, ROWS + 1.0]),
    "attention": (ATTEND, [STACK, STACK + 1.0, STACK[..., ::-1].copy()]),
    "conv": (lambda x, w: F.conv2d(x, w, stride=2, padding=1, groups=2), [IMAGE, KERNEL]),
    "conv_bias": (lambda x, w, b: F.conv2d(x, w, b, groups=2), [IMAGE, KERNEL, rng.normal(size=6)]),
    "max_pool": (lambda x: F.max_pool2d(x, 3, 2, 1), [IMAGE]),
    "window_sum": (lambda x: F.avg_pool2d(x, 2, 1), [IMAGE]),
}
"""A call for each line of the table, by the primitive that it begins with."""

BESIDE = {
    "class_slope": "class_surprise", "gelu_slope": "gelu", "gelu_tanh_slope": "gelu_tanh",
    "sigmoid_slope": "sigmoid", "tanh_slope": "tanh", "silu_slope": "silu",
    "erf_slope": "erf",
    "standardize_back": "standardize", "conv_input": "conv", "conv_weight": "conv",
    "attention_back": "attention",
    "window_put": "max_pool", "window_pick": "max_pool", "window_spread": "window_sum",
}  # fmt: skip
"""Lines that are reached through the call of another one."""

LINES = [(table, key) for table in (OWN, OWN_RULES) for key in table]
NAMES = [f"{'rule-' if table is OWN_RULES else ''}{key[0]}-{key[1].name}" for table, key in LINES]


@pytest.fixture
def library() -> Library:
    """Return PyTorch, which has all lines."""
    return Library("torch")


def curvature(f: Callable[..., Any], args: list[Any], make: Callable[[Any], Any]) -> Any:
    """Return a Hessian-vector product of Σ f², which every rule of a rule takes part in."""
    x, *rest = map(make, args)
    v = make(np.linspace(-1.0, 1.0, args[0].size).reshape(args[0].shape))
    return gw.hvp(lambda x: (f(x, *rest) ** 2).sum(), x, v).numpy()


@pytest.mark.parametrize(("table", "key"), LINES, ids=NAMES)
@pytest.mark.parametrize("on", [True, False], ids=["on", "off"])
def test_a_line_changes_no_number(
    table: Any, key: Any, on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(key[0])
    f, args = CASES[BESIDE.get(key[1].name, key[1].name)]
    if not on:
        monkeypatch.delitem(table, key)
    compare(library, f, *args, rtol=1e-11, atol=1e-13)
    expected = curvature(f, args, Tensor)
    found = curvature(f, args, library.tensor)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("of", ["torch", "jax"])
def test_single_precision_is_as_accurate_as_that_of_numpy(of: str, name: str) -> None:
    library = Library(of)
    f, args = CASES[name]
    narrow = [a.astype(np.float32) for a in args]
    exact = f(*[Tensor(a.astype(np.float64)) for a in narrow]).numpy()
    found = f(*map(library.tensor, narrow))
    assert found.dtype == np.float32
    scale = np.abs(exact).max()
    np.testing.assert_allclose(found.numpy(), exact, rtol=1e-6, atol=1e-6 * scale)


FAR = [(of, name) for of in ("torch", "jax") for name in ("tanh", "erf", "sigmoid")]


@pytest.mark.parametrize(("of", "name"), [*FAR, ("jax", "gelu")])  # PyTorch's gelu loses them
def test_slopes_in_single_precision_keep_their_digits_far_out(of: str, name: str) -> None:
    f, _ = CASES[name]
    x = np.linspace(-6.5, 6.5, 27, dtype=np.float32)
    slopes = {}
    for kind, make in (("exact", Tensor), ("found", Library(of).tensor)):
        leaf = make(x.astype(np.float64 if kind == "exact" else np.float32), requires_grad=True)
        f(leaf).sum().backward()
        slopes[kind] = Tensor(leaf.grad).numpy()
    np.testing.assert_allclose(slopes["found"], slopes["exact"], rtol=2e-5)


INF, NAN = np.inf, np.nan
SPECIAL = {
    "softmax": [[INF, 0.0, 1.0], [INF, INF, 0.0], [-INF, 0.0, 1.0], [-INF] * 3, [NAN, 0.0, 1.0]],
    "gelu": [[-INF, INF, NAN]],
    "gelu_tanh": [[-INF, INF, NAN]],
    "relu": [[-INF, INF, NAN]],
    "sigmoid": [[-INF, INF, NAN]],
    "tanh": [[-INF, INF, NAN]],
    "silu": [[-INF, INF, NAN]],
    "softplus": [[-INF, INF, NAN]],
    "log_sigmoid": [[-INF, INF, NAN]],
}
SPECIAL["log_softmax"] = SPECIAL["softmax"]


@pytest.mark.parametrize("name", SPECIAL)
def test_infinities_have_the_limits_of_numpy(library: Library, name: str) -> None:
    compare(library, CASES[name][0], np.array(SPECIAL[name]))


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("row", [*SPECIAL["softmax"], [800.0, 0.0, 0.0], [0.0, 800.0, 0.0]])
def test_surprises_have_the_limits_of_numpy(library: Library, row: list[float], place: int) -> None:
    def f(x: Any) -> Any:
        return F.cross_entropy(x, np.array([place]), reduction="none")

    compare(library, f, np.array([row]), rtol=1e-13, atol=0.0)


@pytest.mark.parametrize("dtype", [bool, float])
def test_a_mask_is_known_until_it_is_written_into(library: Library, dtype: Any) -> None:
    looks = np.tril(np.ones((4, 4), bool))
    raw = library.array(looks if dtype is bool else np.where(looks, 0.0, -np.inf))
    mask, x = Tensor(raw), STACK[0]
    given = library.tensor(x)
    for row in (None, None, 2, 1):  # the last two look nowhere
        if row is not None:
            looks[row] = False
            mask.data[row] = False if dtype is bool else -np.inf
        found = F.scaled_dot_product_attention(given, given, given, attn_mask=mask)
        expected = F.scaled_dot_product_attention(x, x, x, attn_mask=looks)
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-12)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN", "LSTMCell"])
@pytest.mark.parametrize("how", [{}, {"bias": False}, {"bidirectional": True, "num_layers": 2}])
def test_recurrent_networks_have_the_gradients_of_numpy(
    library: Library, kind: str, how: dict[str, Any]
) -> None:
    if kind.endswith("Cell"):
        how = {name: flag for name, flag in how.items() if name == "bias"}
    found = []
    for place in ("numpy", "torch"):
        net = getattr(nn, kind)(5, 3, seed=0, **how).to(place)
        x = Tensor(STACK[0, 0] if kind.endswith("Cell") else STACK[0]).to_device(place)
        x.requires_grad = True
        y, *states = net(x)
        total = (y * y).sum()
        for state in flatten(states)[0]:
            total = total + (state**3).sum()
        total.backward()
        found.append(
            [Tensor(a).numpy() for a in (total.data, x.grad, *[p.grad for p in net.parameters()])]
        )
    for here, there in zip(*found, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-11, atol=1e-13)


def network() -> nn.Module:
    return nn.Sequential(
        nn.Embedding(7, 8, seed=0), nn.LayerNorm(8), nn.Linear(8, 8, seed=1), nn.GELU(),
        nn.TransformerEncoderLayer(8, 2, 8, 0.0, batch_first=True, seed=2), nn.Linear(8, 7, seed=3),
    )  # fmt: skip


IDS = rng.integers(0, 7, (3, 6))


def step_of(library: Library, model: nn.Module, optimizer: Any) -> Callable[[], Any]:
    x, t = library.tensor(IDS), library.tensor(IDS[:, ::-1].copy())

    def step() -> Any:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x).reshape((-1, 7)), t.reshape((-1,)))
        loss.backward()
        optimizer.step()
        return loss

    return step


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_a_step_of_training_sends_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library(name)
    model = network().to("torch:cpu" if name == "torch" else "jax")
    step = step_of(library, model, AdamW(model.parameters(), lr=1e-2))
    step()

    def refuse(self: Place, *args: Any) -> Any:
        raise AssertionError("a copy between host and device")

    monkeypatch.setattr(Place, "put", refuse)
    if name == "torch":  # JAX's arrays are looked at where they are, on the CPU
        monkeypatch.setattr(Place, "numbers", refuse)
    step()


def test_a_step_takes_few_kernels(library: Library) -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    counted: list[str] = []

    class Counting(TorchDispatchMode):
        def __torch_dispatch__(self, f: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            counted.append(f._schema.name)
            return f(*args, **(kwargs or {}))

    model = network().to("torch:cpu")
    step = step_of(library, model, AdamW(model.parameters(), lr=1e-2))
    step()
    with Counting():
        step()
    views = {"view", "t", "transpose", "permute", "expand", "slice", "select", "unsqueeze", "alias"}
    views |= {"_unsafe_view", "squeeze", "detach", "empty", "new_empty", "empty_like"}
    kernels = [name for name in counted if name.partition("::")[2] not in views]
    assert len(kernels) <= 120  # 2,000 as compositions, 92 in PyTorch itself


@pytest.mark.parametrize("make", [SGD, AdamW])
def test_an_array_that_the_user_has_is_not_written_into(library: Library, make: Any) -> None:
    model = network().to("torch:cpu")
    held = [p.data for p in model.parameters()]
    before = [p.clone() for p in held]
    step_of(library, model, make(model.parameters(), lr=0.1))()
    assert all(bool((a == b).all()) for a, b in zip(held, before, strict=True))
    assert any(bool((a != p.data).any()) for a, p in zip(held, model.parameters(), strict=True))


HOW: dict[str, dict[str, Any]] = {
    "usual": {}, "decay": {"weight_decay": 0.1}, "ascent": {"maximize": True, "weight_decay": 0.1},
    "peaks": {"amsgrad": True}, "no-memory": {"betas": (0.0, 0.9)}, "rest": {"lr": 0.0},
}  # fmt: skip


@pytest.mark.parametrize("make", [Adam, AdamW])
@pytest.mark.parametrize("how", HOW)
def test_steps_are_those_of_numpy_for_gradients_in_any_order(
    library: Library, make: Any, how: str
) -> None:
    found = []
    for place in ("numpy", "torch"):
        turned, summed = (Tensor(x).to_device(place) for x in (ROWS, COLUMN))
        parameters = [turned, summed]
        for p in parameters:
            p.requires_grad = True
        optimizer = make(parameters, **{"lr": 0.05, **HOW[how]})
        for k in range(4):
            optimizer.zero_grad()
            rows = (turned.mT * Tensor(ROWS.T + k).to_device(place)) ** 2
            (rows.sum() + summed.sum()).backward()
            optimizer.step()
        saved = optimizer.state_dict()["state"][0]["tensors"]
        found.append([*[p.numpy() for p in parameters], *[x for s in saved for x in s["slots"]]])
    for here, there in zip(*found, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-12, atol=1e-15)


# --- memory that others write into ----------------------------------------------------------------

Q = rng.normal(size=(1, 2, 4, 6))
LOOKS, LOOKS_LATER = np.tril(np.ones((4, 4), bool)), np.ones((4, 4), bool)
BLIND = np.eye(4, dtype=bool) & (np.arange(4) != 1)
WITHOUT = np.where(BLIND, 0.0, -np.inf)
HEADS = nn.MultiheadAttention(6, 2, batch_first=True, seed=0)
TABLE_OF_WORDS = rng.normal(size=(5, 3))
CHOSEN, CHOSEN_LATER = np.array([0, 1, 4, 2]), np.array([3, 3, 0, 1])
WEIGHTS = np.linspace(0.5, 1.5, 5)


def masked(x: Any, mask: Any) -> Any:
    return F.scaled_dot_product_attention(x, x, x, attn_mask=mask)


def padded(x: Any, mask: Any) -> Any:
    return HEADS.to(x.device)(x, x, x, key_padding_mask=mask)[0]


Shared = tuple[Callable[[Any, Any], Any], np.ndarray, np.ndarray, np.ndarray]
READ: dict[str, Shared] = {
    "mask of bools": (masked, Q, LOOKS, LOOKS_LATER),
    "mask of bools with a blind row": (masked, Q, LOOKS, BLIND),
    "mask of floats with a blind row": (masked, Q, np.zeros((4, 4)), WITHOUT),
    "padding": (padded, Q[0], np.zeros((2, 4), bool), np.tile(np.arange(4) > 1, (2, 1))),
    "classes": (F.cross_entropy, ROWS, CHOSEN, CHOSEN_LATER),
    "ids": (lambda w, i: F.embedding(i, w), TABLE_OF_WORDS, CHOSEN, CHOSEN_LATER),
    "index": (lambda x, i: x[i], TABLE_OF_WORDS, CHOSEN, CHOSEN_LATER),
    "mask that chooses": (lambda x, m: x[m], TABLE_OF_WORDS, WEIGHTS > 1.0, WEIGHTS < 1.2),
    "condition": (lambda x, m: gw.where(m, x, 0.0), ROWS, ROWS > 0.0, ROWS < 0.5),
    "weights of classes": (
        lambda x, w: F.cross_entropy(x, CLASSES, weight=w),
        ROWS,
        WEIGHTS,
        WEIGHTS[::-1],
    ),
}


READ_PLAIN = [pytest.param(name, False, id=f"{name}-plain") for name in READ]
READ_COMPILED = [
    pytest.param(name, True, id=f"{name}-inductor")
    for name in READ
    if name != "mask that chooses"  # it decides how large the result is
]


@pytest.mark.parametrize(("name", "compiled"), READ_PLAIN + READ_COMPILED)
def test_numbers_are_read_at_each_call(name: str, compiled: bool) -> None:
    """PyTorch counts no writes through NumPy, DLPack or `.data`: nothing is kept of an array."""
    f, x, before, after = READ[name]
    torch = Library("torch")
    held = torch.tensor(before)
    tensor = torch.tensor(x)
    g = gw.compile(lambda x: f(x, held)) if compiled else lambda x: f(x, held)
    first = g(tensor).numpy()
    held.data.numpy()[...] = after
    second = g(tensor).numpy()
    np.testing.assert_allclose(second, f(tensor, torch.tensor(after)).numpy(), rtol=1e-12)
    assert first.shape != second.shape or not np.allclose(first, second)
