"""The same program gives the same bits: in every process, hash seed and engine."""

from __future__ import annotations

import os

import pytest

from gradwalk import ENGINE

TRAINING = """
import os, random, sys
import gradwalk
from gradwalk import Value

junk = [object() for _ in range(hash("addresses differ from run to run") % 5000)]
rng = random.Random(7)
sizes = (2, 8, 1)
layers = [
    [[Value(rng.uniform(-1, 1)) for _ in range(n_in + 1)] for _ in range(n_out)]
    for n_in, n_out in zip(sizes, sizes[1:])
]
weights = [w for layer in layers for neuron in layer for w in neuron]
points = [(rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(12)]

def model(xs):
    for layer in layers:
        xs = [sum((w * x for w, x in zip(neuron, xs)), neuron[-1]).tanh() for neuron in layer]
    return xs[0]

for step in range(15):
    loss = sum((model(p) - (1.0 if p[0] * p[1] > 0 else -1.0)) ** 2 for p in points)
    loss = loss / len(points) + 1e-3 * gradwalk.logsumexp(weights)
    for w in weights:
        w.grad = 0.0
    loss.backward()
    norm = sum({w: w.grad**2 for w in weights}.values()) ** 0.5
    for w in weights:
        w.data -= 0.3 / (1.0 + norm) * w.grad
hessian = gradwalk.gradients(gradwalk.gradients(loss, weights[0], create_graph=True), weights)
print(len(hessian), loss.data.hex(), *(w.data.hex() for w in weights), *map(float.hex, hessian))
"""


def test_twelve_processes_give_the_same_bits(run_python) -> None:
    runs = [run_python(TRAINING, PYTHONHASHSEED=str(seed)) for seed in range(12)]
    assert len(runs[0].split()) == 2 + 2 * 33
    assert len(set(runs)) == 1


@pytest.mark.skipif(ENGINE == "python", reason="this already is the Python engine")
def test_the_python_engine_gives_the_bits_of_the_native_one(run_python) -> None:
    assert run_python(TRAINING, GRADWALK_PURE="1") == run_python(TRAINING)


def test_the_switch_selects_the_python_engine(run_python) -> None:
    program = "import gradwalk; print(gradwalk.ENGINE, type(gradwalk.Value(1.0) + 1).__module__)"
    assert run_python(program, GRADWALK_PURE="1") == "python gradwalk\n"
    asked_for_python = os.environ.get("GRADWALK_PURE", "0") not in ("", "0")
    assert not asked_for_python or ENGINE == "python"
