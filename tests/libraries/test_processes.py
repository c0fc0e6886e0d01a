"""Several processes of `jax.distributed`: they divide a batch, and have the losses of one."""

from __future__ import annotations

import socket

import pytest

from ..helpers.processes import run_jax

PROGRAM = """
import sys, jax, numpy as np

rank, port = int(sys.argv[1]), sys.argv[2]
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(f"127.0.0.1:{port}", num_processes=2, process_id=rank)
from gradwalk import Tensor, compile, nn, optim
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("batch",))
rows, whole = NamedSharding(mesh, P("batch")), NamedSharding(mesh, P())
together = jax.make_array_from_process_local_data
rng = np.random.default_rng(0)
x, y = rng.normal(size=(16, 3)), rng.integers(0, 2, 16)

def train_step(model, optimizer, x, y):
    loss = nn.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss

def losses(step, put):
    model = nn.Sequential(nn.Linear(3, 4, seed=1), nn.Tanh(), nn.Linear(4, 2, seed=2))
    given = put(model)
    optimizer = optim.AdamW(model.parameters(), lr=0.05)
    return [step(model, optimizer, *given).item() for _ in range(5)]

def divided(model):
    for p in model.to("jax").parameters():
        p.data = together(whole, p.numpy())
    half = slice(8 * rank, 8 * rank + 8)
    return [Tensor(together(rows, part[half], part.shape)) for part in (x, y)]

expected = losses(train_step, lambda model: (Tensor(x), Tensor(y)))
np.testing.assert_allclose(losses(compile(train_step), divided), expected, rtol=1e-10)
assert len(jax.devices()) == 2 and expected[-1] < expected[0]
print("right", flush=True)
jax.distributed.shutdown()
"""


@pytest.mark.peer
def test_a_training_in_two_processes_is_that_in_one() -> None:
    pytest.importorskip("jax", reason="jax is not installed: NOT TESTED")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    run_jax(PROGRAM, [(str(rank), port) for rank in range(2)])
