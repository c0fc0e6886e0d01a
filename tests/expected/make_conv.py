"""Write conv.json: PyTorch's convolutions, poolings and normalisations with all gradients.

Run it where PyTorch is installed: ``python tests/expected/make_conv.py``. Everything is in double
precision; arguments and seeds of gradients are drawn by `numbers`, which the tests call too.
"""

from __future__ import annotations

import json
import random
from math import prod
from pathlib import Path
from typing import Any

Shape = tuple[int, ...]

CASES: list[tuple[str, list[Shape], dict[str, Any]]] = [
    ("conv1d", [(2, 3, 7), (4, 3, 3), (4,)], {"stride": 2, "padding": 1}),
    ("conv1d", [(2, 4, 6), (4, 2, 2)], {"groups": 2, "padding": "same", "dilation": 3}),
    ("conv2d", [(2, 2, 5, 6), (3, 2, 3, 2), (3,)], {}),
    ("conv2d", [(1, 4, 7, 6), (6, 2, 3, 3), (6,)], {"stride": [2, 1], "padding": 1, "groups": 2}),
    ("conv2d", [(2, 2, 6, 7), (2, 2, 2, 3)], {"dilation": [2, 1], "padding": "same"}),
    ("conv2d", [(2, 5, 5), (3, 2, 2, 2), (3,)], {"padding": "valid"}),
    ("max_pool1d", [(2, 2, 7)], {"kernel_size": 3, "stride": 2, "padding": 1}),
    ("max_pool2d", [(2, 2, 5, 7)], {"kernel_size": 2, "ceil_mode": True}),
    ("max_pool2d", [(2, 6, 6)], {"kernel_size": [3, 2], "stride": 1, "padding": [1, 0]}),
    ("max_pool2d", [(1, 2, 7, 7)], {"kernel_size": 2, "stride": 2, "dilation": 2}),
    ("avg_pool1d", [(2, 2, 7)], {"kernel_size": 3, "stride": 2, "padding": 1}),
    ("avg_pool2d", [(2, 2, 5, 7)], {"kernel_size": 2, "ceil_mode": True}),
    ("avg_pool2d", [(1, 2, 6, 7)], {"kernel_size": 3, "padding": 1, "ceil_mode": True}),
    (
        "avg_pool2d",
        [(1, 2, 6, 7)],
        {"kernel_size": 3, "padding": 1, "ceil_mode": True, "count_include_pad": False},
    ),
    ("adaptive_avg_pool1d", [(2, 2, 7)], {"output_size": 3}),
    ("adaptive_avg_pool2d", [(1, 2, 5, 6)], {"output_size": [2, 4]}),
    ("layer_norm", [(3, 4, 5), (4, 5), (4, 5)], {"normalized_shape": [4, 5]}),
    ("layer_norm", [(3, 5)], {"normalized_shape": [5], "eps": 0.5}),
    ("rms_norm", [(3, 4, 5), (5,)], {"normalized_shape": [5]}),
]
"""Function, shapes of what it differentiates by, options."""

REPRS = [
    "Conv1d(3, 8, 5)",
    "Conv2d(1, 16, 3, padding=1)",
    "Conv2d(4, 8, (3, 2), padding='same', groups=2, bias=False)",
    "Conv2d(4, 8, 3, stride=2, padding=(1, 0), dilation=2)",
    "MaxPool1d(2)",
    "MaxPool2d((2, 3), stride=2, padding=1)",
    "AvgPool1d(2)",
    "AvgPool2d(3, stride=2)",
    "AdaptiveAvgPool1d(2)",
    "AdaptiveAvgPool2d((1, 2))",
    "BatchNorm1d(3)",
    "BatchNorm2d(3, momentum=None, affine=False)",
    "LayerNorm(3)",
    "LayerNorm((3, 4), bias=False)",
    "RMSNorm(3)",
    "Flatten()",
    "Dropout(0.1)",
]


def numbers(shape: Shape, seed: int) -> Any:
    """Nested lists of numbers between -2 and 2, the same everywhere."""
    draw = random.Random(seed)
    flat = [round(draw.uniform(-2.0, 2.0), 6) for _ in range(prod(shape))]
    for length in reversed(shape[1:]):
        flat = [flat[i : i + length] for i in range(0, len(flat), length)]
    return flat


def expected(name: str, shapes: list[Shape], options: dict[str, Any]) -> dict[str, Any]:
    """Value, and the gradients of ⟨seed, value⟩."""
    import torch

    leaves = [
        torch.tensor(numbers(shape, i), dtype=torch.float64, requires_grad=True)
        for i, shape in enumerate(shapes)
    ]
    positional = {"normalized_shape", "output_size"} & options.keys()
    first = [options[key] for key in positional]
    rest = {key: option for key, option in options.items() if key not in positional}
    y = getattr(torch.nn.functional, name)(leaves[0], *first, *leaves[1:], **rest)
    y.backward(torch.tensor(numbers(tuple(y.shape), 99), dtype=torch.float64))
    return {
        "name": name,
        "shapes": shapes,
        "options": options,
        "value": y.tolist(),
        "gradients": [leaf.grad.tolist() for leaf in leaves],
    }


def batch_norm(momentum: float | None) -> dict[str, Any]:
    """Two batches through a BatchNorm2d, and one when it no longer trains."""
    import torch

    layer = torch.nn.BatchNorm2d(3, momentum=momentum, dtype=torch.float64)
    layer.load_state_dict(
        {
            **layer.state_dict(),
            "weight": torch.tensor(numbers((3,), 1), dtype=torch.float64),
            "bias": torch.tensor(numbers((3,), 2), dtype=torch.float64),
        }
    )
    batches = [torch.tensor(numbers((2, 3, 2, 4), i), dtype=torch.float64) for i in (3, 4)]
    results = []
    for batch in batches:
        batch.requires_grad = True
        y = layer(batch)
        y.backward(torch.tensor(numbers((2, 3, 2, 4), 99), dtype=torch.float64))
        results.append([y.tolist(), batch.grad.tolist()])
    layer.eval()
    state = {name: entry.tolist() for name, entry in layer.state_dict().items()}
    gradients = [layer.weight.grad.tolist(), layer.bias.grad.tolist()]
    return {
        "momentum": momentum,
        "results": results,
        "gradients": gradients,
        "state": state,
        "evaluated": layer(batches[0]).tolist(),
    }


def main() -> None:
    """Write the file next to this one."""
    import torch

    modules = vars(torch.nn)
    found = {
        "made_by": f"make_conv.py, PyTorch {torch.__version__}",
        "functions": [expected(*case) for case in CASES],
        "batch_norm": [batch_norm(0.1), batch_norm(None)],
        "reprs": {text: repr(eval(text, dict(modules))) for text in REPRS},
    }
    target = Path(__file__).with_name("conv.json")
    target.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
