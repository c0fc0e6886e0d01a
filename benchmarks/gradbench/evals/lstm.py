"""The loss of a network of LSTM cells with diagonal weights on a text, and its gradient."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from gradwalk import compile, exp, grad, log, sigmoid, tanh

from ..runs import Input, Job


def cell(weight: Any, bias: Any, hidden: Any, kept: Any, x: Any) -> tuple[Any, Any]:
    """Return the next hidden state and the next state of the cells of one layer."""
    forget = sigmoid(x * weight[0] + bias[0])
    write = sigmoid(hidden * weight[1] + bias[1])
    show = sigmoid(x * weight[2] + bias[2])
    change = tanh(hidden * weight[3] + bias[3])
    kept = kept * forget + write * change
    return show * tanh(kept), kept


def loss(parameters: Any, state: Any, sequence: Any) -> Any:
    """Return the mean loss over the text; the state has hidden and cells of each layer in turn.

    A term 2 in the normalisation is part of the definition of the eval.
    """
    main, extra = parameters
    layers, bits = len(main) // 2, sequence.shape[1]
    gates = main.reshape(2 * layers, 4, bits)
    layered = [([*gates[2 * i]], [*gates[2 * i + 1]]) for i in range(layers)]
    states, total = [(state[2 * i], state[2 * i + 1]) for i in range(layers)], 0.0
    enter, leave, offset = extra
    for x, following in pairwise(sequence):
        x = x * enter
        for i, (weight, bias) in enumerate(layered):
            states[i] = cell(weight, bias, *states[i], x)
            x = states[i][0]
        guess = x * leave + offset
        total = total + (following * (guess - log(2.0 + exp(guess).sum()))).sum()
    return -total / (sequence[1:].size)


def _given(given: Input) -> tuple[Any, ...]:
    arrays = {name: np.array(given[name], np.float64)
              for name in ("main_params", "extra_params", "state", "sequence")}  # fmt: skip
    parameters = arrays["main_params"], arrays["extra_params"]
    return parameters, arrays["state"], arrays["sequence"]


def objective(given: Input) -> Job:
    arguments = _given(given)
    value = compile(loss)
    return Job(lambda: value(*arguments))


def jacobian(given: Input) -> Job:
    arguments = _given(given)
    slopes = compile(grad(loss))
    return Job(lambda: slopes(*arguments), _flat)


def _flat(arrays: tuple[Any, ...]) -> list[float]:
    return [number for array in arrays for number in array.ravel().tolist()]


FUNCTIONS = {"objective": objective, "jacobian": jacobian}
