"""Networks with one Value per weight, as users write them."""

from typing import assert_type

from gradwalk import Value, nn, optim

neuron = nn.Neuron(2, "tanh", seed=0)
y = neuron([1.0, 2.0])
assert_type(y, Value)
y.backward()
assert_type(neuron.weights[0].grad, float)
assert_type(neuron.parameters(), list[Value])

layer = nn.Layer(2, 3, "relu", seed=0)
assert_type(layer([y, 1.0]), list[Value])

model = nn.MLP(2, [4, 1], seed=0)
rows = [[0.0, 1.0], [1.0, 1.0]]
predictions = [model(row) for row in rows]
loss = nn.mse(predictions, [1.0, -1.0])
assert_type(loss, Value)
loss.backward()
assert_type(nn.binary_cross_entropy_with_logits(predictions, [1, 0]), Value)
assert_type(nn.cross_entropy([layer(row) for row in rows], [0, 2]), Value)
assert_type(nn.hinge([y], [1], margin=0.5), Value)
assert_type(nn.mse([1.0, 2.0], [0.0, 4.0]), float)
assert_type(nn.mae([y, y], [0.0, 1.0], reduction="none"), list[Value])

optimizer = optim.SGD(model.parameters(), lr=0.1)
optimizer.step()
optimizer.zero_grad()
for parameter in model.parameters():
    assert_type(parameter.data, float)
nn.init.xavier_uniform_(layer.weights, seed=0)


class Line(nn.Module):
    """A module of one's own."""

    def __init__(self) -> None:
        self.slope, self.offset = Value(2.0), Value(1.0)

    def forward(self, x: float) -> Value:
        return self.slope * x + self.offset


assert_type(Line()(3.0), Value)
