"""Write nn_tensors.json: PyTorch's modules and losses on arrays, in double precision.

Of modules the weights, outputs and gradients; of losses also a product of the Hessian with a
vector. Run it where PyTorch is installed: ``python tests/expected/make_nn_tensors.py``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Case = tuple[str, list[Any], dict[str, Any], list[Any], dict[str, Any]]


def modules(torch: Any) -> list[Case]:
    """Name, arguments, keywords, inputs, and keywords of the call."""

    def normal(*shape: int) -> Any:
        return torch.randn(*shape, dtype=torch.float64)

    x, wide = normal(3, 4), torch.tensor([-800.0, -25.0, -1.5, 0.0, 0.5, 3.0, 700.0])
    wide = wide.to(torch.float64)
    sequence, other = normal(5, 2, 4), normal(3, 2, 4)
    absent = torch.tensor([[False, False, True], [False, False, False]])
    later = torch.ones(5, 5).triu(1).bool()
    added = normal(5, 3)
    ids = torch.tensor([[1, 0, 4], [4, 4, 2]])
    layer = {"dim_feedforward": 6, "dropout": 0.0}
    activations: list[Case] = [
        (name, [], options, [wide], {})
        for name, options in [
            ("ReLU", {}), ("LeakyReLU", {}), ("LeakyReLU", {"negative_slope": 0.3}),
            ("GELU", {}), ("GELU", {"approximate": "tanh"}), ("Tanh", {}), ("Sigmoid", {}),
            ("SiLU", {}), ("ELU", {"alpha": 0.5}), ("SELU", {}), ("Hardtanh", {"max_val": 2.0}),
            ("Softplus", {}), ("Softplus", {"beta": 2.0, "threshold": 5.0}), ("LogSigmoid", {}),
            ("Softmax", {"dim": 0}), ("LogSoftmax", {"dim": 0}), ("Identity", {}),
        ]
    ]  # fmt: skip
    return [
        *activations,
        ("Linear", [4, 3], {}, [x], {}),
        ("Linear", [4, 3], {"bias": False}, [x], {}),
        ("Linear", [4, 3], {}, [normal(2, 3, 4)], {}),
        ("Linear", [4, 3], {}, [normal(4)], {}),
        ("Embedding", [5, 3], {}, [ids], {}),
        ("Embedding", [5, 3], {"padding_idx": -1}, [ids], {}),
        ("Softmax", [1], {}, [x], {}),
        ("MultiheadAttention", [4, 2], {}, [sequence] * 3, {}),
        ("MultiheadAttention", [4, 1], {"bias": False}, [sequence] * 3, {}),
        ("MultiheadAttention", [4, 2], {}, [sequence, other, other], {"key_padding_mask": absent}),
        ("MultiheadAttention", [4, 2], {}, [sequence, other, normal(3, 2, 4)],
         {"attn_mask": added, "average_attn_weights": False}),
        ("MultiheadAttention", [4, 2], {"batch_first": True}, [normal(2, 5, 4)] * 3,
         {"attn_mask": later}),
        ("MultiheadAttention", [4, 4], {}, [normal(5, 4)] * 3, {"attn_mask": later}),
        ("TransformerEncoderLayer", [4, 2], layer, [sequence], {}),
        ("TransformerEncoderLayer", [4, 2], {**layer, "norm_first": True, "batch_first": True,
         "activation": "gelu"}, [normal(2, 5, 4)], {"src_mask": later}),
        ("LSTMCell", [4, 3], {}, [x], {}),
        ("GRUCell", [4, 3], {}, [x, normal(3, 3)], {}),
        ("GRUCell", [4, 3], {"bias": False}, [x], {}),
        ("RNNCell", [4, 3], {}, [x], {}),
        ("RNNCell", [4, 3], {"nonlinearity": "relu"}, [normal(4)], {}),
        ("LSTM", [4, 3], {}, [sequence], {}),
        ("LSTM", [4, 3], {"num_layers": 2, "bidirectional": True, "batch_first": True},
         [normal(2, 3, 4)], {}),
        ("GRU", [4, 3], {"num_layers": 2, "bias": False}, [sequence, normal(2, 2, 3)], {}),
        ("GRU", [4, 3], {"bidirectional": True}, [normal(5, 4)], {}),
    ]  # fmt: skip


def losses(torch: Any) -> list[Case]:
    """Name in `functional`, predictions and targets, options."""

    def normal(*shape: int) -> Any:
        return torch.randn(*shape, dtype=torch.float64)

    p, t = normal(4, 3), normal(4, 3)
    p[0, 0] = t[0, 0]
    labels = torch.tensor([[1.0, 0.0, 0.3], [0.0, 1.0, 1.0]], dtype=torch.float64)
    chances = torch.tensor([[0.9, 0.2, 0.5], [0.001, 0.4, 0.7]], dtype=torch.float64)
    logits = torch.tensor([[-30.0, 2.0, 0.0], [-700.0, 50.0, 1.5]], dtype=torch.float64)
    rows = torch.cat([normal(4, 3), torch.tensor([[1000.0, 0.0, -1000.0]])]).to(torch.float64)
    classes, weight = torch.tensor([2, 0, 1, 1, 2]), torch.tensor([0.5, 2.0, 1.0])
    some = torch.tensor([2, -100, 1, -100, 2])
    image, places = normal(2, 3, 4), torch.tensor([[0, 2, 1, 1], [2, 2, 0, 1]])
    shares, image_shares = normal(5, 3).softmax(1), normal(2, 3, 4).softmax(1)
    weight = weight.to(torch.float64)
    logs = normal(4, 3).log_softmax(1)
    goal = normal(4, 3).softmax(1)
    goal[0] = torch.tensor([0.0, 1.0, 0.0])
    return [
        ("mse_loss", [p, t], {}, [], {}),
        ("l1_loss", [p, t], {}, [], {}),
        ("huber_loss", [p, t], {}, [], {}),
        ("huber_loss", [p, t], {"delta": 0.4}, [], {}),
        ("smooth_l1_loss", [p, t], {}, [], {}),
        ("smooth_l1_loss", [p, t], {"beta": 0.4}, [], {}),
        ("smooth_l1_loss", [p, t], {"beta": 0.0}, [], {}),
        ("binary_cross_entropy", [chances, labels], {}, [], {}),
        ("binary_cross_entropy", [chances, labels], {"weight": weight}, [], {}),
        ("binary_cross_entropy_with_logits", [logits, labels], {}, [], {}),
        ("binary_cross_entropy_with_logits", [logits, labels], {"pos_weight": weight}, [], {}),
        ("binary_cross_entropy_with_logits", [logits, labels], {"weight": weight}, [], {}),
        ("cross_entropy", [rows, classes], {}, [], {}),
        ("cross_entropy", [rows[0], classes[0]], {}, [], {}),
        ("cross_entropy", [rows, classes], {"weight": weight}, [], {}),
        ("cross_entropy", [rows, some], {}, [], {}),
        ("cross_entropy", [rows, classes], {"ignore_index": 1, "weight": weight}, [], {}),
        ("cross_entropy", [rows, classes], {"label_smoothing": 0.1}, [], {}),
        ("cross_entropy", [rows, some], {"label_smoothing": 0.1, "weight": weight}, [], {}),
        ("cross_entropy", [image, places], {}, [], {}),
        ("cross_entropy", [image, places], {"weight": weight, "ignore_index": 2}, [], {}),
        ("cross_entropy", [rows, shares], {}, [], {}),
        ("cross_entropy", [rows, shares], {"weight": weight, "label_smoothing": 0.2}, [], {}),
        ("cross_entropy", [image, image_shares], {"weight": weight}, [], {}),
        ("cross_entropy", [rows[0], shares[0]], {}, [], {}),
        ("nll_loss", [logs, classes[:4]], {}, [], {}),
        ("nll_loss", [logs, classes[:4]], {"weight": weight}, [], {}),
        ("nll_loss", [logs, some[:4]], {}, [], {}),
        ("nll_loss", [image, places], {"weight": weight, "ignore_index": 0}, [], {}),
        ("kl_div", [logs, goal], {}, [], {}),
        ("kl_div", [logs, normal(4, 3).log_softmax(1)], {"log_target": True}, [], {}),
    ]


def plain(x: Any) -> Any:
    """Tensors as nested lists, also inside of containers."""
    if isinstance(x, dict):
        return {name: plain(entry) for name, entry in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(entry) for entry in x]
    return x.tolist() if hasattr(x, "tolist") else x


def flat(outputs: Any) -> list[Any]:
    """The tensors of an answer, in order."""
    if isinstance(outputs, tuple):
        return [member for part in outputs for member in flat(part)]
    return [] if outputs is None else [outputs]


def of_module(torch: Any, case: Case) -> dict[str, Any]:
    """Weights, outputs, and the gradients of Σ cotangent · output."""
    name, args, options, inputs, call = case
    module = getattr(torch.nn, name)(*args, **options).to(torch.float64)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, dtype=torch.float64))
        if name == "Embedding" and module.padding_idx is not None:
            module.weight[module.padding_idx] = 0.0
    own = {id(x): x.clone().requires_grad_(x.is_floating_point()) for x in inputs}
    given = [own[id(x)] for x in inputs]
    outputs = flat(module(*given, **call))
    seeds = [torch.randn(y.shape, dtype=torch.float64) for y in outputs]
    sum((y * s).sum() for y, s in zip(outputs, seeds, strict=True)).backward()
    return plain({
        "name": name, "args": args, "options": options, "call": call, "inputs": inputs,
        "leaves": [list(own).index(id(x)) for x in inputs], "state": module.state_dict(),
        "seeds": seeds, "outputs": outputs,
        "input_gradients": [x.grad for x in given],
        "gradients": {name: p.grad for name, p in module.named_parameters()},
    })  # fmt: skip


def of_loss(torch: Any, case: Case, reduction: str) -> dict[str, Any]:
    """The loss, its gradient by the predictions, and the Hessian times a vector."""
    name, (predictions, targets), options, *_ = case
    x = predictions.clone().requires_grad_(True)
    found = getattr(torch.nn.functional, name)(x, targets, reduction=reduction, **options)
    seed, u = torch.randn(found.shape, dtype=torch.float64), torch.randn_like(x)
    (gradient,) = torch.autograd.grad((found * seed).sum(), x, create_graph=True)
    bends = gradient.requires_grad and name != "l1_loss" and options.get("beta") != 0.0
    second = torch.autograd.grad((gradient * u).sum(), x, allow_unused=True)[0] if bends else None
    return plain({
        "name": name, "options": {**options, "reduction": reduction}, "predictions": predictions,
        "targets": targets, "loss": found, "seed": seed, "gradient": gradient,
        "direction": u, "second": torch.zeros_like(x) if second is None else second,
    })  # fmt: skip


def main() -> None:
    """Write the file next to this one."""
    import torch

    torch.manual_seed(11)
    expected = {
        "made_by": f"make_nn_tensors.py, PyTorch {torch.__version__}",
        "modules": [of_module(torch, case) for case in modules(torch)],
        "losses": [
            of_loss(torch, case, reduction)
            for case in losses(torch)
            for reduction in ("mean", "sum", "none")
        ],
    }
    target = Path(__file__).with_name("nn_tensors.json")
    target.write_text(json.dumps(expected, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
