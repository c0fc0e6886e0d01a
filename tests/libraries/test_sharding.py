"""Arrays of JAX on several devices: one place, and their shardings are those that JAX gives.

JAX counts its devices when it is imported, so a process of its own has eight.
"""

from __future__ import annotations

import pytest

from ..helpers.processes import run_jax

pytest.importorskip("jax", reason="jax is not installed: NOT TESTED")

SHARDED = """
import jax, jax.numpy as jnp, numpy as np
import gradwalk as gw
from gradwalk import Tensor
from gradwalk.errors import OptionError
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("i",))
rows, whole = NamedSharding(mesh, P("i")), NamedSharding(mesh, P())
x, w = np.linspace(-1.0, 1.0, 32, dtype="f").reshape(8, 4), np.ones((4, 3), "f")
there, weights = jax.device_put(x, rows), jax.device_put(w, whole)

def loss(x, w):
    return ((x @ w).relu() ** 2).sum()

def gradients(x, w):
    return [g.data for g in gw.grad(loss, argnums=(0, 1))(Tensor(x), Tensor(w))]

expected = [g.numpy() for g in gw.grad(loss, argnums=(0, 1))(Tensor(x), Tensor(w))]
for run in (gradients, jax.jit(gradients)):
    found = run(there, weights)
    for g, e, sharding in zip(found, expected, (rows, whole), strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-5)
        assert g.sharding.is_equivalent_to(sharding, 2), g.sharding

t = Tensor(there)
assert t.device == Tensor(weights).device == "jax"
assert (t @ Tensor(weights)).data.sharding.is_equivalent_to(rows, 2)
assert gw.softplus(t).data.sharding.is_equivalent_to(rows, 2)
assert (Tensor(jnp.ones((8, 4))) * t).data.sharding.is_equivalent_to(rows, 2)
np.testing.assert_array_equal(t.numpy(), x)
assert t.to("numpy").device == "cpu"
assert t.to("jax:cpu:1").device == "jax:cpu:1"
try:
    Tensor(jax.device_put(x, jax.devices()[3])) * t
except OptionError as error:
    assert "the same devices" in str(error) and "jax.device_put" in str(error)
else:
    raise AssertionError("no error")
print("right")
"""

TRAINED = """
import jax, numpy as np
from gradwalk import Tensor, compile, nn, optim
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

jax.config.update("jax_enable_x64", True)
mesh = Mesh(np.array(jax.devices()), ("batch",))
parts, copies = NamedSharding(mesh, P("batch")), NamedSharding(mesh, P())
rng = np.random.default_rng(0)
x, y = rng.normal(size=(16, 3)), rng.integers(0, 2, 16)

def train_step(model, optimizer, x, y):
    loss = nn.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss

def losses(place, step, put):
    model = nn.Sequential(nn.Linear(3, 4, seed=1), nn.Tanh(), nn.Linear(4, 2, seed=2)).to(place)
    optimizer = optim.AdamW(model.parameters(), lr=0.05)
    given = put(model)
    found = [step(model, optimizer, *given).item() for _ in range(5)]
    return found, model

def sharded(model):
    for p in model.parameters():
        p.data = jax.device_put(p.data, copies)
    return [Tensor(jax.device_put(part, parts)) for part in (x, y)]

expected, _ = losses("numpy", train_step, lambda model: (Tensor(x), Tensor(y)))
for step in (train_step, compile(train_step)):
    found, model = losses("jax", step, sharded)
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    for p in model.parameters():
        assert p.data.sharding.is_equivalent_to(copies, p.ndim), p.data.sharding
assert expected[-1] < expected[0]
print("right")
"""


@pytest.mark.peer
def test_arrays_on_several_devices_have_one_place() -> None:
    run_jax(SHARDED, devices=8)


@pytest.mark.peer
def test_a_training_on_several_devices_is_that_on_one() -> None:
    run_jax(TRAINED, devices=8)


MAPPED = """
import jax, jax.numpy as jnp, numpy as np
import gradwalk as gw
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()), ("i",))
f = gw.to_jax(lambda x: (gw.tanh(x) * x).sum(axis=1))
x = jnp.linspace(-1.0, 1.0, 32).reshape(8, 4)

def slope(x):
    return jax.grad(lambda x: f(x).sum())(x)

def shared(g):
    return jax.shard_map(g, mesh=mesh, in_specs=P("i"), out_specs=P("i"), check_vma=False)

for found in (shared(slope)(x), jax.jit(shared(slope))(x), jax.pmap(slope)(x[:, None])[:, 0],
              jax.grad(lambda x: jax.jit(shared(f))(x).sum())(x)):
    np.testing.assert_allclose(found, slope(x), rtol=1e-6)
print("right")
"""


@pytest.mark.peer
def test_a_function_of_gradwalk_is_shared_among_devices() -> None:
    run_jax(MAPPED, devices=8)
